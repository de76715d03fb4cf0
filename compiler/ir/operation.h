/* The operator that a block computes: its kind, the role of each axis, and its parts.
 *
 * Legalization tags the blocks that it builds, normal form those that users wrote; as text a tag is
 *
 *     T.block_attr({"rlx.operator": "matmul mnk"})       the kind, and a letter for each axis
 *
 * (operation.def). A tag claims nothing that the block's body does not prove: there is one proof,
 * rlxc_operation_prove, which well-formedness runs over every tag and the schedule's rules before
 * they use one. So a tag that is wrong is an error, never a wrong result.
 *
 * A block is looked at in the form that normal form gives it: one store, at distinct axes (or 0),
 * reductions with an initial value and an update `own op term`. Operands of op, and of a product,
 * may stand in either order. */
#ifndef RLXC_IR_OPERATOR_H
#define RLXC_IR_OPERATOR_H

#include "compiler/ir/tir.h"

typedef enum rlxc_operation_kind {
#define RLXC_OPERATION(kind, doc) RLXC_OPERATION_##kind,
#include "compiler/ir/operation.def"
#undef RLXC_OPERATION
    RLXC_OPERATIONS /* their number; as a kind: none */
} rlxc_operation_kind;

typedef enum rlxc_axis_role {
#define RLXC_AXIS_ROLE(role, letter, doc) RLXC_AXIS_ROLE_##role = letter,
#include "compiler/ir/operation.def"
#undef RLXC_AXIS_ROLE
} rlxc_axis_role;

enum { RLXC_OPERATION_AXES = 48 };
#define RLXC_OPERATION_KEY "rlx.operator"

/* What a proof looks at: a block, or a stage of the schedule. */
typedef struct rlxc_computation {
    const rlxc_expr *const *vars; /* of the axes */
    const rlxc_expr *const *extents;
    const bool *reduces;
    uint32_t n_axes;
    const rlxc_buffer *out;
    const rlxc_expr *const *indices; /* of the store, out->ndim many */
    const rlxc_expr *value, *init;   /* init: NULL without reduction */
} rlxc_computation;

typedef struct rlxc_operation {
    rlxc_operation_kind kind;
    char roles[RLXC_OPERATION_AXES + 1]; /* rlxc_axis_role of each axis; ends with 0 */
    /* Reductions: value is `own combine term`; CALL: a bitwise operator. Of a fold the
     * term is the whole value, combine VAR. */
    rlxc_expr_kind combine;
    const rlxc_expr *term;
    /* conv, matmul: term is x * w, or 0 where |where| fails; |where| NULL: always. w is the factor
     * that does not slide, or has the result's last axis. */
    const rlxc_expr *x, *w, *where;
} rlxc_operation;

/* Whether |c| computes |kind|; then all of *out. Else why not, as a sentence's end, in *why (NULL:
 * nobody asks). */
bool rlxc_operation_prove(rlxc_context *ctx, const rlxc_computation *c, rlxc_operation_kind kind,
                          rlxc_operation *out, const char **why);
/* The first kind in the table that |c| computes. */
bool rlxc_operation_recognise(rlxc_context *ctx, const rlxc_computation *c, rlxc_operation *out,
                              const char **why);
/* The block as a computation; false with the reason where it is none. */
bool rlxc_computation_of(rlxc_context *ctx, const rlxc_block *block, rlxc_computation *out,
                         const char **why);

const char *rlxc_operation_name(rlxc_operation_kind kind);
/* The kind that the block's tag names; RLXC_OPERATIONS: it has none, or names none. */
rlxc_operation_kind rlxc_tagged_kind(const rlxc_attrs *annotations);
/* The tag as it stands; NULL: none. */
const char *rlxc_tag_text(const rlxc_attrs *annotations);
/* Whether the block has annotations other than its tag. */
bool rlxc_is_annotated(const rlxc_attrs *annotations);
/* The block's annotations with the tag of |op|; NULL: with none. */
rlxc_attrs rlxc_with_tag(rlxc_context *ctx, rlxc_attrs annotations, const rlxc_operation *op);
/* The block's annotations but its tag go. */
rlxc_attrs rlxc_only_tag(rlxc_context *ctx, rlxc_attrs annotations);
/* Whether the block has no tag, or one that its body proves; else why not. */
bool rlxc_check_tag(rlxc_context *ctx, const rlxc_block *block, const char **why);
/* |s| with a tag on each block with axes that its body proves: of the kind that its tag names where
 * that is true, else of the first that fits; none where none fits. */
const rlxc_stmt *rlxc_tag_blocks(rlxc_context *ctx, const rlxc_stmt *s);

#endif

/* The operator that a block computes: its kind, the role of each axis, and its parts.
 *
 * Legalization tags the blocks that it builds, and normal form those of users; as text a tag is
 *
 *     T.block_attr({"rlx.operator": "matmul mnk"})       the kind, and a letter for each axis
 *
 * (operation.def). The block's body must prove its tag. The only proof is rlxc_operation_prove: the
 * well-formedness check runs it on every tag, and scheduling rules run it before they use a tag. A
 * wrong tag is therefore an error, never a wrong result.
 *
 * The proof expects normal form: one store, at distinct axes (or 0), and reductions with an initial
 * value and an update `own op term`. Operands of op, and of a product, may be in either order. */
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

/* The input of a proof: a block, or a stage of the schedule. */
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

/* True if |c| computes |kind|, with all of *out set. Else the reason, as the end of a sentence, in
 * *why (may be NULL). */
bool rlxc_operation_prove(rlxc_context *ctx, const rlxc_computation *c, rlxc_operation_kind kind,
                          rlxc_operation *out, const char **why);
/* The first kind in the table that |c| computes. */
bool rlxc_operation_recognise(rlxc_context *ctx, const rlxc_computation *c, rlxc_operation *out,
                              const char **why);
/* The block as a computation; false with the reason if it is not one. */
bool rlxc_computation_of(rlxc_context *ctx, const rlxc_block *block, rlxc_computation *out,
                         const char **why);

/* True if each part of a reduction by |combine| may begin with |start|: 0 for a sum, 1 for a
 * product, any value for a minimum or maximum. False for other kinds. */
bool rlxc_parts_may_begin_at(rlxc_expr_kind combine, const rlxc_expr *start);

const char *rlxc_operation_name(rlxc_operation_kind kind);
/* The kind in the block's tag; RLXC_OPERATIONS if there is no tag, or no such kind. */
rlxc_operation_kind rlxc_tagged_kind(const rlxc_attrs *annotations);
/* The text of the tag, or NULL. */
const char *rlxc_tag_text(const rlxc_attrs *annotations);
/* True if the block has annotations other than its tag. */
bool rlxc_is_annotated(const rlxc_attrs *annotations);
/* The block's annotations with the tag of |op|; without a tag if NULL. */
rlxc_attrs rlxc_with_tag(rlxc_context *ctx, rlxc_attrs annotations, const rlxc_operation *op);
/* Only the tag among the block's annotations. */
rlxc_attrs rlxc_only_tag(rlxc_context *ctx, rlxc_attrs annotations);
/* True if the block has no tag, or one that its body proves; else the reason. */
bool rlxc_check_tag(rlxc_context *ctx, const rlxc_block *block, const char **why);
/* |s| with a proved tag on each block with axes: its current tag if that still holds, else the
 * first kind that fits, or none. */
const rlxc_stmt *rlxc_tag_blocks(rlxc_context *ctx, const rlxc_stmt *s);

#endif

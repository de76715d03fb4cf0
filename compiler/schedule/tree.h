/* The form of a PrimFunc that steps work on: a tree of sequences, loops and blocks with parents.
 *
 * Statements are immutable; the tree is not, and becomes statements when a list of steps is done.
 * Invariants: a LOOP or BLOCK has one child; a LEAF stands only in a block and holds no block; the
 * root is a BLOCK without axes. A node that a step removes is marked with the step's name, so that
 * errors about references can name it. */
#ifndef RLXC_SCHEDULE_TREE_H
#define RLXC_SCHEDULE_TREE_H

#include "compiler/ir/sym.h"
#include "compiler/schedule/engine.h"

typedef enum rlxc_node_kind {
    RLXC_NODE_SEQ,
    RLXC_NODE_LOOP,
    RLXC_NODE_BLOCK,
    RLXC_NODE_LEAF
} rlxc_node_kind;

typedef struct rlxc_node rlxc_node;
typedef struct rlxc_node_list {
    RLXC_VEC(rlxc_node *) items;
} rlxc_node_list;

struct rlxc_node {
    rlxc_node_kind kind;
    rlxc_node *parent;
    rlxc_node_list kids;                 /* LOOP, BLOCK: one */
    const rlxc_stmt *stmt;               /* LEAF; of others what they were made of, or NULL */
    const char *gone;                    /* the step that removed it, or NULL */
    const rlxc_expr *var, *min, *extent; /* LOOP */
    rlxc_loop_kind loop_kind;
    const char *thread; /* of a loop bound to one; else NULL */
    rlxc_attrs annotations;
    rlxc_block *block; /* BLOCK: its own copy; body stands in the child */
    const rlxc_expr **values;
    const rlxc_expr *predicate; /* or NULL */
};

typedef struct rlxc_engine {
    rlxc_context *ctx;
    rlxc_prim_func *f; /* belongs to the caller until the list is done, then rewritten */
    const rlxc_engine_options *options;
    const rlxc_step *step; /* being applied */
    rlxc_node *root;
    rlxc_map refs; /* reference -> its node, or its value as an rlxc_expr */
} rlxc_engine;

/* --- tree.c: to and from statements, edits --- */

/* NULL after an error: statements outside of blocks, or blocks inside other statements. */
rlxc_node *rlxc_tree_of(rlxc_engine *e, const rlxc_stmt *body);
const rlxc_stmt *rlxc_tree_stmt(rlxc_engine *e, const rlxc_node *node);
rlxc_node *rlxc_new_loop(rlxc_engine *e, const rlxc_expr *var, const rlxc_expr *extent);
rlxc_node *rlxc_new_block(rlxc_engine *e, const rlxc_block *block, const rlxc_expr *const *values,
                          const rlxc_expr *predicate, const rlxc_stmt *body);
void rlxc_adopt(rlxc_engine *e, rlxc_node *parent, rlxc_node *child); /* as its only child */
/* Replaces |from| by |to|; |from| has no parent afterwards. */
void rlxc_put_for(rlxc_engine *e, rlxc_node *from, rlxc_node *to);
/* Inserts |node| into the sequence below |at| (a LOOP or BLOCK) as child |position|. */
void rlxc_insert(rlxc_engine *e, rlxc_node *at, uint32_t position, rlxc_node *node);
/* Removes |node|, with the enclosing loops that contain nothing else. */
void rlxc_take_out(rlxc_engine *e, rlxc_node *node);
/* The children of a LOOP or BLOCK as a list: those of its sequence, or the one. */
uint32_t rlxc_n_children(const rlxc_node *at);
rlxc_node *rlxc_child(const rlxc_node *at, uint32_t i);
/* The index of the child of |at| that contains |node|; UINT32_MAX: none. */
uint32_t rlxc_position_in(const rlxc_node *at, const rlxc_node *node);
bool rlxc_is_inside(const rlxc_node *node, const rlxc_node *ancestor); /* or is it */
/* The blocks inside |node|, including itself, in order; |nested|: also those inside blocks. */
void rlxc_blocks_in(rlxc_engine *e, rlxc_node *node, bool nested, rlxc_node_list *out);
/* The loops bound to threads inside |node|, including itself. */
void rlxc_bound_loops_in(rlxc_engine *e, rlxc_node *node, rlxc_node_list *out);
rlxc_node *rlxc_scope_of(const rlxc_node *node); /* the nearest block around it; NULL: the root */
/* The loops around |node| up to its scope, outermost first. */
void rlxc_loops_around(rlxc_engine *e, const rlxc_node *node, rlxc_node_list *out);
/* Replaces variables everywhere below |node|, including block values and loop bounds. */
void rlxc_replace_below(rlxc_engine *e, rlxc_node *node, const rlxc_expr *const *vars,
                        const rlxc_expr *const *values, uint32_t n);
/* Sets the body of a leaf block and drops its stated regions. */
void rlxc_set_body(rlxc_engine *e, rlxc_node *block, const rlxc_stmt *body);
/* The body of a leaf block, or NULL if it contains blocks. */
const rlxc_stmt *rlxc_leaf_body(const rlxc_node *block);
const rlxc_expr *rlxc_simple(rlxc_engine *e, const rlxc_expr *value);
const rlxc_expr *rlxc_both(rlxc_engine *e, const rlxc_expr *a, const rlxc_expr *b); /* and; NULLs */
/* An unused name for a new loop or block: |hint|, |hint|_1 ... */
const char *rlxc_block_name(rlxc_engine *e, const char *hint);

/* --- what steps take --- */

bool rlxc_refuse(rlxc_engine *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
const rlxc_attr *rlxc_arg(const rlxc_engine *e, const char *name); /* NULL: left out */
/* The block or loop of an argument; NULL after an error. */
rlxc_node *rlxc_arg_block(rlxc_engine *e, const char *name);
rlxc_node *rlxc_arg_loop(rlxc_engine *e, const char *name);
rlxc_node *rlxc_arg_node(rlxc_engine *e, const char *name);
bool rlxc_arg_loops(rlxc_engine *e, const char *name, rlxc_node_list *out);
bool rlxc_arg_int(rlxc_engine *e, const char *name, int64_t fallback, int64_t *out);
/* An integer, or a sampled value. */
bool rlxc_value_of(rlxc_engine *e, const rlxc_attr *value, const rlxc_expr **out);
const char *rlxc_arg_string(const rlxc_engine *e, const char *name);
bool rlxc_arg_bool(const rlxc_engine *e, const char *name, bool fallback);
/* The buffer that "read_buffer_index" ... names, among those that the block reads or writes. */
bool rlxc_arg_buffer(rlxc_engine *e, const char *name, rlxc_node *block, bool writes,
                     const rlxc_buffer **out);
/* Binds result |i|; false if the step has fewer. */
void rlxc_give(rlxc_engine *e, uint32_t i, rlxc_node *node);
/* The step must have |n| results, or none at all. */
bool rlxc_gives(rlxc_engine *e, uint32_t n, const char *of);
const char *rlxc_loop_name(const rlxc_engine *e, const rlxc_node *loop); /* "'l1' (i0)" */
const char *rlxc_expr_text(const rlxc_engine *e, const rlxc_expr *value);
const char *rlxc_block_of(const rlxc_node *block);

/* --- access.c: what blocks read and write --- */

typedef struct rlxc_access {
    const rlxc_buffer *buffer;
    const rlxc_expr *const *indices; /* NULL: any element */
    uint32_t n;
    bool writes;
    bool in_init;
} rlxc_access;
typedef struct rlxc_accesses_in { /* of one block, or of all below a node */
    RLXC_VEC(rlxc_access) items;
    RLXC_VEC(const rlxc_stmt *) loops; /* loops inside of leaf bodies */
} rlxc_accesses_in;
/* The accesses of block |node| in its own axes; those of nested blocks with axes substituted. */
void rlxc_block_accesses(rlxc_engine *e, const rlxc_node *block, rlxc_accesses_in *out);
bool rlxc_block_touches(rlxc_engine *e, const rlxc_node *block, const rlxc_buffer *buffer,
                        bool writes);
bool rlxc_is_temp(const rlxc_engine *e, const rlxc_buffer *buffer); /* allocated by the root */
void rlxc_drop_temp(rlxc_engine *e, const rlxc_buffer *buffer);
void rlxc_add_temp(rlxc_engine *e, rlxc_buffer *buffer);
/* Makes a temporary like |buffer|, and redirects the accesses of a block to it. */
rlxc_buffer *rlxc_new_temp(rlxc_engine *e, const rlxc_buffer *like, const char *name,
                           const char *scope, const rlxc_expr *const *shape);
void rlxc_redirect(rlxc_engine *e, rlxc_node *node, const rlxc_buffer *from, rlxc_buffer *to);
/* Redirects the accesses of a leaf block (others: of its init). */
void rlxc_redirect_block(rlxc_engine *e, rlxc_node *node, const rlxc_redirection *r);
/* The one store of a leaf block, or NULL: of its body, and of its init. */
const rlxc_stmt *rlxc_only_store(const rlxc_node *block);

typedef struct rlxc_span { /* inclusive; NULL: not known */
    const rlxc_expr *min, *max;
} rlxc_span;
typedef struct rlxc_spans { /* of variables that take all their values */
    RLXC_VEC(const rlxc_expr *) vars;
    RLXC_VEC(rlxc_span) spans;
} rlxc_spans;
void rlxc_span_loop(rlxc_engine *e, rlxc_spans *s, const rlxc_expr *var, const rlxc_expr *min,
                    const rlxc_expr *extent);
/* The minimum and maximum of |value|. */
rlxc_span rlxc_span_of(rlxc_engine *e, const rlxc_spans *s, const rlxc_expr *value);
/* The ranges of the loops around |node|, for proofs. */
rlxc_bounds rlxc_bounds_at(rlxc_engine *e, const rlxc_node *node);
/* The region of |buffer| that the blocks below |under| read or write in one iteration of the loops
 * down to |under| (a LOOP or BLOCK), a span for each dimension, clipped to the buffer. False if
 * they do not access it. */
bool rlxc_region_below(rlxc_engine *e, const rlxc_node *under, const rlxc_buffer *buffer,
                       bool writes, rlxc_span *out);
/* The same of one block. */
bool rlxc_block_region(rlxc_engine *e, const rlxc_node *block, const rlxc_node *under,
                       const rlxc_buffer *buffer, bool writes, rlxc_span *out);

/* --- step_at.c: blocks over parts of their axes --- */

enum { RLXC_DOMAIN_AXES = 32 };
typedef struct rlxc_domain { /* of the axes of a block; {NULL, NULL}: all of the axis */
    rlxc_span of[RLXC_DOMAIN_AXES];
} rlxc_domain;
/* For an index that is an axis + a constant: the axis, and its span for |span| of the index. */
bool rlxc_axis_at(rlxc_engine *e, const rlxc_node *block, const rlxc_expr *index, rlxc_span span,
                  uint32_t *axis, rlxc_span *out);
/* Wraps |block| in loops over the domain of its axes, to be placed in |at|; sets its values and
 * predicate. Returns the outermost node. */
rlxc_node *rlxc_nest_over(rlxc_engine *e, rlxc_node *block, const rlxc_domain *d, bool keep_unit,
                          const rlxc_node *at);
/* Checks that |producer|'s results are complete in each iteration of |loop|: its reduction does not
 * continue in |loop| or outside it. */
bool rlxc_check_finished(rlxc_engine *e, const rlxc_node *producer, const rlxc_node *loop);

/* --- proofs.c --- */

/* Checks that different iterations of the loops that |block|'s axes use give different axes; else
 * reports why. */
bool rlxc_is_injective(rlxc_engine *e, const rlxc_node *block, const char **why);
/* Checks that |loop| may run its iterations in any order, or concurrently (|at_once|), with respect
 * to block |block|. */
bool rlxc_check_spatial(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop);
/* Checks that values passed between blocks below |loop| are written in the same iteration. */
bool rlxc_check_covered(rlxc_engine *e, const rlxc_node *loop);
bool rlxc_is_reduction(const rlxc_node *block); /* it has reduction axes */
/* True if |loop|'s variable is in a value of an axis of this kind. */
bool rlxc_serves(rlxc_engine *e, const rlxc_node *loop, const rlxc_node *block, rlxc_axis_kind kind,
                 const char **out_axis);

/* --- place_buffers.c --- */

/* Allocates temporaries in the loops that they are local to; false after an error. */
bool rlxc_place_buffers(rlxc_engine *e);

/* --- the steps --- */

typedef bool rlxc_step_fn(rlxc_engine *e);
#define RLXC_STEP(name, instruction, args, json, results, doc) rlxc_step_fn rlxc_apply_##name;
#include "compiler/schedule/steps.def"
#undef RLXC_STEP

#endif

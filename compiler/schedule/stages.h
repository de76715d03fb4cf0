/* A PrimFunc as a list of stages, the form that scheduling works on.
 *
 * A stage is one loop nest of the root block. It is simple when it is a perfect nest around a block
 * with one store (and one init store for reductions) whose axes are the loops themselves; then its
 * loops can be rebuilt in any legal order. Other stages are opaque and stay unchanged. */
#ifndef RLXC_SCHEDULE_STAGES_H
#define RLXC_SCHEDULE_STAGES_H

#include "compiler/base/options.h"
#include "compiler/ir/operation.h"
#include "compiler/ops/winograd_stages.h"
#include "compiler/schedule/explain.h"
#include "compiler/schedule/loops.h"
#include "compiler/target/target.h"

enum { RLXC_STAGE_AXES = 16 };

typedef struct rlxc_stage {
    const rlxc_stmt *stmt; /* as written */
    bool simple;
    const char *odd; /* why it is not simple */
    bool done;       /* a rule has emitted it */
    bool removed;    /* it runs as a part of others */
    bool changed;    /* |value| or |init| are no longer those of |stmt| */
    uint32_t n_axes;
    const rlxc_expr *vars[RLXC_STAGE_AXES];    /* the block's axis variables */
    const rlxc_expr *extents[RLXC_STAGE_AXES]; /* int64 */
    bool reduces[RLXC_STAGE_AXES];
    const rlxc_buffer *out;
    const rlxc_expr *const *indices; /* of the store, out->ndim many */
    const rlxc_expr *value, *init;   /* init: NULL if there is no reduction */
    rlxc_operation_kind tagged;      /* from the block's tag; RLXC_OPERATIONS: none */
} rlxc_stage;

typedef struct rlxc_stages {
    rlxc_context *ctx;
    const rlxc_options *options;
    const rlxc_target *target; /* the function's */
    rlxc_prim_func *f;
    const rlxc_block *root; /* NULL: the body is not wrapped in a block */
    rlxc_stage *items;
    uint32_t n;
    RLXC_VEC(rlxc_buffer *) temps; /* the root's allocations still needed */
} rlxc_stages;

/* False if the body has another form (the function is then left alone). */
bool rlxc_stages_of(rlxc_context *ctx, const rlxc_options *options, rlxc_prim_func *f,
                    rlxc_stages *out);
/* True at level 1, where short code saves compile time. False for C, which is written at that level
 * for other compilers. */
bool rlxc_prefers_short_code(const rlxc_stages *s);
/* Registers for a tile of sums and its operands: few for short code, whatever the target has. */
uint32_t rlxc_tile_registers(const rlxc_stages *s);
/* Replaces producers by their expression in the consumers if that is free. */
void rlxc_stages_inline(rlxc_stages *s);

/* The last dimension of |b| that may have more than one element, along which its elements lie one
 * after the other; 0: none has. */
uint32_t rlxc_last_dim(const rlxc_buffer *b);

/* True if |e| loads from |buffer| or a view of it, or uses its address. */
bool rlxc_mentions(rlxc_context *ctx, const rlxc_expr *e, const rlxc_buffer *buffer);
/* The same, but for loads from |buffer| at the indices |at|. */
bool rlxc_mentions_elsewhere(rlxc_context *ctx, const rlxc_expr *e, const rlxc_buffer *buffer,
                             const rlxc_expr *const *at);

/* What the stage computes now, proved from its expressions: the kind of its tag if that is correct,
 * else the first that fits. Repeated calls return the same. False with the reason if no kind fits.
 */
bool rlxc_stage_operation(const rlxc_stages *s, const rlxc_stage *stage, rlxc_operation *out);
/* As above for a stage that must be a sum of x * w without condition. */
bool rlxc_stage_product(const rlxc_stages *s, const rlxc_stage *stage, rlxc_operation *out);

/* The name of the stage's block; "" if it has none. */
const char *rlxc_stage_name(const rlxc_stage *stage);
/* The stage's loops and block around its current expressions. */
const rlxc_stmt *rlxc_restated(rlxc_context *ctx, const rlxc_stage *stage);
bool rlxc_stage_is_temp(const rlxc_stages *s, const rlxc_buffer *buffer);
void rlxc_stage_drop_temp(rlxc_stages *s, const rlxc_buffer *buffer);
/* Loads of |buffer| in stage |i|: their number, and whether all have the same indices, given in
 * |out_indices|. Opaque stages count any mention as different loads. */
uint32_t rlxc_stage_loads(const rlxc_stages *s, uint32_t i, const rlxc_buffer *buffer,
                          const rlxc_expr *const **out_indices, bool *out_same);
/* The store's indices are distinct spatial axis variables covering all of them, in order of the
 * axes; so each result element is computed exactly once. */
bool rlxc_stage_is_pointwise(const rlxc_stage *stage);
/* The number of elements to the next when |var| grows by one in an access; false when it is not
 * linear in it. *out 0: independent. Symbolic strides give INT64_MAX. */
bool rlxc_access_stride(rlxc_context *ctx, const rlxc_buffer *buffer,
                        const rlxc_expr *const *indices, const rlxc_expr *var, int64_t *out);

/* True if a value uses addresses or calls with effects, so that it must not move. */
bool rlxc_may_move(rlxc_context *ctx, const rlxc_expr *value);

/* --- emission: rules; each appends statements and gives true when it took the stage ------------
 */

struct rlxc_schedule {
    rlxc_stages *s;
    RLXC_VEC(const rlxc_stmt *) out;
    bool serial; /* inside a parallel loop already */
    /* The list of steps that a rule made for |n_stages| stages; or NULL. */
    struct rlxc_schedule_steps *steps;
    uint32_t n_stages;
};

/* For |crossed| below |n_crossed| and |last| below |n_last|: |to| = |from|; |to| is a load that
 * names the destination. */
typedef struct rlxc_transposition {
    const rlxc_expr *to, *from, *crossed, *last;
    int64_t n_crossed, n_last;
} rlxc_transposition;

/* The loops of a transposition, by squares of vectors; NULL unless both sides are of one type, of
 * 32 or 64 bits or narrower integers, what |from| loads along |crossed| is contiguous there, |to|
 * is along |last|, and both counts are multiples of a vector's lanes. */
const rlxc_stmt *rlxc_transposed(rlxc_schedule *c, const rlxc_transposition *t);

/* A stage that is contiguous along its last axis while it reads along another: both are split, the
 * last two axes then are those in a block of |size| rows and columns. False without effect for
 * others. */
bool rlxc_block_transposition(rlxc_context *ctx, rlxc_stage *s, int64_t size);
/* One such block: by vectors if full, else |by_element|, the loops over the last two axes. */
const rlxc_stmt *rlxc_transposed_block(rlxc_schedule *c, const rlxc_stage *s, int64_t size,
                                       const rlxc_stmt *by_element);
/* As above for a whole stage of two axes that is contiguous along the last and reads along the
 * first; in blocks of a vector's lanes. */
const rlxc_stmt *rlxc_transposed_copy(rlxc_schedule *c, const rlxc_stage *s);

/* True if all accesses treat axes |outer| and |outer| + 1 as one. */
bool rlxc_axes_merge(rlxc_context *ctx, const rlxc_stage *s, uint32_t outer);
/* Replaces adjacent axes from |first| up to |end| by one wherever all accesses of all stages, which
 * share those axes, allow it; returns the remaining number of axes up to there. Views of the
 * buffers are declared in c->out, except for |silent| (may be NULL), which is not accessed in
 * memory. */
uint32_t rlxc_merge_axes(rlxc_schedule *c, rlxc_stage *stages, uint32_t n, uint32_t first,
                         uint32_t end, const rlxc_buffer *silent);

/* Splits an axis into blocks of |size| in its place, and the elements of a block as a new last
 * axis; there is room for one, and only |value| and the store use it. */
void rlxc_split_axis(rlxc_context *ctx, rlxc_stage *s, uint32_t axis, int64_t size);

/* Hoists index values of the stages, which run together, in front of them: into c->out. */
void rlxc_name_positions(rlxc_schedule *c, rlxc_stage *stages, uint32_t n);
/* Reads indices that are computed in floating point, equal in every row, from tables made in front
 * (hoist_indices.c). */
void rlxc_table_indices(rlxc_schedule *c, rlxc_stage *stages, uint32_t n);

typedef struct rlxc_accesses { /* distinct loads of a stage's expressions, then its store */
    rlxc_context *ctx;
    RLXC_VEC(const rlxc_expr *) loads;
} rlxc_accesses;
rlxc_accesses rlxc_accesses_of(rlxc_context *ctx, const rlxc_stage *s);
/* For rlxc_expr_rewrite, with the context as |user|: each load becomes a constant, so that the
 * remaining expression shows the variables used outside of indices. */
const rlxc_expr *rlxc_hide_load(void *user, const rlxc_expr *e);

/* The number of elements of the stage's result. */
const rlxc_expr *rlxc_stage_elements(rlxc_context *ctx, const rlxc_stage *s);

/* Helpers of the rules. */
const rlxc_expr *rlxc_replace(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *const *vars,
                              const rlxc_expr *const *values, uint32_t n);
/* The expression with loads of |from| replaced by |to| (any indices). */
const rlxc_expr *rlxc_replace_loads(rlxc_context *ctx, const rlxc_expr *e, const rlxc_buffer *from,
                                    const rlxc_expr *to);
/* The value that the epilogue stage |e| stores at |at| for |value|, the previous stage's result in
 * |from|.
 */
const rlxc_expr *rlxc_epilogue_value(rlxc_context *ctx, const rlxc_stage *e,
                                     const rlxc_buffer *from, const rlxc_expr *const *at,
                                     const rlxc_expr *value);

/* True if |e| is the quotient or remainder (|kind|) of |var| by |by|. */
static inline bool rlxc_is_part(const rlxc_expr *e, rlxc_expr_kind kind, const rlxc_expr *var,
                                int64_t by)
{
    return (rlxc_expr_kind)e->kind == kind && e->bin.a == var && rlxc_is_const(e->bin.b, by);
}

/* The stage that maps the result of stage |i| element by element, so that it can run on each tile
 * of stages |first| to |i|; NULL if there is none. */
rlxc_stage *rlxc_epilogue_of(const rlxc_stages *s, uint32_t first, uint32_t i);
/* The same, or a copy of the stage with the axes of stage |i|: one that maps a result [..., group,
 * place] to [..., group * n + place], or has axes for dimensions of one element, too. */
rlxc_stage *rlxc_epilogue_on_tile(const rlxc_stages *s, uint32_t first, uint32_t i);
/* The epilogue if it is |wanted|, else NULL, in *out; false with a reason if it is wanted but
 * missing. */
bool rlxc_take_epilogue(const rlxc_stages *s, uint32_t first, uint32_t i, bool wanted,
                        rlxc_stage **out);
/* Marks the epilogue (may be NULL) as emitted with stage |i|, whose own result is then not stored.
 */
void rlxc_epilogue_done(rlxc_stages *s, uint32_t i, rlxc_stage *epilogue);

#endif

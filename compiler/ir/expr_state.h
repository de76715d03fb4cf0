/* Private to the files that make expressions (expr.c, expr_fold.c, expr_walk.c, sym*.c). */
#ifndef RLXC_IR_EXPR_STATE_H
#define RLXC_IR_EXPR_STATE_H

#include "compiler/base/context_state.h"
#include "compiler/ir/expr.h"

enum { RLXC_SCRATCH_MAPS = 5 };

typedef struct rlxc_expr_pool {
    const rlxc_expr **slots; /* hash table of every node but variables */
    uint32_t count, capacity;
    uint32_t next_id;
    bool depth_reported;
    rlxc_map scratch[RLXC_SCRATCH_MAPS]; /* cleared maps to lend: see rlxc_scratch_take */
    uint32_t n_scratch;
    rlxc_map shape_names; /* interned name of a shape variable -> 1 + numbers tried behind it */
} rlxc_expr_pool;

rlxc_expr_pool *rlxc_pool(rlxc_context *ctx);

/* Borrows an empty map for one walk, and returns it. */
rlxc_map rlxc_scratch_take(rlxc_context *ctx);
void rlxc_scratch_give(rlxc_context *ctx, rlxc_map *map);

/* |value| converted to |dtype| (bool: non-zero). */
int64_t rlxc_wrap_int(rlx_dtype dtype, int64_t value);
/* |value| rounded to the nearest value of floating-point type |dtype|, ties to even. */
double rlxc_round_float(rlx_dtype dtype, double value);
/* Operands and result of integer type |dtype| (comparisons: result is 0 or 1). False: not folded,
 * because it divides by zero or overflows int64. */
bool rlxc_fold_int(rlxc_expr_kind kind, rlx_dtype dtype, int64_t a, int64_t b, int64_t *out);
/* As above for floating point; out_is_bool tells which output was written. */
bool rlxc_fold_float(rlxc_expr_kind kind, rlx_dtype dtype, double a, double b, double *out,
                     bool *out_bool, bool *out_is_bool);
/* The folded cast of a constant, or NULL. */
const rlxc_expr *rlxc_fold_cast(rlxc_context *ctx, rlx_dtype dtype, const rlxc_expr *constant);
/* The simpler expression that |a kind b| (same types, neither vector) always equals, or NULL. */
const rlxc_expr *rlxc_fold_binary(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a,
                                  const rlxc_expr *b);

#endif

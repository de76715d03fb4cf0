/* Symbolic integers: the canonical form of integer expressions, proofs and bounds.
 *
 * Canonical: a sum of products with int64 coefficients, terms and factors in a stable order
 * (variable id, never an address); floordiv, floormod, min, max, select and casts are opaque
 * factors whose operands are canonical themselves, with the usual rules applied ((a*c)//c, (a*c +
 * r)//c with 0 <= r < c, a % 1, min/max of provably ordered operands ...). Equal canonical forms
 * are the same pointer. Arithmetic is overflow-checked: an expression that would overflow stays as
 * written. */
#ifndef RLXC_IR_SYM_H
#define RLXC_IR_SYM_H

#include "compiler/ir/expr.h"

typedef struct rlxc_bound {
    int64_t min, max; /* inclusive; INT64_MIN / INT64_MAX: unknown */
} rlxc_bound;

/* Known ranges of variables; other variables are unbounded, except that nonneg ones are at least 0.
 * Later entries win. */
typedef struct rlxc_bounds {
    RLXC_VEC(const rlxc_expr *) vars;
    RLXC_VEC(rlxc_bound) ranges;
} rlxc_bounds;
void rlxc_bounds_set(rlxc_context *ctx, rlxc_bounds *bounds, const rlxc_expr *var,
                     rlxc_bound range);

/* |bounds| may be NULL everywhere below. */
const rlxc_expr *rlxc_canonical(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds);
/* Canonicalises every integer sub-expression of a TIR value (indices, conditions); floating-point
 * expressions keep their form. */
const rlxc_expr *rlxc_simplify(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds);
rlxc_bound rlxc_bound_of(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds);
bool rlxc_is_index_type(rlx_dtype t); /* scalar int64 or int32 */
/* The interval of all values of an integer type. */
rlxc_bound rlxc_type_range(rlx_dtype t);
bool rlxc_prove_eq(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                   const rlxc_bounds *bounds);
bool rlxc_prove_le(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                   const rlxc_bounds *bounds);
bool rlxc_prove_lt(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                   const rlxc_bounds *bounds);
bool rlxc_prove_ne(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                   const rlxc_bounds *bounds);
/* Product of dims as a canonical expression (1 for none). */
const rlxc_expr *rlxc_product(rlxc_context *ctx, const rlxc_expr *const *dims, uint32_t n);
/* e = coefficient * var + rest, rest free of |var|; false when e is not linear in it. */
bool rlxc_linear_in(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *var,
                    int64_t *out_coefficient, const rlxc_expr **out_rest);
/* Evaluates with all variables given; false on a missing variable, overflow or division by zero. */
bool rlxc_evaluate(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *const *vars,
                   const int64_t *values, uint32_t n, int64_t *out);

#endif

/* Polynomials over opaque integer factors, the working form of canonicalisation. Private to sym*.c.
 *
 * A polynomial is a sorted sum of terms, a term an int64 coefficient times a sorted list of factors
 * (variables, and canonical floordiv, min, max, select, cast, load, ... nodes). x % d with d a
 * constant or a single term is kept as x - d * (x // d), so that a // c * c + a % c becomes a;
 * rlxc_poly_build recovers the remainders. Functions that return a polynomial return NULL when it
 * would overflow, be too large or too deep: the caller then leaves its expression as written.
 *
 * All memory comes from scratch slabs that each public call of sym.h reuses. */
#ifndef RLXC_IR_SYM_STATE_H
#define RLXC_IR_SYM_STATE_H

#include "compiler/ir/expr_state.h"
#include "compiler/ir/sym.h"

enum {
    RLXC_POLY_TERMS = 32,
    RLXC_POLY_FACTORS = 24,
    /* Raw expressions deeper than the first limit stay as they are, and factors deeper than the
     * second are refused, so that the built expression (factor + terms + factors deep) stays within
     * RLXC_MAX_EXPR_DEPTH. */
    RLXC_SYM_RAW_DEPTH = 96,
    RLXC_SYM_FACTOR_DEPTH = 120,
    RLXC_SYM_WORK = 4096 /* sums computed in one call before the rest is left as written */
};
_Static_assert((int)RLXC_SYM_FACTOR_DEPTH + (int)RLXC_POLY_TERMS + (int)RLXC_POLY_FACTORS + 4 <
                   (int)RLXC_MAX_EXPR_DEPTH,
               "building a canonical form must not run into the depth limit");

typedef struct rlxc_term {
    int64_t coef;
    uint32_t n;
    const rlxc_expr *const *factors; /* sorted by rlxc_expr_order */
} rlxc_term;

typedef struct rlxc_poly {
    rlx_dtype dtype; /* int64 or int32: coefficients fit it */
    uint32_t n;
    const rlxc_term *terms; /* sorted: higher degree first, the constant last */
    /* Set by rlxc_poly_build: */
    const rlxc_expr *built;
    const rlxc_term *shown; /* the terms of |built|, remainders recognised */
    uint32_t n_shown;
} rlxc_poly;

/* A sum under construction. */
typedef struct rlxc_sum {
    rlx_dtype dtype;
    bool failed; /* overflow, or too many terms */
    uint32_t n;
    rlxc_term terms[RLXC_POLY_TERMS];
} rlxc_sum;

typedef struct rlxc_slab {
    struct rlxc_slab *next;
    char bytes[64 << 10];
} rlxc_slab;

/* Kept in the context between calls. */
typedef struct rlxc_sym_cache {
    rlxc_map canonical; /* expression -> canonical form without bounds */
    rlxc_slab *slabs;
} rlxc_sym_cache;

/* One public call. */
typedef struct rlxc_sym {
    rlxc_context *ctx;
    const rlxc_bounds *bounds;
    rlxc_sym_cache *cache;
    rlxc_slab *slab; /* being filled; NULL: none yet */
    size_t used;
    uint32_t work;
    rlxc_map polys;  /* integer expression -> rlxc_poly */
    rlxc_map others; /* other expression -> simplified */
    rlxc_map ranges; /* expression -> rlxc_bound */
    rlxc_map ends;   /* expression -> which ends of its range are those of sizes (sym_bound.c) */
} rlxc_sym;

/* sym.c */
rlxc_sym rlxc_sym_begin(rlxc_context *ctx, const rlxc_bounds *bounds);
void rlxc_sym_end(rlxc_sym *s);
void *rlxc_sym_alloc(rlxc_sym *s, size_t size); /* size is at most a slab */
rlxc_poly *rlxc_poly_of(rlxc_sym *s,
                        const rlxc_expr *e); /* NULL only for e deeper than RAW_DEPTH */
const rlxc_expr *rlxc_canon(rlxc_sym *s, const rlxc_expr *e);

/* sym_poly.c */
int rlxc_expr_order(const rlxc_expr *a, const rlxc_expr *b); /* structural; variables by id */
rlxc_sum *rlxc_sum_new(rlxc_sym *s, rlx_dtype dtype);
void rlxc_sum_add(rlxc_sum *sum, int64_t coef, const rlxc_expr *const *factors, uint32_t n);
rlxc_poly *rlxc_sum_poly(rlxc_sym *s, const rlxc_sum *sum);
bool rlxc_term_same(const rlxc_term *a, const rlxc_term *b); /* the same factors */
/* |t| / |d| where the division is exact. */
bool rlxc_term_divide(rlxc_sym *s, const rlxc_term *t, const rlxc_term *d, rlxc_term *out);
rlxc_poly *rlxc_poly_const(rlxc_sym *s, rlx_dtype dtype, int64_t value);
rlxc_poly *rlxc_poly_atom(rlxc_sym *s, const rlxc_expr *e);
rlxc_poly *rlxc_poly_add(rlxc_sym *s, const rlxc_poly *a, int64_t scale, const rlxc_poly *b);
rlxc_poly *rlxc_poly_mul(rlxc_sym *s, const rlxc_poly *a, const rlxc_poly *b);
rlxc_poly *rlxc_poly_scale(rlxc_sym *s, const rlxc_poly *a, const rlxc_term *by);
/* The polynomial of |n| terms whose factors may be remainders. */
rlxc_poly *rlxc_poly_expand(rlxc_sym *s, rlx_dtype dtype, const rlxc_term *terms, uint32_t n);
bool rlxc_poly_is_const(const rlxc_poly *p, int64_t *out);

/* sym_build.c */
const rlxc_expr *rlxc_poly_build(rlxc_sym *s, rlxc_poly *p);

/* sym_div.c: |kind| is one of FLOORDIV, FLOORMOD, DIV, MOD */
rlxc_poly *rlxc_poly_divide(rlxc_sym *s, rlxc_expr_kind kind, rlxc_poly *a, rlxc_poly *b);

/* sym_bound.c */
rlxc_bound rlxc_sym_bound(rlxc_sym *s, const rlxc_expr *canonical);
bool rlxc_poly_nonneg(rlxc_sym *s, rlxc_poly *p, uint32_t effort);
/* True if evaluating |p| as an expression cannot wrap. Sizes and indices do not overflow; numbers
 * from memory may, and then wrap. Rules that hold for integers but not modulo 2^64 (order,
 * quotients) apply only if this is true. */
bool rlxc_poly_exact(rlxc_sym *s, rlxc_poly *p);
enum { RLXC_SYM_EFFORT = 4 };

#endif

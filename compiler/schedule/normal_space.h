/* Integer variables as digits of others, and positions as sums of products, shared by the files of
 * normal form.
 *
 * A space is a list of variables with their extents, from 0, and expressions over them. Joining
 * replaces i0 * 16 + i1 (i1 < 16) by one variable, cutting replaces v // 16 and v % 16 by two. Each
 * point of the old box stands for one point of the new one. Everything is computed in int64. */
#ifndef RLXC_SCHEDULE_NORMAL_SPACE_H
#define RLXC_SCHEDULE_NORMAL_SPACE_H

#include "compiler/schedule/normal.h"

enum { RLXC_SPACE_EXPRS = RLXC_NEST_AXES + RLXC_NEST_LOOPS };

typedef struct rlxc_space {
    rlxc_context *ctx;
    const rlxc_expr *vars[RLXC_NEST_LOOPS], *extents[RLXC_NEST_LOOPS];
    const rlxc_expr *values[RLXC_NEST_LOOPS]; /* of the variables, in what the caller began with;
                                               * NULL: the caller does not ask */
    bool reduces[RLXC_NEST_LOOPS];            /* variables of both kinds are not joined */
    uint32_t n;
    const rlxc_expr *exprs[RLXC_SPACE_EXPRS]; /* |n_axes| values of axes, then others */
    uint32_t n_axes, n_exprs;
    uint32_t work;  /* limit of visited nodes: an expression may be far larger as a tree than in
                     * memory */
    uint32_t below; /* the number of operators around the node other than sums and products:
                     * a narrowing cast below them changes the result */
    const rlxc_bounds *bounds; /* of variables, to prove that a narrowing cast is exact; or NULL */
    bool failed;
} rlxc_space;

/* Counts a visited node; false: the space has failed. */
bool rlxc_space_goes_on(rlxc_space *s);
/* Appends a variable of int64; NULL: there is no room. */
const rlxc_expr *rlxc_space_add(rlxc_space *s, const char *name, const rlxc_expr *extent,
                                const rlxc_expr *value, bool reduces);
void rlxc_space_remove(rlxc_space *s, uint32_t i);
/* Removes a variable that is always 0; false: there is none. */
bool rlxc_space_drop_unit(rlxc_space *s);

/* |e| with |to| for the variables |from|, all integers as int64; fails for anything but integer
 * arithmetic and comparisons. */
const rlxc_expr *rlxc_space_widened(rlxc_space *s, const rlxc_expr *e, const rlxc_expr *const *from,
                                    const rlxc_expr *const *to, uint32_t n);
/* True if |count| times |size| is proved to be at least |extent|. */
bool rlxc_covers(rlxc_context *ctx, const rlxc_expr *count, int64_t size, const rlxc_expr *extent);
/* Notes in |bounds| that |var| counts from |min| for |extent| steps, if those are 0 and a number.
 */
void rlxc_bound_loop(rlxc_context *ctx, rlxc_bounds *bounds, const rlxc_expr *var,
                     const rlxc_expr *min, const rlxc_expr *extent);
/* The number of quotients and remainders in |e|. */
uint32_t rlxc_divisions_in(rlxc_context *ctx, const rlxc_expr *e);
/* |cond|, high == last and least <= low, where high is at most last and low counts from 0, as a
 * limit on high * n + low, of which low is the lower digit; NULL: it is something else. */
const rlxc_expr *rlxc_digit_limit(rlxc_context *ctx, const rlxc_expr *cond,
                                  const rlxc_bounds *bounds);
/* True if no part of |e|, arithmetic of integers, leaves the range of its type; |bounds| are those
 * of |to|. */
bool rlxc_space_fits(rlxc_space *s, const rlxc_expr *e, const rlxc_expr *const *from,
                     const rlxc_expr *const *to, uint32_t n, const rlxc_bounds *bounds);
/* |e|, an integer, as int64: arithmetic of int32 is computed in int64. */
const rlxc_expr *rlxc_wide(rlxc_context *ctx, const rlxc_expr *e);

/* True if |e| is at least 0 and made of sizes only: it is the same in all iterations of loops. */
bool rlxc_is_size(rlxc_context *ctx, const rlxc_expr *e);

/* A product: |by| times the items, none of which is a product or number. */
enum { RLXC_MOST_FACTORS = 6 };
typedef struct rlxc_factors {
    int64_t by;
    const rlxc_expr *items[RLXC_MOST_FACTORS];
    uint32_t n;
} rlxc_factors;
/* Multiplies |out| by |e|; false: there are too many factors, or numbers too large. */
bool rlxc_add_factors(rlxc_factors *out, const rlxc_expr *e);
/* Sets |out| to |a| / |b| and returns true if each factor of |b| is one of |a|. */
bool rlxc_factors_divide(const rlxc_factors *a, const rlxc_factors *b, rlxc_factors *out);
const rlxc_expr *rlxc_factors_expr(rlxc_context *ctx, const rlxc_factors *f);
/* The distinct coefficients of the terms of |position|, without signs and variables of loops;
 * returns their number, at most |most|. */
uint32_t rlxc_position_steps(rlxc_context *ctx, const rlxc_expr *position, rlxc_factors *steps,
                             uint32_t most);

/* Replaces |e|, a sum of variables below |limit| (NULL: below the range of its digits), by one
 * variable. |condition| is the expression that stated the limit. False without effect if |e| is no
 * such sum, or its variables have other uses. */
bool rlxc_space_join(rlxc_space *s, const rlxc_expr *e, const rlxc_expr *limit, uint32_t condition);
/* Adds the parts of |cond|, comparisons over the variables |from|, as limits on sums of |to|, those
 * of the space. False: not all of them are such. */
bool rlxc_space_take(rlxc_space *s, const rlxc_expr *cond, const rlxc_expr *const *from,
                     const rlxc_expr *const *to, uint32_t n);
/* The same as rlxc_space_join for one of the limits. */
bool rlxc_space_join_limited(rlxc_space *s);
/* Joins two variables that occur only as high * size + low, where size, the extent of low, is
 * symbolic; false: there are none. */
bool rlxc_space_join_symbolic(rlxc_space *s);
/* The same as rlxc_space_join for one of the sums in |e| that are divided. */
bool rlxc_space_join_divided(rlxc_space *s, const rlxc_expr *e);
/* |e| // |by|, both of int64 and at least 0, if nothing remains; else NULL. */
const rlxc_expr *rlxc_exact_quotient(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *by);
/* What is known of the variables, from their extents. */
rlxc_bounds rlxc_space_bounds(const rlxc_space *s);
/* Replaces a variable that the |n| expressions divide by two; false: there is none. */
bool rlxc_space_cut(rlxc_space *s, const rlxc_expr *const *exprs, uint32_t n);

#endif

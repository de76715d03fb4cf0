/* The ranges of indices in PrimFuncs, in terms of loops and of the function's symbols.
 *
 * A walk over a function's statements keeps the enclosing loops, the values of variables and the
 * conditions that hold; from these it derives the minimum and maximum of an affine index. Proofs
 * must hold for any integers that memory, calls and scalar parameters may supply. */
#ifndef RLXC_ANALYSIS_REACH_H
#define RLXC_ANALYSIS_REACH_H

#include "compiler/ir/sym.h"

typedef struct rlxc_reach_loop {
    const rlxc_expr *var, *first, *last; /* in terms of outer loops and symbols */
} rlxc_reach_loop;

typedef struct rlxc_reach {
    rlxc_context *ctx;
    RLXC_VEC(rlxc_reach_loop)
    loops;                              /* enclosing loops that run at least once, outermost first
                                         */
    RLXC_VEC(const rlxc_expr *) bound;  /* axes and lets in scope, */
    RLXC_VEC(const rlxc_expr *) values; /* and their values, made of loops and symbols */
    RLXC_VEC(const rlxc_expr *) facts;  /* that are at least 0 */
    rlxc_bounds bounds;                 /* of loop variables */
} rlxc_reach;

typedef struct rlxc_reach_mark {
    uint32_t loops, bound, facts, bounds;
} rlxc_reach_mark;
rlxc_reach_mark rlxc_reach_scope(const rlxc_reach *r);
void rlxc_reach_leave(rlxc_reach *r, rlxc_reach_mark mark);

/* |value| already consists of loop variables and symbols only (rlxc_reach_resolve). */
void rlxc_reach_bind(rlxc_reach *r, const rlxc_expr *var, const rlxc_expr *value);
const rlxc_expr *rlxc_reach_resolve(rlxc_reach *r, const rlxc_expr *e);
bool rlxc_reach_uses_loops(const rlxc_reach *r, const rlxc_expr *e);
/* The minimum or maximum of |index| over the loops; NULL if it is not known to be affine. */
const rlxc_expr *rlxc_reach_end(rlxc_reach *r, const rlxc_expr *index, bool greatest);

/* True if |e| reads memory or calls a function, so that two evaluations may differ. */
bool rlxc_reach_may_change(rlxc_context *ctx, const rlxc_expr *e);

/* A loop over [min, min + extent), both as written, whose body is walked next. */
void rlxc_reach_enter(rlxc_reach *r, const rlxc_expr *var, const rlxc_expr *min,
                      const rlxc_expr *extent);
/* Records that |cond| holds, or does not. Conditions that read memory are ignored, because memory
 * may change. */
void rlxc_reach_assume(rlxc_reach *r, const rlxc_expr *cond, bool holds);
/* True if 0 <= index < size is proved. */
bool rlxc_reach_inside(rlxc_reach *r, const rlxc_expr *index, const rlxc_expr *size);
/* True if each load in |e| is proved to stay inside its buffer, under the conditions around it. */
bool rlxc_reach_loads_inside(rlxc_reach *r, const rlxc_expr *e);

#endif

/* Where the indices of PrimFuncs reach, in terms of loops and of the function's symbols.
 *
 * A walk over a function's statements keeps the loops around it, what its variables are and what
 * holds there; from these the least and the greatest value of an index follow where it is affine.
 * What has to hold must hold whatever integers memory, calls and scalar parameters give. */
#ifndef RLXC_ANALYSIS_REACH_H
#define RLXC_ANALYSIS_REACH_H

#include "compiler/ir/sym.h"

typedef struct rlxc_reach_loop {
    const rlxc_expr *var, *first, *last; /* in terms of outer loops and symbols */
} rlxc_reach_loop;

typedef struct rlxc_reach {
    rlxc_context *ctx;
    RLXC_VEC(rlxc_reach_loop) loops;    /* that run at least once, outermost first */
    RLXC_VEC(const rlxc_expr *) bound;  /* axes and lets in scope, */
    RLXC_VEC(const rlxc_expr *) values; /* and what they are, made of loops and symbols */
    RLXC_VEC(const rlxc_expr *) facts;  /* that are at least 0 */
    rlxc_bounds bounds;                 /* of loop variables */
} rlxc_reach;

typedef struct rlxc_reach_mark {
    uint32_t loops, bound, facts, bounds;
} rlxc_reach_mark;
rlxc_reach_mark rlxc_reach_scope(const rlxc_reach *r);
void rlxc_reach_leave(rlxc_reach *r, rlxc_reach_mark mark);

/* |value| is made of loops and symbols already (rlxc_reach_resolve). */
void rlxc_reach_bind(rlxc_reach *r, const rlxc_expr *var, const rlxc_expr *value);
const rlxc_expr *rlxc_reach_resolve(rlxc_reach *r, const rlxc_expr *e);
bool rlxc_reach_uses_loops(const rlxc_reach *r, const rlxc_expr *e);
/* The value of |index| at the end of the loops where it is least or greatest; NULL where it is not
 * known to be affine. */
const rlxc_expr *rlxc_reach_end(rlxc_reach *r, const rlxc_expr *index, bool greatest);

/* Whether |e| reads memory or calls: two evaluations may differ. */
bool rlxc_reach_may_change(rlxc_context *ctx, const rlxc_expr *e);

/* A loop over [min, min + extent), both as written, whose body is walked next. */
void rlxc_reach_enter(rlxc_reach *r, const rlxc_expr *var, const rlxc_expr *min,
                      const rlxc_expr *extent);
/* |cond| holds, or does not. Conditions that read memory are forgotten: it may change. */
void rlxc_reach_assume(rlxc_reach *r, const rlxc_expr *cond, bool holds);
/* Whether 0 <= index < size for certain. */
bool rlxc_reach_inside(rlxc_reach *r, const rlxc_expr *index, const rlxc_expr *size);

#endif

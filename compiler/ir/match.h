/* The backtracking search shared by the matchers of expressions (match_expr.h) and of operators
 * (compiler/passes/pattern.h): solves a list of goals, each a pattern against a term, from the
 * front. Alternatives of a pattern, such as operands in either order, are tried one after the other
 * together with all later goals; captures of a failed alternative are undone. So a later capture
 * can decide the order of earlier operands.
 *
 * A matcher supplies |expand|, which replaces the first goal by goals for its operands, in each way
 * that the pattern allows. |so_far| holds the captures and is never changed in place; |out|
 * receives those of the solution. The search gives up and returns false after RLXC_MATCH_STEPS
 * goals. */
#ifndef RLXC_IR_MATCH_H
#define RLXC_IR_MATCH_H

#include "compiler/ir/relax.h"

enum { RLXC_MATCH_STEPS = 20000, RLXC_MATCH_DEPTH = 1000 /* goals solved at a time */ };

typedef struct rlxc_goal { /* a list that ends with NULL */
    const void *pattern;
    rlxc_atom term;
    const struct rlxc_goal *next;
} rlxc_goal;

typedef struct rlxc_search rlxc_search;
struct rlxc_search {
    bool (*expand)(rlxc_search *s, const rlxc_goal *goal, const void *so_far, void *out);
    bool (*accept)(rlxc_search *s, const void *so_far, void *out); /* no goals left */
    uint32_t steps, depth;
};

bool rlxc_solve(rlxc_search *s, const rlxc_goal *goals, const void *so_far, void *out);
/* |pattern| against |term|, or |a| against |x| and |b| against |y|, before the goals |next|. */
bool rlxc_solve_one(rlxc_search *s, const void *pattern, rlxc_atom term, const rlxc_goal *next,
                    const void *so_far, void *out);
bool rlxc_solve_two(rlxc_search *s, const void *a, rlxc_atom x, const void *b, rlxc_atom y,
                    const rlxc_goal *next, const void *so_far, void *out);

#endif

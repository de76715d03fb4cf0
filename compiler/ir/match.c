/* Solves lists of goals (match.h). */
#include "compiler/ir/match.h"

bool rlxc_solve(rlxc_search *s, const rlxc_goal *goals, const void *so_far, void *out)
{
    if (++s->steps > RLXC_MATCH_STEPS || s->depth >= RLXC_MATCH_DEPTH)
        return false;
    s->depth++;
    const bool solved = goals ? s->expand(s, goals, so_far, out) : s->accept(s, so_far, out);
    s->depth--;
    return solved;
}

bool rlxc_solve_one(rlxc_search *s, const void *pattern, rlxc_atom term, const rlxc_goal *next,
                    const void *so_far, void *out)
{
    const rlxc_goal goal = {pattern, term, next};
    return rlxc_solve(s, &goal, so_far, out);
}

bool rlxc_solve_two(rlxc_search *s, const void *a, rlxc_atom x, const void *b, rlxc_atom y,
                    const rlxc_goal *next, const void *so_far, void *out)
{
    const rlxc_goal second = {b, y, next};
    return rlxc_solve_one(s, a, x, &second, so_far, out);
}

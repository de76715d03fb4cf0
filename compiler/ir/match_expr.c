/* The commutative matcher (match_expr.h). Expressions are hash-consed, so a pattern without
 * captures matches by pointer; otherwise both orders of operands are tried, and captures of a
 * failed order are undone. */
#include "compiler/ir/match_expr.h"

#include "compiler/ir/match.h"

enum { MOST_OPERANDS = 16 };

const rlxc_expr *rlxc_capture(rlxc_context *ctx, rlxc_captures *c, rlx_dtype dtype)
{
    const rlxc_expr *var = rlxc_var(ctx, "any", dtype);
    if (c->n < RLXC_CAPTURES)
        c->vars[c->n++] = var;
    return var;
}

static bool commutes(rlxc_expr_kind kind)
{
    return kind == RLXC_EXPR_ADD || kind == RLXC_EXPR_MUL || kind == RLXC_EXPR_MIN ||
           kind == RLXC_EXPR_MAX || kind == RLXC_EXPR_AND || kind == RLXC_EXPR_OR ||
           kind == RLXC_EXPR_EQ || kind == RLXC_EXPR_NE;
}

/* The comparison with its operands exchanged. */
static rlxc_expr_kind turned(rlxc_expr_kind kind)
{
    return kind == RLXC_EXPR_LT   ? RLXC_EXPR_GT
           : kind == RLXC_EXPR_GT ? RLXC_EXPR_LT
           : kind == RLXC_EXPR_LE ? RLXC_EXPR_GE
           : kind == RLXC_EXPR_GE ? RLXC_EXPR_LE
           : commutes(kind)       ? kind
                                  : RLXC_EXPR_VAR;
}

static rlxc_atom term(const rlxc_expr *e)
{
    return (rlxc_atom){.kind = RLXC_ATOM_PRIM, .prim = e};
}

/* |p| against |x|, |q| against |y|. Where nothing is captured, what follows cannot depend on how
 * these matched: each is solved by itself (expand), so that no way is tried twice. */
static bool match_two(rlxc_search *s, const rlxc_expr *p, const rlxc_expr *x, const rlxc_expr *q,
                      const rlxc_expr *y, const rlxc_goal *next, const rlxc_captures *so_far,
                      rlxc_captures *out)
{
    if (so_far->n > 0)
        return rlxc_solve_two(s, p, term(x), q, term(y), next, so_far, out);
    return rlxc_solve_one(s, p, term(x), NULL, so_far, out) &&
           rlxc_solve_one(s, q, term(y), NULL, so_far, out);
}

/* Operands in their order. */
static bool match_all(rlxc_search *s, const rlxc_expr *const *p, const rlxc_expr *const *e,
                      uint32_t n, const rlxc_goal *next, const rlxc_captures *so_far,
                      rlxc_captures *out)
{
    if (n == 0)
        return rlxc_solve(s, next, so_far, out);
    rlxc_goal goals[MOST_OPERANDS];
    if (n > MOST_OPERANDS)
        return false;
    for (uint32_t i = 0; i < n; i++)
        goals[i] = (rlxc_goal){p[i], term(e[i]), i + 1 < n ? &goals[i + 1] : next};
    return rlxc_solve(s, goals, so_far, out);
}

static bool match_operands(rlxc_search *s, const rlxc_expr *p, const rlxc_expr *e,
                           const rlxc_goal *next, const rlxc_captures *so_far, rlxc_captures *out)
{
    const rlxc_expr_kind kind = (rlxc_expr_kind)p->kind;
    if (rlxc_is_binary(p)) {
        const rlxc_expr *a = p->bin.a, *b = p->bin.b;
        if (!rlxc_is_binary(e))
            return false;
        return (p->kind == e->kind && match_two(s, a, e->bin.a, b, e->bin.b, next, so_far, out)) ||
               (turned(kind) == (rlxc_expr_kind)e->kind &&
                match_two(s, a, e->bin.b, b, e->bin.a, next, so_far, out));
    }
    if (p->kind != e->kind)
        return false;
    if (kind == RLXC_EXPR_NOT || kind == RLXC_EXPR_CAST)
        return rlxc_solve_one(s, p->bin.a, term(e->bin.a), next, so_far, out);
    if (kind == RLXC_EXPR_SELECT) {
        const rlxc_expr *from[3] = {p->select.cond, p->select.yes, p->select.no},
                        *to[3] = {e->select.cond, e->select.yes, e->select.no};
        return match_all(s, from, to, 3, next, so_far, out);
    }
    if (kind == RLXC_EXPR_LOAD)
        return p->load.buffer == e->load.buffer && p->load.n == e->load.n &&
               match_all(s, p->load.indices, e->load.indices, p->load.n, next, so_far, out);
    return kind == RLXC_EXPR_CALL && p->call.name == e->call.name && p->call.n == e->call.n &&
           match_all(s, p->call.args, e->call.args, p->call.n, next, so_far, out);
}

static bool expand(rlxc_search *s, const rlxc_goal *goal, const void *so_far, void *out)
{
    const rlxc_expr *p = goal->pattern, *e = goal->term.prim;
    rlxc_captures now = *(const rlxc_captures *)so_far;
    if (!rlxc_dtype_eq(p->dtype, e->dtype))
        return false;
    for (uint32_t i = 0; i < now.n; i++) {
        if (now.vars[i] != p)
            continue;
        if (now.values[i] && !rlxc_same(now.values[i], e))
            return false;
        now.values[i] = now.values[i] ? now.values[i] : e;
        return rlxc_solve(s, goal->next, &now, out);
    }
    if (p == e)
        return rlxc_solve(s, goal->next, so_far, out);
    if (now.n > 0)
        return match_operands(s, p, e, goal->next, so_far, out);
    return match_operands(s, p, e, NULL, so_far, out) && rlxc_solve(s, goal->next, so_far, out);
}

static bool accept(rlxc_search *s, const void *so_far, void *out)
{
    (void)s;
    *(rlxc_captures *)out = *(const rlxc_captures *)so_far;
    return true;
}

bool rlxc_match(const rlxc_expr *pattern, const rlxc_expr *e, rlxc_captures *captures)
{
    const rlxc_captures before = *captures;
    rlxc_search s = {.expand = expand, .accept = accept};
    return rlxc_solve_one(&s, pattern, term(e), NULL, &before, captures);
}

bool rlxc_same(const rlxc_expr *a, const rlxc_expr *b)
{
    rlxc_captures none = {.n = 0};
    return a == b || rlxc_match(a, b, &none);
}

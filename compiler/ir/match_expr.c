/* The commutative matcher (match_expr.h). Expressions are hash-consed, so a pattern without
 * captures matches by pointer; otherwise both orders of operands are tried, and captures of a
 * failed order are undone. */
#include "compiler/ir/match_expr.h"

#include <string.h>

enum { MOST_STEPS = 20000 };

typedef struct matching {
    rlxc_captures *captures;
    uint32_t steps;
} matching;

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

static bool match(matching *m, const rlxc_expr *p, const rlxc_expr *e);

static bool match_all(matching *m, const rlxc_expr *const *p, const rlxc_expr *const *e, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!match(m, p[i], e[i]))
            return false;
    return true;
}

static bool match_pair(matching *m, const rlxc_expr *p, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_captures before = *m->captures;
    if (match(m, p->bin.a, a) && match(m, p->bin.b, b))
        return true;
    *m->captures = before;
    return false;
}

static bool match_children(matching *m, const rlxc_expr *p, const rlxc_expr *e)
{
    const rlxc_expr_kind kind = (rlxc_expr_kind)p->kind;
    if (rlxc_is_binary(p)) {
        if (!rlxc_is_binary(e))
            return false;
        return (p->kind == e->kind && match_pair(m, p, e->bin.a, e->bin.b)) ||
               (turned(kind) == (rlxc_expr_kind)e->kind && match_pair(m, p, e->bin.b, e->bin.a));
    }
    if (p->kind != e->kind)
        return false;
    if (kind == RLXC_EXPR_NOT || kind == RLXC_EXPR_CAST)
        return match(m, p->bin.a, e->bin.a);
    if (kind == RLXC_EXPR_SELECT)
        return match(m, p->select.cond, e->select.cond) && match(m, p->select.yes, e->select.yes) &&
               match(m, p->select.no, e->select.no);
    if (kind == RLXC_EXPR_LOAD)
        return p->load.buffer == e->load.buffer && p->load.n == e->load.n &&
               match_all(m, p->load.indices, e->load.indices, p->load.n);
    return kind == RLXC_EXPR_CALL && p->call.name == e->call.name && p->call.n == e->call.n &&
           match_all(m, p->call.args, e->call.args, p->call.n);
}

static bool match(matching *m, const rlxc_expr *p, const rlxc_expr *e)
{
    if (++m->steps > MOST_STEPS)
        return false;
    for (uint32_t i = 0; i < m->captures->n; i++) {
        const rlxc_expr *known = m->captures->values[i];
        if (m->captures->vars[i] != p)
            continue;
        if (!rlxc_dtype_eq(p->dtype, e->dtype) || (known && !rlxc_same(known, e)))
            return false;
        m->captures->values[i] = known ? known : e;
        return true;
    }
    return p == e || (rlxc_dtype_eq(p->dtype, e->dtype) && match_children(m, p, e));
}

bool rlxc_match(const rlxc_expr *pattern, const rlxc_expr *e, rlxc_captures *captures)
{
    const rlxc_captures before = *captures;
    matching m = {captures, 0};
    if (match(&m, pattern, e))
        return true;
    *captures = before;
    return false;
}

bool rlxc_same(const rlxc_expr *a, const rlxc_expr *b)
{
    rlxc_captures none = {.n = 0};
    return a == b || rlxc_match(a, b, &none);
}

/* Causal masks as exporters spell them: key positions up to query positions, reshaped to a row and
 * a column, and other conditions beside that, such as padding:
 *
 *     i = arange(0, n), or arange(0, n) + past           (1, 1, n, 1)
 *     j = arange(0, n + past)                            (1, 1, 1, n + past)
 *     seen = logical_and(True, logical_and(less_equal(j, i), padding))
 *
 * What is read here holds for every value of the other conditions. */
#include "compiler/passes/match_causal.h"

#include "compiler/ir/sym.h"

enum {
    MOST_CONDITIONS = 32, /* looked at in one mask: a conjunction may be shared by many others */
    MOST_SUMS = 4         /* that add sizes to a range */
};

static rlxc_atom before_reshaping(const rlxc_matching *t, rlxc_atom x)
{
    for (const rlxc_binding *b; (b = rlxc_match_reshaping(t, x)) != NULL;)
        x = b->args[0];
    return x;
}

rlxc_atom rlxc_match_without_front(rlxc_matching *t, rlxc_atom x)
{
    for (;;) {
        const rlxc_binding *b = rlxc_match_reshaping(t, x);
        if (!b)
            return x;
        const rlxc_sinfo *from = rlxc_match_tensor(t, b->args[0]), *to = rlxc_match_tensor(t, x);
        if (!from || !to || from->ndim >= to->ndim)
            return x;
        for (int32_t i = 1; i <= to->ndim; i++)
            if (i <= from->ndim ? !rlxc_prove_eq(t->g.ctx, from->dims[from->ndim - i],
                                                 to->dims[to->ndim - i], NULL)
                                : !rlxc_is_const(to->dims[to->ndim - i], 1))
                return x;
        x = b->args[0];
    }
}

/* The only element of |x| if it is a size, else NULL. */
static const rlxc_expr *size_in(const rlxc_matching *t, rlxc_atom x)
{
    const rlxc_binding *b = rlxc_match_made_by(t, before_reshaping(t, x), "shape_to_tensor");
    return b && b->args[0].kind == RLXC_ATOM_SHAPE && b->args[0].n == 1 ? b->args[0].dims[0] : NULL;
}

/* |x| is arange(from, ...) in some shape, perhaps with sizes added: sets *from. */
static bool is_range(const rlxc_matching *t, rlxc_atom x, const rlxc_expr **from)
{
    const rlxc_expr *more = rlxc_i64(t->g.ctx, 0), *size;
    const rlxc_binding *b;
    int64_t step;
    x = before_reshaping(t, x);
    for (uint32_t k = 0; k < MOST_SUMS && (b = rlxc_match_made_by(t, x, "add")) != NULL; k++) {
        const uint32_t other = size_in(t, b->args[0]) != NULL;
        size = size_in(t, b->args[1 - other]);
        if (!size)
            return false;
        more = rlxc_add(t->g.ctx, more, size);
        x = before_reshaping(t, b->args[other]);
    }
    b = rlxc_match_made_by(t, x, "arange");
    if (!b || b->n_args != 3)
        return false;
    for (uint32_t i = 0; i < 3; i++)
        if (b->args[i].kind != RLXC_ATOM_PRIM)
            return false;
    *from = rlxc_add(t->g.ctx, b->args[0].prim, more);
    return rlxc_is_int(b->args[2].prim, &step) && step == 1;
}

/* |x| is consecutive numbers along its last dimension but one (|column|) or its last, |n| in all:
 * sets *from. */
static bool is_line(const rlxc_matching *t, rlxc_atom x, bool column, const rlxc_expr *n,
                    const rlxc_expr **from)
{
    const rlxc_sinfo *s = rlxc_match_tensor(t, x);
    if (!s || s->ndim < 2 || !rlxc_prove_eq(t->g.ctx, s->dims[s->ndim - (column ? 2 : 1)], n, NULL))
        return false;
    for (int32_t i = 0; i < s->ndim; i++)
        if (i != s->ndim - (column ? 2 : 1) && !rlxc_is_const(s->dims[i], 1))
            return false;
    return is_range(t, x, from);
}

static bool is_true(rlxc_atom x)
{
    const rlxc_constant *c = x.kind == RLXC_ATOM_CONSTANT ? x.constant : NULL;
    if (!c || !rlxc_dtype_is_bool(c->dtype) || c->nbytes == 0)
        return false;
    for (size_t i = 0; i < c->nbytes; i++)
        if (((const unsigned char *)c->data)[i] == 0)
            return false;
    return true;
}

/* As rlxc_match_causal; *left: how many more conditions may be looked at. */
static const char *find(rlxc_matching *t, rlxc_atom seen, const rlxc_expr *queries,
                        const rlxc_expr *keys, bool *whole, uint32_t *left)
{
    rlxc_context *ctx = t->g.ctx;
    rlxc_match m;
    *whole = true;
    if (*left == 0)
        return NULL;
    --*left;
    seen = rlxc_match_without_front(t, seen);
    const rlxc_binding *both = rlxc_match_made_by(t, seen, "logical_and");
    for (uint32_t i = 0; both && i < 2; i++) {
        const char *found = find(t, both->args[i], queries, keys, whole, left);
        *whole = *whole && is_true(both->args[1 - i]);
        if (found)
            return found;
    }
    const rlxc_expr *first_query, *first_key;
    if (both || !t->part(t, "causal", seen, &m) ||
        !is_line(t, rlxc_match_atom(&m, "i"), true, queries, &first_query) ||
        !is_line(t, rlxc_match_atom(&m, "j"), false, keys, &first_key) ||
        !rlxc_prove_eq(ctx, first_key, rlxc_i64(ctx, 0), NULL))
        return NULL;
    if (rlxc_prove_eq(ctx, first_query, rlxc_i64(ctx, 0), NULL))
        return "TopLeft";
    return rlxc_prove_eq(ctx, first_query, rlxc_sub(ctx, keys, queries), NULL) ? "BottomRight"
                                                                               : NULL;
}

const char *rlxc_match_causal(rlxc_matching *t, rlxc_atom seen, const rlxc_expr *queries,
                              const rlxc_expr *keys, bool *whole)
{
    uint32_t left = MOST_CONDITIONS;
    return find(t, seen, queries, keys, whole, &left);
}

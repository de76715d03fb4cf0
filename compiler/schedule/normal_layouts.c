/* Layouts of temporaries: undoes transform_layout of another tool.
 *
 *   T[j // 16, k, j % 16] = B[k, j]               T[k, j] = B[k, j]
 *   ... T[j // 16, k, j % 16] ...                 ... T[k, j] ...
 *
 * Two dimensions become one where the stores split one index over them, or split nothing else: all
 * accesses then have the sum of both digits as their index. Dimensions take the order of the source
 * that a block copies, or that of the block's axes. Any layout of a temporary is right; these are
 * the ones in which copies and their readers have the same indices. */
#include "compiler/schedule/normal_space.h"

enum { MOST_STORES = 8 };

typedef struct layout {
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    const rlxc_stmt *stores[MOST_STORES];
    uint32_t n;
    rlxc_bounds bounds;               /* of loops and axes */
    RLXC_VEC(const rlxc_expr *) axes; /* of blocks, in their order */
} layout;

/* --- the stores ------------------------------------------------------------------------------- */

static void bound(layout *l, const rlxc_expr *var, const rlxc_expr *min, const rlxc_expr *extent)
{
    int64_t n;
    if (rlxc_is_const(min, 0) && rlxc_is_int(extent, &n) && n > 0)
        rlxc_bounds_set(l->ctx, &l->bounds, var, (rlxc_bound){0, n - 1});
}

static bool note(void *user, const rlxc_stmt *s)
{
    layout *l = user;
    if (s->kind == RLXC_STMT_FOR)
        bound(l, s->loop.var, s->loop.min, s->loop.extent);
    for (uint32_t k = 0; s->kind == RLXC_STMT_BLOCK && k < s->block.block->n_axes; k++) {
        const rlxc_axis *axis = &s->block.block->axes[k];
        bound(l, axis->var, axis->min, axis->extent);
        RLXC_PUSH(l->ctx, &l->axes, axis->var);
    }
    if (s->kind == RLXC_STMT_STORE && s->store.buffer == l->buffer && l->n < MOST_STORES)
        l->stores[l->n++] = s;
    return true;
}

/* --- divisions -------------------------------------------------------------------------------- */

typedef struct divisions {
    const rlxc_buffer *except; /* not in indices of its loads */
    const rlxc_expr *const *vars;
    uint32_t n, used; /* divisions; bits of |vars| */
} divisions;

static bool count(void *user, const rlxc_expr *e)
{
    divisions *d = user;
    d->n += e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    for (uint32_t i = 0; d->vars && i < 2; i++)
        d->used |= (uint32_t)(e == d->vars[i]) << i;
    return e->kind != RLXC_EXPR_LOAD || e->load.buffer != d->except;
}

static divisions divisions_in(const layout *l, const rlxc_expr *e, const rlxc_expr *const *vars)
{
    divisions d = {.except = l->buffer, .vars = vars};
    rlxc_expr_visit(l->ctx, e, count, &d);
    return d;
}

/* Index |k| of |store|, simplified; a cast of a variable is the variable. */
static const rlxc_expr *index_of(const layout *l, const rlxc_stmt *store, uint32_t k)
{
    const rlxc_expr *e =
        rlxc_canonical(l->ctx, rlxc_wide(l->ctx, store->store.indices[k]), &l->bounds);
    return e->kind == RLXC_EXPR_CAST && e->bin.a->kind == RLXC_EXPR_VAR ? e->bin.a : e;
}

/* --- merging dimensions ----------------------------------------------------------------------- */

/* True if all values of |var| are below |n|, and some are not below n - 1. */
static bool is_digit(const layout *l, const rlxc_expr *var, int64_t n)
{
    const rlxc_bound b = rlxc_bound_of(l->ctx, var, &l->bounds);
    return var->kind == RLXC_EXPR_VAR && b.min == 0 && b.max == n - 1;
}

/* True if |store| computes its element from the sum of both indices, high * n + low. */
static bool uses_sum(const layout *l, const rlxc_stmt *store, uint32_t high, uint32_t low,
                     int64_t n)
{
    rlxc_context *ctx = l->ctx;
    const rlxc_expr *vars[] = {index_of(l, store, high), index_of(l, store, low)};
    const rlxc_bound range = rlxc_bound_of(ctx, vars[0], &l->bounds);
    int64_t size;
    if (!is_digit(l, vars[1], n) || vars[0]->kind != RLXC_EXPR_VAR || range.min != 0 ||
        range.max == INT64_MAX || __builtin_mul_overflow(range.max + 1, n, &size))
        return false;
    const divisions before = divisions_in(l, store->store.value, vars);
    if (before.used != 3)
        return false;
    const rlxc_expr *sum = rlxc_var(ctx, "sum", RLX_I64), *by = rlxc_i64(ctx, n);
    const rlxc_expr *digits[] = {
        rlxc_cast(ctx, vars[0]->dtype, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, sum, by)),
        rlxc_cast(ctx, vars[1]->dtype, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, sum, by))};
    rlxc_bounds bounds = {0};
    for (uint32_t i = 0; i < l->bounds.vars.count; i++)
        rlxc_bounds_set(ctx, &bounds, l->bounds.vars.items[i], l->bounds.ranges.items[i]);
    rlxc_bounds_set(ctx, &bounds, sum, (rlxc_bound){0, size - 1});
    const rlxc_expr *value =
        rlxc_simplify(ctx, rlxc_substitute(ctx, store->store.value, vars, digits, 2), &bounds);
    return divisions_in(l, value, NULL).n <= before.n;
}

/* True if the stores have dimensions |high| and |low|, of |n| elements, for one index. */
static bool share_index(const layout *l, uint32_t high, uint32_t low, int64_t n)
{
    bool share = false;
    for (uint32_t i = 0; i < l->n; i++) {
        const rlxc_expr *a = index_of(l, l->stores[i], high), *b = index_of(l, l->stores[i], low);
        const uint32_t before = divisions_in(l, a, NULL).n + divisions_in(l, b, NULL).n;
        const rlxc_expr *sum =
            rlxc_add(l->ctx, rlxc_mul(l->ctx, rlxc_wide(l->ctx, a), rlxc_i64(l->ctx, n)),
                     rlxc_wide(l->ctx, b));
        const uint32_t after = divisions_in(l, rlxc_canonical(l->ctx, sum, &l->bounds), NULL).n;
        if (after > before)
            return false;
        share = share || after < before || uses_sum(l, l->stores[i], high, low, n);
    }
    return share;
}

static bool find_pair(const layout *l, uint32_t *high, uint32_t *low)
{
    for (*high = 0; *high < l->buffer->ndim; ++*high)
        for (*low = 0; *low < l->buffer->ndim; ++*low) {
            int64_t n;
            if (*high != *low && rlxc_is_int(l->buffer->shape[*low], &n) && n > 1 &&
                !rlxc_is_const(l->buffer->shape[*high], 1) && share_index(l, *high, *low, n))
                return true;
        }
    return false;
}

/* --- order of dimensions ---------------------------------------------------------------------- */

/* The load that |value| copies, also under a condition; or NULL. */
static const rlxc_expr *copied_load(const rlxc_expr *value)
{
    while (rlxc_is_choice(value))
        value = value->call.args[1];
    return value->kind == RLXC_EXPR_LOAD ? value : NULL;
}

/* The place of the index |e| of a store: the index of |load| that differs by a constant, or else
 * the axis. False: it has none. */
static bool place_of(const layout *l, const rlxc_expr *load, const rlxc_expr *e, uint32_t *place)
{
    for (*place = 0; load && *place < load->load.n; ++*place) {
        const rlxc_expr *by =
            rlxc_sub(l->ctx, rlxc_wide(l->ctx, load->load.indices[*place]), rlxc_wide(l->ctx, e));
        if (rlxc_is_int(rlxc_canonical(l->ctx, by, NULL), &(int64_t){0}))
            return true;
    }
    for (*place = 0; !load && *place < l->axes.count; ++*place)
        if (l->axes.items[*place] == e)
            return true;
    return false;
}

/* The dimensions in the order of their places in one of the stores; false: they have that order, or
 * none. */
static bool find_order(const layout *l, uint32_t *order)
{
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t places[RLX_MAX_NDIM], k = 0;
        bool sorted = true;
        const rlxc_stmt *store = l->stores[i];
        const rlxc_expr *load = copied_load(store->store.value);
        if (load && load->load.buffer == l->buffer)
            load = NULL;
        for (; k < store->store.n; k++) {
            if (!place_of(l, load, index_of(l, store, k), &places[k]))
                break;
            uint32_t to = k;
            for (; to > 0 && places[order[to - 1]] > places[k]; to--)
                order[to] = order[to - 1];
            sorted = sorted && to == k;
            order[to] = k;
        }
        if (k == store->store.n)
            return !sorted;
    }
    return false;
}

/* --- the new layout --------------------------------------------------------------------------- */

typedef struct change {
    rlxc_context *ctx;
    const rlxc_buffer *from;
    bool merges;
    uint32_t high, low;
    uint32_t order[RLX_MAX_NDIM];
} change;

/* |out|: |at| with dimensions merged, high * size + low in the place of high, or in the new order.
 */
static void map(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const change *c = user;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->from->ndim; i++) {
        if (!c->merges)
            out[n++] = at[c->order[i]];
        else if (i == c->high)
            out[n++] = rlxc_canonical(c->ctx,
                                      rlxc_add(c->ctx,
                                               rlxc_mul(c->ctx, rlxc_wide(c->ctx, at[i]),
                                                        rlxc_wide(c->ctx, c->from->shape[c->low])),
                                               rlxc_wide(c->ctx, at[c->low])),
                                      NULL);
        else if (i != c->low)
            out[n++] = at[i];
    }
}

static rlxc_buffer *changed(change *c)
{
    rlxc_buffer *own = rlxc_copy(c->ctx, c->from, sizeof *own);
    const rlxc_expr **shape = rlxc_alloc(c->ctx, c->from->ndim * sizeof *shape);
    for (uint32_t i = 0, n = 0; i < c->from->ndim; i++) {
        if (!c->merges)
            shape[n++] = c->from->shape[c->order[i]];
        else if (i == c->high)
            shape[n++] = rlxc_canonical(c->ctx,
                                        rlxc_mul(c->ctx, rlxc_wide(c->ctx, c->from->shape[i]),
                                                 rlxc_wide(c->ctx, c->from->shape[c->low])),
                                        NULL);
        else if (i != c->low)
            shape[n++] = c->from->shape[i];
    }
    own->ndim -= c->merges;
    own->shape = shape;
    return own;
}

rlxc_buffer *rlxc_plain_layout(rlxc_context *ctx, const rlxc_stmt **stmts, uint32_t n,
                               rlxc_buffer *buffer)
{
    for (bool merges = true; !rlxc_failed(ctx);) {
        layout l = {.ctx = ctx, .buffer = buffer};
        change c = {.ctx = ctx, .from = buffer, .merges = merges};
        if (buffer->strides || buffer->elem_offset || buffer->ndim < 2)
            break;
        for (uint32_t i = 0; i < n; i++)
            rlxc_stmt_visit(stmts[i], note, &l);
        if (l.n == MOST_STORES)
            break;
        if (merges ? !find_pair(&l, &c.high, &c.low) : !find_order(&l, c.order)) {
            if (!merges)
                break;
            merges = false;
            continue;
        }
        rlxc_buffer *own = changed(&c);
        const rlxc_redirection redirection = {ctx, buffer, own, map, &c, false};
        for (uint32_t i = 0; i < n; i++)
            stmts[i] = rlxc_redirect_stmt(&redirection, stmts[i]);
        buffer = own;
        if (!merges)
            break;
    }
    return buffer;
}

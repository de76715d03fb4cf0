/* Layouts of temporaries: undoes transform_layout of another tool.
 *
 *   T[j // 16, k, j % 16] = B[k, j]               T[k, j] = B[k, j]
 *   ... T[j // 16, k, j % 16] ...                 ... T[k, j] ...
 *
 * Two dimensions become one, in the place of the lower digit, where the stores split one index over
 * them, or split nothing else: all accesses then have the sum of both digits as their index. One
 * dimension becomes two where a block stores to such a sum, and computes its element from the
 * digits. Dimensions take the order of the source that a block copies, or that of the block's axes.
 * Any layout of a temporary is right; these are the ones in which copies and their readers have the
 * same indices. */
#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

enum { MOST_STORES = 8 };

typedef struct layout {
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    const rlxc_stmt *stores[MOST_STORES];
    uint32_t n;
    RLXC_VEC(const rlxc_stmt *) readers; /* stores to other buffers */
    rlxc_bounds bounds;                  /* of loops and axes */
    RLXC_VEC(const rlxc_expr *) axes;    /* of blocks, in their order */
    RLXC_VEC(const rlxc_expr *) vars;    /* those and the loops' */
    RLXC_VEC(const rlxc_expr *) wide;    /* int64 variables for |vars| */
} layout;

/* --- the stores ------------------------------------------------------------------------------- */

static void note_var(layout *l, const rlxc_expr *var, const rlxc_expr *min, const rlxc_expr *extent)
{
    const rlxc_expr *wide = rlxc_var(l->ctx, var->var.name, RLX_I64);
    RLXC_PUSH(l->ctx, &l->vars, var);
    RLXC_PUSH(l->ctx, &l->wide, wide);
    rlxc_bound_loop(l->ctx, &l->bounds, var, min, extent);
    rlxc_bound_loop(l->ctx, &l->bounds, wide, min, extent);
}

static bool note(void *user, const rlxc_stmt *s)
{
    layout *l = user;
    if (s->kind == RLXC_STMT_FOR)
        note_var(l, s->loop.var, s->loop.min, s->loop.extent);
    for (uint32_t k = 0; s->kind == RLXC_STMT_BLOCK && k < s->block.block->n_axes; k++) {
        const rlxc_axis *axis = &s->block.block->axes[k];
        note_var(l, axis->var, axis->min, axis->extent);
        RLXC_PUSH(l->ctx, &l->axes, axis->var);
    }
    if (s->kind == RLXC_STMT_STORE && s->store.buffer == l->buffer && l->n < MOST_STORES)
        l->stores[l->n++] = s;
    if (s->kind == RLXC_STMT_STORE && s->store.buffer != l->buffer &&
        rlxc_mentions(l->ctx, s->store.value, l->buffer))
        RLXC_PUSH(l->ctx, &l->readers, s);
    return true;
}

/* |e| over int64 variables for the axes. */
static const rlxc_expr *linear_form(const layout *l, const rlxc_expr *e)
{
    rlxc_space s = {.ctx = l->ctx};
    const rlxc_expr *wide = rlxc_space_widened(&s, e, l->vars.items, l->wide.items, l->wide.count);
    return rlxc_canonical(l->ctx, s.failed ? e : wide, NULL);
}

/* --- indices ---------------------------------------------------------------------------------- */

/* Index |k| of |store|, simplified; a cast of a variable is the variable. */
static const rlxc_expr *index_of(const layout *l, const rlxc_stmt *store, uint32_t k)
{
    const rlxc_expr *e =
        rlxc_canonical(l->ctx, rlxc_wide(l->ctx, store->store.indices[k]), &l->bounds);
    return e->kind == RLXC_EXPR_CAST && e->bin.a->kind == RLXC_EXPR_VAR ? e->bin.a : e;
}

static const rlxc_expr *without_own(void *user, const rlxc_expr *e)
{
    const layout *l = user;
    return e->kind == RLXC_EXPR_LOAD && e->load.buffer == l->buffer
               ? rlxc_cast(l->ctx, e->dtype, rlxc_i64(l->ctx, 0))
               : NULL;
}

/* The value of |store| with 0 for loads of the buffer, whose indices change with the layout. */
static const rlxc_expr *value_of(const layout *l, const rlxc_stmt *store)
{
    return rlxc_expr_rewrite(l->ctx, store->store.value, without_own, (void *)(uintptr_t)l);
}

/* --- merging dimensions ----------------------------------------------------------------------- */

/* True if |var| counts from 0 to n - 1. */
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
    const rlxc_expr *value = value_of(l, store);
    if (!rlxc_expr_uses_var(ctx, value, vars[0]) || !rlxc_expr_uses_var(ctx, value, vars[1]))
        return false;
    const rlxc_expr *sum = rlxc_var(ctx, "sum", RLX_I64), *by = rlxc_i64(ctx, n);
    const rlxc_expr *digits[] = {
        rlxc_cast(ctx, vars[0]->dtype, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, sum, by)),
        rlxc_cast(ctx, vars[1]->dtype, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, sum, by))};
    rlxc_bounds bounds = {0};
    for (uint32_t i = 0; i < l->bounds.vars.count; i++)
        rlxc_bounds_set(ctx, &bounds, l->bounds.vars.items[i], l->bounds.ranges.items[i]);
    rlxc_bounds_set(ctx, &bounds, sum, (rlxc_bound){0, size - 1});
    const rlxc_expr *merged =
        rlxc_simplify(ctx, rlxc_substitute(ctx, value, vars, digits, 2), &bounds);
    return rlxc_divisions_in(ctx, merged) <= rlxc_divisions_in(ctx, value);
}

typedef struct reading {
    const layout *l;
    const rlxc_stmt *store;
    uint32_t high, low;
    int64_t n;
    bool sums;
} reading;

/* True if |sum| has fewer divisions than its digits, or an index of |store| is a multiple of it and
 * something else. */
static bool is_natural(const reading *r, const rlxc_expr *sum, const rlxc_expr *high,
                       const rlxc_expr *low)
{
    rlxc_context *ctx = r->l->ctx;
    bool natural =
        rlxc_divisions_in(ctx, sum) < rlxc_divisions_in(ctx, high) + rlxc_divisions_in(ctx, low);
    for (uint32_t i = 0; i < r->store->store.n && !natural; i++) {
        const rlxc_expr *rest, *at = linear_form(r->l, r->store->store.indices[i]);
        int64_t by;
        if (high->kind != RLXC_EXPR_VAR || low->kind != RLXC_EXPR_VAR ||
            !rlxc_linear_in(ctx, at, low, &by, &rest) || by == 0)
            continue;
        at = rlxc_sub(ctx, at, rlxc_mul(ctx, sum, rlxc_i64(ctx, by)));
        at = rlxc_canonical(ctx, at, NULL);
        natural = !rlxc_expr_uses_var(ctx, at, high) && !rlxc_expr_uses_var(ctx, at, low);
    }
    return natural;
}

static bool find_sum(void *user, const rlxc_expr *e)
{
    reading *r = user;
    rlxc_context *ctx = r->l->ctx;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer != r->l->buffer)
        return r->sums;
    const rlxc_expr *high = linear_form(r->l, e->load.indices[r->high]);
    const rlxc_expr *low = linear_form(r->l, e->load.indices[r->low]);
    const rlxc_expr *sum = rlxc_add(ctx, rlxc_mul(ctx, high, rlxc_i64(ctx, r->n)), low);
    r->sums = is_natural(r, rlxc_canonical(ctx, sum, NULL), high, low);
    return r->sums;
}

/* True if what reads the buffer has one index for both dimensions, too: a sum of partial results
 * has not. */
static bool readers_use_sum(const layout *l, uint32_t high, uint32_t low, int64_t n)
{
    reading r = {.l = l, .high = high, .low = low, .n = n, .sums = true};
    for (uint32_t i = 0; i < l->readers.count && r.sums; i++) {
        r.store = l->readers.items[i];
        rlxc_expr_visit(l->ctx, r.store->store.value, find_sum, &r);
    }
    return r.sums;
}

typedef struct divisor {
    int64_t n;
    bool found;
} divisor;

static bool find_divisor(void *user, const rlxc_expr *e)
{
    divisor *d = user;
    d->found = d->found || ((e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD) &&
                            rlxc_is_const(e->bin.b, d->n));
    return !d->found;
}

/* True if the stores have dimensions |high| and |low|, of |n| elements, for one index. Where the
 * value is computed from both digits, too, the loop is a fused one, which will be cut. */
static bool share_index(const layout *l, uint32_t high, uint32_t low, int64_t n)
{
    bool share = false;
    for (uint32_t i = 0; i < l->n; i++) {
        const rlxc_expr *a = index_of(l, l->stores[i], high), *b = index_of(l, l->stores[i], low);
        const uint32_t before = rlxc_divisions_in(l->ctx, a) + rlxc_divisions_in(l->ctx, b);
        const rlxc_expr *sum =
            rlxc_add(l->ctx, rlxc_mul(l->ctx, rlxc_wide(l->ctx, a), rlxc_i64(l->ctx, n)),
                     rlxc_wide(l->ctx, b));
        const uint32_t after = rlxc_divisions_in(l->ctx, rlxc_canonical(l->ctx, sum, &l->bounds));
        divisor d = {n, false};
        const bool both = after + 1 < before; /* quotient and remainder are gone */
        if (both)
            rlxc_expr_visit(l->ctx, l->stores[i]->store.value, find_divisor, &d);
        if (after > before || d.found)
            return false;
        share = share || both ||
                (uses_sum(l, l->stores[i], high, low, n) && readers_use_sum(l, high, low, n));
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

/* --- splitting dimensions --------------------------------------------------------------------- */

typedef struct parting {
    const layout *l;
    const rlxc_expr *sum, *var; /* the first digit of the sum */
    int64_t by;                 /* its coefficient */
    bool apart;
} parting;

/* True if |e| uses the variables of the sum in the sum only. */
static bool uses_whole(const parting *p, const rlxc_expr *e)
{
    rlxc_context *ctx = p->l->ctx;
    rlxc_space s = {.ctx = ctx};
    const rlxc_expr *rest, *whole = rlxc_var(ctx, "sum", RLX_I64);
    e = rlxc_space_widened(&s, e, p->l->vars.items, p->l->wide.items, p->l->wide.count);
    int64_t times = 0;
    uint32_t k = 0;
    while (k < p->l->wide.count && times != 1)
        if (!rlxc_linear_in(ctx, p->sum, p->l->wide.items[k++], &times, &rest))
            return false;
    if (times != 1 || s.failed)
        return false;
    const rlxc_expr *lowest = rlxc_sub(ctx, whole, rest);
    e = rlxc_substitute(ctx, e, &p->l->wide.items[k - 1], &lowest, 1);
    e = rlxc_canonical(ctx, e, NULL);
    for (k = 0; k < p->l->wide.count; k++)
        if (rlxc_expr_uses_var(ctx, p->sum, p->l->wide.items[k]) &&
            rlxc_expr_uses_var(ctx, e, p->l->wide.items[k]))
            return false;
    return true;
}

/* Looks for indices that use the first digit, but not in the sum. */
static bool find_apart(void *user, const rlxc_expr *e)
{
    parting *p = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return true;
    for (uint32_t i = 0; i < e->load.n && !p->apart; i++)
        p->apart = rlxc_expr_uses_var(p->l->ctx, linear_form(p->l, e->load.indices[i]), p->var) &&
                   !uses_whole(p, e->load.indices[i]);
    return true;
}

/* The size of a digit of dimension |at| where a block stores to a sum, and computes its element
 * from the digits. */
static bool find_digit(const layout *l, uint32_t *at, int64_t *by)
{
    rlxc_context *ctx = l->ctx;
    for (uint32_t i = 0; i < l->n; i++)
        for (*at = 0; *at < l->buffer->ndim; ++*at) {
            parting p = {.l = l, .sum = linear_form(l, l->stores[i]->store.indices[*at])};
            int64_t size;
            for (uint32_t k = 0; k < l->wide.count; k++) {
                const rlxc_expr *rest;
                int64_t times;
                if (rlxc_linear_in(ctx, p.sum, l->wide.items[k], &times, &rest) && times > p.by) {
                    p.var = l->wide.items[k];
                    p.by = times;
                }
            }
            if (!p.var || p.by < 2 || !rlxc_is_int(l->buffer->shape[*at], &size) ||
                size % p.by != 0)
                continue;
            const rlxc_expr *high = rlxc_mul(ctx, p.var, rlxc_i64(ctx, p.by));
            const rlxc_bound low = rlxc_bound_of(
                ctx, rlxc_canonical(ctx, rlxc_sub(ctx, p.sum, high), NULL), &l->bounds);
            rlxc_expr_visit(ctx, value_of(l, l->stores[i]), find_apart, &p);
            if (p.apart && low.min >= 0 && low.max < p.by && l->buffer->ndim < RLX_MAX_NDIM) {
                *by = p.by;
                return true;
            }
        }
    return false;
}

/* --- order of dimensions ---------------------------------------------------------------------- */

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
        const rlxc_expr *load = rlxc_load_moved(l->ctx, store->store.value);
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

/* --- conditions of padding -------------------------------------------------------------------- */

typedef struct padding {
    const layout *l;
    const rlxc_stmt *store;
} padding;

static bool is_index_of(const rlxc_stmt *store, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < store->store.n; i++)
        if (store->store.indices[i] == var)
            return true;
    return false;
}

/* The limit on the sum of two indices of the store that |cond| states; or NULL. */
static const rlxc_expr *limit(const padding *p, const rlxc_expr *cond)
{
    const rlxc_expr *sum = rlxc_digit_limit(p->l->ctx, cond, &p->l->bounds);
    return sum && is_index_of(p->store, cond->bin.a->bin.a) &&
                   is_index_of(p->store, cond->bin.b->bin.b)
               ? sum
               : NULL;
}

/* The opposite of limits joined by or; NULL: |cond| is something else. */
static const rlxc_expr *below(const padding *p, const rlxc_expr *cond, uint32_t depth)
{
    rlxc_context *ctx = p->l->ctx;
    if (cond->kind == RLXC_EXPR_AND && (cond = limit(p, cond)))
        return rlxc_binary(ctx, RLXC_EXPR_LT, cond->bin.b, cond->bin.a);
    if (!cond || cond->kind != RLXC_EXPR_OR || depth == 0)
        return NULL;
    const rlxc_expr *a = below(p, cond->bin.a, depth - 1);
    const rlxc_expr *b = a ? below(p, cond->bin.b, depth - 1) : NULL;
    return b ? rlxc_binary(ctx, RLXC_EXPR_AND, a, b) : NULL;
}

static const rlxc_expr *with_limits(void *user, const rlxc_expr *e)
{
    const padding *p = user;
    const rlxc_expr *cond = rlxc_is_choice(e) ? below(p, e->call.args[0], RLX_MAX_NDIM) : NULL;
    if (!cond)
        return NULL;
    const rlxc_expr *args[] = {cond, e->call.args[2], e->call.args[1]};
    return rlxc_call(p->l->ctx, e->dtype, e->call.name, args, 3);
}

/* Stores of |l->buffer| with the condition on padding stated for the sum of two digits. */
static const rlxc_stmt *limited(void *user, const rlxc_stmt *s)
{
    const layout *l = user;
    if (s->kind != RLXC_STMT_STORE || s->store.buffer != l->buffer)
        return NULL;
    padding p = {l, s};
    const rlxc_expr *value = rlxc_expr_rewrite_all(l->ctx, s->store.value, with_limits, &p);
    if (value == s->store.value)
        return NULL;
    rlxc_stmt *own = rlxc_copy(l->ctx, s, sizeof *own);
    own->store.value = value;
    return own;
}

/* --- the new layout --------------------------------------------------------------------------- */

typedef enum change_kind { MERGE, SPLIT, ORDER, NONE } change_kind;

typedef struct change {
    const layout *l;
    change_kind kind;
    uint32_t high, low; /* MERGE: the dimensions; SPLIT: the dimension */
    int64_t by;         /* SPLIT: the size of the lower digit */
    uint32_t order[RLX_MAX_NDIM];
} change;

/* Fills |out|, indices or a shape, for those in the old layout; returns their number. */
static uint32_t mapped(const change *c, const rlxc_expr *const *at, const rlxc_expr **out)
{
    rlxc_context *ctx = c->l->ctx;
    const rlxc_buffer *from = c->l->buffer;
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->ndim; i++) {
        const rlxc_expr *e = rlxc_wide(ctx, at[c->kind == ORDER ? c->order[i] : i]);
        if (c->kind == MERGE && i == c->high)
            continue;
        if (c->kind == MERGE && i == c->low) {
            const rlxc_expr *size = rlxc_wide(ctx, from->shape[c->low]);
            const rlxc_expr *high = rlxc_wide(ctx, at[c->high]);
            e = at == from->shape ? rlxc_mul(ctx, high, e)
                                  : rlxc_add(ctx, rlxc_mul(ctx, high, size), e);
        }
        if (c->kind == SPLIT && i == c->high) {
            const rlxc_expr *by = rlxc_i64(ctx, c->by);
            out[n++] =
                rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, e, by), &c->l->bounds);
            e = at == from->shape ? by : rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, e, by);
        }
        out[n++] = rlxc_canonical(ctx, e, &c->l->bounds);
    }
    return n;
}

static void map(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    mapped(user, at, out);
}

static rlxc_buffer *changed(const change *c)
{
    rlxc_context *ctx = c->l->ctx;
    rlxc_buffer *own = rlxc_copy(ctx, c->l->buffer, sizeof *own);
    const rlxc_expr *shape[RLX_MAX_NDIM];
    own->ndim = mapped(c, c->l->buffer->shape, shape);
    own->shape = rlxc_copy(ctx, shape, own->ndim * sizeof *shape);
    return own;
}

rlxc_buffer *rlxc_plain_layout(rlxc_context *ctx, const rlxc_stmt **stmts, uint32_t n,
                               rlxc_buffer *buffer)
{
    change_kind kind = MERGE;
    layout start = {.ctx = ctx, .buffer = buffer};
    for (uint32_t i = 0; i < n; i++)
        rlxc_stmt_visit(stmts[i], note, &start);
    const rlxc_stmt_rewriter rewriter = {.user = &start, .stmt = limited};
    for (uint32_t i = 0; i < n; i++)
        stmts[i] = rlxc_stmt_rewrite(ctx, stmts[i], &rewriter);
    if (buffer->ndim > RLX_MAX_NDIM)
        return buffer;
    while (kind != NONE && !buffer->strides && !buffer->elem_offset && !rlxc_failed(ctx)) {
        layout l = {.ctx = ctx, .buffer = buffer};
        change c = {.l = &l, .kind = kind};
        for (uint32_t i = 0; i < n; i++)
            rlxc_stmt_visit(stmts[i], note, &l);
        if (l.n == MOST_STORES)
            break;
        if (kind == MERGE   ? !find_pair(&l, &c.high, &c.low)
            : kind == SPLIT ? !find_digit(&l, &c.high, &c.by)
                            : !find_order(&l, c.order)) {
            kind++;
            continue;
        }
        rlxc_buffer *own = changed(&c);
        const rlxc_redirection redirection = {ctx, buffer, own, map, &c, false};
        for (uint32_t i = 0; i < n; i++)
            stmts[i] = rlxc_redirect_stmt(&redirection, stmts[i]);
        buffer = own;
        kind += kind == ORDER;
    }
    return buffer;
}

/* Makes the indices of a block's store its axes.
 *
 * Where axes were split inside the block, as blockize leaves them, C[i0 * 16 + i1] is one axis, and
 * so is k0 * 4 + k1 of two reduction axes in the index of a load; C[v // 16, v % 16] is two, and so
 * is a reduction axis of which the loads use digits only (normal_space.h). All axes become int64,
 * and the indices with them: schedules count in int64, and int32 values in such indices would need
 * casts. Indices do not wrap around, but values of 32 bits do: those are computed in int64 only
 * where that is proved to make no difference. */
#include "compiler/schedule/normal_space.h"

enum {
    MOST_DIVISORS = 8, /* of one axis */
    MOST_ROUNDS = 32   /* of joining and cutting: with more they undo each other */
};

typedef struct joining {
    rlxc_space s;
    const rlxc_block *block;
    const rlxc_expr *from[RLXC_NEST_AXES], *to[RLXC_NEST_AXES]; /* the axes, int64 variables */
    rlxc_bounds bounds;                                         /* of the latter */
    const rlxc_expr *found[RLXC_SPACE_EXPRS]; /* what s.exprs are made from: the largest parts of
                                               * the block's expressions that are arithmetic of axes
                                               */
} joining;

static bool is_signed(rlx_dtype t)
{
    return t.code == RLX_INT && t.bits >= 32 && t.lanes == 1;
}

/* True for arithmetic of signed integers that are variables or constants. */
static bool is_index(joining *j, const rlxc_expr *e)
{
    if (!rlxc_space_goes_on(&j->s) || !is_signed(e->dtype))
        return false;
    if (e->kind == RLXC_EXPR_CAST)
        return is_index(j, e->bin.a);
    return e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_INT ||
           (rlxc_is_binary(e) && is_index(j, e->bin.a) && is_index(j, e->bin.b));
}

static bool uses_axis(const joining *j, const rlxc_expr *e)
{
    for (uint32_t k = 0; k < j->block->n_axes; k++)
        if (rlxc_expr_uses_var(j->s.ctx, e, j->block->axes[k].var))
            return true;
    return false;
}

/* True if no part of |e|, which is_index, leaves the range of its type. */
static bool fits(joining *j, const rlxc_expr *e)
{
    return rlxc_space_fits(&j->s, e, j->from, j->to, j->block->n_axes, &j->bounds);
}

/* --- finding ---------------------------------------------------------------------------------- */

static void note(joining *j, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < j->s.n_exprs; i++)
        if (j->found[i] == e)
            return;
    if (!uses_axis(j, e))
        return;
    if (j->s.n_exprs == RLXC_SPACE_EXPRS) {
        j->s.failed = true;
        return;
    }
    j->found[j->s.n_exprs] = e;
    j->s.exprs[j->s.n_exprs++] = rlxc_space_widened(&j->s, e, j->from, j->to, j->block->n_axes);
}

static void find_in_index(joining *j, const rlxc_expr *e);

static const rlxc_expr *find(void *user, const rlxc_expr *e)
{
    joining *j = user;
    if (e->kind == RLXC_EXPR_LOAD) {
        for (uint32_t i = 0; i < e->load.n; i++)
            find_in_index(j, e->load.indices[i]);
        return e;
    }
    if (!is_index(j, e) || !fits(j, e))
        return NULL;
    note(j, e);
    return e;
}

/* As renewed_index replaces it. */
static void find_in_index(joining *j, const rlxc_expr *e)
{
    if (is_index(j, e)) {
        note(j, e);
    } else if (is_signed(e->dtype) && rlxc_is_binary(e)) {
        find_in_index(j, e->bin.a);
        find_in_index(j, e->bin.b);
    } else {
        rlxc_expr_rewrite_all(j->s.ctx, e, find, j);
    }
}

/* An axis of an unknown extent is less than it, and so less than the largest number. */
static void set_bound(joining *j, uint32_t k)
{
    int64_t extent;
    rlxc_bound b = {0, rlxc_type_range(j->from[k]->dtype).max - 1};
    if (rlxc_is_int(j->block->axes[k].extent, &extent))
        b.max = extent > 0 ? extent - 1 : 0;
    rlxc_bounds_set(j->s.ctx, &j->bounds, j->to[k], b);
}

/* The store's indices come first. */
static bool begin(joining *j, const rlxc_expr *const *values)
{
    const rlxc_block *b = j->block;
    const rlxc_stmt *const stores[] = {b->body, b->init};
    rlxc_space *s = &j->s;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        const rlxc_axis *axis = &b->axes[k];
        if (!is_signed(axis->var->dtype) || !rlxc_is_const(axis->min, 0) ||
            (axis->kind != RLXC_AXIS_SPATIAL && axis->kind != RLXC_AXIS_REDUCE))
            return false;
        j->from[k] = axis->var;
        j->to[k] =
            rlxc_space_add(s, axis->var->var.name,
                           rlxc_canonical(s->ctx, rlxc_cast(s->ctx, RLX_I64, axis->extent), NULL),
                           rlxc_cast(s->ctx, RLX_I64, values[k]), axis->kind == RLXC_AXIS_REDUCE);
        set_bound(j, k);
    }
    for (uint32_t i = 0; i < b->body->store.n; i++)
        find_in_index(j, b->body->store.indices[i]);
    s->n_axes = s->n_exprs;
    for (uint32_t k = 0; k < 2 && stores[k]; k++) {
        for (uint32_t i = 0; i < stores[k]->store.n; i++)
            find_in_index(j, stores[k]->store.indices[i]);
        rlxc_expr_rewrite_all(s->ctx, stores[k]->store.value, find, j);
    }
    return !s->failed;
}

/* --- joining ---------------------------------------------------------------------------------- */

static bool join_stored(rlxc_space *s)
{
    for (uint32_t i = 0; i < s->n_axes; i++)
        if (s->exprs[i]->kind != RLXC_EXPR_VAR &&
            (rlxc_space_join(s, s->exprs[i], NULL, 0) || rlxc_space_join_divided(s, s->exprs[i])))
            return true;
    return false;
}

/* The part of |e| that is made of variable |var|, or (s->n) of the reduction axes. |bounds|: of the
 * variables, or NULL: sums stay under quotients. */
static const rlxc_expr *part_of(const rlxc_space *s, const rlxc_expr *e, uint32_t var,
                                const rlxc_bounds *bounds)
{
    const rlxc_expr *zeros[RLXC_NEST_LOOPS], *others[RLXC_NEST_LOOPS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (var == s->n ? !s->reduces[i] : i != var) {
            others[n] = s->vars[i];
            zeros[n++] = rlxc_i64(s->ctx, 0);
        }
    return rlxc_canonical(s->ctx, rlxc_substitute(s->ctx, e, others, zeros, n), bounds);
}

static bool join_reduced(rlxc_space *s)
{
    for (uint32_t i = s->n_axes; i < s->n_exprs && rlxc_space_goes_on(s); i++) {
        const rlxc_expr *part = part_of(s, s->exprs[i], s->n, NULL);
        if (rlxc_space_join(s, part, NULL, 0) || rlxc_space_join_divided(s, part))
            return true;
    }
    return false;
}

/* The digits of an axis that a block uses. */
typedef struct digits {
    rlxc_context *ctx;
    const rlxc_expr *var, *extent;
    const rlxc_expr *divisors[MOST_DIVISORS];
    uint32_t n;
} digits;

/* True if |by| divides the extent and is less, and one of any two divisors is a multiple of the
 * other: cut at 2, digits modulo 3 would be those of a sum. */
static bool is_digit(digits *d, const rlxc_expr *by)
{
    const rlxc_expr *count = rlxc_exact_quotient(d->ctx, d->extent, by);
    bool fits = count && !rlxc_is_const(count, 1);
    for (uint32_t i = 0; i < d->n && fits; i++) {
        if (d->divisors[i] == by)
            return true;
        fits = rlxc_exact_quotient(d->ctx, d->divisors[i], by) ||
               rlxc_exact_quotient(d->ctx, by, d->divisors[i]);
    }
    if (!fits || d->n == MOST_DIVISORS)
        return false;
    d->divisors[d->n++] = by;
    return true;
}

/* True if |e| uses the axis only in quotients and remainders that are its digits. */
static bool only_digits(digits *d, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_CAST)
        return only_digits(d, e->bin.a);
    if (!rlxc_is_binary(e))
        return !rlxc_expr_uses_var(d->ctx, e, d->var);
    const bool divides = e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    if (divides && e->bin.a == d->var)
        return is_digit(d, e->bin.b);
    return only_digits(d, e->bin.a) && only_digits(d, e->bin.b);
}

/* Cuts a reduction axis of which the block uses digits only. An axis that it also uses whole stays,
 * such as that of a row of weights with a scale for each k // 32. */
static bool cut_reduced(rlxc_space *s)
{
    const rlxc_bounds bounds = rlxc_space_bounds(s);
    for (uint32_t k = 0; k < s->n; k++) {
        const rlxc_expr *parts[RLXC_SPACE_EXPRS];
        digits d = {.ctx = s->ctx, .var = s->vars[k], .extent = s->extents[k]};
        bool cuts = s->reduces[k];
        for (uint32_t i = 0; i < s->n_exprs && cuts; i++) {
            parts[i] = part_of(s, s->exprs[i], k, &bounds);
            cuts = only_digits(&d, s->exprs[i]);
        }
        if (cuts && rlxc_space_goes_on(s) && rlxc_space_cut(s, parts, s->n_exprs))
            return true;
    }
    return false;
}

/* True if the axes are other ones now. */
static bool join(rlxc_space *s)
{
    bool any = false;
    while (!s->failed && (rlxc_space_join_limited(s) || rlxc_space_join_symbolic(s))) {
        any = true;
        while (rlxc_space_drop_unit(s)) {
        }
    }
    for (uint32_t i = 0; !s->failed && (join_stored(s) || rlxc_space_cut(s, s->exprs, s->n_axes) ||
                                        join_reduced(s) || cut_reduced(s));
         i++) {
        s->failed = i == MOST_ROUNDS;
        any = true;
    }
    return any;
}

/* --- the new block ---------------------------------------------------------------------------- */

/* |e|, which is_index, over the new axes. */
static const rlxc_expr *renewed(joining *j, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < j->s.n_exprs; i++)
        if (j->found[i] == e)
            return j->s.exprs[i];
    return rlxc_cast(j->s.ctx, RLX_I64, e);
}

static const rlxc_expr *replace(void *user, const rlxc_expr *e);

static const rlxc_expr *replaced(joining *j, const rlxc_expr *e)
{
    return rlxc_expr_rewrite_all(j->s.ctx, e, replace, j);
}

/* The index |e| of a load as int64, also where it is computed from loaded integers. */
static const rlxc_expr *renewed_index(joining *j, const rlxc_expr *e)
{
    if (is_index(j, e))
        return renewed(j, e);
    if (is_signed(e->dtype) && rlxc_is_binary(e))
        return rlxc_binary(j->s.ctx, (rlxc_expr_kind)e->kind, renewed_index(j, e->bin.a),
                           renewed_index(j, e->bin.b));
    return rlxc_cast(j->s.ctx, RLX_I64, replaced(j, e));
}

static const rlxc_expr *replace(void *user, const rlxc_expr *e)
{
    joining *j = user;
    if (is_index(j, e) && fits(j, e))
        return uses_axis(j, e) ? rlxc_cast(j->s.ctx, e->dtype, renewed(j, e)) : e;
    if (e->kind == RLXC_EXPR_LOAD) {
        const rlxc_expr **at = rlxc_alloc(j->s.ctx, ((size_t)e->load.n + 1) * sizeof *at);
        for (uint32_t i = 0; i < e->load.n; i++)
            at[i] = renewed_index(j, e->load.indices[i]);
        return rlxc_load(j->s.ctx, e->load.buffer, at, e->load.n);
    }
    if (e->kind >= RLXC_EXPR_EQ && e->kind <= RLXC_EXPR_GE && is_index(j, e->bin.a) &&
        is_index(j, e->bin.b) && fits(j, e->bin.a) && fits(j, e->bin.b))
        return rlxc_simplify(j->s.ctx,
                             rlxc_binary(j->s.ctx, (rlxc_expr_kind)e->kind, renewed(j, e->bin.a),
                                         renewed(j, e->bin.b)),
                             NULL);
    return NULL;
}

static const rlxc_stmt *renewed_store(joining *j, const rlxc_stmt *store)
{
    const rlxc_expr **at = rlxc_alloc(j->s.ctx, ((size_t)store->store.n + 1) * sizeof *at);
    for (uint32_t i = 0; i < store->store.n; i++)
        at[i] = renewed_index(j, store->store.indices[i]);
    rlxc_stmt *own = rlxc_copy(j->s.ctx, store, sizeof *own);
    own->store.indices = at;
    own->store.value = replaced(j, store->store.value);
    return own;
}

/* Places the variable |var| of the space next. */
static void place(const joining *j, rlxc_block *own, const rlxc_expr **values, uint32_t var)
{
    const rlxc_space *s = &j->s;
    for (uint32_t k = 0; k < own->n_axes; k++)
        if (own->axes[k].var == s->vars[var])
            return;
    values[own->n_axes] = s->values[var];
    ((rlxc_axis *)(uintptr_t)own->axes)[own->n_axes++] =
        (rlxc_axis){.kind = s->reduces[var] ? RLXC_AXIS_REDUCE : RLXC_AXIS_SPATIAL,
                    .var = s->vars[var],
                    .min = rlxc_i64(s->ctx, 0),
                    .extent = s->extents[var]};
}

/* --- the order of axes ------------------------------------------------------------------------ */

typedef struct places { /* of an axis in the indices that use it */
    rlxc_context *ctx;
    const rlxc_expr *var, *wide;
    uint32_t at; /* the number of the index that is looked at */
    bool found;
    int64_t by; /* its coefficient in the first index that uses it, 0: not linear */
} places;

/* The first of |at| that uses the axis. */
static void find_place(places *p, const rlxc_expr *const *at, uint32_t n)
{
    for (uint32_t i = 0; i < n && !p->found; i++) {
        p->found = rlxc_expr_uses_var(p->ctx, at[i], p->var);
        p->at += !p->found;
        if (!p->found)
            continue;
        rlxc_space s = {.ctx = p->ctx};
        const rlxc_expr *e = rlxc_space_widened(&s, at[i], &p->var, &p->wide, 1), *rest;
        if (s.failed || !rlxc_linear_in(p->ctx, e, p->wide, &p->by, &rest))
            p->by = 0;
    }
}

static bool find_in_load(void *user, const rlxc_expr *e)
{
    places *p = user;
    if (e->kind == RLXC_EXPR_LOAD && !p->found)
        find_place(p, e->load.indices, e->load.n);
    return !p->found;
}

static places places_of(rlxc_context *ctx, const rlxc_block *b, const rlxc_axis *axis)
{
    places p = {.ctx = ctx, .var = axis->var, .wide = rlxc_var(ctx, "axis", RLX_I64)};
    if (axis->kind == RLXC_AXIS_SPATIAL)
        find_place(&p, b->body->store.indices, b->body->store.n);
    else
        rlxc_expr_visit(ctx, b->body->store.value, find_in_load, &p);
    return p;
}

void rlxc_order_axes(rlxc_context *ctx, const rlxc_block *b, rlxc_axis *axes,
                     const rlxc_expr **values)
{
    places all[RLXC_NEST_AXES];
    for (uint32_t k = 0; k < b->n_axes; k++) {
        const rlxc_axis axis = axes[k];
        const rlxc_expr *value = values[k];
        const places p = places_of(ctx, b, &axis);
        uint32_t to = k;
        for (; to > 0; to--) {
            const bool spatial = axes[to - 1].kind == RLXC_AXIS_SPATIAL;
            if (spatial == (axis.kind == RLXC_AXIS_SPATIAL)
                    ? p.at > all[to - 1].at || (p.at == all[to - 1].at && p.by <= all[to - 1].by)
                    : spatial)
                break;
            axes[to] = axes[to - 1];
            values[to] = values[to - 1];
            all[to] = all[to - 1];
        }
        axes[to] = axis;
        values[to] = value;
        all[to] = p;
    }
}

/* Adds the limits on sums of axes that |cond| states, if they are sizes: others may be variables of
 * loops that are no axes. */
static void take_limits(joining *j, const rlxc_expr *cond, const rlxc_expr *const *values)
{
    rlxc_space *s = &j->s;
    uint32_t n = s->n_exprs;
    rlxc_space_take(s, cond, values, j->to, j->block->n_axes);
    for (uint32_t i = n; i < s->n_exprs; i++)
        if (s->exprs[i]->kind == RLXC_EXPR_LT && rlxc_is_size(s->ctx, s->exprs[i]->bin.b))
            s->exprs[n++] = s->exprs[i];
    s->n_exprs = n;
}

const rlxc_block *rlxc_join_axes(rlxc_context *ctx, const rlxc_block *b, const rlxc_expr *cond,
                                 const rlxc_expr *const **values)
{
    joining j = {.s = {.ctx = ctx}, .block = b};
    bool narrow = false;
    if (b->body->kind != RLXC_STMT_STORE || (b->init && b->init->kind != RLXC_STMT_STORE) ||
        b->n_axes == 0 || b->n_axes > RLXC_NEST_AXES || !begin(&j, *values))
        return b;
    if (cond)
        take_limits(&j, cond, *values);
    for (uint32_t k = 0; k < b->n_axes; k++)
        narrow = narrow || b->axes[k].var->dtype.bits < 64;
    const bool joined = join(&j.s);
    if ((!joined && !narrow) || j.s.n > RLXC_NEST_AXES)
        return b;
    rlxc_block *own = rlxc_copy(ctx, b, sizeof *own);
    const rlxc_expr **at = rlxc_alloc(ctx, (size_t)j.s.n * sizeof *at);
    own->axes = rlxc_alloc(ctx, (size_t)j.s.n * sizeof *own->axes);
    own->n_axes = 0;
    for (uint32_t k = 0; k < j.s.n; k++)
        place(&j, own, at, k);
    own->body = renewed_store(&j, b->body);
    own->init = b->init ? renewed_store(&j, b->init) : NULL;
    if (joined) {
        rlxc_order_axes(ctx, own, (rlxc_axis *)(uintptr_t)own->axes, at);
        own->annotations = (rlxc_attrs){0};
    }
    rlxc_forget_regions(own);
    if (j.s.failed)
        return b;
    *values = at;
    return own;
}

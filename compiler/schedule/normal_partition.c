/* Loops that another tool cut into consecutive parts (loop_partition) become one again:
 *
 *   for j in range(64): S(j)                      for j in range(256): S(j)
 *   for j in range(64, 256): S(j)
 *
 * also where the second part counts from 0, for j in range(192): S(j + 64).
 * The parts do the same for each j, up to the names of variables, so the order of everything stays.
 * An axis whose value is j has the range of the loop. Unrolled loops become loops as well:
 * statements, or terms of a sum, in which all indices grow by a constant from each to the next. */
#include "compiler/analysis/reach.h"
#include "compiler/schedule/normal_space.h"

enum { MOST_VARS = 64, MOST_LOADS = 16, MOST_TERMS = 64, MOST_PERIOD = 4 };

typedef struct pairing { /* of variables bound in the second part with those of the first */
    rlxc_context *ctx;
    const rlxc_expr *from[MOST_VARS], *to[MOST_VARS];
    uint32_t n;
    const rlxc_stmt *a, *b; /* the loops */
} pairing;

static bool pair(pairing *p, const rlxc_expr *from, const rlxc_expr *to)
{
    if (p->n == MOST_VARS)
        return false;
    p->from[p->n] = from;
    p->to[p->n++] = rlxc_cast(p->ctx, from->dtype, to);
    return true;
}

static bool same_expr(pairing *p, const rlxc_expr *a, const rlxc_expr *b)
{
    if (a == b || !a || !b)
        return a == b;
    const rlxc_expr *renamed = rlxc_substitute(p->ctx, b, p->from, p->to, p->n);
    return a == renamed || rlxc_simplify(p->ctx, a, NULL) == rlxc_simplify(p->ctx, renamed, NULL);
}

static const rlxc_expr *substituted(void *user, const rlxc_expr *e)
{
    const pairing *p = user;
    return rlxc_substitute(p->ctx, e, p->from, p->to, p->n);
}

static bool same(pairing *p, const rlxc_stmt *a, const rlxc_stmt *b);

/* True if both axes, of these values, have the same range, or those of the loops. */
static bool same_axis(pairing *p, const rlxc_axis *x, const rlxc_expr *of_x, const rlxc_axis *y,
                      const rlxc_expr *of_y)
{
    if (x->kind != y->kind || !same_expr(p, of_x, of_y))
        return false;
    if (same_expr(p, x->min, y->min) && same_expr(p, x->extent, y->extent))
        return true;
    return of_x == p->a->loop.var && x->min == p->a->loop.min && x->extent == p->a->loop.extent &&
           y->extent == p->b->loop.extent &&
           rlxc_prove_eq(p->ctx, rlxc_add(p->ctx, x->min, x->extent), y->min, NULL);
}

static bool same_block(pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    const rlxc_block *x = a->block.block, *y = b->block.block;
    if (x->n_axes != y->n_axes || x->n_allocs || y->n_allocs || x->n_matches || y->n_matches ||
        !x->init != !y->init || !same_expr(p, a->block.predicate, b->block.predicate))
        return false;
    for (uint32_t i = 0; i < x->n_axes; i++)
        if (!same_axis(p, &x->axes[i], a->block.values[i], &y->axes[i], b->block.values[i]))
            return false;
    for (uint32_t i = 0; i < x->n_axes && x->init; i++)
        if (x->axes[i].kind == RLXC_AXIS_REDUCE &&
            rlxc_expr_uses_var(p->ctx, a->block.values[i], p->a->loop.var))
            return false; /* each part stores the initial value */
    for (uint32_t i = 0; i < x->n_axes; i++)
        if (!pair(p, y->axes[i].var, x->axes[i].var))
            return false;
    return (!x->init || same(p, x->init, y->init)) && same(p, x->body, y->body);
}

static bool same_store(pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    bool equal = a->store.buffer == b->store.buffer && a->store.n == b->store.n &&
                 same_expr(p, a->store.value, b->store.value);
    for (uint32_t i = 0; i < a->store.n && equal; i++)
        equal = same_expr(p, a->store.indices[i], b->store.indices[i]);
    return equal;
}

/* True if both statements do the same. */
static bool same(pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == RLXC_STMT_FOR)
        return a->loop.kind == b->loop.kind && same_expr(p, a->loop.min, b->loop.min) &&
               same_expr(p, a->loop.extent, b->loop.extent) && pair(p, b->loop.var, a->loop.var) &&
               same(p, a->loop.body, b->loop.body);
    if (a->kind == RLXC_STMT_BLOCK)
        return same_block(p, a, b);
    if (a->kind == RLXC_STMT_STORE)
        return same_store(p, a, b);
    if (a->kind == RLXC_STMT_IF)
        return same_expr(p, a->if_.cond, b->if_.cond) && same(p, a->if_.then, b->if_.then) &&
               !a->if_.otherwise && !b->if_.otherwise;
    bool equal = a->kind == RLXC_STMT_SEQ && a->seq.n == b->seq.n;
    for (uint32_t i = 0; equal && i < a->seq.n; i++)
        equal = same(p, a->seq.items[i], b->seq.items[i]);
    return equal;
}

/* Blocks in the loop: axes that had its range have it again. */
static const rlxc_stmt *with_range(void *user, const rlxc_stmt *s)
{
    const pairing *p = user;
    const rlxc_stmt *a = p->a;
    rlxc_block *own = NULL;
    for (uint32_t i = 0; s->kind == RLXC_STMT_BLOCK && i < s->block.block->n_axes; i++) {
        const rlxc_axis *axis = &s->block.block->axes[i];
        if (s->block.values[i] != a->loop.var || axis->min != a->loop.min ||
            axis->extent != a->loop.extent)
            continue;
        if (!own) {
            own = rlxc_copy(p->ctx, s->block.block, sizeof *own);
            own->axes = rlxc_copy(p->ctx, own->axes, own->n_axes * sizeof *own->axes);
            rlxc_forget_regions(own);
        }
        ((rlxc_axis *)(uintptr_t)own->axes)[i].extent =
            rlxc_canonical(p->ctx, rlxc_add(p->ctx, a->loop.extent, p->b->loop.extent), NULL);
    }
    if (!own)
        return NULL;
    rlxc_stmt *realize = rlxc_copy(p->ctx, s, sizeof *realize);
    realize->block.block = own;
    return realize;
}

/* The loop |a| with the iterations of |b|, which follow; or NULL. */
static const rlxc_stmt *joined(rlxc_context *ctx, const rlxc_stmt *a, const rlxc_stmt *b)
{
    pairing p = {.ctx = ctx, .a = a, .b = b};
    const rlxc_stmt_rewriter rewriter = {.user = &p, .stmt = with_range};
    if (a->kind != RLXC_STMT_FOR || b->kind != RLXC_STMT_FOR || a->loop.kind != b->loop.kind ||
        a->loop.kind == RLXC_LOOP_BOUND || a->loop.kind == RLXC_LOOP_VECTORIZED ||
        !rlxc_dtype_eq(a->loop.var->dtype, b->loop.var->dtype) ||
        rlxc_bound_of(ctx, a->loop.extent, NULL).min < 0 ||
        rlxc_bound_of(ctx, b->loop.extent, NULL).min < 0)
        return NULL;
    const rlxc_expr *by = rlxc_sub(ctx, b->loop.min, rlxc_add(ctx, a->loop.min, a->loop.extent));
    p.from[0] = b->loop.var;
    p.to[0] = rlxc_add(ctx, a->loop.var, rlxc_canonical(ctx, by, NULL));
    p.n = 1;
    if (!same(&p, a->loop.body, b->loop.body))
        return NULL;
    rlxc_stmt *own = rlxc_copy(ctx, a, sizeof *own);
    own->loop.body = rlxc_stmt_rewrite(ctx, a->loop.body, &rewriter);
    own->loop.extent = rlxc_canonical(ctx, rlxc_add(ctx, a->loop.extent, b->loop.extent), NULL);
    return own;
}

/* A loop of tiles as one loop: the variables of both, and what they become. */
typedef struct fusing {
    rlxc_context *ctx;
    const rlxc_expr *from[2], *to[2], *var;
    bool apart; /* something uses one of them alone */
} fusing;

static bool find_parts(void *user, const rlxc_expr *e)
{
    fusing *f = user;
    f->apart = f->apart || ((e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD) &&
                            rlxc_expr_uses_var(f->ctx, e, f->var));
    return !f->apart;
}

static const rlxc_expr *fused_expr(void *user, const rlxc_expr *e)
{
    fusing *f = user;
    e = rlxc_simplify(f->ctx, rlxc_substitute(f->ctx, e, f->from, f->to, 2), NULL);
    rlxc_expr_visit(f->ctx, e, find_parts, f);
    return e;
}

/* `for i0, i1 in T.grid(n, c): S(i0 * c + i1)` as `for i in range(n * c): S(i)`; NULL: it has
 * another form. */
static const rlxc_stmt *without_tiles(rlxc_context *ctx, const rlxc_stmt *s)
{
    const rlxc_stmt *inner = s->kind == RLXC_STMT_FOR ? s->loop.body : NULL;
    int64_t size;
    if (!inner || inner->kind != RLXC_STMT_FOR || s->loop.kind != RLXC_LOOP_SERIAL ||
        inner->loop.kind != RLXC_LOOP_SERIAL || !rlxc_is_const(s->loop.min, 0) ||
        !rlxc_is_const(inner->loop.min, 0) || !rlxc_is_int(inner->loop.extent, &size) || size < 1)
        return NULL;
    const rlxc_expr *var = rlxc_var_like(ctx, s->loop.var), *by = rlxc_int(ctx, var->dtype, size),
                    *own = inner->loop.var;
    fusing f = {.ctx = ctx, .from = {s->loop.var, own}, .var = var};
    f.to[0] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, var, by);
    f.to[1] = rlxc_cast(ctx, own->dtype, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, var, by));
    const rlxc_stmt_rewriter rewriter = {.user = &f, .expr = fused_expr};
    const rlxc_stmt *body = rlxc_stmt_rewrite(ctx, inner->loop.body, &rewriter);
    const rlxc_expr *extent = rlxc_canonical(ctx, rlxc_mul(ctx, s->loop.extent, by), NULL);
    return f.apart ? NULL
                   : rlxc_stmt_for(ctx, var, rlxc_int(ctx, var->dtype, 0), extent, RLXC_LOOP_SERIAL,
                                   body);
}

/* What |s| does, without blocks that only name it. */
static const rlxc_stmt *unwrapped(const rlxc_stmt *s)
{
    while (s->kind == RLXC_STMT_BLOCK && s->block.block->n_axes == 0 && !s->block.block->n_allocs &&
           !s->block.block->n_matches && !s->block.block->init &&
           (!s->block.predicate || rlxc_is_const(s->block.predicate, 1)))
        s = s->block.block->body;
    return s;
}

/* --- unrolled loops --------------------------------------------------------------------------- */

/* How two expressions or statements differ, as a function of the turn: the first is turn 0, the
 * second turn 1. */
typedef struct turns {
    pairing p;
    const rlxc_expr *turn; /* the variable; NULL until an index depends on it */
    const rlxc_expr *from[MOST_LOADS], *to[MOST_LOADS]; /* loads */
    uint32_t n;
} turns;

typedef struct loads_of {
    const rlxc_expr *at[MOST_LOADS];
    uint32_t n;
    bool all;
} loads_of;

static bool note_load(void *user, const rlxc_expr *e)
{
    loads_of *l = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return l->all;
    l->all = l->all && l->n < MOST_LOADS;
    if (l->all)
        l->at[l->n++] = e;
    return l->all;
}

/* Index |a| of turn 0 as a function of the turn, if |b| of turn 1 differs by a constant. */
static const rlxc_expr *index_of_turn(turns *t, const rlxc_expr *a, const rlxc_expr *b)
{
    rlxc_context *ctx = t->p.ctx;
    int64_t by;
    if (a == b)
        return a;
    if (a->dtype.lanes > 1 || !rlxc_dtype_eq(a->dtype, b->dtype) || a->from_memory ||
        b->from_memory || !rlxc_is_int(rlxc_canonical(ctx, rlxc_sub(ctx, b, a), NULL), &by))
        return NULL;
    if (by == 0)
        return a;
    if (!t->turn)
        t->turn = rlxc_var(ctx, rlxc_intern_cstr(ctx, "u"), a->dtype);
    const rlxc_expr *turn = rlxc_cast(ctx, a->dtype, t->turn);
    return rlxc_add(ctx, a, rlxc_mul(ctx, turn, rlxc_int(ctx, a->dtype, by)));
}

static const rlxc_expr *load_of_turn(void *user, const rlxc_expr *e)
{
    const turns *t = user;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->from[i] == e)
            return t->to[i];
    return NULL;
}

/* The same of values, which may differ in the indices of loads. */
static const rlxc_expr *value_of_turn(turns *t, const rlxc_expr *a, const rlxc_expr *b)
{
    rlxc_context *ctx = t->p.ctx;
    loads_of x = {.all = true}, y = {.all = true};
    b = rlxc_substitute(ctx, b, t->p.from, t->p.to, t->p.n);
    rlxc_expr_visit(ctx, a, note_load, &x);
    rlxc_expr_visit(ctx, b, note_load, &y);
    if (!x.all || !y.all || x.n != y.n)
        return NULL;
    t->n = 0;
    for (uint32_t i = 0; i < x.n; i++) {
        const rlxc_expr *from = x.at[i], *with = y.at[i], *at[RLX_MAX_NDIM];
        if (from->load.buffer != with->load.buffer || from->load.n != with->load.n ||
            from->load.n > RLX_MAX_NDIM)
            return NULL;
        for (uint32_t k = 0; k < from->load.n; k++)
            if (!(at[k] = index_of_turn(t, from->load.indices[k], with->load.indices[k])))
                return NULL;
        t->from[t->n] = from;
        t->to[t->n++] = rlxc_load(ctx, from->load.buffer, at, from->load.n);
    }
    return rlxc_expr_rewrite(ctx, a, load_of_turn, t);
}

/* The same of statements. */
static const rlxc_stmt *stmt_of_turn(turns *t, const rlxc_stmt *a, const rlxc_stmt *b)
{
    rlxc_context *ctx = t->p.ctx;
    if (a->kind == RLXC_STMT_STORE && b->kind == RLXC_STMT_STORE) {
        const rlxc_expr *at[RLX_MAX_NDIM], *value;
        if (a->store.buffer != b->store.buffer || a->store.n != b->store.n ||
            a->store.n > RLX_MAX_NDIM ||
            !(value = value_of_turn(t, a->store.value, b->store.value)))
            return NULL;
        for (uint32_t i = 0; i < a->store.n; i++) {
            const rlxc_expr *with =
                rlxc_substitute(ctx, b->store.indices[i], t->p.from, t->p.to, t->p.n);
            if (!(at[i] = index_of_turn(t, a->store.indices[i], with)))
                return NULL;
        }
        rlxc_stmt *own =
            (rlxc_stmt *)(uintptr_t)rlxc_stmt_store(ctx, a->store.buffer, at, a->store.n, value);
        own->range = a->range;
        return own;
    }
    if (a->kind != RLXC_STMT_FOR || b->kind != RLXC_STMT_FOR ||
        !same_expr(&t->p, a->loop.extent, b->loop.extent) || !pair(&t->p, b->loop.var, a->loop.var))
        return NULL;
    const rlxc_stmt *body = stmt_of_turn(t, a->loop.body, b->loop.body);
    rlxc_stmt *own = body ? rlxc_copy(ctx, a, sizeof *own) : NULL;
    if (own)
        own->loop.body = body;
    return own;
}

/* True if |made|, a function of |turn|, is |s| in turn |number|. */
static bool is_turn(rlxc_context *ctx, const rlxc_stmt *made, const rlxc_expr *turn,
                    uint32_t number, const rlxc_stmt *s)
{
    pairing p = {.ctx = ctx}, at = {.ctx = ctx, .n = 1};
    at.from[0] = turn;
    at.to[0] = rlxc_int(ctx, turn->dtype, number);
    const rlxc_stmt_rewriter rewriter = {.user = &at, .expr = substituted};
    return same(&p, rlxc_stmt_rewrite(ctx, made, &rewriter), s);
}

static const rlxc_stmt *loop_of(rlxc_context *ctx, const rlxc_expr *turn, uint32_t n,
                                const rlxc_stmt *body)
{
    return rlxc_stmt_for(ctx, turn, rlxc_int(ctx, turn->dtype, 0), rlxc_int(ctx, turn->dtype, n),
                         RLXC_LOOP_SERIAL, body);
}

/* The loop whose turns are the first *used of |n| statements, |period| for each turn; or NULL. */
static const rlxc_stmt *rolled(rlxc_context *ctx, const rlxc_stmt *const *s, uint32_t n,
                               uint32_t period, uint32_t *used)
{
    turns t = {.p = {.ctx = ctx}};
    const rlxc_stmt *made[MOST_PERIOD];
    if (n < 2 * period)
        return NULL;
    for (uint32_t k = 0; k < period; k++)
        if (!(made[k] = stmt_of_turn(&t, s[k], s[period + k])))
            return NULL;
    uint32_t turn = 0;
    for (bool fits = t.turn != NULL; fits; turn += fits) {
        fits = (turn + 1) * period <= n;
        for (uint32_t k = 0; k < period && fits; k++)
            fits = is_turn(ctx, made[k], t.turn, turn, s[turn * period + k]);
    }
    *used = turn * period;
    return turn < 2 ? NULL : loop_of(ctx, t.turn, turn, rlxc_stmt_seq(ctx, made, period));
}

/* The terms of the sum |e| but |own|, which is one of them; false: there are too many. */
typedef struct terms {
    const rlxc_expr *own, *at[MOST_TERMS];
    uint32_t n, owns;
    bool reads; /* a term reads what the sum is stored to */
} terms;

static bool find_own(void *user, const rlxc_expr *e)
{
    terms *t = user;
    t->reads = t->reads ||
               (e->kind == RLXC_EXPR_LOAD && e->load.buffer->data == t->own->load.buffer->data);
    return !t->reads;
}

static bool add_terms(terms *t, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_ADD)
        return add_terms(t, e->bin.a) && add_terms(t, e->bin.b);
    if (e == t->own) {
        t->owns++;
        return true;
    }
    if (t->n == MOST_TERMS)
        return false;
    t->at[t->n++] = e;
    return true;
}

/* The loop that adds the terms of |store|, a step of a sum, one after the other; or NULL. */
static const rlxc_stmt *rolled_terms(rlxc_context *ctx, const rlxc_stmt *store)
{
    const rlxc_expr *v = store->store.value;
    terms all = {.own = rlxc_load(ctx, store->store.buffer, store->store.indices, store->store.n)};
    turns t = {.p = {.ctx = ctx}};
    if (v->kind != RLXC_EXPR_ADD || v->depth > MOST_TERMS || !add_terms(&all, v) || all.owns != 1 ||
        all.n < 2)
        return NULL;
    for (uint32_t i = 0; i < all.n; i++)
        rlxc_expr_visit(ctx, all.at[i], find_own, &all);
    const rlxc_expr *term = all.reads ? NULL : value_of_turn(&t, all.at[0], all.at[1]);
    if (!term || !t.turn)
        return NULL;
    const rlxc_stmt *made =
        rlxc_store_of(ctx, store, rlxc_binary(ctx, RLXC_EXPR_ADD, all.own, term));
    for (uint32_t i = 0; i < all.n; i++) {
        const rlxc_expr *sum = rlxc_binary(ctx, RLXC_EXPR_ADD, all.own, all.at[i]);
        if (!is_turn(ctx, made, t.turn, i, rlxc_store_of(ctx, store, sum)))
            return NULL;
    }
    return loop_of(ctx, t.turn, all.n, made);
}

/* The loop |s| with sums of several terms in its steps as loops; NULL: there are none. */
static const rlxc_stmt *with_rolled_terms(rlxc_context *ctx, const rlxc_stmt *s)
{
    const rlxc_stmt *body = s->loop.body;
    const bool is_seq = body->kind == RLXC_STMT_SEQ;
    const uint32_t n = is_seq ? body->seq.n : 1;
    const rlxc_stmt **items = rlxc_alloc(ctx, (size_t)n * sizeof *items);
    bool changed = false;
    for (uint32_t i = 0; i < n; i++) {
        items[i] = is_seq ? body->seq.items[i] : body;
        bool step = items[i]->kind == RLXC_STMT_STORE;
        for (uint32_t k = 0; step && k < items[i]->store.n; k++)
            step = !rlxc_expr_uses_var(ctx, items[i]->store.indices[k], s->loop.var);
        const rlxc_stmt *loop = step ? rolled_terms(ctx, items[i]) : NULL;
        changed = changed || loop;
        items[i] = loop ? loop : items[i];
    }
    if (!changed)
        return NULL;
    rlxc_stmt *own = rlxc_copy(ctx, s, sizeof *own);
    own->loop.body = rlxc_stmt_seq(ctx, items, n);
    return own;
}

/* --- tiles that are whole, and those that are not --------------------------------------------- */

static bool covers(pairing *p, rlxc_reach *r, const rlxc_stmt *a, const rlxc_stmt *b);

/* True if |a| <= |b|, of which |a| is positive, in each iteration. */
static bool is_within(rlxc_reach *r, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *size = b, *zero;
    for (uint32_t i = 0; i < r->loops.count; i++) {
        zero = rlxc_int(r->ctx, r->loops.items[i].var->dtype, 0);
        size = rlxc_substitute(r->ctx, size, &r->loops.items[i].var, &zero, 1);
    }
    size = rlxc_canonical(r->ctx, size, NULL);
    const rlxc_expr *index = rlxc_add(r->ctx, rlxc_sub(r->ctx, a, b), size);
    index = rlxc_canonical(r->ctx, rlxc_sub(r->ctx, index, rlxc_i64(r->ctx, 1)), NULL);
    return rlxc_reach_inside(r, index, size);
}

/* |e| of the second statement, with the variables of the first, in int64. */
static const rlxc_expr *wide_in_first(const pairing *p, const rlxc_expr *e)
{
    return rlxc_wide(p->ctx, rlxc_substitute(p->ctx, e, p->from, p->to, p->n));
}

static bool covers_loop(pairing *p, rlxc_reach *r, const rlxc_stmt *a, const rlxc_stmt *b)
{
    const rlxc_expr *x = rlxc_wide(p->ctx, a->loop.extent), *y = b->loop.extent;
    bool equal = x == wide_in_first(p, y);
    for (uint32_t k = 0; k < 2 && !equal && y->kind == RLXC_EXPR_MIN; k++)
        equal = x == wide_in_first(p, k ? y->bin.b : y->bin.a) &&
                is_within(r, x, wide_in_first(p, k ? y->bin.a : y->bin.b));
    if (!equal || a->loop.kind != b->loop.kind || !rlxc_is_const(a->loop.min, 0) ||
        !rlxc_is_const(b->loop.min, 0) || !pair(p, b->loop.var, a->loop.var))
        return false;
    rlxc_reach_enter(r, a->loop.var, a->loop.min, a->loop.extent);
    return covers(p, r, a->loop.body, b->loop.body);
}

/* True if |cond| of the second statement holds in each iteration: index < size. */
static bool holds(const pairing *p, rlxc_reach *r, const rlxc_expr *cond)
{
    if (cond->kind == RLXC_EXPR_AND)
        return holds(p, r, cond->bin.a) && holds(p, r, cond->bin.b);
    return cond->kind == RLXC_EXPR_LT &&
           rlxc_reach_inside(r, wide_in_first(p, cond->bin.a), wide_in_first(p, cond->bin.b));
}

/* True if |b| does what |a| does, where the facts of |r| hold. */
static bool covers(pairing *p, rlxc_reach *r, const rlxc_stmt *a, const rlxc_stmt *b)
{
    if (a->kind == RLXC_STMT_FOR && b->kind == RLXC_STMT_FOR)
        return covers_loop(p, r, a, b);
    if (b->kind == RLXC_STMT_IF && a->kind != RLXC_STMT_IF && !b->if_.otherwise)
        return holds(p, r, b->if_.cond) && covers(p, r, a, b->if_.then);
    if (a->kind != RLXC_STMT_SEQ || b->kind != RLXC_STMT_SEQ || a->seq.n != b->seq.n)
        return same(p, a, b);
    bool all = true;
    for (uint32_t i = 0; i < a->seq.n && all; i++) {
        const rlxc_reach_mark mark = rlxc_reach_scope(r);
        all = covers(p, r, a->seq.items[i], b->seq.items[i]);
        rlxc_reach_leave(r, mark);
    }
    return all;
}

/* Assumes |cond|, in int64. */
static void assume(rlxc_reach *r, const rlxc_expr *cond)
{
    if (cond->kind == RLXC_EXPR_AND) {
        assume(r, cond->bin.a);
        assume(r, cond->bin.b);
    } else if (cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE) {
        const rlxc_expr *a = rlxc_wide(r->ctx, cond->bin.a), *b = rlxc_wide(r->ctx, cond->bin.b);
        rlxc_reach_assume(r, rlxc_binary(r->ctx, (rlxc_expr_kind)cond->kind, a, b), true);
    }
}

/* One statement for both branches of |s|: the second, where it does what the first does if the
 * condition holds; or the first with the lesser of two extents, which the condition compares. */
static const rlxc_stmt *without_branches(rlxc_reach *r, const rlxc_stmt *s)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_stmt *a = unwrapped(s->if_.then), *b = unwrapped(s->if_.otherwise);
    const rlxc_expr *c = s->if_.cond;
    const rlxc_reach_mark mark = rlxc_reach_scope(r);
    pairing p = {.ctx = ctx};
    if (c->from_memory)
        return NULL;
    assume(r, c);
    const bool covered = covers(&p, r, a, b);
    rlxc_reach_leave(r, mark);
    if (covered)
        return b;
    const bool less = c->kind == RLXC_EXPR_LT;
    if ((!less && c->kind != RLXC_EXPR_LE) || a->kind != RLXC_STMT_FOR ||
        b->kind != RLXC_STMT_FOR || a->loop.kind != b->loop.kind ||
        a->loop.extent->dtype.bits > b->loop.extent->dtype.bits)
        return NULL;
    const rlxc_expr *x = rlxc_wide(ctx, a->loop.extent), *y = rlxc_wide(ctx, b->loop.extent),
                    *by = rlxc_sub(ctx, rlxc_wide(ctx, c->bin.b), rlxc_wide(ctx, c->bin.a));
    p.n = 0;
    if (!rlxc_prove_eq(ctx, rlxc_sub(ctx, by, rlxc_i64(ctx, less)), rlxc_sub(ctx, y, x), NULL) ||
        !rlxc_is_const(a->loop.min, 0) || !rlxc_is_const(b->loop.min, 0) ||
        !pair(&p, b->loop.var, a->loop.var) || !same(&p, a->loop.body, b->loop.body))
        return NULL;
    rlxc_stmt *own = rlxc_copy(ctx, b, sizeof *own);
    x = rlxc_cast(ctx, b->loop.extent->dtype, a->loop.extent);
    own->loop.extent = rlxc_binary(ctx, RLXC_EXPR_MIN, x, b->loop.extent);
    return own;
}

/* |s| in the loops of |r|, with one statement for both branches of conditions in it. */
static const rlxc_stmt *join_branches(rlxc_reach *r, const rlxc_stmt *s)
{
    const rlxc_reach_mark mark = rlxc_reach_scope(r);
    rlxc_stmt *own = NULL;
    if (s->kind == RLXC_STMT_IF && s->if_.otherwise) {
        const rlxc_stmt *one = without_branches(r, s);
        return one ? join_branches(r, one) : s;
    }
    if (s->kind == RLXC_STMT_FOR) {
        rlxc_reach_enter(r, s->loop.var, s->loop.min, s->loop.extent);
        const rlxc_stmt *body = join_branches(r, s->loop.body);
        if (body != s->loop.body) {
            own = rlxc_copy(r->ctx, s, sizeof *own);
            own->loop.body = body;
        }
    }
    if (s->kind == RLXC_STMT_SEQ) {
        const rlxc_stmt **items = rlxc_alloc(r->ctx, (size_t)s->seq.n * sizeof *items);
        bool changed = false;
        for (uint32_t i = 0; i < s->seq.n; i++) {
            items[i] = join_branches(r, s->seq.items[i]);
            changed = changed || items[i] != s->seq.items[i];
        }
        if (changed)
            s = rlxc_stmt_seq(r->ctx, items, s->seq.n);
    }
    rlxc_reach_leave(r, mark);
    return own ? own : s;
}

/* --- all of a function ------------------------------------------------------------------------ */

static const rlxc_stmt *join_parts(void *user, const rlxc_stmt *s)
{
    rlxc_context *ctx = user;
    if (s->kind == RLXC_STMT_FOR)
        return with_rolled_terms(ctx, s);
    if (s->kind != RLXC_STMT_SEQ)
        return NULL;
    const rlxc_stmt **items = rlxc_alloc(ctx, (size_t)s->seq.n * sizeof *items);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->seq.n; i++) {
        const rlxc_stmt *loop = NULL;
        uint32_t used = 0;
        for (uint32_t k = 1; k <= MOST_PERIOD && !loop; k++)
            loop = rolled(ctx, s->seq.items + i, s->seq.n - i, k, &used);
        if (loop) {
            items[n++] = loop;
            i += used - 1;
            continue;
        }
        const rlxc_stmt *both =
            n ? joined(ctx, unwrapped(items[n - 1]), unwrapped(s->seq.items[i])) : NULL;
        const rlxc_stmt *fused = n && !both ? without_tiles(ctx, unwrapped(items[n - 1])) : NULL;
        if (fused)
            both = joined(ctx, fused, unwrapped(s->seq.items[i]));
        if (both)
            items[n - 1] = both;
        else
            items[n++] = s->seq.items[i];
    }
    return n < s->seq.n ? rlxc_stmt_seq(ctx, items, n) : NULL;
}

const rlxc_stmt *rlxc_join_parts(rlxc_context *ctx, const rlxc_stmt *body)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .stmt = join_parts};
    rlxc_reach r = {.ctx = ctx};
    body = rlxc_stmt_rewrite(ctx, body, &rewriter);
    if (body->kind != RLXC_STMT_BLOCK || body->block.block->n_axes || body->block.predicate)
        return join_branches(&r, body);
    rlxc_block *root = rlxc_copy(ctx, body->block.block, sizeof *root);
    root->body = join_branches(&r, root->body);
    if (root->body == body->block.block->body)
        return body;
    rlxc_stmt *own = rlxc_copy(ctx, body, sizeof *own);
    rlxc_forget_regions(root);
    own->block.block = root;
    return own;
}

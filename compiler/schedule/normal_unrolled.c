/* Unrolled loops become loops again: statements, or terms of a sum, in which all integers grow by a
 * constant from each to the next, or are the same.
 *
 *   for k in range(64):                           for k, u in T.grid(64, 4):
 *       o[i] = o[i] + a[i, k * 4]                     o[i] = o[i] + a[i, k * 4 + u]
 *       o[i] = o[i] + a[i, k * 4 + 1]
 *       o[i] = o[i] + a[i, k * 4 + 2]
 *       o[i] = o[i] + a[i, k * 4 + 3]
 *
 * The first two turns say how indices grow; each turn is then compared with its statements, whose
 * order stays. */
#include "compiler/schedule/normal.h"
#include "compiler/schedule/stages.h"

enum {
    MOST_PARTS = 16, /* of an expression */
    MOST_NODES = 4096,
    MOST_TERMS = 64,
    MOST_PERIOD = 4 /* statements of a turn */
};

/* How two expressions or statements differ, as a function of the turn: the first is turn 0, the
 * second turn 1. */
typedef struct turns {
    rlxc_pairing p;
    const rlxc_expr *turn; /* the variable; NULL until an index depends on it */
    uint32_t nodes;        /* that were compared */
} turns;

/* Integer |a| of turn 0 as a function of the turn, if |b| of turn 1 differs by a constant. */
static const rlxc_expr *index_of_turn(turns *t, const rlxc_expr *a, const rlxc_expr *b)
{
    rlxc_context *ctx = t->p.ctx;
    int64_t by;
    if (!rlxc_is_index_type(a->dtype) || !rlxc_dtype_eq(a->dtype, b->dtype) || a->from_memory ||
        b->from_memory || !rlxc_is_int(rlxc_canonical(ctx, rlxc_sub(ctx, b, a), NULL), &by))
        return NULL;
    if (by == 0)
        return a;
    if (!t->turn)
        t->turn = rlxc_var(ctx, rlxc_intern_cstr(ctx, "u"), a->dtype);
    const rlxc_expr *turn = rlxc_cast(ctx, a->dtype, t->turn);
    return rlxc_add(ctx, a, rlxc_mul(ctx, turn, rlxc_int(ctx, a->dtype, by)));
}

static const rlxc_expr *expr_of_turn(turns *t, const rlxc_expr *a, const rlxc_expr *b);

/* Fills |out| with functions of the turn. */
static bool list_of_turn(turns *t, const rlxc_expr *const *a, const rlxc_expr *const *b, uint32_t n,
                         const rlxc_expr **out)
{
    bool all = true;
    for (uint32_t i = 0; i < n && all; i++)
        all = (out[i] = expr_of_turn(t, a[i], b[i]));
    return all;
}

/* |a| with what differs in |b|, which is of its kind, as functions of the turn; or NULL. */
static const rlxc_expr *parts_of_turn(turns *t, const rlxc_expr *a, const rlxc_expr *b)
{
    rlxc_context *ctx = t->p.ctx;
    const rlxc_expr *x[MOST_PARTS] = {NULL};
    switch (a->kind) {
    case RLXC_EXPR_LOAD:
        return a->load.buffer == b->load.buffer && a->load.n == b->load.n &&
                       a->load.n <= MOST_PARTS &&
                       list_of_turn(t, a->load.indices, b->load.indices, a->load.n, x)
                   ? rlxc_load(ctx, a->load.buffer, x, a->load.n)
                   : NULL;
    case RLXC_EXPR_CALL:
        return a->call.name == b->call.name && a->call.n == b->call.n && a->call.n <= MOST_PARTS &&
                       list_of_turn(t, a->call.args, b->call.args, a->call.n, x)
                   ? rlxc_call(ctx, a->dtype, a->call.name, x, a->call.n)
                   : NULL;
    case RLXC_EXPR_RAMP:
        x[0] = a->ramp.stride == b->ramp.stride && a->ramp.lanes == b->ramp.lanes
                   ? expr_of_turn(t, a->ramp.base, b->ramp.base)
                   : NULL;
        return x[0] ? rlxc_ramp(ctx, x[0], a->ramp.stride, a->ramp.lanes) : NULL;
    case RLXC_EXPR_BROADCAST:
        x[0] = expr_of_turn(t, a->ramp.base, b->ramp.base);
        return x[0] ? rlxc_broadcast(ctx, x[0], a->ramp.lanes) : NULL;
    case RLXC_EXPR_CAST:
        x[0] = expr_of_turn(t, a->bin.a, b->bin.a);
        return x[0] ? rlxc_cast(ctx, a->dtype, x[0]) : NULL;
    default:
        if (!rlxc_is_binary(a) || !(x[0] = expr_of_turn(t, a->bin.a, b->bin.a)) ||
            !(x[1] = expr_of_turn(t, a->bin.b, b->bin.b)))
            return NULL;
        return rlxc_binary(ctx, (rlxc_expr_kind)a->kind, x[0], x[1]);
    }
}

/* The same of expressions, which may differ in integers that are not loaded. */
static const rlxc_expr *expr_of_turn(turns *t, const rlxc_expr *a, const rlxc_expr *b)
{
    if (a == b)
        return a;
    if (++t->nodes > MOST_NODES)
        return NULL;
    const rlxc_expr *index = index_of_turn(t, a, b);
    return index                                                     ? index
           : a->kind == b->kind && rlxc_dtype_eq(a->dtype, b->dtype) ? parts_of_turn(t, a, b)
                                                                     : NULL;
}

/* |b| of turn 1 with the variables of turn 0. */
static const rlxc_expr *renamed(const turns *t, const rlxc_expr *b)
{
    return rlxc_substitute(t->p.ctx, b, t->p.from, t->p.to, t->p.n);
}

/* The same of statements. */
static const rlxc_stmt *stmt_of_turn(turns *t, const rlxc_stmt *a, const rlxc_stmt *b)
{
    rlxc_context *ctx = t->p.ctx;
    if (a->kind == RLXC_STMT_STORE && b->kind == RLXC_STMT_STORE) {
        const rlxc_expr *at[RLX_MAX_NDIM], *value;
        if (a->store.buffer != b->store.buffer || a->store.n != b->store.n ||
            a->store.n > RLX_MAX_NDIM ||
            !(value = expr_of_turn(t, a->store.value, renamed(t, b->store.value))))
            return NULL;
        for (uint32_t i = 0; i < a->store.n; i++)
            if (!(at[i] = expr_of_turn(t, a->store.indices[i], renamed(t, b->store.indices[i]))))
                return NULL;
        rlxc_stmt *own =
            (rlxc_stmt *)(uintptr_t)rlxc_stmt_store(ctx, a->store.buffer, at, a->store.n, value);
        own->range = a->range;
        return own;
    }
    if (a->kind != RLXC_STMT_FOR || b->kind != RLXC_STMT_FOR ||
        !rlxc_same_expr(&t->p, a->loop.extent, b->loop.extent) ||
        !rlxc_pair(&t->p, b->loop.var, a->loop.var))
        return NULL;
    const rlxc_stmt *body = stmt_of_turn(t, a->loop.body, b->loop.body);
    rlxc_stmt *own = body ? rlxc_copy(ctx, a, sizeof *own) : NULL;
    if (own)
        own->loop.body = body;
    return own;
}

static const rlxc_expr *in_turn(void *user, const rlxc_expr *e)
{
    const rlxc_pairing *p = user;
    return rlxc_substitute(p->ctx, e, p->from, p->to, p->n);
}

/* True if |made|, a function of |turn|, is |s| in turn |number|. */
static bool is_turn(rlxc_context *ctx, const rlxc_stmt *made, const rlxc_expr *turn,
                    uint32_t number, const rlxc_stmt *s)
{
    rlxc_pairing p = {.ctx = ctx}, at = {.ctx = ctx, .n = 1};
    at.from[0] = turn;
    at.to[0] = rlxc_int(ctx, turn->dtype, number);
    const rlxc_stmt_rewriter rewriter = {.user = &at, .expr = in_turn};
    return rlxc_same_stmt(&p, rlxc_stmt_rewrite(ctx, made, &rewriter), s);
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

const rlxc_stmt *rlxc_rolled_turns(rlxc_context *ctx, const rlxc_stmt *const *stmts, uint32_t n,
                                   uint32_t *used)
{
    const rlxc_stmt *loop = NULL;
    for (uint32_t period = 1; period <= MOST_PERIOD && !loop; period++)
        loop = rolled(ctx, stmts, n, period, used);
    return loop;
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
    const rlxc_expr *term = all.reads ? NULL : expr_of_turn(&t, all.at[0], all.at[1]);
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

const rlxc_stmt *rlxc_with_rolled_terms(rlxc_context *ctx, const rlxc_stmt *s)
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

/* The forms of a block that normal form knows: one store to a distinct element for each point of
 * its axes, several such stores that are independent of each other, lets in front of them, the
 * initial value of a reduction under a condition, and a store in plain loops. Each becomes simple
 * blocks (normal.h). */
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

/* --- questions about a block ------------------------------------------------------------------ */

bool rlxc_nest_reads(rlxc_context *ctx, const rlxc_block *b, const rlxc_buffer *buffer)
{
    return rlxc_mentions(ctx, b->body->store.value, buffer) ||
           (b->init && rlxc_mentions(ctx, b->init->store.value, buffer));
}

bool rlxc_is_no_load(void *user, const rlxc_expr *e)
{
    (void)user;
    return e->kind != RLXC_EXPR_LOAD;
}

bool rlxc_nest_reads_own(rlxc_context *ctx, const rlxc_block *b)
{
    return rlxc_nest_reads(ctx, b, b->body->store.buffer);
}

static bool is_store(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_STORE && s->store.value->dtype.lanes == 1 &&
           s->store.n == s->store.buffer->ndim && s->store.n <= RLXC_NEST_AXES;
}

bool rlxc_nest_is_simple(rlxc_context *ctx, const rlxc_block *b)
{
    if (b->n_allocs || b->n_matches || b->n_axes > RLXC_NEST_AXES || !is_store(b->body) ||
        (b->init && (!is_store(b->init) || b->init->store.buffer != b->body->store.buffer)))
        return false;
    const rlxc_stmt *store = b->body;
    bool stored[RLXC_NEST_AXES] = {false};
    for (uint32_t i = 0; i < store->store.n; i++) {
        const rlxc_expr *index = store->store.indices[i];
        uint32_t k = 0;
        int64_t ignored;
        if (b->init && b->init->store.indices[i] != index)
            return false;
        while (k < b->n_axes && b->axes[k].var != index)
            k++;
        if (k == b->n_axes ? !rlxc_is_int(index, &ignored)
                           : stored[k] || b->axes[k].kind != RLXC_AXIS_SPATIAL)
            return false;
        if (k < b->n_axes)
            stored[k] = true;
    }
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_SPATIAL
                ? !stored[k] && !rlxc_is_const(b->axes[k].extent, 1)
                : b->axes[k].kind != RLXC_AXIS_REDUCE)
            return false;
    const rlxc_buffer *out = store->store.buffer;
    return !rlxc_mentions_elsewhere(ctx, store->store.value, out, store->store.indices) &&
           rlxc_may_move(ctx, store->store.value) &&
           (!b->init || (!rlxc_mentions(ctx, b->init->store.value, out) &&
                         rlxc_may_move(ctx, b->init->store.value)));
}

/* --- blocks with lets and several stores ------------------------------------------------------ */

enum { MOST_LETS = 16 };

/* The stores of a block's body or init, with the values of its lets in place of their variables. */
typedef struct stores {
    rlxc_context *ctx;
    const rlxc_expr *vars[MOST_LETS], *values[MOST_LETS];
    const rlxc_stmt *items[RLXC_BLOCK_STORES];
    uint32_t n_lets, n;
} stores;

const rlxc_stmt *rlxc_store_with(rlxc_context *ctx, const rlxc_stmt *store,
                                 const rlxc_expr *const *from, const rlxc_expr *const *to,
                                 uint32_t n)
{
    const rlxc_expr **at = rlxc_alloc(ctx, ((size_t)store->store.n + 1) * sizeof *at);
    for (uint32_t i = 0; i < store->store.n; i++)
        at[i] = rlxc_substitute(ctx, store->store.indices[i], from, to, n);
    rlxc_stmt *own = (rlxc_stmt *)(uintptr_t)rlxc_stmt_store(
        ctx, store->store.buffer, at, store->store.n,
        rlxc_substitute(ctx, store->store.value, from, to, n));
    own->range = store->range;
    return own;
}

const rlxc_stmt *rlxc_store_of(rlxc_context *ctx, const rlxc_stmt *store, const rlxc_expr *value)
{
    rlxc_stmt *own = rlxc_copy(ctx, store, sizeof *own);
    own->store.value = value;
    return own;
}

static bool add_store(stores *s, const rlxc_stmt *store)
{
    if (s->n == RLXC_BLOCK_STORES || store->store.n > RLXC_NEST_AXES)
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->items[i]->store.buffer->data == store->store.buffer->data)
            return false;
    s->items[s->n++] = rlxc_store_with(s->ctx, store, s->vars, s->values, s->n_lets);
    return true;
}

static bool add_stores(stores *s, const rlxc_stmt *stmt)
{
    if (stmt->kind == RLXC_STMT_SEQ) {
        bool all = true;
        for (uint32_t i = 0; i < stmt->seq.n && all; i++)
            all = add_stores(s, stmt->seq.items[i]);
        return all;
    }
    if (stmt->kind == RLXC_STMT_STORE)
        return add_store(s, stmt);
    if (stmt->kind != RLXC_STMT_LET || s->n_lets == MOST_LETS ||
        !rlxc_may_move(s->ctx, stmt->let.value))
        return false;
    const rlxc_expr *value =
        rlxc_substitute(s->ctx, stmt->let.value, s->vars, s->values, s->n_lets);
    s->vars[s->n_lets] = stmt->let.var;
    s->values[s->n_lets++] = value;
    return true;
}

/* True if store |i| reads what another one stores. */
static bool reads_other(const stores *s, const stores *written, uint32_t i)
{
    bool reads = false;
    for (uint32_t k = 0; k < written->n && !reads; k++)
        reads = written->items[k]->store.buffer != s->items[i]->store.buffer &&
                rlxc_mentions(s->ctx, s->items[i]->store.value, written->items[k]->store.buffer);
    return reads;
}

uint32_t rlxc_independent_stores(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_stmt **out)
{
    stores all = {.ctx = ctx};
    if (!add_stores(&all, stmt))
        return 0;
    for (uint32_t i = 0; i < all.n; i++) {
        if (reads_other(&all, &all, i))
            return 0;
        out[i] = all.items[i];
    }
    return all.n;
}

/* The block of |body| with store |i| alone, and the store of |init| to the same buffer; NULL: there
 * is none, or other stores change what the block reads. */
static const rlxc_block *block_of(rlxc_context *ctx, const rlxc_block *b, const stores *body,
                                  const stores *init, uint32_t i)
{
    rlxc_block *own = rlxc_copy(ctx, b, sizeof *own);
    uint32_t k = 0;
    while (k < init->n && init->items[k]->store.buffer != body->items[i]->store.buffer)
        k++;
    if (reads_other(body, body, i) || (k < init->n && reads_other(init, body, k)) ||
        (k == init->n) != (init->n == 0))
        return NULL;
    const rlxc_expr *from[RLXC_NEST_AXES], *to[RLXC_NEST_AXES];
    rlxc_axis *axes = rlxc_copy(ctx, b->axes, b->n_axes * sizeof *axes);
    for (uint32_t j = 0; j < b->n_axes; j++) {
        from[j] = axes[j].var;
        axes[j].var = to[j] = rlxc_var_like(ctx, from[j]);
    }
    own->name = i ? rlxc_internf(ctx, "%s_%u", b->name, i) : b->name;
    own->axes = axes;
    own->body = rlxc_store_with(ctx, body->items[i], from, to, b->n_axes);
    own->init = k < init->n ? rlxc_store_with(ctx, init->items[k], from, to, b->n_axes) : NULL;
    rlxc_forget_regions(own);
    return own;
}

/* True if |cond| holds exactly in the first step of the reduction of |b|: all its axes are 0. */
static bool is_first_step(const rlxc_block *b, const rlxc_expr *cond)
{
    bool first[RLXC_NEST_AXES] = {false};
    for (bool more = true; more;) {
        const rlxc_expr *one = cond;
        more = cond->kind == RLXC_EXPR_AND;
        if (more) {
            one = cond->bin.b;
            cond = cond->bin.a;
        }
        const uint32_t k = one->kind == RLXC_EXPR_EQ ? rlxc_block_axis(b, one->bin.a) : b->n_axes;
        if (k == b->n_axes || !rlxc_is_const(one->bin.b, 0) || b->axes[k].kind != RLXC_AXIS_REDUCE)
            return false;
        first[k] = true;
    }
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_REDUCE && !first[k] &&
            !rlxc_is_const(b->axes[k].extent, 1))
            return false;
    return true;
}

static bool is_own(const rlxc_stmt *store, const rlxc_expr *e)
{
    bool own = e->kind == RLXC_EXPR_LOAD && e->load.buffer == store->store.buffer;
    for (uint32_t i = 0; own && i < store->store.n; i++)
        own = e->load.indices[i] == store->store.indices[i];
    return own;
}

/* Takes the initial value of a reduction out of an update that begins with a choice:
 * o = T.if_then_else(k == 0, start, o) + term. */
static void take_choice(rlxc_context *ctx, const rlxc_block *b, const rlxc_stmt **init,
                        const rlxc_stmt **body)
{
    const rlxc_stmt *store = b->body;
    const rlxc_expr *v = store->store.value;
    for (uint32_t side = 0; side < 2 && !*init && rlxc_commutes(v); side++) {
        const rlxc_expr *e = side ? v->bin.b : v->bin.a, *term = side ? v->bin.a : v->bin.b;
        const bool call = rlxc_is_choice(e);
        if (!call && e->kind != RLXC_EXPR_SELECT)
            continue;
        const rlxc_expr *cond = call ? e->call.args[0] : e->select.cond;
        const rlxc_expr *start = call ? e->call.args[1] : e->select.yes;
        const rlxc_expr *own = call ? e->call.args[2] : e->select.no;
        if (!is_own(store, own) || !is_first_step(b, cond))
            continue;
        *init = rlxc_store_of(ctx, store, start);
        *body = rlxc_store_of(ctx, store, rlxc_binary(ctx, (rlxc_expr_kind)v->kind, own, term));
    }
}

/* The operation by which |cond|, a comparison of |x| with the element |own|, replaces it by x. */
static bool read_extreme(const rlxc_expr *cond, const rlxc_expr *x, const rlxc_expr *own,
                         rlxc_expr_kind *out)
{
    const bool up = cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE;
    if (!up && cond->kind != RLXC_EXPR_GT && cond->kind != RLXC_EXPR_GE)
        return false;
    const bool first = cond->bin.a == x && cond->bin.b == own;
    *out = first == up ? RLXC_EXPR_MIN : RLXC_EXPR_MAX;
    return first || (cond->bin.a == own && cond->bin.b == x);
}

const rlxc_stmt *rlxc_extreme(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    const bool is_if = stmt->kind == RLXC_STMT_IF && !stmt->if_.otherwise;
    const rlxc_stmt *store = is_if ? stmt->if_.then : stmt;
    rlxc_expr_kind kind;
    if (store->kind != RLXC_STMT_STORE || store->store.value->dtype.lanes != 1)
        return NULL;
    const rlxc_expr *v = store->store.value, *x = v, *cond = is_if ? stmt->if_.cond : NULL;
    const rlxc_expr *own =
        rlxc_load(ctx, store->store.buffer, store->store.indices, store->store.n);
    if (!is_if && rlxc_is_choice(v) && v->call.args[2] == own) {
        cond = v->call.args[0];
        x = v->call.args[1];
    } else if (!is_if && v->kind == RLXC_EXPR_SELECT && v->select.no == own) {
        cond = v->select.cond;
        x = v->select.yes;
    }
    if (!cond || !read_extreme(cond, x, own, &kind))
        return NULL;
    const rlxc_expr *neutral = rlxc_neutral(ctx, kind, x->dtype);
    if (!neutral || rlxc_mentions(ctx, x, store->store.buffer))
        return NULL;
    if (rlxc_dtype_is_float(x->dtype)) /* T.max would keep NaN, for which comparisons fail */
        x = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_EQ, x, x), x, neutral);
    return rlxc_store_of(ctx, store, rlxc_binary(ctx, kind, own, x));
}

/* The update that |stmt| makes under a condition, with the condition in its term; else |stmt|. */
static const rlxc_stmt *guarded(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    if (stmt->kind != RLXC_STMT_IF || stmt->if_.otherwise ||
        stmt->if_.then->kind != RLXC_STMT_STORE || !rlxc_is_update(ctx, stmt->if_.then) ||
        stmt->if_.cond->from_memory)
        return stmt;
    const rlxc_stmt *store = stmt->if_.then;
    const rlxc_expr *v = store->store.value,
                    *neutral = rlxc_neutral(ctx, (rlxc_expr_kind)v->kind, v->dtype);
    const bool own_first = is_own(store, v->bin.a);
    const rlxc_expr *own = own_first ? v->bin.a : v->bin.b;
    const rlxc_expr *args[] = {stmt->if_.cond, own_first ? v->bin.b : v->bin.a, neutral};
    if (!neutral)
        return stmt;
    const rlxc_expr *term = rlxc_call(ctx, v->dtype, "if_then_else", args, 3);
    return rlxc_store_of(ctx, store, rlxc_binary(ctx, (rlxc_expr_kind)v->kind, own, term));
}

/* Takes the initial values of a reduction out of its body, where they are written as a condition on
 * the first step instead of T.init. */
static void take_init(rlxc_context *ctx, const rlxc_block *b, const rlxc_stmt **init,
                      const rlxc_stmt **body)
{
    const rlxc_stmt *seq = b->body;
    if (!b->init && seq->kind == RLXC_STMT_STORE && b->n_axes <= RLXC_NEST_AXES)
        take_choice(ctx, b, init, body);
    if (b->init || seq->kind != RLXC_STMT_SEQ || seq->seq.n < 2)
        return;
    const rlxc_stmt *first = seq->seq.items[0];
    if (first->kind != RLXC_STMT_IF || first->if_.otherwise || !is_first_step(b, first->if_.cond))
        return;
    *init = first->if_.then;
    *body = rlxc_stmt_seq(ctx, seq->seq.items + 1, seq->seq.n - 1);
}

/* Splits |b|, such as the sums of a mean and a variance, into a block for each of its stores.
 * Returns their number; 0: the stores depend on each other, or |b| has another form. */
static uint32_t split_stores(rlxc_context *ctx, const rlxc_block *b, rlxc_simple_block *out)
{
    stores body = {.ctx = ctx}, init = {.ctx = ctx};
    const rlxc_stmt *first = b->init, *each = b->body;
    if (b->n_axes > RLXC_NEST_AXES)
        return 0;
    take_init(ctx, b, &first, &each);
    const rlxc_stmt *extreme = rlxc_extreme(ctx, each);
    each = extreme ? extreme : guarded(ctx, each);
    if (!add_stores(&body, each) || (first && (!add_stores(&init, first) || init.n != body.n)))
        return 0;
    for (uint32_t i = 0; i < body.n; i++) {
        out[i].by_step = first != b->init;
        if (!(out[i].block = block_of(ctx, b, &body, &init, i)))
            return 0;
    }
    return rlxc_failed(ctx) ? 0 : body.n;
}

/* --- dimensions of one element ---------------------------------------------------------------- */

typedef struct units {
    rlxc_context *ctx;
    const rlxc_expr *vars[RLXC_NEST_AXES]; /* by dimension of the store; or NULL */
    uint32_t ndim;
    bool elsewhere; /* loads have such dimensions in other places */
} units;

static bool is_unit(const rlxc_buffer *buffer, const rlxc_expr *const *at, uint32_t d)
{
    return rlxc_is_const(at[d], 0) && rlxc_is_const(buffer->shape[d], 1);
}

static bool find_elsewhere(void *user, const rlxc_expr *e)
{
    units *u = user;
    for (uint32_t d = 0; e->kind == RLXC_EXPR_LOAD && d < e->load.n; d++)
        u->elsewhere = u->elsewhere || (is_unit(e->load.buffer, e->load.indices, d) &&
                                        (e->load.n != u->ndim || !u->vars[d]));
    return !u->elsewhere;
}

static const rlxc_expr *const *with_vars(const units *u, const rlxc_buffer *buffer,
                                         const rlxc_expr *const *indices, uint32_t n)
{
    const rlxc_expr **at = rlxc_alloc(u->ctx, ((size_t)n + 1) * sizeof *at);
    for (uint32_t d = 0; d < n; d++)
        at[d] = n == u->ndim && u->vars[d] && is_unit(buffer, indices, d) ? u->vars[d] : indices[d];
    return at;
}

static const rlxc_expr *unit_load(void *user, const rlxc_expr *e)
{
    const units *u = user;
    if (e->kind != RLXC_EXPR_LOAD || e->load.n != u->ndim)
        return NULL;
    const rlxc_expr **at = rlxc_alloc(u->ctx, ((size_t)e->load.n + 1) * sizeof *at);
    for (uint32_t d = 0; d < e->load.n; d++)
        at[d] = rlxc_expr_rewrite_all(u->ctx, e->load.indices[d], unit_load, user);
    return rlxc_load(u->ctx, e->load.buffer, with_vars(u, e->load.buffer, at, e->load.n),
                     e->load.n);
}

static const rlxc_stmt *unit_store(units *u, const rlxc_stmt *store)
{
    rlxc_stmt *own = rlxc_copy(u->ctx, store, sizeof *own);
    own->store.indices = with_vars(u, store->store.buffer, store->store.indices, store->store.n);
    own->store.value = rlxc_expr_rewrite_all(u->ctx, store->store.value, unit_load, u);
    return own;
}

/* |b|, a simple block, with an axis for each dimension of one element, too, unless what it computes
 * element by element has such dimensions in other places. */
static const rlxc_block *with_units(rlxc_context *ctx, const rlxc_block *b,
                                    const rlxc_expr *const **values)
{
    const rlxc_stmt *store = b->body;
    const rlxc_expr **own_values = rlxc_alloc(ctx, RLXC_NEST_AXES * sizeof *own_values);
    rlxc_axis *axes = rlxc_alloc(ctx, RLXC_NEST_AXES * sizeof *axes);
    uint32_t n = b->n_axes;
    units u = {.ctx = ctx, .ndim = store->store.n};
    bool reduces = false;
    for (uint32_t k = 0; k < n; k++) {
        own_values[k] = (*values)[k];
        axes[k] = b->axes[k];
        reduces = reduces || axes[k].kind == RLXC_AXIS_REDUCE;
    }
    for (uint32_t d = 0; d < u.ndim && n < RLXC_NEST_AXES; d++) {
        if (!is_unit(store->store.buffer, store->store.indices, d))
            continue;
        u.vars[d] = rlxc_var(ctx, "u", RLX_I64);
        own_values[n] = rlxc_i64(ctx, 0);
        axes[n++] = (rlxc_axis){RLXC_AXIS_SPATIAL, u.vars[d], rlxc_i64(ctx, 0), rlxc_i64(ctx, 1)};
    }
    if (!reduces)
        rlxc_expr_visit(ctx, store->store.value, find_elsewhere, &u);
    if (n == b->n_axes || u.elsewhere)
        return b;
    rlxc_block *own = rlxc_copy(ctx, b, sizeof *own);
    own->body = unit_store(&u, store);
    own->init = b->init ? unit_store(&u, b->init) : NULL;
    own->axes = axes;
    own->n_axes = n;
    rlxc_order_axes(ctx, own, axes, own_values);
    rlxc_forget_regions(own);
    *values = own_values;
    return own;
}

uint32_t rlxc_simple_blocks(rlxc_context *ctx, const rlxc_stmt *realize, rlxc_simple_block *out)
{
    const rlxc_block *b = realize->block.block;
    const rlxc_stmt *start = b->init, *each = b->body;
    take_init(ctx, b, &start, &each);
    const bool one = is_store(b->body) && start == b->init && (!start || is_store(start)) &&
                     !rlxc_extreme(ctx, b->body);
    uint32_t n = one;
    out[0] = (rlxc_simple_block){.block = b};
    if (b->n_allocs || b->n_matches || b->n_axes > RLXC_NEST_AXES ||
        (!one && (n = split_stores(ctx, b, out)) == 0))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i].values = realize->block.values;
        out[i].block = rlxc_join_axes(ctx, out[i].block, realize->block.predicate, &out[i].values);
        if (!rlxc_nest_is_simple(ctx, out[i].block))
            return 0;
        out[i].block = with_units(ctx, out[i].block, &out[i].values);
    }
    return rlxc_failed(ctx) ? 0 : n;
}

/* --- stores without a block ------------------------------------------------------------------- */

bool rlxc_is_update(rlxc_context *ctx, const rlxc_stmt *store)
{
    const rlxc_expr *e = store->store.value;
    if (!rlxc_commutes(e))
        return false;
    return is_own(store, e->bin.a)
               ? !rlxc_mentions(ctx, e->bin.b, store->store.buffer)
               : is_own(store, e->bin.b) && !rlxc_mentions(ctx, e->bin.a, store->store.buffer);
}

/* True if an index of |store| uses |var|. */
static bool is_stored(rlxc_context *ctx, const rlxc_stmt *store, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < store->store.n; i++)
        if (rlxc_expr_uses_var(ctx, store->store.indices[i], var))
            return true;
    return false;
}

/* An index of a store as a sum of loops, of which some reach the same elements. */
typedef struct overlap {
    const rlxc_expr *sum, *from[RLXC_NEST_LOOPS], *by[RLXC_NEST_LOOPS];
    uint32_t n, step; /* from[step] counts by one */
    const rlxc_expr *rest;
} overlap;

/* Reads the index |sum|; false: it is another one. */
static bool read_overlap(rlxc_context *ctx, const rlxc_expr *sum, const rlxc_stmt *const *loops,
                         uint32_t n, overlap *o)
{
    int64_t by[RLXC_NEST_LOOPS], least = INT64_MAX, size = 0;
    *o = (overlap){.sum = sum, .step = n, .rest = rlxc_wide(ctx, sum)};
    for (uint32_t k = 0; k < n; k++) {
        if (!rlxc_linear_in(ctx, o->rest, loops[k]->loop.var, &by[o->n], &o->rest) || by[o->n] < 0)
            return false;
        if (by[o->n] == 0)
            continue;
        if (by[o->n] == 1 && rlxc_is_int(loops[k]->loop.extent, &size))
            o->step = o->n;
        o->from[o->n] = loops[k]->loop.var;
        o->by[o->n] = rlxc_i64(ctx, by[o->n]);
        o->n++;
    }
    for (uint32_t i = 0; i < o->n; i++)
        least = i != o->step && by[i] < least ? by[i] : least;
    return o->n > 1 && o->step < n && size > least;
}

/* |store| with |axis| for its index |at|, if the loops of that are used in such sums only: others
 * store the same again. NULL: they are not. */
static const rlxc_stmt *with_tile_axis(rlxc_context *ctx, const rlxc_stmt *store, uint32_t at,
                                       const overlap *o, const rlxc_expr *axis)
{
    const rlxc_expr *const value = rlxc_simplify(ctx, store->store.value, NULL);
    const rlxc_expr *zeros[RLXC_NEST_LOOPS];
    for (uint32_t k = 0; k < o->n; k++) {
        const rlxc_expr *next[] = {rlxc_add(ctx, o->from[k], rlxc_i64(ctx, 1)),
                                   rlxc_sub(ctx, o->from[o->step], o->by[k])};
        const rlxc_expr *from[] = {o->from[k], o->from[o->step]};
        zeros[k] = k == o->step ? rlxc_sub(ctx, axis, o->rest) : rlxc_i64(ctx, 0);
        for (uint32_t i = 0; i < store->store.n; i++)
            if (i != at && rlxc_expr_uses_var(ctx, store->store.indices[i], from[0]))
                return NULL;
        if (k != o->step &&
            rlxc_simplify(ctx, rlxc_substitute(ctx, value, from, next, 2), NULL) != value)
            return NULL;
    }
    rlxc_stmt *own = rlxc_copy(ctx, rlxc_store_with(ctx, store, o->from, zeros, o->n), sizeof *own);
    const rlxc_expr **indices =
        rlxc_copy(ctx, own->store.indices, ((size_t)own->store.n) * sizeof *indices);
    indices[at] = axis;
    own->store.indices = indices;
    own->store.value = rlxc_simplify(ctx, own->store.value, NULL);
    return own;
}

/* |store|, with an axis in |block| for each of its indices in which loops overlap, as those of
 * tiles with a border do. */
static const rlxc_stmt *with_tile_axes(rlxc_context *ctx, const rlxc_stmt *store,
                                       const rlxc_stmt *const *loops, uint32_t n, rlxc_block *block,
                                       const rlxc_expr **vars, const rlxc_expr **values)
{
    rlxc_axis *axes = (rlxc_axis *)(uintptr_t)block->axes;
    for (uint32_t i = 0; i < store->store.n && block->n_axes < RLXC_NEST_AXES; i++) {
        overlap o;
        if (!read_overlap(ctx, store->store.indices[i], loops, n, &o))
            continue;
        const rlxc_expr *var = rlxc_var(ctx, o.from[o.step]->var.name, RLX_I64);
        const rlxc_stmt *own = with_tile_axis(ctx, store, i, &o, var);
        if (!own)
            continue;
        store = own;
        vars[block->n_axes] = var;
        values[block->n_axes] = o.sum;
        axes[block->n_axes++] =
            (rlxc_axis){.kind = RLXC_AXIS_SPATIAL,
                        .var = var,
                        .min = rlxc_i64(ctx, 0),
                        .extent = rlxc_wide(ctx, store->store.buffer->shape[i])};
    }
    return store;
}

const rlxc_stmt *rlxc_block_around(rlxc_context *ctx, const rlxc_stmt *store,
                                   const rlxc_stmt *const *loops, uint32_t n)
{
    rlxc_axis *axes = rlxc_try_alloc(ctx, RLXC_NEST_AXES, sizeof *axes);
    const rlxc_expr **values = rlxc_try_alloc(ctx, RLXC_NEST_AXES, sizeof *values);
    const rlxc_expr *vars[RLXC_NEST_AXES];
    rlxc_block *block = rlxc_try_alloc(ctx, 1, sizeof *block);
    if (!axes || !values || !block || !is_store(store))
        return NULL;
    const bool update = rlxc_is_update(ctx, store);
    *block = (rlxc_block){.name = store->store.buffer->name, .axes = axes};
    if (!update)
        store = with_tile_axes(ctx, store, loops, n, block, vars, values);
    const uint32_t tiles = block->n_axes;
    for (uint32_t k = 0; k < n; k++) {
        const rlxc_expr *var = loops[k]->loop.var;
        const bool stored = is_stored(ctx, store, var);
        if (!stored && rlxc_is_const(loops[k]->loop.min, 0) &&
            rlxc_is_const(loops[k]->loop.extent, 1)) {
            const rlxc_expr *zero = rlxc_int(ctx, var->dtype, 0);
            store = rlxc_store_with(ctx, store, &var, &zero, 1);
            continue;
        }
        if (!stored && !update) {
            if (rlxc_expr_uses_var(ctx, store->store.value, var))
                return NULL;
            continue; /* the same is stored again */
        }
        if (block->n_axes == RLXC_NEST_AXES)
            return NULL;
        values[block->n_axes] = var;
        vars[block->n_axes] = rlxc_var_like(ctx, var);
        axes[block->n_axes] = (rlxc_axis){.kind = stored ? RLXC_AXIS_SPATIAL : RLXC_AXIS_REDUCE,
                                          .var = vars[block->n_axes],
                                          .min = rlxc_int(ctx, var->dtype, 0),
                                          .extent = loops[k]->loop.extent};
        block->n_axes++;
    }
    block->body = rlxc_store_with(ctx, store, values + tiles, vars + tiles, block->n_axes - tiles);
    rlxc_order_axes(ctx, block, axes, values);
    rlxc_stmt *realize = (rlxc_stmt *)(uintptr_t)rlxc_stmt_block(ctx, block, values, NULL);
    realize->range = store->range;
    return realize;
}

/* --- stores of vectors ------------------------------------------------------------------------ */

bool rlxc_stores_vector(const rlxc_stmt *store)
{
    bool vector = store->store.value->dtype.lanes > 1;
    for (uint32_t i = 0; i < store->store.n; i++)
        vector = vector || store->store.indices[i]->dtype.lanes > 1;
    return vector;
}

enum { MOST_LANE_NODES = 1024 };

typedef struct lane {
    rlxc_context *ctx;
    const rlxc_expr *var; /* its number */
    uint32_t work;        /* visited nodes: a tree may be far larger than in memory */
    bool failed;
} lane;

static const rlxc_expr *lane_of(lane *l, const rlxc_expr *e);

static const rlxc_expr *load_lane(lane *l, const rlxc_expr *e)
{
    const rlxc_expr **at = rlxc_alloc(l->ctx, ((size_t)e->load.n + 1) * sizeof *at);
    l->failed = l->failed || e->load.buffer->dtype.lanes > 1;
    for (uint32_t i = 0; i < e->load.n; i++)
        at[i] = lane_of(l, e->load.indices[i]);
    return rlxc_load(l->ctx, e->load.buffer, at, e->load.n);
}

static const rlxc_expr *call_lane(lane *l, const rlxc_expr *e, rlx_dtype t)
{
    const rlxc_expr **args = rlxc_alloc(l->ctx, ((size_t)e->call.n + 1) * sizeof *args);
    const rlxc_intrinsic *f = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    const bool by_lane = f && f->result == RLXC_RESULT_SAME &&
                         (f->lowering == RLXC_LOWER_LIBM || f->lowering == RLXC_LOWER_LLVM ||
                          f->lowering == RLXC_LOWER_VECTOR);
    l->failed = l->failed || !(by_lane || rlxc_is_choice(e));
    for (uint32_t i = 0; i < e->call.n; i++)
        args[i] = lane_of(l, e->call.args[i]);
    return rlxc_call(l->ctx, t, e->call.name, args, e->call.n);
}

static const rlxc_expr *lane_of(lane *l, const rlxc_expr *e)
{
    rlxc_context *ctx = l->ctx;
    rlx_dtype t = e->dtype;
    l->failed = l->failed || ++l->work > MOST_LANE_NODES;
    if (t.lanes == 1 || l->failed)
        return e;
    t.lanes = 1;
    if (rlxc_is_binary(e))
        return rlxc_binary(ctx, (rlxc_expr_kind)e->kind, lane_of(l, e->bin.a),
                           lane_of(l, e->bin.b));
    if (e->kind == RLXC_EXPR_RAMP)
        return rlxc_add(ctx, e->ramp.base,
                        rlxc_mul(ctx, e->ramp.stride, rlxc_cast(ctx, t, l->var)));
    if (e->kind == RLXC_EXPR_BROADCAST)
        return e->ramp.base;
    if (e->kind == RLXC_EXPR_LOAD)
        return load_lane(l, e);
    if (e->kind == RLXC_EXPR_CAST)
        return rlxc_cast(ctx, t, lane_of(l, e->bin.a));
    if (e->kind == RLXC_EXPR_SELECT)
        return rlxc_select(ctx, lane_of(l, e->select.cond), lane_of(l, e->select.yes),
                           lane_of(l, e->select.no));
    if (e->kind == RLXC_EXPR_CALL)
        return call_lane(l, e, t);
    l->failed = true;
    return e;
}

const rlxc_stmt *rlxc_lane_loop(rlxc_context *ctx, const rlxc_stmt *store)
{
    uint32_t lanes = store->store.value->dtype.lanes;
    for (uint32_t i = 0; i < store->store.n; i++)
        if (store->store.indices[i]->dtype.lanes > lanes)
            lanes = store->store.indices[i]->dtype.lanes;
    lane l = {.ctx = ctx,
              .var = rlxc_var(ctx, "lane", RLX_I64),
              .failed = store->store.buffer->dtype.lanes > 1};
    const rlxc_expr **at = rlxc_alloc(ctx, ((size_t)store->store.n + 1) * sizeof *at);
    for (uint32_t i = 0; i < store->store.n; i++)
        at[i] = lane_of(&l, store->store.indices[i]);
    rlxc_stmt *one = rlxc_copy(ctx, store, sizeof *one);
    one->store.indices = at;
    one->store.value = lane_of(&l, store->store.value);
    return l.failed ? NULL
                    : rlxc_stmt_for(ctx, l.var, rlxc_i64(ctx, 0), rlxc_i64(ctx, lanes),
                                    RLXC_LOOP_SERIAL, one);
}

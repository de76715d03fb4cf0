/* Splits loops around several blocks into a nest for each block. A statement is split completely
 * or not at all. Each block computes its element from the values of its axes alone, and each nest
 * is proved to reach each element of a box once; so a block may run for all elements before the
 * next one starts, unless that one changes its operands. Of two blocks that store to one buffer,
 * the first must be the init of a reduction and the second its update, both with the same elements
 * in each iteration of the loops they share. A block with several stores that are independent of
 * each other is taken as a block for each. */
#include "compiler/schedule/normal.h"
#include "compiler/schedule/stages.h"

/* --- questions about a block ------------------------------------------------------------------ */

bool rlxc_nest_reads(rlxc_context *ctx, const rlxc_block *b, const rlxc_buffer *buffer)
{
    return rlxc_mentions(ctx, b->body->store.value, buffer) ||
           (b->init && rlxc_mentions(ctx, b->init->store.value, buffer));
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

uint32_t rlxc_temp_writers(const rlxc_temps *temps, const rlxc_buffer *buffer)
{
    for (uint32_t i = 0; i < temps->n; i++)
        if (temps->items[i] == buffer)
            return temps->writers[i];
    return 0;
}

/* --- blocks with lets and several stores ------------------------------------------------------ */

enum { MOST_STORES = 4, MOST_LETS = 16 };

/* The stores of a block's body or init, with the values of its lets in place of their variables. */
typedef struct stores {
    rlxc_context *ctx;
    const rlxc_expr *vars[MOST_LETS], *values[MOST_LETS];
    const rlxc_stmt *items[MOST_STORES];
    uint32_t n_lets, n;
} stores;

/* |store| with |to| for the variables |from|. */
static const rlxc_stmt *substituted(rlxc_context *ctx, const rlxc_stmt *store,
                                    const rlxc_expr *const *from, const rlxc_expr *const *to,
                                    uint32_t n)
{
    const rlxc_expr **at = rlxc_alloc(ctx, ((size_t)store->store.n + 1) * sizeof *at);
    for (uint32_t i = 0; i < store->store.n; i++)
        at[i] = rlxc_substitute(ctx, store->store.indices[i], from, to, n);
    return rlxc_stmt_store(ctx, store->store.buffer, at, store->store.n,
                           rlxc_substitute(ctx, store->store.value, from, to, n));
}

static bool add_store(stores *s, const rlxc_stmt *store)
{
    if (s->n == MOST_STORES || store->store.n > RLXC_NEST_AXES)
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->items[i]->store.buffer->data == store->store.buffer->data)
            return false;
    s->items[s->n++] = substituted(s->ctx, store, s->vars, s->values, s->n_lets);
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
    own->body = substituted(ctx, body->items[i], from, to, b->n_axes);
    own->init = k < init->n ? substituted(ctx, init->items[k], from, to, b->n_axes) : NULL;
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

/* Takes the initial values of a reduction out of its body, where they are written as a condition on
 * the first step instead of T.init. */
static void take_init(rlxc_context *ctx, const rlxc_block *b, const rlxc_stmt **init,
                      const rlxc_stmt **body)
{
    const rlxc_stmt *seq = b->body;
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
static uint32_t split_stores(rlxc_context *ctx, const rlxc_block *b,
                             const rlxc_block *out[MOST_STORES])
{
    stores body = {.ctx = ctx}, init = {.ctx = ctx};
    const rlxc_stmt *first = b->init, *each = b->body;
    if (b->n_axes > RLXC_NEST_AXES)
        return 0;
    take_init(ctx, b, &first, &each);
    if (!add_stores(&body, each) || (first && (!add_stores(&init, first) || init.n != body.n)))
        return 0;
    for (uint32_t i = 0; i < body.n; i++)
        if (!(out[i] = block_of(ctx, b, &body, &init, i)) || !rlxc_nest_is_simple(ctx, out[i]))
            return 0;
    return rlxc_failed(ctx) ? 0 : body.n;
}

/* --- taking apart ----------------------------------------------------------------------------- */

typedef struct path {
    const rlxc_stmt *loops[RLXC_NEST_LOOPS];
    uint32_t n;
    const rlxc_expr *cond; /* of the ifs around, or NULL */
} path;

/* |a| and |b|; NULL: always. */
static const rlxc_expr *both(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return a && b ? rlxc_binary(ctx, RLXC_EXPR_AND, a, b) : a ? a : b;
}

/* The block |s| with the conditions of the ifs around it as a part of its predicate. */
static const rlxc_stmt *guarded(rlxc_context *ctx, const rlxc_stmt *s, const rlxc_expr *cond)
{
    if (!cond)
        return s;
    rlxc_stmt *own = (rlxc_stmt *)(uintptr_t)rlxc_stmt_block(ctx, s->block.block, s->block.values,
                                                             both(ctx, cond, s->block.predicate));
    own->range = s->range;
    return own;
}

static bool is_own(const rlxc_stmt *store, const rlxc_expr *e)
{
    bool own = e->kind == RLXC_EXPR_LOAD && e->load.buffer == store->store.buffer;
    for (uint32_t i = 0; own && i < store->store.n; i++)
        own = e->load.indices[i] == store->store.indices[i];
    return own;
}

/* True if |store| adds a value to an element, multiplies it, or keeps the larger or smaller one:
 * the order of such updates does not count. */
static bool is_update(rlxc_context *ctx, const rlxc_stmt *store)
{
    const rlxc_expr *e = store->store.value;
    if (e->kind != RLXC_EXPR_ADD && e->kind != RLXC_EXPR_MUL && e->kind != RLXC_EXPR_MIN &&
        e->kind != RLXC_EXPR_MAX)
        return false;
    return is_own(store, e->bin.a)
               ? !rlxc_mentions(ctx, e->bin.b, store->store.buffer)
               : is_own(store, e->bin.b) && !rlxc_mentions(ctx, e->bin.a, store->store.buffer);
}

/* The block that a store in plain loops stands for: loops that are not among its indices are
 * reductions, if it is an update. NULL: there is none. Loops of int32 stay: schedules count in
 * int64, and the proof of results in place does not see through the casts of such indices. */
static const rlxc_stmt *block_around(rlxc_context *ctx, const rlxc_stmt *store, const path *at)
{
    rlxc_axis *axes = rlxc_try_alloc(ctx, (size_t)at->n + 1, sizeof *axes);
    const rlxc_expr **values = rlxc_try_alloc(ctx, (size_t)at->n + 1, sizeof *values);
    const rlxc_expr *vars[RLXC_NEST_LOOPS];
    rlxc_block *block = rlxc_try_alloc(ctx, 1, sizeof *block);
    bool reduces = false;
    if (!axes || !values || !block || at->n == 0 || at->n > RLXC_NEST_AXES || !is_store(store))
        return NULL;
    for (uint32_t k = 0; k < at->n; k++) {
        const rlxc_stmt *loop = at->loops[k];
        uint32_t i = 0;
        if (loop->loop.kind != RLXC_LOOP_SERIAL || loop->loop.annotations.count ||
            !rlxc_dtype_eq(loop->loop.var->dtype, RLX_I64))
            return NULL;
        values[k] = loop->loop.var;
        while (i < store->store.n && store->store.indices[i] != values[k])
            i++;
        vars[k] = rlxc_var_like(ctx, values[k]);
        axes[k] = (rlxc_axis){.kind = i < store->store.n ? RLXC_AXIS_SPATIAL : RLXC_AXIS_REDUCE,
                              .var = vars[k],
                              .min = rlxc_int(ctx, values[k]->dtype, 0),
                              .extent = loop->loop.extent};
        reduces = reduces || i == store->store.n;
    }
    if (reduces && !is_update(ctx, store))
        return NULL;
    *block = (rlxc_block){.name = store->store.buffer->name, .axes = axes, .n_axes = at->n};
    block->body = substituted(ctx, store, values, vars, at->n);
    rlxc_stmt *realize = (rlxc_stmt *)(uintptr_t)rlxc_stmt_block(ctx, block, values, NULL);
    realize->range = store->range;
    return realize;
}

static bool collect(rlxc_context *ctx, const rlxc_stmt *s, path *at, rlxc_nests *out)
{
    if (s->kind == RLXC_STMT_FOR) {
        if (at->n == RLXC_NEST_LOOPS)
            return false;
        at->loops[at->n++] = s;
        bool done = collect(ctx, s->loop.body, at, out);
        at->n--;
        return done;
    }
    if (s->kind == RLXC_STMT_SEQ) {
        for (uint32_t i = 0; i < s->seq.n; i++)
            if (!collect(ctx, s->seq.items[i], at, out))
                return false;
        return true;
    }
    if (rlxc_stmt_is_nothing(s))
        return true;
    if (s->kind == RLXC_STMT_IF && !s->if_.otherwise) {
        const rlxc_expr *outer = at->cond;
        at->cond = both(ctx, outer, s->if_.cond);
        bool done = collect(ctx, s->if_.then, at, out);
        at->cond = outer;
        return done;
    }
    if (s->kind == RLXC_STMT_STORE)
        s = block_around(ctx, s, at);
    if (!s || s->kind != RLXC_STMT_BLOCK)
        return false;
    const rlxc_block *blocks[MOST_STORES] = {s->block.block};
    const uint32_t n =
        rlxc_nest_is_simple(ctx, blocks[0]) ? 1 : split_stores(ctx, s->block.block, blocks);
    rlxc_nest nest = {.n_loops = at->n, .realize = guarded(ctx, s, at->cond)};
    for (uint32_t i = 0; i < at->n; i++)
        nest.loops[i] = at->loops[i];
    for (uint32_t k = 0; k < n; k++) {
        nest.block = blocks[k];
        RLXC_PUSH(ctx, out, nest);
    }
    return n > 0 && !rlxc_failed(ctx);
}

static uint32_t shared_loops(const rlxc_nest *a, const rlxc_nest *b)
{
    uint32_t n = 0;
    while (n < a->n_loops && n < b->n_loops && a->loops[n] == b->loops[n])
        n++;
    return n;
}

/* The value of an axis where the loops that are not shared are at 0. */
static const rlxc_expr *shared_part(rlxc_context *ctx, const rlxc_nest *nest, uint32_t shared,
                                    const rlxc_expr *value)
{
    for (uint32_t i = shared; i < nest->n_loops; i++) {
        const rlxc_expr *var = nest->loops[i]->loop.var, *zero = rlxc_int(ctx, var->dtype, 0);
        value = rlxc_substitute(ctx, value, &var, &zero, 1);
    }
    return rlxc_canonical(ctx, rlxc_cast(ctx, RLX_I64, value), NULL);
}

/* True if both have the same elements in each iteration of the shared loops. */
static bool same_elements(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *b,
                          uint32_t shared)
{
    for (uint32_t i = 0; i < a->block->body->store.n; i++) {
        const rlxc_expr *x = a->block->body->store.indices[i];
        const rlxc_expr *y = b->block->body->store.indices[i];
        uint32_t p = rlxc_block_axis(a->block, x), q = rlxc_block_axis(b->block, y);
        bool constant = p == a->block->n_axes || q == b->block->n_axes;
        if (constant ? x != y
                     : !rlxc_prove_eq(ctx, a->extents[p], b->extents[q], NULL) ||
                           shared_part(ctx, a, shared, a->realize->block.values[p]) !=
                               shared_part(ctx, b, shared, b->realize->block.values[q]))
            return false;
    }
    return true;
}

/* True if a shared loop is a reduction loop of |nest|. */
static bool shares_reduction(rlxc_context *ctx, const rlxc_nest *nest, uint32_t shared)
{
    for (uint32_t k = 0; k < nest->block->n_axes; k++)
        for (uint32_t i = 0; i < shared && nest->block->axes[k].kind == RLXC_AXIS_REDUCE; i++)
            if (rlxc_expr_uses_var(ctx, nest->realize->block.values[k], nest->loops[i]->loop.var))
                return true;
    return false;
}

/* True if |b| copies the sums of |a| in each iteration of the reduction: only the last copies are
 * complete. */
static bool copies_last(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *b, uint32_t shared)
{
    if (!rlxc_copied(ctx, b->block) || !same_elements(ctx, a, b, shared))
        return false;
    for (uint32_t k = 0; k < a->block->n_axes; k++)
        for (uint32_t i = 0; i < shared && a->block->axes[k].kind == RLXC_AXIS_REDUCE; i++) {
            const rlxc_expr *var = a->loops[i]->loop.var;
            bool used = rlxc_expr_uses_var(ctx, a->realize->block.values[k], var);
            for (uint32_t m = 0; m < b->block->n_axes && used; m++)
                if (rlxc_expr_uses_var(ctx, b->realize->block.values[m], var))
                    return false;
        }
    return true;
}

/* True if all of |a| may run before all of |b|, which follows it. */
static bool may_part(rlxc_context *ctx, const rlxc_nest *a, const rlxc_nest *b,
                     const rlxc_temps *temps)
{
    const rlxc_buffer *x = a->block->body->store.buffer, *y = b->block->body->store.buffer;
    uint32_t shared = shared_loops(a, b);
    if (shared == 0)
        return true;
    if (x->data == y->data)
        return x == y && !a->block->init && !b->block->init &&
               !rlxc_nest_reads_own(ctx, a->block) && rlxc_nest_reads_own(ctx, b->block) &&
               !shares_reduction(ctx, b, shared) && same_elements(ctx, a, b, shared);
    if (rlxc_nest_reads(ctx, a->block, y))
        return false;
    return !rlxc_nest_reads(ctx, b->block, x) ||
           (rlxc_temp_writers(temps, x) == 1 &&
            (!shares_reduction(ctx, a, shared) || copies_last(ctx, a, b, shared)));
}

bool rlxc_distribute(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_temps *temps,
                     rlxc_nests *out)
{
    path at = {.n = 0};
    const uint32_t first = out->count;
    bool done = collect(ctx, stmt, &at, out);
    for (uint32_t i = first; i < out->count && done; i++)
        done = rlxc_nest_axes(ctx, &out->items[i]);
    for (uint32_t i = first; i < out->count && done; i++)
        for (uint32_t k = i + 1; k < out->count && done; k++)
            done = may_part(ctx, &out->items[i], &out->items[k], temps);
    if (!done)
        out->count = first;
    return done;
}

/* Pass normalize_blocks: undoes the schedules of other tools in PrimFuncs.
 *
 *   for i, j0, j1 in T.grid(32, 48, 16):          for i, j in T.grid(32, 768):
 *       with T.block("B"):                            with T.block("B"):
 *           vi = T.axis.spatial(32, i)                    vi, vj = T.axis.remap("SS", [i, j])
 *           vj = T.axis.spatial(768, j0 * 16 + j1)        ...
 *
 * Loops that were split, fused and reordered become the axes of their block; loops around several
 * blocks become one nest for each; the initialisation of a reduction becomes part of it; copies
 * into temporaries and out of them are removed; expressions and loops get one spelling. The rules
 * of the schedule then see the plain form. A statement whose rewriting is not proved equal stays as
 * written (compiler/schedule/normal.h). */
#include <string.h>

#include "compiler/ir/operation.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/normal_attention.h"

typedef struct state {
    rlxc_context *ctx;
    rlxc_prim_func *f;
    const rlxc_block *root; /* or NULL */
    const rlxc_stmt **stmts;
    uint32_t n;
    rlxc_temps temps;
    uint32_t odd; /* statements that are not in normal form */
    bool changed;
} state;

/* --- temporaries ------------------------------------------------------------------------------ */

static void count_writers(state *s)
{
    for (uint32_t t = 0; t < s->temps.n; t++) {
        s->temps.writers[t] = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->stmts[i], s->temps.items[t]);
            s->temps.writers[t] += rlxc_is_opaque(&u) ? 2 : u.stores > 0;
        }
    }
}

/* |buffer| is no longer needed. */
static void drop_temp(state *s, const rlxc_buffer *buffer)
{
    rlxc_buffer **kept = rlxc_try_alloc(s->ctx, s->temps.n, sizeof *kept);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->temps.n && kept; i++)
        if (s->temps.items[i] != buffer) {
            s->temps.writers[n] = s->temps.writers[i];
            kept[n++] = s->temps.items[i];
        }
    if (kept) {
        s->temps.items = kept;
        s->temps.n = n;
    }
    s->changed = true;
}

static void add_temp(state *s, rlxc_buffer *buffer)
{
    rlxc_buffer **own = rlxc_try_alloc(s->ctx, (size_t)s->temps.n + 1, sizeof *own);
    uint32_t *writers = rlxc_try_alloc(s->ctx, (size_t)s->temps.n + 1, sizeof *writers);
    if (!own || !writers)
        return;
    for (uint32_t i = 0; i < s->temps.n; i++) {
        own[i] = s->temps.items[i];
        writers[i] = s->temps.writers[i];
    }
    own[s->temps.n] = buffer;
    writers[s->temps.n] = 1;
    s->temps = (rlxc_temps){own, writers, s->temps.n + 1};
    s->changed = true;
}

/* --- copies ----------------------------------------------------------------------------------- */

typedef struct copy {
    state *s;
    const rlxc_stmt *realize; /* of the block that copies */
    const rlxc_buffer *from, *to;
    bool moves;
} copy;

static bool find_copy(void *user, const rlxc_stmt *s)
{
    copy *c = user;
    if (c->realize || s->kind != RLXC_STMT_BLOCK || s->block.block->n_axes == 0 ||
        s->block.block->body->kind != RLXC_STMT_STORE)
        return !c->realize;
    const rlxc_buffer *to = s->block.block->body->store.buffer;
    if (rlxc_temp_writers(&c->s->temps, to) != 1)
        return true;
    const rlxc_buffer *from = rlxc_copied(c->s->ctx, s->block.block);
    if (from && (c->moves || rlxc_temp_writers(&c->s->temps, from) == 0 ||
                 strcmp(from->scope, "global") == 0)) {
        c->realize = s;
        c->from = from;
        c->to = to;
    }
    return !c->realize;
}

/* Removes the copy, and loops that are now empty. */
static const rlxc_stmt *without_copy(void *user, const rlxc_stmt *s)
{
    const copy *c = user;
    if (s->kind == RLXC_STMT_BLOCK && s->block.block->body->kind == RLXC_STMT_STORE &&
        s->block.block->body->store.buffer == c->to)
        return rlxc_stmt_nothing(c->s->ctx);
    return s->kind == RLXC_STMT_FOR && rlxc_stmt_is_nothing(s->loop.body)
               ? rlxc_stmt_nothing(c->s->ctx)
               : NULL;
}

/* True if |c|'s source is complete before its statement, |at|, and does not change later. */
static bool source_stays(const copy *c, uint32_t at)
{
    for (uint32_t i = 0; i < c->s->n; i++) {
        const rlxc_buffer_use from = rlxc_use_of(c->s->ctx, c->s->stmts[i], c->from);
        const rlxc_buffer_use to = rlxc_use_of(c->s->ctx, c->s->stmts[i], c->to);
        if (rlxc_is_opaque(&from) || rlxc_is_opaque(&to) || (from.stores && i >= at) ||
            (to.loads && i < at) || to.stores > 1)
            return false;
    }
    return true;
}

static bool inline_copy(state *s, uint32_t at, bool moves)
{
    copy c = {.s = s, .moves = moves};
    rlxc_stmt_visit(s->stmts[at], find_copy, &c);
    if (!c.realize || !source_stays(&c, at))
        return false;
    const rlxc_stmt_rewriter rewriter = {.user = &c, .stmt = without_copy};
    s->stmts[at] = rlxc_stmt_rewrite(s->ctx, s->stmts[at], &rewriter);
    for (uint32_t i = at; i < s->n; i++)
        s->stmts[i] = rlxc_with_buffer(s->ctx, s->stmts[i], c.to, c.from, false);
    drop_temp(s, c.to);
    return true;
}

/* |moves|: also copies of temporaries that nothing else reads; in the first round those may become
 * their destination instead. */
static void inline_copies(state *s, bool moves)
{
    count_writers(s);
    for (uint32_t i = 0; i < s->n && !rlxc_failed(s->ctx); i++)
        while (inline_copy(s, i, moves)) {
        }
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* True if a temporary has another layout now. */
static bool plain_layouts(state *s)
{
    bool changed = false;
    rlxc_buffer **own = rlxc_try_alloc(s->ctx, s->temps.n, sizeof *own);
    for (uint32_t t = 0; t < s->temps.n && own; t++) {
        bool fixed = false;
        for (uint32_t i = 0; i < s->n && !fixed; i++) {
            const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->stmts[i], s->temps.items[t]);
            fixed = rlxc_is_opaque(&u) || u.vectors;
        }
        own[t] = fixed ? s->temps.items[t]
                       : rlxc_plain_layout(s->ctx, s->stmts, s->n, s->temps.items[t]);
        changed = changed || own[t] != s->temps.items[t];
    }
    s->changed = s->changed || changed;
    if (own)
        s->temps.items = own;
    for (uint32_t i = 0; i < s->n; i++) /* dimensions may be split over a loop now */
        s->stmts[i] = rlxc_cut_loops(s->ctx, s->stmts[i], false);
    return changed;
}

/* --- nests ------------------------------------------------------------------------------------ */

typedef struct item { /* a nest, or a statement that stays as it was written */
    const rlxc_nest *nest;
    uint32_t from; /* the statement that it is a part of */
    bool removed;
} item;
typedef RLXC_VEC(item) items;

static const rlxc_buffer *stored_by(const item *x)
{
    return x->nest ? x->nest->block->body->store.buffer : NULL;
}

/* True for a store without loops and block, which stays as it is. */
static bool is_bare(const state *s, const item *x)
{
    return s->stmts[x->from]->kind == RLXC_STMT_STORE;
}

static bool mentions(const state *s, const item *x, const rlxc_buffer *buffer)
{
    if (x->removed)
        return false;
    if (x->nest)
        return stored_by(x)->data == buffer->data ||
               rlxc_nest_reads(s->ctx, x->nest->block, buffer);
    const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->stmts[x->from], buffer);
    return rlxc_is_used(&u) || rlxc_is_opaque(&u);
}

/* Joins items[first], an initial value that loads, with |sum|, which is items[i]. */
static bool join_loaded(state *s, const items *all, uint32_t first, uint32_t i, rlxc_nest *sum)
{
    const rlxc_nest *init = all->items[first].nest;
    rlxc_nest joined = *sum, rest;
    rlxc_buffer *temp;
    for (uint32_t k = first + 1; k < i; k++) {
        const rlxc_buffer *changed = stored_by(&all->items[k]);
        if (!changed || (!all->items[k].removed && rlxc_nest_reads(s->ctx, init->block, changed)))
            return false;
    }
    if (!rlxc_join_init(s->ctx, &joined, init))
        return false;
    *sum = joined;
    return rlxc_split_init(s->ctx, &joined, &rest, &temp);
}

/* Joins a nest that stores the initial value of a reduction with the reduction. */
static void join_inits(state *s, items *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const rlxc_buffer *out = stored_by(&all->items[i]);
        uint32_t k = i;
        while (out && k > 0 && !mentions(s, &all->items[k - 1], out))
            k--;
        if (!out || k == 0 || stored_by(&all->items[k - 1]) != out || is_bare(s, &all->items[i]))
            continue;
        rlxc_nest joined = *all->items[i].nest;
        const rlxc_nest *init = all->items[k - 1].nest;
        if (rlxc_expr_visit(s->ctx, init->block->body->store.value, rlxc_is_no_load, NULL)
                ? !rlxc_join_init(s->ctx, &joined, init)
                : (k != i || !rlxc_join_first(s->ctx, &joined, init)) &&
                      !join_loaded(s, all, k - 1, i, &joined))
            continue;
        all->items[i].nest = rlxc_copy(s->ctx, &joined, sizeof joined);
        all->items[k - 1].removed = true;
    }
}

/* True if two parts of a statement still store to one buffer: they may have to alternate. */
static bool parts_collide(const items *all, uint32_t *out_statement)
{
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = i + 1; k < all->count && all->items[k].from == all->items[i].from; k++)
            if (!all->items[i].removed && !all->items[k].removed &&
                stored_by(&all->items[i])->data == stored_by(&all->items[k])->data) {
                *out_statement = all->items[i].from;
                return true;
            }
    return false;
}

/* True if a part of a statement stores an initial value over what another statement stored, where
 * the text may store nothing. */
static bool covers_earlier(state *s, const items *all, uint32_t *out_statement)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const item *x = &all->items[i];
        if (!x->nest || !rlxc_stores_without_step(s->ctx, x->nest))
            continue;
        for (uint32_t k = 0; k < i; k++)
            if (all->items[k].from != x->from && mentions(s, &all->items[k], stored_by(x))) {
                *out_statement = x->from;
                return true;
            }
    }
    return false;
}

static void split_statement(state *s, uint32_t i, items *all)
{
    rlxc_nests nests = {0};
    if (!rlxc_distribute(s->ctx, s->stmts[i], &s->temps, &nests)) {
        RLXC_PUSH(s->ctx, all, (item){.from = i});
        return;
    }
    for (uint32_t k = 0; k < nests.count; k++) {
        rlxc_order_operands(s->ctx, &nests.items[k]);
        rlxc_shorten_reduction(s->ctx, &nests.items[k]);
        RLXC_PUSH(s->ctx, all, (item){.nest = &nests.items[k], .from = i});
    }
}

static void split_statements(state *s, items *all)
{
    bool *keep = rlxc_try_alloc(s->ctx, s->n, sizeof *keep);
    for (uint32_t collision = 0; keep && !rlxc_failed(s->ctx);) {
        *all = (items){0};
        for (uint32_t i = 0; i < s->n; i++)
            if (keep[i])
                RLXC_PUSH(s->ctx, all, (item){.from = i});
            else
                split_statement(s, i, all);
        if (!covers_earlier(s, all, &collision)) {
            join_inits(s, all);
            if (!parts_collide(all, &collision))
                break;
        }
        keep[collision] = true;
    }
}

/* Gives values that follow each other in one temporary a temporary each. */
static void separate_values(state *s, items *all)
{
    rlxc_nest **nests = rlxc_try_alloc(s->ctx, (size_t)all->count + 1, sizeof *nests);
    uint32_t n = 0;
    bool whole = nests != NULL; /* all of the function is nests */
    for (uint32_t i = 0; i < all->count && whole; i++) {
        item *x = &all->items[i];
        whole = x->nest && !is_bare(s, x);
        if (!whole || x->removed)
            continue;
        nests[n] = rlxc_copy(s->ctx, x->nest, sizeof **nests);
        x->nest = nests[n++];
    }
    if (whole)
        rlxc_separate_values(s->ctx, nests, n, &s->temps);
    for (uint32_t i = 0; i < all->count && !rlxc_failed(s->ctx); i++) {
        rlxc_buffer *temp = all->items[i].nest ? all->items[i].nest->temp : NULL;
        if (temp && rlxc_temp_writers(&s->temps, temp) == 0)
            add_temp(s, temp);
    }
    for (uint32_t t = 0; t < s->temps.n && whole; t++) {
        uint32_t writers = 0;
        for (uint32_t i = 0; i < n; i++)
            writers += nests[i]->block->body->store.buffer == s->temps.items[t];
        if (s->temps.writers[t] > 0 && writers > 0)
            s->temps.writers[t] = writers;
    }
}

/* --- temporaries of one iteration ------------------------------------------------------------- */

static bool only_in(const state *s, uint32_t at, const rlxc_buffer *buffer)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->stmts[i], buffer);
        if (rlxc_is_opaque(&u) || (i != at && rlxc_is_used(&u)))
            return false;
    }
    return true;
}

/* Statement |at| with such places in its temporaries, those of the function and |inner|, if its
 * loops can then be split. */
static bool try_places(state *s, uint32_t at, const rlxc_stmt *stmt, const rlxc_buffers *inner,
                       rlxc_places places)
{
    const uint32_t all = s->temps.n + inner->count;
    rlxc_nests nests = {0};
    rlxc_buffer **buffers = rlxc_try_alloc(s->ctx, all, sizeof *buffers);
    uint32_t *writers = rlxc_try_alloc(s->ctx, all, sizeof *writers);
    for (uint32_t i = 0; i < all && buffers && writers; i++) {
        const bool fresh = i >= s->temps.n;
        const rlxc_buffer *temp = fresh ? inner->items[i - s->temps.n] : s->temps.items[i];
        if (places != RLXC_ONE_PLACE && (fresh || only_in(s, at, temp))) {
            const rlxc_stmt *placed = rlxc_place_local(s->ctx, stmt, fresh ? s->stmts[at] : NULL,
                                                       places, s->f, &s->temps, &temp);
            if (!placed && fresh)
                return false;
            stmt = placed ? placed : stmt;
        }
        buffers[i] = (rlxc_buffer *)(uintptr_t)temp;
        writers[i] = fresh ? 1 : s->temps.writers[i];
    }
    const rlxc_temps temps = {buffers, writers, all};
    if (!buffers || !writers || rlxc_failed(s->ctx) ||
        !rlxc_distribute(s->ctx, stmt, &temps, &nests))
        return false;
    s->stmts[at] = stmt;
    s->temps = temps;
    s->changed = true;
    return true;
}

/* Statement |at| without temporaries that only move elements; |inner| are all of it, as above. */
static bool try_inlined(state *s, uint32_t at, const rlxc_stmt *stmt, const rlxc_buffers *inner)
{
    rlxc_buffers left = {0};
    rlxc_nests nests = {0};
    for (uint32_t i = 0; i < inner->count; i++) {
        const rlxc_stmt *without =
            rlxc_inline_local(s->ctx, stmt, s->stmts[at], &s->temps, inner->items[i]);
        if (!without)
            RLXC_PUSH(s->ctx, &left, inner->items[i]);
        stmt = without ? without : stmt;
    }
    if (left.count == inner->count)
        return false;
    const rlxc_stmt *const written = s->stmts[at];
    const rlxc_temps temps = s->temps;
    const bool changed = s->changed;
    bool done = false;
    for (rlxc_places k = RLXC_ONE_PLACE; k <= RLXC_TILE_PLACES && !done; k++)
        done = try_places(s, at, stmt, &left, k);
    done = done && rlxc_distribute(s->ctx, s->stmts[at], &s->temps, &nests);
    for (uint32_t i = 0; i < nests.count && done; i++)
        done = rlxc_reads_plainly(s->ctx, &nests.items[i]);
    if (done)
        return true;
    s->stmts[at] = written;
    s->temps = temps;
    s->changed = changed;
    return false;
}

/* Temporaries in the order of the first stores to them. */
typedef struct stored_order {
    rlxc_context *ctx;
    const rlxc_buffers *all;
    rlxc_buffers sorted;
} stored_order;

static bool has(const rlxc_buffers *list, const rlxc_buffer *buffer)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] == buffer)
            return true;
    return false;
}

static bool note_stored(void *user, const rlxc_stmt *s)
{
    stored_order *o = user;
    if (s->kind == RLXC_STMT_STORE && has(o->all, s->store.buffer) &&
        !has(&o->sorted, s->store.buffer))
        RLXC_PUSH(o->ctx, &o->sorted, (rlxc_buffer *)(uintptr_t)s->store.buffer);
    return true;
}

/* A temporary that is computed from others comes after them: the loops that it depends on are in
 * its statement then. */
static void sort_by_stores(state *s, const rlxc_stmt *stmt, rlxc_buffers *all)
{
    stored_order o = {.ctx = s->ctx, .all = all};
    rlxc_stmt_visit(stmt, note_stored, &o);
    for (uint32_t i = 0; i < all->count; i++)
        if (!has(&o.sorted, all->items[i]))
            RLXC_PUSH(s->ctx, &o.sorted, all->items[i]);
    *all = o.sorted;
}

/* Lets the loops of statement |at| be split, if its temporaries prevent it. */
static void place_locals(state *s, uint32_t at)
{
    rlxc_buffers inner = {0};
    rlxc_nests nests = {0};
    if (s->stmts[at]->kind != RLXC_STMT_FOR)
        return;
    const rlxc_stmt *stmt = rlxc_without_allocs(s->ctx, s->stmts[at], &inner);
    sort_by_stores(s, stmt, &inner);
    if (inner.count == 0 && rlxc_distribute(s->ctx, stmt, &s->temps, &nests))
        return;
    if (inner.count &&
        (try_places(s, at, stmt, &inner, RLXC_ONE_PLACE) || try_inlined(s, at, stmt, &inner)))
        return;
    for (rlxc_places k = RLXC_OWN_PLACES; k <= RLXC_TILE_PLACES; k++)
        if (try_places(s, at, stmt, &inner, k))
            return;
}

/* --- partial reductions ----------------------------------------------------------------------- */

/* The nest of items[i] with the reduction whose results it reduces, items[k], as a part of it. */
static bool merge_partial(state *s, items *all, uint32_t k, uint32_t i)
{
    const rlxc_buffer *temp = stored_by(&all->items[k]);
    rlxc_nests nests = {0};
    if (!temp || all->items[k].removed || rlxc_temp_writers(&s->temps, temp) != 1)
        return false;
    for (uint32_t m = 0; m < all->count; m++) {
        const rlxc_buffer *out = stored_by(&all->items[m]);
        if (m != i && m != k && mentions(s, &all->items[m], temp))
            return false;
        if (m > k && m <= i && !all->items[m].removed &&
            (!out || rlxc_nest_reads(s->ctx, all->items[k].nest->block, out)))
            return false;
    }
    const rlxc_stmt *merged = rlxc_merge_partial(s->ctx, all->items[i].nest, all->items[k].nest);
    if (!merged || !rlxc_distribute(s->ctx, merged, &s->temps, &nests) || nests.count != 1)
        return false;
    rlxc_shorten_reduction(s->ctx, &nests.items[0]);
    all->items[i].nest = &nests.items[0];
    all->items[k].removed = true;
    drop_temp(s, temp);
    return true;
}

static void merge_partials(state *s, items *all)
{
    for (uint32_t i = 0; i < all->count && !rlxc_failed(s->ctx); i++)
        for (uint32_t k = i; all->items[i].nest && k-- > 0;)
            if (merge_partial(s, all, k, i))
                k = i;
}

/* --- moves ------------------------------------------------------------------------------------ */

/* Lets the readers of the temporary that items[k] fills by moving elements read its source. */
static void inline_move(state *s, items *all, uint32_t k)
{
    const item *x = &all->items[k];
    const rlxc_expr *load = x->nest && !x->removed ? rlxc_moved(s->ctx, x->nest) : NULL;
    if (!load || rlxc_temp_writers(&s->temps, stored_by(x)) != 1)
        return;
    const rlxc_buffer *temp = stored_by(x);
    rlxc_nest *own = rlxc_try_alloc(s->ctx, all->count, sizeof *own);
    if (!own)
        return;
    for (uint32_t i = 0; i < all->count; i++) {
        const item *r = &all->items[i];
        if (i == k || r->removed)
            continue;
        if (i < k      ? mentions(s, r, temp)
            : !r->nest ? mentions(s, r, temp) || mentions(s, r, load->load.buffer)
                       : stored_by(r)->data == load->load.buffer->data)
            return;
        if (i > k && r->nest && rlxc_nest_reads(s->ctx, r->nest->block, temp)) {
            own[i] = *r->nest;
            if (is_bare(s, r) || !rlxc_inline_move(s->ctx, &own[i], x->nest))
                return;
        }
    }
    for (uint32_t i = k + 1; i < all->count; i++)
        if (own[i].block)
            all->items[i].nest = &own[i];
    all->items[k].removed = true;
    drop_temp(s, temp);
}

/* --- borders ---------------------------------------------------------------------------------- */

/* Adds what sums begin with after them. */
static void split_inits(state *s, items *all)
{
    items with = {0};
    for (uint32_t i = 0; i < all->count && !rlxc_failed(s->ctx); i++) {
        item x = all->items[i];
        rlxc_nest nest, rest;
        rlxc_buffer *temp;
        if (x.nest && !x.removed)
            nest = *x.nest;
        if (!x.nest || x.removed || !rlxc_split_init(s->ctx, &nest, &rest, &temp)) {
            RLXC_PUSH(s->ctx, &with, x);
            continue;
        }
        add_temp(s, temp);
        x.nest = rlxc_copy(s->ctx, &nest, sizeof nest);
        RLXC_PUSH(s->ctx, &with, x);
        x.nest = rlxc_copy(s->ctx, &rest, sizeof rest);
        RLXC_PUSH(s->ctx, &with, x);
    }
    *all = with;
}

/* Puts the temporaries with borders in front of the windows that read them. */
static void take_borders(state *s, items *all)
{
    items with = {0};
    for (uint32_t i = 0; i < all->count && !rlxc_failed(s->ctx); i++) {
        item x = all->items[i];
        rlxc_nest nest, filling;
        rlxc_buffer *temp;
        if (x.nest && !x.removed)
            nest = *x.nest;
        while (x.nest && !x.removed && rlxc_take_border(s->ctx, &nest, &filling, &temp)) {
            add_temp(s, temp);
            RLXC_PUSH(s->ctx, &with,
                      (item){.nest = rlxc_copy(s->ctx, &filling, sizeof filling), .from = x.from});
            x.nest = rlxc_copy(s->ctx, &nest, sizeof nest);
        }
        RLXC_PUSH(s->ctx, &with, x);
    }
    *all = with;
}

/* --- results that are copied out -------------------------------------------------------------- */

static bool is_opaque(const state *s, const rlxc_buffer *buffer)
{
    bool opaque = false;
    for (uint32_t i = 0; i < s->n && !opaque; i++) {
        const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->stmts[i], buffer);
        opaque = rlxc_is_opaque(&u);
    }
    return opaque;
}

/* The temporary that item |at| copies out whole, if it has no other use; or NULL. */
static const rlxc_buffer *copied_out(const state *s, const items *all, uint32_t at)
{
    const item *x = &all->items[at];
    const rlxc_buffer *from = x->nest && !x->removed ? rlxc_copied(s->ctx, x->nest->block) : NULL;
    if (!from || rlxc_temp_writers(&s->temps, from) == 0 ||
        !rlxc_nest_stores_all(s->ctx, x->nest) ||
        (!rlxc_same_dims(from, stored_by(x)) && is_opaque(s, from)))
        return NULL;
    for (uint32_t i = 0; i < all->count; i++) {
        const item *other = &all->items[i];
        if (i == at || other->removed)
            continue;
        if ((mentions(s, other, from) && (i > at || stored_by(other) != from)) ||
            (mentions(s, other, stored_by(x)) &&
             (i < at || rlxc_temp_writers(&s->temps, stored_by(x)) != 1)))
            return NULL;
    }
    return from;
}

static void emit(state *s, const items *all)
{
    const rlxc_stmt **stmts = rlxc_try_alloc(s->ctx, all->count, sizeof *stmts);
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->count && stmts; i++) {
        const item *x = &all->items[i];
        if (x->removed)
            continue;
        stmts[n] = x->nest && !is_bare(s, x) ? rlxc_nest_stmt(s->ctx, x->nest) : s->stmts[x->from];
        s->changed = s->changed || stmts[n] != s->stmts[x->from];
        n++;
    }
    if (!stmts)
        return;
    s->changed = s->changed || n != s->n;
    s->stmts = stmts;
    s->n = n;
}

static void remake(state *s)
{
    items all = {0};
    split_statements(s, &all);
    s->odd = 0;
    for (uint32_t i = 0; i < all.count; i++)
        s->odd += all.items[i].nest == NULL;
    separate_values(s, &all);
    split_inits(s, &all);
    merge_partials(s, &all);
    for (uint32_t i = 0; i < all.count && !rlxc_failed(s->ctx); i++)
        inline_move(s, &all, i);
    take_borders(s, &all);
    RLXC_VEC(const rlxc_buffer *) exchanged = {0};
    for (uint32_t i = 0; i < all.count && !rlxc_failed(s->ctx); i++) {
        const rlxc_buffer *from = copied_out(s, &all, i);
        if (!from)
            continue;
        RLXC_PUSH(s->ctx, &exchanged, from);
        RLXC_PUSH(s->ctx, &exchanged, stored_by(&all.items[i]));
        all.items[i].removed = true;
    }
    if (rlxc_failed(s->ctx))
        return;
    emit(s, &all);
    for (uint32_t k = 0; k + 1 < exchanged.count && !rlxc_failed(s->ctx); k += 2) {
        for (uint32_t i = 0; i < s->n; i++)
            s->stmts[i] = rlxc_with_buffer(s->ctx, s->stmts[i], exchanged.items[k],
                                           exchanged.items[k + 1], true);
        drop_temp(s, exchanged.items[k]);
    }
}

/* --- attention -------------------------------------------------------------------------------- */

/* Attention in any spelling becomes the blocks that legalization makes. */
static void rewrite_attention(state *s)
{
    rlxc_nests nests = {0};
    count_writers(s);
    for (uint32_t i = 0; i < s->n; i++)
        if (!rlxc_distribute(s->ctx, s->stmts[i], &s->temps, &nests) || nests.count != i + 1)
            return;
    rlxc_attention_form form;
    if (!rlxc_read_attention(s->ctx, nests.items, nests.count, &s->temps, &form))
        return;
    rlxc_stmts stmts = {0};
    rlxc_buffers temps = {0};
    rlxc_write_attention(s->ctx, &form, &stmts, &temps);
    if (rlxc_failed(s->ctx))
        return;
    s->stmts = stmts.items;
    s->n = stmts.count;
    s->temps.items = temps.items;
    s->temps.n = temps.count;
    s->changed = true;
}

/* --- functions -------------------------------------------------------------------------------- */

enum { MOST_QUESTIONS = 1 << 14 }; /* statements times temporaries */

static bool begin(state *s)
{
    const rlxc_stmt *body = s->f->body;
    if (body->kind == RLXC_STMT_BLOCK && body->block.block->n_axes == 0) {
        s->root = body->block.block;
        if (s->root->n_matches || s->root->init || body->block.predicate)
            return false;
        body = s->root->body;
        s->temps.items = s->root->allocs;
        s->temps.n = s->root->n_allocs;
    }
    rlxc_buffers temps = {0};
    for (uint32_t i = 0; i < s->temps.n; i++)
        RLXC_PUSH(s->ctx, &temps, s->temps.items[i]);
    if (body->kind == RLXC_STMT_SEQ)
        body = rlxc_seq_without_allocs(s->ctx, body, body, &temps);
    s->temps.items = temps.items;
    s->temps.n = temps.count;
    s->n = body->kind == RLXC_STMT_SEQ ? body->seq.n : 1;
    s->stmts = rlxc_try_alloc(s->ctx, s->n, sizeof *s->stmts);
    s->temps.writers = rlxc_try_alloc(s->ctx, s->temps.n, sizeof *s->temps.writers);
    if (!s->stmts || !s->temps.writers || s->n == 0 ||
        (uint64_t)s->n * (s->n + s->temps.n) > MOST_QUESTIONS)
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        s->stmts[i] = body->kind == RLXC_STMT_SEQ ? body->seq.items[i] : body;
        const rlxc_stmt_kind kind = s->stmts[i]->kind;
        if (kind != RLXC_STMT_FOR && kind != RLXC_STMT_BLOCK && kind != RLXC_STMT_STORE)
            return false; /* lets and allocations: names stay in their scope */
    }
    return true;
}

enum { MOST_ROUNDS = 4 };

typedef struct way {
    bool join;   /* loops that were split are joined first */
    bool cut;    /* loops that were fused are cut then, not only where that is all they need */
    bool divide; /* as for rlxc_without_views */
} way;

/* The statements of the function's body that compute something. */
static uint32_t count_work(const rlxc_stmt *body)
{
    uint32_t n = 0;
    if (body->kind == RLXC_STMT_BLOCK)
        body = body->block.block->body;
    for (uint32_t i = 0; body->kind == RLXC_STMT_SEQ && i < body->seq.n; i++)
        n += body->seq.items[i]->kind != RLXC_STMT_DECL_BUFFER &&
             body->seq.items[i]->kind != RLXC_STMT_ALLOCATE;
    return body->kind == RLXC_STMT_SEQ ? n : 1;
}

/* Returns the number of statements that are not in normal form. */
static uint32_t normalize(rlxc_context *ctx, rlxc_prim_func *f, way w)
{
    state s = {.ctx = ctx, .f = f};
    const rlxc_stmt *const written = f->body;
    f->body = rlxc_wide_indices(ctx, written, false);
    f->body = w.join ? rlxc_join_loops(ctx, f->body) : f->body;
    for (int round = 0; w.cut && round < MOST_ROUNDS; round++) { /* digits may be split again */
        const rlxc_stmt *cut = rlxc_cut_loops(ctx, f->body, true);
        if (cut == f->body)
            break;
        f->body = rlxc_join_loops(ctx, rlxc_wide_indices(ctx, cut, false));
    }
    s.changed = f->body != written;
    rlxc_without_views(ctx, f, w.divide);
    const rlxc_stmt *plain = rlxc_plain_loops(ctx, f->body);
    f->body = rlxc_cut_loops(ctx, plain, false);
    s.changed = s.changed || f->body != plain;
    f->body = rlxc_wide_indices(ctx, f->body, true);
    if (!begin(&s)) {
        f->body = written;
        rlxc_without_views(ctx, f, w.divide);
        return count_work(f->body);
    }
    count_writers(&s);
    for (uint32_t i = 0; i < s.n && !rlxc_failed(ctx); i++)
        place_locals(&s, i);
    plain_layouts(&s);
    inline_copies(&s, false);
    remake(&s);
    if (plain_layouts(&s)) {
        inline_copies(&s, false);
        remake(&s);
    }
    inline_copies(&s, true);
    rewrite_attention(&s);
    if (!s.changed || rlxc_failed(ctx)) {
        f->body = written;
        rlxc_without_views(ctx, f, w.divide);
        return s.odd;
    }
    static const rlxc_block no_root = {.name = "root"}; /* plain loops have none */
    rlxc_block *root = rlxc_copy(ctx, s.root ? s.root : &no_root, sizeof *root);
    root->name = rlxc_intern_cstr(ctx, root->name);
    root->allocs = s.temps.items;
    root->n_allocs = s.temps.n;
    rlxc_forget_regions(root);
    root->body = rlxc_stmt_seq(ctx, s.stmts, s.n);
    f->body = rlxc_stmt_block(ctx, root, NULL, NULL);
    return s.odd;
}

/* Normalises |f| in the way that leaves the fewest statements in another form, then the fewest
 * divisions; more divisions of sums than were written only if there is no other way. */
static void normalize_func(rlxc_context *ctx, rlxc_prim_func *f)
{
    static const way ways[] = {
        {true, false, false}, {false, false, false}, {true, false, true}, {true, true, true}};
    f->body = rlxc_join_parts(ctx, rlxc_plain_exprs(ctx, f->body));
    const rlxc_stmt *const written = f->body, *best = NULL;
    const uint32_t most = rlxc_count_divisions(ctx, written, false);
    uint32_t least_odd = UINT32_MAX, least = UINT32_MAX;
    bool carries = true;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && (carries || least_odd + least > 0); i++) {
        f->body = written;
        const uint32_t odd = normalize(ctx, f, ways[i]);
        const uint32_t n = rlxc_count_divisions(ctx, f->body, true);
        const bool more = rlxc_count_divisions(ctx, f->body, false) > most;
        if (best && (more > carries || (more == carries && odd > least_odd) ||
                     (more == carries && odd == least_odd && n >= least)))
            continue;
        best = f->body;
        carries = more;
        least_odd = odd;
        least = n;
    }
    f->body = best;
}

bool rlxc_pass_normalize_blocks(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim) {
            rlxc_prim_func *f = module->globals.items[i]->prim;
            if (!rlxc_has_threads(f->body)) /* else the loops are as they are meant */
                normalize_func(ctx, f);
            f->body = rlxc_tag_blocks(ctx, f->body);
        }
    return !rlxc_failed(ctx);
}

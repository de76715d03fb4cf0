/* The statements of a function as nests: loops around several blocks taken apart, initial values
 * joined with their sums, temporaries of one iteration placed, partial sums merged, moves read
 * where they come from, results that are copied out stored in place. A statement that cannot be
 * taken apart, or whose parts would collide, stays as it is. */
#include "compiler/schedule/normal.h"

/* --- temporaries ------------------------------------------------------------------------------ */

void rlxc_normal_count_writers(rlxc_normal *s)
{
    for (uint32_t t = 0; t < s->temps.n; t++) {
        s->temps.writers[t] = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->stmts[i], s->temps.items[t]);
            s->temps.writers[t] += rlxc_is_opaque(&u) ? 2 : u.stores > 0;
        }
    }
}

void rlxc_normal_drop_temp(rlxc_normal *s, const rlxc_buffer *buffer)
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

void rlxc_normal_add_temp(rlxc_normal *s, rlxc_buffer *buffer)
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
static bool is_bare(const rlxc_normal *s, const item *x)
{
    return s->stmts[x->from]->kind == RLXC_STMT_STORE;
}

static bool mentions(const rlxc_normal *s, const item *x, const rlxc_buffer *buffer)
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
static bool join_loaded(rlxc_normal *s, const items *all, uint32_t first, uint32_t i,
                        rlxc_nest *sum)
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
static void join_inits(rlxc_normal *s, items *all)
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
static bool covers_earlier(rlxc_normal *s, const items *all, uint32_t *out_statement)
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

static void split_statement(rlxc_normal *s, uint32_t i, items *all)
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

static void split_statements(rlxc_normal *s, items *all)
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
static void separate_values(rlxc_normal *s, items *all)
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
            rlxc_normal_add_temp(s, temp);
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

static bool only_in(const rlxc_normal *s, uint32_t at, const rlxc_buffer *buffer)
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
static bool try_places(rlxc_normal *s, uint32_t at, const rlxc_stmt *stmt,
                       const rlxc_buffers *inner, rlxc_places places)
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
static bool try_inlined(rlxc_normal *s, uint32_t at, const rlxc_stmt *stmt,
                        const rlxc_buffers *inner)
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
static void sort_by_stores(rlxc_normal *s, const rlxc_stmt *stmt, rlxc_buffers *all)
{
    stored_order o = {.ctx = s->ctx, .all = all};
    rlxc_stmt_visit(stmt, note_stored, &o);
    for (uint32_t i = 0; i < all->count; i++)
        if (!has(&o.sorted, all->items[i]))
            RLXC_PUSH(s->ctx, &o.sorted, all->items[i]);
    *all = o.sorted;
}

void rlxc_normal_place_locals(rlxc_normal *s, uint32_t at)
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
static bool merge_partial(rlxc_normal *s, items *all, uint32_t k, uint32_t i)
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
    rlxc_normal_drop_temp(s, temp);
    return true;
}

static void merge_partials(rlxc_normal *s, items *all)
{
    for (uint32_t i = 0; i < all->count && !rlxc_failed(s->ctx); i++)
        for (uint32_t k = i; all->items[i].nest && k-- > 0;)
            if (merge_partial(s, all, k, i))
                k = i;
}

/* --- moves ------------------------------------------------------------------------------------ */

/* Lets the readers of the temporary that items[k] fills by moving elements read its source. */
static void inline_move(rlxc_normal *s, items *all, uint32_t k)
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
    rlxc_normal_drop_temp(s, temp);
}

/* --- borders ---------------------------------------------------------------------------------- */

/* Adds what sums begin with after them. */
static void split_inits(rlxc_normal *s, items *all)
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
        rlxc_normal_add_temp(s, temp);
        x.nest = rlxc_copy(s->ctx, &nest, sizeof nest);
        RLXC_PUSH(s->ctx, &with, x);
        x.nest = rlxc_copy(s->ctx, &rest, sizeof rest);
        RLXC_PUSH(s->ctx, &with, x);
    }
    *all = with;
}

/* Puts the temporaries with borders in front of the windows that read them. */
static void take_borders(rlxc_normal *s, items *all)
{
    items with = {0};
    for (uint32_t i = 0; i < all->count && !rlxc_failed(s->ctx); i++) {
        item x = all->items[i];
        rlxc_nest nest, filling;
        rlxc_buffer *temp;
        if (x.nest && !x.removed)
            nest = *x.nest;
        while (x.nest && !x.removed && rlxc_take_border(s->ctx, &nest, &filling, &temp)) {
            rlxc_normal_add_temp(s, temp);
            s->border_divisions += rlxc_count_divisions(s->ctx, filling.block->body, false);
            RLXC_PUSH(s->ctx, &with,
                      (item){.nest = rlxc_copy(s->ctx, &filling, sizeof filling), .from = x.from});
            x.nest = rlxc_copy(s->ctx, &nest, sizeof nest);
        }
        RLXC_PUSH(s->ctx, &with, x);
    }
    *all = with;
}

enum { MOST_SHARING = 8 };

/* Puts the temporaries with calls that several nests compute in front of the first of them. */
static void share_calls(rlxc_normal *s, items *all)
{
    items with = {0};
    for (uint32_t i = 0; i < all->count && !rlxc_failed(s->ctx); i++) {
        rlxc_nest own[MOST_SHARING], *nests[MOST_SHARING], filling;
        rlxc_buffer *temp;
        uint32_t n = 0, at[MOST_SHARING];
        for (uint32_t k = i; k < all->count && n < MOST_SHARING; k++) {
            if (all->items[k].removed)
                continue;
            if (!all->items[k].nest)
                break;
            own[n] = *all->items[k].nest;
            nests[n] = &own[n];
            at[n++] = k;
        }
        bool shared = false;
        while (n > 1 && at[0] == i && rlxc_share_call(s->ctx, nests, n, &filling, &temp)) {
            rlxc_normal_add_temp(s, temp);
            RLXC_PUSH(s->ctx, &with,
                      ((item){.nest = rlxc_copy(s->ctx, &filling, sizeof filling),
                              .from = all->items[i].from}));
            shared = true;
        }
        for (uint32_t k = 0; k < n && shared; k++)
            all->items[at[k]].nest = rlxc_copy(s->ctx, nests[k], sizeof *nests[k]);
        RLXC_PUSH(s->ctx, &with, all->items[i]);
    }
    *all = with;
}

/* --- results that are copied out -------------------------------------------------------------- */

static bool is_opaque(const rlxc_normal *s, const rlxc_buffer *buffer)
{
    bool opaque = false;
    for (uint32_t i = 0; i < s->n && !opaque; i++) {
        const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->stmts[i], buffer);
        opaque = rlxc_is_opaque(&u);
    }
    return opaque;
}

/* The temporary that item |at| copies out whole, if it has no other use; or NULL. */
static const rlxc_buffer *copied_out(const rlxc_normal *s, const items *all, uint32_t at)
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

static void emit(rlxc_normal *s, const items *all)
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

void rlxc_normal_remake(rlxc_normal *s)
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
    share_calls(s, &all);
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
        rlxc_normal_drop_temp(s, exchanged.items[k]);
    }
}

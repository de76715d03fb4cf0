/* Chooses a memory pool and an offset for each buffer of a function (pool_fit.h).
 *
 * Buffers are placed one by one: in the first of their pools with a gap that is large enough
 * between the buffers in use at the same time, and there in the smallest such gap. The quality
 * depends on the order: each row of the table of orders is tried, and the result with the fewest
 * bytes outside the preferred pools is taken. A search over other orders starts from there: a
 * buffer outside its preferred pool, or one that blocks it, moves to another position in the order;
 * a change is kept if the result is no worse than it was some changes ago. */
#include "compiler/codegen/pool_fit.h"

#include <string.h>
#include <time.h>

enum {
    HISTORY = 64,     /* changes after which a result is compared with its own past */
    CHANGE_STEPS = 16 /* of work for each buffer, beside those that it is compared with */
};

typedef struct placed { /* bytes of a pool that are taken while a buffer is in use */
    uint64_t begin, end;
} placed;

typedef struct cost { /* bytes without a place, and bytes outside the preferred pools */
    uint64_t unplaced, outside;
} cost;

typedef struct fitter {
    rlxc_context *ctx;
    rlxc_pool_buffer *buffers;
    uint32_t n;
    const uint64_t *room;
    uint32_t *order, *other;
    double *keys;
    uint64_t *conflict; /* per buffer: bytes of those in use at the same time */
    placed *near;       /* scratch */
    uint32_t done;      /* buffers looked at in this try: the first of |order| */
    uint32_t *best_order;
    cost best;
    uint64_t steps;  /* buffers to look at */
    uint32_t failed; /* position of the first that has no place; |n|: all have one */
} fitter;

static bool meet(const rlxc_pool_buffer *a, const rlxc_pool_buffer *b)
{
    return a->first < b->last && b->first < a->last;
}

/* --- orders ----------------------------------------------------------------------------------- */

typedef double (*order_key)(const fitter *f, uint32_t b);

static double by_size(const fitter *f, uint32_t b)
{
    return (double)f->buffers[b].bytes;
}

static double by_conflicts(const fitter *f, uint32_t b)
{
    return (double)f->conflict[b];
}

static double by_area(const fitter *f, uint32_t b)
{
    const rlxc_pool_buffer *r = &f->buffers[b];
    return (double)r->bytes * (double)(r->last - r->first);
}

static double by_time(const fitter *f, uint32_t b)
{
    return -(double)f->buffers[b].first;
}

static const order_key orders[] = {by_size, by_conflicts, by_area, by_time};
enum { N_ORDERS = sizeof orders / sizeof *orders };

/* By falling keys, equal ones by number. */
static void sort(fitter *f, order_key key)
{
    for (uint32_t i = 0; i < f->n; i++) {
        f->keys[i] = key(f, i);
        f->order[i] = i;
    }
    for (uint64_t width = 1; width < f->n; width *= 2) {
        for (uint64_t from = 0; from < f->n; from += 2 * width) {
            const uint64_t middle = from + width < f->n ? from + width : f->n;
            const uint64_t end = from + 2 * width < f->n ? from + 2 * width : f->n;
            uint64_t a = from, b = middle;
            for (uint64_t k = from; k < end; k++)
                f->other[k] =
                    a < middle && (b >= end || f->keys[f->order[a]] >= f->keys[f->order[b]])
                        ? f->order[a++]
                        : f->order[b++];
        }
        memcpy(f->order, f->other, f->n * sizeof *f->order);
    }
}

/* --- placing ---------------------------------------------------------------------------------- */

static void spend(fitter *f, uint64_t steps)
{
    f->steps -= steps < f->steps ? steps : f->steps;
}

/* What is taken in |pool| while |b| is in use, by offset. */
static uint32_t list_near(fitter *f, const rlxc_pool_buffer *b, uint8_t pool)
{
    uint32_t n = 0;
    spend(f, f->done);
    for (uint32_t i = 0; i < f->done; i++) {
        const rlxc_pool_buffer *a = &f->buffers[f->order[i]];
        if (a->pool != pool || a->bytes == 0 || !meet(a, b))
            continue;
        uint32_t at = n++;
        for (; at > 0 && f->near[at - 1].begin > a->offset; at--)
            f->near[at] = f->near[at - 1];
        f->near[at] = (placed){a->offset, a->offset + a->bytes};
    }
    return n;
}

/* The smallest gap in |pool| for |b|; after all other buffers if there is none. */
static uint64_t find_offset(fitter *f, const rlxc_pool_buffer *b, uint8_t pool)
{
    const uint32_t n = list_near(f, b, pool);
    uint64_t end = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t gap = f->near[k].begin > end ? f->near[k].begin - end : 0;
        if (gap >= b->bytes && gap < best_gap) {
            best_gap = gap;
            best = end;
        }
        end = f->near[k].end > end ? f->near[k].end : end;
    }
    return best == UINT64_MAX ? end : best;
}

static bool place(fitter *f, rlxc_pool_buffer *b)
{
    for (uint32_t k = 0; k < b->n_pools; k++) {
        const uint8_t pool = b->pools[k];
        const bool is_open = f->room[pool] == UINT64_MAX;
        const uint64_t offset = is_open ? 0 : find_offset(f, b, pool);
        if (is_open || (b->bytes <= f->room[pool] && offset <= f->room[pool] - b->bytes)) {
            b->pool = pool;
            b->offset = offset;
            return true;
        }
    }
    return false;
}

/* Places the buffers in |f->order|. Those that do not fit are left out, so that the others show
   what is in their way. */
static bool place_all(fitter *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        f->buffers[i].pool = RLXC_POOL_NONE;
    f->failed = f->n;
    for (f->done = 0; f->done < f->n; f->done++)
        if (!place(f, &f->buffers[f->order[f->done]]) && f->failed == f->n)
            f->failed = f->done;
    return f->failed == f->n;
}

static bool is_less(cost a, cost b)
{
    return a.unplaced != b.unplaced ? a.unplaced < b.unplaced : a.outside < b.outside;
}

static void add_bytes(uint64_t *sum, uint64_t bytes)
{
    *sum = bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + bytes;
}

/* Places all in |f->order|, and remembers it if it is the best so far. */
static cost try_order(fitter *f)
{
    cost now = {0, 0};
    place_all(f);
    for (uint32_t i = 0; i < f->n; i++) {
        const rlxc_pool_buffer *b = &f->buffers[i];
        if (b->pool == RLXC_POOL_NONE)
            add_bytes(&now.unplaced, b->bytes);
        else if (b->pool != b->pools[0])
            add_bytes(&now.outside, b->bytes);
    }
    if (is_less(now, f->best)) {
        f->best = now;
        memcpy(f->best_order, f->order, f->n * sizeof *f->order);
    }
    return now;
}

/* --- climbing --------------------------------------------------------------------------------- */

/* Bytes that are outside in any result: what is in use at the start of some buffer and prefers the
 * pool of that buffer, above its room. */
static uint64_t least_outside(const fitter *f)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const uint8_t pool = f->buffers[i].pools[0];
        uint64_t alive = 0;
        for (uint32_t k = 0; k < f->n; k++) {
            const rlxc_pool_buffer *b = &f->buffers[k];
            if (b->pools[0] == pool && b->first <= f->buffers[i].first &&
                f->buffers[i].first < b->last)
                add_bytes(&alive, b->bytes);
        }
        if (alive > f->room[pool] && alive - f->room[pool] > most)
            most = alive - f->room[pool];
    }
    return most;
}

static bool is_outside(const rlxc_pool_buffer *b)
{
    return b->pool != b->pools[0] && b->bytes > 0;
}

/* The position of a buffer that is outside, or of one in its way. */
static uint32_t choose(fitter *f, uint64_t *random)
{
    uint32_t n = 0, out = 0, at = 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (is_outside(&f->buffers[f->order[i]]) && rlxc_layout_random(random, ++n) == 0)
            out = i;
    at = out;
    n = 0;
    const rlxc_pool_buffer *b = &f->buffers[f->order[out]];
    if (rlxc_layout_random(random, 2) == 0)
        for (uint32_t i = 0; i < f->n; i++) {
            const rlxc_pool_buffer *a = &f->buffers[f->order[i]];
            if (a->pool == b->pools[0] && meet(a, b) && rlxc_layout_random(random, ++n) == 0)
                at = i;
        }
    return at;
}

static void move(fitter *f, uint32_t from, uint32_t to)
{
    const uint32_t b = f->order[from];
    if (from < to)
        memmove(f->order + from, f->order + from + 1, (to - from) * sizeof *f->order);
    else
        memmove(f->order + to + 1, f->order + to, (from - to) * sizeof *f->order);
    f->order[to] = b;
}

static void climb(fitter *f, const rlxc_layout_options *options)
{
    const uint64_t least = least_outside(f);
    uint64_t random = rlxc_layout_seed(options);
    cost history[HISTORY], now = f->best;
    const time_t begin = time(NULL);
    for (uint32_t i = 0; i < HISTORY; i++)
        history[i] = now;
    memcpy(f->order, f->best_order, f->n * sizeof *f->order);
    place_all(f);
    for (uint32_t k = 0; f->steps > 0 && (f->best.unplaced > 0 || f->best.outside > least); k++) {
        if (options->seconds > 0 && time(NULL) - begin >= (time_t)options->seconds)
            return;
        const uint32_t from = choose(f, &random), to = rlxc_layout_random(&random, f->n);
        move(f, from, to);
        const cost found = try_order(f);
        if (!is_less(now, found) || !is_less(history[k % HISTORY], found)) {
            now = found;
        } else {
            move(f, to, from);
            place_all(f);
        }
        history[k % HISTORY] = now;
        spend(f, (uint64_t)CHANGE_STEPS * f->n);
    }
}

/* --- what does not fit ------------------------------------------------------------------------ */

static bool wants(const rlxc_pool_buffer *b, uint8_t pool)
{
    return b->pool == pool || (b->pool == RLXC_POOL_NONE && b->pools[b->n_pools - 1] == pool);
}

bool rlxc_is_misfit(const rlxc_pool_buffer *b, const rlxc_pool_misfit *misfit)
{
    return b->first <= misfit->time && misfit->time < b->last && wants(b, misfit->pool);
}

/* The most bytes in use at once, of buffers that are in the pool or have no other, at the start of
 * a buffer that overlaps the failed one in time. */
static void find_misfit(fitter *f, rlxc_pool_misfit *out)
{
    const rlxc_pool_buffer *b = &f->buffers[f->order[f->failed]];
    const uint8_t pool = b->pools[b->n_pools - 1];
    *out = (rlxc_pool_misfit){.buffer = f->order[f->failed], .pool = pool, .time = b->first};
    for (uint32_t i = 0; i < f->n; i++) {
        const rlxc_pool_buffer *at = &f->buffers[i];
        uint64_t alive = 0;
        const uint32_t time = at->first > b->first ? at->first : b->first;
        if (!meet(at, b) || !wants(at, pool))
            continue;
        const rlxc_pool_misfit now = {.pool = pool, .time = time};
        for (uint32_t k = 0; k < f->n; k++)
            alive += rlxc_is_misfit(&f->buffers[k], &now) ? f->buffers[k].bytes : 0;
        if (alive > out->alive) {
            out->alive = alive;
            out->time = time;
        }
    }
    out->peak = find_offset(f, b, pool) + b->bytes;
    out->peak = out->alive > out->peak ? out->alive : out->peak;
}

static bool prepare(fitter *f)
{
    const size_t n = (size_t)f->n + 1;
    f->order = rlxc_try_alloc(f->ctx, n, 3 * sizeof *f->order);
    f->keys = rlxc_try_alloc(f->ctx, n, sizeof *f->keys);
    f->conflict = rlxc_try_alloc(f->ctx, n, sizeof *f->conflict);
    f->near = rlxc_try_alloc(f->ctx, n, sizeof *f->near);
    if (!f->order || !f->keys || !f->conflict || !f->near)
        return false;
    f->other = f->order + n;
    f->best_order = f->other + n;
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t k = 0; k < f->n; k++)
            f->conflict[i] +=
                i != k && meet(&f->buffers[i], &f->buffers[k]) ? f->buffers[k].bytes : 0;
    return true;
}

bool rlxc_fit_pools(rlxc_context *ctx, rlxc_pool_buffer *buffers, uint32_t n, const uint64_t *room,
                    const rlxc_layout_options *options, rlxc_pool_misfit *misfit)
{
    fitter f = {.ctx = ctx, .buffers = buffers, .n = n, .room = room};
    f.best = (cost){UINT64_MAX, UINT64_MAX};
    if (!prepare(&f))
        return false;
    for (uint32_t k = 0; k < N_ORDERS && (f.best.unplaced > 0 || f.best.outside > 0); k++) {
        sort(&f, orders[k]);
        try_order(&f);
    }
    f.steps = options ? options->steps : 0;
    if (n > 1 && f.steps > 0 && rlxc_layout_climbs(options))
        climb(&f, options);
    memcpy(f.order, f.best_order, n * sizeof *f.order);
    if (place_all(&f))
        return true;
    find_misfit(&f, misfit);
    return false;
}

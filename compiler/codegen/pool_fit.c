/* Chooses a memory pool and an offset for each buffer of a function (pool_fit.h).
 *
 * Buffers are placed one by one: in the first of their pools that has a gap, the smallest that is
 * large enough, beside those that are in use at the same time. The order decides how well that
 * goes: each row of the table of orders is tried, and the result with the fewest bytes outside the
 * preferred pools is taken. */
#include "compiler/codegen/pool_fit.h"

#include <string.h>

typedef struct placed { /* bytes of a pool that are taken while a buffer is in use */
    uint64_t begin, end;
} placed;

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
    uint32_t failed;    /* position of the first that has no place; |n|: all have one */
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

/* What is taken in |pool| while |b| is in use, by offset. */
static uint32_t list_near(fitter *f, const rlxc_pool_buffer *b, uint8_t pool)
{
    uint32_t n = 0;
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

/* The smallest gap in |pool| for |b|; behind all others where there is none. */
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

/* In |f->order|. Those that do not fit are left out, so that the others tell what is in their way.
 */
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

/* Bytes that are not in the pool that their buffer prefers. */
static uint64_t outside(const fitter *f)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < f->n; i++)
        bytes += f->buffers[i].pool != f->buffers[i].pools[0] ? f->buffers[i].bytes : 0;
    return bytes;
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

/* The most that is in use at once of what is in the pool or has no other place, at the start of a
 * buffer that meets the one that failed. */
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
    f->order = rlxc_try_alloc(f->ctx, n, 2 * sizeof *f->order);
    f->keys = rlxc_try_alloc(f->ctx, n, sizeof *f->keys);
    f->conflict = rlxc_try_alloc(f->ctx, n, sizeof *f->conflict);
    f->near = rlxc_try_alloc(f->ctx, n, sizeof *f->near);
    if (!f->order || !f->keys || !f->conflict || !f->near)
        return false;
    f->other = f->order + n;
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t k = 0; k < f->n; k++)
            f->conflict[i] +=
                i != k && meet(&f->buffers[i], &f->buffers[k]) ? f->buffers[k].bytes : 0;
    return true;
}

bool rlxc_fit_pools(rlxc_context *ctx, rlxc_pool_buffer *buffers, uint32_t n, const uint64_t *room,
                    rlxc_pool_misfit *misfit)
{
    fitter f = {.ctx = ctx, .buffers = buffers, .n = n, .room = room};
    uint32_t best = N_ORDERS, furthest = 0;
    uint64_t least = UINT64_MAX;
    if (!prepare(&f))
        return false;
    for (uint32_t k = 0; k < N_ORDERS && least > 0; k++) {
        sort(&f, orders[k]);
        if (!place_all(&f)) {
            if (best == N_ORDERS && (k == 0 || f.failed > furthest)) {
                furthest = f.failed;
                find_misfit(&f, misfit);
            }
        } else if (outside(&f) < least) {
            least = outside(&f);
            best = k;
        }
    }
    if (best == N_ORDERS)
        return false;
    sort(&f, orders[best]);
    return place_all(&f);
}

/* Places the buffers of a region: offsets for given sizes, apart wherever lifetimes meet.

   Three greedy orders, each with the smallest gap that fits. By time: one sweep that keeps the
   buffers in use sorted by offset; costs the number of buffers times those in use at once. By size,
   largest first (Pisarchyk and Lee 2020, "Efficient Memory Management for Deep Neural Net
   Inference"), and by size times duration: both over the lists of buffers that meet in time, which
   depend on the intervals alone and are made when the file is loaded. The first is kept if it is
   within 2 % of the lower bound, else the best. The result depends on intervals and sizes only, so
   that whoever computes it gets the same. */
#include "vm/exec.h"

#include <string.h>

/* What the other orders may cost, so that a layout stays below 100 ns per buffer: neighbours that
   one of them looks at. Few buffers may take longer. */
#define NEIGHBOURS_PER_BUFFER 28u
#define FREE_NEIGHBOURS 2048u
#define MAX_WORK (1u << 24) /* of the sweep; what remains is put on top of everything */

/* --- what the intervals determine ------------------------------------------------------------- */

typedef struct event {
    uint32_t time, what;
} event;

/* By time, ends first: intervals are half open. */
static bool comes_before(const event *a, const event *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if ((a->what & 1) != (b->what & 1))
        return (a->what & 1) == 0;
    return a->what < b->what;
}

static void merge_events(event *rows, event *other, uint32_t n)
{
    for (uint32_t width = 1; width<n; width = width> n / 2 ? n : width * 2) {
        for (uint32_t from = 0; from < n;) {
            uint32_t middle = n - from > width ? from + width : n;
            uint32_t end = n - middle > width ? middle + width : n, a = from, b = middle;
            for (uint32_t k = from; k < end; k++)
                other[k] = a < middle && (b >= end || !comes_before(&rows[b], &rows[a]))
                               ? rows[a++]
                               : rows[b++];
            from = end;
        }
        memcpy(rows, other, n * sizeof *rows);
    }
}

static uint64_t neighbours_allowed(uint32_t n_buffers)
{
    return (uint64_t)n_buffers * NEIGHBOURS_PER_BUFFER + FREE_NEIGHBOURS;
}

/* Visits the pairs that meet; counts into |degree|, or fills |r->edges| through |fill|. False when
   there are more than |limit|. */
static bool each_pair(const rlxv_region *r, uint32_t *active, uint32_t *degree, uint32_t *fill,
                      uint64_t limit)
{
    uint32_t n_active = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < 2 * r->n_buffers; i++) {
        uint32_t b = r->events[i] / 2, at = 0;
        if (!(r->events[i] & 1)) {
            while (at < n_active && active[at] != b)
                at++;
            if (at < n_active)
                active[at] = active[--n_active];
            continue;
        }
        if (r->first[b] >= r->last[b])
            continue;
        total += n_active;
        if (total > limit)
            return false;
        for (uint32_t k = 0; k < n_active; k++) {
            if (degree) {
                degree[b]++;
                degree[active[k]]++;
            } else {
                r->edges[fill[b]++] = active[k];
                r->edges[fill[active[k]]++] = b;
            }
        }
        active[n_active++] = b;
    }
    return true;
}

bool rlxv_fit_prepare(rlxv_arena *arena, rlxv_arena *scratch, rlxv_region *r,
                      const rlx_plan_buffer *rows)
{
    uint32_t n = r->n_buffers;
    r->first = rlxv_arena_alloc(arena, n, sizeof *r->first);
    r->last = rlxv_arena_alloc(arena, n, sizeof *r->last);
    r->events = rlxv_arena_alloc(arena, n, 2 * sizeof *r->events);
    event *events = rlxv_arena_alloc(scratch, n, 4 * sizeof *events);
    uint32_t *active = rlxv_arena_alloc(scratch, n, sizeof *active);
    uint32_t *degree = rlxv_arena_alloc(scratch, (size_t)n + 1, sizeof *degree);
    if (!r->first || !r->last || !r->events || !events || !active || !degree)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        events[2 * i] = (event){rows[r->buffers[i]].first, 2 * i + 1};
        events[2 * i + 1] = (event){rows[r->buffers[i]].last, 2 * i};
    }
    merge_events(events, events + 2 * (size_t)n, 2 * n);
    for (uint32_t i = 0; i < 2 * n; i++)
        r->events[i] = events[i].what;
    for (uint32_t i = 0; i < n; i++) {
        r->first[i] = rows[r->buffers[i]].first;
        r->last[i] = rows[r->buffers[i]].last;
    }
    if (!each_pair(r, active, degree, NULL, (neighbours_allowed(n) + 1) / 2))
        return true;
    r->edge_start = rlxv_arena_alloc(arena, (size_t)n + 1, sizeof *r->edge_start);
    if (!r->edge_start)
        return false;
    for (uint32_t i = 0; i < n; i++)
        r->edge_start[i + 1] = r->edge_start[i] + degree[i];
    r->edges = rlxv_arena_alloc(arena, r->edge_start[n], sizeof *r->edges);
    if (!r->edges)
        return false;
    memcpy(degree, r->edge_start, n * sizeof *degree);
    return each_pair(r, active, NULL, degree, UINT64_MAX);
}

/* --- placing ---------------------------------------------------------------------------------- */

static uint64_t lower_bound(const rlxv_region *r, const uint64_t *sizes)
{
    uint64_t live = 0, most = 0;
    for (uint32_t i = 0; i < 2 * r->n_buffers; i++) {
        uint32_t b = r->events[i] / 2;
        if (r->first[b] >= r->last[b])
            continue;
        if (r->events[i] & 1)
            live += sizes[b];
        else
            live -= sizes[b];
        most = live > most ? live : most;
    }
    /* A buffer that is in use at no point has its bytes all the same. */
    for (uint32_t b = 0; b < r->n_buffers; b++)
        most = sizes[b] > most ? sizes[b] : most;
    return most;
}

/* In the order of the beginnings; |active|: those in use, by offset. */
static uint64_t fit_by_time(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets,
                            uint32_t *active)
{
    uint32_t n_active = 0;
    uint64_t peak = 0, work = 0;
    for (uint32_t b = 0; b < r->n_buffers; b++) {
        work += n_active;
        if (work > MAX_WORK) {
            offsets[b] = peak;
            peak += sizes[b];
            continue;
        }
        uint64_t size = sizes[b], end = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
        uint32_t kept = 0, place = 0;
        for (uint32_t k = 0; k < n_active; k++) {
            uint32_t a = active[k];
            if (r->last[a] <= r->first[b])
                continue;
            uint64_t gap = offsets[a] - end;
            if (gap >= size && gap < best_gap) {
                best_gap = gap;
                best = end;
                place = kept;
            }
            end = offsets[a] + sizes[a];
            active[kept++] = a;
        }
        n_active = kept;
        if (best == UINT64_MAX) {
            best = end;
            place = kept;
        }
        offsets[b] = best;
        peak = best + size > peak ? best + size : peak;
        if (size == 0)
            continue;
        memmove(active + place + 1, active + place, (n_active - place) * sizeof *active);
        active[place] = b;
        n_active++;
    }
    return peak;
}

typedef struct taken { /* bytes of a placed buffer */
    uint64_t begin, end;
} taken;

/* In |order|; |near|: the placed ones that meet the one at hand, by offset. Offsets of those not
   placed yet are UINT64_MAX. Gives up, with the peak so far, when it is no less than |limit|. */
static uint64_t fit_in_order(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets,
                             const uint32_t *order, taken *near, uint64_t limit)
{
    uint64_t peak = 0;
    for (uint32_t i = 0; i < r->n_buffers; i++)
        offsets[i] = UINT64_MAX;
    for (uint32_t i = 0; i < r->n_buffers && peak < limit; i++) {
        uint32_t b = order[i], n = 0;
        uint64_t size = sizes[b], end = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
        for (uint32_t e = r->edge_start[b]; e < r->edge_start[b + 1]; e++) {
            uint32_t a = r->edges[e], at = n;
            uint64_t begin = offsets[a];
            if (begin == UINT64_MAX || sizes[a] == 0)
                continue;
            for (; at > 0 && near[at - 1].begin > begin; at--)
                near[at] = near[at - 1];
            near[at] = (taken){begin, begin + sizes[a]};
            n++;
        }
        for (uint32_t k = 0; k < n; k++) {
            if (near[k].begin >= end) {
                uint64_t gap = near[k].begin - end;
                if (gap >= size && gap < best_gap) {
                    best_gap = gap;
                    best = end;
                }
            }
            end = near[k].end > end ? near[k].end : end;
        }
        offsets[b] = best == UINT64_MAX ? end : best;
        peak = offsets[b] + size > peak ? offsets[b] + size : peak;
    }
    return peak;
}

/* Sorts |rows| by falling keys, equal keys by number. */
static void sort_by_key(uint32_t *rows, uint32_t *other, uint32_t n, const uint64_t *keys)
{
    for (uint32_t width = 1; width<n; width = width> n / 2 ? n : width * 2) {
        for (uint32_t from = 0; from < n;) {
            uint32_t middle = n - from > width ? from + width : n;
            uint32_t end = n - middle > width ? middle + width : n, a = from, b = middle;
            for (uint32_t k = from; k < end; k++)
                other[k] = a < middle && (b >= end || keys[rows[a]] >= keys[rows[b]]) ? rows[a++]
                                                                                      : rows[b++];
            from = end;
        }
        memcpy(rows, other, n * sizeof *rows);
    }
}

/* Buffers by size, largest first. Sizes are few distinct values: those are sorted, then counted. */
static void order_by_size(const rlxv_region *r, const uint64_t *sizes, uint64_t *keys,
                          uint32_t *order, uint32_t *ranks, uint32_t *other)
{
    uint32_t n = r->n_values;
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = 0;
        ranks[i] = i;
    }
    for (uint32_t b = 0; b < r->n_buffers; b++)
        keys[r->size_value[b]] = sizes[b];
    sort_by_key(ranks, other, n, keys);
    for (uint32_t i = 0; i < n; i++)
        other[ranks[i]] = i; /* rank of each value */
    uint32_t *at = ranks;    /* then: where the next buffer of each rank goes */
    memset(at, 0, n * sizeof *at);
    for (uint32_t b = 0; b < r->n_buffers; b++)
        at[other[r->size_value[b]]]++;
    for (uint32_t i = 0, sum = 0; i < n; i++) {
        uint32_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    for (uint32_t b = 0; b < r->n_buffers; b++)
        order[at[other[r->size_value[b]]]++] = b;
}

static void order_by_extent(const rlxv_region *r, const uint64_t *sizes, uint64_t *keys,
                            uint32_t *order, uint32_t *other)
{
    for (uint32_t b = 0; b < r->n_buffers; b++) {
        uint64_t duration = r->last[b] > r->first[b] ? r->last[b] - r->first[b] : 0;
        if (__builtin_mul_overflow(sizes[b], duration, &keys[b]))
            keys[b] = UINT64_MAX;
        order[b] = b;
    }
    sort_by_key(order, other, r->n_buffers, keys);
}

static size_t longest_list(const rlxv_region *r)
{
    return r->n_buffers > r->n_values ? r->n_buffers : r->n_values;
}

size_t rlxv_fit_scratch_words(const rlxv_region *r)
{
    return 3 * (size_t)r->n_buffers + 3 * longest_list(r) + 1;
}

static bool is_near(uint64_t peak, uint64_t bound)
{
    return peak - bound <= bound / 50;
}

void rlxv_fit(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets, uint64_t *scratch,
              rlx_plan_sums *out)
{
    size_t n = r->n_buffers, longest = longest_list(r);
    uint64_t *other_offsets = scratch, *keys = other_offsets + n;
    taken *near = (taken *)(void *)(keys + longest);
    uint32_t *lists = (uint32_t *)(near + n);
    uint32_t *order = lists, *ranks = order + longest, *other = ranks + longest;
    out->bound = lower_bound(r, sizes);
    out->peak = fit_by_time(r, sizes, offsets, order);
    uint64_t cost = r->edges ? r->edge_start[n] : 0;
    for (uint64_t k = 0; k < 2 && r->edges && !is_near(out->peak, out->bound); k++) {
        if ((k + 1) * cost > neighbours_allowed(r->n_buffers))
            break;
        if (k == 0)
            order_by_size(r, sizes, keys, order, ranks, other);
        else
            order_by_extent(r, sizes, keys, order, other);
        uint64_t peak = fit_in_order(r, sizes, other_offsets, order, near, out->peak);
        if (peak < out->peak) {
            out->peak = peak;
            memcpy(offsets, other_offsets, n * sizeof *offsets);
        }
    }
}

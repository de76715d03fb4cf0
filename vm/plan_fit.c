/* Places the buffers of a region: offsets for given sizes, disjoint where lifetimes overlap. First
 * comes the order found when the file was loaded (plan_order.c): each buffer goes on top of the
 * earlier ones that overlap it in time, which is cheap and, if all sizes grow alike, reproduces the
 * layout found. Then comes one sweep over time that keeps the buffers in use sorted by offset and
 * takes the smallest gap that fits; its cost is the number of buffers times those in use at once.
 * Last, if the peak is still far above the bound, come the orders of plan_order.c. The first layout
 * close to the lower bound is taken, else the best. The result depends only on intervals and sizes,
 * so that every computation gives the same. */
#include "vm/exec.h"

#include <string.h>

#define NEIGHBOURS_PER_BUFFER 128u /* that are listed, on average; and some that are free */
#define FREE_NEIGHBOURS 2048u
#define MOST_NEIGHBOURS (1u << 28)
#define MAX_WORK (1u << 24) /* limit of the sweep; other buffers go on top */
/* The work limit of the orders at run time, in steps over neighbours, so that a layout stays near
 * 100 ns per buffer. Few buffers may take longer. */
#define STEPS_PER_BUFFER 250u
#define FREE_STEPS 16384u

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
    uint64_t n = (uint64_t)n_buffers * NEIGHBOURS_PER_BUFFER + FREE_NEIGHBOURS;
    return n < MOST_NEIGHBOURS ? n : MOST_NEIGHBOURS;
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

uint64_t rlxv_fit_bound(const rlxv_region *r, const uint64_t *sizes)
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
    /* A buffer that is never in use still gets its bytes. */
    for (uint32_t b = 0; b < r->n_buffers; b++)
        most = sizes[b] > most ? sizes[b] : most;
    return most;
}

/* In the order of the starts; |active|: those in use, by offset. */
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

/* In the order of the region; |ends| of empty buffers are 0, so that they push nothing up. */
static uint64_t fit_on_top(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets,
                           uint64_t *ends)
{
    uint64_t peak = 0;
    for (uint32_t i = 0; i < r->n_buffers; i++) {
        uint32_t b = r->order[i], from = r->edge_start[b];
        uint64_t top = 0;
        for (uint32_t e = from; e < from + r->n_below[b]; e++)
            top = ends[r->edges[e]] > top ? ends[r->edges[e]] : top;
        offsets[b] = top;
        ends[b] = sizes[b] ? top + sizes[b] : 0;
        peak = ends[b] > peak ? ends[b] : peak;
    }
    return peak;
}

bool rlxv_fit_is_close(const rlxv_region *r, const rlx_plan_sums *s)
{
    return s->peak - s->bound <= s->bound / 50 + s->bound / 1024 * r->above;
}

void rlxv_fit_by_time(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets,
                      uint64_t *scratch, rlx_plan_sums *out)
{
    uint64_t peak = fit_by_time(r, sizes, scratch, (uint32_t *)(scratch + r->n_buffers));
    if (peak >= out->peak)
        return;
    out->peak = peak;
    memcpy(offsets, scratch, r->n_buffers * sizeof *offsets);
}

void rlxv_fit(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets, uint64_t *scratch,
              rlx_plan_sums *out)
{
    *out = (rlx_plan_sums){UINT64_MAX, rlxv_fit_bound(r, sizes)};
    if (r->order) {
        out->peak = fit_on_top(r, sizes, offsets, scratch);
        if (rlxv_fit_is_close(r, out))
            return;
    }
    rlxv_fit_by_time(r, sizes, offsets, scratch, out);
    if (!rlxv_fit_is_close(r, out))
        rlxv_fit_by_orders(r, sizes, offsets, scratch,
                           (uint64_t)r->n_buffers * STEPS_PER_BUFFER + FREE_STEPS, out);
}

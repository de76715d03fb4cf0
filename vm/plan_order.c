/* Orders in which the buffers of a region are placed one by one, each in the smallest gap that
   fits.

   An order is by falling products of powers of three numbers: the largest sum of sizes in use while
   the buffer is (its contention: buffers at the tightest points must come first), its size,
   its duration. Size alone and size times duration are those of Pisarchyk and Lee 2020, "Efficient
   Memory Management for Deep Neural Net Inference"; orders with contention come closer to the bound
   if many buffers are in use at once. A buffer costs its number of neighbours, more if lists are
   long. For a region that the sweep over time does not place well, loading the file searches a good
   layout with all symbols set to 128, and keeps the order of its offsets. */
#include "vm/exec.h"

#include <string.h>

static const struct {
    uint8_t contention, size, duration; /* powers; the ninth decides before the others do */
} orders[] = {{9, 0, 1}, {9, 1, 1}, {0, 1, 0}, {0, 1, 1},
              {1, 1, 0}, {0, 2, 1}, {9, 1, 0}, {0, 0, 1}};
enum { N_ORDERS = sizeof orders / sizeof *orders };

#define LOAD_STEPS_PER_BUFFER 4096u /* 2 us each */
#define MOST_LOAD_STEPS (1u << 23)

typedef struct taken { /* bytes of a placed buffer */
    uint64_t begin, end;
} taken;

/* The scratch memory of one search. */
typedef struct work {
    uint64_t *offsets;         /* of the current try */
    double *keys, *contention; /* per buffer */
    taken *near;
    uint32_t *order, *other;
    uint64_t steps; /* remaining steps: a neighbour visited, or moved in a sorted list */
} work;

size_t rlxv_fit_scratch_words(const rlxv_region *r)
{
    return 6 * (size_t)r->n_buffers;
}

static work work_in(const rlxv_region *r, uint64_t *scratch, uint64_t steps)
{
    size_t n = r->n_buffers;
    work w = {.offsets = scratch, .steps = steps};
    w.keys = (double *)(scratch + n);
    w.contention = w.keys + n;
    w.near = (taken *)(scratch + 3 * n);
    w.order = (uint32_t *)(scratch + 5 * n);
    w.other = w.order + n;
    return w;
}

/* --- orders ----------------------------------------------------------------------------------- */

/* Sorts |rows| by falling keys, equal keys by number. */
static void sort_by_key(uint32_t *rows, uint32_t *other, uint32_t n, const double *keys)
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

typedef struct height { /* bytes in use since event |at| */
    uint64_t at, bytes;
} height;

/* For each buffer the largest sum of sizes during its use. |stack| holds, by time, the heights not
 * exceeded later: the first since a buffer's start is the largest. */
static void find_contention(const rlxv_region *r, const uint64_t *sizes, double *contention,
                            height *stack, uint32_t *began)
{
    uint64_t live = 0;
    uint32_t n = 0;
    for (uint32_t b = 0; b < r->n_buffers; b++)
        contention[b] = (double)sizes[b]; /* of a buffer that is never in use */
    for (uint32_t i = 0; i < 2 * r->n_buffers; i++) {
        uint32_t b = r->events[i] / 2;
        if (r->first[b] >= r->last[b])
            continue;
        if (r->events[i] & 1) {
            live += sizes[b];
            while (n > 0 && stack[n - 1].bytes <= live)
                n--;
            stack[n++] = (height){i, live};
            began[b] = i;
            continue;
        }
        live -= sizes[b];
        uint32_t low = 0, high = n - 1;
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (stack[mid].at < began[b])
                low = mid + 1;
            else
                high = mid;
        }
        contention[b] = (double)stack[low].bytes;
    }
}

static double power(double x, uint32_t n)
{
    double y = 1;
    for (uint32_t i = 0; i < n; i++)
        y *= x;
    return y;
}

/* Sizes are below 2^62, durations below 2^32: no product leaves the range of a double. */
static void order_by(const rlxv_region *r, const uint64_t *sizes, uint32_t row, work *w)
{
    for (uint32_t b = 0; b < r->n_buffers; b++) {
        double duration = r->last[b] > r->first[b] ? (double)(r->last[b] - r->first[b]) : 0;
        w->keys[b] = power(w->contention[b], orders[row].contention) *
                     power((double)sizes[b], orders[row].size) *
                     power(duration, orders[row].duration);
        w->order[b] = b;
    }
    sort_by_key(w->order, w->other, r->n_buffers, w->keys);
}

/* --- placing ---------------------------------------------------------------------------------- */

/* Lists the placed buffers that meet |b|, by offset; false if that is too much work. */
static bool list_near(const rlxv_region *r, const uint64_t *sizes, uint32_t b, work *w,
                      uint32_t *out_n)
{
    taken *near = w->near;
    uint32_t n = 0;
    uint64_t steps = r->edge_start[b + 1] - r->edge_start[b];
    for (uint32_t e = r->edge_start[b]; e < r->edge_start[b + 1] && steps <= w->steps; e++) {
        uint32_t a = r->edges[e], at = n;
        uint64_t begin = w->offsets[a];
        if (begin == UINT64_MAX || sizes[a] == 0)
            continue;
        for (; at > 0 && near[at - 1].begin > begin; at--)
            near[at] = near[at - 1];
        near[at] = (taken){begin, begin + sizes[a]};
        steps += n++ - at;
    }
    *out_n = n;
    w->steps -= steps <= w->steps ? steps : w->steps;
    return w->steps > 0;
}

/* Places buffers in |w->order|. Offsets of buffers not placed yet are UINT64_MAX. False if the peak
 * reaches |limit|, or the steps are used up. */
static bool fit_in_order(const rlxv_region *r, const uint64_t *sizes, work *w, uint64_t limit,
                         uint64_t *out_peak)
{
    uint64_t peak = 0;
    for (uint32_t i = 0; i < r->n_buffers; i++)
        w->offsets[i] = UINT64_MAX;
    for (uint32_t i = 0; i < r->n_buffers; i++) {
        uint32_t b = w->order[i], n = 0;
        uint64_t size = sizes[b], end = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
        if (!list_near(r, sizes, b, w, &n))
            return false;
        for (uint32_t k = 0; k < n; k++) {
            if (w->near[k].begin >= end) {
                uint64_t gap = w->near[k].begin - end;
                if (gap >= size && gap < best_gap) {
                    best_gap = gap;
                    best = end;
                }
            }
            end = w->near[k].end > end ? w->near[k].end : end;
        }
        w->offsets[b] = best == UINT64_MAX ? end : best;
        peak = w->offsets[b] + size > peak ? w->offsets[b] + size : peak;
        if (peak >= limit)
            return false;
    }
    *out_peak = peak;
    return true;
}

void rlxv_fit_by_orders(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets,
                        uint64_t *scratch, uint64_t steps, rlx_plan_sums *out)
{
    work w = work_in(r, scratch, steps);
    if (!r->edges || r->edge_start[r->n_buffers] >= steps)
        return;
    find_contention(r, sizes, w.contention, (height *)(void *)w.near, w.other);
    for (uint32_t row = 0; row < N_ORDERS && w.steps > 0 && !rlxv_fit_is_close(r, out); row++) {
        order_by(r, sizes, row, &w);
        if (fit_in_order(r, sizes, &w, out->peak, &out->peak))
            memcpy(offsets, w.offsets, r->n_buffers * sizeof *offsets);
    }
}

/* --- the order that is kept ------------------------------------------------------------------- */

/* Moves the neighbours that come before |b| to the front of its list. */
static void part_edges(rlxv_region *r, const uint32_t *position, uint32_t b)
{
    uint32_t *list = r->edges + r->edge_start[b];
    uint32_t n = r->edge_start[b + 1] - r->edge_start[b], kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = list[i];
        if (position[a] > position[b])
            continue;
        list[i] = list[kept];
        list[kept++] = a;
    }
    r->n_below[b] = kept;
}

bool rlxv_fit_find_order(rlxv_arena *arena, rlxv_region *r, const uint64_t *sizes,
                         uint64_t *offsets, uint64_t *scratch)
{
    rlx_plan_sums sums = {UINT64_MAX, rlxv_fit_bound(r, sizes)};
    uint64_t steps = (uint64_t)r->n_buffers * LOAD_STEPS_PER_BUFFER;
    rlxv_fit_by_time(r, sizes, offsets, scratch, &sums);
    if (!r->edges || rlxv_fit_is_close(r, &sums))
        return true;
    rlxv_fit_by_orders(r, sizes, offsets, scratch,
                       steps < MOST_LOAD_STEPS ? steps : MOST_LOAD_STEPS, &sums);
    uint32_t *order = rlxv_arena_alloc(arena, r->n_buffers, sizeof *order);
    r->n_below = rlxv_arena_alloc(arena, r->n_buffers, sizeof *r->n_below);
    if (!order || !r->n_below)
        return false;
    work w = work_in(r, scratch, 0);
    for (uint32_t b = 0; b < r->n_buffers; b++) {
        w.keys[b] = -(double)offsets[b];
        order[b] = b;
    }
    sort_by_key(order, w.other, r->n_buffers, w.keys);
    for (uint32_t i = 0; i < r->n_buffers; i++)
        w.other[order[i]] = i;
    for (uint32_t b = 0; b < r->n_buffers; b++)
        part_edges(r, w.other, b);
    uint64_t above = (sums.peak - sums.bound) / (sums.bound / 1024 + 1);
    r->above = above < 1024 ? (uint32_t)above : 1024;
    r->order = order;
    return true;
}

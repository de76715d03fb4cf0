/* Layouts of buffers that share one block: offsets at which buffers in use at the same time are
 * disjoint, in a block as small as possible.
 *
   Each algorithm is a row of a table with a name, which --memory-layout selects:
 *
 *     auto                  the runtime's layout; where its peak is above the lower bound, the best
 *                           of all rows below, climbing for a tenth of a second
 *     greedy_by_size        the largest first, each at the lowest offset that is free
 *     greedy_by_conflicts   those first that meet the most others; both place a buffer earlier that
 *                           sets the peak, some times over, while the bound is not reached
 *     hill_climb            changes the order in which buffers are placed, from the best of the
 *                           greedy layouts on, until the bound is reached or the work is used up
 *
 * Work is counted in steps, not in time, so a layout depends only on the buffers and options,
 * unless seconds are given. */
#ifndef RLXC_ANALYSIS_LAYOUT_H
#define RLXC_ANALYSIS_LAYOUT_H

#include "compiler/base/context.h"
#include "rlx/builder.h"

struct rlxc_layout_row;

typedef struct rlxc_layout_options {
    const struct rlxc_layout_row *row;
    uint64_t steps;   /* of hill_climb: buffers looked at; some 10^8 in a second */
    uint32_t seconds; /* of hill_climb, at most; 0: any */
    uint32_t seed;    /* of its changes */
} rlxc_layout_options;

/* Reads "NAME[,steps=N][,seconds=N][,seed=N]"; NULL is auto. False after an error that names what
 * is wrong. */
bool rlxc_layout_parse(rlxc_context *ctx, const char *text, rlxc_layout_options *out);

/* True for auto and hill_climb, which search until |steps| are used up. */
bool rlxc_layout_climbs(const rlxc_layout_options *options);
/* The random state of such a search, and the next random number, which is below |n|. */
uint64_t rlxc_layout_seed(const rlxc_layout_options *options);
uint32_t rlxc_layout_random(uint64_t *state, uint32_t n);
/* The largest sum of bytes in use at one point: no layout is smaller. */
uint64_t rlxc_layout_bound(rlxc_context *ctx, const rlx_plan_interval *rows, uint32_t n);
/* |offsets| + bytes, at most. */
uint64_t rlxc_layout_peak(const rlx_plan_interval *rows, uint32_t n, const uint64_t *offsets);

/* Lays out |rows|; the sum of their bytes is below 2^62. |offsets| holds a layout, which that of
 * the row replaces (auto: only a better one). It stays if memory runs out or too many pairs are in
 * use at the same time. Offsets are multiples of the common alignment of all sizes. */
void rlxc_layout(rlxc_context *ctx, const rlxc_layout_options *options,
                 const rlx_plan_interval *rows, uint32_t n, uint64_t *offsets);

#endif

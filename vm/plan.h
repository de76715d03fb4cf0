/* Memory plans (private): as stated in the file, and as laid out by the VM. */
#ifndef RLXV_PLAN_H
#define RLXV_PLAN_H

#include "vm/arena.h"
#include "vm/object.h"

#include <rlx/plan.h>

/* --- stated ------------------------------------------------------------------------------------
 */

/* A tensor of a memory plan. */
typedef struct rlxv_plan_tensor {
    uint32_t buffer, type;
    uint32_t region, index; /* in the region's lists */
    uint32_t dims;          /* start of its dims in the region's dim_values */
} rlxv_plan_tensor;

/* Buffers that are laid out together, with the data that follows from their intervals alone. */
typedef struct rlxv_region {
    uint32_t n_buffers, n_tensors, n_values, n_slots, n_dim_values;
    uint32_t *buffers;      /* of the function, in the order of their starts */
    uint32_t *tensors;      /* of the function */
    uint32_t *values;       /* distinct expressions: sizes and dims */
    uint32_t *size_value;   /* per buffer: its size, an index in |values| */
    uint32_t *dim_values;   /* per dim of each tensor: an index in |values| */
    uint32_t *slots;        /* that the expressions use */
    uint32_t *first, *last; /* per buffer */
    uint32_t *events;       /* 2 * buffer + 1 for its start, 2 * buffer for its end, by time */
    uint32_t *edge_start, *edges; /* per buffer: those in use at the same time; NULL: too many */
    /* An order in which each buffer is placed on top of the earlier ones among its edges, which are
     * the first |n_below|; NULL: no search was made. |above|: the excess of the peak over the lower
     * bound when it was found, in 1/1024. */
    uint32_t *order, *n_below, above;
    bool is_stated;  /* the file has the offsets */
    uint32_t device; /* row of the executable's devices; 0: the host */
} rlxv_region;

typedef struct rlxv_plan {
    uint32_t n_regions, n_buffers, n_tensors;
    rlxv_region *regions;
    rlx_plan_buffer *buffers;
    uint32_t *buffer_index; /* of each buffer in its region */
    rlxv_plan_tensor *tensors;
    uint32_t first_region; /* of this function among those of the executable */
} rlxv_plan;

/* plan_fit.c */
/* Places buffers of |sizes| bytes (multiples of RLX_PLAN_ALIGN, their sum below 2^63) so that those
 * overlapping in time are disjoint. |scratch| has rlxv_fit_scratch_words(r) 64-bit words. */
void rlxv_fit(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets, uint64_t *scratch,
              rlx_plan_sums *out);
size_t rlxv_fit_scratch_words(const rlxv_region *r);
/* Largest sum of sizes in use at one point. */
uint64_t rlxv_fit_bound(const rlxv_region *r, const uint64_t *sizes);
/* Placement methods: each writes |offsets| and |out->peak| only if its peak is lower. */
void rlxv_fit_by_time(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets,
                      uint64_t *scratch, rlx_plan_sums *out);
/* plan_order.c; |steps|: the work limit, in neighbours visited. */
void rlxv_fit_by_orders(const rlxv_region *r, const uint64_t *sizes, uint64_t *offsets,
                        uint64_t *scratch, uint64_t steps, rlx_plan_sums *out);
/* True if within 2 % of the bound plus the excess that the region's order had when it was found. */
bool rlxv_fit_is_close(const rlxv_region *r, const rlx_plan_sums *s);
/* Finds |r->order| by a layout of |sizes|, if that is useful; false if memory is out. |offsets|
   are scratch memory too. */
bool rlxv_fit_find_order(rlxv_arena *arena, rlxv_region *r, const uint64_t *sizes,
                         uint64_t *offsets, uint64_t *scratch);
/* Builds first, last, events, edges of |r|, whose buffers are in |rows|; false if memory is out. */
bool rlxv_fit_prepare(rlxv_arena *arena, rlxv_arena *scratch, rlxv_region *r,
                      const rlx_plan_buffer *rows);
/* --- laid out ----------------------------------------------------------------------------------
 */

/* A region laid out for some values of its slots. */
typedef struct rlxv_layout {
    const rlxv_region *region;
    bool in_use, cached;
    size_t bytes; /* of this block */
    rlx_plan_sums sums;
    rlx_storage *storage; /* block of the headers, and the offset in it; or NULL */
    size_t base;
    int64_t *slots, *values; /* of the region's slots and expressions */
    uint64_t *offsets;       /* per buffer */
    rlx_tensor **headers;    /* per tensor: its cached header, or NULL */
} rlxv_layout;

/* A region of a frame, while it is laid out. */
typedef struct rlxv_region_use {
    rlxv_layout *layout;  /* NULL: not laid out */
    rlx_tensor **headers; /* of the layout; NULL without one */
    rlx_storage *storage; /* retained */
    size_t base;          /* offset of the region in it */
    uint64_t top_before;  /* of the arena */
} rlxv_region_use;

#define RLXV_MAX_LAYOUTS 16u

typedef struct rlxv_layout_cache { /* of one region, latest first */
    rlxv_layout *items[RLXV_MAX_LAYOUTS];
    uint32_t n;
} rlxv_layout_cache;

#endif

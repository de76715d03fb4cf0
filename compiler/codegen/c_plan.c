/* The arena of a Relax function in C: which of its parts share memory.
 *
 * With upper bounds of all symbols each part has its largest size, and the offsets are numbers.
 * Without, the program lays the parts out at each call (rlx_lay_out in c_helpers.def), for symbols
 * up to a fixed limit; where products of symbols may still overflow, it checks them (rlxc_c_size).
 * Symbols that are no dimensions, but numbers from which dimensions are computed, may also be
 * negative. */
#include "compiler/codegen/c.h"

#include <stdlib.h>

#include "compiler/analysis/static_size.h"

#define MOST_BYTES ((int64_t)1 << 46)
#define MOST_NUMBER ((int64_t)1 << 41) /* beyond the bounds of run-time slices (onnx/slice.c) */
enum {
    ALIGN = 64,
    MOST_UNSTATED = 1 << 20 /* bytes of static memory for a size whose symbols have no limit */
};

static bool has_unlimited(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds)
{
    rlxc_var_list list = {0};
    rlxc_collect_vars(ctx, e, &list);
    for (uint32_t i = 0; i < list.vars.count; i++)
        if (rlxc_bound_of(ctx, list.vars.items[i], bounds).max == INT64_MAX)
            return true;
    return false;
}

/* True if the largest sizes are known. An expression such as min(n, 2^31) limits a size without a
 * limit of n, but often far above what the program needs. */
static bool are_limited(rlxc_context *ctx, const rlxc_c_plan *plan)
{
    for (uint32_t i = 0; i < plan->parts.count; i++) {
        const rlxc_expr *bytes = plan->parts.items[i].bytes;
        const int64_t max = rlxc_bound_of(ctx, bytes, &plan->bounds).max;
        if (max < 0 || max > MOST_BYTES ||
            (max > MOST_UNSTATED && has_unlimited(ctx, bytes, &plan->bounds)))
            return false;
    }
    return true;
}

static bool has_late(const rlxc_c_plan *plan)
{
    for (uint32_t i = 0; i < plan->parts.count; i++)
        if (plan->parts.items[i].is_late)
            return true;
    return false;
}

static void limit_all(rlxc_context *ctx, rlxc_bounds *bounds, const rlxc_var_list *symbols,
                      rlxc_bound limit)
{
    for (uint32_t i = 0; i < symbols->vars.count; i++) {
        const rlxc_expr *var = symbols->vars.items[i];
        const rlxc_bound b = rlxc_bound_of(ctx, var, bounds);
        if (b.max > limit.max && b.max == INT64_MAX)
            rlxc_bounds_set(ctx, bounds, var,
                            (rlxc_bound){b.min > limit.min ? b.min : limit.min, limit.max});
    }
}

/* The bounds that |f| states, with limits for symbols without. */
static rlxc_bounds limited(rlxc_context *ctx, const rlxc_function *f, const rlxc_var_list *dims,
                           int64_t limit, const rlxc_var_list *numbers, int64_t limit_of_numbers)
{
    rlxc_bounds bounds = rlxc_stated_bounds(ctx, f);
    limit_all(ctx, &bounds, dims, (rlxc_bound){0, limit});
    limit_all(ctx, &bounds, numbers, (rlxc_bound){-limit_of_numbers, limit_of_numbers});
    return bounds;
}

static bool overlaps(const rlxc_c_part *a, const rlxc_c_part *b)
{
    return a->first <= b->last && b->first <= a->last;
}

typedef struct sized {
    uint32_t part;
    int64_t bytes;
} sized;

static int larger_first(const void *x, const void *y)
{
    const sized *a = x, *b = y;
    return a->bytes != b->bytes ? (a->bytes < b->bytes) - (a->bytes > b->bytes)
                                : (a->part > b->part) - (a->part < b->part);
}

/* Largest first, each at the lowest offset that no earlier one has at the same time. */
static void place_all(rlxc_context *ctx, rlxc_c_plan *plan)
{
    rlxc_c_part *parts = plan->parts.items;
    sized *order = rlxc_try_alloc(ctx, (size_t)plan->parts.count + 1, sizeof *order);
    for (uint32_t i = 0; order && i < plan->parts.count; i++)
        order[i] = (sized){i, (rlxc_bound_of(ctx, parts[i].bytes, &plan->bounds).max + ALIGN - 1) /
                                  ALIGN * ALIGN};
    if (order)
        qsort(order, plan->parts.count, sizeof *order, larger_first);
    for (uint32_t i = 0; order && i < plan->parts.count; i++) {
        rlxc_c_part *part = &parts[order[i].part];
        for (uint32_t k = 0; k < i;) {
            const rlxc_c_part *other = &parts[order[k].part];
            const int64_t end = other->offset + order[k].bytes;
            const bool collides = overlaps(part, other) && part->offset < end &&
                                  other->offset < part->offset + order[i].bytes;
            k = collides ? 0 : k + 1;
            part->offset = collides ? end : part->offset;
        }
        if (part->offset + order[i].bytes > plan->bytes)
            plan->bytes = part->offset + order[i].bytes;
    }
}

void rlxc_c_lay_out(rlxc_context *ctx, rlxc_c_plan *plan, const rlxc_function *f,
                    const rlxc_var_list *dims, const rlxc_var_list *numbers, bool in_pools)
{
    plan->stated = rlxc_stated_bounds(ctx, f);
    plan->bounds = limited(ctx, f, dims, INT64_MAX, numbers, INT64_MAX);
    plan->has_late = has_late(plan);
    plan->is_static = !plan->has_late && are_limited(ctx, plan);
    if (plan->is_static && !in_pools)
        place_all(ctx, plan);
    if ((plan->is_static && !plan->has_inner) || (!plan->is_static && in_pools))
        return;
    plan->bounds = limited(ctx, f, dims, INT32_MAX, numbers, MOST_NUMBER);
}

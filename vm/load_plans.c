/* Loads memory plans: the rows, and the data derived from them before any size is known. Everything
 * that the VM reads by index is checked here; sizes and dims are values, checked when a region is
 * laid out. A region either states every offset (all its sizes are constants then) or
   none. */
#include "vm/load.h"

#include <string.h>

/* Limits for regions and buffers of all functions together: tables of the VM grow with them. */
#define MAX_REGIONS (1u << 16)
#define MAX_STATED_OFFSET ((uint64_t)1 << 46)
#define TYPICAL_VALUE 128 /* assumed value of a symbol, for the planner to compare sizes */

static rlx_status read_buffer(rlxv_loader *l, rlxv_reader *r, uint32_t row, const rlxv_function *fn,
                              rlx_plan_buffer *b)
{
    const rlx_executable *exe = l->exe;
    b->region = rlxv_read_word(r);
    b->size = rlxv_read_word(r);
    b->first = rlxv_read_word(r);
    b->last = rlxv_read_word(r);
    b->offset = rlxv_read_word64(r);
    if (r->bad || b->region >= fn->plan.n_regions || b->size >= exe->n_exprs ||
        exe->exprs[b->size].slots > fn->n_slots)
        return rlxv_malformed(l, "plan", row, "a buffer's region or size does not exist");
    if (b->first > b->last)
        return rlxv_malformed(l, "plan", row, "a buffer's interval ends before it begins");
    if (b->offset != RLX_PLAN_AT_RUN_TIME &&
        (exe->exprs[b->size].op != RLX_EXPR_CONST || exe->exprs[b->size].value < 0 ||
         b->offset > MAX_STATED_OFFSET || b->offset % RLX_PLAN_ALIGN != 0))
        return rlxv_malformed(l, "plan", row, "a buffer's offset is not one that can be stated");
    return RLX_OK;
}

static rlx_status read_tensor(rlxv_loader *l, rlxv_reader *r, uint32_t row, const rlxv_function *fn,
                              rlxv_plan_tensor *t)
{
    const rlx_executable *exe = l->exe;
    t->buffer = rlxv_read_word(r);
    t->type = rlxv_read_word(r);
    if (r->bad || t->buffer >= fn->plan.n_buffers || t->type >= exe->n_types)
        return rlxv_malformed(l, "plan", row, "a tensor's buffer or type does not exist");
    const rlxv_type *type = &exe->types[t->type];
    bool fits = type->kind == RLX_TYPE_TENSOR && type->dtype.bits && type->rank_known &&
                type->slots <= fn->n_slots;
    for (uint32_t d = 0; fits && d < type->n_dims; d++)
        fits = type->raw_dims[d].kind == RLX_DIM_EXPR;
    if (!fits)
        return rlxv_malformed(l, "plan", row, "a tensor lacks a dtype, a rank or dimensions");
    t->region = fn->plan.buffers[t->buffer].region;
    return RLX_OK;
}

/* --- regions ---------------------------------------------------------------------------------- */

typedef struct grouping {     /* scratch; the per-region parts are clean between regions */
    rlxv_arena arena;         /* of one function */
    uint32_t *value_of;       /* per expression: its number in the region + 1 */
    uint8_t *uses_slot;       /* per slot */
    uint32_t *slots, n_slots; /* slots used, in order of occurrence */
    int64_t *typical;         /* a value for each slot */
} grouping;

/* Recursion bounded by RLXV_MAX_EXPR_DEPTH; the tree's size by RLXV_MAX_EXPR_SIZE. */
static void mark_slots(const rlx_executable *exe, uint32_t e, grouping *g)
{
    const rlxv_expr *x = &exe->exprs[e];
    if (x->op == RLX_EXPR_CONST)
        return;
    if (x->op == RLX_EXPR_SLOT) {
        if (!g->uses_slot[x->a])
            g->slots[g->n_slots++] = x->a;
        g->uses_slot[x->a] = 1;
        return;
    }
    mark_slots(exe, x->a, g);
    mark_slots(exe, x->b, g);
    if (x->op == RLX_EXPR_SELECT)
        mark_slots(exe, x->c, g);
}

static uint32_t value_of(const rlx_executable *exe, grouping *g, rlxv_region *region, uint32_t e)
{
    if (!g->value_of[e]) {
        region->values[region->n_values++] = e;
        g->value_of[e] = region->n_values;
        mark_slots(exe, e, g);
    }
    return g->value_of[e] - 1;
}

/* Fills the lists of |region|, which have room, from the function's rows. */
static bool fill_region(rlx_executable *exe, const rlxv_function *fn, uint32_t index, grouping *g)
{
    rlxv_region *region = &fn->plan.regions[index];
    for (uint32_t i = 0; i < region->n_buffers; i++)
        region->size_value[i] = value_of(exe, g, region, fn->plan.buffers[region->buffers[i]].size);
    for (uint32_t i = 0; i < region->n_tensors; i++) {
        rlxv_plan_tensor *t = &fn->plan.tensors[region->tensors[i]];
        const rlxv_type *type = &exe->types[t->type];
        t->index = i;
        t->dims = region->n_dim_values;
        for (uint32_t d = 0; d < type->n_dims; d++)
            region->dim_values[region->n_dim_values++] =
                value_of(exe, g, region, type->raw_dims[d].index);
    }
    for (uint32_t i = 0; i < region->n_values; i++)
        g->value_of[region->values[i]] = 0;
    region->n_slots = g->n_slots;
    region->slots = rlxv_arena_alloc(&exe->arena, g->n_slots, sizeof *region->slots);
    for (; g->n_slots > 0; g->n_slots--) {
        uint32_t slot = g->slots[g->n_slots - 1];
        g->uses_slot[slot] = 0;
        if (region->slots)
            region->slots[g->n_slots - 1] = slot;
    }
    return region->slots != NULL;
}

static bool alloc_region(rlxv_arena *a, rlxv_region *r, uint32_t n_dims)
{
    size_t n_values = (size_t)r->n_buffers + n_dims;
    r->buffers = rlxv_arena_alloc(a, r->n_buffers, sizeof(uint32_t));
    r->tensors = rlxv_arena_alloc(a, r->n_tensors, sizeof(uint32_t));
    r->size_value = rlxv_arena_alloc(a, r->n_buffers, sizeof(uint32_t));
    r->dim_values = rlxv_arena_alloc(a, n_dims, sizeof(uint32_t));
    r->values = rlxv_arena_alloc(a, n_values, sizeof(uint32_t));
    return r->buffers && r->tensors && r->size_value && r->dim_values && r->values;
}

static void count_rows(const rlx_executable *exe, const rlxv_function *fn, uint32_t *n_dims)
{
    for (uint32_t i = 0; i < fn->plan.n_buffers; i++)
        fn->plan.regions[fn->plan.buffers[i].region].n_buffers++;
    for (uint32_t i = 0; i < fn->plan.n_tensors; i++) {
        const rlxv_plan_tensor *t = &fn->plan.tensors[i];
        fn->plan.regions[t->region].n_tensors++;
        n_dims[t->region] += exe->types[t->type].n_dims;
    }
}

/* Finds an order for the planner by a layout with equal values for all symbols. */
static bool find_order(rlxv_loader *l, const rlxv_function *fn, rlxv_region *r, grouping *g)
{
    size_t n = r->n_buffers;
    int64_t *values = rlxv_arena_alloc(&g->arena, r->n_values, sizeof *values);
    uint64_t *sizes = rlxv_arena_alloc(&g->arena, n, sizeof *sizes);
    uint64_t *offsets = rlxv_arena_alloc(&g->arena, n, sizeof *offsets);
    uint64_t *scratch = rlxv_arena_alloc(&g->arena, rlxv_fit_scratch_words(r), sizeof *scratch);
    if (!values || !sizes || !offsets || !scratch)
        return false;
    if (rlxv_layout_sizes(l->exe, fn, r, g->typical, values, sizes, NULL) != RLX_OK)
        return true; /* impossible sizes: no order */
    return rlxv_fit_find_order(&l->exe->arena, r, sizes, offsets, scratch);
}

static rlx_status finish_region(rlxv_loader *l, uint32_t row, const rlxv_function *fn,
                                rlxv_region *r, grouping *g)
{
    uint32_t stated = 0;
    for (uint32_t i = 0; i < r->n_buffers; i++) {
        const rlx_plan_buffer *b = &fn->plan.buffers[r->buffers[i]];
        stated += b->offset != RLX_PLAN_AT_RUN_TIME;
        if (i > 0 && b->first < fn->plan.buffers[r->buffers[i - 1]].first)
            return rlxv_malformed(l, "plan", row, "buffers are not in the order they begin");
    }
    if (stated != 0 && stated != r->n_buffers)
        return rlxv_malformed(l, "plan", row, "states some offsets of a region and not others");
    r->is_stated = stated > 0;
    if (!rlxv_fit_prepare(&l->exe->arena, &g->arena, r, fn->plan.buffers) ||
        (!r->is_stated && !find_order(l, fn, r, g)))
        return rlxv_load_nomem(l);
    return RLX_OK;
}

static rlx_status group(rlxv_loader *l, uint32_t row, const rlxv_function *fn, grouping *g)
{
    rlx_executable *exe = l->exe;
    const rlxv_plan *p = &fn->plan;
    uint32_t *n_dims = rlxv_arena_alloc(&g->arena, p->n_regions, sizeof *n_dims);
    if (!n_dims)
        return rlxv_load_nomem(l);
    count_rows(exe, fn, n_dims);
    for (uint32_t i = 0; i < p->n_regions; i++) {
        if (!alloc_region(&exe->arena, &p->regions[i], n_dims[i]))
            return rlxv_load_nomem(l);
        p->regions[i].n_buffers = p->regions[i].n_tensors = 0;
    }
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        rlxv_region *r = &p->regions[p->buffers[i].region];
        p->buffer_index[i] = r->n_buffers;
        r->buffers[r->n_buffers++] = i;
    }
    for (uint32_t i = 0; i < p->n_tensors; i++) {
        rlxv_region *r = &p->regions[p->tensors[i].region];
        r->tensors[r->n_tensors++] = i;
    }
    for (uint32_t i = 0; i < p->n_regions; i++) {
        if (!fill_region(exe, fn, i, g))
            return rlxv_load_nomem(l);
        RLX_TRY(finish_region(l, row, fn, &p->regions[i], g));
    }
    return RLX_OK;
}

static rlx_status read_plan(rlxv_loader *l, rlxv_reader *r, uint32_t row, rlxv_function *fn,
                            grouping *g)
{
    rlx_executable *exe = l->exe;
    rlxv_plan *p = &fn->plan;
    p->n_regions = rlxv_read_word(r);
    p->n_buffers = rlxv_read_count(r, 6);
    p->n_tensors = rlxv_read_count(r, 2);
    if (r->bad || p->n_regions == 0 || p->n_regions > MAX_REGIONS - exe->n_regions)
        return rlxv_malformed(l, "plan", row, "has no regions or too many");
    p->first_region = exe->n_regions;
    exe->n_regions += p->n_regions;
    p->regions = rlxv_arena_alloc(&exe->arena, p->n_regions, sizeof *p->regions);
    p->buffers = rlxv_arena_alloc(&exe->arena, p->n_buffers, sizeof *p->buffers);
    p->buffer_index = rlxv_arena_alloc(&exe->arena, p->n_buffers, sizeof *p->buffer_index);
    p->tensors = rlxv_arena_alloc(&exe->arena, p->n_tensors, sizeof *p->tensors);
    if (!p->regions || !p->buffers || !p->buffer_index || !p->tensors)
        return rlxv_load_nomem(l);
    for (uint32_t i = 0; i < p->n_buffers; i++)
        RLX_TRY(read_buffer(l, r, row, fn, &p->buffers[i]));
    for (uint32_t i = 0; i < p->n_tensors; i++)
        RLX_TRY(read_tensor(l, r, row, fn, &p->tensors[i]));
    rlxv_arena_init(&g->arena, &exe->allocator);
    rlx_status status = group(l, row, fn, g);
    rlxv_arena_deinit(&g->arena);
    return status;
}

/* Plans: function, number of regions, of buffers and of tensors; then region, size, first, last and
   offset (64 bits) of each buffer, buffer and type of each tensor. By function, one each. */
rlx_status rlxv_parse_plans(rlxv_loader *l)
{
    rlx_executable *exe = l->exe;
    rlxv_reader r;
    uint32_t n, next = 0;
    RLX_TRY(rlxv_open_section(l, RLXV_SECTION_PLANS, 4, "plans", &r, &n));
    if (n == 0)
        return rlxv_close_section(l, &r, "plans");
    uint32_t most_slots = 0;
    for (uint32_t i = 0; i < exe->n_functions; i++)
        if (exe->functions[i].n_slots > most_slots)
            most_slots = exe->functions[i].n_slots;
    rlxv_arena scratch;
    rlxv_arena_init(&scratch, &exe->allocator);
    grouping g = {.value_of = rlxv_arena_alloc(&scratch, exe->n_exprs, sizeof *g.value_of),
                  .uses_slot = rlxv_arena_alloc(&scratch, most_slots, 1),
                  .slots = rlxv_arena_alloc(&scratch, most_slots, sizeof *g.slots),
                  .typical = rlxv_arena_alloc(&scratch, most_slots, sizeof *g.typical)};
    bool is_there = g.value_of && g.uses_slot && g.slots && g.typical;
    rlx_status status = is_there ? RLX_OK : rlxv_load_nomem(l);
    for (uint32_t i = 0; i < most_slots && is_there; i++)
        g.typical[i] = TYPICAL_VALUE;
    for (uint32_t i = 0; i < n && status == RLX_OK; i++) {
        uint32_t f = rlxv_read_word(&r);
        if (r.bad || f < next || f >= exe->n_functions) {
            status = rlxv_malformed(l, "plan", i, "is of no function, or out of order");
        } else {
            next = f + 1;
            status = read_plan(l, &r, i, &exe->functions[f], &g);
        }
    }
    rlxv_arena_deinit(&scratch);
    return status == RLX_OK ? rlxv_close_section(l, &r, "plans") : status;
}

/* The executable builder's memory plans: buffers, their tensors, and offsets of constant sizes.

   The caller that adds buffers numbers the regions; a region whose sizes are all constants gets its
   offsets here, so that nothing is left to compute at run time. */
#include "vm/builder.h"
#include "vm/need.h"

#include <string.h>

#define INVALID(...) rlx_fail(err, RLX_E_INVALID_ARG, __VA_ARGS__)
#define MAX_BYTES ((int64_t)1 << 45) /* limit of a region; beyond it, the VM reports the error */

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
}

static rlx_status open_function(rlx_exec_builder *b, rlxv_build_function **out, rlx_error *err)
{
    if (b->current == RLX_NONE)
        return INVALID("no function is open: begin one first");
    *out = &b->functions[b->current];
    return RLX_OK;
}

rlx_status rlx_exec_builder_stated_buffer(rlx_exec_builder *b, const rlx_plan_buffer *buffer,
                                          uint32_t *out, rlx_error *err)
{
    RLXV_NEED(err, b && buffer && out);
    rlxv_build_function *f = NULL;
    RLX_TRY(open_function(b, &f, err));
    if (buffer->size >= b->exprs.count)
        return INVALID("expression %u does not exist", buffer->size);
    if (buffer->region > f->n_regions)
        return INVALID("region %u comes before region %u", buffer->region, f->n_regions);
    if (!rlxv_grow(&b->allocator, (void **)&f->buffers, &f->buffers_capacity, f->n_buffers,
                   sizeof *f->buffers))
        return no_memory(err);
    if (b->expr_slots[buffer->size] > f->n_slots)
        f->n_slots = b->expr_slots[buffer->size];
    if (buffer->region == f->n_regions)
        f->n_regions++;
    f->buffers[f->n_buffers] = *buffer;
    *out = f->n_buffers++;
    return RLX_OK;
}

rlx_status rlx_exec_builder_buffer(rlx_exec_builder *b, uint32_t region, uint32_t size,
                                   uint32_t *out, rlx_error *err)
{
    RLXV_NEED(err, b && out);
    rlxv_build_function *f = NULL;
    RLX_TRY(open_function(b, &f, err));
    const rlx_plan_buffer row = {region, size, f->n_words, RLX_NONE, RLX_PLAN_AT_RUN_TIME};
    return rlx_exec_builder_stated_buffer(b, &row, out, err);
}

rlx_status rlx_exec_builder_buffer_end(rlx_exec_builder *b, uint32_t buffer, rlx_error *err)
{
    RLXV_NEED(err, b);
    rlxv_build_function *f = NULL;
    RLX_TRY(open_function(b, &f, err));
    if (buffer >= f->n_buffers)
        return INVALID("buffer %u does not exist", buffer);
    f->buffers[buffer].last = f->n_words;
    return RLX_OK;
}

bool rlx_exec_builder_buffer_at(const rlx_exec_builder *b, uint32_t buffer, rlx_plan_buffer *out)
{
    if (!b || !out || b->current == RLX_NONE || buffer >= b->functions[b->current].n_buffers)
        return false;
    *out = b->functions[b->current].buffers[buffer];
    return true;
}

rlx_status rlx_exec_builder_place_buffer(rlx_exec_builder *b, uint32_t buffer, uint32_t region,
                                         uint64_t offset, rlx_error *err)
{
    RLXV_NEED(err, b);
    rlxv_build_function *f = NULL;
    RLX_TRY(open_function(b, &f, err));
    if (buffer >= f->n_buffers || region >= f->n_regions)
        return INVALID("buffer %u in region %u", buffer, region);
    f->buffers[buffer].region = region;
    f->buffers[buffer].offset = offset;
    return RLX_OK;
}

rlx_status rlx_exec_builder_plan_tensor(rlx_exec_builder *b, uint32_t buffer, uint32_t type,
                                        uint32_t *out, rlx_error *err)
{
    RLXV_NEED(err, b && out);
    rlxv_build_function *f = NULL;
    RLX_TRY(open_function(b, &f, err));
    if (buffer >= f->n_buffers || type >= b->types.count)
        return INVALID("a tensor of buffer %u and type %u", buffer, type);
    if (!rlxv_grow(&b->allocator, (void **)&f->tensors, &f->tensors_capacity, 2 * f->n_tensors + 1,
                   sizeof *f->tensors))
        return no_memory(err);
    if (b->type_slots[type] > f->n_slots)
        f->n_slots = b->type_slots[type];
    f->tensors[2 * f->n_tensors] = buffer;
    f->tensors[2 * f->n_tensors + 1] = type;
    *out = f->n_tensors++;
    return RLX_OK;
}

void rlx_exec_builder_set_layout(rlx_exec_builder *b, rlx_plan_layout_fn layout, void *user)
{
    if (!b)
        return;
    b->layout = layout;
    b->layout_user = user;
}

/* Lets the caller improve |offsets|. */
static rlx_status improve(rlxv_arena *arena, const rlx_exec_builder *b, const rlxv_region *r,
                          const uint64_t *sizes, uint64_t *offsets, rlx_error *err)
{
    rlx_plan_interval *rows = rlxv_arena_alloc(arena, r->n_buffers, sizeof *rows);
    if (!rows)
        return no_memory(err);
    for (uint32_t i = 0; i < r->n_buffers; i++)
        rows[i] = (rlx_plan_interval){r->first[i], r->last[i], sizes[i]};
    b->layout(b->layout_user, rows, r->n_buffers, offsets);
    return RLX_OK;
}

/* Offsets of the |n| buffers |rows|, a region, if all sizes are constants and none is stated. */
static rlx_status place_region(rlxv_arena *arena, const rlx_exec_builder *b, rlxv_build_function *f,
                               uint32_t *rows, uint32_t n, rlx_error *err)
{
    rlxv_region r = {.n_buffers = n, .n_values = n, .buffers = rows};
    int64_t bytes, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const rlx_plan_buffer *u = &f->buffers[rows[i]];
        if (u->offset != RLX_PLAN_AT_RUN_TIME || !rlxv_build_constant_value(b, u->size, &bytes) ||
            bytes < 0 || bytes > MAX_BYTES || (sum += bytes) > MAX_BYTES || u->first > u->last)
            return RLX_OK;
    }
    r.size_value = rlxv_arena_alloc(arena, r.n_buffers, sizeof *r.size_value);
    uint64_t *sizes = rlxv_arena_alloc(arena, r.n_buffers, sizeof *sizes);
    uint64_t *offsets = rlxv_arena_alloc(arena, r.n_buffers, sizeof *offsets);
    uint64_t *scratch = rlxv_arena_alloc(arena, rlxv_fit_scratch_words(&r), sizeof *scratch);
    if (!r.size_value || !sizes || !offsets || !scratch)
        return no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        rlxv_build_constant_value(b, f->buffers[rows[i]].size, &bytes);
        sizes[i] = ((uint64_t)bytes + RLX_PLAN_ALIGN - 1) / RLX_PLAN_ALIGN * RLX_PLAN_ALIGN;
        r.size_value[i] = i;
    }
    rlx_plan_sums sums;
    if (!rlxv_fit_prepare(arena, arena, &r, f->buffers) ||
        !rlxv_fit_find_order(arena, &r, sizes, offsets, scratch))
        return no_memory(err);
    rlxv_fit(&r, sizes, offsets, scratch, &sums);
    if (b->layout)
        RLX_TRY(improve(arena, b, &r, sizes, offsets, err));
    for (uint32_t i = 0; i < r.n_buffers; i++)
        f->buffers[r.buffers[i]].offset = offsets[i];
    return RLX_OK;
}

rlx_status rlxv_build_finish_plan(rlx_exec_builder *b, rlxv_build_function *f, rlx_error *err)
{
    rlx_status status = RLX_OK;
    for (uint32_t i = 0; i < f->n_buffers; i++)
        if (f->buffers[i].last == RLX_NONE)
            f->buffers[i].last = f->n_words;
    rlxv_arena lists;
    rlxv_arena_init(&lists, &b->allocator);
    uint32_t *rows = rlxv_arena_alloc(&lists, (size_t)f->n_buffers + 1, sizeof *rows);
    uint32_t *end = rlxv_arena_alloc(&lists, (size_t)f->n_regions + 1, sizeof *end);
    if (!rows || !end)
        status = no_memory(err);
    for (uint32_t i = 0; i < f->n_buffers && status == RLX_OK; i++)
        end[f->buffers[i].region + 1]++;
    for (uint32_t z = 1; z < f->n_regions && status == RLX_OK; z++)
        end[z + 1] += end[z];
    /* |end| holds the starts, shifted by one: filling turns them into the ends. */
    for (uint32_t i = 0; i < f->n_buffers && status == RLX_OK; i++)
        rows[end[f->buffers[i].region]++] = i;
    for (uint32_t z = 0, from = 0; z < f->n_regions && status == RLX_OK; from = end[z++]) {
        rlxv_arena arena;
        rlxv_arena_init(&arena, &b->allocator);
        status = place_region(&arena, b, f, rows + from, end[z] - from, err);
        rlxv_arena_deinit(&arena);
    }
    rlxv_arena_deinit(&lists);
    return status;
}

/* Layouts of regions for given slots, and the getters of plans.

   Sizes come from the file: each is checked to be a possible size, and their sum to stay far from
   overflow, so that later additions need no checks. */
#include "vm/exec.h"
#include "vm/need.h"

#include <rlx/checked.h>
#include <string.h>

#define MAX_BYTES ((uint64_t)1 << 46)
#define MAX_SUM ((uint64_t)1 << 62)

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory while planning memory");
}

rlx_status rlxv_layout_sizes(const rlx_executable *exe, const rlxv_function *fn,
                             const rlxv_region *r, const int64_t *slots, int64_t *values,
                             uint64_t *sizes, rlx_error *err)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n_values; i++)
        if (!rlxv_eval(exe, r->values[i], slots, &values[i]))
            return rlx_fail(err, RLX_E_SHAPE,
                            "%.*s: the size of a tensor overflows or is divided by zero",
                            (int)fn->name.len, fn->name.data);
    for (uint32_t i = 0; i < r->n_buffers; i++) {
        int64_t bytes = values[r->size_value[i]];
        if (bytes < 0 || (uint64_t)bytes > MAX_BYTES) {
            rlx_fail(err, RLX_E_LIMIT, "%.*s: a buffer of %lld bytes", (int)fn->name.len,
                     fn->name.data, (long long)bytes);
            rlxv_add_location(fn, fn->plan.buffers[r->buffers[i]].first, err);
            return RLX_E_LIMIT;
        }
        sizes[i] = ((uint64_t)bytes + RLX_PLAN_ALIGN - 1) / RLX_PLAN_ALIGN * RLX_PLAN_ALIGN;
        sum += sizes[i];
        if (sum > MAX_SUM)
            return rlx_fail(err, RLX_E_LIMIT, "%.*s: the planned memory size overflows",
                            (int)fn->name.len, fn->name.data);
    }
    return RLX_OK;
}

static void stated_layout(const rlxv_function *fn, const rlxv_region *r, const uint64_t *sizes,
                          uint64_t *offsets, rlx_plan_sums *out)
{
    *out = (rlx_plan_sums){0, rlxv_fit_bound(r, sizes)};
    for (uint32_t i = 0; i < r->n_buffers; i++) {
        offsets[i] = fn->plan.buffers[r->buffers[i]].offset;
        if (offsets[i] + sizes[i] > out->peak)
            out->peak = offsets[i] + sizes[i];
    }
}

rlx_status rlxv_layout_compute(const rlx_allocator *a, const rlx_executable *exe,
                               const rlxv_function *fn, const rlxv_region *r, const int64_t *slots,
                               int64_t *values, uint64_t *offsets, rlx_plan_sums *out,
                               rlx_error *err)
{
    size_t bytes = (r->n_buffers + rlxv_fit_scratch_words(r)) * sizeof(uint64_t);
    uint64_t *sizes = rlx_alloc(a, bytes, 16);
    if (!sizes)
        return no_memory(err);
    rlx_status status = rlxv_layout_sizes(exe, fn, r, slots, values, sizes, err);
    if (status == RLX_OK && r->is_stated)
        stated_layout(fn, r, sizes, offsets, out);
    else if (status == RLX_OK)
        rlxv_fit(r, sizes, offsets, sizes + r->n_buffers, out);
    rlx_free(a, sizes, bytes, 16);
    return status;
}

/* --- getters --------------------------------------------------------------------------------- */

bool rlx_function_plan(const rlx_executable *exe, uint32_t f, rlx_plan_counts *out)
{
    if (!exe || !out)
        return false;
    if (f >= exe->n_functions)
        return false;
    const rlxv_plan *p = &exe->functions[f].plan;
    *out = (rlx_plan_counts){p->n_regions, p->n_buffers, p->n_tensors};
    return true;
}

bool rlx_function_plan_buffer(const rlx_executable *exe, uint32_t f, uint32_t buffer,
                              rlx_plan_buffer *out)
{
    if (!exe || !out)
        return false;
    if (f >= exe->n_functions || buffer >= exe->functions[f].plan.n_buffers)
        return false;
    *out = exe->functions[f].plan.buffers[buffer];
    return true;
}

bool rlx_function_plan_tensor(const rlx_executable *exe, uint32_t f, uint32_t tensor,
                              uint32_t *out_buffer, uint32_t *out_type)
{
    if (!exe || !out_buffer || !out_type)
        return false;
    if (f >= exe->n_functions || tensor >= exe->functions[f].plan.n_tensors)
        return false;
    *out_buffer = exe->functions[f].plan.tensors[tensor].buffer;
    *out_type = exe->functions[f].plan.tensors[tensor].type;
    return true;
}

uint32_t rlx_function_plan_slots(const rlx_executable *exe, uint32_t f, uint32_t region,
                                 uint32_t *out, uint32_t n)
{
    if (!exe || (!out && n > 0) || f >= exe->n_functions ||
        region >= exe->functions[f].plan.n_regions)
        return 0;
    const rlxv_region *r = &exe->functions[f].plan.regions[region];
    for (uint32_t i = 0; i < r->n_slots && i < n; i++)
        out[i] = r->slots[i];
    return r->n_slots;
}

rlx_status rlx_plan_compute(const rlx_executable *exe, uint32_t f, uint32_t region,
                            const int64_t *slots, uint64_t *sizes, uint64_t *offsets,
                            rlx_plan_sums *out, rlx_error *err)
{
    RLXV_NEED(err, exe && out);
    if (f >= exe->n_functions || region >= exe->functions[f].plan.n_regions)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no region %u of function %u", region, f);
    const rlxv_function *fn = &exe->functions[f];
    const rlxv_region *r = &fn->plan.regions[region];
    RLXV_NEED(err, slots || r->n_slots == 0);
    size_t bytes = ((size_t)r->n_values + r->n_buffers) * sizeof(uint64_t);
    int64_t *values = rlx_alloc(NULL, bytes, 16);
    if (!values)
        return no_memory(err);
    uint64_t *places = (uint64_t *)(values + r->n_values);
    rlx_status status = rlxv_layout_compute(NULL, exe, fn, r, slots, values, places, out, err);
    for (uint32_t i = 0; status == RLX_OK && i < r->n_buffers; i++) {
        uint64_t size = (uint64_t)values[r->size_value[i]];
        if (sizes)
            sizes[r->buffers[i]] = (size + RLX_PLAN_ALIGN - 1) / RLX_PLAN_ALIGN * RLX_PLAN_ALIGN;
        if (offsets)
            offsets[r->buffers[i]] = places[i];
    }
    rlx_free(NULL, values, bytes, 16);
    return status;
}

/* The executable builder's rows for devices: the devices, code for them, the launches of kernels
 * and the devices of memory plans. */
#include "vm/builder.h"
#include "vm/need.h"

#include <string.h>

#define INVALID(...) rlx_fail(err, RLX_E_INVALID_ARG, __VA_ARGS__)
#define GROW(array, capacity, count) \
    rlxv_grow(&b->allocator, (void **)&(array), &(capacity), (count), sizeof *(array))

static rlx_status no_memory(rlx_error *err)
{
    return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
}

rlx_status rlx_exec_builder_device(rlx_exec_builder *b, const rlx_device_row *row, uint32_t *out,
                                   rlx_error *err)
{
    RLXV_NEED(err, b && row && out && RLXV_IS_STR(row->kind) && RLXV_IS_STR(row->scope) &&
                       RLXV_IS_STR(row->target));
    rlx_device_row r = *row;
    rlxv_build_device d = {.id = r.id};
    if (r.scope.len == 0)
        r.scope = RLX_STR("global");
    if (!rlxv_is_device_word(r.kind) || !rlxv_is_device_word(r.scope))
        return INVALID("a device's kind and scope must be 1 to %u letters, digits or \"_.-\"",
                       RLXV_MAX_DEVICE_WORD);
    if (r.id > INT32_MAX)
        return INVALID("device %.*s:%u", (int)r.kind.len, r.kind.data, r.id);
    *out = 0;
    if (rlxv_is_host_row(&r))
        return RLX_OK;
    RLX_TRY(rlxv_build_string(b, r.kind, &d.kind, err));
    RLX_TRY(rlxv_build_string(b, r.scope, &d.scope, err));
    RLX_TRY(rlxv_build_string(b, r.target, &d.target, err));
    for (uint32_t i = 0; i < b->n_devices; i++) {
        if (memcmp(&b->devices[i], &d, sizeof d) == 0) {
            *out = i + 1;
            return RLX_OK;
        }
    }
    if (b->n_devices + 1 >= RLXV_MAX_DEVICES)
        return rlx_fail(err, RLX_E_LIMIT, "more than %u devices", RLXV_MAX_DEVICES - 1);
    if (!GROW(b->devices, b->devices_capacity, b->n_devices))
        return no_memory(err);
    b->devices[b->n_devices++] = d;
    *out = b->n_devices;
    return RLX_OK;
}

rlx_status rlx_exec_builder_device_target(rlx_exec_builder *b, uint32_t device, rlx_str target,
                                          rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(target));
    if (device == 0 || device > b->n_devices)
        return INVALID("device %u does not exist", device);
    return rlxv_build_string(b, target, &b->devices[device - 1].target, err);
}

/* A copy in the arena; data NULL if memory is out. */
static rlx_code_image copy_image(rlx_exec_builder *b, const rlx_code_image *image)
{
    rlx_code_image copy = {rlxv_arena_str(&b->arena, image->format), NULL, image->size};
    void *data = copy.format.data ? rlxv_arena_alloc(&b->arena, image->size, 1) : NULL;
    if (data)
        memcpy(data, image->data, image->size);
    copy.data = data;
    return copy;
}

rlx_status rlx_exec_builder_device_module(rlx_exec_builder *b, rlx_str kind,
                                          const rlx_code_image *images, uint32_t n, uint32_t *out,
                                          rlx_error *err)
{
    RLXV_NEED(err, b && RLXV_IS_STR(kind) && images && out);
    if (!rlxv_is_device_word(kind) || n == 0)
        return INVALID("a module of no kind or without images");
    rlxv_build_module m = {.kind = rlxv_arena_str(&b->arena, kind), .n_images = n};
    m.images = rlxv_arena_alloc(&b->arena, n, sizeof *m.images);
    if (!m.kind.data || !m.images || !GROW(b->modules, b->modules_capacity, b->n_modules))
        return no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        RLXV_NEED(err, RLXV_IS_STR(images[i].format) && images[i].data);
        if (images[i].format.len == 0 || images[i].format.len > UINT32_MAX / 4 ||
            images[i].size == 0)
            return INVALID("image %u of a module has no format or no bytes", i);
        m.images[i] = copy_image(b, &images[i]);
        if (!m.images[i].data)
            return no_memory(err);
    }
    b->modules[b->n_modules] = m;
    *out = b->n_modules++;
    return RLX_OK;
}

static rlx_status check_exprs(const rlx_exec_builder *b, const rlxv_build_kernel *k,
                              const uint32_t *exprs, uint32_t n, rlx_error *err)
{
    for (uint32_t i = 0; i < n; i++)
        if (exprs[i] >= b->exprs.count || b->expr_slots[exprs[i]] > k->n_dims)
            return INVALID("kernel %s: expression %u does not exist or needs a dim that it lacks",
                           b->strings[k->name].data, exprs[i]);
    return RLX_OK;
}

static rlx_status check_arg(const rlx_exec_builder *b, const rlxv_build_kernel *k,
                            const rlx_launch_row_arg *arg, rlx_error *err)
{
    if (arg->source == RLX_LAUNCH_EXPR && arg->type != RLX_LAUNCH_BUFFER &&
        arg->type <= RLX_LAUNCH_F64)
        return check_exprs(b, k, &arg->value, 1, err);
    if (arg->type == RLX_LAUNCH_BUFFER &&
        ((arg->source == RLX_LAUNCH_PARAM && arg->value < k->n_params) ||
         (arg->source == RLX_LAUNCH_SCRATCH && arg->value < k->n_scratch)))
        return RLX_OK;
    return INVALID("kernel %s: a launch has an argument of source %u, type %u and value %u",
                   b->strings[k->name].data, arg->source, arg->type, arg->value);
}

static rlx_status copy_launch(rlx_exec_builder *b, const rlxv_build_kernel *k,
                              const rlx_launch_row *row, rlxv_build_launch *out, rlx_error *err)
{
    RLXV_NEED(err, RLXV_IS_STR(row->function) && RLXV_IS_STR(row->checks) &&
                       (row->args || row->n_args == 0));
    if (row->n_args > RLX_MAX_LAUNCH_ARGS)
        return rlx_fail(err, RLX_E_LIMIT, "kernel %s: a launch of %u arguments",
                        b->strings[k->name].data, row->n_args);
    RLX_TRY(check_exprs(b, k, row->grid, 3, err));
    RLX_TRY(check_exprs(b, k, row->block, 3, err));
    RLX_TRY(check_exprs(b, k, &row->shared, 1, err));
    out->args = rlxv_arena_alloc(&b->arena, row->n_args, sizeof *out->args);
    if (!out->args)
        return no_memory(err);
    RLX_TRY(rlxv_build_string(b, row->function, &out->function, err));
    memcpy(out->grid, row->grid, sizeof out->grid);
    memcpy(out->block, row->block, sizeof out->block);
    out->shared = row->shared;
    out->n_args = row->n_args;
    for (uint32_t i = 0; i < row->n_args; i++) {
        out->args[i] = row->args[i];
        if (row->args[i].source == RLX_LAUNCH_CHECKS)
            RLX_TRY(rlxv_build_string(b, row->checks, &out->args[i].value, err));
        else
            RLX_TRY(check_arg(b, k, &row->args[i], err));
    }
    return RLX_OK;
}

rlx_status rlx_exec_builder_launches(rlx_exec_builder *b, uint32_t kernel, uint32_t module,
                                     const uint32_t *scratch, uint32_t n_scratch,
                                     const rlx_launch_row *launches, uint32_t n_launches,
                                     rlx_error *err)
{
    RLXV_NEED(err, b && (scratch || n_scratch == 0) && (launches || n_launches == 0));
    if (kernel >= b->n_kernels || module >= b->n_modules)
        return INVALID("launches of kernel %u in module %u: one of the two does not exist", kernel,
                       module);
    rlxv_build_kernel *k = &b->kernels[kernel];
    if (k->module != RLX_NONE)
        return INVALID("the launches of kernel %s are set twice", b->strings[k->name].data);
    if (n_scratch > RLX_MAX_SCRATCH)
        return rlx_fail(err, RLX_E_LIMIT, "kernel %s has %u scratch buffers",
                        b->strings[k->name].data, n_scratch);
    RLX_TRY(check_exprs(b, k, scratch, n_scratch, err));
    k->scratch = rlxv_arena_alloc(&b->arena, n_scratch, sizeof *k->scratch);
    k->launches = rlxv_arena_alloc(&b->arena, n_launches, sizeof *k->launches);
    if (!k->scratch || !k->launches)
        return no_memory(err);
    for (uint32_t i = 0; i < n_scratch; i++)
        k->scratch[i] = scratch[i];
    k->n_scratch = n_scratch;
    for (uint32_t i = 0; i < n_launches; i++)
        RLX_TRY(copy_launch(b, k, &launches[i], &k->launches[i], err));
    k->n_launches = n_launches;
    k->module = module;
    return RLX_OK;
}

rlx_status rlx_exec_builder_region_device(rlx_exec_builder *b, uint32_t region, uint32_t device,
                                          rlx_error *err)
{
    RLXV_NEED(err, b);
    if (b->current == RLX_NONE)
        return INVALID("no function is open: begin one first");
    rlxv_build_function *f = &b->functions[b->current];
    if (region > f->n_regions || region >= RLXV_MAX_SLOTS || device > b->n_devices)
        return INVALID("region %u on device %u: one of the two does not exist", region, device);
    if (device == 0 && region >= f->n_region_devices)
        return RLX_OK;
    for (; f->n_region_devices <= region; f->n_region_devices++) {
        if (!GROW(f->region_devices, f->region_devices_capacity, f->n_region_devices))
            return no_memory(err);
        f->region_devices[f->n_region_devices] = 0;
    }
    f->region_devices[region] = device;
    if (region == f->n_regions)
        f->n_regions++;
    return RLX_OK;
}

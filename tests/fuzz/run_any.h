/* Runs every exported function of an executable with arguments made from its signature, under tight
   limits. Shared by the fuzz targets; what it must never do is crash. */
#ifndef RLX_FUZZ_RUN_ANY_H
#define RLX_FUZZ_RUN_ANY_H

#include <rlx/rlx.h>
#include <string.h>

/* A kernel that reads and writes all it was given would hide nothing from the sanitizer; the VM
   promises sizes by signature, so this one does it for buffers of dims[0] floats. */
static int32_t fuzz_touch(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx)
{
    const float *x = buffers[0];
    float *out = buffers[1];
    float *copy = ctx->scratch_alloc(ctx, dims[0] * 4, 4);
    if (!copy)
        return ctx->fail(ctx, "no scratch memory");
    for (int64_t i = 0; i < dims[0]; i++)
        copy[i] = x[i];
    for (int64_t i = 0; i < dims[0]; i++)
        out[i] = copy[i];
    return 0;
}

/* A value of type |type|; dimensions that are no constants become 2, then small deviations. */
static rlx_value fuzz_value(const rlx_executable *exe, uint32_t type, uint32_t depth)
{
    rlx_type_info info;
    rlx_expr_info e;
    int64_t dims[RLX_MAX_NDIM] = {0};
    if (!rlx_executable_type(exe, type, &info) || depth > 8)
        return rlx_none();
    for (uint32_t i = 0; i < info.n_dims && i < RLX_MAX_NDIM; i++) {
        dims[i] = 2;
        if (info.dims[i].kind == RLX_DIM_EXPR && rlx_executable_expr(exe, info.dims[i].index, &e) &&
            e.op == RLX_EXPR_CONST && e.value >= 0 && e.value < 64)
            dims[i] = e.value;
    }
    if (info.kind == RLX_TYPE_PRIM)
        return info.dtype.code == RLX_FLOAT ? rlx_float(1) : rlx_int(info.n_dims ? dims[0] : 1);
    if (info.kind == RLX_TYPE_TENSOR) {
        rlx_tensor *t;
        rlx_dtype dtype = info.dtype.bits ? info.dtype : RLX_F32;
        if (rlx_tensor_create(NULL, dtype, info.n_dims, dims, &t, NULL) != RLX_OK)
            return rlx_none();
        memset(rlx_tensor_mutable_data(t), 1, rlx_tensor_nbytes(t));
        return rlx_of_tensor(t);
    }
    if (info.kind == RLX_TYPE_SHAPE && info.n_dims <= RLX_MAX_NDIM) {
        rlx_shape *s;
        return rlx_shape_create(NULL, info.n_dims, dims, &s, NULL) == RLX_OK ? rlx_of_shape(s)
                                                                             : rlx_none();
    }
    if (info.kind == RLX_TYPE_TUPLE && info.n_children <= 8) {
        rlx_value items[8];
        rlx_tuple *t = NULL;
        for (uint32_t i = 0; i < info.n_children; i++)
            items[i] = fuzz_value(exe, info.children[i], depth + 1);
        rlx_status status = rlx_tuple_create(NULL, info.n_children, items, &t, NULL);
        for (uint32_t i = 0; i < info.n_children; i++)
            rlx_value_release(items[i]);
        return status == RLX_OK ? rlx_of_tuple(t) : rlx_none();
    }
    return rlx_none();
}

static void fuzz_run_all(rlx_executable *exe)
{
    rlx_registry *registry;
    rlx_vm *vm;
    rlx_function_info fn;
    if (rlx_registry_create(NULL, &registry, NULL) != RLX_OK)
        return;
    if (rlx_registry_add_kernel(registry, RLX_STR("t_neg"), fuzz_touch, NULL) != RLX_OK) {
        rlx_registry_release(registry);
        return;
    }
    rlx_vm_options options = {.registry = registry,
                              .max_bytes = 4 << 20,
                              .max_frames = 64,
                              .max_instructions = 2000,
                              .debug_poison = true};
    /* The kernel trusts its signature: run it only where the file states the one it has. */
    rlx_kernel_info k;
    for (uint32_t i = 0; rlx_executable_kernel(exe, i, &k); i++) {
        uint32_t type;
        bool out;
        rlx_type_info info;
        bool fits = k.n_dims == 1 && k.n_params == 2;
        for (uint32_t p = 0; fits && p < 2; p++) {
            rlx_expr_info e;
            fits = rlx_executable_kernel_param(exe, i, p, &type, &out) &&
                   rlx_executable_type(exe, type, &info) && info.n_dims == 1 &&
                   rlx_dtype_eq(info.dtype, RLX_F32) && out == (p == 1) &&
                   rlx_executable_expr(exe, info.dims[0].index, &e) && e.op == RLX_EXPR_SLOT &&
                   e.a == 0;
        }
        if (!fits && rlx_str_eq(k.symbol, RLX_STR("t_neg")))
            options.registry = NULL;
    }
    if (rlx_vm_create(exe, &options, &vm, NULL) == RLX_OK) {
        for (uint32_t f = 0; rlx_executable_function(exe, f, &fn) && f < 32; f++) {
            rlx_value args[8], out;
            rlx_error err;
            if (fn.n_params > 8)
                continue;
            for (uint32_t i = 0; i < fn.n_params; i++)
                args[i] = fuzz_value(exe, rlx_function_param_type(exe, f, i), 0);
            if (rlx_vm_invoke_index(vm, f, args, fn.n_params, &out, &err) == RLX_OK)
                rlx_value_release(out);
            for (uint32_t i = 0; i < fn.n_params; i++)
                rlx_value_release(args[i]);
        }
        rlx_vm_destroy(vm);
    }
    rlx_registry_release(registry);
}

#endif

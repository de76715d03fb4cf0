/* Runs every function of an executable with arguments built from its signature, under tight limits.
 * Shared by the fuzz targets; it must never crash. */
#ifndef RLX_FUZZ_RUN_ANY_H
#define RLX_FUZZ_RUN_ANY_H

#include <rlx/checked.h>
#include <rlx/rlx.h>
#include <string.h>

#include "fuzz_device.h"
#include "vm/exec.h"

enum { FUZZ_KERNELS = 16 };

/* The executable being run; one at a time. */
static const rlx_executable *fuzz_exe;

/* Bytes that the signature promises for a buffer; -1 if unknown. */
static int64_t fuzz_bytes(const rlx_type_info *type, const int64_t *dims, uint32_t n)
{
    int64_t elements = 1;
    for (uint32_t d = 0; d < type->n_dims; d++) {
        int64_t extent = -1;
        if (type->dims[d].kind == RLX_DIM_BIND && type->dims[d].index < n)
            extent = dims[type->dims[d].index];
        else if (type->dims[d].kind == RLX_DIM_EXPR &&
                 rlx_executable_eval(fuzz_exe, type->dims[d].index, dims, n, &extent, NULL) !=
                     RLX_OK)
            return -1;
        if (extent < 0 || !rlx_mul_i64(elements, extent, &elements))
            return -1;
    }
    return elements * (int64_t)((type->dtype.bits + 7) / 8);
}

/* Reads every input and writes every output of kernel |k| to the full size promised by its
 * signature, so that the sanitizer catches buffers that are too small. */
static int32_t fuzz_touch(uint32_t k, void *const *buffers, const int64_t *dims,
                          rlx_kernel_context *ctx)
{
    rlx_kernel_info info;
    rlx_type_info type;
    uint32_t index;
    bool out;
    unsigned char sum = 1;
    if (!rlx_executable_kernel(fuzz_exe, k, &info))
        return 0;
    if (info.n_dims > 0) {
        unsigned char *scratch = ctx->scratch_alloc(ctx, dims[0] & 0xffff, 64);
        if (!scratch)
            return ctx->fail(ctx, "no scratch memory");
        memset(scratch, 0, (size_t)(dims[0] & 0xffff));
        ctx->scratch_free(ctx, scratch);
    }
    for (uint32_t p = 0; p < info.n_params; p++)
        if (rlx_executable_kernel_param(fuzz_exe, k, p, &index, &out) &&
            rlx_executable_type(fuzz_exe, index, &type) && !out)
            for (int64_t i = 0, n = fuzz_bytes(&type, dims, info.n_dims); i < n; i++)
                sum = (unsigned char)(sum + ((const unsigned char *)buffers[p])[i]);
    for (uint32_t p = 0; p < info.n_params; p++)
        if (rlx_executable_kernel_param(fuzz_exe, k, p, &index, &out) &&
            rlx_executable_type(fuzz_exe, index, &type) && out) {
            int64_t n = fuzz_bytes(&type, dims, info.n_dims);
            if (n > 0)
                memset(buffers[p], type.dtype.code == RLX_FLOAT ? sum : sum & 1, (size_t)n);
        }
    return 0;
}

/* A kernel does not know its index, so each has its own function. */
#define FUZZ_KERNEL(k)                                                        \
    static int32_t fuzz_kernel_##k(void *const *buffers, const int64_t *dims, \
                                   rlx_kernel_context *ctx)                   \
    {                                                                         \
        return fuzz_touch(k, buffers, dims, ctx);                             \
    }
FUZZ_KERNEL(0)
FUZZ_KERNEL(1)
FUZZ_KERNEL(2)
FUZZ_KERNEL(3)
FUZZ_KERNEL(4)
FUZZ_KERNEL(5)
FUZZ_KERNEL(6)
FUZZ_KERNEL(7)
FUZZ_KERNEL(8)
FUZZ_KERNEL(9)
FUZZ_KERNEL(10)
FUZZ_KERNEL(11)
FUZZ_KERNEL(12)
FUZZ_KERNEL(13)
FUZZ_KERNEL(14)
FUZZ_KERNEL(15)

/* Registers the first kernels by symbol. Kernels that share a symbol are not registered, since one
 * function would run for all of them. */
static rlx_status fuzz_add_kernels(rlx_registry *registry, const rlx_executable *exe)
{
    static const rlx_kernel_fn fns[FUZZ_KERNELS] = {
        fuzz_kernel_0,  fuzz_kernel_1,  fuzz_kernel_2,  fuzz_kernel_3,
        fuzz_kernel_4,  fuzz_kernel_5,  fuzz_kernel_6,  fuzz_kernel_7,
        fuzz_kernel_8,  fuzz_kernel_9,  fuzz_kernel_10, fuzz_kernel_11,
        fuzz_kernel_12, fuzz_kernel_13, fuzz_kernel_14, fuzz_kernel_15};
    rlx_kernel_info k, other;
    for (uint32_t i = 0; i < FUZZ_KERNELS && rlx_executable_kernel(exe, i, &k); i++) {
        bool alone = true;
        for (uint32_t j = 0; alone && rlx_executable_kernel(exe, j, &other); j++)
            alone = i == j || !rlx_str_eq(k.symbol, other.symbol);
        if (!alone)
            continue;
        RLX_TRY(rlx_registry_add_kernel(registry, k.symbol, fns[i], NULL));
    }
    return RLX_OK;
}

/* Packed functions: one returns its first argument, one fails. */
static rlx_status fuzz_packed(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    if (rlx_call_user(cc))
        return rlx_fail(err, RLX_E_INVALID_ARG, "as asked");
    *out = n ? rlx_value_retain(args[0]) : rlx_none();
    return RLX_OK;
}

static rlx_status fuzz_fill(rlx_registry *registry, const rlx_executable *exe)
{
    static char yes;
    RLX_TRY(fuzz_add_kernels(registry, exe));
    RLX_TRY(rlx_registry_add_packed(registry, RLX_STR("test.id"), fuzz_packed, NULL, NULL, NULL));
    return rlx_registry_add_packed(registry, RLX_STR("test.fail"), fuzz_packed, &yes, NULL, NULL);
}

/* A value of type |type|; symbolic dimensions become 2, with small deviations. */
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

static void fuzz_run_with(rlx_executable *exe, rlx_registry *registry)
{
    rlx_vm *vm;
    rlx_function_info fn;
    fuzz_exe = exe;
    if (fuzz_fill(registry, exe) != RLX_OK)
        return;
    rlx_vm_options options = {.registry = registry,
                              .max_bytes = 4 << 20,
                              .max_frames = 64,
                              .max_instructions = 2000,
                              .debug_poison = true};
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
}

static void fuzz_run_all(rlx_executable *exe)
{
    rlx_registry *registry;
    fuzz_devices devices;
    if (rlx_registry_create(NULL, &registry, NULL) != RLX_OK)
        return;
    /* The stand-ins run no code of the file; machine code is not loaded. */
    exe->trusts_code = true;
    if (fuzz_add_devices(registry, &devices, exe) == RLX_OK)
        fuzz_run_with(exe, registry);
    rlx_registry_release(registry);
    fuzz_check_devices(&devices);
}

#endif

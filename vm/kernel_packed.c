/* Packed functions called from kernels: numbers, text and tensors over the kernel's own memory.

   The tensors live only for the call; a callee that keeps one makes the call fail, because their
   memory belongs to the kernel. Memory of the executable's constants is passed as read-only. Only
   the VM's own thread may call: kernels run loops with such calls serially. */
#include "vm/vm_impl.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ARGS = 32, MESSAGE_TEXT = 256, CHECK_ARGS = 4, PLACE_ARGS = 4 };

static bool is_compact(const rlx_kernel_tensor *t)
{
    int64_t want = 1;
    for (uint32_t i = t->ndim; t->strides && i-- > 0;) {
        if (t->dims[i] != 1 && t->strides[i] != want)
            return false;
        if (__builtin_mul_overflow(want, t->dims[i], &want))
            return false;
    }
    return true;
}

static rlx_status value_of(rlx_vm *vm, const rlx_kernel_arg *arg, rlx_value *out, rlx_error *err)
{
    const rlx_kernel_tensor *t = arg->as.t;
    rlx_tensor *tensor = NULL;
    rlx_string *text = NULL;
    switch ((rlx_kernel_arg_kind)arg->kind) {
    case RLX_KERNEL_ARG_INT:
        *out = rlx_int(arg->as.i);
        return RLX_OK;
    case RLX_KERNEL_ARG_FLOAT:
        *out = rlx_float(arg->as.f);
        return RLX_OK;
    case RLX_KERNEL_ARG_STRING:
        RLX_TRY(rlxv_string_new(vm->pool, NULL, rlx_str_from(arg->as.s), &text, err));
        *out = rlx_of_string(text);
        return RLX_OK;
    case RLX_KERNEL_ARG_TENSOR:
        if (!is_compact(t))
            return rlx_fail(err, RLX_E_INVALID_ARG, "its memory is not compact");
        RLX_TRY(rlx_tensor_wrap(&vm->allocator, (rlx_dtype){t->code, t->bits, t->lanes}, t->ndim,
                                t->dims, t->data, NULL, NULL, &tensor, err));
        tensor->header.readonly = rlxv_vm_is_constant(vm, t->data);
        *out = rlx_of_tensor(tensor);
        return RLX_OK;
    }
    return rlx_fail(err, RLX_E_INVALID_ARG, "its kind is unknown");
}

/* The tensor, or a view of it. */
static bool is_kept(rlx_value v)
{
    return v.kind == RLX_KIND_TENSOR && (atomic_load(&v.as.tensor->header.refs) > 1 ||
                                         atomic_load(&v.as.tensor->storage->header.refs) > 1);
}

/* Releases the arguments; false if the callee kept a tensor. */
static bool release(rlx_value *values, uint32_t n)
{
    bool kept = false;
    for (uint32_t i = 0; i < n; i++) {
        kept |= is_kept(values[i]);
        rlx_value_release(values[i]);
    }
    return !kept;
}

static void set_result(rlx_value value, rlx_kernel_arg *result)
{
    bool is_float = value.kind == RLX_KIND_FLOAT;
    bool is_int = value.kind == RLX_KIND_INT || value.kind == RLX_KIND_BOOL;
    if (result->kind == RLX_KERNEL_ARG_FLOAT)
        result->as.f = is_float ? value.as.f : is_int ? (double)value.as.i : 0.0;
    else
        result->as.i = is_int ? value.as.i : 0;
}

static int32_t failed(rlx_kernel_context *ctx, const char *name, const char *why)
{
    rlxv_worker *w = ctx->host;
    rlx_error text = {0};
    if (strcmp(name, RLX_KERNEL_CHECK_RANGE) == 0) {
        w->refused = RLX_E_INVALID_ARG;
        w->message[0] = 0;
        return ctx->fail(ctx, why);
    }
    (void)rlx_fail(&text, RLX_E_KERNEL, "packed function %s: %s", name, why);
    w->message[0] = 0;
    return ctx->fail(ctx, text.message);
}

/* RLX_KERNEL_FAIL_INDEX: text, index, text, size, whether the index overflowed. */
static int32_t fail_index(rlx_kernel_context *ctx, const rlx_kernel_arg *args, uint32_t n)
{
    char text[MESSAGE_TEXT];
    if (n != 5 || args[0].kind != RLX_KERNEL_ARG_STRING || args[1].kind != RLX_KERNEL_ARG_INT ||
        args[2].kind != RLX_KERNEL_ARG_STRING || args[3].kind != RLX_KERNEL_ARG_INT ||
        args[4].kind != RLX_KERNEL_ARG_INT)
        return ctx->fail(ctx, "an index outside of its buffer");
    if (args[4].as.i != 0)
        snprintf(text, sizeof text, "%smore than 64 bits hold%s%lld", args[0].as.s, args[2].as.s,
                 (long long)args[3].as.i);
    else
        snprintf(text, sizeof text, "%s%lld%s%lld", args[0].as.s, (long long)args[1].as.i,
                 args[2].as.s, (long long)args[3].as.i);
    return ctx->fail(ctx, text);
}

/* The source place in the arguments of RLX_KERNEL_CHECK_RANGE. Its text lives as long as the
 * kernel. */
static rlxv_debug_row place_of(const rlx_kernel_arg *args)
{
    if (args[0].kind != RLX_KERNEL_ARG_STRING || args[1].kind != RLX_KERNEL_ARG_INT ||
        args[2].kind != RLX_KERNEL_ARG_INT || args[3].kind != RLX_KERNEL_ARG_STRING)
        return (rlxv_debug_row){0};
    return (rlxv_debug_row){.file = rlx_str_from(args[0].as.s),
                            .line = (uint32_t)args[1].as.i,
                            .column = (uint32_t)args[2].as.i,
                            .name = rlx_str_from(args[3].as.s)};
}

int32_t rlxv_kernel_call_packed(rlx_kernel_context *ctx, const char *name,
                                const rlx_kernel_arg *args, uint32_t n, rlx_kernel_arg *result)
{
    rlxv_worker *w = ctx->host;
    rlx_vm *vm = w->vm;
    rlx_value values[MAX_ARGS], out = rlx_none();
    rlx_error err = {0};
    uint32_t made = 0;
    if (strcmp(name, RLX_KERNEL_FAIL_INDEX) == 0)
        return fail_index(ctx, args, n);
    if (w->in_share || w != &vm->workers[0])
        return ctx->fail(ctx, "a packed function is called from a parallel loop");
    if (strcmp(name, RLX_KERNEL_CHECK_RANGE) == 0 && n == CHECK_ARGS + PLACE_ARGS) {
        n = CHECK_ARGS;
        w->at = place_of(args + n);
    }
    if (n > MAX_ARGS)
        return failed(ctx, name, "too many arguments");
    rlx_status status = RLX_OK;
    while (made < n && status == RLX_OK)
        if ((status = value_of(vm, &args[made], &values[made], &err)) == RLX_OK)
            made++;
    if (status == RLX_OK) {
        rlx_call_context cc = {vm, NULL};
        rlxv_scratch_mark mark = rlxv_scratch_now(w);
        status = rlx_call_packed(&cc, rlx_str_from(name), values, n, &out, &err);
        rlxv_scratch_reset(w, mark);
        if (status == RLX_OK)
            set_result(out, result);
        rlx_value_clear(&out);
    }
    bool kept = !release(values, made);
    if (status != RLX_OK)
        return failed(ctx, name, err.message[0] ? err.message : rlx_status_name(status));
    return kept ? failed(ctx, name, "it kept a tensor whose memory is the kernel's") : 0;
}

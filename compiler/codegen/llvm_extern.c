/* Calls that leave the kernel, and the forms that only their arguments have: addresses and tensors.
 * * T.call_extern and T.call_pure_extern call C functions by name: those of libm, and those that
 * the linker finds in the inputs of --link. Numbers are passed as in C, float16 and bfloat16 as
 * float, and addresses as pointers. T.call_packed goes through rlx_kernel_context.call_packed;
 * tensors, and buffers as arguments, are described by T.tvm_stack_make_array. */
#include "compiler/codegen/llvm.h"

#include <string.h>

#include "rlx/kernel.h"

enum { MAX_ARGS = 33 };

static LLVMValueRef refuse(rlxc_llvm *g, const rlxc_expr *e, const char *what)
{
    rlxc_error(g->ctx, g->range, "%s: T.%s: %s", g->f->name, e->call.name, what);
    return LLVMGetPoison(rlxc_llvm_type(g, rlxc_dtype_is_void(e->dtype) ? RLX_I32 : e->dtype));
}

static bool is_call(const rlxc_expr *e, const char *name)
{
    return e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, name) == 0;
}

static LLVMValueRef text(rlxc_llvm *g, const char *s)
{
    return LLVMBuildGlobalStringPtr(g->b, s, "text");
}

/* --- addresses ------------------------------------------------------------------------------- */

static LLVMValueRef advance(rlxc_llvm *g, LLVMValueRef base, rlx_dtype element,
                            const rlxc_expr *offset)
{
    LLVMValueRef at = rlxc_llvm_index(g, offset);
    return LLVMBuildGEP2(g->b, rlxc_llvm_memory(g, element), base, &at, 1, "");
}

/* T.address_of(A[i, j]) */
static LLVMValueRef address_of(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *load = e->call.args[0];
    if (load->kind != RLXC_EXPR_LOAD || load->load.n != load->load.buffer->ndim)
        return refuse(g, e, "needs an element of a buffer");
    const rlxc_buffer *b = load->load.buffer;
    rlxc_context *ctx = g->ctx;
    const rlxc_expr *stride = rlxc_i64(ctx, 1);
    const rlxc_expr *offset = b->elem_offset ? b->elem_offset : rlxc_i64(ctx, 0);
    for (uint32_t i = b->ndim; i-- > 0;) {
        const rlxc_expr *index = load->load.indices[i];
        if (index->kind == RLXC_EXPR_RAMP) /* for a vector its first element */
            index = index->ramp.base;
        if (index->dtype.lanes != 1)
            return refuse(g, e, "needs one element of a buffer");
        offset = rlxc_add(ctx, offset, rlxc_mul(ctx, index, b->strides ? b->strides[i] : stride));
        stride = rlxc_mul(ctx, stride, rlxc_cast(ctx, RLX_I64, b->shape[i]));
    }
    return advance(g, rlxc_llvm_expr(g, b->data), b->dtype, offset);
}

/* T.tvm_access_ptr(T.type_annotation("float32"), A.data, offset, extent, rw_mask) */
static LLVMValueRef access_ptr(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *const *a = e->call.args;
    if (!is_call(a[0], "type_annotation") || !rlxc_dtype_is_handle(a[1]->dtype) ||
        !rlxc_dtype_is_int(a[2]->dtype) || a[2]->dtype.lanes != 1)
        return refuse(g, e, "needs a type annotation, an address and an offset");
    return advance(g, rlxc_llvm_expr(g, a[1]), a[0]->dtype, a[2]);
}

/* --- C functions ----------------------------------------------------------------------------- */

/* True if |name| is a function of libm on |t|: declared pure, and called element by element for
 * vectors. */
static bool is_libm(const char *name, rlx_dtype t, uint32_t n)
{
    uint32_t count;
    const rlxc_intrinsic *table = rlxc_intrinsics(&count);
    if (!rlxc_dtype_is_float(t) || t.bits < 32)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const rlxc_intrinsic *row = &table[i];
        if (!row->symbol || row->max_args != n)
            continue;
        size_t length = strlen(row->symbol);
        if (strncmp(name, row->symbol, length) == 0 &&
            strcmp(name + length, t.bits == 32 ? "f" : "") == 0)
            return true;
    }
    return false;
}

/* True for a C identifier that the kernels do not define. */
static bool is_symbol(const rlxc_llvm *g, const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return n > 0 && name[n] == '\0' && !(name[0] >= '0' && name[0] <= '9') &&
           !rlxc_map_get(&g->symbols, rlxc_key(rlxc_intern_cstr(g->ctx, name)));
}

/* Types are compared over all parts, because the meaning must not depend on which kernels share
 * one. */
LLVMValueRef rlxc_llvm_external(rlxc_llvm *g, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, name);
    if (fn && LLVMGlobalGetValueType(fn) == type)
        return fn;
    char *text = LLVMPrintTypeToString(type);
    const char *mine = rlxc_intern_cstr(g->ctx, text);
    uint64_t key = rlxc_key(rlxc_intern_cstr(g->ctx, name));
    const char *first = rlxc_map_get(&g->externals, key);
    LLVMDisposeMessage(text);
    if (first && first != mine) {
        rlxc_error(
            g->ctx, g->range,
            "%s: C function \"%s\" is called with arguments of different types in one module",
            g->f->name, name);
        return NULL;
    }
    rlxc_map_set(g->ctx, &g->externals, key, (void *)(uintptr_t)mine);
    return LLVMAddFunction(g->module, name, type);
}

static LLVMValueRef call_extern(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *name = e->call.args[0];
    uint32_t n = e->call.n - 1;
    LLVMValueRef args[MAX_ARGS];
    LLVMTypeRef params[MAX_ARGS];
    if (name->kind != RLXC_EXPR_STRING || !is_symbol(g, name->s))
        return refuse(g, e, "needs the name of a C function");
    bool same = n > 0;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *arg = e->call.args[i + 1];
        same = same && rlxc_dtype_eq(arg->dtype, e->dtype);
        args[i] = arg->kind == RLXC_EXPR_STRING ? text(g, arg->s) : rlxc_llvm_expr(g, arg);
        params[i] = LLVMTypeOf(args[i]);
    }
    rlx_dtype one = e->dtype;
    one.lanes = 1;
    if (same && is_libm(name->s, one, n))
        return rlxc_llvm_call_libm(g, name->s, args, n);
    for (uint32_t i = 0; i < n; i++)
        if (rlxc_llvm_lanes(args[i]) > 1 || e->dtype.lanes > 1)
            return refuse(g, e, "vectors cannot be passed to C functions");
    if (g->options->n_links == 0) {
        rlxc_error(g->ctx, g->range,
                   "%s: extern function \"%s\" is not one of libm for %s: give the file that "
                   "defines it with --link",
                   g->f->name, name->s, rlxc_dtype_name(g->ctx, e->dtype));
        return LLVMGetPoison(rlxc_llvm_type(g, rlxc_dtype_is_void(e->dtype) ? RLX_I32 : e->dtype));
    }
    bool nothing = rlxc_dtype_is_void(e->dtype);
    LLVMTypeRef result = nothing ? LLVMVoidTypeInContext(g->lc) : rlxc_llvm_type(g, e->dtype);
    LLVMTypeRef type = LLVMFunctionType(result, params, n, false);
    LLVMValueRef fn = rlxc_llvm_external(g, name->s, type);
    if (!fn)
        return LLVMGetPoison(nothing ? g->i32 : result);
    LLVMValueRef r = LLVMBuildCall2(g->b, type, fn, args, n, "");
    return nothing ? rlxc_llvm_int(g, g->i32, 0) : r;
}

/* --- packed functions ------------------------------------------------------------------------ */

/* Stack memory for the duration of a call. */
static LLVMValueRef frame(rlxc_llvm *g, uint32_t words)
{
    LLVMBasicBlockRef at = LLVMGetInsertBlock(g->b);
    LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(g->entry));
    LLVMValueRef p = LLVMBuildAlloca(g->b, LLVMArrayType2(g->i64, words ? words : 1), "");
    LLVMPositionBuilderAtEnd(g->b, at);
    return p;
}

static void put(rlxc_llvm *g, LLVMValueRef frame, uint32_t word, LLVMValueRef value)
{
    LLVMBuildStore(g->b, value, rlxc_llvm_slot(g, frame, word));
}

/* The values of T.tvm_stack_make_shape(...) in memory. */
static LLVMValueRef shape(rlxc_llvm *g, const rlxc_expr *e)
{
    LLVMValueRef dims = frame(g, e->call.n);
    for (uint32_t i = 0; i < e->call.n; i++)
        put(g, dims, i, rlxc_llvm_index(g, e->call.args[i]));
    return dims;
}

/* T.tvm_stack_make_array(data, shape, strides or 0, ndim, T.float32(0), elem_offset) as an
 * rlx_kernel_tensor. */
static LLVMValueRef make_array(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *const *a = e->call.args;
    int64_t ndim;
    rlx_dtype t = a[4]->dtype;
    if (!rlxc_dtype_is_handle(a[0]->dtype) || !is_call(a[1], "tvm_stack_make_shape") ||
        !rlxc_is_int(a[3], &ndim) || ndim != (int64_t)a[1]->call.n || !rlx_dtype_valid(t) ||
        !rlxc_dtype_is_int(a[5]->dtype))
        return refuse(g, e, "needs an address, a shape, strides, a rank, a number and an offset");
    bool strided = is_call(a[2], "tvm_stack_make_shape");
    if (strided && a[2]->call.n != a[1]->call.n)
        return refuse(g, e, "strides and shape differ in length");
    LLVMValueRef out = frame(g, 4);
    uint64_t word =
        (uint64_t)ndim | (uint64_t)t.code << 32 | (uint64_t)t.bits << 40 | (uint64_t)t.lanes << 48;
    put(g, out, 0, advance(g, rlxc_llvm_expr(g, a[0]), t, a[5]));
    put(g, out, 1, shape(g, a[1]));
    put(g, out, 2, strided ? shape(g, a[2]) : LLVMConstNull(g->ptr));
    put(g, out, 3, LLVMConstInt(g->i64, word, false));
    return out;
}

bool rlxc_llvm_host_arg(rlxc_llvm *g, const rlxc_expr *e, const rlxc_expr *arg, rlxc_llvm_arg *out)
{
    if (arg->kind == RLXC_EXPR_STRING) {
        *out = (rlxc_llvm_arg){RLX_KERNEL_ARG_STRING, text(g, arg->s)};
    } else if (is_call(arg, "tvm_stack_make_array")) {
        *out = (rlxc_llvm_arg){RLX_KERNEL_ARG_TENSOR, make_array(g, arg)};
    } else if (rlxc_dtype_is_float(arg->dtype) && arg->dtype.lanes == 1) {
        LLVMValueRef value = rlxc_llvm_cast(g, rlxc_llvm_expr(g, arg), arg->dtype, RLX_F64);
        *out = (rlxc_llvm_arg){RLX_KERNEL_ARG_FLOAT, value};
    } else if ((rlxc_dtype_is_int(arg->dtype) || rlxc_dtype_is_bool(arg->dtype)) &&
               arg->dtype.lanes == 1) {
        LLVMValueRef value = rlxc_llvm_cast(g, rlxc_llvm_expr(g, arg), arg->dtype, RLX_I64);
        *out = (rlxc_llvm_arg){RLX_KERNEL_ARG_INT, value};
    } else {
        refuse(g, e, "numbers, text and buffers can be passed to packed functions");
        return false;
    }
    return true;
}

LLVMValueRef rlxc_llvm_call_host(rlxc_llvm *g, const char *name, const rlxc_llvm_arg *args,
                                 uint32_t n)
{
    LLVMValueRef list = frame(g, 2 * n), result = frame(g, 2);
    for (uint32_t i = 0; i < n; i++) {
        put(g, list, 2 * i, LLVMConstInt(g->i64, args[i].kind, false));
        put(g, list, 2 * i + 1, args[i].value);
    }
    put(g, result, 0, LLVMConstInt(g->i64, RLX_KERNEL_ARG_INT, false));
    LLVMTypeRef types[5] = {g->ptr, g->ptr, g->ptr, g->i32, g->ptr};
    LLVMTypeRef type = LLVMFunctionType(g->i32, types, 5, false);
    LLVMValueRef values[5] = {g->kernel_ctx, text(g, name), list, rlxc_llvm_int(g, g->i32, n),
                              result};
    LLVMValueRef rc = LLVMBuildCall2(g->b, type, rlxc_llvm_context_member(g, 48), values, 5, "");
    LLVMBasicBlockRef bad = LLVMAppendBasicBlockInContext(g->lc, g->fn, "failed");
    LLVMBasicBlockRef fine = LLVMAppendBasicBlockInContext(g->lc, g->fn, "called");
    LLVMBuildCondBr(g->b, LLVMBuildIsNotNull(g->b, rc, ""), bad, fine);
    LLVMPositionBuilderAtEnd(g->b, bad);
    LLVMBuildRet(g->b, rc);
    LLVMPositionBuilderAtEnd(g->b, fine);
    return LLVMBuildLoad2(g->b, g->i64, rlxc_llvm_slot(g, result, 1), "");
}

static LLVMValueRef call_packed(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *name = e->call.args[0];
    uint32_t n = e->call.n - 1;
    rlxc_llvm_arg args[MAX_ARGS];
    if (name->kind != RLXC_EXPR_STRING)
        return refuse(g, e, "needs the function's name");
    for (uint32_t i = 0; i < n; i++)
        if (!rlxc_llvm_host_arg(g, e, e->call.args[i + 1], &args[i]))
            return LLVMGetPoison(g->i32);
    return LLVMBuildTrunc(g->b, rlxc_llvm_call_host(g, name->s, args, n), g->i32, "");
}

LLVMValueRef rlxc_llvm_callee(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e)
{
    if (row->index == RLXC_INTRINSIC_call_extern || row->index == RLXC_INTRINSIC_call_pure_extern)
        return call_extern(g, e);
    if (row->index == RLXC_INTRINSIC_call_packed || row->index == RLXC_INTRINSIC_call_cpacked)
        return call_packed(g, e);
    if (row->index == RLXC_INTRINSIC_address_of)
        return address_of(g, e);
    if (row->index == RLXC_INTRINSIC_tvm_access_ptr)
        return access_ptr(g, e);
    if (row->index == RLXC_INTRINSIC_check_index)
        return rlxc_llvm_check_index(g, e);
    return rlxc_llvm_vector(g, row, e);
}

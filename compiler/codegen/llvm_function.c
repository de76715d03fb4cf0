/* PrimFunc -> two LLVM functions: the exported kernel unpacks its arguments, the body computes.
 *
 * The body's pointers are parameters, because only parameters can be "noalias"; they are if the
 * function has tir.noalias. */
#include "compiler/codegen/llvm.h"

#include <string.h>

void rlxc_llvm_attribute(rlxc_llvm *g, LLVMValueRef fn, LLVMAttributeIndex index, const char *name,
                         uint64_t value)
{
    uint32_t kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, index, LLVMCreateEnumAttribute(g->lc, kind, value));
}

void rlxc_llvm_function_attributes(rlxc_llvm *g, LLVMValueRef fn)
{
    LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    rlxc_llvm_attribute(g, fn, whole, "nounwind", 0);
    const char *bits = g->target->vector_bytes >= 64   ? "512"
                       : g->target->vector_bytes >= 32 ? "256"
                                                       : "128";
    LLVMAddAttributeAtIndex(fn, whole,
                            LLVMCreateStringAttribute(g->lc, "prefer-vector-width", 19, bits, 3));
    if (g->target != g->options->target) {
        const char *const own[2][2] = {{"target-cpu", g->target->level},
                                       {"target-features", g->target->features}};
        for (int i = 0; i < 2; i++)
            LLVMAddAttributeAtIndex(
                fn, whole,
                LLVMCreateStringAttribute(g->lc, own[i][0], (unsigned)strlen(own[i][0]), own[i][1],
                                          (unsigned)strlen(own[i][1])));
    }
    const char *tune = g->target->cpu;
    if (tune)
        LLVMAddAttributeAtIndex(
            fn, whole,
            LLVMCreateStringAttribute(g->lc, "tune-cpu", 8, tune, (unsigned)strlen(tune)));
}

void rlxc_llvm_bind(rlxc_llvm *g, const rlxc_expr *var, LLVMValueRef value)
{
    rlxc_map_set(g->ctx, &g->vars, rlxc_key(var), value);
}

/* --- loops ----------------------------------------------------------------------------------- */

void rlxc_llvm_loop(rlxc_llvm *g, const rlxc_stmt *loop, LLVMValueRef begin, LLVMValueRef end)
{
    LLVMBuilderRef b = g->b;
    const rlxc_expr *var = loop->loop.var;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(g->lc, g->fn, "for");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(g->lc, g->fn, "do");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(g->lc, g->fn, "done");
    rlxc_llvm_runs_after(g, head, before);
    rlxc_llvm_runs_after(g, body, head);
    rlxc_llvm_runs_after(g, after, head);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef i = LLVMBuildPhi(b, g->i64, var->var.name);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, i, end, ""), body, after);
    LLVMPositionBuilderAtEnd(b, body);
    rlxc_llvm_bind(g, var, LLVMBuildIntCast2(b, i, rlxc_llvm_type(g, var->dtype), true, ""));
    rlxc_map_set(g->ctx, &g->wide, rlxc_key(var), i);
    rlxc_llvm_stmt(g, loop->loop.body);
    LLVMValueRef next = LLVMBuildNSWAdd(b, i, rlxc_llvm_int(g, g->i64, 1), "");
    LLVMValueRef values[2] = {begin, next};
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(b)};
    LLVMAddIncoming(i, values, from, 2);
    rlxc_llvm_say_loop(g, loop, LLVMBuildBr(b, head));
    LLVMPositionBuilderAtEnd(b, after);
}

/* --- functions ------------------------------------------------------------------------------- */

rlxc_llvm_frame rlxc_llvm_enter(rlxc_llvm *g, LLVMValueRef fn)
{
    rlxc_llvm_frame saved = {g->fn,   g->kernel_ctx, g->entry,     LLVMGetInsertBlock(g->b),
                             g->vars, g->wide,       g->stack_used};
    rlxc_llvm_memo_forget(g, 0);
    g->fn = fn;
    g->vars = g->wide = (rlxc_map){0};
    g->stack_used = 0;
    g->entry = LLVMAppendBasicBlockInContext(g->lc, fn, "entry");
    LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(g->lc, fn, "start");
    LLVMPositionBuilderAtEnd(g->b, g->entry);
    LLVMBuildBr(g->b, start);
    LLVMPositionBuilderAtEnd(g->b, start);
    return saved;
}

void rlxc_llvm_leave(rlxc_llvm *g, const rlxc_llvm_frame *saved)
{
    rlxc_llvm_memo_forget(g, 0);
    g->fn = saved->fn;
    g->kernel_ctx = saved->kernel_ctx;
    g->entry = saved->entry;
    g->vars = saved->vars;
    g->wide = saved->wide;
    g->stack_used = saved->stack_used;
    if (saved->at)
        LLVMPositionBuilderAtEnd(g->b, saved->at);
}

LLVMValueRef rlxc_llvm_new_function(rlxc_llvm *g, const char *name, LLVMTypeRef *params, uint32_t n)
{
    LLVMValueRef fn = LLVMAddFunction(g->module, name, LLVMFunctionType(g->i32, params, n, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    rlxc_llvm_function_attributes(g, fn);
    return fn;
}

static bool is_noalias(const rlxc_prim_func *f)
{
    const rlxc_attr *attr = rlxc_attrs_find(&f->attrs, "tir.noalias");
    int64_t value = 0;
    return attr && rlxc_attr_as_int(attr, &value) && value != 0;
}

void rlxc_llvm_pointer_attributes(rlxc_llvm *g, LLVMValueRef fn, uint32_t param)
{
    rlxc_llvm_attribute(g, fn, param + 1, "nonnull", 0);
    if (is_noalias(g->f))
        rlxc_llvm_attribute(g, fn, param + 1, "noalias", 0);
}

LLVMValueRef rlxc_llvm_slot(rlxc_llvm *g, LLVMValueRef array, uint32_t i)
{
    LLVMValueRef at = rlxc_llvm_int(g, g->i64, i);
    return LLVMBuildInBoundsGEP2(g->b, g->i64, array, &at, 1, "");
}

LLVMValueRef rlxc_llvm_context_member(rlxc_llvm *g, int64_t offset)
{
    LLVMValueRef at = rlxc_llvm_int(g, g->i64, offset);
    LLVMValueRef p = LLVMBuildInBoundsGEP2(g->b, g->i8, g->kernel_ctx, &at, 1, "");
    return LLVMBuildLoad2(g->b, g->ptr, p, "");
}

/* --- kernels --------------------------------------------------------------------------------- */

/* Symbolic strides and offsets of a parameter get the values of its compact layout. */
static void bind_layout(rlxc_llvm *g, const rlxc_buffer *buffer)
{
    if (buffer->elem_offset && buffer->elem_offset->kind == RLXC_EXPR_VAR)
        rlxc_llvm_bind(g, buffer->elem_offset,
                       rlxc_llvm_int(g, rlxc_llvm_type(g, buffer->elem_offset->dtype), 0));
    LLVMValueRef stride = rlxc_llvm_int(g, g->i64, 1);
    for (uint32_t i = buffer->ndim; buffer->strides && i-- > 0;) {
        const rlxc_expr *var = buffer->strides[i];
        if (var->kind == RLXC_EXPR_VAR)
            rlxc_llvm_bind(
                g, var, LLVMBuildIntCast2(g->b, stride, rlxc_llvm_type(g, var->dtype), true, ""));
        stride = LLVMBuildNSWMul(g->b, stride, rlxc_llvm_index(g, buffer->shape[i]), "");
    }
}

/* Starts emitting |fn|, whose parameters are the kernel's buffers, dims and context. */
static rlxc_llvm_frame enter(rlxc_llvm *g, LLVMValueRef fn, const rlxc_expr **dims, uint32_t n_dims,
                             uint32_t n_buffers)
{
    const rlxc_prim_func *f = g->f;
    rlxc_llvm_frame saved = rlxc_llvm_enter(g, fn);
    g->kernel_ctx = LLVMGetParam(fn, n_buffers + n_dims);
    for (uint32_t i = 0; i < n_dims; i++) {
        LLVMValueRef value = LLVMGetParam(fn, n_buffers + i);
        if (rlxc_dtype_is_float(dims[i]->dtype)) { /* passed as the bits of a float64 */
            value = LLVMBuildBitCast(g->b, value, g->f64, "");
            rlxc_llvm_bind(g, dims[i], rlxc_llvm_cast(g, value, RLX_F64, dims[i]->dtype));
            continue;
        }
        rlx_dtype wide = RLX_I64;
        rlxc_llvm_bind(g, dims[i], rlxc_llvm_cast(g, value, wide, dims[i]->dtype));
        rlxc_map_set(g->ctx, &g->wide, rlxc_key(dims[i]), value);
    }
    for (uint32_t i = 0, k = 0; i < f->n_params; i++) {
        const rlxc_buffer *buffer = f->params[i].buffer;
        if (!buffer)
            continue;
        rlxc_llvm_pointer_attributes(g, fn, k);
        LLVMValueRef pointer = LLVMGetParam(fn, k++);
        rlxc_llvm_bind(g, buffer->data, pointer);
        if (f->params[i].var)
            rlxc_llvm_bind(g, f->params[i].var, pointer);
    }
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer)
            bind_layout(g, f->params[i].buffer);
    return saved;
}

void rlxc_llvm_function(rlxc_llvm *g, const rlxc_prim_func *f)
{
    const rlxc_expr **dims = NULL;
    uint32_t n_dims = 0, n_buffers = 0;
    rlxc_prim_func_dims(g->ctx, f, &dims, &n_dims);
    g->f = f;
    g->range = f->range;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_buffer *buffer = f->params[i].buffer;
        n_buffers += buffer != NULL;
        if (buffer && rlx_dtype_size(buffer->dtype) == 0)
            rlxc_error(g->ctx, f->range, "%s: parameter %s has elements of type %s%s", f->name,
                       buffer->name, rlxc_dtype_name(g->ctx, buffer->dtype),
                       rlx_dtype_is_packed(buffer->dtype)
                           ? ": elements smaller than a byte are read from uint8"
                           : "");
    }
    g->symbol = rlxc_kernel_symbol(g->ctx, f);
    g->unrolled = g->n_parallel = 0;
    rlxc_llvm_forget_built(g);
    rlxc_llvm_begin_in_place(g);
    uint32_t n = n_buffers + n_dims + 1;
    LLVMTypeRef *params = rlxc_try_alloc(g->ctx, n, sizeof *params);
    LLVMValueRef *args = rlxc_try_alloc(g->ctx, n, sizeof *args);
    if (!params || !args)
        return;
    for (uint32_t i = 0; i < n; i++)
        params[i] = i < n_buffers || i == n - 1 ? g->ptr : g->i64;
    LLVMValueRef body =
        rlxc_llvm_new_function(g, rlxc_internf(g->ctx, "%s.body", g->symbol), params, n);
    rlxc_llvm_attribute(g, body, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline", 0);
    rlxc_param_check *checks;
    const uint32_t n_checks = rlxc_param_checks(g->ctx, g->f, &checks);
    LLVMValueRef *outside = rlxc_try_alloc(g->ctx, (size_t)n_checks + 1, sizeof *outside);
    rlxc_llvm_frame saved;
    if (!outside)
        return;
    for (uint32_t i = 0; i < n_checks; i++) {
        const char *name = rlxc_internf(g->ctx, "%s.outside.%u", g->symbol, i);
        outside[i] = rlxc_llvm_new_function(g, name, params, n);
        LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
        rlxc_llvm_attribute(g, outside[i], whole, "noinline", 0);
        rlxc_llvm_attribute(g, outside[i], whole, "cold", 0);
        saved = enter(g, outside[i], dims, n_dims, n_buffers);
        rlxc_llvm_refuse_param(g, &checks[i]);
        rlxc_llvm_leave(g, &saved);
    }
    saved = enter(g, body, dims, n_dims, n_buffers);
    for (uint32_t i = 0; i < n_checks; i++)
        rlxc_llvm_check_param(g, &checks[i], outside[i]);
    rlxc_llvm_stmt(g, f->body);
    LLVMBuildRet(g->b, rlxc_llvm_int(g, g->i32, 0));
    rlxc_llvm_leave(g, &saved);

    LLVMTypeRef entry_params[3] = {g->ptr, g->ptr, g->ptr};
    LLVMValueRef entry = rlxc_llvm_new_function(g, g->symbol, entry_params, 3);
    LLVMSetLinkage(entry, LLVMExternalLinkage);
    saved = rlxc_llvm_enter(g, entry);
    for (uint32_t i = 0; i < n_buffers; i++)
        args[i] = LLVMBuildLoad2(g->b, g->ptr, rlxc_llvm_slot(g, LLVMGetParam(entry, 0), i), "");
    for (uint32_t i = 0; i < n_dims; i++)
        args[n_buffers + i] =
            LLVMBuildLoad2(g->b, g->i64, rlxc_llvm_slot(g, LLVMGetParam(entry, 1), i), "");
    args[n - 1] = LLVMGetParam(entry, 2);
    LLVMValueRef r = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(body), body, args, n, "");
    LLVMSetTailCall(r, true);
    LLVMBuildRet(g->b, r);
    rlxc_llvm_leave(g, &saved);
}

/* Shared loops (share.h): one LLVM function each, called from every place. It is in the part of the
 * first place; the others refer to it by name. The name is not exported. */
#include "compiler/codegen/llvm.h"
#include "compiler/codegen/share.h"

static void define(rlxc_llvm *g, rlxc_shared_body *body, LLVMValueRef fn)
{
    const rlxc_prim_func *f = g->f;
    const bool in_place = g->in_place;
    const uint32_t unrolled = g->unrolled;
    const rlxc_bounds bounds = g->bounds;
    rlxc_llvm_frame saved = rlxc_llvm_enter(g, fn);
    body->emitted = true;
    g->f = body->f;
    g->unrolled = 0;
    g->bounds = (rlxc_bounds){0}; /* the attributes of one place do not hold for all */
    g->kernel_ctx = LLVMGetParam(fn, body->n_params);
    for (uint32_t i = 0; i < body->n_params; i++)
        rlxc_llvm_bind(g, body->params[i], LLVMGetParam(fn, i));
    rlxc_llvm_stmt(g, body->stmt);
    LLVMBuildRet(g->b, rlxc_llvm_int(g, g->i32, 0));
    g->f = f;
    g->in_place = in_place;
    g->unrolled = unrolled;
    g->bounds = bounds;
    rlxc_llvm_leave(g, &saved);
}

static LLVMValueRef function_of(rlxc_llvm *g, rlxc_shared_body *body, LLVMTypeRef *types)
{
    const char *name = rlxc_internf(g->ctx, "rlx.shared.%u", body->number);
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, name);
    if (fn)
        return fn;
    fn = rlxc_llvm_new_function(g, name, types, body->n_params + 1);
    LLVMSetLinkage(fn, LLVMExternalLinkage);
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
    rlxc_llvm_attribute(g, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline", 0);
    for (uint32_t i = 0; i < body->n_params; i++)
        if (types[i] == g->ptr)
            rlxc_llvm_pointer_attributes(g, fn, i);
    if (!body->emitted)
        define(g, body, fn);
    return fn;
}

bool rlxc_llvm_shared(rlxc_llvm *g, const rlxc_stmt *loop)
{
    const rlxc_shared_use *use = rlxc_map_get(&g->shared, rlxc_key(loop));
    if (!use)
        return false;
    rlxc_shared_body *body = use->body;
    const uint32_t n = body->n_params;
    LLVMTypeRef *types = rlxc_try_alloc(g->ctx, (size_t)n + 1, sizeof *types);
    LLVMValueRef *args = rlxc_try_alloc(g->ctx, (size_t)n + 1, sizeof *args);
    if (!types || !args)
        return true;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *arg = use->args[i];
        args[i] = arg->kind == RLXC_EXPR_VAR ? (LLVMValueRef)rlxc_map_get(&g->vars, rlxc_key(arg))
                                             : rlxc_llvm_expr(g, arg);
        if (!args[i] && !rlxc_failed(g->ctx))
            rlxc_internal(g->ctx, g->range, "codegen", "%s: %s has no value before a shared loop",
                          g->f->name, arg->kind == RLXC_EXPR_VAR ? arg->var.name : "a size");
        if (!args[i])
            return true;
        types[i] = LLVMTypeOf(args[i]);
    }
    args[n] = g->kernel_ctx;
    types[n] = g->ptr;
    LLVMValueRef fn = function_of(g, body, types);
    LLVMValueRef status = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, n + 1, "");
    if (!body->may_fail)
        return true;
    LLVMBasicBlockRef failed = LLVMAppendBasicBlockInContext(g->lc, g->fn, "failed");
    LLVMBasicBlockRef fine = LLVMAppendBasicBlockInContext(g->lc, g->fn, "fine");
    LLVMValueRef zero = rlxc_llvm_int(g, g->i32, 0);
    LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntNE, status, zero, ""), failed, fine);
    LLVMPositionBuilderAtEnd(g->b, failed);
    LLVMBuildRet(g->b, status);
    LLVMPositionBuilderAtEnd(g->b, fine);
    return true;
}

/* Lowered TIR statements -> LLVM: loops, branches, stores, temporaries.
 *
 * Temporaries of constant size live on the stack while they fit (RLXC_STACK_TOTAL), others in
 * scratch memory taken at ALLOCATE and returned at the end of the SEQ; a kernel that fails leaves
 * that to its caller, as rlx/kernel.h allows. There are no blocks any more (pass lower_tir). */
#include "compiler/codegen/llvm.h"

#include <string.h>

static LLVMBasicBlockRef new_block(rlxc_llvm *g, const char *name)
{
    return LLVMAppendBasicBlockInContext(g->lc, g->fn, name);
}

void rlxc_llvm_fail_if(rlxc_llvm *g, LLVMValueRef fails, const char *message)
{
    LLVMBasicBlockRef bad = new_block(g, "fail"), fine = new_block(g, "pass");
    rlxc_llvm_runs_after(g, bad, LLVMGetInsertBlock(g->b));
    rlxc_llvm_runs_after(g, fine, LLVMGetInsertBlock(g->b));
    LLVMBuildCondBr(g->b, fails, bad, fine);
    LLVMPositionBuilderAtEnd(g->b, bad);
    if (g->launch) {
        rlxc_nvptx_fail(g, g->check, NULL, NULL, fine);
        LLVMPositionBuilderAtEnd(g->b, fine);
        return;
    }
    LLVMTypeRef types[2] = {g->ptr, g->ptr};
    LLVMValueRef args[2] = {g->kernel_ctx, LLVMBuildGlobalStringPtr(g->b, message, "message")};
    LLVMTypeRef type = LLVMFunctionType(g->i32, types, 2, false);
    LLVMValueRef call = LLVMBuildCall2(g->b, type, rlxc_llvm_context_member(g, 32), args, 2, "");
    LLVMBuildRet(g->b, call);
    LLVMPositionBuilderAtEnd(g->b, fine);
}

/* --- temporaries ----------------------------------------------------------------------------- */

/* True if memory can hold elements of this type; reports it if not. */
static bool storable(rlxc_llvm *g, const rlxc_expr *var, rlx_dtype t)
{
    rlx_dtype one = t;
    one.lanes = 1;
    if (rlx_dtype_size(one) > 0 && t.lanes >= 1 && t.lanes <= RLXC_MAX_LANES)
        return true;
    rlxc_error(g->ctx, g->range, "%s: %s cannot hold elements of type %s", g->f->name,
               var->var.name, rlxc_dtype_name(g->ctx, t));
    return false;
}

static bool on_stack(rlxc_llvm *g, const rlxc_expr *var, rlx_dtype dtype,
                     const rlxc_expr *const *extents, uint32_t n)
{
    int64_t count = dtype.lanes;
    for (uint32_t i = 0; i < n; i++) {
        int64_t extent;
        if (!rlxc_is_int(extents[i], &extent) || extent < 0 || extent > RLXC_STACK_LIMIT)
            return false;
        count *= extent;
        if (count > RLXC_STACK_LIMIT)
            return false;
    }
    int64_t bytes = count * (dtype.bits <= 8 ? 1 : dtype.bits / 8);
    if (bytes + g->stack_used > RLXC_STACK_TOTAL)
        return false;
    g->stack_used += (uint32_t)bytes;
    LLVMBasicBlockRef at = LLVMGetInsertBlock(g->b);
    LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(g->entry));
    LLVMTypeRef type = LLVMArrayType2(rlxc_llvm_memory(g, dtype), (uint64_t)(count ? count : 1));
    LLVMValueRef slot = LLVMBuildAlloca(g->b, type, var->var.name);
    LLVMSetAlignment(slot, 64);
    LLVMPositionBuilderAtEnd(g->b, at);
    rlxc_llvm_bind(g, var, slot);
    return true;
}

/* a * b as unsigned numbers; *overflow collects whether it did not fit. */
static LLVMValueRef checked_mul(rlxc_llvm *g, LLVMValueRef a, LLVMValueRef b,
                                LLVMValueRef *overflow)
{
    LLVMValueRef args[2] = {a, b};
    LLVMValueRef pair = rlxc_llvm_intrinsic(g, "umul.with.overflow", args, 2);
    *overflow = LLVMBuildOr(g->b, *overflow, LLVMBuildExtractValue(g->b, pair, 1, ""), "");
    return LLVMBuildExtractValue(g->b, pair, 0, "");
}

/* Takes scratch memory; the kernel fails if there is none. Negative extents count as 0. */
static LLVMValueRef from_scratch(rlxc_llvm *g, const rlxc_expr *var, rlx_dtype dtype,
                                 const rlxc_expr *const *extents, uint32_t n)
{
    int64_t item = dtype.lanes * (dtype.bits <= 8 ? 1 : dtype.bits / 8);
    LLVMValueRef zero = rlxc_llvm_int(g, g->i64, 0);
    LLVMValueRef bytes = rlxc_llvm_int(g, g->i64, item);
    LLVMValueRef overflow = LLVMConstInt(g->i1, 0, false);
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef extent = rlxc_llvm_index(g, extents[i]);
        LLVMValueRef negative = LLVMBuildICmp(g->b, LLVMIntSLT, extent, zero, "");
        extent = LLVMBuildSelect(g->b, negative, zero, extent, "");
        bytes = checked_mul(g, bytes, extent, &overflow);
    }
    LLVMValueRef limit = rlxc_llvm_int(g, g->i64, INT64_MAX);
    LLVMValueRef above = LLVMBuildICmp(g->b, LLVMIntUGT, bytes, limit, "");
    rlxc_llvm_fail_if(g, LLVMBuildOr(g->b, overflow, above, ""),
                      rlxc_internf(g->ctx, "the size of temporary %s overflows", var->var.name));
    LLVMValueRef empty = LLVMBuildICmp(g->b, LLVMIntEQ, bytes, zero, "");
    bytes = LLVMBuildSelect(g->b, empty, rlxc_llvm_int(g, g->i64, 1), bytes, "");
    LLVMTypeRef types[3] = {g->ptr, g->i64, g->i64};
    LLVMTypeRef type = LLVMFunctionType(g->ptr, types, 3, false);
    LLVMValueRef args[3] = {g->kernel_ctx, bytes, rlxc_llvm_int(g, g->i64, 64)};
    LLVMValueRef p =
        LLVMBuildCall2(g->b, type, rlxc_llvm_context_member(g, 8), args, 3, var->var.name);
    uint32_t kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    LLVMAddCallSiteAttribute(p, LLVMAttributeReturnIndex, LLVMCreateEnumAttribute(g->lc, kind, 0));
    rlxc_llvm_fail_if(g, LLVMBuildIsNull(g->b, p, ""),
                      rlxc_internf(g->ctx, "no memory for temporary %s", var->var.name));
    rlxc_llvm_bind(g, var, p);
    return p;
}

static LLVMValueRef allocate(rlxc_llvm *g, const rlxc_expr *var, const char *scope, rlx_dtype dtype,
                             const rlxc_expr *const *extents, uint32_t n)
{
    if (!storable(g, var, dtype))
        return NULL;
    if (g->launch) {
        rlxc_nvptx_allocate(g, var, scope, dtype, extents, n);
        return NULL;
    }
    return on_stack(g, var, dtype, extents, n) ? NULL : from_scratch(g, var, dtype, extents, n);
}

static void allocate_const(rlxc_llvm *g, const rlxc_stmt *s)
{
    LLVMValueRef bytes =
        LLVMConstStringInContext2(g->lc, s->allocate_const.data, s->allocate_const.nbytes, true);
    LLVMValueRef global = LLVMAddGlobal(g->module, LLVMTypeOf(bytes), "constant");
    LLVMSetInitializer(global, bytes);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetAlignment(global, 64);
    rlxc_llvm_bind(g, s->allocate_const.var, global);
}

static void give_back(rlxc_llvm *g, LLVMValueRef p)
{
    LLVMTypeRef types[2] = {g->ptr, g->ptr};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->lc), types, 2, false);
    LLVMValueRef args[2] = {g->kernel_ctx, p};
    LLVMBuildCall2(g->b, type, rlxc_llvm_context_member(g, 16), args, 2, "");
}

/* --- statements ------------------------------------------------------------------------------ */

static void sequence(rlxc_llvm *g, const rlxc_stmt *s)
{
    LLVMValueRef first = NULL; /* returning the first returns all later ones too */
    for (uint32_t i = 0; i < s->seq.n && !rlxc_failed(g->ctx); i++) {
        const rlxc_stmt *item = s->seq.items[i];
        LLVMValueRef p = NULL;
        rlxc_llvm_memo_forget(g, 0);
        if (item->kind == RLXC_STMT_ALLOCATE)
            p = allocate(g, item->allocate.var, item->allocate.scope, item->allocate.dtype,
                         item->allocate.extents, item->allocate.n);
        else if (item->kind == RLXC_STMT_DECL_BUFFER)
            p = rlxc_map_get(&g->vars, rlxc_key(item->decl->data))
                    ? NULL /* a view */
                    : allocate(g, item->decl->data, item->decl->scope, item->decl->dtype,
                               item->decl->shape, item->decl->ndim);
        else
            rlxc_llvm_stmt(g, item);
        if (!first)
            first = p;
    }
    if (first)
        give_back(g, first);
}

enum { STATEMENTS_OF_CALL = 32 /* exp and the like become so many instructions, or more */ };

static bool weigh_call(void *user, const rlxc_expr *e)
{
    int64_t *weight = user;
    *weight += e->kind == RLXC_EXPR_CALL ? STATEMENTS_OF_CALL : 0;
    return true;
}

/* An iteration of a loop around one store, in statements. */
static int64_t weight_of(rlxc_context *ctx, const rlxc_stmt *body)
{
    int64_t weight = 1;
    if (body->kind == RLXC_STMT_STORE)
        rlxc_expr_visit(ctx, body->store.value, weigh_call, &weight);
    return weight;
}

static bool unroll(rlxc_llvm *g, const rlxc_stmt *s)
{
    int64_t min, extent;
    if (s->loop.kind != RLXC_LOOP_UNROLLED || !rlxc_is_int(s->loop.min, &min) ||
        !rlxc_is_int(s->loop.extent, &extent) || extent < 0 || extent > RLXC_UNROLL_LIMIT ||
        g->unrolled + extent > RLXC_UNROLL_LIMIT ||
        extent * weight_of(g->ctx, s->loop.body) > RLXC_UNROLL_LIMIT)
        return false;
    g->unrolled += (uint32_t)extent;
    for (int64_t i = 0; i < extent && !rlxc_failed(g->ctx); i++) {
        rlxc_llvm_bind(g, s->loop.var,
                       rlxc_llvm_int(g, rlxc_llvm_type(g, s->loop.var->dtype), min + i));
        rlxc_map_set(g->ctx, &g->wide, rlxc_key(s->loop.var), rlxc_llvm_int(g, g->i64, min + i));
        rlxc_llvm_memo_forget(g, 0);
        rlxc_llvm_stmt(g, s->loop.body);
    }
    return true;
}

static int64_t plus(int64_t a, int64_t b, int64_t otherwise)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? otherwise : r;
}

static void loop(rlxc_llvm *g, const rlxc_stmt *s)
{
    uint32_t mark = g->bounds.vars.count;
    bool outer_reassoc = g->reassoc;
    if (!rlxc_dtype_is_int(s->loop.var->dtype) || s->loop.var->dtype.lanes != 1 ||
        s->loop.min->dtype.lanes != 1 || s->loop.extent->dtype.lanes != 1) {
        rlxc_error(g->ctx, g->range, "%s: loop variable %s is not an integer", g->f->name,
                   s->loop.var->var.name);
        return;
    }
    const rlxc_attr *attr = rlxc_attrs_find(&s->loop.annotations, "rlx.reassoc");
    int64_t on = 0;
    if (s->loop.kind == RLXC_LOOP_BOUND && !g->launch) {
        rlxc_error(g->ctx, g->range,
                   "%s: loop %s is bound to %s, and the CPU has no such threads: give the function "
                   "the attribute \"target\" of a device, or its tensors a device",
                   g->f->name, s->loop.var->var.name, s->loop.thread);
        return;
    }
    if (attr && rlxc_attr_as_int(attr, &on))
        g->reassoc = on != 0;
    rlxc_bound min = rlxc_bound_of(g->ctx, s->loop.min, &g->bounds);
    rlxc_bound extent = rlxc_bound_of(g->ctx, s->loop.extent, &g->bounds);
    rlxc_bound range = {min.min, INT64_MAX};
    if (min.max != INT64_MAX && extent.max != INT64_MAX && extent.max > 0)
        range.max = plus(min.max, extent.max - 1, INT64_MAX);
    rlxc_bounds_set(g->ctx, &g->bounds, s->loop.var, range);
    if (s->loop.kind == RLXC_LOOP_BOUND) {
        rlxc_nvptx_bound_loop(g, s);
    } else if (s->loop.kind == RLXC_LOOP_PARALLEL && !g->launch) {
        rlxc_llvm_parallel(g, s);
    } else if (!unroll(g, s)) {
        LLVMValueRef begin = rlxc_llvm_index(g, s->loop.min);
        LLVMValueRef count = rlxc_llvm_index(g, s->loop.extent);
        rlxc_llvm_loop(g, s, begin, rlxc_llvm_integer(g, RLXC_LLVM_NSW_ADD, begin, count));
    }
    g->reassoc = outer_reassoc;
    if (g->bounds.vars.count > mark)
        g->bounds.vars.count = g->bounds.ranges.count = mark;
}

/* Binds the variable, and records the range of an integer: divisions of numbers that are known to
 * be at least 0 need no care for signs. */
static void let(rlxc_llvm *g, const rlxc_stmt *s)
{
    const rlxc_expr *value = s->let.value;
    if (rlxc_dtype_is_int(value->dtype) && value->dtype.lanes == 1)
        rlxc_bounds_set(g->ctx, &g->bounds, s->let.var, rlxc_bound_of(g->ctx, value, &g->bounds));
    rlxc_llvm_bind(g, s->let.var, rlxc_llvm_expr(g, value));
}

static void while_loop(rlxc_llvm *g, const rlxc_stmt *s)
{
    LLVMBasicBlockRef head = new_block(g, "while"), body = new_block(g, "do");
    LLVMBasicBlockRef after = new_block(g, "done");
    LLVMBuildBr(g->b, head);
    LLVMPositionBuilderAtEnd(g->b, head);
    LLVMBuildCondBr(g->b, rlxc_llvm_condition(g, s->while_.cond), body, after);
    LLVMPositionBuilderAtEnd(g->b, body);
    rlxc_llvm_stmt(g, s->while_.body);
    LLVMBuildBr(g->b, head);
    LLVMPositionBuilderAtEnd(g->b, after);
}

/* A vector condition is a mask: memory accesses under it are limited to its lanes (llvm_expr.c). If
 * no lane is set, nothing runs, since scalars read under it may not exist then. */
static void masked(rlxc_llvm *g, const rlxc_stmt *s)
{
    LLVMValueRef outer = g->mask, mask = rlxc_llvm_expr(g, s->if_.cond);
    uint32_t lanes = rlxc_llvm_lanes(mask);
    if (!rlxc_dtype_is_bool(s->if_.cond->dtype) || s->if_.otherwise ||
        (outer && rlxc_llvm_lanes(outer) != lanes)) {
        rlxc_error(g->ctx, g->range, "%s: a vector condition cannot have an else branch",
                   g->f->name);
        return;
    }
    g->mask = outer ? rlxc_llvm_integer(g, RLXC_LLVM_AND, outer, mask) : mask;
    LLVMTypeRef bits = LLVMIntTypeInContext(g->lc, lanes);
    LLVMValueRef all = LLVMBuildBitCast(g->b, g->mask, bits, "");
    LLVMValueRef any = rlxc_llvm_compare(g, LLVMIntNE, all, LLVMConstNull(bits));
    if (LLVMIsAConstantInt(any) && LLVMConstIntGetZExtValue(any)) {
        rlxc_llvm_stmt(g, s->if_.then);
        g->mask = outer;
        return;
    }
    LLVMBasicBlockRef then = new_block(g, "lanes"), join = new_block(g, "endlanes");
    rlxc_llvm_runs_after(g, then, LLVMGetInsertBlock(g->b));
    rlxc_llvm_runs_after(g, join, LLVMGetInsertBlock(g->b));
    LLVMBuildCondBr(g->b, any, then, join);
    LLVMPositionBuilderAtEnd(g->b, then);
    rlxc_llvm_stmt(g, s->if_.then);
    LLVMBuildBr(g->b, join);
    LLVMPositionBuilderAtEnd(g->b, join);
    g->mask = outer;
}

static void conditional(rlxc_llvm *g, const rlxc_stmt *s)
{
    if (s->if_.cond->dtype.lanes > 1) {
        masked(g, s);
        return;
    }
    LLVMBasicBlockRef then = new_block(g, "then"), join = new_block(g, "endif");
    LLVMBasicBlockRef otherwise = s->if_.otherwise ? new_block(g, "else") : join;
    LLVMValueRef cond = rlxc_llvm_condition(g, s->if_.cond);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->b);
    rlxc_llvm_runs_after(g, then, before);
    rlxc_llvm_runs_after(g, join, before);
    rlxc_llvm_runs_after(g, otherwise, before);
    LLVMBuildCondBr(g->b, cond, then, otherwise);
    LLVMPositionBuilderAtEnd(g->b, then);
    rlxc_llvm_stmt(g, s->if_.then);
    LLVMBuildBr(g->b, join);
    if (s->if_.otherwise) {
        LLVMPositionBuilderAtEnd(g->b, otherwise);
        rlxc_llvm_stmt(g, s->if_.otherwise);
        LLVMBuildBr(g->b, join);
    }
    LLVMPositionBuilderAtEnd(g->b, join);
}

/* x in "B[i] = B[i] + x" (or x + B[i], or a product); NULL if the statement is not an
 * accumulation. */
static const rlxc_expr *accumulated(const rlxc_stmt *s, bool *out_left)
{
    const rlxc_expr *v = s->store.value;
    if (v->kind != RLXC_EXPR_ADD && v->kind != RLXC_EXPR_MUL)
        return NULL;
    for (int side = 0; side < 2; side++) {
        const rlxc_expr *own = side ? v->bin.b : v->bin.a;
        if (own->kind != RLXC_EXPR_LOAD || own->load.buffer != s->store.buffer ||
            own->load.n != s->store.n)
            continue;
        bool same = true;
        for (uint32_t i = 0; i < own->load.n; i++)
            same = same && own->load.indices[i] == s->store.indices[i];
        *out_left = side == 0;
        if (same)
            return side ? v->bin.a : v->bin.b;
    }
    return NULL;
}

static void store(rlxc_llvm *g, const rlxc_stmt *s)
{
    bool left = true;
    rlx_dtype t = s->store.buffer->dtype;
    const rlxc_expr *term =
        g->reassoc && t.code == RLX_FLOAT && t.bits >= 32 ? accumulated(s, &left) : NULL;
    if (term) {
        LLVMValueRef old = rlxc_llvm_expr(g, left ? s->store.value->bin.a : s->store.value->bin.b);
        LLVMValueRef x = rlxc_llvm_expr(g, term);
        rlxc_llvm_unify(g, &old, &x);
        LLVMValueRef total = s->store.value->kind == RLXC_EXPR_ADD
                                 ? LLVMBuildFAdd(g->b, old, x, "")
                                 : LLVMBuildFMul(g->b, old, x, "");
        rlxc_llvm_store(g, s->store.buffer, s->store.indices, s->store.n,
                        rlxc_llvm_fast(g, total, true));
        return;
    }
    LLVMValueRef value = rlxc_llvm_expr(g, s->store.value);
    if (rlxc_dtype_is_handle(s->store.value->dtype) != rlxc_dtype_is_handle(t)) {
        rlxc_error(g->ctx, g->range,
                   "%s: an address is stored as a number, or a number as an address", g->f->name);
        return;
    }
    value = rlxc_llvm_cast(g, value, s->store.value->dtype, t);
    rlxc_llvm_store(g, s->store.buffer, s->store.indices, s->store.n, value);
}

static void evaluate(rlxc_llvm *g, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, "ret") == 0 && e->call.n == 1) {
        LLVMValueRef value = rlxc_llvm_expr(g, e->call.args[0]);
        if (!rlxc_dtype_is_int(e->call.args[0]->dtype) || e->call.args[0]->dtype.lanes != 1) {
            rlxc_error(g->ctx, g->range, "%s: T.ret needs an integer", g->f->name);
            return;
        }
        if (g->launch)
            LLVMBuildRetVoid(g->b);
        else
            LLVMBuildRet(g->b, rlxc_llvm_cast(g, value, e->call.args[0]->dtype, RLX_I32));
        LLVMPositionBuilderAtEnd(g->b, new_block(g, "unreachable"));
        return;
    }
    if (e->kind == RLXC_EXPR_CALL && rlxc_dtype_is_void(e->dtype))
        rlxc_llvm_call(g, e);
    else if (e->kind == RLXC_EXPR_CALL)
        rlxc_llvm_expr(g, e); /* for its effects and diagnostics */
}

void rlxc_llvm_stmt(rlxc_llvm *g, const rlxc_stmt *s)
{
    if (rlxc_failed(g->ctx))
        return;
    rlxc_llvm_memo_forget(g, 0);
    if (s->range.line)
        g->range = s->range;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_DECL_BUFFER: {
        rlxc_stmt one = {.kind = RLXC_STMT_SEQ, .range = s->range, .seq = {&s, 1}};
        sequence(g, s->kind == RLXC_STMT_SEQ ? s : &one);
        break;
    }
    case RLXC_STMT_FOR:
        if (!rlxc_llvm_shared(g, s))
            loop(g, s);
        break;
    case RLXC_STMT_WHILE:
        while_loop(g, s);
        break;
    case RLXC_STMT_IF:
        conditional(g, s);
        break;
    case RLXC_STMT_LET:
        if (!rlxc_dtype_eq(s->let.var->dtype, s->let.value->dtype))
            rlxc_error(g->ctx, g->range, "%s: %s is %s, its value %s", g->f->name,
                       s->let.var->var.name, rlxc_dtype_name(g->ctx, s->let.var->dtype),
                       rlxc_dtype_name(g->ctx, s->let.value->dtype));
        else
            let(g, s);
        break;
    case RLXC_STMT_STORE:
        store(g, s);
        break;
    case RLXC_STMT_EVALUATE:
        g->check = s;
        evaluate(g, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        g->check = s;
        rlxc_llvm_fail_if(g, LLVMBuildNot(g->b, rlxc_llvm_condition(g, s->assert_.cond), ""),
                          s->assert_.message ? s->assert_.message : "assertion failed");
        break;
    case RLXC_STMT_ALLOCATE_CONST:
        allocate_const(g, s);
        break;
    case RLXC_STMT_ATTR:
        break;
    case RLXC_STMT_BLOCK:
        rlxc_internal(g->ctx, s->range, "codegen", "%s: block %s was not lowered", g->f->name,
                      s->block.block->name);
        break;
    }
    rlxc_llvm_memo_forget(g, 0);
}

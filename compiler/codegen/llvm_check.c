/* T.check_index and the checks of parameters -> comparisons, with a call that reports a failure.
 *
 * The index is computed as rlxc_llvm_index computes it for the access, but its sums and products
 * are tested for 64-bit overflow: an overflowing index is outside any buffer. In a vector all lanes
 * of the mask are checked, and the first bad one is reported. Elements of a parameter (pass
 * sink_checks) are compared in a loop without branches, which LLVM makes vectors of. */
#include "compiler/codegen/llvm.h"

#include <string.h>

#include "rlx/kernel.h"

typedef struct checked {
    rlxc_llvm *g;
    LLVMValueRef overflow; /* i1, or one a lane */
} checked;

static LLVMValueRef arithmetic(checked *c, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    rlxc_llvm *g = c->g;
    LLVMValueRef args[2] = {x, y};
    rlxc_llvm_unify(g, &args[0], &args[1]);
    LLVMValueRef pair = rlxc_llvm_intrinsic(g, name, args, 2);
    LLVMValueRef over = LLVMBuildExtractValue(g->b, pair, 1, "");
    rlxc_llvm_unify(g, &c->overflow, &over);
    c->overflow = LLVMBuildOr(g->b, c->overflow, over, "");
    return LLVMBuildExtractValue(g->b, pair, 0, "");
}

static LLVMValueRef index_of(checked *c, const rlxc_expr *e)
{
    rlxc_llvm *g = c->g;
    if (!rlxc_dtype_is_int(e->dtype) || e->dtype.code != RLX_INT)
        return rlxc_llvm_index(g, e);
    if (e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_SUB || e->kind == RLXC_EXPR_MUL) {
        const char *name = e->kind == RLXC_EXPR_ADD   ? "sadd.with.overflow"
                           : e->kind == RLXC_EXPR_SUB ? "ssub.with.overflow"
                                                      : "smul.with.overflow";
        LLVMValueRef x = index_of(c, e->bin.a);
        return arithmetic(c, name, x, index_of(c, e->bin.b));
    }
    if (e->kind == RLXC_EXPR_CAST && e->bin.a->dtype.code == RLX_INT &&
        rlxc_dtype_is_int(e->bin.a->dtype) && e->bin.a->dtype.bits <= e->dtype.bits)
        return index_of(c, e->bin.a);
    if (e->kind == RLXC_EXPR_RAMP && e->ramp.lanes <= RLXC_MAX_LANES) {
        LLVMValueRef steps[RLXC_MAX_LANES];
        for (uint32_t i = 0; i < e->ramp.lanes; i++)
            steps[i] = rlxc_llvm_int(g, g->i64, i);
        LLVMValueRef base = index_of(c, e->ramp.base), stride = index_of(c, e->ramp.stride);
        stride = arithmetic(c, "smul.with.overflow", stride, LLVMConstVector(steps, e->ramp.lanes));
        return arithmetic(c, "sadd.with.overflow", base, stride);
    }
    return rlxc_llvm_index(g, e);
}

/* The element of |values| in the first lane where |bad| holds. */
static LLVMValueRef first_bad(rlxc_llvm *g, LLVMValueRef values, LLVMValueRef bad)
{
    const uint32_t lanes = rlxc_llvm_lanes(bad);
    LLVMValueRef found = rlxc_llvm_int(g, g->i64, 0);
    if (lanes == 1)
        return values;
    for (uint32_t i = lanes; i-- > 0;) {
        LLVMValueRef at = LLVMConstInt(g->i32, i, false);
        LLVMValueRef value = LLVMBuildExtractElement(g->b, values, at, "");
        value = LLVMBuildIntCast2(g->b, value, g->i64, false, "");
        found = LLVMBuildSelect(g->b, LLVMBuildExtractElement(g->b, bad, at, ""), value, found, "");
    }
    return found;
}

static LLVMValueRef any(rlxc_llvm *g, LLVMValueRef bad)
{
    const uint32_t lanes = rlxc_llvm_lanes(bad);
    if (lanes == 1)
        return bad;
    LLVMTypeRef bits = LLVMIntTypeInContext(g->lc, lanes);
    LLVMValueRef all = LLVMBuildBitCast(g->b, bad, bits, "");
    return LLVMBuildICmp(g->b, LLVMIntNE, all, LLVMConstNull(bits), "");
}

LLVMValueRef rlxc_llvm_check_index(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *const *a = e->call.args;
    LLVMBuilderRef b = g->b;
    LLVMValueRef nothing = rlxc_llvm_int(g, g->i32, 0);
    if (a[0]->kind != RLXC_EXPR_STRING || !rlxc_dtype_is_int(a[1]->dtype) ||
        a[2]->kind != RLXC_EXPR_STRING || !rlxc_dtype_is_int(a[3]->dtype) ||
        a[3]->dtype.lanes != 1 || a[1]->dtype.lanes > RLXC_MAX_LANES) {
        rlxc_error(g->ctx, g->range, "%s: T.check_index needs a text, an index, a text and a size",
                   g->f->name);
        return nothing;
    }
    checked c = {g, LLVMConstInt(g->i1, 0, false)};
    LLVMValueRef index = index_of(&c, a[1]), size = rlxc_llvm_index(g, a[3]), limit = size;
    rlxc_llvm_unify(g, &index, &limit);
    rlxc_llvm_unify(g, &index, &c.overflow);
    LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLT, index, LLVMConstNull(LLVMTypeOf(index)), "");
    LLVMValueRef bad = LLVMBuildOr(b, below, LLVMBuildICmp(b, LLVMIntSGE, index, limit, ""), "");
    bad = LLVMBuildOr(b, bad, c.overflow, "");
    if (g->mask != NULL && rlxc_llvm_lanes(g->mask) == rlxc_llvm_lanes(bad))
        bad = LLVMBuildAnd(b, bad, g->mask, "");
    LLVMBasicBlockRef outside = LLVMAppendBasicBlockInContext(g->lc, g->fn, "outside");
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(g->lc, g->fn, "inside");
    LLVMBuildCondBr(b, any(g, bad), outside, inside);
    LLVMPositionBuilderAtEnd(b, outside);
    if (g->launch) {
        rlxc_nvptx_fail(g, g->check, first_bad(g, index, bad), size, inside);
        LLVMPositionBuilderAtEnd(b, inside);
        return nothing;
    }
    LLVMValueRef over = first_bad(g, c.overflow, bad);
    const rlxc_llvm_arg args[5] = {
        {RLX_KERNEL_ARG_STRING, LLVMBuildGlobalStringPtr(b, a[0]->s, "text")},
        {RLX_KERNEL_ARG_INT, first_bad(g, index, bad)},
        {RLX_KERNEL_ARG_STRING, LLVMBuildGlobalStringPtr(b, a[2]->s, "text")},
        {RLX_KERNEL_ARG_INT, size},
        {RLX_KERNEL_ARG_INT, LLVMBuildIntCast2(b, over, g->i64, false, "")}};
    rlxc_llvm_call_host(g, RLX_KERNEL_FAIL_INDEX, args, 5);
    LLVMBuildRet(b, rlxc_llvm_int(g, g->i32, 1));
    LLVMPositionBuilderAtEnd(b, inside);
    return nothing;
}

/* --- parameters ------------------------------------------------------------------------------- */

typedef rlxc_param_check param_check;

/* A number that is negative exactly where |x| is outside [low, high): the sign of
 * (x - low) | (high - 1 - x). low is at most 0, and both differences fit |type| for legal x. */
static LLVMValueRef outside_sign(rlxc_llvm *g, const param_check *p, LLVMTypeRef type,
                                 LLVMValueRef x)
{
    const bool is_signed = p->buffer->dtype.code == RLX_INT;
    x = LLVMBuildIntCast2(g->b, x, type, is_signed, "");
    LLVMValueRef low = rlxc_llvm_int(g, type, is_signed ? p->low : 0);
    LLVMValueRef last = rlxc_llvm_int(g, type, p->high - 1);
    return LLVMBuildOr(g->b, LLVMBuildSub(g->b, x, low, ""), LLVMBuildSub(g->b, last, x, ""), "");
}

/* The same for the limits [-size, size), where |last| is size - 1: for x < 0, ~x is the distance
 * from the end; nothing overflows. */
static LLVMValueRef beyond_sign(rlxc_llvm *g, const param_check *p, LLVMTypeRef type,
                                LLVMValueRef last, LLVMValueRef x)
{
    const rlx_dtype t = p->buffer->dtype;
    LLVMBuilderRef b = g->b;
    x = LLVMBuildIntCast2(b, x, type, t.code == RLX_INT, "");
    LLVMValueRef top = rlxc_llvm_int(g, type, (int64_t)LLVMGetIntTypeWidth(type) - 1);
    LLVMValueRef sign = LLVMBuildAShr(b, x, top, "");
    if (t.code == RLX_INT)
        return LLVMBuildSub(b, last, LLVMBuildXor(b, x, sign, ""), "");
    return LLVMBuildOr(b, LLVMBuildSub(b, last, x, ""), x, ""); /* from 2^63 on it is negative */
}

/* size - 1, or the greatest number of |type|. */
static LLVMValueRef last_of(rlxc_llvm *g, const param_check *p, LLVMTypeRef type)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef size = LLVMBuildIntCast2(b, rlxc_llvm_index(g, p->size), g->i64, true, "");
    LLVMValueRef last = LLVMBuildSub(b, size, rlxc_llvm_int(g, g->i64, 1), "");
    LLVMValueRef most =
        rlxc_llvm_int(g, g->i64, (int64_t)(UINT64_MAX >> (65 - LLVMGetIntTypeWidth(type))));
    LLVMValueRef over = LLVMBuildICmp(b, LLVMIntSGT, last, most, "");
    return LLVMBuildTrunc(b, LLVMBuildSelect(b, over, most, last, ""), type, "");
}

/* True (i1) if any of |count| elements is out of range. Without branches, and in the elements' own
 * width if differences fit it, so that it vectorises. */
static LLVMValueRef any_outside(rlxc_llvm *g, const param_check *p, LLVMValueRef data,
                                LLVMValueRef count)
{
    LLVMBuilderRef b = g->b;
    const rlx_dtype t = p->buffer->dtype;
    LLVMTypeRef memory = rlxc_llvm_memory(g, t);
    const bool fits =
        t.code == RLX_INT && (p->size != NULL || p->high - 1 - p->low <= rlxc_type_range(t).max);
    LLVMTypeRef type = fits ? memory : g->i64;
    LLVMValueRef last = p->size != NULL ? last_of(g, p, type) : NULL;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(g->lc, g->fn, "check");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(g->lc, g->fn, "compare");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(g->lc, g->fn, "compared");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef i = LLVMBuildPhi(b, g->i64, ""), signs = LLVMBuildPhi(b, type, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, i, count, ""), body, after);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef x =
        LLVMBuildLoad2(b, memory, LLVMBuildInBoundsGEP2(b, memory, data, &i, 1, ""), "");
    LLVMSetAlignment(x, t.bits / 8u);
    LLVMValueRef places[2] = {rlxc_llvm_int(g, g->i64, 0),
                              LLVMBuildNSWAdd(b, i, rlxc_llvm_int(g, g->i64, 1), "")};
    LLVMValueRef sign =
        last != NULL ? beyond_sign(g, p, type, last, x) : outside_sign(g, p, type, x);
    LLVMValueRef sums[2] = {LLVMConstNull(type), LLVMBuildOr(b, signs, sign, "")};
    LLVMBasicBlockRef from[2] = {before, body};
    LLVMAddIncoming(i, places, from, 2);
    LLVMAddIncoming(signs, sums, from, 2);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, after);
    return LLVMBuildICmp(b, LLVMIntSLT, signs, LLVMConstNull(type), "");
}

void rlxc_llvm_check_param(rlxc_llvm *g, const param_check *p, LLVMValueRef outside)
{
    LLVMBuilderRef b = g->b;
    const uint32_t n = LLVMCountParams(g->fn);
    const rlxc_expr *count = rlxc_i64(g->ctx, 1);
    for (uint32_t i = 0; i < p->buffer->ndim; i++)
        count = rlxc_mul(g->ctx, count, rlxc_cast(g->ctx, RLX_I64, p->buffer->shape[i]));
    LLVMValueRef *params = rlxc_try_alloc(g->ctx, n, sizeof *params);
    LLVMValueRef data = rlxc_llvm_expr(g, p->buffer->data);
    LLVMValueRef bad = any_outside(g, p, data, rlxc_llvm_index(g, count));
    LLVMBasicBlockRef refuse = LLVMAppendBasicBlockInContext(g->lc, g->fn, "refuse");
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(g->lc, g->fn, "inside");
    LLVMBuildCondBr(b, bad, refuse, inside);
    LLVMPositionBuilderAtEnd(b, refuse);
    if (params == NULL)
        return;
    LLVMGetParams(g->fn, params);
    LLVMBuildRet(b, LLVMBuildCall2(b, LLVMGlobalGetValueType(outside), outside, params, n, ""));
    LLVMPositionBuilderAtEnd(b, inside);
    rlxc_llvm_memo_forget(g, 0);
}

void rlxc_llvm_refuse_param(rlxc_llvm *g, const param_check *p)
{
    rlxc_context *ctx = g->ctx;
    const rlxc_expr *array[6] = {
        p->buffer->data,
        rlxc_intrinsic_call(ctx, "tvm_stack_make_shape", p->buffer->shape, p->buffer->ndim),
        rlxc_int(ctx, RLX_I32, 0),
        rlxc_int(ctx, RLX_I32, p->buffer->ndim),
        rlxc_int(ctx, p->buffer->dtype, 0),
        rlxc_i64(ctx, 0)};
    const rlxc_expr *tensor = rlxc_intrinsic_call(ctx, "tvm_stack_make_array", array, 6);
    LLVMValueRef low = rlxc_llvm_int(g, g->i64, p->low);
    LLVMValueRef high = rlxc_llvm_int(g, g->i64, p->high);
    if (p->size != NULL) {
        high = LLVMBuildIntCast2(g->b, rlxc_llvm_index(g, p->size), g->i64, true, "");
        low = LLVMBuildNeg(g->b, high, "");
    }
    const char *file = p->file != NULL ? p->file : "", *name = p->file != NULL ? p->name : "";
    rlxc_llvm_arg args[8] = {
        {0},
        {RLX_KERNEL_ARG_INT, low},
        {RLX_KERNEL_ARG_INT, high},
        {RLX_KERNEL_ARG_STRING, LLVMBuildGlobalStringPtr(g->b, p->text, "text")},
        {RLX_KERNEL_ARG_STRING, LLVMBuildGlobalStringPtr(g->b, file, "text")},
        {RLX_KERNEL_ARG_INT, rlxc_llvm_int(g, g->i64, p->line)},
        {RLX_KERNEL_ARG_INT, rlxc_llvm_int(g, g->i64, p->column)},
        {RLX_KERNEL_ARG_STRING, LLVMBuildGlobalStringPtr(g->b, name, "text")}};
    if (!rlxc_llvm_host_arg(g, tensor, tensor, &args[0]))
        return;
    rlxc_llvm_call_host(g, RLX_KERNEL_CHECK_RANGE, args, p->file != NULL ? 8 : 4);
    LLVMBuildRet(g->b, rlxc_llvm_int(g, g->i32, 1));
}

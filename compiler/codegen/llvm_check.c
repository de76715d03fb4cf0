/* T.check_index -> comparisons and, where they fail, a call that says so.
 *
 * The index is computed as rlxc_llvm_index computes it for the access, but its sums and products
 * are tested for overflow of 64 bits: what overflows is outside of any buffer. In a vector every
 * lane counts that the mask leaves, and the first bad one is named. */
#include "compiler/codegen/llvm.h"

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

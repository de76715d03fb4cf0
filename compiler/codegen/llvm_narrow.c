/* Casts of floats to integers of 8 or 16 bits, which saturate. Quantization adds operations around
 * them, most of which the cast does anyway:
 *
 *     cast(min(max(round(x) + zero, least), most))
 *
 * The limits of the type are dropped, and a rounded number is taken from the low bits of a float
 * near 1.5 * 2^23: three instructions for seven. */
#include "compiler/codegen/llvm.h"

#include <math.h>

#include "compiler/ir/sym.h"

#define WHOLE_NUMBERS 0x1.8p23 /* floats near it are 1 apart; its low 22 bits are zero */
#define MAX_ZERO 65536

/* |value| within the type's limits less |shift|; NaN becomes the lower one. */
static LLVMValueRef limited(rlxc_llvm *g, LLVMValueRef value, rlx_dtype to, double shift)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef from = LLVMTypeOf(value);
    const rlxc_bound range = rlxc_type_range(to);
    LLVMValueRef low = rlxc_llvm_float(from, (double)range.min - shift);
    LLVMValueRef high = rlxc_llvm_float(from, (double)range.max - shift);
    LLVMValueRef more = LLVMBuildFCmp(b, LLVMRealOGT, value, low, "");
    value = LLVMBuildSelect(b, more, value, low, "");
    LLVMValueRef less = LLVMBuildFCmp(b, LLVMRealOLT, value, high, "");
    return LLVMBuildSelect(b, less, value, high, "");
}

/* The low bits of |wide|; 0 where |value| is NaN. Limits of an unsigned type do that. */
static LLVMValueRef cut(rlxc_llvm *g, LLVMValueRef wide, LLVMValueRef value, rlx_dtype to,
                        LLVMTypeRef type)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef result = LLVMBuildTrunc(b, wide, type, "");
    if (to.code == RLX_UINT)
        return result;
    LLVMValueRef is_number = LLVMBuildFCmp(b, LLVMRealORD, value, value, "");
    return LLVMBuildSelect(b, is_number, result, LLVMConstNull(type), "");
}

LLVMValueRef rlxc_llvm_to_narrow(rlxc_llvm *g, LLVMValueRef value, rlx_dtype to, LLVMTypeRef type)
{
    LLVMValueRef inside = limited(g, value, to, 0);
    LLVMValueRef wide = LLVMBuildFPToSI(g->b, inside, rlxc_llvm_like(g->i32, value), "");
    return cut(g, wide, value, to, type);
}

static bool is_number(const rlxc_expr *e, double *out)
{
    if (e->kind == RLXC_EXPR_BROADCAST)
        e = e->ramp.base;
    *out = e->kind == RLXC_EXPR_FLOAT ? e->f : 0;
    return e->kind == RLXC_EXPR_FLOAT;
}

/* |x| without limits at or beyond those of the range less |shift|, which follow; NaN passes both.
 */
static const rlxc_expr *without_limits(const rlxc_expr *x, rlxc_bound range, double shift)
{
    const double low = (double)range.min - shift, high = (double)range.max - shift;
    double limit;
    while ((x->kind == RLXC_EXPR_MIN || x->kind == RLXC_EXPR_MAX) && is_number(x->bin.b, &limit) &&
           (x->kind == RLXC_EXPR_MIN ? limit >= high : limit <= low))
        x = x->bin.a;
    return x;
}

LLVMValueRef rlxc_llvm_quantized(rlxc_llvm *g, const rlxc_expr *e)
{
    LLVMBuilderRef b = g->b;
    rlx_dtype to = e->dtype, from = e->bin.a->dtype;
    to.lanes = from.lanes = 1;
    if (!rlxc_dtype_is_int(to) || to.bits > 16 || to.bits < 8 || !rlxc_dtype_eq(from, RLX_F32))
        return NULL;
    const rlxc_bound range = rlxc_type_range(to);
    const rlxc_expr *x = without_limits(e->bin.a, range, 0);
    double zero = 0;
    const rlxc_expr *rounded = x;
    if (x->kind == RLXC_EXPR_ADD && is_number(x->bin.b, &zero))
        rounded = x->bin.a;
    const bool rounds = rounded->kind == RLXC_EXPR_CALL && rounded->call.n == 1 &&
                        rounded->call.name == rlxc_intern_cstr(g->ctx, "nearbyint") &&
                        zero == nearbyint(zero) && fabs(zero) <= MAX_ZERO;
    if (rounds)
        x = without_limits(rounded->call.args[0], range, zero);
    LLVMValueRef value = rlxc_llvm_expr(g, x);
    LLVMTypeRef type = rlxc_llvm_like(rlxc_llvm_type(g, to), value);
    if (!rounds)
        return rlxc_llvm_to_narrow(g, value, to, type);
    LLVMTypeRef floats = LLVMTypeOf(value), words = rlxc_llvm_like(g->i32, value);
    LLVMValueRef sum =
        LLVMBuildFAdd(b, limited(g, value, to, zero), rlxc_llvm_float(floats, WHOLE_NUMBERS), "");
    LLVMValueRef wide = LLVMBuildBitCast(b, sum, words, "");
    if (zero != 0)
        wide = LLVMBuildAdd(b, wide, rlxc_llvm_int(g, words, (int64_t)zero), "");
    return cut(g, wide, value, to, type);
}

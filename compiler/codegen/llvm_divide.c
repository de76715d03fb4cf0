/* Division of integers, which never traps: x / 0 = 0, MIN / -1 wraps. */
#include "compiler/codegen/llvm.h"

/* a / d towards 0, of up to 32 bits and d neither 0 nor -1: exact in float64, which has vectors. */
static LLVMValueRef narrow_quotient(rlxc_llvm *g, LLVMValueRef a, LLVMValueRef d)
{
    LLVMTypeRef wide = rlxc_llvm_like(g->f64, a);
    LLVMValueRef q = LLVMBuildFDiv(g->b, LLVMBuildSIToFP(g->b, a, wide, ""),
                                   LLVMBuildSIToFP(g->b, d, wide, ""), "");
    return LLVMBuildFPToSI(g->b, q, LLVMTypeOf(a), "");
}

/* a / d towards 0, of 64 bits and d not 0: by magnitudes. LLVM makes a short division where both
 * operands have 32 bits, and of mixed signs that test would be mispredicted. */
static LLVMValueRef wide_quotient(rlxc_llvm *g, LLVMValueRef a, LLVMValueRef d)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a)), sizes[2] = {a, d};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef below = rlxc_llvm_compare(g, LLVMIntSLT, sizes[i], zero);
        LLVMValueRef negated = rlxc_llvm_integer(g, RLXC_LLVM_SUB, zero, sizes[i]);
        sizes[i] = rlxc_llvm_select(g, below, negated, sizes[i]);
    }
    LLVMValueRef q = rlxc_llvm_integer(g, RLXC_LLVM_UDIV, sizes[0], sizes[1]);
    LLVMValueRef signs = rlxc_llvm_integer(g, RLXC_LLVM_XOR, a, d);
    LLVMValueRef differ = rlxc_llvm_compare(g, LLVMIntSLT, signs, zero);
    return rlxc_llvm_select(g, differ, rlxc_llvm_integer(g, RLXC_LLVM_SUB, zero, q), q);
}

LLVMValueRef rlxc_llvm_divide(rlxc_llvm *g, bool is_signed, bool remainder, LLVMValueRef a,
                              LLVMValueRef d)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    LLVMValueRef zero = LLVMConstNull(t), one = rlxc_llvm_int(g, t, 1);
    LLVMValueRef by_zero = rlxc_llvm_compare(g, LLVMIntEQ, d, zero);
    LLVMValueRef safe = rlxc_llvm_select(g, by_zero, one, d);
    if (!is_signed) {
        rlxc_llvm_op op = remainder ? RLXC_LLVM_UREM : RLXC_LLVM_UDIV;
        return rlxc_llvm_select(g, by_zero, zero, rlxc_llvm_integer(g, op, a, safe));
    }
    LLVMValueRef by_minus = rlxc_llvm_compare(g, LLVMIntEQ, d, rlxc_llvm_int(g, t, -1));
    safe = rlxc_llvm_select(g, by_minus, one, safe);
    LLVMTypeRef one_lane = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
    LLVMValueRef r;
    if (!LLVMIsConstant(safe)) {
        r = LLVMGetIntTypeWidth(one_lane) <= 32 ? narrow_quotient(g, a, safe)
                                                : wide_quotient(g, a, safe);
        if (remainder) {
            r = rlxc_llvm_integer(g, RLXC_LLVM_MUL, r, safe);
            r = rlxc_llvm_integer(g, RLXC_LLVM_SUB, a, r);
        }
    } else {
        r = rlxc_llvm_integer(g, remainder ? RLXC_LLVM_SREM : RLXC_LLVM_SDIV, a, safe);
    }
    if (!remainder)
        r = rlxc_llvm_select(g, by_minus, rlxc_llvm_integer(g, RLXC_LLVM_SUB, zero, a), r);
    return rlxc_llvm_select(g, by_zero, zero, r);
}

/* Whether the remainder of a division by |d| that rounds to 0 is on the wrong side. */
static LLVMValueRef is_across(rlxc_llvm *g, LLVMValueRef rem, LLVMValueRef d)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(rem));
    if (LLVMIsAConstantInt(d) && LLVMConstIntGetSExtValue(d) > 0)
        return rlxc_llvm_compare(g, LLVMIntSLT, rem, zero);
    LLVMValueRef inexact = rlxc_llvm_compare(g, LLVMIntNE, rem, zero);
    LLVMValueRef signs = rlxc_llvm_integer(g, RLXC_LLVM_XOR, rem, d);
    LLVMValueRef differ = rlxc_llvm_compare(g, LLVMIntSLT, signs, zero);
    return rlxc_llvm_integer(g, RLXC_LLVM_AND, inexact, differ);
}

LLVMValueRef rlxc_llvm_floor_divide(rlxc_llvm *g, bool is_signed, bool remainder, bool nonneg,
                                    LLVMValueRef a, LLVMValueRef d)
{
    if (!is_signed || nonneg)
        return rlxc_llvm_divide(g, false, remainder, a, d);
    LLVMValueRef rem = rlxc_llvm_divide(g, true, true, a, d);
    LLVMValueRef adjust = is_across(g, rem, d);
    if (remainder)
        return rlxc_llvm_select(g, adjust, rlxc_llvm_integer(g, RLXC_LLVM_ADD, rem, d), rem);
    LLVMValueRef quotient = rlxc_llvm_divide(g, true, false, a, d);
    LLVMValueRef one = rlxc_llvm_int(g, LLVMTypeOf(a), 1);
    LLVMValueRef less = rlxc_llvm_integer(g, RLXC_LLVM_SUB, quotient, one);
    return rlxc_llvm_select(g, adjust, less, quotient);
}

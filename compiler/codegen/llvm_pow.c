/* pow of float32, branch-free, as C's: in float64, where every float32 is a normal number and the
 * logarithm needs no second word; so the error is little more than that of rounding.
 *
 *     |x| = m 2^k, m in [sqrt(1/2), sqrt 2);   log2 m = t P(t^2), t = (m - 1) / (m + 1)
 *     z = y (k + log2 m) = n + f, |f| <= 1/2;   |x|^y = 2^n Q(f)
 *
 * The coefficients interpolate at Chebyshev nodes. */
#include "compiler/codegen/llvm_math.h"

#include <math.h>

/* Adding it rounds to an integer, which is then in the low bits. */
static const double SHIFT = 0x1.8p52;
static const int64_t SHIFT_BITS = 0x4338000000000000;

static LLVMValueRef equals(fp f, LLVMValueRef a, double v)
{
    return LLVMBuildFCmp(f.g->b, LLVMRealOEQ, a, num(f, v), "");
}

static LLVMValueRef same(fp f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFCmp(f.g->b, LLVMRealOEQ, a, b, "");
}

/* log2 of a >= 0 */
static LLVMValueRef log2_of(fp f, LLVMValueRef a)
{
    static const double c[] = {0x1.71547652b82fdp+1, 0x1.ec709dc39d36dp-1, 0x1.2776c51558457p-1,
                               0x1.a617585c6e80fp-2, 0x1.484f18fb8d280p-2, 0x1.0bcb70f46d9dbp-2,
                               0x1.ef9597e0b86b5p-3};
    LLVMBuilderRef b = f.g->b;
    LLVMValueRef i = bits(f, a);
    LLVMValueRef k = LLVMBuildSub(b, i, integer(f, 0x3fe6a09e667f3bcd), "");
    k = LLVMBuildAShr(b, k, integer(f, 52), "");
    LLVMValueRef m = from_bits(f, LLVMBuildSub(b, i, LLVMBuildShl(b, k, integer(f, 52), ""), ""));
    LLVMValueRef e = from_bits(f, LLVMBuildAdd(b, k, integer(f, SHIFT_BITS), ""));
    e = LLVMBuildFSub(b, e, num(f, SHIFT), "");
    LLVMValueRef t = div_(f, sub(f, m, num(f, 1.0)), add(f, m, num(f, 1.0)));
    LLVMValueRef r = add(f, mul(f, t, POLY(f, mul(f, t, t), c)), e);
    r = pick(f, equals(f, a, 0), num(f, -(double)INFINITY), r);
    return pick(f, equals(f, a, (double)INFINITY), a, r);
}

/* 2^z; outside float32's range, any number that is too large or too small for it. */
static LLVMValueRef exp2_of(fp f, LLVMValueRef z)
{
    static const double c[] = {0x1.000000000003fp+0,  0x1.62e42fef84c01p-1,  0x1.ebfbdff814809p-3,
                               0x1.c6b08dd721005p-5,  0x1.3b2ab72b3ef56p-7,  0x1.5d87457d16c70p-10,
                               0x1.43088dd93a94fp-13, 0x1.00dc65f6100a6p-16, 0x1.63efeb1c489f2p-20};
    LLVMBuilderRef b = f.g->b;
    z = at_least(f, at_most(f, z, 200), -200);
    LLVMValueRef t = LLVMBuildFAdd(b, z, num(f, SHIFT), "");
    LLVMValueRef rest = LLVMBuildFSub(b, z, LLVMBuildFSub(b, t, num(f, SHIFT), ""), "");
    LLVMValueRef n = LLVMBuildSub(b, bits(f, t), integer(f, SHIFT_BITS - 1023), "");
    LLVMValueRef power = from_bits(f, LLVMBuildShl(b, n, integer(f, 52), ""));
    return LLVMBuildFMul(b, POLY(f, rest, c), power, "");
}

LLVMValueRef rlxc_llvm_pow(rlxc_llvm *g, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef narrow = LLVMTypeOf(x), wide = rlxc_llvm_like(g->f64, x);
    fp f = {g, wide, rlxc_llvm_like(g->i64, x)};
    x = LLVMBuildFPExt(b, x, wide, "");
    y = LLVMBuildFPExt(b, y, wide, "");
    LLVMValueRef a = magnitude(f, x), half = LLVMBuildFMul(b, y, num(f, 0.5), "");
    LLVMValueRef whole = same(f, rlxc_llvm_intrinsic(g, "rint", &y, 1), y);
    LLVMValueRef even = same(f, rlxc_llvm_intrinsic(g, "rint", &half, 1), half);
    LLVMValueRef z = LLVMBuildFMul(b, y, log2_of(f, a), "");
    z = pick(f, equals(f, a, 1.0), num(f, 0.0), z); /* also if y is infinite */
    LLVMValueRef r = exp2_of(f, z);
    LLVMValueRef odd = LLVMBuildAnd(b, whole, LLVMBuildNot(b, even, ""), "");
    r = pick(f, odd, with_sign(f, r, x), r);
    LLVMValueRef negative = LLVMBuildAnd(
        b, less(f, x, 0.0), LLVMBuildFCmp(b, LLVMRealOGT, x, num(f, -(double)INFINITY), ""), "");
    LLVMValueRef none = LLVMBuildAnd(b, negative, LLVMBuildNot(b, whole, ""), "");
    r = pick(f, none, num(f, (double)NAN), r);
    LLVMValueRef unordered = LLVMBuildFCmp(b, LLVMRealUNO, x, y, "");
    r = pick(f, unordered, num(f, (double)NAN), r);
    LLVMValueRef one = LLVMBuildOr(b, equals(f, x, 1.0), equals(f, y, 0.0), "");
    r = pick(f, one, num(f, 1.0), r);
    return LLVMBuildFPTrunc(b, r, narrow, "");
}

/* Functions of float32 that are computed in float64, branch-free, on scalars and vectors: pow,
 * exp10, expm1, log2, log10, log1p, asinh, acosh, atanh, atan2 and fmod. In float64 every
 * float32 is a normal number, sums of two such numbers of similar size are exact, and the logarithm
 * needs no second word; so the error is little more than that of rounding
 * (tests/compiler/test_tir_math.c).
 *
 *     |x| = m 2^k, m in [sqrt(1/2), sqrt 2);   log2 m = t P(t^2), t = (m - 1) / (m + 1)
 *     z = y (k + log2 m) = n + f, |f| <= 1/2;   |x|^y = 2^n Q(f)
 *
 * Near 0, where a difference would cancel, functions use the first terms of their series. The other
 * coefficients interpolate at Chebyshev nodes. */
#include "compiler/codegen/llvm_math.h"

#include <math.h>

/* Adding it rounds to an integer, which is then in the low bits. */
static const double SHIFT = 0x1.8p52;
static const int64_t SHIFT_BITS = 0x4338000000000000;

#define LOG2_E 0x1.71547652b82fep0
#define LOG2_10 0x1.a934f0979a371p1
#define PI 0x1.921fb54442d18p1
#define NEAR 0x1p-8 /* below it the first terms of a series are enough */

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

/* |x| as float64, and shorthands for it. */
static fp widen(rlxc_llvm *g, LLVMValueRef *x)
{
    fp f = {g, rlxc_llvm_like(g->f64, *x), rlxc_llvm_like(g->i64, *x)};
    *x = LLVMBuildFPExt(g->b, *x, f.t, "");
    return f;
}

static LLVMValueRef unordered(fp f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFCmp(f.g->b, LLVMRealUNO, a, b, "");
}

LLVMValueRef rlxc_llvm_pow(rlxc_llvm *g, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    widen(g, &y);
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
    r = pick(f, unordered(f, x, y), num(f, (double)NAN), r);
    LLVMValueRef one = LLVMBuildOr(b, equals(f, x, 1.0), equals(f, y, 0.0), "");
    r = pick(f, one, num(f, 1.0), r);
    return LLVMBuildFPTrunc(b, r, narrow, "");
}

/* --- exponentials ----------------------------------------------------------------------------- */

LLVMValueRef rlxc_llvm_exp10(rlxc_llvm *g, LLVMValueRef x)
{
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    return LLVMBuildFPTrunc(g->b, exp2_of(f, mul(f, x, num(f, LOG2_10))), narrow, "");
}

/* |r|, but x + x z P(z) where |x| < NEAR; with the sign of x, which all odd functions here have. */
static LLVMValueRef near_zero(fp f, LLVMValueRef x, LLVMValueRef z, LLVMValueRef p, LLVMValueRef r)
{
    LLVMValueRef series = add(f, mul(f, mul(f, x, z), p), x);
    r = pick(f, less(f, magnitude(f, x), NEAR), series, r);
    return pick(f, unordered(f, x, x), x, with_sign(f, r, x));
}

LLVMValueRef rlxc_llvm_expm1(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120};
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    LLVMValueRef r = sub(f, exp2_of(f, mul(f, x, num(f, LOG2_E))), num(f, 1.0));
    return LLVMBuildFPTrunc(g->b, near_zero(f, x, x, POLY(f, x, c), r), narrow, "");
}

/* --- logarithms ------------------------------------------------------------------------------- */

/* log2(x) |times| a number; NaN below 0. */
static LLVMValueRef log_of(rlxc_llvm *g, LLVMValueRef x, double times)
{
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    LLVMValueRef below = LLVMBuildFCmp(g->b, LLVMRealULT, x, num(f, 0.0), "");
    LLVMValueRef r = mul(f, log2_of(f, magnitude(f, x)), num(f, times));
    return LLVMBuildFPTrunc(g->b, pick(f, below, num(f, (double)NAN), r), narrow, "");
}

LLVMValueRef rlxc_llvm_log2(rlxc_llvm *g, LLVMValueRef x)
{
    return log_of(g, x, 1.0);
}

LLVMValueRef rlxc_llvm_log10(rlxc_llvm *g, LLVMValueRef x)
{
    return log_of(g, x, 1 / LOG2_10);
}

LLVMValueRef rlxc_llvm_log1p(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {-1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5};
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    LLVMValueRef r = mul(f, log2_of(f, add(f, x, num(f, 1.0))), num(f, 1 / LOG2_E));
    r = near_zero(f, x, x, POLY(f, x, c), magnitude(f, r));
    r = pick(f, less(f, x, -1.0), num(f, (double)NAN), r);
    return LLVMBuildFPTrunc(g->b, r, narrow, "");
}

/* --- inverse hyperbolic functions ------------------------------------------------------------- */

LLVMValueRef rlxc_llvm_asinh(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {-1.0 / 6, 3.0 / 40, -15.0 / 336};
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    LLVMValueRef a = magnitude(f, x), z = mul(f, x, x), root = add(f, z, num(f, 1.0));
    root = rlxc_llvm_intrinsic(g, "sqrt", &root, 1);
    LLVMValueRef r = mul(f, log2_of(f, add(f, a, root)), num(f, 1 / LOG2_E));
    return LLVMBuildFPTrunc(g->b, near_zero(f, x, z, POLY(f, z, c), r), narrow, "");
}

LLVMValueRef rlxc_llvm_acosh(rlxc_llvm *g, LLVMValueRef x)
{
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    LLVMValueRef inside = at_least(f, x, 1.0);
    LLVMValueRef root = sub(f, mul(f, inside, inside), num(f, 1.0));
    root = rlxc_llvm_intrinsic(g, "sqrt", &root, 1);
    LLVMValueRef r = mul(f, log2_of(f, add(f, inside, root)), num(f, 1 / LOG2_E));
    LLVMValueRef below = LLVMBuildFCmp(g->b, LLVMRealULT, x, num(f, 1.0), "");
    return LLVMBuildFPTrunc(g->b, pick(f, below, num(f, (double)NAN), r), narrow, "");
}

LLVMValueRef rlxc_llvm_atanh(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {1.0 / 3, 1.0 / 5, 1.0 / 7};
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    LLVMValueRef one = num(f, 1.0), a = magnitude(f, x), z = mul(f, x, x);
    LLVMValueRef ratio = div_(f, add(f, one, a), sub(f, one, at_most(f, a, 1.0)));
    LLVMValueRef r = mul(f, log2_of(f, ratio), num(f, 0.5 / LOG2_E));
    r = near_zero(f, x, z, POLY(f, z, c), r);
    LLVMValueRef beyond = LLVMBuildFCmp(g->b, LLVMRealOGT, a, one, "");
    return LLVMBuildFPTrunc(g->b, pick(f, beyond, num(f, (double)NAN), r), narrow, "");
}

/* --- of two operands -------------------------------------------------------------------------- */

/* t + t^3 P(t^2), t the smaller magnitude over the larger; then by the octant. */
LLVMValueRef rlxc_llvm_atan2(rlxc_llvm *g, LLVMValueRef y, LLVMValueRef x)
{
    static const double c[] = {-0x1.5555554e74b35p-2, 0x1.99998c8c70e0cp-3,  -0x1.249035356f7fdp-3,
                               0x1.c6d94a4e39923p-4,  -0x1.72251c8375809p-4, 0x1.2fd217cccc6dep-4,
                               -0x1.d7eaf8f93b7dep-5, 0x1.39fa7ae146cfcp-5,  -0x1.3b92d497a61e9p-6,
                               0x1.96cc7338bfd8bp-8,  -0x1.eae3fce459af9p-11};
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    widen(g, &y);
    LLVMValueRef ax = magnitude(f, x), ay = magnitude(f, y);
    LLVMValueRef steep = LLVMBuildFCmp(g->b, LLVMRealOGT, ay, ax, "");
    LLVMValueRef most = pick(f, steep, ay, ax), least = pick(f, steep, ax, ay);
    LLVMValueRef t = div_(f, least, at_least(f, most, 0x1p-1000 /* of zeros: 0 */));
    t = pick(f, equals(f, least, (double)INFINITY), num(f, 1.0), t);
    LLVMValueRef z = mul(f, t, t), r = add(f, mul(f, mul(f, t, z), POLY(f, z, c)), t);
    r = pick(f, steep, sub(f, num(f, PI / 2), r), r);
    LLVMValueRef left = LLVMBuildICmp(g->b, LLVMIntSLT, bits(f, x), integer(f, 0), "");
    r = with_sign(f, pick(f, left, sub(f, num(f, PI), r), r), y);
    r = pick(f, unordered(f, x, y), num(f, (double)NAN), r);
    return LLVMBuildFPTrunc(g->b, r, narrow, "");
}

/* The remainder of x by y, exact: from 2^STEP_BITS(STEPS - 1) y down to y, x less the nearest
 * multiple of each. A multiple has less than 2^(STEP_BITS + 1) times y's 24 bits, and what is left
 * is a multiple of the last bit of x or y, so that nothing is rounded. */
LLVMValueRef rlxc_llvm_fmod(rlxc_llvm *g, LLVMValueRef x, LLVMValueRef y)
{
    enum { STEPS = 10, STEP_BITS = 28 }; /* 2^128 / 2^-149 is less than 2^(STEPS STEP_BITS) */
    LLVMTypeRef narrow = LLVMTypeOf(x);
    fp f = widen(g, &x);
    widen(g, &y);
    LLVMValueRef b = magnitude(f, y), r = magnitude(f, x), inverse = div_(f, num(f, 1.0), b);
    LLVMValueRef infinite = equals(f, r, (double)INFINITY);
    for (int i = STEPS - 1; i >= 0; i--) {
        LLVMValueRef by = mul(f, b, num(f, ldexp(1, i * STEP_BITS)));
        LLVMValueRef times = mul(f, r, mul(f, inverse, num(f, ldexp(1, -i * STEP_BITS))));
        times = LLVMBuildFSub(g->b, add(f, times, num(f, SHIFT)), num(f, SHIFT), "");
        r = sub(f, r, mul(f, times, by));
    }
    r = pick(f, less(f, r, 0.0), add(f, r, b), r);
    r = pick(f, equals(f, b, (double)INFINITY), x, r);
    r = with_sign(f, r, x);
    LLVMValueRef none = LLVMBuildOr(g->b, infinite, equals(f, b, 0.0), "");
    none = LLVMBuildOr(g->b, none, unordered(f, x, y), "");
    return LLVMBuildFPTrunc(g->b, pick(f, none, num(f, (double)NAN), r), narrow, "");
}

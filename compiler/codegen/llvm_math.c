/* Inline float32 functions, branch-free, on scalars and vectors, so that LLVM vectorises the loops
 * around them. Accurate to 2 ulp (measured by tests/compiler/test_tir_math.c), right for
 * infinities, NaN, zeros and subnormals; sin, cos and pow are in files of their own. The
 * coefficients interpolate the exact functions at Chebyshev nodes of the reduced range. float64 and
 * all other functions call libm. */
#include "compiler/codegen/llvm_math.h"
#include "compiler/target/target.h"

#include <math.h>

static const double LN2_HIGH = 0x1.62e4p-1, LN2_LOW = 0x1.7f7d1cp-20;

/* 2^n as a float, -126 <= n <= 127 */
static LLVMValueRef power_of_two(fp f, LLVMValueRef n)
{
    LLVMBuilderRef b = f.g->b;
    return from_bits(f,
                     LLVMBuildShl(b, LLVMBuildAdd(b, n, integer(f, 127), ""), integer(f, 23), ""));
}

/* x = n ln2 + r, |r| <= ln2 / 2; e^x = 2^n (1 + r + r^2 P(r)). n is found by adding 1.5 * 2^23,
 * which rounds and leaves n in the low bits without a conversion that NaN would make undefined. */
typedef struct exponent {
    LLVMValueRef t; /* n + 1.5 * 2^23 */
    LLVMValueRef p; /* e^x / 2^n */
} exponent;

static const double SHIFT = 0x1.8p23;

/* |precise| costs two operations and takes the error of e^x from 1.1 to 0.8 ulp. */
static exponent split_exp(fp f, LLVMValueRef x, bool precise)
{
    static const double c[] = {0x1p-1, 0x1.5554dep-3, 0x1.55551ap-5, 0x1.120b62p-7, 0x1.6d10fcp-10};
    LLVMValueRef t = add(f, mul(f, x, num(f, 0x1.715476p0)), num(f, SHIFT));
    LLVMValueRef nf = sub(f, t, num(f, SHIFT));
    LLVMValueRef most = sub(f, x, mul(f, nf, num(f, LN2_HIGH)));
    LLVMValueRef r = sub(f, most, mul(f, nf, num(f, LN2_LOW)));
    LLVMValueRef p = mul(f, POLY(f, r, c), mul(f, r, r));
    if (precise) /* what rounding took from r */
        p = add(f, p, sub(f, sub(f, most, r), mul(f, nf, num(f, LN2_LOW))));
    return (exponent){t, add(f, add(f, p, r), num(f, 1.0))};
}

static LLVMValueRef at_most(fp f, LLVMValueRef x, double limit)
{
    LLVMValueRef above = LLVMBuildFCmp(f.g->b, LLVMRealOGT, x, num(f, limit), "");
    return pick(f, above, num(f, limit), x);
}

/* p 2^n, n a whole float, where the target scales vectors so in one instruction; else NULL. */
static LLVMValueRef scaled(fp f, LLVMValueRef p, LLVMValueRef n)
{
    static const char name[] = "llvm.x86.avx512.mask.scalef.ps.512";
    if (rlxc_llvm_lanes(p) != 16 || !rlxc_target_has_feature(f.g->options, "avx512f"))
        return NULL;
    LLVMTypeRef mask = LLVMIntTypeInContext(f.g->lc, 16);
    LLVMValueRef args[5] = {p, n, p, LLVMConstAllOnes(mask),
                            rlxc_llvm_int(f.g, f.g->i32, 4 /* rounding as it is set */)};
    uint32_t id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(f.g->module, id, NULL, 0);
    return LLVMBuildCall2(f.g->b, LLVMIntrinsicGetType(f.g->lc, id, NULL, 0), fn, args, 5, "");
}

/* 2^n is applied in two halves, so that subnormal results round and overflow gives infinity. */
static LLVMValueRef exp_of(rlxc_llvm *g, LLVMValueRef x, bool precise)
{
    fp f = begin(g, x);
    LLVMBuilderRef b = g->b;
    x = at_most(f, x, 89.0);
    x = pick(f, less(f, x, -105.0), num(f, -105.0), x);
    exponent e = split_exp(f, x, precise);
    LLVMValueRef at_once = scaled(f, e.p, sub(f, e.t, num(f, SHIFT)));
    if (at_once)
        return at_once;
    LLVMValueRef n = LLVMBuildSub(b, bits(f, e.t), integer(f, 0x4b400000), "");
    LLVMValueRef half = LLVMBuildAShr(b, n, integer(f, 1), "");
    LLVMValueRef rest = LLVMBuildSub(b, n, half, "");
    return LLVMBuildFMul(b, LLVMBuildFMul(b, e.p, power_of_two(f, half), ""), power_of_two(f, rest),
                         "");
}

/* Where -80 < x < 80: n goes straight into the exponent. Anything for NaN. */
static LLVMValueRef exp_within(fp f, LLVMValueRef x)
{
    exponent e = split_exp(f, x, false);
    LLVMValueRef n = LLVMBuildShl(f.g->b, bits(f, e.t), integer(f, 23), "");
    return from_bits(f, LLVMBuildAdd(f.g->b, bits(f, e.p), n, ""));
}

/* a < limit, or a is NaN */
static LLVMValueRef not_above(fp f, LLVMValueRef a, double limit)
{
    return LLVMBuildFCmp(f.g->b, LLVMRealULT, a, num(f, limit), "");
}

LLVMValueRef rlxc_llvm_exp(rlxc_llvm *g, LLVMValueRef x)
{
    return exp_of(g, x, false);
}

/* x = m 2^k, m in [sqrt(1/2), sqrt 2); log x = k ln2 + log(1 + t), t = m - 1. */
LLVMValueRef rlxc_llvm_log(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {0x1.555556p-2, -0x1.fffff2p-3, 0x1.9999a8p-3, -0x1.555c54p-3,
                               0x1.249688p-3, -0x1.fdfb82p-4, 0x1.c41b8cp-4, -0x1.b4116ap-4,
                               0x1.af581ep-4, -0x1.fc06e2p-5};
    fp f = begin(g, x);
    LLVMBuilderRef b = g->b;
    LLVMValueRef tiny = less(f, x, 0x1p-126);
    LLVMValueRef scaled = pick(f, tiny, LLVMBuildFMul(b, x, num(f, 0x1p23), ""), x);
    LLVMValueRef i = bits(f, scaled);
    LLVMValueRef k = LLVMBuildSub(b, i, integer(f, 0x3f3504f3), "");
    k = LLVMBuildAShr(b, k, integer(f, 23), "");
    LLVMValueRef m = from_bits(f, LLVMBuildSub(b, i, LLVMBuildShl(b, k, integer(f, 23), ""), ""));
    LLVMValueRef e = LLVMBuildSIToFP(b, k, f.t, "");
    e = sub(f, e, pick(f, tiny, num(f, 23.0), num(f, 0.0)));
    LLVMValueRef t = sub(f, m, num(f, 1.0));
    LLVMValueRef t2 = mul(f, t, t);
    LLVMValueRef r = mul(f, POLY(f, t, c), mul(f, t2, t));
    r = add(f, r, mul(f, e, num(f, LN2_LOW)));
    r = sub(f, r, mul(f, t2, num(f, 0.5)));
    r = add(f, t, r);
    r = add(f, r, mul(f, e, num(f, LN2_HIGH)));
    r = pick(f, less(f, x, (double)INFINITY), r, x); /* infinity and NaN are their own */
    LLVMValueRef is_zero = LLVMBuildFCmp(b, LLVMRealOEQ, x, num(f, 0.0), "");
    r = pick(f, is_zero, num(f, -(double)INFINITY), r);
    return pick(f, less(f, x, 0.0), num(f, (double)NAN), r);
}

LLVMValueRef rlxc_llvm_tanh(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {-0x1.555552p-2, 0x1.110e1cp-3, -0x1.b9258ap-5, 0x1.58048ep-6,
                               -0x1.8f8de4p-8};
    fp f = begin(g, x);
    LLVMValueRef a = magnitude(f, x), x2 = mul(f, x, x);
    LLVMValueRef small = add(f, mul(f, mul(f, POLY(f, x2, c), x2), x), x);
    LLVMValueRef e = exp_within(f, at_most(f, LLVMBuildFAdd(g->b, a, a, ""), 20.0));
    LLVMValueRef big = sub(f, num(f, 1.0), div_(f, num(f, 2.0), add(f, e, num(f, 1.0))));
    return with_sign(f, pick(f, not_above(f, a, 0.625), small, big), x);
}

/* e / (1 + e) or 1 / (1 + e), e = e^-|x|, less what rounding took from the sum. */
LLVMValueRef rlxc_llvm_sigmoid(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    LLVMValueRef one = num(f, 1.0);
    LLVMValueRef e = exp_of(g, LLVMBuildFNeg(g->b, magnitude(f, x), ""), true);
    LLVMValueRef sum = add(f, e, one), lost = sub(f, e, sub(f, sum, one));
    LLVMValueRef r = div_(f, pick(f, less(f, x, 0.0), e, one), sum), other = sub(f, one, r);
    LLVMValueRef inverse = pick(f, less(f, x, 0.0), other, r);
    return sub(f, r, mul(f, r, mul(f, lost, inverse)));
}

/* |x| < 1: x + x P(x^2). Else 1 - e^Q(|x|), where Q approximates log erfc; beyond 4 erf is 1. */
LLVMValueRef rlxc_llvm_erf(rlxc_llvm *g, LLVMValueRef x)
{
    static const double small_c[] = {0.1283791670955126, -0x1.81273ep-2, 0x1.ce2d10p-4,
                                     -0x1.b7fabap-6,     0x1.541270p-8,  -0x1.a45088p-11,
                                     0x1.4a5690p-14};
    static const double big_c[] = {0x1.4fb068p-12, -0x1.2156fap+0,  -0x1.437eb4p-1,
                                   -0x1.c2e356p-4, 0x1.b0e246p-6,   -0x1.37ecc6p-8,
                                   0x1.38e5e6p-11, -0x1.825ce4p-15, 0x1.b77830p-20};
    fp f = begin(g, x);
    LLVMValueRef a = magnitude(f, x);
    LLVMValueRef small = add(f, mul(f, x, POLY(f, mul(f, x, x), small_c)), x);
    LLVMValueRef tail = exp_within(f, POLY(f, at_most(f, a, 4.0), big_c));
    LLVMValueRef big = sub(f, num(f, 1.0), tail);
    return pick(f, not_above(f, a, 1.0), small, with_sign(f, big, x));
}

/* (1 + erf x) / 2: e^Q(|x|) below zero, 1 - e^Q(x) above, where Q approximates log (erfc / 2) so
 * that the error is at most 1.2e-7 in all; small results keep their leading digits, which the sum
 * would lose. Below -5.5 it is 0: gelu multiplies it with x, however large. */
LLVMValueRef rlxc_llvm_half_erf(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {-0x1.62e430p-1,  -0x1.20dd90p+0, -0x1.45ef8ap-1,
                               -0x1.a5a13cp-4,  0x1.41693ep-6,  -0x1.2be016p-11,
                               -0x1.095b4ap-10, 0x1.3d93bcp-12, -0x1.01e3b8p-15};
    fp f = begin(g, x);
    LLVMValueRef a = magnitude(f, x), tail = exp_within(f, POLY(f, at_most(f, a, 5.5), c));
    tail = pick(f, not_above(f, a, 5.5), tail, num(f, 0.0));
    LLVMValueRef r = pick(f, less(f, x, 0.0), tail, sub(f, num(f, 1.0), tail));
    return pick(f, LLVMBuildFCmp(g->b, LLVMRealUNO, x, x, ""), x, r);
}

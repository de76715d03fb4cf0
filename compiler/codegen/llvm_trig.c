/* sin, cos and tan of float32, branch-free for every argument, accurate to 2 ulp (tests/compiler/
 * test_tir_math.c).
 *
 * |x| = m 2^(e - 23) is reduced by pi/2 in fixed point (M. Payne, R. Hanek, "Radian reduction for
 * trigonometric functions", 1983): of 2/pi only the 96 bits matter that, times m, lie below weight
 * 4 and above the precision needed. Their product modulo 2^64 has the quadrant in its upper two
 * bits and the fraction of pi/2 below. The coefficients interpolate at Chebyshev nodes. */
#include "compiler/codegen/llvm_math.h"

#include <math.h>

/* 32 zero bits, then 2/pi. */
static const uint32_t two_over_pi[8] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                        0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

typedef struct reduced {
    LLVMValueRef r;        /* |x| minus the quadrants, in [-pi/4, pi/4] */
    LLVMValueRef wide;     /* the same in float64 */
    LLVMValueRef quadrant; /* modulo 4 in the low bits */
} reduced;

/* The four words of the table from word |at| on, |at| in 0 ... 4. */
static void table_words(fp f, LLVMValueRef at, LLVMValueRef *out)
{
    LLVMBuilderRef b = f.g->b;
    for (uint32_t k = 0; k < 4; k++) {
        out[k] = integer(f, (int64_t)two_over_pi[k]);
        for (uint32_t i = 1; i <= 4; i++) {
            LLVMValueRef here = LLVMBuildICmp(b, LLVMIntEQ, at, integer(f, i), "");
            out[k] = pick(f, here, integer(f, (int64_t)two_over_pi[k + i]), out[k]);
        }
    }
}

static LLVMValueRef funnel(fp f, LLVMValueRef high, LLVMValueRef low, LLVMValueRef shift)
{
    LLVMValueRef args[3] = {high, low, shift};
    return rlxc_llvm_intrinsic(f.g, "fshl", args, 3);
}

/* a * b of 32-bit numbers in 64 bits. */
static LLVMValueRef wide_product(fp f, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef wide = rlxc_llvm_like(f.g->i64, a);
    return LLVMBuildMul(f.g->b, LLVMBuildZExt(f.g->b, a, wide, ""),
                        LLVMBuildZExt(f.g->b, b, wide, ""), "");
}

static reduced reduce(fp f, LLVMValueRef a)
{
    LLVMBuilderRef b = f.g->b;
    LLVMTypeRef wide = rlxc_llvm_like(f.g->i64, a);
    LLVMValueRef ia = bits(f, a);
    LLVMValueRef m =
        LLVMBuildOr(b, LLVMBuildAnd(b, ia, integer(f, 0x7fffff), ""), integer(f, 0x800000), "");
    /* the window begins at bit e - 25 of 2/pi; the exponent field is e + 127 */
    LLVMValueRef at =
        LLVMBuildSub(b, LLVMBuildLShr(b, ia, integer(f, 23), ""), integer(f, 120), "");
    LLVMValueRef word = LLVMBuildLShr(b, at, integer(f, 5), "");
    LLVMValueRef shift = LLVMBuildAnd(b, at, integer(f, 31), ""), t[4], w[3];
    table_words(f, word, t);
    for (uint32_t k = 0; k < 3; k++)
        w[k] = funnel(f, t[k], t[k + 1], shift);
    LLVMValueRef half = rlxc_llvm_int(f.g, wide, 32);
    LLVMValueRef sum = LLVMBuildAdd(b, wide_product(f, m, w[1]),
                                    LLVMBuildLShr(b, wide_product(f, m, w[2]), half, ""), "");
    /* in halves: the first word and the quadrant affect only the upper half, and conversions from
     * 64 bits are slow; the last bit does not matter */
    fp wide_f = {f.g, rlxc_llvm_like(f.g->f64, a), wide};
    LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, sum, half, ""), f.ti, "");
    high = LLVMBuildAdd(b, high, LLVMBuildMul(b, m, w[0], ""), "");
    LLVMValueRef rounded = LLVMBuildAdd(b, high, integer(f, INT64_C(1) << 29), "");
    LLVMValueRef n = LLVMBuildLShr(b, rounded, integer(f, 30), "");
    high = LLVMBuildSub(b, high, LLVMBuildShl(b, n, integer(f, 30), ""), "");
    LLVMValueRef low = LLVMBuildLShr(b, LLVMBuildTrunc(b, sum, f.ti, ""), integer(f, 1), "");
    LLVMValueRef r =
        add(wide_f, mul(wide_f, LLVMBuildSIToFP(b, high, wide_f.t, ""), num(wide_f, 0x1p31)),
            LLVMBuildSIToFP(b, low, wide_f.t, ""));
    r = LLVMBuildFMul(b, r, num(wide_f, 0x1.921fb54442d18p-61), "");
    LLVMValueRef small = less(f, a, 0.5);
    return (reduced){pick(f, small, a, LLVMBuildFPTrunc(b, r, f.t, "")),
                     pick(f, small, LLVMBuildFPExt(b, a, wide_f.t, ""), r),
                     pick(f, small, integer(f, 0), n)};
}

static const double sin_c[] = {-0x1.555556p-3, 0x1.11110ep-7, -0x1.a013a8p-13, 0x1.6dbe0ep-19};
static const double cos_c[] = {0x1.555556p-5, -0x1.6c16c0p-10, 0x1.a015c4p-16, -0x1.252450p-22};

static LLVMValueRef sin_of(fp f, LLVMValueRef r)
{
    LLVMValueRef z = mul(f, r, r);
    return add(f, mul(f, mul(f, POLY(f, z, sin_c), z), r), r);
}

static LLVMValueRef cos_of(fp f, LLVMValueRef r)
{
    LLVMValueRef z = mul(f, r, r), c = mul(f, POLY(f, z, cos_c), mul(f, z, z));
    return add(f, sub(f, c, mul(f, z, num(f, 0.5))), num(f, 1.0));
}

static LLVMValueRef is_odd(fp f, LLVMValueRef q)
{
    return LLVMBuildICmp(f.g->b, LLVMIntNE, LLVMBuildAnd(f.g->b, q, integer(f, 1), ""),
                         integer(f, 0), "");
}

/* sin(|x| + ahead pi/2), negated if |flip| has the sign bit. */
static LLVMValueRef wave(fp f, LLVMValueRef x, int64_t ahead, LLVMValueRef flip)
{
    LLVMBuilderRef b = f.g->b;
    reduced d = reduce(f, magnitude(f, x));
    LLVMValueRef s = sin_of(f, d.r), c = cos_of(f, d.r);
    LLVMValueRef q = LLVMBuildAdd(b, d.quadrant, integer(f, ahead), "");
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildAnd(b, q, integer(f, 2), ""), integer(f, 30), "");
    LLVMValueRef r = LLVMBuildXor(b, bits(f, pick(f, is_odd(f, q), c, s)), sign, "");
    r = from_bits(f, LLVMBuildXor(b, r, flip, ""));
    LLVMValueRef finite = less(f, magnitude(f, x), (double)INFINITY);
    return pick(f, finite, r, num(f, (double)NAN));
}

LLVMValueRef rlxc_llvm_sin(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    return wave(f, x, 0, LLVMBuildAnd(g->b, bits(f, x), integer(f, INT32_MIN), ""));
}

LLVMValueRef rlxc_llvm_cos(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    return wave(f, x, 1, integer(f, 0));
}

/* sin / cos, or -cos / sin in odd quadrants, in float64. */
LLVMValueRef rlxc_llvm_tan(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x), wide = {g, rlxc_llvm_like(g->f64, x), rlxc_llvm_like(g->i64, x)};
    reduced d = reduce(f, magnitude(f, x));
    LLVMValueRef s = sin_of(wide, d.wide), c = cos_of(wide, d.wide), odd = is_odd(f, d.quadrant);
    LLVMValueRef under = pick(f, odd, LLVMBuildFNeg(g->b, s, ""), c);
    LLVMValueRef r = LLVMBuildFPTrunc(g->b, div_(wide, pick(f, odd, c, s), under), f.t, "");
    LLVMValueRef flip = LLVMBuildAnd(g->b, bits(f, x), integer(f, INT32_MIN), "");
    r = from_bits(f, LLVMBuildXor(g->b, bits(f, r), flip, ""));
    LLVMValueRef finite = less(f, magnitude(f, x), (double)INFINITY);
    return pick(f, finite, r, num(f, (double)NAN));
}

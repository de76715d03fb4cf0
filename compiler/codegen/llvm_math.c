/* Inline functions of float32 and float64, branch-free, on scalars and vectors, so that LLVM
 * vectorises the loops around them. Accurate to 2 ulp (measured by tests/compiler/test_tir_math.c),
 * right for infinities, NaN, zeros and subnormals; those of float32 alone are in llvm_trig.c,
 * llvm_arcs.c and llvm_wide.c.
 *
 * Both types run the same code, each with the numbers of its row. The coefficients interpolate the
 * exact functions at Chebyshev nodes of the reduced range; those of tanh and of erf's tail make the
 * largest error small (E. Y. Remez's exchange, 1934, erf's weighted with erfc). What has no row in
 * vector_function (llvm_intrinsics.c) calls libm. */
#include "compiler/codegen/llvm_math.h"
#include "compiler/target/target.h"

#include <math.h>
#include <string.h>

static const double LOG2_E = 0x1.71547652b82fep0, LN_2 = 0x1.62e42fefa39efp-1,
                    LN_2_REST = 0x1.abc9e3b39803fp-56;

typedef struct series {
    const double *c;
    uint32_t n;
} series;
#define SERIES(...)                                                                           \
    {                                                                                         \
        (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double) \
    }

/* The constants of the functions of one type. */
typedef struct format {
    int64_t mantissa, bias; /* mantissa bits; exponent bits */
    double shift;           /* 1.5 * 2^mantissa: adding it rounds to an integer in the low bits */
    int64_t shift_bits, root_half_bits; /* bits of shift and of sqrt(1/2) */
    double normal;                      /* the least normal number */
    double scale;                       /* 2^scale_exponent, makes subnormal numbers normal */
    int64_t scale_exponent;
    double ln2_high, ln2_low;      /* ln 2: exact in products with exponents; the rest */
    double exp_least, exp_most;    /* beyond which e^x is zero, infinite */
    const char *scalef;            /* p 2^n, on vectors of 64 bytes */
    double tanh_most;              /* of 2 |x|: beyond it tanh is 1 */
    double erf_split;              /* where its two expressions meet */
    double tail_most, tail_centre; /* of erf: beyond it is 1; subtracted from |x| */
    series exp, log, tanh, erf, erf_tail;
} format;

static const format formats[2] = {
    {.mantissa = 23,
     .bias = 127,
     .shift = 0x1.8p23,
     .shift_bits = 0x4b400000,
     .root_half_bits = 0x3f3504f3,
     .normal = 0x1p-126,
     .scale = 0x1p24,
     .scale_exponent = 24,
     .ln2_high = 0x1.62e4p-1,
     .ln2_low = 0x1.7f7d1cp-20,
     .exp_least = -105,
     .exp_most = 89,
     .scalef = "llvm.x86.avx512.mask.scalef.ps.512",
     .tanh_most = 20,
     .tail_most = 4,
     .tail_centre = 1,
     .exp = SERIES(0x1p-1, 0x1.5554dep-3, 0x1.55551ap-5, 0x1.120b62p-7, 0x1.6d10fcp-10),
     .log = SERIES(0x1.555556p-2, -0x1.fffff2p-3, 0x1.9999a8p-3, -0x1.555c54p-3, 0x1.249688p-3,
                   -0x1.fdfb82p-4, 0x1.c41b8cp-4, -0x1.b4116ap-4, 0x1.af581ep-4, -0x1.fc06e2p-5),
     .tanh = SERIES(-0x1.555512p-2, 0x1.110074p-3, -0x1.b76226p-5, 0x1.4cc090p-6, -0x1.5e8acap-8),
     .erf_split = 1.0625,
     .erf = SERIES(0x1.06eba8p-3, -0x1.812746p-2, 0x1.ce2ef2p-4, -0x1.b82776p-6, 0x1.560f24p-8,
                   -0x1.bb8966p-11, 0x1.d102bcp-14, -0x1.330312p-17),
     .erf_tail =
         SERIES(0x1.967f68p+0, 0x1.0c3156p+0, 0x1.5c0be6p-1, 0x1.442f00p-2, 0x1.d710b2p-4,
                0x1.313190p-4, -0x1.86773ep-6, 0x1.26cf60p-5, -0x1.ad6420p-7, 0x1.b38910p-9)},
    {.mantissa = 52,
     .bias = 1023,
     .shift = 0x1.8p52,
     .shift_bits = 0x4338000000000000,
     .root_half_bits = 0x3fe6a09e667f3bcd,
     .normal = 0x1p-1022,
     .scale = 0x1p54,
     .scale_exponent = 54,
     .ln2_high = 0x1.62e42fefa3800p-1,
     .ln2_low = 0x1.ef35793c76730p-45,
     .exp_least = -746,
     .exp_most = 710,
     .scalef = "llvm.x86.avx512.mask.scalef.pd.512",
     .tanh_most = 40,
     .tail_most = 6,
     .tail_centre = 2,
     .exp = SERIES(0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d63p-5,
                   0x1.11111111109b3p-7, 0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13,
                   0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19, 0x1.289185613a3d6p-22,
                   0x1.af38a9b0ec855p-26),
     .log = SERIES(
         0x1.5555555555556p-2, -0x1.fffffffffffe7p-3, 0x1.9999999999010p-3, -0x1.5555555558074p-3,
         0x1.24924925376dap-3, -0x1.fffffffe0374fp-4, 0x1.c71c713ccca51p-4, -0x1.9999999711ba3p-4,
         0x1.745d343946656p-4, -0x1.555574cd5f5abp-4, 0x1.3b105762c04e6p-4, -0x1.248bbb2b73dd0p-4,
         0x1.1148d6d97be33p-4, -0x1.009d9ede13925p-4, 0x1.de2b25a838da5p-5, -0x1.b7c4ffe0c77fdp-5,
         0x1.b81071d2b9323p-5, -0x1.f6223b4ebae32p-5, 0x1.d03182232bb25p-5, -0x1.9a9a68c447047p-6),
     .tanh = SERIES(-0x1.5555555555543p-2, 0x1.111111110fb7bp-3, -0x1.ba1ba1b8fdf7bp-5,
                    0x1.664f48475e922p-6, -0x1.226e2e1ce4577p-7, 0x1.d6d2aebecb30bp-9,
                    -0x1.7d9432ed3694ap-10, 0x1.34cc0663a5974p-11, -0x1.ee7b2ae101c45p-13,
                    0x1.77853758c4356p-14, -0x1.da27c9935853dp-16, 0x1.5fdd976a75592p-18),
     .erf_split = 1,
     .erf = SERIES(0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b30p-4,
                   -0x1.b82ce31284e00p-6, 0x1.565bcd0dbaa38p-8, -0x1.c02db3dac435fp-11,
                   0x1.f9a321d5b8e1ep-14, -0x1.f4d1e3183f7aep-17, 0x1.b9df224ca4b94p-20,
                   -0x1.5f1ecb6f0762fp-23, 0x1.f7b4bf3b13841p-27, -0x1.389d4f26412d7p-30,
                   0x1.05ffd737faabap-34),
     .erf_tail = SERIES(-0x1.575b329b1f514p+2, -0x1.1ac3258a8dc2ap+2, -0x1.d8f5dece92965p-1,
                        -0x1.0dc3b5fb31012p-6, 0x1.d406b378bfe6ap-9, -0x1.7ffcfb023ddecp-11,
                        0x1.1bc3a4d1f3989p-13, -0x1.5b659d0f315f2p-16, 0x1.0604a178ba739p-19,
                        0x1.b58014c1ec714p-23, -0x1.73e22d9e2024cp-23, 0x1.ef9bc41bcf730p-25,
                        -0x1.e0b0e5f01b289p-27, 0x1.66a53fb5854a5p-29, -0x1.1a746f3237268p-32,
                        -0x1.3a97f7c6d1c52p-34, 0x1.4222aab34c9adp-35, -0x1.56618622c118cp-38)},
};
#undef SERIES

LLVMValueRef rlxc_llvm_held(rlxc_llvm *g, LLVMTypeRef type, double value)
{
    const rlxc_target *target = g->target;
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (target->arch != RLXC_ARCH_X86 || !rlxc_target_has_feature(target, "avx2") ||
        rlxc_target_has_feature(target, "avx512f"))
        return rlxc_llvm_float(type, value);
    LLVMTypeRef one = is_vector ? LLVMGetElementType(type) : type;
    LLVMTypeRef function = LLVMFunctionType(one, &one, 1, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(function, "", 0, "=x,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef constant = rlxc_llvm_float(one, value);
    LLVMBasicBlockRef at = LLVMGetInsertBlock(g->b);
    LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(g->entry));
    LLVMValueRef held = LLVMBuildCall2(g->b, function, nothing, &constant, 1, "");
    static const char *const attributes[2] = {"nounwind", "memory"};
    for (int i = 0; i < 2; i++) {
        const unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddCallSiteAttribute(held, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 LLVMCreateEnumAttribute(g->lc, kind, 0));
    }
    if (is_vector)
        held = rlxc_llvm_splat(g, held, LLVMGetVectorSize(type));
    LLVMPositionBuilderAtEnd(g->b, at);
    return held;
}

static const format *format_of(fp f)
{
    return &formats[is_double(f.g, num(f, 0))];
}

static LLVMValueRef sum_of(fp f, LLVMValueRef x, series s)
{
    return poly(f, x, s.c, s.n);
}

/* x = n ln2 + r, |r| <= ln2 / 2; e^x = 2^n (1 + r + r^2 P(r)). n is found by adding row->shift,
 * which rounds and leaves n in the low bits without a conversion that NaN would make undefined. */
typedef struct exponent {
    LLVMValueRef t;    /* n + row->shift */
    LLVMValueRef more; /* e^x / 2^n - 1 */
} exponent;

/* e^r - 1 for the reduced r */
static LLVMValueRef exp_reduced(fp f, LLVMValueRef r)
{
    const series s = format_of(f)->exp;
    LLVMValueRef r2 = mul(f, r, r);
    return add(f, mul(f, poly_pairs(f, r, r2, s.c, s.n), r2), r);
}

static bool fuses_products(const rlxc_target *t)
{
    return t->arch != RLXC_ARCH_X86 || rlxc_target_has_feature(t, "fma");
}

/* |bias| is added to n in t: row->shift + bias is an integer. Unless |exact|, float32 has one
 * number for ln2, which is off by 1.9e-9, where the product with it need not be rounded: the
 * relative error grows by 1.9e-9 |n|. */
static exponent split_exp(fp f, LLVMValueRef x, int64_t bias, bool exact)
{
    const format *row = format_of(f);
    LLVMValueRef shift = num(f, row->shift + (double)bias);
    LLVMValueRef t = add(f, mul(f, x, num(f, LOG2_E)), shift);
    LLVMValueRef nf = sub(f, t, shift);
    if (!exact && !is_double(f.g, x) && fuses_products(f.g->target)) {
        LLVMValueRef args[3] = {LLVMBuildFNeg(f.g->b, nf, ""), num(f, LN_2), x};
        return (exponent){t, exp_reduced(f, rlxc_llvm_intrinsic(f.g, "fma", args, 3))};
    }
    LLVMValueRef r = sub(f, x, mul(f, nf, num(f, row->ln2_high)));
    r = sub(f, r, mul(f, nf, num(f, row->ln2_low)));
    return (exponent){t, exp_reduced(f, r)};
}

static LLVMValueRef plus_one(fp f, LLVMValueRef x)
{
    return add(f, x, num(f, 1.0));
}

/* p 2^n for an integral float n if the target has an instruction for it; else NULL. */
static LLVMValueRef scaled(fp f, LLVMValueRef p, LLVMValueRef n)
{
    const format *row = format_of(f);
    const uint32_t lanes = rlxc_llvm_lanes(p);
    if (lanes * (row->mantissa < 32 ? 4 : 8) != 64 ||
        !rlxc_target_has_feature(f.g->target, "avx512f"))
        return NULL;
    LLVMTypeRef mask = LLVMIntTypeInContext(f.g->lc, lanes);
    LLVMValueRef args[5] = {p, n, p, LLVMConstAllOnes(mask),
                            rlxc_llvm_int(f.g, f.g->i32, 4 /* the current rounding mode */)};
    uint32_t id = LLVMLookupIntrinsicID(row->scalef, strlen(row->scalef));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(f.g->module, id, NULL, 0);
    return LLVMBuildCall2(f.g->b, LLVMIntrinsicGetType(f.g->lc, id, NULL, 0), fn, args, 5, "");
}

/* 2^n is applied in two halves, so that subnormal results round and overflow gives infinity. t has
 * n + 2 bias: without its lowest bit, and shifted one place less, it is the first half's number. */
static LLVMValueRef joined(fp f, exponent e)
{
    const format *row = format_of(f);
    LLVMBuilderRef b = f.g->b;
    LLVMValueRef p = plus_one(f, e.more), shift = num(f, row->shift + 2.0 * (double)row->bias);
    LLVMValueRef at_once = scaled(f, p, sub(f, e.t, shift));
    if (at_once)
        return at_once;
    const int64_t exponent_bits = (2 * row->bias + 1) << row->mantissa;
    LLVMValueRef t = bits(f, e.t), all = LLVMBuildShl(b, t, integer(f, row->mantissa), "");
    LLVMValueRef half = LLVMBuildShl(b, t, integer(f, row->mantissa - 1), "");
    half = LLVMBuildAnd(b, half, integer(f, exponent_bits), "");
    LLVMValueRef rest = LLVMBuildSub(b, all, half, "");
    return LLVMBuildFMul(b, LLVMBuildFMul(b, p, from_bits(f, half), ""), from_bits(f, rest), "");
}

LLVMValueRef rlxc_llvm_exp(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    const format *row = format_of(f);
    x = at_most(f, x, row->exp_most);
    x = at_least(f, x, row->exp_least);
    return joined(f, split_exp(f, x, 2 * row->bias, true));
}

/* x = n + r / ln2: the difference x - n is exact. */
LLVMValueRef rlxc_llvm_exp2(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    const format *row = format_of(f);
    x = at_most(f, x, row->exp_most * LOG2_E);
    x = at_least(f, x, row->exp_least * LOG2_E);
    LLVMValueRef shift = num(f, row->shift + 2.0 * (double)row->bias), t = add(f, x, shift);
    LLVMValueRef r = mul(f, sub(f, x, sub(f, t, shift)), num(f, LN_2));
    return joined(f, (exponent){t, exp_reduced(f, r)});
}

/* The weights of a softmax, of which the largest is 1. Those of float32 are off by at most 1.1 ulp
 * plus 3e-9 |x| of their value. Zero for n < 2 - bias, so that 2^n and the result are normal
 * numbers; below, the arithmetic gives any number or NaN. */
LLVMValueRef rlxc_llvm_exp_nonpositive(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    const format *row = format_of(f);
    const double least = (2 - (double)row->bias) * LN_2;
    exponent e = split_exp(f, x, row->bias, false);
    LLVMValueRef n = LLVMBuildShl(g->b, bits(f, e.t), integer(f, row->mantissa), "");
    LLVMValueRef power = from_bits(f, n);
    return pick(f, less(f, x, least), num(f, 0.0), add(f, mul(f, e.more, power), power));
}

/* For -80 < x < 80: n is added to the exponent directly. The result for NaN is arbitrary. */
LLVMValueRef rlxc_llvm_exp_within(fp f, LLVMValueRef x)
{
    exponent e = split_exp(f, x, 0, true);
    LLVMValueRef n = LLVMBuildShl(f.g->b, bits(f, e.t), integer(f, format_of(f)->mantissa), "");
    return from_bits(f, LLVMBuildAdd(f.g->b, bits(f, plus_one(f, e.more)), n, ""));
}

/* x = m 2^k, m in [sqrt(1/2), sqrt 2); log x = k ln2 + t - t^2 / 2 + t^3 P(t), t = m - 1. k
 * becomes a number in the low bits of row->shift. */
LLVMValueRef rlxc_llvm_log(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    const format *row = format_of(f);
    LLVMBuilderRef b = g->b;
    LLVMValueRef mantissa = integer(f, row->mantissa);
    LLVMValueRef tiny = less(f, x, row->normal);
    LLVMValueRef i = bits(f, pick(f, tiny, LLVMBuildFMul(b, x, num(f, row->scale), ""), x));
    LLVMValueRef k = LLVMBuildSub(b, i, integer(f, row->root_half_bits), "");
    k = LLVMBuildAShr(b, k, mantissa, "");
    LLVMValueRef m = from_bits(f, LLVMBuildSub(b, i, LLVMBuildShl(b, k, mantissa, ""), ""));
    LLVMValueRef e = from_bits(f, LLVMBuildAdd(b, k, integer(f, row->shift_bits), ""));
    e = sub(f, e, num(f, row->shift));
    e = sub(f, e, pick(f, tiny, num(f, (double)row->scale_exponent), num(f, 0.0)));
    LLVMValueRef t = sub(f, m, num(f, 1.0));
    LLVMValueRef t2 = mul(f, t, t);
    LLVMValueRef r = mul(f, sum_of(f, t, row->log), mul(f, t2, t));
    r = add(f, r, mul(f, e, num(f, row->ln2_low)));
    r = sub(f, r, mul(f, t2, num(f, 0.5)));
    r = add(f, t, r);
    r = add(f, r, mul(f, e, num(f, row->ln2_high)));
    r = pick(f, less(f, x, (double)INFINITY), r, x); /* infinity and NaN give themselves */
    LLVMValueRef is_zero = LLVMBuildFCmp(b, LLVMRealOEQ, x, num(f, 0.0), "");
    r = pick(f, is_zero, num(f, -(double)INFINITY), r);
    return pick(f, less(f, x, 0.0), num(f, (double)NAN), r);
}

/* |x| = n ln2 + r, where n is rounded down from 31/32 on: n is 0 below 0.671, where tanh is w =
 * r + r^3 P(r^2). Above, it is 1 - 2 (1 - w) / (s (1 + w) + 1 - w), s = 4^n. One quotient gives
 * both: base - (base - w) / (g w + h) with base = min(n, 1), h = (s + 1) / 2, g = (s - 1) / 2. */
LLVMValueRef rlxc_llvm_tanh(rlxc_llvm *g, LLVMValueRef x)
{
    enum { FRACTION = 4 }; /* bits of n behind the point before it is rounded down */
    fp f = begin(g, x);
    const format *row = format_of(f);
    LLVMBuilderRef b = g->b;
    LLVMValueRef sign = LLVMBuildAnd(b, bits(f, x), bits(f, num(f, -0.0)), "");
    LLVMValueRef a = at_most(f, magnitude(f, x), row->tanh_most / 2);
    const int64_t half_s = (row->bias - 1) / 2; /* with it, bits of n become those of s / 2 */
    LLVMValueRef shift = num(f, ldexp(row->shift, -FRACTION) + (double)half_s);
    LLVMValueRef t = bits(f, add(f, mul(f, a, num(f, LOG2_E)), shift));
    t = LLVMBuildAnd(b, t, integer(f, -(1 << FRACTION)), "");
    LLVMValueRef n = sub(f, from_bits(f, t), shift);
    LLVMValueRef r = sub(f, a, mul(f, n, num(f, LN_2)));
    if (is_double(g, x))
        r = sub(f, r, mul(f, n, num(f, LN_2_REST)));
    LLVMValueRef r2 = mul(f, r, r);
    LLVMValueRef w = add(f, mul(f, sum_of(f, r2, row->tanh), mul(f, r2, r)), r);
    LLVMValueRef s = LLVMBuildShl(b, t, integer(f, row->mantissa + 1 - FRACTION), "");
    s = from_bits(f, s);
    LLVMValueRef below = add(f, mul(f, sub(f, s, num(f, 0.5)), w), add(f, s, num(f, 0.5)));
    LLVMValueRef base = at_most(f, n, 1);
    LLVMValueRef result = sub(f, base, div_(f, sub(f, base, w), below));
    return from_bits(f, LLVMBuildOr(b, bits(f, result), sign, ""));
}

/* s / (s + p) with e^-x = p / s, s = 2^n, n = round(x / ln 2). s of a tiny result is subnormal: it
 * is made from a normal number. */
LLVMValueRef rlxc_llvm_sigmoid(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    const format *row = format_of(f);
    LLVMBuilderRef b = g->b;
    x = at_most(f, at_least(f, x, row->exp_least + 1), row->tanh_most);
    LLVMValueRef shift = num(f, row->shift);
    LLVMValueRef t = add(f, mul(f, x, num(f, LOG2_E)), shift), nf = sub(f, t, shift);
    LLVMValueRef r = sub(f, mul(f, nf, num(f, row->ln2_high)), x);
    r = add(f, r, mul(f, nf, num(f, row->ln2_low)));
    LLVMValueRef exponent_bits = LLVMBuildShl(b, bits(f, t), integer(f, row->mantissa), "");
    LLVMValueRef base =
        LLVMBuildShl(b, integer(f, row->bias + row->scale_exponent), integer(f, row->mantissa), "");
    LLVMValueRef s = from_bits(f, LLVMBuildAdd(b, exponent_bits, base, ""));
    s = LLVMBuildFMul(b, s, num(f, 1 / row->scale), "");
    LLVMValueRef sum = LLVMBuildFAdd(b, exp_reduced(f, r), s, ""); /* the smallest parts first */
    return div_(f, s, add(f, sum, num(f, 1.0)));
}

/* |x| < row->erf_split: x + x P(x^2). Else 1 - T(|x| - centre); beyond row->tail_most erf is 1. T
 * is Q^-4 in float32 and e^Q in float64. */
LLVMValueRef rlxc_llvm_erf(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    const format *row = format_of(f);
    LLVMValueRef a = magnitude(f, x), one = num(f, 1.0);
    LLVMValueRef small = add(f, mul(f, x, sum_of(f, mul(f, x, x), row->erf)), x);
    LLVMValueRef beyond = sub(f, at_most(f, a, row->tail_most), num(f, row->tail_centre));
    LLVMValueRef tail = sum_of(f, beyond, row->erf_tail);
    if (is_double(g, x)) {
        tail = rlxc_llvm_exp_within(f, tail);
    } else {
        for (int i = 0; i < 2; i++)
            tail = mul(f, tail, tail);
        tail = div_(f, one, tail);
    }
    LLVMValueRef big = with_sign(f, sub(f, one, tail), x);
    return pick(f, not_above(f, a, row->erf_split), small, big);
}

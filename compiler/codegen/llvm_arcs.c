/* asin, acos, atan, sinh and cosh of float32, branch-free for every argument, accurate to 2 ulp
 * (tests/compiler/test_tir_math.c). The coefficients interpolate at Chebyshev nodes. */
#include "compiler/codegen/llvm_math.h"

/* pi / 2 and pi, and what rounding them to float32 leaves out. */
#define HALF_PI 0x1.921fb6p0
#define HALF_PI_REST -0x1.777a5cp-25
#define PI 0x1.921fb6p1
#define PI_REST -0x1.777a5cp-24

/* e^SHIFT / 2 is within 5e-10 of the float32 SCALE. */
#define SHIFT 8.4375
#define SCALE 0x1.208ff8p11

static LLVMValueRef above(fp f, LLVMValueRef a, double b)
{
    return LLVMBuildFCmp(f.g->b, LLVMRealOGT, a, num(f, b), "");
}

/* t + t z P(z) */
static LLVMValueRef odd(fp f, LLVMValueRef t, LLVMValueRef z, LLVMValueRef p)
{
    return add(f, mul(f, mul(f, p, z), t), t);
}

/* Beyond 1, pi/2 - atan(1/|x|). */
LLVMValueRef rlxc_llvm_atan(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {-0x1.555554p-2, 0x1.99983ap-3,  -0x1.246cbep-3,
                               0x1.c3f06ep-4,  -0x1.6292c8p-4, 0x1.fff7aap-5,
                               -0x1.25cf6cp-5, 0x1.ba82ccp-7,  -0x1.38c3aap-9};
    fp f = begin(g, x);
    LLVMValueRef a = magnitude(f, x), big = above(f, a, 1.0);
    LLVMValueRef t = pick(f, big, div_(f, num(f, 1.0), a), a);
    LLVMValueRef z = mul(f, t, t), r = odd(f, t, z, POLY(f, z, c));
    LLVMValueRef rest = add(f, sub(f, num(f, HALF_PI_REST), r), num(f, HALF_PI));
    return with_sign(f, pick(f, big, rest, r), x);
}

/* asin(a) of a = |x| up to |*big|; beyond, asin(sqrt((1 - a) / 2)), which is half of acos(a). */
static LLVMValueRef arc(fp f, LLVMValueRef a, LLVMValueRef *big)
{
    static const double c[] = {0x1.55554cp-3, 0x1.33419ep-4, 0x1.6a6e9ap-5,
                               0x1.1b05a4p-5, 0x1.dbc10ap-9, 0x1.ac070ap-5};
    *big = above(f, a, 0.625);
    LLVMValueRef half = mul(f, sub(f, num(f, 1.0), a), num(f, 0.5));
    LLVMValueRef z = pick(f, *big, half, mul(f, a, a));
    LLVMValueRef s = pick(f, *big, rlxc_llvm_intrinsic(f.g, "sqrt", &half, 1), a);
    return odd(f, s, z, POLY(f, z, c));
}

LLVMValueRef rlxc_llvm_asin(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    LLVMValueRef big, r = arc(f, magnitude(f, x), &big);
    LLVMValueRef rest = sub(f, num(f, HALF_PI_REST), mul(f, r, num(f, 2.0)));
    return with_sign(f, pick(f, big, add(f, rest, num(f, HALF_PI)), r), x);
}

LLVMValueRef rlxc_llvm_acos(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    LLVMValueRef big, r = arc(f, magnitude(f, x), &big), negative = less(f, x, 0.0);
    LLVMValueRef high = pick(f, negative, num(f, PI), num(f, 0.0));
    LLVMValueRef low = pick(f, negative, num(f, PI_REST), num(f, 0.0));
    LLVMValueRef turned = pick(f, negative, num(f, 1.0), num(f, -1.0));
    high = pick(f, big, high, num(f, HALF_PI));
    low = pick(f, big, low, num(f, HALF_PI_REST));
    LLVMValueRef times = pick(f, big, mul(f, turned, num(f, -2.0)), turned);
    return add(f, add(f, mul(f, r, times), low), high);
}

/* e^a / 2 + |sign| e^-a / 2. e^a overflows before its half does: there e^(a - SHIFT) times
 * SCALE. */
static LLVMValueRef half_sum(fp f, LLVMValueRef a, double sign)
{
    LLVMValueRef big = above(f, a, 80.0);
    LLVMValueRef e = rlxc_llvm_exp(f.g, pick(f, big, sub(f, a, num(f, SHIFT)), a));
    LLVMValueRef both = add(f, mul(f, e, num(f, 0.5)), div_(f, num(f, 0.5 * sign), e));
    return pick(f, big, LLVMBuildFMul(f.g->b, e, num(f, SCALE), ""), both);
}

LLVMValueRef rlxc_llvm_cosh(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    return half_sum(f, magnitude(f, x), 1.0);
}

LLVMValueRef rlxc_llvm_sinh(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {0x1.555562p-3, 0x1.1103e4p-7, 0x1.a8dc4ap-13};
    fp f = begin(g, x);
    LLVMValueRef a = magnitude(f, x), z = mul(f, a, a);
    LLVMValueRef r = pick(f, less(f, a, 1.0), odd(f, a, z, POLY(f, z, c)), half_sum(f, a, -1.0));
    return with_sign(f, r, x);
}

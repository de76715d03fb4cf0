/* Shorthands for the expansions of functions (llvm_math.c, llvm_trig.c, llvm_arcs.c,
 * llvm_wide.c): |t| is a floating-point type or a vector of one, |ti| the integers of its width.
 * Sums and products may be contracted to fused operations. */
#ifndef RLXC_CODEGEN_LLVM_MATH_H
#define RLXC_CODEGEN_LLVM_MATH_H

#include "compiler/codegen/llvm.h"

typedef struct fp { /* shorthands of one expansion: |t| is float or double, or a vector of them */
    rlxc_llvm *g;
    LLVMTypeRef t, ti;
} fp;

static inline bool is_double(rlxc_llvm *g, LLVMValueRef x)
{
    return rlxc_llvm_like(g->f64, x) == LLVMTypeOf(x);
}

static inline fp begin(rlxc_llvm *g, LLVMValueRef x)
{
    return (fp){g, LLVMTypeOf(x), rlxc_llvm_like(is_double(g, x) ? g->i64 : g->i32, x)};
}

/* llvm_math.c: a constant that LLVM treats like any other value, so that without a free register it
 * becomes a memory operand. Otherwise AVX2 code would broadcast it to a register in every
 * iteration. */
LLVMValueRef rlxc_llvm_held(rlxc_llvm *g, LLVMTypeRef type, double value);

static inline LLVMValueRef num(fp f, double v)
{
    return rlxc_llvm_held(f.g, f.t, v);
}

static inline LLVMValueRef add(fp f, LLVMValueRef a, LLVMValueRef b)
{
    return rlxc_llvm_fast(f.g, LLVMBuildFAdd(f.g->b, a, b, ""), false);
}

static inline LLVMValueRef sub(fp f, LLVMValueRef a, LLVMValueRef b)
{
    return rlxc_llvm_fast(f.g, LLVMBuildFSub(f.g->b, a, b, ""), false);
}

static inline LLVMValueRef mul(fp f, LLVMValueRef a, LLVMValueRef b)
{
    return rlxc_llvm_fast(f.g, LLVMBuildFMul(f.g->b, a, b, ""), false);
}

static inline LLVMValueRef div_(fp f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFDiv(f.g->b, a, b, "");
}

static inline LLVMValueRef less(fp f, LLVMValueRef a, double b)
{
    return LLVMBuildFCmp(f.g->b, LLVMRealOLT, a, num(f, b), "");
}

static inline LLVMValueRef pick(fp f, LLVMValueRef c, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(f.g->b, c, a, b, "");
}

/* x limited to |limit|; NaN stays. */
static inline LLVMValueRef at_most(fp f, LLVMValueRef x, double limit)
{
    LLVMValueRef above = LLVMBuildFCmp(f.g->b, LLVMRealOGT, x, num(f, limit), "");
    return pick(f, above, num(f, limit), x);
}

static inline LLVMValueRef at_least(fp f, LLVMValueRef x, double limit)
{
    return pick(f, less(f, x, limit), num(f, limit), x);
}

/* a < limit, or a is NaN */
static inline LLVMValueRef not_above(fp f, LLVMValueRef a, double limit)
{
    return LLVMBuildFCmp(f.g->b, LLVMRealULT, a, num(f, limit), "");
}

static inline LLVMValueRef bits(fp f, LLVMValueRef x)
{
    return LLVMBuildBitCast(f.g->b, x, f.ti, "");
}

static inline LLVMValueRef from_bits(fp f, LLVMValueRef x)
{
    return LLVMBuildBitCast(f.g->b, x, f.t, "");
}

static inline LLVMValueRef integer(fp f, int64_t v)
{
    return rlxc_llvm_int(f.g, f.ti, v);
}

static inline LLVMValueRef magnitude(fp f, LLVMValueRef x)
{
    return rlxc_llvm_intrinsic(f.g, "fabs", &x, 1);
}

static inline LLVMValueRef with_sign(fp f, LLVMValueRef x, LLVMValueRef sign)
{
    LLVMValueRef args[2] = {x, sign};
    return rlxc_llvm_intrinsic(f.g, "copysign", args, 2);
}

/* c[0] + c[1] x + ... by Horner's rule */
static inline LLVMValueRef poly(fp f, LLVMValueRef x, const double *c, uint32_t n)
{
    LLVMValueRef r = num(f, c[n - 1]);
    for (uint32_t i = n - 1; i-- > 0;)
        r = add(f, mul(f, r, x), num(f, c[i]));
    return r;
}

/* The same sum by Horner's rule in |x2| = x^2 over pairs of terms: half the latency, a little more
 * rounding. */
static inline LLVMValueRef poly_pairs(fp f, LLVMValueRef x, LLVMValueRef x2, const double *c,
                                      uint32_t n)
{
    LLVMValueRef r = NULL;
    for (uint32_t i = (n - 1) / 2 * 2;; i -= 2) {
        LLVMValueRef pair = poly(f, x, c + i, i + 1 < n ? 2 : 1);
        r = r ? add(f, mul(f, r, x2), pair) : pair;
        if (i == 0)
            return r;
    }
}
#define POLY(f, x, c) poly(f, x, c, sizeof(c) / sizeof *(c))

/* llvm_math.c: e^x for -80 < x < 80; the result for NaN is arbitrary. */
LLVMValueRef rlxc_llvm_exp_within(fp f, LLVMValueRef x);

#endif

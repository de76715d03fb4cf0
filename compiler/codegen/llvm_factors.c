/* Factors of activations in float32: the weight of gelu and the sigmoid of silu. As factors they
 * need fewer operations than erf and sigmoid alone (tests/compiler/test_tir_factors.c). */
#include "compiler/codegen/llvm_math.h"

#include <string.h>

/* sigmoid(x) of float32: within 3 ulp for |x| < 80; beyond, 0 or 1, so that a product
 * with x, however large, is what it should be. */
static LLVMValueRef gate(rlxc_llvm *g, LLVMValueRef x)
{
    fp f = begin(g, x);
    LLVMValueRef a = magnitude(f, x), one = num(f, 1.0);
    LLVMValueRef e = rlxc_llvm_exp_within(f, LLVMBuildFNeg(g->b, a, ""));
    e = pick(f, less(f, a, 80.0), e, num(f, 0.0));
    LLVMValueRef r = div_(f, pick(f, less(f, x, 0.0), e, one), add(f, e, one));
    return pick(f, LLVMBuildFCmp(g->b, LLVMRealUNO, x, x, ""), x, r);
}

/* The polynomial of degree 8 with these coefficients, by pairs (G. Estrin, 1960): its longest chain
 * of operations is half as long as Horner's. */
static LLVMValueRef by_pairs(fp f, LLVMValueRef x, const double c[9])
{
    LLVMValueRef pairs[4], x2 = mul(f, x, x), x4 = mul(f, x2, x2);
    for (uint32_t i = 0; i < 4; i++)
        pairs[i] = add(f, mul(f, num(f, c[2 * i + 1]), x), num(f, c[2 * i]));
    LLVMValueRef low = add(f, mul(f, pairs[1], x2), pairs[0]);
    LLVMValueRef high = add(f, mul(f, pairs[3], x2), pairs[2]);
    high = add(f, mul(f, num(f, c[8]), x4), high);
    return add(f, mul(f, high, x4), low);
}

/* Of float32: 2^x for -100 < x < 100. Adding the shift rounds x to n and leaves n and the bias in
 * the low bits. 0 where |keeps| is false; NaN stays. */
static LLVMValueRef power_of_two(fp f, LLVMValueRef x, LLVMValueRef keeps)
{
    static const double c[] = {0x1.62e430p-1, 0x1.ebfbcep-3,  0x1.c6aedcp-5,
                               0x1.3b2d48p-7, 0x1.5f3e3ep-10, 0x1.41fbb2p-13};
    LLVMValueRef shift = num(f, 0x1.8p23 + 127), t = add(f, x, shift);
    LLVMValueRef r = sub(f, x, sub(f, t, shift)), r2 = mul(f, r, r);
    LLVMValueRef p = poly_pairs(f, r, r2, c, sizeof c / sizeof *c);
    LLVMValueRef scale = from_bits(f, LLVMBuildShl(f.g->b, bits(f, t), integer(f, 23), ""));
    return mul(f, add(f, mul(f, p, r), num(f, 1.0)), pick(f, keeps, scale, num(f, 0.0)));
}

/* Of float32. (1 + erf x) / 2: 2^Q(|x|) below zero, 1 - 2^Q(x) above, where Q approximates log2
 * (erfc / 2) so that the error is at most 1.2e-7 in all; small results keep their leading digits,
 * which the sum would lose. Below -5.5 it is 0: gelu multiplies it with x, however large. What
 * takes time is the chain of operations that wait for each other, so it is kept short. */
static LLVMValueRef half_erf(rlxc_llvm *g, LLVMValueRef x)
{
    static const double c[] = {-1.0,           -0x1.a0be9cp+0,  -0x1.d63a9ap-1,  -0x1.3018bcp-3,
                               0x1.cf0764p-6,  -0x1.9a8fccp-11, -0x1.852c9ap-10, 0x1.d1ce0ap-12,
                               -0x1.7b82aap-15};
    fp f = begin(g, x);
    LLVMValueRef a = magnitude(f, x);
    LLVMValueRef tail = power_of_two(f, by_pairs(f, at_most(f, a, 5.5), c), not_above(f, a, 5.5));
    LLVMValueRef negative = LLVMBuildICmp(g->b, LLVMIntSLT, bits(f, x), integer(f, 0), "");
    return pick(f, negative, tail, sub(f, num(f, 1.0), tail));
}

static bool is_half(const rlxc_expr *e)
{
    e = e->kind == RLXC_EXPR_BROADCAST ? e->ramp.base : e;
    return e->kind == RLXC_EXPR_FLOAT && e->f == 0.5;
}

/* x if |e| is 0.5 + 0.5 * erf(x) in float32, the weight of gelu; else NULL. */
static const rlxc_expr *half_erf_argument(const rlxc_expr *e)
{
    if (e->kind != RLXC_EXPR_ADD || e->dtype.code != RLX_FLOAT || e->dtype.bits != 32)
        return NULL;
    const rlxc_expr *product = is_half(e->bin.a) ? e->bin.b : is_half(e->bin.b) ? e->bin.a : NULL;
    if (!product || product->kind != RLXC_EXPR_MUL)
        return NULL;
    const rlxc_expr *a = product->bin.a, *b = product->bin.b;
    const rlxc_expr *erf = is_half(a) ? b : is_half(b) ? a : NULL;
    return erf && erf->kind == RLXC_EXPR_CALL && erf->call.n == 1 &&
                   strcmp(erf->call.name, "erf") == 0
               ? erf->call.args[0]
               : NULL;
}

LLVMValueRef rlxc_llvm_gelu_weight(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_expr *x = half_erf_argument(e);
    return x ? half_erf(g, rlxc_llvm_expr(g, x)) : NULL;
}

static bool is_sigmoid(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_CALL && e->call.n == 1 && e->dtype.code == RLX_FLOAT &&
           e->dtype.bits == 32 && strcmp(e->call.name, "sigmoid") == 0;
}

LLVMValueRef rlxc_llvm_operand(rlxc_llvm *g, const rlxc_expr *product, const rlxc_expr *e)
{
    return product->kind == RLXC_EXPR_MUL && is_sigmoid(e)
               ? gate(g, rlxc_llvm_expr(g, e->call.args[0]))
               : rlxc_llvm_expr(g, e);
}

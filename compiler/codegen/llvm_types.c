/* Types and conversions of values: TIR dtype <-> LLVM type, memory form <-> register form.
 *
 * float16 and bfloat16 live in registers as float. Their conversions are integer arithmetic where
 * the target has no instruction, because compiler runtime functions (__truncsfhf2) are not linked:
 * kernels depend on libm alone. */
#include "compiler/codegen/llvm.h"

#include <math.h>

static LLVMTypeRef with_lanes(LLVMTypeRef type, uint32_t lanes)
{
    return lanes > 1 ? LLVMVectorType(type, lanes) : type;
}

static LLVMTypeRef int_type(rlxc_llvm *g, uint32_t bits)
{
    return bits == 8 ? g->i8 : bits == 16 ? g->i16 : bits == 32 ? g->i32 : g->i64;
}

static bool is_short_float(rlx_dtype t)
{
    return t.code == RLX_BFLOAT || (t.code == RLX_FLOAT && t.bits == 16);
}

LLVMTypeRef rlxc_llvm_type(rlxc_llvm *g, rlx_dtype t)
{
    uint32_t lanes = t.lanes;
    if (rlxc_dtype_is_handle(t))
        return g->ptr;
    if (rlxc_dtype_is_bool(t))
        return with_lanes(g->i1, lanes);
    if (rlxc_dtype_is_float(t))
        return with_lanes(t.code == RLX_FLOAT && t.bits == 64 ? g->f64 : g->f32, lanes);
    return with_lanes(int_type(g, t.bits), lanes);
}

LLVMTypeRef rlxc_llvm_memory(rlxc_llvm *g, rlx_dtype t)
{
    if (rlxc_dtype_is_bool(t))
        return g->i8;
    if (is_short_float(t))
        return g->i16;
    t.lanes = 1;
    return rlxc_llvm_type(g, t);
}

uint32_t rlxc_llvm_lanes(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef rlxc_llvm_like(LLVMTypeRef element, LLVMValueRef like)
{
    return with_lanes(element, rlxc_llvm_lanes(like));
}

LLVMValueRef rlxc_llvm_splat(rlxc_llvm *g, LLVMValueRef value, uint32_t lanes)
{
    if (lanes <= 1 || rlxc_llvm_lanes(value) > 1)
        return value; /* vectors of different lengths: the caller's type check tells */
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), lanes);
    LLVMValueRef none = LLVMGetPoison(type);
    LLVMValueRef first =
        LLVMBuildInsertElement(g->b, none, value, LLVMConstInt(g->i32, 0, false), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(g->i32, lanes));
    return LLVMBuildShuffleVector(g->b, first, none, zeros, "");
}

void rlxc_llvm_unify(rlxc_llvm *g, LLVMValueRef *a, LLVMValueRef *b)
{
    uint32_t la = rlxc_llvm_lanes(*a), lb = rlxc_llvm_lanes(*b);
    if (la < lb)
        *a = rlxc_llvm_splat(g, *a, lb);
    else if (lb < la)
        *b = rlxc_llvm_splat(g, *b, la);
}

static LLVMValueRef const_splat(LLVMValueRef scalar, uint32_t lanes)
{
    LLVMValueRef items[RLXC_MAX_LANES];
    for (uint32_t i = 0; i < lanes && i < RLXC_MAX_LANES; i++)
        items[i] = scalar;
    return LLVMConstVector(items, lanes < RLXC_MAX_LANES ? lanes : RLXC_MAX_LANES);
}

LLVMValueRef rlxc_llvm_int(rlxc_llvm *g, LLVMTypeRef type, int64_t value)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return const_splat(rlxc_llvm_int(g, LLVMGetElementType(type), value),
                           LLVMGetVectorSize(type));
    return LLVMConstInt(type, (uint64_t)value, false);
}

LLVMValueRef rlxc_llvm_float(LLVMTypeRef type, double value)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return const_splat(rlxc_llvm_float(LLVMGetElementType(type), value),
                           LLVMGetVectorSize(type));
    return LLVMConstReal(type, value);
}

/* --- short floats ---------------------------------------------------------------------------- */

/* bits of a float as i32 of the same lanes */
static LLVMValueRef as_i32(rlxc_llvm *g, LLVMValueRef value)
{
    return LLVMBuildBitCast(g->b, value, rlxc_llvm_like(g->i32, value), "");
}

static LLVMValueRef as_f32(rlxc_llvm *g, LLVMValueRef value)
{
    return LLVMBuildBitCast(g->b, value, rlxc_llvm_like(g->f32, value), "");
}

#define I32(v) rlxc_llvm_int(g, t32, (int64_t)(v))

/* float -> the upper 16 bits, rounded half to even; NaN stays NaN */
static LLVMValueRef bf16_bits(rlxc_llvm *g, LLVMValueRef value)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t32 = rlxc_llvm_like(g->i32, value);
    LLVMValueRef bits = as_i32(g, value);
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, I32(16), ""), I32(1), "");
    LLVMValueRef rounded = LLVMBuildAdd(b, bits, LLVMBuildAdd(b, odd, I32(0x7fff), ""), "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
    LLVMValueRef quiet = LLVMBuildOr(b, bits, I32(0x400000), "");
    LLVMValueRef chosen = LLVMBuildSelect(b, is_nan, quiet, rounded, "");
    return LLVMBuildLShr(b, chosen, I32(16), "");
}

/* float -> float16 bits in an i32, for targets without the instruction. Values whose result is
 * subnormal are rounded by adding 0.5, which aligns their last bit with float16's. */
static LLVMValueRef f16_bits_soft(rlxc_llvm *g, LLVMValueRef value)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t32 = rlxc_llvm_like(g->i32, value);
    LLVMValueRef bits = as_i32(g, value);
    LLVMValueRef sign = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, I32(16), ""), I32(0x8000), "");
    LLVMValueRef mag = LLVMBuildAnd(b, bits, I32(0x7fffffff), "");
    LLVMValueRef half = rlxc_llvm_float(LLVMTypeOf(value), 0.5);
    LLVMValueRef tiny_sum = LLVMBuildFAdd(b, as_f32(g, mag), half, "");
    LLVMValueRef tiny = LLVMBuildSub(b, as_i32(g, tiny_sum), I32(0x3f000000), "");
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, mag, I32(13), ""), I32(1), "");
    LLVMValueRef biased = LLVMBuildAdd(b, mag, I32((int32_t)0xc8000fffu), "");
    LLVMValueRef normal = LLVMBuildLShr(b, LLVMBuildAdd(b, biased, odd, ""), I32(13), "");
    LLVMValueRef is_tiny = LLVMBuildICmp(b, LLVMIntULT, mag, I32(0x38800000), "");
    LLVMValueRef is_big = LLVMBuildICmp(b, LLVMIntUGE, mag, I32(0x477ff000), "");
    LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, mag, I32(0x7f800000), "");
    LLVMValueRef r = LLVMBuildSelect(b, is_tiny, tiny, normal, "");
    r = LLVMBuildSelect(b, is_big, I32(0x7c00), r, "");
    r = LLVMBuildSelect(b, is_nan, I32(0x7e00), r, "");
    return LLVMBuildOr(b, r, sign, "");
}

/* float16 bits in an i32 -> float. Shifting the bits to float's place and multiplying by 2^112
 * moves the exponent and renormalises subnormals at once. */
static LLVMValueRef f16_value_soft(rlxc_llvm *g, LLVMValueRef bits)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t32 = LLVMTypeOf(bits);
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildAnd(b, bits, I32(0x8000), ""), I32(16), "");
    LLVMValueRef mag = LLVMBuildAnd(b, bits, I32(0x7fff), "");
    LLVMValueRef shifted = as_f32(g, LLVMBuildShl(b, mag, I32(13), ""));
    LLVMValueRef scale = rlxc_llvm_float(LLVMTypeOf(shifted), 0x1p112);
    LLVMValueRef finite = as_i32(g, LLVMBuildFMul(b, shifted, scale, ""));
    LLVMValueRef special = LLVMBuildOr(b, LLVMBuildShl(b, mag, I32(13), ""), I32(0x7f800000), "");
    LLVMValueRef is_special = LLVMBuildICmp(b, LLVMIntUGE, mag, I32(0x7c00), "");
    LLVMValueRef r = LLVMBuildSelect(b, is_special, special, finite, "");
    return as_f32(g, LLVMBuildOr(b, r, sign, ""));
}

LLVMValueRef rlxc_llvm_from_memory(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t)
{
    LLVMBuilderRef b = g->b;
    if (rlxc_dtype_is_bool(t))
        return LLVMBuildICmp(b, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
    if (!is_short_float(t))
        return value;
    if (t.code == RLX_FLOAT && g->has_f16c) {
        LLVMValueRef h = LLVMBuildBitCast(b, value, rlxc_llvm_like(g->half, value), "");
        return LLVMBuildFPExt(b, h, rlxc_llvm_like(g->f32, value), "");
    }
    LLVMTypeRef t32 = rlxc_llvm_like(g->i32, value);
    LLVMValueRef bits = LLVMBuildZExt(b, value, t32, "");
    if (t.code == RLX_BFLOAT)
        return as_f32(g, LLVMBuildShl(b, bits, I32(16), ""));
    return f16_value_soft(g, bits);
}

LLVMValueRef rlxc_llvm_to_memory(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t)
{
    LLVMBuilderRef b = g->b;
    if (rlxc_dtype_is_bool(t))
        return LLVMBuildZExt(b, value, rlxc_llvm_like(g->i8, value), "");
    if (!is_short_float(t))
        return value;
    LLVMTypeRef t16 = rlxc_llvm_like(g->i16, value);
    if (t.code == RLX_FLOAT && g->has_f16c) {
        LLVMValueRef h = LLVMBuildFPTrunc(b, value, rlxc_llvm_like(g->half, value), "");
        return LLVMBuildBitCast(b, h, t16, "");
    }
    LLVMValueRef bits = t.code == RLX_BFLOAT ? bf16_bits(g, value) : f16_bits_soft(g, value);
    return LLVMBuildTrunc(b, bits, t16, "");
}
#undef I32

LLVMValueRef rlxc_llvm_round(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t)
{
    if (!is_short_float(t))
        return value;
    return rlxc_llvm_from_memory(g, rlxc_llvm_to_memory(g, value, t), t);
}

/* --- casts ----------------------------------------------------------------------------------- */

/* To 8 or 16 bits, whose limits every float32 holds: the value is limited first, which takes two
 * instructions where the comparisons of others take six. NaN becomes the lower limit; for signed
 * types that is not 0. */
static LLVMValueRef float_to_narrow(rlxc_llvm *g, LLVMValueRef value, rlx_dtype to,
                                    LLVMTypeRef type)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef from = LLVMTypeOf(value);
    const rlxc_bound range = rlxc_type_range(to);
    LLVMValueRef low = rlxc_llvm_float(from, (double)range.min);
    LLVMValueRef high = rlxc_llvm_float(from, (double)range.max), limited = value;
    LLVMValueRef more = LLVMBuildFCmp(b, LLVMRealOGT, limited, low, "");
    limited = LLVMBuildSelect(b, more, limited, low, "");
    LLVMValueRef less = LLVMBuildFCmp(b, LLVMRealOLT, limited, high, "");
    limited = LLVMBuildSelect(b, less, limited, high, "");
    LLVMValueRef wide = LLVMBuildFPToSI(b, limited, rlxc_llvm_like(g->i32, value), "");
    LLVMValueRef result = LLVMBuildTrunc(b, wide, type, "");
    if (range.min == 0)
        return result;
    LLVMValueRef is_number = LLVMBuildFCmp(b, LLVMRealORD, value, value, "");
    return LLVMBuildSelect(b, is_number, result, LLVMConstNull(type), "");
}

/* Out of range saturates, so that no input makes an undefined value. NaN gives the least number of
 * a signed type, which is no index (x86-64's conversion gives it, too), and 0 of an unsigned or
 * narrow one. As comparisons, not llvm.fptosi.sat, which takes vectors apart. */
static LLVMValueRef float_to_int(rlxc_llvm *g, LLVMValueRef value, rlx_dtype to, LLVMTypeRef type)
{
    LLVMBuilderRef b = g->b;
    bool is_signed = to.code == RLX_INT;
    if (to.bits == 8 || to.bits == 16)
        return float_to_narrow(g, value, to, type);
    LLVMTypeRef from = LLVMTypeOf(value);
    uint64_t ones = UINT64_MAX >> (64 - to.bits), top = is_signed ? ones >> 1 : ones;
    double limit = ldexp(1, is_signed ? to.bits - 1 : to.bits);
    LLVMValueRef least = rlxc_llvm_float(from, is_signed ? -limit : 0);
    LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGE, value, rlxc_llvm_float(from, limit), "");
    LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealULT, value, least, ""); /* or NaN */
    LLVMValueRef none = LLVMConstNull(from), outside = LLVMBuildOr(b, above, below, "");
    LLVMValueRef inside = LLVMBuildSelect(b, outside, none, value, "");
    LLVMValueRef result =
        is_signed ? LLVMBuildFPToSI(b, inside, type, "") : LLVMBuildFPToUI(b, inside, type, "");
    result = LLVMBuildSelect(b, above, rlxc_llvm_int(g, type, (int64_t)top), result, "");
    if (!is_signed)
        return result;
    return LLVMBuildSelect(b, below, rlxc_llvm_int(g, type, (int64_t)~top), result, "");
}

LLVMValueRef rlxc_llvm_cast(rlxc_llvm *g, LLVMValueRef value, rlx_dtype from, rlx_dtype to)
{
    LLVMBuilderRef b = g->b;
    rlx_dtype one = to;
    one.lanes = 1;
    if (rlxc_dtype_is_handle(from) || rlxc_dtype_is_handle(to))
        return value;
    LLVMTypeRef type = rlxc_llvm_like(rlxc_llvm_type(g, one), value);
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(value));
    bool from_float = rlxc_dtype_is_float(from), to_float = rlxc_dtype_is_float(to);
    if (rlxc_dtype_is_bool(to)) {
        if (rlxc_dtype_is_bool(from))
            return value;
        return from_float ? LLVMBuildFCmp(b, LLVMRealUNE, value, zero, "")
                          : LLVMBuildICmp(b, LLVMIntNE, value, zero, "");
    }
    bool from_signed = from.code == RLX_INT;
    if (!from_float && !to_float)
        return LLVMBuildIntCast2(b, value, type, from_signed, "");
    if (!from_float) {
        LLVMValueRef r =
            from_signed ? LLVMBuildSIToFP(b, value, type, "") : LLVMBuildUIToFP(b, value, type, "");
        return rlxc_llvm_round(g, r, to);
    }
    if (!to_float)
        return float_to_int(g, value, one, type);
    LLVMValueRef r = LLVMBuildFPCast(b, value, type, "");
    return rlxc_llvm_round(g, r, to);
}

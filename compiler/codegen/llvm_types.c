/* Types and conversions of values: TIR dtype <-> LLVM type, memory form <-> register form.
 *
 * Floats of 16 bits live in registers as float, those of 8 bits as they are (llvm_floats.c). */
#include "compiler/codegen/llvm.h"

#include <math.h>

static LLVMTypeRef with_lanes(LLVMTypeRef type, uint32_t lanes)
{
    return lanes > 1 ? LLVMVectorType(type, lanes) : type;
}

static LLVMTypeRef int_type(rlxc_llvm *g, uint32_t bits)
{
    return bits == 8    ? g->i8
           : bits == 16 ? g->i16
           : bits == 32 ? g->i32
           : bits == 64 ? g->i64
                        : LLVMIntTypeInContext(g->lc, bits);
}

LLVMTypeRef rlxc_llvm_type(rlxc_llvm *g, rlx_dtype t)
{
    uint32_t lanes = t.lanes;
    if (rlxc_dtype_is_handle(t))
        return g->ptr;
    if (rlxc_dtype_is_bool(t))
        return with_lanes(g->i1, lanes);
    if (rlxc_dtype_is_float(t) && t.bits > 8)
        return with_lanes(t.code == RLX_FLOAT && t.bits == 64 ? g->f64 : g->f32, lanes);
    return with_lanes(int_type(g, t.bits), lanes);
}

LLVMTypeRef rlxc_llvm_memory(rlxc_llvm *g, rlx_dtype t)
{
    if (rlxc_dtype_is_bool(t))
        return g->i8;
    if (rlxc_is_short_float(t))
        return int_type(g, t.bits);
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
        return value; /* vectors of different lengths: the caller's type check reports it */
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

/* --- casts ----------------------------------------------------------------------------------- */

/* Out-of-range values saturate, so that no input makes an undefined value. NaN gives the smallest
 * number of a signed type, which is never a valid index (as x86-64's conversion does), and 0 for an
 * unsigned or narrow one. Uses comparisons, because llvm.fptosi.sat scalarizes vectors. */
static LLVMValueRef float_to_int(rlxc_llvm *g, LLVMValueRef value, rlx_dtype to, LLVMTypeRef type)
{
    LLVMBuilderRef b = g->b;
    bool is_signed = to.code == RLX_INT;
    if (to.bits <= 16)
        return rlxc_llvm_to_narrow(g, value, to, type);
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
    if (rlxc_dtype_is_handle(from) || rlxc_dtype_is_handle(to) ||
        (rlxc_dtype_is_float(to) && to.bits == 8 && to.code == from.code))
        return value;
    value = rlxc_llvm_number(g, value, from);
    if (rlxc_dtype_is_float(one) && one.bits == 8)
        one = RLX_F32; /* rounded later */
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
    if (from.bits == 64 && to.bits < 32)
        return rlxc_llvm_round(g, rlxc_llvm_to_odd(g, value), to);
    LLVMValueRef r = LLVMBuildFPCast(b, value, type, "");
    return rlxc_llvm_round(g, r, to);
}

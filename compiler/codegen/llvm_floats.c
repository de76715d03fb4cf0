/* Floats of 8 and 16 bits: their bits <-> a float with the exact value.
 *
 * In registers, 16-bit floats are such a float; 8-bit floats, which are mostly moved, keep their
 * bits and become a float when computed with or converted. The conversions are integer arithmetic
 * by the format's parameters (rlx/floats.h) where the target has no instruction, because compiler
 * runtime functions (__truncsfhf2) are not linked: kernels depend on libm alone. They have no
 * branches, so that loops over them become vectors. */
#include "compiler/codegen/llvm.h"

#include <string.h>

#include "rlx/floats.h"

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

/* The code of infinity or, if the format has none, the code after the largest finite number. */
static int64_t beyond(const rlx_float_format *f)
{
    return (int64_t)rlx_float_largest(RLX_DTYPE(f->code, f->bits)) + 1;
}

/* float -> the bits of |f|, whose exponent is shorter than float's, in an i32. Subnormal results
 * are rounded by adding a power of two that aligns the last bit with the format's. */
static LLVMValueRef encode(rlxc_llvm *g, LLVMValueRef value, const rlx_float_format *f)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t32 = rlxc_llvm_like(g->i32, value);
    const int shift = 23 - f->mantissa;
    const int64_t align = (int64_t)(127 + 24 - f->bias - f->mantissa) << 23;
    LLVMValueRef bits = as_i32(g, value);
    LLVMValueRef mag = LLVMBuildAnd(b, bits, I32(0x7fffffff), "");
    LLVMValueRef tiny_sum = LLVMBuildFAdd(b, as_f32(g, mag), as_f32(g, I32(align)), "");
    LLVMValueRef tiny = LLVMBuildSub(b, as_i32(g, tiny_sum), I32(align), "");
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, mag, I32(shift), ""), I32(1), "");
    const int64_t rebias = ((int64_t)f->bias - 127) * (1 << 23) + (1 << (shift - 1)) - 1;
    LLVMValueRef biased = LLVMBuildAdd(b, mag, I32(rebias), "");
    LLVMValueRef normal = LLVMBuildLShr(b, LLVMBuildAdd(b, biased, odd, ""), I32(shift), "");
    LLVMValueRef is_tiny =
        LLVMBuildICmp(b, LLVMIntULT, mag, I32((int64_t)(128 - f->bias) << 23), "");
    LLVMValueRef r = LLVMBuildSelect(b, is_tiny, tiny, normal, "");
    LLVMValueRef is_big = LLVMBuildICmp(b, LLVMIntUGT, r, I32(beyond(f)), "");
    r = LLVMBuildSelect(b, is_big, I32(beyond(f)), r, "");
    if (f->kind == RLX_FLOAT_IEEE) { /* else the code after the largest is NaN's */
        LLVMValueRef is_nan = LLVMBuildICmp(b, LLVMIntUGT, mag, I32(0x7f800000), "");
        r = LLVMBuildSelect(b, is_nan, I32(beyond(f) | 1 << (f->mantissa - 1)), r, "");
    }
    LLVMValueRef sign =
        LLVMBuildAnd(b, LLVMBuildLShr(b, bits, I32(32 - f->bits), ""), I32(1 << (f->bits - 1)), "");
    if (f->kind == RLX_FLOAT_FNUZ) /* no -0 */
        sign = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, r, I32(0), ""), I32(0), sign, "");
    return LLVMBuildOr(b, r, sign, "");
}

/* The bits of |f|, sign-extended to i32 -> float. Shifting them to float's place and multiplying by
 * a power of two moves the exponent and renormalises subnormals at once. */
static LLVMValueRef decode(rlxc_llvm *g, LLVMValueRef bits, const rlx_float_format *f)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t32 = LLVMTypeOf(bits);
    const int shift = 23 - f->mantissa;
    const int64_t magnitude = ((int64_t)1 << (f->bits - 1)) - 1, top = beyond(f) << shift;
    LLVMValueRef placed = LLVMBuildShl(b, bits, I32(shift), "");
    LLVMValueRef mag = LLVMBuildAnd(b, placed, I32(magnitude << shift), "");
    placed = LLVMBuildAnd(b, placed, I32(magnitude << shift | INT64_C(0x80000000)), "");
    LLVMValueRef scale = as_f32(g, I32((int64_t)(254 - f->bias) << 23));
    LLVMValueRef finite = as_i32(g, LLVMBuildFMul(b, as_f32(g, placed), scale, ""));
    LLVMValueRef special =
        f->kind == RLX_FLOAT_IEEE ? LLVMBuildOr(b, placed, I32(0x7f800000), "") : I32(0x7fc00000);
    LLVMValueRef is_special =
        f->kind == RLX_FLOAT_IEEE ? LLVMBuildICmp(b, LLVMIntUGE, mag, I32(top), "")
        : f->kind == RLX_FLOAT_FN ? LLVMBuildICmp(b, LLVMIntEQ, mag, I32(top), "")
                                  : LLVMBuildICmp(b, LLVMIntEQ, placed, I32(0x80000000), "");
    return as_f32(g, LLVMBuildSelect(b, is_special, special, finite, ""));
}

/* Whether the target converts float16 by an instruction. */
static bool has_half(const rlxc_llvm *g)
{
    return g->launch || rlxc_target_has_feature(g->target, "f16c");
}

static LLVMValueRef from_half(rlxc_llvm *g, LLVMValueRef bits)
{
    LLVMValueRef h = LLVMBuildBitCast(g->b, bits, rlxc_llvm_like(g->half, bits), "");
    return LLVMBuildFPExt(g->b, h, rlxc_llvm_like(g->f32, bits), "");
}

LLVMValueRef rlxc_llvm_number(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t)
{
    LLVMBuilderRef b = g->b;
    if (!rlxc_dtype_is_float8(t))
        return value;
    if (has_half(g) && t.code == RLX_FLOAT8_E5M2) { /* the upper half of a float16 */
        LLVMTypeRef t16 = rlxc_llvm_like(g->i16, value);
        value = LLVMBuildZExt(b, value, t16, "");
        return from_half(g, LLVMBuildShl(b, value, rlxc_llvm_int(g, t16, 8), ""));
    }
    LLVMTypeRef t32 = rlxc_llvm_like(g->i32, value);
    return decode(g, LLVMBuildSExt(b, value, t32, ""), rlx_float_format_of(t));
}

LLVMValueRef rlxc_llvm_from_memory(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t)
{
    LLVMBuilderRef b = g->b;
    if (rlxc_dtype_is_bool(t))
        return LLVMBuildICmp(b, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
    if (!rlxc_is_short_float(t))
        return value;
    LLVMTypeRef t32 = rlxc_llvm_like(g->i32, value);
    if (t.code == RLX_BFLOAT)
        return as_f32(g, LLVMBuildShl(b, LLVMBuildZExt(b, value, t32, ""), I32(16), ""));
    if (has_half(g))
        return from_half(g, value);
    return decode(g, LLVMBuildSExt(b, value, t32, ""), rlx_float_format_of(t));
}

static LLVMValueRef operand_of(LLVMValueRef value, LLVMOpcode op)
{
    return value && LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == op
               ? LLVMGetOperand(value, 0)
               : NULL;
}

/* The bits of the bfloat16 that rlxc_llvm_from_memory made |value| of, which need no rounding; or
 * NULL. */
static LLVMValueRef moved_bits(rlxc_llvm *g, LLVMValueRef value)
{
    LLVMValueRef shift = operand_of(value, LLVMBitCast), wide = operand_of(shift, LLVMShl);
    return wide && LLVMGetOperand(shift, 1) == rlxc_llvm_int(g, LLVMTypeOf(wide), 16)
               ? operand_of(wide, LLVMZExt)
               : NULL;
}

LLVMValueRef rlxc_llvm_to_memory(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t)
{
    LLVMBuilderRef b = g->b;
    if (rlxc_dtype_is_bool(t))
        return LLVMBuildZExt(b, value, rlxc_llvm_like(g->i8, value), "");
    if (!rlxc_is_short_float(t))
        return value;
    LLVMTypeRef to = rlxc_llvm_like(g->i16, value);
    LLVMValueRef moved = t.code == RLX_BFLOAT ? moved_bits(g, value) : NULL;
    if (moved && LLVMTypeOf(moved) == to)
        return moved;
    if (t.code == RLX_FLOAT ? has_half(g) : g->launch != NULL) {
        LLVMTypeRef half = t.code == RLX_FLOAT ? g->half : LLVMBFloatTypeInContext(g->lc);
        LLVMValueRef h = LLVMBuildFPTrunc(b, value, rlxc_llvm_like(half, value), "");
        return LLVMBuildBitCast(b, h, to, "");
    }
    LLVMValueRef bits =
        t.code == RLX_BFLOAT ? bf16_bits(g, value) : encode(g, value, rlx_float_format_of(t));
    return LLVMBuildTrunc(b, bits, to, "");
}

LLVMValueRef rlxc_llvm_to_odd(rlxc_llvm *g, LLVMValueRef value)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t32 = rlxc_llvm_like(g->i32, value), t64 = LLVMTypeOf(value);
    LLVMValueRef near = LLVMBuildFPTrunc(b, value, rlxc_llvm_like(g->f32, value), "");
    LLVMValueRef back = LLVMBuildFPExt(b, near, t64, "");
    LLVMValueRef size = rlxc_llvm_intrinsic(g, "fabs", &value, 1);
    LLVMValueRef back_size = rlxc_llvm_intrinsic(g, "fabs", &back, 1);
    LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, back_size, size, "");
    LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealUNE, back, value, "");
    LLVMValueRef bits = LLVMBuildSub(b, as_i32(g, near), LLVMBuildZExt(b, above, t32, ""), "");
    return as_f32(g, LLVMBuildOr(b, bits, LLVMBuildZExt(b, inexact, t32, ""), ""));
}
#undef I32

LLVMValueRef rlxc_llvm_round(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t)
{
    if (rlxc_dtype_is_float8(t))
        return LLVMBuildTrunc(g->b, encode(g, value, rlx_float_format_of(t)),
                              rlxc_llvm_like(g->i8, value), "");
    if (!rlxc_is_short_float(t))
        return value;
    return rlxc_llvm_from_memory(g, rlxc_llvm_to_memory(g, value, t), t);
}

/* --- operations that LLVM narrows --------------------------------------------------------------
 */

static bool is_short_float_type(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

/* Operand |i| of |of| as a float. */
static LLVMValueRef widened(LLVMBuilderRef b, LLVMTypeRef f32, LLVMValueRef of, unsigned i)
{
    LLVMValueRef value = LLVMGetOperand(of, i);
    LLVMTypeRef type = LLVMTypeOf(value);
    const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    return LLVMBuildFPExt(b, value, vector ? LLVMVectorType(f32, LLVMGetVectorSize(type)) : f32,
                          "");
}

static void widen_compare(LLVMBuilderRef b, LLVMTypeRef f32, LLVMValueRef compare)
{
    LLVMPositionBuilderBefore(b, compare);
    LLVMValueRef x = widened(b, f32, compare, 0), y = widened(b, f32, compare, 1);
    LLVMReplaceAllUsesWith(compare, LLVMBuildFCmp(b, LLVMGetFCmpPredicate(compare), x, y, ""));
    LLVMInstructionEraseFromParent(compare);
}

/* |call| of an intrinsic whose results are 16-bit floats if its operands are, so that they are
 * exact as floats, too. */
static void widen_call(LLVMModuleRef module, LLVMBuilderRef b, LLVMTypeRef f32, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(b, call);
    const unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef args[2];
    for (unsigned i = 0; i < n; i++)
        args[i] = widened(b, f32, call, i);
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    const unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(module, id, &type, 1);
    LLVMValueRef wide = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args, n, "");
    LLVMSetFastMathFlags(wide, LLVMGetFastMathFlags(call));
    LLVMValueRef narrow = LLVMBuildFPTrunc(b, wide, LLVMTypeOf(call), "");
    LLVMReplaceAllUsesWith(call, narrow);
    LLVMInstructionEraseFromParent(call);
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(narrow); use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsAFPExtInst(user) && LLVMTypeOf(user) == type)
            LLVMReplaceAllUsesWith(user, wide);
    }
}

static bool is_exact_call(LLVMValueRef i)
{
    static const char *const names[] = {"llvm.minimum", "llvm.maximum", "llvm.floor",
                                        "llvm.ceil",    "llvm.trunc",   "llvm.nearbyint",
                                        "llvm.rint",    "llvm.round",   "llvm.roundeven"};
    if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
        return false;
    const unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(i));
    for (size_t k = 0; id && k < sizeof names / sizeof *names; k++)
        if (id == LLVMLookupIntrinsicID(names[k], strlen(names[k])))
            return true;
    return false;
}

void rlxc_llvm_widen_halves(LLVMModuleRef module, LLVMContextRef lc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(lc);
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMGetNumOperands(i) < 1 ||
                    !is_short_float_type(LLVMTypeOf(LLVMGetOperand(i, 0))))
                    continue;
                if (LLVMIsAFCmpInst(i))
                    widen_compare(b, LLVMFloatTypeInContext(lc), i);
                else if (is_exact_call(i))
                    widen_call(module, b, LLVMFloatTypeInContext(lc), i);
            }
    LLVMDisposeBuilder(b);
}

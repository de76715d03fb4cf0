/* Calls in TIR expressions -> LLVM, by the rows of compiler/ir/intrinsics.def. * float16 and
 * bfloat16 are computed as float32 and rounded. Functions of libm are called element by element for
 * vectors. Calls of other functions are in llvm_extern.c. */
#include "compiler/codegen/device.h"
#include "compiler/codegen/llvm.h"
#include "compiler/target/target.h"

#include <math.h>
#include <string.h>

LLVMValueRef rlxc_llvm_fast(rlxc_llvm *g, LLVMValueRef value, bool reassoc)
{
    (void)g;
    if (!LLVMIsAInstruction(value) || !LLVMCanValueUseFastMathFlags(value))
        return value;
    LLVMFastMathFlags flags = LLVMFastMathAllowContract;
    if (reassoc)
        flags |= LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros;
    if (LLVMIsACallInst(value)) /* minimum and maximum: the order of -0 and 0 does not matter */
        flags |= LLVMFastMathNoSignedZeros;
    LLVMSetFastMathFlags(value, flags);
    return value;
}

LLVMValueRef rlxc_llvm_intrinsic(rlxc_llvm *g, const char *name, LLVMValueRef *args, uint32_t n)
{
    char full[64] = "llvm.";
    size_t length = strlen(name);
    memcpy(full + 5, name, length < 58 ? length + 1 : 58);
    full[63] = '\0';
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    uint32_t id = LLVMLookupIntrinsicID(full, 5 + length);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, &type, 1);
    return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, &type, 1), fn, args, n, "");
}

static LLVMValueRef problem(rlxc_llvm *g, const rlxc_expr *e, const char *what)
{
    rlxc_error(g->ctx, g->range, "%s: T.%s: %s", g->f->name, e->call.name, what);
    return LLVMGetPoison(rlxc_llvm_type(g, rlxc_dtype_is_void(e->dtype) ? RLX_I32 : e->dtype));
}

enum { MAX_ARGS = 16 };

LLVMValueRef rlxc_llvm_call_libm(rlxc_llvm *g, const char *symbol, LLVMValueRef *args, uint32_t n)
{
    LLVMTypeRef params[MAX_ARGS];
    uint32_t lanes = rlxc_llvm_lanes(args[0]);
    for (uint32_t i = 0; i < n; i++) {
        LLVMTypeRef t = LLVMTypeOf(args[i]);
        params[i] = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
    }
    LLVMTypeRef type = LLVMFunctionType(params[0], params, n, false);
    LLVMValueRef fn = LLVMGetNamedFunction(g->module, symbol);
    bool declared = fn != NULL;
    if (!(fn = rlxc_llvm_external(g, symbol, type)))
        return LLVMGetPoison(LLVMTypeOf(args[0]));
    if (!declared) {
        rlxc_llvm_attribute(g, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", 0);
        rlxc_llvm_attribute(g, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "willreturn", 0);
        rlxc_llvm_attribute(g, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "memory", 0);
    }
    if (lanes == 1)
        return LLVMBuildCall2(g->b, type, fn, args, n, "");
    LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(args[0]));
    for (uint32_t lane = 0; lane < lanes; lane++) {
        LLVMValueRef at = LLVMConstInt(g->i32, lane, false), items[MAX_ARGS];
        for (uint32_t i = 0; i < n; i++)
            items[i] = rlxc_llvm_lanes(args[i]) > 1 ? LLVMBuildExtractElement(g->b, args[i], at, "")
                                                    : args[i];
        LLVMValueRef r = LLVMBuildCall2(g->b, type, fn, items, n, "");
        result = LLVMBuildInsertElement(g->b, result, r, at, "");
    }
    return result;
}

static LLVMValueRef call_libm_typed(rlxc_llvm *g, const char *symbol, rlx_dtype t,
                                    LLVMValueRef *args, uint32_t n)
{
    bool wide = t.code == RLX_FLOAT && t.bits == 64;
    return rlxc_llvm_call_libm(g, wide ? symbol : rlxc_internf(g->ctx, "%sf", symbol), args, n);
}

/* Shift amounts beyond the width give 0 (or the sign), never an undefined value. */
static LLVMValueRef shift(rlxc_llvm *g, bool left, bool is_signed, LLVMValueRef a, LLVMValueRef n)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t = LLVMTypeOf(a);
    LLVMTypeRef scalar = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
    LLVMValueRef top = rlxc_llvm_int(g, t, (int64_t)LLVMGetIntTypeWidth(scalar) - 1);
    LLVMValueRef beyond = LLVMBuildICmp(b, LLVMIntUGT, n, top, "");
    LLVMValueRef capped = LLVMBuildSelect(b, beyond, top, n, "");
    if (!left && is_signed)
        return LLVMBuildAShr(b, a, capped, "");
    LLVMValueRef r = left ? LLVMBuildShl(b, a, capped, "") : LLVMBuildLShr(b, a, capped, "");
    return LLVMBuildSelect(b, beyond, LLVMConstNull(t), r, "");
}

static LLVMValueRef bit_count(rlxc_llvm *g, const char *name, LLVMValueRef x, bool flag)
{
    LLVMValueRef args[2] = {x, LLVMConstInt(g->i1, 0, false)};
    return rlxc_llvm_intrinsic(g, name, args, flag ? 2 : 1);
}

/* x * 2^left * y * 2^-total, rounded half up, in 64 bits: fixed-point requantisation. */
static LLVMValueRef fixed_point(rlxc_llvm *g, const rlxc_expr *e, LLVMValueRef x, LLVMValueRef y,
                                LLVMValueRef left, LLVMValueRef total)
{
    LLVMBuilderRef b = g->b;
    LLVMValueRef one = rlxc_llvm_int(g, LLVMTypeOf(x), 1);
    LLVMValueRef half = shift(g, true, true, one, LLVMBuildSub(b, total, one, ""));
    x = LLVMBuildMul(b, shift(g, true, true, x, left), y, "");
    x = shift(g, false, true, LLVMBuildAdd(b, x, half, ""), total);
    rlx_dtype scalar = e->dtype;
    scalar.lanes = 1;
    return LLVMBuildIntCast2(b, x, rlxc_llvm_like(rlxc_llvm_type(g, scalar), x), true, "");
}

/* (x, y, q, s): x * y * 2^(s - q); (x, y, left, right, q, whether left, whether right) */
static LLVMValueRef q_multiply_shift(rlxc_llvm *g, const rlxc_expr *e, LLVMValueRef *a)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t = rlxc_llvm_like(g->i64, a[0]);
    bool per_axis = e->call.n == 7;
    for (uint32_t i = 0; i < e->call.n; i++) {
        bool is_signed = e->call.args[i]->dtype.code == RLX_INT;
        a[i] =
            LLVMBuildIntCast2(b, rlxc_llvm_splat(g, a[i], rlxc_llvm_lanes(a[0])), t, is_signed, "");
    }
    LLVMValueRef zero = LLVMConstNull(t);
    if (per_axis) {
        LLVMValueRef wants_left = LLVMBuildICmp(b, LLVMIntNE, a[5], zero, "");
        LLVMValueRef left = LLVMBuildSelect(b, wants_left, a[2], zero, "");
        LLVMValueRef wants_right = LLVMBuildICmp(b, LLVMIntNE, a[6], zero, "");
        LLVMValueRef right = LLVMBuildSelect(b, wants_right, a[3], zero, "");
        return fixed_point(g, e, a[0], a[1], left, LLVMBuildAdd(b, right, a[4], ""));
    }
    LLVMValueRef up = LLVMBuildICmp(b, LLVMIntSGT, a[3], zero, "");
    LLVMValueRef left = LLVMBuildSelect(b, up, a[3], zero, "");
    LLVMValueRef right = LLVMBuildSelect(b, up, zero, LLVMBuildNeg(b, a[3], ""), "");
    return fixed_point(g, e, a[0], a[1], left, LLVMBuildAdd(b, right, a[2], ""));
}

/* Calls an instruction of |n| operands. */
static LLVMValueRef call_x86(rlxc_llvm *g, const char *name, LLVMValueRef *args, uint32_t n)
{
    uint32_t id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, NULL, 0);
    return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, NULL, 0), fn, args, n, "");
}

/* An instruction of NEON that adds four products of bytes to each word; NULL: the target has none
 * with this feature, or not for such vectors. */
static LLVMValueRef dot_neon(rlxc_llvm *g, const char *feature, const char *name, LLVMValueRef *a)
{
    if (g->target->arch != RLXC_ARCH_AARCH64 || rlxc_llvm_lanes(a[0]) != 4 ||
        !rlxc_target_has_feature(g->target, feature))
        return NULL;
    LLVMTypeRef types[2] = {LLVMTypeOf(a[0]), LLVMVectorType(LLVMInt8TypeInContext(g->lc), 16)};
    LLVMValueRef args[3] = {a[0], LLVMBuildBitCast(g->b, a[1], types[1], ""),
                            LLVMBuildBitCast(g->b, a[2], types[1], "")};
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, types, 2);
    return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->lc, id, types, 2), fn, args, 3, "");
}

/* The even elements of |x|, or the |odd| ones, in |type|. */
static LLVMValueRef every_second(rlxc_llvm *g, LLVMValueRef x, uint32_t odd, LLVMTypeRef type,
                                 bool is_signed)
{
    enum { MOST = 64 };
    const uint32_t n = LLVMGetVectorSize(type);
    LLVMValueRef at[MOST];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(g->lc);
    for (uint32_t i = 0; i < n && i < MOST; i++)
        at[i] = LLVMConstInt(i32, 2 * i + odd, false);
    x = LLVMBuildShuffleVector(g->b, x, LLVMGetUndef(LLVMTypeOf(x)), LLVMConstVector(at, n), "");
    return LLVMBuildIntCast2(g->b, x, type, is_signed, "");
}

/* Products of elements of a[1] and signed ones of a[2], of half the bits of |type|: the even ones,
 * then the odd ones. NEON multiplies into twice the bits (SMULL, SMLAL). */
static void multiply_wide(rlxc_llvm *g, LLVMTypeRef type, bool is_signed, LLVMValueRef *a,
                          LLVMValueRef *out)
{
    const uint32_t bits = LLVMGetIntTypeWidth(LLVMGetElementType(type)) / 2,
                   n = 2 * LLVMGetVectorSize(type);
    LLVMTypeRef narrow = LLVMVectorType(LLVMIntTypeInContext(g->lc, bits), n);
    LLVMValueRef x = LLVMBuildBitCast(g->b, a[1], narrow, ""),
                 y = LLVMBuildBitCast(g->b, a[2], narrow, "");
    for (uint32_t odd = 0; odd < 2; odd++)
        out[odd] = LLVMBuildMul(g->b, every_second(g, x, odd, type, is_signed),
                                every_second(g, y, odd, type, true), "");
}

/* Whether vectors like |x| are whole registers of NEON. */
static bool is_neon(const rlxc_llvm *g, LLVMValueRef x)
{
    return g->target->arch == RLXC_ARCH_AARCH64 && rlxc_llvm_lanes(x) == 4;
}

/* a[0] + the products of the unsigned bytes of a[1] and the signed ones of a[2]. */
static LLVMValueRef dot_u8s8(rlxc_llvm *g, LLVMValueRef *a)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t = LLVMTypeOf(a[0]);
    LLVMValueRef neon = dot_neon(g, "i8mm", "llvm.aarch64.neon.usdot", a);
    if (neon)
        return neon;
    if (rlxc_llvm_lanes(a[0]) == 16 && rlxc_target_has_feature(g->target, "avx512vnni"))
        return call_x86(g, "llvm.x86.avx512.vpdpbusd.512", a, 3);
    if (rlxc_llvm_lanes(a[0]) == 8 && rlxc_target_has_feature(g->target, "avxvnni"))
        return call_x86(g, "llvm.x86.avx512.vpdpbusd.256", a, 3);
    LLVMValueRef sum = a[0], mask = rlxc_llvm_int(g, t, 255), top = rlxc_llvm_int(g, t, 24);
    for (int i = 0; i < 4; i++) {
        LLVMValueRef x = LLVMBuildLShr(b, a[1], rlxc_llvm_int(g, t, 8 * i), "");
        LLVMValueRef y = LLVMBuildShl(b, a[2], rlxc_llvm_int(g, t, 24 - 8 * i), "");
        x = LLVMBuildAnd(b, x, mask, "");
        sum = LLVMBuildAdd(b, sum, LLVMBuildMul(b, x, LLVMBuildAShr(b, y, top, ""), ""), "");
    }
    return sum;
}

/* The same where bytes of a[1] are below 128, so that they may be signed ones as well. */
static LLVMValueRef dot_u7s8(rlxc_llvm *g, LLVMValueRef *a)
{
    LLVMValueRef neon = dot_neon(g, "dotprod", "llvm.aarch64.neon.sdot", a);
    return neon ? neon : dot_u8s8(g, a);
}

/* In each half of the words of a[0]: that int16 + the products of two unsigned bytes of a[1] and
 * signed ones of a[2], saturated before they are added. */
static LLVMValueRef dot_u8s8_s16(rlxc_llvm *g, LLVMValueRef *a)
{
    static const struct {
        uint32_t lanes;
        const char *feature, *name;
    } rows[] = {{16, "avx512bw", "llvm.x86.avx512.pmaddubs.w.512"},
                {8, "avx2", "llvm.x86.avx2.pmadd.ub.sw"},
                {4, "ssse3", "llvm.x86.ssse3.pmadd.ub.sw.128"}};
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t = LLVMTypeOf(a[0]);
    const uint32_t lanes = rlxc_llvm_lanes(a[0]);
    LLVMTypeRef halves = LLVMVectorType(LLVMInt16TypeInContext(g->lc), 2 * lanes),
                bytes = LLVMVectorType(LLVMInt8TypeInContext(g->lc), 4 * lanes);
    LLVMValueRef sum = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !sum; i++) {
        LLVMValueRef args[2] = {LLVMBuildBitCast(b, a[1], bytes, ""),
                                LLVMBuildBitCast(b, a[2], bytes, "")};
        if (lanes == rows[i].lanes && rlxc_target_has_feature(g->target, rows[i].feature))
            sum = call_x86(g, rows[i].name, args, 2);
    }
    LLVMValueRef products[2];
    if (!sum && is_neon(g, a[0])) {
        multiply_wide(g, halves, false, a, products);
        sum = rlxc_llvm_intrinsic(g, "sadd.sat", products, 2);
    }
    if (!sum) {
        LLVMValueRef x = LLVMBuildBitCast(b, a[1], halves, ""),
                     y = LLVMBuildBitCast(b, a[2], halves, ""), eight = rlxc_llvm_int(g, halves, 8),
                     mask = rlxc_llvm_int(g, halves, 255);
        products[0] = LLVMBuildMul(b, LLVMBuildAnd(b, x, mask, ""),
                                   LLVMBuildAShr(b, LLVMBuildShl(b, y, eight, ""), eight, ""), "");
        products[1] =
            LLVMBuildMul(b, LLVMBuildLShr(b, x, eight, ""), LLVMBuildAShr(b, y, eight, ""), "");
        sum = rlxc_llvm_intrinsic(g, "sadd.sat", products, 2);
    }
    sum = LLVMBuildAdd(b, LLVMBuildBitCast(b, a[0], halves, ""), sum, "");
    return LLVMBuildBitCast(b, sum, t, "");
}

/* a[0] + the products of the two int16 in words of a[1] and in those of a[2]. */
static LLVMValueRef dot_s16(rlxc_llvm *g, LLVMValueRef *a)
{
    static const struct {
        uint32_t lanes;
        const char *feature, *name;
    } rows[] = {{16, "avx512bw", "llvm.x86.avx512.pmaddw.d.512"},
                {8, "avx2", "llvm.x86.avx2.pmadd.wd"},
                {4, NULL, "llvm.x86.sse2.pmadd.wd"}};
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t = LLVMTypeOf(a[0]), i16 = LLVMInt16TypeInContext(g->lc);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && g->target->arch == RLXC_ARCH_X86; i++) {
        if (rlxc_llvm_lanes(a[0]) != rows[i].lanes ||
            (rows[i].feature && !rlxc_target_has_feature(g->target, rows[i].feature)))
            continue;
        LLVMTypeRef pairs = LLVMVectorType(i16, 2 * rows[i].lanes);
        LLVMValueRef args[2] = {LLVMBuildBitCast(b, a[1], pairs, ""),
                                LLVMBuildBitCast(b, a[2], pairs, "")};
        return LLVMBuildAdd(b, a[0], call_x86(g, rows[i].name, args, 2), "");
    }
    if (is_neon(g, a[0])) {
        LLVMValueRef products[2];
        multiply_wide(g, t, true, a, products);
        return LLVMBuildAdd(b, LLVMBuildAdd(b, a[0], products[0], ""), products[1], "");
    }
    LLVMValueRef sum = a[0], half = rlxc_llvm_int(g, t, 16);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef factors[2];
        for (int n = 0; n < 2; n++)
            factors[n] =
                LLVMBuildAShr(b, i ? a[n + 1] : LLVMBuildShl(b, a[n + 1], half, ""), half, "");
        sum = LLVMBuildAdd(b, sum, LLVMBuildMul(b, factors[0], factors[1], ""), "");
    }
    return sum;
}

/* a[0] + the products of the two bfloat16 in words of a[1] and in those of a[2]. */
static LLVMValueRef dot_bf16(rlxc_llvm *g, LLVMValueRef *a)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t = LLVMTypeOf(a[0]), words = LLVMTypeOf(a[1]);
    if (rlxc_llvm_lanes(a[0]) == 16 && rlxc_target_has_feature(g->target, "avx512bf16")) {
        LLVMTypeRef pairs = LLVMVectorType(LLVMBFloatTypeInContext(g->lc), 32);
        LLVMValueRef args[3] = {a[0], LLVMBuildBitCast(b, a[1], pairs, ""),
                                LLVMBuildBitCast(b, a[2], pairs, "")};
        return call_x86(g, "llvm.x86.avx512bf16.dpbf16ps.512", args, 3);
    }
    LLVMValueRef sum = a[0], half = rlxc_llvm_int(g, words, 16);
    LLVMValueRef upper = rlxc_llvm_int(g, words, (int64_t)0xffff0000);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef factors[2];
        for (int n = 0; n < 2; n++) {
            LLVMValueRef bits =
                i ? LLVMBuildAnd(b, a[n + 1], upper, "") : LLVMBuildShl(b, a[n + 1], half, "");
            factors[n] = LLVMBuildBitCast(b, bits, t, "");
        }
        sum = LLVMBuildFAdd(b, sum, LLVMBuildFMul(b, factors[0], factors[1], ""), "");
    }
    return sum;
}

static LLVMValueRef reinterpret(rlxc_llvm *g, const rlxc_expr *e, LLVMValueRef x)
{
    rlx_dtype from = e->call.args[0]->dtype, to = e->dtype;
    if (from.bits != to.bits || rlxc_dtype_is_bool(to) || rlxc_dtype_is_handle(to))
        return problem(g, e, "the types differ in width");
    x = rlxc_llvm_to_memory(g, x, from);
    x = LLVMBuildBitCast(g->b, x, rlxc_llvm_like(rlxc_llvm_memory(g, to), x), "");
    return rlxc_llvm_from_memory(g, x, to);
}

/* --- rows that code generation knows by name -------------------------------------------------- */

static LLVMValueRef inline_float(rlxc_llvm *g, rlxc_intrinsic_id id, const rlxc_expr *e,
                                 LLVMValueRef *a)
{
    LLVMBuilderRef b = g->b;
    LLVMTypeRef t = LLVMTypeOf(a[0]);
    rlx_dtype dtype = e->call.args[0]->dtype;
    LLVMValueRef one = rlxc_llvm_float(t, 1.0);
    if (id == RLXC_INTRINSIC_rsqrt)
        return LLVMBuildFDiv(b, one, rlxc_llvm_intrinsic(g, "sqrt", a, 1), "");
    if (id == RLXC_INTRINSIC_fabs || id == RLXC_INTRINSIC_abs)
        return rlxc_llvm_intrinsic(g, "fabs", a, 1);
    if (id == RLXC_INTRINSIC_isnan)
        return LLVMBuildFCmp(b, LLVMRealUNO, a[0], a[0], "");
    LLVMValueRef size = rlxc_llvm_float(t, (double)INFINITY);
    if (id == RLXC_INTRINSIC_isinf)
        return LLVMBuildFCmp(b, LLVMRealOEQ, rlxc_llvm_intrinsic(g, "fabs", a, 1), size, "");
    if (id == RLXC_INTRINSIC_isfinite)
        return LLVMBuildFCmp(b, LLVMRealOLT, rlxc_llvm_intrinsic(g, "fabs", a, 1), size, "");
    if (id == RLXC_INTRINSIC_sigmoid)
        return rlxc_llvm_sigmoid(g, a[0]);
    if (id == RLXC_INTRINSIC_ldexp) {
        a[1] = LLVMBuildIntCast2(b, a[1], rlxc_llvm_like(g->i32, a[1]), true, "");
        return call_libm_typed(g, "ldexp", dtype, a, 2);
    }
    if (id == RLXC_INTRINSIC_dot_bf16)
        return dtype.bits == 32 && e->call.args[1]->dtype.bits == 32 &&
                       e->call.args[2]->dtype.bits == 32
                   ? dot_bf16(g, a)
                   : problem(g, e, "is of 32 bits");
    return problem(g, e, "not defined for floating-point arguments");
}

static LLVMValueRef inline_int(rlxc_llvm *g, rlxc_intrinsic_id id, const rlxc_expr *e,
                               LLVMValueRef *a)
{
    LLVMBuilderRef b = g->b;
    rlx_dtype dtype = e->call.args[0]->dtype;
    bool is_signed = dtype.code == RLX_INT;
    if (id == RLXC_INTRINSIC_bitwise_and)
        return LLVMBuildAnd(b, a[0], a[1], "");
    if (id == RLXC_INTRINSIC_bitwise_or)
        return LLVMBuildOr(b, a[0], a[1], "");
    if (id == RLXC_INTRINSIC_bitwise_xor)
        return LLVMBuildXor(b, a[0], a[1], "");
    if (id == RLXC_INTRINSIC_bitwise_not)
        return LLVMBuildNot(b, a[0], "");
    if (id == RLXC_INTRINSIC_shift_left)
        return shift(g, true, is_signed, a[0], a[1]);
    if (id == RLXC_INTRINSIC_shift_right)
        return shift(g, false, is_signed, a[0], a[1]);
    if (id == RLXC_INTRINSIC_q_multiply_shift || id == RLXC_INTRINSIC_q_multiply_shift_per_axis)
        return q_multiply_shift(g, e, a);
    if (id == RLXC_INTRINSIC_dot_u8s8)
        return dtype.bits == 32 ? dot_u8s8(g, a) : problem(g, e, "is of 32 bits");
    if (id == RLXC_INTRINSIC_dot_u7s8)
        return dtype.bits == 32 ? dot_u7s8(g, a) : problem(g, e, "is of 32 bits");
    if (id == RLXC_INTRINSIC_dot_u8s8_s16)
        return dtype.bits == 32 ? dot_u8s8_s16(g, a) : problem(g, e, "is of 32 bits");
    if (id == RLXC_INTRINSIC_dot_s16)
        return dtype.bits == 32 ? dot_s16(g, a) : problem(g, e, "is of 32 bits");
    if (id == RLXC_INTRINSIC_abs || id == RLXC_INTRINSIC_fabs)
        return is_signed ? bit_count(g, "abs", a[0], true) : a[0];
    if (id == RLXC_INTRINSIC_isnan || id == RLXC_INTRINSIC_isinf)
        return LLVMConstNull(rlxc_llvm_like(g->i1, a[0]));
    if (id == RLXC_INTRINSIC_isfinite)
        return LLVMConstAllOnes(rlxc_llvm_like(g->i1, a[0]));
    bool leading = id == RLXC_INTRINSIC_clz;
    if (leading || id == RLXC_INTRINSIC_popcount) {
        LLVMValueRef r = bit_count(g, leading ? "ctlz" : "ctpop", a[0], leading);
        rlx_dtype one = e->dtype;
        one.lanes = 1;
        return LLVMBuildIntCast2(b, r, rlxc_llvm_like(rlxc_llvm_type(g, one), r), false, "");
    }
    return problem(g, e, "not defined for integer arguments");
}

/* Functions of lowering VECTOR. */
#define UNARY(name, wide)                                   \
    {                                                       \
        RLXC_INTRINSIC_##name, rlxc_llvm_##name, NULL, wide \
    }
#define BINARY(name)                                         \
    {                                                        \
        RLXC_INTRINSIC_##name, NULL, rlxc_llvm_##name, false \
    }
typedef struct inline_row {
    rlxc_intrinsic_id id;
    LLVMValueRef (*of)(rlxc_llvm *g, LLVMValueRef x);
    LLVMValueRef (*of_two)(rlxc_llvm *g, LLVMValueRef x, LLVMValueRef y);
    bool wide; /* of float64 as well */
} inline_row;
static const inline_row inline_rows[] = {
    UNARY(exp, true),    UNARY(exp_nonpositive, true),
    UNARY(log, true),    UNARY(tanh, true),
    UNARY(erf, true),    UNARY(sin, false),
    UNARY(cos, false),   UNARY(tan, false),
    UNARY(asin, false),  UNARY(acos, false),
    UNARY(atan, false),  UNARY(sinh, false),
    UNARY(cosh, false),  UNARY(asinh, false),
    UNARY(acosh, false), UNARY(atanh, false),
    UNARY(exp2, true),   UNARY(exp10, false),
    UNARY(expm1, false), UNARY(log2, false),
    UNARY(log10, false), UNARY(log1p, false),
    BINARY(pow),         BINARY(atan2),
    BINARY(fmod),
};
#undef UNARY
#undef BINARY

static const inline_row *inline_row_of(uint32_t id, rlx_dtype dtype)
{
    for (size_t i = 0; i < sizeof inline_rows / sizeof *inline_rows; i++)
        if (inline_rows[i].id == id)
            return dtype.bits < 64 || inline_rows[i].wide ? &inline_rows[i] : NULL;
    return NULL;
}

bool rlxc_llvm_needs_libm(const rlxc_intrinsic *row, rlx_dtype dtype)
{
    return row->lowering == RLXC_LOWER_LIBM || row->index == RLXC_INTRINSIC_ldexp ||
           (row->lowering == RLXC_LOWER_VECTOR && !inline_row_of(row->index, dtype));
}

/* NULL if the type has no such row. */
static LLVMValueRef vector_function(rlxc_llvm *g, rlxc_intrinsic_id id, rlx_dtype dtype,
                                    LLVMValueRef *a)
{
    const inline_row *row = inline_row_of(id, dtype);
    return !row ? NULL : row->of ? row->of(g, a[0]) : row->of_two(g, a[0], a[1]);
}

static LLVMValueRef call_row(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e,
                             LLVMValueRef *a)
{
    rlx_dtype dtype = e->call.args[0]->dtype;
    bool is_float = rlxc_dtype_is_float(dtype);
    rlxc_intrinsic_id id = (rlxc_intrinsic_id)row->index;
    switch (row->lowering) {
    case RLXC_LOWER_LIBM:
    case RLXC_LOWER_VECTOR: {
        if (!is_float)
            return problem(g, e, "needs a floating-point argument");
        LLVMValueRef r =
            row->lowering == RLXC_LOWER_VECTOR ? vector_function(g, id, dtype, a) : NULL;
        return r ? r : call_libm_typed(g, row->symbol, dtype, a, e->call.n);
    }
    case RLXC_LOWER_LLVM:
        if (!is_float) /* floor, ceil, round or trunc of an integer */
            return e->call.n == 1 && id != RLXC_INTRINSIC_sqrt
                       ? a[0]
                       : problem(g, e, "needs a floating-point argument");
        return rlxc_llvm_intrinsic(g, row->symbol, a, e->call.n);
    case RLXC_LOWER_INLINE:
        if (id == RLXC_INTRINSIC_likely)
            return a[0];
        if (id == RLXC_INTRINSIC_assume)
            return LLVMConstInt(g->i1, 1, false);
        if (id == RLXC_INTRINSIC_reinterpret)
            return reinterpret(g, e, a[0]);
        if (id == RLXC_INTRINSIC_isnullptr)
            return rlxc_dtype_is_handle(dtype) ? LLVMBuildIsNull(g->b, a[0], "")
                                               : problem(g, e, "needs an address");
        if (id == RLXC_INTRINSIC_ret)
            return problem(g, e, "is a statement, T.evaluate(T.ret(0))");
        return is_float ? inline_float(g, id, e, a) : inline_int(g, id, e, a);
    case RLXC_LOWER_DEVICE:
    case RLXC_LOWER_CALLEE:
    case RLXC_LOWER_CONSTANT:
        break;
    }
    return problem(g, e, "not a function");
}

LLVMValueRef rlxc_llvm_call(rlxc_llvm *g, const rlxc_expr *e)
{
    const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    if (!row)
        return problem(g, e, "no such intrinsic");
    if (e->call.n < row->min_args || e->call.n > row->max_args)
        return problem(g, e, "wrong number of arguments");
    if (row->lowering == RLXC_LOWER_CONSTANT) {
        const rlxc_expr *value = rlxc_intrinsic_constant(g->ctx, row, e->dtype);
        return value ? rlxc_llvm_expr(g, value) : problem(g, e, "the type has no such value");
    }
    if (row->lowering == RLXC_LOWER_DEVICE && g->launch)
        return rlxc_nvptx_call(g, row, e);
    if (row->lowering == RLXC_LOWER_DEVICE)
        return problem(g, e, "belongs to the threads of a device, and this is code of the CPU");
    if (g->launch && rlxc_nvptx_lacks(e))
        return problem(g, e, rlxc_nvptx_lacks(e));
    if (row->lowering == RLXC_LOWER_CALLEE)
        return rlxc_llvm_callee(g, row, e);
    LLVMValueRef args[MAX_ARGS];
    uint32_t lanes = 1;
    const bool moves =
        row->index == RLXC_INTRINSIC_reinterpret || row->index == RLXC_INTRINSIC_likely;
    if (e->call.n > MAX_ARGS)
        return problem(g, e, "too many arguments");
    for (uint32_t i = 0; i < e->call.n; i++) {
        if (e->call.args[i]->kind == RLXC_EXPR_STRING)
            return problem(g, e, "takes no text");
        if (rlxc_dtype_is_handle(e->call.args[i]->dtype) && row->index != RLXC_INTRINSIC_isnullptr)
            return problem(g, e, "takes no address");
        args[i] = rlxc_llvm_expr(g, e->call.args[i]);
        if (!moves)
            args[i] = rlxc_llvm_number(g, args[i], e->call.args[i]->dtype);
        if (rlxc_llvm_lanes(args[i]) > lanes)
            lanes = rlxc_llvm_lanes(args[i]);
    }
    bool mixed = row->index == RLXC_INTRINSIC_ldexp || row->index == RLXC_INTRINSIC_dot_bf16 ||
                 row->index == RLXC_INTRINSIC_q_multiply_shift ||
                 row->index == RLXC_INTRINSIC_q_multiply_shift_per_axis;
    for (uint32_t i = 0; i < e->call.n; i++) {
        args[i] = rlxc_llvm_splat(g, args[i], lanes);
        bool fits = mixed && i > 0 ? rlxc_dtype_is_int(e->call.args[i]->dtype) ||
                                         rlxc_dtype_is_bool(e->call.args[i]->dtype)
                                   : LLVMTypeOf(args[i]) == LLVMTypeOf(args[0]);
        if (!fits)
            return problem(g, e, "the arguments have different types");
    }
    if (rlxc_failed(g->ctx))
        return LLVMGetPoison(rlxc_llvm_type(g, e->dtype));
    LLVMValueRef r = call_row(g, row, e, args);
    return rlxc_dtype_is_float(e->dtype) && !moves ? rlxc_llvm_round(g, r, e->dtype) : r;
}

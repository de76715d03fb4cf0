/* Calls in TIR expressions -> OpenCL text, by the rows of compiler/ir/intrinsics.def. The functions
 * of libm have OpenCL's names, overloaded on float and double. */
#include <string.h>

#include "compiler/codegen/opencl.h"

enum { MAX_ARGS = 8 };

static const rlxc_intrinsic *row_of(const rlxc_expr *e)
{
    return rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
}

const char *rlxc_cl_lacks_call(const rlxc_expr *e)
{
    const rlxc_intrinsic *row = row_of(e);
    if (!row)
        return "no such intrinsic";
    switch (row->lowering) {
    case RLXC_LOWER_LIBM:
    case RLXC_LOWER_VECTOR:
        return e->call.n > 0 && rlxc_dtype_is_float(e->call.args[0]->dtype)
                   ? NULL
                   : "needs a floating-point argument";
    case RLXC_LOWER_LLVM:
    case RLXC_LOWER_CONSTANT:
        return NULL;
    case RLXC_LOWER_INLINE:
        return row->index == RLXC_INTRINSIC_isnullptr ? "asks about an address"
               : row->index == RLXC_INTRINSIC_ret     ? "a kernel of a device returns no value"
                                                      : NULL;
    case RLXC_LOWER_DEVICE:
        if (row->index != RLXC_INTRINSIC_tvm_storage_sync)
            return "OpenCL C 1.2 has no exchange between the threads of a warp";
        return e->call.args[0]->kind == RLXC_EXPR_STRING &&
                       (rlxc_is_shared(e->call.args[0]->s) ||
                        strcmp(e->call.args[0]->s, "warp") == 0)
                   ? NULL
                   : "only threads of one block can wait for each other";
    case RLXC_LOWER_CALLEE:
        return row->index == RLXC_INTRINSIC_check_index || row->index == RLXC_INTRINSIC_Shuffle ||
                       row->index == RLXC_INTRINSIC_vectorlow ||
                       row->index == RLXC_INTRINSIC_vectorhigh ||
                       row->index == RLXC_INTRINSIC_vectorcombine
                   ? NULL
                   : "a device cannot call functions of the host";
    }
    return "not a function";
}

bool rlxc_cl_has_vectors(const rlxc_expr *e)
{
    const rlxc_intrinsic *row = row_of(e);
    if (!row || rlxc_cl_lacks_call(e) || e->call.n < row->min_args || e->call.n > row->max_args)
        return false;
    return row->lowering == RLXC_LOWER_LIBM || row->lowering == RLXC_LOWER_VECTOR ||
           row->lowering == RLXC_LOWER_LLVM ||
           (row->lowering == RLXC_LOWER_INLINE && row->index == RLXC_INTRINSIC_rsqrt);
}

static const char *problem(rlxc_cl *g, const rlxc_expr *e, const char *what)
{
    return rlxc_cl_problem(g, rlxc_internf(g->ctx, "T.%s: %s", e->call.name, what));
}

/* C has a name of its own for each function of float32. */
const char *rlxc_cl_suffix(const rlxc_cl *g, rlx_dtype t)
{
    return g->is_c && t.bits != 64 ? "f" : "";
}

/* name(a[0], ..., a[n - 1]) */
static const char *apply(rlxc_cl *g, const char *name, const char *const *a, uint32_t n)
{
    rlxc_text text = {.ctx = g->ctx};
    rlxc_text_printf(&text, "%s(", name);
    for (uint32_t i = 0; i < n; i++)
        rlxc_text_printf(&text, "%s%s", i ? ", " : "", a[i]);
    rlxc_text_puts(&text, ")");
    return rlxc_intern(g->ctx, text.data, text.length);
}

static const char *helper(rlxc_cl *g, rlxc_cl_helper id, const char *name, const char *const *a,
                          uint32_t n)
{
    g->used[id] = true;
    return apply(g, name, a, n);
}

/* --- integers --------------------------------------------------------------------------------- */

static rlx_dtype unsigned_of(rlx_dtype t)
{
    t.code = RLX_UINT;
    return t;
}

static const char *shift(rlxc_cl *g, rlx_dtype t, bool left, const char *a, const char *n)
{
    const bool keeps_sign = !left && t.code == RLX_INT;
    const char *type = rlxc_cl_type(g, t), *bits = rlxc_cl_type(g, unsigned_of(t));
    g->used[left ? RLXC_CL_SHL : keeps_sign ? RLXC_CL_SAR : RLXC_CL_SHR] = true;
    return rlxc_internf(g->ctx, "(%s)rlx_%s(%s%s%s%s, (%s)%s, %u)", type,
                        left         ? "shl"
                        : keeps_sign ? "sar"
                                     : "shr",
                        keeps_sign ? "" : "(", keeps_sign ? "" : bits, keeps_sign ? "" : ")", a,
                        bits, n, (unsigned)t.bits);
}

static const char *fixed_point(rlxc_cl *g, const rlxc_expr *e, const char *const *a)
{
    g->used[RLXC_CL_FIXED_POINT] = g->used[RLXC_CL_FIXED_POINT_SAR] = true;
    const char *type = rlxc_cl_type(g, e->dtype), *wide = rlxc_cl_type(g, RLX_I64);
    if (e->call.n == 7)
        return rlxc_internf(g->ctx,
                            "(%s)rlx_fixed_point(%s, %s, %s != 0 ? (%s)%s : 0, "
                            "(%s != 0 ? (%s)%s : 0) + (%s)%s)",
                            type, a[0], a[1], a[5], wide, a[2], a[6], wide, a[3], wide, a[4]);
    return rlxc_internf(g->ctx,
                        "(%s)rlx_fixed_point(%s, %s, %s > 0 ? (%s)%s : 0, "
                        "(%s > 0 ? 0 : -(%s)%s) + (%s)%s)",
                        type, a[0], a[1], a[3], wide, a[3], a[3], wide, a[3], wide, a[2]);
}

static const char *of_int(rlxc_cl *g, rlxc_intrinsic_id id, const rlxc_expr *e,
                          const char *const *a)
{
    rlxc_context *ctx = g->ctx;
    rlx_dtype t = e->call.args[0]->dtype;
    const char *type = rlxc_cl_type(g, t);
    const bool is_bool = rlxc_dtype_is_bool(t);
    if (id == RLXC_INTRINSIC_bitwise_and)
        return rlxc_internf(ctx, is_bool ? "(%s%s && %s)" : "(%s)(%s & %s)", is_bool ? "" : type,
                            a[0], a[1]);
    if (id == RLXC_INTRINSIC_bitwise_or)
        return rlxc_internf(ctx, is_bool ? "(%s%s || %s)" : "(%s)(%s | %s)", is_bool ? "" : type,
                            a[0], a[1]);
    if (id == RLXC_INTRINSIC_bitwise_xor)
        return rlxc_internf(ctx, is_bool ? "(%s%s != %s)" : "(%s)(%s ^ %s)", is_bool ? "" : type,
                            a[0], a[1]);
    if (id == RLXC_INTRINSIC_bitwise_not)
        return rlxc_internf(ctx, is_bool ? "%s!%s" : "(%s)~%s", is_bool ? "" : type, a[0]);
    if (id == RLXC_INTRINSIC_isnan || id == RLXC_INTRINSIC_isinf)
        return "false";
    if (id == RLXC_INTRINSIC_isfinite)
        return "true";
    if (id == RLXC_INTRINSIC_abs || id == RLXC_INTRINSIC_fabs)
        return t.code == RLX_INT
                   ? rlxc_internf(ctx, g->is_c ? "(%s)rlx_abs(%s)" : "(%s)abs(%s)", type, a[0])
                   : a[0];
    if (id == RLXC_INTRINSIC_q_multiply_shift || id == RLXC_INTRINSIC_q_multiply_shift_per_axis)
        return fixed_point(g, e, a);
    if (is_bool)
        return problem(g, e, "not defined for bools");
    if (id == RLXC_INTRINSIC_shift_left || id == RLXC_INTRINSIC_shift_right)
        return shift(g, t, id == RLXC_INTRINSIC_shift_left, a[0], a[1]);
    if (g->is_c && (id == RLXC_INTRINSIC_popcount || id == RLXC_INTRINSIC_clz))
        return rlxc_internf(ctx, "(%s)rlx_%s((%s)%s, %u)", rlxc_cl_type(g, e->dtype), e->call.name,
                            rlxc_cl_type(g, unsigned_of(t)), a[0], (unsigned)t.bits);
    if (id == RLXC_INTRINSIC_popcount || id == RLXC_INTRINSIC_clz)
        return rlxc_internf(ctx, "(%s)%s((%s)%s)", rlxc_cl_type(g, e->dtype), e->call.name,
                            rlxc_cl_type(g, unsigned_of(t)), a[0]);
    if (t.bits != 32)
        return problem(g, e, "is of 32 bits");
    if (id == RLXC_INTRINSIC_dot_u8s8 || id == RLXC_INTRINSIC_dot_u7s8)
        return helper(g, RLXC_CL_DOT_U8S8, "rlx_dot_u8s8", a, 3);
    if (id == RLXC_INTRINSIC_dot_u8s8_s16)
        return helper(g, RLXC_CL_DOT_U8S8_S16, "rlx_dot_u8s8_s16", a, 3);
    if (id == RLXC_INTRINSIC_dot_s16)
        return helper(g, RLXC_CL_DOT_S16, "rlx_dot_s16", a, 3);
    return problem(g, e, "not defined for integer arguments");
}

/* --- floats ----------------------------------------------------------------------------------- */

static const char *of_float(rlxc_cl *g, rlxc_intrinsic_id id, const rlxc_expr *e,
                            const char *const *a)
{
    rlxc_context *ctx = g->ctx;
    const bool wide = e->call.args[0]->dtype.bits == 64;
    const char *f = rlxc_cl_suffix(g, e->call.args[0]->dtype),
               *fabs = rlxc_internf(ctx, "fabs%s", f);
    const char *infinity = wide ? "(double)INFINITY" : "INFINITY";
    if (id == RLXC_INTRINSIC_rsqrt)
        return rlxc_internf(ctx, wide ? "(1.0 / sqrt%s(%s))" : "(1.0f / sqrt%s(%s))", f, a[0]);
    if (id == RLXC_INTRINSIC_fabs || id == RLXC_INTRINSIC_abs)
        return apply(g, fabs, a, 1);
    if (id == RLXC_INTRINSIC_isnan)
        return rlxc_internf(ctx, "(%s != %s)", a[0], a[0]);
    if (id == RLXC_INTRINSIC_isinf)
        return rlxc_internf(ctx, "(%s(%s) == %s)", fabs, a[0], infinity);
    if (id == RLXC_INTRINSIC_isfinite)
        return rlxc_internf(ctx, "(%s(%s) < %s)", fabs, a[0], infinity);
    if (id == RLXC_INTRINSIC_sigmoid)
        return wide ? helper(g, RLXC_CL_SIGMOID_DOUBLE, "rlx_sigmoid_double", a, 1)
                    : helper(g, RLXC_CL_SIGMOID_FLOAT, "rlx_sigmoid_float", a, 1);
    if (id == RLXC_INTRINSIC_ldexp)
        return rlxc_internf(ctx, "ldexp%s(%s, (int)%s)", f, a[0], a[1]);
    if (id == RLXC_INTRINSIC_dot_bf16 && e->call.args[0]->dtype.bits == 32)
        return rlxc_internf(ctx, "rlx_dot_bf16(%s, (%s)%s, (%s)%s)",
                            (g->used[RLXC_CL_DOT_BF16] = true, a[0]), rlxc_cl_type(g, RLX_U32),
                            a[1], rlxc_cl_type(g, RLX_U32), a[2]);
    return problem(g, e, "not defined for floating-point arguments");
}

static const char *reinterpret(rlxc_cl *g, const rlxc_expr *e, const char *x)
{
    rlx_dtype from = e->call.args[0]->dtype, to = e->dtype;
    if (from.bits != to.bits || rlxc_dtype_is_bool(to) || rlxc_dtype_is_bool(from))
        return problem(g, e, "the types differ in width");
    x = rlxc_cl_to_memory(g, x, from);
    if (g->is_c)
        return rlxc_cl_from_memory(g, rlxc_c_reinterpret(g, x, from, to), to);
    return rlxc_cl_from_memory(g, rlxc_internf(g->ctx, "as_%s(%s)", rlxc_cl_memory_type(g, to), x),
                               to);
}

static const char *function_of(rlxc_cl *g, const rlxc_intrinsic *row, const rlxc_expr *e)
{
    if (g->is_c && row->index == RLXC_INTRINSIC_exp10) /* which C does not have */
        return e->dtype.bits == 64 ? "rlx_exp10_double" : "rlx_exp10_float";
    return rlxc_internf(g->ctx, "%s%s", row->symbol, rlxc_cl_suffix(g, e->call.args[0]->dtype));
}

static const char *call_row(rlxc_cl *g, const rlxc_intrinsic *row, const rlxc_expr *e,
                            const char *const *a)
{
    const bool is_float = rlxc_dtype_is_float(e->call.args[0]->dtype);
    const rlxc_intrinsic_id id = (rlxc_intrinsic_id)row->index;
    switch (row->lowering) {
    case RLXC_LOWER_LIBM:
    case RLXC_LOWER_VECTOR:
        return apply(g, function_of(g, row, e), a, e->call.n);
    case RLXC_LOWER_LLVM:
        if (is_float)
            return apply(g, function_of(g, row, e), a, e->call.n);
        return e->call.n == 1 && id != RLXC_INTRINSIC_sqrt
                   ? a[0]
                   : problem(g, e, "needs a floating-point argument");
    case RLXC_LOWER_INLINE:
        if (id == RLXC_INTRINSIC_likely)
            return a[0];
        if (id == RLXC_INTRINSIC_reinterpret)
            return reinterpret(g, e, a[0]);
        return is_float ? of_float(g, id, e, a) : of_int(g, id, e, a);
    case RLXC_LOWER_DEVICE:
    case RLXC_LOWER_CALLEE:
    case RLXC_LOWER_CONSTANT:
        break;
    }
    return problem(g, e, "not a function");
}

/* True if only the first argument decides about the type. */
static bool is_mixed(const rlxc_intrinsic *row)
{
    return row->index == RLXC_INTRINSIC_ldexp || row->index == RLXC_INTRINSIC_dot_bf16 ||
           row->index == RLXC_INTRINSIC_q_multiply_shift ||
           row->index == RLXC_INTRINSIC_q_multiply_shift_per_axis;
}

const char *rlxc_cl_call(rlxc_cl *g, const rlxc_expr *e)
{
    const rlxc_intrinsic *row = row_of(e);
    const char *why = rlxc_cl_lacks_call(e), *args[MAX_ARGS];
    if (why)
        return problem(g, e, why);
    if (row->lowering == RLXC_LOWER_CONSTANT) {
        const rlxc_expr *value = rlxc_intrinsic_constant(g->ctx, row, e->dtype);
        return value ? rlxc_cl_expr(g, value) : problem(g, e, "the type has no such value");
    }
    if (e->call.n < row->min_args || e->call.n > row->max_args || e->call.n > MAX_ARGS ||
        e->call.n == 0)
        return problem(g, e, "wrong number of arguments");
    if (row->index == RLXC_INTRINSIC_assume)
        return "true";
    const bool moves =
        row->index == RLXC_INTRINSIC_reinterpret || row->index == RLXC_INTRINSIC_likely;
    const rlx_dtype first = e->call.args[0]->dtype;
    for (uint32_t i = 0; i < e->call.n; i++) {
        const rlx_dtype t = e->call.args[i]->dtype;
        const char *lacks = e->call.args[i]->kind == RLXC_EXPR_STRING
                                ? "takes no text"
                                : rlxc_cl_lacks_type(g->target, t);
        if (lacks)
            return problem(g, e, lacks);
        if (i > 0 && is_mixed(row) ? rlxc_dtype_is_float(t)
                                   : t.code != first.code || t.bits != first.bits)
            return problem(g, e, "the arguments have different types");
        args[i] = rlxc_cl_expr(g, e->call.args[i]);
        if (!moves)
            args[i] = rlxc_cl_number(g, args[i], t);
    }
    if (rlxc_failed(g->ctx))
        return "0";
    const char *value = call_row(g, row, e, args);
    return rlxc_dtype_is_float(e->dtype) && !moves ? rlxc_cl_round(g, value, e->dtype) : value;
}

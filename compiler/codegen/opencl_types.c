/* Types and conversions of the OpenCL text: value <-> element in memory, type <-> type. */
#include <math.h>
#include <string.h>

#include "compiler/codegen/opencl.h"
#include "rlx/floats.h"

static bool is_short_float(rlx_dtype t)
{
    return rlxc_dtype_is_float(t) && t.bits == 16;
}

static const char *int_type(const rlxc_cl *g, rlx_dtype t)
{
    static const char *const names[2][2][4] = {
        {{"uchar", "ushort", "uint", "ulong"}, {"char", "short", "int", "long"}},
        {{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
         {"int8_t", "int16_t", "int32_t", "int64_t"}}};
    const int width = t.bits == 8 ? 0 : t.bits == 16 ? 1 : t.bits == 32 ? 2 : 3;
    return names[g->is_c][t.code == RLX_INT][width];
}

const char *rlxc_cl_type(const rlxc_cl *g, rlx_dtype t)
{
    if (rlxc_dtype_is_bool(t))
        return "bool";
    if (!rlxc_dtype_is_float(t))
        return int_type(g, t);
    if (rlxc_cl_is_vector(t)) {
        static const char *const names[2][4] = {{"float2", "float4", "float8", "float16"},
                                                {"double2", "double4", "double8", "double16"}};
        return names[t.bits == 64][t.lanes == 2 ? 0 : t.lanes == 4 ? 1 : t.lanes == 8 ? 2 : 3];
    }
    return t.bits == 8 ? int_type(g, RLX_U8) : t.bits == 64 ? "double" : "float";
}

const char *rlxc_cl_memory_type(const rlxc_cl *g, rlx_dtype t)
{
    if (rlxc_dtype_is_bool(t))
        return int_type(g, RLX_U8);
    return is_short_float(t) ? int_type(g, RLX_U16) : rlxc_cl_type(g, t);
}

const char *rlxc_cl_lacks_type(const rlxc_target *target, rlx_dtype t)
{
    const bool whole = t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64;
    if (rlxc_dtype_is_bool(t))
        return NULL;
    if (rlxc_dtype_is_handle(t) || rlxc_dtype_is_void(t))
        return "an address is used as a number";
    if (!whole || rlx_dtype_is_packed(t))
        return "elements smaller than a byte are read from uint8";
    if (rlxc_dtype_is_float(t) && t.bits == 64 && target && !target->device.float64)
        return "the target has no float64";
    return NULL;
}

/* --- constants -------------------------------------------------------------------------------- */

const char *rlxc_cl_int(rlxc_cl *g, rlx_dtype t, int64_t value)
{
    if (rlxc_dtype_is_bool(t))
        return value ? "true" : "false";
    if (g->is_c)
        return rlxc_c_int(g, t, value);
    if (t.code == RLX_UINT)
        return t.bits == 64 ? rlxc_internf(g->ctx, "%lluul", (unsigned long long)value)
               : t.bits == 32
                   ? rlxc_internf(g->ctx, "%lluu", (unsigned long long)value & UINT32_MAX)
                   : rlxc_internf(g->ctx, "%lld", (long long)value & (t.bits == 8 ? 255 : 65535));
    if (t.bits == 64 && value == INT64_MIN)
        return "(-9223372036854775807l - 1)";
    if (t.bits == 32 && value == INT32_MIN)
        return "(-2147483647 - 1)";
    return rlxc_internf(g->ctx, value < 0 ? "(%lld%s)" : "%lld%s", (long long)value,
                        t.bits == 64 ? "l" : "");
}

const char *rlxc_cl_float(rlxc_cl *g, rlx_dtype t, double value)
{
    const bool wide = t.bits == 64;
    if (rlxc_dtype_is_float8(t))
        return rlxc_internf(g->ctx, "%llu", (unsigned long long)rlx_float_encode(t, value));
    if (t.bits == 16)
        value = rlx_float_decode(t, rlx_float_encode(t, value));
    else if (!wide)
        value = (double)(float)value;
    if (g->is_c)
        return rlxc_c_float(g, wide, value);
    if (isnan(value))
        return wide ? "as_double(0x7ff8000000000000l)" : "as_float(0x7fc00000)";
    if (isinf(value))
        return rlxc_internf(g->ctx, "%s%s%s", value < 0 ? "(-" : "",
                            wide ? "(double)INFINITY" : "INFINITY", value < 0 ? ")" : "");
    return rlxc_internf(g->ctx, signbit(value) ? "(%a%s)" : "%a%s", value, wide ? "" : "f");
}

/* --- floats of 8 and 16 bits ------------------------------------------------------------------ */

/* The arguments of rlx_encode and rlx_decode that describe a format. */
static const char *format_args(rlxc_cl *g, rlx_dtype t)
{
    const rlx_float_format *f = rlx_float_format_of(t);
    return rlxc_internf(g->ctx, "%d, %d, %d, %d, %llu", (int)f->bits, (int)f->mantissa,
                        (int)f->bias, (int)f->kind, (unsigned long long)rlx_float_largest(t) + 1);
}

const char *rlxc_cl_number(rlxc_cl *g, const char *value, rlx_dtype t)
{
    if (!rlxc_dtype_is_float8(t))
        return value;
    g->used[RLXC_CL_DECODE] = true;
    return rlxc_internf(g->ctx, "rlx_decode(%s, %s)", value, format_args(g, t));
}

/* Conversions of floats of 16 bits: helpers' names by the type. */
static const char *half_call(rlxc_cl *g, rlx_dtype t, bool to_memory, const char *value)
{
    const bool half = t.code == RLX_FLOAT;
    g->used[to_memory ? (half ? RLXC_CL_TO_HALF : RLXC_CL_TO_BFLOAT16)
                      : (half ? RLXC_CL_FROM_HALF : RLXC_CL_FROM_BFLOAT16)] = true;
    return rlxc_internf(g->ctx, "rlx_%s_%s(%s)", to_memory ? "to" : "from",
                        half ? "half" : "bfloat16", value);
}

/* x of the text "prefix(x)"; NULL if |text| is another one. */
static const char *argument_of(rlxc_cl *g, const char *text, const char *prefix)
{
    const size_t length = strlen(prefix), all = strlen(text);
    int depth = 1;
    if (strncmp(text, prefix, length) != 0 || text[length] != '(')
        return NULL;
    for (size_t i = length + 1; i < all; i++) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0)
            return i + 1 == all ? rlxc_intern(g->ctx, text + length + 1, i - length - 1) : NULL;
    }
    return NULL;
}

const char *rlxc_cl_from_memory(rlxc_cl *g, const char *value, rlx_dtype t)
{
    if (rlxc_dtype_is_bool(t))
        return rlxc_internf(g->ctx, "(%s != 0)", value);
    return is_short_float(t) ? half_call(g, t, false, value) : value;
}

const char *rlxc_cl_to_memory(rlxc_cl *g, const char *value, rlx_dtype t)
{
    if (rlxc_dtype_is_bool(t))
        return rlxc_internf(g->ctx, "(%s)%s", int_type(g, RLX_U8), value);
    if (!is_short_float(t))
        return value;
    const char *bits = /* of a value that was rounded a moment ago */
        argument_of(g, value, t.code == RLX_FLOAT ? "rlx_from_half" : "rlx_from_bfloat16");
    return bits ? bits : half_call(g, t, true, value);
}

const char *rlxc_cl_round(rlxc_cl *g, const char *value, rlx_dtype t)
{
    if (is_short_float(t))
        return rlxc_cl_from_memory(g, rlxc_cl_to_memory(g, value, t), t);
    if (!rlxc_dtype_is_float8(t))
        return value;
    g->used[RLXC_CL_ENCODE] = true;
    return rlxc_internf(g->ctx, "(%s)rlx_encode(%s, %s)", int_type(g, RLX_U8), value,
                        format_args(g, t));
}

/* --- conversions ------------------------------------------------------------------------------ */

const char *rlxc_cl_wrap(rlxc_cl *g, rlx_dtype t, const char *op, const char *a, const char *b)
{
    const char *type = rlxc_cl_type(g, t),
               *wide = rlxc_cl_type(g, t.bits == 64 ? RLX_U64 : RLX_U32);
    if (strcmp(type, wide) == 0)
        return rlxc_internf(g->ctx, "(%s %s %s)", a, op, b);
    return rlxc_internf(g->ctx, "(%s)((%s)%s %s (%s)%s)", type, wide, a, op, wide, b);
}

/* Out-of-range values saturate. NaN gives the least number of a signed type of 32 or 64 bits, else
 * 0, which is what OpenCL's saturating conversions give. */
static const char *float_to_int(rlxc_cl *g, const char *value, rlx_dtype to)
{
    const char *type = rlxc_cl_type(g, to);
    if (g->is_c)
        return rlxc_c_saturate(g, to, value);
    if (to.code != RLX_INT || to.bits < 32)
        return rlxc_internf(g->ctx, "convert_%s_sat(%s)", type, value);
    rlxc_cl_helper helper = to.bits == 32 ? RLXC_CL_TO_INT : RLXC_CL_TO_LONG;
    g->used[helper] = true;
    return rlxc_internf(g->ctx, "rlx_to_%s(%s)", type, value);
}

const char *rlxc_cl_cast(rlxc_cl *g, const char *value, rlx_dtype from, rlx_dtype to)
{
    const bool from_float = rlxc_dtype_is_float(from), to_float = rlxc_dtype_is_float(to);
    if (from.code == to.code && from.bits == to.bits)
        return value;
    value = rlxc_cl_number(g, value, from);
    if (rlxc_dtype_is_bool(to))
        return rlxc_internf(g->ctx, "(%s != 0)", value);
    if (from_float && !to_float) {
        const bool wide = from.bits == 64;
        if (to.code == RLX_INT && to.bits >= 32 && wide && !g->is_c) {
            g->used[to.bits == 32 ? RLXC_CL_DOUBLE_TO_INT : RLXC_CL_DOUBLE_TO_LONG] = true;
            return rlxc_internf(g->ctx, "rlx_double_to_%s(%s)", rlxc_cl_type(g, to), value);
        }
        return float_to_int(g, value, to);
    }
    if (!to_float)
        return rlxc_internf(g->ctx, "(%s)%s", rlxc_cl_type(g, to), value);
    if (from_float && from.bits == 64 && to.bits < 32) {
        g->used[RLXC_CL_TO_ODD] = true;
        return rlxc_cl_round(g, rlxc_internf(g->ctx, "rlx_to_odd(%s)", value), to);
    }
    if (from_float && (from.bits < 64) == (to.bits < 64)) /* both are a float in registers */
        return rlxc_cl_round(g, value, to);
    return rlxc_cl_round(
        g, rlxc_internf(g->ctx, "(%s)%s", to.bits == 64 ? "double" : "float", value), to);
}

/* quantize, dequantize: with a scalar scale and zero point, or a vector of each along an axis.
 * Computed in float32; quantize rounds halves to even and saturates; NaN as float8 stays NaN. */
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <string.h>

static bool is_quantize(const rlxc_binding *call)
{
    return strcmp(call->op->name, "quantize") == 0;
}

/* The parameters are scalars or vectors along the axis. */
static bool check_parameter(const rlxc_call_view *v, uint32_t i, uint32_t axis)
{
    const rlxc_sinfo *x = v->in[0], *s = v->in[i];
    int64_t want, got;
    if (s->ndim > 1 || (s->ndim == 1 && x->ndim == 0)) {
        rlxc_infer_fail(v, i, "expected a scalar%s, got %s", x->ndim == 0 ? "" : " or a vector",
                        rlxc_sinfo_text(v->ctx, s));
        return false;
    }
    if (s->ndim == 1 && rlxc_dims_known(s) && rlxc_dims_known(x) && rlxc_is_int(s->dims[0], &got) &&
        rlxc_is_int(x->dims[axis], &want) && want != got && got != 1) {
        rlxc_infer_fail(v, i, "expected %lld values, one for each index of the axis, got %lld",
                        (long long)want, (long long)got);
        return false;
    }
    return s->ndim != 1 || !rlxc_dims_known(s) || !rlxc_dims_known(x) ||
           rlxc_require(v, RLXC_FITS, rlxc_size_of(v, i, 0), rlxc_size_of(v, 0, axis));
}

const rlxc_sinfo *rlxc_infer_quantize(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis = 0;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "out_dtype");
    bool to_int = is_quantize(call),
         fits = to_int ? rlxc_dtype_is_int(dtype) || rlxc_dtype_is_float8(dtype)
                       : rlxc_dtype_is_float(dtype);
    if (!fits)
        return rlxc_infer_error(&v, "out_dtype must be %s type, got %s",
                                to_int ? "an integer or float8" : "a floating-point",
                                rlxc_dtype_name(ctx, dtype));
    if (dtype.bits > 32 && to_int)
        return rlxc_infer_error(&v, "out_dtype %s is too wide", rlxc_dtype_name(ctx, dtype));
    if (x->ndim > 0 && !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", -1), x->ndim, &axis))
        return NULL;
    if (!check_parameter(&v, 1, axis) || !check_parameter(&v, 2, axis))
        return NULL;
    return rlxc_tensor_like(&v, x, dtype);
}

static const rlxc_expr *parameter(rlxc_te *te, const rlxc_te_operand *p, uint32_t axis)
{
    const rlxc_expr *const *dims = te->outputs.items[0]->shape;
    const rlxc_expr *at =
        p->ndim == 0 ? NULL : rlxc_broadcast_index(te->ctx, p->dims[0], dims[axis], te->axes[axis]);
    return rlxc_cast(te->ctx, RLX_F32, rlxc_te_get(te, p, &at));
}

rlxc_atom rlxc_legalize_quantize(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, call->op->name, RLXC_PATTERN_ELEMWISE))
        return (rlxc_atom){0};
    int64_t given = rlxc_attr_get_int(call, "axis", -1);
    uint32_t axis =
        given < 0 && te.out->ndim > 0 ? (uint32_t)(given + te.out->ndim) : (uint32_t)given;
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"),
                    scale = rlxc_te_operand_of(&te, 1, "scale"),
                    zero = rlxc_te_operand_of(&te, 2, "zero_point");
    const rlxc_buffer *out = rlxc_te_output(&te, call->op->name);
    if (scale.ndim > 0 || zero.ndim > 0)
        te.pattern = RLXC_PATTERN_BROADCAST;
    rlxc_te_spatial(&te, out->name, out);
    const rlxc_expr *element = rlxc_cast(ctx, RLX_F32, rlxc_te_get(&te, &x, te.axes));
    const rlxc_expr *s = parameter(&te, &scale, axis), *z = parameter(&te, &zero, axis), *value;
    if (is_quantize(call)) {
        value = rlxc_te_div(ctx, element, s);
        if (!rlxc_dtype_is_float8(out->dtype))
            value = rlxc_te_call1(ctx, "nearbyint", value);
        value = rlxc_add(ctx, value, z);
        /* float32 does not hold the limits of 32 bits */
        rlx_dtype wide = out->dtype.bits == 32 ? RLX_F64 : RLX_F32;
        const rlxc_expr *low = rlxc_cast(ctx, wide, rlxc_te_lowest(ctx, out->dtype));
        const rlxc_expr *high = rlxc_cast(ctx, wide, rlxc_te_highest(ctx, out->dtype));
        value = rlxc_cast(ctx, wide, value);
        if (rlxc_dtype_is_float8(out->dtype)) {
            const rlxc_expr *above = rlxc_binary(ctx, RLXC_EXPR_GT, value, high);
            const rlxc_expr *below = rlxc_binary(ctx, RLXC_EXPR_LT, value, low);
            value = rlxc_te_if(ctx, above, high, rlxc_te_if(ctx, below, low, value));
        } else {
            value =
                rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_binary(ctx, RLXC_EXPR_MIN, value, high), low);
        }
    } else {
        value = rlxc_mul(ctx, rlxc_sub(ctx, element, z), s);
    }
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

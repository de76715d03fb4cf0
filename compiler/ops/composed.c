/* Operators that are short formulas over others: dropout, linear, outer, prelu, pixel_shuffle,
 * instance_norm, cross_entropy_with_logits, median, multinomial_from_uniform, and batch_norm in
 * training. 16-bit floats are widened if a sum would lose digits. */
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"

#include <string.h>

static rlx_dtype wide(rlx_dtype t)
{
    return rlxc_dtype_is_float(t) && t.bits == 16 ? RLX_F32 : t;
}

static bool is_float_input(const rlxc_call_view *v, uint32_t i)
{
    rlx_dtype t = v->in[i]->dtype;
    if (rlxc_dtype_is_void(t) || rlxc_dtype_is_float(t))
        return true;
    rlxc_infer_fail(v, i, "expected floating-point elements, got %s", rlxc_dtype_name(v->ctx, t));
    return false;
}

static bool has_ndim(const rlxc_call_view *v, uint32_t i, int32_t ndim)
{
    if (v->in[i]->ndim == ndim || v->in[i]->ndim == RLXC_UNKNOWN_NDIM)
        return true;
    rlxc_infer_fail(v, i, "expected %d dimensions, got %s", ndim,
                    rlxc_sinfo_text(v->ctx, v->in[i]));
    return false;
}

static rlxc_attrs axes_attr(rlxc_context *ctx, const char *name, uint32_t set, bool keepdims)
{
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0;
    for (uint32_t i = 0; i < RLXC_MAX_NDIM; i++)
        if (set >> i & 1)
            axes[n++] = i;
    return rlxc_and_attr(ctx, rlxc_one_attr(ctx, name, rlxc_attr_ints(ctx, axes, n)), "keepdims",
                         rlxc_attr_bool(keepdims));
}

/* --- dropout: in inference its input, and a mask of ones --- */

const rlxc_sinfo *rlxc_infer_dropout(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *both[2] = {v.in[0], v.in[0]};
    return rlxc_sinfo_tuple(ctx, both, 2);
}

rlxc_atom rlxc_legalize_dropout(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlxc_atom fields[2] = {call->args[0], rlxc_lower1(b, call, "ones_like", call->args[0])};
    return rlxc_lower_tuple(b, call, fields, 2);
}

/* --- linear, outer --- */

const rlxc_sinfo *rlxc_infer_linear(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 1, &dtype) ||
        !has_ndim(&v, 1, 2) || (v.in[2] && !has_ndim(&v, 2, 1)))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *w = v.in[1];
    if (!rlxc_dtype_is_void(rlxc_attr_get_dtype(call, "out_dtype")))
        dtype = rlxc_attr_get_dtype(call, "out_dtype");
    if (x->ndim == 0)
        return rlxc_infer_fail(&v, 0, "expected at least 1 dimension, got a scalar");
    if (!rlxc_dims_known(x) || !rlxc_dims_known(w))
        return rlxc_tensor_ndim(&v, dtype, x->ndim);
    rlxc_dims dims = {.n = (uint32_t)x->ndim};
    memcpy(dims.at, x->dims, dims.n * sizeof dims.at[0]);
    if (rlxc_prove_ne(ctx, dims.at[dims.n - 1], w->dims[1], NULL))
        return rlxc_infer_fail(&v, 1, "expected rows as long as those of 'x', got %s",
                               rlxc_sinfo_text(ctx, w));
    if (!rlxc_require_equal(&v, rlxc_size_of(&v, 0, dims.n - 1), rlxc_size_of(&v, 1, 1)))
        return NULL;
    dims.at[dims.n - 1] = w->dims[0];
    if (v.in[2] && rlxc_dims_known(v.in[2])) {
        rlxc_size bias = rlxc_size_of(&v, 2, 0), rows = rlxc_size_of(&v, 1, 0);
        dims.at[dims.n - 1] = rlxc_require_broadcast(&v, bias, rows);
        if (!dims.at[dims.n - 1])
            return NULL;
    }
    return rlxc_tensor_of(&v, dtype, &dims);
}

rlxc_atom rlxc_legalize_linear(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlxc_atom args[2] = {call->args[0], rlxc_lower1(b, call, "permute_dims", call->args[1])};
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "out_dtype");
    rlxc_atom product = rlxc_lower_op(b, call, "matmul", args, 2,
                                      rlxc_one_attr(b->ctx, "out_dtype", rlxc_attr_dtype(dtype)));
    if (!v.in[2])
        return product;
    rlxc_atom bias = call->args[2];
    if (!rlxc_dtype_is_void(dtype))
        bias = rlxc_lower_astype(b, call, bias, dtype);
    return rlxc_lower2(b, call, "add", product, bias);
}

const rlxc_sinfo *rlxc_infer_outer(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 1, &dtype) ||
        !has_ndim(&v, 0, 1) || !has_ndim(&v, 1, 1))
        return NULL;
    if (!rlxc_dims_known(v.in[0]) || !rlxc_dims_known(v.in[1]))
        return rlxc_tensor_ndim(&v, dtype, 2);
    rlxc_dims dims = {.at = {v.in[0]->dims[0], v.in[1]->dims[0]}, .n = 2};
    return rlxc_tensor_of(&v, dtype, &dims);
}

rlxc_atom rlxc_legalize_outer(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    const rlxc_expr *one = rlxc_i64(b->ctx, 1), *column[2] = {v.in[0]->dims[0], one},
                    *row[2] = {one, v.in[1]->dims[0]};
    return rlxc_lower2(b, call, "multiply", rlxc_lower_reshape(b, call, call->args[0], column, 2),
                       rlxc_lower_reshape(b, call, call->args[1], row, 2));
}

/* --- prelu --- */

const rlxc_sinfo *rlxc_infer_prelu(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !is_float_input(&v, 0) ||
        !rlxc_common_dtype(&v, 0, 1, &dtype) || !has_ndim(&v, 1, 1))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *alpha = v.in[1];
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (!rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 1), x->ndim, &axis))
        return NULL;
    if (rlxc_dims_known(x) && rlxc_dims_known(alpha) && !rlxc_is_const(alpha->dims[0], 1) &&
        rlxc_prove_ne(ctx, x->dims[axis], alpha->dims[0], NULL))
        return rlxc_infer_fail(&v, 1, "expected as many elements as 'x' has along the axis, got %s",
                               rlxc_sinfo_text(ctx, alpha));
    if (rlxc_dims_known(x) && rlxc_dims_known(alpha) &&
        !rlxc_require(&v, RLXC_FITS, rlxc_size_of(&v, 1, 0), rlxc_size_of(&v, 0, axis)))
        return NULL;
    return x;
}

/* x * alpha below 0, else x, NaN too. */
rlxc_atom rlxc_legalize_prelu(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    uint32_t axis;
    if (!rlxc_lower_begin(&v, b, call) ||
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 1), v.in[0]->ndim, &axis))
        return (rlxc_atom){0};
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < (uint32_t)v.in[0]->ndim; i++)
        dims[i] = i == axis ? v.in[1]->dims[0] : rlxc_i64(ctx, 1);
    rlxc_atom alpha = rlxc_lower_reshape(b, call, call->args[1], dims, (uint32_t)v.in[0]->ndim);
    rlxc_atom x = call->args[0], zero = rlxc_lower1(b, call, "zeros_like", x);
    rlxc_atom choice[3] = {rlxc_lower2(b, call, "less", x, zero),
                           rlxc_lower2(b, call, "multiply", x, alpha), x};
    return rlxc_lower_op(b, call, "where", choice, 3, (rlxc_attrs){0});
}

/* --- pixel_shuffle --- */

const rlxc_sinfo *rlxc_infer_pixel_shuffle(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t r = rlxc_attr_get_int(call, "upscale_factor", 1), channels;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (r < 1 || r > INT32_MAX)
        return rlxc_infer_error(&v, "upscale_factor must be positive, got %lld", (long long)r);
    if (x->ndim != RLXC_UNKNOWN_NDIM && (x->ndim < 3 || x->ndim + 2 > RLX_MAX_NDIM))
        return rlxc_infer_fail(&v, 0, "expected 3 dimensions or more, got %s",
                               rlxc_sinfo_text(ctx, x));
    if (!rlxc_dims_known(x))
        return x;
    rlxc_dims dims = {.n = (uint32_t)x->ndim};
    memcpy(dims.at, x->dims, dims.n * sizeof dims.at[0]);
    uint32_t c = dims.n - 3;
    if (rlxc_is_int(dims.at[c], &channels) && channels % (r * r) != 0)
        return rlxc_infer_fail(&v, 0, "%lld channels do not divide into %lld", (long long)channels,
                               (long long)(r * r));
    if (!rlxc_require(&v, RLXC_MULTIPLE, rlxc_size_of(&v, 0, c), rlxc_size_given(&v, r * r)))
        return NULL;
    dims.at[c] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, dims.at[c], rlxc_i64(ctx, r * r));
    for (uint32_t i = c + 1; i < dims.n; i++)
        dims.at[i] = rlxc_mul(ctx, dims.at[i], rlxc_i64(ctx, r));
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_pixel_shuffle(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    const rlxc_expr *r = rlxc_i64(ctx, rlxc_attr_get_int(call, "upscale_factor", 1));
    const rlxc_expr *const *x = v.in[0]->dims, *dims[RLXC_MAX_NDIM];
    uint32_t n = (uint32_t)out->ndim, c = n - 3;
    int64_t axes[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i <= c; i++) {
        dims[i] = out->dims[i];
        axes[i] = i;
    }
    /* (c, r, r, h, w) to (c, h, r, w, r) */
    const rlxc_expr *const parts[4] = {r, r, x[c + 1], x[c + 2]};
    static const uint32_t from[4] = {2, 0, 3, 1};
    for (uint32_t i = 0; i < 4; i++) {
        dims[c + 1 + i] = parts[i];
        axes[c + 1 + i] = c + 1 + from[i];
    }
    rlxc_atom split = rlxc_lower_reshape(b, call, call->args[0], dims, n + 2);
    rlxc_atom moved = rlxc_lower_op(b, call, "permute_dims", &split, 1,
                                    rlxc_one_attr(ctx, "axes", rlxc_attr_ints(ctx, axes, n + 2)));
    return rlxc_lower_reshape(b, call, moved, out->dims, n);
}

/* --- instance_norm, batch_norm in training --- */

const rlxc_sinfo *rlxc_infer_instance_norm(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t channel, set;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !is_float_input(&v, 0) || !has_ndim(&v, 1, 1) ||
        !has_ndim(&v, 2, 1))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (!rlxc_axis_in(&v, rlxc_attr_get_int(call, "channel_axis", 1), x->ndim, &channel) ||
        !rlxc_axes_in(&v, "axes", x->ndim, &set))
        return NULL;
    if (set >> channel & 1)
        return rlxc_infer_error(&v, "axes must not name the channel axis");
    for (uint32_t i = 1; i < 3 && rlxc_dims_known(x); i++)
        if (rlxc_dims_known(v.in[i]) &&
            rlxc_prove_ne(ctx, v.in[i]->dims[0], x->dims[channel], NULL))
            return rlxc_infer_fail(&v, i, "expected an element for each channel, got %s",
                                   rlxc_sinfo_text(ctx, v.in[i]));
    for (uint32_t i = 1; i < 3 && rlxc_dims_known(x); i++)
        if (rlxc_dims_known(v.in[i]) &&
            !rlxc_require_equal(&v, rlxc_size_of(&v, 0, channel), rlxc_size_of(&v, i, 0)))
            return NULL;
    return x;
}

/* Argument |i|, one element a channel, shaped to broadcast along |channel| of |ndim| dimensions. */
static rlxc_atom per_channel(rlxc_builder *b, const rlxc_binding *call, const rlxc_call_view *v,
                             uint32_t i, uint32_t channel, uint32_t ndim, rlx_dtype dtype)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    for (uint32_t k = 0; k < ndim; k++)
        dims[k] = k == channel ? v->in[i]->dims[0] : rlxc_i64(b->ctx, 1);
    rlxc_atom x = rlxc_lower_astype(b, call, call->args[i], dtype);
    return rlxc_lower_reshape(b, call, x, dims, ndim);
}

/* Mean and variance of |x| over |set|, dimensions kept. */
static void moments(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, uint32_t set,
                    rlxc_atom *out_mean, rlxc_atom *out_variance)
{
    rlxc_attrs attrs = axes_attr(b->ctx, "axis", set, true);
    *out_mean = rlxc_lower_op(b, call, "mean", &x, 1, attrs);
    *out_variance = rlxc_lower_op(b, call, "variance", &x, 1, attrs);
}

/* ((x - mean) / sqrt(variance + epsilon)) * gamma + beta, rounded to the type of argument 0. */
static rlxc_atom normalised(rlxc_builder *b, const rlxc_binding *call, const rlxc_call_view *v,
                            rlxc_atom x, rlxc_atom mean, rlxc_atom variance, uint32_t channel,
                            rlx_dtype dtype)
{
    rlxc_context *ctx = b->ctx;
    uint32_t ndim = (uint32_t)v->in[0]->ndim;
    double epsilon = rlxc_attr_get_float(call, "epsilon", 1e-5);
    rlxc_atom spread =
        rlxc_lower1(b, call, "sqrt",
                    rlxc_lower2(b, call, "add", variance, rlxc_scalar_atom(ctx, dtype, epsilon)));
    rlxc_atom y = rlxc_lower2(b, call, "divide", rlxc_lower2(b, call, "subtract", x, mean), spread);
    if (rlxc_attr_get_bool(call, "scale", true))
        y = rlxc_lower2(b, call, "multiply", y, per_channel(b, call, v, 1, channel, ndim, dtype));
    if (rlxc_attr_get_bool(call, "center", true))
        y = rlxc_lower2(b, call, "add", y, per_channel(b, call, v, 2, channel, ndim, dtype));
    return rlxc_lower_astype(b, call, y, v->in[0]->dtype);
}

rlxc_atom rlxc_legalize_instance_norm(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t channel, set;
    if (!rlxc_lower_begin(&v, b, call) ||
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "channel_axis", 1), v.in[0]->ndim, &channel) ||
        !rlxc_axes_in(&v, "axes", v.in[0]->ndim, &set))
        return (rlxc_atom){0};
    rlx_dtype dtype = wide(v.in[0]->dtype);
    rlxc_atom x = rlxc_lower_astype(b, call, call->args[0], dtype), mean, variance;
    moments(b, call, x, set, &mean, &variance);
    return normalised(b, call, &v, x, mean, variance, channel, dtype);
}

/* old * (1 - momentum) + observed * momentum, in the type and shape of argument |i|. */
static rlxc_atom moved(rlxc_builder *b, const rlxc_binding *call, const rlxc_call_view *v,
                       uint32_t i, rlxc_atom seen, rlx_dtype dtype)
{
    double momentum = rlxc_attr_get_float(call, "momentum", 0.1);
    rlxc_atom old = rlxc_lower_astype(b, call, call->args[i], dtype);
    seen = rlxc_lower_reshape(b, call, seen, v->in[i]->dims, (uint32_t)v->in[i]->ndim);
    rlxc_atom sum = rlxc_lower2(
        b, call, "add",
        rlxc_lower2(b, call, "multiply", old, rlxc_scalar_atom(b->ctx, dtype, 1 - momentum)),
        rlxc_lower2(b, call, "multiply", seen, rlxc_scalar_atom(b->ctx, dtype, momentum)));
    return rlxc_lower_astype(b, call, sum, v->in[i]->dtype);
}

rlxc_atom rlxc_legalize_batch_norm_training(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t channel;
    if (!rlxc_lower_begin(&v, b, call) ||
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 1), v.in[0]->ndim, &channel))
        return (rlxc_atom){0};
    rlx_dtype dtype = wide(v.in[0]->dtype);
    uint32_t set = ((1u << v.in[0]->ndim) - 1) & ~(1u << channel);
    rlxc_atom x = rlxc_lower_astype(b, call, call->args[0], dtype), mean, variance;
    moments(b, call, x, set, &mean, &variance);
    rlxc_atom fields[3] = {normalised(b, call, &v, x, mean, variance, channel, dtype),
                           moved(b, call, &v, 3, mean, dtype),
                           moved(b, call, &v, 4, variance, dtype)};
    return rlxc_lower_tuple(b, call, fields, 3);
}

/* --- cross_entropy_with_logits --- */

const rlxc_sinfo *rlxc_infer_cross_entropy(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !is_float_input(&v, 0) ||
        !rlxc_common_dtype(&v, 0, 1, &dtype))
        return NULL;
    const rlxc_sinfo *p = v.in[0], *labels = v.in[1];
    if (p->ndim == 0)
        return rlxc_infer_fail(&v, 0, "expected at least 1 dimension, got a scalar");
    if (p->ndim != RLXC_UNKNOWN_NDIM && !has_ndim(&v, 1, p->ndim))
        return NULL;
    for (int32_t i = 0; rlxc_dims_known(p) && rlxc_dims_known(labels) && i < p->ndim; i++)
        if (rlxc_prove_ne(ctx, p->dims[i], labels->dims[i], NULL))
            return rlxc_infer_fail(&v, 1, "expected the shape of the predictions, got %s",
                                   rlxc_sinfo_text(ctx, labels));
    for (uint32_t i = 0; rlxc_dims_known(p) && rlxc_dims_known(labels) && i < (uint32_t)p->ndim;
         i++)
        if (!rlxc_require_equal(&v, rlxc_size_of(&v, 0, i), rlxc_size_of(&v, 1, i)))
            return NULL;
    return rlxc_tensor_of(&v, dtype, &(rlxc_dims){0});
}

/* -sum(predictions * labels), divided by the batch where there is one. */
rlxc_atom rlxc_legalize_cross_entropy(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    const rlxc_sinfo *p = v.in[0];
    rlx_dtype dtype = wide(p->dtype);
    rlxc_atom terms =
        rlxc_lower2(b, call, "multiply", rlxc_lower_astype(b, call, call->args[0], dtype),
                    rlxc_lower_astype(b, call, call->args[1], dtype));
    /* the mean over the batch of the sums over the classes */
    uint32_t all = (1u << p->ndim) - 1;
    if (p->ndim > 1) {
        terms = rlxc_lower_op(b, call, "sum", &terms, 1, axes_attr(ctx, "axis", all & ~1u, false));
        terms = rlxc_lower_op(b, call, "mean", &terms, 1, axes_attr(ctx, "axis", 1, false));
    } else {
        terms = rlxc_lower_op(b, call, "sum", &terms, 1, axes_attr(ctx, "axis", all, false));
    }
    return rlxc_lower_astype(b, call, rlxc_lower1(b, call, "negative", terms), p->dtype);
}

/* --- median --- */

static bool median_axes(const rlxc_call_view *v, bool *out_all, uint32_t *out_axis)
{
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0, set = 0;
    *out_axis = 0;
    *out_all = !rlxc_attr_get_ints(v->call, "axis", axes, RLXC_MAX_NDIM, &n) || n == 0;
    if (*out_all || v->in[0]->ndim == RLXC_UNKNOWN_NDIM)
        return true;
    if (!rlxc_axes_in(v, "axis", v->in[0]->ndim, &set))
        return false;
    if (n > 1) {
        rlxc_infer_error(v, "expected at most one axis, got %u", n);
        return false;
    }
    *out_axis = (uint32_t)__builtin_ctz(set);
    return true;
}

/* Over all elements the median alone, along an axis also its index; of an even number the smaller
 * of the two middle elements. */
const rlxc_sinfo *rlxc_infer_median(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    bool all, keep = rlxc_attr_get_bool(call, "keepdims", false);
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !median_axes(&v, &all, &axis))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *fields[2];
    if (x->ndim == 0 && !all)
        return rlxc_infer_error(&v, "a scalar has no axis to reduce");
    bool ranked = x->ndim != RLXC_UNKNOWN_NDIM;
    rlxc_dims dims = {0};
    if (all) {
        for (int32_t i = 0; keep && ranked && i < x->ndim; i++)
            dims.at[dims.n++] = rlxc_i64(ctx, 1);
        return keep && !ranked ? rlxc_tensor_ndim(&v, x->dtype, RLXC_UNKNOWN_NDIM)
                               : rlxc_tensor_of(&v, x->dtype, &dims);
    }
    for (uint32_t i = 0; rlxc_dims_known(x) && i < (uint32_t)x->ndim; i++)
        if (i != axis || keep)
            dims.at[dims.n++] = i == axis ? rlxc_i64(ctx, 1) : x->dims[i];
    for (uint32_t i = 0; i < 2; i++) {
        rlx_dtype dtype = i ? RLX_I64 : x->dtype;
        fields[i] = rlxc_dims_known(x) ? rlxc_tensor_of(&v, dtype, &dims)
                    : ranked           ? rlxc_tensor_ndim(&v, dtype, keep ? x->ndim : x->ndim - 1)
                                       : rlxc_tensor_ndim(&v, dtype, RLXC_UNKNOWN_NDIM);
    }
    return rlxc_sinfo_tuple(ctx, fields, 2);
}

/* The slice of |x| of length 1 at |position| along |axis|. */
static rlxc_atom slice_at(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, uint32_t axis,
                          const rlxc_expr *position)
{
    rlxc_context *ctx = b->ctx;
    rlxc_atom at[3] = {
        rlxc_atom_prim(rlxc_i64(ctx, axis)), rlxc_atom_prim(rlxc_canonical(ctx, position, NULL)),
        rlxc_atom_prim(rlxc_canonical(ctx, rlxc_add(ctx, position, rlxc_i64(ctx, 1)), NULL))};
    rlxc_atom args[4] = {x};
    for (uint32_t i = 0; i < 3; i++)
        args[1 + i] = rlxc_atom_tuple(ctx, &at[i], 1);
    return rlxc_lower_op(b, call, "strided_slice", args, 4,
                         rlxc_one_attr(ctx, "assume_inbound", rlxc_attr_bool(true)));
}

rlxc_atom rlxc_legalize_median(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    bool all;
    uint32_t axis;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call) || !median_axes(&v, &all, &axis))
        return (rlxc_atom){0};
    rlxc_atom x = call->args[0];
    const rlxc_expr *length;
    if (all) {
        length = rlxc_product(ctx, v.in[0]->dims, (uint32_t)v.in[0]->ndim);
        x = rlxc_lower_reshape(b, call, x, &length, 1);
    } else {
        length = v.in[0]->dims[axis];
    }
    rlxc_attrs attrs = rlxc_one_attr(ctx, "axis", rlxc_attr_int(axis));
    rlxc_atom order = rlxc_lower_op(b, call, "argsort", &x, 1,
                                    rlxc_and_attr(ctx, attrs, "dtype", rlxc_attr_dtype(RLX_I64)));
    const rlxc_expr *one = rlxc_i64(ctx, 1), *last = rlxc_sub(ctx, length, one);
    rlxc_atom middle[2] = {x,
                           slice_at(b, call, order, axis,
                                    rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, last, rlxc_i64(ctx, 2)))};
    rlxc_atom values = rlxc_lower_op(b, call, "gather_elements", middle, 2, attrs);
    if (rlxc_dtype_is_float(v.in[0]->dtype)) { /* NaN sorts last, and any NaN makes the result NaN
                                                */
        rlxc_atom end[2] = {x, slice_at(b, call, order, axis, last)};
        rlxc_atom largest = rlxc_lower_op(b, call, "gather_elements", end, 2, attrs);
        rlxc_atom nan = rlxc_lower1(b, call, "isnan", largest);
        rlxc_atom value[3] = {nan, largest, values}, index[3] = {nan, end[1], middle[1]};
        values = rlxc_lower_op(b, call, "where", value, 3, (rlxc_attrs){0});
        middle[1] = rlxc_lower_op(b, call, "where", index, 3, (rlxc_attrs){0});
    }
    if (all)
        return rlxc_lower_reshape(b, call, values, out->dims, (uint32_t)out->ndim);
    const rlxc_sinfo *s = out->fields[0];
    rlxc_atom fields[2] = {rlxc_lower_reshape(b, call, values, s->dims, (uint32_t)s->ndim),
                           rlxc_lower_reshape(b, call, middle[1], s->dims, (uint32_t)s->ndim)};
    return rlxc_lower_tuple(b, call, fields, 2);
}

/* --- multinomial_from_uniform --- */

const rlxc_sinfo *rlxc_infer_multinomial(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !is_float_input(&v, 0) ||
        !is_float_input(&v, 1))
        return NULL;
    for (uint32_t i = 0; i < 3; i++)
        if (!has_ndim(&v, i, 2))
            return NULL;
    const rlxc_sinfo *rows = v.in[2];
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    if (!rlxc_dtype_is_void(rows->dtype) && !rlxc_dtype_is_int(rows->dtype))
        return rlxc_infer_fail(&v, 2, "expected integers, got %s", rlxc_sinfo_text(ctx, rows));
    if (rlxc_dtype_is_void(dtype))
        dtype = RLX_I64;
    if (!rlxc_dims_known(v.in[1]))
        return rlxc_tensor_ndim(&v, dtype, 2);
    for (uint32_t i = 1; i < 3; i++)
        if (rlxc_dims_known(v.in[i]) &&
            (rlxc_prove_ne(ctx, v.in[i]->dims[1], rlxc_i64(ctx, 1), NULL) ||
             rlxc_prove_ne(ctx, v.in[i]->dims[0], v.in[1]->dims[0], NULL)))
            return rlxc_infer_fail(&v, i, "expected a column with one row per sample, got %s",
                                   rlxc_sinfo_text(ctx, v.in[i]));
    for (uint32_t i = 1; i < 3; i++) {
        if (rlxc_dims_known(v.in[i]) &&
            (!rlxc_require_equal(&v, rlxc_size_of(&v, i, 1), rlxc_size_given(&v, 1)) ||
             !rlxc_require_equal(&v, rlxc_size_of(&v, 1, 0), rlxc_size_of(&v, i, 0))))
            return NULL;
    }
    rlxc_dims dims = {.at = {v.in[1]->dims[0], rlxc_i64(ctx, 1)}, .n = 2};
    return rlxc_tensor_of(&v, dtype, &dims);
}

/* The number of running sums of the row's probabilities that are at most the sample, limited to the
 * last class in case rounding leaves their total below it. */
rlxc_atom rlxc_legalize_multinomial(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlxc_atom p = rlxc_lower_astype(b, call, call->args[0], RLX_F64),
              sample = rlxc_lower_astype(b, call, call->args[1], RLX_F64);
    rlxc_atom sums =
        rlxc_lower_op(b, call, "cumsum", &p, 1, rlxc_one_attr(ctx, "axis", rlxc_attr_int(1)));
    rlxc_atom rows[2] = {sums, rlxc_lower_reshape(b, call, call->args[2], &v.in[2]->dims[0], 1)};
    rlxc_atom row =
        rlxc_lower_op(b, call, "take", rows, 2, rlxc_one_attr(ctx, "axis", rlxc_attr_int(0)));
    rlxc_atom passed =
        rlxc_lower_astype(b, call, rlxc_lower2(b, call, "less_equal", row, sample), RLX_I64);
    rlxc_atom count =
        rlxc_lower_op(b, call, "sum", &passed, 1, axes_attr(ctx, "axis", 1u << 1, true));
    const rlxc_expr *classes = v.in[0]->dims[1];
    rlxc_atom last =
        rlxc_atom_prim(rlxc_canonical(ctx, rlxc_sub(ctx, classes, rlxc_i64(ctx, 1)), NULL));
    rlxc_atom clip[3] = {count, rlxc_atom_prim(rlxc_i64(ctx, 0)), last};
    return rlxc_lower_astype(b, call, rlxc_lower_op(b, call, "clip", clip, 3, (rlxc_attrs){0}),
                             out->dtype);
}

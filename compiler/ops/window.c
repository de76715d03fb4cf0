/* Convolutions over one to three spatial dimensions, in any order of N, C and the spatial letters
 * (NCHW, NHWC, OIHW, HWIO, ...), and the parts they share with poolings (pool.c).
 *
 * A padded input is copied into a wider temporary, so that the inner loops have no conditions. */
#include "compiler/ops/window.h"
#include "compiler/ops/reduce.h"
#include "compiler/ops/require.h"

#include <string.h>

/* Finds |letters| in |layout|, which must have exactly these. */
static bool read_layout(const rlxc_call_view *v, const char *name, const char *layout,
                        const char *letters, uint32_t *out)
{
    size_t n = strlen(letters);
    bool fits = layout && strlen(layout) == n;
    for (size_t i = 0; i < n && fits; i++) {
        const char *at = strchr(layout, letters[i]);
        fits = at != NULL;
        out[i] = fits ? (uint32_t)(at - layout) : 0;
    }
    if (!fits)
        rlxc_infer_error(v, "%s \"%s\" is not supported, expected an order of \"%s\"", name,
                         layout ? layout : "None", letters);
    return fits;
}

/* A list with one value for all or one for each dimension, each at least |least|. */
bool rlxc_window_sizes(const rlxc_call_view *v, const char *name, uint32_t n, int64_t least,
                       int64_t *out)
{
    int64_t values[2 * RLXC_MAX_NDIM];
    uint32_t count;
    if (!rlxc_attrs_find(&v->call->attrs, name)) {
        for (uint32_t i = 0; i < n; i++)
            out[i] = 1;
        return true;
    }
    rlxc_attr_get_ints(v->call, name, values, 2 * RLXC_MAX_NDIM, &count);
    if (count != 1 && count != n) {
        rlxc_infer_error(v, "%s must have 1 or %u values, got %u", name, n, count);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        out[i] = values[count == 1 ? 0 : i];
        if (out[i] < least || out[i] > INT32_MAX) {
            rlxc_infer_error(v, "%s %lld is out of range", name, (long long)out[i]);
            return false;
        }
    }
    return true;
}

static bool read_padding(const rlxc_call_view *v, rlxc_window *w)
{
    int64_t values[2 * RLXC_MAX_SPATIAL];
    uint32_t count;
    if (!rlxc_attrs_find(&v->call->attrs, "padding"))
        return true;
    rlxc_attr_get_ints(v->call, "padding", values, 2 * RLXC_MAX_SPATIAL, &count);
    if (count != 1 && count != w->n && count != 2 * w->n) {
        rlxc_infer_error(v, "padding must have 1, %u or %u values, got %u", w->n, 2 * w->n, count);
        return false;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        w->before[i] = values[count == 1 ? 0 : i];
        w->after[i] = count == 2 * w->n ? values[w->n + i] : w->before[i];
        if (w->before[i] < 0 || w->after[i] < 0 || w->before[i] > INT32_MAX ||
            w->after[i] > INT32_MAX) {
            rlxc_infer_error(v, "padding must not be negative");
            return false;
        }
    }
    return true;
}

static const char *const space_letters[RLXC_MAX_SPATIAL + 1] = {"", "W", "HW", "DHW"};

/* The attributes common to convolutions and poolings; the operator's name ends in the number of
 * dimensions and a "d". */
bool rlxc_window_read(const rlxc_call_view *v, const char *layout_name, rlxc_window *w)
{
    const char *digit = strpbrk(v->op, "123");
    char letters[8] = "NC";
    uint32_t at[RLXC_MAX_SPATIAL + 2];
    *w = (rlxc_window){.n = (uint32_t)(*digit - '0')};
    memcpy(letters + 2, space_letters[w->n], w->n + 1);
    const char *layout = rlxc_attr_get_str(v->call, layout_name, NULL);
    const char *out_layout = rlxc_attr_get_str(v->call, "out_layout", layout);
    if (out_layout && out_layout[0] == '\0')
        out_layout = layout;
    if (!read_layout(v, layout_name, layout, letters, at))
        return false;
    w->batch = at[0];
    w->channel = at[1];
    memcpy(w->space, at + 2, w->n * sizeof at[0]);
    if (!read_layout(v, "out_layout", out_layout, letters, at))
        return false;
    w->out_batch = at[0];
    w->out_channel = at[1];
    memcpy(w->out_space, at + 2, w->n * sizeof at[0]);
    int32_t ndim = (int32_t)w->n + 2;
    if (v->in[0]->ndim != RLXC_UNKNOWN_NDIM && v->in[0]->ndim != ndim) {
        rlxc_infer_fail(v, 0, "expected %d dimensions (%s), got %s", ndim, layout,
                        rlxc_sinfo_text(v->ctx, v->in[0]));
        return false;
    }
    return rlxc_window_sizes(v, "strides", w->n, 1, w->strides) &&
           rlxc_window_sizes(v, "dilation", w->n, 1, w->dilation) && read_padding(v, w);
}

/* (length + padding - dilation * (size - 1) - 1) / stride + 1, rounded down or up; a window that
 * rounding up adds is left out if it begins after the input. */
const rlxc_expr *rlxc_window_positions(rlxc_context *ctx, const rlxc_window *w, uint32_t i,
                                       const rlxc_expr *length, const rlxc_expr *size, bool up)
{
    const rlxc_expr *one = rlxc_i64(ctx, 1);
    const rlxc_expr *reach = rlxc_mul(ctx, rlxc_i64(ctx, w->dilation[i]), rlxc_sub(ctx, size, one));
    int64_t extra = w->before[i] + w->after[i] - 1 + (up ? w->strides[i] - 1 : 0);
    const rlxc_expr *span =
        rlxc_add(ctx, rlxc_sub(ctx, length, reach), rlxc_i64(ctx, extra + w->strides[i]));
    const rlxc_expr *stride = rlxc_i64(ctx, w->strides[i]), *reached = rlxc_add(ctx, reach, one);
    const rlxc_expr *count =
        rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rlxc_canonical(ctx, span, NULL), stride);
    if (up && !rlxc_prove_le(ctx, rlxc_i64(ctx, w->after[i] + w->strides[i]), reached, NULL)) {
        const rlxc_expr *last = rlxc_add(ctx, length, rlxc_i64(ctx, w->before[i] - 1));
        const rlxc_expr *begin =
            rlxc_add(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, last, stride), one);
        count = rlxc_binary(ctx, RLXC_EXPR_MIN, count, begin);
    }
    return rlxc_canonical(ctx, count, NULL);
}

bool rlxc_window_fits(const rlxc_call_view *v, const rlxc_expr *length)
{
    int64_t n;
    if (!rlxc_is_int(length, &n) || n >= 0)
        return true;
    rlxc_infer_error(v, "the window is larger than the padded input %s",
                     rlxc_sinfo_text(v->ctx, v->in[0]));
    return false;
}

/* --- convolution --- */

bool rlxc_window_read_conv(const rlxc_call_view *v, rlxc_window *w)
{
    char letters[8] = "OI";
    uint32_t at[RLXC_MAX_SPATIAL + 2];
    if (!rlxc_window_read(v, "data_layout", w))
        return false;
    memcpy(letters + 2, space_letters[w->n], w->n + 1);
    const char *layout = rlxc_attr_get_str(v->call, "kernel_layout", NULL);
    if (!read_layout(v, "kernel_layout", layout, letters, at))
        return false;
    w->w_out = at[0];
    w->w_in = at[1];
    memcpy(w->w_space, at + 2, w->n * sizeof at[0]);
    if (v->in[1]->ndim != RLXC_UNKNOWN_NDIM && v->in[1]->ndim != (int32_t)w->n + 2) {
        rlxc_infer_fail(v, 1, "expected %u dimensions (%s), got %s", w->n + 2, layout,
                        rlxc_sinfo_text(v->ctx, v->in[1]));
        return false;
    }
    return true;
}

bool rlxc_window_dtype(const rlxc_call_view *v, rlx_dtype *out)
{
    *out = rlxc_attr_get_dtype(v->call, "out_dtype");
    return !rlxc_dtype_is_void(*out) || rlxc_common_dtype(v, 0, 1, out);
}

bool rlxc_window_check_groups(const rlxc_call_view *v, const rlxc_window *w, int64_t groups)
{
    int64_t channels, per_group, outputs;
    const rlxc_sinfo *x = v->in[0], *weight = v->in[1];
    if (groups < 1 || groups > INT32_MAX) {
        rlxc_infer_error(v, "groups is %lld", (long long)groups);
        return false;
    }
    if (rlxc_is_int(x->dims[w->channel], &channels) &&
        rlxc_is_int(weight->dims[w->w_in], &per_group) &&
        (per_group > INT32_MAX || channels != per_group * groups)) {
        rlxc_infer_error(v, "the input has %lld channels, the weight takes %lld in %lld groups",
                         (long long)channels, (long long)per_group, (long long)groups);
        return false;
    }
    const rlxc_expr *all = rlxc_mul(v->ctx, weight->dims[w->w_in], rlxc_i64(v->ctx, groups));
    rlxc_size takes = rlxc_size_of(v, 1, w->w_in);
    takes.dim = rlxc_canonical(v->ctx, all, NULL);
    if (!rlxc_require_equal(v, rlxc_size_of(v, 0, w->channel), takes))
        return false;
    if (rlxc_is_int(weight->dims[w->w_out], &outputs) && outputs % groups != 0) {
        rlxc_infer_error(v, "%lld output channels do not divide into %lld groups",
                         (long long)outputs, (long long)groups);
        return false;
    }
    return rlxc_require(v, RLXC_MULTIPLE, rlxc_size_of(v, 1, w->w_out), rlxc_size_given(v, groups));
}

const rlxc_sinfo *rlxc_infer_conv(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_window_read_conv(&v, &w))
        return NULL;
    rlx_dtype dtype;
    if (!rlxc_window_dtype(&v, &dtype))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *weight = v.in[1];
    int32_t ndim = (int32_t)w.n + 2;
    if (!rlxc_dims_known(x) || !rlxc_dims_known(weight))
        return rlxc_tensor_ndim(&v, dtype, ndim);
    if (!rlxc_window_check_groups(&v, &w, rlxc_attr_get_int(call, "groups", 1)))
        return NULL;
    rlxc_dims dims = {.n = (uint32_t)ndim};
    dims.at[w.out_batch] = x->dims[w.batch];
    dims.at[w.out_channel] = weight->dims[w.w_out];
    for (uint32_t i = 0; i < w.n; i++) {
        const rlxc_expr *length = rlxc_window_positions(ctx, &w, i, x->dims[w.space[i]],
                                                        weight->dims[w.w_space[i]], false);
        if (!rlxc_window_fits(&v, length))
            return NULL;
        dims.at[w.out_space[i]] = length;
    }
    return rlxc_tensor_of(&v, dtype, &dims);
}

const rlxc_expr *rlxc_window_both(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return a ? rlxc_binary(ctx, RLXC_EXPR_AND, a, b) : b;
}

bool rlxc_window_padded_dims(rlxc_context *ctx, const rlxc_window *w, const rlxc_te_operand *x,
                             bool up, const rlxc_expr **dims)
{
    bool any = false;
    memcpy(dims, x->dims, x->ndim * sizeof dims[0]);
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t k = w->space[i];
        const int64_t border = w->before[i] + w->after[i] + (up ? w->strides[i] - 1 : 0);
        any |= border != 0;
        dims[k] = rlxc_canonical(ctx, rlxc_add(ctx, dims[k], rlxc_i64(ctx, border)), NULL);
    }
    return any;
}

const rlxc_expr *rlxc_window_padded_at(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x,
                                       const rlxc_expr *const *dims, const rlxc_expr *fill,
                                       const rlxc_expr *const *place)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *at[RLXC_MAX_NDIM], *inside = NULL;
    memcpy(at, place, x->ndim * sizeof at[0]);
    for (uint32_t k = 0; k < x->ndim; k++) {
        int64_t before = 0;
        for (uint32_t i = 0; i < w->n; i++)
            before = w->space[i] == k ? w->before[i] : before;
        const rlxc_expr *low = rlxc_i64(ctx, before);
        const rlxc_expr *end = rlxc_canonical(ctx, rlxc_add(ctx, x->dims[k], low), NULL);
        at[k] = rlxc_sub(ctx, place[k], low);
        if (before)
            inside = rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LE, low, place[k]));
        if (dims[k] != x->dims[k])
            inside = rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LT, place[k], end));
    }
    const rlxc_expr *value = rlxc_cast(ctx, fill->dtype, rlxc_te_get(te, x, at));
    return inside ? rlxc_te_if(ctx, inside, value, fill) : value;
}

rlxc_te_operand rlxc_window_padded(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x,
                                   const rlxc_expr *fill, bool up)
{
    const rlx_dtype dtype = fill->dtype;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    if (!rlxc_window_padded_dims(te->ctx, w, x, up, dims) && rlxc_dtype_eq(dtype, x->dtype))
        return *x;
    const rlxc_buffer *copy = rlxc_te_temp(te, "pad_temp", dtype, dims, x->ndim);
    rlxc_te_spatial(te, "pad_temp", copy);
    rlxc_te_store(te, copy, rlxc_window_padded_at(te, w, x, dims, fill, te->axes));
    return (rlxc_te_operand){.buffer = copy, .dtype = dtype, .ndim = x->ndim, .dims = copy->shape};
}

const rlxc_expr *rlxc_window_product(rlxc_te *te, rlx_dtype dtype, const rlxc_te_operand *x,
                                     const rlxc_expr *const *at, const rlxc_te_operand *weight,
                                     const rlxc_expr *const *wt)
{
    return rlxc_mul(te->ctx, rlxc_cast(te->ctx, dtype, rlxc_te_get(te, x, at)),
                    rlxc_cast(te->ctx, dtype, rlxc_te_get(te, weight, wt)));
}

const rlxc_expr *rlxc_window_tap(rlxc_context *ctx, const rlxc_window *w, uint32_t i,
                                 const rlxc_expr *position, const rlxc_expr *offset)
{
    return rlxc_add(ctx, rlxc_mul(ctx, position, rlxc_i64(ctx, w->strides[i])),
                    rlxc_mul(ctx, offset, rlxc_i64(ctx, w->dilation[i])));
}

/* The output channels of a group if groups get an axis of their own (several outputs each, channels
 * last); else 0. */
static int64_t outputs_of_group(const rlxc_window *w, int64_t groups, const rlxc_expr *outputs)
{
    int64_t all;
    bool last = w->out_channel == w->n + 1 && w->w_out == w->n + 1;
    if (groups == 1 || !last || !rlxc_is_int(outputs, &all) || all <= groups)
        return 0;
    return all / groups;
}

/* out[..., c] = acc[..., c / size, c % size] */
static void join_groups(rlxc_te *te, const rlxc_buffer *acc, const rlxc_buffer *out, int64_t size)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *at[RLXC_MAX_NDIM + 1], *each = rlxc_i64(ctx, size);
    rlxc_te_spatial(te, "join_groups", out);
    const rlxc_expr *channel = te->axes[out->ndim - 1];
    memcpy(at, te->axes, out->ndim * sizeof at[0]);
    at[out->ndim - 1] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, channel, each);
    at[out->ndim] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, channel, each);
    rlxc_te_store(te, out, rlxc_cast(ctx, out->dtype, rlxc_te_load(te, acc, at)));
}

rlxc_atom rlxc_legalize_conv(rlxc_builder *b, const rlxc_binding *call)
{
    static const char *const axis_names[RLXC_MAX_SPATIAL][2] = {
        {"zz", "rz"}, {"yy", "ry"}, {"xx", "rx"}};
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    rlxc_window w;
    if (!rlxc_te_begin(&te, b, call, call->op->name + 3, RLXC_PATTERN_OUT_FUSABLE) ||
        !rlxc_window_read_conv(&te.view, &w))
        return (rlxc_atom){0};
    int64_t groups = rlxc_attr_get_int(call, "groups", 1);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), weight = rlxc_te_operand_of(&te, 1, "w");
    const rlxc_expr *per_group = weight.dims[w.w_in];
    const rlxc_buffer *out = rlxc_te_output(&te, te.name);
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    const rlxc_buffer *acc = out;
    int64_t split = outputs_of_group(&w, groups, weight.dims[w.w_out]);
    if (split) {
        const rlxc_expr *dims[RLXC_MAX_NDIM + 1];
        memcpy(dims, out->shape, out->ndim * sizeof dims[0]);
        dims[out->ndim - 1] = rlxc_i64(ctx, groups);
        dims[out->ndim] = rlxc_i64(ctx, split);
        acc = rlxc_te_temp(&te, "conv_groups", dtype, dims, out->ndim + 1);
    } else if (!rlxc_dtype_eq(dtype, out->dtype)) {
        acc = rlxc_te_temp(&te, "conv_acc", dtype, out->shape, out->ndim);
    }
    /* a narrow image is widened once, not for each output that reads it */
    const bool widens = groups == 1 && rlxc_dtype_is_float(x.dtype) && x.dtype.bits < dtype.bits;
    x = rlxc_window_padded(&te, &w, &x, rlxc_te_number(ctx, widens ? dtype : x.dtype, 0), false);
    const rlxc_expr *at[RLXC_MAX_NDIM], *wt[RLXC_MAX_NDIM], *place[RLXC_MAX_NDIM] = {0};
    rlxc_te_block(&te, te.name);
    rlxc_te_computes(&te, RLXC_OPERATION_conv);
    for (uint32_t i = 0; i < out->ndim; i++) {
        const char *name = i == w.out_batch ? "nn" : i == w.out_channel ? "ff" : NULL;
        for (uint32_t k = 0; k < w.n; k++)
            if (i == w.out_space[k])
                name = axis_names[RLXC_MAX_SPATIAL - w.n + k][0];
        bool is_group = split && i == w.out_channel;
        place[i] = rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, is_group ? "gg" : name, acc->shape[i]);
    }
    const rlxc_expr *group = split ? place[w.out_channel] : NULL;
    if (split)
        place[w.out_channel] =
            rlxc_add(ctx, rlxc_mul(ctx, group, rlxc_i64(ctx, split)),
                     rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, "ff", acc->shape[out->ndim]));
    const rlxc_expr *ff = place[w.out_channel], *rc = NULL;
    bool channels_first = w.w_in < w.w_space[0]; /* sums in the order of the weight's elements */
    if (channels_first)
        rc = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "rc", per_group);
    for (uint32_t i = 0; i < w.n; i++) {
        const rlxc_expr *r =
            rlxc_te_axis(&te, RLXC_AXIS_REDUCE, axis_names[RLXC_MAX_SPATIAL - w.n + i][1],
                         weight.dims[w.w_space[i]]);
        wt[w.w_space[i]] = r;
        at[w.space[i]] = rlxc_window_tap(ctx, &w, i, place[w.out_space[i]], r);
    }
    if (!channels_first)
        rc = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "rc", per_group);
    at[w.batch] = place[w.out_batch];
    at[w.channel] = rc;
    if (groups > 1) {
        const rlxc_expr *outputs = rlxc_canonical(
            ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, weight.dims[w.w_out], rlxc_i64(ctx, groups)),
            NULL);
        if (!group)
            group = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, ff, outputs);
        at[w.channel] = rlxc_add(ctx, rlxc_mul(ctx, group, per_group), rc);
    }
    wt[w.w_out] = ff;
    wt[w.w_in] = rc;
    const rlxc_expr *value = rlxc_window_product(&te, dtype, &x, at, &weight, wt);
    rlxc_te_reduce(&te, acc, rlxc_te_number(ctx, dtype, 0),
                   rlxc_add(ctx, rlxc_te_load(&te, acc, te.axes), value));
    if (split)
        join_groups(&te, acc, out, split);
    else
        rlxc_te_round(&te, acc, out);
    return rlxc_te_finish(&te);
}

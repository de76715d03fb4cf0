/* Transposed convolution and adaptive average pooling. Both gather: each element of the result sums
 * its contributions, with a condition for taps that fall between or outside the input's elements.
 * At -O2 the pass transposed_convs rewrites transposed convolutions. */
#include "compiler/ops/require.h"
#include "compiler/ops/window.h"

#include <string.h>

/* --- transposed convolution --- */

static bool read_output_padding(const rlxc_call_view *v, const rlxc_window *w,
                                int64_t out[RLXC_MAX_SPATIAL])
{
    if (!rlxc_window_sizes(v, "output_padding", w->n, 0, out))
        return false;
    for (uint32_t i = 0; i < w->n; i++)
        if (out[i] >= w->strides[i] && out[i] >= w->dilation[i]) {
            rlxc_infer_error(v, "output_padding %lld must be less than the stride",
                             (long long)out[i]);
            return false;
        }
    return true;
}

static bool check_groups(const rlxc_call_view *v, const rlxc_window *w, int64_t groups)
{
    int64_t channels, inputs;
    if (groups < 1 || groups > INT32_MAX) {
        rlxc_infer_error(v, "groups is %lld", (long long)groups);
        return false;
    }
    if (rlxc_is_int(v->in[0]->dims[w->channel], &channels) &&
        rlxc_is_int(v->in[1]->dims[w->w_in], &inputs) &&
        (channels != inputs || channels % groups != 0)) {
        rlxc_infer_error(v, "the input has %lld channels, the weight takes %lld in %lld groups",
                         (long long)channels, (long long)inputs, (long long)groups);
        return false;
    }
    rlxc_size in = rlxc_size_of(v, 0, w->channel);
    return rlxc_require_equal(v, in, rlxc_size_of(v, 1, w->w_in)) &&
           rlxc_require(v, RLXC_MULTIPLE, in, rlxc_size_given(v, groups));
}

const rlxc_sinfo *rlxc_infer_conv_transpose(rlxc_context *ctx, const rlxc_module *module,
                                            const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    int64_t extra[RLXC_MAX_SPATIAL], groups = rlxc_attr_get_int(call, "groups", 1);
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_window_read_conv(&v, &w) ||
        !read_output_padding(&v, &w, extra))
        return NULL;
    rlx_dtype dtype;
    if (!rlxc_window_dtype(&v, &dtype))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *weight = v.in[1];
    if (!rlxc_dims_known(x) || !rlxc_dims_known(weight))
        return rlxc_tensor_ndim(&v, dtype, (int32_t)w.n + 2);
    if (!check_groups(&v, &w, groups))
        return NULL;
    rlxc_dims dims = {.n = w.n + 2};
    dims.at[w.out_batch] = x->dims[w.batch];
    dims.at[w.out_channel] = rlxc_mul(ctx, weight->dims[w.w_out], rlxc_i64(ctx, groups));
    for (uint32_t i = 0; i < w.n; i++) {
        const rlxc_expr *one = rlxc_i64(ctx, 1);
        const rlxc_expr *spread =
            rlxc_mul(ctx, rlxc_sub(ctx, x->dims[w.space[i]], one), rlxc_i64(ctx, w.strides[i]));
        const rlxc_expr *reach = rlxc_mul(ctx, rlxc_sub(ctx, weight->dims[w.w_space[i]], one),
                                          rlxc_i64(ctx, w.dilation[i]));
        const rlxc_expr *length =
            rlxc_canonical(ctx,
                           rlxc_add(ctx, rlxc_add(ctx, spread, reach),
                                    rlxc_i64(ctx, extra[i] + 1 - w.before[i] - w.after[i])),
                           NULL);
        if (!rlxc_window_fits(&v, length))
            return NULL;
        dims.at[w.out_space[i]] = length;
    }
    return rlxc_tensor_of(&v, dtype, &dims);
}

rlxc_atom rlxc_legalize_conv_transpose(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    rlxc_window w;
    if (!rlxc_te_begin(&te, b, call, call->op->name + 3, RLXC_PATTERN_OUT_FUSABLE) ||
        !rlxc_window_read_conv(&te.view, &w))
        return (rlxc_atom){0};
    int64_t groups = rlxc_attr_get_int(call, "groups", 1);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), weight = rlxc_te_operand_of(&te, 1, "w");
    const rlxc_buffer *out = rlxc_te_output(&te, te.name);
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    const rlxc_buffer *acc = out;
    if (!rlxc_dtype_eq(dtype, out->dtype))
        acc = rlxc_te_temp(&te, "conv_acc", dtype, out->shape, out->ndim);
    const rlxc_expr *at[RLXC_MAX_NDIM], *wt[RLXC_MAX_NDIM], *inside = NULL;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *per_group = rlxc_i64(ctx, groups);
    rlxc_te_spatial(&te, te.name, acc);
    per_group = rlxc_canonical(
        ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, x.dims[w.channel], per_group), NULL);
    const rlxc_expr *rc = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "rc", per_group);
    const rlxc_expr *ff = te.axes[w.out_channel], *outputs = weight.dims[w.w_out];
    at[w.batch] = te.axes[w.out_batch];
    at[w.channel] = rc;
    wt[w.w_out] = ff;
    if (groups > 1) {
        const rlxc_expr *group = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, ff, outputs);
        at[w.channel] = rlxc_add(ctx, rlxc_mul(ctx, group, per_group), rc);
        wt[w.w_out] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, ff, outputs);
    }
    wt[w.w_in] = at[w.channel];
    for (uint32_t i = 0; i < w.n; i++) {
        const rlxc_expr *r = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, rlxc_internf(ctx, "r%u", i),
                                          weight.dims[w.w_space[i]]);
        const rlxc_expr *stride = rlxc_i64(ctx, w.strides[i]);
        const rlxc_expr *from =
            rlxc_sub(ctx, rlxc_add(ctx, te.axes[w.out_space[i]], rlxc_i64(ctx, w.before[i])),
                     rlxc_mul(ctx, r, rlxc_i64(ctx, w.dilation[i])));
        const rlxc_expr *p = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, from, stride);
        wt[w.w_space[i]] = r;
        at[w.space[i]] = p;
        if (w.strides[i] > 1)
            inside = rlxc_window_both(
                ctx, inside,
                rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, from, stride),
                            zero));
        inside = rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LE, zero, p));
        inside =
            rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LT, p, x.dims[w.space[i]]));
    }
    const rlxc_expr *value = rlxc_window_product(&te, dtype, &x, at, &weight, wt);
    const rlxc_expr *nothing = rlxc_te_number(ctx, dtype, 0);
    rlxc_te_reduce(
        &te, acc, nothing,
        rlxc_add(ctx, rlxc_te_load(&te, acc, te.axes), rlxc_te_if(ctx, inside, value, nothing)));
    rlxc_te_round(&te, acc, out);
    return rlxc_te_finish(&te);
}

/* --- adaptive average pooling --- */

/* The sizes of the result; an absent output_size keeps those of the input. */
static bool read_adaptive(const rlxc_call_view *v, rlxc_window *w)
{
    if (!rlxc_window_read(v, "layout", w))
        return false;
    const rlxc_attr *size = rlxc_attrs_find(&v->call->attrs, "output_size");
    if (size && size->kind != RLXC_ATTR_NONE)
        return rlxc_window_sizes(v, "output_size", w->n, 1, w->size);
    for (uint32_t i = 0; i < w->n; i++)
        if (!rlxc_dims_known(v->in[0]) || !rlxc_is_int(v->in[0]->dims[w->space[i]], &w->size[i])) {
            rlxc_infer_error(v, "output_size is needed for an input of unknown size");
            return false;
        }
    return true;
}

const rlxc_sinfo *rlxc_infer_adaptive_pool(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !read_adaptive(&v, &w))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, (int32_t)w.n + 2);
    rlxc_dims dims = {.n = w.n + 2};
    dims.at[w.out_batch] = x->dims[w.batch];
    dims.at[w.out_channel] = x->dims[w.channel];
    for (uint32_t i = 0; i < w.n; i++)
        dims.at[w.out_space[i]] = rlxc_i64(ctx, w.size[i]);
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* The start of part |i| of |parts| of |length|; it ends at the start of |i| + 1, rounded up. */
static const rlxc_expr *part_begin(rlxc_context *ctx, const rlxc_expr *i, const rlxc_expr *length,
                                   int64_t parts)
{
    return rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rlxc_mul(ctx, i, length), rlxc_i64(ctx, parts));
}

static const rlxc_expr *part_end(rlxc_context *ctx, const rlxc_expr *i, const rlxc_expr *length,
                                 int64_t parts)
{
    const rlxc_expr *next = rlxc_mul(ctx, rlxc_add(ctx, i, rlxc_i64(ctx, 1)), length);
    return rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rlxc_add(ctx, next, rlxc_i64(ctx, parts - 1)),
                       rlxc_i64(ctx, parts));
}

rlxc_atom rlxc_legalize_adaptive_pool(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    rlxc_window w;
    if (!rlxc_te_begin(&te, b, call, call->op->name + 3, RLXC_PATTERN_OUT_FUSABLE) ||
        !read_adaptive(&te.view, &w))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "adaptive_pool_avg");
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    const rlxc_buffer *sum = rlxc_te_temp(&te, "adaptive_pool_sum", dtype, out->shape, out->ndim);
    const rlxc_expr *at[RLXC_MAX_NDIM], *inside = NULL, *zero = rlxc_te_number(ctx, dtype, 0);
    rlxc_te_spatial(&te, sum->name, sum);
    at[w.batch] = te.axes[w.out_batch];
    at[w.channel] = te.axes[w.out_channel];
    for (uint32_t i = 0; i < w.n; i++) {
        const rlxc_expr *length = x.dims[w.space[i]], *place = te.axes[w.out_space[i]];
        int64_t n;
        bool even = rlxc_is_int(length, &n) && n % w.size[i] == 0;
        /* no part is longer than length // parts + 2; shorter parts test their end */
        const rlxc_expr *longest =
            rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, length, rlxc_i64(ctx, w.size[i]));
        if (!even)
            longest = rlxc_add(ctx, longest, rlxc_i64(ctx, 2));
        const rlxc_expr *r = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, rlxc_internf(ctx, "rv%u", i),
                                          rlxc_canonical(ctx, longest, NULL));
        at[w.space[i]] = rlxc_add(ctx, part_begin(ctx, place, length, w.size[i]), r);
        if (!even)
            inside = rlxc_window_both(ctx, inside,
                                      rlxc_binary(ctx, RLXC_EXPR_LT, at[w.space[i]],
                                                  part_end(ctx, place, length, w.size[i])));
    }
    const rlxc_expr *element = rlxc_cast(ctx, dtype, rlxc_te_get(&te, &x, at));
    if (inside)
        element = rlxc_te_if(ctx, inside, element, zero);
    rlxc_te_reduce(&te, sum, zero, rlxc_add(ctx, rlxc_te_load(&te, sum, te.axes), element));
    rlxc_te_spatial(&te, out->name, out);
    const rlxc_expr *count = rlxc_i64(ctx, 1);
    for (uint32_t i = 0; i < w.n; i++) {
        const rlxc_expr *length = x.dims[w.space[i]], *place = te.axes[w.out_space[i]];
        count = rlxc_mul(ctx, count,
                         rlxc_sub(ctx, part_end(ctx, place, length, w.size[i]),
                                  part_begin(ctx, place, length, w.size[i])));
    }
    count = rlxc_canonical(ctx, count, NULL);
    const rlxc_expr *total = rlxc_te_load(&te, sum, te.axes);
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, rlxc_te_over_count(&te, total, count)));
    return rlxc_te_finish(&te);
}

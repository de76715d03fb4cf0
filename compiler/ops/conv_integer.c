/* The operator by which pass quantized_products replaces convolutions of 8-bit integers with
 * constant weights; see compiler/ops/quant_conv.h. */
#include "compiler/ops/quant_conv.h"
#include "compiler/ops/window.h"

#include <string.h>

static bool is_filter(const rlxc_sinfo *f)
{
    const rlx_dtype i8 = {RLX_INT, 8, 1};
    const bool any = rlxc_dtype_is_void(f->dtype);
    if (f->ndim == RLXC_UNKNOWN_NDIM)
        return any || rlxc_dtype_eq(f->dtype, i8) || rlxc_dtype_eq(f->dtype, RLX_I32);
    return ((f->ndim == RLXC_QUANT_CONV_DIMS || f->ndim == RLXC_QUANT_DEPTHWISE_PAIRS_DIMS) &&
            (any || rlxc_dtype_eq(f->dtype, i8))) ||
           (f->ndim == RLXC_QUANT_DEPTHWISE_DIMS && (any || rlxc_dtype_eq(f->dtype, RLX_I32)));
}

/* NHWC or NCHW. */
static bool layout_of(uint32_t channel, const uint32_t *space, rlxc_quant_conv_layout *out)
{
    *out = channel == 3 ? rlxc_quant_conv_last : rlxc_quant_conv_second;
    return channel == out->channel && space[0] == out->space[0] && space[1] == out->space[1];
}

static bool read_call(const rlxc_call_view *v, rlxc_window *w, rlxc_quant_conv *q)
{
    if (!rlxc_window_read(v, "data_layout", w))
        return false;
    if (!layout_of(w->channel, w->space, &q->in) ||
        !layout_of(w->out_channel, w->out_space, &q->out))
        return rlxc_infer_error(v, "layouts must be \"NHWC\" or \"NCHW\""), false;
    for (uint32_t d = 0; d < 2; d++) {
        q->strides[d] = w->strides[d];
        q->dilation[d] = w->dilation[d];
        q->before[d] = w->before[d];
    }
    const rlxc_sinfo *x = v->in[0], *f = v->in[1], *sums = v->in[2], *zero = v->in[3];
    if (!rlxc_dtype_is_void(x->dtype) && !rlxc_dtype_is_byte(x->dtype))
        return rlxc_infer_fail(v, 0, "expected 8 bits, got %s", rlxc_sinfo_text(v->ctx, x)), false;
    if (!is_filter(f))
        return rlxc_infer_fail(v, 1, "expected int8 of %d or %d dimensions or int32 of %d, got %s",
                               RLXC_QUANT_CONV_DIMS, RLXC_QUANT_DEPTHWISE_PAIRS_DIMS,
                               RLXC_QUANT_DEPTHWISE_DIMS, rlxc_sinfo_text(v->ctx, f)),
               false;
    if ((!rlxc_dtype_is_void(sums->dtype) && !rlxc_dtype_eq(sums->dtype, RLX_I32)) ||
        (sums->ndim != RLXC_UNKNOWN_NDIM && sums->ndim != 1))
        return rlxc_infer_fail(v, 2, "expected int32 of one dimension, got %s",
                               rlxc_sinfo_text(v->ctx, sums)),
               false;
    if ((!rlxc_dtype_is_void(zero->dtype) && !rlxc_dtype_eq(zero->dtype, x->dtype)) ||
        (zero->ndim != RLXC_UNKNOWN_NDIM && zero->ndim != 0))
        return rlxc_infer_fail(v, 3, "expected a scalar of x's type, got %s",
                               rlxc_sinfo_text(v->ctx, zero)),
               false;
    return true;
}

const rlxc_sinfo *rlxc_infer_conv_integer(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    rlxc_quant_conv q;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !read_call(&v, &w, &q))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *f = v.in[1], *sums = v.in[2];
    if (!rlxc_dims_known(x) || !rlxc_dims_known(f) || !rlxc_dims_known(sums))
        return rlxc_tensor_ndim(&v, RLX_I32, 4);
    rlxc_dims dims = {.n = 4};
    dims.at[w.out_batch] = x->dims[w.batch];
    dims.at[w.out_channel] = sums->dims[0];
    for (uint32_t d = 0; d < 2; d++) {
        const rlxc_expr *size = f->dims[1 + d];
        if (d == 1 && f->ndim == RLXC_QUANT_DEPTHWISE_PAIRS_DIMS)
            size = rlxc_mul(ctx, size, rlxc_i64(ctx, 2));
        const rlxc_expr *length =
            rlxc_window_positions(ctx, &w, d, x->dims[w.space[d]], size, false);
        if (!rlxc_window_fits(&v, length))
            return NULL;
        dims.at[w.out_space[d]] = length;
    }
    return rlxc_tensor_of(&v, RLX_I32, &dims);
}

rlxc_atom rlxc_legalize_conv_integer(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_window w;
    rlxc_quant_conv q;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "conv2d_integer", RLXC_PATTERN_OUT_FUSABLE) ||
        !read_call(&te.view, &w, &q))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), f = rlxc_te_operand_of(&te, 1, "filter"),
                    sums = rlxc_te_operand_of(&te, 2, "sums"),
                    zero = rlxc_te_operand_of(&te, 3, "zero");
    q.x = x.buffer;
    q.filter = f.buffer;
    q.sums = sums.buffer;
    q.fill = rlxc_quant_conv_biased(ctx, rlxc_te_get(&te, &zero, NULL));
    if (!q.x || !q.filter || !q.sums || !rlxc_is_int(sums.dims[0], &q.outputs) ||
        !rlxc_quant_conv_sizes(&q)) {
        rlxc_infer_error(&te.view, "the filter does not match the channels of x and the sums");
        return (rlxc_atom){0};
    }
    const rlxc_buffer *out = rlxc_te_output(&te, te.name);
    rlxc_te_spatial(&te, te.name, out);
    rlxc_te_computes(&te, RLXC_OPERATION_conv);
    rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "k", rlxc_i64(ctx, q.size[0] * q.size[1] * q.depth));
    rlxc_te_reduce(
        &te, out, rlxc_quant_conv_init(ctx, &q, te.axes),
        rlxc_add(ctx, rlxc_te_load(&te, out, te.axes), rlxc_quant_conv_product(ctx, &q, te.axes)));
    return rlxc_te_finish(&te);
}

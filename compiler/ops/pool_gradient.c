/* grad.max_pool2d_backward, grad.avg_pool2d_backward: the gradient of a pooling's input from that
 * of its result. Every element sums over the windows that contain it, so nothing is written twice
 * and dimensions may have any order. If several elements of a window are largest, the first gets
 * the gradient. */
#include "compiler/ops/require.h"
#include "compiler/ops/window.h"

#include <string.h>

enum { GRADIENT, DATA };

const rlxc_sinfo *rlxc_infer_pool_backward(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, GRADIENT, DATA, &dtype))
        return NULL;
    for (uint32_t i = GRADIENT; i <= DATA; i++)
        if (v.in[i]->ndim != RLXC_UNKNOWN_NDIM && v.in[i]->ndim != 4)
            return rlxc_infer_fail(&v, i, "expected 4 dimensions, got %s",
                                   rlxc_sinfo_text(ctx, v.in[i]));
    if (!rlxc_dtype_is_void(dtype) && !rlxc_dtype_is_float(dtype))
        return rlxc_infer_fail(&v, DATA, "expected floating-point elements, got %s",
                               rlxc_dtype_name(ctx, dtype));
    if (!rlxc_window_read_pool(&v, &w))
        return NULL;
    if (!rlxc_dims_known(v.in[DATA]))
        return v.in[DATA];
    const rlxc_sinfo *result = rlxc_window_pooled(&v, &w, v.in[DATA]);
    if (!result)
        return NULL;
    for (uint32_t i = 0; i < 4 && rlxc_dims_known(v.in[GRADIENT]); i++)
        if (!rlxc_require_equal(&v, rlxc_size_of(&v, GRADIENT, i), rlxc_size_in(&v, result, i)))
            return NULL;
    return v.in[DATA];
}

/* The input element under tap |taps| of the window at |window|, in |at|; returns the condition that
 * there is one, NULL: always. */
static const rlxc_expr *element_of(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x,
                                   const rlxc_expr *const *window, const rlxc_expr *const *taps,
                                   const rlxc_expr **at)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *inside = NULL;
    at[w->batch] = window[w->out_batch];
    at[w->channel] = window[w->out_channel];
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t k = w->space[i];
        at[k] = rlxc_sub(ctx, rlxc_window_tap(ctx, w, i, window[w->out_space[i]], taps[i]),
                         rlxc_i64(ctx, w->before[i]));
        inside =
            rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LE, rlxc_i64(ctx, 0), at[k]));
        inside = rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LT, at[k], x->dims[k]));
    }
    return inside;
}

static void reduce_axes(rlxc_te *te, const rlxc_window *w, const rlxc_expr **out)
{
    for (uint32_t i = 0; i < w->n; i++)
        out[i] = rlxc_te_axis(te, RLXC_AXIS_REDUCE, rlxc_internf(te->ctx, "rv%u", i),
                              rlxc_i64(te->ctx, w->size[i]));
}

/* The position of |at| among the elements of a channel. */
static const rlxc_expr *place(rlxc_context *ctx, const rlxc_window *w, const rlxc_te_operand *x,
                              const rlxc_expr *const *at)
{
    const rlxc_expr *out = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < w->n; i++)
        out = rlxc_add(ctx, rlxc_mul(ctx, out, x->dims[w->space[i]]), at[w->space[i]]);
    return out;
}

/* For each window the index of its first largest element; NaN counts as larger than any number. */
static const rlxc_buffer *find_largest(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x,
                                       const rlxc_te_operand *gradient)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *taps[RLXC_MAX_SPATIAL], *at[RLXC_MAX_NDIM];
    const rlxc_buffer *where =
        rlxc_te_temp(te, "pool_place", RLX_I64, gradient->dims, gradient->ndim);
    const rlxc_buffer *best =
        rlxc_te_temp(te, "pool_max", x->dtype, gradient->dims, gradient->ndim);
    rlxc_te_spatial(te, "pool_max", where);
    reduce_axes(te, w, taps);
    const rlxc_expr *inside = element_of(te, w, x, te->axes, taps, at);
    const rlxc_expr *here = place(ctx, w, x, at), *none = rlxc_i64(ctx, -1);
    const rlxc_expr *lowest = rlxc_te_max_init(te, x->dtype, true);
    const rlxc_expr *element = rlxc_te_if(ctx, inside, rlxc_te_get(te, x, at), lowest);
    const rlxc_expr *old = rlxc_te_load(te, best, te->axes),
                    *old_at = rlxc_te_load(te, where, te->axes);
    const rlxc_expr *better =
        rlxc_binary(ctx, RLXC_EXPR_OR, rlxc_te_better(ctx, true, element, old),
                    rlxc_binary(ctx, RLXC_EXPR_LT, old_at, rlxc_i64(ctx, 0)));
    better = rlxc_binary(ctx, RLXC_EXPR_AND, inside, better);
    const rlxc_buffer *const buffers[2] = {where, best};
    const rlxc_expr *const inits[2] = {none, lowest};
    const rlxc_expr *const values[2] = {rlxc_select(ctx, better, here, old_at),
                                        rlxc_select(ctx, better, element, old)};
    rlxc_te_reduce2(te, buffers, inits, values);
    return where;
}

/* The gradient of each window by its number of elements. */
static const rlxc_buffer *divide(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x,
                                 const rlxc_te_operand *gradient, rlx_dtype dtype)
{
    const rlxc_buffer *each = rlxc_te_temp(te, "pool_share", dtype, gradient->dims, gradient->ndim);
    rlxc_te_spatial(te, "pool_share", each);
    const rlxc_expr *g = rlxc_cast(te->ctx, dtype, rlxc_te_get(te, gradient, te->axes));
    rlxc_te_store(te, each, rlxc_te_over_count(te, g, rlxc_window_divisor(te, w, x)));
    return each;
}

rlxc_atom rlxc_legalize_pool_backward(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    rlxc_window w;
    bool is_max = strstr(call->op->name, "max") != NULL;
    if (!rlxc_te_begin(&te, b, call, is_max ? "max_pool2d_backward" : "avg_pool2d_backward",
                       RLXC_PATTERN_OPAQUE) ||
        !rlxc_window_read_pool(&te.view, &w))
        return (rlxc_atom){0};
    rlxc_te_operand gradient = rlxc_te_operand_of(&te, GRADIENT, "output_grad"),
                    x = rlxc_te_operand_of(&te, DATA, "data");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_pool_grad");
    rlx_dtype dtype = rlxc_te_compute_dtype(x.dtype);
    const rlxc_buffer *stage =
        is_max ? find_largest(&te, &w, &x, &gradient) : divide(&te, &w, &x, &gradient, dtype);
    const rlxc_buffer *acc = rlxc_dtype_eq(out->dtype, dtype)
                                 ? out
                                 : rlxc_te_temp(&te, "pool_grad", dtype, out->shape, out->ndim);
    rlxc_te_spatial(&te, acc->name, out);
    const rlxc_expr *taps[RLXC_MAX_SPATIAL], *window[RLXC_MAX_NDIM], *holds = NULL;
    reduce_axes(&te, &w, taps);
    window[w.out_batch] = te.axes[w.batch];
    window[w.out_channel] = te.axes[w.channel];
    for (uint32_t i = 0; i < w.n; i++) { /* the window in which this is element taps[i] */
        const rlxc_expr *stride = rlxc_i64(ctx, w.strides[i]), *zero = rlxc_i64(ctx, 0);
        const rlxc_expr *begin =
            rlxc_sub(ctx, rlxc_add(ctx, te.axes[w.space[i]], rlxc_i64(ctx, w.before[i])),
                     rlxc_mul(ctx, taps[i], rlxc_i64(ctx, w.dilation[i])));
        const rlxc_expr *number = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, begin, stride);
        const rlxc_expr *const tests[3] = {
            rlxc_binary(ctx, RLXC_EXPR_LE, zero, begin),
            rlxc_binary(ctx, RLXC_EXPR_LT, number, gradient.dims[w.out_space[i]]),
            rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, begin, stride),
                        zero)};
        window[w.out_space[i]] = number;
        for (uint32_t k = 0; k < (w.strides[i] > 1 ? 3U : 2U); k++)
            holds = rlxc_window_both(ctx, holds, tests[k]);
    }
    const rlxc_expr *none = rlxc_te_number(ctx, dtype, 0), *share;
    if (is_max) {
        const rlxc_expr *mine = rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_te_load(&te, stage, window),
                                            place(ctx, &w, &x, te.axes));
        share =
            rlxc_te_if(ctx, mine, rlxc_cast(ctx, dtype, rlxc_te_get(&te, &gradient, window)), none);
    } else {
        share = rlxc_te_load(&te, stage, window);
    }
    rlxc_te_reduce(
        &te, acc, none,
        rlxc_add(ctx, rlxc_te_load(&te, acc, te.axes), rlxc_te_if(ctx, holds, share, none)));
    rlxc_te_round(&te, acc, out);
    return rlxc_te_finish(&te);
}

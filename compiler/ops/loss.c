/* nll_loss: the negative log-likelihood of the target class, weighted by class; classes are
 * dimension 1 of the predictions (0 of a vector), targets equal to ignore_index count nothing.
 * grad.nll_loss_backward is its gradient. */
#include "compiler/ops/reduce.h"
#include "compiler/ops/require.h"

#include <string.h>

/* The type of the loss; the predictions are argument |first|. */
static const rlxc_sinfo *loss_type(const rlxc_call_view *v, uint32_t first)
{
    rlxc_context *ctx = v->ctx;
    const rlxc_sinfo *p = v->in[first], *t = v->in[first + 1], *w = v->in[first + 2];
    const char *how = rlxc_attr_get_str(v->call, "reduction", "mean");
    if (!rlxc_dtype_is_void(t->dtype) && !rlxc_dtype_is_int(t->dtype))
        return rlxc_infer_fail(v, first + 1, "expected integers, got %s", rlxc_sinfo_text(ctx, t));
    if (p->ndim == 0)
        return rlxc_infer_fail(v, first, "expected at least 1 dimension, got a scalar");
    if (p->ndim != RLXC_UNKNOWN_NDIM && t->ndim != RLXC_UNKNOWN_NDIM && t->ndim != p->ndim - 1)
        return rlxc_infer_fail(v, first + 1, "expected %d dimensions, got %d", p->ndim - 1,
                               t->ndim);
    if (w && w->ndim != 1 && w->ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(v, first + 2, "expected a vector, got %s", rlxc_sinfo_text(ctx, w));
    uint32_t at_class = p->ndim > 1 ? 1 : 0;
    if (rlxc_dims_known(p) && w && rlxc_dims_known(w) &&
        !rlxc_require_equal(v, rlxc_size_of(v, first, at_class), rlxc_size_of(v, first + 2, 0)))
        return NULL;
    for (uint32_t i = 0, k = 0; rlxc_dims_known(p) && rlxc_dims_known(t) && i < (uint32_t)p->ndim;
         i++)
        if (i != at_class &&
            !rlxc_require_equal(v, rlxc_size_of(v, first, i), rlxc_size_of(v, first + 1, k++)))
            return NULL;
    if (how[0] != 'n')
        return rlxc_tensor_of(v, p->dtype, &(rlxc_dims){0});
    return rlxc_sinfo_tensor(ctx, p->dtype, t->ndim, t->dims, p->vdevice);
}

const rlxc_sinfo *rlxc_infer_nll_loss(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call)
{
    rlxc_call_view v;
    return rlxc_infer_begin(&v, ctx, module, call) ? loss_type(&v, 0) : NULL;
}

/* The target at |at|, and the weight of its class (0 when ignored). */
static const rlxc_expr *class_weight(rlxc_te *te, const rlxc_te_operand *target,
                                     const rlxc_expr *const *at, const rlxc_te_operand *weights,
                                     const rlxc_expr *classes, const rlxc_expr **out_class)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *t = rlxc_te_get(te, target, at), *one = rlxc_float(ctx, RLX_F32, 1);
    *out_class = rlxc_te_position(ctx, t, classes, false);
    const rlxc_expr *w = one;
    if (weights->buffer)
        w = rlxc_cast(ctx, RLX_F32,
                      rlxc_te_if_not_empty(ctx, classes, rlxc_te_get(te, weights, out_class)));
    const rlxc_expr *ignored =
        rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_cast(ctx, RLX_I64, t),
                    rlxc_i64(ctx, rlxc_attr_get_int(te->call, "ignore_index", -100)));
    return rlxc_te_if(ctx, ignored, rlxc_float(ctx, RLX_F32, 0), w);
}

/* The sum of |terms| or, where that is NULL, of the weights of the targets' classes. */
static const rlxc_buffer *sum_over_targets(rlxc_te *te, const char *name,
                                           const rlxc_te_operand *target, const rlxc_buffer *terms,
                                           const rlxc_te_operand *weights, const rlxc_expr *classes)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *at[RLXC_MAX_NDIM], *class;
    const rlxc_buffer *sum = rlxc_te_temp(te, name, RLX_F32, NULL, 0);
    rlxc_te_block(te, name);
    for (uint32_t i = 0; i < target->ndim; i++)
        at[i] = rlxc_te_axis(te, RLXC_AXIS_REDUCE, rlxc_internf(ctx, "k%u", i), target->dims[i]);
    const rlxc_expr *term = terms ? rlxc_te_load(te, terms, at)
                                  : class_weight(te, target, at, weights, classes, &class);
    rlxc_te_reduce(te, sum, rlxc_float(ctx, RLX_F32, 0),
                   rlxc_add(ctx, rlxc_te_load(te, sum, te->axes), term));
    return sum;
}

rlxc_atom rlxc_legalize_nll_loss(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "nll_loss", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    const char *how = rlxc_attr_get_str(call, "reduction", "mean");
    rlxc_te_operand p = rlxc_te_operand_of(&te, 0, "predictions"),
                    t = rlxc_te_operand_of(&te, 1, "targets"), w = {0};
    uint32_t at_class = p.ndim > 1 ? 1 : 0;
    const rlxc_expr *classes = p.dims[at_class];
    if (te.view.in[2])
        w = rlxc_te_operand_of(&te, 2, "weights");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_nll_loss");
    const rlxc_buffer *loss = how[0] == 'n' && rlxc_dtype_eq(out->dtype, RLX_F32)
                                  ? out
                                  : rlxc_te_temp(&te, "nll_loss", RLX_F32, t.dims, t.ndim);
    const rlxc_expr *at[RLXC_MAX_NDIM], *class;
    rlxc_te_block(&te, "nll_loss");
    for (uint32_t i = 0; i < t.ndim; i++)
        rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, rlxc_internf(ctx, "ax%u", i), t.dims[i]);
    const rlxc_expr *weight = class_weight(&te, &t, te.axes, &w, classes, &class);
    for (uint32_t i = 0, k = 0; i < p.ndim; i++)
        at[i] = i == at_class ? class : te.axes[k++];
    const rlxc_expr *likelihood =
        rlxc_cast(ctx, RLX_F32, rlxc_te_if_not_empty(ctx, classes, rlxc_te_get(&te, &p, at)));
    rlxc_te_store(&te, loss,
                  rlxc_mul(ctx, rlxc_mul(ctx, likelihood, rlxc_float(ctx, RLX_F32, -1)), weight));
    if (how[0] == 'n') {
        rlxc_te_round(&te, loss, out);
        return rlxc_te_finish(&te);
    }
    const rlxc_buffer *total = sum_over_targets(&te, "loss_sum", &t, loss, &w, classes);
    const rlxc_buffer *divisor =
        how[0] == 'm' ? sum_over_targets(&te, "weight_sum", &t, NULL, &w, classes) : NULL;
    rlxc_te_spatial(&te, out->name, out);
    const rlxc_expr *value = rlxc_te_load(&te, total, te.axes);
    if (divisor)
        value = rlxc_te_div(ctx, value, rlxc_te_load(&te, divisor, te.axes));
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

/* --- its gradient with respect to the predictions ----------------------------------------------
 */

const rlxc_sinfo *rlxc_infer_nll_loss_backward(rlxc_context *ctx, const rlxc_module *module,
                                               const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 1, &dtype))
        return NULL;
    const rlxc_sinfo *loss = loss_type(&v, 1), *gradient = v.in[0];
    if (!loss)
        return NULL;
    if (gradient->ndim != RLXC_UNKNOWN_NDIM && loss->ndim != RLXC_UNKNOWN_NDIM &&
        gradient->ndim != loss->ndim)
        return rlxc_infer_fail(&v, 0, "expected %d dimensions, got %d", loss->ndim, gradient->ndim);
    for (uint32_t i = 0;
         rlxc_dims_known(gradient) && rlxc_dims_known(loss) && i < (uint32_t)loss->ndim; i++)
        if (!rlxc_require_equal(&v, rlxc_size_of(&v, 0, i), rlxc_size_in(&v, loss, i)))
            return NULL;
    return v.in[1];
}

/* -weight * gradient at the target class, else 0; with the mean divided by the sum of weights. */
rlxc_atom rlxc_legalize_nll_loss_backward(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "nll_loss_backward", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    const char *how = rlxc_attr_get_str(call, "reduction", "mean");
    rlxc_te_operand g = rlxc_te_operand_of(&te, 0, "output_grad"),
                    p = rlxc_te_operand_of(&te, 1, "predictions"),
                    t = rlxc_te_operand_of(&te, 2, "targets"), w = {0};
    uint32_t at_class = p.ndim > 1 ? 1 : 0;
    const rlxc_expr *classes = p.dims[at_class], *at[RLXC_MAX_NDIM], *class;
    if (te.view.in[3])
        w = rlxc_te_operand_of(&te, 3, "weights");
    const rlxc_buffer *out = rlxc_te_output(&te, "pred_grad");
    const rlxc_buffer *divisor =
        how[0] == 'm' ? sum_over_targets(&te, "weight_sum", &t, NULL, &w, classes) : NULL;
    rlxc_te_spatial(&te, out->name, out);
    for (uint32_t i = 0, k = 0; i < p.ndim; i++)
        if (i != at_class)
            at[k++] = te.axes[i];
    const rlxc_expr *weight = class_weight(&te, &t, at, &w, classes, &class);
    const rlxc_expr *share = rlxc_cast(ctx, RLX_F32, rlxc_te_get(&te, &g, at));
    share = rlxc_mul(ctx, rlxc_mul(ctx, share, rlxc_float(ctx, RLX_F32, -1)), weight);
    if (divisor)
        share = rlxc_te_div(ctx, share, rlxc_te_load(&te, divisor, NULL));
    const rlxc_expr *hit = rlxc_binary(ctx, RLXC_EXPR_EQ, class, te.axes[at_class]);
    share = rlxc_te_if(ctx, hit, share, rlxc_float(ctx, RLX_F32, 0));
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, share));
    return rlxc_te_finish(&te);
}

/* nll_loss: the negative log-likelihood of the target class, weighted by class; classes are
 * dimension 1 of the predictions (0 of a vector), targets equal to ignore_index count nothing. */
#include "compiler/ops/reduce.h"
#include "compiler/ops/require.h"

#include <string.h>

const rlxc_sinfo *rlxc_infer_nll_loss(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *p = v.in[0], *t = v.in[1];
    const char *how = rlxc_attr_get_str(call, "reduction", "mean");
    if (!rlxc_dtype_is_void(t->dtype) && !rlxc_dtype_is_int(t->dtype))
        return rlxc_infer_fail(&v, 1, "expected integers, got %s", rlxc_sinfo_text(ctx, t));
    if (p->ndim == 0)
        return rlxc_infer_fail(&v, 0, "expected at least 1 dimension, got a scalar");
    if (p->ndim != RLXC_UNKNOWN_NDIM && t->ndim != RLXC_UNKNOWN_NDIM && t->ndim != p->ndim - 1)
        return rlxc_infer_fail(&v, 1, "expected %d dimensions, got %d", p->ndim - 1, t->ndim);
    if (v.in[2] && v.in[2]->ndim != 1 && v.in[2]->ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 2, "expected a vector, got %s", rlxc_sinfo_text(ctx, v.in[2]));
    uint32_t at_class = p->ndim > 1 ? 1 : 0;
    if (rlxc_dims_known(p) && v.in[2] && rlxc_dims_known(v.in[2]) &&
        !rlxc_require_equal(&v, rlxc_size_of(&v, 0, at_class), rlxc_size_of(&v, 2, 0)))
        return NULL;
    for (uint32_t i = 0, k = 0; rlxc_dims_known(p) && rlxc_dims_known(t) && i < (uint32_t)p->ndim;
         i++)
        if (i != at_class &&
            !rlxc_require_equal(&v, rlxc_size_of(&v, 0, i), rlxc_size_of(&v, 1, k++)))
            return NULL;
    if (how[0] != 'n')
        return rlxc_tensor_of(&v, p->dtype, &(rlxc_dims){0});
    return rlxc_sinfo_tensor(ctx, p->dtype, t->ndim, t->dims, p->vdevice);
}

/* The target at the block's spatial axes, and the weight of its class (0 when ignored). */
static const rlxc_expr *class_weight(rlxc_te *te, const rlxc_te_operand *target,
                                     const rlxc_te_operand *weights, const rlxc_expr *classes,
                                     const rlxc_expr **out_class)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *t = rlxc_te_get(te, target, te->axes), *one = rlxc_float(ctx, RLX_F32, 1);
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
    const rlxc_expr *at[RLXC_MAX_NDIM], *class, *rest[RLXC_MAX_NDIM];
    rlxc_te_block(&te, "nll_loss");
    for (uint32_t i = 0; i < t.ndim; i++)
        rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, rlxc_internf(ctx, "ax%u", i), t.dims[i]);
    const rlxc_expr *weight = class_weight(&te, &t, &w, classes, &class);
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
    /* totals of the losses and, for the mean, of the weights */
    const rlxc_buffer *totals[2];
    for (uint32_t pass = 0; pass < (how[0] == 'm' ? 2u : 1u); pass++) {
        totals[pass] = rlxc_te_temp(&te, pass ? "weight_sum" : "loss_sum", RLX_F32, NULL, 0);
        rlxc_te_block(&te, totals[pass]->name);
        for (uint32_t i = 0; i < t.ndim; i++)
            rest[i] = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, rlxc_internf(ctx, "k%u", i), t.dims[i]);
        const rlxc_expr *term =
            pass ? class_weight(&te, &t, &w, classes, &class) : rlxc_te_load(&te, loss, rest);
        rlxc_te_reduce(&te, totals[pass], rlxc_float(ctx, RLX_F32, 0),
                       rlxc_add(ctx, rlxc_te_load(&te, totals[pass], te.axes), term));
    }
    rlxc_te_spatial(&te, out->name, out);
    const rlxc_expr *value = rlxc_te_load(&te, totals[0], te.axes);
    if (how[0] == 'm')
        value = rlxc_te_div(ctx, value, rlxc_te_load(&te, totals[1], te.axes));
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

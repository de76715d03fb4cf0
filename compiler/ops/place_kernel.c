/* rlx.strided_slice and rlx.unpool on a device: elements that move between positions that data
 * gives. The dimensions of the results are known; positions are clipped, as for indices. */
#include "compiler/ops/device_forms.h"

/* |e| in [low, high]. */
static const rlxc_expr *within(rlxc_context *ctx, const rlxc_expr *low, const rlxc_expr *e,
                               const rlxc_expr *high)
{
    return rlxc_binary(ctx, RLXC_EXPR_MAX, low, rlxc_binary(ctx, RLXC_EXPR_MIN, e, high));
}

bool rlxc_form_strided_slice(rlxc_te *te)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_binding *call = te->call;
    const rlxc_sinfo *s = te->view.in[0];
    if (call->n_args != 4 || !s || s->kind != RLXC_SINFO_TENSOR || s->dtype.bits < 8 ||
        s->ndim < 1 || te->out->kind != RLXC_SINFO_TENSOR || te->out->ndim != s->ndim ||
        call->args[1].kind != RLXC_ATOM_SHAPE || call->args[1].n != (uint32_t)s->ndim ||
        call->args[3].kind != RLXC_ATOM_SHAPE || call->args[3].n != (uint32_t)s->ndim)
        return false;
    const rlxc_te_operand x = rlxc_te_operand_of(te, 0, "x");
    if (!x.buffer)
        return false;
    for (uint32_t i = 0; i < x.ndim; i++)
        rlxc_te_symbol(te, te->out->dims[i], rlxc_internf(ctx, "n%u", i));
    const rlxc_buffer *out = rlxc_te_output(te, "slice");
    const rlxc_expr *at[RLXC_MAX_NDIM], *zero = rlxc_i64(ctx, 0), *one = rlxc_i64(ctx, 1);
    rlxc_te_spatial(te, "slice", out);
    for (uint32_t i = 0; i < x.ndim; i++) {
        const rlxc_expr *n = x.dims[i], *last = rlxc_sub(ctx, n, one),
                        *first = rlxc_te_symbol(te, call->args[1].dims[i],
                                                rlxc_internf(ctx, "begin%u", i)),
                        *by = rlxc_te_symbol(te, call->args[3].dims[i],
                                             rlxc_internf(ctx, "step%u", i));
        const rlxc_expr *up = rlxc_binary(ctx, RLXC_EXPR_LT, zero, by);
        first = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, first, zero),
                            rlxc_add(ctx, first, n), first);
        first = within(ctx, rlxc_select(ctx, up, zero, rlxc_i64(ctx, -1)), first,
                       rlxc_select(ctx, up, n, last));
        at[i] = within(ctx, zero, rlxc_add(ctx, first, rlxc_mul(ctx, te->axes[i], by)), last);
    }
    const rlxc_expr *value = rlxc_te_get(te, &x, at);
    for (uint32_t i = 0; i < x.ndim; i++)
        value = rlxc_te_if_not_empty(ctx, x.dims[i], value);
    rlxc_te_store(te, out, value);
    return true;
}

/* The result begins as zeros; then a block without axes stores the elements in order, so that the
 * last of those with one index stays. */
bool rlxc_form_unpool(rlxc_te *te)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_sinfo *s = te->view.in[0], *places = te->view.in[1];
    if (te->call->n_args != 3 || !s || s->kind != RLXC_SINFO_TENSOR || s->dtype.bits < 8 ||
        !places || places->kind != RLXC_SINFO_TENSOR || !rlxc_dtype_is_int(places->dtype) ||
        te->out->kind != RLXC_SINFO_TENSOR || places->ndim != s->ndim)
        return false;
    for (int32_t i = 0; i < s->ndim; i++)
        if (!rlxc_prove_eq(ctx, s->dims[i], places->dims[i], NULL))
            return false;
    const rlxc_te_operand x = rlxc_te_operand_of(te, 0, "x"),
                          indices = rlxc_te_operand_of(te, 1, "indices");
    if (!x.buffer || !indices.buffer)
        return false;
    const rlxc_buffer *out = rlxc_te_output(te, "unpooled");
    const rlxc_expr *loops[RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM],
        *zero = rlxc_i64(ctx, 0), *room = rlxc_product(ctx, out->shape, out->ndim);
    rlxc_te_spatial(te, "zeros", out);
    rlxc_te_store(te, out, rlxc_te_number(ctx, out->dtype, 0));
    for (uint32_t i = 0; i < x.ndim; i++)
        loops[i] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", i), RLX_I64);
    rlxc_te_block(te, "unpooled");
    rlxc_te_unflatten(te, rlxc_te_position(ctx, rlxc_te_get(te, &indices, loops), room, false),
                      out->shape, out->ndim, at);
    const rlxc_stmt *body = rlxc_stmt_store(ctx, out, at, out->ndim, rlxc_te_get(te, &x, loops));
    if (!rlxc_prove_lt(ctx, zero, room, NULL))
        body = rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, zero, room), body, NULL);
    for (uint32_t i = x.ndim; i-- > 0;)
        body = rlxc_stmt_for(ctx, loops[i], zero, x.dims[i], RLXC_LOOP_SERIAL, body);
    rlxc_te_body(te, NULL, body);
    return true;
}

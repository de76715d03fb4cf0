/* Matrix product as NumPy's: vectors are promoted, leading dimensions are batches and broadcast.
 * Narrow types accumulate in the result's type, float16 and bfloat16 in float32. */
#include "compiler/ops/reduce.h"

static bool result_dtype(const rlxc_call_view *v, rlx_dtype *out)
{
    *out = rlxc_attr_get_dtype(v->call, "out_dtype");
    if (!rlxc_dtype_is_void(*out))
        return true;
    if (!rlxc_common_dtype(v, 0, 1, out))
        return false;
    if (rlxc_dtype_is_bool(*out))
        rlxc_infer_error(v, "is not defined for bool");
    return !rlxc_dtype_is_bool(*out);
}

/* The batch dimensions of both broadcast; false after an error or when not provable. */
static bool batch_dims(const rlxc_call_view *v, rlxc_dims *out, bool *out_error)
{
    const rlxc_sinfo *a = v->in[0], *b = v->in[1];
    int32_t na = a->ndim > 2 ? a->ndim - 2 : 0, nb = b->ndim > 2 ? b->ndim - 2 : 0;
    const rlxc_sinfo *sa = rlxc_sinfo_tensor(v->ctx, RLX_F32, na, a->dims, NULL);
    const rlxc_sinfo *sb = rlxc_sinfo_tensor(v->ctx, RLX_F32, nb, b->dims, NULL);
    const rlxc_sinfo *both = rlxc_broadcast_sinfo(v, sa, sb, RLX_F32);
    *out_error = both == NULL;
    out->n = 0;
    if (!both || !rlxc_dims_known(both))
        return false;
    for (int32_t i = 0; i < both->ndim; i++)
        out->at[out->n++] = both->dims[i];
    return true;
}

const rlxc_sinfo *rlxc_infer_matmul(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !result_dtype(&v, &dtype))
        return NULL;
    const rlxc_sinfo *a = v.in[0], *b = v.in[1];
    for (uint32_t i = 0; i < 2; i++)
        if (v.in[i]->ndim == 0)
            return rlxc_infer_fail(&v, i, "expected at least 1 dimension, got a scalar");
    if (a->ndim == RLXC_UNKNOWN_NDIM || b->ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(&v, dtype, RLXC_UNKNOWN_NDIM);
    int32_t widest = a->ndim > b->ndim ? a->ndim : b->ndim;
    int32_t ndim = (widest > 2 ? widest : 2) - (a->ndim == 1) - (b->ndim == 1);
    if (!rlxc_dims_known(a) || !rlxc_dims_known(b))
        return ndim == 0 ? rlxc_tensor_of(&v, dtype, &(rlxc_dims){0})
                         : rlxc_tensor_ndim(&v, dtype, ndim);
    const rlxc_expr *ka = a->dims[a->ndim - 1], *kb = b->dims[b->ndim == 1 ? 0 : b->ndim - 2];
    int64_t x, y;
    if (rlxc_is_int(ka, &x) && rlxc_is_int(kb, &y) && x != y)
        return rlxc_infer_error(&v, "the inner dimensions differ: %s and %s",
                                rlxc_sinfo_text(ctx, a), rlxc_sinfo_text(ctx, b));
    rlxc_dims dims;
    bool error;
    if (!batch_dims(&v, &dims, &error))
        return error ? NULL : rlxc_tensor_ndim(&v, dtype, ndim);
    if (a->ndim > 1)
        dims.at[dims.n++] = a->dims[a->ndim - 2];
    if (b->ndim > 1)
        dims.at[dims.n++] = b->dims[b->ndim - 1];
    return rlxc_tensor_of(&v, dtype, &dims);
}

/* The batch part of an operand's index: its dimensions of 1 are read at 0. */
static void batch_index(rlxc_te *te, const rlxc_te_operand *x, uint32_t batch,
                        const rlxc_buffer *out, const rlxc_expr **at)
{
    uint32_t own = x->ndim > 2 ? x->ndim - 2 : 0;
    for (uint32_t i = 0; i < own; i++) {
        uint32_t k = batch - own + i;
        bool one = rlxc_is_const(x->dims[i], 1) && !rlxc_is_const(out->shape[k], 1);
        at[i] = one ? rlxc_i64(te->ctx, 0) : te->axes[k];
    }
}

rlxc_atom rlxc_legalize_matmul(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "matmul", RLXC_PATTERN_OUT_FUSABLE))
        return (rlxc_atom){0};
    const rlxc_sinfo *sa = te.view.in[0], *sb = te.view.in[1];
    const rlxc_expr *ka = sa->dims[sa->ndim - 1], *kb = sb->dims[sb->ndim == 1 ? 0 : sb->ndim - 2];
    if (!rlxc_prove_eq(ctx, ka, kb, NULL)) {
        rlxc_infer_error(&te.view,
                         "cannot prove that the inner dimensions agree: %s and %s; R.match_cast "
                         "can state it",
                         rlxc_sinfo_text(ctx, sa), rlxc_sinfo_text(ctx, sb));
        return (rlxc_atom){0};
    }
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x1"), y = rlxc_te_operand_of(&te, 1, "x2");
    const rlxc_buffer *out = rlxc_te_output(&te, "matmul");
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    const rlxc_buffer *acc = out;
    if (!rlxc_dtype_eq(dtype, out->dtype))
        acc = rlxc_te_temp(&te, "matmul_acc", dtype, out->shape, out->ndim);
    rlxc_te_block(&te, "matmul");
    for (uint32_t i = 0; i < out->ndim; i++)
        rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, rlxc_internf(ctx, "i%u", i), out->shape[i]);
    const rlxc_expr *k = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "k", x.dims[x.ndim - 1]);
    bool row = x.ndim > 1, column = y.ndim > 1;
    uint32_t batch = out->ndim - row - column;
    const rlxc_expr *at[RLXC_MAX_NDIM], *bt[RLXC_MAX_NDIM];
    batch_index(&te, &x, batch, out, at);
    batch_index(&te, &y, batch, out, bt);
    if (row)
        at[x.ndim - 2] = te.axes[batch];
    at[x.ndim - 1] = k;
    if (column) {
        bt[y.ndim - 2] = k;
        bt[y.ndim - 1] = te.axes[batch + row];
    } else {
        bt[0] = k;
    }
    const rlxc_expr *value = rlxc_mul(ctx, rlxc_cast(ctx, dtype, rlxc_te_get(&te, &x, at)),
                                      rlxc_cast(ctx, dtype, rlxc_te_get(&te, &y, bt)));
    rlxc_te_reduce(&te, acc, rlxc_te_number(ctx, dtype, 0),
                   rlxc_add(ctx, rlxc_te_load(&te, acc, te.axes), value));
    rlxc_te_round(&te, acc, out);
    return rlxc_te_finish(&te);
}

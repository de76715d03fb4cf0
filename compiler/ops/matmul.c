/* Matrix product as NumPy's: vectors are promoted, leading dimensions are batches and broadcast.
 * Narrow types accumulate in the result's type, float16 and bfloat16 in float32. */
#include "compiler/ops/reduce.h"
#include "compiler/ops/require.h"

static bool result_dtype(const rlxc_call_view *v, rlx_dtype *out)
{
    *out = rlxc_attr_get_dtype(v->call, "out_dtype");
    if (!rlxc_dtype_is_void(*out))
        return true;
    if (!rlxc_common_dtype(v, 0, 1, out))
        return false;
    if (rlxc_dtype_is_bool(*out))
        rlxc_infer_error(v, "is not defined for bool");
    else if (rlxc_dtype_is_stored(*out))
        rlxc_infer_error(v, "%s is a storage-only type: give out_dtype",
                         rlxc_dtype_name(v->ctx, *out));
    return !rlxc_dtype_is_bool(*out) && !rlxc_dtype_is_stored(*out);
}

/* The batch dimensions of both broadcast; false after an error. */
static bool batch_dims(const rlxc_call_view *v, rlxc_dims *out)
{
    const rlxc_sinfo *a = v->in[0], *b = v->in[1];
    uint32_t na = a->ndim > 2 ? (uint32_t)a->ndim - 2 : 0,
             nb = b->ndim > 2 ? (uint32_t)b->ndim - 2 : 0, n = na > nb ? na : nb;
    for (out->n = 0; out->n < n; out->n++) {
        uint32_t missing_a = n - na, missing_b = n - nb, i = out->n;
        out->at[i] = i < missing_a   ? b->dims[i - missing_b]
                     : i < missing_b ? a->dims[i - missing_a]
                                     : rlxc_require_broadcast(v, rlxc_size_of(v, 0, i - missing_a),
                                                              rlxc_size_of(v, 1, i - missing_b));
        if (!out->at[i])
            return false;
    }
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
    uint32_t row = (uint32_t)a->ndim - 1, column = b->ndim == 1 ? 0 : (uint32_t)b->ndim - 2;
    if (rlxc_prove_ne(ctx, a->dims[row], b->dims[column], NULL))
        return rlxc_infer_error(&v, "the inner dimensions differ: %s and %s",
                                rlxc_sinfo_text(ctx, a), rlxc_sinfo_text(ctx, b));
    rlxc_dims dims;
    if (!rlxc_require_equal(&v, rlxc_size_of(&v, 0, row), rlxc_size_of(&v, 1, column)) ||
        !batch_dims(&v, &dims))
        return NULL;
    if (a->ndim > 1)
        dims.at[dims.n++] = a->dims[a->ndim - 2];
    if (b->ndim > 1)
        dims.at[dims.n++] = b->dims[b->ndim - 1];
    return rlxc_tensor_of(&v, dtype, &dims);
}

/* The batch part of an operand's index: dimensions of 1 are read at 0. */
static void batch_index(rlxc_te *te, const rlxc_te_operand *x, uint32_t batch,
                        const rlxc_buffer *out, const rlxc_expr **at)
{
    uint32_t own = x->ndim > 2 ? x->ndim - 2 : 0;
    for (uint32_t i = 0; i < own; i++) {
        uint32_t k = batch - own + i;
        at[i] = rlxc_broadcast_index(te->ctx, x->dims[i], out->shape[k], te->axes[k]);
    }
}

enum { FEW_COLUMNS = 16 }; /* a matrix-vector product: nothing is widened twice */

/* |x|, or a copy of it in |dtype| as a temporary: narrow floats are widened once, not again for
 * each column. */
static rlxc_te_operand widened(rlxc_te *te, const rlxc_te_operand *x, const rlxc_te_operand *y,
                               rlx_dtype dtype)
{
    const rlxc_expr *rows = x->ndim > 1 ? x->dims[x->ndim - 2] : NULL;
    const rlxc_expr *columns = y->ndim > 1 ? y->dims[y->ndim - 1] : NULL;
    int64_t n;
    if (!rlxc_dtype_is_float(x->dtype) || x->dtype.bits >= dtype.bits || x->dtype.bits < 16 ||
        !rows || rlxc_is_const(rows, 1) || !columns ||
        (rlxc_is_int(columns, &n) && n <= FEW_COLUMNS))
        return *x;
    const rlxc_buffer *copy = rlxc_te_temp(te, "widened", dtype, x->dims, x->ndim);
    rlxc_te_spatial(te, "widened", copy);
    rlxc_te_store(te, copy, rlxc_cast(te->ctx, dtype, rlxc_te_get(te, x, te->axes)));
    return (rlxc_te_operand){.buffer = copy, .dtype = dtype, .ndim = x->ndim, .dims = copy->shape};
}

rlxc_atom rlxc_legalize_matmul(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "matmul", RLXC_PATTERN_OUT_FUSABLE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x1"), y = rlxc_te_operand_of(&te, 1, "x2");
    const rlxc_buffer *out = rlxc_te_output(&te, "matmul");
    rlx_dtype dtype = rlxc_te_compute_dtype(out->dtype);
    const rlxc_buffer *acc = out;
    if (!rlxc_dtype_eq(dtype, out->dtype))
        acc = rlxc_te_temp(&te, "matmul_acc", dtype, out->shape, out->ndim);
    x = widened(&te, &x, &y, dtype);
    rlxc_te_block(&te, "matmul");
    rlxc_te_computes(&te, RLXC_OPERATION_matmul);
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

/* More operators that read at computed indices: index_tensor, meshgrid, reverse_sequence,
 * slice_scatter, bucketize, layout_transform. Indices from data are clipped (rlxc_te_position), so
 * that a kernel never reads outside its buffers. */
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <string.h>

/* --- index_tensor --- */

const rlxc_sinfo *rlxc_index_dims(const rlxc_call_view *v, uint32_t argument)
{
    const rlxc_sinfo *x = v->in[0], *all = v->in[argument], *shape = NULL;
    if (all->n_fields == 0 || (x->ndim != RLXC_UNKNOWN_NDIM && all->n_fields > (uint32_t)x->ndim))
        return rlxc_infer_fail(v, argument, "%u index tensors for %d dimensions", all->n_fields,
                               x->ndim);
    for (uint32_t i = 0; i < all->n_fields; i++) {
        const rlxc_sinfo *s = all->fields[i];
        if (!rlxc_dtype_is_void(s->dtype) && !rlxc_dtype_is_int(s->dtype))
            return rlxc_infer_fail(v, argument, "expected integers, got %s",
                                   rlxc_sinfo_text(v->ctx, s));
        shape = shape ? rlxc_broadcast_sinfo(v, shape, s, RLX_I64) : s;
        if (!shape)
            return NULL;
    }
    return shape;
}

const rlxc_sinfo *rlxc_infer_index_tensor(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *where = rlxc_index_dims(&v, 1);
    if (!where)
        return NULL;
    if (x->ndim == RLXC_UNKNOWN_NDIM || where->ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(&v, x->dtype, RLXC_UNKNOWN_NDIM);
    int32_t ndim = where->ndim + x->ndim - (int32_t)v.in[1]->n_fields;
    if (ndim > RLX_MAX_NDIM)
        return rlxc_infer_error(&v, "the result would have more than %d dimensions", RLX_MAX_NDIM);
    if (!rlxc_dims_known(x) || !rlxc_dims_known(where))
        return rlxc_tensor_ndim(&v, x->dtype, ndim);
    rlxc_dims dims = {0};
    for (int32_t i = 0; i < where->ndim; i++)
        dims.at[dims.n++] = where->dims[i];
    for (uint32_t i = v.in[1]->n_fields; i < (uint32_t)x->ndim; i++)
        dims.at[dims.n++] = x->dims[i];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_index_tensor(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "index", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "data"), index[RLXC_MAX_NDIM];
    uint32_t depth = te.view.in[1]->n_fields;
    for (uint32_t i = 0; i < depth; i++)
        index[i] = rlxc_te_field_of(&te, 1, i, rlxc_internf(ctx, "i%u", i));
    const rlxc_buffer *out = rlxc_te_output(&te, "T_index");
    uint32_t rank = out->ndim - (x.ndim - depth);
    const rlxc_expr *at[RLXC_MAX_NDIM], *value;
    rlxc_te_spatial(&te, "T_index", out);
    for (uint32_t i = 0; i < x.ndim; i++)
        at[i] = i < depth
                    ? rlxc_te_position(
                          ctx, rlxc_te_get_broadcast(&te, &index[i], te.axes, out->shape, rank),
                          x.dims[i], false)
                    : te.axes[rank + i - depth];
    value = rlxc_te_get(&te, &x, at);
    for (uint32_t i = 0; i < depth; i++)
        value = rlxc_te_if_not_empty(ctx, x.dims[i], value);
    rlxc_te_store(&te, out, value);
    return rlxc_te_finish(&te);
}

/* --- meshgrid --- */

/* The dimension of the results that vector |i| goes along. */
static uint32_t grid_axis(const rlxc_binding *call, uint32_t i)
{
    const char *indexing = rlxc_attr_get_str(call, "indexing", "ij");
    return i < 2 && strcmp(indexing, "xy") == 0 ? 1 - i : i;
}

const rlxc_sinfo *rlxc_infer_meshgrid(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *all = v.in[0], *results[RLXC_MAX_NDIM];
    if (all->n_fields == 0 || all->n_fields > RLXC_MAX_NDIM)
        return rlxc_infer_fail(&v, 0, "%u vectors are given", all->n_fields);
    rlxc_dims dims = {.n = all->n_fields};
    bool known = true;
    for (uint32_t i = 0; i < dims.n; i++) {
        const rlxc_sinfo *s = all->fields[i];
        uint32_t axis = dims.n > 1 ? grid_axis(call, i) : i;
        if (s->ndim > 1)
            return rlxc_infer_fail(&v, 0, "expected vectors, got %s", rlxc_sinfo_text(ctx, s));
        known &= rlxc_dims_known(s);
        dims.at[axis] = !known ? NULL : s->ndim == 0 ? rlxc_i64(ctx, 1) : s->dims[0];
    }
    for (uint32_t i = 0; i < dims.n; i++)
        results[i] = rlxc_sinfo_tensor(ctx, all->fields[i]->dtype, (int32_t)dims.n,
                                       known ? dims.at : NULL, all->fields[i]->vdevice);
    return rlxc_sinfo_tuple(ctx, results, dims.n);
}

rlxc_atom rlxc_legalize_meshgrid(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_te_operand x[RLXC_MAX_NDIM];
    if (!rlxc_te_begin(&te, b, call, "meshgrid", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    uint32_t n = te.out->n_fields;
    for (uint32_t i = 0; i < n; i++)
        x[i] = rlxc_te_field_of(&te, 0, i, rlxc_internf(b->ctx, "x%u", i));
    for (uint32_t i = 0; i < n; i++)
        rlxc_te_output(&te, rlxc_internf(b->ctx, "T_meshgrid_%u", i));
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_buffer *out = te.outputs.items[i];
        rlxc_te_spatial(&te, out->name, out);
        uint32_t axis = n > 1 ? grid_axis(call, i) : i;
        rlxc_te_store(&te, out, rlxc_te_get(&te, &x[i], &te.axes[axis]));
    }
    return rlxc_te_finish(&te);
}

/* --- reverse_sequence --- */

const rlxc_sinfo *rlxc_infer_reverse_sequence(rlxc_context *ctx, const rlxc_module *module,
                                              const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t seq, batch;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *lengths = v.in[1];
    if (lengths->ndim != 1 && lengths->ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 1, "expected a vector, got %s", rlxc_sinfo_text(ctx, lengths));
    if (!rlxc_dtype_is_void(lengths->dtype) && !rlxc_dtype_is_int(lengths->dtype))
        return rlxc_infer_fail(&v, 1, "expected integers, got %s", rlxc_sinfo_text(ctx, lengths));
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (!rlxc_axis_in(&v, rlxc_attr_get_int(call, "seq_axis", 1), x->ndim, &seq) ||
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "batch_axis", 0), x->ndim, &batch))
        return NULL;
    if (seq == batch)
        return rlxc_infer_error(&v, "seq_axis and batch_axis are the same");
    if (rlxc_dims_known(x) && rlxc_dims_known(lengths) &&
        rlxc_prove_ne(ctx, x->dims[batch], lengths->dims[0], NULL))
        return rlxc_infer_fail(&v, 1, "expected an element for each batch, got %s",
                               rlxc_sinfo_text(ctx, lengths));
    if (rlxc_dims_known(x) && rlxc_dims_known(lengths) &&
        !rlxc_require_equal(&v, rlxc_size_of(&v, 0, batch), rlxc_size_of(&v, 1, 0)))
        return NULL;
    return x;
}

rlxc_atom rlxc_legalize_reverse_sequence(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t seq, batch;
    if (!rlxc_te_begin(&te, b, call, "reverse_sequence", RLXC_PATTERN_INJECTIVE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "seq_axis", 1), te.out->ndim, &seq) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "batch_axis", 0), te.out->ndim, &batch))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"),
                    lengths = rlxc_te_operand_of(&te, 1, "lengths");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_reverse_sequence");
    rlxc_te_spatial(&te, "T_reverse_sequence", out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *i = te.axes[seq];
    const rlxc_expr *length = rlxc_binary(
        ctx, RLXC_EXPR_MIN, rlxc_cast(ctx, RLX_I64, rlxc_te_get(&te, &lengths, &te.axes[batch])),
        x.dims[seq]);
    memcpy(at, te.axes, out->ndim * sizeof at[0]);
    at[seq] = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, i, length),
                          rlxc_sub(ctx, rlxc_sub(ctx, length, rlxc_i64(ctx, 1)), i), i);
    rlxc_te_store(&te, out, rlxc_te_get(&te, &x, at));
    return rlxc_te_finish(&te);
}

/* --- slice_scatter --- */

const rlxc_sinfo *rlxc_infer_slice_scatter(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    uint32_t axis;
    int64_t step = 1;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 1, &dtype))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *src = v.in[1];
    if (rlxc_prim_int(&v, 4, &step) && step < 1)
        return rlxc_infer_fail(&v, 4, "must be positive, got %lld", (long long)step);
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (!rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 0), x->ndim, &axis))
        return NULL;
    if (src->ndim != RLXC_UNKNOWN_NDIM && src->ndim != x->ndim)
        return rlxc_infer_fail(&v, 1, "expected %d dimensions, got %s", x->ndim,
                               rlxc_sinfo_text(ctx, src));
    for (uint32_t i = 0; rlxc_dims_known(x) && rlxc_dims_known(src) && i < (uint32_t)x->ndim; i++) {
        if (i != axis && rlxc_prove_ne(ctx, x->dims[i], src->dims[i], NULL))
            return rlxc_infer_fail(&v, 1, "dimension %u differs from that of the input in %s", i,
                                   rlxc_sinfo_text(ctx, src));
        if (i != axis && !rlxc_require_equal(&v, rlxc_size_of(&v, 0, i), rlxc_size_of(&v, 1, i)))
            return NULL;
    }
    return x;
}

/* A bound of a slice: from the end when negative, then clipped to [0, n]. */
static const rlxc_expr *bound(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *n)
{
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    e = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, e, zero), rlxc_add(ctx, e, n), e);
    return rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_binary(ctx, RLXC_EXPR_MIN, e, n), zero);
}

rlxc_atom rlxc_legalize_slice_scatter(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t axis;
    int64_t step = 1;
    if (!rlxc_te_begin(&te, b, call, "slice_scatter", RLXC_PATTERN_INJECTIVE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", 0), te.out->ndim, &axis))
        return (rlxc_atom){0};
    if (!rlxc_prim_int(&te.view, 4, &step)) {
        rlxc_infer_fail(&te.view, 4, "must be constant");
        return (rlxc_atom){0};
    }
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), src = rlxc_te_operand_of(&te, 1, "src");
    const rlxc_expr *n = x.dims[axis], *begin = bound(ctx, rlxc_te_prim(&te, 2, RLX_I64), n),
                    *end = bound(ctx, rlxc_te_prim(&te, 3, RLX_I64), n);
    const rlxc_buffer *out = rlxc_te_output(&te, "T_slice_scatter");
    rlxc_te_spatial(&te, "T_slice_scatter", out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *i = te.axes[axis], *zero = rlxc_i64(ctx, 0);
    const rlxc_expr *offset = rlxc_sub(ctx, i, begin), *by = rlxc_i64(ctx, step);
    memcpy(at, te.axes, out->ndim * sizeof at[0]);
    at[axis] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, offset, by);
    /* the last test holds unless the source is shorter than the slice */
    const rlxc_expr *const tests[4] = {
        rlxc_binary(ctx, RLXC_EXPR_LE, begin, i), rlxc_binary(ctx, RLXC_EXPR_LT, i, end),
        rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, offset, by), zero),
        rlxc_binary(ctx, RLXC_EXPR_LT, at[axis], src.dims[axis])};
    const rlxc_expr *inside = tests[0];
    for (uint32_t k = 1; k < 4; k++)
        inside = rlxc_binary(ctx, RLXC_EXPR_AND, inside, tests[k]);
    rlxc_te_store(
        &te, out,
        rlxc_te_if(ctx, inside, rlxc_te_get(&te, &src, at), rlxc_te_get(&te, &x, te.axes)));
    return rlxc_te_finish(&te);
}

/* --- bucketize --- */

const rlxc_sinfo *rlxc_infer_bucketize(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 1, &dtype))
        return NULL;
    if (v.in[1]->ndim != 1 && v.in[1]->ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 1, "expected a vector, got %s", rlxc_sinfo_text(ctx, v.in[1]));
    bool narrow = rlxc_attr_get_bool(call, "out_int32", false);
    return rlxc_tensor_like(&v, v.in[0], narrow ? RLX_I32 : RLX_I64);
}

/* The number of boundaries below x, or not above it; NaN is above all of them. */
rlxc_atom rlxc_legalize_bucketize(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "bucketize", RLXC_PATTERN_OUT_FUSABLE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"),
                    edges = rlxc_te_operand_of(&te, 1, "boundaries");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_bucketize");
    rlxc_te_spatial(&te, "T_bucketize", out);
    const rlxc_expr *k = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "k", edges.dims[0]);
    bool right = rlxc_attr_get_bool(call, "right", false);
    const rlxc_expr *edge = rlxc_te_widen(&te, rlxc_te_get(&te, &edges, &k)),
                    *value = rlxc_te_widen(&te, rlxc_te_get(&te, &x, te.axes));
    const rlxc_expr *above = rlxc_binary(ctx, right ? RLXC_EXPR_GT : RLXC_EXPR_GE, edge, value);
    const rlxc_expr *zero = rlxc_int(ctx, out->dtype, 0), *one = rlxc_int(ctx, out->dtype, 1);
    rlxc_te_reduce(
        &te, out, zero,
        rlxc_add(ctx, rlxc_te_load(&te, out, te.axes), rlxc_select(ctx, above, zero, one)));
    return rlxc_te_finish(&te);
}

/* Operators composed of others: attention and collapse_sum_to.
 *
 * attention(q, k, v) with layout (batch, sequence, head, size) is
 *   softmax(q k^T * scale + bias, masked) v   in layout (batch, head, sequence, size). */
#include "compiler/ops/compose.h"

#include <math.h>
#include <string.h>

rlxc_atom rlxc_lower_op(rlxc_builder *b, const rlxc_binding *call, const char *op,
                        const rlxc_atom *args, uint32_t n, rlxc_attrs attrs)
{
    rlxc_context *ctx = b->ctx;
    rlxc_op_schema schema;
    for (uint32_t i = 0; i < n; i++)
        if (args[i].kind == RLXC_ATOM_NONE) /* an earlier part failed */
            return (rlxc_atom){0};
    rlxc_binding *part = rlxc_binding_new(ctx, RLXC_FORM_CALL,
                                          rlxc_rvar_new(ctx, b->function, call->var->name, NULL));
    part->var->is_dataflow = b->block->is_dataflow;
    part->op = rlxc_find_operator(op, strlen(op));
    part->args = rlxc_copy(ctx, args, n * sizeof *args);
    part->n_args = n;
    part->range = call->range;
    rlxc_operator_schema(ctx, part->op, &schema);
    for (uint32_t i = 0; i < schema.n_attrs; i++) {
        const char *name = rlxc_intern(ctx, schema.attrs[i].name, schema.attrs[i].name_length);
        const rlxc_attr *set = rlxc_attrs_find(&attrs, name);
        part->attrs =
            rlxc_attrs_with(ctx, part->attrs, name, set ? *set : schema.attrs[i].default_value);
    }
    part->var->sinfo = part->op->infer(ctx, b->module, part);
    if (!part->var->sinfo || rlxc_failed(ctx))
        return (rlxc_atom){0};
    rlxc_atom lowered = part->op->legalize ? part->op->legalize(b, part) : (rlxc_atom){0};
    if (lowered.kind != RLXC_ATOM_NONE || rlxc_failed(ctx))
        return lowered;
    return rlxc_emit(b, part);
}

static rlxc_attrs one_attr(rlxc_context *ctx, const char *name, rlxc_attr value)
{
    return rlxc_attrs_with(ctx, (rlxc_attrs){0}, rlxc_intern_cstr(ctx, name), value);
}

static rlxc_atom scalar(rlxc_context *ctx, rlx_dtype dtype, double value)
{
    /* float64 only where the operands are: their constants are in the operands' type */
    float narrow = (float)value;
    bool is_double = rlxc_dtype_eq(dtype, RLX_F64);
    const void *data =
        is_double ? rlxc_copy(ctx, &value, sizeof value) : rlxc_copy(ctx, &narrow, sizeof narrow);
    return rlxc_atom_constant(rlxc_constant_new(ctx, is_double ? RLX_F64 : RLX_F32, 0, NULL, data,
                                                is_double ? sizeof value : sizeof narrow));
}

/* The operand's dimension |i|; NULL when unknown. */
static const rlxc_expr *dim(const rlxc_sinfo *s, uint32_t i)
{
    return rlxc_dims_known(s) ? s->dims[i] : NULL;
}

const rlxc_sinfo *rlxc_infer_attention(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call)
{
    static const uint32_t agree[][4] = {/* argument, dimension: equal to argument, dimension */
                                        {1, 0, 0, 0}, {1, 2, 0, 2}, {1, 3, 0, 3},
                                        {2, 0, 0, 0}, {2, 2, 0, 2}, {2, 1, 1, 1}};
    rlxc_call_view v;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, 0, 1, &dtype) ||
        !rlxc_common_dtype(&v, 0, 2, &dtype))
        return NULL;
    bool known = true;
    for (uint32_t i = 0; i < v.n_inputs; i++) {
        if (v.in[i]->ndim != 4 && v.in[i]->ndim != RLXC_UNKNOWN_NDIM)
            return rlxc_infer_fail(&v, i, "expected 4 dimensions, got %s",
                                   rlxc_sinfo_text(ctx, v.in[i]));
        known &= rlxc_dims_known(v.in[i]);
    }
    if (!known)
        return rlxc_tensor_ndim(&v, dtype, 4);
    for (size_t i = 0; i < sizeof agree / sizeof agree[0]; i++) {
        const rlxc_expr *a = dim(v.in[agree[i][0]], agree[i][1]),
                        *b = dim(v.in[agree[i][2]], agree[i][3]);
        if (rlxc_prove_ne(ctx, a, b, NULL))
            return rlxc_infer_fail(&v, agree[i][0], "dimension %u differs from the others' in %s",
                                   agree[i][1], rlxc_sinfo_text(ctx, v.in[agree[i][0]]));
    }
    const char *mask = rlxc_attr_get_str(call, "causal_mask", NULL);
    if (mask && strcmp(mask, "TopLeft") != 0 && strcmp(mask, "BottomRight") != 0)
        return rlxc_infer_error(&v, "causal_mask must be TopLeft or BottomRight, got %s", mask);
    const rlxc_attr *window = rlxc_attrs_find(&call->attrs, "window_size");
    if (window && window->kind != RLXC_ATTR_NONE)
        return rlxc_infer_error(&v, "window_size is not supported");
    rlxc_dims dims = {.at = {dim(v.in[0], 0), dim(v.in[0], 1), dim(v.in[0], 2), dim(v.in[2], 3)},
                      .n = 4};
    return rlxc_tensor_of(&v, dtype, &dims);
}

static rlxc_atom permuted(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, int64_t d1,
                          int64_t d2, int64_t d3)
{
    int64_t axes[4] = {0, d1, d2, d3};
    return rlxc_lower_op(b, call, "permute_dims", &x, 1,
                         one_attr(b->ctx, "axes", rlxc_attr_ints(b->ctx, axes, 4)));
}

/* Scores where the key is not after the query; elsewhere a number that softmax makes 0. */
static rlxc_atom masked(rlxc_builder *b, const rlxc_binding *call, rlxc_atom scores,
                        const rlxc_expr *queries, const rlxc_expr *keys, bool bottom_right)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *dims[2] = {queries, keys};
    rlxc_atom shape = rlxc_atom_shape(ctx, dims, 2);
    rlxc_atom ones =
        rlxc_lower_op(b, call, "ones", &shape, 1, one_attr(ctx, "dtype", rlxc_attr_dtype(RLX_B8)));
    const rlxc_expr *diagonal =
        bottom_right ? rlxc_canonical(ctx, rlxc_sub(ctx, keys, queries), NULL) : rlxc_i64(ctx, 0);
    rlxc_atom tri[2] = {ones, rlxc_atom_prim(diagonal)};
    rlxc_atom seen = rlxc_lower_op(b, call, "tril", tri, 2, (rlxc_attrs){0});
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, b->module, scores);
    rlxc_atom choice[3] = {seen, scores, scalar(ctx, s->dtype, -3.0e38)};
    return rlxc_lower_op(b, call, "where", choice, 3, (rlxc_attrs){0});
}

rlxc_atom rlxc_legalize_attention(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    rlxc_call_view v;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_infer_begin(&v, ctx, b->module, call))
        return (rlxc_atom){0};
    for (uint32_t i = 0; i < v.n_inputs; i++)
        if (!rlxc_dims_known(v.in[i]) || rlxc_dtype_is_void(v.in[i]->dtype)) {
            rlxc_infer_fail(&v, i, "its shape must be known: %s", rlxc_sinfo_text(ctx, v.in[i]));
            return (rlxc_atom){0};
        }
    /* scores in float32 for the 16-bit types */
    rlx_dtype dtype = out->dtype.bits == 16 ? RLX_F32 : out->dtype;
    rlxc_attrs typed = one_attr(ctx, "out_dtype", rlxc_attr_dtype(dtype));
    int64_t size = 1;
    rlxc_is_int(v.in[0]->dims[3], &size);
    const rlxc_attr *given = rlxc_attrs_find(&call->attrs, "scale");
    bool has_scale = given && given->kind != RLXC_ATTR_NONE;
    if (!has_scale && !rlxc_is_int(v.in[0]->dims[3], &size)) {
        rlxc_infer_error(&v, "scale is needed, since the head size is not constant");
        return (rlxc_atom){0};
    }
    double scale = has_scale ? rlxc_attr_get_float(call, "scale", 1)
                             : 1.0 / sqrt(size > 0 ? (double)size : 1.0);
    rlxc_atom qk[2] = {permuted(b, call, call->args[0], 2, 1, 3),
                       permuted(b, call, call->args[1], 2, 3, 1)};
    rlxc_atom product = rlxc_lower_op(b, call, "matmul", qk, 2, typed);
    rlxc_atom scaled[2] = {product, scalar(ctx, dtype, scale)};
    rlxc_atom scores = rlxc_lower_op(b, call, "multiply", scaled, 2, (rlxc_attrs){0});
    if (v.n_inputs > 3) {
        rlxc_atom bias = rlxc_lower_op(b, call, "astype", &call->args[3], 1,
                                       one_attr(ctx, "dtype", rlxc_attr_dtype(dtype)));
        rlxc_atom sum[2] = {scores, bias};
        scores = rlxc_lower_op(b, call, "add", sum, 2, (rlxc_attrs){0});
    }
    const char *mask = rlxc_attr_get_str(call, "causal_mask", NULL);
    if (mask && scores.kind != RLXC_ATOM_NONE)
        scores = masked(b, call, scores, v.in[0]->dims[1], v.in[1]->dims[1], mask[0] == 'B');
    rlxc_atom weights[2] = {rlxc_lower_op(b, call, "nn.softmax", &scores, 1, (rlxc_attrs){0}),
                            permuted(b, call, call->args[2], 2, 1, 3)};
    if (!rlxc_dtype_eq(dtype, out->dtype))
        weights[1] = rlxc_lower_op(b, call, "astype", &weights[1], 1,
                                   one_attr(ctx, "dtype", rlxc_attr_dtype(dtype)));
    rlxc_atom heads = rlxc_lower_op(b, call, "matmul", weights, 2,
                                    one_attr(ctx, "out_dtype", rlxc_attr_dtype(out->dtype)));
    return heads.kind == RLXC_ATOM_NONE ? heads : permuted(b, call, heads, 2, 1, 3);
}

/* --- collapse_sum_to: the sum that undoes a broadcast --- */

const rlxc_sinfo *rlxc_infer_collapse_sum(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_dims dims;
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (!rlxc_shape_arg(&v, 1, &dims, &ndim))
        return rlxc_tensor_ndim(&v, x->dtype, ndim);
    if (x->ndim != RLXC_UNKNOWN_NDIM && ndim > x->ndim)
        return rlxc_infer_fail(&v, 1, "has more dimensions than 'x': %s", rlxc_sinfo_text(ctx, x));
    for (int32_t i = 0; rlxc_dims_known(x) && i < ndim; i++) {
        const rlxc_expr *from = x->dims[x->ndim - ndim + i];
        if (!rlxc_is_const(dims.at[i], 1) && rlxc_prove_ne(ctx, from, dims.at[i], NULL))
            return rlxc_infer_fail(&v, 1, "%s does not broadcast to %s",
                                   rlxc_sinfo_text(ctx, v.in[1]), rlxc_sinfo_text(ctx, x));
    }
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_collapse_sum(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    rlxc_call_view v;
    rlxc_dims dims;
    int32_t ndim;
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_infer_begin(&v, ctx, b->module, call))
        return (rlxc_atom){0};
    const rlxc_sinfo *x = v.in[0];
    if (!rlxc_shape_arg(&v, 1, &dims, &ndim) || !rlxc_dims_known(x)) {
        rlxc_infer_error(&v, "cannot be compiled: shapes are not known");
        return (rlxc_atom){0};
    }
    for (int32_t i = 0; i < x->ndim; i++) {
        int32_t k = i - (x->ndim - ndim);
        if (k < 0 || (rlxc_is_const(dims.at[k], 1) && !rlxc_is_const(x->dims[i], 1))) {
            axes[n++] = i;
        } else if (!rlxc_prove_eq(ctx, x->dims[i], dims.at[k], NULL)) {
            rlxc_infer_error(&v, "cannot prove that dimension %d stays; R.match_cast can state it",
                             i);
            return (rlxc_atom){0};
        }
    }
    rlxc_attrs attrs = one_attr(ctx, "axis", rlxc_attr_ints(ctx, axes, n));
    attrs = rlxc_attrs_with(ctx, attrs, rlxc_intern_cstr(ctx, "keepdims"), rlxc_attr_bool(true));
    rlxc_atom args[2] = {call->args[0], rlxc_atom_shape(ctx, dims.at, dims.n)};
    if (n > 0)
        args[0] = rlxc_lower_op(b, call, "sum", args, 1, attrs);
    return rlxc_lower_op(b, call, "reshape", args, 2, (rlxc_attrs){0});
}

/* Operators that read at indices given by a tensor: take, gather_elements, gather_nd.
 *
 * Indices are data and may have any value: negative ones count from the end, as in NumPy, and those
 * out of range are clipped, so that a kernel never reads outside its buffers. take's other modes:
 * "wrap" takes indices modulo the length; for "clip" and "nan" a negative one is out of range and
 * gives the first element and NaN. */
#include "compiler/ops/compose.h"
#include "compiler/ops/te.h"

#include <math.h>
#include <string.h>

enum { IN_PLACE = 8 << 10 }; /* bytes of an entry from which on it is not copied */

static bool check_indices(const rlxc_call_view *v, uint32_t i)
{
    rlx_dtype t = v->in[i]->dtype;
    if (rlxc_dtype_is_void(t) || rlxc_dtype_is_int(t))
        return true;
    rlxc_infer_fail(v, i, "expected integers, got %s", rlxc_sinfo_text(v->ctx, v->in[i]));
    return false;
}

/* --- take --- */

static bool take_axis(const rlxc_call_view *v, uint32_t *out, bool *out_flat)
{
    const rlxc_attr *attr = rlxc_attrs_find(&v->call->attrs, "axis");
    *out = 0;
    *out_flat = !attr || attr->kind == RLXC_ATTR_NONE;
    return *out_flat || v->in[0]->ndim == RLXC_UNKNOWN_NDIM ||
           rlxc_axis_in(v, rlxc_attr_get_int(v->call, "axis", 0), v->in[0]->ndim, out);
}

const rlxc_sinfo *rlxc_infer_take(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis;
    bool flat;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check_indices(&v, 1) ||
        !take_axis(&v, &axis, &flat))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *indices = v.in[1];
    if (strcmp(rlxc_attr_get_str(call, "mode", "fast"), "nan") == 0 &&
        !rlxc_dtype_is_void(x->dtype) && !rlxc_dtype_is_float(x->dtype))
        return rlxc_infer_fail(&v, 0, "mode \"nan\" needs floating-point elements, got %s",
                               rlxc_sinfo_text(ctx, x));
    if (flat)
        return rlxc_sinfo_tensor(ctx, x->dtype, indices->ndim, indices->dims, x->vdevice);
    if (x->ndim == RLXC_UNKNOWN_NDIM || indices->ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(&v, x->dtype, RLXC_UNKNOWN_NDIM);
    int32_t ndim = x->ndim - 1 + indices->ndim;
    if (ndim > RLX_MAX_NDIM)
        return rlxc_infer_error(&v, "the result would have more than %d dimensions", RLX_MAX_NDIM);
    if (!rlxc_dims_known(x) || !rlxc_dims_known(indices))
        return rlxc_tensor_ndim(&v, x->dtype, ndim);
    rlxc_dims dims = {0};
    for (uint32_t i = 0; i < (uint32_t)x->ndim; i++) {
        if (i != axis) {
            dims.at[dims.n++] = x->dims[i];
            continue;
        }
        for (int32_t k = 0; k < indices->ndim; k++)
            dims.at[dims.n++] = indices->dims[k];
    }
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* Where take reads for |index| in a dimension of |n|; |*io_inside| gets the condition for it not to
 * be NaN. */
static const rlxc_expr *take_position(rlxc_context *ctx, const char *mode, const rlxc_expr *index,
                                      const rlxc_expr *n, const rlxc_expr **out_inside)
{
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *i = rlxc_cast(ctx, RLX_I64, index);
    *out_inside = NULL;
    if (strcmp(mode, "fast") == 0 || strcmp(mode, "wrap") == 0)
        return rlxc_te_position(ctx, index, n, mode[0] == 'w');
    if (strcmp(mode, "nan") == 0)
        *out_inside = rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LE, zero, i),
                                  rlxc_binary(ctx, RLXC_EXPR_LT, i, n));
    const rlxc_expr *last = rlxc_sub(ctx, n, rlxc_i64(ctx, 1));
    return rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_binary(ctx, RLXC_EXPR_MIN, i, last), zero);
}

/* R.take(x, i) of a number |i| and a large constant: the entry is a view of x, at an offset that is
 * computed from the number. Kind NONE if it is not such a call. */
static rlxc_atom entry_in_place(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_atom none = {0};
    const rlxc_sinfo *x = rlxc_atom_sinfo(ctx, b->module, call->args[0]), *entry = call->var->sinfo;
    const rlxc_sinfo *i = rlxc_atom_sinfo(ctx, b->module, call->args[1]);
    const char *mode = rlxc_attr_get_str(call, "mode", "fast");
    int64_t items, bytes;
    if (call->args[0].kind != RLXC_ATOM_CONSTANT || !rlxc_dims_known(x) ||
        !rlxc_dims_known(entry) || i->ndim != 0 || x->vdevice || i->vdevice ||
        rlxc_attr_get_int(call, "axis", -1) != 0 || strcmp(mode, "nan") == 0 ||
        !rlxc_is_int(rlxc_product(ctx, entry->dims, (uint32_t)entry->ndim), &items) ||
        __builtin_mul_overflow(items, (int64_t)rlx_dtype_size(x->dtype), &bytes) ||
        bytes < IN_PLACE || rlxc_is_const(x->dims[0], 0))
        return none;
    const rlxc_expr *one = rlxc_i64(ctx, 1), *number = rlxc_var(ctx, "entry", RLX_I64), *inside;
    const rlxc_atom shape = rlxc_lower1(b, call, "tensor_to_shape",
                                        rlxc_lower_reshape(b, call, call->args[1], &one, 1));
    if (shape.kind == RLXC_ATOM_NONE)
        return none;
    rlxc_rvar *matched = rlxc_rvar_new(ctx, rlxc_outermost(b->function), "matched",
                                       rlxc_sinfo_shape(ctx, 1, &number));
    rlxc_emit_match_cast(b, matched, shape, call->range);
    const rlxc_expr *at = take_position(ctx, mode, number, x->dims[0], &inside);
    at = rlxc_canonical(ctx, rlxc_mul(ctx, at, rlxc_i64(ctx, bytes)), NULL);
    const rlxc_atom view[4] = {call->args[0],
                               rlxc_atom_shape(ctx, entry->dims, (uint32_t)entry->ndim),
                               rlxc_atom_tuple(ctx, NULL, 0), rlxc_atom_prim(at)};
    return rlxc_emit_op(b, "memory.view", view, 4, (rlxc_attrs){0}, call->var->name);
}

rlxc_atom rlxc_legalize_take(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_atom in_place = entry_in_place(b, call);
    if (in_place.kind != RLXC_ATOM_NONE)
        return in_place;
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t axis;
    bool flat;
    if (!rlxc_te_begin(&te, b, call, "take", RLXC_PATTERN_INJECTIVE) ||
        !take_axis(&te.view, &axis, &flat))
        return (rlxc_atom){0};
    const char *mode = rlxc_attr_get_str(call, "mode", "fast");
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), indices = rlxc_te_operand_of(&te, 1, "i");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_take");
    if (!x.buffer) { /* a scalar: every index reads it */
        rlxc_infer_fail(&te.view, 0, "expected a tensor with dimensions");
        return (rlxc_atom){0};
    }
    rlxc_te_spatial(&te, "T_take", out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *n, *inside;
    uint32_t first = flat ? 0 : axis; /* the axes of the indices begin here */
    const rlxc_expr *index = rlxc_te_get(&te, &indices, te.axes + first);
    n = flat ? rlxc_product(ctx, x.dims, x.ndim) : x.dims[axis];
    const rlxc_expr *position = take_position(ctx, mode, index, n, &inside);
    if (flat)
        rlxc_te_unflatten(&te, position, x.dims, x.ndim, at);
    for (uint32_t i = 0; i < x.ndim && !flat; i++)
        at[i] = i < axis ? te.axes[i] : i == axis ? position : te.axes[i - 1 + indices.ndim];
    const rlxc_expr *value = rlxc_te_get(&te, &x, at);
    if (inside)
        value = rlxc_te_if(ctx, inside, value, rlxc_te_number(ctx, x.dtype, (double)NAN));
    else
        value = rlxc_te_if_not_empty(ctx, n, value);
    rlxc_te_store(&te, out, value);
    return rlxc_te_finish(&te);
}

/* --- gather_elements --- */

const rlxc_sinfo *rlxc_infer_gather_elements(rlxc_context *ctx, const rlxc_module *module,
                                             const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check_indices(&v, 1))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *indices = v.in[1];
    if (x->ndim != RLXC_UNKNOWN_NDIM && indices->ndim != RLXC_UNKNOWN_NDIM &&
        x->ndim != indices->ndim)
        return rlxc_infer_fail(&v, 1, "expected %d dimensions as 'x', got %d", x->ndim,
                               indices->ndim);
    if (x->ndim != RLXC_UNKNOWN_NDIM &&
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 0), x->ndim, &axis))
        return NULL;
    return rlxc_sinfo_tensor(ctx, x->dtype, indices->ndim, indices->dims, x->vdevice);
}

rlxc_atom rlxc_legalize_gather_elements(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    uint32_t axis;
    if (!rlxc_te_begin(&te, b, call, "gather_elements", RLXC_PATTERN_INJECTIVE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", 0), te.out->ndim, &axis))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), indices = rlxc_te_operand_of(&te, 1, "i");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_gather");
    rlxc_te_spatial(&te, "T_gather", out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *index = rlxc_te_get(&te, &indices, te.axes);
    const rlxc_expr *inside = NULL;
    for (uint32_t i = 0; i < x.ndim; i++) {
        at[i] = i == axis ? rlxc_te_position(ctx, index, x.dims[i], false) : te.axes[i];
        /* the indices may be longer than x in another dimension, or x empty: read nothing there */
        const rlxc_expr *low = i == axis ? rlxc_i64(ctx, 0) : te.axes[i];
        bool safe = i == axis ? rlxc_prove_lt(ctx, low, x.dims[i], NULL)
                              : rlxc_prove_le(ctx, out->shape[i], x.dims[i], NULL);
        if (safe)
            continue;
        const rlxc_expr *test = rlxc_binary(ctx, RLXC_EXPR_LT, low, x.dims[i]);
        inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, test) : test;
    }
    const rlxc_expr *value = rlxc_te_get(&te, &x, at);
    if (inside)
        value = rlxc_te_if(ctx, inside, value, rlxc_te_number(ctx, out->dtype, 0));
    rlxc_te_store(&te, out, value);
    return rlxc_te_finish(&te);
}

/* --- gather_nd --- */

const rlxc_sinfo *rlxc_infer_gather_nd(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !check_indices(&v, 1))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *indices = v.in[1];
    int64_t batch = rlxc_attr_get_int(call, "batch_dims", 0), depth;
    if (x->ndim == RLXC_UNKNOWN_NDIM || !rlxc_dims_known(indices))
        return rlxc_tensor_ndim(&v, x->dtype, RLXC_UNKNOWN_NDIM);
    if (batch < 0 || batch >= x->ndim + 1 || batch >= indices->ndim)
        return rlxc_infer_error(&v, "batch_dims is %lld", (long long)batch);
    if (!rlxc_is_int(indices->dims[indices->ndim - 1], &depth))
        return rlxc_tensor_ndim(&v, x->dtype, RLXC_UNKNOWN_NDIM);
    if (depth + batch > x->ndim)
        return rlxc_infer_fail(&v, 1,
                               "index vectors of %lld do not fit %d dimensions with "
                               "batch_dims %lld",
                               (long long)depth, x->ndim, (long long)batch);
    int64_t first = depth + batch;
    int64_t ndim = indices->ndim - 1 + x->ndim - first;
    if (ndim > RLX_MAX_NDIM)
        return rlxc_infer_error(&v, "the result would have more than %d dimensions", RLX_MAX_NDIM);
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, (int32_t)ndim);
    rlxc_dims dims = {0};
    for (int32_t i = 0; i + 1 < indices->ndim; i++)
        dims.at[dims.n++] = indices->dims[i];
    for (int64_t i = first; i < x->ndim; i++)
        dims.at[dims.n++] = x->dims[i];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_gather_nd(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "gather_nd", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"), indices = rlxc_te_operand_of(&te, 1, "i");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_gather_nd");
    uint32_t batch = (uint32_t)rlxc_attr_get_int(call, "batch_dims", 0), last = indices.ndim - 1;
    int64_t depth = 0;
    rlxc_is_int(indices.dims[last], &depth);
    rlxc_te_spatial(&te, "T_gather_nd", out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *where[RLXC_MAX_NDIM], *value, *inside = NULL;
    memcpy(where, te.axes, last * sizeof where[0]);
    for (uint32_t i = 0; i < x.ndim; i++) {
        if (i < batch) {
            at[i] = te.axes[i];
        } else if (i < batch + (uint32_t)depth) {
            where[last] = rlxc_i64(ctx, i - batch);
            at[i] = rlxc_te_position(ctx, rlxc_te_get(&te, &indices, where), x.dims[i], false);
        } else {
            at[i] = te.axes[last + i - batch - (uint32_t)depth];
            continue;
        }
        const rlxc_expr *low = i < batch ? te.axes[i] : rlxc_i64(ctx, 0);
        bool safe = i < batch ? rlxc_prove_le(ctx, out->shape[i], x.dims[i], NULL)
                              : rlxc_prove_lt(ctx, low, x.dims[i], NULL);
        if (safe)
            continue;
        const rlxc_expr *test = rlxc_binary(ctx, RLXC_EXPR_LT, low, x.dims[i]);
        inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, test) : test;
    }
    value = rlxc_te_get(&te, &x, at);
    if (inside)
        value = rlxc_te_if(ctx, inside, value, rlxc_te_number(ctx, out->dtype, 0));
    rlxc_te_store(&te, out, value);
    return rlxc_te_finish(&te);
}

/* Operators that move elements: reshape, permute, broadcast, repeat, tile.
 *
 * reshape stays an operator until emission, since its result shares the argument's memory; flatten,
 * expand_dims and squeeze become a reshape with a literal shape. The others are injective kernels:
 * each element of the result is one element of an input. */
#include "compiler/ops/builtin_call.h"
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <string.h>

static rlxc_dims dims_of(const rlxc_sinfo *s)
{
    rlxc_dims dims = {.n = (uint32_t)s->ndim};
    if (s->ndim > 0)
        memcpy(dims.at, s->dims, dims.n * sizeof dims.at[0]);
    return dims;
}

/* --- reshape, and operators that become one --- */

const rlxc_sinfo *rlxc_infer_reshape(rlxc_context *ctx, const rlxc_module *module,
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
    int32_t open = -1;
    for (uint32_t i = 0; i < dims.n; i++) {
        int64_t d;
        if (!rlxc_is_int(dims.at[i], &d) || d >= 0)
            continue;
        if (d != -1 || open >= 0)
            return rlxc_infer_fail(&v, 1,
                                   "dimension %u is %lld; one may be -1, the others not "
                                   "negative",
                                   i, (long long)d);
        open = (int32_t)i;
    }
    if (!rlxc_dims_known(x)) {
        return open >= 0 ? rlxc_tensor_ndim(&v, x->dtype, ndim)
                         : rlxc_tensor_of(&v, x->dtype, &dims);
    }
    const rlxc_expr *total = rlxc_product(ctx, x->dims, (uint32_t)x->ndim);
    int64_t have, want;
    if (open >= 0) {
        dims.at[open] = rlxc_i64(ctx, 1);
        const rlxc_expr *rest = rlxc_product(ctx, dims.at, dims.n);
        if (rlxc_is_int(rest, &want) && want == 0)
            return rlxc_infer_fail(&v, 1, "-1 cannot be inferred because another dimension is 0");
        if (rlxc_is_int(rest, &want) && rlxc_is_int(total, &have) && have % want != 0)
            return rlxc_infer_fail(&v, 1, "%lld elements do not divide into %lld", (long long)have,
                                   (long long)want);
        dims.at[open] =
            rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, total, rest), NULL);
        return rlxc_tensor_of(&v, x->dtype, &dims);
    }
    const rlxc_expr *wanted = rlxc_product(ctx, dims.at, dims.n);
    if (rlxc_is_int(total, &have) && rlxc_is_int(wanted, &want) && have != want)
        return rlxc_infer_fail(&v, 1, "%lld elements needed, '%s' has %lld", (long long)want, "x",
                               (long long)have);
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

static rlxc_atom emit_reshape(rlxc_builder *b, const rlxc_binding *call, const rlxc_sinfo *out)
{
    rlxc_atom args[2] = {call->args[0], rlxc_atom_shape(b->ctx, out->dims, (uint32_t)out->ndim)};
    return rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, call->var->name);
}

rlxc_atom rlxc_legalize_reshape(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *out = call->op->infer(b->ctx, b->module, call);
    if (!out || !rlxc_dims_known(out))
        return (rlxc_atom){0};
    if (call->args[1].kind == RLXC_ATOM_SHAPE) {
        bool same = true; /* no -1 was resolved */
        for (uint32_t i = 0; i < call->args[1].n; i++)
            same &= call->args[1].dims[i] == out->dims[i];
        if (same)
            return (rlxc_atom){0};
    }
    return emit_reshape(b, call, out);
}

rlxc_atom rlxc_legalize_to_reshape(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, b->ctx, b->module, call))
        return (rlxc_atom){0};
    const rlxc_sinfo *out = call->op->infer(b->ctx, b->module, call);
    if (!out)
        return (rlxc_atom){0};
    if (!rlxc_dims_known(out)) {
        rlxc_infer_error(&v, "cannot be compiled: shape of the result is not known: %s",
                         rlxc_sinfo_text(b->ctx, out));
        return (rlxc_atom){0};
    }
    return emit_reshape(b, call, out);
}

const rlxc_sinfo *rlxc_infer_flatten(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (x->ndim == 1)
        return x;
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, 1);
    rlxc_dims dims = {.at = {rlxc_product(ctx, x->dims, (uint32_t)x->ndim)}, .n = 1};
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

const rlxc_sinfo *rlxc_infer_batch_flatten(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (x->ndim == 0)
        return rlxc_infer_fail(&v, 0, "expected at least 1 dimension, got a scalar");
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, 2);
    rlxc_dims dims = {.at = {x->dims[0], rlxc_product(ctx, x->dims + 1, (uint32_t)x->ndim - 1)},
                      .n = 2};
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

const rlxc_sinfo *rlxc_infer_expand_dims(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n, set;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    rlxc_attr_get_ints(call, "axis", axes, RLXC_MAX_NDIM, &n);
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (x->ndim + (int32_t)n > RLX_MAX_NDIM)
        return rlxc_infer_error(&v, "the result would have more than %d dimensions", RLX_MAX_NDIM);
    int32_t ndim = x->ndim + (int32_t)n;
    if (!rlxc_axes_in(&v, "axis", ndim, &set))
        return NULL;
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, ndim);
    rlxc_dims dims = {.n = (uint32_t)ndim};
    for (uint32_t i = 0, k = 0; i < dims.n; i++)
        dims.at[i] = set >> i & 1 ? rlxc_i64(ctx, 1) : x->dims[k++];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

const rlxc_sinfo *rlxc_infer_squeeze(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t set;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    const rlxc_attr *axis = rlxc_attrs_find(&call->attrs, "axis");
    bool all = !axis || axis->kind == RLXC_ATTR_NONE;
    if (x->ndim == RLXC_UNKNOWN_NDIM || (all && !rlxc_dims_known(x)))
        return rlxc_tensor_ndim(&v, x->dtype, RLXC_UNKNOWN_NDIM);
    if (!rlxc_axes_in(&v, "axis", x->ndim, &set))
        return NULL;
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, x->ndim - __builtin_popcount(set));
    rlxc_dims dims = {0};
    for (int32_t i = 0; i < x->ndim; i++) {
        int64_t d;
        bool is_int = rlxc_is_int(x->dims[i], &d);
        /* as in TVM and PyTorch, a named dimension that is not 1 stays */
        if (!(all ? is_int && d == 1 : (set >> i & 1) && (!is_int || d == 1)))
            dims.at[dims.n++] = x->dims[i];
    }
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* --- permutations --- */

/* The permutation; false after an error. */
static bool permutation(const rlxc_call_view *v, int32_t ndim, uint32_t out[RLXC_MAX_NDIM])
{
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n, set;
    if (!rlxc_attr_get_ints(v->call, "axes", axes, RLXC_MAX_NDIM, &n)) {
        for (int32_t i = 0; i < ndim; i++)
            out[i] = (uint32_t)(ndim - 1 - i);
        return true;
    }
    if ((int32_t)n != ndim) {
        rlxc_infer_error(v, "expected %d axes, got %u", ndim, n);
        return false;
    }
    if (!rlxc_axes_in(v, "axes", ndim, &set))
        return false;
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint32_t)(axes[i] < 0 ? axes[i] + ndim : axes[i]);
    return true;
}

const rlxc_sinfo *rlxc_infer_permute_dims(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t order[RLXC_MAX_NDIM];
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (!permutation(&v, x->ndim, order))
        return NULL;
    if (!rlxc_dims_known(x))
        return x;
    rlxc_dims dims = {.n = (uint32_t)x->ndim};
    for (uint32_t i = 0; i < dims.n; i++)
        dims.at[i] = x->dims[order[i]];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_permute_dims(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    uint32_t order[RLXC_MAX_NDIM];
    if (!rlxc_te_begin(&te, b, call, "transpose", RLXC_PATTERN_INJECTIVE) ||
        !permutation(&te.view, te.out->ndim, order))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_transpose");
    rlxc_te_spatial(&te, "T_transpose", out);
    const rlxc_expr *at[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < out->ndim; i++)
        at[order[i]] = te.axes[i];
    rlxc_te_store(&te, out, rlxc_te_get(&te, &x, at));
    return rlxc_te_finish(&te);
}

const rlxc_sinfo *rlxc_infer_flip(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    if (v.in[0]->ndim != RLXC_UNKNOWN_NDIM &&
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", 0), v.in[0]->ndim, &axis))
        return NULL;
    return v.in[0];
}

rlxc_atom rlxc_legalize_flip(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    uint32_t axis;
    if (!rlxc_te_begin(&te, b, call, "flip", RLXC_PATTERN_INJECTIVE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", 0), te.out->ndim, &axis))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_reverse_sequence");
    rlxc_te_spatial(&te, "T_reverse_sequence", out);
    const rlxc_expr *at[RLXC_MAX_NDIM];
    memcpy(at, te.axes, out->ndim * sizeof at[0]);
    at[axis] = rlxc_sub(b->ctx, rlxc_sub(b->ctx, out->shape[axis], rlxc_i64(b->ctx, 1)), at[axis]);
    rlxc_te_store(&te, out, rlxc_te_get(&te, &x, at));
    return rlxc_te_finish(&te);
}

/* --- broadcast_to --- */

const rlxc_sinfo *rlxc_infer_broadcast_to(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_dims dims;
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    bool known = rlxc_shape_arg(&v, 1, &dims, &ndim);
    if (x->ndim != RLXC_UNKNOWN_NDIM && ndim != RLXC_UNKNOWN_NDIM && x->ndim > ndim)
        return rlxc_infer_fail(&v, 1, "%d dimensions cannot be broadcast to %d", x->ndim, ndim);
    if (!known)
        return rlxc_tensor_ndim(&v, x->dtype, ndim);
    for (int32_t i = 0; rlxc_dims_known(x) && i < x->ndim; i++) {
        int64_t from, to;
        const rlxc_expr *wanted = dims.at[i + ndim - x->ndim];
        if (rlxc_is_int(x->dims[i], &from) && rlxc_is_int(wanted, &to) && from != 1 && from != to)
            return rlxc_infer_fail(&v, 1, "dimension %d is %lld and cannot become %lld", i,
                                   (long long)from, (long long)to);
        const uint32_t at = (uint32_t)(i + ndim - x->ndim);
        const rlxc_size becomes = {wanted, 1, RLXC_NO_PLACE, at};
        if (!rlxc_require(&v, RLXC_FITS, rlxc_size_of(&v, 0, (uint32_t)i), becomes))
            return NULL;
    }
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_broadcast_to(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_call_view v;
    const rlxc_sinfo *result = rlxc_infer_broadcast_to(b->ctx, b->module, call);
    if (!result || !rlxc_infer_begin(&v, b->ctx, b->module, call))
        return (rlxc_atom){0};
    if (!rlxc_dims_known(v.in[0]) || !rlxc_dims_known(result))
        return rlxc_emit_builtin(b, call, "rlx.broadcast_to", call->args, 2, result, true);
    if (!rlxc_te_begin(&te, b, call, "broadcast_to", RLXC_PATTERN_BROADCAST))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_broadcast_to");
    rlxc_te_spatial(&te, "T_broadcast_to", out);
    rlxc_te_store(&te, out, rlxc_te_get_broadcast(&te, &x, te.axes, out->shape, out->ndim));
    return rlxc_te_finish(&te);
}

/* --- repeat, tile --- */

const rlxc_sinfo *rlxc_infer_repeat(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    int64_t axis = rlxc_attr_get_int(call, "axis", INT64_MIN),
            repeats = rlxc_attr_get_int(call, "repeats", -1);
    if (repeats < 0)
        return rlxc_infer_error(&v, "repeats must not be negative, got %lld", (long long)repeats);
    uint32_t at = 0;
    if (axis != INT64_MIN && x->ndim != RLXC_UNKNOWN_NDIM && !rlxc_axis_in(&v, axis, x->ndim, &at))
        return NULL;
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, axis == INT64_MIN ? 1 : x->ndim);
    rlxc_dims dims = dims_of(x);
    if (axis == INT64_MIN)
        dims = (rlxc_dims){.at = {rlxc_product(ctx, x->dims, dims.n)}, .n = 1};
    dims.at[at] = rlxc_mul(ctx, dims.at[at], rlxc_i64(ctx, repeats));
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_repeat(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    if (!rlxc_te_begin(&te, b, call, "repeat", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    int64_t axis = rlxc_attr_get_int(call, "axis", INT64_MIN),
            repeats = rlxc_attr_get_int(call, "repeats", 1);
    const rlxc_buffer *out = rlxc_te_output(&te, "T_repeat");
    rlxc_te_spatial(&te, "T_repeat", out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *count = rlxc_i64(b->ctx, repeats > 0 ? repeats : 1);
    memcpy(at, te.axes, out->ndim * sizeof at[0]);
    uint32_t k = axis == INT64_MIN || axis >= 0 ? (axis > 0 ? (uint32_t)axis : 0)
                                                : (uint32_t)(axis + te.out->ndim);
    const rlxc_expr *source = rlxc_binary(b->ctx, RLXC_EXPR_FLOORDIV, at[k], count);
    if (axis == INT64_MIN)
        rlxc_te_unflatten(&te, source, x.dims, x.ndim, at);
    else
        at[k] = source;
    rlxc_te_store(&te, out, rlxc_te_get(&te, &x, at));
    return rlxc_te_finish(&te);
}

const rlxc_sinfo *rlxc_infer_tile(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t repeats[RLXC_MAX_NDIM];
    uint32_t n;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    rlxc_attr_get_ints(call, "repeats", repeats, RLXC_MAX_NDIM, &n);
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    uint32_t ndim = n > (uint32_t)x->ndim ? n : (uint32_t)x->ndim;
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, (int32_t)ndim);
    rlxc_dims dims = {.n = ndim};
    for (uint32_t i = 0; i < ndim; i++) {
        uint32_t from_x = ndim - (uint32_t)x->ndim, from_r = ndim - n;
        dims.at[i] = i >= from_x ? x->dims[i - from_x] : rlxc_i64(ctx, 1);
        if (i < from_r)
            continue;
        if (repeats[i - from_r] < 0)
            return rlxc_infer_error(&v, "repeats must not be negative");
        dims.at[i] = rlxc_mul(ctx, dims.at[i], rlxc_i64(ctx, repeats[i - from_r]));
    }
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_tile(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    if (!rlxc_te_begin(&te, b, call, "tile", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_tile");
    rlxc_te_spatial(&te, "T_tile", out);
    const rlxc_expr *at[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < x.ndim; i++) {
        uint32_t k = i + out->ndim - x.ndim;
        at[i] = x.dims[i] == out->shape[k]
                    ? te.axes[k]
                    : rlxc_binary(b->ctx, RLXC_EXPR_FLOORMOD, te.axes[k], x.dims[i]);
    }
    rlxc_te_store(&te, out, rlxc_te_get(&te, &x, at));
    return rlxc_te_finish(&te);
}

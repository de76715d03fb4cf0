/* grad.take_backward: x's gradient at each index is the sum of the result's gradients taken from
 * there. The gradient is scattered into zeros with the axis of the indices in front. */
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"

enum { GRADIENT, DATA, INDICES };

const rlxc_sinfo *rlxc_infer_no_grad(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    return rlxc_atom_sinfo(ctx, module, call->args[0]);
}

/* The axis of |v|'s attribute; a vector needs none. */
static bool read_axis(const rlxc_call_view *v, uint32_t *out)
{
    const rlxc_sinfo *x = v->in[DATA];
    const rlxc_attr *axis = rlxc_attrs_find(&v->call->attrs, "axis");
    *out = 0;
    if (axis && axis->kind != RLXC_ATTR_NONE)
        return rlxc_axis_in(v, rlxc_attr_get_int(v->call, "axis", 0), x->ndim, out);
    if (x->ndim != 1)
        rlxc_infer_fail(v, DATA, "without an axis, expected a vector, got %s",
                        rlxc_sinfo_text(v->ctx, x));
    return x->ndim == 1;
}

const rlxc_sinfo *rlxc_infer_take_backward(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype dtype;
    uint32_t axis, at = 0;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_common_dtype(&v, GRADIENT, DATA, &dtype))
        return NULL;
    const rlxc_sinfo *gradient = v.in[GRADIENT], *x = v.in[DATA], *indices = v.in[INDICES];
    if (!rlxc_dtype_is_void(indices->dtype) && !rlxc_dtype_is_int(indices->dtype))
        return rlxc_infer_fail(&v, INDICES, "expected integers, got %s",
                               rlxc_sinfo_text(ctx, indices));
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (!read_axis(&v, &axis))
        return NULL;
    if (indices->ndim == RLXC_UNKNOWN_NDIM || gradient->ndim == RLXC_UNKNOWN_NDIM)
        return x;
    if (gradient->ndim != x->ndim - 1 + indices->ndim)
        return rlxc_infer_fail(&v, GRADIENT, "expected %d dimensions, got %d",
                               x->ndim - 1 + indices->ndim, gradient->ndim);
    if (!rlxc_dims_known(gradient) || !rlxc_dims_known(x) || !rlxc_dims_known(indices))
        return x;
    for (uint32_t i = 0; i < (uint32_t)x->ndim; i++) {
        const uint32_t n = i == axis ? (uint32_t)indices->ndim : 1;
        for (uint32_t k = 0; k < n; k++) {
            rlxc_size want = i == axis ? rlxc_size_of(&v, INDICES, k) : rlxc_size_of(&v, DATA, i);
            if (!rlxc_require_equal(&v, rlxc_size_of(&v, GRADIENT, at++), want))
                return NULL;
        }
    }
    return x;
}

/* |x| of three dimensions with the first two exchanged. */
static rlxc_atom exchanged(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x)
{
    static const int64_t axes[3] = {1, 0, 2};
    return rlxc_lower_op(b, call, "permute_dims", &x, 1,
                         rlxc_one_attr(b->ctx, "axes", rlxc_attr_ints(b->ctx, axes, 3)));
}

rlxc_atom rlxc_legalize_take_backward(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    uint32_t axis;
    if (!rlxc_lower_begin(&v, b, call) || !read_axis(&v, &axis))
        return (rlxc_atom){0};
    const rlxc_sinfo *x = v.in[DATA], *indices = v.in[INDICES];
    const rlxc_expr *one = rlxc_i64(ctx, 1);
    const rlxc_expr *n = rlxc_product(ctx, indices->dims, (uint32_t)indices->ndim);
    const rlxc_expr *before = rlxc_product(ctx, x->dims, axis);
    const rlxc_expr *after = rlxc_product(ctx, x->dims + axis + 1, (uint32_t)x->ndim - axis - 1);
    const rlxc_expr *const taken[3] = {before, n, after}, *const column[2] = {n, one};
    const rlxc_expr *const sums[3] = {x->dims[axis], before, after};
    const rlxc_atom zeros[2] = {
        rlxc_atom_shape(ctx, sums, 3),
        rlxc_scalar_atom(ctx, rlxc_dtype_is_float(x->dtype) ? RLX_F32 : RLX_I64, 0)};
    rlxc_atom args[3] = {
        rlxc_lower_op(b, call, "full", zeros, 2,
                      rlxc_one_attr(ctx, "dtype", rlxc_attr_dtype(x->dtype))),
        rlxc_lower_reshape(b, call, call->args[INDICES], column, 2),
        exchanged(b, call, rlxc_lower_reshape(b, call, call->args[GRADIENT], taken, 3))};
    rlxc_atom sum = rlxc_lower_op(b, call, "scatter_nd", args, 3,
                                  rlxc_one_attr(ctx, "reduction", rlxc_attr_string(ctx, "add")));
    return rlxc_lower_reshape(b, call, exchanged(b, call, sum), x->dims, (uint32_t)x->ndim);
}

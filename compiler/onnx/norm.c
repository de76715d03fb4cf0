/* Normalisations, by their definitions. */
#include <string.h>

#include "compiler/ir/lifted.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/norm.h"
#include "compiler/onnx/standard.h"
#include "compiler/onnx/window.h"

/* (x - mean) / sqrt(variance + epsilon) */
static rlxc_atom normalized(rlxc_ox *im, rlxc_atom x, rlxc_atom mean, rlxc_atom variance,
                            double epsilon)
{
    rlxc_atom low =
        rlxc_ox_op2(im, "add", variance, rlxc_ox_number(im, rlxc_ox_type(im, variance), epsilon));
    return rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "subtract", x, mean),
                       rlxc_ox_op1(im, "sqrt", low));
}

static rlxc_atom affine(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom shift)
{
    return rlxc_ox_op2(im, "add", rlxc_ox_op2(im, "multiply", x, scale), shift);
}

/* True if nn.batch_norm takes the node's inputs as they are: constants of one type, for a known
 * number of channels. */
static bool by_constants(rlxc_ox *im, rlxc_atom x, const rlxc_atom *params)
{
    const rlx_dtype t = rlxc_ox_type(im, x);
    int64_t channels;
    bool constant =
        rlxc_ox_ndim(im, x) >= 2 && t.bits >= 32 && rlxc_ox_static_dim(im, x, 1, &channels);
    for (uint32_t i = 0; i < 4 && constant; i++)
        constant = params[i].kind == RLXC_ATOM_CONSTANT && !rlxc_is_lifted(params[i]) &&
                   rlxc_ox_ndim(im, params[i]) == 1 &&
                   rlxc_dtype_eq(rlxc_ox_type(im, params[i]), t);
    return constant;
}

void rlxc_ox_import_batch_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_wide_in(im, 0), in[4];
    uint32_t ndim = rlxc_ox_ndim(im, x);
    double epsilon = rlxc_ox_float(im, "epsilon", 1e-5),
           momentum = rlxc_ox_float(im, "momentum", 0.9);
    /* Before opset 7 is_test gave the mode, before 14 the number of outputs. */
    bool training = im->opset >= 14 ? rlxc_ox_int(im, "training_mode", 0) != 0
                    : im->opset < 7
                        ? rlxc_ox_int(im, "is_test", 0) == 0 && rlxc_ox_n_outputs(im) > 1
                        : rlxc_ox_n_outputs(im) > 1;
    if (im->opset < 9 && rlxc_ox_int(im, "spatial", 1) == 0)
        rlxc_ox_fail(im, "spatial=0 is not supported");
    for (uint32_t i = 0; i < 4; i++)
        in[i] =
            ndim < 2 ? rlxc_ox_in(im, i + 1) : rlxc_ox_per_channel(im, rlxc_ox_in(im, i + 1), x);
    rlxc_atom mean = in[2], variance = in[3];
    const rlxc_atom args[5] = {x, rlxc_ox_wide_in(im, 1), rlxc_ox_wide_in(im, 2),
                               rlxc_ox_wide_in(im, 3), rlxc_ox_wide_in(im, 4)};
    if (!training && by_constants(im, x, &args[1])) {
        rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 1);
        attrs = rlxc_ox_with(im, attrs, "epsilon", rlxc_attr_float(epsilon));
        rlxc_ox_set_rounded(im, 0,
                            rlxc_ox_field(im, rlxc_ox_opv(im, "nn.batch_norm", args, 5, attrs), 0));
        return;
    }
    if (training) {
        int64_t axes[RLXC_MAX_NDIM];
        uint32_t n = 0;
        for (uint32_t i = 0; i < ndim; i++)
            if (i != 1)
                axes[n++] = i;
        mean = rlxc_ox_reduce(im, "mean", x, axes, n, true);
        variance = rlxc_ox_reduce(im, "variance", x, axes, n, true);
        const rlxc_expr *channels = rlxc_ox_dim(im, x, 1);
        rlxc_atom now[2] = {mean, variance};
        for (uint32_t i = 0; i < 2; i++) {
            rlx_dtype t = rlxc_ox_type(im, in[i + 2]);
            rlxc_atom old = rlxc_ox_op2(im, "multiply", in[i + 2], rlxc_ox_number(im, t, momentum));
            rlxc_atom part = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, now[i], t),
                                         rlxc_ox_number(im, t, 1 - momentum));
            if (rlxc_ox_wants(im, i + 1))
                rlxc_ox_set(im, i + 1,
                            rlxc_ox_reshape(im, rlxc_ox_op2(im, "add", old, part), &channels, 1));
        }
    }
    rlx_dtype t = rlxc_ox_type(im, x);
    rlxc_atom y =
        normalized(im, x, rlxc_ox_cast(im, mean, t), rlxc_ox_cast(im, variance, t), epsilon);
    rlxc_ox_set_rounded(im, 0,
                        affine(im, y, rlxc_ox_cast(im, in[0], t), rlxc_ox_cast(im, in[1], t)));
}

void rlxc_ox_import_instance_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x), n = 0;
    int64_t axes[RLXC_MAX_NDIM];
    for (uint32_t i = 2; i < ndim; i++)
        axes[n++] = i;
    rlxc_atom mean = rlxc_ox_reduce(im, "mean", x, axes, n, true);
    rlxc_atom variance = rlxc_ox_reduce(im, "variance", x, axes, n, true);
    rlxc_atom y = normalized(im, x, mean, variance, rlxc_ox_float(im, "epsilon", 1e-5));
    rlxc_ox_set_rounded(im, 0,
                        affine(im, y, rlxc_ox_per_channel(im, rlxc_ox_wide_in(im, 1), x),
                               rlxc_ox_per_channel(im, rlxc_ox_wide_in(im, 2), x)));
}

/* True if the dimensions of |scale| are the last |n| of |x|; false: they broadcast, or may. */
static bool is_whole(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, uint32_t n)
{
    int64_t size;
    bool whole = rlxc_ox_ndim(im, scale) == n;
    for (uint32_t i = 0; i < n && whole; i++) {
        const rlxc_expr *d = rlxc_ox_dim(im, scale, i),
                        *of_x = rlxc_ox_dim(im, x, rlxc_ox_ndim(im, x) - n + i);
        whole = (rlxc_is_int(d, &size) && size != 1) || rlxc_prove_eq(im->ctx, d, of_x, NULL);
    }
    return whole;
}

rlxc_atom rlxc_ox_layer_norm(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom shift,
                             int64_t first, double epsilon, rlxc_atom moments[2])
{
    uint32_t ndim = rlxc_ox_ndim(im, x), n = 0;
    int64_t axes[RLXC_MAX_NDIM];
    for (uint32_t i = rlxc_ox_axis(im, first, ndim); i < ndim; i++)
        axes[n++] = i;
    if (!moments && shift.kind != RLXC_ATOM_NONE && is_whole(im, x, scale, n) &&
        is_whole(im, x, shift, n)) {
        const rlxc_atom args[3] = {x, scale, shift};
        rlxc_attrs attrs = rlxc_ox_with_ints(im, (rlxc_attrs){0}, "axes", axes, n);
        attrs = rlxc_ox_with(im, attrs, "epsilon", rlxc_attr_float(epsilon));
        return rlxc_ox_opv(im, "nn.layer_norm", args, 3, attrs);
    }
    rlx_dtype t = rlxc_ox_type(im, x), wide = rlxc_ox_wide(t);
    rlxc_atom w = rlxc_ox_cast(im, x, wide);
    rlxc_atom mean = rlxc_ox_reduce(im, "mean", w, axes, n, true);
    rlxc_atom variance = rlxc_ox_reduce(im, "variance", w, axes, n, true);
    rlxc_atom inverse = rlxc_ox_op1(
        im, "rsqrt", rlxc_ox_op2(im, "add", variance, rlxc_ox_number(im, wide, epsilon)));
    rlxc_atom y = rlxc_ox_op2(im, "multiply", rlxc_ox_op2(im, "subtract", w, mean), inverse);
    y = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, y, t), scale);
    if (shift.kind != RLXC_ATOM_NONE)
        y = rlxc_ox_op2(im, "add", y, shift);
    if (moments) {
        moments[0] = mean;
        moments[1] = inverse;
    }
    return y;
}

void rlxc_ox_import_layer_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const bool more = rlxc_ox_wants(im, 1) || rlxc_ox_wants(im, 2);
    rlxc_atom moments[2] = {{0}};
    rlxc_ox_set(im, 0,
                rlxc_ox_layer_norm(im, rlxc_ox_in(im, 0), rlxc_ox_in(im, 1),
                                   rlxc_ox_optional_in(im, 2), rlxc_ox_int(im, "axis", -1),
                                   rlxc_ox_float(im, "epsilon", 1e-5), more ? moments : NULL));
    rlx_dtype stash = RLX_F32;
    if (!rlxc_ox_dtype_of((int32_t)rlxc_ox_int(im, "stash_type", 1), &stash) ||
        !rlxc_dtype_is_float(stash))
        rlxc_ox_fail(im, "stash_type must be a float type");
    for (uint32_t i = 0; i < 2 && more; i++)
        rlxc_ox_set(im, 1 + i, rlxc_ox_cast(im, moments[i], stash));
}

rlxc_atom rlxc_ox_group_norm(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom shift,
                             int64_t groups, double epsilon)
{
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlx_dtype t = rlxc_ox_type(im, x), wide = rlxc_ox_wide(t);
    const int64_t axes[1] = {2};
    const rlxc_expr *dims[RLXC_MAX_NDIM], *parts[3];
    if (groups < 1 || ndim < 3) {
        rlxc_ox_fail(im, "expected a positive number of groups and at least three dimensions");
        return x;
    }
    x = rlxc_ox_cast(im, x, wide);
    rlxc_ox_dims(im, x, dims);
    parts[0] = dims[0];
    parts[1] = rlxc_ox_i(im, groups);
    parts[2] =
        rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, rlxc_product(im->ctx, dims + 1, ndim - 1), parts[1]);
    rlxc_atom y = rlxc_ox_reshape(im, x, parts, 3);
    y = normalized(im, y, rlxc_ox_reduce(im, "mean", y, axes, 1, true),
                   rlxc_ox_reduce(im, "variance", y, axes, 1, true), epsilon);
    y = affine(im, rlxc_ox_reshape(im, y, dims, ndim),
               rlxc_ox_cast(im, rlxc_ox_per_channel(im, scale, x), wide),
               rlxc_ox_cast(im, rlxc_ox_per_channel(im, shift, x), wide));
    return rlxc_ox_cast(im, y, t);
}

void rlxc_ox_import_group_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0), by[2] = {rlxc_ox_in(im, 1), rlxc_ox_in(im, 2)};
    const int64_t groups = rlxc_ox_int(im, "num_groups", 1);
    for (uint32_t i = 0; i < 2 && im->opset < 21 && groups > 0; i++) { /* a number for a group */
        const rlxc_expr *flat = rlxc_ox_dim(im, x, 1), *n = rlxc_ox_i(im, groups);
        const rlxc_expr *each[2] = {n, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, flat, n)};
        const rlxc_expr *one[2] = {n, rlxc_ox_i(im, 1)};
        by[i] = rlxc_ox_broadcast(im, rlxc_ox_reshape(im, by[i], one, 2), each, 2);
        by[i] = rlxc_ox_reshape(im, by[i], &flat, 1);
    }
    rlxc_ox_set(
        im, 0, rlxc_ox_group_norm(im, x, by[0], by[1], groups, rlxc_ox_float(im, "epsilon", 1e-5)));
}

rlxc_atom rlxc_ox_rms_norm(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, int64_t first, double epsilon)
{
    uint32_t ndim = rlxc_ox_ndim(im, x), n = 0;
    int64_t axes[RLXC_MAX_NDIM];
    for (uint32_t i = rlxc_ox_axis(im, first, ndim); i < ndim; i++)
        axes[n++] = i;
    rlx_dtype t = rlxc_ox_type(im, x), wide = rlxc_ox_wide(t);
    rlxc_atom w = rlxc_ox_cast(im, x, wide);
    rlxc_atom mean = rlxc_ox_reduce(im, "mean", rlxc_ox_op1(im, "square", w), axes, n, true);
    mean = rlxc_ox_op2(im, "add", mean, rlxc_ox_number(im, wide, epsilon));
    w = rlxc_ox_cast(im, rlxc_ox_op2(im, "multiply", w, rlxc_ox_op1(im, "rsqrt", mean)), t);
    rlxc_ox_unify(im, &w, &scale);
    return rlxc_ox_op2(im, "multiply", w, scale);
}

void rlxc_ox_import_rms_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set(im, 0,
                rlxc_ox_rms_norm(im, rlxc_ox_in(im, 0), rlxc_ox_in(im, 1),
                                 rlxc_ox_int(im, "axis", -1), rlxc_ox_float(im, "epsilon", 1e-5)));
}

void rlxc_ox_import_mvn(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, x);
    int64_t axes[RLXC_MAX_NDIM] = {0, 2, 3};
    uint32_t n;
    if (!rlxc_ox_ints(im, "axes", axes, RLXC_MAX_NDIM, &n))
        n = 3;
    rlxc_atom mean = rlxc_ox_reduce(im, "mean", x, axes, n, true);
    rlxc_atom std = rlxc_ox_op1(im, "sqrt", rlxc_ox_reduce(im, "variance", x, axes, n, true));
    std = rlxc_ox_op2(im, "add", std, rlxc_ox_number(im, t, 1e-9));
    rlxc_ox_set_rounded(im, 0,
                        rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "subtract", x, mean), std));
}

/* x / (bias + alpha / size * sum of squares of neighbouring channels)^beta */
void rlxc_ox_import_lrn(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, x);
    int64_t size = rlxc_ox_int(im, "size", 1);
    const rlxc_expr *channels = rlxc_ox_dim(im, x, 1);
    if (size < 1 || size > 1024) {
        rlxc_ox_fail(im, "size is %lld", (long long)size);
        return;
    }
    rlxc_atom square =
        rlxc_ox_pad_axis(im, rlxc_ox_op1(im, "square", x), 1, rlxc_ox_i(im, (size - 1) / 2),
                         rlxc_ox_i(im, size / 2), "constant", rlxc_ox_number(im, t, 0));
    rlxc_atom sum = {0};
    for (int64_t i = 0; i < size && !im->failed; i++) {
        rlxc_atom part = rlxc_ox_slice(im, square, 1, rlxc_ox_i(im, i),
                                       rlxc_add(im->ctx, channels, rlxc_ox_i(im, i)), 1);
        sum = i == 0 ? part : rlxc_ox_op2(im, "add", sum, part);
    }
    double alpha = rlxc_ox_float(im, "alpha", 0.0001) / (double)size;
    sum = rlxc_ox_op2(im, "multiply", sum, rlxc_ox_number(im, t, alpha));
    sum = rlxc_ox_op2(im, "add", sum, rlxc_ox_number(im, t, rlxc_ox_float(im, "bias", 1)));
    sum = rlxc_ox_op2(im, "power", sum, rlxc_ox_number(im, t, rlxc_ox_float(im, "beta", 0.75)));
    rlxc_ox_set_rounded(im, 0, rlxc_ox_op2(im, "divide", x, sum));
}

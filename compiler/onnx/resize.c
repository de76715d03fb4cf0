/* Resize and Upsample: one axis after the other, each as a weighted sum of elements at computed
 * indices; this supports any rank, mode and symbolic sizes. Linear interpolation of images with
 * several channels is R.image.resize2d or resize3d instead, which can have its channels last.
 *
 * Coordinates and sums are float32; the sums of float64 are float64, unless antialiased. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"

enum { MOST_REPEATS = 64, IMAGE_CHANNELS = 8 };

typedef struct axis_plan {
    const rlxc_expr *in, *out;
    rlxc_atom scale; /* scalar float32 */
    bool exact;      /* the scale is out / in */
} axis_plan;

/* An integer as a float32 scalar. */
static rlxc_atom scalar_of(rlxc_ox *im, const rlxc_expr *e)
{
    return rlxc_ox_scalar(im, e, RLX_F32);
}

static rlxc_atom f(rlxc_ox *im, double value)
{
    return rlxc_ox_number(im, RLX_F32, value);
}

static rlxc_atom add(rlxc_ox *im, rlxc_atom a, double b)
{
    return rlxc_ox_op2(im, "add", a, f(im, b));
}

static const char *nearest_mode(rlxc_ox *im)
{
    return rlxc_ox_str(im, "nearest_mode", im->opset < 11 ? "floor" : "round_prefer_floor");
}

/* |position| / scale. Where the scale is a quotient of two lengths, rounded nearest elements use
 * the lengths themselves: the product is exact below 2^24, so that no rounding error decides a tie.
 * floor and ceil keep the rounded scale, as PyTorch and ONNX Runtime do. */
static rlxc_atom unscaled(rlxc_ox *im, const axis_plan *p, rlxc_atom position)
{
    const bool may_tie = strcmp(rlxc_ox_str(im, "mode", "nearest"), "nearest") == 0 &&
                         strncmp(nearest_mode(im), "round", 5) == 0;
    if (!may_tie || !p->exact)
        return rlxc_ox_op2(im, "divide", position, p->scale);
    position = rlxc_ox_op2(im, "multiply", position, scalar_of(im, p->in));
    return rlxc_ox_op2(im, "divide", position, scalar_of(im, p->out));
}

/* The coordinate of element |i| of a part of the input from |begin| to |end|, fractions of its
 * length less one: |last|. One element is at the middle. */
static rlxc_atom cropped(rlxc_ox *im, const axis_plan *p, rlxc_atom i, rlxc_atom begin,
                         rlxc_atom end, rlxc_atom last)
{
    const rlxc_expr *one = rlxc_ox_i(im, 1);
    const rlxc_expr *most = rlxc_ox_bin(im, RLXC_EXPR_MAX, p->out, rlxc_ox_i(im, 2));
    int64_t n;
    rlxc_atom middle = rlxc_ox_op2(im, "multiply", rlxc_ox_op2(im, "add", begin, end), f(im, 0.5));
    middle = rlxc_ox_op2(im, "add", rlxc_ox_op2(im, "multiply", middle, last),
                         rlxc_ox_op2(im, "multiply", i, f(im, 0)));
    const bool known = rlxc_is_int(rlxc_canonical(im->ctx, p->out, NULL), &n);
    if (known && n == 1)
        return middle;
    rlxc_atom width = rlxc_ox_op2(im, "subtract", end, begin);
    width = rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "multiply", width, last),
                        scalar_of(im, rlxc_sub(im->ctx, most, one)));
    rlxc_atom x = rlxc_ox_op2(im, "add", rlxc_ox_op2(im, "multiply", i, width),
                              rlxc_ox_op2(im, "multiply", begin, last));
    if (known)
        return x;
    rlxc_atom many = rlxc_ox_op2(im, "greater", scalar_of(im, p->out), f(im, 1));
    return rlxc_ox_op3(im, "where", many, x, middle);
}

/* Coordinates in the input of each element of the output; |out_inside| (or none) tells where they
 * are inside, for tf_crop_and_resize. */
static rlxc_atom coordinates(rlxc_ox *im, const axis_plan *p, rlxc_atom roi, uint32_t axis,
                             uint32_t ndim, rlxc_atom *out_inside)
{
    const char *mode = rlxc_ox_str(im, "coordinate_transformation_mode",
                                   im->opset < 11 ? "asymmetric" : "half_pixel");
    rlxc_atom i = rlxc_ox_cast(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), p->out), RLX_F32);
    const rlxc_expr *one = rlxc_ox_i(im, 1);
    rlxc_atom last = scalar_of(im, rlxc_sub(im->ctx, p->in, one));
    int64_t n;
    bool single = rlxc_is_int(rlxc_canonical(im->ctx, p->out, NULL), &n) && n == 1;
    rlxc_atom half = add(im, unscaled(im, p, add(im, i, 0.5)), -0.5);
    if (strcmp(mode, "half_pixel") == 0)
        return half;
    if (strcmp(mode, "pytorch_half_pixel") == 0) {
        if (single)
            return rlxc_ox_op2(im, "multiply", i, f(im, 0));
        if (rlxc_is_int(rlxc_canonical(im->ctx, p->out, NULL), &n))
            return half;
        rlxc_atom many = rlxc_ox_op2(im, "greater", scalar_of(im, p->out), f(im, 1));
        return rlxc_ox_op3(im, "where", many, half, f(im, 0));
    }
    if (strcmp(mode, "align_corners") == 0) {
        rlxc_atom some = rlxc_ox_op2(im, "greater", i, f(im, 0)); /* the first is 0, also for a
                                                                   * single one */
        /* one less than the output's length, which may be fractional here */
        rlxc_atom length = p->exact ? scalar_of(im, p->out)
                                    : rlxc_ox_op2(im, "multiply", p->scale, scalar_of(im, p->in));
        rlxc_atom x =
            rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "multiply", i, last), add(im, length, -1));
        return rlxc_ox_op3(im, "where", some, x, f(im, 0));
    }
    if (strcmp(mode, "asymmetric") == 0)
        return unscaled(im, p, i);
    if (strcmp(mode, "tf_half_pixel_for_nn") == 0)
        return unscaled(im, p, add(im, i, 0.5));
    if (strcmp(mode, "half_pixel_symmetric") == 0) {
        rlxc_atom in = scalar_of(im, p->in);
        rlxc_atom adjust = rlxc_ox_op2(im, "divide", scalar_of(im, p->out),
                                       rlxc_ox_op2(im, "multiply", p->scale, in));
        rlxc_atom offset = rlxc_ox_op2(im, "multiply", rlxc_ox_op2(im, "multiply", in, f(im, 0.5)),
                                       rlxc_ox_op2(im, "subtract", f(im, 1), adjust));
        return rlxc_ox_op2(im, "add", offset, half);
    }
    if (strcmp(mode, "tf_crop_and_resize") == 0 && roi.kind != RLXC_ATOM_NONE) {
        rlxc_atom ends[2];
        for (uint32_t k = 0; k < 2; k++) {
            const rlxc_expr *at = rlxc_ox_i(im, axis + k * ndim);
            rlxc_atom part = rlxc_ox_slice(im, roi, 0, at, rlxc_add(im->ctx, at, one), 1);
            ends[k] = rlxc_ox_cast(im, rlxc_ox_reshape(im, part, NULL, 0), RLX_F32);
        }
        rlxc_atom x = cropped(im, p, i, ends[0], ends[1], last);
        *out_inside = rlxc_ox_op2(im, "logical_and", rlxc_ox_op2(im, "greater_equal", x, f(im, 0)),
                                  rlxc_ox_op2(im, "less_equal", x, last));
        return x;
    }
    rlxc_ox_fail(im, "coordinate_transformation_mode '%s' is not supported", mode);
    return i;
}

static rlxc_atom clamped(rlxc_ox *im, rlxc_atom place, rlxc_atom last)
{
    place = rlxc_ox_op2(im, "minimum", rlxc_ox_op2(im, "maximum", place, f(im, 0)), last);
    return rlxc_ox_cast(im, place, RLX_I64);
}

static rlxc_atom nearest(rlxc_ox *im, rlxc_atom x)
{
    const char *mode = nearest_mode(im);
    if (strcmp(mode, "floor") == 0)
        return rlxc_ox_op1(im, "floor", x);
    if (strcmp(mode, "ceil") == 0)
        return rlxc_ox_op1(im, "ceil", x);
    if (strcmp(mode, "round_prefer_ceil") == 0)
        return rlxc_ox_op1(im, "floor", add(im, x, 0.5));
    return rlxc_ox_op1(im, "ceil", add(im, x, -0.5));
}

/* a (|t|^3 - 5 |t|^2 + 8 |t| - 4) outside, (a + 2) |t|^3 - (a + 3) |t|^2 + 1 inside of 1 */
rlxc_atom rlxc_ox_cubic_weight(rlxc_ox *im, rlxc_atom t, double a, bool inner)
{
    const double c[2][4] = {{a, -5 * a, 8 * a, -4 * a}, {a + 2, -(a + 3), 0, 1}};
    rlxc_atom y = f(im, c[inner][0]);
    for (uint32_t i = 1; i < 4; i++)
        y = add(im, rlxc_ox_op2(im, "multiply", y, t), c[inner][i]);
    return y;
}

static rlxc_atom interpolate(rlxc_ox *im, rlxc_atom x, uint32_t axis, const axis_plan *p,
                             rlxc_atom at, bool cubic)
{
    uint32_t taps = cubic ? 4 : 2, ndim = rlxc_ox_ndim(im, x);
    double a = rlxc_ox_float(im, "cubic_coeff_a", -0.75);
    bool exclude = rlxc_ox_int(im, "exclude_outside", 0) != 0;
    rlxc_atom last = scalar_of(im, rlxc_sub(im->ctx, p->in, rlxc_ox_i(im, 1)));
    rlxc_atom base = rlxc_ox_op1(im, "floor", at), part = rlxc_ox_op2(im, "subtract", at, base);
    rlxc_atom weights[4], places[4], total = {0}, sum = {0};
    for (uint32_t k = 0; k < taps; k++) {
        double offset = cubic ? (double)k - 1 : (double)k;
        places[k] = add(im, base, offset);
        if (!cubic) {
            weights[k] = k ? part : rlxc_ox_op2(im, "subtract", f(im, 1), part);
        } else { /* distance to the tap */
            rlxc_atom distance = rlxc_ox_op1(im, "abs", add(im, part, -offset));
            weights[k] = rlxc_ox_cubic_weight(im, distance, a, k == 1 || k == 2);
        }
        if (exclude) {
            rlxc_atom inside = rlxc_ox_op2(im, "logical_and",
                                           rlxc_ox_op2(im, "greater_equal", places[k], f(im, 0)),
                                           rlxc_ox_op2(im, "less_equal", places[k], last));
            weights[k] = rlxc_ox_op3(im, "where", inside, weights[k], f(im, 0));
            total = k ? rlxc_ox_op2(im, "add", total, weights[k]) : weights[k];
        }
    }
    for (uint32_t k = 0; k < taps; k++) {
        if (exclude)
            weights[k] = rlxc_ox_op2(im, "divide", weights[k], total);
        rlxc_atom value = rlxc_ox_take_inside(im, x, clamped(im, places[k], last), axis);
        const rlxc_atom weight = rlxc_ox_cast(im, weights[k], rlxc_ox_type(im, value));
        value = rlxc_ox_op2(im, "multiply", value, rlxc_ox_along(im, weight, axis, ndim));
        sum = k ? rlxc_ox_op2(im, "add", sum, value) : value;
    }
    return sum;
}

/* The elements that the kernel of |support| reaches around one coordinate, at most, in front of and
 * behind it: twice the support, as often as the axis shrinks. The scale may be up to half an
 * element of the result less than the quotient of the lengths. One more than that, for rounding. */
static const rlxc_expr *count_taps(rlxc_ox *im, const axis_plan *p, int64_t support)
{
    const rlxc_expr *one = rlxc_ox_i(im, 1);
    const rlxc_expr *out = rlxc_ox_bin(im, RLXC_EXPR_MAX, p->out, one), *in = p->in;
    const bool stretches = rlxc_ox_is(im, "keep_aspect_ratio_policy", "stretch", "stretch");
    const rlxc_expr *top = rlxc_mul(im->ctx, in, rlxc_ox_i(im, 2 * support));
    if (!stretches) {
        top = rlxc_mul(im->ctx, top, rlxc_ox_i(im, 2));
        out = rlxc_sub(im->ctx, rlxc_mul(im->ctx, out, rlxc_ox_i(im, 2)), one);
    }
    top = rlxc_add(im->ctx, top, rlxc_sub(im->ctx, out, one));
    top = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, top, out);
    top = rlxc_ox_bin(im, RLXC_EXPR_MAX, top, rlxc_ox_i(im, 2 * support));
    return rlxc_canonical(im->ctx, rlxc_add(im->ctx, top, one), NULL);
}

/* As interpolate, with a kernel widened by the scale when the axis shrinks: a weighted sum of as
 * many elements as it then reaches. Elements outside repeat the border, or are excluded. */
static rlxc_atom antialiased(rlxc_ox *im, rlxc_atom x, uint32_t axis, const axis_plan *p,
                             rlxc_atom at, bool cubic)
{
    const int64_t columns[1] = {1}, taps_axis[1] = {(int64_t)axis + 1};
    const double support = cubic ? 2 : 1, a = rlxc_ox_float(im, "cubic_coeff_a", -0.75);
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlxc_expr *taps = count_taps(im, p, cubic ? 2 : 1);
    rlxc_atom last = scalar_of(im, rlxc_sub(im->ctx, p->in, rlxc_ox_i(im, 1)));
    rlxc_atom shrink = rlxc_ox_op2(im, "minimum", p->scale, f(im, 1));
    rlxc_atom reach = rlxc_ox_op2(im, "divide", f(im, support), shrink);
    rlxc_atom first = rlxc_ox_op1(im, "floor", rlxc_ox_op2(im, "subtract", at, reach));
    rlxc_atom step = rlxc_ox_cast(
        im, rlxc_ox_arange(im, rlxc_ox_i(im, 1), rlxc_add(im->ctx, taps, rlxc_ox_i(im, 1))),
        RLX_F32);
    rlxc_atom place =
        rlxc_ox_op2(im, "add", rlxc_ox_along(im, first, 0, 2), rlxc_ox_along(im, step, 1, 2));
    rlxc_atom d = rlxc_ox_op2(im, "subtract", place, rlxc_ox_along(im, at, 0, 2));
    d = rlxc_ox_op2(im, "multiply", rlxc_ox_op1(im, "abs", d), shrink);
    rlxc_atom w;
    if (cubic) {
        w = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "less", d, f(im, 2)),
                        rlxc_ox_cubic_weight(im, d, a, false), f(im, 0));
        w = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "less_equal", d, f(im, 1)),
                        rlxc_ox_cubic_weight(im, d, a, true), w);
    } else {
        w = rlxc_ox_op2(im, "maximum", rlxc_ox_op2(im, "subtract", f(im, 1), d), f(im, 0));
    }
    if (rlxc_ox_int(im, "exclude_outside", 0)) {
        rlxc_atom inside =
            rlxc_ox_op2(im, "logical_and", rlxc_ox_op2(im, "greater_equal", place, f(im, 0)),
                        rlxc_ox_op2(im, "less_equal", place, last));
        w = rlxc_ox_op3(im, "where", inside, w, f(im, 0));
    }
    w = rlxc_ox_op2(im, "divide", w, rlxc_ox_reduce(im, "sum", w, columns, 1, true));
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t known;
    if (!rlxc_is_int(p->in, &known) || !rlxc_is_int(p->out, &known) ||
        ndim == RLXC_MAX_NDIM) { /* the weights are not constants */
        const rlxc_atom args[4] = {x, add(im, first, 1), w, rlxc_atom_prim(rlxc_ox_i(im, axis))};
        rlxc_ox_dims(im, x, dims);
        dims[axis] = p->out;
        return rlxc_ox_builtin(im, "rlx.resample", args, 4,
                               rlxc_sinfo_tensor(im->ctx, RLX_F32, (int32_t)ndim, dims, NULL));
    }
    x = rlxc_ox_take_inside(im, x, clamped(im, place, last), axis);
    rlxc_ox_dims(im, x, dims);
    for (uint32_t i = 0; i <= ndim; i++)
        dims[i] = i == axis || i == axis + 1 ? dims[i] : rlxc_ox_i(im, 1);
    x = rlxc_ox_op2(im, "multiply", x, rlxc_ox_reshape(im, w, dims, ndim + 1));
    return rlxc_ox_reduce(im, "sum", x, taps_axis, 1, false);
}

static rlxc_atom resize_axis(rlxc_ox *im, rlxc_atom x, uint32_t axis, const axis_plan *p,
                             rlxc_atom roi, uint32_t roi_axis, uint32_t roi_axes, const char *mode)
{
    rlxc_atom inside = {0};
    rlxc_atom at = coordinates(im, p, roi, roi_axis, roi_axes, &inside);
    rlxc_atom y;
    if (strcmp(mode, "nearest") == 0) {
        rlxc_atom last = scalar_of(im, rlxc_sub(im->ctx, p->in, rlxc_ox_i(im, 1)));
        y = rlxc_ox_take_inside(im, x, clamped(im, nearest(im, at), last), axis);
    } else if (rlxc_ox_int(im, "antialias", 0)) {
        y = antialiased(im, x, axis, p, at, strcmp(mode, "cubic") == 0);
    } else {
        y = interpolate(im, x, axis, p, at, strcmp(mode, "cubic") == 0);
    }
    if (inside.kind == RLXC_ATOM_NONE)
        return y;
    rlxc_atom value = rlxc_ox_cast(im, f(im, rlxc_ox_float(im, "extrapolation_value", 0)),
                                   rlxc_ox_type(im, y)); /* saturates */
    return rlxc_ox_op3(im, "where", rlxc_ox_along(im, inside, axis, rlxc_ox_ndim(im, y)), y, value);
}

/* floor(in * scale) for every axis. */
static bool scaled_sizes(rlxc_ox *im, rlxc_ox_value *scales, axis_plan *plans, uint32_t n)
{
    double values[RLXC_MAX_NDIM];
    const rlxc_expr *const *elems, *in[RLXC_MAX_NDIM];
    uint32_t m;
    if (rlxc_ox_const_doubles(im, scales, values, RLXC_MAX_NDIM, &m) && m == n) {
        bool all = true;
        for (uint32_t i = 0; i < n; i++) {
            int64_t d;
            float scale = (float)values[i];
            if (!(scale > 0 && scale < HUGE_VALF))
                rlxc_ox_fail(im, "a scale is %g, expected more than 0", values[i]);
            plans[i].scale = f(im, values[i]);
            plans[i].out = NULL;
            plans[i].exact = values[i] == floor(values[i]);
            if (rlxc_is_int(plans[i].in, &d)) {
                plans[i].out = rlxc_ox_i(im, rlxc_ox_whole((double)floorf((float)d * scale)));
                plans[i].exact = (double)d * values[i] == floor((double)d * values[i]);
            } else if (plans[i].exact)
                plans[i].out =
                    rlxc_mul(im->ctx, plans[i].in, rlxc_ox_i(im, rlxc_ox_whole(values[i])));
            else if (values[i] > 0 && 1 / values[i] == floor(1 / values[i]))
                plans[i].out = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, plans[i].in,
                                           rlxc_ox_i(im, rlxc_ox_whole(1 / values[i])));
            all &= plans[i].out != NULL;
        }
        if (all)
            return true;
    }
    rlxc_atom t = rlxc_ox_cast(im, rlxc_ox_atom(im, scales), RLX_F32);
    if (rlxc_ox_ndim(im, t) != 1 || rlxc_ox_need_dim(im, t, 0, "the number of scales") != n) {
        rlxc_ox_fail(im, "the number of scales is not %u", n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        in[i] = plans[i].in;
        rlxc_atom one = rlxc_ox_slice(im, t, 0, rlxc_ox_i(im, i), rlxc_ox_i(im, (int64_t)i + 1), 1);
        plans[i].scale = rlxc_ox_reshape(im, one, NULL, 0);
    }
    rlxc_atom sizes =
        rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, rlxc_ox_prims(im, in, n), RLX_F32), t);
    sizes = rlxc_ox_cast(im, rlxc_ox_op1(im, "floor", sizes), RLX_I64);
    if (!rlxc_ox_elems_of(im, rlxc_ox_tensor(im, sizes), &elems, &m) || m != n)
        return false;
    rlxc_ox_check_nonzero_elements(im, t, "the scale");
    for (uint32_t i = 0; i < n; i++) {
        rlxc_ox_check_least(im, elems[i], 0, "a scaled size");
        plans[i].out = rlxc_ox_bin(im, RLXC_EXPR_MAX, elems[i], rlxc_ox_i(im, 0));
    }
    return true;
}

/* One scale for all axes: the smallest (not_larger) or largest of the requested ones; sizes are
 * rounded, halves up. */
static void keep_ratio(rlxc_ox *im, axis_plan *plans, uint32_t n)
{
    const bool smaller = rlxc_ox_is(im, "keep_aspect_ratio_policy", "stretch", "not_larger");
    const rlxc_expr_kind kind = smaller ? RLXC_EXPR_MIN : RLXC_EXPR_MAX;
    const rlxc_expr *one = rlxc_ox_i(im, 1), *two = rlxc_ox_i(im, 2), *out[RLXC_MAX_NDIM];
    rlxc_atom scale = {0};
    if (!smaller && !rlxc_ox_is(im, "keep_aspect_ratio_policy", "stretch", "not_smaller"))
        rlxc_ox_fail(im, "keep_aspect_ratio_policy '%s' is not supported",
                     rlxc_ox_str(im, "keep_aspect_ratio_policy", ""));
    for (uint32_t i = 0; i < n; i++) {
        out[i] = NULL;
        for (uint32_t j = 0; j < n; j++) { /* (2 size_j in_i + in_j) / (2 in_j) */
            const rlxc_expr *in = rlxc_ox_bin(im, RLXC_EXPR_MAX, plans[j].in, one);
            const rlxc_expr *top = rlxc_mul(im->ctx, plans[j].out, plans[i].in);
            top = rlxc_add(im->ctx, rlxc_mul(im->ctx, top, two), in);
            top = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, top, rlxc_mul(im->ctx, in, two));
            out[i] = out[i] ? rlxc_ox_bin(im, kind, out[i], top) : top;
        }
        scale = i ? rlxc_ox_op2(im, smaller ? "minimum" : "maximum", scale, plans[i].scale)
                  : plans[i].scale;
    }
    for (uint32_t i = 0; i < n; i++) {
        plans[i].out = rlxc_canonical(im->ctx, out[i], NULL);
        plans[i].scale = scale;
    }
}

static bool is_empty(rlxc_ox *im, uint32_t input)
{
    int64_t n;
    if (!rlxc_ox_has(im, input))
        return true;
    const rlxc_ox_value *v = rlxc_ox_value_in(im, input);
    if (v->elems)
        return v->n_elems == 0;
    rlxc_atom a = rlxc_ox_in(im, input);
    return rlxc_ox_ndim(im, a) == 1 && rlxc_ox_static_dim(im, a, 0, &n) && n == 0;
}

/* Whether element i of an axis that becomes k times as long is element i // k. */
static bool repeats_elements(rlxc_ox *im)
{
    const char *mode = rlxc_ox_str(im, "coordinate_transformation_mode",
                                   im->opset < 11 ? "asymmetric" : "half_pixel");
    const char *rounding = nearest_mode(im);
    return strcmp(mode, "asymmetric") == 0
               ? strcmp(rounding, "floor") == 0
               : strstr(mode, "half_pixel") != NULL && strncmp(rounding, "round", 5) == 0;
}

/* How many times an axis becomes as long; 0: no whole number. */
static int64_t factor_of(rlxc_ox *im, const axis_plan *p)
{
    double scale[1];
    uint32_t one;
    if (!rlxc_ox_const_doubles(im, rlxc_ox_tensor(im, p->scale), scale, 1, &one) ||
        !(scale[0] >= 1 && scale[0] <= (double)MOST_REPEATS) || scale[0] != floor(scale[0]))
        return 0;
    const rlxc_expr *out = rlxc_mul(im->ctx, p->in, rlxc_ox_i(im, (int64_t)scale[0]));
    return rlxc_prove_eq(im->ctx, out, p->out, NULL) ? (int64_t)scale[0] : 0;
}

/* Nearest neighbours along the axes that become a whole number of times as long, all at once: each
 * element is broadcast along an axis of its own. Marks them done. */
static rlxc_atom repeat_elements(rlxc_ox *im, rlxc_atom x, const int64_t *axes,
                                 const axis_plan *plans, uint32_t n, bool *done)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM], *from[RLXC_MAX_NDIM], *to[RLXC_MAX_NDIM];
    int64_t factors[RLXC_MAX_NDIM];
    uint32_t ndim = rlxc_ox_ndim(im, x), count = ndim, m = 0;
    rlxc_ox_dims(im, x, dims);
    for (uint32_t i = 0; i < ndim; i++)
        factors[i] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t k = factor_of(im, &plans[i]);
        done[i] = k > 0 && count + (k > 1) <= RLXC_MAX_NDIM;
        if (done[i]) {
            factors[axes[i]] = k;
            count += k > 1;
        }
    }
    if (count == ndim)
        return x;
    for (uint32_t i = 0; i < ndim; i++) {
        const rlxc_expr *k = rlxc_ox_i(im, factors[i]);
        from[m] = to[m] = dims[i];
        dims[i] = rlxc_canonical(im->ctx, rlxc_mul(im->ctx, dims[i], k), NULL);
        m++;
        if (factors[i] > 1) {
            from[m] = rlxc_ox_i(im, 1);
            to[m++] = k;
        }
    }
    x = rlxc_ox_broadcast(im, rlxc_ox_reshape(im, x, from, m), to, m);
    return rlxc_ox_reshape(im, x, dims, ndim);
}

/* True if the axis keeps its elements. */
static bool stays(rlxc_ox *im, const axis_plan *p)
{
    double scale[1];
    uint32_t one;
    return rlxc_canonical(im->ctx, p->out, NULL) == p->in &&
           (p->exact || (rlxc_ox_const_doubles(im, rlxc_ox_tensor(im, p->scale), scale, 1, &one) &&
                         scale[0] == 1));
}

/* Linear interpolation along spatial dimensions that are not |done|, by an operator if it has these
 * coordinates. Marks them done. */
static rlxc_atom resize_image(rlxc_ox *im, rlxc_atom x, const int64_t *axes, const axis_plan *plans,
                              uint32_t n, bool *done)
{
    static const char *const modes[] = {"half_pixel", "pytorch_half_pixel", "align_corners",
                                        "asymmetric"};
    const char *mode = rlxc_ox_str(im, "coordinate_transformation_mode",
                                   im->opset < 11 ? "asymmetric" : "half_pixel");
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    const uint32_t ndim = rlxc_ox_ndim(im, x), space = ndim - 2;
    int64_t channels;
    bool known = false, any = false;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        known = known || strcmp(mode, modes[i]) == 0;
    if (!known || ndim < 4 || ndim > 5 || rlxc_ox_int(im, "antialias", 0) ||
        !rlxc_is_int(rlxc_ox_dim(im, x, 1), &channels) || channels < IMAGE_CHANNELS)
        return x;
    rlxc_ox_dims(im, x, dims);
    for (uint32_t i = 0; i < n; i++) {
        any = any || !done[i];
        if (!done[i] && (axes[i] < 2 || !plans[i].exact))
            return x;
        dims[axes[i]] = plans[i].out;
    }
    if (!any)
        return x;
    rlxc_attrs attrs = rlxc_ox_with(im, (rlxc_attrs){0}, "coordinate_transformation_mode",
                                    rlxc_attr_string(im->ctx, mode));
    attrs = rlxc_ox_with(im, attrs, "method", rlxc_attr_string(im->ctx, "linear"));
    const rlxc_atom args[2] = {x, rlxc_atom_shape(im->ctx, dims + 2, space)};
    memset(done, 1, n * sizeof *done);
    return rlxc_ox_opv(im, space == 2 ? "image.resize2d" : "image.resize3d", args, 2, attrs);
}

void rlxc_ox_import_resize(rlxc_ox *im, const rlxc_ox_row *row)
{
    bool upsample = strcmp(row->name, "Upsample") == 0;
    const char *mode = rlxc_ox_str(im, "mode", "nearest");
    rlxc_atom x = rlxc_ox_in(im, 0), roi = {0};
    rlx_dtype t = rlxc_ox_type(im, x);
    uint32_t ndim = rlxc_ox_ndim(im, x), n = ndim, m;
    int64_t axes[RLXC_MAX_NDIM];
    axis_plan plans[RLXC_MAX_NDIM];
    const rlxc_expr *const *sizes;
    if (!rlxc_ox_ints(im, "axes", axes, RLXC_MAX_NDIM, &n))
        for (n = 0; n < ndim; n++)
            axes[n] = n;
    for (uint32_t i = 0; i < n; i++) {
        axes[i] = rlxc_ox_axis(im, axes[i], ndim);
        plans[i] = (axis_plan){.in = rlxc_ox_dim(im, x, (uint32_t)axes[i])};
    }
    if (strcmp(mode, "bilinear") == 0)
        mode = "linear";
    bool is_nearest = strcmp(mode, "nearest") == 0;
    const bool antialias = rlxc_ox_int(im, "antialias", 0) != 0;
    if (!is_nearest && strcmp(mode, "linear") != 0 && strcmp(mode, "cubic") != 0)
        rlxc_ox_fail(im, "mode '%s' is not supported", mode);
    const Onnx__AttributeProto *list = rlxc_ox_attr(im, "scales");
    uint32_t scales_at = upsample || im->opset < 11 ? 1 : 2;
    if (im->opset >= 11 && rlxc_ox_has(im, 1) && !is_empty(im, 1))
        roi = rlxc_ox_in(im, 1);
    if (list && list->n_floats == n) {
        double values[RLXC_MAX_NDIM];
        int64_t shape[1] = {n};
        for (uint32_t i = 0; i < n; i++)
            values[i] = (double)list->floats[i];
        if (!scaled_sizes(im,
                          rlxc_ox_tensor(im, rlxc_ox_const_tensor(im, RLX_F32, 1, shape, values)),
                          plans, n))
            return;
    } else if (!is_empty(im, scales_at)) {
        if (!scaled_sizes(im, rlxc_ox_value_in(im, scales_at), plans, n))
            return;
    } else {
        if (!rlxc_ox_elems(im, 3, &sizes, &m))
            return;
        if (m != n) {
            rlxc_ox_fail(im, "%u sizes for %u axes", m, n);
            return;
        }
        for (uint32_t i = 0; i < n; i++) {
            rlxc_ox_check_number(im, sizes[i],
                                 rlxc_ox_bin(im, RLXC_EXPR_MIN, plans[i].in, rlxc_ox_i(im, 1)),
                                 NULL, "a size");
            plans[i].out = sizes[i];
            plans[i].scale =
                rlxc_ox_op2(im, "divide", scalar_of(im, sizes[i]), scalar_of(im, plans[i].in));
            plans[i].exact = rlxc_ox_is(im, "keep_aspect_ratio_policy", "stretch", "stretch");
        }
        if (!rlxc_ox_is(im, "keep_aspect_ratio_policy", "stretch", "stretch"))
            keep_ratio(im, plans, n);
    }
    if (!is_nearest)
        x = rlxc_ox_cast(im, x, rlxc_dtype_eq(t, RLX_F64) && !antialias ? t : RLX_F32);
    bool crop = rlxc_ox_is(im, "coordinate_transformation_mode", "", "tf_crop_and_resize");
    bool done[RLXC_MAX_NDIM] = {false};
    if (is_nearest && repeats_elements(im))
        x = repeat_elements(im, x, axes, plans, n, done);
    for (uint32_t i = 0; i < n && !crop; i++)
        done[i] = done[i] || stays(im, &plans[i]);
    if (strcmp(mode, "linear") == 0 && !crop)
        x = resize_image(im, x, axes, plans, n, done);
    for (uint32_t i = 0; i < n; i++)
        if (!done[i])
            x = resize_axis(im, x, (uint32_t)axes[i], &plans[i], roi, i, n, mode);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, x, t));
}

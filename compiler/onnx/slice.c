/* Split and Slice: parts of a tensor along its dimensions.
 *
 * Bounds, axes and steps may be known at run time only. Small integer tensors with known elements
 * stay known. */
#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/sizes.h"

void rlxc_ox_import_split(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t list[RLXC_OX_MAX_LIST];
    uint32_t n = 0, outputs = rlxc_ox_n_outputs(im);
    const rlxc_expr *const *sizes = NULL;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", 0), rlxc_ox_ndim(im, x));
    const rlxc_expr *total = rlxc_ox_dim(im, x, axis), *at = rlxc_ox_i(im, 0);
    bool given = rlxc_ox_ints(im, "split", list, RLXC_OX_MAX_LIST, &n);
    if (rlxc_ox_has(im, 1) && !rlxc_ox_elems(im, 1, &sizes, &n))
        return;
    if ((given || sizes) && n != outputs) {
        rlxc_ox_fail(im, "%u sizes for %u outputs", n, outputs);
        return;
    }
    /* Without sizes all parts are equal, except possibly smaller last ones. */
    const rlxc_expr *count = rlxc_ox_i(im, outputs);
    const rlxc_expr *each =
        rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV,
                    rlxc_add(im->ctx, total, rlxc_ox_i(im, (int64_t)outputs - 1)), count);
    const rlxc_expr *sum = rlxc_ox_i(im, 0), *zero = rlxc_ox_i(im, 0);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *size = sizes ? sizes[i] : rlxc_ox_i(im, list[i]);
        rlxc_ox_check_least(im, size, 0, "a size");
        sum = rlxc_add(im->ctx, sum, size);
    }
    if (given || sizes)
        rlxc_ox_check_number(im, sum, total, total, "the sum of the sizes");
    else if (im->opset < 18)
        rlxc_ox_check_number(im, rlxc_ox_bin(im, RLXC_EXPR_FLOORMOD, total, count), zero, zero,
                             "the remainder of the dimension by the number of outputs");
    for (uint32_t i = 0; i < outputs; i++) {
        const rlxc_expr *size = sizes ? sizes[i] : given ? rlxc_ox_i(im, list[i]) : each;
        const rlxc_expr *end = rlxc_canonical(im->ctx, rlxc_add(im->ctx, at, size), NULL);
        if (rlxc_ox_wants(im, i))
            rlxc_ox_set(im, i, rlxc_ox_slice(im, x, axis, at, end, 1));
        at = end;
    }
}

/* The bounds of all dimensions of a slice whose steps are known at run time only. */
typedef struct late_bounds {
    const rlxc_expr *first[RLXC_MAX_NDIM], *end[RLXC_MAX_NDIM], *step[RLXC_MAX_NDIM],
        *count[RLXC_MAX_NDIM];
    bool any;
} late_bounds;

/* Dimension |axis| from |begin| to |end| by |step|, none of them known. */
static void add_bounds(rlxc_ox *im, late_bounds *out, rlxc_atom x, uint32_t axis,
                       const rlxc_expr *begin, const rlxc_expr *end, const rlxc_expr *step)
{
    const rlxc_expr *d = rlxc_ox_dim(im, x, axis), *zero = rlxc_ox_i(im, 0),
                    *one = rlxc_ox_i(im, 1);
    step = rlxc_ox_bin(im, RLXC_EXPR_MAX, step, rlxc_ox_i(im, -INT64_MAX));
    const rlxc_expr *up = rlxc_ox_bin(im, RLXC_EXPR_GT, step, zero);
    const rlxc_expr *last = rlxc_sub(im->ctx, d, one);
    begin = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, begin, zero), rlxc_add(im->ctx, begin, d),
                       begin);
    end = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, end, zero), rlxc_add(im->ctx, end, d), end);
    begin = rlxc_ox_bin(im, RLXC_EXPR_MIN, rlxc_ox_bin(im, RLXC_EXPR_MAX, begin, zero),
                        rlxc_ox_if(im, up, d, last));
    end = rlxc_ox_bin(
        im, RLXC_EXPR_MIN,
        rlxc_ox_bin(im, RLXC_EXPR_MAX, end, rlxc_ox_if(im, up, zero, rlxc_ox_i(im, -1))),
        rlxc_ox_if(im, up, d, last));
    const rlxc_expr *size = rlxc_ox_if(
        im, up, step, rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, zero, step), one));
    const rlxc_expr *way =
        rlxc_ox_if(im, up, rlxc_sub(im->ctx, end, begin), rlxc_sub(im->ctx, begin, end));
    out->count[axis] = rlxc_ox_bin(
        im, RLXC_EXPR_FLOORDIV,
        rlxc_add(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_MAX, way, zero), rlxc_sub(im->ctx, size, one)),
        size);
    /* The builtin counts negative bounds from the end: -1 here is in front of the first. */
    out->first[axis] = begin;
    out->end[axis] =
        rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, end, zero), rlxc_sub(im->ctx, end, d), end);
    out->step[axis] = rlxc_ox_if(im, up, step, rlxc_sub(im->ctx, zero, size));
    out->any = true;
}

/* |x| cut along the dimensions that have bounds. */
static rlxc_atom slice_at_run_time(rlxc_ox *im, rlxc_atom x, late_bounds *at)
{
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    if (!at->any || im->failed)
        return x;
    for (uint32_t i = 0; i < ndim; i++)
        if (!at->count[i]) {
            at->first[i] = rlxc_ox_i(im, 0);
            at->step[i] = rlxc_ox_i(im, 1);
            at->end[i] = at->count[i] = rlxc_ox_dim(im, x, i);
        }
    const rlxc_atom args[4] = {x, rlxc_atom_shape(im->ctx, at->first, ndim),
                               rlxc_atom_shape(im->ctx, at->end, ndim),
                               rlxc_atom_shape(im->ctx, at->step, ndim)};
    return rlxc_ox_builtin(
        im, "rlx.strided_slice", args, 4,
        rlxc_sinfo_tensor(im->ctx, rlxc_ox_type(im, x), (int32_t)ndim, at->count, NULL));
}

/* Starts and ends: the least and the greatest int32 mean the first and the last element, by the
 * specification, for any length. */
static void widen_bounds(rlxc_ox *im, const rlxc_expr *const **bounds, uint32_t n)
{
    const rlxc_expr **wide = rlxc_alloc(im->ctx, (n + 1) * sizeof(const rlxc_expr *));
    for (uint32_t i = 0; i < n; i++)
        wide[i] = rlxc_is_const((*bounds)[i], INT32_MAX)   ? rlxc_ox_i(im, INT64_MAX)
                  : rlxc_is_const((*bounds)[i], INT32_MIN) ? rlxc_ox_i(im, INT64_MIN)
                                                           : (*bounds)[i];
    *bounds = wide;
}

/* Starts or ends known at run time only. INT64_MAX is a common end; sizes computed from it would
 * overflow, so bounds are limited to MOST_ELEMENTS either way, which selects the same elements. */
static bool bounds_at_run_time(rlxc_ox *im, rlxc_ox_value *v, const rlxc_expr *const **out,
                               uint32_t *n)
{
    const int64_t MOST_ELEMENTS = (int64_t)1 << 40;
    rlxc_atom bounds = rlxc_ox_cast(im, rlxc_ox_atom(im, v), RLX_I64);
    bounds = rlxc_ox_op2(im, "maximum", bounds,
                         rlxc_ox_scalar(im, rlxc_ox_i(im, -MOST_ELEMENTS), RLX_I64));
    bounds = rlxc_ox_op2(im, "minimum", bounds,
                         rlxc_ox_scalar(im, rlxc_ox_i(im, MOST_ELEMENTS), RLX_I64));
    return rlxc_ox_elems_of(im, rlxc_ox_tensor(im, bounds), out, n);
}

/* One of the lists of a slice: an attribute in old models, an input later. */
static bool slice_list(rlxc_ox *im, const char *name, uint32_t input, const rlxc_expr *const **out,
                       uint32_t *n)
{
    int64_t list[RLXC_OX_MAX_ELEMS];
    *out = NULL;
    *n = 0;
    if (im->opset >= 10 && rlxc_ox_has(im, input)) {
        rlxc_ox_value *v = rlxc_ox_value_in(im, input);
        const bool late = input <= 2 && !rlxc_ox_known(im, v, out, n) &&
                          rlxc_dtype_is_int(rlxc_ox_type(im, rlxc_ox_atom(im, v)));
        return late ? bounds_at_run_time(im, v, out, n) : rlxc_ox_elems(im, input, out, n);
    }
    if (im->opset >= 10)
        return true;
    if (!rlxc_ox_ints(im, name, list, RLXC_OX_MAX_ELEMS, n))
        return true;
    const rlxc_expr **made = rlxc_alloc(im->ctx, (*n + 1) * sizeof(const rlxc_expr *));
    for (uint32_t i = 0; i < *n; i++)
        made[i] = rlxc_ox_i(im, list[i]);
    *out = made;
    return true;
}

/* The elements out of |n| that begin:end:step selects; false if a bound is unknown. */
static bool picked(uint32_t n, const rlxc_expr *begin, const rlxc_expr *end, const rlxc_expr *step,
                   uint32_t out[RLXC_OX_MAX_ELEMS], uint32_t *out_n)
{
    int64_t b, e, s = 1;
    *out_n = 0;
    if (n > RLXC_OX_MAX_ELEMS || !rlxc_is_int(begin, &b) || !rlxc_is_int(end, &e) ||
        (step && !rlxc_is_int(step, &s)) || s == 0 || s > n + 1 || s < -(int64_t)n - 1)
        return false;
    int64_t low = s > 0 ? 0 : -1, high = s > 0 ? n : (int64_t)n - 1;
    b = b < -(int64_t)n ? 0 : b < 0 ? b + n : b;
    e = e < -(int64_t)n ? low : e < 0 ? e + n : e;
    b = b > high ? high : b;
    e = e > high ? high : e;
    for (int64_t i = b; s > 0 ? i < e : i > e; i += s)
        out[(*out_n)++] = (uint32_t)i;
    return true;
}

/* A slice of known elements; false if that is not possible. */
static bool slice_elems(rlxc_ox *im, rlxc_ox_value *v, const rlxc_expr *begin, const rlxc_expr *end,
                        const rlxc_expr *step)
{
    const rlxc_expr *const *elems, *out[RLXC_OX_MAX_ELEMS];
    uint32_t n, at[RLXC_OX_MAX_ELEMS], count;
    if (!rlxc_ox_known_sizes(im, v, &elems, &n) || !v->is_vector ||
        !picked(n, begin, end, step, at, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        out[i] = elems[at[i]];
    rlxc_ox_set_elems(im, 0, v->dtype, true, out, count);
    return true;
}

/* Rows of a matrix of known elements, whose slice is |y|; false if that is not possible. */
static bool slice_rows(rlxc_ox *im, const rlxc_ox_value *v, rlxc_atom y, const rlxc_expr *begin,
                       const rlxc_expr *end, const rlxc_expr *step)
{
    const rlxc_expr *out[RLXC_OX_MAX_ELEMS];
    uint32_t at[RLXC_OX_MAX_ELEMS], count;
    if (!v->grid || !picked(v->rows, begin, end, step, at, &count))
        return false;
    for (uint32_t i = 0; i < count * v->columns; i++)
        out[i] = v->grid[at[i / v->columns] * v->columns + i % v->columns];
    rlxc_ox_set_grid(im, y, out, count, v->columns);
    return true;
}

/* Checks that axes are distinct and below |ndim|, and steps are not 0. */
static void check_slice(rlxc_ox *im, const rlxc_expr *const *axes, const rlxc_expr *const *steps,
                        uint32_t n, uint32_t ndim)
{
    const rlxc_expr *at[RLXC_MAX_NDIM];
    if (n > ndim || n > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "%u slices of %u dimensions", n, ndim);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        at[i] = rlxc_ox_checked_axis(im, axes ? axes[i] : rlxc_ox_i(im, i), ndim);
        for (uint32_t k = 0; k < i; k++)
            rlxc_ox_check_nonzero(im, rlxc_sub(im->ctx, at[i], at[k]),
                                  "the distance between two axes");
        if (steps)
            rlxc_ox_check_nonzero(im, steps[i], "a step");
    }
}

/* |x| cut along |axis|. A start in front of the first element is the first, whatever the step: the
 * operator would take it as the end of a slice that runs backwards. */
static rlxc_atom slice_axis(rlxc_ox *im, rlxc_atom x, uint32_t axis, const rlxc_expr *begin,
                            const rlxc_expr *end, int64_t step)
{
    int64_t first;
    if (step < 0 && !(rlxc_is_int(begin, &first) && first >= -1))
        begin = rlxc_ox_bin(im, RLXC_EXPR_MAX, begin,
                            rlxc_sub(im->ctx, rlxc_ox_i(im, 0), rlxc_ox_dim(im, x, axis)));
    return rlxc_ox_slice(im, x, axis, begin, end, step);
}

void rlxc_ox_import_slice(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *begins, *const *ends, *const *axes, *const *steps;
    uint32_t n, n_ends, n_axes, n_steps;
    rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    if (!slice_list(im, "starts", 1, &begins, &n) || !slice_list(im, "ends", 2, &ends, &n_ends) ||
        !slice_list(im, "axes", 3, &axes, &n_axes) || !slice_list(im, "steps", 4, &steps, &n_steps))
        return;
    if (n != n_ends || (axes && n_axes != n) || (steps && n_steps != n)) {
        rlxc_ox_fail(im, "starts, ends, axes and steps differ in length");
        return;
    }
    widen_bounds(im, &begins, n);
    widen_bounds(im, &ends, n);
    if (n == 1 && slice_elems(im, v, begins[0], ends[0], steps ? steps[0] : NULL))
        return;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    int64_t axis, step;
    bool axes_known = true;
    late_bounds late = {.any = false};
    check_slice(im, axes, steps, n, ndim);
    for (uint32_t i = 0; i < n; i++)
        axes_known &= !axes || rlxc_is_int(axes[i], &axis);
    for (uint32_t i = 0; i < n && axes_known; i++) {
        axis = i;
        if (axes)
            rlxc_is_int(axes[i], &axis);
        uint32_t at = rlxc_ox_axis(im, axis, ndim);
        step = 1;
        if (steps && !rlxc_is_int(steps[i], &step))
            add_bounds(im, &late, x, at, begins[i], ends[i], steps[i]);
        else
            x = slice_axis(im, x, at, begins[i], ends[i], step);
    }
    /* The axis is known only at run time: every axis is sliced, with bounds selected then. */
    for (uint32_t k = 0; k < ndim && !axes_known; k++) {
        const rlxc_expr *b = rlxc_ox_i(im, 0), *e = rlxc_ox_dim(im, x, k), *s = rlxc_ox_i(im, 1);
        for (uint32_t i = 0; i < n; i++) {
            const rlxc_expr *here = rlxc_ox_bin(
                im, RLXC_EXPR_OR, rlxc_ox_bin(im, RLXC_EXPR_EQ, axes[i], rlxc_ox_i(im, k)),
                rlxc_ox_bin(im, RLXC_EXPR_EQ, axes[i], rlxc_ox_i(im, (int64_t)k - ndim)));
            b = rlxc_ox_if(im, here, begins[i], b);
            e = rlxc_ox_if(im, here, ends[i], e);
            s = steps ? rlxc_ox_if(im, here, steps[i], s) : s;
        }
        if (rlxc_is_int(s, &step) && step != 0)
            x = slice_axis(im, x, k, b, e, step);
        else
            add_bounds(im, &late, x, k, b, e, s);
    }
    x = slice_at_run_time(im, x, &late);
    if (n != 1 || !axes_known || (axes && !rlxc_is_const(axes[0], 0)) ||
        !slice_rows(im, v, x, begins[0], ends[0], steps ? steps[0] : NULL))
        rlxc_ox_set(im, 0, x);
}

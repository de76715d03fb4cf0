/* Operators that pad, repeat and make tensors, and those that move blocks between depth and space.
 */
#include <math.h>
#include <string.h>

#include "compiler/ir/constant.h"
#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/sizes.h"
#include "compiler/onnx/window.h"

enum { MAX_BLOCK = 1 << 20 };

/* --- padding, repeating ----------------------------------------------------------------------- */

/* |x| padded with |value| by one operator. None if a width is negative, or if a width or |value| is
 * not known now. |pads|: before and after, of every axis. */
static rlxc_atom pad_by_known(rlxc_ox *im, rlxc_atom x, const rlxc_expr *const *pads,
                              rlxc_atom value)
{
    const double exact = (double)(INT64_C(1) << 53); /* below it a double holds any integer */
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlxc_constant *c = value.kind == RLXC_ATOM_CONSTANT ? value.constant : NULL;
    int64_t widths[2 * RLXC_MAX_NDIM], any = 0;
    if (im->failed || !c || c->ndim != 0)
        return (rlxc_atom){0};
    for (uint32_t i = 0; i < ndim; i++) {
        if (!rlxc_is_int(pads[i], &widths[2 * i]) || widths[2 * i] < 0 ||
            !rlxc_is_int(pads[i + ndim], &widths[2 * i + 1]) || widths[2 * i + 1] < 0)
            return (rlxc_atom){0};
        any |= widths[2 * i] | widths[2 * i + 1];
    }
    if (!any)
        return x;
    const double filling = rlxc_constant_double(c, 0);
    if (!rlxc_dtype_is_float(c->dtype) && !(fabs(filling) < exact))
        return (rlxc_atom){0};
    rlxc_attrs attrs = rlxc_ox_with_ints(im, (rlxc_attrs){0}, "pad_width", widths, 2 * ndim);
    return rlxc_ox_op0(im, "nn.pad", x,
                       rlxc_ox_with(im, attrs, "pad_value", rlxc_attr_float(filling)));
}

/* The elements from index |from| up to |to| along |axis|, some of them outside |x|. */
static rlxc_atom places(rlxc_ox *im, rlxc_atom x, uint32_t axis, const rlxc_expr *from,
                        const rlxc_expr *to, const char *mode)
{
    const rlxc_expr *d = rlxc_ox_dim(im, x, axis);
    rlxc_atom place = rlxc_ox_arange(im, from, to), none = rlxc_ox_number(im, RLX_I64, 0);
    rlxc_atom top = rlxc_ox_scalar(im, rlxc_sub(im->ctx, d, rlxc_ox_i(im, 1)), RLX_I64);
    if (strcmp(mode, "edge") == 0) {
        place = rlxc_ox_op2(im, "minimum", rlxc_ox_op2(im, "maximum", place, none), top);
    } else if (strcmp(mode, "wrap") == 0) {
        place = rlxc_ox_op2(im, "floor_mod", place, rlxc_ox_scalar(im, d, RLX_I64));
    } else if (strcmp(mode, "reflect") == 0) { /* last - |last - |place|| */
        place =
            rlxc_ox_op1(im, "abs", rlxc_ox_op2(im, "subtract", top, rlxc_ox_op1(im, "abs", place)));
        place = rlxc_ox_op2(im, "subtract", top, place);
    } else {
        rlxc_ox_fail(im, "mode '%s' is not supported", mode);
    }
    return rlxc_ox_take_inside(im, x, place, axis);
}

/* One axis made longer (or shorter, where negative) before and after. */
rlxc_atom rlxc_ox_pad_axis(rlxc_ox *im, rlxc_atom x, uint32_t axis, const rlxc_expr *before,
                           const rlxc_expr *after, const char *mode, rlxc_atom value)
{
    const rlxc_expr *d = rlxc_ox_dim(im, x, axis), *zero = rlxc_ox_i(im, 0);
    const rlxc_expr *dims[RLXC_MAX_NDIM], *pads[2 * RLXC_MAX_NDIM];
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (rlxc_is_const(before, 0) && rlxc_is_const(after, 0))
        return x;
    if (strcmp(mode, "constant") == 0) {
        for (uint32_t i = 0; i < ndim; i++) {
            pads[i] = i == axis ? before : zero;
            pads[i + ndim] = i == axis ? after : zero;
        }
        const rlxc_atom padded = pad_by_known(im, x, pads, value);
        if (padded.kind != RLXC_ATOM_NONE)
            return padded;
        const rlxc_expr *cut =
            rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, zero, before), zero);
        const rlxc_expr *end = rlxc_add(im->ctx, d, rlxc_ox_bin(im, RLXC_EXPR_MIN, after, zero));
        rlxc_atom parts[3];
        int64_t low, high;
        if (rlxc_is_int(before, &low) && rlxc_is_int(after, &high) &&
            ((low < 0 && high > 0) || (low > 0 && high < 0))) {
            /* One side may cut all elements, and some of what the other side adds. */
            const rlxc_expr *size = rlxc_add(im->ctx, d, rlxc_add(im->ctx, before, after));
            end = rlxc_ox_bin(im, RLXC_EXPR_MAX, end, zero);
            before = rlxc_ox_bin(im, RLXC_EXPR_MIN, before, size);
            after = rlxc_ox_bin(im, RLXC_EXPR_MIN, after, size);
        }
        rlxc_ox_dims(im, x, dims);
        dims[axis] = rlxc_canonical(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_MAX, before, zero), NULL);
        parts[0] = rlxc_ox_op2(im, "full", rlxc_atom_shape(im->ctx, dims, ndim), value);
        dims[axis] = rlxc_canonical(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_MAX, after, zero), NULL);
        parts[2] = rlxc_ox_op2(im, "full", rlxc_atom_shape(im->ctx, dims, ndim), value);
        parts[1] = rlxc_ox_slice(im, x, axis, cut, end, 1);
        return rlxc_ox_concat(im, parts, 3, axis);
    }
    /* Elements at computed indices; a growing last axis keeps its own elements in the middle. */
    int64_t low, high;
    if (axis + 1 < ndim || !rlxc_is_int(before, &low) || !rlxc_is_int(after, &high) || low < 0 ||
        high < 0)
        return places(im, x, axis, rlxc_sub(im->ctx, zero, before), rlxc_add(im->ctx, d, after),
                      mode);
    const rlxc_atom parts[3] = {places(im, x, axis, rlxc_sub(im->ctx, zero, before), zero, mode), x,
                                places(im, x, axis, d, rlxc_add(im->ctx, d, after), mode)};
    return rlxc_ox_concat(im, parts, 3, axis);
}

/* Checks that dimension |d| does not become negative; modes other than constant need elements to
 * repeat where they pad at all. */
static void check_pads(rlxc_ox *im, const rlxc_expr *d, const rlxc_expr *before,
                       const rlxc_expr *after, const char *mode)
{
    const rlxc_expr *sum = rlxc_add(im->ctx, before, after), *one = rlxc_ox_i(im, 1);
    const rlxc_expr *low = rlxc_ox_i(im, INT64_MIN), *zero = rlxc_ox_i(im, 0);
    rlxc_ox_check_least(im, rlxc_add(im->ctx, d, sum), 0, "a padded dimension");
    if (strcmp(mode, "constant") == 0)
        return;
    const rlxc_expr *pads =
        rlxc_ox_bin(im, RLXC_EXPR_OR, rlxc_ox_bin(im, RLXC_EXPR_NE, before, zero),
                    rlxc_ox_bin(im, RLXC_EXPR_NE, after, zero));
    rlxc_ox_check_least(im, rlxc_ox_if(im, pads, d, rlxc_ox_bin(im, RLXC_EXPR_MAX, d, one)), 1,
                        "a padded dimension of the input");
    if (strcmp(mode, "reflect") != 0)
        return;
    const rlxc_expr *most = rlxc_sub(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_MAX, d, one), one);
    rlxc_ox_check_number(im, before, low, most, "a padding");
    rlxc_ox_check_number(im, after, low, most, "a padding");
}

/* Widths that are known at run time only: one builtin pads all axes. None where it does not apply:
 * to constant widths, elements of less than a byte. |pads|: before and after, of every axis. */
static rlxc_atom pad_at_run_time(rlxc_ox *im, rlxc_atom x, const rlxc_expr *const *pads,
                                 const char *mode, rlxc_atom value)
{
    static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    int64_t known, which = 0;
    bool constant = true;
    for (uint32_t i = 0; i < 2 * ndim; i++)
        constant = constant && rlxc_is_int(pads[i], &known);
    while (which < 4 && strcmp(mode, modes[which]) != 0)
        which++;
    if (constant || which == 4 || rlxc_ox_type(im, x).bits < 8)
        return (rlxc_atom){0};
    rlxc_ox_dims(im, x, dims);
    for (uint32_t i = 0; i < ndim && !im->failed; i++) {
        check_pads(im, dims[i], pads[i], pads[i + ndim], mode);
        dims[i] = rlxc_add(im->ctx, dims[i], rlxc_add(im->ctx, pads[i], pads[i + ndim]));
        dims[i] = rlxc_ox_bin(im, RLXC_EXPR_MAX, dims[i], rlxc_ox_i(im, 0));
    }
    const rlxc_atom args[5] = {
        x, rlxc_atom_shape(im->ctx, pads, ndim), rlxc_atom_shape(im->ctx, dims, ndim),
        rlxc_atom_prim(rlxc_ox_i(im, which)), rlxc_ox_cast(im, value, rlxc_ox_type(im, x))};
    return rlxc_ox_builtin(
        im, "rlx.pad", args, 5,
        rlxc_sinfo_tensor(im->ctx, rlxc_ox_type(im, x), (int32_t)ndim, dims, NULL));
}

/* The widths before and after of all |ndim| axes, from those of |axes|. */
static const rlxc_expr *const *place_pads(rlxc_ox *im, const rlxc_expr *const *pads,
                                          const rlxc_expr *const *axes, uint32_t count,
                                          uint32_t ndim)
{
    const rlxc_expr **all = rlxc_alloc(im->ctx, (2 * (size_t)ndim + 1) * sizeof *all);
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *n = rlxc_ox_i(im, ndim);
    for (uint32_t d = 0; d < 2 * ndim; d++)
        all[d] = zero;
    for (uint32_t k = 0; k < count && !im->failed; k++) {
        int64_t known;
        if (rlxc_is_int(axes[k], &known))
            known = rlxc_ox_axis(im, known, ndim); /* an error if there is no such axis */
        else
            rlxc_ox_check_number(im, axes[k], rlxc_ox_i(im, -(int64_t)ndim),
                                 rlxc_ox_i(im, (int64_t)ndim - 1), "an axis");
        const rlxc_expr *axis = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, axes[k], zero),
                                           rlxc_add(im->ctx, axes[k], n), axes[k]);
        for (uint32_t d = 0; d < ndim; d++) {
            const rlxc_expr *own = rlxc_ox_bin(im, RLXC_EXPR_EQ, axis, rlxc_ox_i(im, d));
            all[d] = rlxc_ox_if(im, own, pads[k], all[d]);
            all[ndim + d] = rlxc_ox_if(im, own, pads[count + k], all[ndim + d]);
        }
    }
    return all;
}

void rlxc_ox_import_pad(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t list[2 * RLXC_MAX_NDIM];
    uint32_t n = 0, n_axes = 0;
    const rlxc_expr *const *pads = NULL, *const *axes = NULL;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    const char *mode = rlxc_ox_str(im, "mode", "constant");
    rlxc_atom value = rlxc_ox_number(im, rlxc_ox_type(im, x), rlxc_ox_float(im, "value", 0));
    if (im->opset < 11) {
        if (!rlxc_ox_ints(im, "pads", list, 2 * RLXC_MAX_NDIM, &n))
            rlxc_ox_ints(im, "paddings", list, 2 * RLXC_MAX_NDIM, &n);
        const rlxc_expr **made = rlxc_alloc(im->ctx, (n + 1) * sizeof(const rlxc_expr *));
        for (uint32_t i = 0; i < n; i++)
            made[i] = rlxc_ox_i(im, list[i]);
        pads = made;
    } else {
        if (!rlxc_ox_elems(im, 1, &pads, &n))
            return;
        if (rlxc_ox_has(im, 2))
            value = rlxc_ox_reshape(im, rlxc_ox_in(im, 2), NULL, 0);
        if (rlxc_ox_has(im, 3) && !rlxc_ox_elems(im, 3, &axes, &n_axes))
            return;
    }
    uint32_t count = axes ? n_axes : ndim;
    if (n != 2 * count) {
        rlxc_ox_fail(im, "%u paddings for %u dimensions", n, count);
        return;
    }
    if (axes)
        pads = place_pads(im, pads, axes, count, ndim);
    rlxc_atom padded =
        strcmp(mode, "constant") == 0 ? pad_by_known(im, x, pads, value) : (rlxc_atom){0};
    if (padded.kind == RLXC_ATOM_NONE)
        padded = pad_at_run_time(im, x, pads, mode, value);
    if (padded.kind != RLXC_ATOM_NONE) {
        rlxc_ox_set(im, 0, rlxc_ox_named_dims(im, padded, RLXC_OX_MAX_DIM));
        return;
    }
    for (uint32_t i = 0; i < ndim && !im->failed; i++) {
        check_pads(im, rlxc_ox_dim(im, x, i), pads[i], pads[i + ndim], mode);
        x = rlxc_ox_pad_axis(im, x, i, pads[i], pads[i + ndim], mode, value);
        x = rlxc_ox_named_dims(im, x, RLXC_OX_MAX_DIM);
    }
    rlxc_ox_set(im, 0, x);
}

/* |a| repeated |count| times along |axis|. */
static rlxc_atom tile_axis(rlxc_ox *im, rlxc_atom a, uint32_t axis, const rlxc_expr *count)
{
    if (im->failed || rlxc_is_const(count, 1)) /* what failed has no dimensions */
        return a;
    const rlxc_expr *dims[RLXC_MAX_NDIM], *three[4];
    uint32_t ndim = rlxc_ox_ndim(im, a);
    rlxc_ox_dims(im, a, dims);
    three[0] = rlxc_product(im->ctx, dims, axis);
    three[1] = rlxc_ox_i(im, 1);
    three[2] = rlxc_product(im->ctx, dims + axis, ndim - axis);
    rlxc_atom x = rlxc_ox_reshape(im, a, three, 3);
    three[1] = count;
    x = rlxc_ox_broadcast(im, x, three, 3);
    dims[axis] = rlxc_mul(im->ctx, dims[axis], count);
    return rlxc_ox_reshape(im, x, dims, ndim);
}

void rlxc_ox_import_tile(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *counts;
    uint32_t n;
    int64_t axis;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (im->opset < 6) { /* how often, and which axis */
        const rlxc_expr *count = rlxc_ox_one(im, 1), *which = rlxc_ox_one(im, 2);
        if (!count || !which)
            return;
        rlxc_ox_check_least(im, count, 0, "the number of tiles");
        rlxc_ox_check_number(im, which, rlxc_ox_i(im, 0), rlxc_ox_i(im, (int64_t)ndim - 1),
                             "the axis");
        if (rlxc_is_int(which, &axis)) {
            rlxc_ox_set(im, 0, tile_axis(im, x, rlxc_ox_axis(im, axis, ndim), count));
            return;
        }
        for (uint32_t i = 0; i < ndim; i++)
            x = tile_axis(im, x, i,
                          rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_EQ, which, rlxc_ox_i(im, i)),
                                     count, rlxc_ox_i(im, 1)));
        rlxc_ox_set(im, 0, x);
        return;
    }
    if (!rlxc_ox_elems(im, 1, &counts, &n))
        return;
    if (n != ndim) {
        rlxc_ox_fail(im, "%u repeats for %u dimensions", n, ndim);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        rlxc_ox_check_least(im, counts[i], 0, "a repeat");
        x = tile_axis(im, x, i, counts[i]);
    }
    rlxc_ox_set(im, 0, x);
}

/* --- making ----------------------------------------------------------------------------------- */

void rlxc_ox_import_range(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t n;
    int64_t count;
    rlxc_atom first = rlxc_ox_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, first);
    if (rlxc_dtype_is_float(t)) {
        rlxc_atom place;
        rlxc_atom low = rlxc_ox_reshape(im, first, NULL, 0),
                  delta = rlxc_ox_reshape(im, rlxc_ox_in(im, 2), NULL, 0);
        rlxc_ox_check_nonzero_elements(im, delta, "delta");
        rlxc_atom many = rlxc_ox_op2(
            im, "divide",
            rlxc_ox_op2(im, "subtract", rlxc_ox_reshape(im, rlxc_ox_in(im, 1), NULL, 0), low),
            delta);
        many = rlxc_ox_cast(im, rlxc_ox_op1(im, "ceil", many), RLX_I64);
        const rlxc_expr *const *length;
        if (!rlxc_ox_elems_of(im, rlxc_ox_tensor(im, many), &length, &n))
            return;
        place = rlxc_ox_arange(im, rlxc_ox_i(im, 0),
                               rlxc_ox_bin(im, RLXC_EXPR_MAX, length[0], rlxc_ox_i(im, 0)));
        rlxc_ox_set(im, 0,
                    rlxc_ox_op2(im, "add",
                                rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, place, t), delta),
                                low));
        return;
    }
    const rlxc_expr *begin = rlxc_ox_one(im, 0), *end = rlxc_ox_one(im, 1),
                    *step = rlxc_ox_one(im, 2);
    if (!begin || !end || !step)
        return;
    rlxc_ox_check_nonzero(im, step, "delta");
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *one = rlxc_ox_i(im, 1);
    const rlxc_expr *up = rlxc_ox_bin(im, RLXC_EXPR_GT, step, zero);
    const rlxc_expr *size = rlxc_ox_if(
        im, up, step, rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, zero, step), one));
    const rlxc_expr *way =
        rlxc_ox_if(im, up, rlxc_sub(im->ctx, end, begin), rlxc_sub(im->ctx, begin, end));
    way =
        rlxc_add(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_MAX, way, zero), rlxc_sub(im->ctx, size, one));
    const rlxc_expr *length =
        rlxc_canonical(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, way, size), NULL);
    if (rlxc_is_int(length, &count) && count <= RLXC_OX_MAX_ELEMS) {
        const rlxc_expr *elems[RLXC_OX_MAX_ELEMS];
        for (int64_t i = 0; i < count; i++)
            elems[i] = rlxc_add(im->ctx, begin, rlxc_mul(im->ctx, rlxc_ox_i(im, i), step));
        rlxc_ox_set_elems(im, 0, t, true, elems, (uint32_t)count);
        return;
    }
    rlxc_atom place = rlxc_ox_arange(im, zero, length);
    if (!rlxc_is_const(step, 1))
        place = rlxc_ox_op2(im, "multiply", place, rlxc_ox_scalar(im, step, RLX_I64));
    if (!rlxc_is_const(begin, 0))
        place = rlxc_ox_op2(im, "add", place, rlxc_ox_scalar(im, begin, RLX_I64));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, place, t));
}

void rlxc_ox_import_eye_like(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, x);
    if (rlxc_ox_attr(im, "dtype") && !rlxc_ox_dtype_of((int32_t)rlxc_ox_int(im, "dtype", 0), &t))
        rlxc_ox_fail(im, "the element type is not supported");
    const rlxc_atom args[2] = {x, rlxc_atom_prim(rlxc_ox_i(im, rlxc_ox_int(im, "k", 0)))};
    rlxc_ox_set(im, 0,
                rlxc_ox_opv(im, "eye_like", args, 2,
                            rlxc_ox_with(im, (rlxc_attrs){0}, "dtype", rlxc_attr_dtype(t))));
}

void rlxc_ox_import_trilu(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *k;
    uint32_t n;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    bool upper = rlxc_ox_int(im, "upper", 1) != 0;
    if (ndim < 2) {
        rlxc_ox_fail(im, "expected at least two dimensions");
        return;
    }
    /* column - row compared with k, which may be known only at run time */
    rlxc_atom rows =
        rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), rlxc_ox_dim(im, x, ndim - 2)), 0, 2);
    rlxc_atom cols =
        rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), rlxc_ox_dim(im, x, ndim - 1)), 1, 2);
    rlxc_atom diagonal = rlxc_ox_op2(im, "subtract", cols, rows),
              limit = rlxc_ox_number(im, RLX_I64, 0);
    if (rlxc_ox_has(im, 1)) {
        limit = rlxc_ox_known(im, rlxc_ox_value_in(im, 1), &k, &n) && n == 1
                    ? rlxc_ox_scalar(im, k[0], RLX_I64)
                    : rlxc_ox_reshape(im, rlxc_ox_in(im, 1), NULL, 0);
    }
    rlxc_atom keep = rlxc_ox_op2(im, upper ? "greater_equal" : "less_equal", diagonal, limit);
    rlxc_ox_set(im, 0,
                rlxc_ox_op3(im, "where", keep, x, rlxc_ox_number(im, rlxc_ox_type(im, x), 0)));
}

void rlxc_ox_import_depth_to_space(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    int64_t size = rlxc_ox_int(im, "blocksize", 1);
    bool crd = rlxc_ox_is(im, "mode", "DCR", "CRD");
    if (rlxc_ox_ndim(im, x) != 4 || size <= 0 || size > MAX_BLOCK) {
        rlxc_ox_fail(im, "expected four dimensions and a positive blocksize");
        return;
    }
    const rlxc_expr *b = rlxc_ox_i(im, size), *n = rlxc_ox_dim(im, x, 0),
                    *h = rlxc_ox_dim(im, x, 2), *w = rlxc_ox_dim(im, x, 3);
    const rlxc_expr *c =
        rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, rlxc_ox_dim(im, x, 1), rlxc_ox_i(im, size * size));
    const rlxc_expr *dcr_dims[6] = {n, b, b, c, h, w}, *crd_dims[6] = {n, c, b, b, h, w};
    const int64_t dcr_axes[6] = {0, 3, 4, 1, 5, 2}, crd_axes[6] = {0, 1, 4, 2, 5, 3};
    const rlxc_expr *out[4] = {n, c, rlxc_mul(im->ctx, h, b), rlxc_mul(im->ctx, w, b)};
    rlxc_atom y = rlxc_ox_reshape(im, x, crd ? crd_dims : dcr_dims, 6);
    y = rlxc_ox_transpose(im, y, crd ? crd_axes : dcr_axes, 6);
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, y, out, 4));
}

void rlxc_ox_import_space_to_depth(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    int64_t size = rlxc_ox_int(im, "blocksize", 1);
    if (rlxc_ox_ndim(im, x) != 4 || size <= 0 || size > MAX_BLOCK) {
        rlxc_ox_fail(im, "expected four dimensions and a positive blocksize");
        return;
    }
    const rlxc_expr *b = rlxc_ox_i(im, size), *n = rlxc_ox_dim(im, x, 0),
                    *c = rlxc_ox_dim(im, x, 1);
    const rlxc_expr *h = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, rlxc_ox_dim(im, x, 2), b);
    const rlxc_expr *w = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, rlxc_ox_dim(im, x, 3), b);
    const rlxc_expr *dims[6] = {n, c, h, b, w, b};
    const int64_t dcr[6] = {0, 3, 5, 1, 2, 4}, crd[6] = {0, 1, 3, 5, 2, 4};
    const int64_t *axes = rlxc_ox_is(im, "mode", "DCR", "CRD") ? crd : dcr;
    const rlxc_expr *out[4] = {n, rlxc_mul(im->ctx, c, rlxc_ox_i(im, size * size)), h, w};
    rlxc_atom y = rlxc_ox_transpose(im, rlxc_ox_reshape(im, x, dims, 6), axes, 6);
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, y, out, 4));
}

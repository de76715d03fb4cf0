/* Reductions, running sums, and operators made of them.
 *
 * Axes known only at run time are handled by shapes: the tensor is reshaped to (before, axis,
 * after), with sizes selected by comparisons with the axis. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/check.h"
#include "compiler/onnx/graph.h"
#include "compiler/onnx/handlers.h"

/* The reduction itself, over constant axes (NULL: all). */
static rlxc_atom reduce_over(rlxc_ox *im, const char *kind, rlxc_atom x, const int64_t *axes,
                             uint32_t n, bool keepdims)
{
    rlx_dtype t = rlxc_ox_type(im, x);
    if (strcmp(kind, "l1") == 0)
        return rlxc_ox_reduce(im, "sum", rlxc_ox_op1(im, "abs", x), axes, n, keepdims);
    if (strcmp(kind, "l2") == 0) {
        rlx_dtype wide = rlxc_dtype_is_float(t) ? rlxc_ox_wide(t) : RLX_F64;
        rlxc_atom y = rlxc_ox_cast(im, x, wide);
        y = rlxc_ox_op1(im, "sqrt",
                        rlxc_ox_reduce(im, "sum", rlxc_ox_op1(im, "square", y), axes, n, keepdims));
        return rlxc_ox_cast(im, y, t);
    }
    if (strcmp(kind, "sum_square") == 0) {
        rlxc_atom y = rlxc_ox_op1(im, "square", rlxc_ox_cast(im, x, rlxc_ox_wide(t)));
        return rlxc_ox_cast(im, rlxc_ox_reduce(im, "sum", y, axes, n, keepdims), t);
    }
    if (strcmp(kind, "log_sum") == 0) {
        rlx_dtype wide = rlxc_dtype_is_float(t) ? rlxc_ox_wide(t) : RLX_F64;
        rlxc_atom y = rlxc_ox_reduce(im, "sum", rlxc_ox_cast(im, x, wide), axes, n, keepdims);
        return rlxc_ox_cast(im, rlxc_ox_op1(im, "log", y), t);
    }
    if (strcmp(kind, "log_sum_exp") == 0) {
        rlx_dtype wide = rlxc_dtype_is_float(t) ? rlxc_ox_wide(t) : RLX_F64;
        rlxc_atom y = rlxc_ox_cast(im, x, wide);
        /* Subtracts the maximum, so that exp does not overflow, unless it is infinite. */
        rlxc_atom top = rlxc_ox_reduce(im, "max", y, axes, n, true);
        top = rlxc_ox_op3(im, "where", rlxc_ox_op1(im, "isfinite", top), top,
                          rlxc_ox_number(im, wide, 0));
        rlxc_atom sum = rlxc_ox_reduce(
            im, "sum", rlxc_ox_op1(im, "exp", rlxc_ox_op2(im, "subtract", y, top)), axes, n, true);
        y = rlxc_ox_op2(im, "add", rlxc_ox_op1(im, "log", sum), top);
        if (!keepdims) {
            rlxc_attrs attrs = {0};
            if (axes)
                attrs = rlxc_ox_with_ints(im, attrs, "axis", axes, n);
            y = rlxc_ox_op0(im, "squeeze", y, attrs);
            if (!axes)
                y = rlxc_ox_reshape(im, y, NULL, 0);
        }
        return rlxc_ox_cast(im, y, t);
    }
    if (strcmp(kind, "mean") == 0 && !rlxc_dtype_is_float(t)) {
        rlxc_atom y = rlxc_ox_reduce(im, "mean", rlxc_ox_cast(im, x, RLX_F64), axes, n, keepdims);
        return rlxc_ox_cast(im, rlxc_ox_op1(im, "trunc", y), t);
    }
    if (t.code == RLX_BOOL) { /* ordered as numbers */
        rlxc_atom y = rlxc_ox_reduce(im, kind, rlxc_ox_cast(im, x, RLX_U8), axes, n, keepdims);
        return rlxc_ox_op2(im, "not_equal", y, rlxc_ox_number(im, RLX_U8, 0));
    }
    return rlxc_ox_reduce(im, kind, x, axes, n, keepdims);
}

/* Reduces one symbolic axis; the dimension stays as 1. */
static rlxc_atom reduce_symbolic(rlxc_ox *im, const char *kind, rlxc_atom x, const rlxc_expr *axis)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM], *parts[3], *out[RLXC_MAX_NDIM];
    uint32_t ndim = rlxc_ox_ndim(im, x);
    rlxc_ox_dims(im, x, dims);
    for (uint32_t p = 0; p < 3; p++)
        parts[p] = rlxc_ox_i(im, 1);
    for (uint32_t i = 0; i < ndim; i++) {
        const rlxc_expr *here = rlxc_ox_i(im, i), *one = rlxc_ox_i(im, 1);
        const rlxc_expr *is = rlxc_ox_bin(im, RLXC_EXPR_EQ, axis, here);
        parts[0] =
            rlxc_mul(im->ctx, parts[0],
                     rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, here, axis), dims[i], one));
        parts[1] = rlxc_mul(im->ctx, parts[1], rlxc_ox_if(im, is, dims[i], one));
        parts[2] =
            rlxc_mul(im->ctx, parts[2],
                     rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_GT, here, axis), dims[i], one));
        out[i] = rlxc_ox_if(im, is, one, dims[i]);
    }
    const int64_t middle[1] = {1};
    rlxc_atom y = rlxc_ox_reshape(im, x, parts, 3);
    return rlxc_ox_reshape(im, reduce_over(im, kind, y, middle, 1, true), out, ndim);
}

/* The dimensions of |x| without those at |axes| (counted from the start). */
static void without_axes(rlxc_ox *im, const rlxc_expr *const *dims, uint32_t ndim,
                         const rlxc_expr *const *axes, uint32_t n, const rlxc_expr **out)
{
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *one = rlxc_ox_i(im, 1);
    for (uint32_t j = 0; j + n < ndim; j++) {
        out[j] = zero;
        for (uint32_t k = j; k <= j + n; k++) {
            const rlxc_expr *before = zero, *hit = zero;
            for (uint32_t a = 0; a < n; a++) {
                const rlxc_expr *here = rlxc_ox_i(im, k);
                before = rlxc_add(
                    im->ctx, before,
                    rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, axes[a], here), one, zero));
                hit = rlxc_add(
                    im->ctx, hit,
                    rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_EQ, axes[a], here), one, zero));
            }
            const rlxc_expr *fits = rlxc_ox_bin(
                im, RLXC_EXPR_AND, rlxc_ox_bin(im, RLXC_EXPR_EQ, before, rlxc_ox_i(im, k - j)),
                rlxc_ox_bin(im, RLXC_EXPR_EQ, hit, zero));
            out[j] = rlxc_add(im->ctx, out[j], rlxc_ox_if(im, fits, dims[k], zero));
        }
    }
}

/* True if |kind| of integers is computed in float64, and converted once. */
static bool is_rounded(const char *kind)
{
    return strcmp(kind, "mean") == 0 || strcmp(kind, "l2") == 0 || strcmp(kind, "log_sum") == 0 ||
           strcmp(kind, "log_sum_exp") == 0;
}

/* What reduces axis |i| of |n|, one after the other, so that all are reduced by |kind|. */
static const char *kind_of_axis(const char *kind, uint32_t i, uint32_t n)
{
    const bool sums =
        (strcmp(kind, "sum_square") == 0 && i > 0) || (strcmp(kind, "log_sum") == 0 && i + 1 < n);
    return sums ? "sum" : kind;
}

void rlxc_ox_import_reduce(rlxc_ox *im, const rlxc_ox_row *row)
{
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0;
    bool all = !rlxc_ox_ints(im, "axes", axes, RLXC_MAX_NDIM, &n) || n == 0;
    bool keepdims = rlxc_ox_int(im, "keepdims", 1) != 0;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlxc_expr *const *elems = NULL;
    if (rlxc_ox_has(im, 1)) {
        if (!rlxc_ox_elems(im, 1, &elems, &n))
            return;
        bool known = n <= RLXC_MAX_NDIM;
        for (uint32_t i = 0; i < n && known; i++)
            known = rlxc_is_int(elems[i], &axes[i]);
        all = n == 0;
        if (known)
            elems = NULL;
    }
    if (all && rlxc_ox_int(im, "noop_with_empty_axes", 0)) {
        rlxc_ox_set(im, 0,
                    strcmp(row->arg, "sum") == 0 || strcmp(row->arg, "mean") == 0 ||
                            strcmp(row->arg, "max") == 0 || strcmp(row->arg, "min") == 0 ||
                            strcmp(row->arg, "prod") == 0
                        ? x
                        : reduce_over(im, row->arg, x, axes, 0, keepdims));
        return;
    }
    if (!elems) {
        for (uint32_t i = 0; i < n; i++)
            axes[i] = rlxc_ox_axis(im, axes[i], ndim);
        rlxc_ox_set(im, 0, reduce_over(im, row->arg, x, all ? NULL : axes, n, keepdims));
        return;
    }
    if (n > ndim) {
        rlxc_ox_fail(im, "more axes than dimensions");
        return;
    }
    const rlxc_expr *dims[RLXC_MAX_NDIM], *out[RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, x, dims);
    const rlx_dtype t = rlxc_ox_type(im, x);
    const bool rounded = !rlxc_dtype_is_float(t) && is_rounded(row->arg);
    if (rounded)
        x = rlxc_ox_cast(im, x, RLX_F64);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = rlxc_ox_checked_axis(im, elems[i], ndim);
        x = reduce_symbolic(im, kind_of_axis(row->arg, i, n), x, at[i]);
    }
    if (rounded)
        x = rlxc_ox_cast(im, strcmp(row->arg, "mean") == 0 ? rlxc_ox_op1(im, "trunc", x) : x, t);
    if (!keepdims) {
        without_axes(im, dims, ndim, at, n, out);
        x = rlxc_ox_reshape(im, x, out, ndim - n);
    }
    rlxc_ox_set(im, 0, x);
}

/* A squeeze without axes of |x|; the dimensions |kept| (as bits) are known not to be 1, and |at| is
 * the one in question. */
typedef struct squeeze {
    rlxc_atom x;
    uint32_t at, kept;
} squeeze;

static void squeeze_all(rlxc_ox *im, const squeeze *s);

static void squeeze_case(rlxc_ox *im, void *user, uint32_t k)
{
    squeeze s = *(const squeeze *)user;
    const rlxc_expr *dims[RLXC_MAX_NDIM] = {0};
    dims[s.at] = rlxc_ox_i(im, 1);
    if (k == 0)
        s.x = rlxc_ox_state_dims(im, s.x, dims, 1u << s.at);
    else
        s.kept |= 1u << s.at;
    squeeze_all(im, &s);
}

static void squeeze_all(rlxc_ox *im, const squeeze *s)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM], *out[RLXC_MAX_NDIM];
    uint32_t kept = 0, ndim = rlxc_ox_ndim(im, s->x);
    rlxc_ox_dims(im, s->x, dims);
    for (uint32_t i = 0; i < ndim && !im->failed; i++) {
        int64_t d;
        if (rlxc_is_int(dims[i], &d) || s->kept >> i & 1 ||
            rlxc_prove_ne(im->ctx, dims[i], rlxc_ox_i(im, 1), NULL)) {
            if (!rlxc_is_const(dims[i], 1))
                out[kept++] = dims[i];
            continue;
        }
        squeeze open = {s->x, i, s->kept};
        rlxc_atom size = rlxc_ox_reshape(im, rlxc_ox_prims(im, &dims[i], 1), NULL, 0);
        const rlxc_ox_cases cases = {squeeze_case, &open};
        rlxc_ox_split(im, rlxc_ox_op2(im, "equal", size, rlxc_ox_number(im, RLX_I64, 1)), &cases);
        return;
    }
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, s->x, out, kept));
}

void rlxc_ox_import_squeeze(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0, m;
    const rlxc_expr *const *elems = NULL, *const * known;
    rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    bool given = rlxc_ox_ints(im, "axes", axes, RLXC_MAX_NDIM, &n);
    if (rlxc_ox_known(im, v, &known, &m) && v->is_vector && m == 1) {
        rlxc_ox_set_elems(im, 0, v->dtype, false, known, 1);
        return;
    }
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlxc_expr *dims[RLXC_MAX_NDIM], *out[RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, x, dims);
    if (rlxc_ox_has(im, 1)) {
        if (!rlxc_ox_elems(im, 1, &elems, &n))
            return;
        given = true;
    }
    if (!given) {
        squeeze_all(im, &(squeeze){x, 0, 0});
        return;
    }
    if (n > ndim) {
        rlxc_ox_fail(im, "more axes than dimensions");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *one = rlxc_ox_i(im, 1);
        int64_t axis;
        at[i] = rlxc_ox_checked_axis(im, elems ? elems[i] : rlxc_ox_i(im, axes[i]), ndim);
        if (!im->failed && rlxc_is_int(at[i], &axis))
            rlxc_ox_check_number(im, dims[axis], one, one,
                                 rlxc_internf(im->ctx, "dimension %lld", (long long)axis));
    }
    without_axes(im, dims, ndim, at, n, out);
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, x, out, ndim - n));
}

void rlxc_ox_import_unsqueeze(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0, m;
    const rlxc_expr *const *elems = NULL, *const * known;
    rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    rlxc_ox_ints(im, "axes", axes, RLXC_MAX_NDIM, &n);
    if (rlxc_ox_has(im, 1) && !rlxc_ox_elems(im, 1, &elems, &n))
        return;
    if (n == 1 && rlxc_ox_known_sizes(im, v, &known, &m) && !v->is_vector) {
        rlxc_ox_set_elems(im, 0, v->dtype, true, known, 1);
        return;
    }
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x), to = ndim + n;
    const rlxc_expr *dims[RLXC_MAX_NDIM], *out[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, x, dims);
    if (to > RLXC_MAX_NDIM || n > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "%u dimensions; at most %d are supported", to, RLXC_MAX_NDIM);
        return;
    }
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *one = rlxc_ox_i(im, 1);
    const rlxc_expr *at[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < n; i++)
        at[i] = rlxc_ox_checked_axis(im, elems ? elems[i] : rlxc_ox_i(im, axes[i]), to);
    for (uint32_t j = 0; j < to; j++) {
        const rlxc_expr *here = rlxc_ox_i(im, j), *before = zero, *hit = zero;
        for (uint32_t a = 0; a < n; a++) {
            before =
                rlxc_add(im->ctx, before,
                         rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, at[a], here), one, zero));
            hit = rlxc_add(im->ctx, hit,
                           rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_EQ, at[a], here), one, zero));
        }
        const rlxc_expr *d = one; /* dims[j - before], by cases */
        for (uint32_t k = 0; k < ndim; k++)
            if (k <= j && j <= k + n)
                d = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_EQ, before, rlxc_ox_i(im, j - k)),
                               dims[k], d);
        out[j] = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_EQ, hit, zero), d, one);
    }
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, x, out, to));
}

/* --- indices of extremes ---------------------------------------------------------------------- */

void rlxc_ox_import_arg_reduce(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", 0), rlxc_ox_ndim(im, x));
    bool last = rlxc_ox_int(im, "select_last_index", 0) != 0;
    if (last)
        x = rlxc_ox_op0(im, "flip", x, rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", axis));
    rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", axis);
    attrs =
        rlxc_ox_with(im, attrs, "keepdims", rlxc_attr_bool(rlxc_ox_int(im, "keepdims", 1) != 0));
    rlxc_atom y = rlxc_ox_op0(im, row->arg, x, attrs);
    if (last) {
        const rlxc_expr *top = rlxc_sub(im->ctx, rlxc_ox_dim(im, x, axis), rlxc_ox_i(im, 1));
        y = rlxc_ox_op2(im, "subtract", rlxc_ox_scalar(im, top, RLX_I64),
                        rlxc_ox_cast(im, y, RLX_I64));
    }
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, y, RLX_I64));
}

static rlxc_atom running(rlxc_ox *im, const char *op, rlxc_atom x, uint32_t axis, bool exclusive)
{
    rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", axis);
    attrs = rlxc_ox_with(im, attrs, "dtype", rlxc_attr_dtype(rlxc_ox_type(im, x)));
    return rlxc_ox_op0(im, op, x, rlxc_ox_with(im, attrs, "exclusive", rlxc_attr_bool(exclusive)));
}

void rlxc_ox_import_running(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlxc_expr *dims[RLXC_MAX_NDIM], *parts[3], *which = rlxc_ox_one(im, 1);
    int64_t axis;
    if (!which)
        return;
    bool reverse = rlxc_ox_int(im, "reverse", 0) != 0,
         exclusive = rlxc_ox_int(im, "exclusive", 0) != 0;
    rlxc_ox_dims(im, x, dims);
    uint32_t at = 1;
    bool known = rlxc_is_int(which, &axis);
    rlxc_atom y = x;
    if (known) {
        at = rlxc_ox_axis(im, axis, ndim);
    } else {
        const rlxc_expr *e = rlxc_ox_checked_axis(im, which, ndim), *one = rlxc_ox_i(im, 1);
        for (uint32_t p = 0; p < 3; p++)
            parts[p] = one;
        for (uint32_t i = 0; i < ndim; i++) {
            const rlxc_expr *here = rlxc_ox_i(im, i);
            const rlxc_expr *tests[3] = {rlxc_ox_bin(im, RLXC_EXPR_LT, here, e),
                                         rlxc_ox_bin(im, RLXC_EXPR_EQ, here, e),
                                         rlxc_ox_bin(im, RLXC_EXPR_GT, here, e)};
            for (uint32_t p = 0; p < 3; p++)
                parts[p] = rlxc_mul(im->ctx, parts[p], rlxc_ox_if(im, tests[p], dims[i], one));
        }
        y = rlxc_ox_reshape(im, x, parts, 3);
    }
    rlxc_attrs flip = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", at);
    if (reverse)
        y = rlxc_ox_op0(im, "flip", y, flip);
    y = running(im, row->arg, y, at, exclusive);
    if (reverse)
        y = rlxc_ox_op0(im, "flip", y, flip);
    rlxc_ox_set_rounded(im, 0, known ? y : rlxc_ox_reshape(im, y, dims, ndim));
}

/* --- softmax ---------------------------------------------------------------------------------- */

void rlxc_ox_import_softmax(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x), axis;
    const rlxc_expr *dims[RLXC_MAX_NDIM], *flat[2];
    rlxc_ox_dims(im, x, dims);
    bool flattens = im->opset < 13;
    rlxc_atom y = x;
    axis = ndim ? rlxc_ox_axis(im, rlxc_ox_int(im, "axis", flattens ? 1 : -1), ndim) : 0;
    if (flattens) { /* everything from the axis on together */
        flat[0] = rlxc_product(im->ctx, dims, axis);
        flat[1] = rlxc_product(im->ctx, dims + axis, ndim - axis);
        y = rlxc_ox_reshape(im, x, flat, 2);
        axis = 1;
    }
    rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", axis);
    if (strcmp(row->arg, "hardmax") == 0) {
        rlxc_attrs keep = rlxc_ox_with(im, attrs, "keepdims", rlxc_attr_bool(true));
        rlxc_atom best = rlxc_ox_cast(im, rlxc_ox_op0(im, "argmax", y, keep), RLX_I64);
        rlxc_atom place = rlxc_ox_arange(im, rlxc_ox_i(im, 0), rlxc_ox_dim(im, y, axis));
        place = rlxc_ox_along(im, place, axis, rlxc_ox_ndim(im, y));
        y = rlxc_ox_cast(im, rlxc_ox_op2(im, "equal", place, best), rlxc_ox_type(im, x));
    } else {
        y = rlxc_ox_op0(im, row->arg, y, attrs);
    }
    rlxc_ox_set(im, 0, flattens ? rlxc_ox_reshape(im, y, dims, ndim) : y);
}

void rlxc_ox_import_lp_normalization(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_wide_in(im, 0);
    int64_t axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", -1), rlxc_ox_ndim(im, x));
    const char *kind = rlxc_ox_int(im, "p", 2) == 1 ? "l1" : "l2";
    rlxc_atom norm = reduce_over(im, kind, x, &axis, 1, true);
    rlxc_atom zero = rlxc_ox_number(im, rlxc_ox_type(im, x), 0);
    rlxc_atom y = rlxc_ox_op2(im, "divide", x, norm);
    rlxc_ox_set_rounded(im, 0,
                        rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "equal", norm, zero), zero, y));
}

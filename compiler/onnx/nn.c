/* Matrix products, convolutions, pooling. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"

void rlxc_ox_import_matmul(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom a = rlxc_ox_in(im, 0), b = rlxc_ox_in(im, 1);
    rlxc_ox_same_floats(im, 0, 1, &a, &b);
    rlxc_ox_set(im, 0, rlxc_ox_op2(im, "matmul", a, b));
}

void rlxc_ox_import_gemm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t swap[2] = {1, 0};
    rlxc_atom a = rlxc_ox_in(im, 0), b = rlxc_ox_in(im, 1);
    rlx_dtype t = rlxc_ox_type(im, a);
    double alpha = rlxc_ox_float(im, "alpha", 1), beta = rlxc_ox_float(im, "beta", 1);
    if (rlxc_ox_int(im, "transA", 0))
        a = rlxc_ox_transpose(im, a, swap, 2);
    if (rlxc_ox_int(im, "transB", 0))
        b = rlxc_ox_transpose(im, b, swap, 2);
    rlxc_atom y = rlxc_ox_op2(im, "matmul", a, b);
    if (alpha != 1)
        y = rlxc_ox_op2(im, "multiply", y, rlxc_ox_number(im, t, alpha));
    if (rlxc_ox_has(im, 2) && beta != 0) {
        rlxc_atom c = rlxc_ox_in(im, 2);
        if (beta != 1)
            c = rlxc_ox_op2(im, "multiply", c, rlxc_ox_number(im, t, beta));
        y = rlxc_ox_op2(im, "add", y, c);
    }
    rlxc_ox_set(im, 0, y);
}

/* --- windows ---------------------------------------------------------------------------------- */

static void fill_list(rlxc_ox *im, const char *name, int64_t *out, uint32_t want, int64_t otherwise)
{
    uint32_t n;
    if (!rlxc_ox_ints(im, name, out, want, &n))
        for (n = 0; n < want; n++)
            out[n] = otherwise;
    if (n != want && !im->failed)
        rlxc_ox_fail(im, "attribute %s has %u numbers, expected %u", name, n, want);
}

bool rlxc_ox_read_window(rlxc_ox *im, rlxc_ox_window *w, uint32_t spatial)
{
    memset(w, 0, sizeof *w);
    w->n = spatial;
    if (spatial < 1 || spatial > RLXC_OX_MAX_SPATIAL) {
        rlxc_ox_fail(im, "%u spatial dimensions; 1 to %d are supported", spatial,
                     RLXC_OX_MAX_SPATIAL);
        return false;
    }
    fill_list(im, "strides", w->strides, spatial, 1);
    fill_list(im, "dilations", w->dilations, spatial, 1);
    fill_list(im, "pads", w->pads, 2 * spatial, 0);
    for (uint32_t i = 0; i < spatial && !im->failed; i++)
        if (w->strides[i] < 1 || w->dilations[i] < 1 || w->strides[i] > 1 << 20 ||
            w->dilations[i] > 1 << 20)
            rlxc_ox_fail(im, "strides and dilations must be positive");
    for (uint32_t i = 0; i < 2 * spatial && !im->failed; i++)
        if (w->pads[i] > 1 << 20 || w->pads[i] < -(1 << 20))
            rlxc_ox_fail(im, "a padding is %lld", (long long)w->pads[i]);
    return !im->failed;
}

bool rlxc_ox_good_kernel(rlxc_ox *im, const rlxc_ox_window *w)
{
    for (uint32_t i = 0; i < w->n && !im->failed; i++)
        if (w->kernel[i] < 0 || w->kernel[i] > 1 << 20)
            rlxc_ox_fail(im, "a kernel of %lld elements", (long long)w->kernel[i]);
    return !im->failed;
}

/* The number of elements that a window spans in dimension |i|. */
static const rlxc_expr *reach_of(rlxc_ox *im, const rlxc_ox_window *w, uint32_t i)
{
    const rlxc_expr *one = rlxc_ox_i(im, 1);
    const rlxc_expr *size = w->size[i] ? w->size[i] : rlxc_ox_i(im, w->kernel[i]);
    return rlxc_add(im->ctx,
                    rlxc_mul(im->ctx, rlxc_sub(im->ctx, size, one), rlxc_ox_i(im, w->dilations[i])),
                    one);
}

bool rlxc_ox_kernel_of(rlxc_ox *im, rlxc_ox_window *w, rlxc_atom *weight)
{
    int64_t stated[RLXC_OX_MAX_SPATIAL];
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    uint32_t n;
    bool known = true;
    rlxc_ox_dims(im, *weight, dims);
    if (rlxc_ox_ints(im, "kernel_shape", stated, w->n, &n) && n != w->n)
        rlxc_ox_fail(im, "kernel_shape has %u numbers, expected %u", n, w->n);
    if (n == w->n && rlxc_ox_ndim(im, *weight) == n + 2) {
        for (uint32_t i = 0; i < n; i++) {
            int64_t is;
            if (rlxc_is_int(dims[i + 2], &is) && is != stated[i])
                rlxc_ox_fail(im, "kernel_shape[%u] is %lld, the weights have %lld there", i,
                             (long long)stated[i], (long long)is);
            dims[i + 2] = rlxc_ox_i(im, stated[i]);
        }
        *weight = rlxc_ox_state_dims(im, *weight, dims, ((1u << n) - 1) << 2);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        w->size[i] = rlxc_ox_dim(im, *weight, i + 2);
        if (!rlxc_is_int(w->size[i], &w->kernel[i])) {
            w->kernel[i] = 1;
            known = false;
        }
    }
    return known;
}

/* Resolves auto_pad; paddings that depend on symbols are put on |x| itself. */
rlxc_atom rlxc_ox_auto_pad(rlxc_ox *im, rlxc_ox_window *w, rlxc_atom x, rlxc_atom value)
{
    const char *mode = rlxc_ox_str(im, "auto_pad", "NOTSET");
    bool upper = strcmp(mode, "SAME_UPPER") == 0;
    if (strcmp(mode, "VALID") == 0)
        memset(w->pads, 0, sizeof w->pads);
    if (!upper && strcmp(mode, "SAME_LOWER") != 0)
        return x;
    for (uint32_t i = 0; i < w->n; i++) {
        const rlxc_expr *d = rlxc_ox_dim(im, x, i + 2), *s = rlxc_ox_i(im, w->strides[i]);
        const rlxc_expr *reach = reach_of(im, w, i);
        const rlxc_expr *out = rlxc_ox_bin(
            im, RLXC_EXPR_FLOORDIV, rlxc_add(im->ctx, d, rlxc_ox_i(im, w->strides[i] - 1)), s);
        const rlxc_expr *total = rlxc_sub(
            im->ctx,
            rlxc_add(im->ctx, rlxc_mul(im->ctx, rlxc_sub(im->ctx, out, rlxc_ox_i(im, 1)), s),
                     reach),
            d);
        total =
            rlxc_canonical(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_MAX, total, rlxc_ox_i(im, 0)), NULL);
        const rlxc_expr *half = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, total, rlxc_ox_i(im, 2));
        const rlxc_expr *rest = rlxc_sub(im->ctx, total, half);
        const rlxc_expr *before = rlxc_canonical(im->ctx, upper ? half : rest, NULL);
        const rlxc_expr *after = rlxc_canonical(im->ctx, upper ? rest : half, NULL);
        w->pads[i] = w->pads[i + w->n] = 0;
        if (!rlxc_is_int(before, &w->pads[i]) || !rlxc_is_int(after, &w->pads[i + w->n])) {
            w->pads[i] = w->pads[i + w->n] = 0;
            x = rlxc_ox_pad_axis(im, x, i + 2, before, after, "constant", value);
        }
    }
    return x;
}

static rlxc_attrs window_attrs(rlxc_ox *im, const rlxc_ox_window *w)
{
    rlxc_attrs attrs = rlxc_ox_with_ints(im, (rlxc_attrs){0}, "strides", w->strides, w->n);
    attrs = rlxc_ox_with_ints(im, attrs, "padding", w->pads, 2 * w->n);
    return rlxc_ox_with_ints(im, attrs, "dilation", w->dilations, w->n);
}

rlxc_atom rlxc_ox_conv(rlxc_ox *im, rlxc_atom x, rlxc_atom weight, rlx_dtype out_dtype)
{
    static const char *const names[] = {"nn.conv1d", "nn.conv2d", "nn.conv3d"};
    rlxc_ox_window w;
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (!rlxc_ox_read_window(im, &w, ndim < 2 ? 0 : ndim - 2))
        return (rlxc_atom){0};
    (void)rlxc_ox_kernel_of(im, &w, &weight);
    if (!rlxc_ox_good_kernel(im, &w))
        return (rlxc_atom){0};
    x = rlxc_ox_auto_pad(im, &w, x, rlxc_ox_number(im, rlxc_ox_type(im, x), 0));
    const rlxc_expr *dims[RLXC_MAX_NDIM] = {0},
                    *groups = rlxc_ox_i(im, rlxc_ox_int(im, "group", 1));
    dims[1] = rlxc_canonical(im->ctx, rlxc_mul(im->ctx, rlxc_ox_dim(im, weight, 1), groups), NULL);
    x = rlxc_ox_state_dims(im, x, dims, 1u << 1);
    rlxc_attrs attrs =
        rlxc_ox_with_int(im, window_attrs(im, &w), "groups", rlxc_ox_int(im, "group", 1));
    if (!rlxc_dtype_eq(out_dtype, rlxc_ox_type(im, x)))
        attrs = rlxc_ox_with(im, attrs, "out_dtype", rlxc_attr_dtype(out_dtype));
    const rlxc_atom args[2] = {x, weight};
    return rlxc_ox_opv(im, names[w.n - 1], args, 2, attrs);
}

void rlxc_ox_import_conv(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    rlxc_atom y = rlxc_ox_conv(im, x, rlxc_ox_in(im, 1), rlxc_ox_type(im, x));
    if (rlxc_ox_has(im, 2))
        y = rlxc_ox_op2(im, "add", y, rlxc_ox_per_channel(im, rlxc_ox_in(im, 2), y));
    rlxc_ox_set(im, 0, y);
}

void rlxc_ox_import_conv_transpose(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    static const char *const names[] = {"nn.conv1d_transpose", "nn.conv2d_transpose",
                                        "nn.conv3d_transpose"};
    rlxc_ox_window w;
    int64_t extra[RLXC_OX_MAX_SPATIAL], shape[RLXC_OX_MAX_SPATIAL + 2];
    uint32_t n_shape;
    rlxc_atom x = rlxc_ox_in(im, 0), weight = rlxc_ox_in(im, 1);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (!rlxc_ox_read_window(im, &w, ndim < 2 ? 0 : ndim - 2))
        return;
    fill_list(im, "output_padding", extra, w.n, 0);
    bool sized = rlxc_ox_ints(im, "output_shape", shape, w.n + 2, &n_shape);
    const char *mode = rlxc_ox_str(im, "auto_pad", "NOTSET");
    bool upper = strcmp(mode, "SAME_UPPER") == 0, lower = strcmp(mode, "SAME_LOWER") == 0;
    if (sized && n_shape != w.n && n_shape != w.n + 2) {
        rlxc_ox_fail(im, "output_shape has %u numbers", n_shape);
        return;
    }
    /* Computes the whole result, then cuts (or extends) it to the requested size. */
    int64_t pads[2 * RLXC_OX_MAX_SPATIAL], none[2 * RLXC_OX_MAX_SPATIAL] = {0};
    const rlxc_expr *before[RLXC_OX_MAX_SPATIAL], *after[RLXC_OX_MAX_SPATIAL];
    memcpy(pads, w.pads, sizeof pads);
    (void)rlxc_ox_kernel_of(im, &w, &weight);
    for (uint32_t i = 0; i < w.n; i++) {
        if (!rlxc_ox_good_kernel(im, &w) || extra[i] > 1 << 20 || extra[i] < 0) {
            rlxc_ox_fail(im, "the kernel or output_padding is too large");
            return;
        }
        before[i] = rlxc_ox_i(im, -pads[i]);
        after[i] = rlxc_ox_i(im, extra[i] - pads[i + w.n]);
        if (!sized && !upper && !lower)
            continue;
        const rlxc_expr *d = rlxc_ox_dim(im, x, i + 2), *s = rlxc_ox_i(im, w.strides[i]);
        const rlxc_expr *reach = rlxc_add(im->ctx, reach_of(im, &w, i), rlxc_ox_i(im, extra[i]));
        const rlxc_expr *whole =
            rlxc_add(im->ctx, rlxc_mul(im->ctx, rlxc_sub(im->ctx, d, rlxc_ox_i(im, 1)), s), reach);
        const rlxc_expr *want =
            sized ? rlxc_ox_i(im, shape[i + n_shape - w.n]) : rlxc_mul(im->ctx, d, s);
        const rlxc_expr *cut = rlxc_canonical(im->ctx, rlxc_sub(im->ctx, whole, want), NULL);
        const rlxc_expr *half = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, cut, rlxc_ox_i(im, 2));
        const rlxc_expr *rest = rlxc_sub(im->ctx, cut, half);
        const rlxc_expr *first = upper ? half : rest, *last = upper ? rest : half;
        before[i] = rlxc_canonical(im->ctx, rlxc_sub(im->ctx, rlxc_ox_i(im, 0), first), NULL);
        after[i] = rlxc_canonical(im->ctx, rlxc_sub(im->ctx, rlxc_ox_i(im, extra[i]), last), NULL);
    }
    bool plain = true;
    for (uint32_t i = 0; i < w.n && plain; i++) {
        int64_t a, b;
        plain = rlxc_is_int(before[i], &a) && rlxc_is_int(after[i], &b) && a <= 0 && b <= 0;
        pads[i] = plain ? -a : 0;
        pads[i + w.n] = plain ? -b : 0;
    }
    memcpy(w.pads, plain ? pads : none, sizeof w.pads);
    if (im->failed)
        return;
    const rlxc_atom args[2] = {x, weight};
    rlxc_atom y = rlxc_ox_opv(
        im, names[w.n - 1], args, 2,
        rlxc_ox_with_int(im, window_attrs(im, &w), "groups", rlxc_ox_int(im, "group", 1)));
    rlxc_atom zero = rlxc_ox_number(im, rlxc_ox_type(im, x), 0);
    for (uint32_t i = 0; i < w.n && !plain; i++)
        y = rlxc_ox_pad_axis(im, y, i + 2, before[i], after[i], "constant", zero);
    if (rlxc_ox_has(im, 2))
        y = rlxc_ox_op2(im, "add", y, rlxc_ox_per_channel(im, rlxc_ox_in(im, 2), y));
    rlxc_ox_set(im, 0, y);
}

/* --- pooling ---------------------------------------------------------------------------------- */

static const char *pool_name(rlxc_ox *im, const char *kind, uint32_t spatial)
{
    return rlxc_internf(im->ctx, "nn.%s_pool%ud", kind, spatial);
}

/* The lower bound of all elements. */
static double lowest(rlx_dtype t)
{
    return rlxc_dtype_is_float(t) ? -(double)INFINITY : t.code == RLX_UINT ? 0 : -128;
}

/* The number of windows along an axis of |d| that begin before the end padding: others are dropped
 * if the number of windows is rounded up. */
static const rlxc_expr *windows_inside(rlxc_ox *im, const rlxc_ox_window *w, uint32_t axis,
                                       const rlxc_expr *d)
{
    const rlxc_expr *last = rlxc_add(im->ctx, d, rlxc_ox_i(im, w->pads[axis] - 1));
    last = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, last, rlxc_ox_i(im, w->strides[axis]));
    return rlxc_canonical(im->ctx, rlxc_add(im->ctx, last, rlxc_ox_i(im, 1)), NULL);
}

/* The place of each element of |x| in the flattened input. */
static rlxc_atom flat_places(rlxc_ox *im, rlxc_atom x)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    uint32_t ndim = rlxc_ox_ndim(im, x);
    rlxc_ox_dims(im, x, dims);
    const rlxc_expr *lengths = rlxc_product(im->ctx, dims, ndim);
    rlxc_atom places =
        rlxc_ox_reshape(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), lengths), dims, ndim);
    if (rlxc_ox_int(im, "storage_order", 0) == 0)
        return places;
    /* within an image the first spatial axis runs fastest */
    const rlxc_expr *turned[RLXC_MAX_NDIM];
    int64_t axes[RLXC_MAX_NDIM] = {0, 1};
    for (uint32_t i = 0; i < ndim; i++)
        turned[i] = i < 2 ? dims[i] : dims[ndim + 1 - i];
    for (uint32_t i = 2; i < ndim; i++)
        axes[i] = ndim + 1 - i;
    return rlxc_ox_transpose(im, rlxc_ox_reshape(im, places, turned, ndim), axes, ndim);
}

/* The largest element of each window and its index in the flattened input. |flat_at| has the index
 * of each element of |x|, -1 for padding that |x| has already. */
static void max_pool_indices(rlxc_ox *im, rlxc_atom x, rlxc_atom flat_at, const rlxc_ox_window *w,
                             bool ceil_mode)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM], *out[RLXC_OX_MAX_SPATIAL];
    rlx_dtype t = rlxc_ox_type(im, x);
    int64_t offsets = 1, at[RLXC_OX_MAX_SPATIAL] = {0};
    rlxc_ox_dims(im, x, dims);
    rlxc_atom low = rlxc_ox_number(im, t, lowest(t)), none = rlxc_ox_number(im, RLX_I64, -1);
    for (uint32_t i = 0; i < w->n; i++) {
        int64_t reach = (w->kernel[i] - 1) * w->dilations[i] + 1;
        const rlxc_expr *free =
            rlxc_add(im->ctx, dims[i + 2], rlxc_ox_i(im, w->pads[i] + w->pads[i + w->n] - reach));
        const rlxc_expr *s = rlxc_ox_i(im, w->strides[i]);
        if (ceil_mode)
            free = rlxc_add(im->ctx, free, rlxc_ox_i(im, w->strides[i] - 1));
        out[i] = rlxc_add(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, free, s), rlxc_ox_i(im, 1));
        if (ceil_mode)
            out[i] = rlxc_ox_bin(im, RLXC_EXPR_MIN, out[i], windows_inside(im, w, i, dims[i + 2]));
        const rlxc_expr *before = rlxc_ox_i(im, w->pads[i]);
        const rlxc_expr *after = rlxc_ox_i(im, w->pads[i + w->n] + (ceil_mode ? w->strides[i] : 0));
        x = rlxc_ox_pad_axis(im, x, i + 2, before, after, "constant", low);
        flat_at = rlxc_ox_pad_axis(im, flat_at, i + 2, before, after, "constant", none);
        offsets *= w->kernel[i];
    }
    if (offsets > 256) {
        rlxc_ox_fail(im, "indices of windows of %lld elements", (long long)offsets);
        return;
    }
    /* The slices of unknown sizes state their dimensions: those that are computed for each of them
     * are not seen to be equal. */
    const uint32_t spatial = ((1u << w->n) - 1) << 2;
    memcpy(dims + 2, out, w->n * sizeof *out);
    rlxc_atom best = {0}, where = {0};
    for (int64_t k = 0; k < offsets && !im->failed; k++) {
        rlxc_atom v = x, p = flat_at;
        int64_t rest = k;
        for (uint32_t i = w->n; i-- > 0;) {
            at[i] = rest % w->kernel[i];
            rest /= w->kernel[i];
        }
        for (uint32_t i = 0; i < w->n; i++) {
            const rlxc_expr *begin = rlxc_ox_i(im, at[i] * w->dilations[i]);
            const rlxc_expr *end = /* not below |begin| where there are no windows */
                rlxc_add(im->ctx, begin, rlxc_mul(im->ctx, out[i], rlxc_ox_i(im, w->strides[i])));
            v = rlxc_ox_slice(im, v, i + 2, begin, end, w->strides[i]);
            p = rlxc_ox_slice(im, p, i + 2, begin, end, w->strides[i]);
        }
        v = rlxc_ox_state_dims(im, v, dims, spatial);
        p = rlxc_ox_state_dims(im, p, dims, spatial);
        if (k == 0) {
            best = v;
            where = p;
            continue;
        }
        rlxc_atom better = rlxc_ox_op2(im, "greater", v, best);
        rlxc_atom unset = rlxc_ox_op2(im, "less", where, rlxc_ox_number(im, RLX_I64, 0));
        better = rlxc_ox_op2(im, "logical_or", better, unset);
        best = rlxc_ox_op3(im, "where", better, v, best);
        where = rlxc_ox_op3(im, "where", better, p, where);
    }
    rlxc_ox_set(im, 0, best);
    rlxc_ox_set(im, 1, where);
}

void rlxc_ox_import_pool(rlxc_ox *im, const rlxc_ox_row *row)
{
    bool is_max = strcmp(row->arg, "max") == 0, lp = strcmp(row->arg, "lp") == 0;
    rlxc_atom x = lp ? rlxc_ox_wide_in(im, 0) : rlxc_ox_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, x);
    rlxc_ox_window w;
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (!rlxc_ox_read_window(im, &w, ndim < 2 ? 0 : ndim - 2))
        return;
    fill_list(im, "kernel_shape", w.kernel, w.n, 1);
    if (!rlxc_ox_good_kernel(im, &w))
        return;
    bool ceil_mode = rlxc_ox_int(im, "ceil_mode", 0) != 0;
    double count = 1, p = rlxc_ox_float(im, "p", 2);
    for (uint32_t i = 0; i < w.n; i++)
        count *= (double)w.kernel[i];
    if (lp)
        x = rlxc_ox_op2(im, "power", rlxc_ox_op1(im, "abs", x), rlxc_ox_number(im, t, p));
    const rlxc_atom given = x;
    const rlxc_ox_window asked = w;
    x = rlxc_ox_auto_pad(im, &w, x, rlxc_ox_number(im, t, is_max ? lowest(t) : 0));
    if (is_max && rlxc_ox_wants(im, 1)) {
        rlxc_ox_window same = asked;
        const rlxc_atom none = rlxc_ox_number(im, RLX_I64, -1);
        max_pool_indices(im, x, rlxc_ox_auto_pad(im, &same, flat_places(im, given), none), &w,
                         ceil_mode);
        return;
    }
    bool include = lp || rlxc_ox_int(im, "count_include_pad", 0) != 0;
    /* The fraction of each window that covers elements rather than padding. */
    const bool shared = !is_max && !include && !rlxc_atom_equal(x, given);
    const rlxc_expr *inside[RLXC_OX_MAX_SPATIAL];
    for (uint32_t i = 0; i < w.n && lp && ceil_mode; i++) { /* its means are over whole windows */
        inside[i] = windows_inside(im, &w, i, rlxc_ox_dim(im, x, i + 2));
        w.pads[i + w.n] += w.strides[i] - 1;
    }
    rlxc_attrs attrs = rlxc_ox_with_ints(im, window_attrs(im, &w), "pool_size", w.kernel, w.n);
    attrs = rlxc_ox_with(im, attrs, "ceil_mode", rlxc_attr_bool(ceil_mode && !lp));
    attrs = rlxc_ox_with(im, attrs, "count_include_pad",
                         rlxc_attr_bool(!is_max && (include || shared)));
    rlxc_atom y = rlxc_ox_op0(im, pool_name(im, is_max ? "max" : "avg", w.n), x, attrs);
    if (shared) {
        rlxc_ox_window same = asked;
        const rlxc_expr *dims[RLXC_MAX_NDIM];
        rlxc_ox_dims(im, given, dims);
        dims[0] = dims[1] = rlxc_ox_i(im, 1);
        rlxc_atom ones = rlxc_ox_full(im, t, 1, dims, w.n + 2);
        ones = rlxc_ox_auto_pad(im, &same, ones, rlxc_ox_number(im, t, 0));
        y = rlxc_ox_op2(im, "divide", y, rlxc_ox_op0(im, pool_name(im, "avg", w.n), ones, attrs));
    }
    for (uint32_t i = 0; i < w.n && lp && ceil_mode; i++) {
        const rlxc_expr *have = rlxc_ox_dim(im, y, i + 2);
        if (!rlxc_prove_le(im->ctx, have, inside[i], NULL))
            y = rlxc_ox_slice(im, y, i + 2, rlxc_ox_i(im, 0), inside[i], 1);
    }
    if (lp) {
        y = rlxc_ox_op2(im, "multiply", y, rlxc_ox_number(im, t, count));
        y = rlxc_ox_op2(im, "power", y, rlxc_ox_number(im, t, 1 / p));
    }
    rlxc_ox_set_rounded(im, 0, y);
}

void rlxc_ox_import_global_pool(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, x);
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n = 0;
    for (uint32_t i = 2; i < rlxc_ox_ndim(im, x); i++)
        axes[n++] = i;
    if (strcmp(row->arg, "lp") == 0) {
        double p = rlxc_ox_float(im, "p", 2);
        x = rlxc_ox_wide_in(im, 0);
        t = rlxc_ox_type(im, x);
        x = rlxc_ox_op2(im, "power", rlxc_ox_op1(im, "abs", x), rlxc_ox_number(im, t, p));
        x = rlxc_ox_reduce(im, "sum", x, axes, n, true);
        rlxc_ox_set_rounded(im, 0, rlxc_ox_op2(im, "power", x, rlxc_ox_number(im, t, 1 / p)));
        return;
    }
    rlxc_ox_set(im, 0, rlxc_ox_reduce(im, row->arg, x, axes, n, true));
}

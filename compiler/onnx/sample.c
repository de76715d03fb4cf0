/* Images read at coordinates that are data: GridSample, AffineGrid, DeformConv, the inverse of
 * taking windows apart (Col2Im), regions (RoiAlign, MaxRoiPool), CenterCropPad.
 *
 * An image is flattened to (batch, channels, elements) and read by computed indices, one gather per
 * corner; any number of spatial dimensions, symbolic sizes. Coordinates are float32, or
 * float64 where image.grid_sample reads a float64 image; float16 and bfloat16 are summed in
 * float32.
 */
#include <math.h>
#include <string.h>

#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"

static rlxc_atom f(rlxc_ox *im, double value)
{
    return rlxc_ox_number(im, RLX_F32, value);
}

static rlxc_atom add(rlxc_ox *im, rlxc_atom a, double b)
{
    return rlxc_ox_op2(im, "add", a, f(im, b));
}

/* --- sampling --------------------------------------------------------------------------------- */

typedef struct grid_axis {
    const rlxc_expr *size;
    rlxc_atom last, low, span; /* floats: last element; where reflection folds, and how often */
} grid_axis;

static grid_axis axis_of(rlxc_ox *im, const rlxc_expr *size, bool corners)
{
    grid_axis g = {.size = size};
    g.last = rlxc_ox_scalar(im, rlxc_sub(im->ctx, size, rlxc_ox_i(im, 1)), RLX_F32);
    g.low = f(im, corners ? 0 : -0.5);
    g.span = corners ? g.last : rlxc_ox_scalar(im, size, RLX_F32);
    return g;
}

static rlxc_atom limited(rlxc_ox *im, rlxc_atom x, rlxc_atom last)
{
    return rlxc_ox_op2(im, "minimum", rlxc_ox_op2(im, "maximum", x, f(im, 0)), last);
}

static rlxc_atom reflected(rlxc_ox *im, rlxc_atom x, const grid_axis *g)
{
    /* distance walked from the low border, folded at every span; an axis of one has none */
    rlxc_atom span = rlxc_ox_op2(im, "maximum", g->span, f(im, 1e-30));
    rlxc_atom d = rlxc_ox_op1(im, "abs", rlxc_ox_op2(im, "subtract", x, g->low));
    rlxc_atom turns = rlxc_ox_op1(im, "floor", rlxc_ox_op2(im, "divide", d, span));
    rlxc_atom rest = rlxc_ox_op2(im, "subtract", d, rlxc_ox_op2(im, "multiply", turns, g->span));
    rlxc_atom odd = rlxc_ox_op2(im, "floor_mod", turns, f(im, 2));
    rlxc_atom back = rlxc_ox_op2(im, "subtract", g->span, rest);
    rest = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "greater", odd, f(im, 0.5)), back, rest);
    return rlxc_ox_op2(im, "add", rest, g->low);
}

/* Elements of |flat| (N, C, product of sizes) at whole coordinates (N, P) of each of |n| axes. */
static rlxc_atom pick(rlxc_ox *im, rlxc_atom flat, const rlxc_atom *places, const grid_axis *g,
                      uint32_t n, const char *padding)
{
    const int64_t one[1] = {1};
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlxc_atom inside = {0}, index = {0};
    for (uint32_t i = 0; i < n; i++) {
        rlxc_atom at = places[i];
        rlxc_atom in =
            rlxc_ox_op2(im, "logical_and", rlxc_ox_op2(im, "greater_equal", at, f(im, 0)),
                        rlxc_ox_op2(im, "less_equal", at, g[i].last));
        inside = i ? rlxc_ox_op2(im, "logical_and", inside, in) : in;
        if (strcmp(padding, "reflection") == 0)
            at = reflected(im, at, &g[i]);
        at = rlxc_ox_cast(im, limited(im, at, g[i].last), RLX_I64);
        if (i > 0) {
            index = rlxc_ox_op2(im, "multiply", index, rlxc_ox_scalar(im, g[i].size, RLX_I64));
            at = rlxc_ox_op2(im, "add", index, at);
        }
        index = at;
    }
    index = rlxc_ox_expand_dims(im, index, one, 1);
    rlxc_ox_dims(im, flat, dims);
    dims[2] = rlxc_ox_dim(im, index, 2);
    const rlxc_atom args[2] = {flat, rlxc_ox_broadcast(im, index, dims, 3)};
    rlxc_atom v = rlxc_ox_opv(im, "gather_elements", args, 2,
                              rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 2));
    if (strcmp(padding, "zeros") != 0)
        return v;
    return rlxc_ox_op3(im, "where", rlxc_ox_expand_dims(im, inside, one, 1), v,
                       rlxc_ox_number(im, rlxc_ox_type(im, v), 0));
}

/* Weights of the |taps| elements around |at| (2: linear, 4: cubic) and their positions. */
static void taps_of(rlxc_ox *im, rlxc_atom at, uint32_t taps, rlxc_atom *weights, rlxc_atom *places)
{
    rlxc_atom base = rlxc_ox_op1(im, "floor", at), part = rlxc_ox_op2(im, "subtract", at, base);
    for (uint32_t k = 0; k < taps; k++) {
        double offset = taps == 4 ? (double)k - 1 : (double)k;
        places[k] = add(im, base, offset);
        if (taps == 4)
            weights[k] = rlxc_ox_cubic_weight(im, rlxc_ox_op1(im, "abs", add(im, part, -offset)),
                                              -0.75, k == 1 || k == 2);
        else
            weights[k] = k ? part : rlxc_ox_op2(im, "subtract", f(im, 1), part);
    }
}

/* |flat| (N, C, elements) interpolated at |at| (N, P) of each axis: (N, C, P). */
static rlxc_atom interpolated(rlxc_ox *im, rlxc_atom flat, const rlxc_atom *at, const grid_axis *g,
                              uint32_t n, uint32_t taps, const char *padding)
{
    const int64_t one[1] = {1};
    rlxc_atom weights[RLXC_OX_MAX_SPATIAL][4], places[RLXC_OX_MAX_SPATIAL][4], sum = {0};
    uint32_t corners = 1;
    for (uint32_t i = 0; i < n; i++) {
        taps_of(im, at[i], taps, weights[i], places[i]);
        corners *= taps;
    }
    for (uint32_t c = 0; c < corners && !im->failed; c++) {
        rlxc_atom here[RLXC_OX_MAX_SPATIAL], weight = {0};
        uint32_t rest = c;
        for (uint32_t i = n; i-- > 0; rest /= taps) {
            rlxc_atom w = weights[i][rest % taps];
            here[i] = places[i][rest % taps];
            weight = i + 1 < n ? rlxc_ox_op2(im, "multiply", weight, w) : w;
        }
        rlxc_atom v = pick(im, flat, here, g, n, padding);
        weight = rlxc_ox_cast(im, weight, rlxc_ox_type(im, v));
        v = rlxc_ox_op2(im, "multiply", v, rlxc_ox_expand_dims(im, weight, one, 1));
        sum = c ? rlxc_ox_op2(im, "add", sum, v) : v;
    }
    return sum;
}

void rlxc_ox_import_grid_sample(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const char *mode = rlxc_ox_str(im, "mode", "bilinear"),
               *padding = rlxc_ox_str(im, "padding_mode", "zeros");
    bool corners = rlxc_ox_int(im, "align_corners", 0) != 0;
    bool cubic = strcmp(mode, "bicubic") == 0 || strcmp(mode, "cubic") == 0;
    bool is_nearest = strcmp(mode, "nearest") == 0;
    rlxc_atom x = rlxc_ox_in(im, 0), grid = rlxc_ox_in(im, 1);
    rlxc_atom at[RLXC_OX_MAX_SPATIAL], sum = {0};
    const rlx_dtype t = rlxc_ox_type(im, x);
    const bool copies = is_nearest && !rlxc_dtype_is_float(t); /* integers, all of their bits */
    const rlx_dtype wide = rlxc_dtype_is_float(t) ? rlxc_ox_wide(t) : copies ? t : RLX_F32;
    uint32_t ndim = rlxc_ox_ndim(im, x), n = ndim - 2;
    const rlxc_expr *coordinates[RLXC_MAX_NDIM];
    if (ndim >= 3 && ndim < RLXC_MAX_NDIM && rlxc_ox_ndim(im, grid) == ndim) {
        coordinates[ndim - 1] = rlxc_ox_i(im, n);
        grid = rlxc_ox_state_dims(im, grid, coordinates, 1u << (ndim - 1));
    }
    if (ndim < 3 || n > RLXC_OX_MAX_SPATIAL || rlxc_ox_ndim(im, grid) != ndim ||
        !rlxc_is_const(rlxc_ox_dim(im, grid, ndim - 1), n) || (cubic && n > 2)) {
        rlxc_ox_fail(im,
                     "expected 1 to %d spatial dimensions (cubic: at most 2) and as many "
                     "coordinates",
                     (int)RLXC_OX_MAX_SPATIAL);
        return;
    }
    if (!cubic && !is_nearest && strcmp(mode, "bilinear") != 0 && strcmp(mode, "linear") != 0)
        rlxc_ox_fail(im, "mode '%s' is not supported", mode);
    if (n > 1 && !copies && !im->failed) {
        const rlxc_attr method = rlxc_attr_string(im->ctx, cubic        ? "bicubic"
                                                           : is_nearest ? "nearest"
                                                                        : "bilinear");
        rlxc_attrs attrs = rlxc_ox_with(im, (rlxc_attrs){0}, "method", method);
        attrs =
            rlxc_ox_with(im, attrs, "layout", rlxc_attr_string(im->ctx, n == 2 ? "NCHW" : "NCDHW"));
        attrs = rlxc_ox_with(im, attrs, "padding_mode", rlxc_attr_string(im->ctx, padding));
        attrs = rlxc_ox_with(im, attrs, "align_corners", rlxc_attr_bool(corners));
        const int64_t turn[5] = {0, n + 1, 1, 2, 3}; /* the coordinates in front of the points */
        const rlxc_atom args[2] = {rlxc_ox_cast(im, x, wide),
                                   rlxc_ox_transpose(im, rlxc_ox_cast(im, grid, wide), turn, ndim)};
        rlxc_ox_set(im, 0,
                    rlxc_ox_cast(im, rlxc_ox_opv(im, "image.grid_sample", args, 2, attrs), t));
        return;
    }
    grid_axis g[RLXC_OX_MAX_SPATIAL];
    const rlxc_expr *out[RLXC_MAX_NDIM], *sizes[RLXC_MAX_NDIM], *dims[RLXC_MAX_NDIM];
    grid = rlxc_ox_cast(im, grid, RLX_F32);
    rlxc_ox_dims(im, x, dims);
    rlxc_ox_dims(im, grid, out);
    const rlxc_expr *points[2] = {dims[0], rlxc_product(im->ctx, out + 1, n)};
    for (uint32_t i = 0; i < n; i++) {
        sizes[i] = dims[2 + i];
        g[i] = axis_of(im, sizes[i], corners);
        const rlxc_expr *column = rlxc_ox_i(im, (int64_t)(n - 1 - i)); /* x comes first */
        rlxc_atom v = rlxc_ox_slice(im, grid, ndim - 1, column,
                                    rlxc_add(im->ctx, column, rlxc_ox_i(im, 1)), 1);
        v = rlxc_ox_reshape(im, v, points, 2);
        v = rlxc_ox_op2(im, "multiply", add(im, v, 1), f(im, 0.5));
        /* -1 and 1 are the middles of the border elements, or their outer edges */
        at[i] = corners ? rlxc_ox_op2(im, "multiply", v, g[i].last)
                        : add(im, rlxc_ox_op2(im, "multiply", v, g[i].span), -0.5);
        if (strcmp(padding, "border") == 0 && !cubic)
            at[i] = limited(im, at[i], g[i].last);
        else if (strcmp(padding, "reflection") == 0 && !cubic)
            at[i] = limited(im, reflected(im, at[i], &g[i]), g[i].last);
    }
    const rlxc_expr *flat_dims[3] = {dims[0], dims[1], rlxc_product(im->ctx, sizes, n)};
    rlxc_atom flat = rlxc_ox_cast(im, rlxc_ox_reshape(im, x, flat_dims, 3), wide);
    if (is_nearest) {
        for (uint32_t i = 0; i < n; i++)
            at[i] = rlxc_ox_op1(im, "round", at[i]);
        sum = pick(im, flat, at, g, n, padding);
    } else {
        sum = interpolated(im, flat, at, g, n, cubic ? 4 : 2, padding);
    }
    for (uint32_t i = n; i > 0; i--)
        out[i + 1] = out[i];
    out[0] = dims[0];
    out[1] = dims[1];
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, rlxc_ox_reshape(im, sum, out, ndim), t));
}

/* Coordinates -1 to 1 of each element of an image, as columns, times theta. */
void rlxc_ox_import_affine_grid(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t turn[3] = {0, 2, 1};
    const rlxc_expr *const *given, *size[RLXC_MAX_NDIM], *dims[RLXC_MAX_NDIM];
    uint32_t count;
    rlxc_atom theta = rlxc_ox_in(im, 0), columns[RLXC_OX_MAX_SPATIAL + 1];
    rlx_dtype t = rlxc_ox_type(im, theta);
    bool corners = rlxc_ox_int(im, "align_corners", 0) != 0;
    if (!rlxc_ox_elems(im, 1, &given, &count))
        return;
    uint32_t n = count - 2;
    if (count < 3 || n > RLXC_OX_MAX_SPATIAL || rlxc_ox_ndim(im, theta) != 3) {
        rlxc_ox_fail(im, "expected the size of an image with 1 to %d spatial dimensions",
                     (int)RLXC_OX_MAX_SPATIAL);
        return;
    }
    for (uint32_t i = 0; i < count; i++) /* a value read at run time may be anything */
        size[i] = rlxc_ox_bin(im, RLXC_EXPR_MAX, given[i], rlxc_ox_i(im, 0));
    const rlxc_expr *one = rlxc_ox_i(im, 1), *points = rlxc_product(im->ctx, size + 2, n);
    const rlxc_expr *column[2] = {points, one};
    for (uint32_t i = 0; i < n; i++) { /* x, the last dimension, comes first */
        const rlxc_expr *d = size[1 + n - i];
        rlxc_atom place = rlxc_ox_cast(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), d), RLX_F32);
        const rlxc_expr *gaps =
            corners ? rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, d, one), one) : d;
        rlxc_atom step = rlxc_ox_op2(im, "divide", f(im, 2), rlxc_ox_scalar(im, gaps, RLX_F32));
        place = add(im, rlxc_ox_op2(im, "multiply", add(im, place, corners ? 0 : 0.5), step), -1);
        place = rlxc_ox_along(im, place, n - 1 - i, n);
        place = rlxc_ox_broadcast(im, place, size + 2, n);
        columns[i] = rlxc_ox_reshape(im, place, column, 2);
    }
    columns[n] = rlxc_ox_full(im, RLX_F32, 1, column, 2);
    rlxc_atom base = rlxc_ox_concat(im, columns, n + 1, 1);
    theta = rlxc_ox_transpose(im, rlxc_ox_cast(im, theta, RLX_F32), turn, 3);
    rlxc_atom y = rlxc_ox_op2(im, "matmul", base, theta);
    dims[0] = rlxc_ox_dim(im, theta, 0);
    for (uint32_t i = 0; i < n; i++)
        dims[1 + i] = size[2 + i];
    dims[n + 1] = rlxc_ox_i(im, n);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, rlxc_ox_reshape(im, y, dims, n + 2), t));
}

/* --- deformable convolution ------------------------------------------------------------------- */

/* The positions along spatial axis |d| of each kernel element and window, as (kernel, outputs). */
static rlxc_atom window_places(rlxc_ox *im, const rlxc_ox_window *w, uint32_t d,
                               const rlxc_expr *const *out)
{
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *one = rlxc_ox_i(im, 1);
    const rlxc_expr *whole[4] = {rlxc_ox_i(im, w->kernel[0]), rlxc_ox_i(im, w->kernel[1]), out[0],
                                 out[1]};
    const rlxc_expr *flat[2] = {rlxc_ox_i(im, w->kernel[0] * w->kernel[1]),
                                rlxc_mul(im->ctx, out[0], out[1])};
    const rlxc_expr *kernel[4] = {one, one, one, one}, *place[4] = {one, one, one, one};
    kernel[d] = whole[d];
    place[2 + d] = out[d];
    rlxc_atom k = rlxc_ox_cast(im, rlxc_ox_arange(im, zero, kernel[d]), RLX_F32);
    rlxc_atom p = rlxc_ox_cast(im, rlxc_ox_arange(im, zero, out[d]), RLX_F32);
    k = rlxc_ox_op2(im, "multiply", rlxc_ox_reshape(im, k, kernel, 4),
                    f(im, (double)w->dilations[d]));
    p = rlxc_ox_op2(im, "multiply", rlxc_ox_reshape(im, p, place, 4), f(im, (double)w->strides[d]));
    p = add(im, rlxc_ox_op2(im, "add", k, p), -(double)w->pads[d]);
    return rlxc_ox_reshape(im, rlxc_ox_broadcast(im, p, whole, 4), flat, 2);
}

void rlxc_ox_import_deform_conv(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_window w;
    rlxc_atom x = rlxc_ox_in(im, 0), weight = rlxc_ox_in(im, 1), offset = rlxc_ox_in(im, 2), at[2];
    const rlx_dtype t = rlxc_ox_type(im, x), wide = rlxc_ox_wide(t);
    int64_t groups = rlxc_ox_int(im, "group", 1), parts = rlxc_ox_int(im, "offset_group", 1);
    if (rlxc_ox_ndim(im, x) != 4 || rlxc_ox_ndim(im, offset) != 4 || groups < 1 || parts < 1) {
        rlxc_ox_fail(im, "expected two spatial dimensions and positive numbers of groups");
        return;
    }
    if (!rlxc_ox_read_window(im, &w, 2))
        return;
    if (!rlxc_ox_kernel_of(im, &w, &weight))
        rlxc_ox_fail(im, "the size of the kernel must be known at compile time");
    if (!rlxc_ox_good_kernel(im, &w))
        return;
    const rlxc_expr *d[RLXC_MAX_NDIM],
        *out[2] = {rlxc_ox_dim(im, offset, 2), rlxc_ox_dim(im, offset, 3)};
    rlxc_ox_dims(im, x, d);
    const rlxc_expr *points = rlxc_mul(im->ctx, out[0], out[1]);
    const rlxc_expr *taps = rlxc_ox_i(im, w.kernel[0] * w.kernel[1]), *og = rlxc_ox_i(im, parts),
                    *gr = rlxc_ox_i(im, groups), *one = rlxc_ox_i(im, 1);
    const rlxc_expr *each = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, d[1], og);
    const rlxc_expr *many = rlxc_mul(im->ctx, d[0], og);
    /* offsets (N, groups, taps, 2, P): y then x */
    const rlxc_expr *split[4] = {many, taps, rlxc_ox_i(im, 2), points};
    const rlxc_expr *flat[3] = {many, each, rlxc_mul(im->ctx, d[2], d[3])};
    const rlxc_expr *joined[2] = {many, rlxc_mul(im->ctx, taps, points)};
    const rlxc_expr *plain[3] = {many, taps, points}, *spread[3] = {many, one, joined[1]};
    offset = rlxc_ox_reshape(im, rlxc_ox_cast(im, offset, RLX_F32), split, 4);
    grid_axis g[2];
    for (uint32_t i = 0; i < 2; i++) {
        g[i] = axis_of(im, d[2 + i], true);
        rlxc_atom moved =
            rlxc_ox_slice(im, offset, 2, rlxc_ox_i(im, i), rlxc_ox_i(im, (int64_t)i + 1), 1);
        moved = rlxc_ox_reshape(im, moved, plain, 3);
        at[i] = rlxc_ox_op2(im, "add", moved, window_places(im, &w, i, out));
        at[i] = rlxc_ox_reshape(im, at[i], joined, 2);
    }
    x = rlxc_ox_cast(im, rlxc_ox_reshape(im, x, flat, 3), wide);
    rlxc_atom columns = interpolated(im, x, at, g, 2, 2, "zeros");
    if (rlxc_ox_has(im, 4)) {
        rlxc_atom mask = rlxc_ox_cast(im, rlxc_ox_in(im, 4), wide);
        columns = rlxc_ox_op2(im, "multiply", columns, rlxc_ox_reshape(im, mask, spread, 3));
    }
    /* (N, groups, channels * taps, P) */
    const rlxc_expr *depth = rlxc_mul(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, d[1], gr), taps);
    const rlxc_expr *outputs = rlxc_ox_dim(im, weight, 0);
    const rlxc_expr *by_group[4] = {d[0], gr, depth, points};
    const rlxc_expr *weights[3] = {gr, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, outputs, gr), depth};
    const rlxc_expr *result[4] = {d[0], outputs, out[0], out[1]};
    columns = rlxc_ox_reshape(im, columns, by_group, 4);
    weight = rlxc_ox_reshape(im, rlxc_ox_cast(im, weight, wide), weights, 3);
    rlxc_atom y = rlxc_ox_reshape(im, rlxc_ox_op2(im, "matmul", weight, columns), result, 4);
    if (rlxc_ox_has(im, 3))
        y = rlxc_ox_op2(im, "add", y,
                        rlxc_ox_along(im, rlxc_ox_cast(im, rlxc_ox_in(im, 3), wide), 1, 4));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, y, t));
}

/* --- windows put together, borders ------------------------------------------------------------ */

/* Numbers of an attribute for each of |n| axes. */
static void numbers(rlxc_ox *im, const char *name, int64_t *out, uint32_t n, int64_t otherwise)
{
    uint32_t given;
    for (uint32_t i = 0; i < n; i++)
        out[i] = otherwise;
    if (rlxc_ox_ints(im, name, out, n, &given) && given != n)
        rlxc_ox_fail(im, "attribute %s has %u numbers, expected %u", name, given, n);
    for (uint32_t i = 0; i < n && !im->failed; i++)
        if (out[i] > 1 << 20 || out[i] < -(1 << 20))
            rlxc_ox_fail(im, "attribute %s has %lld", name, (long long)out[i]);
}

/* Adds columns (N, C * block, windows) into an image. */
void rlxc_ox_import_col2im(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *image, *const *block, *size[RLXC_MAX_NDIM], *taps[RLXC_MAX_NDIM];
    uint32_t n, m;
    int64_t pads[2 * RLXC_MAX_NDIM], strides[RLXC_MAX_NDIM], dilations[RLXC_MAX_NDIM];
    rlxc_atom x = rlxc_ox_in(im, 0);
    if (!rlxc_ox_elems(im, 1, &image, &n) || !rlxc_ox_elems(im, 2, &block, &m))
        return;
    if (n != m || n < 1 || n + 2 > RLXC_MAX_NDIM || rlxc_ox_ndim(im, x) != 3) {
        rlxc_ox_fail(im, "expected columns (N, C * block, windows) and sizes of the same number");
        return;
    }
    numbers(im, "pads", pads, 2 * n, 0);
    numbers(im, "strides", strides, n, 1);
    numbers(im, "dilations", dilations, n, 1);
    for (uint32_t i = 0; i < n; i++) {
        if (strides[i] < 1 || dilations[i] < 1) {
            rlxc_ox_fail(im, "strides and dilations must be positive");
            return;
        }
        rlxc_ox_check_least(im, image[i], 0, "a size of the image");
        rlxc_ox_check_least(im, block[i], 1, "a size of the block");
        size[i] = rlxc_ox_bin(im, RLXC_EXPR_MAX, image[i], rlxc_ox_i(im, 0));
        taps[i] = rlxc_ox_bin(im, RLXC_EXPR_MAX, block[i], rlxc_ox_i(im, 1));
    }
    const rlxc_atom args[3] = {x, rlxc_atom_shape(im->ctx, size, n),
                               rlxc_atom_shape(im->ctx, taps, n)};
    rlxc_attrs attrs = rlxc_ox_with_ints(im, (rlxc_attrs){0}, "strides", strides, n);
    attrs = rlxc_ox_with_ints(im, attrs, "dilation", dilations, n);
    attrs = rlxc_ox_with_ints(im, attrs, "padding", pads, 2 * n);
    rlxc_ox_set(im, 0, rlxc_ox_opv(im, "nn.fold", args, 3, attrs));
}

/* Axes cut or padded with zeros to a size, the middle staying in the middle. */
void rlxc_ox_import_center_crop_pad(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t axes[RLXC_MAX_NDIM];
    const rlxc_expr *const *want, *zero = rlxc_ox_i(im, 0), *two = rlxc_ox_i(im, 2);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    uint32_t n, m;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (!rlxc_ox_ints(im, "axes", axes, RLXC_MAX_NDIM, &n))
        for (n = 0; n < ndim; n++)
            axes[n] = n;
    if (!rlxc_ox_elems(im, 1, &want, &m))
        return;
    if (n != m) {
        rlxc_ox_fail(im, "%u sizes for %u axes", m, n);
        return;
    }
    rlxc_atom fill = rlxc_ox_number(im, rlxc_ox_type(im, x), 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis = rlxc_ox_axis(im, axes[i], ndim);
        const rlxc_expr *more = rlxc_sub(im->ctx, want[i], rlxc_ox_dim(im, x, axis));
        more = rlxc_canonical(im->ctx, more, NULL);
        /* half of it, towards 0 */
        const rlxc_expr *up = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, more, two);
        const rlxc_expr *down =
            rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, rlxc_sub(im->ctx, zero, more), two);
        const rlxc_expr *before = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, more, zero),
                                             rlxc_sub(im->ctx, zero, down), up);
        before = rlxc_canonical(im->ctx, before, NULL);
        const rlxc_expr *after = rlxc_canonical(im->ctx, rlxc_sub(im->ctx, more, before), NULL);
        x = rlxc_ox_pad_axis(im, x, axis, before, after, "constant", fill);
        dims[axis] = want[i];
        x = rlxc_ox_state_dims(im, x, dims, 1u << axis); /* instead of the expression for it */
    }
    rlxc_ox_set(im, 0, x);
}

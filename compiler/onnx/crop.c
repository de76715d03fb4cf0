/* CropAndResize of com.microsoft: boxes of images, resized to one size.
 *
 * Pixels are rows of (batch * height * width, channels), which computed indices take; coordinates
 * are computed in float32. */
#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"

/* Along one dimension of the image, by box and position in the crop: (boxes, size). */
typedef struct places {
    const rlxc_expr *size; /* of the image */
    rlxc_atom at, inside;
} places;

/* The positions that a crop of |size| reads, from column |k| of |boxes| to column |k| + 2. A single
 * one is the middle of the box. */
static places places_of(rlxc_ox *im, rlxc_atom boxes, int64_t k, const rlxc_expr *image,
                        const rlxc_expr *size)
{
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *one = rlxc_ox_i(im, 1);
    const rlxc_expr *gaps = rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, size, one), one);
    const rlxc_expr *single =
        rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, size, rlxc_ox_i(im, 2)), one, zero);
    rlxc_atom last = rlxc_ox_scalar(im, rlxc_sub(im->ctx, image, one), RLX_F32), end[2];
    for (int64_t i = 0; i < 2; i++)
        end[i] = rlxc_ox_op2(
            im, "multiply", last,
            rlxc_ox_slice(im, boxes, 1, rlxc_ox_i(im, k + 2 * i), rlxc_ox_i(im, k + 2 * i + 1), 1));
    rlxc_atom place = rlxc_ox_cast(im, rlxc_ox_arange(im, zero, size), RLX_F32);
    place = rlxc_ox_op2(im, "add", place,
                        rlxc_ox_op2(im, "multiply", rlxc_ox_scalar(im, single, RLX_F32),
                                    rlxc_ox_number(im, RLX_F32, 0.5)));
    places p = {.size = image};
    /* A mean of both ends: at an end on the border of the image it is exact, fused to a
     * multiply-add or not. */
    const rlxc_atom whole = rlxc_ox_scalar(im, gaps, RLX_F32);
    const rlxc_atom rest = rlxc_ox_op2(im, "subtract", whole, place);
    p.at = rlxc_ox_op2(im, "divide",
                       rlxc_ox_op2(im, "add", rlxc_ox_op2(im, "multiply", end[0], rest),
                                   rlxc_ox_op2(im, "multiply", end[1], place)),
                       whole);
    p.inside = rlxc_ox_op2(im, "logical_and",
                           rlxc_ox_op2(im, "greater_equal", p.at, rlxc_ox_number(im, RLX_F32, 0)),
                           rlxc_ox_op2(im, "less_equal", p.at, last));
    return p;
}

/* |at| as an index into |size| elements, 0 if it is not |inside|. */
static rlxc_atom index_of(rlxc_ox *im, const places *p, rlxc_atom at)
{
    const rlxc_expr *last = rlxc_sub(im->ctx, p->size, rlxc_ox_i(im, 1));
    at = rlxc_ox_op3(im, "where", p->inside, at, rlxc_ox_number(im, RLX_F32, 0));
    return rlxc_ox_op2(im, "minimum", rlxc_ox_cast(im, at, RLX_I64),
                       rlxc_ox_scalar(im, last, RLX_I64));
}

/* Rows |row| (boxes, size) and columns |column| of the images |image| (boxes): (boxes, rows,
 * columns, channels). */
static rlxc_atom pixels(rlxc_ox *im, rlxc_atom flat, rlxc_atom image, const places p[2],
                        rlxc_atom row, rlxc_atom column)
{
    const int64_t second[1] = {1}, third[1] = {2};
    rlxc_atom at = rlxc_ox_expand_dims(im, image, second, 1);
    at = rlxc_ox_op2(im, "multiply", at, rlxc_ox_scalar(im, p[0].size, RLX_I64));
    at = rlxc_ox_op2(im, "add", at, index_of(im, &p[0], row));
    at = rlxc_ox_op2(im, "multiply", at, rlxc_ox_scalar(im, p[1].size, RLX_I64));
    at = rlxc_ox_op2(im, "add", rlxc_ox_expand_dims(im, at, third, 1),
                     rlxc_ox_expand_dims(im, index_of(im, &p[1], column), second, 1));
    return rlxc_ox_take_inside(im, flat, at, 0);
}

/* a + (b - a) share, where |share| (boxes, size) lies along dimension |axis| of four. */
static rlxc_atom between(rlxc_ox *im, rlxc_atom a, rlxc_atom b, rlxc_atom share, uint32_t axis)
{
    const int64_t axes[2] = {axis == 1 ? 2 : 1, 3};
    share = rlxc_ox_expand_dims(im, share, axes, 2);
    rlxc_atom by = rlxc_ox_op2(im, "multiply", rlxc_ox_op2(im, "subtract", b, a), share);
    return rlxc_ox_op2(im, "add", a, by);
}

/* Rounds half away from zero, for non-negative numbers. */
static rlxc_atom nearest(rlxc_ox *im, rlxc_atom x)
{
    return rlxc_ox_op1(im, "floor", rlxc_ox_op2(im, "add", x, rlxc_ox_number(im, RLX_F32, 0.5)));
}

static rlxc_atom crops(rlxc_ox *im, rlxc_atom flat, rlxc_atom image, const places p[2])
{
    rlxc_atom low[2], high[2], share[2], side[2];
    if (rlxc_ox_is(im, "mode", "bilinear", "nearest"))
        return pixels(im, flat, image, p, nearest(im, p[0].at), nearest(im, p[1].at));
    for (uint32_t i = 0; i < 2; i++) {
        low[i] = rlxc_ox_op1(im, "floor", p[i].at);
        high[i] = rlxc_ox_op1(im, "ceil", p[i].at);
        share[i] = rlxc_ox_op2(im, "subtract", p[i].at, low[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const rlxc_atom row = i ? high[0] : low[0];
        side[i] = between(im, pixels(im, flat, image, p, row, low[1]),
                          pixels(im, flat, image, p, row, high[1]), share[1], 2);
    }
    return between(im, side[0], side[1], share[0], 1);
}

/* The two elements of crop_size; false: the node fails. */
static bool read_size(rlxc_ox *im, const rlxc_expr *const **size)
{
    const rlxc_expr *two = rlxc_ox_i(im, 2);
    rlxc_ox_value *v = rlxc_ox_value_in(im, 3);
    uint32_t n;
    if (!rlxc_ox_known(im, v, size, &n)) {
        v = rlxc_ox_tensor(im, rlxc_ox_state_dims(im, rlxc_ox_in(im, 3), &two, 1));
        if (!rlxc_ox_elems_of(im, v, size, &n))
            return false;
    }
    if (n != 2)
        rlxc_ox_fail(im, "crop_size has %u elements, expected 2", n);
    return n == 2;
}

void rlxc_ox_import_crop_and_resize(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    static const int64_t to_last[4] = {0, 2, 3, 1}, back[4] = {0, 3, 1, 2}, second[1] = {1};
    static const int64_t third[1] = {2};
    const rlxc_atom x = rlxc_ox_in(im, 0);
    rlxc_atom boxes = rlxc_ox_cast(im, rlxc_ox_in(im, 1), RLX_F32), image = rlxc_ox_in(im, 2);
    const rlxc_expr *const *size, *d[RLXC_MAX_NDIM];
    if (!rlxc_ox_good(im))
        return;
    if (rlxc_ox_ndim(im, x) != 4 || rlxc_ox_ndim(im, boxes) != 2 || rlxc_ox_ndim(im, image) != 1) {
        rlxc_ox_fail(im, "expected images (n, c, h, w), boxes (m, 4) and their images (m)");
        return;
    }
    if (!read_size(im, &size))
        return;
    const rlxc_expr *const want[2] = {rlxc_ox_dim(im, image, 0), rlxc_ox_i(im, 4)};
    boxes = rlxc_ox_state_dims(im, boxes, want, 1u << 0 | 1u << 1);
    rlxc_ox_dims(im, x, d);
    rlxc_ox_check_elements(im, image, rlxc_ox_i(im, 0), d[0], "batch index");
    places p[2];
    for (uint32_t i = 0; i < 2; i++) {
        rlxc_ox_check_least(im, size[i], 1, "crop_size");
        p[i] = places_of(im, boxes, i, d[2 + i],
                         rlxc_ox_bin(im, RLXC_EXPR_MAX, size[i], rlxc_ox_i(im, 0)));
    }
    const rlx_dtype t = rlxc_ox_type(im, x), wide = rlxc_ox_wide(t);
    const rlxc_expr *flat[2] = {rlxc_mul(im->ctx, d[0], rlxc_mul(im->ctx, d[2], d[3])), d[1]};
    rlxc_atom y = rlxc_ox_transpose(im, rlxc_ox_cast(im, x, wide), to_last, 4);
    y = crops(im, rlxc_ox_reshape(im, y, flat, 2), rlxc_ox_cast(im, image, RLX_I64), p);
    rlxc_atom inside =
        rlxc_ox_op2(im, "logical_and", rlxc_ox_expand_dims(im, p[0].inside, third, 1),
                    rlxc_ox_expand_dims(im, p[1].inside, second, 1));
    const int64_t last[1] = {3};
    y = rlxc_ox_op3(im, "where", rlxc_ox_expand_dims(im, inside, last, 1), y,
                    rlxc_ox_number(im, wide, rlxc_ox_float(im, "extrapolation_value", 0)));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, rlxc_ox_transpose(im, y, back, 4), t));
}

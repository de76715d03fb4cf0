/* rlx.roi_align on a device: the mean of bilinear samples of each bin. If the number of samples
 * depends on a region's size, or maxima are asked for, the host does the work. */
#include "compiler/ops/device_forms.h"

enum { X, REGIONS, HEIGHT, WIDTH, SCALE, SAMPLES, ALIGNED, MAX, LAST, MOST_SAMPLES = 64 };

/* What a sample reads along one dimension: two places, the weight of the second, and whether it is
 * near enough to the image to count. */
typedef struct taps {
    const rlxc_expr *low, *high, *weight, *counts;
} taps;

typedef struct align {
    rlxc_te_operand x, regions;
    double scale;
    int64_t samples;
    bool aligned, last;
    rlx_dtype dtype; /* of coordinates and sums */
} align;

static const rlxc_expr *op(rlxc_te *te, rlxc_expr_kind kind, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(te->ctx, kind, a, b);
}

static const rlxc_expr *number(rlxc_te *te, const align *a, double value)
{
    return rlxc_te_number(te->ctx, a->dtype, value);
}

/* Sample |k| of bin |bin| of |bins|, in a dimension of |n|; |d|: 0 for rows, 1 for columns. */
static taps taps_of(rlxc_te *te, const align *a, const rlxc_expr *region, uint32_t d,
                    const rlxc_expr *bin, const rlxc_expr *bins, const rlxc_expr *k,
                    const rlxc_expr *n)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *first[2] = {region, rlxc_i64(ctx, 2 - d)},
                    *second[2] = {region, rlxc_i64(ctx, 4 - d)};
    const rlxc_expr *scale = number(te, a, a->scale), *half = number(te, a, 0.5),
                    *shift = number(te, a, a->aligned ? 0.5 : 0);
    const rlxc_expr *begin =
        rlxc_sub(ctx, op(te, RLXC_EXPR_MUL, rlxc_te_get(te, &a->regions, first), scale), shift);
    const rlxc_expr *end =
        rlxc_sub(ctx, op(te, RLXC_EXPR_MUL, rlxc_te_get(te, &a->regions, second), scale), shift);
    const rlxc_expr *size = rlxc_sub(ctx, end, begin);
    if (!a->aligned)
        size = op(te, RLXC_EXPR_MAX, size, number(te, a, 1));
    size = rlxc_te_div(ctx, size, rlxc_cast(ctx, a->dtype, bins));
    const rlxc_expr *step = rlxc_te_div(ctx, size, number(te, a, (double)a->samples));
    const rlxc_expr *at = rlxc_add(
        ctx, rlxc_add(ctx, begin, op(te, RLXC_EXPR_MUL, rlxc_cast(ctx, a->dtype, bin), size)),
        op(te, RLXC_EXPR_MUL, rlxc_add(ctx, rlxc_cast(ctx, a->dtype, k), half), step));
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *last = rlxc_sub(ctx, n, rlxc_i64(ctx, 1));
    taps t = {.counts = op(te, RLXC_EXPR_AND, op(te, RLXC_EXPR_GE, at, number(te, a, -1)),
                           op(te, RLXC_EXPR_LE, at, rlxc_cast(ctx, a->dtype, n)))};
    at = op(te, RLXC_EXPR_MAX, at, number(te, a, 0));
    const rlxc_expr *whole = rlxc_cast(
        ctx, RLX_I64, rlxc_select(ctx, t.counts, at, number(te, a, 0))); /* else too large */
    t.low = op(te, RLXC_EXPR_MAX, zero, op(te, RLXC_EXPR_MIN, whole, last));
    t.high = op(te, RLXC_EXPR_MAX, zero,
                op(te, RLXC_EXPR_MIN, rlxc_add(ctx, whole, rlxc_i64(ctx, 1)), last));
    t.weight = rlxc_select(ctx, op(te, RLXC_EXPR_LT, whole, last),
                           rlxc_sub(ctx, at, rlxc_cast(ctx, a->dtype, whole)), number(te, a, 0));
    return t;
}

static const rlxc_expr *element(rlxc_te *te, const align *a, const rlxc_expr *image,
                                const rlxc_expr *channel, const rlxc_expr *row,
                                const rlxc_expr *column)
{
    const rlxc_expr *first[4] = {image, channel, row, column},
                    *last[4] = {image, row, column, channel};
    return rlxc_te_get(te, &a->x, a->last ? last : first);
}

/* The sample at |rows|, |columns|: elements weighted along both. */
static const rlxc_expr *bilinear(rlxc_te *te, const align *a, const rlxc_expr *image,
                                 const rlxc_expr *channel, const taps *rows, const taps *columns)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *sum = NULL, *one = number(te, a, 1);
    for (int i = 0; i < 4; i++) {
        const rlxc_expr *down = i & 2 ? rows->weight : rlxc_sub(ctx, one, rows->weight),
                        *right = i & 1 ? columns->weight : rlxc_sub(ctx, one, columns->weight);
        const rlxc_expr *part = op(te, RLXC_EXPR_MUL, op(te, RLXC_EXPR_MUL, down, right),
                                   element(te, a, image, channel, i & 2 ? rows->high : rows->low,
                                           i & 1 ? columns->high : columns->low));
        sum = sum ? rlxc_add(ctx, sum, part) : part;
    }
    return sum;
}

static bool constant(const rlxc_te *te, uint32_t i, int64_t otherwise, int64_t *out)
{
    const rlxc_expr *e =
        i < te->call->n_args ? rlxc_prim_arg(te->ctx, te->b->module, te->call, i) : NULL;
    *out = otherwise;
    return i >= te->call->n_args || (e && rlxc_is_int(e, out));
}

static bool read_align(rlxc_te *te, align *a)
{
    const rlxc_sinfo *x = te->view.in[X], *regions = te->view.in[REGIONS], *out = te->out;
    int64_t columns, aligned, most, last;
    if (te->call->n_args <= MAX || !x || !regions || x->kind != RLXC_SINFO_TENSOR ||
        regions->kind != RLXC_SINFO_TENSOR || out->kind != RLXC_SINFO_TENSOR || x->ndim != 4 ||
        regions->ndim != 2 || out->ndim != 4 || !rlxc_dtype_is_float(x->dtype) ||
        x->dtype.bits < 32 || !rlxc_dtype_eq(x->dtype, regions->dtype) ||
        !rlxc_dtype_eq(x->dtype, out->dtype) || !rlxc_is_int(regions->dims[1], &columns) ||
        columns != 5)
        return false;
    const rlxc_expr *scale = rlxc_prim_arg(te->ctx, te->b->module, te->call, SCALE);
    if (!scale || scale->kind != RLXC_EXPR_FLOAT || !constant(te, SAMPLES, 0, &a->samples) ||
        !constant(te, ALIGNED, 0, &aligned) || !constant(te, MAX, 0, &most) ||
        !constant(te, LAST, 0, &last) || a->samples < 1 || a->samples > MOST_SAMPLES || most != 0)
        return false;
    a->scale = scale->f;
    a->aligned = aligned != 0;
    a->last = last != 0;
    a->dtype = x->dtype;
    a->x = rlxc_te_operand_of(te, X, "x");
    a->regions = rlxc_te_operand_of(te, REGIONS, "regions");
    return a->x.buffer && a->regions.buffer;
}

bool rlxc_form_roi_align(rlxc_te *te)
{
    rlxc_context *ctx = te->ctx;
    align a = {0};
    if (!read_align(te, &a))
        return false;
    const rlxc_buffer *out = rlxc_te_output(te, "pooled");
    const uint32_t h = a.last ? 1 : 2, channel = a.last ? 3 : 1;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *count = rlxc_i64(ctx, a.samples);
    rlxc_te_spatial(te, "pooled", out);
    const rlxc_expr *row = rlxc_te_axis(te, RLXC_AXIS_REDUCE, "row", count),
                    *column = rlxc_te_axis(te, RLXC_AXIS_REDUCE, "column", count),
                    *at[2] = {te->axes[0], zero};
    const rlxc_expr *batch = rlxc_te_get(te, &a.regions, at), *images = a.x.dims[0];
    const rlxc_expr *valid = op(te, RLXC_EXPR_AND, op(te, RLXC_EXPR_GE, batch, number(te, &a, 0)),
                                op(te, RLXC_EXPR_LT, batch, rlxc_cast(ctx, a.dtype, images)));
    const rlxc_expr *image =
        rlxc_cast(ctx, RLX_I64, rlxc_select(ctx, valid, batch, number(te, &a, 0)));
    image = op(te, RLXC_EXPR_MAX, zero,
               op(te, RLXC_EXPR_MIN, image, rlxc_sub(ctx, images, rlxc_i64(ctx, 1))));
    const taps rows = taps_of(te, &a, te->axes[0], 0, te->axes[h], out->shape[h], row, a.x.dims[h]),
               columns = taps_of(te, &a, te->axes[0], 1, te->axes[h + 1], out->shape[h + 1], column,
                                 a.x.dims[h + 1]);
    const rlxc_expr *value = bilinear(te, &a, image, te->axes[channel], &rows, &columns);
    for (uint32_t i = 0; i < 4; i++)
        value = rlxc_te_if_not_empty(ctx, a.x.dims[i], value);
    value = op(te, RLXC_EXPR_MUL, value, number(te, &a, 1.0 / (double)(a.samples * a.samples)));
    valid = op(te, RLXC_EXPR_AND, valid, op(te, RLXC_EXPR_AND, rows.counts, columns.counts));
    rlxc_te_reduce(te, out, number(te, &a, 0),
                   rlxc_add(ctx, rlxc_te_load(te, out, te->axes),
                            rlxc_te_if(ctx, valid, value, number(te, &a, 0))));
    return true;
}

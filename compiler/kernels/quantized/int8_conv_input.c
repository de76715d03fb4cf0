/* The input of a convolution of 8-bit integers (int8_conv.c), written out: channels last, with
 * borders of the zero point, in bytes or 16 bits. For depthwise convolutions by pairs each element
 * becomes a word of itself and the same channel's at the next tap; for minimal filtering each
 * couple of columns becomes four points. */
#include "compiler/kernels/quantized/int8_conv_body.h"

/* |x|, a value of the input counted from 0, as it is written out. */
static const rlxc_expr *as_cell(const conv *p, const rlxc_expr *x)
{
    return rlxc_cast(p->t.ctx, p->cells->dtype, x);
}

/* cells[at ... at + count] = fill */
static const rlxc_stmt *fill_cells(conv *p, const rlxc_expr *at, const rlxc_expr *count)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_expr *k = rlxc_loop_var(ctx, "k"), *to = add(p, at, k);
    return serial(p, k, count, rlxc_stmt_store(ctx, p->cells, &to, 1, as_cell(p, p->fill)));
}

/* |count| pixels of row |place| (batch, height) of x from column |first| on, to cells[at ...]. */
static const rlxc_stmt *copy_pixels(conv *p, const rlxc_expr *at, const rlxc_expr *const place[2],
                                    const rlxc_expr *first, const rlxc_expr *count)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    const rlxc_buffer *x = q->x;
    const int64_t channels = p->cell, step = q->size[1] == 1 ? q->strides[1] : 1;
    const rlxc_expr *k = rlxc_loop_var(ctx, "k");
    if (q->in.channel == 3 && step == 1 && channels == q->channels) { /* one piece of memory */
        rlxc_schedule own = {.s = p->t.c->s};
        const rlxc_buffer *flat =
            rlxc_view(&own, "flat", x, x->dtype, rlxc_product(ctx, x->shape, 4));
        const rlxc_expr *from = place[0];
        from = add(p, rlxc_mul(ctx, from, rlxc_cast(ctx, RLX_I64, x->shape[1])), place[1]);
        from = add(p, rlxc_mul(ctx, from, rlxc_cast(ctx, RLX_I64, x->shape[2])), first);
        from = add(p, times(p, from, channels), k);
        const rlxc_expr *to = add(p, at, k);
        const rlxc_expr *value =
            as_cell(p, rlxc_quant_conv_biased(ctx, rlxc_load(ctx, flat, &from, 1)));
        RLXC_PUSH(
            ctx, &own.out,
            serial(p, k, times(p, count, channels), rlxc_stmt_store(ctx, p->cells, &to, 1, value)));
        return rlxc_body_of(&own);
    }
    const rlxc_expr *pixel = rlxc_loop_var(ctx, "pixel"), *from[4];
    from[q->in.batch] = place[0];
    from[q->in.space[0]] = place[1];
    from[q->in.space[1]] = add(p, first, times(p, pixel, step));
    from[q->in.channel] = k;
    at = add(p, at, times(p, pixel, channels));
    const rlxc_expr *to = add(p, at, k);
    const rlxc_expr *value = as_cell(p, rlxc_quant_conv_biased(ctx, rlxc_load(ctx, x, from, 4)));
    const rlxc_stmt *parts[2] = {
        serial(p, k, num(p, q->channels), rlxc_stmt_store(ctx, p->cells, &to, 1, value)),
        fill_cells(p, add(p, at, num(p, q->channels)), num(p, channels - q->channels))};
    return serial(p, pixel, count, rlxc_stmt_seq(ctx, parts, channels > q->channels ? 2 : 1));
}

/* Row |row| of the input as it is written out. */
static const rlxc_stmt *write_cells(conv *p, const rlxc_expr *row)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    rlxc_schedule own = {.s = p->t.c->s}, inside = own;
    int64_t step[2];
    bool whole = true; /* all pixels are written, and no others */
    for (uint32_t d = 0; d < 2; d++) {
        step[d] = q->size[d] == 1 ? q->strides[d] : 1;
        whole = whole && step[d] == 1 && q->before[d] == 0 &&
                rlxc_prove_eq(ctx, q->x->shape[q->in.space[d]], p->padded[d], NULL);
    }
    const int64_t channels = p->cell;
    const rlxc_expr *height = rlxc_cast(ctx, RLX_I64, q->x->shape[q->in.space[0]]);
    const rlxc_expr *width = rlxc_cast(ctx, RLX_I64, q->x->shape[q->in.space[1]]);
    const rlxc_expr *place[2] = {
        rlxc_named(&own, "image", binary(p, RLXC_EXPR_FLOORDIV, row, p->padded[0])), NULL};
    place[1] = times(p, binary(p, RLXC_EXPR_FLOORMOD, row, p->padded[0]), step[0]);
    place[1] = rlxc_named(&own, "line", rlxc_sub(ctx, place[1], num(p, q->before[0])));
    const rlxc_expr *at =
        rlxc_named(&own, "at", times(p, rlxc_mul(ctx, row, p->padded[1]), channels));
    if (whole) {
        RLXC_PUSH(ctx, &own.out, copy_pixels(p, at, place, num(p, 0), p->padded[1]));
        return rlxc_body_of(&own);
    }
    /* pixels left of x, then up to the end of x */
    const int64_t border = (q->before[1] + step[1] - 1) / step[1];
    const rlxc_expr *left = num(p, 0);
    if (border > 0)
        left = rlxc_named(&inside, "left", binary(p, RLXC_EXPR_MIN, num(p, border), p->padded[1]));
    const rlxc_expr *end = add(p, width, num(p, q->before[1] + step[1] - 1));
    end = binary(p, RLXC_EXPR_FLOORDIV, end, num(p, step[1]));
    end = binary(p, RLXC_EXPR_MIN, end, p->padded[1]);
    end = rlxc_named(&inside, "end", binary(p, RLXC_EXPR_MAX, end, left));
    const rlxc_expr *first = num(p, border * step[1] - q->before[1]);
    if (border > 0)
        RLXC_PUSH(ctx, &inside.out, fill_cells(p, at, times(p, left, channels)));
    RLXC_PUSH(ctx, &inside.out,
              copy_pixels(p, add(p, at, times(p, left, channels)), place, first,
                          rlxc_sub(ctx, end, left)));
    RLXC_PUSH(ctx, &inside.out,
              fill_cells(p, add(p, at, times(p, end, channels)),
                         times(p, rlxc_sub(ctx, p->padded[1], end), channels)));
    const rlxc_expr *exists = binary(p, RLXC_EXPR_AND, binary(p, RLXC_EXPR_LE, num(p, 0), place[1]),
                                     binary(p, RLXC_EXPR_LT, place[1], height));
    RLXC_PUSH(ctx, &own.out,
              rlxc_stmt_if(ctx, exists, rlxc_body_of(&inside),
                           fill_cells(p, at, times(p, p->padded[1], channels))));
    return rlxc_body_of(&own);
}

/* The element of the image at |column| of row |place| and channel |k|. */
static const rlxc_expr *element_at(const conv *p, const rlxc_expr *const place[2],
                                   const rlxc_expr *column, const rlxc_expr *k)
{
    const rlxc_quant_conv *q = &p->q;
    const rlxc_expr *from[4];
    from[q->in.batch] = place[0];
    from[q->in.space[0]] = place[1];
    from[q->in.space[1]] = column;
    from[q->in.channel] = k;
    return rlxc_quant_conv_biased(p->t.ctx, rlxc_load(p->t.ctx, q->x, from, 4));
}

/* The elements of channel |k| at |n| places from |column| on; |place| NULL: outside of the image.
 * |inside|: all are in it. */
static void gather(const conv *p, const rlxc_expr *const *place, const rlxc_expr *column,
                   const rlxc_expr *k, bool inside, uint32_t n, const rlxc_expr **out)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_expr *width = rlxc_cast(ctx, RLX_I64, p->q.x->shape[p->q.in.space[1]]);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = p->fill;
        if (!place)
            continue;
        const rlxc_expr *at = add(p, column, num(p, i * p->q.dilation[1]));
        const rlxc_expr *exists = binary(p, RLXC_EXPR_AND, binary(p, RLXC_EXPR_LE, num(p, 0), at),
                                         binary(p, RLXC_EXPR_LT, at, width));
        const rlxc_expr *args[3] = {exists, element_at(p, place, at, k), p->fill};
        out[i] = inside ? args[1]
                        : rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "if_then_else"), args, 3);
    }
}

/* Elements that make a group: a word of two taps, or the points of a couple of pixels. */
static uint32_t group_of(const conv *p)
{
    return p->minimal ? RLXC_INT8_POINTS : 2;
}

/* The group of channel |k| at |column|, to the words or cells from |from| on. */
static const rlxc_stmt *write_group(conv *p, const rlxc_expr *const *place, const rlxc_expr *column,
                                    const rlxc_expr *k, bool inside, const rlxc_expr *from)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_expr *b[RLXC_INT8_POINTS], *to = add(p, from, k);
    gather(p, place, column, k, inside, group_of(p), b);
    if (!p->minimal) {
        const rlx_dtype u32 = {RLX_UINT, 32, 1};
        const rlxc_expr *both = rlxc_mul(ctx, b[1], rlxc_int(ctx, RLX_I32, 65536));
        both = rlxc_cast(ctx, u32, add(p, b[0], both));
        return rlxc_stmt_store(ctx, p->words, &to, 1, both);
    }
    const rlxc_expr *values[RLXC_INT8_POINTS] = {rlxc_sub(ctx, b[0], b[2]), add(p, b[1], b[2]),
                                                 rlxc_sub(ctx, b[2], b[1]),
                                                 rlxc_sub(ctx, b[1], b[3])};
    const rlxc_stmt *stores[RLXC_INT8_POINTS];
    for (uint32_t i = 0; i < RLXC_INT8_POINTS; i++) {
        to = add(p, from, add(p, k, num(p, i * p->q.channels)));
        stores[i] = rlxc_stmt_store(ctx, p->cells, &to, 1, as_cell(p, values[i]));
    }
    return rlxc_stmt_seq(ctx, stores, RLXC_INT8_POINTS);
}

/* Groups |first| to |end| of a row, by vectors of channels; the last vector overlaps the one before
 * it. */
static const rlxc_stmt *write_groups(conv *p, const rlxc_expr *row, const rlxc_expr *const *place,
                                     const rlxc_expr *first, const rlxc_expr *end, bool inside)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    rlxc_schedule own = {.s = p->t.c->s};
    const int64_t full = p->minimal ? 2 * p->t.vl : p->t.vl;
    const int64_t lanes = q->in.channel == 3 && q->channels >= full ? full : 1;
    const rlxc_expr *j = rlxc_loop_var(ctx, "j"), *group = add(p, first, j);
    const rlxc_expr *column = times(p, group, p->columns_of_word);
    column = rlxc_sub(ctx, column, num(p, q->before[1]));
    const rlxc_expr *from = add(p, rlxc_mul(ctx, row, p->padded[1]), group);
    from = rlxc_named(&own, "from", times(p, from, p->cell));
    for (uint32_t last = 0; last < 2; last++) {
        const int64_t vectors = last ? q->channels % lanes != 0 : q->channels / lanes;
        if (vectors == 0)
            continue;
        rlxc_quant_point at = rlxc_quant_new_point(&p->t);
        const rlxc_expr *k = rlxc_loop_var(ctx, "k");
        const rlxc_expr *channel = lanes == 1 ? k : rlxc_point_column(ctx, &at, (uint32_t)lanes);
        if (last)
            channel = add(p, channel, num(p, q->channels - lanes));
        const rlxc_stmt *store = write_group(p, place, column, channel, inside, from);
        RLXC_PUSH(ctx, &own.out,
                  lanes == 1 ? serial(p, k, num(p, vectors), store)
                             : rlxc_over_tile(ctx, &at, 0, (uint32_t)vectors, (uint32_t)lanes, true,
                                              store));
    }
    return serial(p, j, rlxc_sub(ctx, end, first), rlxc_body_of(&own));
}

/* Row |row| of groups. */
static const rlxc_stmt *write_row_of_groups(conv *p, const rlxc_expr *row)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    const int64_t step = q->size[0] == 1 ? q->strides[0] : 1, apart = p->columns_of_word;
    const int64_t reach = (group_of(p) - 1) * q->dilation[1];
    rlxc_schedule own = {.s = p->t.c->s}, inside = own;
    const rlxc_expr *height = rlxc_cast(ctx, RLX_I64, q->x->shape[q->in.space[0]]);
    const rlxc_expr *width = rlxc_cast(ctx, RLX_I64, q->x->shape[q->in.space[1]]);
    const rlxc_expr *none = num(p, 0), *all = p->padded[1], *place[2];
    place[0] = rlxc_named(&own, "image", binary(p, RLXC_EXPR_FLOORDIV, row, p->padded[0]));
    place[1] = times(p, binary(p, RLXC_EXPR_FLOORMOD, row, p->padded[0]), step);
    place[1] = rlxc_named(&own, "line", rlxc_sub(ctx, place[1], num(p, q->before[0])));
    const rlxc_expr *left = num(p, (q->before[1] + apart - 1) / apart);
    left = rlxc_named(&inside, "left", binary(p, RLXC_EXPR_MIN, left, all));
    const rlxc_expr *end = add(p, width, num(p, q->before[1] - reach + apart - 1));
    end = binary(p, RLXC_EXPR_MIN, binary(p, RLXC_EXPR_FLOORDIV, end, num(p, apart)), all);
    end = rlxc_named(&inside, "end", binary(p, RLXC_EXPR_MAX, end, left));
    RLXC_PUSH(ctx, &inside.out, write_groups(p, row, place, none, left, false));
    RLXC_PUSH(ctx, &inside.out, write_groups(p, row, place, left, end, true));
    RLXC_PUSH(ctx, &inside.out, write_groups(p, row, place, end, all, false));
    const rlxc_expr *exists = binary(p, RLXC_EXPR_AND, binary(p, RLXC_EXPR_LE, none, place[1]),
                                     binary(p, RLXC_EXPR_LT, place[1], height));
    RLXC_PUSH(ctx, &own.out,
              rlxc_stmt_if(ctx, exists, rlxc_body_of(&inside),
                           write_groups(p, row, NULL, none, all, true)));
    return rlxc_body_of(&own);
}

const rlxc_stmt *rlxc_int8_conv_write_row(conv *p, const rlxc_expr *row)
{
    const bool groups = p->minimal || (p->q.depthwise && p->pairs);
    return groups ? write_row_of_groups(p, row) : write_cells(p, row);
}

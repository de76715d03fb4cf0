/* Minimal filtering of 8-bit integers, for sums of pairs of 16 bits (int8_conv.c): where a line of
 * the filter has three taps g, two neighbouring pixels take four products for six. Each is a sum
 * over rows and channels, of the input d:
 *
 *     M0 = (d0 - d2) 2g0                M1 = (d1 + d2) (g0 + g1 + g2)
 *     M2 = (d2 - d1) (g0 - g1 + g2)     M3 = (d1 - d3) 2g2
 *     2 y0 = M0 + M1 + M2               2 y1 = M1 - M2 - M3
 *
 * All of them are exact: input and filter have at most 10 bits at these points, and twice a result
 * fits int32; sums on the way may wrap. The filter is stored as bytes; a block of pixels computes
 * its points once. */
#include "compiler/kernels/quantized/int8_conv_body.h"

enum { MAX_PRODUCTS = 32768 }; /* of a result, each of 15 bits and a sign */

bool rlxc_int8_conv_may_be_minimal(const conv *p)
{
    const rlxc_quant_conv *q = &p->q;
    return p->pairs && !q->depthwise && q->groups == 1 && q->size[1] == RLXC_INT8_TAPS &&
           q->strides[1] == 1 && q->dilation[1] == 1 && q->channels == q->depth &&
           q->size[0] * q->size[1] * q->depth <= MAX_PRODUCTS;
}

void rlxc_int8_conv_transform_panel(conv *p, rlxc_schedule *to)
{
    rlxc_context *ctx = p->t.ctx;
    const rlx_dtype i16 = {RLX_INT, 16, 1};
    const int64_t row_size = 2 * p->q.width, line = p->q.size[0] * p->words_of_tap;
    const uint32_t lanes = 2 * p->t.vl;
    p->panel_words =
        rlxc_quant_local(&p->t, "panel_words", i16, RLXC_INT8_POINTS * line * row_size);
    const rlxc_expr *r = rlxc_loop_var(ctx, "r"), *word = rlxc_loop_var(ctx, "word");
    rlxc_quant_point at = rlxc_quant_new_point(&p->t);
    const rlxc_expr *column = rlxc_point_column(ctx, &at, lanes), *g[RLXC_INT8_TAPS];
    const rlxc_expr *taps = times(p, add(p, times(p, p->panel, p->q.size[0]), r), RLXC_INT8_TAPS);
    for (uint32_t s = 0; s < RLXC_INT8_TAPS; s++) {
        const rlxc_expr *from = times(p, add(p, taps, num(p, s)), p->words_of_tap);
        from = add(p, times(p, add(p, from, word), row_size), column);
        g[s] = rlxc_cast(ctx, i16, rlxc_load(ctx, p->filter, &from, 1));
    }
    const rlxc_expr *ends = add(p, g[0], g[2]);
    const rlxc_expr *values[RLXC_INT8_POINTS] = {add(p, g[0], g[0]), add(p, ends, g[1]),
                                                 rlxc_sub(ctx, ends, g[1]), add(p, g[2], g[2])};
    const rlxc_stmt *stores[RLXC_INT8_POINTS];
    for (uint32_t i = 0; i < RLXC_INT8_POINTS; i++) {
        const rlxc_expr *row = add(p, times(p, r, p->words_of_tap), add(p, word, num(p, i * line)));
        const rlxc_expr *index = add(p, times(p, row, row_size), column);
        stores[i] = rlxc_stmt_store(ctx, p->panel_words, &index, 1, values[i]);
    }
    const rlxc_stmt *body = rlxc_over_tile(ctx, &at, 0, (uint32_t)(row_size / lanes), lanes, false,
                                           rlxc_stmt_seq(ctx, stores, RLXC_INT8_POINTS));
    body = serial(p, word, num(p, p->words_of_tap), body);
    RLXC_PUSH(ctx, &to->out, serial(p, r, num(p, p->q.size[0]), body));
}

const rlxc_stmt *rlxc_int8_conv_join_points(conv *p, uint32_t mr)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    const uint32_t nv = (uint32_t)(p->q.width / t->vl);
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *m = rlxc_loop_var(ctx, "m"), *column = rlxc_quant_column(t, &at);
    const rlxc_expr *sums[RLXC_INT8_POINTS];
    for (uint32_t i = 0; i < RLXC_INT8_POINTS; i++) {
        const rlxc_expr *index = times(p, add(p, m, num(p, (int64_t)i * mr)), p->q.width);
        index = add(p, index, column);
        sums[i] = rlxc_load(ctx, p->points, &index, 1);
    }
    const rlxc_expr *values[2] = {add(p, add(p, sums[0], sums[1]), sums[2]),
                                  rlxc_sub(ctx, rlxc_sub(ctx, sums[1], sums[2]), sums[3])};
    const rlxc_stmt *stores[2];
    for (uint32_t e = 0; e < 2; e++) {
        const rlxc_expr *index = times(p, add(p, times(p, m, 2), num(p, e)), p->q.width);
        index = add(p, index, column);
        const rlxc_expr *half = binary(p, RLXC_EXPR_FLOORDIV, values[e], rlxc_int(ctx, RLX_I32, 2));
        stores[e] = rlxc_stmt_store(ctx, p->results, &index, 1, half);
    }
    return serial(p, m, num(p, mr),
                  rlxc_quant_over(t, 0, nv, &at, false, rlxc_stmt_seq(ctx, stores, 2)));
}

/* Private to int8_conv*.c: a convolution of 8-bit integers that is being scheduled. */
#ifndef RLXC_KERNELS_QUANTIZED_INT8_CONV_BODY_H
#define RLXC_KERNELS_QUANTIZED_INT8_CONV_BODY_H

enum { RLXC_INT8_POINTS = 4, RLXC_INT8_TAPS = 3 }; /* of minimal filtering along a line */

#include "compiler/kernels/quantized/int8_conv.h"
#include "compiler/kernels/quantized/schedule_quant.h"

typedef struct conv {
    rlxc_quant_rows_of t; /* for the helpers shared with products */
    rlxc_quant_conv q;
    const rlxc_int8_conv_sizes *z;
    const rlxc_expr *size[2];   /* of the result */
    const rlxc_expr *padded[2]; /* of the input as it is written out */
    int64_t steps[2];           /* strides there */
    rlxc_buffer *windows;       /* the first word of each pixel's window; NULL: in order */
    bool minimal;               /* two neighbouring pixels share their products (int8_conv.c) */
    const rlxc_expr *across;    /* pixels of a line, or such couples */
    const rlxc_expr *rows;      /* of all results */
    rlxc_buffer *pixels;        /* the first pixel of each couple, and the number of all */
    bool pairs;                 /* it is of int16, else of bytes */
    int64_t cell;               /* elements of a pixel there */
    int64_t unit;               /* words of a pixel, or elements where there are none */
    int64_t words_of_tap, taps_of_word; /* words of the filter: for a tap, or along a line of it */
    int64_t columns_of_word; /* of groups along a line: 2 if the odd ones are never read, else 1 */
    /* the input as it is written out, and its words: the same memory; depthwise, there are words if
     * they are pairs, else cells alone */
    rlxc_buffer *cells, *words;
    const rlxc_buffer *filter; /* its words: [row of words][output], panel after panel */
    const rlxc_expr *fill, *panel;
    rlxc_buffer *acc, *word, *results, *points; /* points: the sums of all points of couples */
    rlxc_buffer *panel_words;                   /* the filter of the panel at the points */
    rlxc_buffer *wide;                          /* the memory of word, in 16 bits; NULL: bytes */
} conv;

static inline const rlxc_expr *num(const conv *p, int64_t value)
{
    return rlxc_i64(p->t.ctx, value);
}

static inline const rlxc_expr *add(const conv *p, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(p->t.ctx, a, b);
}

static inline const rlxc_expr *times(const conv *p, const rlxc_expr *a, int64_t b)
{
    return rlxc_mul(p->t.ctx, a, num(p, b));
}

static inline const rlxc_expr *binary(const conv *p, rlxc_expr_kind kind, const rlxc_expr *a,
                                      const rlxc_expr *b)
{
    return rlxc_binary(p->t.ctx, kind, a, b);
}

static inline const rlxc_stmt *serial(const conv *p, const rlxc_expr *var, const rlxc_expr *extent,
                                      const rlxc_stmt *body)
{
    return rlxc_loop_of(p->t.ctx, var, extent, RLXC_LOOP_SERIAL, body);
}

/* Row |row| of the input as it is written out, with the borders (int8_conv_input.c). */
const rlxc_stmt *rlxc_int8_conv_write_row(conv *p, const rlxc_expr *row);

/* --- int8_conv_minimal.c --- */
/* True if minimal filtering is exact, and its points fill words. */
bool rlxc_int8_conv_may_be_minimal(const conv *p);
/* The filter of the panel at the points, appended to |to|. */
void rlxc_int8_conv_transform_panel(conv *p, rlxc_schedule *to);
/* The results of |mr| couples from the sums at their points. */
const rlxc_stmt *rlxc_int8_conv_join_points(conv *p, uint32_t mr);

#endif

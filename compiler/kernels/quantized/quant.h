/* Private to compiler/kernels and the pass that creates them: products with weights of 4, 8 or 16
 * bits.
 *
 * Weight [k][n] of a (K, N) matrix is (q - zero) * scale, q an unsigned number of 4 or 8 bits,
 * scale and zero shared by |group| rows. The numbers lie in words of 32 bits, each of |bits| * 8
 * rows of one column, in panels of |width| columns: words[n / width][k / per word][n % width], so
 * that a vector of words holds neighbouring columns and a kernel walks through a panel in one
 * stream. The first four rows of a word are the low halves (4 bits) or the whole (8 bits) of its
 * bytes, the next four the high halves: one mask gives four rows, a byte each. Scales are stored
 * alike: scales[n / width][k / group][n % width]. Padding rows and columns are zero, also in the
 * scales.
 *
 * With a palette the weight is (palette[q] - zero) * scale, or palette[q] without scales: any
 * numbers, of which the weight has few (codebooks, 4-bit normal floats).
 *
 * 16 bits mean bfloat16: two rows in a word, the first in the low half, no scale.
 *
 * The form is plain TIR: any schedule is correct, and schedule_quant.c makes a fast one. */
#ifndef RLXC_KERNELS_QUANTIZED_QUANT_H
#define RLXC_KERNELS_QUANTIZED_QUANT_H

#include "compiler/schedule/stages.h"

typedef struct rlxc_quant {
    const rlxc_expr *x; /* the left operand, of a stage */
    const rlxc_buffer *words;
    const rlxc_buffer *palette; /* float32, one for each number; NULL: the numbers themselves */
    const rlxc_buffer *scales;  /* NULL: the weight is palette[q], the int32 number - zero, or a
                                 * bfloat16 */
    const rlxc_buffer *zeros;   /* float32, as scales; NULL: |zero| for all */
    const rlxc_expr *zero;      /* a literal of the weight's type */
    uint32_t bits;
    int64_t group, width;
} rlxc_quant;

/* Rows in a word. */
static inline int64_t rlxc_quant_rows(const rlxc_quant *q)
{
    return 32 / q->bits;
}

/* One group of all rows, extended to whole words. */
static inline int64_t rlxc_quant_one_group(int64_t rows)
{
    return (rows + 63) / 64 * 64;
}

/* Entries of the palette for numbers of |bits| up to |most|. */
static inline int64_t rlxc_quant_entries(uint32_t bits, int64_t most)
{
    return bits == 4 ? 16 : most / 16 * 16 + 16;
}

/* The first bit of row |i| in its word. */
static inline int64_t rlxc_quant_shift(const rlxc_quant *q, int64_t i)
{
    return q->bits == 4 ? 8 * (i % 4) + 4 * (i / 4) : q->bits * i;
}

/* Columns of a panel for the target. */
int64_t rlxc_quant_width(const rlxc_target *target);
/* Rows that a block of the integer kernel takes, a divisor or multiple of the group; words of whole
 * blocks are stored. */
int64_t rlxc_quant_block(int64_t group);
/* The entry of the palette for number |number| of a weight. */
const rlxc_expr *rlxc_quant_entry(rlxc_context *ctx, const rlxc_quant *q, const rlxc_expr *number);
/* Weight [k][n] as float32, or int32 if it has neither palette nor scale and is not bfloat16. */
const rlxc_expr *rlxc_quant_weight(rlxc_context *ctx, const rlxc_quant *q, const rlxc_expr *k,
                                   const rlxc_expr *n);
/* True if |stage| is a product with such weights: result (M, N) of (M, K). */
bool rlxc_quant_match(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant *out);
/* As above in integers: left operand of 8 or 16 bits, sums of 32; or in bfloat16, with float32
 * sums.
 */
bool rlxc_quant_match_dots(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant *out);

#endif

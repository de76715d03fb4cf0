/* Convolutions of 8-bit integers as stages of a PrimFunc.
 *
 *     y[n, i, j, o] = sum of (x[n, i * stride + r * dilation - before, ...s..., c] - zero)
 *                            * filter[o, r, s, c],         int32, places outside of x add nothing
 *
 * The filter has signed bytes with its zero point subtracted, as many channels side by side as the
 * target's instructions sum (|word|, 4 or 2) in panels of |width| outputs: filter[o / width, r, s,
 * c / word, o % width, c % word]; padding channels and outputs are zero. x counts from 0: b = x, or
 * x + 128 where it is signed, so that a product is one of an unsigned and a signed byte:
 *
 *     y = sum of b * filter - fill * sums[o]                fill: b of the zero, also outside of x
 *
 * With |groups|, of whole words and panels each, the filter has the channels of one: c counts from
 * the first channel of the output's group.
 *
 * Where each output has a channel of its own (depthwise) the filter is of int32, which hold signed
 * bytes: filter[o / width, r, s, o % width]. For targets that sum pairs of 16 bits it has bytes,
 * two neighbouring taps side by side: filter[o / width, r, s / 2, o % width, s % 2]; after an odd
 * number of taps there is one of zeros, so that KW is even.
 *
 * The form is plain TIR, a reduction along one axis k = (r * KW + s) * C + c, C the channels
 * rounded up to whole words, or 1: any schedule is correct, and rule int8_conv makes a fast one. It
 * knows the stage by building the same expressions again: expressions are shared. */
#ifndef RLXC_OPS_QUANT_CONV_H
#define RLXC_OPS_QUANT_CONV_H

#include "compiler/ir/tir.h"
#include "compiler/target/target.h"

enum { /* of the filter */
       RLXC_QUANT_CONV_DIMS = 6,
       RLXC_QUANT_DEPTHWISE_DIMS = 4,
       RLXC_QUANT_DEPTHWISE_PAIRS_DIMS = 5
};
enum { RLXC_QUANT_CONV_MAX_SIZE = 1 << 20 }; /* of the elements that addresses count */

/* Positions of the dimensions: batch, height, width, channel. */
typedef struct rlxc_quant_conv_layout {
    uint8_t batch, space[2], channel;
} rlxc_quant_conv_layout;
extern const rlxc_quant_conv_layout rlxc_quant_conv_last, rlxc_quant_conv_second; /* channels */

typedef struct rlxc_quant_conv {
    const rlxc_buffer *x;      /* 8 bits */
    const rlxc_buffer *filter; /* [panels, KH, KW, C / word, width, word], [.., KW, width] or
                                * [.., KW / 2, width, 2] */
    const rlxc_buffer *sums;   /* of the filter, for each output; may be NULL where fill is 0 */
    const rlxc_expr *fill;     /* int32 */
    rlxc_quant_conv_layout in, out;
    int64_t strides[2], dilation[2], before[2];
    int64_t outputs;
    /* derived from the filter and x */
    bool depthwise;
    int64_t size[2], width, word, channels;
    int64_t groups;
    int64_t depth; /* of k: channels that are summed for each of r, s */
} rlxc_quant_conv;

/* Sets the fields derived from the buffers; false if these do not fit together. */
bool rlxc_quant_conv_sizes(rlxc_quant_conv *q);
/* The summand at the axes of the result, in its order, then k. */
const rlxc_expr *rlxc_quant_conv_product(rlxc_context *ctx, const rlxc_quant_conv *q,
                                         const rlxc_expr *const axes[5]);
/* The initial value of the sum. */
const rlxc_expr *rlxc_quant_conv_init(rlxc_context *ctx, const rlxc_quant_conv *q,
                                      const rlxc_expr *const axes[5]);
/* |x|, a value of the input, as an int32 that counts from 0. */
const rlxc_expr *rlxc_quant_conv_biased(rlxc_context *ctx, const rlxc_expr *x);
/* The largest number of output vectors in a panel. */
int64_t rlxc_quant_conv_most_vectors(const rlxc_target *target);
/* Outputs in a panel and channels in a word, for the target. */
int64_t rlxc_quant_conv_width(const rlxc_target *target, int64_t outputs);
int64_t rlxc_quant_conv_word(const rlxc_target *target);

#endif

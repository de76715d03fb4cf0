/* Minimal filtering of 3x3 convolutions, F(4x4, 3x3): 36 products for 16 results instead of 144
 * (S. Winograd, "Arithmetic Complexity of Computations", 1980; A. Lavin and S. Gray, "Fast
 * Algorithms for Convolutional Neural Networks", CVPR 2016, section 4.3, whose matrices these are).
 *
 * For a tile of 4x4 results that reads 6x6 elements d of each input channel, with the filter g:
 *
 *     input    V = B' d B                       36 values a channel
 *     weight   U = G g G'                       the same, made when the model is compiled
 *     product  M[i, j] = V[i, j] U[i, j]        a matrix product over the channels
 *     output   Y = A' M A                       16 values a channel
 *
 * As a PrimFunc it is three stages, one for each of input, product and output, that say just this;
 * the schedule knows them by building the same expressions again: expressions are shared, so a
 * stage is the one that is meant when its expression is the same pointer. */
#ifndef RLXC_OPS_WINOGRAD_STAGES_H
#define RLXC_OPS_WINOGRAD_STAGES_H

#include "compiler/ir/expr.h"

enum { RLXC_WINOGRAD_OUT = 4, RLXC_WINOGRAD_IN = 6, RLXC_WINOGRAD_FILTER = 3 };

typedef enum rlxc_winograd_matrix {
    RLXC_WINOGRAD_B, /* [6][6], transposed */
    RLXC_WINOGRAD_G, /* [6][3] */
    RLXC_WINOGRAD_A  /* [4][6], transposed */
} rlxc_winograd_matrix;

double rlxc_winograd_value(rlxc_winograd_matrix matrix, uint32_t row, uint32_t column);
/* matrix[row][column] as an expression of |dtype|. */
const rlxc_expr *rlxc_winograd_coefficient(rlxc_context *ctx, rlxc_winograd_matrix matrix,
                                           rlx_dtype dtype, const rlxc_expr *row,
                                           const rlxc_expr *column);

typedef struct rlxc_winograd {
    const rlxc_buffer *x;      /* [n, height, width, channels] */
    const rlxc_buffer *weight; /* [6, 6, channels of a group, outputs], or in panels of w outputs,
                                  as pass pack_constants leaves it: [6, 6, outputs / w, channels
                                  of a group, w]; of narrow groups [6, 6, groups, outputs of a
                                  group / w, channels of a group, w] */
    const rlxc_buffer *v;      /* [6, 6, tiles, channels] */
    const rlxc_buffer *m;      /* [6, 6, tiles, outputs], of several groups [6, 6, tiles, groups,
                                  outputs of a group] */
    const rlxc_buffer *y;      /* [n, height', width', outputs] */
    const rlxc_expr *outputs;  /* of a group; NULL: there is one group */
    int64_t before[2];         /* padding above and to the left */
} rlxc_winograd;

/* The number of tiles: in all, down (0) and across (1) the result. */
const rlxc_expr *rlxc_winograd_tiles(rlxc_context *ctx, const rlxc_buffer *y);
const rlxc_expr *rlxc_winograd_along(rlxc_context *ctx, const rlxc_buffer *y, uint32_t axis);
/* Image, row of tiles and column of tiles of tile |t|. */
void rlxc_winograd_place(rlxc_context *ctx, const rlxc_buffer *y, const rlxc_expr *t,
                         const rlxc_expr *out[3]);

/* The summands of the stages' reductions, at their axes. */
/* axes: i, j, tile, channel; r, s over the 6x6 elements */
const rlxc_expr *rlxc_winograd_input(rlxc_context *ctx, const rlxc_winograd *w,
                                     const rlxc_expr *const axes[6]);
/* axes: i, j, tile, group if there are several, output; channel */
const rlxc_expr *rlxc_winograd_product(rlxc_context *ctx, const rlxc_winograd *w,
                                       const rlxc_expr *const *axes);
/* axes: n, row, column, output; i, j */
const rlxc_expr *rlxc_winograd_output(rlxc_context *ctx, const rlxc_winograd *w,
                                      const rlxc_expr *const axes[6]);

/* A product with a matrix as a program over values: value[to] = value[a] + c * value[b]. The first
 * six values are given. The even and odd columns of rows 1, 2 and 3, 4 are the same up to a sign,
 * so they are summed once. */
typedef struct rlxc_winograd_step {
    uint8_t to, a, b;
    double c;
} rlxc_winograd_step;
typedef struct rlxc_winograd_program {
    const rlxc_winograd_step *steps;
    uint32_t n_steps;
    uint8_t results[RLXC_WINOGRAD_IN];
    uint32_t n_results;
} rlxc_winograd_program;
enum { RLXC_WINOGRAD_VALUES = 20 };
/* Of matrix B or A. */
rlxc_winograd_program rlxc_winograd_program_of(rlxc_winograd_matrix matrix);

#endif

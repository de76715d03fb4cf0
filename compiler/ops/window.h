/* Shared by convolutions and poolings: layouts, strides, dilation and padding of a call. */
#ifndef RLXC_OPS_WINDOW_H
#define RLXC_OPS_WINDOW_H

#include "compiler/ops/reduce.h"

enum { RLXC_MAX_SPATIAL = 3 };
/* Products that nn.add_columns adds up for one element. */
enum { RLXC_MAX_COLUMN_TERMS = 64 };

typedef struct rlxc_window {
    uint32_t n; /* spatial dimensions */
    int64_t strides[RLXC_MAX_SPATIAL], dilation[RLXC_MAX_SPATIAL], before[RLXC_MAX_SPATIAL],
        after[RLXC_MAX_SPATIAL];
    int64_t size[RLXC_MAX_SPATIAL]; /* pooling */
    /* positions in the tensors' dimensions */
    uint32_t batch, channel, space[RLXC_MAX_SPATIAL];             /* of the input */
    uint32_t out_batch, out_channel, out_space[RLXC_MAX_SPATIAL]; /* of the result */
    uint32_t w_out, w_in, w_space[RLXC_MAX_SPATIAL];              /* of the weight */
} rlxc_window;

/* Reads the common attributes; the first digit in the operator's name is the number of spatial
 * dimensions. Attributes that the operator lacks count as 1 (strides, dilation) and 0 (padding).
 * False after an error. */
bool rlxc_window_read(const rlxc_call_view *v, const char *layout_name, rlxc_window *w);
/* The above and the weight's layout. */
bool rlxc_window_read_conv(const rlxc_call_view *v, rlxc_window *w);
/* A list with one value for all or one for each of |n| dimensions, each at least |least|. */
bool rlxc_window_sizes(const rlxc_call_view *v, const char *name, uint32_t n, int64_t least,
                       int64_t *out);
/* The above and the pooling's size. */
bool rlxc_window_read_pool(const rlxc_call_view *v, rlxc_window *w);
/* The type of a pooling's result over |x|, whose dimensions are known; NULL after an error. */
const rlxc_sinfo *rlxc_window_pooled(const rlxc_call_view *v, const rlxc_window *w,
                                     const rlxc_sinfo *x);
/* The divisor of the mean over the window at the block's axes; |x| is the input. */
const rlxc_expr *rlxc_window_divisor(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x);
/* position * stride + offset * dilation */
const rlxc_expr *rlxc_window_tap(rlxc_context *ctx, const rlxc_window *w, uint32_t i,
                                 const rlxc_expr *position, const rlxc_expr *offset);
/* How many windows of |size| begin along spatial dimension |i| of an input of |length|; |up|: the
 * last one may reach beyond. */
const rlxc_expr *rlxc_window_positions(rlxc_context *ctx, const rlxc_window *w, uint32_t i,
                                       const rlxc_expr *length, const rlxc_expr *size, bool up);
/* Checks that a constant spatial length of a result is not negative. */
bool rlxc_window_fits(const rlxc_call_view *v, const rlxc_expr *length);
/* Checks that the image's and the weight's channels agree and divide into |groups|. False
 * after an error. */
bool rlxc_window_check_groups(const rlxc_call_view *v, const rlxc_window *w, int64_t groups);
/* The element type of a convolution's result: out_dtype, or that of its operands. False after an
 * error. */
bool rlxc_window_dtype(const rlxc_call_view *v, rlx_dtype *out);
/* The sizes of |x| with the padding around it; |up|: and with what the last window reaches beyond
 * when the result's size is rounded up. False if they are |x|'s own. */
bool rlxc_window_padded_dims(rlxc_context *ctx, const rlxc_window *w, const rlxc_te_operand *x,
                             bool up, const rlxc_expr **dims);
/* The element at |place| of |x| padded to |dims| with |fill|, as |fill|'s type. */
const rlxc_expr *rlxc_window_padded_at(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x,
                                       const rlxc_expr *const *dims, const rlxc_expr *fill,
                                       const rlxc_expr *const *place);
/* |x|, or a copy of it as a temporary with the padding around it, of |fill| and of its type; |up|:
 * and what the last window reaches beyond when the result's size is rounded up. */
rlxc_te_operand rlxc_window_padded(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x,
                                   const rlxc_expr *fill, bool up);
/* x[at] * weight[wt], in |dtype|. */
const rlxc_expr *rlxc_window_product(rlxc_te *te, rlx_dtype dtype, const rlxc_te_operand *x,
                                     const rlxc_expr *const *at, const rlxc_te_operand *weight,
                                     const rlxc_expr *const *wt);
/* a and b; |a| may be NULL. */
const rlxc_expr *rlxc_window_both(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b);

#endif

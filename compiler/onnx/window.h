/* Sliding windows: attributes of convolutions and pooling. */
#ifndef RLXC_ONNX_WINDOW_H
#define RLXC_ONNX_WINDOW_H

#include "compiler/onnx/importer.h"

enum { RLXC_OX_MAX_SPATIAL = 3 };

typedef struct rlxc_ox_window {
    uint32_t n;                          /* spatial dimensions */
    int64_t kernel[RLXC_OX_MAX_SPATIAL]; /* set by the caller */
    /* The weight's kernel size, if kernel[i] is 1 because it is unknown; or NULL.
     */
    const rlxc_expr *size[RLXC_OX_MAX_SPATIAL];
    int64_t strides[RLXC_OX_MAX_SPATIAL], dilations[RLXC_OX_MAX_SPATIAL];
    int64_t pads[2 * RLXC_OX_MAX_SPATIAL]; /* before each, then after each */
} rlxc_ox_window;

bool rlxc_ox_read_window(rlxc_ox *im, rlxc_ox_window *w, uint32_t spatial);
/* Fails the node if sums and products of the window's numbers could overflow. */
bool rlxc_ox_good_kernel(rlxc_ox *im, const rlxc_ox_window *w);
/* The kernel of |weight|, checked against attribute kernel_shape; false if partly unknown. */
bool rlxc_ox_kernel_of(rlxc_ox *im, rlxc_ox_window *w, rlxc_atom *weight);
/* Resolves auto_pad, padding |x| with |value| itself where sizes are symbolic. */
rlxc_atom rlxc_ox_auto_pad(rlxc_ox *im, rlxc_ox_window *w, rlxc_atom x, rlxc_atom value);
/* The node's convolution without bias. */
rlxc_atom rlxc_ox_conv(rlxc_ox *im, rlxc_atom x, rlxc_atom weight, rlx_dtype out_dtype);
/* One axis made longer (shorter where negative) before and after; |mode| as ONNX's Pad. */
rlxc_atom rlxc_ox_pad_axis(rlxc_ox *im, rlxc_atom x, uint32_t axis, const rlxc_expr *before,
                           const rlxc_expr *after, const char *mode, rlxc_atom value);
/* The weight of an element at distance |t| in cubic interpolation; |inner|: t is at most 1. */
rlxc_atom rlxc_ox_cubic_weight(rlxc_ox *im, rlxc_atom t, double a, bool inner);

#endif

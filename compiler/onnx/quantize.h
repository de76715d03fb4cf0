/* Shared by operators on quantized tensors. */
#ifndef RLXC_ONNX_QUANTIZE_H
#define RLXC_ONNX_QUANTIZE_H

#include "compiler/onnx/importer.h"

/* |x| as int32, less |zero| (kind NONE: 0), which is a scalar or lies along |axis|. */
rlxc_atom rlxc_ox_centred(rlxc_ox *im, rlxc_atom x, rlxc_atom zero, int64_t axis);
/* The product of int32 |a| and |b| in float32, times the scales of |a|'s rows and |b|'s columns, or
 * of all. */
rlxc_atom rlxc_ox_scaled_product(rlxc_ox *im, rlxc_atom a, rlxc_atom b, rlxc_atom a_scale,
                                 rlxc_atom b_scale);
/* |x| as uint8, with scale and zero point from its minimum and maximum. */
void rlxc_ox_quantize_dynamically(rlxc_ox *im, rlxc_atom x, rlxc_atom out[3]);
/* |x| quantized in this way and dequantized again. */
rlxc_atom rlxc_ox_as_quantized(rlxc_ox *im, rlxc_atom x);
/* A parameter for each block of |size| elements of axis |axis| of |x|, repeated for its elements;
 * the last block may be shorter. */
rlxc_atom rlxc_ox_blocks(rlxc_ox *im, rlxc_atom p, rlxc_atom x, uint32_t axis, int64_t size);
/* Input |input|, as bytes if its elements are smaller. */
rlxc_atom rlxc_ox_in_bytes(rlxc_ox *im, uint32_t input);
/* Numbers of |bits| bits in bytes along the last axis of |x|, the first in the low bits, a byte
 * each. */
rlxc_atom rlxc_ox_unpacked(rlxc_ox *im, rlxc_atom x, int64_t bits);
/* |x| as float8 |to|: what is beyond its largest number, infinity too, becomes that. */
rlxc_atom rlxc_ox_saturated(rlxc_ox *im, rlxc_atom x, rlx_dtype to);
/* (x - zero) * scale in float32, |zero| of kind NONE: 0. */
rlxc_atom rlxc_ox_dequantized(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom zero);
/* Input |i| dequantized; the next two inputs are its scale and zero point, for the whole tensor.
 */
rlxc_atom rlxc_ox_real_in(rlxc_ox *im, uint32_t i);
/* Output 0 is |y|, quantized by input |i| and the one after it; without that, as |t|. */
void rlxc_ox_set_quantized(rlxc_ox *im, rlxc_atom y, uint32_t i, rlx_dtype t);

#endif

/* Parts of transformers shared by several operators. */
#ifndef RLXC_ONNX_ATTENTION_H
#define RLXC_ONNX_ATTENTION_H

#include "compiler/onnx/importer.h"

/* Rotates pairs of the first |size| elements of x (four dimensions) by the angle of their position:
 * (x1 cos - x2 sin, x1 sin + x2 cos). |turn|: cos and sin of |size| / 2 angles, with dimensions
 * that broadcast. A pair is two neighbours (|interleaved|), or one element of each half. */
rlxc_atom rlxc_ox_rotated(rlxc_ox *im, rlxc_atom x, const rlxc_atom turn[2], int64_t size,
                          bool interleaved);
/* x sigmoid(alpha x) */
rlxc_atom rlxc_ox_swish(rlxc_ox *im, rlxc_atom x, double alpha);

#endif

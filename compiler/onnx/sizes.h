/* What the importer knows of dimensions beyond their expressions. */
#ifndef RLXC_ONNX_SIZES_H
#define RLXC_ONNX_SIZES_H

#include "compiler/onnx/importer.h"

enum { RLXC_OX_MAX_DIM = 96 /* nodes of an expression that stays as it is */ };

/* |e| is not negative: provably, or as the dimension of a tensor that there is. */
bool rlxc_ox_is_size(rlxc_ox *im, const rlxc_expr *e);
/* The dimensions of |a| are sizes from here on, in the scope at hand. */
void rlxc_ox_note_sizes(rlxc_ox *im, rlxc_atom a);
/* |a| with symbols for dimensions whose expressions have more than |most| nodes (fewer where they
 * depend on numbers read from tensors), one symbol for equal ones. */
rlxc_atom rlxc_ox_named_dims(rlxc_ox *im, rlxc_atom a, uint32_t most);

#endif

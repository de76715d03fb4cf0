/* Facts about dimensions beyond their expressions. */
#ifndef RLXC_ONNX_SIZES_H
#define RLXC_ONNX_SIZES_H

#include "compiler/onnx/importer.h"

enum { RLXC_OX_MAX_DIM = 96 /* size limit of an expression that is kept */ };

/* True if |e| is not negative: provably, or as the dimension of an existing tensor. */
bool rlxc_ox_is_size(rlxc_ox *im, const rlxc_expr *e);
/* Records the dimensions of |a| as sizes in the current scope. */
void rlxc_ox_note_sizes(rlxc_ox *im, rlxc_atom a);
/* |a| with symbols for dimensions whose expressions have more than |most| nodes (fewer where they
 * depend on numbers read from tensors), one symbol for equal ones. */
rlxc_atom rlxc_ox_named_dims(rlxc_ox *im, rlxc_atom a, uint32_t most);

#endif

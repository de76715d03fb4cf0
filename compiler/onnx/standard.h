/* Standard operators as parts of others. */
#ifndef RLXC_ONNX_STANDARD_H
#define RLXC_ONNX_STANDARD_H

#include "compiler/onnx/importer.h"

/* The standard operator |op| of |in| (kind NONE: not given), with the attributes of the current
 * node, or of |like| if not NULL. |out|: its results, absent ones of kind NONE. Errors name the
 * current node. */
void rlxc_ox_standard_outputs(rlxc_ox *im, const char *op, const Onnx__NodeProto *like,
                              const rlxc_atom *in, uint32_t n_in, rlxc_atom *out, uint32_t n_out);
/* Its first result, with the attributes of the current node. */
rlxc_atom rlxc_ox_standard(rlxc_ox *im, const char *op, const rlxc_atom *in, uint32_t n);
/* Input |i| of the current node; kind NONE if absent. */
rlxc_atom rlxc_ox_optional_in(rlxc_ox *im, uint32_t i);
/* a + b, broadcast as Add does. */
rlxc_atom rlxc_ox_sum(rlxc_ox *im, rlxc_atom a, rlxc_atom b);
/* |x| (batch, ..., channels) with its channels second, or the other way round (|to_last|). */
rlxc_atom rlxc_ox_move_channels(rlxc_ox *im, rlxc_atom x, bool to_last);
/* |x| after the current node's activation, with its activation_params. */
rlxc_atom rlxc_ox_fused_activation(rlxc_ox *im, rlxc_atom x);

#endif

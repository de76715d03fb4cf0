/* Rewrites of pass infer: convert operands to the forms that operators and branches accept. */
#ifndef RLXC_PASSES_INFER_FORMS_H
#define RLXC_PASSES_INFER_FORMS_H

#include "compiler/ir/rewrite.h"

/* Scalar (R.Prim) operands of |binding| that should be tensors become tensors of rank 0, and the
 * condition of an if becomes a scalar of bool. False after an error. */
bool rlxc_make_plain(rlxc_builder *b, rlxc_binding *binding);
/* A convolution or pooling on packed layouts ("NCHW4c") becomes one on plain layouts, between
 * permutations and reshapes. False after an error. */
bool rlxc_unpack_layouts(rlxc_builder *b, rlxc_binding *binding);

#endif

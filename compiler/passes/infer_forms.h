/* Forms that pass infer brings into those that operators and branches take. */
#ifndef RLXC_PASSES_INFER_FORMS_H
#define RLXC_PASSES_INFER_FORMS_H

#include "compiler/ir/rewrite.h"

/* Scalars (R.Prim) where |binding|'s operator takes tensors become tensors of rank 0, and the
 * condition of an if becomes a scalar of bool. */
void rlxc_make_plain(rlxc_builder *b, rlxc_binding *binding);

#endif

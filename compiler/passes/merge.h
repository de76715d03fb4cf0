/* What passes that merge PrimFuncs share: merge_prim_funcs.c. */
#ifndef RLXC_PASSES_MERGE_H
#define RLXC_PASSES_MERGE_H

#include "compiler/ir/relax.h"

/* True if one of the two may stand for the other: they are equal up to renaming, and so are the
 * signs of their symbols. */
bool rlxc_prim_funcs_merge(rlxc_context *ctx, const rlxc_prim_func *a, const rlxc_prim_func *b);

#endif

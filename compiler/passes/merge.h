/* Shared by passes that merge PrimFuncs: merge_prim_funcs.c. */
#ifndef RLXC_PASSES_MERGE_H
#define RLXC_PASSES_MERGE_H

#include "compiler/ir/relax.h"

/* True if the two are interchangeable: equal up to renaming, with equal signs of their symbols. */
bool rlxc_prim_funcs_merge(rlxc_context *ctx, const rlxc_prim_func *a, const rlxc_prim_func *b);

#endif

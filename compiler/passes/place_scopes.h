/* Private to pass place_kernels: memory scopes of PrimFuncs' buffers. */
#ifndef RLXC_PASSES_PLACE_SCOPES_H
#define RLXC_PASSES_PLACE_SCOPES_H

#include "compiler/ir/relax.h"

/* The PrimFunc |name|, or a copy of it whose buffers have the memory scopes of the tensors that
 * |call| passes; |made| caches the copies. */
const char *rlxc_prim_with_scopes(rlxc_context *ctx, rlxc_module *module, rlxc_map *made,
                                  const rlxc_binding *call, const char *name);

#endif

/* Caches which PrimFunc a call was lowered to, so that a function with many equal calls does not
 * build and compare the same kernel each time. Only calls lowered to a single call_tir are cached.
 * Two calls match if operator, attributes and literals are equal, and their tensors have the same
 * (interned) types and repeat in the same positions. */
#ifndef RLXC_OPS_LEGALIZE_CACHE_H
#define RLXC_OPS_LEGALIZE_CACHE_H

#include "compiler/ir/op.h"

typedef struct rlxc_legalize_cache {
    rlxc_map calls; /* hash of a call -> list of entries */
} rlxc_legalize_cache;

/* Calls call->op->legalize through the cache. */
rlxc_atom rlxc_legalize_call(rlxc_legalize_cache *cache, rlxc_builder *b, const rlxc_binding *call);

#endif

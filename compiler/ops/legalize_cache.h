/* Remembers which PrimFunc a call was lowered to, so that a long function of alike calls does not
 * build and compare the same kernel again and again. Only calls lowered to a single call_tir are
 * kept. Two calls are alike when operator, attributes and literals are equal, their tensors have
 * the same (interned) types and repeat in the same places. */
#ifndef RLXC_OPS_LEGALIZE_CACHE_H
#define RLXC_OPS_LEGALIZE_CACHE_H

#include "compiler/ir/op.h"

typedef struct rlxc_legalize_cache {
    rlxc_map calls; /* hash of a call -> list of entries */
} rlxc_legalize_cache;

/* As call->op->legalize, through the cache. */
rlxc_atom rlxc_legalize_call(rlxc_legalize_cache *cache, rlxc_builder *b, const rlxc_binding *call);

#endif

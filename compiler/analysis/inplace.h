/* Which operands a PrimFunc may find in the memory that it writes: the planner's proof. That of the
 * plan verifier (verify_inplace.h) is another. */
#ifndef RLXC_ANALYSIS_INPLACE_H
#define RLXC_ANALYSIS_INPLACE_H

#include "compiler/ir/relax.h"

/* True when writing parameter |out| over the bytes of parameter |in| gives what it gives apart from
 * them, in whatever order the elements are computed: each element of |in| is read only to compute
 * the element of |out| at the same place. */
bool rlxc_may_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out);
/* |f| is called with parameters that share memory: its code must not assume otherwise. */
void rlxc_prim_func_may_alias(rlxc_context *ctx, rlxc_prim_func *f);

#endif

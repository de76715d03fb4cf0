/* The planner's proof of which operands a PrimFunc may overwrite with its results. The plan
 * verifier proves it independently (verify_inplace.h). */
#ifndef RLXC_ANALYSIS_INPLACE_H
#define RLXC_ANALYSIS_INPLACE_H

#include "compiler/ir/relax.h"

/* True when parameter |out| may share the memory of parameter |in| without changing the result,
 * whatever the order of elements: each element of |in| is read only to compute the element of |out|
 * at the same place. */
bool rlxc_may_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out);
/* Records that |f| is called with parameters that share memory, so its code must not assume
 * noalias. */
void rlxc_prim_func_may_alias(rlxc_context *ctx, rlxc_prim_func *f);

#endif

/* The plan verifier's own proofs that a PrimFunc may write a result over an operand.
 *
 * It shares no code with the planner (inplace.h) or its analyses (alias.h, liveness.h), so that a
 * mistake there is not repeated here. */
#ifndef RLXC_ANALYSIS_VERIFY_INPLACE_H
#define RLXC_ANALYSIS_VERIFY_INPLACE_H

#include "compiler/ir/relax.h"

/* True when |f| may write parameter |out| over parameter |in|. A proof from blocks is recorded in
 * |f|'s attribute rlx.in_place, for modules printed after schedules have changed the blocks. If
 * only the attribute says so, the loops must prove it, and an attribute that they do not prove is
 * reported. |f| loses tir.noalias. */
bool rlxc_verify_overwrite(rlxc_context *ctx, rlxc_prim_func *f, uint32_t in, uint32_t out);

/* The proof from blocks: it holds for any schedule. */
bool rlxc_blocks_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out);
/* The proof from the loops as they are: a later schedule might break it. */
bool rlxc_loops_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out);

#endif

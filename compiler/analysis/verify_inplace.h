/* The plan verifier's own proofs that a PrimFunc may write a result over an operand.
 *
 * Nothing here is shared with the planner (inplace.h) or with what it stands on (alias.h,
 * liveness.h): a mistake there must not be repeated here. */
#ifndef RLXC_ANALYSIS_VERIFY_INPLACE_H
#define RLXC_ANALYSIS_VERIFY_INPLACE_H

#include "compiler/ir/relax.h"

/* True when |f| may write parameter |out| over parameter |in|. Where the blocks prove it, notes so
 * in |f|'s attribute rlx.in_place, for texts printed after schedules have changed the blocks; where
 * only such a note says so, proves it from the loops, and reports a note that they do not bear out.
 * |f| loses tir.noalias. */
bool rlxc_verify_overwrite(rlxc_context *ctx, rlxc_prim_func *f, uint32_t in, uint32_t out);

/* The proof from blocks: it holds whatever order a schedule gives to the elements. */
bool rlxc_blocks_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out);
/* The proof from loops as they are: a schedule that is still to come might break it. */
bool rlxc_loops_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out);

#endif

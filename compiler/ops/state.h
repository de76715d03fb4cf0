/* What holds of dimensions at a place of a function, and the checks that make it hold.
 *
 * rlxc_state_call looks at one call: what the operator requires (require.h) and nothing proves
 * becomes a check_sizes in front of it, and what the check states is known from there on: where
 * two dimensions are equal, operands are cast to one name for both, so that later passes and the
 * call's own legalization see equal dimensions. The caller walks the bindings in order and ends
 * each block, because what a branch states does not hold behind it. */
#ifndef RLXC_OPS_STATE_H
#define RLXC_OPS_STATE_H

#include "compiler/ops/require.h"

typedef struct rlxc_stated {
    RLXC_VEC(const rlxc_expr *) from; /* from[i] is to[i]; applied in this order */
    RLXC_VEC(const rlxc_expr *) to;
    RLXC_VEC(const rlxc_expr *) held; /* conditions that were checked */
    RLXC_VEC(uint32_t) marks;
    rlxc_map known; /* id of a checked condition -> anything */
    rlxc_map memo;  /* dimension -> itself with all that is known put in */
    rlxc_map casts; /* variable -> its cast */
} rlxc_stated;

void rlxc_state_block_begin(rlxc_stated *s, rlxc_context *ctx);
void rlxc_state_block_end(rlxc_stated *s, rlxc_context *ctx);
/* Learns what |binding| states, if it is a check_sizes. */
void rlxc_state_note(rlxc_stated *s, rlxc_context *ctx, const rlxc_binding *binding);
/* Checks in front of |call|, names for unknown dimensions of its operands, and what is known put
 * into them; the type of its variable is inferred again when they changed. An operand of unknown
 * rank stays. False after an error. */
bool rlxc_state_call(rlxc_stated *s, rlxc_builder *b, rlxc_binding *call);
/* Emits the check of |r|. */
void rlxc_emit_check(rlxc_builder *b, const rlxc_requirement *r);

#endif

/* Facts about dimensions at a point of a function, and the checks that establish them.
 *
 * rlxc_state_call handles one call: unproved requirements of the operator (require.h) become a
 * check_sizes before it, and are facts from there on. If two dimensions are then equal, operands
 * are cast to the same name for both, so that later passes and the call's own legalization see
 * equal dimensions. The caller walks the bindings in order and ends each block, because facts from
 * a branch do not hold after it. */
#ifndef RLXC_OPS_STATE_H
#define RLXC_OPS_STATE_H

#include "compiler/ops/require.h"

typedef struct rlxc_stated {
    RLXC_VEC(const rlxc_expr *) from; /* from[i] is to[i]; applied in this order */
    RLXC_VEC(const rlxc_expr *) to;
    RLXC_VEC(const rlxc_expr *) held; /* conditions that were checked */
    RLXC_VEC(uint32_t) marks;
    rlxc_map known; /* id of a checked condition -> anything */
    rlxc_map memo;  /* dimension -> the dimension with all facts substituted */
    rlxc_map casts; /* variable -> its cast */
} rlxc_stated;

void rlxc_state_block_begin(rlxc_stated *s, rlxc_context *ctx);
void rlxc_state_block_end(rlxc_stated *s, rlxc_context *ctx);
/* Adds the facts of |binding| if it is a check_sizes. */
void rlxc_state_note(rlxc_stated *s, rlxc_context *ctx, const rlxc_binding *binding);
/* Emits checks before |call|, names unknown dimensions of its operands, and substitutes facts into
 * them; if they changed, infers the type of its variable again. Operands of unknown rank are left
 * alone. False after an error. */
bool rlxc_state_call(rlxc_stated *s, rlxc_builder *b, rlxc_binding *call);
/* Emits the check of |r|. */
void rlxc_emit_check(rlxc_builder *b, const rlxc_requirement *r);

#endif

/* Calls of the runtime's builtins that legalization emits: CALL of an EXTERN atom "rlx.<name>" with
 * the result's type as its sinfo argument. */
#ifndef RLXC_OPS_BUILTIN_CALL_H
#define RLXC_OPS_BUILTIN_CALL_H

#include "compiler/ops/op_infer.h"

/* |pure|: may be dropped, merged and reordered (attribute "pure"). */
rlxc_atom rlxc_emit_builtin(rlxc_builder *b, const rlxc_binding *call, const char *name,
                            const rlxc_atom *args, uint32_t n, const rlxc_sinfo *result, bool pure);
rlxc_atom rlxc_prim_bool(rlxc_context *ctx, bool value);
rlxc_atom rlxc_prim_i64(rlxc_context *ctx, int64_t value);

#endif

/* The range of the elements of an integer tensor, derived from the operator that made it: indices
 * that operators produce (arange, argsort, nonzero), and values computed from them, need no check
 * at run time (checks.h). */
#ifndef RLXC_OPS_VALUE_RANGE_H
#define RLXC_OPS_VALUE_RANGE_H

#include "compiler/ops/op_infer.h"

typedef struct rlxc_value_range {
    const rlxc_expr *low, *high; /* canonical int64; both can occur */
} rlxc_value_range;

/* The range of |x|, a constant or a variable in |ranges|; false if unknown. */
bool rlxc_find_value_range(rlxc_context *ctx, rlxc_map *ranges, rlxc_atom x, rlxc_value_range *out);
/* Records the range of |binding|'s value, which is now |value|. */
void rlxc_note_value_range(rlxc_context *ctx, const rlxc_module *module, rlxc_map *ranges,
                           const rlxc_binding *binding, rlxc_atom value);

#endif

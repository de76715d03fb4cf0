/* Between which numbers the elements of an integer tensor lie, where that can be told from the
 * operator that made it: positions that operators count out (arange, argsort, nonzero) and what is
 * computed from them need no check at run time (checks.h). */
#ifndef RLXC_OPS_VALUE_RANGE_H
#define RLXC_OPS_VALUE_RANGE_H

#include "compiler/ops/op_infer.h"

typedef struct rlxc_value_range {
    const rlxc_expr *low, *high; /* canonical int64; both can occur */
} rlxc_value_range;

/* The range of |x|, a constant or a variable that |ranges| knows; false: nothing is known. */
bool rlxc_find_value_range(rlxc_context *ctx, rlxc_map *ranges, rlxc_atom x, rlxc_value_range *out);
/* Notes what is known of the value of |binding|, which is now |value|. */
void rlxc_note_value_range(rlxc_context *ctx, const rlxc_module *module, rlxc_map *ranges,
                           const rlxc_binding *binding, rlxc_atom value);

#endif

/* Operators lowered to other operators: each part is legalized at once, so that it gets the kernels
 * (and the scheduling) of its own row. */
#ifndef RLXC_OPS_COMPOSE_H
#define RLXC_OPS_COMPOSE_H

#include "compiler/ops/families.h"

/* Lowers R.|op|(args) in place of a part of |call|; attributes that |attrs| does not set have the
 * schema's defaults. Kind NONE after an error. */
rlxc_atom rlxc_lower_op(rlxc_builder *b, const rlxc_binding *call, const char *op,
                        const rlxc_atom *args, uint32_t n, rlxc_attrs attrs);

#endif

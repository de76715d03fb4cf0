/* Lifted constants: weights that leave the executable (--lift-params, docs/weights.md).
 *
 * Whoever loads the executable may give others of the same types. So what is true of the bytes now
 * says nothing: passes treat a lifted constant as they do a value that is not known, and two of
 * them are equal only if they are one. A pass may compute a constant from lifted ones if it states
 * how, as operators: the result is lifted as well, and a program that the executable carries
 * computes it again (driver/lift_params.c). */
#ifndef RLXC_IR_LIFTED_H
#define RLXC_IR_LIFTED_H

#include "compiler/ir/relax.h"

/* True for a lifted constant, or a tuple that has one. */
bool rlxc_is_lifted(rlxc_atom atom);
/* The first lifted constant that |made| reads; or NULL. */
const rlxc_constant *rlxc_first_lifted(const rlxc_binding *made);
/* A constant with |data|, which is |op| of |from|, |to| (unless NONE) and |attrs|; lifted if |from|
 * is. |data| may be NULL for one that only others are computed from. */
rlxc_constant *rlxc_constant_by(rlxc_context *ctx, const rlxc_constant *from, const char *op,
                                rlxc_atom to, rlxc_attrs attrs, uint32_t ndim, const int64_t *shape,
                                const void *data, size_t nbytes);
/* |from| in another shape of as many elements. */
rlxc_constant *rlxc_constant_reshaped(rlxc_context *ctx, const rlxc_constant *from, uint32_t ndim,
                                      const int64_t *shape);
/* |from|, whose dimension order[i] becomes dimension i, with |data|. */
rlxc_constant *rlxc_constant_permuted(rlxc_context *ctx, const rlxc_constant *from,
                                      const int64_t *order, const void *data);

#endif

/* Lifted constants: weights that leave the executable (--lift-params, docs/weights.md).
 *
 * Whoever loads the executable may supply other weights of the same types, so nothing may depend on
 * the bytes: passes treat a lifted constant as an unknown value, and two are equal only if they are
 * the same object. A pass may compute a constant from lifted ones if it records how, as operators:
 * the result is lifted as well, and a program in the executable computes it again
 * (driver/lift_params.c). */
#ifndef RLXC_IR_LIFTED_H
#define RLXC_IR_LIFTED_H

#include "compiler/ir/relax.h"

/* True for a lifted constant, or a tuple that has one. */
bool rlxc_is_lifted(rlxc_atom atom);
/* The first lifted constant that |made| reads; or NULL. */
const rlxc_constant *rlxc_first_lifted(const rlxc_binding *made);
/* A constant with |data|, the result of |op| on |from| and |to| (unless NONE) with |attrs|; lifted
 * if |from| is. |data| may be NULL if the constant is only an operand of other constants. */
rlxc_constant *rlxc_constant_by(rlxc_context *ctx, const rlxc_constant *from, const char *op,
                                rlxc_atom to, rlxc_attrs attrs, uint32_t ndim, const int64_t *shape,
                                const void *data, size_t nbytes);
/* |op| of |args|, for programs: a constant without bytes, lifted if one of |args| is. The caller
 * guarantees the type. */
rlxc_constant *rlxc_constant_call(rlxc_context *ctx, const char *op, const rlxc_atom *args,
                                  uint32_t n_args, rlxc_attrs attrs, rlx_dtype dtype, uint32_t ndim,
                                  const int64_t *shape);
/* The same of one or two tensors (|b|: or NULL), element by element. Shape and type are |a|'s. */
rlxc_constant *rlxc_constant_each(rlxc_context *ctx, const char *op, const rlxc_constant *a,
                                  const rlxc_constant *b);
/* |from| converted; for programs. */
rlxc_constant *rlxc_constant_cast(rlxc_context *ctx, const rlxc_constant *from, rlx_dtype dtype);
/* |from| in another shape of as many elements. */
rlxc_constant *rlxc_constant_reshaped(rlxc_context *ctx, const rlxc_constant *from, uint32_t ndim,
                                      const int64_t *shape);
/* |from|, whose dimension order[i] becomes dimension i, with |data|. */
rlxc_constant *rlxc_constant_permuted(rlxc_context *ctx, const rlxc_constant *from,
                                      const int64_t *order, const void *data);
/* Records that |c|, which has bytes, is |from| converted to the type and shape of |c|; if |from| is
 * lifted, so is |c|. */
void rlxc_constant_state(rlxc_context *ctx, rlxc_constant *c, const rlxc_constant *from);

#endif

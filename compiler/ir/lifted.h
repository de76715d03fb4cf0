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
/* |op| of |args|, for programs: a constant without bytes, lifted if one of |args| is. The type is
 * the caller's word. */
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
/* States that |c|, which has bytes, is |from| converted to its type and in its shape; if |from| is
 * lifted, so is |c|. */
void rlxc_constant_state(rlxc_context *ctx, rlxc_constant *c, const rlxc_constant *from);

#endif

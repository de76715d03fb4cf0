/* Operators lowered to other operators: each part is legalized at once, so that it gets the kernels
 * (and the scheduling) of its own row. Every function returns kind NONE after an error, and passes
 * on an operand of kind NONE. */
#ifndef RLXC_OPS_COMPOSE_H
#define RLXC_OPS_COMPOSE_H

#include "compiler/ops/op_infer.h"

/* Lowers R.|op|(args) in place of a part of |call|; attributes that |attrs| does not set have the
 * schema's defaults. Kind NONE after an error. */
rlxc_atom rlxc_lower_op(rlxc_builder *b, const rlxc_binding *call, const char *op,
                        const rlxc_atom *args, uint32_t n, rlxc_attrs attrs);
/* Operators of one and two arguments without attributes. */
rlxc_atom rlxc_lower1(rlxc_builder *b, const rlxc_binding *call, const char *op, rlxc_atom x);
rlxc_atom rlxc_lower2(rlxc_builder *b, const rlxc_binding *call, const char *op, rlxc_atom lhs,
                      rlxc_atom rhs);
rlxc_atom rlxc_lower_astype(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x,
                            rlx_dtype dtype);
rlxc_atom rlxc_lower_reshape(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x,
                             const rlxc_expr *const *dims, uint32_t n);
/* Field |i| of a tuple, and a tuple of |n| values; as variables. */
rlxc_atom rlxc_lower_field(rlxc_builder *b, const rlxc_binding *call, rlxc_atom tuple, uint32_t i);
rlxc_atom rlxc_lower_tuple(rlxc_builder *b, const rlxc_binding *call, const rlxc_atom *fields,
                           uint32_t n);
rlxc_attrs rlxc_one_attr(rlxc_context *ctx, const char *name, rlxc_attr value);
rlxc_attrs rlxc_and_attr(rlxc_context *ctx, rlxc_attrs attrs, const char *name, rlxc_attr value);
/* A constant of rank 0: bool, integers of 8, 32 and 64 bits, float64, and float32 for all other
 * types. */
rlxc_atom rlxc_scalar_atom(rlxc_context *ctx, rlx_dtype dtype, double value);
/* Every tensor argument has known dimensions and element type; else an error and false. */
bool rlxc_lower_begin(rlxc_call_view *v, rlxc_builder *b, const rlxc_binding *call);

/* |call|, of an elementwise operator (RLXC_OP_BY_ELEMENT), on operands of unknown rank
 * (any_rank.c).
 */
rlxc_atom rlxc_lower_any_rank(rlxc_builder *b, const rlxc_binding *call);
/* The vector |x| whose length is not known, with the symbol |length| for it. */
rlxc_atom rlxc_lower_named_vector(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x,
                                  rlx_dtype dtype, const rlxc_expr *length);

#endif

/* Constants computed from lifted ones. See lifted.h. */
#include "compiler/ir/lifted.h"

#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"

static const rlxc_constant *first_lifted(rlxc_atom atom)
{
    const rlxc_constant *found = NULL;
    if (atom.kind == RLXC_ATOM_CONSTANT)
        return atom.constant->lifted ? atom.constant : NULL;
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_TUPLE && i < atom.n && !found; i++)
        found = first_lifted(atom.items[i]);
    return found;
}

bool rlxc_is_lifted(rlxc_atom atom)
{
    return first_lifted(atom) != NULL;
}

const rlxc_constant *rlxc_first_lifted(const rlxc_binding *made)
{
    const rlxc_constant *found = NULL;
    for (uint32_t i = 0; i < made->n_args && !found; i++)
        found = first_lifted(made->args[i]);
    return found;
}

rlxc_constant *rlxc_constant_call(rlxc_context *ctx, const char *op, const rlxc_atom *args,
                                  uint32_t n_args, rlxc_attrs attrs, rlx_dtype dtype, uint32_t ndim,
                                  const int64_t *shape)
{
    rlxc_constant *made = rlxc_constant_new(ctx, dtype, ndim, shape, NULL, 0);
    rlxc_binding *binding = rlxc_binding_new(ctx, RLXC_FORM_CALL, NULL);
    binding->op = rlxc_find_operator(op, strlen(op));
    binding->args = rlxc_copy(ctx, args, n_args * sizeof *args);
    binding->n_args = n_args;
    binding->attrs = attrs;
    const rlxc_constant *first = rlxc_first_lifted(binding);
    made->name = first ? first->name : NULL;
    made->lifted = first != NULL;
    made->made = binding;
    return made;
}

rlxc_constant *rlxc_constant_each(rlxc_context *ctx, const char *op, const rlxc_constant *a,
                                  const rlxc_constant *b)
{
    const rlxc_atom args[2] = {rlxc_atom_constant(a), b ? rlxc_atom_constant(b) : (rlxc_atom){0}};
    return rlxc_constant_call(ctx, op, args, b ? 2 : 1, (rlxc_attrs){0}, a->dtype, a->ndim,
                              a->shape);
}

rlxc_constant *rlxc_constant_cast(rlxc_context *ctx, const rlxc_constant *from, rlx_dtype dtype)
{
    const rlxc_atom arg = rlxc_atom_constant(from);
    const rlxc_attrs to = rlxc_attrs_with(ctx, (rlxc_attrs){0}, rlxc_intern_cstr(ctx, "dtype"),
                                          rlxc_attr_dtype(dtype));
    return rlxc_constant_call(ctx, "astype", &arg, 1, to, dtype, from->ndim, from->shape);
}

rlxc_constant *rlxc_constant_by(rlxc_context *ctx, const rlxc_constant *from, const char *op,
                                rlxc_atom to, rlxc_attrs attrs, uint32_t ndim, const int64_t *shape,
                                const void *data, size_t nbytes)
{
    const rlxc_atom args[2] = {rlxc_atom_constant(from), to};
    const uint32_t n = to.kind == RLXC_ATOM_NONE ? 1 : 2;
    rlxc_constant *made =
        from->lifted || from->made
            ? rlxc_constant_call(ctx, op, args, n, attrs, from->dtype, ndim, shape)
            : rlxc_constant_new(ctx, from->dtype, ndim, shape, NULL, 0);
    made->name = from->name;
    made->data = data;
    made->nbytes = nbytes;
    return made;
}

rlxc_constant *rlxc_constant_reshaped(rlxc_context *ctx, const rlxc_constant *from, uint32_t ndim,
                                      const int64_t *shape)
{
    const rlxc_expr **dims = rlxc_alloc(ctx, ((size_t)ndim + 1) * sizeof *dims);
    for (uint32_t i = 0; i < ndim; i++)
        dims[i] = rlxc_i64(ctx, shape[i]);
    return rlxc_constant_by(ctx, from, "reshape", rlxc_atom_shape(ctx, dims, ndim), (rlxc_attrs){0},
                            ndim, shape, from->data, from->nbytes);
}

rlxc_constant *rlxc_constant_permuted(rlxc_context *ctx, const rlxc_constant *from,
                                      const int64_t *order, const void *data)
{
    int64_t shape[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < from->ndim; i++)
        shape[i] = from->shape[order[i]];
    const rlxc_attrs axes = rlxc_attrs_with(ctx, (rlxc_attrs){0}, rlxc_intern_cstr(ctx, "axes"),
                                            rlxc_attr_ints(ctx, order, from->ndim));
    return rlxc_constant_by(ctx, from, "permute_dims", (rlxc_atom){0}, axes, from->ndim, shape,
                            data, from->nbytes);
}

void rlxc_constant_state(rlxc_context *ctx, rlxc_constant *c, const rlxc_constant *from)
{
    const rlxc_constant *same = from;
    if (!from->lifted)
        return;
    if (!rlxc_dtype_eq(from->dtype, c->dtype))
        same = rlxc_constant_cast(ctx, same, c->dtype);
    same = rlxc_constant_reshaped(ctx, same, c->ndim, c->shape);
    c->name = same->name;
    c->lifted = true;
    c->made = same->made;
    c->id = same->id; /* behind those of its operands */
}

/* Lowers operators to other operators (compose.h). */
#include "compiler/ops/compose.h"
#include "compiler/ops/state.h"

#include <string.h>

rlxc_attrs rlxc_and_attr(rlxc_context *ctx, rlxc_attrs attrs, const char *name, rlxc_attr value)
{
    return rlxc_attrs_with(ctx, attrs, rlxc_intern_cstr(ctx, name), value);
}

rlxc_attrs rlxc_one_attr(rlxc_context *ctx, const char *name, rlxc_attr value)
{
    return rlxc_and_attr(ctx, (rlxc_attrs){0}, name, value);
}

rlxc_atom rlxc_lower_op(rlxc_builder *b, const rlxc_binding *call, const char *op,
                        const rlxc_atom *args, uint32_t n, rlxc_attrs attrs)
{
    rlxc_context *ctx = b->ctx;
    rlxc_op_schema schema;
    for (uint32_t i = 0; i < n; i++)
        if (args[i].kind == RLXC_ATOM_NONE) /* an earlier part failed */
            return (rlxc_atom){0};
    rlxc_binding *part = rlxc_binding_new(ctx, RLXC_FORM_CALL,
                                          rlxc_rvar_new(ctx, b->function, call->var->name, NULL));
    part->var->is_dataflow = b->block->is_dataflow;
    part->op = rlxc_find_operator(op, strlen(op));
    part->args = rlxc_copy(ctx, args, n * sizeof *args);
    part->n_args = n;
    part->range = call->range;
    rlxc_operator_schema(ctx, part->op, &schema);
    for (uint32_t i = 0; i < schema.n_attrs; i++) {
        const char *name = rlxc_intern(ctx, schema.attrs[i].name, schema.attrs[i].name_length);
        const rlxc_attr *set = rlxc_attrs_find(&attrs, name);
        part->attrs =
            rlxc_attrs_with(ctx, part->attrs, name, set ? *set : schema.attrs[i].default_value);
    }
    rlxc_requirements open = {0};
    part->var->sinfo = rlxc_infer_requirements(ctx, b->module, part, &open);
    if (!part->var->sinfo || rlxc_failed(ctx))
        return (rlxc_atom){0};
    for (uint32_t i = 0; i < open.items.count; i++)
        rlxc_emit_check(b, &open.items.items[i]);
    rlxc_atom lowered = part->op->legalize ? part->op->legalize(b, part) : (rlxc_atom){0};
    if (lowered.kind != RLXC_ATOM_NONE || rlxc_failed(ctx))
        return lowered;
    return rlxc_emit(b, part);
}

rlxc_atom rlxc_lower1(rlxc_builder *b, const rlxc_binding *call, const char *op, rlxc_atom x)
{
    return rlxc_lower_op(b, call, op, &x, 1, (rlxc_attrs){0});
}

rlxc_atom rlxc_lower2(rlxc_builder *b, const rlxc_binding *call, const char *op, rlxc_atom lhs,
                      rlxc_atom rhs)
{
    rlxc_atom args[2] = {lhs, rhs};
    return rlxc_lower_op(b, call, op, args, 2, (rlxc_attrs){0});
}

rlxc_atom rlxc_lower_astype(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, rlx_dtype dtype)
{
    const rlxc_sinfo *s = x.kind == RLXC_ATOM_NONE ? NULL : rlxc_atom_sinfo(b->ctx, b->module, x);
    if (!s || rlxc_dtype_eq(s->dtype, dtype))
        return x;
    return rlxc_lower_op(b, call, "astype", &x, 1,
                         rlxc_one_attr(b->ctx, "dtype", rlxc_attr_dtype(dtype)));
}

rlxc_atom rlxc_lower_reshape(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x,
                             const rlxc_expr *const *dims, uint32_t n)
{
    return rlxc_lower2(b, call, "reshape", x, rlxc_atom_shape(b->ctx, dims, n));
}

rlxc_atom rlxc_lower_field(rlxc_builder *b, const rlxc_binding *call, rlxc_atom tuple, uint32_t i)
{
    if (tuple.kind == RLXC_ATOM_NONE)
        return tuple;
    if (tuple.kind == RLXC_ATOM_TUPLE)
        return tuple.items[i];
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, tuple);
    rlxc_binding *get =
        rlxc_binding_new(b->ctx, RLXC_FORM_TUPLE_GET,
                         rlxc_rvar_new(b->ctx, b->function, call->var->name, s->fields[i]));
    get->args = rlxc_copy(b->ctx, &tuple, sizeof tuple);
    get->n_args = 1;
    get->index = i;
    get->range = call->range;
    return rlxc_emit(b, get);
}

rlxc_atom rlxc_lower_tuple(rlxc_builder *b, const rlxc_binding *call, const rlxc_atom *fields,
                           uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (fields[i].kind == RLXC_ATOM_NONE)
            return (rlxc_atom){0};
    rlxc_binding *tuple = rlxc_binding_new(
        b->ctx, RLXC_FORM_TUPLE, rlxc_rvar_new(b->ctx, b->function, call->var->name, NULL));
    tuple->args = rlxc_copy(b->ctx, fields, n * sizeof *fields);
    tuple->n_args = n;
    tuple->range = call->range;
    return rlxc_emit(b, tuple);
}

static rlxc_atom constant_of(rlxc_context *ctx, rlx_dtype dtype, const void *data, size_t size)
{
    return rlxc_atom_constant(
        rlxc_constant_new(ctx, dtype, 0, NULL, rlxc_copy(ctx, data, size), size));
}

rlxc_atom rlxc_scalar_atom(rlxc_context *ctx, rlx_dtype dtype, double value)
{
    if (rlxc_dtype_is_bool(dtype))
        return constant_of(ctx, dtype, &(uint8_t){value != 0}, 1);
    if (rlxc_dtype_is_byte(dtype))
        return constant_of(ctx, dtype, &(uint8_t){(uint8_t)(int)value}, 1);
    if (rlxc_dtype_eq(dtype, RLX_I64))
        return constant_of(ctx, dtype, &(int64_t){(int64_t)value}, sizeof(int64_t));
    if (rlxc_dtype_eq(dtype, RLX_I32))
        return constant_of(ctx, dtype, &(int32_t){(int32_t)value}, sizeof(int32_t));
    if (rlxc_dtype_eq(dtype, RLX_F64))
        return constant_of(ctx, dtype, &value, sizeof value);
    return constant_of(ctx, RLX_F32, &(float){(float)value}, sizeof(float));
}

static bool lowerable(const rlxc_call_view *v, uint32_t i, const rlxc_sinfo *s)
{
    if (s->kind != RLXC_SINFO_TENSOR || (rlxc_dims_known(s) && !rlxc_dtype_is_void(s->dtype)))
        return true;
    rlxc_infer_fail(v, i, "its shape and element type must be known: %s",
                    rlxc_sinfo_text(v->ctx, s));
    return false;
}

bool rlxc_lower_begin(rlxc_call_view *v, rlxc_builder *b, const rlxc_binding *call)
{
    if (!call->op->infer(b->ctx, b->module, call) || !rlxc_infer_begin(v, b->ctx, b->module, call))
        return false;
    for (uint32_t i = 0; i < v->n_inputs; i++) {
        if (!v->in[i])
            continue;
        if (!lowerable(v, i, v->in[i]))
            return false;
        for (uint32_t k = 0; v->in[i]->kind == RLXC_SINFO_TUPLE && k < v->in[i]->n_fields; k++)
            if (!lowerable(v, i, v->in[i]->fields[k]))
                return false;
    }
    return true;
}

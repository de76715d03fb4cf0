/* Scalars as operands of tensors, and tensors as conditions (infer_forms.h).
 *
 * A number takes the type of the tensor beside it, as Python's numbers do; a scalar known only at
 * run time keeps its own. An if accepts a tensor of one element, of bool or integers, of any rank,
 * as TVM's VM does. */
#include "compiler/passes/infer_forms.h"

#include "compiler/ops/builtin_call.h"
#include "compiler/ops/compose.h"

static rlxc_atom emit1(rlxc_builder *b, const rlxc_binding *at, const char *op, rlxc_atom x,
                       rlxc_attrs attrs)
{
    b->range = at->range;
    return rlxc_emit_op(b, op, &x, 1, attrs, "lv");
}

static rlxc_atom as_type(rlxc_builder *b, const rlxc_binding *at, rlxc_atom x, rlx_dtype dtype)
{
    return emit1(b, at, "astype", x, rlxc_one_attr(b->ctx, "dtype", rlxc_attr_dtype(dtype)));
}

static rlxc_atom as_rank_0(rlxc_builder *b, const rlxc_binding *at, rlxc_atom x)
{
    rlxc_atom args[2] = {x, rlxc_atom_shape(b->ctx, NULL, 0)};
    b->range = at->range;
    return rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, "lv");
}

/* A number as a constant of |dtype|. */
static rlxc_atom number(rlxc_builder *b, const rlxc_binding *at, const rlxc_expr *e,
                        rlx_dtype dtype)
{
    double value = e->kind == RLXC_EXPR_FLOAT ? e->f : (double)e->i;
    bool narrow = rlxc_dtype_is_float(dtype) && dtype.bits < 32;
    if (rlxc_dtype_is_int(dtype) && !rlx_dtype_eq(dtype, RLX_I64))
        return as_type(b, at, rlxc_scalar_atom(b->ctx, RLX_I64, value), dtype);
    rlxc_atom c = rlxc_scalar_atom(b->ctx, narrow ? RLX_F32 : dtype, value);
    return narrow ? as_type(b, at, c, dtype) : c;
}

/* The int64 |value|, which is an expression of symbols. */
static rlxc_atom symbol(rlxc_builder *b, const rlxc_binding *at, const rlxc_expr *value)
{
    rlxc_atom shape = rlxc_atom_shape(b->ctx, &value, 1);
    return as_rank_0(b, at, emit1(b, at, "shape_to_tensor", shape, (rlxc_attrs){0}));
}

static rlxc_atom tensor_of(rlxc_builder *b, const rlxc_binding *at, rlxc_atom atom,
                           const rlxc_sinfo *s, rlx_dtype beside)
{
    const rlxc_expr *value = s->value;
    bool known = value && (value->kind == RLXC_EXPR_INT || value->kind == RLXC_EXPR_FLOAT);
    bool fits = known && (value->kind == RLXC_EXPR_FLOAT ||
                          (value->i > -((int64_t)1 << 53) && value->i < (int64_t)1 << 53));
    bool whole = known && (value->kind == RLXC_EXPR_INT || (double)(int64_t)value->f == value->f);
    bool takes = !rlxc_dtype_is_void(beside) && (rlxc_dtype_is_float(beside) || whole);
    if (fits)
        return number(b, at, value, takes ? beside : s->dtype);
    if (value && rlxc_dtype_eq(s->dtype, RLX_I64))
        return symbol(b, at, value);
    bool narrow = rlxc_dtype_is_float(s->dtype) && s->dtype.bits < 32;
    rlx_dtype dtype = narrow ? RLX_F32 : s->dtype;
    rlxc_atom args[2] = {atom, rlxc_atom_dtype(dtype)};
    rlxc_atom made = rlxc_emit_builtin(b, at, "rlx.scalar", args, 2,
                                       rlxc_sinfo_tensor(b->ctx, dtype, 0, NULL, NULL), true);
    return narrow ? as_type(b, at, made, s->dtype) : made;
}

static const rlxc_sinfo *type_of(const rlxc_builder *b, rlxc_atom atom)
{
    bool value = atom.kind == RLXC_ATOM_VAR || atom.kind == RLXC_ATOM_CONSTANT ||
                 atom.kind == RLXC_ATOM_PRIM;
    return value ? rlxc_atom_sinfo(b->ctx, b->module, atom) : NULL;
}

static void make_operands(rlxc_builder *b, rlxc_binding *binding)
{
    rlx_dtype beside = rlxc_dtype_void();
    bool any = false;
    for (uint32_t i = 0; i < binding->n_args; i++) {
        const rlxc_sinfo *s = type_of(b, binding->args[i]);
        any |= s && s->kind == RLXC_SINFO_PRIM;
        if (s && s->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_void(beside))
            beside = s->dtype;
    }
    if (!any)
        return;
    rlxc_op_schema schema;
    rlxc_operator_schema(b->ctx, binding->op, &schema);
    rlxc_atom *args = rlxc_copy(b->ctx, binding->args, binding->n_args * sizeof *args);
    for (uint32_t i = 0; i < binding->n_args && i < schema.n_inputs; i++) {
        const rlxc_sinfo *s = type_of(b, args[i]);
        bool index = schema.inputs[i].is_index;
        bool tensor = !schema.inputs[i].is_tuple && (schema.inputs[i].kind == 't' || index);
        if (tensor && s && s->kind == RLXC_SINFO_PRIM)
            args[i] = tensor_of(b, binding, args[i], s, index ? rlxc_dtype_void() : beside);
    }
    binding->args = args;
}

static void make_condition(rlxc_builder *b, rlxc_binding *binding)
{
    rlxc_atom cond = binding->args[0];
    const rlxc_sinfo *s = type_of(b, cond);
    if (!s || s->kind != RLXC_SINFO_TENSOR || s->ndim == RLXC_UNKNOWN_NDIM)
        return;
    bool one = rlxc_dims_known(s);
    for (int32_t i = 0; one && i < s->ndim; i++)
        one = rlxc_is_const(s->dims[i], 1);
    if (!one)
        return;
    if (s->ndim > 0)
        cond = as_rank_0(b, binding, cond);
    if (rlxc_dtype_is_int(s->dtype))
        cond = as_type(b, binding, cond, RLX_B8);
    binding->args = rlxc_copy(b->ctx, &cond, sizeof cond);
}

bool rlxc_make_plain(rlxc_builder *b, rlxc_binding *binding)
{
    if (binding->form == RLXC_FORM_CALL && binding->op) {
        make_operands(b, binding);
        return rlxc_unpack_layouts(b, binding);
    }
    if (binding->form == RLXC_FORM_IF)
        make_condition(b, binding);
    return true;
}

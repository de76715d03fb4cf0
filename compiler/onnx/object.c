/* Sequences and optionals that are known only at run time (object.h).
 *
 * Such a value is a variable of type Object, which holds a tuple, a tensor or none; the importer
 * keeps the common type of its tensors, and a match_cast checks it when one is taken out. A
 * sequence of known length stays a list of values until it must become such a variable: in a loop,
 * or where the branches of an If differ. */
#include "compiler/onnx/object.h"

#include <string.h>

rlxc_ox_value *rlxc_ox_object(rlxc_ox *im, rlxc_atom atom, const rlxc_ox_elem *elem, bool is_list,
                              bool maybe)
{
    rlxc_ox_value *v = rlxc_alloc(im->ctx, sizeof *v);
    *v = (rlxc_ox_value){
        .kind = RLXC_OX_OBJECT, .atom = atom, .elem = elem, .is_list = is_list, .maybe = maybe};
    return v;
}

const rlxc_ox_elem *rlxc_ox_elem_of(rlxc_ox *im, const rlxc_sinfo *s)
{
    rlxc_ox_elem *e = rlxc_alloc(im->ctx, sizeof *e);
    e->dtype = s->dtype;
    e->ndim = s->ndim;
    for (int32_t i = 0; i < s->ndim; i++)
        if (!s->dims || !rlxc_is_int(s->dims[i], &e->dims[i]))
            e->dims[i] = RLXC_OX_ANY_DIM;
    return e;
}

const rlxc_sinfo *rlxc_ox_elem_type(rlxc_ox *im, const rlxc_ox_elem *e)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    for (int32_t i = 0; i < e->ndim; i++)
        dims[i] = e->dims[i] == RLXC_OX_ANY_DIM
                      ? rlxc_fresh_shape_var(im->ctx, rlxc_internf(im->ctx, "d%d", i))
                      : rlxc_ox_i(im, e->dims[i]);
    return rlxc_sinfo_tensor(im->ctx, e->dtype, e->ndim, e->ndim > 0 ? dims : NULL, NULL);
}

static bool same_elem(const rlxc_ox_elem *a, const rlxc_ox_elem *b)
{
    if (!a || !b || a == b)
        return a == b;
    bool same = rlxc_dtype_eq(a->dtype, b->dtype) && a->ndim == b->ndim;
    for (int32_t i = 0; same && i < a->ndim; i++)
        same = a->dims[i] == b->dims[i];
    return same;
}

bool rlxc_ox_same_object(const rlxc_ox_value *a, const rlxc_ox_value *b)
{
    return a->is_list == b->is_list && a->maybe == b->maybe && same_elem(a->elem, b->elem);
}

rlxc_ox_value *rlxc_ox_joined(rlxc_ox *im, const rlxc_ox_value *a, const rlxc_ox_value *b)
{
    if (!a || !b)
        return NULL;
    /* If one optional is empty as far as known, the other one determines the content's type. */
    bool a_says = a->is_list || a->elem, b_says = b->is_list || b->elem;
    if (a_says && b_says && a->is_list != b->is_list) {
        rlxc_ox_fail(im, "the same value is used as a sequence and as a tensor");
        return NULL;
    }
    const rlxc_ox_elem *x = a->elem, *y = b->elem;
    rlxc_ox_elem *e = rlxc_alloc(im->ctx, sizeof *e);
    if (x && y && !rlxc_dtype_eq(x->dtype, y->dtype)) {
        rlxc_ox_fail(im, "the tensors of a sequence or optional differ in their element type");
        return NULL;
    }
    if (x && y) {
        *e = *x;
        e->ndim = x->ndim == y->ndim ? x->ndim : RLXC_UNKNOWN_NDIM;
        for (int32_t i = 0; i < e->ndim; i++)
            e->dims[i] = x->dims[i] == y->dims[i] ? x->dims[i] : RLXC_OX_ANY_DIM;
    }
    return rlxc_ox_object(im, (rlxc_atom){0},
                          x && y ? e
                          : x    ? x
                                 : y,
                          a->is_list || b->is_list, a->maybe || b->maybe);
}

rlxc_ox_value *rlxc_ox_described(rlxc_ox *im, const rlxc_ox_value *v)
{
    const rlxc_atom none = {0};
    switch (v->kind) {
    case RLXC_OX_FAILED:
        im->failed = true;
        return NULL;
    case RLXC_OX_ABSENT:
        return rlxc_ox_object(im, none, NULL, false, true);
    case RLXC_OX_OBJECT:
        return rlxc_ox_object(im, none, v->elem, v->is_list, v->maybe);
    case RLXC_OX_TENSOR: {
        const rlxc_expr *length = rlxc_ox_i(im, v->n_elems);
        const rlxc_sinfo *s = v->atom.kind != RLXC_ATOM_NONE
                                  ? rlxc_ox_info(im, v->atom)
                                  : rlxc_sinfo_tensor(im->ctx, v->dtype, v->is_vector,
                                                      v->is_vector ? &length : NULL, NULL);
        if (!s)
            rlxc_ox_fail(im, "a value is not a tensor");
        return s ? rlxc_ox_object(im, none, rlxc_ox_elem_of(im, s), false, false) : NULL;
    }
    case RLXC_OX_SEQUENCE:
        break;
    }
    rlxc_ox_value *all = rlxc_ox_object(im, none, v->elem, true, false);
    for (uint32_t i = 0; i < v->n_items && all; i++) {
        const rlxc_ox_value *item = v->items[i];
        if (item->kind != RLXC_OX_TENSOR && item->kind != RLXC_OX_FAILED) {
            rlxc_ox_fail(im, "only sequences of tensors may have a length known at run time");
            return NULL;
        }
        const rlxc_ox_value *one = rlxc_ox_described(im, item);
        all =
            one ? rlxc_ox_joined(im, all, rlxc_ox_object(im, none, one->elem, true, false)) : NULL;
    }
    return all;
}

rlxc_ox_value *rlxc_ox_object_of_type(rlxc_ox *im, const Onnx__TypeProto *type)
{
    bool maybe = false, is_list = false;
    rlxc_ox_elem *e = rlxc_alloc(im->ctx, sizeof *e);
    if (type && type->value_case == ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE && type->optional_type) {
        maybe = true;
        type = type->optional_type->elem_type;
    }
    if (type && type->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE && type->sequence_type) {
        is_list = true;
        type = type->sequence_type->elem_type;
    }
    if ((!maybe && !is_list) || !type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ||
        !type->tensor_type || !rlxc_ox_dtype_of(type->tensor_type->elem_type, &e->dtype))
        return NULL;
    const Onnx__TensorShapeProto *shape = type->tensor_type->shape;
    e->ndim = shape && shape->n_dim <= RLXC_MAX_NDIM ? (int32_t)shape->n_dim : RLXC_UNKNOWN_NDIM;
    for (int32_t i = 0; i < e->ndim; i++) {
        const Onnx__TensorShapeProto__Dimension *d = shape->dim[i];
        bool known = d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
                     d->dim_value >= 0;
        e->dims[i] = known ? d->dim_value : RLXC_OX_ANY_DIM;
    }
    return rlxc_ox_object(im, (rlxc_atom){0}, e, is_list, maybe);
}

rlxc_atom rlxc_ox_result(rlxc_ox *im, rlxc_ox_value *value)
{
    if (value->kind == RLXC_OX_ABSENT)
        return rlxc_ox_builtin(im, "rlx.null_value", NULL, 0, rlxc_sinfo_object(im->ctx));
    if (value->kind == RLXC_OX_OBJECT)
        return value->atom;
    if (value->kind != RLXC_OX_SEQUENCE)
        return rlxc_ox_atom(im, value);
    rlxc_atom *items = rlxc_alloc(im->ctx, (value->n_items + 1) * sizeof *items);
    for (uint32_t i = 0; i < value->n_items; i++)
        items[i] = rlxc_ox_result(im, value->items[i]);
    return rlxc_atom_tuple(im->ctx, items, value->n_items);
}

rlxc_atom rlxc_ox_unboxed(rlxc_ox *im, rlxc_atom object, const rlxc_ox_elem *elem)
{
    if (!elem) {
        rlxc_ox_fail(im, "the element type of the sequence is not known");
        return (rlxc_atom){0};
    }
    return rlxc_ox_match(im, object, rlxc_ox_elem_type(im, elem));
}

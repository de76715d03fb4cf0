/* Sequences and optionals: lists of values at compile time, which become tuples as results, or
 * run-time values if their length or a position is known only then (object.h). */
#include <string.h>

#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/object.h"

/* Sets output 0; |items| stay where they are. */
static void set_sequence(rlxc_ox *im, rlxc_ox_value *const *items, uint32_t n)
{
    rlxc_ox_value *v = rlxc_alloc(im->ctx, sizeof *v);
    if (n > RLXC_OX_MAX_ITEMS)
        rlxc_ox_fail(im, "a sequence of %u items; at most %d are supported", n, RLXC_OX_MAX_ITEMS);
    for (uint32_t i = 0; i < n && !im->failed; i++)
        if (items[i]->kind != RLXC_OX_TENSOR)
            rlxc_ox_fail(im, "sequences of anything but tensors are not supported");
    *v = (rlxc_ox_value){.kind = RLXC_OX_SEQUENCE, .n_items = n, .items = items};
    rlxc_ox_set_value(im, 0, v);
}

/* The description of a sequence input, with its atom as |out|; NULL if it is not one. */
static const rlxc_ox_value *list_in(rlxc_ox *im, uint32_t input, rlxc_atom *out)
{
    rlxc_ox_value *v = rlxc_ox_value_in(im, input);
    const rlxc_ox_value *about = rlxc_ox_described(im, v);
    *out = (rlxc_atom){0};
    if (about && !about->is_list)
        rlxc_ox_fail(im, "input %u is not a sequence", input);
    if (!about || !about->is_list)
        return NULL;
    *out = rlxc_ox_result(im, v);
    return about;
}

/* True if the node can be evaluated at compile time: a sequence of known length that does not get
 * too long, a known or absent position; |out| is that position, which may be |n| only if |end|. */
static bool is_static(rlxc_ox *im, uint32_t input, bool end, uint32_t *out)
{
    const rlxc_ox_value *s = rlxc_ox_value_in(im, 0);
    int64_t at, n = s->n_items;
    if (s->kind != RLXC_OX_SEQUENCE || (end && n >= RLXC_OX_MAX_ITEMS))
        return false;
    *out = (uint32_t)(end || n == 0 ? n : n - 1);
    if (rlxc_ox_has(im, input)) {
        if (!rlxc_ox_const_int(im, input, &at))
            return false;
        at += at < 0 ? n : 0;
        *out = at < 0 || at > n ? UINT32_MAX : (uint32_t)at;
    }
    if (*out > n || (*out == n && !end))
        rlxc_ox_fail(im, "the position is out of range for a sequence of %lld items", (long long)n);
    return true;
}

/* A position known only at run time. */
static rlxc_atom position(rlxc_ox *im, uint32_t input)
{
    return rlxc_ox_reshape(im, rlxc_ox_in(im, input), NULL, 0);
}

static void set_list(rlxc_ox *im, const char *builtin, const rlxc_atom *args, uint32_t n,
                     const rlxc_ox_elem *elem)
{
    rlxc_atom list = rlxc_ox_builtin(im, builtin, args, n, rlxc_sinfo_object(im->ctx));
    rlxc_ox_set_value(im, 0, rlxc_ox_object(im, list, elem, true, false));
}

void rlxc_ox_import_sequence_construct(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t n = rlxc_ox_n_inputs(im);
    rlxc_ox_value **items = rlxc_alloc(im->ctx, (n + 1) * sizeof *items);
    for (uint32_t i = 0; i < n; i++)
        items[i] = rlxc_ox_value_in(im, i);
    set_sequence(im, items, n);
}

void rlxc_ox_import_sequence_empty(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    set_sequence(im, NULL, 0);
}

void rlxc_ox_import_sequence_at(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t at;
    if (is_static(im, 1, false, &at)) {
        if (!im->failed)
            rlxc_ox_set_value(im, 0, rlxc_ox_value_in(im, 0)->items[at]);
        return;
    }
    rlxc_atom args[2];
    const rlxc_ox_value *about = list_in(im, 0, &args[0]);
    args[1] = position(im, 1);
    rlxc_atom item = rlxc_ox_builtin(im, "rlx.list_get", args, 2, rlxc_sinfo_object(im->ctx));
    if (about && !im->failed)
        rlxc_ox_set(im, 0, rlxc_ox_unboxed(im, item, about->elem));
}

void rlxc_ox_import_sequence_insert(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t at;
    if (is_static(im, 2, true, &at)) {
        const rlxc_ox_value *s = rlxc_ox_value_in(im, 0);
        rlxc_ox_value **items = rlxc_alloc(im->ctx, (s->n_items + 2) * sizeof *items);
        for (uint32_t i = 0; i <= s->n_items; i++)
            items[i] = i < at ? s->items[i] : i == at ? rlxc_ox_value_in(im, 1) : s->items[i - 1];
        set_sequence(im, items, s->n_items + 1);
        return;
    }
    rlxc_atom args[3];
    const rlxc_ox_value *about = list_in(im, 0, &args[0]);
    args[1] = rlxc_ox_in(im, 1);
    bool placed = rlxc_ox_has(im, 2);
    if (placed)
        args[2] = position(im, 2);
    const rlxc_sinfo *item = rlxc_ox_info(im, args[1]);
    if (!about || !item)
        return;
    about = rlxc_ox_joined(
        im, about, rlxc_ox_object(im, (rlxc_atom){0}, rlxc_ox_elem_of(im, item), true, false));
    if (about)
        set_list(im, "rlx.list_insert", args, placed ? 3 : 2, about->elem);
}

void rlxc_ox_import_sequence_erase(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t at;
    if (is_static(im, 1, false, &at)) {
        const rlxc_ox_value *s = rlxc_ox_value_in(im, 0);
        rlxc_ox_value **items = rlxc_alloc(im->ctx, (s->n_items + 1) * sizeof *items);
        for (uint32_t i = 0; i + 1 < s->n_items; i++)
            items[i] = s->items[i < at ? i : i + 1];
        if (!im->failed)
            set_sequence(im, items, s->n_items - 1);
        return;
    }
    rlxc_atom args[2];
    const rlxc_ox_value *about = list_in(im, 0, &args[0]);
    bool placed = rlxc_ox_has(im, 1);
    if (placed)
        args[1] = position(im, 1);
    if (about)
        set_list(im, "rlx.list_erase", args, placed ? 2 : 1, about->elem);
}

void rlxc_ox_import_sequence_length(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_ox_value *s = rlxc_ox_value_in(im, 0);
    if (s->kind == RLXC_OX_SEQUENCE) {
        const rlxc_expr *n = rlxc_ox_i(im, s->n_items);
        rlxc_ox_set_elems(im, 0, RLX_I64, false, &n, 1);
        return;
    }
    rlxc_atom list;
    if (list_in(im, 0, &list))
        rlxc_ox_set(im, 0,
                    rlxc_ox_builtin(im, "rlx.list_length", &list, 1,
                                    rlxc_sinfo_tensor(im->ctx, RLX_I64, 0, NULL, NULL)));
}

/* The items of a sequence of any length joined along |axis|, a new one where |is_new|. */
static void concat_list(rlxc_ox *im, int64_t axis, bool is_new)
{
    rlxc_atom args[3] = {
        {0}, rlxc_atom_prim(rlxc_ox_i(im, axis)), rlxc_atom_prim(rlxc_ox_i(im, is_new))};
    const rlxc_ox_value *about = list_in(im, 0, &args[0]);
    if (!about)
        return;
    if (!about->elem) {
        rlxc_ox_fail(im, "the element type of the sequence is not known");
        return;
    }
    rlxc_ox_elem e = *about->elem;
    if (e.ndim != RLXC_UNKNOWN_NDIM) {
        uint32_t ndim = (uint32_t)e.ndim + is_new, at = rlxc_ox_axis(im, axis, ndim);
        if (im->failed || ndim > RLXC_MAX_NDIM)
            return;
        if (is_new)
            memmove(e.dims + at + 1, e.dims + at, ((size_t)e.ndim - at) * sizeof *e.dims);
        e.dims[at] = RLXC_OX_ANY_DIM;
        e.ndim = (int32_t)ndim;
    }
    rlxc_atom whole = rlxc_ox_builtin(im, "rlx.list_concat", args, 3,
                                      rlxc_sinfo_tensor(im->ctx, e.dtype, e.ndim, NULL, NULL));
    rlxc_ox_set(im, 0, rlxc_ox_match(im, whole, rlxc_ox_elem_type(im, &e)));
}

void rlxc_ox_import_concat_from_sequence(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_ox_value *s = rlxc_ox_value_in(im, 0);
    const bool is_new = rlxc_ox_int(im, "new_axis", 0) != 0;
    int64_t axis = rlxc_ox_int(im, "axis", 0);
    bool known = s->kind == RLXC_OX_SEQUENCE; /* the length, and the ranks of the items */
    rlxc_atom *parts = rlxc_alloc(im->ctx, ((size_t)s->n_items + 1) * sizeof *parts);
    for (uint32_t i = 0; known && i < s->n_items; i++) {
        parts[i] = rlxc_ox_atom(im, s->items[i]);
        const rlxc_sinfo *info = rlxc_ox_info(im, parts[i]);
        known = info && info->ndim != RLXC_UNKNOWN_NDIM;
    }
    if (!known) {
        concat_list(im, axis, is_new);
        return;
    }
    if (s->n_items == 0) {
        rlxc_ox_fail(im, "the sequence is empty");
        return;
    }
    axis = rlxc_ox_axis(im, axis, rlxc_ox_ndim(im, parts[0]) + is_new);
    for (uint32_t i = 0; i < s->n_items && is_new; i++)
        parts[i] = rlxc_ox_expand_dims(im, parts[i], &axis, 1);
    rlxc_ox_set(im, 0, rlxc_ox_concat(im, parts, s->n_items, axis));
}

/* |x| split into a number of parts known only at run time: of one size, or of the sizes in a
 * vector. */
static void split_to_list(rlxc_ox *im, rlxc_atom x, uint32_t axis, bool keep)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, x);
    rlxc_atom args[4] = {x, rlxc_atom_prim(rlxc_ox_i(im, axis)),
                         rlxc_atom_prim(rlxc_ox_i(im, keep)), rlxc_atom_prim(rlxc_ox_i(im, 1))};
    if (rlxc_ox_has(im, 1))
        args[3] = rlxc_ox_cast(im, rlxc_ox_in(im, 1), RLX_I64);
    if (!s)
        return;
    rlxc_ox_elem *e = rlxc_copy(im->ctx, rlxc_ox_elem_of(im, s), sizeof *e);
    e->dims[axis] = rlxc_ox_has(im, 1) ? RLXC_OX_ANY_DIM : 1;
    if (!keep) {
        memmove(e->dims + axis, e->dims + axis + 1, ((size_t)e->ndim - axis - 1) * sizeof *e->dims);
        e->ndim--;
    }
    set_list(im, "rlx.list_split", args, 4, e);
}

/* True for a known, small number of parts. */
static bool few_parts(rlxc_ox *im, rlxc_atom x, uint32_t axis)
{
    rlxc_ox_value *v = rlxc_ox_value_in(im, 1);
    const rlxc_expr *const *sizes;
    uint32_t n;
    int64_t total, each = 1;
    const bool given = rlxc_ox_has(im, 1), known = given && rlxc_ox_known(im, v, &sizes, &n);
    if (known && v->is_vector)
        return n <= RLXC_OX_MAX_LIST;
    if (given && !known && rlxc_ox_ndim(im, rlxc_ox_in(im, 1)) == 1)
        return rlxc_ox_static_dim(im, rlxc_ox_in(im, 1), 0, &total) && total <= RLXC_MAX_NDIM * 4;
    if (given && (!known || !rlxc_is_int(sizes[0], &each)))
        return false;
    return rlxc_ox_static_dim(im, x, axis, &total) && each > 0 && total / each < RLXC_OX_MAX_LIST;
}

void rlxc_ox_import_split_to_sequence(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *sizes = NULL;
    uint32_t n = 0;
    int64_t each = 1, total;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", 0), rlxc_ox_ndim(im, x));
    bool scalar = true, keep = rlxc_ox_int(im, "keepdims", 1) != 0 || rlxc_ox_has(im, 1);
    if (im->failed)
        return;
    if (!few_parts(im, x, axis)) {
        split_to_list(im, x, axis, keep);
        return;
    }
    if (rlxc_ox_has(im, 1)) {
        rlxc_ox_value *v = rlxc_ox_value_in(im, 1);
        if (!rlxc_ox_elems(im, 1, &sizes, &n))
            return;
        scalar = v->elems ? !v->is_vector : rlxc_ox_ndim(im, rlxc_ox_in(im, 1)) == 0;
        const rlxc_expr *sum = rlxc_ox_i(im, 0), *whole = rlxc_ox_dim(im, x, axis);
        for (uint32_t i = 0; i < n; i++) {
            rlxc_ox_check_least(im, sizes[i], scalar ? 1 : 0, "a size");
            sum = rlxc_add(im->ctx, sum, sizes[i]);
        }
        if (!scalar)
            rlxc_ox_check_number(im, sum, whole, whole, "the sum of the sizes");
        if (im->failed)
            return;
        if (scalar)
            (void)rlxc_is_int(sizes[0], &each);
    }
    if (scalar) {
        total = rlxc_ox_need_dim(im, x, axis, "the length that is split");
        n = (uint32_t)(total / each + (total % each != 0));
    }
    rlxc_ox_value **items = rlxc_alloc(im->ctx, (n + 1) * sizeof *items);
    const rlxc_expr *at = rlxc_ox_i(im, 0);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *end = rlxc_add(im->ctx, at, scalar ? rlxc_ox_i(im, each) : sizes[i]);
        rlxc_atom part = rlxc_ox_slice(im, x, axis, at, end, 1);
        const int64_t axes[1] = {axis};
        if (!keep)
            part = rlxc_ox_op0(im, "squeeze", part,
                               rlxc_ox_with_ints(im, (rlxc_attrs){0}, "axis", axes, 1));
        items[i] = rlxc_ox_tensor(im, part);
        at = end;
    }
    set_sequence(im, items, n);
}

void rlxc_ox_import_optional(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set_value(im, 0, rlxc_ox_value_in(im, 0));
}

void rlxc_ox_import_optional_get(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    if (v->kind == RLXC_OX_ABSENT)
        rlxc_ox_fail(im, "the optional is empty");
    if (v->kind != RLXC_OX_OBJECT)
        rlxc_ox_set_value(im, 0, rlxc_copy(im->ctx, v, sizeof *v));
    else if (v->is_list)
        set_list(im, "rlx.list", &v->atom, 1, v->elem);
    else
        rlxc_ox_set(im, 0, rlxc_ox_unboxed(im, v->atom, v->elem));
}

void rlxc_ox_import_optional_has(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    const rlxc_expr *yes = rlxc_ox_i(im, v->kind != RLXC_OX_ABSENT);
    if (v->kind == RLXC_OX_OBJECT && v->maybe)
        rlxc_ox_set(im, 0,
                    rlxc_ox_builtin(im, "rlx.has_value", &v->atom, 1,
                                    rlxc_sinfo_tensor(im->ctx, RLX_B8, 0, NULL, NULL)));
    else
        rlxc_ox_set_elems(im, 0, RLX_B8, false, &yes, 1);
}

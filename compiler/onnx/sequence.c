/* Sequences and optionals: known lists of values while the model is compiled, tuples where they
 * leave the model. */
#include <string.h>

#include "compiler/onnx/handlers.h"

static rlxc_ox_value *sequence_of(rlxc_ox *im, rlxc_ox_value *const *items, uint32_t n)
{
    rlxc_ox_value *v = rlxc_alloc(im->ctx, sizeof *v);
    v->kind = RLXC_OX_SEQUENCE;
    v->n_items = n;
    v->items = rlxc_copy(im->ctx, items, (n + 1) * sizeof *items);
    return v;
}

static rlxc_ox_value *sequence_in(rlxc_ox *im, uint32_t input)
{
    rlxc_ox_value *v = rlxc_ox_value_in(im, input);
    if (v->kind != RLXC_OX_SEQUENCE)
        rlxc_ox_fail(im, "input %u is not a sequence of known length", input);
    return v->kind == RLXC_OX_SEQUENCE ? v : sequence_of(im, (rlxc_ox_value *[1]){NULL}, 0);
}

/* A place in a sequence of |n|; |n| itself only where |end|. */
static bool position(rlxc_ox *im, uint32_t input, uint32_t n, bool end, uint32_t *out)
{
    int64_t at;
    *out = end ? n : n - 1;
    if (!rlxc_ox_has(im, input))
        return true;
    if (!rlxc_ox_const_int(im, input, &at)) {
        rlxc_ox_fail(im, "the position in a sequence must be known when the model is compiled");
        return false;
    }
    at += at < 0 ? n : 0;
    if (at < 0 || at > n || (at == n && !end)) {
        rlxc_ox_fail(im, "position %lld is outside of a sequence of %u", (long long)at, n);
        return false;
    }
    *out = (uint32_t)at;
    return true;
}

void rlxc_ox_import_sequence_construct(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t n = rlxc_ox_n_inputs(im);
    rlxc_ox_value **items = rlxc_alloc(im->ctx, (n + 1) * sizeof *items);
    for (uint32_t i = 0; i < n; i++)
        items[i] = rlxc_ox_value_in(im, i);
    rlxc_ox_set_value(im, 0, sequence_of(im, items, n));
}

void rlxc_ox_import_sequence_empty(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set_value(im, 0, sequence_of(im, (rlxc_ox_value *[1]){NULL}, 0));
}

void rlxc_ox_import_sequence_at(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t at;
    const rlxc_ox_value *s = sequence_in(im, 0);
    if (position(im, 1, s->n_items, false, &at) && at < s->n_items)
        rlxc_ox_set_value(im, 0, s->items[at]);
}

void rlxc_ox_import_sequence_insert(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t at;
    const rlxc_ox_value *s = sequence_in(im, 0);
    if (!position(im, 2, s->n_items, true, &at))
        return;
    rlxc_ox_value **items = rlxc_alloc(im->ctx, (s->n_items + 2) * sizeof *items);
    for (uint32_t i = 0; i <= s->n_items; i++)
        items[i] = i < at ? s->items[i] : i == at ? rlxc_ox_value_in(im, 1) : s->items[i - 1];
    rlxc_ox_set_value(im, 0, sequence_of(im, items, s->n_items + 1));
}

void rlxc_ox_import_sequence_erase(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    uint32_t at;
    const rlxc_ox_value *s = sequence_in(im, 0);
    if (!position(im, 1, s->n_items, false, &at) || s->n_items == 0)
        return;
    rlxc_ox_value **items = rlxc_alloc(im->ctx, (s->n_items + 1) * sizeof *items);
    for (uint32_t i = 0; i + 1 < s->n_items; i++)
        items[i] = s->items[i < at ? i : i + 1];
    rlxc_ox_set_value(im, 0, sequence_of(im, items, s->n_items - 1));
}

void rlxc_ox_import_sequence_length(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *n = rlxc_ox_i(im, sequence_in(im, 0)->n_items);
    rlxc_ox_set_elems(im, 0, RLX_I64, false, &n, 1);
}

void rlxc_ox_import_concat_from_sequence(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_ox_value *s = sequence_in(im, 0);
    bool is_new = rlxc_ox_int(im, "new_axis", 0) != 0;
    rlxc_atom *parts = rlxc_alloc(im->ctx, (s->n_items + 1) * sizeof *parts);
    if (s->n_items == 0) {
        rlxc_ox_fail(im, "the sequence is empty");
        return;
    }
    for (uint32_t i = 0; i < s->n_items; i++)
        parts[i] = rlxc_ox_atom(im, s->items[i]);
    int64_t axis =
        rlxc_ox_axis(im, rlxc_ox_int(im, "axis", 0), rlxc_ox_ndim(im, parts[0]) + is_new);
    for (uint32_t i = 0; i < s->n_items && is_new; i++)
        parts[i] = rlxc_ox_expand_dims(im, parts[i], &axis, 1);
    rlxc_ox_set(im, 0, rlxc_ox_concat(im, parts, s->n_items, axis));
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
    rlxc_ox_value *items[RLXC_OX_MAX_LIST];
    if (rlxc_ox_has(im, 1)) {
        rlxc_ox_value *v = rlxc_ox_value_in(im, 1);
        if (!rlxc_ox_elems(im, 1, &sizes, &n))
            return;
        scalar = v->elems ? !v->is_vector : rlxc_ox_ndim(im, rlxc_ox_in(im, 1)) == 0;
        if (scalar && !rlxc_is_int(sizes[0], &each)) {
            rlxc_ox_fail(im, "the size of the parts must be known when the model is compiled");
            return;
        }
    }
    if (scalar) {
        total = rlxc_ox_need_dim(im, x, axis, "the length that is split");
        n = each > 0 && total / each < RLXC_OX_MAX_LIST ? (uint32_t)((total + each - 1) / each)
                                                        : UINT32_MAX;
    }
    if (n > RLXC_OX_MAX_LIST) {
        rlxc_ox_fail(im, "more than %d parts", RLXC_OX_MAX_LIST);
        return;
    }
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
    rlxc_ox_set_value(im, 0, sequence_of(im, items, n));
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
    rlxc_ox_set_value(im, 0, rlxc_copy(im->ctx, v, sizeof *v));
}

void rlxc_ox_import_optional_has(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *yes = rlxc_ox_i(im, rlxc_ox_value_in(im, 0)->kind != RLXC_OX_ABSENT);
    rlxc_ox_set_elems(im, 0, RLX_B8, false, &yes, 1);
}

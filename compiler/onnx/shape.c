/* Operators that only move, join or make elements.
 *
 * Small integer tensors with known elements stay known through them. */
#include <string.h>

#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/sizes.h"
#include "compiler/onnx/window.h"

/* --- constants -------------------------------------------------------------------------------- */

void rlxc_ox_import_constant(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const Onnx__AttributeProto *a;
    const rlxc_constant *c = NULL;
    double values[RLXC_OX_MAX_LIST];
    int64_t shape[1];
    if (im->node->n_attribute != 1) {
        rlxc_ox_fail(im, "%zu values; a constant has one", im->node->n_attribute);
        return;
    }
    if ((a = rlxc_ox_attr(im, "value")) && a->t) {
        if ((c = rlxc_ox_constant(im, a->t, "value")))
            rlxc_ox_set(im, 0, rlxc_atom_constant(c));
        return;
    }
    if ((a = rlxc_ox_attr(im, "sparse_value")) && a->sparse_tensor) {
        if ((c = rlxc_ox_sparse_constant(im, a->sparse_tensor, "sparse_value")))
            rlxc_ox_set(im, 0, rlxc_atom_constant(c));
        return;
    }
    if ((a = rlxc_ox_attr(im, "value_float"))) {
        rlxc_ox_set(im, 0, rlxc_ox_number(im, RLX_F32, (double)a->f));
    } else if ((a = rlxc_ox_attr(im, "value_int"))) {
        const rlxc_expr *e = rlxc_ox_i(im, a->i);
        rlxc_ox_set_elems(im, 0, RLX_I64, false, &e, 1);
    } else if ((a = rlxc_ox_attr(im, "value_floats")) && a->n_floats <= RLXC_OX_MAX_LIST) {
        for (size_t i = 0; i < a->n_floats; i++)
            values[i] = (double)a->floats[i];
        shape[0] = (int64_t)a->n_floats;
        rlxc_ox_set(im, 0, rlxc_ox_const_tensor(im, RLX_F32, 1, shape, values));
    } else if ((a = rlxc_ox_attr(im, "value_ints")) && a->n_ints <= RLXC_OX_MAX_ELEMS) {
        const rlxc_expr *elems[RLXC_OX_MAX_ELEMS];
        for (size_t i = 0; i < a->n_ints; i++)
            elems[i] = rlxc_ox_i(im, a->ints[i]);
        rlxc_ox_set_elems(im, 0, RLX_I64, true, elems, (uint32_t)a->n_ints);
    } else {
        rlxc_ox_fail(im, "the kind of constant is not supported");
    }
}

void rlxc_ox_import_constant_of_shape(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *dims;
    uint32_t n;
    int64_t count;
    const Onnx__AttributeProto *a = rlxc_ox_attr(im, "value");
    rlxc_atom fill = rlxc_ox_number(im, RLX_F32, 0);
    if (a && a->t) {
        const rlxc_constant *c = rlxc_ox_constant(im, a->t, "value");
        if (!c)
            return;
        fill = rlxc_ox_reshape(im, rlxc_atom_constant(c), NULL, 0);
        if (c->nbytes == (c->dtype.bits + 7u) / 8u)
            fill = rlxc_atom_constant(
                rlxc_constant_new(im->ctx, c->dtype, 0, NULL, c->data, c->nbytes));
    }
    if (!rlxc_ox_elems(im, 0, &dims, &n))
        return;
    for (uint32_t i = 0; i < n; i++)
        rlxc_ox_check_least(im, dims[i], 0, "a dimension");
    double value[1];
    uint32_t one;
    if (n == 1 && rlxc_is_int(dims[0], &count) && count >= 0 && count <= RLXC_OX_MAX_ELEMS &&
        !rlxc_dtype_is_float(rlxc_ox_type(im, fill)) &&
        !rlxc_dtype_is_stored(rlxc_ox_type(im, fill)) &&
        rlxc_ox_const_doubles(im, rlxc_ox_tensor(im, fill), value, 1, &one)) {
        const rlxc_expr *elems[RLXC_OX_MAX_ELEMS];
        for (int64_t i = 0; i < count; i++)
            elems[i] = rlxc_ox_i(im, rlxc_ox_whole(value[0]));
        rlxc_ox_set_elems(im, 0, rlxc_ox_type(im, fill), true, elems, (uint32_t)count);
        return;
    }
    rlxc_ox_set(im, 0, rlxc_ox_op2(im, "full", rlxc_atom_shape(im->ctx, dims, n), fill));
}

void rlxc_ox_import_shape(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t n, begin = rlxc_ox_int(im, "start", 0), end = rlxc_ox_int(im, "end", INT64_MAX);
    if (v->elems) {
        n = v->is_vector ? 1 : 0;
        dims[0] = rlxc_ox_i(im, v->n_elems);
    } else {
        rlxc_atom x = rlxc_ox_in(im, 0);
        n = rlxc_ox_ndim(im, x);
        rlxc_ox_dims(im, x, dims);
    }
    begin += begin < 0 ? n : 0;
    end += end < 0 ? n : 0;
    begin = begin < 0 ? 0 : begin > n ? n : begin;
    end = end < begin ? begin : end > n ? n : end;
    rlxc_ox_set_elems(im, 0, RLX_I64, true, dims + begin, (uint32_t)(end - begin));
}

void rlxc_ox_import_size(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlxc_atom x = rlxc_ox_in(im, 0);
    rlxc_ox_dims(im, x, dims);
    const rlxc_expr *size = rlxc_product(im->ctx, dims, rlxc_ox_ndim(im, x));
    rlxc_ox_set_elems(im, 0, RLX_I64, false, &size, 1);
}

/* --- reshape ---------------------------------------------------------------------------------- */

/* A requested shape: at most one dimension is -1, and 0 means the input's dimension, which must
 * exist. */
static void check_shape(rlxc_ox *im, const rlxc_expr *const *want, uint32_t n, uint32_t ndim,
                        bool allow_zero)
{
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *one = rlxc_ox_i(im, 1), *open = zero;
    for (uint32_t i = 0; i < n; i++) {
        rlxc_ox_check_least(im, want[i], -1, "a dimension of the shape");
        if (!allow_zero && i >= ndim)
            rlxc_ox_check_nonzero(im, want[i], "a dimension of the shape that the input lacks");
        if (!rlxc_ox_is_size(im, want[i]))
            open =
                rlxc_add(im->ctx, open,
                         rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, want[i], zero), one, zero));
    }
    rlxc_ox_check_number(im, open, zero, one, "the number of dimensions of -1");
}

void rlxc_ox_import_reshape(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t list[RLXC_MAX_NDIM], d;
    uint32_t n;
    const rlxc_expr *const *want, *out[RLXC_MAX_NDIM], *dims[RLXC_MAX_NDIM];
    rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    const rlxc_expr *const *known;
    uint32_t m;
    if (rlxc_ox_ints(im, "shape", list, RLXC_MAX_NDIM, &n)) {
        const rlxc_expr **made = rlxc_alloc(im->ctx, (n + 1) * sizeof(const rlxc_expr *));
        for (uint32_t i = 0; i < n; i++)
            made[i] = rlxc_ox_i(im, list[i]);
        want = made;
    } else if (!rlxc_ox_elems(im, 1, &want, &n)) {
        return;
    }
    if (n == 1 && v->grid && rlxc_is_int(want[0], &d) &&
        (d == -1 || d == (int64_t)v->rows * v->columns)) {
        rlxc_ox_set_elems(im, 0, rlxc_ox_type(im, v->atom), true, v->grid, v->rows * v->columns);
        return;
    }
    if (n <= 1 && rlxc_ox_known_sizes(im, v, &known, &m) &&
        (n == 1 ? rlxc_is_int(want[0], &d) && (d == -1 || d == m) : m == 1)) {
        rlxc_ox_set_elems(im, 0, v->dtype, n == 1, known, m);
        return;
    }
    rlxc_atom x = rlxc_ox_in(im, 0);
    if (n > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "%u dimensions; at most %d are supported", n, RLXC_MAX_NDIM);
        return;
    }
    bool allow_zero = rlxc_ox_int(im, "allowzero", 0) != 0;
    int32_t open = -1;
    bool symbolic = false;
    uint32_t ndim = rlxc_ox_ndim(im, x);
    rlxc_ox_dims(im, x, dims);
    check_shape(im, want, n, ndim, allow_zero);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = want[i];
        if (rlxc_is_int(want[i], &d)) {
            if (d == 0 && !allow_zero && i < ndim)
                out[i] = dims[i];
            if (d == -1)
                open = (int32_t)i;
        } else if (!rlxc_ox_is_size(im, want[i])) {
            symbolic = true; /* read at run time: may be 0 or -1 */
        }
    }
    if (symbolic) {
        const rlxc_expr *total = rlxc_product(im->ctx, dims, ndim), *rest = rlxc_ox_i(im, 1);
        const rlxc_expr *zero = rlxc_ox_i(im, 0), *one = rlxc_ox_i(im, 1);
        for (uint32_t i = 0; i < n; i++) {
            if (!allow_zero && i < ndim)
                out[i] =
                    rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_EQ, want[i], zero), dims[i], want[i]);
            rest =
                rlxc_mul(im->ctx, rest,
                         rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, out[i], zero), one, out[i]));
        }
        rest = rlxc_ox_bin(im, RLXC_EXPR_MAX, rest, one); /* nothing is divided by 0 */
        for (uint32_t i = 0; i < n; i++)
            out[i] = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_LT, out[i], zero),
                                rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, total, rest), out[i]);
    } else if (open >= 0) {
        const rlxc_expr *top = rlxc_product(im->ctx, dims, ndim);
        out[open] = rlxc_ox_i(im, 1);
        const rlxc_expr *rest = rlxc_product(im->ctx, out, n);
        out[open] = rlxc_is_const(rest, 0) ? rest : rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, top, rest);
    }
    rlxc_atom y = rlxc_ox_reshape(im, x, out, n);
    int64_t size[2];
    if (n == 2 && rlxc_ox_known_sizes(im, v, &known, &m) && m <= RLXC_OX_MAX_ELEMS &&
        rlxc_ox_static_dim(im, y, 0, &size[0]) && rlxc_ox_static_dim(im, y, 1, &size[1]) &&
        size[0] > 0 && size[0] <= m && size[1] > 0 && size[1] <= m && size[0] * size[1] == m)
        rlxc_ox_set_grid(im, y, known, (uint32_t)size[0], (uint32_t)size[1]);
    else
        rlxc_ox_set(im, 0, y);
}

void rlxc_ox_import_flatten(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    const rlxc_expr *dims[RLXC_MAX_NDIM], *out[2];
    uint32_t ndim = rlxc_ox_ndim(im, x);
    int64_t axis = rlxc_ox_int(im, "axis", 1);
    uint32_t at = axis == ndim ? ndim : rlxc_ox_axis(im, axis, ndim);
    rlxc_ox_dims(im, x, dims);
    out[0] = rlxc_product(im->ctx, dims, at);
    out[1] = rlxc_product(im->ctx, dims + at, ndim - at);
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, x, out, 2));
}

void rlxc_ox_import_transpose(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (!rlxc_ox_ints(im, "perm", axes, RLXC_MAX_NDIM, &n))
        for (n = 0; n < ndim; n++)
            axes[n] = ndim - 1 - n;
    for (uint32_t i = 0; i < n && !im->failed; i++)
        if (axes[i] < 0 || axes[i] >= ndim)
            rlxc_ox_fail(im, "perm[%u] is %lld, expected 0 to %u", i, (long long)axes[i], ndim - 1);
    rlxc_atom y = n == 0 ? x : rlxc_ox_transpose(im, x, axes, n);
    const rlxc_ox_value *v = rlxc_ox_value_in(im, 0);
    const rlxc_expr *turned[RLXC_OX_MAX_ELEMS];
    if (!v->grid || n != 2 || axes[0] != 1) {
        rlxc_ox_set(im, 0, y);
        return;
    }
    for (uint32_t i = 0; i < v->rows * v->columns; i++)
        turned[i] = v->grid[i % v->rows * v->columns + i / v->rows];
    rlxc_ox_set_grid(im, y, turned, v->columns, v->rows);
}

void rlxc_ox_import_expand(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *want, *dims[RLXC_MAX_NDIM], *out[RLXC_MAX_NDIM];
    uint32_t n;
    if (!rlxc_ox_elems(im, 1, &want, &n))
        return;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x), to = n > ndim ? n : ndim;
    rlxc_ox_dims(im, x, dims);
    if (to > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "%u dimensions; at most %d are supported", to, RLXC_MAX_NDIM);
        return;
    }
    for (uint32_t i = 0; i < to; i++) {
        const rlxc_expr *d = i + ndim >= to ? dims[i + ndim - to] : rlxc_ox_i(im, 1);
        const rlxc_expr *w = i + n >= to ? want[i + n - to] : rlxc_ox_i(im, 1);
        int64_t known;
        if (!rlxc_is_const(d, 1) && d != w && !rlxc_is_const(w, 1)) {
            const rlxc_expr *one = rlxc_ox_i(im, 1);
            const rlxc_expr *same =
                rlxc_ox_bin(im, RLXC_EXPR_OR, rlxc_ox_bin(im, RLXC_EXPR_EQ, w, one),
                            rlxc_ox_bin(im, RLXC_EXPR_EQ, d, one));
            rlxc_ox_check_number(im, rlxc_ox_if(im, same, d, w), d, d, "a dimension of the shape");
        }
        rlxc_ox_check_least(im, w, 0, "a dimension of the shape");
        if (rlxc_is_const(d, 1) || d == w)
            out[i] = w;
        else if (rlxc_is_const(w, 1) || rlxc_is_int(d, &known))
            out[i] = d; /* w can only be 1 or the same */
        else if (rlxc_is_int(w, &known))
            out[i] = w;
        else
            out[i] = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_EQ, w, rlxc_ox_i(im, 1)), d, w);
    }
    rlxc_ox_set(im, 0, rlxc_ox_broadcast(im, x, out, to));
}

/* --- joining and cutting ---------------------------------------------------------------------- */

void rlxc_ox_import_concat(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *elems[RLXC_OX_MAX_ELEMS];
    uint32_t n = 0, inputs = rlxc_ox_n_inputs(im), m;
    const rlxc_expr *const *part;
    bool all = inputs > 0, only_constants = true;
    for (uint32_t i = 0; i < inputs && all; i++) {
        rlxc_ox_value *v = rlxc_ox_value_in(im, i);
        all = rlxc_ox_known(im, v, &part, &m) && v->is_vector && n + m <= RLXC_OX_MAX_ELEMS;
        only_constants &= v->atom.kind == RLXC_ATOM_CONSTANT && rlxc_dtype_is_float(v->dtype);
        for (uint32_t k = 0; all && k < m; k++)
            elems[n++] = part[k];
    }
    if (all && !only_constants) {
        rlxc_ox_set_elems(im, 0, rlxc_ox_value_in(im, 0)->dtype, true, elems, n);
        return;
    }
    rlxc_atom *parts = rlxc_alloc(im->ctx, (inputs + 1) * sizeof *parts);
    for (uint32_t i = 0; i < inputs; i++)
        parts[i] = rlxc_ox_in(im, i);
    if (inputs == 0) {
        rlxc_ox_fail(im, "no inputs");
        return;
    }
    rlxc_ox_set(im, 0, rlxc_ox_concat(im, parts, inputs, rlxc_ox_int(im, "axis", 1)));
}

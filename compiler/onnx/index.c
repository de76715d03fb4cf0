/* Operators that read or write at indices given as data. */
#include <math.h>
#include <string.h>

#include "compiler/ir/constant.h"
#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"

void rlxc_ox_import_gather(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *elems, *const *where, *out[RLXC_OX_MAX_ELEMS];
    uint32_t n, m;
    rlxc_ox_value *v = rlxc_ox_value_in(im, 0), *at = rlxc_ox_value_in(im, 1);
    if (rlxc_ox_known_sizes(im, v, &elems, &n) && v->is_vector &&
        rlxc_ox_known(im, at, &where, &m) && m <= RLXC_OX_MAX_ELEMS) {
        bool all = true;
        for (uint32_t i = 0; i < m && all; i++) {
            int64_t k;
            all = rlxc_is_int(where[i], &k) && k >= -(int64_t)n && k < (int64_t)n;
            out[i] = all ? elems[k < 0 ? k + n : k] : NULL;
        }
        if (all) {
            rlxc_ox_set_elems(im, 0, v->dtype, at->is_vector, out, m);
            return;
        }
    }
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", 0), rlxc_ox_ndim(im, x));
    rlxc_ox_set(im, 0, rlxc_ox_take(im, x, rlxc_ox_in(im, 1), axis));
}

void rlxc_ox_import_gather_elements(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom args[2] = {rlxc_ox_in(im, 0), rlxc_ox_in(im, 1)};
    rlxc_ox_set(
        im, 0,
        rlxc_ox_opv(im, "gather_elements", args, 2,
                    rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", rlxc_ox_int(im, "axis", 0))));
}

void rlxc_ox_import_gather_nd(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom args[2] = {rlxc_ox_in(im, 0), rlxc_ox_in(im, 1)};
    rlxc_attrs attrs =
        rlxc_ox_with_int(im, (rlxc_attrs){0}, "batch_dims", rlxc_ox_int(im, "batch_dims", 0));
    rlxc_ox_set(im, 0, rlxc_ox_opv(im, "gather_nd", args, 2, attrs));
}

static rlxc_attrs with_reduction(rlxc_ox *im, rlxc_attrs attrs)
{
    const char *kind = rlxc_ox_str(im, "reduction", "none");
    if (strcmp(kind, "none") == 0)
        kind = "update";
    return rlxc_ox_with(im, attrs, "reduction", rlxc_attr_string(im->ctx, kind));
}

void rlxc_ox_import_scatter_elements(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom args[3] = {rlxc_ox_in(im, 0), rlxc_ox_in(im, 1), rlxc_ox_in(im, 2)};
    rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", rlxc_ox_int(im, "axis", 0));
    rlxc_ox_set(im, 0, rlxc_ox_opv(im, "scatter_elements", args, 3, with_reduction(im, attrs)));
}

void rlxc_ox_import_scatter_nd(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom args[3] = {rlxc_ox_in(im, 0), rlxc_ox_in(im, 1), rlxc_ox_in(im, 2)};
    rlxc_ox_set(im, 0, rlxc_ox_opv(im, "scatter_nd", args, 3, with_reduction(im, (rlxc_attrs){0})));
}

void rlxc_ox_import_one_hot(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *depth;
    uint32_t n;
    int64_t axes[1];
    rlxc_atom indices = rlxc_ox_cast(im, rlxc_ox_in(im, 0), RLX_I64), values = rlxc_ox_in(im, 2);
    rlxc_ox_value *d = rlxc_ox_value_in(im, 1);
    if (!rlxc_ox_known(im, d, &depth, &n)) {
        rlxc_atom t = rlxc_ox_cast(im, rlxc_ox_in(im, 1), RLX_I64);
        if (!rlxc_ox_elems_of(im, rlxc_ox_tensor(im, t), &depth, &n))
            return;
    }
    if (n != 1) {
        rlxc_ox_fail(im, "the depth is not a scalar");
        return;
    }
    rlxc_ox_check_least(im, depth[0], 1, "the depth");
    uint32_t to = rlxc_ox_ndim(im, indices) + 1;
    axes[0] = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", -1), to);
    rlxc_atom size = rlxc_ox_scalar(im, depth[0], RLX_I64);
    rlxc_atom from_end = rlxc_ox_op2(im, "add", indices, size);
    rlxc_atom below = rlxc_ox_op2(im, "less", indices, rlxc_ox_number(im, RLX_I64, 0));
    indices = rlxc_ox_expand_dims(im, rlxc_ox_op3(im, "where", below, from_end, indices), axes, 1);
    rlxc_atom place =
        rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), depth[0]), (uint32_t)axes[0], to);
    rlxc_atom hit = rlxc_ox_op2(im, "equal", indices, place);
    rlxc_atom off = rlxc_ox_reshape(
        im, rlxc_ox_slice(im, values, 0, rlxc_ox_i(im, 0), rlxc_ox_i(im, 1), 1), NULL, 0);
    rlxc_atom on = rlxc_ox_reshape(
        im, rlxc_ox_slice(im, values, 0, rlxc_ox_i(im, 1), rlxc_ox_i(im, 2), 1), NULL, 0);
    rlxc_ox_set(im, 0, rlxc_ox_op3(im, "where", hit, on, off));
}

void rlxc_ox_import_topk(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", -1), rlxc_ox_ndim(im, x));
    const rlxc_expr *k =
        im->opset >= 10 ? rlxc_ox_one(im, 1) : rlxc_ox_i(im, rlxc_ox_int(im, "k", 1));
    if (!k)
        return;
    rlxc_ox_check_number(im, k, rlxc_ox_i(im, 0), rlxc_ox_dim(im, x, axis), "k");
    if (rlxc_is_const(k, 0)) { /* which R.topk takes as all of them */
        rlxc_ox_set(im, 0, rlxc_ox_slice(im, x, axis, k, k, 1));
        rlxc_ox_set(im, 1, rlxc_ox_cast(im, rlxc_ox_slice(im, x, axis, k, k, 1), RLX_I64));
        return;
    }
    rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", axis);
    attrs = rlxc_ox_with(im, attrs, "largest", rlxc_attr_bool(rlxc_ox_int(im, "largest", 1) != 0));
    attrs = rlxc_ox_with(im, attrs, "dtype", rlxc_attr_dtype(RLX_I64));
    const rlxc_atom args[2] = {x, rlxc_atom_prim(k)};
    rlxc_atom both = rlxc_ox_opv(im, "topk", args, 2, attrs);
    for (uint32_t i = 0; i < 2; i++)
        rlxc_ox_set(im, i, rlxc_ox_field(im, both, i));
}

/* The same of a constant: a constant, so that its size is known now. */
static rlxc_atom nonzero_of(rlxc_ox *im, const rlxc_constant *c)
{
    const uint32_t rank = c->ndim;
    size_t n = 0, count = 0;
    int64_t total = c->nbytes > 0;
    for (uint32_t i = 0; i < rank && total > 0; i++)
        total *= c->shape[i];
    for (int64_t i = 0; i < total; i++)
        n += rlxc_constant_double(c, (size_t)i) != 0;
    const int64_t shape[2] = {rank, (int64_t)n};
    int64_t *places = rlxc_alloc(im->ctx, (n * rank + 1) * sizeof *places);
    for (int64_t i = 0; i < total; i++) {
        if (!(rlxc_constant_double(c, (size_t)i) != 0))
            continue;
        int64_t rest = i;
        for (uint32_t d = rank; d-- > 0; rest /= c->shape[d])
            places[d * n + count] = rest % c->shape[d];
        count++;
    }
    return rlxc_atom_constant(
        rlxc_constant_new(im->ctx, RLX_I64, 2, shape, places, n * rank * sizeof *places));
}

/* The indices of the non-zero elements of |x|, one per column. The number of rows is stated as
 * |x|'s rank, so that results gathered by them have a known rank. */
static rlxc_atom nonzero(rlxc_ox *im, rlxc_atom x)
{
    const rlxc_expr *one = rlxc_ox_i(im, 1);
    if (x.kind == RLXC_ATOM_CONSTANT && x.constant->ndim > 0 &&
        !rlxc_map_get(&im->weights.in, rlxc_key(x.constant)))
        return nonzero_of(im, x.constant);
    if (rlxc_ox_ndim(im, x) == 0)
        x = rlxc_ox_reshape(im, x, &one, 1);
    const rlxc_expr *dims[2] = {rlxc_ox_i(im, rlxc_ox_ndim(im, x)),
                                rlxc_fresh_shape_var(im->ctx, "places")};
    rlxc_atom y = rlxc_ox_op1(im, "nonzero", x);
    return rlxc_ox_match(im, y, rlxc_sinfo_tensor(im->ctx, RLX_I64, 2, dims, NULL));
}

void rlxc_ox_import_nonzero(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set(im, 0, nonzero(im, rlxc_ox_in(im, 0)));
}

void rlxc_ox_import_compress(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, x, dims);
    uint32_t axis = 0;
    if (rlxc_ox_attr(im, "axis")) {
        axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", 0), rlxc_ox_ndim(im, x));
    } else {
        const rlxc_expr *all = rlxc_product(im->ctx, dims, rlxc_ox_ndim(im, x));
        x = rlxc_ox_reshape(im, x, &all, 1);
    }
    /* Excess elements of the condition are ignored. */
    rlxc_atom condition =
        rlxc_ox_slice(im, rlxc_ox_in(im, 1), 0, rlxc_ox_i(im, 0), rlxc_ox_dim(im, x, axis), 1);
    rlxc_atom where = nonzero(im, condition);
    const rlxc_expr *count = rlxc_ox_dim(im, where, 1);
    where = rlxc_ox_reshape(im, where, &count, 1);
    rlxc_ox_set(im, 0, rlxc_ox_take_inside(im, x, where, axis));
}

/* With |row->arg| (com.microsoft) elements keep the order of their first occurrence, and there is
 * no output for its index. */
void rlxc_ox_import_unique(rlxc_ox *im, const rlxc_ox_row *row)
{
    const bool sorted = !row->arg && rlxc_ox_int(im, "sorted", 1) != 0;
    rlxc_atom args[6] = {rlxc_ox_in(im, 0)};
    uint32_t n = 5;
    args[1] = rlxc_atom_prim(rlxc_bool(im->ctx, sorted));
    for (uint32_t i = 2; i < 5; i++)
        args[i] = rlxc_atom_prim(rlxc_bool(im->ctx, true));
    if (rlxc_ox_attr(im, "axis"))
        args[n++] = rlxc_atom_prim(
            rlxc_ox_i(im, rlxc_ox_axis(im, rlxc_ox_int(im, "axis", 0), rlxc_ox_ndim(im, args[0]))));
    rlxc_atom all = rlxc_ox_opv(im, "unique", args, n, (rlxc_attrs){0});
    for (uint32_t i = 0; i < 4; i++)
        if (rlxc_ox_wants(im, i))
            rlxc_ox_set(im, i, rlxc_ox_shaped(im, rlxc_ox_field(im, all, i + (row->arg && i > 0))));
}

/* Slices of |size| elements along |dim|, |step| apart, in a new last dimension.
 */
void rlxc_ox_import_unfold(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t size = rlxc_ox_int(im, "size", 1), step = rlxc_ox_int(im, "step", 1);
    const rlxc_atom x = rlxc_ox_in(im, 0);
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const uint32_t dim = rlxc_ox_axis(im, rlxc_ox_int(im, "dim", -1), ndim);
    if (!rlxc_ox_good(im))
        return;
    if (size < 1 || step < 1 || size > INT32_MAX || step > INT32_MAX || ndim + 1 > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "size %lld, step %lld of %u dimensions", (long long)size, (long long)step,
                     ndim);
        return;
    }
    const rlxc_expr *all = rlxc_ox_dim(im, x, dim), *zero = rlxc_ox_i(im, 0),
                    *one = rlxc_ox_i(im, 1);
    rlxc_ox_check_least(im, all, size, "the dimension to unfold");
    const rlxc_expr *count = rlxc_ox_bin(
        im, RLXC_EXPR_FLOORDIV, rlxc_sub(im->ctx, all, rlxc_ox_i(im, size)), rlxc_ox_i(im, step));
    count = rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_add(im->ctx, count, one), zero);
    rlxc_atom at = rlxc_ox_along(im, rlxc_ox_arange(im, zero, count), 0, 2);
    at = rlxc_ox_op2(im, "multiply", at, rlxc_ox_number(im, RLX_I64, (double)step));
    at = rlxc_ox_op2(im, "add", at, rlxc_ox_arange(im, zero, rlxc_ox_i(im, size)));
    int64_t axes[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i <= ndim; i++)
        axes[i] = i == ndim ? dim + 1 : i + (i > dim);
    rlxc_ox_set(im, 0, rlxc_ox_transpose(im, rlxc_ox_take_inside(im, x, at, dim), axes, ndim + 1));
}

void rlxc_ox_import_reverse_sequence(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0), given = rlxc_ox_in(im, 1);
    rlxc_atom lengths = rlxc_ox_cast(im, given, RLX_I64);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    uint32_t ndim = rlxc_ox_ndim(im, x);
    uint32_t batch = rlxc_ox_axis(im, rlxc_ox_int(im, "batch_axis", 1), ndim),
             time = rlxc_ox_axis(im, rlxc_ox_int(im, "time_axis", 0), ndim);
    rlxc_ox_dims(im, x, dims);
    rlxc_ox_check_elements(im, given, rlxc_ox_i(im, 0),
                           rlxc_add(im->ctx, dims[time], rlxc_ox_i(im, 1)), "length");
    const rlxc_atom args[2] = {x, lengths};
    rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "seq_axis", time);
    attrs = rlxc_ox_with_int(im, attrs, "batch_axis", batch);
    rlxc_ox_set(im, 0, rlxc_ox_opv(im, "reverse_sequence", args, 2, attrs));
}

/* Scores of tokens that would end an n-gram which a row of tokens already has become -infinity. */
void rlxc_ox_import_ngram_repeat_block(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t n = rlxc_ox_int(im, "ngram_size", 1);
    const rlxc_atom ids = rlxc_ox_in(im, 0), scores = rlxc_ox_in(im, 1);
    if (n < 1 || n > RLXC_OX_MAX_LIST || rlxc_ox_ndim(im, ids) != 2 ||
        rlxc_ox_ndim(im, scores) != 2) {
        rlxc_ox_fail(im, "expected two matrices and n-grams of 1 to %d tokens, not %lld",
                     RLXC_OX_MAX_LIST, (long long)n);
        return;
    }
    const rlx_dtype t = rlxc_ox_type(im, scores);
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *length = rlxc_ox_dim(im, ids, 1);
    const rlxc_expr *first =
        rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, length, rlxc_ox_i(im, n - 1)), zero);
    const int64_t column[1] = {1};
    rlxc_ox_check_elements(im, ids, zero, rlxc_ox_dim(im, scores, 1), "token");
    /* padding after the last tokens, for short rows */
    rlxc_atom more = rlxc_ox_pad_axis(im, ids, 1, zero, rlxc_ox_i(im, n), "constant",
                                      rlxc_ox_number(im, rlxc_ox_type(im, ids), 0));
    rlxc_atom same = rlxc_ox_number(im, RLX_B8, 1), none = rlxc_ox_number(im, t, (double)INFINITY);
    for (int64_t j = 0; j + 1 < n && !im->failed; j++) {
        const rlxc_expr *begin = rlxc_ox_i(im, j), *at = rlxc_add(im->ctx, first, begin);
        rlxc_atom last = rlxc_ox_take_inside(im, more, rlxc_ox_scalar(im, at, RLX_I64), 1);
        rlxc_atom part = rlxc_ox_slice(im, more, 1, begin, rlxc_add(im->ctx, begin, first), 1);
        part = rlxc_ox_op2(im, "equal", part, rlxc_ox_expand_dims(im, last, column, 1));
        same = rlxc_ox_op2(im, "logical_and", same, part);
    }
    const rlxc_expr *end = rlxc_ox_i(im, n - 1), *dims[2] = {rlxc_ox_dim(im, ids, 0), first};
    rlxc_atom ends = rlxc_ox_slice(im, more, 1, end, rlxc_add(im->ctx, end, first), 1);
    rlxc_atom by = rlxc_ox_op3(im, "where", same, rlxc_ox_number(im, t, -(double)INFINITY), none);
    const rlxc_atom args[3] = {scores, ends, rlxc_ox_broadcast(im, by, dims, 2)};
    rlxc_attrs attrs = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 1);
    attrs = rlxc_ox_with(im, attrs, "reduction", rlxc_attr_string(im->ctx, "min"));
    rlxc_ox_set(im, 0, rlxc_ox_opv(im, "scatter_elements", args, 3, attrs));
}

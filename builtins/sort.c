/* Sorting: sort, argsort, topk. Elements are turned into unsigned keys that order as NumPy orders
 * the values, so one sort serves every dtype; ties keep their order because the position is the
 * second key. The first k of a longer line are kept in a binary heap whose root is the last of
 * them, so that a line of n is read once, in at most n log k steps. */
#include "builtins/builtins.h"

#include <stdlib.h>
#include <string.h>

typedef struct keyed {
    uint64_t key;
    int64_t at;
} keyed;

static int compare(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* A tensor seen as [outer, length, inner] around |axis|. */
typedef struct lines {
    const rlx_tensor *x;
    rlx_dtype dtype;
    int64_t outer, length, inner;
    keyed *line; /* scratch for one line */
} lines;

static rlx_status open_lines(rlx_call_context *cc, const rlx_value *args, int64_t axis, lines *out,
                             uint32_t *out_axis, rlx_error *err)
{
    rlx_tensor *x;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    uint32_t ndim = rlx_tensor_ndim(x);
    RLX_TRY(rlxb_axis(axis, ndim, out_axis, err));
    const int64_t *dims = rlx_tensor_dims(x);
    out->x = x;
    out->dtype = rlx_tensor_dtype(x);
    out->length = dims[*out_axis];
    if (!rlx_numel(dims, *out_axis, &out->outer) ||
        !rlx_numel(dims + *out_axis + 1, ndim - *out_axis - 1, &out->inner))
        return rlx_fail(err, RLX_E_LIMIT, "too many elements to sort");
    void *scratch;
    RLX_TRY(rlxb_scratch(cc, out->length, sizeof(keyed), &scratch, err));
    out->line = scratch;
    return RLX_OK;
}

/* Sifts |item| down from the empty slot |i| of a heap of |n|. */
static void sift_down(keyed *heap, int64_t n, int64_t i, keyed item)
{
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && compare(&heap[child + 1], &heap[child]) > 0)
            child++;
        if (compare(&heap[child], &item) <= 0)
            break;
        heap[i] = heap[child];
    }
    heap[i] = item;
}

enum { BLOCK = 64 };

/* True if |x| may come before |pivot|; a NaN may. */
static bool may_come_before(float x, float pivot, bool descending)
{
    return descending ? !(x <= pivot) : !(x >= pivot);
}

/* As above for any of BLOCK floats, in one vectorised loop. */
static bool any_may_come_before(const float *x, float pivot, bool descending)
{
    int any = 0;
    if (descending)
        for (int i = 0; i < BLOCK; i++)
            any |= may_come_before(x[i], pivot, true);
    else
        for (int i = 0; i < BLOCK; i++)
            any |= may_come_before(x[i], pivot, false);
    return any != 0;
}

/* One line of the tensor: element |k| is at first + k * l->inner. */
typedef struct one_line {
    const lines *l;
    rlxb_elements elements;
    int64_t first;
    bool descending;
} one_line;

static keyed keyed_at(const one_line *line, int64_t k)
{
    const int64_t index = line->first + k * line->l->inner;
    return (keyed){
        rlxb_order_key(&line->elements, rlx_tensor_data(line->l->x), index, line->descending), k};
}

/* Inserts into the heap of |n| the rest of the line's elements that come before its root. */
static void keep_first(const one_line *line, keyed *heap, int64_t n)
{
    const lines *l = line->l;
    const bool by_block = l->inner == 1 && rlx_dtype_eq(l->dtype, RLX_F32);
    const float *x = by_block ? (const float *)rlx_tensor_data(l->x) + line->first : NULL;
    for (int64_t k = n / 2; k-- > 0;)
        sift_down(heap, n, k, heap[k]);
    for (int64_t k = n; k < l->length; k++) {
        const float pivot = by_block ? x[heap[0].at] : 0;
        if (by_block && (k - n) % BLOCK == 0 && l->length - k >= BLOCK &&
            !any_may_come_before(x + k, pivot, line->descending)) {
            k += BLOCK - 1;
            continue;
        }
        if (by_block && !may_come_before(x[k], pivot, line->descending))
            continue;
        const keyed item = keyed_at(line, k);
        if (item.key < heap[0].key) /* the first of equals is kept */
            sift_down(heap, n, 0, item);
    }
}

/* Puts the first |n| of the line at (|o|, |i|), sorted, into l->line. */
static void sort_line(const lines *l, int64_t o, int64_t i, int64_t n, bool descending)
{
    const one_line line = {l, rlxb_elements_of(l->dtype), o * l->length * l->inner + i, descending};
    for (int64_t k = 0; k < n; k++)
        l->line[k] = keyed_at(&line, k);
    if (n < l->length)
        keep_first(&line, l->line, n);
    qsort(l->line, (size_t)n, sizeof *l->line, compare);
}

/* Writes the first |k| of each sorted line as values and/or indices (either may be NULL). */
static void write_lines(const lines *l, int64_t k, bool descending, rlx_tensor *values,
                        rlx_tensor *indices)
{
    const size_t size = rlx_dtype_size(l->dtype);
    const unsigned char *from = rlx_tensor_data(l->x);
    unsigned char *to = values ? rlx_tensor_mutable_data(values) : NULL;
    void *index_data = indices ? rlx_tensor_mutable_data(indices) : NULL;
    if (rlx_tensor_numel(l->x) == 0 || k == 0)
        return; /* empty: the other dimensions may be arbitrarily large */
    for (int64_t o = 0; o < l->outer; o++) {
        for (int64_t i = 0; i < l->inner; i++) {
            sort_line(l, o, i, k, descending);
            for (int64_t j = 0; j < k; j++) {
                int64_t at = (o * k + j) * l->inner + i;
                int64_t source = (o * l->length + l->line[j].at) * l->inner + i;
                if (to)
                    memcpy(to + (size_t)at * size, from + (size_t)source * size, size);
                if (index_data)
                    rlxb_write_int(rlx_tensor_dtype(indices), index_data, at, l->line[j].at);
            }
        }
    }
}

static rlx_status index_dtype(rlx_dtype dtype, rlx_error *err)
{
    if (dtype.code != RLX_INT && dtype.code != RLX_UINT)
        return rlx_fail(err, RLX_E_INVALID_ARG, "indices must have an integer dtype");
    return RLX_OK;
}

rlx_status rlxb_sort(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                     rlx_error *err)
{
    (void)n;
    int64_t axis, descending;
    uint32_t at;
    lines l = {0};
    rlx_tensor *values = NULL;
    RLX_TRY(rlxb_int(args, 1, &axis, err));
    RLX_TRY(rlxb_int(args, 2, &descending, err));
    RLX_TRY(open_lines(cc, args, axis, &l, &at, err));
    RLX_TRY(rlx_call_alloc_tensor(cc, l.dtype, rlx_tensor_ndim(l.x), rlx_tensor_dims(l.x), &values,
                                  err));
    write_lines(&l, l.length, descending != 0, values, NULL);
    *out = rlx_of_tensor(values);
    return RLX_OK;
}

rlx_status rlxb_argsort(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    (void)n;
    int64_t axis, descending;
    uint32_t at;
    rlx_dtype dtype;
    lines l = {0};
    rlx_tensor *indices = NULL;
    RLX_TRY(rlxb_int(args, 1, &axis, err));
    RLX_TRY(rlxb_int(args, 2, &descending, err));
    RLX_TRY(rlxb_dtype(args, 3, &dtype, err));
    RLX_TRY(index_dtype(dtype, err));
    RLX_TRY(open_lines(cc, args, axis, &l, &at, err));
    RLX_TRY(rlx_call_alloc_tensor(cc, dtype, rlx_tensor_ndim(l.x), rlx_tensor_dims(l.x), &indices,
                                  err));
    write_lines(&l, l.length, descending != 0, NULL, indices);
    *out = rlx_of_tensor(indices);
    return RLX_OK;
}

rlx_status rlxb_topk(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                     rlx_error *err)
{
    int64_t k, axis, largest;
    uint32_t at;
    rlx_dtype dtype;
    lines l = {0};
    RLX_TRY(rlxb_int(args, 1, &k, err));
    RLX_TRY(rlxb_int(args, 2, &axis, err));
    rlx_str type = rlxb_text(args, n, 3);
    RLX_TRY(rlxb_int(args, 4, &largest, err));
    RLX_TRY(rlxb_dtype(args, 5, &dtype, err));
    RLX_TRY(index_dtype(dtype, err));
    RLX_TRY(open_lines(cc, args, axis, &l, &at, err));
    if (k > l.length)
        return rlx_fail(err, RLX_E_INVALID_ARG, "topk: k is %lld, the axis has %lld elements",
                        (long long)k, (long long)l.length);
    if (k < 0)
        k = l.length;
    int64_t dims[RLX_MAX_NDIM];
    memcpy(dims, rlx_tensor_dims(l.x), rlx_tensor_ndim(l.x) * sizeof *dims);
    dims[at] = k;
    bool want_values = !rlx_str_eq(type, RLX_STR("indices"));
    bool want_indices = !rlx_str_eq(type, RLX_STR("values"));
    rlx_tensor *values = NULL, *indices = NULL;
    rlx_status status = RLX_OK;
    if (want_values)
        status = rlx_call_alloc_tensor(cc, l.dtype, rlx_tensor_ndim(l.x), dims, &values, err);
    if (status == RLX_OK && want_indices)
        status = rlx_call_alloc_tensor(cc, dtype, rlx_tensor_ndim(l.x), dims, &indices, err);
    rlx_value items[2] = {rlx_of_tensor(values), rlx_of_tensor(indices)};
    if (status == RLX_OK) {
        write_lines(&l, k, largest != 0, values, indices);
        if (!want_values || !want_indices) {
            *out = want_values ? items[0] : items[1];
            return RLX_OK;
        }
        rlx_tuple *tuple = NULL;
        status = rlx_call_make_tuple(cc, 2, items, &tuple, err);
        *out = rlx_of_tuple(tuple);
    }
    rlx_value_release(items[0]);
    rlx_value_release(items[1]);
    return status;
}

/* --- TVM's names, with the results among the arguments ---------------------------------------- */

/* The destination tensor |args[i]|, which must have the dimensions |dims|. */
static rlx_status result(const rlx_value *args, uint32_t i, const rlx_tensor *x,
                         const int64_t *dims, rlx_tensor **out, rlx_error *err)
{
    RLX_TRY(rlxb_tensor(args, i, out, err));
    bool fits = rlx_tensor_ndim(*out) == rlx_tensor_ndim(x);
    for (uint32_t k = 0; fits && k < rlx_tensor_ndim(x); k++)
        fits = rlx_tensor_dims(*out)[k] == dims[k];
    if (!fits || !rlx_tensor_mutable_data(*out))
        return rlx_fail(err, RLX_E_SHAPE, "argument %u cannot hold the result", i);
    return RLX_OK;
}

static rlx_status value_dtype(const lines *l, const rlx_tensor *values, rlx_error *err)
{
    return rlx_dtype_eq(rlx_tensor_dtype(values), l->dtype)
               ? RLX_OK
               : rlx_fail(err, RLX_E_INVALID_ARG,
                          "the sorted values must have the dtype of the input");
}

/* (x, out, axis, is_ascend) */
static rlx_status sort_into(rlx_call_context *cc, const rlx_value *args, uint32_t n, bool indices,
                            rlx_error *err)
{
    int64_t axis = -1, ascending = 1;
    uint32_t at;
    lines l = {0};
    rlx_tensor *out;
    if (n > 2)
        RLX_TRY(rlxb_int(args, 2, &axis, err));
    if (n > 3)
        RLX_TRY(rlxb_int(args, 3, &ascending, err));
    RLX_TRY(open_lines(cc, args, axis, &l, &at, err));
    RLX_TRY(result(args, 1, l.x, rlx_tensor_dims(l.x), &out, err));
    RLX_TRY(indices ? index_dtype(rlx_tensor_dtype(out), err) : value_dtype(&l, out, err));
    write_lines(&l, l.length, ascending == 0, indices ? NULL : out, indices ? out : NULL);
    return RLX_OK;
}

rlx_status rlxb_tvm_sort(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    *out = rlx_none();
    return sort_into(cc, args, n, false, err);
}

rlx_status rlxb_tvm_argsort(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                            rlx_error *err)
{
    *out = rlx_none();
    return sort_into(cc, args, n, true, err);
}

/* (x, values and/or indices, k, axis, "both" | "values" | "indices", is_ascend) */
rlx_status rlxb_tvm_topk(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    int64_t k, axis, ascending, dims[RLX_MAX_NDIM];
    uint32_t at, next = n > 6 ? 3 : 2;
    lines l = {0};
    rlx_tensor *values = NULL, *indices = NULL;
    RLX_TRY(rlxb_int(args, next, &k, err));
    RLX_TRY(rlxb_int(args, next + 1, &axis, err));
    rlx_str type = rlxb_text(args, n, next + 2);
    RLX_TRY(rlxb_int(args, next + 3, &ascending, err));
    RLX_TRY(open_lines(cc, args, axis, &l, &at, err));
    if (k < 1 || k > l.length)
        k = l.length;
    memcpy(dims, rlx_tensor_dims(l.x), rlx_tensor_ndim(l.x) * sizeof *dims);
    dims[at] = k;
    if (next == 3 || rlx_str_eq(type, RLX_STR("values"))) {
        RLX_TRY(result(args, 1, l.x, dims, &values, err));
        RLX_TRY(value_dtype(&l, values, err));
    }
    if (next == 3 || !values) {
        RLX_TRY(result(args, next - 1, l.x, dims, &indices, err));
        RLX_TRY(index_dtype(rlx_tensor_dtype(indices), err));
    }
    write_lines(&l, k, ascending == 0, values, indices);
    *out = rlx_none();
    return RLX_OK;
}

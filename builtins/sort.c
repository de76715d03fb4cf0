/* Sorting: sort, argsort, topk. Elements are turned into keys that order as NumPy orders the
 * values, so one sort serves every dtype; ties keep their order. Keys of at most 32 bits go through
 * builtins/sort_keys.h; of longer keys
 * the first k are kept in a binary heap. Lines that are not contiguous are read a few next to each
 * other at a time. */
#include "builtins/builtins.h"
#include "builtins/sort_keys.h"

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
    rlxb_elements elements;
    int64_t outer, length, inner;
    bool is_short;   /* 32-bit keys */
    keyed *line;     /* if not: scratch for one line */
    uint64_t *items; /* if so: the same, for rlxb_first_keys */
    int32_t *keys;   /* of RLXB_TOGETHER lines, or of one if inner is 1 */
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
    out->elements = rlxb_elements_of(out->dtype);
    out->is_short = out->elements.size <= sizeof(int32_t) && out->length < UINT32_MAX;
    const int64_t each = out->is_short ? 2 * sizeof(uint64_t) : sizeof(keyed);
    const int64_t keys = (int64_t)sizeof(int32_t) * (out->inner == 1 ? 1 : RLXB_TOGETHER);
    void *scratch;
    RLX_TRY(rlxb_scratch(cc, out->length, each + keys, &scratch, err));
    out->line = scratch;
    out->items = scratch;
    out->keys = (int32_t *)(out->items + 2 * (out->is_short ? out->length : 0));
    if (out->is_short) /* lines that are not there */
        memset(out->keys, 0, (size_t)(out->length * keys));
    return RLX_OK;
}

/* --- one line --------------------------------------------------------------------------------- */

/* Sifts |item| down from the empty slot |i| of a heap of |n|, whose root is its last. */
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

/* Puts the first |n| of the line at (|o|, |i|), sorted, into l->line. */
static void sort_line(const lines *l, int64_t o, int64_t i, int64_t n, bool descending)
{
    const int64_t first = o * l->length * l->inner + i;
    for (int64_t k = 0; k < l->length; k++) {
        const keyed item = {
            rlxb_order_key(&l->elements, rlx_tensor_data(l->x), first + k * l->inner, descending),
            k};
        if (k < n)
            l->line[k] = item;
        if (k == n - 1 && n < l->length)
            for (int64_t at = n / 2; at-- > 0;)
                sift_down(l->line, n, at, l->line[at]);
        if (k >= n && item.key < l->line[0].key) /* the first of equals is kept */
            sift_down(l->line, n, 0, item);
    }
    qsort(l->line, (size_t)n, sizeof *l->line, compare);
}

/* The keys of |n| signed integers next to each other; false: of a size that is rare. */
static bool find_int_keys(const lines *l, int64_t first, int64_t n, int32_t flip, int32_t *to)
{
    const void *data = rlx_tensor_data(l->x);
    if (l->elements.size == sizeof(int32_t))
        for (int64_t i = 0; i < n; i++)
            to[i] = ((const int32_t *)data)[first + i] ^ flip;
    else if (l->elements.size == sizeof(int8_t))
        for (int64_t i = 0; i < n; i++)
            to[i] = ((const int8_t *)data)[first + i] ^ flip;
    else
        return false;
    return true;
}

/* The keys of |n| elements next to each other. */
static void find_keys(const lines *l, int64_t first, int64_t n, bool descending, int32_t *to)
{
    const void *data = rlx_tensor_data(l->x);
    const rlxb_elements *e = &l->elements;
    if (rlx_dtype_eq(l->dtype, RLX_F32)) {
        rlxb_float_keys((const float *)data + first, n, descending, to);
        return;
    }
    if (e->is_float && e->size == sizeof(uint16_t)) {
        rlxb_half_keys((const uint16_t *)data + first, n, (uint16_t)e->most, descending, to);
        return;
    }
    if (!e->is_float && e->is_signed && find_int_keys(l, first, n, descending ? -1 : 0, to))
        return;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = rlxb_order_key(&l->elements, data, first + i, descending);
        to[i] = (int32_t)((uint32_t)key ^ UINT32_C(0x80000000));
    }
}

enum { ROWS = 64 };

/* The keys of the |n| lines from element |first| on: key |j| of line |i| goes to to[j * step + i *
 * apart]. */
static void find_lines(const lines *l, int64_t first, int64_t n, bool descending, int32_t *to,
                       int64_t step, int64_t apart)
{
    int32_t keys[ROWS * RLXB_TOGETHER];
    if (n < l->inner && apart == 1) {
        for (int64_t j = 0; j < l->length; j++)
            find_keys(l, first + j * l->inner, n, descending, to + j * step);
        return;
    }
    const int64_t at_once = n == l->inner ? ROWS : 1; /* rows that lie next to each other */
    for (int64_t j = 0; j < l->length; j += at_once) {
        const int64_t rows = l->length - j < at_once ? l->length - j : at_once;
        find_keys(l, first + j * l->inner, rows * n, descending, keys);
        for (int64_t i = 0; i < n; i++)
            for (int64_t r = 0; r < rows; r++)
                to[(j + r) * step + i * apart] = keys[r * n + i];
    }
}

/* The results of a call, or NULL. */
typedef struct results {
    rlx_tensor *values, *indices;
} results;

/* Writes element |from| of a line as element |at| of the results' line at (|o|, |i|). */
static void write_one(const lines *l, const results *r, int64_t k, int64_t o, int64_t i, int64_t at,
                      int64_t from)
{
    const size_t size = l->elements.size;
    const int64_t to = (o * k + at) * l->inner + i;
    const int64_t source = (o * l->length + from) * l->inner + i;
    if (r->values) {
        unsigned char *out = rlx_tensor_mutable_data(r->values);
        const unsigned char *in = rlx_tensor_data(l->x);
        if (size == sizeof(int32_t))
            memcpy(out + to * 4, in + source * 4, sizeof(int32_t));
        else
            memcpy(out + (size_t)to * size, in + (size_t)source * size, size);
    }
    if (r->indices)
        rlxb_write_int(rlx_tensor_dtype(r->indices), rlx_tensor_mutable_data(r->indices), to, from);
}

/* The |n| lines at (|o|, |i|) and after it, by 32-bit keys. */
static void write_short_lines(const lines *l, const results *r, int64_t k, int64_t o, int64_t i,
                              int64_t n, bool descending)
{
    const int64_t first = o * l->length * l->inner + i;
    const bool together = l->inner > 1 && k <= RLXB_FEW;
    uint64_t few[RLXB_TOGETHER * RLXB_FEW];
    if (l->inner == 1)
        find_keys(l, first, l->length, descending, l->keys);
    else
        find_lines(l, first, n, descending, l->keys, together ? RLXB_TOGETHER : 1,
                   together ? 1 : l->length);
    if (together)
        rlxb_first_keys_together(l->keys, l->length, k, n, few);
    for (int64_t line = 0; line < n; line++) {
        const uint64_t *items = together ? few + line * k : l->items;
        if (!together)
            rlxb_first_keys(l->keys + line * l->length, l->length, k, l->items);
        for (int64_t j = 0; j < k; j++)
            write_one(l, r, k, o, i + line, j, rlxb_item_position(items[j]));
    }
}

/* Writes the first |k| of each sorted line as values and/or indices (either may be NULL). */
static void write_lines(const lines *l, int64_t k, bool descending, rlx_tensor *values,
                        rlx_tensor *indices)
{
    const results r = {values, indices};
    if (rlx_tensor_numel(l->x) == 0 || k == 0)
        return; /* empty: the other dimensions may be arbitrarily large */
    const int64_t together = l->is_short ? RLXB_TOGETHER : 1;
    for (int64_t o = 0; o < l->outer; o++) {
        for (int64_t i = 0; i < l->inner; i += together) {
            const int64_t n = l->inner - i < together ? l->inner - i : together;
            if (l->is_short) {
                write_short_lines(l, &r, k, o, i, n, descending);
                continue;
            }
            sort_line(l, o, i, k, descending);
            for (int64_t j = 0; j < k; j++)
                write_one(l, &r, k, o, i, j, l->line[j].at);
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

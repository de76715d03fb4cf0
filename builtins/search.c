/* Results whose size depends on the data: unique and nonzero. */
#include "builtins/builtins.h"

#include <stdlib.h>
#include <string.h>

/* One slice along the axis (or one element) to be compared with others. */
typedef struct slice {
    const uint64_t *keys; /* their length */
    int64_t length, at;
} slice;

static int compare_slices(const void *a, const void *b)
{
    const slice *x = a, *y = b;
    for (int64_t i = 0; i < x->length; i++) {
        if (x->keys[i] != y->keys[i])
            return x->keys[i] < y->keys[i] ? -1 : 1;
    }
    return x->at < y->at ? -1 : x->at > y->at;
}

/* A key and what it belongs to. */
typedef struct entry {
    uint64_t key;
    int64_t at;
} entry;

/* Sorts |n| entries by their keys, equal ones in the order given: byte by byte, the lowest first,
 * but for bytes that all keys share. |spare| is room for |n| more. */
static void sort_entries(entry *entries, entry *spare, int64_t n)
{
    uint64_t differ = 0;
    entry *from = entries, *to = spare;
    for (int64_t i = 1; i < n; i++)
        differ |= entries[i].key ^ entries[0].key;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        int64_t place[256] = {0}, before = 0;
        if ((differ >> shift & 255) == 0)
            continue;
        for (int64_t i = 0; i < n; i++)
            place[from[i].key >> shift & 255]++;
        for (int k = 0; k < 256; k++) {
            const int64_t count = place[k];
            place[k] = before;
            before += count;
        }
        for (int64_t i = 0; i < n; i++)
            to[place[from[i].key >> shift & 255]++] = from[i];
        entry *other = from;
        from = to;
        to = other;
    }
    if (from != entries)
        memcpy(entries, from, (size_t)n * sizeof *entries);
}

static bool same_slice(const slice *a, const slice *b)
{
    return memcmp(a->keys, b->keys, (size_t)a->length * sizeof *a->keys) == 0;
}

/* Groups of equal slices. */
typedef struct groups {
    int64_t count;
    int64_t *first;   /* per group: smallest position of a member */
    int64_t *counts;  /* per group */
    int64_t *inverse; /* per slice: its group */
    entry *order;     /* per output position (key, group): groups in the requested order */
} groups;

/* Sorts |n| slices of |width| keys; |order| and |spare| are room for as many entries. */
static void sort_slices(slice *slices, int64_t n, int64_t width, entry *order, entry *spare)
{
    if (width != 1) {
        qsort(slices, (size_t)n, sizeof *slices, compare_slices);
        return;
    }
    const uint64_t *keys = n > 0 ? slices[0].keys : NULL; /* slices of one key follow each other */
    for (int64_t k = 0; k < n; k++)
        order[k] = (entry){keys[k], k};
    sort_entries(order, spare, n);
    for (int64_t k = 0; k < n; k++)
        slices[k] = (slice){keys + order[k].at, 1, order[k].at};
}

typedef struct layout { /* the tensor as [outer, length, inner] around the axis */
    const rlx_tensor *x;
    int64_t outer, length, inner;
    bool flat; /* no axis: the elements of the flattened tensor */
    uint32_t axis;
} layout;

static rlx_status find_layout(const rlx_value *args, uint32_t n, layout *out, rlx_error *err)
{
    rlx_tensor *x;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    *out = (layout){.x = x, .outer = 1, .inner = 1, .length = rlx_tensor_numel(x), .flat = true};
    if (n < 6 || args[5].kind == RLX_KIND_NONE ||
        (args[5].kind == RLX_KIND_TUPLE && rlx_tuple_count(args[5].as.tuple) == 0))
        return RLX_OK;
    int64_t axis;
    RLX_TRY(rlxb_int(args, 5, &axis, err));
    RLX_TRY(rlxb_axis(axis, rlx_tensor_ndim(x), &out->axis, err));
    const int64_t *dims = rlx_tensor_dims(x);
    out->flat = false;
    out->length = dims[out->axis];
    if (!rlx_numel(dims, out->axis, &out->outer) ||
        !rlx_numel(dims + out->axis + 1, rlx_tensor_ndim(x) - out->axis - 1, &out->inner))
        return rlx_fail(err, RLX_E_LIMIT, "unique: too many elements");
    return RLX_OK;
}

static rlx_status find_groups(rlx_call_context *cc, const layout *l, bool sorted, groups *g,
                              rlx_error *err)
{
    int64_t width = 0, total; /* width: keys of a slice; the product may overflow if there are no
                               * slices */
    if (l->length > 0 && !rlx_mul_i64(l->outer, l->inner, &width))
        return rlx_fail(err, RLX_E_LIMIT, "unique: too many elements");
    if (!rlx_mul_i64(width, l->length, &total))
        return rlx_fail(err, RLX_E_LIMIT, "unique: too many elements");
    void *keys_memory, *slices_memory, *numbers, *entries;
    RLX_TRY(rlxb_scratch(cc, total, sizeof(uint64_t), &keys_memory, err));
    RLX_TRY(rlxb_scratch(cc, l->length, sizeof(slice), &slices_memory, err));
    RLX_TRY(rlxb_scratch(cc, l->length, 3 * (int64_t)sizeof(int64_t), &numbers, err));
    RLX_TRY(rlxb_scratch(cc, l->length, 2 * (int64_t)sizeof(entry), &entries, err));
    uint64_t *keys = keys_memory;
    slice *slices = slices_memory;
    g->first = numbers;
    g->counts = g->first + l->length;
    g->inverse = g->counts + l->length;
    g->order = entries;
    entry *spare = g->order + l->length;
    const void *data = rlx_tensor_data(l->x);
    const rlxb_elements elements = rlxb_elements_of(rlx_tensor_dtype(l->x));
    for (int64_t k = 0; k < l->length; k++) {
        uint64_t *row = keys + k * width;
        for (int64_t o = 0; o < l->outer && width > 0; o++) {
            for (int64_t i = 0; i < l->inner; i++)
                row[o * l->inner + i] =
                    rlxb_order_key(&elements, data, (o * l->length + k) * l->inner + i, false);
        }
        slices[k] = (slice){row, width, k};
    }
    sort_slices(slices, l->length, width, g->order, spare);
    g->count = 0;
    for (int64_t k = 0; k < l->length; k++) {
        if (k == 0 || !same_slice(&slices[k - 1], &slices[k])) {
            g->first[g->count] = slices[k].at; /* ties are ordered by position */
            g->counts[g->count++] = 0;
        }
        g->counts[g->count - 1]++;
        g->inverse[slices[k].at] = g->count - 1;
    }
    for (int64_t k = 0; k < g->count; k++)
        g->order[k] = (entry){(uint64_t)g->first[k], k};
    if (!sorted)
        sort_entries(g->order, spare, g->count);
    return RLX_OK;
}

static rlx_status gather(rlx_call_context *cc, const layout *l, const groups *g, rlx_tensor **out,
                         rlx_error *err)
{
    int64_t dims[RLX_MAX_NDIM];
    uint32_t ndim = l->flat ? 1 : rlx_tensor_ndim(l->x);
    if (!l->flat)
        memcpy(dims, rlx_tensor_dims(l->x), ndim * sizeof *dims);
    dims[l->axis] = g->count;
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(l->x), ndim, dims, out, err));
    const size_t bytes = rlx_dtype_size(rlx_tensor_dtype(l->x)) * (size_t)l->inner;
    const unsigned char *from = rlx_tensor_data(l->x);
    unsigned char *to = rlx_tensor_mutable_data(*out);
    for (int64_t o = 0; o < l->outer && rlx_tensor_numel(*out) > 0; o++) {
        for (int64_t k = 0; k < g->count; k++) {
            int64_t source = g->first[g->order[k].at];
            memcpy(to + (size_t)(o * g->count + k) * bytes,
                   from + (size_t)(o * l->length + source) * bytes, bytes);
        }
    }
    return RLX_OK;
}

/* An int64 vector of |n|: per output position of |values| by group, or per slice the output
 * position of its group. */
static rlx_status vector(rlx_call_context *cc, const groups *g, const int64_t *by_group,
                         int64_t n_slices, rlx_tensor **out, rlx_error *err)
{
    const int64_t n = by_group ? g->count : n_slices;
    RLX_TRY(rlx_call_alloc_tensor(cc, RLX_I64, 1, &n, out, err));
    int64_t *to = rlx_tensor_mutable_data(*out);
    if (by_group) {
        for (int64_t k = 0; k < g->count; k++)
            to[k] = by_group[g->order[k].at];
        return RLX_OK;
    }
    for (int64_t k = 0; k < g->count; k++)
        g->first[g->order[k].at] = k; /* group -> its output position; |first| is no longer
                                       * needed */
    for (int64_t i = 0; i < n; i++)
        to[i] = g->first[g->inverse[i]];
    return RLX_OK;
}

rlx_status rlxb_unique(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    int64_t flags[4]; /* sorted, return_index, return_inverse, return_counts */
    for (uint32_t i = 0; i < 4; i++)
        RLX_TRY(rlxb_int(args, i + 1, &flags[i], err));
    layout l;
    groups g = {0};
    RLX_TRY(find_layout(args, n, &l, err));
    RLX_TRY(find_groups(cc, &l, flags[0] != 0, &g, err));
    rlx_tensor *parts[4] = {NULL, NULL, NULL, NULL};
    rlx_status status = gather(cc, &l, &g, &parts[0], err);
    if (status == RLX_OK && flags[1])
        status = vector(cc, &g, g.first, l.length, &parts[1], err);
    if (status == RLX_OK && flags[3])
        status = vector(cc, &g, g.counts, l.length, &parts[3], err);
    if (status == RLX_OK && flags[2])
        status = vector(cc, &g, NULL, l.length, &parts[2], err);
    rlx_value items[4];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; i++) {
        if (parts[i])
            items[count++] = rlx_of_tensor(parts[i]);
    }
    if (status == RLX_OK && count == 1) {
        *out = items[0];
        return RLX_OK;
    }
    if (status == RLX_OK) {
        rlx_tuple *tuple = NULL;
        status = rlx_call_make_tuple(cc, count, items, &tuple, err);
        *out = rlx_of_tuple(tuple);
    }
    for (uint32_t i = 0; i < count; i++)
        rlx_value_release(items[i]);
    return status;
}

/* For the elements of one size: how many of |n| have a bit of |mask|, and their positions. */
#define RLXB_FIND_SET(bits)                                                                    \
    static int64_t count_set##bits(const void *data, int64_t n, uint64_t mask)                 \
    {                                                                                          \
        const uint##bits##_t *x = data, which = (uint##bits##_t)mask;                          \
        int64_t count = 0;                                                                     \
        for (int64_t i = 0; i < n; i++)                                                        \
            count += (x[i] & which) != 0;                                                      \
        return count;                                                                          \
    }                                                                                          \
    static int64_t find_set##bits(const void *data, int64_t n, uint64_t mask, int64_t *places) \
    {                                                                                          \
        const uint##bits##_t *x = data, which = (uint##bits##_t)mask;                          \
        int64_t count = 0;                                                                     \
        for (int64_t i = 0; i < n; i++)                                                        \
            if ((x[i] & which) != 0)                                                           \
                places[count++] = i;                                                           \
        return count;                                                                          \
    }
RLXB_FIND_SET(8)
RLXB_FIND_SET(16)
RLXB_FIND_SET(32)
RLXB_FIND_SET(64)
#undef RLXB_FIND_SET

typedef struct set_finder {
    int64_t (*count)(const void *data, int64_t n, uint64_t mask);
    int64_t (*find)(const void *data, int64_t n, uint64_t mask, int64_t *places);
} set_finder;

/* Writes the indices of the elements with a bit of |mask| to |to| (ndim, count), line by line: the
 * leading indices are the same along a line. */
static void find_places(const rlx_tensor *x, const set_finder *by, uint64_t mask, int64_t count,
                        int64_t *to)
{
    const uint32_t ndim = rlx_tensor_ndim(x), last = ndim > 0 ? ndim - 1 : 0;
    const int64_t *dims = rlx_tensor_dims(x), length = ndim > 0 ? dims[last] : 1;
    const size_t bytes = (size_t)length * rlx_dtype_size(rlx_tensor_dtype(x));
    const unsigned char *line = rlx_tensor_data(x);
    int64_t index[RLX_MAX_NDIM] = {0};
    for (int64_t at = 0; at < count; line += bytes) {
        const int64_t found = by->find(line, length, mask, to + (int64_t)last * count + at);
        for (uint32_t d = 0; d < last; d++)
            for (int64_t k = 0; k < found; k++)
                to[(int64_t)d * count + at + k] = index[d];
        at += found;
        for (uint32_t d = last; d-- > 0 && ++index[d] == dims[d];)
            index[d] = 0;
    }
}

rlx_status rlxb_nonzero(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    (void)n;
    static const set_finder finders[] = {{count_set8, find_set8},
                                         {count_set16, find_set16},
                                         {count_set32, find_set32},
                                         {count_set64, find_set64}};
    rlx_tensor *x, *result = NULL;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    const rlxb_elements e = rlxb_elements_of(rlx_tensor_dtype(x));
    const set_finder *by = &finders[e.size == 8 ? 3 : e.size / 2];
    /* if the type has no -0, its code is a NaN */
    const uint64_t mask = e.no_minus_zero ? e.magnitude | e.sign : e.magnitude;
    const uint32_t ndim = rlx_tensor_ndim(x);
    const int64_t count = by->count(rlx_tensor_data(x), rlx_tensor_numel(x), mask);
    const int64_t dims[2] = {ndim > 0 ? ndim : 1, count}; /* a scalar counts as a vector of one */
    RLX_TRY(rlx_call_alloc_tensor(cc, RLX_I64, 2, dims, &result, err));
    find_places(x, by, mask, count, rlx_tensor_mutable_data(result));
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

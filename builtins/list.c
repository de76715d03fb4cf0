/* Sequences and optionals, whose length is known only at run time: a sequence is a tuple, an empty
 * optional is none. Also rlx.collect, by which loops gather one result per iteration in a tensor
 * with room to grow.
 *
 * Sequences are never changed: an insertion makes a new tuple that shares the items. The tensor of
 * rlx.collect is written in place; each state is meant to be used once, and nothing reads past the
 * count stored with the tensor, so that an older state still shows its own items. */
#include <string.h>

#include "builtins/builtins.h"

enum { FIRST_ROOM = 8 };

static rlx_status sequence(const rlx_value *args, uint32_t i, const rlx_tuple **out, rlx_error *err)
{
    if (args[i].kind != RLX_KIND_TUPLE)
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument %u must be a sequence, is %s", i,
                        rlx_kind_name((rlx_kind)args[i].kind));
    *out = args[i].as.tuple;
    return RLX_OK;
}

/* The position in argument |i|, from the end if negative; less than |places|. */
static rlx_status place(const rlx_value *args, uint32_t i, uint32_t n, int64_t places,
                        uint32_t *out, rlx_error *err)
{
    int64_t at;
    RLX_TRY(rlxb_int(args, i, &at, err));
    const int64_t from_start = at < 0 && at >= -(int64_t)n ? at + n : at;
    if (from_start < 0 || from_start >= places)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "position %lld is out of range for a sequence of %u items", (long long)at,
                        n);
    *out = (uint32_t)from_start;
    return RLX_OK;
}

rlx_status rlxb_list(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                     rlx_error *err)
{
    (void)cc;
    (void)n;
    const rlx_tuple *list = NULL;
    RLX_TRY(sequence(args, 0, &list, err));
    *out = rlx_value_retain(args[0]);
    return RLX_OK;
}

rlx_status rlxb_list_length(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                            rlx_error *err)
{
    (void)n;
    const rlx_tuple *list = NULL;
    RLX_TRY(sequence(args, 0, &list, err));
    return rlxb_scalar_of(cc, RLX_I64, rlx_tuple_count(list), out, err);
}

rlx_status rlxb_list_get(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    (void)cc;
    (void)n;
    const rlx_tuple *list = NULL;
    uint32_t at = 0;
    RLX_TRY(sequence(args, 0, &list, err));
    RLX_TRY(place(args, 1, rlx_tuple_count(list), rlx_tuple_count(list), &at, err));
    *out = rlx_value_retain(rlx_tuple_get(list, at));
    return RLX_OK;
}

rlx_status rlxb_list_insert(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                            rlx_error *err)
{
    const rlx_tuple *list = NULL;
    rlx_tuple *result = NULL;
    void *memory = NULL;
    RLX_TRY(sequence(args, 0, &list, err));
    const uint32_t count = rlx_tuple_count(list);
    uint32_t at = count;
    if (n > 2)
        RLX_TRY(place(args, 2, count, (int64_t)count + 1, &at, err));
    RLX_TRY(rlxb_scratch(cc, (int64_t)count + 1, sizeof(rlx_value), &memory, err));
    rlx_value *items = memory;
    for (uint32_t i = 0; i < count; i++)
        items[i < at ? i : i + 1] = rlx_tuple_get(list, i);
    items[at] = args[1];
    RLX_TRY(rlx_call_make_tuple(cc, count + 1, items, &result, err));
    *out = rlx_of_tuple(result);
    return RLX_OK;
}

rlx_status rlxb_list_erase(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                           rlx_error *err)
{
    const rlx_tuple *list = NULL;
    rlx_tuple *result = NULL;
    void *memory = NULL;
    RLX_TRY(sequence(args, 0, &list, err));
    const uint32_t count = rlx_tuple_count(list);
    uint32_t at = count - 1;
    if (count == 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "cannot erase from an empty sequence");
    if (n > 1)
        RLX_TRY(place(args, 1, count, count, &at, err));
    RLX_TRY(rlxb_scratch(cc, count, sizeof(rlx_value), &memory, err));
    rlx_value *items = memory;
    for (uint32_t i = 0; i < count; i++)
        if (i != at)
            items[i < at ? i : i - 1] = rlx_tuple_get(list, i);
    RLX_TRY(rlx_call_make_tuple(cc, count - 1, items, &result, err));
    *out = rlx_of_tuple(result);
    return RLX_OK;
}

/* --- joining and splitting -------------------------------------------------------------------- */

/* Copies |rows| runs of |row| bytes, |to_step| and |from_step| bytes apart. */
static void copy_rows(unsigned char *to, size_t to_step, const unsigned char *from,
                      size_t from_step, int64_t rows, size_t row)
{
    for (int64_t i = 0; i < rows && row > 0; i++)
        memcpy(to + (size_t)i * to_step, from + (size_t)i * from_step, row);
}

static int64_t product(const int64_t *dims, uint32_t n)
{
    int64_t p = 1;
    for (uint32_t i = 0; i < n; i++)
        p *= dims[i];
    return p;
}

/* Checks that |t| concatenates with |first|: same rank, and equal dimensions except |axis|. */
static bool fits(const rlx_tensor *first, const rlx_tensor *t, uint32_t axis)
{
    bool same = rlx_dtype_eq(rlx_tensor_dtype(t), rlx_tensor_dtype(first)) &&
                rlx_tensor_ndim(t) == rlx_tensor_ndim(first);
    for (uint32_t i = 0; same && i < rlx_tensor_ndim(t); i++)
        same = i == axis || rlx_tensor_dims(t)[i] == rlx_tensor_dims(first)[i];
    return same;
}

rlx_status rlxb_list_concat(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                            rlx_error *err)
{
    (void)n;
    const rlx_tuple *list = NULL;
    rlx_tensor *result = NULL;
    int64_t axis, stack, dims[RLX_MAX_NDIM], total = 0;
    uint32_t at = 0;
    RLX_TRY(sequence(args, 0, &list, err));
    RLX_TRY(rlxb_int(args, 1, &axis, err));
    RLX_TRY(rlxb_int(args, 2, &stack, err));
    const uint32_t count = rlx_tuple_count(list);
    if (count == 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "cannot concatenate an empty sequence");
    for (uint32_t i = 0; i < count; i++)
        if (rlx_tuple_get(list, i).kind != RLX_KIND_TENSOR ||
            rlx_dtype_is_packed(rlx_tensor_dtype(rlx_tuple_get(list, i).as.tensor)))
            return rlx_fail(err, RLX_E_INVALID_ARG,
                            "item %u of the sequence must be a tensor with elements of whole bytes",
                            i);
    const rlx_tensor *first = rlx_tuple_get(list, 0).as.tensor;
    const uint32_t have = rlx_tensor_ndim(first), ndim = have + (stack != 0);
    if (ndim > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_LIMIT, "more than %d dimensions", RLX_MAX_NDIM);
    RLX_TRY(rlxb_axis(axis, ndim, &at, err));
    for (uint32_t i = 0; i < ndim; i++)
        dims[i] = !stack || i < at ? rlx_tensor_dims(first)[i < have ? i : 0]
                  : i == at        ? 1
                                   : rlx_tensor_dims(first)[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        const rlx_tensor *t = rlx_tuple_get(list, i).as.tensor;
        if (!fits(first, t, stack ? RLX_MAX_NDIM : at))
            return rlx_fail(
                err, RLX_E_SHAPE,
                "item %u of the sequence does not match the first in type, rank or shape", i);
        if (!rlx_add_i64(total, stack ? 1 : rlx_tensor_dims(t)[at], &total))
            return rlx_fail(err, RLX_E_LIMIT, "the concatenated sequence is too long");
    }
    dims[at] = total;
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(first), ndim, dims, &result, err));
    if (rlx_tensor_numel(result) > 0) {
        const int64_t rows = product(dims, at);
        const size_t unit =
            (size_t)product(dims + at + 1, ndim - at - 1) * rlx_dtype_size(rlx_tensor_dtype(first));
        unsigned char *to = rlx_tensor_mutable_data(result);
        for (uint32_t i = 0; i < count; i++) {
            const rlx_tensor *t = rlx_tuple_get(list, i).as.tensor;
            const size_t row = unit * (size_t)(stack ? 1 : rlx_tensor_dims(t)[at]);
            copy_rows(to, unit * (size_t)total, rlx_tensor_data(t), row, rows, row);
            to += row;
        }
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

/* The length of part |i|: from |sizes|, or |each| for all but the last. */
static int64_t part_length(const rlx_tensor *sizes, int64_t each, int64_t left, int64_t i)
{
    if (sizes)
        return rlxb_read_int(rlx_tensor_dtype(sizes), rlx_tensor_data(sizes), i);
    return each < left ? each : left;
}

/* Elements |begin| ... |begin| + |length| of dimension |axis|, which is dropped unless |keep|. */
static rlx_status part_of(rlx_call_context *cc, const rlx_tensor *x, uint32_t axis, int64_t begin,
                          int64_t length, bool keep, rlx_tensor **out, rlx_error *err)
{
    const uint32_t ndim = rlx_tensor_ndim(x);
    const int64_t *have = rlx_tensor_dims(x);
    int64_t dims[RLX_MAX_NDIM];
    for (uint32_t i = 0, k = 0; i < ndim; i++)
        if (keep || i != axis)
            dims[k++] = i == axis ? length : have[i];
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(x), ndim - !keep, dims, out, err));
    if (rlx_tensor_numel(*out) == 0)
        return RLX_OK;
    const size_t unit =
        (size_t)product(have + axis + 1, ndim - axis - 1) * rlx_dtype_size(rlx_tensor_dtype(x));
    const unsigned char *from = rlx_tensor_data(x);
    copy_rows(rlx_tensor_mutable_data(*out), unit * (size_t)length, from + unit * (size_t)begin,
              unit * (size_t)have[axis], product(have, axis), unit * (size_t)length);
    return RLX_OK;
}

/* Reads argument 3: the sizes of the parts, or one size for all; and the number of parts. */
static rlx_status parts_of(const rlx_value *args, int64_t length, rlx_tensor **out_sizes,
                           int64_t *out_each, int64_t *out_parts, rlx_error *err)
{
    if (args[3].kind == RLX_KIND_TENSOR && rlx_tensor_ndim(args[3].as.tensor) == 1) {
        const rlx_dtype t = rlx_tensor_dtype(args[3].as.tensor);
        if (t.code != RLX_INT && t.code != RLX_UINT)
            return rlx_fail(err, RLX_E_INVALID_ARG, "the sizes of the parts must be integers");
        *out_sizes = args[3].as.tensor;
        *out_parts = rlx_tensor_numel(*out_sizes);
        int64_t left = length;
        for (int64_t i = 0; i < *out_parts; i++) {
            const int64_t part = part_length(*out_sizes, 0, left, i);
            if (part < 0 || part > left)
                return rlx_fail(err, RLX_E_SHAPE, "the part sizes exceed the axis length %lld",
                                (long long)length);
            left -= part;
        }
        if (left != 0)
            return rlx_fail(err, RLX_E_SHAPE, "the parts leave %lld of %lld elements uncovered",
                            (long long)left, (long long)length);
        return RLX_OK;
    }
    RLX_TRY(rlxb_int(args, 3, out_each, err));
    if (*out_each < 1)
        return rlx_fail(err, RLX_E_INVALID_ARG, "parts of %lld elements", (long long)*out_each);
    *out_parts = length / *out_each + (length % *out_each != 0);
    return RLX_OK;
}

rlx_status rlxb_list_split(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                           rlx_error *err)
{
    (void)n;
    rlx_tensor *x = NULL, *sizes = NULL;
    rlx_tuple *result = NULL;
    int64_t axis, keep, each = 1, parts = 0, begin = 0, made = 0;
    uint32_t at = 0;
    void *memory = NULL;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_int(args, 1, &axis, err));
    RLX_TRY(rlxb_int(args, 2, &keep, err));
    RLX_TRY(rlxb_axis(axis, rlx_tensor_ndim(x), &at, err));
    const int64_t length = rlx_tensor_dims(x)[at];
    RLX_TRY(parts_of(args, length, &sizes, &each, &parts, err));
    if (!keep && (sizes || each != 1))
        return rlx_fail(err, RLX_E_INVALID_ARG, "keepdims=0 needs parts of one element");
    if (parts > UINT32_MAX)
        return rlx_fail(err, RLX_E_LIMIT, "%lld parts exceed the limit", (long long)parts);
    RLX_TRY(rlxb_scratch(cc, parts, sizeof(rlx_value), &memory, err));
    rlx_value *items = memory;
    rlx_status status = RLX_OK;
    for (; made < parts && status == RLX_OK; made++) {
        rlx_tensor *part = NULL;
        const int64_t size = part_length(sizes, each, length - begin, made);
        status = part_of(cc, x, at, begin, size, keep != 0, &part, err);
        items[made] = rlx_of_tensor(part);
        begin += size;
    }
    if (status == RLX_OK)
        status = rlx_call_make_tuple(cc, (uint32_t)parts, items, &result, err);
    for (int64_t i = 0; i < made; i++)
        rlx_value_release(items[i]);
    if (status == RLX_OK)
        *out = rlx_of_tuple(result);
    return status;
}

/* --- optionals -------------------------------------------------------------------------------- */

rlx_status rlxb_optional(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    (void)cc;
    (void)n;
    if (args[0].kind != RLX_KIND_TUPLE) {
        *out = rlx_value_retain(args[0]);
        return RLX_OK;
    }
    const uint32_t count = rlx_tuple_count(args[0].as.tuple);
    if (count > 1)
        return rlx_fail(err, RLX_E_INVALID_ARG, "an optional holds at most one value, got %u",
                        count);
    *out = rlx_value_retain(rlx_tuple_get(args[0].as.tuple, 0)); /* none past the end */
    return RLX_OK;
}

rlx_status rlxb_has_value(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                          rlx_error *err)
{
    (void)n;
    return rlxb_scalar_of(cc, RLX_B8, args[0].kind != RLX_KIND_NONE, out, err);
}

/* --- results of the turns of a loop ----------------------------------------------------------- */

/* The tensor and the count of a state; NULL and 0 at the start. */
static rlx_status state_of(const rlx_value *args, rlx_tensor **out, int64_t *out_count,
                           rlx_error *err)
{
    *out = NULL;
    *out_count = 0;
    if (args[0].kind == RLX_KIND_NONE)
        return RLX_OK;
    if (args[0].kind == RLX_KIND_TUPLE && rlx_tuple_count(args[0].as.tuple) == 2) {
        const rlx_value room = rlx_tuple_get(args[0].as.tuple, 0),
                        count = rlx_tuple_get(args[0].as.tuple, 1);
        if (room.kind == RLX_KIND_TENSOR && count.kind == RLX_KIND_INT &&
            rlx_tensor_ndim(room.as.tensor) > 0 && count.as.i >= 0 &&
            count.as.i <= rlx_tensor_dims(room.as.tensor)[0]) {
            *out = room.as.tensor;
            *out_count = count.as.i;
            return RLX_OK;
        }
    }
    return rlx_fail(err, RLX_E_INVALID_ARG, "argument 0 is not a state of rlx.collect");
}

/* Room for twice as many values like |value|, with a copy of |old|. */
static rlx_status grow(rlx_call_context *cc, const rlx_tensor *old, const rlx_tensor *value,
                       int64_t count, rlx_tensor **out, rlx_error *err)
{
    int64_t dims[RLX_MAX_NDIM] = {FIRST_ROOM};
    if (rlx_tensor_ndim(value) == RLX_MAX_NDIM || (count > 0 && !rlx_mul_i64(count, 2, &dims[0])))
        return rlx_fail(err, RLX_E_LIMIT, "the collected results are too large for one tensor");
    for (uint32_t i = 0; i < rlx_tensor_ndim(value); i++)
        dims[i + 1] = rlx_tensor_dims(value)[i];
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(value), rlx_tensor_ndim(value) + 1, dims,
                                  out, err));
    if (old && rlx_tensor_nbytes(old) > 0)
        memcpy(rlx_tensor_mutable_data(*out), rlx_tensor_data(old), rlx_tensor_nbytes(old));
    return RLX_OK;
}

rlx_status rlxb_collect(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    (void)n;
    rlx_tensor *room = NULL, *value = NULL, *fresh = NULL;
    rlx_tuple *state = NULL;
    int64_t count;
    RLX_TRY(state_of(args, &room, &count, err));
    RLX_TRY(rlxb_tensor(args, 1, &value, err));
    bool same = !room || (rlx_tensor_ndim(room) == rlx_tensor_ndim(value) + 1 &&
                          rlx_dtype_eq(rlx_tensor_dtype(room), rlx_tensor_dtype(value)));
    for (uint32_t i = 0; room && same && i < rlx_tensor_ndim(value); i++)
        same = rlx_tensor_dims(room)[i + 1] == rlx_tensor_dims(value)[i];
    if (!same)
        return rlx_fail(err, RLX_E_SHAPE,
                        "the result of iteration %lld differs in shape from earlier ones",
                        (long long)count);
    if (!room || count == rlx_tensor_dims(room)[0]) {
        RLX_TRY(grow(cc, room, value, count, &fresh, err));
        room = fresh;
    }
    const size_t bytes = rlx_tensor_nbytes(value);
    unsigned char *to = rlx_tensor_mutable_data(room);
    rlx_status status = RLX_OK;
    if (bytes > 0 && !to)
        status = rlx_fail(err, RLX_E_INVALID_ARG, "argument 0 is a constant");
    else if (bytes > 0) /* in hand-written bytecode a state may overlap the value */
        memmove(to + (size_t)count * bytes, rlx_tensor_data(value), bytes);
    if (status == RLX_OK) {
        const rlx_value items[2] = {{RLX_KIND_TENSOR, 0, {.tensor = room}}, rlx_int(count + 1)};
        status = rlx_call_make_tuple(cc, 2, items, &state, err);
    }
    rlx_value_release(rlx_of_tensor(fresh));
    if (status == RLX_OK)
        *out = rlx_of_tuple(state);
    return status;
}

rlx_status rlxb_collected(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                          rlx_error *err)
{
    (void)n;
    rlx_tensor *room = NULL, *result = NULL;
    rlx_shape *shape = NULL;
    rlx_dtype dtype;
    int64_t count, backwards, dims[RLX_MAX_NDIM] = {0};
    RLX_TRY(state_of(args, &room, &count, err));
    RLX_TRY(rlxb_int(args, 1, &backwards, err));
    RLX_TRY(rlxb_shape(args, 2, &shape, err));
    RLX_TRY(rlxb_dtype(args, 3, &dtype, err));
    const uint32_t ndim = room ? rlx_tensor_ndim(room) : rlx_shape_ndim(shape) + 1;
    if (ndim > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_LIMIT, "more than %d dimensions", RLX_MAX_NDIM);
    for (uint32_t i = 1; i < ndim; i++)
        dims[i] = room ? rlx_tensor_dims(room)[i] : rlx_shape_dims(shape)[i - 1];
    dims[0] = count;
    RLX_TRY(
        rlx_call_alloc_tensor(cc, room ? rlx_tensor_dtype(room) : dtype, ndim, dims, &result, err));
    const size_t all = rlx_tensor_nbytes(result);
    if (all > 0) {
        const size_t each = all / (size_t)count;
        unsigned char *to = rlx_tensor_mutable_data(result);
        const unsigned char *from = rlx_tensor_data(room);
        if (!backwards)
            memcpy(to, from, all);
        for (int64_t i = 0; backwards && i < count; i++)
            memcpy(to + (size_t)i * each, from + (size_t)(count - 1 - i) * each, each);
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

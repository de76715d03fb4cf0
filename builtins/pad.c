/* Padding by widths that are data: rlx.pad. Negative widths cut elements off.
 *
 * A table for each dimension says which element each place of the result reads, or that it is the
 * fill value. The middle of a line along the last dimension is copied at once. */
#include "builtins/builtins.h"

#include <string.h>

enum { FILL = -1 };

typedef enum padding { CONSTANT, EDGE, REFLECT, WRAP } padding;

typedef struct pad {
    uint32_t ndim;
    size_t size; /* of an element */
    const unsigned char *value;
    const int64_t *dims; /* of the result */
    int64_t *from[RLX_MAX_NDIM];
    int64_t pitch[RLX_MAX_NDIM]; /* elements of x from one index of the dimension to the next */
    int64_t begin, end;          /* places of a line that are neighbours in x, too */
} pad;

/* The element that place |at|, counted from the first of |n|, is a copy of; n > 0. */
static int64_t source_of(int64_t at, int64_t n, padding mode)
{
    if (at >= 0 && at < n)
        return at;
    if (mode == CONSTANT)
        return FILL;
    if (mode == WRAP)
        return at % n < 0 ? at % n + n : at % n;
    at = at < -n ? -n : at < 2 * n ? at : 2 * n;
    if (mode == REFLECT) { /* once at each end */
        at = at < 0 ? -at : at;
        at = at < n ? at : 2 * (n - 1) - at;
    }
    return at < 0 ? 0 : at < n ? at : n - 1;
}

static void fill(const pad *p, unsigned char *to, int64_t n)
{
    const size_t all = (size_t)n * p->size;
    size_t done = all < p->size ? all : p->size;
    memcpy(to, p->value, done);
    for (; done < all; done *= 2) /* each copy is twice as long */
        memcpy(to + done, to, done < all - done ? done : all - done);
}

/* Places |i| to before |end| of a line, one by one. */
static void copy_border(const pad *p, const unsigned char *from, unsigned char *to, int64_t i,
                        int64_t end)
{
    const int64_t *map = p->from[p->ndim - 1];
#define COPY(T)                        \
    for (; i < end; i++)               \
    memcpy(to + (size_t)i * sizeof(T), \
           map[i] == FILL ? p->value : from + (size_t)map[i] * sizeof(T), sizeof(T))
    if (p->size == sizeof(uint8_t))
        COPY(uint8_t);
    else if (p->size == sizeof(uint16_t))
        COPY(uint16_t);
    else if (p->size == sizeof(uint32_t))
        COPY(uint32_t);
    else
        COPY(uint64_t);
#undef COPY
}

/* Line |to| of the result from line |from| of x. */
static void copy_line(const pad *p, const unsigned char *from, unsigned char *to)
{
    const uint32_t last = p->ndim - 1;
    copy_border(p, from, to, 0, p->begin);
    if (p->end > p->begin)
        memcpy(to + (size_t)p->begin * p->size, from + (size_t)p->from[last][p->begin] * p->size,
               (size_t)(p->end - p->begin) * p->size);
    copy_border(p, from, to, p->end, p->dims[last]);
}

static void copy_all(const pad *p, const unsigned char *x, unsigned char *to)
{
    const uint32_t last = p->ndim - 1;
    int64_t at[RLX_MAX_NDIM] = {0}, lines = 1;
    const int64_t length = p->dims[last];
    for (uint32_t i = 0; i < last; i++)
        lines *= p->dims[i];
    for (int64_t k = 0; k < lines; k++, to += (size_t)length * p->size) {
        int64_t source = 0;
        bool inside = true;
        for (uint32_t i = 0; i < last; i++) {
            inside = inside && p->from[i][at[i]] != FILL;
            source += inside ? p->from[i][at[i]] * p->pitch[i] : 0;
        }
        if (inside)
            copy_line(p, x + (size_t)source * p->size, to);
        else
            fill(p, to, length);
        for (uint32_t i = last; i-- > 0 && ++at[i] == p->dims[i];)
            at[i] = 0;
    }
}

/* The places of a line that are inside of x, whose lines have |n| elements. */
static void find_middle(pad *p, int64_t n, int64_t before)
{
    const int64_t length = p->dims[p->ndim - 1];
    p->begin = before < 0 ? 0 : before < length ? before : length;
    p->end = p->begin;
    if (n > 0 && p->begin < length && before > -n) {
        const int64_t rest = n - (p->begin - before);
        p->end = rest < length - p->begin ? p->begin + rest : length;
    }
}

rlx_status rlxb_pad(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                    rlx_error *err)
{
    (void)n;
    rlx_tensor *x, *value, *result = NULL;
    rlx_shape *before, *shape;
    int64_t mode;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_shape(args, 1, &before, err));
    RLX_TRY(rlxb_shape(args, 2, &shape, err));
    RLX_TRY(rlxb_int(args, 3, &mode, err));
    RLX_TRY(rlxb_tensor(args, 4, &value, err));
    const rlx_dtype t = rlx_tensor_dtype(x);
    const int64_t *dims = rlx_tensor_dims(x);
    pad p = {.ndim = rlx_tensor_ndim(x),
             .size = rlx_dtype_size(t),
             .value = rlx_tensor_data(value),
             .dims = rlx_shape_dims(shape)};
    if (p.ndim == 0 || rlx_shape_ndim(before) != p.ndim || rlx_shape_ndim(shape) != p.ndim ||
        mode < CONSTANT || mode > WRAP ||
        (p.size != 1 && p.size != 2 && p.size != 4 && p.size != 8) ||
        rlx_tensor_numel(value) != 1 || !rlx_dtype_eq(rlx_tensor_dtype(value), t))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "pad: expected a width and a size for each of %u dimensions, and a value",
                        p.ndim);
    RLX_TRY(rlx_call_alloc_tensor(cc, t, p.ndim, p.dims, &result, err));
    rlx_status status = RLX_OK;
    int64_t pitch = 1;
    for (uint32_t i = p.ndim; i-- > 0 && status == RLX_OK && rlx_tensor_numel(result) > 0;) {
        void *room;
        status = rlxb_scratch(cc, p.dims[i], sizeof(int64_t), &room, err);
        p.from[i] = room;
        p.pitch[i] = pitch;
        pitch *= rlx_tensor_numel(x) > 0 ? dims[i] : 0;
        for (int64_t k = 0; k < p.dims[i] && status == RLX_OK; k++)
            p.from[i][k] =
                rlx_tensor_numel(x) == 0
                    ? FILL
                    : source_of((int64_t)((uint64_t)k - (uint64_t)rlx_shape_dims(before)[i]),
                                dims[i], (padding)mode);
    }
    if (status == RLX_OK && rlx_tensor_numel(result) > 0) {
        find_middle(&p, rlx_tensor_numel(x) > 0 ? dims[p.ndim - 1] : 0,
                    rlx_shape_dims(before)[p.ndim - 1]);
        copy_all(&p, rlx_tensor_data(x), rlx_tensor_mutable_data(result));
    }
    if (status != RLX_OK)
        rlx_value_release(rlx_of_tensor(result));
    else
        *out = rlx_of_tensor(result);
    return status;
}

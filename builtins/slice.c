/* A slice whose bounds are data: rlx.strided_slice. Bounds follow Python: from the end if negative,
 * then clipped, so that every index is inside the tensor. */
#include "builtins/builtins.h"

#include <string.h>

/* Element |i| of argument |k|: a shape, or an integer vector, with an element for each dimension.
 */
static rlx_status bound_of(const rlx_value *args, uint32_t k, uint32_t i, uint32_t ndim,
                           int64_t *out, rlx_error *err)
{
    rlx_tensor *t;
    if (args[k].kind == RLX_KIND_SHAPE && rlx_shape_ndim(args[k].as.shape) == ndim) {
        *out = rlx_shape_dims(args[k].as.shape)[i];
        return RLX_OK;
    }
    RLX_TRY(rlxb_tensor(args, k, &t, err));
    rlx_dtype dtype = rlx_tensor_dtype(t);
    if ((dtype.code != RLX_INT && dtype.code != RLX_UINT) || rlx_tensor_ndim(t) != 1 ||
        rlx_tensor_numel(t) != ndim)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "strided_slice: argument %u must have an integer for each of %u dimensions",
                        k, ndim);
    *out = rlxb_read_int(dtype, rlx_tensor_data(t), i);
    return RLX_OK;
}

static int64_t clipped(int64_t bound, int64_t length, int64_t low, int64_t high)
{
    if (bound < 0)
        bound += length;
    return bound < low ? low : bound > high ? high : bound;
}

/* Copies |n| elements of |size| bytes that are |step| elements apart. */
static void copy_line(unsigned char *to, const unsigned char *from, size_t size, int64_t n,
                      int64_t step)
{
#define COPY(T)                     \
    for (int64_t i = 0; i < n; i++) \
    memcpy(to + (size_t)i * sizeof(T), from + i * step * (int64_t)sizeof(T), sizeof(T))
    if (step == 1)
        memcpy(to, from, (size_t)n * size);
    else if (size == sizeof(uint8_t))
        COPY(uint8_t);
    else if (size == sizeof(uint16_t))
        COPY(uint16_t);
    else if (size == sizeof(uint32_t))
        COPY(uint32_t);
    else if (size == sizeof(uint64_t))
        COPY(uint64_t);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + (size_t)i * size, from + i * step * (int64_t)size, size);
#undef COPY
}

/* Fills |to|, of |dims|, which is not empty: lines along the last dimension, or along several that
 * lie together in |x|. */
static void copy_slice(const rlx_tensor *x, const int64_t *first, const int64_t *step,
                       const int64_t *dims, unsigned char *to)
{
    const size_t size = rlx_dtype_size(rlx_tensor_dtype(x));
    const unsigned char *from = rlx_tensor_data(x);
    int64_t at[RLX_MAX_NDIM] = {0}, line = 1, lines = 1, apart = 1, origin = 0;
    uint32_t outer = rlx_tensor_ndim(x);
    for (bool whole = true; outer > 0 && whole && (step[outer - 1] == 1 || line == 1);) {
        outer--;
        apart = line == 1 ? step[outer] : 1;
        whole = step[outer] == 1 && dims[outer] == rlx_tensor_dims(x)[outer];
        line *= dims[outer];
    }
    for (uint32_t i = 0; i < outer; i++)
        lines *= dims[i];
    for (uint32_t i = 0; i < rlx_tensor_ndim(x); i++)
        origin = origin * rlx_tensor_dims(x)[i] + first[i];
    int64_t below = 1; /* elements of x below a step of dimension i */
    int64_t pitch[RLX_MAX_NDIM];
    for (uint32_t i = rlx_tensor_ndim(x); i-- > 0; below *= rlx_tensor_dims(x)[i])
        pitch[i] = below * step[i];
    for (int64_t k = 0; k < lines; k++, to += (size_t)line * size) {
        int64_t source = origin;
        for (uint32_t i = 0; i < outer; i++)
            source += at[i] * pitch[i];
        copy_line(to, from + source * (int64_t)size, size, line, apart);
        for (uint32_t i = outer; i-- > 0 && ++at[i] == dims[i];)
            at[i] = 0;
    }
}

rlx_status rlxb_strided_slice(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    (void)n;
    rlx_tensor *x, *result = NULL;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    const uint32_t ndim = rlx_tensor_ndim(x);
    int64_t first[RLX_MAX_NDIM], step[RLX_MAX_NDIM], dims[RLX_MAX_NDIM];
    for (uint32_t i = 0; i < ndim; i++) {
        int64_t begin, end, length = rlx_tensor_dims(x)[i];
        RLX_TRY(bound_of(args, 1, i, ndim, &begin, err));
        RLX_TRY(bound_of(args, 2, i, ndim, &end, err));
        RLX_TRY(bound_of(args, 3, i, ndim, &step[i], err));
        if (step[i] == 0 || step[i] == INT64_MIN)
            return rlx_fail(err, RLX_E_INVALID_ARG,
                            "strided_slice: the stride of dimension %u is %lld", i,
                            (long long)step[i]);
        bool up = step[i] > 0;
        first[i] = clipped(begin, length, up ? 0 : -1, up ? length : length - 1);
        end = clipped(end, length, up ? 0 : -1, up ? length : length - 1);
        int64_t span = up ? end - first[i] : first[i] - end, by = up ? step[i] : -step[i];
        dims[i] = span > 0 ? (span - 1) / by + 1 : 0;
    }
    const rlx_dtype dtype = rlx_tensor_dtype(x);
    RLX_TRY(rlx_call_alloc_tensor(cc, dtype, ndim, dims, &result, err));
    if (rlx_tensor_numel(result) > 0)
        copy_slice(x, first, step, dims, rlx_tensor_mutable_data(result));
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

/* A slice whose bounds are data: rlx.strided_slice. Bounds follow Python: from the end if negative,
 * then clipped, so that every index is inside the tensor. */
#include "builtins/builtins.h"

#include <string.h>

/* Element |i| of argument |k|, an integer vector with an element for each dimension. */
static rlx_status bound_of(const rlx_value *args, uint32_t k, uint32_t i, uint32_t ndim,
                           int64_t *out, rlx_error *err)
{
    rlx_tensor *t;
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

rlx_status rlxb_strided_slice(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    (void)n;
    rlx_tensor *x, *result = NULL;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    const uint32_t ndim = rlx_tensor_ndim(x);
    int64_t first[RLX_MAX_NDIM], step[RLX_MAX_NDIM], dims[RLX_MAX_NDIM], at[RLX_MAX_NDIM] = {0};
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
    const size_t size = rlx_dtype_size(dtype);
    const unsigned char *from = rlx_tensor_data(x);
    unsigned char *to = rlx_tensor_mutable_data(result);
    const int64_t total = rlx_tensor_numel(result);
    for (int64_t k = 0; k < total; k++) {
        int64_t source = 0;
        for (uint32_t i = 0; i < ndim; i++)
            source = source * rlx_tensor_dims(x)[i] + first[i] + at[i] * step[i];
        memcpy(to + (size_t)k * size, from + (size_t)source * size, size);
        for (uint32_t i = ndim; i-- > 0 && ++at[i] == dims[i];)
            at[i] = 0;
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

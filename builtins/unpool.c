/* Elements put back where a pooling took them from: rlx.unpool. */
#include "builtins/builtins.h"

#include <string.h>

/* Position |at| among |n|: from the end when negative, then clipped, as scatter_elements has it. */
static int64_t inside(int64_t at, int64_t n)
{
    at += at < 0 ? n : 0;
    return at < 0 ? 0 : at < n ? at : n - 1;
}

/* Later elements overwrite earlier ones. |count| is 0 if |n| is. */
static void put(unsigned char *to, const unsigned char *from, size_t size, const int64_t *at,
                int64_t count, int64_t n)
{
#define PUT(T)                                                                           \
    for (int64_t i = 0; i < count; i++) {                                                \
        const bool usual = (uint64_t)at[i] < (uint64_t)n;                                \
        const int64_t place = usual ? at[i] : inside(at[i], n);                          \
        memcpy(to + (size_t)place * sizeof(T), from + (size_t)i * sizeof(T), sizeof(T)); \
    }
    if (size == sizeof(uint16_t)) {
        PUT(uint16_t)
    } else if (size == sizeof(uint32_t)) {
        PUT(uint32_t)
    } else {
        PUT(uint64_t)
    }
#undef PUT
}

rlx_status rlxb_unpool(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    (void)n;
    rlx_tensor *x, *indices, *result = NULL;
    rlx_shape *shape;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_tensor(args, 1, &indices, err));
    RLX_TRY(rlxb_shape(args, 2, &shape, err));
    const size_t size = rlx_dtype_size(rlx_tensor_dtype(x));
    if (!rlx_dtype_eq(rlx_tensor_dtype(indices), RLX_I64) ||
        rlx_tensor_numel(indices) != rlx_tensor_numel(x) || (size != 2 && size != 4 && size != 8))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "unpool: expected elements of 2, 4 or 8 bytes and an index for each");
    if (rlx_shape_ndim(shape) > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_LIMIT, "unpool: more than %d dimensions", RLX_MAX_NDIM);
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(x), rlx_shape_ndim(shape),
                                  rlx_shape_dims(shape), &result, err));
    const int64_t room = rlx_tensor_numel(result);
    unsigned char *to = rlx_tensor_mutable_data(result);
    memset(to, 0, (size_t)room * size);
    put(to, rlx_tensor_data(x), size, rlx_tensor_data(indices), room > 0 ? rlx_tensor_numel(x) : 0,
        room);
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

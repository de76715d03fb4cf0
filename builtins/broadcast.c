/* rlx.broadcast_to: for tensors whose dimensions of 1 are known only at run time. If nothing is
 * repeated, the tensor itself is returned. */
#include <string.h>

#include "builtins/builtins.h"

typedef struct repetition {
    uint32_t whole;                 /* from this dimension on nothing is repeated */
    int64_t dims[RLX_MAX_NDIM];     /* of the result */
    size_t from[RLX_MAX_NDIM];      /* bytes of the source to the next index; 0: repeated */
    size_t bytes[RLX_MAX_NDIM + 1]; /* of the result from a dimension on */
} repetition;

/* Writes the part of the result that has its index in dimensions before |i|. What is repeated is
 * written once, then copied in pieces of twice the size. */
static void repeat(const repetition *r, uint32_t i, const unsigned char *from, unsigned char *to)
{
    const size_t all = r->bytes[i], part = i < r->whole ? r->bytes[i + 1] : all;
    if (i >= r->whole) {
        memcpy(to, from, all);
        return;
    }
    if (r->from[i] > 0) {
        for (int64_t k = 0; k < r->dims[i]; k++)
            repeat(r, i + 1, from + (size_t)k * r->from[i], to + (size_t)k * part);
        return;
    }
    repeat(r, i + 1, from, to);
    for (size_t done = part, more; done < all; done += more) {
        more = done < all - done ? done : all - done;
        memcpy(to + done, to, more);
    }
}

/* |x| as |ndim| dimensions |dims|, none of them 0, of which x's are the last ones. */
static void broadcast(const rlx_tensor *x, uint32_t ndim, const int64_t *dims, unsigned char *to)
{
    const uint32_t lead = ndim - rlx_tensor_ndim(x);
    size_t step = rlx_dtype_size(rlx_tensor_dtype(x));
    repetition r = {.whole = ndim};
    r.bytes[ndim] = step;
    for (uint32_t i = ndim; i-- > 0;) {
        const int64_t own = i < lead ? 1 : rlx_tensor_dims(x)[i - lead];
        r.dims[i] = dims[i];
        r.from[i] = own == dims[i] ? step : 0;
        r.bytes[i] = r.bytes[i + 1] * (size_t)dims[i];
        if (r.whole == i + 1 && own == dims[i])
            r.whole = i;
        step *= (size_t)own;
    }
    repeat(&r, 0, rlx_tensor_data(x), to);
}

rlx_status rlxb_broadcast_to(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                             rlx_value *out, rlx_error *err)
{
    (void)n;
    rlx_tensor *x, *result;
    rlx_shape *shape;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_shape(args, 1, &shape, err));
    const uint32_t ndim = rlx_shape_ndim(shape), have = rlx_tensor_ndim(x);
    const int64_t *dims = rlx_shape_dims(shape);
    if (have > ndim || ndim > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_SHAPE, "%u dimensions cannot be broadcast to %u", have, ndim);
    bool same = have == ndim;
    for (uint32_t i = 0; i < have; i++) {
        int64_t from = rlx_tensor_dims(x)[i], to = dims[i + ndim - have];
        if (from != 1 && from != to)
            return rlx_fail(
                err, RLX_E_SHAPE,
                "operands do not broadcast: dimension %u is %lld and cannot become %lld", i,
                (long long)from, (long long)to);
        same &= from == to;
    }
    if (same) {
        *out = rlx_value_retain(args[0]);
        return RLX_OK;
    }
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(x), ndim, dims, &result, err));
    if (rlx_tensor_numel(result) > 0)
        broadcast(x, ndim, dims, rlx_tensor_mutable_data(result));
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

rlx_status rlxb_broadcast_shape(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                rlx_value *out, rlx_error *err)
{
    int64_t dims[RLX_MAX_NDIM];
    uint32_t ndim = 0;
    rlx_shape *shape = NULL;
    for (uint32_t i = 0; i < n; i++) {
        rlx_tensor *x;
        RLX_TRY(rlxb_any_tensor(args, i, &x, err));
        const uint32_t have = rlx_tensor_ndim(x);
        if (have > ndim) { /* the elements so far cover the last dimensions */
            memmove(dims + (have - ndim), dims, ndim * sizeof dims[0]);
            for (uint32_t k = 0; k < have - ndim; k++)
                dims[k] = 1;
            ndim = have;
        }
        for (uint32_t k = 0; k < have; k++) {
            const int64_t own = rlx_tensor_dims(x)[k];
            int64_t *whole = &dims[k + ndim - have];
            if (own != 1 && *whole != 1 && own != *whole)
                return rlx_fail(err, RLX_E_SHAPE,
                                "operands do not broadcast: dimension %u of operand %u is %lld, of "
                                "earlier ones %lld",
                                k, i, (long long)own, (long long)*whole);
            *whole = own == 1 ? *whole : own;
        }
    }
    RLX_TRY(rlx_call_make_shape(cc, ndim, dims, &shape, err));
    *out = rlx_of_shape(shape);
    return RLX_OK;
}

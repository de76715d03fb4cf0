/* Relax's runtime functions as TVM's lowered modules call them: the shape heap, checks and explicit
 * memory.
 *
 * The heap is an int64 vector. Codes (they are in the printed modules): match_shape 0 the dimension
 * equals the value, 1 store it at heap[value], 2 nothing, 3 it equals heap[value]; make_shape 0 the
 * value, 1 heap[value]. */
#include "builtins/builtins.h"

#include <string.h>

enum { MATCH_EQUALS = 0, MATCH_STORE = 1, MATCH_NOTHING = 2, MATCH_EQUALS_HEAP = 3 };
enum { MAKE_VALUE = 0, MAKE_LOAD = 1 };

rlx_status rlxb_alloc_shape_heap(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                 rlx_value *out, rlx_error *err)
{
    (void)n;
    int64_t count;
    rlx_tensor *heap = NULL;
    RLX_TRY(rlxb_int(args, 0, &count, err));
    if (count < 0)
        return rlx_fail(err, RLX_E_INVALID_ARG, "shape heap size %lld is out of range",
                        (long long)count);
    RLX_TRY(rlx_call_alloc_tensor(cc, RLX_I64, 1, &count, &heap, err));
    if (count > 0)
        memset(rlx_tensor_mutable_data(heap), 0, rlx_tensor_nbytes(heap));
    *out = rlx_of_tensor(heap);
    return RLX_OK;
}

typedef struct shape_heap {
    int64_t *data; /* NULL: no heap was passed */
    int64_t n;
} shape_heap;

static rlx_status open_heap(const rlx_value *args, uint32_t i, shape_heap *out, rlx_error *err)
{
    *out = (shape_heap){NULL, 0};
    if (args[i].kind == RLX_KIND_NONE)
        return RLX_OK;
    rlx_tensor *t;
    RLX_TRY(rlxb_tensor(args, i, &t, err));
    if (!rlx_dtype_eq(rlx_tensor_dtype(t), RLX_I64) || rlx_tensor_ndim(t) != 1 ||
        !rlx_tensor_mutable_data(t))
        return rlx_fail(err, RLX_E_INVALID_ARG, "argument %u is not a shape heap", i);
    *out = (shape_heap){rlx_tensor_mutable_data(t), rlx_tensor_numel(t)};
    return RLX_OK;
}

static rlx_status check_slot(const shape_heap *heap, int64_t slot, rlx_error *err)
{
    if (slot < 0 || slot >= heap->n)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "slot %lld is out of range for a shape heap of %lld", (long long)slot,
                        (long long)heap->n);
    return RLX_OK;
}

static rlx_status match_one(const shape_heap *heap, int64_t code, int64_t value, int64_t got,
                            int64_t dim, rlx_str context, rlx_error *err)
{
    int64_t want = value;
    switch (code) {
    case MATCH_NOTHING:
        return RLX_OK;
    case MATCH_STORE:
        RLX_TRY(check_slot(heap, value, err));
        heap->data[value] = got;
        return RLX_OK;
    case MATCH_EQUALS_HEAP:
        RLX_TRY(check_slot(heap, value, err));
        want = heap->data[value];
        break;
    case MATCH_EQUALS:
        break;
    default:
        return rlx_fail(err, RLX_E_INVALID_ARG, "match code %lld", (long long)code);
    }
    if (got != want)
        return rlx_fail(err, RLX_E_SHAPE, "%.*sdimension %lld is %lld, expected %lld",
                        (int)context.len, context.data, (long long)dim, (long long)got,
                        (long long)want);
    return RLX_OK;
}

rlx_status rlxb_match_shape(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                            rlx_error *err)
{
    (void)cc;
    shape_heap heap;
    int64_t count;
    RLX_TRY(open_heap(args, 1, &heap, err));
    RLX_TRY(rlxb_int(args, 2, &count, err));
    const int64_t *dims;
    uint32_t ndim;
    if (args[0].kind == RLX_KIND_SHAPE) {
        dims = rlx_shape_dims(args[0].as.shape);
        ndim = rlx_shape_ndim(args[0].as.shape);
    } else {
        rlx_tensor *t;
        RLX_TRY(rlxb_any_tensor(args, 0, &t, err));
        dims = rlx_tensor_dims(t);
        ndim = rlx_tensor_ndim(t);
    }
    if (count < 0 || count > (int64_t)(n - 3) / 2)
        return rlx_fail(err, RLX_E_INVALID_ARG, "match_shape of %lld dimensions with %u arguments",
                        (long long)count, n);
    rlx_str context = rlxb_text(args, n, (uint32_t)(3 + 2 * count));
    if (count != (int64_t)ndim)
        return rlx_fail(err, RLX_E_SHAPE, "%.*srank is %u, expected %lld", (int)context.len,
                        context.data, ndim, (long long)count);
    for (uint32_t i = 0; i < ndim; i++) {
        int64_t code, value;
        RLX_TRY(rlxb_int(args, 3 + 2 * i, &code, err));
        RLX_TRY(rlxb_int(args, 4 + 2 * i, &value, err));
        RLX_TRY(match_one(&heap, code, value, dims[i], i, context, err));
    }
    *out = rlx_none();
    return RLX_OK;
}

rlx_status rlxb_match_prim_value(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                 rlx_value *out, rlx_error *err)
{
    (void)cc;
    shape_heap heap;
    int64_t got, code, value;
    RLX_TRY(rlxb_int(args, 0, &got, err));
    RLX_TRY(open_heap(args, 1, &heap, err));
    RLX_TRY(rlxb_int(args, 2, &code, err));
    RLX_TRY(rlxb_int(args, 3, &value, err));
    *out = rlx_none();
    return match_one(&heap, code, value, got, 0, rlxb_text(args, n, 4), err);
}

static rlx_status make_one(const shape_heap *heap, int64_t code, int64_t value, int64_t *out,
                           rlx_error *err)
{
    if (code != MAKE_VALUE && code != MAKE_LOAD)
        return rlx_fail(err, RLX_E_INVALID_ARG, "make code %lld", (long long)code);
    if (code == MAKE_LOAD) {
        RLX_TRY(check_slot(heap, value, err));
        value = heap->data[value];
    }
    *out = value;
    return RLX_OK;
}

rlx_status rlxb_make_shape(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                           rlx_error *err)
{
    shape_heap heap;
    int64_t count;
    RLX_TRY(open_heap(args, 0, &heap, err));
    RLX_TRY(rlxb_int(args, 1, &count, err));
    int64_t dims[RLX_MAX_NDIM];
    if (count < 0 || count > RLX_MAX_NDIM || count > (int64_t)(n - 2) / 2)
        return rlx_fail(err, RLX_E_INVALID_ARG, "make_shape of %lld dimensions with %u arguments",
                        (long long)count, n);
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        int64_t code, value;
        RLX_TRY(rlxb_int(args, 2 + 2 * i, &code, err));
        RLX_TRY(rlxb_int(args, 3 + 2 * i, &value, err));
        RLX_TRY(make_one(&heap, code, value, &dims[i], err));
    }
    rlx_shape *shape = NULL;
    RLX_TRY(rlx_call_make_shape(cc, (uint32_t)count, dims, &shape, err));
    *out = rlx_of_shape(shape);
    return RLX_OK;
}

rlx_status rlxb_make_prim_value(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                rlx_value *out, rlx_error *err)
{
    (void)cc;
    (void)n;
    shape_heap heap;
    int64_t code, value, made = 0;
    RLX_TRY(open_heap(args, 0, &heap, err));
    RLX_TRY(rlxb_int(args, 1, &code, err));
    RLX_TRY(rlxb_int(args, 2, &value, err));
    RLX_TRY(make_one(&heap, code, value, &made, err));
    *out = rlx_int(made);
    return RLX_OK;
}

/* --- checks --- */

static rlx_status mismatch(rlx_str context, const char *want, rlx_value got, rlx_error *err)
{
    return rlx_fail(err, RLX_E_SHAPE, "%.*sexpected %s, got %s", (int)context.len, context.data,
                    want, rlx_kind_name((rlx_kind)got.kind));
}

static rlx_status check_rank(rlx_str context, int64_t want, uint32_t got, rlx_error *err)
{
    if (want >= 0 && want != (int64_t)got)
        return rlx_fail(err, RLX_E_SHAPE, "%.*srank is %u, expected %lld", (int)context.len,
                        context.data, got, (long long)want);
    return RLX_OK;
}

rlx_status rlxb_check_tensor_info(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                  rlx_value *out, rlx_error *err)
{
    (void)cc;
    rlx_str context = rlxb_text(args, n, n - 1);
    if (args[0].kind != RLX_KIND_TENSOR)
        return mismatch(context, "a tensor", args[0], err);
    int64_t rank;
    RLX_TRY(rlxb_int(args, 1, &rank, err));
    RLX_TRY(check_rank(context, rank, rlx_tensor_ndim(args[0].as.tensor), err));
    rlx_dtype got = rlx_tensor_dtype(args[0].as.tensor);
    if (args[2].kind == RLX_KIND_DTYPE && args[2].as.dtype.bits != 0 &&
        !rlx_dtype_eq(args[2].as.dtype, got)) {
        char want_name[24], got_name[24];
        return rlx_fail(err, RLX_E_SHAPE, "%.*sdtype is %s, expected %s", (int)context.len,
                        context.data, rlx_dtype_name(got, got_name),
                        rlx_dtype_name(args[2].as.dtype, want_name));
    }
    *out = rlx_none();
    return RLX_OK;
}

rlx_status rlxb_check_shape_info(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                 rlx_value *out, rlx_error *err)
{
    (void)cc;
    rlx_str context = rlxb_text(args, n, 2);
    if (args[0].kind != RLX_KIND_SHAPE)
        return mismatch(context, "a shape", args[0], err);
    int64_t rank;
    RLX_TRY(rlxb_int(args, 1, &rank, err));
    *out = rlx_none();
    return check_rank(context, rank, rlx_shape_ndim(args[0].as.shape), err);
}

rlx_status rlxb_check_prim_value_info(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                      rlx_value *out, rlx_error *err)
{
    (void)cc;
    rlx_dtype want;
    RLX_TRY(rlxb_dtype(args, 1, &want, err));
    bool is_float = rlx_dtype_is_float(want);
    bool fits = is_float ? args[0].kind == RLX_KIND_FLOAT
                         : args[0].kind == RLX_KIND_INT || args[0].kind == RLX_KIND_BOOL;
    *out = rlx_none();
    return fits
               ? RLX_OK
               : mismatch(rlxb_text(args, n, 2), is_float ? "a float" : "an integer", args[0], err);
}

rlx_status rlxb_check_tuple_info(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                 rlx_value *out, rlx_error *err)
{
    (void)cc;
    rlx_str context = rlxb_text(args, n, 2);
    if (args[0].kind != RLX_KIND_TUPLE)
        return mismatch(context, "a tuple", args[0], err);
    int64_t count;
    RLX_TRY(rlxb_int(args, 1, &count, err));
    *out = rlx_none();
    if (count == (int64_t)rlx_tuple_count(args[0].as.tuple))
        return RLX_OK;
    return rlx_fail(err, RLX_E_SHAPE, "%.*sa tuple of %u, expected %lld", (int)context.len,
                    context.data, rlx_tuple_count(args[0].as.tuple), (long long)count);
}

rlx_status rlxb_check_func_info(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                rlx_value *out, rlx_error *err)
{
    (void)cc;
    *out = rlx_none();
    return args[0].kind == RLX_KIND_CLOSURE
               ? RLX_OK
               : mismatch(rlxb_text(args, n, 1), "a function", args[0], err);
}

/* --- memory --- */

rlx_status rlxb_alloc_storage(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    rlx_shape *shape;
    rlx_storage *storage = NULL;
    rlx_dtype dtype = RLX_U8;
    size_t bytes;
    RLX_TRY(rlxb_shape(args, 0, &shape, err));
    if (n > 2 && args[2].kind != RLX_KIND_NONE)
        RLX_TRY(rlxb_dtype(args, 2, &dtype, err));
    if (!rlx_nbytes(rlx_shape_dims(shape), rlx_shape_ndim(shape), dtype, &bytes))
        return rlx_fail(err, RLX_E_LIMIT, "a storage's size is out of range");
    RLX_TRY(rlx_call_alloc_storage(cc, bytes, 64, &storage, err));
    *out = (rlx_value){RLX_KIND_STORAGE, 0, {.storage = storage}};
    return RLX_OK;
}

rlx_status rlxb_alloc_tensor(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                             rlx_value *out, rlx_error *err)
{
    (void)n;
    int64_t offset;
    rlx_shape *shape;
    rlx_dtype dtype;
    rlx_tensor *t = NULL;
    if (args[0].kind != RLX_KIND_STORAGE)
        return mismatch(RLX_STR("alloc_tensor: "), "a storage", args[0], err);
    RLX_TRY(rlxb_int(args, 1, &offset, err));
    RLX_TRY(rlxb_shape(args, 2, &shape, err));
    RLX_TRY(rlxb_dtype(args, 3, &dtype, err));
    RLX_TRY(rlx_call_storage_tensor(cc, args[0].as.storage, offset, dtype, rlx_shape_ndim(shape),
                                    rlx_shape_dims(shape), &t, err));
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

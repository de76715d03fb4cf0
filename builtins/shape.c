/* Shapes and views: reshape, copies, conversions between shapes and tensors. */
#include "builtins/builtins.h"

#include <string.h>

rlx_status rlxb_identity(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    (void)cc;
    (void)n;
    (void)err;
    *out = rlx_value_retain(args[0]);
    return RLX_OK;
}

rlx_status rlxb_null_value(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                           rlx_error *err)
{
    (void)cc;
    (void)args;
    (void)n;
    (void)err;
    *out = rlx_none();
    return RLX_OK;
}

rlx_status rlxb_product(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    rlx_tensor *x, *w, *y = NULL;
    (void)n;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_tensor(args, 1, &w, err));
    RLX_TRY(rlx_call_product(cc, x, w, &y, err));
    *out = rlx_of_tensor(y);
    return RLX_OK;
}

rlx_status rlxb_copy(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                     rlx_error *err)
{
    if (args[0].kind != RLX_KIND_TENSOR)
        return rlxb_identity(cc, args, n, out, err);
    rlx_tensor *copy = NULL;
    RLX_TRY(rlx_call_copy_tensor(cc, args[0].as.tensor, &copy, err));
    *out = rlx_of_tensor(copy);
    return RLX_OK;
}

rlx_status rlxb_reshape(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    (void)n;
    rlx_tensor *t, *view = NULL;
    rlx_shape *shape;
    RLX_TRY(rlxb_any_tensor(args, 0, &t, err));
    RLX_TRY(rlxb_shape(args, 1, &shape, err));
    RLX_TRY(rlx_call_view(cc, t, rlx_shape_ndim(shape), rlx_shape_dims(shape), &view, err));
    *out = rlx_of_tensor(view);
    return RLX_OK;
}

rlx_status rlxb_flat(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                     rlx_error *err)
{
    (void)n;
    rlx_tensor *t, *view = NULL;
    RLX_TRY(rlxb_any_tensor(args, 0, &t, err));
    const int64_t length = rlx_tensor_numel(t);
    RLX_TRY(rlx_call_view(cc, t, 1, &length, &view, err));
    *out = rlx_of_tensor(view);
    return RLX_OK;
}

rlx_status rlxb_shape_of(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    (void)n;
    rlx_tensor *t;
    rlx_shape *shape = NULL;
    RLX_TRY(rlxb_any_tensor(args, 0, &t, err));
    RLX_TRY(rlx_call_make_shape(cc, rlx_tensor_ndim(t), rlx_tensor_dims(t), &shape, err));
    *out = rlx_of_shape(shape);
    return RLX_OK;
}

rlx_status rlxb_shape_to_tensor(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                rlx_value *out, rlx_error *err)
{
    (void)n;
    rlx_shape *shape;
    rlx_tensor *t = NULL;
    RLX_TRY(rlxb_shape(args, 0, &shape, err));
    const int64_t count = rlx_shape_ndim(shape);
    RLX_TRY(rlx_call_alloc_tensor(cc, RLX_I64, 1, &count, &t, err));
    if (count > 0)
        memcpy(rlx_tensor_mutable_data(t), rlx_shape_dims(shape), (size_t)count * sizeof(int64_t));
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

rlx_status rlxb_tensor_to_shape(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                rlx_value *out, rlx_error *err)
{
    (void)n;
    rlx_tensor *t;
    rlx_shape *shape = NULL;
    RLX_TRY(rlxb_tensor(args, 0, &t, err));
    rlx_dtype dtype = rlx_tensor_dtype(t);
    int64_t dims[RLX_MAX_NDIM];
    int64_t count = rlx_tensor_numel(t);
    if (rlx_tensor_ndim(t) != 1 || (dtype.code != RLX_INT && dtype.code != RLX_UINT) ||
        count > RLX_MAX_NDIM)
        return rlx_fail(err, RLX_E_SHAPE,
                        "tensor_to_shape needs an integer vector of at most %d elements",
                        RLX_MAX_NDIM);
    for (int64_t i = 0; i < count; i++) /* negative ones too: axes, begins, paddings */
        dims[i] = rlxb_read_int(dtype, rlx_tensor_data(t), i);
    RLX_TRY(rlx_call_make_shape(cc, (uint32_t)count, dims, &shape, err));
    *out = rlx_of_shape(shape);
    return RLX_OK;
}

rlx_status rlxb_scalar(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    (void)n;
    rlx_dtype dtype;
    rlx_tensor *t = NULL;
    bool is_float = args[0].kind == RLX_KIND_FLOAT;
    RLX_TRY(rlxb_dtype(args, 1, &dtype, err));
    bool wide = rlx_dtype_eq(dtype, RLX_F64), narrow = rlx_dtype_eq(dtype, RLX_F32);
    bool integers = dtype.lanes == 1 && dtype.bits >= 8 &&
                    (dtype.code == RLX_INT || dtype.code == RLX_UINT || dtype.code == RLX_BOOL);
    if ((!is_float && args[0].kind != RLX_KIND_INT && args[0].kind != RLX_KIND_BOOL) ||
        !(wide || narrow || (integers && !is_float)))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "scalar needs a number and a type that can hold it");
    double value = is_float ? args[0].as.f : (double)args[0].as.i;
    float single = (float)value;
    RLX_TRY(rlx_call_alloc_tensor(cc, dtype, 0, NULL, &t, err));
    if (integers)
        rlxb_write_int(dtype, rlx_tensor_mutable_data(t), 0, args[0].as.i);
    else
        memcpy(rlx_tensor_mutable_data(t), wide ? (void *)&value : (void *)&single,
               rlx_tensor_nbytes(t));
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

rlx_status rlxb_item(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                     rlx_error *err)
{
    (void)cc;
    (void)n;
    rlx_tensor *t = NULL;
    double real;
    char name[24];
    RLX_TRY(rlxb_tensor(args, 0, &t, err));
    rlx_dtype dtype = rlx_tensor_dtype(t);
    bool is_float = rlx_dtype_eq(dtype, RLX_F64), is_bool = rlx_dtype_eq(dtype, RLX_B8);
    if (rlx_tensor_numel(t) != 1 || !(is_float || is_bool || rlx_dtype_eq(dtype, RLX_I64)))
        return rlx_fail(
            err, RLX_E_INVALID_ARG,
            "item needs one element of int64, float64 or bool; the tensor has %lld of %s",
            (long long)rlx_tensor_numel(t), rlx_dtype_name(dtype, name));
    if (is_float) {
        memcpy(&real, rlx_tensor_data(t), sizeof real);
        *out = rlx_float(real);
    } else {
        int64_t whole = rlxb_read_int(dtype, rlx_tensor_data(t), 0);
        *out = is_bool ? rlx_bool(whole != 0) : rlx_int(whole);
    }
    return RLX_OK;
}

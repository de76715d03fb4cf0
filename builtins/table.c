/* The table of builtins and the argument helpers that all families use. */
#include "builtins/builtins.h"

#include <string.h>

static const rlx_builtin table[] = {
#define RLXB_BUILTIN(name, function, flags, min_args, max_args, doc) \
    {name, function, min_args, max_args, flags, doc},
#include "builtins/table.def"
#undef RLXB_BUILTIN
};

const rlx_builtin *rlx_builtin_table(uint32_t *out_count)
{
    if (out_count)
        *out_count = sizeof table / sizeof *table;
    return table;
}

static rlx_status wrong_kind(const rlx_value *args, uint32_t i, const char *want, rlx_error *err)
{
    return rlx_fail(err, RLX_E_INVALID_ARG, "argument %u must be %s, is %s", i, want,
                    rlx_kind_name((rlx_kind)args[i].kind));
}

rlx_status rlxb_any_tensor(const rlx_value *args, uint32_t i, rlx_tensor **out, rlx_error *err)
{
    if (args[i].kind != RLX_KIND_TENSOR)
        return wrong_kind(args, i, "a tensor", err);
    *out = args[i].as.tensor;
    return RLX_OK;
}

rlx_status rlxb_tensor(const rlx_value *args, uint32_t i, rlx_tensor **out, rlx_error *err)
{
    char name[24];
    RLX_TRY(rlxb_any_tensor(args, i, out, err));
    const rlx_dtype dtype = rlx_tensor_dtype(*out);
    if (rlx_dtype_is_packed(dtype))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "argument %u is a tensor of %s, whose elements are smaller than a byte", i,
                        rlx_dtype_name(dtype, name));
    return RLX_OK;
}

rlx_status rlxb_int(const rlx_value *args, uint32_t i, int64_t *out, rlx_error *err)
{
    if (args[i].kind == RLX_KIND_INT || args[i].kind == RLX_KIND_BOOL) {
        *out = args[i].as.i;
        return RLX_OK;
    }
    if (args[i].kind == RLX_KIND_TENSOR) {
        const rlx_tensor *t = args[i].as.tensor;
        rlx_dtype dtype = rlx_tensor_dtype(t);
        if (rlx_tensor_data(t) && rlx_tensor_ndim(t) == 0 && !rlx_dtype_is_float(dtype) &&
            !rlx_dtype_is_packed(dtype)) {
            *out = rlxb_read_int(dtype, rlx_tensor_data(t), 0);
            return RLX_OK;
        }
    }
    return wrong_kind(args, i, "an integer", err);
}

rlx_status rlxb_shape(const rlx_value *args, uint32_t i, rlx_shape **out, rlx_error *err)
{
    if (args[i].kind != RLX_KIND_SHAPE)
        return wrong_kind(args, i, "a shape", err);
    *out = args[i].as.shape;
    return RLX_OK;
}

rlx_status rlxb_dtype(const rlx_value *args, uint32_t i, rlx_dtype *out, rlx_error *err)
{
    if (args[i].kind != RLX_KIND_DTYPE)
        return wrong_kind(args, i, "a dtype", err);
    *out = args[i].as.dtype;
    return RLX_OK;
}

rlx_str rlxb_text(const rlx_value *args, uint32_t n, uint32_t i)
{
    return i < n && args[i].kind == RLX_KIND_STRING ? rlx_string_get(args[i].as.string)
                                                    : (rlx_str){"", 0};
}

rlx_status rlxb_axis(int64_t axis, uint32_t ndim, uint32_t *out, rlx_error *err)
{
    int64_t positive = axis < 0 ? axis + (int64_t)ndim : axis;
    if (positive < 0 || positive >= (int64_t)ndim)
        return rlx_fail(err, RLX_E_INVALID_ARG, "axis %lld is out of range for rank %u",
                        (long long)axis, ndim);
    *out = (uint32_t)positive;
    return RLX_OK;
}

rlx_status rlxb_scratch(rlx_call_context *cc, int64_t count, int64_t size, void **out,
                        rlx_error *err)
{
    int64_t bytes;
    if (!rlx_mul_i64(count, size, &bytes))
        return rlx_fail(err, RLX_E_LIMIT, "the scratch memory for %lld elements is too large",
                        (long long)count);
    rlx_kernel_context *ctx = rlx_call_kernel_context(cc);
    *out = ctx->scratch_alloc(ctx, bytes > 0 ? bytes : 1, 64);
    if (!*out)
        return rlx_fail(err, RLX_E_NOMEM, "no memory for %lld bytes of scratch", (long long)bytes);
    return RLX_OK;
}

int64_t rlxb_read_int(rlx_dtype dtype, const void *data, int64_t index)
{
    const size_t size = dtype.bits / 8u;
    const unsigned char *bytes = data;
    uint64_t bits = 0;
    if (size == 0)
        return rlx_packed_get(dtype, data, (size_t)index);
    memcpy(&bits, bytes + (size_t)index * size, size); /* the host is little-endian */
    if (dtype.code == RLX_INT && size < 8 && (bits >> (dtype.bits - 1u)) & 1u)
        bits |= UINT64_MAX << dtype.bits;
    return (int64_t)bits;
}

void rlxb_write_int(rlx_dtype dtype, void *data, int64_t index, int64_t value)
{
    const size_t size = dtype.bits / 8u;
    memcpy((unsigned char *)data + (size_t)index * size, &value, size);
}

rlx_status rlxb_scalar_of(rlx_call_context *cc, rlx_dtype dtype, int64_t value, rlx_value *out,
                          rlx_error *err)
{
    rlx_tensor *t = NULL;
    RLX_TRY(rlx_call_alloc_tensor(cc, dtype, 0, NULL, &t, err));
    rlxb_write_int(dtype, rlx_tensor_mutable_data(t), 0, value);
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

rlxb_elements rlxb_elements_of(rlx_dtype dtype)
{
    const rlx_float_format *format = rlx_float_format_of(dtype);
    rlxb_elements e = {.size = dtype.bits / 8u,
                       .sign = UINT64_C(1) << (dtype.bits - 1u),
                       .is_float = format != NULL,
                       .is_signed = format != NULL || dtype.code == RLX_INT};
    e.magnitude = format ? e.sign - 1 : e.sign | (e.sign - 1);
    e.most = e.magnitude;
    if (format) {
        e.no_minus_zero = format->kind == RLX_FLOAT_FNUZ;
        e.most = rlx_float_largest(dtype) + (format->kind == RLX_FLOAT_IEEE ? 1 : 0);
    }
    return e;
}

/* One load per size: memcpy of a variable size would be a call. */
uint64_t rlxb_element_bits(const rlxb_elements *e, const void *data, int64_t index)
{
    const unsigned char *at = (const unsigned char *)data + (size_t)index * e->size;
    uint64_t bits = 0;
    if (e->size == 8)
        memcpy(&bits, at, 8);
    else if (e->size == 4)
        memcpy(&bits, at, 4);
    else if (e->size == 2)
        memcpy(&bits, at, 2);
    else
        bits = *at;
    return bits; /* the host is little-endian */
}

bool rlxb_bits_are_nan(const rlxb_elements *e, uint64_t bits)
{
    return (bits & e->magnitude) > e->most || (e->no_minus_zero && bits == e->sign);
}

uint64_t rlxb_order_key(const rlxb_elements *e, const void *data, int64_t index, bool descending)
{
    uint64_t bits = rlxb_element_bits(e, data, index);
    if (!e->is_float) {
        const uint64_t key = e->is_signed ? bits ^ e->sign : bits;
        return descending ? ~key : key;
    }
    if (rlxb_bits_are_nan(e, bits)) /* keeps the last position in both directions */
        return UINT64_MAX;
    if (bits == e->sign)
        bits = 0;
    const uint64_t all = e->sign | (e->sign - 1);
    const uint64_t key = bits & e->sign ? all - bits : bits | e->sign; /* negative numbers in
                                                                        * reverse */
    return descending ? UINT64_MAX - 1 - key : key;
}

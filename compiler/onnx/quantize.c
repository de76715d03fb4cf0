/* Quantization: by definition, in float32 and int32. */
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"

/* One parameter for each block of the axis of |x|, repeated for its elements; the last block may be
 * shorter. */
static rlxc_atom blocks(rlxc_ox *im, rlxc_atom p, rlxc_atom x, uint32_t axis, int64_t size)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM], *want = rlxc_ox_dim(im, x, axis);
    uint32_t ndim = rlxc_ox_ndim(im, p);
    const int64_t inner[1] = {axis + 1};
    rlxc_ox_dims(im, p, dims);
    if (ndim + 1 > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "blocks of %u dimensions", ndim);
        return p;
    }
    const rlxc_expr *spread[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i <= ndim; i++)
        spread[i] = i == axis + 1 ? rlxc_ox_i(im, size) : dims[i > axis ? i - 1 : i];
    p = rlxc_ox_broadcast(im, rlxc_ox_expand_dims(im, p, inner, 1), spread, ndim + 1);
    dims[axis] = rlxc_mul(im->ctx, dims[axis], rlxc_ox_i(im, size));
    p = rlxc_ox_reshape(im, p, dims, ndim);
    if (!rlxc_prove_eq(im->ctx, rlxc_ox_dim(im, p, axis), want, NULL))
        p = rlxc_ox_slice(im, p, axis, rlxc_ox_i(im, 0), want, 1);
    return p;
}

/* A parameter of the axis, or a scalar. */
static rlxc_atom parameter(rlxc_ox *im, rlxc_atom p, int64_t axis, uint32_t ndim)
{
    if (rlxc_ox_ndim(im, p) == 1 && rlxc_is_const(rlxc_ox_dim(im, p, 0), 1))
        return rlxc_ox_reshape(im, p, NULL, 0);
    return rlxc_ox_ndim(im, p) == 1 && ndim > 1
               ? rlxc_ox_along(im, p, rlxc_ox_axis(im, axis, ndim), ndim)
               : p;
}

/* |y| as |t|, of which |narrow| bits are used (0: all). */
static rlxc_atom saturated(rlxc_ox *im, rlxc_atom y, rlx_dtype t, uint8_t narrow)
{
    const uint32_t bits = narrow ? narrow : t.bits;
    double low = t.code == RLX_UINT ? 0 : -(double)((int64_t)1 << (bits - 1));
    double high = (double)((int64_t)1 << (t.code == RLX_UINT ? bits : bits - 1)) - 1;
    y = rlxc_ox_op2(im, "maximum", y, rlxc_ox_number(im, RLX_F32, low));
    return rlxc_ox_cast(im, rlxc_ox_op2(im, "minimum", y, rlxc_ox_number(im, RLX_F32, high)), t);
}

/* |x|, divided by the scale already. */
static rlxc_atom rounded(rlxc_ox *im, rlxc_atom x, rlxc_atom zero, rlx_dtype t, uint8_t narrow)
{
    rlxc_atom y = rlxc_ox_op1(im, "round", x);
    if (zero.kind != RLXC_ATOM_NONE)
        y = rlxc_ox_op2(im, "add", y, rlxc_ox_cast(im, zero, RLX_F32));
    return saturated(im, y, t, narrow);
}

static rlxc_atom quantized(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom zero, rlx_dtype t,
                           uint8_t narrow)
{
    return rounded(im, rlxc_ox_op2(im, "divide", x, scale), zero, t, narrow);
}

/* Parameter |input| of the node's axis or blocks, for |x|. */
static rlxc_atom of_node(rlxc_ox *im, uint32_t input, rlxc_atom x)
{
    rlxc_atom p = rlxc_ox_in(im, input);
    const int64_t axis = rlxc_ox_int(im, "axis", 1), size = rlxc_ox_int(im, "block_size", 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (size <= 0)
        return parameter(im, p, axis, ndim);
    if (rlxc_ox_ndim(im, p) != ndim) {
        rlxc_ox_fail(im, "blocks need parameters of the input's rank");
        return p;
    }
    return blocks(im, p, x, rlxc_ox_axis(im, axis, ndim), size);
}

/* The type that attribute |name| says, or |otherwise|. */
static rlx_dtype type_of(rlxc_ox *im, const char *name, rlx_dtype otherwise, uint8_t *narrow)
{
    int32_t code = (int32_t)rlxc_ox_int(im, name, 0);
    if (code == 0)
        return otherwise;
    if (!rlxc_ox_dtype_of(code, &otherwise))
        rlxc_ox_fail(im, "element type %d is not supported", (int)code);
    *narrow = rlxc_ox_narrow(code);
    return otherwise;
}

void rlxc_ox_import_quantize(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_cast(im, rlxc_ox_in(im, 0), RLX_F32), zero = {0};
    uint8_t narrow = 0;
    rlx_dtype t = type_of(im, "output_dtype", RLX_U8, &narrow);
    if (rlxc_ox_has(im, 2)) {
        t = rlxc_ox_type(im, rlxc_ox_in(im, 2));
        narrow = rlxc_ox_value_in(im, 2)->narrow;
        zero = of_node(im, 2, x);
    }
    if ((t.code != RLX_INT && t.code != RLX_UINT) || t.bits > 16) {
        rlxc_ox_fail(im, "only integers of at most 16 bits can be the result");
        return;
    }
    rlxc_atom scale = rlxc_ox_cast(im, of_node(im, 1, x), RLX_F32);
    rlxc_ox_value *y = rlxc_ox_tensor(im, quantized(im, x, scale, zero, t, narrow));
    y->narrow = narrow;
    rlxc_ox_set_value(im, 0, y);
}

static rlxc_atom dequantized(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom zero)
{
    rlxc_atom y = rlxc_ox_cast(im, x, RLX_I32);
    if (zero.kind != RLXC_ATOM_NONE)
        y = rlxc_ox_op2(im, "subtract", y, rlxc_ox_cast(im, zero, RLX_I32));
    return rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, y, rlxc_ox_type(im, scale)), scale);
}

void rlxc_ox_import_dequantize(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0), zero = {0}, scale = of_node(im, 1, x);
    uint8_t narrow = 0;
    rlx_dtype t = type_of(im, "output_dtype", rlxc_ox_type(im, scale), &narrow);
    if (rlxc_ox_has(im, 2))
        zero = of_node(im, 2, x);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, dequantized(im, x, scale, zero), t));
}

void rlxc_ox_import_dynamic_quantize(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0), none = rlxc_ox_number(im, RLX_F32, 0);
    rlxc_atom high = rlxc_ox_op2(im, "maximum", rlxc_ox_reduce(im, "max", x, NULL, 0, false), none);
    rlxc_atom low = rlxc_ox_op2(im, "minimum", rlxc_ox_reduce(im, "min", x, NULL, 0, false), none);
    rlxc_atom scale = rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "subtract", high, low),
                                  rlxc_ox_number(im, RLX_F32, 255));
    rlxc_atom zero = rlxc_ox_op2(im, "divide", rlxc_ox_op1(im, "negative", low), scale);
    zero = saturated(im, rlxc_ox_op1(im, "round", zero), RLX_U8, 0);
    rlxc_ox_set(im, 0, quantized(im, x, scale, zero, RLX_U8, 0));
    rlxc_ox_set(im, 1, scale);
    rlxc_ox_set(im, 2, zero);
}

/* Input |i| as int32, less its zero point (input |z|) along |axis|. */
static rlxc_atom centred(rlxc_ox *im, uint32_t i, uint32_t z, int64_t axis)
{
    rlxc_atom x = rlxc_ox_cast(im, rlxc_ox_in(im, i), RLX_I32);
    if (!rlxc_ox_has(im, z))
        return x;
    rlxc_atom zero =
        parameter(im, rlxc_ox_cast(im, rlxc_ox_in(im, z), RLX_I32), axis, rlxc_ox_ndim(im, x));
    return rlxc_ox_op2(im, "subtract", x, zero);
}

void rlxc_ox_import_matmul_integer(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom a = rlxc_ox_in(im, 0);
    int64_t rows = rlxc_ox_ndim(im, a) > 1 ? -2 : 0;
    rlxc_ox_set(im, 0, rlxc_ox_op2(im, "matmul", centred(im, 0, 2, rows), centred(im, 1, 3, -1)));
}

static rlxc_atom in_float32(rlxc_ox *im, uint32_t input, int64_t axis, uint32_t ndim)
{
    return rlxc_ox_cast(im, parameter(im, rlxc_ox_in(im, input), axis, ndim), RLX_F32);
}

void rlxc_ox_import_qlinear_matmul(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom product = rlxc_ox_op2(im, "matmul", centred(im, 0, 2, -2), centred(im, 3, 5, -1));
    uint32_t ndim = rlxc_ox_ndim(im, product);
    rlxc_atom scale =
        rlxc_ox_op2(im, "multiply", in_float32(im, 1, -2, ndim), in_float32(im, 4, -1, ndim));
    rlxc_atom y = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, product, RLX_F32), scale);
    rlxc_atom zero = rlxc_ox_in(im, 7);
    rlxc_ox_set(im, 0,
                quantized(im, y, in_float32(im, 6, -2, ndim), parameter(im, zero, -2, ndim),
                          rlxc_ox_type(im, zero), 0));
}

void rlxc_ox_import_conv_integer(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set(im, 0, rlxc_ox_conv(im, centred(im, 0, 2, 1), centred(im, 1, 3, 0), RLX_I32));
}

void rlxc_ox_import_qlinear_conv(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom sum = rlxc_ox_conv(im, centred(im, 0, 2, 1), centred(im, 3, 5, 0), RLX_I32);
    uint32_t ndim = rlxc_ox_ndim(im, sum);
    if (rlxc_ox_has(im, 8))
        sum = rlxc_ox_op2(im, "add", sum, rlxc_ox_along(im, rlxc_ox_in(im, 8), 1, ndim));
    rlxc_atom scale =
        rlxc_ox_op2(im, "multiply", in_float32(im, 1, 1, ndim), in_float32(im, 4, 1, ndim));
    /* one factor of constants, as the operator's other implementations have it */
    scale = rlxc_ox_op2(im, "divide", scale, in_float32(im, 6, 1, ndim));
    rlxc_atom y = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, sum, RLX_F32), scale);
    rlxc_atom zero = rlxc_ox_in(im, 7);
    rlxc_ox_set(im, 0, rounded(im, y, parameter(im, zero, 1, ndim), rlxc_ox_type(im, zero), 0));
}

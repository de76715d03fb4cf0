/* Quantization: by definition, in float32 and int32. */
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"

/* A parameter of the axis, or a scalar. */
static rlxc_atom parameter(rlxc_ox *im, rlxc_atom p, int64_t axis, uint32_t ndim)
{
    if (rlxc_ox_ndim(im, p) == 1 && rlxc_is_const(rlxc_ox_dim(im, p, 0), 1))
        return rlxc_ox_reshape(im, p, NULL, 0);
    return rlxc_ox_ndim(im, p) == 1 && ndim > 1
               ? rlxc_ox_along(im, p, rlxc_ox_axis(im, axis, ndim), ndim)
               : p;
}

static rlxc_atom saturated(rlxc_ox *im, rlxc_atom y, rlx_dtype t)
{
    double low = t.code == RLX_UINT ? 0 : -(double)((int64_t)1 << (t.bits - 1));
    double high = (double)((int64_t)1 << (t.code == RLX_UINT ? t.bits : t.bits - 1)) - 1;
    y = rlxc_ox_op2(im, "maximum", y, rlxc_ox_number(im, RLX_F32, low));
    return rlxc_ox_cast(im, rlxc_ox_op2(im, "minimum", y, rlxc_ox_number(im, RLX_F32, high)), t);
}

static rlxc_atom quantized(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom zero, rlx_dtype t)
{
    rlxc_atom y = rlxc_ox_op1(im, "round", rlxc_ox_op2(im, "divide", x, scale));
    if (zero.kind != RLXC_ATOM_NONE)
        y = rlxc_ox_op2(im, "add", y, rlxc_ox_cast(im, zero, RLX_F32));
    return saturated(im, y, t);
}

void rlxc_ox_import_quantize(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_cast(im, rlxc_ox_in(im, 0), RLX_F32), zero = {0};
    uint32_t ndim = rlxc_ox_ndim(im, x);
    int64_t axis = rlxc_ox_int(im, "axis", 1);
    rlx_dtype t = RLX_U8;
    if (rlxc_ox_has(im, 2)) {
        t = rlxc_ox_type(im, rlxc_ox_in(im, 2));
        zero = parameter(im, rlxc_ox_in(im, 2), axis, ndim);
    }
    rlxc_atom scale = rlxc_ox_cast(im, parameter(im, rlxc_ox_in(im, 1), axis, ndim), RLX_F32);
    rlxc_ox_set(im, 0, quantized(im, x, scale, zero, t));
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
    rlxc_atom x = rlxc_ox_in(im, 0), zero = {0};
    uint32_t ndim = rlxc_ox_ndim(im, x);
    int64_t axis = rlxc_ox_int(im, "axis", 1);
    if (rlxc_ox_has(im, 2))
        zero = parameter(im, rlxc_ox_in(im, 2), axis, ndim);
    rlxc_ox_set(im, 0, dequantized(im, x, parameter(im, rlxc_ox_in(im, 1), axis, ndim), zero));
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
    zero = saturated(im, rlxc_ox_op1(im, "round", zero), RLX_U8);
    rlxc_ox_set(im, 0, quantized(im, x, scale, zero, RLX_U8));
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

void rlxc_ox_import_qlinear_matmul(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom product = rlxc_ox_op2(im, "matmul", centred(im, 0, 2, -2), centred(im, 3, 5, -1));
    uint32_t ndim = rlxc_ox_ndim(im, product);
    rlxc_atom scale = rlxc_ox_op2(im, "multiply", parameter(im, rlxc_ox_in(im, 1), -2, ndim),
                                  parameter(im, rlxc_ox_in(im, 4), -1, ndim));
    rlxc_atom y = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, product, RLX_F32), scale);
    rlxc_atom zero = rlxc_ox_in(im, 7);
    rlxc_ox_set(im, 0,
                quantized(im, y, parameter(im, rlxc_ox_in(im, 6), -2, ndim),
                          parameter(im, zero, -2, ndim), rlxc_ox_type(im, zero)));
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
    rlxc_atom scale = rlxc_ox_op2(im, "multiply", parameter(im, rlxc_ox_in(im, 1), 1, ndim),
                                  parameter(im, rlxc_ox_in(im, 4), 1, ndim));
    rlxc_atom y = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, sum, RLX_F32), scale);
    rlxc_atom zero = rlxc_ox_in(im, 7);
    rlxc_ox_set(im, 0,
                quantized(im, y, parameter(im, rlxc_ox_in(im, 6), 1, ndim),
                          parameter(im, zero, 1, ndim), rlxc_ox_type(im, zero)));
}

/* Quantization: by definition, in float32 and int32; also of onnxruntime's own operators, as its
 * quantizer writes them. */
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/quantize.h"
#include "compiler/onnx/standard.h"
#include "compiler/onnx/window.h"
#include "rlx/floats.h"

rlxc_atom rlxc_ox_blocks(rlxc_ox *im, rlxc_atom p, rlxc_atom x, uint32_t axis, int64_t size)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM], *want = rlxc_ox_dim(im, x, axis);
    uint32_t ndim = rlxc_ox_ndim(im, p);
    const int64_t inner[1] = {axis + 1};
    rlxc_ox_dims(im, p, dims);
    if (ndim + 1 > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "blockwise quantization over %u dimensions is not supported", ndim);
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

/* |y| as |t|, limited to its numbers. */
static rlxc_atom saturated(rlxc_ox *im, rlxc_atom y, rlx_dtype t)
{
    const uint32_t bits = t.bits;
    double low = t.code == RLX_UINT ? 0 : -(double)((int64_t)1 << (bits - 1));
    double high = (double)((int64_t)1 << (t.code == RLX_UINT ? bits : bits - 1)) - 1;
    y = rlxc_ox_op2(im, "maximum", y, rlxc_ox_number(im, RLX_F32, low));
    return rlxc_ox_cast(im, rlxc_ox_op2(im, "minimum", y, rlxc_ox_number(im, RLX_F32, high)), t);
}

rlxc_atom rlxc_ox_saturated(rlxc_ox *im, rlxc_atom x, rlx_dtype to)
{
    if (!rlxc_dtype_eq(rlxc_ox_type(im, x), RLX_F64))
        x = rlxc_ox_cast(im, x, RLX_F32);
    const rlx_dtype t = rlxc_ox_type(im, x);
    const double most = rlx_float_decode(to, rlx_float_largest(to));
    rlxc_atom high = rlxc_ox_number(im, t, most), low = rlxc_ox_number(im, t, -most);
    x = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "greater", x, high), high, x); /* not for NaN */
    x = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "less", x, low), low, x);
    return rlxc_ox_cast(im, x, to);
}

/* |x|, already divided by the scale. */
static rlxc_atom rounded(rlxc_ox *im, rlxc_atom x, rlxc_atom zero, rlx_dtype t)
{
    rlxc_atom y = rlxc_ox_op1(im, "round", x);
    if (zero.kind != RLXC_ATOM_NONE)
        y = rlxc_ox_op2(im, "add", y, rlxc_ox_cast(im, zero, RLX_F32));
    return saturated(im, y, t);
}

static rlxc_atom quantized(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom zero, rlx_dtype t)
{
    return rounded(im, rlxc_ox_op2(im, "divide", x, scale), zero, t);
}

rlxc_atom rlxc_ox_in_bytes(rlxc_ox *im, uint32_t input)
{
    rlxc_atom x = rlxc_ox_in(im, input);
    const rlx_dtype t = rlxc_ox_type(im, x);
    return rlx_dtype_is_packed(t) ? rlxc_ox_cast(im, x, RLX_DTYPE(t.code, 8)) : x;
}

/* Parameter |input| of the node's axis or blocks, for |x|. */
static rlxc_atom of_node(rlxc_ox *im, uint32_t input, rlxc_atom x)
{
    rlxc_atom p = rlxc_ox_in_bytes(im, input);
    const int64_t axis = rlxc_ox_int(im, "axis", 1), size = rlxc_ox_int(im, "block_size", 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (size <= 0)
        return parameter(im, p, axis, ndim);
    if (rlxc_ox_ndim(im, p) != ndim) {
        rlxc_ox_fail(im, "blocks need parameters of the input's rank");
        return p;
    }
    return rlxc_ox_blocks(im, p, x, rlxc_ox_axis(im, axis, ndim), size);
}

/* The type in attribute |name|, or |otherwise|. */
static rlx_dtype type_of(rlxc_ox *im, const char *name, rlx_dtype otherwise)
{
    int32_t code = (int32_t)rlxc_ox_int(im, name, 0);
    if (code == 0)
        return otherwise;
    if (!rlxc_ox_dtype_of(code, &otherwise))
        rlxc_ox_fail(im, "element type %d is not supported", (int)code);
    return otherwise;
}

void rlxc_ox_import_quantize(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_cast(im, rlxc_ox_in(im, 0), RLX_F32), zero = {0};
    rlx_dtype t = type_of(im, "output_dtype", RLX_U8);
    if (rlxc_ox_has(im, 2)) {
        t = rlxc_ox_type(im, rlxc_ox_in(im, 2));
        zero = of_node(im, 2, x);
    }
    const bool is_float8 = rlxc_dtype_is_float8(t);
    if (!is_float8 && (!rlxc_dtype_is_int(t) || t.bits > 16)) {
        rlxc_ox_fail(im, "only integers of at most 16 bits and float8 can be the result");
        return;
    }
    rlxc_atom scale = rlxc_ox_cast(im, of_node(im, 1, x), RLX_F32);
    if (is_float8) {
        rlxc_atom y = rlxc_ox_op2(im, "divide", x, scale);
        if (zero.kind != RLXC_ATOM_NONE)
            y = rlxc_ox_op2(im, "add", y, rlxc_ox_cast(im, zero, RLX_F32));
        const bool saturate = rlxc_ox_int(im, "saturate", 1) != 0;
        rlxc_ox_set(im, 0, saturate ? rlxc_ox_saturated(im, y, t) : rlxc_ox_cast(im, y, t));
        return;
    }
    rlxc_ox_set(im, 0, quantized(im, x, scale, zero, t));
}

rlxc_atom rlxc_ox_dequantized(rlxc_ox *im, rlxc_atom x, rlxc_atom scale, rlxc_atom zero)
{
    im->n_dequantized++;
    const rlx_dtype exact = rlxc_dtype_is_float8(rlxc_ox_type(im, x)) ? RLX_F32 : RLX_I32;
    rlxc_atom y = rlxc_ox_cast(im, x, exact);
    if (zero.kind != RLXC_ATOM_NONE)
        y = rlxc_ox_op2(im, "subtract", y, rlxc_ox_cast(im, zero, exact));
    return rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, y, rlxc_ox_type(im, scale)), scale);
}

void rlxc_ox_import_dequantize(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0), zero = {0}, scale = of_node(im, 1, x);
    rlx_dtype t = type_of(im, "output_dtype", rlxc_ox_type(im, scale));
    if (rlxc_ox_has(im, 2))
        zero = of_node(im, 2, x);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, rlxc_ox_dequantized(im, x, scale, zero), t));
}

void rlxc_ox_quantize_dynamically(rlxc_ox *im, rlxc_atom x, rlxc_atom out[3])
{
    rlxc_atom none = rlxc_ox_number(im, RLX_F32, 0);
    rlxc_atom high = rlxc_ox_op2(im, "maximum", rlxc_ox_reduce(im, "max", x, NULL, 0, false), none);
    rlxc_atom low = rlxc_ox_op2(im, "minimum", rlxc_ox_reduce(im, "min", x, NULL, 0, false), none);
    rlxc_atom scale = rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "subtract", high, low),
                                  rlxc_ox_number(im, RLX_F32, 255));
    rlxc_atom zero = rlxc_ox_op2(im, "divide", rlxc_ox_op1(im, "negative", low), scale);
    zero = saturated(im, rlxc_ox_op1(im, "round", zero), RLX_U8);
    out[0] = quantized(im, x, scale, zero, RLX_U8);
    out[1] = scale;
    out[2] = zero;
}

rlxc_atom rlxc_ox_as_quantized(rlxc_ox *im, rlxc_atom x)
{
    rlxc_atom out[3];
    rlxc_ox_quantize_dynamically(im, x, out);
    return rlxc_ox_dequantized(im, out[0], out[1], out[2]);
}

void rlxc_ox_import_dynamic_quantize(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom out[3];
    rlxc_ox_quantize_dynamically(im, rlxc_ox_in(im, 0), out);
    for (uint32_t i = 0; i < 3; i++)
        rlxc_ox_set(im, i, out[i]);
}

rlxc_atom rlxc_ox_centred(rlxc_ox *im, rlxc_atom x, rlxc_atom zero, int64_t axis)
{
    x = rlxc_ox_cast(im, x, RLX_I32);
    if (zero.kind == RLXC_ATOM_NONE)
        return x;
    zero = parameter(im, rlxc_ox_cast(im, zero, RLX_I32), axis, rlxc_ox_ndim(im, x));
    return rlxc_ox_op2(im, "subtract", x, zero);
}

/* Input |i| as int32, less its zero point (input |z|) along |axis|. */
static rlxc_atom centred(rlxc_ox *im, uint32_t i, uint32_t z, int64_t axis)
{
    return rlxc_ox_centred(im, rlxc_ox_in(im, i), rlxc_ox_optional_in(im, z), axis);
}

rlxc_atom rlxc_ox_scaled_product(rlxc_ox *im, rlxc_atom a, rlxc_atom b, rlxc_atom a_scale,
                                 rlxc_atom b_scale)
{
    rlxc_atom y = rlxc_ox_op2(im, "matmul", a, b);
    const uint32_t ndim = rlxc_ox_ndim(im, y);
    a_scale = rlxc_ox_cast(im, parameter(im, a_scale, -2, ndim), RLX_F32);
    b_scale = rlxc_ox_cast(im, parameter(im, b_scale, -1, ndim), RLX_F32);
    return rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, y, RLX_F32),
                       rlxc_ox_op2(im, "multiply", a_scale, b_scale));
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
                          rlxc_ox_type(im, zero)));
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
    /* one constant factor, as in the operator's other implementations */
    scale = rlxc_ox_op2(im, "divide", scale, in_float32(im, 6, 1, ndim));
    rlxc_atom y = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, sum, RLX_F32), scale);
    rlxc_atom zero = rlxc_ox_in(im, 7);
    rlxc_ox_set(im, 0, rounded(im, y, parameter(im, zero, 1, ndim), rlxc_ox_type(im, zero)));
}

/* --- of the domain com.microsoft -------------------------------------------------------------- */

/* A scale or zero point of a whole tensor. */
static rlxc_atom of_tensor(rlxc_ox *im, uint32_t input)
{
    rlxc_atom p = parameter(im, rlxc_ox_in(im, input), 0, 1);
    if (rlxc_ox_ndim(im, p) != 0)
        rlxc_ox_fail(im, "input %u has more than one element", input);
    return p;
}

rlxc_atom rlxc_ox_real_in(rlxc_ox *im, uint32_t i)
{
    rlxc_atom zero = {0};
    if (rlxc_ox_has(im, i + 2))
        zero = of_tensor(im, i + 2);
    return rlxc_ox_dequantized(im, rlxc_ox_in(im, i),
                               rlxc_ox_cast(im, of_tensor(im, i + 1), RLX_F32), zero);
}

void rlxc_ox_set_quantized(rlxc_ox *im, rlxc_atom y, uint32_t i, rlx_dtype t)
{
    rlxc_atom zero = {0};
    if (rlxc_ox_has(im, i + 1)) {
        zero = of_tensor(im, i + 1);
        t = rlxc_ox_type(im, zero);
    }
    rlxc_atom scale = rlxc_ox_cast(im, of_tensor(im, i), RLX_F32);
    rlxc_ox_set(im, 0, quantized(im, y, scale, zero, t));
}

void rlxc_ox_import_qlinear_unary(rlxc_ox *im, const rlxc_ox_row *row)
{
    const bool last = rlxc_ox_int(im, "channels_last", 0) != 0;
    const int64_t opset = im->opset;
    rlxc_atom x = rlxc_ox_real_in(im, 0);
    if (last)
        x = rlxc_ox_move_channels(im, x, false);
    im->opset = rlxc_ox_int(im, "opset", opset); /* whose softmax it is */
    x = rlxc_ox_standard(im, row->arg, &x, 1);
    im->opset = opset;
    if (last)
        x = rlxc_ox_move_channels(im, x, true);
    rlxc_ox_set_quantized(im, x, 3, rlxc_ox_type(im, rlxc_ox_in(im, 0)));
}

void rlxc_ox_import_qlinear_binary(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_atom in[2] = {rlxc_ox_real_in(im, 0), rlxc_ox_real_in(im, 3)};
    rlxc_ox_set_quantized(im, rlxc_ox_standard(im, row->arg, in, 2), 6,
                          rlxc_ox_type(im, rlxc_ox_in(im, 0)));
}

void rlxc_ox_import_qlinear_where(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_atom in[3] = {rlxc_ox_in(im, 0), rlxc_ox_real_in(im, 1), rlxc_ox_real_in(im, 4)};
    rlxc_ox_set_quantized(im, rlxc_ox_standard(im, row->arg, in, 3), 7,
                          rlxc_ox_type(im, rlxc_ox_in(im, 1)));
}

void rlxc_ox_import_qlinear_concat(rlxc_ox *im, const rlxc_ox_row *row)
{
    const uint32_t n = (rlxc_ox_n_inputs(im) - 2) / 3;
    if (rlxc_ox_n_inputs(im) < 5 || n * 3 + 2 != rlxc_ox_n_inputs(im)) {
        rlxc_ox_fail(im, "%u inputs", rlxc_ox_n_inputs(im));
        return;
    }
    rlxc_atom *in = rlxc_alloc(im->ctx, n * sizeof *in);
    for (uint32_t i = 0; i < n; i++)
        in[i] = rlxc_ox_real_in(im, 2 + 3 * i);
    rlxc_ox_set_quantized(im, rlxc_ox_standard(im, row->arg, in, n), 0,
                          rlxc_ox_type(im, rlxc_ox_in(im, 2)));
}

void rlxc_ox_import_qgemm(rlxc_ox *im, const rlxc_ox_row *row)
{
    static const int64_t swap[2] = {1, 0};
    (void)row;
    const bool turned = rlxc_ox_int(im, "transB", 0) != 0;
    rlxc_atom a = centred(im, 0, 2, 0), b = centred(im, 3, 5, turned ? 0 : 1);
    if (rlxc_ox_int(im, "transA", 0))
        a = rlxc_ox_transpose(im, a, swap, 2);
    if (turned)
        b = rlxc_ox_transpose(im, b, swap, 2);
    rlxc_atom y = rlxc_ox_op2(im, "matmul", a, b);
    if (rlxc_ox_has(im, 6))
        y = rlxc_ox_op2(im, "add", y, rlxc_ox_in(im, 6));
    rlxc_atom scale = rlxc_ox_op2(im, "multiply", in_float32(im, 1, 0, 2), in_float32(im, 4, 1, 2));
    const double alpha = rlxc_ox_float(im, "alpha", 1);
    if (alpha != 1)
        scale = rlxc_ox_op2(im, "multiply", scale, rlxc_ox_number(im, RLX_F32, alpha));
    y = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, y, RLX_F32), scale);
    if (rlxc_ox_has(im, 7))
        rlxc_ox_set_quantized(im, y, 7, RLX_U8);
    else
        rlxc_ox_set(im, 0, y);
}

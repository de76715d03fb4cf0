/* Products and recurrent cells of com.microsoft with dynamic quantization of inputs, and composite
 * operators on quantized tensors. */
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/quantize.h"
#include "compiler/onnx/standard.h"

static rlxc_atom with_bias(rlxc_ox *im, rlxc_atom y, uint32_t input)
{
    return rlxc_ox_has(im, input) ? rlxc_ox_sum(im, y, rlxc_ox_in(im, input)) : y;
}

/* Input 0, quantized by its least and greatest element, times integers. */
void rlxc_ox_import_dynamic_quantize_matmul(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom a[3];
    rlxc_ox_quantize_dynamically(im, rlxc_ox_in(im, 0), a);
    rlxc_atom b = rlxc_ox_centred(im, rlxc_ox_in(im, 1), rlxc_ox_optional_in(im, 3), -1);
    rlxc_atom y =
        rlxc_ox_scaled_product(im, rlxc_ox_centred(im, a[0], a[2], 0), b, a[1], rlxc_ox_in(im, 2));
    rlxc_ox_set(im, 0, with_bias(im, y, 4));
}

void rlxc_ox_import_matmul_integer_to_float(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom a = rlxc_ox_centred(im, rlxc_ox_in(im, 0), rlxc_ox_optional_in(im, 4), -2);
    rlxc_atom b = rlxc_ox_centred(im, rlxc_ox_in(im, 1), rlxc_ox_optional_in(im, 5), -1);
    rlxc_atom y = rlxc_ox_scaled_product(im, a, b, rlxc_ox_in(im, 2), rlxc_ox_in(im, 3));
    rlxc_ox_set(im, 0, with_bias(im, y, 6));
}

/* Weights (directions, inputs, 4 hidden) of integers, input |i|, as LSTM has them; the scale and
 * the zero point, inputs |scale| and the one after it, are those of a direction or of its columns.
 */
static rlxc_atom recurrent_weight(rlxc_ox *im, uint32_t i, uint32_t scale)
{
    static const int64_t turn[3] = {0, 2, 1}, inside[1] = {1}, after[2] = {1, 2};
    rlxc_atom p[2] = {rlxc_ox_in(im, scale), rlxc_ox_in(im, scale + 1)};
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t ndim = rlxc_ox_ndim(im, p[k]);
        if (ndim != 1 && ndim != 2)
            rlxc_ox_fail(im, "input %u has %u dimensions, expected 1 or 2", scale + k, ndim);
        p[k] = ndim == 2 ? rlxc_ox_expand_dims(im, p[k], inside, 1)
                         : rlxc_ox_expand_dims(im, p[k], after, 2);
    }
    rlxc_atom w = rlxc_ox_dequantized(im, rlxc_ox_in(im, i), p[0], p[1]);
    return rlxc_ox_transpose(im, w, turn, 3);
}

/* An LSTM whose input and states are quantized before they are multiplied (rnn.c does the states).
 */
void rlxc_ox_import_dynamic_quantize_lstm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom in[8], out[3] = {{0}};
    const uint32_t n = rlxc_ox_n_outputs(im) < 3 ? rlxc_ox_n_outputs(im) : 3;
    in[0] = rlxc_ox_as_quantized(im, rlxc_ox_in(im, 0));
    in[1] = recurrent_weight(im, 1, 8);
    in[2] = recurrent_weight(im, 2, 10);
    for (uint32_t i = 3; i < 8; i++)
        in[i] = rlxc_ox_optional_in(im, i);
    if (!rlxc_ox_good(im))
        return;
    rlxc_ox_standard_outputs(im, "LSTM", NULL, in, 8, out, n);
    for (uint32_t k = 0; k < n; k++)
        if (rlxc_ox_wants(im, k))
            rlxc_ox_set(im, k, out[k]);
}

void rlxc_ox_import_qlinear_reduce_mean(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t opset = im->opset;
    const rlxc_atom x = rlxc_ox_real_in(im, 0);
    im->opset = 13; /* the last whose axes are an attribute */
    const rlxc_atom y = rlxc_ox_standard(im, "ReduceMean", &x, 1);
    im->opset = opset;
    rlxc_ox_set_quantized(im, y, 3, rlxc_ox_type(im, rlxc_ox_in(im, 0)));
}

/* --- tables of few bits ----------------------------------------------------------------------- */

rlxc_atom rlxc_ox_unpacked(rlxc_ox *im, rlxc_atom x, int64_t bits)
{
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const int64_t last[1] = {ndim}, each = 8 / bits;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    double shifts[8];
    rlxc_ox_dims(im, x, dims);
    for (int64_t i = 0; i < each; i++)
        shifts[i] = (double)(i * bits);
    rlxc_atom y = rlxc_ox_op2(im, "right_shift", rlxc_ox_expand_dims(im, x, last, 1),
                              rlxc_ox_const_tensor(im, RLX_U8, 1, &each, shifts));
    y = rlxc_ox_op2(im, "bitwise_and", y, rlxc_ox_number(im, RLX_U8, (double)((1 << bits) - 1)));
    dims[ndim - 1] = rlxc_mul(im->ctx, dims[ndim - 1], rlxc_ox_i(im, each));
    return rlxc_ox_reshape(im, y, dims, ndim);
}

/* Rows of a table whose numbers share a scale and a zero point by blocks: the rows are taken first.
 */
void rlxc_ox_import_gather_block_quantized(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t bits = rlxc_ox_int(im, "bits", 4), size = rlxc_ox_int(im, "block_size", 128);
    const rlxc_atom data = rlxc_ox_in(im, 0), at = rlxc_ox_in(im, 1);
    const uint32_t ndim = rlxc_ox_ndim(im, data);
    const bool narrow = rlx_dtype_is_packed(rlxc_ox_type(im, rlxc_ox_in(im, 0)));
    if (!rlxc_ox_good(im))
        return;
    const uint32_t along = rlxc_ox_axis(im, rlxc_ox_int(im, "quantize_axis", 1), ndim);
    const uint32_t gather = rlxc_ox_axis(im, rlxc_ox_int(im, "gather_axis", 0), ndim);
    if (size < 1 || size > 1 << 20 || gather != 0 || along == 0 ||
        (!narrow && (bits != 2 && bits != 4 && bits != 8)) ||
        (!narrow && !rlxc_dtype_eq(rlxc_ox_type(im, data), RLX_U8))) {
        rlxc_ox_fail(im, "rows of axis %u in blocks of %lld of axis %u, of %lld bits", gather,
                     (long long)size, along, (long long)bits);
        return;
    }
    const uint32_t axis = along + rlxc_ox_ndim(im, at) - 1;
    const rlxc_atom given[3] = {data, rlxc_ox_in(im, 2), rlxc_ox_optional_in(im, 3)};
    rlxc_atom part[3] = {{0}};
    for (uint32_t i = 0; i < 3; i++) {
        const rlxc_atom in[2] = {given[i], at};
        Onnx__NodeProto like;
        onnx__node_proto__init(&like); /* axis 0 */
        if (given[i].kind == RLXC_ATOM_NONE)
            continue;
        rlxc_ox_standard_outputs(im, "Gather", &like, in, 2, &part[i], 1);
        if (!narrow && i != 1 && bits < 8)
            part[i] = rlxc_ox_unpacked(im, part[i], bits);
    }
    if (!rlxc_ox_good(im))
        return;
    const rlx_dtype t = rlxc_ox_type(im, part[1]);
    rlxc_atom scale = rlxc_ox_blocks(im, part[1], part[0], axis, size), zero = {0};
    if (part[2].kind != RLXC_ATOM_NONE)
        zero = rlxc_ox_blocks(im, part[2], part[0], axis, size);
    else if (!narrow)
        zero = rlxc_ox_number(im, RLX_U8, (double)(1 << (bits - 1)));
    scale = rlxc_ox_cast(im, scale, RLX_F32);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, rlxc_ox_dequantized(im, part[0], scale, zero), t));
}

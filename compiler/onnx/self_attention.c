/* Attention of com.microsoft that projects its input itself: Attention, and QAttention, whose input
 * and weights are integers. */
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/multihead.h"
#include "compiler/onnx/quantize.h"
#include "compiler/onnx/standard.h"

enum { INPUT, WEIGHT, BIAS };

/* The widths of query, key and value in |all| columns. */
static bool read_widths(rlxc_ox *im, int64_t all, int64_t out[3])
{
    uint32_t n = 0;
    if (!rlxc_ox_ints(im, "qkv_hidden_sizes", out, 3, &n)) {
        for (uint32_t i = 0; i < 3; i++)
            out[i] = all / 3;
        n = 3;
    }
    for (uint32_t i = 0; i < n; i++)
        if (out[i] < 1 || out[i] > INT32_MAX)
            n = 0;
    if (n != 3 || out[0] != out[1] || out[0] + out[1] + out[2] != all)
        rlxc_ox_fail(im, "%lld weight columns do not match query, key and value", (long long)all);
    return rlxc_ox_good(im);
}

/* |x| (batch, length, columns): query, key and value, one after the other. */
static void attend(rlxc_ox *im, rlxc_atom x, const rlxc_ox_heads_inputs *in)
{
    int64_t width[3], begin = 0;
    if (rlxc_ox_ndim(im, x) != 3) {
        rlxc_ox_fail(im, "the input has %u dimensions, expected 3", rlxc_ox_ndim(im, x));
        return;
    }
    if (!read_widths(im, rlxc_ox_need_dim(im, x, 2, "the number of the weights' columns"), width))
        return;
    rlxc_ox_heads h = {.n = rlxc_ox_int(im, "num_heads", 0),
                       .batch = rlxc_ox_dim(im, x, 0),
                       .queries = rlxc_ox_dim(im, x, 1)};
    rlxc_atom *const to[3] = {&h.q, &h.k, &h.v};
    if (!rlxc_ox_head_sizes(im, &h, width[0], width[2]))
        return;
    for (uint32_t i = 0; i < 3; i++) {
        rlxc_atom part =
            rlxc_ox_slice(im, x, 2, rlxc_ox_i(im, begin), rlxc_ox_i(im, begin + width[i]), 1);
        *to[i] = rlxc_ox_split_heads(im, &h, part, i == 2 ? h.value_size : h.size);
        begin += width[i];
    }
    rlxc_ox_attend(im, &h, in);
}

void rlxc_ox_import_self_attention(rlxc_ox *im, const rlxc_ox_row *row)
{
    static const rlxc_ox_heads_inputs in = {.mask = 3,
                                            .past_key = 4,
                                            .bias = 5,
                                            .past_length = 6,
                                            .past_value = RLXC_OX_NO_INPUT,
                                            .indirection = RLXC_OX_NO_INPUT,
                                            .stacked = true};
    (void)row;
    const rlxc_atom product[2] = {rlxc_ox_in(im, INPUT), rlxc_ox_in(im, WEIGHT)};
    rlxc_atom x = rlxc_ox_standard(im, "MatMul", product, 2);
    if (rlxc_ox_has(im, BIAS))
        x = rlxc_ox_sum(im, x, rlxc_ox_in(im, BIAS));
    attend(im, x, &in);
}

void rlxc_ox_import_quantized_attention(rlxc_ox *im, const rlxc_ox_row *row)
{
    static const rlxc_ox_heads_inputs in = {.mask = 5,
                                            .past_key = 8,
                                            .bias = RLXC_OX_NO_INPUT,
                                            .past_length = RLXC_OX_NO_INPUT,
                                            .past_value = RLXC_OX_NO_INPUT,
                                            .indirection = RLXC_OX_NO_INPUT,
                                            .stacked = true};
    (void)row;
    rlxc_atom x = rlxc_ox_centred(im, rlxc_ox_in(im, INPUT), rlxc_ox_optional_in(im, 6), -2);
    rlxc_atom w = rlxc_ox_centred(im, rlxc_ox_in(im, WEIGHT), rlxc_ox_optional_in(im, 7), -1);
    x = rlxc_ox_scaled_product(im, x, w, rlxc_ox_in(im, 3), rlxc_ox_in(im, 4));
    attend(im, rlxc_ox_sum(im, x, rlxc_ox_in(im, BIAS)), &in);
}

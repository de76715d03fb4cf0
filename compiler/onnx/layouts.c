/* Operators of onnxruntime for image layouts other than ONNX's.
 *
 * Those of com.microsoft.nchwc, which it writes when it saves a model that it optimized for the
 * machine at hand, keep the channels in blocks, the number of channels rounded up to whole ones.
 * Between ReorderInput and ReorderOutput the layout is not observable, so tensors are (batch,
 * channels, ...) here, padded to whole blocks of channels; only weights, which are blocked in the
 * file, are reordered. Blocks have 8 channels with AVX and SSE, 16 with AVX-512: the file does not
 * state it, but channel counts that are not multiples of 16 tell; otherwise it is the block that
 * onnxruntime uses on the current CPU.
 *
 * Others have their channels last: the standard operator between two transpositions. */
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/standard.h"
#include "compiler/onnx/window.h"

/* --- blocks of channels ----------------------------------------------------------------------- */

/* The number of channels in a block. */
static int64_t find_block(rlxc_ox *im)
{
    const Onnx__GraphProto *g = im->model->graph;
    if (im->channel_block)
        return im->channel_block;
#if defined(__x86_64__)
    im->channel_block = __builtin_cpu_supports("avx512f") ? 16 : 8;
#else
    im->channel_block = 16;
#endif
    for (size_t i = 0; i < g->n_node; i++) {
        const Onnx__NodeProto *node = g->node[i];
        int64_t outs;
        if (!node->domain || strcmp(node->domain, "com.microsoft.nchwc") != 0 || !node->op_type ||
            strcmp(node->op_type, "Conv") != 0 || node->n_input < 2 || !node->input[1])
            continue;
        const rlxc_ox_value *w = rlxc_ox_lookup(im, node->input[1]);
        if (w && w->kind == RLXC_OX_TENSOR && w->atom.kind == RLXC_ATOM_CONSTANT &&
            rlxc_ox_ndim(im, w->atom) == 4 && rlxc_ox_static_dim(im, w->atom, 0, &outs) &&
            outs % 16 != 0)
            im->channel_block = 8;
    }
    return im->channel_block;
}

/* The weight, input 1, as a convolution has it: from (outs / block, ins, h, w, block of outs) or,
 * where there is a block of inputs, (outs / block, ins / block, h, w, block of ins, block of outs).
 */
static rlxc_atom ordered_weight(rlxc_ox *im)
{
    const rlxc_ox_value *v = rlxc_ox_value_in(im, 1);
    const rlxc_constant *c = v->atom.kind == RLXC_ATOM_CONSTANT ? v->atom.constant : NULL;
    const size_t block = (size_t)find_block(im);
    if (!c || c->ndim != 4 || c->dtype.bits % 8 != 0 || c->shape[0] % (int64_t)block != 0 ||
        (c->shape[1] >= (int64_t)block && c->shape[1] % (int64_t)block != 0)) {
        rlxc_ox_fail(im, "the weight is not a constant of rank 4 in blocks of %zu channels", block);
        return (rlxc_atom){0};
    }
    const size_t width = c->dtype.bits / 8u, outs = (size_t)c->shape[0], ins = (size_t)c->shape[1];
    const size_t places = (size_t)c->shape[2] * (size_t)c->shape[3];
    const size_t inner = ins >= block ? block : 1; /* inputs in a block */
    unsigned char *to = rlxc_try_alloc(im->ctx, c->nbytes ? c->nbytes : 1, 1);
    for (size_t o = 0; to && o < outs; o++)
        for (size_t i = 0; i < ins; i++)
            for (size_t p = 0; p < places; p++) {
                const size_t blocks = (o / block * (ins / inner) + i / inner) * places + p;
                const size_t from = (blocks * inner + i % inner) * block + o % block;
                memcpy(to + ((o * ins + i) * places + p) * width,
                       (const unsigned char *)c->data + from * width, width);
            }
    if (!to)
        return (rlxc_atom){0};
    return rlxc_atom_constant(rlxc_constant_new(im->ctx, c->dtype, 4, c->shape, to, c->nbytes));
}

void rlxc_ox_import_blocked_conv(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom in[3] = {rlxc_ox_in(im, 0), ordered_weight(im), rlxc_ox_optional_in(im, 2)};
    if (!rlxc_ox_good(im) || in[1].kind == RLXC_ATOM_NONE)
        return;
    rlxc_atom y = rlxc_ox_standard(im, "Conv", in, 3);
    if (rlxc_ox_has(im, 3))
        y = rlxc_ox_sum(im, y, rlxc_ox_in(im, 3));
    rlxc_ox_set(im, 0, rlxc_ox_fused_activation(im, y));
}

/* Pooling, as the standard operator |row->arg|. */
void rlxc_ox_import_blocked(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_atom x = rlxc_ox_in(im, 0);
    rlxc_ox_set(im, 0, rlxc_ox_standard(im, row->arg, &x, 1));
}

/* Resize by whole factors. */
void rlxc_ox_import_blocked_upsample(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t scales[4] = {0};
    const int64_t shape[1] = {4}, opset = im->opset;
    uint32_t n = 0;
    double values[4];
    Onnx__NodeProto like;
    Onnx__AttributeProto floor, **kept;
    char name[] = "nearest_mode", text[] = "floor";
    if (!rlxc_ox_ints(im, "scales", scales, 4, &n) || n != 4) {
        rlxc_ox_fail(im, "scales has %u numbers, expected 4", n);
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        values[i] = (double)scales[i];
    onnx__node_proto__init(&like);
    onnx__attribute_proto__init(&floor);
    floor.name = name;
    floor.has_s = true;
    floor.s = (ProtobufCBinaryData){sizeof text - 1, (uint8_t *)text};
    kept = rlxc_alloc(im->ctx, (im->node->n_attribute + 1) * sizeof *kept);
    for (size_t i = 0; i < im->node->n_attribute; i++)
        if (im->node->attribute[i]->name && strcmp(im->node->attribute[i]->name, "scales") != 0)
            kept[like.n_attribute++] = im->node->attribute[i];
    kept[like.n_attribute++] = &floor;
    like.attribute = kept;
    const rlxc_atom in[3] = {
        rlxc_ox_in(im, 0), {0}, rlxc_ox_const_tensor(im, RLX_F32, 1, shape, values)};
    rlxc_atom y;
    im->opset = 13;
    rlxc_ox_standard_outputs(im, "Resize", &like, in, 3, &y, 1);
    im->opset = opset;
    rlxc_ox_set(im, 0, y);
}

/* Pads the channels, which may be last in the input, to whole blocks. */
void rlxc_ox_import_reorder_input(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    if (rlxc_ox_int(im, "channels_last", 0) != 0)
        x = rlxc_ox_move_channels(im, x, false);
    const rlxc_expr *channels = rlxc_ox_dim(im, x, 1), *block = rlxc_ox_i(im, find_block(im));
    const rlxc_expr *less = rlxc_sub(im->ctx, rlxc_ox_i(im, 0), channels);
    const rlxc_expr *more = rlxc_canonical(
        im->ctx, /* -channels mod block */
        rlxc_sub(im->ctx, less,
                 rlxc_mul(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, less, block), block)),
        NULL);
    if (!rlxc_is_const(more, 0))
        x = rlxc_ox_pad_axis(im, x, 1, rlxc_ox_i(im, 0), more, "constant",
                             rlxc_ox_number(im, rlxc_ox_type(im, x), 0));
    rlxc_ox_set(im, 0, x);
}

/* The first |channels| channels, which may be last in the result. */
void rlxc_ox_import_reorder_output(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    const int64_t channels = rlxc_ox_int(im, "channels", 0);
    int64_t all;
    const bool known = rlxc_ox_static_dim(im, x, 1, &all);
    if (channels < 1 || (known && channels > all)) {
        rlxc_ox_fail(im, "channels is %lld, where the input has %s", (long long)channels,
                     known ? rlxc_internf(im->ctx, "%lld", (long long)all) : "an unknown number");
        return;
    }
    if (!known || channels < all)
        x = rlxc_ox_slice(im, x, 1, rlxc_ox_i(im, 0), rlxc_ox_i(im, channels), 1);
    if (rlxc_ox_int(im, "channels_last", 0) != 0)
        x = rlxc_ox_move_channels(im, x, true);
    rlxc_ox_set(im, 0, x);
}

/* --- channels last ---------------------------------------------------------------------------- */

/* The standard operator |row->arg| of an image whose channels are last. */
void rlxc_ox_import_channels_last(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom in[16];
    const uint32_t n = rlxc_ox_n_inputs(im);
    if (n < 1 || n > sizeof in / sizeof *in) {
        rlxc_ox_fail(im, "%u inputs", n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        in[i] = rlxc_ox_optional_in(im, i);
    in[0] = rlxc_ox_move_channels(im, rlxc_ox_in(im, 0), false);
    rlxc_ox_set(im, 0, rlxc_ox_move_channels(im, rlxc_ox_standard(im, row->arg, in, n), true));
}

/* A convolution, a sum with input 3, an activation. */
void rlxc_ox_import_channels_last_conv(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom in[3] = {rlxc_ox_move_channels(im, rlxc_ox_in(im, 0), false), rlxc_ox_in(im, 1),
                             rlxc_ox_optional_in(im, 2)};
    rlxc_atom y = rlxc_ox_move_channels(im, rlxc_ox_standard(im, "Conv", in, 3), true);
    if (rlxc_ox_has(im, 3))
        y = rlxc_ox_sum(im, y, rlxc_ox_in(im, 3));
    rlxc_ox_set(im, 0, rlxc_ox_fused_activation(im, y));
}

/* QLinearConv, whose attribute channels_last says how the image lies. */
void rlxc_ox_import_quantized_conv(rlxc_ox *im, const rlxc_ox_row *row)
{
    static const rlxc_ox_row last = {NULL, NULL, "QLinearConv"};
    if (rlxc_ox_int(im, "channels_last", 0) != 0)
        rlxc_ox_import_channels_last(im, &last);
    else
        rlxc_ox_import_qlinear_conv(im, row);
}

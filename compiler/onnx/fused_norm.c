/* Normalizations of com.microsoft: of sums, of embeddings, of groups of channels. */
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/norm.h"
#include "compiler/onnx/quantize.h"
#include "compiler/onnx/standard.h"

static const double SMALL = 1e-12; /* default epsilon */

/* The sum of two inputs, and of the bias that may be input |bias|. */
static rlxc_atom sum_of(rlxc_ox *im, uint32_t a, uint32_t b, uint32_t bias)
{
    rlxc_atom sum = rlxc_ox_sum(im, rlxc_ox_in(im, a), rlxc_ox_in(im, b));
    return rlxc_ox_has(im, bias) ? rlxc_ox_sum(im, sum, rlxc_ox_in(im, bias)) : sum;
}

/* layer_norm of a sum; the sum is also a result. */
void rlxc_ox_import_skip_layer_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const bool more = rlxc_ox_wants(im, 1) || rlxc_ox_wants(im, 2);
    const rlxc_atom sum = sum_of(im, 0, 1, 4);
    rlxc_atom moments[2] = {{0}};
    rlxc_ox_set(im, 0,
                rlxc_ox_layer_norm(im, sum, rlxc_ox_in(im, 2), rlxc_ox_optional_in(im, 3), -1,
                                   rlxc_ox_float(im, "epsilon", SMALL), more ? moments : NULL));
    for (uint32_t i = 0; i < 2 && more; i++)
        rlxc_ox_set(im, 1 + i, moments[i]);
    rlxc_ox_set(im, 3, sum);
}

void rlxc_ox_import_skip_rms_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom sum = sum_of(im, 0, 1, 3);
    rlxc_ox_set(
        im, 0,
        rlxc_ox_rms_norm(im, sum, rlxc_ox_in(im, 2), -1, rlxc_ox_float(im, "epsilon", SMALL)));
    rlxc_ox_set(im, 3, sum);
}

/* --- embeddings ------------------------------------------------------------------------------- */

enum { IDS, SEGMENTS, WORDS, POSITIONS, SEGMENT_WORDS, GAMMA, BETA, MASK, POSITION_IDS };
enum { SCALES = 8, ZEROS = 13 /* of the quantized operator, for WORDS to BETA */ };

/* Input |i|, a table or a vector; |quantized|: integers, with a scale and a zero point. */
static rlxc_atom table(rlxc_ox *im, uint32_t i, bool quantized)
{
    const rlxc_atom x = rlxc_ox_in(im, i);
    return quantized ? rlxc_ox_dequantized(im, x, rlxc_ox_in(im, i + SCALES - WORDS),
                                           rlxc_ox_in(im, i + ZEROS - WORDS))
                     : x;
}

/* The rows |ids| of |table|. */
static rlxc_atom rows_of(rlxc_ox *im, rlxc_atom table, rlxc_atom ids)
{
    const rlxc_atom in[2] = {table, ids};
    return rlxc_ox_standard(im, "Gather", in, 2);
}

/* layer_norm of the sum of the embeddings of words, positions and segments. The second result is
 * the number of words in the mask, 0 without one. */
void rlxc_ox_import_embed_layer_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    const bool quantized = row->arg != NULL;
    const rlxc_atom ids = rlxc_ox_in(im, IDS);
    if (rlxc_ox_ndim(im, ids) != 2) {
        rlxc_ox_fail(im, "input_ids has %u dimensions, expected 2", rlxc_ox_ndim(im, ids));
        return;
    }
    const rlxc_expr *batch = rlxc_ox_dim(im, ids, 0), *length = rlxc_ox_dim(im, ids, 1);
    rlxc_atom places = !quantized && rlxc_ox_has(im, POSITION_IDS)
                           ? rlxc_ox_in(im, POSITION_IDS)
                           : rlxc_ox_arange(im, rlxc_ox_i(im, 0), length);
    rlxc_atom sum = rlxc_ox_sum(im, rows_of(im, table(im, WORDS, quantized), ids),
                                rows_of(im, table(im, POSITIONS, quantized), places));
    if (rlxc_ox_has(im, SEGMENTS) && rlxc_ox_has(im, SEGMENT_WORDS))
        sum = rlxc_ox_sum(
            im, sum, rows_of(im, table(im, SEGMENT_WORDS, quantized), rlxc_ox_in(im, SEGMENTS)));
    rlxc_ox_set(im, 0,
                rlxc_ox_layer_norm(im, sum, table(im, GAMMA, quantized), table(im, BETA, quantized),
                                   -1, rlxc_ox_float(im, "epsilon", SMALL), NULL));
    rlxc_ox_set(im, 2, sum);
    if (!rlxc_ox_wants(im, 1))
        return;
    const int64_t axis[1] = {1};
    rlxc_ox_set(im, 1,
                rlxc_ox_has(im, MASK)
                    ? rlxc_ox_reduce(im, "sum", rlxc_ox_in(im, MASK), axis, 1, false)
                    : rlxc_ox_full(im, RLX_I32, 0, &batch, 1));
}

/* --- groups of channels ----------------------------------------------------------------------- */

/* GroupNorm, and with |row->arg| of a sum, which is also a result. The addend has the dimensions of
 * the input, or one row of channels per batch item. */
void rlxc_ox_import_fused_group_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    const bool last = rlxc_ox_int(im, "channels_last", 1) != 0;
    const int64_t activation = rlxc_ox_int(im, "activation", 0);
    rlxc_atom x = rlxc_ox_in(im, 0);
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlx_dtype t = rlxc_ox_type(im, x), wide = rlxc_ox_wide(t);
    if (row->arg) {
        rlxc_atom skip = rlxc_ox_in(im, 3);
        if (rlxc_ox_ndim(im, skip) == 2 && ndim > 2) {
            const rlxc_expr *dims[RLXC_MAX_NDIM];
            for (uint32_t i = 0; i < ndim; i++)
                dims[i] = rlxc_ox_i(im, 1);
            dims[0] = rlxc_ox_dim(im, skip, 0);
            dims[last ? ndim - 1 : 1] = rlxc_ox_dim(im, skip, 1);
            skip = rlxc_ox_reshape(im, skip, dims, ndim);
        }
        x = rlxc_ox_sum(im, x, skip);
        if (rlxc_ox_has(im, 4))
            x = rlxc_ox_sum(im, x, rlxc_ox_along(im, rlxc_ox_in(im, 4), last ? ndim - 1 : 1, ndim));
        rlxc_ox_set(im, 1, x);
    }
    rlxc_atom y = rlxc_ox_cast(im, last ? rlxc_ox_move_channels(im, x, false) : x, wide);
    y = rlxc_ox_group_norm(im, y, rlxc_ox_cast(im, rlxc_ox_in(im, 1), wide),
                           rlxc_ox_cast(im, rlxc_ox_in(im, 2), wide), rlxc_ox_int(im, "groups", 0),
                           rlxc_ox_float(im, "epsilon", 1e-5));
    if (activation != 0 && activation != 1)
        rlxc_ox_fail(im, "activation is %lld, expected 0 or 1", (long long)activation);
    if (activation == 1)
        y = rlxc_ox_op1(im, "nn.silu", y);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, last ? rlxc_ox_move_channels(im, y, true) : y, t));
}

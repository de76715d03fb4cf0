/* Products with few-bit weights, which are reordered at import: MatMulNBits, MatMulBnb4. */
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/quantize.h"

/* Constant input |i|, that has |rows| rows of |stored| numbers, its first |columns| columns as
 * rows. Numbers of |bits| bits, the first in the low bits of a byte, become bytes, less |minus|;
 * 0: the constant's type. */
static rlxc_atom turned(rlxc_ox *im, uint32_t i, int64_t rows, int64_t stored, int64_t columns,
                        uint32_t bits, uint32_t minus)
{
    const rlxc_ox_value *v = rlxc_ox_value_in(im, i);
    const rlxc_constant *c = v->atom.kind == RLXC_ATOM_CONSTANT ? v->atom.constant : NULL;
    const int64_t shape[2] = {columns, rows};
    size_t all, size, row;
    if (!c || (bits > 0 && !rlxc_dtype_eq(c->dtype, RLX_U8))) {
        rlxc_ox_fail(im, c ? "input %u is not of uint8" : "input %u is not a constant", i);
        return (rlxc_atom){0};
    }
    const size_t width = bits ? 1 : c->dtype.bits / 8u, each = bits ? 8 / bits : 1;
    if (__builtin_mul_overflow((size_t)stored, width, &row) ||
        __builtin_mul_overflow((size_t)rows, row = row / each + (row % each != 0), &all) ||
        all != c->nbytes || __builtin_mul_overflow((size_t)columns * width, (size_t)rows, &size)) {
        rlxc_ox_fail(im, "input %u has %zu bytes for %lld rows of %lld numbers", i, c->nbytes,
                     (long long)rows, (long long)stored);
        return (rlxc_atom){0};
    }
    unsigned char *out = rlxc_try_alloc(im->ctx, size ? size : 1, 1);
    for (size_t r = 0; out && r < (size_t)rows; r++)
        for (size_t k = 0; k < (size_t)columns; k++) {
            const unsigned char *from = (const unsigned char *)c->data + r * row + k / each * width;
            unsigned char *to = out + (k * (size_t)rows + r) * width;
            memcpy(to, from, width);
            if (bits)
                *to = (unsigned char)((((unsigned)*from >> k % each * bits) & ((1u << bits) - 1)) -
                                      minus);
        }
    if (!out)
        return (rlxc_atom){0};
    const rlx_dtype t = !bits ? c->dtype : minus ? RLX_I8 : RLX_U8;
    return rlxc_atom_constant(rlxc_constant_new(im->ctx, t, 2, shape, out, size));
}

/* Input 0, whose rows have |k| elements, times |w|. */
static rlxc_atom product(rlxc_ox *im, int64_t k, rlxc_atom w)
{
    rlxc_atom x = rlxc_ox_in(im, 0);
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    if (ndim < 1) {
        rlxc_ox_fail(im, "input 0 is a scalar");
        return x;
    }
    rlxc_ox_dims(im, x, dims);
    dims[ndim - 1] = rlxc_ox_i(im, k);
    x = rlxc_ox_state_dims(im, x, dims, 1u << (ndim - 1));
    return rlxc_ox_op2(im, "matmul", x, w);
}

/* Weights of N rows, each of blocks of numbers: as DequantizeLinear has them, K by N. */
void rlxc_ox_import_matmul_nbits(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t k = rlxc_ox_int(im, "K", 0), n = rlxc_ox_int(im, "N", 0);
    const int64_t bits = rlxc_ox_int(im, "bits", 4), size = rlxc_ox_int(im, "block_size", 0);
    if (k < 1 || n < 1 || k > INT32_MAX || n > INT32_MAX || size < 8 || size > 1 << 20 ||
        (bits != 2 && bits != 4 && bits != 8))
        rlxc_ox_fail(im, "%lld by %lld numbers of %lld bits in blocks of %lld", (long long)k,
                     (long long)n, (long long)bits, (long long)size);
    else if (rlxc_ox_has(im, 4) || rlxc_ox_int(im, "weight_prepacked", 0))
        rlxc_ox_fail(im, "this weight layout is not supported");
    if (im->failed)
        return;
    enum { LEVEL_INT8 = 4 };
    im->n_rounded += rlxc_ox_int(im, "accuracy_level", 0) == LEVEL_INT8;
    const bool given = rlxc_ox_has(im, 3);
    const int64_t n_blocks = (k + size - 1) / size;
    const uint32_t b = (uint32_t)bits;
    rlxc_atom zero = {0};
    rlxc_atom w = turned(im, 1, n, n_blocks * size, k, b, given ? 0 : 1u << (b - 1));
    rlxc_atom scale = turned(im, 2, n, n_blocks, n_blocks, 0, 0);
    if (given)
        zero = turned(im, 3, n, n_blocks, n_blocks, b, 0);
    if (!rlxc_ox_good(im) || w.kind == RLXC_ATOM_NONE)
        return;
    scale = rlxc_ox_blocks(im, scale, w, 0, size);
    if (given)
        zero = rlxc_ox_blocks(im, zero, w, 0, size);
    rlxc_atom y = product(im, k, rlxc_ox_dequantized(im, w, scale, zero));
    if (rlxc_ox_has(im, 5))
        y = rlxc_ox_op2(im, "add", y, rlxc_ox_in(im, 5));
    rlxc_ox_set(im, 0, y);
}

/* --- numbers of 4 bits that stand for places of a table --------------------------------------- */

/* The values of the codes, by quant_type: floats of a sign, two bits of exponent and one of
 * fraction, scaled to 1; quantiles of the normal distribution (Dettmers et al., "QLoRA", appendix
 * E). */
static const float meanings[2][16] = {
    {0.0f, 5.208333333e-03f, 0.66666667f, 1.0f, 0.33333333f, 0.5f, 0.16666667f, 0.25f, -0.0f,
     -5.208333333e-03f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f},
    {-1.0f, -0.6961928009986877f, -0.5250730514526367f, -0.39491748809814453f,
     -0.28444138169288635f, -0.18477343022823334f, -0.09105003625154495f, 0.0f,
     0.07958029955625534f, 0.16093020141124725f, 0.24611230194568634f, 0.33791524171829224f,
     0.44070982933044434f, 0.5626170039176941f, 0.7229568362236023f, 1.0f}};

/* Constant input |i| of |count| elements of type |t|; NULL: the node fails. */
static const rlxc_constant *constant_of(rlxc_ox *im, uint32_t i, rlx_dtype t, int64_t count)
{
    const rlxc_ox_value *v = rlxc_ox_value_in(im, i);
    const rlxc_constant *c = v->atom.kind == RLXC_ATOM_CONSTANT ? v->atom.constant : NULL;
    if (c && rlxc_dtype_eq(c->dtype, t) && c->nbytes == (size_t)count * (t.bits / 8u))
        return c;
    rlxc_ox_fail(im,
                 c ? "input %u does not hold %lld elements of %s" : "input %u is not a constant", i,
                 (long long)count, t.bits == 8 ? "uint8" : "float32");
    return NULL;
}

/* Weights of N rows of K: the elements of all rows, one after the other, are numbers of 4 bits, the
 * first in the high bits of a byte; each block of them has its largest element. */
void rlxc_ox_import_matmul_bnb4(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t k = rlxc_ox_int(im, "K", 0), n = rlxc_ox_int(im, "N", 0);
    const int64_t type = rlxc_ox_int(im, "quant_type", 0), size = rlxc_ox_int(im, "block_size", 0);
    const bool turn = rlxc_ox_int(im, "transB", 1) != 0;
    if (k < 1 || n < 1 || k > INT32_MAX || n > INT32_MAX || size < 16 || size > 1 << 20 ||
        (type != 0 && type != 1)) {
        rlxc_ox_fail(im, "%lld by %lld numbers of quant_type %lld in blocks of %lld", (long long)k,
                     (long long)n, (long long)type, (long long)size);
        return;
    }
    const int64_t all = k * n;
    const rlxc_constant *codes = constant_of(im, 1, RLX_U8, all / 2 + all % 2);
    const rlxc_constant *most = constant_of(im, 2, RLX_F32, all / size + (all % size != 0));
    float *out = codes && most ? rlxc_try_alloc(im->ctx, (size_t)all, sizeof *out) : NULL;
    if (!out || !rlxc_ox_good(im))
        return;
    for (int64_t i = 0; i < all; i++) {
        const unsigned pair = ((const unsigned char *)codes->data)[i / 2];
        float by;
        memcpy(&by, (const unsigned char *)most->data + (size_t)(i / size) * sizeof by, sizeof by);
        out[turn ? i % k * n + i / k : i] = meanings[type][i % 2 ? pair & 15 : pair >> 4] * by;
    }
    const int64_t shape[2] = {turn ? k : n, turn ? n : k};
    rlxc_constant *w =
        rlxc_constant_new(im->ctx, RLX_F32, 2, shape, out, (size_t)all * sizeof *out);
    rlxc_atom y = product(im, shape[0], rlxc_atom_constant(w));
    rlxc_ox_set(im, 0, y);
}

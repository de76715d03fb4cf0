/* Signals: windows, the discrete Fourier transform as a matrix product, frames of it. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"

#define PI 3.14159265358979323846

/* An integer as a scalar of type |t|. */
static rlxc_atom scalar_of(rlxc_ox *im, const rlxc_expr *e, rlx_dtype t)
{
    e = rlxc_canonical(im->ctx, e, NULL);
    return rlxc_ox_cast(im, rlxc_ox_reshape(im, rlxc_ox_prims(im, &e, 1), NULL, 0), t);
}

static rlxc_atom term(rlxc_ox *im, rlxc_atom angle, double turns, double factor)
{
    rlxc_atom x = rlxc_ox_op2(im, "multiply", angle, rlxc_ox_number(im, RLX_F64, turns));
    return rlxc_ox_op2(im, "multiply", rlxc_ox_op1(im, "cos", x),
                       rlxc_ox_number(im, RLX_F64, factor));
}

void rlxc_ox_import_window(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_expr *const *size;
    uint32_t n;
    rlx_dtype t = RLX_F32;
    if (rlxc_ox_attr(im, "output_datatype") &&
        !rlxc_ox_dtype_of((int32_t)rlxc_ox_int(im, "output_datatype", 1), &t))
        rlxc_ox_fail(im, "the element type is not supported");
    if (!rlxc_ox_elems(im, 0, &size, &n) || n != 1)
        return;
    const rlxc_expr *period = size[0], *one = rlxc_ox_i(im, 1);
    if (!rlxc_ox_int(im, "periodic", 1))
        period = rlxc_sub(im->ctx, period, one);
    period = rlxc_ox_bin(im, RLXC_EXPR_MAX, period, one);
    const rlxc_expr *count = rlxc_ox_bin(im, RLXC_EXPR_MAX, size[0], rlxc_ox_i(im, 0));
    rlxc_atom i = rlxc_ox_cast(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), count), RLX_F64);
    rlxc_atom angle = rlxc_ox_op2(
        im, "divide", rlxc_ox_op2(im, "multiply", i, rlxc_ox_number(im, RLX_F64, 2 * PI)),
        scalar_of(im, period, RLX_F64));
    double a0 = row->arg[0] == 'n' ? 0.5 : row->arg[0] == 'm' ? 25.0 / 46.0 : 0.42;
    double a1 = row->arg[0] == 'n' ? 0.5 : row->arg[0] == 'm' ? 21.0 / 46.0 : 0.5;
    rlxc_atom y =
        rlxc_ox_op2(im, "subtract", rlxc_ox_number(im, RLX_F64, a0), term(im, angle, 1, a1));
    if (row->arg[0] == 'b')
        y = rlxc_ox_op2(im, "add", y, term(im, angle, 2, 0.08));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, y, t));
}

/* The transform of |x| (..., n along |axis|, ..., 1 or 2) with |bins| of |length| frequencies. */
static rlxc_atom transformed(rlxc_ox *im, rlxc_atom x, uint32_t axis, const rlxc_expr *length,
                             const rlxc_expr *bins, bool inverse)
{
    uint32_t ndim = rlxc_ox_ndim(im, x);
    rlx_dtype t = rlxc_ox_type(im, x);
    int64_t order[RLXC_MAX_NDIM], back[RLXC_MAX_NDIM], parts;
    uint32_t n = 0;
    parts = rlxc_ox_need_dim(im, x, ndim - 1, "whether the signal is complex");
    if (ndim < 2 || axis + 1 >= ndim || parts < 1 || parts > 2) {
        rlxc_ox_fail(im, "expected a signal (batch, ..., 1 or 2)");
        return x;
    }
    /* the axis last of the signal's */
    for (uint32_t i = 0; i + 1 < ndim; i++)
        if (i != axis)
            order[n++] = i;
    order[n++] = axis;
    for (uint32_t i = 0; i < n; i++)
        back[order[i]] = i;
    rlxc_atom re = rlxc_ox_take(im, x, rlxc_ox_number(im, RLX_I64, 0), ndim - 1), imag = {0};
    re = rlxc_ox_transpose(im, re, order, n);
    if (parts == 2) {
        imag = rlxc_ox_take(im, x, rlxc_ox_number(im, RLX_I64, 1), ndim - 1);
        imag = rlxc_ox_transpose(im, imag, order, n);
    }
    rlxc_atom times = rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), length), 0, 2);
    rlxc_atom freqs = rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), bins), 1, 2);
    rlxc_atom turn = rlxc_ox_op2(im, "floor_mod", rlxc_ox_op2(im, "multiply", times, freqs),
                                 scalar_of(im, length, RLX_I64));
    rlxc_atom angle = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, turn, RLX_F64),
                                  rlxc_ox_number(im, RLX_F64, 2 * PI));
    angle = rlxc_ox_op2(im, "divide", angle, scalar_of(im, length, RLX_F64));
    rlxc_atom cosine = rlxc_ox_cast(im, rlxc_ox_op1(im, "cos", angle), t);
    rlxc_atom sine = rlxc_ox_op1(im, "sin", angle);
    sine = rlxc_ox_cast(im, inverse ? sine : rlxc_ox_op1(im, "negative", sine), t);
    /* (re + i imag) (cos + i sin) */
    rlxc_atom out_re = rlxc_ox_op2(im, "matmul", re, cosine),
              out_im = rlxc_ox_op2(im, "matmul", re, sine);
    if (parts == 2) {
        out_re = rlxc_ox_op2(im, "subtract", out_re, rlxc_ox_op2(im, "matmul", imag, sine));
        out_im = rlxc_ox_op2(im, "add", out_im, rlxc_ox_op2(im, "matmul", imag, cosine));
    }
    const int64_t last[1] = {ndim - 1};
    rlxc_atom both[2] = {rlxc_ox_expand_dims(im, rlxc_ox_transpose(im, out_re, back, n), last, 1),
                         rlxc_ox_expand_dims(im, rlxc_ox_transpose(im, out_im, back, n), last, 1)};
    rlxc_atom y = rlxc_ox_concat(im, both, 2, ndim - 1);
    return inverse ? rlxc_ox_op2(im, "divide", y, scalar_of(im, length, t)) : y;
}

static const rlxc_expr *bins_of(rlxc_ox *im, const rlxc_expr *length, bool onesided)
{
    if (!onesided)
        return length;
    return rlxc_add(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, length, rlxc_ox_i(im, 2)),
                    rlxc_ox_i(im, 1));
}

void rlxc_ox_import_dft(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *elems;
    uint32_t n;
    int64_t at = rlxc_ox_int(im, "axis", im->opset < 20 ? 1 : -2);
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (rlxc_ox_has(im, 2) && !rlxc_ox_const_int(im, 2, &at))
        rlxc_ox_fail(im, "the axis must be known when the model is compiled");
    uint32_t axis = rlxc_ox_axis(im, at, ndim);
    const rlxc_expr *length = rlxc_ox_dim(im, x, axis);
    bool inverse = rlxc_ox_int(im, "inverse", 0) != 0,
         onesided = rlxc_ox_int(im, "onesided", 0) != 0;
    if (rlxc_ox_has(im, 1)) {
        if (!rlxc_ox_elems(im, 1, &elems, &n) || n != 1)
            return;
        const rlxc_expr *more =
            rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, elems[0], length), rlxc_ox_i(im, 0));
        x = rlxc_ox_slice(im, x, axis, rlxc_ox_i(im, 0), elems[0], 1);
        x = rlxc_ox_pad_axis(im, x, axis, rlxc_ox_i(im, 0), rlxc_canonical(im->ctx, more, NULL),
                             "constant", rlxc_ox_number(im, rlxc_ox_type(im, x), 0));
        length = rlxc_ox_dim(im, x, axis);
    }
    rlxc_ox_set(im, 0, transformed(im, x, axis, length, bins_of(im, length, onesided), inverse));
}

void rlxc_ox_import_stft(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *step, *const *given, *length;
    uint32_t n;
    rlxc_atom x = rlxc_ox_in(im, 0), window = {0};
    if (rlxc_ox_ndim(im, x) != 3) {
        rlxc_ox_fail(im, "expected a signal (batch, length, 1 or 2)");
        return;
    }
    if (!rlxc_ox_elems(im, 1, &step, &n) || n != 1)
        return;
    if (rlxc_ox_has(im, 2))
        window = rlxc_ox_in(im, 2);
    if (rlxc_ox_has(im, 3)) {
        if (!rlxc_ox_elems(im, 3, &given, &n) || n != 1)
            return;
        length = rlxc_ox_bin(im, RLXC_EXPR_MAX, given[0], rlxc_ox_i(im, 0));
    } else if (rlxc_ox_has(im, 2)) {
        length = rlxc_ox_dim(im, window, 0);
    } else {
        rlxc_ox_fail(im, "neither a window nor a frame length");
        return;
    }
    const rlxc_expr *by = rlxc_ox_bin(im, RLXC_EXPR_MAX, step[0], rlxc_ox_i(im, 1));
    const rlxc_expr *free = rlxc_sub(im->ctx, rlxc_ox_dim(im, x, 1), length);
    const rlxc_expr *frames = rlxc_ox_bin(
        im, RLXC_EXPR_MAX,
        rlxc_add(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, free, by), rlxc_ox_i(im, 1)),
        rlxc_ox_i(im, 0));
    rlxc_atom starts = rlxc_ox_op2(im, "multiply", rlxc_ox_arange(im, rlxc_ox_i(im, 0), frames),
                                   scalar_of(im, by, RLX_I64));
    rlxc_atom place =
        rlxc_ox_op2(im, "add", rlxc_ox_along(im, starts, 0, 2),
                    rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), length), 1, 2));
    rlxc_atom cut = rlxc_ox_take(im, x, place, 1); /* (batch, frames, length, parts) */
    if (rlxc_ox_has(im, 2))
        cut = rlxc_ox_op2(im, "multiply", cut, rlxc_ox_along(im, window, 2, 4));
    length = rlxc_ox_dim(im, cut, 2);
    bool onesided = rlxc_ox_int(im, "onesided", 1) != 0;
    rlxc_ox_set(im, 0, transformed(im, cut, 2, length, bins_of(im, length, onesided), false));
}

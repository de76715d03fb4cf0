/* Signals: windows, the discrete Fourier transform, frames of it, mel weights. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"
#include "compiler/ops/state.h"

#define PI 3.14159265358979323846

static rlxc_atom term(rlxc_ox *im, rlxc_atom angle, double turns, double factor)
{
    rlxc_atom x = rlxc_ox_op2(im, "multiply", angle, rlxc_ox_number(im, RLX_F64, turns));
    return rlxc_ox_op2(im, "multiply", rlxc_ox_op1(im, "cos", x),
                       rlxc_ox_number(im, RLX_F64, factor));
}

void rlxc_ox_import_window(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_expr *size = rlxc_ox_one(im, 0);
    rlx_dtype t = RLX_F32;
    if (rlxc_ox_attr(im, "output_datatype") &&
        !rlxc_ox_dtype_of((int32_t)rlxc_ox_int(im, "output_datatype", 1), &t))
        rlxc_ox_fail(im, "the element type is not supported");
    if (!size)
        return;
    rlxc_ox_check_least(im, size, 0, "the size");
    const rlxc_expr *period = size, *one = rlxc_ox_i(im, 1);
    if (!rlxc_ox_int(im, "periodic", 1))
        period = rlxc_sub(im->ctx, period, one);
    period = rlxc_ox_bin(im, RLXC_EXPR_MAX, period, one);
    const rlxc_expr *count = rlxc_ox_bin(im, RLXC_EXPR_MAX, size, rlxc_ox_i(im, 0));
    rlxc_atom i = rlxc_ox_cast(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), count), RLX_F64);
    rlxc_atom angle = rlxc_ox_op2(
        im, "divide", rlxc_ox_op2(im, "multiply", i, rlxc_ox_number(im, RLX_F64, 2 * PI)),
        rlxc_ox_scalar(im, period, RLX_F64));
    double a0 = row->arg[0] == 'n' ? 0.5 : row->arg[0] == 'm' ? 25.0 / 46.0 : 0.42;
    double a1 = row->arg[0] == 'n' ? 0.5 : row->arg[0] == 'm' ? 21.0 / 46.0 : 0.5;
    rlxc_atom y =
        rlxc_ox_op2(im, "subtract", rlxc_ox_number(im, RLX_F64, a0), term(im, angle, 1, a1));
    if (row->arg[0] == 'b')
        y = rlxc_ox_op2(im, "add", y, term(im, angle, 2, 0.08));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, y, t));
}

/* A signal that may be complex, known only at run time, as a complex one. */
static rlxc_atom with_two_parts(rlxc_ox *im, rlxc_atom x, uint32_t last)
{
    const rlxc_expr *parts = rlxc_ox_dim(im, x, last), *two = rlxc_ox_i(im, 2),
                    *dims[RLXC_MAX_NDIM];
    const rlxc_requirement fits = {RLXC_AT_MOST, parts, two, "a signal has one part or two"};
    rlxc_emit_check(&im->frame->b, &fits);
    x = rlxc_ox_pad_axis(im, x, last, rlxc_ox_i(im, 0), rlxc_sub(im->ctx, two, parts), "constant",
                         rlxc_ox_number(im, rlxc_ox_type(im, x), 0));
    rlxc_ox_dims(im, x, dims);
    dims[last] = two;
    return rlxc_ox_state_dims(im, x, dims, 1u << last);
}

typedef enum transform { FORWARD, INVERSE, REAL_INVERSE } transform; /* as rlx.dft counts them */

/* The transform of |x| (..., n along |axis|, ..., 1 or 2) of period |length|: |count| results. For
 * the inverse to real numbers only the first half of the spectrum is given; the rest mirrors it. */
static rlxc_atom transformed(rlxc_ox *im, rlxc_atom x, uint32_t axis, const rlxc_expr *length,
                             const rlxc_expr *count, transform kind)
{
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlx_dtype t = rlxc_ox_type(im, x), wide = t.bits == 64 ? RLX_F64 : RLX_F32;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t parts;
    if (ndim > 0 && !rlxc_ox_static_dim(im, x, ndim - 1, &parts))
        x = with_two_parts(im, x, ndim - 1);
    parts = rlxc_ox_need_dim(im, x, ndim ? ndim - 1 : 0, "whether the signal is complex");
    if (ndim < 2 || axis + 1 >= ndim || parts < 1 || parts > 2) {
        rlxc_ox_fail(im, "expected a signal (batch, ..., 1 or 2)");
        return x;
    }
    const rlxc_atom args[5] = {rlxc_ox_cast(im, x, wide), rlxc_atom_prim(rlxc_ox_i(im, axis)),
                               rlxc_atom_prim(rlxc_canonical(im->ctx, length, NULL)),
                               rlxc_atom_prim(rlxc_canonical(im->ctx, count, NULL)),
                               rlxc_atom_prim(rlxc_ox_i(im, (int64_t)kind))};
    rlxc_ox_dims(im, x, dims);
    dims[axis] = rlxc_canonical(im->ctx, count, NULL);
    dims[ndim - 1] = rlxc_ox_i(im, kind == REAL_INVERSE ? 1 : 2);
    rlxc_atom y = rlxc_ox_builtin(im, "rlx.dft", args, 5,
                                  rlxc_sinfo_tensor(im->ctx, wide, (int32_t)ndim, dims, NULL));
    return rlxc_ox_cast(im, y, t);
}

static const rlxc_expr *bins_of(rlxc_ox *im, const rlxc_expr *length, bool onesided)
{
    if (!onesided)
        return length;
    return rlxc_add(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, length, rlxc_ox_i(im, 2)),
                    rlxc_ox_i(im, 1));
}

/* |x| with a fresh symbol for each of the first |n| dimensions that is not constant. */
static rlxc_atom renamed(rlxc_ox *im, rlxc_atom x, uint32_t n)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t known;
    rlxc_ox_dims(im, x, dims);
    for (uint32_t i = 0; i < n; i++)
        if (!rlxc_is_int(dims[i], &known))
            dims[i] = rlxc_fresh_shape_var(im->ctx, rlxc_internf(im->ctx, "d%u", i));
    return rlxc_ox_match(
        im, x,
        rlxc_sinfo_tensor(im->ctx, rlxc_ox_type(im, x), (int32_t)rlxc_ox_ndim(im, x), dims, NULL));
}

/* |x| with the axis |at| (counted from the end where negative) that is known at run time only as
 * (before, axis, after, parts); |out_dims| are its dimensions, 0 in place of the axis. */
static rlxc_atom axis_apart(rlxc_ox *im, rlxc_atom x, const rlxc_expr *at,
                            const rlxc_expr **out_dims)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM], *parts[4], *one = rlxc_ox_i(im, 1);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    rlxc_ox_dims(im, x, dims);
    at = rlxc_ox_checked_axis(im, at, ndim);
    rlxc_ox_check_number(im, at, rlxc_ox_i(im, 0), rlxc_ox_i(im, (int64_t)ndim - 2), "the axis");
    for (uint32_t p = 0; p < 3; p++)
        parts[p] = one;
    for (uint32_t i = 0; i + 1 < ndim; i++) {
        const rlxc_expr *here = rlxc_ox_i(im, i);
        const rlxc_expr *tests[3] = {rlxc_ox_bin(im, RLXC_EXPR_LT, here, at),
                                     rlxc_ox_bin(im, RLXC_EXPR_EQ, here, at),
                                     rlxc_ox_bin(im, RLXC_EXPR_GT, here, at)};
        for (uint32_t p = 0; p < 3; p++)
            parts[p] = rlxc_mul(im->ctx, parts[p], rlxc_ox_if(im, tests[p], dims[i], one));
        out_dims[i] = rlxc_ox_if(im, tests[1], rlxc_ox_i(im, 0), dims[i]);
    }
    parts[3] = dims[ndim - 1];
    /* Fresh symbols, so that no kernel computes with the selections. */
    return renamed(im, rlxc_ox_reshape(im, x, parts, 4), 3);
}

void rlxc_ox_import_dft(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *which, *given, *dims[RLXC_MAX_NDIM], *padded[RLXC_MAX_NDIM],
        *zero = rlxc_ox_i(im, 0);
    uint32_t axis = 1;
    int64_t at = rlxc_ox_int(im, "axis", im->opset < 20 ? 1 : -2);
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    const bool known = !rlxc_ox_has(im, 2) || rlxc_ox_const_int(im, 2, &at);
    if (known) {
        axis = rlxc_ox_axis(im, at, ndim);
    } else {
        if (ndim < 2 || !(which = rlxc_ox_one(im, 2)))
            return;
        x = axis_apart(im, x, which, dims);
    }
    const rlxc_expr *length = rlxc_ox_dim(im, x, axis), *one = rlxc_ox_i(im, 1),
                    *two = rlxc_ox_i(im, 2);
    bool inverse = rlxc_ox_int(im, "inverse", 0) != 0,
         onesided = rlxc_ox_int(im, "onesided", 0) != 0;
    transform kind = !inverse ? FORWARD : onesided ? REAL_INVERSE : INVERSE;
    if (kind == REAL_INVERSE)
        length = rlxc_ox_bin(im, RLXC_EXPR_MAX,
                             rlxc_mul(im->ctx, rlxc_sub(im->ctx, length, one), two), one);
    if (rlxc_ox_has(im, 1)) {
        if (!(given = rlxc_ox_one(im, 1)))
            return;
        rlxc_ox_check_least(im, given, 1, "the length");
        length = rlxc_canonical(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_MAX, given, one), NULL);
        const rlxc_expr *have = rlxc_ox_dim(im, x, axis),
                        *want = kind == REAL_INVERSE ? bins_of(im, length, true) : length;
        const rlxc_expr *more = rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, want, have), zero);
        x = rlxc_ox_slice(im, x, axis, zero, want, 1);
        x = rlxc_ox_pad_axis(im, x, axis, zero, rlxc_canonical(im->ctx, more, NULL), "constant",
                             rlxc_ox_number(im, rlxc_ox_type(im, x), 0));
        rlxc_ox_dims(im, x, padded);
        padded[axis] = want;
        x = rlxc_ox_match(im, x,
                          rlxc_sinfo_tensor(im->ctx, rlxc_ox_type(im, x),
                                            (int32_t)rlxc_ox_ndim(im, x), padded, NULL));
    }
    const rlxc_expr *count = bins_of(im, length, onesided && !inverse);
    rlxc_atom y = transformed(im, x, axis, length, count, kind);
    if (!known) {
        for (uint32_t i = 0; i + 1 < ndim; i++)
            dims[i] = rlxc_ox_if(im, rlxc_ox_bin(im, RLXC_EXPR_EQ, dims[i], zero), count, dims[i]);
        dims[ndim - 1] = rlxc_ox_dim(im, y, 3);
        y = rlxc_ox_reshape(im, y, dims, ndim);
    }
    rlxc_ox_set(im, 0, y);
}

/* Triangles that are evenly spaced on the mel scale, over the frequencies of a spectrum. */
void rlxc_ox_import_mel_weight_matrix(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *bins = rlxc_ox_one(im, 0), *length = rlxc_ox_one(im, 1),
                    *zero = rlxc_ox_i(im, 0), *two = rlxc_ox_i(im, 2);
    rlx_dtype t = RLX_F32;
    rlxc_atom mel[2], edge[3], scalar[2];
    const double ln10 = 2.302585092994046;
    if (rlxc_ox_attr(im, "output_datatype") &&
        !rlxc_ox_dtype_of((int32_t)rlxc_ox_int(im, "output_datatype", 1), &t))
        rlxc_ox_fail(im, "the element type is not supported");
    if (!bins || !length)
        return;
    for (uint32_t i = 0; i < 2; i++) { /* 2595 log10(1 + f / 700) */
        rlxc_atom hertz = rlxc_ox_reshape(im, rlxc_ox_in(im, 3 + i), NULL, 0);
        hertz = rlxc_ox_op2(im, "divide", rlxc_ox_cast(im, hertz, RLX_F64),
                            rlxc_ox_number(im, RLX_F64, 700));
        hertz =
            rlxc_ox_op1(im, "log", rlxc_ox_op2(im, "add", hertz, rlxc_ox_number(im, RLX_F64, 1)));
        mel[i] = rlxc_ox_op2(im, "multiply", hertz, rlxc_ox_number(im, RLX_F64, 2595 / ln10));
    }
    const rlxc_expr *count = rlxc_ox_bin(im, RLXC_EXPR_MAX, bins, zero);
    const rlxc_expr *points = rlxc_add(im->ctx, count, two);
    rlxc_atom step = rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "subtract", mel[1], mel[0]),
                                 rlxc_ox_scalar(im, points, RLX_F64));
    rlxc_atom f = rlxc_ox_cast(im, rlxc_ox_arange(im, zero, points), RLX_F64);
    f = rlxc_ox_op2(im, "add", rlxc_ox_op2(im, "multiply", f, step), mel[0]);
    f = rlxc_ox_op1(im, "exp",
                    rlxc_ox_op2(im, "multiply", f, rlxc_ox_number(im, RLX_F64, ln10 / 2595)));
    f = rlxc_ox_op2(im, "subtract", f, rlxc_ox_number(im, RLX_F64, 1));
    f = rlxc_ox_op2(im, "multiply", f, rlxc_ox_number(im, RLX_F64, 700));
    /* as positions in the spectrum */
    scalar[0] = rlxc_ox_scalar(im, rlxc_add(im->ctx, length, rlxc_ox_i(im, 1)), RLX_F64);
    scalar[1] = rlxc_ox_cast(im, rlxc_ox_reshape(im, rlxc_ox_in(im, 2), NULL, 0), RLX_F64);
    f = rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "multiply", f, scalar[0]), scalar[1]);
    f = rlxc_ox_op1(im, "floor", f);
    for (uint32_t i = 0; i < 3; i++) { /* low, middle, high of each triangle */
        const rlxc_expr *first = rlxc_ox_i(im, i);
        edge[i] = rlxc_ox_slice(im, f, 0, first, rlxc_add(im->ctx, first, count), 1);
        edge[i] = rlxc_ox_along(im, edge[i], 1, 2);
    }
    const rlxc_expr *spectrum = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, length, two);
    spectrum = rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_add(im->ctx, spectrum, rlxc_ox_i(im, 1)), zero);
    rlxc_atom j =
        rlxc_ox_along(im, rlxc_ox_cast(im, rlxc_ox_arange(im, zero, spectrum), RLX_F64), 0, 2);
    rlxc_atom none = rlxc_ox_number(im, RLX_F64, 0), one = rlxc_ox_number(im, RLX_F64, 1);
    rlxc_atom rise = rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "subtract", j, edge[0]),
                                 rlxc_ox_op2(im, "subtract", edge[1], edge[0]));
    rlxc_atom fall = rlxc_ox_op2(im, "divide", rlxc_ox_op2(im, "subtract", edge[2], j),
                                 rlxc_ox_op2(im, "subtract", edge[2], edge[1]));
    rlxc_atom rising = rlxc_ox_op2(im, "logical_and", rlxc_ox_op2(im, "greater_equal", j, edge[0]),
                                   rlxc_ox_op2(im, "less_equal", j, edge[1]));
    rlxc_atom falling = rlxc_ox_op2(im, "logical_and", rlxc_ox_op2(im, "greater_equal", j, edge[1]),
                                    rlxc_ox_op2(im, "less", j, edge[2]));
    rlxc_atom flat = rlxc_ox_op2(im, "equal", edge[0], edge[1]);
    rlxc_atom y = rlxc_ox_op3(im, "where", flat, one, rise);
    y = rlxc_ox_op3(im, "where", rising, y, none);
    y = rlxc_ox_op3(im, "where", falling, fall, y);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, y, t));
}

void rlxc_ox_import_stft(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *step, *length;
    rlxc_atom x = rlxc_ox_in(im, 0), window = {0};
    const int64_t parts[1] = {2};
    if (rlxc_ox_ndim(im, x) == 2) /* real numbers, as in onnxruntime */
        x = rlxc_ox_expand_dims(im, x, parts, 1);
    if (rlxc_ox_ndim(im, x) != 3) {
        rlxc_ox_fail(im, "expected a signal (batch, length, 1 or 2) or (batch, length)");
        return;
    }
    if (!(step = rlxc_ox_one(im, 1)))
        return;
    rlxc_ox_check_least(im, step, 1, "the frame step");
    if (rlxc_ox_has(im, 2))
        window = rlxc_ox_in(im, 2);
    if (rlxc_ox_has(im, 3)) {
        if (!(length = rlxc_ox_one(im, 3)))
            return;
        rlxc_ox_check_number(im, length, rlxc_ox_i(im, 1), rlxc_ox_dim(im, x, 1),
                             "the frame length");
        length = rlxc_ox_bin(im, RLXC_EXPR_MAX, length, rlxc_ox_i(im, 0));
    } else if (rlxc_ox_has(im, 2)) {
        length = rlxc_ox_dim(im, window, 0);
    } else {
        rlxc_ox_fail(im, "neither a window nor a frame length is given");
        return;
    }
    const rlxc_expr *by = rlxc_ox_bin(im, RLXC_EXPR_MAX, step, rlxc_ox_i(im, 1));
    const rlxc_expr *free = rlxc_sub(im->ctx, rlxc_ox_dim(im, x, 1), length);
    const rlxc_expr *frames = rlxc_ox_bin(
        im, RLXC_EXPR_MAX,
        rlxc_add(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, free, by), rlxc_ox_i(im, 1)),
        rlxc_ox_i(im, 0));
    rlxc_atom starts = rlxc_ox_op2(im, "multiply", rlxc_ox_arange(im, rlxc_ox_i(im, 0), frames),
                                   rlxc_ox_scalar(im, by, RLX_I64));
    rlxc_atom place =
        rlxc_ox_op2(im, "add", rlxc_ox_along(im, starts, 0, 2),
                    rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), length), 1, 2));
    rlxc_atom cut = rlxc_ox_take_inside(im, x, place, 1); /* (batch, frames, length, parts) */
    if (rlxc_ox_has(im, 2))
        cut = rlxc_ox_op2(im, "multiply", cut, rlxc_ox_along(im, window, 2, 4));
    length = rlxc_ox_dim(im, cut, 2);
    bool onesided = rlxc_ox_int(im, "onesided", 1) != 0;
    rlxc_ox_set(im, 0, transformed(im, cut, 2, length, bins_of(im, length, onesided), FORWARD));
}

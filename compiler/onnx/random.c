/* Random numbers, by the runtime's generator (builtins/random.c): RandomUniform, RandomNormal,
 * their Like forms, Bernoulli, Multinomial, Dropout in training mode and its forms in
 * com.microsoft.
 *
 * An operator with a seed gives the same numbers at every run, and in every iteration of a loop;
 * without one, fresh numbers each time. A fractional seed is truncated. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/handlers.h"
#include "compiler/onnx/standard.h"
#include "compiler/onnx/window.h"

/* a + b * numbers of |name|'s distribution. */
static rlxc_atom drawn(rlxc_ox *im, const char *name, rlx_dtype t, double a, double b,
                       const rlxc_expr *const *dims, uint32_t n)
{
    const Onnx__AttributeProto *given = rlxc_ox_attr(im, "seed");
    const bool seeded = given && !(given->has_f && isnan(given->f));
    /* Without a seed, a number of the node, so that two nodes are never merged. */
    int64_t seed = seeded ? rlxc_ox_int(im, "seed", 0) : (int64_t)im->frame->b.range.line;
    const rlx_dtype exact = t.bits == 64 ? RLX_F64 : RLX_F32;
    if (!rlxc_dtype_is_float(t) || n > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "random numbers must be floats");
        return (rlxc_atom){0};
    }
    const rlxc_atom args[6] = {rlxc_atom_shape(im->ctx, dims, n),
                               rlxc_atom_dtype(exact),
                               rlxc_atom_prim(rlxc_float(im->ctx, RLX_F64, a)),
                               rlxc_atom_prim(rlxc_float(im->ctx, RLX_F64, b)),
                               rlxc_atom_prim(rlxc_ox_i(im, seed)),
                               rlxc_atom_prim(rlxc_bool(im->ctx, true))};
    rlxc_atom y = rlxc_ox_builtin(im, name, args, seeded ? 6 : 5,
                                  rlxc_sinfo_tensor(im->ctx, exact, (int32_t)n, dims, NULL));
    return rlxc_ox_cast(im, y, t);
}

static rlxc_atom uniform(rlxc_ox *im, rlx_dtype t, const rlxc_expr *const *dims, uint32_t n)
{
    return drawn(im, "rlx.random_uniform", t, 0, 1, dims, n);
}

/* The node's `dtype`, or |otherwise|. */
static rlx_dtype wanted_type(rlxc_ox *im, rlx_dtype otherwise)
{
    rlx_dtype t = otherwise;
    if (rlxc_ox_attr(im, "dtype") && !rlxc_ox_dtype_of((int32_t)rlxc_ox_int(im, "dtype", 0), &t))
        rlxc_ox_fail(im, "the element type is not supported");
    return t;
}

void rlxc_ox_import_random(rlxc_ox *im, const rlxc_ox_row *row)
{
    const bool like = strstr(row->name, "Like") != NULL, normal = strcmp(row->arg, "normal") == 0;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    int64_t shape[RLXC_MAX_NDIM];
    uint32_t n = 0;
    rlx_dtype t = RLX_F32;
    if (like) {
        rlxc_atom x = rlxc_ox_in(im, 0);
        rlxc_ox_dims(im, x, dims);
        n = rlxc_ox_ndim(im, x);
        t = rlxc_ox_type(im, x);
    } else {
        rlxc_ox_ints(im, "shape", shape, RLXC_MAX_NDIM, &n);
        for (uint32_t i = 0; i < n; i++) {
            dims[i] = rlxc_ox_i(im, shape[i]);
            if (shape[i] < 0)
                rlxc_ox_fail(im, "a dimension is %lld", (long long)shape[i]);
        }
    }
    t = wanted_type(im, t);
    if (normal) {
        double mean = rlxc_ox_float(im, "mean", 0), scale = rlxc_ox_float(im, "scale", 1);
        rlxc_ox_set(im, 0, drawn(im, "rlx.random_normal", t, mean, scale, dims, n));
        return;
    }
    double low = rlxc_ox_float(im, "low", 0), high = rlxc_ox_float(im, "high", 1);
    rlxc_ox_set(im, 0, drawn(im, "rlx.random_uniform", t, low, high - low, dims, n));
}

void rlxc_ox_import_bernoulli(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom p = rlxc_ox_in(im, 0);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlx_dtype t = wanted_type(im, rlxc_ox_type(im, p));
    rlxc_ox_dims(im, p, dims);
    rlxc_atom u = uniform(im, RLX_F64, dims, rlxc_ox_ndim(im, p));
    rlxc_atom hit = rlxc_ox_op2(im, "less", u, rlxc_ox_cast(im, p, RLX_F64));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, hit, t));
}

/* Classes drawn from rows of unnormalized logarithms of probabilities. */
void rlxc_ox_import_multinomial(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0);
    int64_t samples = rlxc_ox_int(im, "sample_size", 1);
    rlx_dtype t = wanted_type(im, RLX_I32);
    if (rlxc_ox_ndim(im, x) != 2 || samples < 1) {
        rlxc_ox_fail(im, "expected (batch, classes) and a positive sample_size");
        return;
    }
    const rlxc_expr *batch = rlxc_ox_dim(im, x, 0), *many = rlxc_ox_i(im, samples);
    const rlxc_expr *draws[2] = {rlxc_mul(im->ctx, batch, many), rlxc_ox_i(im, 1)};
    const rlxc_expr *out[2] = {batch, many};
    rlxc_atom p = rlxc_ox_op0(im, "nn.softmax", rlxc_ox_cast(im, x, RLX_F32),
                              rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 1));
    rlxc_atom rows = rlxc_ox_op2(im, "floor_divide", rlxc_ox_arange(im, rlxc_ox_i(im, 0), draws[0]),
                                 rlxc_ox_number(im, RLX_I64, (double)samples));
    const rlxc_atom args[3] = {p, uniform(im, RLX_F32, draws, 2),
                               rlxc_ox_reshape(im, rows, draws, 2)};
    rlxc_atom y = rlxc_ox_opv(im, "multinomial_from_uniform", args, 3,
                              rlxc_ox_with(im, (rlxc_attrs){0}, "dtype", rlxc_attr_dtype(RLX_I64)));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, rlxc_ox_reshape(im, y, out, 2), t));
}

/* In training mode elements are dropped if a random number is below the ratio; others are scaled.
 */
void rlxc_ox_import_dropout(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    double known[1] = {0}, ratio[1] = {0.5};
    uint32_t n;
    rlxc_atom x = rlxc_ox_in(im, 0);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlx_dtype t = rlxc_ox_type(im, x);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    rlxc_ox_dims(im, x, dims);
    const bool decided =
        !rlxc_ox_has(im, 2) || rlxc_ox_const_doubles(im, rlxc_ox_value_in(im, 2), known, 1, &n);
    const bool sized =
        !rlxc_ox_has(im, 1) || rlxc_ox_const_doubles(im, rlxc_ox_value_in(im, 1), ratio, 1, &n);
    if ((decided && known[0] == 0) || (sized && ratio[0] == 0)) {
        rlxc_ox_set(im, 0, x);
        rlxc_ox_set(im, 1, rlxc_ox_full(im, im->opset < 10 ? t : RLX_B8, 1, dims, ndim));
        return;
    }
    rlxc_atom one = rlxc_ox_number(im, t, 1), zero = rlxc_ox_number(im, t, 0);
    rlxc_atom share =
        rlxc_ox_has(im, 1)
            ? rlxc_ox_cast(im, rlxc_ox_reshape(im, rlxc_ox_in(im, 1), NULL, 0), RLX_F64)
            : rlxc_ox_number(im, RLX_F64, ratio[0]);
    rlxc_atom mask = rlxc_ox_op2(im, "greater_equal", uniform(im, RLX_F64, dims, ndim), share);
    rlxc_atom left = rlxc_ox_op2(im, "subtract", rlxc_ox_number(im, RLX_F64, 1), share);
    rlxc_atom scale =
        rlxc_ox_cast(im, rlxc_ox_op2(im, "divide", rlxc_ox_number(im, RLX_F64, 1), left), t);
    if (!decided) {
        rlxc_atom training = rlxc_ox_reshape(im, rlxc_ox_in(im, 2), NULL, 0);
        mask = rlxc_ox_op2(im, "logical_or", mask, rlxc_ox_op1(im, "logical_not", training));
        scale = rlxc_ox_op3(im, "where", training, scale, one);
    }
    rlxc_ox_set(im, 0, rlxc_ox_op3(im, "where", mask, rlxc_ox_op2(im, "multiply", x, scale), zero));
    rlxc_ox_set(im, 1, mask);
}

/* True for each element of |mask|, in 32 bits each, the first in the lowest; beyond them ones. */
static rlxc_atom bits_of(rlxc_ox *im, rlxc_atom mask)
{
    enum { WIDTH = 32 };
    const int64_t last[1] = {1}, width[1] = {WIDTH};
    const rlxc_expr *dims[RLXC_MAX_NDIM], *all, *words[2];
    double shifts[WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++)
        shifts[i] = i;
    rlxc_ox_dims(im, mask, dims);
    all = rlxc_product(im->ctx, dims, rlxc_ox_ndim(im, mask));
    words[0] = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, rlxc_add(im->ctx, all, rlxc_ox_i(im, WIDTH - 1)),
                           rlxc_ox_i(im, WIDTH));
    words[1] = rlxc_ox_i(im, WIDTH);
    const rlxc_expr *more = rlxc_sub(im->ctx, rlxc_mul(im->ctx, words[0], words[1]), all);
    rlxc_atom x = rlxc_ox_cast(im, rlxc_ox_reshape(im, mask, &all, 1), RLX_U32);
    x = rlxc_ox_pad_axis(im, x, 0, rlxc_ox_i(im, 0), more, "constant",
                         rlxc_ox_number(im, RLX_U32, 1));
    x = rlxc_ox_op2(im, "left_shift", rlxc_ox_reshape(im, x, words, 2),
                    rlxc_ox_const_tensor(im, RLX_U32, 1, width, shifts));
    return rlxc_ox_reduce(im, "sum", x, last, 1, false);
}

/* Dropout of com.microsoft. "sum": of input 0 and a bias, and then added to a residual; "bits": 32
 * elements of the mask are one. */
void rlxc_ox_import_fused_dropout(rlxc_ox *im, const rlxc_ox_row *row)
{
    const bool sum = strstr(row->arg, "sum"), bits = strstr(row->arg, "bits");
    const uint32_t after = sum ? 3 : 1, n = rlxc_ox_wants(im, 1) ? 2 : 1;
    const rlxc_atom x = rlxc_ox_in(im, 0);
    const rlxc_atom in[3] = {sum ? rlxc_ox_sum(im, x, rlxc_ox_in(im, 1)) : x,
                             rlxc_ox_optional_in(im, after), rlxc_ox_optional_in(im, after + 1)};
    rlxc_atom out[2];
    rlxc_ox_standard_outputs(im, "Dropout", NULL, in, 3, out, n);
    if (!rlxc_ox_good(im))
        return;
    if (sum && rlxc_ox_has(im, 2))
        out[0] = rlxc_ox_sum(im, out[0], rlxc_ox_in(im, 2));
    rlxc_ox_set(im, 0, out[0]);
    if (n > 1)
        rlxc_ox_set(im, 1, bits ? bits_of(im, out[1]) : out[1]);
}

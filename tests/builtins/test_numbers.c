/* Random numbers, determinants, region pooling: published and hand-computed values, and invalid
 * arguments. tests/onnx/ops.py compares more of them with NumPy. */
#include "tests/builtins/fixture.h"

#include <math.h>

static rlx_value numbers(rlx_test *t, const char *name, rlx_dtype dtype, int64_t n, int64_t seed,
                         bool fixed)
{
    rlx_value args[] = {rlx_test_shape(t, 1, &n),
                        rlx_of_dtype(dtype),
                        rlx_float(0),
                        rlx_float(1),
                        rlx_int(seed),
                        rlx_int(1)};
    return call_builtin(t, name, args, fixed ? 6 : 5);
}

/* By the C++ standard (rand.predef), the generator's 10000th word for seed 5489 is 4123659995; it
 * is the low part of the 5000th double. */
RLX_TEST(builtins, uniform_numbers_are_those_of_mt19937)
{
    rlx_value v = numbers(t, "rlx.random_uniform", RLX_F64, 5000, 5489, true);
    cr_expect_eq(fmod(element(v, 4999) * 9007199254740992.0, 67108864.0), 4123659995u >> 6);
    rlx_value_release(v);
    v = numbers(t, "rlx.random_uniform", RLX_F32, 0, 1, true);
    cr_expect_eq(rlx_tensor_numel(v.as.tensor), 0);
    rlx_value_release(v);
}

/* The first numbers of NumPy's RandomState(0).standard_normal. */
RLX_TEST(builtins, normal_numbers_are_those_of_the_polar_method)
{
    static const double first[] = {1.764052345967664, 0.4001572083672233, 0.9787379841057392};
    rlx_value v = numbers(t, "rlx.random_normal", RLX_F64, 3, 0, true);
    for (int64_t i = 0; i < 3; i++)
        cr_expect_float_eq(element(v, i), first[i], 1e-15);
    rlx_value_release(v);
}

RLX_TEST(builtins, numbers_without_a_seed_are_fresh)
{
    rlx_value a = numbers(t, "rlx.random_uniform", RLX_F64, 4, 0, false),
              b = numbers(t, "rlx.random_uniform", RLX_F64, 4, 0, false);
    cr_expect_neq(element(a, 0), element(b, 0));
    rlx_value_release(a);
    rlx_value_release(b);
    rlx_value bad[] = {rlx_test_shape(t, 0, NULL), rlx_of_dtype(RLX_F16), rlx_float(0),
                       rlx_float(1), rlx_int(0)},
              out;
    RLX_FAILS(try_builtin(t, "rlx.random_uniform", bad, 5, &out), RLX_E_INVALID_ARG,
              "the type must be float32 or float64");
}

RLX_TEST(builtins, determinants)
{
    static const struct {
        int64_t n;
        double values[9], det;
    } rows[] = {{1, {-3}, -3},
                {2, {0, 1, 1, 0}, -1},
                {2, {1, 2, 2, 4}, 0},
                {3, {2, -1, 0, 1, 3, 5, -2, 4, 1}, -23},
                {3, {0, 0, 1, 1, 0, 0, 0, 1, 0}, 1},
                {0, {0}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t dims[2] = {rows[i].n, rows[i].n};
        rlx_value args[] = {make_tensor(t, RLX_F64, 2, dims, rows[i].values)};
        rlx_value v = call_builtin(t, "rlx.det", args, 1);
        cr_expect_float_eq(element(v, 0), rows[i].det, 1e-12, "row %zu", i);
        rlx_value_release(v);
    }
    const int64_t wide[2] = {2, 3};
    rlx_value bad[] = {make_tensor(t, RLX_F32, 2, wide, NULL)}, out;
    RLX_FAILS(try_builtin(t, "rlx.det", bad, 1, &out), RLX_E_INVALID_ARG, "square matrices");
}

RLX_TEST(builtins, inverses)
{
    static const struct {
        int64_t n;
        double values[9], inverse[9];
    } rows[] = {{1, {-4}, {-.25}},
                {2, {0, 1, 1, 0}, {0, 1, 1, 0}},
                {2, {1, 2, 3, 4}, {-2, 1, 1.5, -.5}},
                {3, {0, 0, 2, 1, 0, 0, 0, 4, 0}, {0, 1, 0, 0, 0, .25, .5, 0, 0}},
                {0, {0}, {0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t dims[2] = {rows[i].n, rows[i].n};
        rlx_value args[] = {make_tensor(t, RLX_F64, 2, dims, rows[i].values)};
        rlx_value v = call_builtin(t, "rlx.inverse", args, 1);
        for (int64_t k = 0; k < rows[i].n * rows[i].n; k++)
            cr_expect_float_eq(element(v, k), rows[i].inverse[k], 1e-12, "row %zu", i);
        rlx_value_release(v);
    }
    const int64_t dims[2] = {2, 2}, wide[2] = {2, 3};
    const double flat[4] = {1, 2, 2, 4};
    rlx_value singular[] = {make_tensor(t, RLX_F64, 2, dims, flat)};
    rlx_value v = call_builtin(t, "rlx.inverse", singular, 1);
    cr_expect(!isfinite(element(v, 0)));
    rlx_value_release(v);
    rlx_value bad[] = {make_tensor(t, RLX_F32, 2, wide, NULL)}, out;
    RLX_FAILS(try_builtin(t, "rlx.inverse", bad, 1, &out), RLX_E_INVALID_ARG, "square matrices");
}

/* Regions outside the image or of a missing image pool to 0; no region reads outside the image. */
RLX_TEST(builtins, pooled_regions_stay_in_the_image)
{
    const int64_t image[4] = {1, 1, 2, 2}, regions[2] = {5, 5};
    const double pixels[] = {1, 2, 3, 4};
    const double rois[] = {0, 0, 0, 1, 1,           0, 9, 9, 12,    12,    7,    0,   0,
                           1, 1, 0, 0, (double)NAN, 1, 1, 0, -5e18, -5e18, 5e18, 5e18};
    const double want[] = {4, 0, 0, 4, 4};
    rlx_value args[] = {make_tensor(t, RLX_F32, 4, image, pixels),
                        make_tensor(t, RLX_F32, 2, regions, rois), rlx_int(1), rlx_int(1),
                        rlx_float(1)};
    rlx_value v = call_builtin(t, "rlx.roi_pool", args, 5);
    for (int64_t i = 0; i < 5; i++)
        if (i != 3) /* a NaN border may pool to anything */
            cr_expect_eq(element(v, i), want[i], "region %d: %g", (int)i, element(v, i));
    rlx_value_release(v);
}

/* Casts of floats to integers saturate and map NaN to a fixed value, alone and inside quantization
 * formulas. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

enum { EDGES = 37 }; /* full vectors and a remainder */

/* Numbers around the limits of all integer types, and NaN. */
static void fill_edges(float *single, double *wide)
{
    static const int powers[] = {7, 8, 15, 16, 31, 32, 63, 64};
    static const double odd[] = {0, 0.5, 1.5, 2.5, 1e30};
    size_t n = 0;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        const double limit = ldexp(1, powers[i]);
        wide[n++] = limit;
        wide[n++] = nextafter(limit, 0);
        wide[n++] = -limit;
        wide[n++] = -limit * (1 + 0x1p-20);
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        wide[n++] = i % 2 ? odd[i] : -odd[i];
    cr_assert_eq(n, EDGES);
    for (size_t i = 0; i < EDGES; i++)
        single[i] = (float)wide[i];
    single[5] = (float)(wide[5] = NAN);
    single[20] = (float)(wide[20] = INFINITY);
    single[33] = (float)(wide[33] = -INFINITY);
}

/* |x| truncated to an integer of |bits|, saturating. NaN becomes INT32_MIN or INT64_MIN, never a
 * valid index, and 0 for other types. */
static uint64_t cut(double x, int bits, bool is_signed)
{
    const uint64_t ones = UINT64_MAX >> (64 - bits), top = is_signed ? ones >> 1 : ones;
    const double limit = ldexp(1, is_signed ? bits - 1 : bits);
    if (isnan(x))
        return is_signed && bits >= 32 ? top + 1 : 0;
    if (x >= limit)
        return top;
    if (x <= (is_signed ? -limit : 0))
        return is_signed ? ~top & ones : 0;
    return (is_signed ? (uint64_t)(int64_t)x : (uint64_t)x) & ones;
}

RLX_TEST(tir_casts, casts_to_integers_saturate)
{
    static const char *const types[] = {"int8",  "uint8",  "int16", "uint16",
                                        "int32", "uint32", "int64", "uint64"};
    static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64"};
    float single[EDGES];
    double wide[EDGES];
    fill_edges(single, wide);
    for (size_t c = 0; c < 48; c++) {
        const size_t type = c % 8;
        const int bits = 8 << type / 2, level = c / 8 % 2 ? 3 : 0;
        char text[512];
        unsigned char a[EDGES * 8] = {0}, b[EDGES * 8] = {0};
        kernel_fixture f;
        void *buffers[] = {single, wide, a, b};
        snprintf(text, sizeof text,
                 "@T.prim_func\n"
                 "def k(x: T.Buffer((37,), \"float32\"), y: T.Buffer((37,), \"float64\"), "
                 "a: T.Buffer((37,), \"%s\"), b: T.Buffer((37,), \"%s\")):\n"
                 "    T.func_attr({\"tir.noalias\": T.bool(True)})\n"
                 "    for i in range(37):\n        a[i] = T.Cast(\"%s\", x[i])\n"
                 "    for i in range(37):\n        b[i] = T.Cast(\"%s\", y[i])\n",
                 types[type], types[type], types[type], types[type]);
        if (!cpu_runs(cpus[c / 16]))
            continue;
        cr_assert(kernel_fixture_parse(&f, &t->allocator, level, cpus[c / 16], text) &&
                  kernel_fixture_build(&f));
        cr_assert_eq(kernel_fixture_call(&f, "k", buffers, NULL), 0);
        for (size_t i = 0; i < EDGES; i++) {
            const size_t bytes = (size_t)bits / 8;
            uint64_t got[2] = {0};
            memcpy(&got[0], a + i * bytes, bytes);
            memcpy(&got[1], b + i * bytes, bytes);
            cr_expect(got[0] == cut((double)single[i], bits, type % 2 == 0) &&
                          got[1] == cut(wide[i], bits, type % 2 == 0),
                      "%s of %g, -O%d", types[type], wide[i], level);
        }
        kernel_fixture_deinit(&f);
    }
}

/* Quantization as importers write it: with a zero point, with limits outside the type's range, with
 * a ReLU before the rounding, with limits inside the range. */
static const struct {
    double zero, least, most;
    const char *text;
} quantized[] = {
    {0, -1e9, 1e9, "T.Cast(\"%s\", T.nearbyint(x[i]))"},
    {3, -1e9, 1e9,
     "T.Cast(\"%s\", T.min(T.max(T.nearbyint(x[i]) + T.float32(3), T.float32(-40000)), "
     "T.float32(70000)))"},
    {-5, -1e9, 1e9, "T.Cast(\"%s\", T.nearbyint(x[i]) + T.float32(-5))"},
    {131, -1e9, 1e9, "T.Cast(\"%s\", T.nearbyint(x[i]) + T.float32(131))"},
    {0, 0, 1e9, "T.Cast(\"%s\", T.max(T.nearbyint(T.max(x[i], T.float32(0))), T.float32(-1)))"},
    {7, 0, 20,
     "T.Cast(\"%s\", T.nearbyint(T.min(T.max(x[i], T.float32(0)), T.float32(20))) + "
     "T.float32(7))"},
};
enum { QUANTIZED = sizeof quantized / sizeof *quantized, STEPS = 4 * EDGES };

static uint64_t quantized_of(double x, size_t q, int bits, bool is_signed)
{
    double r = nearbyint(x);
    if (!isnan(x)) /* NaN is not clamped */
        r = fmin(fmax(r, quantized[q].least), quantized[q].most);
    return cut(r + quantized[q].zero, bits, is_signed);
}

RLX_TEST(tir_casts, quantized_numbers_saturate)
{
    static const char *const types[] = {"int8", "uint8", "int16", "uint16"};
    static const char *const cpus[] = {NULL, "x86-64"};
    float x[STEPS];
    double wide[EDGES];
    fill_edges(x, wide);
    for (size_t i = EDGES; i < STEPS; i++) /* halves on both sides of every 8-bit limit */
        x[i] = ((float)i - EDGES * 2.5f) * 8 + (float)(i % 2) + 0.5f;
    for (size_t c = 0; c < 4 * 2; c++) {
        char text[2048];
        unsigned char y[QUANTIZED][STEPS * 2];
        void *buffers[1 + QUANTIZED] = {x};
        kernel_fixture f;
        const size_t type = c % 4;
        const int bits = 8 << type / 2;
        if (!cpu_runs(cpus[c / 4]))
            continue;
        size_t n = (size_t)snprintf(text, sizeof text,
                                    "@T.prim_func\ndef k(x: T.Buffer((148,), \"float32\")");
        for (size_t q = 0; q < QUANTIZED; q++) {
            buffers[1 + q] = y[q];
            n += (size_t)snprintf(text + n, sizeof text - n, ", y%zu: T.Buffer((148,), \"%s\")", q,
                                  types[type]);
        }
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "):\n    T.func_attr({\"tir.noalias\": T.bool(True)})\n");
        for (size_t q = 0; q < QUANTIZED; q++) {
            char value[256];
            snprintf(value, sizeof value, quantized[q].text, types[type]);
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "    for i in range(148):\n        y%zu[i] = %s\n", q, value);
        }
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, cpus[c / 4], text) &&
                  kernel_fixture_build(&f));
        rlxc_native code;
        if (c == 1) {
            cr_assert(rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_LLVM, &code));
            cr_expect(!strstr(code.data, "llvm.rint"), "%s: rounded before the cast", types[type]);
        }
        cr_assert_eq(kernel_fixture_call(&f, "k", buffers, NULL), 0);
        for (size_t i = 0; i < QUANTIZED * STEPS; i++) {
            uint64_t got = 0;
            const size_t q = i / STEPS, at = i % STEPS, bytes = (size_t)bits / 8;
            memcpy(&got, y[q] + at * bytes, bytes);
            cr_expect(got == quantized_of((double)x[at], q, bits, type % 2 == 0),
                      "%s, form %zu of %g: %llu", types[type], q, (double)x[at],
                      (unsigned long long)got);
        }
        kernel_fixture_deinit(&f);
    }
}

/* Activation factors, gelu's weight and silu's sigmoid, and the weights of attention use shorter
 * forms than the general functions: their accuracy over all magnitudes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

enum { CHUNK = 4096, STEP = 2003 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* |error| is relative to the allowed error: at most 1 passes. */
typedef struct factor {
    const char *value;
    double (*error)(double x, double out);
} factor;

static double error_of_half_erf(double x, double out)
{
    const double want = erfc(-x) / 2, error = fabs(out - want);
    if (x <= -6 && out != 0) /* multiplied by x it would grow */
        return 2;
    return fmax(error / 1.2e-7, x < 0 && x > -2 ? error / want / 1e-5 : 0);
}

static double error_of_silu(double x, double out)
{
    if (x <= -80 || x == 0)
        return out == 0 ? 0 : 2;
    const double want = x * sigmoid(x), ulp = fmax(fabs(want), 0x1p-126) * 0x1p-23;
    return fabs(out - want) / (3.5 * ulp);
}

/* Of x <= 0, a weight of a softmax: off by at most 1.1 ulp plus 3e-9 |x| of its value; the latter
 * is at most 1.1e-9 of the largest weight. Zero where results are subnormal or nearly so. */
static double error_of_weight(double x, double out)
{
    const double want = exp(x);
    if (x > 0 || (out == 0 && want < 0x1.1p-125))
        return 0;
    return out < 0x1p-126
               ? 2
               : fabs(out - want) / (1.1 * exp2(floor(log2(want)) - 23) - 3e-9 * x * want);
}

static void check_factor(rlx_test *t, const factor *row, int level, const char *cpu,
                         const char *loop, const char *at)
{
    static float in[CHUNK], out[CHUNK];
    char text[900];
    snprintf(text, sizeof text,
             "@T.prim_func\n"
             "def k(a: T.handle, b: T.handle):\n"
             "    T.func_attr({\"tir.noalias\": T.bool(True)})\n"
             "    n = T.int64()\n"
             "    A = T.match_buffer(a, (n,), \"float32\")\n"
             "    B = T.match_buffer(b, (n,), \"float32\")\n"
             "%sx = A[%s]\n%.*sB[%s] = %s\n",
             loop, at, (int)strspn(strrchr(loop, '\n') + 1, " "), strrchr(loop, '\n') + 1, at,
             row->value);
    kernel_fixture f;
    cr_assert(kernel_fixture_parse(&f, &t->allocator, level, cpu, text));
    cr_assert(kernel_fixture_build(&f));
    const char *given = getenv("RLX_FLOAT_STEP");
    const uint64_t asked = given ? strtoull(given, NULL, 10) : 0, apart = asked ? asked : STEP;
    double worst = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX;) {
        int64_t n = 0;
        for (; n < CHUNK && bits <= UINT32_MAX; n++, bits += apart) {
            uint32_t low = (uint32_t)bits;
            memcpy(&in[n], &low, sizeof low);
        }
        void *buffers[2] = {in, out};
        cr_assert_eq(kernel_fixture_call(&f, "k", buffers, &n), 0);
        for (int64_t i = 0; i < n; i++) {
            if (isnan(in[i]) || isinf(in[i])) {
                cr_expect(isnan(in[i]) ? isnan(out[i]) : in[i] < 0 || out[i] > 0);
                continue;
            }
            const double error = row->error((double)in[i], (double)out[i]);
            worst = fmax(worst, isnan(error) ? 2 : error);
        }
    }
    cr_expect(worst <= 1, "%s for %s: %g of what is allowed", row->value, cpu ? cpu : "host",
              worst);
    kernel_fixture_deinit(&f);
}

RLX_TEST(tir_factors, factors_are_accurate)
{
    static const factor rows[] = {{"T.float32(0.5) + T.erf(x) * T.float32(0.5)", error_of_half_erf},
                                  {"x * T.sigmoid(x)", error_of_silu},
                                  {"T.exp_nonpositive(x)", error_of_weight}};
    static const char each[] = "    for i in range(n):\n        ";
    static const char vectors[] = "    for i in range((n + 15) // 16):\n"
                                  "        for l in T.vectorized(16):\n            ";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_factor(t, &rows[i], 0, NULL, each, "i");
        check_factor(t, &rows[i], 3, NULL, each, "i");
        check_factor(t, &rows[i], 3, NULL, vectors, "i * 16 + l");
        check_factor(t, &rows[i], 3, "x86-64", each, "i");
    }
}

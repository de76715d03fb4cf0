/* The inline float32 functions against libm in double, the float64 ones against libm in long
 * double: accuracy over all magnitudes, special values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static long double wide_sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

static const struct {
    const char *name;
    double (*exact)(double);
    double max_ulp;
    long double (*wide_exact)(long double);
    double wide_max_ulp;
} functions[] = {
    {"exp", exp, 1.1, expl, 1.1},       {"log", log, 1.0, logl, 1.0},
    {"tanh", tanh, 1.5, tanhl, 1.5},    {"sigmoid", sigmoid, 2.0, wide_sigmoid, 2.0},
    {"erf", erf, 1.5, erfl, 1.8},       {"sin", sin, 1.5, sinl, 1.0},
    {"cos", cos, 1.5, cosl, 1.0},       {"atan", atan, 1.6, atanl, 1.0},
    {"asin", asin, 1.8, asinl, 1.0},    {"acos", acos, 1.6, acosl, 1.0},
    {"sinh", sinh, 2.0, sinhl, 2.0},    {"cosh", cosh, 2.0, coshl, 2.0},
    {"tan", tan, 0.6, tanl, 1.0},       {"asinh", asinh, 0.6, asinhl, 2.0},
    {"acosh", acosh, 0.6, acoshl, 2.0}, {"atanh", atanh, 0.6, atanhl, 2.0},
    {"exp2", exp2, 1.1, exp2l, 1.1},    {"exp10", exp10, 0.6, exp10l, 2.0},
    {"expm1", expm1, 0.6, expm1l, 1.0}, {"log2", log2, 0.6, log2l, 1.0},
    {"log10", log10, 0.6, log10l, 2.0}, {"log1p", log1p, 0.6, log1pl, 1.0},
};

#define ROW(name, type, loop, at)                                                             \
    "    @T.prim_func\n"                                                                      \
    "    def " name "(a: T.handle, b: T.handle):\n"                                           \
    "        T.func_attr({\"tir.noalias\": T.bool(True)})\n"                                  \
    "        n = T.int64()\n"                                                                 \
    "        A = T.match_buffer(a, (n,), \"" type "\")\n"                                     \
    "        B = T.match_buffer(b, (n,), \"" type "\")\n" loop "B[" at "] = T." name "(A[" at \
    "])\n"
#define ROWS(type, loop, at)       \
    ROW("exp", type, loop, at)     \
    ROW("log", type, loop, at)     \
    ROW("tanh", type, loop, at)    \
    ROW("sigmoid", type, loop, at) \
    ROW("erf", type, loop, at)     \
    ROW("sin", type, loop, at)     \
    ROW("cos", type, loop, at)     \
    ROW("atan", type, loop, at)    \
    ROW("asin", type, loop, at)    \
    ROW("acos", type, loop, at)    \
    ROW("sinh", type, loop, at)    \
    ROW("cosh", type, loop, at)    \
    ROW("tan", type, loop, at)     \
    ROW("asinh", type, loop, at)   \
    ROW("acosh", type, loop, at)   \
    ROW("atanh", type, loop, at)   \
    ROW("exp2", type, loop, at)    \
    ROW("exp10", type, loop, at)   \
    ROW("expm1", type, loop, at)   \
    ROW("log2", type, loop, at)    \
    ROW("log10", type, loop, at) ROW("log1p", type, loop, at)
#define EACH "        for i in range(n):\n            "
#define VECTORS(n)                                        \
    "        for i in range((n + " n " - 1) // " n "):\n" \
    "            for l in T.vectorized(" n "):\n"         \
    "                "

static const char vector_text[] =
    "@I.ir_module\nclass Module:\n" ROWS("float32", VECTORS("16"), "i * 16 + l");
static const char wide_text[] = "@I.ir_module\nclass Module:\n" ROWS("float64", EACH, "i");
static const char wide_vector_text[] =
    "@I.ir_module\nclass Module:\n" ROWS("float64", VECTORS("8"), "i * 8 + l");
#define PAIR(name)                                               \
    "    @T.prim_func\n"                                         \
    "    def " name "(a: T.handle, b: T.handle, c: T.handle):\n" \
    "        T.func_attr({\"tir.noalias\": T.bool(True)})\n"     \
    "        n = T.int64()\n"                                    \
    "        A = T.match_buffer(a, (n,), \"float32\")\n"         \
    "        B = T.match_buffer(b, (n,), \"float32\")\n"         \
    "        C = T.match_buffer(c, (n,), \"float32\")\n"         \
    "        for i in range(n):\n"                               \
    "            C[i] = T." name "(A[i], B[i])\n"
static const char module_text[] = "@I.ir_module\nclass Module:\n" ROWS("float32", EACH, "i")
    PAIR("pow") PAIR("atan2") PAIR("fmod");
#undef PAIR
#undef ROWS
#undef ROW

static double error_in_ulps(float got, double want)
{
    float nearest = (float)want;
    if (isnan(want))
        return isnan(got) ? 0 : 1e9;
    if (isinf(nearest))
        return got == nearest || fabsf(got) > 3.4e38f ? 0 : 1e9;
    if (isnan(got) || isinf(got))
        return 1e9;
    double ulp = nearest == 0 ? 0x1p-149 : ldexp(1, ilogb((double)nearest) - 23);
    return fabs((double)got - want) / fmax(ulp, 0x1p-149);
}

enum { CHUNK = 4096, STEP = 2003 };

/* Distance between the floats tried; RLX_FLOAT_STEP=1 tries every one, at some minutes per
 * function. */
static uint64_t step(void)
{
    const char *given = getenv("RLX_FLOAT_STEP");
    uint64_t n = given ? strtoull(given, NULL, 10) : 0;
    return n > 0 ? n : STEP;
}

/* Where errors are largest among all floats, now or in an earlier form: erf, sigmoid, tanh, exp. */
static const float hard[] = {-0x1.2b143cp+0F, 0x1.2518bep+0F,   0x1.3f1fd2p+0F, 0x1.161736p+0F,
                             0x1.094eecp+0F,  -0x1.69c008p-12F, 0x1.402e28p-1F, -0x1.4cad94p+2F,
                             0x1.5ace86p-1F,  0x1.016bccp-1F};

typedef struct farthest {
    double error;
    float at;
} farthest;

/* Calls function |k| on the |n| numbers of |in|. */
static void find_worst(kernel_fixture *f, size_t k, const float *in, int64_t n, farthest *w)
{
    static float out[CHUNK];
    void *buffers[2] = {(void *)(uintptr_t)in, out};
    cr_assert_eq(kernel_fixture_call(f, functions[k].name, buffers, &n), 0);
    for (int64_t i = 0; i < n; i++) {
        const double error = error_in_ulps(out[i], functions[k].exact((double)in[i]));
        if (error > w->error)
            *w = (farthest){error, in[i]};
    }
}

static void check_accuracy(rlx_test *t, int opt_level, const char *cpu, const char *text)
{
    static float in[CHUNK];
    kernel_fixture f;
    bool ready =
        kernel_fixture_parse(&f, &t->allocator, opt_level, cpu, text) && kernel_fixture_build(&f);
    cr_assert(ready);
    uint64_t apart = step();
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        farthest w = {0};
        find_worst(&f, k, hard, sizeof hard / sizeof *hard, &w);
        for (uint64_t bits = 0; bits <= UINT32_MAX;) {
            int64_t n = 0;
            for (; n < CHUNK && bits <= UINT32_MAX; n++, bits += apart) {
                uint32_t low = (uint32_t)bits;
                memcpy(&in[n], &low, sizeof low);
            }
            find_worst(&f, k, in, n, &w);
        }
        if (getenv("RLX_FLOAT_STEP"))
            fprintf(stderr, "%s on %s: %g ulp at %a\n", functions[k].name, cpu ? cpu : "host",
                    w.error, (double)w.at);
        cr_expect(w.error <= functions[k].max_ulp, "%s on %s: %g ulp at %g", functions[k].name,
                  cpu ? cpu : "host", w.error, (double)w.at);
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(tir_math, inline_functions_are_accurate_when_vectorised)
{
    check_accuracy(t, 3, NULL, module_text);
}

RLX_TEST(tir_math, inline_functions_are_accurate_in_vectors)
{
    check_accuracy(t, 2, NULL, vector_text);
}

RLX_TEST(tir_math, inline_functions_are_accurate_on_the_oldest_cpu)
{
    check_accuracy(t, 1, "x86-64", module_text);
}

/* --- float64 ---------------------------------------------------------------------------------- */

static uint64_t next_random_wide(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29;
}

static double wide_error_in_ulps(double got, long double want)
{
    const double nearest = (double)want;
    if (isnan(nearest))
        return isnan(got) ? 0 : 1e9;
    if (isinf(nearest))
        return got == nearest || fabs(got) > 0x1.ffffffffffff0p1023 ? 0 : 1e9;
    if (isnan(got) || isinf(got))
        return 1e9;
    const double ulp = nearest == 0 ? 0x1p-1074 : ldexp(1, ilogb(nearest) - 52);
    return (double)(fabsl((long double)got - want) / (long double)fmax(ulp, 0x1p-1074));
}

/* Numbers of all magnitudes, and from ranges where a function switches between approximations. */
static double pick_wide(uint64_t *state, uint32_t how)
{
    static const double reach[] = {1.2, 7, 45, 760, 0};
    const uint64_t r = next_random_wide(state);
    const double fraction = (double)(r >> 11) * 0x1p-53;
    double x;
    if (how % 8 < 4)
        return (2 * fraction - 1) * reach[how % 8];
    if (how % 8 == 4)
        return 0.4 + 1.2 * fraction;
    memcpy(&x, &r, sizeof x);
    return x;
}

static void check_wide(rlx_test *t, int opt_level, const char *cpu, const char *text)
{
    static double in[CHUNK], out[CHUNK];
    kernel_fixture f;
    bool ready =
        kernel_fixture_parse(&f, &t->allocator, opt_level, cpu, text) && kernel_fixture_build(&f);
    cr_assert(ready, "%s", rlxc_render_diagnostics(f.ctx));
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        double worst = 0, at = 0;
        uint64_t state = k + 1;
        for (int round = 0; round < 80; round++) {
            int64_t n = CHUNK;
            for (int64_t i = 0; i < n; i++)
                in[i] = pick_wide(&state, (uint32_t)i);
            void *buffers[2] = {in, out};
            cr_assert_eq(kernel_fixture_call(&f, functions[k].name, buffers, &n), 0);
            for (int64_t i = 0; i < n; i++) {
                const long double want = functions[k].wide_exact((long double)in[i]);
                const double error = wide_error_in_ulps(out[i], want);
                if (error > worst) {
                    worst = error;
                    at = in[i];
                }
            }
        }
        if (getenv("RLX_FLOAT_STEP"))
            fprintf(stderr, "%s of float64 on %s: %g ulp at %a\n", functions[k].name,
                    cpu ? cpu : "host", worst, at);
        cr_expect(worst <= functions[k].wide_max_ulp, "%s of float64 on %s: %g ulp at %a",
                  functions[k].name, cpu ? cpu : "host", worst, at);
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(tir_math, functions_of_float64_are_accurate)
{
    check_wide(t, 3, NULL, wide_text);
    check_wide(t, 2, NULL, wide_vector_text);
    if (cpu_runs("x86-64-v3"))
        check_wide(t, 3, "x86-64-v3", wide_text);
    check_wide(t, 1, "x86-64", wide_text);
}

RLX_TEST(tir_math, special_values_of_float64_are_exact)
{
    static const double in[8] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, 709.9, -745.2};
    static const char *const texts[] = {wide_text, wide_vector_text};
    const double inf = (double)INFINITY;
    const double want[5][8] = {
        {1, 1, inf, 0, NAN, 1, inf, 0},
        {-inf, -inf, inf, NAN, NAN, -0x1.74385446d71c3p+9, 0x1.a42afe56133e5p+2, NAN},
        {0, -0.0, 1, -1, NAN, 0x1p-1074, 1, -1},
        {0.5, 0.5, 1, 0, NAN, 0.5, 1, 0},
        {0, -0.0, 1, -1, NAN, 0x1p-1074, 1, -1},
    };
    for (size_t which = 0; which < 2; which++) {
        kernel_fixture f;
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, texts[which]) &&
                  kernel_fixture_build(&f));
        for (size_t k = 0; k < 5; k++) {
            double out[8];
            int64_t n = 8;
            void *buffers[2] = {(void *)(uintptr_t)in, out};
            cr_assert_eq(kernel_fixture_call(&f, functions[k].name, buffers, &n), 0);
            for (int i = 0; i < 8; i++)
                cr_expect(isnan(want[k][i])
                              ? isnan(out[i])
                              : fabs(out[i] - want[k][i]) <= 4e-16 * fabs(want[k][i]) ||
                                    out[i] == want[k][i],
                          "%s(%g) = %a, not %a", functions[k].name, in[i], out[i], want[k][i]);
            cr_expect(k == 0 || k == 1 || k == 3 || signbit(out[1]), "the sign of zero in %s",
                      functions[k].name);
        }
        kernel_fixture_deinit(&f);
    }
}

static void check_special_values(rlx_test *t, const char *text)
{
    const float inf = (float)INFINITY;
    static const float in[16] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f};
    const float want[5][6] = {
        {1, 1, inf, 0, NAN, 1},
        {-inf, -inf, inf, NAN, NAN, -92.1034037f},
        {0, -0.0f, 1, -1, NAN, 1e-40f},
        {0.5f, 0.5f, 1, 0, NAN, 0.5f},
        {0, -0.0f, 1, -1, NAN, 1.12837e-40f},
    };
    kernel_fixture f;
    bool ready = kernel_fixture_parse(&f, &t->allocator, 2, NULL, text) && kernel_fixture_build(&f);
    cr_assert(ready);
    for (size_t k = 0; k < 5; k++) {
        float out[16];
        int64_t n = 6;
        void *buffers[2] = {(void *)(uintptr_t)in, out};
        cr_assert_eq(kernel_fixture_call(&f, functions[k].name, buffers, &n), 0);
        for (int i = 0; i < 6; i++) {
            bool same = isnan(want[k][i]) ? isnan(out[i])
                        : isinf(want[k][i])
                            ? out[i] == want[k][i]
                            : fabsf(out[i] - want[k][i]) <= 1e-6f * fabsf(want[k][i]) &&
                                  signbit(out[i]) == signbit(want[k][i]);
            cr_expect(same, "%s(%g) = %g, not %g", functions[k].name, (double)in[i], (double)out[i],
                      (double)want[k][i]);
        }
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(tir_math, special_values_are_exact)
{
    check_special_values(t, module_text);
    check_special_values(t, vector_text);
}

/* --- pairs ----------------------------------------------------------------------------------- */

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

/* Random bits, numbers of ordinary size, numbers near 1, and special values. */
static float pick_operand(uint64_t *state)
{
    static const float special[] = {0.0f,      -0.0f, 1.0f,   -1.0f,      2.0f,  -2.0f,
                                    3.0f,      -3.0f, 0.5f,   -0.5f,      1e38f, INFINITY,
                                    -INFINITY, NAN,   1e-44f, 16777216.0f};
    uint32_t r = next_random(state), how = next_random(state) % 4;
    float f;
    if (how == 0)
        return special[r % (sizeof special / sizeof *special)];
    if (how == 1)
        return (float)((double)r / 0x1p28 - 8);
    if (how == 2)
        return (float)(1 + ((double)r / 0x1p31 - 1) * 1e-3);
    memcpy(&f, &r, sizeof f);
    return f;
}

static const struct {
    const char *name;
    double (*exact)(double, double);
    double max_ulp;
} pair_functions[] = {{"pow", pow, 0.6}, {"atan2", atan2, 0.6}, {"fmod", fmod, 0}};

static void check_pairs(rlx_test *t, int opt_level, const char *cpu)
{
    static float x[CHUNK], y[CHUNK], out[CHUNK];
    kernel_fixture f;
    bool ready = kernel_fixture_parse(&f, &t->allocator, opt_level, cpu, module_text) &&
                 kernel_fixture_build(&f);
    cr_assert(ready);
    for (size_t k = 0; k < sizeof pair_functions / sizeof *pair_functions; k++) {
        uint64_t state = k + 1;
        for (int round = 0; round < 60; round++) {
            int64_t n = CHUNK - round % 5;
            for (int64_t i = 0; i < n; i++) {
                x[i] = pick_operand(&state);
                y[i] = pick_operand(&state);
            }
            void *buffers[3] = {x, y, out};
            cr_assert_eq(kernel_fixture_call(&f, pair_functions[k].name, buffers, &n), 0);
            for (int64_t i = 0; i < n; i++) {
                double want = pair_functions[k].exact((double)x[i], (double)y[i]);
                bool fine = error_in_ulps(out[i], want) <= pair_functions[k].max_ulp &&
                            (isnan(want) || signbit(out[i]) == signbit((float)want));
                cr_expect(fine, "%s(%a, %a) = %a, not %a", pair_functions[k].name, (double)x[i],
                          (double)y[i], (double)out[i], want);
            }
        }
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(tir_math, functions_of_pairs_are_those_of_c)
{
    check_pairs(t, 2, NULL);
    check_pairs(t, 2, "x86-64");
    if (cpu_runs("x86-64-v3"))
        check_pairs(t, 0, "x86-64-v3");
}

/* --- sums of several products ----------------------------------------------------------------- */

enum { WORDS = 16 };

/* The low two bytes of |a|, unsigned, times those of |b|, saturated to int16. */
static int saturated(uint32_t a, uint32_t b)
{
    const int sum =
        (int)(a & 255) * (signed char)(b & 255) + (int)(a >> 8 & 255) * (signed char)(b >> 8 & 255);
    return sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum;
}

RLX_TEST(tir_math, dots_of_words_are_the_same_on_all_targets)
{
    static const char text[] =
        "@T.prim_func\n"
        "def k(a: T.Buffer((16,), \"uint32\"), b: T.Buffer((16,), \"uint32\"), "
        "f: T.Buffer((32,), \"float32\"), n: T.Buffer((32,), \"int32\"), "
        "s: T.Buffer((32,), \"int32\"), h: T.Buffer((32,), \"int32\"), "
        "c: T.Buffer((16,), \"uint32\"), d: T.Buffer((16,), \"uint32\")):\n"
        "    T.func_attr({\"tir.noalias\": T.bool(True)})\n"
        "    for i in T.vectorized(16):\n"
        "        h[i] = T.dot_u8s8_s16(h[i], c[i], d[i])\n"
        "    for i in T.vectorized(8):\n"
        "        h[i] = T.dot_u8s8_s16(h[i], c[i], d[i])\n"
        "    for i in T.vectorized(4):\n"
        "        h[i] = T.dot_u8s8_s16(h[i], c[i], d[i])\n"
        "    for i in T.vectorized(16):\n"
        "        f[i] = T.dot_bf16(f[i], a[i], b[i])\n"
        "    for i in T.vectorized(16):\n"
        "        n[i] = T.dot_u8s8(n[i], a[i], b[i])\n"
        "    for i in T.vectorized(16):\n"
        "        s[i] = T.dot_s16(s[i], a[i], b[i])\n"
        "    for i in T.vectorized(8):\n"
        "        s[i] = T.dot_s16(s[i], a[i], b[i])\n"
        "    for i in T.vectorized(4):\n"
        "        s[i] = T.dot_s16(s[i], a[i], b[i])\n"
        "    for i in range(16):\n"
        "        f[i + 16] = T.dot_bf16(f[i + 16], a[i], b[i])\n"
        "        n[i + 16] = T.dot_u8s8(n[i + 16], a[i], b[i])\n"
        "        h[i + 16] = T.dot_u8s8_s16(h[i + 16], c[i], d[i])\n"
        "        s[i + 16] = T.dot_s16(s[i + 16], a[i], b[i])\n";
    static const char *const cpus[] = {NULL, "x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"};
    for (size_t cpu = 0; cpu < sizeof cpus / sizeof *cpus; cpu++) {
        uint32_t a[WORDS], b[WORDS], c[WORDS], d[WORDS], seed = 3;
        float f[2 * WORDS];
        int32_t n[2 * WORDS], s[2 * WORDS], h[2 * WORDS];
        kernel_fixture k;
        for (uint32_t i = 0; i < WORDS; i++) { /* bfloat16 from 1/8 to 2 and their negatives */
            seed = seed * 1664525 + 1013904223;
            a[i] = 0x3e003e00 | (seed >> 4 & 0x81ff81ff);
            b[i] = 0x3e003e00 | (seed >> 9 & 0x81ff81ff);
            c[i] = i % 3 ? 0xfffefdff : seed; /* sums of two products that overflow 16 bits */
            d[i] = i % 3 ? 0x80817f7e : seed >> 7 ^ seed;
        }
        for (int i = 0; i < 2 * WORDS; i++) {
            f[i] = (float)i;
            h[i] = s[i] = n[i] = 1000 * i;
        }
        void *buffers[] = {a, b, f, n, s, h, c, d};
        if (!cpu_runs(cpus[cpu]))
            continue;
        cr_assert(kernel_fixture_parse(&k, &t->allocator, 3, cpus[cpu], text) &&
                  kernel_fixture_build(&k));
        cr_assert_eq(kernel_fixture_call(&k, "k", buffers, NULL), 0);
        for (int i = 0; i < 2 * WORDS; i++) {
            unsigned char left[4];
            signed char right[4];
            double sum = i;
            int32_t whole = 1000 * i, halves = whole;
            int16_t wide[2][2], both[2];
            memcpy(wide[0], &a[i % WORDS], sizeof wide[0]);
            memcpy(wide[1], &b[i % WORDS], sizeof wide[1]);
            const int passes = i < 4 ? 3 : i < 8 ? 2 : 1; /* number of summing steps */
            memcpy(both, &(int32_t){1000 * i}, sizeof both);
            for (int half = 0; half < 2; half++)
                both[half] = (int16_t)(both[half] + passes * saturated(c[i % WORDS] >> 16 * half,
                                                                       d[i % WORDS] >> 16 * half));
            for (int pass = 0; pass < passes; pass++)
                halves += wide[0][0] * wide[1][0] + wide[0][1] * wide[1][1];
            memcpy(left, &a[i % WORDS], sizeof left);
            memcpy(right, &b[i % WORDS], sizeof right);
            for (int byte = 0; byte < 4; byte++)
                whole += left[byte] * right[byte];
            for (int half = 0; half < 2; half++) {
                const uint32_t x = a[i % WORDS] >> 16 * half << 16,
                               y = b[i % WORDS] >> 16 * half << 16;
                float factors[2];
                memcpy(&factors[0], &x, sizeof x);
                memcpy(&factors[1], &y, sizeof y);
                sum += (double)factors[0] * (double)factors[1];
            }
            cr_expect_eq(memcmp(both, &h[i], sizeof both), 0, "%d", i);
            cr_expect_eq(n[i], whole);
            cr_expect_eq(s[i], halves);
            cr_expect(fabs(sum - (double)f[i]) < 1e-5, "%g, not %g", (double)f[i], sum);
        }
        kernel_fixture_deinit(&k);
    }
}

/* Products of 8-bit integers with constant weights, minus their zero points, are exact: both
 * signednesses, sizes around the tile borders, weights that do not fill a word, more than two
 * dimensions, with an epilogue. So are sums of products of dequantized operands, and rows of
 * arbitrary 16-bit integers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/kernels/quantized/quant.h"
#include "compiler/script/script.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"

/* how the operands are written; RUN_TIME: integers, x_zero is an argument */
typedef enum spelling { INTEGERS, RUN_TIME, OPERATORS, ARITHMETIC } spelling;

typedef struct example {
    spelling how;
    const char *cpu; /* NULL: this machine's */
    bool x_signed, w_signed;
    int x_zero, w_zero; /* x_zero 0: no zero point */
    int64_t k, n;
} example;

static const example examples[] = {
    {INTEGERS, NULL, false, true, 121, 0, 64, 64},
    {INTEGERS, NULL, true, true, 0, 0, 61, 33},
    {INTEGERS, NULL, true, false, -128, 255, 7, 130},
    {INTEGERS, NULL, false, false, 0, 130, 300, 5},
    {INTEGERS, NULL, false, true, 3, -5, 2, 17},
    {INTEGERS, NULL, true, true, 0, -128, 130, 200},
    {INTEGERS, "x86-64-v3", false, true, 121, 0, 33, 18},
    {INTEGERS, "x86-64-v4", true, false, -128, 255, 7, 130},
    {INTEGERS, "x86-64-v2", false, false, 0, 130, 300, 5},
    {INTEGERS, "x86-64", false, true, 128, -128, 5, 37},
    {INTEGERS, NULL, false, true, 128, 0, 40, 64},
    {RUN_TIME, NULL, false, true, 255, 0, 70, 65},
    {RUN_TIME, NULL, true, false, -7, 130, 33, 19},
    {RUN_TIME, "x86-64-v3", false, true, 0, 3, 9, 17},
    {OPERATORS, NULL, false, true, 121, 0, 64, 65},
    {OPERATORS, NULL, true, true, 0, 0, 61, 33},
    {OPERATORS, NULL, true, false, -128, 255, 7, 130},
    {OPERATORS, "x86-64-v3", false, true, 121, 0, 33, 18},
    {OPERATORS, "x86-64-v3", true, true, 0, 0, 130, 65},
    {OPERATORS, "x86-64-v4", false, false, 255, 128, 66, 200},
    {OPERATORS, "x86-64", false, true, 128, 0, 31, 9},
    {ARITHMETIC, NULL, false, true, 121, 0, 30, 31},
    {ARITHMETIC, NULL, true, true, 7, -3, 61, 33},
    {ARITHMETIC, NULL, true, true, 255, -2000, 6000, 3}, /* the sums overflow int32 */
    {INTEGERS, NULL, false, true, 0, 1 << 24, 40, 37},
    {INTEGERS, NULL, false, true, 0, INT32_MAX, 40, 37}, /* not exact in float32 */
};

static const int64_t rows[] = {0, 1, 2, 5, 6, 7, 8, 13, 25};

static const char head_text[] =
    "@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((\"b\", \"m\", %lld), \"%s\"), z: R.Tensor((), \"%s\"), "
    "w: R.Tensor((%lld, %lld), \"%s\")):\n"
    "        with R.dataflow():\n";

static const char integers_text[] = "            xi = R.astype(x, dtype=\"int32\")\n"
                                    "            zi = R.astype(z, dtype=\"int32\")\n"
                                    "            xz = R.subtract(xi, zi)\n"
                                    "            xc = R.subtract(xi, R.const(%d, \"int32\"))\n"
                                    "            wi = R.astype(w, dtype=\"int32\")\n"
                                    "            wc = R.subtract(wi, R.const(%d, \"int32\"))\n"
                                    "            y = R.matmul(%s, wc)\n"
                                    "            z = R.add(y, R.const(3, \"int32\"))\n"
                                    "            R.output(z)\n"
                                    "        return z\n";

static const char operators_text[] =
    "            xd = R.dequantize(x, R.const(0.5, \"float32\"), R.const(%d, \"%s\"), "
    "out_dtype=\"float32\", axis=-1)\n"
    "            wd = R.dequantize(w, R.const(0.25, \"float32\"), R.const(%d, \"%s\"), "
    "out_dtype=\"float32\", axis=1)\n"
    "            z = R.matmul(xd, wd)\n"
    "            R.output(z)\n"
    "        return z\n";

static const char arithmetic_text[] =
    "            xi = R.astype(x, dtype=\"int32\")\n"
    "            xc = R.subtract(xi, R.const(%d, \"int32\"))\n"
    "            xf = R.astype(xc, dtype=\"float32\")\n"
    "            xd = R.multiply(xf, R.const(0.5, \"float32\"))\n"
    "            wi = R.astype(w, dtype=\"int32\")\n"
    "            wc = R.subtract(wi, R.const(%d, \"int32\"))\n"
    "            wf = R.astype(wc, dtype=\"float32\")\n"
    "            wd = R.multiply(wf, R.const(0.25, \"float32\"))\n"
    "            z = R.matmul(xd, wd)\n"
    "            R.output(z)\n"
    "        return z\n";

static void write_text(const example *e, char *out, size_t size)
{
    const char *x = e->x_signed ? "int8" : "uint8", *w = e->w_signed ? "int8" : "uint8";
    long long k = e->k, n = e->n;
    int used = snprintf(out, size, head_text, k, x, x, k, n, w);
    out += used;
    size -= (size_t)used;
    switch (e->how) {
    case INTEGERS:
    case RUN_TIME:
        snprintf(out, size, integers_text, e->x_zero, e->w_zero,
                 e->how == RUN_TIME ? "xz"
                 : e->x_zero        ? "xc"
                                    : "xi");
        break;
    case OPERATORS:
        snprintf(out, size, operators_text, e->x_zero, x, e->w_zero, w);
        break;
    case ARITHMETIC:
        snprintf(out, size, arithmetic_text, e->x_zero, e->w_zero);
        break;
    }
}

static rlx_executable *compile(rlx_test *t, const example *e, const unsigned char *w)
{
    char text[2048], header[256];
    long long k = e->k, n = e->n;
    write_text(e, text, sizeof text);
    snprintf(header, sizeof header,
             "{\"w\":{\"dtype\":\"%s\",\"shape\":[%lld,%lld],\"data_offsets\":[0,%lld]}}",
             e->w_signed ? "I8" : "U8", k, n, k * n);
    bound_program p = {.text = text,
                       .cpu = e->cpu,
                       .emits = e->cpu ? "dot_s16" : NULL,
                       .where = rlxc_target_has_dots};
    unsigned char *file = bound_file(header, w, (size_t)(k * n), &p.size);
    p.weights = file;
    rlx_executable *exe = bound_compile(t, &p);
    free(file);
    return exe;
}

/* Wraps as int32 arithmetic does. */
static int32_t wrapped(int64_t x)
{
    const uint32_t bits = (uint32_t)x;
    int32_t out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

static bool is_exact(const example *e, int64_t m, const unsigned char *x, const unsigned char *w,
                     const void *y)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < e->n; j++) {
            int64_t sum = 0, at = i * e->n + j;
            for (int64_t k = 0; k < e->k; k++)
                sum += (int64_t)(bound_number(x, i * e->k + k, e->x_signed) - e->x_zero) *
                       wrapped((int64_t)bound_number(w, k * e->n + j, e->w_signed) - e->w_zero);
            /* sums below 2^24 with power-of-two scales: floats are exact too */
            double size = fabs((double)sum), allowed = size < 0x1p24 ? 0 : size * 1e-5;
            if (e->how == INTEGERS || e->how == RUN_TIME
                    ? wrapped(sum + 3) != ((const int32_t *)y)[at]
                    : !(fabs((double)sum - (double)((const float *)y)[at] * 8) <= allowed))
                return false;
        }
    }
    return true;
}

static void check_rows(rlx_test *t, rlx_vm *vm, const example *e, const unsigned char *w, int64_t b,
                       int64_t m)
{
    const int64_t dims[3] = {b, m, e->k};
    const rlx_dtype dtype = {e->x_signed ? RLX_INT : RLX_UINT, 8, 1};
    rlx_tensor *x = NULL, *z = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, dtype, 3, dims, &x, &t->error));
    unsigned char *data = rlx_tensor_mutable_data(x);
    bound_fill(data, b * m * e->k, 5);
    RLX_OKAY(rlx_tensor_create(&t->allocator, dtype, 0, NULL, &z, &t->error));
    *(unsigned char *)rlx_tensor_mutable_data(z) = (unsigned char)e->x_zero;
    rlx_value args[2] = {rlx_of_tensor(x), rlx_of_tensor(z)}, out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &out, &t->error));
    cr_expect(rlx_tensor_numel(out.as.tensor) == b * m * e->n &&
                  is_exact(e, b * m, data, w, rlx_tensor_data(out.as.tensor)),
              "cpu %s: (%lld, %lld, %lld), signed %d %d, zeros %d %d", e->cpu ? e->cpu : "native",
              (long long)(b * m), (long long)e->n, (long long)e->k, e->x_signed, e->w_signed,
              e->x_zero, e->w_zero);
    rlx_value_release(out);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
}

typedef struct weighted {
    const example *e;
    const unsigned char *w;
} weighted;

static void check(rlx_test *t, rlx_vm *vm, const void *user)
{
    const weighted *of = user;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        check_rows(t, vm, of->e, of->w, 1, rows[r]);
    check_rows(t, vm, of->e, of->w, 3, 5);
}

RLX_TEST(integer_products, sums_are_exact)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        if (!cpu_runs(e->cpu) || (e->cpu && !rlx_test_takes(i, 2)))
            continue;
        unsigned char *w = malloc((size_t)(e->k * e->n));
        bound_fill(w, e->k * e->n, 11);
        rlx_executable *exe = compile(t, e, w);
        cr_assert(exe);
        bound_threads(t, exe, check, &(weighted){e, w});
        rlx_executable_release(exe);
        free(w);
    }
}

/* Weights passed to a function are read as integers in it, not folded to floats first. */
RLX_TEST(integer_products, weights_of_a_function)
{
    static const char text[] =
        "@I.ir_module\nclass Module:\n    @R.function(private=True)\n"
        "    def block(x: R.Tensor((\"n\", 64), \"float32\"), w: R.Tensor((64, 64), \"int8\"),\n"
        "              i: R.Tensor((), \"int64\")) -> R.Tensor((\"n\", 64), \"float32\"):\n"
        "        n = T.int64()\n"
        "        c = R.less(i, R.const(2, \"int64\"))\n"
        "        if c:\n"
        "            d = R.dequantize(w, R.const(0.25, \"float32\"), R.const(0, \"int8\"), "
        "axis=1)\n"
        "            y = R.matmul(x, d)\n"
        "            j = R.add(i, R.const(1, \"int64\"))\n"
        "            r: R.Tensor((n, 64), \"float32\") = Module.block(y, w, j)\n"
        "            o = r\n"
        "        else:\n"
        "            o = x\n"
        "        return o\n"
        "    @R.function\n"
        "    def main(x: R.Tensor((\"n\", 64), \"float32\"), w: R.Tensor((64, 64), \"int8\"))"
        " -> R.Tensor((\"n\", 64), \"float32\"):\n"
        "        y = Module.block(x, w, R.const(0, \"int64\"))\n"
        "        return y\n";
    enum { K = 64, ROWS = 3 };
    unsigned char w[K * K];
    double now[K], next[K];
    bound_fill(w, sizeof w, 11);
    bound_program p = {.text = text, .expect = "quantized_matmul"};
    unsigned char *file =
        bound_file("{\"w\":{\"dtype\":\"I8\",\"shape\":[64,64],\"data_offsets\":[0,4096]}}", w,
                   sizeof w, &p.size);
    p.weights = file;
    rlx_executable *exe = bound_compile(t, &p);
    free(file);
    cr_assert(exe);
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    RLX_OKAY(
        rlx_vm_create(exe, &(const rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    RLX_OKAY(
        rlx_tensor_create(&t->allocator, RLX_F32, 2, (const int64_t[]){ROWS, K}, &x, &t->error));
    float *values = rlx_tensor_mutable_data(x);
    for (int i = 0; i < ROWS * K; i++)
        values[i] = (float)(i * 7 % 5 - 2);
    rlx_value arg = rlx_of_tensor(x), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
    const float *y = rlx_tensor_data(out.as.tensor);
    for (int row = 0; row < ROWS; row++) {
        for (int k = 0; k < K; k++)
            now[k] = (double)values[row * K + k];
        for (int turn = 0; turn < 2; turn++, memcpy(now, next, sizeof now))
            for (int j = 0; j < K; j++) {
                next[j] = 0;
                for (int k = 0; k < K; k++)
                    next[j] += now[k] * 0.25 * bound_number(w, k * K + j, true);
            }
        for (int j = 0; j < K; j++)
            cr_expect(fabs((double)y[row * K + j] - now[j]) <= 1e-5 * fabs(now[j]) + 1, "%d %d",
                      row, j);
    }
    rlx_value_release(out);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

/* A PrimFunc in the form of quantized products, whose rows hold every 16-bit number; the pass
 * itself only builds such rows from bytes. */
static void check_16_bits(rlx_test *t, const char *cpu)
{
    enum { K = 62, WORDS = 16, ROWS = 13, MOST_WIDTH = 64 };
    char text[1200];
    kernel_fixture f;
    cr_assert(kernel_fixture_init(&f, &t->allocator, 3, cpu));
    const int64_t width = rlxc_quant_width(f.options.target);
    const bool fast = rlxc_target_has_dots(f.options.target);
    kernel_fixture_deinit(&f);
    cr_assert_leq(width, MOST_WIDTH);
    snprintf(
        text, sizeof text,
        "@T.prim_func\n"
        "def product(x: T.handle, w: T.Buffer((1, %d, %lld), \"uint32\"), y: T.handle):\n"
        "    m = T.int64()\n"
        "    X = T.match_buffer(x, (m, %d), \"int16\")\n"
        "    Y = T.match_buffer(y, (m, %lld), \"int32\")\n"
        "    for i, j, k in T.grid(m, T.int64(%lld), T.int64(%d)):\n"
        "        with T.block(\"Y\"):\n"
        "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
        "            with T.init():\n"
        "                Y[vi, vj] = 0\n"
        "            Y[vi, vj] = Y[vi, vj] + T.Cast(\"int32\", X[vi, vk]) * (T.Cast(\"int32\", "
        "T.bitwise_and(T.shift_right(w[vj // T.int64(%lld), vk // T.int64(4), vj %% "
        "T.int64(%lld)], T.Cast(\"uint32\", vk %% T.int64(4) * T.int64(8))), "
        "T.uint32(255))) - 7)\n",
        WORDS, (long long)width, K, (long long)width, (long long)width, K, (long long)width,
        (long long)width);
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 3, cpu, text));
    cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
    cr_expect_eq(fast, strstr(rlxc_print_module(f.ctx, f.module), "dot_") != NULL);
    int16_t x[ROWS * K];
    unsigned char w[WORDS * 4 * MOST_WIDTH];
    int32_t y[ROWS * MOST_WIDTH];
    bound_fill(w, sizeof w, 3);
    for (int first = INT16_MIN; first <= INT16_MAX; first += ROWS * K) {
        for (int i = 0; i < ROWS * K; i++)
            x[i] = (int16_t)(first + i <= INT16_MAX ? first + i : -first);
        cr_assert_eq(kernel_fixture_call(&f, "product", (void *[]){x, w, y}, (int64_t[]){ROWS}), 0);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < width; j++) {
                int64_t sum = 0; /* byte k % 4 of word k / 4 of the column */
                for (int k = 0; k < K; k++)
                    sum += (int64_t)x[i * K + k] * (w[(k / 4 * width + j) * 4 + k % 4] - 7);
                cr_assert_eq(y[i * width + j], sum, "cpu %s: numbers from %d on", cpu, first);
            }
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(integer_products, rows_of_any_16_bits)
{
    static const char *const cpus[] = {NULL, "x86-64-v4", "x86-64-v3", "x86-64"};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        if (cpu_runs(cpus[i]))
            check_16_bits(t, cpus[i]);
}

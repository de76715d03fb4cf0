/* The results of the device rules on this machine's OpenCL driver, compared with sums in double:
 * sizes of 0 and 1, odd sizes, and sizes around the borders of blocks and tiles. Each function is
 * compiled once, with symbolic dimensions, and called with each size (a quick run: every
 * fourth). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/compiler/on_device.h"

enum { MOST = 300 * 300 };

static const char text[] =
    "from tvm.script import ir as I, relax as R, tir as T\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def product(x: R.Tensor((\"m\", \"k\"), \"float32\"), w: R.Tensor((\"k\", \"n\"), "
    "\"float32\"), b: R.Tensor((\"n\",), \"float32\")):\n"
    "        return R.nn.relu(R.add(R.matmul(x, w), b))\n"
    "    @R.function\n"
    "    def transposed(x: R.Tensor((\"m\", \"k\"), \"float32\"), w: R.Tensor((\"n\", \"k\"), "
    "\"float32\"), b: R.Tensor((\"n\",), \"float32\")):\n"
    "        return R.nn.relu(R.add(R.matmul(x, R.permute_dims(w)), b))\n"
    "    @R.function\n"
    "    def softmax(x: R.Tensor((\"m\", \"n\"), \"float32\")):\n"
    "        return R.nn.softmax(x, axis=-1)\n"
    "    @R.function\n"
    "    def norm(x: R.Tensor((\"m\", \"n\"), \"float32\"), g: R.Tensor((\"n\",), \"float32\"), "
    "c: R.Tensor((\"n\",), \"float32\")):\n"
    "        return R.nn.layer_norm(x, g, c, axes=[-1], epsilon=1e-05)\n"
    "    @R.function\n"
    "    def columns(x: R.Tensor((\"m\", \"n\"), \"float32\")):\n"
    "        return R.sum(x, axis=[0])\n"
    "    @R.function\n"
    "    def rows(x: R.Tensor((\"m\", \"n\"), \"float32\")):\n"
    "        return R.sum(x, axis=[1])\n"
    "    @R.function\n"
    "    def total(x: R.Tensor((\"m\", \"n\"), \"float32\")):\n"
    "        return R.sum(x)\n"
    "    @R.function\n"
    "    def gate(x: R.Tensor((\"m\", \"n\"), \"float32\"), b: R.Tensor((\"n\",), \"float32\")):\n"
    "        return R.multiply(R.sigmoid(x), R.add(x, b))\n";

typedef struct sizes {
    int64_t m, k, n;
} sizes;

/* Reference of one function: |x| (m, k) or (m, n), |w| (k, n) or (n, k), |b|, |c| (n). */
typedef void (*reference)(sizes s, const float *x, const float *w, const float *b, double *out);

static void product(sizes s, const float *x, const float *w, const float *b, double *out)
{
    for (int64_t i = 0; i < s.m; i++)
        for (int64_t j = 0; j < s.n; j++) {
            double sum = 0;
            for (int64_t k = 0; k < s.k; k++)
                sum += (double)x[i * s.k + k] * w[k * s.n + j];
            out[i * s.n + j] = fmax(sum + b[j], 0);
        }
}

static void transposed(sizes s, const float *x, const float *w, const float *b, double *out)
{
    for (int64_t i = 0; i < s.m; i++)
        for (int64_t j = 0; j < s.n; j++) {
            double sum = 0;
            for (int64_t k = 0; k < s.k; k++)
                sum += (double)x[i * s.k + k] * w[j * s.k + k];
            out[i * s.n + j] = fmax(sum + b[j], 0);
        }
}

static void softmax(sizes s, const float *x, const float *w, const float *b, double *out)
{
    (void)w, (void)b;
    for (int64_t i = 0; i < s.m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < s.n; j++)
            sum += exp((double)x[i * s.n + j]);
        for (int64_t j = 0; j < s.n; j++)
            out[i * s.n + j] = exp((double)x[i * s.n + j]) / sum;
    }
}

static void norm(sizes s, const float *x, const float *w, const float *b, double *out)
{
    for (int64_t i = 0; i < s.m; i++) {
        double mean = 0, variance = 0;
        for (int64_t j = 0; j < s.n; j++)
            mean += (double)x[i * s.n + j] / (double)s.n;
        for (int64_t j = 0; j < s.n; j++)
            variance += pow((double)x[i * s.n + j] - mean, 2) / (double)s.n;
        for (int64_t j = 0; j < s.n; j++)
            out[i * s.n + j] =
                ((double)x[i * s.n + j] - mean) / sqrt(variance + 1e-5) * w[j] + b[j];
    }
}

static void columns(sizes s, const float *x, const float *w, const float *b, double *out)
{
    (void)w, (void)b;
    for (int64_t j = 0; j < s.n; j++) {
        out[j] = 0;
        for (int64_t i = 0; i < s.m; i++)
            out[j] += x[i * s.n + j];
    }
}

static void rows(sizes s, const float *x, const float *w, const float *b, double *out)
{
    (void)w, (void)b;
    for (int64_t i = 0; i < s.m; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < s.n; j++)
            out[i] += x[i * s.n + j];
    }
}

static void total(sizes s, const float *x, const float *w, const float *b, double *out)
{
    (void)w, (void)b;
    *out = 0;
    for (int64_t i = 0; i < s.m * s.n; i++)
        *out += x[i];
}

static void gate(sizes s, const float *x, const float *w, const float *b, double *out)
{
    (void)w;
    for (int64_t i = 0; i < s.m * s.n; i++)
        out[i] = 1 / (1 + exp(-(double)x[i])) * ((double)x[i] + b[i % s.n]);
}

typedef enum form { MATRIX_VECTOR, MATRIX, NORM, GATE } form;
static const struct {
    const char *name;
    reference want;
    form form; /* of its arguments */
    bool flipped;
} functions[] = {
    {"product", product, MATRIX_VECTOR, false},
    {"transposed", transposed, MATRIX_VECTOR, true},
    {"softmax", softmax, MATRIX, false},
    {"norm", norm, NORM, false},
    {"columns", columns, MATRIX, false},
    {"rows", rows, MATRIX, false},
    {"total", total, MATRIX, false},
    {"gate", gate, GATE, false},
};

static float *x, *w, *b, *c;
static double *want;

static rlx_value wrap(rlx_test *t, uint32_t ndim, int64_t rows_, int64_t columns_, float *data)
{
    const int64_t dims[2] = {ndim == 2 ? rows_ : columns_, columns_};
    return on_device_wrap(t, RLX_F32, ndim, dims, data);
}

static void check(rlx_test *t, rlx_vm *vm, size_t f, sizes s)
{
    rlx_value args[3];
    uint32_t n = 0;
    const bool is_product = functions[f].form == MATRIX_VECTOR;
    args[n++] = wrap(t, 2, s.m, is_product ? s.k : s.n, x);
    if (is_product)
        args[n++] = functions[f].flipped ? wrap(t, 2, s.n, s.k, w) : wrap(t, 2, s.k, s.n, w);
    if (functions[f].form == NORM)
        args[n++] = wrap(t, 1, 0, s.n, c);
    if (functions[f].form != MATRIX)
        args[n++] = wrap(t, 1, 0, s.n, b);
    rlx_tensor *home = on_device_call(t, vm, functions[f].name, args, n);
    functions[f].want(s, x, functions[f].form == NORM ? c : w, b, want);
    const float *got = rlx_tensor_data(home);
    for (int64_t i = 0; i < rlx_tensor_numel(home); i++)
        if (!(fabs((double)got[i] - want[i]) <= 2e-5 * (1 + fabs(want[i])))) {
            cr_expect(false, "%s with m = %lld, k = %lld, n = %lld: element %lld is %g, want %g",
                      functions[f].name, (long long)s.m, (long long)s.k, (long long)s.n,
                      (long long)i, (double)got[i], want[i]);
            break;
        }
    rlx_value_release(rlx_of_tensor(home));
}

RLX_TEST(device_rules, results_are_those_of_sums_in_double)
{
    static const int64_t edges[] = {0, 1, 2, 3, 7, 8, 9, 31, 33, 63, 64, 65, 127, 129, 255, 257};
    if (!on_device_is_possible())
        return;
    float **const arrays[] = {&x, &w, &b, &c};
    uint32_t seed = 1;
    for (size_t a = 0; a < 4; a++) {
        *arrays[a] = malloc(MOST * sizeof(float));
        cr_assert_not_null(*arrays[a]);
        for (size_t i = 0; i < MOST; i++) {
            seed = seed * 1664525u + 1013904223u;
            (*arrays[a])[i] = (float)(seed >> 25) / 64 - 1; /* whose sums are exact */
        }
    }
    cr_assert_not_null(want = malloc(MOST * sizeof *want));
    rlx_executable *exe = on_device_compile(t, text);
    rlx_vm *vm = rlx_test_vm(t, exe);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
            if (!rlx_test_takes(i + f, 4))
                continue;
            check(t, vm, f, (sizes){edges[i], 17, 33});
            check(t, vm, f, (sizes){9, 17, edges[i]});
            if (functions[f].form == MATRIX_VECTOR)
                check(t, vm, f, (sizes){8, edges[i], 64});
            check(t, vm, f, (sizes){edges[i], 65, edges[i]});
        }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    for (size_t a = 0; a < 4; a++)
        free(*arrays[a]);
    free(want);
}

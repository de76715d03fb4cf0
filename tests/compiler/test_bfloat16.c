/* Products of bfloat16 with constant weights against sums in double: row counts for all tile sizes,
 * odd inner dimensions, column counts that do not fill a vector, transposed weights and weights
 * converted from float32, both result types, targets with and without the dot instruction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/kernels/quantized/quant.h"
#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"

typedef enum spelling { PLAIN, TRANSPOSED, FLOATS } spelling; /* how the weight is given */

typedef enum epilogue { RELU, NEGATIVE, NOTHING } epilogue; /* operator after the product */

typedef struct example {
    spelling how;
    const char *cpu; /* NULL: this machine's */
    int64_t k, n;
    bool wide;     /* the result is float32 */
    epilogue last; /* RELU: x is 2-D; else 3-D */
} example;

static const example examples[] = {
    {PLAIN, NULL, 64, 64, true, NEGATIVE},
    {PLAIN, NULL, 61, 33, false, NOTHING},
    {PLAIN, NULL, 1, 1, true, RELU},
    {TRANSPOSED, NULL, 7, 130, true, RELU},
    {TRANSPOSED, NULL, 258, 65, false, RELU},
    {FLOATS, NULL, 129, 200, true, NOTHING},
    {FLOATS, NULL, 2, 63, false, RELU},
    {PLAIN, "x86-64-v4", 61, 33, true, RELU},
    {TRANSPOSED, "x86-64-v3", 20, 40, false, NEGATIVE},
};

static const int64_t rows[] = {0, 1, 2, 3, 5, 6, 7, 8, 13, 25};

static float number_of(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Magnitudes from 1/8 to 2, both signs, all significand bits. */
static void fill(uint16_t *data, int64_t n, uint32_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        data[i] =
            (uint16_t)(((seed >> 31) << 15) | ((124 + (seed >> 29) % 4) << 7) | (seed >> 20 & 127));
    }
}

static double weight_at(const example *e, const uint16_t *w, int64_t k, int64_t n)
{
    return (double)number_of(w[e->how == TRANSPOSED ? n * e->k + k : k * e->n + n]);
}

static rlx_executable *compile(rlx_test *t, const example *e, const uint16_t *w)
{
    static const char *const made[] = {"w", "R.permute_dims(w, axes=None)",
                                       "R.astype(w, dtype=\"bfloat16\")"},
                             *const ends[] = {"R.nn.relu(y)", "R.negative(y)", "y"};
    char text[1024], header[128];
    const bool floats = e->how == FLOATS;
    const long long k = e->k, n = e->n, first = e->how == TRANSPOSED ? n : k;
    const char *type = e->wide ? "float32" : "bfloat16";
    const size_t count = (size_t)(e->k * e->n), item = floats ? 4 : 2;
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n    @R.function\n"
             "    def main(x: R.Tensor((%s\"m\", %lld), \"bfloat16\"), "
             "w: R.Tensor((%lld, %lld), \"%s\")):\n        with R.dataflow():\n"
             "            v = %s\n            y = R.matmul(x, v, out_dtype=\"%s\")\n"
             "            z = %s\n            R.output(z)\n        return z\n",
             e->last == RELU ? "" : "\"b\", ", k, first, k + n - first,
             floats ? "float32" : "bfloat16", made[e->how], type, ends[e->last]);
    snprintf(header, sizeof header,
             "{\"w\":{\"dtype\":\"%s\",\"shape\":[%lld,%lld],\"data_offsets\":[0,%zu]}}",
             floats ? "F32" : "BF16", first, k + n - first, count * item);
    float *wide = malloc(count * sizeof *wide);
    for (size_t i = 0; i < count; i++)
        wide[i] = number_of(w[i]);
    bound_program p = {.text = text,
                       .cpu = e->cpu,
                       .expect = e->last == NOTHING ? "bfloat16_matmul" : "fused_bfloat16_matmul",
                       .where = rlxc_target_has_bfloat16_dots};
    unsigned char *file =
        bound_file(header, floats ? (const void *)wide : w, count * item, &p.size);
    p.weights = file;
    rlx_executable *exe = bound_compile(t, &p);
    free(file);
    free(wide);
    return exe;
}

static bool is_product(const example *e, int64_t m, const uint16_t *x, const uint16_t *w,
                       const void *y)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < e->n; j++) {
            const int64_t at = i * e->n + j;
            double sum = 0, size = 1;
            for (int64_t k = 0; k < e->k; k++) {
                const double term = (double)number_of(x[i * e->k + k]) * weight_at(e, w, k, j);
                sum += term;
                size += fabs(term);
            }
            if (e->last == NEGATIVE)
                sum = -sum;
            else if (e->last == RELU && sum < 0)
                sum = 0;
            const double got = e->wide ? (double)((const float *)y)[at]
                                       : (double)number_of(((const uint16_t *)y)[at]);
            const double limit = 4e-7 * size + (e->wide ? 0 : fabs(sum) / 255);
            if (isfinite(sum) ? !(fabs(sum - got) <= limit)
                              : !(isnan(sum) ? isnan(got) : got == sum))
                return false;
        }
    }
    return true;
}

/* |special|: bit pattern written to the middle of the first row; 0: none. */
static void check_rows(rlx_test *t, rlx_vm *vm, const example *e, const uint16_t *w, int64_t b,
                       int64_t m, uint16_t special)
{
    const int64_t dims[3] = {b, m, e->k};
    const rlx_dtype bf16 = {RLX_BFLOAT, 16, 1};
    rlx_tensor *x = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, bf16, e->last == RELU ? 2 : 3,
                               dims + (e->last == RELU), &x, &t->error));
    uint16_t *data = rlx_tensor_mutable_data(x);
    fill(data, b * m * e->k, 5);
    if (special)
        data[e->k / 2] = special;
    rlx_value arg = rlx_of_tensor(x), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
    cr_expect(rlx_tensor_numel(out.as.tensor) == b * m * e->n &&
                  is_product(e, b * m, data, w, rlx_tensor_data(out.as.tensor)),
              "cpu %s, spelling %d: (%lld, %lld, %lld), float32 %d, special %x",
              e->cpu ? e->cpu : "native", (int)e->how, (long long)(b * m), (long long)e->n,
              (long long)e->k, e->wide, special);
    rlx_value_release(out);
    rlx_value_release(arg);
}

typedef struct weighted {
    const example *e;
    const uint16_t *w;
} weighted;

static void check(rlx_test *t, rlx_vm *vm, const void *user)
{
    static const uint16_t specials[] = {0x7f80, 0xff80, 0x7fc0, 0x8000, 0x0001};
    const weighted *of = user;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        check_rows(t, vm, of->e, of->w, 1, rows[r], 0);
    if (of->e->last != RELU)
        check_rows(t, vm, of->e, of->w, 3, 5, 0);
    for (size_t s = 0; s < sizeof specials / sizeof *specials; s++)
        check_rows(t, vm, of->e, of->w, 1, 7, specials[s]);
}

RLX_TEST(bfloat16, products_agree_with_double)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        if (!cpu_runs(e->cpu))
            continue;
        uint16_t *w = malloc((size_t)(e->k * e->n) * sizeof *w);
        fill(w, e->k * e->n, 11);
        rlx_executable *exe = compile(t, e, w);
        cr_assert(exe);
        bound_threads(t, exe, check, &(weighted){e, w});
        rlx_executable_release(exe);
        free(w);
    }
}

/* Conversions of float8 against the formats' definitions in double. Every code is converted to
 * float16, float32 and float64. Every number, every midpoint between neighbours and the numbers
 * next to it, overflow and a million random values are converted back from float32 and float64, on
 * every CPU level this machine supports; and again through rlx/floats.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rlx/floats.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"

typedef struct format {
    const char *name;
    rlx_dtype type;
    int mantissa, bias;
    int largest;  /* code of the largest finite number */
    int infinity; /* code of infinity; 0: the format has none */
    int nan;
    bool negative_zero;
} format;

static const format formats[] = {
    {"float8_e4m3fn", {RLX_FLOAT8_E4M3FN, 8, 1}, 3, 7, 0x7e, 0, 0x7f, true},
    {"float8_e5m2", {RLX_FLOAT8_E5M2, 8, 1}, 2, 15, 0x7b, 0x7c, 0x7e, true},
    {"float8_e4m3fnuz", {RLX_FLOAT8_E4M3FNUZ, 8, 1}, 3, 8, 0x7f, 0, 0x80, false},
    {"float8_e5m2fnuz", {RLX_FLOAT8_E5M2FNUZ, 8, 1}, 2, 16, 0x7f, 0, 0x80, false},
};
enum { N_FORMATS = sizeof formats / sizeof *formats, N_RANDOM = 1000000 };

/* The value of a code, by definition. */
static double meaning(const format *f, int code)
{
    const int magnitude = code & 127, exponent = magnitude >> f->mantissa,
              fraction = magnitude & ((1 << f->mantissa) - 1);
    if (!f->negative_zero && code == 0x80)
        return (double)NAN;
    if (magnitude > f->largest)
        return f->infinity == magnitude ? (code > 127 ? -(double)INFINITY : (double)INFINITY)
                                        : (double)NAN;
    const double size =
        exponent == 0 ? ldexp(fraction, 1 - f->bias - f->mantissa)
                      : ldexp(fraction + (1 << f->mantissa), exponent - f->bias - f->mantissa);
    return code > 127 ? -size : size;
}

/* The code of the nearest number, ties to even; |numbers| holds the values of the positive codes.
 */
static int nearest(const format *f, const double numbers[128], double value)
{
    if (isnan(value))
        return f->nan;
    const double size = fabs(value);
    int low = 0, high = f->largest;
    while (low < high) { /* the largest code whose number is at most |size| */
        const int middle = (low + high + 1) / 2;
        if (numbers[middle] <= size)
            low = middle;
        else
            high = middle - 1;
    }
    const double below = numbers[low];
    const double above = low == f->largest ? 2 * below - numbers[low - 1] : numbers[low + 1];
    int code = low;
    if (size - below > above - size || (size - below == above - size && low % 2 == 1))
        code = low + 1;
    if (code > f->largest)
        code = f->infinity ? f->infinity : f->nan;
    const bool plain = code <= f->largest || code == f->infinity;
    return signbit(value) && plain && (code != 0 || f->negative_zero) ? code | 0x80 : code;
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

RLX_TEST(float8, codes_have_the_values_that_their_formats_define)
{
    char name[24];
    rlx_dtype parsed;
    for (size_t i = 0; i < N_FORMATS; i++) {
        const format *f = &formats[i];
        cr_expect_str_eq(rlx_dtype_name(f->type, name), f->name);
        cr_expect(rlx_dtype_parse(rlx_str_from(f->name), &parsed) && rlx_dtype_eq(parsed, f->type));
        cr_expect(rlx_dtype_is_float(f->type) && rlx_dtype_size(f->type) == 1);
        cr_expect_eq(rlx_float_largest(f->type), (uint64_t)f->largest);
        for (int code = 0; code < 256; code++) {
            const double value = meaning(f, code);
            cr_expect(same(rlx_float_decode(f->type, (uint64_t)code), value), "%s %x", f->name,
                      code);
            cr_expect_eq(rlx_float_is_nan(f->type, (uint64_t)code), isnan(value));
            cr_expect(isnan(value) || rlx_float_encode(f->type, value) == (uint64_t)code, "%s %x",
                      f->name, code);
        }
    }
    cr_expect_null(rlx_float_format_of(RLX_I8));
    cr_expect(!rlx_dtype_valid((rlx_dtype){RLX_FLOAT8_E5M2, 16, 1}));
    cr_expect(!rlx_dtype_valid((rlx_dtype){RLX_FLOAT8_E5M2FNUZ + 1, 8, 1}));
}

static rlx_executable *compile(rlx_test *t, const char *cpu)
{
    static const char *const others[] = {"float16", "float32", "float64"};
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "@I.ir_module\nclass Module:\n");
    for (size_t i = 0; i < N_FORMATS; i++)
        for (size_t k = 0; k < 3; k++)
            for (int back = 0; back < 2; back++) {
                const char *from = back ? others[k] : formats[i].name;
                const char *to = back ? formats[i].name : others[k];
                used += (size_t)snprintf(
                    text + used, sizeof text - used,
                    "    @R.function\n    def f%zu%zu%d(x: R.Tensor((\"n\",), \"%s\")):\n"
                    "        y = R.astype(x, dtype=\"%s\")\n        return y\n",
                    i, k, back, from, to);
            }
    return bound_compile(t, &(bound_program){.text = text, .cpu = cpu});
}

static rlx_value converted(rlx_test *t, rlx_vm *vm, size_t of, size_t other, int back,
                           rlx_dtype from, int64_t n, const void *data)
{
    char name[8];
    rlx_tensor *x = NULL;
    rlx_value out = rlx_none();
    snprintf(name, sizeof name, "f%zu%zu%d", of, other, back);
    RLX_OKAY(rlx_tensor_create(&t->allocator, from, 1, &n, &x, &t->error));
    memcpy(rlx_tensor_mutable_data(x), data, rlx_tensor_nbytes(x));
    rlx_value arg = rlx_of_tensor(x);
    RLX_OKAY(rlx_vm_invoke(vm, rlx_str_from(name), &arg, 1, &out, &t->error));
    rlx_value_release(arg);
    return out;
}

static void check_codes(rlx_test *t, rlx_vm *vm, size_t i)
{
    static const rlx_dtype types[] = {{RLX_FLOAT, 16, 1}, {RLX_FLOAT, 32, 1}, {RLX_FLOAT, 64, 1}};
    uint8_t codes[256 + 3];
    for (int code = 0; code < 259; code++)
        codes[code] = (uint8_t)code;
    for (size_t k = 0; k < 3; k++)
        for (int64_t n = 255; n < 260; n += 4) { /* whole vectors, with and without a remainder */
            rlx_value out = converted(t, vm, i, k, 0, formats[i].type, n, codes);
            const char *data = rlx_tensor_data(out.as.tensor);
            for (int64_t c = 0; c < n; c++) {
                uint64_t bits = 0;
                memcpy(&bits, data + (size_t)c * types[k].bits / 8, types[k].bits / 8);
                cr_expect(same(rlx_float_decode(types[k], bits), meaning(&formats[i], codes[c])),
                          "%s %x to %u bits", formats[i].name, codes[c], types[k].bits);
            }
            rlx_value_release(out);
        }
}

/* Numbers, midpoints, their neighbours in float64 (|wide|) or float32, and other values. */
static int64_t fill(const format *f, bool wide, double *to)
{
    int64_t n = 0;
    for (int code = 0; code <= f->largest; code++) {
        const double next =
            code == f->largest ? 2 * meaning(f, code) - meaning(f, code - 1) : meaning(f, code + 1);
        const double points[2] = {meaning(f, code), (meaning(f, code) + next) / 2};
        for (int p = 0; p < 2; p++)
            for (int step = -1; step < 2; step++) {
                double v = points[p];
                if (step != 0 && wide)
                    v = nextafter(v, step * (double)INFINITY);
                else if (step != 0)
                    v = (double)nextafterf((float)v, (float)step * INFINITY);
                to[n++] = v;
                to[n++] = -v;
            }
    }
    const double odd[] = {(double)INFINITY, -(double)INFINITY, (double)NAN, 1e30, -1e30, 1e-40};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        to[n++] = odd[i];
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < N_RANDOM; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const int exponent = (int)(state % 48) - 28;
        const double v = ldexp((double)(state >> 11) / 0x1p53 - 0.5, exponent);
        to[n++] = wide ? v : (double)(float)v;
    }
    return n;
}

static void check_rounding(rlx_test *t, rlx_vm *vm, size_t i, bool wide)
{
    const format *f = &formats[i];
    double *values = malloc((128 * 12 + 6 + N_RANDOM) * sizeof *values);
    float *narrow = malloc((128 * 12 + 6 + N_RANDOM) * sizeof *narrow);
    const int64_t n = fill(f, wide, values);
    int64_t wrong = 0;
    double numbers[128];
    for (int code = 0; code < 128; code++)
        numbers[code] = meaning(f, code);
    for (int64_t k = 0; k < n; k++)
        narrow[k] = (float)values[k];
    rlx_value out = converted(t, vm, i, wide ? 2 : 1, 1, wide ? RLX_F64 : RLX_F32, n,
                              wide ? (const void *)values : narrow);
    const uint8_t *codes = rlx_tensor_data(out.as.tensor);
    for (int64_t k = 0; k < n; k++) {
        const int want = nearest(f, numbers, values[k]), got = codes[k];
        const bool is_nan = rlx_float_is_nan(f->type, (uint64_t)want);
        wrong += is_nan ? !rlx_float_is_nan(f->type, (uint64_t)got) : got != want;
        if (k < 2000 && !is_nan)
            wrong += rlx_float_encode(f->type, values[k]) != (uint64_t)want;
    }
    cr_expect_eq(wrong, 0, "%s from %s: %lld of %lld", f->name, wide ? "float64" : "float32",
                 (long long)wrong, (long long)n);
    rlx_value_release(out);
    free(values);
    free(narrow);
}

RLX_TEST(float8, conversions_are_exact_and_round_once)
{
    static const char *const cpus[] = {NULL, "x86-64"};
    for (size_t c = 0; c < sizeof cpus / sizeof *cpus; c++) {
        if (!cpu_runs(cpus[c]))
            continue;
        rlx_executable *exe = compile(t, cpus[c]);
        rlx_vm *vm = NULL;
        cr_assert(exe);
        RLX_OKAY(rlx_vm_create(exe, NULL, &vm, &t->error));
        for (size_t i = 0; i < N_FORMATS; i++) {
            check_codes(t, vm, i);
            check_rounding(t, vm, i, false);
            check_rounding(t, vm, i, true);
        }
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
    }
}

enum { K = 40, N = 33 };

/* Products with float8 weights, plain and transposed, never expand the weights to a float32 tensor.
 */
RLX_TEST(float8, products_read_weights_as_they_are_stored)
{
    static const char text[] =
        "@I.ir_module\nclass Module:\n"
        "    @R.function\n    def main(x: R.Tensor((\"m\", 40), \"float32\"),\n"
        "             w: R.Tensor((40, 33), \"float8_e4m3fn\"), v: R.Tensor((33, 40), "
        "\"float8_e5m2\")):\n"
        "        R.func_attr({\"num_input\": 1})\n        with R.dataflow():\n"
        "            y = R.matmul(x, R.astype(w, \"float32\"))\n"
        "            z = R.matmul(x, R.permute_dims(R.astype(v, \"float32\")))\n"
        "            s = R.add(y, z)\n            R.output(s)\n        return s\n";
    static const int64_t rows[] = {0, 1, 2, 7, 13};
    uint8_t w[2 * K * N];
    for (int i = 0; i < 2 * K * N; i++) /* small finite numbers */
        w[i] = (uint8_t)((i * 89 + i / 7) & 0xbf);
    size_t size;
    unsigned char *file =
        bound_file("{\"w\":{\"dtype\":\"F8_E4M3\",\"shape\":[40,33],\"data_offsets\":[0,1320]},"
                   "\"v\":{\"dtype\":\"F8_E5M2\",\"shape\":[33,40],\"data_offsets\":[1320,2640]}}",
                   w, sizeof w, &size);
    rlx_executable *exe =
        bound_compile(t, &(bound_program){.text = text,
                                          .weights = file,
                                          .size = size,
                                          .lacks = "R.Tensor((40, 33), dtype=\"float32\")"});
    free(file);
    cr_assert(exe);
    rlx_vm *vm = NULL;
    RLX_OKAY(rlx_vm_create(exe, NULL, &vm, &t->error));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const int64_t dims[2] = {rows[r], K};
        rlx_tensor *x = NULL;
        RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 2, dims, &x, &t->error));
        float *data = rlx_tensor_mutable_data(x);
        for (int64_t i = 0; i < rows[r] * K; i++)
            data[i] = (float)(i * 31 % 17) / 8 - 1;
        rlx_value arg = rlx_of_tensor(x), out = rlx_none();
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
        const float *y = rlx_tensor_data(out.as.tensor);
        for (int64_t i = 0; i < rows[r] * N; i++) {
            double sum = 0, most = 0;
            for (int64_t k = 0; k < K; k++) {
                const double a = (double)data[i / N * K + k];
                const double p = meaning(&formats[0], w[k * N + i % N]) * a,
                             q = meaning(&formats[1], w[K * N + i % N * K + k]) * a;
                sum += p + q;
                most += fabs(p) + fabs(q);
            }
            cr_expect(fabs(sum - (double)y[i]) <= 1e-6 * most, "%lld rows, element %lld",
                      (long long)rows[r], (long long)i);
        }
        rlx_value_release(out);
        rlx_value_release(arg);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

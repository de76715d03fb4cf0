/* Products with constant weights dequantized from 4- or 8-bit integers, or taken from palettes, in
 * each spelling that modules use, against a reference in double: row counts for all tile sizes,
 * groups that do not divide the inner dimension, column counts that do not fill a vector, vectors
 * of each width, non-finite rows, activations rounded to 8, 12, 16 and 24 bits and exact. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compiler/kernels/quantized/quant.h"
#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"

enum { TEXT = 8192, PEAK_BLOCK = 128 /* upper limit of a rounded row's block size */ };

typedef enum spelling {
    GROUPS,   /* R.dequantize of (groups, G), reshaped and transposed */
    NIBBLES,  /* a PrimFunc that unpacks eight from a word and subtracts 7 */
    CHANNELS, /* (K, N): astype, then subtract and multiply by one value per column */
    BYTES, /* a PrimFunc that unpacks two from a byte, with zero points and float16 scales per group
            */
    ENTRIES, /* (K, N): entries of a palette of 29 */
    NORMAL /* (groups, G): entries of a palette of 16, scaled by groups, reshaped and transposed */
} spelling;

typedef struct example {
    const char *cpu; /* NULL: this machine's */
    spelling how;
    int64_t k, n, group;
    bool epilogue;
} example;

/* Many rows convert weights of more than 65536 elements first. */
static const example examples[] = {
    {NULL, GROUPS, 64, 33, 32, false},
    {NULL, GROUPS, 96, 64, 32, true},
    {NULL, GROUPS, 128, 1, 128, false},
    {NULL, GROUPS, 512, 65, 256, false},
    {NULL, NIBBLES, 72, 40, 32, false},
    {NULL, NIBBLES, 61, 7, 32, true},
    {NULL, NIBBLES, 7, 130, 32, false},
    {NULL, NIBBLES, 264, 64, 64, false},
    {NULL, NIBBLES, 384, 70, 32, true},
    {NULL, NIBBLES, 190, 64, 32, false},
    {NULL, NIBBLES, 508, 33, 256, false},
    {NULL, NIBBLES, 144, 40, 72, false},
    {NULL, GROUPS, 80, 33, 40, false},
    {NULL, BYTES, 128, 64, 24, false},
    {NULL, CHANNELS, 100, 19, 0, false},
    {NULL, CHANNELS, 5, 64, 0, true},
    {NULL, CHANNELS, 3, 3, 0, false},
    {NULL, BYTES, 70, 48, 32, false},
    {NULL, BYTES, 64, 129, 16, true},
    {"x86-64-v4", NIBBLES, 61, 70, 32, true},
    {"x86-64-v3", GROUPS, 64, 33, 32, true},
    {"x86-64-v3", NIBBLES, 61, 40, 32, false},
    {"x86-64-v3", BYTES, 38, 37, 32, false},
    {"x86-64", NIBBLES, 45, 18, 32, true},
    {"x86-64-v2", NIBBLES, 45, 87, 16, true},
    {"x86-64", CHANNELS, 9, 17, 0, false},
    {"x86-64-v3", NIBBLES, 384, 40, 32, true},
    {"x86-64-v3", NIBBLES, 352, 9, 32, false},
    {NULL, ENTRIES, 61, 67, 0, false},
    {NULL, ENTRIES, 130, 33, 0, true},
    {NULL, NORMAL, 96, 65, 32, false},
    {NULL, NORMAL, 120, 7, 40, true},
    {NULL, ENTRIES, 3, 5, 0, false},
    {"x86-64-v3", NORMAL, 64, 33, 16, false},
    {"x86-64-v4", ENTRIES, 37, 65, 0, true},
    {"x86-64-v4", NORMAL, 72, 31, 24, true},
    {NULL, ENTRIES, 1030, 67, 0, true},
    {NULL, BYTES, 524, 130, 32, false},
    {NULL, NORMAL, 520, 131, 8, false},
    {"x86-64-v3", CHANNELS, 701, 97, 0, true},
    {"x86-64-v2", NIBBLES, 509, 131, 16, false},
    {"x86-64-v2", ENTRIES, 19, 9, 0, false},
    {"x86-64-v2", NORMAL, 72, 31, 24, true},
};

static const int64_t rows[] = {0, 1, 2, 3, 5, 7, 12, 13, 31, 49, 103};

#define NORMAL_PALETTE                                                                         \
    -1.0, -0.75, 0.5, -0.375, 0.25, 0.1875, 0.0625, 0.0, 0.03125, 1.5, 2.25, -3.5, 4.0, 0.875, \
        0.4375, 1.0
#define PALETTE \
    NORMAL_PALETTE, 7.0, -7.0, 5.0, -5.0, 0.3125, 9.0, -9.5, 2.0, -2.0, 1.25, -1.25, 0.625, -0.625
#define TEXT_OF(...) #__VA_ARGS__
#define AS_TEXT(...) TEXT_OF(__VA_ARGS__)
static const double palette[] = {PALETTE};
enum { OF_ENTRIES = 29, OF_NORMAL = 16 };

static bool takes(const example *e)
{
    return e->how == ENTRIES || e->how == NORMAL;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* --- the weights ------------------------------------------------------------------------------ */

typedef struct weights {
    unsigned char *q; /* int8, or nibbles in words or bytes */
    float *scale;     /* as in the file; half-precision values exactly */
    uint16_t *half;
    signed char *zero;
    int64_t n_q, n_scale;
} weights;

static weights make_weights(const example *e)
{
    weights w = {0};
    int64_t groups = e->group ? ceil_div(e->k, e->group) : 1;
    w.n_scale = e->how == CHANNELS ? e->n : groups * e->n;
    w.n_q = e->how == NIBBLES ? e->n * ceil_div(e->k, 8) * 4
            : e->how == BYTES ? ceil_div(e->k, 2) * e->n
                              : e->k * e->n;
    w.q = malloc((size_t)w.n_q);
    w.scale = malloc((size_t)w.n_scale * sizeof *w.scale);
    w.half = malloc((size_t)w.n_scale * sizeof *w.half);
    w.zero = malloc((size_t)w.n_scale);
    uint32_t seed = 7;
    for (int64_t i = 0; i < w.n_q; i++) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t byte = seed >> 24;
        w.q[i] =
            (unsigned char)(takes(e) ? byte % (e->how == NORMAL ? OF_NORMAL : OF_ENTRIES) : byte);
    }
    for (int64_t i = 0; i < w.n_scale; i++) {
        int64_t step = i * 7 % 13;
        w.scale[i] = (float)(16 + step) / 1024;
        w.half[i] = (uint16_t)(9 << 10 | step << 6); /* (1 + step / 16) / 64 */
        w.zero[i] = (signed char)(i * 5 % 11 + (e->how == BYTES ? 0 : -5));
    }
    return w;
}

static void drop_weights(weights *w)
{
    free(w->q);
    free(w->scale);
    free(w->half);
    free(w->zero);
}

/* Element [k][n] by the module's definition. */
static double weight_at(const example *e, const weights *w, int64_t k, int64_t n)
{
    int64_t groups = e->group ? ceil_div(e->k, e->group) : 1, at;
    switch (e->how) {
    case GROUPS:
        at = (n * e->k + k) / e->group;
        return ((double)(signed char)w->q[n * e->k + k] - w->zero[at]) * (double)w->scale[at];
    case NIBBLES: {
        int64_t byte = n * ceil_div(e->k, 8) * 4 + k / 2;
        at = n * groups + k / e->group;
        return ((double)(w->q[byte] >> 4 * (k % 2) & 15) - 7) * (double)w->scale[at];
    }
    case CHANNELS:
        return ((double)(signed char)w->q[k * e->n + n] - w->zero[n]) * (double)w->scale[n];
    case BYTES:
        at = k / e->group * e->n + n;
        return ((double)(w->q[k / 2 * e->n + n] >> 4 * (k % 2) & 15) - w->zero[at]) *
               (double)w->scale[at];
    case ENTRIES:
        return palette[w->q[k * e->n + n]];
    case NORMAL:
        at = (n * e->k + k) / e->group;
        return palette[w->q[n * e->k + k]] * (double)w->scale[at];
    }
    return 0;
}

/* --- the module ------------------------------------------------------------------------------- */

static const char groups_text[] =
    "            d = R.dequantize(w, s, z, out_dtype=\"float32\", axis=0)\n"
    "            r = R.reshape(d, R.shape([%lld, %lld]))\n"
    "            t = R.permute_dims(r, axes=None)\n";
static const char channels_text[] = "            f = R.astype(w, dtype=\"float32\")\n"
                                    "            zf = R.astype(z, dtype=\"float32\")\n"
                                    "            d = R.subtract(f, zf)\n"
                                    "            t = R.multiply(d, s)\n";
static const char entries_text[] = "            i = R.astype(w, dtype=\"int32\")\n"
                                   "            t = R.take(R.const([" AS_TEXT(PALETTE) "]), i)\n";
static const char normal_text[] =
    "            i = R.astype(w, dtype=\"int64\")\n"
    "            p = R.const([[" AS_TEXT(
        NORMAL_PALETTE) "]])\n"
                        "            f = R.take(p, i, axis=1)\n"
                        "            d = R.multiply(R.reshape(f, R.shape([%lld, %lld])), "
                        "R.expand_dims(s, axis=1))\n"
                        "            r = R.reshape(d, R.shape([%lld, %lld]))\n"
                        "            t = R.permute_dims(r, axes=None)\n";
static const char nibbles_text[] =
    "    @T.prim_func(private=True)\n"
    "    def decode(w: T.Buffer((T.int64(%lld), T.int64(%lld)), \"uint32\"), s: "
    "T.Buffer((T.int64(%lld), T.int64(%lld)), \"float32\"), out: T.Buffer((T.int64(%lld), "
    "T.int64(%lld)), \"float32\")):\n"
    "        T.func_attr({\"tir.noalias\": T.bool(True)})\n"
    "        for i0, i1 in T.grid(T.int64(%lld), T.int64(%lld)):\n"
    "            with T.block(\"decode\"):\n"
    "                n, k = T.axis.remap(\"SS\", [i0, i1])\n"
    "                out[n, k] = (T.Cast(\"float32\", T.bitwise_and(T.shift_right(w[n, k // "
    "T.int64(8)], T.Cast(\"uint32\", k %% T.int64(8) * T.int64(4))), T.uint32(15))) - "
    "T.float32(7)) * s[n, k // T.int64(%lld)]\n";
static const char bytes_text[] =
    "    @T.prim_func(private=True)\n"
    "    def decode(w: T.Buffer((T.int64(%lld), T.int64(%lld)), \"uint8\"), s: "
    "T.Buffer((T.int64(%lld), T.int64(%lld)), \"float16\"), z: T.Buffer((T.int64(%lld), "
    "T.int64(%lld)), \"int8\"), out: T.Buffer((T.int64(%lld), T.int64(%lld)), \"float32\")):\n"
    "        T.func_attr({\"tir.noalias\": T.bool(True)})\n"
    "        number = T.alloc_buffer((T.int64(%lld), T.int64(%lld)), \"uint8\")\n"
    "        for i0, i1 in T.grid(T.int64(%lld), T.int64(%lld)):\n"
    "            with T.block(\"unpack\"):\n"
    "                k, n = T.axis.remap(\"SS\", [i0, i1])\n"
    "                number[k, n] = T.bitwise_and(T.shift_right(w[k // T.int64(2), n], "
    "T.Cast(\"uint8\", k %% T.int64(2) * T.int64(4))), T.uint8(15))\n"
    "        for i0, i1 in T.grid(T.int64(%lld), T.int64(%lld)):\n"
    "            with T.block(\"decode\"):\n"
    "                k, n = T.axis.remap(\"SS\", [i0, i1])\n"
    "                out[k, n] = T.Cast(\"float32\", T.Cast(\"int32\", number[k, n]) - "
    "T.Cast(\"int32\", z[k // T.int64(%lld), n])) * T.Cast(\"float32\", s[k // T.int64(%lld), "
    "n])\n";

/* Dimensions of w and s (and of z, where it has the same layout). */
static void shapes_of(const example *e, long long w[2], long long s[2])
{
    int64_t groups = e->group ? ceil_div(e->k, e->group) : 1;
    const bool in_groups = e->how == GROUPS || e->how == NORMAL;
    w[0] = in_groups ? e->n * groups : e->how == NIBBLES ? e->n : e->k;
    w[1] = in_groups ? e->group : e->how == NIBBLES ? ceil_div(e->k, 8) : e->n;
    w[0] = e->how == BYTES ? ceil_div(e->k, 2) : w[0];
    s[0] = e->how == NIBBLES ? e->n : e->how == BYTES ? groups : in_groups ? w[0] : e->n;
    s[1] = e->how == NIBBLES ? groups : e->how == BYTES ? e->n : 0;
}

static const char *types_of(const example *e, unsigned which)
{
    static const char *const types[6][3] = {
        {"int8", "float32", "int8"},  {"uint32", "float32", "int8"}, {"int8", "float32", "int8"},
        {"uint8", "float16", "int8"}, {"uint8", "float32", "int8"},  {"uint8", "float32", "int8"}};
    return types[e->how][which];
}

static void write_text(const example *e, char *out)
{
    char *end = out + TEXT;
    long long k = e->k, n = e->n, g = e->group, w[2], s[2];
    shapes_of(e, w, s);
#define PRINT(...) out += snprintf(out, (size_t)(end - out), __VA_ARGS__)
    PRINT("@I.ir_module\nclass Module:\n");
    if (e->how == NIBBLES)
        PRINT(nibbles_text, w[0], w[1], s[0], s[1], n, k, n, k, g);
    if (e->how == BYTES)
        PRINT(bytes_text, w[0], w[1], s[0], s[1], s[0], s[1], k, n, k, n, k, n, k, n, g, g);
    PRINT("    @R.function\n    def main(x: R.Tensor((\"m\", %lld), \"float32\"), "
          "w: R.Tensor((%lld, %lld), \"%s\")",
          k, w[0], w[1], types_of(e, 0));
    for (unsigned i = 1; i < 3; i++) {
        PRINT(", %c: R.Tensor((%lld,", i == 1 ? 's' : 'z', s[0]);
        if (s[1])
            PRINT(" %lld", s[1]);
        PRINT("), \"%s\")", types_of(e, i));
    }
    PRINT("):\n        cls = Module\n        with R.dataflow():\n");
    if (e->how == GROUPS)
        PRINT(groups_text, n, k);
    if (e->how == CHANNELS)
        PRINT(channels_text);
    if (e->how == ENTRIES)
        PRINT(entries_text);
    if (e->how == NORMAL)
        PRINT(normal_text, w[0], w[1], n, k);
    if (e->how == NIBBLES)
        PRINT("            d = R.call_tir(cls.decode, (w, s), out_sinfo=R.Tensor((%lld, %lld), "
              "\"float32\"))\n            t = R.permute_dims(d, axes=None)\n",
              n, k);
    if (e->how == BYTES)
        PRINT("            t = R.call_tir(cls.decode, (w, s, z), out_sinfo=R.Tensor((%lld, "
              "%lld), \"float32\"))\n",
              k, n);
    PRINT("            y = R.matmul(x, t)\n");
    if (e->epilogue)
        PRINT("            b = R.add(y, R.const(0.25, \"float32\"))\n"
              "            r2 = R.nn.relu(b)\n");
    PRINT("            o = R.%s(%s)\n            R.output(o)\n        return o\n",
          e->epilogue ? "negative" : "abs", e->epilogue ? "r2" : "y");
#undef PRINT
}

/* Writes the weights as a safetensors file in memory. */
static unsigned char *write_weights(const example *e, const weights *w, size_t *out_size)
{
    char header[1024];
    long long dims[2], s[2];
    shapes_of(e, dims, s);
    size_t n_q = (size_t)w->n_q, item = e->how == BYTES ? 2 : 4;
    size_t n_s = (size_t)w->n_scale * item, n_z = (size_t)w->n_scale;
    char second[32] = "";
    if (s[1])
        snprintf(second, sizeof second, ",%lld", s[1]);
    /* tensors with stricter alignment first */
    snprintf(header, sizeof header,
             "{\"w\":{\"dtype\":\"%s\",\"shape\":[%lld,%lld],\"data_offsets\":[%zu,%zu]},"
             "\"s\":{\"dtype\":\"%s\",\"shape\":[%lld%s],\"data_offsets\":[0,%zu]},"
             "\"z\":{\"dtype\":\"I8\",\"shape\":[%lld%s],\"data_offsets\":[%zu,%zu]}}",
             e->how == NIBBLES             ? "U32"
             : e->how == BYTES || takes(e) ? "U8"
                                           : "I8",
             dims[0], dims[1], n_s, n_s + n_q, e->how == BYTES ? "F16" : "F32", s[0], second, n_s,
             s[0], second, n_s + n_q, n_s + n_q + n_z);
    unsigned char *data = malloc(n_q + n_s + n_z);
    memcpy(data, e->how == BYTES ? (const void *)w->half : (const void *)w->scale, n_s);
    memcpy(data + n_s, w->q, n_q);
    memcpy(data + n_s + n_q, w->zero, n_z);
    unsigned char *file = bound_file(header, data, n_s + n_q + n_z, out_size);
    free(data);
    return file;
}

static bool sums_pairs(const rlxc_target *target)
{
    return target->vector_bytes > 16 && rlxc_target_dots(target) == RLXC_DOTS_PAIRS;
}

static rlx_executable *compile(rlx_test *t, const example *e, const weights *w, uint8_t row_bits,
                               uint8_t rounded_rows)
{
    static char text[TEXT];
    const bool nibbles = e->how == NIBBLES || e->how == BYTES; /* whole-word groups */
    bound_program p = {.text = text,
                       .cpu = e->cpu,
                       .row_bits = row_bits,
                       .rounded_rows = rounded_rows,
                       .expect = "fused_quantized_matmul",
                       .emits = row_bits == 32 || takes(e) ? NULL
                                : nibbles                  ? "dot_u8s8_s16"
                                                           : "dot_s16",
                       .where = takes(e) ? target_permutes_palettes : sums_pairs};
    unsigned char *file = write_weights(e, w, &p.size);
    p.weights = file;
    write_text(e, text);
    rlx_executable *exe = bound_compile(t, &p);
    free(file);
    return exe;
}

/* --- results ---------------------------------------------------------------------------------- */

/* Bound on the error that rounding the row to |bits| adds to column |j|: half a step per element.
 */
static double rounding(const example *e, const weights *w, const float *x, int64_t j, uint8_t bits)
{
    double sum = 0, half = 0.5 / (127 * ldexp(1, bits - 8));
    if (bits == 12 && (e->how == NIBBLES || e->how == BYTES)) /* to 1/16, then to 1 */
        half = (0.5 / 16 + 0.5) / 1904;
    else if (bits == 12)
        half = 0.5 / (127 * 256.0);
    for (int64_t first = 0; first < e->k && bits < 32; first += PEAK_BLOCK) {
        double peak = 0, heaps = 0;
        for (int64_t k = first; k < e->k && k < first + PEAK_BLOCK; k++) {
            peak = fmax(peak, fabs((double)x[k]));
            heaps += fabs(weight_at(e, w, k, j));
        }
        sum += peak * half * heaps;
    }
    return sum;
}

static bool is_product(const example *e, const weights *w, int64_t m, const float *x,
                       const float *y, uint8_t bits, int64_t rounded)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < e->n; j++) {
            double sum = 0, size = e->epilogue ? 1 : 1e-37, got = (double)y[i * e->n + j];
            for (int64_t k = 0; k < e->k; k++) {
                double v = (double)x[i * e->k + k], weight = weight_at(e, w, k, j);
                sum += v * weight;
                size += fabs(v * weight);
            }
            double limit = 4e-7 * size;
            if (m <= rounded)
                limit += 1.001 * rounding(e, w, x + i * e->k, j, bits);
            if (e->epilogue)
                sum = sum + 0.25 > 0 ? -(sum + 0.25) : isnan(sum) ? sum : 0;
            else
                sum = fabs(sum);
            bool same =
                isfinite(sum) ? fabs(sum - got) <= limit : (isnan(sum) ? isnan(got) : got == sum);
            if (!same)
                return false;
        }
    }
    return true;
}

typedef struct program {
    const example *e;
    const weights *w;
    rlx_vm *vm;
    uint8_t row_bits, rounded_rows;
} program;

/* |special|: written to the middle of the first row. */
static void check(rlx_test *t, const program *p, int64_t m, float factor, const float *special)
{
    const example *e = p->e;
    const int64_t dims[2] = {m, e->k};
    rlx_tensor *x = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 2, dims, &x, &t->error));
    float *data = rlx_tensor_mutable_data(x);
    for (int64_t i = 0; i < m * e->k; i++)
        data[i] = (float)((i * 37 + 11) % 29 - 14) / 13 * factor * (float)(1 + i / 16 % 5 * 3);
    if (special && m * e->k > 0)
        data[e->k / 2] = *special;
    rlx_value arg = rlx_of_tensor(x), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(p->vm, RLX_STR("main"), &arg, 1, &out, &t->error));
    const rlx_tensor *y = out.as.tensor;
    cr_expect(rlx_tensor_numel(y) == m * e->n &&
                  is_product(e, p->w, m, data, rlx_tensor_data(y), p->row_bits, p->rounded_rows),
              "cpu %s spelling %d: (%lld, %lld, %lld) group %lld, factor %g, special %g, %d bits",
              e->cpu ? e->cpu : "native", (int)e->how, (long long)m, (long long)e->n,
              (long long)e->k, (long long)e->group, (double)factor,
              special ? (double)*special : 0.0, (int)p->row_bits);
    rlx_value_release(out);
    rlx_value_release(arg);
}

static void check_all(rlx_test *t, const example *e, const weights *w, uint8_t row_bits,
                      uint8_t rounded_rows)
{
    static const float specials[] = {INFINITY, -INFINITY, NAN, 1e37f, -0.0f};
    rlx_executable *exe = compile(t, e, w, row_bits, rounded_rows);
    cr_assert(exe);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        const rlx_vm_options options = {
            .allocator = &t->allocator, .debug_poison = true, .threads = threads};
        program p = {e, w, NULL, row_bits ? row_bits : RLXC_ROW_BITS, rounded_rows};
        RLX_OKAY(rlx_vm_create(exe, &options, &p.vm, &t->error));
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            check(t, &p, rows[r], 1, NULL);
        check(t, &p, 1, 0, NULL);
        check(t, &p, 1, 1e-35f, NULL);
        check(t, &p, 1, 1e-25f, NULL);
        check(t, &p, 1, 1e30f, NULL);
        for (size_t s = 0; s < sizeof specials / sizeof *specials && !e->epilogue; s++)
            check(t, &p, s % 2 ? rounded_rows : 1, 1, &specials[s]); /* in the first row */
        rlx_vm_destroy(p.vm);
    }
    rlx_executable_release(exe);
}

RLX_TEST(quantized, products_read_the_integers)
{
    static const uint8_t others[] = {8, 24, 12, 32}, rounded[] = {1, 13, RLXC_ALL_ROWS};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        if (!cpu_runs(e->cpu) || (e->cpu && !rlx_test_takes(i / 2, 4)))
            continue;
        if (takes(e)) { /* rows stay in floats */
            weights w = make_weights(e);
            check_all(t, e, &w, 32, 1);
            drop_weights(&w);
            continue;
        }
        weights w = make_weights(e);
        if (e->cpu || rlx_test_takes(i, 2))
            check_all(t, e, &w, 0, rounded[i % 3]);
        if (e->cpu ? i % 2 == 0 : rlx_test_takes(i + 1, 4)) /* specials rotate over the spellings */
            check_all(t, e, &w, others[i % 4], rounded[(i + 1) % 3]);
        if (!e->cpu && (e->how == NIBBLES || e->how == BYTES) && rlx_test_takes(i + 1, 4))
            check_all(t, e, &w, 12, i % 2 ? 1 : RLXC_ALL_ROWS);
        drop_weights(&w);
    }
}

/* --- words and scales that a module spells itself ----------------------------------------------
 */

static const char spelled[] =
    "@T.prim_func\n"
    "def k(x: T.handle, w: T.handle, s: T.handle, y: T.handle):\n"
    "    T.func_attr({\"tir.noalias\": T.bool(True)})\n"
    "    m = T.int64()\n"
    "    X = T.match_buffer(x, (m, T.int64(144)), \"float32\")\n"
    "    W = T.match_buffer(w, (T.int64(%d), T.int64(18), T.int64(%d)), \"uint32\")\n"
    "    S = T.match_buffer(s, (T.int64(%d), T.int64(144), T.int64(%d)), \"float32\")\n"
    "    Y = T.match_buffer(y, (m, T.int64(64)), \"float32\")\n"
    "    for i, j, k in T.grid(m, T.int64(64), T.int64(144)):\n"
    "        with T.block(\"p\"):\n"
    "            I, J, K = T.axis.remap(\"SSR\", [i, j, k])\n"
    "            with T.init():\n"
    "                Y[I, J] = T.float32(0)\n"
    "            Y[I, J] = Y[I, J] + X[I, K] * ((T.Cast(\"float32\", T.bitwise_and(T.shift_right("
    "W[J // T.int64(%d), K // T.int64(8), J %% T.int64(%d)], T.Cast(\"uint32\", K %% T.int64(4) * "
    "T.int64(8) + K %% T.int64(8) // T.int64(4) * T.int64(4))), T.uint32(15))) - T.float32(8)) * "
    "S[J // T.int64(%d), K // T.int64(%d), J %% T.int64(%d)])\n";

/* Scales for only three columns, although words fill a panel: nothing is read past them. */
RLX_TEST(quantized, scales_of_no_whole_panel)
{
    enum { K = 64, N = 3, LAST = 2 * N }; /* two groups of scales */
    static const char text[] =
        "@T.prim_func\n"
        "def k(x: T.handle, W: T.Buffer((1, 8, %d), \"uint32\"), S: T.Buffer((1, 2, 3), "
        "\"float32\"), y: T.handle):\n"
        "    m = T.int64()\n"
        "    X = T.match_buffer(x, (m, 64), \"float32\")\n"
        "    Y = T.match_buffer(y, (m, 3), \"float32\")\n"
        "    for i, j, k in T.grid(m, T.int64(3), T.int64(64)):\n"
        "        with T.block(\"p\"):\n"
        "            I, J, K = T.axis.remap(\"SSR\", [i, j, k])\n"
        "            with T.init():\n"
        "                Y[I, J] = T.float32(0)\n"
        "            Y[I, J] = Y[I, J] + X[I, K] * ((T.Cast(\"float32\", T.bitwise_and("
        "T.shift_right(W[J // T.int64(%d), K // T.int64(8), J %% T.int64(%d)], T.Cast(\"uint32\", "
        "K %% T.int64(4) * T.int64(8) + K %% T.int64(8) // T.int64(4) * T.int64(4))), "
        "T.uint32(15))) - T.float32(8)) * S[J // T.int64(%d), K // T.int64(32), J %% "
        "T.int64(%d)])\n";
    char spelled_out[2048];
    kernel_fixture f;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    float *scales = (float *)(void *)(pages + page) - LAST;
    for (int i = 0; i < LAST; i++)
        scales[i] = (float)(i + 1);
    cr_assert(kernel_fixture_init(&f, &t->allocator, 2, NULL));
    const int width = (int)rlxc_quant_width(f.options.target);
    kernel_fixture_deinit(&f);
    snprintf(spelled_out, sizeof spelled_out, text, width, width, width, width, width);
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, spelled_out));
    cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
    uint32_t *words = malloc((size_t)width * 8 * sizeof *words);
    for (int i = 0; i < 8 * width; i++)
        words[i] = 0x99999999; /* all weights are 1 */
    for (int64_t m = 1; m <= 2; m++) {
        float x[2 * K], y[2 * N];
        for (int i = 0; i < 2 * K; i++)
            x[i] = 1;
        cr_assert_eq(kernel_fixture_call(&f, "k", (void *[]){x, words, scales, y}, &m), 0);
        for (int i = 0; i < m * N; i++)
            cr_expect(fabs((double)y[i] - 32 * (double)(scales[i % N] + scales[N + i % N])) < 0.1);
    }
    free(words);
    munmap(pages, 2 * page);
    kernel_fixture_deinit(&f);
}

/* Groups of partial words, and words that end before their block: the expression matches, but the
 * fast form cannot read this layout. Also any number of groups of whole words. */
enum { OF_GROUPS = 144, TO_GROUPS = 64, ROWS_OF_GROUPS = 5 };

typedef struct grouped {
    int width; /* width of the target's panels */
    uint32_t words[OF_GROUPS / 8 * TO_GROUPS];
    float scales[OF_GROUPS * TO_GROUPS], x[ROWS_OF_GROUPS][OF_GROUPS], y[ROWS_OF_GROUPS][TO_GROUPS];
} grouped;

/* Index of (|row|, |column|) in panels of |height| rows. */
static int in_panel(const grouped *v, int height, int row, int column)
{
    return (column / v->width * height + row) * v->width + column % v->width;
}

/* Scales are larger by 2^|up|, elements of x smaller by 2^|down|. */
static void fill_grouped(grouped *v, int up, int down)
{
    uint32_t state = 1;
    for (int i = 0; i < OF_GROUPS * TO_GROUPS; i++) {
        state = state * 1664525u + 1013904223u;
        v->words[i / 8] = state;
        v->scales[i] = ldexpf((float)(state >> 24) / 256 + 0.5f, up);
        v->x[i % ROWS_OF_GROUPS][i / ROWS_OF_GROUPS % OF_GROUPS] =
            ldexpf((float)((int)(state >> 16 & 255) - 128) / 64, -down);
    }
}

static void check_grouped(kernel_fixture *f, grouped *v, int group, int row_bits, int down)
{
    double half = row_bits == 12 ? (0.5 / 16 + 0.5) / 1904 : 0.5 / ldexp(127, row_bits - 8);
    for (int64_t m = 1; m <= ROWS_OF_GROUPS; m += ROWS_OF_GROUPS - 1) {
        void *buffers[4] = {v->x, v->words, v->scales, v->y};
        cr_assert_eq(kernel_fixture_call(f, "k", buffers, &m), 0, "%s", f->failure);
        for (int64_t j = 0; j < m * TO_GROUPS; j++) {
            const int row = (int)j / TO_GROUPS, column = (int)j % TO_GROUPS;
            double sum = 0, heaps = 0;
            for (int k = 0; k < OF_GROUPS; k++) {
                uint32_t q = v->words[in_panel(v, OF_GROUPS / 8, k / 8, column)] >>
                                 (k % 4 * 8 + k % 8 / 4 * 4) &
                             15;
                double weight =
                    ((double)q - 8) * (double)v->scales[in_panel(v, OF_GROUPS, k / group, column)];
                sum += (double)v->x[row][k] * weight;
                heaps += fabs(weight) * ldexp(1, -down);
            }
            cr_assert(fabs((double)v->y[row][column] - sum) <=
                          2e-5 * heaps / (double)OF_GROUPS + 2 * half * heaps,
                      "groups of %d, %d bits: %g, not %g", group, row_bits,
                      (double)v->y[row][column], sum);
        }
    }
}

/* All-zero weights give 0, also where number * scale * peak overflows. */
static void check_nothing(kernel_fixture *f, grouped *v, int row_bits)
{
    int64_t m = 1;
    void *buffers[4] = {v->x, v->words, v->scales, v->y};
    fill_grouped(v, 110, -40);
    for (int i = 0; i < OF_GROUPS / 8; i++)
        v->words[in_panel(v, OF_GROUPS / 8, i, 1)] = 0x88888888;
    cr_assert_eq(kernel_fixture_call(f, "k", buffers, &m), 0, "%s", f->failure);
    cr_expect((double)v->y[0][1] == 0, "%d bits: %g", row_bits, (double)v->y[0][1]);
    cr_expect(!isfinite(v->y[0][0]), "%d bits: %g", row_bits, (double)v->y[0][0]);
}

RLX_TEST(quantized, groups_of_any_size_are_right)
{
    static const int groups[] = {3, 4, 8, 12, 16, 20, 24, 40, 72, 144};
    static const uint8_t bits[] = {16, 12, 8, 24};
    static grouped v;
    for (size_t i = 0; i < 2 * sizeof groups / sizeof *groups; i++) {
        char text[2048];
        kernel_fixture f;
        size_t g = i / 2;
        if (!rlx_test_takes(g + i, 2))
            continue;
        uint8_t row_bits = bits[(g % 2 * 2 + i) % 4];
        cr_assert(kernel_fixture_init(&f, &t->allocator, 2, NULL));
        const int width = v.width = (int)rlxc_quant_width(f.options.target),
                  panels = TO_GROUPS / width;
        kernel_fixture_deinit(&f);
        snprintf(text, sizeof text, spelled, panels, width, panels, width, width, width, width,
                 groups[g], width);
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, text), "%s",
                  rlxc_render_diagnostics(f.ctx));
        f.options.row_bits = row_bits;
        cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
        fill_grouped(&v, 0, 0);
        check_grouped(&f, &v, groups[g], row_bits, 0);
        fill_grouped(&v, 110, 60); /* integer sums times such scales overflow float */
        check_grouped(&f, &v, groups[g], row_bits, 60);
        check_nothing(&f, &v, row_bits);
        kernel_fixture_deinit(&f);
    }
}

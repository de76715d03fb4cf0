/* Convolutions of 8-bit integers with constant weights against exact integer sums: both
 * signednesses, channel and output counts that do not fill a word or vector, strides, padding
 * (which counts as 0 whatever the zero point), dilation, static and symbolic sizes, partial tiles,
 * run-time zero points; raw sums, their dequantization, and requantized results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/kernels/quantized/quant.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"

typedef enum form { SUMS, RUN_TIME, DEQUANTIZED, REQUANTIZED, DIVIDED } form;

/* How the operands are written; DEPTHWISE: each output reads one channel. */
typedef enum kind { INTEGERS, FLOATS, DEPTHWISE } kind;

typedef struct conv {
    form form;
    const char *cpu; /* NULL: this machine's */
    bool x_signed, w_signed;
    int x_zero, w_zero;
    int64_t in, out, height, width; /* filter sizes */
    int64_t stride, dilation, top, left, bottom, right;
    int64_t known; /* height and width of x; 0: symbolic */
    kind kind;
    int64_t groups; /* 0: one group */
} conv;

static const conv convs[] = {
    {SUMS, NULL, false, true, 121, 0, 8, 16, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 0},
    {SUMS, NULL, true, true, -7, 0, 5, 33, 3, 2, 2, 1, 0, 1, 1, 0, 9, INTEGERS, 0},
    {SUMS, NULL, false, false, 0, 128, 16, 70, 1, 1, 1, 1, 0, 0, 0, 0, 0, INTEGERS, 0},
    {SUMS, NULL, true, false, -128, 128, 4, 130, 1, 1, 2, 1, 0, 0, 0, 0, 13, INTEGERS, 0},
    {SUMS, NULL, false, true, 255, 0, 1, 3, 5, 5, 3, 2, 4, 3, 2, 5, 0, INTEGERS, 0},
    {SUMS, "x86-64-v3", false, true, 121, 0, 3, 18, 3, 3, 2, 1, 1, 1, 0, 0, 0, INTEGERS, 0},
    {SUMS, "x86-64", true, true, 5, 0, 3, 18, 2, 2, 1, 1, 1, 1, 0, 0, 0, INTEGERS, 0},
    {SUMS, NULL, false, false, 3, 100, 4, 17, 3, 3, 1, 1, 1, 1, 1, 1, 0, FLOATS, 0},
    {RUN_TIME, NULL, false, true, 77, 0, 6, 48, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 0},
    {RUN_TIME, NULL, true, true, -77, 0, 12, 49, 1, 3, 2, 1, 0, 2, 0, 2, 0, INTEGERS, 0},
    {DEQUANTIZED, NULL, false, true, 121, 0, 64, 64, 3, 3, 1, 1, 1, 1, 1, 1, 7, INTEGERS, 0},
    {DEQUANTIZED, NULL, true, true, 0, 0, 3, 24, 7, 7, 2, 1, 3, 3, 3, 3, 0, INTEGERS, 0},
    {DEQUANTIZED, NULL, false, false, 128, 128, 20, 96, 3, 3, 1, 3, 3, 3, 3, 3, 0, INTEGERS, 0},
    {DEQUANTIZED, NULL, false, true, 10, 0, 8, 5, 3, 3, 1, 1, 1, 1, 1, 1, 0, FLOATS, 0},
    {DEQUANTIZED, NULL, false, false, 10, 100, 8, 16, 3, 3, 1, 1, 1, 1, 1, 1, 0, FLOATS, 0},
    {DEQUANTIZED, "x86-64-v3", false, true, 128, 0, 4, 20, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 0},
    {REQUANTIZED, NULL, false, true, 0, 0, 32, 160, 1, 1, 1, 1, 0, 0, 0, 0, 14, INTEGERS, 0},
    {REQUANTIZED, NULL, false, true, 128, 0, 7, 40, 3, 3, 2, 1, 1, 1, 1, 1, 0, INTEGERS, 0},
    {REQUANTIZED, NULL, true, true, 3, 0, 36, 19, 1, 4, 1, 2, 0, 2, 0, 3, 0, INTEGERS, 0},
    {SUMS, NULL, false, true, 121, 0, 24, 24, 3, 3, 1, 1, 1, 1, 1, 1, 0, DEPTHWISE, 0},
    {RUN_TIME, NULL, true, true, 9, 0, 70, 70, 5, 3, 2, 1, 2, 1, 2, 1, 0, DEPTHWISE, 0},
    {DEQUANTIZED, NULL, false, false, 3, 128, 33, 33, 3, 3, 1, 2, 2, 2, 2, 2, 9, DEPTHWISE, 0},
    {DIVIDED, NULL, false, true, 0, 0, 96, 96, 3, 3, 2, 1, 1, 1, 1, 1, 14, DEPTHWISE, 0},
    {DIVIDED, NULL, true, true, -5, 0, 9, 72, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 0},
    {DIVIDED, NULL, false, true, 200, 0, 4, 16, 1, 1, 1, 1, 2, 0, 1, 3, 0, INTEGERS, 0},
    {DIVIDED, "x86-64-v3", false, true, 200, 0, 4, 12, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 0},
    /* grouped: whole vectors, merged groups, too many to merge */
    {SUMS, NULL, false, true, 121, 0, 24, 64, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 2},
    {SUMS, NULL, true, true, -7, 0, 32, 32, 3, 2, 2, 1, 0, 1, 1, 0, 9, INTEGERS, 8},
    {RUN_TIME, NULL, false, false, 9, 128, 12, 144, 1, 1, 1, 1, 0, 0, 0, 0, 0, INTEGERS, 3},
    {DEQUANTIZED, NULL, false, true, 3, 0, 128, 128, 3, 3, 1, 2, 2, 2, 2, 2, 9, INTEGERS, 32},
    {DEQUANTIZED, NULL, false, true, 3, 0, 32, 32, 3, 3, 1, 1, 1, 1, 1, 1, 9, FLOATS, 16},
    {REQUANTIZED, "x86-64-v3", false, true, 3, 0, 48, 48, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 6},
    {DIVIDED, "x86-64-v3", true, true, 3, 0, 16, 16, 5, 1, 2, 1, 2, 0, 2, 0, 0, INTEGERS, 4},
    /* pairs of 16 bits */
    {SUMS, "x86-64-v4", false, true, 255, 0, 9, 70, 3, 3, 1, 2, 1, 2, 1, 0, 0, INTEGERS, 0},
    {SUMS, "x86-64-v3", true, false, -128, 128, 16, 70, 1, 1, 2, 1, 1, 0, 0, 1, 13, INTEGERS, 0},
    {RUN_TIME, "x86-64-v3", true, true, -77, 0, 12, 49, 1, 3, 2, 1, 0, 2, 0, 2, 0, INTEGERS, 0},
    {RUN_TIME, "x86-64-v2", false, true, 128, 0, 1, 3, 5, 5, 3, 2, 4, 3, 2, 5, 0, INTEGERS, 0},
    {DEQUANTIZED, "x86-64-v3", true, true, 3, 0, 64, 24, 3, 3, 2, 1, 1, 1, 1, 1, 7, INTEGERS, 0},
    {DEQUANTIZED, "x86-64-v3", true, true, 3, 0, 64, 24, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 0},
    {DEQUANTIZED, "x86-64-v3", true, true, 3, 0, 24, 24, 3, 3, 1, 1, 1, 1, 1, 1, 0, DEPTHWISE, 0},
    {SUMS, "x86-64-v3", false, true, 121, 0, 17, 17, 3, 2, 1, 1, 1, 0, 1, 1, 0, DEPTHWISE, 0},
    {RUN_TIME, "x86-64-v3", true, true, 9, 0, 70, 70, 5, 3, 2, 1, 2, 1, 2, 1, 0, DEPTHWISE, 0},
    {SUMS, "x86-64-v3", true, false, -128, 128, 40, 40, 3, 3, 2, 2, 2, 2, 2, 2, 9, DEPTHWISE, 0},
    {SUMS, "x86-64-v2", false, true, 255, 0, 8, 8, 3, 1, 1, 1, 1, 0, 1, 0, 0, DEPTHWISE, 0},
    {DIVIDED, "x86-64-v3", false, true, 0, 0, 96, 96, 5, 5, 2, 1, 2, 2, 2, 2, 14, DEPTHWISE, 0},
    /* lines of three taps: two pixels share their products */
    {SUMS, "x86-64-v3", false, true, 255, 0, 18, 33, 3, 3, 1, 1, 0, 2, 1, 1, 0, INTEGERS, 0},
    {SUMS, "x86-64-v2", true, false, -128, 128, 16, 12, 1, 3, 1, 1, 0, 1, 0, 1, 9, INTEGERS, 0},
    {RUN_TIME, "x86-64-v3", true, true, 127, 0, 40, 16, 2, 3, 1, 1, 1, 0, 1, 2, 0, INTEGERS, 0},
    {REQUANTIZED, "x86-64-v3", false, true, 7, 0, 32, 20, 5, 3, 1, 1, 2, 3, 2, 3, 0, INTEGERS, 0},
    {DIVIDED, "x86-64-v3", false, true, 0, 0, 16, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, INTEGERS, 0},
    {REQUANTIZED, "x86-64-v4", true, true, 3, 0, 36, 19, 1, 4, 1, 2, 0, 2, 0, 3, 0, INTEGERS, 0},
    {DIVIDED, "x86-64", true, true, -5, 0, 9, 72, 3, 3, 1, 1, 1, 1, 1, 1, 0, INTEGERS, 0},
};

static bool as_floats(const conv *c)
{
    return c->kind == FLOATS;
}

static bool is_depthwise(const conv *c)
{
    return c->kind == DEPTHWISE;
}

/* Batch, height and width: n of 0, fewer pixels than a tile, one more than a block. */
static const int64_t shapes[][3] = {{0, 9, 9},   {1, 9, 9},   {2, 13, 13}, {1, 7, 7},
                                    {3, 14, 14}, {1, 8, 11},  {1, 7, 49},  {2, 11, 5},
                                    {5, 10, 10}, {1, 20, 16}, {7, 4, 2},   {9, 3, 3}};

static const char *type_of(bool is_signed)
{
    return is_signed ? "int8" : "uint8";
}

/* The consumers of the convolution. */
static const char *const endings[] = {
    [SUMS] = "            r = R.add(y, R.const(3, \"int32\"))\n",
    [RUN_TIME] = "            r = R.add(y, R.const(3, \"int32\"))\n",
    [DEQUANTIZED] = "            r = R.add(y, R.const(0.25, \"float32\"))\n",
    [REQUANTIZED] =
        "            b = R.add(y, R.const(3.0, \"float32\"))\n"
        "            a = R.nn.relu(b)\n"
        "            r = R.quantize(a, R.const(16.0, \"float32\"), R.const(5, \"uint8\"), "
        "out_dtype=\"uint8\", axis=-1)\n",
    [DIVIDED] = "            zi = R.astype(z, dtype=\"int32\")\n"
                "            zf = R.astype(zi, dtype=\"float32\")\n"
                "            zd = R.multiply(zf, R.const(0.25, \"float32\"))\n"
                "            c = R.add(y, zd)\n"
                "            b = R.add(c, R.const(3.0, \"float32\"))\n"
                "            a = R.maximum(b, R.const(-16.0, \"float32\"))\n"
                "            m = R.minimum(a, R.const(2048.0, \"float32\"))\n"
                "            d = R.divide(m, R.const(16.0, \"float32\"))\n"
                "            e = R.round(d)\n"
                "            f = R.add(e, R.const(5.0, \"float32\"))\n"
                "            r = R.astype(f, dtype=\"uint8\")\n",
};

/* Number of channels summed for one output. */
static int64_t depth(const conv *c)
{
    return is_depthwise(c) ? 1 : c->in / (c->groups ? c->groups : 1);
}

static void write_text(const conv *c, char *out, size_t size)
{
    char side[2][24];
    const char *x = type_of(c->x_signed), *w = type_of(c->w_signed);
    snprintf(side[0], sizeof side[0], c->known ? "%lld" : "\"h\"", (long long)c->known);
    snprintf(side[1], sizeof side[1], c->known ? "%lld" : "\"w\"", (long long)c->known);
    int used = snprintf(
        out, size,
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((\"n\", %lld, %s, %s), \"%s\"), z: R.Tensor((), \"%s\"),\n"
        "             w: R.Tensor((%lld, %lld, %lld, %lld), \"%s\"), s: R.Tensor((%lld,), "
        "\"float32\")):\n"
        "        with R.dataflow():\n",
        (long long)c->in, side[0], side[1], x, x, (long long)c->out, (long long)depth(c),
        (long long)c->height, (long long)c->width, w, (long long)c->out);
    out += used;
    size -= (size_t)used;
    if (c->form == SUMS || c->form == RUN_TIME) {
        char zero[64];
        snprintf(zero, sizeof zero, "R.const(%d, \"int32\")", c->x_zero);
        used = snprintf(out, size,
                        "            xi = R.astype(x, dtype=\"int32\")\n"
                        "            zi = R.astype(z, dtype=\"int32\")\n"
                        "            xd = R.subtract(xi, %s)\n"
                        "            wi = R.astype(w, dtype=\"int32\")\n"
                        "            wd = R.subtract(wi, R.const(%d, \"int32\"))\n",
                        c->form == SUMS ? zero : "zi", c->w_zero);
    } else {
        used = snprintf(out, size,
                        "            xd = R.dequantize(x, R.const(0.5, \"float32\"), "
                        "R.const(%d, \"%s\"), out_dtype=\"float32\", axis=-1)\n"
                        "            wd = R.dequantize(w, s, R.const(%d, \"%s\"), "
                        "out_dtype=\"float32\", axis=0)\n",
                        c->x_zero, x, c->w_zero, w);
    }
    out += used;
    size -= (size_t)used;
    used =
        snprintf(out, size,
                 "            y = R.nn.conv2d(xd, wd, strides=%lld, dilation=%lld, "
                 "groups=%lld, padding=[%lld, %lld, %lld, %lld])\n",
                 (long long)c->stride, (long long)c->dilation,
                 (long long)(is_depthwise(c) ? c->in
                             : c->groups     ? c->groups
                                             : 1),
                 (long long)c->top, (long long)c->left, (long long)c->bottom, (long long)c->right);
    out += used;
    size -= (size_t)used;
    snprintf(out, size, "%s            R.output(r)\n        return r\n", endings[c->form]);
}

/* Powers of two: products with sums below 2^24 are exact. */
static float scale_of(int64_t o)
{
    return o % 3 == 0 ? 0.25f : o % 3 == 1 ? 0.5f : 0.0625f;
}

static int64_t weights_of(const conv *c)
{
    return c->out * depth(c) * c->height * c->width;
}

static bool has_bytes(const rlxc_target *target)
{
    return rlxc_target_dots(target) == RLXC_DOTS_BYTES;
}

static rlx_executable *compile(rlx_test *t, const conv *c, const unsigned char *w)
{
    char text[2560], header[384];
    const int64_t n = weights_of(c), scales = (n + 3) / 4 * 4, bytes = scales + 4 * c->out;
    write_text(c, text, sizeof text);
    snprintf(header, sizeof header,
             "{\"w\":{\"dtype\":\"%s\",\"shape\":[%lld,%lld,%lld,%lld],\"data_offsets\":[0,%lld]},"
             "\"p\":{\"dtype\":\"U8\",\"shape\":[%lld],\"data_offsets\":[%lld,%lld]},"
             "\"s\":{\"dtype\":\"F32\",\"shape\":[%lld],\"data_offsets\":[%lld,%lld]}}",
             c->w_signed ? "I8" : "U8", (long long)c->out, (long long)depth(c),
             (long long)c->height, (long long)c->width, (long long)n, (long long)(scales - n),
             (long long)n, (long long)scales, (long long)c->out, (long long)scales,
             (long long)bytes);
    unsigned char *data = calloc((size_t)bytes, 1);
    memcpy(data, w, (size_t)n);
    for (int64_t o = 0; o < c->out; o++) {
        const float scale = scale_of(o);
        memcpy(data + scales + 4 * o, &scale, sizeof scale);
    }
    bound_program p = {.text = text,
                       .cpu = c->cpu,
                       .emits = as_floats(c) ? NULL
                                : c->cpu     ? "dot_s16"
                                             : "dot_u8s8",
                       .where = c->cpu ? rlxc_target_has_dots : has_bytes};
    if (c->form == REQUANTIZED)
        p.lacks = "T.float32(16.0)"; /* the constants are divided at compile time, not the results;
                                        likewise below */
    if (c->form == DIVIDED)
        p.expect = "fused_conv2d_integer_cast_multiply_add_add1_maximum_minimum_round";
    unsigned char *file = bound_file(header, data, (size_t)bytes, &p.size);
    p.weights = file;
    rlx_executable *exe = bound_compile(t, &p);
    free(file);
    free(data);
    return exe;
}

static int64_t positions(const conv *c, bool down, int64_t length)
{
    int64_t around = down ? c->top + c->bottom : c->left + c->right;
    int64_t reach = c->dilation * ((down ? c->height : c->width) - 1);
    int64_t span = length + around - reach - 1;
    return span < 0 ? 0 : span / c->stride + 1;
}

static int64_t sum_of(const conv *c, const unsigned char *x, const unsigned char *w,
                      const int64_t dims[4], const int64_t at[4])
{
    int64_t sum = 0;
    for (int64_t r = 0; r < c->height; r++) {
        for (int64_t s = 0; s < c->width; s++) {
            const int64_t y = at[2] * c->stride + r * c->dilation - c->top;
            const int64_t z = at[3] * c->stride + s * c->dilation - c->left;
            if (y < 0 || z < 0 || y >= dims[2] || z >= dims[3])
                continue;
            for (int64_t i = 0; i < depth(c); i++) {
                const int64_t group = c->groups ? at[1] / (c->out / c->groups) : 0;
                const int64_t channel = is_depthwise(c) ? at[1] : group * depth(c) + i;
                const int64_t from = ((at[0] * dims[1] + channel) * dims[2] + y) * dims[3] + z;
                const int64_t with = ((at[1] * depth(c) + i) * c->height + r) * c->width + s;
                sum += (int64_t)(bound_number(x, from, c->x_signed) - c->x_zero) *
                       (bound_number(w, with, c->w_signed) - c->w_zero);
            }
        }
    }
    return sum;
}

static bool is_right(const conv *c, int64_t sum, int64_t o, const void *y, int64_t i)
{
    const double value = (double)sum * 0.5 * (double)scale_of(o);
    /* each float32 product rounds, so requantizing may differ in the last digit */
    double allowed = as_floats(c) ? fabs(value) * 1e-5 + 1e-3 : 0;
    if (c->form == SUMS || c->form == RUN_TIME)
        return ((const int32_t *)y)[i] == sum + 3;
    if (c->form == DEQUANTIZED)
        return fabs((double)((const float *)y)[i] - (value + 0.25)) <= allowed;
    double r = value + 3 + (c->form == DIVIDED ? c->x_zero * 0.25 : 0),
           least = c->form == DIVIDED ? -16 : 0;
    r = r > least ? r : least;
    r = c->form == DIVIDED && r > 2048 ? 2048 : r;
    r = nearbyint(r / 16) + 5;
    return fabs((r > 255 ? 255 : r) - ((const unsigned char *)y)[i]) <= 0;
}

static void check_shape(rlx_test *t, rlx_vm *vm, const conv *c, const unsigned char *w,
                        const int64_t shape[3])
{
    const int64_t dims[4] = {shape[0], c->in, c->known ? c->known : shape[1],
                             c->known ? c->known : shape[2]};
    const int64_t rows = positions(c, true, dims[2]), columns = positions(c, false, dims[3]);
    const rlx_dtype dtype = {c->x_signed ? RLX_INT : RLX_UINT, 8, 1};
    rlx_tensor *x = NULL, *z = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, dtype, 4, dims, &x, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, dtype, 0, NULL, &z, &t->error));
    unsigned char *data = rlx_tensor_mutable_data(x);
    bound_fill(data, rlx_tensor_numel(x), 5);
    *(unsigned char *)rlx_tensor_mutable_data(z) = (unsigned char)c->x_zero;
    rlx_value args[2] = {rlx_of_tensor(x), rlx_of_tensor(z)}, out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &out, &t->error));
    const void *y = rlx_tensor_data(out.as.tensor);
    const int64_t n = rlx_tensor_numel(out.as.tensor);
    int64_t wrong = n != dims[0] * c->out * rows * columns;
    for (int64_t i = 0; i < n && !wrong; i++) {
        const int64_t at[4] = {i / columns / rows / c->out, i / columns / rows % c->out,
                               i / columns % rows, i % columns};
        wrong += !is_right(c, sum_of(c, data, w, dims, at), at[1], y, i);
    }
    cr_expect(wrong == 0, "conv %d, n %lld, %lldx%lld", (int)(c - convs), (long long)dims[0],
              (long long)dims[2], (long long)dims[3]);
    rlx_value_release(out);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
}

typedef struct weighted {
    const conv *c;
    const unsigned char *w;
} weighted;

static void check(rlx_test *t, rlx_vm *vm, const void *user)
{
    const weighted *of = user;
    for (size_t r = 0; r < sizeof shapes / sizeof *shapes; r++)
        if (r < 3 || !of->c->known)
            check_shape(t, vm, of->c, of->w, shapes[r]);
}

RLX_TEST(integer_convs, sums_are_exact)
{
    for (size_t i = 0; i < sizeof convs / sizeof *convs; i++) {
        const conv *c = &convs[i];
        if (!cpu_runs(c->cpu) || !rlx_test_takes(i, 3))
            continue;
        unsigned char *w = malloc((size_t)weights_of(c));
        bound_fill(w, weights_of(c), 11);
        rlx_executable *exe = compile(t, c, w);
        cr_assert(exe);
        bound_threads(t, exe, check, &(weighted){c, w});
        rlx_executable_release(exe);
        free(w);
    }
}

/* Minimal filtering computes twice the sums: the largest for which it is used still fit. */
static const conv largest = {SUMS, "x86-64-v3", false, true, 0, 0, 10922, 16,       1, 3,
                             1,    1,           0,     0,    0, 0, 0,     INTEGERS, 0};

static void check_largest(rlx_test *t, rlx_vm *vm, const void *user)
{
    (void)user;
    const int64_t dims[4] = {1, largest.in, 1, 5};
    rlx_tensor *x = NULL, *z = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, (rlx_dtype){RLX_UINT, 8, 1}, 4, dims, &x, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, (rlx_dtype){RLX_UINT, 8, 1}, 0, NULL, &z, &t->error));
    memset(rlx_tensor_mutable_data(x), 255, (size_t)rlx_tensor_numel(x));
    *(unsigned char *)rlx_tensor_mutable_data(z) = 0;
    rlx_value args[2] = {rlx_of_tensor(x), rlx_of_tensor(z)}, out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &out, &t->error));
    const int32_t *y = rlx_tensor_data(out.as.tensor);
    cr_assert_eq(rlx_tensor_numel(out.as.tensor), 16 * 3);
    for (int64_t i = 0; i < 16 * 3; i++)
        cr_expect_eq(y[i], 3 - 128 * 255 * 3 * 10922);
    rlx_value_release(out);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
}

RLX_TEST(integer_convs, largest_sums_fit)
{
    if (!cpu_runs(largest.cpu))
        return;
    unsigned char *w = malloc((size_t)weights_of(&largest));
    memset(w, 0x80, (size_t)weights_of(&largest));
    rlx_executable *exe = compile(t, &largest, w);
    cr_assert(exe);
    bound_threads(t, exe, check_largest, NULL);
    rlx_executable_release(exe);
    free(w);
}

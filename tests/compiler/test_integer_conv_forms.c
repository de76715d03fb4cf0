/* Convolutions of 8-bit integers that differ slightly from the form with a fast schedule
 * (test_integer_convs.c): other padding values, divided scales, zero points of odd shapes. All give
 * correct results, fast or not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/kernels/quantized/quant.h"
#include "compiler/ops/quant_conv.h"
#include "compiler/script/script.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"

/* |body| is the body of a function of x, the weight w, int8 (16, 8, 1, 1) of ones and zeros, and z,
 * int32 (1, 1, 1, 1), which is 3. */
static rlx_executable *compile_body(rlx_test *t, const char *x, const char *body)
{
    static const char header[] =
        "{\"w\":{\"dtype\":\"I8\",\"shape\":[16,8,1,1],\"data_offsets\":[0,128]},"
        "\"z\":{\"dtype\":\"I32\",\"shape\":[1,1,1,1],\"data_offsets\":[128,132]}}";
    unsigned char w[16 * 8 + 4] = {0};
    char text[1200];
    for (size_t i = 0; i < 16 * 8; i++)
        w[i] = i % 3 == 0;
    w[16 * 8] = 3; /* little-endian */
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n    @R.function\n"
             "    def main(x: R.Tensor(%s, \"uint8\"), w: R.Tensor((16, 8, 1, 1), \"int8\"), "
             "z: R.Tensor((1, 1, 1, 1), \"int32\")):\n%s",
             x, body);
    bound_program p = {.text = text};
    unsigned char *file = bound_file(header, w, sizeof w, &p.size);
    p.weights = file;
    rlx_executable *exe = bound_compile(t, &p);
    free(file);
    cr_assert(exe);
    return exe;
}

/* Calls main with a tensor of the last |ndim| of dimensions 1, 8, 2, 2, filled with |x|. */
static rlx_value call_with(rlx_test *t, rlx_executable *exe, uint32_t ndim, int x)
{
    static const int64_t dims[4] = {1, 8, 2, 2};
    rlx_vm *vm = NULL;
    rlx_tensor *in = NULL;
    RLX_OKAY(
        rlx_vm_create(exe, &(const rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, (rlx_dtype){RLX_UINT, 8, 1}, ndim, &dims[4 - ndim],
                               &in, &t->error));
    memset(rlx_tensor_mutable_data(in), x, 8 * 2 * 2);
    rlx_value arg = rlx_of_tensor(in), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    cr_assert_eq(rlx_tensor_numel(out.as.tensor), 16 * 2 * 2);
    return out;
}

/* Number of ones in the filter of output |o|. */
static int ones_of(int64_t o)
{
    int ones = 0;
    for (int64_t i = 0; i < 8; i++)
        ones += (o * 8 + i) % 3 == 0;
    return ones;
}

static const char dequantized_text[] =
    "        with R.dataflow():\n"
    "            xd = R.dequantize(x, R.const(0.5, \"float32\"), R.const(3, \"uint8\"))\n"
    "            wd = R.dequantize(w, R.const(0.25, \"float32\"), R.const(0, \"int8\"))\n"
    "            y = R.nn.conv2d(xd, wd)\n";

/* The schedule cannot see scales of an earlier block; dividing by a scale so small that the
 * quotient overflows must leave 0 as 0. */
static void check_quotient(rlx_test *t, const char *middle, const char *scale, int x, double factor)
{
    char body[900];
    snprintf(body, sizeof body,
             "%s%s            q = R.divide(y, R.const(%s, \"float32\"))\n"
             "            R.output(q)\n        return q\n",
             dequantized_text, middle, scale);
    rlx_value out = call_with(t, compile_body(t, "(\"n\", 8, \"h\", \"v\")", body), 4, x);
    const float *y = rlx_tensor_data(out.as.tensor);
    for (int64_t i = 0; i < 16 * 2 * 2; i++) {
        const double sum = (x - 3) * 0.125 * ones_of(i / 4), expected = sum == 0 ? 0 : sum * factor;
        cr_expect((double)y[i] == expected, "/ %s: %g for %g", scale, (double)y[i], expected);
    }
    rlx_value_release(out);
}

RLX_TEST(integer_conv_forms, quotients)
{
    check_quotient(t, "", "2.0", 7, 0.5);
    check_quotient(t, "            R.output(y)\n        with R.dataflow():\n", "2.0", 7, 0.5);
    check_quotient(t, "", "1e-41", 3, 1);
    check_quotient(t, "", "1e-41", 4, (double)INFINITY);
}

/* Pooling of dequantized values, with windows over the border, and a residual. */
typedef struct pooling {
    const char *attributes;
    int stride, border, height, width; /* of the result */
} pooling;

static void check_pooling(rlx_test *t, const pooling *pool)
{
    char text[1200];
    snprintf(text, sizeof text,
             "        with R.dataflow():\n"
             "            f = R.dequantize(x, R.const(0.5, \"float32\"), R.const(3, \"uint8\"))\n"
             "            p = R.nn.max_pool2d(f, pool_size=[3, 3], %s)\n"
             "            q = R.quantize(p, R.const(0.5, \"float32\"), R.const(3, \"uint8\"), "
             "out_dtype=\"uint8\")\n"
             "            xd = R.dequantize(q, R.const(0.5, \"float32\"), R.const(3, \"uint8\"))\n"
             "            wd = R.dequantize(w, R.const(0.25, \"float32\"), R.const(0, \"int8\"))\n"
             "            y = R.nn.conv2d(xd, wd)\n"
             "            s = R.add(y, R.concat((xd, xd), axis=1))\n"
             "            r = R.quantize(s, R.const(1.0, \"float32\"), R.const(9, \"uint8\"), "
             "out_dtype=\"uint8\")\n"
             "            R.output(r)\n        return r\n",
             pool->attributes);
    rlx_executable *exe = compile_body(t, "(\"n\", 8, \"h\", \"v\")", text);
    enum { N = 2, H = 6, V = 7 };
    const int height = pool->height, width = pool->width;
    const int64_t dims[4] = {N, 8, H, V};
    rlx_vm *vm = NULL;
    rlx_tensor *in = NULL;
    RLX_OKAY(
        rlx_vm_create(exe, &(const rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    RLX_OKAY(
        rlx_tensor_create(&t->allocator, (rlx_dtype){RLX_UINT, 8, 1}, 4, dims, &in, &t->error));
    unsigned char *x = rlx_tensor_mutable_data(in);
    for (int i = 0; i < N * 8 * H * V; i++)
        x[i] = (unsigned char)(i * 37 % 97);
    rlx_value arg = rlx_of_tensor(in), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
    const unsigned char *got = rlx_tensor_data(out.as.tensor);
    cr_assert_eq(rlx_tensor_numel(out.as.tensor), N * 16 * height * width);
    for (int i = 0; i < N * 16 * height * width; i++) {
        const int place = i / width / height, o = place % 16;
        const int row = i / width % height * pool->stride - pool->border,
                  column = i % width * pool->stride - pool->border;
        int most[8] = {0}, sum = 0; /* with the zero point 3 subtracted, at least -3 */
        for (int c = 0; c < 8; c++) {
            for (int k = 0; k < 9; k++) {
                const int h = row + k / 3, v = column + k % 3;
                const int at = ((place / 16 * 8 + c) * H + h) * V + v;
                if (h >= 0 && h < H && v >= 0 && v < V && x[at] > most[c])
                    most[c] = x[at];
            }
            sum += (o * 8 + c) % 3 == 0 ? most[c] - 3 : 0;
        }
        double r = nearbyint(sum * 0.125 + (most[o % 8] - 3) * 0.5) + 9;
        r = r < 0 ? 0 : r > 255 ? 255 : r;
        cr_expect((double)got[i] == r, "%d: %d, not %g", i, got[i], r);
    }
    rlx_value_release(out);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(integer_conv_forms, poolings_and_a_residual)
{
    static const pooling poolings[] = {
        {"strides=[1, 1], padding=[1, 1, 1, 1]", 1, 1, 6, 7},
        {"strides=[2, 2], padding=[0, 0, 0, 0], ceil_mode=True", 2, 0, 3, 3},
        {"strides=[2, 2], padding=[1, 1, 1, 1], ceil_mode=True", 2, 1, 4, 4},
    };
    for (size_t i = 0; i < sizeof poolings / sizeof *poolings; i++)
        check_pooling(t, &poolings[i]);
}

/* Numbers that are dequantized, moved and quantized again: all of them, by equal constants (they
 * are moved alone) and others. */
static void check_moved(rlx_test *t, float scale, int zero, float next_scale, int next_zero)
{
    char body[900];
    snprintf(body, sizeof body,
             "        with R.dataflow():\n"
             "            d = R.dequantize(x, R.const(%.9g, \"float32\"), R.const(%d, \"uint8\"))\n"
             "            m = R.permute_dims(d, axes=[0, 2, 3, 1])\n"
             "            r = R.quantize(m, R.const(%.9g, \"float32\"), R.const(%d, \"uint8\"), "
             "out_dtype=\"uint8\")\n"
             "            R.output(r)\n        return r\n",
             (double)scale, zero, (double)next_scale, next_zero);
    rlx_executable *exe = compile_body(t, "(\"n\", 8, \"h\", \"v\")", body);
    const int64_t dims[4] = {1, 8, 4, 8};
    rlx_vm *vm = NULL;
    rlx_tensor *in = NULL;
    RLX_OKAY(
        rlx_vm_create(exe, &(const rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    RLX_OKAY(
        rlx_tensor_create(&t->allocator, (rlx_dtype){RLX_UINT, 8, 1}, 4, dims, &in, &t->error));
    unsigned char *x = rlx_tensor_mutable_data(in);
    for (int i = 0; i < 256; i++)
        x[i] = (unsigned char)i;
    rlx_value arg = rlx_of_tensor(in), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
    const unsigned char *got = rlx_tensor_data(out.as.tensor);
    for (int i = 0; i < 256; i++) {
        const float value = (float)(i - zero) * scale;
        const float r = nearbyintf(value / next_scale) + (float)next_zero;
        const int expected = r < 0 ? 0 : r > 255 ? 255 : (int)r;
        cr_expect_eq(got[i % 32 * 8 + i / 32], expected, "%d by %g, %g", i, (double)scale,
                     (double)next_scale);
    }
    rlx_value_release(out);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(integer_conv_forms, moved_numbers)
{
    static const float scales[] = {0.0123f, 3.7e-5f, 1.1e6f, 0.3333333f};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        check_moved(t, scales[i], 131, scales[i], 131);
    check_moved(t, 0.25f, 3, 0.5f, 3);
    check_moved(t, 0.25f, 3, 0.25f, 9);
}

/* A zero point of higher rank broadcasts x to its rank. */
RLX_TEST(integer_conv_forms, a_zero_of_more_dimensions)
{
    rlx_executable *exe = compile_body(t, "(8, \"h\", \"v\")",
                                       "        with R.dataflow():\n"
                                       "            xi = R.astype(x, dtype=\"int32\")\n"
                                       "            xz = R.subtract(xi, z)\n"
                                       "            wi = R.astype(w, dtype=\"int32\")\n"
                                       "            y = R.nn.conv2d(xz, wi, out_dtype=\"int32\")\n"
                                       "            R.output(y)\n        return y\n");
    rlx_value out = call_with(t, exe, 3, 9);
    const int32_t *y = rlx_tensor_data(out.as.tensor);
    for (int64_t i = 0; i < 16 * 2 * 2; i++)
        cr_expect_eq(y[i], 6 * ones_of(i / 4));
    rlx_value_release(out);
}

/* PrimFuncs of the form in quant_conv.h, and variants that differ in the padding value or in the
 * sums' initial values: the fast schedule applies only to the former. */
typedef struct filled {
    const char *fill, *begin; /* expressions */
    int32_t value;            /* value of |fill|, plus the output's index if |by_output| */
    int32_t taken_off;        /* times the weight sums, subtracted in |begin| */
    bool by_output, is_fast;
} filled;

static const filled fills[] = {
    {"T.Cast(\"int32\", z[()])", "(0 - T.Cast(\"int32\", z[()])) * s[vo]", 200, 200, false, true},
    {"0", "0", 0, 0, false, true},
    {"5", "0", 5, 0, false, false},
    {"300", "-300 * s[vo]", 300, 300, false, false},
    {"-1", "s[vo]", -1, -1, false, false},
    {"q[()]", "(0 - q[()]) * s[vo]", 100000, 100000, false, false},
    {"T.Cast(\"int32\", p[vo])", "(0 - T.Cast(\"int32\", p[vo])) * s[vo]", 7, 7, true, false},
};

static void check_fill(rlx_test *t, const char *cpu, const filled *c)
{
    enum { SIZE = 5, IN = 4, OUT = 16, K = 9 * IN };
    char text[2400];
    kernel_fixture f;
    cr_assert(kernel_fixture_init(&f, &t->allocator, 3, cpu));
    /* kernels with narrower vectors cannot sum panels of 16 outputs */
    const bool fast = c->is_fast && rlxc_target_has_dots(f.options.target) &&
                      f.options.target->vector_bytes >= 32;
    const int word = (int)rlxc_quant_conv_word(f.options.target);
    kernel_fixture_deinit(&f);
    snprintf(text, sizeof text,
             "@T.prim_func\n"
             "def conv(x: T.Buffer((1, 5, 5, 4), \"uint8\"), "
             "f: T.Buffer((1, 3, 3, %d, 16, %d), \"int8\"), s: T.Buffer((16,), \"int32\"), "
             "z: T.Buffer((), \"uint8\"), q: T.Buffer((), \"int32\"), "
             "p: T.Buffer((16,), \"uint8\"), y: T.Buffer((1, 5, 5, 16), \"int32\")):\n"
             "    for n, i, j, o, k in T.grid(T.int64(1), T.int64(5), T.int64(5), T.int64(16), "
             "T.int64(36)):\n"
             "        with T.block(\"y\"):\n"
             "            vn, vi, vj, vo, vk = T.axis.remap(\"SSSSR\", [n, i, j, o, k])\n"
             "            with T.init():\n"
             "                y[vn, vi, vj, vo] = %s\n"
             "            y[vn, vi, vj, vo] = y[vn, vi, vj, vo] + T.if_then_else(T.int64(0) <= vk "
             "%% T.int64(4) and vk %% T.int64(4) < T.int64(4) and (T.int64(0) <= vi + vk // "
             "T.int64(12) - T.int64(1) and vi + vk // T.int64(12) - T.int64(1) < T.int64(5)) and "
             "(T.int64(0) <= vj + vk // T.int64(4) %% T.int64(3) - T.int64(1) and vj + vk // "
             "T.int64(4) %% T.int64(3) - T.int64(1) < T.int64(5)), T.Cast(\"int32\", x[vn, vi + vk "
             "// T.int64(12) - T.int64(1), vj + vk // T.int64(4) %% T.int64(3) - T.int64(1), vk %% "
             "T.int64(4)]), %s) * T.Cast(\"int32\", f[vo // T.int64(16), vk // T.int64(12), vk // "
             "T.int64(4) %% T.int64(3), vk %% T.int64(4) // T.int64(%d), vo %% T.int64(16), vk %% "
             "T.int64(4) %% T.int64(%d)])\n",
             IN / word, word, c->begin, c->fill, word, word);
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 3, cpu, text));
    cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
    cr_expect_eq(fast, strstr(rlxc_print_module(f.ctx, f.module), "dot_") != NULL, "%s", c->fill);
    unsigned char x[SIZE * SIZE * IN], w[K * OUT], z = (unsigned char)c->value, p[OUT];
    int32_t s[OUT], q = c->value, y[SIZE * SIZE * OUT];
    bound_fill(x, sizeof x, 5);
    bound_fill(w, sizeof w, 11);
    for (int o = 0; o < OUT; o++) {
        s[o] = 1000 * o - 7777;
        p[o] = (unsigned char)(c->value + o);
    }
    cr_assert_eq(kernel_fixture_call(&f, "conv", (void *[]){x, w, s, &z, &q, p, y}, NULL), 0);
    for (int at = 0; at < SIZE * SIZE * OUT; at++) {
        const int o = at % OUT, more = c->by_output ? o : 0;
        int64_t sum = -(int64_t)(c->taken_off + more) * s[o];
        for (int k = 0; k < K; k++) {
            const int i = at / OUT / SIZE + k / IN / 3 - 1, j = at / OUT % SIZE + k / IN % 3 - 1;
            const bool inside = i >= 0 && i < SIZE && j >= 0 && j < SIZE;
            const int with = ((k / word) * OUT + o) * word + k % word;
            sum += (inside ? x[(i * SIZE + j) * IN + k % IN] : c->value + more) *
                   (int64_t)bound_number(w, with, true);
        }
        cr_assert_eq(y[at], sum, "cpu %s, fill %s: %d", cpu ? cpu : "native", c->fill, at);
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(integer_conv_forms, values_outside_of_x)
{
    static const char *const cpus[] = {NULL, "x86-64-v4", "x86-64-v3"};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        for (size_t n = 0; cpu_runs(cpus[i]) && n < sizeof fills / sizeof *fills; n++)
            check_fill(t, cpus[i], &fills[n]);
}

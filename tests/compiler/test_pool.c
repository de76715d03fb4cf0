/* Pooling with channels last, whose windows slide over vectors of channels, against loops in
 * double: sizes around the column tiles and row bands, padding up to more than the window, channel
 * counts that do not fill a vector. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rlx/vm.h"
#include "tests/compiler/bound.h"
#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"

typedef struct pool_case {
    int64_t channels, height, width, size, stride, dilation, before, after;
    bool symbolic; /* height and width are symbolic */
    bool up;       /* ceil_mode */
    bool count_padding;
} pool_case;

static int64_t positions(const pool_case *c, int64_t length)
{
    const int64_t room = length + c->before + c->after - c->dilation * (c->size - 1) - 1;
    const int64_t down = room / c->stride + 1;
    /* rounding up adds a window only if it starts on the input */
    return down + (c->up && room % c->stride != 0 && down * c->stride < length + c->before);
}

static rlx_executable *compile(rlx_test *t, const pool_case *c, bool is_max, const char *cpu)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    const char *height = c->symbolic ? "\"h\"" : rlxc_internf(ctx, "%lld", (long long)c->height);
    const char *width = c->symbolic ? "\"w\"" : rlxc_internf(ctx, "%lld", (long long)c->width);
    const char *text = rlxc_internf(
        ctx,
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((\"n\", %s, %s, %lld), \"float32\")):\n"
        "        with R.dataflow():\n"
        "            a = R.nn.%s_pool2d(x, (%lld, %lld), strides=%lld, dilation=%lld,\n"
        "                padding=[%lld, %lld, %lld, %lld], ceil_mode=%s, %slayout=\"NHWC\")\n"
        "            y = R.negative(a)\n"
        "            R.output(y)\n"
        "        return y\n",
        height, width, (long long)c->channels, is_max ? "max" : "avg", (long long)c->size,
        (long long)c->size, (long long)c->stride, (long long)c->dilation, (long long)c->before,
        (long long)c->before, (long long)c->after, (long long)c->after, c->up ? "True" : "False",
        is_max             ? ""
        : c->count_padding ? "count_include_pad=True, "
                           : "count_include_pad=False, ");
    rlx_executable *exe = bound_compile(t, &(const bound_program){.text = text, .cpu = cpu});
    rlxc_context_destroy(ctx);
    return exe;
}

static double reference(const pool_case *c, bool is_max, const float *x, int64_t n, int64_t row,
                        int64_t column, int64_t channel)
{
    double best = -INFINITY, sum = 0;
    int64_t taps = 0, padded = 0;
    for (int64_t r = 0; r < c->size; r++)
        for (int64_t s = 0; s < c->size; s++) {
            int64_t y = row * c->stride + r * c->dilation - c->before;
            int64_t z = column * c->stride + s * c->dilation - c->before;
            padded += y < c->height + c->after && z < c->width + c->after;
            if (y < 0 || z < 0 || y >= c->height || z >= c->width)
                continue;
            double v = (double)x[((n * c->height + y) * c->width + z) * c->channels + channel];
            best = v > best ? v : best;
            sum += v;
            taps++;
        }
    if (is_max)
        return best;
    return sum / (double)(c->count_padding ? padded : taps > 0 ? taps : 1);
}

static void run(rlx_test *t, rlx_executable *exe, const pool_case *c, bool is_max, int64_t n,
                const char *cpu)
{
    rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    const int64_t dims[4] = {n, c->height, c->width, c->channels};
    const int64_t count = n * c->height * c->width * c->channels;
    const int64_t height = positions(c, c->height), width = positions(c, c->width);
    float *values = malloc((size_t)(count + 1) * sizeof *values);
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)((i * 7919 + i / 13 * 31) % 2003 - 1300) / 128.0F;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 4, dims, &x, &t->error));
    if (count > 0)
        memcpy(rlx_tensor_mutable_data(x), values, (size_t)count * sizeof *values);
    rlx_value arg = rlx_of_tensor(x), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
    const int64_t numel = n * height * width * c->channels;
    cr_assert(out.kind == RLX_KIND_TENSOR && rlx_tensor_numel(out.as.tensor) == numel);
    const float *y = rlx_tensor_data(out.as.tensor);
    double worst = 0;
    for (int64_t i = 0; i < numel; i++) {
        const int64_t pixel = i / c->channels, image = pixel / width / height;
        double want = -reference(c, is_max, values, image, pixel / width % height, pixel % width,
                                 i % c->channels);
        double error = (double)y[i] == want ? 0 : fabs((double)y[i] - want);
        if (!(error <= worst)) /* also true for NaN */
            worst = error;
    }
    cr_expect(worst <= (is_max ? 0 : 4e-6),
              "%s of %lld x %lld x %lld, size %lld, stride %lld, n %lld, %s: %g",
              is_max ? "max" : "avg", (long long)c->height, (long long)c->width,
              (long long)c->channels, (long long)c->size, (long long)c->stride, (long long)n,
              cpu ? cpu : "native", worst);
    rlx_value_release(out);
    rlx_value_release(arg);
    rlx_vm_destroy(vm);
    free(values);
}

RLX_TEST(pool, windows_slide_over_channels)
{
    static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64-v2"};
    static const pool_case cases[] = {
        {64, 28, 28, 3, 2, 1, 1, 1, false, false, false},
        {24, 20, 29, 2, 1, 1, 0, 1, false, false, false},
        {20, 9, 15, 2, 2, 1, 0, 0, false, true, false},
        {20, 9, 33, 2, 2, 1, 0, 0, true, false, false},
        {7, 5, 6, 5, 1, 1, 2, 2, true, false, true},
        {4, 1, 40, 3, 1, 1, 1, 1, true, false, false},
        {33, 17, 2, 3, 2, 1, 1, 1, false, true, true},
        {17, 12, 43, 4, 3, 1, 1, 2, true, true, false},
        {17, 12, 42, 3, 4, 1, 1, 2, true, true, true}, /* the last window would start after the
                                                          input */
        {16, 14, 14, 3, 1, 5, 5, 5, false, false, false},
        {3, 8, 8, 2, 2, 1, 0, 0, false, false, false},
        {48, 6, 90, 7, 1, 5, 15, 15, false, false, true}, /* padding wider than a tile */
        {5, 9, 9, 16, 1, 1, 8, 8, false, false, false},   /* a window wider than the image */
        {5, 20, 20, 17, 1, 1, 8, 8, false, false, false}, /* wider than the windows that slide */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 6; k++) {
            if (!cpu_runs(cpus[k / 2]) || !rlx_test_takes(i + k + k / 2, 2))
                continue;
            rlx_executable *exe = compile(t, &cases[i], k % 2, cpus[k / 2]);
            for (int64_t n = 0; exe && n < 4; n += n + 1)
                run(t, exe, &cases[i], k % 2, n, cpus[k / 2]);
            rlx_executable_release(exe);
        }
}

/* Huge and empty shapes compile quickly. */
RLX_TEST(pool, any_number_of_columns_rows_and_channels)
{
    static const int64_t most = (int64_t)1 << 61;
    static const pool_case cases[] = {
        {5, 6, most, 3, 1, 1, 1, 1, false, false, false},
        {5, most, 6, 3, 1, 1, 1, 1, false, false, false},
        {most, 6, 6, 3, 1, 1, 1, 1, false, false, false},
        {5, 6, 6, 3, 1, 1 << 30, 1 << 30, 1 << 30, false, false, false},
        {0, 6, 6, 3, 1, 1, 1, 1, false, false, false},
        {5, 0, 0, 3, 1, 1, 2, 2, false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        rlx_executable_release(compile(t, &cases[i], true, NULL));
}

/* --- windows of a user's own, with conditions of other kinds --- */

enum { HEIGHT = 5, WIDTH = 31, CHANNELS = 16, SIZE = 3, LEFT = WIDTH - SIZE + 1 };

typedef struct window_case {
    const char *condition;
    bool (*holds)(int64_t y, int64_t x, int64_t r);
} window_case;

static bool but_first(int64_t y, int64_t x, int64_t r)
{
    return y >= 0 && x >= 0 && r >= 1;
}

static bool but_last_and_border(int64_t y, int64_t x, int64_t r)
{
    return y >= 0 && r < 2 && x + r < 20;
}

static bool by_row(int64_t y, int64_t x, int64_t r)
{
    return x >= 0 && y + r >= 3;
}

static bool both_ends(int64_t y, int64_t x, int64_t r)
{
    return y >= 0 && x + r >= 4 && 2 * x + r < 40;
}

static bool against(int64_t y, int64_t x, int64_t r)
{
    return y >= 0 && r >= x - 15;
}

static const window_case windows[] = {
    {"T.int64(1) <= vr", but_first},
    {"vr < T.int64(2) and vx + vr < T.int64(20)", but_last_and_border},
    {"T.int64(3) <= vy + vr", by_row},
    {"T.int64(4) <= vx + vr and vx * T.int64(2) + vr < T.int64(40)", both_ends},
    {"vx - T.int64(15) <= vr", against},
};

static double window_sum(const window_case *c, const float *x, int64_t i)
{
    const int64_t channel = i % CHANNELS, column = i / CHANNELS % LEFT, y = i / CHANNELS / LEFT;
    double sum = 0;
    for (int64_t r = 0; r < SIZE; r++)
        if (c->holds(y, column, r))
            sum += (double)x[(y * WIDTH + column + r) * CHANNELS + channel];
    return sum;
}

RLX_TEST(pool, conditions_of_other_kinds)
{
    static const char text[] =
        "@T.prim_func\n"
        "def k(X: T.Buffer((5, T.int64(31), 16), \"float32\"),\n"
        "      O: T.Buffer((T.int64(5), T.int64(29), T.int64(16)), \"float32\")):\n"
        "    for y, x, c, r in T.grid(T.int64(5), T.int64(29), T.int64(16), T.int64(3)):\n"
        "        with T.block(\"o\"):\n"
        "            vy, vx, vc, vr = T.axis.remap(\"SSSR\", [y, x, c, r])\n"
        "            with T.init():\n"
        "                O[vy, vx, vc] = T.float32(0)\n"
        "            O[vy, vx, vc] = O[vy, vx, vc] + T.if_then_else(%s,\n"
        "                X[vy, vx + vr, vc], T.float32(0))\n";
    static float x[HEIGHT * WIDTH * CHANNELS], y[HEIGHT * LEFT * CHANNELS];
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = (float)((int)(i * 37 % 101) - 50);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        kernel_fixture f;
        char full[1024];
        int64_t wrong = 0;
        snprintf(full, sizeof full, text, windows[i].condition);
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 3, NULL, full) &&
                      kernel_fixture_build(&f),
                  "%s", windows[i].condition);
        cr_expect_eq(kernel_fixture_call(&f, "k", (void *[]){x, y}, NULL), 0);
        for (int64_t k = 0; k < HEIGHT * LEFT * CHANNELS; k++)
            wrong += (double)y[k] != window_sum(&windows[i], x, k);
        cr_expect_eq(wrong, 0, "%s: %lld wrong", windows[i].condition, (long long)wrong);
        kernel_fixture_deinit(&f);
    }
}

/* Grouped and depthwise convolutions on this machine's OpenCL driver, compared with sums in double:
 * compiled both as for a device whose threads run concurrently and as for a CPU, with lines of
 * length 1, of odd lengths, of whole vectors and longer, with and without an epilogue. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/compiler/on_device.h"

enum { MOST = 1 << 17, K = 3 /* rows and columns of a window */ };

static const struct row {
    int64_t channels, height, width, outputs, groups, stride;
    bool relu;
} rows[] = {
    {6, 5, 1, 6, 6, 1, false},     {6, 5, 17, 6, 6, 1, true},      {6, 5, 28, 6, 6, 1, true},
    {32, 46, 48, 32, 32, 1, true}, {32, 46, 50, 32, 32, 1, false}, {4, 9, 32, 8, 4, 1, true},
    {4, 64, 64, 4, 4, 2, false},   {16, 12, 8, 16, 4, 1, true},    {32, 9, 11, 64, 2, 1, true},
    {32, 9, 16, 32, 2, 2, false},  {18, 3, 8, 27, 3, 1, false},    {64, 40, 32, 64, 16, 1, true},
};

static float x[MOST], w[MOST];

static double want(const struct row *r, int64_t o, int64_t y, int64_t column)
{
    const int64_t inputs = r->channels / r->groups, group = o / (r->outputs / r->groups);
    double sum = 0;
    for (int64_t c = 0; c < inputs; c++)
        for (int64_t a = 0; a < K; a++)
            for (int64_t b = 0; b < K; b++) {
                const int64_t py = y * r->stride + a - 1, px = column * r->stride + b - 1;
                if (py >= 0 && py < r->height && px >= 0 && px < r->width)
                    sum += (double)x[((group * inputs + c) * r->height + py) * r->width + px] *
                           (double)w[((o * inputs + c) * K + a) * K + b];
            }
    return r->relu ? fmax(sum + 0.25, 0) : sum;
}

static void check(rlx_test *t, const struct row *r, const char *target)
{
    char text[1024];
    const int64_t inputs = r->channels / r->groups;
    const int64_t height = (r->height - 1) / r->stride + 1, width = (r->width - 1) / r->stride + 1;
    cr_assert(r->channels * r->height * r->width <= MOST && r->outputs * inputs * K * K <= MOST);
    snprintf(text, sizeof text,
             "from tvm.script import ir as I, relax as R\n"
             "@I.ir_module\n"
             "class Module:\n"
             "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\"), I.vdevice(\"%s\")]})\n"
             "    @R.function\n"
             "    def main(x: R.Tensor((1, %d, %d, %d), \"float32\"), w: R.Tensor((%d, %d, 3, 3), "
             "\"float32\")):\n"
             "        with R.dataflow():\n"
             "            y = R.nn.conv2d(x, w, padding=[1, 1], strides=[%d, %d], groups=%d)\n"
             "            z = %s\n"
             "            R.output(z)\n"
             "        return z\n",
             target, (int)r->channels, (int)r->height, (int)r->width, (int)r->outputs, (int)inputs,
             (int)r->stride, (int)r->stride, (int)r->groups,
             r->relu ? "R.nn.relu(R.add(y, R.const(0.25, \"float32\")))" : "y");
    rlx_executable *exe = on_device_compile(t, text);
    rlx_vm *vm = rlx_test_vm(t, exe);
    const int64_t image[] = {1, r->channels, r->height, r->width};
    const int64_t window[] = {r->outputs, inputs, K, K};
    rlx_value args[] = {on_device_wrap(t, RLX_F32, 4, image, x),
                        on_device_wrap(t, RLX_F32, 4, window, w)};
    rlx_tensor *home = on_device_call(t, vm, "main", args, 2);
    cr_assert_eq(rlx_tensor_numel(home), r->outputs * height * width);
    const float *got = rlx_tensor_data(home);
    for (int64_t i = 0; i < r->outputs * height * width; i++) {
        const double value = want(r, i / (height * width), i / width % height, i % width);
        if (!(fabs((double)got[i] - value) <= 2e-5 * (1 + fabs(value)))) {
            cr_expect(false, "row %d on %s: element %lld is %g, want %g", (int)(r - rows), target,
                      (long long)i, (double)got[i], value);
            break;
        }
    }
    rlx_value_release(rlx_of_tensor(home));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(device_convs, results_are_those_of_sums_in_double)
{
    uint32_t seed = 1;
    if (!on_device_is_possible())
        return;
    for (size_t i = 0; i < MOST; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / (float)(1 << 23) - 1;
        w[i] = (float)((seed >> 4) % 1001) / 500 - 1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rlx_test_takes(i, 4))
            check(t, &rows[i], "opencl");
        if (rlx_test_takes(i + 2, 4))
            check(t, &rows[i], "opencl -device=cpu -vector-width=256");
    }
}

/* Devices that are CPUs, on this machine's OpenCL device, against double. Rule vectors: numbers of
 * rows around the tiles' borders, every width of vectors, columns that fill vectors of fewer lanes,
 * batches, an epilogue. Rule threads: softmax with rows of any length, by lines. Skips where there
 * is no OpenCL device. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rlx/device.h"
#include "tests/compiler/library.h"

enum { TERMS = 13 };

#define HEAD                                                 \
    "from tvm.script import ir as I, relax as R, tir as T\n" \
    "@I.ir_module\nclass Module:\n    @R.function\n    def main"
#define TAIL "            R.output(y)\n        return y\n"

typedef struct product {
    const char *text; /* of a module; n is its number of rows */
    int64_t batches, columns;
    bool tanh;    /* of the sum and 1.5 */
    bool one_row; /* the number of rows is 1, not n */
} product;

static const product products[] = {
    {HEAD "(x: R.Tensor((1, \"n\", 13), \"float32\"), w: R.Tensor((1, 13, 64), \"float32\")):\n"
          "        with R.dataflow():\n            y = R.matmul(x, w)\n" TAIL,
     1, 64, false, false},
    {HEAD "(x: R.Tensor((1, \"n\", 13), \"float32\"), w: R.Tensor((1, 13, 24), \"float32\")):\n"
          "        with R.dataflow():\n            p = R.matmul(x, w)\n"
          "            s = R.add(p, R.const(1.5, \"float32\"))\n"
          "            y = R.tanh(s)\n" TAIL,
     1, 24, true, false},
    {HEAD "(x: R.Tensor((3, \"n\", 13), \"float32\"), w: R.Tensor((3, 13, 36), \"float32\")):\n"
          "        with R.dataflow():\n            y = R.matmul(x, w)\n" TAIL,
     3, 36, false, false},
    {HEAD "(x: R.Tensor((1, 1, 13), \"float32\"), w: R.Tensor((1, 13, 72), \"float32\")):\n"
          "        with R.dataflow():\n            p = R.matmul(x, w)\n"
          "            s = R.add(p, R.const(1.5, \"float32\"))\n"
          "            y = R.tanh(s)\n" TAIL,
     1, 72, true, true},
};

static float number(int64_t i)
{
    return (float)((i * 7919 + 13) % 211 - 105) / 64.0f;
}

static rlx_value tensor(rlx_test *t, int64_t batches, int64_t rows, int64_t columns)
{
    const int64_t dims[3] = {batches, rows, columns};
    rlx_tensor *out = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 3, dims, &out, &t->error));
    float *data = rlx_tensor_mutable_data(out);
    for (int64_t i = 0; i < rlx_tensor_numel(out); i++)
        data[i] = number(i + columns);
    return rlx_of_tensor(out);
}

static rlx_executable *compiled(rlx_test *t, const char *text, const char *target,
                                const char *taken)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, text);
    rlx_executable *exe = NULL;
    rlx_compile_options o;
    void *data = NULL;
    size_t size = 0;
    rlx_compile_options_init(&o);
    o.default_device = "opencl:0";
    o.device_target = target;
    o.explain = true;
    RLX_OKAY(rlx_ir_module_emit(m, &o, RLX_EMIT_EXECUTABLE, &data, &size, &t->error));
    cr_expect(strstr(rlx_ir_module_explanation(m), taken), "%s: %s", target,
              rlx_ir_module_explanation(m));
    RLX_OKAY(rlx_executable_load_memory(
        data, size, &(rlx_load_options){.allocator = &t->allocator, .trust_native = true}, &exe,
        &t->error));
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
    return exe;
}

/* Calls main; the result is in the host's memory. */
static rlx_tensor *called(rlx_test *t, rlx_vm *vm, const rlx_value *args, uint32_t n)
{
    rlx_value there = rlx_none();
    rlx_tensor *here = NULL;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, n, &there, &t->error));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there.as.tensor, NULL, &here, &t->error));
    rlx_value_release(there);
    return here;
}

static rlx_vm *opened(rlx_test *t, rlx_executable *exe)
{
    rlx_vm *vm = NULL;
    RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    return vm;
}

static bool has_device(rlx_test *t)
{
    rlx_device_info info;
    const bool has = rlx_device_look(NULL, "opencl", 0, &info, &t->error) == RLX_OK;
    if (!has)
        puts("skipped: OpenCL device");
    return has;
}

static void check(rlx_test *t, rlx_vm *vm, const product *p, int64_t rows, const char *target)
{
    rlx_value args[2] = {tensor(t, p->batches, rows, TERMS),
                         tensor(t, p->batches, TERMS, p->columns)};
    const float *x = rlx_tensor_data(args[0].as.tensor), *w = rlx_tensor_data(args[1].as.tensor);
    rlx_tensor *here = called(t, vm, args, 2);
    const float *y = rlx_tensor_data(here);
    double worst = 0;
    cr_assert_eq(rlx_tensor_numel(here), p->batches * rows * p->columns);
    for (int64_t i = 0; i < rlx_tensor_numel(here); i++) {
        const int64_t column = i % p->columns, row = i / p->columns, batch = row / rows;
        double sum = 0;
        for (int64_t k = 0; k < TERMS; k++)
            sum +=
                (double)x[row * TERMS + k] * (double)w[(batch * TERMS + k) * p->columns + column];
        worst = fmax(worst, fabs((p->tanh ? tanh(sum + 1.5) : sum) - (double)y[i]));
    }
    cr_expect_lt(worst, 1e-5, "%s, %d rows of %d: %g", target, (int)rows, (int)p->columns, worst);
    rlx_value_release(rlx_of_tensor(here));
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
}

RLX_TEST(device_vectors, products_equal_sums_in_double)
{
    static const int64_t rows[] = {0, 1, 5, 6, 7, 8, 9, 16, 25};
    static const char *const targets[] = {"opencl -device=cpu -vector-width=128",
                                          "opencl -device=cpu -vector-width=256",
                                          "opencl -device=cpu -vector-width=512"};
    if (!has_device(t))
        return;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
            /* Each is built by the driver: all targets for one, then one for each. */
            if (i % (sizeof targets / sizeof *targets) != k && i != 1)
                continue;
            rlx_executable *exe =
                compiled(t, products[i].text, targets[k], "taken by rule vectors");
            rlx_vm *vm = opened(t, exe);
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
                if (!products[i].one_row || rows[r] == 1)
                    check(t, vm, &products[i], rows[r], targets[k]);
            rlx_vm_destroy(vm);
            rlx_executable_release(exe);
        }
}

RLX_TEST(device_vectors, softmax_of_rows_of_any_length)
{
    static const char text[] = HEAD "(x: R.Tensor((\"b\", \"n\", \"m\"), \"float32\")):\n"
                                    "        with R.dataflow():\n"
                                    "            y = R.nn.softmax(x, axis=-1)\n" TAIL;
    static const int64_t dims[][3] = {{0, 2, 3},   {2, 0, 3},   {1, 1, 1},   {2, 3, 63},
                                      {3, 1, 127}, {1, 5, 128}, {2, 2, 129}, {1, 1, 300}};
    if (!has_device(t))
        return;
    rlx_executable *exe = compiled(t, text, "opencl -device=cpu", "taken by rule threads");
    rlx_vm *vm = opened(t, exe);
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        const int64_t length = dims[i][2];
        const rlx_value arg = tensor(t, dims[i][0], dims[i][1], length);
        rlx_tensor *here = called(t, vm, &arg, 1);
        const float *x = rlx_tensor_data(arg.as.tensor), *y = rlx_tensor_data(here);
        double worst = 0;
        for (int64_t row = 0; row < dims[i][0] * dims[i][1]; row++) {
            double sum = 0;
            for (int64_t k = 0; k < length; k++)
                sum += exp((double)x[row * length + k]);
            for (int64_t k = 0; k < length; k++)
                worst = fmax(worst, fabs(exp((double)x[row * length + k]) / sum -
                                         (double)y[row * length + k]));
        }
        cr_expect_lt(worst, 1e-6, "rows of %d: %g", (int)length, worst);
        rlx_value_release(rlx_of_tensor(here));
        rlx_value_release(arg);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

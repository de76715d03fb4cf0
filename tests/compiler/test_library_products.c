/* Products by cuBLAS: a stand-in for it runs them in the stream of the stand-in for the driver. */
#include "tests/compiler/library.h"
#include "tests/fake/fake.h"

#include <stdlib.h>

enum { BATCHES = 3, K = 64, N = 80, LARGEST = 65, CONSTANT = 2 };

static const char whole[] =
    "@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((3, \"n\", 64), \"float32\"), w: R.Tensor((64, 80), \"float32\"),\n"
    "             q: R.Tensor((3, 80, 64), \"float32\")):\n"
    "        with R.dataflow():\n"
    "            y = R.matmul(x, w)\n"
    "            z = R.matmul(R.nn.relu(y), q)\n"
    "            c = R.matmul(z, R.add(R.ones(R.shape([64, 64]), \"float32\"), "
    "R.const(1, \"float32\")))\n"
    "            r = R.add(c, x)\n"
    "            R.output(r)\n"
    "        return r\n";

static fake_control *drivers(void)
{
    fake_control *fake = fake_open("cuda", "RLX_CUDA_LIBRARY");
    cr_assert_not_null(fake);
    setenv("RLX_CUBLAS_LIBRARY", getenv("RLX_CUDA_LIBRARY"), 1); /* it is in the same library */
    return fake;
}

/* No kernels, which the stand-in would have to build each time that a device is opened. */
static const char alone[] =
    "@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 64), \"float32\"), w: R.Tensor((64, 80), \"float32\")):\n"
    "        with R.dataflow():\n"
    "            y = R.matmul(x, w)\n"
    "            R.output(y)\n"
    "        return y\n";

static rlx_executable *compiled(rlx_test *t, const char *text)
{
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options options;
    rlx_executable *exe = NULL;
    const char *requests[] = {"library_products"};
    rlx_compile_options_init(&options);
    options.default_device = "cuda:0";
    options.passes = requests;
    options.n_passes = 1;
    options.check = true;
    RLX_OKAY(rlx_ir_module_load(library_parse(t, c, text), &options, NULL, &exe, &t->error));
    rlx_compiler_destroy(c);
    return exe;
}

static float value(int64_t i, int of)
{
    return (float)((i * 7 + i / 11 * of) % 5 - 2); /* sums of products are exact */
}

static rlx_value filled(rlx_test *t, uint32_t ndim, const int64_t *dims, int of)
{
    rlx_tensor *x = NULL;
    RLX_OKAY(rlx_tensor_create(NULL, RLX_F32, ndim, dims, &x, &t->error));
    for (int64_t i = 0; i < rlx_tensor_numel(x); i++)
        ((float *)rlx_tensor_mutable_data(x))[i] = value(i, of);
    return rlx_of_tensor(x);
}

static void expect_right(const float *got, int64_t n)
{
    uint32_t wrong = 0;
    for (int64_t row = 0; row < BATCHES * n; row++) {
        float y[N], sum = 0;
        for (int j = 0; j < N; j++) {
            y[j] = 0;
            for (int k = 0; k < K; k++)
                y[j] += value(row * K + k, 1) * value((int64_t)k * N + j, 2);
            y[j] = y[j] > 0 ? y[j] : 0;
        }
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                sum += y[j] * value((row / n * N + j) * K + k, 3);
        for (int k = 0; k < K; k++)
            wrong += got[row * K + k] != CONSTANT * sum + value(row * K + k, 1);
    }
    cr_expect_eq(wrong, 0, "%u of %d rows are wrong", wrong, (int)(BATCHES * n));
}

static rlx_status call(rlx_test *t, rlx_vm *vm, int64_t n, rlx_error *err)
{
    rlx_value args[3] = {filled(t, 3, (int64_t[]){BATCHES, n, K}, 1),
                         filled(t, 2, (int64_t[]){K, N}, 2),
                         filled(t, 3, (int64_t[]){BATCHES, N, K}, 3)};
    rlx_value out = rlx_none();
    rlx_tensor *here = NULL;
    rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), args, 3, &out, err);
    if (status == RLX_OK)
        status = rlx_tensor_to_device(NULL, out.as.tensor, NULL, &here, err);
    if (status == RLX_OK) {
        expect_right(rlx_tensor_data(here), n);
        rlx_value_release(rlx_of_tensor(here));
    }
    rlx_value_release(out);
    for (int i = 0; i < 3; i++)
        rlx_value_release(args[i]);
    return status;
}

RLX_TEST(library_products, are_those_of_kernels)
{
    fake_control *fake = drivers();
    rlx_executable *exe = compiled(t, whole);
    rlx_vm *vm = NULL;
    for (int graphs = 0; graphs < 2; graphs++) {
        const rlx_vm_options o = {.allocator = &t->allocator, .device_graphs = graphs == 1};
        RLX_OKAY(rlx_vm_create(exe, &o, &vm, &t->error));
        static const int64_t sizes[] = {1, 0, LARGEST, LARGEST, LARGEST};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            RLX_OKAY(call(t, vm, sizes[i], &t->error));
        rlx_vm_destroy(vm);
    }
    rlx_executable_release(exe);
    cr_expect(fake->live == 0 && fake->misuses == 0);
}

RLX_TEST(library_products, a_missing_library_is_told_by_name)
{
    fake_control *fake = drivers();
    rlx_executable *exe = compiled(t, whole);
    rlx_vm *vm = NULL;
    RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    setenv("RLX_CUBLAS_LIBRARY", "/no/libcublas.so", 1);
    RLX_FAILS(call(t, vm, 3, &t->error), RLX_E_NOT_FOUND,
              "cuda:0: no cuBLAS (libcublas.so.13 or .12): /no/libcublas.so");
    setenv("RLX_CUBLAS_LIBRARY", "libm.so.6", 1);
    RLX_FAILS(call(t, vm, 3, &t->error), RLX_E_NOT_FOUND, "lacks the function cublasCreate_v2");
    drivers();
    RLX_OKAY(call(t, vm, 3, &t->error));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    cr_expect(fake->live == 0 && fake->misuses == 0);
}

static rlx_status call_alone(rlx_test *t, rlx_vm *vm, rlx_error *err)
{
    rlx_value args[2] = {filled(t, 2, (int64_t[]){2, K}, 1), filled(t, 2, (int64_t[]){K, N}, 2)};
    rlx_value out = rlx_none();
    const rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &out, err);
    rlx_value_release(out);
    for (int i = 0; i < 2; i++)
        rlx_value_release(args[i]);
    return status;
}

RLX_TEST(library_products, each_call_of_the_library_may_fail)
{
    fake_control *fake = drivers();
    rlx_executable *exe = compiled(t, alone);
    const rlx_vm_options o = {.allocator = &t->allocator};
    uint32_t of_library = 0;
    for (uint32_t i = 1;; i++) {
        rlx_vm *vm = NULL;
        rlx_error err = {0};
        RLX_OKAY(rlx_vm_create(exe, &o, &vm, &t->error));
        fake->calls = 0;
        fake->failed = NULL;
        fake->code = 14;
        fake->fail_at = i;
        const rlx_status status = call_alone(t, vm, &err);
        const bool is_library = fake->failed && !strncmp(fake->failed, "cublas", 6);
        cr_expect(!is_library || strstr(err.message, "cuda:0: a product: cuBLAS error 14"),
                  "%s: %s", fake->failed, err.message);
        cr_expect(status == RLX_OK || err.message[0], "%s", fake->failed);
        of_library += is_library;
        fake->fail_at = 0;
        RLX_OKAY(call_alone(t, vm, &t->error));
        rlx_vm_destroy(vm);
        cr_expect_eq(fake->live, 0, "%u objects are left after %s", fake->live, fake->failed);
        if (!fake->failed)
            break;
    }
    cr_expect_eq(of_library, 3); /* create, the stream, the product */
    rlx_executable_release(exe);
    cr_expect_eq(fake->misuses, 0);
}

/* Passes on request do not change a module's results. Inputs are quarters up to 1, so that bfloat16
 * holds the inner products too and all sums are exact: results are compared bit by bit, at sizes 0,
 * 1 and odd ones. */
#include <stdlib.h>
#include <string.h>

#include "rlx/vm.h"
#include "tests/compiler/bound.h"

static const char text[] =
    "@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 17), \"float32\"), a: R.Tensor((17, 3), \"float32\"),\n"
    "             c: R.Tensor((3, 19), \"float32\"), w: R.Tensor((5, 4, 3, 3), \"float32\"),\n"
    "             p: R.Tensor((\"n\", 4, 6, 7), \"float32\")):\n"
    "        with R.dataflow():\n"
    "            ac = R.matmul(a, c)\n"
    "            y = R.matmul(x, ac)\n"
    "            z = R.nn.conv2d(p, w, padding=1)\n"
    "            R.output(y, z)\n"
    "        return (y, z)\n";

enum { RESULTS = 2 };

static rlx_executable *compile(rlx_test *t, const char *program, const char *request,
                               rlx_dtype mixed)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_options options;
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
    options.check = true;
    options.mixed = mixed;
    if (request)
        options.requests[options.n_requests++] = request;
    rlxc_module *module = rlxc_read_module(ctx, "test.py", program, strlen(program));
    rlx_executable *exe = bound_load(t, ctx, module, &options, NULL, program);
    rlxc_context_destroy(ctx);
    return exe;
}

static rlx_value quarters(rlx_test *t, uint32_t ndim, const int64_t *dims, uint32_t seed)
{
    rlx_tensor *x = NULL;
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, ndim, dims, &x, &t->error));
    float *data = rlx_tensor_mutable_data(x);
    for (int64_t i = 0; i < rlx_tensor_numel(x); i++) {
        seed = seed * 1664525 + 1013904223;
        data[i] = (float)((int)(seed >> 29) - 4) / 4;
    }
    return rlx_of_tensor(x);
}

static rlx_value run(rlx_test *t, rlx_executable *exe, int64_t n)
{
    const int64_t x[2] = {n, 17}, a[2] = {17, 3}, c[2] = {3, 19}, w[4] = {5, 4, 3, 3},
                  image[4] = {n, 4, 6, 7};
    rlx_value args[5] = {quarters(t, 2, x, 1), quarters(t, 2, a, 2), quarters(t, 2, c, 3),
                         quarters(t, 4, w, 4), quarters(t, 4, image, 5)};
    rlx_value out = rlx_none();
    rlx_vm *vm = NULL;
    const rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 5, &out, &t->error));
    rlx_vm_destroy(vm);
    for (int i = 0; i < 5; i++)
        rlx_value_release(args[i]);
    return out;
}

RLX_TEST(requested_passes, results_stay)
{
    static const int64_t sizes[] = {0, 1, 7, 33};
    const struct {
        const char *request;
        rlx_dtype mixed;
    } cases[] = {{"adjust_matmul_order", rlxc_dtype_void()},
                 {NULL, RLX_F16},
                 {NULL, RLX_BF16},
                 {"adjust_matmul_order", RLX_F16}};
    rlx_executable *plain = compile(t, text, NULL, rlxc_dtype_void());
    for (size_t k = 0; plain && k < sizeof cases / sizeof *cases; k++) {
        rlx_executable *exe = compile(t, text, cases[k].request, cases[k].mixed);
        for (size_t i = 0; exe && i < sizeof sizes / sizeof *sizes; i++) {
            rlx_value want = run(t, plain, sizes[i]), got = run(t, exe, sizes[i]);
            for (uint32_t r = 0; r < RESULTS; r++) {
                const rlx_tensor *a = rlx_tuple_get(want.as.tuple, r).as.tensor,
                                 *b = rlx_tuple_get(got.as.tuple, r).as.tensor;
                const size_t bytes = (size_t)rlx_tensor_numel(a) * sizeof(float);
                cr_assert_eq(rlx_tensor_numel(a), rlx_tensor_numel(b));
                cr_expect(bytes == 0 || memcmp(rlx_tensor_data(a), rlx_tensor_data(b), bytes) == 0,
                          "case %zu, n %lld, result %u", k, (long long)sizes[i], r);
            }
            rlx_value_release(want);
            rlx_value_release(got);
        }
        rlx_executable_release(exe);
    }
    rlx_executable_release(plain);
}

static const char lifted_text[] =
    "@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor((\"n\", 17), \"float32\"), w: R.Tensor((3, 17), \"float32\"),\n"
    "             b: R.Tensor((3,), \"float32\")):\n"
    "        R.func_attr({\"num_input\": 1})\n"
    "        with R.dataflow():\n"
    "            t = R.permute_dims(R.add(w, w))\n"
    "            twice = R.multiply(b, R.const(2, \"float32\"))\n"
    "            y = R.add(R.multiply(R.matmul(x, t), twice), b)\n"
    "            R.output(y)\n"
    "        return y\n";

/* main applied to the outputs of main_transform_params equals the original main applied to the
 * weights. */
RLX_TEST(requested_passes, lifted_weights_give_the_same_results)
{
    rlx_executable *plain = compile(t, lifted_text, NULL, rlxc_dtype_void()),
                   *lifted = compile(t, lifted_text, "lift_transform_params", rlxc_dtype_void());
    const rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
    rlx_vm *vms[2];
    rlx_tuple *weights = NULL;
    cr_assert(plain && lifted);
    RLX_OKAY(rlx_vm_create(plain, &options, &vms[0], &t->error));
    RLX_OKAY(rlx_vm_create(lifted, &options, &vms[1], &t->error));
    const int64_t w[2] = {3, 17}, b[1] = {3};
    rlx_value items[2] = {quarters(t, 2, w, 6), quarters(t, 1, b, 7)}, made = rlx_none();
    RLX_OKAY(rlx_tuple_create(&t->allocator, 2, items, &weights, &t->error));
    rlx_value params = rlx_of_tuple(weights);
    RLX_OKAY(rlx_vm_invoke(vms[1], RLX_STR("main_transform_params"), &params, 1, &made, &t->error));
    cr_assert(made.kind == RLX_KIND_TUPLE && rlx_tuple_count(made.as.tuple) == 3);
    for (int64_t n = 0; n < 10; n += 3) {
        const int64_t dims[2] = {n, 17};
        rlx_value x = quarters(t, 2, dims, 8), want = rlx_none(), got = rlx_none();
        const rlx_value before[3] = {x, items[0], items[1]};
        const rlx_value after[4] = {x, rlx_tuple_get(made.as.tuple, 0),
                                    rlx_tuple_get(made.as.tuple, 1),
                                    rlx_tuple_get(made.as.tuple, 2)};
        RLX_OKAY(rlx_vm_invoke(vms[0], RLX_STR("main"), before, 3, &want, &t->error));
        RLX_OKAY(rlx_vm_invoke(vms[1], RLX_STR("main"), after, 4, &got, &t->error));
        const size_t bytes = (size_t)(n * 3) * sizeof(float);
        cr_assert_eq(rlx_tensor_numel(got.as.tensor), n * 3);
        cr_expect(bytes == 0 || memcmp(rlx_tensor_data(want.as.tensor),
                                       rlx_tensor_data(got.as.tensor), bytes) == 0,
                  "n %lld", (long long)n);
        rlx_value_release(want);
        rlx_value_release(got);
        rlx_value_release(x);
    }
    rlx_value_release(made);
    rlx_value_release(params);
    for (int i = 0; i < 2; i++) {
        rlx_value_release(items[i]);
        rlx_vm_destroy(vms[i]);
    }
    rlx_executable_release(plain);
    rlx_executable_release(lifted);
}

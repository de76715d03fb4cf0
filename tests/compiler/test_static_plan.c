/* Pass static_plan: with bounds for all symbols the file states every offset, the results are those
 * of a plan that is laid out at run time, and a value above the bound is an error. */
#include <string.h>

#include "compiler/driver/compile.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

#define BOUND "        R.func_attr({\"tir_var_upper_bound\": {\"n\": 100}})\n"

/* Tensors of several sizes in the graph, temporaries in a PrimFunc. */
static const char header[] = "from tvm.script import ir as I, relax as R, tir as T\n"
                             "@I.ir_module\n"
                             "class Module:\n"
                             "    @T.prim_func(private=True)\n"
                             "    def turn(a: T.handle, b: T.handle):\n"
                             "        n = T.int64()\n"
                             "        A = T.match_buffer(a, (n, 4), \"float32\")\n"
                             "        B = T.match_buffer(b, (n, 4), \"float32\")\n"
                             "        t = T.alloc_buffer((n, n), \"float32\")\n"
                             "        for i, j in T.grid(n, n):\n"
                             "            t[i, j] = A[n - 1 - i, j % 4]\n"
                             "        for i, j in T.grid(n, T.int64(4)):\n"
                             "            B[i, j] = t[n - 1 - i, i % n] + t[i, (i + j) % n]\n"
                             "    @R.function\n"
                             "    def main(x: R.Tensor((\"n\", 4), \"float32\")):\n"
                             "        n = T.int64()\n",
                  body[] = "        a = R.nn.softmax(R.matmul(x, R.permute_dims(x)))\n"
                           "        b = R.call_tir(Module.turn, (R.cumsum(x, axis=0),), "
                           "out_sinfo=R.Tensor((n, 4), \"float32\"))\n"
                           "        return R.matmul(a, b)\n";

static rlx_executable *compile(rlx_test *t, const char *bound, bool is_static, const char *error)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlxc_options options;
    rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
    options.check = true;
    if (is_static)
        options.requests[options.n_requests++] = "static_plan";
    const char *text = rlxc_internf(ctx, "%s%s%s", header, bound, body);
    rlxc_module *module = rlxc_read_module(ctx, "test.py", text, strlen(text));
    const bool fine = module && rlxc_compile_module(ctx, module, &options, NULL, builder);
    const char *said = rlxc_render_diagnostics(ctx);
    cr_assert(fine == !error && (fine || strstr(said, error)), "%s", said);
    if (fine)
        RLX_OKAY(rlx_exec_builder_load(builder, &load, &exe, &t->error));
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    return exe;
}

static rlx_value run(rlx_test *t, rlx_vm *vm, int64_t n)
{
    const int64_t dims[2] = {n, 4};
    rlx_value x = rlx_test_iota(t, 2, dims), out = rlx_none();
    float *data = rlx_tensor_mutable_data(x.as.tensor);
    for (int64_t i = 0; i < 4 * n; i++)
        data[i] = (float)(i % 7) / 8;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
    rlx_value_release(x);
    return out;
}

static void check_offsets(const rlx_executable *exe, bool is_static)
{
    rlx_plan_counts counts;
    rlx_plan_buffer b;
    uint32_t stated = 0;
    cr_assert(rlx_function_plan(exe, 0, &counts));
    for (uint32_t i = 0; i < counts.n_buffers; i++)
        stated +=
            rlx_function_plan_buffer(exe, 0, i, &b) && b.offset != RLX_PLAN_AT_RUN_TIME ? 1 : 0;
    cr_expect(counts.n_buffers >= 4 && stated == (is_static ? counts.n_buffers : 0),
              "%u of %u offsets are stated", stated, counts.n_buffers);
}

RLX_TEST(static_plan, offsets_are_stated_and_results_stay)
{
    static const int64_t sizes[] = {0, 1, 2, 99, 100};
    rlx_executable *exe[2];
    rlx_vm *vm[2];
    for (int k = 0; k < 2; k++) {
        const rlx_vm_options options = {.allocator = &t->allocator, .debug_poison = true};
        exe[k] = compile(t, BOUND, k == 1, NULL);
        RLX_OKAY(rlx_vm_create(exe[k], &options, &vm[k], &t->error));
        RLX_OKAY(rlx_executable_verify_plans(exe[k], &t->error));
        check_offsets(exe[k], k == 1);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rlx_value out[2] = {run(t, vm[0], sizes[i]), run(t, vm[1], sizes[i])};
        const rlx_tensor *a = out[0].as.tensor, *b = out[1].as.tensor;
        cr_expect(rlx_tensor_numel(a) == 4 * sizes[i] && rlx_tensor_numel(b) == 4 * sizes[i] &&
                      memcmp(rlx_tensor_data(a), rlx_tensor_data(b), rlx_tensor_nbytes(a)) == 0,
                  "n = %d", (int)sizes[i]);
        rlx_value_release(out[0]);
        rlx_value_release(out[1]);
    }
    const int64_t above[2] = {101, 4};
    rlx_value x = rlx_test_iota(t, 2, above), none = rlx_none();
    RLX_FAILS(rlx_vm_invoke(vm[1], RLX_STR("main"), &x, 1, &none, &t->error), RLX_E_SHAPE,
              "upper bound of symbol n: 101 <= 100 does not hold");
    rlx_value_release(x);
    for (int k = 0; k < 2; k++) {
        rlx_vm_destroy(vm[k]);
        rlx_executable_release(exe[k]);
    }
}

RLX_TEST(static_plan, a_size_without_a_bound_is_an_error)
{
    compile(t, "", true, "depends on n, which has no upper bound (--bound n=MIN:MAX");
    compile(t, "        R.func_attr({\"tir_var_upper_bound\": {\"n\": 4611686018427387904}})\n",
            true, "the size of this memory has no upper bound below 2^46");
}

/* Code generator "cblas" (docs/generators.md): the same results as without it, by a stand-in for a
 * BLAS, whose products are counted. */
#include <math.h>
#include <rlx/loaders.h>
#include <string.h>

#include "tests/compiler/library.h"
#include "tests/fake/fake.h"

enum { MOST_PARAMS = 3, MOST_RANK = 4 };

/* main(a, b, c) of the expression |body|; dimension -1 is n. */
static const struct product_case {
    const char *params, *body;
    int64_t dims[MOST_PARAMS][MOST_RANK];
    uint32_t ranks[MOST_PARAMS];
    uint32_t taken;    /* functions in the section */
    uint32_t products; /* for n = 3 */
} cases[] = {
    {"a: R.Tensor((\"n\", 8), \"float32\"), b: R.Tensor((8, 5), \"float32\")",
     "R.matmul(a, b)",
     {{-1, 8}, {8, 5}},
     {2, 2},
     1,
     1},
    {"a: R.Tensor((\"n\", 8), \"float32\"), b: R.Tensor((5, 8), \"float32\"), "
     "c: R.Tensor((5,), \"float32\")",
     "R.nn.relu(R.add(R.matmul(a, R.permute_dims(b)), c))",
     {{-1, 8}, {5, 8}, {5}},
     {2, 2, 1},
     1,
     1},
    {"a: R.Tensor((4, \"n\"), \"float32\"), b: R.Tensor((\"n\", 5), \"float32\"), "
     "c: R.Tensor((5,), \"float32\")",
     "R.nn.gelu(R.add(c, R.matmul(a, b)))",
     {{4, -1}, {-1, 5}, {5}},
     {2, 2, 1},
     1,
     1},
    {"a: R.Tensor((4, 6), \"float32\"), b: R.Tensor((6, \"n\"), \"float32\"), "
     "c: R.Tensor((\"n\",), \"float32\")",
     "R.nn.silu(R.add(R.matmul(a, b), c))",
     {{4, 6}, {6, -1}, {-1}},
     {2, 2, 1},
     1,
     1},
    {"a: R.Tensor((\"n\", 2, 8), \"float32\"), b: R.Tensor((8, 5), \"float32\"), "
     "c: R.Tensor((5,), \"float32\")",
     "R.sigmoid(R.add(R.matmul(a, b), c))",
     {{-1, 2, 8}, {8, 5}, {5}},
     {3, 2, 1},
     1,
     1},
    {"a: R.Tensor((\"n\", 2, 8), \"float32\"), b: R.Tensor((\"n\", 4, 8), \"float32\")",
     "R.tanh(R.matmul(a, R.permute_dims(b, axes=[0, 2, 1])))",
     {{-1, 2, 8}, {-1, 4, 8}},
     {3, 3},
     1,
     3},
    {"a: R.Tensor((2, \"n\", 2, 3), \"float32\"), b: R.Tensor((\"n\", 3, 4), \"float32\")",
     "R.nn.gelu_tanh(R.matmul(a, b))",
     {{2, -1, 2, 3}, {-1, 3, 4}},
     {4, 3},
     1,
     6},
    {"a: R.Tensor((1, 2, 3), \"float32\"), b: R.Tensor((\"n\", 3, 4), \"float32\")",
     "R.matmul(a, b)",
     {{1, 2, 3}, {-1, 3, 4}},
     {3, 3},
     1,
     3},
    /* Each product is a function of its own, and equal ones share one. */
    {"a: R.Tensor((\"n\", 4), \"float32\"), b: R.Tensor((4, 4), \"float32\")",
     "R.nn.relu(R.matmul(R.add(R.matmul(R.matmul(a, b), b), a), b))",
     {{-1, 4}, {4, 4}},
     {2, 2},
     3,
     3},
    /* The bias is not one number for each column; dimensions are exchanged that no BLAS exchanges.
     */
    {"a: R.Tensor((4, 6), \"float32\"), b: R.Tensor((6, 4), \"float32\"), "
     "c: R.Tensor((4, 1), \"float32\")",
     "R.add(R.matmul(a, b), c)",
     {{4, 6}, {6, 4}, {4, 1}},
     {2, 2, 2},
     1,
     1},
    {"a: R.Tensor((2, 3, 4), \"float32\"), b: R.Tensor((4, 2, 5), \"float32\")",
     "R.matmul(a, R.permute_dims(b, axes=[1, 0, 2]))",
     {{2, 3, 4}, {4, 2, 5}},
     {3, 3},
     1,
     2},
    /* Nothing to take: vectors. */
    {"a: R.Tensor((4,), \"float32\"), b: R.Tensor((4, 5), \"float32\")",
     "R.matmul(a, b)",
     {{4}, {4, 5}},
     {1, 2},
     0,
     0},
};

static rlx_executable *compile(rlx_test *t, const struct product_case *p, bool with)
{
    static const char *const names[] = {"cblas"};
    char text[1024];
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n    @R.function\n    def main(%s):\n"
             "        with R.dataflow():\n            y = %s\n            R.output(y)\n"
             "        return y\n",
             p->params, p->body);
    rlx_compile_options options;
    rlx_compile_options_init(&options);
    options.check = true;
    options.codegens = names;
    options.n_codegens = with;
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, text);
    rlx_executable *exe = NULL;
    RLX_OKAY(rlx_ir_module_load(m, &options, NULL, &exe, &t->error));
    rlx_compiler_destroy(c);
    return exe;
}

/* Numbers of both signs, with |n| for the symbolic dimension. */
static rlx_value tensor_of(rlx_test *t, const struct product_case *p, uint32_t param, int64_t n)
{
    int64_t dims[MOST_RANK];
    for (uint32_t i = 0; i < p->ranks[param]; i++)
        dims[i] = p->dims[param][i] < 0 ? n : p->dims[param][i];
    const rlx_value v = rlx_test_iota(t, p->ranks[param], dims);
    float *x = rlx_tensor_mutable_data(v.as.tensor);
    for (int64_t i = 0; i < rlx_tensor_numel(v.as.tensor); i++)
        x[i] = (float)((i * 7 + param * 3) % 11 - 5) / 4;
    return v;
}

static rlx_value run(rlx_test *t, rlx_executable *exe, rlx_registry *r,
                     const struct product_case *p, int64_t n)
{
    rlx_vm *vm = NULL;
    rlx_value args[MOST_PARAMS], y = rlx_none();
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    uint32_t n_args = 0;
    for (; n_args < MOST_PARAMS && p->ranks[n_args] > 0; n_args++)
        args[n_args] = tensor_of(t, p, n_args, n);
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, n_args, &y, &t->error));
    for (uint32_t i = 0; i < n_args; i++)
        rlx_value_release(args[i]);
    rlx_vm_destroy(vm);
    return y;
}

static uint32_t functions_in(const rlx_executable *exe)
{
    rlx_code_image image;
    if (!rlx_executable_code_image(exe, 0, 0, &image))
        return 0;
    return *(const uint8_t *)image.data;
}

RLX_TEST(cblas, results_are_those_without_it)
{
    fake_control *fake = fake_open("cblas", "RLX_CBLAS_LIBRARY");
    rlx_registry *r = NULL;
    cr_assert_not_null(fake);
    RLX_OKAY(rlx_registry_create(&t->allocator, &r, &t->error));
    RLX_OKAY(rlx_registry_add_cblas(r, &t->error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct product_case *p = &cases[i];
        rlx_executable *with = compile(t, p, true), *without = compile(t, p, false);
        cr_expect_eq(functions_in(with), p->taken, "%s: %u functions", p->body, functions_in(with));
        static const int64_t sizes[] = {0, 1, 3};
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            fake->calls = 0;
            const rlx_value got = run(t, with, r, p, sizes[s]);
            const rlx_value want = run(t, without, NULL, p, sizes[s]);
            if (sizes[s] == 3)
                cr_expect_eq(fake->calls, p->products, "%s: %u products", p->body, fake->calls);
            const rlx_tensor *x = got.as.tensor, *y = want.as.tensor;
            cr_assert_eq(rlx_tensor_numel(x), rlx_tensor_numel(y), "%s", p->body);
            const float *a = rlx_tensor_data(x), *b = rlx_tensor_data(y);
            for (int64_t k = 0; k < rlx_tensor_numel(x); k++)
                cr_assert(fabsf(a[k] - b[k]) <= 1e-5f * (1 + fabsf(b[k])), "%s: %g, not %g",
                          p->body, (double)a[k], (double)b[k]);
            rlx_value_release(got);
            rlx_value_release(want);
        }
        rlx_executable_release(with);
        rlx_executable_release(without);
    }
    cr_expect_eq(fake->misuses, 0);
    rlx_registry_release(r);
}

RLX_TEST(cblas, a_machine_without_a_blas_is_told_so)
{
    rlx_registry *r = NULL;
    rlx_vm *vm = NULL;
    RLX_OKAY(rlx_registry_create(&t->allocator, &r, &t->error));
    RLX_OKAY(rlx_registry_add_cblas(r, &t->error));
    const rlx_vm_options options = {.registry = r};
    rlx_executable *exe = compile(t, &cases[0], true);
    cr_assert_eq(setenv("RLX_CBLAS_LIBRARY", "/nonexistent/blas.so", 1), 0);
    RLX_FAILS(rlx_vm_create(exe, &options, &vm, &t->error), RLX_E_NOT_FOUND,
              "section 0 (cblas): there is no BLAS: neither /nonexistent/blas.so");
    cr_assert_eq(setenv("RLX_CBLAS_LIBRARY", "libm.so.6", 1), 0);
    RLX_FAILS(rlx_vm_create(exe, &options, &vm, &t->error), RLX_E_NOT_FOUND,
              "section 0 (cblas): the BLAS (libm.so.6) lacks the function cblas_sgemm");
    rlx_executable_release(exe);
    rlx_registry_release(r);
}

RLX_TEST(cblas, names_of_generators_are_checked)
{
    static const char *const names[][2] = {{"blas", NULL}, {"cblas", "cblas"}, {NULL, NULL}};
    static const char *const messages[] = {"there is no built-in code generator 'blas'",
                                           "code generator 'cblas' is named twice",
                                           "there is no built-in code generator 'NULL'"};
    for (size_t i = 0; i < 3; i++) {
        rlx_compile_options options;
        rlx_compile_options_init(&options);
        options.codegens = names[i];
        options.n_codegens = names[i][1] ? 2 : 1;
        rlx_compiler *c = library_compiler(t);
        rlx_ir_module *m = library_parse(t, c, "@R.function\ndef f(x: R.Object):\n    return x\n");
        RLX_FAILS(rlx_ir_module_lower(m, &options, &t->error), RLX_E_INVALID_ARG, messages[i]);
        rlx_compiler_destroy(c);
    }
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(
        t, c,
        "@I.ir_module\nclass Module:\n    @R.function(private=True)\n"
        "    def f(x: R.Tensor((2, 2), \"float32\")) -> R.Tensor((2, 2), \"float32\"):\n"
        "        R.func_attr({\"Codegen\": \"cblas\"})\n        return x\n"
        "    @R.function\n"
        "    def main(x: R.Tensor((2, 2), \"float32\")) -> R.Tensor((2, 2), \"float32\"):\n"
        "        y = Module.f(x)\n        return y\n");
    static const char *const cblas[] = {"cblas"};
    rlx_compile_options options;
    rlx_compile_options_init(&options);
    options.codegens = cblas;
    options.n_codegens = 1;
    RLX_FAILS(rlx_ir_module_lower(m, &options, &t->error), RLX_E_INVALID_MODULE,
              "code generator \"cblas\": 'f' is not one product of matrices");
    rlx_compiler_destroy(c);
}

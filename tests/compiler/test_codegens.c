/* Built-in code generators (docs/generators.md), with stand-ins for the libraries: results are the
 * same as without them, and the BLAS's products are counted. */
#include <math.h>
#include <rlx/loaders.h>
#include <string.h>

#include "tests/compiler/library.h"
#include "tests/fake/fake.h"

enum { MOST_PARAMS = 5, MOST_RANK = 4 };

/* main(a, b ...) of the expression |body|; dimension -1 is n. */
typedef struct codegen_case {
    const char *params, *body;
    int64_t dims[MOST_PARAMS][MOST_RANK];
    uint32_t ranks[MOST_PARAMS];
    uint32_t taken;    /* functions in the section */
    uint32_t products; /* of the BLAS for n = 3 */
} codegen_case;

static const codegen_case products[] = {
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
    /* Weights are constants. */
    {"a: R.Tensor((\"n\", 2), \"float32\")",
     "R.nn.relu(R.add(R.matmul(a, R.permute_dims(R.const([[1, 2], [3, 4], [5, -6]], "
     "\"float32\"))), R.const([1, -2, 3], \"float32\")))",
     {{-1, 2}},
     {2},
     1,
     1},
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

#define IMAGE(n, c, h, w) "R.Tensor((" n ", " c ", " h ", " w "), \"float32\")"
#define PLAIN_CONV "a: " IMAGE("\"n\"", "4", "9", "8") ", b: " IMAGE("6", "4", "3", "2")
static const codegen_case convolutions[] = {
    {PLAIN_CONV, "R.nn.conv2d(a, b)", {{-1, 4, 9, 8}, {6, 4, 3, 2}}, {4, 4}, 1, 0},
    {PLAIN_CONV ", c: " IMAGE("1", "6", "1", "1"),
     "R.nn.relu(R.add(R.nn.conv2d(a, b, strides=[2, 1], padding=[1, 0, 2, 1]), c))",
     {{-1, 4, 9, 8}, {6, 4, 3, 2}, {1, 6, 1, 1}},
     {4, 4, 4},
     1,
     0},
    {PLAIN_CONV ", c: " IMAGE("1", "6", "1", "1") ", d: " IMAGE("\"n\"", "6", "5", "6"),
     "R.nn.gelu(R.add(d, R.add(R.nn.conv2d(a, b, dilation=2), c)))",
     {{-1, 4, 9, 8}, {6, 4, 3, 2}, {1, 6, 1, 1}, {-1, 6, 5, 6}},
     {4, 4, 4, 4},
     1,
     0},
    {"a: " IMAGE("2", "4", "\"n\"", "\"n\"") ", b: " IMAGE("6", "2", "1", "1"),
     "R.nn.silu(R.nn.conv2d(a, b, groups=2))",
     {{2, 4, -1, -1}, {6, 2, 1, 1}},
     {4, 4},
     1,
     0},
    {"a: " IMAGE("\"n\"", "4", "5", "5") ", b: " IMAGE("4", "4", "3", "3"),
     "R.sigmoid(R.add(R.nn.conv2d(R.nn.conv2d(a, b, padding=1), b, padding=1), a))",
     {{-1, 4, 5, 5}, {4, 4, 3, 3}},
     {4, 4},
     2,
     0},
    {"a: " IMAGE("\"n\"", "4", "5", "5") ", b: " IMAGE("4", "1", "3", "3"),
     "R.tanh(R.nn.gelu_tanh(R.nn.conv2d(a, b, groups=4)))",
     {{-1, 4, 5, 5}, {4, 1, 3, 3}},
     {4, 4},
     1,
     0},
    /* The weights are constants. */
    {"a: " IMAGE("\"n\"", "1", "3", "4"),
     "R.nn.relu(R.add(R.nn.conv2d(a, R.const([[[[1, -2], [3, 4]]]], \"float32\")), "
     "R.const([[[[0.5]]]], \"float32\")))",
     {{-1, 1, 3, 4}},
     {4},
     1,
     0},
    /* Not a bias for each channel; a layout that stays rlx's. */
    {PLAIN_CONV ", c: " IMAGE("1", "1", "1", "7"),
     "R.add(R.nn.conv2d(a, b), c)",
     {{-1, 4, 9, 8}, {6, 4, 3, 2}, {1, 1, 1, 7}},
     {4, 4, 4},
     1,
     0},
    {"a: " IMAGE("\"n\"", "5", "5", "4") ", b: " IMAGE("4", "4", "3", "3"),
     "R.nn.conv2d(a, b, data_layout=\"NHWC\")",
     {{-1, 5, 5, 4}, {4, 4, 3, 3}},
     {4, 4},
     0,
     0},
};

static const struct generator {
    const char *name, *fake, *variable;
    const codegen_case *cases;
    size_t n;
    rlx_status (*add)(rlx_registry *r, rlx_error *err);
} generators[] = {
    {"cblas", "cblas", "RLX_CBLAS_LIBRARY", products, sizeof products / sizeof *products,
     rlx_registry_add_cblas},
    {"dnnl", "dnnl", "RLX_DNNL_LIBRARY", convolutions, sizeof convolutions / sizeof *convolutions,
     rlx_registry_add_dnnl},
};

/* |generator| NULL: without any. */
static rlx_executable *compile(rlx_test *t, const codegen_case *p, const char *generator)
{
    char text[1024];
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n    @R.function\n    def main(%s):\n"
             "        with R.dataflow():\n            y = %s\n            R.output(y)\n"
             "        return y\n",
             p->params, p->body);
    rlx_compile_options options;
    rlx_compile_options_init(&options);
    options.check = true;
    options.codegens = &generator;
    options.n_codegens = generator != NULL;
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, text);
    rlx_executable *exe = NULL;
    RLX_OKAY(rlx_ir_module_load(m, &options, NULL, &exe, &t->error));
    rlx_compiler_destroy(c);
    return exe;
}

/* Numbers of both signs, with |n| for the symbolic dimension. */
static rlx_value tensor_of(rlx_test *t, const codegen_case *p, uint32_t param, int64_t n)
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

static rlx_status run(rlx_test *t, rlx_executable *exe, rlx_registry *r, const codegen_case *p,
                      int64_t n, rlx_value *out, rlx_error *err)
{
    rlx_vm *vm = NULL;
    rlx_value args[MOST_PARAMS];
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    uint32_t n_args = 0;
    for (; n_args < MOST_PARAMS && p->ranks[n_args] > 0; n_args++)
        args[n_args] = tensor_of(t, p, n_args, n);
    rlx_status status = rlx_vm_create(exe, &options, &vm, err);
    if (status == RLX_OK)
        status = rlx_vm_invoke(vm, RLX_STR("main"), args, n_args, out, err);
    for (uint32_t i = 0; i < n_args; i++)
        rlx_value_release(args[i]);
    rlx_vm_destroy(vm);
    return status;
}

static uint32_t functions_in(const rlx_executable *exe)
{
    rlx_code_image image;
    if (!rlx_executable_code_image(exe, 0, 0, &image))
        return 0;
    return *(const uint8_t *)image.data;
}

static rlx_registry *registry_of(rlx_test *t, const struct generator *g)
{
    rlx_registry *r = NULL;
    RLX_OKAY(rlx_registry_create(&t->allocator, &r, &t->error));
    RLX_OKAY(g->add(r, &t->error));
    return r;
}

static void compare(const codegen_case *p, rlx_value got, rlx_value want)
{
    const rlx_tensor *x = got.as.tensor, *y = want.as.tensor;
    cr_assert_eq(rlx_tensor_numel(x), rlx_tensor_numel(y), "%s", p->body);
    const float *a = rlx_tensor_data(x), *b = rlx_tensor_data(y);
    for (int64_t k = 0; k < rlx_tensor_numel(x); k++)
        cr_assert(fabsf(a[k] - b[k]) <= 2e-5f * (1 + fabsf(b[k])), "%s: %g, not %g", p->body,
                  (double)a[k], (double)b[k]);
}

static void try_case(rlx_test *t, const struct generator *g, const codegen_case *p,
                     fake_control *fake)
{
    static const int64_t sizes[] = {0, 1, 3};
    rlx_registry *r = registry_of(t, g);
    rlx_executable *with = compile(t, p, g->name), *without = compile(t, p, NULL);
    cr_expect_eq(functions_in(with), p->taken, "%s: %u functions", p->body, functions_in(with));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        rlx_value got = rlx_none(), want = rlx_none();
        fake->calls = 0;
        RLX_OKAY(run(t, with, r, p, sizes[s], &got, &t->error));
        RLX_OKAY(run(t, without, NULL, p, sizes[s], &want, &t->error));
        if (sizes[s] == 3 && p->products)
            cr_expect_eq(fake->calls, p->products, "%s: %u products", p->body, fake->calls);
        compare(p, got, want);
        rlx_value_release(got);
        rlx_value_release(want);
    }
    rlx_executable_release(with);
    rlx_executable_release(without);
    rlx_registry_release(r);
}

RLX_TEST(codegens, results_are_those_without_them)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++) {
        const struct generator *g = &generators[i];
        fake_control *fake = fake_open(g->fake, g->variable);
        cr_assert_not_null(fake);
        for (size_t k = 0; k < g->n; k++)
            try_case(t, g, &g->cases[k], fake);
        cr_expect_eq(fake->misuses, 0, "%s: %u misuses", g->name, fake->misuses);
        cr_expect_eq(fake->live, 0, "%s: %u objects", g->name, fake->live);
    }
}

RLX_TEST(codegens, machines_without_the_library_are_told_so)
{
    static const char *const messages[][2] = {
        {"section 0 (cblas): there is no BLAS: neither /nonexistent/library.so nor a file that "
         "RLX_CBLAS_LIBRARY names",
         "section 0 (cblas): the BLAS (libc.so.6) lacks the function cblas_sgemm"},
        {"section 0 (dnnl): there is no oneDNN: neither /nonexistent/library.so nor a file that "
         "RLX_DNNL_LIBRARY names",
         "section 0 (dnnl): the oneDNN (libc.so.6) lacks the function dnnl_engine_create"}};
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++) {
        const struct generator *g = &generators[i];
        rlx_registry *r = registry_of(t, g);
        rlx_executable *exe = compile(t, &g->cases[0], g->name);
        rlx_value y = rlx_none();
        cr_assert_eq(setenv(g->variable, "/nonexistent/library.so", 1), 0);
        RLX_FAILS(run(t, exe, r, &g->cases[0], 1, &y, &t->error), RLX_E_NOT_FOUND, messages[i][0]);
        cr_assert_eq(setenv(g->variable, "libc.so.6", 1), 0);
        RLX_FAILS(run(t, exe, r, &g->cases[0], 1, &y, &t->error), RLX_E_NOT_FOUND, messages[i][1]);
        rlx_executable_release(exe);
        rlx_registry_release(r);
    }
}

RLX_TEST(codegens, failures_of_onednn_are_errors)
{
    const struct generator *g = &generators[1];
    const codegen_case *p = &convolutions[2]; /* with a bias, a sum and an activation */
    fake_control *fake = fake_open(g->fake, g->variable);
    cr_assert_not_null(fake);
    rlx_registry *r = registry_of(t, g);
    rlx_executable *exe = compile(t, p, g->name);
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        rlx_value y = rlx_none();
        cr_assert_lt(n, 100, "the call never succeeds");
        fake->calls = 0;
        fake->fail_at = n;
        fake->code = 6;
        if (n == 1)
            RLX_FAILS(run(t, exe, r, p, 2, &y, &t->error), RLX_E_KERNEL,
                      "oneDNN's engine_create gave 6");
        rlx_status status = n > 1 ? run(t, exe, r, p, 2, &y, &t->error) : RLX_E_KERNEL;
        done = fake->calls < n;
        cr_expect_eq(status, done ? RLX_OK : RLX_E_KERNEL, "call %u: %s", n, t->error.message);
        cr_expect_eq(fake->live, 0, "call %u leaves %u objects", n, fake->live);
        rlx_value_release(y);
    }
    rlx_executable_release(exe);
    rlx_registry_release(r);
}

RLX_TEST(codegens, names_of_generators_are_checked)
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

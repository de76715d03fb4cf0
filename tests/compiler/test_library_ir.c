/* rlx/ir.h: traversing modules, analyses, building models by calls, rewriting. */
#include <string.h>

#include "tests/compiler/library.h"

static const char MODULE[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def turned(a: T.Buffer((4, 6), \"float32\"), b: T.Buffer((6, 4), \"float32\")):\n"
    "        for i, j in T.grid(6, 4):\n"
    "            with T.block(\"b\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                b[vi, vj] = a[vj, vi]\n"
    "    @T.prim_func\n"
    "    def reshaped(a: T.Buffer((4, 6), \"float32\"), b: T.Buffer((3, 8), \"float32\")):\n"
    "        for i, j in T.grid(3, 8):\n"
    "            with T.block(\"b\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                b[vi, vj] = a[(vi * 8 + vj) // 6, (vi * 8 + vj) % 6]\n"
    "    @T.prim_func\n"
    "    def partly(a: T.Buffer((4, 6), \"float32\"), b: T.Buffer((4, 6), \"float32\")):\n"
    "        for i, j in T.grid(4, 3):\n"
    "            with T.block(\"b\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                b[vi, vj] = a[vi, vj]\n"
    "    @R.function(private=True)\n"
    "    def twice(v: R.Tensor((\"m\",), \"float32\")) -> R.Tensor((\"m\",), \"float32\"):\n"
    "        t = R.add(v, v)\n"
    "        return t\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\",), \"float32\"), flag: R.Tensor((), \"bool\")):\n"
    "        R.func_attr({\"kind\": \"test\", \"num\": 3, \"list\": [1, 2.5]})\n"
    "        n = T.int64()\n"
    "        cls = Module\n"
    "        k = R.const([1.0, 2.0], \"float32\")\n"
    "        a = cls.twice(x)\n"
    "        s = R.nn.softmax(a, axis=0)\n"
    "        @R.function\n"
    "        def local(y: R.Tensor((n,), \"float32\")) -> R.Tensor((n,), \"float32\"):\n"
    "            q = R.multiply(y, s)\n"
    "            return q\n"
    "        if flag:\n"
    "            u = R.exp(s)\n"
    "            r = u\n"
    "        else:\n"
    "            w = local(a)\n"
    "            r = w\n"
    "        c = R.concat((r, r), axis=0)\n"
    "        e = R.reshape(c, R.shape([n * 2, 1]))\n"
    "        return (e, k)\n";

/* The binding of main, at any depth, whose variable has this name. */
typedef struct wanted {
    const char *name;
    const rlx_ir_binding *found;
    uint32_t seen;
} wanted;

static bool look(void *user, const rlx_ir_binding *b)
{
    wanted *w = user;
    w->seen++;
    if (strcmp(rlx_ir_var_name(rlx_ir_binding_var(b)), w->name) == 0)
        w->found = b;
    return w->found == NULL;
}

static const rlx_ir_binding *binding(const rlx_ir_function *f, const char *name)
{
    wanted w = {name, NULL, 0};
    cr_expect_eq(rlx_ir_visit(rlx_ir_function_body(f), look, &w), w.found == NULL);
    cr_assert_not_null(w.found, "%s", name);
    return w.found;
}

static rlx_ir_module *inferred(rlx_test *t, rlx_compiler *c, rlx_ir_global *main)
{
    static const char *const infer[] = {"infer"};
    rlx_ir_module *m = library_parse(t, c, MODULE);
    RLX_OKAY(rlx_ir_module_run_passes(m, infer, 1, NULL, &t->error));
    cr_assert(rlx_ir_module_find(m, "main", main) && main->function != NULL);
    return m;
}

RLX_TEST(library_ir, modules_and_functions_are_seen)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_global g;
    rlx_ir_module *m = inferred(t, c, &g);
    const char *key = NULL;
    int64_t i = 0;
    double d = 0;
    cr_expect_eq(rlx_ir_module_global_count(m), 5);
    cr_expect_str_eq(rlx_ir_function_name(g.function), "main");
    cr_expect_eq(rlx_ir_function_param_count(g.function), 2);
    cr_expect_not(rlx_ir_function_is_private(g.function));
    cr_expect(rlx_ir_function_is_pure(g.function));
    cr_expect_str_eq(rlx_ir_attr_string(rlx_ir_function_attr(g.function, 0, &key)), "test");
    cr_expect_str_eq(key, "kind");
    cr_expect(rlx_ir_attr_int(rlx_ir_function_attr(g.function, 1, NULL), &i) && i == 3);
    const rlx_ir_attr *list = rlx_ir_function_attr(g.function, 2, NULL);
    cr_expect_eq(rlx_ir_attr_count(list), 2);
    cr_expect(rlx_ir_attr_float(rlx_ir_attr_item(list, 1, NULL), &d) && d == 2.5);
    cr_expect_str_eq(rlx_ir_attr_text(c, list), "[1, 2.5]");
    cr_expect_null(rlx_ir_function_attr(g.function, 3, NULL));
    const rlx_ir_sinfo *x = rlx_ir_var_sinfo(rlx_ir_function_param(g.function, 0));
    cr_expect_eq(rlx_ir_sinfo_get_kind(x), RLX_IR_SINFO_TENSOR);
    cr_expect_eq(rlx_ir_sinfo_rank(x), 1);
    cr_expect(rlx_dtype_eq(rlx_ir_sinfo_dtype(x), RLX_F32));
    cr_expect_str_eq(rlx_ir_sinfo_text(c, x), "R.Tensor((n,), dtype=\"float32\")");
    const rlx_ir_sinfo *result = rlx_ir_function_result(g.function);
    cr_assert_eq(rlx_ir_sinfo_get_kind(result), RLX_IR_SINFO_TUPLE);
    cr_expect_eq(rlx_ir_sinfo_field_count(result), 2);
    const rlx_ir_expr *dim = rlx_ir_sinfo_dim(rlx_ir_sinfo_field(result, 0), 0);
    cr_expect_str_eq(rlx_ir_expr_text(c, dim), "n * 2");
    cr_expect_not(rlx_ir_expr_constant(dim, &i));
    cr_expect(rlx_ir_expr_constant(rlx_ir_sinfo_dim(rlx_ir_sinfo_field(result, 0), 1), &i));
    cr_expect_eq(i, 1);
    static const char *const names[] = {"k", "n"};
    RLX_OKAY(rlx_ir_expr_evaluate(c, dim, names, (const int64_t[]){1, 21}, 2, &i, &t->error));
    cr_expect_eq(i, 42);
    RLX_FAILS(rlx_ir_expr_evaluate(c, dim, names, (const int64_t[]){1}, 1, &i, &t->error),
              RLX_E_NOT_FOUND, "'n'");
    RLX_FAILS(
        rlx_ir_expr_evaluate(c, dim, names, (const int64_t[]){1, INT64_MAX}, 2, &i, &t->error),
        RLX_E_SHAPE, "n * 2");
    rlx_compiler_destroy(c);
}

RLX_TEST(library_ir, bindings_and_values_are_seen)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_global g;
    rlx_ir_module *m = inferred(t, c, &g);
    rlx_location where;
    const char *key = NULL;
    int64_t i = 0;
    const rlx_ir_binding *s = binding(g.function, "s");
    cr_expect_eq(rlx_ir_binding_form(s), RLX_IR_CALL);
    cr_expect_str_eq(rlx_ir_binding_op(s), "nn.softmax");
    cr_expect_null(rlx_ir_binding_callee(s));
    cr_expect(rlx_ir_attr_int(rlx_ir_binding_attr(s, 0, &key), &i) && i == 0);
    cr_expect_str_eq(key, "axis");
    cr_expect(rlx_ir_binding_location(m, s, &where) && where.line == 32, "%u", where.line);
    cr_expect_str_eq(where.file, "m.py");
    const rlx_ir_binding *a = binding(g.function, "a");
    cr_expect_eq(rlx_ir_value_get_kind(rlx_ir_binding_callee(a)), RLX_IR_VALUE_GLOBAL);
    cr_expect_str_eq(rlx_ir_value_text(rlx_ir_binding_callee(a)), "twice");
    cr_expect_eq(rlx_ir_value_var(rlx_ir_binding_arg(a, 0)), rlx_ir_function_param(g.function, 0));
    const rlx_ir_binding *r = binding(g.function, "local");
    cr_expect_eq(rlx_ir_binding_form(r), RLX_IR_FUNCTION);
    cr_expect_eq(rlx_ir_function_param_count(rlx_ir_binding_function(r)), 1);
    const rlx_ir_value *args = rlx_ir_binding_arg(binding(g.function, "c"), 0);
    cr_expect_eq(rlx_ir_value_get_kind(args), RLX_IR_VALUE_TUPLE);
    cr_expect_eq(rlx_ir_value_count(args), 2);
    const rlx_ir_binding *branch =
        rlx_ir_function_definition(g.function, rlx_ir_value_var(rlx_ir_value_item(args, 0)));
    cr_expect_eq(rlx_ir_binding_form(branch), RLX_IR_IF);
    cr_expect_eq(rlx_ir_body_block_count(rlx_ir_binding_then(branch)), 1);
    cr_expect_not_null(rlx_ir_body_result(rlx_ir_binding_otherwise(branch)));
    const rlx_ir_value *shape = rlx_ir_binding_arg(binding(g.function, "e"), 1);
    cr_expect_eq(rlx_ir_value_get_kind(shape), RLX_IR_VALUE_SHAPE);
    cr_expect_str_eq(rlx_ir_expr_text(c, rlx_ir_value_expr(shape, 0)), "n * 2");
    const rlx_ir_value *k =
        rlx_ir_value_item(rlx_ir_body_result(rlx_ir_function_body(g.function)), 1);
    if (rlx_ir_value_get_kind(k) == RLX_IR_VALUE_VAR)
        k = rlx_ir_binding_arg(rlx_ir_function_definition(g.function, rlx_ir_value_var(k)), 0);
    if (rlx_ir_value_get_kind(k) == RLX_IR_VALUE_CONSTANT) {
        const int64_t *dims = NULL;
        size_t size = 0;
        const float *data = rlx_ir_value_data(k, &dims, &size);
        cr_expect(size == 8 && dims[0] == 2 && data[1] == 2);
        cr_expect(rlx_dtype_eq(rlx_ir_value_dtype(k), RLX_F32));
    }
    rlx_compiler_destroy(c);
}

RLX_TEST(library_ir, analyses)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_global g, p;
    rlx_ir_module *m = inferred(t, c, &g);
    rlx_ir_vars vars;
    rlx_ir_names names;
    rlx_ir_bindings uses;
    bool returned = true;
    RLX_OKAY(rlx_ir_function_vars(m, g.function, RLX_IR_FREE_VARS, &vars, &t->error));
    cr_expect_eq(vars.n, 0);
    RLX_OKAY(rlx_ir_function_vars(m, g.function, RLX_IR_ALL_VARS, &vars, &t->error));
    const uint32_t all = vars.n;
    RLX_OKAY(rlx_ir_function_vars(m, g.function, RLX_IR_BOUND_VARS, &vars, &t->error));
    cr_expect_eq(vars.n, all);
    cr_expect_eq(vars.items[0], rlx_ir_function_param(g.function, 0));
    const rlx_ir_function *local = rlx_ir_binding_function(binding(g.function, "local"));
    RLX_OKAY(rlx_ir_function_vars(m, local, RLX_IR_FREE_VARS, &vars, &t->error));
    cr_assert_eq(vars.n, 1);
    cr_expect_str_eq(rlx_ir_var_name(vars.items[0]), "s");
    RLX_OKAY(rlx_ir_function_vars(m, local, RLX_IR_BOUND_VARS, &vars, &t->error));
    cr_expect_eq(vars.n, 2);
    RLX_OKAY(rlx_ir_function_symbols(m, g.function, &names, &t->error));
    cr_assert_eq(names.n, 1);
    cr_expect_str_eq(names.items[0], "n");
    RLX_OKAY(rlx_ir_function_called(m, g.function, &names, &t->error));
    cr_assert_eq(names.n, 1);
    cr_expect_str_eq(names.items[0], "twice");
    const rlx_ir_var *s = rlx_ir_binding_var(binding(g.function, "s"));
    RLX_OKAY(rlx_ir_function_uses(m, g.function, s, &uses, &returned, &t->error));
    cr_expect_eq(uses.n, 2); /* one in the local function, one in the branch */
    cr_expect_not(returned);
    cr_expect_str_eq(rlx_ir_binding_op(uses.items[0]), "multiply");
    const rlx_ir_var *e = rlx_ir_binding_var(binding(g.function, "e"));
    RLX_OKAY(rlx_ir_function_uses(m, g.function, e, &uses, &returned, &t->error));
    cr_expect(returned);
    cr_expect_null(rlx_ir_function_definition(g.function, rlx_ir_function_param(g.function, 0)));
    static const struct {
        const char *name;
        bool is_reshape;
    } rows[] = {{"turned", false}, {"reshaped", true}, {"partly", false}};
    for (size_t i = 0; i < 3; i++) {
        cr_assert(rlx_ir_module_find(m, rows[i].name, &p));
        cr_expect_eq(rlx_ir_prim_is_reshape(m, p.prim), rows[i].is_reshape, "%s", rows[i].name);
    }
    rlx_compiler_destroy(c);
}

/* --- building -------------------------------------------------------------------------------- */

RLX_TEST(library_ir, a_model_is_built_by_calls_and_runs)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = NULL;
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_value args[2], result = rlx_none();
    RLX_OKAY(library_build(c, &m, &t->error));
    rlx_ir_module *again = library_parse(t, c, rlx_ir_module_print(m)); /* parses */
    for (int i = 0; i < 2; i++) {
        RLX_OKAY(rlx_ir_module_load(i ? again : m, NULL, NULL, &exe, &t->error));
        RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
        args[0] = rlx_test_iota(t, 2, (int64_t[]){3, 2});
        args[1] = rlx_test_iota(t, 2, (int64_t[]){2, 2});
        const float *x = rlx_tensor_data(args[0].as.tensor),
                    *w = rlx_tensor_data(args[1].as.tensor);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &result, &t->error));
        const float *y = rlx_tensor_data(result.as.tensor);
        for (int k = 0; k < 3; k++) {
            double want = 0;
            for (int j = 0; j < 2; j++) {
                const double sum = (double)x[2 * k] * w[j] + (double)x[2 * k + 1] * w[2 + j];
                want += (sum > 0 ? sum : 0) + (double)x[2 * k + j];
            }
            cr_expect_float_eq(y[k], (float)want, 1e-4, "%d", k);
        }
        rlx_value_clear(&result);
        rlx_value_release(args[0]);
        rlx_value_release(args[1]);
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
    }
    rlx_compiler_destroy(c);
}

RLX_TEST(library_ir, prim_funcs_come_as_text_and_are_called)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = NULL;
    rlx_ir_builder *b = NULL;
    rlx_ir_function *f = NULL;
    const rlx_ir_value *x, *y, *z, *n, *shape, *pair;
    static const char prim[] = "@T.prim_func\n"
                               "def twice(a: T.handle, b: T.handle):\n"
                               "    n = T.int64()\n"
                               "    A = T.match_buffer(a, (n,), \"float32\")\n"
                               "    B = T.match_buffer(b, (n,), \"float32\")\n"
                               "    for i in range(n):\n"
                               "        with T.block(\"b\"):\n"
                               "            vi = T.axis.spatial(n, i)\n"
                               "            B[vi] = A[vi] * T.float32(2)\n";
    RLX_OKAY(rlx_compiler_new_module(c, &m, &t->error));
    RLX_OKAY(rlx_ir_module_add_text(m, "p.py", prim, strlen(prim), &t->error));
    RLX_FAILS(rlx_ir_module_add_text(m, "p.py", prim, strlen(prim), &t->error),
              RLX_E_INVALID_MODULE, "already has a function 'twice'");
    RLX_OKAY(rlx_ir_builder_create(m, "helper", &b, &t->error));
    RLX_OKAY(rlx_ir_builder_param(b, "x", "R.Tensor((\"k\",), \"float32\")", &x, &t->error));
    RLX_OKAY(rlx_ir_builder_call_tir(b, NULL, "twice", &x, 1, "R.Tensor((k,), \"float32\")", &y,
                                     &t->error));
    RLX_OKAY(rlx_ir_builder_finish(b, y, &f, &t->error));
    RLX_OKAY(rlx_ir_builder_create(m, "main", &b, &t->error));
    RLX_OKAY(rlx_ir_builder_param(b, "x", "R.Tensor(ndim=1, dtype=\"float32\")", &x, &t->error));
    RLX_OKAY(
        rlx_ir_builder_match_cast(b, "xm", x, "R.Tensor((\"n\",), \"float32\")", &x, &t->error));
    RLX_OKAY(rlx_ir_builder_call(b, "y", "helper", &x, 1, &y, &t->error));
    rlx_value one = rlx_test_iota(t, 1, (int64_t[]){1});
    RLX_OKAY(rlx_ir_builder_tensor(b, one.as.tensor, &n, &t->error));
    RLX_OKAY(
        rlx_ir_builder_op(b, "s", "add", (const rlx_ir_value *[]){y, n}, 2, NULL, &y, &t->error));
    RLX_OKAY(rlx_ir_builder_shape(b, "(n, 1)", &shape, &t->error));
    RLX_OKAY(rlx_ir_builder_op(b, "r", "reshape", (const rlx_ir_value *[]){y, shape}, 2, NULL, &z,
                               &t->error));
    RLX_OKAY(rlx_ir_builder_op(b, "q", "squeeze", &z, 1, "axis=[1]", &z, &t->error));
    RLX_OKAY(rlx_ir_builder_tuple(b, (const rlx_ir_value *[]){z, y}, 2, &pair, &t->error));
    RLX_OKAY(rlx_ir_builder_op(b, "c", "concat", &pair, 1, "axis=0", &z, &t->error));
    RLX_OKAY(rlx_ir_builder_op(b, "p", "split", &z, 1, "indices_or_sections=2, axis=0", &pair,
                               &t->error));
    RLX_OKAY(rlx_ir_builder_get(b, "g", pair, 1, &z, &t->error));
    RLX_OKAY(rlx_ir_builder_integer(b, "n * 2", &n, &t->error));
    RLX_OKAY(rlx_ir_builder_finish(b, z, &f, &t->error));
    rlx_executable *exe = NULL;
    RLX_OKAY(rlx_ir_module_load(m, NULL, NULL, &exe, &t->error));
    const float *first = rlx_tensor_data(one.as.tensor);
    library_expect(t, exe, 3, NULL, (const float[]){5, 6, 7},
                   (const float[]){10 + *first, 12 + *first, 14 + *first});
    rlx_executable_release(exe);
    rlx_value_release(one);
    rlx_compiler_destroy(c);
}

RLX_TEST(library_ir, mismatched_arguments_are_refused)
{
    rlx_compiler *c = library_compiler(t);
    static const struct {
        const char *op, *attrs, *message;
        uint32_t n;
    } rows[] = {{"soft_max", NULL, "there is no operator R.soft_max", 1},
                {"add", NULL, "add", 1},
                {"add", NULL, "add", 3},
                {"nn.softmax", "axis=7", "axis", 1},
                {"nn.softmax", "axes=1", "axes", 1},
                {"nn.softmax", "axis=\"x\"", "an integer", 1},
                {"nn.softmax", "axis=", "expected", 1},
                {"nn.softmax", "1", "may not hold operands", 1},
                {"nn.softmax", "axis=0) + f(", "attributes such as", 1},
                {"matmul", NULL, "matmul", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_ir_module *m = NULL;
        rlx_ir_builder *b = NULL;
        rlx_ir_function *f = NULL;
        const rlx_ir_value *x = NULL, *y = NULL;
        RLX_OKAY(rlx_compiler_new_module(c, &m, &t->error));
        RLX_OKAY(rlx_ir_builder_create(m, "main", &b, &t->error));
        RLX_OKAY(rlx_ir_builder_param(b, "x", "R.Tensor((2, 3), \"float32\")", &x, &t->error));
        RLX_FAILS(rlx_ir_builder_op(b, "y", rows[i].op, (const rlx_ir_value *[]){x, x, x},
                                    rows[i].n, rows[i].attrs, &y, &t->error),
                  RLX_E_INVALID_MODULE, rows[i].message);
        cr_expect_null(y);
        RLX_FAILS(rlx_ir_builder_finish(b, x, &f, &t->error), RLX_E_INVALID_MODULE,
                  "failed or is finished");
    }
    static const char *const types[] = {"R.Tensr", "R.Tensor((2", "", "R.Tensor((2,), \"float33\")",
                                        "R.Tensor((2,), \"float32\")) -> (x"},
                             *const names[] = {"", "a b", "1x", "def", "x"};
    for (size_t i = 0; i < 10; i++) {
        rlx_ir_module *m = NULL;
        rlx_ir_builder *b = NULL;
        const rlx_ir_value *x = NULL;
        RLX_OKAY(rlx_compiler_new_module(c, &m, &t->error));
        RLX_OKAY(rlx_ir_builder_create(m, "main", &b, &t->error));
        RLX_OKAY(rlx_ir_builder_param(b, "x", "R.Tensor((2, 3), \"float32\")", &x, &t->error));
        cr_expect_eq(rlx_ir_builder_param(b, i < 5 ? "y" : names[i - 5],
                                          i < 5 ? types[i] : "R.Object", &x, &t->error),
                     RLX_E_INVALID_MODULE, "%zu", i);
    }
    rlx_compiler_destroy(c);
}

/* A variable of another function, and one of a dataflow block that has ended. */
RLX_TEST(library_ir, values_out_of_place_are_refused)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = NULL;
    rlx_ir_builder *b = NULL, *other = NULL;
    rlx_ir_function *f = NULL;
    const rlx_ir_value *x = NULL, *y = NULL, *z = NULL;
    RLX_OKAY(rlx_compiler_new_module(c, &m, &t->error));
    RLX_OKAY(rlx_ir_builder_create(m, "one", &b, &t->error));
    RLX_OKAY(rlx_ir_builder_param(b, "x", "R.Tensor((2, 3), \"float32\")", &x, &t->error));
    for (int i = 0; i < 20; i++)
        RLX_OKAY(rlx_ir_builder_op(b, NULL, "exp", i ? &y : &x, 1, NULL, &y, &t->error));
    RLX_OKAY(rlx_ir_builder_create(m, "two", &other, &t->error));
    RLX_OKAY(rlx_ir_builder_op(other, NULL, "exp", &y, 1, NULL, &z, &t->error));
    RLX_FAILS(rlx_ir_builder_finish(other, z, &f, &t->error), RLX_E_INVALID_MODULE, "");
    RLX_OKAY(rlx_ir_builder_finish(b, y, &f, &t->error));
    RLX_OKAY(rlx_ir_builder_create(m, "three", &b, &t->error));
    RLX_OKAY(rlx_ir_builder_param(b, "x", "R.Tensor((2, 3), \"float32\")", &x, &t->error));
    RLX_OKAY(rlx_ir_builder_dataflow(b, true, &t->error));
    RLX_OKAY(rlx_ir_builder_op(b, NULL, "exp", &x, 1, NULL, &y, &t->error));
    RLX_OKAY(rlx_ir_builder_dataflow(b, false, &t->error));
    RLX_FAILS(rlx_ir_builder_finish(b, y, &f, &t->error), RLX_E_INVALID_MODULE, "");
    RLX_OKAY(rlx_ir_builder_create(m, "one", &b, &t->error));
    RLX_OKAY(rlx_ir_builder_param(b, "x", "R.Object", &x, &t->error));
    RLX_FAILS(rlx_ir_builder_finish(b, x, &f, &t->error), RLX_E_INVALID_MODULE, "already");
    RLX_OKAY(rlx_ir_module_check(m, &t->error));
    cr_expect_eq(rlx_ir_module_global_count(m), 1);
    rlx_compiler_destroy(c);
}

/* --- rewriting ------------------------------------------------------------------------------- */

typedef struct plan { /* what replaces calls of R.exp */
    rlx_ir_action action;
    bool value, wrong;
    uint32_t offered;
} plan;

static rlx_ir_action each(void *user, rlx_ir_builder *b, const rlx_ir_binding *at,
                          const rlx_ir_value **out)
{
    plan *p = user;
    const rlx_ir_value *x = rlx_ir_binding_arg(at, 0), *made = NULL;
    p->offered++;
    if (rlx_ir_binding_op(at) == NULL || strcmp(rlx_ir_binding_op(at), "exp") != 0)
        return RLX_IR_KEEP;
    if (p->value)
        cr_expect_eq(
            rlx_ir_builder_op(b, "l", p->wrong ? "nothing" : "negative", &x, 1, NULL, &made, NULL),
            p->wrong ? RLX_E_INVALID_MODULE : RLX_OK);
    *out = made;
    return p->action;
}

RLX_TEST(library_ir, functions_are_rewritten)
{
    static const char text[] = "@R.function\n"
                               "def main(x: R.Tensor((\"n\",), \"float32\")):\n"
                               "    with R.dataflow():\n"
                               "        a = R.exp(x)\n"
                               "        b = R.add(a, a)\n"
                               "        R.output(b)\n"
                               "    return b\n";
    static const struct {
        plan p;
        const char *message; /* NULL: succeeds */
    } rows[] = {{{RLX_IR_REPLACE, true, false, 0}, NULL},
                {{RLX_IR_KEEP, false, false, 0}, NULL},
                {{RLX_IR_REPLACE, false, false, 0}, "no value"},
                {{RLX_IR_DROP, false, false, 0}, "a"},
                {{(rlx_ir_action)9, false, false, 0}, "no value"},
                {{RLX_IR_KEEP, true, true, 0}, "R.nothing"}};
    rlx_compiler *c = library_compiler(t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_ir_module *m = library_parse(t, c, text);
        rlx_ir_global g;
        plan p = rows[i].p;
        cr_assert(rlx_ir_module_find(m, "main", &g));
        if (rows[i].message == NULL) {
            RLX_OKAY(rlx_ir_function_rewrite(m, g.function, each, &p, &t->error));
            cr_expect_eq(p.offered, 2);
            const bool negated = strstr(rlx_ir_module_print(m), "R.negative(x)") != NULL;
            cr_expect_eq(negated, p.value);
        } else {
            RLX_FAILS(rlx_ir_function_rewrite(m, g.function, each, &p, &t->error),
                      RLX_E_INVALID_MODULE, rows[i].message);
            RLX_FAILS(rlx_ir_function_rewrite(m, g.function, each, &p, &t->error),
                      RLX_E_INVALID_MODULE, "unfinished");
        }
    }
    rlx_ir_module *m = library_parse(t, c, text);
    rlx_ir_global g;
    plan p = rows[0].p;
    RLX_OKAY(rlx_ir_module_lower(m, NULL, &t->error));
    cr_assert(rlx_ir_module_find(m, "main", &g));
    RLX_FAILS(rlx_ir_function_rewrite(m, g.function, each, &p, &t->error), RLX_E_INVALID_MODULE,
              "lowered");
    rlx_compiler_destroy(c);
}

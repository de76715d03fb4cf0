/* Code generators that write a section of the file, and the loader that runs it: functions that
 * patterns found and a PrimFunc, through memory and through a file (docs/generators.md). */
#include <stdlib.h>
#include <string.h>

#include "tests/compiler/library.h"

static const char MODULE[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func(private=True)\n"
    "    def double(X: T.handle, Y: T.handle, k: T.int64):\n"
    "        T.func_attr({\"Codegen\": \"npu\", \"global_symbol\": \"npu_double\"})\n"
    "        n = T.int64()\n"
    "        x = T.match_buffer(X, (n,), \"float32\")\n"
    "        y = T.match_buffer(Y, (n,), \"float32\")\n"
    "        for i in range(n):\n"
    "            with T.block(\"d\"):\n"
    "                v = T.axis.spatial(n, i)\n"
    "                y[v] = x[v] * T.float32(2.0) + T.Cast(\"float32\", k)\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\",), \"float32\")) -> R.Tensor((\"n\",), \"float32\"):\n"
    "        n = T.int64()\n"
    "        cls = Module\n"
    "        with R.dataflow():\n"
    "            a = R.nn.relu(x)\n"
    "            b = R.call_tir(cls.double, (a,), out_sinfo=R.Tensor((n,), \"float32\"),\n"
    "                           tir_vars=R.shape([n]))\n"
    "            c = R.nn.relu(b)\n"
    "            R.output(c)\n"
    "        return c\n";

typedef struct seen {
    uint32_t emitted, calls, live;
    bool refuse, empty;
} seen;

/* A line for each function: its symbol, and r for relu or d for double. */
static rlx_status emit(void *user, rlx_ir_module *m, const rlx_ir_taken *functions, uint32_t n,
                       rlx_ir_section *out, rlx_error *err)
{
    seen *s = user;
    if (s->refuse)
        return rlx_fail(err, RLX_E_INVALID_MODULE, "npu: refused");
    for (uint32_t i = 0; i < n && !s->empty; i++) {
        const bool is_prim = functions[i].prim != NULL;
        cr_expect_neq(is_prim, functions[i].function != NULL);
        if (is_prim)
            cr_expect(strstr(rlx_ir_prim_text(m, functions[i].prim), "T.Cast(\"float32\", k)"));
        s->emitted++;
        RLX_TRY(rlx_ir_section_write(out, functions[i].symbol, strlen(functions[i].symbol), err));
        RLX_TRY(rlx_ir_section_write(out, is_prim ? " d\n" : " r\n", 3, err));
    }
    return RLX_OK;
}

/* The sections that are loaded: a text. */
static rlx_status load(void *user, const rlx_code_image *image, void **out, rlx_error *err)
{
    seen *s = user;
    char *text = calloc(1, image->size + 1);
    if (text == NULL || !rlx_str_eq(image->format, RLX_STR("npu text"))) {
        free(text);
        return rlx_fail(err, RLX_E_INVALID_MODULE, "not a program of the npu");
    }
    memcpy(text, image->data, image->size);
    s->live++;
    *out = text;
    return RLX_OK;
}

static rlx_status run(rlx_call_context *cc, const rlx_value *args, uint32_t n, bool is_double)
{
    seen *s = rlx_call_user(cc);
    cr_assert_eq(n, is_double ? 3 : 2);
    const float *x = rlx_tensor_data(args[0].as.tensor);
    float *y = rlx_tensor_mutable_data(args[n - 1].as.tensor);
    const int64_t size = rlx_tensor_numel(args[0].as.tensor);
    if (is_double) {
        cr_assert_eq(args[1].kind, RLX_KIND_SHAPE);
        cr_assert_eq(rlx_shape_dims(args[1].as.shape)[0], size);
    }
    for (int64_t i = 0; i < size; i++)
        y[i] = is_double ? x[i] * 2 + (float)size : x[i] > 0 ? x[i] : 0;
    s->calls++;
    return RLX_OK;
}

static rlx_status run_relu(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                           rlx_error *err)
{
    (void)out;
    (void)err;
    return run(cc, args, n, false);
}

static rlx_status run_double(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                             rlx_value *out, rlx_error *err)
{
    (void)out;
    (void)err;
    return run(cc, args, n, true);
}

static rlx_packed_fn find(void *user, void *section, rlx_str symbol, void **out_user)
{
    *out_user = user;
    for (const char *line = section; *line != '\0'; line = strchr(line, '\n') + 1) {
        const size_t length = strcspn(line, " ");
        if (rlx_str_eq(symbol, (rlx_str){line, length}))
            return line[length + 1] == 'd' ? run_double : run_relu;
    }
    return NULL;
}

static void unload(void *user, void *section)
{
    seen *s = user;
    s->live--;
    free(section);
}

static rlx_compiler *compiler_with(rlx_test *t, seen *s, bool patterns)
{
    rlx_compiler *c = library_compiler(t);
    const rlx_generator_desc g = {
        .size = sizeof g, .name = "npu", .emit = emit, .user = s, .format = "npu text"};
    const rlx_fusion_desc d = {.size = sizeof d, .name = "npu.relu", .pattern = "(nn.relu x)"};
    RLX_OKAY(rlx_compiler_add_generator(c, &g, &t->error));
    if (patterns)
        RLX_OKAY(rlx_compiler_add_fusion(c, &d, &t->error));
    return c;
}

/* main(x) = relu(2 relu(x) + n) */
static void expect_runs(rlx_test *t, rlx_executable *exe, seen *s)
{
    const rlx_section_api api = {
        .size = sizeof api, .kind = "npu", .load = load, .find = find, .unload = unload};
    rlx_registry *r = NULL;
    rlx_vm *vm = NULL;
    rlx_value result = rlx_none();
    RLX_OKAY(rlx_registry_create(&t->allocator, &r, &t->error));
    RLX_OKAY(rlx_registry_add_section(r, &api, s, &t->error));
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    const int64_t n = 4;
    const rlx_value x = rlx_test_iota(t, 1, &n);
    ((float *)rlx_tensor_mutable_data(x.as.tensor))[1] = -5;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    cr_expect_eq(s->live, 1);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &result, &t->error));
    static const float want[4] = {4, 4, 8, 10};
    const float *got = rlx_tensor_data(result.as.tensor);
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(got[i], want[i], 1e-6, "element %d: %g", i, (double)got[i]);
    rlx_value_release(result);
    rlx_value_release(x);
    rlx_vm_destroy(vm);
    rlx_registry_release(r);
    cr_expect_eq(s->live, 0);
}

RLX_TEST(generator_sections, functions_leave_for_a_section_of_the_file)
{
    for (int patterns = 0; patterns < 2; patterns++) {
        seen s = {0};
        rlx_compiler *c = compiler_with(t, &s, patterns);
        rlx_ir_module *m = library_parse(t, c, MODULE);
        rlx_executable *exe = NULL;
        void *data = NULL;
        size_t size = 0;
        RLX_OKAY(rlx_ir_module_emit(m, NULL, RLX_EMIT_EXECUTABLE, &data, &size, &t->error));
        cr_expect_eq(s.emitted, patterns ? 3 : 1);
        const rlx_load_options load_options = {.trust_native = true};
        RLX_OKAY(rlx_executable_load_memory(data, size, &load_options, &exe, &t->error));
        rlx_free(&t->allocator, data, size, 64);
        expect_runs(t, exe, &s);
        cr_expect_eq(s.calls, patterns ? 3 : 1);
        rlx_executable_release(exe);
        rlx_compiler_destroy(c);
    }
}

RLX_TEST(generator_sections, errors_say_what_is_wrong)
{
    static const struct {
        bool refuse, empty;
        const char *module, *message;
    } cases[] = {
        {true, false, MODULE, "npu: refused"},
        {false, true, MODULE, "code generator \"npu\" wrote an empty section"},
        {false, false,
         "@I.ir_module\n"
         "class Module:\n"
         "    @R.function(private=True)\n"
         "    def f(x: R.Tensor((2,), \"float32\")) -> R.Tensor((2,), \"float32\"):\n"
         "        R.func_attr({\"Codegen\": \"npu\", \"global_symbol\": \"same\"})\n"
         "        return x\n"
         "    @R.function(private=True)\n"
         "    def g(x: R.Tensor((2,), \"float32\")) -> R.Tensor((2,), \"float32\"):\n"
         "        R.func_attr({\"Codegen\": \"npu\", \"global_symbol\": \"same\"})\n"
         "        return x\n"
         "    @R.function\n"
         "    def main(x: R.Tensor((2,), \"float32\")) -> R.Tensor((2,), \"float32\"):\n"
         "        y = Module.f(x)\n"
         "        z = Module.g(y)\n"
         "        return z\n",
         "two functions for code generator \"npu\" have the symbol 'same'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        seen s = {.refuse = cases[i].refuse, .empty = cases[i].empty};
        rlx_error err = {0};
        rlx_compiler *c = compiler_with(t, &s, false);
        rlx_ir_module *m = library_parse(t, c, cases[i].module);
        cr_expect_eq(rlx_ir_module_lower(m, NULL, &err), RLX_E_INVALID_MODULE);
        cr_expect(strstr(err.message, cases[i].message) != NULL, "%s", err.message);
        rlx_compiler_destroy(c);
    }
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, c, MODULE);
    RLX_FAILS(rlx_ir_module_lower(m, NULL, &t->error), RLX_E_INVALID_MODULE,
              "function 'double' is marked for code generator \"npu\", which is not available");
    rlx_compiler_destroy(c);
}

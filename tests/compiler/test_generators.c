/* External code generators (docs/generators.md): functions fused by patterns leave the module, and
 * the host's functions compute them; a generator may also lower them itself. */
#include <string.h>

#include "tests/compiler/library.h"

static const char MODULE[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\",), \"float32\")) -> R.Tensor((\"n\",), \"float32\"):\n"
    "        with R.dataflow():\n"
    "            a = R.nn.relu(x)\n"
    "            b = R.add(a, R.const(1.0, \"float32\"))\n"
    "            c = R.exp(b)\n"
    "            d = R.nn.relu(c)\n"
    "            R.output(d)\n"
    "        return d\n";

typedef struct seen {
    uint32_t functions, checks;
    bool refuse;
} seen;

/* Takes the functions marked for it back, so that they are compiled as usual. */
static rlx_status lower(void *user, rlx_ir_module *m, rlx_error *err)
{
    seen *s = user;
    if (s->refuse)
        return rlx_fail(err, RLX_E_INVALID_MODULE, "host: refused");
    for (uint32_t i = 0; i < rlx_ir_module_global_count(m); i++) {
        rlx_ir_global g;
        const char *key = NULL;
        if (!rlx_ir_module_global(m, i, &g) || g.function == NULL)
            continue;
        const rlx_ir_attr *attr = rlx_ir_function_attr(g.function, 0, &key);
        if (attr == NULL || strcmp(key, "Codegen") != 0 ||
            strcmp(rlx_ir_attr_string(attr), "host") != 0)
            continue;
        s->functions++;
        RLX_TRY(rlx_ir_function_unmark(m, g.function, err));
        const rlx_ir_block *block = rlx_ir_body_block(rlx_ir_function_body(g.function), 0);
        for (uint32_t k = 0; k < rlx_ir_block_binding_count(block); k++) {
            const rlx_ir_function *local = rlx_ir_binding_function(rlx_ir_block_binding(block, k));
            if (local != NULL)
                RLX_TRY(rlx_ir_function_unmark(m, (rlx_ir_function *)(uintptr_t)local, err));
        }
    }
    return RLX_OK;
}

static bool first_only(void *user, rlx_ir_module *m, const rlx_ir_match *match)
{
    seen *s = user;
    (void)m;
    cr_expect_not_null(rlx_ir_match_value(match, "x"));
    return ++s->checks == 2; /* the last root comes first */
}

static void add(rlx_test *t, rlx_compiler *c, const char *name, const char *pattern,
                bool (*check)(void *user, rlx_ir_module *m, const rlx_ir_match *match), void *user)
{
    const rlx_fusion_desc d = {
        .size = sizeof d, .name = name, .pattern = pattern, .check = check, .user = user};
    RLX_OKAY(rlx_compiler_add_fusion(c, &d, &t->error));
}

RLX_TEST(generators, lowered_functions_are_compiled_as_usual)
{
    rlx_compiler *c = library_compiler(t);
    seen s = {0};
    const rlx_generator_desc g = {.size = sizeof g, .name = "host", .run = lower, .user = &s};
    RLX_OKAY(rlx_compiler_add_generator(c, &g, &t->error));
    add(t, c, "host.relu", "(nn.relu x)", first_only, &s);
    rlx_ir_module *m = library_parse(t, c, MODULE);
    rlx_executable *exe = NULL;
    RLX_OKAY(rlx_ir_module_load(m, NULL, NULL, &exe, &t->error));
    cr_expect_eq(s.functions, 1);
    cr_expect_eq(s.checks, 2);
    const float x[3] = {-1, 0, -2}, want[3] = {2.7182817f, 2.7182817f, 2.7182817f};
    library_expect(t, exe, 3, NULL, x, want);
    rlx_executable_release(exe);
    rlx_compiler_destroy(c);
}

/* max(x, 0) into the tensor that the call gives last. */
static rlx_status relu(rlx_call_context *cc, const rlx_value *args, uint32_t n_args, rlx_value *out,
                       rlx_error *err)
{
    uint32_t *calls = rlx_call_user(cc);
    (void)err;
    cr_assert_eq(n_args, 2);
    const float *x = rlx_tensor_data(args[0].as.tensor);
    float *y = rlx_tensor_mutable_data(args[1].as.tensor);
    for (int64_t i = 0; i < rlx_tensor_numel(args[0].as.tensor); i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    ++*calls;
    *out = rlx_none();
    return RLX_OK;
}

RLX_TEST(generators, functions_that_leave_are_the_hosts)
{
    rlx_compiler *c = library_compiler(t);
    const rlx_generator_desc g = {.size = sizeof g, .name = "host"};
    rlx_registry *registry = NULL;
    uint32_t calls = 0;
    RLX_OKAY(rlx_compiler_add_generator(c, &g, &t->error));
    add(t, c, "host.relu", "(nn.relu x)", NULL, NULL);
    rlx_ir_module *m = library_parse(t, c, MODULE);
    rlx_executable *exe = NULL;
    RLX_OKAY(rlx_ir_module_load(m, NULL, NULL, &exe, &t->error));
    RLX_OKAY(rlx_registry_create(&t->allocator, &registry, &t->error));
    RLX_OKAY(rlx_registry_add_packed(registry, RLX_STR("fused_relax_nn_relu_host"), relu, &calls,
                                     NULL, &t->error));
    RLX_OKAY(rlx_registry_add_packed(registry, RLX_STR("fused_relax_nn_relu1_host"), relu, &calls,
                                     NULL, &t->error));
    for (int64_t n = 0; n < 4; n += 3) {
        rlx_vm *vm = NULL;
        rlx_tensor *x = NULL;
        rlx_value result = rlx_none();
        const rlx_vm_options options = {.allocator = &t->allocator, .registry = registry};
        RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
        RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 1, &n, &x, &t->error));
        for (int64_t i = 0; i < n; i++)
            ((float *)rlx_tensor_mutable_data(x))[i] = (float)(i - 1);
        const rlx_value arg = rlx_of_tensor(x);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &result, &t->error));
        static const float want[3] = {2.7182817f, 2.7182817f, 7.389056f};
        for (int64_t i = 0; i < n; i++)
            cr_expect_float_eq(((const float *)rlx_tensor_data(result.as.tensor))[i], want[i], 1e-5,
                               "element %d", (int)i);
        rlx_value_release(result);
        rlx_value_release(arg);
        rlx_vm_destroy(vm);
    }
    cr_expect_eq(calls, 4);
    rlx_registry_release(registry);
    rlx_executable_release(exe);
    rlx_compiler_destroy(c);
}

RLX_TEST(generators, errors_name_what_is_missing)
{
    static const struct {
        const char *generator, *message;
        bool refuse;
    } cases[] = {
        {NULL,
         "function 'fused_relax_nn_relu_relax_add_host' is marked for code generator "
         "\"host\", which is not available",
         false},
        {"other", "code generator \"host\", which is not available", false},
        {"host", "host: refused", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rlx_compiler *c = library_compiler(t);
        seen s = {.refuse = cases[i].refuse};
        rlx_error err = {0};
        const rlx_generator_desc g = {
            .size = sizeof g, .name = cases[i].generator, .run = lower, .user = &s};
        if (cases[i].generator != NULL)
            RLX_OKAY(rlx_compiler_add_generator(c, &g, &t->error));
        add(t, c, "host.add", "(add (nn.relu x) 1)", NULL, NULL);
        rlx_ir_module *m = library_parse(t, c, MODULE);
        cr_expect_eq(rlx_ir_module_lower(m, NULL, &err), RLX_E_INVALID_MODULE);
        cr_expect(strstr(err.message, cases[i].message) != NULL, "%s", err.message);
        rlx_compiler_destroy(c);
    }
}

RLX_TEST(generators, wrong_descriptions_are_refused)
{
    rlx_compiler *c = library_compiler(t);
    rlx_error err = {0};
    rlx_fusion_desc f = {.size = sizeof f, .name = "host.relu", .pattern = "(nn.relu"};
    cr_expect_eq(rlx_compiler_add_fusion(c, &f, &err), RLX_E_INVALID_ARG);
    cr_expect(strstr(err.message, "expected ')'") != NULL, "%s", err.message);
    f.pattern = NULL;
    cr_expect_eq(rlx_compiler_add_fusion(c, &f, &err), RLX_E_INVALID_ARG);
    f.size = 3;
    cr_expect_eq(rlx_compiler_add_fusion(c, &f, &err), RLX_E_INVALID_ARG);
    const rlx_generator_desc g = {.size = sizeof g, .name = "host"};
    RLX_OKAY(rlx_compiler_add_generator(c, &g, &t->error));
    cr_expect_eq(rlx_compiler_add_generator(c, &g, &err), RLX_E_INVALID_ARG);
    cr_expect(strstr(err.message, "already exists") != NULL, "%s", err.message);
    rlx_compiler_destroy(c);
}

/* The whole way, stopped by the first error. */
static rlx_status compile(rlx_compiler *c, seen *s, rlx_error *err)
{
    const rlx_generator_desc g = {.size = sizeof g, .name = "host", .run = lower, .user = s};
    const rlx_fusion_desc d = {
        .size = sizeof d, .name = "host.relu", .pattern = "(nn.relu x{shape=(n)})"};
    rlx_ir_module *m = NULL;
    rlx_ir_global main;
    RLX_TRY(rlx_compiler_add_generator(c, &g, err));
    RLX_TRY(rlx_compiler_add_fusion(c, &d, err));
    RLX_TRY(rlx_compiler_parse(c, "m.py", MODULE, strlen(MODULE), &m, err));
    cr_assert(rlx_ir_module_find(m, "main", &main));
    RLX_TRY(rlx_ir_function_replace(m, main.function, "(exp x) -> (nn.relu (exp x))", true, NULL,
                                    NULL, NULL, err));
    return rlx_ir_module_lower(m, NULL, err);
}

RLX_TEST(generators, running_out_of_memory_is_an_error)
{
    bool done = false;
    for (size_t n = 1; !done; n++) {
        rlx_compiler *c = NULL;
        rlx_error err = {0};
        seen s = {0};
        const rlx_compiler_options options = {.size = sizeof options, .allocator = &t->allocator};
        cr_assert_lt(n, 2000, "the compilation never succeeds");
        t->calls = 0;
        t->fail_at = n;
        rlx_status status = rlx_compiler_create(&options, &c, &err);
        if (status == RLX_OK)
            status = compile(c, &s, &err);
        done = t->calls < n;
        t->fail_at = 0;
        cr_expect_eq(status, done ? RLX_OK : RLX_E_NOMEM, "allocation %zu: %s", n, err.message);
        rlx_compiler_destroy(c);
    }
}

/* Calls every function of rlx/compiler.h and rlx/ir.h with NULL for pointers that must not be NULL:
 * an error or an empty result, never a crash. The last test compares the list with the headers. */
#include <string.h>

#include "rlx/compiler.h"
#include "tests/support/headers.h"
#include "tests/support/rlx_test.h"

#define REFUSED(call)                                                                    \
    do {                                                                                 \
        rlx_error err = {0};                                                             \
        rlx_status got = (call);                                                         \
        cr_expect_eq(got, RLX_E_INVALID_ARG, "%s gave %s", #call, rlx_status_name(got)); \
        cr_expect(err.message[0] != '\0', "%s", #call);                                  \
    } while (0)
#define EMPTY(call) cr_expect(!(call), "%s", #call)

static rlx_status no_pass(void *user, rlx_ir_module *m, rlx_error *err)
{
    (void)user;
    (void)m;
    (void)err;
    return RLX_OK;
}

static const char *const NO_NAME[] = {NULL};
static const char MODULE[] = "@R.function\n"
                             "def main(x: R.Tensor((\"n\", 4), \"float32\")):\n"
                             "    return x\n";

static rlx_ir_module *module_of(rlx_test *t, rlx_compiler *c)
{
    rlx_ir_module *m = NULL;
    RLX_OKAY(rlx_compiler_parse(c, "m.py", MODULE, strlen(MODULE), &m, &t->error));
    return m;
}

static rlx_compiler *compiler_of(rlx_test *t)
{
    rlx_compiler *c = NULL;
    const rlx_compiler_options options = {.size = sizeof options, .allocator = &t->allocator};
    RLX_OKAY(rlx_compiler_create(&options, &c, &t->error));
    return c;
}

RLX_TEST(library_null, compilers)
{
    rlx_compiler *c = compiler_of(t);
    rlx_ir_module *m = NULL;
    rlx_pass_info info;
    REFUSED(rlx_compiler_create(NULL, NULL, &err));
    rlx_compiler_destroy(NULL);
    EMPTY(rlx_compiler_diagnostic_count(NULL));
    EMPTY(rlx_compiler_diagnostic(NULL, 0, (rlx_diagnostic *)&info));
    EMPTY(rlx_compiler_diagnostic(c, 0, NULL));
    cr_expect_str_eq(rlx_compiler_diagnostics_text(NULL), "");
    rlx_compiler_clear_diagnostics(NULL);
    REFUSED(rlx_compiler_report(NULL, RLX_SEVERITY_NOTE, "x", &err));
    REFUSED(rlx_compiler_report(c, RLX_SEVERITY_NOTE, NULL, &err));
    REFUSED(rlx_compiler_parse(NULL, "m.py", MODULE, 1, &m, &err));
    REFUSED(rlx_compiler_parse(c, NULL, MODULE, 1, &m, &err));
    REFUSED(rlx_compiler_parse(c, "m.py", NULL, 1, &m, &err));
    REFUSED(rlx_compiler_parse(c, "m.py", MODULE, 1, NULL, &err));
    REFUSED(rlx_compiler_import_onnx(NULL, "m", MODULE, 1, &m, &err));
    REFUSED(rlx_compiler_import_onnx(c, NULL, MODULE, 1, &m, &err));
    REFUSED(rlx_compiler_import_onnx(c, "m", NULL, 1, &m, &err));
    REFUSED(rlx_compiler_import_onnx(c, "m", MODULE, 1, NULL, &err));
    REFUSED(rlx_compiler_read(NULL, "m.py", &m, &err));
    REFUSED(rlx_compiler_read(c, NULL, &m, &err));
    REFUSED(rlx_compiler_read(c, "m.py", NULL, &err));
    REFUSED(rlx_compiler_new_module(NULL, &m, &err));
    REFUSED(rlx_compiler_new_module(c, NULL, &err));
    cr_expect_gt(rlx_compiler_pass_count(NULL), 30);
    EMPTY(rlx_compiler_pass(NULL, 0, NULL));
    EMPTY(rlx_compiler_pass(c, UINT32_MAX, &info));
    const rlx_pass_desc pass = {.size = sizeof pass, .name = "p", .after = "cse", .run = no_pass};
    REFUSED(rlx_compiler_add_pass(NULL, &pass, &err));
    REFUSED(rlx_compiler_add_pass(c, NULL, &err));
    REFUSED(rlx_compiler_add_target(NULL, "a", "llvm", &err));
    REFUSED(rlx_compiler_add_target(c, NULL, "llvm", &err));
    REFUSED(rlx_compiler_add_target(c, "a", NULL, &err));
    const rlx_fusion_desc fusion = {.size = sizeof fusion, .name = "a.b", .pattern = "(nn.relu x)"};
    const rlx_generator_desc generator = {.size = sizeof generator, .name = "a"};
    REFUSED(rlx_compiler_add_fusion(NULL, &fusion, &err));
    REFUSED(rlx_compiler_add_fusion(c, NULL, &err));
    REFUSED(rlx_compiler_add_generator(NULL, &generator, &err));
    REFUSED(rlx_compiler_add_generator(c, NULL, &err));
    REFUSED(rlx_compiler_load_plugin(NULL, "plugin.so", &err));
    REFUSED(rlx_compiler_load_plugin(c, NULL, &err));
    EMPTY(rlx_compiler_operator(0, NULL));
    EMPTY(rlx_compiler_operator(rlx_compiler_operator_count(), (rlx_operator_info *)&info));
    cr_expect_eq(rlx_compiler_name_distance((rlx_str){NULL, 4}, RLX_STR("main")), SIZE_MAX);
    cr_expect_null(m);
    rlx_compiler_destroy(c);
}

RLX_TEST(library_null, modules)
{
    rlx_compiler *c = compiler_of(t);
    rlx_ir_module *m = module_of(t, c);
    rlx_executable *exe = NULL;
    void *data = NULL;
    size_t size = 0;
    const rlx_named_tensor unnamed = {NULL, NULL};
    EMPTY(rlx_ir_module_compiler(NULL));
    REFUSED(rlx_ir_module_bind_file(NULL, "w", &err));
    REFUSED(rlx_ir_module_bind_file(m, NULL, &err));
    REFUSED(rlx_ir_module_bind_tensors(NULL, &unnamed, 1, &err));
    REFUSED(rlx_ir_module_bind_tensors(m, NULL, 1, &err));
    REFUSED(rlx_ir_module_set_schedule(NULL, "s", "", 0, &err));
    REFUSED(rlx_ir_module_set_schedule(m, NULL, "", 0, &err));
    REFUSED(rlx_ir_module_set_schedule(m, "s", NULL, 1, &err));
    REFUSED(rlx_ir_module_read_schedule(NULL, "s", &err));
    REFUSED(rlx_ir_module_read_schedule(m, NULL, &err));
    EMPTY(rlx_ir_module_print(NULL));
    EMPTY(rlx_ir_module_print_prims(NULL));
    REFUSED(rlx_ir_module_check(NULL, &err));
    REFUSED(rlx_ir_module_check_output(NULL, "x", &err));
    REFUSED(rlx_ir_module_check_output(m, NULL, &err));
    REFUSED(rlx_ir_module_lower(NULL, NULL, &err));
    REFUSED(rlx_ir_module_tune(NULL, NULL, &(rlx_tune_options){.size = sizeof(rlx_tune_options)},
                               &err));
    REFUSED(rlx_ir_module_tune(m, NULL, NULL, &err));
    REFUSED(
        rlx_ir_module_tune(m, NULL, &(rlx_tune_options){.size = sizeof(rlx_tune_options)}, &err));
    cr_expect_str_eq(rlx_ir_module_explanation(NULL), "");
    REFUSED(rlx_ir_module_run_passes(NULL, NO_NAME, 1, NULL, &err));
    REFUSED(rlx_ir_module_run_passes(m, NULL, 1, NULL, &err));
    REFUSED(rlx_ir_module_emit(NULL, NULL, RLX_EMIT_RELAX, &data, &size, &err));
    REFUSED(rlx_ir_module_emit(m, NULL, RLX_EMIT_RELAX, NULL, &size, &err));
    REFUSED(rlx_ir_module_emit(m, NULL, RLX_EMIT_RELAX, &data, NULL, &err));
    REFUSED(rlx_ir_module_emit_file(NULL, NULL, RLX_EMIT_RELAX, "x", &err));
    REFUSED(rlx_ir_module_emit_file(m, NULL, RLX_EMIT_RELAX, NULL, &err));
    REFUSED(rlx_ir_modules_emit_levels(NULL, NO_NAME, 1, NULL, "x", &err));
    REFUSED(rlx_ir_modules_emit_levels(&m, NULL, 1, NULL, "x", &err));
    REFUSED(rlx_ir_modules_emit_levels(&m, NO_NAME, 1, NULL, "x", &err));
    REFUSED(rlx_ir_modules_emit_levels(&m, NO_NAME, 1, NULL, NULL, &err));
    REFUSED(rlx_ir_module_load(NULL, NULL, NULL, &exe, &err));
    REFUSED(rlx_ir_module_load(m, NULL, NULL, NULL, &err));
    rlx_compiler_destroy(c);
}

RLX_TEST(library_null, getters_of_the_ir)
{
    (void)t;
    EMPTY(rlx_ir_module_global_count(NULL));
    EMPTY(rlx_ir_module_global(NULL, 0, NULL));
    EMPTY(rlx_ir_module_find(NULL, NULL, NULL));
    EMPTY(rlx_ir_function_name(NULL));
    EMPTY(rlx_ir_function_param_count(NULL));
    EMPTY(rlx_ir_function_param(NULL, 0));
    EMPTY(rlx_ir_function_result(NULL));
    EMPTY(rlx_ir_function_is_private(NULL));
    EMPTY(rlx_ir_function_is_pure(NULL));
    EMPTY(rlx_ir_function_body(NULL));
    EMPTY(rlx_ir_function_attr(NULL, 0, NULL));
    EMPTY(rlx_ir_body_block_count(NULL));
    EMPTY(rlx_ir_body_block(NULL, 0));
    EMPTY(rlx_ir_body_result(NULL));
    EMPTY(rlx_ir_block_is_dataflow(NULL));
    EMPTY(rlx_ir_block_binding_count(NULL));
    EMPTY(rlx_ir_block_binding(NULL, 0));
    EMPTY(rlx_ir_binding_form(NULL));
    EMPTY(rlx_ir_binding_var(NULL));
    EMPTY(rlx_ir_binding_op(NULL));
    EMPTY(rlx_ir_binding_callee(NULL));
    EMPTY(rlx_ir_binding_arg_count(NULL));
    EMPTY(rlx_ir_binding_arg(NULL, 0));
    EMPTY(rlx_ir_binding_index(NULL));
    EMPTY(rlx_ir_binding_attr(NULL, 0, NULL));
    EMPTY(rlx_ir_binding_sinfo(NULL, 0));
    EMPTY(rlx_ir_binding_then(NULL));
    EMPTY(rlx_ir_binding_otherwise(NULL));
    EMPTY(rlx_ir_binding_function(NULL));
    EMPTY(rlx_ir_binding_location(NULL, NULL, NULL));
    EMPTY(rlx_ir_visit(NULL, NULL, NULL));
    EMPTY(rlx_ir_var_name(NULL));
    EMPTY(rlx_ir_var_sinfo(NULL));
    EMPTY(rlx_ir_var_is_dataflow(NULL));
    EMPTY(rlx_ir_value_get_kind(NULL));
    EMPTY(rlx_ir_value_var(NULL));
    EMPTY(rlx_ir_value_text(NULL));
    cr_expect_eq(rlx_ir_value_dtype(NULL).bits, 0);
    EMPTY(rlx_ir_value_count(NULL));
    EMPTY(rlx_ir_value_item(NULL, 0));
    EMPTY(rlx_ir_value_expr(NULL, 0));
    EMPTY(rlx_ir_value_data(NULL, NULL, NULL));
    EMPTY(rlx_ir_sinfo_get_kind(NULL));
    cr_expect_eq(rlx_ir_sinfo_dtype(NULL).bits, 0);
    cr_expect_eq(rlx_ir_sinfo_rank(NULL), -1);
    EMPTY(rlx_ir_sinfo_dim(NULL, 0));
    EMPTY(rlx_ir_sinfo_field_count(NULL));
    EMPTY(rlx_ir_sinfo_field(NULL, 0));
    EMPTY(rlx_ir_sinfo_result(NULL));
    cr_expect_str_eq(rlx_ir_sinfo_text(NULL, NULL), "");
    cr_expect_str_eq(rlx_ir_expr_text(NULL, NULL), "");
    EMPTY(rlx_ir_expr_constant(NULL, NULL));
    EMPTY(rlx_ir_attr_int(NULL, NULL));
    EMPTY(rlx_ir_attr_float(NULL, NULL));
    EMPTY(rlx_ir_attr_string(NULL));
    EMPTY(rlx_ir_attr_count(NULL));
    EMPTY(rlx_ir_attr_item(NULL, 0, NULL));
    cr_expect_str_eq(rlx_ir_attr_text(NULL, NULL), "");
    EMPTY(rlx_ir_function_definition(NULL, NULL));
    EMPTY(rlx_ir_prim_is_reshape(NULL, NULL));
    cr_expect_str_eq(rlx_ir_prim_text(NULL, NULL), "");
    EMPTY(rlx_ir_match_value(NULL, NULL));
    EMPTY(rlx_ir_match_dim(NULL, NULL));
    EMPTY(rlx_ir_match_binding(NULL, 0));
}

RLX_TEST(library_null, calls_on_the_ir)
{
    (void)t;
    REFUSED(rlx_ir_expr_evaluate(NULL, NULL, NULL, NULL, 1, NULL, &err));
    REFUSED(rlx_ir_function_vars(NULL, NULL, RLX_IR_ALL_VARS, NULL, &err));
    REFUSED(rlx_ir_function_symbols(NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_function_called(NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_function_uses(NULL, NULL, NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_create(NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_param(NULL, NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_dataflow(NULL, true, &err));
    REFUSED(rlx_ir_builder_output(NULL, NULL, &err));
    REFUSED(rlx_ir_builder_op(NULL, NULL, NULL, NULL, 1, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_call(NULL, NULL, NULL, NULL, 1, NULL, &err));
    REFUSED(rlx_ir_builder_call_tir(NULL, NULL, NULL, NULL, 1, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_if(NULL, NULL, &err));
    REFUSED(rlx_ir_builder_else(NULL, NULL, &err));
    REFUSED(rlx_ir_builder_end_if(NULL, NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_function(NULL, NULL, &err));
    REFUSED(rlx_ir_builder_end_function(NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_call_value(NULL, NULL, NULL, NULL, 1, NULL, &err));
    REFUSED(rlx_ir_builder_get(NULL, NULL, NULL, 0, NULL, &err));
    REFUSED(rlx_ir_builder_match_cast(NULL, NULL, NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_tuple(NULL, NULL, 1, NULL, &err));
    REFUSED(rlx_ir_builder_shape(NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_integer(NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_tensor(NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_builder_finish(NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_module_add_text(NULL, NULL, NULL, 1, &err));
    REFUSED(rlx_ir_function_rewrite(NULL, NULL, NULL, NULL, &err));
    REFUSED(rlx_ir_function_unmark(NULL, NULL, &err));
    EMPTY(rlx_compiler_codegen(0, NULL, NULL));
    REFUSED(rlx_ir_section_write(NULL, NULL, 0, &err));
    REFUSED(rlx_ir_function_match(NULL, NULL, NULL, NULL, false, NULL, &err));
    REFUSED(rlx_ir_function_replace(NULL, NULL, NULL, false, NULL, NULL, NULL, &err));
}

/* Functions whose pointers may all be NULL. */
static bool takes_null(const char *name)
{
    return strcmp(name, "rlx_compiler_on_no_memory") == 0;
}

RLX_TEST(library_null, no_function_is_missing_here)
{
    const char *const here = "tests/compiler/test_library_null.c";
    cr_expect_gt(rlx_test_calls_all("include/rlx/compiler.h", here, takes_null), 25);
    rlx_test_calls_all("include/rlx/ir.h", here, takes_null);
}

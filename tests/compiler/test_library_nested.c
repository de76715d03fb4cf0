/* If and local functions built by calls: they run, print as TVMScript that parses to an equal
 * module, and calls in the wrong order are errors. */
#include <string.h>

#include "rlx/compiler.h"
#include "rlx/vm.h"
#include "tests/compiler/library.h"
#include "tests/support/rlx_test.h"

#define VECTOR "R.Tensor((\"n\",), \"float32\")"

/* main(c, x) = scale(x) + x if c else (-x if c else x - x), with a local function scale(v) = v * x
 */
static rlx_status build(rlx_compiler *c, rlx_ir_module **out, rlx_error *err)
{
    rlx_ir_builder *b = NULL;
    rlx_ir_function *f = NULL;
    const rlx_ir_value *cond, *x, *v, *scale, *y, *inner;
    RLX_TRY(rlx_compiler_new_module(c, out, err));
    RLX_TRY(rlx_ir_builder_create(*out, "main", &b, err));
    RLX_TRY(rlx_ir_builder_param(b, "c", "R.Tensor((), \"bool\")", &cond, err));
    RLX_TRY(rlx_ir_builder_param(b, "x", VECTOR, &x, err));
    RLX_TRY(rlx_ir_builder_function(b, "scale", err));
    RLX_TRY(rlx_ir_builder_param(b, "v", VECTOR, &v, err));
    RLX_TRY(
        rlx_ir_builder_op(b, NULL, "multiply", (const rlx_ir_value *[]){v, x}, 2, NULL, &y, err));
    RLX_TRY(rlx_ir_builder_end_function(b, y, &scale, err));
    RLX_TRY(rlx_ir_builder_if(b, cond, err));
    RLX_TRY(rlx_ir_builder_call_value(b, "s", scale, &x, 1, &y, err));
    RLX_TRY(rlx_ir_builder_dataflow(b, true, err));
    RLX_TRY(rlx_ir_builder_op(b, "a", "add", (const rlx_ir_value *[]){y, x}, 2, NULL, &y, err));
    RLX_TRY(rlx_ir_builder_output(b, y, err));
    RLX_TRY(rlx_ir_builder_else(b, y, err));
    RLX_TRY(rlx_ir_builder_if(b, cond, err));
    RLX_TRY(rlx_ir_builder_op(b, NULL, "negative", &x, 1, NULL, &y, err));
    RLX_TRY(rlx_ir_builder_else(b, y, err));
    RLX_TRY(
        rlx_ir_builder_op(b, NULL, "subtract", (const rlx_ir_value *[]){x, x}, 2, NULL, &y, err));
    RLX_TRY(rlx_ir_builder_end_if(b, "inner", y, &inner, err));
    RLX_TRY(rlx_ir_builder_end_if(b, "out", inner, &y, err));
    return rlx_ir_builder_finish(b, y, &f, err);
}

static void run(rlx_test *t, rlx_executable *exe, bool condition)
{
    rlx_vm *vm = NULL;
    rlx_tensor *c = NULL;
    rlx_value args[2], result = rlx_none();
    RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_B8, 0, NULL, &c, &t->error));
    *(unsigned char *)rlx_tensor_mutable_data(c) = condition;
    args[0] = rlx_of_tensor(c);
    args[1] = rlx_test_iota(t, 1, (int64_t[]){3});
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &result, &t->error));
    const float *got = rlx_tensor_data(result.as.tensor), *x = rlx_tensor_data(args[1].as.tensor);
    for (int i = 0; i < 3; i++)
        cr_expect_float_eq(got[i], condition ? x[i] * x[i] + x[i] : 0, 1e-5, "%d", i);
    rlx_value_release(result);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
    rlx_vm_destroy(vm);
}

RLX_TEST(library_nested, branches_and_local_functions_run_and_print)
{
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *m = NULL;
    RLX_OKAY(build(c, &m, &t->error));
    RLX_OKAY(rlx_ir_module_check(m, &t->error));
    const char *text = rlx_ir_module_print(m);
    rlx_ir_module *again = library_parse(t, c, text);
    cr_expect_str_eq(rlx_ir_module_print(again), text);
    for (int i = 0; i < 2; i++) {
        rlx_executable *exe = NULL;
        RLX_OKAY(rlx_ir_module_load(i ? again : m, NULL, NULL, &exe, &t->error));
        run(t, exe, true);
        run(t, exe, false);
        rlx_executable_release(exe);
    }
    rlx_compiler_destroy(c);
}

typedef struct state {
    rlx_ir_builder *b;
    const rlx_ir_value *c, *x, *y;
    rlx_ir_function *f;
} state;

static rlx_status else_alone(state *s, rlx_error *err)
{
    return rlx_ir_builder_else(s->b, s->x, err);
}

static rlx_status end_alone(state *s, rlx_error *err)
{
    return rlx_ir_builder_end_if(s->b, NULL, s->x, &s->y, err);
}

static rlx_status end_without_else(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_if(s->b, s->c, err));
    return rlx_ir_builder_end_if(s->b, NULL, s->x, &s->y, err);
}

static rlx_status two_elses(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_if(s->b, s->c, err));
    RLX_TRY(rlx_ir_builder_else(s->b, s->x, err));
    return rlx_ir_builder_else(s->b, s->x, err);
}

static rlx_status not_ended(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_if(s->b, s->c, err));
    return rlx_ir_builder_finish(s->b, s->x, &s->f, err);
}

static rlx_status in_dataflow(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_dataflow(s->b, true, err));
    return rlx_ir_builder_if(s->b, s->c, err);
}

static rlx_status function_in_dataflow(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_dataflow(s->b, true, err));
    return rlx_ir_builder_function(s->b, "f", err);
}

static rlx_status wrong_end(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_if(s->b, s->c, err));
    return rlx_ir_builder_end_function(s->b, s->x, &s->y, err);
}

static rlx_status else_in_function(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_if(s->b, s->c, err));
    RLX_TRY(rlx_ir_builder_function(s->b, "f", err));
    return rlx_ir_builder_else(s->b, s->x, err);
}

static rlx_status param_in_branch(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_if(s->b, s->c, err));
    return rlx_ir_builder_param(s->b, "z", VECTOR, &s->y, err);
}

static rlx_status bad_name(state *s, rlx_error *err)
{
    return rlx_ir_builder_function(s->b, "1f", err);
}

static rlx_status call_of_a_tensor(state *s, rlx_error *err)
{
    return rlx_ir_builder_call_value(s->b, NULL, s->x, &s->x, 1, &s->y, err);
}

static rlx_status call_of_a_shape(state *s, rlx_error *err)
{
    const rlx_ir_value *shape = NULL;
    RLX_TRY(rlx_ir_builder_shape(s->b, "(1,)", &shape, err));
    return rlx_ir_builder_call_value(s->b, NULL, shape, &s->x, 1, &s->y, err);
}

static rlx_status symbol_of_a_function(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_function(s->b, "f", err));
    RLX_TRY(rlx_ir_builder_param(s->b, "v", "R.Tensor((\"k\",), \"float32\")", &s->y, err));
    RLX_TRY(rlx_ir_builder_end_function(s->b, s->y, &s->y, err));
    return rlx_ir_builder_shape(s->b, "(k,)", &s->y, err);
}

static rlx_status use_behind_the_branch(state *s, rlx_error *err)
{
    const rlx_ir_value *inside = NULL;
    RLX_TRY(rlx_ir_builder_if(s->b, s->c, err));
    RLX_TRY(rlx_ir_builder_op(s->b, NULL, "negative", &s->x, 1, NULL, &inside, err));
    RLX_TRY(rlx_ir_builder_else(s->b, inside, err));
    RLX_TRY(rlx_ir_builder_end_if(s->b, NULL, s->x, &s->y, err));
    return rlx_ir_builder_finish(s->b, inside, &s->f, err);
}

static rlx_status after_the_end(state *s, rlx_error *err)
{
    RLX_TRY(rlx_ir_builder_finish(s->b, s->x, &s->f, err));
    return rlx_ir_builder_if(s->b, s->c, err);
}

RLX_TEST(library_nested, calls_out_of_order_are_refused)
{
    static const struct {
        rlx_status (*run)(state *s, rlx_error *err);
        const char *message;
    } rows[] = {{else_alone, "no then branch of an If"},
                {end_alone, "no else branch of an If"},
                {end_without_else, "no else branch of an If"},
                {two_elses, "no then branch of an If"},
                {not_ended, "still open"},
                {in_dataflow, "in dataflow blocks"},
                {function_in_dataflow, "in dataflow blocks"},
                {wrong_end, "no local function is open"},
                {else_in_function, "no then branch of an If"},
                {param_in_branch, "parameters must come before"},
                {bad_name, "not a valid name"},
                {call_of_a_tensor, ""},
                {call_of_a_shape, "only variables can be called"},
                {symbol_of_a_function, "'k'"},
                {use_behind_the_branch, ""},
                {after_the_end, "failed or is finished"}};
    rlx_compiler *c = library_compiler(t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_ir_module *m = NULL;
        state s = {0};
        RLX_OKAY(rlx_compiler_new_module(c, &m, &t->error));
        RLX_OKAY(rlx_ir_builder_create(m, "main", &s.b, &t->error));
        RLX_OKAY(rlx_ir_builder_param(s.b, "c", "R.Tensor((), \"bool\")", &s.c, &t->error));
        RLX_OKAY(rlx_ir_builder_param(s.b, "x", VECTOR, &s.x, &t->error));
        RLX_FAILS(rows[i].run(&s, &t->error), RLX_E_INVALID_MODULE, rows[i].message);
    }
    rlx_compiler_destroy(c);
}

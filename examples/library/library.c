/* The compiler as a library: parses a module, adds a pass that replaces relu by silu, compiles,
   loads and runs it in one process, without a file. Build:
   cc library.c $(pkg-config --cflags --libs rlxc) */
#include <rlx/compiler.h>
#include <rlx/vm.h>
#include <stdio.h>
#include <stdlib.h>

static const char model[] = "from tvm.script import ir as I, relax as R\n"
                            "@I.ir_module\n"
                            "class Module:\n"
                            "    @R.function\n"
                            "    def main(x: R.Tensor((\"n\",), \"float32\")):\n"
                            "        with R.dataflow():\n"
                            "            y = R.nn.relu(x)\n"
                            "            z = R.add(y, y)\n"
                            "            R.output(z)\n"
                            "        return z\n";

static void check(rlx_status status, const rlx_error *err)
{
    if (status == RLX_OK)
        return;
    fprintf(stderr, "%s: %s\n", rlx_status_name(status), err->message);
    exit(1);
}

/* Called for each binding. Errors are reported by the calls themselves. */
static rlx_ir_action replace(void *count, rlx_ir_builder *b, const rlx_ir_binding *binding,
                             const rlx_ir_value **out)
{
    const char *op = rlx_ir_binding_op(binding);
    if (op == NULL || strcmp(op, "nn.relu") != 0)
        return RLX_IR_KEEP;
    const rlx_ir_value *x = rlx_ir_binding_arg(binding, 0);
    ++*(int *)count;
    return rlx_ir_builder_op(b, "silu", "nn.silu", &x, 1, NULL, out, NULL) == RLX_OK
               ? RLX_IR_REPLACE
               : RLX_IR_KEEP;
}

static rlx_status relu_to_silu(void *user, rlx_ir_module *m, rlx_error *err)
{
    rlx_ir_global g;
    for (uint32_t i = 0; rlx_ir_module_global(m, i, &g); i++)
        if (g.function != NULL)
            RLX_TRY(rlx_ir_function_rewrite(m, g.function, replace, user, err));
    return RLX_OK;
}

int main(void)
{
    rlx_error err = {0};
    rlx_compiler *compiler = NULL;
    rlx_ir_module *module = NULL;
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    rlx_value result = rlx_none();
    int replaced = 0;

    check(rlx_compiler_create(NULL, &compiler, &err), &err);
    const rlx_pass_desc pass = {.size = sizeof pass,
                                .name = "relu_to_silu",
                                .doc = "relu becomes silu",
                                .before = "canonicalize",
                                .run = relu_to_silu,
                                .user = &replaced};
    check(rlx_compiler_add_pass(compiler, &pass, &err), &err);
    check(rlx_compiler_parse(compiler, "model.py", model, strlen(model), &module, &err), &err);
    check(rlx_ir_module_load(module, NULL, NULL, &exe, &err), &err);
    rlx_compiler_destroy(compiler); /* the executable outlives the compiler */

    float data[3] = {-1, 0, 2};
    check(rlx_vm_create(exe, NULL, &vm, &err), &err);
    check(rlx_tensor_wrap(NULL, RLX_F32, 1, (int64_t[]){3}, data, NULL, NULL, &x, &err), &err);
    rlx_value argument = rlx_of_tensor(x);
    check(rlx_vm_invoke(vm, RLX_STR("main"), &argument, 1, &result, &err), &err);
    const float *y = rlx_tensor_data(result.as.tensor);
    printf("replaced %d: %.4f %.4f %.4f\n", replaced, y[0], y[1], y[2]);

    rlx_value_release(result);
    rlx_value_release(argument);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return 0;
}

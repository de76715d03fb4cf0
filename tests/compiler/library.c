/* See library.h. */
#include "tests/compiler/library.h"

#include <string.h>

rlx_compiler *library_compiler(rlx_test *t)
{
    rlx_compiler *c = NULL;
    const rlx_compiler_options options = {.size = sizeof options, .allocator = &t->allocator};
    RLX_OKAY(rlx_compiler_create(&options, &c, &t->error));
    return c;
}

rlx_ir_module *library_parse(rlx_test *t, rlx_compiler *c, const char *text)
{
    rlx_ir_module *m = NULL;
    RLX_OKAY(rlx_compiler_parse(c, "m.py", text, strlen(text), &m, &t->error));
    return m;
}

rlx_status library_build(rlx_compiler *c, rlx_ir_module **out, rlx_error *err)
{
    rlx_ir_module *m = NULL;
    rlx_ir_builder *b = NULL;
    rlx_ir_function *f = NULL;
    const rlx_ir_value *x = NULL, *w = NULL, *y = NULL, *z = NULL;
    RLX_TRY(rlx_compiler_new_module(c, &m, err));
    RLX_TRY(rlx_ir_builder_create(m, "main", &b, err));
    RLX_TRY(rlx_ir_builder_param(b, "x", "R.Tensor((\"n\", 2), \"float32\")", &x, err));
    RLX_TRY(rlx_ir_builder_param(b, "w", "R.Tensor((2, 2), \"float32\")", &w, err));
    RLX_TRY(rlx_ir_builder_dataflow(b, true, err));
    RLX_TRY(rlx_ir_builder_op(b, "y", "matmul", (const rlx_ir_value *[]){x, w}, 2, NULL, &y, err));
    RLX_TRY(rlx_ir_builder_op(b, "r", "nn.relu", &y, 1, NULL, &y, err));
    RLX_TRY(rlx_ir_builder_op(b, "s", "add", (const rlx_ir_value *[]){y, x}, 2, "", &y, err));
    RLX_TRY(rlx_ir_builder_op(b, "z", "sum", &y, 1, "axis=[-1], keepdims=False", &z, err));
    RLX_TRY(rlx_ir_builder_output(b, z, err));
    RLX_TRY(rlx_ir_builder_dataflow(b, false, err));
    RLX_TRY(rlx_ir_builder_finish(b, z, &f, err));
    *out = m;
    return RLX_OK;
}

void library_expect(rlx_test *t, rlx_executable *exe, int64_t n, const float *w, const float *x,
                    const float *want)
{
    rlx_vm *vm = NULL;
    rlx_tensor *tensors[2] = {NULL, NULL};
    rlx_value args[2], result = rlx_none();
    RLX_OKAY(rlx_vm_create(exe, &(rlx_vm_options){.allocator = &t->allocator}, &vm, &t->error));
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t size = i == 0 ? n : 2;
        const float *data = i == 0 || w == NULL ? x : w;
        RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 1, &size, &tensors[i], &t->error));
        memcpy(rlx_tensor_mutable_data(tensors[i]), data, (size_t)size * sizeof *data);
        args[i] = rlx_of_tensor(tensors[i]);
    }
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, w != NULL ? 2 : 1, &result, &t->error));
    cr_assert_eq(result.kind, RLX_KIND_TENSOR);
    const float *got = rlx_tensor_data(result.as.tensor);
    for (int64_t i = 0; i < n; i++)
        cr_expect_float_eq(got[i], want[i], 1e-5, "element %d", (int)i);
    rlx_value_release(result);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
    rlx_vm_destroy(vm);
}

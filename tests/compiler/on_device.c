#include "tests/compiler/on_device.h"

#include <stdio.h>

#include "rlx/device.h"
#include "tests/compiler/bound.h"

bool on_device_is_possible(void)
{
    if (rlx_device_count(NULL, "opencl", NULL) > 0)
        return true;
    puts("skipped: OpenCL driver");
    fflush(stdout);
    return false;
}

rlx_executable *on_device_compile(rlx_test *t, const char *text)
{
    rlx_executable *exe =
        bound_compile(t, &(bound_program){.text = text, .level = 2, .device = "opencl:0"});
    cr_assert_not_null(exe);
    return exe;
}

rlx_value on_device_wrap(rlx_test *t, rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                         void *data)
{
    rlx_tensor *tensor = NULL;
    RLX_OKAY(
        rlx_tensor_wrap(&t->allocator, dtype, ndim, dims, data, NULL, NULL, &tensor, &t->error));
    return rlx_of_tensor(tensor);
}

rlx_tensor *on_device_call(rlx_test *t, rlx_vm *vm, const char *function, rlx_value *args,
                           uint32_t n)
{
    rlx_value out = rlx_none();
    rlx_tensor *home = NULL;
    RLX_OKAY(rlx_vm_invoke(vm, rlx_str_from(function), args, n, &out, &t->error));
    cr_assert(out.kind == RLX_KIND_TENSOR && rlx_tensor_device(out.as.tensor), "%s", function);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, out.as.tensor, NULL, &home, &t->error));
    rlx_value_release(out);
    while (n > 0)
        rlx_value_release(args[--n]);
    return home;
}

/* The interpreter on small programs: kernels, functions, closures, control flow, shapes. */
#include "../support/rlx_test.h"

#include <string.h>

static const char add_program[] =
    ".kernel k0 \"t_add\" dims 1 (float32[s0], float32[s0], out float32[s0])\n"
    ".func main (x: float32[s0!], y: float32[s0]) -> float32[s0] symbols 1 {\n"
    "    .slot s0 \"n\"\n"
    "    .param 1 \"model.py\" 10 23\n"
    "    .at \"model.py\" 12 9 \"lv0\"\n"
    "    new_tensor r2, float32, [s0]\n"
    "    call_kernel k0, [s0], [r0, r1, r2]\n"
    "    ret r2\n"
    "}\n";

RLX_TEST(run, kernel_adds_for_any_n)
{
    rlx_executable *exe = rlx_test_load(t, add_program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    static const int64_t sizes[] = {0, 1, 2, 7, 64, 1000};
    for (size_t k = 0; k < 6; k++) {
        rlx_value x = rlx_test_iota(t, 1, &sizes[k]), out;
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), (rlx_value[]){x, x}, 2, &out, &t->error));
        cr_assert_eq(out.kind, RLX_KIND_TENSOR);
        cr_assert_eq(rlx_tensor_dims(out.as.tensor)[0], sizes[k]);
        const float *data = rlx_tensor_data(out.as.tensor);
        for (int64_t i = 0; i < sizes[k]; i++)
            cr_assert_eq(data[i], (float)(2 * i));
        rlx_value_release(x);
        rlx_value_release(out);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(run, bad_arguments_are_named_and_leave_the_vm_usable)
{
    rlx_executable *exe = rlx_test_load(t, add_program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){3}), y = rlx_test_iota(t, 1, (int64_t[]){4});
    rlx_value out, pair[2] = {x, y};
    RLX_FAILS(
        rlx_vm_invoke(vm, RLX_STR("main"), pair, 2, &out, &t->error), RLX_E_SHAPE,
        "model.py:10:23: argument 1 'y' of main, dimension 0: expected n = 3, got 4 (bound by "
        "argument 0 'x', "
        "dimension 0)");
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), pair, 1, &out, &t->error), RLX_E_INVALID_ARG,
              "takes 2 arguments, got 1");
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("nope"), pair, 2, &out, &t->error), RLX_E_NOT_FOUND,
              "no function 'nope'");
    pair[1] = rlx_int(5);
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), pair, 2, &out, &t->error), RLX_E_SHAPE,
              "argument 1 'y' of main: expected Tensor((n,), float32), got the int 5");
    pair[1] = x;
    pair[0] = rlx_int(5);
    /* The file has no location for 'x': the error shows the function's first line. */
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), pair, 2, &out, &t->error), RLX_E_SHAPE,
              "model.py:12:9: argument 0 'x' of main");
    pair[0] = x;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), pair, 2, &out, &t->error));
    rlx_value_release(out);
    rlx_value_release(x);
    rlx_value_release(y);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(run, result_outlives_vm_and_executable)
{
    rlx_executable *exe = rlx_test_load(t, ".func main () -> object {\n"
                                           "    load_const r0, tensor float32 [2] { 1, 2.5 }\n"
                                           "    load_const r1, \"text\"\n"
                                           "    make_tuple r2, [r0, r1, r0]\n"
                                           "    ret r2\n}\n");
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value out;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    cr_assert_eq(rlx_tuple_count(out.as.tuple), 3);
    const float *data = rlx_tensor_data(rlx_tuple_get(out.as.tuple, 2).as.tensor);
    cr_assert_eq(data[1], 2.5f);
    cr_assert_null(rlx_tensor_mutable_data(rlx_tuple_get(out.as.tuple, 0).as.tensor));
    rlx_value_release(out);
}

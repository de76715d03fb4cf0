#include "tests/vm/device_fixture.h"

#include <string.h>

/* r2 = -(x + c) on the device, through scratch memory; one function for each way to get memory. */
const char device_program[] =
    ".kernel k0 \"sum\" dims 1 (float32[s0], float32[s0], out float32[s0])\n"
    ".kernel k1 \"negate\" dims 1 (float32[s0], out float32[s0])\n"
    ".kernel k2 \"t_neg\" dims 1 (float32[s0], out float32[s0])\n"
    ".kernel k3 \"numbers\" dims 1 (out float32[s0])\n"
    ".kernel k4 \"faulty\" dims 1 (float32[s0])\n"
    ".kernel k5 \"lost\" dims 1 (float32[s0])\n"
    ".device \"test\" 0 \"global\" \"test\"\n"
    ".device \"test\" 1 \"global\" \"test\"\n"
    ".device \"test\" 0 \"global.fast\" \"test\"\n"
    ".module \"test\" [ \"other\" text \"x\", \"test\" text \"add\\nneg\\nscale\\ntwice\\ncount\\n"
    "fault\\n\" ]\n"
    ".module \"test\" [ \"other\" text \"x\" ]\n"
    ".launches k0 m0 [] { \"add\" [(s0 + 63) // 64, 1, 1] [64, 1, 1] 0 (p0, p1, p2, int64 s0) }\n"
    ".launches k1 m0 [s0 * 4, s0 * 4] {\n"
    "    \"twice\" [s0, 1, 1] [1, 1, 1] 0 (p0, u1, u0, int64 s0)\n"
    "    \"scale\" [s0, 1, 1] [1, 1, 1] 8 (u0, p1, int64 s0, float32 -4620693217682128896) }\n"
    ".launches k3 m0 [] {\n"
    "    \"count\" [s0, 2, 1] [4, 1, 8] 0 (p0, int32 0)\n"
    "    \"count\" [s0 - s0, 2, 1] [4, 1, 8] 0 (p0, int32 s0 * 4294967296) }\n"
    ".launches k4 m0 [] { \"fault\" [1, 1, 1] [1, 1, 1] 0 () }\n"
    ".launches k5 m1 [] { \"fault\" [1, 1, 1] [1, 1, 1] 0 () }\n"
    ".func main (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    load_const_on r2, tensor float32 [3] { 10, 20, 30 }, v1\n"
    "    new_tensor_on r3, float32, v1, [s0]\n"
    "    call_kernel k0, [s0], [r1, r2, r3]\n"
    "    new_tensor_on r4, float32, v1, [s0]\n"
    "    call_kernel k1, [s0], [r3, r4]\n"
    "    ret r4\n"
    "}\n"
    ".func home (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    call_func r1, @main, [r0]\n"
    "    to_vdevice r2, r1, v0\n"
    "    ret r2\n"
    "}\n"
    ".func twice (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v2\n"
    "    to_vdevice r2, r1, v1\n"
    "    to_vdevice r3, r2, v3\n"
    "    to_vdevice r4, r3, v1\n"
    "    ret r4\n"
    "}\n"
    ".func planned (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    .region z0 v1\n"
    "    .buffer u0 z0 s0 * 4 0 99\n"
    "    .buffer u1 z1 s0 * 8 + 64 0 99\n"
    "    .buffer u2 z1 s0 * 4 0 99\n"
    "    .tensor p0 u0 float32[s0]\n"
    "    .tensor p1 u2 float32[s0]\n"
    "    to_vdevice r1, r0, v1\n"
    "    plan z0\n"
    "    plan z1\n"
    "    plan_tensor r2, p0\n"
    "    call_kernel k1, [s0], [r1, r2]\n"
    "    plan_tensor r3, p1\n"
    "    call_kernel_in k2, u1, [s0], [r0, r3]\n"
    "    new_tensor_on r4, float32, v1, [s0]\n"
    "    to_vdevice r5, r3, v1\n"
    "    call_kernel k0, [s0], [r2, r5, r4]\n"
    "    ret r4\n"
    "}\n"
    ".func in_plan (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    .region z0 v1\n"
    "    .buffer u0 z0 s0 * 4 0 99\n"
    "    .buffer u1 z0 128 0 99\n"
    "    .buffer u2 z0 64 0 99\n"
    "    .tensor p0 u0 float32[s0]\n"
    "    to_vdevice r1, r0, v1\n"
    "    plan z0\n"
    "    plan_tensor r2, p0\n"
    "    call_kernel_in k1, u1, [s0], [r1, r2]\n"
    "    call_kernel_in k1, u2, [s0], [r1, r2]\n"
    "    to_vdevice r3, r2, v0\n"
    "    ret r3\n"
    "}\n"
    ".func copied (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    call_builtin r2, \"rlx.copy\", [r1]\n"
    "    call_kernel k1, [s0], [r1, r2]\n"
    "    call_builtin r3, \"rlx.copy\", [r2]\n"
    "    ret r3\n"
    "}\n"
    ".func storage (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    eval_slot s1, s0 * 4 + 128\n"
    "    eval_slot s2, 128\n"
    "    alloc_storage_on r1, s1, 64, v1\n"
    "    alloc_tensor r2, r1, s2, float32, [s0]\n"
    "    to_vdevice r3, r0, v1\n"
    "    call_kernel k1, [s0], [r3, r2]\n"
    "    view r4, r2, [s0]\n"
    "    ret r4\n"
    "}\n"
    ".func numbers (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    new_tensor_on r1, float32, v1, [s0]\n"
    "    call_kernel k3, [s0], [r1]\n"
    "    ret r1\n"
    "}\n"
    ".func faulty (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    call_kernel k4, [s0], [r1]\n"
    "    to_vdevice r2, r1, v0\n"
    "    ret r2\n"
    "}\n"
    ".func lost (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    call_kernel k5, [s0], [r1]\n"
    "    ret r1\n"
    "}\n"
    ".func host_kernel (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    call_kernel k2, [s0], [r1, r1]\n"
    "    ret r1\n"
    "}\n"
    ".func device_kernel (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    call_kernel k1, [s0], [r1, r0]\n"
    "    ret r1\n"
    "}\n"
    ".func all_host (x: float32[s0!]) -> object symbols 1 {\n"
    "    call_kernel k1, [s0], [r0, r0]\n"
    "    ret r0\n"
    "}\n"
    ".func constant (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    load_const_on r2, tensor float32 [3] { 10, 20, 30 }, v1\n"
    "    call_kernel k1, [s0], [r1, r2]\n"
    "    ret r1\n"
    "}\n"
    ".func two (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    to_vdevice r2, r0, v2\n"
    "    call_kernel k1, [s0], [r1, r2]\n"
    "    ret r1\n"
    "}\n"
    ".func condition (x: float32[s0!]) -> object symbols 1 {\n"
    "    load_const_on r1, tensor bool [] { 1 }, v1\n"
    "    if r1, L\n"
    "L:  ret r1\n"
    "}\n"
    ".func number (x: float32[s0!]) -> object symbols 1 {\n"
    "    load_const_on r1, tensor int64 [] { 1 }, v1\n"
    "    slot_of_value s1, r1\n"
    "    ret r1\n"
    "}\n"
    ".func builtin (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    make_tuple r2, [r1]\n"
    "    call_builtin r3, \"rlx.print\", [r2]\n"
    "    ret r1\n"
    "}\n"
    ".func shape (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    call_builtin r2, \"rlx.flat\", [r1]\n"
    "    call_builtin r3, \"rlx.shape_of\", [r2]\n"
    "    ret r3\n"
    "}\n"
    ".func packed (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    call_packed r2, \"rlx.argsort\", [r1, r1, r1, r1]\n"
    "    ret r2\n"
    "}\n";

const float device_sums[3] = {-10, -21, -32};

rlx_registry *device_registry(rlx_test *t, test_device_control *c)
{
    rlx_registry *r = rlx_test_registry(t);
    RLX_OKAY(rlx_registry_add_device(r, test_device_api(c), c, &t->error));
    return r;
}

void device_expect_clean(const test_device_control *c)
{
    cr_expect_eq(c->misuses, 0, "%u misuses, the last: %s", c->misuses, c->misuse);
    cr_expect_eq(c->live, 0, "%u objects of the device are left", c->live);
}

rlx_tensor *device_iota(rlx_test *t, int64_t n)
{
    return rlx_test_iota(t, 1, &n).as.tensor;
}

void device_release(rlx_tensor *x)
{
    rlx_value_release(rlx_of_tensor(x));
}

bool device_is_iota(const rlx_tensor *x, float factor)
{
    const float *data = rlx_tensor_data(x);
    for (int64_t i = 0; i < rlx_tensor_numel(x); i++)
        if (!data || data[i] != factor * (float)i)
            return false;
    return true;
}

rlx_status device_call(rlx_test *t, rlx_vm *vm, const char *function, rlx_tensor *x,
                       rlx_tensor **out)
{
    rlx_value v = rlx_of_tensor(x), result;
    RLX_TRY(rlx_vm_invoke(vm, rlx_str_from(function), &v, 1, &result, &t->error));
    *out = NULL;
    if (result.kind == RLX_KIND_TENSOR)
        *out = result.as.tensor;
    else
        rlx_value_release(result);
    return RLX_OK;
}

void device_begin(rlx_test *t, device_setup *s)
{
    device_registry(t, &s->control);
    s->exe = rlx_test_load(t, device_program);
    s->vm = rlx_test_vm(t, s->exe);
    s->x = device_iota(t, 3);
}

void device_end(device_setup *s)
{
    device_release(s->x);
    rlx_vm_destroy(s->vm);
    rlx_executable_release(s->exe);
    device_expect_clean(&s->control);
}

void device_expect_result(rlx_test *t, const device_setup *s, const char *function,
                          const float *expected)
{
    rlx_tensor *out, *back;
    RLX_OKAY(device_call(t, s->vm, function, s->x, &out));
    cr_assert_not_null(out);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, out, NULL, &back, &t->error));
    cr_expect_arr_eq((const char *)rlx_tensor_data(back), (const char *)expected, 12, "%s",
                     function);
    device_release(out);
    device_release(back);
}

/* Checks that fail in kernels of devices: reported at the end of the call, once, by name. */
#include <string.h>

#include "tests/vm/device_fixture.h"

/* The second launch has no checks; those of the third come after the first's. */
static const char program[] =
    ".device v1 \"test\" 0 \"global\" \"\"\n"
    ".module m0 \"test\" [ \"test\" text \"limit\\nneg\\n\" ]\n"
    ".kernel k0 \"limit\" dims 1 (float32[s0], out float32[s0])\n"
    ".launches k0 m0 [] {\n"
    "    \"limit\" [1, 1, 1] [1, 1, 1] 0 (p0, p1, int64 s0, checks "
    "\"element {a} is {b}: {a}{c}\\nnever\\nnegative\")\n"
    "    \"neg\" [1, 1, 1] [1, 1, 1] 0 (p0, p1, int64 s0)\n"
    "    \"limit\" [1, 1, 1] [1, 1, 1] 0 (p0, p1, int64 s0, checks \"x\\ny\\nbelow {b}\")\n"
    "}\n"
    ".func main (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    new_tensor_on r2, float32, v1, [s0]\n"
    "    call_kernel k0, [s0], [r1, r2]\n"
    "    to_vdevice r3, r2, v0\n"
    "    ret r3\n"
    "}\n"
    ".func worse (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    new_tensor_on r2, float32, v1, [s0]\n"
    "    call_kernel k0, [s0], [r1, r2]\n"
    "    slot_of_value s0, r1\n"
    "    ret r2\n"
    "}\n";

static rlx_tensor *numbers(rlx_test *t, float a, float b)
{
    rlx_tensor *x = device_iota(t, 3);
    float *data = rlx_tensor_mutable_data(x);
    data[1] = a;
    data[2] = b;
    return x;
}

RLX_TEST(device_checks, failures_are_errors_of_the_call)
{
    static const struct {
        float a, b;
        const char *message;
    } rows[] = {
        {1, 2, NULL},
        {1, 101, "kernel limit: element 2 is 101: 2{c}"},
        {-7, 1, "kernel limit: negative"},
        {200, -1, "kernel limit: element 1 is 200: 1{c}"}, /* the first in the text */
        {100, 0, NULL},                                    /* nothing is left of it */
    };
    test_device_control c;
    rlx_registry *registry = device_registry(t, &c);
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm;
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = registry};
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_tensor *x = numbers(t, rows[i].a, rows[i].b), *out = NULL;
        const rlx_status status = device_call(t, vm, "main", x, &out);
        if (rows[i].message)
            cr_expect(status == RLX_E_KERNEL && strcmp(t->error.message, rows[i].message) == 0,
                      "row %zu: %s", i, t->error.message);
        else
            cr_expect_eq(status, RLX_OK, "row %zu: %s", i, t->error.message);
        if (out)
            device_release(out);
        /* an error that comes after it may come from it */
        RLX_FAILS(device_call(t, vm, "worse", x, &out),
                  rows[i].message ? RLX_E_KERNEL : RLX_E_SHAPE,
                  rows[i].message ? rows[i].message : "register 1: a 0-dim tensor");
        device_release(x);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    device_expect_clean(&c);
}

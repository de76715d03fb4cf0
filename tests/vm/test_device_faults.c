/* Devices that fail, are lost or absent, and allocations that fail. */
#include <string.h>

#include "tests/vm/device_fixture.h"

static void want_graphs(rlx_test *t, device_setup *s)
{
    const rlx_vm_options o = {
        .allocator = &t->allocator, .registry = t->registry, .device_graphs = true};
    rlx_vm_destroy(s->vm);
    RLX_OKAY(rlx_vm_create(s->exe, &o, &s->vm, &t->error));
}

/* After each failure the VM runs the function again, and nothing is left. */
static void fail_each_call(rlx_test *t, const char *function, bool is_new, bool graphs)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i <= n; i++)
        for (int after = 0; after < 2 && i < n + 1; after++) {
            device_setup s;
            rlx_tensor *out = NULL;
            device_begin(t, &s);
            if (graphs)
                want_graphs(t, &s);
            if (!is_new) {
                RLX_OKAY(device_call(t, s.vm, function, s.x, &out));
                device_release(out);
            }
            s.control.calls = 0;
            s.control.fail_at = i;
            s.control.fail_after = after;
            t->error = (rlx_error){0};
            rlx_status status = device_call(t, s.vm, function, s.x, &out);
            if (i == 0) {
                cr_assert_eq(status, RLX_OK, "%s: %s", function, t->error.message);
                n = s.control.calls;
                cr_assert_gt(n, is_new ? 8 : 2, "%s", function);
            }
            if (status == RLX_OK) {
                device_release(out);
            } else {
                cr_expect(strstr(t->error.message, "asked to fail") &&
                              strstr(t->error.message, "test:"),
                          "%s, call %u: %s", function, i, t->error.message);
            }
            s.control.fail_at = 0;
            cr_expect_eq(s.control.gatherers, 0);
            device_expect_result(t, &s, "home", device_sums);
            device_end(&s);
            rlx_registry_release(t->registry);
            t->registry = NULL;
        }
}

RLX_TEST(device, each_call_of_it_may_fail)
{
    static const char *const functions[] = {"home", "planned", "twice", "storage"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        fail_each_call(t, functions[i], true, false);
        fail_each_call(t, functions[i], false, false);
        fail_each_call(t, functions[i], false, true);
    }
}

RLX_TEST(device, each_allocation_of_the_host_may_fail)
{
    for (size_t fail = 1; fail < 1000; fail++) {
        test_device_control c;
        rlx_vm *vm = NULL;
        rlx_tensor *out;
        device_registry(t, &c);
        rlx_executable *exe = rlx_test_load(t, device_program);
        rlx_tensor *x = device_iota(t, 3);
        const size_t before = t->calls;
        t->fail_at = before + fail;
        rlx_vm_options o = {.allocator = &t->allocator, .registry = t->registry};
        rlx_status status = rlx_vm_create(exe, &o, &vm, &t->error);
        if (status == RLX_OK)
            status = device_call(t, vm, "planned", x, &out);
        const bool all = t->calls < t->fail_at;
        t->fail_at = 0;
        if (status == RLX_OK)
            device_release(out);
        else
            cr_expect_eq(status, RLX_E_NOMEM, "allocation %zu: %s", fail, t->error.message);
        if (vm) {
            RLX_OKAY(device_call(t, vm, "planned", x, &out));
            device_release(out);
        }
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
        device_release(x);
        device_expect_clean(&c);
        rlx_registry_release(t->registry);
        t->registry = NULL;
        if (all)
            return;
    }
    cr_expect(false, "more than 1000 allocations");
}

RLX_TEST(device, a_missing_device_is_an_error_of_the_call)
{
    device_setup s;
    rlx_tensor *out;
    device_begin(t, &s);
    s.control.devices = 0;
    RLX_FAILS(device_call(t, s.vm, "home", s.x, &out), RLX_E_NOT_FOUND,
              "test:0: there are 0 devices");
    s.control.devices = 2;
    device_expect_result(t, &s, "home", device_sums);
    device_end(&s);
    rlx_executable *exe = rlx_test_load(t, device_program);
    rlx_vm *vm;
    RLX_OKAY(rlx_vm_create(exe, NULL, &vm, &t->error)); /* no registry: the kind is unknown */
    rlx_tensor *x = device_iota(t, 3);
    RLX_FAILS(device_call(t, vm, "home", x, &out), RLX_E_NOT_FOUND, "no kind of device 'test'");
    device_release(x);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

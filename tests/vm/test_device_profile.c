/* The work of devices in profiles, on a device with invented memory. */
#include <string.h>

#include "tests/support/rlx_test.h"
#include "tests/support/test_device.h"

/* -x on test:0: a copy to the device, and a launch. */
static const char program[] =
    ".kernel k0 \"negate\" dims 1 (float32[s0], out float32[s0])\n"
    ".device \"test\" 0 \"global\" \"test\"\n"
    ".module \"test\" [ \"test\" text \"neg\\n\" ]\n"
    ".launches k0 m0 [] { \"neg\" [s0, 1, 1] [1, 1, 1] 0 (p0, p1, int64 s0) }\n"
    ".func main (x: float32[s0!]) -> object symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    new_tensor_on r2, float32, v1, [s0]\n"
    "    call_kernel k0, [s0], [r1, r2]\n"
    "    ret r2\n"
    "}\n";

/* |calls| of main with a profile of |events| events; the profile, detached, in *out. */
static rlx_status profile_calls(rlx_test *t, rlx_vm *vm, rlx_executable *exe, uint32_t calls,
                                uint32_t events, rlx_profile **out)
{
    const int64_t n = 3;
    rlx_tensor *x = NULL;
    rlx_value result;
    rlx_status status = rlx_profile_create(&t->allocator, exe, events, out, &t->error);
    if (status == RLX_OK)
        status = rlx_tensor_create(NULL, RLX_F32, 1, &n, &x, &t->error);
    if (status == RLX_OK)
        status = rlx_vm_set_profile(vm, *out, &t->error);
    for (uint32_t i = 0; i < calls && status == RLX_OK; i++) {
        const rlx_value arg = rlx_of_tensor(x);
        status = rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &result, &t->error);
        if (status == RLX_OK)
            rlx_value_release(result);
    }
    cr_assert_eq(rlx_vm_set_profile(vm, NULL, NULL), RLX_OK);
    if (x)
        rlx_value_release(rlx_of_tensor(x));
    return status;
}

RLX_TEST(device_profile, work_is_counted_and_timed)
{
    enum { CALLS = 700, EVENTS = 1000 }; /* more work than is kept before its times are taken */
    test_device_control c;
    rlx_profile *p = NULL;
    rlx_profile_work w;
    rlx_profile_work_event e;
    RLX_OKAY(rlx_registry_add_device(rlx_test_registry(t), test_device_api(&c), &c, &t->error));
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(profile_calls(t, vm, exe, CALLS, EVENTS, &p));
    cr_assert_eq(rlx_profile_work_count(p), 2);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert(rlx_profile_get_work(p, i, &w));
        cr_expect(w.count == CALLS && w.timed == CALLS, "row %u: %llu of %llu", i,
                  (unsigned long long)w.timed, (unsigned long long)w.count);
        cr_expect_str_eq(w.device, "test:0");
        cr_expect_str_eq(w.name, w.kind == RLX_WORK_LAUNCH ? "neg" : "");
        cr_expect_eq(w.bytes, w.kind == RLX_WORK_COPY_IN ? CALLS * 12u : 0u);
        cr_expect(w.min_ns <= w.max_ns && w.max_ns <= w.total_ns);
    }
    cr_expect_not(rlx_profile_get_work(p, 2, &w));
    cr_expect_eq(rlx_profile_work_event_count(p), EVENTS);
    for (uint32_t i = 0; i < EVENTS; i++)
        cr_expect(rlx_profile_get_work_event(p, i, &e) && e.work < 2);
    cr_expect_not(rlx_profile_get_work_event(p, EVENTS, &e));
    rlx_profile_reset(p);
    cr_expect(rlx_profile_work_count(p) == 0 && rlx_profile_work_event_count(p) == 0);
    rlx_profile_destroy(p);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    rlx_registry_release(t->registry);
    t->registry = NULL;
    cr_expect(c.live == 0 && c.misuses == 0, "%u live, %u misuses: %s", c.live, c.misuses,
              c.misuse);
}

/* Each call of the device fails, its events' among them, then each allocation: nothing leaks. */
RLX_TEST(device_profile, faults_leave_nothing)
{
    for (int of_host = 0; of_host < 2; of_host++) {
        bool failed = true;
        for (uint32_t at = 1; failed; at++) {
            test_device_control c;
            rlx_profile *p = NULL;
            rlx_profile_work w;
            RLX_OKAY(
                rlx_registry_add_device(rlx_test_registry(t), test_device_api(&c), &c, &t->error));
            rlx_executable *exe = rlx_test_load(t, program);
            rlx_vm *vm = rlx_test_vm(t, exe);
            c.calls = 0;
            c.code = RLX_E_DEVICE;
            c.fail_at = of_host ? 0 : at;
            t->fail_at = of_host ? t->calls + at : 0;
            const rlx_status status = profile_calls(t, vm, exe, 2, 4, &p);
            failed = of_host ? t->calls >= t->fail_at : c.failed != NULL;
            t->fail_at = 0;
            cr_expect(failed || status == RLX_OK);
            for (uint32_t i = 0; rlx_profile_get_work(p, i, &w); i++)
                cr_expect(w.timed <= w.count);
            rlx_profile_destroy(p);
            rlx_vm_destroy(vm);
            rlx_executable_release(exe);
            rlx_registry_release(t->registry);
            t->registry = NULL;
            cr_expect(c.live == 0 && c.misuses == 0, "%u live after failure %u: %s", c.live, at,
                      c.failed ? c.failed : "an allocation");
        }
    }
}

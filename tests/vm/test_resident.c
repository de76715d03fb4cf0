/* Memory is returned after a large shape: measured by the bytes VMs keep from their allocator, and
 * by the process's resident size. */
#include <stdio.h>
#include <string.h>

#include "tests/support/rlx_test.h"

#define MIB ((size_t)1 << 20)

/* Planned memory, a kernel's scratch memory, a separate tensor and a result. */
static const char program[] = ".kernel k0 \"t_neg\" dims 1 (float32[s0], out float32[s0])\n"
                              ".kernel k1 \"t_scratch\" dims 1 (float32[s0], out float32[s0])\n"
                              ".func main (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                              "    .buffer u0 z0 s0 * 4 0 99\n"
                              "    .tensor p0 u0 float32[s0]\n"
                              "    plan z0\n"
                              "    plan_tensor r1, p0\n"
                              "    call_kernel k1, [s0], [r0, r1]\n"
                              "    new_tensor r2, float32, [s0]\n"
                              "    call_kernel k0, [s0], [r1, r2]\n"
                              "    new_tensor r3, float32, [s0]\n"
                              "    call_kernel k0, [s0], [r2, r3]\n"
                              "    ret r3\n"
                              "}\n";

static void call(rlx_test *t, rlx_vm *vm, int64_t n, int times)
{
    rlx_tensor *x;
    RLX_OKAY(rlx_tensor_create(NULL, RLX_F32, 1, &n, &x, &t->error));
    const rlx_value arg = rlx_of_tensor(x);
    memset(rlx_tensor_mutable_data(x), 0, rlx_tensor_nbytes(x));
    for (int i = 0; i < times; i++) {
        rlx_value out;
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, &t->error));
        rlx_value_release(out);
    }
    rlx_value_release(arg);
}

RLX_TEST(resident, a_vm_gives_back_what_small_shapes_do_not_need)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm;
    rlx_vm_stats stats;
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = rlx_test_registry(t)};
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    call(t, vm, 16, 32);
    const size_t small = t->live_bytes;
    call(t, vm, 1 << 20, 1);
    cr_expect_gt(t->live_bytes, small + 4 * MIB, "the large shape left nothing to give back");
    call(t, vm, 16, 32);
    cr_expect_leq(t->live_bytes, small + 2 * MIB, "%zu bytes more", t->live_bytes - small);
    /* In the steady state, a call allocates only its results. */
    rlx_vm_reset_stats(vm);
    call(t, vm, 16, 64);
    rlx_vm_get_stats(vm, &stats);
    const uint64_t for_small = stats.allocator_calls;
    call(t, vm, 1 << 20, 32);
    rlx_vm_reset_stats(vm);
    call(t, vm, 1 << 20, 64);
    rlx_vm_get_stats(vm, &stats);
    cr_expect_leq(stats.allocator_calls, for_small, "%llu and %llu calls",
                  (unsigned long long)stats.allocator_calls, (unsigned long long)for_small);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(resident, many_vms_keep_what_their_last_calls_needed)
{
    enum { VMS = 64, ROUNDS = 48 };
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vms[VMS];
    uint64_t state = 1;
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = rlx_test_registry(t)};
    for (int i = 0; i < VMS; i++)
        RLX_OKAY(rlx_vm_create(exe, &options, &vms[i], &t->error));
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < VMS; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            /* one shape in forty is large, but none of the last 32 */
            const bool is_large = round < ROUNDS - 32 && (state >> 33) % 40 == 0;
            call(t, vms[i], is_large ? 1 << 19 : (int64_t)((state >> 40) % 1000), 1);
        }
    cr_expect_leq(t->live_bytes, 2 * VMS * MIB, "%zu bytes are kept", t->live_bytes);
    for (int i = 0; i < VMS; i++)
        rlx_vm_destroy(vms[i]);
    rlx_executable_release(exe);
}

#ifndef __SANITIZE_ADDRESS__
static size_t resident(void)
{
    unsigned long long pages = 0, all = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    cr_assert(statm && fscanf(statm, "%llu %llu", &all, &pages) == 2);
    fclose(statm);
    return (size_t)pages * 4096;
}

/* 64 VMs run one large shape each, then 32 small ones: resident memory grows by at most 16 MiB. */
RLX_TEST(resident, the_system_gets_it_back)
{
    enum { VMS = 64 };
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vms[VMS];
    const rlx_vm_options options = {.registry = rlx_test_registry(t)};
    for (int i = 0; i < VMS; i++) {
        RLX_OKAY(rlx_vm_create(exe, &options, &vms[i], &t->error));
        call(t, vms[i], 16, 32);
    }
    const size_t before = resident();
    for (int i = 0; i < VMS; i++)
        call(t, vms[i], 1 << 19, 1);
    const size_t most = resident();
    for (int i = 0; i < VMS; i++)
        call(t, vms[i], 16, 32);
    const size_t after = resident();
    cr_expect_gt(most, before + 64 * MIB, "%zu bytes", most - before);
    cr_expect_leq(after, before + 16 * MIB, "%zu MiB before, %zu at most, %zu after", before / MIB,
                  most / MIB, after / MIB);
    for (int i = 0; i < VMS; i++)
        rlx_vm_destroy(vms[i]);
    rlx_executable_release(exe);
}
#endif

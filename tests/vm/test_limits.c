/* rlx_vm_options.max_bytes and .arena against the VM's real allocations, at every limit around a
 * program's need: the VM neither exceeds a limit nor demands a larger one than it needs. */
#include <string.h>

#include "tests/support/rlx_test.h"

/* Planned memory within planned memory, a kernel's scratch memory, separate tensors. */
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
                              "    call_func r3, @inner, [r2]\n"
                              "    ret r3\n"
                              "}\n"
                              ".func inner (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                              "    .buffer u0 z0 s0 * 4 0 99\n"
                              "    .tensor p0 u0 float32[s0]\n"
                              "    plan z0\n"
                              "    plan_tensor r1, p0\n"
                              "    call_kernel k1, [s0], [r0, r1]\n"
                              "    new_tensor r2, float32, [s0]\n"
                              "    call_kernel k0, [s0], [r1, r2]\n"
                              "    ret r2\n"
                              "}\n"
                              "# what is killed is kept for later tensors of its size\n"
                              ".func tensors (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                              "    .buffer u0 z0 s0 * 4 0 99\n"
                              "    .tensor p0 u0 float32[s0]\n"
                              "    plan z0\n"
                              "    plan_tensor r1, p0\n"
                              "    eval_slot s1, s0 // 2\n"
                              "    new_tensor r2, float32, [s1]\n"
                              "    kill r2\n"
                              "    eval_slot s1, s0 * 3\n"
                              "    new_tensor r2, float32, [s1]\n"
                              "    kill r2\n"
                              "    call_kernel k0, [s0], [r0, r1]\n"
                              "    new_tensor r2, float32, [s0]\n"
                              "    call_kernel k0, [s0], [r1, r2]\n"
                              "    ret r2\n"
                              "}\n"
                              ".func twice (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                              "    eval_slot s1, s0 * 3\n"
                              "    new_tensor r1, float32, [s1]\n"
                              "    kill r1\n"
                              "    new_tensor r1, float32, [s0]\n"
                              "    call_kernel k1, [s0], [r0, r1]\n"
                              "    new_tensor r2, float32, [s0]\n"
                              "    call_kernel k1, [s0], [r1, r2]\n"
                              "    ret r2\n"
                              "}\n"
                              ".func alone (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                              "    new_tensor r1, float32, [s0]\n"
                              "    call_kernel k0, [s0], [r0, r1]\n"
                              "    new_tensor r2, float32, [s0]\n"
                              "    call_kernel k0, [s0], [r1, r2]\n"
                              "    ret r2\n"
                              "}\n";

/* Runs |name| in a fresh VM; |*out_used| gets the peak of the call's bytes. */
static rlx_status run(rlx_test *t, rlx_executable *exe, const char *name, rlx_vm_options options,
                      int64_t n, size_t *out_used)
{
    rlx_vm *vm;
    rlx_value x = rlx_test_iota(t, 1, &n), out;
    options.allocator = &t->allocator;
    options.registry = rlx_test_registry(t);
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    const size_t before = t->live_bytes;
    t->most_bytes = before;
    rlx_status status = rlx_vm_invoke(vm, rlx_str_from(name), &x, 1, &out, &t->error);
    *out_used = t->most_bytes - before;
    if (status == RLX_OK) {
        const float *data = rlx_tensor_data(out.as.tensor);
        for (int64_t i = 0; i < n; i++)
            cr_assert_eq(data[i], (float)i, "element %lld is %g", (long long)i, (double)data[i]);
        rlx_value_release(out);
    }
    rlx_value_release(x);
    rlx_vm_destroy(vm);
    return status;
}

/* Any limit above a sufficient one is sufficient, and the smallest is used up except for a page. */
RLX_TEST(limits, no_byte_beyond_max_bytes_is_taken)
{
    static const struct {
        const char *name;
        int64_t n;
        size_t slack; /* uncounted bytes: the record of the planned block, headers kept for reuse,
                         and the planner's temporary lists */
    } rows[] = {{"main", 100, 256},     {"main", 5000, 256},     {"main", 17000, 256},
                {"tensors", 5000, 256}, {"tensors", 17000, 256}, {"twice", 17000, 256},
                {"alone", 5000, 0}};
    rlx_executable *exe = rlx_test_load(t, program);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *name = rows[i].name;
        const long long n = rows[i].n;
        size_t needed, used;
        uint64_t smallest = 0;
        RLX_OKAY(run(t, exe, name, (rlx_vm_options){0}, n, &needed));
        for (uint64_t limit = needed / 4 * 3 / 64 * 64; limit < needed + 64; limit += 64) {
            rlx_status status = run(t, exe, name, (rlx_vm_options){.max_bytes = limit}, n, &used);
            cr_assert_leq(used, limit + rows[i].slack, "%s, n = %lld: %zu bytes of %llu", name, n,
                          used, (unsigned long long)limit);
            cr_assert(status == RLX_OK || (status == RLX_E_LIMIT && smallest == 0),
                      "%s, n = %lld, %llu bytes: %s", name, n, (unsigned long long)limit,
                      t->error.message);
            if (status == RLX_OK && smallest == 0) {
                smallest = limit;
                cr_expect_geq(used + 64 + 16 * rows[i].slack, limit,
                              "%s, n = %lld: %zu bytes of %llu", name, n, used,
                              (unsigned long long)limit);
            }
        }
        cr_expect_neq(smallest, 0, "%s, n = %lld", name, n);
    }
    rlx_executable_release(exe);
}

/* Two regions of one buffer each, in host memory at unaligned addresses. */
RLX_TEST(limits, an_arena_is_used_to_its_end_and_no_further)
{
    static unsigned char memory[3 * 4096];
    rlx_executable *exe = rlx_test_load(t, program);
    const int64_t n = 160; /* 640 bytes, ten times the alignment */
    for (size_t bytes = 1280 - 64; bytes <= 1280 + 128; bytes++) {
        for (size_t shift = 0; shift < 64; shift += 21) {
            size_t used, skip = (64 - ((uintptr_t)memory + shift) % 64) % 64;
            memset(memory, 0xEE, sizeof memory);
            const rlx_vm_options options = {.arena = memory + shift, .arena_bytes = bytes};
            const bool fits = bytes >= 1280 + skip;
            rlx_status status = run(t, exe, "main", options, n, &used);
            cr_assert_eq(status, fits ? RLX_OK : RLX_E_LIMIT, "%zu bytes at %zu: %s", bytes, shift,
                         t->error.message);
            for (size_t i = 0; i < sizeof memory; i++)
                cr_assert(memory[i] == 0xEE || (i >= shift && i < shift + bytes),
                          "byte %zu was written", i);
        }
    }
    rlx_executable_release(exe);
}

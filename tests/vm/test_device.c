/* Devices at run time, on a device with invented memory: tensors, programs, faults. */
#include <dlpack/dlpack.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/test_device.h"

/* A registry with the kind "test". Created by the library's allocator, so that the test's own
 * counts only what a VM takes. */
static rlx_registry *registry_with(rlx_test *t, test_device_control *c)
{
    rlx_registry *r = rlx_test_registry(t);
    RLX_OKAY(rlx_registry_add_device(r, test_device_api(c), c, &t->error));
    return r;
}

static void expect_clean(const test_device_control *c)
{
    cr_expect_eq(c->misuses, 0, "%u misuses, the last: %s", c->misuses, c->misuse);
    cr_expect_eq(c->live, 0, "%u objects of the device are left", c->live);
}

static rlx_tensor *iota(rlx_test *t, int64_t n)
{
    return rlx_test_iota(t, 1, &n).as.tensor;
}

static void release(rlx_tensor *x)
{
    rlx_value_release(rlx_of_tensor(x));
}

static bool is_iota(const rlx_tensor *x, float factor)
{
    const float *data = rlx_tensor_data(x);
    for (int64_t i = 0; i < rlx_tensor_numel(x); i++)
        if (!data || data[i] != factor * (float)i)
            return false;
    return true;
}

/* --- tensors -----------------------------------------------------------------------------------
 */

RLX_TEST(device, tensors_move_and_stay)
{
    test_device_control c;
    rlx_registry *r = registry_with(t, &c);
    rlx_device *d, *same, *other;
    rlx_tensor *x = iota(t, 5), *there, *again, *elsewhere, *back;
    RLX_OKAY(rlx_device_open(r, "test", 0, &d, &t->error));
    RLX_OKAY(rlx_device_open(r, "test", 0, &same, &t->error));
    RLX_OKAY(rlx_device_open(r, "test", 1, &other, &t->error));
    cr_expect(d == same && d != other && c.opened == 2);
    cr_expect_str_eq(rlx_device_name(other), "test:1");
    cr_expect(rlx_device_type(d) == 12 && rlx_device_id(other) == 1);
    cr_expect_str_eq(rlx_device_facts(d)->name, "test device 0");
    rlx_device_release(same);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, x, d, &there, &t->error));
    cr_expect(rlx_tensor_device(there) == d && !rlx_tensor_device(x));
    cr_expect(!rlx_tensor_data(there) && !rlx_tensor_mutable_data(there));
    cr_expect(rlx_tensor_place(there).memory && !rlx_tensor_place(x).memory);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there, d, &again, &t->error));
    cr_expect_eq(again, there);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there, other, &elsewhere, &t->error));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, elsewhere, NULL, &back, &t->error));
    cr_expect(is_iota(back, 1));
    rlx_device_stats stats;
    rlx_device_get_stats(d, &stats);
    cr_expect(stats.copies_in == 1 && stats.bytes_in == 20 && stats.copies_out == 1 &&
              stats.live_bytes == 64 && stats.launches == 0);
    RLX_OKAY(rlx_device_sync(d, &t->error));
    rlx_device_release(d); /* the tensors hold it */
    rlx_device_release(other);
    release(x);
    release(there);
    release(again);
    release(elsewhere);
    release(back);
    expect_clean(&c);
}

RLX_TEST(device, odd_requests_are_refused_by_name)
{
    test_device_control c;
    rlx_registry *r = registry_with(t, &c);
    rlx_device *d;
    rlx_device_info info;
    rlx_tensor *x;
    RLX_FAILS(rlx_device_open(r, "test", 2, &d, &t->error), RLX_E_NOT_FOUND,
              "test:2: there are 2 devices");
    RLX_FAILS(rlx_device_open(NULL, "test", 0, &d, &t->error), RLX_E_NOT_FOUND,
              "no kind of device 'test'");
    RLX_FAILS(rlx_device_look(r, "test", 9, &info, &t->error), RLX_E_NOT_FOUND, "2 devices");
    RLX_OKAY(rlx_device_look(r, "test", 1, &info, &t->error));
    cr_expect(info.max_threads == 256 && info.warp == 1);
    cr_expect_eq(rlx_device_count(r, "test", &t->error), 2);
    cr_expect_eq(rlx_device_count(r, "cpu", &t->error), 1);
    cr_expect_eq(rlx_device_count(r, "nope", &t->error), 0);
    cr_expect_str_eq(rlx_device_kind(r, 0), "test");
    cr_expect_str_eq(rlx_device_kind(r, 1), "cpu");
    cr_expect_null(rlx_device_kind(r, 99));
    cr_expect_str_eq(rlx_device_kind(NULL, 0), "cpu");
    RLX_OKAY(rlx_device_open(r, "test", 0, &d, &t->error));
    RLX_FAILS(rlx_tensor_create_on(&t->allocator, d, NULL, RLX_F32, 1, (int64_t[]){1 << 20}, &x,
                                   &t->error),
              RLX_E_LIMIT, "test:0: ");
    RLX_FAILS(
        rlx_tensor_create_on(&t->allocator, d, "attic", RLX_F32, 1, (int64_t[]){1}, &x, &t->error),
        RLX_E_NOT_FOUND, "there is no memory 'attic'");
    RLX_FAILS(
        rlx_tensor_create_on(&t->allocator, d, NULL, RLX_F32, 1, (int64_t[]){-1}, &x, &t->error),
        RLX_E_SHAPE, "is negative");
    RLX_OKAY(
        rlx_tensor_create_on(&t->allocator, d, NULL, RLX_F32, 1, (int64_t[]){0}, &x, &t->error));
    release(x);
    rlx_device_release(d);
    expect_clean(&c);
}

RLX_TEST(device, kinds_are_checked_when_they_are_registered)
{
    test_device_control c;
    rlx_registry *r = rlx_test_registry(t);
    rlx_device_api api = *test_device_api(&c);
    RLX_OKAY(rlx_registry_add_device(r, &api, &c, &t->error));
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG,
              "has a kind of device 'test'");
    api.kind = "cpu";
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG,
              "'cpu' cannot be replaced");
    api.kind = "a:b";
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG, "':'");
    api.kind = "";
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG, "characters");
    api.kind = "half";
    api.find = NULL;
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG,
              "'half' have no function 'find'");
    api.load = NULL;
    api.unload = NULL;
    api.launch = NULL;
    api.event_time = NULL;
    RLX_OKAY(rlx_registry_add_device(r, &api, &c, &t->error)); /* runs no kernels */
    api.size = 4;
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG, "size is 4");
    api.size = sizeof api;
    api.kind = "empty";
    api.alloc = NULL;
    RLX_FAILS(rlx_registry_add_device(r, &api, &c, &t->error), RLX_E_INVALID_ARG, "'alloc'");
}

/* Freed memory serves the next tensors; it is given up when the device has no more. */
RLX_TEST(device, memory_is_used_again)
{
    test_device_control c;
    rlx_registry *r = registry_with(t, &c);
    rlx_device *d;
    rlx_tensor *x, *y;
    RLX_OKAY(rlx_device_open(r, "test", 0, &d, &t->error));
    for (int64_t i = 0; i < 10; i++) {
        RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, i % 2 ? "global" : NULL, RLX_F32, 1,
                                      (int64_t[]){1000 + i}, &x, &t->error));
        release(x);
    }
    cr_expect_eq(c.allocs, 1);
    RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, "global.fast", RLX_F32, 1, (int64_t[]){1000},
                                  &x, &t->error));
    cr_expect_eq(c.allocs, 2); /* another memory */
    RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, NULL, RLX_U8, 1, (int64_t[]){1000000}, &y,
                                  &t->error));
    release(y);
    RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, NULL, RLX_U8, 1, (int64_t[]){600000}, &y,
                                  &t->error));
    release(x);
    release(y);
    rlx_device_release(d);
    expect_clean(&c);
}

/* --- CPU devices -------------------------------------------------------------------------------
 */

RLX_TEST(device, a_part_of_the_hosts_memory)
{
    static _Alignas(128) unsigned char sram[1024];
    rlx_registry *r = rlx_test_registry(t);
    rlx_cpu_device row = {sizeof row, 1, sram, sizeof sram, "global.sram"};
    rlx_cpu_device heap = {sizeof heap, 3, NULL, 4096, NULL};
    rlx_device *d, *host, *large;
    rlx_device_info info;
    rlx_tensor *parts[4], *x = iota(t, 8), *there, *back;
    RLX_OKAY(rlx_registry_add_cpu(r, &row, &t->error));
    RLX_OKAY(rlx_registry_add_cpu(r, &heap, &t->error));
    RLX_FAILS(rlx_registry_add_cpu(r, &row, &t->error), RLX_E_INVALID_ARG, "a device cpu:1");
    row.id = 0;
    RLX_FAILS(rlx_registry_add_cpu(r, &row, &t->error), RLX_E_INVALID_ARG, "the host's own");
    row.id = 7;
    row.bytes = 0;
    RLX_FAILS(rlx_registry_add_cpu(r, &row, &t->error), RLX_E_INVALID_ARG, "0 bytes");
    cr_expect_eq(rlx_device_count(r, "cpu", &t->error), 4);
    RLX_FAILS(rlx_device_look(r, "cpu", 2, &info, &t->error), RLX_E_NOT_FOUND, "");
    RLX_OKAY(rlx_device_open(r, "cpu", 0, &host, &t->error));
    RLX_OKAY(rlx_device_open(r, "cpu", 1, &d, &t->error));
    RLX_OKAY(rlx_device_open(r, "cpu", 3, &large, &t->error));
    cr_expect(rlx_device_facts(d)->memory_bytes == 1024 && rlx_device_facts(d)->is_host_memory);
    for (int i = 0; i < 4; i++)
        RLX_OKAY(rlx_tensor_create_on(&t->allocator, d, i % 2 ? "global.sram" : NULL, RLX_U8, 1,
                                      (int64_t[]){250}, &parts[i], &t->error));
    RLX_FAILS(rlx_tensor_to_device(&t->allocator, x, d, &there, &t->error), RLX_E_LIMIT,
              "cpu:1: 32 bytes do not fit beside 1000 in use; global.sram has 1024");
    release(parts[1]);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, x, d, &there, &t->error));
    cr_expect((const unsigned char *)rlx_tensor_data(there) == sram + 256);
    cr_expect(is_iota(there, 1) && rlx_tensor_mutable_data(there));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there, host, &back, &t->error));
    cr_expect(is_iota(back, 1) && !rlx_tensor_device(back));
    release(back);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there, large, &back, &t->error));
    cr_expect(is_iota(back, 1) && rlx_tensor_device(back) == large);
    release(back);
    RLX_FAILS(rlx_tensor_create_on(&t->allocator, large, NULL, RLX_U8, 1, (int64_t[]){5000}, &back,
                                   &t->error),
              RLX_E_LIMIT, "cpu:3");
    release(there);
    release(x);
    for (int i = 0; i < 4; i++)
        if (i != 1)
            release(parts[i]);
    rlx_device_release(d);
    rlx_device_release(host);
    rlx_device_release(large);
}

/* --- programs ----------------------------------------------------------------------------------
 */

/* r2 = -(x + c) on the device, through scratch memory; one function for each way to get memory. */
static const char program[] =
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

static rlx_status call(rlx_test *t, rlx_vm *vm, const char *function, rlx_tensor *x,
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

typedef struct setup {
    test_device_control control;
    rlx_executable *exe;
    rlx_vm *vm;
    rlx_tensor *x; /* 0, 1, 2 */
} setup;

static void begin(rlx_test *t, setup *s)
{
    registry_with(t, &s->control);
    s->exe = rlx_test_load(t, program);
    s->vm = rlx_test_vm(t, s->exe);
    s->x = iota(t, 3);
}

static void end(setup *s)
{
    release(s->x);
    rlx_vm_destroy(s->vm);
    rlx_executable_release(s->exe);
    expect_clean(&s->control);
}

/* Calls |function| and expects these three numbers, wherever the result lies. */
static void expect_result(rlx_test *t, const setup *s, const char *function, const float *expected)
{
    rlx_tensor *out, *back;
    RLX_OKAY(call(t, s->vm, function, s->x, &out));
    cr_assert_not_null(out);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, out, NULL, &back, &t->error));
    cr_expect_arr_eq((const char *)rlx_tensor_data(back), (const char *)expected, 12, "%s",
                     function);
    release(out);
    release(back);
}

static const float sums[3] = {-10, -21, -32};

RLX_TEST(device, programs_run_on_it)
{
    setup s;
    begin(t, &s);
    expect_result(t, &s, "home", sums);
    expect_result(t, &s, "main", sums);
    expect_result(t, &s, "twice", (float[]){0, 1, 2});
    expect_result(t, &s, "planned", (float[]){-0.0F, -2, -4});
    expect_result(t, &s, "planned", (float[]){-0.0F, -2, -4});
    expect_result(t, &s, "storage", (float[]){-0.0F, -1, -2});
    cr_expect_eq(s.control.loaded, 1);
    rlx_device *d;
    rlx_device_stats stats;
    RLX_OKAY(rlx_device_open(rlx_test_registry(t), "test", 0, &d, &t->error));
    rlx_device_get_stats(d, &stats);
    /* x for each call but numbers, the constant once; planned copies its second operand. */
    cr_expect_eq(stats.copies_in, 9);
    cr_expect_eq(stats.copies_within, 2); /* to the other scope and back */
    cr_expect_eq(stats.launches, 14);
    rlx_device_release(d);
    rlx_vm_trim(s.vm);
    end(&s);
}

RLX_TEST(device, launches_get_their_extents)
{
    setup s;
    rlx_tensor *out, *back;
    begin(t, &s);
    RLX_OKAY(call(t, s.vm, "numbers", s.x, &out));
    cr_expect_eq(s.control.launched, 1); /* the second has no blocks */
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, out, NULL, &back, &t->error));
    cr_expect_eq(((const float *)rlx_tensor_data(back))[0], 3 * 2 * 4 * 8);
    release(out);
    release(back);
    end(&s);
}

RLX_TEST(device, misplaced_tensors_are_errors)
{
    static const struct {
        const char *function, *message;
    } rows[] = {
        {"host_kernel", "kernel t_neg, buffer 0, in register 1: the tensor lies on test:0, out of "
                        "the host's reach"},
        {"device_kernel", "kernel negate, buffer 1: the tensor lies on the host, earlier ones on "
                          "test:0"},
        {"all_host", "kernel negate, buffer 0: the tensor lies on the host, the kernel is a "
                     "device's"},
        {"two", "kernel negate, buffer 1: the tensor lies on test:1, earlier ones on test:0"},
        {"condition", "register 1: the tensor lies on test:0"},
        {"number", "register 1: the tensor lies on test:0"},
        {"builtin", "builtin rlx.print, argument 0: the tuple holds a tensor out of the host's "
                    "reach"},
        {"packed", "builtin rlx.argsort, argument 0: the tensor lies on test:0"},
        {"faulty", "test:0, a copy from it: a kernel faulted"},
    };
    setup s;
    rlx_tensor *out;
    begin(t, &s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        RLX_FAILS(call(t, s.vm, rows[i].function, s.x, &out), RLX_E_DEVICE, rows[i].message);
    RLX_FAILS(call(t, s.vm, "constant", s.x, &out), RLX_E_INVALID_ARG,
              "kernel negate, buffer 1: a constant cannot be written");
    RLX_FAILS(call(t, s.vm, "lost", s.x, &out), RLX_E_VERSION, "test:0: code of the format other");
    RLX_OKAY(call(t, s.vm, "shape", s.x, &out));
    expect_result(t, &s, "home", sums);
    end(&s);
}

RLX_TEST(device, programs_without_devices_take_no_tensors_of_one)
{
    setup s;
    rlx_tensor *there, *out;
    begin(t, &s);
    rlx_executable *exe = rlx_test_load(t, ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                                           "    ret r0\n}\n");
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(call(t, s.vm, "main", s.x, &there));
    RLX_FAILS(call(t, vm, "main", there, &out), RLX_E_DEVICE,
              "argument 0 'x' of main: the tensor lies on test:0");
    release(there);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    end(&s);
}

/* Tensors of a device are arguments and results without a copy. */
RLX_TEST(device, results_stay_between_calls)
{
    setup s;
    rlx_tensor *x, *out;
    rlx_device *d;
    rlx_device_stats before, after;
    begin(t, &s);
    RLX_OKAY(rlx_device_open(rlx_test_registry(t), "test", 0, &d, &t->error));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, s.x, d, &x, &t->error));
    for (int i = 0; i < 4; i++) {
        RLX_OKAY(call(t, s.vm, "main", x, &out));
        release(x);
        x = out;
        if (i == 0)
            rlx_device_get_stats(d, &before);
    }
    rlx_device_get_stats(d, &after);
    cr_expect(after.copies_in == before.copies_in && after.copies_out == before.copies_out &&
              after.launches == 4 * 3);
    cr_expect_leq(s.control.allocs, 8);
    release(x);
    rlx_device_release(d);
    end(&s);
}

static void count_call(DLManagedTensor *m)
{
    ++*(int *)m->manager_ctx;
}

RLX_TEST(device, dlpack_shares_its_memory)
{
    setup s;
    rlx_tensor *out, *in, *back;
    rlx_device *d;
    DLManagedTensor *m;
    int deleted = 0;
    begin(t, &s);
    RLX_OKAY(rlx_device_open(rlx_test_registry(t), "test", 0, &d, &t->error));
    RLX_OKAY(call(t, s.vm, "main", s.x, &out));
    RLX_OKAY(rlx_tensor_to_dlpack(&t->allocator, out, &m, &t->error));
    cr_expect(m->dl_tensor.device.device_type == 12 && m->dl_tensor.device.device_id == 0);
    cr_expect_eq(m->dl_tensor.data, rlx_tensor_place(out).memory);
    RLX_FAILS(rlx_tensor_from_dlpack(&t->allocator, m, NULL, &in, NULL, &t->error),
              RLX_E_INVALID_ARG, "not the CPU");
    RLX_OKAY(rlx_tensor_from_dlpack_on(&t->allocator, d, m, NULL, &in, &t->error));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, in, NULL, &back, &t->error));
    cr_expect_arr_eq((const char *)rlx_tensor_data(back), (const char *)sums, 12);
    release(back);
    release(in); /* gives |m| back */
    int64_t shape[] = {3}, strides[] = {2};
    DLManagedTensor own = {.dl_tensor = {.data = rlx_tensor_place(out).memory,
                                         .device = {12, 1},
                                         .ndim = 1,
                                         .dtype = {kDLFloat, 32, 1},
                                         .shape = shape},
                           .manager_ctx = &deleted,
                           .deleter = count_call};
    RLX_FAILS(rlx_tensor_from_dlpack_on(&t->allocator, d, &own, NULL, &in, &t->error),
              RLX_E_INVALID_ARG, "not test:0");
    own.dl_tensor.device.device_id = 0;
    own.dl_tensor.strides = strides;
    RLX_FAILS(rlx_tensor_from_dlpack_on(&t->allocator, d, &own, NULL, &in, &t->error),
              RLX_E_INVALID_ARG, "not compact");
    own.dl_tensor.strides = NULL;
    own.dl_tensor.byte_offset = 2;
    RLX_FAILS(rlx_tensor_from_dlpack_on(&t->allocator, d, &own, NULL, &in, &t->error),
              RLX_E_INVALID_ARG, "wrong offset");
    own.dl_tensor.byte_offset = 0;
    cr_expect_eq(deleted, 0);
    for (size_t i = 1; i <= 3; i++) { /* each allocation fails */
        t->fail_at = t->calls + i;
        rlx_status status = rlx_tensor_from_dlpack_on(&t->allocator, d, &own, NULL, &in, &t->error);
        t->fail_at = 0;
        cr_expect_eq(status, RLX_E_NOMEM);
        cr_expect_eq(deleted, 0);
    }
    RLX_OKAY(rlx_tensor_from_dlpack_on(&t->allocator, d, &own, NULL, &in, &t->error));
    rlx_tensor *result;
    RLX_OKAY(call(t, s.vm, "main", in, &result));
    release(result);
    release(in);
    cr_expect_eq(deleted, 1);
    release(out);
    rlx_device_release(d);
    end(&s);
}

/* --- faults ------------------------------------------------------------------------------------
 */

/* After each failure the VM runs the function again, and nothing is left. */
static void fail_each_call(rlx_test *t, const char *function, bool is_new)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i <= n; i++)
        for (int after = 0; after < 2 && i < n + 1; after++) {
            setup s;
            rlx_tensor *out = NULL;
            begin(t, &s);
            if (!is_new) {
                RLX_OKAY(call(t, s.vm, function, s.x, &out));
                release(out);
            }
            s.control.calls = 0;
            s.control.fail_at = i;
            s.control.fail_after = after;
            t->error = (rlx_error){0};
            rlx_status status = call(t, s.vm, function, s.x, &out);
            if (i == 0) {
                cr_assert_eq(status, RLX_OK, "%s: %s", function, t->error.message);
                n = s.control.calls;
                cr_assert_gt(n, is_new ? 8 : 2, "%s", function);
            }
            if (status == RLX_OK) {
                release(out);
            } else {
                cr_expect(strstr(t->error.message, "asked to fail") &&
                              strstr(t->error.message, "test:"),
                          "%s, call %u: %s", function, i, t->error.message);
            }
            s.control.fail_at = 0;
            expect_result(t, &s, "home", sums);
            end(&s);
            rlx_registry_release(t->registry);
            t->registry = NULL;
        }
}

RLX_TEST(device, each_call_of_it_may_fail)
{
    static const char *const functions[] = {"home", "planned", "twice", "storage"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        fail_each_call(t, functions[i], true);
        fail_each_call(t, functions[i], false);
    }
}

RLX_TEST(device, each_allocation_of_the_host_may_fail)
{
    for (size_t fail = 1; fail < 1000; fail++) {
        test_device_control c;
        rlx_vm *vm = NULL;
        rlx_tensor *out;
        registry_with(t, &c);
        rlx_executable *exe = rlx_test_load(t, program);
        rlx_tensor *x = iota(t, 3);
        const size_t before = t->calls;
        t->fail_at = before + fail;
        rlx_vm_options o = {.allocator = &t->allocator, .registry = t->registry};
        rlx_status status = rlx_vm_create(exe, &o, &vm, &t->error);
        if (status == RLX_OK)
            status = call(t, vm, "planned", x, &out);
        const bool all = t->calls < t->fail_at;
        t->fail_at = 0;
        if (status == RLX_OK)
            release(out);
        else
            cr_expect_eq(status, RLX_E_NOMEM, "allocation %zu: %s", fail, t->error.message);
        if (vm) {
            RLX_OKAY(call(t, vm, "planned", x, &out));
            release(out);
        }
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
        release(x);
        expect_clean(&c);
        rlx_registry_release(t->registry);
        t->registry = NULL;
        if (all)
            return;
    }
    cr_expect(false, "more than 1000 allocations");
}

RLX_TEST(device, a_missing_device_is_an_error_of_the_call)
{
    setup s;
    rlx_tensor *out;
    begin(t, &s);
    s.control.devices = 0;
    RLX_FAILS(call(t, s.vm, "home", s.x, &out), RLX_E_NOT_FOUND, "test:0: there are 0 devices");
    s.control.devices = 2;
    expect_result(t, &s, "home", sums);
    end(&s);
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm;
    RLX_OKAY(rlx_vm_create(exe, NULL, &vm, &t->error)); /* no registry: the kind is unknown */
    rlx_tensor *x = iota(t, 3);
    RLX_FAILS(call(t, vm, "home", x, &out), RLX_E_NOT_FOUND, "no kind of device 'test'");
    release(x);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

/* --- threads -----------------------------------------------------------------------------------
 */

typedef struct worker {
    rlx_executable *exe;
    rlx_registry *registry;
    bool fits;
} worker;

static void *run_worker(void *user)
{
    worker *w = user;
    rlx_vm_options o = {.registry = w->registry};
    rlx_vm *vm;
    float in[3] = {0, 1, 2};
    w->fits = rlx_vm_create(w->exe, &o, &vm, NULL) == RLX_OK;
    for (int i = 0; i < 50 && w->fits; i++) {
        rlx_tensor *x;
        rlx_value v, out = rlx_none();
        w->fits =
            rlx_tensor_wrap(NULL, RLX_F32, 1, (int64_t[]){3}, in, NULL, NULL, &x, NULL) == RLX_OK;
        v = rlx_of_tensor(x);
        w->fits = w->fits && rlx_vm_invoke(vm, RLX_STR("home"), &v, 1, &out, NULL) == RLX_OK &&
                  memcmp(rlx_tensor_data(out.as.tensor), sums, sizeof sums) == 0;
        rlx_value_release(v);
        rlx_value_release(out);
    }
    rlx_vm_destroy(vm);
    return NULL;
}

RLX_TEST(device, vms_share_a_device)
{
    setup s;
    begin(t, &s);
    worker workers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (worker){s.exe, rlx_test_registry(t), false};
        cr_assert_eq(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        cr_expect(workers[i].fits, "thread %d", i);
    }
    end(&s);
}

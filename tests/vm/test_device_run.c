/* Programs on devices: results, misplaced tensors, DLPack in and out, threads. */
#include <dlpack/dlpack.h>
#include <pthread.h>
#include <string.h>

#include "rlx/asm.h"
#include "tests/vm/device_fixture.h"

RLX_TEST(device, programs_run_on_it)
{
    device_setup s;
    device_begin(t, &s);
    device_expect_result(t, &s, "home", device_sums);
    device_expect_result(t, &s, "main", device_sums);
    device_expect_result(t, &s, "twice", (float[]){0, 1, 2});
    device_expect_result(t, &s, "planned", (float[]){-0.0F, -2, -4});
    device_expect_result(t, &s, "planned", (float[]){-0.0F, -2, -4});
    device_expect_result(t, &s, "storage", (float[]){-0.0F, -1, -2});
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
    device_end(&s);
}

/* The kernel has two scratch buffers of 12 bytes: 128 bytes hold both, 64 the first. */
RLX_TEST(device, scratch_memory_comes_from_the_plan)
{
    device_setup s;
    device_begin(t, &s);
    for (int i = 0; i < 2; i++) {
        device_expect_result(t, &s, "in_plan", (float[]){-0.0F, -1, -2});
        cr_expect_eq(s.control.allocs, 3, "x, the plan, the second buffer: %llu",
                     (unsigned long long)s.control.allocs);
    }
    device_end(&s);
}

RLX_TEST(device, a_copy_is_made_on_it)
{
    device_setup s;
    rlx_tensor *out;
    rlx_device_stats stats;
    device_begin(t, &s);
    RLX_OKAY(device_call(t, s.vm, "copied", s.x, &out));
    rlx_device_get_stats(rlx_tensor_device(out), &stats);
    cr_expect(stats.copies_within == 2 && stats.copies_in == 1 && stats.copies_out == 0);
    device_release(out);
    device_expect_result(t, &s, "copied", (float[]){-0.0F, -1, -2});
    device_end(&s);
}

/* What a VM has on devices counts against the limit of its host, and for no longer than it has it.
 */
RLX_TEST(device, memory_is_limited)
{
    enum { LIMIT = 200000, ELEMENTS = 20000 };
    device_setup s;
    rlx_vm *vm;
    device_begin(t, &s);
    const rlx_vm_options o = {.registry = t->registry, .max_bytes = LIMIT};
    RLX_OKAY(rlx_vm_create(s.exe, &o, &vm, &t->error));
    rlx_tensor *large = device_iota(t, ELEMENTS), *out;
    static const char *const functions[] = {"planned", "in_plan", "storage", "copied"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        RLX_FAILS(device_call(t, vm, functions[i], large, &out), RLX_E_LIMIT,
                  "the limit is 200000");
    for (int i = 0; i < 50; i++) {
        RLX_OKAY(device_call(t, vm, i % 2 ? "copied" : "in_plan", s.x, &out));
        device_release(out);
    }
    RLX_OKAY(device_call(t, s.vm, "storage", large, &out)); /* without a limit */
    device_release(out);
    device_release(large);
    rlx_vm_destroy(vm);
    device_end(&s);
}

/* A file that the host does not trust opens what the host registered, and no driver. */
RLX_TEST(device, untrusted_files_open_no_driver)
{
    static const char text[] = ".device \"test\" 0 \"global\" \"\"\n"
                               ".device \"opencl\" 0 \"global\" \"\"\n"
                               ".device \"cuda\" 0 \"global\" \"\"\n"
                               ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                               "    to_vdevice r1, r0, v1\n"
                               "    ret r1\n}\n"
                               ".func opencl (x: float32[s0!]) -> object symbols 1 {\n"
                               "    to_vdevice r1, r0, v2\n"
                               "    ret r1\n}\n"
                               ".func cuda (x: float32[s0!]) -> object symbols 1 {\n"
                               "    load_const_on r1, tensor float32 [1] { 1 }, v3\n"
                               "    ret r1\n}\n";
    device_setup s;
    rlx_tensor *out;
    device_begin(t, &s);
    rlx_executable *exe = rlx_test_load(t, text);
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(device_call(t, vm, "main", s.x, &out));
    device_release(out);
    RLX_FAILS(device_call(t, vm, "opencl", s.x, &out), RLX_E_NOT_FOUND,
              "opencl:0 is not opened: the file was not trusted");
    RLX_FAILS(device_call(t, vm, "cuda", s.x, &out), RLX_E_NOT_FOUND,
              "cuda:0 is not opened: the file was not trusted");
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    device_end(&s);
}

RLX_TEST(device, launches_get_their_extents)
{
    device_setup s;
    rlx_tensor *out, *back;
    device_begin(t, &s);
    RLX_OKAY(device_call(t, s.vm, "numbers", s.x, &out));
    cr_expect_eq(s.control.launched, 1); /* the second has no blocks */
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, out, NULL, &back, &t->error));
    cr_expect_eq(((const float *)rlx_tensor_data(back))[0], 3 * 2 * 4 * 8);
    device_release(out);
    device_release(back);
    device_end(&s);
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
    device_setup s;
    rlx_tensor *out;
    device_begin(t, &s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        RLX_FAILS(device_call(t, s.vm, rows[i].function, s.x, &out), RLX_E_DEVICE, rows[i].message);
    RLX_FAILS(device_call(t, s.vm, "constant", s.x, &out), RLX_E_INVALID_ARG,
              "kernel negate, buffer 1: a constant cannot be written");
    RLX_FAILS(device_call(t, s.vm, "lost", s.x, &out), RLX_E_VERSION,
              "test:0: code of the format other");
    RLX_OKAY(device_call(t, s.vm, "shape", s.x, &out));
    device_expect_result(t, &s, "home", device_sums);
    device_end(&s);
}

RLX_TEST(device, programs_without_devices_take_no_tensors_of_one)
{
    device_setup s;
    rlx_tensor *there, *out;
    device_begin(t, &s);
    rlx_executable *exe = rlx_test_load(t, ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                                           "    ret r0\n}\n");
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(device_call(t, s.vm, "main", s.x, &there));
    RLX_FAILS(device_call(t, vm, "main", there, &out), RLX_E_DEVICE,
              "argument 0 'x' of main: the tensor lies on test:0");
    device_release(there);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    device_end(&s);
}

/* Tensors of a device are arguments and results without a copy. */
RLX_TEST(device, results_stay_between_calls)
{
    device_setup s;
    rlx_tensor *x, *out;
    rlx_device *d;
    rlx_device_stats before, after;
    device_begin(t, &s);
    RLX_OKAY(rlx_device_open(rlx_test_registry(t), "test", 0, &d, &t->error));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, s.x, d, &x, &t->error));
    for (int i = 0; i < 4; i++) {
        RLX_OKAY(device_call(t, s.vm, "main", x, &out));
        device_release(x);
        x = out;
        if (i == 0)
            rlx_device_get_stats(d, &before);
    }
    rlx_device_get_stats(d, &after);
    cr_expect(after.copies_in == before.copies_in && after.copies_out == before.copies_out &&
              after.launches == 4 * 3);
    cr_expect_leq(s.control.allocs, 8);
    device_release(x);
    rlx_device_release(d);
    device_end(&s);
}

static void count_call(DLManagedTensor *m)
{
    ++*(int *)m->manager_ctx;
}

RLX_TEST(device, dlpack_shares_its_memory)
{
    device_setup s;
    rlx_tensor *out, *in, *back;
    rlx_device *d;
    DLManagedTensor *m;
    int deleted = 0;
    device_begin(t, &s);
    RLX_OKAY(rlx_device_open(rlx_test_registry(t), "test", 0, &d, &t->error));
    RLX_OKAY(device_call(t, s.vm, "main", s.x, &out));
    RLX_OKAY(rlx_tensor_to_dlpack(&t->allocator, out, &m, &t->error));
    cr_expect(m->dl_tensor.device.device_type == 12 && m->dl_tensor.device.device_id == 0);
    cr_expect_eq(m->dl_tensor.data, rlx_tensor_place(out).memory);
    RLX_FAILS(rlx_tensor_from_dlpack(&t->allocator, m, NULL, &in, NULL, &t->error),
              RLX_E_INVALID_ARG, "not the CPU");
    RLX_OKAY(rlx_tensor_from_dlpack_on(&t->allocator, d, m, NULL, &in, &t->error));
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, in, NULL, &back, &t->error));
    cr_expect_arr_eq((const char *)rlx_tensor_data(back), (const char *)device_sums, 12);
    device_release(back);
    device_release(in); /* gives |m| back */
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
    RLX_OKAY(device_call(t, s.vm, "main", in, &result));
    device_release(result);
    device_release(in);
    cr_expect_eq(deleted, 1);
    device_release(out);
    rlx_device_release(d);
    device_end(&s);
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
                  memcmp(rlx_tensor_data(out.as.tensor), device_sums, sizeof device_sums) == 0;
        rlx_value_release(v);
        rlx_value_release(out);
    }
    rlx_vm_destroy(vm);
    return NULL;
}

RLX_TEST(device, vms_share_a_device)
{
    device_setup s;
    device_begin(t, &s);
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
    device_end(&s);
}

/* --- constants in the host's memory ------------------------------------------------------------
 */

static bool reads_constant(const worker *r)
{
    const rlx_vm_options options = {.registry = r->registry};
    rlx_vm *vm;
    rlx_value out = rlx_none();
    if (rlx_vm_create(r->exe, &options, &vm, NULL) != RLX_OK)
        return false;
    const bool done = rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, NULL) == RLX_OK;
    rlx_vm_destroy(vm);
    const float *data = done ? rlx_tensor_data(out.as.tensor) : NULL;
    const bool fits = data && data[0] == 1 && data[2] == 3;
    rlx_value_release(out);
    return fits;
}

static void *run_reader(void *user)
{
    worker *r = user;
    r->fits = true;
    for (int i = 0; i < 50 && r->fits; i++)
        r->fits = reads_constant(r);
    return NULL;
}

/* VMs come and go on four threads, and take the constant into memory of the host that has room for
 * eight: one for each of the threads' results, and the copy that the VMs share at the time. */
RLX_TEST(device, vms_on_threads_share_copies_of_constants)
{
    static const char text[] = ".device \"cpu\" 0 \"global.sram\" \"pool sram 0\"\n"
                               ".func main () -> object {\n"
                               "    load_const_on r0, tensor float32 [3] { 1, 2, 3 }, v1\n"
                               "    ret r0\n}\n";
    const rlx_cpu_device row = {
        .size = sizeof row, .id = 7, .bytes = 8 * 128, .scope = "global.sram"};
    worker readers[4];
    pthread_t threads[4];
    rlx_registry *registry;
    rlx_executable *exe = NULL;
    void *data;
    size_t size;
    /* The test's allocator is for one thread. */
    RLX_OKAY(rlx_assemble(NULL, RLX_STR("test"), rlx_str_from(text), &data, &size, &t->error));
    RLX_OKAY(rlx_executable_load_memory(data, size, NULL, &exe, &t->error));
    rlx_free(NULL, data, size, 64);
    RLX_OKAY(rlx_registry_create(NULL, &registry, &t->error));
    RLX_OKAY(rlx_registry_add_cpu(registry, &row, &t->error));
    for (int i = 0; i < 4; i++) {
        readers[i] = (worker){exe, registry, false};
        cr_assert_eq(pthread_create(&threads[i], NULL, run_reader, &readers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        cr_expect(readers[i].fits, "thread %d", i);
    }
    rlx_registry_release(registry);
    rlx_executable_release(exe);
}

/* Randomly changed bytes in valid images, allocations that fail at any point, and calls that hit
 * every limit: errors, no leaks, never a crash. */
#include "image.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static const char program[] =
    ".meta \"compiler\" \"none\"\n"
    ".kernel k0 \"t_add\" dims 1 (float32[s0], float32[s0], out float32[s0])\n"
    ".kernel k1 \"t_scratch\" dims 1 (float32[s0], out float32[s0])\n"
    ".func private twice (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    .slot s0 \"n\"\n"
    "    .at \"model.py\" 3 5 \"lv\"\n"
    "    new_tensor r1, float32, [s0]\n"
    "    call_kernel k0, [s0], [r0, r0, r1]\n"
    "    ret r1\n}\n"
    ".func main (x: float32[s0!], p: tuple(shape[s0, s1!], object)) -> object symbols 2 {\n"
    "    .slot s0 \"n\"\n"
    "    .slot s1 \"m\"\n"
    "    call_func r2, @twice, [r0]\n"
    "    eval_slot s2, s0 * 4\n"
    "    eval_slot s3, 0\n"
    "    alloc_storage r3, s2, 64\n"
    "    alloc_tensor r4, r3, s3, float32, [s0]\n"
    "    call_kernel k1, [s0], [r2, r4]\n"
    "    kill r2\n"
    "    make_closure r5, @twice, [r4]\n"
    "    call_closure r6, r5, []\n"
    "    load_const r7, tuple(int 3, tensor float32 [3] { 1, 2, 3 }, \"text\", shape [1, 2])\n"
    "    tuple_item r8, r7, 1\n"
    "    match_type r8, float32[s4!]\n"
    "    make_shape r9, [s4, s0, s1]\n"
    "    call_packed r10, \"test.pair\", [r6, r9, r7, r5]\n"
    "    value_of_slot r11, s1, int64\n"
    "    if r11, zero\n"
    "    eval_slot s1, s1 - 1\n"
    "zero:\n"
    "    make_tuple r12, [r10, r11]\n"
    "    ret r12\n}\n";

static rlx_status run_main(rlx_test *t, rlx_vm *vm, rlx_error *err)
{
    rlx_tensor *x = NULL;
    rlx_shape *s = NULL;
    rlx_tuple *p = NULL;
    rlx_value out;
    rlx_status status = rlx_tensor_create(&t->allocator, RLX_F32, 1, (int64_t[]){5}, &x, err);
    if (status == RLX_OK) {
        memset(rlx_tensor_mutable_data(x), 0, 20);
        status = rlx_shape_create(&t->allocator, 2, (int64_t[]){5, 2}, &s, err);
    }
    if (status == RLX_OK)
        status =
            rlx_tuple_create(&t->allocator, 2, (rlx_value[]){rlx_of_shape(s), rlx_int(1)}, &p, err);
    if (status == RLX_OK)
        status = rlx_vm_invoke(vm, RLX_STR("main"),
                               (rlx_value[]){rlx_of_tensor(x), rlx_of_tuple(p)}, 2, &out, err);
    if (status == RLX_OK)
        rlx_value_release(out);
    rlx_value_release(rlx_of_tensor(x));
    rlx_value_release(rlx_of_shape(s));
    rlx_value_release(rlx_of_tuple(p));
    return status;
}

RLX_TEST(hostile, the_program_itself_runs)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    for (int i = 0; i < 3; i++)
        RLX_OKAY(run_main(t, vm, &t->error));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Checksums catch most changes; recomputing them lets the rest of the loader and the interpreter
 * see the damage. */
RLX_TEST(hostile, changed_bytes_never_crash)
{
    image good = image_of(t, program);
    uint64_t state = 0x9E3779B97F4A7C15u;
    uint32_t loaded = 0;
    for (int round = 0; round < 20000; round++) {
        image m = {rlx_alloc(&t->allocator, good.size, 64), good.size};
        memcpy(m.data, good.data, good.size);
        for (uint64_t k = next_random(&state) % 4 + 1; k > 0; k--) {
            uint64_t r = next_random(&state);
            size_t at = (size_t)(r % m.size) & ~(size_t)3;
            if (r >> 60 < 8)
                m.data[r % m.size] ^= (uint8_t)(1u << (r >> 40) % 8);
            else
                image_store(m.data + at, (r >> 20) % 40, 4);
        }
        if (round % 8)
            image_seal(&m);
        if (round % 16 == 1)
            m.size = next_random(&state) % m.size;
        rlx_executable *exe;
        rlx_load_options options = {.allocator = &t->allocator};
        if (rlx_executable_load_memory(m.data, m.size, &options, &exe, &t->error) == RLX_OK) {
            rlx_vm_options limits = {.allocator = &t->allocator,
                                     .registry = rlx_test_registry(t),
                                     .max_bytes = 1 << 20,
                                     .max_frames = 50,
                                     .max_instructions = 2000};
            rlx_vm *vm;
            loaded++;
            RLX_OKAY(rlx_vm_create(exe, &limits, &vm, &t->error));
            rlx_status ignored = run_main(t, vm, &t->error);
            (void)ignored;
            rlx_vm_destroy(vm);
            rlx_executable_release(exe);
        }
        rlx_free(&t->allocator, m.data, good.size, 64);
    }
    cr_expect_gt(loaded, 300, "only %u images loaded: the test shows too little", loaded);
    image_free(t, &good);
}

static rlx_status whole_life(rlx_test *t, rlx_error *err)
{
    void *data;
    size_t size;
    rlx_executable *exe;
    rlx_vm *vm;
    char *text;
    size_t len;
    rlx_load_options load = {.allocator = &t->allocator};
    rlx_vm_options options = {.allocator = &t->allocator, .registry = t->registry};
    RLX_TRY(rlx_assemble(&t->allocator, RLX_STR("x"), rlx_str_from(program), &data, &size, err));
    rlx_status status = rlx_executable_load_memory(data, size, &load, &exe, err);
    rlx_free(&t->allocator, data, size, 64);
    RLX_TRY(status);
    status = rlx_disassemble(&t->allocator, exe, 0, &text, &len, err);
    if (status == RLX_OK)
        rlx_free(&t->allocator, text, len + 1, 1);
    if (status == RLX_OK)
        status = rlx_vm_create(exe, &options, &vm, err);
    if (status == RLX_OK) {
        status = run_main(t, vm, err);
        if (status == RLX_OK)
            status = run_main(t, vm, err);
        rlx_vm_destroy(vm);
    }
    rlx_executable_release(exe);
    return status;
}

RLX_TEST(hostile, every_allocation_may_fail)
{
    rlx_test_registry(t);
    for (int after = 0; after < 2; after++) {
        size_t n = 1, live = t->live_blocks;
        rlx_status status;
        t->fail_after = after;
        do {
            t->calls = 0;
            t->fail_at = n++;
            t->error = (rlx_error){0};
            status = whole_life(t, &t->error);
            cr_assert(status == RLX_OK || status == RLX_E_NOMEM, "call %zu: %s: %s", n - 1,
                      rlx_status_name(status), t->error.message);
            cr_assert(status == RLX_OK || t->error.code == RLX_E_NOMEM);
            cr_assert_eq(t->live_blocks, live, "call %zu leaks", n - 1);
        } while (t->calls >= t->fail_at);
        cr_expect_gt(n, 50);
        cr_expect_eq(status, RLX_OK);
        t->fail_at = 0;
    }
}

RLX_TEST(hostile, limits_stop_calls)
{
    static const char text[] = ".func loop () -> object {\nL: goto L\n}\n"
                               ".func deep () -> object {\n call_func r0, @deep, []\n ret r0\n}\n"
                               ".func big () -> object {\n eval_slot s0, 1048576\n"
                               " new_tensor r0, float64, [s0]\n ret r0\n}\n"
                               ".func hoard () -> object {\n make_tuple r0, []\n"
                               "L: make_tuple r0, [r0]\n goto L\n}\n"
                               ".func fine () -> object {\n load_const r0, true\n ret r0\n}\n";
    rlx_executable *exe = rlx_test_load(t, text);
    rlx_vm *vm;
    atomic_bool cancel = false;
    rlx_vm_options options = {.allocator = &t->allocator,
                              .max_bytes = 1 << 20,
                              .max_frames = 100,
                              .max_instructions = 100000,
                              .cancel = &cancel};
    rlx_value out;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("loop"), NULL, 0, &out, &t->error), RLX_E_LIMIT,
              "the limit of 100000 instructions is reached");
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("deep"), NULL, 0, &out, &t->error), RLX_E_LIMIT,
              "nested deeper than 100 frames");
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("big"), NULL, 0, &out, &t->error), RLX_E_LIMIT,
              "the limit is 1048576");
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("hoard"), NULL, 0, &out, &t->error), RLX_E_LIMIT,
              "the limit is 1048576");
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("fine"), NULL, 0, &out, &t->error));
    atomic_store(&cancel, true);
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("loop"), NULL, 0, &out, &t->error), RLX_E_CANCELLED,
              "cancelled");
    atomic_store(&cancel, false);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("fine"), NULL, 0, &out, &t->error));
    rlx_vm_stats stats;
    rlx_vm_get_stats(vm, &stats);
    cr_expect_eq(stats.live_bytes, 0);
    cr_expect_geq(stats.instructions, 100000);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(hostile, many_registers_cost_an_error_not_the_memory)
{
    /* 160 KB per frame, 10 000 frames, no byte limit. */
    rlx_executable *exe = rlx_test_load(t, ".func deep () -> object {\n load_const r9999, none\n"
                                           " call_func r0, @deep, []\n ret r0\n}\n");
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value out;
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("deep"), NULL, 0, &out, &t->error), RLX_E_LIMIT,
              "the frames of nested calls take more than");
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    /* A hundred functions that claim a million registers each. */
    static char text[16384];
    size_t n = 0;
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              ".func f%d () -> object {\n load_const r1048575, none\n"
                              " ret r1048575\n}\n",
                              i);
    RLX_FAILS(rlx_test_try_load(t, text, &exe), RLX_E_LIMIT, "more than 67108864 registers");
}

static void *cancel_soon(void *flag)
{
    usleep(20000);
    atomic_store((atomic_bool *)flag, true);
    return NULL;
}

RLX_TEST(hostile, another_thread_cancels)
{
    rlx_executable *exe = rlx_test_load(t, ".func loop () -> object {\nL: goto L\n}\n");
    rlx_vm *vm;
    atomic_bool cancel = false;
    rlx_vm_options options = {.allocator = &t->allocator, .cancel = &cancel};
    rlx_value out;
    pthread_t thread;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("loop"), NULL, 0, &out, &t->error), RLX_E_CANCELLED,
              "cancelled");
    pthread_join(thread, NULL);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

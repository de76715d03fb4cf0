/* Devices of the kind "cuda", on a fake driver (tests/fake/cuda.c). */
#include <stdlib.h>
#include <string.h>

#include "tests/fake/fake.h"
#include "tests/support/rlx_test.h"
#include "vm/devices/driver.h"

static const rlx_device_api *const api = &rlxv_cuda_api;

static fake_control *driver(void)
{
    fake_control *fake = fake_open("cuda", "RLX_CUDA_LIBRARY");
    cr_assert_not_null(fake);
    return fake;
}

enum { N = 100 };

typedef struct used { /* what has been made so far */
    void *device, *x, *y, *module, *event;
} used;

static rlx_status scale_by(used *u, void *function, void **event, rlx_error *err)
{
    rlx_launch_value args[] = {
        {RLX_LAUNCH_BUFFER, {.at = {u->x, 0}}},
        {RLX_LAUNCH_I64, {.i = N}},
        {RLX_LAUNCH_I32, {.i = -3}},
        {RLX_LAUNCH_F32, {.f = 2}},
        {RLX_LAUNCH_F64, {.f = 0.5}},
    };
    rlx_launch launch = {"scale", function, {1, 2, 1}, {64, 1, 1}, 64 << 10, args, 5};
    return api->launch(u->device, &launch, event, err);
}

static rlx_status scale(used *u, void **event, rlx_error *err)
{
    void *function;
    RLX_TRY(api->find(u->device, u->module, "scale", &function, err));
    return scale_by(u, function, event, err);
}

/* Copies numbers in, works on them, copies them within the device and out. */
static rlx_status work(used *u, float *out, rlx_error *err)
{
    static const char text[] = "code";
    float in[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    uint64_t begin, end;
    void *event = NULL;
    RLX_TRY(api->alloc(u->device, sizeof in, "global", &u->x, err));
    RLX_TRY(api->alloc(u->device, sizeof in + 256, NULL, &u->y, err));
    RLX_TRY(api->load(u->device, RLX_STR("ptx"), text, 4, &u->module, err));
    RLX_TRY(api->copy_in(u->device, (rlx_device_at){u->x, 0}, in, sizeof in, NULL, err));
    memset(in, 0, sizeof in); /* it may change */
    RLX_TRY(scale(u, &u->event, err));
    RLX_TRY(api->copy(u->device, (rlx_device_at){u->y, 256}, (rlx_device_at){u->x, 0}, sizeof in,
                      NULL, err));
    RLX_TRY(api->copy_out(u->device, out, (rlx_device_at){u->y, 256}, sizeof in, &event, err));
    rlx_status status = api->event_time(u->device, event, &begin, &end, err);
    event = u->event;
    u->event = NULL;
    if (status != RLX_OK) {
        (void)api->event_time(u->device, event, NULL, NULL, NULL);
        return status;
    }
    RLX_TRY(api->event_time(u->device, event, &begin, &end, err));
    cr_expect_lt(begin, end);
    return api->sync(u->device, err);
}

static rlx_status use(rlx_test *t, uint32_t id, rlx_error *err)
{
    used u = {0};
    float out[N];
    RLX_TRY(api->open(&t->allocator, id, &u.device, err));
    rlx_status status = work(&u, out, err);
    if (u.event)
        (void)api->event_time(u.device, u.event, NULL, NULL, NULL);
    if (u.module)
        api->unload(u.device, u.module);
    if (u.x)
        api->release(u.device, u.x);
    if (u.y)
        api->release(u.device, u.y);
    api->close(u.device);
    for (int i = 0; status == RLX_OK && i < N; i++)
        cr_expect_eq(out[i], 2 * (float)i - 2.5F);
    return status;
}

RLX_TEST(cuda, work_is_done_and_nothing_stays)
{
    fake_control *fake = driver();
    rlx_device_info info;
    fake->devices = 2;
    cr_expect_eq(api->count(NULL, &t->error), 2);
    RLX_OKAY(api->info(NULL, 1, &info, &t->error));
    cr_expect_str_eq(info.name, "fake GPU 1");
    cr_expect_str_eq(info.arch, "sm_86");
    cr_expect_str_eq(info.driver, "CUDA 12.8");
    cr_expect(info.memory_bytes == 1 << 30 && info.shared_bytes == 101376 && info.units == 4);
    cr_expect(info.warp == 32 && info.max_threads == 1024 && !info.is_host_memory);
    for (uint32_t id = 0; id < 2; id++) /* with a pool of memory, and without */
        RLX_OKAY(use(t, id, &t->error));
    cr_expect(fake->live == 0 && fake->left == 0);
    cr_expect_eq(fake->misuses, 0);
}

/* After each failure nothing is left behind, and the driver can be used again. */
RLX_TEST(cuda, each_call_of_the_driver_may_fail)
{
    fake_control *fake = driver();
    static const int codes[] = {1, 2, 700, 999};
    fake->devices = 2;
    for (uint32_t id = 0; id < 2; id++) {
        fake->calls = 0;
        RLX_OKAY(use(t, id, &t->error));
        uint32_t n = fake->calls, refused = 0;
        cr_expect_gt(n, 40);
        for (uint32_t i = 1; i <= n; i++)
            for (int after = 0; after < 2; after++) {
                rlx_error err = {0};
                fake->calls = 0;
                fake->fail_at = i;
                fake->left = 0;
                fake->fail_after = after;
                fake->code = codes[i % 4];
                rlx_status status = use(t, id, &err);
                fake->fail_at = 0;
                refused += status != RLX_OK && !after;
                cr_expect((status == RLX_OK) == (err.message[0] == 0), "%s: %s", fake->failed,
                          err.message);
                cr_expect_eq(fake->live, 0, "%u objects are left after %s", fake->live,
                             fake->failed);
                /* Without its context, a lost device's objects cannot be dropped one by one. */
                cr_expect(after || fake->left == 0 || !strncmp(fake->failed, "cuCtxPush", 9),
                          "%u objects were left after %s", fake->left, fake->failed);
                cr_expect_eq(t->live_blocks, 0, "blocks are left after %s", fake->failed);
            }
        cr_expect_gt(refused, n / 2); /* the rest drop things */
        RLX_OKAY(use(t, id, &t->error));
    }
    cr_expect_eq(fake->misuses, 0);
}

RLX_TEST(cuda, each_allocation_may_fail)
{
    fake_control *fake = driver();
    rlx_status status = RLX_E_NOMEM;
    for (size_t i = 1; status != RLX_OK && i < 20; i++) {
        t->calls = 0;
        t->fail_at = i;
        status = use(t, 0, &t->error);
        cr_expect(status == RLX_OK || status == RLX_E_NOMEM);
        cr_expect(fake->live == 0 && fake->left == 0);
        cr_expect_eq(t->live_blocks, 0);
    }
    t->fail_at = 0;
    cr_expect_eq(status, RLX_OK);
}

RLX_TEST(cuda, errors_say_what_is_missing)
{
    fake_control *fake = driver();
    void *device, *p;
    rlx_device_info info;
    fake->devices = 0;
    RLX_FAILS(api->open(NULL, 0, &device, &t->error), RLX_E_NOT_FOUND, "has no devices");
    cr_expect_eq(api->count(NULL, &t->error), 0);
    fake->devices = 1;
    RLX_FAILS(api->info(NULL, 7, &info, &t->error), RLX_E_NOT_FOUND, "device 7 does not exist");
    setenv("RLX_CUDA_LIBRARY", "libm.so.6", 1);
    RLX_FAILS(api->open(NULL, 0, &device, &t->error), RLX_E_NOT_FOUND, "lacks the function cuInit");
    setenv("RLX_CUDA_LIBRARY", "/nowhere/libcuda.so", 1);
    RLX_FAILS(api->open(NULL, 0, &device, &t->error), RLX_E_NOT_FOUND, "no CUDA driver");
    cr_expect_eq(api->count(NULL, &t->error), 0);
    cr_expect(strstr(t->error.message, "no CUDA driver"));
    driver();
    RLX_OKAY(api->open(&t->allocator, 0, &device, &t->error));
    RLX_FAILS(api->alloc(device, (size_t)1 << 40, NULL, &p, &t->error), RLX_E_NOMEM,
              "1099511627776 bytes of memory: out of memory");
    RLX_FAILS(api->alloc(device, 64, "texture", &p, &t->error), RLX_E_NOT_FOUND,
              "no memory 'texture'");
    api->close(device);
    cr_expect(fake->live == 0 && fake->left == 0);
    cr_expect_eq(fake->misuses, 0);
}

RLX_TEST(cuda, code_for_other_devices_is_told_from_bad_code)
{
    static const struct {
        const char *format, *code;
        rlx_status status;
        const char *message;
    } rows[] = {
        {"ptx", "code", RLX_OK, ""},
        {"ptx-sm_86", "code", RLX_OK, ""},
        {"ptx-sm_90", "code", RLX_E_VERSION, "the GPU is sm_86"},
        {"cubin-sm_70", "code", RLX_E_VERSION, "is not for it"},
        {"cubin-sm_86", "code", RLX_E_INVALID_MODULE, "not a whole object"},
        {"cubin-sm_", "code", RLX_E_VERSION, "is not for it"},
        {"cubin-sm_8x", "code", RLX_E_VERSION, "is not for it"},
        {"opencl-c", "code", RLX_E_VERSION, "is not for it"},
        {"ptx", "bad", RLX_E_INVALID_MODULE, "line 1: bad"},
    };
    fake_control *fake = driver();
    void *device, *module, *function;
    RLX_OKAY(api->open(&t->allocator, 0, &device, &t->error));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_status status = api->load(device, rlx_str_from(rows[i].format), rows[i].code,
                                      strlen(rows[i].code), &module, &t->error);
        cr_expect_eq(status, rows[i].status, "%s: %s", rows[i].format, t->error.message);
        cr_expect(status == RLX_OK || strstr(t->error.message, rows[i].message), "%s: %s",
                  rows[i].format, t->error.message);
        if (status != RLX_OK)
            continue;
        RLX_FAILS(api->find(device, module, "none", &function, &t->error), RLX_E_INVALID_MODULE,
                  "lacks the kernel 'none'");
        api->unload(device, module);
    }
    api->close(device);
    cr_expect(fake->live == 0 && fake->left == 0);
}

static void put(unsigned char *at, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

RLX_TEST(cuda, objects_must_hold_what_their_headers_say)
{
    /* Two sections: none, and 64 bytes at 64. */
    enum { SIZE = 256 };
    static const struct {
        int at, bytes;
        uint64_t value;
        rlx_status status;
    } rows[] = {
        {40, 8, 128, RLX_OK},               /* as it is */
        {40, 8, 129, RLX_E_INVALID_MODULE}, /* the table of sections */
        {40, 8, UINT64_MAX, RLX_E_INVALID_MODULE},
        {60, 2, 3, RLX_E_INVALID_MODULE}, /* and its rows */
        {58, 2, 8, RLX_E_INVALID_MODULE},
        {128 + 24, 8, 257, RLX_E_INVALID_MODULE}, /* a section */
        {128 + 32, 8, UINT64_MAX, RLX_E_INVALID_MODULE},
        {56, 2, 4, RLX_E_INVALID_MODULE}, /* segments */
        {4, 1, 1, RLX_E_INVALID_MODULE},  /* 32 bits */
    };
    driver();
    void *device, *module;
    RLX_OKAY(api->open(&t->allocator, 0, &device, &t->error));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char code[SIZE] = "\177ELF\2\1";
        put(code + 40, 128, 8);
        put(code + 58, 64, 2);
        put(code + 60, 2, 2);
        put(code + 128 + 24, 64, 8);
        put(code + 128 + 32, 64, 8);
        put(code + rows[i].at, rows[i].value, rows[i].bytes);
        rlx_status status =
            api->load(device, RLX_STR("cubin-sm_80"), code, SIZE, &module, &t->error);
        cr_expect_eq(status, rows[i].status, "row %zu: %s", i, t->error.message);
        if (status == RLX_OK)
            api->unload(device, module);
    }
    for (size_t size = 0; size < 64; size += 7)
        RLX_FAILS(api->load(device, RLX_STR("cubin-sm_80"), "\177ELF\2\1", size < 6 ? size : 6,
                            &module, &t->error),
                  RLX_E_INVALID_MODULE, "not a whole object");
    api->close(device);
}

RLX_TEST(cuda, launches_that_do_not_fit_are_refused)
{
    fake_control *fake = driver();
    static rlx_launch_value args[600];
    void *device, *module, *function;
    RLX_OKAY(api->open(&t->allocator, 0, &device, &t->error));
    RLX_OKAY(api->load(device, RLX_STR("ptx"), "code", 4, &module, &t->error));
    RLX_OKAY(api->find(device, module, "scale", &function, &t->error));
    for (int i = 0; i < 600; i++)
        args[i] = (rlx_launch_value){RLX_LAUNCH_I64, {.i = 1}};
    rlx_launch launch = {"scale", function, {1, 1, 1}, {1, 1, 1}, 0, args, 600};
    RLX_FAILS(api->launch(device, &launch, NULL, &t->error), RLX_E_LIMIT, "too many arguments");
    args[0].kind = 77;
    launch.n_args = 1;
    RLX_FAILS(api->launch(device, &launch, NULL, &t->error), RLX_E_LIMIT, "arguments");
    launch.args = args + 1; /* fewer than the kernel has */
    RLX_FAILS(api->launch(device, &launch, NULL, &t->error), RLX_E_DEVICE, "kernel 'scale'");
    launch.shared_bytes = UINT32_MAX;
    RLX_FAILS(api->launch(device, &launch, NULL, &t->error), RLX_E_DEVICE, "kernel 'scale'");
    api->unload(device, module);
    api->close(device);
    cr_expect(fake->live == 0 && fake->left == 0);
}

RLX_TEST(cuda, a_fault_is_reported_and_the_device_refuses_work)
{
    fake_control *fake = driver();
    void *device, *module, *function, *x, *y = NULL;
    char byte = 1;
    RLX_OKAY(api->open(&t->allocator, 0, &device, &t->error));
    RLX_OKAY(api->alloc(device, 64, NULL, &x, &t->error));
    RLX_OKAY(api->load(device, RLX_STR("ptx"), "code", 4, &module, &t->error));
    RLX_OKAY(api->find(device, module, "fault", &function, &t->error));
    rlx_launch launch = {"fault", function, {1, 1, 1}, {1, 1, 1}, 0, NULL, 0};
    RLX_OKAY(api->launch(device, &launch, NULL, &t->error));
    RLX_FAILS(api->sync(device, &t->error), RLX_E_DEVICE, "(700)");
    RLX_FAILS(api->copy_in(device, (rlx_device_at){x, 0}, &byte, 1, NULL, &t->error), RLX_E_DEVICE,
              "a copy to the device");
    RLX_FAILS(api->alloc(device, 64, NULL, &y, &t->error), RLX_E_DEVICE, "64 bytes");
    api->unload(device, module);
    api->release(device, x);
    api->close(device);
    cr_expect(fake->live == 0 && fake->left == 0);
    RLX_OKAY(use(t, 0, &t->error));
}

/* --- graphs ------------------------------------------------------------------------------------
 */

enum { ROUNDS = 6, LAUNCHES = 3 };

/* Rounds of the same launches, first on |x|, then on |y|, each round a call. */
static rlx_status rounds(used *u, float *out, uint32_t *calls, const fake_control *fake,
                         rlx_error *err)
{
    float in[N] = {0};
    void *first = u->x, *function;
    rlx_status status = api->find(u->device, u->module, "scale", &function, err);
    for (int i = 0; i < ROUNDS && status == RLX_OK; i++) {
        RLX_TRY(api->gather(u->device, true, err));
        u->x = i < 4 ? first : u->y;
        status = api->copy_in(u->device, (rlx_device_at){u->x, 0}, in, sizeof in, NULL, err);
        calls[i] = fake->calls;
        for (int k = 0; k < LAUNCHES && status == RLX_OK; k++)
            status = scale_by(u, function, NULL, err);
        u->x = first;
        const rlx_status ended = api->gather(u->device, false, status == RLX_OK ? err : NULL);
        calls[i] = fake->calls - calls[i];
        status = status == RLX_OK ? ended : status;
    }
    RLX_TRY(status);
    RLX_TRY(api->copy_out(u->device, out, (rlx_device_at){u->x, 0}, sizeof in, NULL, err));
    return api->copy_out(u->device, out + N, (rlx_device_at){u->y, 0}, sizeof in, NULL, err);
}

static rlx_status use_graphs(rlx_test *t, const fake_control *fake, uint32_t *calls, rlx_error *err)
{
    used u = {0};
    float out[2 * N];
    RLX_TRY(api->open(&t->allocator, 0, &u.device, err));
    rlx_status status = api->alloc(u.device, N * sizeof(float), NULL, &u.x, err);
    if (status == RLX_OK)
        status = api->alloc(u.device, N * sizeof(float), NULL, &u.y, err);
    if (status == RLX_OK)
        status = api->load(u.device, RLX_STR("ptx"), "code", 4, &u.module, err);
    if (status == RLX_OK)
        status = rounds(&u, out, calls, fake, err);
    if (u.module)
        api->unload(u.device, u.module);
    if (u.x)
        api->release(u.device, u.x);
    if (u.y)
        api->release(u.device, u.y);
    api->close(u.device);
    for (int i = 0; status == RLX_OK && i < 2 * N; i++)
        cr_expect_eq(out[i], -17.5F); /* 0, -2.5, -7.5, -17.5 */
    return status;
}

RLX_TEST(cuda, repeated_launches_become_graphs)
{
    fake_control *fake = driver();
    uint32_t calls[ROUNDS];
    RLX_OKAY(use_graphs(t, fake, calls, &t->error));
    /* The context in and out, and: a launch and its shared memory each; a graph, its nodes, its
     * instance, its launch; its launch; also a node each for the other address; its launch. */
    static const uint32_t expected[ROUNDS] = {
        2 + 2 * LAUNCHES, 5 + LAUNCHES, 3, 3, 3 + LAUNCHES, 3};
    for (int i = 0; i < ROUNDS; i++)
        cr_expect_eq(calls[i], expected[i], "round %d: %u calls", i, calls[i]);
    cr_expect(fake->live == 0 && fake->left == 0);
    cr_expect_eq(fake->misuses, 0);
}

/* What the driver refuses of a graph is asked for one by one; other failures are errors. */
RLX_TEST(cuda, graphs_may_fail)
{
    fake_control *fake = driver();
    uint32_t calls[ROUNDS], passed = 0;
    fake->calls = 0;
    RLX_OKAY(use_graphs(t, fake, calls, &t->error));
    const uint32_t n = fake->calls;
    for (uint32_t i = 1; i <= n; i++)
        for (int after = 0; after < 2; after++) {
            rlx_error err = {0};
            fake->calls = 0;
            fake->fail_at = i;
            fake->left = 0;
            fake->fail_after = after;
            fake->code = i % 2 ? 2 : 999;
            const rlx_status status = use_graphs(t, fake, calls, &err);
            fake->fail_at = 0;
            passed += status == RLX_OK && !strncmp(fake->failed, "cuGraph", 7);
            cr_expect((status == RLX_OK) == (err.message[0] == 0), "%s: %s", fake->failed,
                      err.message);
            cr_expect(after || status == RLX_OK || strncmp(fake->failed, "cuGraph", 7) != 0,
                      "%s: %s", fake->failed, err.message);
            cr_expect_eq(fake->live, 0, "%u objects are left after %s", fake->live, fake->failed);
            cr_expect(after || fake->left == 0 || !strncmp(fake->failed, "cuCtxPush", 9),
                      "%u objects were left after %s", fake->left, fake->failed);
            cr_expect_eq(t->live_blocks, 0, "blocks are left after %s", fake->failed);
        }
    cr_expect_gt(passed, 8);
    cr_expect_eq(fake->misuses, 0);
    for (size_t i = 1; i < 20; i++) { /* memory for graphs is not needed */
        t->calls = 0;
        t->fail_at = i;
        const rlx_status status = use_graphs(t, fake, calls, &t->error);
        cr_expect(status == RLX_OK || status == RLX_E_NOMEM);
        cr_expect(fake->live == 0 && t->live_blocks == 0);
    }
}

/* More than the stage holds, in small pieces and in one; the source changes at once. */
RLX_TEST(cuda, copies_in_are_finished_with_their_source)
{
    enum { PIECE = 1000, PIECES = 700 };
    fake_control *fake = driver();
    void *device, *x;
    RLX_OKAY(api->open(&t->allocator, 0, &device, &t->error));
    RLX_OKAY(api->alloc(device, PIECE * PIECES, NULL, &x, &t->error));
    uint8_t *from = malloc(PIECE * PIECES), *to = malloc(PIECE * PIECES);
    cr_assert(from && to);
    for (int i = 0; i < PIECES; i++) {
        memset(from, i, PIECE);
        RLX_OKAY(api->copy_in(device, (rlx_device_at){x, (size_t)i * PIECE}, from, PIECE, NULL,
                              &t->error));
    }
    memset(from, 0xEE, PIECE);
    RLX_OKAY(api->copy_out(device, to, (rlx_device_at){x, 0}, PIECE * PIECES, NULL, &t->error));
    for (int i = 0; i < PIECES; i++)
        cr_expect(to[i * PIECE] == (uint8_t)i && to[i * PIECE + PIECE - 1] == (uint8_t)i);
    memset(from, 0x11, PIECE * PIECES);
    RLX_OKAY(api->copy_in(device, (rlx_device_at){x, 0}, from, PIECE * PIECES, NULL, &t->error));
    memset(from, 0x22, PIECE * PIECES);
    RLX_OKAY(api->copy_out(device, to, (rlx_device_at){x, 0}, PIECE * PIECES, NULL, &t->error));
    cr_expect(to[0] == 0x11 && to[PIECE * PIECES - 1] == 0x11);
    free(from);
    free(to);
    api->release(device, x);
    api->close(device);
    cr_expect(fake->live == 0 && fake->left == 0);
}

/* The fake's clock steps by a millisecond for each thing done; the base of times moves after a
 * second. */
RLX_TEST(cuda, times_are_on_one_clock)
{
    enum { EVENTS = 1500 };
    fake_control *fake = driver();
    void *device, *x, **events = malloc(EVENTS * sizeof *events);
    uint64_t begin, end, before = 0;
    char byte = 0;
    cr_assert_not_null(events);
    RLX_OKAY(api->open(&t->allocator, 0, &device, &t->error));
    RLX_OKAY(api->alloc(device, 64, NULL, &x, &t->error));
    for (int i = 0; i < EVENTS; i++)
        RLX_OKAY(api->copy_in(device, (rlx_device_at){x, 0}, &byte, 1, &events[i], &t->error));
    for (int i = 0; i < EVENTS; i++) {
        RLX_OKAY(api->event_time(device, events[i], &begin, &end, &t->error));
        cr_expect_eq(end - begin, 2000000);
        cr_expect(i == 0 || begin - before == 3000000, "%d", i);
        before = begin;
    }
    free(events);
    api->release(device, x);
    api->close(device);
    cr_expect(fake->live == 0 && fake->left == 0);
}

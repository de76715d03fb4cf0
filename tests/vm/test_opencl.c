/* The kind "opencl": on a stand-in for the driver whose calls fail one by one, and on the driver of
 * this machine. */
#include "../fake/fake.h"
#include "../support/rlx_test.h"

#include "vm/devices/driver.h"

#include <ftw.h>
#include <rlx/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const rlx_device_api *const cl = &rlxv_opencl_api;

/* "origin" writes 1 unless the driver knows better: the stand-in writes 2 if it got a binary. */
static const char source[] =
    "__kernel void scale(__global uchar *p, long p_at, __global uchar *q, long q_at, int n,\n"
    "                    float f, double s)\n"
    "{\n"
    "    const int i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        ((__global float *)(q + q_at))[i] = ((__global float *)(p + p_at))[i] * f + "
    "(float)s;\n"
    "}\n"
    "__kernel void add(__global uchar *p, long p_at, __global uchar *q, long q_at, int n,\n"
    "                  __local float *t)\n"
    "{\n"
    "    const int i = get_global_id(0);\n"
    "    t[get_local_id(0)] = i < n ? ((__global float *)(p + p_at))[i] : 0.0f;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < n)\n"
    "        ((__global float *)(q + q_at))[i] += t[get_local_id(0)];\n"
    "}\n"
    "__kernel void origin(__global uchar *m, long at)\n"
    "{\n"
    "    *(__global float *)(m + at) = 1.0f;\n"
    "}\n";

/* --- folders -----------------------------------------------------------------------------------
 */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

/* A new folder in which binaries are kept. */
static void use_cache(char *folder)
{
    cr_assert_not_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
}

static void remove_cache(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* --- one after the other all that a device does ------------------------------------------------
 */

typedef struct work {
    void *device, *memory[2], *module, *event;
    float out[4];
    uint64_t ns;
} work;

static rlx_status launch(work *w, const char *name, rlx_launch_value *args, uint32_t n,
                         uint32_t threads, uint32_t shared, void **event, rlx_error *err)
{
    rlx_launch l = {.name = name,
                    .grid = {2, 1, 1},
                    .block = {threads, 1, 1},
                    .shared_bytes = shared,
                    .args = args,
                    .n_args = n};
    RLX_TRY(cl->find(w->device, w->module, name, &l.function, err));
    return cl->launch(w->device, &l, event, err);
}

static rlx_launch_value buffer(const work *w, int i, size_t offset)
{
    return (rlx_launch_value){RLX_LAUNCH_BUFFER, {.at = {w->memory[i], offset}}};
}

static rlx_launch_value i32(int64_t i)
{
    return (rlx_launch_value){RLX_LAUNCH_I32, {.i = i}};
}

/* out = (1..4 scaled by 2 plus 0.5) + (1..4), with the second buffer at an offset. */
static rlx_status calculate(work *w, rlx_error *err)
{
    const float in[4] = {1, 2, 3, 4};
    uint64_t begin, end;
    rlx_launch_value args[] = {buffer(w, 0, 0),
                               buffer(w, 0, 0),
                               i32(4),
                               {RLX_LAUNCH_F32, {.f = 2}},
                               {RLX_LAUNCH_F64, {.f = 0.5}}};
    rlx_launch_value sum[] = {buffer(w, 0, 0), buffer(w, 1, 16), i32(4)};
    const rlx_device_at first = {w->memory[0], 0}, second = {w->memory[1], 16};
    RLX_TRY(cl->copy_in(w->device, first, in, sizeof in, NULL, err));
    RLX_TRY(cl->copy(w->device, second, first, sizeof in, NULL, err));
    RLX_TRY(launch(w, "scale", args, 5, 2, 0, &w->event, err));
    void *event = w->event;
    w->event = NULL; /* dropped in any case */
    RLX_TRY(cl->event_time(w->device, event, &begin, &end, err));
    w->ns = end - begin;
    RLX_TRY(launch(w, "add", sum, 3, 2, 8, &w->event, err));
    RLX_TRY(cl->copy_out(w->device, w->out, second, sizeof w->out, NULL, err));
    return cl->sync(w->device, err);
}

static rlx_status start(work *w, const rlx_allocator *a, const char *text, rlx_error *err)
{
    rlx_device_info info;
    if (cl->count((void *)(uintptr_t)a, err) == 0)
        return err->code;
    RLX_TRY(cl->info((void *)(uintptr_t)a, 0, &info, err));
    RLX_TRY(cl->open((void *)(uintptr_t)a, 0, &w->device, err));
    for (int i = 0; i < 2; i++)
        RLX_TRY(cl->alloc(w->device, 64, "global", &w->memory[i], err));
    return cl->load(w->device, RLX_STR("opencl-c"), text, strlen(text), &w->module, err);
}

static void finish(work *w)
{
    if (w->event)
        (void)cl->event_time(w->device, w->event, NULL, NULL, NULL);
    if (w->module)
        cl->unload(w->device, w->module);
    for (int i = 0; i < 2; i++)
        if (w->memory[i])
            cl->release(w->device, w->memory[i]);
    if (w->device)
        cl->close(w->device);
    w->event = w->module = w->memory[0] = w->memory[1] = w->device = NULL;
}

static rlx_status whole(work *w, const rlx_allocator *a, const char *text, rlx_error *err)
{
    *w = (work){0};
    rlx_status status = start(w, a, text, err);
    if (status == RLX_OK)
        status = calculate(w, err);
    finish(w);
    return status;
}

static void expect_sum(const work *w)
{
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(w->out[i], 3.0f * (float)(i + 1) + 0.5f, 1e-6f, "out[%d] is %g", i,
                           (double)w->out[i]);
}

static fake_control *fake_driver(void)
{
    fake_control *fake = fake_open("opencl", "RLX_OPENCL_LIBRARY");
    cr_assert_not_null(fake);
    return fake;
}

RLX_TEST(opencl, facts_are_the_drivers)
{
    fake_control *fake = fake_driver();
    rlx_device_info info;
    cr_expect_eq(cl->count(NULL, &t->error), 2);
    RLX_OKAY(cl->info(NULL, 1, &info, &t->error));
    cr_expect_str_eq(info.name, "Other");
    cr_expect_str_eq(info.driver, "OpenCL 1.2, Invented 4.2");
    cr_expect(info.units == 3 && info.max_threads == 64 && info.memory_bytes == 1u << 24);
    cr_expect(info.has_float64 && !info.has_float16 && !info.is_host_memory);
    RLX_FAILS(cl->info(NULL, 2, &info, &t->error), RLX_E_NOT_FOUND, "no such device: 2 found");
    fake->devices = 0;
    cr_expect_eq(cl->count(NULL, &t->error), 0);
    cr_expect_str_eq(t->error.message, "no OpenCL platform has a device");
}

RLX_TEST(opencl, a_missing_driver_is_told_by_name)
{
    work w;
    setenv("RLX_OPENCL_LIBRARY", "/no/libOpenCL.so.1", 1);
    RLX_FAILS(whole(&w, &t->allocator, source, &t->error), RLX_E_NOT_FOUND, "/no/libOpenCL.so.1");
    setenv("RLX_OPENCL_LIBRARY", "libm.so.6", 1);
    RLX_FAILS(whole(&w, &t->allocator, source, &t->error), RLX_E_NOT_FOUND,
              "(libm.so.6) lacks the function clGetPlatformIDs");
}

/* Each call of the driver fails, alone or with all that follow; what was made is dropped. */
RLX_TEST(opencl, every_call_of_the_driver_may_fail)
{
    char folder[] = "/tmp/rlx-test-XXXXXX";
    fake_control *fake = fake_driver();
    work w;
    fake->code = -5; /* CL_OUT_OF_RESOURCES */
    for (int after = 0; after < 2; after++) {
        fake->fail_after = after == 1;
        uint32_t failures = 0;
        for (fake->fail_at = 1;; fake->fail_at++) {
            use_cache(strcpy(folder, "/tmp/rlx-test-XXXXXX"));
            fake->calls = 0;
            fake->failed = NULL;
            t->error = (rlx_error){0};
            const rlx_status status = whole(&w, &t->allocator, source, &t->error);
            remove_cache(folder);
            cr_expect(fake->live == 0 && fake->misuses == 0, "%s fails: %u live, %u misuses",
                      fake->failed, fake->live, fake->misuses);
            if (status == RLX_OK)
                expect_sum(&w);
            else
                cr_expect(*t->error.message && t->error.code == status, "%s fails silently",
                          fake->failed);
            failures += status != RLX_OK;
            if (!fake->failed) {
                cr_expect_eq(status, RLX_OK, "%s", t->error.message);
                break;
            }
        }
        cr_expect_gt(failures, 30);
        cr_expect_eq(w.ns, 2500);
    }
}

/* A read whose times are asked for waits for work in the queue without times, which goes on. */
RLX_TEST(opencl, times_are_kept_from_the_first_that_is_asked_for)
{
    fake_control *fake = fake_driver();
    const float in[4] = {1, 2, 3, 4};
    work w = {0};
    uint64_t begin, end;
    RLX_OKAY(start(&w, &t->allocator, source, &t->error));
    const rlx_device_at from = {w.memory[0], 0}, to = {w.memory[1], 0};
    RLX_OKAY(cl->copy_in(w.device, from, in, sizeof in, NULL, &t->error));
    for (int i = 0; i < 2; i++) {
        RLX_OKAY(cl->copy(w.device, to, from, sizeof in, NULL, &t->error));
        RLX_OKAY(cl->copy_out(w.device, w.out, to, sizeof w.out, &w.event, &t->error));
        void *event = w.event;
        w.event = NULL;
        RLX_OKAY(cl->event_time(w.device, event, &begin, &end, &t->error));
        cr_expect_eq(end - begin, 2500);
    }
    RLX_OKAY(calculate(&w, &t->error));
    expect_sum(&w);
    finish(&w);
    cr_expect(fake->live == 0 && fake->misuses == 0);
}

RLX_TEST(opencl, every_allocation_may_fail)
{
    fake_control *fake = fake_driver();
    work w;
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    for (t->fail_at = 1;; t->fail_at++) {
        t->calls = 0;
        const rlx_status status = whole(&w, &t->allocator, source, &t->error);
        cr_expect(fake->live == 0 && fake->misuses == 0 && t->live_blocks == 0);
        if (t->calls < t->fail_at)
            break;
        /* without memory for it, the binary is not kept */
        cr_expect(status == RLX_E_NOMEM || status == RLX_OK);
    }
    expect_sum(&w);
}

RLX_TEST(opencl, refusals_have_their_statuses)
{
    static const struct {
        int code;
        rlx_status status;
        const char *name;
    } rows[] = {
        {-4, RLX_E_NOMEM, "64 bytes cannot be allocated: CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {-6, RLX_E_NOMEM, "CL_OUT_OF_HOST_MEMORY"},
        {-2, RLX_E_DEVICE, "CL_DEVICE_NOT_AVAILABLE"},
        {-99, RLX_E_DEVICE, "error -99"},
    };
    fake_control *fake = fake_driver();
    work w = {0};
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    RLX_OKAY(start(&w, &t->allocator, source, &t->error));
    void *memory, *module, *function;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake->calls = 0;
        fake->fail_at = 1;
        fake->code = rows[i].code;
        RLX_FAILS(cl->alloc(w.device, 64, "global", &memory, &t->error), rows[i].status,
                  rows[i].name);
    }
    fake->fail_at = 0;
    RLX_FAILS(cl->alloc(w.device, (size_t)1 << 40, "global", &memory, &t->error), RLX_E_LIMIT,
              "at most 16777216 bytes can be allocated at once: 1099511627776 are needed");
    RLX_FAILS(cl->alloc(w.device, 64, "global.texture", &memory, &t->error), RLX_E_NOT_FOUND,
              "there is no memory 'global.texture' here, only 'global'");
    RLX_FAILS(cl->find(w.device, w.module, "absent", &function, &t->error), RLX_E_INVALID_MODULE,
              "no kernel 'absent': CL_INVALID_KERNEL_NAME");
    RLX_FAILS(cl->load(w.device, RLX_STR("opencl-c"), "#error", 6, &module, &t->error),
              RLX_E_INVALID_MODULE, "kernels.cl:3:1: error: invented: CL_BUILD_PROGRAM_FAILURE");
    RLX_FAILS(cl->load(w.device, RLX_STR("ptx"), "", 0, &module, &t->error), RLX_E_VERSION,
              "\"opencl-bin:Invented/First/4.2\", not \"ptx\"");
    RLX_FAILS(cl->load(w.device, RLX_STR("opencl-bin:Other"), "BIN:", 4, &module, &t->error),
              RLX_E_VERSION, "not \"opencl-bin:Other\"");
    RLX_FAILS(
        cl->load(w.device, RLX_STR("opencl-bin:Invented/First/4.2"), "bad", 3, &module, &t->error),
        RLX_E_VERSION, "CL_INVALID_BINARY");
    rlx_launch_value few[] = {buffer(&w, 0, 0), buffer(&w, 0, 0), i32(4)};
    RLX_FAILS(launch(&w, "scale", few, 3, 2, 0, NULL, &t->error), RLX_E_INVALID_MODULE,
              "CL_INVALID_KERNEL_ARGS");
    rlx_launch_value wrong[] = {i32(4)};
    RLX_FAILS(launch(&w, "scale", wrong, 1, 2, 0, NULL, &t->error), RLX_E_INVALID_MODULE,
              "CL_INVALID_ARG_SIZE");
    rlx_launch_value origin[] = {buffer(&w, 0, 0)};
    RLX_FAILS(launch(&w, "origin", origin, 1, 65, 0, NULL, &t->error), RLX_E_LIMIT,
              "2 * 1 * 1 blocks with 65 * 1 * 1 threads fails: CL_INVALID_WORK_GROUP_SIZE");
    RLX_OKAY(calculate(&w, &t->error));
    expect_sum(&w);
    finish(&w);
    cr_expect_eq(fake->live, 0);
}

/* --- kept binaries -----------------------------------------------------------------------------
 */

/* 1 if the driver built |text| from source, 2 from a binary. */
/* What a kernel has is not set again, unless its memory may be another's since. */
RLX_TEST(opencl, arguments_are_set_once)
{
    const float in[4] = {1, 2, 3, 4};
    fake_control *fake = fake_driver();
    work w = {0};
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    RLX_OKAY(start(&w, &t->allocator, source, &t->error));
    const rlx_device_at first = {w.memory[0], 0}, second = {w.memory[1], 0};
    RLX_OKAY(cl->copy_in(w.device, first, in, sizeof in, NULL, &t->error));
    RLX_OKAY(cl->copy_in(w.device, second, in, sizeof in, NULL, &t->error));
    /* the calls of: a new one, the same, one offset, one buffer, after a wait, after a release */
    static const struct {
        size_t offset;
        int to;
        uint32_t calls;
    } rows[] = {{0, 1, 7}, {0, 1, 3}, {16, 1, 4}, {0, 0, 5}, {0, 0, 7}, {0, 1, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_launch_value sum[] = {buffer(&w, 0, 0), buffer(&w, rows[i].to, rows[i].offset), i32(4)};
        if (i == 4)
            RLX_OKAY(cl->sync(w.device, &t->error));
        if (i == 5) {
            cl->release(w.device, w.memory[1]);
            RLX_OKAY(cl->alloc(w.device, 64, "global", &w.memory[1], &t->error));
            sum[1] = buffer(&w, 1, 0);
        }
        fake->calls = 0;
        RLX_OKAY(launch(&w, "add", sum, 3, 2, 8, NULL, &t->error));
        cr_expect_eq(fake->calls - (i == 0), rows[i].calls, "row %zu: %u calls", i, fake->calls);
    }
    /* x + x at rows 3 and 4, and that to an empty buffer */
    RLX_OKAY(cl->copy_out(w.device, w.out, (rlx_device_at){w.memory[1], 0}, sizeof w.out, NULL,
                          &t->error));
    for (int i = 0; i < 4; i++)
        cr_expect_float_eq(w.out[i], 4 * in[i], 1e-6f);
    finish(&w);
    cr_expect(fake->live == 0 && fake->misuses == 0);
}

static int origin_of(rlx_test *t, const char *text)
{
    work w = {0};
    float x = 0;
    RLX_OKAY(start(&w, &t->allocator, text, &t->error));
    rlx_launch_value args[] = {buffer(&w, 0, 8)};
    RLX_OKAY(launch(&w, "origin", args, 1, 1, 0, NULL, &t->error));
    RLX_OKAY(
        cl->copy_out(w.device, &x, (rlx_device_at){w.memory[0], 8}, sizeof x, NULL, &t->error));
    finish(&w);
    return (int)x;
}

/* Changes one byte of the only file in the cache, or cuts it there. */
static bool damage(const char *folder, long at, bool cut)
{
    char command[200], path[300] = "";
    snprintf(command, sizeof command, "ls %s/rlx/opencl-*.bin", folder);
    FILE *list = popen(command, "r");
    bool ok = list && fgets(path, sizeof path, list);
    path[strcspn(path, "\n")] = 0;
    pclose(list);
    FILE *file = ok ? fopen(path, "r+b") : NULL;
    if (!file)
        return false;
    int c = fseek(file, at, SEEK_SET) == 0 ? fgetc(file) : EOF;
    ok = c != EOF && (cut ? ftruncate(fileno(file), at) == 0
                          : fseek(file, at, SEEK_SET) == 0 && fputc(c ^ 1, file) != EOF);
    fclose(file);
    return ok;
}

RLX_TEST(opencl, built_programs_are_kept)
{
    char folder[] = "/tmp/rlx-test-XXXXXX", other[sizeof source + 2];
    fake_control *fake = fake_driver();
    snprintf(other, sizeof other, "%s ", source);
    use_cache(folder);
    cr_expect_eq(origin_of(t, source), 1);
    cr_expect_eq(origin_of(t, source), 2);
    cr_expect_eq(origin_of(t, other), 1);
    cr_expect_eq(origin_of(t, other), 2);
    remove_cache(folder);
    cr_expect_eq(origin_of(t, source), 1, "the folders are made again");
    cr_expect_eq(origin_of(t, source), 2);
    for (int cut = 0; cut < 2; cut++) {
        long damaged = 0;
        for (long at = 0; damage(folder, at, cut == 1); at += at < 64 ? 1 : 37, damaged++) {
            cr_expect_eq(origin_of(t, source), 1, "a file that is %s at %ld is used",
                         cut ? "cut" : "changed", at);
            cr_expect_eq(origin_of(t, source), 2, "what is bad is replaced");
        }
        cr_expect_gt(damaged, 80);
    }
    remove_cache(folder);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    cr_expect_eq(origin_of(t, source), 1);
    cr_expect_eq(origin_of(t, source), 1);
    cr_expect(fake->live == 0 && fake->misuses == 0);
}

/* --- binaries for files ------------------------------------------------------------------------
 */

/* Gives each image to the next load: 1 if the driver built it from source, 2 from a binary. */
typedef struct built_image {
    const rlx_test *t;
    char format[100];
    int origin;
} built_image;

static rlx_status load_built(void *user, rlx_str format, const void *code, size_t size,
                             rlx_error *err)
{
    built_image *b = user;
    work w = {0};
    float x = 0;
    snprintf(b->format, sizeof b->format, "%.*s", (int)format.len, format.data);
    rlx_status status = cl->open((void *)(uintptr_t)&b->t->allocator, 0, &w.device, err);
    if (status == RLX_OK)
        status = cl->alloc(w.device, 64, "global", &w.memory[0], err);
    if (status == RLX_OK)
        status = cl->load(w.device, format, code, size, &w.module, err);
    rlx_launch_value args[] = {buffer(&w, 0, 8)};
    if (status == RLX_OK)
        status = launch(&w, "origin", args, 1, 1, 0, NULL, err);
    if (status == RLX_OK)
        status = cl->copy_out(w.device, &x, (rlx_device_at){w.memory[0], 8}, sizeof x, NULL, err);
    finish(&w);
    b->origin = (int)x;
    return status;
}

static rlx_status give_up(void *user, rlx_str format, const void *code, size_t size, rlx_error *err)
{
    (void)user, (void)format, (void)code;
    return rlx_fail(err, RLX_E_IO, "no room for %zu", size);
}

RLX_TEST(opencl, drivers_build_for_files)
{
    fake_control *fake = fake_driver();
    const rlx_str c = RLX_STR("opencl-c");
    built_image b = {.t = t};
    rlx_device *d, *cpu;
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    RLX_OKAY(rlx_device_open(NULL, "opencl", 0, &d, &t->error));
    fake->code = -5;
    rlx_status status;
    for (fake->fail_at = 1;; fake->fail_at++) {
        const uint64_t live = fake->live;
        fake->calls = 0;
        fake->failed = NULL;
        status = rlx_device_build(d, c, source, strlen(source), load_built, &b, &t->error);
        cr_expect(fake->live == live && fake->misuses == 0, "%s fails", fake->failed);
        if (!fake->failed)
            break;
    }
    RLX_OKAY(status);
    cr_expect_gt(fake->fail_at, 5);
    fake->fail_at = 0;
    cr_expect(strncmp(b.format, "opencl-bin:", 11) == 0 && b.origin == 2, "%s: %d", b.format,
              b.origin);
    RLX_FAILS(rlx_device_build(d, c, source, strlen(source), give_up, NULL, &t->error), RLX_E_IO,
              "opencl:0: no room for ");
    RLX_FAILS(rlx_device_build(d, RLX_STR("ptx"), "", 0, give_up, NULL, &t->error), RLX_E_VERSION,
              "not \"ptx\"");
    RLX_OKAY(rlx_device_open(NULL, "cpu", 0, &cpu, &t->error));
    RLX_FAILS(rlx_device_build(cpu, c, "", 0, give_up, NULL, &t->error), RLX_E_NOT_FOUND,
              "cpu:0: devices of the kind 'cpu' give out no binaries");
    rlx_device_release(cpu);
    rlx_device_release(d);
    cr_expect(fake->live == 0 && fake->misuses == 0);
}

/* --- the driver of this machine ----------------------------------------------------------------
 */

RLX_TEST(opencl, a_real_driver_computes)
{
    char folder[] = "/tmp/rlx-test-XXXXXX";
    work w;
    rlx_device_info info;
    const bool any = cl->count(NULL, &t->error) > 0;
    if (any)
        RLX_OKAY(cl->info(NULL, 0, &info, &t->error));
    /* In one process for all tests, the stand-in was opened before. */
    if (!any || strstr(info.driver, "Invented")) {
        puts("skipped: OpenCL driver");
        fflush(stdout);
        return;
    }
    use_cache(folder);
    cr_expect(*info.name && *info.driver && info.units > 0 && info.max_threads > 0);
    for (int i = 0; i < 2; i++) { /* from source, then from the binary that was kept */
        RLX_OKAY(whole(&w, &t->allocator, source, &t->error));
        expect_sum(&w);
    }
    void *module;
    w = (work){0};
    RLX_OKAY(start(&w, &t->allocator, source, &t->error));
    RLX_FAILS(cl->load(w.device, RLX_STR("opencl-c"), "__kernel void k(", 16, &module, &t->error),
              RLX_E_INVALID_MODULE, "the kernels cannot be built: ");
    RLX_OKAY(calculate(&w, &t->error));
    finish(&w);
    remove_cache(folder);
}

/* rlx on an OpenCL device, beside the same enqueues written in C, and beside rlx on the CPU.
 *
 *     bench_opencl chain FILE N          function "main" of FILE calls N small kernels one after
 *                                    the other, each of which adds 1 to 1024 floats
 *     bench_opencl model NAME GPU CPU DIMS N...
 *                                    one model compiled for opencl:0 and for the CPU
 *
 * The C program does what a careful one would: one program, one queue in order, two buffers, the
 * arguments set before each launch, one wait at the end. Only the loader's library is opened, at
 * run time; without it, or without a device, the program prints a line on standard error and ends
 * with status 3, so that bench/run.py can say what is left out. */
#include "bench/peers/device.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 1024, GROUP = 256, SEED = 7 };

/* --- OpenCL, as far as the chain needs it ------------------------------------------------------
 */

typedef struct cl {
    int32_t (*get_platforms)(uint32_t, void **, uint32_t *);
    int32_t (*get_devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
    void *(*create_context)(const intptr_t *, uint32_t, void *const *, void *, void *, int32_t *);
    void *(*create_queue)(void *, void *, uint64_t, int32_t *);
    void *(*create_program)(void *, uint32_t, const char **, const size_t *, int32_t *);
    int32_t (*build)(void *, uint32_t, void *const *, const char *, void *, void *);
    void *(*create_kernel)(void *, const char *, int32_t *);
    void *(*create_buffer)(void *, uint64_t, size_t, void *, int32_t *);
    int32_t (*set_arg)(void *, uint32_t, size_t, const void *);
    int32_t (*launch)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *,
                      uint32_t, void *const *, void **);
    int32_t (*read)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *const *,
                    void **);
    int32_t (*write)(void *, void *, uint32_t, size_t, size_t, const void *, uint32_t,
                     void *const *, void **);
    int32_t (*finish)(void *);
} cl;

typedef struct chain {
    cl api;
    void *queue, *kernel, *buffers[2];
    uint32_t calls;
} chain;

static const char source[] =
    "__kernel void add_one(__global uchar *a, long oa, __global uchar *b, long ob)\n"
    "{\n"
    "    __global const float *x = (__global const float *)(a + oa);\n"
    "    __global float *y = (__global float *)(b + ob);\n"
    "    size_t i = get_group_id(0) * 256 + get_local_id(0);\n"
    "    y[i] = x[i] + 1.0f;\n"
    "}\n";

static void check(int32_t status, const char *what)
{
    if (status != 0)
        bench_die("%s: OpenCL error %d", what, status);
}

static void open_api(cl *out)
{
    const struct {
        void *slot;
        const char *name;
    } rows[] = {{&out->get_platforms, "clGetPlatformIDs"},
                {&out->get_devices, "clGetDeviceIDs"},
                {&out->create_context, "clCreateContext"},
                {&out->create_queue, "clCreateCommandQueue"},
                {&out->create_program, "clCreateProgramWithSource"},
                {&out->build, "clBuildProgram"},
                {&out->create_kernel, "clCreateKernel"},
                {&out->create_buffer, "clCreateBuffer"},
                {&out->set_arg, "clSetKernelArg"},
                {&out->launch, "clEnqueueNDRangeKernel"},
                {&out->read, "clEnqueueReadBuffer"},
                {&out->write, "clEnqueueWriteBuffer"},
                {&out->finish, "clFinish"}};
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        bench_no_device("OpenCL", "libOpenCL.so.1 is not installed");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *address = dlsym(library, rows[i].name);
        if (address == NULL)
            bench_die("libOpenCL.so.1 lacks %s", rows[i].name);
        memcpy(rows[i].slot, &address, sizeof address);
    }
}

static void open_chain(chain *c, uint32_t calls)
{
    static const uint64_t all_devices = 0xFFFFFFFF, read_write = 1;
    cl *api = &c->api;
    void *platform = NULL, *device = NULL;
    int32_t status = 0;
    const char *text = source;
    open_api(api);
    if (api->get_platforms(1, &platform, NULL) != 0 ||
        api->get_devices(platform, all_devices, 1, &device, NULL) != 0)
        bench_no_device("OpenCL", "no platform has one");
    void *context = api->create_context(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    c->queue = api->create_queue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    void *program = api->create_program(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(api->build(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    c->kernel = api->create_kernel(program, "add_one", &status);
    check(status, "clCreateKernel");
    for (int i = 0; i < 2; i++) {
        c->buffers[i] =
            api->create_buffer(context, read_write, ELEMENTS * sizeof(float), NULL, &status);
        check(status, "clCreateBuffer");
    }
    c->calls = calls;
}

static void run_chain(void *user)
{
    static const size_t global = ELEMENTS, local = GROUP;
    static const int64_t offset = 0;
    const chain *c = user;
    const cl *api = &c->api;
    for (uint32_t i = 0; i < c->calls; i++) {
        check(api->set_arg(c->kernel, 0, sizeof(void *), &c->buffers[i % 2]), "clSetKernelArg");
        check(api->set_arg(c->kernel, 1, sizeof offset, &offset), "clSetKernelArg");
        check(api->set_arg(c->kernel, 2, sizeof(void *), &c->buffers[1 - i % 2]), "clSetKernelArg");
        check(api->set_arg(c->kernel, 3, sizeof offset, &offset), "clSetKernelArg");
        check(api->launch(c->queue, c->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    }
    check(api->finish(c->queue), "clFinish");
}

/* --- figures --- */

static float largest_difference(rlx_value a, rlx_value b)
{
    const float *x = rlx_tensor_data(a.as.tensor), *y = rlx_tensor_data(b.as.tensor);
    float most = 0;
    if (rlx_tensor_nbytes(a.as.tensor) != rlx_tensor_nbytes(b.as.tensor))
        bench_die("results of different sizes");
    for (int64_t i = 0; i < rlx_tensor_numel(a.as.tensor); i++)
        most = fmaxf(most, fabsf(x[i] - y[i]));
    return most;
}

static void chain_of(const char *path, uint32_t calls)
{
    static const int64_t dims[1] = {ELEMENTS};
    chain peer = {0};
    bench_program program;
    open_chain(&peer, calls);
    bench_on_device mine = {.device = bench_first_device("opencl", "OpenCL")};
    bench_open(&program, path, 1);
    mine.call = bench_invocation_of(&program, "main");
    rlx_value x = bench_tensor(RLX_F32, 1, dims, SEED);
    mine.call.args[0] = bench_placed(mine.device, rlx_value_retain(x));
    mine.call.n_args = 1;
    rlx_value y = bench_fetched(bench_invoke(&program, "main", mine.call.args, 1));
    const float *in = rlx_tensor_data(x.as.tensor), *out = rlx_tensor_data(y.as.tensor);
    for (int i = 0; i < ELEMENTS; i++)
        if (fabsf(in[i] + (float)calls - out[i]) > 1e-3f * (float)calls)
            bench_die("WRONG RESULT: %g + %u is %g", in[i], calls, out[i]);
    bench_side sides[] = {{.call = bench_run_and_wait, .user = &mine},
                          {.call = run_chain, .user = &peer}};
    /* Where the driver's workers are threads of this process (PoCL), they and the caller wait for
     * each other's cores: that is part of the figure, and short samples scatter. */
    bench_plan plan = bench_default_plan();
    plan.keeps_all = true;
    plan.sample_ms = 20;
    bench_interleave(sides, 2, &plan);
    char name[64];
    snprintf(name, sizeof name, "chain of %u OpenCL kernels", calls);
    bench_print_row(&(bench_row){.name = name,
                                 .threads = 1,
                                 .unit = "us",
                                 .rlx = sides[0].median_ns / 1e3,
                                 .peer = "the same enqueues in C",
                                 .peer_value = sides[1].median_ns / 1e3,
                                 .ratio = 1 / sides[1].ratio,
                                 .waited = sides[0].waited});
    rlx_value_release(x);
    rlx_value_release(y);
    bench_release_args(&mine.call);
    bench_close(&program);
    rlx_device_release(mine.device);
}

static void model(const char *name, const char *device_path, const char *cpu_path,
                  const char *shape, int64_t n)
{
    int64_t dims[BENCH_MAX_NDIM];
    const uint32_t ndim = bench_parse_dims(shape, n, dims);
    bench_program there, here;
    bench_on_device mine = {.device = bench_first_device("opencl", "OpenCL")};
    bench_open(&there, device_path, 1);
    bench_open(&here, cpu_path, 2);
    bench_invocation cpu = bench_invocation_of(&here, "main");
    mine.call = bench_invocation_of(&there, "main");
    cpu.args[0] = bench_tensor(RLX_F32, ndim, dims, SEED);
    mine.call.args[0] = bench_placed(mine.device, rlx_value_retain(cpu.args[0]));
    cpu.n_args = mine.call.n_args = 1;
    rlx_value a = bench_fetched(bench_invoke(&there, "main", mine.call.args, 1));
    rlx_value b = bench_invoke(&here, "main", cpu.args, 1);
    const float difference = largest_difference(a, b);
    if (!(difference < 1e-2f))
        bench_die("WRONG RESULT: %s differs by %g on the device", name, difference);
    bench_side sides[] = {{.call = bench_run_and_wait, .user = &mine},
                          {.call = bench_run_invocation, .user = &cpu}};
    bench_plan plan = bench_default_plan();
    bench_interleave(sides, 2, &plan);
    char row[96], note[64];
    snprintf(row, sizeof row, "%s n=%lld on opencl:0", name, (long long)n);
    snprintf(note, sizeof note, "largest difference %.2g", difference);
    bench_print_row(&(bench_row){.name = row,
                                 .threads = 2,
                                 .unit = "us",
                                 .rlx = sides[0].median_ns / 1e3,
                                 .peer = "rlx on the CPU",
                                 .peer_value = sides[1].median_ns / 1e3,
                                 .ratio = 1 / sides[1].ratio,
                                 .waited = sides[0].waited,
                                 .note = note});
    rlx_value_release(a);
    rlx_value_release(b);
    bench_release_args(&cpu);
    bench_release_args(&mine.call);
    bench_close(&there);
    bench_close(&here);
    rlx_device_release(mine.device);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "chain") == 0) {
        chain_of(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    } else if (argc >= 7 && strcmp(argv[1], "model") == 0) {
        for (int i = 6; i < argc; i++)
            model(argv[2], argv[3], argv[4], argv[5], strtoll(argv[i], NULL, 10));
    } else {
        fprintf(stderr, "usage: bench_opencl chain FILE N | model NAME GPU CPU DIMS N...\n");
        return 2;
    }
    return 0;
}

/* A stand-in for libOpenCL.so.1: one platform, whose devices are memory of the host. A program's
 * source is text; each "__kernel void NAME(" in it that is a row here is a kernel, and "#error"
 * fails the build. Work is done when it is asked for. */
#include "fake.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2 };
fake_control fake = {.devices = DEVICES};

fake_control *fake_get(void)
{
    /* Where all tests run in one process, an earlier one left its wishes. */
    fake = (fake_control){.live = fake.live, .devices = DEVICES};
    return &fake;
}

#define EXPORT __attribute__((visibility("default")))

enum { MAX_ARGS = 8, PLATFORM = 1, DEVICE, CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT };
enum {
    PROFILING_INFO_NOT_AVAILABLE = -7,
    INVALID_VALUE = -30,
    INVALID_HANDLE = -34,
    BUILD_FAILURE = -11,
    INVALID_BINARY = -42,
    INVALID_PROGRAM_EXECUTABLE = -45,
    INVALID_KERNEL_NAME = -46,
    INVALID_ARG_INDEX = -49,
    INVALID_ARG_SIZE = -51,
    INVALID_KERNEL_ARGS = -52,
    INVALID_WORK_GROUP_SIZE = -54,
    INVALID_BUFFER_SIZE = -61,
};
#define MOST_BYTES ((size_t)1 << 24)

typedef struct object object;
typedef struct arg {
    size_t size;     /* 0: not set */
    uint32_t serial; /* of the object that its bytes name; 0: they name none */
    bool local;
    unsigned char bytes[8];
} arg;

/* A kernel and the sizes of its arguments; 0 ends them. |local| bytes are its last argument. */
typedef struct row {
    const char *name;
    size_t sizes[MAX_ARGS];
    uint32_t buffers; /* bit i: argument i is one */
    bool local;
    void (*run)(const object *kernel, size_t n_items);
} row;

struct object {
    int kind;
    uint32_t serial;      /* objects at one address have different ones */
    unsigned char *bytes; /* buffer, text of a program */
    size_t size;
    bool built, is_binary;
    bool keeps_times; /* queue, event */
    const row *row;
    object *program;
    arg args[MAX_ARGS];
};

static object *working; /* the queue whose work nobody has waited for */
static object platform = {.kind = PLATFORM}, devices[8] = {{.kind = DEVICE}, {.kind = DEVICE}};

static bool is(const void *handle, int kind)
{
    const object *o = handle;
    const bool ok = o && o->kind == kind;
    fake.misuses += !ok;
    return ok;
}

static object *make(int kind, size_t size)
{
    static uint32_t made;
    object *o = calloc(1, sizeof *o);
    if (!o || !(o->bytes = calloc(1, size + 1)))
        abort();
    o->kind = kind;
    o->serial = ++made;
    o->size = size;
    fake.live++;
    return o;
}

/* Drops the object even where the call fails: what else could the caller do? */
static int drop(void *handle, int kind, const char *name)
{
    const bool fails = fake_fails(name);
    object *o = handle;
    if (!is(o, kind))
        return INVALID_HANDLE;
    fake.live--;
    o->kind = 0;
    free(o->bytes);
    free(o);
    return fails ? fake.code : 0;
}

/* --- kernels -----------------------------------------------------------------------------------
 */

static int64_t number(const object *k, int i)
{
    int64_t value = 0;
    memcpy(&value, k->args[i].bytes, k->args[i].size);
    return k->args[i].size == 4 ? (int32_t)value : value;
}

/* The buffer of argument |i|, at the offset that follows it, for |n| floats. */
static float *place(const object *k, int i, size_t n)
{
    object *memory;
    memcpy(&memory, k->args[i].bytes, sizeof memory);
    const size_t offset = (size_t)number(k, i + 1);
    const bool ok = is(memory, BUFFER) && k->args[i].serial == memory->serial &&
                    offset <= memory->size && n * sizeof(float) <= memory->size - offset;
    fake.misuses += !ok;
    return ok ? (float *)(void *)(memory->bytes + offset) : NULL;
}

/* y[i] = x[i] * factor + (float)shift */
static void scale(const object *k, size_t n_items)
{
    const size_t n = (size_t)number(k, 4);
    const float *x = place(k, 0, n);
    float factor, *y = place(k, 2, n);
    double shift;
    memcpy(&factor, k->args[5].bytes, sizeof factor);
    memcpy(&shift, k->args[6].bytes, sizeof shift);
    for (size_t i = 0; x && y && i < n && i < n_items; i++)
        y[i] = x[i] * factor + (float)shift;
}

/* y[i] += x[i] */
static void add(const object *k, size_t n_items)
{
    const size_t n = (size_t)number(k, 4);
    const float *x = place(k, 0, n);
    float *y = place(k, 2, n);
    for (size_t i = 0; x && y && i < n && i < n_items; i++)
        y[i] += x[i];
}

/* Where the program came from: x[0] = 1 from source, 2 from a binary. */
static void origin(const object *k, size_t n_items)
{
    float *x = place(k, 0, 1);
    (void)n_items;
    if (x)
        *x = k->program->is_binary ? 2 : 1;
}

static const row rows[] = {
    {"scale", {8, 8, 8, 8, 4, 4, 8}, 5, false, scale},
    {"add", {8, 8, 8, 8, 4}, 5, true, add},
    {"origin", {8, 8}, 1, false, origin},
};

/* --- platforms and devices ---------------------------------------------------------------------
 */

EXPORT int clGetPlatformIDs(uint32_t n, void **out, uint32_t *out_n)
{
    FAKE_CALL;
    fake.misuses += n == 0;
    *out = &platform;
    *out_n = 1;
    return 0;
}

static int answer(const void *value, size_t value_size, size_t size, void *out, size_t *out_size)
{
    if (out_size)
        *out_size = value_size;
    if (out && size < value_size)
        return INVALID_VALUE;
    if (out)
        memcpy(out, value, value_size);
    return 0;
}

static int answer_text(const char *text, size_t size, void *out, size_t *out_size)
{
    return answer(text, strlen(text) + 1, size, out, out_size);
}

EXPORT int clGetPlatformInfo(void *p, uint32_t what, size_t size, void *out, size_t *out_size)
{
    FAKE_CALL;
    if (!is(p, PLATFORM) || what != 0x0902)
        return INVALID_VALUE;
    return answer_text("Invented", size, out, out_size);
}

EXPORT int clGetDeviceIDs(void *p, uint64_t type, uint32_t n, void **out, uint32_t *out_n)
{
    FAKE_CALL;
    if (!is(p, PLATFORM) || type != 0xFFFFFFFFu)
        return INVALID_VALUE;
    if (fake.devices == 0)
        return -1; /* CL_DEVICE_NOT_FOUND */
    for (uint32_t i = 0; i < n && i < fake.devices; i++) {
        devices[i].kind = DEVICE;
        out[i] = &devices[i];
    }
    *out_n = fake.devices;
    return 0;
}

EXPORT int clGetDeviceInfo(void *d, uint32_t what, size_t size, void *out, size_t *out_size)
{
    FAKE_CALL;
    const uint64_t bytes = MOST_BYTES, rounds = 1u << 7;
    const uint32_t units = 3;
    const size_t threads = 64;
    if (!is(d, DEVICE))
        return INVALID_HANDLE;
    switch (what) {
    case 0x1002:
        return answer(&units, sizeof units, size, out, out_size);
    case 0x1004:
        return answer(&threads, sizeof threads, size, out, out_size);
    case 0x1010:
    case 0x101F:
    case 0x1023:
        return answer(&bytes, sizeof bytes, size, out, out_size);
    case 0x101B:
    case 0x1032:
        return answer(&rounds, sizeof rounds, size, out, out_size);
    case 0x102B:
        return answer_text(d == devices ? "First" : "Other", size, out, out_size);
    case 0x102D:
        return answer_text("4.2", size, out, out_size);
    case 0x102F:
        return answer_text("OpenCL 1.2 invented", size, out, out_size);
    default:
        return INVALID_VALUE;
    }
}

/* --- contexts, queues, memory ------------------------------------------------------------------
 */

/* The first lines of functions that return an object. */
#define FAKE_CREATE(condition)  \
    *code = 0;                  \
    if (fake_fails(__func__)) { \
        *code = fake.code;      \
        return NULL;            \
    }                           \
    if (!(condition)) {         \
        *code = INVALID_HANDLE; \
        return NULL;            \
    }

EXPORT void *clCreateContext(const intptr_t *properties, uint32_t n, void *const *list, void *call,
                             void *user, int *code)
{
    (void)properties, (void)call, (void)user;
    FAKE_CREATE(n == 1 && is(list[0], DEVICE));
    return make(CONTEXT, 0);
}

EXPORT int clReleaseContext(void *o)
{
    return drop(o, CONTEXT, __func__);
}

EXPORT void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *code)
{
    FAKE_CREATE(is(context, CONTEXT) && is(device, DEVICE) && (properties == 0 || properties == 2));
    object *queue = make(QUEUE, 0);
    queue->keeps_times = properties == 2;
    return queue;
}

EXPORT int clReleaseCommandQueue(void *o)
{
    working = working == o ? NULL : working;
    return drop(o, QUEUE, __func__);
}

EXPORT void *clCreateBuffer(void *context, uint64_t flags, size_t size, void *host, int *code)
{
    FAKE_CREATE(is(context, CONTEXT) && flags == 1 && !host);
    if (size == 0 || size > MOST_BYTES) {
        *code = INVALID_BUFFER_SIZE;
        return NULL;
    }
    return make(BUFFER, size);
}

EXPORT int clReleaseMemObject(void *o)
{
    return drop(o, BUFFER, __func__);
}

/* A command of |queue|, with its event; |waits|: it returns when the queue is empty. Queues do not
 * know of each other: work in two of them at once is a misuse. */
static int command(object *queue, bool waits, void **event)
{
    fake.misuses += working && working != queue;
    working = waits ? NULL : queue;
    if (event) {
        object *e = make(EVENT, 0);
        e->keeps_times = queue->keeps_times;
        *event = e;
    }
    return 0;
}

static bool holds(const object *o, size_t offset, size_t size)
{
    const bool ok = is(o, BUFFER) && size > 0 && offset <= o->size && size <= o->size - offset;
    fake.misuses += !ok;
    return ok;
}

EXPORT int clEnqueueReadBuffer(object *queue, object *from, uint32_t blocking, size_t offset,
                               size_t size, void *to, uint32_t n, void *const *wait, void **event)
{
    FAKE_CALL;
    if (!is(queue, QUEUE) || !holds(from, offset, size) || !blocking || n || wait)
        return INVALID_VALUE;
    memcpy(to, from->bytes + offset, size);
    return command(queue, true, event);
}

EXPORT int clEnqueueWriteBuffer(object *queue, object *to, uint32_t blocking, size_t offset,
                                size_t size, const void *from, uint32_t n, void *const *wait,
                                void **event)
{
    FAKE_CALL;
    if (!is(queue, QUEUE) || !holds(to, offset, size) || !blocking || n || wait)
        return INVALID_VALUE;
    memcpy(to->bytes + offset, from, size);
    return command(queue, true, event);
}

EXPORT int clEnqueueCopyBuffer(object *queue, object *from, object *to, size_t from_offset,
                               size_t to_offset, size_t size, uint32_t n, void *const *wait,
                               void **event)
{
    FAKE_CALL;
    if (!is(queue, QUEUE) || !holds(from, from_offset, size) || !holds(to, to_offset, size) || n ||
        wait)
        return INVALID_VALUE;
    memmove(to->bytes + to_offset, from->bytes + from_offset, size);
    return command(queue, false, event);
}

/* --- programs and kernels ----------------------------------------------------------------------
 */

#define BINARY "BIN:" /* before the source's text */

static object *program(const void *text, size_t size, bool is_binary)
{
    object *p = make(PROGRAM, size);
    memcpy(p->bytes, text, size);
    p->is_binary = is_binary;
    return p;
}

EXPORT void *clCreateProgramWithSource(void *context, uint32_t n, const char *const *texts,
                                       const size_t *sizes, int *code)
{
    FAKE_CREATE(is(context, CONTEXT) && n == 1);
    return program(texts[0], sizes[0], false);
}

EXPORT void *clCreateProgramWithBinary(void *context, uint32_t n, void *const *list,
                                       const size_t *sizes, const unsigned char *const *binaries,
                                       int *each, int *code)
{
    const size_t mark = sizeof BINARY - 1;
    FAKE_CREATE(is(context, CONTEXT) && n == 1 && is(list[0], DEVICE) && each);
    if (sizes[0] < mark || memcmp(binaries[0], BINARY, mark) != 0) {
        *code = *each = INVALID_BINARY;
        return NULL;
    }
    return program(binaries[0] + mark, sizes[0] - mark, true);
}

EXPORT int clBuildProgram(object *p, uint32_t n, void *const *list, const char *options, void *call,
                          void *user)
{
    FAKE_CALL;
    (void)call, (void)user;
    if (!is(p, PROGRAM) || n != 1 || !is(list[0], DEVICE) || strncmp(options, "-cl-std=", 8) != 0)
        return INVALID_VALUE;
    if (strstr((char *)p->bytes, "#error"))
        return BUILD_FAILURE;
    p->built = true;
    return 0;
}

EXPORT int clGetProgramBuildInfo(object *p, void *device, uint32_t what, size_t size, void *out,
                                 size_t *out_size)
{
    FAKE_CALL;
    if (!is(p, PROGRAM) || !is(device, DEVICE) || what != 0x1183)
        return INVALID_VALUE;
    return answer_text("1 line read\nkernels.cl:3:1: error: invented\nother", size, out, out_size);
}

EXPORT int clGetProgramInfo(object *p, uint32_t what, size_t size, void *out, size_t *out_size)
{
    FAKE_CALL;
    const size_t mark = sizeof BINARY - 1;
    if (!is(p, PROGRAM) || !p->built)
        return INVALID_PROGRAM_EXECUTABLE;
    const size_t n = mark + p->size;
    if (what == 0x1165)
        return answer(&n, sizeof n, size, out, out_size);
    if (what != 0x1166 || size != sizeof(void *))
        return INVALID_VALUE;
    unsigned char *to = *(unsigned char **)out;
    memcpy(to, BINARY, mark);
    memcpy(to + mark, p->bytes, p->size);
    return 0;
}

EXPORT int clReleaseProgram(void *o)
{
    return drop(o, PROGRAM, __func__);
}

EXPORT void *clCreateKernel(object *p, const char *name, int *code)
{
    FAKE_CREATE(is(p, PROGRAM) && p->built);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0 || !strstr((char *)p->bytes, name))
            continue;
        object *k = make(KERNEL, 0);
        k->row = &rows[i];
        k->program = p;
        return k;
    }
    *code = INVALID_KERNEL_NAME;
    return NULL;
}

EXPORT int clReleaseKernel(void *o)
{
    return drop(o, KERNEL, __func__);
}

EXPORT int clSetKernelArg(object *k, uint32_t index, size_t size, const void *value)
{
    FAKE_CALL;
    if (!is(k, KERNEL))
        return INVALID_HANDLE;
    const bool local = index > 0 && index < MAX_ARGS && k->row->local &&
                       k->row->sizes[index] == 0 && k->row->sizes[index - 1] != 0;
    if (index >= MAX_ARGS || (!local && k->row->sizes[index] == 0))
        return INVALID_ARG_INDEX;
    if (local ? value != NULL : size != k->row->sizes[index])
        return INVALID_ARG_SIZE;
    k->args[index].size = size;
    k->args[index].local = local;
    if (!local)
        memcpy(k->args[index].bytes, value, size);
    k->args[index].serial = k->row->buffers >> index & 1 ? (*(object *const *)value)->serial : 0;
    return 0;
}

EXPORT int clEnqueueNDRangeKernel(object *queue, object *k, uint32_t n_dims, const size_t *offset,
                                  const size_t *global, const size_t *local, uint32_t n,
                                  void *const *wait, void **event)
{
    FAKE_CALL;
    size_t items = 1, threads = 1;
    if (!is(queue, QUEUE) || !is(k, KERNEL) || n_dims != 3 || offset || n || wait)
        return INVALID_VALUE;
    for (int i = 0; i < MAX_ARGS && k->row->sizes[i]; i++)
        if (k->args[i].size != k->row->sizes[i])
            return INVALID_KERNEL_ARGS;
    for (int i = 0; i < 3; i++) {
        if (local[i] == 0 || global[i] % local[i] != 0)
            return INVALID_WORK_GROUP_SIZE;
        items *= global[i];
        threads *= local[i];
    }
    if (threads > 64)
        return INVALID_WORK_GROUP_SIZE;
    k->row->run(k, items);
    return command(queue, false, event);
}

/* --- waiting and events ------------------------------------------------------------------------
 */

EXPORT int clFlush(void *queue)
{
    FAKE_CALL;
    return is(queue, QUEUE) ? 0 : INVALID_HANDLE;
}

EXPORT int clFinish(object *queue)
{
    FAKE_CALL;
    if (!is(queue, QUEUE))
        return INVALID_HANDLE;
    working = working == queue ? NULL : working;
    return 0;
}

EXPORT int clWaitForEvents(uint32_t n, void *const *events)
{
    FAKE_CALL;
    return n == 1 && is(events[0], EVENT) ? 0 : INVALID_HANDLE;
}

EXPORT int clGetEventProfilingInfo(object *event, uint32_t what, size_t size, void *out,
                                   size_t *out_size)
{
    FAKE_CALL;
    const uint64_t begin = 1000, end = 3500;
    if (!is(event, EVENT))
        return INVALID_HANDLE;
    if (!event->keeps_times)
        return PROFILING_INFO_NOT_AVAILABLE;
    return answer(what == 0x1282 ? &begin : &end, sizeof begin, size, out, out_size);
}

EXPORT int clReleaseEvent(void *o)
{
    return drop(o, EVENT, __func__);
}

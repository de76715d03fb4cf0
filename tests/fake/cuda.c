/* A CUDA driver without a GPU. Work waits in the stream until somebody waits for it, so that what
 * is read too early or overwritten too soon shows. Memory is the host's. Code is text: "bad" in it
 * is refused. Kernels: "scale"(pointer x, long n, int shift, float factor, double add) and "fault",
 * after which the device is lost. */
#include "fake.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fake/gpu/cuda.h"

enum { DEVICES = 1 };
fake_control fake = {.devices = DEVICES};

fake_control *fake_get(void)
{
    /* Where all tests run in one process, an earlier one left its wishes. */
    fake = (fake_control){.live = fake.live, .devices = DEVICES};
    return &fake;
}

enum { ILLEGAL_STATE = 401, STACK = 16 };

struct CUctx_st {
    int device;
};
struct CUstream_st {
    int unused;
};
struct CUmemPoolHandle_st {
    int unused;
};
struct CUevent_st {
    double time;
    bool happened;
};
enum { MAX_FUNCTIONS = 4096 };
struct CUmod_st {
    void *handle; /* of PTX */
    struct CUfunc_st functions[MAX_FUNCTIONS];
};

static struct CUctx_st context;
static cu_context current[STACK];
uint32_t fake_depth;
static fake_work *first, **last = &first;
static double now;
bool fake_lost;

int fake_append(fake_work w)
{
    fake_work *item = malloc(sizeof *item);
    if (!item)
        return CU_OUT_OF_MEMORY;
    *item = w;
    item->next = NULL;
    *last = item;
    last = &item->next;
    return CU_OK;
}

static void run_kernel(const fake_work *w)
{
    float *x, factor;
    int64_t n, i = 0;
    int32_t shift;
    double add;
    const int64_t threads =
        (int64_t)w->grid[0] * w->grid[1] * w->grid[2] * w->block[0] * w->block[1] * w->block[2];
    if (w->function->row)
        fake_lost =
            fake_lost || gpu_run(w->function->row, w->args, w->grid, w->block, w->shared) != 0;
    else if (strcmp(w->function->name, "fault") == 0)
        fake_lost = true;
    if (w->function->row || fake_lost)
        return;
    memcpy(&x, w->args, 8);
    memcpy(&n, w->args + 8, 8);
    memcpy(&shift, w->args + 16, 4);
    memcpy(&factor, w->args + 20, 4);
    memcpy(&add, w->args + 24, 8);
    for (; i < threads && i < n; i++)
        x[i] = x[i] * factor + (float)add + (float)shift;
}

static void run_all(void)
{
    while (first) {
        fake_work *w = first;
        first = w->next;
        now += 1;
        if (w->is_product)
            fake_run_product(&w->product);
        else if (w->bytes > 0)
            memcpy(w->to, w->from, w->bytes);
        else if (w->function)
            run_kernel(w);
        if (w->event) {
            w->event->time = now;
            w->event->happened = true;
        }
        free(w->args);
        free(w);
    }
    last = &first;
}

static fake_object *objects;

fake_object *fake_object_of(void *thing)
{
    return (fake_object *)((char *)thing - offsetof(fake_object, bytes));
}

void fake_dropped(void *thing)
{
    fake_object *o = fake_object_of(thing);
    run_all();
    if (o->end)
        o->end(thing);
    fake.live--;
    *o->link = o->next;
    if (o->next)
        o->next->link = o->link;
    free(o);
}

int fake_made(void **out, size_t size)
{
    fake_object *o = aligned_alloc(64, (sizeof *o + size + 63) & ~(size_t)63);
    if (!o)
        return CU_OUT_OF_MEMORY;
    memset(o->bytes, 0, size);
    *o = (fake_object){.next = objects, .link = &objects};
    if (objects)
        objects->link = &o->next;
    objects = o;
    *out = o->bytes;
    fake.live++;
    return CU_OK;
}

/* --- the driver and its devices ----------------------------------------------------------------
 */

int cuInit(unsigned flags)
{
    FAKE_CALL;
    fake.misuses += flags != 0;
    fake_lost = false;
    return CU_OK;
}

int cuDriverGetVersion(int *version)
{
    FAKE_CALL;
    *version = 12080;
    return CU_OK;
}

int cuGetErrorString(int code, const char **text)
{
    *text = code == CU_OUT_OF_MEMORY ? "out of memory" : "a fake error";
    return CU_OK;
}

int cuDeviceGetCount(int *count)
{
    FAKE_CALL;
    *count = (int)fake.devices;
    return CU_OK;
}

int cuDeviceGet(int *device, int ordinal)
{
    FAKE_CALL;
    *device = ordinal;
    return CU_OK;
}

int cuDeviceGetName(char *name, int size, int device)
{
    FAKE_CALL;
    snprintf(name, (size_t)size, "fake GPU %d", device);
    return CU_OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int rows[][2] = {
        {CU_MAX_THREADS_PER_BLOCK, 1024}, {CU_MAX_SHARED_PER_BLOCK, 49152},
        {CU_MAX_SHARED_OPTIN, 101376},    {CU_WARP_SIZE, 32},
        {CU_MULTIPROCESSORS, 4},          {CU_CAPABILITY_MAJOR, 8},
        {CU_CAPABILITY_MINOR, 6},
    };
    FAKE_CALL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i][0] == attribute) {
            *value = rows[i][1];
            return CU_OK;
        }
    *value = attribute == CU_MEMORY_POOLS && device == 0; /* other devices have none */
    return CU_OK;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    FAKE_CALL;
    *bytes = (size_t)1 << 30;
    return CU_OK;
}

int cuDevicePrimaryCtxRetain(cu_context *out, int device)
{
    FAKE_CALL;
    context.device = device;
    *out = &context;
    return CU_OK;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    while (objects) {
        fake.left++;
        fake_dropped(objects->bytes);
    }
    FAKE_CALL;
    return CU_OK;
}

int cuCtxPushCurrent_v2(cu_context c)
{
    FAKE_CALL;
    if (fake_depth == STACK)
        return ILLEGAL_STATE;
    current[fake_depth++] = c;
    return CU_OK;
}

int cuCtxPopCurrent_v2(cu_context *c)
{
    if (fake_depth == 0) {
        fake.misuses++;
        return NO_CONTEXT;
    }
    *c = current[--fake_depth];
    FAKE_CALL;
    return CU_OK;
}

/* --- streams and memory ------------------------------------------------------------------------
 */

int cuStreamCreate(cu_stream *stream, unsigned flags)
{
    (void)flags;
    IN_CONTEXT;
    return fake_made((void **)stream, sizeof **stream);
}

int cuStreamDestroy_v2(cu_stream stream)
{
    fake_dropped(stream);
    IN_CONTEXT;
    return CU_OK;
}

int cuStreamSynchronize(cu_stream stream)
{
    (void)stream;
    IN_CONTEXT;
    run_all();
    return fake_lost ? ILLEGAL_ADDRESS : CU_OK;
}

int cuMemPoolCreate(cu_pool *pool, const cu_pool_props *props)
{
    IN_CONTEXT;
    fake.misuses += props->type != 1 || props->location_type != 1;
    return fake_made((void **)pool, sizeof **pool);
}

int cuMemPoolDestroy(cu_pool pool)
{
    fake_dropped(pool);
    IN_CONTEXT;
    return CU_OK;
}

int cuMemPoolSetAttribute(cu_pool pool, int attribute, void *value)
{
    (void)value;
    IN_CONTEXT;
    fake.misuses += !pool || attribute != CU_POOL_RELEASE_THRESHOLD;
    return CU_OK;
}

int cuMemPoolTrimTo(cu_pool pool, size_t keep)
{
    (void)pool;
    (void)keep;
    IN_CONTEXT;
    return CU_OK;
}

static int take(cu_pointer *memory, size_t bytes)
{
    void *p = NULL;
    int code = bytes > (size_t)1 << 30 ? CU_OUT_OF_MEMORY : fake_made(&p, bytes);
    *memory = (cu_pointer)(uintptr_t)p;
    return code;
}

int cuMemAllocFromPoolAsync(cu_pointer *memory, size_t bytes, cu_pool pool, cu_stream stream)
{
    IN_CONTEXT;
    fake.misuses += !pool || !stream || bytes == 0;
    return take(memory, bytes);
}

int cuMemFreeAsync(cu_pointer memory, cu_stream stream)
{
    (void)stream;
    fake_dropped((void *)(uintptr_t)memory);
    IN_CONTEXT;
    return CU_OK;
}

int cuMemAlloc_v2(cu_pointer *memory, size_t bytes)
{
    IN_CONTEXT;
    fake.misuses += bytes == 0;
    return take(memory, bytes);
}

int cuMemFree_v2(cu_pointer memory)
{
    fake_dropped((void *)(uintptr_t)memory);
    IN_CONTEXT;
    return CU_OK;
}

int cuMemAllocHost_v2(void **memory, size_t bytes)
{
    IN_CONTEXT;
    return fake_made(memory, bytes);
}

int cuMemFreeHost(void *memory)
{
    fake_dropped(memory);
    IN_CONTEXT;
    return CU_OK;
}

int cuMemcpyHtoDAsync_v2(cu_pointer to, const void *from, size_t bytes, cu_stream stream)
{
    IN_CONTEXT;
    fake.misuses += !stream;
    return fake_append((fake_work){.to = (void *)(uintptr_t)to, .from = from, .bytes = bytes});
}

int cuMemcpyDtoHAsync_v2(void *to, cu_pointer from, size_t bytes, cu_stream stream)
{
    IN_CONTEXT;
    fake.misuses += !stream;
    return fake_append(
        (fake_work){.to = to, .from = (const void *)(uintptr_t)from, .bytes = bytes});
}

int cuMemcpyDtoDAsync_v2(cu_pointer to, cu_pointer from, size_t bytes, cu_stream stream)
{
    IN_CONTEXT;
    fake.misuses += !stream;
    return fake_append((fake_work){
        .to = (void *)(uintptr_t)to, .from = (const void *)(uintptr_t)from, .bytes = bytes});
}

/* --- code --------------------------------------------------------------------------------------
 */

static bool refused(const char *text, unsigned n, const int *options, void **values)
{
    for (unsigned i = 0; i < n; i++)
        if (options[i] == CU_JIT_ERROR_LOG)
            memcpy(values[i], text, strlen(text) + 1);
    return true;
}

/* The kernels of PTX, or the two of other code. */
static int fill(struct CUmod_st *m, const char *image, char *log, size_t size)
{
    static const struct CUfunc_st own[] = {{NULL, "scale", 32, 0}, {NULL, "fault", 0, 0}};
    const gpu_row *table;
    memcpy(m->functions, own, sizeof own);
    if (memcmp(image, "\177ELF", 4) == 0 || !strstr(image, ".version"))
        return CU_OK;
    m->handle = gpu_load(image, &table, log, size);
    if (!m->handle)
        return CU_INVALID_PTX;
    for (uint32_t i = 0; i < MAX_FUNCTIONS && table[i].name; i++)
        m->functions[i] = (struct CUfunc_st){&table[i], table[i].name, table[i].param_bytes, 0};
    return CU_OK;
}

int cuModuleLoadDataEx(cu_module *module, const void *image, unsigned n, int *options,
                       void **values)
{
    char log[300] = "line 1: bad";
    IN_CONTEXT;
    if (memcmp(image, "\177ELF", 4) != 0 && strstr(image, "bad") &&
        refused(log, n, options, values))
        return CU_INVALID_PTX;
    int code = fake_made((void **)module, sizeof **module);
    if (code == CU_OK && (code = fill(*module, image, log, sizeof log)) != CU_OK) {
        refused(log, n, options, values);
        fake_dropped(*module);
    }
    return code;
}

int cuModuleUnload(cu_module module)
{
    run_all();
    if (module->handle)
        dlclose(module->handle);
    fake_dropped(module);
    IN_CONTEXT;
    return CU_OK;
}

int cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
    IN_CONTEXT;
    fake.misuses += !module;
    for (size_t i = 0; module->functions[i].name; i++)
        if (strcmp(module->functions[i].name, name) == 0) {
            *function = &module->functions[i];
            return CU_OK;
        }
    return CU_NOT_FOUND;
}

int cuFuncSetAttribute(cu_function function, int attribute, int value)
{
    IN_CONTEXT;
    fake.misuses += attribute != CU_FUNC_MAX_DYNAMIC_SHARED;
    if (value > 101376)
        return CU_INVALID_VALUE;
    function->max_shared = value;
    return CU_OK;
}

int fake_launch_of(fake_work *w, void **params, void **extra)
{
    const uint64_t threads = (uint64_t)w->block[0] * w->block[1] * w->block[2];
    size_t size;
    if ((uint64_t)w->grid[0] * w->grid[1] * w->grid[2] * threads == 0 || params ||
        extra[0] != CU_LAUNCH_BUFFER || extra[2] != CU_LAUNCH_BUFFER_SIZE ||
        extra[4] != CU_LAUNCH_END) {
        fake.misuses++;
        return CU_INVALID_VALUE;
    }
    memcpy(&size, extra[3], sizeof size);
    if (threads > 1024 || (w->shared > 48 << 10 && (unsigned)w->function->max_shared < w->shared) ||
        size != w->function->size)
        return CU_INVALID_VALUE;
    w->args = malloc(size + 1);
    if (!w->args)
        return CU_OUT_OF_MEMORY;
    memcpy(w->args, extra[1], size);
    return CU_OK;
}

int cuLaunchKernel(cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   unsigned by, unsigned bz, unsigned shared, cu_stream stream, void **params,
                   void **extra)
{
    fake_work w = {
        .function = function, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared};
    IN_CONTEXT;
    fake.misuses += !stream;
    const int code = fake_launch_of(&w, params, extra);
    return code == CU_OK ? fake_append(w) : code;
}

/* --- events ------------------------------------------------------------------------------------
 */

int cuEventCreate(cu_event *event, unsigned flags)
{
    (void)flags;
    IN_CONTEXT;
    return fake_made((void **)event, sizeof **event);
}

int cuEventDestroy_v2(cu_event event)
{
    fake_dropped(event);
    IN_CONTEXT;
    return CU_OK;
}

int cuEventRecord(cu_event event, cu_stream stream)
{
    IN_CONTEXT;
    fake.misuses += !stream;
    return fake_append((fake_work){.event = event});
}

int cuEventSynchronize(cu_event event)
{
    (void)event;
    IN_CONTEXT;
    run_all();
    return fake_lost ? ILLEGAL_ADDRESS : CU_OK;
}

int cuEventElapsedTime(float *milliseconds, cu_event begin, cu_event end)
{
    IN_CONTEXT;
    if (!begin->happened || !end->happened) {
        fake.misuses++;
        return CU_INVALID_VALUE;
    }
    *milliseconds = (float)(end->time - begin->time);
    return CU_OK;
}

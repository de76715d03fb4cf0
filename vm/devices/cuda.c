/* Devices of the kind "cuda": NVIDIA's GPUs through the driver's library. This file: what is there,
 * opening, memory and copies.
 *
 * All work goes to one stream. Memory comes from a pool of the device in the order of the stream,
 * so releasing does not wait. Small copies to the device go through a stage in pinned memory, so
 * that they do not wait either. */
#include "vm/devices/cuda.h"

#include <stdio.h>
#include <string.h>

#define NAME(name, params) #name,
static const char *const names[] = {CU_FUNCTIONS(NAME) CU_GRAPH_FUNCTIONS(NAME)};
#undef NAME
#define ONE(name, params) +1
enum { N_NAMES = sizeof names / sizeof *names, N_NEEDED = N_NAMES - (0 CU_GRAPH_FUNCTIONS(ONE)) };
#undef ONE
_Static_assert(sizeof(cu_driver) == N_NAMES * sizeof(void *), "the table is filled as an array");

static const rlxv_driver_row driver_row = {
    "CUDA driver", "RLX_CUDA_LIBRARY", "libcuda.so.1", names, N_NAMES, N_NEEDED,
};

/* --- errors ---------------------------------------------------------------------------------- */

static rlx_status fail(const cu_driver *cu, int code, const char *what, rlx_error *err)
{
    rlx_status status = RLX_E_DEVICE;
    const char *text = NULL;
    if (code == CU_OK)
        return RLX_OK;
    if (code == CU_OUT_OF_MEMORY)
        status = RLX_E_NOMEM;
    else if (code == CU_NO_DEVICE || code == CU_INVALID_DEVICE || code == CU_STUB_LIBRARY)
        status = RLX_E_NOT_FOUND;
    if (cu->cuGetErrorString(code, &text) != CU_OK || !text)
        text = "unknown error";
    return rlx_fail(err, status, "%s: %s (%d)", what, text, code);
}

rlx_status rlxv_cuda_fail(const rlxv_cuda *d, int code, const char *what, rlx_error *err)
{
    return fail(&d->cu, code, what, err);
}

rlx_status rlxv_cuda_enter(rlxv_cuda *d, const char *what, rlx_error *err)
{
    RLX_TRY(rlxv_cuda_fail(d, d->cu.cuCtxPushCurrent_v2(d->context), what, err));
    rlxv_cuda_flush(d);
    return RLX_OK;
}

void rlxv_cuda_leave(const rlxv_cuda *d)
{
    cu_context popped;
    (void)d->cu.cuCtxPopCurrent_v2(&popped);
}

/* --- what is there --------------------------------------------------------------------------- */

/* Opens the driver and counts its devices. */
static rlx_status start(cu_driver *cu, void **library, uint32_t *count, rlx_error *err)
{
    int n = 0;
    RLX_TRY(rlxv_driver_open(&driver_row, library, cu, err));
    rlx_status status = fail(cu, cu->cuInit(0), "the driver does not start", err);
    if (status == RLX_OK)
        status = fail(cu, cu->cuDeviceGetCount(&n), "the devices cannot be counted", err);
    if (status == RLX_OK && n <= 0)
        status = rlx_fail(err, RLX_E_NOT_FOUND, "the CUDA driver has no devices");
    if (status != RLX_OK) {
        rlxv_driver_close(*library);
        *library = NULL;
    }
    *count = n > 0 ? (uint32_t)n : 0;
    return status;
}

/* The same for device |id|: its number in |*device|. */
static rlx_status start_one(cu_driver *cu, void **library, uint32_t id, int *device, rlx_error *err)
{
    uint32_t count;
    RLX_TRY(start(cu, library, &count, err));
    rlx_status status;
    if (id >= count)
        status = rlx_fail(err, RLX_E_NOT_FOUND, "device %u does not exist: the CUDA driver has %u",
                          id, count);
    else
        status = fail(cu, cu->cuDeviceGet(device, (int)id), "the device is not there", err);
    if (status != RLX_OK)
        rlxv_driver_close(*library);
    return status;
}

static uint32_t count(void *user, rlx_error *err)
{
    cu_driver cu;
    void *library;
    uint32_t n;
    (void)user;
    if (start(&cu, &library, &n, err) != RLX_OK)
        return 0;
    rlxv_driver_close(library);
    return n;
}

static rlx_status attribute(const cu_driver *cu, int device, int which, uint64_t *out,
                            rlx_error *err)
{
    int value = 0;
    RLX_TRY(fail(cu, cu->cuDeviceGetAttribute(&value, which, device),
                 "the device does not describe itself", err));
    *out = value > 0 ? (uint64_t)value : 0;
    return RLX_OK;
}

static rlx_status describe(const cu_driver *cu, int device, rlx_device_info *out, rlx_error *err)
{
    static const int attributes[] = {CU_MAX_SHARED_OPTIN, CU_MAX_THREADS_PER_BLOCK,
                                     CU_MULTIPROCESSORS,  CU_WARP_SIZE,
                                     CU_CAPABILITY_MAJOR, CU_CAPABILITY_MINOR};
    uint64_t values[sizeof attributes / sizeof *attributes];
    int version = 0;
    size_t bytes = 0;
    *out = (rlx_device_info){.has_float64 = true, .has_float16 = true};
    RLX_TRY(fail(cu, cu->cuDeviceGetName(out->name, sizeof out->name, device),
                 "the device has no name", err));
    out->name[sizeof out->name - 1] = 0;
    RLX_TRY(fail(cu, cu->cuDriverGetVersion(&version), "the driver has no version", err));
    snprintf(out->driver, sizeof out->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    RLX_TRY(fail(cu, cu->cuDeviceTotalMem_v2(&bytes, device), "the device does not say its memory",
                 err));
    out->memory_bytes = bytes;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        RLX_TRY(attribute(cu, device, attributes[i], &values[i], err));
    out->shared_bytes = values[0];
    out->max_threads = (uint32_t)values[1];
    out->units = (uint32_t)values[2];
    out->warp = (uint32_t)values[3];
    snprintf(out->arch, sizeof out->arch, "sm_%d%d", (int)values[4], (int)values[5]);
    return RLX_OK;
}

static rlx_status info(void *user, uint32_t id, rlx_device_info *out, rlx_error *err)
{
    cu_driver cu;
    void *library;
    int device = 0;
    (void)user;
    RLX_TRY(start_one(&cu, &library, id, &device, err));
    rlx_status status = describe(&cu, device, out, err);
    rlxv_driver_close(library);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static rlx_status make_pool(rlxv_cuda *d, rlx_error *err)
{
    cu_pool_props props = {.type = 1, .location_type = 1, .location_id = d->device};
    uint64_t has = 0, keep = UINT64_MAX;
    RLX_TRY(attribute(&d->cu, d->device, CU_MEMORY_POOLS, &has, err));
    if (!has)
        return RLX_OK;
    RLX_TRY(rlxv_cuda_fail(d, d->cu.cuMemPoolCreate(&d->pool, &props), "no pool of memory", err));
    return rlxv_cuda_fail(d, d->cu.cuMemPoolSetAttribute(d->pool, CU_POOL_RELEASE_THRESHOLD, &keep),
                          "the pool of memory", err);
}

static rlx_status make(rlxv_cuda *d, rlx_error *err)
{
    uint64_t major, minor;
    void *stage = NULL;
    RLX_TRY(attribute(&d->cu, d->device, CU_CAPABILITY_MAJOR, &major, err));
    RLX_TRY(attribute(&d->cu, d->device, CU_CAPABILITY_MINOR, &minor, err));
    d->capability = (int)(major * 10 + minor);
    RLX_TRY(rlxv_cuda_fail(d, d->cu.cuStreamCreate(&d->stream, CU_STREAM_NON_BLOCKING), "no stream",
                           err));
    RLX_TRY(make_pool(d, err));
    RLX_TRY(rlxv_cuda_fail(d, d->cu.cuMemAllocHost_v2(&stage, RLXV_CUDA_STAGE), "no pinned memory",
                           err));
    d->stage = stage;
    return RLX_OK;
}

/* Drops what make made: all of it, or a part. The context is current. */
static void unmake(rlxv_cuda *d)
{
    if (d->stream)
        (void)d->cu.cuStreamSynchronize(d->stream);
    rlxv_cuda_drop_graphs(d);
    rlxv_cuda_close_blas(d);
    if (d->base)
        (void)d->cu.cuEventDestroy_v2(d->base);
    if (d->stage)
        (void)d->cu.cuMemFreeHost(d->stage);
    if (d->pool)
        (void)d->cu.cuMemPoolDestroy(d->pool);
    if (d->stream)
        (void)d->cu.cuStreamDestroy_v2(d->stream);
}

static void close_device(void *device)
{
    rlxv_cuda *d = device;
    if (d->context) {
        if (rlxv_cuda_enter(d, "", NULL) == RLX_OK) {
            unmake(d);
            rlxv_cuda_leave(d);
        }
        (void)d->cu.cuDevicePrimaryCtxRelease_v2(d->device);
    }
    rlxv_driver_close(d->library);
    pthread_mutex_destroy(&d->lock);
    rlxv_cuda_free_graphs(d);
    rlx_free(d->a, d, sizeof *d, _Alignof(rlxv_cuda));
}

static rlx_status open_device(void *user, uint32_t id, void **out, rlx_error *err)
{
    const rlx_allocator *a = user;
    rlxv_cuda *d = rlx_alloc(a, sizeof *d, _Alignof(rlxv_cuda));
    if (!d)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while opening it");
    *d = (rlxv_cuda){.a = a};
    rlx_status status = start_one(&d->cu, &d->library, id, &d->device, err);
    if (status != RLX_OK || pthread_mutex_init(&d->lock, NULL) != 0) {
        if (status == RLX_OK) {
            rlxv_driver_close(d->library);
            status = rlx_fail(err, RLX_E_LIMIT, "no lock");
        }
        rlx_free(a, d, sizeof *d, _Alignof(rlxv_cuda));
        return status;
    }
    status = rlxv_cuda_fail(d, d->cu.cuDevicePrimaryCtxRetain(&d->context, d->device), "no context",
                            err);
    if (status != RLX_OK)
        d->context = NULL;
    else
        status = rlxv_cuda_enter(d, "the context is refused", err);
    if (status == RLX_OK) {
        status = make(d, err);
        rlxv_cuda_leave(d);
    }
    if (status != RLX_OK) {
        close_device(d);
        return status;
    }
    *out = d;
    return RLX_OK;
}

/* --- memory ---------------------------------------------------------------------------------- */

static rlx_status wait_for_stream(rlxv_cuda *d, const char *what, rlx_error *err)
{
    return rlxv_cuda_fail(d, d->cu.cuStreamSynchronize(d->stream), what, err);
}

/* If the pool has not enough, what it keeps may be in too small pieces: it gives them back. */
static int alloc_bytes(rlxv_cuda *d, size_t bytes, cu_pointer *memory)
{
    if (!d->pool)
        return d->cu.cuMemAlloc_v2(memory, bytes);
    int code = d->cu.cuMemAllocFromPoolAsync(memory, bytes, d->pool, d->stream);
    if (code != CU_OUT_OF_MEMORY || d->cu.cuStreamSynchronize(d->stream) != CU_OK ||
        d->cu.cuMemPoolTrimTo(d->pool, 0) != CU_OK)
        return code;
    return d->cu.cuMemAllocFromPoolAsync(memory, bytes, d->pool, d->stream);
}

static rlx_status alloc(void *device, size_t bytes, const char *scope, void **out, rlx_error *err)
{
    rlxv_cuda *d = device;
    cu_pointer memory = 0;
    char what[64];
    if (scope && strcmp(scope, "global") != 0)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no memory '%.60s' here, only 'global'",
                        scope);
    snprintf(what, sizeof what, "%zu bytes of memory", bytes);
    RLX_TRY(rlxv_cuda_enter(d, what, err));
    int code = alloc_bytes(d, bytes, &memory);
    rlxv_cuda_leave(d);
    RLX_TRY(rlxv_cuda_fail(d, code, what, err));
    *out = (void *)(uintptr_t)memory;
    return RLX_OK;
}

static void release(void *device, void *memory)
{
    rlxv_cuda *d = device;
    if (rlxv_cuda_enter(d, "", NULL) != RLX_OK)
        return; /* a lost device keeps nothing */
    if (d->pool) {
        (void)d->cu.cuMemFreeAsync((cu_pointer)(uintptr_t)memory, d->stream);
    } else {
        (void)d->cu.cuStreamSynchronize(d->stream);
        (void)d->cu.cuMemFree_v2((cu_pointer)(uintptr_t)memory);
    }
    rlxv_cuda_leave(d);
}

/* --- copies ---------------------------------------------------------------------------------- */

static cu_pointer address(rlx_device_at at)
{
    return (cu_pointer)(uintptr_t)at.memory + at.offset;
}

/* Copies through the stage. When it is full, all that is in it was asked for before the wait. */
static rlx_status copy_staged(rlxv_cuda *d, cu_pointer to, const void *from, size_t bytes,
                              rlx_error *err)
{
    rlx_status status = RLX_OK;
    pthread_mutex_lock(&d->lock);
    if (bytes > RLXV_CUDA_STAGE - d->staged) {
        status = wait_for_stream(d, "a copy to the device", err);
        d->staged = status == RLX_OK ? 0 : d->staged;
    }
    if (status == RLX_OK) {
        char *at = d->stage + d->staged;
        memcpy(at, from, bytes);
        status = rlxv_cuda_fail(d, d->cu.cuMemcpyHtoDAsync_v2(to, at, bytes, d->stream),
                                "a copy to the device", err);
        d->staged += (bytes + 63) & ~(size_t)63; /* the stage is a multiple of that */
    }
    pthread_mutex_unlock(&d->lock);
    return status;
}

static rlx_status copy_waiting(rlxv_cuda *d, cu_pointer to, const void *from, size_t bytes,
                               rlx_error *err)
{
    RLX_TRY(rlxv_cuda_fail(d, d->cu.cuMemcpyHtoDAsync_v2(to, from, bytes, d->stream),
                           "a copy to the device", err));
    return wait_for_stream(d, "a copy to the device", err);
}

static rlx_status copy_in(void *device, rlx_device_at to, const void *from, size_t bytes,
                          void **out_event, rlx_error *err)
{
    rlxv_cuda *d = device;
    rlxv_cuda_event *event;
    RLX_TRY(rlxv_cuda_enter(d, "a copy to the device", err));
    rlx_status status = rlxv_cuda_begin(d, out_event, &event, err);
    if (status == RLX_OK) {
        status = bytes <= RLXV_CUDA_STAGE / 4 ? copy_staged(d, address(to), from, bytes, err)
                                              : copy_waiting(d, address(to), from, bytes, err);
        status = rlxv_cuda_end(d, out_event, event, status, err);
    }
    rlxv_cuda_leave(d);
    return status;
}

static rlx_status copy_out(void *device, void *to, rlx_device_at from, size_t bytes,
                           void **out_event, rlx_error *err)
{
    rlxv_cuda *d = device;
    rlxv_cuda_event *event;
    RLX_TRY(rlxv_cuda_enter(d, "a copy from the device", err));
    rlx_status status = rlxv_cuda_late(d, err);
    if (status == RLX_OK)
        status = rlxv_cuda_begin(d, out_event, &event, err);
    if (status == RLX_OK) {
        status = rlxv_cuda_fail(d, d->cu.cuMemcpyDtoHAsync_v2(to, address(from), bytes, d->stream),
                                "a copy from the device", err);
        if (status == RLX_OK)
            status = wait_for_stream(d, "a copy from the device", err);
        status = rlxv_cuda_end(d, out_event, event, status, err);
    }
    rlxv_cuda_leave(d);
    return status;
}

static rlx_status copy(void *device, rlx_device_at to, rlx_device_at from, size_t bytes,
                       void **out_event, rlx_error *err)
{
    rlxv_cuda *d = device;
    rlxv_cuda_event *event;
    RLX_TRY(rlxv_cuda_enter(d, "a copy on the device", err));
    rlx_status status = rlxv_cuda_begin(d, out_event, &event, err);
    if (status == RLX_OK) {
        status = rlxv_cuda_fail(
            d, d->cu.cuMemcpyDtoDAsync_v2(address(to), address(from), bytes, d->stream),
            "a copy on the device", err);
        status = rlxv_cuda_end(d, out_event, event, status, err);
    }
    rlxv_cuda_leave(d);
    return status;
}

rlx_status rlxv_cuda_sync(void *device, rlx_error *err)
{
    rlxv_cuda *d = device;
    RLX_TRY(rlxv_cuda_enter(d, "waiting for the device", err));
    rlx_status status = wait_for_stream(d, "waiting for the device", err);
    if (status == RLX_OK)
        status = rlxv_cuda_late(d, err);
    rlxv_cuda_leave(d);
    return status;
}

const rlx_device_api rlxv_cuda_api = {
    .size = sizeof(rlx_device_api),
    .kind = "cuda",
    .type = RLX_DEVICE_CUDA,
    .count = count,
    .info = info,
    .open = open_device,
    .close = close_device,
    .alloc = alloc,
    .release = release,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .load = rlxv_cuda_load,
    .unload = rlxv_cuda_unload,
    .find = rlxv_cuda_find,
    .launch = rlxv_cuda_launch,
    .sync = rlxv_cuda_sync,
    .event_time = rlxv_cuda_event_time,
    .gather = rlxv_cuda_gather,
    .product = rlxv_cuda_product,
};

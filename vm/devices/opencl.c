/* The kind "opencl": memory, copies, launches and events of a device behind the ICD loader.

   A device has a context and two in-order queues, of which one is in use: commands go to the queue
   that records times once times are first requested. Memory is a buffer object; its release counts
   for the driver only after the commands that use it. The driver's functions may be called on any
   thread, except that a kernel's arguments are state of the kernel: launches come one at a time. */
#include "vm/devices/opencl.h"

#include <string.h>

/* Commands may wait in the driver until it is flushed. It is flushed after this many launches, so
 * that the device works while the host continues. */
enum { FLUSH_AFTER = 16 };

static void close_device(void *device)
{
    rlxv_cl_device *d = device;
    /* A driver may compile a kernel, in a thread of its own, when the kernel's turn comes: it must
     * be done before the process exits. An error shows nowhere, as nothing reads the results. */
    if (d->queue)
        (void)d->cl.Finish(d->queue);
    if (d->untimed)
        d->cl.ReleaseCommandQueue(d->untimed);
    if (d->timed)
        d->cl.ReleaseCommandQueue(d->timed);
    if (d->context)
        d->cl.ReleaseContext(d->context);
    const rlx_allocator a = d->allocator;
    rlx_free(&a, d, sizeof *d, _Alignof(rlxv_cl_device));
}

static rlx_status open_queues(rlxv_cl_device *d, rlx_error *err)
{
    int32_t code = 0;
    d->context = d->cl.CreateContext(NULL, 1, &d->device, NULL, NULL, &code);
    if (d->context)
        d->untimed = d->cl.CreateCommandQueue(d->context, d->device, 0, &code);
    if (d->untimed)
        d->timed = d->cl.CreateCommandQueue(d->context, d->device, RLXV_CL_QUEUE_PROFILING, &code);
    d->queue = d->untimed;
    return d->timed ? RLX_OK : rlxv_cl_fail(code, err, "the device cannot be opened");
}

/* The queue for a command whose times are asked for if |times|: all commands before it are in that
 * queue or done. */
static int32_t queue_for(rlxv_cl_device *d, bool times, void **out)
{
    *out = d->queue;
    if (!times || *out == d->timed)
        return 0;
    *out = d->timed;
    return d->cl.Finish(d->untimed);
}

/* As queue_for, for commands that come one at a time: later ones go to the same queue. */
static int32_t take_queue(rlxv_cl_device *d, bool times, void **out)
{
    const int32_t code = queue_for(d, times, out);
    if (code == 0)
        d->queue = *out;
    return code;
}

static rlx_status open_device(void *user, uint32_t id, void **out, rlx_error *err)
{
    const rlx_allocator *a = user ? user : rlx_default_allocator();
    rlxv_cl_device *d = rlx_alloc(a, sizeof *d, _Alignof(rlxv_cl_device));
    if (!d)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while opening a device");
    memset(d, 0, sizeof *d);
    d->allocator = *a;
    rlx_status status = rlxv_cl_find_device(id, d, err);
    if (status == RLX_OK)
        status = open_queues(d, err);
    if (status != RLX_OK) {
        close_device(d);
        return status;
    }
    *out = d;
    return RLX_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

static rlx_status alloc_memory(void *device, size_t bytes, const char *scope, void **out,
                               rlx_error *err)
{
    enum { READ_WRITE = 1 };
    rlxv_cl_device *d = device;
    int32_t code = 0;
    if (strcmp(scope, "global") != 0)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no memory '%.60s' here, only 'global'",
                        scope);
    if (bytes > d->most_bytes)
        return rlx_fail(err, RLX_E_LIMIT,
                        "at most %llu bytes can be allocated at once: %llu are needed",
                        (unsigned long long)d->most_bytes, (unsigned long long)bytes);
    *out = d->cl.CreateBuffer(d->context, READ_WRITE, bytes, NULL, &code);
    return *out ? RLX_OK
                : rlxv_cl_fail(code, err, "%llu bytes cannot be allocated",
                               (unsigned long long)bytes);
}

static void release_memory(void *device, void *memory)
{
    rlxv_cl_device *d = device;
    d->epoch++;
    d->cl.ReleaseMemObject(memory);
}

static rlx_status copied(int32_t code, size_t bytes, rlx_error *err)
{
    return code == 0
               ? RLX_OK
               : rlxv_cl_fail(code, err, "%llu bytes cannot be copied", (unsigned long long)bytes);
}

static rlx_status copy_in(void *device, rlx_device_at to, const void *from, size_t bytes,
                          void **out_event, rlx_error *err)
{
    rlxv_cl_device *d = device;
    void *queue;
    int32_t code = take_queue(d, out_event, &queue);
    if (code == 0)
        code = d->cl.EnqueueWriteBuffer(queue, to.memory, 1, to.offset, bytes, from, 0, NULL,
                                        out_event);
    return copied(code, bytes, err);
}

static rlx_status copy_out(void *device, void *to, rlx_device_at from, size_t bytes,
                           void **out_event, rlx_error *err)
{
    rlxv_cl_device *d = device;
    void *queue;
    int32_t code = queue_for(d, out_event, &queue);
    if (code == 0)
        code = d->cl.EnqueueReadBuffer(queue, from.memory, 1, from.offset, bytes, to, 0, NULL,
                                       out_event);
    return copied(code, bytes, err);
}

static rlx_status copy_within(void *device, rlx_device_at to, rlx_device_at from, size_t bytes,
                              void **out_event, rlx_error *err)
{
    rlxv_cl_device *d = device;
    void *queue;
    int32_t code = take_queue(d, out_event, &queue);
    if (code == 0)
        code = d->cl.EnqueueCopyBuffer(queue, from.memory, to.memory, from.offset, to.offset, bytes,
                                       0, NULL, out_event);
    return copied(code, bytes, err);
}

/* --- launches --------------------------------------------------------------------------------- */

/* Sets a buffer's object and, behind it, its offset in bytes; what |kept| says the kernel has is
 * left out. */
static int32_t set_buffer(const rlxv_cl_device *d, void *kernel, rlx_device_at at, uint32_t index,
                          rlxv_cl_arg *kept)
{
    const int64_t offset = (int64_t)at.offset;
    const uint32_t epoch = d->epoch;
    const bool same_memory =
        kept->index == index && kept->epoch == epoch && kept->memory == at.memory;
    int32_t code = 0;
    if (same_memory && kept->offset == at.offset)
        return 0;
    kept->memory = NULL;
    if (!same_memory)
        code = d->cl.SetKernelArg(kernel, index, sizeof at.memory, &at.memory);
    if (code == 0)
        code = d->cl.SetKernelArg(kernel, index + 1, sizeof offset, &offset);
    if (code == 0)
        *kept = (rlxv_cl_arg){at.memory, at.offset, index, epoch};
    return code;
}

/* Sets argument |*index|, and the next for a buffer. */
static int32_t set_arg(const rlxv_cl_device *d, void *kernel, const rlx_launch_value *v,
                       uint32_t *index, rlxv_cl_arg *kept)
{
    const int32_t i32 = (int32_t)v->as.i;
    const float f32 = (float)v->as.f;
    const uint32_t i = (*index)++;
    if (v->kind != RLX_LAUNCH_BUFFER)
        kept->memory = NULL;
    switch ((rlx_launch_arg_kind)v->kind) {
    case RLX_LAUNCH_BUFFER:
        (*index)++;
        return set_buffer(d, kernel, v->as.at, i, kept);
    case RLX_LAUNCH_I32:
        return d->cl.SetKernelArg(kernel, i, sizeof i32, &i32);
    case RLX_LAUNCH_I64:
        return d->cl.SetKernelArg(kernel, i, sizeof v->as.i, &v->as.i);
    case RLX_LAUNCH_F32:
        return d->cl.SetKernelArg(kernel, i, sizeof f32, &f32);
    case RLX_LAUNCH_F64:
        return d->cl.SetKernelArg(kernel, i, sizeof v->as.f, &v->as.f);
    }
    return -50; /* CL_INVALID_ARG_VALUE */
}

/* Memory sized at the launch is the kernel's last argument. */
static int32_t enqueue(rlxv_cl_device *d, const rlx_launch *l, void **out_event)
{
    rlxv_cl_kernel *k = l->function;
    uint32_t n = 0;
    void *queue;
    int32_t code = take_queue(d, out_event, &queue);
    size_t global[3], local[3];
    for (uint32_t i = 0; i < l->n_args && code == 0; i++) {
        rlxv_cl_arg none = {0};
        code = set_arg(d, k->handle, &l->args[i], &n, i < RLXV_CL_KEPT_ARGS ? &k->args[i] : &none);
    }
    if (code == 0 && l->shared_bytes > 0)
        code = d->cl.SetKernelArg(k->handle, n, l->shared_bytes, NULL);
    for (int i = 0; i < 3; i++) {
        local[i] = l->block[i];
        global[i] = (size_t)l->grid[i] * l->block[i];
    }
    return code ? code
                : d->cl.EnqueueNDRangeKernel(queue, k->handle, 3, NULL, global, local, 0, NULL,
                                             out_event);
}

static rlx_status launch(void *device, const rlx_launch *l, void **out_event, rlx_error *err)
{
    rlxv_cl_device *d = device;
    const int32_t code = enqueue(d, l, out_event);
    if (code == 0 && ++d->unflushed >= FLUSH_AFTER) {
        d->unflushed = 0;
        (void)d->cl.Flush(d->queue); /* a failure shows at the next wait */
    }
    if (code == 0)
        return RLX_OK;
    return rlxv_cl_fail(code, err,
                        "a launch of %u * %u * %u blocks with %u * %u * %u threads fails",
                        l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
}

static rlx_status sync_queue(void *device, rlx_error *err)
{
    rlxv_cl_device *d = device;
    d->epoch++; /* whoever waits may release memory that is not ours */
    const int32_t code = d->cl.Finish(d->queue);
    return code == 0 ? RLX_OK : rlxv_cl_fail(code, err, "the device failed");
}

static rlx_status event_time(void *device, void *event, uint64_t *out_begin, uint64_t *out_end,
                             rlx_error *err)
{
    rlxv_cl_device *d = device;
    int32_t code = 0;
    if (out_begin) {
        code = d->cl.WaitForEvents(1, &event);
        if (code == 0)
            code = d->cl.GetEventProfilingInfo(event, RLXV_CL_COMMAND_START, sizeof *out_begin,
                                               out_begin, NULL);
        if (code == 0)
            code = d->cl.GetEventProfilingInfo(event, RLXV_CL_COMMAND_END, sizeof *out_end, out_end,
                                               NULL);
    }
    d->cl.ReleaseEvent(event);
    return code == 0 ? RLX_OK : rlxv_cl_fail(code, err, "the device gives no time");
}

const rlx_device_api rlxv_opencl_api = {
    .size = sizeof(rlx_device_api),
    .kind = "opencl",
    .type = RLX_DEVICE_OPENCL,
    .count = rlxv_cl_count,
    .info = rlxv_cl_info,
    .open = open_device,
    .close = close_device,
    .alloc = alloc_memory,
    .release = release_memory,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy_within,
    .load = rlxv_cl_load_module,
    .unload = rlxv_cl_unload_module,
    .find = rlxv_cl_find_kernel,
    .launch = launch,
    .sync = sync_queue,
    .event_time = event_time,
    .build = rlxv_cl_build,
};

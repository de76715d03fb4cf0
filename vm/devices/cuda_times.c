/* When work on a CUDA device began and ended: pairs of the driver's events around it. */
#include "vm/devices/cuda.h"

static void drop(rlxv_cuda *d, rlxv_cuda_event *event)
{
    if (event->begin)
        (void)d->cu.cuEventDestroy_v2(event->begin);
    if (event->end)
        (void)d->cu.cuEventDestroy_v2(event->end);
    rlx_free(d->a, event, sizeof *event, _Alignof(rlxv_cuda_event));
}

/* The first event of all is where times are measured from. */
static int set_base(rlxv_cuda *d)
{
    int code = CU_OK;
    pthread_mutex_lock(&d->lock);
    if (!d->base) {
        code = d->cu.cuEventCreate(&d->base, 0);
        if (code == CU_OK)
            code = d->cu.cuEventRecord(d->base, d->stream);
        else
            d->base = NULL;
        if (code != CU_OK && d->base) {
            (void)d->cu.cuEventDestroy_v2(d->base);
            d->base = NULL;
        }
    }
    pthread_mutex_unlock(&d->lock);
    return code;
}

rlx_status rlxv_cuda_begin(rlxv_cuda *d, void **wanted, rlxv_cuda_event **out, rlx_error *err)
{
    *out = NULL;
    if (!wanted)
        return RLX_OK;
    *wanted = NULL;
    rlxv_cuda_event *event = rlx_alloc(d->a, sizeof *event, _Alignof(rlxv_cuda_event));
    if (!event)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory for an event");
    *event = (rlxv_cuda_event){0};
    int code = set_base(d);
    if (code == CU_OK && (code = d->cu.cuEventCreate(&event->begin, 0)) != CU_OK)
        event->begin = NULL;
    if (code == CU_OK && (code = d->cu.cuEventCreate(&event->end, 0)) != CU_OK)
        event->end = NULL;
    if (code == CU_OK)
        code = d->cu.cuEventRecord(event->begin, d->stream);
    if (code != CU_OK) {
        drop(d, event);
        return rlxv_cuda_fail(d, code, "an event", err);
    }
    *out = event;
    return RLX_OK;
}

rlx_status rlxv_cuda_end(rlxv_cuda *d, void **wanted, rlxv_cuda_event *event, rlx_status status,
                         rlx_error *err)
{
    if (!event)
        return status;
    if (status == RLX_OK)
        status = rlxv_cuda_fail(d, d->cu.cuEventRecord(event->end, d->stream), "an event", err);
    if (status == RLX_OK)
        *wanted = event;
    else
        drop(d, event);
    return status;
}

/* The driver gives the time between two events in milliseconds as a float: so that it stays exact
 * to less than the clock's steps, an event that is more than a second after the base becomes the
 * base. */
static int measure(rlxv_cuda *d, rlxv_cuda_event *event, uint64_t *out_begin, uint64_t *out_end)
{
    float since = 0, took = 0;
    int code = d->cu.cuEventSynchronize(event->end);
    if (code != CU_OK)
        return code;
    pthread_mutex_lock(&d->lock);
    code = d->cu.cuEventElapsedTime(&since, d->base, event->begin);
    if (code == CU_OK)
        code = d->cu.cuEventElapsedTime(&took, event->begin, event->end);
    if (code == CU_OK) {
        double begin = d->base_time + (double)since * 1e6;
        begin = begin > 0 ? begin : 0;
        *out_begin = (uint64_t)begin;
        *out_end = (uint64_t)(begin + (took > 0 ? (double)took * 1e6 : 0));
        if (since > 1000) {
            cu_event old = d->base;
            d->base = event->begin;
            d->base_time = begin;
            event->begin = old;
        }
    }
    pthread_mutex_unlock(&d->lock);
    return code;
}

rlx_status rlxv_cuda_event_time(void *device, void *event, uint64_t *out_begin, uint64_t *out_end,
                                rlx_error *err)
{
    rlxv_cuda *d = device;
    rlx_status status = rlxv_cuda_enter(d, "the times of work", err);
    if (status != RLX_OK) { /* a lost device keeps nothing */
        rlx_free(d->a, event, sizeof(rlxv_cuda_event), _Alignof(rlxv_cuda_event));
        return status;
    }
    if (out_begin)
        status = rlxv_cuda_fail(d, measure(d, event, out_begin, out_end), "the times of work", err);
    drop(d, event);
    rlxv_cuda_leave(d);
    return status;
}

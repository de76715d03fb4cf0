/* Private to vm/devices/cuda*.c: an opened CUDA device. */
#ifndef RLXV_CUDA_H
#define RLXV_CUDA_H

#include <pthread.h>
#include <stdatomic.h>

#include "vm/devices/cuda_driver.h"
#include "vm/devices/driver.h"

enum { RLXV_CUDA_STAGE = 1 << 18 }; /* bytes */

typedef struct rlxv_cuda_graphs rlxv_cuda_graphs; /* cuda_graph.c */
typedef struct rlxv_cuda_blas rlxv_cuda_blas;     /* cuda_blas.c */

typedef struct rlxv_cuda {
    const rlx_allocator *a;
    void *library;
    cu_driver cu;
    int device;     /* the driver's number of it */
    int capability; /* 90: sm_90 */
    /* The context of the device that all libraries of the process share, so that memory can go
     * from one to the other; pushed around each call of the driver. */
    cu_context context;
    cu_stream stream;
    cu_pool pool; /* NULL: the device has none */
    /* Memory of the host that the device copies from while the host goes on: the first |staged|
     * bytes are in use until the stream is waited for. */
    pthread_mutex_t lock; /* of the members from here on */
    char *stage;
    size_t staged;
    /* Times are measured from this event, at |base_time| nanoseconds; NULL: none was asked for. */
    cu_event base;
    double base_time;
    atomic_uint gatherers;    /* calls that want their launches in graphs */
    rlxv_cuda_graphs *graphs; /* NULL: nobody wanted any */
    rlxv_cuda_blas *blas;     /* NULL: no product was asked for; guarded by the device's lock */
} rlxv_cuda;

/* What a call of the driver returned, as an error of ours; OK stays OK. |what| was tried. */
rlx_status rlxv_cuda_fail(const rlxv_cuda *d, int code, const char *what, rlx_error *err);
/* Makes the device's context current on this thread until leave, and asks for the launches that are
 * kept; |what| as above. */
rlx_status rlxv_cuda_enter(rlxv_cuda *d, const char *what, rlx_error *err);
void rlxv_cuda_leave(const rlxv_cuda *d);
rlx_status rlxv_cuda_sync(void *device, rlx_error *err);

/* --- cuda_times.c: events, which are dropped when their times are asked for --- */

typedef struct rlxv_cuda_event {
    cu_event begin, end;
} rlxv_cuda_event;
/* Marks the begin of work in the stream; *out NULL if |wanted| is NULL. The context is current. */
rlx_status rlxv_cuda_begin(rlxv_cuda *d, void **wanted, rlxv_cuda_event **out, rlx_error *err);
/* Marks its end and stores the event in |wanted|; drops it if the work was refused with |status|,
 * which is returned. */
rlx_status rlxv_cuda_end(rlxv_cuda *d, void **wanted, rlxv_cuda_event *event, rlx_status status,
                         rlx_error *err);
rlx_status rlxv_cuda_event_time(void *device, void *event, uint64_t *out_begin, uint64_t *out_end,
                                rlx_error *err);

/* --- cuda_code.c --- */
rlx_status rlxv_cuda_load(void *device, rlx_str format, const void *code, size_t size,
                          void **out_module, rlx_error *err);
void rlxv_cuda_unload(void *device, void *module);
rlx_status rlxv_cuda_find(void *device, void *module, const char *name, void **out_function,
                          rlx_error *err);
rlx_status rlxv_cuda_launch(void *device, const rlx_launch *launch, void **out_event,
                            rlx_error *err);

typedef struct rlxv_cuda_call {
    cu_function function;
    uint32_t grid[3], block[3], shared;
    uint32_t size; /* of its arguments */
} rlxv_cuda_call;

/* Asks the driver for a launch; what it returned. The context is current. */
int rlxv_cuda_start(const rlxv_cuda *d, const rlxv_cuda_call *call, const void *args);

/* --- cuda_blas.c --- */
rlx_status rlxv_cuda_product(void *device, const rlx_product *product, void **out_event,
                             rlx_error *err);
/* The context is current, if it still exists. */
void rlxv_cuda_close_blas(rlxv_cuda *d);

/* --- cuda_graph.c --- */
rlx_status rlxv_cuda_gather(void *device, bool on, rlx_error *err);
/* Keeps a launch; false if there is no room or launches are not being gathered. */
bool rlxv_cuda_keep(rlxv_cuda *d, const rlxv_cuda_call *call, const char *name, const void *args);
/* Submits all kept launches; errors are kept for later. The context is current. */
void rlxv_cuda_flush(rlxv_cuda *d);
/* The first error of launches that were kept. */
rlx_status rlxv_cuda_late(rlxv_cuda *d, rlx_error *err);
/* Called before their functions are unloaded. The context is current. */
void rlxv_cuda_drop_graphs(rlxv_cuda *d);
void rlxv_cuda_free_graphs(rlxv_cuda *d);

#endif

/* Opened devices inside (private to vm/): their memory, copies and calls; see rlx/device.h.

   Every call of a device's functions goes through here: one at a time for each device, except those
   that wait (copy_out, sync, event_time), and counted. Freed memory of a device is kept for reuse;
   because a device works in order, it may be reused at once. */
#ifndef RLXV_DEVICE_H
#define RLXV_DEVICE_H

#include "vm/arena.h"
#include "vm/lock.h"
#include "vm/object.h"

#include <rlx/device.h>
#include <rlx/profile.h>

/* A kind of device: its functions, and the pointer they get. */
typedef struct rlxv_device_kind {
    rlx_device_api api; /* kind: a string that lives as long as the kind */
    void *user;
} rlxv_device_kind;

/* A further device of the kind "cpu" (devices/cpu.c). */
typedef struct rlxv_cpu_row {
    uint32_t id;
    uint8_t *memory;
    size_t bytes;
    const char *scope; /* owned */
    rlx_allocator allocator;
} rlxv_cpu_row;

/* The devices of a registry, or those of the process. */
typedef struct rlxv_devices {
    rlxv_lock lock; /* guards |opened|, and reference counts that may become 0 */
    rlx_device *opened;
    rlxv_device_kind **kinds; /* newest last; they never move */
    uint32_t n_kinds, kinds_capacity;
    rlxv_cpu_row **cpus;
    uint32_t n_cpus, cpus_capacity;
} rlxv_devices;

/* Frees the names that |d| has interned. */
void rlxv_device_forget_scopes(rlx_device *d);
void rlxv_devices_init(rlxv_devices *t);
void rlxv_devices_deinit(rlxv_devices *t, const rlx_allocator *a);

/* The number of the registry's memory of the host with this scope; 0: there is none. */
uint32_t rlxv_cpu_with_scope(const rlx_registry *r, const char *scope);
/* True for a built-in kind behind a driver that |r| (may be NULL) does not replace. */
bool rlxv_device_has_driver(const rlx_registry *r, const char *kind);

/* The kinds that are built in: rows of device.c. */
extern const rlx_device_api rlxv_cpu_api; /* |user|: the rlxv_devices with its rows, or NULL */

#define RLXV_DEVICE_CLASSES 384u

typedef struct rlxv_device_block rlxv_device_block;
struct rlxv_device_block {
    rlxv_device_block *next; /* in a list of unused ones */
    rlx_device *device;
    void *memory;
    size_t bytes;
    const char *scope; /* interned by the device */
    uint32_t size_class;
};

typedef struct rlxv_device_code rlxv_device_code; /* device_code.h */

struct rlx_device {
    atomic_uint refs;
    rlx_allocator allocator;
    rlx_device_api api;
    void *handle; /* of api.open */
    rlxv_devices *owner;
    rlx_registry *registry; /* retained: it has |owner|; NULL: the process has */
    rlx_device *next;       /* in owner->opened */
    uint32_t id;
    bool is_host; /* cpu:0, whose tensors are the host's own */
    char name[64];
    rlx_device_info info;

    rlxv_lock lock; /* held in calls of |api| */
    rlx_device_stats stats;
    uint64_t cached_bytes;
    rlxv_device_block *unused[RLXV_DEVICE_CLASSES];
    struct rlxv_scope_name *scopes; /* names other than "global" */

    rlxv_lock code_lock;
    rlxv_device_code *code; /* loaded modules: launch.c */
};

/* --- recording ---------------------------------------------------------------------------------
 */

/* A unit of work that was queued on a device. */
typedef struct rlxv_work {
    rlx_work_kind kind;
    rlx_device *device; /* borrowed */
    const char *name;   /* of the kernel of a launch; else NULL */
    uint64_t bytes;     /* of a copy */
    void *event;        /* for api.event_time, which must be called once with it; NULL: none */
} rlxv_work;

/* Called for all work; NULL if there is no listener. */
typedef struct rlxv_watch {
    void (*add)(void *user, const rlxv_work *work);
    void *user;
} rlxv_watch;

/* --- calls --------------------------------------------------------------------------------------
 */

/* Puts the device's name in front of the message of |err|, and returns |status|. */
rlx_status rlxv_device_failed(const rlx_device *d, const char *what, rlx_status status,
                              rlx_error *err);
rlx_status rlxv_device_launch(rlx_device *d, const rlx_launch *launch, const rlxv_watch *watch,
                              rlx_error *err);
/* Times of an event, or drops it if |out_begin| is NULL; false if there are none. */
bool rlxv_device_event_time(rlx_device *d, void *event, uint64_t *out_begin, uint64_t *out_end);

/* --- memory: device_memory.c --------------------------------------------------------------------
 */

/* |scope| may be NULL: "global". */
rlx_status rlxv_device_take(rlx_device *d, const char *scope, size_t bytes, rlxv_device_block **out,
                            rlx_error *err);
void rlxv_device_give_back(rlxv_device_block *b);
/* Frees unused memory. */
void rlxv_device_trim(rlx_device *d);
/* Marks |s|, a storage over foreign memory, as memory of |d|. */
void rlxv_storage_set_device(rlx_storage *s, rlx_device *d);
/* A storage on |d|, or on the host for NULL and cpu:0. */
rlx_status rlxv_storage_on(rlxv_pool *p, const rlx_allocator *a, rlx_device *d, const char *scope,
                           size_t bytes, rlx_storage **out, rlx_error *err);
rlx_status rlxv_tensor_on(rlxv_pool *p, const rlx_allocator *a, rlx_device *d, const char *scope,
                          rlx_dtype dtype, uint32_t ndim, const int64_t *dims, rlx_tensor **out,
                          rlx_error *err);
static inline rlx_device_at rlxv_tensor_at(const rlx_tensor *t)
{
    return (rlx_device_at){t->storage->data,
                           (size_t)((uintptr_t)t->data - (uintptr_t)t->storage->data)};
}
/* The device's name, "host" for the host's own memory. */
const char *rlxv_tensor_place_name(const rlx_tensor *t);
/* DEVICE: |what| cannot use a tensor there. */
rlx_status rlxv_out_of_reach(const rlx_tensor *t, const char *what, rlx_error *err);
/* The same for a value that is or holds a tensor. */
rlx_status rlxv_value_out_of_reach(rlx_value v, const char *what, rlx_error *err);
/* Copies the bytes of |from| to |to|, of as many bytes, wherever both are. */
rlx_status rlxv_copy_tensor(rlx_tensor *to, const rlx_tensor *from, const rlxv_watch *watch,
                            rlx_error *err);
/* |t| on |d| in |scope| (NULL: any): itself, retained, or a copy. */
rlx_status rlxv_tensor_move(rlxv_pool *p, const rlx_allocator *a, rlx_tensor *t, rlx_device *d,
                            const char *scope, const rlxv_watch *watch, rlx_tensor **out,
                            rlx_error *err);
/* device_product.c: as rlx_call_product. */
rlx_status rlxv_device_product(rlxv_pool *p, const rlx_tensor *x, const rlx_tensor *w,
                               const rlxv_watch *watch, rlx_tensor **out, rlx_error *err);
/* A copy where |t| lies. */
rlx_status rlxv_tensor_copy(rlxv_pool *p, const rlx_tensor *t, const rlxv_watch *watch,
                            rlx_tensor **out, rlx_error *err);

#endif

/* The layout of runtime objects and of the pool they come from (private to vm/).

   An object made with a pool belongs to it: its header goes back to a free list when the last
   reference is dropped, without a lock, so only on the VM's thread. rlxv_export makes an object and
   everything it holds loose: from then on it is freed directly to its allocator, on any thread;
   only the storage of large results goes back to the pool (vm/returns.h). Objects made without a
   pool are loose from the start. */
#ifndef RLXV_OBJECT_H
#define RLXV_OBJECT_H

#include <rlx/device.h>
#include <stdatomic.h>

typedef struct rlxv_pool rlxv_pool;
typedef struct rlxv_returns rlxv_returns; /* vm/returns.h */

struct rlx_object {
    atomic_uint refs;
    uint8_t kind;      /* rlx_kind */
    uint8_t readonly;  /* tensors and storages: the bytes are read-only memory */
    uint8_t is_remote; /* the host cannot reach the bytes of this object, or of an object that it
                        * holds */
    uint8_t reserved;
    size_t bytes;            /* of the block that starts here */
    rlxv_pool *pool;         /* NULL: loose */
    rlx_object *next;        /* free list, or list of objects waiting to be destroyed or exported */
    rlx_allocator allocator; /* a copy: loose objects outlive its owner */
};

struct rlx_storage {
    rlx_object header;
    void *data;
    size_t size;  /* usable bytes */
    size_t block; /* bytes taken from the allocator at |align|; 0: foreign memory, see release */
    size_t align;
    uint32_t size_class; /* of the pool; RLXV_NO_CLASS: not pooled */
    void (*release)(void *user, void *data);
    void *user;
    rlxv_returns *home; /* a large result, loose: the way back to its pool; else NULL */
    rlx_device *device; /* retained; NULL: the host's own memory */
};
#define RLXV_NO_CLASS UINT32_MAX

struct rlx_tensor {
    rlx_object header;
    void *data; /* never NULL; remote: not an address, see device.h */
    rlx_storage *storage;
    size_t nbytes;
    int64_t numel;
    rlx_dtype dtype;
    uint32_t ndim;
    int64_t dims[];
};

struct rlx_shape {
    rlx_object header;
    uint32_t n;
    int64_t dims[];
};

struct rlx_tuple {
    rlx_object header;
    uint32_t n;
    rlx_value items[];
};

struct rlx_string {
    rlx_object header;
    size_t len;
    char text[];
};

struct rlx_closure {
    rlx_object header;
    rlx_executable *exe;
    uint32_t function, n;
    rlx_value captured[];
};

struct rlx_opaque {
    rlx_object header;
    const char *tag;
    void *pointer;
    void (*destroy)(void *pointer);
};

/* --- pool ------------------------------------------------------------------------------------ */

#define RLXV_OBJECT_CLASSES 16u /* headers of up to 1024 bytes in steps of 64 */
#define RLXV_STORAGE_CLASSES 384u

typedef struct rlxv_storage_list {
    rlx_storage *head;
    uint32_t count, low; /* low: the smallest count since the last trim */
} rlxv_storage_list;

struct rlxv_pool {
    rlx_allocator allocator;
    uint64_t max_bytes, max_cached; /* 0: no limit */
    uint64_t granted;               /* bytes that may be taken before the system is asked again */
    bool is_unlimited;              /* set by the host */
    uint64_t system_limit;          /* limit of bytes in use, as the system reported it in this
                                     * entry */
    uint64_t live_bytes, cached_bytes, reserved_bytes, peak_bytes;
    uint64_t arena_bytes, arena_used; /* the block of planned memory; what regions in use have */
    uint64_t device_bytes;            /* of storages on devices */
    atomic_size_t scratch_bytes;      /* of kernels: any worker takes them */
    uint64_t allocator_calls, live_objects;
    rlxv_returns *returns; /* large results that the host released */
    bool poison, orphan;   /* orphan: the VM was destroyed; the last object frees the pool */
    rlx_object *objects[RLXV_OBJECT_CLASSES];
    uint32_t object_counts[RLXV_OBJECT_CLASSES];
    rlxv_storage_list storages[RLXV_STORAGE_CLASSES];
    uint64_t kept[RLXV_STORAGE_CLASSES / 64]; /* a bit per class: its list may have storages */
};

/* Bytes that count against max_bytes, except scratch memory and releasable memory. Memory on
 * devices counts for a limit of the host's alone: the system does not know it. */
static inline uint64_t rlxv_pool_used(const rlxv_pool *p)
{
    return p->live_bytes + p->reserved_bytes + p->arena_bytes +
           (p->max_bytes ? p->device_bytes : 0);
}

rlxv_pool *rlxv_pool_create(const rlx_allocator *a);
/* Trims; frees the pool now or when its last object goes. */
void rlxv_pool_abandon(rlxv_pool *p);
/* Frees all unused storage and headers. */
void rlxv_pool_trim(rlxv_pool *p);
/* Frees the storage unused since the last call. */
void rlxv_pool_age(rlxv_pool *p);
/* Memory of the VM itself (stacks, layouts), counted against max_bytes. */
rlx_status rlxv_pool_reserve(rlxv_pool *p, size_t bytes, size_t align, void **out, rlx_error *err);
void rlxv_pool_unreserve(rlxv_pool *p, void *data, size_t bytes, size_t align);
/* A limit that refuses more memory. */
typedef struct rlxv_room {
    uint64_t used, left; /* used by the VM; other memory used for it */
    const char *source;  /* source of the limit, as rlx_memory.source; NULL: the host */
} rlxv_room;
/* Checks |bytes| more against the limit, releasing unused memory first. Without a limit from the
 * host, the system is asked every RLXV_GRANT bytes. */
bool rlxv_pool_has_room(rlxv_pool *p, uint64_t bytes, rlxv_room *out);
/* Reports LIMIT: |what|, "... needs 8 bytes", and the available memory. */
rlx_status rlxv_no_room(const rlxv_room *room, const char *what, rlx_error *err);
#define RLXV_GRANT ((uint64_t)64 << 20)
/* Counts |bytes| more on devices: LIMIT if the host's limit refuses them. */
rlx_status rlxv_pool_take_device(rlxv_pool *p, uint64_t bytes, rlx_error *err);
/* Updates the peak from the current use. */
void rlxv_pool_note_peak(rlxv_pool *p);
/* Bytes are allocated from |p|, or from |a| if |p| is NULL. */
rlx_status rlxv_object_new(rlxv_pool *p, const rlx_allocator *a, size_t bytes, rlx_kind kind,
                           void *out, rlx_error *err);
void rlxv_object_free(rlx_object *o);
void rlxv_storage_free(rlx_storage *s);

/* --- constructors: from the pool if it is not NULL ------------------------------------------- */

rlx_status rlxv_storage_new(rlxv_pool *p, const rlx_allocator *a, size_t size, size_t align,
                            rlx_storage **out, rlx_error *err);
/* Foreign memory, returned through |release|. */
rlx_status rlxv_storage_wrap(rlxv_pool *p, const rlx_allocator *a, void *data, size_t size,
                             bool readonly, void (*release)(void *user, void *data), void *user,
                             rlx_storage **out, rlx_error *err);
/* The size class of storage, and the size of its blocks. */
uint32_t rlxv_size_class(size_t size, size_t *out_block);
/* Checks a shape; the bytes of its tensor. */
rlx_status rlxv_tensor_bytes(rlx_dtype dtype, uint32_t ndim, const int64_t *dims, size_t *out,
                             rlx_error *err);
/* Retains |s|. The range must lie inside it and be element-aligned. */
rlx_status rlxv_tensor_in(rlxv_pool *p, const rlx_allocator *a, rlx_storage *s, int64_t offset,
                          rlx_dtype dtype, uint32_t ndim, const int64_t *dims, rlx_tensor **out,
                          rlx_error *err);
rlx_status rlxv_tensor_new(rlxv_pool *p, const rlx_allocator *a, rlx_dtype dtype, uint32_t ndim,
                           const int64_t *dims, rlx_tensor **out, rlx_error *err);
/* "(2, 3)", cut to |size|. */
const char *rlxv_shape_text(uint32_t ndim, const int64_t *dims, char *buffer, size_t size);
rlx_status rlxv_tensor_reshape(rlxv_pool *p, const rlx_allocator *a, rlx_tensor *base,
                               uint32_t ndim, const int64_t *dims, rlx_tensor **out,
                               rlx_error *err);
/* The bytes of |base| from |offset| on, which must hold the shape and be element-aligned. */
rlx_status rlxv_tensor_part(rlxv_pool *p, const rlx_allocator *a, rlx_tensor *base, int64_t offset,
                            uint32_t ndim, const int64_t *dims, rlx_tensor **out, rlx_error *err);
rlx_status rlxv_shape_new(rlxv_pool *p, const rlx_allocator *a, uint32_t n, const int64_t *dims,
                          rlx_shape **out, rlx_error *err);
rlx_status rlxv_tuple_new(rlxv_pool *p, const rlx_allocator *a, uint32_t n, const rlx_value *items,
                          rlx_tuple **out, rlx_error *err);
rlx_status rlxv_string_new(rlxv_pool *p, const rlx_allocator *a, rlx_str text, rlx_string **out,
                           rlx_error *err);
/* Retains |exe| and the values. */
rlx_status rlxv_closure_new(rlxv_pool *p, const rlx_allocator *a, rlx_executable *exe,
                            uint32_t function, uint32_t n, const rlx_value *captured,
                            rlx_closure **out, rlx_error *err);

/* True for a valid kind, with a non-NULL object if it has one. */
bool rlxv_are_values(const rlx_value *items, uint32_t n);
/* Detaches |v| and everything it holds from |p|. */
void rlxv_export(rlxv_pool *p, rlx_value v);

/* The last reference is gone. */
void rlxv_object_destroy(rlx_object *o);

/* Objects of a pool are touched by one thread only, so their counts need no locked instruction. */
static inline rlx_object *rlxv_retain(rlx_object *o)
{
    if (o->pool)
        atomic_store_explicit(&o->refs, atomic_load_explicit(&o->refs, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    return o;
}

/* Drops a reference; true if it was the last. */
static inline bool rlxv_drop(rlx_object *o)
{
    uint32_t refs = atomic_load_explicit(&o->refs, memory_order_acquire);
    if (refs == 1) /* the sole owner: nothing else can change the count */
        return true;
    if (o->pool) {
        atomic_store_explicit(&o->refs, refs - 1, memory_order_relaxed);
        return false;
    }
    return atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) == 1;
}

static inline void rlxv_release(rlx_object *o)
{
    if (rlxv_drop(o))
        rlxv_object_destroy(o);
}

static inline rlx_value rlxv_retain_value(rlx_value v)
{
    if (v.kind >= RLX_KIND_TENSOR)
        rlxv_retain(v.as.object);
    return v;
}

static inline void rlxv_release_value(rlx_value v)
{
    if (v.kind >= RLX_KIND_TENSOR)
        rlxv_release(v.as.object);
}

#endif

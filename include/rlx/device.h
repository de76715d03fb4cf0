/* Devices: memory and kernels that are not the host's own.

   A device is a row of functions, rlx_device_api. Three kinds are built in: "cpu" (further memories
   of the host, such as a small fast one), "opencl" and "cuda". A driver's library is opened when a
   program first asks for one of its devices. A host program adds its own kinds to a registry.

   An opened device, rlx_device, is reference-counted and shared by all VMs of a process that use
   it. It has one queue: work from all VMs runs in the order it was queued, and calls return before
   their work is done unless they say otherwise. Tensors on a device keep it alive. All functions
   here may be called on any thread. */
#ifndef RLX_DEVICE_H
#define RLX_DEVICE_H

#include <rlx/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_device rlx_device;
typedef struct rlx_registry rlx_registry; /* rlx/vm.h */

/* DLPack's device types of the built-in kinds. */
#define RLX_DEVICE_CPU 1
#define RLX_DEVICE_CUDA 2
#define RLX_DEVICE_OPENCL 4

/* A location in a device's memory: an allocation and a byte offset in it. */
typedef struct rlx_device_at {
    void *memory;
    size_t offset;
} rlx_device_at;

typedef struct rlx_device_info {
    char name[128];   /* of the machine: "NVIDIA H200" */
    char driver[128]; /* and its driver: "OpenCL 3.0 PoCL 3.1" */
    char arch[64];    /* architecture that code must be built for, as in targets: "sm_90"; or "" */
    uint64_t memory_bytes;
    uint64_t shared_bytes; /* memory that the threads of one block share */
    uint32_t max_threads;  /* of a block */
    uint32_t units;        /* that run blocks at the same time */
    uint32_t warp;         /* threads that run in step; 1: unknown */
    bool is_host_memory;   /* the host may read and write the bytes at |memory + offset|, and calls
                            * return when their work is done */
    bool has_float64, has_float16;
    uint32_t vector_bytes; /* of a device that is a CPU: the size of its vectors; else 0 */
} rlx_device_info;

typedef enum rlx_launch_arg_kind {
    RLX_LAUNCH_BUFFER, /* |at| */
    RLX_LAUNCH_I32,    /* |i| */
    RLX_LAUNCH_I64,    /* |i| */
    RLX_LAUNCH_F32,    /* |f| */
    RLX_LAUNCH_F64     /* |f| */
} rlx_launch_arg_kind;

typedef struct rlx_launch_value {
    uint32_t kind; /* rlx_launch_arg_kind */
    union {
        rlx_device_at at;
        int64_t i;
        double f;
    } as;
} rlx_launch_value;

typedef struct rlx_launch {
    const char *name;           /* of the kernel, for messages and traces */
    void *function;             /* from find */
    uint32_t grid[3], block[3]; /* numbers of blocks, and of threads in each; none is 0 */
    uint32_t shared_bytes;      /* of memory sized at the launch; 0: none */
    const rlx_launch_value *args;
    uint32_t n_args;
} rlx_launch;

/* y = x w, |batches| times: matrices by rows, x of |m| * |k| and w of |k| * |n| numbers without
 * gaps. None of the sizes is 0. Numbers of 16 bits are summed in float32. */
typedef struct rlx_product {
    rlx_dtype dtype; /* of all: float16, bfloat16, float32, float64 */
    int64_t m, n, k, batches;
    rlx_device_at x, w, y;
} rlx_product;

/* Receives code that a driver built; |format| says for which machines. The bytes are valid during
 * the call. The function that built the code returns the sink's status. */
typedef rlx_status rlx_device_sink(void *user, rlx_str format, const void *code, size_t size,
                                   rlx_error *err);

/* The functions of a kind of device. |device| is what open gave. Errors: NOT_FOUND (no driver, no
   such device), LIMIT or NOMEM (memory refused), INVALID_MODULE (code refused), DEVICE (a fault, or
   the device is lost). After a failed call the device must accept further calls, even if they all
   fail. Calls for one device come from any thread, one at a time, except for those that wait:
   copy_out, sync and event_time run concurrently with others. A kind that runs no kernels leaves
   out load, unload, find and launch; event_time, accept and build are optional as well. */
typedef struct rlx_device_api {
    size_t size;      /* sizeof(rlx_device_api): members past it are absent */
    const char *kind; /* "opencl" */
    int32_t type;     /* DLPack's */
    /* The number of devices; if 0, |err| says why: the driver is missing, for example. */
    uint32_t (*count)(void *user, rlx_error *err);
    rlx_status (*info)(void *user, uint32_t id, rlx_device_info *out, rlx_error *err);
    rlx_status (*open)(void *user, uint32_t id, void **out_device, rlx_error *err);
    void (*close)(void *device); /* no memory or module of it is in use */
    /* |bytes| is not 0; |scope| is "global" or a name that the kind defines. The memory is aligned
     * to at least 128 bytes. */
    rlx_status (*alloc)(void *device, size_t bytes, const char *scope, void **out_memory,
                        rlx_error *err);
    /* Frees the memory after the work queued so far, which may still use it. */
    void (*release)(void *device, void *memory);
    /* The host may change |from| as soon as the call returns. */
    rlx_status (*copy_in)(void *device, rlx_device_at to, const void *from, size_t bytes,
                          void **out_event, rlx_error *err);
    /* |to| is filled when the call returns: it waits for all work queued before. */
    rlx_status (*copy_out)(void *device, void *to, rlx_device_at from, size_t bytes,
                           void **out_event, rlx_error *err);
    /* Between two places of this device. The ranges do not overlap. */
    rlx_status (*copy)(void *device, rlx_device_at to, rlx_device_at from, size_t bytes,
                       void **out_event, rlx_error *err);
    /* |format| says what |code| is: "opencl-c", "ptx", ... VERSION if the format is unknown or the
     * code is for another machine: then the next image of the module is tried. */
    rlx_status (*load)(void *device, rlx_str format, const void *code, size_t size,
                       void **out_module, rlx_error *err);
    void (*unload)(void *device, void *module);
    rlx_status (*find)(void *device, void *module, const char *name, void **out_function,
                       rlx_error *err);
    rlx_status (*launch)(void *device, const rlx_launch *launch, void **out_event, rlx_error *err);
    /* Waits for all queued work and reports its faults. */
    rlx_status (*sync)(void *device, rlx_error *err);
    /* The times when an event's work began and ended, in nanoseconds of the device's clock; waits
       for the work. Drops the event in any case, and does nothing else if |out_begin| is NULL. The
       other functions get |out_event| NULL if nobody needs times. */
    rlx_status (*event_time)(void *device, void *event, uint64_t *out_begin, uint64_t *out_end,
                             rlx_error *err);
    /* Fails if this device cannot use |memory|, which was allocated elsewhere and has at least
     * |bytes| bytes (rlx_tensor_from_dlpack_on). Absent: it can use any. */
    rlx_status (*accept)(void *device, void *memory, size_t bytes, rlx_error *err);
    /* Builds |code| as load does and passes the driver's binary to |sink|, in a format that load
     * accepts without building. Absent: the driver gives out no binaries. */
    rlx_status (*build)(void *device, rlx_str format, const void *code, size_t size,
                        rlx_device_sink *sink, void *user, rlx_error *err);
    /* Between |on| true and the matching false (calls nest) the device may collect launches and
     * submit them together, before any other work. The last false may then report the error of a
     * launch. |name| of a launch stays valid until then. Absent: launches are submitted one by
     * one. */
    rlx_status (*gather)(void *device, bool on, rlx_error *err);
    /* Computes a product with the vendor's library. NOT_FOUND: the library is not installed.
     * Absent: this kind has no such library. */
    rlx_status (*product)(void *device, const rlx_product *product, void **out_event,
                          rlx_error *err);
} rlx_device_api;

/* Adds a kind for VMs and calls that use this registry. It is found before the built-in ones. |api|
   is copied. Errors: INVALID_ARG (a function is missing, the name is taken, has ':' or more than 40
   characters), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_device(rlx_registry *r, const rlx_device_api *api,
                                                         void *user, rlx_error *err);

/* A further device of the kind "cpu", with |id| at least 1: a memory of the host, which CPU kernels
   use like any other. |memory| (NULL: from the allocator) belongs to the host program and must
   outlive the registry and the tensors in it. Using more than |bytes| at once fails with LIMIT.
   |scope| is the name of this memory ("global.sram"); "global" names it too. NULL: "global".
   Errors: INVALID_ARG (the number is 0 or taken, no bytes), NOMEM. */
typedef struct rlx_cpu_device {
    size_t size; /* sizeof(rlx_cpu_device) */
    uint32_t id;
    void *memory;
    size_t bytes;
    const char *scope;
} rlx_cpu_device;
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_cpu(rlx_registry *r, const rlx_cpu_device *row,
                                                      rlx_error *err);

/* The kinds of |r| (NULL: the built-in ones alone), the built-in ones last; NULL past the end. */
RLX_API const char *rlx_device_kind(const rlx_registry *r, uint32_t i);
RLX_API uint32_t rlx_device_count(const rlx_registry *r, const char *kind, rlx_error *err);
/* Describes a device without opening it. */
RLX_NODISCARD RLX_API rlx_status rlx_device_look(const rlx_registry *r, const char *kind,
                                                 uint32_t id, rlx_device_info *out, rlx_error *err);
/* The device; opens it if it is not open yet. It retains |r|. Errors: those of the kind, NOT_FOUND
 * for an unknown kind. */
RLX_NODISCARD RLX_API rlx_status rlx_device_open(rlx_registry *r, const char *kind, uint32_t id,
                                                 rlx_device **out, rlx_error *err);
RLX_API rlx_device *rlx_device_retain(rlx_device *d);
RLX_API void rlx_device_release(rlx_device *d);
RLX_API const char *rlx_device_name(const rlx_device *d); /* "opencl:0" */
RLX_API int32_t rlx_device_type(const rlx_device *d);     /* DLPack's */
RLX_API uint32_t rlx_device_id(const rlx_device *d);
RLX_API const rlx_device_info *rlx_device_facts(const rlx_device *d);
RLX_NODISCARD RLX_API rlx_status rlx_device_sync(rlx_device *d, rlx_error *err);
/* Builds |code| ("opencl-c" source, for example) with the driver of |d| and calls |sink| once with
   the result: an image for rlx_exec_builder_device_module that such devices load without building.
   Errors: NOT_FOUND (the kind gives out no binaries), those of the kind and of |sink|. */
RLX_NODISCARD RLX_API rlx_status rlx_device_build(rlx_device *d, rlx_str format, const void *code,
                                                  size_t size, rlx_device_sink *sink, void *user,
                                                  rlx_error *err);

/* Bytes and calls since the device was opened. */
typedef struct rlx_device_stats {
    uint64_t bytes_in, bytes_out, bytes_within; /* copied */
    uint64_t copies_in, copies_out, copies_within, launches;
    uint64_t live_bytes, peak_bytes; /* of memory in use; as much may be kept unused */
} rlx_device_stats;
RLX_API void rlx_device_get_stats(const rlx_device *d, rlx_device_stats *out);

/* --- tensors on devices ------------------------------------------------------------------------
   rlx_tensor_data and rlx_tensor_mutable_data give NULL for a tensor whose bytes the host cannot
   reach. */

/* The tensor's device; NULL: the host's own memory. Borrowed. */
RLX_API rlx_device *rlx_tensor_device(const rlx_tensor *t);
/* The tensor's location; memory is NULL for the host's own. */
RLX_API rlx_device_at rlx_tensor_place(const rlx_tensor *t);
/* A new tensor on |d| with undefined contents. |scope| may be NULL: "global". Errors: as
 * rlx_tensor_create, and those of the device. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_create_on(const rlx_allocator *a, rlx_device *d,
                                                      const char *scope, rlx_dtype dtype,
                                                      uint32_t ndim, const int64_t *dims,
                                                      rlx_tensor **out, rlx_error *err);
/* As rlx_tensor_from_dlpack for a tensor on |d|. The result uses its memory, so the tensor must be
   compact and all work on its bytes done. OpenCL memory must belong to the context of |d|. The
   deleter is called when the device has finished the work that uses the bytes. Errors: INVALID_ARG
   (another device, not compact, misaligned), those of the device. rlx_tensor_to_dlpack of a tensor
   on a device waits for the work on its bytes; the consumer must finish its own work before it
   calls the deleter. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_from_dlpack_on(const rlx_allocator *a, rlx_device *d,
                                                           struct DLManagedTensor *m,
                                                           const rlx_dtype *as_dtype,
                                                           rlx_tensor **out, rlx_error *err);
/* |t| on |d| (NULL: in the host's own memory): |t| itself, retained, if it is there already; else a
   copy. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_to_device(const rlx_allocator *a, rlx_tensor *t,
                                                      rlx_device *d, rlx_tensor **out,
                                                      rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif

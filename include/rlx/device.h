/* Devices: memory and kernels that are not the host's own.

   A device is a row of functions, rlx_device_api. Three kinds are built in: "cpu" (further memories
   of the host, such as a small fast one), "opencl" and "cuda", whose drivers' libraries are opened
   when a device of theirs is first asked for. A host program adds kinds of its own to a registry.

   An opened device, rlx_device, is reference-counted and shared by all VMs of a process that use
   it. It has one queue: what is asked of it happens in order, whichever VM asks, and calls return
   before it has happened unless they say otherwise. Tensors on it hold it. All functions here may
   be called on any thread. */
#ifndef RLX_DEVICE_H
#define RLX_DEVICE_H

#include <rlx/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlx_device rlx_device;
typedef struct rlx_registry rlx_registry; /* rlx/vm.h */

/* DLPack's numbers of the kinds that are built in. */
#define RLX_DEVICE_CPU 1
#define RLX_DEVICE_CUDA 2
#define RLX_DEVICE_OPENCL 4

/* A place in a device's memory: what alloc gave, and the bytes from there on. */
typedef struct rlx_device_at {
    void *memory;
    size_t offset;
} rlx_device_at;

typedef struct rlx_device_info {
    char name[128];   /* of the machine: "NVIDIA H200" */
    char driver[128]; /* and its driver: "OpenCL 3.0 PoCL 3.1" */
    char arch[64];    /* what code must be for, in the words of its target: "sm_90"; or "" */
    uint64_t memory_bytes;
    uint64_t shared_bytes; /* memory that the threads of one block share */
    uint32_t max_threads;  /* of a block */
    uint32_t units;        /* that run blocks at the same time */
    uint32_t warp;         /* threads that run in step; 1: unknown */
    bool is_host_memory;   /* the host may read and write |memory + offset| as its own bytes, and
                            * calls return when their work is done */
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

/* Gets code that a driver built: |format| says for which machines it is. The bytes are valid during
 * the call; what it returns is returned to whoever asked for the code. */
typedef rlx_status rlx_device_sink(void *user, rlx_str format, const void *code, size_t size,
                                   rlx_error *err);

/* The functions of a kind of device. |device| is what open gave. Functions that return a status
   report errors by name: NOT_FOUND (no driver, no such device), LIMIT or NOMEM (refused memory),
   INVALID_MODULE (refused code), DEVICE (a fault, or the device is lost). After a failed call the
   device must accept further ones, if only to refuse them. Calls for one device come from any
   thread, one at a time, except for those that wait: copy_out, sync and event_time run beside
   others. A kind that runs no kernels has none of load, unload, find and launch; event_time,
   accept and build may be absent as well. */
typedef struct rlx_device_api {
    size_t size;      /* sizeof(rlx_device_api): members past it are absent */
    const char *kind; /* "opencl" */
    int32_t type;     /* DLPack's */
    /* How many devices are there; 0 with |err| saying why, such as a missing driver. */
    uint32_t (*count)(void *user, rlx_error *err);
    rlx_status (*info)(void *user, uint32_t id, rlx_device_info *out, rlx_error *err);
    rlx_status (*open)(void *user, uint32_t id, void **out_device, rlx_error *err);
    void (*close)(void *device); /* nothing of it is in use */
    /* |bytes| is not 0; |scope| is "global" or a name that the kind defines. The memory is aligned
     * to at least 128 bytes. */
    rlx_status (*alloc)(void *device, size_t bytes, const char *scope, void **out_memory,
                        rlx_error *err);
    /* After the work asked for so far: the queue may still use it. */
    void (*release)(void *device, void *memory);
    /* The host may change |from| when it returns. */
    rlx_status (*copy_in)(void *device, rlx_device_at to, const void *from, size_t bytes,
                          void **out_event, rlx_error *err);
    /* |to| is filled when it returns: it waits for all that was asked for before. */
    rlx_status (*copy_out)(void *device, void *to, rlx_device_at from, size_t bytes,
                           void **out_event, rlx_error *err);
    /* Between two places of this device. The ranges do not overlap. */
    rlx_status (*copy)(void *device, rlx_device_at to, rlx_device_at from, size_t bytes,
                       void **out_event, rlx_error *err);
    /* |format| says what |code| is: "opencl-c", "ptx", ...; VERSION if it is for another
     * machine or a format that is not known: then the next image of the module is tried. */
    rlx_status (*load)(void *device, rlx_str format, const void *code, size_t size,
                       void **out_module, rlx_error *err);
    void (*unload)(void *device, void *module);
    rlx_status (*find)(void *device, void *module, const char *name, void **out_function,
                       rlx_error *err);
    rlx_status (*launch)(void *device, const rlx_launch *launch, void **out_event, rlx_error *err);
    /* Waits for all that was asked for; reports a fault of it. */
    rlx_status (*sync)(void *device, rlx_error *err);
    /* When the work of an event began and ended, in nanoseconds of the device's clock; waits for
       it. The event is dropped in any case; with |out_begin| NULL it is only dropped. |out_event|
       above is NULL where nobody asks for times. */
    rlx_status (*event_time)(void *device, void *event, uint64_t *out_begin, uint64_t *out_end,
                             rlx_error *err);
    /* Whether |memory| that others made, of at least |bytes| from its start, can be used here:
     * rlx_tensor_from_dlpack_on. Absent: it can. */
    rlx_status (*accept)(void *device, void *memory, size_t bytes, rlx_error *err);
    /* Builds |code| as load does and gives |sink| what the driver made of it, in a format that load
     * takes without building. Absent: the driver gives out no code. */
    rlx_status (*build)(void *device, rlx_str format, const void *code, size_t size,
                        rlx_device_sink *sink, void *user, rlx_error *err);
    /* From |on| true to as many false, launches may be kept and asked for together, before anything
     * else is; the error of a launch may be that of the last false. |name| of a launch is valid
     * until then. Absent: launches are asked for one by one. */
    rlx_status (*gather)(void *device, bool on, rlx_error *err);
    /* By the library of the device's vendor. NOT_FOUND says that it is missing. Absent: there is
     * none for this kind. */
    rlx_status (*product)(void *device, const rlx_product *product, void **out_event,
                          rlx_error *err);
} rlx_device_api;

/* Adds a kind, found before the built-in ones, for VMs that have this registry and calls that name
   it. |api| is copied. Errors: INVALID_ARG (a function is missing, the name is taken, has ':' or
   more than 40 characters), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_device(rlx_registry *r, const rlx_device_api *api,
                                                         void *user, rlx_error *err);

/* A further device of the kind "cpu", with |id| at least 1: memory of the host, in which CPU
   kernels work as in any. |memory| (NULL: the allocator's) belongs to the host program and must
   outlive the registry and the tensors in it; more than |bytes| at once is LIMIT. |scope| is the
   name of this memory ("global.sram"), which "global" means as well; NULL: "global". Errors:
   INVALID_ARG (the number is 0 or taken, no bytes), NOMEM. */
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
/* Looks at a device without opening it. */
RLX_NODISCARD RLX_API rlx_status rlx_device_look(const rlx_registry *r, const char *kind,
                                                 uint32_t id, rlx_device_info *out, rlx_error *err);
/* The device, opened now or before; it keeps |r|. Errors: those of the kind, NOT_FOUND for an
 * unknown kind. */
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
   the result, an image for rlx_exec_builder_device_module that such devices load without building.
   Errors: NOT_FOUND (the kind gives out no code), those of the kind and of |sink|. */
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
/* Where it lies; memory NULL for the host's own. */
RLX_API rlx_device_at rlx_tensor_place(const rlx_tensor *t);
/* A new tensor on |d|, bytes undefined. |scope| may be NULL: "global". Errors: as
 * rlx_tensor_create, and those of the device. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_create_on(const rlx_allocator *a, rlx_device *d,
                                                      const char *scope, rlx_dtype dtype,
                                                      uint32_t ndim, const int64_t *dims,
                                                      rlx_tensor **out, rlx_error *err);
/* As rlx_tensor_from_dlpack for a tensor of |d|, whose memory becomes the result's: it must be
   compact, and all work on its bytes done. Memory of OpenCL must be of the context of |d|. The
   deleter is called when the device has done the work that uses the bytes. Errors: INVALID_ARG
   (another device, not compact, misaligned), those of the device. rlx_tensor_to_dlpack gives out a
   tensor of a device when the work on its bytes is done; the consumer must finish its own work
   before it calls the deleter. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_from_dlpack_on(const rlx_allocator *a, rlx_device *d,
                                                           struct DLManagedTensor *m,
                                                           const rlx_dtype *as_dtype,
                                                           rlx_tensor **out, rlx_error *err);
/* |t| on |d| (NULL: in the host's own memory): itself, retained, if it is there; else a copy. */
RLX_NODISCARD RLX_API rlx_status rlx_tensor_to_device(const rlx_allocator *a, rlx_tensor *t,
                                                      rlx_device *d, rlx_tensor **out,
                                                      rlx_error *err);

#ifdef __cplusplus
}
#endif

#endif

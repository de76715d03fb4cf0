/* OpenCL devices: what their files share (private to vm/devices). The driver's interface is
 * declared here as far as it is used, so that its headers are not needed to build. Handles are
 * pointers, as on every platform of ours; numbers are those of the OpenCL specification, 1.2. */
#ifndef RLXV_OPENCL_H
#define RLXV_OPENCL_H

#include "vm/devices/driver.h"

#include <stdatomic.h>

/* X(name without "cl", result, parameters) */
#define RLXV_CL_FUNCTIONS(X)                                                                     \
    X(GetPlatformIDs, int32_t, (uint32_t n, void **out, uint32_t *out_n))                        \
    X(GetPlatformInfo, int32_t,                                                                  \
      (void *platform, uint32_t what, size_t size, void *out, size_t *out_size))                 \
    X(GetDeviceIDs, int32_t,                                                                     \
      (void *platform, uint64_t type, uint32_t n, void **out, uint32_t *out_n))                  \
    X(GetDeviceInfo, int32_t,                                                                    \
      (void *device, uint32_t what, size_t size, void *out, size_t *out_size))                   \
    X(CreateContext, void *,                                                                     \
      (const intptr_t *properties, uint32_t n, void *const *devices, void *callback, void *user, \
       int32_t *code))                                                                           \
    X(ReleaseContext, int32_t, (void *context))                                                  \
    X(CreateCommandQueue, void *,                                                                \
      (void *context, void *device, uint64_t properties, int32_t *code))                         \
    X(ReleaseCommandQueue, int32_t, (void *queue))                                               \
    X(CreateBuffer, void *,                                                                      \
      (void *context, uint64_t flags, size_t size, void *host, int32_t *code))                   \
    X(ReleaseMemObject, int32_t, (void *memory))                                                 \
    X(EnqueueReadBuffer, int32_t,                                                                \
      (void *queue, void *from, uint32_t blocking, size_t offset, size_t size, void *to,         \
       uint32_t n_wait, void *const *wait, void **event))                                        \
    X(EnqueueWriteBuffer, int32_t,                                                               \
      (void *queue, void *to, uint32_t blocking, size_t offset, size_t size, const void *from,   \
       uint32_t n_wait, void *const *wait, void **event))                                        \
    X(EnqueueCopyBuffer, int32_t,                                                                \
      (void *queue, void *from, void *to, size_t from_offset, size_t to_offset, size_t size,     \
       uint32_t n_wait, void *const *wait, void **event))                                        \
    X(CreateProgramWithSource, void *,                                                           \
      (void *context, uint32_t n, const char *const *texts, const size_t *sizes, int32_t *code)) \
    X(CreateProgramWithBinary, void *,                                                           \
      (void *context, uint32_t n, void *const *devices, const size_t *sizes,                     \
       const uint8_t *const *binaries, int32_t *each, int32_t *code))                            \
    X(BuildProgram, int32_t,                                                                     \
      (void *program, uint32_t n, void *const *devices, const char *options, void *callback,     \
       void *user))                                                                              \
    X(GetProgramBuildInfo, int32_t,                                                              \
      (void *program, void *device, uint32_t what, size_t size, void *out, size_t *out_size))    \
    X(GetProgramInfo, int32_t,                                                                   \
      (void *program, uint32_t what, size_t size, void *out, size_t *out_size))                  \
    X(ReleaseProgram, int32_t, (void *program))                                                  \
    X(CreateKernel, void *, (void *program, const char *name, int32_t *code))                    \
    X(ReleaseKernel, int32_t, (void *kernel))                                                    \
    X(SetKernelArg, int32_t, (void *kernel, uint32_t index, size_t size, const void *value))     \
    X(EnqueueNDRangeKernel, int32_t,                                                             \
      (void *queue, void *kernel, uint32_t n_dims, const size_t *offset, const size_t *global,   \
       const size_t *local, uint32_t n_wait, void *const *wait, void **event))                   \
    X(Flush, int32_t, (void *queue))                                                             \
    X(Finish, int32_t, (void *queue))                                                            \
    X(WaitForEvents, int32_t, (uint32_t n, void *const *events))                                 \
    X(GetEventProfilingInfo, int32_t,                                                            \
      (void *event, uint32_t what, size_t size, void *out, size_t *out_size))                    \
    X(ReleaseEvent, int32_t, (void *event))

typedef struct rlxv_cl {
#define RLXV_CL_MEMBER(name, result, parameters) result(*name) parameters;
    RLXV_CL_FUNCTIONS(RLXV_CL_MEMBER)
#undef RLXV_CL_MEMBER
} rlxv_cl;

enum {
    RLXV_CL_PLATFORM_VERSION = 0x0901,
    RLXV_CL_PLATFORM_NAME = 0x0902,
    RLXV_CL_DEVICE_TYPE = 0x1000,
    RLXV_CL_MAX_COMPUTE_UNITS = 0x1002,
    RLXV_CL_MAX_WORK_GROUP_SIZE = 0x1004,
    RLXV_CL_MAX_MEM_ALLOC_SIZE = 0x1010,
    RLXV_CL_SINGLE_FP_CONFIG = 0x101B,
    RLXV_CL_GLOBAL_MEM_SIZE = 0x101F,
    RLXV_CL_LOCAL_MEM_SIZE = 0x1023,
    RLXV_CL_DEVICE_NAME = 0x102B,
    RLXV_CL_DRIVER_VERSION = 0x102D,
    RLXV_CL_DEVICE_VERSION = 0x102F,
    RLXV_CL_DOUBLE_FP_CONFIG = 0x1032,
    RLXV_CL_HALF_FP_CONFIG = 0x1033,
    RLXV_CL_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A,
    RLXV_CL_QUEUE_PROFILING = 2,
    RLXV_CL_PROGRAM_BINARY_SIZES = 0x1165,
    RLXV_CL_PROGRAM_BINARIES = 0x1166,
    RLXV_CL_BUILD_LOG = 0x1183,
    RLXV_CL_COMMAND_START = 0x1282,
    RLXV_CL_COMMAND_END = 0x1283,
};

/* "<platform name>/<device name>/<driver version>": what a binary is for. */
enum { RLXV_CL_MACHINE_TEXT = 384 };

/* An opened device. */
typedef struct rlxv_cl_device {
    rlx_allocator allocator;
    rlxv_cl cl;
    void *device, *context;
    /* In-order queues; |queue| receives new commands. It is |untimed| until the times of a command
     * are first requested, then |timed|, which records times and is slower. */
    void *untimed, *timed;
    _Atomic(void *) queue;
    uint64_t most_bytes; /* of one buffer */
    const char *options; /* of builds */
    char machine[RLXV_CL_MACHINE_TEXT];
    uint32_t unflushed; /* launches since the driver was last told to begin */
    atomic_uint epoch;  /* changes when a memory handle may be reused for other memory */
} rlxv_cl_device;

/* A buffer that a kernel has as an argument, so that it is not set again for the next launch. */
typedef struct rlxv_cl_arg {
    void *memory; /* NULL: none is set */
    size_t offset;
    uint32_t index, epoch; /* the driver's number of it; the device's |epoch| then */
} rlxv_cl_arg;

enum { RLXV_CL_KEPT_ARGS = 8 };

/* A kernel of a program, what find gives. */
typedef struct rlxv_cl_kernel {
    struct rlxv_cl_kernel *next;
    void *handle;
    size_t size; /* of this block */
    rlxv_cl_arg args[RLXV_CL_KEPT_ARGS];
    char name[];
} rlxv_cl_kernel;

/* Fills |err| for the driver's |code|. */
rlx_status rlxv_cl_fail(int32_t code, rlx_error *err, const char *format, ...) RLX_PRINTF(3, 4);

/* opencl_machine.c: the devices of all platforms, numbered in the driver's order. */
/* The number of devices; 0 with |err| if there are none. */
uint32_t rlxv_cl_count(void *user, rlx_error *err);
rlx_status rlxv_cl_info(void *user, uint32_t id, rlx_device_info *out, rlx_error *err);
/* Fills the driver, the device and its limits. */
rlx_status rlxv_cl_find_device(uint32_t id, rlxv_cl_device *out, rlx_error *err);

/* opencl_program.c: load, build, unload and find of rlx_device_api. */
rlx_status rlxv_cl_load_module(void *device, rlx_str format, const void *code, size_t size,
                               void **out_module, rlx_error *err);
rlx_status rlxv_cl_build(void *device, rlx_str format, const void *code, size_t size,
                         rlx_device_sink *sink, void *user, rlx_error *err);
void rlxv_cl_unload_module(void *device, void *module);
rlx_status rlxv_cl_find_kernel(void *device, void *module, const char *name, void **out,
                               rlx_error *err);

/* opencl_cache.c: binaries that the driver built from sources, in the user's cache folder. Nothing
 * here fails: what cannot be read is built again. */
typedef struct rlxv_cl_binary {
    uint8_t *file; /* from rlx_alloc; NULL: none */
    size_t file_size;
    const uint8_t *data; /* inside |file| */
    size_t size;
} rlxv_cl_binary;

/* What the driver built on this machine with these options from |source|. */
rlxv_cl_binary rlxv_cl_cache_find(const rlxv_cl_device *d, const void *source, size_t size);
void rlxv_cl_cache_drop(const rlxv_cl_device *d, rlxv_cl_binary *binary);
void rlxv_cl_cache_keep(const rlxv_cl_device *d, const void *source, size_t size,
                        const void *binary, size_t binary_size);

#endif

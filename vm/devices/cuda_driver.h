/* The part of CUDA's driver interface that cuda.c uses (private), in declarations of our own:
 * nothing of CUDA is needed to build. Names and numbers are those of the driver's library. */
#ifndef RLXV_CUDA_DRIVER_H
#define RLXV_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t cu_pointer; /* CUdeviceptr */
typedef struct CUctx_st *cu_context;
typedef struct CUstream_st *cu_stream;
typedef struct CUevent_st *cu_event;
typedef struct CUmod_st *cu_module;
typedef struct CUfunc_st *cu_function;
typedef struct CUmemPoolHandle_st *cu_pool;
typedef struct CUgraph_st *cu_graph;
typedef struct CUgraphExec_st *cu_graph_exec;
typedef struct CUgraphNode_st *cu_graph_node;

enum { /* CUresult */
       CU_OK = 0,
       CU_INVALID_VALUE = 1,
       CU_OUT_OF_MEMORY = 2,
       CU_STUB_LIBRARY = 34,
       CU_NO_DEVICE = 100,
       CU_INVALID_DEVICE = 101,
       CU_INVALID_IMAGE = 200,
       CU_NO_BINARY_FOR_GPU = 209,
       CU_INVALID_PTX = 218,
       CU_JIT_COMPILER_NOT_FOUND = 221,
       CU_UNSUPPORTED_PTX_VERSION = 222,
       CU_JIT_COMPILATION_DISABLED = 223,
       CU_NOT_FOUND = 500,
       CU_LAUNCH_OUT_OF_RESOURCES = 701,
       CU_NOT_SUPPORTED = 801
};

enum { /* CUdevice_attribute */
       CU_MAX_THREADS_PER_BLOCK = 1,
       CU_MAX_SHARED_PER_BLOCK = 8,
       CU_WARP_SIZE = 10,
       CU_MULTIPROCESSORS = 16,
       CU_CAPABILITY_MAJOR = 75,
       CU_CAPABILITY_MINOR = 76,
       CU_MAX_SHARED_OPTIN = 97,
       CU_MEMORY_POOLS = 115
};

enum { /* flags and keys of calls */
       CU_STREAM_NON_BLOCKING = 1,
       CU_POOL_RELEASE_THRESHOLD = 4,
       CU_FUNC_MAX_DYNAMIC_SHARED = 8,
       CU_JIT_ERROR_LOG = 5,
       CU_JIT_ERROR_LOG_SIZE = 6
};
/* |extra| of a launch is a list of these and a value each, up to END. */
#define CU_LAUNCH_END ((void *)0)
#define CU_LAUNCH_BUFFER ((void *)1)
#define CU_LAUNCH_BUFFER_SIZE ((void *)2)

typedef struct cu_pool_props {      /* CUmemPoolProps */
    int type, handle_types;         /* 1: pinned, that is, on the device; 0 */
    int location_type, location_id; /* 1: a device, and its number */
    void *security;
    size_t max_bytes; /* 0: no limit but the device's */
    unsigned char reserved[56];
} cu_pool_props;

typedef struct cu_kernel_node { /* CUDA_KERNEL_NODE_PARAMS_v1 */
    cu_function function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
} cu_kernel_node;

/* X(name, parameters), in the order of the table. All return a CUresult. */
#define CU_FUNCTIONS(X)                                                                        \
    X(cuInit, (unsigned flags))                                                                \
    X(cuDriverGetVersion, (int *version))                                                      \
    X(cuGetErrorString, (int code, const char **text))                                         \
    X(cuDeviceGetCount, (int *count))                                                          \
    X(cuDeviceGet, (int *device, int ordinal))                                                 \
    X(cuDeviceGetName, (char *name, int size, int device))                                     \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                           \
    X(cuDeviceTotalMem_v2, (size_t * bytes, int device))                                       \
    X(cuDevicePrimaryCtxRetain, (cu_context * context, int device))                            \
    X(cuDevicePrimaryCtxRelease_v2, (int device))                                              \
    X(cuCtxPushCurrent_v2, (cu_context context))                                               \
    X(cuCtxPopCurrent_v2, (cu_context * context))                                              \
    X(cuStreamCreate, (cu_stream * stream, unsigned flags))                                    \
    X(cuStreamDestroy_v2, (cu_stream stream))                                                  \
    X(cuStreamSynchronize, (cu_stream stream))                                                 \
    X(cuMemPoolCreate, (cu_pool * pool, const cu_pool_props *props))                           \
    X(cuMemPoolDestroy, (cu_pool pool))                                                        \
    X(cuMemPoolSetAttribute, (cu_pool pool, int attribute, void *value))                       \
    X(cuMemPoolTrimTo, (cu_pool pool, size_t keep))                                            \
    X(cuMemAllocFromPoolAsync,                                                                 \
      (cu_pointer * memory, size_t bytes, cu_pool pool, cu_stream stream))                     \
    X(cuMemFreeAsync, (cu_pointer memory, cu_stream stream))                                   \
    X(cuMemAlloc_v2, (cu_pointer * memory, size_t bytes))                                      \
    X(cuMemFree_v2, (cu_pointer memory))                                                       \
    X(cuMemAllocHost_v2, (void **memory, size_t bytes))                                        \
    X(cuMemFreeHost, (void *memory))                                                           \
    X(cuMemcpyHtoDAsync_v2, (cu_pointer to, const void *from, size_t bytes, cu_stream stream)) \
    X(cuMemcpyDtoHAsync_v2, (void *to, cu_pointer from, size_t bytes, cu_stream stream))       \
    X(cuMemcpyDtoDAsync_v2, (cu_pointer to, cu_pointer from, size_t bytes, cu_stream stream))  \
    X(cuModuleLoadDataEx,                                                                      \
      (cu_module * module, const void *image, unsigned n, int *options, void **values))        \
    X(cuModuleUnload, (cu_module module))                                                      \
    X(cuModuleGetFunction, (cu_function * function, cu_module module, const char *name))       \
    X(cuFuncSetAttribute, (cu_function function, int attribute, int value))                    \
    X(cuLaunchKernel,                                                                          \
      (cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,  \
       unsigned bz, unsigned shared, cu_stream stream, void **params, void **extra))           \
    X(cuEventCreate, (cu_event * event, unsigned flags))                                       \
    X(cuEventDestroy_v2, (cu_event event))                                                     \
    X(cuEventRecord, (cu_event event, cu_stream stream))                                       \
    X(cuEventSynchronize, (cu_event event))                                                    \
    X(cuEventElapsedTime, (float *milliseconds, cu_event begin, cu_event end))

/* Those that drivers before CUDA 11.4 may lack; the last came last. */
#define CU_GRAPH_FUNCTIONS(X)                                                                  \
    X(cuGraphCreate, (cu_graph * graph, unsigned flags))                                       \
    X(cuGraphDestroy, (cu_graph graph))                                                        \
    X(cuGraphAddKernelNode, (cu_graph_node * node, cu_graph graph, const cu_graph_node *after, \
                             size_t n_after, const cu_kernel_node *row))                       \
    X(cuGraphExecKernelNodeSetParams,                                                          \
      (cu_graph_exec exec, cu_graph_node node, const cu_kernel_node *row))                     \
    X(cuGraphLaunch, (cu_graph_exec exec, cu_stream stream))                                   \
    X(cuGraphExecDestroy, (cu_graph_exec exec))                                                \
    X(cuGraphInstantiateWithFlags, (cu_graph_exec * exec, cu_graph graph, unsigned long long flags))

/* Of cuBLAS; they return a cublasStatus_t, 0 for success. */
#define CUBLAS_FUNCTIONS(X)                                                                      \
    X(cublasCreate_v2, (void **handle))                                                          \
    X(cublasDestroy_v2, (void *handle))                                                          \
    X(cublasSetStream_v2, (void *handle, cu_stream stream))                                      \
    X(cublasGemmStridedBatchedEx,                                                                \
      (void *handle, int turn_a, int turn_b, int m, int n, int k, const void *alpha,             \
       const void *a, int a_type, int lda, long long step_a, const void *b, int b_type, int ldb, \
       long long step_b, const void *beta, void *c, int c_type, int ldc, long long step_c,       \
       int batches, int compute, int algorithm))

enum { /* of cuBLAS */
       CU_R_32F = 0,
       CU_R_64F = 1,
       CU_R_16F = 2,
       CU_R_16BF = 14,
       CU_COMPUTE_32F = 68,
       CU_COMPUTE_64F = 70,
       CU_GEMM_DEFAULT = -1
};

#define CU_MEMBER(name, params) int(*name) params;
typedef struct cu_driver {
    CU_FUNCTIONS(CU_MEMBER)
    CU_GRAPH_FUNCTIONS(CU_MEMBER)
} cu_driver;
typedef struct cu_blas {
    CUBLAS_FUNCTIONS(CU_MEMBER)
} cu_blas;
#undef CU_MEMBER

#endif

/* The kernel ABI. Compiled kernels depend on nothing in librlx but the layouts in this file.

       int32_t kernel(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx);

   buffers[i] is the first element of the i-th tensor parameter: compact, row-major, element-aligned
   (64-byte aligned where the VM allocated it); not NULL even if the tensor has no elements. dims
   are the kernel's symbolic variables and scalar parameters in order; a floating-point scalar is
   passed as the bits of its value as a float64. A kernel returns 0 on success. Any other result
   makes the call fail, with the message given to fail(), if any. A kernel keeps no pointer after it
   returns, and frees only what it took from scratch_alloc. */
#ifndef RLX_KERNEL_H
#define RLX_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RLX_KERNEL_ABI 1u

typedef struct rlx_kernel_context rlx_kernel_context;

/* Runs one share of a parallel loop: the indices [begin, end). |worker| is the context of the
   thread that runs the share; its scratch memory must come from there. A nonzero result stops the
   loop early. */
typedef int32_t (*rlx_parallel_body)(void *user, int64_t begin, int64_t end,
                                     rlx_kernel_context *worker);

/* An argument that a kernel passes to a packed function. Layouts are fixed: code generators write
 * them. */
typedef enum rlx_kernel_arg_kind {
    RLX_KERNEL_ARG_INT = 0,
    RLX_KERNEL_ARG_FLOAT = 1,
    RLX_KERNEL_ARG_STRING = 2,
    RLX_KERNEL_ARG_TENSOR = 3
} rlx_kernel_arg_kind;

typedef struct rlx_kernel_tensor { /* the callee may write it; it lives until the call returns */
    void *data;                    /* the first element */
    const int64_t *dims;
    const int64_t *strides; /* in elements; NULL: compact. Other strides are an error */
    uint32_t ndim;
    uint8_t code, bits; /* as in rlx_dtype */
    uint16_t lanes;
} rlx_kernel_tensor;

typedef struct rlx_kernel_arg {
    uint32_t kind; /* rlx_kernel_arg_kind */
    uint32_t reserved;
    union {
        int64_t i;
        double f;
        const char *s; /* NUL-terminated */
        const rlx_kernel_tensor *t;
    } as;
} rlx_kernel_arg;

/* A reserved name, which is never looked up. call_packed of it with (text, index, text, size,
 * overflow) reports a failed index check, from any thread; the message is made of the first four.
 * |overflow| is not 0 if the index does not fit in 64 bits. */
#define RLX_KERNEL_FAIL_INDEX "rlx.fail_index"

/* The builtin (tensor, low, high, text) that fails unless low <= x < high for all elements. Its
 * message becomes the call's error unchanged, without the kernel's name. Four more arguments,
 * (file, line, column, name), are the location that the error names instead of the call's; with
 * column 0 it is |name|. */
#define RLX_KERNEL_CHECK_RANGE "rlx.check_range"

/* Code generators address the members by offset: 64-bit layout, never reordered. */
struct rlx_kernel_context {
    uint32_t abi;       /* offset 0: RLX_KERNEL_ABI */
    uint32_t n_threads; /* offset 4: threads that parallel_for may use, at least 1 */
    /* offset 8: allocates |bytes| of scratch memory aligned to |align| (a power of two); NULL if
       there is none. It lives until scratch_free, or until the kernel (or the share) returns. */
    void *(*scratch_alloc)(rlx_kernel_context *ctx, int64_t bytes, int64_t align);
    /* offset 16: frees |p| and everything allocated after it. */
    void (*scratch_free)(rlx_kernel_context *ctx, void *p);
    /* offset 24: runs |body| over [0, n) in shares of at least |grain| indices on up to n_threads
       threads. Returns when all are done: 0, or the first nonzero result. Runs serially inside a
       share. */
    int32_t (*parallel_for)(rlx_kernel_context *ctx, rlx_parallel_body body, void *user, int64_t n,
                            int64_t grain);
    /* offset 32: reports why the kernel fails; the NUL-terminated text is copied, and the first one
     * is kept. Always returns 1, so that kernels can write "return ctx->fail(ctx, text);". */
    int32_t (*fail)(rlx_kernel_context *ctx, const char *message);
    void *host; /* offset 40: the VM's own */
    /* offset 48: calls a packed function or builtin by name, as bytecode does: |name| is looked up
       in the VM, the registry and the builtins. |result->kind| is the expected kind, INT or FLOAT;
       a result that is not a number becomes 0. Returns nonzero after an error, which fail() has
       recorded. Fails inside a share of a parallel loop, except for RLX_KERNEL_FAIL_INDEX. */
    int32_t (*call_packed)(rlx_kernel_context *ctx, const char *name, const rlx_kernel_arg *args,
                           uint32_t n, rlx_kernel_arg *result);
};

typedef int32_t (*rlx_kernel_fn)(void *const *buffers, const int64_t *dims,
                                 rlx_kernel_context *ctx);

#ifdef __cplusplus
}
#endif

#endif

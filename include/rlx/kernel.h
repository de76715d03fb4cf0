/* The kernel ABI. Self-contained: compiled kernels depend on nothing in librlx but this layout.

       int32_t kernel(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx);

   buffers[i] is the first element of the i-th tensor parameter: compact, row-major, element-aligned
   (64-byte aligned where the VM allocated it); not NULL even if the tensor has no elements. dims
   are the kernel's symbolic variables and scalar parameters in order; a floating-point scalar is
   passed as the bits of its value as a float64. 0 is success; any other result fails the call with
   the message given to fail(), if one was given. Kernels keep no pointer and free nothing that they
   did not take from scratch_alloc. */
#ifndef RLX_KERNEL_H
#define RLX_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RLX_KERNEL_ABI 1u

typedef struct rlx_kernel_context rlx_kernel_context;

/* One share of a parallel loop: indices [begin, end). |worker| is the context of the thread that
   runs it; scratch memory inside the share must come from it. Nonzero stops the loop early. */
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

/* A reserved name: call_packed(text, index, text, size, overflow) of it reports a failed index
 * check with a message made of the first four, from any thread. |overflow| is not 0 if the index
 * does not fit 64 bits. No function of this name is looked up. */
#define RLX_KERNEL_FAIL_INDEX "rlx.fail_index"

/* The builtin (tensor, low, high, text) that fails unless low <= x < high for all elements. Its
 * message becomes the call's error unchanged, without the kernel's name. Four more arguments,
 * (file, line, column, name), are the place that the error names instead of the call's; with column
 * 0 that is |name|. */
#define RLX_KERNEL_CHECK_RANGE "rlx.check_range"

/* Code generators address the members by offset: 64-bit layout, never reordered. */
struct rlx_kernel_context {
    uint32_t abi;       /* offset 0: RLX_KERNEL_ABI */
    uint32_t n_threads; /* offset 4: threads that parallel_for may use, at least 1 */
    /* offset 8: |bytes| of scratch memory aligned to |align| (a power of two), NULL if there is
       none. Lives until scratch_free, at the latest until the kernel (or the share) returns. */
    void *(*scratch_alloc)(rlx_kernel_context *ctx, int64_t bytes, int64_t align);
    /* offset 16: frees |p| and everything allocated after it. */
    void (*scratch_free)(rlx_kernel_context *ctx, void *p);
    /* offset 24: runs |body| over [0, n), at least |grain| indices a share, on up to n_threads
       threads; returns after all are done: 0, or the first nonzero result. Serial inside a share.
     */
    int32_t (*parallel_for)(rlx_kernel_context *ctx, rlx_parallel_body body, void *user, int64_t n,
                            int64_t grain);
    /* offset 32: reports why the kernel fails; the NUL-terminated text is copied, and the first one
     * is kept. Always returns 1, so that kernels can write "return ctx->fail(ctx, text);". */
    int32_t (*fail)(rlx_kernel_context *ctx, const char *message);
    void *host; /* offset 40: the VM's own */
    /* offset 48: calls a packed function or builtin as bytecode would, by the name of the VM, the
       registry or the builtins. |result->kind| is the expected kind, INT or FLOAT; a result that is
       not a number gives 0. Nonzero after an error, which fail() has recorded. Fails inside a share
       of a parallel loop, except for RLX_KERNEL_FAIL_INDEX. */
    int32_t (*call_packed)(rlx_kernel_context *ctx, const char *name, const rlx_kernel_arg *args,
                           uint32_t n, rlx_kernel_arg *result);
};

typedef int32_t (*rlx_kernel_fn)(void *const *buffers, const int64_t *dims,
                                 rlx_kernel_context *ctx);

#ifdef __cplusplus
}
#endif

#endif

/* Scratch memory of a kernel: the temporaries of a lowered PrimFunc that are too large for the
 * stack.
 *
 * A sequence frees its allocations when it ends, so temporaries form a stack: each has an offset,
 * and the kernel needs the largest size in use at once. */
#ifndef RLXC_CODEGEN_SCRATCH_H
#define RLXC_CODEGEN_SCRATCH_H

#include "compiler/ir/tir.h"

typedef struct rlxc_scratch {
    rlxc_context *ctx;
    const rlxc_expr *const *dims;   /* the PrimFunc's symbols */
    const rlxc_expr *const *values; /* what they are at the call; NULL: unknown */
    uint32_t n_dims;
    bool in_parallel; /* parallel loops run one iteration at a time, so their temporaries count */
    /* Called with the |offset| and the |bytes| of each temporary; |bytes| is NULL if the symbols do
     * not determine it. May be NULL. */
    void (*place)(void *user, const rlxc_stmt *allocate, const rlxc_expr *offset,
                  const rlxc_expr *bytes);
    void *user;
    bool known; /* of the current expression */
} rlxc_scratch;

/* The bytes that |body| has in use at once, over |values|; NULL: none that are known. */
const rlxc_expr *rlxc_scratch_need(rlxc_scratch *w, const rlxc_stmt *body);
/* The bytes of an allocation, rounded up to a cache line; NULL if |values| do not determine them.
 */
const rlxc_expr *rlxc_scratch_bytes(rlxc_scratch *w, rlx_dtype dtype,
                                    const rlxc_expr *const *extents, uint32_t n);
/* a + b, where NULL is 0. */
const rlxc_expr *rlxc_scratch_sum(rlxc_scratch *w, const rlxc_expr *a, const rlxc_expr *b);

#endif

/* Scratch memory of a kernel: the temporaries of a lowered PrimFunc that are too large for the
 * stack.
 *
 * What a sequence allocates, it returns at its end, so temporaries are a stack: each has an offset,
 * and the most that is in use at once is what the kernel needs. */
#ifndef RLXC_CODEGEN_SCRATCH_H
#define RLXC_CODEGEN_SCRATCH_H

#include "compiler/ir/tir.h"

typedef struct rlxc_scratch {
    rlxc_context *ctx;
    const rlxc_expr *const *dims;   /* the PrimFunc's symbols */
    const rlxc_expr *const *values; /* what they are at the call; NULL: unknown */
    uint32_t n_dims;
    bool in_parallel; /* temporaries in parallel loops count, which run one turn at a time */
    /* Told where each temporary is, of |bytes| from |offset| on; NULL for bytes that the symbols do
     * not determine. May be NULL. */
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

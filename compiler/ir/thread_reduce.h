/* Sums, maxima and the like across the threads of a block. */
#ifndef RLXC_IR_THREAD_REDUCE_H
#define RLXC_IR_THREAD_REDUCE_H

#include "compiler/ir/tir.h"

enum { RLXC_MAX_REDUCED = 8 };

/* How values are combined, several at once for argmax: |results| over the variables x and y. The
 * order of combination is unspecified. */
typedef struct rlxc_reducer {
    uint32_t n;
    const rlxc_expr *x[RLXC_MAX_REDUCED], *y[RLXC_MAX_REDUCED];
    const rlxc_expr *result[RLXC_MAX_REDUCED], *identity[RLXC_MAX_REDUCED];
} rlxc_reducer;

typedef struct rlxc_thread_reduction {
    const rlxc_reducer *reducer;
    const rlxc_expr *value[RLXC_MAX_REDUCED]; /* of the thread */
    const rlxc_expr *cond;                    /* false: the thread adds nothing; NULL: true */
    const rlxc_expr *out[RLXC_MAX_REDUCED];   /* loads of where each thread stores the results */
    /* The thread's number among those that are reduced together, and that of their group in the
     * block; int32. */
    const rlxc_expr *thread, *group;
    uint32_t threads, groups;
} rlxc_thread_reduction;

/* The statements, with their shared memory. All threads of the block must come there. */
const rlxc_stmt *rlxc_reduce_threads(rlxc_context *ctx, const rlxc_thread_reduction *r);

#endif

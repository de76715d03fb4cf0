/* Shared by the files of this folder. */
#ifndef RLXC_LOWER_LOWER_H
#define RLXC_LOWER_LOWER_H

#include "compiler/ir/relax.h"
#include "compiler/ir/sym.h"
#include "compiler/target/target.h"

/* A lowered loop marked vectorized -> vector statements where extent and body allow it (constant
 * extent, stores and branch-free expressions), else the same loop made serial. */
const rlxc_stmt *rlxc_vectorize_loop(rlxc_context *ctx, const rlxc_stmt *loop);

/* The lowered body with the divided indices of fused loops joined into one index, through views of
 * the buffers (merge_indices.c). */
const rlxc_stmt *rlxc_merge_indices(rlxc_context *ctx, const rlxc_stmt *body);

/* The lowered body in which temporaries that are never in use at once share memory
 * (share_temporaries.c). */
const rlxc_stmt *rlxc_share_temporaries(rlxc_context *ctx, const rlxc_stmt *body);
/* True if |after| is |before| with temporaries in the same memory, and no two of them are in use at
 * once; otherwise an error (verify_temporaries.c). */
bool rlxc_verify_temporaries(rlxc_context *ctx, const rlxc_stmt *before, const rlxc_stmt *after,
                             rlxc_range range);

/* The body of a device's function, not lowered yet, with its reductions across threads as steps
 * (sum_threads.c). */
const rlxc_stmt *rlxc_sum_threads(rlxc_context *ctx, const rlxc_stmt *body);

/* The lowered body of a device's function, with every statement bound to threads
   (bind_threads.c). */
const rlxc_stmt *rlxc_bind_threads(rlxc_context *ctx, const rlxc_prim_func *f,
                                   const rlxc_device_limits *limits, const rlxc_stmt *body);

/* Such a body with thread-local memory made explicit and conditions moved out of loops
   (threads.c). */
const rlxc_stmt *rlxc_tidy_threads(rlxc_context *ctx, const rlxc_stmt *body);

/* Loop partitioning (partition.c), of a function. */
typedef struct rlxc_partition {
    rlxc_context *ctx;
    const rlxc_bounds *bounds; /* context of the loop */
    /* Resolves an expression of the loop in its context. */
    const rlxc_expr *(*simplify)(void *user, const rlxc_expr *e);
    void *user;
    bool needed;     /* true if a block has a predicate, or a loop the hint */
    uint32_t copies; /* of the loop, by those around it, from 1; multiplied by its own */
    rlxc_map whole;  /* loops that are cut already */
    rlxc_map kept;   /* predicates that stay; empty but inside of a call */
} rlxc_partition;
rlxc_partition rlxc_partition_begin(rlxc_context *ctx, const rlxc_stmt *body,
                                    const rlxc_bounds *bounds,
                                    const rlxc_expr *(*simplify)(void *user, const rlxc_expr *e),
                                    void *user);
/* Partitions the loop so that predicates of inner blocks are decided in each part; NULL: unchanged.
 */
const rlxc_stmt *rlxc_partition_loop(rlxc_partition *p, const rlxc_stmt *loop);
/* A copy of a loop without the hint, which nothing after lowering reads. */
rlxc_stmt *rlxc_without_hint(rlxc_context *ctx, const rlxc_stmt *loop);

#endif

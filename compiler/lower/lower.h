/* Shared by the files of this folder. */
#ifndef RLXC_LOWER_LOWER_H
#define RLXC_LOWER_LOWER_H

#include "compiler/ir/relax.h"
#include "compiler/ir/sym.h"

/* A lowered loop marked vectorized -> vector statements where extent and body allow it (constant
 * extent, stores and branch-free expressions), else the same loop made serial. */
const rlxc_stmt *rlxc_vectorize_loop(rlxc_context *ctx, const rlxc_stmt *loop);

/* Loop partitioning (partition.c), of a function. */
typedef struct rlxc_partition {
    rlxc_context *ctx;
    const rlxc_bounds *bounds; /* where the loop stands */
    /* An expression of the loop as it is known there. */
    const rlxc_expr *(*simplify)(void *user, const rlxc_expr *e);
    void *user;
    bool needed;     /* some block has a predicate, or some loop the hint */
    uint32_t copies; /* of the loop, by those around it, from 1; multiplied by its own */
    rlxc_map whole;  /* loops that are cut already */
    rlxc_map kept;   /* predicates that stay; empty but inside of a call */
} rlxc_partition;
rlxc_partition rlxc_partition_begin(rlxc_context *ctx, const rlxc_stmt *body,
                                    const rlxc_bounds *bounds,
                                    const rlxc_expr *(*simplify)(void *user, const rlxc_expr *e),
                                    void *user);
/* The loop in parts, in each of which predicates of blocks inside are known; NULL: as it is. */
const rlxc_stmt *rlxc_partition_loop(rlxc_partition *p, const rlxc_stmt *loop);
/* A copy of a loop without the hint, which nothing after lowering reads. */
rlxc_stmt *rlxc_without_hint(rlxc_context *ctx, const rlxc_stmt *loop);

#endif

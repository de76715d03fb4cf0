/* Shared by the files of loop partitioning: predicates.c finds where along a loop a predicate
 * begins or ceases to hold, partition.c splits loops there, pieces.c gives inner loops constant
 * lengths. */
#ifndef RLXC_LOWER_PARTITION_H
#define RLXC_LOWER_PARTITION_H

#include "compiler/lower/lower.h"

enum {
    RLXC_PARTITION_INNER = 32, /* loops and axes between the loop and a predicate */
    RLXC_PARTITION_CONDS = 32  /* predicates of one loop */
};

typedef struct rlxc_cut_condition {
    const rlxc_expr *cond;        /* as written in predicates */
    const rlxc_expr *first, *end; /* mixed from |first| up to |end| */
    bool rises;                   /* false before and true after, else the reverse */
    bool usable;
} rlxc_cut_condition;

typedef struct rlxc_cut_search {
    rlxc_partition *p;
    const rlxc_stmt *loop;
    bool hinted;                                  /* comparisons in stored values count as well */
    const rlxc_expr *low, *high;                  /* the region's iterations, in int64 */
    const rlxc_stmt *inner[RLXC_PARTITION_INNER]; /* loops between, the outermost first */
    const rlxc_expr *axes[RLXC_PARTITION_INNER],
        *values[RLXC_PARTITION_INNER]; /* of blocks between */
    uint32_t n_inner, n_axes;
    rlxc_cut_condition conds[RLXC_PARTITION_CONDS];
    uint32_t n;
    bool impossible;
} rlxc_cut_search;

/* Where |cond|, with enclosing axes substituted, begins or ceases to hold along the loop; false:
 * unknown. */
bool rlxc_partition_cuts(const rlxc_cut_search *s, const rlxc_expr *cond, rlxc_cut_condition *out);
/* True if both change at the same places. */
bool rlxc_partition_alike(const rlxc_cut_condition *a, const rlxc_cut_condition *b);
/* |body| for |c|, and conditions that change with it, holding or not. */
const rlxc_stmt *rlxc_partition_decided(const rlxc_cut_search *s, const rlxc_cut_condition *c,
                                        bool holds, const rlxc_stmt *body);
/* For a nest of one block in which a vectorized or unrolled loop runs only its first t iterations,
 * with t known at run time: consecutive nests of, say, 8, 4, 2 and 1 iterations, so that the loop
 * keeps a constant number of iterations and its results stay in registers. NULL for other nests. */
const rlxc_stmt *rlxc_partition_pieces(rlxc_partition *p, const rlxc_stmt *loop);

#endif

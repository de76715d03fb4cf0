/* Private to compiler/ops/sort_*.c: the order of the lines of a tensor, in a kernel. */
#ifndef RLXC_OPS_SORT_KERNEL_H
#define RLXC_OPS_SORT_KERNEL_H

#include "compiler/ops/te.h"

typedef struct rlxc_sort {
    rlxc_te_operand x;
    uint32_t axis;
    bool descending;
    const rlxc_buffer *ranks, *places; /* of each element; the element for each place */
} rlxc_sort;

/* |a| comes before |b|, which is not its equal. */
const rlxc_expr *rlxc_sort_beats(const rlxc_te *te, bool descending, const rlxc_expr *a,
                                 const rlxc_expr *b);
/* Makes r->places, for the first |count| of each line, by merging; for one thread. */
void rlxc_sort_merge(rlxc_te *te, rlxc_sort *r, const rlxc_expr *count);

#endif

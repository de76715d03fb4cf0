/* Blocks that write elements at positions that data gives, one after the other (scatter,
 * index_put), for rule scatter, and the rewrite "scatter" that its list of steps begins with. */
#ifndef RLXC_KERNELS_DEVICE_UPDATES_H
#define RLXC_KERNELS_DEVICE_UPDATES_H

#include "compiler/schedule/engine.h"
#include "compiler/schedule/stages.h"

enum { RLXC_UPDATE_LOOPS = 32 };

/* Serial loops and conditions around one store, which reads its buffer at most at the element that
 * it writes. */
typedef struct rlxc_updates {
    const rlxc_block *block;
    const rlxc_stmt *chain[RLXC_UPDATE_LOOPS], *store; /* chain: outermost first */
    uint32_t n_chain;
    /* For each dimension of the result: the loop in |chain| whose variable it is; -1: none. */
    int of_dim[RLXC_MAX_NDIM];
} rlxc_updates;

/* Block |stmt| as updates; false with a reason. */
bool rlxc_updates_of(const rlxc_stages *s, const rlxc_stmt *stmt, rlxc_updates *out);
/* The axis that dimension |d| becomes if at most |*owners| axes' turns may share it out, which is
 * divided by their number: the turns of its loop, or owners of its elements. NULL: none. */
const rlxc_expr *rlxc_updates_axis(rlxc_context *ctx, const rlxc_updates *u, uint32_t d,
                                   int64_t *owners);

/* The rewrite "scatter": the block gets spatial axes, one for each dimension of the result. Where
 * the index is a loop's variable, that loop is the axis. Others are shared out among size "owners"
 * at most: element e of n belongs to owner e % n. Each turn goes through all other loops in their
 * order and makes only the updates of its own elements, so that each element gets its updates in
 * the order as written. */
extern const rlxc_kernel_row rlxc_scatter_row;

void rlxc_step_scatter(rlxc_schedule_steps *l, rlxc_step_ref block, int64_t owners);

#endif

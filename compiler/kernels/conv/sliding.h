/* Private to compiler/kernels: windows over images with their channels last, from which what is
 * off the image is left out. find_sliding.c recognises them; schedule_sliding.c emits those that
 * slide over each channel by itself (convolutions by channel, poolings), tile.c sums over channels.
 */
#ifndef RLXC_KERNELS_CONV_SLIDING_H
#define RLXC_KERNELS_CONV_SLIDING_H

#include "compiler/schedule/stages.h"

enum {
    RLXC_SLIDING_WIDTH = 16, /* of the widest window */
    RLXC_BORDER_WIDTH = 8    /* ... of sums over channels */
};

typedef struct rlxc_sliding {
    rlxc_stage stage;              /* without the conditions that keep the window on the image */
    uint32_t channel, column, row; /* the last axes of the result; row: RLXC_STAGE_AXES: none */
    uint32_t along;                /* the reduction axis that goes along the columns */
    int64_t channels, width;       /* extents of |channel| and |along| */
    int64_t apart;                 /* columns between neighbours of |along|, at least */
    /* Of each reduction axis the part that is on the image, [from, to), which may be empty: to <
     * from. In terms of the axes of the result, of |column| for |along| only. NULL: all of it. */
    const rlxc_expr *from[RLXC_STAGE_AXES], *to[RLXC_STAGE_AXES];
    /* Columns from |first| up to |end| see all of |along|, or (rlxc_find_border) the element that
     * its variable says; there may be none, or fewer than that */
    const rlxc_expr *first, *end;
} rlxc_sliding;

/* False where the stage is nothing of the kind. */
bool rlxc_find_sliding(const rlxc_stages *s, const rlxc_stage *stage, rlxc_sliding *out);

/* The same for sums that run in register tiles whose rows are the columns: of those that are not
 * |along|, several reduction axes. False also where no condition speaks of the columns. */
bool rlxc_find_border(const rlxc_stages *s, const rlxc_stage *stage, rlxc_sliding *out);

/* One dimension of a pooling that goes dimension by dimension (compiler/ops/pool.c): a short window
 * over a temporary, or into one that another window reads. Such stages run row by row, in company.
 */
bool rlxc_is_pool_step(const rlxc_stages *s, const rlxc_stage *stage);

#endif

/* Private to compiler/kernels: windows over images with their channels last, without elements
 * outside the image. find_sliding.c recognises them; sliding.c emits channel-wise ones (depthwise
 * convolutions, poolings), tile.c sums over channels.
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
    bool overlaps;                 /* windows of neighbouring columns share elements */
    int64_t apart;                 /* columns between neighbours of |along|, at least */
    /* The part of each reduction axis on the image, [from, to), which may be empty (to < from), in
     * terms of the result's axes; only |along| may depend on |column|. NULL: all of it. */
    const rlxc_expr *from[RLXC_STAGE_AXES], *to[RLXC_STAGE_AXES];
    /* Columns from |first| up to |end| see all of |along|, or (rlxc_find_border) the element that
     * its variable says; there may be none, or fewer */
    const rlxc_expr *first, *end;
} rlxc_sliding;

/* False if the stage is not such a window. */
bool rlxc_find_sliding(const rlxc_stages *s, const rlxc_stage *stage, rlxc_sliding *out);

/* As above for sums in register tiles whose rows are the columns, with several reduction axes
 * besides |along|. False also if no condition involves the columns. */
bool rlxc_find_border(const rlxc_stages *s, const rlxc_stage *stage, rlxc_sliding *out);

/* True for one dimension of a pooling that works dimension by dimension (compiler/ops/pool.c): a
 * short window over a temporary, or into one that another window reads. Such stages run together,
 * row by row.
 */
bool rlxc_is_pool_step(const rlxc_stages *s, const rlxc_stage *stage);

#endif

/* Private to compiler/tir: windows that slide over each channel by itself, channels last
 * (convolutions by channel, poolings). find_sliding.c recognises, schedule_sliding.c emits. */
#ifndef RLXC_TIR_SLIDING_H
#define RLXC_TIR_SLIDING_H

#include "compiler/tir/stages.h"

enum { RLXC_SLIDING_WIDTH = 16 /* of the widest window */ };

typedef struct rlxc_sliding {
    rlxc_stage stage;              /* without the conditions that keep the window on the image */
    uint32_t channel, column, row; /* the last axes of the result; row: RLXC_STAGE_AXES: none */
    uint32_t along;                /* the reduction axis that goes along the columns: the last */
    int64_t channels, width;       /* extents of |channel| and |along| */
    /* Of each reduction axis the part that is on the image, [from, to), which may be empty: to <
     * from. In terms of the axes of the result, of |column| for |along| only. NULL: all of it. */
    const rlxc_expr *from[RLXC_STAGE_AXES], *to[RLXC_STAGE_AXES];
    /* Columns from |first| up to |end| see all of |along|; there may be none, or fewer than that */
    const rlxc_expr *first, *end;
} rlxc_sliding;

/* False where the stage is nothing of the kind. */
bool rlxc_find_sliding(rlxc_context *ctx, const rlxc_stage *stage, rlxc_sliding *out);

#endif

/* What rules for devices share. */
#include "compiler/kernels/device/device.h"

const rlxc_expr *rlxc_stage_elements(rlxc_context *ctx, const rlxc_stage *s)
{
    const rlxc_expr *total = rlxc_i64(ctx, 1);
    for (uint32_t i = 0; i < s->n_axes; i++)
        if (!s->reduces[i])
            total = rlxc_simplify(ctx, rlxc_mul(ctx, total, s->extents[i]), NULL);
    return total;
}

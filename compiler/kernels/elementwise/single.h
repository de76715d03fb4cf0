/* Private to compiler/kernels: loops of one block by itself. */
#ifndef RLXC_KERNELS_ELEMENTWISE_SINGLE_H
#define RLXC_KERNELS_ELEMENTWISE_SINGLE_H

#include "compiler/kernels/sizes.h"
#include "compiler/schedule/stages.h"

enum {
    RLXC_ROWS_GROUP = 16, /* stages that run together row by row, at most */
    RLXC_UNROLLED_REDUCTION = 16,
    RLXC_TRANSPOSED_BLOCK = 16 /* rows and columns of a block of a transposition */
};

/* Emits loops of the given sizes; false with a reason if they do not fit. */
bool rlxc_schedule_single(rlxc_schedule *c, const rlxc_stage *stage,
                          const rlxc_single_sizes *sizes);

/* The stages from |i| on that run together row by row, |most| at most, in |group|: their number,
 * and the leading axes that they share; 0 of one stage alone. */
uint32_t rlxc_rows_group(const rlxc_stages *s, uint32_t i, uint32_t most, const rlxc_stage **group,
                         uint32_t *out_shared);

/* What rules rows and single ask of a stage. */

/* True if the reduction has at most |most| steps: its loops are unrolled, so that the enclosing
 * loop vectorises. */
bool rlxc_is_small_reduction(const rlxc_stage *s, int64_t most);
/* True if the value is chosen by conditions: the border of an image, or joined parts. */
bool rlxc_chooses(rlxc_context *ctx, const rlxc_stage *s);
/* True for rows of more than two axes that are long enough to pay for the division that indexes
   them. */
bool rlxc_has_long_rows(const rlxc_stage *s);
/* True if the work is certainly small: not worth a function for threads. */
bool rlxc_is_small_work(const rlxc_stage *stages, uint32_t n);

#endif

/* Private to compiler/kernels: loops row by row. */
#ifndef RLXC_KERNELS_REDUCE_ROWS_H
#define RLXC_KERNELS_REDUCE_ROWS_H

#include "compiler/kernels/sizes.h"
#include "compiler/schedule/stages.h"

enum { RLXC_UNROLLED_REDUCTION = 16 };

/* One or more stages that share their leading |shared| spatial axes, row by row. The first function
 * chooses sizes, the second emits loops of given sizes; false with a reason if they do not fit. */
void rlxc_decide_row_sizes(rlxc_schedule *c, const rlxc_stage *const *stages, uint32_t n,
                           uint32_t shared, rlxc_rows_sizes *out);
bool rlxc_schedule_rows(rlxc_schedule *c, const rlxc_stage *const *stages, uint32_t n,
                        const rlxc_rows_sizes *sizes);

#endif

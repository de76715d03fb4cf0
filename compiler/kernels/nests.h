/* Helpers for rules that make lists of steps: get a stage's loops, in the order of its axes. */
#ifndef RLXC_KERNELS_NESTS_H
#define RLXC_KERNELS_NESTS_H

#include "compiler/schedule/stages.h"
#include "compiler/schedule/step.h"

typedef struct rlxc_loops { /* the spatial ones first */
    rlxc_step_ref block, loops[RLXC_STAGE_AXES];
    uint32_t n, n_spatial;
} rlxc_loops;

/* Gets the block and its loops, and reorders the loops to the order of the axes. |rule|: the rule
 * whose steps begin here; or NULL. */
rlxc_loops rlxc_open_loops(rlxc_schedule_steps *l, const rlxc_stage *s, const char *rule);
/* Fuses |count| loops from |first| on into one. */
void rlxc_fuse_loops(rlxc_schedule_steps *l, rlxc_loops *t, uint32_t first, uint32_t count);
/* Fuses the loops of axes |first| to |end| that every access of all |n| stages treats as one; these
 * loops begin at |at|. Returns their number then. */
uint32_t rlxc_fuse_alike(rlxc_schedule_steps *l, rlxc_loops *t, const rlxc_stage *const *stages,
                         uint32_t n, uint32_t first, uint32_t end, uint32_t at);

#endif

/* The loops of a stage as references in a list of steps. */
#include "compiler/kernels/nests.h"

#include "compiler/kernels/rules.h"

/* The axis that the loop drives; s->n_axes: a reduction of one step, which is none. */
static uint32_t axis_of(const rlxc_stage *s, const rlxc_expr *loop)
{
    const rlxc_stmt *block = s->stmt;
    while (block->kind == RLXC_STMT_FOR)
        block = block->loop.body;
    uint32_t axis = 0, k = 0;
    while (block->block.values[k] != loop)
        k++;
    while (axis < s->n_axes && s->vars[axis] != block->block.block->axes[k].var)
        axis++;
    return axis;
}

rlxc_loops rlxc_open_loops(rlxc_schedule_steps *l, const rlxc_stage *s, const char *rule)
{
    rlxc_loops t = {.n = 0};
    rlxc_step_ref written[RLXC_STAGE_AXES];
    uint32_t axes[RLXC_STAGE_AXES], n = 0;
    bool moved = false;
    for (const rlxc_stmt *at = s->stmt; at->kind == RLXC_STMT_FOR; at = at->loop.body) {
        axes[n] = axis_of(s, at->loop.var);
        moved = moved || (n > 0 && axes[n] < axes[n - 1]);
        n++;
    }
    t.block = rlxc_step_get_block(l, rlxc_stage_name(s));
    if (rule)
        rlxc_step_annotate(l, t.block, RLXC_RULE_MARK, rlxc_attr_string(l->ctx, rule));
    rlxc_step_get_loops(l, t.block, written, n);
    for (uint32_t a = 0; a <= s->n_axes; a++)
        for (uint32_t k = 0; k < n; k++)
            if (axes[k] == a)
                t.loops[t.n++] = written[k];
    for (uint32_t a = 0; a < s->n_axes; a++)
        t.n_spatial += !s->reduces[a];
    if (moved)
        (void)rlxc_step_loops(l, RLXC_STEP_reorder, t.loops, t.n);
    return t;
}

void rlxc_fuse_loops(rlxc_schedule_steps *l, rlxc_loops *t, uint32_t first, uint32_t count)
{
    if (count < 2)
        return;
    t->loops[first] = rlxc_step_loops(l, RLXC_STEP_fuse, t->loops + first, count);
    for (uint32_t k = first + 1; k + count - 1 < t->n; k++)
        t->loops[k] = t->loops[k + count - 1];
    t->n_spatial -= first < t->n_spatial ? count - 1 : 0;
    t->n -= count - 1;
}

uint32_t rlxc_fuse_alike(rlxc_schedule_steps *l, rlxc_loops *t, const rlxc_stage *const *stages,
                         uint32_t n, uint32_t first, uint32_t end, uint32_t at)
{
    uint32_t left = 0;
    for (uint32_t a = first; a < end; left++) {
        uint32_t count = 1;
        for (bool all = true; all && a + count < end; count += all)
            for (uint32_t i = 0; i < n; i++)
                all = all && rlxc_axes_merge(l->ctx, stages[i], a + count - 1);
        rlxc_fuse_loops(l, t, at + left, count);
        a += count;
    }
    return left;
}

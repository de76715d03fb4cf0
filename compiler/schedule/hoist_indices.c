/* Hoists numbers in memory that indices are computed from, given as a tensor of rank 0 (the
 * iteration of a loop). They are read once, in front of the loops: after a store that might change
 * one, LLVM would reload it for every element, and not vectorise. */
#include "compiler/schedule/stages.h"

typedef struct positions {
    rlxc_context *ctx;
    RLXC_VEC(const rlxc_expr *) loads;
} positions;

static bool add_position(void *user, const rlxc_expr *e)
{
    positions *p = user;
    if (e->kind != RLXC_EXPR_LOAD || e->load.n > 0)
        return true;
    for (uint32_t i = 0; i < p->loads.count; i++)
        if (p->loads.items[i] == e)
            return true;
    RLXC_PUSH(p->ctx, &p->loads, e);
    return true;
}

static bool add_positions(void *user, const rlxc_expr *e)
{
    positions *p = user;
    for (uint32_t i = 0; e->kind == RLXC_EXPR_LOAD && i < e->load.n; i++)
        rlxc_expr_visit(p->ctx, e->load.indices[i], add_position, p);
    return true;
}

void rlxc_name_positions(rlxc_schedule *c, rlxc_stage *stages, uint32_t n)
{
    rlxc_context *ctx = c->s->ctx;
    positions p = {.ctx = ctx};
    for (uint32_t i = 0; i < n; i++)
        rlxc_expr_visit(ctx, stages[i].value, add_positions, &p);
    for (uint32_t k = 0; k < p.loads.count; k++) {
        const rlxc_expr *load = p.loads.items[k];
        bool written = false;
        for (uint32_t i = 0; i < n; i++)
            written = written || stages[i].out == load->load.buffer;
        if (written)
            continue;
        const rlxc_expr *var = rlxc_var_for(ctx, "position", load);
        RLXC_PUSH(ctx, &c->out, rlxc_stmt_let(ctx, var, load));
        for (uint32_t i = 0; i < n; i++)
            stages[i].value = rlxc_replace_loads(ctx, stages[i].value, load->load.buffer, var);
    }
}

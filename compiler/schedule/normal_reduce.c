/* Reductions in normal form: the init is part of the block, and the update has the accumulator
 * first, then the new term. */
#include <string.h>

#include "compiler/schedule/normal.h"

static bool commutes(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_MUL || e->kind == RLXC_EXPR_MIN ||
           e->kind == RLXC_EXPR_MAX || e->kind == RLXC_EXPR_AND || e->kind == RLXC_EXPR_OR;
}

static bool is_load_of(const rlxc_expr *e, const rlxc_buffer *buffer)
{
    return e->kind == RLXC_EXPR_LOAD && e->load.buffer == buffer;
}

static rlxc_block *changed(rlxc_context *ctx, const rlxc_block *block)
{
    rlxc_block *copy = rlxc_copy(ctx, block, sizeof *copy);
    rlxc_forget_regions(copy);
    return copy;
}

static const rlxc_stmt *stored(rlxc_context *ctx, const rlxc_stmt *store, const rlxc_expr *value)
{
    rlxc_stmt *copy = rlxc_copy(ctx, store, sizeof *copy);
    copy->store.value = value;
    return copy;
}

void rlxc_order_operands(rlxc_context *ctx, rlxc_nest *nest)
{
    const rlxc_stmt *store = nest->block->body;
    const rlxc_expr *v = store->store.value;
    if (!commutes(v) || !is_load_of(v->bin.b, store->store.buffer) ||
        is_load_of(v->bin.a, store->store.buffer))
        return;
    rlxc_block *block = changed(ctx, nest->block);
    block->body = stored(ctx, store, rlxc_binary(ctx, (rlxc_expr_kind)v->kind, v->bin.b, v->bin.a));
    nest->block = block;
}

/* --- init ------------------------------------------------------------------------------------- */

/* The name of the block before another tool split it. */
static const char *whole_name(rlxc_context *ctx, const char *name)
{
    static const char suffix[] = "_update";
    const size_t n = strlen(name), tail = sizeof suffix - 1;
    return n > tail && strcmp(name + n - tail, suffix) == 0 ? rlxc_intern(ctx, name, n - tail)
                                                            : name;
}

bool rlxc_join_init(rlxc_context *ctx, rlxc_nest *update, const rlxc_nest *init)
{
    const rlxc_block *u = update->block, *b = init->block;
    const rlxc_expr *vars[RLXC_NEST_AXES], *values[RLXC_NEST_AXES];
    const rlxc_stmt *store = b->body;
    uint32_t n = 0;
    bool reduces = false;
    for (uint32_t k = 0; k < u->n_axes; k++)
        reduces = reduces || u->axes[k].kind == RLXC_AXIS_REDUCE;
    if (!reduces || u->init || b->init || store->store.buffer != u->body->store.buffer ||
        rlxc_nest_reads_own(ctx, b) || !rlxc_nest_reads_own(ctx, u))
        return false;
    for (uint32_t i = 0; i < store->store.n; i++) {
        const rlxc_expr *x = store->store.indices[i], *y = u->body->store.indices[i];
        const uint32_t p = rlxc_block_axis(b, x), q = rlxc_block_axis(u, y);
        if (p == b->n_axes || q == u->n_axes) {
            if (x != y)
                return false;
            continue;
        }
        if (!rlxc_prove_eq(ctx, init->extents[p], update->extents[q], NULL))
            return false;
        vars[n] = x;
        values[n++] = rlxc_cast(ctx, x->dtype, y);
    }
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_REDUCE)
            return false;
    rlxc_block *joined = changed(ctx, u);
    rlxc_stmt *start = rlxc_copy(ctx, store, sizeof *start);
    start->store.indices = u->body->store.indices;
    start->store.value = rlxc_substitute(ctx, store->store.value, vars, values, n);
    joined->init = start;
    joined->name = whole_name(ctx, u->name);
    update->block = joined;
    return true;
}

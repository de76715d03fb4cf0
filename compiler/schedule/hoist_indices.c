/* Index values that are computed once, in front of the loops.
 *
 * Numbers in memory that indices are computed from, given as a tensor of rank 0 (the iteration of a
 * loop), are read once: after a store that might change one, LLVM would reload it for every
 * element, and not vectorise. Indices computed in floating point from the position along the last
 * axis alone (resizing an image) are equal in every row: they get a table. */
#include "compiler/schedule/stages.h"

/* --- numbers in memory ------------------------------------------------------------------------ */

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

/* --- tables ----------------------------------------------------------------------------------- */

typedef struct tables {
    rlxc_schedule *c;
    rlxc_context *ctx;
    const rlxc_stage *stage;
    uint32_t last; /* the axis */
    rlxc_map made; /* index -> the element of its table */
    bool bad, converts;
} tables;

/* True if a node of an index allows a table: it depends only on the last axis, and reads only a
 * vector along it that is not written meanwhile. */
static bool check_node(void *user, const rlxc_expr *e)
{
    tables *t = user;
    const rlxc_stage *s = t->stage;
    if (e->kind == RLXC_EXPR_CAST && rlxc_dtype_is_float(e->bin.a->dtype) &&
        rlxc_dtype_is_int(e->dtype))
        t->converts = true;
    for (uint32_t i = 0; e->kind == RLXC_EXPR_VAR && i < s->n_axes; i++)
        t->bad = t->bad || (e == s->vars[i] && i != t->last);
    t->bad = t->bad || e->kind == RLXC_EXPR_LET || e->dtype.lanes > 1;
    if (e->kind == RLXC_EXPR_LOAD) {
        const rlxc_buffer *b = e->load.buffer;
        t->bad = t->bad || e->load.n != 1 || e->load.indices[0] != s->vars[t->last] ||
                 rlxc_stage_is_temp(t->c->s, b) || b == s->out ||
                 !rlxc_prove_eq(t->ctx, b->shape[0], s->extents[t->last], NULL);
    }
    return !t->bad;
}

static const rlxc_expr *table_of(tables *t, const rlxc_expr *index)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_stage *s = t->stage;
    const rlxc_expr *var = s->vars[t->last], *extent = s->extents[t->last];
    const rlxc_expr *known = rlxc_map_get(&t->made, rlxc_key(index));
    if (known)
        return known;
    t->bad = t->converts = false;
    if (index->kind == RLXC_EXPR_VAR || !rlxc_dtype_eq(index->dtype, RLX_I64) ||
        !rlxc_expr_uses_var(ctx, index, var))
        return NULL;
    rlxc_expr_visit(ctx, index, check_node, t);
    if (t->bad || !t->converts)
        return NULL;
    rlxc_buffer *table = rlxc_local_buffer(t->c, "index", RLX_I64, &extent, 1);
    const rlxc_expr *i = rlxc_loop_var(ctx, "i");
    const rlxc_expr *value = rlxc_replace(ctx, index, &var, &i, 1);
    RLXC_PUSH(
        ctx, &t->c->out,
        rlxc_loop_of(ctx, i, extent, RLXC_LOOP_SERIAL, rlxc_stmt_store(ctx, table, &i, 1, value)));
    const rlxc_expr *element = rlxc_load(ctx, table, &var, 1);
    rlxc_map_set(ctx, &t->made, rlxc_key(index), (void *)(uintptr_t)element);
    return element;
}

/* A load with table lookups in place of computed indices. */
static const rlxc_expr *take_from_tables(void *user, const rlxc_expr *e)
{
    tables *t = user;
    bool any = false;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    const rlxc_expr **at = rlxc_alloc(t->ctx, (e->load.n + 1) * sizeof *at);
    for (uint32_t i = 0; i < e->load.n; i++) {
        const rlxc_expr *element = table_of(t, e->load.indices[i]);
        any = any || element;
        at[i] =
            element ? element : rlxc_expr_rewrite(t->ctx, e->load.indices[i], take_from_tables, t);
    }
    return any ? rlxc_load(t->ctx, e->load.buffer, at, e->load.n) : NULL;
}

void rlxc_table_indices(rlxc_schedule *c, rlxc_stage *stages, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        rlxc_stage *s = &stages[i];
        tables t = {.c = c, .ctx = c->s->ctx, .stage = s, .last = s->n_axes - 1};
        if (!s->init && s->n_axes > 1)
            s->value = rlxc_expr_rewrite(t.ctx, s->value, take_from_tables, &t);
    }
}

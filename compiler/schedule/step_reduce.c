/* Steps decompose_reduction and rfactor. */
#include <string.h>

#include "compiler/schedule/tree.h"

enum { MAX_LOOPS = 32 };

static bool uses_any(rlxc_engine *e, const rlxc_expr *value, const rlxc_node_list *loops,
                     const bool *which, bool wanted)
{
    for (uint32_t i = 0; i < loops->items.count; i++)
        if (which[i] == wanted && rlxc_expr_uses_var(e->ctx, value, loops->items.items[i]->var))
            return true;
    return false;
}

/* The conditions of a predicate that speak of the |kept| loops alone; false where one speaks of
 * both kinds. */
static bool kept_part(rlxc_engine *e, const rlxc_expr *predicate, const rlxc_node_list *loops,
                      const bool *kept, const rlxc_expr **out)
{
    if (!predicate)
        return true;
    if (predicate->kind == RLXC_EXPR_AND)
        return kept_part(e, predicate->bin.a, loops, kept, out) &&
               kept_part(e, predicate->bin.b, loops, kept, out);
    bool some = uses_any(e, predicate, loops, kept, true);
    bool other = uses_any(e, predicate, loops, kept, false);
    if (some && other)
        return rlxc_refuse(e, "condition %s is about results and reductions at once",
                           rlxc_expr_text(e, predicate));
    if (!other)
        *out = rlxc_both(e, *out, predicate);
    return true;
}

static bool check_decompose(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop)
{
    if (!block->block->init)
        return rlxc_refuse(e, "block '%s' has no initial value: it is no reduction, or it was "
                              "decomposed",
                           rlxc_block_of(block));
    if (!rlxc_is_inside(block, loop) || rlxc_scope_of(block) != rlxc_scope_of(loop))
        return rlxc_refuse(e, "loop %s is not around block '%s'", rlxc_loop_name(e, loop),
                           rlxc_block_of(block));
    for (const rlxc_node *at = loop->parent; at && at->kind != RLXC_NODE_BLOCK; at = at->parent) {
        const char *axis;
        if (at->kind == RLXC_NODE_LOOP && rlxc_serves(e, at, block, RLXC_AXIS_REDUCE, &axis))
            return rlxc_refuse(e, "loop %s is inside loop %s, which serves the reduction axis '%s' "
                                  "of block '%s': the initial value would be written in each of "
                                  "its iterations",
                               rlxc_loop_name(e, loop), rlxc_loop_name(e, at), axis,
                               rlxc_block_of(block));
    }
    return true;
}

bool rlxc_apply_decompose_reduction(rlxc_engine *e)
{
    rlxc_node *block = rlxc_arg_block(e, "block");
    rlxc_node *loop = block ? rlxc_arg_loop(e, "loop") : NULL;
    rlxc_node_list around = {0}, loops = {0};
    bool kept[MAX_LOOPS] = {false};
    const rlxc_expr *predicate = NULL, *vars[MAX_LOOPS], *fresh[MAX_LOOPS];
    if (!loop || !check_decompose(e, block, loop))
        return false;
    rlxc_loops_around(e, block, &around);
    for (uint32_t i = 0; i < around.items.count; i++)
        if (rlxc_is_inside(around.items.items[i], loop))
            RLXC_PUSH(e->ctx, &loops.items, around.items.items[i]);
    uint32_t n = loops.items.count;
    if (n > MAX_LOOPS)
        return rlxc_refuse(e, "more than %d loops", MAX_LOOPS);
    for (uint32_t i = 0; i < n; i++)
        kept[i] = rlxc_serves(e, loops.items.items[i], block, RLXC_AXIS_SPATIAL, NULL);
    if (!kept_part(e, block->predicate, &loops, kept, &predicate))
        return false;
    const rlxc_block *b = block->block;
    rlxc_axis *axes = rlxc_try_alloc(e->ctx, (size_t)b->n_axes + 1, sizeof *axes);
    const rlxc_expr **values = rlxc_try_alloc(e->ctx, (size_t)b->n_axes + 1, sizeof *values);
    if (!axes || !values)
        return false;
    rlxc_block init = {.axes = axes, .annotations = b->annotations};
    for (uint32_t k = 0; k < b->n_axes; k++) {
        if (b->axes[k].kind != RLXC_AXIS_SPATIAL)
            continue;
        axes[init.n_axes] = b->axes[k];
        axes[init.n_axes].var = rlxc_var_like(e->ctx, b->axes[k].var);
        values[init.n_axes++] = block->values[k];
    }
    init.name = rlxc_block_name(e, rlxc_internf(e->ctx, "%s_init", rlxc_block_of(block)));
    rlxc_node *node = rlxc_new_block(e, &init, values, predicate, b->init), *nest = node;
    for (uint32_t k = 0, at = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_SPATIAL)
            rlxc_replace_below(e, node->kids.items.items[0], &b->axes[k].var, &axes[at++].var, 1);
    for (uint32_t i = n; i-- > 0;) {
        const rlxc_node *old = loops.items.items[i];
        vars[i] = old->var;
        fresh[i] = rlxc_var_like(e->ctx, old->var);
        if (!kept[i])
            continue;
        rlxc_node *copy = rlxc_new_loop(e, fresh[i], old->extent);
        copy->min = old->min;
        copy->loop_kind = old->loop_kind;
        copy->annotations = old->annotations;
        rlxc_adopt(e, copy, nest);
        nest = copy;
    }
    rlxc_replace_below(e, nest, vars, fresh, n);
    rlxc_node *parent = loop->parent;
    while (parent->kind == RLXC_NODE_SEQ)
        parent = parent->parent;
    rlxc_insert(e, parent, rlxc_position_in(parent, loop), nest);
    block->block->init = NULL;
    block->block->name =
        rlxc_block_name(e, rlxc_internf(e->ctx, "%s_update", rlxc_block_of(block)));
    rlxc_give(e, 0, node);
    return true;
}

/* --- rfactor ---------------------------------------------------------------------------------- */

typedef struct reducer { /* out = out op value */
    rlxc_expr_kind op;
    const rlxc_expr *value, *identity;
} reducer;

/* The body and init of a sum, product, minimum or maximum whose initial value changes nothing. */
static bool find_reducer(rlxc_engine *e, const rlxc_node *block, reducer *out)
{
    static const struct {
        rlxc_expr_kind op;
        double identity;
        bool any; /* any initial value may be there more than once */
    } known[] = {{RLXC_EXPR_ADD, 0, false},
                 {RLXC_EXPR_MUL, 1, false},
                 {RLXC_EXPR_MIN, 0, true},
                 {RLXC_EXPR_MAX, 0, true}};
    const rlxc_stmt *store = rlxc_only_store(block), *init = block->block->init;
    if (!store || !init)
        return rlxc_refuse(e, "block '%s' is no reduction of one store", rlxc_block_of(block));
    const rlxc_expr *x = store->store.value, *start = init->store.value;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (x->kind != known[i].op)
            continue;
        for (int side = 0; side < 2; side++) {
            const rlxc_expr *self = side ? x->bin.b : x->bin.a;
            bool same = self->kind == RLXC_EXPR_LOAD && self->load.buffer == store->store.buffer;
            for (uint32_t k = 0; k < store->store.n && same; k++)
                same = self->load.indices[k] == store->store.indices[k] &&
                       init->store.indices[k] == store->store.indices[k];
            if (!same)
                continue;
            bool neutral = known[i].any ||
                           (start->kind == RLXC_EXPR_FLOAT && start->f == known[i].identity) ||
                           (start->kind == RLXC_EXPR_INT && (double)start->i == known[i].identity);
            if (!neutral)
                return rlxc_refuse(e, "block '%s' begins with %s, which would be added for every "
                                      "part",
                                   rlxc_block_of(block), rlxc_expr_text(e, start));
            *out = (reducer){known[i].op, side ? x->bin.a : x->bin.b, start};
            return true;
        }
    }
    return rlxc_refuse(e, "block '%s' stores %s: no sum, product, minimum or maximum",
                       rlxc_block_of(block), rlxc_expr_text(e, x));
}

/* Loops of |block| are perfect up to its scope, those of reductions of no other use. */
static bool check_nest(rlxc_engine *e, const rlxc_node *block, const rlxc_node_list *loops,
                       const rlxc_node *loop)
{
    bool found = false;
    for (uint32_t i = 0; i < loops->items.count; i++) {
        const rlxc_node *at = loops->items.items[i];
        const char *axis;
        found = found || at == loop;
        if (rlxc_n_children(at) != 1)
            return rlxc_refuse(e, "loop %s holds more than block '%s'", rlxc_loop_name(e, at),
                               rlxc_block_of(block));
        if (rlxc_serves(e, at, block, RLXC_AXIS_REDUCE, &axis) &&
            rlxc_serves(e, at, block, RLXC_AXIS_SPATIAL, NULL))
            return rlxc_refuse(e, "loop %s serves the reduction axis '%s' and results at once",
                               rlxc_loop_name(e, at), axis);
    }
    return found;
}

/* The only block under |loop|, a reduction along it. */
static rlxc_node *reduced_along(rlxc_engine *e, rlxc_node *loop)
{
    rlxc_node_list blocks = {0};
    rlxc_blocks_in(e, loop, false, &blocks);
    rlxc_node *block = blocks.items.count ? blocks.items.items[0] : NULL;
    if (block && blocks.items.count == 1 && rlxc_serves(e, loop, block, RLXC_AXIS_REDUCE, NULL))
        return block;
    rlxc_refuse(e, "loop %s serves no reduction axis of one block", rlxc_loop_name(e, loop));
    return NULL;
}

bool rlxc_apply_rfactor(rlxc_engine *e)
{
    rlxc_context *ctx = e->ctx;
    rlxc_node *loop = rlxc_arg_loop(e, "loop");
    rlxc_node *block = loop ? reduced_along(e, loop) : NULL;
    rlxc_node_list loops = {0};
    reducer op;
    int64_t position;
    const char *why;
    if (!block || !rlxc_arg_int(e, "factor_axis", 0, &position) || !find_reducer(e, block, &op))
        return false;
    rlxc_loops_around(e, block, &loops);
    if (!check_nest(e, block, &loops, loop))
        return false;
    if (!rlxc_is_injective(e, block, &why))
        return rlxc_refuse(e, "block '%s': %s", rlxc_block_of(block), why);
    const rlxc_block *b = block->block;
    const rlxc_stmt *store = rlxc_only_store(block);
    const rlxc_buffer *out = store->store.buffer;
    uint32_t n = out->ndim, n_axes = 0;
    if (position < 0)
        position += (int64_t)n + 1;
    if (position < 0 || position > n || n + 1 > MAX_LOOPS || b->n_axes > MAX_LOOPS ||
        loops.items.count > MAX_LOOPS)
        return rlxc_refuse(e, "factor_axis %lld: '%s' has %u dimensions", (long long)position,
                           out->name, n);
    if (rlxc_expr_uses_var(ctx, loop->extent, loop->var) || !rlxc_is_const(loop->min, 0))
        return rlxc_refuse(e, "loop %s does not begin at 0", rlxc_loop_name(e, loop));
    /* axes of the parts: the results' own, and one for each loop of the reduction */
    rlxc_axis axes[2 * MAX_LOOPS];
    const rlxc_expr *values[2 * MAX_LOOPS], *old[MAX_LOOPS], *now[MAX_LOOPS];
    const rlxc_expr *loop_vars[MAX_LOOPS], *loop_axes[MAX_LOOPS], *part = NULL;
    uint32_t n_loops = 0, n_old = 0;
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_SPATIAL) {
            axes[n_axes] = b->axes[k];
            values[n_axes++] = block->values[k];
        }
    for (uint32_t i = 0; i < loops.items.count; i++) {
        const rlxc_node *at = loops.items.items[i];
        if (!rlxc_serves(e, at, block, RLXC_AXIS_REDUCE, NULL))
            continue;
        const rlxc_expr *var = rlxc_var(ctx, rlxc_internf(ctx, "v%s", at->var->var.name),
                                        at->var->dtype);
        axes[n_axes] = (rlxc_axis){at == loop ? RLXC_AXIS_SPATIAL : RLXC_AXIS_REDUCE, var, at->min,
                                   at->extent};
        values[n_axes++] = at->var;
        loop_vars[n_loops] = at->var;
        loop_axes[n_loops++] = var;
        part = at == loop ? var : part;
    }
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_REDUCE) {
            old[n_old] = b->axes[k].var;
            now[n_old++] = rlxc_substitute(ctx, block->values[k], loop_vars, loop_axes, n_loops);
        }
    bool kept[MAX_LOOPS];
    for (uint32_t i = 0; i < loops.items.count; i++)
        kept[i] = !rlxc_serves(e, loops.items.items[i], block, RLXC_AXIS_REDUCE, NULL);
    const rlxc_expr *predicate = NULL, *inside = NULL;
    if (!kept_part(e, block->predicate, &loops, kept, &predicate))
        return false;
    for (uint32_t i = 0; i < loops.items.count; i++)
        kept[i] = !kept[i];
    if (!kept_part(e, block->predicate, &loops, kept, &inside))
        return false;
    if (inside)
        inside = rlxc_substitute(ctx, inside, loop_vars, loop_axes, n_loops);
    /* the buffer of the parts */
    const rlxc_expr *shape[MAX_LOOPS], *at[MAX_LOOPS];
    for (uint32_t d = 0, from = 0; d <= n; d++) {
        bool here = d == (uint32_t)position;
        shape[d] = here ? rlxc_cast(ctx, RLX_I64, loop->extent) : out->shape[from];
        at[d] = here ? part : store->store.indices[from];
        from += !here;
    }
    const char *name = rlxc_internf(ctx, "%s_rf", out->name);
    rlxc_buffer *parts = rlxc_buffer_new(ctx, name, out->dtype, shape, n + 1);
    parts->scope = rlxc_intern_cstr(ctx, "global");
    rlxc_add_temp(e, parts);
    const rlxc_expr *value = rlxc_substitute(ctx, op.value, old, now, n_old);
    const rlxc_stmt *body = rlxc_stmt_store(
        ctx, parts, at, n + 1, rlxc_binary(ctx, op.op, rlxc_load(ctx, parts, at, n + 1), value));
    if (inside) /* parts without any element keep their initial value */
        body = rlxc_stmt_if(ctx, inside, body, NULL);
    rlxc_block rf = {.name = rlxc_block_name(e, rlxc_internf(ctx, "%s_rf", rlxc_block_of(block))),
                     .axes = rlxc_copy(ctx, axes, n_axes * sizeof *axes),
                     .n_axes = n_axes,
                     .annotations = b->annotations};
    bool reduces = false;
    for (uint32_t k = 0; k < n_axes; k++)
        reduces = reduces || axes[k].kind == RLXC_AXIS_REDUCE;
    const rlxc_stmt *start = rlxc_stmt_store(ctx, parts, at, n + 1, op.identity);
    if (reduces)
        rf.init = start;
    else if (!inside) /* one element in each part */
        body = rlxc_stmt_store(ctx, parts, at, n + 1, value);
    else
        body = rlxc_stmt_seq(ctx, (const rlxc_stmt *[]){start, body}, 2);
    rlxc_node *made = rlxc_new_block(e, &rf, values, predicate, body);
    rlxc_put_for(e, block, made);
    /* the sum of the parts: the block itself, over its results and the parts */
    const rlxc_expr *sum_part = rlxc_var(ctx, rlxc_intern_cstr(ctx, "vpart"), RLX_I64);
    rlxc_axis *sum_axes = rlxc_try_alloc(ctx, (size_t)b->n_axes + 1, sizeof *sum_axes);
    if (!sum_axes)
        return false;
    uint32_t n_sum = 0;
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_SPATIAL)
            sum_axes[n_sum++] = b->axes[k];
    sum_axes[n_sum++] = (rlxc_axis){RLXC_AXIS_REDUCE, sum_part, rlxc_i64(ctx, 0),
                                    rlxc_cast(ctx, RLX_I64, loop->extent)};
    at[position] = sum_part;
    block->block->axes = sum_axes;
    block->block->n_axes = n_sum;
    block->values = rlxc_try_alloc(ctx, (size_t)n_sum + 1, sizeof *block->values);
    if (!block->values)
        return false;
    const rlxc_expr *self = rlxc_load(ctx, out, store->store.indices, n);
    rlxc_set_body(e, block,
                  rlxc_stmt_store(ctx, out, store->store.indices, n,
                                  rlxc_binary(ctx, op.op, self,
                                              rlxc_load(ctx, parts, at, n + 1))));
    rlxc_domain all = {0};
    rlxc_node *nest = rlxc_nest_over(e, block, &all, true);
    rlxc_node *scope = rlxc_scope_of(made);
    rlxc_insert(e, scope, rlxc_position_in(scope, made) + 1, nest);
    rlxc_give(e, 0, made);
    return true;
}

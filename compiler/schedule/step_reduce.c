/* Steps decompose_reduction and rfactor. */
#include <string.h>

#include "compiler/ir/operation.h"
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

/* The conditions of a predicate that involve only the |kept| loops; false if one involves both
 * kinds. */
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
        return rlxc_refuse(e, "condition %s involves both result and reduction axes",
                           rlxc_expr_text(e, predicate));
    if (!other)
        *out = rlxc_both(e, *out, predicate);
    return true;
}

static bool check_decompose(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop)
{
    if (!block->block->init)
        return rlxc_refuse(
            e, "block '%s' has no initial value: it is not a reduction, or was decomposed",
            rlxc_block_of(block));
    if (!rlxc_is_inside(block, loop) || rlxc_scope_of(block) != rlxc_scope_of(loop))
        return rlxc_refuse(e, "loop %s is not around block '%s'", rlxc_loop_name(e, loop),
                           rlxc_block_of(block));
    for (const rlxc_node *at = loop->parent; at && at->kind != RLXC_NODE_BLOCK; at = at->parent) {
        const char *axis;
        if (at->kind == RLXC_NODE_LOOP && rlxc_serves(e, at, block, RLXC_AXIS_REDUCE, &axis))
            return rlxc_refuse(
                e,
                "loop %s is inside loop %s, which drives the reduction axis '%s' of block '%s': "
                "the initial value would be written in each of its iterations",
                rlxc_loop_name(e, loop), rlxc_loop_name(e, at), axis, rlxc_block_of(block));
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
    rlxc_block init = {.axes = axes, .annotations = rlxc_with_tag(e->ctx, b->annotations, NULL)};
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
        copy->thread = old->thread;
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
    static const rlxc_expr_kind known[] = {RLXC_EXPR_ADD, RLXC_EXPR_MUL, RLXC_EXPR_MIN,
                                           RLXC_EXPR_MAX};
    const rlxc_stmt *store = rlxc_only_store(block), *init = block->block->init;
    if (!store || !init)
        return rlxc_refuse(e, "block '%s' is not a reduction with one store", rlxc_block_of(block));
    const rlxc_expr *x = store->store.value, *start = init->store.value;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (x->kind != known[i])
            continue;
        for (int side = 0; side < 2; side++) {
            const rlxc_expr *self = side ? x->bin.b : x->bin.a;
            bool same = self->kind == RLXC_EXPR_LOAD && self->load.buffer == store->store.buffer;
            for (uint32_t k = 0; k < store->store.n && same; k++)
                same = self->load.indices[k] == store->store.indices[k] &&
                       init->store.indices[k] == store->store.indices[k];
            if (!same)
                continue;
            if (!rlxc_parts_may_begin_at(known[i], start))
                return rlxc_refuse(
                    e, "block '%s' has the initial value %s, which every part would add",
                    rlxc_block_of(block), rlxc_expr_text(e, start));
            *out = (reducer){known[i], side ? x->bin.a : x->bin.b, start};
            return true;
        }
    }
    return rlxc_refuse(e, "block '%s' stores %s, which is not a sum, product, minimum or maximum",
                       rlxc_block_of(block), rlxc_expr_text(e, x));
}

/* Checks that the loops of |block| are a perfect nest up to its scope, and reduction loops have no
 * other use. */
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
            return rlxc_refuse(e, "loop %s drives both the reduction axis '%s' and result axes",
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
    rlxc_refuse(e, "loop %s drives no reduction axis of a single block", rlxc_loop_name(e, loop));
    return NULL;
}

/* The origin of the axes of the partial reductions. */
typedef struct factoring {
    rlxc_engine *e;
    rlxc_node *block, *loop;
    rlxc_node_list loops;
    reducer op;
    uint32_t position; /* of the new dimension */
    rlxc_axis axes[2 * MAX_LOOPS];
    const rlxc_expr *values[2 * MAX_LOOPS], *part;
    uint32_t n_axes;
    const rlxc_expr *old[MAX_LOOPS], *now[MAX_LOOPS]; /* the block's axes, in those of the parts */
    uint32_t n_old;
    const rlxc_expr *predicate, *inside; /* about results; about the reduction, in the new axes */
} factoring;

/* Axes: the results' own, and one for each loop of the reduction. */
static bool part_axes(factoring *f)
{
    rlxc_engine *e = f->e;
    rlxc_context *ctx = e->ctx;
    const rlxc_block *b = f->block->block;
    const rlxc_expr *loop_vars[MAX_LOOPS], *loop_axes[MAX_LOOPS];
    bool kept[MAX_LOOPS];
    uint32_t n = 0;
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_SPATIAL) {
            f->axes[f->n_axes] = b->axes[k];
            f->axes[f->n_axes].var = f->now[f->n_old] = rlxc_var_like(ctx, b->axes[k].var);
            f->old[f->n_old++] = b->axes[k].var;
            f->values[f->n_axes++] = f->block->values[k];
        }
    for (uint32_t i = 0; i < f->loops.items.count; i++) {
        const rlxc_node *at = f->loops.items.items[i];
        kept[i] = !rlxc_serves(e, at, f->block, RLXC_AXIS_REDUCE, NULL);
        if (kept[i])
            continue;
        const char *name = rlxc_internf(ctx, "v%s", at->var->var.name);
        const rlxc_expr *var = rlxc_var(ctx, name, at->var->dtype);
        rlxc_axis_kind kind = at == f->loop ? RLXC_AXIS_SPATIAL : RLXC_AXIS_REDUCE;
        f->axes[f->n_axes] = (rlxc_axis){kind, var, at->min, at->extent};
        f->values[f->n_axes++] = at->var;
        loop_vars[n] = at->var;
        loop_axes[n++] = var;
        f->part = at == f->loop ? var : f->part;
    }
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_REDUCE) {
            f->old[f->n_old] = b->axes[k].var;
            f->now[f->n_old++] = rlxc_substitute(ctx, f->block->values[k], loop_vars, loop_axes, n);
        }
    if (!kept_part(e, f->block->predicate, &f->loops, kept, &f->predicate))
        return false;
    for (uint32_t i = 0; i < f->loops.items.count; i++)
        kept[i] = !kept[i];
    if (!kept_part(e, f->block->predicate, &f->loops, kept, &f->inside))
        return false;
    if (f->inside)
        f->inside = rlxc_substitute(ctx, f->inside, loop_vars, loop_axes, n);
    return true;
}

/* The block of partial results, in place of the reduction; returns their buffer. */
static rlxc_buffer *make_parts(factoring *f, const rlxc_stmt *store, rlxc_node **out)
{
    rlxc_context *ctx = f->e->ctx;
    const rlxc_buffer *to = store->store.buffer;
    const rlxc_expr *shape[MAX_LOOPS], *at[MAX_LOOPS];
    uint32_t n = to->ndim;
    for (uint32_t d = 0, from = 0; d <= n; d++) {
        bool here = d == f->position;
        shape[d] = here ? rlxc_cast(ctx, RLX_I64, f->loop->extent) : to->shape[from];
        at[d] = here ? f->part
                     : rlxc_substitute(ctx, store->store.indices[from], f->old, f->now, f->n_old);
        from += !here;
    }
    rlxc_buffer *parts =
        rlxc_buffer_new(ctx, rlxc_internf(ctx, "%s_rf", to->name), to->dtype, shape, n + 1);
    parts->scope = rlxc_intern_cstr(ctx, "global");
    rlxc_add_temp(f->e, parts);
    const rlxc_expr *value = rlxc_substitute(ctx, f->op.value, f->old, f->now, f->n_old);
    const rlxc_expr *sum = rlxc_binary(ctx, f->op.op, rlxc_load(ctx, parts, at, n + 1), value);
    const rlxc_stmt *start = rlxc_stmt_store(ctx, parts, at, n + 1, f->op.identity);
    const rlxc_stmt *body = rlxc_stmt_store(ctx, parts, at, n + 1, sum);
    if (f->inside) /* parts without any element keep their initial value */
        body = rlxc_stmt_if(ctx, f->inside, body, NULL);
    const char *name = rlxc_internf(ctx, "%s_rf", rlxc_block_of(f->block));
    rlxc_block rf = {.name = rlxc_block_name(f->e, name),
                     .axes = rlxc_copy(ctx, f->axes, f->n_axes * sizeof *f->axes),
                     .n_axes = f->n_axes,
                     .annotations = f->block->block->annotations};
    bool reduces = false;
    for (uint32_t k = 0; k < f->n_axes; k++)
        reduces = reduces || f->axes[k].kind == RLXC_AXIS_REDUCE;
    if (reduces)
        rf.init = start;
    else if (f->inside)
        body = rlxc_stmt_seq(ctx, (const rlxc_stmt *[]){start, body}, 2);
    else /* one element in each part */
        body = rlxc_stmt_store(ctx, parts, at, n + 1, value);
    *out = rlxc_new_block(f->e, &rf, f->values, f->predicate, body);
    return parts;
}

/* The block itself sums the parts. */
static bool sum_parts(factoring *f, const rlxc_stmt *store, const rlxc_buffer *parts)
{
    rlxc_context *ctx = f->e->ctx;
    const rlxc_block *b = f->block->block;
    const rlxc_expr *var = rlxc_var(ctx, rlxc_intern_cstr(ctx, "vpart"), RLX_I64);
    const rlxc_expr *at[MAX_LOOPS];
    rlxc_axis *axes = rlxc_try_alloc(ctx, (size_t)b->n_axes + 1, sizeof *axes);
    uint32_t n = 0;
    if (!axes)
        return false;
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_SPATIAL)
            axes[n++] = b->axes[k];
    axes[n++] = (rlxc_axis){RLXC_AXIS_REDUCE, var, rlxc_i64(ctx, 0),
                            rlxc_cast(ctx, RLX_I64, f->loop->extent)};
    for (uint32_t d = 0, from = 0; d <= store->store.n; d++)
        at[d] = d == f->position ? var : store->store.indices[from++];
    f->block->block->axes = axes;
    f->block->block->n_axes = n;
    f->block->values = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *f->block->values);
    const rlxc_expr *self =
        rlxc_load(ctx, store->store.buffer, store->store.indices, store->store.n);
    const rlxc_expr *sum =
        rlxc_binary(ctx, f->op.op, self, rlxc_load(ctx, parts, at, store->store.n + 1));
    rlxc_set_body(
        f->e, f->block,
        rlxc_stmt_store(ctx, store->store.buffer, store->store.indices, store->store.n, sum));
    return f->block->values != NULL;
}

bool rlxc_apply_rfactor(rlxc_engine *e)
{
    factoring f = {.e = e, .loop = rlxc_arg_loop(e, "loop")};
    int64_t position;
    const char *why;
    f.block = f.loop ? reduced_along(e, f.loop) : NULL;
    if (!f.block || !rlxc_arg_int(e, "factor_axis", 0, &position) ||
        !find_reducer(e, f.block, &f.op))
        return false;
    rlxc_loops_around(e, f.block, &f.loops);
    if (!check_nest(e, f.block, &f.loops, f.loop))
        return false;
    if (!rlxc_is_injective(e, f.block, &why))
        return rlxc_refuse(e, "block '%s': %s", rlxc_block_of(f.block), why);
    const rlxc_stmt *store = rlxc_only_store(f.block);
    uint32_t n = store->store.n;
    position = position < 0 ? position + (int64_t)n + 1 : position;
    if (position < 0 || position > n || n + 1 > MAX_LOOPS || f.block->block->n_axes > MAX_LOOPS ||
        f.loops.items.count > MAX_LOOPS)
        return rlxc_refuse(e, "factor_axis %lld: '%s' has %u dimensions", (long long)position,
                           store->store.buffer->name, n);
    if (!rlxc_is_const(f.loop->min, 0))
        return rlxc_refuse(e, "loop %s does not begin at 0", rlxc_loop_name(e, f.loop));
    f.position = (uint32_t)position;
    rlxc_node *made;
    if (!part_axes(&f))
        return false;
    const rlxc_buffer *parts = make_parts(&f, store, &made);
    rlxc_put_for(e, f.block, made);
    if (!sum_parts(&f, store, parts))
        return false;
    rlxc_domain all = {0};
    rlxc_node *nest = rlxc_nest_over(e, f.block, &all, true, e->root);
    rlxc_node *scope = rlxc_scope_of(made);
    rlxc_insert(e, scope, rlxc_position_in(scope, made) + 1, nest);
    rlxc_give(e, 0, made);
    return true;
}

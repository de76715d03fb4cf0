/* Steps compute_at and reverse_compute_at: a block moves under a loop of its consumers, or of its
 * producers, and computes there the region that one iteration needs, or has produced. */
#include <string.h>

#include "compiler/schedule/tree.h"

enum { MAX_AXES = RLXC_DOMAIN_AXES };

static const rlxc_expr *wide(rlxc_engine *e, const rlxc_expr *value)
{
    return rlxc_simple(e, rlxc_cast(e->ctx, RLX_I64, value));
}

bool rlxc_axis_at(rlxc_engine *e, const rlxc_node *block, const rlxc_expr *index, rlxc_span span,
                  uint32_t *axis, rlxc_span *out)
{
    for (uint32_t k = 0; k < block->block->n_axes; k++) {
        const rlxc_expr *var = block->block->axes[k].var, *rest;
        int64_t factor;
        if (!rlxc_expr_uses_var(e->ctx, index, var) ||
            !rlxc_linear_in(e->ctx, index, var, &factor, &rest) || factor != 1 ||
            !rlxc_is_int(rlxc_simple(e, rest), &(int64_t){0}))
            continue;
        *axis = k;
        out->min = span.min ? rlxc_simple(e, rlxc_sub(e->ctx, span.min, rest)) : NULL;
        out->max = span.max ? rlxc_simple(e, rlxc_sub(e->ctx, span.max, rest)) : NULL;
        return true;
    }
    return false;
}

/* Of the loops around |at| and |at| itself. */
static void spans_around(rlxc_engine *e, const rlxc_node *at, rlxc_spans *out)
{
    if (!at || at->kind == RLXC_NODE_BLOCK)
        return;
    spans_around(e, at->parent, out);
    if (at->kind == RLXC_NODE_LOOP)
        rlxc_span_loop(e, out, at->var, at->min, at->extent);
}

rlxc_node *rlxc_nest_over(rlxc_engine *e, rlxc_node *block, const rlxc_domain *d, bool keep_unit,
                          const rlxc_node *at)
{
    rlxc_context *ctx = e->ctx;
    const rlxc_block *b = block->block;
    rlxc_node *outer = NULL, *inner = NULL;
    const rlxc_expr *predicate = NULL;
    rlxc_bounds bounds = rlxc_bounds_at(e, at);
    rlxc_spans outside = {0};
    spans_around(e, at, &outside);
    for (uint32_t k = 0; k < b->n_axes; k++) {
        const rlxc_axis *axis = &b->axes[k];
        const rlxc_expr *low = wide(e, axis->min), *count = wide(e, axis->extent);
        const rlxc_expr *end = rlxc_simple(e, rlxc_add(ctx, low, count));
        bool part = d->of[k].min && d->of[k].max;
        const rlxc_expr *min = part ? d->of[k].min : low;
        const rlxc_expr *extent = count;
        if (part)
            extent =
                rlxc_simple(e, rlxc_add(ctx, rlxc_sub(ctx, d->of[k].max, min), rlxc_i64(ctx, 1)));
        const rlxc_expr *value = min;
        if (keep_unit || !rlxc_is_const(extent, 1)) {
            const rlxc_expr *var = rlxc_var(ctx, rlxc_internf(ctx, "ax%u", k), RLX_I64);
            rlxc_node *loop = rlxc_new_loop(e, var, extent);
            if (inner)
                rlxc_adopt(e, inner, loop);
            outer = outer ? outer : loop;
            inner = loop;
            value = rlxc_add(ctx, min, var);
        }
        value = rlxc_simple(e, value);
        block->values[k] = rlxc_cast(ctx, axis->var->dtype, value);
        if (!part)
            continue;
        rlxc_span least = rlxc_span_of(e, &outside, min);
        rlxc_span most = rlxc_span_of(e, &outside, d->of[k].max);
        if (!rlxc_prove_le(ctx, low, min, &bounds) &&
            !(least.min && rlxc_prove_le(ctx, low, least.min, NULL)))
            predicate = rlxc_both(e, predicate, rlxc_binary(ctx, RLXC_EXPR_LE, low, value));
        if (!rlxc_prove_lt(ctx, d->of[k].max, end, &bounds) &&
            !(most.max && rlxc_prove_lt(ctx, most.max, end, NULL)))
            predicate = rlxc_both(e, predicate, rlxc_binary(ctx, RLXC_EXPR_LT, value, end));
    }
    block->predicate = predicate;
    if (!inner)
        return block;
    rlxc_adopt(e, inner, block);
    return outer;
}

static bool check_move(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop)
{
    if (rlxc_is_inside(block, loop))
        return rlxc_refuse(e, "block '%s' is inside loop %s already", rlxc_block_of(block),
                           rlxc_loop_name(e, loop));
    if (!block->parent || rlxc_scope_of(block) != rlxc_scope_of(loop))
        return rlxc_refuse(e, "block '%s' and loop %s are not in the same block",
                           rlxc_block_of(block), rlxc_loop_name(e, loop));
    if (block->block->n_axes > MAX_AXES)
        return rlxc_refuse(e, "block '%s' has more than %d axes", rlxc_block_of(block), MAX_AXES);
    for (uint32_t k = 0; k < block->block->n_axes; k++)
        if (block->block->axes[k].kind != RLXC_AXIS_SPATIAL &&
            block->block->axes[k].kind != RLXC_AXIS_REDUCE)
            return rlxc_refuse(e, "axis '%s' of block '%s' is neither spatial nor a reduction",
                               block->block->axes[k].var->var.name, rlxc_block_of(block));
    const char *why;
    return rlxc_is_injective(e, block, &why) ||
           rlxc_refuse(e, "block '%s': %s", rlxc_block_of(block), why);
}

/* The position of the block in |loop|: after |after| producers and before consumers (or reversed);
 * by the step's |index|: -1 the last such position, -2 the first. */
static bool choose_place(rlxc_engine *e, const rlxc_node *loop, uint32_t first, uint32_t last,
                         uint32_t *out)
{
    int64_t index;
    if (!rlxc_arg_int(e, "index", -1, &index))
        return false;
    if (first > last)
        return rlxc_refuse(e,
                           "no position in loop %s is after the producers and before the consumers",
                           rlxc_loop_name(e, loop));
    *out = index == -1 ? last : index == -2 ? first : (uint32_t)index;
    if (index < -2 || (index >= 0 && (index < first || index > last)))
        return rlxc_refuse(e, "index %lld: the block fits at positions %u to %u of loop %s",
                           (long long)index, first, last, rlxc_loop_name(e, loop));
    return true;
}

/* The first position after the children of |loop| that write the operands or results of |block|,
 * and the last position before those that read its results. */
static void places(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop, uint32_t *first,
                   uint32_t *last)
{
    rlxc_accesses_in all = {0};
    rlxc_block_accesses(e, block, &all);
    *first = 0;
    *last = rlxc_n_children(loop);
    for (uint32_t c = rlxc_n_children(loop); c-- > 0;) {
        rlxc_node_list blocks = {0};
        rlxc_blocks_in(e, rlxc_child(loop, c), false, &blocks);
        for (uint32_t i = 0; i < blocks.items.count; i++)
            for (uint32_t k = 0; k < all.items.count; k++) {
                const rlxc_access *a = &all.items.items[k];
                if (!a->writes && c + 1 > *first &&
                    rlxc_block_touches(e, blocks.items.items[i], a->buffer, true))
                    *first = c + 1;
                if (a->writes && c < *last &&
                    rlxc_block_touches(e, blocks.items.items[i], a->buffer, false))
                    *last = c;
            }
    }
}

/* Moves the block under |loop|, in a nest over |d|. */
static bool move_to(rlxc_engine *e, rlxc_node *block, const rlxc_domain *d, rlxc_node *loop)
{
    uint32_t first, last, place = 0;
    places(e, block, loop, &first, &last);
    if (!choose_place(e, loop, first, last, &place))
        return false;
    rlxc_take_out(e, block);
    block->gone = NULL;
    const bool keep = rlxc_arg_bool(e, "preserve_unit_loops", false);
    rlxc_insert(e, loop, place, rlxc_nest_over(e, block, d, keep, loop));
    return true;
}

/* Checks that no block between the old position of |block| and |loop|, other than those in |loop|,
 * writes its operands or accesses its results. */
static bool check_between(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop)
{
    rlxc_node_list blocks = {0};
    rlxc_accesses_in all = {0};
    int state = 0; /* 0 before the first of the two, 1 between them, 2 behind */
    rlxc_block_accesses(e, block, &all);
    rlxc_blocks_in(e, rlxc_scope_of(block)->kids.items.items[0], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        const rlxc_node *other = blocks.items.items[i];
        bool in_loop = rlxc_is_inside(other, loop);
        if (other == block || in_loop) {
            state = state == 0 ? 1 : state;
            continue;
        }
        bool ends = state == 1;
        for (uint32_t k = i; k < blocks.items.count && ends; k++)
            ends = blocks.items.items[k] != block && !rlxc_is_inside(blocks.items.items[k], loop);
        state = ends ? 2 : state;
        for (uint32_t k = 0; k < all.items.count && state == 1; k++) {
            const rlxc_access *a = &all.items.items[k];
            if (rlxc_block_touches(e, other, a->buffer, true) ||
                (a->writes && rlxc_block_touches(e, other, a->buffer, false)))
                return rlxc_refuse(e, "block '%s' cannot move past block '%s', which uses '%s'",
                                   rlxc_block_of(block), rlxc_block_of(other), a->buffer->name);
        }
    }
    return true;
}

/* Checks that all readers of |block|'s results are under |loop|. */
static bool check_consumers(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop,
                            const rlxc_buffer *buffer)
{
    rlxc_node_list blocks = {0};
    if (!rlxc_is_temp(e, buffer))
        return rlxc_refuse(e, "block '%s' writes '%s', which is a result of the function",
                           rlxc_block_of(block), buffer->name);
    rlxc_blocks_in(e, e->root->kids.items.items[0], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        const rlxc_node *other = blocks.items.items[i];
        if (other == block)
            continue;
        if (rlxc_block_touches(e, other, buffer, true))
            return rlxc_refuse(e, "block '%s' writes '%s' as well", rlxc_block_of(other),
                               buffer->name);
        if (rlxc_block_touches(e, other, buffer, false) && !rlxc_is_inside(other, loop))
            return rlxc_refuse(e, "block '%s' reads '%s' outside of loop %s", rlxc_block_of(other),
                               buffer->name, rlxc_loop_name(e, loop));
    }
    return true;
}

bool rlxc_apply_compute_at(rlxc_engine *e)
{
    rlxc_node *block = rlxc_arg_block(e, "block");
    const rlxc_node *place_of = block ? rlxc_arg_node(e, "loop") : NULL;
    if (place_of == e->root && block) /* sampled: where it is */
        return true;
    if (place_of && place_of->kind == RLXC_NODE_LEAF) /* sampled: inline */
        return rlxc_apply_compute_inline(e);
    rlxc_node *loop = place_of ? rlxc_arg_loop(e, "loop") : NULL;
    const rlxc_stmt *store = block ? rlxc_only_store(block) : NULL;
    rlxc_span region[MAX_AXES];
    rlxc_domain d = {0};
    if (!loop || !check_move(e, block, loop))
        return false;
    if (!store || store->store.n > MAX_AXES)
        return rlxc_refuse(e, "block '%s' does more than one store", rlxc_block_of(block));
    const rlxc_buffer *buffer = store->store.buffer;
    if (!check_consumers(e, block, loop, buffer) || !check_between(e, block, loop))
        return false;
    if (!rlxc_region_below(e, loop, buffer, false, region))
        return rlxc_refuse(e, "nothing under loop %s reads '%s'", rlxc_loop_name(e, loop),
                           buffer->name);
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        uint32_t axis;
        rlxc_span span;
        if (rlxc_is_int(store->store.indices[i], &(int64_t){0}))
            continue;
        if (!rlxc_axis_at(e, block, store->store.indices[i], region[i], &axis, &span))
            return rlxc_refuse(
                e, "block '%s' writes '%s' at %s: the region that loop %s needs is unknown",
                rlxc_block_of(block), buffer->name, rlxc_expr_text(e, store->store.indices[i]),
                rlxc_loop_name(e, loop));
        d.of[axis] = span;
    }
    return move_to(e, block, &d, loop);
}

bool rlxc_check_finished(rlxc_engine *e, const rlxc_node *producer, const rlxc_node *loop)
{
    for (const rlxc_node *at = loop; at && at->kind != RLXC_NODE_BLOCK; at = at->parent) {
        const char *axis;
        if (at->kind == RLXC_NODE_LOOP && rlxc_serves(e, at, producer, RLXC_AXIS_REDUCE, &axis))
            return rlxc_refuse(e,
                               "block '%s' is not complete under loop %s: its reduction axis '%s' "
                               "continues in loop %s",
                               rlxc_block_of(producer), rlxc_loop_name(e, loop), axis,
                               rlxc_loop_name(e, at));
    }
    return true;
}

/* The domain of |block| for the region produced under |loop|. */
static bool made_domain(rlxc_engine *e, const rlxc_node *block, const rlxc_node *loop,
                        rlxc_domain *d)
{
    rlxc_accesses_in all = {0};
    bool any = false;
    rlxc_block_accesses(e, block, &all);
    for (uint32_t i = 0; i < all.items.count; i++) {
        const rlxc_access *a = &all.items.items[i];
        rlxc_node_list blocks = {0};
        rlxc_span region[MAX_AXES];
        rlxc_node *producer = NULL;
        if (a->writes || a->buffer->ndim > MAX_AXES)
            continue;
        rlxc_blocks_in(e, loop->kids.items.items[0], false, &blocks);
        for (uint32_t k = 0; k < blocks.items.count; k++) {
            if (!rlxc_block_touches(e, blocks.items.items[k], a->buffer, true))
                continue;
            producer = blocks.items.items[k];
            const char *why;
            if (!rlxc_check_finished(e, producer, loop))
                return false;
            if (!rlxc_is_injective(e, producer, &why))
                return rlxc_refuse(e, "block '%s': %s", rlxc_block_of(producer), why);
        }
        if (!producer || !rlxc_region_below(e, loop, a->buffer, true, region))
            continue;
        if (!a->indices)
            return rlxc_refuse(e, "block '%s' reads any element of '%s'", rlxc_block_of(block),
                               a->buffer->name);
        any = true;
        for (uint32_t k = 0; k < a->n; k++) {
            uint32_t axis;
            rlxc_span span;
            if (rlxc_is_int(a->indices[k], &(int64_t){0}))
                continue;
            if (!rlxc_axis_at(e, block, a->indices[k], region[k], &axis, &span))
                return rlxc_refuse(
                    e, "block '%s' reads '%s' at %s: its iterations under loop %s are unknown",
                    rlxc_block_of(block), a->buffer->name, rlxc_expr_text(e, a->indices[k]),
                    rlxc_loop_name(e, loop));
            if (d->of[axis].min && (d->of[axis].min != span.min || d->of[axis].max != span.max))
                return rlxc_refuse(
                    e, "axis '%s' of block '%s' corresponds to different regions of its operands",
                    block->block->axes[axis].var->var.name, rlxc_block_of(block));
            d->of[axis] = span;
        }
    }
    return any || rlxc_refuse(e, "no block under loop %s writes an operand of block '%s'",
                              rlxc_loop_name(e, loop), rlxc_block_of(block));
}

bool rlxc_apply_reverse_compute_at(rlxc_engine *e)
{
    rlxc_node *block = rlxc_arg_block(e, "block");
    rlxc_node *loop = block ? rlxc_arg_loop(e, "loop") : NULL;
    rlxc_domain d = {0};
    const char *why;
    if (!loop || !check_move(e, block, loop) || !check_between(e, block, loop) ||
        !made_domain(e, block, loop, &d))
        return false;
    if (block->block->init && !rlxc_only_store(block))
        return rlxc_refuse(e, "block '%s' does more than one store", rlxc_block_of(block));
    if (!move_to(e, block, &d, loop))
        return false;
    if (!rlxc_is_injective(e, block, &why)) /* the regions of two iterations may overlap */
        return rlxc_refuse(e, "block '%s' would run twice for some elements: %s",
                           rlxc_block_of(block), why);
    for (const rlxc_node *at = loop; at->kind != RLXC_NODE_BLOCK; at = at->parent)
        if (at->kind == RLXC_NODE_LOOP && !rlxc_is_const(at->extent, 1)) {
            bool used = false;
            for (uint32_t k = 0; k < block->block->n_axes; k++)
                used = used || rlxc_expr_uses_var(e->ctx, block->values[k], at->var);
            if (!used)
                return rlxc_refuse(e,
                                   "loop %s would run block '%s' again in each of its %s "
                                   "iterations",
                                   rlxc_loop_name(e, at), rlxc_block_of(block),
                                   rlxc_expr_text(e, at->extent));
        }
    return true;
}

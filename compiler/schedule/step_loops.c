/* Steps on loops: split, fuse, reorder, add_unit_loop, merge, and the kinds of loops. */
#include <string.h>

#include "compiler/schedule/tree.h"

static const rlxc_expr *wide(rlxc_engine *e, const rlxc_expr *value)
{
    return rlxc_simple(e, rlxc_cast(e->ctx, RLX_I64, value));
}

/* Checks that a loop may be rebuilt: serial, from 0, without annotations. */
static bool is_plain(rlxc_engine *e, const rlxc_node *loop)
{
    if (!rlxc_is_const(loop->min, 0))
        return rlxc_refuse(e, "loop %s begins at %s, not at 0", rlxc_loop_name(e, loop),
                           rlxc_expr_text(e, loop->min));
    if (loop->loop_kind != RLXC_LOOP_SERIAL)
        return rlxc_refuse(e, "loop %s is already parallel, vectorized, unrolled or bound",
                           rlxc_loop_name(e, loop));
    if (loop->annotations.count)
        return rlxc_refuse(e, "loop %s has the annotation '%s'", rlxc_loop_name(e, loop),
                           loop->annotations.keys[0]);
    return true;
}

static const rlxc_expr *new_var(rlxc_engine *e, const rlxc_node *of, const char *suffix)
{
    const char *name = rlxc_internf(e->ctx, "%s%s", of->var->var.name, suffix);
    return rlxc_var(e->ctx, name, of->var->dtype);
}

/* --- split ------------------------------------------------------------------------------------ */

enum { MAX_PARTS = 16 };

/* The extents of the parts; |*out_open|: the one that is None. */
static bool split_extents(rlxc_engine *e, const rlxc_node *loop, const rlxc_expr **out, uint32_t n)
{
    const rlxc_attr *factors = rlxc_arg(e, "factors");
    const rlxc_expr *product = rlxc_i64(e->ctx, 1), *extent = wide(e, loop->extent);
    uint32_t open = UINT32_MAX;
    int64_t known, all;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = NULL;
        if (factors->list.items[i].kind == RLXC_ATTR_NONE) {
            if (open != UINT32_MAX)
                return rlxc_refuse(e, "only one factor may be None");
            open = i;
            continue;
        }
        if (!rlxc_value_of(e, &factors->list.items[i], &out[i]))
            return false;
        if (!rlxc_is_int(out[i], &known) || known < 1)
            return rlxc_refuse(e, "factor %s of loop %s is not positive", rlxc_expr_text(e, out[i]),
                               rlxc_loop_name(e, loop));
        product = rlxc_simple(e, rlxc_mul(e->ctx, product, out[i]));
    }
    if (!rlxc_is_int(product, &known))
        return rlxc_refuse(e, "the product of the factors overflows");
    if (open != UINT32_MAX) {
        const rlxc_expr *up = rlxc_add(e->ctx, extent, rlxc_i64(e->ctx, known - 1));
        out[open] = rlxc_simple(e, rlxc_binary(e->ctx, RLXC_EXPR_FLOORDIV, up, product));
        return true;
    }
    if (!rlxc_is_int(extent, &all))
        return rlxc_refuse(e, "loop %s of %s iterations needs a factor None",
                           rlxc_loop_name(e, loop), rlxc_expr_text(e, extent));
    return known >= all || rlxc_refuse(e, "the factors give %lld iterations, loop %s has %lld",
                                       (long long)known, rlxc_loop_name(e, loop), (long long)all);
}

static void add_predicate(rlxc_engine *e, rlxc_node *under, const rlxc_expr *condition)
{
    rlxc_node_list blocks = {0};
    rlxc_blocks_in(e, under, false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        rlxc_node *block = blocks.items.items[i];
        block->predicate = rlxc_both(e, block->predicate, condition);
    }
}

bool rlxc_apply_split(rlxc_engine *e)
{
    rlxc_node *loop = rlxc_arg_loop(e, "loop");
    const rlxc_attr *factors = rlxc_arg(e, "factors");
    const rlxc_expr *extents[MAX_PARTS];
    uint32_t n = factors->list.count;
    if (!loop || !is_plain(e, loop))
        return false;
    if (n < 1 || n > MAX_PARTS)
        return rlxc_refuse(e, "a loop is split in 1 to %d, not %u", MAX_PARTS, n);
    if (!rlxc_gives(e, n, "the list of factors") || !split_extents(e, loop, extents, n))
        return false;
    rlxc_node *parts[MAX_PARTS];
    const rlxc_expr *value = rlxc_i64(e->ctx, 0), *total = rlxc_i64(e->ctx, 1);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *var = new_var(e, loop, rlxc_internf(e->ctx, "_%u", i));
        parts[i] = rlxc_new_loop(e, var, rlxc_cast(e->ctx, var->dtype, extents[i]));
        value = rlxc_add(e->ctx, rlxc_mul(e->ctx, value, rlxc_cast(e->ctx, RLX_I64, extents[i])),
                         rlxc_cast(e->ctx, RLX_I64, var));
        total = rlxc_simple(e, rlxc_mul(e->ctx, total, extents[i]));
    }
    const rlxc_expr *extent = wide(e, loop->extent);
    bool exact = rlxc_prove_eq(e->ctx, total, extent, NULL);
    if (!exact && rlxc_arg_bool(e, "disable_predication", false))
        return rlxc_refuse(e,
                           "disable_predication: %s iterations of the parts are not proved to be "
                           "the %s of loop %s",
                           rlxc_expr_text(e, total), rlxc_expr_text(e, extent),
                           rlxc_loop_name(e, loop));
    value = rlxc_simple(e, value);
    rlxc_node *body = loop->kids.items.items[0];
    rlxc_put_for(e, loop, parts[0]);
    for (uint32_t i = 0; i + 1 < n; i++)
        rlxc_adopt(e, parts[i], parts[i + 1]);
    rlxc_adopt(e, parts[n - 1], body);
    if (!exact)
        add_predicate(e, body, rlxc_binary(e->ctx, RLXC_EXPR_LT, value, extent));
    const rlxc_expr *typed = rlxc_cast(e->ctx, loop->var->dtype, value);
    rlxc_replace_below(e, body, &loop->var, &typed, 1);
    loop->gone = "split";
    for (uint32_t i = 0; i < n; i++)
        rlxc_give(e, i, parts[i]);
    return true;
}

/* --- fuse, merge ------------------------------------------------------------------------------ */

/* The only node directly inside, or NULL. */
static const rlxc_node *only_child(const rlxc_node *loop)
{
    return rlxc_n_children(loop) == 1 ? rlxc_child(loop, 0) : NULL;
}

bool rlxc_apply_fuse(rlxc_engine *e)
{
    rlxc_node_list loops = {0};
    if (!rlxc_arg_loops(e, "loops", &loops) || !rlxc_gives(e, 1, "a fusion"))
        return false;
    uint32_t n = loops.items.count;
    rlxc_node **at = loops.items.items;
    const rlxc_expr *total = rlxc_i64(e->ctx, 1);
    if (n > MAX_PARTS)
        return rlxc_refuse(e, "at most %d loops are fused", MAX_PARTS);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_plain(e, at[i]))
            return false;
        if (i + 1 < n && only_child(at[i]) != at[i + 1])
            return rlxc_refuse(e, "loop %s is not alone directly inside loop %s",
                               rlxc_loop_name(e, at[i + 1]), rlxc_loop_name(e, at[i]));
        for (uint32_t k = 0; k < i; k++)
            if (rlxc_expr_uses_var(e->ctx, at[i]->extent, at[k]->var))
                return rlxc_refuse(e, "the %s iterations of loop %s depend on loop %s",
                                   rlxc_expr_text(e, at[i]->extent), rlxc_loop_name(e, at[i]),
                                   rlxc_loop_name(e, at[k]));
        total = rlxc_simple(e, rlxc_mul(e->ctx, total, rlxc_cast(e->ctx, RLX_I64, at[i]->extent)));
    }
    const rlxc_expr *var =
        rlxc_var(e->ctx, rlxc_internf(e->ctx, "%s_fused", at[0]->var->var.name), RLX_I64);
    rlxc_node *fused = rlxc_new_loop(e, var, total);
    const rlxc_expr *vars[MAX_PARTS], *values[MAX_PARTS], *below = rlxc_i64(e->ctx, 1);
    /* The first loop of more than one iteration needs no remainder. GPUs take one all the same:
     * their threads may exceed the extent, and the remainder keeps a symbolic index in its bounds.
     */
    uint32_t outer = 0;
    const bool is_gpu = e->options->device && !e->options->device->vector_bytes;
    while (!is_gpu && outer + 1 < n && rlxc_is_const(at[outer]->extent, 1))
        outer++;
    for (uint32_t i = n; i-- > 0;) {
        const rlxc_expr *extent = wide(e, at[i]->extent);
        const rlxc_expr *value = rlxc_binary(e->ctx, RLXC_EXPR_FLOORDIV, var, below);
        if (rlxc_is_const(extent, 1)) /* not to be seen where |below| is symbolic */
            value = rlxc_i64(e->ctx, 0);
        else if (i > outer)
            value = rlxc_binary(e->ctx, RLXC_EXPR_FLOORMOD, value, extent);
        vars[i] = at[i]->var;
        values[i] = rlxc_cast(e->ctx, at[i]->var->dtype, value);
        below = rlxc_simple(e, rlxc_mul(e->ctx, below, extent));
        at[i]->gone = "fuse";
    }
    rlxc_node *body = at[n - 1]->kids.items.items[0];
    rlxc_put_for(e, at[0], fused);
    rlxc_adopt(e, fused, body);
    rlxc_replace_below(e, body, vars, values, n);
    rlxc_give(e, 0, fused);
    return true;
}

bool rlxc_apply_merge(rlxc_engine *e)
{
    rlxc_node_list loops = {0};
    if (!rlxc_arg_loops(e, "loops", &loops) || !rlxc_gives(e, 1, "a merge"))
        return false;
    rlxc_node *first = loops.items.items[0], *seq = first->parent;
    for (uint32_t i = 0; i < loops.items.count; i++) {
        rlxc_node *loop = loops.items.items[i];
        if (!is_plain(e, loop))
            return false;
        if (i && (loop->parent != seq || seq->kind != RLXC_NODE_SEQ))
            return rlxc_refuse(e, "loops %s and %s are not adjacent", rlxc_loop_name(e, first),
                               rlxc_loop_name(e, loop));
        if (!rlxc_prove_eq(e->ctx, wide(e, loop->extent), wide(e, first->extent), NULL))
            return rlxc_refuse(e, "loop %s has %s iterations, loop %s has %s",
                               rlxc_loop_name(e, first), rlxc_expr_text(e, first->extent),
                               rlxc_loop_name(e, loop), rlxc_expr_text(e, loop->extent));
    }
    for (uint32_t i = 1; i < loops.items.count; i++) {
        const rlxc_node *loop = loops.items.items[i], *before = loops.items.items[i - 1];
        uint32_t a = rlxc_position_in(seq->parent, before), b = rlxc_position_in(seq->parent, loop);
        if (b != a + 1)
            return rlxc_refuse(e, "loop %s does not follow loop %s", rlxc_loop_name(e, loop),
                               rlxc_loop_name(e, before));
    }
    rlxc_node *merged = rlxc_new_loop(e, new_var(e, first, "_m"), first->extent);
    for (uint32_t i = 0; i < loops.items.count; i++) {
        rlxc_node *loop = loops.items.items[i], *body = loop->kids.items.items[0];
        const rlxc_expr *value = rlxc_cast(e->ctx, loop->var->dtype, merged->var);
        if (i == 0)
            rlxc_put_for(e, loop, merged);
        else
            rlxc_take_out(e, loop);
        rlxc_replace_below(e, body, &loop->var, &value, 1);
        while (body->kind == RLXC_NODE_SEQ && body->kids.items.count) {
            rlxc_node *kid = body->kids.items.items[0];
            rlxc_insert(e, merged, rlxc_n_children(merged), kid);
            for (uint32_t k = 0; k + 1 < body->kids.items.count; k++)
                body->kids.items.items[k] = body->kids.items.items[k + 1];
            body->kids.items.count--;
        }
        if (body->kind != RLXC_NODE_SEQ)
            rlxc_insert(e, merged, rlxc_n_children(merged), body);
        loop->gone = "merge";
    }
    rlxc_give(e, 0, merged);
    return rlxc_check_covered(e, merged);
}

/* --- reorder ---------------------------------------------------------------------------------- */

static bool check_reorder(rlxc_engine *e, const rlxc_node_list *chain, const rlxc_node_list *order)
{
    uint32_t n = chain->items.count;
    for (uint32_t i = 0; i + 1 < n; i++)
        if (only_child(chain->items.items[i]) != chain->items.items[i + 1])
            return rlxc_refuse(e, "loop %s holds more than loop %s",
                               rlxc_loop_name(e, chain->items.items[i]),
                               rlxc_loop_name(e, chain->items.items[i + 1]));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i; k < n; k++) {
            const rlxc_node *inner = order->items.items[i], *outer = order->items.items[k];
            if (rlxc_expr_uses_var(e->ctx, inner->extent, outer->var) ||
                rlxc_expr_uses_var(e->ctx, inner->min, outer->var))
                return rlxc_refuse(e, "the %s iterations of loop %s depend on loop %s",
                                   rlxc_expr_text(e, inner->extent), rlxc_loop_name(e, inner),
                                   rlxc_loop_name(e, outer));
        }
    rlxc_node_list blocks = {0};
    rlxc_blocks_in(e, chain->items.items[n - 1]->kids.items.items[0], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        const rlxc_node *block = blocks.items.items[i];
        const char *why, *axis;
        for (uint32_t k = 0; k < n; k++)
            if (rlxc_serves(e, chain->items.items[k], block, RLXC_AXIS_SCAN, &axis) ||
                rlxc_serves(e, chain->items.items[k], block, RLXC_AXIS_OPAQUE, &axis))
                return rlxc_refuse(e, "loop %s drives axis '%s' of block '%s', whose order matters",
                                   rlxc_loop_name(e, chain->items.items[k]), axis,
                                   rlxc_block_of(block));
        if (!rlxc_is_injective(e, block, &why))
            return rlxc_refuse(e, "block '%s': %s", rlxc_block_of(block), why);
    }
    return blocks.items.count == 1 || rlxc_check_covered(e, chain->items.items[n - 1]);
}

bool rlxc_apply_reorder(rlxc_engine *e)
{
    rlxc_node_list given = {0}, up = {0}, chain = {0}, order = {0};
    if (!rlxc_arg_loops(e, "loops", &given))
        return false;
    uint32_t n = given.items.count, seen = 0;
    rlxc_node *bottom = given.items.items[0];
    for (uint32_t i = 1; i < n; i++) {
        if (!rlxc_is_inside(given.items.items[i], bottom) &&
            !rlxc_is_inside(bottom, given.items.items[i]))
            return rlxc_refuse(e, "loops %s and %s are not in one nest", rlxc_loop_name(e, bottom),
                               rlxc_loop_name(e, given.items.items[i]));
        if (rlxc_is_inside(given.items.items[i], bottom))
            bottom = given.items.items[i];
    }
    for (rlxc_node *at = bottom; at && seen < n; at = at->parent) {
        if (at->kind == RLXC_NODE_BLOCK)
            return rlxc_refuse(e, "block '%s' is between the loops", rlxc_block_of(at));
        if (at->kind != RLXC_NODE_LOOP)
            continue;
        RLXC_PUSH(e->ctx, &up.items, at);
        for (uint32_t i = 0; i < n; i++)
            seen += given.items.items[i] == at;
    }
    for (uint32_t i = up.items.count, next = 0; i-- > 0;) {
        rlxc_node *at = up.items.items[i];
        bool moves = false;
        for (uint32_t k = 0; k < n; k++)
            moves = moves || given.items.items[k] == at;
        RLXC_PUSH(e->ctx, &chain.items, at);
        RLXC_PUSH(e->ctx, &order.items, moves ? given.items.items[next] : at);
        next += moves;
    }
    if (rlxc_failed(e->ctx) || !check_reorder(e, &chain, &order))
        return false;
    rlxc_node *top = chain.items.items[0], *body = bottom->kids.items.items[0];
    rlxc_node *hold = rlxc_new_loop(e, top->var, top->extent);
    rlxc_put_for(e, top, hold);
    for (uint32_t i = 0; i + 1 < order.items.count; i++)
        rlxc_adopt(e, order.items.items[i], order.items.items[i + 1]);
    rlxc_adopt(e, order.items.items[order.items.count - 1], body);
    rlxc_put_for(e, hold, order.items.items[0]);
    return true;
}

/* --- kinds of loops --------------------------------------------------------------------------- */

/* Buffers of blocks that do not use |loop|: each iteration writes them again, so each needs its
 * own; that is where they are allocated when no other code uses them (place_buffers.c). */
static bool check_private(rlxc_engine *e, const rlxc_node *loop, const rlxc_node *block)
{
    rlxc_accesses_in all = {0};
    rlxc_node_list everywhere = {0};
    rlxc_block_accesses(e, block, &all);
    rlxc_blocks_in(e, e->root->kids.items.items[0], false, &everywhere);
    for (uint32_t i = 0; i < all.items.count; i++) {
        const rlxc_buffer *buffer = all.items.items[i].buffer;
        bool mine = !all.items.items[i].writes || rlxc_is_temp(e, buffer);
        for (uint32_t k = 0; k < everywhere.items.count && mine && all.items.items[i].writes; k++) {
            const rlxc_node *other = everywhere.items.items[k];
            mine = rlxc_is_inside(other, loop) || (!rlxc_block_touches(e, other, buffer, true) &&
                                                   !rlxc_block_touches(e, other, buffer, false));
        }
        if (!mine)
            return rlxc_refuse(e,
                               "every iteration of loop %s writes the same elements of '%s' "
                               "(block '%s')",
                               rlxc_loop_name(e, loop), buffer->name, rlxc_block_of(block));
    }
    return true;
}

static bool set_kind(rlxc_engine *e, rlxc_loop_kind kind, const char *thread)
{
    rlxc_node *loop = rlxc_arg_loop(e, "loop");
    rlxc_node_list blocks = {0};
    if (!loop || !is_plain(e, loop))
        return false;
    const bool apart =
        kind == RLXC_LOOP_UNROLLED || (kind == RLXC_LOOP_BOUND && rlxc_is_const(loop->extent, 1));
    rlxc_blocks_in(e, loop->kids.items.items[0], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count && !apart; i++) {
        rlxc_node *block = blocks.items.items[i];
        bool used = false;
        for (uint32_t k = 0; k < block->block->n_axes; k++)
            used = used || rlxc_expr_uses_var(e->ctx, block->values[k], loop->var);
        if (used ? !rlxc_check_spatial(e, block, loop) : !check_private(e, loop, block))
            return false;
    }
    if (!apart && !rlxc_check_covered(e, loop))
        return false;
    loop->loop_kind = kind;
    loop->thread = thread;
    return true;
}

bool rlxc_apply_parallel(rlxc_engine *e)
{
    return set_kind(e, RLXC_LOOP_PARALLEL, NULL);
}

bool rlxc_apply_unroll(rlxc_engine *e)
{
    return set_kind(e, RLXC_LOOP_UNROLLED, NULL);
}

bool rlxc_apply_vectorize(rlxc_engine *e)
{
    rlxc_node *loop = rlxc_arg_loop(e, "loop");
    int64_t extent;
    if (loop && !rlxc_is_int(loop->extent, &extent))
        return rlxc_refuse(
            e, "loop %s has %s iterations: vector lanes must be a constant; split it first",
            rlxc_loop_name(e, loop), rlxc_expr_text(e, loop->extent));
    return loop && set_kind(e, RLXC_LOOP_VECTORIZED, NULL);
}

/* Checks that no loop around |loop|, or inside of it, is bound to |axis|, that blocks of threads
 * are not inside of threads, and that a block has no more threads than the device. */
static bool check_bound(rlxc_engine *e, const rlxc_node *loop, int axis)
{
    rlxc_node_list inside = {0};
    int64_t extent, threads = 1;
    const bool is_thread = axis >= RLXC_THREAD_IDX;
    rlxc_bound_loops_in(e, loop->kids.items.items[0], &inside);
    for (const rlxc_node *at = loop->parent; at; at = at->parent)
        if (at->kind == RLXC_NODE_LOOP && at->thread)
            RLXC_PUSH(e->ctx, &inside.items, (rlxc_node *)(uintptr_t)at);
    for (uint32_t i = 0; i < inside.items.count; i++) {
        const rlxc_node *other = inside.items.items[i];
        const int bound = rlxc_thread_axis(other->thread);
        const bool outer = rlxc_is_inside(loop, other);
        if (bound == axis)
            return rlxc_refuse(e, "loop %s, %s loop %s, is bound to %s already",
                               rlxc_loop_name(e, other), outer ? "around" : "inside of",
                               rlxc_loop_name(e, loop), other->thread);
        if (outer ? !is_thread && bound >= RLXC_THREAD_IDX : is_thread && bound < RLXC_THREAD_IDX)
            return rlxc_refuse(e,
                               "a blockIdx loop cannot be inside a threadIdx loop: loop %s is %s",
                               rlxc_loop_name(e, other), other->thread);
        if (outer && is_thread && bound >= RLXC_THREAD_IDX && rlxc_is_int(other->extent, &extent) &&
            __builtin_mul_overflow(threads, extent, &threads))
            threads = INT64_MAX;
    }
    if (!is_thread || !rlxc_is_int(loop->extent, &extent))
        return true;
    if (__builtin_mul_overflow(threads, extent, &threads) || threads > e->options->device->threads)
        return rlxc_refuse(e, "loop %s would give a block %lld threads, target %s allows %u",
                           rlxc_loop_name(e, loop), (long long)threads, e->options->target,
                           e->options->device->threads);
    return true;
}

bool rlxc_apply_bind(rlxc_engine *e)
{
    const rlxc_node *loop = rlxc_arg_loop(e, "loop");
    const char *name = rlxc_arg_string(e, "thread_axis");
    const int axis = name ? rlxc_thread_axis(name) : -1;
    if (!loop)
        return false;
    if (!e->options->device)
        return rlxc_refuse(e, "loop %s cannot be bound to %s: target %s has no such threads",
                           rlxc_loop_name(e, loop), name, e->options->target);
    if (name && strncmp(name, "vthread", 7) == 0) /* as TVM's text is read */
        return set_kind(e, RLXC_LOOP_UNROLLED, NULL);
    if (axis < 0)
        return rlxc_refuse(e,
                           "unknown thread axis \"%s\": blockIdx.x, .y, .z or threadIdx.x, .y, .z",
                           name ? name : "");
    return check_bound(e, loop, axis) &&
           set_kind(e, RLXC_LOOP_BOUND, rlxc_thread_name(e->ctx, axis));
}

bool rlxc_apply_add_unit_loop(rlxc_engine *e)
{
    rlxc_node *node = rlxc_arg_node(e, "block_or_loop");
    if (!node || !rlxc_gives(e, 1, "a unit loop"))
        return false;
    if (!node->parent)
        return rlxc_refuse(e, "the root block cannot be in a loop");
    rlxc_node *loop = rlxc_new_loop(e, rlxc_var(e->ctx, rlxc_intern_cstr(e->ctx, "u"), RLX_I64),
                                    rlxc_i64(e->ctx, 1));
    rlxc_put_for(e, node, loop);
    rlxc_adopt(e, loop, node);
    rlxc_give(e, 0, loop);
    return true;
}

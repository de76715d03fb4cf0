/* Steps that find blocks and loops, decisions and annotations: nothing moves. */
#include <string.h>

#include "compiler/schedule/tree.h"

bool rlxc_apply_get_block(rlxc_engine *e)
{
    const char *name = rlxc_arg_string(e, "name");
    rlxc_node_list blocks = {0};
    rlxc_node *found = NULL;
    rlxc_text names = {.ctx = e->ctx};
    rlxc_blocks_in(e, e->root, true, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        rlxc_node *block = blocks.items.items[i];
        if (i > 0 && names.length < 300)
            rlxc_text_printf(&names, "%s'%s'", names.length ? ", " : "", rlxc_block_of(block));
        if (strcmp(rlxc_block_of(block), name) != 0)
            continue;
        if (found)
            return rlxc_refuse(e, "function '%s' has several blocks '%s'", e->f->name, name);
        found = block;
    }
    if (!found)
        return rlxc_refuse(e, "function '%s' has no block '%s'; it has %s", e->f->name, name,
                           names.data ? names.data : "none");
    rlxc_give(e, 0, found);
    return true;
}

static bool give_all(rlxc_engine *e, const rlxc_node_list *list, const char *of)
{
    if (!rlxc_gives(e, list->items.count, of))
        return false;
    for (uint32_t i = 0; i < list->items.count; i++)
        rlxc_give(e, i, list->items.items[i]);
    return true;
}

static const char *quoted(rlxc_engine *e, const rlxc_node *block, const char *what)
{
    return rlxc_internf(e->ctx, "the list of %s of block '%s'", what, rlxc_block_of(block));
}

bool rlxc_apply_get_loops(rlxc_engine *e)
{
    const rlxc_node *block = rlxc_arg_block(e, "block");
    rlxc_node_list loops = {0};
    if (!block)
        return false;
    rlxc_loops_around(e, block, &loops);
    return give_all(e, &loops, quoted(e, block, "loops"));
}

bool rlxc_apply_get_child_blocks(rlxc_engine *e)
{
    rlxc_node *node = rlxc_arg_node(e, "block_or_loop");
    rlxc_node_list blocks = {0};
    if (!node)
        return false;
    for (uint32_t i = 0; i < node->kids.items.count; i++)
        rlxc_blocks_in(e, node->kids.items.items[i], false, &blocks);
    return give_all(e, &blocks, "the list of child blocks");
}

/* The blocks of the same scope that produce |block|'s operands, or consume its results. */
static bool give_related(rlxc_engine *e, bool producers)
{
    rlxc_node *block = rlxc_arg_block(e, "block");
    rlxc_node *scope = block ? rlxc_scope_of(block) : NULL;
    rlxc_node_list blocks = {0}, related = {0};
    rlxc_accesses_in all = {0};
    if (!block)
        return false;
    if (scope)
        rlxc_blocks_in(e, scope->kids.items.items[0], false, &blocks);
    rlxc_block_accesses(e, block, &all);
    bool behind = false;
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        rlxc_node *other = blocks.items.items[i];
        bool found = false;
        behind = behind || other == block;
        for (uint32_t k = 0; k < all.items.count && other != block && behind != producers; k++)
            found = found || (all.items.items[k].writes != producers &&
                              rlxc_block_touches(e, other, all.items.items[k].buffer, producers));
        if (found)
            RLXC_PUSH(e->ctx, &related.items, other);
    }
    return give_all(e, &related, quoted(e, block, producers ? "producers" : "consumers"));
}

bool rlxc_apply_get_producers(rlxc_engine *e)
{
    return give_related(e, true);
}

bool rlxc_apply_get_consumers(rlxc_engine *e)
{
    return give_related(e, false);
}

bool rlxc_apply_get_output_blocks(rlxc_engine *e)
{
    const rlxc_node *scope = rlxc_arg_block(e, "scope_block");
    rlxc_node_list blocks = {0}, out = {0};
    if (!scope)
        return false;
    rlxc_blocks_in(e, scope->kids.items.items[0], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        rlxc_accesses_in all = {0};
        bool writes = false;
        rlxc_block_accesses(e, blocks.items.items[i], &all);
        for (uint32_t k = 0; k < all.items.count; k++)
            writes = writes ||
                     (all.items.items[k].writes && !rlxc_is_temp(e, all.items.items[k].buffer));
        if (writes)
            RLXC_PUSH(e->ctx, &out.items, blocks.items.items[i]);
    }
    return give_all(e, &out, "the list of output blocks");
}

/* --- notes ------------------------------------------------------------------------------------ */

static rlxc_attrs *notes_of(rlxc_node *node)
{
    return node->kind == RLXC_NODE_LOOP ? &node->annotations : &node->block->annotations;
}

bool rlxc_apply_annotate(rlxc_engine *e)
{
    rlxc_node *node = rlxc_arg_node(e, "block_or_loop");
    const rlxc_attr *value = rlxc_arg(e, "ann_val");
    const rlxc_expr *number;
    rlxc_attr note = *value;
    if (!node)
        return false;
    if (value->kind == RLXC_ATTR_EXPR && value->expr->kind != RLXC_EXPR_INT) {
        int64_t i = 0;
        if (!rlxc_value_of(e, value, &number))
            return false;
        (void)rlxc_is_int(number, &i);
        note = rlxc_attr_int(i);
    }
    rlxc_attrs *notes = notes_of(node);
    *notes = rlxc_attrs_with(e->ctx, *notes,
                             rlxc_intern_cstr(e->ctx, rlxc_arg_string(e, "ann_key")), note);
    return true;
}

bool rlxc_apply_unannotate(rlxc_engine *e)
{
    rlxc_node *node = rlxc_arg_node(e, "block_or_loop");
    if (!node)
        return false;
    const char *key = rlxc_intern_cstr(e->ctx, rlxc_arg_string(e, "ann_key"));
    rlxc_attrs *notes = notes_of(node);
    if (!rlxc_attrs_find(notes, key))
        return rlxc_refuse(e, "there is no annotation '%s'", key);
    *notes = rlxc_attrs_without(e->ctx, *notes, key);
    return true;
}

/* --- decisions -------------------------------------------------------------------------------- */

static void give_value(rlxc_engine *e, uint32_t i, const rlxc_expr *value)
{
    if (i < e->step->n_results)
        rlxc_map_set(e->ctx, &e->refs, rlxc_key(e->step->results[i]), (void *)(uintptr_t)value);
}

static bool give_tile(rlxc_engine *e)
{
    const rlxc_node *loop = rlxc_arg_loop(e, "loop");
    const rlxc_attr *decision = rlxc_arg(e, "decision");
    int64_t n;
    if (!loop || !rlxc_arg_int(e, "n", 0, &n))
        return false;
    if (decision->list.count != n)
        return rlxc_refuse(e, "the decision has %u factors, not %lld", decision->list.count,
                           (long long)n);
    if (!rlxc_gives(e, decision->list.count, "the decision"))
        return false;
    for (uint32_t i = 0; i < decision->list.count; i++) {
        const rlxc_expr *factor;
        if (!rlxc_value_of(e, &decision->list.items[i], &factor))
            return false;
        give_value(e, i, factor);
    }
    return true;
}

bool rlxc_apply_sample_perfect_tile(rlxc_engine *e)
{
    return give_tile(e);
}

bool rlxc_apply_sample_partitioned_tile(rlxc_engine *e)
{
    return give_tile(e);
}

bool rlxc_apply_sample_categorical(rlxc_engine *e)
{
    const rlxc_attr *candidates = rlxc_arg(e, "candidates");
    const rlxc_expr *value;
    int64_t decision;
    if (!rlxc_arg_int(e, "decision", 0, &decision))
        return false;
    if (decision < 0 || decision >= candidates->list.count)
        return rlxc_refuse(e, "decision %lld of %u candidates", (long long)decision,
                           candidates->list.count);
    if (!rlxc_value_of(e, &candidates->list.items[decision], &value))
        return false;
    give_value(e, 0, value);
    return true;
}

bool rlxc_apply_enter_postproc(rlxc_engine *e)
{
    (void)e;
    return true;
}

bool rlxc_apply_sample_compute_location(rlxc_engine *e)
{
    const rlxc_node *block = rlxc_arg_block(e, "block");
    rlxc_node_list blocks = {0}, loops = {0};
    rlxc_accesses_in all = {0};
    const rlxc_node *consumer = NULL;
    int64_t decision;
    if (!block || !rlxc_arg_int(e, "decision", -1, &decision))
        return false;
    if (decision == -1) { /* where it is */
        rlxc_give(e, 0, e->root);
        return true;
    }
    if (decision == -2) { /* no loop: compute_at then inlines the block */
        rlxc_node *nowhere = rlxc_alloc(e->ctx, sizeof *nowhere);
        nowhere->kind = RLXC_NODE_LEAF;
        rlxc_give(e, 0, nowhere);
        return true;
    }
    rlxc_blocks_in(e, rlxc_scope_of(block)->kids.items.items[0], false, &blocks);
    rlxc_block_accesses(e, block, &all);
    for (uint32_t i = 0; i < blocks.items.count && !consumer; i++)
        for (uint32_t k = 0; k < all.items.count && blocks.items.items[i] != block; k++)
            if (all.items.items[k].writes &&
                rlxc_block_touches(e, blocks.items.items[i], all.items.items[k].buffer, false))
                consumer = blocks.items.items[i];
    if (consumer)
        rlxc_loops_around(e, consumer, &loops);
    if (decision < 0 || decision >= loops.items.count)
        return rlxc_refuse(e, "decision %lld: the consumers of block '%s' have %u loops",
                           (long long)decision, rlxc_block_of(block), loops.items.count);
    rlxc_give(e, 0, loops.items.items[decision]);
    return true;
}

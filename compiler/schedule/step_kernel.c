/* Steps tensorize and rewrite, whose implementations kernels/ registers, and blockize. */
#include <string.h>

#include "compiler/schedule/tree.h"

/* --- tensorize, rewrite ----------------------------------------------------------------------- */

static void collect(rlxc_engine *e, rlxc_node *node, rlxc_node_list *out)
{
    RLXC_PUSH(e->ctx, &out->items, node);
    for (uint32_t i = 0; i < node->kids.items.count; i++)
        collect(e, node->kids.items.items[i], out);
}

static bool is_same(const rlxc_node *a, const rlxc_node *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == RLXC_NODE_LOOP
               ? a->var == b->var
               : a->kind == RLXC_NODE_BLOCK && strcmp(rlxc_block_of(a), rlxc_block_of(b)) == 0;
}

/* After the tree was rebuilt: maps old nodes to those with the same loop variable, or the same
 * block name, so that references stay valid; other nodes are gone. */
static void take_over(rlxc_engine *e, rlxc_node *old_root)
{
    rlxc_node_list old = {0}, now = {0};
    collect(e, old_root, &old);
    collect(e, e->root, &now);
    for (uint32_t i = 0; i < old.items.count; i++) {
        rlxc_node *from = old.items.items[i], *to = NULL;
        for (uint32_t k = 0; k < now.items.count && !to; k++)
            if (is_same(from, now.items.items[k]))
                to = now.items.items[k];
        if (!to) {
            from->gone = rlxc_step_row_of(e->step->kind)->name;
            continue;
        }
        if (to == e->root) {
            *from = *to;
            e->root = from;
        } else {
            rlxc_put_for(e, to, from);
            rlxc_node *parent = from->parent;
            *from = *to;
            from->parent = parent;
        }
        for (uint32_t k = 0; k < from->kids.items.count; k++)
            from->kids.items.items[k]->parent = from;
        for (uint32_t k = 0; k < now.items.count; k++)
            if (now.items.items[k] == to)
                now.items.items[k] = from;
    }
}

static const rlxc_kernel_row *find_row(rlxc_engine *e, const char *name)
{
    rlxc_text names = {.ctx = e->ctx};
    for (uint32_t i = 0; i < e->options->n_kernels; i++) {
        const rlxc_kernel_row *row = &e->options->kernels[i];
        if (row->step != e->step->kind)
            continue;
        if (strcmp(row->name, name) == 0)
            return row;
        rlxc_text_printf(&names, "%s%s", names.length ? ", " : "", row->name);
    }
    rlxc_refuse(e, "unknown '%s'; expected one of %s", name, names.data ? names.data : "none");
    return NULL;
}

static bool use_kernel(rlxc_engine *e, rlxc_node *block, const char *name)
{
    const rlxc_kernel_row *row = find_row(e, name);
    const rlxc_attr *sizes = rlxc_arg(e, "sizes");
    if (!row)
        return false;
    rlxc_node_list blocks = {0};
    rlxc_blocks_in(e, e->root, true, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++)
        if (blocks.items.items[i] != block &&
            strcmp(rlxc_block_of(blocks.items.items[i]), rlxc_block_of(block)) == 0)
            return rlxc_refuse(e, "function '%s' has several blocks '%s'", e->f->name,
                               rlxc_block_of(block));
    e->f->body = rlxc_tree_stmt(e, e->root);
    rlxc_kernel_use use = {
        .ctx = e->ctx, .f = e->f, .block = rlxc_block_of(block), .step = e->step};
    if (sizes)
        use.sizes = (rlxc_attrs){sizes->list.keys, sizes->list.items, sizes->list.count};
    uint32_t errors = rlxc_error_count(e->ctx);
    if (!row->apply(e->options->user, &use))
        return rlxc_error_count(e->ctx) > errors || rlxc_failed(e->ctx)
                   ? false
                   : rlxc_refuse(e, "'%s' does not fit block '%s'", name, rlxc_block_of(block));
    rlxc_node *old = e->root;
    e->root = rlxc_tree_of(e, e->f->body);
    if (!e->root)
        return false;
    take_over(e, old);
    return true;
}

bool rlxc_apply_tensorize(rlxc_engine *e)
{
    rlxc_node *node = rlxc_arg_node(e, "block_or_loop");
    rlxc_node_list blocks = {0};
    if (!node)
        return false;
    rlxc_blocks_in(e, node, false, &blocks);
    if (blocks.items.count != 1)
        return rlxc_refuse(e, "loop %s holds %u blocks, not one", rlxc_loop_name(e, node),
                           blocks.items.count);
    return use_kernel(e, blocks.items.items[0], rlxc_arg_string(e, "tensor_intrin"));
}

bool rlxc_apply_rewrite(rlxc_engine *e)
{
    rlxc_node *block = rlxc_arg_block(e, "block");
    return block && use_kernel(e, block, rlxc_arg_string(e, "rewrite"));
}

/* --- blockize --------------------------------------------------------------------------------- */

enum { MAX_AXES = RLXC_DOMAIN_AXES };

typedef struct halves { /* a value as outer * count + inner */
    const rlxc_expr *outer, *inner;
    const rlxc_expr *count;
} halves;

static bool split_value(rlxc_engine *e, const rlxc_node_list *outer, const rlxc_node_list *inner,
                        const rlxc_expr *value, halves *out)
{
    rlxc_context *ctx = e->ctx;
    rlxc_spans spans = {0};
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *high = value, *low = value;
    for (uint32_t i = 0; i < inner->items.count; i++) {
        const rlxc_node *loop = inner->items.items[i];
        const rlxc_expr *none = rlxc_cast(ctx, loop->var->dtype, zero);
        rlxc_span_loop(e, &spans, loop->var, loop->min, loop->extent);
        high = rlxc_substitute(ctx, high, &loop->var, &none, 1);
    }
    for (uint32_t i = 0; i < outer->items.count; i++) {
        const rlxc_expr *none = rlxc_cast(ctx, outer->items.items[i]->var->dtype, zero);
        low = rlxc_substitute(ctx, low, &outer->items.items[i]->var, &none, 1);
    }
    high = rlxc_simple(e, high);
    low = rlxc_simple(e, low);
    rlxc_span span = rlxc_span_of(e, &spans, low);
    if (!rlxc_prove_eq(ctx, rlxc_add(ctx, high, low), value, NULL) || !span.max ||
        !rlxc_is_const(span.min, 0))
        return rlxc_refuse(e,
                           "%s does not separate into a multiple from the outer loops and a "
                           "remainder from the inner ones",
                           rlxc_expr_text(e, value));
    out->count = rlxc_simple(e, rlxc_add(ctx, span.max, rlxc_i64(ctx, 1)));
    out->outer = rlxc_simple(e, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, high, out->count));
    out->inner = low;
    return rlxc_prove_eq(ctx, rlxc_mul(ctx, out->outer, out->count), high, NULL) ||
           rlxc_refuse(e, "%s is not a multiple of %s, the iterations inside",
                       rlxc_expr_text(e, high), rlxc_expr_text(e, out->count));
}

bool rlxc_apply_blockize(rlxc_engine *e)
{
    rlxc_context *ctx = e->ctx;
    const rlxc_attr *target = rlxc_arg(e, "target");
    if (!rlxc_is_step_ref(target))
        return rlxc_refuse(e, "target must be a loop");
    rlxc_node *loop = rlxc_arg_loop(e, "target");
    rlxc_node_list blocks = {0}, around = {0}, outer = {0}, inner = {0};
    if (!loop)
        return false;
    rlxc_blocks_in(e, loop, false, &blocks);
    if (blocks.items.count != 1)
        return rlxc_refuse(e, "loop %s holds %u blocks, not one", rlxc_loop_name(e, loop),
                           blocks.items.count);
    rlxc_node *block = blocks.items.items[0];
    const rlxc_block *b = block->block;
    if (b->init)
        return rlxc_refuse(e, "block '%s' has an initial value: decompose_reduction first",
                           rlxc_block_of(block));
    if (block->predicate)
        return rlxc_refuse(e, "block '%s' runs under the condition %s", rlxc_block_of(block),
                           rlxc_expr_text(e, block->predicate));
    if (b->n_axes > MAX_AXES)
        return rlxc_refuse(e, "block '%s' has more than %d axes", rlxc_block_of(block), MAX_AXES);
    rlxc_loops_around(e, block, &around);
    for (uint32_t i = 0; i < around.items.count; i++) {
        rlxc_node *at = around.items.items[i];
        rlxc_node_list *to = rlxc_is_inside(at, loop) ? &inner : &outer;
        RLXC_PUSH(ctx, &to->items, at);
    }
    rlxc_axis *axes = rlxc_try_alloc(ctx, (size_t)b->n_axes + 1, sizeof *axes);
    const rlxc_expr *values[MAX_AXES], *now[MAX_AXES];
    if (!axes)
        return false;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        halves h = {NULL, NULL, NULL};
        const rlxc_axis *axis = &b->axes[k];
        if (!split_value(e, &outer, &inner, block->values[k], &h))
            return false;
        const rlxc_expr *var =
            rlxc_var(ctx, rlxc_internf(ctx, "%so", axis->var->var.name), axis->var->dtype);
        const rlxc_expr *up = rlxc_add(ctx, axis->extent, rlxc_sub(ctx, h.count, rlxc_i64(ctx, 1)));
        axes[k] = (rlxc_axis){axis->kind, var, rlxc_int(ctx, axis->var->dtype, 0),
                              rlxc_simple(e, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, up, h.count))};
        values[k] = rlxc_cast(ctx, axis->var->dtype, h.outer);
        now[k] = rlxc_cast(ctx, axis->var->dtype,
                           rlxc_simple(e, rlxc_add(ctx, rlxc_mul(ctx, var, h.count), h.inner)));
    }
    const rlxc_block made = {
        .name = rlxc_block_name(e, rlxc_internf(ctx, "%s_o", rlxc_block_of(block))),
        .axes = axes,
        .n_axes = b->n_axes};
    const rlxc_stmt *nothing = rlxc_stmt_evaluate(ctx, rlxc_int(ctx, RLX_I32, 0));
    rlxc_node *node = rlxc_new_block(e, &made, values, NULL, nothing);
    for (uint32_t k = 0; k < b->n_axes; k++)
        block->values[k] = now[k];
    rlxc_put_for(e, loop, node);
    rlxc_adopt(e, node, loop);
    rlxc_give(e, 0, node);
    return true;
}

/* Applies lists of steps: resolves references, calls the function of each step, and rewrites the
 * PrimFunc if all succeeded. */
#include "compiler/schedule/engine.h"

#include <stdio.h>
#include <string.h>

#include "compiler/ir/operation.h"
#include "compiler/schedule/tree.h"
#include "compiler/script/print.h"

/* --- messages --------------------------------------------------------------------------------- */

bool rlxc_refuse(rlxc_engine *e, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rlxc_range range = e->step && e->step->range.line ? e->step->range : e->f->range;
    const char *name = e->step ? rlxc_step_row_of(e->step->kind)->name : "schedule";
    if (e->options->why)
        *e->options->why = rlxc_internf(e->ctx, "%s: %s", name, text);
    else
        rlxc_error(e->ctx, range, "%s: %s", name, text);
    return false;
}

const char *rlxc_expr_text(const rlxc_engine *e, const rlxc_expr *value)
{
    rlxc_printer p;
    rlxc_printer_init(&p, e->ctx);
    p.hints_only = p.relax = true; /* integers without their types */
    rlxc_print_expression(&p, rlxc_simplify(e->ctx, value, NULL));
    return p.out.data ? p.out.data : "";
}

const char *rlxc_block_of(const rlxc_node *block)
{
    return block->block->name ? block->block->name : "";
}

const char *rlxc_loop_name(const rlxc_engine *e, const rlxc_node *loop)
{
    return rlxc_internf(e->ctx, "'%s'", loop->var->var.name);
}

/* --- arguments -------------------------------------------------------------------------------- */

const rlxc_attr *rlxc_arg(const rlxc_engine *e, const char *name)
{
    return rlxc_attrs_find(&e->step->args, name);
}

static rlxc_node *node_of(rlxc_engine *e, const rlxc_attr *value)
{
    const char *name = value->expr->var.name;
    rlxc_node *node = rlxc_map_get(&e->refs, rlxc_key(value->expr));
    if (!node) {
        rlxc_refuse(e, "no earlier step defines '%s'", name);
        return NULL;
    }
    if (node->gone) {
        rlxc_refuse(e, "'%s' no longer exists: %s removed it", name, node->gone);
        return NULL;
    }
    return node;
}

static bool is_kind(rlxc_engine *e, const rlxc_attr *value, const rlxc_node *node,
                    rlxc_node_kind kind)
{
    return node->kind == kind || rlxc_refuse(e, "'%s' is %s, not %s", value->expr->var.name,
                                             node->kind == RLXC_NODE_LOOP ? "a loop" : "a block",
                                             kind == RLXC_NODE_LOOP ? "a loop" : "a block");
}

static rlxc_node *arg_of(rlxc_engine *e, const char *name, rlxc_node_kind kind)
{
    const rlxc_attr *value = rlxc_arg(e, name);
    rlxc_node *node = node_of(e, value);
    return node && is_kind(e, value, node, kind) ? node : NULL;
}

rlxc_node *rlxc_arg_block(rlxc_engine *e, const char *name)
{
    return arg_of(e, name, RLXC_NODE_BLOCK);
}

rlxc_node *rlxc_arg_loop(rlxc_engine *e, const char *name)
{
    return arg_of(e, name, RLXC_NODE_LOOP);
}

rlxc_node *rlxc_arg_node(rlxc_engine *e, const char *name)
{
    return node_of(e, rlxc_arg(e, name));
}

bool rlxc_arg_loops(rlxc_engine *e, const char *name, rlxc_node_list *out)
{
    const rlxc_attr *list = rlxc_arg(e, name);
    for (uint32_t i = 0; list && i < list->list.count; i++) {
        rlxc_node *node = node_of(e, &list->list.items[i]);
        if (!node || !is_kind(e, &list->list.items[i], node, RLXC_NODE_LOOP))
            return false;
        for (uint32_t k = 0; k < out->items.count; k++)
            if (out->items.items[k] == node)
                return rlxc_refuse(e, "loop '%s' is given twice",
                                   list->list.items[i].expr->var.name);
        RLXC_PUSH(e->ctx, &out->items, node);
    }
    return out->items.count > 0 || rlxc_refuse(e, "at least one loop is needed");
}

static const rlxc_expr *sampled(void *user, const rlxc_expr *var)
{
    rlxc_engine *e = user;
    return rlxc_map_get(&e->refs, rlxc_key(var));
}

bool rlxc_value_of(rlxc_engine *e, const rlxc_attr *value, const rlxc_expr **out)
{
    int64_t i;
    if (rlxc_attr_as_int(value, &i)) {
        *out = rlxc_i64(e->ctx, i);
        return true;
    }
    if (value->kind != RLXC_ATTR_EXPR || rlxc_is_step_ref(value))
        return rlxc_refuse(e, "expected an integer");
    *out = rlxc_simple(e, rlxc_expr_rewrite(e->ctx, value->expr, sampled, e));
    return rlxc_is_int(*out, &i) ||
           rlxc_refuse(e, "'%s' is not a number defined by an earlier step",
                       rlxc_expr_text(e, *out));
}

bool rlxc_arg_int(rlxc_engine *e, const char *name, int64_t fallback, int64_t *out)
{
    const rlxc_attr *value = rlxc_arg(e, name);
    const rlxc_expr *given;
    *out = fallback;
    if (!value)
        return true;
    return rlxc_value_of(e, value, &given) && rlxc_is_int(given, out);
}

const char *rlxc_arg_string(const rlxc_engine *e, const char *name)
{
    const rlxc_attr *value = rlxc_arg(e, name);
    return value && value->kind == RLXC_ATTR_STRING ? value->s : NULL;
}

bool rlxc_arg_bool(const rlxc_engine *e, const char *name, bool fallback)
{
    const rlxc_attr *value = rlxc_arg(e, name);
    int64_t i;
    return value && rlxc_attr_as_int(value, &i) ? i != 0 : fallback;
}

/* The buffers that |block| reads or writes, each once, in the order of its statements: what the
 * reduction reads of its own result does not count. */
static void buffers_of(rlxc_engine *e, const rlxc_node *block, bool writes, const rlxc_buffer **out,
                       uint32_t *n, uint32_t most)
{
    rlxc_accesses_in all = {0};
    rlxc_block_accesses(e, block, &all);
    const rlxc_block *b = block->block;
    bool stated = writes ? b->has_writes : b->has_reads;
    const rlxc_region *regions = writes ? b->writes : b->reads;
    uint32_t n_regions = !stated ? 0 : writes ? b->n_writes : b->n_reads;
    for (uint32_t i = 0; i < n_regions && *n < most; i++)
        out[(*n)++] = regions[i].buffer;
    for (uint32_t i = 0; i < all.items.count && !stated && *n < most; i++) {
        const rlxc_access *a = &all.items.items[i];
        bool known = a->writes != writes;
        known = known || (!writes && rlxc_block_touches(e, block, a->buffer, true));
        for (uint32_t k = 0; k < *n && !known; k++)
            known = out[k] == a->buffer;
        if (!known)
            out[(*n)++] = a->buffer;
    }
}

bool rlxc_arg_buffer(rlxc_engine *e, const char *name, rlxc_node *block, bool writes,
                     const rlxc_buffer **out)
{
    enum { MOST = 64 };
    const rlxc_buffer *buffers[MOST];
    const rlxc_attr *value = rlxc_arg(e, name);
    uint32_t n = 0;
    int64_t index = 0;
    if (value->kind == RLXC_ATTR_STRING) {
        buffers_of(e, block, false, buffers, &n, MOST);
        buffers_of(e, block, true, buffers, &n, MOST);
        for (uint32_t i = 0; i < n; i++)
            if (strcmp(buffers[i]->name, value->s) == 0) {
                *out = buffers[i];
                return true;
            }
        return rlxc_refuse(e, "block '%s' has no buffer '%s'", rlxc_block_of(block), value->s);
    }
    if (value->kind == RLXC_ATTR_LIST) {
        writes = strcmp(value->list.items[0].s, "write") == 0;
        value = &value->list.items[1];
    }
    (void)rlxc_attr_as_int(value, &index);
    buffers_of(e, block, writes, buffers, &n, MOST);
    if (index < 0 || index >= n)
        return rlxc_refuse(e, "block '%s' %s %u buffer%s; buffer %lld does not exist",
                           rlxc_block_of(block), writes ? "writes" : "reads", n, n == 1 ? "" : "s",
                           (long long)index);
    *out = buffers[index];
    return true;
}

bool rlxc_gives(rlxc_engine *e, uint32_t n, const char *of)
{
    return e->step->n_results == 0 || e->step->n_results == n ||
           rlxc_refuse(e, "%s has %u, the step names %u", of, n, e->step->n_results);
}

void rlxc_give(rlxc_engine *e, uint32_t i, rlxc_node *node)
{
    if (i < e->step->n_results)
        rlxc_map_set(e->ctx, &e->refs, rlxc_key(e->step->results[i]), node);
}

/* --- lists ------------------------------------------------------------------------------------ */

static rlxc_step_fn *const functions[RLXC_STEP_COUNT] = {
#define RLXC_STEP(name, instruction, args, json, results, doc) rlxc_apply_##name,
#include "compiler/schedule/steps.def"
#undef RLXC_STEP
};

bool rlxc_apply_steps(rlxc_context *ctx, rlxc_prim_func *f, const rlxc_schedule_steps *steps,
                      const rlxc_engine_options *options)
{
    rlxc_prim_func work = *f;
    rlxc_engine e = {.ctx = ctx, .f = &work, .options = options};
    e.root = rlxc_tree_of(&e, f->body);
    if (!e.root)
        return false;
    for (uint32_t i = 0; i < steps->items.count; i++) {
        e.step = &steps->items.items[i];
        if (rlxc_failed(ctx) || !rlxc_step_check(ctx, e.step) || !functions[e.step->kind](&e))
            return false;
    }
    if (!rlxc_place_buffers(&e))
        return false;
    work.body = rlxc_tag_blocks(ctx, rlxc_tree_stmt(&e, e.root));
    if (rlxc_failed(ctx))
        return false;
    *f = work;
    return true;
}

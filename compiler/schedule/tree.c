/* The tree that steps work on: built from statements, edited, and converted back. */
#include "compiler/schedule/tree.h"

#include <string.h>

static rlxc_node *new_node(rlxc_engine *e, rlxc_node_kind kind, const rlxc_stmt *stmt)
{
    rlxc_node *node = rlxc_alloc(e->ctx, sizeof *node);
    *node = (rlxc_node){.kind = kind, .stmt = stmt};
    return node;
}

static void append(rlxc_engine *e, rlxc_node *parent, rlxc_node *child)
{
    child->parent = parent;
    RLXC_PUSH(e->ctx, &parent->kids.items, child);
}

/* --- from statements -------------------------------------------------------------------------- */

static bool search_block(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found |= s->kind == RLXC_STMT_BLOCK;
    return !*found;
}

static bool holds_block(const rlxc_stmt *s)
{
    bool found = false;
    rlxc_stmt_visit(s, search_block, &found);
    return found;
}

/* Only loops and blocks: the result of a kernel also has lets and allocations, and is one leaf. */
static bool is_tree(const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_FOR)
        return is_tree(s->loop.body);
    for (uint32_t i = 0; s->kind == RLXC_STMT_SEQ && i < s->seq.n; i++)
        if (!is_tree(s->seq.items[i]))
            return false;
    return s->kind == RLXC_STMT_SEQ || s->kind == RLXC_STMT_BLOCK;
}

static rlxc_node *tree_of(rlxc_engine *e, const rlxc_stmt *s, uint32_t depth);

static rlxc_node *tree_of_block(rlxc_engine *e, const rlxc_stmt *s, uint32_t depth)
{
    const rlxc_block *b = s->block.block;
    const bool opens = depth == 0 || (holds_block(b->body) && is_tree(b->body));
    rlxc_node *child =
        opens ? tree_of(e, b->body, depth + 1) : new_node(e, RLXC_NODE_LEAF, b->body);
    if (!child)
        return NULL;
    rlxc_node *node = new_node(e, RLXC_NODE_BLOCK, s);
    node->block = rlxc_copy(e->ctx, b, sizeof *b);
    node->values = rlxc_try_alloc(e->ctx, (size_t)b->n_axes + 1, sizeof *node->values);
    if (!node->values)
        return NULL;
    for (uint32_t i = 0; i < b->n_axes; i++)
        node->values[i] = s->block.values[i];
    bool always = s->block.predicate && rlxc_is_const(s->block.predicate, 1);
    node->predicate = always ? NULL : s->block.predicate;
    append(e, node, child);
    return node;
}

static rlxc_node *tree_of(rlxc_engine *e, const rlxc_stmt *s, uint32_t depth)
{
    rlxc_node *node, *child;
    if (depth > RLXC_MAX_DEPTH || rlxc_failed(e->ctx)) {
        if (!rlxc_failed(e->ctx))
            rlxc_error(e->ctx, s->range, "loops and blocks nest deeper than %d", RLXC_MAX_DEPTH);
        return NULL;
    }
    if (s->kind == RLXC_STMT_BLOCK)
        return tree_of_block(e, s, depth);
    if (s->kind == RLXC_STMT_SEQ) {
        node = new_node(e, RLXC_NODE_SEQ, s);
        for (uint32_t i = 0; i < s->seq.n; i++) {
            if (!(child = tree_of(e, s->seq.items[i], depth)))
                return NULL;
            append(e, node, child);
        }
        return node;
    }
    if (s->kind == RLXC_STMT_FOR) {
        if (!(child = tree_of(e, s->loop.body, depth + 1)))
            return NULL;
        node = rlxc_new_loop(e, s->loop.var, s->loop.extent);
        node->stmt = s;
        node->min = s->loop.min;
        node->loop_kind = s->loop.kind;
        node->thread = s->loop.thread;
        node->annotations = s->loop.annotations;
        append(e, node, child);
        return node;
    }
    rlxc_refuse(e, "function '%s' has statements outside of blocks: only blocks can be scheduled",
                e->f->name);
    return NULL;
}

rlxc_node *rlxc_tree_of(rlxc_engine *e, const rlxc_stmt *body)
{
    if (body->kind != RLXC_STMT_BLOCK || body->block.block->n_axes) {
        rlxc_block *root = rlxc_alloc(e->ctx, sizeof *root);
        root->name = rlxc_intern_cstr(e->ctx, "root");
        root->body = body;
        body = rlxc_stmt_block(e->ctx, root, NULL, NULL);
    }
    return tree_of(e, body, 0);
}

/* --- to statements ---------------------------------------------------------------------------- */

const rlxc_stmt *rlxc_tree_stmt(rlxc_engine *e, const rlxc_node *node)
{
    rlxc_context *ctx = e->ctx;
    if (node->kind == RLXC_NODE_LEAF)
        return node->stmt;
    if (node->kind == RLXC_NODE_SEQ) {
        RLXC_VEC(const rlxc_stmt *) items = {0};
        for (uint32_t i = 0; i < node->kids.items.count; i++)
            RLXC_PUSH(ctx, &items, rlxc_tree_stmt(e, node->kids.items.items[i]));
        return rlxc_stmt_seq(ctx, items.items, items.count);
    }
    const rlxc_stmt *body = node->kids.items.count
                                ? rlxc_tree_stmt(e, node->kids.items.items[0])
                                : rlxc_stmt_evaluate(ctx, rlxc_int(ctx, RLX_I32, 0));
    rlxc_stmt *out;
    if (node->kind == RLXC_NODE_LOOP) {
        out = rlxc_copy(
            ctx, rlxc_stmt_for(ctx, node->var, node->min, node->extent, node->loop_kind, body),
            sizeof *out);
        out->loop.annotations = node->annotations;
        out->loop.thread = node->thread;
    } else {
        rlxc_block *block = rlxc_copy(ctx, node->block, sizeof *block);
        block->body = body;
        out =
            rlxc_copy(ctx, rlxc_stmt_block(ctx, block, node->values, node->predicate), sizeof *out);
    }
    if (node->stmt)
        out->range = node->stmt->range;
    return out;
}

/* --- edits ------------------------------------------------------------------------------------ */

rlxc_node *rlxc_new_loop(rlxc_engine *e, const rlxc_expr *var, const rlxc_expr *extent)
{
    rlxc_node *node = new_node(e, RLXC_NODE_LOOP, NULL);
    node->var = var;
    node->min = rlxc_int(e->ctx, var->dtype, 0);
    node->extent = extent;
    return node;
}

rlxc_node *rlxc_new_block(rlxc_engine *e, const rlxc_block *block, const rlxc_expr *const *values,
                          const rlxc_expr *predicate, const rlxc_stmt *body)
{
    rlxc_node *node = new_node(e, RLXC_NODE_BLOCK, NULL);
    node->block = rlxc_copy(e->ctx, block, sizeof *block);
    node->values = rlxc_try_alloc(e->ctx, (size_t)block->n_axes + 1, sizeof *node->values);
    for (uint32_t i = 0; i < block->n_axes && node->values; i++)
        node->values[i] = values[i];
    node->predicate = predicate;
    append(e, node, new_node(e, RLXC_NODE_LEAF, body));
    return node;
}

void rlxc_adopt(rlxc_engine *e, rlxc_node *parent, rlxc_node *child)
{
    parent->kids.items.count = 0;
    append(e, parent, child);
}

static uint32_t index_of(const rlxc_node *node)
{
    uint32_t i = 0;
    while (node->parent->kids.items.items[i] != node)
        i++;
    return i;
}

void rlxc_put_for(rlxc_engine *e, rlxc_node *from, rlxc_node *to)
{
    rlxc_node *parent = from->parent;
    if (parent) {
        parent->kids.items.items[index_of(from)] = to;
    } else {
        e->root = to;
    }
    to->parent = parent;
    from->parent = NULL;
}

void rlxc_insert(rlxc_engine *e, rlxc_node *at, uint32_t position, rlxc_node *node)
{
    rlxc_node *seq = at->kids.items.count ? at->kids.items.items[0] : NULL;
    if (!seq) {
        append(e, at, node);
        return;
    }
    if (seq->kind != RLXC_NODE_SEQ) {
        rlxc_node *only = seq;
        seq = new_node(e, RLXC_NODE_SEQ, NULL);
        rlxc_adopt(e, at, seq);
        append(e, seq, only);
    }
    append(e, seq, node);
    for (uint32_t i = seq->kids.items.count - 1; i > position; i--) {
        seq->kids.items.items[i] = seq->kids.items.items[i - 1];
        seq->kids.items.items[i - 1] = node;
    }
}

void rlxc_take_out(rlxc_engine *e, rlxc_node *node)
{
    const char *step = rlxc_step_row_of(e->step->kind)->name;
    rlxc_node *parent = node->parent;
    node->gone = step;
    while (parent->kids.items.count == 1 && parent->kind != RLXC_NODE_BLOCK) {
        node = parent;
        node->gone = step;
        parent = node->parent;
    }
    uint32_t at = index_of(node);
    for (uint32_t i = at; i + 1 < parent->kids.items.count; i++)
        parent->kids.items.items[i] = parent->kids.items.items[i + 1];
    parent->kids.items.count--;
    node->parent = NULL;
    if (parent->kind == RLXC_NODE_SEQ && parent->kids.items.count == 1)
        rlxc_put_for(e, parent, parent->kids.items.items[0]);
}

uint32_t rlxc_n_children(const rlxc_node *at)
{
    if (at->kids.items.count && at->kids.items.items[0]->kind == RLXC_NODE_SEQ)
        return at->kids.items.items[0]->kids.items.count;
    return at->kids.items.count;
}

rlxc_node *rlxc_child(const rlxc_node *at, uint32_t i)
{
    rlxc_node *first = at->kids.items.items[0];
    return first->kind == RLXC_NODE_SEQ ? first->kids.items.items[i] : first;
}

bool rlxc_is_inside(const rlxc_node *node, const rlxc_node *ancestor)
{
    while (node && node != ancestor)
        node = node->parent;
    return node != NULL;
}

uint32_t rlxc_position_in(const rlxc_node *at, const rlxc_node *node)
{
    for (uint32_t i = 0; i < rlxc_n_children(at); i++)
        if (rlxc_is_inside(node, rlxc_child(at, i)))
            return i;
    return UINT32_MAX;
}

void rlxc_blocks_in(rlxc_engine *e, rlxc_node *node, bool nested, rlxc_node_list *out)
{
    if (node->kind == RLXC_NODE_BLOCK) {
        RLXC_PUSH(e->ctx, &out->items, node);
        if (!nested)
            return;
    }
    for (uint32_t i = 0; i < node->kids.items.count; i++)
        rlxc_blocks_in(e, node->kids.items.items[i], nested, out);
}

void rlxc_bound_loops_in(rlxc_engine *e, rlxc_node *node, rlxc_node_list *out)
{
    if (node->kind == RLXC_NODE_LOOP && node->thread)
        RLXC_PUSH(e->ctx, &out->items, node);
    for (uint32_t i = 0; i < node->kids.items.count; i++)
        rlxc_bound_loops_in(e, node->kids.items.items[i], out);
}

rlxc_node *rlxc_scope_of(const rlxc_node *node)
{
    rlxc_node *at = node->parent;
    while (at && at->kind != RLXC_NODE_BLOCK)
        at = at->parent;
    return at;
}

void rlxc_loops_around(rlxc_engine *e, const rlxc_node *node, rlxc_node_list *out)
{
    uint32_t first = out->items.count;
    for (rlxc_node *at = node->parent; at && at->kind != RLXC_NODE_BLOCK; at = at->parent)
        if (at->kind == RLXC_NODE_LOOP)
            RLXC_PUSH(e->ctx, &out->items, at);
    for (uint32_t i = first, k = out->items.count; i + 1 < k; i++, k--) {
        rlxc_node *swap = out->items.items[i];
        out->items.items[i] = out->items.items[k - 1];
        out->items.items[k - 1] = swap;
    }
}

const rlxc_expr *rlxc_simple(rlxc_engine *e, const rlxc_expr *value)
{
    return rlxc_simplify(e->ctx, value, NULL);
}

const rlxc_expr *rlxc_both(rlxc_engine *e, const rlxc_expr *a, const rlxc_expr *b)
{
    return !a ? b : !b ? a : rlxc_binary(e->ctx, RLXC_EXPR_AND, a, b);
}

typedef struct replacing {
    rlxc_engine *e;
    const rlxc_expr *const *vars;
    const rlxc_expr *const *values;
    uint32_t n;
    rlxc_bounds bounds; /* of the loops on the way down */
} replacing;

static const rlxc_expr *replace_expr(void *user, const rlxc_expr *value)
{
    replacing *r = user;
    return value ? rlxc_substitute(r->e->ctx, value, r->vars, r->values, r->n) : NULL;
}

static const rlxc_expr *replaced(replacing *r, const rlxc_expr *value)
{
    const rlxc_expr *out = replace_expr(r, value);
    return out == value ? value : rlxc_simplify(r->e->ctx, out, &r->bounds);
}

static void replace_in(replacing *r, rlxc_node *node)
{
    rlxc_context *ctx = r->e->ctx;
    const rlxc_stmt_rewriter rewriter = {.user = r, .expr = replace_expr};
    if (node->kind == RLXC_NODE_LEAF) {
        node->stmt = rlxc_stmt_rewrite(ctx, node->stmt, &rewriter);
        return;
    }
    uint32_t mark = r->bounds.vars.count;
    if (node->kind == RLXC_NODE_LOOP) {
        int64_t extent;
        node->min = replaced(r, node->min);
        node->extent = replaced(r, node->extent);
        if (rlxc_is_int(node->extent, &extent) && extent > 0 && rlxc_is_const(node->min, 0))
            rlxc_bounds_set(ctx, &r->bounds, node->var, (rlxc_bound){0, extent - 1});
    } else if (node->kind == RLXC_NODE_BLOCK) {
        for (uint32_t i = 0; i < node->block->n_axes; i++)
            node->values[i] = replaced(r, node->values[i]);
        if (node->predicate)
            node->predicate = replaced(r, node->predicate);
        if (node->predicate && rlxc_is_const(node->predicate, 1))
            node->predicate = NULL;
        if (node->block->init)
            node->block->init = rlxc_stmt_rewrite(ctx, node->block->init, &rewriter);
    }
    for (uint32_t i = 0; i < node->kids.items.count; i++)
        replace_in(r, node->kids.items.items[i]);
    r->bounds.vars.count = r->bounds.ranges.count = mark;
}

void rlxc_replace_below(rlxc_engine *e, rlxc_node *node, const rlxc_expr *const *vars,
                        const rlxc_expr *const *values, uint32_t n)
{
    replacing r = {e, vars, values, n, rlxc_bounds_at(e, node)};
    replace_in(&r, node);
}

const rlxc_stmt *rlxc_leaf_body(const rlxc_node *block)
{
    const rlxc_node *child = block->kids.items.count ? block->kids.items.items[0] : NULL;
    return child && child->kind == RLXC_NODE_LEAF ? child->stmt : NULL;
}

void rlxc_set_body(rlxc_engine *e, rlxc_node *block, const rlxc_stmt *body)
{
    rlxc_forget_regions(block->block);
    rlxc_adopt(e, block, new_node(e, RLXC_NODE_LEAF, body));
}

const char *rlxc_block_name(rlxc_engine *e, const char *hint)
{
    rlxc_node_list blocks = {0};
    rlxc_blocks_in(e, e->root, true, &blocks);
    const char *name = rlxc_intern_cstr(e->ctx, hint);
    for (uint32_t n = 1; !rlxc_failed(e->ctx); n++) {
        bool taken = false;
        for (uint32_t i = 0; i < blocks.items.count; i++)
            taken = taken || strcmp(blocks.items.items[i]->block->name, name) == 0;
        if (!taken)
            break;
        name = rlxc_internf(e->ctx, "%s_%u", hint, n);
    }
    return name;
}

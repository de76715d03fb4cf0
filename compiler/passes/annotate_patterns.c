/* Pass annotate_patterns: the pattern kind of PrimFuncs that do not state one (op_pattern).
 *
 * Derived from the blocks: a store whose loads use the store's own indices is elementwise; a subset
 * of them in order, broadcast; any function of them, injective; reduction axes with one loaded
 * operand, reduction; with several multiplied, matmul-like (OUT_FUSABLE). Several blocks give the
 * largest kind, and OUT_FUSABLE when one of them reduces: consumers may join at the end, producers
 * may not. Anything not understood is opaque, which is always safe. */
#include "compiler/passes/passes.h"

#include "compiler/ir/op.h"

typedef struct analysis {
    rlxc_context *ctx;
    int64_t pattern;
    uint32_t blocks, reductions;
} analysis;

typedef struct load_check {
    const rlxc_stmt *store;
    uint32_t loads; /* other than of the stored buffer */
    int64_t pattern;
} load_check;

static bool is_spatial_axis(const rlxc_block *block, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < block->n_axes; i++) {
        if (block->axes[i].var == e)
            return block->axes[i].kind == RLXC_AXIS_SPATIAL;
    }
    return false;
}

/* ELEMWISE, BROADCAST or INJECTIVE: how a load's indices relate to the store's. */
static int64_t index_relation(const rlxc_stmt *store, const rlxc_expr *load)
{
    uint32_t at = 0;
    bool all = load->load.n == store->store.n;
    for (uint32_t i = 0; i < load->load.n; i++) {
        while (at < store->store.n && store->store.indices[at] != load->load.indices[i])
            at++;
        if (at == store->store.n)
            return rlxc_is_const(load->load.indices[i], 0) ? RLXC_PATTERN_BROADCAST
                                                           : RLXC_PATTERN_INJECTIVE;
        all = all && at == i;
        at++;
    }
    return all ? RLXC_PATTERN_ELEMWISE : RLXC_PATTERN_BROADCAST;
}

static bool look_at_load(void *user, const rlxc_expr *e)
{
    load_check *c = user;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer == c->store->store.buffer)
        return true;
    c->loads++;
    int64_t p = index_relation(c->store, e);
    c->pattern = p > c->pattern ? p : c->pattern;
    /* An index that is itself loaded (gather) reads anywhere: no producer may be recomputed for it.
     */
    for (uint32_t i = 0; i < e->load.n; i++) {
        if (e->load.indices[i]->kind == RLXC_EXPR_LOAD)
            c->pattern = RLXC_PATTERN_OPAQUE;
    }
    return true;
}

static int64_t leaf_pattern(analysis *a, const rlxc_block *block)
{
    const rlxc_stmt *store = block->body;
    if (store->kind != RLXC_STMT_STORE || block->n_matches > 0 || block->n_allocs > 0)
        return RLXC_PATTERN_OPAQUE;
    bool reduces = false;
    for (uint32_t i = 0; i < block->n_axes; i++) {
        if (block->axes[i].kind == RLXC_AXIS_REDUCE)
            reduces = true;
        else if (block->axes[i].kind != RLXC_AXIS_SPATIAL)
            return RLXC_PATTERN_OPAQUE;
    }
    for (uint32_t i = 0; i < store->store.n; i++) {
        if (!is_spatial_axis(block, store->store.indices[i]) &&
            store->store.indices[i]->kind != RLXC_EXPR_INT)
            return RLXC_PATTERN_OPAQUE; /* scatters */
    }
    load_check c = {.store = store};
    rlxc_expr_visit(a->ctx, store->store.value, look_at_load, &c);
    if (!reduces)
        return c.pattern;
    a->reductions++;
    if (c.pattern == RLXC_PATTERN_OPAQUE)
        return RLXC_PATTERN_OPAQUE;
    return c.loads > 1 ? RLXC_PATTERN_OUT_FUSABLE : RLXC_PATTERN_REDUCE;
}

static bool look_at_stmt(void *user, const rlxc_stmt *s)
{
    analysis *a = user;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
    case RLXC_STMT_FOR:
        return true;
    case RLXC_STMT_BLOCK: {
        const rlxc_block *block = s->block.block;
        if (block->n_axes == 0 && !block->init && block->body->kind != RLXC_STMT_STORE)
            return true; /* the root */
        if (s->block.predicate)
            a->pattern = RLXC_PATTERN_OPAQUE;
        int64_t p = leaf_pattern(a, block);
        a->pattern = p > a->pattern ? p : a->pattern;
        a->blocks++;
        return false;
    }
    case RLXC_STMT_WHILE:
    case RLXC_STMT_IF:
        RLXC_LEAF_STMTS(RLXC_STMT_CASE)
        a->pattern = RLXC_PATTERN_OPAQUE;
        return false;
    }
    return false;
}

static int64_t classify(rlxc_context *ctx, const rlxc_prim_func *f)
{
    analysis a = {.ctx = ctx};
    rlxc_stmt_visit(f->body, look_at_stmt, &a);
    if (a.blocks == 0)
        return RLXC_PATTERN_OPAQUE;
    if (a.blocks > 1 && a.reductions > 0 && a.pattern < RLXC_PATTERN_OUT_FUSABLE)
        return RLXC_PATTERN_OUT_FUSABLE;
    return a.pattern;
}

bool rlxc_pass_annotate_patterns(rlxc_context *ctx, rlxc_module *module,
                                 const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f && !rlxc_attrs_find(&f->attrs, "op_pattern"))
            f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "op_pattern"),
                                       rlxc_attr_int(classify(ctx, f)));
    }
    return !rlxc_failed(ctx);
}

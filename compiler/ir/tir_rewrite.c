/* Generic rewriting of statements, and cloning of PrimFuncs on top of it.
 *
 * A rewrite maps expressions first, then buffers inside the results, then offers the rebuilt
 * statement. Untouched parts are shared with the old tree. Binders (loop variables, axes, let) go
 * through |expr| too and change if the result is a variable, so renaming is consistent. The fields
 * of buffers are left to the |buffer| callback. */
#include "compiler/ir/sinfo.h"
#include "compiler/ir/tir.h"

typedef struct rewriting {
    rlxc_context *ctx;
    const rlxc_stmt_rewriter *r;
    rlxc_map exprs; /* old -> new, so that shared expressions are rewritten once */
    rlxc_map loads; /* old LOAD -> new, for loads inside indices of loads */
} rewriting;

static const rlxc_buffer *map_buffer(rewriting *w, const rlxc_buffer *b)
{
    if (!w->r->buffer)
        return b;
    const rlxc_buffer *mapped = w->r->buffer(w->r->user, b);
    return mapped ? mapped : b;
}

static const rlxc_expr *map_load(void *user, const rlxc_expr *e)
{
    rewriting *w = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    const rlxc_expr *done = rlxc_map_get(&w->loads, rlxc_key(e));
    if (done)
        return done;
    const rlxc_buffer *buffer = map_buffer(w, e->load.buffer);
    if (buffer == e->load.buffer)
        return NULL;
    const rlxc_expr **indices =
        rlxc_alloc(w->ctx, ((size_t)e->load.n + 1) * sizeof(const rlxc_expr *));
    for (uint32_t i = 0; i < e->load.n; i++)
        indices[i] = rlxc_expr_rewrite(w->ctx, e->load.indices[i], map_load, w);
    const rlxc_expr *mapped = rlxc_load(w->ctx, buffer, indices, e->load.n);
    rlxc_map_set(w->ctx, &w->loads, rlxc_key(e), (void *)(uintptr_t)mapped);
    return mapped;
}

static const rlxc_expr *map_expr(rewriting *w, const rlxc_expr *e)
{
    if (!e)
        return NULL;
    const rlxc_expr *done = rlxc_map_get(&w->exprs, rlxc_key(e));
    if (done)
        return done;
    const rlxc_expr *mapped = w->r->expr ? w->r->expr(w->r->user, e) : NULL;
    if (!mapped)
        mapped = e;
    if (w->r->buffer && mapped->kind != RLXC_EXPR_VAR && mapped->kind != RLXC_EXPR_INT)
        mapped = rlxc_expr_rewrite(w->ctx, mapped, map_load, w);
    rlxc_map_set(w->ctx, &w->exprs, rlxc_key(e), (void *)(uintptr_t)mapped);
    return mapped;
}

static const rlxc_expr *map_binder(rewriting *w, const rlxc_expr *var)
{
    const rlxc_expr *mapped = map_expr(w, var);
    return mapped->kind == RLXC_EXPR_VAR ? mapped : var;
}

static const rlxc_expr *const *map_exprs(rewriting *w, const rlxc_expr *const *items, uint32_t n)
{
    const rlxc_expr **mapped = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *e = map_expr(w, items[i]);
        if (e == items[i] && !mapped)
            continue;
        if (!mapped)
            mapped = rlxc_copy(w->ctx, (const void *)items, n * sizeof(const rlxc_expr *));
        mapped[i] = e;
    }
    return mapped ? mapped : items;
}

static rlxc_attrs map_attrs(rewriting *w, rlxc_attrs attrs)
{
    rlxc_attrs mapped = attrs;
    for (uint32_t i = 0; i < attrs.count; i++) {
        if (attrs.values[i].kind != RLXC_ATTR_EXPR)
            continue;
        const rlxc_expr *e = map_expr(w, attrs.values[i].expr);
        if (e != attrs.values[i].expr)
            mapped = rlxc_attrs_with(w->ctx, mapped, attrs.keys[i], rlxc_attr_expr(e));
    }
    return mapped;
}

static bool map_region(rewriting *w, rlxc_region *region)
{
    rlxc_region old = *region;
    region->buffer = map_buffer(w, old.buffer);
    region->mins = map_exprs(w, old.mins, old.buffer->ndim);
    region->extents = map_exprs(w, old.extents, old.buffer->ndim);
    return region->buffer != old.buffer || region->mins != old.mins ||
           region->extents != old.extents;
}

static const rlxc_region *map_regions(rewriting *w, const rlxc_region *regions, uint32_t n)
{
    if (n == 0)
        return regions;
    rlxc_region *mapped = rlxc_copy(w->ctx, regions, n * sizeof *regions);
    bool changed = false;
    for (uint32_t i = 0; i < n; i++)
        changed |= map_region(w, &mapped[i]);
    return changed ? mapped : regions;
}

static const rlxc_axis *map_axes(rewriting *w, const rlxc_axis *axes, uint32_t n)
{
    rlxc_axis *mapped = NULL;
    for (uint32_t i = 0; i < n; i++) {
        rlxc_axis a = axes[i];
        a.var = map_binder(w, a.var);
        a.min = map_expr(w, a.min);
        a.extent = map_expr(w, a.extent);
        if (a.var == axes[i].var && a.min == axes[i].min && a.extent == axes[i].extent)
            continue;
        if (!mapped)
            mapped = rlxc_copy(w->ctx, axes, n * sizeof *axes);
        mapped[i] = a;
    }
    return mapped ? mapped : axes;
}

static const rlxc_stmt *rewrite(rewriting *w, const rlxc_stmt *s);

static const rlxc_block *rewrite_block(rewriting *w, const rlxc_block *old)
{
    rlxc_block b = *old;
    bool changed = false;
    b.axes = map_axes(w, old->axes, old->n_axes);
    rlxc_buffer **allocs = NULL;
    for (uint32_t i = 0; i < old->n_allocs; i++) {
        const rlxc_buffer *mapped = map_buffer(w, old->allocs[i]);
        if (mapped == old->allocs[i])
            continue;
        if (!allocs)
            allocs =
                rlxc_copy(w->ctx, (const void *)old->allocs, old->n_allocs * sizeof(rlxc_buffer *));
        allocs[i] = (rlxc_buffer *)(uintptr_t)mapped;
    }
    if (allocs)
        b.allocs = allocs;
    if (old->n_matches > 0) {
        rlxc_match_region *matches =
            rlxc_copy(w->ctx, old->matches, old->n_matches * sizeof *matches);
        bool any = false;
        for (uint32_t i = 0; i < old->n_matches; i++) {
            matches[i].buffer = (rlxc_buffer *)(uintptr_t)map_buffer(w, matches[i].buffer);
            any |= matches[i].buffer != old->matches[i].buffer;
            any |= map_region(w, &matches[i].source);
        }
        if (any)
            b.matches = matches;
    }
    b.reads = map_regions(w, old->reads, old->n_reads);
    b.writes = map_regions(w, old->writes, old->n_writes);
    b.annotations = map_attrs(w, old->annotations);
    b.init = old->init ? rewrite(w, old->init) : NULL;
    b.body = rewrite(w, old->body);
    changed = b.axes != old->axes || b.allocs != old->allocs || b.matches != old->matches ||
              b.reads != old->reads || b.writes != old->writes ||
              b.annotations.values != old->annotations.values || b.init != old->init ||
              b.body != old->body;
    return changed ? rlxc_copy(w->ctx, &b, sizeof b) : old;
}

static bool rewrite_seq(rewriting *w, rlxc_stmt *s)
{
    const rlxc_stmt *const *old = s->seq.items;
    const rlxc_stmt **items = NULL;
    for (uint32_t i = 0; i < s->seq.n; i++) {
        const rlxc_stmt *item = rewrite(w, old[i]);
        if (item == old[i] && !items)
            continue;
        if (!items) {
            items = rlxc_try_alloc(w->ctx, s->seq.n, sizeof(const rlxc_stmt *));
            if (!items)
                return false;
            for (uint32_t k = 0; k < i; k++)
                items[k] = old[k];
        }
        items[i] = item;
    }
    if (!items)
        return false;
    rlxc_range range = s->range;
    *s = *rlxc_stmt_seq(w->ctx, items, s->seq.n);
    if (s->kind == RLXC_STMT_SEQ)
        s->range = range;
    return true;
}

/* Rewrites the parts of |s|, a private copy of |old|; true when something changed. */
static bool rewrite_parts(rewriting *w, rlxc_stmt *s, const rlxc_stmt *old)
{
    switch (old->kind) {
    case RLXC_STMT_SEQ:
        return rewrite_seq(w, s);
    case RLXC_STMT_FOR:
        s->loop.var = map_binder(w, old->loop.var);
        s->loop.min = map_expr(w, old->loop.min);
        s->loop.extent = map_expr(w, old->loop.extent);
        s->loop.annotations = map_attrs(w, old->loop.annotations);
        s->loop.body = rewrite(w, old->loop.body);
        return s->loop.var != old->loop.var || s->loop.min != old->loop.min ||
               s->loop.extent != old->loop.extent || s->loop.body != old->loop.body ||
               s->loop.annotations.values != old->loop.annotations.values;
    case RLXC_STMT_WHILE:
        s->while_.cond = map_expr(w, old->while_.cond);
        s->while_.body = rewrite(w, old->while_.body);
        return s->while_.cond != old->while_.cond || s->while_.body != old->while_.body;
    case RLXC_STMT_IF:
        s->if_.cond = map_expr(w, old->if_.cond);
        s->if_.then = rewrite(w, old->if_.then);
        s->if_.otherwise = old->if_.otherwise ? rewrite(w, old->if_.otherwise) : NULL;
        return s->if_.cond != old->if_.cond || s->if_.then != old->if_.then ||
               s->if_.otherwise != old->if_.otherwise;
    case RLXC_STMT_LET:
        s->let.var = map_binder(w, old->let.var);
        s->let.value = map_expr(w, old->let.value);
        return s->let.var != old->let.var || s->let.value != old->let.value;
    case RLXC_STMT_STORE:
        s->store.buffer = map_buffer(w, old->store.buffer);
        s->store.indices = map_exprs(w, old->store.indices, old->store.n);
        s->store.value = map_expr(w, old->store.value);
        return s->store.buffer != old->store.buffer || s->store.indices != old->store.indices ||
               s->store.value != old->store.value;
    case RLXC_STMT_EVALUATE:
        s->evaluate = map_expr(w, old->evaluate);
        return s->evaluate != old->evaluate;
    case RLXC_STMT_ASSERT:
        s->assert_.cond = map_expr(w, old->assert_.cond);
        return s->assert_.cond != old->assert_.cond;
    case RLXC_STMT_ALLOCATE:
        s->allocate.var = map_binder(w, old->allocate.var);
        s->allocate.extents = map_exprs(w, old->allocate.extents, old->allocate.n);
        s->allocate.cond = map_expr(w, old->allocate.cond);
        return s->allocate.var != old->allocate.var ||
               s->allocate.extents != old->allocate.extents ||
               s->allocate.cond != old->allocate.cond;
    case RLXC_STMT_ALLOCATE_CONST:
        s->allocate_const.var = map_binder(w, old->allocate_const.var);
        return s->allocate_const.var != old->allocate_const.var;
    case RLXC_STMT_DECL_BUFFER:
        s->decl = (rlxc_buffer *)(uintptr_t)map_buffer(w, old->decl);
        return s->decl != old->decl;
    case RLXC_STMT_ATTR:
        if (old->attr.node.kind == RLXC_ATTR_EXPR)
            s->attr.node = rlxc_attr_expr(map_expr(w, old->attr.node.expr));
        s->attr.value = map_expr(w, old->attr.value);
        return s->attr.value != old->attr.value ||
               (old->attr.node.kind == RLXC_ATTR_EXPR && s->attr.node.expr != old->attr.node.expr);
    case RLXC_STMT_BLOCK:
        s->block.block = rewrite_block(w, old->block.block);
        s->block.values = map_exprs(w, old->block.values, old->block.block->n_axes);
        s->block.predicate = map_expr(w, old->block.predicate);
        return s->block.block != old->block.block || s->block.values != old->block.values ||
               s->block.predicate != old->block.predicate;
    }
    return false;
}

static const rlxc_stmt *rewrite(rewriting *w, const rlxc_stmt *old)
{
    if (rlxc_out_of_memory(w->ctx))
        return old;
    rlxc_stmt scratch = *old;
    const rlxc_stmt *s = old;
    if (rewrite_parts(w, &scratch, old))
        s = rlxc_copy(w->ctx, &scratch, sizeof scratch);
    const rlxc_stmt *replaced = w->r->stmt ? w->r->stmt(w->r->user, s) : NULL;
    return replaced ? replaced : s;
}

const rlxc_stmt *rlxc_stmt_rewrite(rlxc_context *ctx, const rlxc_stmt *stmt,
                                   const rlxc_stmt_rewriter *rewriter)
{
    rewriting w = {.ctx = ctx, .r = rewriter};
    return rewrite(&w, stmt);
}

/* --- cloning ---------------------------------------------------------------------------------- */

typedef struct cloning {
    rlxc_context *ctx;
    rlxc_map vars, buffers; /* old -> new, of everything bound inside the function */
    RLXC_VEC(const rlxc_buffer *) found;
} cloning;

static void fresh_var(cloning *c, const rlxc_expr *var)
{
    if (!var || var->kind != RLXC_EXPR_VAR || rlxc_map_get(&c->vars, rlxc_key(var)))
        return;
    const rlxc_expr *copy = var->var.nonneg && rlxc_dtype_eq(var->dtype, RLX_I64)
                                ? rlxc_shape_var(c->ctx, var->var.name)
                                : rlxc_var(c->ctx, var->var.name, var->dtype);
    rlxc_map_set(c->ctx, &c->vars, rlxc_key(var), (void *)(uintptr_t)copy);
}

static void fresh_vars_of(cloning *c, const rlxc_expr *e)
{
    rlxc_var_list list = {0};
    if (e)
        rlxc_collect_vars(c->ctx, e, &list);
    for (uint32_t i = 0; i < list.vars.count; i++)
        fresh_var(c, list.vars.items[i]);
}

/* Records a buffer that the function declares; |binds|: it also binds its symbolic variables. */
static void found_buffer(cloning *c, const rlxc_buffer *b, bool binds)
{
    RLXC_PUSH(c->ctx, &c->found, b);
    fresh_var(c, b->data);
    if (!binds)
        return;
    for (uint32_t i = 0; i < b->ndim; i++) {
        fresh_vars_of(c, b->shape[i]);
        if (b->strides)
            fresh_vars_of(c, b->strides[i]);
    }
    fresh_vars_of(c, b->elem_offset);
}

static bool find_binders(void *user, const rlxc_stmt *s)
{
    cloning *c = user;
    switch (s->kind) {
    case RLXC_STMT_FOR:
        fresh_var(c, s->loop.var);
        break;
    case RLXC_STMT_LET:
        fresh_var(c, s->let.var);
        break;
    case RLXC_STMT_ALLOCATE:
        fresh_var(c, s->allocate.var);
        break;
    case RLXC_STMT_ALLOCATE_CONST:
        fresh_var(c, s->allocate_const.var);
        break;
    case RLXC_STMT_DECL_BUFFER:
        found_buffer(c, s->decl, false);
        break;
    case RLXC_STMT_BLOCK: {
        const rlxc_block *b = s->block.block;
        for (uint32_t i = 0; i < b->n_axes; i++)
            fresh_var(c, b->axes[i].var);
        for (uint32_t i = 0; i < b->n_allocs; i++)
            found_buffer(c, b->allocs[i], false);
        for (uint32_t i = 0; i < b->n_matches; i++)
            found_buffer(c, b->matches[i].buffer, true);
        break;
    }
    case RLXC_STMT_SEQ:
    case RLXC_STMT_WHILE:
    case RLXC_STMT_IF:
    case RLXC_STMT_STORE:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ATTR:
        break;
    }
    return true;
}

static const rlxc_expr *renamed_leaf(void *user, const rlxc_expr *e)
{
    cloning *c = user;
    return e->kind == RLXC_EXPR_VAR ? rlxc_map_get(&c->vars, rlxc_key(e)) : NULL;
}

static const rlxc_expr *renamed(void *user, const rlxc_expr *e)
{
    cloning *c = user;
    return e ? rlxc_expr_rewrite(c->ctx, e, renamed_leaf, c) : NULL;
}

static void clone_buffer(cloning *c, const rlxc_buffer *old)
{
    if (rlxc_map_get(&c->buffers, rlxc_key(old)))
        return;
    const rlxc_expr **shape =
        rlxc_alloc(c->ctx, ((size_t)old->ndim + 1) * sizeof(const rlxc_expr *));
    for (uint32_t i = 0; i < old->ndim; i++)
        shape[i] = renamed(c, old->shape[i]);
    rlxc_buffer *b = rlxc_buffer_new(c->ctx, old->name, old->dtype, shape, old->ndim);
    if (old->strides) {
        const rlxc_expr **strides =
            rlxc_alloc(c->ctx, ((size_t)old->ndim + 1) * sizeof(const rlxc_expr *));
        for (uint32_t i = 0; i < old->ndim; i++)
            strides[i] = renamed(c, old->strides[i]);
        b->strides = strides;
    }
    b->elem_offset = renamed(c, old->elem_offset);
    if (old->data)
        b->data = renamed(c, old->data);
    b->scope = old->scope;
    b->align = old->align;
    b->offset_factor = old->offset_factor;
    rlxc_map_set(c->ctx, &c->buffers, rlxc_key(old), b);
}

/* Buffers that lowering left undeclared are identified by their data: they are cloned when first
 * met. */
static rlxc_buffer *renamed_buffer(void *user, const rlxc_buffer *b)
{
    cloning *c = user;
    if (!rlxc_map_get(&c->buffers, rlxc_key(b)) && b->data &&
        rlxc_map_get(&c->vars, rlxc_key(b->data)))
        clone_buffer(c, b);
    return rlxc_map_get(&c->buffers, rlxc_key(b));
}

/* |s| with copies of what was found. */
static const rlxc_stmt *clone_stmt(cloning *c, const rlxc_stmt *s)
{
    const rlxc_stmt_rewriter r = {.user = c, .expr = renamed, .buffer = renamed_buffer};
    rlxc_stmt_visit(s, find_binders, c);
    /* Buffers after variables: their shapes may use any of them. */
    for (uint32_t i = 0; i < c->found.count; i++)
        clone_buffer(c, c->found.items[i]);
    return s ? rlxc_stmt_rewrite(c->ctx, s, &r) : NULL;
}

const rlxc_stmt *rlxc_stmt_clone(rlxc_context *ctx, const rlxc_stmt *s)
{
    cloning c = {.ctx = ctx};
    return clone_stmt(&c, s);
}

rlxc_prim_func *rlxc_prim_func_clone(rlxc_context *ctx, const rlxc_prim_func *f)
{
    cloning c = {.ctx = ctx};
    rlxc_prim_func *copy = rlxc_copy(ctx, f, sizeof *f);
    for (uint32_t i = 0; i < f->n_params; i++) {
        fresh_var(&c, f->params[i].var);
        if (f->params[i].buffer)
            found_buffer(&c, f->params[i].buffer, true);
    }
    const rlxc_stmt *body = clone_stmt(&c, f->body);
    if (f->n_params > 0)
        copy->params = rlxc_copy(ctx, f->params, f->n_params * sizeof *f->params);
    for (uint32_t i = 0; i < f->n_params; i++) {
        copy->params[i].var = renamed(&c, f->params[i].var);
        if (f->params[i].buffer)
            copy->params[i].buffer = renamed_buffer(&c, f->params[i].buffer);
    }
    copy->body = body;
    return copy;
}

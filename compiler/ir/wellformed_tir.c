/* The invariants of PrimFuncs, numbered on from wellformed.c:
 *
 * 12. A variable is defined before its use: by a parameter, a dimension of a parameter's buffer, a
 *     loop, an axis, a let, an allocation or a declared buffer, in scope at the use.
 * 13. A buffer is declared where it is used: a parameter, alloc_buffer, match_buffer, decl_buffer,
 *     or its data pointer is in scope (buffers that lowering left undeclared).
 * 14. Loads and stores have an index for each dimension, regions too.
 * 15. A block has a value for each axis, and a body.
 * 16. Expressions and statements are present where they are not optional.
 * 17. A block computes the operator that its tag names (operation.h).
 * 20. Sizes are not negative numbers (wellformed.c).
 *
 * Scopes follow the statements: the definition of a flat statement (LET, ALLOCATE, DECL_BUFFER)
 * holds to the end of its SEQ. Axes' values are checked outside the block, everything else inside.
 */
#include "compiler/ir/operation.h"
#include "compiler/ir/wellformed.h"

typedef struct tir_walk {
    rlxc_checker *c;
    rlxc_map defined;             /* variables and buffers in scope */
    RLXC_VEC(const void *) scope; /* in order of definition */
    rlxc_range range;
    RLXC_VEC(const rlxc_expr *)
    pending; /* unknown variables of one expression: children are visited first, and a let may still
              * bind them */
} tir_walk;

static void define(tir_walk *w, const void *object)
{
    if (!object || rlxc_map_get(&w->defined, rlxc_key(object)))
        return;
    rlxc_map_set(w->c->ctx, &w->defined, rlxc_key(object), (void *)(uintptr_t)object);
    RLXC_PUSH(w->c->ctx, &w->scope, object);
}

static void leave(tir_walk *w, uint32_t mark)
{
    while (w->scope.count > mark)
        rlxc_map_set(w->c->ctx, &w->defined, rlxc_key(w->scope.items[--w->scope.count]), NULL);
}

static void use_buffer(tir_walk *w, const rlxc_buffer *b)
{
    if (!rlxc_map_get(&w->defined, rlxc_key(b)) &&
        !(b->data && rlxc_map_get(&w->defined, rlxc_key(b->data))))
        rlxc_violation(w->c, w->range, 13, "buffer '%s' is used where it is not declared", b->name);
}

static bool visit_node(void *user, const rlxc_expr *e)
{
    tir_walk *w = user;
    if (e->kind == RLXC_EXPR_VAR && !rlxc_map_get(&w->defined, rlxc_key(e)))
        RLXC_PUSH(w->c->ctx, &w->pending, e);
    if (e->kind == RLXC_EXPR_LET) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < w->pending.count; i++)
            if (w->pending.items[i] != e->let.var)
                w->pending.items[kept++] = w->pending.items[i];
        w->pending.count = kept;
    }
    if (e->kind == RLXC_EXPR_LOAD) {
        use_buffer(w, e->load.buffer);
        if (e->load.n != e->load.buffer->ndim)
            rlxc_violation(w->c, w->range, 14, "buffer '%s' has %u dimensions, but %u indices",
                           e->load.buffer->name, e->load.buffer->ndim, e->load.n);
    }
    return true;
}

static void check_expr(tir_walk *w, const rlxc_expr *e)
{
    if (!e) {
        rlxc_violation(w->c, w->range, 16, "an expression is missing");
        return;
    }
    if (e->kind == RLXC_EXPR_INT)
        return;
    w->pending.count = 0;
    if (e->kind == RLXC_EXPR_VAR)
        visit_node(w, e);
    else
        rlxc_expr_visit(w->c->ctx, e, visit_node, w);
    for (uint32_t i = 0; i < w->pending.count; i++)
        rlxc_violation(w->c, w->range, 12, "variable '%s' is used where it is not defined",
                       w->pending.items[i]->var.name);
}

static void check_exprs(tir_walk *w, const rlxc_expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        check_expr(w, items[i]);
}

/* A buffer matched against outside memory binds the lone variables of its shape. */
static void bind_buffer(tir_walk *w, const rlxc_buffer *b)
{
    define(w, b);
    define(w, b->data);
    for (uint32_t i = 0; i < b->ndim; i++) {
        if (b->shape[i]->kind == RLXC_EXPR_VAR)
            define(w, b->shape[i]);
        if (b->strides && b->strides[i]->kind == RLXC_EXPR_VAR)
            define(w, b->strides[i]);
    }
    if (b->elem_offset && b->elem_offset->kind == RLXC_EXPR_VAR)
        define(w, b->elem_offset);
}

static void check_sizes(tir_walk *w, const char *what, const rlxc_expr *const *sizes, uint32_t n)
{
    rlxc_check_stated_sizes(w->c, w->range, what, sizes, n);
    check_exprs(w, sizes, n);
}

static void check_buffer_shape(tir_walk *w, const rlxc_buffer *b)
{
    check_sizes(w, b->name, b->shape, b->ndim);
    if (b->strides)
        check_exprs(w, b->strides, b->ndim);
    if (b->elem_offset)
        check_expr(w, b->elem_offset);
}

static void check_region(tir_walk *w, const rlxc_region *r)
{
    use_buffer(w, r->buffer);
    check_exprs(w, r->mins, r->buffer->ndim);
    check_exprs(w, r->extents, r->buffer->ndim);
}

static void check_stmt(tir_walk *w, const rlxc_stmt *s);

static void check_block(tir_walk *w, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    uint32_t mark = w->scope.count;
    if (!b || !b->body || (b->n_axes > 0 && !s->block.values)) {
        rlxc_violation(w->c, w->range, 15, "a block lacks its body or the values of its axes");
        return;
    }
    check_exprs(w, s->block.values, b->n_axes);
    if (s->block.predicate)
        check_expr(w, s->block.predicate);
    for (uint32_t i = 0; i < b->n_axes; i++) {
        check_expr(w, b->axes[i].min);
        check_expr(w, b->axes[i].extent);
    }
    for (uint32_t i = 0; i < b->n_axes; i++)
        define(w, b->axes[i].var);
    for (uint32_t i = 0; i < b->n_allocs; i++) {
        define(w, b->allocs[i]);
        define(w, b->allocs[i]->data);
        check_buffer_shape(w, b->allocs[i]);
    }
    for (uint32_t i = 0; i < b->n_matches; i++) {
        check_region(w, &b->matches[i].source);
        bind_buffer(w, b->matches[i].buffer);
        check_buffer_shape(w, b->matches[i].buffer);
    }
    for (uint32_t i = 0; i < b->n_reads; i++)
        check_region(w, &b->reads[i]);
    for (uint32_t i = 0; i < b->n_writes; i++)
        check_region(w, &b->writes[i]);
    if (b->init)
        check_stmt(w, b->init);
    check_stmt(w, b->body);
    const char *why = "";
    if (!w->c->violations && !rlxc_check_tag(w->c->ctx, b, &why))
        rlxc_violation(w->c, w->range, 17, "block '%s' is tagged \"%s\", but %s", b->name,
                       rlxc_tag_text(&b->annotations), why);
    leave(w, mark);
}

static void check_scoped(tir_walk *w, const rlxc_stmt *s)
{
    uint32_t mark = w->scope.count;
    check_stmt(w, s);
    leave(w, mark);
}

static void check_stmt(tir_walk *w, const rlxc_stmt *s)
{
    if (!s) {
        rlxc_violation(w->c, w->range, 16, "a statement is missing");
        return;
    }
    if (s->range.line != 0)
        w->range = s->range;
    uint32_t mark = w->scope.count;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && !rlxc_out_of_memory(w->c->ctx); i++)
            check_stmt(w, s->seq.items[i]);
        leave(w, mark);
        break;
    case RLXC_STMT_FOR:
        check_expr(w, s->loop.min);
        check_expr(w, s->loop.extent);
        define(w, s->loop.var);
        check_scoped(w, s->loop.body);
        leave(w, mark);
        break;
    case RLXC_STMT_WHILE:
        check_expr(w, s->while_.cond);
        check_scoped(w, s->while_.body);
        break;
    case RLXC_STMT_IF:
        check_expr(w, s->if_.cond);
        check_scoped(w, s->if_.then);
        if (s->if_.otherwise)
            check_scoped(w, s->if_.otherwise);
        break;
    case RLXC_STMT_LET:
        check_expr(w, s->let.value);
        define(w, s->let.var);
        break;
    case RLXC_STMT_STORE:
        use_buffer(w, s->store.buffer);
        if (s->store.n != s->store.buffer->ndim)
            rlxc_violation(w->c, w->range, 14, "buffer '%s' has %u dimensions, but %u indices",
                           s->store.buffer->name, s->store.buffer->ndim, s->store.n);
        check_exprs(w, s->store.indices, s->store.n);
        check_expr(w, s->store.value);
        break;
    case RLXC_STMT_EVALUATE:
        check_expr(w, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        check_expr(w, s->assert_.cond);
        break;
    case RLXC_STMT_ALLOCATE:
        check_sizes(w, s->allocate.var->var.name, s->allocate.extents, s->allocate.n);
        if (s->allocate.cond)
            check_expr(w, s->allocate.cond);
        define(w, s->allocate.var);
        break;
    case RLXC_STMT_ALLOCATE_CONST:
        define(w, s->allocate_const.var);
        break;
    case RLXC_STMT_DECL_BUFFER:
        check_buffer_shape(w, s->decl);
        define(w, s->decl);
        define(w, s->decl->data); /* a declaration without data allocates it */
        break;
    case RLXC_STMT_ATTR:
        if (s->attr.value)
            check_expr(w, s->attr.value);
        break;
    case RLXC_STMT_BLOCK:
        check_block(w, s);
        break;
    }
}

void rlxc_check_prim_func(rlxc_checker *c, const rlxc_prim_func *f)
{
    tir_walk w = {.c = c, .range = f->range};
    for (uint32_t i = 0; i < f->n_params; i++) {
        define(&w, f->params[i].var);
        if (f->params[i].buffer)
            bind_buffer(&w, f->params[i].buffer);
    }
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer)
            check_buffer_shape(&w, f->params[i].buffer);
    check_stmt(&w, f->body);
}

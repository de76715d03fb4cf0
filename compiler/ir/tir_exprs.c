/* The expressions that stand in a statement itself. */
#include "compiler/ir/tir.h"

typedef struct visit {
    void (*fn)(void *user, const rlxc_expr *e);
    void *user;
} visit;

static void one(const visit *v, const rlxc_expr *e)
{
    if (e)
        v->fn(v->user, e);
}

static void many(const visit *v, const rlxc_expr *const *e, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        one(v, e[i]);
}

static void of_regions(const visit *v, const rlxc_region *regions, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        many(v, regions[i].mins, regions[i].buffer->ndim);
        many(v, regions[i].extents, regions[i].buffer->ndim);
    }
}

static void of_block(const visit *v, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    many(v, s->block.values, b->n_axes);
    one(v, s->block.predicate);
    for (uint32_t i = 0; i < b->n_axes; i++) {
        one(v, b->axes[i].min);
        one(v, b->axes[i].extent);
    }
    of_regions(v, b->reads, b->n_reads);
    of_regions(v, b->writes, b->n_writes);
    for (uint32_t i = 0; i < b->n_matches; i++)
        of_regions(v, &b->matches[i].source, 1);
}

void rlxc_stmt_exprs(const rlxc_stmt *s, void (*fn)(void *user, const rlxc_expr *e), void *user)
{
    const visit v = {fn, user};
    switch (s->kind) {
    case RLXC_STMT_FOR:
        one(&v, s->loop.min);
        one(&v, s->loop.extent);
        break;
    case RLXC_STMT_WHILE:
        one(&v, s->while_.cond);
        break;
    case RLXC_STMT_IF:
        one(&v, s->if_.cond);
        break;
    case RLXC_STMT_BLOCK:
        of_block(&v, s);
        break;
    case RLXC_STMT_LET:
        one(&v, s->let.value);
        break;
    case RLXC_STMT_STORE:
        many(&v, s->store.indices, s->store.n);
        one(&v, s->store.value);
        break;
    case RLXC_STMT_EVALUATE:
        one(&v, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        one(&v, s->assert_.cond);
        break;
    case RLXC_STMT_ALLOCATE:
        many(&v, s->allocate.extents, s->allocate.n);
        one(&v, s->allocate.cond);
        break;
    case RLXC_STMT_DECL_BUFFER:
        many(&v, s->decl->shape, s->decl->ndim);
        if (s->decl->strides)
            many(&v, s->decl->strides, s->decl->ndim);
        one(&v, s->decl->elem_offset);
        break;
    case RLXC_STMT_ATTR:
        one(&v, s->attr.value);
        break;
    case RLXC_STMT_SEQ:
    case RLXC_STMT_ALLOCATE_CONST:
        break;
    }
}

typedef struct nodes {
    rlxc_context *ctx;
    rlxc_expr_visit_fn visit;
    void *user;
} nodes;

static void nodes_of(void *user, const rlxc_expr *e)
{
    const nodes *n = user;
    rlxc_expr_visit(n->ctx, e, n->visit, n->user);
}

void rlxc_stmt_nodes(rlxc_context *ctx, const rlxc_stmt *s, rlxc_expr_visit_fn visit_node,
                     void *user)
{
    nodes n = {ctx, visit_node, user};
    rlxc_stmt_exprs(s, nodes_of, &n);
}

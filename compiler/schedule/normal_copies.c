/* Blocks that only copy, as the caches of other schedules do. */
#include "compiler/schedule/normal.h"

static bool same_shape(rlxc_context *ctx, const rlxc_buffer *a, const rlxc_buffer *b)
{
    if (a->ndim != b->ndim || !rlxc_dtype_eq(a->dtype, b->dtype) || a->strides || b->strides ||
        a->elem_offset || b->elem_offset)
        return false;
    for (uint32_t i = 0; i < a->ndim; i++)
        if (a->shape[i] != b->shape[i] && !rlxc_prove_eq(ctx, a->shape[i], b->shape[i], NULL))
            return false;
    return true;
}

const rlxc_buffer *rlxc_copied(rlxc_context *ctx, const rlxc_block *block)
{
    const rlxc_stmt *store = block->body;
    const rlxc_expr *v = store->store.value;
    if (block->init || !rlxc_nest_is_simple(ctx, block) || v->kind != RLXC_EXPR_LOAD ||
        v->load.buffer->data == store->store.buffer->data ||
        !same_shape(ctx, v->load.buffer, store->store.buffer))
        return NULL;
    for (uint32_t i = 0; i < v->load.n; i++)
        if (v->load.indices[i] != store->store.indices[i])
            return NULL;
    return v->load.buffer;
}

typedef struct exchange {
    rlxc_context *ctx;
    const rlxc_buffer *from, *to;
} exchange;

static const rlxc_expr *read_other(void *user, const rlxc_expr *e)
{
    const exchange *x = user;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer != x->from)
        return NULL;
    const rlxc_expr **indices = rlxc_alloc(x->ctx, (e->load.n + 1) * sizeof *indices);
    for (uint32_t i = 0; i < e->load.n; i++)
        indices[i] = rlxc_expr_rewrite(x->ctx, e->load.indices[i], read_other, user);
    return rlxc_load(x->ctx, x->to, indices, e->load.n);
}

static const rlxc_expr *map_expr(void *user, const rlxc_expr *e)
{
    const exchange *x = user;
    return rlxc_expr_rewrite(x->ctx, e, read_other, user);
}

/* Recomputes the read regions of blocks. */
static const rlxc_stmt *map_block(void *user, const rlxc_stmt *s)
{
    const exchange *x = user;
    if (s->kind != RLXC_STMT_BLOCK || (!s->block.block->has_reads && !s->block.block->has_writes))
        return NULL;
    rlxc_block *block = rlxc_copy(x->ctx, s->block.block, sizeof *block);
    block->has_reads = block->has_writes = false;
    block->n_reads = block->n_writes = 0;
    rlxc_stmt *copy = rlxc_copy(x->ctx, s, sizeof *copy);
    copy->block.block = block;
    return copy;
}

static rlxc_buffer *map_buffer(void *user, const rlxc_buffer *b)
{
    const exchange *x = user;
    return b == x->from ? (rlxc_buffer *)(uintptr_t)x->to : NULL;
}

const rlxc_stmt *rlxc_with_buffer(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *from,
                                  const rlxc_buffer *to, bool stores)
{
    exchange x = {ctx, from, to};
    const rlxc_stmt_rewriter loads = {.user = &x, .expr = map_expr, .stmt = map_block};
    const rlxc_stmt_rewriter all = {.user = &x, .buffer = map_buffer};
    return rlxc_stmt_rewrite(ctx, stmt, stores ? &all : &loads);
}

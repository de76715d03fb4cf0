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

const rlxc_stmt *rlxc_with_buffer(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *from,
                                  const rlxc_buffer *to, bool stores)
{
    const rlxc_redirection loads = {ctx, from, to, NULL, NULL, true};
    return stores ? rlxc_exchange_buffer(ctx, stmt, from, to) : rlxc_redirect_stmt(&loads, stmt);
}

/* Redirects the accesses of a buffer to another one: temporaries that shrink, other layouts, copies
 * that are read in place. */
#include "compiler/ir/tir.h"

static const rlxc_expr **indices_in(const rlxc_redirection *r, const rlxc_expr *const *at)
{
    const rlxc_expr **out = rlxc_alloc(r->ctx, ((size_t)r->to->ndim + 1) * sizeof *out);
    if (r->map)
        r->map(r->user, at, out);
    for (uint32_t i = 0; i < r->to->ndim && !r->map; i++)
        out[i] = at[i];
    return out;
}

static const rlxc_expr *redirect_load(void *user, const rlxc_expr *e)
{
    const rlxc_redirection *r = user;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer != r->from)
        return NULL;
    const rlxc_expr **at = rlxc_alloc(r->ctx, ((size_t)e->load.n + 1) * sizeof *at);
    for (uint32_t i = 0; i < e->load.n; i++)
        at[i] = rlxc_expr_rewrite(r->ctx, e->load.indices[i], redirect_load, user);
    return rlxc_load(r->ctx, r->to, indices_in(r, at), r->to->ndim);
}

static const rlxc_expr *redirect_expr(void *user, const rlxc_expr *e)
{
    return rlxc_redirect_expr(user, e);
}

static const rlxc_stmt *redirect_stmt(void *user, const rlxc_stmt *s)
{
    const rlxc_redirection *r = user;
    if (s->kind == RLXC_STMT_BLOCK && (s->block.block->has_reads || s->block.block->has_writes)) {
        rlxc_stmt *out = rlxc_copy(r->ctx, s, sizeof *out);
        rlxc_block *block = rlxc_copy(r->ctx, s->block.block, sizeof *block);
        rlxc_forget_regions(block);
        out->block.block = block;
        return out;
    }
    if (s->kind != RLXC_STMT_STORE || s->store.buffer != r->from || r->loads_only)
        return NULL;
    rlxc_stmt *out = (rlxc_stmt *)(uintptr_t)rlxc_stmt_store(
        r->ctx, r->to, indices_in(r, s->store.indices), r->to->ndim, s->store.value);
    out->range = s->range;
    return out;
}

const rlxc_expr *rlxc_redirect_expr(const rlxc_redirection *r, const rlxc_expr *e)
{
    return e ? rlxc_expr_rewrite(r->ctx, e, redirect_load, (void *)(uintptr_t)r) : NULL;
}

const rlxc_stmt *rlxc_redirect_stmt(const rlxc_redirection *r, const rlxc_stmt *s)
{
    const rlxc_stmt_rewriter rewriter = {
        .user = (void *)(uintptr_t)r, .expr = redirect_expr, .stmt = redirect_stmt};
    return rlxc_stmt_rewrite(r->ctx, s, &rewriter);
}

typedef struct exchange {
    const rlxc_buffer *from;
    rlxc_buffer *to;
} exchange;

static rlxc_buffer *exchanged(void *user, const rlxc_buffer *b)
{
    const exchange *x = user;
    return b == x->from ? x->to : NULL;
}

const rlxc_stmt *rlxc_exchange_buffer(rlxc_context *ctx, const rlxc_stmt *s,
                                      const rlxc_buffer *from, const rlxc_buffer *to)
{
    exchange x = {from, (rlxc_buffer *)(uintptr_t)to};
    const rlxc_stmt_rewriter rewriter = {.user = &x, .buffer = exchanged};
    return rlxc_stmt_rewrite(ctx, s, &rewriter);
}

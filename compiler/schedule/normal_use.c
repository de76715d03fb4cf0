/* What a statement does with the memory of a buffer. */
#include "compiler/schedule/normal.h"

typedef struct walk {
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    const rlxc_stmt *at;
    rlxc_buffer_use use;
} walk;

static void note_access(walk *w, const rlxc_buffer *buffer, uint32_t lanes)
{
    w->use.views = w->use.views || buffer != w->buffer;
    w->use.vectors = w->use.vectors || lanes > 1;
}

static bool note_node(void *user, const rlxc_expr *e)
{
    walk *w = user;
    const rlxc_stmt_kind in = w->at->kind;
    w->use.address = w->use.address || e == w->buffer->data || rlxc_takes_address(e, w->buffer);
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer->data != w->buffer->data)
        return true;
    note_access(w, e->load.buffer, e->dtype.lanes);
    w->use.loads = true;
    w->use.elsewhere = w->use.elsewhere || (in != RLXC_STMT_STORE && in != RLXC_STMT_IF &&
                                            in != RLXC_STMT_BLOCK && in != RLXC_STMT_LET);
    return true;
}

static bool note_block(walk *w, const rlxc_block *b)
{
    for (uint32_t i = 0; i < b->n_matches; i++)
        w->use.matches = w->use.matches || b->matches[i].source.buffer->data == w->buffer->data;
    for (uint32_t i = 0; i < b->n_allocs; i++)
        w->use.allocates = w->use.allocates || b->allocs[i] == w->buffer;
    return true;
}

static bool note_stmt(void *user, const rlxc_stmt *s)
{
    walk *w = user;
    const rlxc_expr *data = w->buffer->data;
    w->at = s;
    rlxc_stmt_nodes(w->ctx, s, note_node, w);
    if (s->kind == RLXC_STMT_STORE && s->store.buffer->data == data) {
        w->use.stores++;
        note_access(w, s->store.buffer, s->store.value->dtype.lanes);
    }
    if (s->kind == RLXC_STMT_DECL_BUFFER && s->decl->data == data) {
        w->use.views = w->use.views || s->decl != w->buffer;
        w->use.allocates = w->use.allocates || s->decl == w->buffer;
    }
    return s->kind != RLXC_STMT_BLOCK || note_block(w, s->block.block);
}

rlxc_buffer_use rlxc_use_of(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *buffer)
{
    walk w = {.ctx = ctx, .buffer = buffer};
    rlxc_stmt_visit(stmt, note_stmt, &w);
    return w.use;
}

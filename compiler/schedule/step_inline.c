/* Steps compute_inline and reverse_compute_inline: substitute one block's expression into another.
 */
#include <string.h>

#include "compiler/schedule/stages.h"
#include "compiler/schedule/tree.h"

enum { MAX_AXES = 32 };

/* The other blocks of |block|'s scope that read (|writes|: write) |buffer|. */
static void users_of(rlxc_engine *e, const rlxc_node *block, const rlxc_buffer *buffer, bool writes,
                     rlxc_node_list *out)
{
    rlxc_node_list blocks = {0};
    rlxc_blocks_in(e, rlxc_scope_of(block)->kids.items.items[0], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++)
        if (blocks.items.items[i] != block &&
            rlxc_block_touches(e, blocks.items.items[i], buffer, writes))
            RLXC_PUSH(e->ctx, &out->items, blocks.items.items[i]);
}

static bool check_temp(rlxc_engine *e, const rlxc_node *block, const rlxc_buffer *buffer)
{
    return rlxc_is_temp(e, buffer) ||
           rlxc_refuse(e, "block '%s' writes '%s', which is a result of the function",
                       rlxc_block_of(block), buffer->name);
}

/* True if |indices| are distinct axes of |block|, including all of its axes of more than one step;
 * |at| gives the axis of each dimension (UINT32_MAX: the constant 0). */
static bool axes_of(rlxc_engine *e, const rlxc_node *block, const rlxc_expr *const *indices,
                    uint32_t n, uint32_t *at, const char *what)
{
    const rlxc_block *b = block->block;
    bool used[MAX_AXES] = {false};
    if (b->n_axes > MAX_AXES || n > MAX_AXES)
        return rlxc_refuse(e, "block '%s' has more than %d axes", rlxc_block_of(block), MAX_AXES);
    for (uint32_t d = 0; d < n; d++) {
        at[d] = UINT32_MAX;
        for (uint32_t k = 0; k < b->n_axes; k++)
            if (indices[d] == b->axes[k].var && !used[k])
                at[d] = k;
        if (at[d] == UINT32_MAX && !rlxc_is_const(indices[d], 0))
            return rlxc_refuse(e, "block '%s' %s at %s, which is not one of its axes",
                               rlxc_block_of(block), what, rlxc_expr_text(e, indices[d]));
        if (at[d] != UINT32_MAX)
            used[at[d]] = true;
    }
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (!used[k] && !rlxc_is_const(b->axes[k].extent, 1))
            return rlxc_refuse(e, "block '%s' %s the same element for every value of axis '%s'",
                               rlxc_block_of(block), what, b->axes[k].var->var.name);
    return true;
}

/* The store of a block that computes each element once, without a condition. */
static const rlxc_stmt *plain_store(rlxc_engine *e, const rlxc_node *block)
{
    const rlxc_stmt *store = rlxc_only_store(block);
    if (!store)
        rlxc_refuse(e, "block '%s' does more than one store", rlxc_block_of(block));
    else if (block->block->init || rlxc_is_reduction(block))
        rlxc_refuse(e, "block '%s' is a reduction", rlxc_block_of(block));
    else if (rlxc_mentions(e->ctx, store->store.value, store->store.buffer))
        rlxc_refuse(e, "block '%s' reads its own result", rlxc_block_of(block));
    else
        return store;
    return NULL;
}

/* Checks that nothing after |block| writes its operands. */
static bool check_kept(rlxc_engine *e, const rlxc_node *block)
{
    rlxc_accesses_in all = {0};
    rlxc_node_list blocks = {0};
    bool behind = false;
    rlxc_block_accesses(e, block, &all);
    rlxc_blocks_in(e, rlxc_scope_of(block)->kids.items.items[0], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        behind = behind || blocks.items.items[i] == block;
        for (uint32_t k = 0; k < all.items.count && behind; k++)
            if (blocks.items.items[i] != block && !all.items.items[k].writes &&
                rlxc_block_touches(e, blocks.items.items[i], all.items.items[k].buffer, true))
                return rlxc_refuse(e, "block '%s' reads '%s', which block '%s' writes later",
                                   rlxc_block_of(block), all.items.items[k].buffer->name,
                                   rlxc_block_of(blocks.items.items[i]));
    }
    return true;
}

typedef struct inlining {
    rlxc_engine *e;
    const rlxc_buffer *buffer;
    const rlxc_expr *value;
    const rlxc_expr *vars[MAX_AXES];
    uint32_t at[MAX_AXES], n_axes;
} inlining;

static const rlxc_expr *inlined(void *user, const rlxc_expr *x)
{
    inlining *q = user;
    const rlxc_expr *values[MAX_AXES], *indices[MAX_AXES];
    if (x->kind != RLXC_EXPR_LOAD || x->load.buffer != q->buffer)
        return NULL;
    for (uint32_t d = 0; d < x->load.n; d++)
        indices[d] = rlxc_expr_rewrite(q->e->ctx, x->load.indices[d], inlined, q);
    for (uint32_t k = 0; k < q->n_axes; k++)
        values[k] = rlxc_int(q->e->ctx, q->vars[k]->dtype, 0);
    for (uint32_t d = 0; d < x->load.n; d++)
        if (q->at[d] != UINT32_MAX)
            values[q->at[d]] = rlxc_cast(q->e->ctx, q->vars[q->at[d]]->dtype, indices[d]);
    return rlxc_substitute(q->e->ctx, q->value, q->vars, values, q->n_axes);
}

static const rlxc_expr *inline_expr(void *user, const rlxc_expr *x)
{
    inlining *q = user;
    return x ? rlxc_expr_rewrite(q->e->ctx, x, inlined, q) : NULL;
}

static void inline_into(inlining *q, rlxc_node *block)
{
    const rlxc_stmt_rewriter rewriter = {.user = q, .expr = inline_expr};
    const rlxc_stmt *body = rlxc_leaf_body(block);
    if (block->block->init)
        block->block->init = rlxc_stmt_rewrite(q->e->ctx, block->block->init, &rewriter);
    if (body)
        rlxc_set_body(q->e, block, rlxc_stmt_rewrite(q->e->ctx, body, &rewriter));
    for (uint32_t i = 0; i < block->kids.items.count && !body; i++) {
        rlxc_node_list inner = {0};
        rlxc_blocks_in(q->e, block->kids.items.items[i], false, &inner);
        for (uint32_t k = 0; k < inner.items.count; k++)
            inline_into(q, inner.items.items[k]);
    }
}

/* Checks that the dimensions of |buffer| are those axes of |block|, whole. */
static bool check_extents(rlxc_engine *e, const rlxc_node *block, const rlxc_buffer *buffer,
                          const uint32_t *at, const char *what)
{
    for (uint32_t d = 0; d < buffer->ndim; d++) {
        const rlxc_axis *axis = at[d] == UINT32_MAX ? NULL : &block->block->axes[at[d]];
        const rlxc_expr *extent = axis ? axis->extent : rlxc_i64(e->ctx, 1);
        if ((axis && !rlxc_is_const(axis->min, 0)) ||
            !rlxc_prove_eq(e->ctx, rlxc_cast(e->ctx, RLX_I64, extent),
                           rlxc_cast(e->ctx, RLX_I64, buffer->shape[d]), NULL))
            return rlxc_refuse(e, "block '%s' %s %s elements of dimension %u of '%s', which has %s",
                               rlxc_block_of(block), what, rlxc_expr_text(e, extent), d,
                               buffer->name, rlxc_expr_text(e, buffer->shape[d]));
    }
    return true;
}

/* Checks that only |writer| writes |buffer|, and all of its elements. */
static bool check_whole(rlxc_engine *e, const rlxc_node *writer, const rlxc_stmt *store,
                        const uint32_t *at)
{
    rlxc_node_list writers = {0};
    const rlxc_buffer *buffer = store->store.buffer;
    users_of(e, writer, buffer, true, &writers);
    if (writers.items.count)
        return rlxc_refuse(e, "block '%s' writes '%s' as well",
                           rlxc_block_of(writers.items.items[0]), buffer->name);
    return check_extents(e, writer, buffer, at, "writes");
}

bool rlxc_apply_compute_inline(rlxc_engine *e)
{
    rlxc_node *block = rlxc_arg_block(e, "block");
    const rlxc_stmt *store = block ? plain_store(e, block) : NULL;
    rlxc_node_list readers = {0};
    inlining q = {.e = e};
    if (!store || !check_temp(e, block, store->store.buffer) ||
        !axes_of(e, block, store->store.indices, store->store.n, q.at, "writes") ||
        !check_whole(e, block, store, q.at) || !check_kept(e, block))
        return false;
    q.buffer = store->store.buffer;
    q.value = store->store.value;
    q.n_axes = block->block->n_axes;
    for (uint32_t k = 0; k < q.n_axes; k++)
        q.vars[k] = block->block->axes[k].var;
    users_of(e, block, q.buffer, false, &readers);
    for (uint32_t i = 0; i < readers.items.count; i++) {
        rlxc_accesses_in all = {0};
        rlxc_block_accesses(e, readers.items.items[i], &all);
        for (uint32_t k = 0; k < all.items.count; k++)
            if (all.items.items[k].buffer == q.buffer && !all.items.items[k].indices)
                return rlxc_refuse(e, "block '%s' does not use '%s' element by element",
                                   rlxc_block_of(readers.items.items[i]), q.buffer->name);
    }
    for (uint32_t i = 0; i < readers.items.count; i++)
        inline_into(&q, readers.items.items[i]);
    rlxc_take_out(e, block);
    rlxc_drop_temp(e, q.buffer);
    return true;
}

/* The consumer's only load of |buffer|; NULL after an error. */
static const rlxc_expr *const *only_load(rlxc_engine *e, const rlxc_node *block,
                                         const rlxc_buffer *buffer)
{
    rlxc_accesses_in all = {0};
    const rlxc_expr *const *found = NULL;
    rlxc_block_accesses(e, block, &all);
    for (uint32_t i = 0; i < all.items.count; i++) {
        if (all.items.items[i].buffer != buffer)
            continue;
        if (found || !all.items.items[i].indices) {
            rlxc_refuse(e, "block '%s' reads '%s' at several positions", rlxc_block_of(block),
                        buffer->name);
            return NULL;
        }
        found = all.items.items[i].indices;
    }
    return found;
}

/* The temporary that |block| reads and one other block writes. */
static const rlxc_buffer *produced(rlxc_engine *e, const rlxc_node *block, rlxc_node **producer)
{
    rlxc_accesses_in all = {0};
    const rlxc_buffer *found = NULL;
    rlxc_block_accesses(e, block, &all);
    for (uint32_t i = 0; i < all.items.count; i++) {
        const rlxc_buffer *buffer = all.items.items[i].buffer;
        rlxc_node_list writers = {0}, readers = {0};
        if (all.items.items[i].writes || !rlxc_is_temp(e, buffer) || buffer == found)
            continue;
        users_of(e, block, buffer, true, &writers);
        users_of(e, block, buffer, false, &readers);
        if (writers.items.count != 1)
            continue;
        for (uint32_t k = 0; k < readers.items.count; k++)
            if (readers.items.items[k] != writers.items.items[0]) {
                rlxc_refuse(e, "block '%s' reads '%s' as well",
                            rlxc_block_of(readers.items.items[k]), buffer->name);
                return NULL;
            }
        if (found) {
            rlxc_refuse(e, "block '%s' reads buffers that several blocks write: '%s' and '%s'",
                        rlxc_block_of(block), found->name, buffer->name);
            return NULL;
        }
        found = buffer;
        *producer = writers.items.items[0];
    }
    if (!found)
        rlxc_refuse(e, "block '%s' reads no buffer that exactly one other block writes",
                    rlxc_block_of(block));
    return found;
}

bool rlxc_apply_reverse_compute_inline(rlxc_engine *e)
{
    rlxc_node *block = rlxc_arg_block(e, "block"), *producer = NULL;
    const rlxc_stmt *store = block ? plain_store(e, block) : NULL;
    const rlxc_buffer *buffer = store ? produced(e, block, &producer) : NULL;
    const rlxc_stmt *made = buffer ? plain_store(e, producer) : NULL;
    const rlxc_expr *const *load = made ? only_load(e, block, buffer) : NULL;
    uint32_t at[MAX_AXES], written[MAX_AXES];
    if (!load || !axes_of(e, block, load, buffer->ndim, at, "reads") ||
        !axes_of(e, producer, made->store.indices, made->store.n, written, "writes") ||
        !check_whole(e, producer, made, written) || !check_kept(e, producer))
        return false;
    if (rlxc_block_touches(e, producer, store->store.buffer, false))
        return rlxc_refuse(e, "block '%s' reads '%s', which block '%s' writes",
                           rlxc_block_of(producer), store->store.buffer->name,
                           rlxc_block_of(block));
    const rlxc_expr *vars[MAX_AXES], *values[MAX_AXES];
    uint32_t n = block->block->n_axes;
    for (uint32_t k = 0; k < n; k++) {
        vars[k] = block->block->axes[k].var;
        values[k] = block->block->axes[k].min;
    }
    if (!check_extents(e, block, buffer, at, "reads"))
        return false;
    for (uint32_t d = 0; d < buffer->ndim; d++)
        if (at[d] != UINT32_MAX)
            values[at[d]] = rlxc_cast(e->ctx, vars[at[d]]->dtype, made->store.indices[d]);
    const rlxc_expr *indices[MAX_AXES];
    for (uint32_t d = 0; d < store->store.n && d < MAX_AXES; d++)
        indices[d] =
            rlxc_simple(e, rlxc_substitute(e->ctx, store->store.indices[d], vars, values, n));
    inlining q = {.e = e, .buffer = buffer, .value = made->store.value};
    const rlxc_expr *value = rlxc_substitute(e->ctx, store->store.value, vars, values, n);
    /* the one load left is of the element that the producer computes */
    for (uint32_t d = 0; d < buffer->ndim; d++)
        q.at[d] = UINT32_MAX;
    value = rlxc_expr_rewrite(e->ctx, value, inlined, &q);
    rlxc_set_body(e, producer,
                  rlxc_stmt_store(e->ctx, store->store.buffer, indices, store->store.n, value));
    rlxc_take_out(e, block);
    rlxc_drop_temp(e, buffer);
    return true;
}

/* After the last step: allocates temporaries in the innermost loop that contains all of their
 * accesses, with the size that one iteration uses. * An iteration must write everything that it
 * reads, and no reduction into the buffer may continue across iterations; otherwise an outer loop
 * is tried. So each thread of a parallel loop has its own buffers. */
#include <string.h>

#include "compiler/schedule/tree.h"

enum { MAX_NDIM = RLXC_DOMAIN_AXES };

static void touching(rlxc_engine *e, const rlxc_buffer *buffer, rlxc_node_list *out)
{
    rlxc_node_list blocks = {0};
    rlxc_blocks_in(e, e->root->kids.items.items[0], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++)
        if (rlxc_block_touches(e, blocks.items.items[i], buffer, true) ||
            rlxc_block_touches(e, blocks.items.items[i], buffer, false))
            RLXC_PUSH(e->ctx, &out->items, blocks.items.items[i]);
}

/* True if each iteration of |loop| writes the elements of |buffer| before it reads them. */
static bool is_local_to(rlxc_engine *e, const rlxc_node *loop, const rlxc_buffer *buffer,
                        const rlxc_node_list *blocks)
{
    rlxc_span read[MAX_NDIM], written[MAX_NDIM];
    rlxc_bounds bounds = rlxc_bounds_at(e, loop);
    for (uint32_t i = 0; i < blocks->items.count; i++) {
        const rlxc_node *block = blocks->items.items[i];
        const char *axis;
        if (!rlxc_block_touches(e, block, buffer, true))
            continue;
        for (const rlxc_node *at = loop; at->kind != RLXC_NODE_BLOCK; at = at->parent)
            if (at->kind == RLXC_NODE_LOOP && rlxc_serves(e, at, block, RLXC_AXIS_REDUCE, &axis))
                return false;
    }
    for (uint32_t r = 0; r < blocks->items.count; r++) {
        bool reads = rlxc_block_region(e, blocks->items.items[r], loop, buffer, false, read);
        bool covered = !reads || rlxc_block_touches(e, blocks->items.items[r], buffer, true);
        for (uint32_t w = 0; w < r && !covered; w++) {
            if (!rlxc_block_region(e, blocks->items.items[w], loop, buffer, true, written))
                continue;
            covered = true;
            for (uint32_t k = 0; k < buffer->ndim && covered; k++)
                covered = read[k].min && read[k].max && written[k].min && written[k].max &&
                          rlxc_prove_le(e->ctx, written[k].min, read[k].min, &bounds) &&
                          rlxc_prove_le(e->ctx, read[k].max, written[k].max, &bounds);
        }
        if (!covered)
            return false;
    }
    return true;
}

/* A block that reads and writes |buffer| without an init continues from an earlier block; the first
 * block to access it must only write it. */
static bool begins_with_a_write(rlxc_engine *e, const rlxc_buffer *buffer,
                                const rlxc_node_list *blocks)
{
    const rlxc_node *first = blocks->items.items[0];
    return rlxc_block_touches(e, first, buffer, true) &&
           (first->block->init || !rlxc_block_touches(e, first, buffer, false));
}

typedef struct shrinking {
    rlxc_engine *e;
    const rlxc_expr *mins[MAX_NDIM];
    uint32_t n;
} shrinking;

static void move_indices(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const shrinking *s = user;
    for (uint32_t k = 0; k < s->n; k++)
        out[k] = rlxc_simple(s->e, rlxc_sub(s->e->ctx, at[k], s->mins[k]));
}

/* A buffer for the elements that one iteration of |loop| uses, if they are a constant box; else
 * |buffer|. */
static rlxc_buffer *shrink(rlxc_engine *e, const rlxc_node *loop, rlxc_buffer *buffer,
                           const rlxc_node_list *blocks)
{
    rlxc_span read[MAX_NDIM], written[MAX_NDIM];
    const rlxc_expr *shape[MAX_NDIM];
    shrinking s = {.e = e, .n = buffer->ndim};
    rlxc_bounds bounds = rlxc_bounds_at(e, loop);
    bool smaller = false;
    if (buffer->strides || !rlxc_region_below(e, loop, buffer, true, written) ||
        !rlxc_region_below(e, loop, buffer, false, read))
        return buffer;
    for (uint32_t k = 0; k < buffer->ndim; k++) {
        int64_t size, full = INT64_MAX;
        if (!rlxc_prove_le(e->ctx, written[k].min, read[k].min, &bounds) ||
            !rlxc_prove_le(e->ctx, read[k].max, written[k].max, &bounds))
            return buffer;
        const rlxc_expr *extent =
            rlxc_simple(e, rlxc_add(e->ctx, rlxc_sub(e->ctx, written[k].max, written[k].min),
                                    rlxc_i64(e->ctx, 1)));
        bool whole = rlxc_is_const(written[k].min, 0) && !rlxc_is_int(extent, &size);
        (void)rlxc_is_int(buffer->shape[k], &full);
        s.mins[k] = written[k].min;
        shape[k] = whole ? buffer->shape[k] : extent;
        if (whole)
            continue;
        if (!rlxc_is_int(extent, &size) || size < 1)
            return buffer;
        smaller = smaller || size < full;
    }
    for (uint32_t i = 0; i < blocks->items.count; i++) {
        rlxc_accesses_in all = {0};
        rlxc_block_accesses(e, blocks->items.items[i], &all);
        for (uint32_t k = 0; k < all.items.count; k++)
            if (all.items.items[k].buffer == buffer && !all.items.items[k].indices)
                return buffer;
        if (!rlxc_leaf_body(blocks->items.items[i]))
            return buffer;
    }
    if (!smaller)
        return buffer;
    rlxc_buffer *to = rlxc_buffer_new(e->ctx, buffer->name, buffer->dtype, shape, buffer->ndim);
    to->scope = buffer->scope;
    to->align = buffer->align;
    const rlxc_redirection r = {e->ctx, buffer, to, move_indices, &s, false};
    for (uint32_t i = 0; i < blocks->items.count; i++)
        rlxc_redirect_block(e, blocks->items.items[i], &r);
    return to;
}

/* The loop that |buffer| is allocated in; NULL: the root block. */
static rlxc_node *find_place(rlxc_engine *e, const rlxc_buffer *buffer,
                             const rlxc_node_list *blocks)
{
    if (buffer->ndim > MAX_NDIM || blocks->items.count == 0 ||
        !begins_with_a_write(e, buffer, blocks))
        return NULL;
    for (rlxc_node *at = blocks->items.items[0]->parent; at != e->root; at = at->parent) {
        bool holds = at->kind == RLXC_NODE_LOOP &&
                     (at->loop_kind == RLXC_LOOP_SERIAL || at->loop_kind == RLXC_LOOP_PARALLEL);
        for (uint32_t i = 0; i < blocks->items.count && holds; i++)
            holds = rlxc_is_inside(blocks->items.items[i], at);
        if (holds && is_local_to(e, at, buffer, blocks))
            return at;
    }
    return NULL;
}

/* Each thread of a parallel loop has the buffers of its own that rlxc_apply_parallel counted on. */
static bool check_threads(rlxc_engine *e, const rlxc_buffer *buffer, const rlxc_node *place,
                          const rlxc_node_list *blocks)
{
    for (uint32_t i = 0; i < blocks->items.count; i++) {
        const rlxc_node *block = blocks->items.items[i];
        if (!rlxc_block_touches(e, block, buffer, true))
            continue;
        for (const rlxc_node *at = block->parent; at; at = at->parent) {
            bool apart = at->kind != RLXC_NODE_LOOP || at->loop_kind != RLXC_LOOP_PARALLEL ||
                         (place && rlxc_is_inside(place, at));
            for (uint32_t k = 0; k < block->block->n_axes && !apart; k++)
                apart = rlxc_expr_uses_var(e->ctx, block->values[k], at->var);
            if (!apart)
                return rlxc_refuse(e,
                                   "iterations of parallel loop %s share '%s', which block "
                                   "'%s' writes in each of them",
                                   rlxc_loop_name(e, at), buffer->name, rlxc_block_of(block));
        }
    }
    return true;
}

/* Allocates |buffer| in |loop|, by a block without axes around what stands there. */
static void allocate_in(rlxc_engine *e, rlxc_node *loop, rlxc_buffer *buffer)
{
    rlxc_node *holder = loop->kids.items.items[0];
    if (holder->kind != RLXC_NODE_BLOCK || holder->block->n_axes || !holder->block->n_allocs) {
        const rlxc_block block = {.name = rlxc_block_name(e, "local")};
        const rlxc_stmt *nothing = rlxc_stmt_evaluate(e->ctx, rlxc_int(e->ctx, RLX_I32, 0));
        rlxc_node *body = holder;
        holder = rlxc_new_block(e, &block, NULL, NULL, nothing);
        rlxc_put_for(e, body, holder);
        rlxc_adopt(e, holder, body);
    }
    uint32_t n = holder->block->n_allocs;
    rlxc_buffer **allocs = rlxc_try_alloc(e->ctx, (size_t)n + 1, sizeof *allocs);
    for (uint32_t i = 0; i < n && allocs; i++)
        allocs[i] = holder->block->allocs[i];
    if (!allocs)
        return;
    allocs[n] = buffer;
    holder->block->allocs = allocs;
    holder->block->n_allocs = n + 1;
}

bool rlxc_place_buffers(rlxc_engine *e)
{
    typedef struct placed {
        rlxc_node *loop;
        rlxc_buffer *buffer;
    } placed;
    RLXC_VEC(placed) all = {0};
    uint32_t n = e->root->block->n_allocs;
    rlxc_buffer *const *temps = e->root->block->allocs;
    e->step = NULL;
    for (uint32_t i = 0; i < n && !rlxc_failed(e->ctx); i++) {
        rlxc_node_list blocks = {0};
        touching(e, temps[i], &blocks);
        rlxc_node *loop = find_place(e, temps[i], &blocks);
        if (!check_threads(e, temps[i], loop, &blocks))
            return false;
        if (!loop)
            continue;
        rlxc_drop_temp(e, temps[i]);
        RLXC_PUSH(e->ctx, &all, (placed){loop, shrink(e, loop, temps[i], &blocks)});
    }
    for (uint32_t i = 0; i < all.count; i++)
        allocate_in(e, all.items[i].loop, all.items[i].buffer);
    return !rlxc_failed(e->ctx);
}

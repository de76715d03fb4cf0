/* After the last step: allocates temporaries in the innermost loop that contains all of their
 * accesses, with the size that one iteration uses.
 *
 * An iteration must write everything that it reads, and no reduction into the buffer may continue
 * across iterations; otherwise an outer loop is tried. So each thread of a parallel loop has its
 * own buffers.
 *
 * On a device, memory allocated in a loop of threads is each thread's own ("local"), in a loop of
 * blocks of threads it belongs to the block ("shared", or "local" where each thread has a part of
 * it), and elsewhere to the whole launch. Only buffers of a constant size are allocated in loops,
 * and shared ones outside of threads. */
#include <string.h>

#include "compiler/schedule/tree.h"

enum { MAX_NDIM = RLXC_DOMAIN_AXES, MAX_LOCAL = 16384 /* bytes of one thread */ };

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
        if (whole && e->options->device)
            return buffer;
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

/* The innermost kind of threads around |node| or at it: an axis; -1: none. */
static int threads_at(const rlxc_node *node)
{
    int axis = -1;
    for (const rlxc_node *at = node; at; at = at->parent)
        if (at->kind == RLXC_NODE_LOOP && at->thread && rlxc_thread_axis(at->thread) > axis)
            axis = rlxc_thread_axis(at->thread);
    return axis;
}

/* Whether memory of the buffer's scope can be in |loop|. */
static bool may_hold(const rlxc_engine *e, const rlxc_node *loop, const rlxc_buffer *buffer)
{
    if (!e->options->device)
        return true;
    const int axis = threads_at(loop);
    const bool shared = buffer->scope && strcmp(buffer->scope, "shared") == 0;
    return axis >= 0 && (!shared || axis < RLXC_THREAD_IDX);
}

/* The loop that |buffer| is allocated in; NULL: the root block. */
static rlxc_node *find_place(rlxc_engine *e, const rlxc_buffer *buffer,
                             const rlxc_node_list *blocks)
{
    if (buffer->ndim > MAX_NDIM || blocks->items.count == 0 ||
        !begins_with_a_write(e, buffer, blocks))
        return NULL;
    for (rlxc_node *at = blocks->items.items[0]->parent; at != e->root; at = at->parent) {
        bool holds = at->kind == RLXC_NODE_LOOP && at->loop_kind != RLXC_LOOP_VECTORIZED &&
                     at->loop_kind != RLXC_LOOP_UNROLLED && may_hold(e, at, buffer);
        for (uint32_t i = 0; i < blocks->items.count && holds; i++)
            holds = rlxc_is_inside(blocks->items.items[i], at);
        if (holds && is_local_to(e, at, buffer, blocks))
            return at;
    }
    return NULL;
}

/* Whether iterations of |at| run at the same time. */
static bool runs_at_once(const rlxc_node *at)
{
    return at->kind == RLXC_NODE_LOOP &&
           (at->loop_kind == RLXC_LOOP_PARALLEL ||
            (at->loop_kind == RLXC_LOOP_BOUND && !rlxc_is_const(at->extent, 1)));
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
            bool apart = !runs_at_once(at) || (place && rlxc_is_inside(place, at));
            for (uint32_t k = 0; k < block->block->n_axes && !apart; k++)
                apart = rlxc_expr_uses_var(e->ctx, block->values[k], at->var);
            if (!apart)
                return rlxc_refuse(e,
                                   "iterations of %s loop %s share '%s', which block "
                                   "'%s' writes in each of them",
                                   at->thread ? at->thread : "parallel", rlxc_loop_name(e, at),
                                   buffer->name, rlxc_block_of(block));
        }
    }
    return true;
}

static bool belongs_to_threads(const rlxc_buffer *buffer)
{
    return buffer->scope &&
           (strcmp(buffer->scope, "shared") == 0 || strcmp(buffer->scope, "local") == 0);
}

/* The threads of a block that are inside of |loop|; 1 where it is inside of them. */
static int64_t threads_in(rlxc_engine *e, rlxc_node *loop)
{
    int64_t extents[RLXC_THREAD_AXES] = {1, 1, 1, 1, 1, 1}, size;
    rlxc_node_list bound = {0};
    if (threads_at(loop) >= RLXC_THREAD_IDX)
        return 1;
    rlxc_bound_loops_in(e, loop, &bound);
    for (uint32_t i = 0; i < bound.items.count; i++) {
        const int axis = rlxc_thread_axis(bound.items.items[i]->thread);
        if (axis >= RLXC_THREAD_IDX && rlxc_is_int(bound.items.items[i]->extent, &size) &&
            size > extents[axis] && size <= e->options->device->threads)
            extents[axis] = size;
    }
    return extents[3] * extents[4] * extents[5];
}

/* Whether memory of this scope on the device has room for the buffer, of which each of the threads
 * inside |loop| has a part. */
static bool fits(rlxc_engine *e, const rlxc_buffer *buffer, const char *scope, rlxc_node *loop)
{
    const bool shared = strcmp(scope, "shared") == 0;
    const int64_t most =
        shared ? e->options->device->shared_bytes : MAX_LOCAL * threads_in(e, loop);
    int64_t bytes = ((int64_t)buffer->dtype.bits * buffer->dtype.lanes + 7) / 8, size;
    for (uint32_t k = 0; k < buffer->ndim; k++)
        if (!rlxc_is_int(buffer->shape[k], &size) || __builtin_mul_overflow(bytes, size, &bytes))
            return false;
    return bytes <= most;
}

static rlxc_buffer *with_scope(rlxc_engine *e, rlxc_buffer *buffer, const char *scope)
{
    rlxc_buffer *to =
        rlxc_buffer_new(e->ctx, buffer->name, buffer->dtype, buffer->shape, buffer->ndim);
    to->scope = scope;
    to->align = buffer->align;
    rlxc_redirect(e, e->root, buffer, to);
    return to;
}

/* The scope of memory that is allocated in |loop| of a device's function. */
static const char *scope_in(rlxc_engine *e, const rlxc_node *loop, const rlxc_buffer *buffer)
{
    const bool named = buffer->scope && strcmp(buffer->scope, "global") != 0;
    if (named)
        return buffer->scope;
    return rlxc_intern_cstr(e->ctx, threads_at(loop) < RLXC_THREAD_IDX ? "shared" : "local");
}

/* Allocates |buffer| in |loop|, with a block without axes around the loop's body. */
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
        rlxc_buffer *small = loop ? shrink(e, loop, temps[i], &blocks) : temps[i];
        if (loop && e->options->device) {
            const char *scope = scope_in(e, loop, small);
            if (!fits(e, small, scope, loop))
                loop = NULL;
            else if (small->scope != scope)
                small = with_scope(e, small, scope);
        }
        if (!loop && e->options->device && belongs_to_threads(temps[i]))
            return rlxc_refuse(e, "'%s' is %s memory, but no loop of threads can hold it",
                               temps[i]->name, temps[i]->scope);
        if (!check_threads(e, temps[i], loop, &blocks))
            return false;
        if (!loop)
            continue;
        rlxc_drop_temp(e, temps[i]);
        RLXC_PUSH(e->ctx, &all, (placed){loop, small});
    }
    for (uint32_t i = 0; i < all.count; i++)
        allocate_in(e, all.items[i].loop, all.items[i].buffer);
    return !rlxc_failed(e->ctx);
}

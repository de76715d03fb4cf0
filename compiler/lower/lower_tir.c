/* Pass lower_tir: blocks become plain loops and statements over buffers with storage.
 *
 * A block's axes are replaced by their values, its predicate becomes a condition, its buffers are
 * allocated at the block, matched regions become views (strides and offset) of their source. The
 * init of a reduction runs before the outermost loop that the reduction needs, as a loop nest of
 * its own over the spatial loops inside (so that an empty reduction leaves the initial value);
 * where the loops do not separate it runs conditionally, at the start of the reduction. Loops are
 * cut so that predicates are not left to each iteration (partition.c). Indices are simplified with
 * the ranges of the loops; loops over one iteration vanish; vectorized loops of constant extent
 * become vector statements (vectorize.c). Functions of devices are not cut, and all of them is
 * bound to threads in the end (bind_threads.c). */
#include "compiler/lower/lower.h"

#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/passes/passes.h"

typedef struct lowering {
    rlxc_context *ctx;
    rlxc_map vars;    /* variable -> expression */
    rlxc_map buffers; /* matched buffer -> its view */
    rlxc_bounds bounds;
    rlxc_range range;
    uint32_t depth;
    rlxc_partition cuts;
    RLXC_VEC(const rlxc_stmt *) threads; /* loops around the statement that are bound to threads */
    bool device;                         /* unrolled loops are unrolled here */
    uint32_t copies;                     /* of the statement, by unrolled loops around it */
} lowering;

enum { MAX_UNROLLED = 1024 /* statements from one */ };
enum { MAX_LIST = 4096 }; /* dimensions: few enough that the arena always has room */

static const rlxc_stmt *lower(lowering *l, const rlxc_stmt *s);

/* --- expressions ----------------------------------------------------------------------------- */

static const rlxc_expr *replace(void *user, const rlxc_expr *e);

static const rlxc_expr *rewrite(lowering *l, const rlxc_expr *e)
{
    return e ? rlxc_expr_rewrite(l->ctx, e, replace, l) : NULL;
}

static const rlxc_expr *replace(void *user, const rlxc_expr *e)
{
    lowering *l = user;
    if (e->kind == RLXC_EXPR_VAR)
        return rlxc_map_get(&l->vars, rlxc_key(e));
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    const rlxc_buffer *view = rlxc_map_get(&l->buffers, rlxc_key(e->load.buffer));
    if (!view)
        return NULL;
    if (e->load.n > MAX_LIST)
        return NULL;
    const rlxc_expr **indices = rlxc_alloc(l->ctx, (e->load.n + 1) * sizeof *indices);
    for (uint32_t i = 0; i < e->load.n; i++)
        indices[i] = rewrite(l, e->load.indices[i]);
    return rlxc_load(l->ctx, view, indices, e->load.n);
}

static const rlxc_expr *lower_expr(lowering *l, const rlxc_expr *e)
{
    return e ? rlxc_simplify(l->ctx, rewrite(l, e), &l->bounds) : NULL;
}

static const rlxc_expr *const *lower_exprs(lowering *l, const rlxc_expr *const *e, uint32_t n)
{
    if (n > MAX_LIST) {
        rlxc_error(l->ctx, l->range, "more than %d dimensions", MAX_LIST);
        return e;
    }
    const rlxc_expr **out = rlxc_alloc(l->ctx, (n + 1) * sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        out[i] = lower_expr(l, e[i]);
    return out;
}

static const rlxc_buffer *view_of(const lowering *l, const rlxc_buffer *buffer)
{
    const rlxc_buffer *view = rlxc_map_get(&l->buffers, rlxc_key(buffer));
    return view ? view : buffer;
}

/* --- buffers --------------------------------------------------------------------------------- */

typedef struct list {
    RLXC_VEC(const rlxc_stmt *) items;
} list;

static void push(lowering *l, list *out, const rlxc_stmt *s)
{
    RLXC_PUSH(l->ctx, &out->items, s);
}

static rlxc_stmt *new_stmt(lowering *l, rlxc_stmt_kind kind)
{
    rlxc_stmt *s = rlxc_alloc(l->ctx, sizeof *s);
    s->kind = kind;
    s->range = l->range;
    return s;
}

static void declare(lowering *l, list *out, rlxc_buffer *buffer)
{
    rlxc_stmt *s = new_stmt(l, RLXC_STMT_DECL_BUFFER);
    s->decl = buffer;
    push(l, out, s);
}

static bool depends(lowering *l, const rlxc_buffer *b)
{
    for (uint32_t i = 0; i < b->ndim; i++)
        if (rewrite(l, b->shape[i]) != b->shape[i])
            return true;
    return false;
}

/* A temporary: its storage and the buffer over it. Shapes may use variables that were replaced. */
static void allocate(lowering *l, list *out, rlxc_buffer *buffer)
{
    rlxc_buffer *own = buffer;
    if (depends(l, buffer)) {
        own = rlxc_copy(l->ctx, buffer, sizeof *buffer);
        own->shape = lower_exprs(l, buffer->shape, buffer->ndim);
        rlxc_map_set(l->ctx, &l->buffers, rlxc_key(buffer), own);
    }
    rlxc_stmt *s = new_stmt(l, RLXC_STMT_ALLOCATE);
    s->allocate.var = own->data;
    s->allocate.dtype = own->dtype;
    s->allocate.extents = rlxc_memory_extents(l->ctx, own, &s->allocate.n);
    s->allocate.scope = own->scope ? own->scope : rlxc_intern_cstr(l->ctx, "global");
    if (!s->allocate.extents) {
        rlxc_error(l->ctx, l->range, "the layout of the temporary '%s' is unknown", own->name);
        return;
    }
    push(l, out, s);
    declare(l, out, own);
}

/* The stride of dimension |i| of |b| in elements. */
static const rlxc_expr *stride_of(lowering *l, const rlxc_buffer *b, uint32_t i)
{
    if (b->strides)
        return b->strides[i];
    const rlxc_expr *stride = rlxc_i64(l->ctx, 1);
    for (uint32_t k = i + 1; k < b->ndim; k++)
        stride = rlxc_mul(l->ctx, stride, rlxc_cast(l->ctx, RLX_I64, b->shape[k]));
    return rlxc_simplify(l->ctx, stride, &l->bounds);
}

/* Binds a symbolic part of a matched buffer to its value; constants are trusted. */
static void solve(lowering *l, const rlxc_expr *pattern, const rlxc_expr *value)
{
    if (pattern && pattern->kind == RLXC_EXPR_VAR && !rlxc_map_get(&l->vars, rlxc_key(pattern)))
        rlxc_map_set(l->ctx, &l->vars, rlxc_key(pattern),
                     (void *)(uintptr_t)rlxc_cast(l->ctx, pattern->dtype, value));
}

/* A region of the source as a buffer: dimensions align at the end, leading ones must be points. */
static void match_region(lowering *l, list *out, const rlxc_match_region *m)
{
    const rlxc_buffer *source = view_of(l, m->source.buffer), *old = m->buffer;
    rlxc_context *ctx = l->ctx;
    if (old->ndim > source->ndim || source->ndim > MAX_LIST) {
        rlxc_error(ctx, l->range, "match_buffer %s has %u dimensions, its region of %s has %u",
                   old->name, old->ndim, source->name, source->ndim);
        return;
    }
    uint32_t skip = source->ndim - old->ndim;
    rlxc_buffer *view = rlxc_copy(ctx, old, sizeof *old);
    const rlxc_expr *offset = source->elem_offset ? source->elem_offset : rlxc_i64(ctx, 0);
    const rlxc_expr **strides = rlxc_alloc(ctx, (old->ndim + 1) * sizeof *strides);
    for (uint32_t i = 0; i < source->ndim; i++) {
        const rlxc_expr *at = rlxc_cast(ctx, RLX_I64, rewrite(l, m->source.mins[i]));
        const rlxc_expr *stride = stride_of(l, source, i);
        offset = rlxc_add(ctx, offset, rlxc_mul(ctx, at, stride));
        if (i >= skip)
            strides[i - skip] = stride;
    }
    for (uint32_t i = 0; i < old->ndim; i++) {
        solve(l, old->shape[i], rewrite(l, m->source.extents[i + skip]));
        if (old->strides)
            solve(l, old->strides[i], strides[i]);
    }
    solve(l, old->elem_offset, offset);
    view->shape = lower_exprs(l, old->shape, old->ndim);
    view->strides = strides;
    view->elem_offset = rlxc_simplify(ctx, offset, &l->bounds);
    view->data = source->data;
    rlxc_map_set(ctx, &l->vars, rlxc_key(old->data), (void *)(uintptr_t)source->data);
    rlxc_map_set(ctx, &l->buffers, rlxc_key(old), view);
    declare(l, out, view);
}

/* --- blocks ---------------------------------------------------------------------------------- */

static const rlxc_stmt *sequence(lowering *l, const list *items)
{
    return rlxc_stmt_seq(l->ctx, items->items.items, items->items.count);
}

static const rlxc_stmt *guard(lowering *l, const rlxc_expr *cond, const rlxc_stmt *body)
{
    return cond && !rlxc_is_const(cond, 1) ? rlxc_stmt_if(l->ctx, cond, body, NULL) : body;
}

/* The threads of a reduction axis would all write the same element: rlxc_sum_threads has taken the
 * blocks that it can reduce across threads. */
static void check_reduction(lowering *l, const rlxc_stmt *s, uint32_t axis)
{
    const rlxc_block *b = s->block.block;
    for (uint32_t i = 0; i < l->threads.count; i++) {
        const rlxc_stmt *loop = l->threads.items[i];
        if (!rlxc_expr_uses_var(l->ctx, s->block.values[axis], loop->loop.var))
            continue;
        rlxc_error(l->ctx, s->range,
                   "block '%s': reduction axis %s is bound to %s: only threads of one block are "
                   "reduced, by a sum from 0, a product from 1, a minimum or a maximum; use "
                   "rfactor, or a serial loop",
                   b->name, b->axes[axis].var->var.name, loop->loop.thread);
        return;
    }
}

static void bind_axes(lowering *l, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    for (uint32_t i = 0; i < b->n_axes; i++) {
        if (b->axes[i].kind == RLXC_AXIS_REDUCE)
            check_reduction(l, s, i);
        const rlxc_expr *var = b->axes[i].var;
        const rlxc_expr *value = lower_expr(l, s->block.values[i]);
        rlxc_map_set(l->ctx, &l->vars, rlxc_key(var),
                     (void *)(uintptr_t)rlxc_cast(l->ctx, var->dtype, value));
    }
}

/* Lowers a block; |with_init|: its init runs here, when every reduction axis is at its start. */
static const rlxc_stmt *lower_block(lowering *l, const rlxc_stmt *s, bool with_init)
{
    const rlxc_block *b = s->block.block;
    rlxc_context *ctx = l->ctx;
    list out = {0};
    bind_axes(l, s);
    for (uint32_t i = 0; i < b->n_allocs; i++)
        allocate(l, &out, b->allocs[i]);
    for (uint32_t i = 0; i < b->n_matches; i++)
        match_region(l, &out, &b->matches[i]);
    if (b->init && with_init) {
        const rlxc_expr *start = NULL;
        for (uint32_t i = 0; i < b->n_axes; i++) {
            if (b->axes[i].kind != RLXC_AXIS_REDUCE)
                continue;
            const rlxc_expr *at = rlxc_map_get(&l->vars, rlxc_key(b->axes[i].var));
            const rlxc_expr *is_first =
                rlxc_binary(ctx, RLXC_EXPR_EQ, at, rewrite(l, b->axes[i].min));
            start = start ? rlxc_binary(ctx, RLXC_EXPR_AND, start, is_first) : is_first;
        }
        push(l, &out,
             guard(l, start ? rlxc_simplify(ctx, start, &l->bounds) : NULL, lower(l, b->init)));
    }
    push(l, &out, lower(l, b->body));
    const rlxc_expr *predicate = lower_expr(l, s->block.predicate);
    return guard(l, predicate, sequence(l, &out));
}

/* --- reductions ------------------------------------------------------------------------------ */

enum { MAX_NEST = 64 };

typedef struct nest { /* a perfect nest of loops around a block with init */
    const rlxc_stmt *loops[MAX_NEST];
    bool reduces[MAX_NEST]; /* true if reduction axes use the loop */
    bool spatial[MAX_NEST];
    uint32_t n;
    const rlxc_stmt *block;
} nest;

static bool find_nest(const rlxc_stmt *s, nest *out)
{
    out->n = 0;
    while (s->kind == RLXC_STMT_FOR && out->n < MAX_NEST) {
        out->loops[out->n++] = s;
        s = s->loop.body;
    }
    out->block = s;
    return s->kind == RLXC_STMT_BLOCK && s->block.block->init;
}

typedef struct leftover {
    const nest *n;
    bool found;
} leftover;

/* True if a loop outside the nest binds the variable (a reduction that starts further out). */
static bool is_foreign(void *user, const rlxc_expr *e)
{
    leftover *u = user;
    if (e->kind != RLXC_EXPR_VAR || e->var.nonneg)
        return true;
    for (uint32_t i = 0; i < u->n->n; i++)
        if (u->n->loops[i]->loop.var == e)
            return true;
    u->found = true;
    return false;
}

static bool uses_loops(lowering *l, const rlxc_expr *e, const nest *n, const bool *which)
{
    for (uint32_t i = 0; i < n->n; i++)
        if (which[i] && rlxc_expr_uses_var(l->ctx, e, n->loops[i]->loop.var))
            return true;
    return false;
}

/* True if each condition of the predicate depends on result loops or on reduction loops, not on
 * both. */
static bool predicate_separates(lowering *l, const nest *n, const rlxc_expr *e)
{
    if (!e)
        return true;
    if (e->kind == RLXC_EXPR_AND)
        return predicate_separates(l, n, e->bin.a) && predicate_separates(l, n, e->bin.b);
    return !uses_loops(l, e, n, n->reduces) || !uses_loops(l, e, n, n->spatial);
}

/* Separates the loops of the reduction from those of the results. False if one serves both, or if
 * the reduction also uses loops outside the nest. */
static bool separate(lowering *l, nest *n)
{
    const rlxc_block *b = n->block->block.block;
    if (b->n_allocs || b->n_matches) /* variables that the init may use */
        return false;
    for (uint32_t i = 0; i < n->n; i++) {
        n->reduces[i] = n->spatial[i] = false;
        for (uint32_t k = 0; k < b->n_axes; k++) {
            if (!rlxc_expr_uses_var(l->ctx, n->block->block.values[k], n->loops[i]->loop.var))
                continue;
            if (b->axes[k].kind == RLXC_AXIS_REDUCE)
                n->reduces[i] = true;
            else
                n->spatial[i] = true;
        }
        if (n->reduces[i] && n->spatial[i])
            return false;
    }
    for (uint32_t i = 0; i < n->n; i++)
        if (n->spatial[i] && (uses_loops(l, n->loops[i]->loop.min, n, n->reduces) ||
                              uses_loops(l, n->loops[i]->loop.extent, n, n->reduces)))
            return false;
    leftover foreign = {n, false};
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind == RLXC_AXIS_REDUCE)
            rlxc_expr_visit(l->ctx, n->block->block.values[k], is_foreign, &foreign);
    return !foreign.found && predicate_separates(l, n, n->block->block.predicate);
}

/* The part of a predicate that depends on result loops only; NULL: none. */
static const rlxc_expr *spatial_part(lowering *l, const nest *n, const rlxc_expr *predicate)
{
    if (!predicate)
        return NULL;
    if (predicate->kind == RLXC_EXPR_AND) {
        const rlxc_expr *a = spatial_part(l, n, predicate->bin.a);
        const rlxc_expr *b = spatial_part(l, n, predicate->bin.b);
        return !a ? b : !b ? a : rlxc_binary(l->ctx, RLXC_EXPR_AND, a, b);
    }
    return uses_loops(l, predicate, n, n->reduces) ? NULL : predicate;
}

/* The block's init inside the loops of the results alone, with loop variables of its own. */
static const rlxc_stmt *init_nest(lowering *l, const nest *n)
{
    const rlxc_stmt *s = n->block;
    const rlxc_block *b = s->block.block;
    rlxc_context *ctx = l->ctx;
    const rlxc_expr *old[MAX_NEST], *fresh[MAX_NEST];
    for (uint32_t i = 0; i < n->n; i++) {
        old[i] = n->loops[i]->loop.var;
        fresh[i] = rlxc_var(ctx, old[i]->var.name, old[i]->dtype);
    }
    rlxc_block *only = rlxc_alloc(ctx, sizeof *only);
    rlxc_axis *axes = rlxc_try_alloc(ctx, b->n_axes + 1, sizeof *axes);
    const rlxc_expr **values = rlxc_try_alloc(ctx, b->n_axes + 1, sizeof *values);
    if (!axes || !values)
        return b->init;
    *only = (rlxc_block){.name = b->name, .axes = axes, .body = b->init};
    for (uint32_t k = 0; k < b->n_axes; k++) {
        if (b->axes[k].kind == RLXC_AXIS_REDUCE)
            continue;
        axes[only->n_axes] = b->axes[k];
        values[only->n_axes++] = rlxc_substitute(ctx, s->block.values[k], old, fresh, n->n);
    }
    const rlxc_expr *predicate = spatial_part(l, n, s->block.predicate);
    if (predicate)
        predicate = rlxc_substitute(ctx, predicate, old, fresh, n->n);
    const rlxc_stmt *out = rlxc_stmt_block(ctx, only, values, predicate);
    for (uint32_t i = n->n; i-- > 0;) {
        if (!n->spatial[i])
            continue;
        rlxc_stmt *copy = rlxc_copy(ctx, n->loops[i], sizeof *copy);
        copy->loop.var = fresh[i];
        copy->loop.min = rlxc_substitute(ctx, copy->loop.min, old, fresh, n->n);
        copy->loop.extent = rlxc_substitute(ctx, copy->loop.extent, old, fresh, n->n);
        copy->loop.body = out;
        out = copy;
    }
    return lower(l, out);
}

static const rlxc_stmt *without_init(lowering *l, const nest *n)
{
    rlxc_block *block = rlxc_copy(l->ctx, n->block->block.block, sizeof *block);
    rlxc_stmt *realize = rlxc_copy(l->ctx, n->block, sizeof *realize);
    block->init = NULL;
    realize->block.block = block;
    const rlxc_stmt *out = realize;
    for (uint32_t i = n->n; i-- > 0;) {
        rlxc_stmt *copy = rlxc_copy(l->ctx, n->loops[i], sizeof *copy);
        copy->loop.body = out;
        out = copy;
    }
    return lower(l, out);
}

/* --- statements ------------------------------------------------------------------------------ */

static rlxc_bound loop_range(lowering *l, const rlxc_expr *min, const rlxc_expr *extent)
{
    rlxc_bound low = rlxc_bound_of(l->ctx, min, &l->bounds);
    rlxc_bound count = rlxc_bound_of(l->ctx, extent, &l->bounds);
    rlxc_bound out = {low.min, INT64_MAX};
    int64_t top;
    if (low.max != INT64_MAX && count.max != INT64_MAX && count.max > 0 &&
        !__builtin_add_overflow(low.max, count.max - 1, &top))
        out.max = top;
    return out;
}

typedef struct packed_search {
    rlxc_context *ctx;
    bool found;
} packed_search;

static bool is_packed(void *user, const rlxc_expr *e)
{
    packed_search *u = user;
    u->found |= e->kind == RLXC_EXPR_CALL && (strcmp(e->call.name, "call_packed") == 0 ||
                                              strcmp(e->call.name, "call_cpacked") == 0);
    return !u->found;
}

static bool calls_packed(void *user, const rlxc_stmt *s)
{
    packed_search *u = user;
    if (s->kind == RLXC_STMT_EVALUATE)
        rlxc_expr_visit(u->ctx, s->evaluate, is_packed, u);
    else if (s->kind == RLXC_STMT_LET)
        rlxc_expr_visit(u->ctx, s->let.value, is_packed, u);
    else if (s->kind == RLXC_STMT_STORE)
        rlxc_expr_visit(u->ctx, s->store.value, is_packed, u);
    return !u->found;
}

/* Packed functions run on the VM's own thread: a parallel loop around a call of one is serial. */
static rlxc_loop_kind loop_kind(lowering *l, const rlxc_stmt *s)
{
    packed_search u = {l->ctx, false};
    if (s->loop.kind == RLXC_LOOP_PARALLEL)
        rlxc_stmt_visit(s->loop.body, calls_packed, &u);
    return u.found ? RLXC_LOOP_SERIAL : s->loop.kind;
}

static const rlxc_expr *simplified(void *user, const rlxc_expr *e)
{
    return lower_expr(user, e);
}

/* The parts of a loop that is cut, or NULL. */
static const rlxc_stmt *lower_parts(lowering *l, const rlxc_stmt *s)
{
    const uint32_t copies = l->cuts.copies;
    const rlxc_stmt *cut = rlxc_partition_loop(&l->cuts, s), *parts = cut ? lower(l, cut) : NULL;
    l->cuts.copies = copies;
    return parts;
}

/* Unrolls the body, so that thread-local memory is accessed at constants and becomes registers. */
static const rlxc_stmt *unrolled(lowering *l, const rlxc_stmt *s, const rlxc_expr *min,
                                 uint32_t count)
{
    const uint32_t copies = l->copies;
    list out = {0};
    l->copies *= count;
    for (uint32_t i = 0; i < count && !rlxc_failed(l->ctx); i++) {
        const rlxc_expr *at = rlxc_add(l->ctx, min, rlxc_int(l->ctx, min->dtype, i));
        rlxc_map_set(l->ctx, &l->vars, rlxc_key(s->loop.var),
                     (void *)(uintptr_t)rlxc_cast(l->ctx, s->loop.var->dtype, at));
        push(l, &out, lower(l, i ? rlxc_stmt_clone(l->ctx, s->loop.body) : s->loop.body));
    }
    l->copies = copies;
    return sequence(l, &out);
}

static const rlxc_stmt *lower_loop(lowering *l, const rlxc_stmt *s)
{
    nest n;
    if (find_nest(s, &n) && separate(l, &n) && n.reduces[0]) {
        const rlxc_stmt *parts[2] = {init_nest(l, &n), without_init(l, &n)};
        return rlxc_stmt_seq(l->ctx, parts, 2);
    }
    const rlxc_stmt *cut = lower_parts(l, s);
    if (cut)
        return cut;
    rlxc_stmt *out = rlxc_without_hint(l->ctx, s);
    out->loop.min = lower_expr(l, s->loop.min);
    out->loop.extent = lower_expr(l, s->loop.extent);
    out->loop.kind = loop_kind(l, s);
    if (rlxc_is_const(out->loop.extent, 1)) {
        rlxc_map_set(l->ctx, &l->vars, rlxc_key(s->loop.var),
                     (void *)(uintptr_t)rlxc_cast(l->ctx, s->loop.var->dtype, out->loop.min));
        const rlxc_stmt *body = lower(l, s->loop.body);
        out->loop.body = body;
        return s->loop.kind == RLXC_LOOP_BOUND ? out : body; /* which makes the threads */
    }
    int64_t count;
    if (rlxc_is_int(out->loop.extent, &count) && count <= 0)
        return rlxc_stmt_evaluate(l->ctx, rlxc_int(l->ctx, RLX_I32, 0));
    if (l->device && s->loop.kind == RLXC_LOOP_UNROLLED && rlxc_is_int(out->loop.extent, &count) &&
        count <= MAX_UNROLLED / l->copies)
        return unrolled(l, s, out->loop.min, (uint32_t)count);
    uint32_t mark = l->bounds.vars.count;
    rlxc_map_set(l->ctx, &l->vars, rlxc_key(s->loop.var), NULL);
    rlxc_bounds_set(l->ctx, &l->bounds, s->loop.var,
                    loop_range(l, out->loop.min, out->loop.extent));
    if (s->loop.kind == RLXC_LOOP_BOUND)
        RLXC_PUSH(l->ctx, &l->threads, s);
    out->loop.body = lower(l, s->loop.body);
    if (s->loop.kind == RLXC_LOOP_BOUND && l->threads.count > 0)
        l->threads.count--;
    if (l->bounds.vars.count > mark)
        l->bounds.vars.count = l->bounds.ranges.count = mark;
    return s->loop.kind == RLXC_LOOP_VECTORIZED ? rlxc_vectorize_loop(l->ctx, out) : out;
}

static const rlxc_stmt *lower_store(lowering *l, const rlxc_stmt *s)
{
    rlxc_stmt *out = rlxc_copy(l->ctx, s, sizeof *out);
    out->store.buffer = view_of(l, s->store.buffer);
    out->store.indices = lower_exprs(l, s->store.indices, s->store.n);
    out->store.value = lower_expr(l, s->store.value);
    return out;
}

/* A declared buffer whose shape or layout uses replaced variables. */
static const rlxc_stmt *lower_decl(lowering *l, const rlxc_stmt *s)
{
    rlxc_buffer *old = s->decl;
    rlxc_stmt *out = rlxc_copy(l->ctx, s, sizeof *out);
    rlxc_buffer *own = rlxc_copy(l->ctx, old, sizeof *old);
    own->shape = lower_exprs(l, old->shape, old->ndim);
    own->strides = old->strides ? lower_exprs(l, old->strides, old->ndim) : NULL;
    own->elem_offset = lower_expr(l, old->elem_offset);
    rlxc_map_set(l->ctx, &l->buffers, rlxc_key(old), own);
    out->decl = own;
    return out;
}

static const rlxc_stmt *lower_other(lowering *l, const rlxc_stmt *s)
{
    rlxc_stmt *out = rlxc_copy(l->ctx, s, sizeof *out);
    list items = {0};
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && !rlxc_failed(l->ctx); i++)
            push(l, &items, lower(l, s->seq.items[i]));
        return sequence(l, &items);
    case RLXC_STMT_WHILE:
        out->while_.cond = lower_expr(l, s->while_.cond);
        out->while_.body = lower(l, s->while_.body);
        return out;
    case RLXC_STMT_IF:
        out->if_.cond = lower_expr(l, s->if_.cond);
        if (rlxc_is_const(out->if_.cond, 1))
            return lower(l, s->if_.then);
        out->if_.then = lower(l, s->if_.then);
        out->if_.otherwise = s->if_.otherwise ? lower(l, s->if_.otherwise) : NULL;
        return out;
    case RLXC_STMT_LET:
        out->let.value = lower_expr(l, s->let.value);
        if (out->let.value->from_memory && !s->let.var->from_memory &&
            rlxc_dtype_is_int(s->let.var->dtype) &&
            rlxc_dtype_eq(s->let.var->dtype, out->let.value->dtype)) {
            out->let.var = rlxc_var_for(l->ctx, s->let.var->var.name, out->let.value);
            rlxc_map_set(l->ctx, &l->vars, rlxc_key(s->let.var), (void *)(uintptr_t)out->let.var);
        }
        return out;
    case RLXC_STMT_EVALUATE:
        out->evaluate = lower_expr(l, s->evaluate);
        return out;
    case RLXC_STMT_ASSERT:
        out->assert_.cond = lower_expr(l, s->assert_.cond);
        return out;
    case RLXC_STMT_ALLOCATE:
        out->allocate.extents = lower_exprs(l, s->allocate.extents, s->allocate.n);
        return out;
    case RLXC_STMT_DECL_BUFFER:
        return lower_decl(l, s);
    case RLXC_STMT_ATTR:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_FOR:
    case RLXC_STMT_STORE:
    case RLXC_STMT_BLOCK:
        break;
    }
    return s;
}

static const rlxc_stmt *lower(lowering *l, const rlxc_stmt *s)
{
    if (rlxc_failed(l->ctx))
        return s;
    if (l->depth >= RLXC_MAX_EXPR_DEPTH) {
        rlxc_error(l->ctx, s->range, "statements nest deeper than %d", RLXC_MAX_EXPR_DEPTH);
        return s;
    }
    rlxc_range outer = l->range;
    if (s->range.line)
        l->range = s->range;
    l->depth++;
    const rlxc_stmt *out;
    if (s->kind == RLXC_STMT_FOR)
        out = lower_loop(l, s);
    else if (s->kind == RLXC_STMT_STORE)
        out = lower_store(l, s);
    else if (s->kind == RLXC_STMT_BLOCK)
        out = lower_block(l, s, true);
    else
        out = lower_other(l, s);
    l->depth--;
    l->range = outer;
    return out;
}

bool rlxc_pass_lower_tir(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_prim_func *f = module->globals.items[i]->prim;
        if (!f)
            continue;
        const rlxc_target *target = rlxc_prim_target(ctx, f, options->target);
        lowering l = {.ctx = ctx, .range = f->range};
        l.cuts = rlxc_partition_begin(ctx, f->body, &l.bounds, simplified, &l);
        l.device = rlxc_target_is_device(target);
        l.copies = 1;
        if (l.device) /* threads take the same way */
            l.cuts.needed = false;
        const rlxc_stmt *body = lower(&l, l.device ? rlxc_sum_threads(ctx, f->body) : f->body);
        if (l.device)
            body = rlxc_tidy_threads(ctx, rlxc_bind_threads(ctx, f, &target->device, body));
        body = rlxc_merge_indices(ctx, body);
        f->body = rlxc_share_temporaries(ctx, body);
        if (!rlxc_verify_temporaries(ctx, body, f->body, f->range))
            return false;
    }
    return !rlxc_failed(ctx);
}

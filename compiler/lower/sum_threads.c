/* Reductions of blocks across threads, as schedules for GPUs write them:
 *
 *     for k in range(4):
 *         for tx in T.thread_binding(32, thread="threadIdx.x"):
 *             with T.block("sum"):
 *                 vi = T.axis.spatial(n, bx)
 *                 vk = T.axis.reduce(128, k * 32 + tx)
 *                 with T.init(): ...
 *                 o[vi] = o[vi] + a[vi, vk]
 *
 * Each thread sums its own terms in a register, from what changes nothing; the threads reduce what
 * they have (ir/thread_reduce.h), and one of them stores the result - or each, where it lies in
 * memory of each thread:
 *
 *     for tx in T.thread_binding(32, thread="threadIdx.x"):
 *         own[0] = 0
 *         for k in range(4):
 *             own[0] = own[0] + a[bx, k * 32 + tx]
 *         (allreduce of own[0] into all[0])
 *         if tx == 0:
 *             o[bx] = all[0]
 *
 * Where the kernel has more threads of an axis than the loops of the block, all of them come to the
 * steps; those beyond the loops have nothing to add.
 *
 * Blocks that it does not take stay as they are: lowering reports them. */
#include <string.h>

#include "compiler/ir/operation.h"
#include "compiler/ir/thread_reduce.h"
#include "compiler/lower/lower.h"

enum { MAX_NEST = 64, MAX_THREADS = 1 << 16 };

typedef struct summing {
    rlxc_context *ctx;
    RLXC_VEC(const rlxc_stmt *) around; /* loops bound to threads of a block */
    int64_t most[RLXC_THREAD_AXES];     /* constant extents of the kernel's axes */
    bool inside;                        /* of a kernel */
} summing;

typedef struct nest { /* loops from the first that the reduction uses, around a block with init */
    const rlxc_stmt *loops[MAX_NEST];
    bool reduces[MAX_NEST];
    uint32_t n;
    const rlxc_stmt *realize;
    const rlxc_block *block;
    const rlxc_expr *cond; /* of the threads that the loops had; NULL: all */
    rlxc_computation computes;
    rlxc_operation op;
} nest;

static bool is_thread(const rlxc_stmt *loop)
{
    return loop->loop.kind == RLXC_LOOP_BOUND &&
           rlxc_thread_axis(loop->loop.thread) >= RLXC_THREAD_IDX;
}

static int64_t constant_threads(const rlxc_stmt *loop)
{
    int64_t n;
    return rlxc_is_int(loop->loop.extent, &n) ? n : 0;
}

static bool note_threads(void *user, const rlxc_stmt *s)
{
    summing *p = user;
    if (s->kind == RLXC_STMT_FOR && s->loop.kind == RLXC_LOOP_BOUND) {
        const int axis = rlxc_thread_axis(s->loop.thread);
        if (axis >= 0 && constant_threads(s) > p->most[axis])
            p->most[axis] = constant_threads(s);
    }
    return true;
}

static const rlxc_expr *both(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return !a ? b : !b ? a : rlxc_binary(ctx, RLXC_EXPR_AND, a, b);
}

/* Gives the nest's loops all threads of their axes. */
static void widen(const summing *s, nest *n)
{
    rlxc_context *ctx = s->ctx;
    n->cond = NULL;
    for (uint32_t i = 0; i < n->n; i++) {
        const rlxc_stmt *loop = n->loops[i];
        if (!is_thread(loop) || constant_threads(loop) < 1 ||
            constant_threads(loop) >= s->most[rlxc_thread_axis(loop->loop.thread)])
            continue;
        const rlxc_expr *var = loop->loop.var;
        const rlxc_expr *end = rlxc_add(ctx, loop->loop.min, loop->loop.extent);
        n->cond = both(ctx, n->cond, rlxc_binary(ctx, RLXC_EXPR_LT, var, end));
        rlxc_stmt *wide = rlxc_copy(ctx, loop, sizeof *wide);
        wide->loop.extent =
            rlxc_int(ctx, loop->loop.extent->dtype, s->most[rlxc_thread_axis(loop->loop.thread)]);
        n->loops[i] = wide;
    }
}

/* Whether axes of |kind| use |var|. */
static bool serves(const summing *s, const nest *n, rlxc_axis_kind kind, const rlxc_expr *var)
{
    for (uint32_t k = 0; k < n->block->n_axes; k++)
        if (n->block->axes[k].kind == kind &&
            rlxc_expr_uses_var(s->ctx, n->realize->block.values[k], var))
            return true;
    return false;
}

/* Whether threads take part in the reduction. */
static bool crosses_threads(const summing *s, const nest *n)
{
    for (uint32_t i = 0; i < n->n; i++)
        if (n->reduces[i] && is_thread(n->loops[i]))
            return true;
    for (uint32_t i = 0; i < s->around.count; i++)
        if (serves(s, n, RLXC_AXIS_REDUCE, s->around.items[i]->loop.var))
            return true;
    return false;
}

/* --- what is reduced -------------------------------------------------------------------------- */

static bool find_use(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_LOAD;
    return !*found;
}

static bool is_neutral(const summing *s, const nest *n)
{
    bool found = false;
    rlxc_expr_visit(s->ctx, n->computes.init, find_use, &found);
    return !found && rlxc_parts_may_begin_at(n->op.combine, n->computes.init);
}

/* The nest that begins at |s|, if it is a reduction across threads. */
static bool find_nest(const summing *s, const rlxc_stmt *at, nest *out)
{
    out->n = 0;
    for (; at->kind == RLXC_STMT_FOR && out->n < MAX_NEST; at = at->loop.body)
        out->loops[out->n++] = at;
    if (at->kind != RLXC_STMT_BLOCK || !at->block.block->init)
        return false;
    out->realize = at;
    out->block = at->block.block;
    for (uint32_t i = 0; i < out->n; i++) {
        const rlxc_expr *var = out->loops[i]->loop.var;
        out->reduces[i] = serves(s, out, RLXC_AXIS_REDUCE, var);
        if (out->loops[i]->loop.kind == RLXC_LOOP_BOUND
                ? !is_thread(out->loops[i])
                : !out->reduces[i] || serves(s, out, RLXC_AXIS_SPATIAL, var))
            return false;
    }
    return (out->n == 0 || out->reduces[0] || is_thread(out->loops[0])) &&
           crosses_threads(s, out) &&
           rlxc_computation_of(s->ctx, out->block, &out->computes, NULL) &&
           rlxc_operation_recognise(s->ctx, &out->computes, &out->op, NULL) && is_neutral(s, out);
}

/* --- the new statements ----------------------------------------------------------------------- */

typedef struct statements {
    rlxc_context *ctx;
    RLXC_VEC(const rlxc_stmt *) items;
} statements;

static void push(statements *b, const rlxc_stmt *s)
{
    RLXC_PUSH(b->ctx, &b->items, s);
}

/* One element for each thread: its place. */
static const rlxc_expr *own_element(statements *b, const char *name, rlx_dtype dtype)
{
    const rlxc_expr *one = rlxc_int(b->ctx, RLX_I32, 1), *zero = rlxc_int(b->ctx, RLX_I32, 0);
    rlxc_buffer *memory = rlxc_buffer_new(b->ctx, rlxc_intern_cstr(b->ctx, name), dtype, &one, 1);
    memory->scope = rlxc_intern_cstr(b->ctx, "local");
    push(b, rlxc_stmt_allocate(b->ctx, memory));
    return rlxc_load(b->ctx, memory, &zero, 1);
}

static const rlxc_stmt *store(rlxc_context *ctx, const rlxc_expr *to, const rlxc_expr *value)
{
    return rlxc_stmt_store(ctx, to->load.buffer, to->load.indices, to->load.n, value);
}

/* The block without init, which combines into |own|, in its loops that are not threads. */
static const rlxc_stmt *own_terms(const summing *s, const nest *n, const rlxc_expr *own)
{
    rlxc_context *ctx = s->ctx;
    rlxc_block *block = rlxc_copy(ctx, n->block, sizeof *block);
    rlxc_stmt *realize = rlxc_copy(ctx, n->realize, sizeof *realize);
    rlxc_axis *axes = rlxc_copy(ctx, block->axes, block->n_axes * sizeof *axes);
    for (uint32_t k = 0; k < block->n_axes; k++)
        axes[k].kind = RLXC_AXIS_OPAQUE; /* each thread has the terms that it has */
    block->axes = axes;
    block->init = NULL;
    block->annotations = rlxc_with_tag(ctx, block->annotations, NULL);
    block->has_reads = block->has_writes = false;
    block->n_reads = block->n_writes = 0;
    block->body = store(ctx, own, rlxc_binary(ctx, n->op.combine, own, n->op.term));
    realize->block.block = block;
    const rlxc_stmt *out = realize;
    for (uint32_t i = n->n; i-- > 0;) {
        if (is_thread(n->loops[i]))
            continue;
        rlxc_stmt *copy = rlxc_copy(ctx, n->loops[i], sizeof *copy);
        copy->loop.body = out;
        out = copy;
    }
    return n->cond ? rlxc_stmt_if(ctx, n->cond, out, NULL) : out;
}

/* number = number * extent + thread; false if the extent is not a small constant. */
static bool add_digit(rlxc_context *ctx, const rlxc_stmt *loop, const rlxc_expr **number,
                      uint32_t *count)
{
    int64_t n;
    if (!rlxc_is_int(loop->loop.extent, &n) || n < 1 || n > MAX_THREADS / *count)
        return false;
    *count *= (uint32_t)n;
    const rlxc_expr *at = rlxc_cast(ctx, RLX_I32, rlxc_sub(ctx, loop->loop.var, loop->loop.min));
    *number = rlxc_add(ctx, rlxc_mul(ctx, *number, rlxc_int(ctx, RLX_I32, n)), at);
    return true;
}

/* Numbers the threads that are reduced together, and the groups by the other threads. */
static bool number_threads(const summing *s, const nest *n, rlxc_thread_reduction *r)
{
    r->thread = r->group = rlxc_int(s->ctx, RLX_I32, 0);
    r->threads = r->groups = 1;
    for (uint32_t i = 0; i < s->around.count + n->n; i++) {
        const rlxc_stmt *loop =
            i < s->around.count ? s->around.items[i] : n->loops[i - s->around.count];
        if (!is_thread(loop))
            continue;
        const bool reduces = serves(s, n, RLXC_AXIS_REDUCE, loop->loop.var);
        if ((reduces && serves(s, n, RLXC_AXIS_SPATIAL, loop->loop.var)) ||
            !add_digit(s->ctx, loop, reduces ? &r->thread : &r->group,
                       reduces ? &r->threads : &r->groups))
            return false;
    }
    return r->threads <= MAX_THREADS / r->groups;
}

/* The conditions of a predicate that no reduction axis takes part in; NULL: none. */
static const rlxc_expr *of_results(const summing *s, const nest *n, const rlxc_expr *predicate)
{
    if (!predicate)
        return NULL;
    if (predicate->kind == RLXC_EXPR_AND)
        return both(s->ctx, of_results(s, n, predicate->bin.a), of_results(s, n, predicate->bin.b));
    for (uint32_t i = 0; i < s->around.count + n->n; i++) {
        const rlxc_expr *var =
            (i < s->around.count ? s->around.items[i] : n->loops[i - s->around.count])->loop.var;
        if (serves(s, n, RLXC_AXIS_REDUCE, var) && rlxc_expr_uses_var(s->ctx, predicate, var))
            return NULL;
    }
    return predicate;
}

/* The store of the block, of |value|, by one of the threads that have it, or by each for itself. */
static const rlxc_stmt *result(const summing *s, const nest *n, const rlxc_thread_reduction *r,
                               const rlxc_expr *value)
{
    rlxc_context *ctx = s->ctx;
    const rlxc_buffer *out = n->computes.out;
    const rlxc_expr **at = rlxc_try_alloc(ctx, (size_t)out->ndim + 1, sizeof *at);
    const rlxc_expr *cond = both(ctx, n->cond, of_results(s, n, n->realize->block.predicate));
    if (!at)
        return n->realize;
    for (uint32_t d = 0; d < out->ndim; d++) {
        at[d] = n->computes.indices[d];
        for (uint32_t k = 0; k < n->block->n_axes; k++) {
            const rlxc_expr *var = n->block->axes[k].var;
            const rlxc_expr *now = rlxc_cast(ctx, var->dtype, n->realize->block.values[k]);
            at[d] = rlxc_substitute(ctx, at[d], &var, &now, 1);
        }
    }
    if (!out->scope || strncmp(out->scope, "local", strlen("local")) != 0) {
        const rlxc_expr *first =
            rlxc_binary(ctx, RLXC_EXPR_EQ, r->thread, rlxc_int(ctx, RLX_I32, 0));
        cond = both(ctx, cond, first);
    }
    const rlxc_stmt *stored = rlxc_stmt_store(ctx, out, at, out->ndim, value);
    return cond ? rlxc_stmt_if(ctx, cond, stored, NULL) : stored;
}

static const rlxc_stmt *across_threads(const summing *s, const nest *n)
{
    rlxc_context *ctx = s->ctx;
    const rlx_dtype dtype = n->computes.out->dtype;
    const rlxc_expr *x = rlxc_var(ctx, "x", dtype), *y = rlxc_var(ctx, "y", dtype);
    const rlxc_reducer reducer = {.n = 1,
                                  .x = {x},
                                  .y = {y},
                                  .result = {rlxc_binary(ctx, n->op.combine, x, y)},
                                  .identity = {n->computes.init}};
    rlxc_thread_reduction r = {.reducer = &reducer};
    if (!number_threads(s, n, &r))
        return NULL;
    statements b = {.ctx = ctx};
    const rlxc_expr *own = own_element(&b, "own", dtype);
    push(&b, store(ctx, own, n->computes.init));
    push(&b, own_terms(s, n, own));
    r.value[0] = own;
    r.out[0] = own_element(&b, "all", dtype);
    push(&b, rlxc_reduce_threads(ctx, &r));
    push(&b, result(s, n, &r, r.out[0]));
    const rlxc_stmt *out = rlxc_stmt_seq(ctx, b.items.items, b.items.count);
    for (uint32_t i = n->n; i-- > 0;) {
        if (!is_thread(n->loops[i]))
            continue;
        rlxc_stmt *copy = rlxc_copy(ctx, n->loops[i], sizeof *copy);
        copy->loop.body = out;
        out = copy;
    }
    return out;
}

/* --- the walk --------------------------------------------------------------------------------- */

static const rlxc_stmt *visit(summing *s, const rlxc_stmt *at);

static const rlxc_stmt *visit_kids(summing *s, const rlxc_stmt *at)
{
    rlxc_stmt *out = rlxc_copy(s->ctx, at, sizeof *out);
    if (at->kind == RLXC_STMT_SEQ) {
        const rlxc_stmt **items = rlxc_try_alloc(s->ctx, (size_t)at->seq.n + 1, sizeof *items);
        for (uint32_t i = 0; items && i < at->seq.n; i++)
            items[i] = visit(s, at->seq.items[i]);
        return items ? rlxc_stmt_seq(s->ctx, items, at->seq.n) : at;
    }
    if (at->kind == RLXC_STMT_FOR) {
        const uint32_t mark = s->around.count;
        if (is_thread(at))
            RLXC_PUSH(s->ctx, &s->around, at);
        out->loop.body = visit(s, at->loop.body);
        s->around.count = mark;
    } else if (at->kind == RLXC_STMT_IF) {
        out->if_.then = visit(s, at->if_.then);
        out->if_.otherwise = at->if_.otherwise ? visit(s, at->if_.otherwise) : NULL;
    } else if (at->kind == RLXC_STMT_WHILE) {
        out->while_.body = visit(s, at->while_.body);
    } else if (at->kind == RLXC_STMT_BLOCK) {
        rlxc_block *block = rlxc_copy(s->ctx, at->block.block, sizeof *block);
        block->body = visit(s, block->body);
        out->block.block = block;
    }
    return out;
}

static const rlxc_stmt *visit(summing *s, const rlxc_stmt *at)
{
    nest n;
    const rlxc_stmt *out = NULL;
    const bool kernel = at->kind == RLXC_STMT_FOR && at->loop.kind == RLXC_LOOP_BOUND && !s->inside;
    if (rlxc_failed(s->ctx))
        return at;
    if (kernel) {
        s->inside = true;
        memset(s->most, 0, sizeof s->most);
        rlxc_stmt_visit(at, note_threads, s);
    }
    if ((at->kind == RLXC_STMT_FOR || at->kind == RLXC_STMT_BLOCK) && find_nest(s, at, &n)) {
        widen(s, &n);
        out = across_threads(s, &n);
    }
    out = out ? out : visit_kids(s, at);
    s->inside = s->inside && !kernel;
    return out;
}

const rlxc_stmt *rlxc_sum_threads(rlxc_context *ctx, const rlxc_stmt *body)
{
    summing s = {.ctx = ctx};
    return rlxc_has_threads(body) ? visit(&s, body) : body;
}

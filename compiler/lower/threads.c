/* The last changes to a lowered function of a device.
 *
 * Memory of scope "local" is each thread's own. In a loop of blocks of threads it may hold the part
 * of every thread, at indices that tell the threads apart; then a thread needs its own part only:
 *
 *     s = T.allocate([64, 16], "float32", "local")     ->   s = T.allocate([4, 1], ...)
 *     for t in T.thread_binding(16, "threadIdx.y"): s[t * 4 + i, ...]   ->   s[i, ...]
 *
 * Conditions that a loop does not change go around it, and neighbours with the same condition share
 * it. */
#include "compiler/lower/lower.h"

#include <string.h>

enum { MAX_DIMS = 8, THREADS = RLXC_THREAD_AXES - RLXC_THREAD_IDX };

/* --- memory of threads ------------------------------------------------------------------------ */

typedef struct dimension { /* how a thread is found in an index: sum of by[axis] * thread + rest */
    int64_t by[THREADS];
    int64_t size;  /* of the rest */
    int64_t apart; /* the rests of a thread are multiples of this */
} dimension;

typedef struct privates { /* of one allocation */
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    rlxc_bounds bounds;                         /* of all loops */
    RLXC_VEC(const rlxc_stmt *) threads, found; /* loops of threads; allocations outside of them */
    dimension dims[MAX_DIMS];
    rlxc_buffer *small;
    bool any, ok;
} privates;

/* The index without its threads; their factors go to |by|, their number to |extents|. */
static const rlxc_expr *without_threads(privates *p, const rlxc_expr *index, int64_t by[THREADS],
                                        int64_t extents[THREADS])
{
    for (int a = 0; a < THREADS; a++)
        by[a] = 0;
    for (uint32_t i = 0; i < p->threads.count; i++) {
        const rlxc_stmt *loop = p->threads.items[i];
        const int a = rlxc_thread_axis(loop->loop.thread) - RLXC_THREAD_IDX;
        const rlxc_expr *rest;
        if (!rlxc_expr_uses_var(p->ctx, index, loop->loop.var))
            continue;
        if (by[a] || !rlxc_linear_in(p->ctx, index, loop->loop.var, &by[a], &rest) || by[a] < 1 ||
            !rlxc_is_int(loop->loop.extent, &extents[a]))
            return NULL;
        index = rest;
    }
    return rlxc_simplify(p->ctx, index, &p->bounds);
}

static bool divides(privates *p, int64_t by, const rlxc_expr *rest)
{
    const rlxc_expr *left =
        rlxc_binary(p->ctx, RLXC_EXPR_FLOORMOD, rest, rlxc_int(p->ctx, rest->dtype, by));
    return rlxc_prove_eq(p->ctx, left, rlxc_int(p->ctx, rest->dtype, 0), &p->bounds);
}

/* The product of the extents of threads whose factors are a number system from 1 up, which are
 * taken out of |by|; 0: overflow. */
static int64_t low_digits(int64_t by[THREADS], const int64_t extents[THREADS])
{
    int64_t low = 1;
    for (int a = 0; a < THREADS; a++)
        if (by[a] == low) {
            if (extents[a] < 2 || __builtin_mul_overflow(low, extents[a], &low))
                return 0;
            by[a] = 0;
            a = -1;
        }
    return low;
}

/* Whether the low digits of an index, or the high ones, identify the thread, as in all accesses
 * before. */
static bool note_index(privates *p, const rlxc_expr *index, dimension *d)
{
    int64_t by[THREADS], extents[THREADS], above = INT64_MAX;
    const rlxc_expr *rest = without_threads(p, index, by, extents);
    if (!rest || (p->any && memcmp(by, d->by, sizeof by) != 0))
        return false;
    memcpy(d->by, by, sizeof by);
    const rlxc_bound range = rlxc_bound_of(p->ctx, rest, &p->bounds);
    const int64_t low = low_digits(by, extents);
    for (int a = 0; a < THREADS; a++)
        if (by[a] && by[a] < above)
            above = by[a];
    if (low == 0 || range.min < 0 || range.max == INT64_MAX || range.max >= above ||
        (p->any && low != d->apart) || (low > 1 && !divides(p, low, rest)))
        return false;
    d->apart = low;
    d->size = range.max / low + 1 > d->size ? range.max / low + 1 : d->size;
    return true;
}

static void note_access(privates *p, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                        uint32_t n)
{
    if (buffer->data != p->buffer->data)
        return;
    p->ok = p->ok && buffer == p->buffer;
    for (uint32_t i = 0; i < n && p->ok; i++)
        p->ok = note_index(p, indices[i], &p->dims[i]);
    p->any = true;
}

static bool note_load(void *user, const rlxc_expr *e)
{
    privates *p = user;
    if (e->kind == RLXC_EXPR_LOAD)
        note_access(p, e->load.buffer, e->load.indices, e->load.n);
    if (e->kind == RLXC_EXPR_VAR && e == p->buffer->data) /* its address */
        p->ok = false;
    return p->ok;
}

/* Rewrites nothing. */
static const rlxc_expr *note_expr(void *user, const rlxc_expr *e)
{
    privates *p = user;
    if (e != p->buffer->data) /* where it is allocated */
        rlxc_expr_visit(p->ctx, e, note_load, p);
    return NULL;
}

static const rlxc_stmt *note_stmt(void *user, const rlxc_stmt *s)
{
    privates *p = user;
    if (s->kind == RLXC_STMT_STORE)
        note_access(p, s->store.buffer, s->store.indices, s->store.n);
    if (s->kind == RLXC_STMT_DECL_BUFFER && s->decl != p->buffer &&
        s->decl->data == p->buffer->data)
        p->ok = false;
    return NULL;
}

static void own_part(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    privates *p = user;
    int64_t by[THREADS], extents[THREADS];
    for (uint32_t i = 0; i < p->buffer->ndim; i++) {
        const rlxc_expr *rest = without_threads(p, at[i], by, extents);
        const rlxc_expr *number = rlxc_binary(p->ctx, RLXC_EXPR_FLOORDIV, rest,
                                              rlxc_int(p->ctx, rest->dtype, p->dims[i].apart));
        out[i] = rlxc_simplify(p->ctx, number, &p->bounds);
    }
}

static const rlxc_stmt *smaller(void *user, const rlxc_stmt *s)
{
    const privates *p = user;
    if (s->kind == RLXC_STMT_ALLOCATE && s->allocate.var == p->buffer->data) {
        rlxc_stmt *out = rlxc_copy(p->ctx, s, sizeof *out);
        out->allocate.extents = p->small->shape;
        return out;
    }
    if (s->kind != RLXC_STMT_DECL_BUFFER || s->decl != p->buffer)
        return NULL;
    rlxc_stmt *out = rlxc_copy(p->ctx, s, sizeof *out);
    out->decl = p->small;
    return out;
}

/* The body with only each thread's own part of |buffer|; unchanged if that is not proved to be
   enough. */
static const rlxc_stmt *own_parts(privates *p, const rlxc_stmt *body, const rlxc_buffer *buffer)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_expr *shape[MAX_DIMS];
    bool threads = false;
    if (buffer->ndim > MAX_DIMS || buffer->strides || buffer->elem_offset)
        return body;
    p->buffer = buffer;
    p->any = false;
    p->ok = true;
    memset(p->dims, 0, sizeof p->dims);
    (void)rlxc_stmt_rewrite(ctx, body,
                            &(rlxc_stmt_rewriter){.user = p, .expr = note_expr, .stmt = note_stmt});
    for (uint32_t i = 0; i < buffer->ndim && p->ok && p->any; i++) {
        shape[i] = rlxc_i64(ctx, p->dims[i].size);
        for (int a = 0; a < THREADS; a++)
            threads = threads || p->dims[i].by[a] > 0;
    }
    if (!p->ok || !threads)
        return body;
    p->small = rlxc_copy(ctx, buffer, sizeof *buffer);
    p->small->shape = rlxc_copy(ctx, shape, buffer->ndim * sizeof *shape);
    const rlxc_redirection r = {ctx, buffer, p->small, own_part, p, false};
    body = rlxc_redirect_stmt(&r, body);
    return rlxc_stmt_rewrite(ctx, body, &(rlxc_stmt_rewriter){.user = p, .stmt = smaller});
}

static bool is_thread_loop(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_FOR && s->loop.kind == RLXC_LOOP_BOUND &&
           rlxc_thread_axis(s->loop.thread) >= RLXC_THREAD_IDX;
}

static bool note_loop(void *user, const rlxc_stmt *s)
{
    privates *p = user;
    if (s->kind != RLXC_STMT_FOR)
        return true;
    if (is_thread_loop(s))
        RLXC_PUSH(p->ctx, &p->threads, s);
    const rlxc_bound low = rlxc_bound_of(p->ctx, s->loop.min, &p->bounds);
    const rlxc_bound count = rlxc_bound_of(p->ctx, s->loop.extent, &p->bounds);
    rlxc_bound range = {low.min, INT64_MAX};
    if (low.max == INT64_MAX || count.max == INT64_MAX || count.max < 1 ||
        __builtin_add_overflow(low.max, count.max - 1, &range.max))
        range.max = INT64_MAX;
    rlxc_bounds_set(p->ctx, &p->bounds, s->loop.var, range);
    return true;
}

static bool note_outside(void *user, const rlxc_stmt *s)
{
    privates *p = user;
    if (s->kind == RLXC_STMT_DECL_BUFFER && s->decl->scope && strcmp(s->decl->scope, "local") == 0)
        RLXC_PUSH(p->ctx, &p->found, s);
    return !is_thread_loop(s);
}

/* --- conditions ------------------------------------------------------------------------------- */

static bool find_load(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || e->kind == RLXC_EXPR_LOAD || e->kind == RLXC_EXPR_CALL;
    return !*found;
}

/* A condition alone, without another branch, that reads no memory. */
static bool is_guard(rlxc_context *ctx, const rlxc_stmt *s)
{
    bool found = false;
    if (s->kind != RLXC_STMT_IF || s->if_.otherwise)
        return false;
    rlxc_expr_visit(ctx, s->if_.cond, find_load, &found);
    return !found;
}

/* The condition without the constants of its conjunctions. */
static const rlxc_expr *decided(rlxc_context *ctx, const rlxc_expr *cond)
{
    if (cond->kind != RLXC_EXPR_AND)
        return cond;
    const rlxc_expr *a = decided(ctx, cond->bin.a), *b = decided(ctx, cond->bin.b);
    if (rlxc_is_const(a, 0) || rlxc_is_const(b, 1))
        return a;
    if (rlxc_is_const(b, 0) || rlxc_is_const(a, 1))
        return b;
    return a == cond->bin.a && b == cond->bin.b ? cond : rlxc_binary(ctx, RLXC_EXPR_AND, a, b);
}

/* A loop around a guard that it does not change; neighbours with the same guard. */
static const rlxc_stmt *outer_guard(void *user, const rlxc_stmt *s)
{
    rlxc_context *ctx = user;
    if (s->kind == RLXC_STMT_IF) {
        const rlxc_expr *cond = decided(ctx, s->if_.cond);
        return rlxc_is_const(cond, 1) ? s->if_.then
               : rlxc_is_const(cond, 0)
                   ? s->if_.otherwise ? s->if_.otherwise : rlxc_stmt_nothing(ctx)
               : cond != s->if_.cond ? rlxc_stmt_if(ctx, cond, s->if_.then, s->if_.otherwise)
                                     : NULL;
    }
    if (s->kind == RLXC_STMT_FOR && s->loop.kind != RLXC_LOOP_BOUND &&
        is_guard(ctx, s->loop.body) &&
        !rlxc_expr_uses_var(ctx, s->loop.body->if_.cond, s->loop.var) &&
        !rlxc_has_threads(s->loop.body)) {
        rlxc_stmt *loop = rlxc_copy(ctx, s, sizeof *loop);
        loop->loop.body = s->loop.body->if_.then;
        return rlxc_stmt_if(ctx, s->loop.body->if_.cond, loop, NULL);
    }
    if (s->kind != RLXC_STMT_SEQ)
        return NULL;
    const rlxc_stmt **items = rlxc_try_alloc(ctx, (size_t)s->seq.n + 1, sizeof *items);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->seq.n && items; i++) {
        const rlxc_stmt *last = n ? items[n - 1] : NULL, *now = s->seq.items[i];
        if (rlxc_stmt_is_nothing(now))
            continue;
        if (last && is_guard(ctx, last) && is_guard(ctx, now) && last->if_.cond == now->if_.cond) {
            const rlxc_stmt *both[2] = {last->if_.then, now->if_.then};
            items[n - 1] = rlxc_stmt_if(ctx, now->if_.cond, rlxc_stmt_seq(ctx, both, 2), NULL);
        } else {
            items[n++] = now;
        }
    }
    return items && n > 0 && n < s->seq.n ? rlxc_stmt_seq(ctx, items, n) : NULL;
}

const rlxc_stmt *rlxc_tidy_threads(rlxc_context *ctx, const rlxc_stmt *body)
{
    privates p = {.ctx = ctx};
    rlxc_stmt_visit(body, note_loop, &p);
    rlxc_stmt_visit(body, note_outside, &p);
    for (uint32_t i = 0; i < p.found.count && !rlxc_failed(ctx); i++)
        body = own_parts(&p, body, p.found.items[i]->decl);
    return rlxc_stmt_rewrite(ctx, body, &(rlxc_stmt_rewriter){.user = ctx, .stmt = outer_guard});
}

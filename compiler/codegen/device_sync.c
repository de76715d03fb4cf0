/* Barriers for memory that the threads of a block share.
 *
 * One walk in the order of execution keeps the accesses since the last barrier. A statement that
 * reads what these accesses wrote, or writes what they accessed, gets a barrier before it; a loop
 * body whose end conflicts with its start in this way gets one at its start. Two accesses through
 * indices that identify the thread, such as threadIdx.x plus a multiple of the number of threads,
 * need no barrier: they conflict only within a thread. Barriers in the program are taken into
 * account.
 *
 * All threads of a block must reach a barrier. Under a condition that differs between threads, and
 * in a loop of threads shorter than the block, one that is needed is an error. */
#include <string.h>

#include "compiler/codegen/device_launch.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/mma.h"
#include "compiler/ir/sym.h"

typedef struct access {
    const rlxc_buffer *buffer;
    const rlxc_expr *const *indices;
    uint32_t n;
    bool is_write;
} access;

typedef struct accesses {
    RLXC_VEC(access) all;
} accesses;

typedef struct walker {
    rlxc_context *ctx;
    const rlxc_prim_func *f;
    const rlxc_launch *launch;
    rlxc_map varying;                       /* variables with a value of each thread */
    RLXC_VEC(const rlxc_expr *) threads[3]; /* variables of each axis of a block */
    accesses pending;                       /* since the last barrier */
    uint32_t divergent;
    rlxc_range range; /* of the last statement that has one */
    bool has_shared, refused;
} walker;

bool rlxc_is_barrier(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, "tvm_storage_sync") == 0;
}

bool rlxc_is_shared(const char *scope)
{
    return scope && strncmp(scope, "shared", 6) == 0;
}

/* --- accesses --------------------------------------------------------------------------------- */

typedef struct gather {
    walker *w;
    accesses *out;
} gather;

static void add(gather *g, const rlxc_buffer *b, const rlxc_expr *const *indices, uint32_t n,
                bool is_write)
{
    if (!rlxc_is_shared(b->scope))
        return;
    g->w->has_shared = true;
    const access a = {b, indices, n, is_write};
    RLXC_PUSH(g->w->ctx, &g->out->all, a);
}

static bool add_load(void *user, const rlxc_expr *e)
{
    gather *g = user;
    if (e->kind == RLXC_EXPR_LOAD)
        add(g, e->load.buffer, e->load.indices, e->load.n, rlxc_dtype_is_handle(e->dtype));
    for (uint32_t i = 0; e->kind == RLXC_EXPR_CALL && i < e->call.n; i++) {
        const rlxc_expr *a = e->call.args[i];
        if (a->kind == RLXC_EXPR_LOAD && rlxc_dtype_is_handle(e->dtype)) /* address_of */
            add(g, a->load.buffer, a->load.indices, a->load.n, true);
    }
    return true;
}

static void add_expr(void *user, const rlxc_expr *e)
{
    gather *g = user;
    if (!rlxc_mma_has_matrices(e)) {
        rlxc_expr_visit(g->w->ctx, e, add_load, g);
        return;
    }
    for (uint32_t k = 0; k < RLXC_MMA_MATRICES; k++) { /* by address, but only the sums change */
        const rlxc_expr *matrix = rlxc_mma_matrix(e, k);
        add(g, matrix->load.buffer, matrix->load.indices, matrix->load.n, k == RLXC_MMA_C);
    }
}

static bool add_stmt(void *user, const rlxc_stmt *s)
{
    gather *g = user;
    rlxc_stmt_exprs(s, add_expr, g);
    if (s->kind == RLXC_STMT_STORE)
        add(g, s->store.buffer, s->store.indices, s->store.n, true);
    return true;
}

static accesses of_stmt(walker *w, const rlxc_stmt *s)
{
    accesses out = {0};
    gather g = {w, &out};
    rlxc_stmt_visit(s, add_stmt, &g);
    return out;
}

static accesses of_expr(walker *w, const rlxc_expr *e)
{
    accesses out = {0};
    gather g = {w, &out};
    add_expr(&g, e);
    return out;
}

/* The threads in an index: factor[axis] times the thread's number, and the rest. */
typedef struct digits {
    int64_t factor[3];
    const rlxc_expr *rest;
} digits;

static digits digits_of(const walker *w, const rlxc_expr *index)
{
    digits d = {.rest = index};
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t t = 0; t < w->threads[axis].count; t++) {
            int64_t factor = 0;
            const rlxc_expr *rest = NULL;
            if (d.factor[axis] == 0 &&
                rlxc_linear_in(w->ctx, d.rest, w->threads[axis].items[t], &factor, &rest)) {
                d.factor[axis] = factor;
                d.rest = factor ? rest : d.rest;
            }
        }
    return d;
}

/* True if |e| is less than |below| beyond a multiple of |of|. */
static bool is_near_multiple(const walker *w, const rlxc_expr *e, int64_t of, int64_t below)
{
    int64_t left;
    const rlxc_expr *by = rlxc_int(w->ctx, e->dtype, of);
    return rlxc_is_int(rlxc_canonical(w->ctx, rlxc_binary(w->ctx, RLXC_EXPR_FLOORMOD, e, by), NULL),
                       &left) &&
           left < below;
}

/* Marks the axes whose threads the index identifies in both accesses. The index is the number of
 * one thread plus the same constant, or the numbers of threads are its digits, above digits of less
 * than |low| and below all others. */
static void tell_threads(const walker *w, const rlxc_expr *a, const rlxc_expr *b, bool told[3])
{
    const digits x = digits_of(w, a), y = digits_of(w, b);
    int64_t low = INT64_MAX, end;
    int n = 0, one = 0, n_digits = 0;
    bool is_digit[3] = {false, false, false};
    if (memcmp(x.factor, y.factor, sizeof x.factor) != 0)
        return;
    for (int axis = 0; axis < 3; axis++) {
        n += x.factor[axis] != 0;
        one = x.factor[axis] ? axis : one;
        low = x.factor[axis] && x.factor[axis] < low ? x.factor[axis] : low;
    }
    end = low;
    for (int axis = 0; axis < 3 && low > 0; axis++) {
        int64_t extent;
        if (is_digit[axis] || x.factor[axis] != end ||
            !rlxc_is_int(w->launch->block[axis], &extent) || extent < 2)
            continue;
        if (__builtin_mul_overflow(end, extent, &end))
            return;
        is_digit[axis] = true;
        n_digits++;
        axis = -1;
    }
    if (n == 1 && x.rest == y.rest && x.rest->kind == RLXC_EXPR_INT)
        told[one] = true;
    else if (n > 0 && n == n_digits && is_near_multiple(w, x.rest, end, low) &&
             is_near_multiple(w, y.rest, end, low))
        for (int axis = 0; axis < 3; axis++)
            told[axis] |= is_digit[axis];
}

/* True if no two different threads access the same element at these indices. */
static bool is_own(const walker *w, const access *a, const access *b)
{
    bool told[3] = {false, false, false};
    if (a->n != b->n || a->buffer != b->buffer)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        tell_threads(w, a->indices[i], b->indices[i], told);
    for (int axis = 0; axis < 3; axis++)
        if (w->threads[axis].count > 0 && !told[axis])
            return false;
    return true;
}

static bool varies(const walker *w, const rlxc_expr *e);

/* Elements for each index of the first dimension; 0: not known. */
static int64_t elements_of_place(const rlxc_buffer *b)
{
    int64_t all = 1, extent;
    for (uint32_t d = 1; d < b->ndim; d++)
        if (!rlxc_is_int(b->shape[d], &extent) || __builtin_mul_overflow(all, extent, &all))
            return 0;
    return b->strides || b->elem_offset ? 0 : all;
}

/* True if the accesses, in one iteration of the loops around both, are in different places of a
 * buffer with several places: their first indices are remainders by the number of places, and
 * differ by a constant that is not a multiple of it. */
static bool are_apart(const walker *w, const access *x, const access *y)
{
    int64_t places, others, distance;
    if (x->n == 0 || y->n == 0 || x->n != x->buffer->ndim || y->n != y->buffer->ndim ||
        elements_of_place(x->buffer) == 0 || !rlx_dtype_eq(x->buffer->dtype, y->buffer->dtype) ||
        elements_of_place(x->buffer) != elements_of_place(y->buffer))
        return false;
    const rlxc_expr *a = x->indices[0], *b = y->indices[0];
    return a->kind == RLXC_EXPR_FLOORMOD && b->kind == RLXC_EXPR_FLOORMOD &&
           rlxc_is_int(a->bin.b, &places) && rlxc_is_int(b->bin.b, &others) && places == others &&
           places > 1 && !varies(w, a) && !varies(w, b) &&
           rlxc_is_int(rlxc_canonical(w->ctx, rlxc_sub(w->ctx, a->bin.a, b->bin.a), NULL),
                       &distance) &&
           distance % places != 0;
}

/* |same_turn|: no loop around both has gone on between them. */
static bool meet(const walker *w, const accesses *a, const accesses *b, bool same_turn)
{
    for (uint32_t i = 0; i < a->all.count; i++)
        for (uint32_t k = 0; k < b->all.count; k++) {
            const access *x = &a->all.items[i], *y = &b->all.items[k];
            if (x->buffer->data == y->buffer->data && (x->is_write || y->is_write) &&
                !is_own(w, x, y) && !(same_turn && are_apart(w, x, y)))
                return true;
        }
    return false;
}

static bool has(const accesses *a, const access *x)
{
    for (uint32_t i = 0; i < a->all.count; i++) {
        const access *y = &a->all.items[i];
        bool same = y->buffer == x->buffer && y->is_write == x->is_write && y->n == x->n;
        for (uint32_t k = 0; same && k < x->n; k++)
            same = y->indices[k] == x->indices[k];
        if (same)
            return true;
    }
    return false;
}

/* Each access once: the ways through a row of branches are many. */
static void join(walker *w, accesses *io, const accesses *more)
{
    for (uint32_t i = 0; i < more->all.count; i++)
        if (!has(io, &more->all.items[i]))
            RLXC_PUSH(w->ctx, &io->all, more->all.items[i]);
}

static accesses copy_of(walker *w, const accesses *a)
{
    accesses out = {0};
    join(w, &out, a);
    return out;
}

/* --- threads ---------------------------------------------------------------------------------- */

typedef struct varying_search {
    const walker *w;
    bool found;
} varying_search;

static bool find_varying(void *user, const rlxc_expr *e)
{
    varying_search *u = user;
    u->found = u->found || e->kind == RLXC_EXPR_LOAD ||
               (e->kind == RLXC_EXPR_VAR && rlxc_map_get(&u->w->varying, rlxc_key(e)));
    return !u->found;
}

/* True if threads of a block may have different values of |e|. */
static bool varies(const walker *w, const rlxc_expr *e)
{
    varying_search u = {w, false};
    rlxc_expr_visit(w->ctx, e, find_varying, &u);
    return u.found;
}

/* --- statements ------------------------------------------------------------------------------- */

static const rlxc_stmt *sync(walker *w, const rlxc_stmt *s);

static const rlxc_stmt *barrier(walker *w)
{
    const rlxc_expr *scope = rlxc_string(w->ctx, "shared");
    return rlxc_stmt_evaluate(w->ctx, rlxc_intrinsic_call(w->ctx, "tvm_storage_sync", &scope, 1));
}

static const rlxc_stmt *after_barrier(walker *w, const rlxc_stmt *s, rlxc_range range)
{
    if (w->divergent > 0 && !w->refused) {
        rlxc_error(w->ctx, range.line ? range : w->range,
                   "%s: a barrier is needed where not all threads of a block arrive: shared memory "
                   "is read or overwritten under a condition",
                   w->f->name);
        w->refused = true;
    }
    w->pending.all.count = 0;
    const rlxc_stmt *both[2] = {barrier(w), s};
    return rlxc_stmt_seq(w->ctx, both, 2);
}

static const rlxc_stmt *leaf(walker *w, const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_EVALUATE && rlxc_is_barrier(s->evaluate)) {
        if (w->divergent > 0)
            return after_barrier(w, s, s->range); /* for its diagnostic */
        w->pending.all.count = 0;
        return s;
    }
    if (s->kind == RLXC_STMT_LET && varies(w, s->let.value))
        rlxc_map_set(w->ctx, &w->varying, rlxc_key(s->let.var), w);
    const accesses here = of_stmt(w, s);
    if (here.all.count == 0)
        return s;
    const rlxc_stmt *out = meet(w, &w->pending, &here, true) ? after_barrier(w, s, s->range) : s;
    join(w, &w->pending, &here);
    return out;
}

static const rlxc_stmt *sequence(walker *w, const rlxc_stmt *s)
{
    const rlxc_stmt **items = rlxc_try_alloc(w->ctx, (size_t)s->seq.n + 1, sizeof *items);
    for (uint32_t i = 0; items && i < s->seq.n; i++)
        items[i] = sync(w, s->seq.items[i]);
    return items ? rlxc_stmt_seq(w->ctx, items, s->seq.n) : s;
}

/* The body of a loop or a branch that threads may take differently. */
static const rlxc_stmt *inside(walker *w, const rlxc_stmt *body, bool diverges)
{
    w->divergent += diverges;
    body = sync(w, body);
    w->divergent -= diverges;
    return body;
}

/* A barrier before |s| if its accesses, all of which count as made at its start, need one: where
 * none can be made inside. */
static bool needs_barrier_before(walker *w, const rlxc_stmt *s)
{
    const accesses here = of_stmt(w, s);
    return meet(w, &w->pending, &here, false);
}

static const rlxc_stmt *branch(walker *w, const rlxc_stmt *s)
{
    const bool diverges = varies(w, s->if_.cond);
    const bool before = diverges && w->divergent == 0 && needs_barrier_before(w, s);
    if (before)
        w->pending.all.count = 0;
    const accesses of_cond = of_expr(w, s->if_.cond);
    join(w, &w->pending, &of_cond);
    const accesses entry = copy_of(w, &w->pending);
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *s);
    out->if_.then = inside(w, s->if_.then, diverges);
    const accesses then = w->pending;
    w->pending = entry;
    if (s->if_.otherwise)
        out->if_.otherwise = inside(w, s->if_.otherwise, diverges);
    join(w, &w->pending, &then);
    if (!before)
        return out;
    const rlxc_stmt *both[2] = {barrier(w), out};
    return rlxc_stmt_seq(w->ctx, both, 2);
}

/* The accesses of |s| before its first barrier. */
static accesses of_start(walker *w, const rlxc_stmt *s)
{
    accesses out = {0};
    gather g = {w, &out};
    if (s->kind != RLXC_STMT_SEQ)
        return of_stmt(w, s);
    for (uint32_t i = 0; i < s->seq.n; i++) {
        const rlxc_stmt *item = s->seq.items[i];
        if (item->kind == RLXC_STMT_EVALUATE && rlxc_is_barrier(item->evaluate))
            break;
        rlxc_stmt_visit(item, add_stmt, &g);
    }
    return out;
}

/* A loop of |body|, which becomes |*out_body|; true if it needs a barrier before it. */
static bool repeated(walker *w, const rlxc_stmt *body, bool diverges, const rlxc_stmt **out_body)
{
    const accesses here = of_start(w, body), before = w->pending;
    w->pending = (accesses){0};
    *out_body = inside(w, body, diverges);
    const bool again = meet(w, &w->pending, &here, false), first = meet(w, &before, &here, false);
    if (again) { /* the first iteration has it, too; without iterations nothing is accessed */
        const accesses end = w->pending;
        w->divergent += diverges;
        *out_body = after_barrier(w, *out_body, body->range);
        w->divergent -= diverges;
        w->pending = end;
    }
    if (again || !first)
        join(w, &w->pending, &before);
    return first && !again;
}

static const rlxc_stmt *with_barrier_before(walker *w, const rlxc_stmt *s, bool needed)
{
    if (!needed)
        return s;
    if (w->divergent > 0)
        return after_barrier(w, s, s->range);
    const rlxc_stmt *both[2] = {barrier(w), s};
    return rlxc_stmt_seq(w->ctx, both, 2);
}

/* A loop of threads inside the launch: it runs once; shorter than the block, not in all threads. */
static const rlxc_stmt *bound(walker *w, const rlxc_stmt *s)
{
    const bool whole =
        rlxc_thread_axis(s->loop.thread) < 3 || rlxc_is_whole_axis(w->ctx, w->launch, s);
    const bool before = !whole && w->divergent == 0 && needs_barrier_before(w, s);
    if (before)
        w->pending.all.count = 0;
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *s);
    out->loop.body = inside(w, s->loop.body, !whole);
    return with_barrier_before(w, out, before);
}

static const rlxc_stmt *loop(walker *w, const rlxc_stmt *s)
{
    if (s->loop.kind == RLXC_LOOP_BOUND)
        return bound(w, s);
    const bool diverges = varies(w, s->loop.extent) || varies(w, s->loop.min);
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *s);
    if (diverges)
        rlxc_map_set(w->ctx, &w->varying, rlxc_key(s->loop.var), w);
    const bool before = repeated(w, s->loop.body, diverges, &out->loop.body);
    return with_barrier_before(w, out, before);
}

static const rlxc_stmt *while_loop(walker *w, const rlxc_stmt *s)
{
    const bool diverges = varies(w, s->while_.cond);
    rlxc_stmt *out = rlxc_copy(w->ctx, s, sizeof *s);
    const bool before = repeated(w, s->while_.body, diverges, &out->while_.body);
    return with_barrier_before(w, out, before);
}

static const rlxc_stmt *sync(walker *w, const rlxc_stmt *s)
{
    if (rlxc_failed(w->ctx))
        return s;
    if (s->range.line)
        w->range = s->range;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        return sequence(w, s);
    case RLXC_STMT_FOR:
        return loop(w, s);
    case RLXC_STMT_WHILE:
        return while_loop(w, s);
    case RLXC_STMT_IF:
        return branch(w, s);
    case RLXC_STMT_BLOCK:
        RLXC_LEAF_STMTS(RLXC_STMT_CASE)
        return leaf(w, s);
    }
    return s;
}

static void add_thread(walker *w, int axis, const rlxc_expr *var)
{
    if (axis < 3 || rlxc_is_const(w->launch->block[axis - 3], 1))
        return;
    rlxc_map_set(w->ctx, &w->varying, rlxc_key(var), w);
    RLXC_PUSH(w->ctx, &w->threads[axis - 3], var);
}

static bool find_threads(void *user, const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_FOR && s->loop.kind == RLXC_LOOP_BOUND)
        add_thread(user, rlxc_thread_axis(s->loop.thread), s->loop.var);
    return true;
}

bool rlxc_is_whole_axis(rlxc_context *ctx, const rlxc_launch *launch, const rlxc_stmt *loop)
{
    const int axis = rlxc_thread_axis(loop->loop.thread);
    const rlxc_expr *extent = rlxc_canonical(ctx, rlxc_cast(ctx, RLX_I64, loop->loop.extent), NULL);
    return axis >= 0 && extent == (axis < 3 ? launch->grid[axis] : launch->block[axis - 3]);
}

bool rlxc_device_sync(rlxc_context *ctx, const rlxc_prim_func *f, rlxc_launch *launch)
{
    walker w = {.ctx = ctx, .f = f, .launch = launch, .range = f->range};
    of_stmt(&w, launch->body);
    if (!w.has_shared && !rlxc_has_barrier(launch->body))
        return !rlxc_failed(ctx);
    for (int i = 3; i < RLXC_THREAD_AXES; i++)
        if (launch->thread[i])
            add_thread(&w, i, launch->thread[i]);
    rlxc_stmt_visit(launch->body, find_threads, &w);
    launch->body = sync(&w, launch->body);
    return !rlxc_failed(ctx);
}

/* The plan verifier's proof of in-place results from loops as schedules leave them
 * (verify_inplace.h).
 *
 * For every load of the operand and every store of the result: the load comes first in the text, in
 * the same statement or an earlier one, and both have the same indices for the variable of each
 * loop around the two. So an element is read in the one iteration that writes it, before it is
 * written. Either an index is a sum that determines the variables in it, as split leaves it
 * (i * 8 + j), or several indices are quotients and remainders of such a sum, as fuse leaves them.
 * Loops and blocks with other annotations are refused. */
#include "compiler/analysis/verify_inplace.h"
#include "compiler/ir/sym.h"

enum { MAX_LOOPS = 32, MAX_AXES = 64, MAX_ACCESSES = 256 };

typedef struct access {
    const rlxc_buffer *buffer;
    const rlxc_expr *indices[RLXC_MAX_NDIM];
    const rlxc_stmt *loops[MAX_LOOPS]; /* enclosing loops, outermost first */
    uint32_t n_loops, order;           /* statements before it, in the text */
    bool is_store;
} access;

typedef struct walk {
    rlxc_context *ctx;
    const rlxc_buffer *in, *out;
    RLXC_VEC(access) accesses;
    const rlxc_stmt *loops[MAX_LOOPS];
    const rlxc_expr *axes[MAX_AXES], *values[MAX_AXES]; /* of enclosing blocks */
    uint32_t n_loops, n_axes, order;
    bool holds;
} walk;

static void note_access(walk *w, const rlxc_buffer *b, const rlxc_expr *const *indices, uint32_t n,
                        bool is_store)
{
    if (w->accesses.count == MAX_ACCESSES || n > RLXC_MAX_NDIM || n != b->ndim || b->strides ||
        b->elem_offset) {
        w->holds = false;
        return;
    }
    access a = {.buffer = b, .n_loops = w->n_loops, .order = w->order, .is_store = is_store};
    for (uint32_t i = 0; i < n; i++)
        a.indices[i] = rlxc_substitute(w->ctx, indices[i], w->axes, w->values, w->n_axes);
    for (uint32_t i = 0; i < w->n_loops; i++)
        a.loops[i] = w->loops[i];
    RLXC_PUSH(w->ctx, &w->accesses, a);
}

static bool note_loads(void *user, const rlxc_expr *e)
{
    walk *w = user;
    if (e->kind == RLXC_EXPR_VAR && (e == w->in->data || e == w->out->data))
        w->holds = false; /* as a pointer */
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer->data == w->in->data)
        note_access(w, e->load.buffer, e->load.indices, e->load.n, false);
    return w->holds;
}

static void loads_of(walk *w, const rlxc_expr *e)
{
    if (e)
        rlxc_expr_visit(w->ctx, e, note_loads, w);
}

static void walk_stmt(walk *w, const rlxc_stmt *s);

static void walk_loop(walk *w, const rlxc_stmt *s, const rlxc_expr *cond, const rlxc_stmt *body)
{
    if (w->n_loops == MAX_LOOPS) {
        w->holds = false;
        return;
    }
    w->loops[w->n_loops++] = s;
    loads_of(w, cond);
    walk_stmt(w, body);
    w->n_loops--;
}

static void walk_block(walk *w, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    uint32_t outer = w->n_axes;
    if (b->n_matches > 0 || b->init || b->n_axes > MAX_AXES - outer) {
        w->holds = false;
        return;
    }
    loads_of(w, s->block.predicate);
    for (uint32_t i = 0; i < b->n_axes; i++) {
        loads_of(w, s->block.values[i]);
        w->values[outer + i] =
            rlxc_substitute(w->ctx, s->block.values[i], w->axes, w->values, outer);
        w->axes[outer + i] = b->axes[i].var;
    }
    w->n_axes += b->n_axes;
    walk_stmt(w, b->body);
    w->n_axes = outer;
}

/* Statements nest at most RLXC_MAX_DEPTH deep. */
static void walk_stmt(walk *w, const rlxc_stmt *s)
{
    if (!w->holds || !s)
        return;
    w->order++;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && w->holds; i++)
            walk_stmt(w, s->seq.items[i]);
        break;
    case RLXC_STMT_FOR:
        loads_of(w, s->loop.min);
        loads_of(w, s->loop.extent);
        walk_loop(w, s, NULL, s->loop.body);
        break;
    case RLXC_STMT_WHILE:
        walk_loop(w, s, s->while_.cond, s->while_.body);
        break;
    case RLXC_STMT_IF:
        loads_of(w, s->if_.cond);
        walk_stmt(w, s->if_.then);
        walk_stmt(w, s->if_.otherwise);
        break;
    case RLXC_STMT_BLOCK:
        walk_block(w, s);
        break;
    case RLXC_STMT_STORE:
        loads_of(w, s->store.value);
        for (uint32_t i = 0; i < s->store.n; i++)
            loads_of(w, s->store.indices[i]);
        if (s->store.buffer->data == w->in->data)
            w->holds = false;
        else if (s->store.buffer->data == w->out->data)
            note_access(w, s->store.buffer, s->store.indices, s->store.n, true);
        break;
    case RLXC_STMT_LET:
        loads_of(w, s->let.value);
        break;
    case RLXC_STMT_EVALUATE:
        loads_of(w, s->evaluate);
        break;
    case RLXC_STMT_ASSERT:
        loads_of(w, s->assert_.cond);
        break;
    case RLXC_STMT_ALLOCATE:
        for (uint32_t i = 0; i < s->allocate.n; i++)
            loads_of(w, s->allocate.extents[i]);
        loads_of(w, s->allocate.cond);
        break;
    case RLXC_STMT_ATTR:
        loads_of(w, s->attr.value);
        break;
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
        break;
    }
}

static bool is_size(void *user, const rlxc_expr *e)
{
    bool *holds = user;
    *holds = *holds && ((e->kind == RLXC_EXPR_INT && e->i >= 0) || e->kind == RLXC_EXPR_ADD ||
                        e->kind == RLXC_EXPR_MUL || (e->kind == RLXC_EXPR_VAR && e->var.nonneg));
    return *holds;
}

/* True if |e| consists of numbers and the function's symbols, so that it is the same in all
 * iterations. */
static bool is_invariant(walk *w, const rlxc_expr *e)
{
    bool holds = true;
    rlxc_expr_visit(w->ctx, e, is_size, &holds);
    return holds;
}

/* What |e| is a quotient of: x of x // a // b, with the product of the divisors, which are the same
 * in all iterations, in |*by|; 1 for x itself. */
static const rlxc_expr *quotient_of(walk *w, const rlxc_expr *e, const rlxc_expr **by)
{
    *by = rlxc_i64(w->ctx, 1);
    for (; e->kind == RLXC_EXPR_FLOORDIV && is_invariant(w, e->bin.b); e = e->bin.a)
        *by = rlxc_mul(w->ctx, *by, e->bin.b);
    return e;
}

/* The divisor below |*by| of a digit: |e| is x // lower % count, and lower * count is |*by|. */
static bool is_digit(walk *w, const rlxc_expr *e, const rlxc_expr *x, const rlxc_expr **by)
{
    const rlxc_expr *lower;
    if (e->kind != RLXC_EXPR_FLOORMOD || !is_invariant(w, e->bin.b) ||
        quotient_of(w, e->bin.a, &lower) != x ||
        !rlxc_prove_eq(w->ctx, rlxc_mul(w->ctx, lower, e->bin.b), *by, NULL))
        return false;
    *by = lower;
    return true;
}

/* What the indices that |a| and |b| share tell: index |k| is a quotient of it, others are all its
 * digits from the highest down to the last; or NULL. */
static const rlxc_expr *told(walk *w, const access *a, const access *b, uint32_t k)
{
    const rlxc_expr *by = NULL;
    const uint32_t n = a->buffer->ndim;
    if (a->indices[k] != b->indices[k])
        return NULL;
    const rlxc_expr *x = quotient_of(w, a->indices[k], &by);
    for (uint32_t found = 0; !rlxc_is_const(by, 1) && found < n; found++)
        for (uint32_t i = 0; i < n; i++)
            if (a->indices[i] == b->indices[i] && is_digit(w, a->indices[i], x, &by))
                break;
    return rlxc_is_const(by, 1) ? x : NULL;
}

/* Loops' variables in a sum, and what is left of it. */
typedef struct sum {
    int64_t by[MAX_LOOPS], span[MAX_LOOPS]; /* coefficients; the most that a variable adds */
    const rlxc_expr *rest;
} sum;

static bool read_sum(walk *w, const access *a, const rlxc_expr *e, sum *out)
{
    out->rest = e;
    for (uint32_t i = 0; i < a->n_loops; i++) {
        const rlxc_stmt *loop = a->loops[i];
        int64_t extent;
        out->by[i] = 0;
        if (loop->kind == RLXC_STMT_FOR &&
            (!rlxc_linear_in(w->ctx, out->rest, loop->loop.var, &out->by[i], &out->rest) ||
             out->by[i] < 0 || (out->by[i] > 0 && !is_invariant(w, loop->loop.min))))
            return false;
        out->span[i] = out->by[i] ? INT64_MAX : 0;
        if (out->by[i] && rlxc_is_int(loop->loop.extent, &extent) &&
            __builtin_mul_overflow(out->by[i], extent > 1 ? extent - 1 : 0, &out->span[i]))
            out->span[i] = INT64_MAX;
    }
    return is_invariant(w, out->rest);
}

/* True if |e| tells the variable of |loop|, one of the loops around |a|: it is a sum in which the
 * terms below those of this loop together are less than its step. */
static bool tells(walk *w, const access *a, const rlxc_expr *e, const rlxc_stmt *loop)
{
    sum s;
    if (!read_sum(w, a, e, &s))
        return false;
    for (uint32_t left = a->n_loops; left-- > 0;) {
        uint32_t top = 0;
        int64_t below = 0;
        for (uint32_t i = 0; i < a->n_loops; i++)
            top = s.by[i] > s.by[top] ? i : top;
        for (uint32_t i = 0; i < a->n_loops; i++)
            if (i != top && __builtin_add_overflow(below, s.span[i], &below))
                below = INT64_MAX;
        if (below >= s.by[top])
            return false;
        if (a->loops[top] == loop)
            return true;
        s.by[top] = s.span[top] = 0;
    }
    return false;
}

/* True if |a| and |b| name the same element only in the same iteration of |loop|, which encloses
 * both. */
static bool names_turn(walk *w, const access *a, const access *b, const rlxc_stmt *loop)
{
    int64_t extent;
    if (loop->kind != RLXC_STMT_FOR)
        return false;
    if (rlxc_is_int(loop->loop.extent, &extent) && extent <= 1)
        return true;
    for (uint32_t k = 0; k < a->buffer->ndim; k++) {
        const rlxc_expr *x = told(w, a, b, k);
        if (x && tells(w, a, x, loop))
            return true;
    }
    return false;
}

static bool same_places(walk *w, const rlxc_buffer *a, const rlxc_buffer *b)
{
    if (a->ndim != b->ndim || rlx_dtype_size(a->dtype) != rlx_dtype_size(b->dtype))
        return false;
    for (uint32_t i = 0; i < a->ndim; i++)
        if (!rlxc_prove_eq(w->ctx, a->shape[i], b->shape[i], NULL))
            return false;
    return true;
}

/* True if |load| reads nothing that |store| wrote earlier. */
static bool comes_first(walk *w, const access *load, const access *store)
{
    uint32_t n = load->n_loops < store->n_loops ? load->n_loops : store->n_loops;
    if (load->order > store->order)
        return false;
    for (uint32_t i = 0; i < n && load->loops[i] == store->loops[i]; i++)
        if (!same_places(w, load->buffer, store->buffer) ||
            !names_turn(w, load, store, load->loops[i]))
            return false;
    return true;
}

bool rlxc_loops_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    walk w = {.ctx = ctx, .holds = true};
    if (in >= f->n_params || out >= f->n_params || in == out || !f->body)
        return false;
    w.in = f->params[in].buffer;
    w.out = f->params[out].buffer;
    if (!w.in || !w.out || w.in->data == w.out->data)
        return false;
    walk_stmt(&w, f->body);
    for (uint32_t i = 0; i < w.accesses.count; i++)
        for (uint32_t k = 0; k < w.accesses.count && w.holds; k++)
            if (!w.accesses.items[i].is_store && w.accesses.items[k].is_store)
                w.holds = comes_first(&w, &w.accesses.items[i], &w.accesses.items[k]);
    return w.holds;
}

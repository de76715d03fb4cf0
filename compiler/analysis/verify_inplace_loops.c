/* The plan verifier's proof of in-place results from loops as schedules leave them
 * (verify_inplace.h). * For every load of the operand and every store of the result: the load comes
 * first in the text, in the same statement or an earlier one, and both use the variable of each
 * loop around the two in the same dimension of their indices. So an element is read in the one
 * iteration that writes it, before it is written. An index uses a variable by being it, or several
 * indices use it as quotients and remainders that tell it, as loops do that fuse leaves. Loops and
 * blocks with other annotations are refused. */
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

/* True if |e| is var // a // b, with the product of the divisors, the same in all iterations, in
 * |*by|; 1 for |var| itself. */
static bool is_quotient(walk *w, const rlxc_expr *e, const rlxc_expr *var, const rlxc_expr **by)
{
    *by = rlxc_i64(w->ctx, 1);
    for (; e->kind == RLXC_EXPR_FLOORDIV; e = e->bin.a) {
        if (!is_invariant(w, e->bin.b))
            return false;
        *by = rlxc_mul(w->ctx, *by, e->bin.b);
    }
    return e == var;
}

/* The divisor below |*by| of a digit: |e| is var // lower % count, and lower * count is |*by|. */
static bool is_digit(walk *w, const rlxc_expr *e, const rlxc_expr *var, const rlxc_expr **by)
{
    const rlxc_expr *lower;
    if (e->kind != RLXC_EXPR_FLOORMOD || !is_invariant(w, e->bin.b) ||
        !is_quotient(w, e->bin.a, var, &lower) ||
        !rlxc_prove_eq(w->ctx, rlxc_mul(w->ctx, lower, e->bin.b), *by, NULL))
        return false;
    *by = lower;
    return true;
}

/* True if |a| and |b| name the same element only in the same iteration of |loop|, which encloses
 * both: equal indices are all digits of its variable, from the highest down to the last. */
static bool names_turn(walk *w, const access *a, const access *b, const rlxc_stmt *loop)
{
    int64_t extent;
    if (loop->kind != RLXC_STMT_FOR)
        return false;
    if (rlxc_is_int(loop->loop.extent, &extent) && extent <= 1)
        return true;
    const rlxc_expr *var = loop->loop.var, *by = NULL, *highest;
    const uint32_t n = a->buffer->ndim;
    for (uint32_t i = 0; i < n; i++)
        if (a->indices[i] == b->indices[i] && is_quotient(w, a->indices[i], var, &highest))
            by = highest;
    for (uint32_t found = 0; by && !rlxc_is_const(by, 1) && found < n; found++)
        for (uint32_t i = 0; i < n; i++)
            if (a->indices[i] == b->indices[i] && is_digit(w, a->indices[i], var, &by))
                break;
    return by && rlxc_is_const(by, 1);
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

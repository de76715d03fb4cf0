/* The plan verifier's proof of in-place results from the blocks of a PrimFunc (verify_inplace.h).
 *
 * The walk follows the values. A statement that loads the operand may store only to the position it
 * loaded: the indices of the load and of the store, over the loops' variables, are provably equal,
 * dimension by dimension. The stored buffer then carries the operand's elements and is followed in
 * the same way, until the result is stored. So each element of the result is made from the
 * operand's element at the same place. No two iterations store to the same place, since each loop's
 * variable is itself an index; and once the result is stored, no statement loads the operand or a
 * carrier. Schedules keep each of these facts: an inlined, repeated, vectorized or parallel
 * statement still reads and writes one place.
 *
 * The other parameters that the function stores to are followed too, whether they carry anything or
 * not: code generation tells LLVM that the iterations of such loops are independent. Any other kind
 * of statement ends the proof. */
#include "compiler/analysis/verify_inplace.h"

#include "compiler/ir/sym.h"

enum { MAX_NEST = 64, MAX_FOLLOWED = 64, MAX_PAIRS = 32 };

typedef struct cells {
    rlxc_context *ctx;
    const rlxc_prim_func *f;
    const rlxc_buffer *in, *out;
    const rlxc_buffer *followed[MAX_FOLLOWED];               /* |in|, its carriers, the results */
    const rlxc_stmt *loops[MAX_NEST];                        /* around the statement */
    const rlxc_expr *axes[MAX_NEST], *axis_values[MAX_NEST]; /* of the blocks around it */
    uint32_t n_followed, n_loops, n_axes;
    const rlxc_expr *to[RLXC_MAX_NDIM]; /* where the statement stores, in the loops' variables */
    uint32_t n_to;
    bool carries;    /* the statement loads |in| or a carrier */
    bool out_stored; /* by an earlier statement */
    bool forbidden;  /* followed buffers must not be loaded here */
    bool fails;
} cells;

static bool refuse(cells *c)
{
    c->fails = true;
    return false;
}

static bool is_followed(const cells *c, const rlxc_expr *data)
{
    for (uint32_t i = 0; i < c->n_followed; i++)
        if (c->followed[i]->data == data)
            return true;
    return false;
}

static void follow(cells *c, const rlxc_buffer *buffer)
{
    if (is_followed(c, buffer->data))
        return;
    if (c->n_followed == MAX_FOLLOWED)
        c->fails = true;
    else
        c->followed[c->n_followed++] = buffer;
}

static const rlxc_expr *in_loops(cells *c, const rlxc_expr *e)
{
    return rlxc_substitute(c->ctx, e, c->axes, c->axis_values, c->n_axes);
}

/* A load of a followed buffer must name the buffer itself, not a view of it, at the place of the
 * store. */
static bool visit_load(cells *c, const rlxc_expr *e)
{
    const rlxc_buffer *from = e->load.buffer;
    if (from->data == c->out->data)
        return refuse(c);
    if (!is_followed(c, from->data))
        return true;
    bool same = !c->forbidden && !c->out_stored && e->load.n == c->n_to;
    for (uint32_t i = 0; i < c->n_followed && same; i++)
        same = c->followed[i]->data != from->data || c->followed[i] == from;
    for (uint32_t i = 0; i < c->n_to && same; i++)
        same = rlxc_prove_eq(c->ctx, in_loops(c, e->load.indices[i]), c->to[i], NULL);
    c->carries = true;
    return same || refuse(c);
}

static bool visit_value(void *user, const rlxc_expr *e)
{
    cells *c = user;
    if (e->kind == RLXC_EXPR_LOAD)
        return visit_load(c, e);
    if (e->kind == RLXC_EXPR_VAR && (e == c->out->data || is_followed(c, e)))
        return refuse(c); /* a pointer: its receiver may read anywhere */
    return !c->fails;
}

/* |e| is not part of a stored value, so it may not load a followed buffer. */
static void visit_control(cells *c, const rlxc_expr *e)
{
    c->forbidden = true;
    if (e)
        rlxc_expr_visit(c->ctx, e, visit_value, c);
    c->forbidden = false;
}

/* True if different iterations of the enclosing loops store to different places. */
static bool stores_once(const cells *c)
{
    for (uint32_t k = 0; k < c->n_loops; k++) {
        int64_t extent;
        bool named = rlxc_is_int(c->loops[k]->loop.extent, &extent) && extent <= 1;
        for (uint32_t i = 0; i < c->n_to && !named; i++)
            named = c->to[i] == c->loops[k]->loop.var;
        if (!named)
            return false;
    }
    return true;
}

static void visit_store(cells *c, const rlxc_stmt *s)
{
    const rlxc_buffer *to = s->store.buffer;
    if (to->data == c->in->data || (to->data == c->out->data && to != c->out) ||
        s->store.n > RLXC_MAX_NDIM) {
        c->fails = true;
        return;
    }
    c->n_to = s->store.n;
    for (uint32_t i = 0; i < s->store.n; i++) {
        visit_control(c, s->store.indices[i]);
        c->to[i] = in_loops(c, s->store.indices[i]);
    }
    c->carries = false;
    rlxc_expr_visit(c->ctx, s->store.value, visit_value, c);
    if ((c->carries || to == c->out || is_followed(c, to->data)) && !stores_once(c))
        c->fails = true;
    if (to == c->out) {
        c->fails |= c->out_stored;
        c->out_stored = true;
    } else if (c->carries) {
        follow(c, to);
    }
}

static void visit_stmt(cells *c, const rlxc_stmt *s);

static void visit_loop(cells *c, const rlxc_stmt *s)
{
    if (c->n_loops == MAX_NEST) {
        c->fails = true;
        return;
    }
    visit_control(c, s->loop.min);
    visit_control(c, s->loop.extent);
    c->loops[c->n_loops++] = s;
    visit_stmt(c, s->loop.body);
    c->n_loops--;
}

static void visit_block(cells *c, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    const uint32_t outer = c->n_axes;
    if (b->init || b->n_matches > 0 || s->block.predicate || b->n_axes > MAX_NEST - outer) {
        c->fails = true;
        return;
    }
    for (uint32_t i = 0; i < b->n_axes; i++) {
        c->fails |= b->axes[i].kind != RLXC_AXIS_SPATIAL;
        visit_control(c, s->block.values[i]);
        c->axes[outer + i] = b->axes[i].var;
        c->axis_values[outer + i] =
            rlxc_substitute(c->ctx, s->block.values[i], c->axes, c->axis_values, outer);
    }
    c->n_axes += b->n_axes;
    visit_stmt(c, b->body);
    c->n_axes = outer;
}

/* Statements nest at most RLXC_MAX_DEPTH deep. */
static void visit_stmt(cells *c, const rlxc_stmt *s)
{
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && !c->fails; i++)
            visit_stmt(c, s->seq.items[i]);
        return;
    case RLXC_STMT_FOR:
        visit_loop(c, s);
        return;
    case RLXC_STMT_BLOCK:
        visit_block(c, s);
        return;
    case RLXC_STMT_STORE:
        visit_store(c, s);
        return;
    case RLXC_STMT_WHILE:
    case RLXC_STMT_IF:
    case RLXC_STMT_LET:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        break;
    }
    c->fails = true;
}

/* Equal indices name the same bytes in both. */
static bool same_layout(rlxc_context *ctx, const rlxc_buffer *a, const rlxc_buffer *b)
{
    if (a->strides || b->strides || a->elem_offset || b->elem_offset || a->ndim != b->ndim ||
        rlx_dtype_size(a->dtype) != rlx_dtype_size(b->dtype))
        return false;
    for (uint32_t i = 0; i < a->ndim; i++)
        if (!rlxc_prove_eq(ctx, a->shape[i], b->shape[i], NULL))
            return false;
    return true;
}

static bool follow_results(void *user, const rlxc_stmt *s)
{
    cells *c = user;
    for (uint32_t i = 0; s->kind == RLXC_STMT_STORE && i < c->f->n_params; i++) {
        const rlxc_buffer *param = c->f->params[i].buffer;
        if (param && param != c->out && param->data == s->store.buffer->data)
            follow(c, param);
    }
    return true;
}

bool rlxc_blocks_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    if (in >= f->n_params || out >= f->n_params || in == out || !f->body)
        return false;
    cells c = {.ctx = ctx, .f = f, .in = f->params[in].buffer, .out = f->params[out].buffer};
    if (!c.in || !c.out || c.in->data == c.out->data || !same_layout(ctx, c.in, c.out))
        return false;
    follow(&c, c.in);
    rlxc_stmt_visit(f->body, follow_results, &c);
    visit_stmt(&c, f->body);
    return !c.fails && c.out_stored;
}

/* --- the note ------------------------------------------------------------------------------------
 */

/* A list of pairs: in, out, in, out ... */
static const char *const note = "rlx.in_place";

/* The pairs of the note; |pairs| has room for 2 * MAX_PAIRS numbers. */
static uint32_t read_note(const rlxc_prim_func *f, int64_t *pairs)
{
    const rlxc_attr *a = rlxc_attrs_find(&f->attrs, note);
    uint32_t n = 0;
    while (a && a->kind == RLXC_ATTR_LIST && n < a->list.count && n < 2 * MAX_PAIRS &&
           rlxc_attr_as_int(&a->list.items[n], &pairs[n]))
        n++;
    return n / 2;
}

static bool is_noted(const rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    int64_t pairs[2 * MAX_PAIRS];
    for (uint32_t i = 0, n = read_note(f, pairs); i < n; i++)
        if (pairs[2 * i] == in && pairs[2 * i + 1] == out)
            return true;
    return false;
}

/* A pair beyond the MAX_PAIRSth is not noted. */
static void add_note(rlxc_context *ctx, rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    int64_t pairs[2 * MAX_PAIRS];
    uint32_t n = read_note(f, pairs);
    if (n == MAX_PAIRS || is_noted(f, in, out))
        return;
    pairs[2 * n] = in;
    pairs[2 * n + 1] = out;
    f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, note),
                               rlxc_attr_ints(ctx, pairs, 2 * n + 2));
}

/* True if the blocks prove |in| over |out| and every pair of the note. */
static bool blocks_prove_all(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    int64_t pairs[2 * MAX_PAIRS];
    bool all = is_noted(f, in, out);
    for (uint32_t i = 0, n = read_note(f, pairs); i < n && all; i++)
        all = pairs[2 * i] >= 0 && pairs[2 * i + 1] >= 0 && pairs[2 * i] < f->n_params &&
              pairs[2 * i + 1] < f->n_params &&
              rlxc_blocks_overwrite(ctx, f, (uint32_t)pairs[2 * i], (uint32_t)pairs[2 * i + 1]);
    return all;
}

bool rlxc_verify_overwrite(rlxc_context *ctx, rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    if (rlxc_blocks_overwrite(ctx, f, in, out)) {
        add_note(ctx, f, in, out);
    } else if (!is_noted(f, in, out)) {
        return false;
    } else if (!rlxc_loops_overwrite(ctx, f, in, out)) {
        rlxc_error(ctx, f->range,
                   "memory plan: rlx.in_place of '%s' states that parameter %u may overwrite "
                   "parameter %u, but its loops do not prove it",
                   f->name, out, in);
        return false;
    }
    f->attrs =
        rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "tir.noalias"), rlxc_attr_bool(false));
    f->turns_apart = blocks_prove_all(ctx, f, in, out);
    return true;
}

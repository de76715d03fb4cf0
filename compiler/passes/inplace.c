/* In-place operands (inplace.h), proved from the blocks of a PrimFunc.
 *
 * What is accepted is narrow, so that no schedule can break it: every block is spatial, stores one
 * element at its own axes in order, and reads the operand, and whatever temporaries there are, at
 * exactly that place; the one that stores the result is the last. Blocks that are inlined into each
 * other, tiled, vectorized or split between threads then still read an element before they write
 * the same one, and no other. Reductions, loops inside blocks, and pointers that are passed on are
 * refused. */
#include "compiler/passes/inplace.h"

#include "compiler/ir/sym.h"

enum { MAX_LOOPS = 32, MAX_NOTED = 64 };

typedef struct proof {
    rlxc_context *ctx;
    const rlxc_buffer *in, *out;
    const rlxc_prim_func *f;
    const rlxc_block *block;           /* the one being looked at */
    const rlxc_expr *loops[MAX_LOOPS]; /* variables of the loops around it */
    uint32_t n_loops;
    bool written; /* |out| was stored: nothing may follow */
    bool holds;
} proof;

static bool is_param(const proof *p, const rlxc_buffer *buffer)
{
    for (uint32_t i = 0; i < p->f->n_params; i++)
        if (p->f->params[i].buffer && p->f->params[i].buffer->data == buffer->data)
            return true;
    return false;
}

static bool at_own_axes(const rlxc_block *b, const rlxc_expr *const *indices, uint32_t n)
{
    if (n != b->n_axes)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (indices[i] != b->axes[i].var)
            return false;
    return true;
}

static bool check_value(void *user, const rlxc_expr *e)
{
    proof *p = user;
    if (e->kind == RLXC_EXPR_VAR && (e == p->in->data || e == p->out->data))
        p->holds = false;
    if (e->kind != RLXC_EXPR_LOAD)
        return p->holds;
    const rlxc_buffer *b = e->load.buffer;
    if (b->data == p->out->data)
        p->holds = false;
    else if (b->data == p->in->data || !is_param(p, b))
        p->holds = p->holds && (b->data != p->in->data || b == p->in) &&
                   at_own_axes(p->block, e->load.indices, e->load.n);
    return p->holds;
}

static bool check_body(void *user, const rlxc_stmt *s)
{
    proof *p = user;
    if (s->kind == RLXC_STMT_SEQ)
        return p->holds;
    if (s->kind != RLXC_STMT_STORE) {
        p->holds = false;
        return false;
    }
    const rlxc_buffer *to = s->store.buffer;
    p->holds = p->holds && !p->written && to->data != p->in->data &&
               (to->data != p->out->data || to == p->out) &&
               at_own_axes(p->block, s->store.indices, s->store.n);
    rlxc_expr_visit(p->ctx, s->store.value, check_value, p);
    p->written = to == p->out;
    return false;
}

/* Each axis is one of the loops around, and each loop an axis: no element is computed twice. */
static bool runs_once_each(const proof *p, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    uint32_t seen = 0;
    if (b->n_axes != p->n_loops)
        return false;
    for (uint32_t i = 0; i < b->n_axes; i++) {
        uint32_t k = 0;
        while (k < p->n_loops && p->loops[k] != s->block.values[i])
            k++;
        if (k == p->n_loops || seen >> k & 1 || b->axes[i].kind != RLXC_AXIS_SPATIAL)
            return false;
        seen |= UINT32_C(1) << k;
    }
    return true;
}

/* Statements nest at most RLXC_MAX_DEPTH deep. */
static void check_stmt(proof *p, const rlxc_stmt *s)
{
    const rlxc_block *b;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n && p->holds; i++)
            check_stmt(p, s->seq.items[i]);
        return;
    case RLXC_STMT_FOR:
        if (p->n_loops == MAX_LOOPS)
            break;
        p->loops[p->n_loops++] = s->loop.var;
        check_stmt(p, s->loop.body);
        p->n_loops--;
        return;
    case RLXC_STMT_BLOCK:
        b = s->block.block;
        if (b->n_matches > 0 || b->init || s->block.predicate)
            break;
        if (b->n_axes == 0 && p->n_loops == 0) {
            check_stmt(p, b->body);
            return;
        }
        if (!runs_once_each(p, s))
            break;
        p->block = b;
        rlxc_stmt_visit(b->body, check_body, p);
        return;
    case RLXC_STMT_WHILE:
    case RLXC_STMT_IF:
        RLXC_LEAF_STMTS(RLXC_STMT_CASE)
        break;
    }
    p->holds = false;
}

/* Elements lie where the indices say. */
static bool is_plain(const rlxc_buffer *b)
{
    return !b->strides && !b->elem_offset;
}

bool rlxc_may_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    proof p = {.ctx = ctx, .f = f, .holds = true};
    if (in >= f->n_params || out >= f->n_params || in == out || !f->body)
        return false;
    p.in = f->params[in].buffer;
    p.out = f->params[out].buffer;
    if (!p.in || !p.out || !is_plain(p.in) || !is_plain(p.out) || p.in->ndim != p.out->ndim ||
        p.in->data == p.out->data || rlx_dtype_size(p.in->dtype) != rlx_dtype_size(p.out->dtype))
        return false;
    for (uint32_t i = 0; i < p.in->ndim; i++)
        if (!rlxc_prove_eq(ctx, p.in->shape[i], p.out->shape[i], NULL))
            return false;
    check_stmt(&p, f->body);
    return p.holds && p.written;
}

/* A list of pairs: in, out, in, out ... */
static const char *const note = "rlx.in_place";

static uint32_t noted(const rlxc_prim_func *f, int64_t *pairs)
{
    const rlxc_attr *a = rlxc_attrs_find(&f->attrs, note);
    uint32_t n = 0;
    for (; a && a->kind == RLXC_ATTR_LIST && n < a->list.count && n < MAX_NOTED; n++)
        if (!rlxc_attr_as_int(&a->list.items[n], &pairs[n]))
            return 0;
    return n & ~1u;
}

bool rlxc_notes_overwrite(const rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    int64_t pairs[MAX_NOTED];
    for (uint32_t i = 0, n = noted(f, pairs); i < n; i += 2)
        if (pairs[i] == in && pairs[i + 1] == out)
            return true;
    return false;
}

void rlxc_note_overwrite(rlxc_context *ctx, rlxc_prim_func *f, uint32_t in, uint32_t out)
{
    int64_t pairs[MAX_NOTED + 2];
    uint32_t n = noted(f, pairs);
    if (n == MAX_NOTED || rlxc_notes_overwrite(f, in, out))
        return;
    pairs[n] = in;
    pairs[n + 1] = out;
    f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, note),
                               rlxc_attr_ints(ctx, pairs, n + 2));
    f->turns_apart = true;
}

void rlxc_prim_func_may_alias(rlxc_context *ctx, rlxc_prim_func *f)
{
    f->attrs =
        rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "tir.noalias"), rlxc_attr_bool(false));
}

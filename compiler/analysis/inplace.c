/* In-place operands (inplace.h), proved from the blocks of a PrimFunc.
 *
 * The accepted form is narrow, so that no schedule can break it: every block is spatial, stores one
 * element at its own axes in order, and reads the operand, and every other buffer that the function
 * stores to, at exactly that place; the block that stores the result comes last. Blocks that are
 * inlined into each other, tiled, vectorized or split between threads then still read an element
 * before they write the same one, and no other. Reductions, loops inside blocks, and pointers that
 * are passed on are refused. */
#include "compiler/analysis/inplace.h"

#include "compiler/ir/sym.h"

enum { MAX_LOOPS = 32 };

typedef struct proof {
    rlxc_context *ctx;
    const rlxc_buffer *in, *out;
    const rlxc_prim_func *f;
    const rlxc_block *block;           /* the block being checked */
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

typedef struct store_search {
    const rlxc_expr *data;
    bool found;
} store_search;

static bool find_store(void *user, const rlxc_stmt *s)
{
    store_search *search = user;
    search->found |= s->kind == RLXC_STMT_STORE && s->store.buffer->data == search->data;
    return !search->found;
}

/* True if |buffer| is only an operand: the function never stores to it. */
static bool is_operand(const proof *p, const rlxc_buffer *buffer)
{
    store_search search = {buffer->data, false};
    if (!is_param(p, buffer))
        return false;
    rlxc_stmt_visit(p->f->body, find_store, &search);
    return !search.found;
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
    else if (b->data == p->in->data || !is_operand(p, b))
        p->holds = p->holds && (b->data != p->in->data || b == p->in) &&
                   at_own_axes(p->block, e->load.indices, e->load.n);
    return p->holds;
}

static bool is_no_load(void *user, const rlxc_expr *e)
{
    (void)user;
    return e->kind != RLXC_EXPR_LOAD;
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
        if (p->n_loops == MAX_LOOPS || !rlxc_expr_visit(p->ctx, s->loop.min, is_no_load, NULL) ||
            !rlxc_expr_visit(p->ctx, s->loop.extent, is_no_load, NULL))
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

void rlxc_prim_func_may_alias(rlxc_context *ctx, rlxc_prim_func *f)
{
    f->attrs =
        rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, "tir.noalias"), rlxc_attr_bool(false));
}

/* Scratch memory of a kernel: the most that a lowered PrimFunc has in use at once (scratch.h). */
#include "compiler/codegen/scratch.h"

#include "compiler/ir/sym.h"

static bool check_node(void *user, const rlxc_expr *e)
{
    rlxc_scratch *w = user;
    bool is_dim = false;
    for (uint32_t i = 0; i < w->n_dims && e->kind == RLXC_EXPR_VAR; i++)
        is_dim = is_dim || (w->dims[i] == e && w->values[i]);
    w->known = w->known && (is_dim || e->kind == RLXC_EXPR_INT || e->kind == RLXC_EXPR_SELECT ||
                            rlxc_is_binary(e));
    return w->known;
}

const rlxc_expr *rlxc_scratch_bytes(rlxc_scratch *w, rlx_dtype dtype,
                                    const rlxc_expr *const *extents, uint32_t n)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_expr **known = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *known);
    for (uint32_t i = 0; i < n; i++) {
        w->known = true;
        rlxc_expr_visit(ctx, extents[i], check_node, w);
        if (!w->known || !rlxc_dtype_is_int(extents[i]->dtype))
            return NULL;
        known[i] = rlxc_substitute(ctx, extents[i], w->dims, w->values, w->n_dims);
    }
    const rlxc_expr *bytes =
        rlxc_add(ctx, rlxc_extents_bytes(ctx, dtype, known, n), rlxc_i64(ctx, 63));
    bytes = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, bytes, rlxc_i64(ctx, 64));
    return rlxc_canonical(ctx, rlxc_mul(ctx, bytes, rlxc_i64(ctx, 64)), NULL);
}

const rlxc_expr *rlxc_scratch_sum(rlxc_scratch *w, const rlxc_expr *a, const rlxc_expr *b)
{
    return a && b ? rlxc_canonical(w->ctx, rlxc_add(w->ctx, a, b), NULL) : a ? a : b;
}

static const rlxc_expr *larger(rlxc_scratch *w, const rlxc_expr *a, const rlxc_expr *b)
{
    return a && b ? rlxc_canonical(w->ctx, rlxc_binary(w->ctx, RLXC_EXPR_MAX, a, b), NULL)
           : a    ? a
                  : b;
}

static const rlxc_expr *allocation_need(rlxc_scratch *w, const rlxc_stmt *s, const rlxc_expr *base)
{
    int64_t constant;
    const rlxc_expr *bytes =
        rlxc_scratch_bytes(w, s->allocate.dtype, s->allocate.extents, s->allocate.n);
    const bool on_stack = bytes && rlxc_is_int(bytes, &constant) && constant <= RLXC_STACK_LIMIT;
    if (w->place && !on_stack)
        w->place(w->user, s, base ? base : rlxc_i64(w->ctx, 0), bytes);
    return on_stack ? NULL : bytes;
}

/* The bytes that |s| has in use at once; NULL: none. What a sequence allocates, it returns at its
 * end. */
static const rlxc_expr *need(rlxc_scratch *w, const rlxc_stmt *s, const rlxc_expr *base)
{
    switch (s->kind) {
    case RLXC_STMT_FOR:
        return s->loop.kind == RLXC_LOOP_PARALLEL && !w->in_parallel ? NULL
                                                                     : need(w, s->loop.body, base);
    case RLXC_STMT_WHILE:
        return need(w, s->while_.body, base);
    case RLXC_STMT_IF:
        return larger(w, need(w, s->if_.then, base),
                      s->if_.otherwise ? need(w, s->if_.otherwise, base) : NULL);
    case RLXC_STMT_ALLOCATE:
        return allocation_need(w, s, base);
    case RLXC_STMT_SEQ: {
        const rlxc_expr *own = NULL, *most = NULL;
        for (uint32_t i = 0; i < s->seq.n; i++) {
            const rlxc_expr *item = need(w, s->seq.items[i], rlxc_scratch_sum(w, base, own));
            if (s->seq.items[i]->kind == RLXC_STMT_ALLOCATE)
                own = rlxc_scratch_sum(w, own, item);
            else
                most = larger(w, most, item ? rlxc_scratch_sum(w, own, item) : NULL);
        }
        return larger(w, most, own);
    }
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_LET:
    case RLXC_STMT_STORE:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        break;
    }
    return NULL;
}

const rlxc_expr *rlxc_scratch_need(rlxc_scratch *w, const rlxc_stmt *body)
{
    return need(w, body, NULL);
}

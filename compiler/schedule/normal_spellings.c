/* Spellings of TIR that mean the same, as one: the first step of normal form.
 *
 *   T.pow(x, 2)                      x * x
 *   i >> 3, i << 3, i & 7            i // 8, i * 8, i % 8: indices only, words of weights are loads
 *   T.Not(i >= n)                    i < n, of integers
 *   T.Let(v * v, where={v: x})       x * x
 *   v = i * 8; A[v] = B[v]           A[i * 8] = B[i * 8]: indices only */
#include <string.h>

#include "compiler/schedule/normal.h"
#include "compiler/schedule/stages.h"

/* Nodes of a value that is written for its name: chains of larger ones would double. */
enum { SMALL = 24 };

/* --- expressions ------------------------------------------------------------------------------ */

/* For rlxc_expr_rewrite_all: rewrites the parts of what it replaces, and only those, so that no
 * node is rewritten twice. */
static const rlxc_expr *plain(void *user, const rlxc_expr *e);

static const rlxc_expr *plain_all(rlxc_context *ctx, const rlxc_expr *e)
{
    return rlxc_expr_rewrite_all(ctx, e, plain, ctx);
}

static bool is_call_of(const rlxc_expr *e, const char *name)
{
    return strcmp(e->call.name, name) == 0;
}

/* A shift by a constant, or a mask of the lowest bits, as arithmetic; NULL: another call. */
static const rlxc_expr *plain_bits(rlxc_context *ctx, const rlxc_expr *e)
{
    const bool mask = is_call_of(e, "bitwise_and"), left = is_call_of(e, "shift_left");
    int64_t by;
    if ((!mask && !left && !is_call_of(e, "shift_right")) || !rlxc_is_index_type(e->dtype) ||
        e->call.args[0]->from_memory || !rlxc_is_int(e->call.args[1], &by) || by < 0 ||
        by >= INT32_MAX || (mask ? (by & (by + 1)) != 0 : by > e->dtype.bits - 2))
        return NULL;
    const rlxc_expr *unit = rlxc_int(ctx, e->dtype, mask ? by + 1 : (int64_t)1 << by);
    return rlxc_binary(ctx,
                       mask   ? RLXC_EXPR_FLOORMOD
                       : left ? RLXC_EXPR_MUL
                              : RLXC_EXPR_FLOORDIV,
                       plain_all(ctx, e->call.args[0]), unit);
}

/* The comparison that holds where |e|, one of integers, does not; NULL: |e| is another node. */
static const rlxc_expr *opposite(rlxc_context *ctx, const rlxc_expr *e)
{
    static const rlxc_expr_kind pairs[][2] = {
        {RLXC_EXPR_LT, RLXC_EXPR_GE}, {RLXC_EXPR_LE, RLXC_EXPR_GT}, {RLXC_EXPR_EQ, RLXC_EXPR_NE}};
    if (!rlxc_is_compare((rlxc_expr_kind)e->kind) || !rlxc_is_index_type(e->bin.a->dtype))
        return NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t k = 0; k < 2; k++)
            if (pairs[i][k] == (rlxc_expr_kind)e->kind)
                return rlxc_binary(ctx, pairs[i][1 - k], e->bin.a, e->bin.b);
    return NULL;
}

/* The nodes of |e|, which count again where they occur again; at most |most| + 1. */
static uint32_t size_of(const rlxc_expr *e, uint32_t most)
{
    uint32_t n = 1;
    if (rlxc_is_binary(e)) {
        n += size_of(e->bin.a, most);
        n += n <= most ? size_of(e->bin.b, most) : 0;
    } else if (e->kind == RLXC_EXPR_CAST) {
        n += size_of(e->bin.a, most);
    } else if (e->kind == RLXC_EXPR_LOAD) {
        for (uint32_t i = 0; i < e->load.n && n <= most; i++)
            n += size_of(e->load.indices[i], most);
    } else if (e->kind != RLXC_EXPR_VAR && e->kind != RLXC_EXPR_INT && e->kind != RLXC_EXPR_FLOAT) {
        n = most + 1;
    }
    return n <= most ? n : most + 1;
}

static const rlxc_expr *plain(void *user, const rlxc_expr *e)
{
    rlxc_context *ctx = user;
    const rlxc_expr *turned = e->kind == RLXC_EXPR_NOT ? opposite(ctx, e->bin.a) : NULL;
    if (turned)
        return plain_all(ctx, turned);
    if (e->kind == RLXC_EXPR_LET && rlxc_may_move(ctx, e->let.value)) {
        const rlxc_expr *value = plain_all(ctx, e->let.value);
        if (size_of(value, SMALL) <= SMALL)
            return plain_all(ctx, rlxc_substitute(ctx, e->let.body, &e->let.var, &value, 1));
        return rlxc_let(ctx, e->let.var, value, plain_all(ctx, e->let.body));
    }
    if (e->kind != RLXC_EXPR_CALL || e->call.n != 2)
        return NULL;
    if (rlxc_dtype_is_float(e->dtype) && is_call_of(e, "pow"))
        return rlxc_pow(ctx, plain_all(ctx, e->call.args[0]), plain_all(ctx, e->call.args[1]));
    return plain_bits(ctx, e);
}

static const rlxc_expr *plain_expr(void *user, const rlxc_expr *e)
{
    return plain_all(user, e);
}

/* --- lets of indices -------------------------------------------------------------------------- */

enum { MOST_LETS = 32 };

typedef struct lets {
    rlxc_context *ctx;
    const rlxc_expr *vars[MOST_LETS], *values[MOST_LETS];
    uint32_t n;
} lets;

static const rlxc_expr *with_values(void *user, const rlxc_expr *e)
{
    const lets *l = user;
    return rlxc_substitute(l->ctx, e, l->vars, l->values, l->n);
}

static const rlxc_expr *const *sizes_with_values(const lets *l, const rlxc_expr *const *sizes,
                                                 uint32_t n)
{
    const rlxc_expr **own = rlxc_alloc(l->ctx, ((size_t)n + 1) * sizeof *own);
    for (uint32_t i = 0; i < n; i++)
        own[i] = rlxc_substitute(l->ctx, sizes[i], l->vars, l->values, l->n);
    return own;
}

static void put_values(const lets *l, rlxc_buffer *b)
{
    b->shape = sizes_with_values(l, b->shape, b->ndim);
    if (b->strides)
        b->strides = sizes_with_values(l, b->strides, b->ndim);
    if (b->elem_offset)
        b->elem_offset = rlxc_substitute(l->ctx, b->elem_offset, l->vars, l->values, l->n);
}

/* Puts the values for the names in the shapes of the buffers that |s| declares. */
static bool put_in_buffers(void *user, const rlxc_stmt *s)
{
    const lets *l = user;
    if (s->kind == RLXC_STMT_DECL_BUFFER)
        put_values(l, s->decl);
    for (uint32_t i = 0; s->kind == RLXC_STMT_BLOCK && i < s->block.block->n_allocs; i++)
        put_values(l, s->block.block->allocs[i]);
    return true;
}

static bool find_match(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || (s->kind == RLXC_STMT_BLOCK && s->block.block->n_matches > 0);
    return !*found;
}

static const rlxc_stmt *without_lets(void *user, const rlxc_stmt *s)
{
    lets l = {.ctx = user};
    const rlxc_stmt_rewriter rewriter = {.user = &l, .expr = with_values};
    bool matches = false;
    uint32_t n = 0;
    if (s->kind != RLXC_STMT_SEQ)
        return NULL;
    rlxc_stmt_visit(s, find_match, &matches);
    const rlxc_stmt **kept = rlxc_alloc(l.ctx, ((size_t)s->seq.n + 1) * sizeof *kept);
    for (uint32_t i = 0; i < s->seq.n && !matches; i++) {
        const rlxc_stmt *own = s->seq.items[i];
        if (l.n > 0) {
            own = rlxc_stmt_rewrite(l.ctx, own, &rewriter);
            rlxc_stmt_visit(own, put_in_buffers, &l);
        }
        if (own->kind == RLXC_STMT_LET && l.n < MOST_LETS &&
            rlxc_is_index_type(own->let.var->dtype) && !own->let.value->from_memory &&
            i + 1 < s->seq.n && size_of(own->let.value, SMALL) <= SMALL) {
            l.vars[l.n] = own->let.var;
            l.values[l.n++] = own->let.value;
        } else {
            kept[n++] = own;
        }
    }
    return l.n > 0 ? rlxc_stmt_seq(l.ctx, kept, n) : NULL;
}

const rlxc_stmt *rlxc_plain_exprs(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .expr = plain_expr, .stmt = without_lets};
    return rlxc_stmt_rewrite(ctx, stmt, &rewriter);
}

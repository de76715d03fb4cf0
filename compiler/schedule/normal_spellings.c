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

bool rlxc_declares_buffer(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_DECL_BUFFER || s->kind == RLXC_STMT_ALLOCATE ||
           (s->kind == RLXC_STMT_BLOCK &&
            (s->block.block->n_allocs > 0 || s->block.block->n_matches > 0));
}

static bool find_buffer(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || rlxc_declares_buffer(s);
    return !*found;
}

static const rlxc_stmt *without_lets(void *user, const rlxc_stmt *s)
{
    lets l = {.ctx = user};
    const rlxc_stmt_rewriter rewriter = {.user = &l, .expr = with_values};
    uint32_t first = 0, n = 0; /* no buffer is declared from |first| on */
    if (s->kind != RLXC_STMT_SEQ)
        return NULL;
    for (uint32_t i = 0; i < s->seq.n; i++) {
        bool declares = false;
        rlxc_stmt_visit(s->seq.items[i], find_buffer, &declares);
        first = declares ? i + 1 : first;
    }
    const rlxc_stmt **kept = rlxc_alloc(l.ctx, ((size_t)s->seq.n + 1) * sizeof *kept);
    for (uint32_t i = 0; i < s->seq.n; i++) {
        const rlxc_stmt *own = s->seq.items[i];
        own = l.n > 0 ? rlxc_stmt_rewrite(l.ctx, own, &rewriter) : own;
        if (own->kind == RLXC_STMT_LET && i >= first && l.n < MOST_LETS &&
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

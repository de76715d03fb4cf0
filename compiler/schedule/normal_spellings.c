/* Spellings of TIR that mean the same, as one: the first step of normal form.
 *
 *   T.pow(x, 2)                      x * x
 *   i >> 3, i << 3, i & 7            i // 8, i * 8, i % 8: indices only, words of weights are loads
 *   T.Not(i >= n)                    i < n, of integers
 *   T.Let(v * v, where={v: x})       x * x
 *   for i in range(1, n)             for i in range(n - 1), with i + 1 for i
 *   for i in range(T.min(8, n))      for i in range(8): if i < n
 *
 * A loop's bounds are computed once, before it: bounds that load stay, because the body may change
 * what they load. */
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

const rlxc_stmt *rlxc_plain_exprs(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .expr = plain_expr};
    return rlxc_stmt_rewrite(ctx, stmt, &rewriter);
}

/* --- loops ------------------------------------------------------------------------------------ */

typedef struct shift {
    rlxc_context *ctx;
    const rlxc_expr *from, *to;
} shift;

static const rlxc_expr *shifted(void *user, const rlxc_expr *e)
{
    const shift *s = user;
    return rlxc_substitute(s->ctx, e, &s->from, &s->to, 1);
}

/* |loop| from 0. */
static const rlxc_stmt *from_zero(rlxc_context *ctx, const rlxc_stmt *loop)
{
    const rlxc_expr *var = rlxc_var_like(ctx, loop->loop.var);
    shift s = {ctx, loop->loop.var, rlxc_add(ctx, var, loop->loop.min)};
    const rlxc_stmt_rewriter rewriter = {.user = &s, .expr = shifted};
    rlxc_stmt *own = rlxc_copy(ctx, loop, sizeof *own);
    own->loop.var = var;
    own->loop.min = rlxc_int(ctx, var->dtype, 0);
    own->loop.body = rlxc_stmt_rewrite(ctx, loop->loop.body, &rewriter);
    return own;
}

/* |loop| with the constant of the minimum that is its extent as the extent, and the other operand
 * as a condition; NULL: the extent is no such minimum. */
static const rlxc_stmt *under_limit(rlxc_context *ctx, const rlxc_stmt *loop)
{
    const rlxc_expr *e = loop->loop.extent;
    int64_t size;
    while ((e->kind == RLXC_EXPR_CAST && e->dtype.bits >= e->bin.a->dtype.bits) ||
           (e->kind == RLXC_EXPR_MAX && rlxc_is_int(e->bin.b, &size) && size <= 0))
        e = e->bin.a;
    if (e->kind != RLXC_EXPR_MIN || loop->loop.kind != RLXC_LOOP_SERIAL)
        return NULL;
    const bool first = rlxc_is_int(e->bin.a, &size);
    const rlx_dtype t = loop->loop.var->dtype;
    if ((!first && !rlxc_is_int(e->bin.b, &size)) || size < 0 || size > INT32_MAX || e->from_memory)
        return NULL;
    const rlxc_expr *limit = rlxc_cast(ctx, RLX_I64, first ? e->bin.b : e->bin.a);
    const rlxc_expr *var = rlxc_cast(ctx, RLX_I64, loop->loop.var);
    rlxc_stmt *own = rlxc_copy(ctx, loop, sizeof *own);
    own->loop.extent = rlxc_int(ctx, t, size);
    own->loop.body =
        rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, var, limit), loop->loop.body, NULL);
    return own;
}

static const rlxc_stmt *plain_loop(void *user, const rlxc_stmt *s)
{
    rlxc_context *ctx = user;
    if (s->kind != RLXC_STMT_FOR)
        return NULL;
    const bool stays = rlxc_is_const(s->loop.min, 0) || s->loop.min->from_memory;
    const rlxc_stmt *own = stays ? s : from_zero(ctx, s);
    const rlxc_stmt *limited = under_limit(ctx, own);
    return limited ? limited : own;
}

const rlxc_stmt *rlxc_plain_loops(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .stmt = plain_loop};
    return rlxc_stmt_rewrite(ctx, stmt, &rewriter);
}

/* Spellings of TIR that mean the same, as one: the first step of normal form.
 *
 *   T.pow(x, 2)                      x * x
 *   i >> 3, i << 3, i & 7            i // 8, i * 8, i % 8: indices only, words of weights are loads
 *   T.Not(i >= n)                    i < n, of integers
 *   T.Let(v * v, where={v: x})       x * x
 *   v = i * 8; A[v] = B[v]           A[i * 8] = B[i * 8]: indices only
 *   for i in range(1, n)             for i in range(n - 1), with i + 1 for i
 *   for i in range(T.min(8, n))      for i in range(8): if i < n
 *   for f in range(n * 8): A[f // 8] += B[f // 8, f % 8]
 *                                    for i, j in T.grid(n, 8): A[i] += B[i, j]
 *
 * A loop's bounds are computed once, before it: bounds that load stay, because the body may change
 * what they load. */
#include <string.h>

#include "compiler/schedule/normal_space.h"
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

/* Buffers may have names of values in their shapes. */
static bool find_buffer(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || s->kind == RLXC_STMT_DECL_BUFFER || s->kind == RLXC_STMT_ALLOCATE ||
             (s->kind == RLXC_STMT_BLOCK &&
              (s->block.block->n_allocs > 0 || s->block.block->n_matches > 0));
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

/* --- fused loops ------------------------------------------------------------------------------ */

typedef struct cutting { /* of |var| into high * by + low */
    rlxc_context *ctx;
    const rlxc_expr *var, *by, *high, *low;
    bool whole; /* |var| is used in other ways */
    rlxc_bounds bounds;
} cutting;

/* The divisor of |e|, a quotient or remainder of the variable; or NULL. */
static const rlxc_expr *divisor_of(const cutting *c, const rlxc_expr *e)
{
    if (e->kind != RLXC_EXPR_FLOORDIV && e->kind != RLXC_EXPR_FLOORMOD)
        return NULL;
    const rlxc_expr *of = e->bin.a;
    if (of->kind == RLXC_EXPR_CAST && of->dtype.bits > of->bin.a->dtype.bits)
        of = of->bin.a;
    return of == c->var ? e->bin.b : NULL;
}

/* Notes the smallest number that divides the variable, or else a size. */
static bool find_divisor(void *user, const rlxc_expr *e)
{
    cutting *c = user;
    int64_t by, best;
    const rlxc_expr *d = divisor_of(c, e);
    if (!d)
        return true;
    const bool number = rlxc_is_int(d, &by);
    if (number ? by > 1 && (!c->by || !rlxc_is_int(c->by, &best) || by < best)
               : !c->by && rlxc_is_size(c->ctx, d))
        c->by = rlxc_wide(c->ctx, d);
    return true;
}

static bool find_divisor_in(void *user, const rlxc_stmt *s)
{
    rlxc_stmt_nodes(((cutting *)user)->ctx, s, find_divisor, user);
    return true;
}

static const rlxc_expr *cut_node(void *user, const rlxc_expr *e)
{
    cutting *c = user;
    if (e->kind == RLXC_EXPR_EQ && e->bin.a == c->var && rlxc_is_const(e->bin.b, 0))
        return rlxc_binary(c->ctx, RLXC_EXPR_AND,
                           rlxc_binary(c->ctx, RLXC_EXPR_EQ, c->high, e->bin.b),
                           rlxc_binary(c->ctx, RLXC_EXPR_EQ, c->low, e->bin.b));
    const rlxc_expr *d = divisor_of(c, e);
    const rlxc_expr *times = d ? rlxc_exact_quotient(c->ctx, rlxc_wide(c->ctx, d), c->by) : NULL;
    if (!times) {
        c->whole = c->whole || d || e == c->var;
        return d ? e : NULL;
    }
    const rlx_dtype t = e->dtype;
    const rlxc_expr *high = rlxc_cast(c->ctx, t, c->high), *low = rlxc_cast(c->ctx, t, c->low);
    high = rlxc_binary(c->ctx, (rlxc_expr_kind)e->kind, high, rlxc_cast(c->ctx, t, times));
    return e->kind == RLXC_EXPR_FLOORDIV
               ? high
               : rlxc_add(c->ctx, rlxc_mul(c->ctx, high, rlxc_cast(c->ctx, t, c->by)), low);
}

static const rlxc_expr *cut_expr(void *user, const rlxc_expr *e)
{
    cutting *c = user;
    const rlxc_expr *own = rlxc_expr_rewrite_all(c->ctx, e, cut_node, c);
    return own == e ? e : rlxc_simplify(c->ctx, own, &c->bounds);
}

/* |loop|, from 0, as two loops if its steps use only quotients and remainders of the variable. */
static const rlxc_stmt *cut_loop(rlxc_context *ctx, const rlxc_stmt *loop)
{
    const rlxc_expr *var = loop->loop.var, *zero = rlxc_int(ctx, var->dtype, 0);
    cutting c = {.ctx = ctx, .var = var};
    if ((loop->loop.kind != RLXC_LOOP_SERIAL && loop->loop.kind != RLXC_LOOP_PARALLEL) ||
        !rlxc_is_const(loop->loop.min, 0) || loop->loop.extent->from_memory)
        return loop;
    rlxc_stmt_visit(loop->loop.body, find_divisor_in, &c);
    const rlxc_expr *extent = rlxc_canonical(ctx, rlxc_wide(ctx, loop->loop.extent), NULL);
    const rlxc_expr *count = c.by ? rlxc_exact_quotient(ctx, extent, c.by) : NULL;
    if (!count || rlxc_is_const(count, 1))
        return loop;
    c.high = rlxc_var_like(ctx, var);
    c.low = rlxc_var_like(ctx, var);
    rlxc_bound_loop(ctx, &c.bounds, c.high, zero, count);
    rlxc_bound_loop(ctx, &c.bounds, c.low, zero, c.by);
    const rlxc_stmt_rewriter rewriter = {.user = &c, .expr = cut_expr};
    rlxc_stmt *low = rlxc_copy(ctx, loop, sizeof *low), *high = rlxc_copy(ctx, loop, sizeof *high);
    low->loop.body = rlxc_stmt_rewrite(ctx, loop->loop.body, &rewriter);
    if (c.whole || rlxc_failed(ctx))
        return loop;
    low->loop.var = c.low;
    low->loop.kind = RLXC_LOOP_SERIAL;
    low->loop.extent = rlxc_cast(ctx, var->dtype, c.by);
    high->loop.var = c.high;
    high->loop.extent = rlxc_cast(ctx, var->dtype, count);
    high->loop.body = cut_loop(ctx, low);
    return cut_loop(ctx, high);
}

static const rlxc_stmt *cut_at(void *user, const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_FOR ? cut_loop(user, s) : NULL;
}

const rlxc_stmt *rlxc_cut_loops(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .stmt = cut_at};
    return rlxc_stmt_rewrite(ctx, stmt, &rewriter);
}

typedef struct count {
    rlxc_context *ctx;
    uint32_t n;
} count;

static bool count_divided(void *user, const rlxc_stmt *s)
{
    count *n = user;
    if (s->kind != RLXC_STMT_FOR)
        return true;
    cutting c = {.ctx = n->ctx, .var = s->loop.var};
    rlxc_stmt_visit(s->loop.body, find_divisor_in, &c);
    n->n += c.by != NULL;
    return true;
}

uint32_t rlxc_divided_loops(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    count n = {.ctx = ctx};
    rlxc_stmt_visit(rlxc_cut_loops(ctx, stmt), count_divided, &n);
    return n.n;
}

/* Loops of TIR that mean the same, as one form.
 *
 *   for i in range(1, n)             for i in range(n - 1), with i + 1 for i
 *   for i in range(T.min(8, n))      for i in range(8): if i < n
 *   for i in range((n + 7) // 8 * 8): if i < n
 *                                    for i in range(n)
 *   for i, j in T.grid(n, 8): A[i * 8 + j] = ...
 *                                    for f in range(n * 8): A[f] = ...
 *   for f in range(n * 8): A[f // 8] += B[f // 8, f % 8]
 *                                    for i, j in T.grid(n, 8): A[i] += B[i, j]
 *
 * A loop's bounds are computed once, before it: bounds that load stay, because the body may change
 * what they load. */
#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

/* --- buffers in loops ------------------------------------------------------------------------- */

typedef struct shapes {
    rlxc_context *ctx;
    const rlxc_expr *var;
    bool use; /* a shape, stride or offset uses the variable */
} shapes;

static void look_at_buffer(shapes *l, const rlxc_buffer *b)
{
    for (uint32_t i = 0; i < b->ndim; i++)
        l->use = l->use || rlxc_expr_uses_var(l->ctx, b->shape[i], l->var) ||
                 (b->strides && rlxc_expr_uses_var(l->ctx, b->strides[i], l->var));
    l->use = l->use || (b->elem_offset && rlxc_expr_uses_var(l->ctx, b->elem_offset, l->var));
}

static bool look_at_declared(void *user, const rlxc_stmt *s)
{
    shapes *l = user;
    if (s->kind == RLXC_STMT_DECL_BUFFER)
        look_at_buffer(l, s->decl);
    for (uint32_t i = 0; s->kind == RLXC_STMT_BLOCK && i < s->block.block->n_allocs; i++)
        look_at_buffer(l, s->block.block->allocs[i]);
    for (uint32_t i = 0; s->kind == RLXC_STMT_BLOCK && i < s->block.block->n_matches; i++)
        look_at_buffer(l, s->block.block->matches[i].buffer);
    return !l->use;
}

bool rlxc_shapes_buffers(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_expr *var)
{
    shapes l = {ctx, var, false};
    rlxc_stmt_visit(stmt, look_at_declared, &l);
    return l.use;
}

static bool loop_shapes(rlxc_context *ctx, const rlxc_stmt *loop)
{
    return rlxc_shapes_buffers(ctx, loop->loop.body, loop->loop.var);
}

/* --- from 0 ----------------------------------------------------------------------------------- */

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
    if (s->kind == RLXC_STMT_IF) {
        rlxc_stmt *own = rlxc_copy(ctx, s, sizeof *own);
        own->if_.cond = rlxc_simplify(ctx, s->if_.cond, NULL);
        return own->if_.cond == s->if_.cond ? NULL : own;
    }
    if (s->kind != RLXC_STMT_FOR)
        return NULL;
    const bool stays =
        rlxc_is_const(s->loop.min, 0) || s->loop.min->from_memory || loop_shapes(ctx, s);
    const rlxc_stmt *own = stays ? s : from_zero(ctx, s);
    const rlxc_stmt *limited = under_limit(ctx, own);
    return limited ? limited : own;
}

const rlxc_stmt *rlxc_plain_loops(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .stmt = plain_loop};
    return rlxc_stmt_rewrite(ctx, stmt, &rewriter);
}

/* --- limits ----------------------------------------------------------------------------------- */

static bool may_join(const rlxc_stmt *loop)
{
    return (loop->loop.kind == RLXC_LOOP_SERIAL || loop->loop.kind == RLXC_LOOP_PARALLEL) &&
           rlxc_is_const(loop->loop.min, 0) && !loop->loop.extent->from_memory;
}

typedef struct limits {
    rlxc_context *ctx;
    const rlxc_expr *var, *extent; /* of a loop that reaches every limit left out */
    const rlxc_bounds *bounds;     /* of all loops */
} limits;

/* Ends the loop where its variable alone takes |sum| to |limit|. */
static void end_at_sum(limits *l, const rlxc_expr *sum, const rlxc_expr *limit)
{
    int64_t by, last, extent;
    const rlxc_expr *rest;
    if (!rlxc_is_int(limit, &last) || !rlxc_is_int(l->extent, &extent) || last < 0 ||
        !rlxc_linear_in(l->ctx, sum, l->var, &by, &rest) || by <= 1 ||
        rlxc_bound_of(l->ctx, rest, l->bounds).min < 0)
        return;
    last = last / by + (last % by > 0);
    if (last < extent)
        l->extent = rlxc_int(l->ctx, l->extent->dtype, last);
}

/* |cond| without the limits on the loop's variable, which become its extent; NULL: all of it. */
static const rlxc_expr *without_limits(limits *l, const rlxc_expr *cond)
{
    if (cond->kind == RLXC_EXPR_AND) {
        const rlxc_expr *a = without_limits(l, cond->bin.a), *b = without_limits(l, cond->bin.b);
        return a == cond->bin.a && b == cond->bin.b ? cond
               : a && b                             ? rlxc_binary(l->ctx, RLXC_EXPR_AND, a, b)
               : a                                  ? a
                                                    : b;
    }
    const bool less = cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE;
    const bool turned = cond->kind == RLXC_EXPR_GT || cond->kind == RLXC_EXPR_GE;
    if (!less && !turned)
        return cond;
    const rlxc_expr *low = turned ? cond->bin.b : cond->bin.a;
    const rlxc_expr *limit = turned ? cond->bin.a : cond->bin.b;
    if (cond->kind == RLXC_EXPR_LE || cond->kind == RLXC_EXPR_GE)
        limit = rlxc_add(l->ctx, limit, rlxc_int(l->ctx, limit->dtype, 1));
    if (low != l->var)
        end_at_sum(l, low, limit);
    if (low != l->var || !rlxc_is_size(l->ctx, limit))
        return cond;
    if (rlxc_covers(l->ctx, l->extent, 1, limit))
        l->extent = limit;
    else if (!rlxc_prove_le(l->ctx, l->extent, limit, NULL))
        return cond;
    return NULL;
}

static const rlxc_stmt *unlimited(limits *l, const rlxc_stmt *s);

/* The sequence |s| if all of its statements have the same limit. */
static const rlxc_stmt *unlimited_seq(limits *l, const rlxc_stmt *s)
{
    const rlxc_stmt **items = rlxc_alloc(l->ctx, ((size_t)s->seq.n + 1) * sizeof *items);
    limits first = *l;
    for (uint32_t i = 0; i < s->seq.n; i++) {
        limits own = *l;
        items[i] = unlimited(&own, s->seq.items[i]);
        first = i == 0 ? own : first;
        const bool none = items[i] == s->seq.items[i] && own.extent == l->extent;
        if (none || own.extent != first.extent)
            return s;
    }
    *l = first;
    return s->seq.n > 0 ? rlxc_stmt_seq(l->ctx, items, s->seq.n) : s;
}

/* |s|, loops around a statement, without the limits in that one's condition. */
static const rlxc_stmt *unlimited(limits *l, const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_SEQ)
        return unlimited_seq(l, s);
    rlxc_stmt *own = rlxc_copy(l->ctx, s, sizeof *own);
    if (s->kind == RLXC_STMT_FOR) {
        own->loop.body = unlimited(l, s->loop.body);
        return own->loop.body == s->loop.body ? s : own;
    }
    if (s->kind == RLXC_STMT_IF && !s->if_.otherwise) {
        own->if_.cond = without_limits(l, s->if_.cond);
        return own->if_.cond == s->if_.cond ? s : own->if_.cond ? own : s->if_.then;
    }
    if (s->kind == RLXC_STMT_BLOCK && s->block.predicate) {
        own->block.predicate = without_limits(l, s->block.predicate);
        return own->block.predicate == s->block.predicate ? s : own;
    }
    return s;
}

/* The loop |s| up to the limit that is set on its variable in it. */
static const rlxc_stmt *up_to_limit(rlxc_context *ctx, const rlxc_stmt *s,
                                    const rlxc_bounds *bounds)
{
    limits l = {ctx, s->loop.var, s->loop.extent, bounds};
    const rlxc_stmt *body = may_join(s) ? unlimited(&l, s->loop.body) : s->loop.body;
    if (body == s->loop.body && l.extent == s->loop.extent)
        return s;
    rlxc_stmt *own = rlxc_copy(ctx, s, sizeof *own);
    own->loop.extent = l.extent;
    own->loop.body = body;
    return own;
}

/* --- split loops ------------------------------------------------------------------------------ */

typedef struct join {
    rlxc_context *ctx;
    const rlxc_expr *vars[2], *next[2]; /* of both loops, and of a step later with the same sum */
    const rlxc_expr *to[2];             /* 0 and the sum */
    bool sums;                          /* the variables occur in their sum, high * n + low, only */
    rlxc_bounds bounds;                 /* of high, and of low as the sum */
} join;

static void check_sum(void *user, const rlxc_expr *e)
{
    join *j = user;
    if (!j->sums ||
        (!rlxc_expr_uses_var(j->ctx, e, j->vars[0]) && !rlxc_expr_uses_var(j->ctx, e, j->vars[1])))
        return;
    const rlxc_expr *next = rlxc_substitute(j->ctx, e, j->vars, j->next, 2);
    j->sums = rlxc_simplify(j->ctx, next, &j->bounds) == rlxc_simplify(j->ctx, e, &j->bounds);
}

static bool check_sums(void *user, const rlxc_stmt *s)
{
    join *j = user;
    rlxc_stmt_exprs(s, check_sum, j);
    return j->sums;
}

static const rlxc_expr *joined(void *user, const rlxc_expr *e);

/* Drops the products that are 0 now. The digits of other loops stay as they are written: their
 * canonical form may be harder to read. */
static const rlxc_expr *joined_node(void *user, const rlxc_expr *e)
{
    const join *j = user;
    for (int i = 0; i < 2; i++)
        if (e == j->vars[i])
            return j->to[i];
    if ((e->kind != RLXC_EXPR_ADD && e->kind != RLXC_EXPR_MUL) || !rlxc_is_index_type(e->dtype))
        return NULL;
    const rlxc_expr *a = joined(user, e->bin.a), *b = joined(user, e->bin.b);
    const bool product = e->kind == RLXC_EXPR_MUL;
    if (rlxc_is_const(a, 0))
        return product ? a : b;
    if (rlxc_is_const(b, 0))
        return product ? b : a;
    return a == e->bin.a && b == e->bin.b ? e : rlxc_binary(j->ctx, (rlxc_expr_kind)e->kind, a, b);
}

static const rlxc_expr *joined(void *user, const rlxc_expr *e)
{
    const join *j = user;
    return rlxc_expr_rewrite_all(j->ctx, e, joined_node, user);
}

/* True if a lane of |store| may load what another lane stores: all lanes are loaded first. */
static bool lanes_meet(rlxc_context *ctx, const rlxc_stmt *store)
{
    const rlxc_buffer *b = store->store.buffer;
    const rlxc_expr *const *at = store->store.indices;
    bool reads = rlxc_mentions(ctx, store->store.value, b), apart = false;
    for (uint32_t i = 0; i < store->store.n; i++) {
        int64_t stride;
        if (rlxc_mentions(ctx, at[i], b))
            return true;
        apart = apart || (at[i]->kind == RLXC_EXPR_RAMP &&
                          rlxc_is_int(at[i]->ramp.stride, &stride) && stride != 0);
    }
    return reads && (!apart || rlxc_mentions_elsewhere(ctx, store->store.value, b, at));
}

/* True for the inner one of two loops that may become one serial loop. */
static bool may_join_inner(const rlxc_stmt *loop)
{
    return loop->kind == RLXC_STMT_FOR &&
           (may_join(loop) ||
            ((loop->loop.kind == RLXC_LOOP_VECTORIZED || loop->loop.kind == RLXC_LOOP_UNROLLED) &&
             rlxc_is_const(loop->loop.min, 0)));
}

/* The loop |s| around another one as one loop; NULL: they are no digits of one variable. */
static const rlxc_stmt *join_two(rlxc_context *ctx, const rlxc_stmt *s)
{
    if (!may_join(s) || !may_join_inner(s->loop.body) || loop_shapes(ctx, s) ||
        loop_shapes(ctx, s->loop.body))
        return NULL;
    const rlxc_stmt *inner = s->loop.body;
    const rlxc_expr *high = s->loop.var, *low = inner->loop.var;
    const rlx_dtype t = low->dtype, of_high = high->dtype;
    const rlxc_expr *by = rlxc_wide(ctx, inner->loop.extent);
    const rlxc_expr *all =
        rlxc_canonical(ctx, rlxc_mul(ctx, rlxc_wide(ctx, s->loop.extent), by), NULL);
    int64_t n;
    if (of_high.bits > t.bits || rlxc_expr_uses_var(ctx, by, high) ||
        rlxc_bound_of(ctx, by, NULL).min < 0 ||
        (t.bits < 64 && (!rlxc_is_int(all, &n) || n > INT32_MAX)))
        return NULL;
    const rlxc_expr *sum = rlxc_var_like(ctx, low), *own_by = rlxc_cast(ctx, t, by);
    join j = {.ctx = ctx,
              .vars = {high, low},
              .next = {rlxc_add(ctx, high, rlxc_int(ctx, of_high, 1)), rlxc_sub(ctx, low, own_by)},
              .to = {rlxc_int(ctx, of_high, 0), sum},
              .sums = true};
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    rlxc_bound_loop(ctx, &j.bounds, high, zero, rlxc_wide(ctx, s->loop.extent));
    rlxc_bound_loop(ctx, &j.bounds, low, zero, all);
    rlxc_stmt_visit(inner->loop.body, check_sums, &j);
    if (!j.sums)
        return NULL;
    const rlxc_stmt_rewriter rewriter = {.user = &j, .expr = joined};
    rlxc_stmt *own = rlxc_copy(ctx, s, sizeof *own);
    own->loop.var = sum;
    own->loop.kind = inner->loop.kind == s->loop.kind ? s->loop.kind : RLXC_LOOP_SERIAL;
    own->loop.extent = rlxc_cast(ctx, t, all);
    own->loop.body = rlxc_stmt_rewrite(ctx, inner->loop.body, &rewriter);
    return own;
}

/* The body of |loop|, which has one step from 0. */
static const rlxc_stmt *only_step(rlxc_context *ctx, const rlxc_stmt *loop)
{
    const rlxc_expr *var = loop->loop.var;
    join j = {.ctx = ctx, .vars = {var}, .to = {rlxc_int(ctx, var->dtype, 0)}};
    const rlxc_stmt_rewriter rewriter = {.user = &j, .expr = joined};
    return rlxc_stmt_rewrite(ctx, loop->loop.body, &rewriter);
}

typedef struct joining {
    rlxc_context *ctx;
    rlxc_bounds bounds; /* of all loops */
} joining;

static bool note_bound(void *user, const rlxc_stmt *s)
{
    joining *j = user;
    if (s->kind == RLXC_STMT_FOR && rlxc_is_const(s->loop.min, 0))
        rlxc_bounds_set(j->ctx, &j->bounds, s->loop.var, (rlxc_bound){0, INT64_MAX - 1});
    if (s->kind == RLXC_STMT_FOR)
        rlxc_bound_loop(j->ctx, &j->bounds, s->loop.var, s->loop.min, s->loop.extent);
    return true;
}

static const rlxc_stmt *join_loop(void *user, const rlxc_stmt *s)
{
    joining *j = user;
    if (s->kind == RLXC_STMT_STORE)
        return rlxc_stores_vector(s) && !lanes_meet(j->ctx, s) ? rlxc_lane_loop(j->ctx, s) : NULL;
    const rlxc_stmt *next = s->kind == RLXC_STMT_FOR ? s : NULL;
    for (; next; next = join_two(j->ctx, s)) {
        s = up_to_limit(j->ctx, next, &j->bounds);
        if (may_join(s) && rlxc_is_const(s->loop.extent, 1) && !loop_shapes(j->ctx, s))
            return join_loop(j, only_step(j->ctx, s));
        note_bound(j, s);
    }
    return s;
}

const rlxc_stmt *rlxc_join_loops(rlxc_context *ctx, const rlxc_stmt *stmt)
{
    joining j = {.ctx = ctx};
    const rlxc_stmt_rewriter rewriter = {.user = &j, .stmt = join_loop};
    rlxc_stmt_visit(stmt, note_bound, &j);
    return rlxc_stmt_rewrite(ctx, stmt, &rewriter);
}

/* --- fused loops ------------------------------------------------------------------------------ */

typedef struct cutting { /* of |var| into high * by + low */
    rlxc_context *ctx;
    const rlxc_expr *var, *by, *high, *low;
    bool whole; /* |var| is used in other ways, too */
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

static const rlxc_expr *sum_of(const cutting *c, rlx_dtype t)
{
    const rlxc_expr *high = rlxc_cast(c->ctx, t, c->high), *by = rlxc_cast(c->ctx, t, c->by);
    return rlxc_add(c->ctx, rlxc_mul(c->ctx, high, by), rlxc_cast(c->ctx, t, c->low));
}

/* A comparison of the variable with a multiple of the lower digit's extent, as one of the higher
 * digit: 64 <= v is 1 <= v // 64. NULL: |e| is something else. */
static const rlxc_expr *compare_high(const cutting *c, const rlxc_expr *e)
{
    const bool below = e->kind == RLXC_EXPR_LT && e->bin.a == c->var; /* else from the limit on */
    if (!below && !(e->kind == RLXC_EXPR_LE && e->bin.b == c->var))
        return NULL;
    const rlxc_expr *limit = rlxc_wide(c->ctx, below ? e->bin.b : e->bin.a);
    limit = rlxc_exact_quotient(c->ctx, limit, c->by);
    const rlxc_expr *high = rlxc_wide(c->ctx, c->high);
    return !limit  ? NULL
           : below ? rlxc_binary(c->ctx, RLXC_EXPR_LT, high, limit)
                   : rlxc_binary(c->ctx, RLXC_EXPR_LE, limit, high);
}

static const rlxc_expr *cut_node(void *user, const rlxc_expr *e)
{
    cutting *c = user;
    const rlxc_expr *compared = compare_high(c, e);
    if (compared)
        return compared;
    if (e->kind == RLXC_EXPR_EQ && e->bin.a == c->var && rlxc_is_const(e->bin.b, 0))
        return rlxc_binary(c->ctx, RLXC_EXPR_AND,
                           rlxc_binary(c->ctx, RLXC_EXPR_EQ, c->high, e->bin.b),
                           rlxc_binary(c->ctx, RLXC_EXPR_EQ, c->low, e->bin.b));
    const rlxc_expr *d = divisor_of(c, e);
    const rlxc_expr *times = d ? rlxc_exact_quotient(c->ctx, rlxc_wide(c->ctx, d), c->by) : NULL;
    const rlx_dtype t = e->dtype;
    if (!times) {
        c->whole = c->whole || d || e == c->var;
        return d             ? rlxc_binary(c->ctx, (rlxc_expr_kind)e->kind, sum_of(c, t), d)
               : e == c->var ? sum_of(c, t)
                             : NULL;
    }
    const rlxc_expr *high = rlxc_cast(c->ctx, t, c->high), *low = rlxc_cast(c->ctx, t, c->low);
    high = rlxc_binary(c->ctx, (rlxc_expr_kind)e->kind, high, rlxc_cast(c->ctx, t, times));
    return e->kind == RLXC_EXPR_FLOORDIV
               ? high
               : rlxc_add(c->ctx, rlxc_mul(c->ctx, high, rlxc_cast(c->ctx, t, c->by)), low);
}

/* Simplifies unchanged expressions, too: an index that was equal to another one stays equal to it.
 */
static const rlxc_expr *cut_expr(void *user, const rlxc_expr *e)
{
    cutting *c = user;
    return rlxc_simplify(c->ctx, rlxc_expr_rewrite_all(c->ctx, e, cut_node, c), &c->bounds);
}

/* |loop|, from 0, as two loops if its steps use quotients and remainders of the variable; unless
 * |all|, only those. */
static const rlxc_stmt *cut_loop(rlxc_context *ctx, const rlxc_stmt *loop, bool all)
{
    const rlxc_expr *var = loop->loop.var, *zero = rlxc_int(ctx, var->dtype, 0);
    cutting c = {.ctx = ctx, .var = var};
    if ((loop->loop.kind != RLXC_LOOP_SERIAL && loop->loop.kind != RLXC_LOOP_PARALLEL) ||
        !rlxc_is_const(loop->loop.min, 0) || loop->loop.extent->from_memory ||
        loop_shapes(ctx, loop))
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
    if ((c.whole && !all) || rlxc_failed(ctx))
        return loop;
    low->loop.var = c.low;
    low->loop.kind = RLXC_LOOP_SERIAL;
    low->loop.extent = rlxc_cast(ctx, var->dtype, c.by);
    high->loop.var = c.high;
    high->loop.extent = rlxc_cast(ctx, var->dtype, count);
    high->loop.body = cut_loop(ctx, low, all);
    return cut_loop(ctx, high, all);
}

static const rlxc_stmt *cut_at(void *user, const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_FOR ? cut_loop(user, s, false) : NULL;
}

static const rlxc_stmt *cut_any(void *user, const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_FOR ? cut_loop(user, s, true) : NULL;
}

const rlxc_stmt *rlxc_cut_loops(rlxc_context *ctx, const rlxc_stmt *stmt, bool all)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .stmt = all ? cut_any : cut_at};
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
    rlxc_stmt_visit(rlxc_cut_loops(ctx, stmt, false), count_divided, &n);
    return n.n;
}

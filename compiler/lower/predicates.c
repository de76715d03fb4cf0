/* Finds where predicates of blocks begin or cease to hold along a loop, and rewrites bodies in
 * which they are decided.
 *
 * A predicate qualifies if it compares sums of loop variables times constants with loop-invariant
 * terms. As everywhere in indices, sums of 32-bit integers do not wrap. */
#include "compiler/lower/partition.h"

/* A sum of loop variables times factors: [0] the loop to be split, then the inner ones. */
typedef struct linear {
    int64_t by[RLXC_PARTITION_INNER + 1];
} linear;

static const rlxc_expr *variable(const rlxc_cut_search *s, uint32_t i)
{
    return i ? s->inner[i - 1]->loop.var : s->loop->loop.var;
}

static bool uses_loops(const rlxc_cut_search *s, const rlxc_expr *e)
{
    for (uint32_t i = 0; i <= s->n_inner; i++)
        if (rlxc_expr_uses_var(s->p->ctx, e, variable(s, i)))
            return true;
    return false;
}

static bool widens(const rlxc_expr *cast)
{
    const rlx_dtype from = cast->bin.a->dtype, to = cast->dtype;
    return to.code == RLX_INT && from.code == RLX_INT && from.bits >= 32 && to.bits >= from.bits &&
           !cast->bin.a->from_memory;
}

/* Adds |factor| * |e|, without terms that do not depend on the loops. */
static bool add_terms(const rlxc_cut_search *s, const rlxc_expr *e, int64_t factor, linear *out)
{
    const rlxc_expr *a = e->bin.a, *b = e->bin.b;
    int64_t constant;
    if (!uses_loops(s, e))
        return true;
    if (e->kind == RLXC_EXPR_ADD)
        return add_terms(s, a, factor, out) && add_terms(s, b, factor, out);
    if (e->kind == RLXC_EXPR_SUB)
        return factor != INT64_MIN && add_terms(s, a, factor, out) && add_terms(s, b, -factor, out);
    if (e->kind == RLXC_EXPR_MUL && (rlxc_is_int(b, &constant) || rlxc_is_int(a, &constant)))
        return !__builtin_mul_overflow(constant, factor, &constant) &&
               add_terms(s, rlxc_is_int(b, &factor) ? a : b, constant, out);
    if (e->kind == RLXC_EXPR_CAST)
        return widens(e) && add_terms(s, a, factor, out);
    for (uint32_t i = 0; i <= s->n_inner; i++)
        if (e == variable(s, i))
            return !__builtin_add_overflow(out->by[i], factor, &out->by[i]);
    return false;
}

static const rlxc_expr *wide(const rlxc_cut_search *s, const rlxc_expr *e)
{
    return rlxc_cast(s->p->ctx, RLX_I64, e);
}

/* |e| with all loop variables at 0. */
static const rlxc_expr *constant_part(const rlxc_cut_search *s, const rlxc_expr *e)
{
    for (uint32_t i = 0; i <= s->n_inner; i++) {
        const rlxc_expr *var = variable(s, i), *zero = rlxc_int(s->p->ctx, var->dtype, 0);
        e = rlxc_substitute(s->p->ctx, e, &var, &zero, 1);
    }
    return wide(s, e);
}

/* |room| >= 0 is equivalent to |cond|: its constant part, and the factors. */
static bool room_of(const rlxc_cut_search *s, const rlxc_expr *cond, const rlxc_expr **out,
                    linear *by)
{
    const rlxc_expr_kind kind = (rlxc_expr_kind)cond->kind;
    const bool less = kind == RLXC_EXPR_LT || kind == RLXC_EXPR_LE;
    rlxc_context *ctx = s->p->ctx;
    if (!less && kind != RLXC_EXPR_GT && kind != RLXC_EXPR_GE)
        return false;
    const rlxc_expr *big = less ? cond->bin.b : cond->bin.a;
    const rlxc_expr *small = less ? cond->bin.a : cond->bin.b;
    if (big->dtype.code != RLX_INT || big->dtype.bits < 32 || big->dtype.lanes != 1 ||
        small->dtype.code != RLX_INT)
        return false;
    if (!add_terms(s, big, 1, by) || !add_terms(s, small, -1, by))
        return false;
    *out = rlxc_sub(ctx, constant_part(s, big), constant_part(s, small));
    if (kind == RLXC_EXPR_LT || kind == RLXC_EXPR_GT)
        *out = rlxc_sub(ctx, *out, rlxc_i64(ctx, 1));
    return true;
}

/* Adds the range of the inner loops to |*least| and |*most|. */
static bool add_inner(const rlxc_cut_search *s, const linear *by, const rlxc_expr **least,
                      const rlxc_expr **most)
{
    rlxc_context *ctx = s->p->ctx;
    for (uint32_t i = 1; i <= s->n_inner; i++) {
        const rlxc_stmt *loop = s->inner[i - 1];
        if (by->by[i] == 0)
            continue;
        if (uses_loops(s, loop->loop.min) || uses_loops(s, loop->loop.extent))
            return false;
        const rlxc_expr *factor = rlxc_i64(ctx, by->by[i]), *first = wide(s, loop->loop.min);
        const rlxc_expr *last =
            rlxc_sub(ctx, rlxc_add(ctx, first, wide(s, loop->loop.extent)), rlxc_i64(ctx, 1));
        const rlxc_expr *at_first = rlxc_mul(ctx, first, factor);
        const rlxc_expr *at_last = rlxc_mul(ctx, last, factor);
        *least = rlxc_add(ctx, *least, by->by[i] > 0 ? at_first : at_last);
        *most = rlxc_add(ctx, *most, by->by[i] > 0 ? at_last : at_first);
    }
    return true;
}

static bool at_most(const rlxc_cut_search *s, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_prove_le(s->p->ctx, a, b, s->p->bounds);
}

static const rlxc_expr *clamp(const rlxc_cut_search *s, const rlxc_expr *e, const rlxc_expr *low)
{
    rlxc_context *ctx = s->p->ctx;
    e = s->p->simplify(s->p->user, e);
    if (!at_most(s, low, e))
        e = at_most(s, e, low) ? low : rlxc_binary(ctx, RLXC_EXPR_MAX, e, low);
    if (!at_most(s, e, s->high))
        e = at_most(s, s->high, e) ? s->high : rlxc_binary(ctx, RLXC_EXPR_MIN, e, s->high);
    return s->p->simplify(s->p->user, e);
}

bool rlxc_partition_cuts(const rlxc_cut_search *s, const rlxc_expr *cond, rlxc_cut_condition *out)
{
    rlxc_context *ctx = s->p->ctx;
    linear by = {{0}};
    const rlxc_expr *least, *most, *one = rlxc_i64(ctx, 1), *zero = rlxc_i64(ctx, 0);
    if (!room_of(s, cond, &least, &by) || by.by[0] == 0 || by.by[0] == INT64_MIN)
        return false;
    most = least;
    if (!add_inner(s, &by, &least, &most))
        return false;
    out->rises = by.by[0] > 0;
    const rlxc_expr *step = rlxc_i64(ctx, out->rises ? by.by[0] : -by.by[0]);
    const rlxc_expr *cut[2];
    for (int i = 0; i < 2; i++) {
        /* v >= ceil(-room / step), or v <= floor(room / step) */
        const rlxc_expr *room = out->rises ? rlxc_sub(ctx, zero, i ? least : most)
                                           : rlxc_add(ctx, i ? most : least, step);
        if (out->rises)
            room = rlxc_add(ctx, room, rlxc_sub(ctx, step, one));
        cut[i] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, room, step);
    }
    out->first = clamp(s, cut[0], s->low);
    out->end = least == most ? out->first : clamp(s, cut[1], out->first);
    return true;
}

/* --- bodies ----------------------------------------------------------------------------------- */

typedef struct decision {
    rlxc_context *ctx;
    const rlxc_cut_search *s;
    const rlxc_cut_condition *like; /* predicates with the same boundaries are decided */
    bool holds;
} decision;

bool rlxc_partition_alike(const rlxc_cut_condition *a, const rlxc_cut_condition *b)
{
    return a->usable && b->usable && a->first == b->first && a->end == b->end &&
           a->rises == b->rises;
}

static bool is_decided(const decision *d, const rlxc_expr *cond)
{
    for (uint32_t i = 0; i < d->s->n; i++)
        if (d->s->conds[i].cond == cond && rlxc_partition_alike(&d->s->conds[i], d->like))
            return true;
    return false;
}

/* The rest of a predicate: NULL if nothing is left; |*never|: it does not hold. */
static const rlxc_expr *undecided(const decision *d, const rlxc_expr *predicate, bool *never)
{
    if (predicate->kind == RLXC_EXPR_AND) {
        const rlxc_expr *a = undecided(d, predicate->bin.a, never);
        const rlxc_expr *b = undecided(d, predicate->bin.b, never);
        if (a == predicate->bin.a && b == predicate->bin.b)
            return predicate;
        return !a ? b : !b ? a : rlxc_binary(d->ctx, RLXC_EXPR_AND, a, b);
    }
    if (!is_decided(d, predicate))
        return predicate;
    *never = *never || !d->holds;
    return NULL;
}

static const rlxc_expr *decide_value(void *user, const rlxc_expr *e)
{
    const decision *d = user;
    return is_decided(d, e) ? rlxc_bool(d->ctx, d->holds) : NULL;
}

static const rlxc_stmt *decide_stmt(void *user, const rlxc_stmt *s)
{
    const decision *d = user;
    bool never = false;
    if (s->kind == RLXC_STMT_STORE && d->s->hinted) {
        const rlxc_expr *value =
            rlxc_expr_rewrite_all(d->ctx, s->store.value, decide_value, (void *)(uintptr_t)d);
        return rlxc_stmt_store(d->ctx, s->store.buffer, s->store.indices, s->store.n,
                               rlxc_simplify(d->ctx, value, NULL));
    }
    if (s->kind != RLXC_STMT_BLOCK || !s->block.predicate)
        return NULL;
    const rlxc_expr *rest = undecided(d, s->block.predicate, &never);
    if (never)
        return rlxc_stmt_nothing(d->ctx);
    if (rest == s->block.predicate)
        return NULL;
    return rlxc_stmt_block(d->ctx, s->block.block, s->block.values, rest);
}

const rlxc_stmt *rlxc_partition_decided(const rlxc_cut_search *s, const rlxc_cut_condition *c,
                                        bool holds, const rlxc_stmt *body)
{
    decision d = {s->p->ctx, s, c, holds};
    const rlxc_stmt_rewriter rewriter = {.user = &d, .stmt = decide_stmt};
    return rlxc_stmt_rewrite(s->p->ctx, body, &rewriter);
}

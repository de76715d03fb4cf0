/* Loops that another tool cut into consecutive parts (loop_partition) become one again:
 *
 *   for j in range(64): S(j)                      for j in range(256): S(j)
 *   for j in range(64, 256): S(j)
 *
 * also where the second part counts from 0, for j in range(192): S(j + 64).
 * The parts do the same for each j, up to the names of variables, so the order of everything stays.
 * An axis whose value is j has the range of the loop. */
#include "compiler/schedule/normal.h"

enum { MOST_VARS = 64 };

typedef struct pairing { /* of variables bound in the second part with those of the first */
    rlxc_context *ctx;
    const rlxc_expr *from[MOST_VARS], *to[MOST_VARS];
    uint32_t n;
    const rlxc_stmt *a, *b; /* the loops */
} pairing;

static bool pair(pairing *p, const rlxc_expr *from, const rlxc_expr *to)
{
    if (p->n == MOST_VARS || !rlxc_dtype_eq(from->dtype, to->dtype))
        return false;
    p->from[p->n] = from;
    p->to[p->n++] = to;
    return true;
}

static bool same_expr(pairing *p, const rlxc_expr *a, const rlxc_expr *b)
{
    if (a == b || !a || !b)
        return a == b;
    const rlxc_expr *renamed = rlxc_substitute(p->ctx, b, p->from, p->to, p->n);
    return a == renamed || rlxc_simplify(p->ctx, a, NULL) == rlxc_simplify(p->ctx, renamed, NULL);
}

static bool same(pairing *p, const rlxc_stmt *a, const rlxc_stmt *b);

/* True if both axes, of these values, have the same range, or those of the loops. */
static bool same_axis(pairing *p, const rlxc_axis *x, const rlxc_expr *of_x, const rlxc_axis *y,
                      const rlxc_expr *of_y)
{
    if (x->kind != y->kind || !same_expr(p, of_x, of_y))
        return false;
    if (same_expr(p, x->min, y->min) && same_expr(p, x->extent, y->extent))
        return true;
    return of_x == p->a->loop.var && x->min == p->a->loop.min && x->extent == p->a->loop.extent &&
           y->extent == p->b->loop.extent &&
           rlxc_prove_eq(p->ctx, rlxc_add(p->ctx, x->min, x->extent), y->min, NULL);
}

static bool same_block(pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    const rlxc_block *x = a->block.block, *y = b->block.block;
    if (x->n_axes != y->n_axes || x->n_allocs || y->n_allocs || x->n_matches || y->n_matches ||
        !x->init != !y->init || !same_expr(p, a->block.predicate, b->block.predicate))
        return false;
    for (uint32_t i = 0; i < x->n_axes; i++)
        if (!same_axis(p, &x->axes[i], a->block.values[i], &y->axes[i], b->block.values[i]))
            return false;
    for (uint32_t i = 0; i < x->n_axes && x->init; i++)
        if (x->axes[i].kind == RLXC_AXIS_REDUCE &&
            rlxc_expr_uses_var(p->ctx, a->block.values[i], p->a->loop.var))
            return false; /* each part stores the initial value */
    for (uint32_t i = 0; i < x->n_axes; i++)
        if (!pair(p, y->axes[i].var, x->axes[i].var))
            return false;
    return (!x->init || same(p, x->init, y->init)) && same(p, x->body, y->body);
}

static bool same_store(pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    bool equal = a->store.buffer == b->store.buffer && a->store.n == b->store.n &&
                 same_expr(p, a->store.value, b->store.value);
    for (uint32_t i = 0; i < a->store.n && equal; i++)
        equal = same_expr(p, a->store.indices[i], b->store.indices[i]);
    return equal;
}

/* True if both statements do the same. */
static bool same(pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == RLXC_STMT_FOR)
        return a->loop.kind == b->loop.kind && same_expr(p, a->loop.min, b->loop.min) &&
               same_expr(p, a->loop.extent, b->loop.extent) && pair(p, b->loop.var, a->loop.var) &&
               same(p, a->loop.body, b->loop.body);
    if (a->kind == RLXC_STMT_BLOCK)
        return same_block(p, a, b);
    if (a->kind == RLXC_STMT_STORE)
        return same_store(p, a, b);
    if (a->kind == RLXC_STMT_IF)
        return same_expr(p, a->if_.cond, b->if_.cond) && same(p, a->if_.then, b->if_.then) &&
               !a->if_.otherwise && !b->if_.otherwise;
    bool equal = a->kind == RLXC_STMT_SEQ && a->seq.n == b->seq.n;
    for (uint32_t i = 0; equal && i < a->seq.n; i++)
        equal = same(p, a->seq.items[i], b->seq.items[i]);
    return equal;
}

/* Blocks in the loop: axes that had its range have it again. */
static const rlxc_stmt *with_range(void *user, const rlxc_stmt *s)
{
    const pairing *p = user;
    const rlxc_stmt *a = p->a;
    rlxc_block *own = NULL;
    for (uint32_t i = 0; s->kind == RLXC_STMT_BLOCK && i < s->block.block->n_axes; i++) {
        const rlxc_axis *axis = &s->block.block->axes[i];
        if (s->block.values[i] != a->loop.var || axis->min != a->loop.min ||
            axis->extent != a->loop.extent)
            continue;
        if (!own) {
            own = rlxc_copy(p->ctx, s->block.block, sizeof *own);
            own->axes = rlxc_copy(p->ctx, own->axes, own->n_axes * sizeof *own->axes);
            rlxc_forget_regions(own);
        }
        ((rlxc_axis *)(uintptr_t)own->axes)[i].extent =
            rlxc_canonical(p->ctx, rlxc_add(p->ctx, a->loop.extent, p->b->loop.extent), NULL);
    }
    if (!own)
        return NULL;
    rlxc_stmt *realize = rlxc_copy(p->ctx, s, sizeof *realize);
    realize->block.block = own;
    return realize;
}

/* The loop |a| with the iterations of |b|, which follow; or NULL. */
static const rlxc_stmt *joined(rlxc_context *ctx, const rlxc_stmt *a, const rlxc_stmt *b)
{
    pairing p = {.ctx = ctx, .a = a, .b = b};
    const rlxc_stmt_rewriter rewriter = {.user = &p, .stmt = with_range};
    if (a->kind != RLXC_STMT_FOR || b->kind != RLXC_STMT_FOR || a->loop.kind != b->loop.kind ||
        a->loop.kind == RLXC_LOOP_BOUND || a->loop.kind == RLXC_LOOP_VECTORIZED ||
        !rlxc_dtype_eq(a->loop.var->dtype, b->loop.var->dtype) ||
        rlxc_bound_of(ctx, a->loop.extent, NULL).min < 0 ||
        rlxc_bound_of(ctx, b->loop.extent, NULL).min < 0)
        return NULL;
    const rlxc_expr *by = rlxc_sub(ctx, b->loop.min, rlxc_add(ctx, a->loop.min, a->loop.extent));
    p.from[0] = b->loop.var;
    p.to[0] = rlxc_add(ctx, a->loop.var, rlxc_canonical(ctx, by, NULL));
    p.n = 1;
    if (!same(&p, a->loop.body, b->loop.body))
        return NULL;
    rlxc_stmt *own = rlxc_copy(ctx, a, sizeof *own);
    own->loop.body = rlxc_stmt_rewrite(ctx, a->loop.body, &rewriter);
    own->loop.extent = rlxc_canonical(ctx, rlxc_add(ctx, a->loop.extent, b->loop.extent), NULL);
    return own;
}

/* What |s| does, without blocks that only name it. */
static const rlxc_stmt *unwrapped(const rlxc_stmt *s)
{
    while (s->kind == RLXC_STMT_BLOCK && s->block.block->n_axes == 0 && !s->block.block->n_allocs &&
           !s->block.block->n_matches && !s->block.block->init &&
           (!s->block.predicate || rlxc_is_const(s->block.predicate, 1)))
        s = s->block.block->body;
    return s;
}

static const rlxc_stmt *join_parts(void *user, const rlxc_stmt *s)
{
    rlxc_context *ctx = user;
    if (s->kind != RLXC_STMT_SEQ)
        return NULL;
    const rlxc_stmt **items = rlxc_alloc(ctx, (size_t)s->seq.n * sizeof *items);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->seq.n; i++) {
        const rlxc_stmt *both =
            n ? joined(ctx, unwrapped(items[n - 1]), unwrapped(s->seq.items[i])) : NULL;
        if (both)
            items[n - 1] = both;
        else
            items[n++] = s->seq.items[i];
    }
    return n < s->seq.n ? rlxc_stmt_seq(ctx, items, n) : NULL;
}

const rlxc_stmt *rlxc_join_parts(rlxc_context *ctx, const rlxc_stmt *body)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .stmt = join_parts};
    return rlxc_stmt_rewrite(ctx, body, &rewriter);
}

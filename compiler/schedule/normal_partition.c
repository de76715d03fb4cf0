/* Loops that another tool cut into consecutive parts (loop_partition) become one again:
 *
 *   for j in range(64): S(j)                      for j in range(256): S(j)
 *   for j in range(64, 256): S(j)
 *
 * also where the second part counts from 0, for j in range(192): S(j + 64).
 * The parts do the same for each j, up to the names of variables, so the order of everything stays.
 * An axis whose value is j has the range of the loop. So do a loop of whole tiles and the rest
 * after it, and branches for whole tiles and for the rest. */
#include "compiler/analysis/reach.h"
#include "compiler/schedule/normal_space.h"

bool rlxc_pair(rlxc_pairing *p, const rlxc_expr *from, const rlxc_expr *to)
{
    if (p->n == RLXC_PAIRED_VARS)
        return false;
    p->from[p->n] = from;
    p->to[p->n++] = rlxc_cast(p->ctx, from->dtype, to);
    return true;
}

bool rlxc_same_expr(rlxc_pairing *p, const rlxc_expr *a, const rlxc_expr *b)
{
    if (a == b || !a || !b)
        return a == b;
    const rlxc_expr *renamed = rlxc_substitute(p->ctx, b, p->from, p->to, p->n);
    return a == renamed || rlxc_simplify(p->ctx, a, NULL) == rlxc_simplify(p->ctx, renamed, NULL);
}

/* True if both axes, of these values, have the same range, or those of the loops. */
static bool same_axis(rlxc_pairing *p, const rlxc_axis *x, const rlxc_expr *of_x,
                      const rlxc_axis *y, const rlxc_expr *of_y)
{
    if (x->kind != y->kind || !rlxc_same_expr(p, of_x, of_y))
        return false;
    if (rlxc_same_expr(p, x->min, y->min) && rlxc_same_expr(p, x->extent, y->extent))
        return true;
    return p->a && of_x == p->a->loop.var && x->min == p->a->loop.min &&
           x->extent == p->a->loop.extent && y->extent == p->b->loop.extent &&
           rlxc_prove_eq(p->ctx, rlxc_add(p->ctx, x->min, x->extent), y->min, NULL);
}

static bool same_block(rlxc_pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    const rlxc_block *x = a->block.block, *y = b->block.block;
    if (x->n_axes != y->n_axes || x->n_allocs || y->n_allocs || x->n_matches || y->n_matches ||
        !x->init != !y->init || !rlxc_same_expr(p, a->block.predicate, b->block.predicate))
        return false;
    for (uint32_t i = 0; i < x->n_axes; i++)
        if (!same_axis(p, &x->axes[i], a->block.values[i], &y->axes[i], b->block.values[i]))
            return false;
    for (uint32_t i = 0; i < x->n_axes && x->init && p->a; i++)
        if (x->axes[i].kind == RLXC_AXIS_REDUCE &&
            rlxc_expr_uses_var(p->ctx, a->block.values[i], p->a->loop.var))
            return false; /* each part stores the initial value */
    for (uint32_t i = 0; i < x->n_axes; i++)
        if (!rlxc_pair(p, y->axes[i].var, x->axes[i].var))
            return false;
    return (!x->init || rlxc_same_stmt(p, x->init, y->init)) && rlxc_same_stmt(p, x->body, y->body);
}

static bool same_store(rlxc_pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    bool equal = a->store.buffer == b->store.buffer && a->store.n == b->store.n &&
                 rlxc_same_expr(p, a->store.value, b->store.value);
    for (uint32_t i = 0; i < a->store.n && equal; i++)
        equal = rlxc_same_expr(p, a->store.indices[i], b->store.indices[i]);
    return equal;
}

bool rlxc_same_stmt(rlxc_pairing *p, const rlxc_stmt *a, const rlxc_stmt *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == RLXC_STMT_FOR)
        return a->loop.kind == b->loop.kind && rlxc_same_expr(p, a->loop.min, b->loop.min) &&
               rlxc_same_expr(p, a->loop.extent, b->loop.extent) &&
               rlxc_pair(p, b->loop.var, a->loop.var) &&
               rlxc_same_stmt(p, a->loop.body, b->loop.body);
    if (a->kind == RLXC_STMT_BLOCK)
        return same_block(p, a, b);
    if (a->kind == RLXC_STMT_STORE)
        return same_store(p, a, b);
    if (a->kind == RLXC_STMT_IF)
        return rlxc_same_expr(p, a->if_.cond, b->if_.cond) &&
               rlxc_same_stmt(p, a->if_.then, b->if_.then) && !a->if_.otherwise &&
               !b->if_.otherwise;
    bool equal = a->kind == RLXC_STMT_SEQ && a->seq.n == b->seq.n;
    for (uint32_t i = 0; equal && i < a->seq.n; i++)
        equal = rlxc_same_stmt(p, a->seq.items[i], b->seq.items[i]);
    return equal;
}

/* Blocks in the loop: axes that had its range have it again. */
static const rlxc_stmt *with_range(void *user, const rlxc_stmt *s)
{
    const rlxc_pairing *p = user;
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
    rlxc_pairing p = {.ctx = ctx, .a = a, .b = b};
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
    if (!rlxc_same_stmt(&p, a->loop.body, b->loop.body))
        return NULL;
    rlxc_stmt *own = rlxc_copy(ctx, a, sizeof *own);
    own->loop.body = rlxc_stmt_rewrite(ctx, a->loop.body, &rewriter);
    own->loop.extent = rlxc_canonical(ctx, rlxc_add(ctx, a->loop.extent, b->loop.extent), NULL);
    return own;
}

/* A loop of tiles as one loop: the variables of both, and what they become. */
typedef struct fusing {
    rlxc_context *ctx;
    const rlxc_expr *from[2], *to[2], *var;
    bool apart; /* something uses one of them alone */
} fusing;

static bool find_parts(void *user, const rlxc_expr *e)
{
    fusing *f = user;
    f->apart = f->apart || ((e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD) &&
                            rlxc_expr_uses_var(f->ctx, e, f->var));
    return !f->apart;
}

static const rlxc_expr *fused_expr(void *user, const rlxc_expr *e)
{
    fusing *f = user;
    e = rlxc_simplify(f->ctx, rlxc_substitute(f->ctx, e, f->from, f->to, 2), NULL);
    rlxc_expr_visit(f->ctx, e, find_parts, f);
    return e;
}

/* `for i0, i1 in T.grid(n, c): S(i0 * c + i1)` as `for i in range(n * c): S(i)`; NULL: it has
 * another form. */
static const rlxc_stmt *without_tiles(rlxc_context *ctx, const rlxc_stmt *s)
{
    const rlxc_stmt *inner = s->kind == RLXC_STMT_FOR ? s->loop.body : NULL;
    int64_t size;
    if (!inner || inner->kind != RLXC_STMT_FOR || s->loop.kind != RLXC_LOOP_SERIAL ||
        inner->loop.kind != RLXC_LOOP_SERIAL || !rlxc_is_const(s->loop.min, 0) ||
        !rlxc_is_const(inner->loop.min, 0) || !rlxc_is_int(inner->loop.extent, &size) || size < 1)
        return NULL;
    const rlxc_expr *var = rlxc_var_like(ctx, s->loop.var), *by = rlxc_int(ctx, var->dtype, size),
                    *own = inner->loop.var;
    fusing f = {.ctx = ctx, .from = {s->loop.var, own}, .var = var};
    f.to[0] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, var, by);
    f.to[1] = rlxc_cast(ctx, own->dtype, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, var, by));
    const rlxc_stmt_rewriter rewriter = {.user = &f, .expr = fused_expr};
    const rlxc_stmt *body = rlxc_stmt_rewrite(ctx, inner->loop.body, &rewriter);
    const rlxc_expr *extent = rlxc_canonical(ctx, rlxc_mul(ctx, s->loop.extent, by), NULL);
    return f.apart ? NULL
                   : rlxc_stmt_for(ctx, var, rlxc_int(ctx, var->dtype, 0), extent, RLXC_LOOP_SERIAL,
                                   body);
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

/* --- tiles that are whole, and those that are not --------------------------------------------- */

static bool covers(rlxc_pairing *p, rlxc_reach *r, const rlxc_stmt *a, const rlxc_stmt *b);

/* True if |a| <= |b|, of which |a| is positive, in each iteration. */
static bool is_within(rlxc_reach *r, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *size = b, *zero;
    for (uint32_t i = 0; i < r->loops.count; i++) {
        zero = rlxc_int(r->ctx, r->loops.items[i].var->dtype, 0);
        size = rlxc_substitute(r->ctx, size, &r->loops.items[i].var, &zero, 1);
    }
    size = rlxc_canonical(r->ctx, size, NULL);
    const rlxc_expr *index = rlxc_add(r->ctx, rlxc_sub(r->ctx, a, b), size);
    index = rlxc_canonical(r->ctx, rlxc_sub(r->ctx, index, rlxc_i64(r->ctx, 1)), NULL);
    return rlxc_reach_inside(r, index, size);
}

/* |e| of the second statement, with the variables of the first, in int64. */
static const rlxc_expr *wide_in_first(const rlxc_pairing *p, const rlxc_expr *e)
{
    return rlxc_wide(p->ctx, rlxc_substitute(p->ctx, e, p->from, p->to, p->n));
}

static bool covers_loop(rlxc_pairing *p, rlxc_reach *r, const rlxc_stmt *a, const rlxc_stmt *b)
{
    const rlxc_expr *x = rlxc_wide(p->ctx, a->loop.extent), *y = b->loop.extent;
    bool equal = x == wide_in_first(p, y);
    for (uint32_t k = 0; k < 2 && !equal && y->kind == RLXC_EXPR_MIN; k++)
        equal = x == wide_in_first(p, k ? y->bin.b : y->bin.a) &&
                is_within(r, x, wide_in_first(p, k ? y->bin.a : y->bin.b));
    if (!equal || a->loop.kind != b->loop.kind || !rlxc_is_const(a->loop.min, 0) ||
        !rlxc_is_const(b->loop.min, 0) || !rlxc_pair(p, b->loop.var, a->loop.var))
        return false;
    rlxc_reach_enter(r, a->loop.var, a->loop.min, a->loop.extent);
    return covers(p, r, a->loop.body, b->loop.body);
}

/* True if |cond| of the second statement holds in each iteration: index < size. */
static bool holds(const rlxc_pairing *p, rlxc_reach *r, const rlxc_expr *cond)
{
    if (cond->kind == RLXC_EXPR_AND)
        return holds(p, r, cond->bin.a) && holds(p, r, cond->bin.b);
    return cond->kind == RLXC_EXPR_LT &&
           rlxc_reach_inside(r, wide_in_first(p, cond->bin.a), wide_in_first(p, cond->bin.b));
}

/* True if |b| does what |a| does, where the facts of |r| hold. */
static bool covers(rlxc_pairing *p, rlxc_reach *r, const rlxc_stmt *a, const rlxc_stmt *b)
{
    if (a->kind == RLXC_STMT_FOR && b->kind == RLXC_STMT_FOR)
        return covers_loop(p, r, a, b);
    if (b->kind == RLXC_STMT_IF && a->kind != RLXC_STMT_IF && !b->if_.otherwise)
        return holds(p, r, b->if_.cond) && covers(p, r, a, b->if_.then);
    if (a->kind != RLXC_STMT_SEQ || b->kind != RLXC_STMT_SEQ || a->seq.n != b->seq.n)
        return rlxc_same_stmt(p, a, b);
    bool all = true;
    for (uint32_t i = 0; i < a->seq.n && all; i++) {
        const rlxc_reach_mark mark = rlxc_reach_scope(r);
        all = covers(p, r, a->seq.items[i], b->seq.items[i]);
        rlxc_reach_leave(r, mark);
    }
    return all;
}

/* Assumes |cond|, in int64. */
static void assume(rlxc_reach *r, const rlxc_expr *cond)
{
    if (cond->kind == RLXC_EXPR_AND) {
        assume(r, cond->bin.a);
        assume(r, cond->bin.b);
    } else if (cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE) {
        const rlxc_expr *a = rlxc_wide(r->ctx, cond->bin.a), *b = rlxc_wide(r->ctx, cond->bin.b);
        rlxc_reach_assume(r, rlxc_binary(r->ctx, (rlxc_expr_kind)cond->kind, a, b), true);
    }
}

/* One statement for both branches of |s|: the second, where it does what the first does if the
 * condition holds; or the first with the lesser of two extents, which the condition compares. */
static const rlxc_stmt *without_branches(rlxc_reach *r, const rlxc_stmt *s)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_stmt *a = unwrapped(s->if_.then), *b = unwrapped(s->if_.otherwise);
    const rlxc_expr *c = s->if_.cond;
    const rlxc_reach_mark mark = rlxc_reach_scope(r);
    rlxc_pairing p = {.ctx = ctx};
    if (c->from_memory)
        return NULL;
    assume(r, c);
    const bool covered = covers(&p, r, a, b);
    rlxc_reach_leave(r, mark);
    if (covered)
        return b;
    const bool less = c->kind == RLXC_EXPR_LT;
    if ((!less && c->kind != RLXC_EXPR_LE) || a->kind != RLXC_STMT_FOR ||
        b->kind != RLXC_STMT_FOR || a->loop.kind != b->loop.kind ||
        a->loop.extent->dtype.bits > b->loop.extent->dtype.bits)
        return NULL;
    const rlxc_expr *x = rlxc_wide(ctx, a->loop.extent), *y = rlxc_wide(ctx, b->loop.extent),
                    *by = rlxc_sub(ctx, rlxc_wide(ctx, c->bin.b), rlxc_wide(ctx, c->bin.a));
    p.n = 0;
    if (!rlxc_prove_eq(ctx, rlxc_sub(ctx, by, rlxc_i64(ctx, less)), rlxc_sub(ctx, y, x), NULL) ||
        !rlxc_is_const(a->loop.min, 0) || !rlxc_is_const(b->loop.min, 0) ||
        !rlxc_pair(&p, b->loop.var, a->loop.var) || !rlxc_same_stmt(&p, a->loop.body, b->loop.body))
        return NULL;
    rlxc_stmt *own = rlxc_copy(ctx, b, sizeof *own);
    x = rlxc_cast(ctx, b->loop.extent->dtype, a->loop.extent);
    own->loop.extent = rlxc_binary(ctx, RLXC_EXPR_MIN, x, b->loop.extent);
    return own;
}

/* |s| in the loops of |r|, with one statement for both branches of conditions in it. */
static const rlxc_stmt *join_branches(rlxc_reach *r, const rlxc_stmt *s)
{
    const rlxc_reach_mark mark = rlxc_reach_scope(r);
    rlxc_stmt *own = NULL;
    if (s->kind == RLXC_STMT_IF && s->if_.otherwise) {
        const rlxc_stmt *one = without_branches(r, s);
        return one ? join_branches(r, one) : s;
    }
    if (s->kind == RLXC_STMT_FOR) {
        rlxc_reach_enter(r, s->loop.var, s->loop.min, s->loop.extent);
        const rlxc_stmt *body = join_branches(r, s->loop.body);
        if (body != s->loop.body) {
            own = rlxc_copy(r->ctx, s, sizeof *own);
            own->loop.body = body;
        }
    }
    if (s->kind == RLXC_STMT_SEQ) {
        const rlxc_stmt **items = rlxc_alloc(r->ctx, (size_t)s->seq.n * sizeof *items);
        bool changed = false;
        for (uint32_t i = 0; i < s->seq.n; i++) {
            items[i] = join_branches(r, s->seq.items[i]);
            changed = changed || items[i] != s->seq.items[i];
        }
        if (changed)
            s = rlxc_stmt_seq(r->ctx, items, s->seq.n);
    }
    rlxc_reach_leave(r, mark);
    return own ? own : s;
}

/* Makes loops of the turns among |n| statements; returns the number that is left. */
static uint32_t roll(rlxc_context *ctx, const rlxc_stmt **items, uint32_t n)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t used = 0;
        const rlxc_stmt *loop = rlxc_rolled_turns(ctx, items + i, n - i, &used);
        items[left++] = loop ? loop : items[i];
        i += loop ? used - 1 : 0;
    }
    return left;
}

/* --- all of a function ------------------------------------------------------------------------ */

static const rlxc_stmt *join_parts(void *user, const rlxc_stmt *s)
{
    rlxc_context *ctx = user;
    if (s->kind == RLXC_STMT_FOR)
        return rlxc_with_rolled_terms(ctx, s);
    if (s->kind != RLXC_STMT_SEQ)
        return NULL;
    const rlxc_stmt **items = rlxc_alloc(ctx, (size_t)s->seq.n * sizeof *items);
    uint32_t count = s->seq.n, n = 0;
    for (uint32_t i = 0; i < count; i++)
        items[i] = s->seq.items[i];
    for (uint32_t before = 0; count != before;) { /* turns of loops that were unrolled, too */
        before = count;
        count = roll(ctx, items, before);
    }
    for (uint32_t i = 0; i < count; i++) {
        const rlxc_stmt *both =
            n ? joined(ctx, unwrapped(items[n - 1]), unwrapped(items[i])) : NULL;
        const rlxc_stmt *fused = n && !both ? without_tiles(ctx, unwrapped(items[n - 1])) : NULL;
        if (fused)
            both = joined(ctx, fused, unwrapped(items[i]));
        if (both)
            items[n - 1] = both;
        else
            items[n++] = items[i];
    }
    return n < s->seq.n ? rlxc_stmt_seq(ctx, items, n) : NULL;
}

const rlxc_stmt *rlxc_join_parts(rlxc_context *ctx, const rlxc_stmt *body)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .stmt = join_parts};
    rlxc_reach r = {.ctx = ctx};
    body = rlxc_stmt_rewrite(ctx, body, &rewriter);
    if (body->kind != RLXC_STMT_BLOCK || body->block.block->n_axes || body->block.predicate)
        return join_branches(&r, body);
    rlxc_block *root = rlxc_copy(ctx, body->block.block, sizeof *root);
    root->body = join_branches(&r, root->body);
    if (root->body == body->block.block->body)
        return body;
    rlxc_stmt *own = rlxc_copy(ctx, body, sizeof *own);
    rlxc_forget_regions(root);
    own->block.block = root;
    return own;
}

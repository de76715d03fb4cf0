/* Loop partitioning: predicates of blocks move from iterations to the bounds of loops.
 *
 * A split that does not divide leaves a predicate such as i_0 * 16 + i_1 < n on every element. For
 * a loop over i_0 it is true up to one iteration, for all i_1, and false from another one on. So
 * the loop becomes up to three: one without the predicate, one that keeps it, for a loop inside to
 * be cut in the same way, and one without the blocks under it. A parallel loop stays one loop and
 * chooses among these bodies, since each loop of its own waits for all threads.
 *
 * Loops that a reduction with its initial value still needs stay whole, as the value
 * would be set again in each part. */
#include "compiler/lower/partition.h"

enum {
    MAX_REGIONS = 12, /* of one loop, for several predicates */
    MAX_COPIES = 128  /* of a body, by loops around each other */
};

typedef struct region {
    const rlxc_expr *low, *high;
    const rlxc_stmt *body;
} region;

typedef struct regions {
    region items[MAX_REGIONS];
    uint32_t n;
    bool cut, too_many; /* some predicate is decided in some region */
} regions;

/* --- predicates ------------------------------------------------------------------------------- */

static void add_condition(rlxc_cut_search *s, const rlxc_expr *cond)
{
    rlxc_cut_condition found = {.cond = cond, .usable = true};
    const rlxc_expr *now = cond;
    if (cond->kind == RLXC_EXPR_AND) {
        add_condition(s, cond->bin.a);
        add_condition(s, cond->bin.b);
        return;
    }
    if (rlxc_map_get(&s->p->kept, rlxc_key(cond)))
        return;
    for (uint32_t i = s->n_axes; i-- > 0;)
        now = rlxc_substitute(s->p->ctx, now, &s->axes[i], &s->values[i], 1);
    if (!rlxc_expr_uses_var(s->p->ctx, now, s->loop->loop.var) ||
        !rlxc_partition_cuts(s, now, &found))
        return;
    for (uint32_t i = 0; i < s->n; i++) {
        rlxc_cut_condition *c = &s->conds[i];
        if (c->cond != cond)
            continue;
        c->usable = c->usable && c->first == found.first && c->end == found.end;
        return;
    }
    if (s->n < RLXC_PARTITION_CONDS)
        s->conds[s->n++] = found;
}

static void look_in(rlxc_cut_search *s, const rlxc_stmt *at);

static void look_in_block(rlxc_cut_search *s, const rlxc_stmt *at)
{
    const rlxc_block *b = at->block.block;
    const uint32_t mark = s->n_axes;
    if (at->block.predicate)
        add_condition(s, at->block.predicate);
    for (uint32_t i = 0; i < b->n_axes && !s->impossible; i++) {
        const rlxc_expr *value = at->block.values[i];
        for (uint32_t k = mark; k-- > 0;)
            value = rlxc_substitute(s->p->ctx, value, &s->axes[k], &s->values[k], 1);
        s->impossible = s->n_axes == RLXC_PARTITION_INNER ||
                        (b->init && b->axes[i].kind == RLXC_AXIS_REDUCE &&
                         rlxc_expr_uses_var(s->p->ctx, value, s->loop->loop.var));
        if (s->impossible)
            return;
        s->axes[s->n_axes] = b->axes[i].var;
        s->values[s->n_axes++] = value;
    }
    look_in(s, b->body);
    s->n_axes = mark;
}

static void look_in(rlxc_cut_search *s, const rlxc_stmt *at)
{
    if (s->impossible)
        return;
    switch (at->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < at->seq.n; i++)
            look_in(s, at->seq.items[i]);
        return;
    case RLXC_STMT_FOR:
        s->impossible = s->n_inner == RLXC_PARTITION_INNER;
        if (s->impossible)
            return;
        s->inner[s->n_inner++] = at;
        look_in(s, at->loop.body);
        s->n_inner--;
        return;
    case RLXC_STMT_BLOCK:
        look_in_block(s, at);
        return;
    case RLXC_STMT_IF:
        look_in(s, at->if_.then);
        if (at->if_.otherwise)
            look_in(s, at->if_.otherwise);
        return;
    case RLXC_STMT_WHILE:
        look_in(s, at->while_.body);
        return;
    case RLXC_STMT_LET:
    case RLXC_STMT_STORE:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        return;
    }
}

/* --- regions ---------------------------------------------------------------------------------- */

static bool is_equal(const rlxc_cut_search *s, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_prove_eq(s->p->ctx, a, b, s->p->bounds);
}

/* Marks the conditions that are cut with |like|, while the region is looked at where they are
 * mixed.
 */
static void keep(const rlxc_cut_search *s, const rlxc_cut_condition *like, bool on)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const rlxc_expr *cond = s->conds[i].cond;
        if (rlxc_partition_alike(&s->conds[i], like))
            rlxc_map_set(s->p->ctx, &s->p->kept, rlxc_key(cond),
                         on ? (void *)(uintptr_t)cond : NULL);
    }
}

static bool is_empty(const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_FOR)
        return is_empty(s->loop.body);
    for (uint32_t i = 0; s->kind == RLXC_STMT_SEQ && i < s->seq.n; i++)
        if (!is_empty(s->seq.items[i]))
            return false;
    return s->kind == RLXC_STMT_SEQ;
}

static void cut(rlxc_partition *p, const rlxc_stmt *loop, const region *whole, regions *out)
{
    rlxc_cut_search s = {.p = p, .loop = loop, .low = whole->low, .high = whole->high};
    const rlxc_cut_condition *best = NULL;
    look_in(&s, whole->body);
    for (uint32_t i = 0; i < s.n && !best && !s.impossible; i++) {
        const rlxc_cut_condition *c = &s.conds[i];
        if (c->usable && (!is_equal(&s, c->first, s.low) || !is_equal(&s, c->end, s.high)))
            best = c;
    }
    if (!best || out->n >= MAX_REGIONS) {
        out->too_many = out->n >= MAX_REGIONS;
        if (!out->too_many && !is_empty(whole->body))
            out->items[out->n++] = *whole;
        return;
    }
    out->cut = true;
    const region parts[3] = {
        {s.low, best->first, rlxc_partition_decided(&s, best, !best->rises, whole->body)},
        {best->first, best->end, whole->body},
        {best->end, s.high, rlxc_partition_decided(&s, best, best->rises, whole->body)},
    };
    for (uint32_t i = 0; i < 3 && !out->too_many && !rlxc_failed(p->ctx); i++) {
        if (is_equal(&s, parts[i].low, parts[i].high))
            continue;
        if (i == 1)
            keep(&s, best, true);
        cut(p, loop, &parts[i], out);
        if (i == 1)
            keep(&s, best, false);
    }
}

/* --- loops ------------------------------------------------------------------------------------ */

static const rlxc_stmt *loop_over(rlxc_partition *p, const rlxc_stmt *loop, const region *r)
{
    rlxc_stmt *out = rlxc_copy(p->ctx, loop, sizeof *out);
    const rlxc_expr *count = rlxc_sub(p->ctx, r->high, r->low);
    out->loop.min = rlxc_cast(p->ctx, loop->loop.var->dtype, r->low);
    out->loop.extent = rlxc_cast(p->ctx, loop->loop.extent->dtype, p->simplify(p->user, count));
    out->loop.body = r->body;
    return out;
}

/* One parallel loop that chooses; a region of one iteration stays a loop inside, for its index to
 * be a constant there. */
static const rlxc_stmt *choice(rlxc_partition *p, const rlxc_stmt *loop, const regions *r,
                               const region *whole)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_expr *var = rlxc_cast(ctx, RLX_I64, loop->loop.var);
    const rlxc_stmt *parts[MAX_REGIONS];
    for (uint32_t i = 0; i < r->n; i++) {
        const region *at = &r->items[i];
        rlxc_stmt *one = rlxc_copy(ctx, loop_over(p, loop, at), sizeof *one);
        one->loop.kind = RLXC_LOOP_SERIAL;
        one->loop.annotations = (rlxc_attrs){0};
        const bool constant = rlxc_is_const(one->loop.extent, 1);
        parts[i] = rlxc_stmt_clone(ctx, constant ? one : at->body);
        if (!rlxc_prove_eq(ctx, at->high, whole->high, p->bounds))
            parts[i] =
                rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, var, at->high), parts[i], NULL);
        if (!rlxc_prove_eq(ctx, at->low, whole->low, p->bounds))
            parts[i] =
                rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LE, at->low, var), parts[i], NULL);
    }
    rlxc_stmt *out = rlxc_copy(ctx, loop, sizeof *out);
    out->loop.body = rlxc_stmt_seq(ctx, parts, r->n);
    return out;
}

static void mark(rlxc_partition *p, const rlxc_stmt *loop)
{
    rlxc_map_set(p->ctx, &p->whole, rlxc_key(loop), (void *)(uintptr_t)loop);
}

static bool is_predicated(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || (s->kind == RLXC_STMT_BLOCK && s->block.predicate);
    return !*found;
}

rlxc_partition rlxc_partition_begin(rlxc_context *ctx, const rlxc_stmt *body,
                                    const rlxc_bounds *bounds,
                                    const rlxc_expr *(*simplify)(void *user, const rlxc_expr *e),
                                    void *user)
{
    rlxc_partition p = {
        .ctx = ctx, .bounds = bounds, .simplify = simplify, .user = user, .copies = 1};
    rlxc_stmt_visit(body, is_predicated, &p.needed);
    return p;
}

const rlxc_stmt *rlxc_partition_loop(rlxc_partition *p, const rlxc_stmt *loop)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_expr *low = rlxc_cast(ctx, RLX_I64, loop->loop.min);
    const rlxc_expr *high = rlxc_add(ctx, low, rlxc_cast(ctx, RLX_I64, loop->loop.extent));
    const region whole = {p->simplify(p->user, low), p->simplify(p->user, high), loop->loop.body};
    const rlxc_stmt *parts[MAX_REGIONS];
    regions r = {.n = 0};
    if (!p->needed || rlxc_map_get(&p->whole, rlxc_key(loop)) || p->copies >= MAX_COPIES)
        return NULL;
    const rlxc_stmt *pieces = rlxc_partition_pieces(p, loop);
    if (pieces)
        return pieces;
    cut(p, loop, &whole, &r);
    if (!r.cut || r.too_many || rlxc_failed(ctx))
        return NULL;
    p->copies *= r.n ? r.n : 1;
    if (loop->loop.kind == RLXC_LOOP_PARALLEL && r.n > 0) {
        const rlxc_stmt *out = choice(p, loop, &r, &whole);
        mark(p, out);
        return out;
    }
    for (uint32_t i = 0; i < r.n; i++) {
        parts[i] = loop_over(p, loop, &r.items[i]);
        if (i > 0)
            parts[i] = rlxc_stmt_clone(ctx, parts[i]);
        mark(p, parts[i]);
    }
    return rlxc_stmt_seq(ctx, parts, r.n);
}

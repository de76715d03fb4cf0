/* Loop partitioning: predicates of blocks move from iterations to the bounds of loops.
 *
 * A split that does not divide leaves a predicate such as i_0 * 16 + i_1 < n on every element. In a
 * loop over i_0 it holds for all i_1 up to some iteration, and for none from another one on. So the
 * loop becomes up to three: one without the predicate, one that keeps it, whose inner loop is
 * partitioned in the same way, and one without the blocks under it. A parallel loop stays one loop
 * and selects among these bodies, since each parallel loop waits for all threads.
 *
 * If a loop has TVM's annotation pragma_loop_partition_hint, comparisons in stored values count as
 * well: the border of a padded image, the parts of a concatenation. A condition that does not
 * change along the loop, at the root of the value or under arithmetic, is evaluated outside, also
 * of the parts of a loop that was cut; so is one that chooses between places, as for operands that
 * are broadcast if a dimension is 1.
 *
 * Loops that a reduction with its initial value still needs stay whole, because each part would set
 * the value again. */
#include "compiler/lower/partition.h"

#include <string.h>

enum {
    MAX_REGIONS = 16,    /* of one loop, for several predicates */
    MAX_DECIDED = 64,    /* limit of nested predicates, which bounds the stack */
    MAX_COPIES = 128,    /* of a body, by loops around each other */
    MAX_NESTED = 8,      /* selects in each other, decided outside of a loop */
    MAX_ARITHMETIC = 256 /* nodes above a choice, and beside it */
};

typedef struct region {
    const rlxc_expr *low, *high;
    const rlxc_stmt *body;
} region;

typedef struct regions {
    region items[MAX_REGIONS];
    uint32_t n;
    bool cut, too_many; /* true if a predicate is decided in some region */
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
    if (s->n == RLXC_PARTITION_CONDS || rlxc_map_get(&s->p->kept, rlxc_key(cond)))
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
    s->conds[s->n++] = found;
}

/* Comparisons in stored values: those of conditionals that compute one side only. Others, which
 * vectors evaluate by lanes, only if the parts have constant lengths. */
static bool add_comparison(void *user, const rlxc_expr *e)
{
    rlxc_cut_search *s = user;
    const uint32_t n = s->n;
    int64_t at;
    if (rlxc_is_choice(e))
        add_condition(s, e->call.args[0]);
    else if (e->kind == RLXC_EXPR_LT || e->kind == RLXC_EXPR_LE || e->kind == RLXC_EXPR_GT ||
             e->kind == RLXC_EXPR_GE)
        add_condition(s, e);
    else
        return true;
    if (s->n > n && e->kind != RLXC_EXPR_CALL && !rlxc_is_int(s->conds[n].first, &at))
        s->n = n;
    return true;
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
    case RLXC_STMT_STORE:
        if (s->hinted)
            rlxc_expr_visit(s->p->ctx, at->store.value, add_comparison, s);
        return;
    case RLXC_STMT_LET:
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

/* Marks the conditions that are partitioned together with |like|, in the region where they are
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
    return s->kind == RLXC_STMT_SEQ || rlxc_stmt_is_nothing(s);
}

static bool is_hinted(const rlxc_stmt *loop)
{
    const rlxc_attr *hint = rlxc_attrs_find(&loop->loop.annotations, RLXC_PARTITION_HINT);
    int64_t on;
    return hint && rlxc_attr_as_int(hint, &on) && on;
}

/* |depth|: predicates that are known in |whole|. */
static void cut(rlxc_partition *p, const rlxc_stmt *loop, const region *whole, regions *out,
                uint32_t depth)
{
    rlxc_cut_search s = {.p = p, .loop = loop, .low = whole->low, .high = whole->high};
    s.hinted = is_hinted(loop);
    const rlxc_cut_condition *best = NULL;
    look_in(&s, whole->body);
    for (uint32_t i = 0; i < s.n && !best && !s.impossible; i++) {
        const rlxc_cut_condition *c = &s.conds[i];
        if (c->usable && (!is_equal(&s, c->first, s.low) || !is_equal(&s, c->end, s.high)))
            best = c;
    }
    if (!best || out->n >= MAX_REGIONS || depth >= MAX_DECIDED) {
        out->too_many = best || out->n >= MAX_REGIONS;
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
        cut(p, loop, &parts[i], out, depth + 1);
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

/* One parallel loop that selects its body; a region of one iteration stays an inner loop, so that
 * its index is a constant there. */
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

/* |cond| without its loop-invariant part, which goes to |*fixed|. */
static const rlxc_expr *part_fixed(rlxc_partition *p, const rlxc_expr *cond, const rlxc_expr *var,
                                   const rlxc_expr **fixed)
{
    if (cond->kind == RLXC_EXPR_AND) {
        const rlxc_expr *a = part_fixed(p, cond->bin.a, var, fixed);
        const rlxc_expr *b = part_fixed(p, cond->bin.b, var, fixed);
        return !a ? b : !b ? a : rlxc_binary(p->ctx, RLXC_EXPR_AND, a, b);
    }
    if (rlxc_expr_uses_var(p->ctx, cond, var))
        return cond;
    *fixed = *fixed ? rlxc_binary(p->ctx, RLXC_EXPR_AND, *fixed, cond) : cond;
    return NULL;
}

rlxc_stmt *rlxc_without_hint(rlxc_context *ctx, const rlxc_stmt *loop)
{
    rlxc_stmt *out = rlxc_copy(ctx, loop, sizeof *out);
    out->loop.annotations = rlxc_attrs_without(ctx, loop->loop.annotations, RLXC_PARTITION_HINT);
    return out;
}

/* The store that is all of |body|, in the variables of the loops; NULL if there is more. */
static const rlxc_stmt *only_store(rlxc_context *ctx, const rlxc_stmt *body)
{
    const rlxc_block *b = body->kind == RLXC_STMT_BLOCK ? body->block.block : NULL;
    const rlxc_stmt *s = b ? b->body : body;
    if (s->kind != RLXC_STMT_STORE ||
        (b && (b->init || b->n_allocs || b->n_matches || body->block.predicate || b->n_axes == 0)))
        return NULL;
    if (!b)
        return s;
    const rlxc_expr **vars = rlxc_try_alloc(ctx, b->n_axes, sizeof *vars);
    const rlxc_expr **values = rlxc_try_alloc(ctx, b->n_axes, sizeof *values);
    if (!vars || !values)
        return NULL;
    for (uint32_t i = 0; i < b->n_axes; i++) {
        vars[i] = b->axes[i].var;
        values[i] = rlxc_cast(ctx, vars[i]->dtype, body->block.values[i]);
    }
    rlxc_stmt *out = rlxc_copy(ctx, s, sizeof *out);
    const rlxc_expr **indices = rlxc_alloc(ctx, (s->store.n + 1) * sizeof *indices);
    for (uint32_t i = 0; i < s->store.n; i++)
        indices[i] = rlxc_substitute(ctx, s->store.indices[i], vars, values, b->n_axes);
    out->store.indices = indices;
    out->store.value = rlxc_substitute(ctx, s->store.value, vars, values, b->n_axes);
    return out;
}

static const rlxc_stmt *storing(rlxc_context *ctx, const rlxc_stmt *loop, const rlxc_stmt *s,
                                const rlxc_expr *value)
{
    rlxc_stmt *out = rlxc_copy(ctx, loop, sizeof *out);
    out->loop.body = rlxc_stmt_store(ctx, s->store.buffer, s->store.indices, s->store.n, value);
    return out;
}

/* The first if_then_else that |e| computes in any case, by arithmetic, and whose condition has a
 * loop-invariant part. That of an inner one reads no memory. |left|: nodes that may be looked at.
 */
static const rlxc_expr *invariant_choice(rlxc_partition *p, const rlxc_expr *e,
                                         const rlxc_expr *var, uint32_t *left)
{
    const rlxc_expr *fixed = NULL, *found = NULL;
    const bool is_root = *left == MAX_ARITHMETIC;
    if (*left == 0)
        return NULL;
    --*left;
    if (e->kind == RLXC_EXPR_CAST)
        return invariant_choice(p, e->bin.a, var, left);
    if (rlxc_is_binary(e) && e->kind != RLXC_EXPR_AND && e->kind != RLXC_EXPR_OR) {
        found = invariant_choice(p, e->bin.a, var, left);
        return found ? found : invariant_choice(p, e->bin.b, var, left);
    }
    if (!rlxc_is_choice(e))
        return NULL;
    part_fixed(p, e->call.args[0], var, &fixed);
    return fixed && (is_root || !rlxc_expr_loads(p->ctx, fixed)) ? e : NULL;
}

typedef struct replacement {
    const rlxc_expr *from, *to;
} replacement;

static const rlxc_expr *replace_node(void *user, const rlxc_expr *e)
{
    const replacement *r = user;
    return e == r->from ? r->to : NULL;
}

typedef struct unswitching {
    rlxc_partition *p;
    const rlxc_expr *var, *holds; /* what the arms taken so far need; NULL: nothing */
} unswitching;

/* The arm of a select between places, one of which moves with the loop: x[0 if n == 1 else i]. */
static const rlxc_expr *take_moving(void *user, const rlxc_expr *e)
{
    unswitching *u = user;
    rlxc_context *ctx = u->p->ctx;
    if (e->kind != RLXC_EXPR_SELECT || !rlxc_dtype_is_int(e->dtype) || e->dtype.lanes != 1 ||
        rlxc_expr_uses_var(ctx, e->select.cond, u->var) || rlxc_expr_loads(ctx, e->select.cond))
        return NULL;
    const bool yes = rlxc_expr_uses_var(ctx, e->select.yes, u->var);
    if (yes == rlxc_expr_uses_var(ctx, e->select.no, u->var))
        return NULL;
    const rlxc_expr *holds = yes ? e->select.cond : rlxc_not(ctx, e->select.cond);
    u->holds = u->holds ? rlxc_binary(ctx, RLXC_EXPR_AND, u->holds, holds) : holds;
    return yes ? e->select.yes : e->select.no;
}

/* Operands that are broadcast if a dimension is 1: two loops, chosen outside. The usual one reads
 * along all operands, so that LLVM can vectorise it. Further selects in the body are handled one at
 * a time. */
static const rlxc_stmt *unswitch(rlxc_partition *p, const rlxc_stmt *loop)
{
    const rlxc_stmt *s = only_store(p->ctx, loop->loop.body);
    const rlxc_expr *value = s ? s->store.value : NULL, *before = NULL;
    unswitching u = {p, loop->loop.var, NULL};
    for (uint32_t i = 0; i < MAX_NESTED && value != before; i++) {
        before = value;
        value = rlxc_expr_rewrite_all(p->ctx, value, take_moving, &u);
    }
    if (!u.holds)
        return NULL;
    p->copies *= 2;
    const rlxc_stmt *any = rlxc_stmt_clone(p->ctx, rlxc_without_hint(p->ctx, loop));
    return rlxc_stmt_if(p->ctx, u.holds, storing(p->ctx, loop, s, value), any);
}

/* A loop that stores a value under a loop-invariant condition, or one computed from such a value:
 * two loops, of which one runs. */
static const rlxc_stmt *choose_outside(rlxc_partition *p, const rlxc_stmt *loop)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_stmt *s = only_store(ctx, loop->loop.body);
    const rlxc_expr *fixed = NULL, *value = s ? s->store.value : NULL;
    uint32_t left = MAX_ARITHMETIC;
    const rlxc_expr *choice = value ? invariant_choice(p, value, loop->loop.var, &left) : NULL;
    if (!choice)
        return unswitch(p, loop);
    const rlxc_expr *args[3] = {part_fixed(p, choice->call.args[0], loop->loop.var, &fixed),
                                choice->call.args[1], choice->call.args[2]};
    p->copies *= args[0] || choice != value ? 2 : 1;
    replacement yes = {choice, args[0] ? rlxc_call(ctx, choice->dtype, choice->call.name, args, 3)
                                       : args[1]},
                no = {choice, args[2]};
    const rlxc_expr *then = rlxc_expr_rewrite_all(ctx, value, replace_node, &yes);
    const rlxc_expr *otherwise = rlxc_expr_rewrite_all(ctx, value, replace_node, &no);
    return rlxc_stmt_if(ctx, fixed, storing(ctx, loop, s, then),
                        rlxc_stmt_clone(ctx, storing(ctx, loop, s, otherwise)));
}

static bool is_needed(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || (s->kind == RLXC_STMT_BLOCK && s->block.predicate) ||
             (s->kind == RLXC_STMT_FOR && is_hinted(s));
    return !*found;
}

rlxc_partition rlxc_partition_begin(rlxc_context *ctx, const rlxc_stmt *body,
                                    const rlxc_bounds *bounds,
                                    const rlxc_expr *(*simplify)(void *user, const rlxc_expr *e),
                                    void *user)
{
    rlxc_partition p = {
        .ctx = ctx, .bounds = bounds, .simplify = simplify, .user = user, .copies = 1};
    rlxc_stmt_visit(body, is_needed, &p.needed);
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
    const rlxc_stmt *other =
        is_hinted(loop) ? choose_outside(p, loop) : rlxc_partition_pieces(p, loop);
    if (other)
        return other;
    cut(p, loop, &whole, &r, 0);
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
        const rlxc_stmt *chosen = is_hinted(loop) ? choose_outside(p, parts[i]) : NULL;
        if (chosen)
            parts[i] = chosen;
        else
            mark(p, parts[i]);
    }
    return rlxc_stmt_seq(ctx, parts, r.n);
}

/* Proofs about indices (reach.h).
 *
 * Only the outermost sums and products of signed integers in an index are known not to wrap.
 * Arithmetic below other operators may wrap, so a proof looks through it only where it can show
 * that it does not. */
#include "compiler/analysis/reach.h"

#include <string.h>

rlxc_reach_mark rlxc_reach_scope(const rlxc_reach *r)
{
    return (rlxc_reach_mark){r->loops.count, r->bound.count, r->facts.count, r->bounds.vars.count};
}

static uint32_t back(uint32_t count, uint32_t mark)
{
    return count > mark ? mark : count;
}

void rlxc_reach_leave(rlxc_reach *r, rlxc_reach_mark mark)
{
    r->loops.count = back(r->loops.count, mark.loops);
    r->bound.count = r->values.count = back(r->values.count, mark.bound);
    r->facts.count = back(r->facts.count, mark.facts);
    r->bounds.vars.count = r->bounds.ranges.count = back(r->bounds.ranges.count, mark.bounds);
}

void rlxc_reach_bind(rlxc_reach *r, const rlxc_expr *var, const rlxc_expr *value)
{
    RLXC_PUSH(r->ctx, &r->bound, var);
    RLXC_PUSH(r->ctx, &r->values, value);
}

const rlxc_expr *rlxc_reach_resolve(rlxc_reach *r, const rlxc_expr *e)
{
    return rlxc_substitute(r->ctx, e, r->bound.items, r->values.items, r->values.count);
}

bool rlxc_reach_uses_loops(const rlxc_reach *r, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < r->loops.count; i++)
        if (rlxc_expr_uses_var(r->ctx, e, r->loops.items[i].var))
            return true;
    return false;
}

/* What |e| grows by when |var| grows by one. */
static const rlxc_expr *step_of(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *var)
{
    const rlxc_expr *next = rlxc_add(ctx, var, rlxc_int(ctx, var->dtype, 1));
    const rlxc_expr *moved = rlxc_substitute(ctx, e, &var, &next, 1);
    return rlxc_canonical(ctx, rlxc_sub(ctx, moved, e), NULL);
}

enum { UP = 1, DOWN = 2 }; /* where a variable grows, a value never falls; never rises */

static int turned(int direction)
{
    return (direction & UP ? DOWN : 0) | (direction & DOWN ? UP : 0);
}

/* How |e| may change where |var| grows, by its form alone; 0: that does not tell. */
static int direction_of(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *var)
{
    int64_t by;
    if (e == var)
        return UP;
    if (!rlxc_expr_uses_var(ctx, e, var))
        return UP | DOWN;
    if (e->kind == RLXC_EXPR_CAST)
        return rlxc_is_index_type(e->bin.a->dtype) && e->dtype.bits >= e->bin.a->dtype.bits
                   ? direction_of(ctx, e->bin.a, var)
                   : 0;
    if (!rlxc_is_binary(e))
        return 0;
    const int a = direction_of(ctx, e->bin.a, var);
    if (e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_MIN || e->kind == RLXC_EXPR_MAX)
        return a & direction_of(ctx, e->bin.b, var);
    if (e->kind == RLXC_EXPR_SUB)
        return a & turned(direction_of(ctx, e->bin.b, var));
    if (!rlxc_is_int(e->bin.b, &by) || by <= 0)
        return 0;
    return e->kind == RLXC_EXPR_MUL || e->kind == RLXC_EXPR_FLOORDIV ? a : 0;
}

const rlxc_expr *rlxc_reach_end(rlxc_reach *r, const rlxc_expr *index, bool greatest)
{
    rlxc_context *ctx = r->ctx;
    for (uint32_t i = r->loops.count; i-- > 0;) {
        const rlxc_reach_loop *l = &r->loops.items[i];
        if (!rlxc_expr_uses_var(ctx, index, l->var))
            continue;
        const int way = direction_of(ctx, index, l->var);
        const rlxc_expr *step = step_of(ctx, index, l->var);
        const rlxc_expr *zero = rlxc_int(ctx, step->dtype, 0);
        const bool up = way ? way & UP : rlxc_prove_le(ctx, zero, step, NULL);
        if (!way &&
            (rlxc_reach_uses_loops(r, step) || (!up && !rlxc_prove_le(ctx, step, zero, NULL))))
            return NULL;
        index = rlxc_substitute(ctx, index, &l->var, up == greatest ? &l->last : &l->first, 1);
    }
    return rlxc_canonical(ctx, index, NULL);
}

/* --- what is known ---------------------------------------------------------------------------- */

static bool reads(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || e->kind == RLXC_EXPR_LOAD || e->kind == RLXC_EXPR_CALL;
    return !*found;
}

bool rlxc_reach_may_change(rlxc_context *ctx, const rlxc_expr *e)
{
    bool found = false;
    rlxc_expr_visit(ctx, e, reads, &found);
    return found;
}

static bool is_scalar(const rlxc_expr *e)
{
    return rlxc_dtype_is_int(e->dtype) && e->dtype.code == RLX_INT && e->dtype.lanes == 1;
}

/* a >= b + gap */
static void know(rlxc_reach *r, const rlxc_expr *a, const rlxc_expr *b, int64_t gap)
{
    if (!is_scalar(a) || !is_scalar(b) || rlxc_reach_may_change(r->ctx, a) ||
        rlxc_reach_may_change(r->ctx, b))
        return;
    const rlxc_expr *difference = rlxc_sub(r->ctx, rlxc_reach_resolve(r, a), rlxc_i64(r->ctx, gap));
    difference = rlxc_sub(r->ctx, difference, rlxc_reach_resolve(r, b));
    RLXC_PUSH(r->ctx, &r->facts, difference);
}

void rlxc_reach_assume(rlxc_reach *r, const rlxc_expr *cond, bool holds)
{
    switch ((rlxc_expr_kind)cond->kind) {
    case RLXC_EXPR_NOT:
        rlxc_reach_assume(r, cond->bin.a, !holds);
        return;
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
        if (holds == (cond->kind == RLXC_EXPR_AND)) {
            rlxc_reach_assume(r, cond->bin.a, holds);
            rlxc_reach_assume(r, cond->bin.b, holds);
        }
        return;
    case RLXC_EXPR_CALL:
        if (strcmp(cond->call.name, "likely") == 0 && cond->call.n == 1)
            rlxc_reach_assume(r, cond->call.args[0], holds);
        return;
    case RLXC_EXPR_LT:
    case RLXC_EXPR_GE:
        if (holds == (cond->kind == RLXC_EXPR_LT))
            know(r, cond->bin.b, cond->bin.a, 1);
        else
            know(r, cond->bin.a, cond->bin.b, 0);
        return;
    case RLXC_EXPR_GT:
    case RLXC_EXPR_LE:
        if (holds == (cond->kind == RLXC_EXPR_GT))
            know(r, cond->bin.a, cond->bin.b, 1);
        else
            know(r, cond->bin.b, cond->bin.a, 0);
        return;
    case RLXC_EXPR_EQ:
    case RLXC_EXPR_NE:
        if (holds == (cond->kind == RLXC_EXPR_EQ)) {
            know(r, cond->bin.a, cond->bin.b, 0);
            know(r, cond->bin.b, cond->bin.a, 0);
        }
        return;
    case RLXC_EXPR_ADD:
    case RLXC_EXPR_SUB:
    case RLXC_EXPR_MUL:
    case RLXC_EXPR_DIV:
    case RLXC_EXPR_MOD:
    case RLXC_EXPR_FLOORDIV:
    case RLXC_EXPR_FLOORMOD:
    case RLXC_EXPR_MIN:
    case RLXC_EXPR_MAX:
    case RLXC_EXPR_CAST:
    case RLXC_EXPR_SELECT:
    case RLXC_EXPR_LOAD:
    case RLXC_EXPR_LET:
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        return;
    }
}

void rlxc_reach_enter(rlxc_reach *r, const rlxc_expr *var, const rlxc_expr *min,
                      const rlxc_expr *extent)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *first = rlxc_reach_resolve(r, min), *count = rlxc_reach_resolve(r, extent);
    const rlxc_expr *last =
        rlxc_sub(ctx, rlxc_add(ctx, first, count), rlxc_int(ctx, count->dtype, 1));
    rlxc_bound low = rlxc_bound_of(ctx, first, &r->bounds);
    rlxc_bound high = rlxc_bound_of(ctx, last, &r->bounds);
    rlxc_bounds_set(ctx, &r->bounds, var, (rlxc_bound){low.min, high.max});
    if (is_scalar(first) && is_scalar(last) && !rlxc_reach_may_change(r->ctx, first) &&
        !rlxc_reach_may_change(r->ctx, last))
        RLXC_PUSH(ctx, &r->loops, ((rlxc_reach_loop){var, first, last}));
}

/* --- proofs ----------------------------------------------------------------------------------- */

typedef struct exactness {
    rlxc_reach *r;
    rlxc_map forms; /* expression -> its replacement below other operators */
    bool holds;
} exactness;

static bool is_known(const rlxc_reach *r, const rlxc_expr *var)
{
    bool found = var->var.nonneg;
    for (uint32_t i = 0; i < r->loops.count && !found; i++)
        found = r->loops.items[i].var == var;
    return found;
}

static bool only_known(void *user, const rlxc_expr *e)
{
    exactness *x = user;
    x->holds = x->holds && e->kind != RLXC_EXPR_LOAD && e->kind != RLXC_EXPR_CALL &&
               (e->kind != RLXC_EXPR_VAR || is_known(x->r, e));
    return x->holds;
}

/* True if a sum or product below another operator may wrap. 64 bits hold every number made of loop
 * variables and sizes. */
static bool may_wrap(exactness *x, const rlxc_expr *e)
{
    if (e->dtype.bits < 64) {
        rlxc_bound bound = rlxc_bound_of(x->r->ctx, e, &x->r->bounds);
        rlxc_bound all = rlxc_type_range(e->dtype);
        return bound.min <= all.min || bound.max >= all.max;
    }
    x->holds = true;
    rlxc_expr_visit(x->r->ctx, e, only_known, x);
    return !x->holds;
}

static bool is_sum(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_SUB || e->kind == RLXC_EXPR_MUL;
}

static const rlxc_expr *data_form(exactness *x, const rlxc_expr *e);

static const rlxc_expr *new_data_form(exactness *x, const rlxc_expr *e)
{
    rlxc_context *ctx = x->r->ctx;
    const rlxc_expr *any = rlxc_var(ctx, rlxc_intern_cstr(ctx, "any"), e->dtype);
    if (!is_scalar(e) || (is_sum(e) && may_wrap(x, e)))
        return any;
    if (is_sum(e) || e->kind == RLXC_EXPR_MIN || e->kind == RLXC_EXPR_MAX ||
        e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD)
        return rlxc_binary(ctx, (rlxc_expr_kind)e->kind, data_form(x, e->bin.a),
                           data_form(x, e->bin.b));
    if (e->kind == RLXC_EXPR_CAST && rlxc_dtype_is_int(e->bin.a->dtype))
        return rlxc_cast(ctx, e->dtype, data_form(x, e->bin.a));
    return any;
}

/* |e| below another operator; parts that may wrap or are not sums become variables with any value
 * of their type. */
static const rlxc_expr *data_form(exactness *x, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_INT || e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_LOAD)
        return e;
    const rlxc_expr *form = rlxc_map_get(&x->forms, rlxc_key(e));
    if (form == NULL) {
        form = new_data_form(x, e);
        rlxc_map_set(x->r->ctx, &x->forms, rlxc_key(e), (void *)(uintptr_t)form);
    }
    return form;
}

/* |e| as an index: its sums and products do not wrap. */
static const rlxc_expr *index_form(exactness *x, const rlxc_expr *e)
{
    if (is_scalar(e) && is_sum(e))
        return rlxc_binary(x->r->ctx, (rlxc_expr_kind)e->kind, index_form(x, e->bin.a),
                           index_form(x, e->bin.b));
    if (e->kind == RLXC_EXPR_CAST && is_scalar(e) && is_scalar(e->bin.a) &&
        e->bin.a->dtype.bits <= e->dtype.bits)
        return rlxc_cast(x->r->ctx, e->dtype, index_form(x, e->bin.a));
    return data_form(x, e);
}

static bool never_negative(rlxc_reach *r, const rlxc_expr *e)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    e = rlxc_canonical(ctx, e, &r->bounds);
    if (rlxc_prove_le(ctx, zero, e, &r->bounds))
        return true;
    const rlxc_expr *least = rlxc_reach_end(r, e, false);
    return least != NULL && rlxc_prove_le(ctx, zero, least, &r->bounds);
}

/* True if |e| is at least a multiple of |fact|, which is at least 0: one that has as much of the
 * variable of a loop. */
static bool follows_from(rlxc_reach *r, const rlxc_expr *e, const rlxc_expr *fact)
{
    rlxc_context *ctx = r->ctx;
    if (never_negative(r, rlxc_sub(ctx, e, fact)))
        return true;
    int64_t last = 1;
    for (uint32_t i = r->loops.count; i-- > 0 && !rlxc_failed(ctx);) {
        const rlxc_expr *var = r->loops.items[i].var;
        int64_t of_e, of_fact;
        if (!rlxc_is_int(step_of(ctx, fact, var), &of_fact) || of_fact == 0 ||
            !rlxc_is_int(step_of(ctx, e, var), &of_e) || of_e == INT64_MIN || of_e % of_fact != 0 ||
            of_e / of_fact <= 0 || of_e / of_fact == last)
            continue;
        last = of_e / of_fact;
        if (never_negative(r,
                           rlxc_sub(ctx, e, rlxc_mul(ctx, fact, rlxc_int(ctx, fact->dtype, last)))))
            return true;
    }
    return false;
}

static bool find_quotient(void *user, const rlxc_expr *e)
{
    const rlxc_expr **found = user;
    int64_t by;
    if (!*found && e->kind == RLXC_EXPR_FLOORDIV && rlxc_is_int(e->bin.b, &by) && by > 0)
        *found = e;
    return !*found;
}

/* |fact| >= 0 bounds x by a number, so x // n as well: that bound as an expression of at least 0.
 * NULL: |fact| is of something else. */
static const rlxc_expr *fact_of_quotient(rlxc_context *ctx, const rlxc_expr *fact,
                                         const rlxc_expr *quotient)
{
    const rlxc_expr *x = quotient->bin.a, *n = quotient->bin.b;
    const rlxc_expr *least =
        rlxc_canonical(ctx, rlxc_sub(ctx, rlxc_cast(ctx, fact->dtype, x), fact), NULL);
    const rlxc_expr *most =
        rlxc_canonical(ctx, rlxc_add(ctx, fact, rlxc_cast(ctx, fact->dtype, x)), NULL);
    const bool up = least->kind == RLXC_EXPR_INT;
    if (!up && most->kind != RLXC_EXPR_INT)
        return NULL;
    const rlxc_expr *limit =
        rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, up ? least : most, rlxc_cast(ctx, fact->dtype, n));
    quotient = rlxc_cast(ctx, fact->dtype, quotient);
    return up ? rlxc_sub(ctx, quotient, limit) : rlxc_sub(ctx, limit, quotient);
}

/* As above, or because |e| is at least some non-negative expression. */
static bool follows(rlxc_reach *r, const rlxc_expr *e)
{
    if (never_negative(r, e))
        return true;
    const rlxc_expr *quotient = NULL;
    rlxc_expr_visit(r->ctx, e, find_quotient, &quotient);
    for (uint32_t i = r->facts.count; i-- > 0 && !rlxc_failed(r->ctx);) {
        const rlxc_expr *fact = r->facts.items[i];
        const rlxc_expr *own = quotient ? fact_of_quotient(r->ctx, fact, quotient) : NULL;
        if (follows_from(r, e, fact) || (own && follows_from(r, e, own)))
            return true;
    }
    return false;
}

bool rlxc_reach_inside(rlxc_reach *r, const rlxc_expr *index, const rlxc_expr *size)
{
    rlxc_context *ctx = r->ctx;
    index = rlxc_reach_resolve(r, index);
    size = rlxc_reach_resolve(r, size);
    if (index->dtype.lanes != 1 || rlxc_reach_may_change(r->ctx, size))
        return false;
    exactness x = {.r = r};
    index = index_form(&x, index);
    const rlxc_expr *room = rlxc_sub(ctx, rlxc_sub(ctx, size, rlxc_i64(ctx, 1)), index);
    return follows(r, index) && follows(r, room);
}

/* --- loads ------------------------------------------------------------------------------------ */

enum { MOST_NODES = 4096 }; /* an expression may be far larger as a tree than in memory */

static bool loads_inside(rlxc_reach *r, const rlxc_expr *e, uint32_t *work);

static bool choice_inside(rlxc_reach *r, const rlxc_expr *e, uint32_t *work)
{
    const rlxc_reach_mark outside = rlxc_reach_scope(r);
    bool inside = loads_inside(r, e->call.args[0], work);
    for (uint32_t i = 1; i < 3 && inside; i++) {
        rlxc_reach_assume(r, e->call.args[0], i == 1);
        inside = loads_inside(r, e->call.args[i], work);
        rlxc_reach_leave(r, outside);
    }
    return inside;
}

static bool loads_inside(rlxc_reach *r, const rlxc_expr *e, uint32_t *work)
{
    bool inside = ++*work < MOST_NODES;
    switch ((rlxc_expr_kind)e->kind) {
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        return inside;
        RLXC_NUMBER_EXPRS(RLXC_EXPR_CASE)
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
        return inside && loads_inside(r, e->bin.a, work) && loads_inside(r, e->bin.b, work);
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST:
        return inside && loads_inside(r, e->bin.a, work);
    case RLXC_EXPR_LOAD:
        for (uint32_t i = 0; i < e->load.n && inside; i++)
            inside = loads_inside(r, e->load.indices[i], work) &&
                     rlxc_reach_inside(r, e->load.indices[i], e->load.buffer->shape[i]);
        return inside && e->load.n == e->load.buffer->ndim;
    case RLXC_EXPR_CALL:
        if (rlxc_is_choice(e))
            return inside && choice_inside(r, e, work);
        for (uint32_t i = 0; i < e->call.n && inside; i++)
            inside = loads_inside(r, e->call.args[i], work);
        return inside && strcmp(e->call.name, "address_of") != 0;
    case RLXC_EXPR_SELECT:
        return inside && loads_inside(r, e->select.cond, work) &&
               loads_inside(r, e->select.yes, work) && loads_inside(r, e->select.no, work);
    case RLXC_EXPR_LET:
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        return false;
    }
    return false;
}

bool rlxc_reach_loads_inside(rlxc_reach *r, const rlxc_expr *e)
{
    return loads_inside(r, e, &(uint32_t){0});
}

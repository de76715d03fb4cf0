/* Decides whether the compiler may evaluate the expression of a weight's element.
 *
 * A module's PrimFuncs are trusted like native code when the model runs, but not at compile time: a
 * model of unknown origin must be safe to compile. Indices must provably lie inside the constants
 * that they read, and no part may wrap around; divisors must be positive; only intrinsics that
 * compute numbers from numbers are allowed. */
#include "compiler/passes/quant_chain.h"

#include <string.h>

#include "compiler/ir/intrinsics.h"

typedef struct safety {
    rlxc_context *ctx;
    const rlxc_bounds *bounds; /* of the variables */
    uint32_t *sides;           /* of choices that may still be checked by themselves */
    bool holds;
} safety;

enum { MAX_SIDES = 64 }; /* sides share parts, so that there may be many times their nodes */

static bool lies_in(const safety *s, const rlxc_expr *e, rlxc_bound range)
{
    rlxc_bound b = rlxc_bound_of(s->ctx, e, s->bounds);
    return b.min > INT64_MIN && b.max < INT64_MAX && b.min >= range.min && b.max <= range.max;
}

/* A part of an index. */
static bool check_index(void *user, const rlxc_expr *e)
{
    safety *s = user;
    s->holds =
        s->holds && (!rlxc_dtype_is_int(e->dtype) || lies_in(s, e, rlxc_type_range(e->dtype)));
    return s->holds;
}

static void check_load(safety *s, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < e->load.n && s->holds; i++) {
        int64_t n = 0;
        rlxc_expr_visit(s->ctx, e->load.indices[i], check_index, s);
        s->holds = s->holds && rlxc_is_int(e->load.buffer->shape[i], &n) &&
                   lies_in(s, e->load.indices[i], (rlxc_bound){0, n - 1});
    }
}

static bool is_plain_call(const rlxc_expr *e)
{
    const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    return row && row->lowering != RLXC_LOWER_CALLEE &&
           (row->result == RLXC_RESULT_SAME || row->result == RLXC_RESULT_SECOND);
}

static bool check_element(void *user, const rlxc_expr *e)
{
    safety *s = user;
    bool divides = e->kind == RLXC_EXPR_DIV || e->kind == RLXC_EXPR_MOD ||
                   e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    if (e->dtype.lanes != 1 || e->kind == RLXC_EXPR_LET ||
        (e->kind == RLXC_EXPR_CALL && !is_plain_call(e)) ||
        (divides && rlxc_dtype_is_int(e->dtype) &&
         !lies_in(s, e->bin.b, (rlxc_bound){1, INT64_MAX})))
        s->holds = false;
    if (e->kind == RLXC_EXPR_LOAD)
        check_load(s, e);
    return s->holds;
}

static bool is_safe(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds,
                    uint32_t *sides);

typedef struct renaming {
    const rlxc_expr *from, *to;
} renaming;

static const rlxc_expr *rename_part(void *user, const rlxc_expr *e)
{
    const renaming *r = user;
    return e == r->from ? r->to : NULL;
}

/* A side of a choice, taken where |part| is in |range|: there it is a variable of that range, also
 * as the remainder of a variable. */
static void check_side(safety *s, const rlxc_expr *side, const rlxc_expr *part, rlxc_bound range)
{
    int64_t each;
    rlxc_bounds bounds = {0};
    renaming r = {part, rlxc_var(s->ctx, "part", part->dtype)};
    if (range.min > range.max || !s->holds) /* never taken */
        return;
    if (*s->sides == 0) {
        s->holds = false;
        return;
    }
    --*s->sides;
    for (uint32_t i = 0; i < s->bounds->vars.count; i++)
        rlxc_bounds_set(s->ctx, &bounds, s->bounds->vars.items[i], s->bounds->ranges.items[i]);
    rlxc_bounds_set(s->ctx, &bounds, r.to, range);
    side = rlxc_expr_rewrite_all(s->ctx, side, rename_part, &r);
    if (part->kind == RLXC_EXPR_FLOORMOD && part->bin.a->kind == RLXC_EXPR_VAR &&
        rlxc_is_int(part->bin.b, &each) && each > 0) {
        const rlxc_expr *var = part->bin.a, *block = rlxc_var(s->ctx, "block", part->dtype);
        const rlxc_bound all = rlxc_bound_of(s->ctx, var, s->bounds);
        const rlxc_expr *whole = rlxc_add(s->ctx, rlxc_mul(s->ctx, block, part->bin.b), r.to);
        if (all.min >= 0 && all.max < INT64_MAX) {
            rlxc_bounds_set(s->ctx, &bounds, block, (rlxc_bound){all.min / each, all.max / each});
            side = rlxc_substitute(s->ctx, side, &var, &whole, 1);
        }
    }
    s->holds = is_safe(s->ctx, rlxc_simplify(s->ctx, side, &bounds), &bounds, s->sides);
}

/* Checks the sides of if_then_else where the condition compares an integer with a number, and
 * leaves a value of which nothing is known in its place. Other choices stay, and so do those in
 * indices: their sides must be safe for all values. */
static const rlxc_expr *take_choice(void *user, const rlxc_expr *e)
{
    safety *s = user;
    int64_t at;
    if (e->kind == RLXC_EXPR_LOAD)
        return e;
    if (!rlxc_is_choice(e))
        return NULL;
    const rlxc_expr *cond = e->call.args[0], *part = NULL;
    bool below = true; /* the condition holds for parts below |at|, or for the others */
    if (cond->kind == RLXC_EXPR_LT && rlxc_is_int(cond->bin.b, &at))
        part = cond->bin.a;
    else if (cond->kind == RLXC_EXPR_LE && rlxc_is_int(cond->bin.a, &at))
        part = cond->bin.b, below = false;
    if (!part || !rlxc_dtype_is_int(part->dtype) || at == INT64_MIN)
        return NULL;
    const rlxc_bound all = rlxc_bound_of(s->ctx, part, s->bounds);
    const rlxc_bound low = {all.min, all.max < at ? all.max : at - 1},
                     high = {all.min > at ? all.min : at, all.max};
    s->holds = s->holds && is_safe(s->ctx, part, s->bounds, s->sides);
    rlxc_expr_visit(s->ctx, part, check_index, s);
    check_side(s, e->call.args[1], part, below ? low : high);
    check_side(s, e->call.args[2], part, below ? high : low);
    return rlxc_var(s->ctx, "chosen", e->dtype);
}

static bool is_safe(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds,
                    uint32_t *sides)
{
    safety s = {ctx, bounds, sides, true};
    e = rlxc_expr_rewrite_all(ctx, e, take_choice, &s);
    rlxc_expr_visit(ctx, e, check_element, &s);
    return s.holds && !rlxc_failed(ctx);
}

bool rlxc_quant_is_safe(rlxc_context *ctx, const rlxc_expr *e, const rlxc_bounds *bounds)
{
    uint32_t sides = MAX_SIDES;
    return is_safe(ctx, e, bounds, &sides);
}

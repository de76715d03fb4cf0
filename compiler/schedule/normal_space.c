/* The variables of loops or axes, joined and cut (normal_space.h).
 *
 * A sum of variables in which each has its own digits (i0 * 16 + i1 with i1 < 16) becomes one
 * variable if those variables occur in no other way. A variable that occurs divided by a number
 * that divides its extent becomes two. */
#include <string.h>

#include "compiler/ir/sinfo.h"
#include "compiler/schedule/normal_space.h"

enum { WORK = 4096 };

bool rlxc_space_goes_on(rlxc_space *s)
{
    s->failed = s->failed || ++s->work > WORK || rlxc_failed(s->ctx);
    return !s->failed;
}

void rlxc_space_remove(rlxc_space *s, uint32_t i)
{
    s->n--;
    for (; i < s->n; i++) {
        s->vars[i] = s->vars[i + 1];
        s->extents[i] = s->extents[i + 1];
        s->values[i] = s->values[i + 1];
        s->reduces[i] = s->reduces[i + 1];
    }
}

const rlxc_expr *rlxc_space_add(rlxc_space *s, const char *name, const rlxc_expr *extent,
                                const rlxc_expr *value, bool reduces)
{
    if (s->n == RLXC_NEST_LOOPS)
        return NULL;
    s->vars[s->n] = rlxc_var(s->ctx, name, RLX_I64);
    s->extents[s->n] = extent;
    s->values[s->n] = value;
    s->reduces[s->n] = reduces;
    return s->vars[s->n++];
}

bool rlxc_space_drop_unit(rlxc_space *s)
{
    const rlxc_expr *zero = rlxc_i64(s->ctx, 0);
    uint32_t i = 0;
    while (i < s->n && !rlxc_is_const(s->extents[i], 1))
        i++;
    if (i == s->n)
        return false;
    for (uint32_t k = 0; k < s->n_exprs; k++)
        s->exprs[k] = rlxc_substitute(s->ctx, s->exprs[k], &s->vars[i], &zero, 1);
    rlxc_space_remove(s, i);
    return true;
}

static bool in_range(rlxc_context *ctx, const rlxc_expr *e, rlx_dtype t, const rlxc_bounds *bounds)
{
    const rlxc_bound range = rlxc_type_range(t), b = rlxc_bound_of(ctx, e, bounds);
    return b.min >= range.min && b.max <= range.max;
}

const rlxc_expr *rlxc_space_widened(rlxc_space *s, const rlxc_expr *e, const rlxc_expr *const *from,
                                    const rlxc_expr *const *to, uint32_t n)
{
    if (!rlxc_space_goes_on(s))
        return e;
    for (uint32_t i = 0; i < n; i++)
        if (from[i] == e)
            return to[i];
    if (e->kind == RLXC_EXPR_CAST && rlxc_dtype_is_int(e->bin.a->dtype) && e->dtype.bits >= 32 &&
        e->dtype.code == RLX_INT) {
        const rlxc_expr *of = rlxc_space_widened(s, e->bin.a, from, to, n);
        s->failed = s->failed || (e->dtype.bits < e->bin.a->dtype.bits && s->below > 0 &&
                                  !in_range(s->ctx, of, e->dtype, s->bounds));
        return of;
    }
    if (rlxc_is_binary(e) && e->kind != RLXC_EXPR_AND && e->kind != RLXC_EXPR_OR &&
        e->bin.a->dtype.code == RLX_INT) {
        const bool sum =
            e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_SUB || e->kind == RLXC_EXPR_MUL;
        s->below += !sum;
        const rlxc_expr *a = rlxc_space_widened(s, e->bin.a, from, to, n);
        const rlxc_expr *b = rlxc_space_widened(s, e->bin.b, from, to, n);
        s->below -= !sum;
        return rlxc_binary(s->ctx, (rlxc_expr_kind)e->kind, a, b);
    }
    if ((e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_INT) && rlxc_dtype_is_int(e->dtype))
        return rlxc_cast(s->ctx, RLX_I64, e);
    s->failed = true;
    return e;
}

bool rlxc_space_fits(rlxc_space *s, const rlxc_expr *e, const rlxc_expr *const *from,
                     const rlxc_expr *const *to, uint32_t n, const rlxc_bounds *bounds)
{
    if (!rlxc_space_goes_on(s) || e->dtype.code != RLX_INT || e->dtype.lanes != 1)
        return false;
    if (e->kind != RLXC_EXPR_CAST && !rlxc_is_binary(e))
        return true;
    if (!rlxc_space_fits(s, e->bin.a, from, to, n, bounds) ||
        (rlxc_is_binary(e) && !rlxc_space_fits(s, e->bin.b, from, to, n, bounds)))
        return false;
    const rlxc_expr *w = rlxc_space_widened(s, e, from, to, n);
    return !s->failed && (e->dtype.bits == 64 || in_range(s->ctx, w, e->dtype, bounds));
}

const rlxc_expr *rlxc_wide(rlxc_context *ctx, const rlxc_expr *e)
{
    rlxc_space s = {.ctx = ctx};
    const rlxc_expr *w = rlxc_space_widened(&s, e, NULL, NULL, 0);
    return s.failed ? rlxc_cast(ctx, RLX_I64, e) : w;
}

/* --- questions about expressions -------------------------------------------------------------- */

void rlxc_bound_loop(rlxc_context *ctx, rlxc_bounds *bounds, const rlxc_expr *var,
                     const rlxc_expr *min, const rlxc_expr *extent)
{
    int64_t n;
    if (rlxc_is_const(min, 0) && rlxc_is_int(extent, &n) && n > 0)
        rlxc_bounds_set(ctx, bounds, var, (rlxc_bound){0, n - 1});
}

static bool count_division(void *user, const rlxc_expr *e)
{
    uint32_t *n = user;
    *n += e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    return true;
}

uint32_t rlxc_divisions_in(rlxc_context *ctx, const rlxc_expr *e)
{
    uint32_t n = 0;
    rlxc_expr_visit(ctx, e, count_division, &n);
    return n;
}

const rlxc_expr *rlxc_digit_limit(rlxc_context *ctx, const rlxc_expr *cond,
                                  const rlxc_bounds *bounds)
{
    int64_t last, least, n, total;
    if (cond->kind != RLXC_EXPR_AND || cond->bin.a->kind != RLXC_EXPR_EQ ||
        cond->bin.b->kind != RLXC_EXPR_LE)
        return NULL;
    const rlxc_expr *eq = cond->bin.a, *le = cond->bin.b;
    if (!rlxc_is_int(eq->bin.b, &last) || !rlxc_is_int(le->bin.a, &least) ||
        eq->bin.a->kind != RLXC_EXPR_VAR || le->bin.b->kind != RLXC_EXPR_VAR ||
        eq->bin.a == le->bin.b)
        return NULL;
    const rlxc_bound high = rlxc_bound_of(ctx, eq->bin.a, bounds);
    const rlxc_bound low = rlxc_bound_of(ctx, le->bin.b, bounds);
    if (high.max != last || low.min != 0 || low.max == INT64_MAX || least < 0 ||
        __builtin_add_overflow(low.max, 1, &n) || __builtin_mul_overflow(last, n, &total) ||
        __builtin_add_overflow(total, least, &total))
        return NULL;
    return rlxc_binary(ctx, RLXC_EXPR_LE, rlxc_i64(ctx, total),
                       rlxc_add(ctx, rlxc_mul(ctx, rlxc_wide(ctx, eq->bin.a), rlxc_i64(ctx, n)),
                                rlxc_wide(ctx, le->bin.b)));
}

/* --- joining ---------------------------------------------------------------------------------- */

typedef struct sum { /* of |n| loop variables, the largest coefficient first */
    uint32_t n, at[RLXC_NEST_LOOPS];
    int64_t by[RLXC_NEST_LOOPS];
} sum;

/* True if |e| is exactly such a sum. */
static bool read_sum(rlxc_space *s, const rlxc_expr *e, sum *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t by;
        const rlxc_expr *rest;
        if (!rlxc_space_goes_on(s) || !rlxc_linear_in(s->ctx, e, s->vars[i], &by, &rest))
            return false;
        if (by == 0)
            continue;
        if (by < 0)
            return false;
        uint32_t k = out->n++;
        for (; k > 0 && out->by[k - 1] < by; k--) {
            out->by[k] = out->by[k - 1];
            out->at[k] = out->at[k - 1];
        }
        out->by[k] = by;
        out->at[k] = i;
        e = rest;
    }
    return rlxc_is_const(rlxc_canonical(s->ctx, e, NULL), 0);
}

/* True if each variable has its own digits, and the last coefficient is 1. */
static bool has_digits(const rlxc_space *s, const sum *x)
{
    if (x->n == 0 || x->by[x->n - 1] != 1)
        return false;
    for (uint32_t i = 1; i < x->n; i++) {
        int64_t extent, step;
        if (!rlxc_is_int(s->extents[x->at[i]], &extent) ||
            __builtin_mul_overflow(extent, x->by[i], &step) || step != x->by[i - 1])
            return false;
    }
    return true;
}

bool rlxc_covers(rlxc_context *ctx, const rlxc_expr *count, int64_t size, const rlxc_expr *extent)
{
    int64_t times;
    while (count->kind == RLXC_EXPR_MUL && rlxc_is_int(count->bin.b, &times) && times > 0 &&
           !__builtin_mul_overflow(size, times, &times)) {
        size = times;
        count = count->bin.a;
    }
    const rlxc_expr *of = rlxc_i64(ctx, size);
    const rlxc_expr *up =
        rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rlxc_add(ctx, extent, rlxc_i64(ctx, size - 1)), of);
    return rlxc_prove_eq(ctx, count, up, NULL) ||
           rlxc_prove_le(ctx, extent, rlxc_mul(ctx, count, of), NULL);
}

/* |e| with multiples of the sum as multiples of |var|. */
static const rlxc_expr *with_sum(rlxc_space *s, const rlxc_expr *e, const sum *x,
                                 const rlxc_expr *var)
{
    if (!rlxc_space_goes_on(s) || !rlxc_is_binary(e))
        return e;
    const rlxc_expr *rest = e;
    int64_t times = 0;
    bool multiple = rlxc_dtype_is_int(e->dtype);
    for (uint32_t i = x->n; i-- > 0 && multiple;) {
        int64_t by;
        multiple = rlxc_linear_in(s->ctx, rest, s->vars[x->at[i]], &by, &rest) && by != 0;
        if (i == x->n - 1)
            times = by;
        multiple = multiple && by / x->by[i] == times && by % x->by[i] == 0;
    }
    if (multiple)
        return rlxc_add(s->ctx, rlxc_mul(s->ctx, var, rlxc_i64(s->ctx, times)),
                        with_sum(s, rest, x, var));
    const rlxc_expr *a = with_sum(s, e->bin.a, x, var), *b = with_sum(s, e->bin.b, x, var);
    return a == e->bin.a && b == e->bin.b ? e : rlxc_binary(s->ctx, (rlxc_expr_kind)e->kind, a, b);
}

static bool uses_parts(const rlxc_space *s, const rlxc_expr *e, const sum *x)
{
    for (uint32_t k = 0; k < x->n; k++)
        if (rlxc_expr_uses_var(s->ctx, e, s->vars[x->at[k]]))
            return true;
    return false;
}

/* |e| with the digits of |var| for the variables of the sum. */
static const rlxc_expr *with_parts(const rlxc_space *s, const rlxc_expr *e, const sum *x,
                                   const rlxc_expr *var)
{
    const rlxc_expr *from[RLXC_NEST_LOOPS], *to[RLXC_NEST_LOOPS];
    for (uint32_t k = 0; k < x->n; k++) {
        from[k] = s->vars[x->at[k]];
        to[k] = rlxc_binary(s->ctx, RLXC_EXPR_FLOORDIV, var, rlxc_i64(s->ctx, x->by[k]));
        if (k > 0)
            to[k] = rlxc_binary(s->ctx, RLXC_EXPR_FLOORMOD, to[k],
                                rlxc_i64(s->ctx, x->by[k - 1] / x->by[k]));
    }
    return rlxc_canonical(s->ctx, rlxc_substitute(s->ctx, e, from, to, x->n), NULL);
}

bool rlxc_space_join(rlxc_space *s, const rlxc_expr *e, const rlxc_expr *limit, uint32_t condition)
{
    sum x;
    if (!read_sum(s, e, &x) || x.n == 0 || (x.n == 1 && !limit) || !has_digits(s, &x))
        return false;
    const rlxc_expr *first = s->extents[x.at[0]];
    if (limit && !rlxc_covers(s->ctx, first, x.by[0], limit))
        return false;
    for (uint32_t i = 0; i < s->n && limit; i++)
        if (rlxc_expr_uses_var(s->ctx, limit, s->vars[i]))
            return false;
    for (uint32_t k = 1; k < x.n; k++)
        if (s->reduces[x.at[k]] != s->reduces[x.at[0]])
            return false;
    rlxc_space next = *s;
    const rlxc_expr *extent = limit ? limit : rlxc_mul(s->ctx, first, rlxc_i64(s->ctx, x.by[0]));
    if (limit) { /* it becomes the extent */
        next.n_exprs--;
        for (uint32_t i = condition; i < next.n_exprs; i++)
            next.exprs[i] = next.exprs[i + 1];
    }
    const rlxc_expr *var = rlxc_space_add(
        &next, s->vars[x.at[x.n - 1]]->var.name, rlxc_canonical(s->ctx, extent, NULL),
        s->values[x.at[0]] ? rlxc_substitute(s->ctx, e, s->vars, s->values, s->n) : NULL,
        s->reduces[x.at[0]]);
    if (!var)
        return false;
    for (uint32_t i = 0; i < next.n_exprs; i++) {
        next.exprs[i] = x.n == 1
                            ? rlxc_substitute(s->ctx, next.exprs[i], &s->vars[x.at[0]], &var, 1)
                            : with_sum(&next, next.exprs[i], &x, var);
        if (!uses_parts(s, next.exprs[i], &x))
            continue;
        if (i < s->n_axes)
            return false;
        next.exprs[i] = with_parts(s, next.exprs[i], &x, var);
    }
    if (next.failed)
        return false;
    for (uint32_t k = 0; k < x.n; k++)
        for (uint32_t i = 0; i < next.n; i++)
            if (next.vars[i] == s->vars[x.at[k]])
                rlxc_space_remove(&next, i--);
    *s = next;
    return true;
}

/* True if |e| depends on high * size + low only: it keeps its value if high grows by one and low
 * falls by its extent, the size. */
static bool counts_sum(rlxc_space *s, const rlxc_expr *e, uint32_t high, uint32_t low)
{
    const rlxc_expr *const from[] = {s->vars[high], s->vars[low]};
    const rlxc_expr *const to[] = {rlxc_add(s->ctx, from[0], rlxc_i64(s->ctx, 1)),
                                   rlxc_sub(s->ctx, from[1], s->extents[low])};
    return rlxc_canonical(s->ctx, rlxc_substitute(s->ctx, e, from, to, 2), NULL) ==
           rlxc_canonical(s->ctx, e, NULL);
}

/* As rlxc_space_join_symbolic, for these two. */
static bool join_pair(rlxc_space *s, uint32_t high, uint32_t low)
{
    const rlxc_expr *h = s->vars[high], *l = s->vars[low], *by = s->extents[low];
    bool both = false;
    for (uint32_t i = 0; i < s->n_exprs; i++) {
        const bool uses = rlxc_expr_uses_var(s->ctx, s->exprs[i], h);
        both = both || uses;
        if (uses != rlxc_expr_uses_var(s->ctx, s->exprs[i], l))
            return false;
    }
    for (uint32_t i = 0; i < s->n_exprs && both; i++)
        if (!rlxc_space_goes_on(s) || !counts_sum(s, s->exprs[i], high, low))
            return false;
    const rlxc_expr *value = s->values[high];
    if (value)
        value = rlxc_add(s->ctx, rlxc_mul(s->ctx, value, by), s->values[low]);
    const rlxc_expr *extent = rlxc_canonical(s->ctx, rlxc_mul(s->ctx, s->extents[high], by), NULL);
    const rlxc_expr *var =
        both ? rlxc_space_add(s, l->var.name, extent, value, s->reduces[low]) : NULL;
    if (!var)
        return false;
    const rlxc_expr *const from[] = {h, l}, *const to[] = {rlxc_i64(s->ctx, 0), var};
    for (uint32_t i = 0; i < s->n_exprs; i++)
        s->exprs[i] =
            rlxc_canonical(s->ctx, rlxc_substitute(s->ctx, s->exprs[i], from, to, 2), NULL);
    rlxc_space_remove(s, high > low ? high : low);
    rlxc_space_remove(s, high > low ? low : high);
    return true;
}

bool rlxc_space_join_symbolic(rlxc_space *s)
{
    for (uint32_t low = 0; low < s->n; low++) {
        int64_t size;
        const bool number = rlxc_is_int(s->extents[low], &size);
        for (uint32_t high = 0; high < s->n && !number; high++)
            if (high != low && s->reduces[high] == s->reduces[low] && join_pair(s, high, low))
                return true;
    }
    return false;
}

bool rlxc_space_join_divided(rlxc_space *s, const rlxc_expr *e)
{
    if (!rlxc_space_goes_on(s) || !rlxc_is_binary(e))
        return false;
    bool divides = e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    return (divides && rlxc_space_join(s, e->bin.a, NULL, 0)) ||
           rlxc_space_join_divided(s, e->bin.a) || rlxc_space_join_divided(s, e->bin.b);
}

rlxc_bounds rlxc_space_bounds(const rlxc_space *s)
{
    rlxc_bounds bounds = {0};
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t extent;
        rlxc_bound b = {0, INT64_MAX};
        if (rlxc_is_int(s->extents[i], &extent))
            b.max = extent > 0 ? extent - 1 : 0;
        rlxc_bounds_set(s->ctx, &bounds, s->vars[i], b);
    }
    return bounds;
}

/* --- conditions ------------------------------------------------------------------------------- */

static bool find_narrowing(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || (e->kind == RLXC_EXPR_CAST && e->dtype.bits < e->bin.a->dtype.bits);
    return !*found;
}

/* True if |e| may lose digits. */
static bool narrows(rlxc_context *ctx, const rlxc_expr *e)
{
    bool found = false;
    rlxc_expr_visit(ctx, e, find_narrowing, &found);
    return found;
}

/* a < b with the variables of the space on its left, if it is linear in them and counts none of
 * them down there. */
static const rlxc_expr *vars_left(rlxc_space *s, const rlxc_expr *less)
{
    const rlxc_expr *rest = rlxc_sub(s->ctx, less->bin.a, less->bin.b), *left = rlxc_i64(s->ctx, 0);
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t by;
        if (!rlxc_linear_in(s->ctx, rest, s->vars[i], &by, &rest) || by < 0)
            return less;
        left = rlxc_add(s->ctx, left, rlxc_mul(s->ctx, s->vars[i], rlxc_i64(s->ctx, by)));
    }
    return rlxc_binary(s->ctx, RLXC_EXPR_LT, rlxc_canonical(s->ctx, left, NULL),
                       rlxc_canonical(s->ctx, rlxc_sub(s->ctx, rlxc_i64(s->ctx, 0), rest), NULL));
}

bool rlxc_space_take(rlxc_space *s, const rlxc_expr *cond, const rlxc_expr *const *from,
                     const rlxc_expr *const *to, uint32_t n)
{
    if (!rlxc_space_goes_on(s) || rlxc_is_const(cond, 1))
        return !s->failed;
    if (cond->kind == RLXC_EXPR_CALL && cond->call.n == 1 && strcmp(cond->call.name, "likely") == 0)
        return rlxc_space_take(s, cond->call.args[0], from, to, n);
    if (cond->kind == RLXC_EXPR_AND) {
        const bool first = rlxc_space_take(s, cond->bin.a, from, to, n);
        return rlxc_space_take(s, cond->bin.b, from, to, n) && first;
    }
    bool less = cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE ||
                cond->kind == RLXC_EXPR_GT || cond->kind == RLXC_EXPR_GE;
    if (!less || narrows(s->ctx, cond) || s->n_exprs == sizeof s->exprs / sizeof *s->exprs)
        return false;
    rlxc_space sides = {.ctx = s->ctx};
    const rlxc_expr *a = rlxc_space_widened(&sides, cond->bin.a, from, to, n);
    const rlxc_expr *b = rlxc_space_widened(&sides, cond->bin.b, from, to, n);
    if (sides.failed)
        return false;
    bool turned = cond->kind == RLXC_EXPR_GT || cond->kind == RLXC_EXPR_GE;
    const rlxc_expr *low = turned ? b : a, *high = turned ? a : b;
    if (cond->kind == RLXC_EXPR_LE || cond->kind == RLXC_EXPR_GE)
        high = rlxc_add(s->ctx, high, rlxc_i64(s->ctx, 1));
    s->exprs[s->n_exprs++] = vars_left(s, rlxc_binary(s->ctx, RLXC_EXPR_LT, low, high));
    return true;
}

bool rlxc_space_join_limited(rlxc_space *s)
{
    for (uint32_t i = s->n_axes; i < s->n_exprs; i++)
        if (s->exprs[i]->kind == RLXC_EXPR_LT &&
            rlxc_space_join(s, s->exprs[i]->bin.a, s->exprs[i]->bin.b, i))
            return true;
    return false;
}

/* --- cutting ---------------------------------------------------------------------------------- */

typedef struct cut { /* |var| // |by| and |var| % |by| */
    const rlxc_expr *var, *by;
} cut;

static bool is_var_of(const rlxc_space *s, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->vars[i] == e)
            return true;
    return false;
}

/* The largest constant divisor of a variable, or a symbolic one. */
static void find_cut(rlxc_space *s, const rlxc_expr *e, cut *found)
{
    if (!rlxc_space_goes_on(s) || !rlxc_is_binary(e))
        return;
    int64_t by, best;
    bool divides = e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    if (divides && is_var_of(s, e->bin.a)) {
        bool number = rlxc_is_int(e->bin.b, &by);
        if (!found->var ||
            (number && rlxc_is_int(found->by, &best) && by > best && e->bin.a == found->var))
            *found = (cut){e->bin.a, e->bin.b};
    }
    find_cut(s, e->bin.a, found);
    find_cut(s, e->bin.b, found);
}

/* --- quotients of symbolic sizes -------------------------------------------------------------- */

bool rlxc_is_size(rlxc_context *ctx, const rlxc_expr *e)
{
    rlxc_var_list list = {0};
    rlxc_collect_vars(ctx, e, &list);
    bool sizes = !e->from_memory && rlxc_bound_of(ctx, e, NULL).min >= 0;
    for (uint32_t i = 0; i < list.vars.count && sizes; i++)
        sizes = list.vars.items[i]->var.nonneg;
    return sizes;
}

typedef struct factor {
    const rlxc_expr *of, *var; /* a variable in its place */
} factor;

/* The variable or division in the product |e|; NULL: there is none. */
static const rlxc_expr *symbol_in(const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_MUL)
        return e->bin.a->kind == RLXC_EXPR_INT ? symbol_in(e->bin.b) : symbol_in(e->bin.a);
    return e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_FLOORDIV ? e : NULL;
}

static const rlxc_expr *named_factor(void *user, const rlxc_expr *e)
{
    const factor *f = user;
    return e == f->of ? f->var : NULL;
}

static bool multiple_of(rlxc_context *ctx, factor *f, const rlxc_expr *e, int64_t *times)
{
    const rlxc_expr *rest;
    return rlxc_linear_in(ctx, rlxc_expr_rewrite_all(ctx, e, named_factor, f), f->var, times,
                          &rest) &&
           *times > 0 && rlxc_is_const(rlxc_canonical(ctx, rest, NULL), 0);
}

/* |e| // |by| where both are multiples of one symbolic size, without remainder; NULL: they are not.
 */
static const rlxc_expr *quotient(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *by)
{
    int64_t a, b;
    factor f = {symbol_in(by), NULL};
    if (!f.of)
        return NULL;
    f.var = rlxc_var(ctx, "size", RLX_I64);
    return multiple_of(ctx, &f, e, &a) && multiple_of(ctx, &f, by, &b) && a % b == 0
               ? rlxc_i64(ctx, a / b)
               : NULL;
}

const rlxc_expr *rlxc_exact_quotient(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *by)
{
    const rlxc_expr *count = quotient(ctx, e, by);
    if (count)
        return count;
    count = rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, e, by), NULL);
    return rlxc_bound_of(ctx, count, NULL).min >= 0 &&
                   rlxc_prove_eq(ctx, rlxc_mul(ctx, count, by), e, NULL)
               ? count
               : NULL;
}

/* |e| // |by|, rounded up; NULL: not for numbers. */
static const rlxc_expr *rounded_up(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *by)
{
    int64_t size, n;
    return rlxc_is_int(e, &size) && rlxc_is_int(by, &n) && size > 0 && n > 0
               ? rlxc_i64(ctx, (size - 1) / n + 1)
               : NULL;
}

typedef struct digits {
    const cut *of;
    const rlxc_expr *high, *low;
} digits;

static const rlxc_expr *with_digits(rlxc_space *s, const rlxc_expr *e, const digits *d)
{
    if (!rlxc_space_goes_on(s))
        return e;
    if (e == d->of->var)
        return rlxc_add(s->ctx, rlxc_mul(s->ctx, d->high, d->of->by), d->low);
    if (!rlxc_is_binary(e))
        return e;
    if (e->bin.a == d->of->var && e->bin.b == d->of->by &&
        (e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD))
        return e->kind == RLXC_EXPR_FLOORDIV ? d->high : d->low;
    const rlxc_expr *part =
        e->bin.a == d->of->var && (e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD)
            ? quotient(s->ctx, d->of->by, e->bin.b)
            : NULL;
    if (part) { /* the divisor divides the cut */
        const rlxc_expr *low = rlxc_binary(s->ctx, (rlxc_expr_kind)e->kind, d->low, e->bin.b);
        return e->kind == RLXC_EXPR_FLOORMOD
                   ? low
                   : rlxc_add(s->ctx, rlxc_mul(s->ctx, d->high, part), low);
    }
    return rlxc_binary(s->ctx, (rlxc_expr_kind)e->kind, with_digits(s, e->bin.a, d),
                       with_digits(s, e->bin.b, d));
}

bool rlxc_space_cut(rlxc_space *s, const rlxc_expr *const *exprs, uint32_t n)
{
    cut at = {0};
    for (uint32_t i = 0; i < n; i++)
        find_cut(s, exprs[i], &at);
    if (!at.var || s->failed)
        return false;
    uint32_t place = 0;
    while (s->vars[place] != at.var)
        place++;
    if (rlxc_bound_of(s->ctx, at.by, NULL).min < 0 || rlxc_is_const(at.by, 0))
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (rlxc_expr_uses_var(s->ctx, at.by, s->vars[i]))
            return false;
    const rlxc_expr *extent = s->extents[place];
    const rlxc_expr *value = s->values[place], *high = NULL, *low = NULL;
    const rlxc_expr *count = rlxc_exact_quotient(s->ctx, extent, at.by);
    if (!count && value) /* the loops decide how far the digits really count */
        count = rounded_up(s->ctx, extent, at.by);
    if (!count)
        return false;
    if (value) {
        high = rlxc_binary(s->ctx, RLXC_EXPR_FLOORDIV, value, at.by);
        low = rlxc_binary(s->ctx, RLXC_EXPR_FLOORMOD, value, at.by);
    }
    const char *name = at.var->var.name;
    digits d = {.of = &at,
                .high = rlxc_space_add(s, name, count, high, s->reduces[place]),
                .low = rlxc_space_add(s, name, at.by, low, s->reduces[place])};
    if (!d.high || !d.low)
        return false;
    for (uint32_t i = 0; i < s->n_exprs; i++)
        s->exprs[i] = with_digits(s, s->exprs[i], &d);
    rlxc_space_remove(s, place);
    return !s->failed;
}

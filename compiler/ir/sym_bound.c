/* Bounds of canonical expressions by interval arithmetic, and the proof that a polynomial is never
 * negative. INT64_MIN and INT64_MAX stand for minus and plus infinity in intervals. */
#include "compiler/ir/sym_state.h"

#include "rlx/checked.h"

static const rlxc_bound unknown = {INT64_MIN, INT64_MAX};

static bool is_infinite(int64_t v)
{
    return v == INT64_MIN || v == INT64_MAX;
}

rlxc_bound rlxc_type_range(rlx_dtype t)
{
    if (t.code == RLX_BOOL)
        return (rlxc_bound){0, 1};
    if (t.code == RLX_UINT)
        return (rlxc_bound){0, t.bits >= 63 ? INT64_MAX : (INT64_C(1) << t.bits) - 1};
    if (t.code == RLX_INT && t.bits < 64)
        return (rlxc_bound){-(INT64_C(1) << (t.bits - 1)), (INT64_C(1) << (t.bits - 1)) - 1};
    return unknown;
}

/* Adds ends of the same side; an infinite end, or one that overflows, stays |infinity|. */
static int64_t add_end(int64_t a, int64_t b, int64_t infinity)
{
    int64_t sum;
    if (is_infinite(a) || is_infinite(b) || !rlx_add_i64(a, b, &sum))
        return infinity;
    return sum;
}

static int64_t negate(int64_t a)
{
    return a == INT64_MIN ? INT64_MAX : a == INT64_MAX ? INT64_MIN : -a;
}

static int64_t mul_end(int64_t a, int64_t b)
{
    int64_t product;
    if (a == 0 || b == 0)
        return 0;
    if (is_infinite(a) || is_infinite(b) || !rlx_mul_i64(a, b, &product))
        return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return product;
}

static rlxc_bound mul_bounds(rlxc_bound a, rlxc_bound b)
{
    int64_t ends[4] = {mul_end(a.min, b.min), mul_end(a.min, b.max), mul_end(a.max, b.min),
                       mul_end(a.max, b.max)};
    rlxc_bound r = {ends[0], ends[0]};
    for (int i = 1; i < 4; i++) {
        r.min = ends[i] < r.min ? ends[i] : r.min;
        r.max = ends[i] > r.max ? ends[i] : r.max;
    }
    return r;
}

/* v // d for d > 0, either possibly infinite. */
static int64_t div_end(int64_t v, int64_t d)
{
    if (v == INT64_MIN || v == INT64_MAX)
        return d == INT64_MAX ? (v < 0 ? -1 : 0) : v;
    if (d == INT64_MAX)
        return v < 0 ? -1 : 0;
    int64_t q = 0;
    (void)rlx_floordiv_i64(v, d, &q); /* d > 0: cannot fail */
    return q;
}

static rlxc_bound floordiv_bounds(rlxc_bound a, rlxc_bound d)
{
    if (d.min < 0)
        return unknown;
    if (d.min == 0)
        d.min = 1; /* a divisor is not zero */
    if (d.max < d.min)
        return unknown;
    rlxc_bound r = unknown;
    if (a.min != INT64_MIN)
        r.min = a.min >= 0 ? div_end(a.min, d.max) : div_end(a.min, d.min);
    if (a.max != INT64_MAX)
        r.max = a.max >= 0 ? div_end(a.max, d.min) : div_end(a.max, d.max);
    return r;
}

static rlxc_bound floormod_bounds(rlxc_bound a, rlxc_bound d)
{
    if (d.min < 0)
        return unknown;
    int64_t least = d.min ? d.min : 1;
    if (a.min >= 0 && a.max < least)
        return a;
    rlxc_bound r = {0, d.max == INT64_MAX ? INT64_MAX : d.max - 1};
    if (a.min >= 0 && a.max < r.max)
        r.max = a.max;
    if (r.max < 0)
        r.max = 0;
    return r;
}

static rlxc_bound trunc_bounds(rlxc_expr_kind kind, rlxc_bound a, rlxc_bound d)
{
    if (a.min >= 0)
        return kind == RLXC_EXPR_DIV ? floordiv_bounds(a, d) : floormod_bounds(a, d);
    if (d.min < 0)
        return unknown;
    if (kind == RLXC_EXPR_DIV) /* towards zero: within the operand's bounds */
        return (rlxc_bound){a.min < 0 ? a.min : 0, a.max > 0 ? a.max : 0};
    if (d.max == INT64_MAX)
        return unknown;
    int64_t most = d.max > 0 ? d.max - 1 : 0;
    return (rlxc_bound){-most, a.max <= 0 ? 0 : most};
}

static rlxc_bound join_bounds(rlxc_bound a, rlxc_bound b)
{
    return (rlxc_bound){a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
}

static rlxc_bound variable_bound(const rlxc_sym *s, const rlxc_expr *var)
{
    if (s->bounds)
        for (uint32_t i = s->bounds->vars.count; i-- > 0;)
            if (s->bounds->vars.items[i] == var)
                return s->bounds->ranges.items[i];
    rlxc_bound b = rlxc_type_range(var->dtype);
    if (var->var.nonneg)
        b.min = 0;
    return b;
}

static rlxc_bound sum_bounds(rlxc_expr_kind kind, rlxc_bound a, rlxc_bound b)
{
    if (kind == RLXC_EXPR_ADD)
        return (rlxc_bound){add_end(a.min, b.min, INT64_MIN), add_end(a.max, b.max, INT64_MAX)};
    if (kind == RLXC_EXPR_SUB)
        return (rlxc_bound){add_end(a.min, negate(b.max), INT64_MIN),
                            add_end(a.max, negate(b.min), INT64_MAX)};
    return mul_bounds(a, b);
}

static bool is_sum(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_ADD || e->kind == RLXC_EXPR_SUB || e->kind == RLXC_EXPR_MUL;
}

enum { LOW = 1, HIGH = 2, BOTH = LOW | HIGH };

static uint32_t ends_of(rlxc_sym *s, const rlxc_expr *e);

static uint32_t compute_ends(rlxc_sym *s, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_CAST) /* largest magnitude that leaves headroom in this type */
        return !rlxc_dtype_is_float(e->bin.a->dtype) && e->bin.a->dtype.bits < e->dtype.bits ? BOTH
                                                                                             : 0;
    if (e->kind == RLXC_EXPR_SELECT)
        return ends_of(s, e->select.yes) & ends_of(s, e->select.no);
    if (!rlxc_is_binary(e))
        return 0;
    const uint32_t a = ends_of(s, e->bin.a), b = ends_of(s, e->bin.b);
    if (e->kind == RLXC_EXPR_MIN)
        return ((a | b) & HIGH) | (a & b & LOW);
    if (e->kind == RLXC_EXPR_MAX)
        return ((a | b) & LOW) | (a & b & HIGH);
    if (e->kind == RLXC_EXPR_FLOORMOD || e->kind == RLXC_EXPR_MOD)
        return b == BOTH ? BOTH : 0;
    if (e->kind == RLXC_EXPR_MUL && e->bin.a->from_memory && e->bin.b->from_memory)
        return 0;
    return (a & b) == BOTH ? BOTH : 0;
}

/* Which ends of |e|'s range lie within the range of sizes and indices. */
static uint32_t ends_of(rlxc_sym *s, const rlxc_expr *e)
{
    if (!e->from_memory)
        return BOTH;
    const uintptr_t known = (uintptr_t)rlxc_map_get(&s->ends, rlxc_key(e));
    if (known)
        return (uint32_t)(known - 1);
    const uint32_t ends = compute_ends(s, e);
    rlxc_map_set(s->ctx, &s->ends, rlxc_key(e), (void *)((uintptr_t)ends + 1));
    return ends;
}

/* True if the sum or product |e| of operands within |a| and |b| cannot overflow. */
static bool fits_type(rlxc_sym *s, const rlxc_expr *e, rlxc_bound a, rlxc_bound b)
{
    const rlxc_bound r = sum_bounds((rlxc_expr_kind)e->kind, a, b), all = rlxc_type_range(e->dtype);
    return (r.min != INT64_MIN && r.max != INT64_MAX && r.min >= all.min && r.max <= all.max) ||
           ends_of(s, e) == BOTH;
}

static bool is_exact(rlxc_sym *s, const rlxc_expr *e)
{
    return !e->from_memory || !is_sum(e) ||
           (fits_type(s, e, rlxc_sym_bound(s, e->bin.a), rlxc_sym_bound(s, e->bin.b)) &&
            is_exact(s, e->bin.a) && is_exact(s, e->bin.b));
}

bool rlxc_poly_exact(rlxc_sym *s, rlxc_poly *p)
{
    bool from_memory = false;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t f = 0; f < p->terms[i].n; f++)
            from_memory = from_memory || p->terms[i].factors[f]->from_memory;
    return !from_memory || is_exact(s, rlxc_poly_build(s, p));
}

static rlxc_bound binary_bound(rlxc_sym *s, const rlxc_expr *e)
{
    rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    if (kind >= RLXC_EXPR_EQ)
        return (rlxc_bound){0, 1};
    if (rlxc_dtype_is_float(e->dtype))
        return unknown;
    rlxc_bound a = rlxc_sym_bound(s, e->bin.a), b = rlxc_sym_bound(s, e->bin.b);
    bool wraps = !rlxc_is_index_type(e->dtype);
    if (kind == RLXC_EXPR_MIN)
        return (rlxc_bound){a.min < b.min ? a.min : b.min, a.max < b.max ? a.max : b.max};
    if (kind == RLXC_EXPR_MAX)
        return (rlxc_bound){a.min > b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
    if (wraps || (is_sum(e) && e->from_memory && !fits_type(s, e, a, b)))
        return rlxc_type_range(e->dtype);
    if (is_sum(e))
        return sum_bounds(kind, a, b);
    if (kind == RLXC_EXPR_FLOORDIV)
        return floordiv_bounds(a, b);
    if (kind == RLXC_EXPR_FLOORMOD)
        return floormod_bounds(a, b);
    return trunc_bounds(kind, a, b);
}

/* The bounds of a conditional's value |e| where |cond| is |holds|: x if x > 0 is at least 1. */
static rlxc_bound arm_bound(rlxc_sym *s, const rlxc_expr *cond, bool holds, const rlxc_expr *e)
{
    rlxc_bound b = rlxc_sym_bound(s, e);
    int64_t c;
    const bool less = cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE;
    if ((!less && cond->kind != RLXC_EXPR_GT && cond->kind != RLXC_EXPR_GE) || cond->bin.a != e ||
        !rlxc_is_index_type(e->dtype) || !rlxc_is_int(cond->bin.b, &c) || c == INT64_MIN ||
        c == INT64_MAX)
        return b;
    const bool strict = (cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_GT) == holds;
    if (less == holds)
        b.max = b.max < c - strict ? b.max : c - strict;
    else
        b.min = b.min > c + strict ? b.min : c + strict;
    return b.min <= b.max ? b : rlxc_sym_bound(s, e);
}

static rlxc_bound compute_bound(rlxc_sym *s, const rlxc_expr *e)
{
    if (rlxc_is_binary(e))
        return binary_bound(s, e);
    if (e->kind == RLXC_EXPR_CAST && !rlxc_dtype_is_float(e->bin.a->dtype)) {
        rlxc_bound a = rlxc_sym_bound(s, e->bin.a), range = rlxc_type_range(e->dtype);
        if (a.max == INT64_MAX && e->bin.a->dtype.code == RLX_UINT && e->dtype.code != RLX_UINT)
            return range; /* there may be more */
        return a.min >= range.min && a.max <= range.max ? a : range;
    }
    if (e->kind == RLXC_EXPR_SELECT)
        return join_bounds(arm_bound(s, e->select.cond, true, e->select.yes),
                           arm_bound(s, e->select.cond, false, e->select.no));
    return rlxc_type_range(e->dtype);
}

rlxc_bound rlxc_sym_bound(rlxc_sym *s, const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_INT)
        return e->i < 0 && e->dtype.code == RLX_UINT ? rlxc_type_range(e->dtype)
                                                     : (rlxc_bound){e->i, e->i};
    if (e->kind == RLXC_EXPR_VAR)
        return variable_bound(s, e);
    if (e->dtype.lanes != 1 || rlxc_out_of_memory(s->ctx))
        return unknown;
    const rlxc_bound *known = rlxc_map_get(&s->ranges, rlxc_key(e));
    if (known)
        return *known;
    rlxc_bound *result = rlxc_sym_alloc(s, sizeof *result);
    *result = compute_bound(s, e);
    rlxc_map_set(s->ctx, &s->ranges, rlxc_key(e), result);
    return *result;
}

/* |p| with the shown term |at|, which is coef * factor, replaced by coef * value. */
static rlxc_poly *replace_term(rlxc_sym *s, const rlxc_poly *p, uint32_t at, rlxc_poly *value)
{
    const rlxc_term *t = &p->shown[at];
    rlxc_poly *term = rlxc_poly_expand(s, p->dtype, t, 1);
    return rlxc_poly_add(s, rlxc_poly_add(s, p, -1, term), t->coef, value);
}

/* NULL if it may wrap. */
static rlxc_poly *exact_poly_of(rlxc_sym *s, const rlxc_expr *e)
{
    rlxc_poly *p = rlxc_poly_of(s, e);
    return p && rlxc_poly_exact(s, p) ? p : NULL;
}

/* Proofs that replace one factor by a bound that can only make |p| smaller. */
static bool nonneg_by_factor(rlxc_sym *s, const rlxc_poly *p, uint32_t at, uint32_t effort)
{
    const rlxc_term *t = &p->shown[at];
    const rlxc_expr *f = t->factors[0];
    if (f->kind == RLXC_EXPR_MIN || f->kind == RLXC_EXPR_MAX) {
        rlxc_poly *a = replace_term(s, p, at, exact_poly_of(s, f->bin.a));
        rlxc_poly *b = replace_term(s, p, at, exact_poly_of(s, f->bin.b));
        bool either = (f->kind == RLXC_EXPR_MAX) == (t->coef > 0);
        bool first = a && rlxc_poly_nonneg(s, a, effort - 1);
        if (first == either)
            return first;
        return b && rlxc_poly_nonneg(s, b, effort - 1);
    }
    if (f->kind == RLXC_EXPR_FLOORMOD) { /* 0 <= x % d <= d - 1 */
        rlxc_poly *d = exact_poly_of(s, f->bin.b);
        if (!d || !rlxc_poly_nonneg(s, d, 0))
            return false;
        rlxc_poly *value = rlxc_poly_const(s, p->dtype, t->coef > 0 ? 0 : -1);
        if (t->coef < 0)
            value = rlxc_poly_add(s, value, 1, d);
        rlxc_poly *smaller = replace_term(s, p, at, value);
        return smaller && rlxc_poly_nonneg(s, smaller, effort - 1);
    }
    if (f->kind == RLXC_EXPR_FLOORDIV && f->bin.b->kind == RLXC_EXPR_INT && f->bin.b->i > 1) {
        /* x - (c - 1) <= c * (x // c) <= x; as p is an integer, p > -1 suffices. */
        int64_t c = f->bin.b->i, slack;
        rlxc_term by = {c, 0, NULL};
        rlxc_poly *x = exact_poly_of(s, f->bin.a);
        if (t->coef > 0)
            x = rlxc_poly_add(s, x, 1, rlxc_poly_const(s, p->dtype, 1 - c));
        rlxc_poly *term = rlxc_poly_expand(s, p->dtype, t, 1);
        rlxc_poly *rest = rlxc_poly_scale(s, rlxc_poly_add(s, p, -1, term), &by);
        rest = rlxc_poly_add(s, rest, t->coef, x);
        if (!rlx_sub_i64(c, 1, &slack))
            return false;
        rest = rlxc_poly_add(s, rest, 1, rlxc_poly_const(s, p->dtype, slack));
        return rest && rlxc_poly_nonneg(s, rest, effort - 1);
    }
    return false;
}

bool rlxc_poly_nonneg(rlxc_sym *s, rlxc_poly *p, uint32_t effort)
{
    if (rlxc_sym_bound(s, rlxc_poly_build(s, p)).min >= 0)
        return true;
    if (effort == 0 || s->work > RLXC_SYM_WORK)
        return false;
    for (uint32_t i = 0; i < p->n_shown; i++)
        if (p->shown[i].n == 1 && nonneg_by_factor(s, p, i, effort))
            return true;
    return false;
}

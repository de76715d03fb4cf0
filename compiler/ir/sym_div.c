/* Division of polynomials: simplifies x // d, x % d, T.Div and T.truncmod.
 *
 * For x // c with a constant c the rules are, in order: a quotient that the bounds of x determine;
 * terms with coefficients divisible by c move out; where a part of x stays within one step of a
 * common divisor g of the others and c, both shrink by g; a quotient of a quotient merges. A
 * divisor that is one symbolic term (n, n * 4) divides terms that contain it. Division by zero is
 * left as it is; otherwise divisors are taken to be non-zero. */
#include "compiler/ir/sym_state.h"

#include "rlx/checked.h"

static int64_t gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    return x > INT64_MAX ? 1 : (int64_t)x;
}

/* a // b as a factor of its own; NULL when it would be too deep. */
static rlxc_poly *opaque(rlxc_sym *s, rlxc_expr_kind kind, rlxc_poly *a, rlxc_poly *b)
{
    if (!b)
        return NULL;
    const rlxc_expr *x = rlxc_poly_build(s, a), *y = rlxc_poly_build(s, b);
    if (x->depth >= RLXC_SYM_FACTOR_DEPTH || y->depth >= RLXC_SYM_FACTOR_DEPTH)
        return NULL;
    const rlxc_expr *e = rlxc_binary(s->ctx, kind, x, y);
    if (e->kind == (uint8_t)kind)
        return rlxc_poly_atom(s, e);
    return e->kind == RLXC_EXPR_INT ? rlxc_poly_const(s, a->dtype, e->i) : NULL;
}

/* All values of |p| have the quotient *out by |c|. */
static bool fixed_quotient(rlxc_sym *s, rlxc_poly *p, int64_t c, int64_t *out)
{
    rlxc_bound b = rlxc_sym_bound(s, rlxc_poly_build(s, p));
    int64_t low, high;
    if (b.min == INT64_MIN || b.max == INT64_MAX || !rlx_floordiv_i64(b.min, c, &low) ||
        !rlx_floordiv_i64(b.max, c, &high) || low != high)
        return false;
    *out = low;
    return true;
}

/* The quotient of the terms that |c| divides; the constant gives its floor. False: nothing moves
 * out. */
static bool split_terms(rlxc_sym *s, const rlxc_term *terms, uint32_t n, int64_t c, rlx_dtype dtype,
                        rlxc_poly **out_quotient)
{
    rlxc_term *moved = rlxc_sym_alloc(s, RLXC_POLY_TERMS * sizeof *moved);
    uint32_t n_moved = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t q;
        if ((terms[i].n > 0 && terms[i].coef % c != 0) || !rlx_floordiv_i64(terms[i].coef, c, &q) ||
            q == 0)
            continue;
        moved[n_moved++] = (rlxc_term){q, terms[i].n, terms[i].factors};
    }
    if (n_moved == 0)
        return false;
    *out_quotient = rlxc_poly_expand(s, dtype, moved, n_moved);
    return *out_quotient != NULL;
}

static rlxc_poly *divide_by_constant(rlxc_sym *s, rlxc_poly *a, int64_t c);

/* (max(x, m) + plus) // c = max((x + plus) // c, (m + plus) // c) for |bounded|, a max or min with
 * a constant; NULL where something may overflow. */
static rlxc_poly *divide_bounded(rlxc_sym *s, const rlxc_expr *bounded, int64_t plus, int64_t c)
{
    rlxc_poly *x = rlxc_poly_of(s, bounded->bin.a);
    int64_t bound = 0;
    if (!x || !rlxc_poly_exact(s, x) || !rlx_add_i64(bounded->bin.b->i, plus, &bound) ||
        !rlx_floordiv_i64(bound, c, &bound))
        return NULL;
    x = rlxc_poly_add(s, x, 1, rlxc_poly_const(s, x->dtype, plus));
    x = x && rlxc_poly_exact(s, x) ? divide_by_constant(s, x, c) : NULL;
    return x ? rlxc_poly_of(s,
                            rlxc_binary(s->ctx, (rlxc_expr_kind)bounded->kind,
                                        rlxc_poly_build(s, x), rlxc_int(s->ctx, x->dtype, bound)))
             : NULL;
}

/* The rule for common divisors: a = g * A + r, where r // g is the same k for all its values, gives
 * (A + k) // (c / g). Looks at |a| with its remainders recognised. */
static rlxc_poly *divide_by_window(rlxc_sym *s, rlxc_poly *a, int64_t c)
{
    rlxc_poly_build(s, a);
    int64_t last = c;
    for (;;) {
        int64_t g = 1; /* the next smaller divisor of c that some coefficient shares */
        for (uint32_t i = 0; i < a->n_shown; i++) {
            int64_t candidate = gcd(a->shown[i].coef, c);
            if (a->shown[i].n > 0 && candidate < last && candidate > g)
                g = candidate;
        }
        if (g == 1)
            return NULL;
        last = g;
        rlxc_term *rest = rlxc_sym_alloc(s, RLXC_POLY_TERMS * sizeof *rest);
        rlxc_term *multiple = rlxc_sym_alloc(s, RLXC_POLY_TERMS * sizeof *multiple);
        uint32_t n_rest = 0, n_multiple = 0;
        for (uint32_t i = 0; i < a->n_shown; i++) {
            rlxc_term t = a->shown[i];
            if (t.n > 0 && t.coef % g == 0) {
                t.coef /= g;
                multiple[n_multiple++] = t;
            } else {
                rest[n_rest++] = t;
            }
        }
        rlxc_poly *r = rlxc_poly_expand(s, a->dtype, rest, n_rest);
        rlxc_poly *whole = rlxc_poly_expand(s, a->dtype, multiple, n_multiple);
        int64_t k;
        if (!r || !whole || !fixed_quotient(s, r, g, &k))
            continue;
        whole = rlxc_poly_add(s, whole, 1, rlxc_poly_const(s, a->dtype, k));
        return whole ? divide_by_constant(s, whole, c / g) : NULL;
    }
}

/* a // c for c > 0. Each recursion has a smaller c, fewer terms, or a constant within [0, c). */
static rlxc_poly *divide_by_constant(rlxc_sym *s, rlxc_poly *a, int64_t c)
{
    if (c == 1)
        return a;
    int64_t k;
    if (fixed_quotient(s, a, c, &k))
        return rlxc_poly_const(s, a->dtype, k);
    if (s->work > RLXC_SYM_WORK)
        return NULL;

    rlxc_poly *quotient;
    if (split_terms(s, a->shown, a->n_shown, c, a->dtype, &quotient)) {
        rlxc_poly *rest = rlxc_poly_add(s, a, -c, quotient);
        if (!rest)
            return NULL;
        if (fixed_quotient(s, rest, c, &k))
            return rlxc_poly_add(s, quotient, 1, rlxc_poly_const(s, a->dtype, k));
        rlxc_poly *shrunk = divide_by_window(s, rest, c);
        if (shrunk)
            return rlxc_poly_add(s, quotient, 1, shrunk);
    } else {
        rlxc_poly *shrunk = divide_by_window(s, a, c);
        if (shrunk)
            return shrunk;
    }
    if (split_terms(s, a->terms, a->n, c, a->dtype, &quotient)) {
        rlxc_poly *rest = rlxc_poly_add(s, a, -c, quotient);
        return rest ? rlxc_poly_add(s, quotient, 1, divide_by_constant(s, rest, c)) : NULL;
    }

    /* (x // d + k) // c = (x + k * d) // (d * c) */
    const rlxc_term *first = a->n ? &a->terms[0] : NULL;
    bool alone = a->n == 1 || (a->n == 2 && a->terms[1].n == 0);
    if (alone && first->n == 1 && first->coef == 1 &&
        first->factors[0]->kind == RLXC_EXPR_FLOORDIV &&
        first->factors[0]->bin.b->kind == RLXC_EXPR_INT && first->factors[0]->bin.b->i > 0) {
        int64_t d = first->factors[0]->bin.b->i, plus = a->n == 2 ? a->terms[1].coef : 0, product;
        rlxc_poly *x = rlxc_poly_of(s, first->factors[0]->bin.a);
        if (x && rlxc_poly_exact(s, x) && rlx_mul_i64(d, plus, &plus) &&
            rlx_mul_i64(d, c, &product) && (a->dtype.bits == 64 || product <= INT32_MAX)) {
            x = rlxc_poly_add(s, x, 1, rlxc_poly_const(s, a->dtype, plus));
            if (x && rlxc_poly_exact(s, x))
                return divide_by_constant(s, x, product);
        }
    }
    if (alone && first->n == 1 && first->coef == 1 &&
        (first->factors[0]->kind == RLXC_EXPR_MAX || first->factors[0]->kind == RLXC_EXPR_MIN) &&
        first->factors[0]->bin.b->kind == RLXC_EXPR_INT) {
        rlxc_poly *divided =
            divide_bounded(s, first->factors[0], a->n == 2 ? a->terms[1].coef : 0, c);
        if (divided)
            return divided;
    }
    return opaque(s, RLXC_EXPR_FLOORDIV, a, rlxc_poly_const(s, a->dtype, c));
}

/* 0 <= a < d. */
static bool within(rlxc_sym *s, rlxc_poly *a, rlxc_poly *d)
{
    rlxc_poly *room = rlxc_poly_add(s, d, -1, a);
    room = rlxc_poly_add(s, room, 1, rlxc_poly_const(s, a->dtype, -1));
    return room && rlxc_poly_nonneg(s, a, 2) && rlxc_poly_nonneg(s, room, 2);
}

/* The terms among |terms| that |d| divides exactly, divided; NULL when there are none. */
static rlxc_poly *split_by_term(rlxc_sym *s, const rlxc_term *terms, uint32_t n, const rlxc_term *d,
                                rlx_dtype dtype)
{
    rlxc_term *moved = rlxc_sym_alloc(s, RLXC_POLY_TERMS * sizeof *moved);
    uint32_t n_moved = 0;
    for (uint32_t i = 0; i < n; i++)
        if (rlxc_term_divide(s, &terms[i], d, &moved[n_moved]))
            n_moved++;
    return n_moved ? rlxc_poly_expand(s, dtype, moved, n_moved) : NULL;
}

/* The largest term that divides every term of |a| and |d|; false when that is 1. */
static bool common_term(rlxc_sym *s, const rlxc_poly *a, const rlxc_term *d, rlxc_term *out)
{
    int64_t coef = d->coef;
    for (uint32_t i = 0; i < a->n; i++)
        coef = gcd(coef, a->terms[i].coef);
    coef = gcd(coef, 0);
    const rlxc_expr **factors = rlxc_sym_alloc(s, d->n * sizeof *factors);
    *out = (rlxc_term){coef, 0, factors};
    for (uint32_t f = 0; f < d->n; f++) {
        factors[out->n] = d->factors[f];
        rlxc_term with = {1, out->n + 1, factors}, ignored;
        bool all = true;
        for (uint32_t i = 0; i < a->n && all; i++)
            all = rlxc_term_divide(s, &a->terms[i], &with, &ignored);
        if (all)
            out->n++;
    }
    return coef > 1 || out->n > 0;
}

static rlxc_poly *floor_divide(rlxc_sym *s, rlxc_poly *a, rlxc_poly *d);

static rlxc_poly *divide_by_term(rlxc_sym *s, rlxc_poly *a, rlxc_poly *d)
{
    const rlxc_term *by = &d->terms[0];
    rlxc_poly_build(s, a);
    rlxc_poly *quotient = split_by_term(s, a->shown, a->n_shown, by, a->dtype);
    if (quotient) {
        rlxc_poly *rest = rlxc_poly_add(s, a, -1, rlxc_poly_scale(s, quotient, by));
        if (!rest)
            return NULL;
        if (rest->n == 0 || within(s, rest, d))
            return quotient;
    }
    if (within(s, a, d))
        return rlxc_poly_const(s, a->dtype, 0);
    quotient = split_by_term(s, a->terms, a->n, by, a->dtype);
    if (quotient) {
        rlxc_poly *rest = rlxc_poly_add(s, a, -1, rlxc_poly_scale(s, quotient, by));
        return rest ? rlxc_poly_add(s, quotient, 1, divide_by_term(s, rest, d)) : NULL;
    }
    int64_t c; /* -1 // d is -1 */
    if (rlxc_poly_is_const(a, &c) && c == -1 && rlxc_poly_nonneg(s, d, 2))
        return a;
    rlxc_term common;
    if (a->n && common_term(s, a, by, &common)) {
        rlxc_poly *small = split_by_term(s, a->terms, a->n, &common, a->dtype);
        rlxc_poly *small_d = split_by_term(s, by, 1, &common, a->dtype);
        return small && small_d ? floor_divide(s, small, small_d) : NULL;
    }
    return a->n ? opaque(s, RLXC_EXPR_FLOORDIV, a, d) : a;
}

/* a = k * d for a constant k. */
static bool is_multiple(rlxc_sym *s, const rlxc_poly *a, const rlxc_poly *d, int64_t *out)
{
    if (a->n == 0) {
        *out = 0;
        return true;
    }
    if (a->n != d->n || d->terms[0].coef == 0 || a->terms[0].coef == INT64_MIN ||
        a->terms[0].coef % d->terms[0].coef != 0)
        return false;
    int64_t k = a->terms[0].coef / d->terms[0].coef;
    rlxc_poly *rest = k == INT64_MIN ? NULL : rlxc_poly_add(s, a, -k, d);
    *out = k;
    return rest && rest->n == 0;
}

/* The quotient of a division without remainder by a sum of terms, by long division; else NULL. */
static rlxc_poly *divide_exactly(rlxc_sym *s, rlxc_poly *a, const rlxc_poly *d)
{
    rlxc_poly *quotient = rlxc_poly_const(s, a->dtype, 0), *rest = a;
    for (uint32_t round = 0; round < RLXC_POLY_TERMS && rest && rest->n > 0; round++) {
        rlxc_poly term = {.dtype = a->dtype, .n = 1};
        rlxc_term *first = rlxc_sym_alloc(s, sizeof *first);
        if (d->terms[0].coef == 0 || !rlxc_term_divide(s, &rest->terms[0], &d->terms[0], first))
            return NULL;
        term.terms = first;
        quotient = rlxc_poly_add(s, quotient, 1, &term);
        rest = rlxc_poly_add(s, rest, -1, rlxc_poly_scale(s, d, first));
    }
    return rest && rest->n == 0 ? quotient : NULL;
}

static rlxc_poly *floor_divide(rlxc_sym *s, rlxc_poly *a, rlxc_poly *d)
{
    int64_t c, k;
    if (rlxc_poly_is_const(d, &c)) {
        if (c == 0)
            return opaque(s, RLXC_EXPR_FLOORDIV, a, d);
        if (c > 0)
            return divide_by_constant(s, a, c);
        rlxc_poly *zero = rlxc_poly_const(s, a->dtype, 0);
        rlxc_poly *minus = rlxc_poly_add(s, zero, -1, a);
        if (minus && !rlxc_poly_exact(s, minus))
            return opaque(s, RLXC_EXPR_FLOORDIV, a, d);
        return minus && c != INT64_MIN ? divide_by_constant(s, minus, -c) : NULL;
    }
    if (is_multiple(s, a, d, &k))
        return rlxc_poly_const(s, a->dtype, k);
    if (d->n == 1)
        return divide_by_term(s, a, d);
    rlxc_poly *exact = divide_exactly(s, a, d);
    if (exact)
        return exact;
    if (within(s, a, d))
        return rlxc_poly_const(s, a->dtype, 0);
    return opaque(s, RLXC_EXPR_FLOORDIV, a, d);
}

static rlxc_poly *floor_modulo(rlxc_sym *s, rlxc_poly *a, rlxc_poly *d)
{
    int64_t c = 1, k;
    bool constant = rlxc_poly_is_const(d, &c);
    if (constant ? c == 0 : d->n != 1) {
        if (!constant && (is_multiple(s, a, d, &k) || divide_exactly(s, a, d)))
            return rlxc_poly_const(s, a->dtype, 0);
        if (!constant && within(s, a, d))
            return a;
        return opaque(s, RLXC_EXPR_FLOORMOD, a, d);
    }
    rlxc_poly *q = floor_divide(s, a, d);
    return q ? rlxc_poly_add(s, a, -1, rlxc_poly_mul(s, q, d)) : NULL;
}

rlxc_poly *rlxc_poly_divide(rlxc_sym *s, rlxc_expr_kind kind, rlxc_poly *a, rlxc_poly *b)
{
    if (!a || !b)
        return NULL;
    if (!rlxc_poly_exact(s, a) || !rlxc_poly_exact(s, b))
        return opaque(s, kind, a, b);
    if (kind == RLXC_EXPR_FLOORDIV)
        return floor_divide(s, a, b);
    if (kind == RLXC_EXPR_FLOORMOD)
        return floor_modulo(s, a, b);
    /* Truncating division equals floor division if nothing is negative or the division is exact. */
    int64_t c;
    bool constant = rlxc_poly_is_const(b, &c), exact = constant && c != 0;
    for (uint32_t i = 0; i < a->n && exact; i++)
        exact = c != -1 && a->terms[i].coef % c == 0;
    if ((constant && c == 0) ||
        (!exact && !(rlxc_poly_nonneg(s, a, 1) && rlxc_poly_nonneg(s, b, 1))))
        return opaque(s, kind, a, b);
    return kind == RLXC_EXPR_DIV ? floor_divide(s, a, b) : floor_modulo(s, a, b);
}

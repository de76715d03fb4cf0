/* From polynomial to expression: recovers remainders, then writes the sum in readable order.
 *
 * k * x - k * c * (x // c) becomes k * (x % c), also where only part of a larger sum has that shape
 * and where x is itself a quotient by a divisor of the constant. If that leaves less of the
 * quotient, so does k * x - n * (x // c): f % 64 * 128 + f // 64 stays what it is. Each step takes
 * a quotient, or all of x, out of the sum's terms, so this ends. Products are written factors
 * first, coefficient last; sums start with a positive term and subtract negative ones. */
#include "compiler/ir/sym_state.h"

#include "rlx/checked.h"

#include <string.h>

/* Finds the term of |sum| with the factors of |t|; sum->n when there is none. */
static uint32_t find_term(const rlxc_sum *sum, const rlxc_term *t)
{
    uint32_t i = 0;
    while (i < sum->n && !rlxc_term_same(&sum->terms[i], t))
        i++;
    return i;
}

/* True if every term of |part| is in |sum| with the same sign and at least its magnitude; constants
 * always match. */
static bool contains(const rlxc_sum *sum, const rlxc_poly *part, uint32_t without)
{
    for (uint32_t i = 0; i < part->n; i++) {
        const rlxc_term *t = &part->terms[i];
        if (t->n == 0)
            continue;
        uint32_t at = find_term(sum, t);
        if (at == sum->n || at == without)
            return false;
        int64_t have = sum->terms[at].coef, want = t->coef;
        if ((have < 0) != (want < 0) || (want < 0 ? have > want : have < want))
            return false;
    }
    return true;
}

/* |term| without its factor number |skip|. */
static rlxc_term drop_factor(rlxc_sym *s, const rlxc_term *term, uint32_t skip)
{
    const rlxc_expr **rest = rlxc_sym_alloc(s, (term->n - 1) * sizeof *rest);
    for (uint32_t i = 0, n = 0; i < term->n; i++)
        if (i != skip)
            rest[n++] = term->factors[i];
    return (rlxc_term){term->coef, term->n - 1, rest};
}

/* Tries to turn term |at| of |sum|, whose factor |quotient| is x // d, together with |scale| *
 * inner into scale * (inner % modulus). */
static bool join(rlxc_sym *s, rlxc_sum *sum, uint32_t at, const rlxc_expr *quotient,
                 const rlxc_term *scale, rlxc_poly *inner, rlxc_poly *modulus)
{
    rlxc_poly *part = rlxc_poly_scale(s, inner, scale);
    if (!part || !modulus || !contains(sum, part, at))
        return false;
    rlxc_poly *back = rlxc_poly_divide(s, RLXC_EXPR_FLOORDIV, inner, modulus);
    if (!back || back->n != 1 || back->terms[0].coef != 1 || back->terms[0].n != 1 ||
        back->terms[0].factors[0] != quotient)
        return false;
    const rlxc_expr *x = rlxc_poly_build(s, inner), *d = rlxc_poly_build(s, modulus);
    const rlxc_expr *remainder = rlxc_binary(s->ctx, RLXC_EXPR_FLOORMOD, x, d);
    rlxc_poly *atom = remainder->kind == RLXC_EXPR_FLOORMOD ? rlxc_poly_atom(s, remainder) : NULL;
    rlxc_poly *replacement = atom ? rlxc_poly_scale(s, atom, scale) : NULL;
    if (!replacement)
        return false;
    rlxc_sum *before = rlxc_sum_new(s, sum->dtype); /* in the arena, not on the stack: this recurses
                                                     */
    *before = *sum;
    rlxc_sum_add(sum, replacement->terms[0].coef, replacement->terms[0].factors,
                 replacement->terms[0].n);
    rlxc_term gone = before->terms[at];
    int64_t m;
    if (rlxc_poly_is_const(modulus, &m) &&
        (__builtin_mul_overflow(scale->coef, m, &gone.coef) || gone.coef == INT64_MIN))
        sum->failed = true;
    else if (rlxc_poly_is_const(modulus, &m))
        gone.coef = -gone.coef;
    for (uint32_t i = 0; i <= part->n; i++) {
        const rlxc_term *t = i < part->n ? &part->terms[i] : &gone;
        if (t->coef == INT64_MIN)
            sum->failed = true;
        else
            rlxc_sum_add(sum, -t->coef, t->factors, t->n);
    }
    if (!sum->failed)
        return true;
    *sum = *before;
    return false;
}

/* The same for a part of the quotient, |rest| times it: as much as there is of x. */
static bool join_part(rlxc_sym *s, rlxc_sum *sum, uint32_t at, const rlxc_term *rest,
                      const rlxc_expr *quotient)
{
    rlxc_poly *x = rlxc_poly_of(s, quotient->bin.a);
    const int64_t by = quotient->bin.b->i;
    int64_t part;
    if (!x || x->n == 0 || x->terms[0].n == 0 || rest->coef == INT64_MIN)
        return false;
    const rlxc_term one = {1, rest->n, rest->factors};
    rlxc_poly *scaled = rlxc_poly_scale(s, x, &one);
    const uint32_t first = scaled && scaled->n > 0 ? find_term(sum, &scaled->terms[0]) : sum->n;
    if (first == sum->n || first == at || sum->terms[first].coef == INT64_MIN ||
        sum->terms[first].coef % scaled->terms[0].coef != 0)
        return false;
    const rlxc_term scale = {sum->terms[first].coef / scaled->terms[0].coef, rest->n,
                             rest->factors};
    if ((scale.coef < 0) == (rest->coef < 0) || __builtin_mul_overflow(scale.coef, by, &part) ||
        __builtin_add_overflow(rest->coef, part, &part) || part == INT64_MIN ||
        (part < 0 ? -part : part) >= (rest->coef < 0 ? -rest->coef : rest->coef))
        return false;
    return join(s, sum, at, quotient, &scale, x, rlxc_poly_const(s, sum->dtype, by));
}

/* Constant divisor C: inner is x, or x // d for a d that divides C and divides another term. */
static bool join_constant(rlxc_sym *s, rlxc_sum *sum, uint32_t at, const rlxc_term *rest,
                          const rlxc_expr *quotient)
{
    const rlxc_expr *x = quotient->bin.a, *by = quotient->bin.b;
    int64_t total = by->i;
    for (uint32_t i = 0; i <= sum->n; i++) {
        /* i == 0: the whole divisor; else the divisor of a quotient in term i - 1. */
        int64_t d = 1;
        if (i > 0) {
            const rlxc_term *other = &sum->terms[i - 1];
            for (uint32_t f = 0; f < other->n; f++) {
                const rlxc_expr *q = other->factors[f];
                if (q->kind == RLXC_EXPR_FLOORDIV && q->bin.b->kind == RLXC_EXPR_INT &&
                    q != quotient)
                    d = q->bin.b->i;
            }
            if (d <= 1 || d >= total || total % d != 0)
                continue;
        }
        int64_t modulus = total / d;
        if (rest->coef % modulus != 0 || rest->coef == INT64_MIN)
            continue;
        rlxc_term scale = {-(rest->coef / modulus), rest->n, rest->factors};
        rlxc_poly *inner = rlxc_poly_of(s, x);
        if (d > 1 && inner)
            inner =
                rlxc_poly_divide(s, RLXC_EXPR_FLOORDIV, inner, rlxc_poly_const(s, sum->dtype, d));
        if (inner &&
            join(s, sum, at, quotient, &scale, inner, rlxc_poly_const(s, sum->dtype, modulus)))
            return true;
    }
    return join_part(s, sum, at, rest, quotient);
}

static bool join_term(rlxc_sym *s, rlxc_sum *sum, uint32_t at)
{
    const rlxc_term term = sum->terms[at];
    for (uint32_t f = 0; f < term.n; f++) {
        const rlxc_expr *quotient = term.factors[f];
        if (quotient->kind != RLXC_EXPR_FLOORDIV)
            continue;
        rlxc_term rest = drop_factor(s, &term, f), scale;
        if (quotient->bin.b->kind == RLXC_EXPR_INT) {
            if (quotient->bin.b->i > 1 && join_constant(s, sum, at, &rest, quotient))
                return true;
            continue;
        }
        rlxc_poly *d = rlxc_poly_of(s, quotient->bin.b);
        rlxc_poly *x = rlxc_poly_of(s, quotient->bin.a);
        if (!d || !x || d->n != 1 || !rlxc_term_divide(s, &rest, &d->terms[0], &scale) ||
            scale.coef == INT64_MIN)
            continue;
        scale.coef = -scale.coef;
        if (join(s, sum, at, quotient, &scale, x, d))
            return true;
    }
    return false;
}

static void find_remainders(rlxc_sym *s, rlxc_sum *sum)
{
    for (uint32_t at = 0; at < sum->n;)
        at = join_term(s, sum, at) ? 0 : at + 1;
}

static const rlxc_expr *build_term(rlxc_sym *s, const rlxc_term *t, int64_t coef, rlx_dtype dtype)
{
    if (t->n == 0)
        return rlxc_int(s->ctx, dtype, coef);
    const rlxc_expr *e = t->factors[0];
    for (uint32_t i = 1; i < t->n; i++)
        e = rlxc_mul(s->ctx, e, t->factors[i]);
    return coef == 1 ? e : rlxc_mul(s->ctx, e, rlxc_int(s->ctx, dtype, coef));
}

static bool negates(rlx_dtype dtype, int64_t coef)
{
    return coef < 0 && coef != (dtype.bits == 64 ? INT64_MIN : INT32_MIN);
}

const rlxc_expr *rlxc_poly_build(rlxc_sym *s, rlxc_poly *p)
{
    if (p->built)
        return p->built;
    rlxc_sum *sum = rlxc_sum_new(s, p->dtype);
    sum->failed = false; /* copying needs no budget */
    sum->n = p->n;
    if (p->n)
        memcpy(sum->terms, p->terms, p->n * sizeof *p->terms);
    if (s->work <= RLXC_SYM_WORK)
        find_remainders(s, sum);

    rlxc_term *shown = rlxc_sym_alloc(s, sum->n * sizeof *shown);
    if (sum->n)
        memcpy(shown, sum->terms, sum->n * sizeof *shown);
    p->shown = shown;
    p->n_shown = sum->n;

    uint32_t first = 0;
    while (first < sum->n && sum->terms[first].coef < 0)
        first++;
    if (first == sum->n)
        first = 0;
    const rlxc_expr *e = rlxc_int(s->ctx, p->dtype, 0);
    if (sum->n)
        e = build_term(s, &sum->terms[first], sum->terms[first].coef, p->dtype);
    for (uint32_t i = 0; i < sum->n; i++) {
        const rlxc_term *t = &sum->terms[i];
        if (i == first)
            continue;
        if (negates(p->dtype, t->coef))
            e = rlxc_sub(s->ctx, e, build_term(s, t, -t->coef, p->dtype));
        else
            e = rlxc_add(s->ctx, e, build_term(s, t, t->coef, p->dtype));
    }
    p->built = e;
    if (!rlxc_map_get(&s->polys, rlxc_key(e)))
        rlxc_map_set(s->ctx, &s->polys, rlxc_key(e), p);
    return e;
}

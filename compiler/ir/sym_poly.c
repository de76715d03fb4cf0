/* Arithmetic of polynomials (sym_state.h), and the order of factors and terms.
 *
 * The order is structural, with variables by id: it depends neither on addresses nor on when an
 * expression was made, so printing and reading back gives the same form. */
#include "compiler/ir/sym_state.h"

#include "rlx/checked.h"

#include <string.h>

static int order_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int order_i64(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int order_list(const rlxc_expr *const *a, uint32_t n_a, const rlxc_expr *const *b,
                      uint32_t n_b)
{
    if (n_a != n_b)
        return n_a < n_b ? -1 : 1;
    for (uint32_t i = 0; i < n_a; i++)
        if (a[i] != b[i])
            return rlxc_expr_order(a[i], b[i]);
    return 0;
}

/* The first differing pair of children decides, so this follows one path down. */
int rlxc_expr_order(const rlxc_expr *a, const rlxc_expr *b)
{
    if (a == b)
        return 0;
    if (a->kind != b->kind)
        return order_u64(a->kind, b->kind);
    uint32_t type_a =
        (uint32_t)a->dtype.code << 24 | (uint32_t)a->dtype.bits << 16 | a->dtype.lanes;
    uint32_t type_b =
        (uint32_t)b->dtype.code << 24 | (uint32_t)b->dtype.bits << 16 | b->dtype.lanes;
    if (type_a != type_b)
        return order_u64(type_a, type_b);
    if (a->kind == RLXC_EXPR_VAR)
        return order_u64(a->id, b->id);
    if (a->kind == RLXC_EXPR_INT)
        return order_i64(a->i, b->i);
    if (a->kind == RLXC_EXPR_FLOAT) {
        uint64_t bits_a, bits_b;
        memcpy(&bits_a, &a->f, sizeof bits_a);
        memcpy(&bits_b, &b->f, sizeof bits_b);
        return order_u64(bits_a, bits_b);
    }
    if (a->kind == RLXC_EXPR_STRING)
        return strcmp(a->s, b->s);
    if (rlxc_is_binary(a))
        return a->bin.a != b->bin.a ? rlxc_expr_order(a->bin.a, b->bin.a)
                                    : rlxc_expr_order(a->bin.b, b->bin.b);
    if (a->kind == RLXC_EXPR_NOT || a->kind == RLXC_EXPR_CAST)
        return rlxc_expr_order(a->bin.a, b->bin.a);
    if (a->kind == RLXC_EXPR_SELECT) {
        if (a->select.cond != b->select.cond)
            return rlxc_expr_order(a->select.cond, b->select.cond);
        return a->select.yes != b->select.yes ? rlxc_expr_order(a->select.yes, b->select.yes)
                                              : rlxc_expr_order(a->select.no, b->select.no);
    }
    if (a->kind == RLXC_EXPR_LOAD) {
        if (a->load.buffer != b->load.buffer)
            return order_u64(a->load.buffer->id, b->load.buffer->id);
        return order_list(a->load.indices, a->load.n, b->load.indices, b->load.n);
    }
    if (a->kind == RLXC_EXPR_CALL) {
        if (a->call.name != b->call.name)
            return strcmp(a->call.name, b->call.name);
        return order_list(a->call.args, a->call.n, b->call.args, b->call.n);
    }
    if (a->kind == RLXC_EXPR_LET) {
        if (a->let.var != b->let.var)
            return rlxc_expr_order(a->let.var, b->let.var);
        return a->let.value != b->let.value ? rlxc_expr_order(a->let.value, b->let.value)
                                            : rlxc_expr_order(a->let.body, b->let.body);
    }
    if (a->ramp.base != b->ramp.base)
        return rlxc_expr_order(a->ramp.base, b->ramp.base);
    return a->ramp.stride && b->ramp.stride ? rlxc_expr_order(a->ramp.stride, b->ramp.stride) : 0;
}

static int term_order(const rlxc_expr *const *a, uint32_t n_a, const rlxc_expr *const *b,
                      uint32_t n_b)
{
    if (n_a != n_b)
        return n_a > n_b ? -1 : 1; /* higher degree first, the constant last */
    return order_list(a, n_a, b, n_b);
}

bool rlxc_term_same(const rlxc_term *a, const rlxc_term *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->factors[i] != b->factors[i])
            return false;
    return true;
}

static bool fits(rlx_dtype dtype, int64_t value)
{
    return dtype.bits == 64 || (value >= INT32_MIN && value <= INT32_MAX);
}

rlxc_sum *rlxc_sum_new(rlxc_sym *s, rlx_dtype dtype)
{
    rlxc_sum *sum = rlxc_sym_alloc(s, sizeof *sum);
    sum->dtype = dtype;
    sum->n = 0;
    sum->failed = ++s->work > RLXC_SYM_WORK || rlxc_out_of_memory(s->ctx);
    return sum;
}

/* |factors| must outlive the sum. */
void rlxc_sum_add(rlxc_sum *sum, int64_t coef, const rlxc_expr *const *factors, uint32_t n)
{
    if (coef == 0 || sum->failed)
        return;
    uint32_t at = 0;
    while (at < sum->n && term_order(sum->terms[at].factors, sum->terms[at].n, factors, n) < 0)
        at++;
    rlxc_term *t = &sum->terms[at];
    if (at < sum->n && term_order(t->factors, t->n, factors, n) == 0) {
        if (!rlx_add_i64(t->coef, coef, &t->coef) || !fits(sum->dtype, t->coef)) {
            sum->failed = true;
        } else if (t->coef == 0) {
            sum->n--;
            memmove(t, t + 1, (sum->n - at) * sizeof *t);
        }
        return;
    }
    if (sum->n == RLXC_POLY_TERMS || n > RLXC_POLY_FACTORS || !fits(sum->dtype, coef)) {
        sum->failed = true;
        return;
    }
    memmove(t + 1, t, (sum->n - at) * sizeof *t);
    *t = (rlxc_term){coef, n, factors};
    sum->n++;
}

rlxc_poly *rlxc_sum_poly(rlxc_sym *s, const rlxc_sum *sum)
{
    if (sum->failed)
        return NULL;
    rlxc_poly *p = rlxc_sym_alloc(s, sizeof *p);
    rlxc_term *terms = rlxc_sym_alloc(s, sum->n * sizeof *terms);
    if (sum->n)
        memcpy(terms, sum->terms, sum->n * sizeof *terms);
    *p = (rlxc_poly){.dtype = sum->dtype, .n = sum->n, .terms = terms};
    return p;
}

rlxc_poly *rlxc_poly_const(rlxc_sym *s, rlx_dtype dtype, int64_t value)
{
    if (!fits(dtype, value))
        return NULL;
    rlxc_poly *p = rlxc_sym_alloc(s, sizeof *p);
    rlxc_term *term = rlxc_sym_alloc(s, sizeof *term);
    *term = (rlxc_term){value, 0, NULL};
    *p = (rlxc_poly){.dtype = dtype, .n = value != 0, .terms = term};
    return p;
}

rlxc_poly *rlxc_poly_atom(rlxc_sym *s, const rlxc_expr *e)
{
    if (e->depth > RLXC_SYM_FACTOR_DEPTH)
        return NULL;
    rlxc_poly *p = rlxc_sym_alloc(s, sizeof *p);
    rlxc_term *term = rlxc_sym_alloc(s, sizeof *term);
    const rlxc_expr **factor = rlxc_sym_alloc(s, sizeof *factor);
    *factor = e;
    *term = (rlxc_term){1, 1, factor};
    *p = (rlxc_poly){.dtype = e->dtype, .n = 1, .terms = term};
    return p;
}

rlxc_poly *rlxc_poly_add(rlxc_sym *s, const rlxc_poly *a, int64_t scale, const rlxc_poly *b)
{
    if (!a || !b)
        return NULL;
    rlxc_sum *sum = rlxc_sum_new(s, a->dtype);
    for (uint32_t i = 0; i < a->n; i++)
        rlxc_sum_add(sum, a->terms[i].coef, a->terms[i].factors, a->terms[i].n);
    for (uint32_t i = 0; i < b->n; i++) {
        int64_t coef;
        if (!rlx_mul_i64(b->terms[i].coef, scale, &coef))
            return NULL;
        rlxc_sum_add(sum, coef, b->terms[i].factors, b->terms[i].n);
    }
    return rlxc_sum_poly(s, sum);
}

/* sum += a * by */
static bool add_scaled(rlxc_sym *s, rlxc_sum *sum, const rlxc_poly *a, const rlxc_term *by)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const rlxc_term *t = &a->terms[i];
        int64_t coef;
        uint32_t n = t->n + by->n;
        if (!rlx_mul_i64(t->coef, by->coef, &coef) || n > RLXC_POLY_FACTORS)
            return false;
        const rlxc_expr **factors = rlxc_sym_alloc(s, n * sizeof *factors);
        for (uint32_t x = 0, y = 0, k = 0; k < n; k++) {
            bool first =
                y == by->n || (x < t->n && rlxc_expr_order(t->factors[x], by->factors[y]) <= 0);
            factors[k] = first ? t->factors[x++] : by->factors[y++];
        }
        rlxc_sum_add(sum, coef, factors, n);
    }
    return !sum->failed;
}

rlxc_poly *rlxc_poly_mul(rlxc_sym *s, const rlxc_poly *a, const rlxc_poly *b)
{
    if (!a || !b)
        return NULL;
    rlxc_sum *sum = rlxc_sum_new(s, a->dtype);
    for (uint32_t i = 0; i < b->n; i++)
        if (!add_scaled(s, sum, a, &b->terms[i]))
            return NULL;
    return rlxc_sum_poly(s, sum);
}

rlxc_poly *rlxc_poly_scale(rlxc_sym *s, const rlxc_poly *a, const rlxc_term *by)
{
    if (!a)
        return NULL;
    rlxc_sum *sum = rlxc_sum_new(s, a->dtype);
    return add_scaled(s, sum, a, by) ? rlxc_sum_poly(s, sum) : NULL;
}

bool rlxc_term_divide(rlxc_sym *s, const rlxc_term *t, const rlxc_term *d, rlxc_term *out)
{
    if (t->n < d->n || (t->coef == INT64_MIN && d->coef == -1) || t->coef % d->coef != 0)
        return false;
    const rlxc_expr **rest = rlxc_sym_alloc(s, (t->n - d->n) * sizeof *rest);
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (at < d->n && t->factors[i] == d->factors[at])
            at++;
        else if (n < t->n - d->n)
            rest[n++] = t->factors[i];
        else
            return false;
    }
    *out = (rlxc_term){t->coef / d->coef, n, rest};
    return at == d->n;
}

rlxc_poly *rlxc_poly_expand(rlxc_sym *s, rlx_dtype dtype, const rlxc_term *terms, uint32_t n)
{
    rlxc_poly *total = rlxc_poly_const(s, dtype, 0);
    for (uint32_t i = 0; i < n && total; i++) {
        bool plain = true;
        for (uint32_t f = 0; f < terms[i].n; f++)
            plain = plain && terms[i].factors[f]->kind != RLXC_EXPR_FLOORMOD;
        rlxc_poly *product;
        if (plain) {
            rlxc_sum *sum = rlxc_sum_new(s, dtype);
            rlxc_sum_add(sum, terms[i].coef, terms[i].factors, terms[i].n);
            product = rlxc_sum_poly(s, sum);
        } else {
            product = rlxc_poly_const(s, dtype, terms[i].coef);
            for (uint32_t f = 0; f < terms[i].n; f++)
                product = rlxc_poly_mul(s, product, rlxc_poly_of(s, terms[i].factors[f]));
        }
        total = rlxc_poly_add(s, total, 1, product);
    }
    return total;
}

bool rlxc_poly_is_const(const rlxc_poly *p, int64_t *out)
{
    if (p->n > 1 || (p->n == 1 && p->terms[0].n > 0))
        return false;
    *out = p->n ? p->terms[0].coef : 0;
    return true;
}

/* Dimensions of random programs: small polynomials with integer coefficients. */
#include <string.h>

#include "tests/random/program.h"

dim dim_const(int64_t c)
{
    dim d = {0};
    if (c != 0) {
        d.n = 1;
        d.t[0].c = c;
    }
    return d;
}

dim dim_atom(unsigned index)
{
    dim d = dim_const(1);
    d.t[0].atoms[0] = (uint8_t)(index + 1);
    return d;
}

bool dim_constant(const dim *d, int64_t *out)
{
    *out = d->n ? d->t[0].c : 0;
    return d->n == 0 || (d->n == 1 && d->t[0].atoms[0] == 0);
}

bool dim_is(const dim *d, int64_t c)
{
    int64_t constant;
    return dim_constant(d, &constant) && constant == c;
}

bool dim_equal(const dim *a, const dim *b)
{
    bool same = a->n == b->n;
    for (unsigned i = 0; same && i < a->n; i++)
        same = a->t[i].c == b->t[i].c && memcmp(a->t[i].atoms, b->t[i].atoms, MAX_FACTORS) == 0;
    return same;
}

static bool add_term(dim *d, const dim_term *t)
{
    unsigned at = 0;
    while (at < d->n && memcmp(d->t[at].atoms, t->atoms, MAX_FACTORS) < 0)
        at++;
    if (at < d->n && memcmp(d->t[at].atoms, t->atoms, MAX_FACTORS) == 0) {
        d->t[at].c += t->c;
        if (d->t[at].c == 0) {
            d->n--;
            memmove(&d->t[at], &d->t[at + 1], (d->n - at) * sizeof *d->t);
        }
        return true;
    }
    if (d->n == MAX_TERMS)
        return false;
    memmove(&d->t[at + 1], &d->t[at], (d->n - at) * sizeof *d->t);
    d->t[at] = *t;
    d->n++;
    return true;
}

bool dim_add(const dim *a, const dim *b, dim *out)
{
    dim sum = *a;
    bool fits = true;
    for (unsigned i = 0; fits && i < b->n; i++)
        fits = add_term(&sum, &b->t[i]);
    *out = sum;
    return fits;
}

static bool mul_terms(const dim_term *a, const dim_term *b, dim_term *out)
{
    unsigned n = 0, i = 0, j = 0;
    *out = (dim_term){.c = a->c * b->c};
    while ((i < MAX_FACTORS && a->atoms[i]) || (j < MAX_FACTORS && b->atoms[j])) {
        bool left = i < MAX_FACTORS && a->atoms[i] &&
                    (j == MAX_FACTORS || !b->atoms[j] || a->atoms[i] <= b->atoms[j]);
        if (n == MAX_FACTORS)
            return false;
        out->atoms[n++] = left ? a->atoms[i++] : b->atoms[j++];
    }
    return true;
}

bool dim_mul(const dim *a, const dim *b, dim *out)
{
    dim product = {0};
    bool fits = true;
    for (unsigned i = 0; fits && i < a->n; i++)
        for (unsigned j = 0; fits && j < b->n; j++) {
            dim_term t;
            fits = mul_terms(&a->t[i], &b->t[j], &t) && add_term(&product, &t);
        }
    *out = product;
    return fits;
}

int64_t dim_evaluate(const dim *d, const int64_t *atoms)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < d->n; i++) {
        int64_t product = d->t[i].c;
        for (unsigned j = 0; j < MAX_FACTORS && d->t[i].atoms[j]; j++)
            product *= atoms[d->t[i].atoms[j] - 1];
        sum += product;
    }
    return sum;
}

bool type_equal(const type *a, const type *b)
{
    bool same = a->elem == b->elem && a->ndim == b->ndim;
    for (unsigned i = 0; same && i < a->ndim; i++)
        same = dim_equal(&a->d[i], &b->d[i]);
    return same;
}

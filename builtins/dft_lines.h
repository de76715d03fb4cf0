/* Transforms of LANES lines at once, for one element type. builtins/dft.c includes this with
 * T, the type; V, a vector of LANES of them; NAME(x), a name of its own for x.
 *
 * An element holds the same place of all lines, so that every step works on whole vectors. The
 * steps are those of Stockham's algorithm, which sorts on the way: a step of radix p takes p
 * elements that are a p-th of the line apart. Vectors are passed by address. */

typedef struct NAME(pair) {
    V re, im;
} NAME(pair);

/* |to| = |a| times root |k|. */
static inline void NAME(turn)(const dft_plan *plan, const NAME(pair) * a, int64_t k,
                              NAME(pair) * to)
{
    const T c = (T)plan->roots[2 * k], s = (T)plan->roots[2 * k + 1];
    const V re = a->re * c - a->im * s;
    to->im = a->re * s + a->im * c;
    to->re = re;
}

static void NAME(step2)(const dft_plan *plan, const NAME(pair) * x, NAME(pair) * y, int64_t m,
                        int64_t s)
{
    for (int64_t j = 0; j < m; j++)
        for (int64_t q = 0; q < s; q++) {
            const NAME(pair) *a = &x[q + s * j], *b = &x[q + s * (j + m)];
            NAME(pair) *to = &y[q + s * 2 * j];
            const NAME(pair) d = {a->re - b->re, a->im - b->im};
            to[0] = (NAME(pair)){a->re + b->re, a->im + b->im};
            NAME(turn)(plan, &d, j * s, &to[s]);
        }
}

static void NAME(step4)(const dft_plan *plan, const NAME(pair) * x, NAME(pair) * y, int64_t m,
                        int64_t s)
{
    const T sign = plan->inverse ? 1 : -1;
    for (int64_t j = 0; j < m; j++)
        for (int64_t q = 0; q < s; q++) {
            const NAME(pair) *a = &x[q + s * j], *b = a + s * m, *c = b + s * m, *d = c + s * m;
            NAME(pair) *to = &y[q + s * 4 * j], t;
            const V even_re = a->re + c->re, even_im = a->im + c->im, odd_re = b->re + d->re,
                    odd_im = b->im + d->im, re = a->re - c->re, im = a->im - c->im;
            const V side_re = (d->im - b->im) * sign, side_im = (b->re - d->re) * sign;
            to[0] = (NAME(pair)){even_re + odd_re, even_im + odd_im};
            t = (NAME(pair)){re + side_re, im + side_im};
            NAME(turn)(plan, &t, j * s, &to[s]);
            t = (NAME(pair)){even_re - odd_re, even_im - odd_im};
            NAME(turn)(plan, &t, 2 * j * s, &to[2 * s]);
            t = (NAME(pair)){re - side_re, im - side_im};
            NAME(turn)(plan, &t, 3 * j * s, &to[3 * s]);
        }
}

/* An odd radix p: elements i and p - i meet conjugate roots, so that their sums and differences are
 * multiplied by real numbers. */
static void NAME(step_odd)(const dft_plan *plan, const NAME(pair) * x, NAME(pair) * y, int64_t m,
                           int64_t s, int64_t p)
{
    const int64_t half = p / 2, apart = plan->n / p;
    NAME(pair) sum[MOST_RADIX / 2 + 1], difference[MOST_RADIX / 2 + 1];
    for (int64_t j = 0; j < m; j++)
        for (int64_t q = 0; q < s; q++) {
            const NAME(pair) *first = &x[q + s * j];
            NAME(pair) *to = &y[q + s * p * j], all = *first;
            for (int64_t i = 1; i <= half; i++) {
                const NAME(pair) *a = first + s * m * i, *b = first + s * m * (p - i);
                sum[i] = (NAME(pair)){a->re + b->re, a->im + b->im};
                difference[i] = (NAME(pair)){a->re - b->re, a->im - b->im};
                all = (NAME(pair)){all.re + sum[i].re, all.im + sum[i].im};
            }
            to[0] = all;
            for (int64_t k = 1; k <= half; k++) {
                NAME(pair) even = *first, odd = {{0}, {0}};
                for (int64_t i = 1, r = k; i <= half; i++, r = r + k < p ? r + k : r + k - p) {
                    const T c = (T)plan->roots[2 * r * apart],
                            d = (T)plan->roots[2 * r * apart + 1];
                    even.re += c * sum[i].re;
                    even.im += c * sum[i].im;
                    odd.re -= d * difference[i].im;
                    odd.im += d * difference[i].re;
                }
                NAME(pair) t = {even.re + odd.re, even.im + odd.im};
                NAME(turn)(plan, &t, j * k * s, &to[k * s]);
                t = (NAME(pair)){even.re - odd.re, even.im - odd.im};
                NAME(turn)(plan, &t, j * (p - k) * s, &to[(p - k) * s]);
            }
        }
}

/* The transform of |x|; |x| and |y| are overwritten. Returns the one with the result. */
static NAME(pair) * NAME(transform)(const dft_plan *plan, NAME(pair) * x, NAME(pair) * y)
{
    int64_t m = plan->n, s = 1;
    for (uint32_t i = 0; i < plan->n_radices; i++) {
        const int64_t p = plan->radices[i];
        m /= p;
        if (p == 4)
            NAME(step4)(plan, x, y, m, s);
        else if (p == 2)
            NAME(step2)(plan, x, y, m, s);
        else
            NAME(step_odd)(plan, x, y, m, s, p);
        s *= p;
        NAME(pair) *other = x;
        x = y;
        y = other;
    }
    return x;
}

/* |to[k]| = |a[k]| * (c + i s) of |factors|, whose imaginary parts are negated for |conjugate|. */
static void NAME(multiply)(const NAME(pair) * a, const double *factors, int64_t n, bool conjugate,
                           NAME(pair) * to)
{
    for (int64_t k = 0; k < n; k++) {
        const T c = (T)factors[2 * k],
                s = conjugate ? -(T)factors[2 * k + 1] : (T)factors[2 * k + 1];
        const V re = a[k].re * c - a[k].im * s;
        to[k].im = a[k].re * s + a[k].im * c;
        to[k].re = re;
    }
}

/* A length with a large prime factor: a convolution with a chirp, by transforms of another length
 * (Bluestein 1970). |x| and |y| have room for that length. */
static NAME(pair) * NAME(by_chirp)(const dft_chirp *chirp, NAME(pair) * x, NAME(pair) * y)
{
    const int64_t m = chirp->plan.n;
    NAME(multiply)(x, chirp->factors, chirp->n, false, x);
    memset((void *)(x + chirp->n), 0, (size_t)(m - chirp->n) * sizeof *x);
    NAME(pair) *spectrum = NAME(transform)(&chirp->plan, x, y), *other = spectrum == x ? y : x;
    NAME(multiply)(spectrum, chirp->spectrum, m, false, spectrum);
    for (int64_t k = 0; k < m; k++) /* the inverse is the transform of the conjugate */
        spectrum[k].im = -spectrum[k].im;
    NAME(pair) *back = NAME(transform)(&chirp->plan, spectrum, other);
    for (int64_t k = 0; k < chirp->n; k++)
        back[k].im = -back[k].im;
    NAME(multiply)(back, chirp->factors, chirp->n, false, back);
    return back;
}

/* Reads lane |lane| of the line that begins at |from|, its elements |step| apart. */
static void NAME(load)(const dft *d, const void *from, uint32_t lane, NAME(pair) * x)
{
    const T *line = from;
    const int64_t n = d->given < d->n ? d->given : d->n, step = d->inner * d->parts;
    for (int64_t k = 0; k < n; k++) {
        x[k].re[lane] = line[k * step];
        x[k].im[lane] = d->parts == 2 ? line[k * step + 1] : 0;
    }
    for (int64_t k = n; k < d->n; k++)
        x[k].re[lane] = x[k].im[lane] = 0;
    if (d->kind != REAL_INVERSE)
        return;
    x[0].im[lane] = 0;
    for (int64_t k = 1; 2 * k <= d->n; k++) {
        if (2 * k == d->n)
            x[k].im[lane] = 0;
        x[d->n - k].re[lane] = x[k].re[lane];
        x[d->n - k].im[lane] = 2 * k == d->n ? 0 : -x[k].im[lane];
    }
}

static void NAME(store)(const dft *d, const NAME(pair) * x, uint32_t lane, void *to)
{
    T *line = to;
    const T share = d->kind == FORWARD ? 1 : 1 / (T)d->n;
    const int64_t parts = d->kind == REAL_INVERSE ? 1 : 2, step = d->inner * parts;
    for (int64_t k = 0; k < d->count; k++) {
        line[k * step] = x[k].re[lane] * share;
        if (parts == 2)
            line[k * step + 1] = x[k].im[lane] * share;
    }
}

/* All lines. |x| and |y| are room for a line of pairs. */
static void NAME(lines)(const dft *d, const void *from, void *to, void *x, void *y)
{
    const int64_t lines = d->outer * d->inner, parts = d->kind == REAL_INVERSE ? 1 : 2;
    for (int64_t first = 0; first < lines; first += LANES) {
        const uint32_t used = lines - first < LANES ? (uint32_t)(lines - first) : LANES;
        for (uint32_t lane = 0; lane < LANES; lane++) { /* lanes without a line repeat the last */
            const int64_t line = first + (lane < used ? lane : used - 1);
            const int64_t at = line / d->inner * d->inner * d->given + line % d->inner;
            NAME(load)(d, (const T *)from + at * d->parts, lane, x);
        }
        const NAME(pair) *result =
            d->chirp.n > 0 ? NAME(by_chirp)(&d->chirp, x, y) : NAME(transform)(&d->plan, x, y);
        for (uint32_t lane = 0; lane < used; lane++) {
            const int64_t line = first + lane;
            const int64_t at = line / d->inner * d->inner * d->count + line % d->inner;
            NAME(store)(d, result, lane, (T *)to + at * parts);
        }
    }
}

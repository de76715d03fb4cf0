/* Discrete Fourier transforms: rlx.dft.
 *
 * Lines along an axis are transformed LANES at a time (builtins/dft_lines.h) in steps of radix 4, 2
 * and odd primes, in n log n operations. Lengths with a prime factor above MOST_RADIX become
 * convolutions of a length that is a power of 2. Roots of unity are computed in double. */
#include "builtins/builtins.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum {
    LANES = 4,
    MOST_RADIX = 61,
    MOST_STEPS = 64,
    FORWARD = 0, /* what a call asks for */
    INVERSE = 1,
    REAL_INVERSE = 2 /* of the first half of the spectrum of real numbers, to these */
};

/* How to transform a line of |n|. */
typedef struct dft_plan {
    int64_t n;
    bool inverse;
    uint32_t n_radices;
    int64_t radices[MOST_STEPS];
    double *roots; /* n complex numbers: exp(-+2 pi i k / n) */
} dft_plan;

/* The convolution that computes a transform of |n|; 0: there is none. */
typedef struct dft_chirp {
    int64_t n;
    dft_plan plan;    /* of the convolution */
    double *factors;  /* n complex numbers */
    double *spectrum; /* plan.n complex numbers */
} dft_chirp;

typedef struct dft {
    int64_t outer, given, inner, parts; /* x: (outer, given, inner, parts) */
    int64_t n, count;                   /* period; elements of a result */
    int64_t kind;
    dft_plan plan;
    dft_chirp chirp;
} dft;

typedef float dft_floats __attribute__((vector_size(LANES * sizeof(float))));
typedef double dft_doubles __attribute__((vector_size(LANES * sizeof(double))));

#define T float
#define V dft_floats
#define NAME(x) float_##x
#include "builtins/dft_lines.h"
#undef T
#undef V
#undef NAME
#define T double
#define V dft_doubles
#define NAME(x) double_##x
#include "builtins/dft_lines.h"

/* False if a prime factor is too large. */
static bool find_radices(dft_plan *plan)
{
    int64_t rest = plan->n;
    plan->n_radices = 0;
    for (int64_t p = 4; rest > 1 && p <= MOST_RADIX; p = p == 4 ? 2 : p == 2 ? 3 : p + 2)
        for (; rest % p == 0; rest /= p)
            plan->radices[plan->n_radices++] = p;
    return rest == 1;
}

/* Room for |n| complex numbers. */
static rlx_status complex_room(rlx_call_context *cc, int64_t n, double **out, rlx_error *err)
{
    void *memory = NULL;
    RLX_TRY(rlxb_scratch(cc, n, 2 * sizeof(double), &memory, err));
    *out = memory;
    return RLX_OK;
}

/* The roots are products of two of about the square root of n: few sines, and none that is less
 * accurate. */
static rlx_status find_roots(rlx_call_context *cc, dft_plan *plan, rlx_error *err)
{
    const double sign = plan->inverse ? 1 : -1;
    int64_t block = 1;
    while (block * block < plan->n)
        block *= 2;
    RLX_TRY(complex_room(cc, plan->n, &plan->roots, err));
    double *w = plan->roots;
    for (int64_t k = 0; k < plan->n; k += block) {
        const double angle = 2 * PI * (double)k / (double)plan->n;
        const double c = cos(angle), s = sign * sin(angle);
        for (int64_t i = 0; i < block && k + i < plan->n; i++) {
            if (k == 0) {
                const double small = 2 * PI * (double)i / (double)plan->n;
                w[2 * i] = cos(small);
                w[2 * i + 1] = sign * sin(small);
                continue;
            }
            w[2 * (k + i)] = c * w[2 * i] - s * w[2 * i + 1];
            w[2 * (k + i) + 1] = s * w[2 * i] + c * w[2 * i + 1];
        }
    }
    return RLX_OK;
}

/* The factors exp(-+pi i k^2 / n), and the transform of their conjugates around 0, divided by its
 * length. */
static rlx_status make_chirp(rlx_call_context *cc, int64_t n, bool inverse, dft_chirp *chirp,
                             rlx_error *err)
{
    const double sign = inverse ? 1 : -1;
    void *memory;
    int64_t m = 1, square = 0; /* k^2 modulo 2 n */
    while (m < 2 * n)
        m *= 2;
    *chirp = (dft_chirp){.n = n, .plan = {.n = m}};
    (void)find_radices(&chirp->plan);
    RLX_TRY(find_roots(cc, &chirp->plan, err));
    RLX_TRY(complex_room(cc, n, &chirp->factors, err));
    RLX_TRY(complex_room(cc, m, &chirp->spectrum, err));
    RLX_TRY(rlxb_scratch(cc, 2 * m, sizeof(double_pair), &memory, err));
    double_pair *x = memory, *y = x + m;
    memset((void *)x, 0, (size_t)m * sizeof *x);
    for (int64_t k = 0; k < n; k++) {
        const double angle = PI * (double)square / (double)n;
        const double c = cos(angle), s = sign * sin(angle);
        chirp->factors[2 * k] = c;
        chirp->factors[2 * k + 1] = s;
        x[k].re[0] = x[(m - k) % m].re[0] = c / (double)m;
        x[k].im[0] = x[(m - k) % m].im[0] = -s / (double)m;
        square = (square + 2 * k + 1) % (2 * n);
    }
    const double_pair *spectrum = double_transform(&chirp->plan, x, y);
    for (int64_t k = 0; k < m; k++) {
        chirp->spectrum[2 * k] = spectrum[k].re[0];
        chirp->spectrum[2 * k + 1] = spectrum[k].im[0];
    }
    return RLX_OK;
}

/* Reads the arguments and the dimensions of the result. */
static rlx_status prepare(const rlx_value *args, dft *d, int64_t dims[RLX_MAX_NDIM], rlx_error *err)
{
    rlx_tensor *x;
    int64_t at;
    uint32_t axis;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    RLX_TRY(rlxb_int(args, 1, &at, err));
    RLX_TRY(rlxb_int(args, 2, &d->n, err));
    RLX_TRY(rlxb_int(args, 3, &d->count, err));
    RLX_TRY(rlxb_int(args, 4, &d->kind, err));
    const uint32_t ndim = rlx_tensor_ndim(x);
    const rlx_dtype t = rlx_tensor_dtype(x);
    RLX_TRY(rlxb_axis(at, ndim, &axis, err));
    memcpy(dims, rlx_tensor_dims(x), ndim * sizeof dims[0]);
    if ((!rlx_dtype_eq(t, RLX_F32) && !rlx_dtype_eq(t, RLX_F64)) || axis + 1 >= ndim ||
        dims[ndim - 1] < 1 || dims[ndim - 1] > 2 || d->kind < FORWARD || d->kind > REAL_INVERSE)
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "dft: expected a signal of float32 or float64 (..., 1 or 2)");
    if (d->n < 0 || d->n > INT64_C(1) << 40 || d->count < 0 || d->count > d->n)
        return rlx_fail(err, RLX_E_INVALID_ARG, "dft: %lld results of the length %lld",
                        (long long)d->count, (long long)d->n);
    d->given = dims[axis];
    d->parts = dims[ndim - 1];
    dims[axis] = d->count;
    dims[ndim - 1] = d->kind == REAL_INVERSE ? 1 : 2;
    d->outer = d->inner = 1;
    bool empty = false;
    for (uint32_t i = 0; i + 1 < ndim; i++)
        empty = empty || (i != axis && dims[i] == 0);
    for (uint32_t i = 0; i + 1 < ndim && !empty; i++)
        if (i != axis &&
            !rlx_mul_i64(i < axis ? d->outer : d->inner, dims[i], i < axis ? &d->outer : &d->inner))
            return rlx_fail(err, RLX_E_LIMIT, "dft: the signal is too large");
    d->outer = empty ? 0 : d->outer;
    return RLX_OK;
}

rlx_status rlxb_dft(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                    rlx_error *err)
{
    (void)n;
    dft d = {0};
    int64_t dims[RLX_MAX_NDIM];
    rlx_tensor *x, *result = NULL;
    void *room;
    RLX_TRY(prepare(args, &d, dims, err));
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    const bool f64 = rlx_dtype_eq(rlx_tensor_dtype(x), RLX_F64);
    const int64_t size = f64 ? sizeof(double_pair) : sizeof(float_pair);
    d.plan = (dft_plan){.n = d.n, .inverse = d.kind != FORWARD};
    if (d.n == 0 || find_radices(&d.plan)) /* of length 0: an empty result */
        RLX_TRY(find_roots(cc, &d.plan, err));
    else
        RLX_TRY(make_chirp(cc, d.n, d.plan.inverse, &d.chirp, err));
    const int64_t length = d.chirp.n > 0 ? d.chirp.plan.n : d.n;
    RLX_TRY(rlxb_scratch(cc, 2 * length, size, &room, err));
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(x), rlx_tensor_ndim(x), dims, &result, err));
    void *other = (char *)room + length * size;
    if (f64)
        double_lines(&d, rlx_tensor_data(x), rlx_tensor_mutable_data(result), room, other);
    else
        float_lines(&d, rlx_tensor_data(x), rlx_tensor_mutable_data(result), room, other);
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

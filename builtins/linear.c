/* Linear algebra by elimination with partial pivoting (Golub and Van Loan, "Matrix Computations",
 * 3.4), computed in double: rlx.det, determinants; rlx.inverse. */
#include "builtins/builtins.h"

#include <math.h>
#include <string.h>

/* The square matrices of an argument. */
typedef struct matrices {
    const rlx_tensor *of;
    int64_t size, count; /* rows; elements of one */
    double *a;           /* room for one matrix, and the scratch that the caller asked for */
} matrices;

/* Argument 0, with room for |n| matrices. */
static rlx_status open(rlx_call_context *cc, const rlx_value *args, const char *name, int64_t n,
                       matrices *m, rlx_error *err)
{
    rlx_tensor *x;
    void *scratch;
    int64_t room;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    const rlx_dtype t = rlx_tensor_dtype(x);
    const uint32_t ndim = rlx_tensor_ndim(x);
    const int64_t *dims = rlx_tensor_dims(x);
    if (ndim < 2 || dims[ndim - 1] != dims[ndim - 2] ||
        (!rlx_dtype_eq(t, RLX_F64) && !rlx_dtype_eq(t, RLX_F32)))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "%s: expected square matrices of float32 or float64", name);
    m->of = x;
    m->size = dims[ndim - 1];
    if (!rlx_mul_i64(m->size, m->size, &m->count) || !rlx_mul_i64(m->count, n, &room))
        return rlx_fail(err, RLX_E_LIMIT, "%s: the matrices are too large", name);
    RLX_TRY(rlxb_scratch(cc, room, sizeof(double), &scratch, err));
    m->a = scratch;
    return RLX_OK;
}

/* Copies matrix |i| to |m->a|. */
static void load(const matrices *m, int64_t i)
{
    const void *data = rlx_tensor_data(m->of);
    const bool f64 = rlx_dtype_eq(rlx_tensor_dtype(m->of), RLX_F64);
    for (int64_t k = 0; k < m->count; k++)
        m->a[k] = f64 ? ((const double *)data)[i * m->count + k]
                      : (double)((const float *)data)[i * m->count + k];
}

static void store(rlx_tensor *to, int64_t i, double v)
{
    if (rlx_dtype_eq(rlx_tensor_dtype(to), RLX_F64))
        ((double *)rlx_tensor_mutable_data(to))[i] = v;
    else
        ((float *)rlx_tensor_mutable_data(to))[i] = (float)v;
}

/* The row from |k| on with the largest element in column |k|, or with NaN. */
static int64_t pivot_of(const double *a, int64_t n, int64_t k)
{
    int64_t best = k;
    for (int64_t i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[best * n + k]) || isnan(a[i * n + k]))
            best = i;
    return best;
}

static void exchange(double *a, int64_t n, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < n && i != k; j++) {
        const double kept = a[k * n + j];
        a[k * n + j] = a[i * n + j];
        a[i * n + j] = kept;
    }
}

/* to[j] -= factor * from[j] for j from |begin| to before |n|. */
static void subtract_row(double *to, const double *from, double factor, int64_t begin, int64_t n)
{
    typedef double two __attribute__((vector_size(16)));
    int64_t j = begin;
    for (; j + 4 <= n; j += 4) {
        two a[2], b[2];
        memcpy(a, to + j, sizeof a);
        memcpy(b, from + j, sizeof b);
        a[0] -= factor * b[0];
        a[1] -= factor * b[1];
        memcpy(to + j, a, sizeof a);
    }
    for (; j < n; j++)
        to[j] -= factor * from[j];
}

/* The determinant of the |n| x |n| matrix |a|, which is overwritten. */
static double determinant(double *a, int64_t n)
{
    double det = 1;
    for (int64_t k = 0; k < n; k++) {
        const int64_t best = pivot_of(a, n, k);
        const double pivot = a[best * n + k];
        exchange(a, n, best, k);
        det *= best != k ? -pivot : pivot;
        if (pivot == 0)
            return 0;
        for (int64_t i = k + 1; i < n; i++)
            subtract_row(a + i * n, a + k * n, a[i * n + k] / pivot, k + 1, n);
    }
    return det;
}

/* Writes the inverse of the |n| x |n| matrix |a|, which is overwritten, to |b|; the inverse of a
 * singular matrix has non-finite elements. */
static void invert(double *a, double *b, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        b[i] = i / n == i % n ? 1 : 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t best = pivot_of(a, n, k);
        exchange(a, n, best, k);
        exchange(b, n, best, k);
        const double pivot = a[k * n + k];
        for (int64_t j = 0; j < n; j++) {
            a[k * n + j] /= pivot;
            b[k * n + j] /= pivot;
        }
        for (int64_t i = 0; i < n; i++) {
            const double factor = a[i * n + k];
            if (i == k)
                continue;
            subtract_row(a + i * n, a + k * n, factor, 0, n);
            subtract_row(b + i * n, b + k * n, factor, 0, n);
        }
    }
}

rlx_status rlxb_det(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                    rlx_error *err)
{
    (void)n;
    matrices m;
    rlx_tensor *result = NULL;
    RLX_TRY(open(cc, args, "det", 1, &m, err));
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(m.of), rlx_tensor_ndim(m.of) - 2,
                                  rlx_tensor_dims(m.of), &result, err));
    for (int64_t i = 0; i < rlx_tensor_numel(result); i++) {
        load(&m, i);
        store(result, i, determinant(m.a, m.size));
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

rlx_status rlxb_inverse(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    (void)n;
    matrices m;
    rlx_tensor *result = NULL;
    RLX_TRY(open(cc, args, "inverse", 2, &m, err));
    RLX_TRY(rlx_call_alloc_tensor(cc, rlx_tensor_dtype(m.of), rlx_tensor_ndim(m.of),
                                  rlx_tensor_dims(m.of), &result, err));
    const int64_t many = m.count ? rlx_tensor_numel(result) / m.count : 0;
    for (int64_t i = 0; i < many; i++) {
        load(&m, i);
        invert(m.a, m.a + m.count, m.size);
        for (int64_t k = 0; k < m.count; k++)
            store(result, i * m.count + k, m.a[m.count + k]);
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

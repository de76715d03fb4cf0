/* Linear algebra that is no kernel: rlx.det, determinants by LU decomposition with partial pivoting
 * (Golub and Van Loan, "Matrix Computations", 3.4), computed in double. */
#include "builtins/builtins.h"

#include <math.h>

/* The determinant of the |n| x |n| matrix |a|, which is used up. */
static double determinant(double *a, int64_t n)
{
    double det = 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]) || isnan(a[i * n + k]))
                best = i;
        double pivot = a[best * n + k];
        if (best != k) {
            det = -det;
            for (int64_t j = k; j < n; j++) {
                double kept = a[k * n + j];
                a[k * n + j] = a[best * n + j];
                a[best * n + j] = kept;
            }
        }
        det *= pivot;
        if (pivot == 0)
            return 0;
        for (int64_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / pivot;
            for (int64_t j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return det;
}

rlx_status rlxb_det(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                    rlx_error *err)
{
    (void)n;
    rlx_tensor *x, *result = NULL;
    RLX_TRY(rlxb_tensor(args, 0, &x, err));
    rlx_dtype dtype = rlx_tensor_dtype(x);
    const bool f64 = rlx_dtype_eq(dtype, RLX_F64);
    const uint32_t ndim = rlx_tensor_ndim(x);
    const int64_t *dims = rlx_tensor_dims(x);
    if (ndim < 2 || dims[ndim - 1] != dims[ndim - 2] || (!f64 && !rlx_dtype_eq(dtype, RLX_F32)))
        return rlx_fail(err, RLX_E_INVALID_ARG,
                        "det: square matrices of float32 or float64 expected");
    const int64_t size = dims[ndim - 1];
    int64_t count;
    void *scratch;
    if (!rlx_mul_i64(size, size, &count))
        return rlx_fail(err, RLX_E_LIMIT, "det: the matrices are too large");
    RLX_TRY(rlxb_scratch(cc, count, sizeof(double), &scratch, err));
    RLX_TRY(rlx_call_alloc_tensor(cc, dtype, ndim - 2, dims, &result, err));
    double *a = scratch;
    const void *data = rlx_tensor_data(x);
    void *to = rlx_tensor_mutable_data(result);
    for (int64_t m = 0; m < rlx_tensor_numel(result); m++) {
        for (int64_t i = 0; i < count; i++)
            a[i] = f64 ? ((const double *)data)[m * count + i]
                       : (double)((const float *)data)[m * count + i];
        double det = determinant(a, size);
        if (f64)
            ((double *)to)[m] = det;
        else
            ((float *)to)[m] = (float)det;
    }
    *out = rlx_of_tensor(result);
    return RLX_OK;
}

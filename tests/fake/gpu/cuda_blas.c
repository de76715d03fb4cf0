/* cuBLAS without a GPU: products wait in the stream, as kernels do. */
#include <string.h>

#include "tests/fake/gpu/cuda.h"

void fake_run_product(const fake_product *p)
{
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    for (size_t batch = 0; batch < (size_t)p->batches; batch++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < m; i++) {
                float sum = 0;
                for (size_t e = 0; e < k; e++)
                    sum += p->a[batch * m * k + e * m + i] * p->b[batch * k * n + j * k + e];
                p->c[batch * m * n + j * m + i] = sum;
            }
}

struct blas {
    cu_stream stream;
};

int cublasCreate_v2(void **handle)
{
    IN_CONTEXT;
    return fake_made(handle, sizeof(struct blas));
}

int cublasDestroy_v2(void *handle)
{
    fake_dropped(handle);
    IN_CONTEXT;
    return 0;
}

int cublasSetStream_v2(void *handle, cu_stream stream)
{
    IN_CONTEXT;
    fake.misuses += !stream;
    ((struct blas *)handle)->stream = stream;
    return 0;
}

/* Of float32 alone; all matrices without gaps, as they are. */
int cublasGemmStridedBatchedEx(void *handle, int turn_a, int turn_b, int m, int n, int k,
                               const void *alpha, const void *a, int a_type, int lda,
                               long long step_a, const void *b, int b_type, int ldb,
                               long long step_b, const void *beta, void *c, int c_type, int ldc,
                               long long step_c, int batches, int compute, int algorithm)
{
    float one, zero;
    IN_CONTEXT;
    memcpy(&one, alpha, sizeof one);
    memcpy(&zero, beta, sizeof zero);
    if (!((struct blas *)handle)->stream || turn_a || turn_b || a_type || b_type || c_type ||
        one != 1 || zero != 0 || lda != m || ldb != k || ldc != m || m < 1 || n < 1 || k < 1 ||
        step_a != (long long)m * k || step_b != (long long)k * n || step_c != (long long)m * n ||
        batches < 1 || compute != CU_COMPUTE_32F || algorithm != CU_GEMM_DEFAULT) {
        fake.misuses++;
        return CU_INVALID_VALUE;
    }
    return fake_append((fake_work){.is_product = true, .product = {m, n, k, batches, a, b, c}});
}

/* Stands in for a BLAS: cblas_sgemm by its definition. Each product counts as a call, and arguments
 * that a BLAS does not allow as a misuse. */
#include "tests/fake/fake.h"

#include <stddef.h>

fake_control fake;

fake_control *fake_get(void)
{
    return &fake;
}

enum { ROW_MAJOR = 101, AS_IS = 111, TURNED = 112 };

__attribute__((visibility("default"))) void cblas_sgemm(int order, int turn_a, int turn_b, int m,
                                                        int n, int k, float alpha, const float *a,
                                                        int lda, const float *b, int ldb,
                                                        float beta, float *c, int ldc)
{
    const bool turned = turn_b == TURNED;
    fake.calls++;
    if (order != ROW_MAJOR || turn_a != AS_IS || (!turned && turn_b != AS_IS) || m < 0 || n < 0 ||
        k < 0 || lda < k || lda < 1 || ldb < (turned ? k : n) || ldb < 1 || ldc < n || ldc < 1) {
        fake.misuses++;
        return;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float *y = &c[(ptrdiff_t)i * ldc + j], sum = 0;
            for (int p = 0; p < k; p++)
                sum += a[(ptrdiff_t)i * lda + p] *
                       (turned ? b[(ptrdiff_t)j * ldb + p] : b[(ptrdiff_t)p * ldb + j]);
            *y = alpha * sum + beta * *y;
        }
}

/* Products by cuBLAS, whose library is opened when one is first asked for. */
#include "vm/devices/cuda.h"

struct rlxv_cuda_blas {
    void *library;
    cu_blas cu;
    void *handle; /* works in the device's stream */
};

#define NAME(name, params) #name,
static const char *const names[] = {CUBLAS_FUNCTIONS(NAME)};
#undef NAME
enum { N_NAMES = sizeof names / sizeof *names };
_Static_assert(sizeof(cu_blas) == N_NAMES * sizeof(void *), "the table is filled as an array");

static rlx_status fail(int code, rlx_error *err)
{
    return code == 0 ? RLX_OK : rlx_fail(err, RLX_E_DEVICE, "a product: cuBLAS error %d", code);
}

static rlx_status open_library(rlxv_cuda_blas *b, rlx_error *err)
{
    static const char *const files[] = {"libcublas.so.13", "libcublas.so.12"};
    rlx_status status = RLX_E_NOT_FOUND;
    for (size_t i = 0; i < sizeof files / sizeof *files && status == RLX_E_NOT_FOUND; i++)
        status = rlxv_driver_open(&(rlxv_driver_row){"cuBLAS (libcublas.so.13 or .12)",
                                                     "RLX_CUBLAS_LIBRARY", files[i], names, N_NAMES,
                                                     N_NAMES},
                                  &b->library, &b->cu, err);
    return status;
}

void rlxv_cuda_close_blas(rlxv_cuda *d)
{
    rlxv_cuda_blas *b = d->blas;
    if (!b)
        return;
    if (b->handle)
        (void)b->cu.cublasDestroy_v2(b->handle);
    rlxv_driver_close(b->library);
    rlx_free(d->a, b, sizeof *b, _Alignof(rlxv_cuda_blas));
    d->blas = NULL;
}

static rlx_status open_blas(rlxv_cuda *d, rlx_error *err)
{
    rlxv_cuda_blas *b = rlx_alloc(d->a, sizeof *b, _Alignof(rlxv_cuda_blas));
    if (!b)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory for cuBLAS");
    *b = (rlxv_cuda_blas){.handle = NULL};
    d->blas = b;
    rlx_status status = open_library(b, err);
    if (status == RLX_OK) {
        const int code = b->cu.cublasCreate_v2(&b->handle);
        if (code != 0)
            b->handle = NULL;
        status = fail(code ? code : b->cu.cublasSetStream_v2(b->handle, d->stream), err);
    }
    if (status != RLX_OK)
        rlxv_cuda_close_blas(d);
    return status;
}

static const void *address(rlx_device_at at)
{
    return (const void *)((uintptr_t)at.memory + at.offset);
}

/* Matrices by rows are the transposed ones by columns, and y' = w' x'. */
static int ask(const rlxv_cuda_blas *b, const rlx_product *p)
{
    static const float one = 1, zero = 0;
    static const double one64 = 1, zero64 = 0;
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    const bool wide = p->dtype.bits == 64;
    const int type = wide                         ? CU_R_64F
                     : p->dtype.bits == 32        ? CU_R_32F
                     : p->dtype.code == RLX_FLOAT ? CU_R_16F
                                                  : CU_R_16BF;
    return b->cu.cublasGemmStridedBatchedEx(
        b->handle, 0, 0, n, m, k, wide ? (const void *)&one64 : &one, address(p->w), type, n,
        (long long)k * n, address(p->x), type, k, (long long)m * k,
        wide ? (const void *)&zero64 : &zero, (void *)(uintptr_t)address(p->y), type, n,
        (long long)m * n, (int)p->batches, wide ? CU_COMPUTE_64F : CU_COMPUTE_32F, CU_GEMM_DEFAULT);
}

rlx_status rlxv_cuda_product(void *device, const rlx_product *p, void **out_event, rlx_error *err)
{
    rlxv_cuda *d = device;
    rlxv_cuda_event *event;
    if (p->m > INT32_MAX || p->n > INT32_MAX || p->k > INT32_MAX || p->batches > INT32_MAX)
        return rlx_fail(err, RLX_E_LIMIT, "a product too large for cuBLAS");
    RLX_TRY(rlxv_cuda_enter(d, "a product", err));
    rlx_status status = d->blas ? RLX_OK : open_blas(d, err);
    if (status == RLX_OK)
        status = rlxv_cuda_begin(d, out_event, &event, err);
    if (status == RLX_OK)
        status = rlxv_cuda_end(d, out_event, event, fail(ask(d->blas, p), err), err);
    rlxv_cuda_leave(d);
    return status;
}

/* rlx on the first CUDA device, beside cuBLAS.
 *
 *     bench_cuda launches FILE N        function "main" of FILE calls N small kernels one after the
 *                                       other: microseconds of a launch
 *     bench_cuda product FILE N         function "main" of FILE multiplies two bfloat16 matrices of
 *                                       N x N, beside cublasGemmEx on the same memory
 *
 * cuBLAS sums in float32 as rlx does. It works in the primary context of the device, as rlx does,
 * so both read the same factors. The libraries are opened at run time; without a device the program
 * ends with BENCH_NO_DEVICE, without cuBLAS a product has no peer. */
#include "bench/peers/device.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 1024, SEED = 7 };

/* --- cuBLAS, as far as a product needs it --- */

enum { NOT_TRANSPOSED = 0, BF16 = 14, COMPUTE_F32 = 68, DEFAULT_ALGORITHM = -1 };

typedef struct blas {
    int (*create)(void **handle);
    int (*gemm)(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
                const void *alpha, const void *a, int a_type, int lda, const void *b, int b_type,
                int ldb, const void *beta, void *c, int c_type, int ldc, int compute,
                int algorithm);
    int (*synchronize)(void);
    void *handle;
    void *x, *w, *y; /* addresses on the device */
    int n;
} blas;

static void *symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);
    if (address == NULL)
        bench_die("no function %s", name);
    return address;
}

/* False if cuBLAS is not installed. */
static bool open_blas(blas *out)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        "libcublas.so"};
    void *library = NULL, *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library || !driver)
        return false;
    const struct {
        void *slot, *address;
    } rows[] = {{&out->create, symbol(library, "cublasCreate_v2")},
                {&out->gemm, symbol(library, "cublasGemmEx")},
                {&out->synchronize, symbol(driver, "cuCtxSynchronize")}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        memcpy(rows[i].slot, &rows[i].address, sizeof rows[i].address);
    const int code = out->create(&out->handle);
    if (code != 0)
        bench_die("cublasCreate: error %d", code);
    return true;
}

/* Matrices by rows are the transposed ones by columns: y' = w' x'. */
static void run_blas(void *user)
{
    static const float one = 1, zero = 0;
    const blas *b = user;
    int code =
        b->gemm(b->handle, NOT_TRANSPOSED, NOT_TRANSPOSED, b->n, b->n, b->n, &one, b->w, BF16, b->n,
                b->x, BF16, b->n, &zero, b->y, BF16, b->n, COMPUTE_F32, DEFAULT_ALGORITHM);
    if (code == 0)
        code = b->synchronize();
    if (code != 0)
        bench_die("cublasGemmEx: error %d", code);
}

/* --- figures --- */

static void launches(const char *path, uint32_t calls)
{
    static const int64_t dims[1] = {ELEMENTS};
    bench_program program;
    bench_on_device mine = {.device = bench_first_device("cuda", "CUDA")};
    bench_open(&program, path, 1);
    mine.call = bench_invocation_of(&program, "main");
    rlx_value x = bench_tensor(RLX_F32, 1, dims, SEED);
    mine.call.args[0] = bench_placed(mine.device, rlx_value_retain(x));
    mine.call.n_args = 1;
    rlx_value y = bench_fetched(bench_invoke(&program, "main", mine.call.args, 1));
    const float *in = rlx_tensor_data(x.as.tensor), *out = rlx_tensor_data(y.as.tensor);
    for (int i = 0; i < ELEMENTS; i++)
        if (fabsf(in[i] + (float)calls - out[i]) > 1e-3f * (float)calls)
            bench_die("WRONG RESULT: %g + %u is %g", in[i], calls, out[i]);
    bench_side side = {.call = bench_run_and_wait, .user = &mine};
    bench_plan plan = bench_default_plan();
    bench_interleave(&side, 1, &plan);
    bench_print_row(&(bench_row){.name = "launch of a chained CUDA kernel",
                                 .threads = 1,
                                 .unit = "us",
                                 .rlx = side.median_ns / 1e3 / calls,
                                 .waited = side.waited});
    rlx_value_release(x);
    rlx_value_release(y);
    bench_release_args(&mine.call);
    bench_close(&program);
    rlx_device_release(mine.device);
}

/* N x N numbers on the device, float32 values cut to bfloat16. */
static rlx_value matrix(rlx_device *d, int64_t n, uint64_t seed)
{
    const int64_t dims[2] = {n, n};
    rlx_value exact = bench_tensor(RLX_F32, 2, dims, seed),
              cut = bench_tensor(RLX_BF16, 2, dims, 0);
    const uint32_t *from = rlx_tensor_data(exact.as.tensor);
    uint16_t *to = rlx_tensor_mutable_data(cut.as.tensor);
    for (int64_t i = 0; i < n * n; i++)
        to[i] = (uint16_t)(from[i] >> 16);
    rlx_value_release(exact);
    return bench_placed(d, cut);
}

static void *address_of(rlx_value v)
{
    const rlx_device_at at = rlx_tensor_place(v.as.tensor);
    return (char *)at.memory + at.offset;
}

static double number(const uint16_t *bf16, int64_t i)
{
    const uint32_t bits = (uint32_t)bf16[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Elements of the diagonal of |y|, which it takes, beside sums in double. */
static void check_diagonal(rlx_value y, const rlx_value factors[2], int64_t n, const char *whose)
{
    enum { CHECKED = 64 };
    rlx_value x = bench_fetched(rlx_value_retain(factors[0])),
              w = bench_fetched(rlx_value_retain(factors[1]));
    y = bench_fetched(y);
    const uint16_t *a = rlx_tensor_data(x.as.tensor), *b = rlx_tensor_data(w.as.tensor),
                   *c = rlx_tensor_data(y.as.tensor);
    for (int64_t i = 0; i < n; i += n / CHECKED + 1) {
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < n; k++) {
            const double term = number(a, i * n + k) * number(b, k * n + i);
            sum += term;
            magnitude += fabs(term);
        }
        /* rounded to 8 bits, after sums in float32 */
        if (!(fabs(number(c, i * n + i) - sum) <= fabs(sum) / 128 + magnitude * 1e-5))
            bench_die("WRONG RESULT: element %lld of %s is %g instead of %g", (long long)i, whose,
                      number(c, i * n + i), sum);
    }
    rlx_value_release(x);
    rlx_value_release(w);
    rlx_value_release(y);
}

static void product(const char *path, int64_t n)
{
    bench_program program;
    blas peer = {.n = (int)n};
    bench_on_device mine = {.device = bench_first_device("cuda", "CUDA")};
    bench_open(&program, path, 1);
    mine.call = bench_invocation_of(&program, "main");
    mine.call.n_args = 2;
    for (uint32_t i = 0; i < 2; i++)
        mine.call.args[i] = matrix(mine.device, n, SEED + i);
    const bool paired = open_blas(&peer);
    bench_side sides[] = {{.call = bench_run_and_wait, .user = &mine},
                          {.call = run_blas, .user = &peer}};
    rlx_value y = bench_placed(mine.device, bench_tensor(RLX_BF16, 2, (int64_t[]){n, n}, 0));
    check_diagonal(bench_invoke(&program, "main", mine.call.args, 2), mine.call.args, n, "rlx");
    if (paired) {
        peer.x = address_of(mine.call.args[0]);
        peer.w = address_of(mine.call.args[1]);
        peer.y = address_of(y);
        run_blas(&peer);
        check_diagonal(rlx_value_retain(y), mine.call.args, n, "cuBLAS");
    }
    bench_plan plan = bench_default_plan();
    bench_interleave(sides, paired ? 2 : 1, &plan);
    char row[96], note[64];
    snprintf(row, sizeof row, "bfloat16 product %lldx%lldx%lld on cuda:0", (long long)n,
             (long long)n, (long long)n);
    snprintf(note, sizeof note, "%.0f TFlop/s",
             2 * (double)n * (double)n * (double)n / sides[0].median_ns / 1e3);
    bench_print_row(&(bench_row){.name = row,
                                 .threads = 1,
                                 .unit = "us",
                                 .rlx = sides[0].median_ns / 1e3,
                                 .peer = paired ? "cuBLAS" : NULL,
                                 .peer_value = paired ? sides[1].median_ns / 1e3 : 0,
                                 .ratio = paired ? 1 / sides[1].ratio : 0,
                                 .waited = sides[0].waited,
                                 .note = note});
    rlx_value_release(y);
    bench_release_args(&mine.call);
    bench_close(&program);
    rlx_device_release(mine.device);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "launches") == 0) {
        launches(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    } else if (argc == 4 && strcmp(argv[1], "product") == 0) {
        product(argv[2], strtoll(argv[3], NULL, 10));
    } else {
        fprintf(stderr, "usage: bench_cuda launches FILE N | product FILE N\n");
        return 2;
    }
    return 0;
}

/* The figures of `make bench`, from executables that bench/run.sh compiled.
 *
 *     bench_runtime DISPATCH.rlx MATMUL.rlx CHARGPT.rlx
 *
 * Dispatch: nanoseconds per call in functions of 1 000 chained calls. Steady state: allocator calls
 * inside an invoke. Matmuls: GFLOP/s and share of the peak that an FMA loop reaches on this core in
 * the same run. Load: milliseconds from a path to a first result. Every timed figure is a median;
 * kernels are measured beside the peak, so the share means something on a shared machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rlx/rlx.h>

#include "bench/peak.h"

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void die(const rlx_error *err)
{
    fprintf(stderr, "bench: %s\n", err->message);
    exit(1);
}

/* --- an allocator that counts --- */

typedef struct counter {
    uint64_t calls;
} counter;

static void *counted_alloc(void *ctx, size_t size, size_t align)
{
    ((counter *)ctx)->calls++;
    return rlx_alloc(NULL, size, align);
}

static void counted_free(void *ctx, void *p, size_t size, size_t align)
{
    (void)ctx;
    rlx_free(NULL, p, size, align);
}

typedef struct program {
    rlx_executable *exe;
    rlx_vm *vm;
    counter count;
    rlx_allocator allocator;
} program;

static void open_program(program *p, const char *path)
{
    rlx_error err = {0};
    const rlx_load_options load = {.trust_native = true};
    p->allocator = (rlx_allocator){&p->count, counted_alloc, counted_free};
    const rlx_vm_options options = {.allocator = &p->allocator};
    if (rlx_executable_load_file(path, &load, &p->exe, &err) != RLX_OK ||
        rlx_vm_create(p->exe, &options, &p->vm, &err) != RLX_OK)
        die(&err);
}

static void close_program(program *p)
{
    rlx_vm_destroy(p->vm);
    rlx_executable_release(p->exe);
}

static rlx_value zeros(rlx_dtype dtype, uint32_t ndim, const int64_t *dims)
{
    rlx_error err = {0};
    rlx_tensor *t = NULL;
    if (rlx_tensor_create(NULL, dtype, ndim, dims, &t, &err) != RLX_OK)
        die(&err);
    memset(rlx_tensor_mutable_data(t), 0, rlx_tensor_nbytes(t));
    return rlx_of_tensor(t);
}

static double median_ns(program *p, const char *function, rlx_value *args, uint32_t n,
                        uint64_t number, uint32_t min_ms)
{
    rlx_error err = {0};
    rlx_time_result result;
    const rlx_time_options options = {
        .number = number, .repeat = 21, .min_repeat_ms = min_ms, .warmup = 3};
    if (rlx_time_evaluator(p->vm, rlx_str_from(function), args, n, &options, &result, &err) !=
        RLX_OK)
        die(&err);
    return result.median_ns;
}

static void dispatch(const char *path)
{
    enum { CHAIN = 1000 };
    program p = {0};
    open_program(&p, path);
    const int64_t dims[1] = {16};
    rlx_value x = zeros(RLX_F32, 1, dims);
    double kernels = median_ns(&p, "kernels", &x, 1, 1, 20);
    double builtins = median_ns(&p, "builtins", &x, 1, 1, 20);
    printf("dispatch: %.1f ns per chained kernel call on 16 floats, %.1f ns per call_builtin "
           "(bar: 80)\n",
           kernels / CHAIN, builtins / CHAIN);
    rlx_value_release(x);
    close_program(&p);
}

static void matmuls(const char *path)
{
    static const struct {
        const char *function;
        int64_t m, n, k;
    } rows[] = {{"qkv", 128, 384, 128},
                {"proj", 128, 128, 128},
                {"fc1", 128, 512, 128},
                {"fc2", 128, 128, 512}};
    program p = {0};
    open_program(&p, path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t a[2] = {rows[i].m, rows[i].k}, b[2] = {rows[i].k, rows[i].n};
        rlx_value args[2] = {zeros(RLX_F32, 2, a), zeros(RLX_F32, 2, b)};
        double before = bench_peak_gflops();
        double ns = median_ns(&p, rows[i].function, args, 2, 10, 10);
        double after = bench_peak_gflops();
        double peak = before > after ? before : after;
        double gflops = 2.0 * (double)(rows[i].m * rows[i].n * rows[i].k) / ns;
        printf("matmul %-4s (%lld, %lld, %lld): %.1f GFLOP/s, %.0f %% of the FMA loop's %.1f "
               "(bar: 15 %%)\n",
               rows[i].function, (long long)rows[i].m, (long long)rows[i].n, (long long)rows[i].k,
               gflops, 100 * gflops / peak, peak);
        rlx_value_release(args[0]);
        rlx_value_release(args[1]);
    }
    close_program(&p);
}

static void invoke(program *p, rlx_value *args, uint32_t n)
{
    rlx_error err = {0};
    rlx_value out = rlx_none();
    if (rlx_vm_invoke(p->vm, RLX_STR("main"), args, n, &out, &err) != RLX_OK)
        die(&err);
    rlx_value_release(out);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void chargpt(const char *path)
{
    const int64_t dims[2] = {1, 128};
    rlx_value tokens = zeros(RLX_I64, 2, dims);
    program p = {0};
    open_program(&p, path);
    invoke(&p, &tokens, 1);
    invoke(&p, &tokens, 1);
    uint64_t before = p.count.calls;
    invoke(&p, &tokens, 1);
    printf("steady state: %llu allocator calls inside an invoke of chargpt at a seen shape "
           "(bar: those of the result)\n",
           (unsigned long long)(p.count.calls - before));
    static const int64_t lengths[] = {1, 16, 64, 128};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const int64_t shape[2] = {1, lengths[i]};
        rlx_value argument = zeros(RLX_I64, 2, shape);
        printf("chargpt n=%lld: %.3f ms\n", (long long)lengths[i],
               median_ns(&p, "main", &argument, 1, 1, 20) / 1e6);
        rlx_value_release(argument);
    }
    close_program(&p);

    enum { LOADS = 11 };
    double ms[LOADS];
    const int64_t one[2] = {1, 1};
    rlx_value first = zeros(RLX_I64, 2, one);
    for (int i = 0; i < LOADS; i++) {
        double start = now_ns();
        program q = {0};
        open_program(&q, path);
        invoke(&q, &first, 1);
        ms[i] = (now_ns() - start) / 1e6;
        close_program(&q);
    }
    qsort(ms, LOADS, sizeof *ms, compare_doubles);
    printf("load: %.2f ms from path to first result of chargpt (n=1)\n", ms[LOADS / 2]);
    rlx_value_release(first);
    rlx_value_release(tokens);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    dispatch(argv[1]);
    matmuls(argv[2]);
    chargpt(argv[3]);
    return 0;
}

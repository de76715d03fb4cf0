/* A loop of independent fused multiply-adds, enough of them in flight to hide their latency. */
#include "bench/rates.h"

#include <immintrin.h>
#include <time.h>

enum { ROUNDS = 1 << 18, CHAINS = 12, SAMPLES = 5 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((target("avx512f"), noinline)) static float run_512(void)
{
    __m512 acc[CHAINS];
    const __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(1e-3f);
    for (int i = 0; i < CHAINS; i++)
        acc[i] = _mm512_set1_ps((float)i);
    for (int r = 0; r < ROUNDS; r++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            acc[i] = _mm512_fmadd_ps(acc[i], a, b);
    }
    for (int i = 1; i < CHAINS; i++)
        acc[0] = _mm512_add_ps(acc[0], acc[i]);
    return _mm512_reduce_add_ps(acc[0]);
}

__attribute__((target("avx2,fma"), noinline)) static float run_256(void)
{
    __m256 acc[CHAINS];
    const __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(1e-3f);
    for (int i = 0; i < CHAINS; i++)
        acc[i] = _mm256_set1_ps((float)i);
    for (int r = 0; r < ROUNDS; r++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            acc[i] = _mm256_fmadd_ps(acc[i], a, b);
    }
    for (int i = 1; i < CHAINS; i++)
        acc[0] = _mm256_add_ps(acc[0], acc[i]);
    float lanes[8];
    _mm256_storeu_ps(lanes, acc[0]);
    return lanes[0];
}

double bench_peak_gflops(void)
{
    const int wide = __builtin_cpu_supports("avx512f") != 0;
    const double flops = 2.0 * (double)((wide ? 16 : 8) * CHAINS) * (double)ROUNDS;
    double best = 0;
    volatile float sink = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double start = seconds();
        sink = sink + (wide ? run_512() : run_256());
        double rate = flops / (seconds() - start) / 1e9;
        best = rate > best ? rate : best;
    }
    return best;
}

/* Measured rates of the machine. Multiply-adds: a loop of independent ones, enough of them in
 * flight to hide their latency. Memory: reads with the widest vectors available, into several
 * independent sums so that loads never wait. Cores: a word passed back and forth between two
 * threads. */
#include "bench/rates.h"

#include <immintrin.h>
#include <pthread.h>
#include <pthreadpool.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench/bench.h"

/* --- multiply-adds ---------------------------------------------------------------------------- */

enum { STEPS = 1 << 18, CHAINS = 12, PEAK_SAMPLES = 5 };

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
    for (int r = 0; r < STEPS; r++) {
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
    for (int r = 0; r < STEPS; r++) {
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
    const double flops = 2.0 * (double)((wide ? 16 : 8) * CHAINS) * (double)STEPS;
    double best = 0;
    volatile float sink = 0;
    for (int i = 0; i < PEAK_SAMPLES; i++) {
        double start = seconds();
        sink = sink + (wide ? run_512() : run_256());
        double rate = flops / (seconds() - start) / 1e9;
        best = rate > best ? rate : best;
    }
    return best;
}

/* --- memory and cores ------------------------------------------------------------------------- */

enum { BLOCK = 512, HUGE_PAGE = 2 << 20 };

__attribute__((target("avx512f"), noinline)) static int64_t sum_512(const char *p, size_t blocks)
{
    __m512i sum[8];
    for (int i = 0; i < 8; i++)
        sum[i] = _mm512_setzero_si512();
    for (size_t b = 0; b < blocks; b++, p += BLOCK) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            sum[i] = _mm512_add_epi64(sum[i], _mm512_load_si512(p + 64 * i));
    }
    for (int i = 1; i < 8; i++)
        sum[0] = _mm512_add_epi64(sum[0], sum[i]);
    return _mm512_reduce_add_epi64(sum[0]);
}

__attribute__((target("avx2"), noinline)) static int64_t sum_256(const char *p, size_t blocks)
{
    __m256i sum[8];
    for (int i = 0; i < 8; i++)
        sum[i] = _mm256_setzero_si256();
    for (size_t b = 0; b < 2 * blocks; b++, p += BLOCK / 2) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            sum[i] = _mm256_add_epi64(sum[i], _mm256_load_si256((const __m256i *)p + i));
    }
    for (int i = 1; i < 8; i++)
        sum[0] = _mm256_add_epi64(sum[0], sum[i]);
    int64_t lanes[4];
    _mm256_storeu_si256((__m256i *)lanes, sum[0]);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

static void read_part(void *context, size_t part)
{
    const bench_reader *r = context;
    const size_t parts = r->pool != NULL ? pthreadpool_get_threads_count(r->pool) : 1;
    const size_t blocks = r->bytes / BLOCK, first = blocks * part / parts;
    const char *p = (const char *)r->data + first * BLOCK;
    const size_t n = blocks * (part + 1) / parts - first;
    volatile int64_t sink = __builtin_cpu_supports("avx512f") ? sum_512(p, n) : sum_256(p, n);
    (void)sink;
}

void bench_read(void *reader)
{
    bench_reader *r = reader;
    if (r->pool == NULL)
        read_part(r, 0);
    else
        pthreadpool_parallelize_1d(r->pool, read_part, r, pthreadpool_get_threads_count(r->pool),
                                   0);
}

void bench_reader_open(bench_reader *out, size_t bytes, unsigned threads)
{
    const size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    *out = (bench_reader){.bytes = bytes / BLOCK * BLOCK, .data = aligned_alloc(HUGE_PAGE, whole)};
    if (out->data == NULL)
        bench_die("no memory");
    madvise(out->data, whole, MADV_HUGEPAGE);
    memset(out->data, 1, whole);
    out->pool = threads > 1 ? pthreadpool_create(threads) : NULL;
}

void bench_reader_close(bench_reader *reader)
{
    pthreadpool_destroy(reader->pool);
    free(reader->data);
}

/* --- from core to core --- */

enum { LAST = -1 };

/* Answers each odd number with the next one. */
static void *answer(void *word)
{
    atomic_int *w = word;
    for (;;) {
        const int seen = atomic_load(w);
        if (seen == LAST)
            return NULL;
        if (seen % 2 != 0)
            atomic_store(w, seen + 1);
    }
}

double bench_handover_ns(void)
{
    enum { ROUNDS = 2000, SAMPLES = 21 };
    _Alignas(128) atomic_int word;
    double samples[SAMPLES];
    pthread_t other;
    int next = 0;
    atomic_init(&word, next);
    if (pthread_create(&other, NULL, answer, &word) != 0)
        bench_die("no thread");
    for (int s = -1; s < SAMPLES; s++) { /* the first waits for the other thread to begin */
        const double start = bench_now_ns();
        for (int i = 0; i < (s < 0 ? 1 : ROUNDS); i++) {
            atomic_store(&word, next + 1);
            next += 2;
            while (atomic_load(&word) != next)
                continue;
        }
        if (s >= 0)
            samples[s] = (bench_now_ns() - start) / (2 * ROUNDS);
    }
    atomic_store(&word, LAST);
    pthread_join(other, NULL);
    return bench_median(samples, SAMPLES);
}

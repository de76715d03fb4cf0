/* Measured rates of the machine, the references for figures: multiply-adds for products, and
 * reading memory for one-row products, which read each weight once. */
#ifndef BENCH_RATES_H
#define BENCH_RATES_H

#include <stddef.h>

/* GFLOP/s of independent fused multiply-adds on float32 vectors of the widest kind this CPU has, on
 * one core. Takes about 20 ms. */
double bench_peak_gflops(void);

/* Bytes in 2 MiB pages where the system gives them, all of them touched. */
typedef struct bench_reader {
    void *data;
    size_t bytes;
    struct pthreadpool *pool; /* NULL: one thread */
} bench_reader;

void bench_reader_open(bench_reader *out, size_t bytes, unsigned threads);
void bench_reader_close(bench_reader *reader);
/* Reads all bytes once, each thread a contiguous part: for bench_side. */
void bench_read(void *reader);

/* Nanoseconds in which what one core wrote reaches another: cores that share a cache take some 30,
 * others several times that, and two threads that hand data on pay it for every line. The cores of
 * a virtual machine move between the two. */
double bench_handover_ns(void);

#endif

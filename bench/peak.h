/* The measured multiply-add rate of one core, the reference for matmul figures. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

/* GFLOP/s of independent fused multiply-adds on float32 vectors of the widest kind this CPU has.
 * Takes about 20 ms. */
double bench_peak_gflops(void);

#endif

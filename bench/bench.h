/* Shared by the measuring programs: a clock, interleaved samples, executables, rows of the table.
 *
 * A program of bench/ prints each figure as one row, a JSON object on a line of its own:
 *
 *     {"name": "gemm 7x768x768", "threads": 1, "unit": "us", "rlx": 81.2,
 *      "peer": "oneDNN packed", "peer_value": 80.1, "ratio": 1.014, "note": "max difference 2e-6"}
 *
 * "peer", "peer_value", "ratio", "waited" and "note" are left out where there is none. bench/run.py
 * gathers the rows of all programs, sets the bars of bench/bars.txt beside them by name and
 * threads, and writes table and results. These programs are no libraries: a failure prints and ends
 * the process.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <rlx/rlx.h>

/* --- rows --- */

typedef struct bench_row {
    const char *name;
    int threads;
    const char *unit;
    double rlx;        /* in |unit| */
    const char *peer;  /* NULL: none */
    double peer_value; /* in |unit| */
    double ratio;      /* rlx to peer; 0: none */
    double waited;     /* of bench_side */
    const char *note;  /* may be NULL */
} bench_row;

void bench_print_row(const bench_row *row);
RLX_PRINTF(1, 2) _Noreturn void bench_die(const char *format, ...);

/* --- samples --- */

double bench_now_ns(void);
/* Sorts |values|; 0 if there are none. */
double bench_median(double *values, uint32_t n);

typedef struct bench_side {
    void (*call)(void *user);
    void *user;
    double median_ns; /* set: of a call */
    double ratio;  /* set: median over the repetitions of this side's time to that of the first */
    double waited; /* set: share of the time that threads of this process waited for a core */
} bench_side;

enum { BENCH_MAX_REPETITIONS = 64, BENCH_MAX_SIDES = 8 };

typedef struct bench_plan {
    uint32_t repetitions; /* of each side */
    double sample_ms;     /* least length of a sample: calls are repeated until then */
    double budget_ms;     /* for all: repetitions are cut to fit, to no fewer than 5; 0: none */
    double pause_ms; /* before each sample, and longer while other threads of this process run */
    bool keeps_all;  /* repetitions that other processes disturb count too */
} bench_plan;

/* Takes one sample of each side in turn, |repetitions| times, reversing the order each time. The
 * first call of a sample, and a sixteenth as many as it has, is not counted unless one call fills a
 * sample. A temporary load affects all sides of a repetition, which is why ratios are computed for
 * each repetition. Medians are over the third of the repetitions, and no fewer than 5, in which
 * this process's threads waited least for a core, as the kernel counts it (schedstat): what others
 * did to the rest is no figure of ours, unless the plan keeps all. Samples are shorter than a time
 * slice for the same reason. */
void bench_interleave(bench_side *sides, uint32_t n, const bench_plan *plan);

/* Returns after |pause_ms| or later, when no other thread of this process runs: workers may spin
 * for long after a call in wait of the next one (ONNX Runtime's for 40 ms, OpenBLAS's for 25), on
 * the core that the other side's workers need. */
void bench_wait_for_sleep(double pause_ms);

/* RLX_BENCH_QUICK=1 in the environment: few and short samples. */
bench_plan bench_default_plan(void);
bool bench_is_quick(void);

/* --- executables --- */

typedef struct bench_program {
    rlx_executable *exe;
    rlx_vm *vm;
    uint64_t allocations; /* counted from the start */
    rlx_allocator allocator;
} bench_program;

/* |p| must not move until it is closed: the allocator points into it. */
void bench_open(bench_program *p, const char *path, uint32_t threads);
void bench_close(bench_program *p);
/* A tensor of float32 values that |seed| determines, in [-1, 1), or of zeros of any other type. */
rlx_value bench_tensor(rlx_dtype dtype, uint32_t ndim, const int64_t *dims, uint64_t seed);
enum { BENCH_MAX_NDIM = 8 };
/* The dimensions in |text|, "1,n,768", with |n| in the place of n; returns their number. */
uint32_t bench_parse_dims(const char *text, int64_t n, int64_t out[BENCH_MAX_NDIM]);
/* The caller releases the result. */
rlx_value bench_invoke(bench_program *p, const char *function, const rlx_value *args, uint32_t n);

/* A call with its arguments in place, for bench_side: runs it and releases the result. */
typedef struct bench_invocation {
    bench_program *program;
    uint32_t function; /* index */
    rlx_value args[8];
    uint32_t n_args;
} bench_invocation;

bench_invocation bench_invocation_of(bench_program *p, const char *function);
void bench_run_invocation(void *invocation);
void bench_release_args(bench_invocation *invocation);

#endif

/* Private to vm/threads.c: decides whether to run loops in parallel, from the times of recent ones.
 *
 * A parallel loop returns only when every worker of the pool has checked in. On a busy machine a
 * worker may wait milliseconds for a core, and the loop waits with it, even if the other workers
 * finished its share: it then takes many times as long as on one thread. The time that parallel
 * loops have saved is therefore kept as a credit. A slow loop uses it up; while it is negative,
 * loops run on the caller's thread, for many times as long as was lost. An occasional slow loop
 * does not matter if parallel loops have saved more. */
#ifndef RLXV_PARALLEL_BACKOFF_H
#define RLXV_PARALLEL_BACKOFF_H

#include <stdint.h>

typedef struct rlxv_parallel_backoff { /* times in nanoseconds of a steady clock */
    int64_t last_loop;                 /* start of the last loop that could have been parallel */
    int64_t saved;
    int64_t alone_until;
} rlxv_parallel_backoff;

typedef enum rlxv_parallel_backoff_now {
    RLXV_ALONE, /* on the caller's thread */
    RLXV_APART, /* in parallel; workers may sleep, so the loop must be worth waking them */
    RLXV_CLOSE, /* in parallel, soon after another: workers should spin in between */
} rlxv_parallel_backoff_now;

/* Before the first loop. Start with 50 ms of credit, so that worker start-up does not disable
 * threading. */
#define RLXV_PARALLEL_BACKOFF_NEW ((rlxv_parallel_backoff){.saved = 50000000})

/* Decides how a loop that starts now runs. */
rlxv_parallel_backoff_now rlxv_parallel_backoff_begin(rlxv_parallel_backoff *p, int64_t now);

/* Records a parallel loop that returns now; |saved|: the time of its shares run serially minus its
 * own time, possibly negative. */
void rlxv_parallel_backoff_end(rlxv_parallel_backoff *p, int64_t now, int64_t saved);

#endif

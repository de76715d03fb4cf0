/* Private to vm/threads.c: whether parallel loops pay at the moment, by how the last ones went.
 *
 * A loop returns when every worker of the pool has looked at it. One that gets no core, as others
 * keep them all busy, is waited for until the system's scheduler lets it run, for milliseconds,
 * however soon the others did its share: the loop takes many times what it would take alone. So an
 * account is kept of what loops save by running in parallel. When it is overdrawn they run on their
 * callers' threads, for many times as long as what was lost, which is then a small part of all the
 * time. A wait now and then changes nothing, where loops have saved more than it took. */
#ifndef RLXV_PACE_H
#define RLXV_PACE_H

#include <stdint.h>

typedef struct rlxv_parallel_backoff { /* times in nanoseconds of a steady clock */
    int64_t last_loop;                 /* when the last loop began that could have been parallel */
    int64_t saved;
    int64_t alone_until;
} rlxv_parallel_backoff;

typedef enum rlxv_parallel_backoff_now {
    RLXV_ALONE, /* on the caller's thread */
    RLXV_APART, /* in parallel; workers may sleep: it takes time to wake them, which must pay */
    RLXV_CLOSE, /* in parallel, close after another: workers had better spin in between */
} rlxv_parallel_backoff_now;

/* No loop yet. The first may wait for threads that are just starting, which says nothing of others:
 * the account begins with as much. */
#define RLXV_PACE_NEW ((rlxv_parallel_backoff){.saved = 50000000})

/* How a loop should run that begins now. */
rlxv_parallel_backoff_now rlxv_parallel_backoff_begin(rlxv_parallel_backoff *p, int64_t now);

/* A parallel loop returns now, after |saved| less than its shares take one after the other; less
 * than 0: after more. */
void rlxv_parallel_backoff_end(rlxv_parallel_backoff *p, int64_t now, int64_t saved);

#endif

/* When loops run in parallel (parallel_backoff.h). Callers pass the time in, so that tests can set
 * it. */
#include "vm/parallel_backoff.h"

#define MS INT64_C(1000000) /* nanoseconds */

/* Workers still spin this long after a loop. */
static const int64_t CLOSE = MS / 2;
/* Cap of the credit: enough for a few slow loops. */
static const int64_t MOST_SAVED = 100 * MS;
/* Waking sleeping workers takes about 0.04 ms. */
static const int64_t MOST_DEBT = MS / 5;
/* How long to stay on one thread: so many times the debt, and at most so long. */
static const int64_t PAUSE = 32, MOST_PAUSE = 500 * MS;

rlxv_parallel_backoff_now rlxv_parallel_backoff_begin(rlxv_parallel_backoff *p, int64_t now)
{
    int64_t last = p->last_loop;
    p->last_loop = now;
    if (now < p->alone_until)
        return RLXV_ALONE;
    return now - last < CLOSE ? RLXV_CLOSE : RLXV_APART;
}

void rlxv_parallel_backoff_end(rlxv_parallel_backoff *p, int64_t now, int64_t saved)
{
    p->saved = saved < MOST_SAVED - p->saved ? p->saved + saved : MOST_SAVED;
    if (p->saved >= -MOST_DEBT)
        return;
    p->alone_until = now + (p->saved > -MOST_PAUSE / PAUSE ? -p->saved * PAUSE : MOST_PAUSE);
    p->saved = 0;
}

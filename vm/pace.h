/* Private to vm/threads.c: whether parallel loops pay at the moment, by how the last ones went.
 *
 * A loop returns when every worker of the pool has looked at it. One that gets no core, as others
 * keep them all busy, is waited for until the system's scheduler lets it run, for milliseconds,
 * however soon the others did its share: the loop takes many times what it would take alone. After
 * such a wait loops run on their callers' threads for many times as long as it took, so that waits
 * are never more than a small part of the time. */
#ifndef RLXV_PACE_H
#define RLXV_PACE_H

#include <stdint.h>

typedef struct rlxv_pace { /* zeroed: no loop yet; times in microseconds of a steady clock */
    int64_t last_loop;     /* when the last loop began that could have been parallel */
    int64_t alone_until;
} rlxv_pace;

typedef enum rlxv_pace_now {
    RLXV_ALONE, /* on the caller's thread */
    RLXV_APART, /* in parallel; workers may sleep: it takes time to wake them, which must pay */
    RLXV_CLOSE, /* in parallel, close after another: workers had better spin in between */
} rlxv_pace_now;

/* How a loop should run that begins now. */
rlxv_pace_now rlxv_pace_begin(rlxv_pace *p, int64_t now);

/* A parallel loop returns now; its last share was done at |done|. */
void rlxv_pace_end(rlxv_pace *p, int64_t done, int64_t now);

#endif

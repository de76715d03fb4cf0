/* When loops run in parallel; see pace.h. Keeps no clock, so that its tests are told the time. */
#include "vm/pace.h"

enum {
    CLOSE_US = 500, /* workers spin for longer than that before they sleep */
    WAIT_US = 200,  /* waking a sleeping worker takes some 40 */
    PAUSE = 32,     /* times the wait, which is then a small part of all the time */
    MOST_PAUSE_US = 2000000
};

rlxv_pace_now rlxv_pace_begin(rlxv_pace *p, int64_t now)
{
    int64_t last = p->last_loop;
    p->last_loop = now;
    if (now < p->alone_until)
        return RLXV_ALONE;
    return now - last < CLOSE_US ? RLXV_CLOSE : RLXV_APART;
}

void rlxv_pace_end(rlxv_pace *p, int64_t done, int64_t now)
{
    int64_t wait = now - done;
    if (wait >= WAIT_US)
        p->alone_until = now + (wait < MOST_PAUSE_US / PAUSE ? wait * PAUSE : MOST_PAUSE_US);
}

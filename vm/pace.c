/* When loops run in parallel; see pace.h. Keeps no clock, so that its tests are told the time. */
#include "vm/pace.h"

#include <stdbool.h>

enum {
    CLOSE_US = 500,  /* workers spin for longer than that before they sleep */
    WAIT_US = 500,   /* waking a sleeping worker takes some 40 */
    PAUSE_US = 2000, /* at first */
    MOST_PAUSE_US = 1 << 20,
    SOON_US = 100000
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
    if (now - done < WAIT_US)
        return;
    bool soon = p->pause > 0 && now - p->alone_until < (p->pause > SOON_US ? p->pause : SOON_US);
    p->pause = !soon ? PAUSE_US : p->pause < MOST_PAUSE_US / 2 ? p->pause * 2 : MOST_PAUSE_US;
    p->alone_until = now + p->pause;
}

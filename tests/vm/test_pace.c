/* When loops run in parallel: loops close to each other, apart, and after waits for a worker that
   got no core. Times are made up, in microseconds. */
#include "../support/rlx_test.h"
#include "vm/pace.h"

enum { START = 1000000 };

/* A loop in parallel whose last share is done after 50 and that then waits for |wait|; returns when
 * the next may begin. */
static int64_t loop(rlxv_pace *p, int64_t now, int64_t wait)
{
    cr_expect_neq(rlxv_pace_begin(p, now), RLXV_ALONE, "at %lld", (long long)now);
    rlxv_pace_end(p, now + 50, now + 50 + wait);
    return now + 50 + wait;
}

/* How long after |now| loops stay on their callers' threads, which ask every 10. */
static int64_t pause_after(rlxv_pace *p, int64_t now)
{
    int64_t pause = 0;
    while (pause < 10000000 && rlxv_pace_begin(p, now + pause) == RLXV_ALONE)
        pause += 10;
    return pause;
}

RLX_TEST(pace, workers_spin_between_loops_that_are_close)
{
    rlxv_pace p = {0};
    cr_expect_eq(rlxv_pace_begin(&p, START), RLXV_APART);
    cr_expect_eq(rlxv_pace_begin(&p, START + 100), RLXV_CLOSE);
    cr_expect_eq(rlxv_pace_begin(&p, START + 200), RLXV_CLOSE);
    cr_expect_eq(rlxv_pace_begin(&p, START + 200 + 10000), RLXV_APART);
}

RLX_TEST(pace, waking_a_worker_is_no_wait)
{
    rlxv_pace p = {0};
    int64_t now = START;
    for (int i = 0; i < 1000; i++)
        now = loop(&p, now, 100);
}

RLX_TEST(pace, waits_are_a_small_part_of_the_time)
{
    static const int64_t waits[] = {400, 4000, 50000};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        rlxv_pace p = {0};
        int64_t now = START, pause = 0;
        for (int k = 0; k < 5; k++, now += pause) {
            now = loop(&p, now, waits[i]);
            pause = pause_after(&p, now);
            cr_expect_geq(pause, 30 * waits[i]);
        }
        cr_expect_leq(pause, 34 * waits[i], "loops run in parallel again");
    }
}

RLX_TEST(pace, pauses_end)
{
    rlxv_pace p = {0};
    int64_t now = loop(&p, START, INT64_MAX / 2);
    cr_expect_leq(pause_after(&p, now), 3000000);
}

/* When loops run in parallel: loops in close succession, loops far apart, and machines whose cores
 * are busy. Times are simulated, in nanoseconds. */
#include "../support/rlx_test.h"
#include "vm/parallel_backoff.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define START (1000 * MS)

/* Runs a loop in parallel with two shares of 50 us, then waits |wait| for workers; returns when the
 * next loop may begin. */
static int64_t loop(rlxv_parallel_backoff *p, int64_t now, int64_t wait)
{
    cr_expect_neq(rlxv_parallel_backoff_begin(p, now), RLXV_ALONE, "at %lld", (long long)now);
    rlxv_parallel_backoff_end(p, now + 50 * US + wait, 50 * US - wait);
    return now + 50 * US + wait;
}

/* How long after |now| loops stay on the calling thread, probed every 10 us. */
static int64_t pause_after(rlxv_parallel_backoff *p, int64_t now)
{
    int64_t pause = 0;
    while (pause < 10000 * MS && rlxv_parallel_backoff_begin(p, now + pause) == RLXV_ALONE)
        pause += 10 * US;
    return pause;
}

RLX_TEST(parallel_backoff, workers_spin_between_loops_that_are_close)
{
    rlxv_parallel_backoff p = RLXV_PARALLEL_BACKOFF_NEW;
    cr_expect_eq(rlxv_parallel_backoff_begin(&p, START), RLXV_APART);
    cr_expect_eq(rlxv_parallel_backoff_begin(&p, START + 100 * US), RLXV_CLOSE);
    cr_expect_eq(rlxv_parallel_backoff_begin(&p, START + 200 * US), RLXV_CLOSE);
    cr_expect_eq(rlxv_parallel_backoff_begin(&p, START + 10 * MS), RLXV_APART);
}

RLX_TEST(parallel_backoff, waking_a_worker_is_worth_it)
{
    rlxv_parallel_backoff p = RLXV_PARALLEL_BACKOFF_NEW;
    int64_t now = loop(&p, START, 100 * US);
    for (int i = 0; i < 1000; i++)
        now = loop(&p, now, i % 20 ? 5 * US : 200 * US);
}

RLX_TEST(parallel_backoff, losses_are_a_small_part_of_the_time)
{
    static const int64_t waits[] = {400 * US, 4 * MS, 15 * MS};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        rlxv_parallel_backoff p = {0};
        int64_t now = START, pause = 0;
        for (int k = 0; k < 5; k++, now += pause) {
            now = loop(&p, now, waits[i]);
            pause = pause_after(&p, now);
            cr_expect_geq(pause, 30 * (waits[i] - 50 * US));
        }
        cr_expect_leq(pause, 33 * waits[i], "loops run in parallel again");
    }
}

RLX_TEST(parallel_backoff, threads_may_take_time_to_start)
{
    rlxv_parallel_backoff p = RLXV_PARALLEL_BACKOFF_NEW;
    loop(&p, loop(&p, START, 45 * MS), 0);
}

RLX_TEST(parallel_backoff, small_losses_add_up)
{
    rlxv_parallel_backoff p = RLXV_PARALLEL_BACKOFF_NEW;
    int64_t now = START;
    for (int i = 0; i < 100000 && p.alone_until == 0; i++)
        now = loop(&p, now, 51 * US);
    cr_expect_gt(pause_after(&p, now), 0);
}

RLX_TEST(parallel_backoff, a_wait_costs_threads_nothing_that_have_saved_more)
{
    rlxv_parallel_backoff p = {0};
    int64_t now = START;
    for (int i = 0; i < 100; i++)
        now = loop(&p, now, 0);
    now = loop(&p, now, 4 * MS);
    loop(&p, now, 0);
}

RLX_TEST(parallel_backoff, old_savings_expire)
{
    rlxv_parallel_backoff p = RLXV_PARALLEL_BACKOFF_NEW;
    int64_t now = START;
    rlxv_parallel_backoff_end(&p, now, INT64_MAX / 2);
    for (int i = 0; i < 30; i++)
        now = rlxv_parallel_backoff_begin(&p, now) == RLXV_ALONE ? now : loop(&p, now, 4 * MS);
    cr_expect_gt(pause_after(&p, now), 0);
}

RLX_TEST(parallel_backoff, pauses_end)
{
    rlxv_parallel_backoff p = RLXV_PARALLEL_BACKOFF_NEW;
    int64_t now = loop(&p, START, INT64_MAX / 4);
    cr_expect_leq(pause_after(&p, now), 1000 * MS);
}

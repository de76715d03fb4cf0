/* Limits on the time of a forked child: of the processor's time, which other processes do not use
 * up, so that a test passes or fails alike on a busy machine. */
#ifndef RLX_TEST_LIMIT_H
#define RLX_TEST_LIMIT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RLX_TEST_PATIENCE = 20 }; /* a child that only waits may take this many times longer */

static inline void rlx_test_limit_time(unsigned seconds)
{
    signal(SIGALRM, SIG_DFL);
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
    alarm(RLX_TEST_PATIENCE * seconds);
}

/* Whether a child with this status has been ended by the limit. */
static inline bool rlx_test_was_late(int status)
{
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU);
}

#endif

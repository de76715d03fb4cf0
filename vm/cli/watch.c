/* --max-seconds: a thread that waits, raises the VM's cancel flag, and ends the process if the VM
 * does not poll it. */
#include "vm/cli/cli.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define GRACE 0.5 /* seconds from raising the flag to ending the process */

struct cli_watch {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t stopped;
    bool is_stopped;
    double seconds;
    struct timespec start;
    rlx_atomic_bool *cancel;
};

/* Waits until |after| seconds from the start; true if it was stopped before. */
static bool wait_until(cli_watch *w, double after)
{
    const double whole = floor(after), at = (after - whole) * 1e9 + (double)w->start.tv_nsec;
    const struct timespec until = {w->start.tv_sec + (time_t)whole + (at >= 1e9),
                                   (long)(at >= 1e9 ? at - 1e9 : at)};
    int rc = 0;
    while (!w->is_stopped && rc == 0)
        rc = pthread_cond_timedwait(&w->stopped, &w->mutex, &until);
    return w->is_stopped;
}

static void *watch(void *user)
{
    cli_watch *w = user;
    pthread_mutex_lock(&w->mutex);
    if (!wait_until(w, w->seconds)) {
        atomic_store(w->cancel, true);
        if (!wait_until(w, w->seconds + GRACE)) {
            cli_complain("stopped after %g seconds (--max-seconds), in the middle of a kernel or "
                         "while reading",
                         w->seconds);
            _exit(CLI_FAILED);
        }
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

cli_watch *cli_watch_start(double seconds, rlx_atomic_bool *cancel)
{
    pthread_condattr_t clock;
    sigset_t all, before;
    cli_watch *w = calloc(1, sizeof *w);
    if (!w) {
        cli_complain("out of memory");
        return NULL;
    }
    w->seconds = seconds;
    w->cancel = cancel;
    clock_gettime(CLOCK_MONOTONIC, &w->start);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->stopped, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&w->mutex, NULL);
    sigfillset(&all); /* signals are for the main thread: rlx/file.h */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&w->thread, NULL, watch, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed)
        return w;
    cli_complain("--max-seconds: no thread could be started");
    pthread_cond_destroy(&w->stopped);
    pthread_mutex_destroy(&w->mutex);
    free(w);
    return NULL;
}

void cli_watch_stop(cli_watch *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->mutex);
    w->is_stopped = true;
    pthread_cond_signal(&w->stopped);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->stopped);
    pthread_mutex_destroy(&w->mutex);
    free(w);
}

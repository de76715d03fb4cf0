/* Starts a pool of threads although the system may refuse some. pthreadpool ignores a thread that
 * cannot be started, and then waits for it forever. Starting all threads is therefore tried first,
 * which gives an error with a number at once. Other processes may take the free threads in between,
 * so the pool is made on a separate thread; if that does not finish, it is abandoned together with
 * the threads it started. */
#include "vm/vm_impl.h"

#include <errno.h>
#include <pthread.h>
#include <pthreadpool.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { GONE_SECONDS = 1, START_SECONDS = 10 };

/* --- trying ----------------------------------------------------------------------------------- */

typedef struct trial {
    pthread_t thread;
    pid_t id;
    pthread_mutex_t *held;
} trial;

static void *wait_for_all(void *user)
{
    trial *t = user;
    t->id = (pid_t)syscall(SYS_gettid);
    pthread_mutex_lock(t->held);
    pthread_mutex_unlock(t->held);
    return NULL;
}

static struct timespec seconds_from_now(int seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += seconds;
    return t;
}

/* A joined thread counts against the system's limits until the kernel has removed it. */
static void wait_until_gone(pid_t id, time_t until)
{
    while (syscall(SYS_tgkill, getpid(), id, 0) == 0 && seconds_from_now(0).tv_sec <= until)
        sched_yield();
}

/* How many of |n| threads can exist at once. */
static uint32_t try_threads(trial *trials, uint32_t n)
{
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    uint32_t started = 0;
    pthread_mutex_lock(&held);
    for (; started < n; started++) {
        trials[started].held = &held;
        if (pthread_create(&trials[started].thread, NULL, wait_for_all, &trials[started]) != 0)
            break;
    }
    pthread_mutex_unlock(&held);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(trials[i].thread, NULL);
    const time_t until = seconds_from_now(GONE_SECONDS).tv_sec;
    for (uint32_t i = 0; i < started; i++)
        wait_until_gone(trials[i].id, until);
    return started;
}

/* --- starting --------------------------------------------------------------------------------- */

/* From malloc, as it may outlive the host's allocator. */
typedef struct maker {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t made;
    uint32_t n;
    pthreadpool_t pool;
    bool is_made, is_left; /* abandoned: the maker's thread frees it */
} maker;

static void destroy(maker *m)
{
    pthread_cond_destroy(&m->made);
    pthread_mutex_destroy(&m->mutex);
    free(m);
}

static void *make_pool(void *user)
{
    maker *m = user;
    pthreadpool_t pool = pthreadpool_create(m->n);
    pthread_mutex_lock(&m->mutex);
    m->pool = pool;
    m->is_made = true;
    const bool is_left = m->is_left;
    pthread_cond_signal(&m->made);
    pthread_mutex_unlock(&m->mutex);
    if (is_left) {
        pthreadpool_destroy(pool); /* NULL is ignored */
        destroy(m);
    }
    return NULL;
}

/* Waits for the maker and frees it. False if it does not finish. */
static bool take_pool(maker *m, pthreadpool_t *out)
{
    const struct timespec until = seconds_from_now(START_SECONDS);
    pthread_mutex_lock(&m->mutex);
    while (!m->is_made && pthread_cond_timedwait(&m->made, &m->mutex, &until) != ETIMEDOUT)
        continue;
    const bool is_made = m->is_made;
    m->is_left = !is_made;
    const pthread_t thread = m->thread;
    pthread_mutex_unlock(&m->mutex);
    if (!is_made) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    *out = m->pool;
    destroy(m);
    return true;
}

static rlx_status refused(uint32_t n, uint32_t started, rlx_error *err)
{
    return rlx_fail(err, RLX_E_LIMIT,
                    "%u threads: the system lets this process start only %u, and creating the pool "
                    "takes %u (limits of processes or memory)",
                    n, started, n);
}

/* The threads started here block all signals, which are for the host's own threads. */
rlx_status rlxv_start_pool(const rlx_allocator *a, uint32_t n, void **out, rlx_error *err)
{
    sigset_t all, before;
    pthread_condattr_t attributes;
    pthreadpool_t pool = NULL;
    trial *trials = rlx_alloc(a, n * sizeof *trials, _Alignof(trial));
    maker *m = malloc(sizeof *m);
    if (!trials || !m) {
        rlx_free(a, trials, n * sizeof *trials, _Alignof(trial));
        free(m);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while starting threads");
    }
    *m = (maker){.mutex = PTHREAD_MUTEX_INITIALIZER, .n = n};
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&m->made, &attributes);
    pthread_condattr_destroy(&attributes);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    uint32_t started = try_threads(trials, n); /* those of the pool but one, and the maker */
    bool fine = started == n && pthread_create(&m->thread, NULL, make_pool, m) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    rlx_free(a, trials, n * sizeof *trials, _Alignof(trial));
    if (!fine) {
        destroy(m);
        return refused(n, started < n ? started : n - 1, err);
    }
    if (!take_pool(m, &pool))
        return rlx_fail(err, RLX_E_LIMIT,
                        "%u threads: the system stopped starting them (limits of processes or "
                        "memory)",
                        n);
    *out = pool;
    return pool ? RLX_OK : rlx_fail(err, RLX_E_NOMEM, "out of memory while starting threads");
}

void rlxv_stop_pool(void *pool)
{
    pthreadpool_destroy(pool);
}

void rlxv_run_in_pool(void *pool, void (*run)(void *user, size_t i), void *user, size_t n,
                      bool workers_yield)
{
    pthreadpool_parallelize_1d(pool, run, user, n,
                               workers_yield ? PTHREADPOOL_FLAG_YIELD_WORKERS : 0);
}

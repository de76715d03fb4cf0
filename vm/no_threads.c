/* Replaces start_threads.c in a runtime built without pthreadpool (THREADPOOL=0): there are no
 * pools, and asking for one is an error. */
#include "vm/vm_impl.h"

rlx_status rlxv_start_pool(const rlx_allocator *a, uint32_t n, void **out, rlx_error *err)
{
    (void)a;
    (void)out;
    return rlx_fail(err, RLX_E_LIMIT, "%u threads: this library is built without a thread pool", n);
}

void rlxv_stop_pool(void *pool)
{
    (void)pool;
}

void rlxv_run_in_pool(void *pool, void (*run)(void *user, size_t i), void *user, size_t n,
                      bool workers_yield)
{
    (void)pool;
    (void)workers_yield;
    for (size_t i = 0; i < n; i++)
        run(user, i);
}

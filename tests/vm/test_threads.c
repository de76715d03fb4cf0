/* Worker threads for kernels' loops, shared between VMs: results are correct, and no more shares
 * run at once than there are threads. */
#include "../support/rlx_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { VMS = 4, SHARED = 2, CALLS = 60, LENGTH = 96 };

static atomic_int running, most_running, parallel_loops;

static int32_t negate_part(void *user, int64_t begin, int64_t end, rlx_kernel_context *worker)
{
    void *const *buffers = user;
    const float *from = buffers[0];
    float *to = buffers[1];
    int now = atomic_fetch_add(&running, 1) + 1, most = atomic_load(&most_running);
    while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now))
        continue;
    if (end - begin < LENGTH)
        atomic_fetch_add(&parallel_loops, 1);
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    float *scratch = worker->scratch_alloc(worker, LENGTH * 4, 64);
    for (int64_t i = begin; scratch && i < end; i++)
        scratch[i] = -from[i];
    for (int64_t i = begin; scratch && i < end; i++)
        to[i] = scratch[i];
    atomic_fetch_sub(&running, 1);
    return scratch == NULL;
}

static int32_t negate(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx)
{
    return ctx->parallel_for(ctx, negate_part, (void *)(uintptr_t)buffers, dims[0], 1);
}

typedef struct caller {
    rlx_executable *exe;
    rlx_vm_options options;
    int wrong;
} caller;

static void *call_often(void *user)
{
    caller *c = user;
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    int64_t n = LENGTH;
    if (rlx_vm_create(c->exe, &c->options, &vm, NULL) != RLX_OK ||
        rlx_tensor_create(NULL, RLX_F32, 1, &n, &x, NULL) != RLX_OK) {
        c->wrong = 1000;
        return NULL;
    }
    float *data = rlx_tensor_mutable_data(x);
    for (int k = 0; k < CALLS; k++) {
        rlx_value arg = rlx_of_tensor(x), out = rlx_none();
        for (int64_t i = 0; i < n; i++)
            data[i] = (float)(i + k);
        bool right = rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, NULL) == RLX_OK;
        for (int64_t i = 0; right && i < n; i++)
            right = ((const float *)rlx_tensor_data(out.as.tensor))[i] == -(float)(i + k);
        c->wrong += !right;
        rlx_value_release(out);
    }
    rlx_value_release(rlx_of_tensor(x));
    rlx_vm_destroy(vm);
    return NULL;
}

RLX_TEST(threads, vms_take_turns_with_shared_ones)
{
    rlx_executable *exe =
        rlx_test_load(t, ".kernel k0 \"t_shares\" dims 1 (float32[s0], out float32[s0])\n"
                         ".func \"main\" (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
                         "    new_tensor r1, float32, [s0]\n"
                         "    call_kernel k0, [s0], [r0, r1]\n"
                         "    ret r1\n}\n");
    rlx_registry *registry;
    rlx_threads *shared;
    pthread_t threads[VMS];
    caller callers[VMS];
    RLX_OKAY(rlx_registry_create(NULL, &registry, &t->error));
    RLX_OKAY(rlx_registry_add_kernel(registry, RLX_STR("t_shares"), negate, &t->error));
    RLX_OKAY(rlx_threads_create(NULL, SHARED, &shared, &t->error));
    for (int i = 0; i < VMS; i++) {
        callers[i] = (caller){.exe = exe};
        callers[i].options = (rlx_vm_options){.registry = registry, .shared_threads = shared};
        cr_assert_eq(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < VMS; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_eq(callers[i].wrong, 0, "VM %d: %d wrong calls", i, callers[i].wrong);
    }
    cr_expect_leq(atomic_load(&most_running), VMS + SHARED - 1);
    cr_expect_gt(atomic_load(&parallel_loops), 0, "no loop was split");
    rlx_threads_release(shared);
    rlx_registry_release(registry);
    rlx_executable_release(exe);
}

RLX_TEST(threads, a_vm_outlives_the_hosts_reference)
{
    rlx_executable *exe =
        rlx_test_load(t, ".func \"main\" () -> object {\n    load_const r0, true\n    ret r0\n}\n");
    rlx_threads *shared;
    rlx_vm *vm;
    rlx_value out;
    RLX_OKAY(rlx_threads_create(&t->allocator, 0, &shared, &t->error));
    rlx_vm_options options = {.allocator = &t->allocator, .shared_threads = shared};
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    rlx_threads_release(shared);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    cr_expect(out.as.i);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

/* --- threads that cannot be started ---------------------------------------------------------- */

enum { WANTED = 8, STARTED = 20, REFUSED, OTHER_ERROR, NO_LIMIT };

/* Runs in a child whose user may have |most| processes and threads. */
static void start_under_limit(uint32_t most)
{
    rlx_error err = {0};
    if (!rlx_test_limit_processes(most))
        _exit(NO_LIMIT);
    for (int i = 0; i < 5; i++) {
        rlx_threads *threads = NULL;
        const rlx_status status = rlx_threads_create(NULL, WANTED, &threads, &err);
        rlx_threads_release(threads);
        if (status != RLX_OK)
            _exit(status == RLX_E_LIMIT && strstr(err.message, "8 threads: the system lets")
                      ? REFUSED
                      : OTHER_ERROR);
    }
    _exit(STARTED);
}

RLX_TEST(threads, a_limit_of_processes_is_an_error)
{
    for (uint32_t most = 1; most <= 2 * WANTED; most++) {
        int status;
        pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0)
            start_under_limit(most);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFEXITED(status), "limit %u: ended by %#x", most, (unsigned)status);
        const int got = WEXITSTATUS(status);
        if (got == NO_LIMIT)
            return;
        cr_expect(got == REFUSED || got == STARTED, "limit %u gave %d", most, got);
        cr_expect(most > 1 || got == REFUSED, "8 threads were started where 1 may be");
    }
}

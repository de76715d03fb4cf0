/* Several compilers work in several threads at once.
 *
 * Code generation forks, and if another thread allocates at that moment, GCC 12's sanitizers leave
 * their allocator's locks held in the child, which then waits forever. AddressSanitizer's build
 * skips this test; in ThreadSanitizer's, what forks runs alone, and all else side by side. */
#include "tests/support/rlx_test.h"

#if !defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <string.h>

#include "rlx/compiler.h"
#include "rlx/vm.h"

enum { THREADS = 3, ROUNDS = 2 };

static const char MODEL[] = "@R.function\n"
                            "def main(x: R.Tensor((\"n\",), \"float32\")):\n"
                            "    y = R.exp(R.add(x, R.const(0.0, \"float32\")))\n"
                            "    return y\n";

#ifdef __SANITIZE_THREAD__
enum { FORKS_ALONE = true };
#else
enum { FORKS_ALONE = false };
#endif

static pthread_rwlock_t running = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t finished; /* a thread that ends frees memory */

static void begin(bool forks)
{
    if (FORKS_ALONE && forks)
        pthread_rwlock_wrlock(&running);
    else
        pthread_rwlock_rdlock(&running);
}

static void end(void)
{
    pthread_rwlock_unlock(&running);
}

static rlx_status compile_and_run(void)
{
    rlx_compiler *c = NULL;
    rlx_ir_module *m = NULL;
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    float data[2] = {0, 0};
    rlx_value result = rlx_none();
    begin(false);
    rlx_status status = rlx_compiler_create(NULL, &c, NULL);
    if (status == RLX_OK)
        status = rlx_compiler_parse(c, "m.py", MODEL, strlen(MODEL), &m, NULL);
    if (status == RLX_OK)
        status = rlx_ir_module_lower(m, NULL, NULL);
    end();
    begin(true);
    if (status == RLX_OK)
        status = rlx_ir_module_load(m, NULL, NULL, &exe, NULL);
    end();
    begin(false);
    rlx_compiler_destroy(c);
    if (status == RLX_OK)
        status = rlx_vm_create(exe, NULL, &vm, NULL);
    if (status == RLX_OK)
        status =
            rlx_tensor_wrap(NULL, RLX_F32, 1, (const int64_t[]){2}, data, NULL, NULL, &x, NULL);
    rlx_value argument = rlx_of_tensor(x);
    if (status == RLX_OK)
        status = rlx_vm_invoke(vm, RLX_STR("main"), &argument, 1, &result, NULL);
    if (status == RLX_OK && *(const float *)rlx_tensor_data(result.as.tensor) != 1)
        status = RLX_E_INTERNAL;
    rlx_value_release(result);
    rlx_value_release(argument);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    end();
    return status;
}

static void *work(void *out)
{
    rlx_status *status = out;
    for (int i = 0; i < ROUNDS && *status == RLX_OK; i++)
        *status = compile_and_run();
    pthread_barrier_wait(&finished);
    return NULL;
}

RLX_TEST(library_threads, compilers_work_side_by_side)
{
    pthread_t threads[THREADS];
    rlx_status status[THREADS] = {RLX_OK};
    (void)t;
    cr_assert_eq(pthread_barrier_init(&finished, NULL, THREADS), 0);
    begin(false); /* creating a thread allocates */
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &status[i]), 0);
    end();
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_eq(status[i], RLX_OK, "%s", rlx_status_name(status[i]));
    }
    pthread_barrier_destroy(&finished);
}
#endif

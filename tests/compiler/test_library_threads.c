/* Several compilers work in several threads at once.
 *
 * Skipped under AddressSanitizer: code generation forks, and if another thread allocates at that
 * moment, GCC 12's AddressSanitizer leaves its allocator's locks held in the child, which then
 * waits forever. The plain and ThreadSanitizer builds run this test. */
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

static rlx_status compile_and_run(void)
{
    rlx_compiler *c = NULL;
    rlx_ir_module *m = NULL;
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    float data[2] = {0, 0};
    rlx_value result = rlx_none();
    rlx_status status = rlx_compiler_create(NULL, &c, NULL);
    if (status == RLX_OK)
        status = rlx_compiler_parse(c, "m.py", MODEL, strlen(MODEL), &m, NULL);
    if (status == RLX_OK)
        status = rlx_ir_module_load(m, NULL, NULL, &exe, NULL);
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
    return status;
}

static void *work(void *out)
{
    rlx_status *status = out;
    for (int i = 0; i < ROUNDS && *status == RLX_OK; i++)
        *status = compile_and_run();
    return NULL;
}

RLX_TEST(library_threads, compilers_work_side_by_side)
{
    pthread_t threads[THREADS];
    rlx_status status[THREADS] = {RLX_OK};
    (void)t;
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &status[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_eq(status[i], RLX_OK, "%s", rlx_status_name(status[i]));
    }
}
#endif

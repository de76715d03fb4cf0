/* Real machine code in the native section. The C compiler that built this test makes each shared
 * object from a line of C. */
#include "native_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Builds an executable whose kernel "k" stores |value|; the object lacks "k" if |symbol| is another
 * name. |native_file|, unless NULL, keeps the object. */
static rlx_status load_storing(rlx_test *t, const char *folder, int value, const char *symbol,
                               const char *native_file, rlx_executable **out)
{
    char source[160];
    rlx_load_options options = {
        .allocator = &t->allocator, .trust_native = true, .native_file = native_file};
    snprintf(source, sizeof source,
             "int %s(void *const *b, const long *d, void *c)"
             "{ (void)d; (void)c; *(int *)b[0] = %d; return 0; }\n",
             symbol, value);
    image m = native_image(t, folder, source);
    rlx_status status = rlx_executable_load_memory(m.data, m.size, &options, out, &t->error);
    image_free(t, &m);
    return status;
}

RLX_TEST(native, kernels_of_two_executables_stay_apart)
{
    char folder[] = "/tmp/rlx-test-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    rlx_executable *exe[3];
    rlx_value out;
    RLX_OKAY(load_storing(t, folder, 11, "k", NULL, &exe[0]));
    RLX_OKAY(load_storing(t, folder, 22, "k", NULL, &exe[1]));
    rlx_executable_release(exe[0]);
    RLX_OKAY(load_storing(t, folder, 33, "k", NULL, &exe[2]));
    for (int i = 1; i < 3; i++) {
        rlx_kernel_info info;
        cr_expect(rlx_executable_kernel(exe[i], 0, &info) && info.resolved);
        rlx_vm *vm = rlx_test_vm(t, exe[i]);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
        cr_expect_eq(*(const int *)rlx_tensor_data(out.as.tensor), 11 * (i + 1));
        rlx_value_release(out);
        rlx_vm_destroy(vm);
        rlx_executable_release(exe[i]);
    }
    RLX_FAILS(load_storing(t, folder, 1, "other", NULL, &exe[0]), RLX_E_INVALID_MODULE,
              "lacks the symbol 'k'");
    rmdir(folder);
}

RLX_TEST(native, kernels_are_kept_in_a_file_where_asked)
{
    char folder[] = "/tmp/rlx-test-XXXXXX", kept[64], nowhere[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(kept, sizeof kept, "%s/kept.so", folder);
    snprintf(nowhere, sizeof nowhere, "%s/no/kept.so", folder);
    rlx_executable *exe[2];
    /* The second file replaces the first, which is still running. */
    for (int i = 0; i < 2; i++)
        RLX_OKAY(load_storing(t, folder, i + 1, "k", kept, &exe[i]));
    for (int i = 0; i < 2; i++) {
        rlx_value out;
        rlx_vm *vm = rlx_test_vm(t, exe[i]);
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
        cr_expect_eq(*(const int *)rlx_tensor_data(out.as.tensor), i + 1);
        rlx_value_release(out);
        rlx_vm_destroy(vm);
        rlx_executable_release(exe[i]);
    }
    cr_expect_eq(access(kept, R_OK), 0);
    unlink(kept);
    RLX_FAILS(load_storing(t, folder, 1, "k", nowhere, &exe[0]), RLX_E_NOT_FOUND,
              "cannot write the kernels");
    rmdir(folder);
}

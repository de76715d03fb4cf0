/* Plugins of the runtime (rlx/vm.h), and examples/plugin's: its programs are bytes of a file. */
#include "tests/support/rlx_test.h"

#include <stdio.h>
#include <string.h>

static rlx_registry *with_tally(rlx_test *t)
{
    rlx_registry *r = NULL;
    char path[300];
    cr_assert(rlx_test_built("tally_runtime.so", path, sizeof path));
    RLX_OKAY(rlx_registry_create(&t->allocator, &r, &t->error));
    RLX_OKAY(rlx_registry_load_plugin(r, path, &t->error));
    return r;
}

RLX_TEST(plugin, what_is_none_is_told_by_name)
{
    rlx_registry *r = with_tally(t);
    char path[300];
    RLX_FAILS(rlx_registry_load_plugin(r, "/no/plugin.so", &t->error), RLX_E_NOT_FOUND,
              "/no/plugin.so");
    RLX_FAILS(rlx_registry_load_plugin(r, "libm.so.6", &t->error), RLX_E_NOT_FOUND,
              "the plugin (libm.so.6) lacks the function rlx_plugin_runtime");
    cr_assert(rlx_test_built("tally_runtime.so", path, sizeof path));
    RLX_FAILS(rlx_registry_load_plugin(r, path, &t->error), RLX_E_INVALID_ARG,
              "tally_runtime.so: the registry already has a loader for sections of kind 'tally'");
    rlx_registry_release(r);
}

/* main(x) = what the programs of |text| make of it by function p. */
static rlx_status run(rlx_test *t, rlx_registry *r, const char *text, int64_t n, float *out)
{
    char source[1024];
    rlx_vm *vm = NULL;
    rlx_value y = rlx_none();
    const rlx_vm_options options = {.allocator = &t->allocator, .registry = r};
    snprintf(source, sizeof source,
             ".module \"tally\" [ \"tally text\" text \"%s\" ]\n"
             ".func main (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
             "    new_tensor r1, float32, [s0]\n"
             "    call_packed r2, \"p\", [r0, r1]\n"
             "    ret r1\n}\n",
             text);
    rlx_executable *exe = rlx_test_load(t, source);
    rlx_value x = rlx_test_iota(t, 1, &n);
    rlx_status status = rlx_vm_create(exe, &options, &vm, &t->error);
    if (status == RLX_OK)
        status = rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &y, &t->error);
    if (status == RLX_OK)
        memcpy(out, rlx_tensor_data(y.as.tensor), (size_t)n * sizeof *out);
    rlx_value_release(x);
    rlx_value_release(y);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return status;
}

RLX_TEST(plugin, the_tally_runs_programs)
{
    enum { MOST = 130 };
    static const int64_t sizes[] = {0, 1, 63, 64, 65, MOST};
    /* y = min(x, 100) * 0.5 - x */
    static const char text[] =
        "program p 1 1\\nload 0 0\\nfill 1 42c80000\\nmin 1 0 1\\nfill 2 3f000000\\n"
        "mul 1 1 2\\nsub 7 1 0\\nstore 0 7\\nend\\n";
    rlx_registry *r = with_tally(t);
    float y[MOST];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        RLX_OKAY(run(t, r, text, sizes[i], y));
        for (int64_t k = 0; k < sizes[i]; k++)
            cr_expect_float_eq(y[k], (k < 100 ? (float)k : 100) * 0.5f - (float)k, 1e-6, "%d of %d",
                               (int)k, (int)sizes[i]);
    }
    rlx_registry_release(r);
}

RLX_TEST(plugin, damaged_programs_are_refused)
{
    static const char *const texts[] = {
        "program p 1 1\\n",                               /* no end */
        "program p 1 1\\nend\\n",                         /* a result is missing */
        "program p 1 1\\nload 0 0\\nstore 0 0\\nend",     /* the last line is cut */
        "program p 1 1\\nload 0 0\\nstore 0 0\\nend\\nx", /* bytes behind it */
        "program p 1 1\\nload 8 0\\nstore 0 8\\nend\\n",  /* row 8 of 0 to 7 */
        "program p 1 1\\nload -1 0\\nstore 0 0\\nend\\n", /* a negative row */
        "program p 1 1\\nload 0 1\\nstore 0 0\\nend\\n",  /* operand 1 of 1 */
        "program p 1 1\\nload 0 0\\nstore 1 0\\nend\\n",  /* result 1 of 1 */
        "program p 1 1\\nload 0 0\\nstore 0 1\\nend\\n",  /* nothing was put there */
        "program p 1 1\\nload 0 0\\nadd 1 0 2\\nstore 0 1\\nend\\n",
        "program p 1 1\\nload 0 0\\nadd 1 0 9\\nstore 0 1\\nend\\n",
        "program p 1 1\\nload 0 0\\nadd 1 0\\nstore 0 1\\nend\\n",   /* an operand is missing */
        "program p 1 1\\nload 0 0\\npow 1 0 0\\nstore 0 1\\nend\\n", /* no such instruction */
        "program p 0 1\\nfill 0 0\\nstore 0 0\\nend\\n",
        "program p 17 1\\nload 0 0\\nstore 0 0\\nend\\n",
        "program p 1 0\\nend\\n",
        "program p 1 -1\\nend\\n",
        "program p 1\\nend\\n",
        "tally\\n",
    };
    rlx_registry *r = with_tally(t);
    float y[4];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        t->error = (rlx_error){0};
        cr_expect_eq(run(t, r, texts[i], 4, y), RLX_E_INVALID_MODULE, "program %zu: %s", i,
                     t->error.message);
        cr_expect_str_eq(t->error.message, "section 0 (tally): tally: the section is damaged",
                         "program %zu: %s", i, t->error.message);
    }
    /* not the operands that it was compiled for */
    RLX_FAILS(run(t, r, "program p 2 1\\nload 0 1\\nstore 0 0\\nend\\n", 4, y), RLX_E_INVALID_ARG,
              "p has 2 operands and 1 results");
    rlx_registry_release(r);
}

/* Plugins of the compiler (rlx/compiler.h): the plugin of examples/plugin takes the regions that
 * fit into its scratch memory. */
#include <stdio.h>
#include <string.h>

#include "tests/compiler/library.h"

static rlx_compiler *with_tally(rlx_test *t)
{
    rlx_compiler *c = library_compiler(t);
    char path[300];
    cr_assert(rlx_test_built("tally_compiler.so", path, sizeof path));
    RLX_OKAY(rlx_compiler_load_plugin(c, path, &t->error));
    return c;
}

RLX_TEST(plugin, what_is_none_is_told_by_name)
{
    rlx_compiler *c = with_tally(t);
    char path[300];
    cr_assert(rlx_test_built("tally_compiler.so", path, sizeof path));
    RLX_FAILS(rlx_compiler_load_plugin(c, path, &t->error), RLX_E_INVALID_ARG,
              "tally_compiler.so: ");
    RLX_FAILS(rlx_compiler_load_plugin(c, "/no/plugin.so", &t->error), RLX_E_NOT_FOUND,
              "/no/plugin.so");
    RLX_FAILS(rlx_compiler_load_plugin(c, "libm.so.6", &t->error), RLX_E_NOT_FOUND,
              "the plugin (libm.so.6) lacks the function rlx_plugin_compiler");
    rlx_compiler_destroy(c);
}

/* Whether the tally takes a part of main, which has this body. */
static bool takes(rlx_test *t, const char *params, const char *body)
{
    char source[4096];
    void *data = NULL;
    size_t size = 0;
    rlx_compiler *c = with_tally(t);
    snprintf(source, sizeof source,
             "@I.ir_module\n"
             "class Module:\n"
             "    @R.function\n"
             "    def main(%s):\n"
             "        with R.dataflow():\n"
             "%s"
             "            R.output(z)\n"
             "        return z\n",
             params, body);
    rlx_ir_module *m = library_parse(t, c, source);
    RLX_OKAY(rlx_ir_module_emit(m, NULL, RLX_EMIT_BYTECODE, &data, &size, &t->error));
    const bool has_section = memmem(data, size, "\"tally text\"", 12) != NULL;
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
    return has_section;
}

RLX_TEST(plugin, regions_that_do_not_fit_are_the_cpus)
{
    static const char x[] = "x: R.Tensor((\"n\", 4), \"float32\")";
    cr_expect(takes(t, x, "            z = R.negative(x)\n"));
    cr_expect(takes(
        t, x,
        "            y = R.add(x, R.const(0.5, \"float32\"))\n            z = R.multiply(y, x)\n"));
    /* another type; a broadcast; a tensor of constants; no operator of it */
    cr_expect_not(
        takes(t, "x: R.Tensor((\"n\", 4), \"float64\")", "            z = R.negative(x)\n"));
    cr_expect_not(takes(t, "x: R.Tensor((\"n\", 4), \"float32\"), b: R.Tensor((4,), \"float32\")",
                        "            z = R.add(x, b)\n"));
    cr_expect_not(takes(t, "x: R.Tensor((2,), \"float32\")",
                        "            z = R.add(x, R.const([1.0, 2.0], \"float32\"))\n"));
    cr_expect_not(takes(t, x, "            z = R.exp(x)\n"));
}

/* |n| values, each made of the one before, all of which are alive until they are subtracted. */
static bool takes_sum(rlx_test *t, int n)
{
    char body[3000];
    size_t at = 0;
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(body + at, sizeof body - at, "            v%d = R.%s(%s%d)\n", i,
                               i % 2 ? "nn.relu" : "negative", i ? "v" : "x", i ? i - 1 : 0);
    for (int i = n - 2; i >= 0; i--)
        at += (size_t)snprintf(body + at, sizeof body - at,
                               "            s%d = R.subtract(v%d, %c%d)\n", i, i,
                               i == n - 2 ? 'v' : 's', i + 1);
    snprintf(body + at, sizeof body - at, "            z = R.negative(s0)\n");
    return takes(t, "x0: R.Tensor((\"n\", 4), \"float32\")", body);
}

RLX_TEST(plugin, scratch_memory_has_its_limit)
{
    cr_expect(takes_sum(t, 3));
    cr_expect(takes_sum(t, 8), "eight values are alive at once");
    cr_expect_not(takes_sum(t, 9), "a ninth row");
}

/* Which loops LLVM unrolls (compiler/codegen/llvm_unroll.c), found by counting the multiplications
 * in its text. */
#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "rlx/compiler.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/compiler/library.h"
#include "tests/support/rlx_test.h"

/* Multiplications in the optimised code of 3 x 3 taps around |turns| turns of |width| statements.
 */
static size_t multiplications(rlx_test *t, int turns, int width)
{
    char text[2048];
    kernel_fixture f;
    rlxc_native out;
    size_t n = 0;
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n"
             "    @T.prim_func\n"
             "    def f(X: T.Buffer((T.int64(100000),), \"float32\"), "
             "W: T.Buffer((T.int64(100000),), \"float32\"), "
             "Y: T.Buffer((T.int64(64),), \"float32\")):\n"
             "        T.func_attr({\"tir.noalias\": True})\n"
             "        for r, s, c in T.grid(3, 3, T.int64(%d)):\n"
             "            for m in T.unroll(%d):\n"
             "                Y[m] = Y[m] + X[m * 501 + r * 97 + s * 41 + c] * W[r * 907 + s * 301 "
             "+ c]\n",
             turns, width);
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, "x86-64-v3", text), "%s",
              rlxc_render_diagnostics(f.ctx));
    cr_assert(rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
    cr_assert(rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_LLVM, &out));
    for (const char *at = out.data; (at = strstr(at, " = fmul ")) != NULL; at++)
        n++;
    kernel_fixture_deinit(&f);
    return n;
}

RLX_TEST(unroll, loops_around_a_long_loop_stay_rolled)
{
    const size_t n = multiplications(t, 64, 2);
    cr_expect_lt(n, (size_t)24, "%zu multiplications: a copy for each tap", n);
}

RLX_TEST(unroll, short_nests_are_unrolled_whole)
{
    const size_t n = multiplications(t, 3, 1);
    cr_expect_gt(n, (size_t)9, "%zu multiplications", n);
}

/* Sums of 16 elements are vectors themselves: unrolled, LLVM vectorises over the keys instead,
 * whose elements it gathers one by one. */
RLX_TEST(unroll, one_query_of_small_heads_reads_keys_in_vectors)
{
    static const char text[] =
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(q: R.Tensor((1, \"m\", 4, 16), \"float32\"), "
        "k: R.Tensor((1, \"n\", 4, 16), \"float32\"), v: R.Tensor((1, \"n\", 4, 16), "
        "\"float32\")):\n"
        "        with R.dataflow():\n            y = R.nn.attention(q, k, v)\n"
        "            R.output(y)\n        return y\n";
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options o;
    void *data = NULL;
    size_t size = 0, n = 0;
    rlx_compile_options_init(&o);
    o.cpu = "x86-64-v3";
    RLX_OKAY(
        rlx_ir_module_emit(library_parse(t, c, text), &o, RLX_EMIT_LLVM, &data, &size, &t->error));
    for (const char *at = data, *end = at + size;
         (at = memmem(at, (size_t)(end - at), "insertelement", 13)) != NULL; at++)
        n++;
    cr_expect_lt(n, (size_t)400, "%zu elements are inserted into vectors", n);
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
}

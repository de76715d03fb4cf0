/* Parts of register tile loops that LLVM must not change, checked in its text: addresses of rows
 * (compiler/codegen/llvm_streams.c) and of sums (compiler/codegen/llvm_opaque.c), which its loop
 * strength reduction would rewrite, and the loop itself (compiler/codegen/llvm_unroll.c). */
#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

/* Occurrences of |what| in the optimised code of a tile of four rows whose sums add |term|. */
static size_t count(rlx_test *t, int level, const char *term, const char *what)
{
    char text[2048];
    kernel_fixture f;
    rlxc_native out;
    size_t n = 0;
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n"
             "    @T.prim_func\n"
             "    def f(X: T.Buffer((T.int64(64), T.int64(200)), \"float32\"), "
             "W: T.Buffer((T.int64(16), T.int64(800)), \"float32\"), "
             "Y: T.Buffer((T.int64(32),), \"float32\")):\n"
             "        T.func_attr({\"tir.noalias\": True})\n"
             "        for i in range(T.int64(16)):\n"
             "            for k in range(T.int64(100)):\n"
             "                for m in T.unroll(4):\n"
             "                    Y[T.Ramp(m * 8, 1, 8)] = Y[T.Ramp(m * 8, 1, 8)] + %s\n",
             term);
    cr_assert(kernel_fixture_parse(&f, &t->allocator, level, "x86-64-v3", text), "%s",
              rlxc_render_diagnostics(f.ctx));
    cr_assert(rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
    cr_assert(rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_LLVM, &out), "%s",
              rlxc_render_diagnostics(f.ctx));
    for (const char *at = out.data; (at = strstr(at, what)) != NULL; at++)
        n++;
    kernel_fixture_deinit(&f);
    return n;
}

static const char OPAQUE[] = "call ptr @llvm.strip.invariant", FROZEN[] = "= freeze i64 ";

RLX_TEST(streams, starts_of_rows_in_a_tile_are_opaque)
{
    const char *term = "T.Broadcast(X[i * 4 + m, k], 8) * W[i, T.Ramp(k * 8, 1, 8)]";
    cr_expect_eq(count(t, 2, term, OPAQUE), (size_t)2, "the panel; rows a constant apart are one");
    cr_expect_eq(count(t, 1, term, OPAQUE), (size_t)0, "without strength reduction");
}

RLX_TEST(streams, vectors_a_constant_apart_have_one_opaque_start)
{
    const char *apart = "X[i * 4 + m, T.Ramp(k, 1, 8)] * W[i, T.Ramp(k * 8, 1, 8)]";
    cr_expect_eq(count(t, 2, apart, OPAQUE), (size_t)1, "the rows of X");
    cr_expect_eq(count(t, 1, apart, OPAQUE), (size_t)0, "without strength reduction");
    const char *alone = "X[i, T.Ramp(k, 1, 8)] * W[i, T.Ramp(k * 8, 1, 8)]";
    cr_expect_eq(count(t, 2, alone, OPAQUE), (size_t)0, "one address of each");
}

RLX_TEST(streams, sums_of_outer_loops_are_frozen)
{
    const char *term = "X[(i * 7 + m) % 64, T.Ramp(k, 1, 8)] * W[i, T.Ramp(k * 8, 1, 8)]";
    cr_expect_gt(count(t, 2, term, FROZEN), (size_t)0);
    cr_expect_eq(count(t, 1, term, FROZEN), (size_t)0, "without strength reduction");
}

RLX_TEST(streams, loops_over_tiles_of_vectors_are_not_copied)
{
    const char *tile = "X[i * 4 + m, T.Ramp(k, 1, 8)] * W[i, T.Ramp(k * 8, 1, 8)]";
    cr_expect_eq(count(t, 2, tile, "= fmul "), (size_t)4, "one of each row");
}

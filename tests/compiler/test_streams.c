/* Loops of register tiles, whose addresses LLVM's loop strength reduction leaves alone
 * (compiler/codegen/llvm_streams.c), seen by the intrinsic in LLVM's text. */
#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

/* Starts of streams that are opaque, in the optimised code of a tile of four rows whose sums add
 * |term|. */
static size_t opaque_starts(rlx_test *t, int level, const char *term)
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
    for (const char *at = out.data; (at = strstr(at, "call ptr @llvm.strip.invariant")) != NULL;
         at++)
        n++;
    kernel_fixture_deinit(&f);
    return n;
}

RLX_TEST(streams, starts_of_rows_in_a_tile_are_opaque)
{
    const char *term = "T.Broadcast(X[i * 4 + m, k], 8) * W[i, T.Ramp(k * 8, 1, 8)]";
    cr_expect_eq(opaque_starts(t, 2, term), (size_t)2, "the panel; rows a constant apart are one");
    cr_expect_eq(opaque_starts(t, 1, term), (size_t)0, "without strength reduction");
}

RLX_TEST(streams, other_loops_are_left_to_llvm)
{
    const char *term = "X[i * 4 + m, T.Ramp(k, 1, 8)] * W[i, T.Ramp(k * 8, 1, 8)]";
    cr_expect_eq(opaque_starts(t, 2, term), (size_t)0, "vectors of both operands");
}

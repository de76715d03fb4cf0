/* What LLVM's text of kernels shows: which loops are unrolled (compiler/codegen/llvm_unroll.c),
 * which indices are divided, and parts of register tile loops that LLVM must not change: addresses
 * of rows (compiler/codegen/llvm_streams.c) and of sums (compiler/codegen/llvm_opaque.c), which its
 * loop strength reduction would rewrite. */
#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "rlx/compiler.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/compiler/library.h"
#include "tests/support/rlx_test.h"

/* How often |word| occurs. */
static size_t occurrences(const char *text, size_t size, const char *word)
{
    size_t n = 0;
    for (const char *at = text, *end = text + size;
         (at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL; at++)
        n++;
    return n;
}

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
    n = occurrences(out.data, strlen(out.data), " = fmul ");
    kernel_fixture_deinit(&f);
    return n;
}

RLX_TEST(llvm_text, loops_around_a_long_loop_stay_rolled)
{
    const size_t n = multiplications(t, 64, 2);
    cr_expect_lt(n, (size_t)24, "%zu multiplications: a copy for each tap", n);
}

RLX_TEST(llvm_text, short_nests_are_unrolled_whole)
{
    const size_t n = multiplications(t, 3, 1);
    cr_expect_gt(n, (size_t)9, "%zu multiplications", n);
}

/* Sums of 16 elements are vectors themselves: unrolled, LLVM vectorises over the keys instead,
 * whose elements it gathers one by one. */
RLX_TEST(llvm_text, one_query_of_small_heads_reads_keys_in_vectors)
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
    n = occurrences(data, size, "insertelement");
    cr_expect_lt(n, (size_t)400, "%zu elements are inserted into vectors", n);
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
}

/* --- divisions -------------------------------------------------------------------------------- */

typedef struct division_case {
    const char *a, *b; /* shapes of the operands of a product */
    bool divides;      /* by variables */
} division_case;

/* Divides the elements of a product of two operands only where |row| says so, and never with care
 * for the signs of an index and a dimension. */
static void check_divisions(rlx_test *t, const division_case *row)
{
    char text[500];
    rlx_compiler *c = library_compiler(t);
    rlx_compile_options o;
    void *data = NULL;
    size_t size = 0;
    snprintf(text, sizeof text,
             "@I.ir_module\nclass Module:\n    @R.function\n"
             "    def main(x: R.Tensor((%s), \"float32\"), y: R.Tensor((%s), \"float32\")):\n"
             "        with R.dataflow():\n            z = R.multiply(x, y)\n"
             "            R.output(z)\n        return z\n",
             row->a, row->b);
    rlx_compile_options_init(&o);
    o.cpu = "x86-64-v3";
    RLX_OKAY(
        rlx_ir_module_emit(library_parse(t, c, text), &o, RLX_EMIT_LLVM, &data, &size, &t->error));
    const size_t n = occurrences(data, size, "div i64 %") + occurrences(data, size, "rem i64 %");
    cr_expect_eq(n > 0, row->divides, "%s times %s: %zu", row->a, row->b, n);
    cr_expect_eq(occurrences(data, size, "llvm.abs.i64"), (size_t)0, "%s times %s", row->a, row->b);
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
}

RLX_TEST(llvm_text, indices_are_divided_only_where_they_must_be)
{
    static const division_case rows[] = {
        {"\"n\", 24", "\"n\", 24", false},
        {"1, \"n\", 24", "1, \"n\", 24", false},
        {"1, 1, \"n\", \"m\"", "1, 1, \"n\", \"m\"", false},
        {"1, \"n\", 24", "1, 1, 24", false},
        {"\"b\", \"h\", \"w\", 16", "\"b\", 1, 1, 16", true}, /* the image of a row */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_divisions(t, &rows[i]);
}

/* --- register tile loops ---------------------------------------------------------------------- */

/* Occurrences of |what| in the optimised code of a tile of four rows whose sums add |term|. */
static size_t count(rlx_test *t, int level, const char *term, const char *what)
{
    char text[2048];
    kernel_fixture f;
    rlxc_native out;
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
    const size_t n = occurrences((const char *)out.data, out.size, what);
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

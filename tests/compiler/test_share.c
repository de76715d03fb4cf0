/* Loops shared between kernels (compiler/codegen/share.h): products of different sizes equal a
 * reference in double, and many of them need little more code than a few. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/codegen/llvm.h"
#include "compiler/passes/passes.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

enum { TEXT = 1 << 17, MOST = 200 /* largest extent */, LINES_OF_A_PRODUCT = 2000 };

typedef struct product {
    int64_t rows, columns, k;
} product;

/* Sizes around the tiles, with every kind of remainder; |even|: all with the same structure. */
static product product_of(uint32_t i, bool even)
{
    return even ? (product){1, 64 + 64 * (i % 7), 64 + 8 * i}
                : (product){1 + i * 7 % 60, 16 + i * 5 % 90, 33 + i * 3 % 50};
}

static void write_products(char *text, uint32_t n, bool dynamic, bool even)
{
    char *end = text + TEXT;
    text += snprintf(text, (size_t)(end - text), "@I.ir_module\nclass Module:\n");
    for (uint32_t i = 0; i < n; i++) {
        const product p = product_of(i, even);
        char rows[16];
        snprintf(rows, sizeof rows, dynamic ? "n" : "%lld", (long long)p.rows);
        text +=
            snprintf(text, (size_t)(end - text),
                     "    @T.prim_func\n"
                     "    def f%u(a: T.handle, b: T.handle, c: T.handle):\n"
                     "        T.func_attr({\"tir.noalias\": True})\n"
                     "        n = T.int64()\n"
                     "        A = T.match_buffer(a, (%s, T.int64(%lld)), \"float32\")\n"
                     "        B = T.match_buffer(b, (T.int64(%lld), T.int64(%lld)), \"float32\")\n"
                     "        C = T.match_buffer(c, (%s, T.int64(%lld)), \"float32\")\n"
                     "        for i, j, k in T.grid(%s, T.int64(%lld), T.int64(%lld)):\n"
                     "            with T.block(\"sum\"):\n"
                     "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
                     "                with T.init():\n"
                     "                    C[vi, vj] = T.float32(0)\n"
                     "                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n",
                     i, dynamic ? "n" : rows, (long long)p.k, (long long)p.k, (long long)p.columns,
                     dynamic ? "n" : rows, (long long)p.columns, dynamic ? "n" : rows,
                     (long long)p.columns, (long long)p.k);
    }
}

static float element(int64_t i, int64_t salt)
{
    return (float)((i * 37 + salt * 11) % 29 - 14) * 0.0625f;
}

static void check_product(kernel_fixture *f, uint32_t i, product p, bool dynamic)
{
    static float a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
    void *const buffers[3] = {a, b, c};
    char name[16];
    for (int64_t e = 0; e < p.rows * p.k; e++)
        a[e] = element(e, i);
    for (int64_t e = 0; e < p.k * p.columns; e++)
        b[e] = element(e, i + 3);
    c[p.rows * p.columns] = 12345;
    snprintf(name, sizeof name, "f%u", i);
    cr_assert_eq(kernel_fixture_call(f, name, buffers, dynamic ? &p.rows : NULL), 0, "%s", name);
    for (int64_t e = 0; e < p.rows * p.columns; e++) {
        double sum = 0;
        for (int64_t k = 0; k < p.k; k++)
            sum += (double)a[e / p.columns * p.k + k] * (double)b[k * p.columns + e % p.columns];
        cr_assert(fabs((double)c[e] - sum) < 1e-4, "f%u[%lld]: %g, not %g", i, (long long)e,
                  (double)c[e], sum);
    }
    cr_expect_eq(c[p.rows * p.columns], 12345, "f%u writes behind its result", i);
}

static void check_products(rlx_test *t, const char *cpu, bool dynamic)
{
    enum { N = 16 };
    static const int64_t rows[] = {0, 1, 5, 6, 47, 48, 49, 97};
    static char text[TEXT];
    kernel_fixture f;
    write_products(text, N, dynamic, false);
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, cpu, text), "%s",
              rlxc_render_diagnostics(f.ctx));
    cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
    for (uint32_t i = 0; i < N; i++) {
        product p = product_of(i, false);
        for (size_t r = 0; r < (dynamic ? sizeof rows / sizeof *rows : 1); r++) {
            p.rows = dynamic ? rows[r] : p.rows;
            check_product(&f, i, p, dynamic);
        }
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(share, products_of_fixed_sizes_are_right)
{
    check_products(t, NULL, false);
    check_products(t, "x86-64", false);
}

RLX_TEST(share, products_of_any_rows_are_right)
{
    check_products(t, NULL, true);
}

/* Machine code size, in bytes, of |n| products with any number of rows. */
static size_t code_size(rlx_test *t, int level, uint32_t n, bool even)
{
    static char text[TEXT];
    kernel_fixture f;
    rlxc_native out;
    write_products(text, n, true, even);
    cr_assert(kernel_fixture_parse(&f, &t->allocator, level, "x86-64-v3", text));
    cr_assert(rlxc_schedule_module(f.ctx, f.module, &f.options) &&
              rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
    cr_assert(rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_OBJECT, &out));
    const size_t size = out.size;
    kernel_fixture_deinit(&f);
    return size;
}

/* Products that differ only in size share one body; they took 4 KB each before. */
RLX_TEST(share, products_of_one_structure_have_one_body)
{
    const size_t few = code_size(t, 2, 4, true), many = code_size(t, 2, 32, true);
    cr_expect_lt(many, few + 28 * (size_t)900, "%zu bytes for 4 products, %zu for 32", few, many);
}

/* Kernels of different structure share tiles. */
RLX_TEST(share, products_of_many_structures_have_tiles_in_common)
{
    const size_t size = code_size(t, 2, 24, false);
    cr_expect_lt(size, 24 * (size_t)4200, "%zu bytes", size);
}

/* -O1 emits two kinds of tiles: the full one and single rows. */
RLX_TEST(share, level_one_emits_fewer_tiles)
{
    const size_t quick = code_size(t, 1, 1, true), usual = code_size(t, 2, 1, true);
    cr_expect_lt(3 * quick, 2 * usual, "%zu bytes at -O1, %zu at -O2", quick, usual);
}

/* Two loops with equal constants share one body above a minimum size, whatever their weights. */
RLX_TEST(share, two_equal_products_have_one_body)
{
    static const char body[] = "        A = T.match_buffer(a, (n, T.int64(96)), \"float32\")\n"
                               "        C = T.match_buffer(c, (n, T.int64(64)), \"float32\")\n"
                               "        for i, j, k in T.grid(n, T.int64(64), T.int64(96)):\n"
                               "            with T.block(\"sum\"):\n"
                               "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
                               "                with T.init():\n"
                               "                    C[vi, vj] = T.float32(0)\n"
                               "                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n";
    static char text[TEXT];
    size_t sizes[2];
    for (int n = 1; n <= 2; n++) {
        char *end = text + TEXT, *at = text;
        kernel_fixture f;
        rlxc_native out;
        at += snprintf(at, (size_t)(end - at), "@I.ir_module\nclass Module:\n");
        for (int i = 0; i < n; i++)
            at += snprintf(at, (size_t)(end - at),
                           "    @T.prim_func\n"
                           "    def f%d(a: T.handle, B: T.Buffer((T.int64(96), T.int64(64)), "
                           "\"float32\"), c: T.handle):\n"
                           "        T.func_attr({\"tir.noalias\": True})\n"
                           "        n = T.int64()\n%s",
                           i, body);
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, "x86-64-v3", text));
        cr_assert(rlxc_schedule_module(f.ctx, f.module, &f.options) &&
                  rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
        cr_assert(rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_OBJECT, &out));
        sizes[n - 1] = out.size;
        kernel_fixture_deinit(&f);
    }
    cr_expect_lt(sizes[1], sizes[0] + sizes[0] / 2, "%zu bytes for 1, %zu for 2", sizes[0],
                 sizes[1]);
}

/* Index arithmetic that a tile repeats for each element is built once in LLVM. */
RLX_TEST(share, equal_integer_instructions_are_built_once)
{
    static char text[TEXT];
    kernel_fixture f;
    rlxc_native out;
    size_t lines = 0;
    write_products(text, 1, true, false);
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, "x86-64-v3", text));
    cr_assert(rlxc_schedule_module(f.ctx, f.module, &f.options) &&
              rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
    f.options.opt_level = 0; /* unoptimised, as passed to LLVM */
    cr_assert(rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_LLVM, &out));
    for (size_t i = 0; i < out.size; i++)
        lines += ((const char *)out.data)[i] == '\n';
    cr_expect_lt(lines, (size_t)LINES_OF_A_PRODUCT, "%zu lines", lines);
    kernel_fixture_deinit(&f);
}

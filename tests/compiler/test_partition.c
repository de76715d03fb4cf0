/* Loop partitioning (lower/partition.c): products whose schedules split unevenly equal a sum in
 * double, at sizes around each factor, and test no predicate inside loops. Blocks with hand-written
 * predicates and loops with the hint compute their definition. */
#include "tests/support/rlx_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/schedule/engine.h"
#include "compiler/script/script.h"
#include "tests/compiler/kernel_fixture.h"

enum { MOST = 40 };

#define HEAD                                     \
    "from tvm.script import ir as I, tir as T\n" \
    "@I.ir_module\n"                             \
    "class Module:\n"                            \
    "    @T.prim_func\n"                         \
    "    def f(a: T.handle, b: T.handle, c: T.handle):\n"

static const char product[] =
    HEAD "        n, m, q = T.int64(), T.int64(), T.int64()\n"
         "        A = T.match_buffer(a, (n, q))\n"
         "        B = T.match_buffer(b, (q, m))\n"
         "        C = T.match_buffer(c, (n, m))\n"
         "        for i, j, k in T.grid(n, m, q):\n"
         "            with T.block(\"C\"):\n"
         "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
         "                with T.init():\n"
         "                    C[vi, vj] = T.float32(0)\n"
         "                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n";

#define LOOPS                                           \
    "b0 = sch.get_block(name=\"C\", func_name=\"f\")\n" \
    "l1, l2, l3 = sch.get_loops(block=b0)\n"
#define TILES                                          \
    "l4, l5 = sch.split(loop=l1, factors=[None, 4])\n" \
    "l6, l7 = sch.split(loop=l2, factors=[None, 16])\n"

/* |conditions|: how many remain, to choose among the bodies of parallel loops. */
static const struct {
    const char *steps;
    int conditions;
} lists[] = {
    {LOOPS TILES "sch.reorder(l4, l6, l3, l5, l7)\nsch.vectorize(l7)\nsch.unroll(l5)\n", 0},
    {LOOPS TILES "l8, l9 = sch.split(loop=l3, factors=[None, 8])\n"
                 "sch.reorder(l4, l6, l8, l9, l5, l7)\nsch.vectorize(l7)\n",
     0},
    {LOOPS TILES "sch.reorder(l6, l4, l7, l3, l5)\nsch.parallel(l6)\n", 2},
    {LOOPS "l4, l5, l6 = sch.split(loop=l1, factors=[None, 3, 5])\n"
           "l7, l8, l9 = sch.split(loop=l2, factors=[None, 2, 7])\n"
           "sch.reorder(l4, l7, l5, l8, l6, l9)\n",
     0},
    {LOOPS "l4 = sch.fuse(l1, l2)\nl5, l6 = sch.split(loop=l4, factors=[None, 16])\n"
           "sch.parallel(l5)\nsch.vectorize(l6)\n",
     2},
    {LOOPS TILES "l8, l9 = sch.split(loop=l3, factors=[None, 8])\n"
                 "sch.reorder(l8, l4, l6, l9, l5, l7)\nsch.vectorize(l7)\n",
     0},
    {LOOPS TILES "sch.reorder(l4, l6, l5, l7)\nb1 = sch.decompose_reduction(block=b0, loop=l3)\n"
                 "sch.vectorize(l7)\n",
     0},
};

/* Counts comparisons of loops with bounds; `if t // 8 % 2 == 1` selects a piece of a loop and does
 * not count. */
static int count_conditions(const char *text)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, " if ")); at++) {
        const char *end = strchr(at, '\n');
        const char *equal = strstr(at, " == ");
        n += !equal || equal > end;
    }
    return n;
}

static float a[MOST * MOST], b[MOST * MOST], got[MOST * MOST + 16];

static void fill(void)
{
    for (int i = 0; i < MOST * MOST; i++) {
        a[i] = (float)(i * 7 % 23) / 16 - 0.5f;
        b[i] = (float)(i * 5 % 19) / 16 - 0.4f;
    }
}

static void check_product(kernel_fixture *f, size_t list, const int64_t n[3])
{
    void *buffers[] = {a, b, got};
    const int64_t dims[] = {n[0], n[2], n[1]}; /* in order of appearance: n, q, m */
    int wrong = 0;
    for (int i = 0; i < MOST * MOST + 16; i++)
        got[i] = -77;
    cr_assert_eq(kernel_fixture_call(f, "f", buffers, dims), 0);
    for (int64_t i = 0; i < n[0] * n[1]; i++) {
        double sum = 0;
        for (int64_t k = 0; k < n[2]; k++)
            sum += (double)a[i / n[1] * n[2] + k] * (double)b[k * n[1] + i % n[1]];
        wrong += !(fabs(sum - (double)got[i]) <= 1e-5 * (1 + fabs(sum)));
    }
    for (int64_t i = n[0] * n[1]; i < MOST * MOST + 16; i++)
        wrong += got[i] != -77;
    cr_expect_eq(wrong, 0, "list %d at %dx%dx%d: %d elements", (int)list, (int)n[0], (int)n[1],
                 (int)n[2], wrong);
}

RLX_TEST(partition, splits_that_do_not_divide_compute_products)
{
    static const int64_t sizes[] = {0, 1, 4, 15, 16, 33};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    fill();
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        kernel_fixture f;
        rlxc_schedules all = {0};
        const char *text = lists[i].steps;
        cr_assert(kernel_fixture_parse(&f, NULL, 2, NULL, product));
        cr_assert(rlxc_parse_schedules(f.ctx, "s.sch", text, strlen(text), &all));
        f.options.schedules = &all;
        bool ok =
            rlxc_pass_apply_schedules(f.ctx, f.module, &f.options) && kernel_fixture_build(&f);
        cr_assert(ok, "%s%s", text, rlxc_render_diagnostics(f.ctx));
        const char *lowered = rlxc_print_module(f.ctx, f.module);
        const int left = count_conditions(lowered);
        cr_expect_eq(left, lists[i].conditions, "%d conditions:\n%s", left, lowered);
        for (int k = 0; k < SIZES * SIZES * SIZES; k++)
            check_product(&f, i,
                          (const int64_t[]){sizes[k / SIZES / SIZES], sizes[k / SIZES % SIZES],
                                            sizes[k % SIZES]});
        kernel_fixture_deinit(&f);
    }
}

/* Hand-written predicates; element 4 i + j of c counts how often the block ran at (i, j). */
static const struct {
    const char *where;
    int conditions;
} predicates[] = {
    {"i * 4 + j < 30", 0},
    {"30 > i * 4 + j and i * 4 + j >= 7", 0},
    {"3 <= i * 4 - j", 0},
    {"j * 2 - i * 3 > -9", 0},
    {"i * 4 + j < n", 0},
    {"i * 4 + j < n and n <= i * 8 + j", 0},
    {"20 - i * 4 - j > 0 and j < n", 0},
    {"i * j < 9", 1}, /* not an affine condition: it remains */
    {"i % 2 < 1", 1},
    {"i * 4 + j < -1", 0},
    {"j < n", 0},
    {"n > j * 2 + 1 and i < 7", 0},
    {"n - 8 <= j", 0},
};

static bool holds(size_t which, int64_t i, int64_t j, int64_t n)
{
    const int64_t v = i * 4 + j;
    const bool answers[] = {v<30, 30> v && v >= 7,
                            3 <= i * 4 - j,
                            j * 2 - i * 3 > -9,
                            v < n,
                            v < n && n <= i * 8 + j,
                            20 - v > 0 && j < n,
                            i * j < 9,
                            i % 2 < 1,
                            false,
                            j<n, n> j * 2 + 1 && i < 7,
                            n - 8 <= j};
    _Static_assert(sizeof answers / sizeof *answers == sizeof predicates / sizeof *predicates,
                   "one each");
    return answers[which];
}

/* |nested|: the predicate refers to an axis of an enclosing block over i. */
static void check_predicate(const char *const kinds[2], size_t which, bool nested)
{
    static const char outer[] = "            with T.block(\"O\"):\n"
                                "                i = T.axis.spatial(T.int64(9), i0)\n";
    char text[2048];
    kernel_fixture f;
    snprintf(text, sizeof text,
             HEAD "        n = T.int64()\n"
                  "        A = T.match_buffer(a, (n,))\n"
                  "        B = T.match_buffer(b, (T.int64(9), T.int64(4)))\n"
                  "        C = T.match_buffer(c, (T.int64(9), T.int64(4)))\n"
                  "        for %s in %s(T.int64(9)):\n"
                  "%s"
                  "                for j in %s(T.int64(4)):\n"
                  "                  with T.block(\"C\"):\n"
                  "                    vi = T.axis.spatial(T.int64(9), i)\n"
                  "                    vj = T.axis.spatial(T.int64(4), j)\n"
                  "                    T.where(%s)\n"
                  "                    C[vi, vj] = C[vi, vj] + B[vi, vj]\n",
             nested ? "i0" : "i", kinds[0], nested ? outer : "", kinds[1], predicates[which].where);
    cr_assert(kernel_fixture_parse(&f, NULL, 0, NULL, text), "%s", text);
    cr_assert(kernel_fixture_build(&f), "%s%s", text, rlxc_render_diagnostics(f.ctx));
    const char *lowered = rlxc_print_module(f.ctx, f.module);
    if (strcmp(kinds[0], "T.parallel") != 0 && strcmp(kinds[1], "T.parallel") != 0)
        cr_expect_eq(count_conditions(lowered), predicates[which].conditions, "%s", lowered);
    for (int64_t n = 0; n < MOST; n++) {
        float ones[36], sums[36] = {0};
        for (int i = 0; i < 36; i++)
            ones[i] = 1;
        void *buffers[] = {a, ones, sums};
        cr_assert_eq(kernel_fixture_call(&f, "f", buffers, &n), 0);
        for (int64_t i = 0; i < 36; i++)
            cr_expect_eq(sums[i], holds(which, i / 4, i % 4, n) ? 1 : 0,
                         "%s, i = %d, j = %d, n = %d: %g times\n%s", predicates[which].where,
                         (int)i / 4, (int)i % 4, (int)n, (double)sums[i], lowered);
    }
    kernel_fixture_deinit(&f);
}

RLX_TEST(partition, blocks_run_where_their_predicates_hold)
{
    static const char *const kinds[] = {"T.serial", "T.unroll", "T.vectorized", "T.parallel"};
    for (size_t i = 0; i < sizeof predicates / sizeof *predicates; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            check_predicate((const char *const[]){kinds[k], kinds[(k + i) % 4]}, i, i % 3 == 0);
}

/* Prints i * 4 + j < 30 + k for |n| values of k from |first|, as a balanced tree of `and`. */
static void print_tree(FILE *out, int first, int n)
{
    if (n == 1) {
        fprintf(out, "i * 4 + j < %d", 30 + first);
        return;
    }
    fputs("(", out);
    print_tree(out, first, n / 2);
    fputs(") and (", out);
    print_tree(out, first + n / 2, n - n / 2);
    fputs(")", out);
}

RLX_TEST(partition, more_predicates_than_it_decides_stay)
{
    enum { TERMS = 4096 };
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    kernel_fixture f;
    float ran[36] = {0};
    void *buffers[] = {a, b, ran};
    const int64_t n = 1;
    fputs(HEAD "        A = T.match_buffer(a, (T.int64(1),))\n        B = T.match_buffer(b, "
               "(T.int64(1),))\n"
               "        C = T.match_buffer(c, (T.int64(9), T.int64(4)))\n"
               "        for i, j in T.grid(T.int64(9), T.int64(4)):\n"
               "            with T.block(\"C\"):\n"
               "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
               "                T.where(",
          out);
    print_tree(out, 0, TERMS);
    fputs(")\n                C[vi, vj] = T.float32(1)\n", out);
    fclose(out);
    cr_assert(kernel_fixture_parse(&f, NULL, 0, NULL, text));
    cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
    cr_expect(count_conditions(rlxc_print_module(f.ctx, f.module)) > 0);
    cr_assert_eq(kernel_fixture_call(&f, "f", buffers, &n), 0);
    for (int i = 0; i < 36; i++)
        cr_expect_eq(ran[i], i < 30 ? 1 : 0, "element %d", i);
    kernel_fixture_deinit(&f);
    free(text);
}

/* Conditional stored values in loops with the hint: the loop is cut, or the condition moves out of
 * it. */
static const struct {
    const char *value;
    int conditions;
} choices[] = {
    {"T.if_then_else(j < 3, A[i, j], T.if_then_else(j < n, A[i, 1], A[i, 2]))", 0},
    {"T.if_then_else(i < 3 and 2 <= j and j < n + 2, A[i, j - 2], T.float32(5))", 1},
    {"A[i, j] + T.if_then_else(n <= j, A[i, j - n], T.float32(1))", 0},
    {"T.Select(j < 4, A[i, j], A[i, 1] * T.Select(j < n, T.float32(2), A[i, 3]))", 0},
    {"T.if_then_else(j < n, T.if_then_else(i < 3, A[i, j], T.if_then_else(i < 4, A[i, 1], A[i, "
     "2])), A[i, 3])",
     2},
};

static float chosen(size_t which, const float *x, int64_t i, int64_t j, int64_t n)
{
    const float *row = x + i * 9;
    switch (which) {
    case 0:
        return j < 3 ? row[j] : j < n ? row[1] : row[2];
    case 1:
        return i < 3 && 2 <= j && j < n + 2 ? row[j - 2] : 5;
    case 2:
        return row[j] + (n <= j ? row[j - n] : 1);
    case 3:
        return j < 4 ? row[j] : row[1] * (j < n ? 2 : row[3]);
    default:
        return j >= n ? row[3] : i < 3 ? row[j] : row[i < 4 ? 1 : 2];
    }
}

RLX_TEST(partition, choices_are_made_outside_of_loops)
{
    fill();
    for (size_t which = 0; which < sizeof choices / sizeof *choices; which++) {
        char text[2048];
        kernel_fixture f;
        snprintf(text, sizeof text,
                 HEAD "        n = T.int64()\n"
                      "        A = T.match_buffer(a, (T.int64(5), T.int64(9)))\n"
                      "        B = T.match_buffer(b, (n,))\n"
                      "        C = T.match_buffer(c, (T.int64(5), T.int64(9)))\n"
                      "        for i in range(T.int64(5)):\n"
                      "            for j in T.serial(T.int64(9), "
                      "annotations={\"pragma_loop_partition_hint\": 1}):\n"
                      "                C[i, j] = %s\n",
                 choices[which].value);
        cr_assert(kernel_fixture_parse(&f, NULL, 0, NULL, text), "%s%s", text,
                  rlxc_render_diagnostics(f.ctx));
        cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
        const char *lowered = rlxc_print_module(f.ctx, f.module);
        cr_expect_eq(count_conditions(lowered), choices[which].conditions, "%s", lowered);
        cr_expect(!strstr(lowered, "if_then_else") && !strstr(lowered, "hint"), "%s", lowered);
        for (int64_t n = 0; n < 12; n++) {
            void *buffers[] = {a, b, got};
            cr_assert_eq(kernel_fixture_call(&f, "f", buffers, &n), 0);
            for (int64_t i = 0; i < 45; i++)
                cr_expect_eq(got[i], chosen(which, a, i / 9, i % 9, n), "%s: element %d, n = %d",
                             choices[which].value, (int)i, (int)n);
        }
        kernel_fixture_deinit(&f);
    }
}

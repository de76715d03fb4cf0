/* Pass normalize_blocks on its goldens' sources: running it on its own output changes nothing, and
 * running out of memory at any allocation is an error. Recurrences, whose iterations read what
 * earlier ones stored, keep their order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "tests/compiler/files.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

static const char *const sources[] = {"tests/passes/normalize_blocks.py#scheduled_elsewhere",
                                      "tests/explain.py#attention_spelled_otherwise",
                                      "tests/passes/normalize_blocks.py#kept_as_written",
                                      "tests/passes/normalize_blocks.py#blocks_in_blocks",
                                      "tests/passes/normalize_blocks.py#axes_that_are_not_indices",
                                      "tests/passes/normalize_blocks.py#partial_reductions",
                                      "tests/passes/normalize_blocks.py#first_iteration",
                                      "tests/passes/normalize_blocks.py#in_the_loop_of_a_sum",
                                      "tests/passes/normalize_blocks.py#flat_buffers",
                                      "tests/passes/normalize_blocks.py#values_of_one_iteration",
                                      "tests/e2e/tir_temporaries.py#of_other_tools",
                                      "tests/e2e/tir_temporaries.py#of_one_iteration",
                                      "tests/e2e/tir_spellings.py#loops_and_conditions"};
enum { N_SOURCES = sizeof sources / sizeof *sources };

RLX_TEST(normal, normal_form_is_unchanged)
{
    for (int i = 0; i < N_SOURCES; i++) {
        const char *why = "";
        char *text = file_read(sources[i], NULL);
        rlxc_context *ctx = rlxc_context_create(NULL);
        rlxc_options options;
        cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, 2));
        rlxc_module *once = rlxc_parse_module(ctx, sources[i], text, strlen(text));
        cr_assert(once && rlxc_pass_infer(ctx, once, &options) &&
                      rlxc_pass_normalize_blocks(ctx, once, &options),
                  "%s", rlxc_render_diagnostics(ctx));
        const char *printed = rlxc_print_module(ctx, once);
        rlxc_module *twice = rlxc_parse_module(ctx, "printed.py", printed, strlen(printed));
        cr_assert(twice && rlxc_pass_infer(ctx, twice, &options) &&
                      rlxc_pass_normalize_blocks(ctx, twice, &options),
                  "%s", rlxc_render_diagnostics(ctx));
        cr_expect(rlxc_module_equal(ctx, once, twice, &why), "%s: %s\n%s", sources[i], why,
                  rlxc_print_module(ctx, twice));
        rlxc_context_destroy(ctx);
        free(text);
    }
}

/* False when out of memory, and the context then says so. */
static bool normalized(rlx_test *t, const char *text)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    if (!ctx)
        return false;
    rlxc_options options;
    rlxc_module *module = NULL;
    bool done = rlxc_options_init(ctx, &options, NULL, NULL, 2) &&
                (module = rlxc_parse_module(ctx, "m.py", text, strlen(text))) != NULL &&
                rlxc_pass_infer(ctx, module, &options) &&
                rlxc_pass_normalize_blocks(ctx, module, &options);
    cr_expect(done || rlxc_out_of_memory(ctx), "%s", rlxc_render_diagnostics(ctx));
    rlxc_context_destroy(ctx);
    return done;
}

RLX_TEST(normal, running_out_of_memory_is_an_error)
{
    for (int i = 0; i < N_SOURCES; i++) {
        char *text = file_read(sources[i], NULL);
        bool done = false;
        for (size_t n = 1; !done; n++) {
            cr_assert_lt(n, 2000, "it never succeeds");
            t->calls = 0;
            t->fail_at = n;
            done = normalized(t, text);
        }
        free(text);
    }
    t->fail_at = 0;
}

/* --- recurrences ------------------------------------------------------------------------------ */

enum { N = 150, M = 140 };

typedef struct recurrence {
    const char *name;
    const char *body; /* of k(a: (n, m), o: (n, m)) */
    void (*reference)(const float *a, float *o, int64_t n, int64_t m);
    bool followed; /* by a block whose iterations may run in parallel */
} recurrence;

static void down_columns(const float *a, float *o, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n * m; i++)
        o[i] = (i < m ? 0 : o[i - m] * 0.5F) + a[i];
}

/* o = a - the sum of a[i, k] o[k, j] over k < i: substitution in a triangular system */
static void substitution(const float *a, float *o, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            float sum = a[i * m + j];
            for (int64_t k = 0; k < m; k++)
                sum -= k < i ? a[i * m + k] * o[k * m + j] : 0;
            o[i * m + j] = sum;
        }
}

/* A sum along each row, doubled by another block. */
static void doubled_scan(const float *a, float *o, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int64_t j = 0; j < m; j++) {
            sum = sum + a[i * m + j];
            o[i * m + j] = sum * 2;
        }
    }
}

/* o[i, j] = the sum of a[i, l] a[i, j] over l, in loops without a block */
static void plain_sums(const float *a, float *o, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double sum = 0;
            for (int64_t l = 0; l < m; l++)
                sum += (double)a[i * m + l] * a[i * m + j];
            o[i * m + j] = (float)sum;
        }
}

/* A temporary that is computed from itself. */
static void own_result(const float *a, float *o, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n * m; i++)
        o[i] = a[i] + 1;
}

/* Values of 32 bits wrap around, in plain loops over int32. */
static void wrapped_values(const float *a, float *o, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            const int32_t x = (int32_t)((uint32_t)j * 1103515245U + 12345U);
            o[i * m + j] = a[i * m + j] + (float)x + (x > 0 ? 1 : 0);
        }
}

/* Two blocks in one loop, of which one adds to what it reads: once for each element. */
static void added_once(const float *a, float *o, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n * m; i++)
        o[i] = a[i] + 1;
}

static const recurrence recurrences[] = {
    {"down columns",
     "    for i, j in T.grid(n, m):\n"
     "        with T.block(\"o\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            O[vi, vj] = T.if_then_else(vi >= 1, O[vi - 1, vj] * T.float32(0.5), "
     "T.float32(0)) + A[vi, vj]\n",
     down_columns, false},
    {"substitution",
     "    for i, j, k in T.grid(n, m, m):\n"
     "        with T.block(\"o\"):\n"
     "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
     "            with T.init():\n"
     "                O[vi, vj] = A[vi, vj]\n"
     "            O[vi, vj] = O[vi, vj] - T.if_then_else(vk < vi, A[vi, vk] * O[vk, vj], "
     "T.float32(0))\n",
     substitution, false},
    {"doubled scan",
     "    S = T.alloc_buffer((n, m))\n"
     "    for i, j in T.grid(n, m):\n"
     "        with T.block(\"s\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            S[vi, vj] = T.if_then_else(vj >= 1, S[vi, vj - 1], T.float32(0)) + A[vi, vj]\n"
     "    for i, j in T.grid(n, m):\n"
     "        with T.block(\"o\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            O[vi, vj] = S[vi, vj] * T.float32(2)\n",
     doubled_scan, true},
    {"plain sums",
     "    for i, j in T.grid(n, m):\n"
     "        O[i, j] = T.float32(0)\n"
     "        for l in range(m):\n"
     "            O[i, j] = A[i, l] * A[i, j] + O[i, j]\n",
     plain_sums, true},
    {"own result",
     "    S = T.alloc_buffer((n, m))\n"
     "    for i, j in T.grid(n, m):\n"
     "        S[i, j] = T.if_then_else(A[i, j] > T.float32(-100), A[i, j], S[i, j])\n"
     "    for i, j in T.grid(n, m):\n"
     "        O[i, j] = S[i, j] + T.float32(1)\n",
     own_result, true},
    {"wrapped values",
     "    for i in range(T.Cast(\"int32\", n)):\n"
     "        for j in range(T.Cast(\"int32\", m)):\n"
     "            O[i, j] = A[i, j] + T.Cast(\"float32\", j * 1103515245 + 12345) + "
     "T.if_then_else(j * 1103515245 + 12345 > 0, T.float32(1), T.float32(0))\n",
     wrapped_values, true},
    {"added once",
     "    S = T.alloc_buffer((n, m))\n"
     "    for i, j in T.grid(n, m):\n"
     "        with T.block(\"a\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            O[vi, vj] = A[vi, vj]\n"
     "    for i, j in T.grid(n, m):\n"
     "        with T.block(\"o\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            O[vi, vj] = O[vi, vj] + T.float32(1)\n"
     "        with T.block(\"s\"):\n"
     "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "            S[vi, vj] = A[vi, vj]\n",
     added_once, true},
};

static void check(rlx_test *t, const recurrence *r, int level)
{
    static const int64_t sizes[][2] = {{0, 3}, {1, 1}, {2, 9}, {7, 16}, {N, M}};
    char text[900];
    snprintf(text, sizeof text,
             "@T.prim_func\n"
             "def k(a: T.handle, o: T.handle):\n"
             "    n, m = T.int64(), T.int64()\n"
             "    A = T.match_buffer(a, (n, m))\n"
             "    O = T.match_buffer(o, (n, m))\n"
             "%s",
             r->body);
    kernel_fixture f;
    cr_assert(kernel_fixture_parse(&f, &t->allocator, level, NULL, text), "%s",
              rlxc_render_diagnostics(f.ctx));
    cr_assert(kernel_fixture_build(&f), "%s: %s", r->name, rlxc_render_diagnostics(f.ctx));
    float *a = malloc(N * M * sizeof *a), *o = malloc(N * M * sizeof *o),
          *want = malloc(N * M * sizeof *want);
    for (int64_t i = 0; i < N * M; i++)
        a[i] = (float)(i * 37 % 101 - 50) / 512;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s][0], m = sizes[s][1];
        memset(o, 0xFF, N * M * sizeof *o);
        cr_assert_eq(kernel_fixture_call(&f, "k", (void *[]){a, o}, sizes[s]), 0);
        cr_expect(f.shares == 0 || r->followed, "%s, level %d: a loop is parallel", r->name, level);
        r->reference(a, want, n, m);
        int64_t off = 0;
        for (int64_t i = 0; i < n * m; i++) {
            off += !(fabsf(o[i] - want[i]) <= 1e-4F * (1 + fabsf(want[i])));
        }
        cr_expect_eq(off, 0, "%s, level %d, %lld x %lld: %lld elements differ", r->name, level,
                     (long long)n, (long long)m, (long long)off);
    }
    free(a);
    free(o);
    free(want);
    kernel_fixture_deinit(&f);
}

RLX_TEST(recurrences, the_order_of_iterations_is_kept_where_it_counts)
{
    for (size_t i = 0; i < sizeof recurrences / sizeof *recurrences; i++)
        for (int level = 0; level <= 3; level++)
            check(t, &recurrences[i], level);
}

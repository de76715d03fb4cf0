/* Vector code written by schedules themselves: transpositions in registers, at sizes around their
 * blocks; and prefetch hints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/compiler/cpus.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

/* O[b, c, r] = A[b, r, c], in vectors over whole blocks. */
static void check_transposition(rlx_test *t, const char *cpu, const char *dtype, int64_t item)
{
    static const int64_t lengths[] = {0, 1, 7, 15, 16, 17, 31, 32, 50};
    enum { N = sizeof lengths / sizeof *lengths, MOST = 2 * 50 * 50 };
    char text[700];
    snprintf(text, sizeof text,
             "@T.prim_func\n"
             "def k(a: T.handle, o: T.handle):\n"
             "    b, r, c = T.int64(), T.int64(), T.int64()\n"
             "    A = T.match_buffer(a, (b, r, c), \"%s\")\n"
             "    O = T.match_buffer(o, (b, c, r), \"%s\")\n"
             "    for i, j, k in T.grid(b, c, r):\n"
             "        with T.block(\"O\"):\n"
             "            vi, vj, vk = T.axis.remap(\"SSS\", [i, j, k])\n"
             "            O[vi, vj, vk] = A[vi, vk, vj]\n",
             dtype, dtype);
    kernel_fixture f;
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, cpu, text));
    cr_assert(kernel_fixture_build(&f), "%s", rlxc_render_diagnostics(f.ctx));
    unsigned char *a = malloc((size_t)(MOST * item)), *o = malloc((size_t)((MOST + 1) * item));
    for (int64_t i = 0; i < MOST * item; i++)
        a[i] = (unsigned char)((i * 7 + i / item * 31) % 251);
    for (int n = 0; n < N * N; n++) {
        const int64_t dims[3] = {n % 3, lengths[n / N], lengths[n % N]};
        const int64_t count = dims[0] * dims[1] * dims[2];
        memset(o, 0xA5, (size_t)((MOST + 1) * item));
        cr_assert_eq(kernel_fixture_call(&f, "k", (void *[]){a, o}, dims), 0);
        bool same = true;
        for (int64_t i = 0; i < count; i++) {
            int64_t r = i % dims[1], c = i / dims[1] % dims[2], b = i / (dims[1] * dims[2]);
            int64_t from = (b * dims[1] + r) * dims[2] + c;
            same = same && memcmp(o + i * item, a + from * item, (size_t)item) == 0;
        }
        for (int64_t i = count * item; i < (count + 1) * item; i++)
            same = same && o[i] == 0xA5;
        cr_expect(same, "%s of %s: %lld x (%lld, %lld)", dtype, cpu ? cpu : "native",
                  (long long)dims[0], (long long)dims[1], (long long)dims[2]);
    }
    free(a);
    free(o);
    kernel_fixture_deinit(&f);
}

RLX_TEST(vectors, transpositions_move_every_element)
{
    static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64"};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        if (!cpu_runs(cpus[i]))
            continue;
        check_transposition(t, cpus[i], "float32", 4);
        check_transposition(t, cpus[i], "int32", 4);
        check_transposition(t, cpus[i], "float64", 8);
        check_transposition(t, cpus[i], "int8", 1);
    }
}

RLX_TEST(vectors, a_prefetch_that_llvm_does_not_know_is_left_out)
{
    static const struct {
        const char *args;
        bool known;
    } rows[] = {
        {"T.address_of(A[0]), 0, 2, 1", true},
        {"T.uint32(4), T.address_of(A[1000000]), 1, 3, 1", true}, /* never read */
        {"T.address_of(A[0]), 2, 2, 1", false},
        {"T.address_of(A[0]), 0, 4, 1", false},
        {"T.address_of(A[0]), 0, -1, 1", false},
        {"T.address_of(A[0])", false},
        {"A[0], 0, 2, 1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "@T.prim_func\n"
                 "def k(A: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"float32\")):\n"
                 "    T.call_llvm_intrin(\"int32\", \"llvm.prefetch\", %s)\n"
                 "    O[0] = A[1]\n",
                 rows[i].args);
        kernel_fixture f;
        rlxc_native out;
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, text));
        cr_assert(rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
        cr_assert(rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_LLVM, &out));
        cr_expect_eq(strstr((const char *)out.data, "call void @llvm.prefetch") != NULL,
                     rows[i].known, "%s", rows[i].args);
        kernel_fixture_deinit(&f);
        float a[4] = {1, 2, 3, 4}, o[4] = {0};
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, text));
        cr_assert(kernel_fixture_build(&f));
        cr_expect_eq(kernel_fixture_call(&f, "k", (void *[]){a, o}, NULL), 0);
        cr_expect_eq(o[0], 2);
        kernel_fixture_deinit(&f);
    }
}

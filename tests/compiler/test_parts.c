/* Code generation on several threads: the bytes do not depend on the number of threads, and
 * failures are reported in a fixed order. Also runs under ThreadSanitizer (`make tsan`). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/codegen/llvm.h"
#include "compiler/passes/passes.h"
#include "compiler/target/target.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

enum { MAX_KERNELS = 12, SIZE = 8, MAX_TEXT = 16384 };

static const uint32_t job_counts[] = {0, 1, 2, 3, 8, 256};
enum { N_JOB_COUNTS = sizeof job_counts / sizeof *job_counts };

/* A module of |n| kernels of different lengths, each long enough for its own part: O[i] = A[i] * k
 * + j for the last step j, and all of them call one libm function. */
static void write_module(char *text, uint32_t n)
{
    size_t at = (size_t)snprintf(text, MAX_TEXT,
                                 "@I.ir_module\nclass Module:\n"
                                 "    @R.function\n"
                                 "    def main(x: R.Tensor((8,), \"float64\")) -> "
                                 "R.Tensor((8,), \"float64\"):\n        return x\n");
    for (uint32_t k = 0; k < n; k++)
        at += (size_t)snprintf(text + at, MAX_TEXT - at,
                               "    @T.prim_func\n"
                               "    def k%u(A: T.Buffer((8,), \"float64\"), "
                               "O: T.Buffer((8,), \"float64\")):\n"
                               "        for j in T.unroll(%u):\n"
                               "            for i in T.unroll(8):\n"
                               "                O[i] = A[i] * T.float64(%u) + T.float64(j)\n"
                               "        O[0] = O[0] + T.asinh(A[0])\n",
                               k, 6 + 5 * k % 7, k);
    cr_assert_lt(at, (size_t)MAX_TEXT);
}

/* A fixture with |n| lowered kernels. */
static void prepare(rlx_test *t, kernel_fixture *f, uint32_t n, int level, uint32_t jobs)
{
    static char text[MAX_TEXT];
    write_module(text, n);
    cr_assert(kernel_fixture_parse(f, &t->allocator, level, NULL, text));
    f->options.jobs = jobs;
}

RLX_TEST(parts, any_number_of_threads_gives_the_same_bytes)
{
    static const uint32_t counts[] = {0, 1, 2, MAX_KERNELS};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        kernel_fixture f[N_JOB_COUNTS];
        rlxc_native out[N_JOB_COUNTS];
        for (size_t j = 0; j < N_JOB_COUNTS; j++) {
            prepare(t, &f[j], counts[c], 2, job_counts[j]);
            bool fine = rlxc_pass_lower_tir(f[j].ctx, f[j].module, &f[j].options) &&
                        rlxc_compile_native(f[j].ctx, f[j].module, &f[j].options,
                                            RLXC_NATIVE_SHARED, &out[j]);
            cr_assert(fine, "%u kernels: %s", counts[c], rlxc_render_diagnostics(f[j].ctx));
            cr_expect(out[j].size == out[0].size &&
                          memcmp(out[j].data, out[0].data, out[0].size) == 0,
                      "%u kernels, %u jobs", counts[c], job_counts[j]);
        }
        for (size_t j = 0; j < N_JOB_COUNTS; j++)
            kernel_fixture_deinit(&f[j]);
    }
}

RLX_TEST(parts, every_kernel_is_in_the_linked_object)
{
    for (int level = 0; level < 4; level++) {
        double a[SIZE] = {0, 1, 2, 3, 4, 5, 6, 7}, o[SIZE];
        void *buffers[2] = {a, o};
        kernel_fixture f;
        prepare(t, &f, MAX_KERNELS, level, 3);
        cr_assert(kernel_fixture_build(&f));
        for (uint32_t k = 0; k < MAX_KERNELS; k++) {
            char name[8];
            snprintf(name, sizeof name, "k%u", k);
            cr_assert_eq(kernel_fixture_call(&f, name, buffers, NULL), 0, "-O%d %s", level, name);
            for (uint32_t i = 0; i < SIZE; i++)
                cr_expect_eq(o[i], a[i] * k + 5 + 5 * k % 7, "-O%d %s[%u] = %g", level, name, i,
                             o[i]);
        }
        kernel_fixture_deinit(&f);
    }
}

/* Readable output is one text or one object with all kernels. */
RLX_TEST(parts, readable_forms_are_whole)
{
    static const rlxc_native_form forms[] = {RLXC_NATIVE_LLVM, RLXC_NATIVE_ASM};
    for (size_t i = 0; i < 2; i++) {
        kernel_fixture f;
        rlxc_native out;
        prepare(t, &f, MAX_KERNELS, 2, 8);
        cr_assert(rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
        cr_assert(rlxc_compile_native(f.ctx, f.module, &f.options, forms[i], &out));
        for (uint32_t k = 0; k < MAX_KERNELS; k++)
            cr_expect(strstr(out.data, rlxc_internf(f.ctx, "rlx_k%u", k)), "k%u", k);
        kernel_fixture_deinit(&f);
    }
}

/* --- failures -------------------------------------------------------------------------------- */

enum { N_PARTS = 7 };

/* Parts of one function each; those in |bad| lack a terminator. */
static void make_parts(rlxc_llvm_part *parts, uint32_t bad)
{
    for (uint32_t i = 0; i < N_PARTS; i++) {
        char name[16];
        parts[i] = (rlxc_llvm_part){.lc = LLVMContextCreate(), .size = i * 5 % N_PARTS};
        parts[i].module = LLVMModuleCreateWithNameInContext("rlx", parts[i].lc);
        LLVMTypeRef none = LLVMVoidTypeInContext(parts[i].lc);
        snprintf(name, sizeof name, "part%u", i);
        LLVMValueRef fn =
            LLVMAddFunction(parts[i].module, name, LLVMFunctionType(none, NULL, 0, false));
        LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(parts[i].lc, fn, name);
        LLVMBuilderRef b = LLVMCreateBuilderInContext(parts[i].lc);
        LLVMPositionBuilderAtEnd(b, block);
        if (!(bad >> i & 1))
            LLVMBuildRetVoid(b);
        LLVMDisposeBuilder(b);
    }
}

/* Two broken parts are named in order, for any number of threads; the others compile. */
static bool two_are_refused(rlxc_context *ctx, const rlxc_options *options)
{
    rlxc_llvm_part parts[N_PARTS];
    make_parts(parts, 1 << 1 | 1 << 4);
    bool fine = !rlxc_llvm_emit_parts(ctx, options, RLXC_NATIVE_OBJECT, parts, N_PARTS);
    for (uint32_t i = 0; i < N_PARTS; i++)
        fine = fine && (parts[i].out != NULL) == (i != 1 && i != 4);
    size_t n = 0;
    const rlxc_diagnostic *said = rlxc_diagnostics(ctx, &n);
    fine = fine && n == 2 && strstr(said[0].message, "part1") && strstr(said[1].message, "part4");
    rlxc_llvm_drop_parts(parts, N_PARTS);
    return fine;
}

RLX_TEST(parts, refused_parts_are_reported_in_order)
{
    for (size_t j = 0; j < N_JOB_COUNTS; j++) {
        kernel_fixture f;
        cr_assert(kernel_fixture_init(&f, &t->allocator, 2, NULL));
        f.options.jobs = job_counts[j];
        cr_expect(two_are_refused(f.ctx, &f.options), "%u jobs: %s", job_counts[j],
                  rlxc_render_diagnostics(f.ctx));
        kernel_fixture_deinit(&f);
    }
}

static void *nothing(void *user)
{
    return user;
}

/* Runs in its own process, which may not start threads. The limit does not apply to root. */
static int without_threads(const rlx_allocator *allocator)
{
    kernel_fixture f;
    const struct rlimit none = {0, 0};
    pthread_t thread;
    if (!kernel_fixture_init(&f, allocator, 2, NULL) || setrlimit(RLIMIT_NPROC, &none) != 0 ||
        (geteuid() == 0 && setuid(65534) != 0))
        return 2;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0)
        return 3;
    f.options.jobs = 4;
    return two_are_refused(f.ctx, &f.options) ? 0 : 1;
}

RLX_TEST(parts, without_threads_the_caller_does_all)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(without_threads(&t->allocator));
    cr_assert(child > 0 && waitpid(child, &status, 0) == child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

RLX_TEST(parts, running_out_of_memory_is_an_error)
{
    bool done = false;
    for (size_t n = 1; !done; n++) {
        kernel_fixture f;
        rlxc_native out;
        cr_assert_lt(n, 200u);
        prepare(t, &f, 3, 0, 2);
        cr_assert(rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
        t->calls = 0;
        t->fail_at = n;
        t->fail_after = true;
        bool fine = rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_SHARED, &out);
        done = t->calls < n;
        t->fail_at = 0;
        cr_expect_eq(fine, done, "allocation %zu", n);
        cr_expect(fine || rlxc_out_of_memory(f.ctx), "allocation %zu", n);
        kernel_fixture_deinit(&f);
    }
}

/* --- what kernels share ---------------------------------------------------------------------- */

/* A C function has one type in the whole module, and no kernel has its name, whichever part it is
 * in. */
RLX_TEST(parts, extern_functions_are_checked_over_all_parts)
{
    static const struct {
        const char *first, *second, *message;
    } rows[] = {
        {"T.call_extern(\"float64\", \"f\", A[0])", "T.call_extern(\"float64\", \"f\", A[0], 1)",
         "different types"},
        {"T.asinh(A[0])", "T.call_extern(\"float64\", \"asinh\", 1)", "different types"},
        {"T.call_extern(\"float64\", \"asinh\", 1)", "T.asinh(A[0])", "different types"},
        {"T.call_extern(\"float64\", \"rlx_k1\", A[0])", "A[0]", "the name of a C function"},
        {"A[0]", "T.call_extern(\"float64\", \"rlx_k0\", A[0])", "the name of a C function"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static char text[MAX_TEXT];
        kernel_fixture f;
        rlxc_native out;
        size_t at = (size_t)snprintf(text, sizeof text, "@I.ir_module\nclass Module:\n");
        for (uint32_t k = 0; k < 2; k++)
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "    @T.prim_func\n"
                                   "    def k%u(A: T.Buffer((8,), \"float64\"), "
                                   "O: T.Buffer((8,), \"float64\")):\n"
                                   "        O[0] = %s\n"
                                   "        for i in T.unroll(200):\n"
                                   "            O[i %% 8] = A[i %% 8]\n",
                                   k, k ? rows[i].second : rows[i].first);
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 0, NULL, text));
        f.options.links[f.options.n_links++] = "none.o";
        bool fine = rlxc_pass_lower_tir(f.ctx, f.module, &f.options) &&
                    rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_SHARED, &out);
        cr_expect(!fine && strstr(rlxc_render_diagnostics(f.ctx), rows[i].message), "row %zu: %s",
                  i, rlxc_render_diagnostics(f.ctx));
        kernel_fixture_deinit(&f);
    }
}

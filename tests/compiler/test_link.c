/* Kernels that call C functions from an object file passed to the linker. The compiler that built
 * the tests compiles the object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/passes/passes.h"
#include "tests/compiler/kernel_fixture.h"
#include "tests/support/rlx_test.h"

/* A C function from an object file, with every kind of argument. */
RLX_TEST(link, functions_of_linked_objects_are_called)
{
    static const char source[] =
        "float mix(const float *from, long long n, float f, _Bool b, const char *text)\n"
        "{ float s = b ? 100.0f : 0; for (long long i = 0; i < n; i++) s += f * from[i];\n"
        "  return s + (float)(text[0] - 'a'); }\n"
        "void fill(float *to, int n) { for (int i = 0; i < n; i++) to[i] = (float)i; }\n";
    static const char text[] =
        "@T.prim_func\n"
        "def k(A: T.Buffer((4,)), O: T.Buffer((6,))):\n"
        "    T.call_extern(\"void\", \"fill\", O.data, 4)\n"
        "    O[4] = T.call_extern(\"float32\", \"mix\", T.address_of(A[1]), T.int64(3), "
        "T.float32(2),"
        " T.bool(True), \"c\")\n"
        "    O[5] = T.call_pure_extern(\"float32\", \"mix\", T.tvm_access_ptr("
        "T.type_annotation(\"float32\"), A.data, 2, 2, 1), T.int64(1), T.float32(1),"
        " T.bool(False), \"a\")\n";
    static const char missing[] = "@T.prim_func\n"
                                  "def k(A: T.Buffer((4,)), O: T.Buffer((6,))):\n"
                                  "    T.call_extern(\"void\", \"nowhere\", O.data, 4)\n";
    char folder[] = "/tmp/rlx-link-XXXXXX", c[64], o[64], command[200];
    cr_assert(mkdtemp(folder));
    snprintf(c, sizeof c, "%s/f.c", folder);
    snprintf(o, sizeof o, "%s/f.o", folder);
    snprintf(command, sizeof command, "cc -O1 -fPIC -c %s -o %s", c, o);
    FILE *file = fopen(c, "w");
    cr_assert(file && fputs(source, file) >= 0 && fclose(file) == 0);
    cr_assert_eq(system(command), 0);
    for (int level = 0; level < 4; level++) {
        float a[4] = {1, 2, 3, 4}, out[6] = {0};
        void *buffers[2] = {a, out};
        kernel_fixture f;
        cr_assert(kernel_fixture_parse(&f, &t->allocator, level, NULL, text));
        f.options.links[f.options.n_links++] = o;
        cr_assert(kernel_fixture_build(&f));
        cr_expect_eq(kernel_fixture_call(&f, "k", buffers, NULL), 0);
        const float want[6] = {0, 1, 2, 3, 120, 3};
        for (int i = 0; i < 6; i++)
            cr_expect_eq(out[i], want[i], "-O%d: %d is %g", level, i, (double)out[i]);
        kernel_fixture_deinit(&f);
    }
    kernel_fixture f;
    rlxc_native native;
    cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, missing));
    f.options.links[f.options.n_links++] = o;
    bool fine = rlxc_pass_lower_tir(f.ctx, f.module, &f.options) &&
                rlxc_compile_native(f.ctx, f.module, &f.options, RLXC_NATIVE_SHARED, &native);
    cr_expect(!fine && strstr(rlxc_render_diagnostics(f.ctx), "nowhere"));
    kernel_fixture_deinit(&f);
    remove(c);
    remove(o);
    rmdir(folder);
}

/* Replaces every linker by a script, or by nothing where |script| is NULL. */
static bool links_with(kernel_fixture *f, const char *folder, const char *script)
{
    static const char *const names[] = {"ld.bfd", "ld.lld-19", "ld.lld"};
    char path[64];
    rlxc_native native;
    for (size_t i = 0; script && i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "w");
        cr_assert(file && fprintf(file, "#!/bin/sh\n%s\n", script) > 0 && fclose(file) == 0);
        cr_assert_eq(chmod(path, 0700), 0);
    }
    char *before = strdup(getenv("PATH"));
    cr_assert(before && setenv("PATH", folder, 1) == 0);
    const bool fine =
        rlxc_compile_native(f->ctx, f->module, &f->options, RLXC_NATIVE_SHARED, &native);
    cr_assert_eq(setenv("PATH", before, 1), 0);
    free(before);
    for (size_t i = 0; script && i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return fine;
}

/* A linker that fails is quoted, one without memory is out of memory, and a missing one is named.
 */
RLX_TEST(link, failures_of_the_linker_are_told)
{
    static const char text[] = "@T.prim_func\n"
                               "def k(O: T.Buffer((6,))):\n"
                               "    O[0] = T.float32(1)\n";
    static const struct row {
        const char *script, *said;
        bool out_of_memory;
    } rows[] = {
        {"echo 'k.o: bad section' >&2; exit 1", "the linker failed: k.o: bad section", false},
        {"echo 'ld: memory exhausted' >&2; exit 1", NULL, true},
        {"kill -9 $$", NULL, true},
        {NULL, "no linker found: install binutils or lld", false},
    };
    char folder[] = "/tmp/rlx-link-XXXXXX";
    cr_assert(mkdtemp(folder));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel_fixture f;
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, text));
        cr_assert(rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
        cr_expect(!links_with(&f, folder, rows[i].script), "row %zu", i);
        cr_expect_eq(rlxc_out_of_memory(f.ctx), rows[i].out_of_memory, "row %zu", i);
        const char *said = rlxc_render_diagnostics(f.ctx);
        cr_expect(!rows[i].said || strstr(said, rows[i].said), "row %zu: %s", i, said);
        kernel_fixture_deinit(&f);
    }
    rmdir(folder);
}

/* Compiles in a child whose user may have |most| processes; 0 on success. */
static int compile_under_limit(kernel_fixture *f, uint32_t most, const char *complaint)
{
    rlxc_native native;
    if (!rlx_test_limit_processes(most))
        return 0;
    if (rlxc_compile_native(f->ctx, f->module, &f->options, RLXC_NATIVE_SHARED, &native))
        return complaint != NULL;
    const char *said = rlxc_render_diagnostics(f->ctx);
    if (complaint && strstr(said, complaint))
        return 0;
    fputs(said, stderr);
    return 2;
}

RLX_TEST(link, a_limit_of_processes_is_named)
{
    static const char text[] = "@T.prim_func\n"
                               "def k(A: T.Buffer((4,)), O: T.Buffer((4,))):\n"
                               "    for i in range(4):\n"
                               "        O[i] = A[i]\n";
    static const struct {
        uint32_t most;
        const char *complaint; /* NULL: succeeds, since the linker needs no threads */
    } rows[] = {{1, "cannot start the code generation process: Resource"}, {2, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel_fixture f;
        int status;
        cr_assert(kernel_fixture_parse(&f, &t->allocator, 2, NULL, text));
        cr_assert(rlxc_pass_lower_tir(f.ctx, f.module, &f.options));
        const pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0)
            _exit(compile_under_limit(&f, rows[i].most, rows[i].complaint));
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%u processes: %#x", rows[i].most,
                  (unsigned)status);
        kernel_fixture_deinit(&f);
    }
}

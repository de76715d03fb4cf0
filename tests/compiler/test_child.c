/* Compiling when memory is short. However the child process that generates code ends, the result is
 * a diagnostic. The program rlxc, under any limit on its address space, ends with status 0, or with
 * 1 and a message, and leaves no file behind. RLX_MEMORY_STEPS=40 in the environment makes the
 * sweep finer and adds the optimised code of a transformer (CI). */
#include <dirent.h>
#include <fcntl.h>
#include <llvm-c/Core.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/codegen/child.h"
#include "tests/support/rlx_test.h"

/* --- ends of a child ------------------------------------------------------------------------- */

static bool crash(void *user, rlxc_child *child)
{
    (void)child;
    rlxc_child_does("optimizing", "first", "last");
    raise(*(const int *)user);
    return true;
}

/* llvm::report_bad_alloc_error and llvm::report_fatal_error */
extern void report_bad_alloc(const char *reason,
                             bool diagnostics) __asm__("_ZN4llvm22report_bad_alloc_errorEPKcb");
extern void report_fatal(const char *reason,
                         bool diagnostics) __asm__("_ZN4llvm18report_fatal_errorEPKcb");

#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer has its own operator new */
extern void *operator_new(size_t size) __asm__("_Znwm");

static void *allocate(void *user)
{
    rlxc_child_does("emitting", "kernel", user);
    return operator_new((size_t)1 << 62);
}

static bool new_fails(void *user, rlxc_child *child)
{
    (void)child;
    (void)user;
    static const char one[] = "kernel";
    rlxc_child_does("emitting", one, one);
    return operator_new((size_t)1 << 62) == NULL;
}

static bool new_fails_in_a_thread(void *user, rlxc_child *child)
{
    pthread_t thread;
    (void)child;
    (void)user;
    static char last[] = "next";
    return pthread_create(&thread, NULL, allocate, last) == 0 && pthread_join(thread, NULL) == 0;
}
#endif

static bool llvm_has_no_memory(void *user, rlxc_child *child)
{
    (void)child;
    (void)user;
    report_bad_alloc("a buffer", true);
    return true;
}

static bool llvm_gives_up(void *user, rlxc_child *child)
{
    (void)child;
    (void)user;
    report_fatal("cannot select this", true);
    return true;
}

static bool leaves(void *user, rlxc_child *child)
{
    (void)child;
    _exit(*(const int *)user);
}

static bool refuses(void *user, rlxc_child *child)
{
    rlxc_context *ctx = *(rlxc_context **)user;
    rlxc_error(ctx, (rlxc_range){.line = 7, .col = 3}, "no %s", "way");
    rlxc_note(ctx, (rlxc_range){0}, "a note");
    return rlxc_child_put(child, "lost", 4) && false;
}

static bool context_runs_out(void *user, rlxc_child *child)
{
    (void)child;
    rlxc_child_does("building", "k", "l");
    return rlxc_try_alloc(*(rlxc_context **)user, SIZE_MAX, 16) != NULL;
}

static bool hands_over(void *user, rlxc_child *child)
{
    rlxc_warning(*(rlxc_context **)user, (rlxc_range){0}, "a warning");
    static char large[100000];
    memset(large, 'x', sizeof large);
    return rlxc_child_put(child, "", 0) && rlxc_child_put(child, large, sizeof large) &&
           rlxc_child_put(child, "end", 3);
}

RLX_TEST(child, every_end_is_a_diagnostic)
{
    static const int segv = SIGSEGV, abrt = SIGABRT, kill = SIGKILL, term = SIGTERM, zero = 0,
                     seven = 7;
    static const struct {
        bool (*work)(void *user, rlxc_child *child);
        const int *user; /* NULL: the context */
        bool out_of_memory;
        const char *said;
    } rows[] = {
        {crash, &segv, false, "LLVM crashed while optimizing kernels 'first' to 'last'"},
        {crash, &abrt, false, "Aborted (this is a bug"},
        {crash, &kill, true, "error: out of memory while generating code"},
        {crash, &term, false, "terminated by signal Terminated"},
        {leaves, &zero, false, "terminated while generating code"},
        {leaves, &seven, false, "terminated while generating code"},
        {llvm_gives_up, NULL, false, "LLVM, while generating code: cannot select this"},
        {refuses, NULL, false, "error: no way\nnote: a note\n"},
        {context_runs_out, NULL, true, "error: out of memory while building kernels 'k' to 'l'"},
        {llvm_has_no_memory, NULL, true, "error: out of memory while generating code"},
#ifndef __SANITIZE_ADDRESS__
        {new_fails, NULL, true, "error: out of memory while emitting kernel 'kernel'"},
        {new_fails_in_a_thread, NULL, true, "while emitting kernels 'kernel' to 'next'"},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlxc_items items;
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        cr_assert(ctx);
        void *user = rows[i].user ? (void *)(uintptr_t)rows[i].user : &ctx;
        const struct rlimit none = {0, 0};
        struct rlimit core;
        getrlimit(RLIMIT_CORE, &core);
        setrlimit(RLIMIT_CORE, &none);
        cr_expect(!rlxc_in_child(ctx, rows[i].work, user, &items), "row %zu", i);
        setrlimit(RLIMIT_CORE, &core);
        cr_expect_eq(rlxc_out_of_memory(ctx), rows[i].out_of_memory, "row %zu", i);
        const char *said = rlxc_render_diagnostics(ctx);
        cr_expect(strstr(said, rows[i].said), "row %zu: %s", i, said);
        rlxc_context_destroy(ctx);
    }
    cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "a child was left");
}

RLX_TEST(child, items_and_warnings_come_back)
{
    rlxc_items items;
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    cr_assert(rlxc_in_child(ctx, hands_over, &ctx, &items));
    cr_assert_eq(items.count, 3);
    cr_expect(items.items[0].len == 0 && items.items[0].data[0] == '\0');
    cr_expect(items.items[1].len == 100000 && items.items[1].data[99999] == 'x' &&
              items.items[1].data[100000] == '\0');
    cr_expect_str_eq(items.items[2].data, "end");
    cr_expect_str_eq(rlxc_render_diagnostics(ctx), "warning: a warning\n");
    rlxc_context_destroy(ctx);
}

/* How much sooner than others the system kills this process; -1: not known. */
static int oom_adjustment(void)
{
    int value = -1;
    FILE *f = fopen("/proc/self/oom_score_adj", "r");
    if (f && fscanf(f, "%d", &value) != 1)
        value = -1;
    if (f)
        fclose(f);
    return value;
}

static bool hands_over_adjustment(void *user, rlxc_child *child)
{
    const int value = oom_adjustment();
    (void)user;
    return rlxc_child_put(child, &value, sizeof value);
}

/* When memory is short the child goes before the host, but not before any other process. */
RLX_TEST(child, memory_shortage_ends_the_child_first)
{
    const int host = oom_adjustment();
    int child = -1;
    rlxc_items items;
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    cr_assert(rlxc_in_child(ctx, hands_over_adjustment, NULL, &items));
    cr_assert_eq(items.items[0].len, sizeof child);
    memcpy(&child, items.items[0].data, sizeof child);
    rlxc_context_destroy(ctx);
    if (host < 0 || host > 900 || child == host)
        printf("skipped: adjusting what the system kills\n");
    else
        cr_expect(child > host && child < 1000, "%d, host %d", child, host);
}

static volatile sig_atomic_t handled;
static void on_signal(int signal)
{
    (void)signal;
    handled++;
}

static bool signals_itself(void *user, rlxc_child *child)
{
    raise(SIGUSR1); /* kills the process by default */
    return rlxc_child_put(child, user, 4);
}

/* The child runs none of the host's signal handlers; the host's handlers, signal mask and LLVM
 * handlers are unchanged. */
RLX_TEST(child, the_hosts_handlers_do_not_run)
{
    rlxc_items items;
    sigset_t before, after;
    struct sigaction action = {.sa_handler = on_signal}, old, now;
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    sigemptyset(&before);
    sigaddset(&before, SIGUSR2);
    cr_assert(sigaction(SIGUSR1, &action, &old) == 0 &&
              pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
    cr_expect(!rlxc_in_child(ctx, signals_itself, ctx, &items));
    cr_expect(strstr(rlxc_render_diagnostics(ctx), "User defined signal 1"));
    cr_expect_eq(handled, 0);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    sigaction(SIGUSR1, &old, &now);
    cr_expect(now.sa_handler == on_signal && sigismember(&after, SIGUSR2) == 1 &&
              sigismember(&after, SIGUSR1) == 0);
    rlxc_context_destroy(ctx);
}

/* --- limits on the address space ------------------------------------------------------------- */

#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer reserves address space without limit */

enum { MAX_SAID = 4096, MIB = 1 << 20 };

/* Runs the program with |limit| bytes of address space. Returns its wait status; |said| gets the
 * end of stderr. */
static int run(const char *program, const char *const *words, rlim_t limit, char *said)
{
    int log = memfd_create("said", MFD_CLOEXEC), status = 0;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit most = {limit, limit}, none = {0, 0};
        int null = open("/dev/null", O_WRONLY);
        setrlimit(RLIMIT_CORE, &none);
        if (dup2(log, 2) < 0 || dup2(null, 1) < 0 || setrlimit(RLIMIT_AS, &most) != 0)
            _exit(99);
        execv(program, (char *const *)(uintptr_t)words);
        _exit(98);
    }
    cr_assert(log >= 0 && child > 0 && waitpid(child, &status, 0) == child);
    off_t size = lseek(log, 0, SEEK_END), skip = size >= MAX_SAID ? size - MAX_SAID + 1 : 0;
    ssize_t n = pread(log, said, MAX_SAID - 1, skip);
    said[n > 0 ? n : 0] = '\0';
    close(log);
    return status;
}

/* Removes the files in |folder| and counts them. */
static int take_files(const char *folder)
{
    int n = 0;
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n++;
        unlinkat(dirfd(dir), e->d_name, 0);
    }
    if (dir)
        closedir(dir);
    return n;
}

typedef struct sweep {
    const char *program, *folder;
    int steps;
    int succeeded, failed;
} sweep;

static void one(sweep *s, const char *const *words, rlim_t limit, const char *what)
{
    char said[MAX_SAID];
    int status = run(s->program, words, limit, said), files = take_files(s->folder);
    bool exited = WIFEXITED(status), fine = exited && WEXITSTATUS(status) == 0;
    if (fine)
        s->succeeded++;
    else
        s->failed++;
    cr_expect(fine ? files == 1
                   : exited && WEXITSTATUS(status) == 1 && files == 0 &&
                         strstr(said, "out of memory while "),
              "%s, %llu KiB: status %#x, %d files: %s", what, (unsigned long long)limit / 1024,
              (unsigned)status, files, said);
}

/* The smallest limit, to a KiB, under which the dynamic linker can load the program's libraries. */
static rlim_t least(const char *program)
{
    static const char *const words[] = {"rlxc", "--version", NULL};
    char said[MAX_SAID];
    rlim_t low = MIB, high = (rlim_t)4096 * MIB;
    while (high - low > 1024) {
        rlim_t middle = low + (high - low) / 2;
        int status = run(program, words, middle, said);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
            low = middle;
        else
            high = middle;
    }
    return high;
}

RLX_TEST(child, rlxc_under_any_limit_on_its_memory)
{
    static const struct {
        const char *words[6];
        bool slow;
    } rows[] = {
        {{"examples/digits/digits.py", "-O0", "--params", "examples/digits/digits.safetensors"},
         false},
        {{"examples/digits/digits.onnx", "-O0"}, false},
        {{"examples/digits/digits.py", "-O0", "--emit=llvm"}, false},
        {{"examples/digits/digits.py", "-O0", "--emit=asm"}, false},
        {{"examples/digits/digits.onnx", "-O0", "--emit=obj"}, false},
        {{"examples/chargpt/chargpt.py", "-O2", "--params", "examples/chargpt/chargpt.safetensors"},
         true},
        {{"examples/chargpt/chargpt.onnx", "-O2", "-j", "2"}, true},
        {{"examples/chargpt/chargpt.py", "-O1", "--emit=asm"}, true},
    };
    (void)t;
    const char *build = getenv("RLX_BUILD"), *steps = getenv("RLX_MEMORY_STEPS");
    char program[512], folder[] = "/tmp/rlx-child-XXXXXX", output[64];
    snprintf(program, sizeof program, "%s/rlxc", build ? build : "build");
    cr_assert(mkdtemp(folder));
    snprintf(output, sizeof output, "%s/out", folder);
    sweep s = {.program = program, .folder = folder, .steps = steps ? atoi(steps) : 7};
    const rlim_t from = least(program), span = (rlim_t)(steps ? 160 : 84) * MIB;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *words[12] = {"rlxc", "-o", output};
        for (int k = 0; rows[i].words[k]; k++)
            words[3 + k] = rows[i].words[k];
        if (rows[i].slow && !steps)
            continue;
        for (int step = 0; step < s.steps; step++)
            one(&s, words, from + span * (rlim_t)step / (rlim_t)(s.steps - 1), rows[i].words[0]);
    }
    cr_expect(s.succeeded > 0 && s.failed > 0, "%d succeeded, %d failed", s.succeeded, s.failed);
    rmdir(folder);
}
#endif

/* The main program of the test suite under ThreadSanitizer; empty in every other build. With
 * "--jobs N" N processes take the next test each, until none is left. */
#if defined(__SANITIZE_THREAD__)
#include "plain_runner.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_TESTS = 1024, MAX_JOBS = 16 };

static struct {
    const char *suite, *name;
    void (*body)(void);
} tests[MAX_TESTS];
static unsigned n_tests;
static bool failed;

/* What the processes have in common. */
static struct {
    atomic_uint next, failures;
} * counts;

void rlx_plain_add(const char *suite, const char *name, void (*body)(void))
{
    if (n_tests == MAX_TESTS)
        abort();
    tests[n_tests].suite = suite;
    tests[n_tests].name = name;
    tests[n_tests++].body = body;
}

void rlx_plain_check(bool fatal, bool ok, const char *file, int line, const char *what,
                     const char *format, ...)
{
    va_list args;
    if (ok)
        return;
    printf("%s:%d: %s: ", file, line, what);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    failed = true;
    if (fatal)
        exit(1); /* ends this process: work() of the others goes on */
}

static void work(void)
{
    for (unsigned i; (i = atomic_fetch_add(&counts->next, 1)) < n_tests;) {
        failed = false;
        tests[i].body();
        if (failed) {
            printf("[FAIL] %s::%s\n", tests[i].suite, tests[i].name);
            atomic_fetch_add(&counts->failures, 1);
        }
    }
}

int main(int argc, char **argv)
{
    const int wanted = argc == 3 && strcmp(argv[1], "--jobs") == 0 ? atoi(argv[2]) : 1;
    const int jobs = wanted < 1 ? 1 : wanted > MAX_JOBS ? MAX_JOBS : wanted;
    unsigned n_failed = 0;
    int status = 0;
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        abort();
    for (int i = 0; i < jobs; i++) {
        const pid_t child = fork();
        if (child < 0)
            abort();
        if (child == 0) {
            work();
            exit(0);
        }
    }
    while (wait(&status) > 0)
        n_failed += status != 0; /* a failed assertion, a crash or a report of the sanitizer */
    n_failed += atomic_load(&counts->failures);
    printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: 0\n", n_tests,
           n_tests - n_failed, n_failed);
    return n_failed != 0;
}
#else
typedef int rlx_plain_runner_is_for_thread_sanitizer;
#endif

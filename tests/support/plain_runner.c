/* The main program of the test suite under ThreadSanitizer; empty in every other build. */
#if defined(__SANITIZE_THREAD__)
#include "plain_runner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TESTS = 1024 };

static struct {
    const char *suite, *name;
    void (*body)(void);
} tests[MAX_TESTS];
static unsigned n_tests, n_failed;
static bool failed;

void rlx_plain_add(const char *suite, const char *name, void (*body)(void))
{
    if (n_tests == MAX_TESTS)
        abort();
    tests[n_tests].suite = suite;
    tests[n_tests].name = name;
    tests[n_tests++].body = body;
}

static void summary(unsigned run)
{
    printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: 0\n", run,
           run - n_failed, n_failed);
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
    if (fatal) {
        n_failed++;
        summary(n_tests);
        exit(1);
    }
}

int main(void)
{
    for (unsigned i = 0; i < n_tests; i++) {
        failed = false;
        tests[i].body();
        n_failed += failed;
        if (failed)
            printf("[FAIL] %s::%s\n", tests[i].suite, tests[i].name);
    }
    summary(n_tests);
    return n_failed != 0;
}
#else
typedef int rlx_plain_runner_is_for_thread_sanitizer;
#endif

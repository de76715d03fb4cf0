/* The wrapper around Criterion that every test uses. RLX_TEST(suite, name_says_the_fact) { ... }
 * runs its body with a test context |t| whose allocator counts; no block may be live after the
 * body. Leaks are checked inside the test, because a failing assertion in a Criterion fixture does
 * not fail the test. Put tables of cases inside one test (each test costs a process), never into
 * Criterion's parameters (pointers break there). */
#ifndef RLX_TEST_H
#define RLX_TEST_H

#if defined(__SANITIZE_THREAD__)
#include "plain_runner.h"
#else
#include <criterion/criterion.h>
#endif
#include <rlx/rlx.h>
#include <sys/types.h>

typedef struct rlx_test {
    rlx_allocator allocator; /* counts; pass it to every create */
    /* The compiler's child processes (compiler/codegen/child.c) count as calls and fail as
     * requested; live blocks are those of the test's own process. */
    pid_t process;
    size_t live_blocks, live_bytes, calls;
    size_t most_bytes;      /* peak of live_bytes; a test may reset it */
    size_t fail_at;         /* the allocation, counted from 1, that fails; 0: none */
    bool fail_after;        /* all later allocations fail as well */
    rlx_registry *registry; /* holds the test kernels and packed functions; created on first use */
    rlx_error error;
} rlx_test;

void rlx_test_run(void (*body)(rlx_test *t));

#define RLX_TEST(suite, name)                \
    static void suite##_##name(rlx_test *t); \
    Test(suite, name)                        \
    {                                        \
        rlx_test_run(suite##_##name);        \
    }                                        \
    static void suite##_##name(__attribute__((unused)) rlx_test *t)

/* Fails the test with the error's message unless |call| succeeds. */
#define RLX_OKAY(call)                                                            \
    do {                                                                          \
        t->error = (rlx_error){0};                                                \
        rlx_status rlx_okay_status = (call);                                      \
        cr_assert_eq(rlx_okay_status, RLX_OK, "%s: %s", #call, t->error.message); \
    } while (0)

/* Fails the test unless |call| returns |code| and a message that contains |text|. */
#define RLX_FAILS(call, code_, text)                                                  \
    do {                                                                              \
        t->error = (rlx_error){0};                                                    \
        rlx_status rlx_fails_status = (call);                                         \
        cr_assert_eq(rlx_fails_status, (code_), "%s gave %s: %s", #call,              \
                     rlx_status_name(rlx_fails_status), t->error.message);            \
        cr_assert(strstr(t->error.message, (text)), "%s: \"%s\" lacks \"%s\"", #call, \
                  t->error.message, (text));                                          \
    } while (0)

/* Assembles and loads text, with trust in code for devices; fails the test on an error. */
rlx_executable *rlx_test_load(rlx_test *t, const char *text);
/* The same, but returns the status. */
rlx_status rlx_test_try_load(rlx_test *t, const char *text, rlx_executable **out);
/* A VM with the test's allocator and registry (rlx_test.c lists its contents). */
rlx_vm *rlx_test_vm(rlx_test *t, rlx_executable *exe);
rlx_registry *rlx_test_registry(rlx_test *t);
/* A float32 tensor filled with 0, 1, 2, ... */
rlx_value rlx_test_iota(rlx_test *t, uint32_t ndim, const int64_t *dims);
rlx_value rlx_test_shape(rlx_test *t, uint32_t n, const int64_t *dims);
/* For a forked child: switches to a user without other processes, who may have |most| processes and
 * threads, and limits its time to 60 seconds. False if that is impossible: it
 * requires root and a user namespace. */
bool rlx_test_limit_processes(uint32_t most);
/* The path of file |name| in the build's folder. False if the path is too long. */
bool rlx_test_built(const char *name, char *out, size_t size);
/* The path of unpacked test data (`make data`), such as |name| "corpus/onnx/conv.onnx". False if
 * the path is too long. */
bool rlx_test_data(const char *name, char *out, size_t size);
/* Whether this run takes case |i| of a table whose cases compile slowly: every |of|th, to keep
 * `make test` short, or all with RLX_THOROUGH=1 (`make test THOROUGH=1`, used by CI). */
bool rlx_test_takes(size_t i, size_t of);

#endif

/* The wrapper round Criterion that every test goes through.

   RLX_TEST(suite, name_says_the_fact) { ... } runs its body with a test context |t| whose allocator
   counts; after the body no block of it may be live. Leaks are checked inside the test, because a
   failing assertion in a Criterion fixture does not fail the test. Tables of cases belong inside
   one test (a test costs a process), never into Criterion's parameters (pointers break there). */
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
    rlx_allocator allocator; /* counting; give it to every create */
    /* What the compiler's child processes (compiler/codegen/child.c) do counts as calls, and fails
       as asked; live blocks are those of the test's own process. */
    pid_t process;
    size_t live_blocks, live_bytes, calls;
    size_t most_bytes;      /* that were live at once; a test may set it back */
    size_t fail_at;         /* the call, counted from 1, that returns NULL; 0: none */
    bool fail_after;        /* all later calls fail as well */
    rlx_registry *registry; /* the test kernels and packed functions; made on use */
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

/* Fails the test unless |call| gives |code| and a message that contains |text|. */
#define RLX_FAILS(call, code_, text)                                                  \
    do {                                                                              \
        t->error = (rlx_error){0};                                                    \
        rlx_status rlx_fails_status = (call);                                         \
        cr_assert_eq(rlx_fails_status, (code_), "%s gave %s: %s", #call,              \
                     rlx_status_name(rlx_fails_status), t->error.message);            \
        cr_assert(strstr(t->error.message, (text)), "%s: \"%s\" lacks \"%s\"", #call, \
                  t->error.message, (text));                                          \
    } while (0)

/* Assembles and loads text; fails the test if that does not work. */
rlx_executable *rlx_test_load(rlx_test *t, const char *text);
/* The same without the verdict. */
rlx_status rlx_test_try_load(rlx_test *t, const char *text, rlx_executable **out);
/* A VM with the test's allocator and registry (see rlx_test.c for what is in it). */
rlx_vm *rlx_test_vm(rlx_test *t, rlx_executable *exe);
rlx_registry *rlx_test_registry(rlx_test *t);
/* A float32 tensor filled with 0, 1, 2, ... */
rlx_value rlx_test_iota(rlx_test *t, uint32_t ndim, const int64_t *dims);
rlx_value rlx_test_shape(rlx_test *t, uint32_t n, const int64_t *dims);
/* For a child that a test forks: from now on it has a user without other processes, who may have
   |most| processes and threads, and after 60 seconds SIGALRM ends it. False where that cannot be
   had: it takes root, and a namespace with other users. */
bool rlx_test_limit_processes(uint32_t most);
/* The path of unpacked test data (`make data`): |name| is "corpus/onnx/conv.onnx". False: too long.
 */
bool rlx_test_data(const char *name, char *out, size_t size);
/* Whether this run takes case |i| of a table whose cases take long to compile: every |of|th, so
   that `make test` stays short, or all of them with RLX_THOROUGH=1 (`make test THOROUGH=1`, as CI
   runs it). */
bool rlx_test_takes(size_t i, size_t of);

#endif

/* What the tests of the compiler as a library share. */
#ifndef RLX_TESTS_LIBRARY_H
#define RLX_TESTS_LIBRARY_H

#include "rlx/compiler.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

/* A compiler with the test's allocator. */
rlx_compiler *library_compiler(rlx_test *t);
/* The text as a module of "m.py"; fails the test if it does not parse. */
rlx_ir_module *library_parse(rlx_test *t, rlx_compiler *c, const char *text);
/* A model built by calls: mlp(x) = relu(x @ w) + x summed over its last axis, x of (n, 2). */
rlx_status library_build(rlx_compiler *c, rlx_ir_module **out, rlx_error *err);
/* main of |exe| on a vector x of |n| and, unless NULL, a vector w of 2, gives |want|. */
void library_expect(rlx_test *t, rlx_executable *exe, int64_t n, const float *w, const float *x,
                    const float *want);

#endif

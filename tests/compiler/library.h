/* Helpers shared by the tests of the compiler library. */
#ifndef RLX_TESTS_LIBRARY_H
#define RLX_TESTS_LIBRARY_H

#include "rlx/compiler.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

/* A compiler that uses the test's allocator. */
rlx_compiler *library_compiler(rlx_test *t);
/* Parses the text as module "m.py"; fails the test on a parse error. */
rlx_ir_module *library_parse(rlx_test *t, rlx_compiler *c, const char *text);
/* Builds mlp(x) = relu(x @ w) + x, summed over its last axis, with x of shape (n, 2). */
rlx_status library_build(rlx_compiler *c, rlx_ir_module **out, rlx_error *err);
/* Checks that main of |exe| returns |want| for a vector x of |n| elements and, unless NULL, a
 * vector w of 2. */
void library_expect(rlx_test *t, rlx_executable *exe, int64_t n, const float *w, const float *x,
                    const float *want);

#endif

/* Calls a builtin: tests build its arguments from plain numbers and compare the result with plain
 * numbers. */
#ifndef BUILTIN_FIXTURE_H
#define BUILTIN_FIXTURE_H

#include "tests/support/rlx_test.h"

enum { MOST_ELEMENTS = 512, MOST_ARGS = 16 };

/* Loads a function main that passes its |n| objects to builtin |name| and returns the result. */
rlx_executable *load_builtin(rlx_test *t, const char *name, uint32_t n);
/* Calls the builtin once and releases |args|. */
rlx_status try_builtin(rlx_test *t, const char *name, rlx_value *args, uint32_t n, rlx_value *out);
/* Like try_builtin, but fails the test when the call fails. */
rlx_value call_builtin(rlx_test *t, const char *name, rlx_value *args, uint32_t n);

/* A tensor of |dtype| from |values|, each converted; NULL: zeros. */
rlx_value make_tensor(rlx_test *t, rlx_dtype dtype, uint32_t ndim, const int64_t *dims,
                      const double *values);
/* Element |i| as a double. */
double element(rlx_value v, int64_t i);
/* Expects |v| to equal this tensor, with NaN equal to NaN. The failure message starts with |what|.
 */
void expect_tensor(const char *what, rlx_value v, rlx_dtype dtype, uint32_t ndim,
                   const int64_t *dims, const double *values);
void expect_shape(const char *what, rlx_value v, uint32_t n, const int64_t *dims);
rlx_value make_text(rlx_test *t, const char *text);

#endif

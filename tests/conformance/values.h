/* Values of conformance cases: reads them from JSON and .npy files, and compares them with results.
 */
#ifndef TESTS_CONFORMANCE_VALUES_H
#define TESTS_CONFORMANCE_VALUES_H

#include <jansson.h>
#include <rlx/rlx.h>

/* Why a case failed; only the first reason is kept. It fits one atomic write to a pipe. */
typedef struct complaint {
    char text[600];
} complaint;

/* Always false, so that checks can return it. */
bool complain(complaint *c, const char *format, ...) RLX_PRINTF(2, 3);

/* Allowed error of a float result: |atol| + |rtol| * abs(expected). */
typedef struct tolerance {
    double rtol, atol;
} tolerance;

/* Builds the value that |node| of case.json describes; tensors come from files in |folder|. On
 * failure returns false and sets |c|. */
bool read_value(const char *folder, const json_t *node, rlx_value *out, complaint *c);

/* Whether |got| equals the value |node|: kinds, dtypes, shapes and integers exactly, floats within
 * |tol|. The error message starts with |name|. */
bool compare_value(const char *folder, const json_t *node, rlx_value got, tolerance tol,
                   const char *name, complaint *c);

#endif

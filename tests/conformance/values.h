/* Values of conformance cases: from JSON and .npy files, and compared with results. */
#ifndef TESTS_CONFORMANCE_VALUES_H
#define TESTS_CONFORMANCE_VALUES_H

#include <jansson.h>
#include <rlx/rlx.h>

/* What is wrong with a case; the first complaint stays. One write to a pipe holds all of it. */
typedef struct complaint {
    char text[600];
} complaint;

/* Always false, so that checks can return it. */
bool complain(complaint *c, const char *format, ...) RLX_PRINTF(2, 3);

/* How far a float result may be off: |atol| + |rtol| * abs(expected). */
typedef struct tolerance {
    double rtol, atol;
} tolerance;

/* The value that |node| of case.json says; tensors come from files in |folder|. False with a
 * complaint. */
bool read_value(const char *folder, const json_t *node, rlx_value *out, complaint *c);

/* Whether |got| is the value |node|: kinds, dtypes, shapes and integers exactly, floats within
 * |tol|. |name| stands in the complaint. */
bool compare_value(const char *folder, const json_t *node, rlx_value got, tolerance tol,
                   const char *name, complaint *c);

#endif

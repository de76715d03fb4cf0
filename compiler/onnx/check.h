/* Run-time checks of the sizes, axes, steps and lengths that a node reads, by the rules of its
 * operator. A provably valid value emits nothing; a provably invalid one fails the node; otherwise
 * a builtin checks it at run time (docs/values.md), unless the module is compiled with --lenient.
 * |what| names the value, after the operator: "TopK: k is 9, expected 0 to 4". */
#ifndef RLXC_ONNX_CHECK_H
#define RLXC_ONNX_CHECK_H

#include "compiler/onnx/importer.h"

/* low <= e <= high; |high| may be NULL: no limit. */
void rlxc_ox_check_number(rlxc_ox *im, const rlxc_expr *e, const rlxc_expr *low,
                          const rlxc_expr *high, const char *what);
void rlxc_ox_check_least(rlxc_ox *im, const rlxc_expr *e, int64_t low, const char *what);
/* The axis |e| of |ndim| dimensions, counted from the start; |e| may count from the end. */
const rlxc_expr *rlxc_ox_checked_axis(rlxc_ox *im, const rlxc_expr *e, uint32_t ndim);
void rlxc_ox_check_nonzero(rlxc_ox *im, const rlxc_expr *e, const char *what);
/* All elements of the integer tensor |x| are in [low, high). */
void rlxc_ox_check_elements(rlxc_ox *im, rlxc_atom x, const rlxc_expr *low, const rlxc_expr *high,
                            const char *what);
/* As above for the elements of a float tensor, none of which may be NaN. */
void rlxc_ox_check_nonzero_elements(rlxc_ox *im, rlxc_atom x, const char *what);

#endif

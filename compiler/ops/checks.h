/* Run-time checks of the values that decide where an operator reads and writes, and of its
 * divisors. checks.def lists the operators with checks, and what happens without them.
 *
 * A check is a call of a builtin before the operator (builtins/check.c). A check of a tensor
 * returns the tensor, and the operator reads that result, so no pass can drop the check or move the
 * operator before it. Values that are provably valid are not checked. */
#ifndef RLXC_OPS_CHECKS_H
#define RLXC_OPS_CHECKS_H

#include "compiler/ops/op_infer.h"

typedef struct rlxc_value_checks { /* state of one run over a module */
    rlxc_map seen;                 /* tensor -> its newest check */
    rlxc_map ranges;               /* variable -> rlxc_value_range (value_range.h) */
} rlxc_value_checks;

/* Emits the checks of |call|, whose arguments have known dimensions, and replaces its arguments by
 * their results. */
void rlxc_emit_value_checks(rlxc_value_checks *checks, rlxc_builder *b, rlxc_binding *call);

/* The rows of checks.def: operator, what a strict module refuses, what a lenient one computes. */
typedef struct rlxc_check_row {
    const char *op, *what, *lenient;
} rlxc_check_row;
const rlxc_check_row *rlxc_check_rows(uint32_t *out_count);

#endif

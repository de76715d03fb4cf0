/* The checks of a PrimFunc's parameters, from its attribute rlx.checks (pass sink_checks). */
#ifndef RLXC_CODEGEN_PARAM_CHECKS_H
#define RLXC_CODEGEN_PARAM_CHECKS_H

#include "compiler/ir/tir.h"

typedef struct rlxc_param_check {
    const rlxc_buffer *buffer;
    const rlxc_expr *size; /* the limits are [-size, size); NULL: low and high */
    int64_t low, high;
    const char *text;
    const char *file, *name; /* the place named in errors; NULL: the kernel's call */
    int64_t line, column;
} rlxc_param_check;

/* Returns the number of checks; 0 with a diagnostic if the attribute is malformed. */
uint32_t rlxc_param_checks(rlxc_context *ctx, const rlxc_prim_func *f, rlxc_param_check **out);

#endif

/* Private to wellformed.c (graph), wellformed_tir.c (tensor programs) and wellformed_device.c:
 * reports violations of the invariants. */
#ifndef RLXC_IR_WELLFORMED_H
#define RLXC_IR_WELLFORMED_H

#include "compiler/ir/relax.h"

typedef struct rlxc_checker {
    rlxc_context *ctx;
    const char *stage;
    bool internal;        /* violations are bugs of the compiler, not errors of the user */
    const char *function; /* being checked */
    uint32_t violations;
} rlxc_checker;

/* Reports a violation of invariant |number|; counted, and dropped after RLXC_MAX_ERRORS. */
void rlxc_violation(rlxc_checker *c, rlxc_range range, int number, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Invariant 20. |what| has the sizes. */
void rlxc_check_stated_sizes(rlxc_checker *c, rlxc_range range, const char *what,
                             const rlxc_expr *const *sizes, uint32_t n);
/* Invariants 12 to 16 of wellformed.c. */
void rlxc_check_prim_func(rlxc_checker *c, const rlxc_prim_func *f);
/* Invariants 17 to 19 of wellformed_device.c: of a binding, without the bodies in it; of a
 * function's signature and result. */
void rlxc_check_binding_devices(rlxc_checker *c, const rlxc_module *module, const rlxc_binding *b);
void rlxc_check_function_devices(rlxc_checker *c, const rlxc_module *module,
                                 const rlxc_function *f);

#endif

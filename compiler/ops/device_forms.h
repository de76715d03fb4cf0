/* Kernels that replace builtins: on devices, where builtins cannot run, and in C programs, which
 * have no builtins. device_forms.def lists them; pass place_kernels asks for them. */
#ifndef RLXC_OPS_DEVICE_FORMS_H
#define RLXC_OPS_DEVICE_FORMS_H

#include "compiler/ops/te.h"

/* True for a builtin whose result a device may compute, where its operands are. */
bool rlxc_device_may_do(const char *builtin);
/* Emits kernels for |call|, a call of a builtin, on the builder's device or the CPU, where its
 * tensors are; |*out| becomes its result. False, with nothing emitted, if there is no kernel. */
bool rlxc_emit_device_form(rlxc_builder *b, const rlxc_binding *call, rlxc_atom *out);
/* The same for a call of rlx.nonzero in a program in C, whose result's size is data. */
bool rlxc_emit_nonzero(rlxc_builder *b, const rlxc_binding *call, rlxc_atom *out);

/* Fails where |wrong|: "model.py:7:9: |before| a |between| b". a < 0 or a >= b there, without which
 * T.check_index does not fail. */
const rlxc_stmt *rlxc_form_fail_if(rlxc_te *te, const rlxc_expr *wrong, const char *before,
                                   const rlxc_expr *a, const char *between, const rlxc_expr *b);

/* The functions that device_forms.def names, called after |te| has begun: false if they do not
 * support the operands. */
#define RLXC_DEVICE_FORM(builtin, form, result) bool rlxc_form_##form(rlxc_te *te);
#include "compiler/ops/device_forms.def"
#undef RLXC_DEVICE_FORM

#endif

/* The effects of a binding beyond computing its value, from the flags of operators, functions and
 * forms. */
#ifndef RLXC_ANALYSIS_EFFECTS_H
#define RLXC_ANALYSIS_EFFECTS_H

#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"

/* Has no effect beyond its value, so it may be dropped when unused. False for match_cast: it
 * defines symbols and can fail. */
bool rlxc_binding_is_pure(const rlxc_module *module, const rlxc_binding *binding);
/* Two equal bindings have interchangeable values: it is pure, creates no new identity and
 * overwrites no argument. */
bool rlxc_binding_is_mergeable(const rlxc_module *module, const rlxc_binding *binding);

/* A call of a builtin that only checks values: nothing reads its result.
 */
bool rlxc_is_kept_check(const rlxc_binding *b);
/* Can fail or define symbols, and does nothing else: computations may move past it. */
bool rlxc_only_checks(const rlxc_module *module, const rlxc_binding *b);

/* A call that writes into an argument: call_tir_inplace, call_inplace_packed. */
bool rlxc_call_destroys(const rlxc_binding *call);

/* True if a Relax function calls the global |name| or passes it on. */
bool rlxc_is_mentioned(const rlxc_module *module, const char *name);

/* Removes private functions that no exported Relax function reaches. Does nothing in a module
 * without exported functions. */
void rlxc_drop_unreachable(rlxc_context *ctx, rlxc_module *module);

#endif

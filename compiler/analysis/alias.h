/* Which results share memory with which operands, and which calls may keep an operand.
 *
 * Both answers come from the binding's form, the operator's flags and, for extern functions, the
 * runtime's builtin table. For unknown callees they are conservative. */
#ifndef RLXC_ANALYSIS_ALIAS_H
#define RLXC_ANALYSIS_ALIAS_H

#include "compiler/ir/relax.h"
#include "rlx/builtin.h"

typedef void (*rlxc_atom_fn)(void *user, rlxc_atom atom);

/* True when a value of this type can hold tensor memory (not a number, a shape or nothing). */
bool rlxc_may_hold_memory(const rlxc_sinfo *sinfo);
/* True for the empty tuple, the type of calls made for their effect. */
bool rlxc_is_void(const rlxc_sinfo *sinfo);

/* Calls |visit| for each atom whose memory the result of |binding| may share. IF: the branches'
 * results. Tuple atoms are given as they are. */
void rlxc_alias_sources(const rlxc_module *module, const rlxc_binding *binding, rlxc_atom_fn visit,
                        void *user);
/* Calls |visit| for each atom that |binding| reads: the callee if it is a variable, and the
 * arguments. The branches of an IF are not entered. */
void rlxc_binding_reads(const rlxc_binding *binding, rlxc_atom_fn visit, void *user);

/* True when |binding| calls something that may keep its arguments beyond the call: a packed
 * function that the runtime does not define. With |module_retains| also calls into the module. */
bool rlxc_call_retains(const rlxc_module *module, const rlxc_binding *binding, bool module_retains);
/* True when some function of |module| calls such a packed function. */
bool rlxc_module_retains(const rlxc_module *module);

/* The runtime's builtin row named |name|; NULL if there is none. */
const rlx_builtin *rlxc_find_builtin(const char *name);
/* True when |binding| calls a builtin whose result shares no memory with an operand. */
bool rlxc_calls_fresh_builtin(const rlxc_binding *binding);
/* The storage scope of an R.memory.alloc_storage that is an interval of the memory plan: it lives
 * until its kill_storage, at an offset computed once the sizes are known. */
#define RLXC_PLANNED_SCOPE "planned"
bool rlxc_is_planned_storage(const rlxc_binding *binding);
/* True when the operator of |binding| has this name. */
bool rlxc_is_op(const rlxc_binding *binding, const char *name);
/* True when the operator of |binding| has one of the flags (rlxc_op_flags). */
bool rlxc_has_op_flag(const rlxc_binding *binding, uint32_t flags);
/* True when |f| has a binding for which |test| holds. */
bool rlxc_uses_op_flag(const rlxc_function *f, uint32_t flags);

/* True when |f| has kills, so its memory is already planned. Kills name variables, so uses must not
 * move from one variable to another. */
bool rlxc_has_kills(const rlxc_function *f);

/* Calls |visit| for each binding in order; branches of an IF come before the IF itself. Stops when
 * it returns false. */
bool rlxc_each_binding(const rlxc_body *body, bool (*visit)(void *user, rlxc_binding *binding),
                       void *user);

#endif

/* The rules of the schedule (rules.def) and what they are written
 * with.
 *
 * To add one: a row in rules.def, and rlxc_rule_NAME in a file of its own. The rule looks at stage
 * |i| and those behind it, whose kinds are those of its row's pattern; if it takes them it pushes
 * the statements that replace them to c->out and gives true. They are printed as a block of its
 * name. Stages that a rule runs together with them, beyond its pattern, it marks |done| (they stay
 * to be asked about) or |removed|. */
#ifndef RLXC_KERNELS_RULES_H
#define RLXC_KERNELS_RULES_H

#include "compiler/schedule/stages.h"

#define RLXC_RULE(name, pattern, doc) bool rlxc_rule_##name(rlxc_schedule *c, uint32_t i);
#include "compiler/kernels/rules.def"
#undef RLXC_RULE

#endif

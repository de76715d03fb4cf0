/* Private to compiler/tir: the rules of the schedule (rules.def) and what they are written with.
 *
 * To add one: a row in rules.def, and rlxc_rule_NAME in a file of its own. The rule looks at stage
 * |i| and those behind it, whose kinds are those of its row's pattern; if it takes them it pushes
 * the statements that replace them to c->out and gives true. They are printed as a block of its
 * name. Stages that a rule runs together with them, beyond its pattern, it marks |done| (they stay
 * to be asked about) or |removed|. */
#ifndef RLXC_TIR_SCHEDULE_H
#define RLXC_TIR_SCHEDULE_H

#include "compiler/tir/stages.h"

#define RLXC_RULE(name, pattern, doc) bool rlxc_rule_##name(rlxc_schedule *c, uint32_t i);
#include "compiler/tir/rules.def"
#undef RLXC_RULE

/* The stage that only maps the result of stage |i| element by element, so that it can run on each
 * tile of what stages |first| to |i| compute together; NULL if there is none. */
rlxc_stage *rlxc_epilogue_of(const rlxc_stages *s, uint32_t first, uint32_t i);
/* The epilogue, or NULL, has been emitted with stage |i|, whose result then is stored nowhere. */
void rlxc_epilogue_done(rlxc_stages *s, uint32_t i, rlxc_stage *epilogue);

#endif

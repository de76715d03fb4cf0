/* The scheduling rules (rules.def) and their interface.
 *
 * To add one: a row in rules.def, a list of sizes in sizes.h, and two functions in a file of their
 * own. rlxc_decide_NAME looks at stage |i| and the following ones, whose kinds match its row's
 * pattern, and returns its sizes, or false with a reason (rlxc_decline); it changes nothing.
 * rlxc_apply_NAME pushes the statements that replace the stages to c->out, with those sizes; it
 * decides nothing, and returns false with a reason if the stages, or these sizes, do not fit: sizes
 * may come from a file. A rule that makes a list of steps sets c->steps and c->n_stages instead. It
 * marks further stages that run together with them, beyond the pattern, as |done| (later rules
 * still see them) or |removed|. The pushed statements are printed as a block with the rule's name.
 */
#ifndef RLXC_KERNELS_RULES_H
#define RLXC_KERNELS_RULES_H

#include "compiler/kernels/sizes.h"
#include "compiler/schedule/stages.h"
#include "compiler/schedule/step.h"

#define RLXC_RULE(name, targets, level, pattern, step, kernel, doc)     \
    bool rlxc_decide_##name(rlxc_schedule *c, uint32_t i, void *sizes); \
    bool rlxc_apply_##name(rlxc_schedule *c, uint32_t i, const void *sizes);
#include "compiler/kernels/rules.def"
#undef RLXC_RULE

enum { RLXC_BLOCK_THREADS = 256 }; /* of a device's block where nothing asks for another number */

typedef struct rlxc_rule {
    const char *name;
    const char *targets; /* kinds, with spaces between them; "": all */
    const char *pattern;
    rlxc_step_kind step;
    const char *kernel; /* "": the step has none */
    const rlxc_size_row *sizes;
    uint32_t n_sizes;
    bool (*decide)(rlxc_schedule *c, uint32_t i, void *sizes);
    bool (*apply)(rlxc_schedule *c, uint32_t i, const void *sizes);
} rlxc_rule;
/* The table, and the row of a name. */
const rlxc_rule *rlxc_rules(uint32_t *out_count);
const rlxc_rule *rlxc_rule_named(const char *name);

/* The key of the annotation that begins a list of steps made by a rule. */
#define RLXC_RULE_MARK "rlx.rule"

/* True if the rule applies to functions of this target. */
bool rlxc_rule_is_for(const rlxc_rule *rule, const rlxc_target *target);
/* True if the stages from |i| on exist, are not taken, and match the kinds of the rule's
   pattern. */
bool rlxc_rule_fits(const rlxc_stages *s, uint32_t i, const rlxc_rule *rule);

/* The schedules of a module: the rules' decisions, and the steps that replace them. */
typedef struct rlxc_rule_steps {
    rlxc_schedules made;         /* a list for each function that steps were made for, in order */
    const rlxc_schedules *given; /* functions in it take these steps and no others; or NULL */
    rlxc_map used;               /* steps of |given| that were applied */
    const rlxc_rule *off;        /* a disabled rule; or NULL */
    /* The steps in a database for a function that is not in |given|, before any rule; or NULL.
     * Called once for each function, whose blocks it may rename; |lists| has the answers. */
    rlxc_schedule_steps *(*stored)(void *user, rlxc_context *ctx, rlxc_prim_func *f);
    void *user;
    rlxc_map lists;
} rlxc_rule_steps;

/* The rule that the step represents, and the name of its block, found among the steps before it;
 * NULL if it is not a step of a rule. */
const rlxc_rule *rlxc_rule_of_step(const rlxc_schedule_steps *list, const rlxc_step *step,
                                   const char **out_block);
/* Makes the names of blocks of |f| unique: "add", "add_1"; steps refer to blocks by name. */
void rlxc_name_blocks(rlxc_context *ctx, rlxc_prim_func *f);
/* True if rules handle all steps of the list, with at least one kernel: other lists go to the
 * engine. */
bool rlxc_rules_take(const rlxc_schedule_steps *list);

/* Applies loop steps to |n| stages from |i| on, as if they were a function of their own, and pushes
 * the resulting statements. False with a reason (rlxc_decline) or, for |given| steps, an error at
 * the step. */
bool rlxc_run_steps(rlxc_schedule *c, uint32_t i, uint32_t n, const rlxc_schedule_steps *steps,
                    bool given);
/* The part of the list that begins at the annotation |step| of a rule: with the get_block of its
 * block, and up to the steps of other rules. */
void rlxc_steps_of_rule(const rlxc_schedule_steps *list, const rlxc_step *step, uint32_t *out_first,
                        uint32_t *out_end);

/* Rebuilds the function's body from its stages: |stmts[i]| if stage i is done, nothing if it was
 * removed. */
void rlxc_put_stages(rlxc_stages *s, const rlxc_stmt *const *stmts);

/* The list with other sizes at step |step|, from row |number| of alternatives.def; NULL if nothing
 * changes. The new sizes may not fit the blocks. */
rlxc_schedule_steps *rlxc_alternative(rlxc_context *ctx, const rlxc_schedule_steps *list,
                                      uint32_t step, uint32_t number);
uint32_t rlxc_alternative_count(void);

/* The non-zero sizes as the argument of a step. */
rlxc_attrs rlxc_sizes_to_attrs(rlxc_context *ctx, const rlxc_rule *rule, const int64_t *sizes);
/* The sizes of a step within their bounds; false with an error at the step. */
bool rlxc_sizes_of_step(rlxc_context *ctx, const rlxc_rule *rule, const rlxc_step *step,
                        int64_t out[RLXC_MAX_SIZES]);

#endif

/* Why a rule of the schedule took a block or left it: what `rlxc --explain` prints.
 *
 * Rules say their reason where they decline (rlxc_decline). Nothing is formatted, and no argument
 * is evaluated, unless the driver asked for explanations and a rule is being asked about a block:
 * the same functions also serve passes that only look. The last reason counts, as callers know more
 * than what they call.
 *
 * Blocks stand in the order of the module, rules in the order of rules.def. Thread-compatible: one
 * compilation writes to one rlxc_explain. */
#ifndef RLXC_SCHEDULE_EXPLAIN_H
#define RLXC_SCHEDULE_EXPLAIN_H

#include "compiler/ir/relax.h"

typedef struct rlxc_explained { /* a block that was asked about */
    const rlxc_prim_func *function;
    const void *key; /* what identifies the block while its expressions change */
    const char *name;
    rlxc_range range;
    const char *computes; /* its operator, or why it has none; NULL: not asked */
    const char *taken;    /* how it ends, "by rule tile"; NULL: no rule took it */
    RLXC_VEC(const char *) reasons;
} rlxc_explained;

typedef struct rlxc_explain {
    rlxc_context *ctx;
    const char *(*print)(rlxc_context *ctx,
                         const rlxc_expr *e); /* an expression as the user's text */
    RLXC_VEC(rlxc_explained) blocks;
    bool asking;
    const char *why; /* the reason of the rule being asked, or NULL */
} rlxc_explain;

/* Remembers the reason; gives false, so that a rule ends with it. */
bool rlxc_explain_why(rlxc_explain *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* |s| has ->options; gives false. */
#define rlxc_decline(s, ...)                                    \
    ((s)->options->explain && (s)->options->explain->asking     \
         ? rlxc_explain_why((s)->options->explain, __VA_ARGS__) \
         : false)
/* An expression in the arguments of rlxc_decline: as the user's text, numbers without their type.
 */
#define rlxc_told(s, e) rlxc_explain_expr((s)->options->explain, (e))
const char *rlxc_explain_expr(const rlxc_explain *e, const rlxc_expr *expr);

/* The block's entry, made where it has none. NULL: memory is out. */
rlxc_explained *rlxc_explain_block(rlxc_explain *e, const rlxc_prim_func *f, const rlxc_stmt *block,
                                   const rlxc_buffer *out);
/* The function has no blocks that rules look at. */
void rlxc_explain_function(rlxc_explain *e, const rlxc_prim_func *f);
/* Everything, as text; the arena owns it. */
const char *rlxc_explain_text(const rlxc_explain *e);

#endif

/* Why a rule took a block or left it, for `rlxc --explain`.
 *
 * Rules give a reason when they decline (rlxc_decline). Nothing is formatted, and no argument is
 * evaluated, unless explanations were requested and a rule is being tried on a block; passes that
 * only inspect call the same functions. The last reason wins, because callers know more than their
 * callees.
 *
 * Blocks are in the order of the module, rules in the order of rules.def. Thread-compatible: one
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
    RLXC_VEC(const char *) places; /* calls that the CPU does for a device */
    bool asking;
    const char *why; /* the reason of the rule being asked, or NULL */
} rlxc_explain;

/* Records the reason; returns false, so that a rule can return it. */
bool rlxc_explain_why(rlxc_explain *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* |s| has ->options; returns false. */
#define rlxc_decline(s, ...)                                    \
    ((s)->options->explain && (s)->options->explain->asking     \
         ? rlxc_explain_why((s)->options->explain, __VA_ARGS__) \
         : false)
/* An expression in the arguments of rlxc_decline, as the user's text, numbers without their type.
 */
#define rlxc_told(s, e) rlxc_explain_expr((s)->options->explain, (e))
const char *rlxc_explain_expr(const rlxc_explain *e, const rlxc_expr *expr);

/* The block's entry, created on first use. NULL: memory is out. */
rlxc_explained *rlxc_explain_block(rlxc_explain *e, const rlxc_prim_func *f, const rlxc_stmt *block,
                                   const rlxc_buffer *out);
/* The entry if the block has one, else NULL. */
rlxc_explained *rlxc_explained_block(rlxc_explain *e, const rlxc_prim_func *f,
                                     const rlxc_stmt *block, const rlxc_buffer *out);
/* Records that the function has no blocks for rules. */
void rlxc_explain_function(rlxc_explain *e, const rlxc_prim_func *f);
/* Records that the CPU runs the call that makes |name| for |device|. */
void rlxc_explain_place(rlxc_explain *e, rlxc_range range, const char *name, const char *device,
                        const char *why);
/* All explanations as text, owned by the arena. */
const char *rlxc_explain_text(const rlxc_explain *e);

#endif

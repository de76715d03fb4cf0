/* Finds the bindings that made a binding's operands, for passes that look at chains of operators
 * during rlxc_rewrite_function. Only bindings of the same block count, so everything that they read
 * is visible where their result is. */
#ifndef RLXC_PASSES_MAKERS_H
#define RLXC_PASSES_MAKERS_H

#include "compiler/ir/rewrite.h"

typedef struct rlxc_makers {
    rlxc_map found;       /* rlxc_rvar -> its binding and block */
    const uint32_t *uses; /* of each variable, by id, before the walk */
    uint32_t n_vars;
} rlxc_makers;

/* Rewrites every function of |module| that kills nothing yet: |binding| gets the function's makers
 * as its user pointer. False after an error. */
bool rlxc_rewrite_with_makers(rlxc_context *ctx, rlxc_module *module,
                              rlxc_rewrite_action (*binding)(void *makers, rlxc_builder *b,
                                                             rlxc_binding *binding,
                                                             rlxc_atom *replacement));
/* Records |binding|, with its mapped atoms, as the maker of its variable. */
void rlxc_makers_note(rlxc_makers *m, const rlxc_builder *b, const rlxc_binding *binding);
/* The binding that made |atom| in the block that |b| is at; NULL: none. */
const rlxc_binding *rlxc_maker_of(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom atom);
/* The same if nothing but one operand reads |atom|. */
const rlxc_binding *rlxc_sole_maker_of(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom atom);

#endif

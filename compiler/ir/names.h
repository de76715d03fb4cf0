/* The user's names of parameters, dimensions and results that are not identifiers, or not
 * variables.
 *
 * Importers store them in function attributes, which TVMScript can express: keyed by the identifier
 * of a parameter or a symbol, and by position for results. */
#ifndef RLXC_IR_NAMES_H
#define RLXC_IR_NAMES_H

#include "compiler/ir/relax.h"

#define RLXC_PARAM_NAMES "rlx.param_names"   /* {"in_put_0": "in.put:0"} */
#define RLXC_DIM_NAMES "rlx.dim_names"       /* {"batch_size": "batch size"} */
#define RLXC_RESULT_NAMES "rlx.result_names" /* ["probs:0"] */

/* The user's name of parameter or symbol |identifier| of |f|: |identifier| itself if |key| has no
 * entry. */
const char *rlxc_given_name(rlxc_context *ctx, const rlxc_function *f, const char *key,
                            const char *identifier);

/* The user's name of |var|, for messages. */
const char *rlxc_shown_name(rlxc_context *ctx, const rlxc_rvar *var);

/* Records the names of the variables that the exported functions of |module| return, before passes
 * change them, unless the attribute already has them. Compiler temporaries have no name. Parameters
 * get the names that messages use. */
void rlxc_note_names(rlxc_context *ctx, rlxc_module *module);

#define RLXC_DEFAULT_CLASS "Module" /* name of a module whose text has no class */
/* Python's keywords and the names of TVMScript itself; NULL ends the list. */
extern const char *const rlxc_reserved_names[];
/* True if the printer never uses |name|: Python's keywords, TVMScript's own names. */
bool rlxc_name_is_reserved(const char *name);

#endif

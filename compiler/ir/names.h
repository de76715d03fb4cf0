/* What users call parameters, dimensions and results, where that is no identifier or no variable.
 *
 * Importers put it into attributes of the function, which TVMScript carries: by the identifier that
 * stands for a parameter or a symbol, and by position for the results. */
#ifndef RLXC_IR_NAMES_H
#define RLXC_IR_NAMES_H

#include "compiler/ir/relax.h"

#define RLXC_PARAM_NAMES "rlx.param_names"   /* {"in_put_0": "in.put:0"} */
#define RLXC_DIM_NAMES "rlx.dim_names"       /* {"batch_size": "batch size"} */
#define RLXC_RESULT_NAMES "rlx.result_names" /* ["probs:0"] */

/* The name of parameter or symbol |identifier| of |f|: itself where |key| says nothing. */
const char *rlxc_given_name(rlxc_context *ctx, const rlxc_function *f, const char *key,
                            const char *identifier);

/* What the user calls |var|, as people are shown it. */
const char *rlxc_shown_name(rlxc_context *ctx, const rlxc_rvar *var);

/* Notes what the variables are called that the exported functions of |module| return, before passes
 * change them; where the attribute says it, nothing. Compiler temporaries give no name. Parameters
 * get the names that messages call them by. */
void rlxc_note_names(rlxc_context *ctx, rlxc_module *module);

#define RLXC_DEFAULT_CLASS "Module" /* of modules whose text names no class */
/* Python's keywords and the names of TVMScript itself; NULL ends the list. */
extern const char *const rlxc_reserved_names[];
/* Whether the printer never gives out |name|: Python's keywords, TVMScript's own names. */
bool rlxc_name_is_reserved(const char *name);

#endif

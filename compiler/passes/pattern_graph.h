/* Binding graphs for matching patterns in functions that are not being rewritten. */
#ifndef RLXC_PASSES_PATTERN_GRAPH_H
#define RLXC_PASSES_PATTERN_GRAPH_H

#include "compiler/passes/pattern.h"

typedef struct rlxc_function_graph { /* must stay where it is */
    rlxc_pattern_graph graph;
    rlxc_map definitions; /* variable -> binding */
    RLXC_VEC(const rlxc_binding *) all;
    const uint32_t *uses; /* by variable id, in the whole function */
    uint32_t n_vars;
} rlxc_function_graph;

/* All bindings of |f|, branches and local functions included. False when memory is out. */
bool rlxc_graph_of_function(rlxc_function_graph *g, rlxc_context *ctx, const rlxc_module *module,
                            const rlxc_function *f);
/* Those of one block of |f|: what other blocks define counts as given. */
bool rlxc_graph_of_block(rlxc_function_graph *g, rlxc_context *ctx, const rlxc_module *module,
                         const rlxc_function *f, const rlxc_binding_block *block);

#endif

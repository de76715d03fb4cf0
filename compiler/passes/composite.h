/* Functions marked for external code generators, as in Relax: the attribute Composite = "dnnl.relu"
 * names the pattern that a function matches, Codegen = "dnnl" the generator that takes the whole
 * function. */
#ifndef RLXC_PASSES_COMPOSITE_H
#define RLXC_PASSES_COMPOSITE_H

#include "compiler/ir/rewrite.h"
#include "compiler/passes/pattern.h"

typedef struct rlxc_fusion { /* a pattern of pass fuse_ops_by_pattern */
    const char *name;        /* "dnnl.relu": generator and pattern */
    const char *pattern;
    bool lift_constants; /* constants become operands of the function */
    bool alone;          /* not merged with its neighbours: a function of one match */
    bool shared; /* values inside may be used outside: the function returns them too, as a tuple */
    bool (*check)(void *user, rlxc_context *ctx, const rlxc_match *match); /* or NULL */
    void *user;
} rlxc_fusion;

typedef struct rlxc_taken { /* a function that leaves the module */
    const rlxc_global *global;
    const char *symbol; /* which the runtime calls instead */
} rlxc_taken;

typedef struct rlxc_generator { /* takes functions marked with its name (pass run_codegen) */
    const char *name;
    /* Changes the functions whose attribute Codegen is |name|. Calls of those that keep the
     * attribute become calls of functions that the runtime finds by name. NULL: all keep it. */
    bool (*run)(void *user, rlxc_context *ctx, rlxc_module *module);
    /* Writes the code of these functions as a section of the file: fills format, data and size of
     * |out|. NULL: the host has functions of these names. */
    bool (*emit)(void *user, rlxc_context *ctx, rlxc_module *module, const rlxc_taken *taken,
                 uint32_t n, rlxc_section *out);
    void *user;
} rlxc_generator;

/* The value of attribute |key| as text; NULL: there is none. */
const char *rlxc_mark_in(rlxc_context *ctx, const rlxc_attrs *attrs, const char *key);
const char *rlxc_mark_of(rlxc_context *ctx, const rlxc_function *f, const char *key);
/* Has attribute Composite or Codegen. */
bool rlxc_is_marked(rlxc_context *ctx, const rlxc_function *f);

#endif

/* Lifetimes of memory over a function's structured control flow.
 *
 * Bindings have positions in the order of the text: the condition of an IF, its then branch, its
 * else branch, its result. Control only moves forward in that order, so an interval of positions
 * covers every path. */
#ifndef RLXC_ANALYSIS_LIVENESS_H
#define RLXC_ANALYSIS_LIVENESS_H

#include "compiler/analysis/alias.h"

typedef struct rlxc_lifetime {
    uint32_t read;    /* position of the variable's own last read; its definition's if none */
    uint32_t memory;  /* position of the last read of its memory through any alias */
    uint32_t aliases; /* variables made from this one that share its memory */
    bool fresh;       /* owns its memory: made by a call that shares nothing */
    bool kept;        /* the variable itself is returned, or may be kept by a callee */
    bool
        escapes; /* its memory, through any alias: leaves the function or may be kept by a callee */
} rlxc_lifetime;

/* One entry per variable id of the outermost function; NULL when memory is out. */
rlxc_lifetime *rlxc_lifetimes(rlxc_context *ctx, const rlxc_module *module, const rlxc_function *f,
                              bool module_retains);

/* Repeats the walk that assigns positions: calls |position| for each binding (IF: before its
 * branches) with its position, and |leave| after each branch of an IF and at the function's end.
 * Either may be NULL. */
typedef struct rlxc_walk {
    void *user;
    void (*binding)(void *user, rlxc_binding *b, uint32_t position);
    void (*enter)(void *user, const rlxc_binding *branch_of);
    void (*leave)(void *user, const rlxc_body *body, const rlxc_binding *branch_of,
                  uint32_t position);
    void (*joined)(void *user, rlxc_binding *branch_of, uint32_t position);
} rlxc_walk;
void rlxc_walk_positions(const rlxc_function *f, const rlxc_walk *walk);

#endif

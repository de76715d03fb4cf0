/* Private to the builder of rlx/ir.h: its state, and how its calls begin and end.
 *
 * While an If or a local function is being built, |scope| saves the outer state; the builder's own
 * function and block are the inner ones. */
#ifndef RLXC_API_BUILD_H
#define RLXC_API_BUILD_H

#include "compiler/api/handles.h"
#include "compiler/ir/rewrite.h"

typedef struct rlxc_build_scope { /* a branch or a local function, in the arena */
    struct rlxc_build_scope *outer;
    bool is_function;
    rlxc_atom condition;       /* of an If */
    rlxc_body *then, *body;    /* |then|: set once the second branch has begun */
    rlxc_function *function;   /* around it */
    rlxc_binding_block *block; /* around it */
    uint32_t n_symbols;        /* known around it */
} rlxc_build_scope;

struct rlx_ir_builder { /* in the arena */
    rlx_ir_module *m;
    rlxc_builder own, *b; /* |b|: its own builder, or that of a rewrite */
    rlxc_build_scope *scope;
    rlxc_var_list symbols;
    bool started; /* has bindings: parameters are complete */
    bool rewrites, failed, finished;
};

/* The body that blocks go to. */
static inline rlxc_body *rlxc_build_body(const rlx_ir_builder *b)
{
    return b->scope != NULL ? b->scope->body : &b->b->function->body;
}

/* Begins a call; an error once the builder has failed or is finished. */
rlx_status rlxc_build_begin(rlx_ir_builder *b, rlxc_api_call *call, rlx_error *err);
/* Ends a call that produced |atom|; its kind is NONE after an error. */
rlx_status rlxc_build_give(rlx_ir_builder *b, const rlxc_api_call *call, rlxc_atom atom,
                           const rlx_ir_value **out, rlx_error *err);
rlxc_atom rlxc_build_no_atom(void);
/* Reports an error without a place; false. */
bool rlxc_build_fail(const rlx_ir_builder *b, const char *message);
bool rlxc_build_check_name(rlxc_context *ctx, const char *name);
/* Converts the |n| operands; NULL means absent, and trailing absent ones are dropped. */
rlxc_atom *rlxc_build_gather(const rlx_ir_builder *b, const rlx_ir_value *const *args,
                             uint32_t *io_n);
/* Emits |binding| with a new variable; NONE after an error. */
rlxc_atom rlxc_build_emit(rlx_ir_builder *b, rlxc_binding *binding, const char *name);
/* Infers types if that has not been done. */
bool rlxc_build_infer(rlx_ir_module *m);
/* False with an error once |m| is lowered. */
bool rlxc_build_may_change(rlx_ir_module *m);
bool rlxc_build_is_impure(const rlxc_function *f);

#endif

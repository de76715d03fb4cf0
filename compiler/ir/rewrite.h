/* The one way passes change functions: walk the old bindings, emit the new ones, re-infer types.
 *
 * rlxc_rewrite_function calls |pass->binding| for each binding in order, its atoms already mapped
 * through the replacements so far. The callback emits new bindings through the builder and returns
 * what becomes of the old one. IF branches and local functions are walked too (before their own
 * binding is offered). Ranges are kept. */
#ifndef RLXC_IR_REWRITE_H
#define RLXC_IR_REWRITE_H

#include "compiler/ir/relax.h"

/* Emits bindings at the end of a block under construction. */
typedef struct rlxc_builder {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *function; /* being built */
    rlxc_binding_block *block;
    rlxc_range range;        /* range of emitted bindings */
    const char *vdevice;     /* device of tensors that emitted bindings make, if their types state
                              * none: after pass plan_devices, the device of the binding being
                              * rewritten */
    const rlxc_attr *target; /* of PrimFuncs made, as their attribute "target"; NULL: the CPU's */
    uint32_t first_new_var;  /* variables from here on were made while building: in a dataflow block
                                they become dataflow variables when emitted */
} rlxc_builder;

/* Emits var = op(args) with inferred type; returns the new variable as an atom. The variable is a
 * dataflow variable inside dataflow blocks. */
rlxc_atom rlxc_emit_op(rlxc_builder *b, const char *op_name, const rlxc_atom *args, uint32_t n,
                       rlxc_attrs attrs, const char *var_name);
/* Bindings emitted from here on are for |vdevice|, a device of the module; NULL: not decided. */
void rlxc_builder_place(rlxc_builder *b, const char *vdevice);
/* Emits |value|, which is a tensor, on |vdevice|. */
rlxc_atom rlxc_emit_to_vdevice(rlxc_builder *b, rlxc_atom value, const char *vdevice,
                               const char *var_name);
/* Emits a prepared binding (var must be set; its sinfo is inferred when NULL). */
rlxc_atom rlxc_emit(rlxc_builder *b, rlxc_binding *binding);
/* Emits |var| = match_cast(|value|) to |var|'s struct info, checked at run time. */
rlxc_atom rlxc_emit_match_cast(rlxc_builder *b, rlxc_rvar *var, rlxc_atom value, rlxc_range range);
rlxc_atom rlxc_emit_call_tir(rlxc_builder *b, const char *prim_func, const rlxc_atom *args,
                             uint32_t n, const rlxc_sinfo *out, const rlxc_atom *tir_vars,
                             const char *var_name);

typedef enum rlxc_rewrite_action {
    RLXC_REWRITE_KEEP,   /* emit the (mapped) binding */
    RLXC_REWRITE_DROP,   /* emit nothing; the variable must have no later use */
    RLXC_REWRITE_REPLACE /* replace uses of the variable by |*replacement| */
} rlxc_rewrite_action;

typedef struct rlxc_rewrite_pass {
    void *user;
    /* |binding| is a fresh copy the callback may edit before KEEP. */
    rlxc_rewrite_action (*binding)(void *user, rlxc_builder *b, rlxc_binding *binding,
                                   rlxc_atom *replacement);
    /* Called before a block's first and after its last binding; may be NULL. */
    void (*block_begin)(void *user, rlxc_builder *b);
    void (*block_end)(void *user, rlxc_builder *b);
} rlxc_rewrite_pass;
/* True if |atom| is visible wherever |var| is read: a dataflow variable is not outside its block.
 */
bool rlxc_may_stand_for(const rlxc_rvar *var, rlxc_atom atom);
/* Rewrites |f| in place (its body is replaced). */
void rlxc_rewrite_function(rlxc_context *ctx, rlxc_module *module, rlxc_function *f,
                           const rlxc_rewrite_pass *pass);
void rlxc_rewrite_module(rlxc_context *ctx, rlxc_module *module,
                         const rlxc_rewrite_pass *pass); /* every Relax function */

/* Sets binding->var->sinfo from the operator table, callee or form. Reports errors at
 * binding->range. */
const rlxc_sinfo *rlxc_infer_binding(rlxc_context *ctx, const rlxc_module *module,
                                     rlxc_binding *binding);

/* Turns all dataflow blocks of |body|, including those of branches, into plain binding blocks. */
void rlxc_drop_dataflow(rlxc_body *body);

/* Uses of each variable: use_count[id] over the whole function, results included. */
uint32_t *rlxc_count_uses(rlxc_context *ctx, const rlxc_function *f);

#endif

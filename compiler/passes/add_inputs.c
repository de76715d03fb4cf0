/* Adds inputs to PrimFuncs: finds the PrimFuncs that can take them, and changes their parameters
   and calls. */
#include "compiler/passes/add_inputs.h"

#include "compiler/analysis/alias.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/fuse.h"

typedef struct counting {
    rlxc_context *ctx;
    rlxc_map *callees;
} counting;

static rlxc_callee *callee_of(const counting *c, const char *name)
{
    rlxc_callee *callee = rlxc_map_get(c->callees, rlxc_key(name));
    if (!callee) {
        callee = rlxc_alloc(c->ctx, sizeof *callee);
        *callee = (rlxc_callee){0};
        rlxc_map_set(c->ctx, c->callees, rlxc_key(name), callee);
    }
    return callee;
}

static void count_mention(void *user, rlxc_atom atom)
{
    if (atom.kind == RLXC_ATOM_GLOBAL)
        callee_of(user, atom.text)->mentions++;
}

const rlxc_prim_func *rlxc_plainly_called(const rlxc_module *module, const rlxc_binding *b)
{
    if (b->form != RLXC_FORM_CALL || b->op || b->callee.kind != RLXC_ATOM_GLOBAL)
        return NULL;
    const rlxc_global *g = rlxc_module_find(module, b->callee.text);
    return g ? g->prim : NULL;
}

bool rlxc_has_inputs(const rlxc_module *module, const rlxc_binding *b)
{
    const bool inplace =
        rlxc_is_op(b, "call_tir_inplace") && b->n_args > 1 && b->args[0].kind == RLXC_ATOM_GLOBAL;
    return (inplace || rlxc_called_prim(module, b)) && b->args[1].kind == RLXC_ATOM_TUPLE;
}

static rlxc_rewrite_action count_call(void *user, rlxc_builder *b, rlxc_binding *call,
                                      rlxc_atom *replacement)
{
    (void)replacement;
    if (rlxc_plainly_called(b->module, call)) {
        callee_of(user, call->callee.text)->n_plain++;
        return RLXC_REWRITE_KEEP;
    }
    if (!rlxc_has_inputs(b->module, call))
        return RLXC_REWRITE_KEEP;
    const bool inplace = rlxc_is_op(call, "call_tir_inplace");
    rlxc_callee *c = callee_of(user, call->args[0].text);
    c->mixed = c->mixed || (c->calls + c->n_inplace > 0 && c->n_inputs != call->args[1].n);
    c->n_inputs = call->args[1].n;
    c->calls += !inplace;
    c->n_inplace += inplace;
    return RLXC_REWRITE_KEEP;
}

void rlxc_count_callees(rlxc_context *ctx, rlxc_module *module, rlxc_map *out)
{
    counting c = {ctx, out};
    const rlxc_rewrite_pass count = {.user = &c, .binding = count_call};
    rlxc_rewrite_module(ctx, module, &count);
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (module->globals.items[i]->relax)
            rlxc_body_visit(&module->globals.items[i]->relax->body, count_mention, &c);
}

const rlxc_callee *rlxc_extensible(const rlxc_map *callees, const char *name,
                                   const rlxc_prim_func *f)
{
    const rlxc_callee *c = rlxc_map_get(callees, rlxc_key(name));
    return c && !c->mixed && c->calls == c->mentions && c->n_inputs < f->n_params ? c : NULL;
}

const rlxc_callee *rlxc_extensible_everywhere(const rlxc_map *callees, const char *name,
                                              const rlxc_prim_func *f)
{
    const rlxc_callee *c = rlxc_map_get(callees, rlxc_key(name));
    return c && !c->mixed && c->calls + c->n_inplace + c->n_plain == c->mentions &&
                   c->n_inputs <= f->n_params
               ? c
               : NULL;
}

void rlxc_add_params(rlxc_context *ctx, rlxc_prim_func *f, uint32_t n_inputs,
                     const rlxc_prim_param *params, uint32_t n)
{
    rlxc_prim_param *all = rlxc_alloc(ctx, ((size_t)f->n_params + n + 1) * sizeof *all);
    for (uint32_t i = 0; i < f->n_params + n; i++)
        all[i] = i < n_inputs       ? f->params[i]
                 : i < n_inputs + n ? params[i - n_inputs]
                                    : f->params[i - n];
    f->params = all;
    f->n_params += n;
}

/* |items| with the |n| |atoms| before position |at|. */
static rlxc_atom *insert(rlxc_context *ctx, const rlxc_atom *items, uint32_t n_items, uint32_t at,
                         const rlxc_atom *atoms, uint32_t n)
{
    rlxc_atom *all = rlxc_alloc(ctx, ((size_t)n_items + n + 1) * sizeof *all);
    for (uint32_t i = 0; i < n_items + n; i++)
        all[i] = i < at ? items[i] : i < at + n ? atoms[i - at] : items[i - n];
    return all;
}

void rlxc_add_inputs(rlxc_context *ctx, rlxc_binding *call, const char *name,
                     const rlxc_atom *atoms, uint32_t n)
{
    const rlxc_atom inputs = call->args[1];
    const rlxc_atom *all = insert(ctx, inputs.items, inputs.n, inputs.n, atoms, n);
    rlxc_atom *args = rlxc_copy(ctx, call->args, call->n_args * sizeof *args);
    args[0] = rlxc_atom_global(ctx, name);
    args[1] = rlxc_atom_tuple(ctx, all, inputs.n + n);
    call->args = args;
}

void rlxc_add_arguments(rlxc_context *ctx, rlxc_binding *call, uint32_t n_inputs,
                        const rlxc_atom *atoms, uint32_t n)
{
    call->args = insert(ctx, call->args, call->n_args, n_inputs, atoms, n);
    call->n_args += n;
}

/* Further inputs for PrimFuncs: which PrimFuncs may take them, their parameters, their calls. */
#include "compiler/passes/add_inputs.h"

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

static rlxc_rewrite_action count_call(void *user, rlxc_builder *b, rlxc_binding *call,
                                      rlxc_atom *replacement)
{
    (void)replacement;
    if (!rlxc_called_prim(b->module, call) || call->args[1].kind != RLXC_ATOM_TUPLE)
        return RLXC_REWRITE_KEEP;
    rlxc_callee *c = callee_of(user, call->args[0].text);
    c->mixed = c->mixed || (c->calls > 0 && c->n_inputs != call->args[1].n);
    c->n_inputs = call->args[1].n;
    c->calls++;
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

void rlxc_add_inputs(rlxc_context *ctx, rlxc_binding *call, const char *name,
                     const rlxc_atom *atoms, uint32_t n)
{
    const rlxc_atom inputs = call->args[1];
    rlxc_atom *all = rlxc_alloc(ctx, ((size_t)inputs.n + n + 1) * sizeof *all);
    rlxc_atom *args = rlxc_copy(ctx, call->args, call->n_args * sizeof *args);
    for (uint32_t i = 0; i < inputs.n + n; i++)
        all[i] = i < inputs.n ? inputs.items[i] : atoms[i - inputs.n];
    args[0] = rlxc_atom_global(ctx, name);
    args[1] = rlxc_atom_tuple(ctx, all, inputs.n + n);
    call->args = args;
}

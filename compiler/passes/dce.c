/* Pass dce: removes unused pure bindings and unreachable private functions.
 *
 * One walk backwards over the bindings of each function: a binding is live when it is impure or its
 * variable is used by something live. match_cast is impure here: it defines symbols and can fail. A
 * local function is live when its variable is; an If when it is impure or its value is used (a dead
 * pure If is removed whole; in a live one each branch is cleaned by the same walk). Nesting is
 * bounded by RLXC_MAX_DEPTH. */
#include "compiler/analysis/effects.h"
#include "compiler/passes/passes.h"

typedef struct dce {
    rlxc_context *ctx;
    const rlxc_module *module;
    bool *live; /* by variable id */
} dce;

static void mark_atom(void *user, rlxc_atom atom)
{
    dce *d = user;
    if (atom.kind == RLXC_ATOM_VAR)
        d->live[atom.var->id] = true;
}

static void clean_body(dce *d, rlxc_body *body);

static void mark_uses(dce *d, rlxc_binding *b)
{
    rlxc_atom_visit(b->callee, mark_atom, d);
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], mark_atom, d);
    if (b->form == RLXC_FORM_FUNCTION) {
        d->live[b->var->id] = true; /* a recursive function uses itself */
        clean_body(d, &b->function->body);
    }
    if (b->form == RLXC_FORM_IF) {
        clean_body(d, b->then);
        clean_body(d, b->otherwise);
    }
}

static void clean_block(dce *d, rlxc_binding_block *block)
{
    uint32_t kept = block->n;
    for (uint32_t i = block->n; i-- > 0;) {
        rlxc_binding *b = block->bindings[i];
        if (!d->live[b->var->id] && rlxc_binding_is_pure(d->module, b))
            continue;
        mark_uses(d, b);
        block->bindings[--kept] = b;
    }
    for (uint32_t i = kept; i < block->n; i++)
        block->bindings[i - kept] = block->bindings[i];
    block->n -= kept;
}

static void clean_body(dce *d, rlxc_body *body)
{
    rlxc_atom_visit(body->result, mark_atom, d);
    for (uint32_t i = body->n_blocks; i-- > 0;)
        clean_block(d, body->blocks[i]);
}

/* --- unreachable functions --- */

typedef struct reach {
    rlxc_context *ctx;
    const rlxc_module *module;
    rlxc_map seen;
    RLXC_VEC(const rlxc_global *) work;
} reach;

static void reach_atom(void *user, rlxc_atom atom)
{
    reach *r = user;
    if (atom.kind != RLXC_ATOM_GLOBAL)
        return;
    const rlxc_global *g = rlxc_module_find(r->module, atom.text);
    if (!g || rlxc_map_get(&r->seen, rlxc_key(g)))
        return;
    rlxc_map_set(r->ctx, &r->seen, rlxc_key(g), r);
    RLXC_PUSH(r->ctx, &r->work, g);
}

void rlxc_drop_unreachable(rlxc_context *ctx, rlxc_module *module)
{
    reach r = {.ctx = ctx, .module = module};
    bool any_root = false;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_global *g = module->globals.items[i];
        if (g->relax ? g->relax->is_private : g->prim->is_private)
            continue;
        /* An exported PrimFunc is kept only in modules without Relax functions. */
        any_root = any_root || g->relax;
        if (g->relax)
            reach_atom(&r, rlxc_atom_global(ctx, g->name));
    }
    if (!any_root)
        return;
    while (r.work.count > 0 && !rlxc_out_of_memory(ctx)) {
        const rlxc_global *g = r.work.items[--r.work.count];
        if (g->relax)
            rlxc_body_visit(&g->relax->body, reach_atom, &r);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_global *g = module->globals.items[i];
        if (rlxc_map_get(&r.seen, rlxc_key(g)))
            module->globals.items[kept++] = g;
        else
            rlxc_map_set(ctx, &module->by_name, rlxc_key(g->name), NULL);
    }
    module->globals.count = kept;
}

bool rlxc_pass_dce(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f)
            continue;
        dce d = {.ctx = ctx, .module = module};
        d.live = rlxc_try_alloc(ctx, f->n_vars + 1u, sizeof *d.live);
        if (!d.live)
            return false;
        clean_body(&d, &f->body);
    }
    if (!rlxc_failed(ctx))
        rlxc_drop_unreachable(ctx, module);
    return !rlxc_failed(ctx);
}

/* Pass canonicalize: removes copies, tuple accesses and casts that add no information.
 *
 *   y = x                      uses of y become uses of x
 *   t = (a, b); u = t[1]       uses of u become uses of b
 *   y = match_cast(x, S)       if x already has type S and S binds no new symbol
 *
 * An output of a dataflow block is never replaced by one of the block's own variables: the name
 * must stay an output. Functions with kills of their own are left as they are. */
#include "compiler/analysis/alias.h"
#include "compiler/passes/passes.h"

#include "compiler/ir/rewrite.h"

typedef struct canonicalize {
    rlxc_map tuples; /* rlxc_rvar -> binding that made the tuple */
} canonicalize;

static rlxc_rewrite_action look_through(void *user, rlxc_builder *b, rlxc_binding *binding,
                                        rlxc_atom *replacement)
{
    canonicalize *c = user;
    switch (binding->form) {
    case RLXC_FORM_COPY:
        if (!rlxc_may_stand_for(binding->var, binding->args[0]) ||
            binding->args[0].kind == RLXC_ATOM_TUPLE)
            return RLXC_REWRITE_KEEP;
        *replacement = binding->args[0];
        return RLXC_REWRITE_REPLACE;
    case RLXC_FORM_TUPLE:
        rlxc_map_set(b->ctx, &c->tuples, rlxc_key(binding->var), binding);
        return RLXC_REWRITE_KEEP;
    case RLXC_FORM_TUPLE_GET: {
        if (binding->args[0].kind != RLXC_ATOM_VAR)
            return RLXC_REWRITE_KEEP;
        const rlxc_binding *made = rlxc_map_get(&c->tuples, rlxc_key(binding->args[0].var));
        if (!made || binding->index >= made->n_args ||
            !rlxc_may_stand_for(binding->var, made->args[binding->index]))
            return RLXC_REWRITE_KEEP;
        *replacement = made->args[binding->index];
        return RLXC_REWRITE_REPLACE;
    }
    case RLXC_FORM_MATCH_CAST: {
        const rlxc_sinfo *have = rlxc_atom_sinfo(b->ctx, b->module, binding->args[0]);
        if (have != binding->sinfo_args[0] || !rlxc_may_stand_for(binding->var, binding->args[0]))
            return RLXC_REWRITE_KEEP;
        *replacement = binding->args[0];
        return RLXC_REWRITE_REPLACE;
    }
    case RLXC_FORM_CALL:
    case RLXC_FORM_IF:
    case RLXC_FORM_FUNCTION:
        return RLXC_REWRITE_KEEP;
    }
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_canonicalize(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        canonicalize c = {0};
        const rlxc_rewrite_pass pass = {.user = &c, .binding = look_through};
        rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}

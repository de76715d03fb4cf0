/* See makers.h. */
#include "compiler/passes/makers.h"

#include "compiler/analysis/alias.h"

typedef struct maker {
    const rlxc_binding *binding;
    const rlxc_binding_block *block; /* its binding in the new body */
} maker;

bool rlxc_rewrite_with_makers(rlxc_context *ctx, rlxc_module *module,
                              rlxc_rewrite_action (*binding)(void *makers, rlxc_builder *b,
                                                             rlxc_binding *binding,
                                                             rlxc_atom *replacement))
{
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        rlxc_makers m = {.uses = rlxc_count_uses(ctx, f), .n_vars = f->n_vars};
        const rlxc_rewrite_pass pass = {.user = &m, .binding = binding};
        if (m.uses)
            rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}

void rlxc_makers_note(rlxc_makers *m, const rlxc_builder *b, const rlxc_binding *binding)
{
    const maker made = {binding, b->block};
    rlxc_map_set(b->ctx, &m->found, rlxc_key(binding->var), rlxc_copy(b->ctx, &made, sizeof made));
}

const rlxc_binding *rlxc_maker_of(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom atom)
{
    if (atom.kind != RLXC_ATOM_VAR)
        return NULL;
    const maker *made = rlxc_map_get(&m->found, rlxc_key(atom.var));
    return made && made->block == b->block ? made->binding : NULL;
}

const rlxc_binding *rlxc_sole_maker_of(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom atom)
{
    return atom.kind == RLXC_ATOM_VAR && atom.var->id < m->n_vars && m->uses[atom.var->id] == 1
               ? rlxc_maker_of(m, b, atom)
               : NULL;
}

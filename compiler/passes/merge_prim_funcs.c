/* Pass merge_prim_funcs: merges identical PrimFuncs and removes unused private ones.
 *
 * Equality is structural up to renaming; the first in module order stays and every reference is
 * redirected to it, so each kernel is compiled once however often the model repeats a layer. */
#include "compiler/passes/passes.h"

#include "compiler/analysis/effects.h"
#include "compiler/ir/rewrite.h"

typedef struct candidate {
    const rlxc_global *global;
    struct candidate *next;
} candidate;

typedef struct merge {
    rlxc_context *ctx;
    rlxc_map renamed; /* interned name -> interned name that stays */
} merge;

static rlxc_atom rename_atom(merge *m, rlxc_atom atom, bool *io_changed)
{
    if (atom.kind == RLXC_ATOM_GLOBAL) {
        const char *stays = rlxc_map_get(&m->renamed, rlxc_key(atom.text));
        if (stays) {
            *io_changed = true;
            return rlxc_atom_global(m->ctx, stays);
        }
    }
    return atom; /* PrimFuncs are named at the top level of arguments only */
}

static rlxc_rewrite_action redirect(void *user, rlxc_builder *b, rlxc_binding *binding,
                                    rlxc_atom *replacement)
{
    (void)replacement;
    merge *m = user;
    if (binding->form != RLXC_FORM_CALL)
        return RLXC_REWRITE_KEEP;
    bool changed = false;
    binding->callee = rename_atom(m, binding->callee, &changed);
    for (uint32_t i = 0; i < binding->n_args; i++) {
        if (binding->args[i].kind != RLXC_ATOM_GLOBAL)
            continue;
        bool here = false;
        rlxc_atom renamed = rename_atom(m, binding->args[i], &here);
        if (here) {
            rlxc_atom *args =
                rlxc_copy(b->ctx, binding->args, binding->n_args * sizeof *binding->args);
            args[i] = renamed;
            binding->args = args;
        }
    }
    return RLXC_REWRITE_KEEP;
}

/* Non-negative symbols count: the function may have been simplified with that fact. */
static bool same_signs(rlxc_context *ctx, const rlxc_prim_func *a, const rlxc_prim_func *b)
{
    const rlxc_expr **x, **y;
    uint32_t n, m;
    rlxc_prim_func_dims(ctx, a, &x, &n);
    rlxc_prim_func_dims(ctx, b, &y, &m);
    bool same = n == m;
    for (uint32_t i = 0; same && i < n; i++)
        same = x[i]->var.nonneg == y[i]->var.nonneg;
    return same;
}

bool rlxc_prim_funcs_merge(rlxc_context *ctx, const rlxc_prim_func *a, const rlxc_prim_func *b)
{
    return rlxc_prim_func_equal(ctx, a, b) && same_signs(ctx, a, b);
}

bool rlxc_pass_merge_prim_funcs(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    merge m = {.ctx = ctx};
    rlxc_map by_hash = {0};
    bool any = false;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        const rlxc_global *g = module->globals.items[i];
        if (!g->prim)
            continue;
        uint64_t hash = rlxc_prim_func_hash(ctx, g->prim);
        candidate *first = rlxc_map_get(&by_hash, hash), *same = first;
        while (same && !rlxc_prim_funcs_merge(ctx, same->global->prim, g->prim))
            same = same->next;
        if (same && g->prim->is_private) {
            rlxc_map_set(ctx, &m.renamed, rlxc_key(g->name), (void *)(uintptr_t)same->global->name);
            any = true;
            continue;
        }
        candidate *c = rlxc_alloc(ctx, sizeof *c);
        c->global = g;
        c->next = first;
        rlxc_map_set(ctx, &by_hash, hash, c);
    }
    if (any) {
        const rlxc_rewrite_pass pass = {.user = &m, .binding = redirect};
        rlxc_rewrite_module(ctx, module, &pass);
    }
    if (!rlxc_failed(ctx))
        rlxc_drop_unreachable(ctx, module);
    return !rlxc_failed(ctx);
}

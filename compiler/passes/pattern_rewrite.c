/* Rewriting a function by patterns. Bindings are visited in order; a match uses only definitions
 * before its root whose operands are still visible there, so that captures can be used. The rest of
 * a match is dead afterwards. What an earlier binding became is seen by the patterns of later ones.
 */
#include "compiler/passes/match_patterns.h"

#include <string.h>

typedef struct definition {
    const rlxc_binding *binding;
    const rlxc_binding_block *block;
} definition;

typedef struct finder {
    const rlxc_pattern_rewrite *rewrite;
    rlxc_map definitions; /* variable -> definition */
    rlxc_context *ctx;
    const uint32_t *old_uses; /* before the pass, by id */
    uint32_t n_old;
    rlxc_map uses;                   /* variable -> uses now + 1, if changed */
    const rlxc_binding_block *block; /* under construction */
    RLXC_VEC(const rlxc_binding *) all;
    uint32_t n_replaced;
} finder;

static void find_dataflow(void *user, rlxc_atom atom)
{
    bool *found = user;
    *found = *found || (atom.kind == RLXC_ATOM_VAR && atom.var->is_dataflow);
}

/* NULL also if the operands are no longer visible. */
static const rlxc_binding *find_definition(void *user, const rlxc_rvar *var)
{
    const finder *f = user;
    const definition *d = rlxc_map_get(&f->definitions, rlxc_key(var));
    bool hidden = false;
    for (uint32_t i = 0; d && d->block != f->block && i < d->binding->n_args; i++)
        rlxc_atom_visit(d->binding->args[i], find_dataflow, &hidden);
    return d && !hidden ? d->binding : NULL;
}

static uint32_t find_uses(void *user, const rlxc_rvar *var)
{
    const finder *f = user;
    uintptr_t now = (uintptr_t)rlxc_map_get(&f->uses, rlxc_key(var));
    return now > 0 ? (uint32_t)(now - 1) : var->id < f->n_old ? f->old_uses[var->id] : 0;
}

static void set_uses(finder *f, const rlxc_rvar *var, uint32_t n)
{
    rlxc_map_set(f->ctx, &f->uses, rlxc_key(var), (void *)((uintptr_t)n + 1));
}

static void one_more(void *user, rlxc_atom atom)
{
    if (atom.kind == RLXC_ATOM_VAR)
        set_uses(user, atom.var, find_uses(user, atom.var) + 1);
}

static void one_less(void *user, rlxc_atom atom)
{
    uint32_t n = atom.kind == RLXC_ATOM_VAR ? find_uses(user, atom.var) : 0;
    if (n > 0)
        set_uses(user, atom.var, n - 1);
}

static void visit_args(const rlxc_binding *b, void (*visit)(void *user, rlxc_atom atom), finder *f)
{
    for (uint32_t i = 0; i < b->n_args; i++)
        rlxc_atom_visit(b->args[i], visit, f);
}

static void define(finder *f, rlxc_builder *b, const rlxc_binding *binding)
{
    definition *d = rlxc_alloc(b->ctx, sizeof *d);
    *d = (definition){binding, b->block};
    rlxc_map_set(b->ctx, &f->definitions, rlxc_key(binding->var), d);
    if (f->rewrite->n_rules > 0 && f->rewrite->rules[0].pattern.n_roots > 1)
        RLXC_PUSH(f->ctx, &f->all, binding);
}

static bool match_part(rlxc_matching *t, const char *name, rlxc_atom atom, rlxc_match *out)
{
    const finder *f = t->g.user;
    for (uint32_t i = 0; i < f->rewrite->n_rules; i++)
        if (strcmp(f->rewrite->rules[i].name, name) == 0)
            return rlxc_pattern_match(&t->g, &f->rewrite->rules[i].pattern, atom,
                                      f->rewrite->rules[i].shared, out);
    return false;
}

/* Replaces the root of a match by the result of |build|. */
static rlxc_rewrite_action replace(finder *f, rlxc_matching *t, rlxc_match_build_fn build,
                                   bool shared, rlxc_atom *replacement)
{
    rlxc_context *ctx = f->ctx;
    const rlxc_binding_block *block = t->b->block;
    const rlxc_rvar *root = t->root->var;
    uint32_t before = block->n;
    rlxc_atom result = build(t);
    for (uint32_t k = before; k < block->n; k++)
        define(f, t->b, block->bindings[k]);
    const rlxc_sinfo *now =
        result.kind == RLXC_ATOM_NONE ? NULL : rlxc_atom_sinfo(ctx, t->g.module, result);
    const bool is_root = result.kind == RLXC_ATOM_VAR && result.var == root;
    if (rlxc_failed(ctx) || !now || is_root || !rlxc_sinfo_subsumes(ctx, root->sinfo, now))
        return RLXC_REWRITE_KEEP;
    for (uint32_t k = 0; k < (shared ? 1 : t->m.n_inside); k++)
        visit_args(t->m.inside[k], one_less, f); /* these are dead */
    for (uint32_t k = before; k < block->n; k++)
        visit_args(block->bindings[k], one_more, f);
    if (result.kind == RLXC_ATOM_VAR)
        set_uses(f, result.var, find_uses(f, result.var) + find_uses(f, root));
    f->n_replaced++;
    *replacement = result;
    return RLXC_REWRITE_REPLACE;
}

static rlxc_rewrite_action match_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                         rlxc_atom *replacement)
{
    finder *f = user;
    rlxc_context *ctx = b->ctx;
    const rlxc_pattern_rewrite *w = f->rewrite;
    f->block = b->block;
    define(f, b, binding);
    const bool is_cast = w->cast && binding->form == RLXC_FORM_MATCH_CAST;
    if (!is_cast && !w->may_be_root(binding))
        return RLXC_REWRITE_KEEP;
    rlxc_matching t = {.b = b, .root = binding, .part = match_part};
    t.g = (rlxc_pattern_graph){.ctx = ctx,
                               .module = b->module,
                               .user = f,
                               .definition = find_definition,
                               .uses = find_uses,
                               .all = f->all.items,
                               .n_all = f->all.count};
    if (is_cast) {
        t.m = (rlxc_match){.inside = {binding}, .n_inside = 1};
        return replace(f, &t, w->cast, true, replacement);
    }
    for (uint32_t i = 0; i < w->n_rules && !rlxc_failed(ctx); i++) {
        const rlxc_pattern_rule *rule = &w->rules[i];
        t.user = rule->user;
        if (rule->build &&
            rlxc_pattern_match(&t.g, &rule->pattern, rlxc_atom_var(binding->var), rule->shared,
                               &t.m) &&
            replace(f, &t, rule->build, rule->shared, replacement) == RLXC_REWRITE_REPLACE)
            return RLXC_REWRITE_REPLACE;
    }
    return RLXC_REWRITE_KEEP;
}

bool rlxc_rewrite_patterns(rlxc_context *ctx, rlxc_module *module, rlxc_function *function,
                           const rlxc_pattern_rewrite *rewrite, uint32_t *io_replaced)
{
    finder f = {.ctx = ctx, .rewrite = rewrite};
    f.n_old = rlxc_outermost(function)->n_vars;
    f.old_uses = rlxc_count_uses(ctx, function);
    const rlxc_rewrite_pass pass = {.user = &f, .binding = match_binding};
    if (f.old_uses)
        rlxc_rewrite_function(ctx, module, function, &pass);
    *io_replaced += f.n_replaced;
    return !rlxc_failed(ctx);
}

/* Pass match_patterns: replaces operators that exporters spell out as several small ones by the one
 * operator they mean (patterns.def), which has a kernel of its own. The rest of the match is dead
 * afterwards. * Bindings are visited in order; a match uses only definitions before its root whose
 * operands are still visible there, so that captures can be used. */
#include "compiler/passes/match_patterns.h"

#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/passes/passes.h"

typedef struct row {
    const char *name;
    bool shared;
    rlxc_match_build_fn build;
    const char *text;
} row;

static const row rows[] = {
#define RLXC_MATCH(name, shared, build, text, doc) {#name, shared, build, text},
#include "compiler/passes/patterns.def"
#undef RLXC_MATCH
};

enum { N_ROWS = sizeof rows / sizeof *rows };

typedef struct definition {
    const rlxc_binding *binding;
    const rlxc_binding_block *block;
} definition;

typedef struct finder {
    rlxc_pattern_text patterns[N_ROWS];
    rlxc_map definitions; /* variable -> definition */
    rlxc_context *ctx;
    const uint32_t *old_uses; /* before the pass, by id */
    uint32_t n_old;
    rlxc_map uses;                   /* variable -> uses now + 1, if changed */
    const rlxc_binding_block *block; /* under construction */
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
}

static bool match_part(rlxc_matching *t, const char *name, rlxc_atom atom, rlxc_match *out)
{
    const finder *f = t->g.user;
    for (uint32_t i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rlxc_pattern_match(&t->g, &f->patterns[i], atom, rows[i].shared, out);
    return false;
}

/* The operators of pattern roots; most bindings have another one. */
static bool may_be_root(const rlxc_binding *binding)
{
    static const char *const names[] = {"add",      "multiply", "divide",
                                        "subtract", "matmul",   "permute_dims"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(binding->op->name, names[i]) == 0)
            return true;
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
    if (rlxc_failed(ctx) || !now || !rlxc_sinfo_subsumes(ctx, root->sinfo, now))
        return RLXC_REWRITE_KEEP;
    for (uint32_t k = 0; k < (shared ? 1 : t->m.n_inside); k++)
        visit_args(t->m.inside[k], one_less, f); /* these are dead */
    for (uint32_t k = before; k < block->n; k++)
        visit_args(block->bindings[k], one_more, f);
    if (result.kind == RLXC_ATOM_VAR)
        set_uses(f, result.var, find_uses(f, result.var) + find_uses(f, root));
    *replacement = result;
    return RLXC_REWRITE_REPLACE;
}

static rlxc_rewrite_action match_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                         rlxc_atom *replacement)
{
    finder *f = user;
    rlxc_context *ctx = b->ctx;
    f->block = b->block;
    define(f, b, binding);
    const bool is_cast = binding->form == RLXC_FORM_MATCH_CAST;
    if (!is_cast && (binding->form != RLXC_FORM_CALL || !binding->op || !may_be_root(binding)))
        return RLXC_REWRITE_KEEP;
    rlxc_matching t = {.b = b, .root = binding, .part = match_part};
    t.g = (rlxc_pattern_graph){ctx, b->module, f, find_definition, find_uses};
    if (is_cast) {
        t.m = (rlxc_match){.inside = {binding}, .n_inside = 1};
        return replace(f, &t, rlxc_match_cast_of_repeated, true, replacement);
    }
    for (uint32_t i = 0; i < N_ROWS && !rlxc_failed(ctx); i++)
        if (rows[i].build &&
            rlxc_pattern_match(&t.g, &f->patterns[i], rlxc_atom_var(binding->var), rows[i].shared,
                               &t.m) &&
            replace(f, &t, rows[i].build, rows[i].shared, replacement) == RLXC_REWRITE_REPLACE)
            return RLXC_REWRITE_REPLACE;
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_match_patterns(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    finder parsed = {0};
    /* dead transpositions of conv_layout would count as uses of the values inside a pattern */
    if (!rlxc_pass_dce(ctx, module, options))
        return false;
    for (uint32_t i = 0; i < N_ROWS; i++)
        parsed.patterns[i] = rlxc_pattern_parse(ctx, rows[i].text);
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *function = module->globals.items[i]->relax;
        if (!function)
            continue;
        finder f = parsed;
        f.ctx = ctx;
        f.n_old = rlxc_outermost(function)->n_vars;
        f.old_uses = rlxc_count_uses(ctx, function);
        const rlxc_rewrite_pass pass = {.user = &f, .binding = match_binding};
        if (f.old_uses)
            rlxc_rewrite_function(ctx, module, function, &pass);
    }
    return !rlxc_failed(ctx);
}

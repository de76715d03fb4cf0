/* Pass inline_functions: inlines calls of the module's functions.
 *
 *     def f(a: R.Tensor(("m",))): ...        y = f(x), with x: R.Tensor((n * 2,))
 *
 * becomes f's bindings with x for a and n * 2 for m. Where the type of a parameter says more than
 * that of its argument, a match_cast checks it, and bounds of symbols that the function states
 * become checks: both as its entry does.
 *
 * Functions come after those that they call. Calls stay where the function may call itself,
 * directly or through others, where arguments do not say what its symbols are, and where the
 * caller would get too large. */
#include "compiler/analysis/alias.h"
#include "compiler/analysis/static_size.h"
#include "compiler/ir/op.h"
#include "compiler/ops/require.h"
#include "compiler/ops/state.h"
#include "compiler/passes/outline.h"
#include "compiler/passes/passes.h"

enum { MAX_BINDINGS = 1 << 16 /* that a function gets from others */ };

typedef struct node { /* a Relax function of the module */
    rlxc_function *f;
    RLXC_VEC(struct node *) callers; /* once for each mention */
    uint32_t waits;                  /* mentions of functions that are not done */
    uint32_t n_bindings;
    bool done, has_if;
} node;

typedef struct inliner {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_map nodes; /* rlxc_function -> node */
    node *caller;
} inliner;

/* --- who calls whom --------------------------------------------------------------------------- */

static node *node_of(const inliner *in, rlxc_atom atom)
{
    const rlxc_global *g =
        atom.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(in->module, atom.text) : NULL;
    return g && g->relax ? rlxc_map_get(&in->nodes, rlxc_key(g->relax)) : NULL;
}

static void note_mention(void *user, rlxc_atom atom)
{
    inliner *in = user;
    node *callee = node_of(in, atom);
    if (callee) {
        RLXC_PUSH(in->ctx, &callee->callers, in->caller);
        in->caller->waits++;
    }
}

static bool count_binding(void *user, rlxc_binding *b)
{
    node *n = user;
    n->n_bindings++;
    n->has_if = n->has_if || b->form == RLXC_FORM_IF;
    return true;
}

/* --- one call --------------------------------------------------------------------------------- */

static bool add_symbols(void *user, rlxc_binding *b)
{
    rlxc_copier *c = user;
    if (b->form == RLXC_FORM_MATCH_CAST)
        rlxc_sinfo_collect_vars(c->ctx, b->sinfo_args[0], &c->from);
    return b->form != RLXC_FORM_FUNCTION;
}

/* Gives each symbol of |f| its value in the caller, or a new symbol to those that |f| binds itself;
 * false if an argument does not say one. */
static bool bind_symbols(inliner *in, rlxc_copier *c, const rlxc_function *f,
                         const rlxc_binding *call)
{
    rlxc_bindings known = {0};
    for (uint32_t round = 0; round < 2; round++) /* as in the inference of calls */
        for (uint32_t i = 0; i < f->n_params; i++)
            if (!rlxc_sinfo_match(in->ctx, f->params[i]->sinfo,
                                  rlxc_atom_sinfo(in->ctx, in->module, call->args[i]), &known))
                return false;
    for (uint32_t i = 0; i < f->n_params; i++)
        rlxc_sinfo_collect_vars(in->ctx, f->params[i]->sinfo, &c->from);
    const uint32_t n_given = c->from.vars.count;
    if (!rlxc_each_binding(&f->body, add_symbols, c))
        return false;
    for (uint32_t i = 0; i < c->from.vars.count; i++) {
        const rlxc_expr *var = c->from.vars.items[i], *value = NULL;
        for (uint32_t k = 0; k < known.vars.count; k++)
            value = known.vars.items[k] == var ? known.values.items[k] : value;
        if (!value && i < n_given)
            return false;
        RLXC_PUSH(in->ctx, &c->to.vars, value ? value : rlxc_var_like(in->ctx, var));
    }
    return !rlxc_failed(in->ctx);
}

static rlxc_rvar *new_var(rlxc_copier *c, const rlxc_rvar *like)
{
    rlxc_rvar *var = rlxc_copy_var(c, like);
    var->is_dataflow = false; /* the builder decides */
    return var;
}

/* |var| = |value|. */
static rlxc_atom name_value(rlxc_builder *b, rlxc_rvar *var, rlxc_atom value)
{
    const bool is_tuple = value.kind == RLXC_ATOM_TUPLE;
    rlxc_binding *binding =
        rlxc_binding_new(b->ctx, is_tuple ? RLXC_FORM_TUPLE : RLXC_FORM_COPY, var);
    binding->args = is_tuple ? value.items : rlxc_copy(b->ctx, &value, sizeof value);
    binding->n_args = is_tuple ? value.n : 1;
    return rlxc_emit(b, binding);
}

static void pass_argument(inliner *in, rlxc_builder *b, rlxc_copier *c, const rlxc_rvar *param,
                          rlxc_atom arg)
{
    const rlxc_sinfo *want = rlxc_copy_sinfo(c, param->sinfo);
    if (!rlxc_sinfo_subsumes(in->ctx, want, rlxc_atom_sinfo(in->ctx, in->module, arg))) {
        rlxc_emit_match_cast(b, new_var(c, param), arg, b->range);
        return;
    }
    if (arg.kind == RLXC_ATOM_VAR) {
        rlxc_map_set(in->ctx, &c->vars, rlxc_key(param), arg.var);
        return;
    }
    name_value(b, new_var(c, param), arg);
}

static void check_bounds(inliner *in, rlxc_builder *b, const rlxc_copier *c, const rlxc_function *f)
{
    const rlxc_bounds bounds = rlxc_stated_bounds(in->ctx, f);
    for (uint32_t i = 0; i < bounds.vars.count; i++)
        for (uint32_t k = 0; k < c->from.vars.count; k++) {
            const rlxc_bound range = bounds.ranges.items[i];
            const rlxc_expr *size = c->to.vars.items[k], *least = rlxc_i64(in->ctx, range.min),
                            *most = rlxc_i64(in->ctx, range.max);
            const char *message = rlxc_internf(in->ctx, "%s of %s is not in its bounds",
                                               c->from.vars.items[k]->var.name, f->name);
            if (c->from.vars.items[k] != bounds.vars.items[i])
                continue;
            if (range.min > 0)
                rlxc_emit_check(b, &(rlxc_requirement){RLXC_AT_MOST, least, size, message});
            if (range.max < INT64_MAX)
                rlxc_emit_check(b, &(rlxc_requirement){RLXC_AT_MOST, size, most, message});
        }
}

static rlxc_rewrite_action inline_call(void *user, rlxc_builder *b, rlxc_binding *call,
                                       rlxc_atom *replacement)
{
    inliner *in = user;
    const node *callee =
        call->form == RLXC_FORM_CALL && !call->op ? node_of(in, call->callee) : NULL;
    if (!callee || !callee->done || callee->f->n_params != call->n_args ||
        in->caller->n_bindings > MAX_BINDINGS - callee->n_bindings ||
        rlxc_attrs_find(&callee->f->attrs, "relax.force_pure"))
        return RLXC_REWRITE_KEEP;
    const rlxc_function *f = callee->f;
    rlxc_copier c = {.ctx = in->ctx, .into = b->function};
    if (!bind_symbols(in, &c, f, call))
        return RLXC_REWRITE_KEEP;
    in->caller->n_bindings += callee->n_bindings;
    in->caller->has_if = in->caller->has_if || callee->has_if;
    for (uint32_t i = 0; i < f->n_params; i++)
        pass_argument(in, b, &c, f->params[i], call->args[i]);
    check_bounds(in, b, &c, f);
    for (uint32_t i = 0; i < f->body.n_blocks; i++)
        for (uint32_t k = 0; k < f->body.blocks[i]->n && !rlxc_failed(in->ctx); k++) {
            rlxc_binding *copy = rlxc_copy_binding(&c, f->body.blocks[i]->bindings[k]);
            copy->var->is_dataflow = false;
            rlxc_emit(b, copy);
        }
    *replacement = rlxc_copy_atom(&c, f->body.result);
    const rlxc_sinfo *want = call->var->sinfo;
    rlxc_rvar *var = rlxc_rvar_new(in->ctx, b->function, call->var->name, want);
    if (!rlxc_sinfo_subsumes(in->ctx, want, rlxc_atom_sinfo(in->ctx, in->module, *replacement)))
        *replacement = rlxc_emit_match_cast(b, var, *replacement, call->range);
    else if (replacement->kind == RLXC_ATOM_TUPLE && replacement->n > 0)
        *replacement = name_value(b, var, *replacement);
    return RLXC_REWRITE_REPLACE;
}

static void inline_into(inliner *in, node *n)
{
    const bool had_if = n->has_if;
    const rlxc_rewrite_pass pass = {in, inline_call, NULL, NULL};
    in->caller = n;
    rlxc_rewrite_function(in->ctx, in->module, n->f, &pass);
    if (n->has_if && !had_if && !rlxc_failed(in->ctx))
        rlxc_drop_dataflow(&n->f->body); /* ifs are not allowed in dataflow blocks */
}

bool rlxc_pass_inline_functions(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    inliner in = {.ctx = ctx, .module = module};
    RLXC_VEC(node *) all = {0}, ready = {0};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        node n = {.f = f};
        if (!f)
            continue;
        rlxc_each_binding(&f->body, count_binding, &n);
        node *row = rlxc_copy(ctx, &n, sizeof n);
        rlxc_map_set(ctx, &in.nodes, rlxc_key(f), row);
        RLXC_PUSH(ctx, &all, row);
    }
    for (uint32_t i = 0; i < all.count; i++) {
        in.caller = all.items[i];
        rlxc_body_visit(&all.items[i]->f->body, note_mention, &in);
    }
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i]->waits == 0)
            RLXC_PUSH(ctx, &ready, all.items[i]);
    for (uint32_t i = 0; i < ready.count && !rlxc_failed(ctx); i++) {
        node *n = ready.items[i];
        inline_into(&in, n);
        n->done = true;
        for (uint32_t k = 0; k < n->callers.count; k++)
            if (--n->callers.items[k]->waits == 0)
                RLXC_PUSH(ctx, &ready, n->callers.items[k]);
    }
    for (uint32_t i = 0; i < all.count && !rlxc_failed(ctx); i++)
        if (!all.items[i]->done)
            inline_into(&in, all.items[i]);
    return !rlxc_failed(ctx);
}

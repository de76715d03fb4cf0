/* Pass run_codegen: code generators outside of this compiler take the functions that are marked for
 * them (attribute Codegen), as Relax's RunCodegen does. PrimFuncs may be marked as well.
 *
 * A generator may lower its functions into other functions of the module, and unmark them. Those
 * that stay marked leave the module: their calls become call_dps_packed of a function that the
 * runtime finds by name, attribute global_symbol or else the function's own. The generator may
 * write their code as a section of the file. A marked function without a generator is an error at
 * its mark. */
#include "compiler/passes/composite.h"
#include "compiler/passes/passes.h"

#include "compiler/analysis/alias.h"
#include "compiler/analysis/effects.h"
#include "compiler/ir/op.h"

#include <string.h>

static const rlxc_generator *find_generator(const rlxc_options *options, const char *name)
{
    for (uint32_t i = 0; i < options->n_generators; i++)
        if (strcmp(options->generators[i].name, name) == 0)
            return &options->generators[i];
    return NULL;
}

/* The generator for which a function is marked; NULL: none. */
static const char *mark_of(rlxc_context *ctx, const rlxc_global *g)
{
    return rlxc_mark_in(ctx, g->relax ? &g->relax->attrs : &g->prim->attrs, "Codegen");
}

/* The name under which the runtime finds a function that leaves. */
static const char *symbol_of(rlxc_context *ctx, const rlxc_global *g)
{
    const rlxc_attrs *attrs = g->relax ? &g->relax->attrs : &g->prim->attrs;
    const char *symbol = rlxc_mark_in(ctx, attrs, "global_symbol");
    return symbol ? symbol : g->name;
}

static rlxc_range range_of(const rlxc_global *g)
{
    if (g->prim)
        return g->prim->range;
    return g->relax->marked.line ? g->relax->marked : g->relax->range;
}

static void refuse(rlxc_context *ctx, rlxc_range range, const char *name, const char *generator)
{
    rlxc_error(ctx, range,
               "function '%s' is marked for code generator \"%s\", which is not available", name,
               generator);
}

/* --- what is left ----------------------------------------------------------------------------- */

static void check_body(rlxc_context *ctx, const rlxc_body *body);

/* |f| has no mark, and none of its local functions. */
static void check_function(rlxc_context *ctx, const rlxc_function *f)
{
    const char *codegen = rlxc_mark_of(ctx, f, "Codegen");
    const char *composite = rlxc_mark_of(ctx, f, "Composite");
    if (codegen || composite)
        refuse(ctx, f->marked.line ? f->marked : f->range, f->name, codegen ? codegen : composite);
    else
        check_body(ctx, &f->body);
}

static void check_body(rlxc_context *ctx, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            if (b->form == RLXC_FORM_FUNCTION)
                check_function(ctx, b->function);
            if (b->form == RLXC_FORM_IF) {
                check_body(ctx, b->then);
                check_body(ctx, b->otherwise);
            }
        }
}

/* --- calls of functions that leave -------------------------------------------------------------
 */

/* The marked function that |b| calls, by itself or by call_tir; NULL: none. */
static const rlxc_global *called(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *b)
{
    rlxc_atom callee = b->callee;
    if (rlxc_is_op(b, "call_tir"))
        callee = b->args[0];
    const rlxc_global *g = b->form == RLXC_FORM_CALL && callee.kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(module, callee.text)
                               : NULL;
    return g && mark_of(ctx, g) ? g : NULL;
}

/* call_dps_packed makes the results, so their types must say how. */
static bool is_complete(const rlxc_sinfo *s)
{
    if (s && s->kind == RLXC_SINFO_TUPLE) {
        for (uint32_t i = 0; i < s->n_fields; i++)
            if (!is_complete(s->fields[i]))
                return false;
        return true;
    }
    return s && s->kind == RLXC_SINFO_TENSOR && (s->dims || s->ndim == 0) &&
           !rlxc_dtype_is_void(s->dtype);
}

/* Makes the operands of a call_tir those of a plain call: tensors, then a shape of its tir_vars. */
static bool take_operands(rlxc_context *ctx, const rlxc_global *g, rlxc_binding *call)
{
    if (!g->prim)
        return true;
    if (!call->op || call->n_args < 2 || call->args[1].kind != RLXC_ATOM_TUPLE) {
        rlxc_error(ctx, call->range,
                   "PrimFunc '%s', which a code generator takes, is not called by call_tir with a "
                   "tuple",
                   g->name);
        return false;
    }
    const uint32_t n = call->args[1].n;
    const bool has_vars = call->n_args > 2 && call->args[2].kind == RLXC_ATOM_SHAPE;
    rlxc_atom *args = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof *args);
    for (uint32_t i = 0; i < n; i++)
        args[i] = call->args[1].items[i];
    if (has_vars)
        args[n] = call->args[2];
    call->args = args;
    call->n_args = n + has_vars;
    return true;
}

static rlxc_rewrite_action call_outside(void *user, rlxc_builder *b, rlxc_binding *call,
                                        rlxc_atom *replacement)
{
    (void)user;
    (void)replacement;
    rlxc_context *ctx = b->ctx;
    const rlxc_global *g = called(ctx, b->module, call);
    if (!g)
        return RLXC_REWRITE_KEEP;
    const rlxc_sinfo *type = g->prim ? call->sinfo_args[0] : call->var->sinfo;
    if (!is_complete(type)) {
        rlxc_error(ctx, call->range,
                   "the result of '%s', which a code generator takes, has the type %s: it needs "
                   "dimensions and an element type",
                   g->name, rlxc_sinfo_text(ctx, type));
        return RLXC_REWRITE_KEEP;
    }
    if (!take_operands(ctx, g, call))
        return RLXC_REWRITE_KEEP;
    const rlxc_atom args[2] = {rlxc_atom_extern(ctx, symbol_of(ctx, g)),
                               rlxc_atom_tuple(ctx, call->args, call->n_args)};
    call->op = rlxc_find_operator("call_dps_packed", strlen("call_dps_packed"));
    call->callee = (rlxc_atom){.kind = RLXC_ATOM_NONE};
    call->args = rlxc_copy(ctx, args, sizeof args);
    call->n_args = 2;
    call->attrs = (rlxc_attrs){0};
    call->sinfo_args = rlxc_copy(ctx, &type, sizeof type);
    call->n_sinfo_args = 1;
    return RLXC_REWRITE_KEEP;
}

/* Lets |g| write the code of those |leaving| functions that are marked for it. */
static bool emit_section(rlxc_context *ctx, rlxc_module *module, const rlxc_generator *g,
                         const rlxc_taken *leaving, uint32_t n_leaving)
{
    rlxc_map seen = {0};
    rlxc_taken *taken = rlxc_alloc(ctx, ((size_t)n_leaving + 1) * sizeof *taken);
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_leaving; i++) {
        const rlxc_taken *t = &leaving[i];
        if (strcmp(mark_of(ctx, t->global), g->name) != 0)
            continue;
        const char *symbol = rlxc_intern_cstr(ctx, t->symbol);
        if (rlxc_map_get(&seen, rlxc_key(symbol))) {
            rlxc_error(ctx, range_of(t->global),
                       "two functions for code generator \"%s\" have the symbol '%s'", g->name,
                       symbol);
            return false;
        }
        rlxc_map_set(ctx, &seen, rlxc_key(symbol), taken);
        taken[n++] = *t;
    }
    rlxc_section section = {.kind = g->name, .format = g->name};
    if (n == 0)
        return true;
    if (!g->emit(g->user, ctx, module, taken, n, &section))
        return false;
    if (section.size == 0)
        rlxc_error(ctx, range_of(taken[0].global), "code generator \"%s\" wrote an empty section",
                   g->name);
    RLXC_PUSH(ctx, &module->sections, section);
    return !rlxc_failed(ctx);
}

/* Removes the marked functions, whose calls become calls of the runtime's functions. */
static bool leave(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    const rlxc_rewrite_pass pass = {.binding = call_outside};
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        const rlxc_global *g = module->globals.items[i];
        if (g->relax && !mark_of(ctx, g))
            rlxc_rewrite_function(ctx, module, g->relax, &pass);
    }
    RLXC_VEC(rlxc_taken) leaving = {0};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_global *g = module->globals.items[i];
        if (mark_of(ctx, g))
            RLXC_PUSH(ctx, &leaving, ((rlxc_taken){g, symbol_of(ctx, g)}));
    }
    for (uint32_t i = 0; i < options->n_generators && !rlxc_failed(ctx); i++)
        if (options->generators[i].emit &&
            !emit_section(ctx, module, &options->generators[i], leaving.items, leaving.count))
            return false;
    for (uint32_t i = 0; i < leaving.count; i++)
        rlxc_module_remove(ctx, module, leaving.items[i].global->name);
    for (uint32_t i = 0; i < leaving.count && !rlxc_failed(ctx); i++)
        if (rlxc_is_mentioned(module, leaving.items[i].global->name))
            rlxc_error(ctx, range_of(leaving.items[i].global),
                       "function '%s' is used as a value, but a code generator takes it",
                       leaving.items[i].global->name);
    return !rlxc_failed(ctx);
}

/* --- generators ------------------------------------------------------------------------------- */

/* Runs each generator once that has functions in the module; reports those without one. */
static bool run_generators(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                           bool *out_any)
{
    rlxc_map seen = {0};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_global *f = module->globals.items[i];
        const char *mark = mark_of(ctx, f);
        if (!mark)
            continue;
        *out_any = true;
        const rlxc_generator *g = find_generator(options, mark);
        if (!g)
            refuse(ctx, range_of(f), f->name, mark);
        if (!g || rlxc_map_get(&seen, rlxc_key(g)))
            continue;
        rlxc_map_set(ctx, &seen, rlxc_key(g), (void *)(uintptr_t)g);
        if (g->run &&
            (!g->run(g->user, ctx, module) || !rlxc_well_formed(ctx, module, g->name, false)))
            return false;
        if (g->run)
            i = UINT32_MAX; /* the list has changed: from the start */
    }
    return !rlxc_failed(ctx);
}

bool rlxc_pass_run_codegen(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    bool any = false;
    if (!run_generators(ctx, module, options, &any) || (any && !leave(ctx, module, options)))
        return false;
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (module->globals.items[i]->relax)
            check_function(ctx, module->globals.items[i]->relax);
    if (any && !rlxc_failed(ctx))
        rlxc_drop_unreachable(ctx, module);
    return !rlxc_failed(ctx);
}

/* Pass run_codegen: code generators outside of this compiler take the functions that are marked for
 * them (attribute Codegen), as Relax's RunCodegen does.
 *
 * A generator may lower its functions into other functions of the module, and unmark them. Those
 * that stay marked leave the module: their calls become call_dps_packed of a function that the
 * runtime finds by name, attribute global_symbol or else the function's own. A marked function
 * without a generator is an error at its mark. */
#include "compiler/passes/composite.h"
#include "compiler/passes/passes.h"

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

static void refuse(rlxc_context *ctx, const rlxc_function *f, const char *generator)
{
    rlxc_error(ctx, f->marked.line ? f->marked : f->range,
               "function '%s' is marked for code generator \"%s\", which is not available", f->name,
               generator);
}

/* --- what is left ----------------------------------------------------------------------------- */

static void check_body(rlxc_context *ctx, const rlxc_body *body);

/* |f| has no mark, and none of its local functions. */
static void check_function(rlxc_context *ctx, const rlxc_function *f)
{
    const char *codegen = rlxc_mark_of(ctx, f, "Codegen");
    const char *composite = rlxc_mark_of(ctx, f, "Composite");
    if (codegen)
        refuse(ctx, f, codegen);
    else if (composite)
        refuse(ctx, f, composite);
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

/* The function that the runtime will call instead; NULL: |b| calls none that leaves. */
static const char *symbol_called(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *b)
{
    const rlxc_global *g = b->form == RLXC_FORM_CALL && b->callee.kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(module, b->callee.text)
                               : NULL;
    if (!g || !g->relax || !rlxc_mark_of(ctx, g->relax, "Codegen"))
        return NULL;
    const char *symbol = rlxc_mark_of(ctx, g->relax, "global_symbol");
    return symbol ? symbol : g->name;
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

static rlxc_rewrite_action call_outside(void *user, rlxc_builder *b, rlxc_binding *call,
                                        rlxc_atom *replacement)
{
    (void)user;
    (void)replacement;
    rlxc_context *ctx = b->ctx;
    const char *symbol = symbol_called(ctx, b->module, call);
    if (!symbol)
        return RLXC_REWRITE_KEEP;
    if (!is_complete(call->var->sinfo)) {
        rlxc_error(ctx, call->range,
                   "the result of '%s', which a code generator takes, has the type %s: it needs "
                   "dimensions and an element type",
                   call->callee.text, rlxc_sinfo_text(ctx, call->var->sinfo));
        return RLXC_REWRITE_KEEP;
    }
    const rlxc_atom args[2] = {rlxc_atom_extern(ctx, symbol),
                               rlxc_atom_tuple(ctx, call->args, call->n_args)};
    call->op = rlxc_find_operator("call_dps_packed", strlen("call_dps_packed"));
    call->callee = (rlxc_atom){.kind = RLXC_ATOM_NONE};
    call->args = rlxc_copy(ctx, args, sizeof args);
    call->n_args = 2;
    call->attrs = (rlxc_attrs){0};
    call->sinfo_args = rlxc_copy(ctx, &call->var->sinfo, sizeof call->var->sinfo);
    call->n_sinfo_args = 1;
    return RLXC_REWRITE_KEEP;
}

/* Removes the marked functions, whose calls become calls of the runtime's functions. */
static bool leave(rlxc_context *ctx, rlxc_module *module)
{
    const rlxc_rewrite_pass pass = {.binding = call_outside};
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (f && !rlxc_mark_of(ctx, f, "Codegen"))
            rlxc_rewrite_function(ctx, module, f, &pass);
    }
    RLXC_VEC(const rlxc_function *) leaving = {0};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_function *f = module->globals.items[i]->relax;
        if (f && rlxc_mark_of(ctx, f, "Codegen"))
            RLXC_PUSH(ctx, &leaving, f);
    }
    for (uint32_t i = 0; i < leaving.count; i++)
        rlxc_module_remove(ctx, module, leaving.items[i]->name);
    for (uint32_t i = 0; i < leaving.count && !rlxc_failed(ctx); i++)
        if (rlxc_is_mentioned(module, leaving.items[i]->name))
            rlxc_error(ctx, leaving.items[i]->marked,
                       "function '%s' is used as a value, but a code generator takes it",
                       leaving.items[i]->name);
    return !rlxc_failed(ctx);
}

/* --- generators ------------------------------------------------------------------------------- */

/* Runs each generator once that has functions in the module; reports those without one. */
static bool run_generators(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                           bool *out_any)
{
    rlxc_map seen = {0};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_function *f = module->globals.items[i]->relax;
        const char *mark = f ? rlxc_mark_of(ctx, f, "Codegen") : NULL;
        if (!mark)
            continue;
        *out_any = true;
        const rlxc_generator *g = find_generator(options, mark);
        if (!g)
            refuse(ctx, f, mark);
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
    if (!run_generators(ctx, module, options, &any) || (any && !leave(ctx, module)))
        return false;
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (module->globals.items[i]->relax)
            check_function(ctx, module->globals.items[i]->relax);
    if (any && !rlxc_failed(ctx))
        rlxc_drop_unreachable(ctx, module);
    return !rlxc_failed(ctx);
}

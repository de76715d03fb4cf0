/* Pass infer: struct info of every binding, annotations checked against it.
 *
 * Inference may be less precise than the user's annotation. An annotation that provably follows is
 * dropped; one that says more than can be proved, without contradiction, becomes a match_cast after
 * the binding, so that it is checked at run time; a contradiction is reported with both types. Code
 * generation checks declared results of functions in the same way; here only contradictions are
 * errors. Functions without a declared result are inferred before those that call them. Arguments
 * of PrimFuncs are checked here, too: the types of values without annotations are known only now.
 */
#include "compiler/passes/infer_forms.h"
#include "compiler/passes/passes.h"

#include "compiler/ir/device.h"
#include "compiler/ir/rewrite.h"

#include <string.h>

static bool is_vague(const rlxc_sinfo *s)
{
    return s->kind == RLXC_SINFO_OBJECT;
}

/* The first operand on |device|, from which the result has it. */
static rlxc_atom operand_on(const rlxc_binding *binding, const char *device)
{
    for (uint32_t i = 0; device && i < binding->n_args; i++) {
        const rlxc_atom *at = &binding->args[i];
        const uint32_t n = at->kind == RLXC_ATOM_TUPLE ? at->n : 1;
        const rlxc_atom *items = at->kind == RLXC_ATOM_TUPLE ? at->items : at;
        for (uint32_t k = 0; k < n; k++) {
            const char *own = items[k].kind == RLXC_ATOM_VAR && items[k].var->sinfo
                                  ? rlxc_stated_device(items[k].var->sinfo)
                                  : NULL;
            if (own && strcmp(own, device) == 0)
                return items[k];
        }
    }
    return (rlxc_atom){.kind = RLXC_ATOM_NONE};
}

static rlxc_rewrite_action infer_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                         rlxc_atom *replacement)
{
    (void)user;
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *annotation = binding->var->annotation;
    if (binding->form == RLXC_FORM_MATCH_CAST || binding->form == RLXC_FORM_FUNCTION)
        return RLXC_REWRITE_KEEP;
    if (!rlxc_make_plain(b, binding)) {
        binding->var->sinfo = rlxc_sinfo_object(ctx);
        return RLXC_REWRITE_KEEP;
    }
    const rlxc_sinfo *inferred = rlxc_infer_binding(ctx, b->module, binding);
    if (!inferred || rlxc_failed(ctx))
        return RLXC_REWRITE_KEEP;
    if (binding->form == RLXC_FORM_CALL && !rlxc_check_callee_types(ctx, b->module, binding))
        return RLXC_REWRITE_KEEP;
    binding->var->sinfo = inferred;
    if (!annotation || annotation == inferred || rlxc_sinfo_subsumes(ctx, annotation, inferred))
        return RLXC_REWRITE_KEEP;
    if (!rlxc_sinfo_compatible(ctx, annotation, inferred)) {
        rlxc_error(ctx, binding->range, "'%s' is annotated %s but its value is %s",
                   binding->var->name, rlxc_sinfo_text(ctx, annotation),
                   rlxc_sinfo_text(ctx, inferred));
        rlxc_note_devices(ctx, annotation, binding->var->name, binding->var->range, inferred,
                          operand_on(binding, rlxc_stated_device(inferred)));
        return RLXC_REWRITE_KEEP;
    }
    if (is_vague(inferred)) {
        /* Opaque results (packed calls, storages): the annotation is the only information. */
        binding->var->sinfo = annotation;
        return RLXC_REWRITE_KEEP;
    }
    rlxc_rvar *checked = rlxc_rvar_new(ctx, b->function, binding->var->name, annotation);
    checked->is_dataflow = binding->var->is_dataflow;
    checked->range = binding->var->range;
    *replacement = rlxc_emit_match_cast(b, checked, rlxc_emit(b, binding), binding->range);
    return RLXC_REWRITE_REPLACE;
}

static void infer_result(rlxc_context *ctx, rlxc_module *module, rlxc_function *f)
{
    const rlxc_sinfo *result = rlxc_atom_sinfo(ctx, module, f->body.result);
    if (!result)
        return;
    if (!f->ret) {
        f->ret = result;
    } else if (!rlxc_sinfo_compatible(ctx, f->ret, result)) {
        rlxc_error(ctx, f->body.result_range,
                   "function '%s' is declared to return %s but returns %s", f->name,
                   rlxc_sinfo_text(ctx, f->ret), rlxc_sinfo_text(ctx, result));
        rlxc_note_devices(ctx, f->ret, f->name, f->range, result, f->body.result);
    }
}

typedef struct inferring {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_map begun; /* functions */
    uint32_t depth;
} inferring;

static void infer_function(inferring *w, rlxc_function *f);

/* A call has its result's type only where that of its callee is known. */
static void infer_callee(void *user, rlxc_atom atom)
{
    inferring *w = user;
    const rlxc_global *g =
        atom.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(w->module, atom.text) : NULL;
    if (g && g->relax && !g->relax->ret && w->depth < RLXC_MAX_DEPTH)
        infer_function(w, g->relax);
}

static void infer_function(inferring *w, rlxc_function *f)
{
    const rlxc_rewrite_pass pass = {.binding = infer_binding};
    if (rlxc_failed(w->ctx) || rlxc_map_get(&w->begun, rlxc_key(f)))
        return;
    rlxc_map_set(w->ctx, &w->begun, rlxc_key(f), f);
    w->depth++;
    rlxc_body_visit(&f->body, infer_callee, w);
    w->depth--;
    if (rlxc_failed(w->ctx))
        return;
    rlxc_rewrite_function(w->ctx, w->module, f, &pass);
    if (!rlxc_failed(w->ctx))
        infer_result(w->ctx, w->module, f);
}

bool rlxc_pass_infer(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    inferring w = {.ctx = ctx, .module = module};
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->relax)
            infer_function(&w, module->globals.items[i]->relax);
    return !rlxc_failed(ctx);
}

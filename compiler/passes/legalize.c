/* Pass legalize: every operator with a legalization becomes call_tir of a PrimFunc or a builtin
 * call.
 *
 * Requirements on dimensions of operators that passes made are checked (compiler/ops/state.h), so
 * legalizers always see dimensions that fit. Elementwise operators take any rank; pass split_ranks
 * leaves no other operand of unknown rank. Values that decide where an operator reads and writes
 * are checked first, unless the module is compiled with --lenient (compiler/ops/checks.h). What an
 * operator becomes is on the device of its result, and its PrimFuncs have that device's target.
 * Operators without a legalize function stay for later passes and the code generator. */
#include "compiler/ir/device.h"
#include "compiler/passes/passes.h"

#include "compiler/analysis/effects.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ops/checks.h"
#include "compiler/ops/compose.h"
#include "compiler/ops/legalize_cache.h"
#include "compiler/ops/state.h"
#include "compiler/ops/value_range.h"

typedef struct legalizer {
    rlxc_legalize_cache cache;
    rlxc_stated stated; /* of the current function */
    bool lenient;       /* no checks of run-time values */
    rlxc_value_checks checks;
} legalizer;

/* The type of an operand of unknown rank in |atom|, itself or in a tuple; or NULL. */
static const rlxc_sinfo *unknown_rank(rlxc_builder *b, rlxc_atom atom)
{
    const rlxc_sinfo *s = NULL;
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_TUPLE && i < atom.n && !s; i++)
        s = unknown_rank(b, atom.items[i]);
    if (s || atom.kind == RLXC_ATOM_TUPLE)
        return s;
    s = rlxc_atom_sinfo(b->ctx, b->module, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim == RLXC_UNKNOWN_NDIM ? s : NULL;
}

static void block_begin(void *user, rlxc_builder *b)
{
    legalizer *l = user;
    rlxc_state_block_begin(&l->stated, b->ctx);
}

static void block_end(void *user, rlxc_builder *b)
{
    legalizer *l = user;
    rlxc_state_block_end(&l->stated, b->ctx);
}

static rlxc_rewrite_action legalize_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                            rlxc_atom *replacement)
{
    rlxc_context *ctx = b->ctx;
    legalizer *l = user;
    rlxc_builder_place(b, NULL);
    if (l->lenient && rlxc_is_kept_check(binding))
        return RLXC_REWRITE_DROP;
    rlxc_state_note(&l->stated, ctx, binding);
    if (binding->form != RLXC_FORM_CALL || !binding->op || !binding->op->legalize) {
        rlxc_note_value_range(ctx, b->module, &l->checks.ranges, binding,
                              rlxc_atom_var(binding->var));
        return RLXC_REWRITE_KEEP;
    }
    bool any_rank = (binding->op->flags & RLXC_OP_ANY_RANK) != 0;
    const rlxc_sinfo *unknown = NULL;
    for (uint32_t i = 0; i < binding->n_args && !any_rank && !unknown; i++)
        unknown = unknown_rank(b, binding->args[i]);
    if (unknown && binding->op->flags & RLXC_OP_BY_ELEMENT) {
        rlxc_builder_place(b, rlxc_stated_device(binding->var->sinfo));
        *replacement = rlxc_lower_any_rank(b, binding);
        return rlxc_failed(ctx) ? RLXC_REWRITE_KEEP : RLXC_REWRITE_REPLACE;
    }
    if (unknown) {
        rlxc_error(ctx, binding->range, "R.%s needs to know the rank of its argument; it has %s",
                   binding->op->name, rlxc_sinfo_text(ctx, unknown));
        return RLXC_REWRITE_KEEP;
    }
    if (!rlxc_state_call(&l->stated, b, binding))
        return RLXC_REWRITE_KEEP;
    rlxc_builder_place(b, rlxc_stated_device(binding->var->sinfo));
    if (!l->lenient)
        rlxc_emit_value_checks(&l->checks, b, binding);
    rlxc_atom lowered =
        rlxc_failed(ctx) ? (rlxc_atom){0} : rlxc_legalize_call(&l->cache, b, binding);
    if (rlxc_failed(ctx))
        return RLXC_REWRITE_KEEP;
    const bool kept = lowered.kind == RLXC_ATOM_NONE;
    rlxc_note_value_range(ctx, b->module, &l->checks.ranges, binding,
                          kept ? rlxc_atom_var(binding->var) : lowered);
    *replacement = lowered;
    return kept ? RLXC_REWRITE_KEEP : RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_legalize(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    legalizer l = {.lenient = options->lenient};
    const rlxc_rewrite_pass pass = {&l, legalize_binding, block_begin, block_end};
    uint32_t n = module->globals.count; /* functions added meanwhile are PrimFuncs */
    for (uint32_t i = 0; i < n && !rlxc_failed(ctx); i++) {
        l.stated = (rlxc_stated){0};
        if (module->globals.items[i]->relax)
            rlxc_rewrite_function(ctx, module, module->globals.items[i]->relax, &pass);
    }
    return !rlxc_failed(ctx);
}

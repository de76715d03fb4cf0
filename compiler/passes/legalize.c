/* Pass legalize: every operator with a legalization becomes call_tir of a PrimFunc or a builtin
 * call.
 *
 * An argument whose rank is known but not its dimensions first gets a match_cast to fresh symbols,
 * so legalizers always see symbolic dimensions; further uses of it in the same block mean the same
 * symbols, so that what is computed from it fits it. An unknown rank is an error that names
 * operator and argument. Values that decide where an operator reads and writes are checked first,
 * unless the module is compiled with --lenient (compiler/ops/checks.h). Operators whose row has no
 * legalize function stay for the later passes and the code generator. */
#include "compiler/passes/passes.h"

#include "compiler/ir/rewrite.h"
#include "compiler/ops/checks.h"
#include "compiler/ops/legalize_cache.h"
#include "compiler/ops/value_range.h"

/* A variable's match_cast, for uses in the block that it stands in. */
typedef struct named_dims {
    const rlxc_binding_block *block;
    rlxc_atom atom;
} named_dims;

typedef struct legalizer {
    rlxc_legalize_cache cache;
    rlxc_map named; /* variable -> named_dims */
    bool lenient;   /* no checks of run-time values */
    rlxc_value_checks checks;
} legalizer;

static bool needs_dims(const rlxc_sinfo *s)
{
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim >= 0 && !s->dims;
}

/* Emits a match_cast that names the dimensions of |atom|. */
static rlxc_atom name_dims(legalizer *l, rlxc_builder *b, rlxc_atom atom, const rlxc_sinfo *s)
{
    rlxc_context *ctx = b->ctx;
    uint64_t key = atom.kind == RLXC_ATOM_VAR ? rlxc_key(atom.var) : 0;
    named_dims *seen = key ? rlxc_map_get(&l->named, key) : NULL;
    if (seen && seen->block == b->block)
        return seen->atom;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    for (int32_t i = 0; i < s->ndim; i++)
        dims[i] = rlxc_shape_var(ctx, rlxc_internf(ctx, "d%d", i));
    const rlxc_sinfo *named = rlxc_sinfo_tensor(ctx, s->dtype, s->ndim, dims, s->vdevice);
    rlxc_rvar *var = rlxc_rvar_new(ctx, b->function, "shaped", named);
    var->is_dataflow = b->block->is_dataflow;
    seen = rlxc_alloc(ctx, sizeof *seen);
    *seen = (named_dims){b->block, rlxc_emit_match_cast(b, var, atom, b->range)};
    if (key)
        rlxc_map_set(ctx, &l->named, key, seen);
    return seen->atom;
}

static rlxc_atom with_dims(legalizer *l, rlxc_builder *b, const rlxc_binding *call, rlxc_atom atom,
                           bool *io_changed)
{
    rlxc_context *ctx = b->ctx;
    if (atom.kind == RLXC_ATOM_TUPLE) {
        bool changed = false;
        rlxc_atom *items = rlxc_alloc(ctx, (atom.n ? atom.n : 1) * sizeof *items);
        for (uint32_t i = 0; i < atom.n; i++)
            items[i] = with_dims(l, b, call, atom.items[i], &changed);
        if (!changed)
            return atom;
        *io_changed = true;
        return rlxc_atom_tuple(ctx, items, atom.n);
    }
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, b->module, atom);
    if (s && s->kind == RLXC_SINFO_TENSOR && s->ndim == RLXC_UNKNOWN_NDIM) {
        rlxc_error(ctx, call->range,
                   "R.%s needs to know the rank of its argument; it has %s (add a match_cast)",
                   call->op->name, rlxc_sinfo_text(ctx, s));
        return atom;
    }
    if (!needs_dims(s))
        return atom;
    *io_changed = true;
    return name_dims(l, b, atom, s);
}

static rlxc_rewrite_action legalize_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                            rlxc_atom *replacement)
{
    rlxc_context *ctx = b->ctx;
    legalizer *l = user;
    if (binding->form != RLXC_FORM_CALL || !binding->op || !binding->op->legalize) {
        rlxc_note_value_range(ctx, b->module, &l->checks.ranges, binding,
                              rlxc_atom_var(binding->var));
        return RLXC_REWRITE_KEEP;
    }
    bool changed = false;
    rlxc_atom *args = rlxc_alloc(ctx, (binding->n_args ? binding->n_args : 1) * sizeof *args);
    bool any_rank = (binding->op->flags & RLXC_OP_ANY_RANK) != 0;
    for (uint32_t i = 0; i < binding->n_args && !any_rank; i++)
        args[i] = with_dims(l, b, binding, binding->args[i], &changed);
    if (rlxc_failed(ctx))
        return RLXC_REWRITE_KEEP;
    if (changed) {
        binding->args = args;
        const rlxc_sinfo *s = rlxc_infer_binding(ctx, b->module, binding);
        if (!s || rlxc_failed(ctx))
            return RLXC_REWRITE_KEEP;
        binding->var->sinfo = s;
    }
    if (!l->lenient)
        rlxc_emit_value_checks(&l->checks, b, binding);
    rlxc_atom lowered =
        rlxc_failed(ctx) ? (rlxc_atom){0} : rlxc_legalize_call(&l->cache, b, binding);
    if (rlxc_failed(ctx) || lowered.kind == RLXC_ATOM_NONE)
        return RLXC_REWRITE_KEEP;
    rlxc_note_value_range(ctx, b->module, &l->checks.ranges, binding, lowered);
    *replacement = lowered;
    return RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_legalize(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    legalizer l = {.lenient = options->lenient};
    const rlxc_rewrite_pass pass = {.user = &l, .binding = legalize_binding};
    rlxc_rewrite_module(ctx, module, &pass);
    return !rlxc_failed(ctx);
}

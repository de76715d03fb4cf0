/* Pass to_mixed_precision: operators flagged RLXC_OP_NARROWS read float32 operands as 16-bit ones.
 *
 *   y = matmul(x, w)   becomes   x16 = astype(x, "float16"); w16 = astype(w, "float16");
 *                                y = matmul(x16, w16, out_dtype="float32")
 *
 * The sums stay float32, and so does every other operator. A value is rounded once in a block, in
 * front of the operators that only move elements (RLXC_OP_FOLLOWS), so that constants behind them
 * fold; a value that was widened from 16 bits is used in its original form. The 16-bit result of an
 * operator without out_dtype is widened again. Runs if options->mixed names a type. */
#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/passes.h"

enum { MAX_MOVES = 8 }; /* limit of operators followed for one value */

typedef struct place {
    const rlxc_binding *maker; /* NULL: none in this block */
    rlxc_atom narrow;          /* kind NONE: not made yet */
    const rlxc_binding_block *block;
} place;

typedef struct narrowing {
    rlx_dtype type;
    rlxc_map places; /* rlxc_rvar -> place */
} narrowing;

static place *place_of(narrowing *n, rlxc_builder *b, const rlxc_rvar *var)
{
    place *p = rlxc_map_get(&n->places, rlxc_key(var));
    if (p && p->block == b->block)
        return p;
    const place fresh = {.block = b->block};
    p = rlxc_copy(b->ctx, &fresh, sizeof fresh);
    rlxc_map_set(b->ctx, &n->places, rlxc_key(var), p);
    return p;
}

static bool is_wide(const rlxc_builder *b, rlxc_atom atom)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && rlxc_dtype_eq(s->dtype, RLX_F32);
}

static rlxc_attrs dtype_attr(rlxc_context *ctx, rlx_dtype t)
{
    return rlxc_attrs_with(ctx, (rlxc_attrs){0}, rlxc_intern_cstr(ctx, "dtype"),
                           rlxc_attr_dtype(t));
}

/* |atom|, a float32 tensor, in 16 bits. */
static rlxc_atom narrowed(narrowing *n, rlxc_builder *b, rlxc_atom atom, int moves)
{
    const rlxc_binding *by = NULL;
    place *p = NULL;
    rlxc_atom source = atom, out;
    if (atom.kind == RLXC_ATOM_VAR) {
        p = place_of(n, b, atom.var);
        if (p->narrow.kind != RLXC_ATOM_NONE)
            return p->narrow;
        by = p->maker;
    }
    const char *name = atom.kind == RLXC_ATOM_VAR ? atom.var->name : "narrow";
    const rlxc_sinfo *from =
        by && rlxc_is_op(by, "astype") ? rlxc_atom_sinfo(b->ctx, b->module, by->args[0]) : NULL;
    if (from && rlxc_dtype_eq(from->dtype, n->type)) {
        out = by->args[0];
    } else if (by && rlxc_has_op_flag(by, RLXC_OP_FOLLOWS) && moves > 0 &&
               is_wide(b, by->args[0])) {
        rlxc_atom *args = rlxc_copy(b->ctx, by->args, by->n_args * sizeof *args);
        args[0] = narrowed(n, b, by->args[0], moves - 1);
        out = rlxc_emit_op(b, by->op->name, args, by->n_args, by->attrs, name);
    } else {
        out = rlxc_emit_op(b, "astype", &source, 1, dtype_attr(b->ctx, n->type), name);
    }
    if (p)
        p->narrow = out;
    return out;
}

static rlxc_rewrite_action narrow_call(void *user, rlxc_builder *b, rlxc_binding *binding,
                                       rlxc_atom *replacement)
{
    (void)replacement;
    narrowing *n = user;
    b->range = binding->range;
    place_of(n, b, binding->var)->maker = binding;
    if (!rlxc_has_op_flag(binding, RLXC_OP_NARROWS))
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < binding->n_args; i++)
        if (!is_wide(b, binding->args[i]))
            return RLXC_REWRITE_KEEP;
    rlxc_atom *args = rlxc_alloc(b->ctx, (binding->n_args + 1U) * sizeof *args);
    for (uint32_t i = 0; i < binding->n_args; i++)
        args[i] = narrowed(n, b, binding->args[i], MAX_MOVES);
    if (rlxc_attrs_find(&binding->attrs, "out_dtype")) {
        if (rlxc_dtype_is_void(rlxc_attr_get_dtype(binding, "out_dtype")))
            binding->attrs =
                rlxc_attrs_with(b->ctx, binding->attrs, rlxc_intern_cstr(b->ctx, "out_dtype"),
                                rlxc_attr_dtype(RLX_F32));
        binding->args = args;
        return RLXC_REWRITE_KEEP;
    }
    rlxc_atom out = rlxc_emit_op(b, binding->op->name, args, binding->n_args, binding->attrs,
                                 binding->var->name);
    binding->op = rlxc_find_operator("astype", 6);
    binding->args = rlxc_copy(b->ctx, &out, sizeof out);
    binding->n_args = 1;
    binding->attrs = dtype_attr(b->ctx, RLX_F32);
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_to_mixed_precision(rlxc_context *ctx, rlxc_module *module,
                                  const rlxc_options *options)
{
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        narrowing n = {.type = options->mixed};
        const rlxc_rewrite_pass pass = {.user = &n, .binding = narrow_call};
        rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}

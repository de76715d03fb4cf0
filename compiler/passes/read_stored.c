/* Pass read_stored: products read float8 operands directly.
 *
 *   f = astype(w, "float32")           becomes   y = matmul(x, w, out_dtype="float32")
 *   y = matmul(x, f)
 *
 * The kernel converts each element as it reads it, with the same result; otherwise a tensor four
 * times as large would be written and read. Operators between the conversion and the product that
 * only move elements (RLXC_OP_FOLLOWS) move those of float8, so that constants behind them fold. */
#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/passes.h"

enum { MAX_MOVES = 8 }; /* limit of operators followed for one value */

typedef struct reader {
    rlxc_map makers; /* rlxc_rvar -> rlxc_binding */
} reader;

static bool holds_float8(const rlxc_builder *b, rlxc_atom atom)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_float8(s->dtype);
}

/* The float8 value that |atom| was converted from, moved in the same way; kind NONE if there is
 * none. */
static rlxc_atom stored(reader *r, rlxc_builder *b, rlxc_atom atom, int moves)
{
    const rlxc_binding *by =
        atom.kind == RLXC_ATOM_VAR ? rlxc_map_get(&r->makers, rlxc_key(atom.var)) : NULL;
    rlxc_atom none = {0};
    if (by && rlxc_is_op(by, "astype"))
        return holds_float8(b, by->args[0]) ? by->args[0] : none;
    if (!by || moves == 0 || !rlxc_has_op_flag(by, RLXC_OP_FOLLOWS))
        return none;
    rlxc_atom source = stored(r, b, by->args[0], moves - 1);
    if (source.kind == RLXC_ATOM_NONE)
        return none;
    rlxc_atom *args = rlxc_copy(b->ctx, by->args, by->n_args * sizeof *args);
    args[0] = source;
    return rlxc_emit_op(b, by->op->name, args, by->n_args, by->attrs, atom.var->name);
}

static rlxc_rewrite_action read_call(void *user, rlxc_builder *b, rlxc_binding *call,
                                     rlxc_atom *replacement)
{
    reader *r = user;
    (void)replacement;
    rlxc_map_set(b->ctx, &r->makers, rlxc_key(call->var), call);
    const rlxc_sinfo *out = call->var->sinfo;
    if (!rlxc_is_op(call, "matmul") || !out || out->kind != RLXC_SINFO_TENSOR ||
        !rlxc_dtype_eq(out->dtype, RLX_F32))
        return RLXC_REWRITE_KEEP;
    b->range = call->range;
    rlxc_atom weight = stored(r, b, call->args[1], MAX_MOVES);
    if (weight.kind == RLXC_ATOM_NONE)
        return RLXC_REWRITE_KEEP;
    rlxc_atom *args = rlxc_copy(b->ctx, call->args, call->n_args * sizeof *args);
    args[1] = weight;
    call->args = args;
    call->attrs = rlxc_attrs_with(b->ctx, call->attrs, rlxc_intern_cstr(b->ctx, "out_dtype"),
                                  rlxc_attr_dtype(RLX_F32));
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_read_stored(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f || rlxc_has_kills(f))
            continue;
        reader r = {0};
        const rlxc_rewrite_pass pass = {.user = &r, .binding = read_call};
        rlxc_rewrite_function(ctx, module, f, &pass);
    }
    return !rlxc_failed(ctx);
}

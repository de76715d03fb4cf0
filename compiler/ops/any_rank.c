/* Elementwise operators on operands whose rank is known only at run time: they work on the
 * flattened elements, and the result gets the shape back. Several operands are broadcast to one
 * shape first, which is free if they have it already (builtins/broadcast.c). */
#include "compiler/ops/builtin_call.h"
#include "compiler/ops/compose.h"

static bool is_scalar(const rlxc_sinfo *s)
{
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim == 0;
}

rlxc_atom rlxc_lower_named_vector(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x,
                                  rlx_dtype dtype, const rlxc_expr *length)
{
    const rlxc_sinfo *named = rlxc_sinfo_tensor(b->ctx, dtype, 1, &length, NULL);
    rlxc_rvar *var = rlxc_rvar_new(b->ctx, b->function, "flat", named);
    var->is_dataflow = b->block->is_dataflow;
    return rlxc_emit_match_cast(b, var, x, call->range);
}

/* The elements of |x| as a vector of |length|. */
static rlxc_atom flat(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, rlx_dtype dtype,
                      const rlxc_expr *length)
{
    const rlxc_sinfo *vector = rlxc_sinfo_tensor(b->ctx, dtype, 1, NULL, NULL);
    x = rlxc_emit_builtin(b, call, "rlx.flat", &x, 1, vector, true);
    return rlxc_lower_named_vector(b, call, x, dtype, length);
}

rlxc_atom rlxc_lower_any_rank(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *unknown = rlxc_sinfo_shape(ctx, RLXC_UNKNOWN_NDIM, NULL), *s;
    rlxc_atom args[RLXC_MAX_OP_INPUTS], tensors[RLXC_MAX_OP_INPUTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->n_args; i++) {
        s = rlxc_atom_sinfo(ctx, b->module, call->args[i]);
        args[i] = call->args[i];
        if (s && s->kind == RLXC_SINFO_TENSOR && !is_scalar(s))
            tensors[n++] = call->args[i];
    }
    rlxc_atom shape = rlxc_emit_builtin(b, call, n == 1 ? "rlx.shape_of" : "rlx.broadcast_shape",
                                        tensors, n, unknown, false);
    const rlxc_expr *length = rlxc_fresh_shape_var(ctx, "elements");
    for (uint32_t i = 0; i < call->n_args && !rlxc_failed(ctx); i++) {
        s = rlxc_atom_sinfo(ctx, b->module, call->args[i]);
        if (!s || s->kind != RLXC_SINFO_TENSOR || is_scalar(s))
            continue;
        const rlxc_atom whole[2] = {args[i], shape};
        const rlxc_sinfo *any = rlxc_sinfo_tensor(ctx, s->dtype, RLXC_UNKNOWN_NDIM, NULL, NULL);
        if (n > 1)
            args[i] = rlxc_emit_builtin(b, call, "rlx.broadcast_to", whole, 2, any, true);
        args[i] = flat(b, call, args[i], s->dtype, length);
    }
    const rlxc_sinfo *result = call->op->infer(ctx, b->module, call);
    rlxc_atom y = rlxc_lower_op(b, call, call->op->name, args, call->n_args, call->attrs);
    if (!result || y.kind == RLXC_ATOM_NONE)
        return (rlxc_atom){0};
    const rlxc_atom back[2] = {y, shape};
    return rlxc_emit_builtin(b, call, "rlx.reshape", back, 2, result, true);
}

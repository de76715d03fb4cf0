/* Pass permute_stacks: transposes matrices that are picked from a constant stack when compiling.
 *
 *   w = take(stack, i, axis=0)         becomes   s = permute_dims(stack, axes=[0, 2, 1])
 *   t = permute_dims(w, axes=[1, 0])             t = take(s, i, axis=0)
 *
 * for a number i, as in mixtures of experts, whose weights exporters keep in one tensor.
 * fold_constant computes s. Otherwise each call would transpose the weights of the experts that it
 * uses. If something else reads w as well, the file holds both stacks. */
#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ops/compose.h"
#include "compiler/passes/makers.h"
#include "compiler/passes/match_patterns.h"
#include "compiler/passes/passes.h"

/* The entry that |call| transposes, taken from a transposed stack; kind NONE if it does not. */
static rlxc_atom taken_transposed(const rlxc_makers *m, rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_atom none = {0};
    const rlxc_binding *take = rlxc_maker_of(m, b, call->args[0]);
    if (!take || !rlxc_is_op(take, "take") || take->args[0].kind != RLXC_ATOM_CONSTANT)
        return none;
    const rlxc_sinfo *stack = rlxc_atom_sinfo(ctx, b->module, take->args[0]);
    const rlxc_sinfo *index = rlxc_atom_sinfo(ctx, b->module, take->args[1]);
    const int64_t axis = rlxc_attr_get_int(take, "axis", -1);
    int64_t axes[RLXC_MAX_NDIM], whole[RLXC_MAX_NDIM];
    if (!stack || stack->kind != RLXC_SINFO_TENSOR || stack->ndim < 3 || !index ||
        index->kind != RLXC_SINFO_TENSOR || index->ndim != 0 || axis < 0 || axis >= stack->ndim ||
        !rlxc_permutation(call, stack->ndim - 1, axes))
        return none;
    whole[0] = axis;
    for (int32_t i = 1; i < stack->ndim; i++)
        whole[i] = axes[i - 1] + (axes[i - 1] >= axis);
    const rlxc_attr list = rlxc_attr_ints(ctx, whole, (uint32_t)stack->ndim);
    rlxc_atom args[2] = {take->args[0], take->args[1]};
    args[0] = rlxc_emit_op(b, "permute_dims", args, 1, rlxc_one_attr(ctx, "axes", list), "stack");
    if (args[0].kind == RLXC_ATOM_NONE)
        return none;
    const rlxc_attrs attrs = rlxc_and_attr(ctx, take->attrs, "axis", rlxc_attr_int(0));
    return rlxc_emit_op(b, "take", args, 2, attrs, call->var->name);
}

static rlxc_rewrite_action look(void *user, rlxc_builder *b, rlxc_binding *call,
                                rlxc_atom *replacement)
{
    rlxc_makers *m = user;
    rlxc_makers_note(m, b, call);
    if (!rlxc_is_op(call, "permute_dims"))
        return RLXC_REWRITE_KEEP;
    b->range = call->range;
    *replacement = taken_transposed(m, b, call);
    return replacement->kind == RLXC_ATOM_VAR ? RLXC_REWRITE_REPLACE : RLXC_REWRITE_KEEP;
}

bool rlxc_pass_permute_stacks(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    return rlxc_rewrite_with_makers(ctx, module, look);
}

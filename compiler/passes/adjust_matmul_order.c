/* Pass adjust_matmul_order: picks (a b) c or a (b c), whichever needs fewer multiplications.
 *
 *   ab = matmul(a, b); y = matmul(ab, c)      becomes   bc = matmul(b, c); y = matmul(a, bc)
 *   bc = matmul(b, c); y = matmul(a, bc)      becomes   ab = matmul(a, b); y = matmul(ab, c)
 *   t = permute_dims(bc); y = matmul(a, t)    likewise, with c and b transposed
 *
 * if it is provably cheaper for all sizes within their bounds, and nothing else reads the inner
 * product. |b| and |c| are matrices, |a| may have leading dimensions. Runs only on request, because
 * the sums are rounded in another order. dce removes the unused inner product. */
#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/makers.h"
#include "compiler/passes/passes.h"

/* The call of R.|op| in this block that made |atom|, if nothing else reads it; else NULL. */
static const rlxc_binding *maker_of(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom atom,
                                    const char *op)
{
    const rlxc_binding *by = rlxc_sole_maker_of(m, b, atom);
    return by && rlxc_is_op(by, op) ? by : NULL;
}

/* The type of |atom| if it is a tensor with at least |least| dimensions, all known; else NULL. */
static const rlxc_sinfo *operand(const rlxc_builder *b, rlxc_atom atom, int32_t least, bool more)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, atom);
    bool fits = s && s->kind == RLXC_SINFO_TENSOR && s->dims &&
                (s->ndim == least || (more && s->ndim > least));
    return fits ? s : NULL;
}

static const rlxc_expr *times(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b,
                              const rlxc_expr *c)
{
    return rlxc_mul(ctx, rlxc_mul(ctx, a, b), c);
}

/* True if first (middle last) costs less than (first middle) last; with |right| false, if it costs
 * more. */
static bool is_cheaper(rlxc_context *ctx, const rlxc_sinfo *first, const rlxc_sinfo *middle,
                       const rlxc_sinfo *last, bool right)
{
    const rlxc_expr *rows = rlxc_product(ctx, first->dims, (uint32_t)first->ndim - 1);
    const rlxc_expr *k = middle->dims[0], *n = middle->dims[1], *p = last->dims[1];
    const rlxc_expr *left_cost = rlxc_add(ctx, times(ctx, rows, k, n), times(ctx, rows, n, p));
    const rlxc_expr *right_cost = rlxc_add(ctx, times(ctx, k, n, p), times(ctx, rows, k, p));
    left_cost = rlxc_canonical(ctx, left_cost, NULL);
    right_cost = rlxc_canonical(ctx, right_cost, NULL);
    return right ? rlxc_prove_lt(ctx, right_cost, left_cost, NULL)
                 : rlxc_prove_lt(ctx, left_cost, right_cost, NULL);
}

/* True for a product in the elements' own type: with out_dtype, the inner result would be rounded
 * differently.
 */
static bool is_plain(const rlxc_binding *product, const rlxc_sinfo *operand)
{
    rlx_dtype t = rlxc_attr_get_dtype(product, "out_dtype");
    return rlxc_dtype_is_float(operand->dtype) &&
           (rlxc_dtype_is_void(t) || rlxc_dtype_eq(t, operand->dtype));
}

static rlxc_atom product(rlxc_builder *b, const rlxc_binding *like, rlxc_atom x, rlxc_atom y,
                         const char *name)
{
    const rlxc_atom args[2] = {x, y};
    return rlxc_emit_op(b, "matmul", args, 2, like->attrs, name);
}

/* (a b) c as a (b c). */
static bool to_the_right(const rlxc_makers *o, rlxc_builder *b, rlxc_binding *outer)
{
    const rlxc_binding *inner = maker_of(o, b, outer->args[0], "matmul");
    if (!inner)
        return false;
    const rlxc_sinfo *first = operand(b, inner->args[0], 2, true),
                     *middle = operand(b, inner->args[1], 2, false),
                     *last = operand(b, outer->args[1], 2, false);
    if (!first || !middle || !last || !is_plain(inner, first) || !is_plain(outer, first) ||
        !is_cheaper(b->ctx, first, middle, last, true))
        return false;
    rlxc_atom args[2] = {inner->args[0],
                         product(b, inner, inner->args[1], outer->args[1], inner->var->name)};
    outer->args = rlxc_copy(b->ctx, args, sizeof args);
    return true;
}

/* a (b c), or a times the transposed (b c), as (a b) c. */
static bool to_the_left(const rlxc_makers *o, rlxc_builder *b, rlxc_binding *outer)
{
    const rlxc_binding *turn = maker_of(o, b, outer->args[1], "permute_dims");
    const rlxc_binding *inner = maker_of(o, b, turn ? turn->args[0] : outer->args[1], "matmul");
    if (!inner)
        return false;
    const rlxc_sinfo *first = operand(b, outer->args[0], 2, true),
                     *middle = operand(b, inner->args[0], 2, false),
                     *last = operand(b, inner->args[1], 2, false);
    if (!first || !middle || !last || !is_plain(inner, first) || !is_plain(outer, first))
        return false;
    rlxc_atom parts[2] = {inner->args[0], inner->args[1]};
    if (turn) { /* (b c)' is c' b'; a matrix has only one other order */
        int64_t axes[2];
        uint32_t n;
        if (rlxc_attr_get_ints(turn, "axes", axes, 2, &n) && axes[0] == 0)
            return false;
        const rlxc_expr *turned[2][2] = {{last->dims[1], last->dims[0]},
                                         {middle->dims[1], middle->dims[0]}};
        const rlxc_sinfo *c = rlxc_sinfo_tensor(b->ctx, last->dtype, 2, turned[0], NULL),
                         *d = rlxc_sinfo_tensor(b->ctx, middle->dtype, 2, turned[1], NULL);
        if (!is_cheaper(b->ctx, first, c, d, false))
            return false;
        parts[0] = rlxc_emit_op(b, "permute_dims", &inner->args[1], 1, turn->attrs, "turned");
        parts[1] = rlxc_emit_op(b, "permute_dims", &inner->args[0], 1, turn->attrs, "turned");
    } else if (!is_cheaper(b->ctx, first, middle, last, false)) {
        return false;
    }
    rlxc_atom args[2] = {product(b, inner, outer->args[0], parts[0], inner->var->name), parts[1]};
    outer->args = rlxc_copy(b->ctx, args, sizeof args);
    return true;
}

static rlxc_rewrite_action order_product(void *user, rlxc_builder *b, rlxc_binding *binding,
                                         rlxc_atom *replacement)
{
    (void)replacement;
    rlxc_makers *o = user;
    b->range = binding->range;
    if (rlxc_is_op(binding, "matmul") && !to_the_right(o, b, binding))
        (void)to_the_left(o, b, binding);
    rlxc_makers_note(o, b, binding);
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_adjust_matmul_order(rlxc_context *ctx, rlxc_module *module,
                                   const rlxc_options *options)
{
    (void)options;
    return rlxc_rewrite_with_makers(ctx, module, order_product);
}

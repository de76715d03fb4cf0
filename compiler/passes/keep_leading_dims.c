/* Pass keep_leading_dims: products of rows keep their leading dimensions.
 *
 *   r = reshape(x, (b * s, k))
 *   m = matmul(r, w)                   becomes   m = matmul(x, w)
 *   z = add(m, bias)                             y = add(m, bias)
 *   y = reshape(z, (b, s, n))
 *
 * for x of (b, s, k), as exporters write linear layers (Gemm has matrices only). Operators element
 * by element may stand between the product and the second reshape if nothing else reads their
 * results. What follows y can then run in the product's epilogue: fusion does not look through
 * views. dce drops the first reshape.
 *
 * Kernels of products with quantized weights read matrices only (kernels/quantized/quant.h). What
 * follows them element by element reads the matrix, too, up to where the type gets wider:
 *
 *   m = call_tir(quantized_matmul, (r, words))   m = call_tir(quantized_matmul, (r, words))
 *   y = reshape(m, (b, s, n))                    z = multiply(m, scale)
 *   z = multiply(y, scale)            becomes    q = astype(z, "uint8")
 *   q = astype(z, "uint8")                       q = reshape(q, (b, s, n)) */
#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/fuse.h"
#include "compiler/passes/makers.h"
#include "compiler/passes/passes.h"

enum {
    MOST = 8,        /* operators between the product and the reshape */
    MOST_BEFORE = 24 /* operators between a product by call_tir and one that reads the reshape */
};

static const rlxc_sinfo *tensor(const rlxc_builder *b, rlxc_atom atom)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && s->dims && s->ndim > 0 ? s : NULL;
}

/* True if |atom| is broadcast along all dimensions but the last of a tensor with at least two. */
static bool is_row(const rlxc_builder *b, rlxc_atom atom)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, atom);
    bool row = s && s->kind == RLXC_SINFO_TENSOR && s->dims && s->ndim <= 2;
    return row && (s->ndim < 2 || rlxc_is_const(s->dims[0], 1));
}

/* The operand of |call|, of an operator element by element, that varies along the rows; all others
 * are the same for every row. UINT32_MAX: it is no such operator. */
static uint32_t rows_of(const rlxc_builder *b, const rlxc_binding *call)
{
    uint32_t found = UINT32_MAX;
    if (call->form != RLXC_FORM_CALL || !call->op ||
        (call->op->pattern != RLXC_PATTERN_ELEMWISE && call->op->pattern != RLXC_PATTERN_BROADCAST))
        return UINT32_MAX;
    for (uint32_t i = 0; i < call->n_args; i++) {
        const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, call->args[i]);
        if (!s || s->kind != RLXC_SINFO_TENSOR || is_row(b, call->args[i]))
            continue;
        if (found != UINT32_MAX)
            return UINT32_MAX;
        found = i;
    }
    return found != UINT32_MAX && tensor(b, call->args[found]) &&
                   rlxc_has_op_flag(call, RLXC_OP_BY_ELEMENT)
               ? found
               : UINT32_MAX;
}

static bool same_leading_dims(rlxc_context *ctx, const rlxc_sinfo *a, const rlxc_sinfo *b)
{
    bool same = a->ndim == b->ndim;
    for (int32_t i = 0; same && i + 1 < a->ndim; i++)
        same = rlxc_prove_eq(ctx, a->dims[i], b->dims[i], NULL);
    return same;
}

/* The result of |last|, a reshape, computed without it; kind NONE if it is not such a chain. */
static rlxc_atom kept(const rlxc_makers *m, rlxc_builder *b, const rlxc_binding *last)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_binding *chain[MOST], *by = rlxc_sole_maker_of(m, b, last->args[0]);
    uint32_t rows[MOST], n = 0;
    while (by && n < MOST && (rows[n] = rows_of(b, by)) != UINT32_MAX) {
        chain[n] = by;
        by = rlxc_sole_maker_of(m, b, by->args[rows[n++]]);
    }
    const rlxc_sinfo *out = last->var->sinfo;
    const rlxc_binding *merge = by && rlxc_is_op(by, "matmul") && tensor(b, by->args[1])
                                    ? rlxc_maker_of(m, b, by->args[0])
                                    : NULL;
    rlxc_atom args[RLXC_MAX_OP_INPUTS], none = {0};
    if (!merge || !rlxc_is_op(merge, "reshape") || tensor(b, by->args[1])->ndim != 2)
        return none;
    const rlxc_sinfo *x = tensor(b, merge->args[0]), *matrix = tensor(b, by->args[0]),
                     *result = tensor(b, last->args[0]);
    if (!x || !matrix || !result || !out || out->kind != RLXC_SINFO_TENSOR || !out->dims ||
        x->ndim <= matrix->ndim || matrix->ndim != 2 || result->ndim != 2 ||
        !rlxc_prove_eq(ctx, x->dims[x->ndim - 1], matrix->dims[1], NULL) ||
        !rlxc_prove_eq(ctx, out->dims[out->ndim - 1], result->dims[1], NULL) ||
        !same_leading_dims(ctx, x, out))
        return none;
    args[0] = merge->args[0];
    args[1] = by->args[1];
    b->range = by->range;
    rlxc_atom value =
        rlxc_emit_op(b, "matmul", args, 2, by->attrs, n ? by->var->name : last->var->name);
    while (n-- > 0 && value.kind == RLXC_ATOM_VAR) {
        const rlxc_binding *op = chain[n];
        b->range = op->range;
        for (uint32_t i = 0; i < op->n_args; i++)
            args[i] = i == rows[n] ? value : op->args[i];
        value = rlxc_emit_op(b, op->op->name, args, op->n_args, op->attrs,
                             n ? op->var->name : last->var->name);
    }
    return value;
}

/* True if |matrix| is the result of a PrimFunc that takes an epilogue, or is computed from one
 * element by element. */
static bool follows_product(const rlxc_makers *m, const rlxc_builder *b, rlxc_atom matrix)
{
    const rlxc_binding *by = rlxc_maker_of(m, b, matrix);
    uint32_t at;
    for (int i = 0; by && i < MOST_BEFORE && (at = rows_of(b, by)) != UINT32_MAX; i++)
        by = rlxc_maker_of(m, b, by->args[at]);
    return by && rlxc_prim_pattern(rlxc_called_prim(b->module, by)) == RLXC_PATTERN_OUT_FUSABLE;
}

/* |call| applies an operator element by element to a matrix's reshape: emits the operator on the
 * matrix, and turns |call| into the reshape of that. Other calls stay as they are. */
static void sink_reshape(rlxc_makers *m, rlxc_builder *b, rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    const uint32_t at = rows_of(b, call);
    const rlxc_binding *split = at != UINT32_MAX ? rlxc_sole_maker_of(m, b, call->args[at]) : NULL;
    if (!split || !rlxc_is_op(split, "reshape") || call->n_args > RLXC_MAX_OP_INPUTS)
        return;
    const rlxc_sinfo *matrix = tensor(b, split->args[0]), *from = tensor(b, call->args[at]),
                     *to = tensor(b, rlxc_atom_var(call->var));
    if (!matrix || !to || matrix->ndim != 2 || from->ndim < 3 || to->ndim != from->ndim ||
        to->dtype.bits > from->dtype.bits ||
        !rlxc_prove_eq(ctx, matrix->dims[1], from->dims[from->ndim - 1], NULL) ||
        !rlxc_prove_eq(ctx, from->dims[from->ndim - 1], to->dims[to->ndim - 1], NULL) ||
        !follows_product(m, b, split->args[0]))
        return;
    rlxc_atom args[RLXC_MAX_OP_INPUTS];
    for (uint32_t i = 0; i < call->n_args; i++)
        args[i] = i == at ? split->args[0] : call->args[i];
    const rlxc_atom value =
        rlxc_emit_op(b, call->op->name, args, call->n_args, call->attrs, call->var->name);
    if (value.kind != RLXC_ATOM_VAR)
        return;
    rlxc_makers_note(m, b, b->block->bindings[b->block->n - 1]);
    args[0] = value;
    args[1] = rlxc_atom_shape(ctx, to->dims, (uint32_t)to->ndim);
    call->op = split->op;
    call->args = rlxc_copy(ctx, args, 2 * sizeof *args);
    call->n_args = 2;
    call->attrs = split->attrs;
}

static rlxc_rewrite_action look(void *user, rlxc_builder *b, rlxc_binding *call,
                                rlxc_atom *replacement)
{
    rlxc_makers *m = user;
    sink_reshape(m, b, call);
    rlxc_makers_note(m, b, call);
    if (!rlxc_is_op(call, "reshape"))
        return RLXC_REWRITE_KEEP;
    *replacement = kept(m, b, call);
    return replacement->kind == RLXC_ATOM_VAR ? RLXC_REWRITE_REPLACE : RLXC_REWRITE_KEEP;
}

bool rlxc_pass_keep_leading_dims(rlxc_context *ctx, rlxc_module *module,
                                 const rlxc_options *options)
{
    (void)options;
    return rlxc_rewrite_with_makers(ctx, module, look);
}

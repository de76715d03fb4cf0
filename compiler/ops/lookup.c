/* The operator lookup: the entry of a table of 256 for each number of 8 bits. Pass tabulate makes
 * it of functions of one such number. The table is in the order of the numbers' bits: for int8 that
 * is 0 to 127, then -128 to -1. */
#include "compiler/ops/compose.h"
#include "compiler/ops/te.h"

enum { ENTRIES = 256 };

const rlxc_sinfo *rlxc_infer_lookup(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *table = v.in[1];
    if (!rlxc_dtype_is_byte(x->dtype))
        return rlxc_infer_fail(&v, 0, "expected int8 or uint8, got %s",
                               rlxc_dtype_name(ctx, x->dtype));
    if (table->ndim != 1 || !table->dims || !rlxc_is_const(table->dims[0], ENTRIES))
        return rlxc_infer_fail(&v, 1, "expected %d entries, got %s", ENTRIES,
                               rlxc_sinfo_text(ctx, table));
    return rlxc_sinfo_tensor(ctx, table->dtype, x->ndim, x->dims, x->vdevice);
}

/* A tensor of any rank is looked up as one line of numbers, which vectors divide well. */
static rlxc_atom legalize_lines(rlxc_builder *b, const rlxc_binding *call, const rlxc_sinfo *x)
{
    const rlxc_expr *numel = rlxc_product(b->ctx, x->dims, (uint32_t)x->ndim);
    const rlxc_atom args[2] = {rlxc_lower_reshape(b, call, call->args[0], &numel, 1),
                               call->args[1]};
    const rlxc_atom line = rlxc_lower_op(b, call, "lookup", args, 2, (rlxc_attrs){0});
    return rlxc_lower_reshape(b, call, line, x->dims, (uint32_t)x->ndim);
}

rlxc_atom rlxc_legalize_lookup(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_te te;
    if (!rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    if (v.in[0]->ndim > 1)
        return legalize_lines(b, call, v.in[0]);
    if (!rlxc_te_begin(&te, b, call, "lookup", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x"),
                    table = rlxc_te_operand_of(&te, 1, "table");
    const rlxc_buffer *out = rlxc_te_output(&te, te.name);
    rlxc_te_spatial(&te, te.name, out);
    const rlx_dtype bits = {RLX_UINT, 8, 1};
    const rlxc_expr *index =
        rlxc_cast(b->ctx, RLX_I64, rlxc_cast(b->ctx, bits, rlxc_te_get(&te, &x, te.axes)));
    rlxc_te_store(&te, out, rlxc_te_get(&te, &table, &index));
    return rlxc_te_finish(&te);
}

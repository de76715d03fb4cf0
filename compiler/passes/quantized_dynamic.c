/* Products of 8-bit integers whose second operand is no constant: it is packed into words at run
 * time and then multiplied like a constant weight (quantized_products.c).
 *
 *     w = R.astype(b, int32) - zero               words = call_tir(pack_words, (b,))
 *     y = R.matmul(x, w)                          p = call_tir(quantized_matmul, (x, words))
 *                                                 y = p - zero * R.sum(x, [-1], keepdims=True)
 *
 * A zero that is known is a number in quantized_matmul, and nothing is subtracted. */
#include "compiler/passes/quantized.h"

#include "compiler/ops/compose.h"

enum { MIN_COLUMNS = 16 }; /* fewer fill too little of a panel */

/* The weight |bytes|, (rows, columns), without its zero; false if it is not such an operand. */
static bool weight_of(rlxc_quant_chain *c, const rlxc_quantized_bytes *bytes)
{
    rlxc_context *ctx = c->ctx;
    const rlxc_sinfo *s = bytes->x.var->sinfo;
    if (s->ndim != 2 || !s->dims || !rlxc_is_int(s->dims[0], &c->rows) ||
        !rlxc_is_int(s->dims[1], &c->columns) || c->rows < 1 || c->columns < MIN_COLUMNS)
        return false;
    const rlxc_bound limits = rlxc_type_range(s->dtype);
    rlxc_quant_leaf leaf = {.value = bytes->x};
    leaf.buffer = rlxc_buffer_new(ctx, "weight", s->dtype, s->dims, 2);
    RLXC_PUSH(ctx, &c->leaves, leaf);
    c->row = rlxc_var(ctx, "row", RLX_I64);
    c->column = rlxc_var(ctx, "column", RLX_I64);
    const rlxc_expr *at[2] = {c->row, c->column};
    c->number = rlxc_load(ctx, leaf.buffer, at, 2);
    c->zero = rlxc_float(ctx, RLX_F32, 0);
    c->least = limits.min;
    c->most = limits.max;
    c->group = c->rows;
    return true;
}

/* product - zero * the sums of x's rows */
static rlxc_atom without_zero(rlxc_builder *b, const rlxc_binding *matmul, rlxc_atom product,
                              rlxc_atom zero)
{
    rlxc_context *ctx = b->ctx;
    const int64_t last = -1;
    rlxc_attrs attrs = rlxc_one_attr(ctx, "axis", rlxc_attr_ints(ctx, &last, 1));
    attrs = rlxc_attrs_with(ctx, attrs, rlxc_intern_cstr(ctx, "keepdims"), rlxc_attr_bool(true));
    rlxc_atom factors[2] = {rlxc_emit_op(b, "sum", &matmul->args[0], 1, attrs, "row_sums"),
                            rlxc_quantized_cast(b, zero, RLX_I32, "zero")};
    if (rlxc_failed(ctx))
        return (rlxc_atom){0};
    rlxc_atom terms[2] = {product,
                          rlxc_emit_op(b, "multiply", factors, 2, (rlxc_attrs){0}, "less")};
    return rlxc_failed(ctx)
               ? (rlxc_atom){0}
               : rlxc_emit_op(b, "subtract", terms, 2, (rlxc_attrs){0}, matmul->var->name);
}

rlxc_atom rlxc_quantized_dynamic(rlxc_quantized *p, rlxc_builder *b, const rlxc_binding *matmul)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_atom none = {0}, *args = matmul->args;
    const rlxc_sinfo *y = matmul->var->sinfo;
    if (args[0].kind != RLXC_ATOM_VAR || args[1].kind != RLXC_ATOM_VAR || !y)
        return none;
    const rlxc_sinfo *x = args[0].var->sinfo;
    rlxc_quantized_bytes bytes;
    rlxc_quant_chain c = {.ctx = ctx, .options = p->options};
    if (!x || x->ndim < 1 || !x->dims || !y->dims || !rlxc_dtype_eq(x->dtype, RLX_I32) ||
        !rlxc_quantized_types_fit(p, matmul, x, y) ||
        !rlxc_quantized_bytes_of(p, args[1], &bytes) || !weight_of(&c, &bytes))
        return none;
    const rlxc_expr *known = rlxc_quantized_single(p, bytes.zero);
    int64_t zero = 0;
    const bool is_known = known && rlxc_is_int(known, &zero);
    c.zero = rlxc_float(ctx, RLX_F32, (double)zero);
    rlxc_quant q = {.bits = 8, .group = 64, .width = rlxc_quant_width(p->options->target)};
    q.zero = rlxc_int(ctx, RLX_I32, zero - c.least);
    rlxc_atom product = rlxc_quantized_replace(p, b, matmul, &c, &q);
    if (is_known || product.kind != RLXC_ATOM_VAR || rlxc_failed(ctx))
        return product;
    return without_zero(b, matmul, product, bytes.zero);
}

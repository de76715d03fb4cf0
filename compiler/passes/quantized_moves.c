/* The part of pass quantized_products for numbers that are dequantized, moved and quantized again
 * by the same scale and zero point, as quantizers write it around every reshaping, permutation and
 * slice: the numbers are moved.
 *
 *     d = R.multiply(R.astype(R.subtract(R.astype(x, "int32"), z), "float32"), s)
 *     m = R.reshape(d, shape)                                           y = R.reshape(x, shape)
 *     y = R.astype(R.minimum(R.maximum(R.add(R.round(R.divide(m, s)), z), least), most), "uint8")
 *
 * This is exact: the quotient of a product by one of its factors is within a rounding of the other
 * one, a whole number of at most 9 bits. */
#include "compiler/passes/quantized.h"

#include <math.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/sym.h"

enum { MAX_MOVES = 4 };

typedef struct chain {
    const rlxc_quantized *p;
    rlxc_atom at; /* the value reached so far, from the quantized one back */
} chain;

static const rlxc_binding *definition(const rlxc_quantized *p, rlxc_atom a)
{
    return a.kind == RLXC_ATOM_VAR ? rlxc_map_get(&p->defs, rlxc_key(a.var)) : NULL;
}

/* The number that |a| is, a constant of one element or a cast of one. */
static bool number_of(const rlxc_quantized *p, rlxc_atom a, double *out)
{
    const rlxc_binding *cast = definition(p, a);
    const rlxc_expr *e =
        rlxc_quantized_single(p, cast && rlxc_is_op(cast, "astype") ? cast->args[0] : a);
    if (!e || (e->kind != RLXC_EXPR_INT && e->kind != RLXC_EXPR_FLOAT))
        return false;
    *out = e->kind == RLXC_EXPR_INT ? (double)e->i : e->f;
    return true;
}

/* Goes back over |op|; |number|: its second operand. */
static bool back_over(chain *c, const char *op, double *number)
{
    const rlxc_binding *def = definition(c->p, c->at);
    if (!def || !rlxc_is_op(def, op) || def->n_args != (number ? 2 : 1) ||
        (number && !number_of(c->p, def->args[1], number)))
        return false;
    c->at = def->args[0];
    return true;
}

static bool has_scale(const rlxc_binding *def, const char *op)
{
    return def && rlxc_is_op(def, op) && def->n_args == 3;
}

/* From the quantized value of |quantize|, a cast or R.quantize, back to the float. */
static bool back_over_quantize(chain *c, const rlxc_binding *quantize, double *scale, double *zero)
{
    const rlxc_bound range = rlxc_type_range(quantize->var->sinfo->dtype);
    double least, most;
    c->at = quantize->args[0];
    if (has_scale(quantize, "quantize"))
        return number_of(c->p, quantize->args[1], scale) &&
               number_of(c->p, quantize->args[2], zero);
    return back_over(c, "minimum", &most) && back_over(c, "maximum", &least) &&
           least == (double)range.min && most == (double)range.max && back_over(c, "add", zero) &&
           back_over(c, "round", NULL) && back_over(c, "divide", scale);
}

static bool is_tensor(rlxc_atom a)
{
    return a.kind == RLXC_ATOM_VAR && a.var->sinfo && a.var->sinfo->kind == RLXC_SINFO_TENSOR;
}

/* From a dequantized value back to the integers. */
static bool back_over_dequantize(chain *c, double *scale, double *zero)
{
    const rlxc_binding *def = definition(c->p, c->at);
    if (has_scale(def, "dequantize")) {
        c->at = def->args[0];
        return number_of(c->p, def->args[1], scale) && number_of(c->p, def->args[2], zero);
    }
    return back_over(c, "multiply", scale) && back_over(c, "astype", NULL) && is_tensor(c->at) &&
           rlxc_dtype_eq(c->at.var->sinfo->dtype, RLX_I32) && back_over(c, "subtract", zero) &&
           back_over(c, "astype", NULL);
}

static bool is_move(const rlxc_binding *def)
{
    return def && (rlxc_is_op(def, "reshape") || rlxc_is_op(def, "permute_dims") ||
                   rlxc_is_op(def, "strided_slice"));
}

/* True if all operands of |def| are visible where |x| is. */
static bool operands_visible(rlxc_atom x, const rlxc_binding *def)
{
    for (uint32_t i = 0; i < def->n_args; i++)
        if (def->args[i].kind == RLXC_ATOM_VAR && !rlxc_quantized_visible(x, def->args[i]))
            return false;
    return true;
}

rlxc_atom rlxc_quantized_moved(rlxc_quantized *p, rlxc_builder *b, const rlxc_binding *quantize)
{
    const rlxc_binding *moves[MAX_MOVES];
    const rlxc_atom none = {0}, last = quantize->args[0];
    const rlxc_sinfo *y = quantize->var->sinfo;
    double scale, zero, old_scale, old_zero;
    uint32_t n = 0;
    chain c = {.p = p};
    if (!y || y->kind != RLXC_SINFO_TENSOR || !rlxc_dtype_is_byte(y->dtype) || !is_tensor(last) ||
        !back_over_quantize(&c, quantize, &scale, &zero) || !is_tensor(c.at) ||
        y->ndim == RLXC_UNKNOWN_NDIM || c.at.var->sinfo->ndim != y->ndim)
        return none;
    for (const rlxc_binding *def; n < MAX_MOVES && is_move(def = definition(p, c.at)); n++) {
        if (!operands_visible(last, def))
            return none;
        moves[n] = def;
        c.at = def->args[0];
    }
    const rlxc_atom floats = c.at;
    if (n == 0 || !is_tensor(floats) || !back_over_dequantize(&c, &old_scale, &old_zero) ||
        !is_tensor(c.at) || !rlxc_dtype_eq(c.at.var->sinfo->dtype, y->dtype) ||
        !rlxc_dtype_eq(floats.var->sinfo->dtype, RLX_F32) ||
        c.at.var->sinfo->ndim == RLXC_UNKNOWN_NDIM ||
        c.at.var->sinfo->ndim != floats.var->sinfo->ndim || scale != old_scale ||
        zero != old_zero || !(fabs(zero) <= UINT8_MAX) || !(scale >= 0x1p-64 && scale <= 0x1p64) ||
        !rlxc_quantized_visible(last, c.at))
        return none;
    rlxc_atom made = c.at;
    while (n-- > 0 && made.kind == RLXC_ATOM_VAR) {
        rlxc_atom *args = rlxc_copy(p->ctx, moves[n]->args, moves[n]->n_args * sizeof *args);
        args[0] = made;
        made = rlxc_emit_op(b, moves[n]->op->name, args, moves[n]->n_args, moves[n]->attrs,
                            quantize->var->name);
    }
    return made;
}

/* Pass quantized_products: a product with a constant weight that the module makes of 4- or 8-bit
 * integers reads these integers; one of bfloat16 with a constant of bfloat16 reads pairs of them,
 * where the target multiplies pairs.
 *
 *     d = R.dequantize(q, scale, zero)            words  = call_tir(pack_words, (q,))
 *     w = R.permute_dims(R.reshape(d, ...))       scales = call_tir(pack_scales, (scale,))
 *     y = R.matmul(x, w)                          y = call_tir(quantized_matmul, (x, words,
 * scales))
 *
 * It runs before constant folding, which would turn the weight into floats, and leaves the packing
 * to that pass. The spelling does not matter (quant_chain.h): the weight must be (number - zero) *
 * scale with at most 256 numbers. The form of the result is in kernels/quantized/quant.h. Products
 * are of two dimensions there; others are reshaped, which costs nothing. */
#include "compiler/ir/device.h"
#include "compiler/passes/quantized.h"

#include <math.h>
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ops/compose.h"

enum { MAX_CHAIN = 64 };

/* --- is it worth a look ----------------------------------------------------------------------- */

typedef struct survey {
    const rlxc_quantized *p;
    int64_t elements; /* of the weight */
    uint32_t steps;
    bool numbers; /* computed from a constant of integers large enough for the weight, or of
                   * bfloat16 */
} survey;

/* True if |a| is computed from constants alone. */
static bool is_constant(survey *s, rlxc_atom a)
{
    if (a.kind == RLXC_ATOM_CONSTANT)
        s->numbers = s->numbers || (rlxc_dtype_is_int(a.constant->dtype) &&
                                    a.constant->nbytes >= (size_t)(s->elements / 2));
    if (a.kind == RLXC_ATOM_TUPLE)
        for (uint32_t i = 0; i < a.n; i++)
            if (!is_constant(s, a.items[i]))
                return false;
    if (a.kind != RLXC_ATOM_VAR)
        return true;
    const rlxc_binding *b = rlxc_map_get(&s->p->defs, rlxc_key(a.var));
    if (!b || s->steps++ >= MAX_CHAIN)
        return false;
    for (uint32_t i = 0; i < b->n_args; i++)
        if (!is_constant(s, b->args[i]))
            return false;
    return true;
}

bool rlxc_quantized_weight(const rlxc_quantized *p, rlxc_atom weight, int64_t elements,
                           bool numbers)
{
    survey s = {.p = p, .elements = elements, .numbers = numbers};
    return is_constant(&s, weight) && s.numbers;
}

const rlxc_expr *rlxc_quantized_single(const rlxc_quantized *p, rlxc_atom a)
{
    return a.kind == RLXC_ATOM_CONSTANT && a.constant->nbytes == a.constant->dtype.bits / 8u
               ? rlxc_te_immediate(p->ctx, a.constant)
               : NULL;
}

typedef struct range {
    int64_t lo, hi;
} range;

/* True if |x| is an int32 computed from 8-bit numbers: a cast, or the difference of two. |out|
 * receives its bounds. */
static bool narrow_range(const rlxc_quantized *p, rlxc_atom x, uint32_t depth, range *out)
{
    if (x.kind == RLXC_ATOM_CONSTANT) {
        const rlxc_expr *value = rlxc_quantized_single(p, x);
        if (!value || value->kind != RLXC_EXPR_INT || value->i < -128 || value->i > 255)
            return false;
        *out = (range){value->i, value->i};
        return true;
    }
    const rlxc_binding *b =
        x.kind == RLXC_ATOM_VAR ? rlxc_map_get(&p->defs, rlxc_key(x.var)) : NULL;
    if (!b || b->n_args == 0)
        return false;
    if (rlxc_is_op(b, "astype")) {
        const rlxc_sinfo *from = rlxc_atom_sinfo(p->ctx, NULL, b->args[0]);
        if (!from || from->kind != RLXC_SINFO_TENSOR || !rlxc_dtype_is_int(from->dtype) ||
            from->dtype.bits > 8)
            return false;
        *out = from->dtype.code == RLX_INT ? (range){-128, 127} : (range){0, 255};
        return true;
    }
    range left, right;
    if (depth > 0 || !rlxc_is_op(b, "subtract") || !narrow_range(p, b->args[0], 1, &left) ||
        !narrow_range(p, b->args[1], 1, &right))
        return false;
    *out = (range){left.lo - right.hi, left.hi - right.lo};
    return true;
}

static bool is_narrow(const rlxc_quantized *p, rlxc_atom x)
{
    range r;
    return narrow_range(p, x, 0, &r);
}

bool rlxc_quantized_types_fit(const rlxc_quantized *p, const rlxc_binding *call,
                              const rlxc_sinfo *x, const rlxc_sinfo *y)
{
    if (rlxc_dtype_eq(x->dtype, RLX_I32))
        return rlxc_dtype_eq(y->dtype, RLX_I32) && rlxc_target_has_dots(p->options->target) &&
               is_narrow(p, call->args[0]);
    return rlxc_dtype_is_float(x->dtype) && rlxc_dtype_is_float(y->dtype) && x->dtype.bits <= 32 &&
           y->dtype.bits <= 32;
}

static bool are_bfloat16(const rlxc_quantized *p, const rlxc_sinfo *x, const rlxc_sinfo *w)
{
    return rlxc_target_has_bfloat16_dots(p->options->target) && x->dtype.code == RLX_BFLOAT &&
           w->dtype.code == RLX_BFLOAT;
}

static bool worth_a_look(const rlxc_quantized *p, const rlxc_binding *call)
{
    const rlxc_sinfo *x = call->args[0].kind == RLXC_ATOM_VAR ? call->args[0].var->sinfo : NULL;
    const rlxc_sinfo *w = rlxc_atom_sinfo(p->ctx, NULL, call->args[1]);
    const rlxc_sinfo *y = call->var->sinfo;
    int64_t elements = 1;
    if (!x || !w || !y || x->ndim < 1 || !x->dims || !y->dims || w->ndim != 2 || !w->dims ||
        !rlxc_quantized_types_fit(p, call, x, y))
        return false;
    for (int32_t i = 0; i < w->ndim; i++) {
        int64_t n;
        if (!rlxc_is_int(w->dims[i], &n) || n < 1 || __builtin_mul_overflow(elements, n, &elements))
            return false;
    }
    return rlxc_quantized_weight(p, call->args[1], elements, are_bfloat16(p, x, w));
}

/* --- the product ------------------------------------------------------------------------------ */

static rlxc_buffer *packed_param(rlxc_te *te, const char *name, rlxc_atom atom)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, te->b->module, atom);
    rlxc_buffer *buffer = rlxc_buffer_new(ctx, name, s->dtype, s->dims, (uint32_t)s->ndim);
    rlxc_prim_param param = {
        .var = rlxc_var(ctx, rlxc_internf(ctx, "var_%s", name), rlxc_dtype_handle()),
        .buffer = buffer};
    RLXC_PUSH(ctx, &te->params, param);
    RLXC_PUSH(ctx, &te->args, atom);
    return buffer;
}

/* The zero point of integers is an operand, so that layers which differ in it share a kernel. */
static const rlxc_expr *zero_param(rlxc_te *te, const rlxc_expr *zero)
{
    int64_t value;
    if (!rlxc_is_int(zero, &value) || value == 0)
        return zero;
    const rlxc_atom atom = rlxc_scalar_atom(te->ctx, RLX_I32, (double)value);
    return rlxc_load(te->ctx, packed_param(te, "zero", atom), NULL, 0);
}

typedef struct packed {
    rlxc_atom words, scales, zeros, palette; /* all but the first may be NONE */
} packed;

static rlxc_atom product(rlxc_builder *b, const rlxc_binding *call, const packed *from,
                         rlxc_quant *q)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, q->bits == 16 ? "bfloat16_matmul" : "quantized_matmul",
                       RLXC_PATTERN_OUT_FUSABLE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    q->words = packed_param(&te, "words", from->words);
    if (from->scales.kind == RLXC_ATOM_VAR)
        q->scales = packed_param(&te, "scales", from->scales);
    if (from->zeros.kind == RLXC_ATOM_VAR)
        q->zeros = packed_param(&te, "zeros", from->zeros);
    if (from->palette.kind == RLXC_ATOM_VAR)
        q->palette = packed_param(&te, "palette", from->palette);
    q->zero = zero_param(&te, q->zero);
    const rlxc_buffer *out = rlxc_te_output(&te, "product"), *acc = out;
    const rlx_dtype t = q->scales || q->palette || q->bits == 16 ? RLX_F32 : RLX_I32;
    if (!rlxc_dtype_eq(out->dtype, t))
        acc = rlxc_te_temp(&te, "product_acc", t, out->shape, out->ndim);
    rlxc_te_block(&te, "product");
    rlxc_te_computes(&te, RLXC_OPERATION_matmul);
    const rlxc_expr *i = rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, "i", out->shape[0]);
    const rlxc_expr *j = rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, "j", out->shape[1]);
    const rlxc_expr *k = rlxc_te_axis(&te, RLXC_AXIS_REDUCE, "k", x.dims[1]);
    const rlxc_expr *at[2] = {i, k};
    const rlxc_expr *value =
        rlxc_mul(ctx, rlxc_cast(ctx, t, rlxc_te_get(&te, &x, at)), rlxc_quant_weight(ctx, q, k, j));
    rlxc_te_reduce(&te, acc, rlxc_te_number(ctx, t, 0),
                   rlxc_add(ctx, rlxc_te_load(&te, acc, te.axes), value));
    rlxc_te_round(&te, acc, out);
    return rlxc_te_finish(&te);
}

static rlxc_atom reshape(rlxc_builder *b, rlxc_atom x, const rlxc_expr *const *dims, uint32_t n,
                         const char *name)
{
    rlxc_atom args[2] = {x, rlxc_atom_shape(b->ctx, dims, n)};
    return rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, name);
}

bool rlxc_quantized_visible(rlxc_atom x, rlxc_atom inner)
{
    return inner.kind == RLXC_ATOM_VAR && rlxc_may_stand_for(x.var, inner);
}

/* True if |a| and |b| have the same rank, so that neither broadcasts to the other's. */
static bool same_ndim(const rlxc_sinfo *a, const rlxc_sinfo *b)
{
    return a && b && a->ndim == b->ndim;
}

/* The type of the 8-bit value that |wide| is cast from, or NULL. */
static const rlxc_sinfo *cast_from(const rlxc_quantized *p, rlxc_atom wide, rlxc_atom *out)
{
    const rlxc_binding *def =
        wide.kind == RLXC_ATOM_VAR ? rlxc_map_get(&p->defs, rlxc_key(wide.var)) : NULL;
    if (!def || !rlxc_is_op(def, "astype"))
        return NULL;
    *out = def->args[0];
    const rlxc_sinfo *s = rlxc_atom_sinfo(p->ctx, NULL, *out);
    return s && s->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_byte(s->dtype) &&
                   (out->kind == RLXC_ATOM_CONSTANT || rlxc_quantized_visible(wide, *out))
               ? s
               : NULL;
}

bool rlxc_quantized_bytes_of(const rlxc_quantized *p, rlxc_atom x, rlxc_quantized_bytes *out)
{
    const rlxc_binding *def = rlxc_map_get(&p->defs, rlxc_key(x.var));
    const rlxc_sinfo *s = cast_from(p, x, &out->x), *z;
    int64_t zero = 0;
    if (s) {
        out->zero = rlxc_scalar_atom(p->ctx, s->dtype, 0);
        return out->x.kind == RLXC_ATOM_VAR;
    }
    if (!def || !rlxc_is_op(def, "subtract") || !(s = cast_from(p, def->args[0], &out->x)) ||
        out->x.kind != RLXC_ATOM_VAR || !same_ndim(s, x.var->sinfo))
        return false;
    const rlxc_expr *single = rlxc_quantized_single(p, def->args[1]);
    if (!single) {
        z = cast_from(p, def->args[1], &out->zero);
        return z && z->ndim == 0 && rlxc_dtype_eq(z->dtype, s->dtype);
    }
    const rlxc_bound limits = rlxc_type_range(s->dtype);
    if (!rlxc_is_int(single, &zero) || zero < limits.min || zero > limits.max)
        return false;
    out->zero = rlxc_scalar_atom(p->ctx, s->dtype, (double)zero);
    return true;
}

/* A product's left operand as its kernel reads it. */
typedef struct narrow {
    rlxc_atom x;
    rlxc_atom more; /* int32, to be multiplied with the sums of the columns and added; NONE: 0 */
} narrow;

rlxc_atom rlxc_quantized_cast(rlxc_builder *b, rlxc_atom x, rlx_dtype dtype, const char *name)
{
    return rlxc_emit_op(b, "astype", &x, 1, rlxc_one_attr(b->ctx, "dtype", rlxc_attr_dtype(dtype)),
                        name);
}

/* The left operand of a product of int32 (is_narrow): a byte x minus its zero as x + more, in
 * signed bytes if instructions multiply those, else in 16 bits. */
static narrow narrowed(const rlxc_quantized *p, rlxc_builder *b, rlxc_atom x)
{
    rlxc_context *ctx = b->ctx;
    const rlx_dtype i8 = {RLX_INT, 8, 1}, i16 = {RLX_INT, 16, 1};
    rlxc_quantized_bytes bytes;
    if (rlxc_target_dots(p->options->target) != RLXC_DOTS_BYTES ||
        !rlxc_quantized_bytes_of(p, x, &bytes))
        return (narrow){.x = rlxc_quantized_cast(b, x, i16, "narrow")};
    const bool is_signed = rlxc_dtype_eq(bytes.x.var->sinfo->dtype, i8);
    const int64_t bias = is_signed ? 0 : 128;
    narrow made = {.x = bytes.x};
    if (!is_signed) {
        rlxc_atom args[2] = {rlxc_quantized_cast(b, bytes.x, RLX_I32, "wide"),
                             rlxc_scalar_atom(ctx, RLX_I32, (double)bias)};
        made.x = rlxc_emit_op(b, "subtract", args, 2, (rlxc_attrs){0}, "centred");
        made.x = rlxc_quantized_cast(b, made.x, i8, "narrow");
    }
    const rlxc_expr *zero = rlxc_quantized_single(p, bytes.zero);
    int64_t value;
    if (zero && rlxc_is_int(zero, &value)) {
        if (value != bias)
            made.more = rlxc_scalar_atom(ctx, RLX_I32, (double)(bias - value));
        return made;
    }
    rlxc_atom args[2] = {rlxc_scalar_atom(ctx, RLX_I32, (double)bias),
                         rlxc_quantized_cast(b, bytes.zero, RLX_I32, "zero")};
    made.more = rlxc_emit_op(b, "subtract", args, 2, (rlxc_attrs){0}, "more");
    return made;
}

/* |sums| and |more| times the sum of each column. */
static rlxc_atom with_more(rlxc_quant_chain *c, rlxc_builder *b, const rlxc_binding *call,
                           rlxc_atom sums, rlxc_atom more)
{
    rlxc_atom factors[2] = {rlxc_pack_sums(c, b, call, (int64_t)c->zero->f), more};
    if (rlxc_failed(b->ctx) || factors[0].kind != RLXC_ATOM_VAR)
        return (rlxc_atom){0};
    rlxc_atom terms[2] = {sums, rlxc_emit_op(b, "multiply", factors, 2, (rlxc_attrs){0}, "more")};
    return rlxc_emit_op(b, "add", terms, 2, (rlxc_attrs){0}, call->var->name);
}

rlxc_atom rlxc_quantized_replace(const rlxc_quantized *p, rlxc_builder *b,
                                 const rlxc_binding *matmul, rlxc_quant_chain *c, rlxc_quant *q)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *x = matmul->args[0].var->sinfo, *y = matmul->var->sinfo;
    rlxc_binding *call = rlxc_copy(ctx, matmul, sizeof *call);
    rlxc_atom args[2] = {matmul->args[0], matmul->args[1]};
    packed made = {0};
    bool integers = rlxc_dtype_eq(x->dtype, RLX_I32);
    narrow left = {.x = args[0]};
    if (integers) {
        const char *out = rlxc_intern_cstr(ctx, "out_dtype");
        left = narrowed(p, b, args[0]);
        args[0] = left.x;
        call->attrs = rlxc_attrs_with(ctx, call->attrs, out, rlxc_attr_dtype(RLX_I32));
    }
    if (x->ndim != 2) {
        const rlxc_expr *dims[2] = {rlxc_product(ctx, x->dims, (uint32_t)x->ndim - 1),
                                    x->dims[x->ndim - 1]};
        args[0] = reshape(b, args[0], dims, 2, "rows");
    }
    call->args = rlxc_copy(ctx, args, sizeof args);
    if (rlxc_failed(ctx))
        return (rlxc_atom){0};
    const rlxc_expr *scale = c->scale ? c->scale : rlxc_float(ctx, RLX_F32, 1);
    /* a palette takes the one scale of a weight */
    const bool scaled = c->palette && scale->kind == RLXC_EXPR_FLOAT && q->zero &&
                        q->zero->kind == RLXC_EXPR_FLOAT && q->zero->f == 0;
    made.words = rlxc_pack_panels(c, q, b, call, "pack_words", NULL);
    if (!integers && !c->bfloat16 && !scaled)
        made.scales = rlxc_pack_panels(c, q, b, call, "pack_scales", scale);
    if (c->palette)
        made.palette = rlxc_pack_palette(c, q, b, call, scaled ? c->scale : NULL);
    if (!q->zero) {
        const rlxc_expr *least = rlxc_float(ctx, RLX_F32, (double)c->least);
        made.zeros = rlxc_pack_panels(c, q, b, call, "pack_zeros", rlxc_sub(ctx, c->zero, least));
        q->zero = rlxc_float(ctx, RLX_F32, 0);
    }
    if (rlxc_failed(ctx))
        return (rlxc_atom){0};
    rlxc_atom sums = product(b, call, &made, q);
    if (left.more.kind != RLXC_ATOM_NONE && sums.kind == RLXC_ATOM_VAR)
        sums = with_more(c, b, call, sums, left.more);
    if (x->ndim != 2 && sums.kind == RLXC_ATOM_VAR)
        sums = reshape(b, sums, y->dims, (uint32_t)y->ndim, matmul->var->name);
    return sums;
}

/* --- products of two dequantized operands ----------------------------------------------------- */

static rlxc_atom emit_known(rlxc_quantized *p, rlxc_builder *b, const char *op,
                            const rlxc_atom *args, uint32_t n, rlxc_attrs attrs)
{
    rlxc_atom made = rlxc_emit_op(b, op, args, n, attrs, "centred");
    if (made.kind == RLXC_ATOM_VAR)
        rlxc_map_set(p->ctx, &p->defs, rlxc_key(made.var), b->block->bindings[b->block->n - 1]);
    return made;
}

rlxc_atom rlxc_quantized_integers(rlxc_quantized *p, rlxc_builder *b, rlxc_atom x,
                                  const rlxc_expr **scale)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_atom none = {0};
    const rlxc_binding *def = rlxc_map_get(&p->defs, rlxc_key(x.var));
    if (!def || def->n_args < 2 || !(*scale = rlxc_quantized_single(p, def->args[1])) ||
        !rlxc_dtype_eq((*scale)->dtype, RLX_F32) || !rlxc_quantized_visible(x, def->args[0]))
        return none;
    rlxc_atom inner = def->args[0];
    if (rlxc_is_op(def, "multiply")) {
        const rlxc_binding *cast = rlxc_map_get(&p->defs, rlxc_key(inner.var));
        if (!cast || !rlxc_is_op(cast, "astype") || !rlxc_quantized_visible(x, cast->args[0]))
            return none;
        inner = cast->args[0];
        return rlxc_dtype_eq(inner.var->sinfo->dtype, RLX_I32) && is_narrow(p, inner) &&
                       same_ndim(inner.var->sinfo, x.var->sinfo)
                   ? inner
                   : none;
    }
    const rlxc_expr *zero =
        rlxc_is_op(def, "dequantize") ? rlxc_quantized_single(p, def->args[2]) : NULL;
    int64_t value;
    if (!zero || !rlxc_is_int(zero, &value) || value < -128 || value > 255 ||
        !rlxc_dtype_is_int(inner.var->sinfo->dtype) || inner.var->sinfo->dtype.bits > 8)
        return none;
    rlxc_atom wide = emit_known(p, b, "astype", &inner, 1,
                                rlxc_one_attr(ctx, "dtype", rlxc_attr_dtype(RLX_I32)));
    if (value == 0 || wide.kind != RLXC_ATOM_VAR)
        return wide;
    rlxc_atom args[2] = {wide, rlxc_scalar_atom(ctx, RLX_I32, (double)value)};
    return emit_known(p, b, "subtract", args, 2, (rlxc_attrs){0});
}

/* True if the sums of x's integers times (number - zero) of the weight fit into 32 bits. */
static bool sums_fit(const rlxc_quantized *p, rlxc_atom x, const rlxc_quant_chain *c, int64_t zero)
{
    range r;
    if (!narrow_range(p, x, 0, &r))
        return false;
    int64_t left = -r.lo > r.hi ? -r.lo : r.hi;
    int64_t right = zero - c->least > c->most - zero ? zero - c->least : c->most - zero;
    return c->rows <= INT32_MAX / (left * right + 1);
}

/* x * weight = (integers of x * numbers of the weight) * both scales, if each has one for all rows
 * of the weight, else NONE. */
static rlxc_atom both_integers(rlxc_quantized *p, rlxc_builder *b, const rlxc_binding *matmul,
                               rlxc_quant_chain *c)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *scale, *numbers = c->scale ? c->scale : rlxc_float(ctx, RLX_F32, 1);
    const rlxc_sinfo *x = matmul->args[0].var->sinfo, *y = matmul->var->sinfo;
    if (!rlxc_target_has_dots(p->options->target) || c->palette || c->group < c->rows ||
        c->zero->kind != RLXC_EXPR_FLOAT || !(fabs(c->zero->f) <= INT16_MAX) ||
        c->zero->f != nearbyint(c->zero->f) || !rlxc_dtype_eq(x->dtype, RLX_F32) ||
        !rlxc_dtype_eq(y->dtype, RLX_F32))
        return (rlxc_atom){0};
    int64_t zero = (int64_t)c->zero->f;
    rlxc_atom left = rlxc_quantized_integers(p, b, matmul->args[0], &scale);
    if (left.kind != RLXC_ATOM_VAR || !sums_fit(p, left, c, zero))
        return (rlxc_atom){0};
    rlxc_binding *call = rlxc_copy(ctx, matmul, sizeof *call);
    rlxc_atom args[2] = {left, matmul->args[1]};
    call->args = rlxc_copy(ctx, args, sizeof args);
    call->var = rlxc_rvar_new(ctx, b->function, "sums",
                              rlxc_sinfo_tensor(ctx, RLX_I32, y->ndim, y->dims, NULL));
    rlxc_quant q = {.bits = 8, .group = 64, .width = rlxc_quant_width(p->options->target)};
    q.zero = rlxc_int(ctx, RLX_I32, zero - c->least);
    rlxc_atom sums = rlxc_quantized_replace(p, b, call, c, &q);
    if (sums.kind != RLXC_ATOM_VAR || rlxc_failed(ctx))
        return (rlxc_atom){0};
    rlxc_atom factors[2] = {rlxc_quantized_cast(b, sums, RLX_F32, "sums")};
    factors[1] =
        rlxc_pack_columns(c, b, matmul, rlxc_mul(ctx, scale, rlxc_cast(ctx, RLX_F32, numbers)));
    return rlxc_failed(ctx)
               ? (rlxc_atom){0}
               : rlxc_emit_op(b, "multiply", factors, 2, (rlxc_attrs){0}, matmul->var->name);
}

/* True if every window of a pooling contains an element of the image, even of an empty one:
 * otherwise the result is -infinity, which no byte represents. */
static bool reads_everywhere(const rlxc_binding *pool)
{
    int64_t size[2], dilation[2], padding[4], strides[2];
    uint32_t n_size, n_dilation, n_padding, n_strides;
    if (!rlxc_attr_get_ints(pool, "pool_size", size, 2, &n_size) || n_size != 2 ||
        !rlxc_attr_get_ints(pool, "dilation", dilation, 2, &n_dilation) || n_dilation != 2 ||
        !rlxc_attr_get_ints(pool, "padding", padding, 4, &n_padding) || n_padding != 4 ||
        !rlxc_attr_get_ints(pool, "strides", strides, 2, &n_strides) || n_strides != 2)
        return false;
    const bool up = rlxc_attr_get_bool(pool, "ceil_mode", false);
    for (uint32_t d = 0; d < 2; d++) /* rounded up, the last window begins up to a stride later */
        if (dilation[d] != 1 || padding[d] + padding[d + 2] > size[d] - (up ? strides[d] : 1))
            return false;
    return true;
}

/* The largest dequantized values are those of the largest numbers: a pooling reads the bytes.
 *
 *     xd = R.dequantize(x, s, z)             m = R.nn.max_pool2d(x)
 *     y = R.nn.max_pool2d(xd)                y = R.dequantize(m, s, z)
 */
static rlxc_atom pooled_bytes(rlxc_quantized *p, rlxc_builder *b, const rlxc_binding *pool)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_sinfo *x = pool->args[0].kind == RLXC_ATOM_VAR ? pool->args[0].var->sinfo : NULL;
    const rlxc_expr *scale;
    rlxc_quantized_bytes bytes;
    rlxc_atom wide = x && x->kind == RLXC_SINFO_TENSOR && rlxc_dtype_eq(x->dtype, RLX_F32) &&
                             reads_everywhere(pool)
                         ? rlxc_quantized_integers(p, b, pool->args[0], &scale)
                         : (rlxc_atom){0};
    if (wide.kind != RLXC_ATOM_VAR || scale->kind != RLXC_EXPR_FLOAT || !(scale->f > 0) ||
        !rlxc_quantized_bytes_of(p, wide, &bytes))
        return (rlxc_atom){0};
    rlxc_atom args[2] = {
        rlxc_emit_op(b, "nn.max_pool2d", &bytes.x, 1, pool->attrs, pool->var->name),
        rlxc_quantized_cast(b, bytes.zero, RLX_I32, "zero")};
    const rlxc_attrs to_int = rlxc_one_attr(ctx, "dtype", rlxc_attr_dtype(RLX_I32)),
                     to_float = rlxc_one_attr(ctx, "dtype", rlxc_attr_dtype(RLX_F32));
    args[0] = emit_known(p, b, "astype", args, 1, to_int);
    args[0] = emit_known(p, b, "subtract", args, 2, (rlxc_attrs){0});
    args[0] = emit_known(p, b, "astype", args, 1, to_float);
    args[1] = rlxc_scalar_atom(ctx, RLX_F32, scale->f);
    return emit_known(p, b, "multiply", args, 2, (rlxc_attrs){0});
}

/* R.quantize of |x|, which is already divided by its scale. */
static rlxc_atom quantized_by_one(rlxc_builder *b, const rlxc_binding *quantize, rlxc_atom x)
{
    rlxc_atom args[3] = {x, rlxc_scalar_atom(b->ctx, RLX_F32, 1), quantize->args[2]};
    return rlxc_emit_op(b, "quantize", args, 3, quantize->attrs, quantize->var->name);
}

/* Entries of palettes that tiles can permute: their vectors hold as many floats as a register. */
static int64_t most_entries(const rlxc_target *target)
{
    return rlxc_target_palette_lanes(target) == rlxc_target_lanes(target, RLX_F32)
               ? rlxc_target_palette_entries(target)
               : 0;
}

static rlxc_rewrite_action look(void *user, rlxc_builder *b, rlxc_binding *binding,
                                rlxc_atom *replacement)
{
    rlxc_quantized *p = user;
    rlxc_context *ctx = b->ctx;
    rlxc_map_set(ctx, &p->defs, rlxc_key(binding->var), binding);
    if (rlxc_sinfo_device(b->module, binding->var->sinfo)) /* its kernels are the CPU's */
        return RLXC_REWRITE_KEEP;
    if (rlxc_is_op(binding, "quantize") || rlxc_is_op(binding, "astype")) {
        *replacement = rlxc_quantized_moved(p, b, binding);
        p->changed = p->changed || replacement->kind == RLXC_ATOM_VAR;
        if (replacement->kind == RLXC_ATOM_VAR)
            return rlxc_failed(ctx) ? RLXC_REWRITE_KEEP : RLXC_REWRITE_REPLACE;
    }
    const bool quantizes = rlxc_is_op(binding, "quantize"),
               divides = quantizes || rlxc_is_op(binding, "divide");
    const bool pools = rlxc_is_op(binding, "nn.max_pool2d");
    if (divides || pools || rlxc_is_op(binding, "nn.conv2d")) {
        *replacement = divides ? rlxc_quantized_divide(p, b, binding)
                       : pools ? pooled_bytes(p, b, binding)
                               : rlxc_quantized_conv(p, b, binding);
        if (quantizes && replacement->kind == RLXC_ATOM_VAR)
            *replacement = quantized_by_one(b, binding, *replacement);
        p->changed = p->changed || replacement->kind == RLXC_ATOM_VAR;
        return replacement->kind == RLXC_ATOM_VAR && !rlxc_failed(ctx) ? RLXC_REWRITE_REPLACE
                                                                       : RLXC_REWRITE_KEEP;
    }
    if (!rlxc_is_op(binding, "matmul"))
        return RLXC_REWRITE_KEEP;
    *replacement = rlxc_quantized_dynamic(p, b, binding);
    if (replacement->kind == RLXC_ATOM_VAR && !rlxc_failed(ctx)) {
        p->changed = true;
        return RLXC_REWRITE_REPLACE;
    }
    if (!worth_a_look(p, binding))
        return RLXC_REWRITE_KEEP;
    rlxc_quant_chain c = {
        .ctx = ctx, .options = p->options, .palette_entries = most_entries(p->options->target)};
    if (!rlxc_quant_chain_of(&c, b->module, &p->defs, binding->args[1]))
        return RLXC_REWRITE_KEEP;
    if (c.bfloat16 && !are_bfloat16(p, rlxc_atom_sinfo(ctx, NULL, binding->args[0]),
                                    rlxc_atom_sinfo(ctx, NULL, binding->args[1])))
        return RLXC_REWRITE_KEEP;
    rlxc_quant q = {.bits = c.bfloat16               ? 16
                            : c.most - c.least <= 15 ? 4
                                                     : 8,
                    .group = c.group,
                    .width = rlxc_quant_width(p->options->target)};
    if (c.zero->kind == RLXC_EXPR_FLOAT)
        q.zero = rlxc_float(ctx, RLX_F32, c.zero->f - (double)c.least);
    if (rlxc_dtype_eq(binding->var->sinfo->dtype, RLX_I32)) {
        if (!q.zero || c.scale)
            return RLXC_REWRITE_KEEP;
        q = (rlxc_quant){.bits = 8, .group = 64, .width = q.width};
        q.zero = rlxc_int(ctx, RLX_I32, (int64_t)c.zero->f - c.least);
    }
    *replacement = both_integers(p, b, binding, &c);
    if (!rlxc_failed(ctx) && replacement->kind != RLXC_ATOM_VAR)
        *replacement = rlxc_quantized_replace(p, b, binding, &c, &q);
    if (rlxc_failed(ctx) || replacement->kind != RLXC_ATOM_VAR)
        return RLXC_REWRITE_KEEP;
    p->changed = true;
    return RLXC_REWRITE_REPLACE;
}

bool rlxc_pass_quantized_products(rlxc_context *ctx, rlxc_module *module,
                                  const rlxc_options *options)
{
    bool changed = false;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *function = module->globals.items[i]->relax;
        if (!function)
            continue;
        rlxc_quantized p = {.ctx = ctx, .options = options, .n_uses = function->n_vars};
        p.uses = rlxc_count_uses(ctx, function);
        if (!p.uses)
            return false;
        const rlxc_rewrite_pass pass = {.user = &p, .binding = look};
        rlxc_rewrite_function(ctx, module, function, &pass);
        changed = changed || p.changed;
    }
    /* the computation of the weights is dead and must not be folded */
    return !rlxc_failed(ctx) && (!changed || rlxc_pass_dce(ctx, module, options));
}

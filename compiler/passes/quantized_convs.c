/* The part of pass quantized_products that turns two-dimensional convolutions of dequantized
 * values, or of integers, into convolutions of bytes (kernels/quantized/quant_conv.h):
 *
 *     xd = R.dequantize(x, s, z)         filter = call_tir(pack_filter, (q,))
 *     wd = R.dequantize(q, t, 0)         sums = call_tir(pack_sums, (q,))
 *     y = R.nn.conv2d(xd, wd)            n = R.nn.conv2d_integer(x, filter, sums, z)
 *                                        y = R.multiply(R.astype(n, "float32"), s * t)
 *
 * If the result is divided by another scale to be quantized again, possibly after other dequantized
 * values were added, the constants are divided instead: y / u becomes n * (s * t / u), and values
 * added or compared on the way are divided by u. This rounds differently: a quotient close to a tie
 * may be rounded to the other side.
 *
 * x has 8 bits, one scale and one zero point (which may be found at run time); the weight is
 * constant, of numbers that fit int8 after subtracting their zero point, with one scale for each
 * output. These stay in float32: groups so narrow that more than four fill a vector (two where
 * pairs are summed) unless each has one channel and one output, other than two dimensions, fewer
 * outputs than half a vector, sums that do not fit int32, and targets without the instructions. */
#include "compiler/passes/quantized.h"

#include <math.h>
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ops/quant_conv.h"

enum { MIN_OUTPUTS = 8, MAX_JOINED = 4 };

static bool text_is(const rlxc_binding *call, const char *name, const char *value)
{
    const char *text = rlxc_attr_get_str(call, name, "");
    return strcmp(text, value) == 0 || (text[0] == '\0' && strcmp(name, "out_layout") == 0);
}

static bool is_plain(const rlxc_binding *conv)
{
    return text_is(conv, "data_layout", "NCHW") && text_is(conv, "kernel_layout", "OIHW") &&
           text_is(conv, "out_layout", "NCHW");
}

typedef struct group_sizes {
    int64_t groups, channels, outputs; /* of the convolution; of a group */
    int64_t joined;                    /* groups that the kernel merges */
} group_sizes;

/* The groups of |conv|, joined until they fill vectors and words: weights between those that are
 * joined are zero. False where too many would be. */
static bool groups_of(const rlxc_quantized *p, const rlxc_binding *conv, const rlxc_sinfo *w,
                      group_sizes *out)
{
    const bool bytes = rlxc_target_dots(p->options->target) == RLXC_DOTS_BYTES;
    const int64_t lanes = p->options->target->vector_bytes / 4,
                  word = rlxc_quant_conv_word(p->options->target);
    int64_t outputs;
    *out = (group_sizes){.groups = rlxc_attr_get_int(conv, "groups", 1), .joined = 1};
    if (out->groups < 1 || !rlxc_is_int(w->dims[1], &out->channels) ||
        !rlxc_is_int(w->dims[0], &outputs) || outputs % out->groups != 0)
        return false;
    out->outputs = outputs / out->groups;
    if (out->groups == 1)
        return true;
    while (out->joined < out->groups &&
           (out->outputs * out->joined % lanes != 0 || out->channels * out->joined % word != 0))
        out->joined *= 2;
    return out->groups % out->joined == 0 && out->joined <= (bytes ? MAX_JOINED : MAX_JOINED / 2) &&
           out->outputs * out->joined % lanes == 0 && out->channels * out->joined % word == 0;
}

/* A channel for each output. */
static bool is_depthwise(const rlxc_binding *conv, const rlxc_sinfo *w)
{
    const int64_t groups = rlxc_attr_get_int(conv, "groups", 1);
    return groups > 1 && rlxc_is_const(w->dims[1], 1) && rlxc_is_const(w->dims[0], groups);
}

static bool groups_fit(const rlxc_quantized *p, const rlxc_binding *conv, const rlxc_sinfo *w)
{
    group_sizes sizes;
    return is_depthwise(conv, w) || groups_of(p, conv, w, &sizes);
}

/* True if the operands' types and the weight qualify for a closer look; |*floats|: they are
 * float32.
 */
static bool is_candidate(const rlxc_quantized *p, const rlxc_binding *conv, bool *floats)
{
    const rlxc_sinfo *x = conv->args[0].kind == RLXC_ATOM_VAR ? conv->args[0].var->sinfo : NULL;
    const rlxc_sinfo *w = rlxc_atom_sinfo(p->ctx, NULL, conv->args[1]), *y = conv->var->sinfo;
    int64_t elements = 1, n;
    if (!rlxc_target_has_dots(p->options->target) || !is_plain(conv) || !x || !w || !y ||
        x->ndim != 4 || !x->dims || !y->dims || w->ndim != 4 || !w->dims ||
        !rlxc_is_int(x->dims[1], &n))
        return false;
    *floats = rlxc_dtype_eq(y->dtype, RLX_F32);
    const rlx_dtype t = *floats ? RLX_F32 : RLX_I32;
    if (!rlxc_dtype_eq(x->dtype, t) || !rlxc_dtype_eq(w->dtype, t) || !rlxc_dtype_eq(y->dtype, t))
        return false;
    for (int32_t i = 0; i < 4; i++)
        if (!rlxc_is_int(w->dims[i], &n) || n < 1 || __builtin_mul_overflow(elements, n, &elements))
            return false;
    return groups_fit(p, conv, w) && rlxc_is_int(w->dims[0], &n) &&
           (n >= MIN_OUTPUTS || !*floats) &&
           rlxc_quantized_weight(p, conv->args[1], elements, false);
}

/* Whether the weight is (number - *zero) * scale of the output with numbers - *zero of int8, and
 * the sums fit int32. */
static bool is_filter(const rlxc_quant_chain *c, int64_t *zero)
{
    if (c->bfloat16 || c->group < c->rows || c->zero->kind != RLXC_EXPR_FLOAT ||
        !(fabs(c->zero->f) <= INT16_MAX) || c->zero->f != nearbyint(c->zero->f))
        return false;
    *zero = (int64_t)c->zero->f;
    return c->least - *zero >= INT8_MIN && c->most - *zero <= INT8_MAX &&
           c->rows <= INT32_MAX / (UINT8_MAX * -INT8_MIN);
}

static const rlxc_expr *half_of(rlxc_context *ctx, const rlxc_expr *size)
{
    const rlxc_expr *up = rlxc_add(ctx, size, rlxc_i64(ctx, 1));
    return rlxc_simplify(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, up, rlxc_i64(ctx, 2)), NULL);
}

static rlxc_atom pack_filter(const rlxc_quantized *p, rlxc_quant_chain *c, rlxc_builder *b,
                             const rlxc_binding *conv, int64_t zero)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *w = rlxc_atom_sinfo(ctx, b->module, conv->args[1]);
    const int64_t word = rlxc_quant_conv_word(p->options->target);
    const bool depthwise = is_depthwise(conv, w), pairs = depthwise && word == 2;
    const rlx_dtype t = depthwise && !pairs ? RLX_I32 : (rlx_dtype){RLX_INT, 8, 1};
    if (!rlxc_te_begin(&te, b, conv, "pack_filter", RLXC_PATTERN_OPAQUE))
        return (rlxc_atom){0};
    rlxc_packing packing = {.c = c, .te = &te};
    group_sizes of;
    (void)groups_of(p, conv, w, &of);
    const int64_t channels = of.channels * of.joined,
                  width = rlxc_quant_conv_width(p->options->target,
                                                depthwise ? c->columns : of.outputs * of.joined);
    const rlxc_expr *dims[RLXC_QUANT_CONV_DIMS] = {
        rlxc_i64(ctx, (c->columns + width - 1) / width),
        w->dims[2],
        pairs ? half_of(ctx, w->dims[3]) : w->dims[3],
        rlxc_i64(ctx, depthwise ? width : (channels + word - 1) / word),
        rlxc_i64(ctx, pairs ? word : width),
        rlxc_i64(ctx, word)};
    te.out = rlxc_sinfo_tensor(ctx, t,
                               pairs       ? RLXC_QUANT_DEPTHWISE_PAIRS_DIMS
                               : depthwise ? RLXC_QUANT_DEPTHWISE_DIMS
                                           : RLXC_QUANT_CONV_DIMS,
                               dims, NULL);
    const rlxc_buffer *out = rlxc_te_output(&te, "filter");
    rlxc_te_spatial(&te, "filter", out);
    const rlxc_expr *n = rlxc_mul(ctx, te.axes[0], rlxc_i64(ctx, width));
    n = rlxc_add(ctx, n, te.axes[depthwise ? 3 : 4]);
    const rlxc_expr *tap = te.axes[2], *channel = NULL;
    if (pairs)
        tap = rlxc_add(ctx, rlxc_mul(ctx, tap, rlxc_i64(ctx, word)), te.axes[4]);
    const rlxc_expr *k = rlxc_add(ctx, rlxc_mul(ctx, te.axes[1], w->dims[3]), tap);
    if (!depthwise) {
        channel = rlxc_add(ctx, rlxc_mul(ctx, te.axes[3], dims[5]), te.axes[5]);
        k = rlxc_add(ctx, rlxc_mul(ctx, k, w->dims[1]),
                     of.joined == 1 ? channel
                                    : rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, channel, w->dims[1]));
    }
    const rlxc_expr *value = rlxc_packing_place(&packing, rlxc_packing_number(c, zero, t), k, n);
    if (pairs)
        value = rlxc_te_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, tap, w->dims[3]), value,
                           rlxc_int(ctx, t, 0));
    if (!depthwise && channels % word != 0)
        value = rlxc_te_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, channel, w->dims[1]), value,
                           rlxc_int(ctx, t, 0));
    if (!depthwise && of.joined > 1) {
        const rlxc_expr *group = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, n, rlxc_i64(ctx, of.outputs));
        group = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, group, rlxc_i64(ctx, of.joined));
        value = rlxc_te_if(ctx,
                           rlxc_binary(ctx, RLXC_EXPR_EQ, group,
                                       rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, channel, w->dims[1])),
                           value, rlxc_int(ctx, t, 0));
    }
    rlxc_te_store(&te, out, value);
    return rlxc_packing_finish(&te);
}

/* The padding with which a filter of one more column has the same results. */
static rlxc_attr padding_of_even(rlxc_context *ctx, const rlxc_binding *conv)
{
    int64_t padding[4] = {0}, dilation[2] = {1, 1};
    uint32_t n = 0, n_dilation = 0;
    rlxc_attr_get_ints(conv, "padding", padding, 4, &n);
    rlxc_attr_get_ints(conv, "dilation", dilation, 2, &n_dilation);
    for (uint32_t i = n; i < 4; i++) /* one number for all, or one for both sides of each */
        padding[i] = n == 2 ? padding[i - 2] : padding[0];
    padding[3] += n_dilation == 1 ? dilation[0] : dilation[1];
    return rlxc_attr_ints(ctx, padding, 4);
}

static rlxc_atom emit_conv(const rlxc_quantized *p, rlxc_builder *b, const rlxc_binding *conv,
                           const rlxc_quantized_bytes *x, rlxc_atom filter, rlxc_atom sums)
{
    static const char *const kept[] = {"strides", "padding", "dilation", "data_layout"};
    rlxc_context *ctx = b->ctx;
    rlxc_atom args[4] = {x->x, filter, sums, x->zero};
    rlxc_attrs attrs = {0};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const rlxc_attr *attr = rlxc_attrs_find(&conv->attrs, kept[i]);
        if (attr)
            attrs = rlxc_attrs_with(ctx, attrs, rlxc_intern_cstr(ctx, kept[i]), *attr);
    }
    const rlxc_sinfo *w = rlxc_atom_sinfo(ctx, b->module, conv->args[1]);
    int64_t columns;
    if (is_depthwise(conv, w) && rlxc_quant_conv_word(p->options->target) == 2 &&
        rlxc_is_int(w->dims[3], &columns) && columns % 2 != 0)
        attrs = rlxc_attrs_with(ctx, attrs, rlxc_intern_cstr(ctx, "padding"),
                                padding_of_even(ctx, conv));
    return rlxc_emit_op(b, "nn.conv2d_integer", args, 4, attrs, conv->var->name);
}

/* The record of a result: floats times scales. */
typedef struct scaled {
    rlxc_atom floats, scales;
    uint32_t uses; /* of the result */
} scaled;

/* The int32 |sums| as float32, times both scales. */
static rlxc_atom times_scales(rlxc_quantized *p, rlxc_quant_chain *c, rlxc_builder *b,
                              const rlxc_binding *conv, rlxc_atom sums, const rlxc_expr *scale)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *one = rlxc_i64(ctx, 1), *dims[3] = {rlxc_i64(ctx, c->columns), one, one};
    if (c->scale)
        scale = rlxc_mul(ctx, scale, rlxc_cast(ctx, RLX_F32, c->scale));
    rlxc_atom factors[2] = {rlxc_quantized_cast(b, sums, RLX_F32, "sums")};
    rlxc_atom reshaped[2] = {rlxc_pack_columns(c, b, conv, scale), rlxc_atom_shape(ctx, dims, 3)};
    if (rlxc_failed(ctx) || reshaped[0].kind != RLXC_ATOM_VAR)
        return (rlxc_atom){0};
    factors[1] = rlxc_emit_op(b, "reshape", reshaped, 2, (rlxc_attrs){0}, "scales");
    rlxc_atom made = rlxc_emit_op(b, "multiply", factors, 2, (rlxc_attrs){0}, conv->var->name);
    const uint32_t id = conv->var->id;
    const scaled kept = {factors[0], factors[1], id < p->n_uses ? p->uses[id] : UINT32_MAX};
    if (made.kind == RLXC_ATOM_VAR)
        rlxc_map_set(ctx, &p->sums, rlxc_key(made.var), rlxc_copy(ctx, &kept, sizeof kept));
    return made;
}

/* --- results that are quantized again -----------------------------------------------------------
 */

enum { MAX_PARTS = 16 };

/* A value that is divided, decomposed down to integers times constants. */
typedef struct division {
    rlxc_quantized *p;
    rlxc_builder *b;
    const rlxc_binding *divide;
    uint32_t parts;
} division;

static bool is_constant(const division *d, rlxc_atom a)
{
    return rlxc_quantized_weight(d->p, a, 0, true);
}

/* True if all values from which |x| is computed are visible where |x| is. */
static bool all_visible(rlxc_atom x, const rlxc_atom *parts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (parts[i].kind == RLXC_ATOM_VAR && !rlxc_quantized_visible(x, parts[i]))
            return false;
    return true;
}

/* A dequantized value: integers, as floats, times constants. */
static bool is_dequantized(const division *d, const rlxc_binding *def)
{
    const rlxc_binding *cast = rlxc_is_op(def, "multiply") && def->args[0].kind == RLXC_ATOM_VAR &&
                                       is_constant(d, def->args[1])
                                   ? rlxc_map_get(&d->p->defs, rlxc_key(def->args[0].var))
                                   : NULL;
    if (!cast || !rlxc_is_op(cast, "astype"))
        return false;
    const rlxc_sinfo *from = rlxc_atom_sinfo(d->p->ctx, NULL, cast->args[0]);
    return from && from->kind == RLXC_SINFO_TENSOR && rlxc_dtype_is_int(from->dtype);
}

/* Operators that commute with division of all operands by a positive number. */
static bool divides_through(const rlxc_binding *def)
{
    return rlxc_is_op(def, "nn.relu") || rlxc_is_op(def, "add") || rlxc_is_op(def, "maximum") ||
           rlxc_is_op(def, "minimum");
}

/* True if |x| can be divided by dividing its constants; nothing else reads the values in between.
 */
static bool can_divide(division *d, rlxc_atom x)
{
    const rlxc_quantized *p = d->p;
    if (x.kind != RLXC_ATOM_VAR || d->parts++ >= MAX_PARTS)
        return false;
    const scaled *found = rlxc_map_get(&p->sums, rlxc_key(x.var));
    if (found)
        return found->uses == 1 && all_visible(x, (rlxc_atom[]){found->floats, found->scales}, 2);
    const rlxc_binding *def = rlxc_map_get(&p->defs, rlxc_key(x.var));
    if (!def || !all_visible(x, def->args, def->n_args))
        return false;
    if (is_dequantized(d, def))
        return true;
    if (x.var->id >= p->n_uses || p->uses[x.var->id] != 1 || !divides_through(def) ||
        !can_divide(d, def->args[0]))
        return false;
    return def->n_args == 1 || is_constant(d, def->args[1]) || can_divide(d, def->args[1]);
}

static rlxc_atom quotient(division *d, rlxc_atom constant)
{
    rlxc_atom args[2] = {constant, d->divide->args[1]};
    return rlxc_emit_op(d->b, "divide", args, 2, (rlxc_attrs){0}, "scaled");
}

static rlxc_atom divided(division *d, rlxc_atom x)
{
    rlxc_quantized *p = d->p;
    const scaled *found = rlxc_map_get(&p->sums, rlxc_key(x.var));
    const rlxc_binding *def = rlxc_map_get(&p->defs, rlxc_key(x.var));
    rlxc_atom args[2];
    if (found || is_dequantized(d, def)) {
        args[0] = found ? found->floats : def->args[0];
        args[1] = quotient(d, found ? found->scales : def->args[1]);
        return rlxc_emit_op(d->b, "multiply", args, 2, (rlxc_attrs){0}, d->divide->var->name);
    }
    args[0] = divided(d, def->args[0]);
    if (def->n_args > 1)
        args[1] =
            is_constant(d, def->args[1]) ? quotient(d, def->args[1]) : divided(d, def->args[1]);
    return rlxc_emit_op(d->b, def->op->name, args, def->n_args, def->attrs, def->var->name);
}

/* True for a scale that keeps quotients of other scales finite and normal: 0 times an infinite one
 * is NaN.
 */
static bool is_common(const rlxc_expr *scale)
{
    return scale && scale->kind == RLXC_EXPR_FLOAT && rlxc_dtype_eq(scale->dtype, RLX_F32) &&
           scale->f >= 0x1p-64 && scale->f <= 0x1p64;
}

rlxc_atom rlxc_quantized_divide(rlxc_quantized *p, rlxc_builder *b, rlxc_binding *divide)
{
    division d = {.p = p, .b = b, .divide = divide};
    if (p->sums.count == 0 || !is_common(rlxc_quantized_single(p, divide->args[1])) ||
        !can_divide(&d, divide->args[0]))
        return (rlxc_atom){0};
    return divided(&d, divide->args[0]);
}

/* --- convolutions -------------------------------------------------------------------------------
 */

rlxc_atom rlxc_quantized_conv(rlxc_quantized *p, rlxc_builder *b, rlxc_binding *conv)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_atom none = {0};
    const rlxc_expr *scale = NULL;
    int64_t zero;
    bool floats;
    rlxc_quantized_bytes x;
    if (!is_candidate(p, conv, &floats))
        return none;
    rlxc_atom left = floats ? rlxc_quantized_integers(p, b, conv->args[0], &scale) : conv->args[0];
    rlxc_quant_chain c = {.ctx = ctx, .options = p->options};
    if (left.kind != RLXC_ATOM_VAR || !rlxc_quantized_bytes_of(p, left, &x) ||
        !rlxc_quant_chain_of(&c, b->module, &p->defs, conv->args[1]) || !is_filter(&c, &zero) ||
        (!floats && c.scale))
        return none;
    rlxc_atom filter = pack_filter(p, &c, b, conv, zero), sums = rlxc_pack_sums(&c, b, conv, zero);
    if (rlxc_failed(ctx) || filter.kind != RLXC_ATOM_VAR || sums.kind != RLXC_ATOM_VAR)
        return none;
    rlxc_atom made = emit_conv(p, b, conv, &x, filter, sums);
    if (!floats || rlxc_failed(ctx) || made.kind != RLXC_ATOM_VAR)
        return made;
    return times_scales(p, &c, b, conv, made, scale);
}

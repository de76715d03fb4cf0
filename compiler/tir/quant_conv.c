/* A convolution of 8-bit integers as an expression, and finding it again. */
#include "compiler/tir/quant_conv.h"

#include "compiler/tir/quant.h"

#include <string.h>

enum { MAX_SIZE = 1 << 20 /* of what is multiplied to addresses */ };
#define MAX_WEIGHTS (INT64_C(1) << 40)

const rlxc_quant_conv_layout rlxc_quant_conv_last = {0, {1, 2}, 3};
const rlxc_quant_conv_layout rlxc_quant_conv_second = {0, {2, 3}, 1};

int64_t rlxc_quant_conv_word(const rlxc_options *options)
{
    return rlxc_quant_dots_of(options) == RLXC_QUANT_PAIRS ? 2 : 4;
}

/* With 16 registers, two hold the filter's row beside two for each of six pixels. */
static int64_t most_vectors(const rlxc_options *options)
{
    return options->vector_bytes == 64 ? 4 : 2;
}

int64_t rlxc_quant_conv_width(const rlxc_options *options, int64_t outputs)
{
    const int64_t lanes = options->vector_bytes / 4;
    int64_t best = lanes, least = INT64_MAX;
    /* the widest of those that waste fewest outputs */
    for (int64_t n = 1; n <= most_vectors(options); n++) {
        const int64_t width = n * lanes, filled = (outputs + width - 1) / width * width;
        if (filled > least)
            continue;
        least = filled;
        best = width;
    }
    return best;
}

static bool fits(const rlxc_quant_conv *q, int64_t panels)
{
    const int64_t sizes[] = {panels, q->width, q->size[0], q->size[1], q->depth};
    int64_t all = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] < 1 || __builtin_mul_overflow(all, sizes[i], &all) || all > MAX_WEIGHTS)
            return false;
    return q->size[0] <= MAX_SIZE && q->size[1] <= MAX_SIZE && q->width <= MAX_SIZE;
}

bool rlxc_quant_conv_sizes(rlxc_quant_conv *q)
{
    int64_t panels, words = 0;
    const rlxc_buffer *f = q->filter;
    q->depthwise = f->ndim == RLXC_QUANT_DEPTHWISE_DIMS;
    q->word = 1;
    if (q->x->ndim != 4 || (!q->depthwise && f->ndim != RLXC_QUANT_CONV_DIMS) ||
        !rlxc_is_int(q->x->shape[q->in.channel], &q->channels) || q->channels < 1 ||
        q->channels > MAX_SIZE || !rlxc_is_int(f->shape[0], &panels) ||
        !rlxc_is_int(f->shape[1], &q->size[0]) || !rlxc_is_int(f->shape[2], &q->size[1]) ||
        !rlxc_is_int(f->shape[q->depthwise ? 3 : 4], &q->width))
        return false;
    if (!q->depthwise && (!rlxc_is_int(f->shape[3], &words) ||
                          !rlxc_is_int(f->shape[5], &q->word) || (q->word != 4 && q->word != 2)))
        return false;
    q->groups = 1;
    q->depth = q->depthwise ? 1 : (q->channels + q->word - 1) / q->word * q->word;
    if (!q->depthwise && words >= 1 && words < q->depth / q->word) {
        q->depth = words * q->word;
        q->groups = q->channels / q->depth;
        if (q->channels % q->depth != 0 || q->outputs % q->groups != 0 || q->width < 1 ||
            q->outputs / q->groups % q->width != 0)
            return false;
    }
    return (q->depthwise ? q->channels == q->outputs : words == q->depth / q->word) &&
           fits(q, panels) && q->outputs >= 1 && q->outputs <= INT32_MAX &&
           panels == (q->outputs + q->width - 1) / q->width;
}

static const rlxc_expr *part(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a, int64_t b)
{
    return rlxc_binary(ctx, kind, a, rlxc_i64(ctx, b));
}

static const rlxc_expr *is_inside(rlxc_context *ctx, const rlxc_expr *i, const rlxc_expr *extent)
{
    return rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LE, rlxc_i64(ctx, 0), i),
                       rlxc_binary(ctx, RLXC_EXPR_LT, i, extent));
}

const rlxc_expr *rlxc_quant_conv_biased(rlxc_context *ctx, const rlxc_expr *x)
{
    const rlxc_expr *wide = rlxc_cast(ctx, RLX_I32, x);
    return x->dtype.code == RLX_INT ? rlxc_add(ctx, wide, rlxc_int(ctx, RLX_I32, 128)) : wide;
}

/* Place in the input, along |d|, of position |i| of the result and of the filter's |r|. */
static const rlxc_expr *tap(rlxc_context *ctx, const rlxc_quant_conv *q, uint32_t d,
                            const rlxc_expr *i, const rlxc_expr *r)
{
    i = rlxc_mul(ctx, i, rlxc_i64(ctx, q->strides[d]));
    i = rlxc_add(ctx, i, rlxc_mul(ctx, r, rlxc_i64(ctx, q->dilation[d])));
    return rlxc_sub(ctx, i, rlxc_i64(ctx, q->before[d]));
}

const rlxc_expr *rlxc_quant_conv_product(rlxc_context *ctx, const rlxc_quant_conv *q,
                                         const rlxc_expr *const axes[5])
{
    const rlxc_expr *k = axes[4], *at[4], *o = axes[q->out.channel];
    const rlxc_expr *tap_of[2] = {
        part(ctx, RLXC_EXPR_FLOORDIV, k, q->size[1] * q->depth),
        part(ctx, RLXC_EXPR_FLOORMOD, part(ctx, RLXC_EXPR_FLOORDIV, k, q->depth), q->size[1])};
    const rlxc_expr *c = q->depthwise ? o : part(ctx, RLXC_EXPR_FLOORMOD, k, q->depth);
    const rlxc_expr *first = rlxc_i64(ctx, 0);
    if (q->groups > 1)
        first = rlxc_mul(ctx, part(ctx, RLXC_EXPR_FLOORDIV, o, q->outputs / q->groups),
                         rlxc_i64(ctx, q->depth));
    at[q->in.batch] = axes[q->out.batch];
    at[q->in.channel] = rlxc_add(ctx, first, c);
    const rlxc_expr *inside = is_inside(ctx, at[q->in.channel], rlxc_i64(ctx, q->channels));
    for (uint32_t d = 0; d < 2; d++) {
        at[q->in.space[d]] = tap(ctx, q, d, axes[q->out.space[d]], tap_of[d]);
        inside = rlxc_binary(ctx, RLXC_EXPR_AND, inside,
                             is_inside(ctx, at[q->in.space[d]], q->x->shape[q->in.space[d]]));
    }
    const rlxc_expr *args[3] = {inside, rlxc_quant_conv_biased(ctx, rlxc_load(ctx, q->x, at, 4)),
                                q->fill};
    const rlxc_expr *value =
        rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "if_then_else"), args, 3);
    const rlxc_expr *panel = part(ctx, RLXC_EXPR_FLOORDIV, o, q->width),
                    *column = part(ctx, RLXC_EXPR_FLOORMOD, o, q->width);
    const rlxc_expr *place[RLXC_QUANT_CONV_DIMS] = {panel, tap_of[0], tap_of[1], column};
    if (!q->depthwise) {
        place[3] = part(ctx, RLXC_EXPR_FLOORDIV, c, q->word);
        place[4] = column;
        place[5] = part(ctx, RLXC_EXPR_FLOORMOD, c, q->word);
    }
    const rlxc_expr *weight = rlxc_load(ctx, q->filter, place, q->filter->ndim);
    return rlxc_mul(ctx, value, rlxc_cast(ctx, RLX_I32, weight));
}

const rlxc_expr *rlxc_quant_conv_init(rlxc_context *ctx, const rlxc_quant_conv *q,
                                      const rlxc_expr *const axes[5])
{
    if (rlxc_is_const(q->fill, 0))
        return q->fill;
    const rlxc_expr *minus = rlxc_sub(ctx, rlxc_int(ctx, RLX_I32, 0), q->fill);
    return rlxc_mul(ctx, minus, rlxc_load(ctx, q->sums, &axes[q->out.channel], 1));
}

/* --- finding it again ------------------------------------------------------------------------- */

static bool is_buffer(const rlxc_expr *e, uint32_t n)
{
    return e->kind == RLXC_EXPR_LOAD && e->load.n == n && rlxc_dtype_is_int(e->dtype) &&
           e->dtype.lanes == 1 && !e->load.buffer->strides && !e->load.buffer->elem_offset;
}

static bool is_filter(const rlxc_expr *e)
{
    return e->dtype.code == RLX_INT &&
           ((e->dtype.bits == 8 && is_buffer(e, RLXC_QUANT_CONV_DIMS)) ||
            (e->dtype.bits == 32 && is_buffer(e, RLXC_QUANT_DEPTHWISE_DIMS)));
}

static const rlxc_expr *without_cast(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_CAST ? e->bin.a : e;
}

/* An index where the position of the result is |i| and k is |k|. */
static bool index_at(rlxc_context *ctx, const rlxc_expr *index, const rlxc_expr *const vars[2],
                     int64_t i, int64_t k, int64_t *out)
{
    const rlxc_expr *values[2] = {rlxc_i64(ctx, i), rlxc_i64(ctx, k)};
    return rlxc_is_int(rlxc_simplify(ctx, rlxc_replace(ctx, index, vars, values, 2), NULL), out) &&
           *out > -MAX_SIZE && *out < MAX_SIZE;
}

/* Stride, dilation and padding from the indices of x's load; the expression is compared later. */
static bool find_steps(rlxc_context *ctx, const rlxc_stage *stage, const rlxc_expr *load,
                       rlxc_quant_conv *q)
{
    for (uint32_t d = 0; d < 2; d++) {
        const rlxc_expr *index = load->load.indices[q->in.space[d]];
        const rlxc_expr *vars[2] = {stage->vars[q->out.space[d]], stage->vars[4]};
        int64_t start, next, dilated, step = q->depth * (d == 0 ? q->size[1] : 1);
        if (!index_at(ctx, index, vars, 0, 0, &start) || !index_at(ctx, index, vars, 1, 0, &next) ||
            !index_at(ctx, index, vars, 0, step, &dilated))
            return false;
        q->before[d] = -start;
        q->strides[d] = next - start;
        q->dilation[d] = dilated > start ? dilated - start : 1;
        if (q->before[d] < 0 || q->strides[d] < 1)
            return false;
    }
    return true;
}

static bool is_same(rlxc_context *ctx, const rlxc_stage *stage, const rlxc_quant_conv *q)
{
    int64_t k, sums;
    const rlxc_expr *sum = rlxc_add(ctx, rlxc_load(ctx, stage->out, stage->indices, 4),
                                    rlxc_quant_conv_product(ctx, q, stage->vars));
    return stage->value == sum && stage->init == rlxc_quant_conv_init(ctx, q, stage->vars) &&
           rlxc_is_int(stage->extents[4], &k) && k == q->size[0] * q->size[1] * q->depth &&
           (!q->sums || (rlxc_is_int(q->sums->shape[0], &sums) && sums == q->outputs));
}

/* Whether |fill| is one number from 0 to 255, as values of the input counted from 0 are, and what
 * the sum begins with has sums for it. */
static bool is_fill(rlxc_context *ctx, const rlxc_stage *stage, const rlxc_expr *fill,
                    const rlxc_expr *sums)
{
    int64_t known;
    if (rlxc_is_int(fill, &known))
        return known == 0 || (sums && known > 0 && known <= UINT8_MAX);
    const rlxc_expr *x = without_cast(fill->kind == RLXC_EXPR_ADD ? fill->bin.a : fill);
    for (uint32_t i = 0; i < stage->n_axes; i++)
        if (rlxc_expr_uses_var(ctx, fill, stage->vars[i]))
            return false;
    return sums && rlxc_dtype_is_byte(x->dtype) && fill == rlxc_quant_conv_biased(ctx, x);
}

/* A sum of int32 along the last of five axes, the others being the result's. */
static bool is_sum(const rlxc_stage *stage)
{
    if (!stage->simple || !stage->init || stage->n_axes != 5 || stage->out->ndim != 4 ||
        !rlxc_dtype_eq(stage->out->dtype, RLX_I32) || stage->value->kind != RLXC_EXPR_ADD ||
        stage->value->bin.b->kind != RLXC_EXPR_MUL)
        return false;
    for (uint32_t i = 0; i < 5; i++)
        if (stage->reduces[i] != (i == 4) || (i < 4 && stage->indices[i] != stage->vars[i]))
            return false;
    return true;
}

/* Whether the filter is laid out for the target's instructions: not where the module says what it
 * is, or a channel for each output by pairs, which floats are faster than. */
static bool suits(const rlxc_options *options, const rlxc_quant_conv *q)
{
    const int64_t lanes = options->vector_bytes / 4;
    return q->width % lanes == 0 && q->width <= most_vectors(options) * lanes &&
           (q->depthwise ? rlxc_quant_dots_of(options) == RLXC_QUANT_BYTES
                         : q->word == rlxc_quant_conv_word(options));
}

bool rlxc_quant_conv_match(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant_conv *out)
{
    static const rlxc_quant_conv_layout *const layouts[2] = {&rlxc_quant_conv_last,
                                                             &rlxc_quant_conv_second};
    if (!rlxc_quant_has_dots(s->options) || !is_sum(stage))
        return false;
    const rlxc_expr *x = stage->value->bin.b->bin.a, *init = stage->init;
    const rlxc_expr *sums = init->kind == RLXC_EXPR_MUL ? init->bin.b : NULL;
    const rlxc_expr *filter = without_cast(stage->value->bin.b->bin.b);
    if (x->kind != RLXC_EXPR_CALL || x->call.n != 3 || strcmp(x->call.name, "if_then_else") != 0 ||
        !is_filter(filter) || (sums && (sums->kind != RLXC_EXPR_LOAD || sums->load.n != 1)) ||
        !is_fill(s->ctx, stage, x->call.args[2], sums))
        return false;
    const rlxc_expr *load = x->call.args[1];
    load = without_cast(load->kind == RLXC_EXPR_ADD ? load->bin.a : load);
    if (!is_buffer(load, 4) || load->dtype.bits != 8)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        *out = (rlxc_quant_conv){.x = load->load.buffer,
                                 .filter = filter->load.buffer,
                                 .sums = sums ? sums->load.buffer : NULL,
                                 .fill = x->call.args[2],
                                 .in = *layouts[i % 2],
                                 .out = *layouts[i / 2]};
        if (rlxc_is_int(stage->extents[out->out.channel], &out->outputs) &&
            rlxc_quant_conv_sizes(out) && find_steps(s->ctx, stage, load, out) &&
            is_same(s->ctx, stage, out) && suits(s->options, out))
            return true;
    }
    return false;
}

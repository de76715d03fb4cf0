/* Finds a convolution of 8-bit integers in a stage: builds the expressions of quant_conv.h again
 * from what the stage reads, and compares them. */
#include "compiler/kernels/quantized/int8_conv.h"

#include "compiler/ir/match_expr.h"
#include "compiler/target/target.h"
#include <string.h>

static bool is_buffer(const rlxc_expr *e, uint32_t n)
{
    return e->kind == RLXC_EXPR_LOAD && e->load.n == n && rlxc_dtype_is_int(e->dtype) &&
           e->dtype.lanes == 1 && !e->load.buffer->strides && !e->load.buffer->elem_offset;
}

static bool is_filter(const rlxc_expr *e)
{
    return e->dtype.code == RLX_INT &&
           ((e->dtype.bits == 8 && (is_buffer(e, RLXC_QUANT_CONV_DIMS) ||
                                    is_buffer(e, RLXC_QUANT_DEPTHWISE_PAIRS_DIMS))) ||
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
           *out > -RLXC_QUANT_CONV_MAX_SIZE && *out < RLXC_QUANT_CONV_MAX_SIZE;
}

/* Derives stride, dilation and padding from the indices of x's load; the expression is compared
 * later. */
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

static bool is_same(rlxc_context *ctx, const rlxc_stage *stage, const rlxc_expr *term,
                    const rlxc_quant_conv *q)
{
    int64_t k, sums;
    return rlxc_same(term, rlxc_quant_conv_product(ctx, q, stage->vars)) &&
           stage->init == rlxc_quant_conv_init(ctx, q, stage->vars) &&
           rlxc_is_int(stage->extents[4], &k) && k == q->size[0] * q->size[1] * q->depth &&
           (!q->sums || (rlxc_is_int(q->sums->shape[0], &sums) && sums == q->outputs));
}

/* True if |fill| is a number from 0 to 255, the range of the shifted input, and the initial value
 * has matching sums. */
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
    if (stage->n_axes != 5 || stage->out->ndim != 4 || !rlxc_dtype_eq(stage->out->dtype, RLX_I32))
        return false;
    for (uint32_t i = 0; i < 5; i++)
        if (stage->reduces[i] != (i == 4) || (i < 4 && stage->indices[i] != stage->vars[i]))
            return false;
    return true;
}

/* True if the filter has the layout of the target's instructions: not if the module itself defines
 * it. */
static bool suits(const rlxc_target *target, const rlxc_quant_conv *q)
{
    const int64_t lanes = target->vector_bytes / 4;
    return q->width % lanes == 0 && q->width <= rlxc_quant_conv_most_vectors(target) * lanes &&
           (q->depthwise && q->word == 1 ? rlxc_target_dots(target) == RLXC_DOTS_BYTES
                                         : q->word == rlxc_quant_conv_word(target));
}

bool rlxc_quant_conv_match(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant_conv *out)
{
    static const rlxc_quant_conv_layout *const layouts[2] = {&rlxc_quant_conv_last,
                                                             &rlxc_quant_conv_second};
    if (!rlxc_target_has_dots(s->target))
        return rlxc_decline(s, "the target has no integer dot products");
    rlxc_operation op;
    if (!rlxc_stage_product(s, stage, &op))
        return false;
    if (!is_sum(stage))
        return rlxc_decline(s,
                            "no int32 sum of products over one axis into 4 dimensions: %u axes, "
                            "value %s",
                            stage->n_axes, rlxc_told(s, stage->value));
    const bool turned = op.w->kind == RLXC_EXPR_CALL; /* windows of 1x1 show no x */
    const rlxc_expr *x = turned ? op.w : op.x, *init = stage->init;
    const rlxc_expr *sums = init->kind == RLXC_EXPR_MUL ? init->bin.b : NULL;
    const rlxc_expr *filter = without_cast(turned ? op.x : op.w);
    if (!rlxc_is_choice(x) || !is_filter(filter) ||
        (sums && (sums->kind != RLXC_EXPR_LOAD || sums->load.n != 1)) ||
        !is_fill(s->ctx, stage, x->call.args[2], sums))
        return rlxc_decline(s, "not a padded 8-bit image times an 8-bit filter: %s times %s",
                            rlxc_told(s, x), rlxc_told(s, filter));
    const rlxc_expr *load = x->call.args[1];
    load = without_cast(load->kind == RLXC_EXPR_ADD ? load->bin.a : load);
    if (!is_buffer(load, 4) || load->dtype.bits != 8)
        return rlxc_decline(s, "%s is not an element of an 8-bit image", rlxc_told(s, load));
    for (uint32_t i = 0; i < 4; i++) {
        *out = (rlxc_quant_conv){.x = load->load.buffer,
                                 .filter = filter->load.buffer,
                                 .sums = sums ? sums->load.buffer : NULL,
                                 .fill = x->call.args[2],
                                 .in = *layouts[i % 2],
                                 .out = *layouts[i / 2]};
        if (rlxc_is_int(stage->extents[out->out.channel], &out->outputs) &&
            rlxc_quant_conv_sizes(out) && find_steps(s->ctx, stage, load, out) &&
            is_same(s->ctx, stage, op.term, out) && suits(s->target, out))
            return true;
    }
    return rlxc_decline(s, "the window is not defined by a stride, a dilation and padding, or the "
                           "filter is not laid out for this target");
}

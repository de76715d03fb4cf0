/* A convolution of 8-bit integers as an expression (quant_conv.h). */
#include "compiler/ops/quant_conv.h"

#include <string.h>

#include "compiler/ir/sym.h"
#include "compiler/target/target.h"

#define MAX_WEIGHTS (INT64_C(1) << 40)

const rlxc_quant_conv_layout rlxc_quant_conv_last = {0, {1, 2}, 3};
const rlxc_quant_conv_layout rlxc_quant_conv_second = {0, {2, 3}, 1};

int64_t rlxc_quant_conv_word(const rlxc_target *target)
{
    return rlxc_target_dots(target) == RLXC_DOTS_PAIRS ? 2 : 4;
}

/* With 16 registers: two for the filter's row, two for each of six pixels. */
int64_t rlxc_quant_conv_most_vectors(const rlxc_target *target)
{
    return target->sum_registers >= 32 ? 4 : 2;
}

int64_t rlxc_quant_conv_width(const rlxc_target *target, int64_t outputs)
{
    const int64_t lanes = target->vector_bytes / 4;
    int64_t best = lanes, least = INT64_MAX;
    /* the widest of those that waste the fewest outputs */
    for (int64_t n = 1; n <= rlxc_quant_conv_most_vectors(target); n++) {
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
    return q->size[0] <= RLXC_QUANT_CONV_MAX_SIZE && q->size[1] <= RLXC_QUANT_CONV_MAX_SIZE &&
           q->width <= RLXC_QUANT_CONV_MAX_SIZE;
}

bool rlxc_quant_conv_sizes(rlxc_quant_conv *q)
{
    int64_t panels, words = 0;
    const rlxc_buffer *f = q->filter;
    const bool pairs = f->ndim == RLXC_QUANT_DEPTHWISE_PAIRS_DIMS;
    q->depthwise = pairs || f->ndim == RLXC_QUANT_DEPTHWISE_DIMS;
    q->word = pairs ? 2 : 1;
    if (q->x->ndim != 4 || (!q->depthwise && f->ndim != RLXC_QUANT_CONV_DIMS) ||
        !rlxc_is_int(q->x->shape[q->in.channel], &q->channels) || q->channels < 1 ||
        q->channels > RLXC_QUANT_CONV_MAX_SIZE || !rlxc_is_int(f->shape[0], &panels) ||
        !rlxc_is_int(f->shape[1], &q->size[0]) || !rlxc_is_int(f->shape[2], &q->size[1]) ||
        !rlxc_is_int(f->shape[q->depthwise ? 3 : 4], &q->width))
        return false;
    if (!q->depthwise && (!rlxc_is_int(f->shape[3], &words) ||
                          !rlxc_is_int(f->shape[5], &q->word) || (q->word != 4 && q->word != 2)))
        return false;
    if (pairs && (!rlxc_is_const(f->shape[4], 2) || q->size[1] > RLXC_QUANT_CONV_MAX_SIZE))
        return false;
    if (pairs)
        q->size[1] *= 2;
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

/* The index in the input, along |d|, for position |i| of the result and |r| of the filter. */
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
    } else if (q->word == 2) {
        place[2] = part(ctx, RLXC_EXPR_FLOORDIV, tap_of[1], 2);
        place[4] = part(ctx, RLXC_EXPR_FLOORMOD, tap_of[1], 2);
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

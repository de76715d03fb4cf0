/* What a weight of few bits is as an expression, and finding such products again: the expression is
 * rebuilt from the buffers that a stage reads, and equal expressions are one pointer. */
#include "compiler/tir/quant.h"

#include <string.h>

enum { COLUMN_VECTORS = 4, MAX_BLOCK = 128, SPLIT_BLOCK = 64 };

int64_t rlxc_quant_width(const rlxc_options *options)
{
    return COLUMN_VECTORS * (int64_t)(options->vector_bytes / 4);
}

int64_t rlxc_quant_block(int64_t group)
{
    return group <= MAX_BLOCK ? group : SPLIT_BLOCK;
}

static const rlxc_expr *part(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a, int64_t b)
{
    return rlxc_binary(ctx, kind, a, rlxc_i64(ctx, b));
}

/* The number of row |k| within its word is at bit 8 * (k % 4), and 4 more for the second four. */
static const rlxc_expr *shift_of(rlxc_context *ctx, const rlxc_quant *q, const rlxc_expr *k)
{
    const rlxc_expr *byte = rlxc_mul(ctx, part(ctx, RLXC_EXPR_FLOORMOD, k, 4), rlxc_i64(ctx, 8));
    if (q->bits == 8)
        return byte;
    const rlxc_expr *half = part(ctx, RLXC_EXPR_FLOORMOD, k, 8);
    half = rlxc_mul(ctx, part(ctx, RLXC_EXPR_FLOORDIV, half, 4), rlxc_i64(ctx, 4));
    return rlxc_add(ctx, byte, half);
}

const rlxc_expr *rlxc_quant_weight(rlxc_context *ctx, const rlxc_quant *q, const rlxc_expr *k,
                                   const rlxc_expr *n)
{
    const rlx_dtype u32 = {RLX_UINT, 32, 1};
    const rlxc_expr *panel = part(ctx, RLXC_EXPR_FLOORDIV, n, q->width);
    const rlxc_expr *column = part(ctx, RLXC_EXPR_FLOORMOD, n, q->width);
    const rlxc_expr *row = part(ctx, RLXC_EXPR_FLOORDIV, k, rlxc_quant_rows(q));
    const rlxc_expr *at[3] = {panel, row, column};
    const rlxc_expr *args[2] = {rlxc_load(ctx, q->words, at, 3),
                                rlxc_cast(ctx, u32, shift_of(ctx, q, k))};
    args[0] = rlxc_call(ctx, u32, rlxc_intern_cstr(ctx, "shift_right"), args, 2);
    args[1] = rlxc_int(ctx, u32, (INT64_C(1) << q->bits) - 1);
    const rlxc_expr *value = rlxc_call(ctx, u32, rlxc_intern_cstr(ctx, "bitwise_and"), args, 2);
    at[1] = part(ctx, RLXC_EXPR_FLOORDIV, k, q->group);
    const rlxc_expr *zero = q->zeros ? rlxc_load(ctx, q->zeros, at, 3) : q->zero;
    value = rlxc_sub(ctx, rlxc_cast(ctx, RLX_F32, value), zero);
    return rlxc_mul(ctx, value, rlxc_cast(ctx, RLX_F32, rlxc_load(ctx, q->scales, at, 3)));
}

static bool is_load3(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_LOAD && e->load.n == 3;
}

static const rlxc_expr *without_cast(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_CAST ? e->bin.a : e;
}

static bool is_call(const rlxc_expr *e, const char *name)
{
    return e->kind == RLXC_EXPR_CALL && e->call.n == 2 && strcmp(e->call.name, name) == 0;
}

/* Reads off |weight| what rlxc_quant_weight made it of. */
static bool parts_of(rlxc_context *ctx, const rlxc_expr *weight, rlxc_quant *q)
{
    int64_t mask;
    if (weight->kind != RLXC_EXPR_MUL)
        return false;
    const rlxc_expr *number = weight->bin.a, *scale = without_cast(weight->bin.b);
    q->zeros = NULL;
    q->zero = rlxc_float(ctx, RLX_F32, 0);
    if (number->kind == RLXC_EXPR_SUB) {
        q->zero = number->bin.b;
        if (is_load3(q->zero))
            q->zeros = q->zero->load.buffer;
        else if (q->zero->kind != RLXC_EXPR_FLOAT)
            return false;
        number = number->bin.a;
    }
    number = without_cast(number);
    if (!is_load3(scale) || !is_call(number, "bitwise_and") ||
        !rlxc_is_int(number->call.args[1], &mask) || !is_call(number->call.args[0], "shift_right"))
        return false;
    const rlxc_expr *word = number->call.args[0]->call.args[0];
    const rlxc_expr *group = scale->load.indices[1];
    q->scales = scale->load.buffer;
    q->bits = mask == 15 ? 4 : 8;
    q->group = 1;
    if (!is_load3(word) || group->kind != RLXC_EXPR_FLOORDIV ||
        !rlxc_is_int(group->bin.b, &q->group) || q->group < 1)
        return false;
    q->words = word->load.buffer;
    return rlxc_is_int(q->words->shape[2], &q->width) && q->width > 0;
}

bool rlxc_quant_match(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant *out)
{
    rlxc_context *ctx = s->ctx;
    const rlxc_expr *sum = stage->value;
    if (!stage->simple || !stage->init || stage->n_axes != 3 || stage->out->ndim != 2 ||
        !rlxc_dtype_eq(stage->out->dtype, RLX_F32) || sum->kind != RLXC_EXPR_ADD ||
        sum->bin.a->kind != RLXC_EXPR_LOAD || sum->bin.a->load.buffer != stage->out ||
        sum->bin.b->kind != RLXC_EXPR_MUL || stage->indices[0] != stage->vars[0] ||
        stage->indices[1] != stage->vars[1])
        return false;
    const rlxc_expr *weight = sum->bin.b->bin.b;
    int64_t k, n;
    return parts_of(ctx, weight, out) && rlxc_is_int(stage->extents[1], &n) &&
           rlxc_is_int(stage->extents[2], &k) && out->width == rlxc_quant_width(s->options) &&
           weight == rlxc_quant_weight(ctx, out, stage->vars[2], stage->vars[1]) &&
           !rlxc_expr_uses_var(ctx, sum->bin.b->bin.a, stage->vars[1]);
}

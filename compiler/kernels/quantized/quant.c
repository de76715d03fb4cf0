/* Few-bit weights as expressions, and recognising products with them: the expression is rebuilt
 * from the buffers that a stage reads, and equal expressions are one pointer. */
#include "compiler/kernels/quantized/quant.h"

#include <inttypes.h>
#include <string.h>

#include "compiler/target/target.h"

enum { COLUMN_VECTORS = 4, MAX_BLOCK = 128, SPLIT_BLOCK = 64 };

int64_t rlxc_quant_width(const rlxc_target *target)
{
    return COLUMN_VECTORS * (int64_t)(target->vector_bytes / 4);
}

int64_t rlxc_quant_block(int64_t group)
{
    return group <= MAX_BLOCK ? group : SPLIT_BLOCK;
}

static const rlxc_expr *part(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a, int64_t b)
{
    return rlxc_binary(ctx, kind, a, rlxc_i64(ctx, b));
}

/* The number of row |k| within its word is at bit 8 * (k % 4), and 4 more for the second four; or
 * at 16 * (k % 2). */
static const rlxc_expr *shift_of(rlxc_context *ctx, const rlxc_quant *q, const rlxc_expr *k)
{
    if (q->bits == 16)
        return rlxc_mul(ctx, part(ctx, RLXC_EXPR_FLOORMOD, k, 2), rlxc_i64(ctx, 16));
    const rlxc_expr *byte = rlxc_mul(ctx, part(ctx, RLXC_EXPR_FLOORMOD, k, 4), rlxc_i64(ctx, 8));
    if (q->bits == 8)
        return byte;
    const rlxc_expr *half = part(ctx, RLXC_EXPR_FLOORMOD, k, 8);
    half = rlxc_mul(ctx, part(ctx, RLXC_EXPR_FLOORDIV, half, 4), rlxc_i64(ctx, 4));
    return rlxc_add(ctx, byte, half);
}

const rlxc_expr *rlxc_quant_entry(rlxc_context *ctx, const rlxc_quant *q, const rlxc_expr *number)
{
    const rlxc_expr *at = rlxc_cast(ctx, RLX_I64, number);
    return rlxc_load(ctx, q->palette, &at, 1);
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
    if (q->bits == 16) { /* a bfloat16 is the upper half of a float32 */
        args[1] = rlxc_int(ctx, u32, 16);
        args[0] = rlxc_call(ctx, u32, rlxc_intern_cstr(ctx, "shift_left"), args, 2);
        return rlxc_call(ctx, RLX_F32, rlxc_intern_cstr(ctx, "reinterpret"), args, 1);
    }
    args[1] = rlxc_int(ctx, u32, (INT64_C(1) << q->bits) - 1);
    const rlxc_expr *value = rlxc_call(ctx, u32, rlxc_intern_cstr(ctx, "bitwise_and"), args, 2);
    if (!q->scales)
        return q->palette ? rlxc_quant_entry(ctx, q, value)
                          : rlxc_sub(ctx, rlxc_cast(ctx, RLX_I32, value), q->zero);
    at[1] = part(ctx, RLXC_EXPR_FLOORDIV, k, q->group);
    const rlxc_expr *zero = q->zeros ? rlxc_load(ctx, q->zeros, at, 3) : q->zero;
    value = q->palette ? rlxc_quant_entry(ctx, q, value) : rlxc_cast(ctx, RLX_F32, value);
    value = rlxc_sub(ctx, value, zero);
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

static bool is_call(const rlxc_expr *e, const char *name, uint32_t n)
{
    return e->kind == RLXC_EXPR_CALL && e->call.n == n && strcmp(e->call.name, name) == 0;
}

/* The words whose bits |shifted| brings down. */
static bool words_of(const rlxc_expr *shifted, rlxc_quant *q)
{
    if (!is_call(shifted, "shift_right", 2) || !is_load3(shifted->call.args[0]))
        return false;
    q->words = shifted->call.args[0]->load.buffer;
    return rlxc_is_int(q->words->shape[2], &q->width) && q->width > 0;
}

/* |number| as rlxc_quant_weight makes it: its bits and the words. */
static bool number_of(const rlxc_expr *number, rlxc_quant *q)
{
    int64_t mask;
    if (number->kind == RLXC_EXPR_LOAD && number->load.n == 1) {
        q->palette = number->load.buffer;
        number = number->load.indices[0];
    }
    number = without_cast(number);
    if (!is_call(number, "bitwise_and", 2) || !rlxc_is_int(number->call.args[1], &mask))
        return false;
    q->bits = mask == 15 ? 4 : 8;
    return words_of(number->call.args[0], q);
}

/* |weight| as rlxc_quant_weight makes it of bfloat16: the words. */
static bool bfloat16_of(const rlxc_expr *weight, rlxc_quant *q)
{
    q->bits = 16;
    return is_call(weight, "reinterpret", 1) && is_call(weight->call.args[0], "shift_left", 2) &&
           words_of(weight->call.args[0]->call.args[0], q);
}

/* Recovers from |weight| the arguments of rlxc_quant_weight. */
static bool parts_of(rlxc_context *ctx, const rlxc_stage *stage, const rlxc_expr *weight,
                     rlxc_quant *q)
{
    int64_t rows;
    *q = (rlxc_quant){.zero = rlxc_float(ctx, RLX_F32, 0)};
    if (weight->kind == RLXC_EXPR_LOAD && rlxc_is_int(stage->extents[2], &rows) && rows > 0 &&
        rows <= INT32_MAX) {
        q->group = rlxc_quant_one_group(rows);
        return number_of(weight, q) && q->palette;
    }
    if (weight->kind != RLXC_EXPR_MUL)
        return false;
    const rlxc_expr *number = weight->bin.a, *scale = without_cast(weight->bin.b);
    if (number->kind == RLXC_EXPR_SUB) {
        q->zero = number->bin.b;
        if (is_load3(q->zero))
            q->zeros = q->zero->load.buffer;
        else if (q->zero->kind != RLXC_EXPR_FLOAT)
            return false;
        number = number->bin.a;
    }
    if (!is_load3(scale) || !number_of(number, q))
        return false;
    const rlxc_expr *group = scale->load.indices[1];
    q->scales = scale->load.buffer;
    return group->kind == RLXC_EXPR_FLOORDIV && rlxc_is_int(group->bin.b, &q->group) &&
           q->group > 0;
}

/* A product of (M, K) with (K, N): the factors. */
static bool is_product(const rlxc_stages *s, const rlxc_stage *stage, rlx_dtype t,
                       const rlxc_expr **x, const rlxc_expr **weight)
{
    rlxc_operation op;
    if (!rlxc_stage_product(s, stage, &op))
        return false;
    if (stage->n_axes != 3 || stage->out->ndim != 2 || !rlxc_dtype_eq(stage->out->dtype, t) ||
        stage->indices[1] != stage->vars[1] || op.roles[1] != RLXC_AXIS_ROLE_column)
        return rlxc_decline(s, "not a %s product (M, N) of (M, K) and (K, N): %s, axes %s",
                            t.code == RLX_FLOAT ? "float32" : "int32", rlxc_operation_name(op.kind),
                            op.roles);
    *x = op.x;
    *weight = op.w;
    return true;
}

/* True if panels have |rows| and full columns, also where the weight has fewer: vectors read them.
 */
static bool holds(const rlxc_buffer *buffer, int64_t rows, int64_t width)
{
    int64_t n;
    return rlxc_is_int(buffer->shape[1], &n) && n >= rows && rlxc_is_const(buffer->shape[2], width);
}

/* Properties that the schedules rely on besides the value of each weight, guaranteed by pass
 * quantized_products: blocks of whole words share a scale, and the words of all blocks exist. */
static bool has_whole_blocks(const rlxc_stage *stage, const rlxc_quant *q)
{
    int64_t n, k, block = rlxc_quant_block(q->group);
    return rlxc_is_int(stage->extents[1], &n) && n > 0 && n <= INT32_MAX &&
           rlxc_is_int(stage->extents[2], &k) && k > 0 && k <= INT32_MAX && q->group <= INT32_MAX &&
           block % 8 == 0 && q->group % block == 0 &&
           holds(q->words, (k + block - 1) / block * block / rlxc_quant_rows(q), q->width) &&
           (!q->scales || holds(q->scales, (k + q->group - 1) / q->group, q->width)) &&
           (!q->zeros || holds(q->zeros, (k + q->group - 1) / q->group, q->width));
}

static bool decline_weight(const rlxc_stages *s, const rlxc_expr *weight)
{
    return rlxc_decline(s, "the weight %s does not unpack numbers of 4, 8 or 16 bits",
                        rlxc_told(s, weight));
}

static bool fits(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant *q, const rlxc_expr *x,
                 const rlxc_expr *weight)
{
    if (q->width != rlxc_quant_width(s->target))
        return rlxc_decline(s, "panels of %" PRId64 " columns; this target takes %" PRId64,
                            q->width, rlxc_quant_width(s->target));
    if (!has_whole_blocks(stage, q))
        return rlxc_decline(s,
                            "groups of %" PRId64 " rows, or %s rows and %s columns, are not stored "
                            "as whole blocks",
                            q->group, rlxc_told(s, stage->extents[2]),
                            rlxc_told(s, stage->extents[1]));
    q->x = x;
    return weight == rlxc_quant_weight(s->ctx, q, stage->vars[2], stage->vars[1]) ||
           decline_weight(s, weight);
}

bool rlxc_quant_match(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant *out)
{
    const rlxc_expr *x, *weight;
    if (!is_product(s, stage, RLX_F32, &x, &weight))
        return false;
    if (!parts_of(s->ctx, stage, weight, out))
        return decline_weight(s, weight);
    return fits(s, stage, out, x, weight);
}

bool rlxc_quant_match_dots(const rlxc_stages *s, const rlxc_stage *stage, rlxc_quant *out)
{
    const rlxc_expr *x, *weight;
    bool floats = rlxc_dtype_eq(stage->out->dtype, RLX_F32);
    if (!is_product(s, stage, floats ? RLX_F32 : RLX_I32, &x, &weight))
        return false;
    if (x->kind != RLXC_EXPR_CAST)
        return rlxc_decline(s, "%s is not widened from integers or bfloat16", rlxc_told(s, x));
    *out = (rlxc_quant){.zero = rlxc_int(s->ctx, RLX_I32, 0), .group = 64};
    const rlx_dtype from = x->bin.a->dtype;
    if (floats && (from.code != RLX_BFLOAT || !rlxc_target_has_bfloat16_dots(s->target)))
        return rlxc_decline(s, "%s",
                            from.code == RLX_BFLOAT
                                ? "the target has no bfloat16 dot products"
                                : "float32 sums of operands other than bfloat16");
    if (floats)
        return bfloat16_of(weight, out) ? fits(s, stage, out, x, weight)
                                        : decline_weight(s, weight);
    if (from.code != RLX_INT || from.bits > 16 || !rlxc_target_has_dots(s->target))
        return rlxc_decline(s, "%s",
                            rlxc_target_has_dots(s->target)
                                ? "the left operand is not of int8 or int16"
                                : "the target has no integer dot products");
    const rlxc_expr *number = weight;
    if (weight->kind == RLXC_EXPR_SUB) {
        out->zero = weight->bin.b;
        number = weight->bin.a;
    }
    const bool is_loaded = out->zero->kind == RLXC_EXPR_LOAD && out->zero->load.n == 0 &&
                           out->zero->load.buffer != stage->out;
    if ((out->zero->kind != RLXC_EXPR_INT && !is_loaded) || !number_of(number, out) ||
        out->palette || out->bits != 8)
        return decline_weight(s, weight);
    return fits(s, stage, out, x, weight);
}

/* One row times weights of 4 or 8 bits, by sums of products of bytes (dot_u8s8: AVX512-VNNI).
 *
 * What limits one row is no longer memory but making floats of the weights, so the row is made
 * integers instead. Blocks of it are scaled so that the largest magnitude is 127 * 2^16, rounded,
 * and written as three signed bytes: x = (hi * 2^16 + mid * 2^8 + lo) * step. Three dot products of
 * bytes give the sum of a block exactly, which is scaled once for each column:
 *
 *     acc[n] += (hi . q * 2^16 + mid . q * 2^8 + lo . q - zero * sum(x)) * step * scale[n]
 *
 * A zero that all groups share is taken off where the dot products begin, in integers; another one
 * in floats.
 *
 * The only error beyond that of float32 sums is the rounding of x to 2^-24 of the largest magnitude
 * of its block (8 to 128 elements): 2^-24 * max|x| * sum|weight| of the block at most. Rows with
 * infinities, NaN or nothing but tiny numbers go through the tiles of floats: the flag is not 0
 * then. */
#include "compiler/tir/schedule_quant.h"

enum { LIMBS = 3, COLUMN_VECTORS = 4, UNROLLED_WORDS = 4, TOP = 127 << 16 };

/* Whether the zero is taken off in integers: what it is multiplied by is below 2^22. */
static bool zero_of(const rlxc_quant_rows_of *t, int64_t *out)
{
    double zero = t->q.zeros ? 0.5 : t->q.zero->f;
    *out = zero >= -255 && zero <= 255 ? (int64_t)zero : 0;
    return (double)*out == zero;
}

static int64_t block_of(const rlxc_quant_rows_of *t)
{
    return rlxc_quant_block(t->q.group);
}

static int64_t blocks_of(const rlxc_quant_rows_of *t)
{
    return (t->rows + block_of(t) - 1) / block_of(t);
}

static const rlxc_expr *call(rlxc_context *ctx, const char *name, const rlxc_expr *a,
                             const rlxc_expr *b)
{
    const rlxc_expr *args[2] = {a, b};
    return rlxc_call(ctx, a->dtype, rlxc_intern_cstr(ctx, name), args, b ? 2 : 1);
}

/* --- making the row ready --------------------------------------------------------------------- */

typedef struct row {
    rlxc_quant_rows_of *t;
    const rlxc_expr *block;            /* its number */
    int64_t lanes;                     /* in a step over the row */
    rlxc_buffer *top, *bad;            /* vectors: largest magnitude, NaN or 0 */
    rlxc_buffer *total, *low;          /* and sums of the numbers, of their last limbs */
    rlxc_buffer *peak, *sum, *flag;    /* peak[1] is NaN or 0, sum[1] that of last limbs */
    RLXC_VEC(const rlxc_stmt *) parts; /* of a block */
} row;

static const rlxc_expr *constant(row *r, double value)
{
    return rlxc_float(r->t->ctx, RLX_F32, value);
}

static const rlxc_expr *first(row *r, const rlxc_buffer *buffer)
{
    const rlxc_expr *zero = rlxc_i64(r->t->ctx, 0);
    return rlxc_load(r->t->ctx, buffer, &zero, 1);
}

static void put(row *r, rlxc_buffer *to, const rlxc_expr *index, const rlxc_expr *value)
{
    RLXC_PUSH(r->t->ctx, &r->parts, rlxc_stmt_store(r->t->ctx, to, &index, 1, value));
}

/* A loop over the lanes; |lane| stands for its variable, which is its own. */
static void put_lanes(row *r, rlxc_buffer *to, const rlxc_expr *lane, const rlxc_expr *index,
                      const rlxc_expr *value, bool scalar)
{
    rlxc_context *ctx = r->t->ctx;
    const rlxc_expr *own = rlxc_loop_var(ctx, "l");
    index = rlxc_substitute(ctx, index, &lane, &own, 1);
    value = rlxc_substitute(ctx, value, &lane, &own, 1);
    RLXC_PUSH(ctx, &r->parts,
              rlxc_loop_of(ctx, own, rlxc_i64(ctx, r->lanes),
                           scalar ? RLXC_LOOP_UNROLLED : RLXC_LOOP_VECTORIZED,
                           rlxc_stmt_store(ctx, to, &index, 1, value)));
}

/* Element |lane| of step |step| of the block; 0 behind the end of the row. */
static const rlxc_expr *element(row *r, int64_t step, const rlxc_expr *lane,
                                const rlxc_expr **out_place)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *k = rlxc_mul(ctx, r->block, rlxc_i64(ctx, block_of(t)));
    k = rlxc_add(ctx, rlxc_add(ctx, k, rlxc_i64(ctx, step * r->lanes)), lane);
    *out_place = k;
    const rlxc_expr *x = rlxc_quant_x(t, rlxc_i64(ctx, 0), k);
    if (t->rows % block_of(t) == 0)
        return x;
    const rlxc_expr *inner = x->kind == RLXC_EXPR_CAST ? x->bin.a : x;
    const rlxc_expr *args[3] = {rlxc_binary(ctx, RLXC_EXPR_LT, k, rlxc_i64(ctx, t->rows)), inner,
                                rlxc_float(ctx, inner->dtype, 0)};
    return rlxc_cast(ctx, RLX_F32,
                     rlxc_call(ctx, inner->dtype, rlxc_intern_cstr(ctx, "if_then_else"), args, 3));
}

/* The largest magnitude of the block, and NaN if something is not finite. */
static void find_peak(row *r)
{
    rlxc_context *ctx = r->t->ctx;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *one = rlxc_i64(ctx, 1), *k;
    const rlxc_expr *l = rlxc_loop_var(ctx, "l");
    put_lanes(r, r->top, l, l, constant(r, 0), false);
    put_lanes(r, r->bad, l, l, constant(r, 0), false);
    for (int64_t s = 0; s < block_of(r->t) / r->lanes; s++) {
        const rlxc_expr *x = element(r, s, l, &k);
        const rlxc_expr *size = call(ctx, "fabs", x, NULL);
        put_lanes(r, r->top, l, l,
                  rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_load(ctx, r->top, &l, 1), size), false);
        put_lanes(r, r->bad, l, l,
                  rlxc_add(ctx, rlxc_load(ctx, r->bad, &l, 1), rlxc_mul(ctx, x, constant(r, 0))),
                  false);
    }
    put(r, r->peak, zero, constant(r, 0));
    put(r, r->peak, one, constant(r, 0));
    put_lanes(r, r->peak, l, zero,
              rlxc_binary(ctx, RLXC_EXPR_MAX, first(r, r->peak), rlxc_load(ctx, r->top, &l, 1)),
              true);
    put_lanes(r, r->peak, l, one,
              rlxc_add(ctx, rlxc_load(ctx, r->peak, &one, 1), rlxc_load(ctx, r->bad, &l, 1)), true);
}

/* What is taken off the last two dot products, or the sum as a float. */
static void put_sums(row *r)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *one = rlxc_i64(ctx, 1);
    const rlxc_expr *sum = first(r, r->sum), *low = rlxc_load(ctx, r->sum, &one, 1);
    int64_t zero;
    if (!zero_of(t, &zero)) {
        put(r, t->sums, r->block, rlxc_cast(ctx, RLX_F32, sum));
        return;
    }
    const rlxc_expr *minus = rlxc_int(ctx, RLX_I32, -zero);
    const rlxc_expr *upper =
        call(ctx, "shift_right", rlxc_sub(ctx, sum, low), rlxc_int(ctx, RLX_I32, 8));
    put(r, t->sums, rlxc_mul(ctx, r->block, rlxc_i64(ctx, 2)), rlxc_mul(ctx, upper, minus));
    put(r, t->sums, rlxc_add(ctx, rlxc_mul(ctx, r->block, rlxc_i64(ctx, 2)), one),
        rlxc_mul(ctx, low, minus));
}

/* The numbers of the block as three bytes each, and their sum. */
static void split(row *r)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *l = rlxc_loop_var(ctx, "l"), *k;
    const rlx_dtype i8 = {RLX_INT, 8, 1};
    const rlxc_expr *peak = first(r, r->peak);
    const rlxc_expr *none = rlxc_binary(ctx, RLXC_EXPR_EQ, peak, constant(r, 0));
    const rlxc_expr *times = rlxc_binary(ctx, RLXC_EXPR_DIV, constant(r, TOP), peak);
    times = rlxc_select(ctx, none, constant(r, 0), times);
    put_lanes(r, r->total, l, l, rlxc_int(ctx, RLX_I32, 0), false);
    put_lanes(r, r->low, l, l, rlxc_int(ctx, RLX_I32, 0), false);
    for (int64_t s = 0; s < block_of(t) / r->lanes; s++) {
        const rlxc_expr *x = element(r, s, l, &k);
        x = call(ctx, "nearbyint", rlxc_mul(ctx, x, times), NULL);
        const rlxc_expr *number = rlxc_cast(ctx, RLX_I32, x), *left = number;
        put_lanes(r, r->total, l, l, rlxc_add(ctx, rlxc_load(ctx, r->total, &l, 1), number), false);
        for (int64_t limb = LIMBS; limb-- > 0;) {
            const rlxc_expr *low = rlxc_cast(ctx, i8, left);
            const rlxc_expr *to =
                rlxc_add(ctx, rlxc_i64(ctx, limb * blocks_of(t) * block_of(t)), k);
            put_lanes(r, t->bytes, l, to, low, false);
            if (limb + 1 == LIMBS)
                put_lanes(
                    r, r->low, l, l,
                    rlxc_add(ctx, rlxc_load(ctx, r->low, &l, 1), rlxc_cast(ctx, RLX_I32, low)),
                    false);
            left = rlxc_sub(ctx, left, rlxc_cast(ctx, RLX_I32, low));
            left = call(ctx, "shift_right", left, rlxc_int(ctx, RLX_I32, 8));
        }
    }
    for (int64_t i = 0; i < 2; i++) {
        const rlxc_expr *at = rlxc_i64(ctx, i);
        put(r, r->sum, at, rlxc_int(ctx, RLX_I32, 0));
        put_lanes(r, r->sum, l, at,
                  rlxc_add(ctx, rlxc_load(ctx, r->sum, &at, 1),
                           rlxc_load(ctx, i ? r->low : r->total, &l, 1)),
                  true);
    }
    put_sums(r);
    put(r, t->steps, r->block, rlxc_mul(ctx, peak, constant(r, 1.0 / (double)TOP)));
}

rlxc_buffer *rlxc_quant_row_prepare(rlxc_quant_rows_of *t)
{
    rlxc_context *ctx = t->ctx;
    int64_t block = block_of(t), padded = blocks_of(t) * block;
    const rlx_dtype i8 = {RLX_INT, 8, 1}, u32 = {RLX_UINT, 32, 1};
    if (!rlxc_quant_has_dots(t->c->s->options))
        return NULL;
    row r = {.t = t, .block = rlxc_loop_var(ctx, "block"), .lanes = block % 16 == 0 ? 16 : 8};
    r.flag = rlxc_quant_local(t, "flag", RLX_F32, 1);
    t->bytes = rlxc_quant_local(t, "bytes", i8, LIMBS * padded);
    const rlxc_expr *size = rlxc_i64(ctx, LIMBS * padded / 4), *zero = rlxc_i64(ctx, 0);
    t->limbs = rlxc_buffer_new(ctx, rlxc_intern_cstr(ctx, "limbs"), u32, &size, 1);
    t->limbs->data = t->bytes->data;
    rlxc_stmt *declare = rlxc_alloc(ctx, sizeof *declare);
    *declare = (rlxc_stmt){.kind = RLXC_STMT_DECL_BUFFER, .decl = t->limbs};
    RLXC_PUSH(ctx, &t->c->out, declare);
    t->steps = rlxc_quant_local(t, "steps", RLX_F32, blocks_of(t));
    int64_t shared;
    bool in_integers = zero_of(t, &shared);
    t->sums = rlxc_quant_local(t, "sums", in_integers ? RLX_I32 : RLX_F32,
                               (in_integers ? 2 : 1) * blocks_of(t));
    r.top = rlxc_quant_local(t, "top", RLX_F32, r.lanes);
    r.bad = rlxc_quant_local(t, "bad", RLX_F32, r.lanes);
    r.total = rlxc_quant_local(t, "total", RLX_I32, r.lanes);
    r.low = rlxc_quant_local(t, "low", RLX_I32, r.lanes);
    r.peak = rlxc_quant_local(t, "peak", RLX_F32, 2);
    r.sum = rlxc_quant_local(t, "sum", RLX_I32, 2);
    find_peak(&r);
    split(&r);
    /* nothing but tiny numbers: neither may the factor overflow nor what a one is worth, times the
     * scale, lose digits */
    const rlxc_expr *peak = first(&r, r.peak), *one = rlxc_i64(ctx, 1);
    const rlxc_expr *tiny =
        rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_GT, peak, constant(&r, 0)),
                    rlxc_binary(ctx, RLXC_EXPR_LT, peak, constant(&r, 1e-20)));
    const rlxc_expr *flag = rlxc_add(ctx, first(&r, r.flag), rlxc_load(ctx, r.peak, &one, 1));
    put(&r, r.flag, zero,
        rlxc_add(ctx, flag, rlxc_select(ctx, tiny, constant(&r, 1), constant(&r, 0))));
    const rlxc_stmt *parts[2] = {rlxc_stmt_store(ctx, r.flag, &zero, 1, constant(&r, 0)),
                                 rlxc_loop_of(ctx, r.block, rlxc_i64(ctx, blocks_of(t)),
                                              RLXC_LOOP_SERIAL,
                                              rlxc_stmt_seq(ctx, r.parts.items, r.parts.count))};
    RLXC_PUSH(ctx, &t->c->out, rlxc_stmt_store(ctx, r.flag, &zero, 1, constant(&r, 1)));
    const rlxc_expr *is_one =
        rlxc_binary(ctx, RLXC_EXPR_EQ, t->stage->extents[0], rlxc_i64(ctx, 1));
    RLXC_PUSH(ctx, &t->c->out, rlxc_stmt_if(ctx, is_one, rlxc_stmt_seq(ctx, parts, 2), NULL));
    return r.flag;
}

/* --- the panels ------------------------------------------------------------------------------- */

typedef struct panel {
    rlxc_quant_rows_of *t;
    rlxc_buffer *acc, *dots, *numbers;
    const rlxc_expr *block;
    RLXC_VEC(const rlxc_stmt *) parts;
} panel;

static void emit(panel *p, rlxc_buffer *to, const rlxc_quant_point *at, const rlxc_expr *index,
                 const rlxc_expr *value)
{
    rlxc_context *ctx = p->t->ctx;
    RLXC_PUSH(ctx, &p->parts,
              rlxc_quant_over(p->t, 0, COLUMN_VECTORS, at, false,
                              rlxc_stmt_store(ctx, to, &index, 1, value)));
}

static const rlxc_expr *dot_index(panel *p, int64_t limb, const rlxc_quant_point *at)
{
    return rlxc_quant_add(p->t, rlxc_i64(p->t->ctx, limb * p->t->q.width),
                          rlxc_quant_column(p->t, at));
}

/* Four rows of all columns, the bytes of |numbers|, times the limbs of the four elements. */
static void add_dots(panel *p, const rlxc_expr *four)
{
    rlxc_quant_rows_of *t = p->t;
    rlxc_context *ctx = t->ctx;
    int64_t fours = blocks_of(t) * block_of(t) / 4;
    for (int64_t limb = 0; limb < LIMBS; limb++) {
        rlxc_quant_point at = rlxc_quant_new_point(t);
        const rlxc_expr *index = dot_index(p, limb, &at), *column = rlxc_quant_column(t, &at);
        const rlxc_expr *x = rlxc_add(ctx, rlxc_i64(ctx, limb * fours), four);
        const rlxc_expr *args[3] = {rlxc_load(ctx, p->dots, &index, 1),
                                    rlxc_load(ctx, p->numbers, &column, 1),
                                    rlxc_load(ctx, t->limbs, &x, 1)};
        emit(p, p->dots, &at, index,
             rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "dot_u8s8"), args, 3));
    }
}

static void add_word(panel *p, const rlxc_expr *word)
{
    rlxc_quant_rows_of *t = p->t;
    rlxc_context *ctx = t->ctx;
    for (int64_t half = 0; half < 8 / t->q.bits; half++) {
        rlxc_quant_point at = rlxc_quant_new_point(t);
        const rlxc_expr *column = rlxc_quant_column(t, &at);
        const rlxc_expr *value = rlxc_quant_at_panel(t, t->q.words, word, column);
        if (half > 0)
            value = call(ctx, "shift_right", value, rlxc_int(ctx, value->dtype, 4));
        if (t->q.bits == 4)
            value = call(ctx, "bitwise_and", value, rlxc_int(ctx, value->dtype, 0x0f0f0f0f));
        emit(p, p->numbers, &at, column, value);
        const rlxc_expr *four = rlxc_mul(ctx, word, rlxc_i64(ctx, 8 / t->q.bits));
        add_dots(p, rlxc_add(ctx, four, rlxc_i64(ctx, half)));
    }
}

/* The block's sums as floats, times the scale. */
static void add_block(panel *p)
{
    rlxc_quant_rows_of *t = p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *column = rlxc_quant_column(t, &at), *value = NULL;
    const rlxc_expr *group = rlxc_mul(ctx, p->block, rlxc_i64(ctx, block_of(t)));
    group = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, group, rlxc_i64(ctx, t->q.group));
    const rlxc_expr *dots[LIMBS];
    for (int64_t limb = 0; limb < LIMBS; limb++) {
        const rlxc_expr *index = dot_index(p, limb, &at);
        dots[limb] = rlxc_load(ctx, p->dots, &index, 1);
    }
    const rlxc_expr *upper =
        rlxc_add(ctx, rlxc_mul(ctx, dots[0], rlxc_int(ctx, RLX_I32, 256)), dots[1]);
    value = rlxc_mul(ctx, rlxc_cast(ctx, RLX_F32, upper), rlxc_float(ctx, RLX_F32, 256));
    value = rlxc_add(ctx, value, rlxc_cast(ctx, RLX_F32, dots[2]));
    int64_t shared;
    if (!zero_of(t, &shared)) {
        const rlxc_expr *zero =
            t->q.zeros ? rlxc_quant_at_panel(t, t->q.zeros, group, column) : t->q.zero;
        value = rlxc_sub(ctx, value, rlxc_mul(ctx, zero, rlxc_load(ctx, t->sums, &p->block, 1)));
    }
    const rlxc_expr *scale =
        rlxc_cast(ctx, RLX_F32, rlxc_quant_at_panel(t, t->q.scales, group, column));
    scale = rlxc_mul(ctx, scale, rlxc_load(ctx, t->steps, &p->block, 1));
    value = rlxc_add(ctx, rlxc_load(ctx, p->acc, &column, 1), rlxc_mul(ctx, value, scale));
    emit(p, p->acc, &at, column, value);
}

static const rlxc_stmt *one_block(panel *p)
{
    rlxc_quant_rows_of *t = p->t;
    rlxc_context *ctx = t->ctx;
    int64_t words = block_of(t) / rlxc_quant_rows(&t->q), shared;
    int64_t unrolled = words < UNROLLED_WORDS ? words : UNROLLED_WORDS;
    for (int64_t limb = 0; limb < LIMBS; limb++) {
        rlxc_quant_point at = rlxc_quant_new_point(t);
        const rlxc_expr *begin = rlxc_int(ctx, RLX_I32, 0), *at_sum = p->block;
        if (limb > 0 && zero_of(t, &shared) && shared != 0) {
            at_sum =
                rlxc_add(ctx, rlxc_mul(ctx, at_sum, rlxc_i64(ctx, 2)), rlxc_i64(ctx, limb - 1));
            begin = rlxc_load(ctx, t->sums, &at_sum, 1);
        }
        emit(p, p->dots, &at, dot_index(p, limb, &at), begin);
    }
    const rlxc_expr *step = rlxc_loop_var(ctx, "step");
    panel inner = *p;
    inner.parts.items = NULL;
    inner.parts.count = inner.parts.capacity = 0;
    for (int64_t i = 0; i < unrolled; i++) {
        const rlxc_expr *word = rlxc_mul(ctx, p->block, rlxc_i64(ctx, words));
        word = rlxc_add(ctx, word, rlxc_mul(ctx, step, rlxc_i64(ctx, unrolled)));
        add_word(&inner, rlxc_add(ctx, word, rlxc_i64(ctx, i)));
    }
    RLXC_PUSH(ctx, &p->parts,
              rlxc_loop_of(ctx, step, rlxc_i64(ctx, words / unrolled), RLXC_LOOP_SERIAL,
                           rlxc_stmt_seq(ctx, inner.parts.items, inner.parts.count)));
    add_block(p);
    return rlxc_stmt_seq(ctx, p->parts.items, p->parts.count);
}

const rlxc_stmt *rlxc_quant_row(rlxc_quant_rows_of *t)
{
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    const rlx_dtype u32 = {RLX_UINT, 32, 1};
    t->c = &own;
    panel p = {.t = t, .block = rlxc_loop_var(ctx, "block")};
    t->panel = rlxc_loop_var(ctx, "panel");
    p.acc = rlxc_quant_local(t, "acc", RLX_F32, t->q.width);
    p.dots = rlxc_quant_local(t, "dots", RLX_I32, LIMBS * t->q.width);
    p.numbers = rlxc_quant_local(t, "numbers", u32, t->q.width);
    rlxc_buffer *memory = t->epilogue ? rlxc_quant_local(t, "results", RLX_F32, t->q.width) : NULL;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    emit(&p, p.acc, &at, rlxc_quant_column(t, &at), rlxc_float(ctx, RLX_F32, 0));
    RLXC_PUSH(ctx, &own.out, p.parts.items[0]);
    p.parts.count = 0;
    RLXC_PUSH(
        ctx, &own.out,
        rlxc_loop_of(ctx, p.block, rlxc_i64(ctx, blocks_of(t)), RLXC_LOOP_SERIAL, one_block(&p)));
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    const rlxc_quant_results results = {1, COLUMN_VECTORS, p.acc, memory, zero, zero};
    RLXC_PUSH(ctx, &own.out, rlxc_quant_finish(t, &results));
    const rlxc_stmt *body = rlxc_stmt_seq(ctx, own.out.items, own.out.count);
    t->c = outer;
    return rlxc_quant_parallel(t, t->panel, rlxc_i64(ctx, t->panels), body);
}

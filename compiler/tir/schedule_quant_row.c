/* One row times weights of 4 or 8 bits, by sums of products of bytes (dot_u8s8: AVX512-VNNI).
 *
 * What limits one row is no longer memory but making floats of the weights, so the row is made
 * integers instead: of 8, 16 or 24 bits (rlxc_options.row_bits), as so many signed bytes. Blocks of
 * it are scaled so that the largest magnitude is 127 in the first byte, and rounded; with 24 bits
 * x = (hi * 2^16 + mid * 2^8 + lo) * step. Dot products of bytes give the sum of a block exactly,
 * which is scaled once for each column:
 *
 *     acc[n] += (hi . q * 2^16 + mid . q * 2^8 + lo . q - zero * sum(x)) * step * scale[n]
 *
 * A zero that all groups share is taken off where the dot products begin, in integers; another one
 * in floats.
 *
 * The only error beyond that of float32 sums is the rounding of x to 2^-8, 2^-16 or 2^-24 of the
 * largest magnitude of its block (8 to 128 elements); of the result: that times max|x| *
 * sum|weight| of the block at most. Rows with infinities, NaN or blocks of nothing but tiny numbers
 * go through the tiles of floats. */
#include "compiler/tir/schedule_quant.h"

enum { MAX_LIMBS = 3, COLUMN_VECTORS = 4, UNROLLED_WORDS = 8 };
/* Bits of inf, 1e-20 and 1. Below the second neither may the factor overflow nor what a one is
 * worth, times the scale, lose digits. */
enum { INFINITE = 0x7f800000, TINY = 0x1e3ce508, ONE = 0x3f800000 };

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

static int64_t limbs_of(const rlxc_quant_rows_of *t)
{
    return t->c->s->options->row_bits / 8;
}

/* Dot products, the last ones, that begin with what the zero takes off; 24 bits times the zero fit
 * in no int32. */
static int64_t begun_of(const rlxc_quant_rows_of *t)
{
    return limbs_of(t) == MAX_LIMBS ? 2 : 1;
}

static const rlxc_expr *call(rlxc_context *ctx, const char *name, const rlxc_expr *a,
                             const rlxc_expr *b)
{
    const rlxc_expr *args[2] = {a, b};
    return rlxc_call(ctx, a->dtype, rlxc_intern_cstr(ctx, name), args, b ? 2 : 1);
}

static const rlxc_expr *reinterpret(rlxc_context *ctx, rlx_dtype dtype, const rlxc_expr *x)
{
    return rlxc_call(ctx, dtype, rlxc_intern_cstr(ctx, "reinterpret"), &x, 1);
}

/* --- making the row ready --------------------------------------------------------------------- */

typedef struct row {
    rlxc_quant_rows_of *t;
    const rlxc_expr *block;            /* its number */
    int64_t lanes;                     /* in a step over the row */
    rlxc_buffer *peak;                 /* vectors: the largest magnitude, its bits */
    rlxc_buffer *total, *low;          /* and sums of the numbers, of their last limbs */
    rlxc_buffer *range;                /* largest and smallest peak but 0; INT32_MAX: not one row */
    RLXC_VEC(const rlxc_stmt *) parts; /* of a block */
} row;

static const rlxc_expr *integer(row *r, int64_t value)
{
    return rlxc_int(r->t->ctx, RLX_I32, value);
}

static const rlxc_expr *at(row *r, const rlxc_buffer *buffer, int64_t i)
{
    const rlxc_expr *index = rlxc_i64(r->t->ctx, i);
    return rlxc_load(r->t->ctx, buffer, &index, 1);
}

static void put(row *r, rlxc_buffer *to, const rlxc_expr *index, const rlxc_expr *value)
{
    RLXC_PUSH(r->t->ctx, &r->parts, rlxc_stmt_store(r->t->ctx, to, &index, 1, value));
}

/* A loop over |lanes|; |lane| stands for its variable, which is its own. */
static void put_lanes(row *r, int64_t lanes, rlxc_buffer *to, const rlxc_expr *lane,
                      const rlxc_expr *index, const rlxc_expr *value)
{
    rlxc_context *ctx = r->t->ctx;
    const rlxc_expr *own = rlxc_loop_var(ctx, "l");
    index = rlxc_substitute(ctx, index, &lane, &own, 1);
    value = rlxc_substitute(ctx, value, &lane, &own, 1);
    RLXC_PUSH(ctx, &r->parts,
              rlxc_loop_of(ctx, own, rlxc_i64(ctx, lanes), RLXC_LOOP_VECTORIZED,
                           rlxc_stmt_store(ctx, to, &index, 1, value)));
}

static void put_vector(row *r, rlxc_buffer *to, const rlxc_expr *lane, const rlxc_expr *value)
{
    put_lanes(r, r->lanes, to, lane, lane, value);
}

/* Leaves the largest lane, or the sum of all, in the first one: halves at a time. */
static void reduce(row *r, rlxc_buffer *vector, rlxc_expr_kind how)
{
    rlxc_context *ctx = r->t->ctx;
    const rlxc_expr *l = rlxc_loop_var(ctx, "l");
    for (int64_t half = r->lanes / 2; half > 0; half /= 2) {
        const rlxc_expr *other = rlxc_add(ctx, l, rlxc_i64(ctx, half));
        put_lanes(r, half, vector, l, l,
                  rlxc_binary(ctx, how, rlxc_load(ctx, vector, &l, 1),
                              rlxc_load(ctx, vector, &other, 1)));
    }
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

/* The largest magnitude of the block, 1 where all are 0. As integers the bits of magnitudes have
 * the same order, and those of infinities and NaN are above all others. */
static void find_peak(row *r)
{
    rlxc_context *ctx = r->t->ctx;
    const rlxc_expr *k, *l = rlxc_loop_var(ctx, "l");
    put_vector(r, r->peak, l, integer(r, 0));
    for (int64_t s = 0; s < block_of(r->t) / r->lanes; s++) {
        const rlxc_expr *size =
            call(ctx, "bitwise_and", reinterpret(ctx, RLX_I32, element(r, s, l, &k)),
                 integer(r, INT32_MAX));
        put_vector(r, r->peak, l,
                   rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_load(ctx, r->peak, &l, 1), size));
    }
    reduce(r, r->peak, RLXC_EXPR_MAX);
    const rlxc_expr *peak = at(r, r->peak, 0);
    const rlxc_expr *none = rlxc_binary(ctx, RLXC_EXPR_EQ, peak, integer(r, 0));
    put(r, r->peak, rlxc_i64(ctx, 0), rlxc_select(ctx, none, integer(r, ONE), peak));
    for (int64_t i = 0; i < 2; i++)
        put(r, r->range, rlxc_i64(ctx, i),
            rlxc_binary(ctx, i ? RLXC_EXPR_MIN : RLXC_EXPR_MAX, at(r, r->range, i), peak));
}

/* What is taken off the last dot products, or the sum as a float. */
static void put_sums(row *r)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *sum = at(r, r->total, 0), *first = r->block;
    int64_t zero, begun = begun_of(t);
    if (!zero_of(t, &zero)) {
        put(r, t->sums, r->block, rlxc_cast(ctx, RLX_F32, sum));
        return;
    }
    first = rlxc_mul(ctx, first, rlxc_i64(ctx, begun));
    if (begun > 1) {
        const rlxc_expr *low = at(r, r->low, 0);
        const rlxc_expr *upper = call(ctx, "shift_right", rlxc_sub(ctx, sum, low), integer(r, 8));
        put(r, t->sums, first, rlxc_mul(ctx, upper, integer(r, -zero)));
        first = rlxc_add(ctx, first, rlxc_i64(ctx, 1));
        sum = low;
    }
    put(r, t->sums, first, rlxc_mul(ctx, sum, integer(r, -zero)));
}

/* The numbers of the block as bytes, and their sum. */
static void split(row *r)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    int64_t limbs = limbs_of(t), padded = blocks_of(t) * block_of(t);
    double top = (double)(INT64_C(127) << 8 * (limbs - 1));
    const rlxc_expr *l = rlxc_loop_var(ctx, "l"), *k;
    const rlx_dtype i8 = {RLX_INT, 8, 1};
    const rlxc_expr *peak = reinterpret(ctx, RLX_F32, at(r, r->peak, 0));
    const rlxc_expr *times = rlxc_binary(ctx, RLXC_EXPR_DIV, rlxc_float(ctx, RLX_F32, top), peak);
    put_vector(r, r->total, l, integer(r, 0));
    put_vector(r, r->low, l, integer(r, 0));
    for (int64_t s = 0; s < block_of(t) / r->lanes; s++) {
        const rlxc_expr *x = element(r, s, l, &k);
        x = call(ctx, "nearbyint", rlxc_mul(ctx, x, times), NULL);
        const rlxc_expr *number = rlxc_cast(ctx, RLX_I32, x), *left = number;
        put_vector(r, r->total, l, rlxc_add(ctx, rlxc_load(ctx, r->total, &l, 1), number));
        for (int64_t limb = limbs; limb-- > 0;) {
            const rlxc_expr *low = rlxc_cast(ctx, i8, left);
            const rlxc_expr *wide = rlxc_cast(ctx, RLX_I32, low);
            put_lanes(r, r->lanes, t->bytes, l, rlxc_add(ctx, rlxc_i64(ctx, limb * padded), k),
                      low);
            if (limb + 1 == limbs)
                put_vector(r, r->low, l, rlxc_add(ctx, rlxc_load(ctx, r->low, &l, 1), wide));
            left = call(ctx, "shift_right", rlxc_sub(ctx, left, wide), integer(r, 8));
        }
    }
    reduce(r, r->total, RLXC_EXPR_ADD);
    reduce(r, r->low, RLXC_EXPR_ADD);
    put_sums(r);
    put(r, t->steps, r->block, rlxc_mul(ctx, peak, rlxc_float(ctx, RLX_F32, 1 / top)));
}

const rlxc_expr *rlxc_quant_row_prepare(rlxc_quant_rows_of *t)
{
    rlxc_context *ctx = t->ctx;
    int64_t block = block_of(t), bytes = limbs_of(t) * blocks_of(t) * block;
    const rlx_dtype i8 = {RLX_INT, 8, 1}, u32 = {RLX_UINT, 32, 1};
    if (!rlxc_quant_has_dots(t->c->s->options) || limbs_of(t) < 1 || limbs_of(t) > MAX_LIMBS)
        return NULL;
    row r = {.t = t, .block = rlxc_loop_var(ctx, "block"), .lanes = block % 16 == 0 ? 16 : 8};
    r.range = rlxc_quant_local(t, "range", RLX_I32, 2);
    t->bytes = rlxc_quant_local(t, "bytes", i8, bytes);
    const rlxc_expr *size = rlxc_i64(ctx, bytes / 4), *zero = rlxc_i64(ctx, 0);
    t->limbs = rlxc_buffer_new(ctx, rlxc_intern_cstr(ctx, "limbs"), u32, &size, 1);
    t->limbs->data = t->bytes->data;
    rlxc_stmt *declare = rlxc_alloc(ctx, sizeof *declare);
    *declare = (rlxc_stmt){.kind = RLXC_STMT_DECL_BUFFER, .decl = t->limbs};
    RLXC_PUSH(ctx, &t->c->out, declare);
    t->steps = rlxc_quant_local(t, "steps", RLX_F32, blocks_of(t));
    int64_t shared;
    bool in_integers = zero_of(t, &shared);
    t->sums = rlxc_quant_local(t, "sums", in_integers ? RLX_I32 : RLX_F32,
                               (in_integers ? begun_of(t) : 1) * blocks_of(t));
    r.peak = rlxc_quant_local(t, "peak", RLX_I32, r.lanes);
    r.total = rlxc_quant_local(t, "total", RLX_I32, r.lanes);
    r.low = rlxc_quant_local(t, "low", RLX_I32, r.lanes);
    find_peak(&r);
    split(&r);
    const rlxc_expr *most = integer(&r, INT32_MAX);
    const rlxc_stmt *parts[3] = {rlxc_stmt_store(ctx, r.range, &zero, 1, integer(&r, 0)), NULL,
                                 rlxc_loop_of(ctx, r.block, rlxc_i64(ctx, blocks_of(t)),
                                              RLXC_LOOP_SERIAL,
                                              rlxc_stmt_seq(ctx, r.parts.items, r.parts.count))};
    const rlxc_expr *one = rlxc_i64(ctx, 1);
    parts[1] = rlxc_stmt_store(ctx, r.range, &one, 1, most);
    RLXC_PUSH(ctx, &t->c->out, rlxc_stmt_store(ctx, r.range, &zero, 1, most));
    RLXC_PUSH(ctx, &t->c->out, rlxc_stmt_store(ctx, r.range, &one, 1, most));
    const rlxc_expr *is_one = rlxc_binary(ctx, RLXC_EXPR_EQ, t->stage->extents[0], one);
    RLXC_PUSH(ctx, &t->c->out, rlxc_stmt_if(ctx, is_one, rlxc_stmt_seq(ctx, parts, 3), NULL));
    return rlxc_binary(ctx, RLXC_EXPR_AND,
                       rlxc_binary(ctx, RLXC_EXPR_LT, at(&r, r.range, 0), integer(&r, INFINITE)),
                       rlxc_binary(ctx, RLXC_EXPR_LT, integer(&r, TINY), at(&r, r.range, 1)));
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
    for (int64_t limb = 0; limb < limbs_of(t); limb++) {
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
    const rlxc_expr *upper = NULL;
    for (int64_t limb = 0; limb < limbs_of(t); limb++) {
        const rlxc_expr *index = dot_index(p, limb, &at);
        const rlxc_expr *dots = rlxc_load(ctx, p->dots, &index, 1);
        if (limb < 2) { /* both together are below 2^31 */
            upper = upper ? rlxc_add(ctx, rlxc_mul(ctx, upper, rlxc_int(ctx, RLX_I32, 256)), dots)
                          : dots;
            value = rlxc_cast(ctx, RLX_F32, upper);
        } else {
            value = rlxc_mul(ctx, value, rlxc_float(ctx, RLX_F32, 256));
            value = rlxc_add(ctx, value, rlxc_cast(ctx, RLX_F32, dots));
        }
    }
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
    for (int64_t limb = 0; limb < limbs_of(t); limb++) {
        rlxc_quant_point at = rlxc_quant_new_point(t);
        const rlxc_expr *begin = rlxc_int(ctx, RLX_I32, 0), *at_sum = p->block;
        int64_t begun = limb - (limbs_of(t) - begun_of(t));
        if (begun >= 0 && zero_of(t, &shared) && shared != 0) {
            at_sum = rlxc_mul(ctx, at_sum, rlxc_i64(ctx, begun_of(t)));
            at_sum = rlxc_add(ctx, at_sum, rlxc_i64(ctx, begun));
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
    p.dots = rlxc_quant_local(t, "dots", RLX_I32, limbs_of(t) * t->q.width);
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

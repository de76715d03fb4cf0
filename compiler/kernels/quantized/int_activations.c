/* Converts rows to integers of a few bytes (gemv_int_activations.c): largest magnitudes, rounding,
 * limbs, and sums for the zero point of the weight. */
#include <inttypes.h>
#include <math.h>

#include "compiler/kernels/quantized/schedule_quant.h"

/* EXACT: integers up to it are float32 numbers. */
enum { MAX_BYTES = 3, MAX_SPAN = 128, EXACT = 1 << 24 };
/* The value of the largest magnitude if elements share limbs: see split_pairs. */
enum { SHARED_TOP = 16 * (16 * 127 - 128) };
/* 1.5 * 2^23, whose last digit is worth 1, and its bits. */
#define ROUNDER 12582912.0
enum { ROUNDER_BITS = 0x4b400000 };
/* Bits of 1e-20, 1 and 1e20. Between the first and the last the factor of a row does not overflow,
 * nor do sums of its elements times numbers. */
enum { TINY = 0x1e3ce508, ONE = 0x3f800000, LARGE = 0x60ad78ec };

/* The form for the target, if any. */
static bool form_of(const rlxc_target *target, const rlxc_quant *q, int64_t bits,
                    rlxc_quant_form *out)
{
    const rlxc_dots dots = rlxc_target_dots(target);
    const bool neon = target->arch == RLXC_ARCH_AARCH64; /* multiplies into twice the bits */
    if (neon && rlxc_target_has_feature(target, q->bits == 4 ? "dotprod" : "i8mm"))
        *out = RLXC_QUANT_BYTES;
    else if (dots == RLXC_DOTS_BYTES)
        *out = bits == 12 && q->bits == 4 ? RLXC_QUANT_SHARED : RLXC_QUANT_BYTES;
    else
        *out = q->bits == 4 ? RLXC_QUANT_HALVES : RLXC_QUANT_PAIRS;
    return bits <= 8 * MAX_BYTES && (neon || dots != RLXC_DOTS_NONE) &&
           (neon || *out != RLXC_QUANT_HALVES || rlxc_target_has_feature(target, "ssse3"));
}

/* Zeros are taken off in integers where they are small: what they are multiplied by is below 2^22.
 * 24 bits times the zero fit in no int32, so that there the last two sums begin with it. Where the
 * sums of a block are exact in float32 they need not: one operation less for each. */
static rlxc_quant_digits digits_of(const rlxc_quant *q, int64_t rows, int64_t bits,
                                   rlxc_quant_form form, int64_t span)
{
    double zero = q->zeros ? 0.5 : q->zero->f;
    rlxc_quant_digits d = {.form = form, .block = rlxc_quant_block(q->group), .span = span};
    d.blocks = (rows + d.block - 1) / d.block;
    d.bytes = (bits + 7) / 8;
    d.zeroed = bits == 24 ? 2 : 1;
    d.limbs = form == RLXC_QUANT_SHARED ? 3 : form == RLXC_QUANT_PAIRS ? d.zeroed : d.bytes;
    d.words = d.blocks * d.block / rlxc_quant_in_word(&d);
    d.accs = form == RLXC_QUANT_HALVES ? d.zeroed : d.limbs;
    d.whole_zero = zero >= -255 && zero <= 255 && zero == floor(zero);
    d.zero = d.whole_zero ? (int64_t)zero : 0;
    d.biased = form == RLXC_QUANT_HALVES && bits <= 16 && d.zero != 0 && span == 1 &&
               (INT64_C(15) << (bits - 1)) * d.block <= EXACT;
    return d;
}

static int64_t rows_of(const rlxc_stage *stage)
{
    int64_t rows;
    return rlxc_is_int(stage->extents[2], &rows) ? rows : 0;
}

/* Rows that go in integers at a time; 0 where there are always more. |*out_chunks|: all rows do. */
static int64_t most_rows(const rlxc_stages *s, const rlxc_stage *stage, bool *out_chunks)
{
    const bool all = s->options->rounded_rows == RLXC_ALL_ROWS;
    const int64_t most = all ? RLXC_MOST_ROUNDED_ROWS : s->options->rounded_rows;
    int64_t given;
    const bool known = rlxc_is_int(stage->extents[0], &given);
    *out_chunks = all && !(known && given <= most);
    return !known || *out_chunks ? most : given <= most ? given : 0;
}

void rlxc_int_activations_decide(const rlxc_stages *s, const rlxc_stage *stage, const rlxc_quant *q,
                                 rlxc_quant_sizes *out)
{
    const int64_t bits = s->options->row_bits;
    rlxc_quant_form form;
    out->row_bits = out->int_rows = out->chunks = 0;
    out->span = 1;
    bool chunks;
    const int64_t most = most_rows(s, stage, &chunks);
    if (most == 0 || q->palette || !form_of(s->target, q, bits, &form))
        return;
    out->row_bits = bits;
    out->int_rows = most;
    out->chunks = chunks;
    /* the sums of pairs stay in 16 registers only if LLVM cannot mix the words of a block */
    if (form == RLXC_QUANT_PAIRS && s->target->vector_registers < 32)
        out->unroll = 1;
    /* a product of floats less for each block counts where those of bytes are few */
    const rlxc_quant_digits d = digits_of(q, rows_of(stage), bits, form, 1);
    while (form == RLXC_QUANT_SHARED && 2 * out->span * d.block <= MAX_SPAN &&
           d.blocks % (2 * out->span) == 0)
        out->span *= 2;
}

bool rlxc_int_activations_fit(const rlxc_stages *s, const rlxc_stage *stage, const rlxc_quant *q,
                              const rlxc_quant_sizes *z)
{
    const int64_t bits = z->row_bits;
    rlxc_quant_form form;
    if ((bits == 0) != (z->int_rows == 0))
        return rlxc_decline(s,
                            "int_rows is %" PRId64 " and row_bits %" PRId64 ": one needs the other",
                            z->int_rows, bits);
    if (bits == 0)
        return (z->span == 1 && z->chunks == 0) ||
               rlxc_decline(s, "%s is %" PRId64 ", which needs row_bits",
                            z->chunks ? "chunks" : "span", z->chunks ? z->chunks : z->span);
    if (bits != 8 && bits != 12 && bits != 16 && bits != 24)
        return rlxc_decline(s, "row_bits is %" PRId64 "; 0, 8, 12, 16 and 24 are known", bits);
    if (q->palette)
        return rlxc_decline(s, "row_bits is %" PRId64 ", but the weight has a palette", bits);
    if (!form_of(s->target, q, bits, &form))
        return rlxc_decline(s,
                            "row_bits is %" PRId64 ", but the target has no sums of integer "
                            "products for it",
                            bits);
    const rlxc_quant_digits d = digits_of(q, rows_of(stage), bits, form, z->span);
    if (z->span > 1 &&
        (form != RLXC_QUANT_SHARED || z->span * d.block > MAX_SPAN || d.blocks % z->span != 0))
        return rlxc_decline(s,
                            "span is %" PRId64 ", which needs row_bits 12, weights of 4 bits, and "
                            "%" PRId64 " blocks of %" PRId64 " to be whole spans of at most %d",
                            z->span, d.blocks, d.block, MAX_SPAN);
    return true;
}

static const rlxc_expr *reinterpret(rlxc_context *ctx, rlx_dtype dtype, const rlxc_expr *x)
{
    return rlxc_call(ctx, dtype, rlxc_intern_cstr(ctx, "reinterpret"), &x, 1);
}

typedef struct row {
    rlxc_quant_rows_of *t;
    const rlxc_expr *number;           /* its number */
    const rlxc_expr *span;             /* of the row: its number */
    int64_t lanes;                     /* in a step over the row */
    rlxc_buffer *peak;                 /* vectors: the largest magnitude, its bits */
    rlxc_buffer *total, *low;          /* and sums of the numbers, of their last limbs */
    rlxc_buffer *numbers;              /* of the span; NULL: not shared */
    rlxc_buffer *range;                /* largest and smallest peak but 0; INT32_MAX: not one row */
    RLXC_VEC(const rlxc_stmt *) parts; /* of a span */
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

/* A loop over |lanes| with a variable of its own, |lane|. */
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

/* Leaves the largest of the lanes, or their sum, in the first one: halves at a time. */
static void reduce(row *r, rlxc_buffer *vector, int64_t lanes, rlxc_expr_kind how)
{
    rlxc_context *ctx = r->t->ctx;
    const rlxc_expr *l = rlxc_loop_var(ctx, "l");
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
        const rlxc_expr *other = rlxc_add(ctx, l, rlxc_i64(ctx, half));
        put_lanes(r, half, vector, l, l,
                  rlxc_binary(ctx, how, rlxc_load(ctx, vector, &l, 1),
                              rlxc_load(ctx, vector, &other, 1)));
    }
}

static int64_t steps_of(const row *r)
{
    return r->t->digits.span * r->t->digits.block / r->lanes;
}

/* Element |lane| of step |step| of the span; 0 beyond the end of the row. */
static const rlxc_expr *element(row *r, int64_t step, const rlxc_expr *lane,
                                const rlxc_expr **out_place)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *k = rlxc_mul(ctx, r->span, rlxc_i64(ctx, t->digits.span * t->digits.block));
    k = rlxc_add(ctx, rlxc_add(ctx, k, rlxc_i64(ctx, step * r->lanes)), lane);
    *out_place = k;
    const rlxc_expr *x = rlxc_quant_x(t, rlxc_quant_add(t, t->row0, r->number), k);
    if (t->rows % t->digits.block == 0)
        return x;
    const rlxc_expr *inner = x->kind == RLXC_EXPR_CAST ? x->bin.a : x;
    const rlxc_expr *args[3] = {rlxc_binary(ctx, RLXC_EXPR_LT, k, rlxc_i64(ctx, t->rows)), inner,
                                rlxc_float(ctx, inner->dtype, 0)};
    return rlxc_cast(ctx, RLX_F32,
                     rlxc_call(ctx, inner->dtype, rlxc_intern_cstr(ctx, "if_then_else"), args, 3));
}

/* The largest magnitude of the span, 1 where all are 0. As integers the bits of magnitudes have
 * the same order, and those of infinities and NaN are above all others. */
static void find_peak(row *r)
{
    rlxc_context *ctx = r->t->ctx;
    const rlxc_expr *k, *l = rlxc_loop_var(ctx, "l");
    put_vector(r, r->peak, l, integer(r, 0));
    for (int64_t s = 0; s < steps_of(r); s++) {
        const rlxc_expr *size =
            rlxc_quant_call(ctx, "bitwise_and", reinterpret(ctx, RLX_I32, element(r, s, l, &k)),
                            integer(r, INT32_MAX));
        put_vector(r, r->peak, l,
                   rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_load(ctx, r->peak, &l, 1), size));
    }
    reduce(r, r->peak, r->lanes, RLXC_EXPR_MAX);
    const rlxc_expr *peak = at(r, r->peak, 0);
    const rlxc_expr *none = rlxc_binary(ctx, RLXC_EXPR_EQ, peak, integer(r, 0));
    put(r, r->peak, rlxc_i64(ctx, 0), rlxc_select(ctx, none, integer(r, ONE), peak));
    for (int64_t i = 0; i < 2; i++)
        put(r, r->range, rlxc_i64(ctx, i),
            rlxc_binary(ctx, i ? RLXC_EXPR_MIN : RLXC_EXPR_MAX, at(r, r->range, i), peak));
}

/* Element |index| of what a buffer has of the row, |size| elements. */
static const rlxc_expr *of_row(row *r, int64_t size, const rlxc_expr *index)
{
    rlxc_context *ctx = r->t->ctx;
    return rlxc_add(ctx, rlxc_mul(ctx, r->number, rlxc_i64(ctx, size)), index);
}

static double top_of(const rlxc_quant_rows_of *t)
{
    return t->digits.form == RLXC_QUANT_SHARED
               ? (double)SHARED_TOP
               : (double)(INT64_C(127) << 8 * (t->digits.bytes - 1));
}

/* The value of 1 in the span. */
static const rlxc_expr *step_of(row *r)
{
    rlxc_context *ctx = r->t->ctx;
    return rlxc_mul(ctx, reinterpret(ctx, RLX_F32, at(r, r->peak, 0)),
                    rlxc_float(ctx, RLX_F32, 1 / top_of(r->t)));
}

/* The correction subtracted from the last dot products of the block, or the sum as a float. */
static void put_sums(row *r, const rlxc_expr *block)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *sum = at(r, r->total, 0);
    int64_t zero = t->digits.zero, begun = t->digits.zeroed;
    if (!t->digits.whole_zero) {
        put(r, t->sums, of_row(r, t->digits.blocks, block), rlxc_cast(ctx, RLX_F32, sum));
        return;
    }
    const rlxc_expr *first = rlxc_mul(ctx, block, rlxc_i64(ctx, begun));
    first = of_row(r, begun * t->digits.blocks, first);
    if (t->digits.biased) {
        const rlxc_expr *bias = rlxc_cast(ctx, RLX_F32, rlxc_mul(ctx, sum, integer(r, -zero)));
        put(r, t->sums, first, rlxc_mul(ctx, bias, step_of(r)));
        return;
    }
    if (begun > 1) {
        const rlxc_expr *low = at(r, r->low, 0);
        const rlxc_expr *upper =
            rlxc_quant_call(ctx, "shift_right", rlxc_sub(ctx, sum, low), integer(r, 8));
        put(r, t->sums, first, rlxc_mul(ctx, upper, integer(r, -zero)));
        first = rlxc_add(ctx, first, rlxc_i64(ctx, 1));
        sum = low;
    }
    put(r, t->sums, first, rlxc_mul(ctx, sum, integer(r, -zero)));
}

/* |x| times |times|, to the nearest integer: as the last digits of a sum, where it is small. */
static const rlxc_expr *number_of(row *r, const rlxc_expr *x, const rlxc_expr *times)
{
    rlxc_context *ctx = r->t->ctx;
    x = rlxc_mul(ctx, x, times);
    if (top_of(r->t) > ROUNDER / 4)
        return rlxc_cast(ctx, RLX_I32, rlxc_quant_call(ctx, "nearbyint", x, NULL));
    x = rlxc_add(ctx, x, rlxc_float(ctx, RLX_F32, ROUNDER));
    return rlxc_sub(ctx, reinterpret(ctx, RLX_I32, x), integer(r, ROUNDER_BITS));
}

/* The position of element |k| in its limb. 16-bit elements are ordered as one shift splits a word
 * of the weight: the first and third of four, then the others. */
static const rlxc_expr *place_of(row *r, const rlxc_expr *k)
{
    rlxc_context *ctx = r->t->ctx;
    if (r->t->digits.form != RLXC_QUANT_PAIRS)
        return k;
    const rlxc_expr *two = rlxc_i64(ctx, 2), *four = rlxc_i64(ctx, 4);
    const rlxc_expr *odd = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, k, two);
    const rlxc_expr *pair = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, k, four);
    pair = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, pair, two);
    const rlxc_expr *word = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, k, four);
    return rlxc_add(ctx, rlxc_mul(ctx, word, four), rlxc_add(ctx, rlxc_mul(ctx, odd, two), pair));
}

/* The numbers of the block as limbs, and their sum. */
static void split(row *r, const rlxc_expr *times)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *l = rlxc_loop_var(ctx, "l"), *k;
    const rlx_dtype i8 = {RLX_INT, 8, 1}, cell = t->cells->dtype;
    const int64_t size = t->digits.words * (32 / cell.bits);
    put_vector(r, r->total, l, integer(r, 0));
    put_vector(r, r->low, l, integer(r, 0));
    for (int64_t s = 0; s < steps_of(r); s++) {
        const rlxc_expr *number = number_of(r, element(r, s, l, &k), times), *left = number;
        put_vector(r, r->total, l, rlxc_add(ctx, rlxc_load(ctx, r->total, &l, 1), number));
        for (int64_t limb = t->digits.limbs; limb-- > 0;) {
            const rlxc_expr *low = rlxc_cast(ctx, limb > 0 ? i8 : cell, left);
            const rlxc_expr *wide = rlxc_cast(ctx, RLX_I32, low);
            const rlxc_expr *to = rlxc_add(ctx, rlxc_i64(ctx, limb * size), place_of(r, k));
            put_lanes(r, r->lanes, t->cells, l, of_row(r, t->digits.limbs * size, to),
                      rlxc_cast(ctx, cell, low));
            if (limb + 1 == t->digits.limbs)
                put_vector(r, r->low, l, rlxc_add(ctx, rlxc_load(ctx, r->low, &l, 1), wide));
            left = rlxc_quant_call(ctx, "shift_right", rlxc_sub(ctx, left, wide), integer(r, 8));
        }
    }
    reduce(r, r->total, r->lanes, RLXC_EXPR_ADD);
    reduce(r, r->low, r->lanes, RLXC_EXPR_ADD);
    put_sums(r, r->span);
}

/* (x + add) >> by */
static const rlxc_expr *shifted(row *r, const rlxc_expr *x, int64_t add, int64_t by)
{
    return rlxc_quant_call(r->t->ctx, "shift_right", rlxc_add(r->t->ctx, x, integer(r, add)),
                           integer(r, by));
}

/* Half of the numbers of a span. */
static int64_t half_of(const row *r)
{
    return steps_of(r) * r->lanes / 2;
}

/* The first four numbers of each word, then the others of each. */
static void part_numbers(row *r, const rlxc_expr *times)
{
    rlxc_context *ctx = r->t->ctx;
    const rlxc_expr *l = rlxc_loop_var(ctx, "l"), *k;
    for (int64_t s = 0; s < steps_of(r); s++) {
        put_vector(r, r->total, l, number_of(r, element(r, s, l, &k), times));
        for (int64_t four = 0; four < r->lanes / 4; four++) {
            const rlxc_expr *from = rlxc_add(ctx, rlxc_i64(ctx, 4 * four), l);
            int64_t to = (s * r->lanes + 4 * four) / 8 * 4 + four % 2 * half_of(r);
            put_lanes(r, 4, r->numbers, l, rlxc_add(ctx, rlxc_i64(ctx, to), l),
                      rlxc_load(ctx, r->total, &from, 1));
        }
    }
}

/* Limbs of numbers a, which begin at |from|, and as many b of the same words:
 *
 *     a ~ first * 256 + both      b ~ (second * 16 + both) * 16
 *
 * The value of |both| needed for b leaves its upper four bits free, which are chosen for a. */
static void split_pairs(row *r, int64_t from, int64_t lanes)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    const rlx_dtype i8 = {RLX_INT, 8, 1};
    const rlxc_expr *l = rlxc_loop_var(ctx, "l"), *pair[2], *limbs[3];
    for (int64_t i = 0; i < 2; i++) {
        const rlxc_expr *at = rlxc_add(ctx, rlxc_i64(ctx, i * half_of(r) + from), l);
        pair[i] = rlxc_load(ctx, r->numbers, &at, 1);
    }
    const rlxc_expr *b = shifted(r, pair[1], 8, 4), *sixteen = integer(r, 16);
    const rlxc_expr *given = rlxc_quant_call(ctx, "bitwise_and", b, integer(r, 15));
    const rlxc_expr *a = shifted(r, rlxc_sub(ctx, pair[0], given), 8, 4);
    limbs[0] = shifted(r, a, 8, 4);
    limbs[2] = rlxc_sub(ctx, a, rlxc_mul(ctx, limbs[0], sixteen));
    limbs[2] = rlxc_add(ctx, given, rlxc_mul(ctx, limbs[2], sixteen));
    limbs[1] = rlxc_quant_call(ctx, "shift_right", rlxc_sub(ctx, b, limbs[2]), integer(r, 4));
    const rlxc_expr *to = rlxc_mul(ctx, r->span, rlxc_i64(ctx, half_of(r)));
    to = rlxc_add(ctx, rlxc_add(ctx, to, rlxc_i64(ctx, from)), l);
    for (int64_t i = 0; i < 3; i++)
        put_lanes(r, lanes, t->cells, l,
                  of_row(r, 4 * t->digits.limbs * t->digits.words,
                         rlxc_add(ctx, rlxc_i64(ctx, i * 4 * t->digits.words), to)),
                  rlxc_cast(ctx, i8, limbs[i]));
    const rlxc_expr *sum = rlxc_add(ctx, rlxc_mul(ctx, limbs[0], integer(r, 256)), limbs[2]);
    sum = rlxc_add(ctx, sum, rlxc_mul(ctx, b, sixteen));
    put_lanes(r, lanes, r->total, l, l, rlxc_add(ctx, rlxc_load(ctx, r->total, &l, 1), sum));
}

/* As above if elements share limbs. */
static void split_shared(row *r, const rlxc_expr *times)
{
    rlxc_quant_rows_of *t = r->t;
    rlxc_context *ctx = t->ctx;
    int64_t half = t->digits.block / 2, lanes = 16;
    while (half % lanes != 0)
        lanes /= 2;
    part_numbers(r, times);
    for (int64_t i = 0; i < t->digits.span; i++) {
        const rlxc_expr *l = rlxc_loop_var(ctx, "l");
        const rlxc_expr *block = rlxc_mul(ctx, r->span, rlxc_i64(ctx, t->digits.span));
        put_lanes(r, lanes, r->total, l, l, integer(r, 0));
        for (int64_t from = i * half; from < (i + 1) * half; from += lanes)
            split_pairs(r, from, lanes);
        reduce(r, r->total, lanes, RLXC_EXPR_ADD);
        put_sums(r, rlxc_add(ctx, block, rlxc_i64(ctx, i)));
    }
}

static void put_numbers(row *r)
{
    rlxc_context *ctx = r->t->ctx;
    double top = top_of(r->t);
    const rlxc_expr *peak = reinterpret(ctx, RLX_F32, at(r, r->peak, 0));
    const rlxc_expr *times = rlxc_binary(ctx, RLXC_EXPR_DIV, rlxc_float(ctx, RLX_F32, top), peak);
    if (r->t->digits.form == RLXC_QUANT_SHARED)
        split_shared(r, times);
    else
        split(r, times);
    put(r, r->t->steps, of_row(r, r->t->digits.blocks / r->t->digits.span, r->span), step_of(r));
}

const rlxc_expr *rlxc_int_activations_prepare(rlxc_quant_rows_of *t)
{
    rlxc_context *ctx = t->ctx;
    const int64_t bits = t->z->row_bits;
    rlxc_quant_form form;
    if (!bits || !form_of(t->c->s->target, &t->q, bits, &form))
        return NULL;
    const rlxc_quant_digits d = t->digits = digits_of(&t->q, t->rows, bits, form, t->z->span);
    const int64_t rows = t->z->int_rows, words = rows * d.limbs * d.words,
                  spans = d.blocks / d.span;
    const rlx_dtype u32 = {RLX_UINT, 32, 1}, cell = {RLX_INT, form == RLXC_QUANT_PAIRS ? 16 : 8, 1};
    row r = {.t = t,
             .number = rlxc_loop_var(ctx, "row"),
             .span = rlxc_loop_var(ctx, "span"),
             .lanes = d.block % 16 == 0 ? 16 : 8};
    r.range = rlxc_quant_local(t, "range", RLX_I32, 2);
    t->cells = rlxc_quant_local(t, "cells", cell, words * (32 / cell.bits));
    const rlxc_expr *size = rlxc_i64(ctx, words), *zero = rlxc_i64(ctx, 0);
    t->limbs = rlxc_view(t->c, "limbs", t->cells, u32, size);
    t->steps = rlxc_quant_local(t, "steps", RLX_F32, rows * spans);
    t->sums = rlxc_quant_local(t, "sums", d.whole_zero && !d.biased ? RLX_I32 : RLX_F32,
                               rows * (d.whole_zero ? d.zeroed : 1) * d.blocks);
    r.peak = rlxc_quant_local(t, "peak", RLX_I32, r.lanes);
    r.total = rlxc_quant_local(t, "total", RLX_I32, r.lanes);
    r.low = rlxc_quant_local(t, "low", RLX_I32, r.lanes);
    if (form == RLXC_QUANT_SHARED)
        r.numbers = rlxc_quant_local(t, "numbers", RLX_I32, d.span * d.block);
    find_peak(&r);
    put_numbers(&r);
    const rlxc_expr *most = integer(&r, INT32_MAX), *one = rlxc_i64(ctx, 1), *given = t->n_rows;
    const rlxc_stmt *parts[3] = {rlxc_stmt_store(ctx, r.range, &zero, 1, integer(&r, 0)),
                                 rlxc_stmt_store(ctx, r.range, &one, 1, most),
                                 rlxc_loop_of(ctx, r.span, rlxc_i64(ctx, spans), RLXC_LOOP_SERIAL,
                                              rlxc_stmt_seq(ctx, r.parts.items, r.parts.count))};
    parts[2] = rlxc_loop_of(ctx, r.number, given, RLXC_LOOP_SERIAL, parts[2]);
    RLXC_PUSH(ctx, &t->c->out, rlxc_stmt_store(ctx, r.range, &zero, 1, most));
    RLXC_PUSH(ctx, &t->c->out, rlxc_stmt_store(ctx, r.range, &one, 1, most));
    const rlxc_expr *few = rlxc_binary(ctx, RLXC_EXPR_LE, given, rlxc_i64(ctx, rows));
    const rlxc_stmt *rounding = rlxc_stmt_seq(ctx, parts, 3);
    RLXC_PUSH(ctx, &t->c->out, t->z->chunks ? rounding : rlxc_stmt_if(ctx, few, rounding, NULL));
    return rlxc_binary(ctx, RLXC_EXPR_AND,
                       rlxc_binary(ctx, RLXC_EXPR_LT, at(&r, r.range, 0), integer(&r, LARGE)),
                       rlxc_binary(ctx, RLXC_EXPR_LT, integer(&r, TINY), at(&r, r.range, 1)));
}

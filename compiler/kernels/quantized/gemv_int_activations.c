/* Few rows times weights of 4 or 8 bits, by exact sums of products of integers.
 *
 * The limit for few rows is not memory but converting the weights to floats, so a row becomes
 * integers instead: of 8, 16 or 24 bits (rlxc_options.row_bits), in limbs of signed bytes. Blocks
 * of it are scaled so that the largest magnitude is 127 in the first byte, and rounded; with 24
 * bits x = (hi * 2^16 + mid * 2^8 + lo) * step. Dot products give the sum of a block exactly, which
 * is scaled once for each column:
 *
 *     acc[n] += ((hi . q * 2^16 + mid . q * 2^8 + lo . q - zero * sum(x)) * step) * scale[n]
 *
 * The products are those that the target's instructions sum (rlxc_quant_form):
 *   - four of bytes (dot_u8s8: VNNI, USDOT; dot_u7s8 for weights of 4 bits: SDOT as well);
 *   - else two of 16 bits for weights of 8 (dot_s16). The first limb has 16 bits then, so that rows
 *     of 16 bits are one limb: a word of the weight is taken apart into bytes 0 and 2, 1 and 3;
 *   - and two of bytes for weights of 4 bits, added up in 16 bits (dot_u8s8_s16): two products are
 *     15 * 128 * 2 at most, so that eight such sums fit before they go to sums of 32 bits, the
 *     first limb's times 256.
 *
 * Where bytes are summed by fours, 12 bits are three bytes for two elements: byte products limit
 * weights of 4 bits then, 64 a cycle on the processors of today. Where first and second are the
 * numbers in the halves of the bytes of a word, there are a byte for each element and one, both,
 * that goes with bytes of words as they are, (first + 16 * second) . both:
 *
 *     sum of first * (x1 * 2^8 + both) + second * (x2 * 2^4 + both) * 2^4
 *         = ((first . x1) * 2^4 + (16 * second) . x2) * 2^4 + (first + 16 * second) . both
 *
 * so that no number is shifted down. Both gives four more bits to the second element, and to the
 * first four of what it has left; steps are shared by blocks of up to 128 elements together, whose
 * sums are multiplied by the scales alone before. Where those are above some 1e30, that may be more
 * than a float holds though the result is not: panels that are not finite are computed once more,
 * steps first.
 *
 * A zero that all groups share is taken off where the dot products begin, in integers; another one
 * in floats.
 *
 * The only error beyond that of float32 sums is the rounding of x to 2^-8, 2^-16 or 2^-24 of the
 * largest magnitude of its block (8 to 128 elements), with 12 bits to 1/3584 of it; of the result:
 * that times max|x| * sum|weight| of the block at most. Rows with infinities, NaN, magnitudes above
 * 1e20 or blocks of nothing but such below 1e-20 go through the tiles of floats. */
#include "compiler/kernels/quantized/schedule_quant.h"

/* FEW_VECTORS: sums of 16 bits for each of several limbs stay in 16 registers then. HALVES_WORDS: 8
 * times two products of 15 and -128 fit 16 bits. */
enum { COLUMN_VECTORS = 4, FEW_VECTORS = 2, HALVES_WORDS = 4 };
/* Most rows of a tile, and sums in it, with 32 registers or fewer. */
enum { TILE_ROWS = 4, MANY_SUMS = 16, FEW_SUMS = 8 };
/* Bytes: weights are fetched so far ahead; of a line of memory; of a panel that columns read in
 * turns. */
enum { AHEAD = 2048, LINE = 64, TURN = 4096 };
/* Bits of float32's infinity: magnitudes of finite numbers are below them as integers. */
enum { INFINITE = 0x7f800000 };

typedef struct panel {
    rlxc_quant_rows_of *t;
    rlxc_buffer *acc, *dots, *numbers;
    rlxc_buffer *halves; /* 16-bit sums of limbs; or NULL */
    rlxc_buffer *sum;    /* of a span of blocks, as the scales have them; NULL: steps come first */
    const rlxc_expr *span, *block;
    const rlxc_expr *i0;    /* first row of the tile */
    const rlxc_expr *first; /* first column in the panel */
    uint32_t rows, vectors; /* of the tile; vectors of columns that are computed together */
    uint32_t width;         /* vectors of the tile: those together take turns */
    const rlxc_expr *turn;  /* their first column in the tile */
    RLXC_VEC(const rlxc_stmt *) parts;
} panel;

/* Calls |fn| for all rows and columns of the tile. */
static void emit(panel *p, rlxc_buffer *to, const rlxc_quant_point *at, const rlxc_expr *index,
                 const rlxc_expr *value)
{
    rlxc_context *ctx = p->t->ctx;
    RLXC_PUSH(ctx, &p->parts,
              rlxc_quant_over(p->t, p->rows, p->vectors, at, false,
                              rlxc_stmt_store(ctx, to, &index, 1, value)));
}

/* The place of the point's sum of limb |limb|: [limb][row][column]. */
static const rlxc_expr *dot_index(panel *p, int64_t limb, const rlxc_quant_point *at)
{
    const rlxc_expr *row = rlxc_quant_add(p->t, at->m, rlxc_i64(p->t->ctx, limb * p->rows));
    return rlxc_quant_add(p->t, rlxc_quant_times(p->t, row, (int64_t)p->vectors * p->t->vl),
                          rlxc_quant_column(p->t, at));
}

/* The place of the point's result in the tile: [row][column]. */
static const rlxc_expr *tile_index(panel *p, const rlxc_quant_point *at)
{
    const rlxc_expr *row = rlxc_quant_times(p->t, at->m, (int64_t)p->width * p->t->vl);
    return rlxc_quant_add(p->t, row, rlxc_quant_add(p->t, p->turn, rlxc_quant_column(p->t, at)));
}

/* Element |index| of the point's row, in a buffer that has |size| of each row. */
static const rlxc_expr *of_row(panel *p, const rlxc_buffer *buffer, int64_t size,
                               const rlxc_quant_point *at, const rlxc_expr *index)
{
    const rlxc_expr *row = rlxc_quant_add(p->t, p->i0, at->m);
    index = rlxc_quant_add(p->t, rlxc_quant_times(p->t, row, size), index);
    return rlxc_load(p->t->ctx, buffer, &index, 1);
}

static const rlxc_expr *step_of(panel *p, const rlxc_quant_point *at)
{
    const rlxc_quant_digits *d = &p->t->digits;
    return of_row(p, p->t->steps, d->blocks / d->span, at, p->span);
}

/* An element of |buffer| in row |row| and column |column| of those here. */
static const rlxc_expr *at_panel(panel *p, const rlxc_buffer *buffer, const rlxc_expr *row,
                                 const rlxc_expr *column)
{
    return rlxc_quant_at_panel(p->t, buffer, row, rlxc_quant_add(p->t, p->first, column));
}

/* to[limb] += |factor| times |number|, as |dot| multiplies them, in all rows and columns. */
static void add_to(panel *p, const char *dot, rlxc_buffer *to, int64_t limb,
                   const rlxc_quant_point *at, const rlxc_expr *factor, const rlxc_expr *number)
{
    rlxc_context *ctx = p->t->ctx;
    const rlxc_expr *index = dot_index(p, limb, at);
    const rlxc_expr *args[3] = {rlxc_load(ctx, to, &index, 1), factor, number};
    emit(p, to, at, index, rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, dot), args, 3));
}

/* All columns of |numbers| times word |word| of the limb. */
static void add_dots(panel *p, int64_t limb, const rlxc_expr *word)
{
    static const char *const dots[] = {[RLXC_QUANT_BYTES] = "dot_u8s8",
                                       [RLXC_QUANT_SHARED] = "dot_u8s8",
                                       [RLXC_QUANT_PAIRS] = "dot_s16",
                                       [RLXC_QUANT_HALVES] = "dot_u8s8_s16"};
    rlxc_quant_rows_of *t = p->t;
    const rlxc_quant_digits *d = &t->digits;
    const rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *column = rlxc_quant_column(t, &at);
    const rlxc_expr *x = rlxc_quant_add(t, rlxc_i64(t->ctx, limb * d->words), word);
    const bool small = t->q.bits == 4 && d->form == RLXC_QUANT_BYTES;
    add_to(p, small ? "dot_u7s8" : dots[d->form], p->halves ? p->halves : p->dots, limb, &at,
           rlxc_load(t->ctx, p->numbers, &column, 1),
           of_row(p, t->limbs, d->limbs * d->words, &at, x));
}

/* Adds the 16-bit sums to the 32-bit ones: two limbs to the first, a third one to the second. */
static void add_halves(panel *p)
{
    const rlxc_quant_digits *d = &p->t->digits;
    const rlx_dtype u32 = {RLX_UINT, 32, 1};
    for (int64_t limb = 0; limb < d->limbs; limb++) {
        const bool upper = limb == 0 && d->limbs > 1;
        const rlxc_quant_point at = rlxc_quant_new_point(p->t);
        const rlxc_expr *half = dot_index(p, limb, &at);
        add_to(p, "dot_s16", p->dots, limb / 2, &at, rlxc_load(p->t->ctx, p->halves, &half, 1),
               rlxc_int(p->t->ctx, u32, upper ? 0x01000100 : 0x00010001));
    }
}

static void put_no_halves(panel *p)
{
    for (int64_t limb = 0; limb < p->t->digits.limbs; limb++) {
        rlxc_quant_point at = rlxc_quant_new_point(p->t);
        emit(p, p->halves, &at, dot_index(p, limb, &at), rlxc_int(p->t->ctx, RLX_I32, 0));
    }
}

/* The numbers of word |word| of all columns, shifted and masked. */
static void put_numbers(panel *p, const rlxc_expr *word, int64_t shift, int64_t mask)
{
    rlxc_quant_rows_of *t = p->t;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *column = rlxc_quant_column(t, &at);
    const rlxc_expr *value = at_panel(p, t->q.words, word, column);
    if (shift > 0)
        value =
            rlxc_quant_call(t->ctx, "shift_right", value, rlxc_int(t->ctx, value->dtype, shift));
    if (mask != UINT32_MAX)
        value = rlxc_quant_call(t->ctx, "bitwise_and", value, rlxc_int(t->ctx, value->dtype, mask));
    RLXC_PUSH(t->ctx, &p->parts,
              rlxc_quant_over(t, 0, p->vectors, &at, false,
                              rlxc_stmt_store(t->ctx, p->numbers, &column, 1, value)));
}

/* Four rows at a time, or two. */
static void add_word(panel *p, const rlxc_expr *word)
{
    rlxc_quant_rows_of *t = p->t;
    const bool pairs = t->digits.form == RLXC_QUANT_PAIRS;
    const int64_t parts = rlxc_quant_rows(&t->q) / rlxc_quant_in_word(&t->digits),
                  mask = pairs       ? 0x00ff00ff
                         : parts > 1 ? 0x0f0f0f0f
                                     : UINT32_MAX;
    for (int64_t part = 0; part < parts; part++) {
        put_numbers(p, word, (pairs ? 8 : 4) * part, mask);
        const rlxc_expr *x =
            rlxc_quant_add(t, rlxc_quant_times(t, word, parts), rlxc_i64(t->ctx, part));
        for (int64_t limb = 0; limb < t->digits.limbs; limb++)
            add_dots(p, limb, x);
    }
}

/* The first four rows, and with all eight as they are: first + 16 * second. */
static void add_word_shared(panel *p, const rlxc_expr *word)
{
    put_numbers(p, word, 0, 0x0f0f0f0f);
    add_dots(p, 0, word);
    put_numbers(p, word, 0, UINT32_MAX);
    add_dots(p, 2, word);
}

/* 16 times the other four. */
static void add_word_second(panel *p, const rlxc_expr *word)
{
    put_numbers(p, word, 0, 0xf0f0f0f0);
    add_dots(p, 1, word);
}

/* Prefetches what is |AHEAD| bytes after |word| of all columns: in the next panel near the end of
 * this one. A prefetch beyond the last panel is harmless. Where a vector is a line, a prefetch
 * takes the time of a load: on a Zen 4 weights in the last level of cache took 0.98 to 1.24 times
 * as long with it, those in memory 0.97 to 1.03. */
static void fetch_ahead(panel *p, const rlxc_expr *word)
{
    rlxc_quant_rows_of *t = p->t;
    if (t->c->s->target->vector_bytes >= LINE)
        return;
    const int64_t rows = AHEAD / (t->q.width * 4);
    const rlxc_expr *ahead = rlxc_quant_add(t, word, rlxc_i64(t->ctx, rows));
    for (int64_t column = 0; column < (int64_t)p->vectors * t->vl; column += LINE / 4)
        RLXC_PUSH(t->ctx, &p->parts,
                  rlxc_fetch(t->ctx, at_panel(p, t->q.words, ahead, rlxc_i64(t->ctx, column))));
}

static void add_words(panel *p, void (*add)(panel *p, const rlxc_expr *word))
{
    rlxc_quant_rows_of *t = p->t;
    rlxc_context *ctx = t->ctx;
    int64_t words = t->digits.block / rlxc_quant_rows(&t->q);
    const int64_t bound = p->halves && t->z->unroll > HALVES_WORDS ? HALVES_WORDS : t->z->unroll;
    int64_t unrolled = words < bound ? words : bound;
    while (words % unrolled != 0)
        unrolled--;
    const rlxc_expr *step = rlxc_loop_var(ctx, "step");
    panel inner = *p;
    inner.parts.items = NULL;
    inner.parts.count = inner.parts.capacity = 0;
    if (p->halves)
        put_no_halves(&inner);
    const rlxc_expr *first = rlxc_mul(ctx, p->block, rlxc_i64(ctx, words));
    first = rlxc_add(ctx, first, rlxc_mul(ctx, step, rlxc_i64(ctx, unrolled)));
    if (p->halves && p->rows > 1 && unrolled > 1) {
        const rlxc_expr *i = rlxc_loop_var(ctx, "i");
        panel one = inner;
        one.parts.items = NULL;
        one.parts.count = one.parts.capacity = 0;
        fetch_ahead(&one, rlxc_add(ctx, first, i));
        add(&one, rlxc_add(ctx, first, i));
        RLXC_PUSH(
            ctx, &inner.parts,
            rlxc_rolled(ctx, rlxc_loop_of(ctx, i, rlxc_i64(ctx, unrolled), RLXC_LOOP_SERIAL,
                                          rlxc_stmt_seq(ctx, one.parts.items, one.parts.count))));
    } else {
        for (int64_t i = 0; i < unrolled; i++) {
            const rlxc_expr *word = rlxc_add(ctx, first, rlxc_i64(ctx, i));
            fetch_ahead(&inner, word);
            add(&inner, word);
        }
    }
    if (p->halves)
        add_halves(&inner);
    const rlxc_stmt *steps =
        rlxc_loop_of(ctx, step, rlxc_i64(ctx, words / unrolled), RLXC_LOOP_SERIAL,
                     rlxc_stmt_seq(ctx, inner.parts.items, inner.parts.count));
    RLXC_PUSH(ctx, &p->parts, unrolled == 1 ? rlxc_rolled(ctx, steps) : steps);
}

/* The block's sums as floats, times the scale. */
static void add_block(panel *p)
{
    rlxc_quant_rows_of *t = p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *column = rlxc_quant_column(t, &at), *value = NULL;
    const rlxc_expr *group = rlxc_mul(ctx, p->block, rlxc_i64(ctx, t->digits.block));
    group = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, group, rlxc_i64(ctx, t->q.group));
    const bool shared = t->digits.form == RLXC_QUANT_SHARED;
    const rlxc_expr *upper = NULL, *base = rlxc_int(ctx, RLX_I32, shared ? 16 : 256);
    for (int64_t acc = shared ? 1 : 0; acc < t->digits.accs; acc++) {
        const rlxc_expr *index = dot_index(p, acc, &at);
        const rlxc_expr *dots = rlxc_load(ctx, p->dots, &index, 1);
        if (t->digits.zeroed == 1 || acc + 1 < t->digits.accs) { /* together below 2^31 */
            upper = upper ? rlxc_add(ctx, rlxc_mul(ctx, upper, base), dots) : dots;
            value = rlxc_cast(ctx, RLX_F32, upper);
        } else {
            value = rlxc_mul(ctx, value, rlxc_float(ctx, RLX_F32, 256));
            value = rlxc_add(ctx, value, rlxc_cast(ctx, RLX_F32, dots));
        }
    }
    if (!t->digits.whole_zero) {
        const rlxc_expr *zero = t->q.zeros ? at_panel(p, t->q.zeros, group, column) : t->q.zero;
        value = rlxc_sub(ctx, value,
                         rlxc_mul(ctx, zero, of_row(p, t->sums, t->digits.blocks, &at, p->block)));
    }
    const rlxc_expr *scale = rlxc_cast(ctx, RLX_F32, at_panel(p, t->q.scales, group, column));
    rlxc_buffer *to = p->sum ? p->sum : p->acc;
    if (!p->sum)
        value = rlxc_mul(ctx, value, step_of(p, &at));
    if (t->digits.biased)
        value = rlxc_add(ctx, value, of_row(p, t->sums, t->digits.blocks, &at, p->block));
    const rlxc_expr *index = tile_index(p, &at);
    value = rlxc_add(ctx, rlxc_load(ctx, to, &index, 1), rlxc_mul(ctx, value, scale));
    emit(p, to, &at, index, value);
}

static const rlxc_stmt *one_block(panel *p)
{
    p->parts.items = NULL;
    p->parts.count = p->parts.capacity = 0;
    rlxc_quant_rows_of *t = p->t;
    rlxc_context *ctx = t->ctx;
    for (int64_t acc = 0; acc < t->digits.accs; acc++) {
        rlxc_quant_point at = rlxc_quant_new_point(t);
        const rlxc_expr *begin = rlxc_int(ctx, RLX_I32, 0), *at_sum = p->block;
        int64_t begun = acc - (t->digits.accs - t->digits.zeroed);
        if (begun >= 0 && t->digits.zero != 0 && !t->digits.biased) {
            at_sum = rlxc_mul(ctx, at_sum, rlxc_i64(ctx, t->digits.zeroed));
            at_sum = rlxc_add(ctx, at_sum, rlxc_i64(ctx, begun));
            begin = of_row(p, t->sums, t->digits.zeroed * t->digits.blocks, &at, at_sum);
        }
        emit(p, p->dots, &at, dot_index(p, acc, &at), begin);
    }
    if (t->digits.form == RLXC_QUANT_SHARED) { /* the second sums go on from 16 times the first */
        rlxc_quant_point at = rlxc_quant_new_point(t);
        const rlxc_expr *from = dot_index(p, 0, &at), *to = dot_index(p, 1, &at);
        add_words(p, add_word_shared);
        emit(p, p->dots, &at, to,
             rlxc_mul(ctx, rlxc_load(ctx, p->dots, &from, 1), rlxc_int(ctx, RLX_I32, 16)));
        add_words(p, add_word_second);
    } else {
        add_words(p, add_word);
    }
    add_block(p);
    return rlxc_stmt_seq(ctx, p->parts.items, p->parts.count);
}

static void put_nothing(panel *p, rlxc_buffer *to)
{
    rlxc_quant_point at = rlxc_quant_new_point(p->t);
    emit(p, to, &at, tile_index(p, &at), rlxc_float(p->t->ctx, RLX_F32, 0));
}

/* The blocks of a span, and their sum times its step if they lack it. */
static const rlxc_stmt *one_span(panel *p)
{
    rlxc_quant_rows_of *t = p->t;
    rlxc_context *ctx = t->ctx;
    const int64_t span = t->digits.span;
    if (span == 1)
        return one_block(p);
    panel inner = *p;
    const rlxc_expr *part = rlxc_loop_var(ctx, "part");
    inner.block = rlxc_add(ctx, rlxc_mul(ctx, p->span, rlxc_i64(ctx, span)), part);
    p->parts.items = NULL;
    p->parts.count = p->parts.capacity = 0;
    if (p->sum)
        put_nothing(p, p->sum);
    RLXC_PUSH(ctx, &p->parts,
              rlxc_loop_of(ctx, part, rlxc_i64(ctx, span), RLXC_LOOP_SERIAL, one_block(&inner)));
    if (p->sum) {
        rlxc_quant_point at = rlxc_quant_new_point(t);
        const rlxc_expr *index = tile_index(p, &at);
        const rlxc_expr *value = rlxc_mul(ctx, rlxc_load(ctx, p->sum, &index, 1), step_of(p, &at));
        emit(p, p->acc, &at, index, rlxc_add(ctx, rlxc_load(ctx, p->acc, &index, 1), value));
    }
    return rlxc_stmt_seq(ctx, p->parts.items, p->parts.count);
}

/* Spans that one turn takes: some |TURN| bytes of the panel, so that weights come in nearly the
 * order of memory; all where these do not divide them. */
static int64_t spans_of_turn(const panel *p, int64_t spans)
{
    const rlxc_quant_rows_of *t = p->t;
    const int64_t rows = t->digits.span * t->digits.block / rlxc_quant_rows(&t->q),
                  bytes = rows * t->q.width * 4;
    int64_t n =
        bytes <= TURN / 2 ? TURN / bytes : 2; /* of one, the row's numbers would be spilled */
    while (n > 1 && spans % n != 0)
        n--;
    return n > 1 ? n : spans;
}

/* |count| spans from |first| for the columns that take turns. */
static const rlxc_stmt *turns(panel p, const rlxc_expr *first, int64_t count)
{
    rlxc_context *ctx = p.t->ctx;
    const rlxc_expr *turn = rlxc_loop_var(ctx, "turn"), *own = rlxc_loop_var(ctx, "own");
    p.turn = rlxc_quant_times(p.t, turn, (int64_t)p.vectors * p.t->vl);
    p.first = rlxc_quant_add(p.t, p.first, p.turn);
    p.block = p.span = rlxc_quant_add(p.t, first, own);
    const rlxc_stmt *spans =
        rlxc_loop_of(ctx, own, rlxc_i64(ctx, count), RLXC_LOOP_SERIAL, one_span(&p));
    return rlxc_rolled(
        ctx, rlxc_loop_of(ctx, turn, rlxc_i64(ctx, p.width / p.vectors), RLXC_LOOP_SERIAL, spans));
}

/* acc = all spans. */
static const rlxc_stmt *all_spans(panel p)
{
    rlxc_context *ctx = p.t->ctx;
    const int64_t spans = p.t->digits.blocks / p.t->digits.span;
    const bool together = p.vectors == p.width;
    const int64_t count = together ? 1 : spans_of_turn(&p, spans);
    const rlxc_expr *span = rlxc_loop_var(ctx, "span");
    p.parts.items = NULL;
    p.parts.count = p.parts.capacity = 0;
    p.turn = rlxc_i64(ctx, 0);
    panel tile = p;
    tile.vectors = p.width;
    put_nothing(&tile, p.acc);
    p.block = p.span = span;
    const rlxc_stmt *parts[2] = {tile.parts.items[0]};
    parts[1] =
        rlxc_loop_of(ctx, span, rlxc_i64(ctx, spans / count), RLXC_LOOP_SERIAL,
                     together ? one_span(&p) : turns(p, rlxc_quant_times(p.t, span, count), count));
    return rlxc_stmt_seq(ctx, parts, 2);
}

static int64_t tile_size(const panel *p)
{
    return (int64_t)p->rows * p->width * p->t->vl;
}

/* Pushes a loop that leaves the largest magnitude of acc in |most|, as bits: those of infinities
 * and NaN are above all others. */
static void find_largest(const panel *p, rlxc_buffer *most, rlxc_schedule *to)
{
    rlxc_context *ctx = p->t->ctx;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *column = rlxc_loop_var(ctx, "column"),
                    *x = rlxc_load(ctx, p->acc, &column, 1);
    x = rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "reinterpret"), &x, 1);
    x = rlxc_quant_call(ctx, "bitwise_and", x, rlxc_int(ctx, RLX_I32, INT32_MAX));
    x = rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_load(ctx, most, &zero, 1), x);
    RLXC_PUSH(ctx, &to->out, rlxc_stmt_store(ctx, most, &zero, 1, rlxc_int(ctx, RLX_I32, 0)));
    RLXC_PUSH(ctx, &to->out,
              rlxc_loop_of(ctx, column, rlxc_i64(ctx, tile_size(p)), RLXC_LOOP_SERIAL,
                           rlxc_stmt_store(ctx, most, &zero, 1, x)));
}

/* |p->rows| rows times |p->width| vectors of columns of the panel. */
static const rlxc_stmt *one_tile(panel p)
{
    rlxc_quant_rows_of *t = p.t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    const rlx_dtype u32 = {RLX_UINT, 32, 1};
    const int64_t size = tile_size(&p), together = (int64_t)p.rows * p.vectors * t->vl;
    t->c = &own;
    p.acc = rlxc_quant_local(t, "acc", RLX_F32, size);
    p.dots = rlxc_quant_local(t, "dots", RLX_I32, t->digits.accs * together);
    if (t->digits.form == RLXC_QUANT_HALVES)
        p.halves = rlxc_quant_local(t, "halves", RLX_I32, t->digits.limbs * together);
    p.numbers = rlxc_quant_local(t, "numbers", u32, (int64_t)p.vectors * t->vl);
    rlxc_buffer *memory = t->epilogue ? rlxc_quant_local(t, "results", RLX_F32, size) : NULL;
    const rlxc_expr *zero = rlxc_i64(ctx, 0);
    if (t->digits.span > 1) {
        rlxc_buffer *most = rlxc_quant_local(t, "most", RLX_I32, 1);
        panel fast = p;
        fast.sum = rlxc_quant_local(t, "sum", RLX_F32, size);
        RLXC_PUSH(ctx, &own.out, all_spans(fast));
        find_largest(&p, most, &own);
        const rlxc_expr *failed = rlxc_binary(ctx, RLXC_EXPR_GE, rlxc_load(ctx, most, &zero, 1),
                                              rlxc_int(ctx, RLX_I32, INFINITE));
        RLXC_PUSH(ctx, &own.out, rlxc_stmt_if(ctx, failed, all_spans(p), NULL));
    } else {
        RLXC_PUSH(ctx, &own.out, all_spans(p));
    }
    const rlxc_expr *i0 = rlxc_quant_add(t, t->row0, p.i0);
    const rlxc_quant_results results = {p.rows, p.width, p.acc, memory, i0, p.first};
    RLXC_PUSH(ctx, &own.out, rlxc_quant_finish(t, &results));
    t->c = outer;
    return rlxc_body_of(&own);
}

/* Vectors that are computed together in |rows| rows, such that their sums stay in registers. */
static uint32_t vectors_of(const rlxc_quant_rows_of *t, uint32_t rows)
{
    const rlxc_quant_digits *d = &t->digits;
    const bool many = t->c->s->target->vector_registers >= 32;
    const bool halves = d->form == RLXC_QUANT_HALVES;
    const int64_t sums = halves ? d->limbs : d->accs;
    uint32_t vectors = halves && d->limbs > 1 && !many ? FEW_VECTORS : COLUMN_VECTORS;
    while (rows > 1 && vectors > 1 && sums * rows * vectors > (many ? MANY_SUMS : FEW_SUMS))
        vectors /= 2;
    return vectors;
}

/* All rows of the panel, in tiles of fewer and fewer rows. */
static const rlxc_stmt *one_panel(rlxc_quant_rows_of *t)
{
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    rlxc_rest rest = {rlxc_i64(ctx, 0), t->n_rows};
    t->c = &own;
    for (uint32_t rows = TILE_ROWS; rows > 0; rows /= 2) {
        if (rows > t->z->int_rows || (rows > 1 && vectors_of(t, rows) < FEW_VECTORS))
            continue; /* loading the row's numbers for each vector costs more than sharing weights
                       * saves
                       */
        const rlxc_tiles now = rlxc_take_tiles(t->c, &rest, rows, NULL);
        const rlxc_expr *part = rlxc_loop_var(ctx, "part");
        panel p = {.t = t, .i0 = now.first, .rows = rows, .vectors = vectors_of(t, rows)};
        p.width = rows == 1 ? COLUMN_VECTORS : p.vectors;
        const int64_t width = (int64_t)p.width * t->vl;
        p.first = rlxc_mul(ctx, part, rlxc_i64(ctx, width));
        rlxc_close_tiles(t->c, &rest, &now,
                         rlxc_loop_of(ctx, part, rlxc_i64(ctx, t->q.width / width),
                                      RLXC_LOOP_SERIAL, one_tile(p)));
    }
    t->c = outer;
    return rlxc_body_of(&own);
}

const rlxc_stmt *rlxc_gemv_int_activations(rlxc_quant_rows_of *t)
{
    t->panel = rlxc_loop_var(t->ctx, "panel");
    return rlxc_quant_parallel(t, t->panel, rlxc_i64(t->ctx, t->panels), one_panel(t));
}

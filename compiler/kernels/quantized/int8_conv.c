/* Convolutions of 8-bit integers (quant_conv.h) by instructions that sum four products, or two of
 * 16 bits.
 *
 * The input is copied first: channels last in whole words, with borders of the zero point. All
 * pixels of all results are then the rows of one product; the starts of their windows are in a
 * table, so image rows that do not fill a tile are free:
 *
 *     for blocks of pixels, for panels of outputs:      in parallel
 *         for tiles of pixels:
 *             acc[mr][nv][vl] = 0
 *             for r, s, words: acc += input[window of m] . filter      the word's channels, or one
 * each acc - fill * sums, through the epilogue into the result
 *
 * Couples of pixels may share their products (int8_conv_minimal.c).
 *
 * Panels are the inner loop if the filter stays in the second-level cache, else the outer one. For
 * a 1x1 filter only the pixels that it reads are copied. */
#include "compiler/kernels/quantized/int8_conv_body.h"
#include "compiler/kernels/rules.h"

#include <inttypes.h>

enum { ROW_BLOCK = 48, MAX_TILES = 3, MAX_ROWS = 8, SMALL = 65536 };
enum { MINIMAL_CHANNELS = 16, MINIMAL_COLUMNS = 4 }; /* fewer do not pay for the points */

/* Pixels of the register tiles, most first: for panels of four vectors, and narrower ones. */
static const uint8_t tile_rows[2][MAX_TILES] = {{8, 2, 1}, {6, 2, 1}};

/* --- tiles ------------------------------------------------------------------------------------ */

/* Batch, height and width of pixel |i|. */
static void place_of(const conv *p, rlxc_schedule *to, const rlxc_expr *i, const rlxc_expr *out[3])
{
    const rlxc_expr *line = rlxc_named(to, "line", binary(p, RLXC_EXPR_FLOORDIV, i, p->size[1]));
    out[2] = rlxc_named(to, "x", binary(p, RLXC_EXPR_FLOORMOD, i, p->size[1]));
    out[1] = rlxc_named(to, "y", binary(p, RLXC_EXPR_FLOORMOD, line, p->size[0]));
    out[0] = rlxc_named(to, "image", binary(p, RLXC_EXPR_FLOORDIV, line, p->size[0]));
}

/* True if the pixels of the results are those that are written out, in the same order. */
static bool is_dense(const conv *p)
{
    bool dense = !p->minimal;
    for (uint32_t d = 0; d < 2; d++)
        dense =
            dense && p->steps[d] == 1 && rlxc_prove_eq(p->t.ctx, p->size[d], p->padded[d], NULL);
    return dense;
}

/* The starts of the windows of the line of results whose number is that of line |row| of the input
 * as it is written out, into the table; lines of the border have none. */
static const rlxc_stmt *write_windows(conv *p, const rlxc_expr *row)
{
    rlxc_context *ctx = p->t.ctx;
    rlxc_schedule own = {.s = p->t.c->s}, inside = own;
    const rlxc_expr *image = binary(p, RLXC_EXPR_FLOORDIV, row, p->padded[0]);
    const rlxc_expr *y = binary(p, RLXC_EXPR_FLOORMOD, row, p->padded[0]);
    image = rlxc_named(&own, "image", image);
    y = rlxc_named(&own, "y", y);
    const rlxc_expr *x = rlxc_loop_var(ctx, "x");
    const rlxc_expr *window = add(p, rlxc_mul(ctx, image, p->padded[0]), times(p, y, p->steps[0]));
    window = rlxc_named(&inside, "first", rlxc_mul(ctx, window, p->padded[1]));
    window = times(p, add(p, window, times(p, x, p->steps[1])), p->unit);
    const rlxc_expr *line = add(p, rlxc_mul(ctx, image, p->size[0]), y);
    const rlxc_expr *at = add(p, rlxc_mul(ctx, line, p->across), x);
    const rlxc_stmt *stores[2] = {rlxc_stmt_store(ctx, p->windows, &at, 1, window), NULL};
    if (p->minimal) {
        const rlxc_expr *pixel = add(p, rlxc_mul(ctx, line, p->size[1]), times(p, x, 2));
        stores[1] = rlxc_stmt_store(ctx, p->pixels, &at, 1, pixel);
    }
    RLXC_PUSH(ctx, &inside.out,
              serial(p, x, p->across, rlxc_stmt_seq(ctx, stores, p->minimal ? 2 : 1)));
    RLXC_PUSH(
        ctx, &own.out,
        rlxc_stmt_if(ctx, binary(p, RLXC_EXPR_LT, y, p->size[0]), rlxc_body_of(&inside), NULL));
    return rlxc_body_of(&own);
}

/* The input words at the starts of the windows of |mr| pixels from |i0| on. Those that follow each
 * other are one address and constants. */
static void find_windows(const conv *p, rlxc_schedule *to, uint32_t mr, const rlxc_expr *i0,
                         const rlxc_expr *windows[MAX_ROWS])
{
    for (uint32_t m = 0; m < mr; m++) {
        const rlxc_expr *i = add(p, i0, num(p, m));
        if (p->windows)
            windows[m] = rlxc_load(p->t.ctx, p->windows, &i, 1);
        else
            windows[m] = m == 0 ? times(p, i0, p->unit) : add(p, windows[m - 1], num(p, p->unit));
        windows[m] = rlxc_named(to, "window", windows[m]);
    }
}

/* The dot product's operand from the window of |m|, |offset| after its start: a word for all
 * outputs, or each output's own channel. */
static const rlxc_expr *element(const conv *p, const rlxc_expr *window, const rlxc_expr *offset,
                                const rlxc_expr *column)
{
    rlxc_context *ctx = p->t.ctx;
    const rlx_dtype u32 = {RLX_UINT, 32, 1};
    const rlxc_expr *at = add(p, window, offset);
    if (!p->q.depthwise)
        return rlxc_load(ctx, p->words, &at, 1);
    at = add(p, at, add(p, times(p, p->panel, p->q.width), column));
    if (p->pairs)
        return rlxc_load(ctx, p->words, &at, 1);
    return rlxc_cast(ctx, u32, rlxc_load(ctx, p->cells, &at, 1));
}

/* The filter's row |row|, into registers; bytes become 16 bits. */
static const rlxc_stmt *load_words(conv *p, const rlxc_expr *row)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    const uint32_t nv = (uint32_t)(p->q.width / t->vl), lanes = p->pairs ? 2 * t->vl : t->vl;
    rlxc_buffer *to = p->pairs ? p->wide : p->word;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *column = rlxc_point_column(ctx, &at, lanes);
    const rlxc_expr *from = add(p, times(p, row, (int64_t)nv * lanes), column);
    const rlxc_buffer *filter = p->minimal ? p->panel_words : p->filter;
    const rlxc_expr *value = rlxc_cast(ctx, to->dtype, rlxc_load(ctx, filter, &from, 1));
    return rlxc_over_tile(ctx, &at, 0, nv, lanes, false,
                          rlxc_stmt_store(ctx, to, &column, 1, value));
}

/* acc += the products of one word of each window, |offset| behind its beginning, with row |row| of
 * the filter. */
static const rlxc_stmt *one_word(conv *p, uint32_t mr, const rlxc_expr *const windows[MAX_ROWS],
                                 const rlxc_expr *offset, const rlxc_expr *row)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    const uint32_t nv = (uint32_t)(p->q.width / t->vl);
    rlxc_schedule own = {.s = t->c->s};
    RLXC_PUSH(ctx, &own.out, load_words(p, row));
    for (uint32_t m = 0; m < mr; m++) {
        rlxc_quant_point at = rlxc_quant_new_point(t);
        const rlxc_expr *column = rlxc_quant_column(t, &at);
        const rlxc_expr *index = add(p, num(p, m * p->q.width), column);
        const rlxc_expr *args[3] = {rlxc_load(ctx, p->acc, &index, 1),
                                    element(p, windows[m], offset, column),
                                    rlxc_load(ctx, p->word, &column, 1)};
        const rlxc_expr *dot = rlxc_call(
            ctx, RLX_I32, rlxc_intern_cstr(ctx, p->pairs ? "dot_s16" : "dot_u8s8"), args, 3);
        RLXC_PUSH(
            ctx, &own.out,
            rlxc_quant_over(t, 0, nv, &at, false, rlxc_stmt_store(ctx, p->acc, &index, 1, dot)));
    }
    return rlxc_body_of(&own);
}

/* All words of the windows: neighbouring pixels are contiguous unless dilated. */
static const rlxc_stmt *all_words(conv *p, uint32_t mr, const rlxc_expr *const windows[MAX_ROWS])
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    const bool joined = !q->depthwise && q->groups == 1 && (q->size[1] == 1 || q->dilation[1] == 1);
    const int64_t line = q->size[1] * p->words_of_tap / p->taps_of_word;
    const int64_t count = joined ? line : p->words_of_tap;
    const rlxc_expr *r = rlxc_loop_var(ctx, "r"), *s = rlxc_loop_var(ctx, "s"),
                    *word = rlxc_loop_var(ctx, "word");
    const rlxc_expr *row = add(p, times(p, p->panel, q->size[0] * line), times(p, r, line));
    const rlxc_expr *offset = rlxc_mul(ctx, times(p, r, q->dilation[0] * p->unit), p->padded[1]);
    if (q->groups > 1) {
        const int64_t panels = q->outputs / q->groups / q->width;
        offset =
            add(p, offset,
                times(p, binary(p, RLXC_EXPR_FLOORDIV, p->panel, num(p, panels)), p->words_of_tap));
    }
    if (!joined) {
        row = add(p, row, times(p, s, p->words_of_tap));
        offset = add(p, offset,
                     times(p, s, q->dilation[1] * p->taps_of_word / p->columns_of_word * p->unit));
    }
    const rlxc_stmt *body = serial(
        p, word, num(p, count), one_word(p, mr, windows, add(p, offset, word), add(p, row, word)));
    if (!joined)
        body = serial(p, s, num(p, q->size[1] / p->taps_of_word), body);
    return serial(p, r, num(p, q->size[0]), body);
}

/* All words of the windows at point |point|. */
static const rlxc_stmt *words_of_point(conv *p, uint32_t mr,
                                       const rlxc_expr *const windows[MAX_ROWS],
                                       const rlxc_expr *point)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    const rlxc_expr *r = rlxc_loop_var(ctx, "r"), *word = rlxc_loop_var(ctx, "word");
    const rlxc_expr *row = times(p, add(p, times(p, point, q->size[0]), r), p->words_of_tap);
    const rlxc_expr *offset = rlxc_mul(ctx, times(p, r, q->dilation[0] * p->unit), p->padded[1]);
    offset = add(p, offset, times(p, point, p->words_of_tap));
    const rlxc_stmt *body = one_word(p, mr, windows, add(p, offset, word), add(p, row, word));
    return serial(p, r, num(p, q->size[0]), serial(p, word, num(p, p->words_of_tap), body));
}

/* Operands of an epilogue with the result's shape and channels last are indexed by pixel number,
 * which needs no divisions. */
typedef struct flat_place {
    const conv *p;
    rlxc_schedule *own;
    const rlxc_buffer *out;
    const rlxc_expr *const *to; /* where the result is written */
    const rlxc_expr *index;
} flat_place;

static bool is_flat(const flat_place *f, const rlxc_buffer *buffer)
{
    bool same =
        f->p->q.out.channel == 3 && buffer->ndim == 4 && !buffer->strides && !buffer->elem_offset;
    for (uint32_t d = 0; d < 4 && same; d++)
        same = rlxc_prove_eq(f->p->t.ctx, buffer->shape[d], f->out->shape[d], NULL);
    return same;
}

static rlxc_buffer *flat_view(const flat_place *f, const rlxc_buffer *of)
{
    return rlxc_view(f->own, "flat", of, of->dtype, rlxc_product(f->p->t.ctx, of->shape, 4));
}

static const rlxc_expr *read_flat(void *user, const rlxc_expr *e)
{
    const flat_place *f = user;
    if (e->kind != RLXC_EXPR_LOAD || !is_flat(f, e->load.buffer))
        return NULL;
    for (uint32_t d = 0; d < 4; d++)
        if (e->load.indices[d] != f->to[d])
            return NULL;
    return rlxc_load(f->p->t.ctx, flat_view(f, e->load.buffer), &f->index, 1);
}

/* The results number |m| of the tile, at |pixel| of all. */
static const rlxc_stmt *write_pixel(conv *p, const rlxc_expr *m, const rlxc_expr *pixel)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_quant_conv *q = &p->q;
    const uint32_t nv = (uint32_t)(q->width / t->vl);
    rlxc_schedule own = {.s = t->c->s};
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *place[3], *to[4];
    place_of(p, &own, pixel, place);
    const rlxc_expr *column = rlxc_quant_column(t, &at);
    const rlxc_expr *index = add(p, times(p, m, q->width), column);
    to[q->out.batch] = place[0];
    to[q->out.space[0]] = place[1];
    to[q->out.space[1]] = place[2];
    const rlxc_expr *output = to[q->out.channel] = add(p, times(p, p->panel, q->width), column);
    const rlxc_expr *value = rlxc_load(ctx, p->results, &index, 1);
    if (q->sums)
        value = rlxc_sub(ctx, value, rlxc_mul(ctx, p->fill, rlxc_load(ctx, q->sums, &output, 1)));
    const rlxc_stage *writer = t->epilogue ? t->epilogue : t->stage;
    if (t->epilogue)
        value = rlxc_epilogue_value(ctx, t->epilogue, t->stage->out, to, value);
    const rlxc_expr *flat = add(p, times(p, pixel, q->outputs), output);
    flat_place f = {.p = p, .own = &own, .out = writer->out, .to = to, .index = flat};
    const rlxc_stmt *store;
    if (is_flat(&f, writer->out)) {
        value = rlxc_expr_rewrite(ctx, value, read_flat, &f);
        store = rlxc_stmt_store(ctx, flat_view(&f, writer->out), &flat, 1, value);
    } else {
        store = rlxc_stmt_store(ctx, writer->out, to, 4, value);
    }
    if (q->outputs % q->width != 0)
        store = rlxc_stmt_if(ctx, binary(p, RLXC_EXPR_LT, output, num(p, q->outputs)), store, NULL);
    RLXC_PUSH(ctx, &own.out, rlxc_quant_over(t, 0, nv, &at, true, store));
    return rlxc_body_of(&own);
}

/* The results of |mr| pixels, or couples of them, from |i0| on. */
static const rlxc_stmt *write_results(conv *p, uint32_t mr, const rlxc_expr *i0)
{
    rlxc_context *ctx = p->t.ctx;
    rlxc_schedule own = {.s = p->t.c->s};
    const rlxc_expr *m = rlxc_loop_var(ctx, "m"), *i = add(p, i0, m);
    if (!p->minimal)
        return serial(p, m, num(p, mr), write_pixel(p, m, i));
    const rlxc_expr *next = add(p, i, num(p, 1)), *first = times(p, m, 2);
    const rlxc_expr *pixel = rlxc_named(&own, "pixel", rlxc_load(ctx, p->pixels, &i, 1));
    const rlxc_expr *second = add(p, pixel, num(p, 1));
    RLXC_PUSH(ctx, &own.out, write_pixel(p, first, pixel));
    /* the last couple of a line of odd length has one */
    RLXC_PUSH(ctx, &own.out,
              rlxc_stmt_if(ctx,
                           binary(p, RLXC_EXPR_LT, second, rlxc_load(ctx, p->pixels, &next, 1)),
                           write_pixel(p, add(p, first, num(p, 1)), second), NULL));
    return serial(p, m, num(p, mr), rlxc_body_of(&own));
}

/* The sums over all words of |mr| windows; |point| NULL: there are no points. */
static const rlxc_stmt *sum_tile(conv *p, uint32_t mr, const rlxc_expr *const windows[MAX_ROWS],
                                 const rlxc_expr *point)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    const uint32_t nv = (uint32_t)(p->q.width / t->vl);
    rlxc_schedule own = {.s = t->c->s};
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *index = add(p, times(p, at.m, p->q.width), rlxc_quant_column(t, &at));
    RLXC_PUSH(ctx, &own.out,
              rlxc_quant_over(t, mr, nv, &at, false,
                              rlxc_stmt_store(ctx, p->acc, &index, 1, rlxc_int(ctx, RLX_I32, 0))));
    RLXC_PUSH(ctx, &own.out,
              point ? words_of_point(p, mr, windows, point) : all_words(p, mr, windows));
    at = rlxc_quant_new_point(t);
    index = add(p, times(p, at.m, p->q.width), rlxc_quant_column(t, &at));
    const rlxc_expr *to = point ? add(p, times(p, point, (int64_t)mr * p->q.width), index) : index;
    RLXC_PUSH(ctx, &own.out,
              rlxc_quant_over(t, mr, nv, &at, false,
                              rlxc_stmt_store(ctx, point ? p->points : p->results, &to, 1,
                                              rlxc_load(ctx, p->acc, &index, 1))));
    return rlxc_body_of(&own);
}

static const rlxc_stmt *one_tile(conv *p, uint32_t mr, const rlxc_expr *i0)
{
    rlxc_context *ctx = p->t.ctx;
    rlxc_schedule own = {.s = p->t.c->s};
    const rlxc_expr *windows[MAX_ROWS], *point = rlxc_loop_var(ctx, "point");
    find_windows(p, &own, mr, i0, windows);
    if (p->minimal) {
        RLXC_PUSH(ctx, &own.out,
                  serial(p, point, num(p, RLXC_INT8_POINTS), sum_tile(p, mr, windows, point)));
        RLXC_PUSH(ctx, &own.out, rlxc_int8_conv_join_points(p, mr));
    } else {
        RLXC_PUSH(ctx, &own.out, sum_tile(p, mr, windows, NULL));
    }
    RLXC_PUSH(ctx, &own.out, write_results(p, mr, i0));
    return rlxc_body_of(&own);
}

/* Block number |block| of pixels for the panel. */
static const rlxc_stmt *one_block(conv *p, const rlxc_expr *block)
{
    const rlx_dtype u32 = {RLX_UINT, 32, 1}, i16 = {RLX_INT, 16, 1};
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    const rlxc_expr *row = rlxc_named(&own, "row", times(p, block, p->z->block));
    rlxc_rest rest = {row, rlxc_split_size(ctx, p->rows, row, p->z->block)};
    rest.left = rlxc_named(&own, "left", rest.left);
    t->c = &own;
    if (p->minimal)
        rlxc_int8_conv_transform_panel(p, &own);
    const int64_t tiles[MAX_TILES] = {p->z->rows1, p->z->rows2, p->z->rows3};
    for (uint32_t n = 0; n < MAX_TILES && tiles[n]; n++) {
        const uint32_t mr = (uint32_t)tiles[n];
        const rlxc_tiles now = rlxc_take_tiles(&own, &rest, mr, NULL);
        p->acc = rlxc_quant_local(t, "acc", RLX_I32, mr * p->q.width);
        if (p->pairs)
            p->wide = rlxc_quant_local(t, "wide", i16, 2 * p->q.width);
        p->word = p->pairs ? rlxc_view(&own, "word", p->wide, u32, num(p, p->q.width))
                           : rlxc_quant_local(t, "word", u32, p->q.width);
        p->results =
            rlxc_quant_local(t, "results", RLX_I32, (p->minimal ? 2 : 1) * mr * p->q.width);
        if (p->minimal)
            p->points = rlxc_quant_local(t, "points", RLX_I32, RLXC_INT8_POINTS * mr * p->q.width);
        rlxc_close_tiles(&own, &rest, &now, one_tile(p, mr, now.first));
    }
    t->c = outer;
    return rlxc_body_of(&own);
}

static void all_blocks(conv *p)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s};
    const int64_t panels = (p->q.outputs + p->q.width - 1) / p->q.width;
    const bool stays = p->z->panels_first;
    const rlxc_expr *blocks =
        rlxc_named(t->c, "blocks", rlxc_split_count(ctx, p->rows, p->z->block));
    const rlxc_expr *piece = rlxc_loop_var(ctx, "piece"), *fast = stays ? num(p, panels) : blocks;
    const rlxc_expr *slow = rlxc_named(&own, "slow", binary(p, RLXC_EXPR_FLOORDIV, piece, fast));
    fast = rlxc_named(&own, "fast", binary(p, RLXC_EXPR_FLOORMOD, piece, fast));
    p->panel = stays ? fast : slow;
    RLXC_PUSH(ctx, &own.out, one_block(p, stays ? slow : fast));
    const rlxc_expr *pieces = rlxc_simplify(ctx, times(p, blocks, panels), NULL);
    RLXC_PUSH(ctx, &t->c->out, rlxc_quant_parallel(t, piece, pieces, rlxc_body_of(&own)));
}

/* --- all -------------------------------------------------------------------------------------- */

/* True if the work is certainly small. */
static bool is_small(const conv *p)
{
    int64_t rows;
    return rlxc_is_int(p->rows, &rows) && rows < SMALL &&
           rows * p->q.outputs <
               SMALL * INT64_C(4) / (p->q.size[0] * p->q.size[1] * p->words_of_tap);
}

/* |across|: rows of a line. */
static void count_rows(conv *p, const rlxc_expr *across)
{
    const rlxc_expr *dims[3] = {p->t.stage->extents[p->q.out.batch], p->size[0], across};
    p->across = across;
    p->rows = rlxc_product(p->t.ctx, dims, 3);
}

/* The convolution of stage |index|, and the data derived from its shapes. */
static bool describe(rlxc_schedule *c, uint32_t index, conv *p)
{
    const rlxc_stage *stage = &c->s->items[index];
    *p = (conv){.t = {.c = c, .ctx = c->s->ctx, .stage = stage}};
    if (!rlxc_quant_conv_match(c->s, stage, &p->q))
        return false;
    const rlxc_quant_conv *q = &p->q;
    p->pairs = q->word == 2;
    p->words_of_tap = q->depthwise ? 1 : q->depth / q->word;
    p->taps_of_word = q->depthwise ? q->word : 1;
    p->columns_of_word = p->taps_of_word == 2 && q->strides[1] % 2 == 0 ? 2 : 1;
    p->unit = q->depthwise ? q->channels : q->groups * q->depth / q->word;
    p->cell = q->depthwise ? q->channels : q->groups * q->depth;
    for (uint32_t d = 0; d < 2; d++)
        p->size[d] = stage->extents[q->out.space[d]];
    count_rows(p, p->size[1]);
    return true;
}

/* True if that is faster, as far as known. */
static bool pays_as_minimal(const conv *p)
{
    int64_t columns;
    return rlxc_int8_conv_may_be_minimal(p) && p->q.depth >= MINIMAL_CHANNELS &&
           (!rlxc_is_int(p->size[1], &columns) || columns >= MINIMAL_COLUMNS);
}

/* Couples of pixels are the rows. */
static void make_minimal(conv *p)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_expr *up = add(p, p->size[1], num(p, 1));
    p->minimal = true;
    p->columns_of_word = 2;
    p->unit *= RLXC_INT8_POINTS;
    p->cell *= RLXC_INT8_POINTS;
    count_rows(p, rlxc_simplify(ctx, binary(p, RLXC_EXPR_FLOORDIV, up, num(p, 2)), NULL));
}

bool rlxc_decide_int8_conv(rlxc_schedule *c, uint32_t index, void *sizes)
{
    conv p;
    if (!describe(c, index, &p))
        return false;
    const uint32_t bytes = c->s->target->vector_bytes;
    const uint8_t *tiles =
        tile_rows[p.q.width / (bytes / 4) >= 4 || c->s->target->sum_registers < 32];
    const int64_t panels = (p.q.outputs + p.q.width - 1) / p.q.width;
    const int64_t panel_bytes =
        p.q.size[0] * p.q.size[1] * p.words_of_tap * p.q.width * (p.pairs ? p.q.word : 4);
    *(rlxc_int8_conv_sizes *)sizes = (rlxc_int8_conv_sizes){
        .lanes = bytes / 4,
        .rows1 = tiles[0],
        .rows2 = tiles[1],
        .rows3 = tiles[2],
        .block = ROW_BLOCK,
        .minimal = pays_as_minimal(&p),
        .panels_first = panel_bytes <= (int64_t)c->s->target->cache_bytes[1] / 2 / panels,
        .epilogue = rlxc_epilogue_of(c->s, index, index) != NULL,
        .threads = !c->serial && !is_small(&p)};
    return true;
}

static bool fits(const conv *p)
{
    const rlxc_stages *s = p->t.c->s;
    const rlxc_int8_conv_sizes *z = p->z;
    const int64_t tiles[MAX_TILES] = {z->rows1, z->rows2, z->rows3};
    int64_t last = MAX_ROWS + 1;
    for (uint32_t n = 0; n < MAX_TILES && tiles[n]; n++) {
        if (tiles[n] >= last)
            return rlxc_decline(s, "rows%u is %" PRId64 ", below %" PRId64 " is needed", n + 1,
                                tiles[n], last);
        last = tiles[n];
    }
    if (last != 1)
        return rlxc_decline(s, "the last of the tiles has %" PRId64 " pixels, 1 is needed", last);
    if (z->minimal && !rlxc_int8_conv_may_be_minimal(p))
        return rlxc_decline(s,
                            "minimal is 1, which needs pairs of 16 bits, lines of %d taps, "
                            "stride and dilation 1, no groups and at most 2^15 products",
                            RLXC_INT8_TAPS);
    return p->q.width % z->lanes == 0 ||
           rlxc_decline(s,
                        "vectors of %" PRId64 " lanes do not divide panels of %" PRId64 " outputs",
                        z->lanes, p->q.width);
}

/* The lines and columns of the input as it is written out. */
static void measure_input(conv *p)
{
    rlxc_schedule *c = p->t.c;
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    for (uint32_t d = 0; d < 2; d++) {
        const int64_t taps = d == 1 ? p->taps_of_word : 1, apart = d == 1 ? p->columns_of_word : 1;
        p->steps[d] = q->size[d] == 1 ? 1 : q->strides[d] / apart;
        const rlxc_expr *last = times(p, rlxc_sub(ctx, p->size[d], num(p, 1)), p->steps[d]);
        last = add(p, last, num(p, (q->size[d] - taps) * q->dilation[d] / apart + 1));
        p->padded[d] = q->size[d] == 1
                           ? p->size[d]
                           : rlxc_named(c, "padded", binary(p, RLXC_EXPR_MAX, last, num(p, 0)));
    }
    if (p->minimal) { /* a group for each couple */
        p->steps[1] = 1;
        p->padded[1] = p->across;
    }
}

bool rlxc_apply_int8_conv(rlxc_schedule *c, uint32_t index, const void *sizes)
{
    rlxc_context *ctx = c->s->ctx;
    const rlx_dtype u8 = {RLX_UINT, 8, 1}, i8 = {RLX_INT, 8, 1}, i16 = {RLX_INT, 16, 1},
                    u32 = {RLX_UINT, 32, 1};
    const rlxc_stage *stage = &c->s->items[index];
    rlxc_stage *epilogue;
    conv p;
    if (!describe(c, index, &p))
        return false;
    p.z = sizes;
    if (!fits(&p) || !rlxc_take_epilogue(c->s, index, index, p.z->epilogue, &epilogue))
        return false;
    p.t.epilogue = epilogue;
    p.t.vl = (uint32_t)p.z->lanes;
    p.t.serial = !p.z->threads;
    const rlxc_quant_conv *q = &p.q;
    if (p.z->minimal)
        make_minimal(&p);
    measure_input(&p);
    const rlxc_expr *images = stage->extents[q->out.batch];
    const rlxc_expr *lines = rlxc_mul(ctx, images, p.padded[0]);
    const rlxc_expr *pixels = rlxc_mul(ctx, lines, p.padded[1]);
    const rlxc_expr *size = times(&p, pixels, p.cell);
    if (q->depthwise) /* whole vectors of channels are read */
        size = add(&p, size, num(&p, q->width));
    if (q->depthwise && p.pairs)
        p.words = rlxc_local_buffer(c, "words", u32, &size, 1);
    else
        p.cells = rlxc_local_buffer(c, "cells", p.pairs ? i16 : u8, &size, 1);
    if (!q->depthwise)
        p.words = rlxc_view(c, "words", p.cells, u32, times(&p, pixels, p.unit));
    const int64_t filter_words = (q->outputs + q->width - 1) / q->width * q->width * q->size[0] *
                                 q->size[1] * p.words_of_tap / p.taps_of_word;
    p.filter = rlxc_view(c, "filter_words", q->filter, p.pairs ? i8 : u32,
                         num(&p, p.pairs ? filter_words * q->word : filter_words));
    p.fill = rlxc_named(c, "fill", q->fill);
    const rlxc_expr *line = rlxc_loop_var(ctx, "line");
    if (p.minimal) {
        const rlxc_expr *ends = add(&p, p.rows, num(&p, 1)),
                        *all = rlxc_mul(ctx, images, p.size[0]);
        p.pixels = rlxc_local_buffer(c, "pixels", RLX_I64, &ends, 1);
        all = rlxc_mul(ctx, all, p.size[1]);
        RLXC_PUSH(ctx, &c->out, rlxc_stmt_store(ctx, p.pixels, &p.rows, 1, all));
    }
    const rlxc_stmt *writes[2] = {rlxc_int8_conv_write_row(&p, line), NULL};
    if (!is_dense(&p)) {
        p.windows = rlxc_local_buffer(c, "windows", RLX_I64, &p.rows, 1);
        writes[1] = write_windows(&p, line);
    }
    RLXC_PUSH(
        ctx, &c->out,
        rlxc_quant_parallel(&p.t, line, lines, rlxc_stmt_seq(ctx, writes, p.windows ? 2 : 1)));
    all_blocks(&p);
    rlxc_epilogue_done(c->s, index, epilogue);
    return true;
}

/* Convolutions of 8-bit integers (quant_conv.h) by instructions that sum four products, or two of
 * 16 bits.
 *
 * The input is copied first: channels last in whole words, with borders of the zero point. All
 * pixels of all results are then the rows of one product; the starts of a tile's windows are
 * computed once per tile, so image rows that do not fill a tile are free:
 *
 *     for blocks of pixels, for panels of outputs:      in parallel
 *         for tiles of pixels:
 *             acc[mr][nv][vl] = 0
 *             for r, s, words: acc += input[window of m] . filter      the word's channels, or one
 * each acc - fill * sums, through the epilogue into the result
 *
 * Panels are the inner loop if the filter stays in the second-level cache, else the outer one. For
 * a 1x1 filter only the pixels that it reads are copied. */
#include "compiler/kernels/quantized/int8_conv.h"
#include "compiler/kernels/quantized/schedule_quant.h"
#include "compiler/kernels/rules.h"

#include <inttypes.h>

enum { ROW_BLOCK = 48, MAX_TILES = 3, MAX_ROWS = 8, SMALL = 65536 };

typedef struct conv {
    rlxc_quant_rows_of t; /* for the helpers shared with products */
    rlxc_quant_conv q;
    const rlxc_int8_conv_sizes *z;
    const rlxc_expr *size[2];            /* of the result */
    const rlxc_expr *padded[2];          /* of the input as it is written out */
    int64_t steps[2];                    /* strides there */
    const rlxc_expr *to_line, *to_image; /* words from the end of a line to the next one */
    const rlxc_expr *rows;               /* pixels of all results */
    bool pairs;                          /* it is of int16, else of bytes */
    int64_t cell;                        /* elements of a pixel there */
    int64_t unit,
        words_of_tap; /* elements of a pixel that are read; words of the filter for them */
    rlxc_buffer *cells, *words; /* the input: the same memory; words: NULL if depthwise */
    const rlxc_buffer *filter;  /* its words: [row of words][output], panel after panel */
    const rlxc_expr *fill, *panel;
    rlxc_buffer *acc, *word, *results;
    rlxc_buffer *wide; /* the memory of word, in 16 bits; NULL: bytes */
} conv;

/* Pixels of the register tiles, most first: for panels of four vectors, and narrower ones. */
static const uint8_t tile_rows[2][MAX_TILES] = {{8, 2, 1}, {6, 2, 1}};

static const rlxc_expr *num(const conv *p, int64_t value)
{
    return rlxc_i64(p->t.ctx, value);
}

static const rlxc_expr *add(const conv *p, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(p->t.ctx, a, b);
}

static const rlxc_expr *times(const conv *p, const rlxc_expr *a, int64_t b)
{
    return rlxc_mul(p->t.ctx, a, num(p, b));
}

static const rlxc_expr *binary(const conv *p, rlxc_expr_kind kind, const rlxc_expr *a,
                               const rlxc_expr *b)
{
    return rlxc_binary(p->t.ctx, kind, a, b);
}

static const rlxc_stmt *serial(const conv *p, const rlxc_expr *var, const rlxc_expr *extent,
                               const rlxc_stmt *body)
{
    return rlxc_loop_of(p->t.ctx, var, extent, RLXC_LOOP_SERIAL, body);
}

/* --- the input -------------------------------------------------------------------------------- */

/* |x|, a value of the input counted from 0, as it is written out. */
static const rlxc_expr *as_cell(const conv *p, const rlxc_expr *x)
{
    return rlxc_cast(p->t.ctx, p->cells->dtype, x);
}

/* cells[at ... at + count] = fill */
static const rlxc_stmt *fill_cells(conv *p, const rlxc_expr *at, const rlxc_expr *count)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_expr *k = rlxc_loop_var(ctx, "k"), *to = add(p, at, k);
    return serial(p, k, count, rlxc_stmt_store(ctx, p->cells, &to, 1, as_cell(p, p->fill)));
}

/* |count| pixels of row |place| (batch, height) of x from column |first| on, to cells[at ...]. */
static const rlxc_stmt *copy_pixels(conv *p, const rlxc_expr *at, const rlxc_expr *const place[2],
                                    const rlxc_expr *first, const rlxc_expr *count)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    const rlxc_buffer *x = q->x;
    const int64_t channels = p->cell, step = q->size[1] == 1 ? q->strides[1] : 1;
    const rlxc_expr *k = rlxc_loop_var(ctx, "k");
    if (q->in.channel == 3 && step == 1 && channels == q->channels) { /* one piece of memory */
        rlxc_schedule own = {.s = p->t.c->s};
        const rlxc_buffer *flat =
            rlxc_view(&own, "flat", x, x->dtype, rlxc_product(ctx, x->shape, 4));
        const rlxc_expr *from = place[0];
        from = add(p, rlxc_mul(ctx, from, rlxc_cast(ctx, RLX_I64, x->shape[1])), place[1]);
        from = add(p, rlxc_mul(ctx, from, rlxc_cast(ctx, RLX_I64, x->shape[2])), first);
        from = add(p, times(p, from, channels), k);
        const rlxc_expr *to = add(p, at, k);
        const rlxc_expr *value =
            as_cell(p, rlxc_quant_conv_biased(ctx, rlxc_load(ctx, flat, &from, 1)));
        RLXC_PUSH(
            ctx, &own.out,
            serial(p, k, times(p, count, channels), rlxc_stmt_store(ctx, p->cells, &to, 1, value)));
        return rlxc_body_of(&own);
    }
    const rlxc_expr *pixel = rlxc_loop_var(ctx, "pixel"), *from[4];
    from[q->in.batch] = place[0];
    from[q->in.space[0]] = place[1];
    from[q->in.space[1]] = add(p, first, times(p, pixel, step));
    from[q->in.channel] = k;
    at = add(p, at, times(p, pixel, channels));
    const rlxc_expr *to = add(p, at, k);
    const rlxc_expr *value = as_cell(p, rlxc_quant_conv_biased(ctx, rlxc_load(ctx, x, from, 4)));
    const rlxc_stmt *parts[2] = {
        serial(p, k, num(p, q->channels), rlxc_stmt_store(ctx, p->cells, &to, 1, value)),
        fill_cells(p, add(p, at, num(p, q->channels)), num(p, channels - q->channels))};
    return serial(p, pixel, count, rlxc_stmt_seq(ctx, parts, channels > q->channels ? 2 : 1));
}

/* Row |row| of the input as it is written out. */
static const rlxc_stmt *write_row(conv *p, const rlxc_expr *row)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_quant_conv *q = &p->q;
    rlxc_schedule own = {.s = p->t.c->s}, inside = own;
    int64_t step[2];
    bool whole = true; /* all pixels are written, and no others */
    for (uint32_t d = 0; d < 2; d++) {
        step[d] = q->size[d] == 1 ? q->strides[d] : 1;
        whole = whole && step[d] == 1 && q->before[d] == 0 &&
                rlxc_prove_eq(ctx, q->x->shape[q->in.space[d]], p->padded[d], NULL);
    }
    const int64_t channels = p->cell;
    const rlxc_expr *height = rlxc_cast(ctx, RLX_I64, q->x->shape[q->in.space[0]]);
    const rlxc_expr *width = rlxc_cast(ctx, RLX_I64, q->x->shape[q->in.space[1]]);
    const rlxc_expr *place[2] = {
        rlxc_named(&own, "image", binary(p, RLXC_EXPR_FLOORDIV, row, p->padded[0])), NULL};
    place[1] = times(p, binary(p, RLXC_EXPR_FLOORMOD, row, p->padded[0]), step[0]);
    place[1] = rlxc_named(&own, "line", rlxc_sub(ctx, place[1], num(p, q->before[0])));
    const rlxc_expr *at =
        rlxc_named(&own, "at", times(p, rlxc_mul(ctx, row, p->padded[1]), channels));
    if (whole) {
        RLXC_PUSH(ctx, &own.out, copy_pixels(p, at, place, num(p, 0), p->padded[1]));
        return rlxc_body_of(&own);
    }
    /* pixels left of x, then up to the end of x */
    const int64_t border = (q->before[1] + step[1] - 1) / step[1];
    const rlxc_expr *left = num(p, 0);
    if (border > 0)
        left = rlxc_named(&inside, "left", binary(p, RLXC_EXPR_MIN, num(p, border), p->padded[1]));
    const rlxc_expr *end = add(p, width, num(p, q->before[1] + step[1] - 1));
    end = binary(p, RLXC_EXPR_FLOORDIV, end, num(p, step[1]));
    end = binary(p, RLXC_EXPR_MIN, end, p->padded[1]);
    end = rlxc_named(&inside, "end", binary(p, RLXC_EXPR_MAX, end, left));
    const rlxc_expr *first = num(p, border * step[1] - q->before[1]);
    if (border > 0)
        RLXC_PUSH(ctx, &inside.out, fill_cells(p, at, times(p, left, channels)));
    RLXC_PUSH(ctx, &inside.out,
              copy_pixels(p, add(p, at, times(p, left, channels)), place, first,
                          rlxc_sub(ctx, end, left)));
    RLXC_PUSH(ctx, &inside.out,
              fill_cells(p, add(p, at, times(p, end, channels)),
                         times(p, rlxc_sub(ctx, p->padded[1], end), channels)));
    const rlxc_expr *exists = binary(p, RLXC_EXPR_AND, binary(p, RLXC_EXPR_LE, num(p, 0), place[1]),
                                     binary(p, RLXC_EXPR_LT, place[1], height));
    RLXC_PUSH(ctx, &own.out,
              rlxc_stmt_if(ctx, exists, rlxc_body_of(&inside),
                           fill_cells(p, at, times(p, p->padded[1], channels))));
    return rlxc_body_of(&own);
}

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
    bool dense = true;
    for (uint32_t d = 0; d < 2; d++)
        dense =
            dense && p->steps[d] == 1 && rlxc_prove_eq(p->t.ctx, p->size[d], p->padded[d], NULL);
    return dense;
}

/* The input words at the starts of the windows of |mr| pixels from |i0| on. The first one takes
 * divisions; each other one is a step further, or at the next line or image. */
static void find_windows(const conv *p, rlxc_schedule *to, uint32_t mr, const rlxc_expr *i0,
                         const rlxc_expr *windows[MAX_ROWS])
{
    rlxc_context *ctx = p->t.ctx;
    const bool dense = is_dense(p);
    const rlxc_expr *at[3], *window = i0, *none = num(p, 0);
    if (!dense) {
        place_of(p, to, i0, at);
        window = add(p, rlxc_mul(ctx, at[0], p->padded[0]), times(p, at[1], p->steps[0]));
        window = add(p, rlxc_mul(ctx, window, p->padded[1]), times(p, at[2], p->steps[1]));
    }
    windows[0] = rlxc_named(to, "window", times(p, window, p->unit));
    for (uint32_t m = 1; m < mr; m++) {
        window = add(p, windows[m - 1], num(p, p->steps[1] * p->unit));
        if (!dense) {
            const rlxc_expr *x = rlxc_named(to, "x", add(p, at[2], num(p, 1)));
            const rlxc_expr *line_ends = binary(p, RLXC_EXPR_EQ, x, p->size[1]);
            const rlxc_expr *down = rlxc_select(ctx, line_ends, num(p, 1), none);
            const rlxc_expr *y = rlxc_named(to, "y", add(p, at[1], down));
            const rlxc_expr *image_ends = binary(p, RLXC_EXPR_EQ, y, p->size[0]);
            window = add(p, window, rlxc_select(ctx, line_ends, p->to_line, none));
            window = add(p, window, rlxc_select(ctx, image_ends, p->to_image, none));
            at[2] = rlxc_named(to, "x", rlxc_select(ctx, line_ends, none, x));
            at[1] = rlxc_named(to, "y", rlxc_select(ctx, image_ends, none, y));
        }
        windows[m] = rlxc_named(to, "window", window);
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
    const rlxc_expr *value = rlxc_cast(ctx, to->dtype, rlxc_load(ctx, p->filter, &from, 1));
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
    const int64_t line = q->size[1] * p->words_of_tap, count = joined ? line : p->words_of_tap;
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
        offset = add(p, offset, times(p, s, q->dilation[1] * p->unit));
    }
    const rlxc_stmt *body = serial(
        p, word, num(p, count), one_word(p, mr, windows, add(p, offset, word), add(p, row, word)));
    if (!joined)
        body = serial(p, s, num(p, q->size[1]), body);
    return serial(p, r, num(p, q->size[0]), body);
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

/* The results of |mr| pixels from |i0| on. */
static const rlxc_stmt *write_results(conv *p, uint32_t mr, const rlxc_expr *i0)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_quant_conv *q = &p->q;
    const uint32_t nv = (uint32_t)(q->width / t->vl);
    rlxc_schedule own = {.s = t->c->s};
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *m = rlxc_loop_var(ctx, "m"), *place[3], *to[4];
    place_of(p, &own, add(p, i0, m), place);
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
    const rlxc_expr *flat = add(p, times(p, add(p, i0, m), q->outputs), output);
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
    return serial(p, m, num(p, mr), rlxc_body_of(&own));
}

static const rlxc_stmt *one_tile(conv *p, uint32_t mr, const rlxc_expr *i0)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    const uint32_t nv = (uint32_t)(p->q.width / t->vl);
    rlxc_schedule own = {.s = t->c->s};
    const rlxc_expr *windows[MAX_ROWS];
    find_windows(p, &own, mr, i0, windows);
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *index = add(p, times(p, at.m, p->q.width), rlxc_quant_column(t, &at));
    RLXC_PUSH(ctx, &own.out,
              rlxc_quant_over(t, mr, nv, &at, false,
                              rlxc_stmt_store(ctx, p->acc, &index, 1, rlxc_int(ctx, RLX_I32, 0))));
    RLXC_PUSH(ctx, &own.out, all_words(p, mr, windows));
    at = rlxc_quant_new_point(t);
    index = add(p, times(p, at.m, p->q.width), rlxc_quant_column(t, &at));
    RLXC_PUSH(ctx, &own.out,
              rlxc_quant_over(
                  t, mr, nv, &at, false,
                  rlxc_stmt_store(ctx, p->results, &index, 1, rlxc_load(ctx, p->acc, &index, 1))));
    RLXC_PUSH(ctx, &own.out, write_results(p, mr, i0));
    return rlxc_body_of(&own);
}

/* Block number |block| of pixels for the panel. */
static const rlxc_stmt *one_block(conv *p, const rlxc_expr *block)
{
    const rlx_dtype u32 = {RLX_UINT, 32, 1};
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    const rlxc_expr *row = rlxc_named(&own, "row", times(p, block, p->z->block));
    rlxc_rest rest = {row, rlxc_split_size(ctx, p->rows, row, p->z->block)};
    rest.left = rlxc_named(&own, "left", rest.left);
    t->c = &own;
    const int64_t tiles[MAX_TILES] = {p->z->rows1, p->z->rows2, p->z->rows3};
    for (uint32_t n = 0; n < MAX_TILES && tiles[n]; n++) {
        const uint32_t mr = (uint32_t)tiles[n];
        const rlxc_tiles now = rlxc_take_tiles(&own, &rest, mr, NULL);
        p->acc = rlxc_quant_local(t, "acc", RLX_I32, mr * p->q.width);
        if (p->pairs)
            p->wide = rlxc_quant_local(t, "wide", p->cells->dtype, 2 * p->q.width);
        p->word = p->pairs ? rlxc_view(&own, "word", p->wide, u32, num(p, p->q.width))
                           : rlxc_quant_local(t, "word", u32, p->q.width);
        p->results = rlxc_quant_local(t, "results", RLX_I32, mr * p->q.width);
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
    p->unit = q->depthwise ? q->channels : q->groups * q->depth / q->word;
    p->cell = q->depthwise ? q->channels : q->groups * q->depth;
    const rlxc_expr *dims[3] = {stage->extents[q->out.batch]};
    for (uint32_t d = 0; d < 2; d++)
        dims[1 + d] = p->size[d] = stage->extents[q->out.space[d]];
    p->rows = rlxc_product(c->s->ctx, dims, 3);
    return true;
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
        p.q.size[0] * p.q.size[1] * p.words_of_tap * p.q.width * (p.q.depthwise ? 4 : p.q.word);
    *(rlxc_int8_conv_sizes *)sizes = (rlxc_int8_conv_sizes){
        .lanes = bytes / 4,
        .rows1 = tiles[0],
        .rows2 = tiles[1],
        .rows3 = tiles[2],
        .block = ROW_BLOCK,
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
    return p->q.width % z->lanes == 0 ||
           rlxc_decline(s,
                        "vectors of %" PRId64 " lanes do not divide panels of %" PRId64 " outputs",
                        z->lanes, p->q.width);
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
    const rlxc_expr *images = stage->extents[q->out.batch], *none = rlxc_i64(ctx, 0);
    for (uint32_t d = 0; d < 2; d++) {
        p.steps[d] = q->size[d] == 1 ? 1 : q->strides[d];
        const rlxc_expr *last = times(&p, rlxc_sub(ctx, p.size[d], num(&p, 1)), p.steps[d]);
        last = add(&p, last, num(&p, (q->size[d] - 1) * q->dilation[d] + 1));
        p.padded[d] = q->size[d] == 1
                          ? p.size[d]
                          : rlxc_named(c, "padded", binary(&p, RLXC_EXPR_MAX, last, none));
    }
    p.to_line = rlxc_sub(ctx, times(&p, p.padded[1], p.steps[0]), times(&p, p.size[1], p.steps[1]));
    p.to_line = rlxc_named(c, "to_line", times(&p, p.to_line, p.unit));
    p.to_image = rlxc_sub(ctx, p.padded[0], times(&p, p.size[0], p.steps[0]));
    p.to_image =
        rlxc_named(c, "to_image", times(&p, rlxc_mul(ctx, p.to_image, p.padded[1]), p.unit));
    const rlxc_expr *lines = rlxc_mul(ctx, images, p.padded[0]);
    const rlxc_expr *pixels = rlxc_mul(ctx, lines, p.padded[1]);
    const rlxc_expr *size = times(&p, pixels, p.cell);
    if (q->depthwise) /* whole vectors of channels are read */
        size = add(&p, size, num(&p, q->width));
    p.cells = rlxc_local_buffer(c, "cells", p.pairs ? i16 : u8, &size, 1);
    if (!q->depthwise)
        p.words = rlxc_view(c, "words", p.cells, u32, times(&p, pixels, p.unit));
    const int64_t filter_words = (q->outputs + q->width - 1) / q->width * q->width * q->size[0] *
                                 q->size[1] * p.words_of_tap;
    p.filter = rlxc_view(c, "filter_words", q->filter, p.pairs ? i8 : u32,
                         num(&p, p.pairs ? filter_words * q->word : filter_words));
    p.fill = rlxc_named(c, "fill", q->fill);
    const rlxc_expr *line = rlxc_loop_var(ctx, "line");
    RLXC_PUSH(ctx, &c->out, rlxc_quant_parallel(&p.t, line, lines, write_row(&p, line)));
    all_blocks(&p);
    rlxc_epilogue_done(c->s, index, epilogue);
    return true;
}

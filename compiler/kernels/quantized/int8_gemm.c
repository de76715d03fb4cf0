/* Products by instructions that sum several products: of 8-bit weights with integers of 8 or 16
 * bits (dot_u8s8), and of two bfloat16 (dot_bf16).
 *
 * The rows are copied first, in whole words: as signed bytes or 16-bit numbers, with their sums, or
 * as bfloat16. Then register tiles, for panels of columns in parallel:
 *
 *     acc[mr][nv][vl] = 0
 *     for words: acc += word of the weight . word of the row      four or two rows of the weight
 *     result = acc - zero * sum of the row
 *
 * If rows have 16 bits, or the target cannot multiply bytes, pairs of 16 bits are multiplied
 * (dot_s16): the first and third element of four are written out before the others, and the words
 * are taken apart as one shift does it: (first, third), (second, fourth). Saturating sums of bytes
 * (VPMADDUBSW) would not be exact, and splitting operands to avoid saturation takes as many
 * instructions.
 *
 * Integers are exact except for int32 wrap-around, like the sums they replace. Sums of bfloat16 are
 * rounded to float32 after each product, and magnitudes below 2^-126 count as 0. */
#include "compiler/kernels/quantized/schedule_quant.h"
#include "compiler/kernels/rules.h"

typedef struct dots {
    rlxc_quant_rows_of t;
    const rlxc_int8_gemm_sizes *z;
    const struct dot_kind *kind;
    int64_t padded;                    /* inner dimension in whole words */
    const rlxc_expr *rows;             /* of the result */
    rlxc_buffer *cells, *words, *sums; /* cells and words: the same memory; sums: or NULL */
    rlxc_buffer *acc, *word, *value, *memory;
} dots;

enum { MAX_TILES = 3 };

typedef struct dot_kind {
    const char *dot;
    rlx_dtype sum, cell; /* cell: of a row as it is written out */
} dot_kind;

static const dot_kind bytes = {"dot_u8s8", {RLX_INT, 32, 1}, {RLX_INT, 8, 1}};
static const dot_kind pairs = {"dot_s16", {RLX_INT, 32, 1}, {RLX_INT, 16, 1}};
static const dot_kind bfloat16 = {"dot_bf16", {RLX_FLOAT, 32, 1}, {RLX_BFLOAT, 16, 1}};

typedef struct tile_shape {
    uint32_t mr, nv; /* rows and vectors */
} tile_shape;

/* Most rows first; as many accumulators as the registers allow, 32 or 16. */
static const tile_shape shapes[2][MAX_TILES] = {{{6, 2}, {2, 2}, {1, 4}}, {{6, 4}, {2, 4}, {1, 4}}};

static void tiles_of(const rlxc_int8_gemm_sizes *z, tile_shape out[MAX_TILES])
{
    out[0] = (tile_shape){(uint32_t)z->rows1, (uint32_t)z->vectors1};
    out[1] = (tile_shape){(uint32_t)z->rows2, (uint32_t)z->vectors2};
    out[2] = (tile_shape){(uint32_t)z->rows3, (uint32_t)z->vectors3};
}

/* Elements of a row that a word holds. */
static int64_t in_word(const dots *p)
{
    return 32 / p->kind->cell.bits;
}

/* Words of a row for one of the weight. */
static int64_t parts_of(const dots *p)
{
    return rlxc_quant_rows(&p->t.q) / in_word(p);
}

static const rlxc_expr *nought(dots *p, rlx_dtype dtype)
{
    return dtype.code == RLX_INT ? rlxc_int(p->t.ctx, dtype, 0) : rlxc_float(p->t.ctx, dtype, 0);
}

static const rlxc_expr *add(dots *p, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(p->t.ctx, a, b);
}

/* Offset of row |i|, in units of |unit| elements. */
static const rlxc_expr *place(dots *p, const rlxc_expr *i, int64_t unit)
{
    return rlxc_quant_times(&p->t, i, p->padded / unit);
}

static void push(dots *p, rlxc_buffer *to, const rlxc_expr *at, const rlxc_expr *value)
{
    RLXC_PUSH(p->t.ctx, &p->t.c->out, rlxc_stmt_store(p->t.ctx, to, &at, 1, value));
}

/* Element |k| of row |i|, at |to|. */
static const rlxc_stmt *put_cell(dots *p, const rlxc_expr *i, const rlxc_expr *k,
                                 const rlxc_expr *to)
{
    const rlxc_expr *at = add(p, place(p, i, 1), to), *x = rlxc_quant_x(&p->t, i, k);
    x = p->sums ? rlxc_cast(p->t.ctx, p->kind->cell, x) : x->bin.a;
    return rlxc_stmt_store(p->t.ctx, p->cells, &at, 1, x);
}

/* |n| elements of row |i| from a word boundary of the weight on, at |first|: for pairs, first those
 * with even index. */
static const rlxc_stmt *put_word(dots *p, const rlxc_expr *i, const rlxc_expr *first, int64_t n)
{
    rlxc_schedule own = {.s = p->t.c->s};
    const int64_t parts = parts_of(p);
    for (int64_t k = 0; k < n; k++) {
        const int64_t to = k % parts * in_word(p) + k / parts;
        RLXC_PUSH(p->t.ctx, &own.out,
                  put_cell(p, i, add(p, first, rlxc_i64(p->t.ctx, k)),
                           add(p, first, rlxc_i64(p->t.ctx, to))));
    }
    return rlxc_body_of(&own);
}

/* The body of a loop over the rows: one row as cells, and its sum. */
static const rlxc_stmt *one_row(dots *p, const rlxc_expr *i)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    t->c = &own;
    const int64_t parts = parts_of(p), rest = parts > 1 ? t->rows % rlxc_quant_rows(&t->q) : 0,
                  last = p->padded - rlxc_quant_rows(&t->q);
    const rlxc_expr *k = rlxc_loop_var(ctx, "k"), *size = rlxc_i64(ctx, t->rows);
    for (int64_t fill = rest ? last : t->rows; fill < p->padded; fill++)
        push(p, p->cells, add(p, place(p, i, 1), rlxc_i64(ctx, fill)), nought(p, p->kind->cell));
    if (parts > 1) {
        const rlxc_expr *words = rlxc_i64(ctx, t->rows / rlxc_quant_rows(&t->q));
        const rlxc_expr *first = rlxc_quant_times(t, k, rlxc_quant_rows(&t->q));
        RLXC_PUSH(ctx, &own.out,
                  rlxc_loop_of(ctx, k, words, RLXC_LOOP_SERIAL,
                               put_word(p, i, first, rlxc_quant_rows(&t->q))));
        RLXC_PUSH(ctx, &own.out, put_word(p, i, rlxc_i64(ctx, last), rest));
    } else {
        RLXC_PUSH(ctx, &own.out,
                  rlxc_loop_of(ctx, k, size, RLXC_LOOP_SERIAL, put_cell(p, i, k, k)));
    }
    if (p->sums) {
        push(p, p->sums, i, rlxc_int(ctx, RLX_I32, 0));
        k = rlxc_loop_var(ctx, "k");
        const rlxc_expr *sum = add(p, rlxc_load(ctx, p->sums, &i, 1), rlxc_quant_x(t, i, k));
        RLXC_PUSH(ctx, &own.out,
                  rlxc_loop_of(ctx, k, size, RLXC_LOOP_SERIAL,
                               rlxc_stmt_store(ctx, p->sums, &i, 1, sum)));
    }
    t->c = outer;
    return rlxc_body_of(&own);
}

static const rlxc_expr *index_of(dots *p, uint32_t nv, const rlxc_quant_point *at)
{
    const rlxc_expr *row = rlxc_quant_times(&p->t, at->m, (int64_t)nv * p->t.vl);
    return add(p, row, rlxc_quant_column(&p->t, at));
}

/* The numbers of part |part| of word |word| of the weight, of all columns from |first| on. */
static const rlxc_stmt *numbers(dots *p, uint32_t nv, const rlxc_expr *word, int64_t part,
                                const rlxc_expr *first)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *column = rlxc_quant_column(t, &at);
    const rlxc_expr *value = rlxc_quant_at_panel(t, t->q.words, word, add(p, first, column));
    if (part > 0)
        value = rlxc_quant_call(ctx, "shift_right", value, rlxc_int(ctx, value->dtype, 8));
    if (parts_of(p) > 1)
        value = rlxc_quant_call(ctx, "bitwise_and", value, rlxc_int(ctx, value->dtype, 0x00ff00ff));
    return rlxc_quant_over(t, 0, nv, &at, false, rlxc_stmt_store(ctx, p->word, &column, 1, value));
}

/* acc += the numbers times words |from| of the rows. */
static const rlxc_stmt *sum_words(dots *p, uint32_t mr, uint32_t nv, const rlxc_expr *i0,
                                  const rlxc_expr *from)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *index = index_of(p, nv, &at), *column = rlxc_quant_column(t, &at);
    const rlxc_expr *x = add(p, place(p, add(p, i0, at.m), in_word(p)), from);
    const rlxc_expr *args[3] = {rlxc_load(ctx, p->acc, &index, 1),
                                rlxc_load(ctx, p->word, &column, 1),
                                rlxc_load(ctx, p->words, &x, 1)};
    const rlxc_expr *dot =
        rlxc_call(ctx, p->kind->sum, rlxc_intern_cstr(ctx, p->kind->dot), args, 3);
    return rlxc_quant_over(t, mr, nv, &at, false, rlxc_stmt_store(ctx, p->acc, &index, 1, dot));
}

static const rlxc_stmt *one_tile(dots *p, uint32_t mr, uint32_t nv, const rlxc_expr *i0,
                                 const rlxc_expr *first)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, words = {.s = t->c->s};
    rlxc_quant_point zero = rlxc_quant_new_point(t), end = rlxc_quant_new_point(t);
    const rlxc_expr *word = rlxc_loop_var(ctx, "word");
    const int64_t parts = parts_of(p);
    for (int64_t part = 0; part < parts; part++) {
        const rlxc_expr *from = add(p, rlxc_quant_times(t, word, parts), rlxc_i64(ctx, part));
        RLXC_PUSH(ctx, &words.out, numbers(p, nv, word, part, first));
        RLXC_PUSH(ctx, &words.out, sum_words(p, mr, nv, i0, from));
    }
    const rlxc_expr *index = index_of(p, nv, &zero), *to = index_of(p, nv, &end);
    RLXC_PUSH(ctx, &own.out,
              rlxc_quant_over(t, mr, nv, &zero, false,
                              rlxc_stmt_store(ctx, p->acc, &index, 1, nought(p, p->kind->sum))));
    RLXC_PUSH(ctx, &own.out,
              rlxc_loop_of(ctx, word, rlxc_i64(ctx, p->padded / rlxc_quant_rows(&t->q)),
                           RLXC_LOOP_SERIAL, rlxc_body_of(&words)));
    const rlxc_expr *value = rlxc_load(ctx, p->acc, &to, 1), *row = add(p, i0, end.m);
    if (p->sums)
        value = rlxc_sub(ctx, value, rlxc_mul(ctx, rlxc_load(ctx, p->sums, &row, 1), t->q.zero));
    RLXC_PUSH(
        ctx, &own.out,
        rlxc_quant_over(t, mr, nv, &end, false, rlxc_stmt_store(ctx, p->value, &to, 1, value)));
    const rlxc_quant_results results = {mr, nv, p->value, p->memory, i0, first};
    RLXC_PUSH(ctx, &own.out, rlxc_quant_finish(t, &results));
    return rlxc_body_of(&own);
}

/* All rows of one panel. */
static const rlxc_stmt *one_panel(dots *p)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    rlxc_rest rows = {rlxc_i64(ctx, 0), p->rows};
    tile_shape tiles[MAX_TILES];
    tiles_of(p->z, tiles);
    t->c = &own;
    for (size_t n = 0; n < MAX_TILES && tiles[n].mr; n++) {
        const uint32_t mr = tiles[n].mr, nv = tiles[n].nv;
        int64_t width = (int64_t)nv * t->vl, size = mr * width;
        const rlxc_expr *part = rlxc_loop_var(ctx, "part");
        const rlxc_tiles now = rlxc_take_tiles(&own, &rows, mr, NULL);
        p->acc = rlxc_quant_local(t, "acc", p->kind->sum, size);
        p->word = rlxc_quant_local(t, "word", t->q.words->dtype, width);
        p->value = rlxc_quant_local(t, "value", p->kind->sum, size);
        p->memory = t->epilogue ? rlxc_quant_local(t, "results", p->kind->sum, size) : NULL;
        const rlxc_stmt *body =
            one_tile(p, mr, nv, now.first, rlxc_mul(ctx, part, rlxc_i64(ctx, width)));
        body = rlxc_loop_of(ctx, part, rlxc_i64(ctx, t->q.width / width), RLXC_LOOP_SERIAL, body);
        rlxc_close_tiles(&own, &rows, &now, body);
    }
    t->c = outer;
    return rlxc_body_of(&own);
}

bool rlxc_decide_int8_gemm(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stage *stage = &c->s->items[i];
    rlxc_quant q;
    if (!rlxc_quant_match_dots(c->s, stage, &q))
        return false;
    const tile_shape *t = shapes[c->s->target->sum_registers >= 32];
    const bool narrow = q.x->bin.a->dtype.bits <= 8;
    *(rlxc_int8_gemm_sizes *)sizes = (rlxc_int8_gemm_sizes){
        .lanes = c->s->target->vector_bytes / 4,
        .rows1 = t[0].mr,
        .vectors1 = t[0].nv,
        .rows2 = t[1].mr,
        .vectors2 = t[1].nv,
        .rows3 = t[2].mr,
        .vectors3 = t[2].nv,
        .bytes = q.bits != 16 && narrow && rlxc_target_dots(c->s->target) == RLXC_DOTS_BYTES,
        .epilogue = rlxc_epilogue_of(c->s, i, i) != NULL,
        .threads = !c->serial && rlxc_quant_is_large(stage)};
    return true;
}

/* Checks a list of tiles for any number of rows, and the kind of products for target and operand.
 */
static bool fits(const rlxc_stages *s, const rlxc_quant *q, const rlxc_int8_gemm_sizes *z)
{
    const bool narrow = q->x->bin.a->dtype.bits <= 8;
    tile_shape tiles[MAX_TILES];
    uint32_t last = UINT32_MAX;
    tiles_of(z, tiles);
    for (uint32_t i = 0; i < MAX_TILES && tiles[i].mr; i++) {
        if (tiles[i].mr >= last)
            return rlxc_decline(s, "rows%u is %u, below %u is needed", i + 1, tiles[i].mr, last);
        last = tiles[i].mr;
        if (!rlxc_quant_fits(s, q, z->lanes, tiles[i].nv))
            return false;
    }
    if (last != 1)
        return rlxc_decline(s, "the last of the tiles has %u rows, 1 is needed", last);
    if (z->bytes && (q->bits == 16 || !narrow || rlxc_target_dots(s->target) != RLXC_DOTS_BYTES))
        return rlxc_decline(s,
                            "bytes is 1, which needs a left operand of int8 and a target that sums "
                            "products of bytes");
    return true;
}

bool rlxc_apply_int8_gemm(rlxc_schedule *c, uint32_t index, const void *sizes)
{
    const rlxc_int8_gemm_sizes *z = sizes;
    rlxc_stage *epilogue;
    rlxc_context *ctx = c->s->ctx;
    const rlxc_stage *stage = &c->s->items[index];
    rlxc_quant q;
    const rlx_dtype u32 = {RLX_UINT, 32, 1};
    if (!rlxc_quant_match_dots(c->s, stage, &q) || !fits(c->s, &q, z) ||
        !rlxc_take_epilogue(c->s, index, index, z->epilogue, &epilogue))
        return false;
    dots p = {.t = rlxc_quant_begin(c, stage, epilogue, &q, z->lanes, z->threads),
              .z = z,
              .kind = q.bits == 16 ? &bfloat16
                      : z->bytes   ? &bytes
                                   : &pairs,
              .rows = stage->extents[0]};
    p.padded = (p.t.rows + rlxc_quant_rows(&q) - 1) / rlxc_quant_rows(&q) * rlxc_quant_rows(&q);
    const rlxc_expr *size = rlxc_quant_times(&p.t, p.rows, p.padded);
    const rlxc_expr *words = rlxc_quant_times(&p.t, p.rows, p.padded / in_word(&p));
    p.cells = rlxc_local_buffer(c, "cells", p.kind->cell, &size, 1);
    p.words = rlxc_view(c, "cell_words", p.cells, u32, words);
    if (p.kind != &bfloat16)
        p.sums = rlxc_local_buffer(c, "sums", RLX_I32, &p.rows, 1);
    const rlxc_expr *i = rlxc_loop_var(ctx, "i");
    const rlxc_stmt *rows = rlxc_quant_parallel(&p.t, i, p.rows, one_row(&p, i));
    RLXC_PUSH(ctx, &c->out, rlxc_part(ctx, "rows", rows));
    const rlxc_expr *panel = p.t.panel = rlxc_loop_var(ctx, "panel");
    const rlxc_expr *panels = rlxc_i64(ctx, p.t.panels);
    RLXC_PUSH(ctx, &c->out, rlxc_quant_parallel(&p.t, panel, panels, one_panel(&p)));
    rlxc_epilogue_done(c->s, index, epilogue);
    return true;
}

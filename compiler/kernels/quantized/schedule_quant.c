/* Products with weights of 4 or 8 bits (quant.h), read in their stored form.
 *
 * Any number of rows: register tiles whose weights are converted to floats in registers, once for
 * all rows of a tile:
 *
 *     for panels of columns, for blocks of rows:   in parallel
 *         for tiles of rows, for parts of the panel:
 *             acc[mr][nv][vl] = 0
 *             for groups: scale[nv][vl]
 *                 for words: for the rows in a word:
 *                     weight[nv][vl] = ((word >> shift) & mask) - zero) * scale
 *                     acc += x[m, k] * weight
 *             store, or the epilogue
 *
 * Many rows: the weights of all groups are converted into memory first, once for all tiles of a
 * block of rows.
 *
 * Few rows, one by default, where the target sums products of integers (gemv_int_activations.c):
 * integer sums. */
#include "compiler/kernels/quantized/schedule_quant.h"

#include "compiler/kernels/rules.h"

#include <inttypes.h>

enum { ROW_BLOCK = 96, MAX_TILES = 5, UNROLLED_WORDS = 8, LARGE = 16384, CONVERTED = 65536 };

typedef struct tile_rows { /* of register tiles, most rows first */
    uint32_t registers;
    struct {
        uint32_t mr, nv;
    } tiles[MAX_TILES];
} tile_rows;

static const tile_rows shapes[] = {
    {32, {{12, 2}, {6, 2}, {4, 4}, {2, 4}, {1, 4}}},
    {12, {{4, 2}, {2, 2}, {1, 4}}},
    {8, {{4, 1}, {2, 1}, {1, 1}}},
};

static const tile_rows *shape_for(uint32_t registers)
{
    size_t i = 0;
    while (i + 1 < sizeof shapes / sizeof *shapes && shapes[i].registers > registers)
        i++;
    return &shapes[i];
}

typedef struct tile {
    rlxc_quant_rows_of *t;
    uint32_t mr, nv;
    const rlxc_expr *i0;    /* first row */
    const rlxc_expr *first; /* first column of the panel */
    rlxc_buffer *acc, *word;
    rlxc_buffer *weight; /* of one row, or of all rows: converted before */
    bool has_all_rows;
    rlxc_buffer *scale, *zero; /* or NULL */
    rlxc_buffer *results;      /* in memory, for loops of an epilogue; or NULL */
} tile;

const rlxc_expr *rlxc_quant_add(rlxc_quant_rows_of *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(t->ctx, a, b);
}

const rlxc_expr *rlxc_quant_times(rlxc_quant_rows_of *t, const rlxc_expr *a, int64_t b)
{
    return rlxc_mul(t->ctx, a, rlxc_i64(t->ctx, b));
}

const rlxc_stmt *rlxc_quant_over(rlxc_quant_rows_of *t, uint32_t mr, uint32_t nv,
                                 const rlxc_quant_point *at, bool serial, const rlxc_stmt *body)
{
    return rlxc_over_tile(t->ctx, at, mr, nv, t->vl, serial, body);
}

const rlxc_expr *rlxc_quant_call(rlxc_context *ctx, const char *name, const rlxc_expr *a,
                                 const rlxc_expr *b)
{
    const rlxc_expr *args[2] = {a, b};
    return rlxc_call(ctx, a->dtype, rlxc_intern_cstr(ctx, name), args, b ? 2 : 1);
}

rlxc_quant_point rlxc_quant_new_point(rlxc_quant_rows_of *t)
{
    return rlxc_new_point(t->ctx);
}

const rlxc_expr *rlxc_quant_column(rlxc_quant_rows_of *t, const rlxc_quant_point *at)
{
    return rlxc_point_column(t->ctx, at, t->vl);
}

const rlxc_expr *rlxc_quant_at_panel(rlxc_quant_rows_of *t, const rlxc_buffer *buffer,
                                     const rlxc_expr *row, const rlxc_expr *column)
{
    const rlxc_expr *at[3] = {t->panel, row, column};
    return rlxc_load(t->ctx, buffer, at, 3);
}

const rlxc_expr *rlxc_quant_x(rlxc_quant_rows_of *t, const rlxc_expr *i, const rlxc_expr *k)
{
    const rlxc_expr *values[3] = {i, rlxc_i64(t->ctx, 0), k};
    return rlxc_replace(t->ctx, t->q.x, t->stage->vars, values, 3);
}

/* Writes a result, or the epilogue of it, in column |j| of the panel, if there is such a column. */
static const rlxc_stmt *write_result(rlxc_quant_rows_of *t, const rlxc_expr *i, const rlxc_expr *j,
                                     const rlxc_expr *value)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *at[2] = {i, rlxc_quant_add(t, rlxc_quant_times(t, t->panel, t->q.width), j)};
    const rlxc_stage *writer = t->epilogue ? t->epilogue : t->stage;
    if (t->epilogue)
        value = rlxc_epilogue_value(ctx, t->epilogue, t->stage->out, at, value);
    const rlxc_stmt *store = rlxc_stmt_store(ctx, writer->out, at, 2, value);
    if (t->columns % t->q.width == 0)
        return store;
    const rlxc_expr *valid = rlxc_binary(ctx, RLXC_EXPR_LT, at[1], rlxc_i64(ctx, t->columns));
    return rlxc_stmt_if(ctx, valid, store, NULL);
}

/* --- tiles of floats -------------------------------------------------------------------------- */

static const rlxc_stmt *fill(tile *q, rlxc_buffer *to, const rlxc_buffer *from,
                             const rlxc_expr *row)
{
    rlxc_quant_rows_of *t = q->t;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *index = rlxc_quant_column(t, &at);
    const rlxc_expr *value = rlxc_quant_at_panel(t, from, row, rlxc_quant_add(t, q->first, index));
    value = rlxc_cast(t->ctx, to->dtype, value);
    return rlxc_quant_over(t, 0, q->nv, &at, false, rlxc_stmt_store(t->ctx, to, &index, 1, value));
}

/* Where the weight of row |k| and a column lies. */
static const rlxc_expr *weight_at(tile *q, const rlxc_expr *k, const rlxc_expr *column)
{
    const rlxc_expr *row = rlxc_quant_times(q->t, k, (int64_t)q->nv * q->t->vl);
    return q->has_all_rows ? rlxc_quant_add(q->t, row, column) : column;
}

/* Weights of row |k|, number |i| of the word, as floats. */
static const rlxc_stmt *unpack(tile *q, int64_t i, const rlxc_expr *k)
{
    rlxc_quant_rows_of *t = q->t;
    rlxc_context *ctx = t->ctx;
    const rlx_dtype u32 = q->word->dtype;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *index = rlxc_quant_column(t, &at);
    const rlxc_expr *args[2] = {rlxc_load(ctx, q->word, &index, 1),
                                rlxc_int(ctx, u32, rlxc_quant_shift(&t->q, i))};
    if (rlxc_quant_shift(&t->q, i) > 0)
        args[0] = rlxc_call(ctx, u32, rlxc_intern_cstr(ctx, "shift_right"), args, 2);
    args[1] = rlxc_int(ctx, u32, (INT64_C(1) << t->q.bits) - 1);
    const rlxc_expr *value = rlxc_call(ctx, u32, rlxc_intern_cstr(ctx, "bitwise_and"), args, 2);
    if (t->q.palette)
        value = rlxc_quant_entry(ctx, &t->q, value);
    else
        value =
            rlxc_cast(ctx, RLX_F32, rlxc_cast(ctx, RLX_I32, value)); /* signed: one instruction */
    value = rlxc_sub(ctx, value, q->zero ? rlxc_load(ctx, q->zero, &index, 1) : t->q.zero);
    if (q->scale)
        value = rlxc_mul(ctx, value, rlxc_load(ctx, q->scale, &index, 1));
    const rlxc_expr *to = weight_at(q, k, index);
    return rlxc_quant_over(t, 0, q->nv, &at, false, rlxc_stmt_store(ctx, q->weight, &to, 1, value));
}

static const rlxc_expr *acc_index(tile *q, const rlxc_quant_point *at)
{
    const rlxc_expr *row = rlxc_quant_times(q->t, at->m, (int64_t)q->nv * q->t->vl);
    return rlxc_quant_add(q->t, row, rlxc_quant_column(q->t, at));
}

static const rlxc_stmt *accumulate(tile *q, const rlxc_expr *k)
{
    rlxc_quant_rows_of *t = q->t;
    rlxc_context *ctx = t->ctx;
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *index = acc_index(q, &at);
    const rlxc_expr *weight = weight_at(q, k, rlxc_quant_column(t, &at));
    const rlxc_expr *value = rlxc_quant_x(t, rlxc_quant_add(t, q->i0, at.m), k);
    value = rlxc_mul(ctx, value, rlxc_load(ctx, q->weight, &weight, 1));
    value = rlxc_add(ctx, rlxc_load(ctx, q->acc, &index, 1), value);
    return rlxc_quant_over(t, q->mr, q->nv, &at, false,
                           rlxc_stmt_store(ctx, q->acc, &index, 1, value));
}

/* The first |rows| rows of word number |word|: converted, and summed unless all rows are wanted. */
static const rlxc_stmt *one_word(tile *q, const rlxc_expr *word, int64_t rows)
{
    rlxc_context *ctx = q->t->ctx;
    rlxc_schedule own = {.s = q->t->c->s};
    RLXC_PUSH(ctx, &own.out, fill(q, q->word, q->t->q.words, word));
    for (int64_t i = 0; i < rows; i++) {
        const rlxc_expr *k = rlxc_quant_times(q->t, word, rlxc_quant_rows(&q->t->q));
        const rlxc_expr *row = rlxc_quant_add(q->t, k, rlxc_i64(ctx, i));
        RLXC_PUSH(ctx, &own.out, rlxc_part(ctx, "unpack", unpack(q, i, row)));
        if (!q->has_all_rows)
            RLXC_PUSH(ctx, &own.out, rlxc_part(ctx, "sum", accumulate(q, row)));
    }
    return rlxc_body_of(&own);
}

/* |rows| rows of group |g|. */
static const rlxc_stmt *one_group(tile *q, const rlxc_expr *g, int64_t rows)
{
    rlxc_quant_rows_of *t = q->t;
    rlxc_context *ctx = t->ctx;
    int64_t step = rlxc_quant_rows(&t->q);
    const rlxc_stmt *parts[4];
    uint32_t n = 0;
    if (q->scale)
        parts[n++] = fill(q, q->scale, t->q.scales, g);
    if (q->zero)
        parts[n++] = fill(q, q->zero, t->q.zeros, g);
    const rlxc_expr *first = rlxc_quant_times(t, g, t->q.group / step);
    if (rows / step > 0) {
        const rlxc_expr *word = rlxc_loop_var(ctx, "word");
        parts[n++] = rlxc_loop_of(ctx, word, rlxc_i64(ctx, rows / step), RLXC_LOOP_SERIAL,
                                  one_word(q, rlxc_quant_add(t, first, word), step));
    }
    if (rows % step > 0)
        parts[n++] = one_word(q, rlxc_quant_add(t, first, rlxc_i64(ctx, rows / step)), rows % step);
    return rlxc_stmt_seq(ctx, parts, n);
}

const rlxc_stmt *rlxc_quant_finish(rlxc_quant_rows_of *t, const rlxc_quant_results *r)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_stmt *parts[2];
    uint32_t n = 0;
    rlxc_quant_point at = rlxc_quant_new_point(t), to = rlxc_quant_new_point(t);
    int64_t width = (int64_t)r->nv * t->vl;
    const rlxc_expr *from =
        rlxc_quant_add(t, rlxc_quant_times(t, at.m, width), rlxc_quant_column(t, &at));
    const rlxc_expr *column = rlxc_quant_column(t, &to);
    const rlxc_expr *index = rlxc_quant_add(t, rlxc_quant_times(t, to.m, width), column);
    if (r->memory)
        parts[n++] = rlxc_quant_over(
            t, r->mr, r->nv, &at, false,
            rlxc_stmt_store(ctx, r->memory, &from, 1, rlxc_load(ctx, r->acc, &from, 1)));
    const rlxc_expr *value = rlxc_load(ctx, r->memory ? r->memory : r->acc, &index, 1);
    const rlxc_stmt *write =
        write_result(t, rlxc_quant_add(t, r->i0, to.m), rlxc_quant_add(t, r->first, column), value);
    parts[n++] = rlxc_quant_over(t, r->mr, r->nv, &to, r->memory != NULL, write);
    return rlxc_part(ctx, t->epilogue ? "epilogue" : "write", rlxc_stmt_seq(ctx, parts, n));
}

static const rlxc_stmt *all_groups(tile *q)
{
    rlxc_quant_rows_of *t = q->t;
    rlxc_context *ctx = t->ctx;
    const rlxc_stmt *parts[2];
    uint32_t n = 0;
    int64_t full = t->rows / t->q.group, left = t->rows % t->q.group;
    if (full > 0) {
        const rlxc_expr *g = rlxc_loop_var(ctx, "group");
        parts[n++] = rlxc_loop_of(ctx, g, rlxc_i64(ctx, full), RLXC_LOOP_SERIAL,
                                  one_group(q, g, t->q.group));
    }
    if (left > 0)
        parts[n++] = one_group(q, rlxc_i64(ctx, full), left);
    return rlxc_stmt_seq(ctx, parts, n);
}

static const rlxc_stmt *one_tile(tile *q)
{
    rlxc_quant_rows_of *t = q->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s};
    rlxc_quant_point at = rlxc_quant_new_point(t);
    const rlxc_expr *index = acc_index(q, &at), *k = rlxc_loop_var(ctx, "k");
    RLXC_PUSH(
        ctx, &own.out,
        rlxc_quant_over(t, q->mr, q->nv, &at, false,
                        rlxc_stmt_store(ctx, q->acc, &index, 1, rlxc_float(ctx, RLX_F32, 0))));
    RLXC_PUSH(ctx, &own.out,
              q->has_all_rows
                  ? rlxc_loop_of(ctx, k, rlxc_i64(ctx, t->rows), RLXC_LOOP_SERIAL, accumulate(q, k))
                  : all_groups(q));
    const rlxc_quant_results results = {q->mr, q->nv, q->acc, q->results, q->i0, q->first};
    RLXC_PUSH(ctx, &own.out, rlxc_quant_finish(t, &results));
    return rlxc_body_of(&own);
}

rlxc_buffer *rlxc_quant_local(rlxc_quant_rows_of *t, const char *name, rlx_dtype dtype,
                              int64_t size)
{
    const rlxc_expr *shape[1] = {rlxc_i64(t->ctx, size)};
    return rlxc_local_buffer(t->c, name, dtype, shape, 1);
}

typedef struct tile_sizes {
    int64_t rows, vectors;
} tile_sizes;

static void list_tiles(const rlxc_quant_sizes *z, tile_sizes out[MAX_TILES])
{
    const tile_sizes tiles[MAX_TILES] = {{z->rows1, z->vectors1},
                                         {z->rows2, z->vectors2},
                                         {z->rows3, z->vectors3},
                                         {z->rows4, z->vectors4},
                                         {z->rows5, z->vectors5}};
    for (uint32_t i = 0; i < MAX_TILES; i++)
        out[i] = tiles[i];
}

/* What the conversion of weights needs. */
static void make_conversion(tile *q)
{
    rlxc_quant_rows_of *t = q->t;
    const int64_t width = (int64_t)q->nv * t->vl;
    q->word = rlxc_quant_local(t, "word", t->q.words->dtype, width);
    q->scale = t->q.scales ? rlxc_quant_local(t, "scale", RLX_F32, width) : NULL;
    q->zero = t->q.zeros ? rlxc_quant_local(t, "zero", RLX_F32, width) : NULL;
}

static void make_sums(tile *q)
{
    rlxc_quant_rows_of *t = q->t;
    const int64_t size = (int64_t)q->mr * q->nv * t->vl;
    q->acc = rlxc_quant_local(t, "acc", RLX_F32, size);
    q->results = t->epilogue ? rlxc_quant_local(t, "results", RLX_F32, size) : NULL;
}

/* Rows of the panel, appended; each tile converts the weights that it reads. */
static void tiles_of_rows(rlxc_quant_rows_of *t, rlxc_rest rows)
{
    rlxc_context *ctx = t->ctx;
    tile_sizes tiles[MAX_TILES];
    list_tiles(t->z, tiles);
    for (uint32_t i = 0; i < MAX_TILES && tiles[i].rows; i++) {
        tile q = {.t = t, .mr = (uint32_t)tiles[i].rows, .nv = (uint32_t)tiles[i].vectors};
        int64_t width = (int64_t)q.nv * t->vl;
        const rlxc_expr *part = rlxc_loop_var(ctx, "part");
        const rlxc_tiles now = rlxc_take_tiles(t->c, &rows, q.mr, NULL);
        make_sums(&q);
        make_conversion(&q);
        q.weight = rlxc_quant_local(t, "weight", RLX_F32, width);
        q.i0 = now.first;
        q.first = rlxc_mul(ctx, part, rlxc_i64(ctx, width));
        const rlxc_stmt *body = rlxc_loop_of(ctx, part, rlxc_i64(ctx, t->q.width / width),
                                             RLXC_LOOP_SERIAL, one_tile(&q));
        rlxc_close_tiles(t->c, &rows, &now, body);
        if (q.mr == 1)
            break;
    }
}

/* Rows of the panel: the weights of a part of it are converted once for all tiles. */
static const rlxc_stmt *converted_rows(rlxc_quant_rows_of *t, rlxc_rest rows)
{
    rlxc_context *ctx = t->ctx;
    rlxc_schedule all = {.s = t->c->s}, one = {.s = t->c->s}, *outer = t->c;
    tile_sizes tiles[MAX_TILES];
    list_tiles(t->z, tiles);
    const int64_t width = tiles[0].vectors * t->vl;
    const rlxc_expr *part = rlxc_loop_var(ctx, "part");
    tile q = {.t = t, .nv = (uint32_t)tiles[0].vectors, .has_all_rows = true};
    t->c = &all;
    q.weight = rlxc_quant_local(t, "weights", RLX_F32, t->rows * width);
    t->c = &one;
    q.first = rlxc_mul(ctx, part, rlxc_i64(ctx, width));
    make_conversion(&q);
    RLXC_PUSH(ctx, &one.out, all_groups(&q));
    for (uint32_t i = 0; i < MAX_TILES && tiles[i].rows; i++) {
        q.mr = (uint32_t)tiles[i].rows;
        const rlxc_tiles now = rlxc_take_tiles(&one, &rows, q.mr, NULL);
        make_sums(&q);
        q.i0 = now.first;
        rlxc_close_tiles(&one, &rows, &now, one_tile(&q));
        if (q.mr == 1)
            break;
    }
    const rlxc_stmt *body = rlxc_body_of(&one);
    RLXC_PUSH(ctx, &all.out,
              rlxc_loop_of(ctx, part, rlxc_i64(ctx, t->q.width / width), RLXC_LOOP_SERIAL, body));
    t->c = outer;
    return rlxc_body_of(&all);
}

/* A block of |rows|, which are many or few. */
static const rlxc_stmt *block_of_rows(rlxc_quant_rows_of *t, rlxc_rest rows)
{
    rlxc_context *ctx = t->ctx;
    rlxc_schedule few = {.s = t->c->s}, *outer = t->c;
    const rlxc_expr *many =
        rlxc_binary(ctx, RLXC_EXPR_GE, rows.left, rlxc_i64(ctx, t->z->converted));
    t->c = &few;
    tiles_of_rows(t, rows);
    t->c = outer;
    if (t->z->converted == 0 || t->z->converted > t->z->block)
        return rlxc_body_of(&few);
    return rlxc_stmt_if(ctx, many, converted_rows(t, rows), rlxc_body_of(&few));
}

/* All rows by tiles of floats, as one parallel loop. */
static const rlxc_stmt *all_rows(rlxc_quant_rows_of *t)
{
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    t->c = &own;
    const rlxc_expr *rows = t->n_rows, *size = rlxc_i64(ctx, t->z->block);
    const rlxc_expr *blocks = rlxc_simplify(ctx, rlxc_split_count(ctx, rows, t->z->block), NULL);
    const rlxc_expr *piece = rlxc_loop_var(ctx, "piece");
    t->panel = rlxc_named(t->c, "panel", rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, piece, blocks));
    const rlxc_expr *block = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, piece, blocks);
    const rlxc_expr *row = rlxc_named(t->c, "row", rlxc_mul(ctx, block, size));
    const rlxc_expr *left = rlxc_split_size(ctx, rows, row, t->z->block);
    const rlxc_rest rest = {rlxc_quant_add(t, t->row0, row), rlxc_named(t->c, "left", left)};
    RLXC_PUSH(ctx, &own.out, block_of_rows(t, rest));
    const rlxc_expr *pieces = rlxc_mul(ctx, rlxc_i64(ctx, t->panels), blocks);
    const rlxc_stmt *body = rlxc_body_of(&own);
    t->c = outer;
    return rlxc_quant_parallel(t, piece, rlxc_simplify(ctx, pieces, NULL), body);
}

const rlxc_stmt *rlxc_quant_parallel(rlxc_quant_rows_of *t, const rlxc_expr *var,
                                     const rlxc_expr *extent, const rlxc_stmt *body)
{
    return rlxc_parallel_loop(t->ctx, var, extent, !t->serial, body);
}

rlxc_quant_rows_of rlxc_quant_begin(rlxc_schedule *c, const rlxc_stage *stage,
                                    const rlxc_stage *epilogue, const rlxc_quant *q, int64_t lanes,
                                    bool threads)
{
    rlxc_quant_rows_of t = {
        .c = c, .ctx = c->s->ctx, .stage = stage, .epilogue = epilogue, .q = *q};
    (void)(rlxc_is_int(stage->extents[1], &t.columns) && rlxc_is_int(stage->extents[2], &t.rows));
    t.row0 = rlxc_i64(t.ctx, 0);
    t.n_rows = stage->extents[0];
    t.panels = (t.columns + t.q.width - 1) / t.q.width;
    t.vl = (uint32_t)lanes;
    t.serial = !threads;
    return t;
}

static int64_t weights_of(const rlxc_stage *stage)
{
    int64_t columns = 0, rows = 0;
    (void)(rlxc_is_int(stage->extents[1], &columns) && rlxc_is_int(stage->extents[2], &rows));
    return rows * columns;
}

bool rlxc_quant_is_large(const rlxc_stage *stage)
{
    return weights_of(stage) >= LARGE;
}

/* From how many rows on weights are converted once. Few weights are not worth the code. */
static int64_t least_converted(const rlxc_stage *stage, const rlxc_quant *q, int64_t rows)
{
    return weights_of(stage) < CONVERTED ? 0 : (q->palette ? 4 : 2) * rows;
}

bool rlxc_quant_fits(const rlxc_stages *s, const rlxc_quant *q, int64_t lanes, int64_t vectors)
{
    return (vectors > 0 && q->width % (lanes * vectors) == 0) ||
           rlxc_decline(s,
                        "%" PRId64 " vectors of %" PRId64 " lanes do not divide panels of %" PRId64
                        " columns",
                        vectors, lanes, q->width);
}

/* A list of tiles for any number of rows: fewer and fewer, to 1. */
static bool fits(const rlxc_stages *s, const rlxc_stage *stage, const rlxc_quant *q,
                 const rlxc_quant_sizes *z)
{
    tile_sizes tiles[MAX_TILES];
    int64_t last = INT64_MAX;
    list_tiles(z, tiles);
    for (uint32_t i = 0; i < MAX_TILES && tiles[i].rows; i++) {
        if (tiles[i].rows >= last)
            return rlxc_decline(s, "rows%u is %" PRId64 ", below %" PRId64 " is needed", i + 1,
                                tiles[i].rows, last);
        last = tiles[i].rows;
        if (!rlxc_quant_fits(s, q, z->lanes, tiles[i].vectors))
            return false;
    }
    if (last != 1)
        return rlxc_decline(s, "the last of the tiles has %" PRId64 " rows, 1 is needed", last);
    if (z->row_bits && !rlxc_quant_fits(s, q, z->lanes, 4))
        return false;
    return rlxc_int_activations_fit(s, stage, q, z);
}

bool rlxc_decide_quant(rlxc_schedule *c, uint32_t i, void *sizes)
{
    rlxc_quant_sizes *z = sizes;
    const rlxc_stage *stage = &c->s->items[i];
    rlxc_quant q;
    if (!rlxc_quant_match(c->s, stage, &q))
        return false;
    const tile_rows *shape = shape_for(c->s->target->sum_registers);
    *z = (rlxc_quant_sizes){.lanes = c->s->target->vector_bytes / 4,
                            .rows1 = shape->tiles[0].mr,
                            .vectors1 = shape->tiles[0].nv,
                            .rows2 = shape->tiles[1].mr,
                            .vectors2 = shape->tiles[1].nv,
                            .rows3 = shape->tiles[2].mr,
                            .vectors3 = shape->tiles[2].nv,
                            .rows4 = shape->tiles[3].mr,
                            .vectors4 = shape->tiles[3].nv,
                            .rows5 = shape->tiles[4].mr,
                            .vectors5 = shape->tiles[4].nv,
                            .block = ROW_BLOCK,
                            .converted = least_converted(stage, &q, shape->tiles[0].mr),
                            .unroll = UNROLLED_WORDS,
                            .epilogue = rlxc_epilogue_of(c->s, i, i) != NULL,
                            .threads = !c->serial && rlxc_quant_is_large(stage)};
    rlxc_int_activations_decide(c->s, stage, &q, z);
    return true;
}

/* Appends the rows t->row0 and after: as integers where that is wanted and they can be. */
static void put_rows(rlxc_quant_rows_of *t)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *usable = rlxc_int_activations_prepare(t);
    const rlxc_stmt *floats = all_rows(t);
    if (usable)
        floats = rlxc_stmt_if(ctx, usable, rlxc_gemv_int_activations(t), floats);
    RLXC_PUSH(ctx, &t->c->out, floats);
}

/* Appends all rows, so many at a time that the integers of a chunk stay in the cache. */
static void put_chunks(rlxc_quant_rows_of *t)
{
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    const rlxc_expr *all = t->n_rows, *chunk = rlxc_loop_var(ctx, "chunk");
    const rlxc_expr *count = rlxc_split_count(ctx, all, t->z->int_rows);
    t->c = &own;
    t->row0 = rlxc_named(&own, "row0", rlxc_mul(ctx, chunk, rlxc_i64(ctx, t->z->int_rows)));
    t->n_rows = rlxc_named(&own, "rows", rlxc_split_size(ctx, all, t->row0, t->z->int_rows));
    put_rows(t);
    t->c = outer;
    RLXC_PUSH(ctx, &outer->out,
              rlxc_loop_of(ctx, chunk, rlxc_simplify(ctx, count, NULL), RLXC_LOOP_SERIAL,
                           rlxc_body_of(&own)));
}

bool rlxc_apply_quant(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_stage *stage = &c->s->items[i];
    const rlxc_quant_sizes *z = sizes;
    rlxc_quant q;
    rlxc_stage *epilogue;
    if (!rlxc_quant_match(c->s, stage, &q) || !fits(c->s, stage, &q, z) ||
        !rlxc_take_epilogue(c->s, i, i, z->epilogue, &epilogue))
        return false;
    rlxc_quant_rows_of t = rlxc_quant_begin(c, stage, epilogue, &q, z->lanes, z->threads);
    t.z = z;
    if (z->chunks)
        put_chunks(&t);
    else
        put_rows(&t);
    rlxc_epilogue_done(c->s, i, epilogue);
    return true;
}

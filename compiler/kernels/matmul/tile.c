/* Register tiles: reductions that vectorise along the last result axis (j), with data reused along
 * another result axis (i). Matmul in all its forms, convolutions along their width, sums over
 * leading axes. matmul/tile_plan.c decides which stages qualify, and the sizes of the tiles.
 *
 *     for the other result axes, for tiles of j, for blocks of rows:   in parallel
 *         [pack the operand that depends on j]
 *         for tiles of i in the block:
 *             acc[mr][nv][vl] = init               local, held in registers: all indices constant
 *             for the reduction axes: acc += ...   mr x nv vector operations, unrolled
 *             store, or the epilogue on the tile   (bias, activation, residual)
 *
 * One thread computes neighbouring tiles of j, so it reads a contiguous range of the operand; with
 * few tiles of j the blocks of rows are divided between threads. An operand that stays in the
 * second-level cache is traversed for each block of rows, whose results are then neighbours. The
 * weights of a convolution that do not stay there are summed in blocks, for the rows of several
 * lines of the image at a time: each block is read from the first-level cache by all rows but the
 * first, and the sums wait in memory meanwhile.
 *
 * Tiles are exact. Remaining rows run in tiles of fewer rows (rlxc_tile_shape.chain). Remaining
 * columns run in a narrower tile, whose last vector is masked if partial: loads give zeros beyond
 * the end, and nothing is stored there. An operand that is not contiguous along j (B of x B^T) is
 * packed for each tile of j and used for many rows, and so is a large one if there are many rows;
 * one with a small stride along j (a strided convolution) is gathered. No tile reads or writes
 * outside its tensors.
 *
 * A window whose neighbours are far apart (a dilated convolution) has no border of zeros around its
 * image: rows outside the image are left out for all columns of the result, and the columns form
 * runs whose windows have the same columns on the image. */
#include "compiler/kernels/matmul/tile.h"

#include "compiler/kernels/conv/sliding.h"
#include "compiler/kernels/rules.h"

enum {
    FEW_ROWS = 3,      /* a tile of so many waits for memory */
    PACKED_BLOCKS = 10 /* blocks of rows that share a copy of the operand */
};

static const rlxc_expr *divide(rlxc_tiler *t, const rlxc_expr *a, int64_t b, bool remainder)
{
    return rlxc_binary(t->ctx, remainder ? RLXC_EXPR_FLOORMOD : RLXC_EXPR_FLOORDIV, a,
                       rlxc_tile_num(t, b));
}

/* |a| / |b|, rounded up. */
static const rlxc_expr *split(rlxc_tiler *t, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *up = rlxc_tile_plus(t, a, rlxc_sub(t->ctx, b, rlxc_tile_num(t, 1)));
    return rlxc_binary(t->ctx, RLXC_EXPR_FLOORDIV, up, b);
}

/* rows / mr, minus one if the remaining rows borrow a tile (rlxc_tile_shape). */
static const rlxc_expr *full_tiles(rlxc_tiler *t)
{
    rlxc_context *ctx = t->ctx;
    uint32_t mr = t->p.mr, borrow = t->p.borrow;
    const rlxc_expr *count = divide(t, t->rows, mr, false), *left = divide(t, t->rows, mr, true);
    const rlxc_expr *any = NULL;
    for (uint32_t r = 1; r < mr; r++) {
        if (!(borrow & 1u << r))
            continue;
        const rlxc_expr *is = rlxc_binary(ctx, RLXC_EXPR_EQ, left, rlxc_tile_num(t, r));
        any = any ? rlxc_binary(ctx, RLXC_EXPR_OR, any, is) : is;
    }
    if (!any)
        return count;
    const rlxc_expr *one = rlxc_binary(ctx, RLXC_EXPR_MIN, count, rlxc_tile_num(t, 1));
    return rlxc_sub(ctx, count, rlxc_select(ctx, any, one, rlxc_tile_num(t, 0)));
}

/* left / rows; none if two tiles of the next smaller size take the rest. */
static const rlxc_expr *tail_tiles(rlxc_tiler *t, const rlxc_expr *left, int64_t rows, int64_t next)
{
    const rlxc_expr *count = divide(t, left, rows, false);
    if (2 * next <= rows)
        return count;
    const rlxc_expr *two = rlxc_binary(t->ctx, RLXC_EXPR_EQ, left, rlxc_tile_num(t, 2 * next));
    return rlxc_select(t->ctx, two, rlxc_tile_num(t, 0), count);
}

/* How tiles fetch panels. A tile that is alone fetches the row p.fetch rows ahead. Several tiles
 * share what is read after this panel, or after this block of the reduction: each fetches as much
 * of it as it has rows, a few elements along with each row of the sums, so that it is there in time
 * however many rows there are. Of panels with rows of one line, one row more than a tile has makes
 * two of half as many, which are too short for that: they count as alone. */
static void share_panels(rlxc_tiler *t, rlxc_schedule *to)
{
    rlxc_context *ctx = t->ctx;
    const int64_t most = rlxc_tile_distance(t) * t->p.nv * t->p.vl;
    if (!t->p.fetch || t->p.window)
        return;
    const rlxc_expr *rows = t->s->extents[t->p.i], *none = rlxc_tile_num(t, 0);
    const rlxc_expr *some = rlxc_binary(ctx, RLXC_EXPR_MAX, rows, rlxc_tile_num(t, 1));
    t->share = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rlxc_tile_num(t, most), some);
    const int64_t few = t->p.mr + (rlxc_tile_lines(&t->p, t->s->out->dtype) == 1);
    t->alone = rlxc_named(to, "alone", rlxc_binary(ctx, RLXC_EXPR_LE, rows, rlxc_tile_num(t, few)));
    t->share = rlxc_named(to, "share", rlxc_select(ctx, t->alone, none, t->share));
}

/* The rows ahead that tiles of the panel at column |j0| fetch. Nothing follows the last panel,
 * whose tiles name lines that they read anyway; but a product inside of loops of another rule is
 * followed by its next one. */
static const rlxc_expr *panel_ahead(rlxc_tiler *t, const rlxc_expr *j0)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *next = rlxc_tile_plus(t, j0, rlxc_tile_num(t, (int64_t)t->p.nv * t->p.vl));
    const rlxc_expr *more = rlxc_binary(ctx, RLXC_EXPR_LT, next, t->s->extents[t->p.j]),
                    *distance = rlxc_tile_num(t, rlxc_tile_distance(t));
    if (!t->p.k_block && !t->c->serial)
        distance = rlxc_select(ctx, more, distance, rlxc_tile_num(t, 0));
    return rlxc_select(ctx, t->alone, rlxc_tile_num(t, t->p.fetch), distance);
}

/* Weights that do not stay in the cache between calls come from memory or the last-level cache,
 * piece by piece as the first tile of rows reads a panel. So tiles prefetch lines, after the last
 * row those of the next panel. A tile of few rows waits for memory, and fetches all lines of a row;
 * those in the last-level cache arrive as soon without it. */
static void fetch_ahead(rlxc_tiler *t, rlxc_schedule *to, rlxc_tile *q)
{
    rlxc_context *ctx = t->ctx;
    const int64_t lines = rlxc_tile_lines(&t->p, t->s->out->dtype);
    if (!t->p.fetch || q->nv != t->p.nv || lines < 1)
        return;
    if (lines == 1 ? q->mr < FEW_ROWS
                   : q->mr <= FEW_ROWS && !t->p.window && !rlxc_tile_is_large(t->c->s, &t->p))
        return;
    const rlxc_expr *width = rlxc_tile_num(t, (int64_t)q->nv * q->vl), *row = q->i0,
                    *part = rlxc_tile_times(t, t->share, q->mr);
    if (t->p.window)
        row = rlxc_tile_plus(t, t->place, rlxc_sub(ctx, row, t->row));
    part = rlxc_split_count(ctx, part, rlxc_tile_distance(t));
    q->ahead_lines = q->mr <= FEW_ROWS ? (uint32_t)lines
                     : q->mr < t->p.mr ? (uint32_t)(lines + 1) / 2
                                       : 1;
    q->ahead_lines = q->ahead_lines < RLXC_MOST_LINES ? q->ahead_lines : RLXC_MOST_LINES;
    q->ahead_step =
        rlxc_named(to, "step", t->alone ? rlxc_select(ctx, t->alone, width, part) : part);
    q->ahead = t->p.window ? rlxc_tile_num(t, 0) : rlxc_named(to, "ahead", panel_ahead(t, q->j0));
    q->ahead_column = rlxc_named(to, "column", rlxc_mul(ctx, row, t->share));
}

/* All rows of the block for one tile of columns: full tiles, then smaller ones. Of an unknown
 * number of rows, the smaller ones have a long epilogue in common: there are fewer than two full
 * tiles of them. */
static const rlxc_stmt *row_tiles(rlxc_tiler *t, rlxc_tile q)
{
    rlxc_context *ctx = t->ctx;
    if (t->p.i == RLXC_NO_AXIS) {
        q.mr = 1;
        return rlxc_tile_body(t, &q);
    }
    rlxc_schedule own = {.s = t->c->s};
    rlxc_rest rest = {t->row, t->rows}, last = {0};
    int64_t known;
    for (uint32_t i = 0; i <= RLXC_ROW_CHAIN && !rlxc_is_const(rest.left, 0); i++) {
        q.mr = i == 0 ? t->p.mr : t->p.tail[i - 1];
        if (q.mr == 0 || (i > 0 && q.mr >= t->p.mr))
            continue;
        const int64_t next = i < RLXC_ROW_CHAIN ? t->p.tail[i] : 0;
        const rlxc_tiles now = rlxc_take_tiles(
            &own, &rest, q.mr, i == 0 ? full_tiles(t) : tail_tiles(t, rest.left, q.mr, next));
        if (rlxc_is_const(now.count, 0))
            continue;
        if (i > 0 && !last.left && rlxc_tile_keeps(t) && !rlxc_is_int(rest.left, &known))
            last = rest;
        q.i0 = now.first;
        q.kept = last.left ? rlxc_sub(ctx, now.first, last.first) : NULL;
        rlxc_schedule each = {.s = t->c->s};
        rlxc_tile one = q;
        fetch_ahead(t, &each, &one);
        RLXC_PUSH(ctx, &each.out, rlxc_tile_body(t, &one));
        rlxc_close_tiles(&own, &rest, &now, rlxc_body_of(&each));
        if (q.mr == 1)
            break;
    }
    q.i0 = last.first;
    if (last.left)
        RLXC_PUSH(ctx, &own.out, rlxc_tile_finish(t, &q, last.left));
    return rlxc_body_of(&own);
}

/* --- windows that leave out what is off the image -------------------------------------------- */

/* |e|, which is about the element |r| along the columns, for the block's outer axes. */
static const rlxc_expr *border_at(rlxc_tiler *t, const rlxc_expr *e, const rlxc_expr *r)
{
    const rlxc_expr *values[RLXC_STAGE_AXES];
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        values[k] = k == t->border->along ? r : t->values[k];
    return rlxc_replace(t->ctx, e, t->s->vars, values, t->s->n_axes);
}

typedef struct run { /* of rows */
    const rlxc_expr *first, *end;
} run;

/* Removes from the run the rows for which |bound| admits the element before |r| but not |r|; the
 * elements of the window are 0 to |width| - 1. */
static run cut(rlxc_tiler *t, rlxc_schedule *to, run all, const rlxc_expr *bound,
               const rlxc_expr *r)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *none = rlxc_tile_num(t, 0), *width = rlxc_tile_num(t, t->border->width);
    const rlxc_expr *before = border_at(t, bound, rlxc_sub(ctx, r, rlxc_tile_num(t, 1)));
    const rlxc_expr *at_last = rlxc_binary(ctx, RLXC_EXPR_EQ, r, width),
                    *at_first = rlxc_binary(ctx, RLXC_EXPR_EQ, r, none);
    const rlxc_expr *first = rlxc_binary(ctx, RLXC_EXPR_MAX, all.first, border_at(t, bound, r));
    const rlxc_expr *end = rlxc_binary(ctx, RLXC_EXPR_MIN, all.end, before);
    return (run){rlxc_named(to, "row", rlxc_select(ctx, at_last, all.first, first)),
                 rlxc_named(to, "end", rlxc_select(ctx, at_first, all.end, end))};
}

/* Appends the loop over all elements |r| of the window and one more. */
static void each_element(rlxc_tiler *t, rlxc_schedule *to, const rlxc_expr *r,
                         const rlxc_schedule *body)
{
    const rlxc_expr *n = rlxc_tile_num(t, t->border->width + 1);
    RLXC_PUSH(t->ctx, &to->out, rlxc_loop_of(t->ctx, r, n, RLXC_LOOP_SERIAL, rlxc_body_of(body)));
}

/* |body| if the run has rows. */
static void where_any(rlxc_tiler *t, rlxc_schedule *to, run rows, const rlxc_stmt *body)
{
    const rlxc_expr *any = rlxc_binary(t->ctx, RLXC_EXPR_LT, rows.first, rows.end);
    RLXC_PUSH(t->ctx, &to->out, rlxc_stmt_if(t->ctx, any, body, NULL));
}

/* Rows by runs that see the same elements of the window: |from| and |to| determine where runs begin
 * or end at the left and the right border. */
static const rlxc_stmt *border_rows(rlxc_tiler *t, rlxc_tile q)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_sliding *w = t->border;
    rlxc_schedule own = {.s = t->c->s}, left = own, right = own;
    rlxc_tile_ranges ranges = {0};
    const rlxc_expr *from = rlxc_loop_var(ctx, "low"), *to = rlxc_loop_var(ctx, "high");
    const rlxc_expr *none = rlxc_tile_num(t, 0), *row = t->row, *rows = t->rows;
    for (uint32_t k = 0; k < t->s->n_axes; k++) {
        if (!w->from[k] || k == w->along)
            continue;
        ranges.first[k] = rlxc_named(&own, "first", border_at(t, w->from[k], none));
        const rlxc_expr *n = rlxc_sub(ctx, border_at(t, w->to[k], none), ranges.first[k]);
        ranges.count[k] = rlxc_named(&own, "count", rlxc_binary(ctx, RLXC_EXPR_MAX, n, none));
    }
    const run all = {row, rlxc_named(&own, "end", rlxc_tile_plus(t, row, rows))};
    const run from_left = cut(t, &left, all, w->first, from);
    const run both = cut(t, &right, from_left, w->end, to);
    ranges.first[w->along] = from;
    ranges.count[w->along] = rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_sub(ctx, to, from), none);
    q.ranges = &ranges;
    t->row = both.first;
    t->rows = rlxc_sub(ctx, both.end, both.first);
    where_any(t, &right, both, row_tiles(t, q));
    t->row = row;
    t->rows = rows;
    rlxc_schedule inner = {.s = t->c->s};
    each_element(t, &inner, to, &right);
    where_any(t, &left, from_left, rlxc_body_of(&inner));
    each_element(t, &own, from, &left);
    return rlxc_body_of(&own);
}

static const rlxc_stmt *all_rows(rlxc_tiler *t, rlxc_tile q)
{
    return t->border ? border_rows(t, q) : row_tiles(t, q);
}

/* --- tiles of columns ------------------------------------------------------------------------- */

/* The number of points of the other result axes. */
static const rlxc_expr *outer_extent(rlxc_tiler *t)
{
    const rlxc_expr *total = rlxc_tile_num(t, 1);
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        if (k != t->p.j && k != t->p.i && !t->s->reduces[k])
            total = rlxc_mul(t->ctx, total, t->s->extents[k]);
    return rlxc_canonical(t->ctx, total, NULL);
}

/* Sets the other axes for position |at| in their product. */
static void set_outer(rlxc_tiler *t, const rlxc_expr *at)
{
    uint32_t last = RLXC_NO_AXIS;
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        if (k != t->p.j && k != t->p.i && !t->s->reduces[k] && last == RLXC_NO_AXIS)
            last = k; /* the outermost: takes what is left */
    for (uint32_t k = t->s->n_axes; k-- > 0;) {
        if (k == t->p.j || k == t->p.i || t->s->reduces[k])
            continue;
        const rlxc_expr *extent = t->s->extents[k];
        t->values[k] = k == last ? at : rlxc_binary(t->ctx, RLXC_EXPR_FLOORMOD, at, extent);
        at = rlxc_binary(t->ctx, RLXC_EXPR_FLOORDIV, at, extent);
    }
}

/* The elements of the reduction axes where block |at| of a window begins: the elements of the
 * window take turns, and so do the channels of the image that they read. */
static void window_values(rlxc_tiler *t, rlxc_schedule *to, const rlxc_expr *at,
                          const rlxc_expr **out)
{
    for (uint32_t k = t->s->n_axes - 1; k-- > 0;) {
        int64_t extent = 1;
        if (!t->s->reduces[k])
            continue;
        rlxc_is_int(t->s->extents[k], &extent);
        out[k] = rlxc_named(to, "at", divide(t, at, extent, true));
        at = divide(t, at, extent, false);
    }
    out[t->p.reduce] = rlxc_named(to, "first", rlxc_tile_times(t, at, t->p.k_block));
}

/* The rows of a piece for one tile of columns, for one block of a window after the other: the
 * weights of a block are read from the first-level cache by all rows but the first ones, and the
 * tiles together fetch those of the next block. */
static const rlxc_stmt *window_blocks(rlxc_tiler *t, rlxc_tile q)
{
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, inner = own, each = own;
    const rlxc_expr *extent = t->s->extents[t->p.reduce], *one = rlxc_tile_num(t, 1);
    const int64_t width = (int64_t)q.nv * q.vl;
    t->blocks = rlxc_split_count(ctx, extent, t->p.k_block);
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        if (t->s->reduces[k] && k != t->p.reduce)
            t->blocks = rlxc_mul(ctx, t->blocks, t->s->extents[k]);
    t->blocks = rlxc_canonical(ctx, t->blocks, NULL);
    const rlxc_expr *rows = rlxc_mul(ctx, t->outers, t->rows);
    t->share =
        rlxc_named(&own, "share",
                   rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rlxc_tile_num(t, t->p.k_block * width),
                               rlxc_binary(ctx, RLXC_EXPR_MAX, rows, one)));
    t->block = rlxc_loop_var(ctx, "block");
    window_values(t, &inner, t->block, t->values);
    t->first = t->values[t->p.reduce];
    t->count = rlxc_tile_num(t, t->p.k_block);
    if (!rlxc_is_const(rlxc_canonical(ctx, divide(t, extent, t->p.k_block, true), NULL), 0))
        t->count =
            rlxc_named(&inner, "count", rlxc_split_size(ctx, extent, t->first, t->p.k_block));
    if (t->p.fetch) {
        const rlxc_expr *after = rlxc_tile_plus(t, t->block, one);
        const rlxc_expr *more = rlxc_binary(ctx, RLXC_EXPR_LT, after, t->blocks);
        after = rlxc_named(&inner, "next", rlxc_select(ctx, more, after, rlxc_tile_num(t, 0)));
        window_values(t, &inner, after, t->next);
        t->next_panel = rlxc_named(&inner, "panel", rlxc_select(ctx, more, q.j0, t->piece_panel));
    }
    const rlxc_expr *outer = rlxc_loop_var(ctx, "outer");
    set_outer(t, rlxc_tile_plus(t, t->outer, outer));
    t->place = rlxc_named(&each, "place", rlxc_mul(ctx, outer, t->rows));
    RLXC_PUSH(ctx, &each.out, all_rows(t, q));
    RLXC_PUSH(ctx, &inner.out,
              rlxc_loop_of(ctx, outer, t->outers, RLXC_LOOP_SERIAL, rlxc_body_of(&each)));
    RLXC_PUSH(ctx, &own.out,
              rlxc_loop_of(ctx, t->block, t->blocks, RLXC_LOOP_SERIAL, rlxc_body_of(&inner)));
    return rlxc_body_of(&own);
}

/* The rows of one tile of columns, for one block of the reduction after the other: what is read of
 * the panel and of the rows stays in the second level of cache. Few rows use a panel once, in one.
 */
static const rlxc_stmt *reduction_blocks(rlxc_tiler *t, rlxc_tile q)
{
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s};
    const int64_t step = t->p.k_block;
    const rlxc_expr *extent = t->s->extents[t->p.reduce];
    const rlxc_expr *many = rlxc_binary(ctx, RLXC_EXPR_GT, t->rows, rlxc_tile_num(t, t->p.mr));
    const rlxc_expr *count = rlxc_split_count(ctx, extent, step);
    t->blocks = rlxc_named(&own, "sums", rlxc_select(ctx, many, count, rlxc_tile_num(t, 1)));
    rlxc_schedule inner = {.s = t->c->s};
    t->block = rlxc_loop_var(ctx, "block");
    t->first = rlxc_named(&inner, "first", rlxc_tile_times(t, t->block, step));
    const rlxc_expr *left = rlxc_split_size(ctx, extent, t->first, step);
    t->count = rlxc_named(&inner, "count", rlxc_select(ctx, many, left, extent));
    RLXC_PUSH(ctx, &inner.out, all_rows(t, q));
    const rlxc_stmt *body = rlxc_body_of(&inner);
    RLXC_PUSH(ctx, &own.out, rlxc_loop_of(ctx, t->block, t->blocks, RLXC_LOOP_SERIAL, body));
    return rlxc_body_of(&own);
}

static const rlxc_stmt *columns(rlxc_tiler *t, rlxc_tile q)
{
    if (t->p.window)
        return window_blocks(t, q);
    if (t->p.k_block)
        return reduction_blocks(t, q);
    const rlxc_stmt *in_place = t->p.must_pack ? NULL : all_rows(t, q);
    if (!t->p.must_pack && !t->packs)
        return in_place;
    const bool always = t->p.must_pack;
    t->p.must_pack = true;
    const rlxc_stmt *parts[2] = {rlxc_part(t->ctx, "pack", rlxc_tile_pack(t, &q)), all_rows(t, q)};
    const rlxc_stmt *packed = rlxc_stmt_seq(t->ctx, parts, 2);
    t->p.must_pack = always;
    return always ? packed : rlxc_stmt_if(t->ctx, t->packs, packed, in_place);
}

static bool is_zero(rlxc_tiler *t, const rlxc_expr *e)
{
    return rlxc_is_const(rlxc_simplify(t->ctx, e, NULL), 0);
}

/* Wraps the statements appended since in a loop over |extent|. */
static void close_loop(rlxc_tiler *t, rlxc_schedule *to, const rlxc_expr *var,
                       const rlxc_expr *extent)
{
    rlxc_context *ctx = t->ctx;
    RLXC_PUSH(ctx, &to->out,
              rlxc_parallel_loop(ctx, var, rlxc_simplify(ctx, extent, NULL), !t->small,
                                 rlxc_body_of(t->c)));
    t->c->out.count = 0;
}

/* Decides how the rows are cut: says so to |to| where that is up to the extents. |packs|: the tiles
 * may be of packed columns. Gives the number of blocks of rows that can be computed apart; those
 * that pay for a copy of the operand are larger. */
static const rlxc_expr *row_blocks(rlxc_tiler *t, rlxc_schedule *to, bool packs)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *plain = rlxc_tile_num(t, t->p.block),
                    *packed = rlxc_tile_num(t, t->p.block * PACKED_BLOCKS);
    t->packs = NULL;
    t->size = t->p.must_pack ? packed : plain;
    if (t->p.i == RLXC_NO_AXIS)
        return rlxc_tile_num(t, 1);
    if (packs && t->p.pack_rows) {
        t->packs = rlxc_named(to, "packs", rlxc_tile_packs(ctx, t->s, &t->p));
        t->size = rlxc_named(to, "size", rlxc_select(ctx, t->packs, packed, plain));
    }
    return rlxc_named(to, "blocks", split(t, t->s->extents[t->p.i], t->size));
}

/* Sets the rows of block |block| of |blocks|. */
static void set_rows(rlxc_tiler *t, const rlxc_expr *block, const rlxc_expr *blocks)
{
    t->row = rlxc_tile_num(t, 0);
    t->rows = t->p.i == RLXC_NO_AXIS ? rlxc_tile_num(t, 1) : t->s->extents[t->p.i];
    if (rlxc_is_const(blocks, 1))
        return;
    t->row = rlxc_named(t->c, "row", rlxc_mul(t->ctx, block, t->size));
    const rlxc_expr *left = rlxc_sub(t->ctx, t->rows, t->row);
    t->rows = rlxc_named(t->c, "rows", rlxc_binary(t->ctx, RLXC_EXPR_MIN, left, t->size));
}

/* Sets the points of the outer axes for piece |at| of a window, so many that their rows have room
 * in |partial|. Gives the number of such pieces. */
static const rlxc_expr *take_group(rlxc_tiler *t, rlxc_schedule *to, const rlxc_expr *at)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *all = rlxc_named(to, "outers", outer_extent(t)), *one = rlxc_tile_num(t, 1);
    const rlxc_expr *size = rlxc_tile_num(t, t->p.block);
    const rlxc_expr *rows = rlxc_binary(ctx, RLXC_EXPR_MIN, t->s->extents[t->p.i], size);
    rows = rlxc_binary(ctx, RLXC_EXPR_MAX, rows, one);
    const rlxc_expr *most =
        rlxc_named(to, "most", rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, size, rows));
    const rlxc_expr *few = rlxc_binary(ctx, RLXC_EXPR_MAX, split(t, all, most), one);
    const rlxc_expr *each = rlxc_named(
        to, "group", rlxc_binary(ctx, RLXC_EXPR_MAX, split(t, all, few), one)); /* even */
    const rlxc_expr *n = rlxc_named(to, "groups", split(t, all, each));
    t->outer =
        rlxc_named(t->c, "outer", rlxc_mul(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, at, n), each));
    t->outers = rlxc_named(t->c, "outers",
                           rlxc_binary(ctx, RLXC_EXPR_MIN, rlxc_sub(ctx, all, t->outer), each));
    return n;
}

/* One loop over the other axes, |full| tiles of full width and, if |left| is a number, a narrower
 * one for the columns left over, and the blocks of rows. */
static void all_columns(rlxc_tiler *t, rlxc_schedule *to, const rlxc_expr *full, int64_t left)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *p = rlxc_loop_var(ctx, "piece"), *blocks = row_blocks(t, to, true);
    const rlxc_expr *tiles =
        rlxc_named(to, "tiles", left > 0 ? rlxc_tile_plus(t, full, rlxc_tile_num(t, 1)) : full);
    int64_t width = (int64_t)t->p.nv * t->p.vl;
    rlxc_tile_locals(t, width, t->p.block);
    share_panels(t, to);
    const bool one = rlxc_is_const(outer_extent(t), 1), rows_first = one && t->p.near,
               panel_first = t->border || t->p.far;
    const rlxc_expr *inner = rows_first ? tiles : blocks;
    const rlxc_expr *slow = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, p, inner);
    const rlxc_expr *fast = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, p, inner);
    const rlxc_expr *at = rlxc_named(t->c, "at", rows_first ? fast : slow), *j = at;
    const rlxc_expr *outers = outer_extent(t); /* pieces of them */
    /* All rows read one panel before the next if a row at a border reads only a part of it, or if
     * the panels do not stay in the cache. */
    if (t->p.window) {
        const rlxc_expr *n = take_group(t, to, at),
                        *next = rlxc_tile_plus(t, p, rlxc_tile_num(t, 1));
        j = rlxc_named(t->c, "tile", rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, at, n));
        next = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, next, rlxc_mul(ctx, n, blocks));
        t->piece_panel = rlxc_named(t->c, "piece_panel", rlxc_tile_times(t, next, width));
        outers = n;
    } else if (!one) {
        const rlxc_expr *n = panel_first ? rlxc_named(to, "outers", outer_extent(t)) : tiles;
        const rlxc_expr *whole = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, at, n),
                        *part = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, at, n);
        set_outer(t, rlxc_named(t->c, "outer", panel_first ? part : whole));
        j = rlxc_named(t->c, "tile", panel_first ? whole : part);
    }
    set_rows(t, rows_first ? slow : fast, blocks);
    rlxc_tile wide = {.nv = t->p.nv, .vl = t->p.vl, .j0 = rlxc_tile_times(t, j, width)},
              narrow = wide;
    if (left > 0) {
        narrow.j0 = rlxc_tile_times(t, full, width);
        narrow.nv = (uint32_t)((left + t->p.vl - 1) / t->p.vl);
        narrow.valid = left % t->p.vl ? rlxc_tile_num(t, left) : NULL;
    }
    const rlxc_stmt *body = NULL;
    if (left == 0)
        body = columns(t, wide);
    else if (is_zero(t, full))
        body = columns(t, narrow);
    else
        body = rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, j, full), columns(t, wide),
                            columns(t, narrow));
    RLXC_PUSH(ctx, &t->c->out, body);
    close_loop(t, to, p, rlxc_mul(ctx, rlxc_mul(ctx, outers, tiles), blocks));
}

/* An unknown number of columns that does not fill a tile: full vectors, then a partial one. Columns
 * of one row, which read each row of the operand once, take half of the vectors first, then a
 * quarter and so on. */
static void left_columns(rlxc_tiler *t, rlxc_schedule *to, const rlxc_expr *start,
                         const rlxc_expr *left)
{
    rlxc_context *ctx = t->ctx;
    const uint32_t most = t->p.i == RLXC_NO_AXIS && t->p.nv > 1 ? t->p.nv / 2 : 1;
    const rlxc_expr *p = rlxc_loop_var(ctx, "piece"), *blocks = row_blocks(t, to, false);
    rlxc_tile_locals(t, (int64_t)most * t->p.vl, t->p.block);
    if (!rlxc_is_const(outer_extent(t), 1))
        set_outer(t, rlxc_named(t->c, "outer", rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, p, blocks)));
    set_rows(t, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, p, blocks), blocks);
    rlxc_rest rest = {start, left};
    rlxc_tile q = {.vl = t->p.vl};
    for (q.nv = most; q.nv > 0; q.nv /= 2) {
        const rlxc_tiles now = rlxc_take_tiles(t->c, &rest, (int64_t)q.nv * q.vl, NULL);
        q.j0 = now.first;
        rlxc_close_tiles(t->c, &rest, &now, columns(t, q));
    }
    q.nv = 1;
    q.j0 = rest.first;
    q.valid = rest.left;
    RLXC_PUSH(ctx, &t->c->out,
              rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_GT, q.valid, rlxc_tile_num(t, 0)),
                           columns(t, q), NULL));
    close_loop(t, to, p, rlxc_mul(ctx, outer_extent(t), blocks));
}

bool rlxc_tile_is_small(const rlxc_stage *s)
{
    int64_t total = 1, extent;
    for (uint32_t k = 0; k < s->n_axes; k++)
        if (!rlxc_is_int(s->extents[k], &extent) || __builtin_mul_overflow(total, extent, &total))
            return false;
    return total < 65536;
}

/* Merges the axes before j, in stage and epilogue alike: all rows that use the operand become one
 * axis (the pixels of all images, the positions of all sequences). Where nothing is reused along
 * rows, j too: the pixels of an image are its columns. */
static void merge_axes(rlxc_schedule *c, rlxc_stage *both, uint32_t n)
{
    rlxc_tile_plan p;
    uint32_t end = 0;
    if (n > 1 && (both[1].n_axes != both[0].out->ndim || both[0].n_axes < both[1].n_axes))
        return;
    if (!rlxc_tile_plan_of(c->s, both, &p) && p.vl == 0)
        return; /* not for too few columns */
    while (end < both->n_axes && !both->reduces[end] && (p.i == RLXC_NO_AXIS || end < p.j))
        end++;
    rlxc_merge_axes(c, both, n, 0, end, n > 1 ? both[0].out : NULL);
}

/* The stage and its epilogue in the form to be tiled: without conditions at a border, or with their
 * rows merged. Declarations go to c->out. */
typedef struct prepared {
    rlxc_stage both[2];
    rlxc_sliding border;
    bool bordered;
    uint32_t n;
} prepared;

static prepared prepare(rlxc_schedule *c, const rlxc_stage *stage, const rlxc_stage *epilogue)
{
    prepared p = {.both = {*stage, epilogue ? *epilogue : *stage}, .n = epilogue ? 2 : 1};
    rlxc_name_positions(c, p.both, p.n);
    p.bordered = rlxc_find_border(c->s, &p.both[0], &p.border);
    if (p.bordered)
        p.both[0] = p.border.stage;
    else
        merge_axes(c, p.both, p.n);
    return p;
}

bool rlxc_decide_tiles(rlxc_schedule *c, const rlxc_stage *stage, const rlxc_stage *epilogue,
                       rlxc_tile_sizes *out)
{
    rlxc_schedule unused = {.s = c->s, .serial = c->serial};
    const prepared r = prepare(&unused, stage, epilogue);
    rlxc_tile_plan p;
    if (!rlxc_tile_plan_of(c->s, &r.both[0], &p))
        return false;
    if (r.bordered)
        rlxc_tile_without_window(&p);
    *out = (rlxc_tile_sizes){.lanes = p.vl,
                             .vectors = p.nv,
                             .rows = p.mr,
                             .tail1 = p.tail[0],
                             .tail2 = p.tail[1],
                             .tail3 = p.tail[2],
                             .tail4 = p.tail[3],
                             .tail5 = p.tail[4],
                             .borrow = p.borrow,
                             .block = p.block,
                             .k_block = p.k_block,
                             .pack = p.must_pack ? 1 : p.pack_rows,
                             .fetch = p.fetch,
                             .rows_first = p.near,
                             .panel_first = p.far,
                             .chains = p.chains,
                             .unroll = p.unroll,
                             .epilogue = epilogue != NULL,
                             .threads = !c->serial && !rlxc_tile_is_small(&r.both[0])};
    return true;
}

bool rlxc_schedule_tile(rlxc_schedule *c, const rlxc_stage *stage, const rlxc_stage *epilogue,
                        const rlxc_tile_sizes *sizes)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_schedule inner = {.s = c->s, .serial = c->serial};
    const prepared r = prepare(c, stage, epilogue);
    rlxc_tiler t = {.c = &inner,
                    .ctx = ctx,
                    .s = &r.both[0],
                    .epilogue = epilogue ? &r.both[1] : NULL,
                    .border = r.bordered ? &r.border : NULL,
                    .small = !sizes->threads};
    if (!rlxc_tile_plan_with(c->s, t.s, sizes, &t.p))
        return false;
    if (r.bordered && t.p.window)
        return rlxc_decline(c->s, "k_block needs a window without conditions at a border");
    if (t.p.window)
        t.p.reduce = t.s->n_axes - 1; /* the tiles sum along this one */
    for (uint32_t k = 0; k < t.s->n_axes; k++)
        t.values[k] = rlxc_tile_num(&t, 0);
    int64_t width = (int64_t)t.p.nv * t.p.vl, left;
    const rlxc_expr *extent = t.s->extents[t.p.j];
    const rlxc_expr *tiles = rlxc_simplify(ctx, divide(&t, extent, width, false), NULL);
    const rlxc_expr *rest = rlxc_simplify(ctx, divide(&t, extent, width, true), NULL);
    bool is_known = rlxc_is_int(rest, &left);
    if (!is_zero(&t, tiles) || (is_known && left > 0))
        all_columns(&t, c, tiles, is_known ? left : 0);
    if (!is_known)
        left_columns(&t, c, rlxc_tile_times(&t, tiles, width), rest);
    return true;
}

bool rlxc_decide_tile(rlxc_schedule *c, uint32_t i, void *sizes)
{
    return rlxc_decide_tiles(c, &c->s->items[i], rlxc_epilogue_on_tile(c->s, i, i), sizes);
}

bool rlxc_apply_tile(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_tile_sizes *z = sizes;
    rlxc_stage *epilogue = z->epilogue ? rlxc_epilogue_on_tile(c->s, i, i) : NULL;
    if ((!epilogue && !rlxc_take_epilogue(c->s, i, i, z->epilogue, &epilogue)) ||
        !rlxc_schedule_tile(c, &c->s->items[i], epilogue, z))
        return false;
    rlxc_epilogue_done(c->s, i, epilogue);
    return true;
}

/* Windows that slide over each channel by itself (sliding.h), in register tiles of one vector of
 * channels and several neighbouring columns, which share the vectors that they read.
 *
 *     for the outer axes, for bands of rows, for vectors of channels:      in parallel
 *         for the rows of the band:
 *             for tiles of columns:
 *                 sums over the window, its last axis unrolled; the epilogue
 *
 * A band's vectors of the rows above stay in the first level of cache. The padding is nowhere in
 * memory: rows of the window that are off the image are left out of the loop over them. Of the
 * columns only the outer tiles see the border. Where the places of the tiles are numbers, a step of
 * theirs that is off the image is not emitted; else those columns go one by one, and the window's
 * part on the image is a loop. Channels that fill no vector run in a narrower one, masked where it
 * is not full. */
#include "compiler/kernels/conv/sliding.h"
#include "compiler/kernels/matmul/tile.h"
#include "compiler/kernels/rules.h"

enum {
    MIN_LANES = 4,
    BAND = 8,               /* rows, at most */
    MOST_COLUMNS = 1 << 20, /* whose tiles are looked at one by one here */
    GUARDED = 2,            /* tiles of columns emitted for their place */
    TAIL = 4                /* columns of smaller tiles */
};

/* Columns of a tile: its sums, the window's row of weights and what is being read in registers. */
static uint32_t tile_columns(const rlxc_stages *s)
{
    const uint32_t registers = s->target->sum_registers;
    return registers >= 32 ? 14 : registers >= 16 ? 8 : registers >= 12 ? 6 : 4;
}

typedef struct slider {
    rlxc_tiler t;
    rlxc_sliding w;
    const rlxc_sliding_sizes *z;
    rlxc_tile_ranges ranges; /* of the row */
} slider;

static const rlxc_expr *at_place(slider *e, const rlxc_expr *x)
{
    const rlxc_stage *s = &e->w.stage;
    return rlxc_replace(e->t.ctx, x, s->vars, e->t.values, s->n_axes);
}

/* The part of the window's axis |k| that is on the image, the other axes having their values. */
static void set_range(slider *e, rlxc_schedule *to, rlxc_tile_ranges *ranges, uint32_t k)
{
    rlxc_context *ctx = e->t.ctx;
    const rlxc_expr *first = rlxc_named(to, "first", at_place(e, e->w.from[k]));
    const rlxc_expr *left = rlxc_sub(ctx, at_place(e, e->w.to[k]), first);
    left = rlxc_binary(ctx, RLXC_EXPR_MAX, left, rlxc_tile_num(&e->t, 0));
    ranges->first[k] = first;
    ranges->count[k] = rlxc_named(to, "count", left);
}

/* As many tiles of |q->mr| columns as |rest| has. */
static void tiles(slider *e, rlxc_schedule *to, rlxc_tile q, rlxc_rest *rest)
{
    const rlxc_tiles now = rlxc_take_tiles(to, rest, q.mr, NULL);
    q.i0 = now.first;
    rlxc_close_tiles(to, rest, &now, rlxc_tile_body(&e->t, &q));
}

/* Tiles at known places, as even as can be. False where too many of them see the border. */
static bool known_columns(slider *e, rlxc_schedule *to, rlxc_tile q)
{
    rlxc_context *ctx = e->t.ctx;
    const uint32_t k = e->w.along;
    int64_t columns, first, end, guarded = 0;
    if (!rlxc_is_int(e->w.stage.extents[e->w.column], &columns) ||
        !rlxc_is_int(e->w.first, &first) || !rlxc_is_int(e->w.end, &end) || columns > MOST_COLUMNS)
        return false;
    const int64_t most = e->t.p.mr, n = (columns + most - 1) / most;
    const int64_t width = n ? columns / n : 0, wider = n ? columns % n : 0;
    for (int64_t i = 0; i < n && guarded <= e->z->guarded; i++) {
        const int64_t start = i * width + (i < wider ? i : wider);
        guarded += start < first || start + width + (i < wider) > end;
    }
    if (guarded > e->z->guarded)
        return false;
    const rlxc_expr *step = e->w.stage.vars[k], *guard = NULL;
    if (e->w.from[k])
        guard = rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LE, e->w.from[k], step),
                            rlxc_binary(ctx, RLXC_EXPR_LT, step, e->w.to[k]));
    for (int64_t i = 0, start = 0, run; i < n; i += run) {
        const int64_t own = width + (i < wider), alike = i < wider ? wider : n;
        const bool border = start < first || start + own > end;
        for (run = 1; !border && i + run < alike && start + (run + 1) * own <= end;)
            run++;
        q.mr = (uint32_t)own;
        q.guard = border ? guard : NULL;
        tiles(e, to, q, &(rlxc_rest){rlxc_tile_num(&e->t, start), rlxc_tile_num(&e->t, run * own)});
        start += run * own;
    }
    return true;
}

/* Columns from |start| up to |end| that see the border, one by one. */
static void border_columns(slider *e, rlxc_schedule *to, rlxc_tile q, const rlxc_expr *start,
                           const rlxc_expr *end)
{
    rlxc_context *ctx = e->t.ctx;
    rlxc_schedule own = {.s = e->t.c->s};
    rlxc_tile_ranges ranges = e->ranges;
    const rlxc_expr *var = rlxc_loop_var(ctx, "i");
    const rlxc_expr *count = rlxc_simplify(ctx, rlxc_sub(ctx, end, start), NULL);
    if (rlxc_is_const(count, 0) || !e->w.from[e->w.along]) /* no border */
        return;
    q.mr = 1;
    q.i0 = rlxc_tile_plus(&e->t, start, var);
    q.ranges = &ranges;
    e->t.values[e->w.column] = q.i0;
    set_range(e, &own, &ranges, e->w.along);
    RLXC_PUSH(ctx, &own.out, rlxc_tile_body(&e->t, &q));
    const rlxc_stmt *body = rlxc_body_of(&own);
    RLXC_PUSH(ctx, &to->out, rlxc_loop_of(ctx, var, count, RLXC_LOOP_SERIAL, body));
}

static const rlxc_stmt *columns(slider *e, rlxc_tile q)
{
    rlxc_context *ctx = e->t.ctx;
    rlxc_schedule own = {.s = e->t.c->s};
    q.ranges = &e->ranges;
    if (known_columns(e, &own, q))
        return rlxc_body_of(&own);
    const rlxc_expr *all = e->w.stage.extents[e->w.column], *none = rlxc_tile_num(&e->t, 0);
    const rlxc_expr *start = rlxc_binary(ctx, RLXC_EXPR_MIN, at_place(e, e->w.first), all);
    start = rlxc_named(&own, "start", start);
    const rlxc_expr *end = rlxc_binary(ctx, RLXC_EXPR_MIN, at_place(e, e->w.end), all);
    end = rlxc_named(&own, "end", rlxc_binary(ctx, RLXC_EXPR_MAX, end, start));
    border_columns(e, &own, q, none, start);
    rlxc_rest rest = {start, rlxc_sub(ctx, end, start)};
    const uint32_t widths[3] = {e->t.p.mr, (uint32_t)e->z->tail, 1};
    for (uint32_t i = 0; i < 3; i++) {
        q.mr = widths[i];
        tiles(e, &own, q, &rest);
    }
    border_columns(e, &own, q, end, all);
    return rlxc_body_of(&own);
}

/* One row: whole vectors of channels, or what is left of them. */
static const rlxc_stmt *row(slider *e, const rlxc_expr *vector)
{
    rlxc_context *ctx = e->t.ctx;
    rlxc_schedule own = {.s = e->t.c->s};
    const int64_t lanes = e->t.p.vl, whole = e->w.channels / lanes, left = e->w.channels % lanes;
    for (uint32_t k = 0; k < e->w.along; k++)
        if (e->w.from[k])
            set_range(e, &own, &e->ranges, k);
    rlxc_tile wide = {.nv = 1, .vl = e->t.p.vl, .j0 = rlxc_tile_times(&e->t, vector, lanes)};
    rlxc_tile narrow = {.nv = 1, .vl = e->t.p.vl, .j0 = rlxc_tile_num(&e->t, whole * lanes)};
    while (narrow.vl > MIN_LANES && narrow.vl / 2 >= left)
        narrow.vl /= 2;
    narrow.valid = left < narrow.vl ? rlxc_tile_num(&e->t, left) : NULL;
    const rlxc_expr *is_whole = rlxc_binary(ctx, RLXC_EXPR_LT, vector, rlxc_tile_num(&e->t, whole));
    RLXC_PUSH(ctx, &own.out,
              left == 0    ? columns(e, wide)
              : whole == 0 ? columns(e, narrow)
                           : rlxc_stmt_if(ctx, is_whole, columns(e, wide), columns(e, narrow)));
    return rlxc_body_of(&own);
}

/* Rows of a band: all bands alike where the number of rows is known. */
static int64_t band_of(const rlxc_expr *rows)
{
    int64_t n;
    if (!rlxc_is_int(rows, &n) || n < 1 || n > INT32_MAX)
        return BAND;
    const int64_t bands = (n + BAND - 1) / BAND;
    return (n + bands - 1) / bands;
}

/* The rows of the band that the axis has for its value now. */
static const rlxc_stmt *band(slider *e, int64_t size, const rlxc_expr *vector)
{
    rlxc_context *ctx = e->t.ctx;
    const uint32_t k = e->w.row;
    if (k == RLXC_STAGE_AXES)
        return row(e, vector);
    rlxc_schedule own = {.s = e->t.c->s};
    const rlxc_expr *var = rlxc_loop_var(ctx, "y");
    const rlxc_expr *start = rlxc_named(&own, "row", rlxc_tile_times(&e->t, e->t.values[k], size));
    const rlxc_expr *left = rlxc_split_size(ctx, e->w.stage.extents[k], start, size);
    left = rlxc_named(&own, "rows", left);
    e->t.values[k] = rlxc_tile_plus(&e->t, start, var);
    RLXC_PUSH(ctx, &own.out, rlxc_loop_of(ctx, var, left, RLXC_LOOP_SERIAL, row(e, vector)));
    return rlxc_body_of(&own);
}

/* Gives the outer axes their values in piece |at|, the row the number of its band; how many pieces
 * there are. */
static const rlxc_expr *set_outer(slider *e, rlxc_schedule *to, int64_t size, const rlxc_expr *at)
{
    rlxc_context *ctx = e->t.ctx;
    const rlxc_expr *total = rlxc_tile_num(&e->t, 1);
    for (uint32_t k = e->w.column; k-- > 0;) {
        const rlxc_expr *n = e->w.stage.extents[k];
        n = k == e->w.row ? rlxc_split_count(ctx, n, size) : n;
        n = rlxc_named(to, "pieces", n);
        at = rlxc_named(e->t.c, "at", at);
        e->t.values[k] = k ? rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, at, n) : at;
        at = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, at, n);
        total = rlxc_mul(ctx, total, n);
    }
    for (uint32_t k = e->w.column; k < e->w.stage.n_axes; k++)
        e->t.values[k] = rlxc_tile_num(&e->t, 0);
    return total;
}

bool rlxc_decide_sliding(rlxc_schedule *c, uint32_t i, void *sizes)
{
    rlxc_sliding w;
    if (!rlxc_find_sliding(c->s, &c->s->items[i], &w))
        return false;
    uint32_t lanes = c->s->target->vector_bytes / (w.stage.out->dtype.bits > 32 ? 8 : 4);
    while (lanes > MIN_LANES && w.channels < lanes)
        lanes /= 2;
    *(rlxc_sliding_sizes *)sizes = (rlxc_sliding_sizes){
        .lanes = lanes,
        .columns = tile_columns(c->s),
        .tail = TAIL,
        .guarded = GUARDED,
        .band = w.row < w.column ? band_of(w.stage.extents[w.row]) : 1,
        .epilogue = rlxc_epilogue_of(c->s, i, i) != NULL,
        .threads = !c->serial && !rlxc_tile_is_small(&w.stage),
    };
    return true;
}

bool rlxc_apply_sliding(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_schedule inner = {.s = c->s};
    slider e = {.t = {.c = &inner, .ctx = ctx}, .z = sizes};
    rlxc_tiler *t = &e.t;
    rlxc_stage *epilogue;
    if (!rlxc_find_sliding(c->s, &c->s->items[i], &e.w) ||
        !rlxc_take_epilogue(c->s, i, i, e.z->epilogue, &epilogue))
        return false;
    t->s = &e.w.stage;
    t->epilogue = epilogue;
    t->sliding = &e.w;
    t->small = !e.z->threads;
    t->p = (rlxc_tile_plan){.i = e.w.column, .j = e.w.channel, .reduce = RLXC_NO_AXIS, .chains = 1};
    t->p.mr = (uint32_t)e.z->columns;
    t->p.vl = (uint32_t)e.z->lanes;
    rlxc_tile_locals(t, t->p.vl, 1);
    const int64_t size = e.z->band;
    const rlxc_expr *piece = rlxc_loop_var(ctx, "piece");
    const rlxc_expr *n = rlxc_tile_num(t, (e.w.channels + t->p.vl - 1) / t->p.vl);
    const rlxc_expr *vector =
        rlxc_named(&inner, "vector", rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, piece, n));
    const rlxc_expr *at = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, piece, n);
    const rlxc_expr *total = rlxc_mul(ctx, n, set_outer(&e, c, size, at));
    RLXC_PUSH(ctx, &inner.out, band(&e, size, vector));
    RLXC_PUSH(ctx, &c->out,
              rlxc_parallel_loop(ctx, piece, rlxc_simplify(ctx, total, NULL), !t->small,
                                 rlxc_body_of(&inner)));
    rlxc_epilogue_done(c->s, i, epilogue);
    return true;
}

/* Channel-wise sliding windows (sliding.h), in register tiles of one vector of channels and several
 * neighbouring columns, which share the vectors that they read.
 *
 *     for the outer axes, for bands of rows, for groups of vectors of channels:      in parallel
 *         for the vectors of the group:
 *             for the rows of the band:
 *                 for tiles of columns:
 *                     sums over the window, its last axis unrolled; the epilogue
 *         for the rows of the band:
 *             for columns that see the border: the same, all vectors of the group at once
 *
 * A band's vectors of previous rows stay in the first-level cache. There is no padding in memory:
 * rows of the window outside the image are left out of the loop. Only the outer tiles of columns
 * see the border. If the positions of the tiles are constants, their steps outside the image are
 * not emitted, and groups have one vector. Otherwise those columns are computed one by one, and the
 * window's part on the image is a loop; the vectors of the group are its independent sums. Columns
 * that do not fill a tile are computed with them. Channels that do not fill a vector use a narrower
 * one, masked if partial. */
#include "compiler/kernels/conv/sliding.h"
#include "compiler/kernels/matmul/tile.h"
#include "compiler/kernels/rules.h"

#include <inttypes.h>

enum {
    MIN_LANES = 4,
    BAND = 8,               /* rows, at most */
    MOST_COLUMNS = 1 << 20, /* limit of columns whose tiles are handled one by one */
    GUARDED = 2,            /* tiles of columns emitted for their place */
    TAIL = 4,               /* columns of smaller tiles */
    LEAST_GROUP = 4,        /* vectors: independent sums */
    LINE = 64,              /* bytes of a cache line */
    WAY = 4096, /* bytes of a way of the first-level cache, which a page offset indexes */
    FEW_SETS = 8,
    NARROW = 5 /* wider windows share so many vectors that they still gain */
};

/* Columns of a tile, such that its sums, the window's row of weights and the current operands fit
 * the registers. */
static uint32_t tile_columns(const rlxc_stages *s)
{
    const uint32_t registers = s->target->sum_registers;
    return registers >= 32 ? 14 : registers >= 16 ? 8 : registers >= 12 ? 6 : 4;
}

/* The columns of a result with constant positions, in tiles of nearly equal size. */
typedef struct places {
    int64_t first, end;      /* columns that see all of the window */
    int64_t n, width, wider; /* tiles; their columns; tiles of one column more, which come first */
} places;

typedef struct slider {
    rlxc_tiler t;
    rlxc_sliding w;
    const rlxc_sliding_sizes *z;
    rlxc_tile_ranges ranges; /* of the row */
    places places;
} slider;

static const rlxc_expr *at_place(slider *e, const rlxc_expr *x)
{
    const rlxc_stage *s = &e->w.stage;
    return rlxc_replace(e->t.ctx, x, s->vars, e->t.values, s->n_axes);
}

/* The part of the window's axis |k| on the image, for the current values of the other axes. */
static void set_range(slider *e, rlxc_schedule *to, rlxc_tile_ranges *ranges, uint32_t k)
{
    rlxc_context *ctx = e->t.ctx;
    const rlxc_expr *first = rlxc_named(to, "first", at_place(e, e->w.from[k]));
    const rlxc_expr *left = rlxc_sub(ctx, at_place(e, e->w.to[k]), first);
    left = rlxc_binary(ctx, RLXC_EXPR_MAX, left, rlxc_tile_num(&e->t, 0));
    ranges->first[k] = first;
    ranges->count[k] = rlxc_named(to, "count", left);
}

/* Emits as many tiles of |q->mr| columns as |rest| has. */
static void tiles(slider *e, rlxc_schedule *to, rlxc_tile q, rlxc_rest *rest)
{
    const rlxc_tiles now = rlxc_take_tiles(to, rest, q.mr, NULL);
    q.i0 = now.first;
    rlxc_close_tiles(to, rest, &now, rlxc_tile_body(&e->t, &q));
}

static bool is_border(const places *p, int64_t start, int64_t width)
{
    return start < p->first || start + width > p->end;
}

/* Tiles of |most| columns. False where more than |guarded| of them see the border. */
static bool known_places(const rlxc_sliding *w, int64_t most, int64_t guarded, places *out)
{
    int64_t columns, seen = 0;
    if (!rlxc_is_int(w->stage.extents[w->column], &columns) ||
        !rlxc_is_int(w->first, &out->first) || !rlxc_is_int(w->end, &out->end) ||
        columns > MOST_COLUMNS)
        return false;
    out->n = (columns + most - 1) / most;
    out->width = out->n ? columns / out->n : 0;
    out->wider = out->n ? columns % out->n : 0;
    for (int64_t i = 0; i < out->n && seen <= guarded; i++)
        seen += is_border(out, i * out->width + (i < out->wider ? i : out->wider),
                          out->width + (i < out->wider));
    return seen <= guarded;
}

static const rlxc_stmt *known_columns(slider *e, rlxc_tile q)
{
    rlxc_context *ctx = e->t.ctx;
    rlxc_schedule own = {.s = e->t.c->s};
    const uint32_t k = e->w.along;
    const places *p = &e->places;
    const rlxc_expr *step = e->w.stage.vars[k], *guard = NULL;
    if (e->w.from[k])
        guard = rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LE, e->w.from[k], step),
                            rlxc_binary(ctx, RLXC_EXPR_LT, step, e->w.to[k]));
    for (int64_t i = 0, start = 0, run; i < p->n; i += run) {
        const int64_t width = p->width + (i < p->wider), alike = i < p->wider ? p->wider : p->n;
        const bool border = is_border(p, start, width);
        for (run = 1; !border && i + run < alike && !is_border(p, start + run * width, width);)
            run++;
        q.mr = (uint32_t)width;
        q.guard = border ? guard : NULL;
        tiles(e, &own, q,
              &(rlxc_rest){rlxc_tile_num(&e->t, start), rlxc_tile_num(&e->t, run * width)});
        start += run * width;
    }
    return rlxc_body_of(&own);
}

/* The columns before |start| and from |end| on, which see the border, one by one. */
static void border_columns(slider *e, rlxc_schedule *to, rlxc_tile q, const rlxc_expr *start,
                           const rlxc_expr *end)
{
    rlxc_context *ctx = e->t.ctx;
    rlxc_schedule own = {.s = e->t.c->s};
    rlxc_tile_ranges ranges = e->ranges;
    const rlxc_expr *var = rlxc_loop_var(ctx, "i"), *all = e->w.stage.extents[e->w.column];
    if (!e->w.from[e->w.along]) /* no border */
        return;
    const rlxc_expr *inside = rlxc_sub(ctx, end, start),
                    *is_left = rlxc_binary(ctx, RLXC_EXPR_LT, var, start);
    const rlxc_expr *column = rlxc_select(ctx, is_left, var, rlxc_tile_plus(&e->t, var, inside));
    q.mr = 1;
    q.i0 = rlxc_named(&own, "column", column);
    q.ranges = &ranges;
    e->t.values[e->w.column] = q.i0;
    set_range(e, &own, &ranges, e->w.along);
    RLXC_PUSH(ctx, &own.out, rlxc_tile_body(&e->t, &q));
    const rlxc_expr *count = rlxc_simplify(ctx, rlxc_sub(ctx, all, inside), NULL);
    RLXC_PUSH(ctx, &to->out, rlxc_loop_of(ctx, var, count, RLXC_LOOP_SERIAL, rlxc_body_of(&own)));
}

/* Columns of the largest tiles of these channels. */
static uint32_t most_columns(const slider *e, const rlxc_tile *q)
{
    const bool is_rest = q->valid || q->vl < e->t.p.vl;
    const uint32_t columns = (uint32_t)e->z->rest_columns, most = e->t.p.mr;
    return is_rest && columns && columns < most ? columns : most;
}

/* Emits columns [start, end) in tiles. */
static void tiled_columns(slider *e, const rlxc_tile *q, rlxc_schedule *to, const rlxc_expr **start,
                          const rlxc_expr **end)
{
    rlxc_context *ctx = e->t.ctx;
    const rlxc_expr *all = e->w.stage.extents[e->w.column];
    *start = rlxc_named(to, "start", rlxc_binary(ctx, RLXC_EXPR_MIN, at_place(e, e->w.first), all));
    *end = rlxc_binary(ctx, RLXC_EXPR_MIN, at_place(e, e->w.end), all);
    *end = rlxc_named(to, "end", rlxc_binary(ctx, RLXC_EXPR_MAX, *end, *start));
    if (e->z->group == 1)
        return;
    const rlxc_expr *left = rlxc_sub(ctx, *end, *start);
    left = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, left, rlxc_tile_num(&e->t, most_columns(e, q)));
    left = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, left, rlxc_tile_num(&e->t, e->z->tail));
    *end = rlxc_named(to, "end", rlxc_sub(ctx, *end, left));
}

static const rlxc_stmt *columns(slider *e, rlxc_tile q)
{
    rlxc_schedule own = {.s = e->t.c->s};
    const rlxc_expr *start, *end;
    tiled_columns(e, &q, &own, &start, &end);
    rlxc_rest rest = {start, rlxc_sub(e->t.ctx, end, start)};
    const uint32_t widths[3] = {most_columns(e, &q), (uint32_t)e->z->tail, 1};
    for (uint32_t i = 0; i < (e->z->group == 1 ? 3 : 2); i++) {
        if (i > 0 && widths[i] >= widths[0]) /* none is left */
            continue;
        q.mr = widths[i];
        tiles(e, &own, q, &rest);
    }
    return rlxc_body_of(&own);
}

static const rlxc_stmt *borders(slider *e, rlxc_tile q)
{
    rlxc_schedule own = {.s = e->t.c->s};
    const rlxc_expr *start, *end;
    tiled_columns(e, &q, &own, &start, &end);
    border_columns(e, &own, q, start, end);
    return rlxc_body_of(&own);
}

/* Rows of a band: equal bands if the number of rows is constant. */
static int64_t band_of(const rlxc_expr *rows)
{
    int64_t n;
    if (!rlxc_is_int(rows, &n) || n < 1 || n > INT32_MAX)
        return BAND;
    const int64_t bands = (n + BAND - 1) / BAND;
    return (n + bands - 1) / bands;
}

/* Emits the columns of a row. */
typedef const rlxc_stmt *(*row_fn)(slider *e, rlxc_tile q);

static const rlxc_stmt *row(slider *e, row_fn fn, rlxc_tile q)
{
    rlxc_schedule own = {.s = e->t.c->s};
    for (uint32_t k = 0; k < e->w.along; k++)
        if (e->w.from[k])
            set_range(e, &own, &e->ranges, k);
    q.ranges = &e->ranges;
    RLXC_PUSH(e->t.ctx, &own.out, fn(e, q));
    return rlxc_body_of(&own);
}

/* The rows of the band that the axis has for its value. */
static const rlxc_stmt *band(slider *e, row_fn fn, rlxc_tile q)
{
    rlxc_context *ctx = e->t.ctx;
    const uint32_t k = e->w.row;
    if (k == RLXC_STAGE_AXES)
        return row(e, fn, q);
    rlxc_schedule own = {.s = e->t.c->s};
    const rlxc_expr *var = rlxc_loop_var(ctx, "y"), *number = e->t.values[k];
    const rlxc_expr *start = rlxc_named(&own, "row", rlxc_tile_times(&e->t, number, e->z->band));
    const rlxc_expr *left = rlxc_split_size(ctx, e->w.stage.extents[k], start, e->z->band);
    left = rlxc_named(&own, "rows", left);
    e->t.values[k] = rlxc_tile_plus(&e->t, start, var);
    RLXC_PUSH(ctx, &own.out, rlxc_loop_of(ctx, var, left, RLXC_LOOP_SERIAL, row(e, fn, q)));
    e->t.values[k] = number;
    return rlxc_body_of(&own);
}

/* The channels after the full vectors; none, if .vl is 0. */
static rlxc_tile last_channels(slider *e)
{
    const int64_t lanes = e->t.p.vl, whole = e->w.channels / lanes, left = e->w.channels % lanes;
    rlxc_tile q = {.nv = 1, .vl = left ? e->t.p.vl : 0, .j0 = rlxc_tile_num(&e->t, whole * lanes)};
    while (q.vl > MIN_LANES && q.vl / 2 >= left)
        q.vl /= 2;
    q.valid = left < q.vl ? rlxc_tile_num(&e->t, left) : NULL;
    return q;
}

/* Vector |vector| of channels: full, or the rest. */
static const rlxc_stmt *one_vector(slider *e, row_fn fn, const rlxc_expr *vector)
{
    rlxc_context *ctx = e->t.ctx;
    const int64_t lanes = e->t.p.vl, whole = e->w.channels / lanes;
    const rlxc_tile wide = {.nv = 1, .vl = e->t.p.vl, .j0 = rlxc_tile_times(&e->t, vector, lanes)},
                    narrow = last_channels(e);
    if (narrow.vl == 0 || whole == 0)
        return band(e, fn, whole ? wide : narrow);
    const rlxc_expr *is_whole = rlxc_binary(ctx, RLXC_EXPR_LT, vector, rlxc_tile_num(&e->t, whole));
    const rlxc_stmt *then = band(e, fn, wide);
    return rlxc_stmt_if(ctx, is_whole, then, band(e, fn, narrow));
}

static int64_t vectors_of(const rlxc_sliding *w, int64_t lanes)
{
    return (w->channels + lanes - 1) / lanes;
}

/* The vectors of group |group| one after the other. */
static const rlxc_stmt *each_vector(slider *e, row_fn fn, const rlxc_expr *group)
{
    rlxc_context *ctx = e->t.ctx;
    rlxc_schedule own = {.s = e->t.c->s};
    const rlxc_expr *var = rlxc_loop_var(ctx, "v");
    const rlxc_expr *n = rlxc_tile_num(&e->t, vectors_of(&e->w, e->t.p.vl));
    const rlxc_expr *first = rlxc_tile_times(&e->t, group, e->z->group);
    const rlxc_expr *count =
        rlxc_named(&own, "vectors", rlxc_split_size(ctx, n, first, e->z->group));
    RLXC_PUSH(ctx, &own.out,
              rlxc_loop_of(ctx, var, count, RLXC_LOOP_SERIAL,
                           one_vector(e, fn, rlxc_tile_plus(&e->t, first, var))));
    return rlxc_body_of(&own);
}

static const rlxc_stmt *piece_body(slider *e, const rlxc_expr *group)
{
    rlxc_context *ctx = e->t.ctx;
    if (known_places(&e->w, e->z->columns, e->z->guarded, &e->places))
        return each_vector(e, known_columns, group);
    const int64_t size = e->z->group, width = size * e->t.p.vl, full = e->w.channels / width;
    const rlxc_stmt *parts[2] = {each_vector(e, columns, group)};
    rlxc_tile all = {
        .nv = (uint32_t)size, .vl = e->t.p.vl, .j0 = rlxc_tile_times(&e->t, group, width)};
    const rlxc_stmt *at_once = size > 1 && full ? band(e, borders, all) : NULL;
    if (at_once && e->w.channels % width == 0) {
        parts[1] = at_once;
    } else {
        const bool one = at_once && e->w.channels % width < e->t.p.vl;
        parts[1] = one ? band(e, borders, last_channels(e)) : each_vector(e, borders, group);
        if (at_once)
            parts[1] =
                rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, group, rlxc_tile_num(&e->t, full)),
                             at_once, parts[1]);
    }
    return rlxc_stmt_seq(ctx, parts, 2);
}

/* Sets the outer axes for piece |at|, and the row to the number of its band; returns the number of
 * pieces. */
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

/* Vectors of a group: the largest number among those that leave the smallest remainder. */
static int64_t group_of(const rlxc_sliding *w, int64_t lanes, int64_t most)
{
    const int64_t whole = w->channels / lanes;
    int64_t best = 1;
    if (!w->from[w->along] || whole < LEAST_GROUP)
        return 1;
    for (int64_t g = LEAST_GROUP; g <= most && g <= whole; g++)
        best = best == 1 || whole % g <= whole % best ? g : best;
    return best;
}

/* Whether the rows that a band reads again and again fall into so few sets of the first-level cache
 * that they do not stay there: with channels that are a multiple of a large power of two, pixels
 * are that far apart. A line then comes once for each of its vectors. */
static bool overflows_sets(const rlxc_stages *s, const rlxc_sliding *w)
{
    int64_t bytes, columns, rows = 1, extent;
    if (__builtin_mul_overflow(w->channels, w->stage.out->dtype.bits / 8, &bytes) || bytes <= 0)
        return false;
    const int64_t apart = bytes & -bytes, sets = apart < WAY ? WAY / apart : 1;
    const int64_t ways = (int64_t)s->target->cache_bytes[0] / WAY;
    if (s->target->vector_bytes >= LINE || sets > FEW_SETS || w->width > NARROW ||
        !rlxc_is_int(w->stage.extents[w->column], &columns) || columns > MOST_COLUMNS)
        return false;
    for (uint32_t k = 0; k < w->stage.n_axes; k++) {
        if (!w->stage.reduces[k] || k == w->along)
            continue;
        if (!rlxc_is_int(w->stage.extents[k], &extent) || extent > RLXC_SLIDING_WIDTH)
            return false;
        rows *= extent;
        if (rows > MOST_COLUMNS)
            return false;
    }
    return 4 * columns * rows > 5 * sets * ways;
}

/* Rule tile reads whole lines: it takes windows that do not overlap, and sums of products whose
 * rows do not stay in the cache. */
static bool leaves_to_tile(rlxc_schedule *c, uint32_t i, const rlxc_sliding *w)
{
    rlxc_tile_sizes sizes;
    if (w->overlaps && !overflows_sets(c->s, w))
        return false;
    return rlxc_decide_tile(c, i, &sizes) &&
           !(w->overlaps ? rlxc_decline(c->s, "pixels of %" PRId64 " channels share few cache sets",
                                        w->channels)
                         : rlxc_decline(c->s, "its windows do not overlap"));
}

bool rlxc_decide_sliding(rlxc_schedule *c, uint32_t i, void *sizes)
{
    rlxc_sliding w;
    places unused;
    if (rlxc_prefers_short_code(c->s))
        return rlxc_decline(c->s, "at -O1 rule tile takes windows, in shorter code");
    if (!rlxc_find_sliding(c->s, &c->s->items[i], &w) || leaves_to_tile(c, i, &w))
        return false;
    const int64_t columns = tile_columns(c->s);
    const bool known = known_places(&w, columns, GUARDED, &unused);
    uint32_t lanes = c->s->target->vector_bytes / (w.stage.out->dtype.bits > 32 ? 8 : 4);
    while (lanes > MIN_LANES && w.channels < lanes)
        lanes /= 2;
    /* Smaller tiles for the channels after the last full vector save code and compile time. Level 3
     * prefers speed; after a single vector the kernel would take up to 8 % longer. */
    const bool small = !known && w.channels >= 2 * (int64_t)lanes && w.channels % lanes &&
                       c->s->options->opt_level <= 2;
    *(rlxc_sliding_sizes *)sizes = (rlxc_sliding_sizes){
        .lanes = lanes,
        .columns = columns,
        .tail = TAIL,
        .guarded = GUARDED,
        .rest_columns = small ? TAIL : 0,
        .group = known ? 1 : group_of(&w, lanes, columns),
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
    rlxc_tile_locals(t, t->p.vl * (e.z->group > e.z->columns ? e.z->group : 1), 1);
    const rlxc_expr *piece = rlxc_loop_var(ctx, "piece");
    const int64_t groups = (vectors_of(&e.w, t->p.vl) + e.z->group - 1) / e.z->group;
    const rlxc_expr *n = rlxc_tile_num(t, groups);
    const rlxc_expr *group =
        rlxc_named(&inner, "group", rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, piece, n));
    const rlxc_expr *at = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, piece, n);
    const rlxc_expr *total = rlxc_mul(ctx, n, set_outer(&e, c, e.z->band, at));
    RLXC_PUSH(ctx, &inner.out, piece_body(&e, group));
    RLXC_PUSH(ctx, &c->out,
              rlxc_parallel_loop(ctx, piece, rlxc_simplify(ctx, total, NULL), !t->small,
                                 rlxc_body_of(&inner)));
    rlxc_epilogue_done(c->s, i, epilogue);
    return true;
}

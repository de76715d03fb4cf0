/* Attention for one block of queries in vectors (attention.c): transposed queries, then for each
 * block of keys the transposed bias, tiles of scores, weights, tiles of values. */
#include "compiler/kernels/attention/attention_body.h"

/* Loop variables over the queries of a block, as vectors. */
typedef struct lanes {
    const rlxc_expr *v, *l, *column;
} lanes;

static lanes new_lanes(fused *t)
{
    lanes p = {rlxc_loop_var(t->ctx, "v"), rlxc_loop_var(t->ctx, "l"), NULL};
    p.column = plus(t, times(t, p.v, num(t, t->vl)), p.l);
    return p;
}

static const rlxc_stmt *across(fused *t, const lanes *p, const rlxc_stmt *body)
{
    body = loop_of(t, p->l, num(t, t->vl), RLXC_LOOP_VECTORIZED, body);
    return loop_of(t, p->v, num(t, t->nv), RLXC_LOOP_UNROLLED, body);
}

static const rlxc_expr *query(fused *t, const rlxc_expr *column)
{
    const rlxc_expr *i = plus(t, t->i0, column);
    return t->clamp ? least(t, i, rlxc_sub(t->ctx, t->a->queries, num(t, 1))) : i;
}

/* Key and value |j| of the block. */
static const rlxc_expr *key_at(fused *t, const rlxc_expr *j, const rlxc_expr *d)
{
    return t->keys ? at2(t, t->keys, j, d) : key_in_place(t, j, d);
}

static const rlxc_expr *value_at(fused *t, const rlxc_expr *j, const rlxc_expr *e)
{
    return t->values ? at2(t, t->values, j, e) : value_in_place(t, j, e);
}

/* --- turning ---------------------------------------------------------------------------------- */

/* to[row][column] = |value|, which is contiguous along the rows, for all |rows| of the block and
 * its valid columns. */
static void turn(fused *t, const rlxc_expr *row, const rlxc_expr *rows, const rlxc_expr *column,
                 const rlxc_buffer *to, const rlxc_expr *value)
{
    const rlxc_expr *at[2] = {row, column}, *columns = num(t, (int64_t)t->nv * t->vl);
    if (t->clamp)
        columns = least(t, columns, rlxc_sub(t->ctx, t->a->queries, t->i0));
    const rlxc_stage copy = {.simple = true,
                             .n_axes = 2,
                             .vars = {row, column},
                             .extents = {rows, columns},
                             .out = to,
                             .indices = at,
                             .value = value};
    push(t, rlxc_transposed_copy(t->c, &copy));
}

/* --- parts ------------------------------------------------------------------------------------ */

static void clear(fused *t, const rlxc_buffer *b)
{
    const rlxc_expr *row = rlxc_loop_var(t->ctx, "row"), *zero = rlxc_float(t->ctx, b->dtype, 0);
    lanes p = new_lanes(t);
    push(t, loop(t, row, b->shape[0], across(t, &p, set(t, at2(t, b, row, p.column), zero))));
}

/* qt = the block's queries, transposed and scaled; clears sums and results. If there are fewer
 * queries than lanes, the other lanes work on zeros. */
void rlxc_attention_begin(fused *t)
{
    const rlxc_expr *i = rlxc_loop_var(t->ctx, "i"), *d = rlxc_loop_var(t->ctx, "d");
    if (t->clamp) {
        clear(t, t->qt);
        for (uint32_t k = 0; k < t->a->n_crossed; k++)
            clear(t, t->turned[k]);
    }
    turn(t, d, num(t, t->a->form.size), i, t->qt, scaled(t, query_at(t, plus(t, t->i0, i), d)));
    clear(t, t->ot);
    lanes p = new_lanes(t);
    push(t, across(t, &p,
                   both(t, set(t, at1(t, t->max, p.column), lowest(t)),
                        set(t, at1(t, t->sum, p.column), real(t, 0)))));
}

/* A tile of |rows| keys from |j| on: products with all queries of the block, masked, with their
 * share of the maximum. */
static const rlxc_stmt *score_tile(fused *t, const rlxc_expr *j, uint32_t rows)
{
    const rlxc_expr *m = rlxc_loop_var(t->ctx, "m"), *d = rlxc_loop_var(t->ctx, "d");
    lanes p = new_lanes(t);
    int64_t width = (int64_t)t->nv * t->vl;
    const rlxc_expr *sum = at1(t, t->acc, plus(t, times(t, m, num(t, width)), p.column));
    const rlxc_expr *row = plus(t, j, m), *score = at2(t, t->st, row, p.column);
    const rlxc_expr *more = plus(t, sum, times(t, key_at(t, row, d), at2(t, t->qt, d, p.column)));
    const rlxc_expr *max = at1(t, t->max, p.column);
    const rlxc_stmt *parts[3];
    parts[0] = unrolled(t, m, rows, across(t, &p, set(t, sum, real(t, 0))));
    parts[1] =
        loop(t, d, num(t, t->a->form.size), unrolled(t, m, rows, across(t, &p, set(t, sum, more))));
    const rlxc_stmt *finish[3] = {
        across(t, &p, set(t, sum, masked(t, query(t, p.column), row, p.column, sum))),
        across(t, &p, set(t, max, larger(t, max, sum))), across(t, &p, set(t, score, sum))};
    parts[2] = unrolled(t, m, rows, rlxc_stmt_seq(t->ctx, finish, 3));
    return rlxc_stmt_seq(t->ctx, parts, 3);
}

/* With tile |tile|: prefetches a share of the data that rlxc_attention_turn reads for the next
 * block of keys. It reads only a few lines of each query, too few for the hardware prefetcher. */
static void fetch_crossed(fused *t, const rlxc_expr *tile)
{
    const rlxc_expr *one = num(t, 1), *next = plus(t, t->j0, num(t, t->z->keys));
    int64_t height = (int64_t)t->nv * t->vl, tiles = t->z->keys / t->mr,
            rows = (height + tiles - 1) / tiles;
    for (uint32_t k = 0; k < t->a->n_crossed; k++) {
        const rlxc_expr *load = t->a->crossed[k], *i = rlxc_loop_var(t->ctx, "i"),
                        *l = rlxc_loop_var(t->ctx, "line");
        int64_t line = LINE * 8 / load->dtype.bits;
        const rlxc_expr *row = plus(t, t->i0, plus(t, times(t, tile, num(t, rows)), i));
        const rlxc_expr *key = plus(t, next, times(t, l, num(t, line)));
        row = least(t, row, rlxc_sub(t->ctx, t->a->queries, one));
        key = least(t, key, rlxc_sub(t->ctx, t->a->keys, one));
        const rlxc_stmt *fetch = rlxc_fetch(t->ctx, at_axes(t, load, row, key, NULL));
        push(t, loop(t, i, num(t, rows), unrolled(t, l, (t->z->keys + line - 1) / line, fetch)));
    }
}

/* Tiles of |mr| rows for all keys of the block, then of two and one. A row of one vector has tiles
 * of four as well: two sums at once would wait for the additions before them. */
void rlxc_attention_scores(fused *t)
{
    const rlxc_expr *left = t->nk, *start = num(t, 0);
    lanes p = new_lanes(t);
    push(t, across(t, &p, set(t, at1(t, t->corr, p.column), at1(t, t->max, p.column))));
    for (uint32_t rows = t->mr, rest_rows = t->nv == 1 ? 4 : 2; rows > 0;
         rows = rows > rest_rows ? rest_rows : rows / 2) {
        const rlxc_expr *k = rlxc_loop_var(t->ctx, "tile");
        const rlxc_expr *count = divided(t, left, num(t, rows));
        const rlxc_expr *j = plus(t, start, times(t, k, num(t, rows)));
        rlxc_schedule *outer = t->c, each = {.s = outer->s};
        t->c = &each;
        if (rows == t->mr)
            fetch_crossed(t, k);
        push(t, score_tile(t, j, rows));
        t->c = outer;
        push(t, loop(t, k, count, rlxc_body_of(&each)));
        start = plus(t, start, times(t, count, num(t, rows)));
        left = rest(t, left, num(t, rows));
    }
}

/* Transposes the mask's operands for the block once. */
void rlxc_attention_turn(fused *t)
{
    for (uint32_t k = 0; k < t->a->n_crossed; k++) {
        const rlxc_expr *i = rlxc_loop_var(t->ctx, "i"), *j = rlxc_loop_var(t->ctx, "j");
        turn(t, j, t->nk, i, t->turned[k],
             at_axes(t, t->a->crossed[k], plus(t, t->i0, i), plus(t, t->j0, j), NULL));
    }
}

/* st = exp(st - maximum), with the block's share of the sum. */
void rlxc_attention_weights(fused *t)
{
    const rlxc_expr *j = rlxc_loop_var(t->ctx, "j");
    lanes p = new_lanes(t);
    const rlxc_expr *score = at2(t, t->st, j, p.column), *max = at1(t, t->max, p.column),
                    *sum = at1(t, t->sum, p.column), *corr = at1(t, t->corr, p.column);
    push(t, across(t, &p, set(t, corr, exp_of(t, rlxc_sub(t->ctx, corr, max)))));
    push(t, across(t, &p, set(t, sum, times(t, sum, corr))));
    const rlxc_stmt *weight = set(t, score, exp_of(t, rlxc_sub(t->ctx, score, max)));
    push(t, loop(t, j, t->nk,
                 both(t, across(t, &p, weight), across(t, &p, set(t, sum, plus(t, sum, score))))));
}

/* ot = ot * correction + values * weights, for |rows| elements e from |e0| on. */
static const rlxc_stmt *value_tile(fused *t, const rlxc_expr *e0, uint32_t rows)
{
    const rlxc_expr *m = rlxc_loop_var(t->ctx, "m"), *j = rlxc_loop_var(t->ctx, "j");
    lanes p = new_lanes(t);
    int64_t width = (int64_t)t->nv * t->vl;
    const rlxc_expr *sum = at1(t, t->acc, plus(t, times(t, m, num(t, width)), p.column));
    const rlxc_expr *e = plus(t, e0, m), *out = at2(t, t->ot, e, p.column);
    const rlxc_expr *before = times(t, out, at1(t, t->corr, p.column));
    const rlxc_expr *more = plus(t, sum, times(t, value_at(t, j, e), at2(t, t->st, j, p.column)));
    const rlxc_stmt *parts[3];
    parts[0] = unrolled(t, m, rows, across(t, &p, set(t, sum, before)));
    parts[1] = loop(t, j, t->nk, unrolled(t, m, rows, across(t, &p, set(t, sum, more))));
    parts[2] = unrolled(t, m, rows, across(t, &p, set(t, out, sum)));
    return rlxc_stmt_seq(t->ctx, parts, 3);
}

void rlxc_attention_values(fused *t)
{
    uint32_t full = (uint32_t)t->a->form.value_size / t->mr,
             left = (uint32_t)t->a->form.value_size % t->mr;
    const rlxc_expr *k = rlxc_loop_var(t->ctx, "tile");
    if (full > 0)
        push(t, loop(t, k, num(t, full), value_tile(t, times(t, k, num(t, t->mr)), t->mr)));
    if (left > 0)
        push(t, value_tile(t, num(t, (int64_t)full * t->mr), left));
}

/* The keys and values of the block as float32. */
void rlxc_attention_widen(fused *t)
{
    const rlxc_expr *j = rlxc_loop_var(t->ctx, "j"), *d = rlxc_loop_var(t->ctx, "d"),
                    *e = rlxc_loop_var(t->ctx, "e");
    if (t->keys)
        push(t, loop(t, j, t->nk,
                     loop(t, d, num(t, t->a->form.size),
                          set(t, at2(t, t->keys, j, d), key_in_place(t, j, d)))));
    if (t->values)
        push(t, loop(t, j, t->nk,
                     loop(t, e, num(t, t->a->form.value_size),
                          set(t, at2(t, t->values, j, e), value_in_place(t, j, e)))));
}

/* Element |e| of query |i| of the block. */
static const rlxc_expr *result_at(fused *t, const rlxc_expr *i, const rlxc_expr *e)
{
    return result_value(t, plus(t, t->i0, i), e, at2(t, t->ot, e, i), at1(t, t->sum, i),
                        at1(t, t->inverse, i));
}

/* out = ot / sum for all queries of the block, in vectors that are transposed; or NULL. */
static const rlxc_stmt *whole_result(fused *t)
{
    const rlxc_expr *i = rlxc_loop_var(t->ctx, "i"), *e = rlxc_loop_var(t->ctx, "e");
    const rlxc_transposition move = {.to = result_place(t, plus(t, t->i0, i), e),
                                     .from = result_at(t, i, e),
                                     .crossed = i,
                                     .last = e,
                                     .n_crossed = (int64_t)t->nv * t->vl,
                                     .n_last = t->a->form.value_size};
    return rlxc_transposed(t->c, &move);
}

/* out = ot / sum; only the valid queries of a partial block. */
void rlxc_attention_end(fused *t)
{
    const rlxc_expr *i = rlxc_loop_var(t->ctx, "i"), *e = rlxc_loop_var(t->ctx, "e");
    const int64_t width = (int64_t)t->nv * t->vl;
    const rlxc_expr *count = num(t, width);
    if (t->clamp)
        count = least(t, count, rlxc_sub(t->ctx, t->a->queries, t->i0));
    lanes p = new_lanes(t);
    push(t, across(t, &p,
                   set(t, at1(t, t->inverse, p.column), inverse_of(t, at1(t, t->sum, p.column)))));
    const rlxc_stmt *one = set(t, result_place(t, plus(t, t->i0, i), e), result_at(t, i, e));
    one = loop(t, i, count, loop(t, e, num(t, t->a->form.value_size), one));
    const rlxc_stmt *whole = whole_result(t);
    const rlxc_expr *all = rlxc_binary(t->ctx, RLXC_EXPR_EQ, count, num(t, width));
    push(t, !whole ? one : t->clamp ? rlxc_stmt_if(t->ctx, all, whole, one) : whole);
}

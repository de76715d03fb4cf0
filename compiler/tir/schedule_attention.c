/* Attention without its n x n matrix: the seven stages that attention is lowered to (scores, mask,
 * maximum, exp, sum, weighted values, quotient) run block by block over the keys, with a maximum
 * and a sum that are kept as the blocks go by and corrected when the maximum grows (M. Milakov,
 * N. Gimelshein, "Online normalizer calculation for softmax", 2018; T. Dao et al.,
 * "FlashAttention", 2022).
 *
 * Vectors run along the queries. Then maxima and sums need no operation across lanes, and both
 * products read keys and values in place, element by element, as the broadcast operand of a
 * register tile; the queries are transposed once for all keys:
 *
 *     for each batch, head and block of queries, in parallel:
 *         qt[d][query] = queries, transposed
 *         for each block of keys:
 *             st[key][query] = sum over d of key[d] * qt[d]         tiles: keys x queries
 *             st = exp(mask(st) - maximum); sum, maximum; correction of what was summed before
 *             ot[e][query] = ot * correction + sum over keys of value[e] * st   tiles: e x queries
 *         out = ot / sum
 *
 * Blocks of queries are of several vectors, then of one; up to three queries left over (so a single
 * one) run alone, with vectors along d and e. Keys and values of 16-bit types are first widened
 * into a block of float32. Where the mask is an interval of keys that moves with the query
 * (causal, window), blocks of keys that no query of the block sees are left out. A query that sees
 * nothing gets what it gets without blocks: the mean of all values. */
#include "compiler/tir/schedule_attention.h"

#include "compiler/tir/schedule.h"

#include <float.h>

enum { KEYS = 48, KEYS_ALONE = 256, ALONE = 3, MAX_SIZE = 256 };

typedef struct fused {
    rlxc_context *ctx;
    const rlxc_attention *a;
    rlxc_schedule *c; /* what runs for one block of queries */
    uint32_t vl, nv, mr;
    bool clamp; /* the block may reach beyond the queries */
    const rlxc_expr *b, *h, *i0, *j0, *nk;
    rlxc_buffer *qt, *st, *ot;           /* workspace */
    rlxc_buffer *keys, *values;          /* widened blocks, or NULL */
    rlxc_buffer *acc, *max, *sum, *corr; /* in registers */
} fused;

/* --- small helpers ---------------------------------------------------------------------------- */

static const rlxc_expr *num(fused *t, int64_t v)
{
    return rlxc_i64(t->ctx, v);
}

static const rlxc_expr *plus(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(t->ctx, a, b);
}

static const rlxc_expr *times(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_mul(t->ctx, a, b);
}

static const rlxc_expr *divided(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_FLOORDIV, a, b);
}

static const rlxc_expr *rest(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_FLOORMOD, a, b);
}

static const rlxc_expr *least(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_MIN, a, b);
}

static const rlxc_expr *most(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_MAX, a, b);
}

static const rlxc_expr *real(fused *t, double v)
{
    return rlxc_float(t->ctx, t->a->dtype, v);
}

/* Where maxima start: finite, so that the first correction is no NaN, and no score is below but
 * -inf. Exporters hide keys with the least float; rows of nothing else are means. */
static const rlxc_expr *lowest(fused *t)
{
    return real(t, t->a->dtype.bits == 64 ? -DBL_MAX : -(double)FLT_MAX);
}

static const rlxc_expr *exp_of(fused *t, const rlxc_expr *x)
{
    return rlxc_call(t->ctx, x->dtype, rlxc_intern_cstr(t->ctx, "exp"), &x, 1);
}

static const rlxc_expr *at1(fused *t, const rlxc_buffer *b, const rlxc_expr *i)
{
    return rlxc_load(t->ctx, b, &i, 1);
}

static const rlxc_expr *at2(fused *t, const rlxc_buffer *b, const rlxc_expr *i, const rlxc_expr *j)
{
    const rlxc_expr *both[2] = {i, j};
    return rlxc_load(t->ctx, b, both, 2);
}

/* |place| = |value|, where |place| is a load. */
static const rlxc_stmt *set(fused *t, const rlxc_expr *place, const rlxc_expr *value)
{
    return rlxc_stmt_store(t->ctx, place->load.buffer, place->load.indices, place->load.n, value);
}

typedef struct renaming {
    rlxc_context *ctx;
    const rlxc_expr *from, *to;
} renaming;

static const rlxc_expr *rename_var(void *user, const rlxc_expr *e)
{
    renaming *r = user;
    return rlxc_substitute(r->ctx, e, &r->from, &r->to, 1);
}

/* A loop with a variable of its own: |var| may have been used for other loops before. */
static const rlxc_stmt *loop_of(fused *t, const rlxc_expr *var, const rlxc_expr *extent,
                                rlxc_loop_kind kind, const rlxc_stmt *body)
{
    renaming r = {t->ctx, var, rlxc_var_like(t->ctx, var)};
    const rlxc_stmt_rewriter rewriter = {.user = &r, .expr = rename_var};
    body = rlxc_stmt_rewrite(t->ctx, body, &rewriter);
    return rlxc_loop_of(t->ctx, r.to, extent, kind, body);
}

static const rlxc_stmt *loop(fused *t, const rlxc_expr *var, const rlxc_expr *extent,
                             const rlxc_stmt *body)
{
    return loop_of(t, var, extent, RLXC_LOOP_SERIAL, body);
}

static const rlxc_stmt *both(fused *t, const rlxc_stmt *a, const rlxc_stmt *b)
{
    const rlxc_stmt *parts[2] = {a, b};
    return rlxc_stmt_seq(t->ctx, parts, 2);
}

static void push(fused *t, const rlxc_stmt *s)
{
    RLXC_PUSH(t->ctx, &t->c->out, s);
}

static const rlxc_expr *let(fused *t, const char *name, const rlxc_expr *value)
{
    const rlxc_expr *var = rlxc_var(t->ctx, rlxc_intern_cstr(t->ctx, name), RLX_I64);
    push(t, rlxc_stmt_let(t->ctx, var, rlxc_cast(t->ctx, RLX_I64, value)));
    return var;
}

static rlxc_buffer *local(fused *t, const char *name, int64_t rows, int64_t columns)
{
    const rlxc_expr *shape[2] = {num(t, rows ? rows : columns), num(t, columns)};
    return rlxc_local_buffer(t->c, name, t->a->dtype, shape, rows ? 2 : 1);
}

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

static const rlxc_stmt *unrolled(fused *t, const rlxc_expr *var, int64_t n, const rlxc_stmt *body)
{
    return loop_of(t, var, num(t, n), RLXC_LOOP_UNROLLED, body);
}

static const rlxc_expr *query(fused *t, const rlxc_expr *column)
{
    const rlxc_expr *i = plus(t, t->i0, column);
    return t->clamp ? least(t, i, rlxc_sub(t->ctx, t->a->queries, num(t, 1))) : i;
}

/* --- what the stages compute, at given places ------------------------------------------------- */

static const rlxc_expr *query_at(fused *t, const rlxc_expr *i, const rlxc_expr *d)
{
    const rlxc_stage *s = t->a->score;
    const rlxc_expr *values[5] = {t->b, t->h, i, num(t, 0), d};
    return rlxc_replace(t->ctx, t->a->query, s->vars, values, 5);
}

static const rlxc_expr *key_in_place(fused *t, const rlxc_expr *j, const rlxc_expr *d)
{
    const rlxc_stage *s = t->a->score;
    const rlxc_expr *values[5] = {t->b, t->h, num(t, 0), plus(t, t->j0, j), d};
    return rlxc_replace(t->ctx, t->a->key, s->vars, values, 5);
}

static const rlxc_expr *value_in_place(fused *t, const rlxc_expr *j, const rlxc_expr *e)
{
    const rlxc_stage *s = t->a->weigh;
    const rlxc_expr *values[5] = {t->b, t->h, num(t, 0), e, plus(t, t->j0, j)};
    return rlxc_replace(t->ctx, t->a->value, s->vars, values, 5);
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

/* The score of query |i| and key |j| of the block after scale, bias and mask. */
static const rlxc_expr *masked(fused *t, const rlxc_expr *i, const rlxc_expr *j,
                               const rlxc_expr *score)
{
    const rlxc_stage *s = t->a->map;
    const rlxc_expr *values[4] = {t->b, t->h, i, plus(t, t->j0, j)};
    const rlxc_expr *e = rlxc_replace(t->ctx, s->value, s->vars, values, 4);
    return rlxc_replace_loads(t->ctx, e, t->a->score->out, score);
}

/* |expr| over the axes of the result, for element |e| of query |i|. */
static const rlxc_expr *of_result(fused *t, const rlxc_expr *expr, const rlxc_expr *i,
                                  const rlxc_expr *e)
{
    const rlxc_expr *known[4] = {t->b, t->h, i, e}, *values[4];
    for (uint32_t k = 0; k < 4; k++)
        values[t->a->place[k]] = known[k];
    return rlxc_replace(t->ctx, expr, t->a->final->vars, values, 4);
}

static const rlxc_expr *result_place(fused *t, const rlxc_expr *i, const rlxc_expr *e)
{
    const rlxc_stage *s = t->a->final;
    const rlxc_expr **indices = rlxc_alloc(t->ctx, (s->out->ndim + 1) * sizeof *indices);
    for (uint32_t k = 0; k < s->out->ndim; k++)
        indices[k] = of_result(t, s->indices[k], i, e);
    return rlxc_load(t->ctx, s->out, indices, s->out->ndim);
}

static const rlxc_expr *result_value(fused *t, const rlxc_expr *i, const rlxc_expr *e,
                                     const rlxc_expr *total, const rlxc_expr *sum)
{
    const rlxc_attention *a = t->a;
    const rlxc_expr *value = of_result(t, a->final->value, i, e);
    value = rlxc_replace_loads(t->ctx, value, a->weigh->out, total);
    return rlxc_replace_loads(t->ctx, value, a->sum->out, sum);
}

/* --- a block of queries in vectors ------------------------------------------------------------ */

/* qt = the block's queries, transposed; sums and results are empty. */
static void begin_block(fused *t)
{
    const rlxc_expr *i = rlxc_loop_var(t->ctx, "i"), *d = rlxc_loop_var(t->ctx, "d"),
                    *e = rlxc_loop_var(t->ctx, "e");
    const rlxc_transposition move = {.to = at2(t, t->qt, d, i),
                                     .from = query_at(t, query(t, i), d),
                                     .crossed = d,
                                     .last = i,
                                     .n_crossed = t->a->size,
                                     .n_last = (int64_t)t->nv * t->vl};
    const rlxc_stmt *moved = rlxc_transposed(t->c, &move);
    push(t, moved ? moved
                  : loop(t, i, num(t, move.n_last),
                         loop(t, d, num(t, move.n_crossed), set(t, move.to, move.from))));
    lanes p = new_lanes(t);
    push(t, loop(t, e, num(t, t->a->value_size),
                 across(t, &p, set(t, at2(t, t->ot, e, p.column), real(t, 0)))));
    push(t, across(t, &p,
                   both(t, set(t, at1(t, t->max, p.column), lowest(t)),
                        set(t, at1(t, t->sum, p.column), real(t, 0)))));
}

/* A tile of |rows| keys from |j| on: products with all queries of the block. */
static const rlxc_stmt *score_tile(fused *t, const rlxc_expr *j, uint32_t rows)
{
    const rlxc_expr *m = rlxc_loop_var(t->ctx, "m"), *d = rlxc_loop_var(t->ctx, "d");
    lanes p = new_lanes(t);
    int64_t width = (int64_t)t->nv * t->vl;
    const rlxc_expr *sum = at1(t, t->acc, plus(t, times(t, m, num(t, width)), p.column));
    const rlxc_expr *row = plus(t, j, m);
    const rlxc_expr *more = plus(t, sum, times(t, key_at(t, row, d), at2(t, t->qt, d, p.column)));
    const rlxc_stmt *parts[3];
    parts[0] = unrolled(t, m, rows, across(t, &p, set(t, sum, real(t, 0))));
    parts[1] =
        loop(t, d, num(t, t->a->size), unrolled(t, m, rows, across(t, &p, set(t, sum, more))));
    parts[2] = unrolled(t, m, rows, across(t, &p, set(t, at2(t, t->st, row, p.column), sum)));
    return rlxc_stmt_seq(t->ctx, parts, 3);
}

/* Tiles of |mr| rows, then of two and one, for all keys of the block. */
static void score_tiles(fused *t)
{
    const rlxc_expr *left = t->nk, *start = num(t, 0);
    for (uint32_t rows = t->mr; rows > 0; rows = rows > 2 ? 2 : rows - 1) {
        const rlxc_expr *k = rlxc_loop_var(t->ctx, "tile");
        const rlxc_expr *count = divided(t, left, num(t, rows));
        const rlxc_expr *j = plus(t, start, times(t, k, num(t, rows)));
        push(t, loop(t, k, count, score_tile(t, j, rows)));
        start = plus(t, start, times(t, count, num(t, rows)));
        left = rest(t, left, num(t, rows));
    }
}

/* st = exp(mask(st) - maximum), with the block's share of maximum and sum. */
static void weights(fused *t)
{
    const rlxc_expr *j = rlxc_loop_var(t->ctx, "j");
    lanes p = new_lanes(t);
    const rlxc_expr *score = at2(t, t->st, j, p.column), *max = at1(t, t->max, p.column),
                    *sum = at1(t, t->sum, p.column), *corr = at1(t, t->corr, p.column);
    push(t, across(t, &p, set(t, corr, max)));
    const rlxc_stmt *mask = set(t, score, masked(t, query(t, p.column), j, score));
    push(t, loop(t, j, t->nk,
                 both(t, across(t, &p, mask), across(t, &p, set(t, max, most(t, max, score))))));
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

static void value_tiles(fused *t)
{
    uint32_t full = (uint32_t)t->a->value_size / t->mr, left = (uint32_t)t->a->value_size % t->mr;
    const rlxc_expr *k = rlxc_loop_var(t->ctx, "tile");
    if (full > 0)
        push(t, loop(t, k, num(t, full), value_tile(t, times(t, k, num(t, t->mr)), t->mr)));
    if (left > 0)
        push(t, value_tile(t, num(t, (int64_t)full * t->mr), left));
}

/* The keys and values of the block as float32. */
static void widen(fused *t)
{
    const rlxc_expr *j = rlxc_loop_var(t->ctx, "j"), *d = rlxc_loop_var(t->ctx, "d"),
                    *e = rlxc_loop_var(t->ctx, "e");
    if (t->keys)
        push(t, loop(t, j, t->nk,
                     loop(t, d, num(t, t->a->size),
                          set(t, at2(t, t->keys, j, d), key_in_place(t, j, d)))));
    if (t->values)
        push(t, loop(t, j, t->nk,
                     loop(t, e, num(t, t->a->value_size),
                          set(t, at2(t, t->values, j, e), value_in_place(t, j, e)))));
}

/* out = ot / sum for all queries of the block: divided by vectors along them, then moved; or NULL.
 */
static const rlxc_stmt *whole_result(fused *t)
{
    const rlxc_expr *i = rlxc_loop_var(t->ctx, "i"), *e = rlxc_loop_var(t->ctx, "e");
    lanes p = new_lanes(t);
    const rlxc_expr *total = at2(t, t->ot, e, p.column), *sum = at1(t, t->sum, p.column);
    const rlxc_expr *value = result_value(t, plus(t, t->i0, p.column), e, total, sum);
    const rlxc_transposition move = {.to = result_place(t, plus(t, t->i0, i), e),
                                     .from = at2(t, t->ot, e, i),
                                     .crossed = i,
                                     .last = e,
                                     .n_crossed = (int64_t)t->nv * t->vl,
                                     .n_last = t->a->value_size};
    const rlxc_stmt *moved = rlxc_transposed(t->c, &move);
    const rlxc_stmt *quotients =
        loop(t, e, num(t, move.n_last), across(t, &p, set(t, total, value)));
    return moved ? both(t, quotients, moved) : NULL;
}

/* out = ot / sum; of a block beyond the queries what is there. */
static void end_block(fused *t)
{
    const rlxc_expr *i = rlxc_loop_var(t->ctx, "i"), *e = rlxc_loop_var(t->ctx, "e");
    const int64_t width = (int64_t)t->nv * t->vl;
    const rlxc_expr *count = num(t, width);
    if (t->clamp)
        count = least(t, count, rlxc_sub(t->ctx, t->a->queries, t->i0));
    const rlxc_expr *query = plus(t, t->i0, i);
    const rlxc_stmt *one = set(t, result_place(t, query, e),
                               result_value(t, query, e, at2(t, t->ot, e, i), at1(t, t->sum, i)));
    one = loop(t, i, count, loop(t, e, num(t, t->a->value_size), one));
    const rlxc_stmt *whole = whole_result(t);
    const rlxc_expr *all = rlxc_binary(t->ctx, RLXC_EXPR_EQ, count, num(t, width));
    push(t, !whole ? one : t->clamp ? rlxc_stmt_if(t->ctx, all, whole, one) : whole);
}

/* --- one query alone -------------------------------------------------------------------------- */

static void alone(fused *t)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *zero = num(t, 0), *j = rlxc_loop_var(ctx, "j"), *d = rlxc_loop_var(ctx, "d"),
                    *e = rlxc_loop_var(ctx, "e");
    const rlxc_expr *size = num(t, t->a->size), *value_size = num(t, t->a->value_size);
    const rlxc_expr *dot = at1(t, t->acc, zero), *max = at1(t, t->max, zero),
                    *sum = at1(t, t->sum, zero), *corr = at1(t, t->corr, zero);
    const rlxc_expr *score = at1(t, t->st, j);
    push(t, set(t, corr, max));
    const rlxc_stmt *parts[4];
    parts[0] = set(t, dot, real(t, 0));
    parts[1] = rlxc_reassociable(
        t->ctx, loop(t, d, size,
                     set(t, dot, plus(t, dot, times(t, at1(t, t->qt, d), key_in_place(t, j, d))))));
    parts[2] = set(t, score, masked(t, t->i0, j, dot));
    parts[3] = set(t, max, most(t, max, score));
    push(t, loop(t, j, t->nk, rlxc_stmt_seq(ctx, parts, 4)));
    push(t, set(t, corr, exp_of(t, rlxc_sub(ctx, corr, max))));
    push(t, set(t, sum, times(t, sum, corr)));
    push(t, loop(t, j, t->nk, set(t, score, exp_of(t, rlxc_sub(ctx, score, max)))));
    push(t, rlxc_reassociable(t->ctx, loop(t, j, t->nk, set(t, sum, plus(t, sum, score)))));
    const rlxc_expr *out = at1(t, t->ot, e);
    push(t, loop(t, e, value_size, set(t, out, times(t, out, corr))));
    int64_t vectors = t->a->value_size / t->vl;
    const rlxc_stmt *more = set(t, out, plus(t, out, times(t, score, value_in_place(t, j, e))));
    if (t->a->value_size % t->vl != 0 || vectors > 16) {
        push(t, loop(t, j, t->nk, loop(t, e, value_size, more)));
        return;
    }
    const rlxc_expr *v = rlxc_loop_var(ctx, "v"), *l = rlxc_loop_var(ctx, "l");
    const rlxc_expr *column = plus(t, times(t, v, num(t, t->vl)), l);
    more = set(t, at1(t, t->ot, column),
               plus(t, at1(t, t->ot, column), times(t, score, value_in_place(t, j, column))));
    more = loop_of(t, l, num(t, t->vl), RLXC_LOOP_VECTORIZED, more);
    push(t, loop(t, j, t->nk, unrolled(t, v, vectors, more)));
}

static void begin_alone(fused *t)
{
    const rlxc_expr *zero = num(t, 0), *d = rlxc_loop_var(t->ctx, "d"),
                    *e = rlxc_loop_var(t->ctx, "e");
    push(t, loop(t, d, num(t, t->a->size), set(t, at1(t, t->qt, d), query_at(t, t->i0, d))));
    push(t, loop(t, e, num(t, t->a->value_size), set(t, at1(t, t->ot, e), real(t, 0))));
    push(t, set(t, at1(t, t->max, zero), lowest(t)));
    push(t, set(t, at1(t, t->sum, zero), real(t, 0)));
}

static void end_alone(fused *t)
{
    const rlxc_expr *e = rlxc_loop_var(t->ctx, "e");
    const rlxc_expr *value = result_value(t, t->i0, e, at1(t, t->ot, e), at1(t, t->sum, num(t, 0)));
    push(t, loop(t, e, num(t, t->a->value_size), set(t, result_place(t, t->i0, e), value)));
}

/* --- loops ------------------------------------------------------------------------------------ */

/* The end of the interval of keys that query |i| sees. */
static const rlxc_expr *bound_at(fused *t, const rlxc_expr *bound, const rlxc_expr *i)
{
    const rlxc_stage *s = t->a->map;
    const rlxc_expr *values[4] = {t->b, t->h, i, num(t, 0)};
    return rlxc_replace(t->ctx, bound, s->vars, values, 4);
}

/* Keys from *begin up to *end are those that some query of the block sees; all keys where a query
 * might see none. */
static void visible_keys(fused *t, const rlxc_expr **begin, const rlxc_expr **end)
{
    const rlxc_attention *a = t->a;
    rlxc_context *ctx = t->ctx;
    int64_t height = t->nv == 0 ? 1 : (int64_t)t->nv * t->vl;
    const rlxc_expr *last =
        least(t, plus(t, t->i0, num(t, height - 1)), rlxc_sub(ctx, a->queries, num(t, 1)));
    const rlxc_expr *all = NULL;
    *begin = num(t, 0);
    *end = a->keys;
    if (a->last_seen) {
        *end = least(t, *end, plus(t, bound_at(t, a->last_seen, last), num(t, 1)));
        all = rlxc_binary(ctx, RLXC_EXPR_GE, bound_at(t, a->last_seen, t->i0), num(t, 0));
    }
    if (a->first_seen) {
        *begin = most(t, *begin, bound_at(t, a->first_seen, t->i0));
        const rlxc_expr *some =
            rlxc_binary(ctx, RLXC_EXPR_LT, bound_at(t, a->first_seen, last), a->keys);
        all = all ? rlxc_binary(ctx, RLXC_EXPR_AND, all, some) : some;
    }
    if (all) {
        *begin = rlxc_select(ctx, all, *begin, num(t, 0));
        *end = rlxc_select(ctx, all, *end, a->keys);
    }
}

typedef struct part { /* of what runs for a block of queries; pushes statements */
    const char *name;
    void (*push)(fused *t);
} part;

static void push_part(fused *t, const part *p)
{
    rlxc_schedule *outer = t->c, own = {.s = outer->s};
    t->c = &own;
    p->push(t);
    t->c = outer;
    if (own.out.count)
        push(t, rlxc_part(t->ctx, p->name, rlxc_body_of(&own)));
}

/* The loop over blocks of keys; |parts| are its body. Its bounds are written out, not bound to
 * variables: the work of the parallel loop is judged by them. */
static void over_keys(fused *t, int64_t block, const part *parts, uint32_t n)
{
    const rlxc_expr *begin, *end, *var = rlxc_loop_var(t->ctx, "block");
    visible_keys(t, &begin, &end);
    const rlxc_expr *count = rlxc_split_count(t->ctx, rlxc_sub(t->ctx, end, begin), block);
    rlxc_schedule *outer = t->c, inner = {.s = outer->s};
    t->c = &inner;
    t->j0 = plus(t, begin, times(t, var, num(t, block)));
    t->nk = rlxc_split_size(t->ctx, end, t->j0, block);
    for (uint32_t i = 0; i < n; i++)
        push_part(t, &parts[i]);
    t->c = outer;
    push(t, loop(t, var, count, rlxc_body_of(&inner)));
}

/* The parallel loop over batches, heads and |blocks| blocks of queries of |height| from |start| on.
 */
static void nest(fused *t, rlxc_schedule *c, const rlxc_expr *blocks, const rlxc_expr *start,
                 int64_t height)
{
    static const part vectors[] = {
        {"widen", widen}, {"scores", score_tiles}, {"weights", weights}, {"values", value_tiles}};
    static const part one[] = {{"keys", alone}};
    static const part begin[2] = {{"queries", begin_block}, {"query", begin_alone}};
    static const part end[2] = {{"write", end_block}, {"write", end_alone}};
    const rlxc_attention *a = t->a;
    rlxc_schedule inner = {.s = c->s};
    int64_t width = (int64_t)t->nv * t->vl;
    bool single = t->nv == 0;
    t->c = &inner;
    t->keys = t->values = NULL;
    t->qt = single ? local(t, "q", 0, a->size) : local(t, "qt", a->size, width);
    t->st = single ? local(t, "s", 0, KEYS_ALONE) : local(t, "st", KEYS, width);
    t->ot = single ? local(t, "o", 0, a->value_size) : local(t, "ot", a->value_size, width);
    if (!single && a->widens) {
        t->keys = local(t, "keys", KEYS, a->size);
        t->values = local(t, "values", KEYS, a->value_size);
    }
    t->acc = local(t, "acc", 0, single ? 1 : width * t->mr);
    t->max = local(t, "largest", 0, single ? 1 : width);
    t->sum = local(t, "sum", 0, single ? 1 : width);
    t->corr = local(t, "correction", 0, single ? 1 : width);
    const rlxc_expr *p = rlxc_loop_var(t->ctx, "block");
    t->b = let(t, "batch", divided(t, p, times(t, a->heads, blocks)));
    t->h = let(t, "head", rest(t, divided(t, p, blocks), a->heads));
    t->i0 = let(t, "query", plus(t, start, times(t, rest(t, p, blocks), num(t, height))));
    push_part(t, &begin[single]);
    if (single)
        over_keys(t, KEYS_ALONE, one, sizeof one / sizeof *one);
    else
        over_keys(t, KEYS, vectors, sizeof vectors / sizeof *vectors);
    push_part(t, &end[single]);
    const rlxc_expr *all = times(t, times(t, a->batches, a->heads), blocks);
    RLXC_PUSH(t->ctx, &c->out, rlxc_parallel_loop(t->ctx, p, all, true, rlxc_body_of(&inner)));
}

bool rlxc_rule_attention(rlxc_schedule *c, uint32_t i)
{
    rlxc_attention a;
    if (i > 0 || !rlxc_attention_find(c->s, &a) || a.size > MAX_SIZE || a.value_size > MAX_SIZE)
        return false;
    uint32_t bytes = c->s->options->vector_bytes;
    bool wide = bytes >= 64, medium = bytes >= 32;
    fused t = {.ctx = c->s->ctx, .a = &a, .c = c, .vl = bytes / (a.dtype.bits / 8u)};
    t.nv = wide ? 4 : 2;
    const rlxc_expr *height = num(&t, (int64_t)t.nv * t.vl);
    const rlxc_expr *blocks = divided(&t, a.queries, height), *left = rest(&t, a.queries, height);
    const rlxc_expr *start = times(&t, blocks, height);
    t.mr = wide || medium ? 6 : 4;
    nest(&t, c, blocks, num(&t, 0), (int64_t)t.nv * t.vl);
    const rlxc_expr *few = rlxc_binary(t.ctx, RLXC_EXPR_LE, left, num(&t, ALONE));
    const rlxc_expr *vectors = rlxc_split_count(t.ctx, left, t.vl);
    t.nv = 1;
    t.mr = wide ? 12 : medium ? 8 : 6;
    t.clamp = true;
    nest(&t, c, rlxc_select(t.ctx, few, num(&t, 0), vectors), start, t.vl);
    t.nv = 0;
    t.clamp = false;
    nest(&t, c, rlxc_select(t.ctx, few, left, num(&t, 0)), start, 1);
    c->s->temps.count = 0;
    return true;
}

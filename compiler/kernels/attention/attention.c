/* Attention without its n x n matrix: the seven stages that attention is lowered to (scores, mask,
 * maximum, exp, sum, weighted values, quotient) run block by block over the keys, with a running
 * maximum and sum that are corrected when the maximum grows (M. Milakov, N. Gimelshein, "Online
 * normalizer calculation for softmax", 2018; T. Dao et al., "FlashAttention", 2022).
 *
 * Vectors run along the queries. Then maxima and sums need no operation across lanes, and both
 * products read keys and values in place, element by element, as the broadcast operand of a
 * register tile; the queries are transposed once for all keys:
 *
 *     for each batch, head and block of queries, in parallel:
 *         qt[d][query] = queries * scale, transposed
 *         for each block of keys:
 *             what the mask reads along the keys (a bias of each pair), transposed
 *             st[key][query] = mask(sum over d of key[d] * qt[d]); maximum  tiles: keys x queries
 *             st = exp(st - maximum); sum; correction of what was summed before
 *             ot[e][query] = ot * correction + sum over keys of value[e] * st   tiles: e x queries
 *         out = ot / sum
 *
 * Blocks of queries have several vectors, then one (at level 1 only these, for short code); a few
 * queries that remain run alone, with vectors along d and e. Keys and values of 16-bit types are
 * first widened into a block of float32. If the mask is an interval of keys that moves with the
 * query (causal, window), blocks of keys that no query of the block sees are skipped. A query that
 * sees no key gets the same result as without blocks: the mean of all values. */
#include "compiler/kernels/attention/attention_body.h"
#include "compiler/kernels/rules.h"

#include <inttypes.h>

enum {
    KEYS = 48,        /* of a block */
    KEYS_ALONE = 256, /* ... for a query alone */
    ALONE = 3,        /* queries, at least */
    MOVING_BLOCK = 16 /* queries of a block whose keys move with the query */
};

/* --- one query alone -------------------------------------------------------------------------- */

static void alone(fused *t)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *zero = num(t, 0), *j = rlxc_loop_var(ctx, "j"), *d = rlxc_loop_var(ctx, "d"),
                    *e = rlxc_loop_var(ctx, "e");
    const rlxc_expr *size = num(t, t->a->form.size), *value_size = num(t, t->a->form.value_size);
    const rlxc_expr *dot = at1(t, t->acc, zero), *max = at1(t, t->max, zero),
                    *sum = at1(t, t->sum, zero), *corr = at1(t, t->corr, zero);
    const rlxc_expr *score = at1(t, t->st, j);
    push(t, set(t, corr, max));
    const rlxc_stmt *parts[4];
    parts[0] = set(t, dot, real(t, 0));
    parts[1] = rlxc_reassociable(
        t->ctx, loop(t, d, size,
                     set(t, dot, plus(t, dot, times(t, at1(t, t->qt, d), key_in_place(t, j, d))))));
    if (t->a->form.size <= 2 * t->vl) /* unrolled, LLVM would vectorise over distant keys */
        parts[1] = rlxc_rolled(t->ctx, parts[1]);
    parts[2] = set(t, score, masked(t, t->i0, j, NULL, dot));
    parts[3] = set(t, max, larger(t, max, score));
    push(t, loop(t, j, t->nk, rlxc_stmt_seq(ctx, parts, 4)));
    push(t, set(t, corr, exp_of(t, rlxc_sub(ctx, corr, max))));
    push(t, set(t, sum, times(t, sum, corr)));
    push(t, loop(t, j, t->nk, set(t, score, exp_of(t, rlxc_sub(ctx, score, max)))));
    push(t, rlxc_reassociable(t->ctx, loop(t, j, t->nk, set(t, sum, plus(t, sum, score)))));
    const rlxc_expr *out = at1(t, t->ot, e);
    push(t, loop(t, e, value_size, set(t, out, times(t, out, corr))));
    int64_t vectors = t->a->form.value_size / t->vl;
    const rlxc_stmt *more = set(t, out, plus(t, out, times(t, score, value_in_place(t, j, e))));
    if (t->a->form.value_size % t->vl != 0 || vectors > 16) {
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
    push(t, loop(t, d, num(t, t->a->form.size),
                 set(t, at1(t, t->qt, d), scaled(t, query_at(t, t->i0, d)))));
    push(t, loop(t, e, num(t, t->a->form.value_size), set(t, at1(t, t->ot, e), real(t, 0))));
    push(t, set(t, at1(t, t->max, zero), lowest(t)));
    push(t, set(t, at1(t, t->sum, zero), real(t, 0)));
}

static void end_alone(fused *t)
{
    const rlxc_expr *e = rlxc_loop_var(t->ctx, "e");
    const rlxc_expr *sum = at1(t, t->sum, num(t, 0)), *inverse = at1(t, t->inverse, num(t, 0));
    push(t, set(t, inverse, inverse_of(t, sum)));
    const rlxc_expr *value = result_value(t, t->i0, e, at1(t, t->ot, e), sum, inverse);
    push(t, loop(t, e, num(t, t->a->form.value_size), set(t, result_place(t, t->i0, e), value)));
}

/* --- loops ------------------------------------------------------------------------------------ */

static const rlxc_expr *let(fused *t, const char *name, const rlxc_expr *value)
{
    const rlxc_expr *var = rlxc_var(t->ctx, rlxc_intern_cstr(t->ctx, name), RLX_I64);
    push(t, rlxc_stmt_let(t->ctx, var, rlxc_cast(t->ctx, RLX_I64, value)));
    return var;
}

/* The end of the interval of keys that query |i| sees. */
static const rlxc_expr *bound_at(fused *t, const rlxc_expr *bound, const rlxc_expr *i)
{
    return at_axes(t, bound, i, NULL, NULL);
}

/* Whether each of |height| queries sees a key of its interval: the last one, or the first one if
 * there is no last, which are its own position as a rule. In a variable that is 0 if so, as it is
 * for the estimate of the work. */
static const rlxc_expr *sees_own(fused *t, int64_t height)
{
    const rlxc_attention *a = t->a;
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *q = rlxc_loop_var(ctx, "q"), *one = num(t, 1), *nothing = real(t, 0);
    const rlxc_expr *all = at1(t, local(t, "own", 0, 1), num(t, 0));
    const rlxc_expr *query = least(t, plus(t, t->i0, q), rlxc_sub(ctx, a->queries, one));
    const rlxc_expr *key = bound_at(t, a->last_seen ? a->last_seen : a->first_seen, query);
    key = most(t, least(t, key, rlxc_sub(ctx, a->keys, one)), num(t, 0));
    const rlxc_expr *score = at_axes(t, a->form.map->select.yes, query, key, NULL);
    score = rlxc_substitute(ctx, score, &a->form.score, &nothing, 1);
    const rlxc_expr *seen = rlxc_binary(ctx, RLXC_EXPR_LT, a->hidden, score);
    push(t, set(t, all, real(t, 1)));
    push(t, unrolled(t, q, height, set(t, all, rlxc_select(ctx, seen, all, nothing))));
    const rlxc_expr *none =
        rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, nothing, all), num(t, 0), num(t, 1));
    return rlxc_binary(ctx, RLXC_EXPR_EQ, let(t, "unseen", none), num(t, 0));
}

void rlxc_attention_visible(fused *t, int64_t height, const rlxc_expr **begin,
                            const rlxc_expr **end)
{
    const rlxc_attention *a = t->a;
    rlxc_context *ctx = t->ctx;
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
    if (all && a->hidden)
        all = rlxc_binary(ctx, RLXC_EXPR_AND, all, sees_own(t, height));
    if (all) {
        *begin = a->first_seen ? rlxc_select(ctx, all, *begin, num(t, 0)) : *begin;
        *end = rlxc_select(ctx, all, *end, a->keys);
    }
}

typedef struct part { /* the statements of a block of queries */
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

/* The loop over blocks of keys; |parts| are its body. Its bounds are expressions, not variables,
 * because the work of the parallel loop is estimated from them. */
static void over_keys(fused *t, int64_t block, const part *parts, uint32_t n)
{
    const rlxc_expr *begin, *end, *var = rlxc_loop_var(t->ctx, "block");
    rlxc_attention_visible(t, t->nv == 0 ? 1 : (int64_t)t->nv * t->vl, &begin, &end);
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
    static const part vectors[] = {{"widen", rlxc_attention_widen},
                                   {"turn", rlxc_attention_turn},
                                   {"scores", rlxc_attention_scores},
                                   {"weights", rlxc_attention_weights},
                                   {"values", rlxc_attention_values}};
    static const part one[] = {{"keys", alone}};
    static const part begin[2] = {{"queries", rlxc_attention_begin}, {"query", begin_alone}};
    static const part end[2] = {{"write", rlxc_attention_end}, {"write", end_alone}};
    const rlxc_attention *a = t->a;
    rlxc_schedule inner = {.s = c->s};
    int64_t width = (int64_t)t->nv * t->vl;
    bool single = t->nv == 0;
    t->c = &inner;
    t->keys = t->values = NULL;
    t->qt = single ? local(t, "q", 0, a->form.size) : local(t, "qt", a->form.size, width);
    t->st = single ? local(t, "s", 0, t->z->keys_alone) : local(t, "st", t->z->keys, width);
    t->ot =
        single ? local(t, "o", 0, a->form.value_size) : local(t, "ot", a->form.value_size, width);
    if (!single && a->widens) {
        t->keys = local(t, "keys", t->z->keys, a->form.size);
        t->values = local(t, "values", t->z->keys, a->form.value_size);
    }
    for (uint32_t k = 0; !single && k < a->n_crossed; k++) {
        const rlxc_expr *shape[2] = {num(t, t->z->keys), num(t, width)};
        t->turned[k] = rlxc_local_buffer(t->c, "turned", a->crossed[k]->dtype, shape, 2);
    }
    t->acc = local(t, "acc", 0, single ? 1 : width * t->mr);
    t->max = local(t, "largest", 0, single ? 1 : width);
    t->sum = local(t, "sum", 0, single ? 1 : width);
    t->corr = local(t, "correction", 0, single ? 1 : width);
    t->inverse = local(t, "inverse", 0, single ? 1 : width);
    const rlxc_expr *p = rlxc_loop_var(t->ctx, "block");
    t->b = let(t, "batch", divided(t, p, times(t, a->form.extents[RLXC_ROLE_HEAD], blocks)));
    t->h = let(t, "head", rest(t, divided(t, p, blocks), a->form.extents[RLXC_ROLE_HEAD]));
    t->i0 = let(t, "query", plus(t, start, times(t, rest(t, p, blocks), num(t, height))));
    push_part(t, &begin[single]);
    if (single)
        over_keys(t, t->z->keys_alone, one, sizeof one / sizeof *one);
    else
        over_keys(t, t->z->keys, vectors, sizeof vectors / sizeof *vectors);
    push_part(t, &end[single]);
    const rlxc_expr *all = times(
        t, times(t, a->form.extents[RLXC_ROLE_BATCH], a->form.extents[RLXC_ROLE_HEAD]), blocks);
    RLXC_PUSH(t->ctx, &c->out, rlxc_parallel_loop(t->ctx, p, all, true, rlxc_body_of(&inner)));
}

static bool find(const rlxc_stages *s, uint32_t i, rlxc_attention *a)
{
    if (i > 0)
        return rlxc_decline(s, "attention begins with the function's first block");
    return rlxc_attention_find(s, a);
}

/* How many queries take less time one by one than as a vector of |lanes|, of which only they count.
 * A query alone multiplies by vectors along its |size| elements, so longer ones pay more. Measured
 * with 16, 32 and 64 elements and vectors of 8 and 16 lanes. */
static int64_t most_alone(int64_t lanes, int64_t size)
{
    const int64_t pays = size < 64 ? 2 + size * lanes / 128 : lanes / 2,
                  most = pays < lanes / 2 ? pays : lanes / 2;
    return most > ALONE ? most : ALONE;
}

bool rlxc_decide_attention(rlxc_schedule *c, uint32_t i, void *sizes)
{
    rlxc_attention a;
    if (!find(c->s, i, &a))
        return false;
    const uint32_t bytes = c->s->target->vector_bytes;
    const uint32_t registers = rlxc_tile_registers(c->s);
    const bool wide = registers >= 32, medium = registers >= 16;
    const int64_t lanes = bytes / (a.form.dtype.bits / 8u);
    const int64_t widest = wide ? 4 : 2, few = lanes < MOVING_BLOCK ? MOVING_BLOCK / lanes : 1;
    /* a block computes all keys that any of its queries sees: where these move, it has few queries
     */
    const bool narrow = (a.first_seen || a.last_seen) && few < widest;
    const bool short_code = rlxc_prefers_short_code(c->s);
    *(rlxc_attention_sizes *)sizes =
        (rlxc_attention_sizes){.lanes = lanes,
                               .vectors = short_code ? 0
                                          : narrow   ? few
                                                     : widest,
                               .rows = narrow           ? 12
                                       : wide || medium ? 6
                                                        : 4,
                               .tail_rows = wide     ? 12
                                            : medium ? 8
                                                     : 6,
                               .keys = KEYS,
                               .keys_alone = KEYS_ALONE,
                               .alone = most_alone(lanes, a.form.size)};
    return true;
}

bool rlxc_apply_attention(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    rlxc_attention a;
    const rlxc_attention_sizes *z = sizes;
    if (!find(c->s, i, &a))
        return false;
    if (z->keys < z->rows || z->keys < z->tail_rows)
        return rlxc_decline(c->s, "keys is %" PRId64 ", below rows or tail_rows", z->keys);
    fused t = {.ctx = c->s->ctx, .a = &a, .c = c, .z = z};
    t.vl = (uint32_t)t.z->lanes;
    t.nv = (uint32_t)t.z->vectors;
    t.mr = (uint32_t)t.z->rows;
    const rlxc_expr *left = a.queries, *start = num(&t, 0);
    if (t.nv > 0) {
        const rlxc_expr *height = num(&t, (int64_t)t.nv * t.vl);
        const rlxc_expr *blocks = divided(&t, a.queries, height);
        left = rest(&t, a.queries, height);
        nest(&t, c, blocks, start, (int64_t)t.nv * t.vl);
        start = times(&t, blocks, height);
    }
    const rlxc_expr *rows = num(&t, t.vl), *last = rest(&t, left, rows);
    const rlxc_expr *few = rlxc_binary(t.ctx, RLXC_EXPR_LE, last, num(&t, t.z->alone));
    const rlxc_expr *single = rlxc_select(t.ctx, few, last, num(&t, 0));
    const rlxc_expr *vectors = rlxc_split_count(t.ctx, rlxc_sub(t.ctx, left, single), t.vl);
    t.nv = 1;
    t.mr = (uint32_t)t.z->tail_rows;
    t.clamp = true;
    nest(&t, c, vectors, start, t.vl);
    t.nv = 0;
    t.clamp = false;
    nest(&t, c, single, plus(&t, start, times(&t, vectors, rows)), 1);
    c->s->temps.count = 0;
    return true;
}

/* The order of each line by merging, for kernels that run on one thread.
 *
 * Runs of |width| elements, sorted, become runs of twice as many, until one is left: about log2(n)
 * passes over the line. |order| holds the elements' indices twice; each pass reads one half and
 * writes the other. Of equal elements the one of the left run is first, so the order is stable. */
#include <string.h>

#include "compiler/ops/sort_kernel.h"

enum { MOST_PASSES = 62 };

typedef struct merge {
    rlxc_te *te;
    rlxc_context *ctx;
    const rlxc_sort *r;
    const rlxc_expr *n, *zero, *one;
    const rlxc_expr *lines[RLXC_MAX_NDIM]; /* loop variables; at the axis: none */
    const rlxc_buffer *order;              /* [2, n] */
    /* of one element each: the next of both runs, where the right one begins and ends, the length
     * of runs, the half of |order| that is read */
    const rlxc_buffer *left, *right, *middle, *end, *width, *half;
} merge;

static const rlxc_buffer *state(rlxc_te *te, const char *name)
{
    const rlxc_expr *one = rlxc_i64(te->ctx, 1);
    return rlxc_te_temp(te, name, RLX_I64, &one, 1);
}

static const rlxc_expr *get(const merge *m, const rlxc_buffer *state)
{
    return rlxc_te_load(m->te, state, &m->zero);
}

static const rlxc_stmt *set(const merge *m, const rlxc_buffer *state, const rlxc_expr *value)
{
    return rlxc_stmt_store(m->ctx, state, &m->zero, 1, value);
}

static const rlxc_expr *least(const merge *m, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(m->ctx, RLXC_EXPR_MIN, a, b);
}

/* The index that is |at| in |half| of the order. */
static const rlxc_expr *ordered(const merge *m, const rlxc_expr *half, const rlxc_expr *at)
{
    const rlxc_expr *place[2] = {half, at};
    return rlxc_te_load(m->te, m->order, place);
}

static const rlxc_stmt *put(const merge *m, const rlxc_expr *half, const rlxc_expr *at,
                            const rlxc_expr *value)
{
    const rlxc_expr *place[2] = {half, at};
    return rlxc_stmt_store(m->ctx, m->order, place, 2, value);
}

/* The element of the line that the order has at |at|; of the last one beyond the end. */
static const rlxc_expr *element(const merge *m, const rlxc_expr *at)
{
    const rlxc_expr *indices[RLXC_MAX_NDIM], *last = rlxc_sub(m->ctx, m->n, m->one);
    memcpy(indices, m->lines, sizeof indices);
    indices[m->r->axis] =
        rlxc_cast(m->ctx, RLX_I64, ordered(m, get(m, m->half), least(m, at, last)));
    return rlxc_te_widen(m->te, rlxc_te_get(m->te, &m->r->x, indices));
}

static const rlxc_stmt *loop(const merge *m, const rlxc_expr *var, const rlxc_expr *extent,
                             const rlxc_stmt *body)
{
    return rlxc_stmt_for(m->ctx, var, m->zero, extent, RLXC_LOOP_SERIAL, body);
}

static const rlxc_stmt *both(const merge *m, const rlxc_stmt *a, const rlxc_stmt *b)
{
    const rlxc_stmt *items[2] = {a, b};
    return rlxc_stmt_seq(m->ctx, items, 2);
}

/* Element |i| of the other half: the next of the left run or of the right one. */
static const rlxc_stmt *step(const merge *m, const rlxc_expr *i)
{
    rlxc_context *ctx = m->ctx;
    const rlxc_expr *left = get(m, m->left), *right = get(m, m->right), *width = get(m, m->width),
                    *other = rlxc_sub(ctx, m->one, get(m, m->half)), *from_half = get(m, m->half);
    const rlxc_stmt *begin[] = {
        set(m, m->left, i), set(m, m->middle, least(m, rlxc_add(ctx, i, width), m->n)),
        set(m, m->right, get(m, m->middle)),
        set(m, m->end, least(m, rlxc_add(ctx, get(m, m->middle), width), m->n))};
    const rlxc_expr *left_is_next = rlxc_binary(
        ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LT, left, get(m, m->middle)),
        rlxc_binary(ctx, RLXC_EXPR_OR, rlxc_binary(ctx, RLXC_EXPR_LE, get(m, m->end), right),
                    rlxc_not(ctx, rlxc_sort_beats(m->te, m->r->descending, element(m, right),
                                                  element(m, left)))));
    const rlxc_stmt *take_left = both(m, put(m, other, i, ordered(m, from_half, left)),
                                      set(m, m->left, rlxc_add(ctx, left, m->one))),
                    *take_right = both(m, put(m, other, i, ordered(m, from_half, right)),
                                       set(m, m->right, rlxc_add(ctx, right, m->one)));
    return both(m,
                rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_EQ, i, get(m, m->end)),
                             rlxc_stmt_seq(ctx, begin, sizeof begin / sizeof *begin), NULL),
                rlxc_stmt_if(ctx, left_is_next, take_left, take_right));
}

/* The whole order of one line, in the half that is read at the end. */
static const rlxc_stmt *sort_line(const merge *m)
{
    rlxc_context *ctx = m->ctx;
    int64_t length, passes = MOST_PASSES;
    const rlxc_expr *i = rlxc_var(ctx, "i", RLX_I64), *at = rlxc_var(ctx, "at", RLX_I64),
                    *pass = rlxc_var(ctx, "pass", RLX_I64);
    if (rlxc_is_int(m->n, &length))
        for (passes = 0; ((int64_t)1 << passes) < length;)
            passes++;
    const rlxc_stmt *start[] = {
        set(m, m->half, m->zero),
        set(m, m->width, m->one),
        set(m, m->left, m->zero),
        set(m, m->middle, m->zero),
        set(m, m->right, m->zero),
        loop(m, i, m->n, put(m, m->zero, i, rlxc_cast(ctx, m->order->dtype, i)))};
    const rlxc_stmt *one_pass[] = {
        set(m, m->end, m->zero), loop(m, at, m->n, step(m, at)),
        set(m, m->half, rlxc_sub(ctx, m->one, get(m, m->half))),
        set(m, m->width, rlxc_mul(ctx, get(m, m->width), rlxc_i64(ctx, 2)))};
    const rlxc_stmt *merged =
        loop(m, pass, rlxc_i64(ctx, passes),
             rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, get(m, m->width), m->n),
                          rlxc_stmt_seq(ctx, one_pass, sizeof one_pass / sizeof *one_pass), NULL));
    return both(m, rlxc_stmt_seq(ctx, start, sizeof start / sizeof *start), merged);
}

void rlxc_sort_merge(rlxc_te *te, rlxc_sort *r, const rlxc_expr *count)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *dims[RLXC_MAX_NDIM], *pair[2] = {rlxc_i64(ctx, 2), r->x.dims[r->axis]};
    int64_t length;
    merge m = {.te = te,
               .ctx = ctx,
               .r = r,
               .n = r->x.dims[r->axis],
               .zero = rlxc_i64(ctx, 0),
               .one = rlxc_i64(ctx, 1)};
    const bool is_short = rlxc_is_int(m.n, &length) && length <= INT32_MAX;
    memcpy(dims, r->x.dims, r->x.ndim * sizeof dims[0]);
    dims[r->axis] = count;
    r->places = rlxc_te_temp(te, "places", is_short ? RLX_I32 : RLX_I64, dims, r->x.ndim);
    m.order = rlxc_te_temp(te, "order", r->places->dtype, pair, 2);
    m.left = state(te, "left");
    m.right = state(te, "right");
    m.middle = state(te, "middle");
    m.end = state(te, "end");
    m.width = state(te, "width");
    m.half = state(te, "half");
    for (uint32_t i = 0; i < r->x.ndim; i++)
        m.lines[i] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", i), RLX_I64);
    const rlxc_expr *k = m.lines[r->axis];
    rlxc_te_block(te, "places");
    const rlxc_stmt *body = both(
        &m, sort_line(&m),
        loop(&m, k, count,
             rlxc_stmt_store(ctx, r->places, m.lines, r->x.ndim, ordered(&m, get(&m, m.half), k))));
    for (uint32_t i = r->x.ndim; i-- > 0;)
        if (i != r->axis)
            body = loop(&m, m.lines[i], r->x.dims[i], body);
    rlxc_te_body(te, NULL, body);
}

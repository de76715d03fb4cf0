/* Private to the files that emit attention: attention.c goes over blocks of queries
 * and keys, and a query alone; attention_block.c emits what happens in a block;
 * device/attention.c has a thread for each query. Statements
 * are appended to t->c. */
#ifndef RLXC_KERNELS_ATTENTION_ATTENTION_BODY_H
#define RLXC_KERNELS_ATTENTION_ATTENTION_BODY_H

#include "compiler/kernels/attention/attention.h"
#include "compiler/kernels/sizes.h"

#include <float.h>

enum { LINE = 64 };

typedef struct fused {
    rlxc_context *ctx;
    const rlxc_attention *a;
    rlxc_schedule *c; /* the statements of one block of queries */
    const rlxc_attention_sizes *z;
    uint32_t vl, nv, mr;
    bool clamp; /* the block may reach beyond the queries */
    const rlxc_expr *b, *h, *i0, *j0, *nk;
    rlxc_buffer *qt, *st, *ot;                     /* workspace */
    rlxc_buffer *keys, *values;                    /* widened blocks, or NULL */
    rlxc_buffer *turned[RLXC_ATTENTION_CROSSED];   /* a->crossed, as st is laid out */
    rlxc_buffer *acc, *max, *sum, *corr, *inverse; /* in registers */
} fused;

/* The parts of a block of queries: before the keys, for each block of keys, after them. */
void rlxc_attention_begin(fused *t);
void rlxc_attention_widen(fused *t);
void rlxc_attention_turn(fused *t);
void rlxc_attention_scores(fused *t);
void rlxc_attention_weights(fused *t);
void rlxc_attention_values(fused *t);
void rlxc_attention_end(fused *t);
/* Keys [*begin, *end) are those that some of the |height| queries from t->i0 on sees; all keys if a
 * query might see none. */
void rlxc_attention_visible(fused *t, int64_t height, const rlxc_expr **begin,
                            const rlxc_expr **end);

/* --- small helpers ---------------------------------------------------------------------------- */

static inline const rlxc_expr *num(fused *t, int64_t v)
{
    return rlxc_i64(t->ctx, v);
}

static inline const rlxc_expr *plus(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(t->ctx, a, b);
}

static inline const rlxc_expr *times(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_mul(t->ctx, a, b);
}

static inline const rlxc_expr *divided(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_FLOORDIV, a, b);
}

static inline const rlxc_expr *rest(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_FLOORMOD, a, b);
}

static inline const rlxc_expr *least(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_MIN, a, b);
}

static inline const rlxc_expr *most(fused *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_MAX, a, b);
}

static inline const rlxc_expr *real(fused *t, double v)
{
    return rlxc_float(t->ctx, t->a->form.dtype, v);
}

/* The initial maximum, unless the blocks start higher: finite, so that the first correction is not
 * NaN, and below every score except -inf. Exporters hide keys with the least float; rows with only
 * such scores are means. */
static inline const rlxc_expr *lowest(fused *t)
{
    const double least = t->a->form.dtype.bits == 64 ? -DBL_MAX : -(double)FLT_MAX;
    return real(t, t->a->form.start > least ? t->a->form.start : least);
}

/* Of a difference to a maximum. */
static inline const rlxc_expr *exp_of(fused *t, const rlxc_expr *x)
{
    return rlxc_call(t->ctx, x->dtype, rlxc_intern_cstr(t->ctx, "exp_nonpositive"), &x, 1);
}

/* The larger of a maximum so far and a score. Where the score is NaN, it may be either: the weight
 * becomes NaN, and with it the sum. So the CPU's own maximum of two numbers will do. */
static inline const rlxc_expr *larger(fused *t, const rlxc_expr *max, const rlxc_expr *score)
{
    const rlxc_expr *grows = rlxc_binary(t->ctx, RLXC_EXPR_LT, max, score);
    return rlxc_select(t->ctx, grows, score, max);
}

static inline const rlxc_expr *at1(fused *t, const rlxc_buffer *b, const rlxc_expr *i)
{
    return rlxc_load(t->ctx, b, &i, 1);
}

static inline const rlxc_expr *at2(fused *t, const rlxc_buffer *b, const rlxc_expr *i,
                                   const rlxc_expr *j)
{
    const rlxc_expr *both[2] = {i, j};
    return rlxc_load(t->ctx, b, both, 2);
}

/* Stores |value| at |place|, which is a load. */
static inline const rlxc_stmt *set(fused *t, const rlxc_expr *place, const rlxc_expr *value)
{
    return rlxc_stmt_store(t->ctx, place->load.buffer, place->load.indices, place->load.n, value);
}

typedef struct renaming {
    rlxc_context *ctx;
    const rlxc_expr *from, *to;
} renaming;

static inline const rlxc_expr *rename_var(void *user, const rlxc_expr *e)
{
    renaming *r = user;
    return rlxc_substitute(r->ctx, e, &r->from, &r->to, 1);
}

/* A loop with a variable of its own: |var| may have been used for other loops before. */
static inline const rlxc_stmt *loop_of(fused *t, const rlxc_expr *var, const rlxc_expr *extent,
                                       rlxc_loop_kind kind, const rlxc_stmt *body)
{
    renaming r = {t->ctx, var, rlxc_var_like(t->ctx, var)};
    const rlxc_stmt_rewriter rewriter = {.user = &r, .expr = rename_var};
    body = rlxc_stmt_rewrite(t->ctx, body, &rewriter);
    return rlxc_loop_of(t->ctx, r.to, extent, kind, body);
}

static inline const rlxc_stmt *loop(fused *t, const rlxc_expr *var, const rlxc_expr *extent,
                                    const rlxc_stmt *body)
{
    return loop_of(t, var, extent, RLXC_LOOP_SERIAL, body);
}

static inline const rlxc_stmt *both(fused *t, const rlxc_stmt *a, const rlxc_stmt *b)
{
    const rlxc_stmt *parts[2] = {a, b};
    return rlxc_stmt_seq(t->ctx, parts, 2);
}

static inline void push(fused *t, const rlxc_stmt *s)
{
    RLXC_PUSH(t->ctx, &t->c->out, s);
}

static inline rlxc_buffer *local(fused *t, const char *name, int64_t rows, int64_t columns)
{
    const rlxc_expr *shape[2] = {num(t, rows ? rows : columns), num(t, columns)};
    return rlxc_local_buffer(t->c, name, t->a->form.dtype, shape, rows ? 2 : 1);
}

static inline const rlxc_stmt *unrolled(fused *t, const rlxc_expr *var, int64_t n,
                                        const rlxc_stmt *body)
{
    return loop_of(t, var, num(t, n), RLXC_LOOP_UNROLLED, body);
}

/* --- what the stages compute, at given places ------------------------------------------------- */

/* |e| for query |i|, key |j| of all, and element |d| of a head; NULL: |e| has no such axis. */
static inline const rlxc_expr *at_axes(fused *t, const rlxc_expr *e, const rlxc_expr *i,
                                       const rlxc_expr *j, const rlxc_expr *d)
{
    const rlxc_expr *values[RLXC_ROLES] = {t->b, t->h, i, j, d, d};
    for (uint32_t k = 0; k < RLXC_ROLES; k++)
        values[k] = values[k] ? values[k] : num(t, 0);
    return rlxc_replace(t->ctx, e, t->a->form.axes, values, RLXC_ROLES);
}

static inline const rlxc_expr *query_at(fused *t, const rlxc_expr *i, const rlxc_expr *d)
{
    return at_axes(t, t->a->form.query, i, NULL, d);
}

/* An element of a query with the scale of the scores. */
static inline const rlxc_expr *scaled(fused *t, const rlxc_expr *element)
{
    return t->a->scale ? times(t, element, t->a->scale) : element;
}

static inline const rlxc_expr *key_in_place(fused *t, const rlxc_expr *j, const rlxc_expr *d)
{
    return at_axes(t, t->a->form.key, NULL, plus(t, t->j0, j), d);
}

static inline const rlxc_expr *value_in_place(fused *t, const rlxc_expr *j, const rlxc_expr *e)
{
    return at_axes(t, t->a->form.value, NULL, plus(t, t->j0, j), e);
}

typedef struct turned_load {
    fused *t;
    const rlxc_expr *row, *column;
} turned_load;

static inline const rlxc_expr *read_turned(void *user, const rlxc_expr *e)
{
    const turned_load *q = user;
    for (uint32_t i = 0; i < q->t->a->n_crossed; i++)
        if (q->t->a->crossed[i] == e)
            return at2(q->t, q->t->turned[i], q->row, q->column);
    return NULL;
}

/* The score of query |i| and key |j| of the block after scale, bias and mask; |column|: of the
 * query in st, NULL: it is alone. */
static inline const rlxc_expr *masked(fused *t, const rlxc_expr *i, const rlxc_expr *j,
                                      const rlxc_expr *column, const rlxc_expr *score)
{
    const rlxc_attention_form *f = &t->a->form;
    turned_load turned = {t, j, column};
    const rlxc_expr *e = column ? rlxc_expr_rewrite(t->ctx, f->map, read_turned, &turned) : f->map;
    e = at_axes(t, e, i, plus(t, t->j0, j), NULL);
    return rlxc_substitute(t->ctx, e, &f->score, &score, 1);
}

static inline const rlxc_expr *result_place(fused *t, const rlxc_expr *i, const rlxc_expr *e)
{
    const rlxc_attention_form *f = &t->a->form;
    const rlxc_expr *indices[RLXC_NEST_AXES];
    for (uint32_t k = 0; k < f->out->ndim; k++)
        indices[k] = at_axes(t, f->indices[k], i, NULL, e);
    return rlxc_load(t->ctx, f->out, indices, f->out->ndim);
}

static inline const rlxc_expr *quotient_of(void *user, const rlxc_expr *e)
{
    const fused *t = user;
    return e->kind == RLXC_EXPR_DIV && e->bin.b == t->a->form.sum
               ? rlxc_mul(t->ctx, e->bin.a, t->a->inverse)
               : NULL;
}

static inline const rlxc_expr *inverse_of(fused *t, const rlxc_expr *sum)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_DIV, real(t, 1), sum);
}

/* The result for element |e| of query |i|. It is a quotient by |sum|: |inverse| = 1 / sum makes it
 * a product, because vectors are divided slowly. */
static inline const rlxc_expr *result_value(fused *t, const rlxc_expr *i, const rlxc_expr *e,
                                            const rlxc_expr *total, const rlxc_expr *sum,
                                            const rlxc_expr *inverse)
{
    const rlxc_attention_form *f = &t->a->form;
    const rlxc_expr *vars[3] = {f->total, f->sum, t->a->inverse};
    const rlxc_expr *values[3] = {total, sum, inverse};
    const rlxc_expr *value = at_axes(t, f->final, i, NULL, e);
    value = rlxc_expr_rewrite_all(t->ctx, value, quotient_of, t);
    return rlxc_substitute(t->ctx, value, vars, values, 3);
}

#endif

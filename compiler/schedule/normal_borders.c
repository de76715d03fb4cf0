/* Borders of images: padding that another tool inlined into the window that reads it.
 *
 *   C[y, x] += T.if_then_else(1 <= y + r ..., A[y + r - 1, x + q - 1], 0) * W[r, q]
 *
 * becomes a temporary with the border, P[v, u] = T.if_then_else(1 <= v ..., A[v - 1, u - 1], 0),
 * and C[y, x] += P[y + r, x + q] * W[r, q]: the form that legalization makes, and that rules take.
 * The operand may be any choice that uses the nest's axes in sums only, no axis in two of them:
 * each sum becomes a dimension of the temporary. In a dilated image, A[v // 2] is under the
 * condition v % 2 == 0. */
#include "compiler/analysis/reach.h"
#include "compiler/schedule/normal_space.h"

enum { MOST_GROWTH = 16, MOST_DILATION = 4, REUSE = 2, MOST_DEPTH = 32 };

/* A sum of axes, each times a number; the numbers have no common divisor, the first is above 0. */
typedef struct sum {
    int64_t by[RLXC_NEST_AXES];
    const rlxc_expr *expr, *first, *size; /* of its values */
    const rlxc_expr *var;                 /* of the temporary, from 0 */
} sum;

typedef struct border {
    rlxc_context *ctx;
    const rlxc_nest *nest;
    rlxc_reach reach;                                                  /* the axes of the nest, */
    const rlxc_expr *vars[RLXC_NEST_AXES], *quotients[RLXC_NEST_AXES]; /* or the only quotients of
                                                                        * them that are used */
    sum sums[RLX_MAX_NDIM];
    uint32_t n, depth;
    bool failed;
    bool is_value;            /* no index or comparison: integers keep their type */
    const rlxc_buffer *image; /* the buffer with most dimensions that is read */
    rlxc_nest *filling;
    rlxc_buffer *temp; /* NULL: none yet */
} border;

typedef struct factoring {
    rlxc_context *ctx;
    rlxc_reach *reach;
} factoring;

/* T.if_then_else(c, A[...] * w, 0) with the load alone under the condition: the form of a padded
 * image. NULL: another expression. */
static const rlxc_expr *factored(void *user, const rlxc_expr *e)
{
    const factoring *f = user;
    const rlxc_expr *v = rlxc_is_choice(e) ? e->call.args[1] : NULL;
    if (!v || v->kind != RLXC_EXPR_MUL ||
        e->call.args[2] != rlxc_neutral(f->ctx, RLXC_EXPR_ADD, e->dtype))
        return NULL;
    for (uint32_t side = 0; side < 2; side++) {
        const rlxc_expr *load = side ? v->bin.b : v->bin.a, *other = side ? v->bin.a : v->bin.b;
        if (load->kind != RLXC_EXPR_LOAD || !rlxc_reach_loads_inside(f->reach, other))
            continue;
        const rlxc_expr *args[] = {e->call.args[0], load, e->call.args[2]};
        const rlxc_expr *choice = rlxc_call(f->ctx, load->dtype, e->call.name, args, 3);
        return rlxc_binary(f->ctx, RLXC_EXPR_MUL, side ? other : choice, side ? choice : other);
    }
    return NULL;
}

/* --- sums of axes ----------------------------------------------------------------------------- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* The number of values of variable |k|. */
static const rlxc_expr *count_of(const border *b, uint32_t k)
{
    const rlxc_expr *extent = b->nest->extents[k], *q = b->quotients[k];
    if (q->kind != RLXC_EXPR_FLOORDIV)
        return extent;
    const rlxc_expr *up = rlxc_sub(b->ctx, q->bin.b, rlxc_int(b->ctx, q->dtype, 1));
    return rlxc_binary(b->ctx, RLXC_EXPR_FLOORDIV, rlxc_add(b->ctx, extent, up), q->bin.b);
}

/* True if the last value of the sum |by| is not more than one step below the first one, if any of
 * its axes has no steps. */
static bool has_values(const border *b, const int64_t *by)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *others = rlxc_i64(ctx, 0), *one = rlxc_i64(ctx, 1);
    int64_t open = 0; /* of the axis that may have none */
    for (uint32_t k = 0; k < b->nest->block->n_axes; k++) {
        const rlxc_expr *extent = rlxc_wide(ctx, count_of(b, k));
        const int64_t step = by[k] < 0 ? -by[k] : by[k];
        if (step == 0)
            continue;
        if (rlxc_prove_le(ctx, one, extent, NULL))
            others = rlxc_add(ctx, others,
                              rlxc_mul(ctx, rlxc_i64(ctx, step), rlxc_sub(ctx, extent, one)));
        else if (open != 0)
            return false;
        else
            open = step;
    }
    return open <= 1 || rlxc_prove_le(ctx, rlxc_i64(ctx, open - 1), others, NULL);
}

/* The dimension for the sum |by|, which is |*times| its sum; NULL: it has an axis of another one.
 */
static const sum *sum_for(border *b, const int64_t *by, int64_t *times)
{
    rlxc_context *ctx = b->ctx;
    const uint32_t n_axes = b->nest->block->n_axes;
    sum new = {.expr = rlxc_i64(ctx, 0)};
    *times = 0;
    for (uint32_t k = 0; k < n_axes; k++) {
        if (by[k] > INT32_MAX || by[k] < -INT32_MAX)
            return NULL;
        *times = common_divisor(by[k] < 0 ? -by[k] : by[k], *times);
    }
    for (uint32_t k = n_axes; k-- > 0;)
        if (by[k] != 0)
            *times = (by[k] < 0) == (*times < 0) ? *times : -*times;
    for (uint32_t k = 0; k < n_axes; k++) {
        new.by[k] = by[k] / *times;
        new.expr = rlxc_add(ctx, new.expr, rlxc_mul(ctx, b->vars[k], rlxc_i64(ctx, new.by[k])));
    }
    for (uint32_t i = 0; i < b->n; i++) {
        const sum *s = &b->sums[i];
        if (memcmp(s->by, new.by, sizeof new.by) == 0)
            return s;
        for (uint32_t k = 0; k < n_axes; k++)
            if (s->by[k] != 0 && new.by[k] != 0)
                return NULL;
    }
    if (b->n == RLX_MAX_NDIM || !has_values(b, new.by))
        return NULL;
    new.expr = rlxc_canonical(ctx, new.expr, NULL);
    new.first = rlxc_reach_end(&b->reach, new.expr, false);
    const rlxc_expr *last = rlxc_reach_end(&b->reach, new.expr, true);
    if (!new.first || !last)
        return NULL;
    new.size =
        rlxc_canonical(ctx, rlxc_add(ctx, rlxc_sub(ctx, last, new.first), rlxc_i64(ctx, 1)), NULL);
    new.var = rlxc_var(ctx, rlxc_internf(ctx, "v%u", b->n), RLX_I64);
    b->sums[b->n] = new;
    return &b->sums[b->n++];
}

/* |e|, a canonical integer, as |*times| a dimension of the temporary and |*rest|, which uses no
 * axes. False: it is not one; the border has failed if it is a sum of another kind. */
static bool read_sum(border *b, const rlxc_expr *e, const sum **of, int64_t *times,
                     const rlxc_expr **rest)
{
    int64_t by[RLXC_NEST_AXES];
    bool uses = false;
    for (uint32_t k = 0; k < b->nest->block->n_axes; k++) {
        if (!rlxc_linear_in(b->ctx, e, b->vars[k], &by[k], &e))
            return false;
        uses = uses || by[k] != 0;
    }
    *rest = e;
    *of = uses ? sum_for(b, by, times) : NULL;
    b->failed = b->failed || (uses && !*of);
    return *of != NULL;
}

/* True if |e| may be computed in int64. */
static bool fits(border *b, const rlxc_expr *e)
{
    rlxc_space s = {.ctx = b->ctx};
    return rlxc_space_fits(&s, e, NULL, NULL, 0, &b->reach.bounds);
}

static const rlxc_expr *renamed(void *user, const rlxc_expr *e);

static const rlxc_expr *renamed_inside(border *b, const rlxc_expr *e)
{
    b->depth++;
    b->failed = b->failed || b->depth > MOST_DEPTH;
    const rlxc_expr *inside = b->failed ? e : rlxc_expr_rewrite_all(b->ctx, e, renamed, b);
    b->depth--;
    return inside;
}

/* A comparison of integers: of a dimension with what is on the other side, if it is of a sum. */
static const rlxc_expr *renamed_comparison(border *b, const rlxc_expr *e)
{
    rlxc_context *ctx = b->ctx;
    const sum *of;
    const rlxc_expr *rest, *x = rlxc_wide(ctx, e->bin.a), *y = rlxc_wide(ctx, e->bin.b);
    int64_t times;
    if (!fits(b, e->bin.a) || !fits(b, e->bin.b)) {
        b->failed = true;
        return e;
    }
    if (!read_sum(b, rlxc_canonical(ctx, rlxc_sub(ctx, x, y), NULL), &of, &times, &rest))
        return rlxc_binary(ctx, e->kind, renamed_inside(b, x), renamed_inside(b, y));
    const rlxc_expr *value =
        rlxc_add(ctx, rlxc_mul(ctx, rlxc_add(ctx, of->var, of->first), rlxc_i64(ctx, times)), rest);
    const bool down = e->kind == RLXC_EXPR_GT || e->kind == RLXC_EXPR_GE;
    const bool strict = e->kind == RLXC_EXPR_GT || e->kind == RLXC_EXPR_LT;
    if (e->kind == RLXC_EXPR_EQ || e->kind == RLXC_EXPR_NE || (times != 1 && times != -1))
        return rlxc_binary(ctx, e->kind, rlxc_canonical(ctx, value, NULL), rlxc_i64(ctx, 0));
    /* value <= 0, as least <= var or var < end. */
    value = down ? rlxc_sub(ctx, rlxc_i64(ctx, 0), value) : value;
    value = strict ? rlxc_add(ctx, value, rlxc_i64(ctx, 1)) : value;
    if ((times > 0) == down)
        return rlxc_binary(ctx, RLXC_EXPR_LE,
                           rlxc_canonical(ctx, rlxc_add(ctx, value, of->var), NULL), of->var);
    value = rlxc_sub(ctx, rlxc_add(ctx, of->var, rlxc_i64(ctx, 1)), value);
    return rlxc_binary(ctx, RLXC_EXPR_LT, of->var, rlxc_canonical(ctx, value, NULL));
}

/* An integer as int64, with the temporary's dimensions for its sums; NULL: it keeps its kind. */
static const rlxc_expr *renamed_integer(border *b, const rlxc_expr *e)
{
    rlxc_context *ctx = b->ctx;
    if (!fits(b, e)) {
        b->failed = true;
        return e;
    }
    const rlxc_expr *wide = rlxc_canonical(ctx, rlxc_wide(ctx, e), NULL), *rest;
    const sum *of;
    int64_t times;
    if (read_sum(b, wide, &of, &times, &rest)) {
        wide = rlxc_add(ctx, rlxc_mul(ctx, rlxc_add(ctx, of->var, of->first), rlxc_i64(ctx, times)),
                        rest);
        return rlxc_canonical(ctx, wide, NULL);
    }
    /* A canonical remainder of a sum may have lost some of it. */
    return rlxc_dtype_eq(e->dtype, RLX_I64) ? NULL : renamed_inside(b, rlxc_wide(ctx, e));
}

static const rlxc_expr *renamed_load(border *b, const rlxc_expr *e)
{
    const rlxc_expr *at[RLX_MAX_NDIM];
    for (uint32_t i = 0; i < e->load.n; i++)
        at[i] = rlxc_expr_rewrite_all(b->ctx, e->load.indices[i], renamed, b);
    return rlxc_load(b->ctx, e->load.buffer, at, e->load.n);
}

/* A node with the temporary's dimensions for the sums in it; NULL: it keeps its kind. */
static const rlxc_expr *renamed(void *user, const rlxc_expr *e)
{
    border *b = user;
    const bool is_value = b->is_value;
    const bool compares = rlxc_is_compare(e->kind) && rlxc_is_index_type(e->bin.a->dtype) &&
                          !rlxc_expr_loads(b->ctx, e);
    const rlxc_expr *made = NULL;
    if (b->failed)
        return e;
    b->is_value = false;
    if (compares)
        made = renamed_comparison(b, e);
    else if (is_value && e->kind == RLXC_EXPR_LOAD)
        made = renamed_load(b, e);
    else if (rlxc_is_index_type(e->dtype) && !rlxc_reach_may_change(b->ctx, e))
        made = renamed_integer(b, e);
    b->is_value = is_value;
    return made && is_value ? rlxc_cast(b->ctx, e->dtype, made) : made;
}

/* --- quotients of axes ------------------------------------------------------------------------ */

typedef struct quotient {
    const rlxc_expr *axis, *value, *var; /* axis // number, and the variable for it; or NULL */
} quotient;

static bool find_quotient(void *user, const rlxc_expr *e)
{
    quotient *q = user;
    int64_t by;
    if (e->kind == RLXC_EXPR_FLOORDIV && e->bin.a == q->axis && rlxc_is_int(e->bin.b, &by) &&
        by > 0)
        q->value = e;
    return !q->value;
}

static const rlxc_expr *read_quotient(void *user, const rlxc_expr *e)
{
    const quotient *q = user;
    return e == q->value ? q->var : NULL;
}

/* |e| with a variable for each axis of which it uses one quotient only: the group of a channel. */
static const rlxc_expr *with_quotients(border *b, const rlxc_expr *e)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_block *block = b->nest->block;
    for (uint32_t k = 0; k < block->n_axes; k++) {
        quotient q = {.axis = block->axes[k].var};
        b->vars[k] = b->quotients[k] = q.axis;
        rlxc_expr_visit(ctx, e, find_quotient, &q);
        if (!q.value)
            continue;
        q.var = rlxc_var(ctx, q.axis->var.name, q.axis->dtype);
        const rlxc_expr *other = rlxc_expr_rewrite_all(ctx, e, read_quotient, &q);
        if (rlxc_expr_uses_var(ctx, other, q.axis))
            continue;
        b->vars[k] = q.var;
        b->quotients[k] = q.value;
        e = other;
        rlxc_reach_enter(&b->reach, q.var, rlxc_int(ctx, q.axis->dtype, 0), count_of(b, k));
    }
    return e;
}

/* --- the operand ------------------------------------------------------------------------------ */

static bool note_load(void *user, const rlxc_expr *e)
{
    border *b = user;
    const rlxc_buffer *out = b->nest->block->body->store.buffer;
    if (e->kind != RLXC_EXPR_LOAD)
        return !b->failed;
    const rlxc_buffer *from = e->load.buffer;
    b->failed = b->failed || from->data == out->data;
    b->image = !b->image || b->image->ndim < from->ndim ? from : b->image;
    /* The dimensions are in the order of an image's. */
    for (uint32_t i = 0; i < e->load.n && !b->failed; i++)
        rlxc_expr_rewrite_all(b->ctx, e->load.indices[i], renamed, b);
    return !b->failed;
}

/* False if |e| divides by more than an image is dilated by, or by a size. */
static bool divides_by_few(void *user, const rlxc_expr *e)
{
    int64_t by;
    (void)user;
    return (e->kind != RLXC_EXPR_FLOORDIV && e->kind != RLXC_EXPR_FLOORMOD) ||
           (rlxc_is_int(e->bin.b, &by) && by <= MOST_DILATION);
}

/* True if the temporary for |value| is not far larger than the image, and each element is read
 * several times; sizes that are not known are those of windows over an image. */
static bool pays(const border *b, const rlxc_expr *value)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *sizes[RLX_MAX_NDIM];
    int64_t size, image, reads;
    bool window = false;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t axes = 0;
        for (uint32_t k = 0; k < b->nest->block->n_axes; k++)
            axes += b->sums[i].by[k] != 0;
        window = window || axes > 1;
        sizes[i] = b->sums[i].size;
    }
    if (!rlxc_is_int(rlxc_product(ctx, sizes, b->n), &size) ||
        !rlxc_is_int(rlxc_product(ctx, b->image->shape, b->image->ndim), &image) ||
        !rlxc_is_int(rlxc_product(ctx, b->nest->extents, b->nest->block->n_axes), &reads))
        return window && rlxc_expr_visit(ctx, value, divides_by_few, NULL);
    return size / MOST_GROWTH <= image && size <= reads / REUSE;
}

/* The nest that fills the temporary with |value|; false: a load may leave its buffer. */
static bool fill(border *b, const rlxc_expr *value)
{
    rlxc_context *ctx = b->ctx;
    rlxc_reach reach = {.ctx = ctx};
    const rlxc_expr *vars[RLX_MAX_NDIM], *sizes[RLX_MAX_NDIM];
    for (uint32_t i = 0; i < b->n; i++) {
        vars[i] = b->sums[i].var;
        sizes[i] = b->sums[i].size;
        rlxc_reach_enter(&reach, vars[i], rlxc_i64(ctx, 0), sizes[i]);
    }
    if (!rlxc_reach_loads_inside(&reach, value))
        return false;
    b->temp = rlxc_nest_fills(ctx, b->nest, rlxc_internf(ctx, "%s_pad", b->image->name), vars,
                              sizes, b->n, value, b->filling);
    return true;
}

/* The load of a temporary for |e|, if it is a border; NULL: something else. */
static const rlxc_expr *taken(void *user, const rlxc_expr *e)
{
    border *b = user;
    rlxc_context *ctx = b->ctx;
    if (b->temp || !rlxc_is_choice(e))
        return NULL;
    b->n = b->depth = 0;
    b->failed = false;
    b->image = NULL;
    const rlxc_expr *value = with_quotients(b, e);
    rlxc_expr_visit(ctx, value, note_load, b);
    b->is_value = true;
    if (!b->failed && b->image)
        value = rlxc_expr_rewrite_all(ctx, value, renamed, b);
    b->is_value = false;
    for (uint32_t k = 0; k < b->nest->block->n_axes; k++)
        b->failed = b->failed || rlxc_expr_uses_var(ctx, value, b->vars[k]);
    if (b->failed || !b->image || b->n == 0 || !pays(b, value) || !fill(b, value))
        return e;
    const rlxc_expr *at[RLX_MAX_NDIM];
    for (uint32_t i = 0; i < b->n; i++) {
        at[i] = rlxc_sub(ctx, b->sums[i].expr, b->sums[i].first);
        at[i] = rlxc_substitute(ctx, at[i], b->vars, b->quotients, b->nest->block->n_axes);
        at[i] = rlxc_canonical(ctx, at[i], NULL);
    }
    return rlxc_load(ctx, b->temp, at, b->n);
}

/* The axes of |nest|. */
static rlxc_reach reach_of(rlxc_context *ctx, const rlxc_nest *nest)
{
    rlxc_reach reach = {.ctx = ctx};
    for (uint32_t k = 0; k < nest->block->n_axes; k++)
        rlxc_reach_enter(&reach, nest->block->axes[k].var, nest->block->axes[k].min,
                         nest->extents[k]);
    return reach;
}

static bool is_reduction(const rlxc_block *b)
{
    bool reduces = false;
    for (uint32_t k = 0; k < b->n_axes; k++)
        reduces = reduces || b->axes[k].kind == RLXC_AXIS_REDUCE;
    return reduces;
}

static bool is_no_let(void *user, const rlxc_expr *e)
{
    (void)user;
    return e->kind != RLXC_EXPR_LET;
}

bool rlxc_take_border(rlxc_context *ctx, rlxc_nest *nest, rlxc_nest *filling, rlxc_buffer **temp)
{
    border b = {.ctx = ctx, .nest = nest, .reach = reach_of(ctx, nest), .filling = filling};
    const rlxc_block *block = nest->block;
    const rlxc_stmt *store = block->body;
    factoring f = {ctx, &b.reach};
    if (!is_reduction(block) || !rlxc_expr_visit(ctx, store->store.value, is_no_let, NULL))
        return false;
    const rlxc_expr *value = rlxc_expr_rewrite_all(ctx, store->store.value, factored, &f);
    value = rlxc_expr_rewrite_all(ctx, value, taken, &b);
    if (!b.temp)
        return false;
    *temp = b.temp;
    rlxc_nest_set_value(ctx, nest, value);
    return !rlxc_failed(ctx);
}

static bool find_any_choice(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || rlxc_is_choice(e);
    return !*found;
}

bool rlxc_reads_plainly(rlxc_context *ctx, const rlxc_nest *nest)
{
    rlxc_nest own = *nest, filling;
    rlxc_buffer *temp;
    while (rlxc_take_border(ctx, &own, &filling, &temp)) {
    }
    const rlxc_block *b = own.block;
    rlxc_reach reach = reach_of(ctx, &own);
    bool choice = false;
    rlxc_expr_visit(ctx, b->body->store.value, find_any_choice, &choice);
    return !(choice && is_reduction(b)) && rlxc_reach_loads_inside(&reach, b->body->store.value);
}

/* Poolings over one to three spatial dimensions, in any order of N, C and the spatial letters.
 *
 * With the channels last the border is tested in place: rule sliding takes the conditions out. With
 * the columns last, windows that overlap or touch the border are computed dimension by dimension.
 * The first dimension's results have the other dimensions' padding, so that only it tests for the
 * border; rule rows then works image by image. */
#include "compiler/ops/reduce.h"
#include "compiler/ops/window.h"

#include <string.h>

enum {
    SPACE = 2,   /* the first spatial dimension with the columns last */
    COLUMNS = 8, /* a padded row has a multiple of these: vectors of 32 bytes */
    WIDEST = 16  /* limit of a window computed dimension by dimension: its loops are unrolled */
};

bool rlxc_window_read_pool(const rlxc_call_view *v, rlxc_window *w)
{
    return rlxc_window_read(v, "layout", w) && rlxc_window_sizes(v, "pool_size", w->n, 1, w->size);
}

const rlxc_sinfo *rlxc_window_pooled(const rlxc_call_view *v, const rlxc_window *w,
                                     const rlxc_sinfo *x)
{
    bool up = rlxc_attr_get_bool(v->call, "ceil_mode", false);
    rlxc_dims dims = {.n = w->n + 2};
    dims.at[w->out_batch] = x->dims[w->batch];
    dims.at[w->out_channel] = x->dims[w->channel];
    for (uint32_t i = 0; i < w->n; i++) {
        const rlxc_expr *size = rlxc_i64(v->ctx, w->size[i]);
        const rlxc_expr *length =
            rlxc_window_positions(v->ctx, w, i, x->dims[w->space[i]], size, up);
        if (!rlxc_window_fits(v, length))
            return NULL;
        dims.at[w->out_space[i]] = length;
    }
    return rlxc_tensor_of(v, x->dtype, &dims);
}

const rlxc_sinfo *rlxc_infer_pool(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_window_read_pool(&v, &w))
        return NULL;
    if (!rlxc_dims_known(v.in[0]))
        return rlxc_tensor_ndim(&v, v.in[0]->dtype, (int32_t)w.n + 2);
    return rlxc_window_pooled(&v, &w, v.in[0]);
}

/* How many taps of the window at |position| fall on the input or, with |padding|, on the padded
 * input; at least 1. */
static const rlxc_expr *taps_inside(rlxc_te *te, const rlxc_window *w, uint32_t i, bool padding,
                                    const rlxc_expr *position, const rlxc_expr *length)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *step = rlxc_i64(ctx, w->dilation[i]);
    const rlxc_expr *round_up = rlxc_i64(ctx, w->dilation[i] - 1);
    const rlxc_expr *start = rlxc_sub(ctx, rlxc_mul(ctx, position, rlxc_i64(ctx, w->strides[i])),
                                      rlxc_i64(ctx, w->before[i]));
    /* the first r with start + r * step >= 0, and the first with it >= length */
    const rlxc_expr *first = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV,
                                         rlxc_add(ctx, rlxc_sub(ctx, zero, start), round_up), step);
    if (padding) { /* no window begins before it */
        first = zero;
        length = rlxc_add(ctx, length, rlxc_i64(ctx, w->after[i]));
    }
    const rlxc_expr *last = rlxc_binary(
        ctx, RLXC_EXPR_FLOORDIV, rlxc_add(ctx, rlxc_sub(ctx, length, start), round_up), step);
    first = rlxc_binary(ctx, RLXC_EXPR_MAX, first, zero);
    last = rlxc_binary(ctx, RLXC_EXPR_MIN, last, rlxc_i64(ctx, w->size[i]));
    return rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_sub(ctx, last, first), rlxc_i64(ctx, 1));
}

/* True if all windows have all their taps along spatial dimension |i|, or count them. */
static bool counts_whole(const rlxc_te *te, const rlxc_window *w, uint32_t i)
{
    return !rlxc_attr_get_bool(te->call, "ceil_mode", false) &&
           (rlxc_attr_get_bool(te->call, "count_include_pad", false) ||
            (w->before[i] == 0 && w->after[i] == 0));
}

/* The number of taps along spatial dimension |i| of the window at |position| that the mean divides
 * by. */
static const rlxc_expr *taps_counted(rlxc_te *te, const rlxc_window *w, uint32_t i,
                                     const rlxc_expr *position, const rlxc_te_operand *x)
{
    bool padding = rlxc_attr_get_bool(te->call, "count_include_pad", false);
    return counts_whole(te, w, i) ? rlxc_i64(te->ctx, w->size[i])
                                  : taps_inside(te, w, i, padding, position, x->dims[w->space[i]]);
}

const rlxc_expr *rlxc_window_divisor(rlxc_te *te, const rlxc_window *w, const rlxc_te_operand *x)
{
    const rlxc_expr *count = rlxc_i64(te->ctx, 1);
    for (uint32_t i = 0; i < w->n; i++)
        count = rlxc_mul(te->ctx, count, taps_counted(te, w, i, te->axes[w->out_space[i]], x));
    return count;
}

/* --- window by window
 * ------------------------------------------------------------------------------- */

typedef struct pool {
    rlxc_te *te;
    rlxc_window w;
    rlxc_te_operand x;
    const rlxc_buffer *out;
    rlx_dtype dtype; /* of the sums, or of the maximum before it is rounded */
    const rlxc_expr *init;
    bool is_max, up;
} pool;

/* Where the windows' sums or maximums go: the result itself, if that needs nothing more. */
static const rlxc_buffer *accumulator(const pool *p, const rlxc_expr *const *dims, bool last)
{
    const bool done = p->is_max && last && rlxc_dtype_eq(p->dtype, p->out->dtype);
    return done ? p->out
                : rlxc_te_temp(p->te, p->is_max ? "pool_max" : "pool_sum", p->dtype, dims,
                               p->out->ndim);
}

static const rlxc_expr *taken_in(const pool *p, const rlxc_buffer *acc, const rlxc_expr *element)
{
    return rlxc_binary(p->te->ctx, p->is_max ? RLXC_EXPR_MAX : RLXC_EXPR_ADD,
                       rlxc_te_load(p->te, acc, p->te->axes), element);
}

/* Emits the windows as one block, with the border as a condition; returns the sums. */
static const rlxc_buffer *by_window(const pool *p)
{
    rlxc_te *te = p->te;
    rlxc_context *ctx = te->ctx;
    const rlxc_window *w = &p->w;
    const rlxc_buffer *acc = accumulator(p, p->out->shape, true);
    rlxc_te_spatial(te, acc->name, p->out);
    rlxc_te_computes(te, RLXC_OPERATION_pool);
    const rlxc_expr *at[RLXC_MAX_NDIM], *inside = NULL;
    at[w->batch] = te->axes[w->out_batch];
    at[w->channel] = te->axes[w->out_channel];
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t k = w->space[i];
        const rlxc_expr *r = rlxc_te_axis(te, RLXC_AXIS_REDUCE, rlxc_internf(ctx, "rv%u", i),
                                          rlxc_i64(ctx, w->size[i]));
        at[k] = rlxc_window_tap(ctx, w, i, te->axes[w->out_space[i]], r);
        if (w->before[i] == 0 && w->after[i] == 0 && !p->up)
            continue;
        at[k] = rlxc_sub(ctx, at[k], rlxc_i64(ctx, w->before[i]));
        const rlxc_expr *test =
            rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LE, rlxc_i64(ctx, 0), at[k]),
                        rlxc_binary(ctx, RLXC_EXPR_LT, at[k], p->x.dims[k]));
        inside = rlxc_window_both(ctx, inside, test);
    }
    const rlxc_expr *element = rlxc_cast(ctx, p->dtype, rlxc_te_get(te, &p->x, at));
    if (inside)
        element = rlxc_te_if(ctx, inside, element, p->init);
    rlxc_te_reduce(te, acc, p->init, taken_in(p, acc, element));
    return acc;
}

static void store_mean(const pool *p, const rlxc_buffer *acc, const rlxc_expr *count)
{
    rlxc_te *te = p->te;
    const rlxc_expr *sum = rlxc_te_load(te, acc, te->axes);
    rlxc_te_store(te, p->out,
                  rlxc_cast(te->ctx, p->out->dtype, rlxc_te_over_count(te, sum, count)));
}

/* --- dimension by dimension ------------------------------------------------------------------ */

static bool goes_by_dimension(const pool *p)
{
    const rlxc_window *w = &p->w;
    const uint32_t last = w->n + 1;
    bool overlaps = p->up, narrow = true;
    for (uint32_t i = 0; i < w->n; i++) {
        overlaps = overlaps || w->before[i] || w->after[i] || w->size[i] > w->strides[i];
        narrow = narrow && w->size[i] <= WIDEST;
    }
    return overlaps && narrow && w->space[w->n - 1] == last && w->out_space[w->n - 1] == last &&
           w->batch == w->out_batch && w->channel == w->out_channel;
}

/* How many taps count at each position, as the sums' type: a table, or NULL if they are the same.
 * It has all dimensions of a position, so that the division runs over whole images. */
static const rlxc_buffer *store_counts(const pool *p)
{
    rlxc_te *te = p->te;
    const rlxc_window *w = &p->w;
    const rlxc_expr *count = rlxc_i64(te->ctx, 1);
    uint32_t whole = 0;
    for (uint32_t i = 0; i < w->n; i++)
        whole += counts_whole(te, w, i);
    if (whole == w->n)
        return NULL;
    const rlxc_buffer *counts =
        rlxc_te_temp(te, "pool_count", p->dtype, p->out->shape + SPACE, w->n);
    rlxc_te_spatial(te, "pool_count", counts);
    for (uint32_t i = 0; i < w->n; i++)
        count = rlxc_mul(te->ctx, count,
                         taps_counted(te, w, i, te->axes[w->out_space[i] - SPACE], &p->x));
    rlxc_te_store(te, counts, rlxc_cast(te->ctx, p->dtype, count));
    return counts;
}

/* The window, with more padding after the columns if there is padding anyway: rows of a known
 * length are then whole vectors, and the steps along the other dimensions leave no columns over. */
static rlxc_window whole_vectors(const pool *p)
{
    rlxc_window w = p->w;
    const uint32_t last = w.n - 1;
    const int64_t more = p->up ? w.strides[last] - 1 : 0;
    int64_t length;
    bool any = p->up;
    for (uint32_t i = 0; i < w.n; i++)
        any = any || w.before[i] || w.after[i];
    if (any && w.n > 1 && rlxc_is_int(p->x.dims[w.space[last]], &length) && length < INT32_MAX) {
        length += w.before[last] + w.after[last] + more;
        w.after[last] += (COLUMNS - length % COLUMNS) % COLUMNS;
    }
    return w;
}

static const rlxc_buffer *by_dimension(const pool *p)
{
    rlxc_te *te = p->te;
    rlxc_context *ctx = te->ctx;
    const rlxc_window *w = &p->w, padded = whole_vectors(p);
    const rlxc_expr *fill = rlxc_cast(ctx, p->x.dtype, p->init);
    const rlxc_expr *dims[RLXC_MAX_NDIM], *sizes[RLXC_MAX_NDIM], *at[RLXC_MAX_NDIM];
    const rlxc_buffer *acc = NULL;
    rlxc_te_operand x = p->x;
    rlxc_window_padded_dims(ctx, &padded, &x, p->up, sizes);
    memcpy(dims, sizes, x.ndim * sizeof dims[0]);
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t k = w->space[i];
        const bool first = !acc, last = i + 1 == w->n;
        if (w->size[i] == 1 && w->strides[i] == 1 && !last)
            continue;
        if (first && last)
            x = rlxc_window_padded(te, &padded, &x, fill, p->up);
        dims[k] = p->out->shape[w->out_space[i]];
        acc = accumulator(p, dims, last);
        rlxc_te_spatial(te, acc->name, acc);
        rlxc_te_computes(te, RLXC_OPERATION_pool);
        memcpy(at, te->axes, x.ndim * sizeof at[0]);
        const rlxc_expr *r = rlxc_te_axis(te, RLXC_AXIS_REDUCE, rlxc_internf(ctx, "rv%u", i),
                                          rlxc_i64(ctx, w->size[i]));
        at[k] = rlxc_window_tap(ctx, w, i, te->axes[k], r);
        const rlxc_expr *element = first && !last
                                       ? rlxc_window_padded_at(te, &padded, &x, sizes, fill, at)
                                       : rlxc_te_get(te, &x, at);
        rlxc_te_reduce(te, acc, p->init, taken_in(p, acc, rlxc_cast(ctx, p->dtype, element)));
        x = (rlxc_te_operand){
            .buffer = acc, .dtype = acc->dtype, .ndim = acc->ndim, .dims = acc->shape};
    }
    return acc;
}

static void mean_by_dimension(const pool *p)
{
    rlxc_te *te = p->te;
    const rlxc_buffer *counts = store_counts(p);
    const rlxc_buffer *acc = by_dimension(p);
    rlxc_te_spatial(te, "pool_avg", p->out);
    const rlxc_expr *sum = rlxc_te_load(te, acc, te->axes);
    const rlxc_expr *count =
        counts ? rlxc_te_load(te, counts, te->axes + SPACE) : rlxc_window_divisor(te, &p->w, &p->x);
    const rlxc_expr *mean = rlxc_te_div(te->ctx, sum, rlxc_cast(te->ctx, p->dtype, count));
    rlxc_te_store(te, p->out, rlxc_cast(te->ctx, p->out->dtype, mean));
}

rlxc_atom rlxc_legalize_pool(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    pool p = {.te = &te};
    if (!rlxc_te_begin(&te, b, call, call->op->name + 3, RLXC_PATTERN_OUT_FUSABLE) ||
        !rlxc_window_read_pool(&te.view, &p.w))
        return (rlxc_atom){0};
    p.is_max = strncmp(te.name, "max", 3) == 0;
    p.up = rlxc_attr_get_bool(call, "ceil_mode", false);
    p.x = rlxc_te_operand_of(&te, 0, "x");
    p.out = rlxc_te_output(&te, p.is_max ? "pool_max" : "pool_avg");
    p.dtype = rlxc_te_compute_dtype(p.x.dtype);
    p.init = p.is_max ? rlxc_te_max_init(&te, p.dtype, true) : rlxc_te_number(ctx, p.dtype, 0);
    const bool split = goes_by_dimension(&p);
    if (p.is_max) {
        rlxc_te_round(&te, split ? by_dimension(&p) : by_window(&p), p.out);
    } else if (split && rlxc_dtype_is_float(p.dtype)) {
        mean_by_dimension(&p);
    } else {
        const rlxc_buffer *acc = by_window(&p);
        rlxc_te_spatial(&te, "pool_avg", p.out);
        store_mean(&p, acc, rlxc_window_divisor(&te, &p.w, &p.x));
    }
    return rlxc_te_finish(&te);
}

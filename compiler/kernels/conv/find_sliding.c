/* Recognises windows over images with their channels last:
 *
 *     out[..., y, x, c] = out[..., y, x, c] + (or max, min) element
 *
 * They work channel by channel if every load of the element is contiguous in c, and one load moves
 * along the columns x as along the last axis of the window. Others are sums for register tiles
 * (tile.h), whose rows are the columns.
 *
 * A condition of the element keeps the window on the image,
 *
 *     if_then_else(0 <= y * 2 + ry - 1 and y * 2 + ry - 1 < h and ..., load, neutral)
 *
 * in which each comparison involves one axis of the window. Elements that fail it add nothing, so
 * the condition is equivalent to a range of that axis; the returned stage has none.
 *
 * Not handled: conditions on the channels, on two axes of the window, on the axis along the columns
 * but not the columns, or not linear; windows wider than RLXC_SLIDING_WIDTH. */
#include "compiler/kernels/conv/sliding.h"

#include <string.h>

#include "compiler/kernels/matmul/tile_plan.h"

typedef struct finder {
    rlxc_context *ctx;
    rlxc_sliding *w;
    RLXC_VEC(const rlxc_expr *) conditions;
    bool walks; /* some load moves along the columns as along the window */
    bool bad;
} finder;

/* --- what is summed -------------------------------------------------------------------------- */

/* |e| without the conditions that make it |neutral| when they fail; NULL: zero. */
static const rlxc_expr *strip(finder *f, const rlxc_expr *e, const rlxc_expr *neutral)
{
    rlxc_context *ctx = f->ctx;
    if (e->kind == RLXC_EXPR_MUL && !neutral)
        return rlxc_mul(ctx, strip(f, e->bin.a, NULL), strip(f, e->bin.b, NULL));
    if (e->kind == RLXC_EXPR_CAST && !neutral)
        return rlxc_cast(ctx, e->dtype, strip(f, e->bin.a, NULL));
    if (!rlxc_is_choice(e))
        return e;
    const rlxc_expr *no = e->call.args[2];
    if (no != (neutral ? neutral : rlxc_cast(ctx, no->dtype, rlxc_int(ctx, RLX_I32, 0))))
        return e;
    RLXC_PUSH(ctx, &f->conditions, e->call.args[0]);
    return strip(f, e->call.args[1], neutral);
}

/* True unless |load| reads other elements for the window of the next column. */
static bool meets_next(const finder *f, const rlxc_expr *load)
{
    const rlxc_sliding *w = f->w;
    const rlxc_stage *s = &w->stage;
    const rlxc_buffer *b = load->load.buffer;
    int64_t next, step;
    return !rlxc_access_stride(f->ctx, b, load->load.indices, s->vars[w->column], &next) ||
           !rlxc_access_stride(f->ctx, b, load->load.indices, s->vars[w->along], &step) ||
           step <= 0 || next / step < w->width;
}

static bool check_node(void *user, const rlxc_expr *e)
{
    finder *f = user;
    const rlxc_stage *s = &f->w->stage;
    const rlxc_expr *x = s->vars[f->w->column], *r = s->vars[f->w->along];
    int64_t stride;
    if (e->kind != RLXC_EXPR_LOAD)
        return !f->bad;
    f->bad = f->bad || e->load.buffer->strides ||
             !rlxc_access_stride(f->ctx, e->load.buffer, e->load.indices, s->vars[f->w->channel],
                                 &stride) ||
             stride != 1;
    bool walks = false;
    for (uint32_t i = 0; i < e->load.n; i++)
        walks = walks || (rlxc_expr_uses_var(f->ctx, e->load.indices[i], x) &&
                          rlxc_expr_uses_var(f->ctx, e->load.indices[i], r));
    f->walks = f->walks || walks;
    f->w->overlaps = f->w->overlaps || (walks && meets_next(f, e));
    return !f->bad;
}

/* Removes the conditions from the stage's value; returns the element, or NULL. */
static const rlxc_expr *take_element(const rlxc_stages *all, finder *f)
{
    rlxc_context *ctx = f->ctx;
    rlxc_stage *s = &f->w->stage;
    rlxc_operation op;
    if (!rlxc_stage_operation(all, s, &op) ||
        (op.combine != RLXC_EXPR_ADD && op.combine != RLXC_EXPR_MAX && op.combine != RLXC_EXPR_MIN))
        return NULL;
    const rlxc_expr *element = strip(f, op.term, op.combine == RLXC_EXPR_ADD ? NULL : s->init);
    s->value =
        rlxc_binary(ctx, op.combine, rlxc_load(ctx, s->out, s->indices, s->out->ndim), element);
    return element;
}

/* True if the element reads a single channel. */
static bool is_of_channel(finder *f, const rlxc_expr *element)
{
    rlxc_context *ctx = f->ctx;
    const rlxc_stage *s = &f->w->stage;
    rlxc_expr_visit(ctx, element, check_node, f);
    const rlxc_expr *bare = rlxc_expr_rewrite(ctx, element, rlxc_hide_load, ctx);
    const rlxc_expr *channel = s->vars[f->w->channel];
    return !f->bad && f->walks && !rlxc_expr_uses_var(ctx, bare, channel) &&
           !rlxc_expr_uses_var(ctx, s->init, channel);
}

/* --- conditions ------------------------------------------------------------------------------ */

static const rlxc_expr *quotient(rlxc_context *ctx, const rlxc_expr *a, int64_t b)
{
    return rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, a, rlxc_i64(ctx, b)), NULL);
}

/* -(-a // b): a / b rounded up */
static const rlxc_expr *quotient_up(rlxc_context *ctx, const rlxc_expr *a, int64_t b)
{
    return quotient(ctx, rlxc_add(ctx, a, rlxc_i64(ctx, b - 1)), b);
}

static const rlxc_expr *meet(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a,
                             const rlxc_expr *b)
{
    return rlxc_canonical(ctx, rlxc_binary(ctx, kind, a, b), NULL);
}

/* The bound that |e| >= 0 gives for the columns: a lower one if |from|, else an upper one. */
static void bound_columns(finder *f, const rlxc_expr *e, int64_t along, bool from)
{
    rlxc_context *ctx = f->ctx;
    rlxc_sliding *w = f->w;
    int64_t step;
    const rlxc_expr *still;
    if (!rlxc_linear_in(ctx, e, w->stage.vars[w->column], &step, &still) ||
        (from ? step <= 0 : step >= 0) || step < -INT32_MAX || step > INT32_MAX) {
        f->bad = true;
        return;
    }
    const int64_t apart = along / step;
    w->apart = w->apart == 0 || apart < w->apart ? apart : w->apart;
    if (from)
        w->first = meet(ctx, RLXC_EXPR_MAX, w->first,
                        quotient_up(ctx, rlxc_sub(ctx, rlxc_i64(ctx, 0), still), step));
    else
        w->end = meet(ctx, RLXC_EXPR_MIN, w->end,
                      rlxc_add(ctx, quotient(ctx, still, -step), rlxc_i64(ctx, 1)));
}

/* The condition |e| >= 0. */
static void take_bound(finder *f, const rlxc_expr *e)
{
    rlxc_context *ctx = f->ctx;
    rlxc_sliding *w = f->w;
    const rlxc_stage *s = &w->stage;
    const rlxc_expr *rest = NULL, *zero = rlxc_i64(ctx, 0);
    uint32_t axis = RLXC_STAGE_AXES;
    int64_t step;
    e = rlxc_canonical(ctx, e, NULL);
    for (uint32_t k = 0; k < s->n_axes; k++) {
        if (!s->reduces[k] || !rlxc_expr_uses_var(ctx, e, s->vars[k]))
            continue;
        f->bad = f->bad || axis != RLXC_STAGE_AXES;
        axis = k;
    }
    if (f->bad || axis == RLXC_STAGE_AXES || rlxc_expr_uses_var(ctx, e, s->vars[w->channel]) ||
        !rlxc_linear_in(ctx, e, s->vars[axis], &step, &rest) || step == 0 || step < -INT32_MAX ||
        step > INT32_MAX) {
        f->bad = true;
        return;
    }
    if (step > 0) {
        const rlxc_expr *from = quotient_up(ctx, rlxc_sub(ctx, zero, rest), step);
        w->from[axis] = meet(ctx, RLXC_EXPR_MAX, w->from[axis] ? w->from[axis] : zero, from);
    } else {
        const rlxc_expr *to = rlxc_add(ctx, quotient(ctx, rest, -step), rlxc_i64(ctx, 1));
        w->to[axis] = meet(ctx, RLXC_EXPR_MIN, w->to[axis] ? w->to[axis] : s->extents[axis], to);
    }
    /* a part of |along| missing for all columns is not a border */
    const bool of_columns = rlxc_expr_uses_var(ctx, rest, s->vars[w->column]);
    if (of_columns != (axis == w->along))
        f->bad = true;
    else if (of_columns)
        bound_columns(f, e, step, step > 0);
}

static void take_condition(finder *f, const rlxc_expr *e)
{
    rlxc_context *ctx = f->ctx;
    if (e->kind == RLXC_EXPR_AND) {
        take_condition(f, e->bin.a);
        take_condition(f, e->bin.b);
        return;
    }
    const rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    const bool less = kind == RLXC_EXPR_LT || kind == RLXC_EXPR_LE;
    if ((!less && kind != RLXC_EXPR_GT && kind != RLXC_EXPR_GE) ||
        !rlxc_dtype_eq(e->bin.a->dtype, RLX_I64)) {
        f->bad = true;
        return;
    }
    const rlxc_expr *low = less ? e->bin.a : e->bin.b, *high = less ? e->bin.b : e->bin.a;
    const rlxc_expr *room = rlxc_sub(ctx, high, low);
    if (kind == RLXC_EXPR_LT || kind == RLXC_EXPR_GT)
        room = rlxc_sub(ctx, room, rlxc_i64(ctx, 1));
    take_bound(f, room);
}

/* --- the stage ------------------------------------------------------------------------------- */

static bool find_axes(const rlxc_stages *all, rlxc_sliding *w)
{
    const rlxc_stage *s = &w->stage;
    const uint32_t n = s->out ? s->out->ndim : 0;
    if (!s->simple || !s->init || n < 2 || s->n_axes <= n || s->out->dtype.lanes != 1 ||
        rlxc_dtype_is_bool(s->out->dtype))
        return rlxc_decline(all, "no window: %u axes for %u dimensions of %s", s->n_axes, n,
                            s->out ? s->out->name : "the result");
    for (uint32_t k = 0; k < s->n_axes; k++)
        if (s->reduces[k] != (k >= n) || (k < n && s->indices[k] != s->vars[k]) ||
            !rlxc_dtype_eq(s->vars[k]->dtype, RLX_I64))
            return rlxc_decline(all, "the axes of %s are not its dimensions in order, as int64",
                                s->out->name);
    w->channel = n - 1;
    w->column = n - 2;
    w->row = n > 3 ? n - 3 : RLXC_STAGE_AXES;
    w->along = s->n_axes - 1;
    if (!rlxc_is_int(s->extents[w->along], &w->width) || w->width <= 1 ||
        w->width > RLXC_SLIDING_WIDTH)
        return rlxc_decline(all, "a window of %s elements; 2 to %d are supported",
                            rlxc_told(all, s->extents[w->along]), RLXC_SLIDING_WIDTH);
    if (rlxc_is_const(s->extents[w->column], 1) ||
        !rlxc_is_int(s->extents[w->channel], &w->channels) || w->channels <= 0 ||
        w->channels > INT32_MAX)
        return rlxc_decline(all, "%s columns of %s channels", rlxc_told(all, s->extents[w->column]),
                            rlxc_told(all, s->extents[w->channel]));
    return true;
}

static bool take_conditions(finder *f)
{
    rlxc_context *ctx = f->ctx;
    rlxc_sliding *out = f->w;
    out->first = rlxc_i64(ctx, 0);
    out->end = out->stage.extents[out->column];
    for (uint32_t i = 0; i < f->conditions.count && !f->bad; i++)
        take_condition(f, f->conditions.items[i]);
    for (uint32_t k = 0; k < out->stage.n_axes; k++) {
        if (out->from[k] && !out->to[k])
            out->to[k] = out->stage.extents[k];
        if (out->to[k] && !out->from[k])
            out->from[k] = rlxc_i64(ctx, 0);
    }
    return !f->bad;
}

bool rlxc_find_sliding(const rlxc_stages *all, const rlxc_stage *stage, rlxc_sliding *out)
{
    rlxc_context *ctx = all->ctx;
    finder f = {.ctx = ctx, .w = out};
    *out = (rlxc_sliding){.stage = *stage};
    if (rlxc_is_pool_step(all, stage))
        return rlxc_decline(all, "%s is one dimension of a pooling", stage->out->name);
    if (!find_axes(all, out))
        return false;
    const rlxc_expr *element = take_element(all, &f);
    if (!element)
        return rlxc_decline(all, "%s is not a sum, maximum or minimum of %s and a term",
                            rlxc_told(all, stage->value), stage->out->name);
    if (!is_of_channel(&f, element))
        return rlxc_decline(all,
                            "the window in %s does not slide along %s and %s, or is not contiguous "
                            "along the channel %s",
                            rlxc_told(all, element), rlxc_told(all, stage->vars[out->column]),
                            rlxc_told(all, stage->vars[out->along]),
                            rlxc_told(all, stage->vars[out->channel]));
    if (!take_conditions(&f))
        return rlxc_decline(all,
                            "a condition in %s is not about one axis of the window, or not "
                            "linear in it",
                            rlxc_told(all, stage->value));
    /* the ends of the window, which reach further than the rest */
    const rlxc_expr *r = out->stage.vars[out->along],
                    *ends[2] = {rlxc_i64(ctx, 0), rlxc_i64(ctx, out->width - 1)};
    out->first = rlxc_canonical(ctx, rlxc_substitute(ctx, out->first, &r, &ends[0], 1), NULL);
    out->end = rlxc_canonical(ctx, rlxc_substitute(ctx, out->end, &r, &ends[1], 1), NULL);
    return true;
}

/* True if a later sum or maximum reads |b|. */
static bool is_reduced(const rlxc_stages *s, const rlxc_buffer *b)
{
    const rlxc_expr *const *indices;
    bool same;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->items[i].init && s->items[i].out != b && !s->items[i].removed &&
            rlxc_stage_loads(s, i, b, &indices, &same) > 0)
            return true;
    return false;
}

bool rlxc_is_pool_step(const rlxc_stages *s, const rlxc_stage *stage)
{
    rlxc_operation op;
    const uint32_t r = stage->n_axes - 1; /* reductions come last */
    int64_t width;
    if (!stage->simple || !stage->init || stage->n_axes < 2 || !stage->reduces[r] ||
        stage->reduces[r - 1] || !rlxc_is_int(stage->extents[r], &width) ||
        width > RLXC_SLIDING_WIDTH || !rlxc_stage_operation(s, stage, &op) ||
        op.kind != RLXC_OPERATION_pool ||
        (op.combine != RLXC_EXPR_MAX && op.combine != RLXC_EXPR_ADD))
        return false;
    const rlxc_expr *x = op.term->kind == RLXC_EXPR_CAST ? op.term->bin.a : op.term;
    return x->kind == RLXC_EXPR_LOAD &&
           (rlxc_stage_is_temp(s, x->load.buffer) ||
            (rlxc_stage_is_temp(s, stage->out) && is_reduced(s, stage->out)));
}

/* The reduction axis that shares an index with the columns in some load. */
static bool along_columns(void *user, const rlxc_expr *e)
{
    finder *f = user;
    rlxc_sliding *w = f->w;
    const rlxc_stage *s = &w->stage;
    for (uint32_t i = 0; e->kind == RLXC_EXPR_LOAD && i < e->load.n; i++) {
        if (!rlxc_expr_uses_var(f->ctx, e->load.indices[i], s->vars[w->column]))
            continue;
        for (uint32_t k = 0; k < s->n_axes; k++)
            if (s->reduces[k] && rlxc_expr_uses_var(f->ctx, e->load.indices[i], s->vars[k]))
                w->along = k;
    }
    return true;
}

bool rlxc_find_border(const rlxc_stages *s, const rlxc_stage *stage, rlxc_sliding *out)
{
    finder f = {.ctx = s->ctx, .w = out};
    rlxc_tile_plan p;
    *out = (rlxc_sliding){.stage = *stage, .row = RLXC_STAGE_AXES, .along = RLXC_STAGE_AXES};
    const rlxc_expr *element = stage->simple && stage->init ? take_element(s, &f) : NULL;
    if (!element || f.conditions.count == 0 || !rlxc_tile_plan_of(s, &out->stage, &p) ||
        p.i == RLXC_NO_AXIS || p.reduce != RLXC_NO_AXIS)
        return false;
    out->channel = p.j;
    out->column = p.i;
    rlxc_expr_visit(s->ctx, element, along_columns, &f);
    return out->along != RLXC_STAGE_AXES &&
           rlxc_is_int(out->stage.extents[out->along], &out->width) &&
           out->width <= RLXC_BORDER_WIDTH && take_conditions(&f) && out->from[out->along];
}

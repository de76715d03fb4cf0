/* Inlining of producers: replaces loads of a temporary that one simple spatial stage writes by its
 * expression.
 *
 * This is done if it is free: the only consumer reads it at one set of indices and computes it no
 * more often than the producer did, or the expression is cheap: loads and simple arithmetic. Stages
 * run in order, and each buffer is written by one stage, so moving the computation later reads the
 * same values; inputs that a stage in between overwrites forbid it.
 */
#include "compiler/kernels/conv/sliding.h"
#include "compiler/kernels/matmul/tile_plan.h"
#include "compiler/kernels/rules.h"
#include "compiler/target/target.h"

#include <string.h>

enum {
    CHEAP = 6,
    FAR = 2,         /* columns between neighbours in a window */
    MOST_DEPTH = 128 /* of the joined expression: later steps make it deeper */
};

typedef struct cost {
    uint32_t work;  /* weighted operations */
    uint32_t loads; /* distinct loads */
} cost;

static uint32_t work_of(const rlxc_expr *e)
{
    const rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    if (kind == RLXC_EXPR_CALL)
        return rlxc_is_choice(e) ? 1 : 10;
    if (kind == RLXC_EXPR_DIV && rlxc_dtype_is_float(e->dtype))
        return 4;
    if (kind == RLXC_EXPR_DIV || kind == RLXC_EXPR_MOD || kind == RLXC_EXPR_FLOORDIV ||
        kind == RLXC_EXPR_FLOORMOD)
        return 2;
    return rlxc_is_binary(e) || kind == RLXC_EXPR_NOT || kind == RLXC_EXPR_SELECT;
}

static bool add_cost(void *user, const rlxc_expr *e)
{
    cost *c = user;
    c->work += work_of(e);
    c->loads += e->kind == RLXC_EXPR_LOAD;
    return true;
}

static cost cost_of(rlxc_context *ctx, const rlxc_expr *e)
{
    cost c = {0};
    rlxc_expr_visit(ctx, e, add_cost, &c);
    return c;
}

static uint32_t reductions(const rlxc_stage *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_axes; i++)
        n += s->reduces[i];
    return n;
}

/* True if every axis of the consumer is an index of the load, so that no element is computed twice.
 */
static bool reads_once(const rlxc_stage *consumer, const rlxc_expr *const *indices, uint32_t n)
{
    for (uint32_t i = 0; i < consumer->n_axes; i++) {
        bool found = rlxc_is_const(consumer->extents[i], 1);
        for (uint32_t k = 0; k < n; k++)
            found = found || indices[k] == consumer->vars[i];
        if (!found)
            return false;
    }
    return true;
}

/* True if the producer writes every element of the buffer: indices are axes over the whole shape.
 */
static bool covers(rlxc_context *ctx, const rlxc_stage *p)
{
    uint32_t axis = 0;
    for (uint32_t i = 0; i < p->out->ndim; i++) {
        if (axis < p->n_axes && p->indices[i] == p->vars[axis]) {
            if (!rlxc_prove_eq(ctx, p->extents[axis++], p->out->shape[i], NULL))
                return false;
        } else {
            return false;
        }
    }
    return axis == p->n_axes;
}

typedef struct substitution {
    rlxc_context *ctx;
    const rlxc_stage *producer;
} substitution;

static const rlxc_expr *put_value(void *user, const rlxc_expr *e)
{
    substitution *u = user;
    const rlxc_stage *p = u->producer;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer != p->out)
        return NULL;
    const rlxc_expr **indices = rlxc_alloc(u->ctx, (e->load.n + 1) * sizeof *indices);
    for (uint32_t i = 0; i < e->load.n; i++)
        indices[i] = rlxc_expr_rewrite(u->ctx, e->load.indices[i], put_value, u);
    const rlxc_expr *value = rlxc_replace(u->ctx, p->value, p->vars, indices, p->n_axes);
    return rlxc_cast(u->ctx, p->out->dtype, value);
}

/* True if a stage between the two writes something that the producer reads. */
static bool disturbed(const rlxc_stages *s, uint32_t producer, uint32_t consumer)
{
    for (uint32_t i = producer + 1; i < consumer; i++) {
        const rlxc_stage *between = &s->items[i];
        const rlxc_expr *const *indices;
        bool same;
        if (between->removed)
            continue;
        if (!between->simple || rlxc_stage_loads(s, producer, between->out, &indices, &same) > 0)
            return true;
    }
    return false;
}

/* A sum over channels leaves out elements outside the image by runs of columns that see the same
 * part of the window. That pays if neighbours are |FAR| apart (measured: a run of one column costs
 * as much as it saves), and if the image is read in place: a reordered copy gets its border for
 * free. */
static bool is_wide_border(const rlxc_stages *s, const rlxc_stage *joined)
{
    rlxc_sliding w;
    rlxc_tile_plan p;
    int64_t step;
    if (!rlxc_find_border(s, joined, &w) || !rlxc_tile_plan_of(s, &w.stage, &p) || w.apart < FAR)
        return false;
    const rlxc_accesses all = rlxc_accesses_of(s->ctx, &w.stage);
    const rlxc_expr *innermost = w.stage.vars[w.stage.n_axes - 1];
    for (uint32_t i = 0; i + 1 < all.loads.count; i++) { /* the last one is the store */
        const rlxc_expr *e = all.loads.items[i];
        bool vector = e->load.buffer == w.stage.out;
        for (uint32_t k = 0; k < e->load.n; k++)
            vector = vector || rlxc_expr_uses_var(s->ctx, e->load.indices[k], w.stage.vars[p.j]);
        if (!vector &&
            (!rlxc_access_stride(s->ctx, e->load.buffer, e->load.indices, innermost, &step) ||
             step != 1))
            return false;
    }
    return true;
}

/* True for a border around an image under a sliding window: the window skips elements outside, so
 * that the padded copy is never made. */
static bool is_border_of(const rlxc_stages *s, const rlxc_stage *p, const rlxc_stage *consumer)
{
    substitution u = {s->ctx, p};
    rlxc_stage joined = *consumer;
    if (!rlxc_is_choice(p->value) || !consumer->init)
        return false;
    rlxc_sliding w;
    joined.value = rlxc_expr_rewrite(s->ctx, consumer->value, put_value, &u);
    return rlxc_find_sliding(s, &joined, &w) || is_wide_border(s, &joined);
}

/* True if |p| widens 16-bit floats that register tiles of |consumer| read for whole vectors of
 * columns: converting them there takes as long as multiplying. Devices convert what they copy to
 * shared memory, or multiply numbers of 16 bits. */
static bool is_widened_row(const rlxc_stages *s, const rlxc_stage *p, const rlxc_stage *consumer,
                           const rlxc_expr *const *indices)
{
    const rlxc_expr *from = p->value->kind == RLXC_EXPR_CAST ? p->value->bin.a : NULL;
    rlxc_tile_plan plan;
    if (!from || rlxc_target_is_device(s->target) || !rlxc_dtype_is_float(from->dtype) ||
        from->dtype.bits != 16 || from->kind != RLXC_EXPR_LOAD || !consumer->init ||
        !rlxc_tile_plan_of(s, consumer, &plan) || plan.i == RLXC_NO_AXIS)
        return false;
    for (uint32_t k = 0; k < p->out->ndim; k++)
        if (rlxc_expr_uses_var(s->ctx, indices[k], consumer->vars[plan.j]))
            return false;
    return true;
}

static bool may_fail(void *user, const rlxc_expr *e)
{
    bool *found = user;
    const rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    *found = *found || kind == RLXC_EXPR_LOAD || kind == RLXC_EXPR_CALL || kind == RLXC_EXPR_DIV ||
             kind == RLXC_EXPR_MOD || kind == RLXC_EXPR_FLOORDIV || kind == RLXC_EXPR_FLOORMOD;
    return !*found;
}

/* The value of |q|, which reads the output of |p| only at |indices|, if |p| has a condition that
 * the innermost loop does not change (the empty table of a take): the condition moves around the
 * whole value, so that rule rows evaluates it before the loop, and the guarded part vectorises.
 * NULL if it stays inside: it is then always evaluated, so it must not read or divide. */
static const rlxc_expr *choose_first(rlxc_context *ctx, const rlxc_stage *p, const rlxc_stage *q,
                                     const rlxc_expr *const *indices)
{
    bool fails = false;
    if (!rlxc_is_choice(p->value) || rlxc_is_choice(q->value) || q->init || q->n_axes == 0)
        return NULL;
    const rlxc_expr *const *choice = p->value->call.args, *args[3];
    rlxc_expr_visit(ctx, choice[0], may_fail, &fails);
    args[0] = rlxc_replace(ctx, choice[0], p->vars, indices, p->n_axes);
    if (fails || rlxc_expr_uses_var(ctx, args[0], q->vars[q->n_axes - 1]))
        return NULL;
    for (uint32_t i = 1; i < 3; i++) {
        rlxc_stage part = *p;
        part.value = choice[i];
        args[i] = rlxc_expr_rewrite(ctx, q->value, put_value, &(substitution){ctx, &part});
    }
    return rlxc_call(ctx, q->value->dtype, p->value->call.name, args, 3);
}

/* True if the producer's expression can replace its result. */
static bool may_inline(const rlxc_stages *s, uint32_t producer)
{
    const rlxc_stage *p = &s->items[producer];
    uint32_t consumers = 0;
    if (!p->simple || p->removed || p->init)
        return rlxc_decline(s, "only blocks without a reduction can be inlined");
    if (!rlxc_stage_is_temp(s, p->out))
        return rlxc_decline(s, "%s is a result of the function", p->out->name);
    if (rlxc_mentions(s->ctx, p->value, p->out))
        return rlxc_decline(s, "it reads %s, its own result", p->out->name);
    if (!covers(s->ctx, p))
        return rlxc_decline(s, "it does not write all of %s", p->out->name);
    for (uint32_t i = 0; i < s->n; i++) {
        const rlxc_stage *q = &s->items[i];
        const rlxc_expr *const *indices;
        bool same;
        if (i == producer || q->removed)
            continue;
        if (q->simple && q->out == p->out)
            return rlxc_decline(s, "another block writes %s, too", p->out->name);
        if (rlxc_stage_loads(s, i, p->out, &indices, &same) == 0)
            continue;
        if (!q->simple)
            return rlxc_decline(s, "a block that is not a plain loop nest reads %s", p->out->name);
        if (i < producer || disturbed(s, producer, i))
            return rlxc_decline(s, "its operands are overwritten before %s is computed",
                                q->out->name);
        if (rlxc_stage_loads(s, producer, q->out, &indices, &same) > 0)
            return rlxc_decline(s, "it reads %s, which its consumer writes", q->out->name);
        if ((uint32_t)p->value->depth + q->value->depth > MOST_DEPTH)
            return rlxc_decline(s, "the value of %s would be nested more than %d levels deep",
                                q->out->name, MOST_DEPTH);
        consumers++;
    }
    return consumers > 0 || rlxc_decline(s, "nothing reads %s", p->out->name);
}

bool rlxc_decide_inline(rlxc_schedule *schedule, uint32_t producer, void *sizes)
{
    (void)sizes; /* there are none */
    rlxc_stages *s = schedule->s;
    rlxc_stage *p = &s->items[producer];
    if (!may_inline(s, producer))
        return false;
    const cost c = cost_of(s->ctx, p->value);
    uint32_t consumers = 0;
    bool once = true, border = false;
    for (uint32_t i = 0; i < s->n; i++) {
        rlxc_stage *q = &s->items[i];
        const rlxc_expr *const *indices;
        bool same;
        if (i == producer || q->removed || rlxc_stage_loads(s, i, p->out, &indices, &same) == 0)
            continue;
        consumers++;
        if (is_widened_row(s, p, q, indices))
            return rlxc_decline(s, "%s would widen it for each column", q->out->name);
        once = once && same && reads_once(q, indices, p->out->ndim);
        bool cheap = c.work <= CHEAP && c.loads <= (reductions(q) > 0 ? 2u : 4u);
        if (reductions(q) > 0 && !reads_once(q, indices, p->out->ndim) && c.work > 1)
            cheap = false; /* recomputed in the reduction's inner loop */
        border = consumers == 1 && is_border_of(s, p, q);
        if (!cheap && !border && !(once && consumers == 1))
            return rlxc_decline(s,
                                "%s would compute it more than once: %u operations (limit %d), %u "
                                "loads",
                                q->out->name, c.work, CHEAP, c.loads);
    }
    if (!((once && consumers == 1) || border) && c.work > CHEAP)
        return rlxc_decline(s, "%u blocks would compute it: %u operations (limit %d)", consumers,
                            c.work, CHEAP);
    return true;
}

bool rlxc_apply_inline(rlxc_schedule *schedule, uint32_t producer, const void *sizes)
{
    (void)sizes;
    rlxc_stages *s = schedule->s;
    rlxc_stage *p = &s->items[producer];
    rlxc_context *ctx = s->ctx;
    if (!may_inline(s, producer))
        return false;
    substitution u = {ctx, p};
    for (uint32_t i = producer + 1; i < s->n; i++) {
        rlxc_stage *q = &s->items[i];
        if (!q->simple || q->removed)
            continue;
        const rlxc_expr *const *indices, *value = NULL;
        bool same;
        if (rlxc_stage_loads(s, i, p->out, &indices, &same) > 0 && same)
            value = choose_first(ctx, p, q, indices);
        if (!value)
            value = rlxc_expr_rewrite(ctx, q->value, put_value, &u);
        q->changed = q->changed || value != q->value;
        q->value = value;
        if (q->init) {
            const rlxc_expr *init = rlxc_expr_rewrite(ctx, q->init, put_value, &u);
            q->changed = q->changed || init != q->init;
            q->init = init;
        }
    }
    p->removed = true;
    rlxc_stage_drop_temp(s, p->out);
    return true;
}

void rlxc_stages_inline(rlxc_stages *s)
{
    rlxc_schedule c = {.s = s};
    for (uint32_t i = 0; i < s->n && !rlxc_failed(s->ctx); i++)
        if (rlxc_decide_inline(&c, i, NULL))
            rlxc_apply_inline(&c, i, NULL);
}

/* Finds the box of its axes that a nest visits: joins split and fused loops again.
 *
 * A sum of loop variables in which each has its own digits (i0 * 16 + i1 with i1 < 16) is one
 * variable, and a condition i0 * 16 + i1 < n gives its extent; a variable used by quotient and
 * remainder becomes two (normal_space.h). If this ends with one variable per axis and no condition,
 * each element of the box is visited once. */
#include <string.h>

#include "compiler/analysis/reach.h"
#include "compiler/ir/operation.h"
#include "compiler/schedule/normal_space.h"

enum { ROUNDS = 64 };

/* |e| over the variables of the space. */
static const rlxc_expr *over_vars(rlxc_space *s, const rlxc_expr *e, const rlxc_nest *nest)
{
    const rlxc_expr *from[RLXC_NEST_LOOPS];
    for (uint32_t i = 0; i < nest->n_loops; i++)
        from[i] = nest->loops[i]->loop.var;
    return rlxc_space_widened(s, e, from, s->vars, nest->n_loops);
}

/* An axis that counts a loop down, such as n - 1 - i, counts it up: axes and conditions have
 * n - 1 - i for i. The order of the iterations is keeps_order's concern, but for an init that is
 * stored in the first step. */
static void count_up(rlxc_space *s, const rlxc_nest *nest, uint32_t i)
{
    bool down = false;
    for (uint32_t k = 0; k < s->n_axes; k++) {
        int64_t by;
        const rlxc_expr *rest;
        if (!rlxc_linear_in(s->ctx, s->exprs[k], s->vars[i], &by, &rest) || by > 0 ||
            (by < 0 && nest->by_step && nest->block->axes[k].kind == RLXC_AXIS_REDUCE))
            return;
        down = down || by < 0;
    }
    const rlxc_expr *last = rlxc_sub(s->ctx, s->extents[i], rlxc_i64(s->ctx, 1));
    last = rlxc_sub(s->ctx, last, s->vars[i]);
    for (uint32_t k = 0; k < s->n_exprs && down; k++)
        s->exprs[k] = rlxc_substitute(s->ctx, s->exprs[k], &s->vars[i], &last, 1);
}

static bool begin(rlxc_space *s, const rlxc_nest *nest)
{
    for (uint32_t i = 0; i < nest->n_loops; i++) {
        const rlxc_stmt *loop = nest->loops[i];
        if (!rlxc_is_const(loop->loop.min, 0))
            return false;
        s->vars[i] = rlxc_var(s->ctx, loop->loop.var->var.name, RLX_I64);
        s->extents[i] =
            nest->once[i] != RLXC_EACH_TURN
                ? rlxc_i64(s->ctx, 1)
                : rlxc_canonical(s->ctx, rlxc_cast(s->ctx, RLX_I64, loop->loop.extent), NULL);
        s->n++;
        for (uint32_t k = 0; k < nest->n_loops; k++)
            if (rlxc_expr_uses_var(s->ctx, loop->loop.extent, nest->loops[k]->loop.var))
                return false;
    }
    for (uint32_t k = 0; k < nest->block->n_axes; k++)
        s->exprs[k] = over_vars(s, nest->realize->block.values[k], nest);
    s->n_axes = s->n_exprs = nest->block->n_axes;
    const rlxc_expr *from[RLXC_NEST_LOOPS];
    for (uint32_t i = 0; i < nest->n_loops; i++)
        from[i] = nest->loops[i]->loop.var;
    s->failed = s->failed ||
                (nest->realize->block.predicate &&
                 !rlxc_space_take(s, nest->realize->block.predicate, from, s->vars, nest->n_loops));
    for (uint32_t i = 0; i < s->n && !s->failed; i++)
        count_up(s, nest, i);
    return !s->failed;
}

/* Simplifies with the known bounds; drops conditions that always hold. */
static void simplify(rlxc_space *s)
{
    const rlxc_bounds bounds = rlxc_space_bounds(s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_exprs; i++) {
        const rlxc_expr *e = s->exprs[i];
        if (i < s->n_axes) {
            s->exprs[n++] = rlxc_canonical(s->ctx, e, &bounds);
            continue;
        }
        if (e->kind == RLXC_EXPR_LT)
            e = rlxc_binary(s->ctx, RLXC_EXPR_LT, rlxc_canonical(s->ctx, e->bin.a, &bounds),
                            rlxc_canonical(s->ctx, e->bin.b, &bounds));
        if (rlxc_is_const(e, 1) ||
            (e->kind == RLXC_EXPR_LT && rlxc_prove_lt(s->ctx, e->bin.a, e->bin.b, &bounds)))
            continue;
        s->exprs[n++] = e;
    }
    s->n_exprs = n;
}

/* --- joining ---------------------------------------------------------------------------------- */

static bool join_any(rlxc_space *s)
{
    if (rlxc_space_join_limited(s))
        return true;
    for (uint32_t i = 0; i < s->n_exprs; i++)
        if (rlxc_space_join_divided(s, s->exprs[i]))
            return true;
    for (uint32_t i = 0; i < s->n_axes; i++)
        if (rlxc_space_join(s, s->exprs[i], NULL, 0))
            return true;
    return rlxc_space_join_symbolic(s);
}

/* --- the result ------------------------------------------------------------------------------- */

/* True if the block may be repeated, and the loop runs at least once. */
static bool may_repeat(rlxc_context *ctx, const rlxc_block *b, const rlxc_expr *extent)
{
    return !rlxc_nest_reads_own(ctx, b) && !b->init && rlxc_bound_of(ctx, extent, NULL).min > 0;
}

/* The condition |e| over the axes, |axes| for the variables; NULL if it excludes elements, which
 * are not stored to, instead of steps of the reduction, or may exclude the step that stores the
 * init. */
static const rlxc_expr *condition(const rlxc_space *s, const rlxc_nest *nest,
                                  const rlxc_expr *const *axes, const rlxc_expr *e)
{
    const rlxc_block *b = nest->block;
    const rlxc_bounds bounds = rlxc_space_bounds(s);
    const rlxc_expr *first = e, *zero = rlxc_i64(s->ctx, 0);
    bool reduces = false;
    for (uint32_t k = 0; k < s->n; k++) {
        if (!rlxc_expr_uses_var(s->ctx, e, s->vars[k]))
            continue;
        if (!axes[k] || !rlxc_dtype_eq(axes[k]->dtype, RLX_I64))
            return NULL;
        if (b->axes[rlxc_block_axis(b, axes[k])].kind != RLXC_AXIS_REDUCE)
            continue;
        first = rlxc_substitute(s->ctx, first, &s->vars[k], &zero, 1);
        reduces = true;
    }
    const bool holds =
        (reduces && !nest->by_step) || rlxc_is_const(first, 1) ||
        (first->kind == RLXC_EXPR_LT && rlxc_prove_lt(s->ctx, first->bin.a, first->bin.b, &bounds));
    return holds ? rlxc_substitute(s->ctx, e, s->vars, axes, s->n) : NULL;
}

/* True if |e| says that a loop of which |nest| has the first iteration has iterations: notes how
 * many. */
static bool has_steps(const rlxc_space *s, rlxc_nest *nest, const rlxc_expr *e)
{
    bool first = false;
    for (uint32_t i = 0; i < nest->n_loops; i++)
        first = first || nest->once[i] == RLXC_FIRST_TURN;
    if (!first || nest->steps || e->kind != RLXC_EXPR_LT || !rlxc_is_const(e->bin.a, 0) ||
        !rlxc_is_size(s->ctx, e->bin.b))
        return false;
    nest->steps = e->bin.b;
    return true;
}

static bool finish(rlxc_space *s, rlxc_nest *nest)
{
    const rlxc_block *b = nest->block;
    bool used[RLXC_NEST_LOOPS] = {false};
    const rlxc_expr *axes[RLXC_NEST_LOOPS] = {NULL}, *rest = NULL;
    for (uint32_t k = 0; k < s->n_axes; k++) {
        int64_t extent;
        rlx_dtype t = b->axes[k].var->dtype;
        uint32_t i = 0;
        while (i < s->n && s->vars[i] != s->exprs[k])
            i++;
        if (i < s->n ? used[i] : !rlxc_is_const(s->exprs[k], 0))
            return false;
        if (i < s->n) {
            used[i] = true;
            axes[i] = b->axes[k].var;
        }
        const rlxc_expr *size = i < s->n ? s->extents[i] : rlxc_i64(s->ctx, 1);
        if (t.bits < 64 && rlxc_is_int(size, &extent) && extent > INT32_MAX)
            return false;
        nest->extents[k] = rlxc_cast(s->ctx, t, size);
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (!used[i] && !may_repeat(s->ctx, b, s->extents[i]))
            return false;
    for (uint32_t i = s->n_axes; i < s->n_exprs; i++) {
        if (has_steps(s, nest, s->exprs[i]))
            continue;
        const rlxc_expr *cond = condition(s, nest, axes, s->exprs[i]);
        if (!cond)
            return false;
        rest = rest ? rlxc_binary(s->ctx, RLXC_EXPR_AND, rest, cond) : cond;
    }
    return !rest || rlxc_guard_term(s->ctx, nest, rest);
}

/* True if the steps of the reduction keep their order: the loops that reduction axes are sums of
 * come in the order of the axes, and for each axis the larger steps first. */
static bool keeps_order(rlxc_context *ctx, const rlxc_nest *nest)
{
    uint32_t loop = 0;
    for (uint32_t k = 0; k < nest->block->n_axes; k++) {
        const rlxc_expr *e = nest->realize->block.values[k];
        int64_t last = INT64_MAX;
        while (e->kind == RLXC_EXPR_CAST)
            e = e->bin.a;
        if (nest->block->axes[k].kind != RLXC_AXIS_REDUCE || rlxc_is_const(nest->extents[k], 1))
            continue;
        for (uint32_t i = 0; i < nest->n_loops; i++) {
            const rlxc_expr *var = nest->loops[i]->loop.var;
            int64_t by;
            if (!rlxc_expr_uses_var(ctx, e, var) || rlxc_is_const(nest->loops[i]->loop.extent, 1))
                continue;
            if (i < loop || !rlxc_linear_in(ctx, e, var, &by, &(const rlxc_expr *){NULL}) ||
                by <= 0 || by >= last)
                return false;
            last = by;
            loop = i + 1;
        }
    }
    return true;
}

/* True if the loops already are the axes, and there is nothing but the block in them. */
static bool is_plain(const rlxc_nest *nest)
{
    const rlxc_stmt *realize = nest->realize;
    bool plain = nest->n_loops == nest->block->n_axes &&
                 (!realize->block.predicate || rlxc_is_const(realize->block.predicate, 1));
    for (uint32_t i = 0; i < nest->n_loops && plain; i++)
        plain =
            nest->once[i] == RLXC_EACH_TURN &&
            realize->block.values[i] == nest->loops[i]->loop.var &&
            nest->loops[i]->loop.body == (i + 1 < nest->n_loops ? nest->loops[i + 1] : realize) &&
            nest->loops[i]->loop.kind == RLXC_LOOP_SERIAL &&
            nest->loops[i]->loop.annotations.count == 0;
    return plain && nest->block == realize->block.block;
}

/* "v_i" and "vi" are the axes of a loop "i". */
static const char *loop_name(rlxc_context *ctx, const char *axis)
{
    const char *name = axis[0] == 'v' && axis[1] ? axis + 1 : axis;
    name = name[0] == '_' && name[1] ? name + 1 : name;
    return rlxc_intern_cstr(ctx, name[0] >= '0' && name[0] <= '9' ? axis : name);
}

static void name_loops(rlxc_context *ctx, rlxc_nest *nest)
{
    for (uint32_t k = 0; k < nest->block->n_axes; k++) {
        const rlxc_expr *axis = nest->block->axes[k].var;
        nest->vars[k] = rlxc_var(ctx, loop_name(ctx, axis->var.name), axis->dtype);
    }
}

bool rlxc_nest_whole(rlxc_context *ctx, rlxc_nest *nest)
{
    const rlxc_block *b = nest->block;
    rlxc_reach reach = {.ctx = ctx};
    if (b->n_axes > RLXC_NEST_AXES || b->init || rlxc_nest_reads_own(ctx, b))
        return false;
    for (uint32_t i = 0; i < nest->n_loops; i++)
        if (nest->once[i] != RLXC_EACH_TURN &&
            (nest->once[i] != RLXC_FIRST_TURN ||
             rlxc_bound_of(ctx, nest->loops[i]->loop.extent, NULL).min <= 0))
            return false;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        const rlxc_axis *axis = &b->axes[k];
        if (axis->kind != RLXC_AXIS_SPATIAL || !rlxc_is_const(axis->min, 0))
            return false;
        for (uint32_t i = 0; i < nest->n_loops; i++)
            if (rlxc_expr_uses_var(ctx, axis->extent, nest->loops[i]->loop.var))
                return false;
        nest->extents[k] = axis->extent;
        rlxc_reach_enter(&reach, axis->var, axis->min, axis->extent);
    }
    const rlxc_expr *loops[RLXC_NEST_LOOPS];
    int64_t steps, elements;
    for (uint32_t i = 0; i < nest->n_loops; i++)
        loops[i] = nest->once[i] == RLXC_FIRST_TURN
                       ? rlxc_i64(ctx, 1)
                       : rlxc_cast(ctx, RLX_I64, nest->loops[i]->loop.extent);
    if (rlxc_is_int(rlxc_product(ctx, loops, nest->n_loops), &steps) &&
        rlxc_is_int(rlxc_product(ctx, nest->extents, b->n_axes), &elements) && elements / 2 > steps)
        return false; /* most are never needed */
    if (!rlxc_nest_stores_all(ctx, nest) || !rlxc_reach_loads_inside(&reach, b->body->store.value))
        return false;
    nest->whole = true;
    name_loops(ctx, nest);
    return true;
}

bool rlxc_nest_axes(rlxc_context *ctx, rlxc_nest *nest)
{
    rlxc_space s = {.ctx = ctx};
    nest->plain = nest->whole = false;
    nest->steps = NULL;
    if (nest->block->n_axes > RLXC_NEST_AXES || !begin(&s, nest))
        return false;
    if (is_plain(nest)) {
        nest->plain = true;
        for (uint32_t k = 0; k < nest->n_loops; k++) {
            nest->vars[k] = nest->loops[k]->loop.var;
            nest->extents[k] = nest->loops[k]->loop.extent;
        }
        return true;
    }
    while (rlxc_space_drop_unit(&s)) {
    }
    for (int round = 0; round < ROUNDS && !s.failed; round++) {
        simplify(&s);
        if (!join_any(&s) && !rlxc_space_cut(&s, s.exprs, s.n_exprs))
            break;
        while (rlxc_space_drop_unit(&s)) {
        }
    }
    simplify(&s);
    if (s.failed || rlxc_failed(ctx) || !finish(&s, nest) ||
        (!rlxc_is_update(ctx, nest->block->body) && !keeps_order(ctx, nest)))
        return false;
    name_loops(ctx, nest);
    return true;
}

const rlxc_stmt *rlxc_nest_stmt(rlxc_context *ctx, const rlxc_nest *nest)
{
    if (nest->plain && nest->block == nest->realize->block.block &&
        !rlxc_is_annotated(&nest->block->annotations))
        return nest->n_loops ? nest->loops[0] : nest->realize;
    rlxc_block *block = rlxc_copy(ctx, nest->block, sizeof *block);
    rlxc_axis *axes = rlxc_copy(ctx, block->axes, block->n_axes * sizeof *axes);
    for (uint32_t k = 0; k < block->n_axes; k++) /* they may be those of loops that were split */
        axes[k].extent = nest->extents[k];
    block->axes = axes;
    block->annotations = rlxc_only_tag(ctx, block->annotations);
    rlxc_stmt *body = (rlxc_stmt *)(uintptr_t)rlxc_stmt_block(ctx, block, nest->vars, NULL);
    body->range = nest->realize->range;
    const rlxc_stmt *at = body;
    for (uint32_t k = nest->block->n_axes; k-- > 0;) {
        rlxc_stmt *loop = (rlxc_stmt *)(uintptr_t)rlxc_stmt_for(
            ctx, nest->vars[k], rlxc_int(ctx, nest->vars[k]->dtype, 0), nest->extents[k],
            RLXC_LOOP_SERIAL, at);
        loop->range = nest->realize->range;
        at = loop;
    }
    return at;
}

void rlxc_nest_set_value(rlxc_context *ctx, rlxc_nest *nest, const rlxc_expr *value)
{
    rlxc_block *block = rlxc_copy(ctx, nest->block, sizeof *block);
    rlxc_forget_regions(block);
    block->body = rlxc_store_of(ctx, nest->block->body, value);
    nest->block = block;
    nest->plain = false;
}

rlxc_buffer *rlxc_nest_fills(rlxc_context *ctx, const rlxc_nest *from, const char *name,
                             const rlxc_expr *const *vars, const rlxc_expr *const *sizes,
                             uint32_t n, const rlxc_expr *value, rlxc_nest *out)
{
    rlxc_buffer *temp =
        rlxc_buffer_new(ctx, name, value->dtype, rlxc_copy(ctx, sizes, n * sizeof *sizes), n);
    rlxc_axis *axes = rlxc_alloc(ctx, n * sizeof *axes);
    const rlxc_expr **own = rlxc_alloc(ctx, n * sizeof *own);
    *out = (rlxc_nest){.realize = from->realize};
    for (uint32_t i = 0; i < n; i++) {
        own[i] = rlxc_var_like(ctx, vars[i]);
        axes[i] = (rlxc_axis){RLXC_AXIS_SPATIAL, own[i], rlxc_int(ctx, own[i]->dtype, 0), sizes[i]};
        out->vars[i] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", i), own[i]->dtype);
        out->extents[i] = sizes[i];
    }
    value = rlxc_substitute(ctx, value, vars, own, n);
    rlxc_block *block = rlxc_alloc(ctx, sizeof *block);
    *block = (rlxc_block){.name = temp->name,
                          .axes = axes,
                          .n_axes = n,
                          .body = rlxc_stmt_store(ctx, temp, own, n, value)};
    out->block = block;
    return temp;
}

/* Finds the box of its axes that a nest visits: joins split and fused loops again.
 *
 * A sum of loop variables in which each has its own digits (i0 * 16 + i1 with i1 < 16) is one
 * variable if those variables occur in no other way, and a condition i0 * 16 + i1 < n gives its
 * extent. A variable used by quotient and remainder becomes two. If this ends with one variable per
 * axis and no condition, each element of the box is visited once. Everything is computed in int64.
 */
#include <string.h>

#include "compiler/ir/operation.h"
#include "compiler/schedule/normal.h"

enum { ROUNDS = 64, WORK = 4096 };

typedef struct space {
    rlxc_context *ctx;
    const rlxc_expr *vars[RLXC_NEST_LOOPS], *extents[RLXC_NEST_LOOPS];
    uint32_t n;
    const rlxc_expr *exprs[RLXC_NEST_AXES + RLXC_NEST_LOOPS]; /* of the axes, then conditions */
    uint32_t n_axes, n_exprs;
    uint32_t work; /* limit of visited nodes: an expression may be far larger as a tree than in
                    * memory */
    bool failed;
} space;

static bool may_go_on(space *s)
{
    s->failed = s->failed || ++s->work > WORK || rlxc_failed(s->ctx);
    return !s->failed;
}

static bool is_var_of(const space *s, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->vars[i] == e)
            return true;
    return false;
}

static rlxc_bounds bounds_of(const space *s)
{
    rlxc_bounds bounds = {0};
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t extent;
        rlxc_bound b = {0, INT64_MAX};
        if (rlxc_is_int(s->extents[i], &extent))
            b.max = extent > 0 ? extent - 1 : 0;
        rlxc_bounds_set(s->ctx, &bounds, s->vars[i], b);
    }
    return bounds;
}

static void remove_var(space *s, uint32_t i)
{
    s->n--;
    for (; i < s->n; i++) {
        s->vars[i] = s->vars[i + 1];
        s->extents[i] = s->extents[i + 1];
    }
}

static bool add_var(space *s, const char *name, const rlxc_expr *extent, const rlxc_expr **out)
{
    if (s->n == RLXC_NEST_LOOPS)
        return false;
    s->vars[s->n] = *out = rlxc_var(s->ctx, name, RLX_I64);
    s->extents[s->n++] = extent;
    return true;
}

/* --- in int64 --------------------------------------------------------------------------------- */

/* |e| with |to| for |from|, all integers as int64; fails for anything but integer arithmetic. */
static const rlxc_expr *widened(space *s, const rlxc_expr *e, const rlxc_nest *nest)
{
    if (!may_go_on(s))
        return e;
    for (uint32_t i = 0; i < nest->n_loops; i++)
        if (nest->loops[i]->loop.var == e)
            return s->vars[i];
    if (e->kind == RLXC_EXPR_CAST && rlxc_dtype_is_int(e->bin.a->dtype) && e->dtype.bits >= 32)
        return widened(s, e->bin.a, nest);
    if (rlxc_is_binary(e) && e->kind != RLXC_EXPR_AND && e->kind != RLXC_EXPR_OR)
        return rlxc_binary(s->ctx, (rlxc_expr_kind)e->kind, widened(s, e->bin.a, nest),
                           widened(s, e->bin.b, nest));
    if ((e->kind == RLXC_EXPR_VAR || e->kind == RLXC_EXPR_INT) && rlxc_dtype_is_int(e->dtype))
        return rlxc_cast(s->ctx, RLX_I64, e);
    s->failed = true;
    return e;
}

static void take_conditions(space *s, const rlxc_expr *cond, const rlxc_nest *nest)
{
    if (!may_go_on(s) || rlxc_is_const(cond, 1))
        return;
    if (cond->kind == RLXC_EXPR_CALL && cond->call.n == 1 &&
        strcmp(cond->call.name, "likely") == 0) {
        take_conditions(s, cond->call.args[0], nest);
        return;
    }
    if (cond->kind == RLXC_EXPR_AND) {
        take_conditions(s, cond->bin.a, nest);
        take_conditions(s, cond->bin.b, nest);
        return;
    }
    bool less = cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE ||
                cond->kind == RLXC_EXPR_GT || cond->kind == RLXC_EXPR_GE;
    if (!less || s->n_exprs == sizeof s->exprs / sizeof *s->exprs) {
        s->failed = true;
        return;
    }
    const rlxc_expr *a = widened(s, cond->bin.a, nest), *b = widened(s, cond->bin.b, nest);
    bool turned = cond->kind == RLXC_EXPR_GT || cond->kind == RLXC_EXPR_GE;
    const rlxc_expr *low = turned ? b : a, *high = turned ? a : b;
    if (cond->kind == RLXC_EXPR_LE || cond->kind == RLXC_EXPR_GE)
        high = rlxc_add(s->ctx, high, rlxc_i64(s->ctx, 1));
    s->exprs[s->n_exprs++] = rlxc_binary(s->ctx, RLXC_EXPR_LT, low, high);
}

static bool begin(space *s, const rlxc_nest *nest)
{
    for (uint32_t i = 0; i < nest->n_loops; i++) {
        const rlxc_stmt *loop = nest->loops[i];
        if (!rlxc_is_const(loop->loop.min, 0))
            return false;
        s->vars[i] = rlxc_var(s->ctx, loop->loop.var->var.name, RLX_I64);
        s->extents[i] = rlxc_canonical(s->ctx, rlxc_cast(s->ctx, RLX_I64, loop->loop.extent), NULL);
        s->n++;
        for (uint32_t k = 0; k < nest->n_loops; k++)
            if (rlxc_expr_uses_var(s->ctx, loop->loop.extent, nest->loops[k]->loop.var))
                return false;
    }
    for (uint32_t k = 0; k < nest->block->n_axes; k++)
        s->exprs[k] = widened(s, nest->realize->block.values[k], nest);
    s->n_axes = s->n_exprs = nest->block->n_axes;
    if (nest->realize->block.predicate)
        take_conditions(s, nest->realize->block.predicate, nest);
    return !s->failed;
}

static void substitute(space *s, const rlxc_expr *var, const rlxc_expr *value)
{
    for (uint32_t i = 0; i < s->n_exprs; i++)
        s->exprs[i] = rlxc_substitute(s->ctx, s->exprs[i], &var, &value, 1);
}

/* Simplifies with the known bounds; drops conditions that always hold. */
static void simplify(space *s)
{
    const rlxc_bounds bounds = bounds_of(s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_exprs; i++) {
        const rlxc_expr *e = s->exprs[i];
        if (i < s->n_axes) {
            s->exprs[n++] = rlxc_canonical(s->ctx, e, &bounds);
            continue;
        }
        if (rlxc_is_const(e, 1) ||
            (e->kind == RLXC_EXPR_LT && rlxc_prove_lt(s->ctx, e->bin.a, e->bin.b, &bounds)))
            continue;
        s->exprs[n++] = e;
    }
    s->n_exprs = n;
}

/* --- joining ---------------------------------------------------------------------------------- */

typedef struct sum { /* of |n| loop variables, the largest coefficient first */
    uint32_t n, at[RLXC_NEST_LOOPS];
    int64_t by[RLXC_NEST_LOOPS];
} sum;

/* True if |e| is exactly such a sum. */
static bool read_sum(space *s, const rlxc_expr *e, sum *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t by;
        const rlxc_expr *rest;
        if (!may_go_on(s) || !rlxc_linear_in(s->ctx, e, s->vars[i], &by, &rest))
            return false;
        if (by == 0)
            continue;
        if (by < 0)
            return false;
        uint32_t k = out->n++;
        for (; k > 0 && out->by[k - 1] < by; k--) {
            out->by[k] = out->by[k - 1];
            out->at[k] = out->at[k - 1];
        }
        out->by[k] = by;
        out->at[k] = i;
        e = rest;
    }
    return rlxc_is_const(rlxc_canonical(s->ctx, e, NULL), 0);
}

/* True if each variable has its own digits, and the last coefficient is 1. */
static bool has_digits(const space *s, const sum *x)
{
    if (x->n == 0 || x->by[x->n - 1] != 1)
        return false;
    for (uint32_t i = 1; i < x->n; i++) {
        int64_t extent, step;
        if (!rlxc_is_int(s->extents[x->at[i]], &extent) ||
            __builtin_mul_overflow(extent, x->by[i], &step) || step != x->by[i - 1])
            return false;
    }
    return true;
}

/* True if |count| steps of |size| reach |extent|. */
static bool covers(space *s, const rlxc_expr *count, int64_t size, const rlxc_expr *extent)
{
    const rlxc_expr *of = rlxc_i64(s->ctx, size);
    const rlxc_expr *up = rlxc_binary(s->ctx, RLXC_EXPR_FLOORDIV,
                                      rlxc_add(s->ctx, extent, rlxc_i64(s->ctx, size - 1)), of);
    return rlxc_prove_eq(s->ctx, count, up, NULL) ||
           rlxc_prove_le(s->ctx, extent, rlxc_mul(s->ctx, count, of), NULL);
}

/* |e| with multiples of the sum as multiples of |var|. */
static const rlxc_expr *with_sum(space *s, const rlxc_expr *e, const sum *x, const rlxc_expr *var)
{
    if (!may_go_on(s) || !rlxc_is_binary(e))
        return e;
    const rlxc_expr *rest = e;
    int64_t times = 0;
    bool multiple = rlxc_dtype_is_int(e->dtype);
    for (uint32_t i = x->n; i-- > 0 && multiple;) {
        int64_t by;
        multiple = rlxc_linear_in(s->ctx, rest, s->vars[x->at[i]], &by, &rest) && by != 0;
        if (i == x->n - 1)
            times = by;
        multiple = multiple && by / x->by[i] == times && by % x->by[i] == 0;
    }
    if (multiple)
        return rlxc_add(s->ctx, rlxc_mul(s->ctx, var, rlxc_i64(s->ctx, times)),
                        with_sum(s, rest, x, var));
    const rlxc_expr *a = with_sum(s, e->bin.a, x, var), *b = with_sum(s, e->bin.b, x, var);
    return a == e->bin.a && b == e->bin.b ? e : rlxc_binary(s->ctx, (rlxc_expr_kind)e->kind, a, b);
}

/* Replaces |e|, a sum below |limit| (NULL: below the range of its digits), by one variable. */
static bool join(space *s, const rlxc_expr *e, const rlxc_expr *limit, uint32_t condition)
{
    sum x;
    if (!read_sum(s, e, &x) || x.n == 0 || (x.n == 1 && !limit) || !has_digits(s, &x))
        return false;
    const rlxc_expr *first = s->extents[x.at[0]];
    if (limit && !covers(s, first, x.by[0], limit))
        return false;
    for (uint32_t i = 0; i < s->n && limit; i++)
        if (rlxc_expr_uses_var(s->ctx, limit, s->vars[i]))
            return false;
    space next = *s;
    const rlxc_expr *var;
    const rlxc_expr *extent = limit ? limit : rlxc_mul(s->ctx, first, rlxc_i64(s->ctx, x.by[0]));
    if (limit) { /* it becomes the extent */
        next.n_exprs--;
        for (uint32_t i = condition; i < next.n_exprs; i++)
            next.exprs[i] = next.exprs[i + 1];
    }
    if (!add_var(&next, s->vars[x.at[x.n - 1]]->var.name, rlxc_canonical(s->ctx, extent, NULL),
                 &var))
        return false;
    for (uint32_t i = 0; i < next.n_exprs; i++) {
        next.exprs[i] = x.n == 1
                            ? rlxc_substitute(s->ctx, next.exprs[i], &s->vars[x.at[0]], &var, 1)
                            : with_sum(&next, next.exprs[i], &x, var);
        for (uint32_t k = 0; k < x.n; k++)
            if (rlxc_expr_uses_var(s->ctx, next.exprs[i], s->vars[x.at[k]]))
                return false;
    }
    if (next.failed)
        return false;
    for (uint32_t k = 0; k < x.n; k++)
        for (uint32_t i = 0; i < next.n; i++)
            if (next.vars[i] == s->vars[x.at[k]])
                remove_var(&next, i--);
    *s = next;
    return true;
}

/* The sums inside of |e| that are divided. */
static bool join_divided(space *s, const rlxc_expr *e)
{
    if (!may_go_on(s) || !rlxc_is_binary(e))
        return false;
    bool divides = e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    return (divides && join(s, e->bin.a, NULL, 0)) || join_divided(s, e->bin.a) ||
           join_divided(s, e->bin.b);
}

static bool join_any(space *s)
{
    for (uint32_t i = s->n_axes; i < s->n_exprs; i++)
        if (s->exprs[i]->kind == RLXC_EXPR_LT && join(s, s->exprs[i]->bin.a, s->exprs[i]->bin.b, i))
            return true;
    for (uint32_t i = 0; i < s->n_exprs; i++)
        if (join_divided(s, s->exprs[i]))
            return true;
    for (uint32_t i = 0; i < s->n_axes; i++)
        if (join(s, s->exprs[i], NULL, 0))
            return true;
    return false;
}

/* --- splitting -------------------------------------------------------------------------------- */

typedef struct cut { /* |var| // |by| and |var| % |by| */
    const rlxc_expr *var, *by;
} cut;

/* The largest constant divisor of a variable, or a symbolic one. */
static void find_cut(space *s, const rlxc_expr *e, cut *found)
{
    if (!may_go_on(s) || !rlxc_is_binary(e))
        return;
    int64_t by, best;
    bool divides = e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
    if (divides && is_var_of(s, e->bin.a)) {
        bool number = rlxc_is_int(e->bin.b, &by);
        if (!found->var ||
            (number && rlxc_is_int(found->by, &best) && by > best && e->bin.a == found->var))
            *found = (cut){e->bin.a, e->bin.b};
    }
    find_cut(s, e->bin.a, found);
    find_cut(s, e->bin.b, found);
}

typedef struct digits {
    const cut *of;
    const rlxc_expr *high, *low;
} digits;

static const rlxc_expr *with_digits(space *s, const rlxc_expr *e, const digits *d)
{
    if (!may_go_on(s))
        return e;
    if (e == d->of->var)
        return rlxc_add(s->ctx, rlxc_mul(s->ctx, d->high, d->of->by), d->low);
    if (!rlxc_is_binary(e))
        return e;
    if (e->bin.a == d->of->var && e->bin.b == d->of->by &&
        (e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD))
        return e->kind == RLXC_EXPR_FLOORDIV ? d->high : d->low;
    return rlxc_binary(s->ctx, (rlxc_expr_kind)e->kind, with_digits(s, e->bin.a, d),
                       with_digits(s, e->bin.b, d));
}

static bool split_any(space *s)
{
    cut at = {0};
    for (uint32_t i = 0; i < s->n_exprs; i++)
        find_cut(s, s->exprs[i], &at);
    if (!at.var || s->failed)
        return false;
    uint32_t place = 0;
    while (s->vars[place] != at.var)
        place++;
    if (rlxc_bound_of(s->ctx, at.by, NULL).min < 0 || rlxc_is_const(at.by, 0))
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        if (rlxc_expr_uses_var(s->ctx, at.by, s->vars[i]))
            return false;
    const rlxc_expr *extent = s->extents[place];
    const rlxc_expr *count =
        rlxc_canonical(s->ctx, rlxc_binary(s->ctx, RLXC_EXPR_FLOORDIV, extent, at.by), NULL);
    if (rlxc_bound_of(s->ctx, count, NULL).min < 0 ||
        !rlxc_prove_eq(s->ctx, rlxc_mul(s->ctx, count, at.by), extent, NULL))
        return false;
    digits d = {.of = &at};
    if (!add_var(s, at.var->var.name, count, &d.high) ||
        !add_var(s, at.var->var.name, at.by, &d.low))
        return false;
    for (uint32_t i = 0; i < s->n_exprs; i++)
        s->exprs[i] = with_digits(s, s->exprs[i], &d);
    remove_var(s, place);
    return !s->failed;
}

/* --- the result ------------------------------------------------------------------------------- */

static bool drop_unit_loops(space *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (rlxc_is_const(s->extents[i], 1)) {
            substitute(s, s->vars[i], rlxc_i64(s->ctx, 0));
            remove_var(s, i);
            return true;
        }
    return false;
}

/* True if the block may be repeated, and the loop runs at least once. */
static bool may_repeat(rlxc_context *ctx, const rlxc_block *b, const rlxc_expr *extent)
{
    return !rlxc_nest_reads_own(ctx, b) && !b->init && rlxc_bound_of(ctx, extent, NULL).min > 0;
}

static bool finish(space *s, rlxc_nest *nest)
{
    const rlxc_block *b = nest->block;
    bool used[RLXC_NEST_LOOPS] = {false};
    if (s->n_exprs > s->n_axes)
        return false;
    for (uint32_t k = 0; k < s->n_axes; k++) {
        int64_t extent;
        rlx_dtype t = b->axes[k].var->dtype;
        uint32_t i = 0;
        while (i < s->n && s->vars[i] != s->exprs[k])
            i++;
        if (i < s->n ? used[i] : !rlxc_is_const(s->exprs[k], 0))
            return false;
        if (i < s->n)
            used[i] = true;
        const rlxc_expr *size = i < s->n ? s->extents[i] : rlxc_i64(s->ctx, 1);
        if (t.bits < 64 && rlxc_is_int(size, &extent) && extent > INT32_MAX)
            return false;
        nest->extents[k] = rlxc_cast(s->ctx, t, size);
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (!used[i] && !may_repeat(s->ctx, b, s->extents[i]))
            return false;
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

bool rlxc_nest_axes(rlxc_context *ctx, rlxc_nest *nest)
{
    space s = {.ctx = ctx};
    nest->plain = false;
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
    while (drop_unit_loops(&s)) {
    }
    for (int round = 0; round < ROUNDS && !s.failed; round++) {
        simplify(&s);
        if (!join_any(&s) && !split_any(&s))
            break;
        while (drop_unit_loops(&s)) {
        }
    }
    simplify(&s);
    if (s.failed || rlxc_failed(ctx) || !finish(&s, nest))
        return false;
    for (uint32_t k = 0; k < nest->block->n_axes; k++) {
        const rlxc_expr *axis = nest->block->axes[k].var;
        nest->vars[k] = rlxc_var(ctx, loop_name(ctx, axis->var.name), axis->dtype);
    }
    return true;
}

const rlxc_stmt *rlxc_nest_stmt(rlxc_context *ctx, const rlxc_nest *nest)
{
    if (nest->plain && nest->block == nest->realize->block.block &&
        !rlxc_is_annotated(&nest->block->annotations))
        return nest->n_loops ? nest->loops[0] : nest->realize;
    rlxc_block *block = rlxc_copy(ctx, nest->block, sizeof *block);
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

/* Attention as seven blocks: scores, masked scores, their maximum, exp, its sum, weighted values,
 * result. */
#include "compiler/schedule/normal_attention.h"

#include <math.h>
#include <string.h>

typedef struct writing {
    rlxc_context *ctx;
    const rlxc_attention_form *f;
    rlxc_stmts *stmts;
    rlxc_buffers *temps;
} writing;

/* --- the mask --------------------------------------------------------------------------------- */

/* a <= b as "key <= bound" or "key >= bound" where it is linear in the key. */
static const rlxc_expr *bound_of_key(const writing *w, const rlxc_expr *a, const rlxc_expr *b)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_expr *key = w->f->axes[RLXC_ROLE_KEY], *rest;
    int64_t by;
    const rlxc_expr *room = rlxc_canonical(ctx, rlxc_sub(ctx, b, a), NULL);
    if (!rlxc_linear_in(ctx, room, key, &by, &rest) || (by != 1 && by != -1))
        return rlxc_binary(ctx, RLXC_EXPR_LE, a, b);
    if (by == -1)
        return rlxc_binary(ctx, RLXC_EXPR_LE, key, rest);
    rest = rlxc_canonical(ctx, rlxc_sub(ctx, rlxc_int(ctx, rest->dtype, 0), rest), NULL);
    return rlxc_binary(ctx, RLXC_EXPR_GE, key, rest);
}

/* The condition, or (|negated|) its opposite, as the rules of the schedule read it. */
static const rlxc_expr *condition(const writing *w, const rlxc_expr *e, bool negated)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    if (kind == RLXC_EXPR_NOT)
        return condition(w, e->bin.a, !negated);
    if (kind == RLXC_EXPR_AND || kind == RLXC_EXPR_OR)
        return rlxc_binary(ctx, (kind == RLXC_EXPR_AND) == negated ? RLXC_EXPR_OR : RLXC_EXPR_AND,
                           condition(w, e->bin.a, negated), condition(w, e->bin.b, negated));
    const bool less = kind == RLXC_EXPR_LT || kind == RLXC_EXPR_LE;
    if ((!less && kind != RLXC_EXPR_GT && kind != RLXC_EXPR_GE) ||
        !rlxc_dtype_is_int(e->bin.a->dtype))
        return negated ? rlxc_not(ctx, e) : e;
    const bool strict = (kind == RLXC_EXPR_LT || kind == RLXC_EXPR_GT) != negated;
    const rlxc_expr *low = less != negated ? e->bin.a : e->bin.b;
    const rlxc_expr *high = less != negated ? e->bin.b : e->bin.a;
    if (strict)
        high = rlxc_sub(ctx, high, rlxc_int(ctx, high->dtype, 1));
    return bound_of_key(w, low, high);
}

static bool is_no_load(void *user, const rlxc_expr *e)
{
    (void)user;
    return e->kind != RLXC_EXPR_LOAD;
}

/* "condition ? score : number" in any of its spellings; other maps as they are. */
static const rlxc_expr *masked(const writing *w, const rlxc_expr *e)
{
    rlxc_context *ctx = w->ctx;
    const rlxc_expr *cond, *yes, *no;
    if (e->kind == RLXC_EXPR_SELECT) {
        cond = e->select.cond;
        yes = e->select.yes;
        no = e->select.no;
    } else if (rlxc_is_choice(e) && rlxc_expr_visit(ctx, e->call.args[1], is_no_load, NULL) &&
               rlxc_expr_visit(ctx, e->call.args[2], is_no_load, NULL)) {
        cond = e->call.args[0];
        yes = e->call.args[1];
        no = e->call.args[2];
    } else {
        return e;
    }
    if (yes->kind == RLXC_EXPR_FLOAT && no->kind != RLXC_EXPR_FLOAT)
        return rlxc_select(ctx, condition(w, cond, true), no, yes);
    return no->kind == RLXC_EXPR_FLOAT ? rlxc_select(ctx, condition(w, cond, false), yes, no) : e;
}

/* |map| times |factor|; values that hide a key stay unchanged. */
static const rlxc_expr *scaled(rlxc_context *ctx, const rlxc_expr *map, double factor)
{
    const rlxc_expr *by = rlxc_float(ctx, map->dtype, factor);
    if (fabs(factor - 1) < 1e-6)
        return map;
    if (map->kind == RLXC_EXPR_SELECT && map->select.no->kind == RLXC_EXPR_FLOAT)
        return rlxc_select(ctx, map->select.cond, scaled(ctx, map->select.yes, factor),
                           map->select.no);
    return rlxc_mul(ctx, map, by);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static const rlxc_role scores[5] = {RLXC_ROLE_BATCH, RLXC_ROLE_HEAD, RLXC_ROLE_QUERY, RLXC_ROLE_KEY,
                                    RLXC_ROLE_SIZE};
static const rlxc_role weighted[5] = {RLXC_ROLE_BATCH, RLXC_ROLE_HEAD, RLXC_ROLE_QUERY,
                                      RLXC_ROLE_VALUE, RLXC_ROLE_KEY};

static rlxc_buffer *temp(writing *w, const char *name, const rlxc_role *roles, uint32_t n)
{
    const rlxc_expr *shape[4];
    for (uint32_t i = 0; i < n; i++)
        shape[i] = w->f->extents[roles[i]];
    rlxc_buffer *b = rlxc_buffer_new(w->ctx, rlxc_intern_cstr(w->ctx, name), w->f->dtype, shape, n);
    RLXC_PUSH(w->ctx, w->temps, b);
    return b;
}

static const rlxc_expr *at(const writing *w, const rlxc_buffer *b, const rlxc_role *roles,
                           uint32_t n)
{
    const rlxc_expr *indices[4];
    for (uint32_t i = 0; i < n; i++)
        indices[i] = w->f->axes[roles[i]];
    return rlxc_load(w->ctx, b, indices, n);
}

/* place = value over |spatial| axes of their own, summed over |reduced| further ones. */
static void push_block(writing *w, const rlxc_role *roles, uint32_t spatial, uint32_t reduced,
                       const rlxc_expr *place, const rlxc_expr *init, const rlxc_expr *value)
{
    rlxc_context *ctx = w->ctx;
    const uint32_t n = spatial + reduced;
    rlxc_axis axes[RLXC_NEST_AXES];
    const rlxc_expr *old[RLXC_NEST_AXES], *vars[RLXC_NEST_AXES], *loops[RLXC_NEST_AXES];
    for (uint32_t i = 0; i < n; i++) {
        old[i] = w->f->axes[roles[i]];
        vars[i] = rlxc_var(ctx, rlxc_internf(ctx, "v_%s", old[i]->var.name), old[i]->dtype);
        loops[i] = rlxc_var_like(ctx, old[i]);
        axes[i] = (rlxc_axis){.kind = i < spatial ? RLXC_AXIS_SPATIAL : RLXC_AXIS_REDUCE,
                              .var = vars[i],
                              .min = rlxc_int(ctx, old[i]->dtype, 0),
                              .extent = rlxc_cast(ctx, old[i]->dtype, w->f->extents[roles[i]])};
    }
    place = rlxc_substitute(ctx, place, old, vars, n);
    value = rlxc_substitute(ctx, value, old, vars, n);
    const rlxc_buffer *out = place->load.buffer;
    const rlxc_block block = {
        .name = out->name,
        .axes = rlxc_copy(ctx, axes, n * sizeof *axes),
        .n_axes = n,
        .init = init ? rlxc_stmt_store(ctx, out, place->load.indices, place->load.n, init) : NULL,
        .body = rlxc_stmt_store(ctx, out, place->load.indices, place->load.n, value)};
    const rlxc_stmt *s = rlxc_stmt_block(ctx, rlxc_copy(ctx, &block, sizeof block), loops, NULL);
    ((rlxc_stmt *)(uintptr_t)s)->range = w->f->range;
    for (uint32_t i = n; i-- > 0;)
        s = rlxc_stmt_for(ctx, loops[i], axes[i].min, axes[i].extent, RLXC_LOOP_SERIAL, s);
    RLXC_PUSH(ctx, w->stmts, s);
}

/* The result, whose block lacks axes for batch and head if its buffer does. */
static void push_result(writing *w, const rlxc_buffer *total, const rlxc_buffer *sum)
{
    const rlxc_attention_form *f = w->f;
    const rlxc_expr *from[4] = {f->total, f->sum}, *to[4], *none[2];
    uint32_t n = 2;
    to[0] = at(w, total, weighted, 4);
    to[1] = at(w, sum, scores, 3);
    const rlxc_expr *value = rlxc_substitute(w->ctx, f->final, from, to, 2);
    n = 0;
    for (int role = RLXC_ROLE_BATCH; role <= RLXC_ROLE_HEAD; role++) {
        bool has = false;
        for (uint32_t i = 0; i < f->n_order; i++)
            has = has || f->order[i] == (rlxc_role)role;
        if (has)
            continue;
        none[n] = f->axes[role];
        to[n++] = rlxc_int(w->ctx, f->axes[role]->dtype, 0);
    }
    value = rlxc_substitute(w->ctx, value, none, to, n);
    const rlxc_expr *place = rlxc_load(w->ctx, f->out, f->indices, f->out->ndim);
    push_block(w, f->order, f->n_order, 0, place, NULL, rlxc_cast(w->ctx, f->out->dtype, value));
}

void rlxc_write_attention(rlxc_context *ctx, const rlxc_attention_form *f, rlxc_stmts *stmts,
                          rlxc_buffers *temps)
{
    writing w = {ctx, f, stmts, temps};
    const rlxc_expr *zero = rlxc_float(ctx, f->dtype, 0), *mapped = masked(&w, f->map);
    const rlxc_buffer *score = temp(&w, "T_score", scores, 4),
                      *map = temp(&w, "T_masked", scores, 4), *max = temp(&w, "T_max", scores, 3),
                      *exp = temp(&w, "T_exp", scores, 4), *sum = temp(&w, "T_sum", scores, 3),
                      *total = temp(&w, "T_total", weighted, 4);
    const rlxc_expr *s = at(&w, score, scores, 4), *m = at(&w, map, scores, 4),
                    *largest = at(&w, max, scores, 3), *e = at(&w, exp, scores, 4),
                    *all = at(&w, sum, scores, 3), *t = at(&w, total, weighted, 4);
    const rlxc_expr *difference = rlxc_sub(ctx, m, largest);
    push_block(&w, scores, 4, 1, s, zero, rlxc_add(ctx, s, rlxc_mul(ctx, f->query, f->key)));
    push_block(&w, scores, 4, 0, m, NULL,
               rlxc_substitute(ctx, scaled(ctx, mapped, f->factor), &f->score, &s, 1));
    push_block(&w, scores, 3, 1, largest, rlxc_float(ctx, f->dtype, f->start * f->factor),
               rlxc_binary(ctx, RLXC_EXPR_MAX, largest, m));
    push_block(&w, scores, 4, 0, e, NULL,
               rlxc_call(ctx, f->dtype, rlxc_intern_cstr(ctx, "exp"), &difference, 1));
    push_block(&w, scores, 3, 1, all, zero, rlxc_add(ctx, all, e));
    push_block(&w, weighted, 4, 1, t, zero, rlxc_add(ctx, t, rlxc_mul(ctx, e, f->value)));
    push_result(&w, total, sum);
}

/* Finds attention in the stages of a PrimFunc: two products, a maximum, a sum and two maps between
 * them. Expressions are unique, so a map has the expected form exactly when its value is the
 * expression built here from its own axes. */
#include <math.h>
#include <string.h>

#include "compiler/kernels/attention/attention.h"

enum { N_STAGES = 7 };

/* Axes of the stage: |spatial| ones, stored to in their order, then |reduced| ones. */
static bool has_axes(const rlxc_stages *all, const rlxc_stage *s, uint32_t spatial,
                     uint32_t reduced, bool temp)
{
    if (!s->simple || s->removed || s->n_axes != spatial + reduced ||
        (s->init != NULL) != (reduced > 0) || rlxc_stage_is_temp(all, s->out) != temp ||
        !rlxc_dtype_eq(s->value->dtype, s->out->dtype))
        return false;
    for (uint32_t i = 0; i < s->n_axes; i++)
        if (s->reduces[i] != (i >= spatial))
            return false;
    for (uint32_t i = 0; temp && i < spatial; i++)
        if (s->out->ndim != spatial || s->indices[i] != s->vars[i])
            return false;
    return !temp || rlxc_dtype_eq(s->out->dtype, all->items[0].out->dtype);
}

static const rlxc_expr *load_at(const rlxc_stages *all, const rlxc_buffer *b,
                                const rlxc_expr *const *vars, uint32_t n)
{
    return rlxc_load(all->ctx, b, vars, n);
}

static bool starts_at_zero(const rlxc_stage *s)
{
    return s->init && s->init->kind == RLXC_EXPR_FLOAT && s->init->f == 0;
}

typedef struct temps_read {
    const rlxc_stages *all;
    const rlxc_expr *allowed[2]; /* the only allowed loads of temporaries */
    bool bad, widens;
} temps_read;

static bool check_temp(void *user, const rlxc_expr *e)
{
    temps_read *t = user;
    if (e->kind == RLXC_EXPR_LOAD && e->dtype.bits == 16)
        t->widens = true;
    if (e->kind == RLXC_EXPR_LOAD && rlxc_stage_is_temp(t->all, e->load.buffer) &&
        e != t->allowed[0] && e != t->allowed[1])
        t->bad = true;
    if (e->kind == RLXC_EXPR_LET)
        t->bad = true;
    return true;
}

/* True if |e| reads no temporaries except |a| and |b|. */
static bool reads_only(const rlxc_stages *all, const rlxc_expr *e, const rlxc_expr *a,
                       const rlxc_expr *b, bool *out_widens)
{
    temps_read t = {.all = all, .allowed = {a, b}};
    rlxc_expr_visit(all->ctx, e, check_temp, &t);
    *out_widens = *out_widens || t.widens;
    return !t.bad;
}

/* A sum from 0 of x * y with x free of axis |no_x| and y free of axis |no_y|. */
static bool is_product(const rlxc_stages *all, const rlxc_stage *s, uint32_t no_x, uint32_t no_y,
                       const rlxc_expr **x, const rlxc_expr **y)
{
    rlxc_operation op;
    if (!starts_at_zero(s) || !rlxc_stage_product(all, s, &op))
        return false;
    *x = op.x;
    *y = op.w;
    return !rlxc_expr_uses_var(all->ctx, *x, s->vars[no_x]) &&
           !rlxc_expr_uses_var(all->ctx, *y, s->vars[no_y]);
}

/* Merges |value| over all elements of its reduced axis. */
static bool is_reduction(const rlxc_stages *all, const rlxc_stage *s, rlxc_expr_kind combine,
                         const rlxc_expr *value)
{
    rlxc_operation op;
    return rlxc_stage_operation(all, s, &op) && op.combine == combine && op.term == value;
}

/* --- the mask --------------------------------------------------------------------------------- */

/* True if |bound| is the query's number plus a term independent of query and key. */
static bool moves_with_query(const rlxc_stages *all, const rlxc_stage *map, const rlxc_expr *bound)
{
    const rlxc_expr *rest = rlxc_canonical(all->ctx, rlxc_sub(all->ctx, bound, map->vars[2]), NULL);
    return !rlxc_expr_uses_var(all->ctx, rest, map->vars[2]) &&
           !rlxc_expr_uses_var(all->ctx, rest, map->vars[3]);
}

static void read_condition(const rlxc_stages *all, const rlxc_expr *cond, rlxc_attention *a)
{
    const rlxc_expr *key = a->map->vars[3];
    if (cond->kind == RLXC_EXPR_AND) {
        read_condition(all, cond->bin.a, a);
        read_condition(all, cond->bin.b, a);
        return;
    }
    if (cond->kind != RLXC_EXPR_LE && cond->kind != RLXC_EXPR_GE)
        return;
    bool key_first = cond->bin.a == key;
    const rlxc_expr *bound = key_first ? cond->bin.b : cond->bin.a;
    if ((!key_first && cond->bin.b != key) || !moves_with_query(all, a->map, bound))
        return;
    if ((cond->kind == RLXC_EXPR_LE) == key_first)
        a->last_seen = bound;
    else
        a->first_seen = bound;
}

/* If the map is "condition ? score : a number below all scores", the range of visible keys. Both
 * ends are used only if they do not cross. */
static void read_mask(const rlxc_stages *all, rlxc_attention *a)
{
    const rlxc_expr *v = a->map->value;
    int64_t width;
    if (v->kind != RLXC_EXPR_SELECT || v->select.no->kind != RLXC_EXPR_FLOAT ||
        v->select.no->f > -1e38)
        return;
    read_condition(all, v->select.cond, a);
    if (a->first_seen && a->last_seen &&
        (!rlxc_is_int(
             rlxc_canonical(all->ctx, rlxc_sub(all->ctx, a->last_seen, a->first_seen), NULL),
             &width) ||
         width < 0))
        a->first_seen = a->last_seen = NULL;
}

typedef struct crossed_search {
    const rlxc_stages *all;
    rlxc_attention *a;
} crossed_search;

static bool is_other(void *user, const rlxc_expr *e)
{
    return e != user;
}

/* True if conditional reads in |e| stay conditional. */
static void drop_inside(rlxc_context *ctx, const rlxc_expr *e, rlxc_attention *a)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->n_crossed; i++)
        if (rlxc_expr_visit(ctx, e, is_other, (void *)(uintptr_t)a->crossed[i]))
            a->crossed[kept++] = a->crossed[i];
    a->n_crossed = kept;
}

static bool note_crossed(void *user, const rlxc_expr *e)
{
    const crossed_search *q = user;
    rlxc_attention *a = q->a;
    int64_t by_query, by_key;
    if (e->kind == RLXC_EXPR_AND || e->kind == RLXC_EXPR_OR ||
        (e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, "if_then_else") == 0))
        drop_inside(q->all->ctx, e, a);
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer == a->score->out ||
        !rlxc_dtype_is_float(e->dtype) || e->dtype.lanes != 1 ||
        !rlxc_access_stride(q->all->ctx, e->load.buffer, e->load.indices, a->map->vars[2],
                            &by_query) ||
        !rlxc_access_stride(q->all->ctx, e->load.buffer, e->load.indices, a->map->vars[3],
                            &by_key) ||
        by_key != 1 || by_query == 0 || by_query == 1)
        return true;
    for (uint32_t i = 0; i < a->n_crossed; i++)
        if (a->crossed[i] == e)
            return true;
    if (a->n_crossed < RLXC_ATTENTION_CROSSED)
        a->crossed[a->n_crossed++] = e;
    return true;
}

/* --- all stages ------------------------------------------------------------------------------- */

/* The axes of final that weigh is read at, and that sum is read at the first three of them. */
static bool read_final(const rlxc_stages *all, rlxc_attention *a, bool *widens)
{
    const rlxc_stage *s = a->final;
    const rlxc_expr *const *indices, *at[4];
    bool same;
    uint32_t index = (uint32_t)(s - all->items), seen = 0;
    if (rlxc_stage_loads(all, index, a->weigh->out, &indices, &same) == 0 || !same)
        return false;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t axis = 0;
        at[k] = indices[k];
        a->place[k] = RLXC_ATTENTION_NOWHERE;
        if (rlxc_is_const(indices[k], 0) && rlxc_is_const(a->weigh->extents[k], 1))
            continue;
        while (axis < s->n_axes && s->vars[axis] != indices[k])
            axis++;
        if (axis == s->n_axes)
            return false;
        a->place[k] = axis;
        seen |= 1u << axis;
        if (s->extents[axis] != a->weigh->extents[k])
            return false;
    }
    return seen == (1u << s->n_axes) - 1 && rlxc_stage_is_pointwise(s) &&
           reads_only(all, s->value, load_at(all, a->weigh->out, at, 4),
                      load_at(all, a->sum->out, at, 3), widens);
}

static bool same_extents(const rlxc_stage *a, const rlxc_stage *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a->extents[i] != b->extents[i])
            return false;
    return true;
}

/* Each block has the axes of its part, and stores what the others read. */
static bool have_all_axes(const rlxc_stages *all, const rlxc_attention *a)
{
    const struct {
        const rlxc_stage *stage;
        uint32_t spatial, reduced;
    } parts[N_STAGES] = {{a->score, 4, 1},
                         {a->map, 4, 0},
                         {a->max, 3, 1},
                         {a->exp, 4, 0},
                         {a->sum, 3, 1},
                         {a->weigh, 4, 1},
                         {a->final, a->final->n_axes, 0}};
    for (uint32_t i = 0; i < N_STAGES; i++)
        if (!has_axes(all, parts[i].stage, parts[i].spatial, parts[i].reduced, i + 1 < N_STAGES))
            return rlxc_decline(all,
                                "%s: attention has %u result axes and %u summed ones there, of "
                                "one type in all blocks",
                                parts[i].stage->out->name, parts[i].spatial, parts[i].reduced);
    return true;
}

/* Reports which of the softmax's blocks does not match. */
static bool decline_softmax(const rlxc_stages *all, const rlxc_attention *a, const rlxc_expr *exp,
                            const rlxc_expr *weight)
{
    const rlxc_expr *init = a->max->init;
    if (init->kind != RLXC_EXPR_FLOAT || init->f > 0)
        return rlxc_decline(all, "looks like attention, but the maximum %s begins with %s, above 0",
                            a->max->out->name, rlxc_told(all, init));
    if (a->exp->value != exp)
        return rlxc_decline(all, "looks like attention, but %s is %s instead of %s",
                            a->exp->out->name, rlxc_told(all, a->exp->value), rlxc_told(all, exp));
    return rlxc_decline(all,
                        "looks like attention, but %s is no maximum of %s, %s no sum of %s from 0, "
                        "or the values are weighted by %s",
                        a->max->out->name, a->map->out->name, a->sum->out->name, a->exp->out->name,
                        rlxc_told(all, weight));
}

bool rlxc_attention_find(const rlxc_stages *all, rlxc_attention *a)
{
    rlxc_context *ctx = all->ctx;
    const rlxc_stage *s = all->items;
    if (all->n != N_STAGES || !all->root)
        return rlxc_decline(all,
                            "the function has %u blocks, attention is %d: scores, mask, maximum, "
                            "exp, sum, weighted values, quotient",
                            all->n, N_STAGES);
    const rlx_dtype t = s[0].out->dtype;
    *a = (rlxc_attention){.score = &s[0],
                          .map = &s[1],
                          .max = &s[2],
                          .exp = &s[3],
                          .sum = &s[4],
                          .weigh = &s[5],
                          .final = &s[6],
                          .dtype = t};
    if (!rlxc_dtype_eq(t, RLX_F32) && !rlxc_dtype_eq(t, RLX_F64))
        return rlxc_decline(all, "%s is neither float32 nor float64", s[0].out->name);
    if (!have_all_axes(all, a))
        return false;
    const rlxc_expr *weight;
    bool widens = false, ignored = false;
    if (!is_product(all, a->score, 3, 2, &a->query, &a->key) ||
        !is_product(all, a->weigh, 3, 2, &weight, &a->value) ||
        !reads_only(all, a->query, NULL, NULL, &ignored) ||
        !reads_only(all, a->key, NULL, NULL, &widens) ||
        !reads_only(all, a->value, NULL, NULL, &widens) ||
        !reads_only(all, a->map->value, load_at(all, a->score->out, a->map->vars, 4), NULL,
                    &ignored))
        return rlxc_decline(all,
                            "looks like attention, but %s and %s are no sums from 0 of own + x * y "
                            "with x free of the keys, y of the queries, or read other temporaries",
                            a->score->out->name, a->weigh->out->name);
    const rlxc_expr *const *v = a->exp->vars;
    const rlxc_expr *difference =
        rlxc_sub(ctx, load_at(all, a->map->out, v, 4), load_at(all, a->max->out, v, 3));
    const rlxc_expr *exp = rlxc_call(ctx, t, rlxc_intern_cstr(ctx, "exp"), &difference, 1);
    const rlxc_expr *wv[4] = {a->weigh->vars[0], a->weigh->vars[1], a->weigh->vars[2],
                              a->weigh->vars[4]};
    if (a->max->init->kind != RLXC_EXPR_FLOAT || !(a->max->init->f <= 0) ||
        !is_reduction(all, a->max, RLXC_EXPR_MAX, load_at(all, a->map->out, a->max->vars, 4)) ||
        a->exp->value != exp || !starts_at_zero(a->sum) ||
        !is_reduction(all, a->sum, RLXC_EXPR_ADD, load_at(all, a->exp->out, a->sum->vars, 4)) ||
        weight != load_at(all, a->exp->out, wv, 4))
        return decline_softmax(all, a, exp, weight);
    if (!read_final(all, a, &ignored))
        return rlxc_decline(all,
                            "looks like attention, but %s is computed from more than %s and %s "
                            "at its own place",
                            a->final->out->name, a->weigh->out->name, a->sum->out->name);
    a->widens = widens;
    a->start = a->max->init->f;
    a->batches = a->score->extents[0];
    a->heads = a->score->extents[1];
    a->queries = a->score->extents[2];
    a->keys = a->score->extents[3];
    if (!same_extents(a->score, a->map, 4) || !same_extents(a->score, a->max, 4) ||
        !same_extents(a->score, a->exp, 4) || !same_extents(a->score, a->sum, 4) ||
        !same_extents(a->score, a->weigh, 3) || a->weigh->extents[4] != a->keys ||
        !rlxc_is_int(a->score->extents[4], &a->size) || a->size < 1 ||
        !rlxc_is_int(a->weigh->extents[3], &a->value_size) || a->value_size < 1)
        return rlxc_decline(all,
                            "looks like attention, but the blocks differ in batches, heads, "
                            "queries or keys, or the head sizes %s and %s are no numbers",
                            rlxc_told(all, a->score->extents[4]),
                            rlxc_told(all, a->weigh->extents[3]));
    for (uint32_t i = 0; i + 1 < N_STAGES; i++) { /* results are stored while others are computed */
        const rlxc_expr *const *indices;
        bool same;
        if (rlxc_stage_loads(all, i, a->final->out, &indices, &same) > 0)
            return rlxc_decline(all, "looks like attention, but %s reads the result %s",
                                s[i].out->name, a->final->out->name);
    }
    read_mask(all, a);
    crossed_search crossed = {all, a};
    rlxc_expr_visit(ctx, a->map->value, note_crossed, &crossed);
    return true;
}

/* Recognises attention in any spelling: any split into blocks, order of operands and axes, exp or
 * exp2, scale and mask anywhere before the maximum, the quotient before or after the second
 * product, with or without batch and head.
 *
 * Blocks without a reduction are substituted into the expressions that read them, which leaves four
 * reductions and the result computed from the last. The scores determine the roles of axes: the
 * axis reduced in the maximum is the key; the axis not used by the factor with the key is the
 * query. Each load of a reduction's result at its own axes is replaced by a variable, so that the
 * comparison is of expressions in four variables. */
#include "compiler/schedule/normal_attention.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compiler/ir/match_expr.h"

enum { MOST_NESTS = 16, MOST_FACTORS = 8, LARGEST = 256 /* size of a head */ };

typedef struct axis_map { /* the replacements of a block's axes */
    const rlxc_expr *to[RLXC_NEST_AXES];
} axis_map;

typedef struct reading {
    rlxc_context *ctx;
    const rlxc_nest *nests;
    uint32_t n;
    const rlxc_temps *temps;
    const rlxc_expr *values[MOST_NESTS]; /* with non-reducing blocks substituted */
    const rlxc_nest *sums[4];            /* scores, maximum, sum, weighted values */
    rlxc_attention_form *f;
    /* of each of the sums: what its result's indices are over the roles' axes */
    const rlxc_expr *places[4][RLXC_NEST_AXES];
    const rlxc_expr *marks[4];
    axis_map weighted; /* of the axes of the weighted values */
} reading;

static const rlxc_stmt *store_of(const rlxc_nest *nest)
{
    return nest->block->body;
}

static const rlxc_expr *value_of(const reading *r, const rlxc_nest *nest)
{
    return r->values[nest - r->nests];
}

/* --- blocks that reduce nothing --------------------------------------------------------------- */

static const rlxc_expr *put_in(void *user, const rlxc_expr *e)
{
    const reading *r = user;
    if (e->kind != RLXC_EXPR_LOAD || rlxc_temp_writers(r->temps, e->load.buffer) == 0)
        return NULL;
    for (uint32_t i = 0; i < r->n && r->values[i]; i++) {
        const rlxc_stmt *store = store_of(&r->nests[i]);
        const rlxc_expr *vars[RLXC_NEST_AXES], *at[RLXC_NEST_AXES];
        uint32_t n = 0;
        if (r->nests[i].block->init || store->store.buffer != e->load.buffer)
            continue;
        for (uint32_t k = 0; k < e->load.n; k++) {
            const rlxc_expr *var = store->store.indices[k];
            if (rlxc_block_axis(r->nests[i].block, var) == r->nests[i].block->n_axes)
                continue;
            vars[n] = var;
            at[n++] = rlxc_cast(r->ctx, var->dtype,
                                rlxc_expr_rewrite(r->ctx, e->load.indices[k], put_in, user));
        }
        return rlxc_cast(r->ctx, e->dtype, rlxc_substitute(r->ctx, r->values[i], vars, at, n));
    }
    return NULL;
}

static bool put_all_in(reading *r)
{
    uint32_t reductions = 0, results = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const rlxc_nest *nest = &r->nests[i];
        for (uint32_t k = 0; k < i; k++)
            if (store_of(&r->nests[k])->store.buffer == store_of(nest)->store.buffer)
                return false;
        results += rlxc_temp_writers(r->temps, store_of(nest)->store.buffer) == 0;
        if (nest->block->init) {
            if (reductions == 4)
                return false;
            r->sums[reductions++] = nest;
        } else if (rlxc_nest_reads_own(r->ctx, nest->block)) {
            return false;
        }
        r->values[i] = rlxc_expr_rewrite(r->ctx, store_of(nest)->store.value, put_in, r);
    }
    r->f->out = store_of(&r->nests[r->n - 1])->store.buffer;
    return reductions == 4 && results == 1 && rlxc_temp_writers(r->temps, r->f->out) == 0;
}

/* --- roles ------------------------------------------------------------------------------------ */

typedef struct load_search {
    const rlxc_buffer *buffer;
    const rlxc_expr *found;
} load_search;

static bool find_load(void *user, const rlxc_expr *e)
{
    load_search *s = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer == s->buffer)
        s->found = e;
    return !s->found;
}

static const rlxc_expr *load_in(const reading *r, const rlxc_nest *nest, const rlxc_nest *of)
{
    load_search s = {store_of(of)->store.buffer, NULL};
    rlxc_expr_visit(r->ctx, value_of(r, nest), find_load, &s);
    return s.found;
}

static void set_role(reading *r, rlxc_role role, const rlxc_nest *nest, uint32_t axis)
{
    static const char *const names[RLXC_ROLES] = {"b", "h", "i", "j", "d", "e"};
    r->f->axes[role] = rlxc_var(r->ctx, names[role], nest->block->axes[axis].var->dtype);
    r->f->extents[role] = rlxc_cast(r->ctx, RLX_I64, nest->extents[axis]);
}

/* True if axis |k| of |nest| has as many elements as the role |of|, an axis or 0. */
static bool fits_role(const reading *r, const rlxc_nest *nest, uint32_t k, const rlxc_expr *of)
{
    for (uint32_t role = 0; role < RLXC_ROLES; role++)
        if (r->f->axes[role] == of)
            return rlxc_prove_eq(r->ctx, nest->extents[k], r->f->extents[role], NULL);
    return true;
}

/* The roles of the axes of |nest|, which reads the result of |of| at its own indices. |given|: the
 * role of an axis that this leaves open, or RLXC_ROLES. */
static bool map_axes(reading *r, const rlxc_nest *nest, uint32_t of, rlxc_role given, axis_map *map)
{
    const rlxc_expr *load = load_in(r, nest, r->sums[of]);
    *map = (axis_map){{NULL}};
    if (!load)
        return false;
    for (uint32_t p = 0; p < load->load.n; p++) {
        const uint32_t k = rlxc_block_axis(nest->block, load->load.indices[p]);
        if (k == nest->block->n_axes)
            continue;
        map->to[k] = r->places[of][p];
        if (!fits_role(r, nest, k, map->to[k]))
            return false;
    }
    for (uint32_t k = 0; k < nest->block->n_axes; k++) {
        if (map->to[k])
            continue;
        if (given != RLXC_ROLES && !r->f->axes[given]) {
            set_role(r, given, nest, k);
            map->to[k] = r->f->axes[given];
        } else if (rlxc_is_const(nest->extents[k], 1)) {
            map->to[k] = rlxc_int(r->ctx, nest->block->axes[k].var->dtype, 0);
        } else {
            return false;
        }
    }
    return true;
}

static const rlxc_expr *mapped(const reading *r, const rlxc_nest *nest, const axis_map *map,
                               const rlxc_expr *e)
{
    const rlxc_expr *vars[RLXC_NEST_AXES], *to[RLXC_NEST_AXES];
    for (uint32_t k = 0; k < nest->block->n_axes; k++) {
        vars[k] = nest->block->axes[k].var;
        to[k] = rlxc_cast(r->ctx, vars[k]->dtype, map->to[k]);
    }
    return rlxc_substitute(r->ctx, e, vars, to, nest->block->n_axes);
}

static void set_places(reading *r, uint32_t which, const axis_map *map)
{
    const rlxc_nest *nest = r->sums[which];
    for (uint32_t p = 0; p < store_of(nest)->store.n; p++)
        r->places[which][p] = mapped(r, nest, map, store_of(nest)->store.indices[p]);
}

typedef struct marking {
    const reading *r;
    uint32_t n; /* of the sums that may be read */
} marking;

static const rlxc_expr *mark(void *user, const rlxc_expr *e)
{
    const marking *m = user;
    for (uint32_t i = 0; i < m->n && e->kind == RLXC_EXPR_LOAD; i++) {
        int64_t ignored;
        bool same = store_of(m->r->sums[i])->store.buffer == e->load.buffer;
        for (uint32_t p = 0; p < e->load.n && same; p++)
            same = e->load.indices[p] == m->r->places[i][p] ||
                   (rlxc_is_int(e->load.indices[p], &ignored) &&
                    rlxc_is_int(m->r->places[i][p], &ignored));
        if (same)
            return m->r->marks[i];
    }
    return NULL;
}

/* The value of |nest| over the roles' axes and the variables of the first |n| sums. */
static const rlxc_expr *read_value(const reading *r, const rlxc_nest *nest, const axis_map *map,
                                   uint32_t n)
{
    marking m = {r, n};
    return rlxc_expr_rewrite(r->ctx, mapped(r, nest, map, value_of(r, nest)), mark, &m);
}

/* --- products --------------------------------------------------------------------------------- */

typedef struct factors {
    const rlxc_expr *over[MOST_FACTORS], *under[MOST_FACTORS];
    uint32_t n_over, n_under;
    bool too_many;
} factors;

static void add_factors(factors *x, const rlxc_expr *e, bool under)
{
    if ((e->kind == RLXC_EXPR_MUL || e->kind == RLXC_EXPR_DIV) && rlxc_dtype_is_float(e->dtype)) {
        add_factors(x, e->bin.a, under);
        add_factors(x, e->bin.b, under != (e->kind == RLXC_EXPR_DIV));
    } else if (x->n_over == MOST_FACTORS || x->n_under == MOST_FACTORS || x->too_many) {
        x->too_many = true;
    } else if (under) {
        x->under[x->n_under++] = e;
    } else {
        x->over[x->n_over++] = e;
    }
}

static const rlxc_expr *times(const reading *r, const rlxc_expr *a, const rlxc_expr *b)
{
    return a ? rlxc_mul(r->ctx, a, b) : b;
}

/* The term that a sum from 0 adds to |own|; or NULL. */
static const rlxc_expr *summand(const reading *r, uint32_t which, const rlxc_expr *value,
                                const rlxc_expr *own)
{
    const rlxc_expr *init = r->sums[which]->block->init->store.value;
    rlxc_captures c = {.n = 0};
    const rlxc_expr *any = rlxc_capture(r->ctx, &c, r->f->dtype);
    bool zero = init->kind == RLXC_EXPR_FLOAT && init->f == 0;
    return zero && rlxc_match(rlxc_add(r->ctx, own, any), value, &c) ? c.values[0] : NULL;
}

/* --- the parts -------------------------------------------------------------------------------- */

/* The axis of the scores that the maximum is taken over; the number of axes: none. */
static uint32_t key_axis(const reading *r)
{
    const rlxc_nest *score = r->sums[0], *max = r->sums[1];
    const rlxc_expr *load = load_in(r, max, score);
    for (uint32_t p = 0; load && p < load->load.n; p++) {
        const uint32_t k = rlxc_block_axis(max->block, load->load.indices[p]);
        if (k < max->block->n_axes && max->block->axes[k].kind == RLXC_AXIS_REDUCE)
            return rlxc_block_axis(score->block, store_of(score)->store.indices[p]);
    }
    return score->block->n_axes;
}

/* An axis of more than one step that is neither query nor key: batch or head. */
static bool is_batch(const rlxc_nest *nest, uint32_t axis)
{
    return nest->block->axes[axis].kind == RLXC_AXIS_SPATIAL &&
           !rlxc_is_const(nest->extents[axis], 1);
}

static bool read_scores(reading *r)
{
    const rlxc_nest *score = r->sums[0];
    const rlxc_block *b = score->block;
    const rlxc_expr *own = rlxc_load(r->ctx, store_of(score)->store.buffer,
                                     store_of(score)->store.indices, store_of(score)->store.n);
    const rlxc_expr *product = summand(r, 0, value_of(r, score), own);
    const uint32_t key = key_axis(r);
    uint32_t query = b->n_axes, others = 0;
    factors x = {.n_over = 0};
    if (!product || key == b->n_axes)
        return false;
    add_factors(&x, product, false);
    if (x.too_many || x.n_under > 0)
        return false;
    axis_map map = {{NULL}};
    const rlxc_expr *with_key = NULL, *without = NULL;
    for (uint32_t i = 0; i < x.n_over; i++) {
        bool has_key = rlxc_expr_uses_var(r->ctx, x.over[i], b->axes[key].var);
        const rlxc_expr **side = has_key ? &with_key : &without;
        *side = times(r, *side, x.over[i]);
    }
    if (!with_key || !without)
        return false;
    for (uint32_t p = 0; p < store_of(score)->store.n; p++) {
        const uint32_t k = rlxc_block_axis(score->block, store_of(score)->store.indices[p]);
        if (k < b->n_axes && k != key && !rlxc_expr_uses_var(r->ctx, with_key, b->axes[k].var))
            query = k;
    }
    if (query == b->n_axes)
        return false;
    for (uint32_t k = 0; k < b->n_axes; k++)
        others += is_batch(score, k) && k != key && k != query;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        const bool summed = b->axes[k].kind == RLXC_AXIS_REDUCE;
        const bool batch = k != key && k != query && !summed;
        if (batch && !is_batch(score, k)) {
            map.to[k] = rlxc_int(r->ctx, b->axes[k].var->dtype, 0);
            continue;
        }
        const rlxc_role role = k == key        ? RLXC_ROLE_KEY
                               : k == query    ? RLXC_ROLE_QUERY
                               : summed        ? RLXC_ROLE_SIZE
                               : others-- == 2 ? RLXC_ROLE_BATCH
                                               : RLXC_ROLE_HEAD;
        if (r->f->axes[role])
            return false; /* a third axis of batches, a second one that is summed */
        set_role(r, role, score, k);
        map.to[k] = r->f->axes[role];
    }
    set_places(r, 0, &map);
    r->f->query = mapped(r, score, &map, without);
    r->f->key = mapped(r, score, &map, with_key);
    return r->f->axes[RLXC_ROLE_SIZE] != NULL;
}

static bool read_max(reading *r)
{
    axis_map map;
    const rlxc_expr *init = r->sums[1]->block->init->store.value;
    rlxc_captures c = {.n = 0};
    const rlxc_expr *any = rlxc_capture(r->ctx, &c, r->f->dtype);
    if (init->kind != RLXC_EXPR_FLOAT || isnan(init->f) || init->f > 0 ||
        !map_axes(r, r->sums[1], 0, RLXC_ROLES, &map))
        return false;
    set_places(r, 1, &map);
    if (!rlxc_match(rlxc_binary(r->ctx, RLXC_EXPR_MAX, r->marks[1], any),
                    read_value(r, r->sums[1], &map, 2), &c))
        return false;
    r->f->map = c.values[0];
    r->f->start = init->f;
    return true;
}

/* |weight| = e to the power of |factor| times (map - max). */
static bool read_exponential(const reading *r, const rlxc_expr *weight, double *factor)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *map = r->f->map, *max = r->marks[1], *difference = rlxc_sub(ctx, map, max);
    static const char *const names[3] = {"exp", "exp_nonpositive", "exp2"};
    for (int base = 0; base < 3; base++)
        for (int form = 0; form < 4; form++) {
            rlxc_captures c = {.n = 0};
            const rlxc_expr *by = rlxc_capture(ctx, &c, r->f->dtype);
            const rlxc_expr *power =
                form == 0   ? difference
                : form == 1 ? rlxc_mul(ctx, difference, by)
                : form == 2 ? rlxc_binary(ctx, RLXC_EXPR_DIV, difference, by)
                            : rlxc_sub(ctx, rlxc_mul(ctx, map, by), rlxc_mul(ctx, max, by));
            const char *name = rlxc_intern_cstr(ctx, names[base]);
            if (!rlxc_match(rlxc_call(ctx, r->f->dtype, name, &power, 1), weight, &c))
                continue;
            const rlxc_expr *known = c.values[0];
            if (form > 0 && (!known || known->kind != RLXC_EXPR_FLOAT))
                return false;
            *factor = (base == 2 ? M_LN2 : 1) * (form == 0   ? 1
                                                 : form == 2 ? 1 / known->f
                                                             : known->f);
            return isfinite(*factor) && *factor > 0;
        }
    return false;
}

static bool read_weighted(reading *r, const rlxc_expr *weight, bool *divided)
{
    if (!map_axes(r, r->sums[3], 0, RLXC_ROLE_VALUE, &r->weighted))
        return false;
    set_places(r, 3, &r->weighted);
    const rlxc_expr *product =
        summand(r, 3, read_value(r, r->sums[3], &r->weighted, 4), r->marks[3]);
    factors x = {.n_over = 0};
    uint32_t weights = 0;
    if (!product)
        return false;
    add_factors(&x, product, false);
    for (uint32_t i = 0; i < x.n_over; i++) {
        const rlxc_expr *e = x.over[i];
        if (rlxc_same(e, weight))
            weights++;
        else if (e->kind != RLXC_EXPR_FLOAT || e->f != 1)
            r->f->value = times(r, r->f->value, e);
    }
    *divided = x.n_under == 1 && x.under[0] == r->marks[2];
    return !x.too_many && weights == 1 && r->f->value && (x.n_under == 0 || *divided) &&
           r->f->axes[RLXC_ROLE_VALUE] &&
           !rlxc_expr_uses_var(r->ctx, r->f->value, r->f->axes[RLXC_ROLE_QUERY]);
}

static bool read_final(reading *r, bool divided)
{
    const rlxc_nest *last = &r->nests[r->n - 1];
    axis_map map;
    const rlxc_expr *quotient =
        divided ? rlxc_binary(r->ctx, RLXC_EXPR_DIV, r->marks[3], r->marks[2]) : r->marks[3];
    if (last == r->sums[3]) {
        map = r->weighted;
        r->f->final = quotient;
    } else {
        if (!map_axes(r, last, 3, RLXC_ROLES, &map))
            return false;
        r->f->final =
            rlxc_substitute(r->ctx, read_value(r, last, &map, 4), &r->marks[3], &quotient, 1);
    }
    for (uint32_t p = 0; p < store_of(last)->store.n; p++)
        r->f->indices[p] = mapped(r, last, &map, store_of(last)->store.indices[p]);
    for (uint32_t k = 0; k < last->block->n_axes; k++)
        for (int role = 0; role < RLXC_ROLES; role++)
            if (map.to[k] == r->f->axes[role] && last->block->axes[k].kind == RLXC_AXIS_SPATIAL)
                r->f->order[r->f->n_order++] = (rlxc_role)role;
    return true;
}

/* --- all -------------------------------------------------------------------------------------- */

typedef struct stray {
    const reading *r;
    bool found;
} stray;

static bool find_stray(void *user, const rlxc_expr *e)
{
    stray *s = user;
    if (e->kind == RLXC_EXPR_LOAD)
        s->found = s->found || rlxc_temp_writers(s->r->temps, e->load.buffer) > 0 ||
                   e->load.buffer->data == s->r->f->out->data;
    s->found = s->found || e->kind == RLXC_EXPR_LET;
    return !s->found;
}

/* True if |e| binds nothing, reads no temporary, not the result, and no sums except |a| and |b|. */
static bool is_closed(const reading *r, const rlxc_expr *e, const rlxc_expr *a, const rlxc_expr *b)
{
    stray s = {r, false};
    rlxc_expr_visit(r->ctx, e, find_stray, &s);
    for (int i = 0; i < 4; i++)
        if (r->marks[i] != a && r->marks[i] != b && rlxc_expr_uses_var(r->ctx, e, r->marks[i]))
            return false;
    return !s.found;
}

static bool are_closed(const reading *r)
{
    const rlxc_attention_form *f = r->f;
    return is_closed(r, f->query, NULL, NULL) && is_closed(r, f->key, NULL, NULL) &&
           is_closed(r, f->value, NULL, NULL) && is_closed(r, f->map, f->score, NULL) &&
           is_closed(r, f->final, f->total, f->sum);
}

/* Axes for batch and head where the blocks have none; the sizes of the heads. */
static bool complete(const reading *r)
{
    rlxc_attention_form *f = r->f;
    for (int role = RLXC_ROLE_BATCH; role <= RLXC_ROLE_HEAD; role++)
        if (!f->axes[role]) {
            const char *name = role == RLXC_ROLE_BATCH ? "b" : "h";
            f->axes[role] = rlxc_var(r->ctx, name, f->axes[RLXC_ROLE_KEY]->dtype);
            f->extents[role] = rlxc_i64(r->ctx, 1);
        }
    f->why = "the head sizes are not constant";
    if (!rlxc_is_int(f->extents[RLXC_ROLE_SIZE], &f->size) ||
        !rlxc_is_int(f->extents[RLXC_ROLE_VALUE], &f->value_size) || f->size < 1 ||
        f->value_size < 1)
        return false;
    f->why = rlxc_internf(r->ctx, "head sizes %" PRId64 " and %" PRId64 ", at most %d", f->size,
                          f->value_size, LARGEST);
    return f->size <= LARGEST && f->value_size <= LARGEST;
}

static bool begin(reading *r)
{
    static const char *const names[4] = {"score", "max", "sum", "total"};
    rlxc_attention_form *f = r->f;
    if (r->n < 4 || r->n > MOST_NESTS || !put_all_in(r))
        return false;
    f->dtype = store_of(r->sums[0])->store.buffer->dtype;
    for (int i = 0; i < 4; i++) {
        r->marks[i] = rlxc_var(r->ctx, names[i], f->dtype);
        if (!rlxc_dtype_eq(store_of(r->sums[i])->store.buffer->dtype, f->dtype))
            return false;
    }
    f->range = r->sums[0]->realize->range;
    f->score = r->marks[0];
    f->max = r->marks[1];
    f->sum = r->marks[2];
    f->total = r->marks[3];
    return rlxc_dtype_eq(f->dtype, RLX_F32) || rlxc_dtype_eq(f->dtype, RLX_F64);
}

bool rlxc_read_attention(rlxc_context *ctx, const rlxc_nest *nests, uint32_t n,
                         const rlxc_temps *temps, rlxc_attention_form *out)
{
    *out = (rlxc_attention_form){.why = "not four reductions of float32 or float64 of which all "
                                        "results but one stay in the function"};
    reading r = {.ctx = ctx, .nests = nests, .n = n, .temps = temps, .f = out};
    axis_map map;
    bool divided;
    if (!begin(&r))
        return false;
    out->why = "looks like attention, but the first sum is not a product of queries and keys "
               "starting at 0";
    if (!read_scores(&r))
        return false;
    out->why = "looks like attention, but the second reduction is not a maximum of all scores of a "
               "query with an initial value of at most 0";
    if (!read_max(&r))
        return false;
    out->why = "looks like attention, but the third reduction is not a sum of exp(score - max) "
               "starting at 0";
    if (!map_axes(&r, r.sums[2], 0, RLXC_ROLES, &map))
        return false;
    set_places(&r, 2, &map);
    const rlxc_expr *weight = summand(&r, 2, read_value(&r, r.sums[2], &map, 3), r.marks[2]);
    if (!weight || !read_exponential(&r, weight, &out->factor))
        return false;
    out->why = "looks like attention, but the last sum is not of these weights times values, "
               "starting at 0";
    if (!read_weighted(&r, weight, &divided))
        return false;
    out->why =
        "looks like attention, but the result or an operand is computed from other temporaries";
    return read_final(&r, divided) && are_closed(&r) && complete(&r) && !rlxc_failed(ctx);
}

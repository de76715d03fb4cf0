/* Takes loops around several blocks apart into a nest for each block; normal_parts.c proves that
 * the nests may run one after the other. Blocks in blocks take the axes of those around them that
 * they use; stores in plain loops become blocks (normal_blocks.c). What a condition allows in the
 * first or last iteration of a loop only is a nest without that loop. */
#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

uint32_t rlxc_temp_writers(const rlxc_temps *temps, const rlxc_buffer *buffer)
{
    for (uint32_t i = 0; i < temps->n; i++)
        if (temps->items[i] == buffer)
            return temps->writers[i];
    return 0;
}

bool rlxc_realize_uses(rlxc_context *ctx, const rlxc_stmt *realize, uint32_t n_axes,
                       const rlxc_expr *var)
{
    const rlxc_expr *cond = realize->block.predicate;
    bool used = cond && rlxc_expr_uses_var(ctx, cond, var);
    for (uint32_t k = 0; k < n_axes && !used; k++)
        used = rlxc_expr_uses_var(ctx, realize->block.values[k], var);
    return used;
}

bool rlxc_nest_stores_all(rlxc_context *ctx, const rlxc_nest *nest)
{
    const rlxc_stmt *store = nest->block->body;
    for (uint32_t i = 0; i < store->store.n; i++) {
        const uint32_t k = rlxc_block_axis(nest->block, store->store.indices[i]);
        if (k == nest->block->n_axes
                ? !rlxc_is_const(store->store.buffer->shape[i], 1)
                : !rlxc_prove_eq(ctx, nest->extents[k], store->store.buffer->shape[i], NULL))
            return false;
    }
    return true;
}

/* --- taking apart ----------------------------------------------------------------------------- */

typedef struct path {
    const rlxc_stmt *loops[RLXC_NEST_LOOPS];
    rlxc_turn once[RLXC_NEST_LOOPS];
    uint32_t n;
    const rlxc_expr *cond; /* of the ifs and blocks around, or NULL */
    /* The axes of the blocks around, and their values. */
    rlxc_axis axes[RLXC_NEST_AXES];
    const rlxc_expr *vars[RLXC_NEST_AXES], *values[RLXC_NEST_AXES];
    uint32_t n_axes;
} path;

/* |e| with values for the axes of the blocks around; NULL: NULL. */
static const rlxc_expr *outside(rlxc_context *ctx, const path *at, const rlxc_expr *e)
{
    return e ? rlxc_substitute(ctx, e, at->vars, at->values, at->n_axes) : NULL;
}

/* |a| and |b|; NULL: always. */
static const rlxc_expr *both(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return a && b ? rlxc_binary(ctx, RLXC_EXPR_AND, a, b) : a ? a : b;
}

typedef struct variable {
    rlxc_context *ctx;
    const rlxc_expr *var;
    bool used;
} variable;

static bool find_var(void *user, const rlxc_expr *e)
{
    variable *v = user;
    v->used = v->used || e == v->var;
    return !v->used;
}

static bool find_var_in(void *user, const rlxc_stmt *s)
{
    variable *v = user;
    rlxc_stmt_nodes(v->ctx, s, find_var, v);
    return !v->used;
}

bool rlxc_stmt_uses_var(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_expr *var)
{
    variable v = {ctx, var, false};
    rlxc_stmt_visit(stmt, find_var_in, &v);
    return v.used;
}

/* True if the body or init of |b| uses |var|. */
static bool uses(rlxc_context *ctx, const rlxc_block *b, const rlxc_expr *var)
{
    return rlxc_stmt_uses_var(ctx, b->body, var) ||
           (b->init && rlxc_stmt_uses_var(ctx, b->init, var));
}

typedef struct renaming {
    rlxc_context *ctx;
    const rlxc_expr *from[2 * RLXC_NEST_LOOPS], *to[2 * RLXC_NEST_LOOPS];
    rlxc_axis *axes;
    const rlxc_expr **values;
    uint32_t n;
} renaming;

static const rlxc_expr *renamed(void *user, const rlxc_expr *e)
{
    const renaming *r = user;
    return rlxc_substitute(r->ctx, e, r->from, r->to, r->n);
}

/* An axis like |axis| with |value| for its variable. */
static void take_axis(renaming *r, rlxc_axis axis, const rlxc_expr *value)
{
    r->from[r->n] = axis.var;
    r->to[r->n] = axis.var = rlxc_var_like(r->ctx, axis.var);
    r->axes[r->n] = axis;
    r->values[r->n++] = value;
}

/* The block |s| at |at|, with the axes and loops around that its body uses among its axes, and the
 * conditions around it as a part of its predicate. */
static const rlxc_stmt *flattened(rlxc_context *ctx, const path *at, const rlxc_stmt *s)
{
    const rlxc_block *b = s->block.block;
    const size_t most = (size_t)at->n + at->n_axes + b->n_axes + 1;
    renaming r = {.ctx = ctx,
                  .axes = rlxc_alloc(ctx, most * sizeof *r.axes),
                  .values = rlxc_alloc(ctx, most * sizeof *r.values)};
    for (uint32_t k = 0; k < at->n_axes; k++)
        if (uses(ctx, b, at->vars[k]))
            take_axis(&r, at->axes[k], at->values[k]);
    for (uint32_t k = 0; k < at->n; k++) {
        const rlxc_stmt *loop = at->loops[k];
        if (uses(ctx, b, loop->loop.var))
            take_axis(
                &r,
                (rlxc_axis){RLXC_AXIS_SPATIAL, loop->loop.var, loop->loop.min, loop->loop.extent},
                loop->loop.var);
    }
    if (!at->cond && at->n_axes == 0 && r.n == 0)
        return s;
    rlxc_block *own = rlxc_copy(ctx, b, sizeof *own);
    uint32_t n = r.n;
    if (n > 0) {
        const rlxc_stmt_rewriter rewriter = {.user = &r, .expr = renamed};
        own->body = rlxc_stmt_rewrite(ctx, b->body, &rewriter);
        own->init = b->init ? rlxc_stmt_rewrite(ctx, b->init, &rewriter) : NULL;
        own->annotations = (rlxc_attrs){0};
        rlxc_forget_regions(own);
    }
    for (uint32_t k = 0; k < b->n_axes; k++) {
        r.values[n] = outside(ctx, at, s->block.values[k]);
        r.axes[n++] = b->axes[k];
    }
    own->axes = r.axes;
    own->n_axes = n;
    rlxc_stmt *realize = (rlxc_stmt *)(uintptr_t)rlxc_stmt_block(
        ctx, r.n == 0 ? b : own, r.values,
        both(ctx, at->cond, outside(ctx, at, s->block.predicate)));
    realize->range = s->range;
    return realize;
}

static bool collect(rlxc_context *ctx, const rlxc_stmt *s, path *at, rlxc_nests *out);

static bool is_constant(const rlxc_stmt *store)
{
    return store->store.value->kind == RLXC_EXPR_INT || store->store.value->kind == RLXC_EXPR_FLOAT;
}

/* True if the blocks around may reduce: an initial value in them is stored in each of their steps.
 */
static bool restarts(const path *at)
{
    bool spatial = true;
    for (uint32_t k = 0; k < at->n_axes; k++)
        spatial = spatial && at->axes[k].kind == RLXC_AXIS_SPATIAL;
    return !spatial;
}

/* The nests of the initial values of |b|, a block of blocks: they are stored in the first iteration
 * of the loops that its reductions are made of. */
static bool collect_init(rlxc_context *ctx, const rlxc_block *b, const path *inside,
                         rlxc_nests *out)
{
    path at = *inside;
    const uint32_t start = out->count;
    at.n_axes = 0;
    for (uint32_t i = 0; i < inside->n; i++) {
        for (uint32_t k = 0; k < inside->n_axes; k++)
            if (inside->axes[k].kind != RLXC_AXIS_SPATIAL &&
                rlxc_expr_uses_var(ctx, inside->values[k], at.loops[i]->loop.var)) {
                if (at.once[i] == RLXC_LAST_TURN)
                    return false;
                at.once[i] = RLXC_FIRST_TURN;
            }
        if (at.once[i] == RLXC_FIRST_TURN && at.cond &&
            rlxc_expr_uses_var(ctx, at.cond, at.loops[i]->loop.var))
            return false;
    }
    for (uint32_t k = 0; k < inside->n_axes; k++) {
        if (inside->axes[k].kind != RLXC_AXIS_SPATIAL)
            continue;
        at.axes[at.n_axes] = inside->axes[k];
        at.vars[at.n_axes] = inside->vars[k];
        at.values[at.n_axes++] = inside->values[k];
    }
    if (!collect(ctx, b->init, &at, out))
        return false;
    for (uint32_t i = start; i < out->count; i++)
        if (!is_constant(out->items[i].block->body))
            return false;
    return true;
}

/* The nests in a block of loops and blocks. */
static bool collect_inside(rlxc_context *ctx, const rlxc_stmt *s, path *at, rlxc_nests *out)
{
    const rlxc_block *b = s->block.block;
    path inside = *at;
    if (b->n_allocs || b->n_matches || b->n_axes > RLXC_NEST_AXES - at->n_axes ||
        (b->init && restarts(at)))
        return false;
    inside.cond = both(ctx, at->cond, outside(ctx, at, s->block.predicate));
    for (uint32_t k = 0; k < b->n_axes; k++) {
        inside.axes[inside.n_axes] = b->axes[k];
        inside.vars[inside.n_axes] = b->axes[k].var;
        inside.values[inside.n_axes++] = outside(ctx, at, s->block.values[k]);
    }
    return (!b->init || collect_init(ctx, b, &inside, out)) && collect(ctx, b->body, &inside, out);
}

/* The nests of the simple blocks that the block |s| stands for. False without effect if there are
 * none. */
static bool collect_simple(rlxc_context *ctx, const rlxc_stmt *s, const path *at, rlxc_nests *out)
{
    rlxc_simple_block blocks[RLXC_BLOCK_STORES];
    const rlxc_block *b = s->block.block;
    if (restarts(at) && (b->init || b->body->kind != RLXC_STMT_STORE))
        return false;
    const rlxc_stmt *realize = flattened(ctx, at, s);
    const uint32_t n = rlxc_simple_blocks(ctx, realize, blocks);
    rlxc_nest nest = {.n_loops = at->n};
    for (uint32_t i = 0; i < at->n; i++) {
        nest.loops[i] = at->loops[i];
        nest.once[i] = at->once[i];
        if (at->once[i] == RLXC_LAST_TURN &&
            rlxc_realize_uses(ctx, realize, realize->block.block->n_axes, at->loops[i]->loop.var))
            return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        rlxc_stmt *own = rlxc_copy(ctx, realize, sizeof *own);
        own->block.values = blocks[k].values;
        nest.realize = own->block.values == realize->block.values ? realize : own;
        nest.block = blocks[k].block;
        nest.by_step = blocks[k].by_step;
        RLXC_PUSH(ctx, out, nest);
    }
    return n > 0 && !rlxc_failed(ctx);
}

enum { MOST_DEPTH = 16 }; /* a tree may be far larger than in memory */

/* The loops around, with a variable of int64 for each. */
typedef struct corner {
    rlxc_context *ctx;
    const path *at;
    const rlxc_expr *loops[RLXC_NEST_LOOPS], *vars[RLXC_NEST_LOOPS];
    rlxc_bounds bounds;
    rlxc_turn once[RLXC_NEST_LOOPS];
} corner;

static void begin_corner(corner *c)
{
    for (uint32_t i = 0; i < c->at->n; i++) {
        const rlxc_stmt *loop = c->at->loops[i];
        c->loops[i] = loop->loop.var;
        c->vars[i] = rlxc_var(c->ctx, loop->loop.var->var.name, RLX_I64);
        rlxc_bound_loop(c->ctx, &c->bounds, c->vars[i], loop->loop.min, loop->loop.extent);
    }
}

/* |e| over the variables; NULL: it is no integer, or may leave the range of its type. */
static const rlxc_expr *over_vars(const corner *c, const rlxc_expr *e)
{
    rlxc_space s = {.ctx = c->ctx};
    const bool fits = rlxc_is_index_type(e->dtype) &&
                      rlxc_space_fits(&s, e, c->loops, c->vars, c->at->n, &c->bounds);
    e = fits ? rlxc_space_widened(&s, e, c->loops, c->vars, c->at->n) : NULL;
    return s.failed ? NULL : e;
}

/* True if |e| is 0 where the loops whose variables it uses are in their first or last iteration,
 * and less elsewhere; notes which it is. */
static bool is_corner(corner *c, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < c->at->n; i++) {
        const rlxc_expr *extent = rlxc_wide(c->ctx, c->at->loops[i]->loop.extent);
        const bool one = rlxc_is_const(extent, 1); /* each iteration is the first and the last */
        int64_t by;
        if (!rlxc_linear_in(c->ctx, e, c->vars[i], &by, &e) || by == INT64_MIN ||
            (by > 0 && rlxc_bound_of(c->ctx, extent, NULL).min <= 0))
            return false;
        by = one ? 0 : by;
        c->once[i] = by == 0 ? RLXC_EACH_TURN : by > 0 ? RLXC_LAST_TURN : RLXC_FIRST_TURN;
        if (by != 0 && c->at->once[i] != RLXC_EACH_TURN && c->at->once[i] != c->once[i])
            return false;
        const rlxc_expr *last = rlxc_sub(c->ctx, extent, rlxc_i64(c->ctx, 1));
        if (by > 0)
            e = rlxc_add(c->ctx, e, rlxc_mul(c->ctx, last, rlxc_i64(c->ctx, by)));
    }
    return rlxc_is_const(rlxc_canonical(c->ctx, e, NULL), 0);
}

/* |cond| without parts that hold in the first or last iterations of loops only, such as k == 0 and
 * k >= 255 of 256; those loops are marked. NULL: nothing remains. */
static const rlxc_expr *without_once(rlxc_context *ctx, path *at, const rlxc_expr *cond)
{
    const bool equal = cond->kind == RLXC_EXPR_EQ;
    const bool strict = cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_GT;
    const bool up = cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE;
    if (cond->kind == RLXC_EXPR_AND && cond->depth < MOST_DEPTH)
        return both(ctx, without_once(ctx, at, cond->bin.a), without_once(ctx, at, cond->bin.b));
    if (!equal && !up && cond->kind != RLXC_EXPR_GT && cond->kind != RLXC_EXPR_GE)
        return cond;
    corner c = {.ctx = ctx, .at = at};
    begin_corner(&c);
    const rlxc_expr *a = over_vars(&c, cond->bin.a), *b = over_vars(&c, cond->bin.b);
    if (!a || !b)
        return cond;
    /* at least 0; equality may be that in the first iterations, or the last */
    const rlxc_expr *e = up || equal ? rlxc_sub(ctx, b, a) : rlxc_sub(ctx, a, b);
    if (!is_corner(&c, strict ? rlxc_sub(ctx, e, rlxc_i64(ctx, 1)) : e) &&
        !(equal && is_corner(&c, rlxc_sub(ctx, a, b))))
        return cond;
    for (uint32_t i = 0; i < at->n; i++)
        at->once[i] = c.once[i] != RLXC_EACH_TURN ? c.once[i] : at->once[i];
    return NULL;
}

typedef struct stored_in {
    rlxc_context *ctx;
    const rlxc_stmt *stmt;
} stored_in;

/* For rlxc_expr_visit: true if no part loads what the statement changes. */
static bool is_not_stored(void *user, const rlxc_expr *e)
{
    const stored_in *s = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return true;
    const rlxc_buffer_use use = rlxc_use_of(s->ctx, s->stmt, e->load.buffer);
    return use.stores == 0 && !rlxc_is_opaque(&use);
}

/* The statements of |seq| from its let |i| on, with the value for the name. */
static bool collect_from_let(rlxc_context *ctx, const rlxc_stmt *seq, uint32_t i, path *at,
                             rlxc_nests *out)
{
    const rlxc_stmt *let = seq->seq.items[i];
    renaming r = {.ctx = ctx, .from = {let->let.var}, .to = {let->let.value}, .n = 1};
    const rlxc_stmt_rewriter rewriter = {.user = &r, .expr = renamed};
    if (!rlxc_may_move(ctx, let->let.value) || i + 1 == seq->seq.n)
        return false;
    const rlxc_stmt *rest = rlxc_stmt_seq(ctx, seq->seq.items + i + 1, seq->seq.n - i - 1);
    stored_in all = {ctx, rest};
    if (rlxc_expr_visit(ctx, let->let.value, is_not_stored, &all))
        return collect(ctx, rlxc_stmt_rewrite(ctx, rest, &rewriter), at, out);
    const rlxc_stmt *stores[RLXC_BLOCK_STORES]; /* of what is loaded before all of them */
    rest = rlxc_stmt_seq(ctx, seq->seq.items + i, seq->seq.n - i);
    const uint32_t n = rlxc_independent_stores(ctx, rest, stores);
    bool done = n > 0;
    for (uint32_t k = 0; k < n && done; k++)
        done = collect(ctx, stores[k], at, out);
    return done;
}

typedef struct cancelling {
    rlxc_context *ctx;
    const rlxc_expr *canonical;
} cancelling;

static bool remains(void *user, const rlxc_expr *e)
{
    const cancelling *c = user;
    return e->kind != RLXC_EXPR_VAR || rlxc_expr_uses_var(c->ctx, c->canonical, e);
}

/* For rlxc_redirect_stmt: indices without the variables that cancel out in them. */
static void cancel(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const rlxc_redirection *r = user;
    for (uint32_t i = 0; i < r->from->ndim; i++) {
        cancelling c = {r->ctx, rlxc_canonical(r->ctx, at[i], NULL)};
        out[i] = rlxc_expr_visit(r->ctx, at[i], remains, &c) ? at[i] : c.canonical;
    }
}

/* The nest of a store outside of blocks. A loop of which one iteration counts is no reduction. */
static bool collect_store(rlxc_context *ctx, const rlxc_stmt *s, const path *at, rlxc_nests *out)
{
    const rlxc_stmt *loops[RLXC_NEST_LOOPS];
    uint32_t n = 0;
    rlxc_redirection own = {ctx, s->store.buffer, s->store.buffer, cancel, &own, false};
    s = rlxc_store_with(ctx, s, at->vars, at->values, at->n_axes);
    s = rlxc_redirect_stmt(&own, s);
    for (uint32_t i = 0; i < at->n; i++) {
        if (rlxc_stmt_uses_var(ctx, s, at->loops[i]->loop.var) || at->once[i] == RLXC_EACH_TURN)
            loops[n++] = at->loops[i];
    }
    s = rlxc_block_around(ctx, s, loops, n);
    return s && collect_simple(ctx, s, at, out);
}

/* |s| with the numbers of the iterations that |at| has for loops, and |outside| has not. */
static const rlxc_stmt *in_turns(rlxc_context *ctx, const rlxc_stmt *s, const path *outside,
                                 const path *at)
{
    renaming r = {.ctx = ctx};
    const rlxc_stmt_rewriter rewriter = {.user = &r, .expr = renamed};
    for (uint32_t i = 0; i < at->n; i++) {
        const rlxc_stmt *loop = at->loops[i];
        const rlx_dtype t = loop->loop.var->dtype;
        if (at->once[i] == outside->once[i])
            continue;
        r.from[r.n] = loop->loop.var;
        r.to[r.n++] = at->once[i] == RLXC_FIRST_TURN
                          ? rlxc_int(ctx, t, 0)
                          : rlxc_cast(ctx, t,
                                      rlxc_sub(ctx, loop->loop.extent,
                                               rlxc_int(ctx, loop->loop.extent->dtype, 1)));
    }
    return r.n == 0 ? s : rlxc_stmt_rewrite(ctx, s, &rewriter);
}

static bool collect(rlxc_context *ctx, const rlxc_stmt *s, path *at, rlxc_nests *out)
{
    const rlxc_stmt *extreme = rlxc_extreme(ctx, s);
    s = extreme ? extreme : s;
    if (s->kind == RLXC_STMT_FOR) {
        if (at->n == RLXC_NEST_LOOPS)
            return false;
        for (uint32_t k = 0; k < at->n_axes; k++)
            if (rlxc_expr_uses_var(ctx, s->loop.extent, at->vars[k]))
                return false;
        at->once[at->n] = RLXC_EACH_TURN;
        at->loops[at->n++] = s;
        bool done = collect(ctx, s->loop.body, at, out);
        at->n--;
        return done;
    }
    if (s->kind == RLXC_STMT_SEQ) {
        for (uint32_t i = 0; i < s->seq.n; i++) {
            if (s->seq.items[i]->kind == RLXC_STMT_LET)
                return collect_from_let(ctx, s, i, at, out);
            if (!collect(ctx, s->seq.items[i], at, out))
                return false;
        }
        return true;
    }
    if (rlxc_stmt_is_nothing(s))
        return true;
    if (s->kind == RLXC_STMT_IF && !s->if_.otherwise) {
        path inside = *at;
        inside.cond =
            both(ctx, at->cond, without_once(ctx, &inside, outside(ctx, at, s->if_.cond)));
        return collect(ctx, in_turns(ctx, s->if_.then, at, &inside), &inside, out);
    }
    if (s->kind == RLXC_STMT_STORE) {
        if (rlxc_stores_vector(s))
            return (s = rlxc_lane_loop(ctx, s)) && collect(ctx, s, at, out);
        return collect_store(ctx, s, at, out);
    }
    return s->kind == RLXC_STMT_BLOCK &&
           (collect_simple(ctx, s, at, out) || collect_inside(ctx, s, at, out));
}

bool rlxc_take_apart(rlxc_context *ctx, const rlxc_stmt *stmt, rlxc_nests *out)
{
    path at = {.n = 0};
    return collect(ctx, stmt, &at, out);
}

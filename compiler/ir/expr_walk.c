/* Walking expressions: rewriting, substitution, visiting. Expressions are DAGs of limited depth, so
 * walks recurse, and memoise, which makes them linear in the number of nodes. */
#include "compiler/ir/expr_state.h"

#include <string.h>

enum {
    MEMO_DEPTH = 4, /* up to this depth, walking again is cheaper than memoising */
    SCRATCH_KEPT = 1024,
    FEW_VARS = 8
};

rlxc_map rlxc_scratch_take(rlxc_context *ctx)
{
    rlxc_expr_pool *pool = rlxc_pool(ctx);
    return pool->n_scratch ? pool->scratch[--pool->n_scratch] : (rlxc_map){0};
}

void rlxc_scratch_give(rlxc_context *ctx, rlxc_map *map)
{
    rlxc_expr_pool *pool = rlxc_pool(ctx);
    if (map->capacity == 0 || map->capacity > SCRATCH_KEPT || pool->n_scratch == RLXC_SCRATCH_MAPS)
        return; /* clearing a large one costs more than making another */
    if (map->count)
        memset(map->values, 0, map->capacity * sizeof *map->values);
    map->count = 0;
    pool->scratch[pool->n_scratch++] = *map;
}

typedef struct rewriter {
    rlxc_context *ctx;
    rlxc_expr_fn leaf;
    void *user;
    rlxc_map memo; /* expr -> its rewriting */
    bool every;    /* |leaf| is asked about every node */
} rewriter;

static const rlxc_expr *rewrite(rewriter *rw, const rlxc_expr *e);

/* The rewritten list: |items| itself when nothing changed. */
static const rlxc_expr *const *rewrite_list(rewriter *rw, const rlxc_expr *const *items, uint32_t n)
{
    const rlxc_expr **changed = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *item = rewrite(rw, items[i]);
        if (item != items[i] && !changed) {
            changed = rlxc_alloc(rw->ctx, n * sizeof *changed);
            for (uint32_t j = 0; j < i; j++)
                changed[j] = items[j];
        }
        if (changed)
            changed[i] = item;
    }
    return changed ? changed : items;
}

static const rlxc_expr *rewrite_children(rewriter *rw, const rlxc_expr *e)
{
    rlxc_context *ctx = rw->ctx;
    if (rlxc_is_binary(e)) {
        const rlxc_expr *a = rewrite(rw, e->bin.a), *b = rewrite(rw, e->bin.b);
        return a == e->bin.a && b == e->bin.b ? e : rlxc_binary(ctx, (rlxc_expr_kind)e->kind, a, b);
    }
    if (e->kind == RLXC_EXPR_NOT) {
        const rlxc_expr *a = rewrite(rw, e->bin.a);
        return a == e->bin.a ? e : rlxc_not(ctx, a);
    }
    if (e->kind == RLXC_EXPR_CAST) {
        const rlxc_expr *a = rewrite(rw, e->bin.a);
        return a == e->bin.a ? e : rlxc_cast(ctx, e->dtype, a);
    }
    if (e->kind == RLXC_EXPR_SELECT) {
        const rlxc_expr *cond = rewrite(rw, e->select.cond);
        const rlxc_expr *yes = rewrite(rw, e->select.yes), *no = rewrite(rw, e->select.no);
        if (cond == e->select.cond && yes == e->select.yes && no == e->select.no)
            return e;
        return rlxc_select(ctx, cond, yes, no);
    }
    if (e->kind == RLXC_EXPR_LOAD) {
        const rlxc_expr *const *indices = rewrite_list(rw, e->load.indices, e->load.n);
        return indices == e->load.indices ? e : rlxc_load(ctx, e->load.buffer, indices, e->load.n);
    }
    if (e->kind == RLXC_EXPR_CALL) {
        const rlxc_expr *const *args = rewrite_list(rw, e->call.args, e->call.n);
        return args == e->call.args ? e : rlxc_call(ctx, e->dtype, e->call.name, args, e->call.n);
    }
    if (e->kind == RLXC_EXPR_LET) {
        /* A bound variable may be renamed, but not be replaced by a value. */
        const rlxc_expr *var = rw->leaf(rw->user, e->let.var);
        if (!var || var->kind != RLXC_EXPR_VAR)
            var = e->let.var;
        const rlxc_expr *value = rewrite(rw, e->let.value), *body = rewrite(rw, e->let.body);
        if (var == e->let.var && value == e->let.value && body == e->let.body)
            return e;
        return rlxc_let(ctx, var, value, body);
    }
    if (e->kind == RLXC_EXPR_RAMP) {
        const rlxc_expr *base = rewrite(rw, e->ramp.base), *stride = rewrite(rw, e->ramp.stride);
        if (base == e->ramp.base && stride == e->ramp.stride)
            return e;
        return rlxc_ramp(ctx, base, stride, e->ramp.lanes);
    }
    if (e->kind == RLXC_EXPR_BROADCAST) {
        const rlxc_expr *value = rewrite(rw, e->ramp.base);
        return value == e->ramp.base ? e : rlxc_broadcast(ctx, value, e->ramp.lanes);
    }
    return e;
}

static const rlxc_expr *rewrite(rewriter *rw, const rlxc_expr *e)
{
    if (rlxc_out_of_memory(rw->ctx))
        return e; /* a memo that cannot grow would not keep the walk linear */
    if (e->kind == RLXC_EXPR_VAR) {
        const rlxc_expr *replaced = rw->leaf(rw->user, e);
        return replaced ? replaced : e;
    }
    const bool asked = rw->every || e->kind == RLXC_EXPR_LOAD;
    const bool remember = e->depth > MEMO_DEPTH || asked;
    if (remember) {
        const rlxc_expr *known = rlxc_map_get(&rw->memo, rlxc_key(e));
        if (known)
            return known;
    }
    const rlxc_expr *result = asked ? rw->leaf(rw->user, e) : NULL;
    if (!result)
        result = rewrite_children(rw, e);
    if (remember)
        rlxc_map_set(rw->ctx, &rw->memo, rlxc_key(e), (void *)(uintptr_t)result);
    return result;
}

static const rlxc_expr *rewrite_with(rlxc_context *ctx, const rlxc_expr *e, rlxc_expr_fn fn,
                                     void *user, bool every)
{
    rewriter rw = {
        .ctx = ctx, .leaf = fn, .user = user, .memo = rlxc_scratch_take(ctx), .every = every};
    const rlxc_expr *result = rewrite(&rw, e);
    rlxc_scratch_give(ctx, &rw.memo);
    return result;
}

const rlxc_expr *rlxc_expr_rewrite(rlxc_context *ctx, const rlxc_expr *e, rlxc_expr_fn leaf,
                                   void *user)
{
    return rewrite_with(ctx, e, leaf, user, false);
}

const rlxc_expr *rlxc_expr_rewrite_all(rlxc_context *ctx, const rlxc_expr *e, rlxc_expr_fn node,
                                       void *user)
{
    return rewrite_with(ctx, e, node, user, true);
}

typedef struct substitution {
    const rlxc_expr *const *vars;
    const rlxc_expr *const *values;
    uint32_t n;
    rlxc_map index; /* used for more than FEW_VARS: var -> value */
} substitution;

static const rlxc_expr *substitute_leaf(void *user, const rlxc_expr *e)
{
    const substitution *s = user;
    if (e->kind != RLXC_EXPR_VAR)
        return NULL;
    if (s->n > FEW_VARS)
        return rlxc_map_get(&s->index, rlxc_key(e));
    for (uint32_t i = 0; i < s->n; i++)
        if (s->vars[i] == e)
            return s->values[i];
    return NULL;
}

const rlxc_expr *rlxc_substitute(rlxc_context *ctx, const rlxc_expr *e,
                                 const rlxc_expr *const *vars, const rlxc_expr *const *values,
                                 uint32_t n)
{
    if (n == 0 || e->kind == RLXC_EXPR_INT || e->kind == RLXC_EXPR_FLOAT)
        return e;
    substitution s = {.vars = vars, .values = values, .n = n};
    if (n > FEW_VARS) {
        s.index = rlxc_scratch_take(ctx);
        for (uint32_t i = n; i-- > 0;) /* the first of duplicate variables wins, as in the loop
                                        * above */
            rlxc_map_set(ctx, &s.index, rlxc_key(vars[i]), (void *)(uintptr_t)values[i]);
    }
    const rlxc_expr *result = rlxc_expr_rewrite(ctx, e, substitute_leaf, &s);
    if (n > FEW_VARS)
        rlxc_scratch_give(ctx, &s.index);
    return result;
}

typedef struct visitor {
    rlxc_context *ctx;
    rlxc_expr_visit_fn visit;
    void *user;
    rlxc_map seen;
} visitor;

static bool visit(visitor *v, const rlxc_expr *e);

static bool visit_list(visitor *v, const rlxc_expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!visit(v, items[i]))
            return false;
    return true;
}

static bool visit_children(visitor *v, const rlxc_expr *e)
{
    if (rlxc_is_binary(e))
        return visit(v, e->bin.a) && visit(v, e->bin.b);
    if (e->kind == RLXC_EXPR_NOT || e->kind == RLXC_EXPR_CAST)
        return visit(v, e->bin.a);
    if (e->kind == RLXC_EXPR_SELECT)
        return visit(v, e->select.cond) && visit(v, e->select.yes) && visit(v, e->select.no);
    if (e->kind == RLXC_EXPR_LOAD)
        return visit_list(v, e->load.indices, e->load.n);
    if (e->kind == RLXC_EXPR_CALL)
        return visit_list(v, e->call.args, e->call.n);
    if (e->kind == RLXC_EXPR_LET)
        return visit(v, e->let.var) && visit(v, e->let.value) && visit(v, e->let.body);
    if (e->kind == RLXC_EXPR_RAMP)
        return visit(v, e->ramp.base) && visit(v, e->ramp.stride);
    if (e->kind == RLXC_EXPR_BROADCAST)
        return visit(v, e->ramp.base);
    return true;
}

static bool visit(visitor *v, const rlxc_expr *e)
{
    if (rlxc_out_of_memory(v->ctx))
        return false; /* the set of seen nodes could not grow */
    if (rlxc_map_get(&v->seen, rlxc_key(e)))
        return true;
    rlxc_map_set(v->ctx, &v->seen, rlxc_key(e), (void *)(uintptr_t)e);
    return visit_children(v, e) && v->visit(v->user, e);
}

bool rlxc_expr_visit(rlxc_context *ctx, const rlxc_expr *e, rlxc_expr_visit_fn visit_node,
                     void *user)
{
    if (e->depth == 1)
        return visit_node(user, e);
    visitor v = {.ctx = ctx, .visit = visit_node, .user = user, .seen = rlxc_scratch_take(ctx)};
    bool all = visit(&v, e);
    rlxc_scratch_give(ctx, &v.seen);
    return all;
}

static bool differs(void *user, const rlxc_expr *e)
{
    return e != user;
}

bool rlxc_expr_uses_var(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr *var)
{
    if (e->id < var->id) /* a node's id is greater than that of any node in it */
        return false;
    return !rlxc_expr_visit(ctx, e, differs, (void *)(uintptr_t)var);
}

static bool is_no_load(void *user, const rlxc_expr *e)
{
    (void)user;
    return e->kind != RLXC_EXPR_LOAD;
}

bool rlxc_expr_loads(rlxc_context *ctx, const rlxc_expr *e)
{
    return !rlxc_expr_visit(ctx, e, is_no_load, NULL);
}

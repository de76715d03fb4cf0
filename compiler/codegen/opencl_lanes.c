/* Vectors -> lanes: each statement with vectors becomes one for each lane, unless OpenCL C has its
 * vectors (opencl_vectors.c). A store that replaces
 * what another lane reads computes all values first; a condition of several lanes guards each
 * lane's access of its own. */
#include <string.h>

#include "compiler/codegen/opencl.h"

enum { MAX_LANES = 256 };

typedef struct lanes {
    rlxc_context *ctx;
    const rlxc_prim_func *f;
    rlxc_range range;
    const rlxc_expr *mask; /* of the vector accesses here; NULL: none */
    rlxc_map vars;         /* variable of a vector -> array of variables */
    bool keeps;            /* stores that rlxc_cl_keeps_vectors likes keep theirs */
    bool bad;
} lanes;

static rlx_dtype scalar(rlx_dtype t)
{
    t.lanes = 1;
    return t;
}

static const rlxc_expr *lane(lanes *l, const rlxc_expr *e, uint32_t at);

static const rlxc_expr *problem(lanes *l, const rlxc_expr *e, const char *what)
{
    if (!l->bad)
        rlxc_error(l->ctx, l->range, "%s: %s", l->f->name, what);
    l->bad = true;
    return rlxc_dtype_is_float(e->dtype) ? rlxc_float(l->ctx, scalar(e->dtype), 0)
                                         : rlxc_int(l->ctx, RLX_I32, 0);
}

static const rlxc_intrinsic *row_of(const rlxc_expr *e)
{
    return rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
}

/* Lane |index| of |n| vectors laid end to end. */
static const rlxc_expr *pick(lanes *l, const rlxc_expr *e, const rlxc_expr *const *from, uint32_t n,
                             int64_t index)
{
    for (uint32_t i = 0; i < n && index >= 0; i++) {
        if (index < from[i]->dtype.lanes)
            return lane(l, from[i], (uint32_t)index);
        index -= from[i]->dtype.lanes;
    }
    return problem(l, e, "a lane is out of range");
}

static const rlxc_expr *of_call(lanes *l, const rlxc_expr *e, uint32_t at)
{
    const rlxc_expr *const *a = e->call.args;
    const rlxc_intrinsic *row = row_of(e);
    int64_t n = 0, index = 0;
    if (row && row->index == RLXC_INTRINSIC_Shuffle) {
        if (!rlxc_is_int(a[0], &n) || n < 1 || n >= (int64_t)e->call.n - 1 - (int64_t)at ||
            !rlxc_is_int(a[1 + n + at], &index))
            return problem(l, e, "T.Shuffle needs vectors and constant lanes");
        return pick(l, e, a + 1, (uint32_t)n, index);
    }
    if (row &&
        (row->index == RLXC_INTRINSIC_vectorlow || row->index == RLXC_INTRINSIC_vectorcombine))
        return pick(l, e, a, e->call.n, at);
    if (row && row->index == RLXC_INTRINSIC_vectorhigh)
        return pick(l, e, a, e->call.n, (int64_t)a[0]->dtype.lanes - e->dtype.lanes + at);
    const rlxc_expr **args = rlxc_try_alloc(l->ctx, (size_t)e->call.n + 1, sizeof *args);
    for (uint32_t i = 0; args && i < e->call.n; i++)
        args[i] = lane(l, a[i], at);
    return args ? rlxc_call(l->ctx, scalar(e->dtype), e->call.name, args, e->call.n) : e;
}

static const rlxc_expr *of_load(lanes *l, const rlxc_expr *e, uint32_t at)
{
    const rlxc_expr **indices = rlxc_try_alloc(l->ctx, (size_t)e->load.n + 1, sizeof *indices);
    if (e->load.buffer->dtype.lanes > 1)
        return problem(l, e, "a buffer has vectors as elements");
    for (uint32_t i = 0; indices && i < e->load.n; i++)
        indices[i] = lane(l, e->load.indices[i], at);
    return indices ? rlxc_load(l->ctx, e->load.buffer, indices, e->load.n) : e;
}

static const rlxc_expr *const *vars_of(lanes *l, const rlxc_expr *var)
{
    const rlxc_expr **vars = rlxc_map_get(&l->vars, rlxc_key(var));
    if (vars)
        return vars;
    vars = rlxc_try_alloc(l->ctx, var->dtype.lanes, sizeof *vars);
    for (uint32_t i = 0; vars && i < var->dtype.lanes; i++)
        vars[i] = rlxc_var(l->ctx, var->var.name, scalar(var->dtype));
    rlxc_map_set(l->ctx, &l->vars, rlxc_key(var), vars);
    return vars;
}

static const rlxc_expr *vector_node(lanes *l, const rlxc_expr *e, uint32_t at)
{
    rlxc_context *ctx = l->ctx;
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_RAMP:
        return rlxc_add(ctx, e->ramp.base,
                        rlxc_mul(ctx, e->ramp.stride, rlxc_int(ctx, e->ramp.stride->dtype, at)));
    case RLXC_EXPR_BROADCAST:
        return lane(l, e->ramp.base, 0);
    case RLXC_EXPR_VAR: {
        const rlxc_expr *const *vars = vars_of(l, e);
        return vars ? vars[at] : e;
    }
    case RLXC_EXPR_LOAD:
        return of_load(l, e, at);
    case RLXC_EXPR_CALL:
        return of_call(l, e, at);
    case RLXC_EXPR_CAST:
        return rlxc_cast(ctx, scalar(e->dtype), lane(l, e->bin.a, at));
    case RLXC_EXPR_NOT:
        return rlxc_not(ctx, lane(l, e->bin.a, at));
    case RLXC_EXPR_SELECT:
        return rlxc_select(ctx, lane(l, e->select.cond, at), lane(l, e->select.yes, at),
                           lane(l, e->select.no, at));
    case RLXC_EXPR_LET: {
        const rlxc_expr *var = e->let.var, *value = lane(l, e->let.value, at);
        if (var->dtype.lanes > 1 && vars_of(l, var))
            var = vars_of(l, var)[at];
        return rlxc_let(ctx, var, value, lane(l, e->let.body, at));
    }
        RLXC_BINARY_EXPRS(RLXC_EXPR_CASE)
        return rlxc_binary(ctx, (rlxc_expr_kind)e->kind, lane(l, e->bin.a, at),
                           lane(l, e->bin.b, at));
    case RLXC_EXPR_INT:
    case RLXC_EXPR_FLOAT:
    case RLXC_EXPR_STRING:
        break;
    }
    return problem(l, e, "a constant has lanes");
}

/* A number that is taken out of a vector is a lane itself. */
static const rlxc_expr *take_lane(void *user, const rlxc_expr *e)
{
    const rlxc_intrinsic *row = e->kind == RLXC_EXPR_CALL && e->dtype.lanes == 1 ? row_of(e) : NULL;
    if (!row ||
        (row->index != RLXC_INTRINSIC_Shuffle && row->index != RLXC_INTRINSIC_vectorlow &&
         row->index != RLXC_INTRINSIC_vectorhigh && row->index != RLXC_INTRINSIC_vectorcombine))
        return NULL;
    return of_call(user, e, 0);
}

static const rlxc_expr *take_lanes(void *user, const rlxc_expr *e)
{
    const lanes *l = user;
    return rlxc_expr_rewrite_all(l->ctx, e, take_lane, user);
}

/* Lane |at| of |e|; a scalar is the same in all lanes. */
static const rlxc_expr *lane(lanes *l, const rlxc_expr *e, uint32_t at)
{
    if (l->bad || rlxc_failed(l->ctx))
        return e;
    if (e->dtype.lanes > MAX_LANES || at >= MAX_LANES)
        return problem(l, e, "a vector has too many lanes");
    if (e->dtype.lanes > 1)
        return vector_node(l, e, at);
    return take_lanes(l, e);
}

/* --- statements ------------------------------------------------------------------------------- */

typedef struct list {
    RLXC_VEC(const rlxc_stmt *) items;
} list;

static const rlxc_stmt *sequence(lanes *l, const list *all)
{
    return rlxc_stmt_seq(l->ctx, all->items.items, all->items.count);
}

static const rlxc_stmt *guard(lanes *l, uint32_t n, uint32_t at, const rlxc_stmt *s)
{
    if (!l->mask || l->mask->dtype.lanes != n)
        return s;
    return rlxc_stmt_if(l->ctx, lane(l, l->mask, at), s, NULL);
}

static uint32_t lanes_of(const rlxc_stmt *s)
{
    uint32_t n = s->store.value->dtype.lanes;
    for (uint32_t i = 0; i < s->store.n; i++)
        if (s->store.indices[i]->dtype.lanes > n)
            n = s->store.indices[i]->dtype.lanes;
    return n;
}

typedef struct alias_search {
    const rlxc_buffer *buffer;
    bool found;
} alias_search;

static bool reads_it(void *user, const rlxc_expr *e)
{
    alias_search *u = user;
    u->found = u->found || (e->kind == RLXC_EXPR_LOAD && e->load.buffer->data == u->buffer->data);
    return !u->found;
}

static const rlxc_stmt *store(lanes *l, const rlxc_stmt *s)
{
    const uint32_t n = lanes_of(s);
    list first = {0}, all = {0};
    if (n <= 1 || (!l->mask && l->keeps && rlxc_cl_keeps_vectors(l->ctx, s)))
        return s;
    if (s->store.buffer->dtype.lanes > 1 || n > MAX_LANES) {
        problem(l, s->store.value, "a buffer has vectors as elements");
        return s;
    }
    alias_search u = {s->store.buffer, l->mask != NULL};
    if (!u.found)
        rlxc_expr_visit(l->ctx, s->store.value, reads_it, &u);
    else
        u.found = false; /* under a mask a value may exist in its lane alone */
    for (uint32_t i = 0; i < n && !l->bad; i++) {
        const rlxc_expr **indices = rlxc_try_alloc(l->ctx, (size_t)s->store.n + 1, sizeof *indices);
        for (uint32_t k = 0; indices && k < s->store.n; k++)
            indices[k] = lane(l, s->store.indices[k], i);
        const rlxc_expr *value = lane(l, s->store.value, i);
        if (!indices)
            return s;
        if (u.found) {
            const rlxc_expr *var = rlxc_var_for(l->ctx, "lane", value);
            RLXC_PUSH(l->ctx, &first.items, rlxc_stmt_let(l->ctx, var, value));
            value = var;
        }
        const rlxc_stmt *one = rlxc_stmt_store(l->ctx, s->store.buffer, indices, s->store.n, value);
        RLXC_PUSH(l->ctx, &all.items, guard(l, n, i, one));
    }
    for (uint32_t i = 0; i < all.items.count; i++)
        RLXC_PUSH(l->ctx, &first.items, all.items.items[i]);
    return sequence(l, &first);
}

static const rlxc_stmt *let(lanes *l, const rlxc_stmt *s)
{
    const uint32_t n = s->let.var->dtype.lanes;
    list all = {0};
    if (n <= 1 || n > MAX_LANES)
        return s;
    const rlxc_expr *const *vars = vars_of(l, s->let.var);
    for (uint32_t i = 0; vars && i < n; i++)
        RLXC_PUSH(l->ctx, &all.items, rlxc_stmt_let(l->ctx, vars[i], lane(l, s->let.value, i)));
    return sequence(l, &all);
}

/* T.check_index of a vector: of each lane. */
static const rlxc_stmt *evaluate(lanes *l, const rlxc_stmt *s)
{
    const rlxc_expr *e = s->evaluate;
    uint32_t n = e->dtype.lanes;
    list all = {0};
    for (uint32_t i = 0; e->kind == RLXC_EXPR_CALL && i < e->call.n; i++)
        if (e->call.args[i]->dtype.lanes > n)
            n = e->call.args[i]->dtype.lanes;
    if (n <= 1)
        return s;
    for (uint32_t i = 0; i < n && !l->bad; i++)
        RLXC_PUSH(l->ctx, &all.items, guard(l, n, i, rlxc_stmt_evaluate(l->ctx, of_call(l, e, i))));
    return sequence(l, &all);
}

static const rlxc_stmt *walk(lanes *l, const rlxc_stmt *s);

static const rlxc_stmt *masked(lanes *l, const rlxc_stmt *s)
{
    const rlxc_expr *outer = l->mask, *any = NULL;
    const uint32_t n = s->if_.cond->dtype.lanes;
    if (s->if_.otherwise || (outer && outer->dtype.lanes != n) || n > MAX_LANES) {
        problem(l, s->if_.cond, "a vector condition cannot have an else branch");
        return s;
    }
    l->mask = outer ? rlxc_binary(l->ctx, RLXC_EXPR_AND, outer, s->if_.cond) : s->if_.cond;
    for (uint32_t i = 0; i < n && !l->bad; i++) {
        const rlxc_expr *one = lane(l, l->mask, i);
        any = any ? rlxc_binary(l->ctx, RLXC_EXPR_OR, any, one) : one;
    }
    const rlxc_stmt *body = walk(l, s->if_.then);
    l->mask = outer;
    return any ? rlxc_stmt_if(l->ctx, any, body, NULL) : body;
}

static const rlxc_stmt *walk(lanes *l, const rlxc_stmt *s)
{
    rlxc_stmt *out = NULL;
    list all = {0};
    if (l->bad || rlxc_failed(l->ctx))
        return s;
    if (s->range.line)
        l->range = s->range;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n; i++)
            RLXC_PUSH(l->ctx, &all.items, walk(l, s->seq.items[i]));
        return sequence(l, &all);
    case RLXC_STMT_FOR:
        out = rlxc_copy(l->ctx, s, sizeof *s);
        out->loop.body = walk(l, s->loop.body);
        return out;
    case RLXC_STMT_WHILE:
        out = rlxc_copy(l->ctx, s, sizeof *s);
        out->while_.body = walk(l, s->while_.body);
        return out;
    case RLXC_STMT_IF:
        if (s->if_.cond->dtype.lanes > 1)
            return masked(l, s);
        out = rlxc_copy(l->ctx, s, sizeof *s);
        out->if_.then = walk(l, s->if_.then);
        out->if_.otherwise = s->if_.otherwise ? walk(l, s->if_.otherwise) : NULL;
        return out;
    case RLXC_STMT_STORE:
        return store(l, s);
    case RLXC_STMT_LET:
        return let(l, s);
    case RLXC_STMT_EVALUATE:
        return evaluate(l, s);
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        break;
    }
    return s;
}

const rlxc_stmt *rlxc_cl_without_vectors(rlxc_context *ctx, const rlxc_prim_func *f,
                                         const rlxc_stmt *s, bool keeps_some)
{
    lanes l = {.ctx = ctx, .f = f, .range = f->range, .keeps = keeps_some};
    s = rlxc_stmt_rewrite(ctx, s, &(rlxc_stmt_rewriter){.user = &l, .expr = take_lanes});
    return walk(&l, s);
}

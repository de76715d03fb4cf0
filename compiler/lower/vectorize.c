/* Vectorized loops -> vector statements: the loop variable becomes a ramp, and what depends on it a
 * vector expression.
 *
 * Only loops of constant extent whose body is stores (and lets of vectors) of expressions that have
 * a vector form are rewritten: no calls that read memory conditionally, no lanes inside already. A
 * condition that differs between the lanes becomes a vector of bools, a mask: statements under it
 * access memory only in the lanes where it holds, and not at all if it holds in none. All other
 * loops become serial loops, which LLVM vectorises if it can. */
#include "compiler/lower/lower.h"

#include <string.h>

typedef struct vectorizer {
    rlxc_context *ctx;
    const rlxc_expr *var, *ramp;
    uint32_t lanes;
    bool impossible;
    rlxc_map memo;
    rlxc_map lets; /* scalar let variable -> its vector variable */
} vectorizer;

static const rlxc_expr *vec(vectorizer *v, const rlxc_expr *e);

static const rlxc_expr *give_up(vectorizer *v, const rlxc_expr *e)
{
    v->impossible = true;
    return e;
}

static const rlxc_expr *spread(vectorizer *v, const rlxc_expr *e)
{
    return e->dtype.lanes > 1 ? e : rlxc_broadcast(v->ctx, e, v->lanes);
}

/* ramp // c, ramp % c by a multiple of the lanes, where the ramp begins at such a multiple: all
 * lanes have the quotient of the first, and the remainders stay neighbours. NULL: not so. */
static const rlxc_expr *divided(vectorizer *v, rlxc_expr_kind kind, const rlxc_expr *ramp,
                                const rlxc_expr *by)
{
    rlxc_context *ctx = v->ctx;
    int64_t n;
    if (!rlxc_is_const(ramp->ramp.stride, 1) || !rlxc_is_int(by, &n) || n <= 0 || n % v->lanes != 0)
        return NULL;
    const rlxc_expr *lanes = rlxc_int(ctx, ramp->ramp.base->dtype, v->lanes);
    const rlxc_expr *rest = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, ramp->ramp.base, lanes);
    if (!rlxc_is_const(rlxc_canonical(ctx, rest, NULL), 0))
        return NULL;
    const rlxc_expr *first = rlxc_binary(ctx, kind, ramp->ramp.base, by);
    return kind == RLXC_EXPR_FLOORDIV ? first : rlxc_ramp(ctx, first, ramp->ramp.stride, v->lanes);
}

/* ramp + scalar, ramp * scalar stay ramps, so that accesses keep their stride. */
static const rlxc_expr *vec_binary(vectorizer *v, const rlxc_expr *e)
{
    const rlxc_expr *a = vec(v, e->bin.a), *b = vec(v, e->bin.b);
    rlxc_expr_kind kind = (rlxc_expr_kind)e->kind;
    rlxc_context *ctx = v->ctx;
    if (a == e->bin.a && b == e->bin.b)
        return e;
    bool ramp_a = a->kind == RLXC_EXPR_RAMP && b->dtype.lanes == 1;
    bool ramp_b = b->kind == RLXC_EXPR_RAMP && a->dtype.lanes == 1;
    if (ramp_a && (kind == RLXC_EXPR_ADD || kind == RLXC_EXPR_SUB))
        return rlxc_ramp(ctx, rlxc_binary(ctx, kind, a->ramp.base, b), a->ramp.stride, v->lanes);
    if (ramp_b && kind == RLXC_EXPR_ADD)
        return rlxc_ramp(ctx, rlxc_add(ctx, a, b->ramp.base), b->ramp.stride, v->lanes);
    if (ramp_a && kind == RLXC_EXPR_MUL)
        return rlxc_ramp(ctx, rlxc_mul(ctx, a->ramp.base, b), rlxc_mul(ctx, a->ramp.stride, b),
                         v->lanes);
    if (ramp_b && kind == RLXC_EXPR_MUL)
        return rlxc_ramp(ctx, rlxc_mul(ctx, a, b->ramp.base), rlxc_mul(ctx, a, b->ramp.stride),
                         v->lanes);
    const rlxc_expr *parts =
        a->kind == RLXC_EXPR_RAMP && (kind == RLXC_EXPR_FLOORDIV || kind == RLXC_EXPR_FLOORMOD)
            ? divided(v, kind, a, b)
            : NULL;
    return parts ? parts : rlxc_binary(ctx, kind, spread(v, a), spread(v, b));
}

static const rlxc_expr *vec_list(vectorizer *v, const rlxc_expr *e, const rlxc_expr *const *items,
                                 uint32_t n, bool indices)
{
    const rlxc_expr **out = rlxc_try_alloc(v->ctx, n ? n : 1, sizeof *out);
    bool changed = false;
    if (!out)
        return give_up(v, e);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = vec(v, items[i]);
        changed = changed || out[i] != items[i];
    }
    if (!changed)
        return e;
    if (indices)
        return rlxc_load(v->ctx, e->load.buffer, out, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = spread(v, out[i]);
    rlx_dtype t = e->dtype;
    t.lanes = (uint16_t)v->lanes;
    return rlxc_call(v->ctx, t, e->call.name, out, n);
}

/* True if the taken side reads memory by one vector load, which can be masked. */
static bool reads_by_lane(vectorizer *v, const rlxc_expr *e)
{
    bool reads = false;
    const rlxc_expr *yes = e->call.args[1];
    for (uint32_t i = 0; yes->kind == RLXC_EXPR_LOAD && i < yes->load.n; i++)
        reads = reads || rlxc_expr_loads(v->ctx, yes->load.indices[i]);
    reads = reads || rlxc_expr_loads(v->ctx, e->call.args[2]);
    return !reads && yes->kind == RLXC_EXPR_LOAD && vec(v, yes)->dtype.lanes > 1;
}

/* A choice that is the same for all lanes: one branch, so that the other side is not read. */
static const rlxc_expr *whole_choice(vectorizer *v, const rlxc_expr *e)
{
    const rlxc_expr *sides[2] = {vec(v, e->call.args[1]), vec(v, e->call.args[2])};
    if (sides[0] == e->call.args[1] && sides[1] == e->call.args[2])
        return e;
    const rlxc_expr *args[3] = {e->call.args[0], spread(v, sides[0]), spread(v, sides[1])};
    rlx_dtype t = e->dtype;
    t.lanes = (uint16_t)v->lanes;
    return rlxc_call(v->ctx, t, e->call.name, args, 3);
}

static const rlxc_expr *vec_call(vectorizer *v, const rlxc_expr *e)
{
    if (rlxc_is_choice(e)) {
        const bool reads =
            rlxc_expr_loads(v->ctx, e->call.args[1]) || rlxc_expr_loads(v->ctx, e->call.args[2]);
        const rlxc_expr *cond = vec(v, e->call.args[0]);
        if (reads && cond == e->call.args[0])
            return whole_choice(v, e);
        if (reads && !reads_by_lane(v, e))
            return give_up(v, e);
    }
    for (uint32_t i = 0; i < e->call.n; i++)
        if (e->call.args[i]->kind == RLXC_EXPR_STRING)
            return give_up(v, e);
    return vec_list(v, e, e->call.args, e->call.n, false);
}

/* True if a ramp keeps equal steps when cast to |t|: in a wider type only if no lane has wrapped,
 * as indices never do. */
static bool keeps_steps(const rlxc_expr *ramp, rlx_dtype t)
{
    const rlx_dtype from = ramp->dtype;
    return t.bits <= from.bits || (from.code == RLX_INT && from.bits >= 32 && !ramp->from_memory);
}

static const rlxc_expr *vec_node(vectorizer *v, const rlxc_expr *e)
{
    rlxc_context *ctx = v->ctx;
    rlx_dtype t = e->dtype;
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_VAR: {
        const rlxc_expr *own = rlxc_map_get(&v->lets, rlxc_key(e));
        return e == v->var ? v->ramp : own ? own : e;
    }
    case RLXC_EXPR_INT:
    case RLXC_EXPR_FLOAT:
    case RLXC_EXPR_STRING:
        return e;
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST: {
        const rlxc_expr *a = vec(v, e->bin.a);
        if (a == e->bin.a)
            return e;
        if (e->kind == RLXC_EXPR_NOT)
            return rlxc_not(ctx, a);
        if (a->kind == RLXC_EXPR_RAMP && rlxc_dtype_is_int(t) && keeps_steps(a, t))
            return rlxc_ramp(ctx, rlxc_cast(ctx, t, a->ramp.base),
                             rlxc_cast(ctx, t, a->ramp.stride), v->lanes);
        t.lanes = (uint16_t)v->lanes;
        return rlxc_cast(ctx, t, a);
    }
    case RLXC_EXPR_SELECT: {
        const rlxc_expr *c = vec(v, e->select.cond), *y = vec(v, e->select.yes),
                        *n = vec(v, e->select.no);
        if (c == e->select.cond && y == e->select.yes && n == e->select.no)
            return e;
        return rlxc_select(ctx, spread(v, c), spread(v, y), spread(v, n));
    }
    case RLXC_EXPR_LOAD:
        return vec_list(v, e, e->load.indices, e->load.n, true);
    case RLXC_EXPR_CALL:
        return vec_call(v, e);
    case RLXC_EXPR_LET:
    case RLXC_EXPR_RAMP:
    case RLXC_EXPR_BROADCAST:
        return give_up(v, e);
        RLXC_BINARY_EXPRS(RLXC_EXPR_CASE)
        return vec_binary(v, e);
    }
    return give_up(v, e);
}

static const rlxc_expr *vec(vectorizer *v, const rlxc_expr *e)
{
    if (v->impossible || e->dtype.lanes > 1)
        return give_up(v, e);
    const rlxc_expr *known = rlxc_map_get(&v->memo, rlxc_key(e));
    if (known)
        return known;
    const rlxc_expr *out = vec_node(v, e);
    rlxc_map_set(v->ctx, &v->memo, rlxc_key(e), (void *)(uintptr_t)out);
    return out;
}

static const rlxc_stmt *vec_stmt(vectorizer *v, const rlxc_stmt *s)
{
    if (s->kind == RLXC_STMT_SEQ) {
        const rlxc_stmt **items = rlxc_try_alloc(v->ctx, s->seq.n + 1, sizeof *items);
        for (uint32_t i = 0; items && i < s->seq.n; i++)
            items[i] = vec_stmt(v, s->seq.items[i]);
        return items ? rlxc_stmt_seq(v->ctx, items, s->seq.n) : s;
    }
    rlxc_stmt *out = rlxc_copy(v->ctx, s, sizeof *out);
    if (s->kind == RLXC_STMT_STORE) {
        const rlxc_expr **indices = rlxc_try_alloc(v->ctx, s->store.n + 1, sizeof *indices);
        bool is_vector = false;
        for (uint32_t i = 0; indices && i < s->store.n; i++) {
            indices[i] = vec(v, s->store.indices[i]);
            is_vector = is_vector || indices[i]->dtype.lanes > 1;
        }
        out->store.value = spread(v, vec(v, s->store.value));
        out->store.indices = indices;
        if (!indices || !is_vector) /* every iteration writes the same element */
            v->impossible = true;
        return out;
    }
    if (s->kind == RLXC_STMT_FOR && s->loop.kind != RLXC_LOOP_PARALLEL) {
        out->loop.body = vec_stmt(v, s->loop.body);
        if (vec(v, s->loop.min) != s->loop.min || vec(v, s->loop.extent) != s->loop.extent)
            v->impossible = true;
        return out;
    }
    if (s->kind == RLXC_STMT_IF) {
        out->if_.cond = vec(v, s->if_.cond);
        out->if_.then = vec_stmt(v, s->if_.then);
        if (out->if_.cond == s->if_.cond)
            out->if_.otherwise = s->if_.otherwise ? vec_stmt(v, s->if_.otherwise) : NULL;
        else if (s->if_.otherwise)
            v->impossible = true;
        return out;
    }
    if (s->kind == RLXC_STMT_LET) {
        rlx_dtype t = s->let.var->dtype;
        t.lanes = (uint16_t)v->lanes;
        out->let.value = spread(v, vec(v, s->let.value));
        out->let.var = rlxc_var(v->ctx, s->let.var->var.name, t);
        rlxc_map_set(v->ctx, &v->lets, rlxc_key(s->let.var), (void *)(uintptr_t)out->let.var);
        return out;
    }
    v->impossible = true;
    return s;
}

const rlxc_stmt *rlxc_vectorize_loop(rlxc_context *ctx, const rlxc_stmt *loop)
{
    int64_t extent;
    rlxc_stmt *serial = rlxc_copy(ctx, loop, sizeof *serial);
    serial->loop.kind = RLXC_LOOP_SERIAL;
    if (!rlxc_is_int(loop->loop.extent, &extent) || extent < 2 || extent > 64)
        return serial;
    rlx_dtype t = loop->loop.var->dtype;
    vectorizer v = {.ctx = ctx, .var = loop->loop.var, .lanes = (uint32_t)extent};
    v.ramp = rlxc_ramp(ctx, rlxc_cast(ctx, t, loop->loop.min), rlxc_int(ctx, t, 1), v.lanes);
    const rlxc_stmt *out = vec_stmt(&v, loop->loop.body);
    return v.impossible || rlxc_failed(ctx) ? serial : out;
}

/* Expression constructors: hash-consing and type unification.
 *
 * Every node but a variable is looked up in the pool before it is made, by kind, type and children
 * (children by id, so that hashes do not depend on addresses). Ids grow with creation, so a node's
 * children always have smaller ids. Folding is expr_fold.c, walking is expr_walk.c, the canonical
 * form of integers is sym.c. */
#include "compiler/base/hash.h"
#include "compiler/ir/expr_state.h"

#include <assert.h>
#include <string.h>

rlxc_expr_pool *rlxc_pool(rlxc_context *ctx)
{
    if (!ctx->exprs)
        ctx->exprs = rlxc_alloc(ctx, sizeof *ctx->exprs);
    return ctx->exprs;
}

static rlx_dtype with_lanes(rlx_dtype t, uint32_t lanes)
{
    t.lanes = (uint16_t)lanes;
    return t;
}

/* --- hash-consing ---------------------------------------------------------------------------- */

static uint32_t hash_list(uint32_t h, const rlxc_expr *const *items, uint32_t n)
{
    h = rlxc_hash_u32(h, n);
    for (uint32_t i = 0; i < n; i++)
        h = rlxc_hash_u32(h, items[i]->id);
    return h;
}

static uint32_t hash_text(uint32_t h, const char *text)
{
    return rlxc_hash_bytes(h, text, strlen(text));
}

static uint64_t float_bits(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint32_t node_hash(const rlxc_expr *e)
{
    uint32_t h = rlxc_hash_u32(RLXC_HASH_START, e->kind);
    h = rlxc_hash_u32(h, (uint32_t)e->dtype.code << 24 | (uint32_t)e->dtype.bits << 16 |
                             e->dtype.lanes);
    if (rlxc_is_binary(e))
        return rlxc_hash_u32(rlxc_hash_u32(h, e->bin.a->id), e->bin.b->id);
    if (e->kind == RLXC_EXPR_INT)
        return rlxc_hash_u64(h, (uint64_t)e->i);
    if (e->kind == RLXC_EXPR_FLOAT)
        return rlxc_hash_u64(h, float_bits(e->f));
    if (e->kind == RLXC_EXPR_STRING)
        return hash_text(h, e->s);
    if (e->kind == RLXC_EXPR_NOT || e->kind == RLXC_EXPR_CAST)
        return rlxc_hash_u32(h, e->bin.a->id);
    if (e->kind == RLXC_EXPR_SELECT) {
        h = rlxc_hash_u32(rlxc_hash_u32(h, e->select.cond->id), e->select.yes->id);
        return rlxc_hash_u32(h, e->select.no->id);
    }
    if (e->kind == RLXC_EXPR_LOAD)
        return hash_list(rlxc_hash_u32(h, e->load.buffer->id), e->load.indices, e->load.n);
    if (e->kind == RLXC_EXPR_CALL)
        return hash_list(hash_text(h, e->call.name), e->call.args, e->call.n);
    if (e->kind == RLXC_EXPR_LET) {
        h = rlxc_hash_u32(rlxc_hash_u32(h, e->let.var->id), e->let.value->id);
        return rlxc_hash_u32(h, e->let.body->id);
    }
    h = rlxc_hash_u32(rlxc_hash_u32(h, e->ramp.base->id), e->ramp.lanes);
    return e->ramp.stride ? rlxc_hash_u32(h, e->ramp.stride->id) : h;
}

static bool same_list(const rlxc_expr *const *a, uint32_t n_a, const rlxc_expr *const *b,
                      uint32_t n_b)
{
    if (n_a != n_b)
        return false;
    for (uint32_t i = 0; i < n_a; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static bool same_node(const rlxc_expr *a, const rlxc_expr *b)
{
    if (a->hash != b->hash || a->kind != b->kind || !rlx_dtype_eq(a->dtype, b->dtype))
        return false;
    if (rlxc_is_binary(a))
        return a->bin.a == b->bin.a && a->bin.b == b->bin.b;
    if (a->kind == RLXC_EXPR_INT)
        return a->i == b->i;
    if (a->kind == RLXC_EXPR_FLOAT)
        return float_bits(a->f) == float_bits(b->f); /* -0 and NaN are values of their own */
    if (a->kind == RLXC_EXPR_STRING)
        return a->s == b->s;
    if (a->kind == RLXC_EXPR_NOT || a->kind == RLXC_EXPR_CAST)
        return a->bin.a == b->bin.a;
    if (a->kind == RLXC_EXPR_SELECT)
        return a->select.cond == b->select.cond && a->select.yes == b->select.yes &&
               a->select.no == b->select.no;
    if (a->kind == RLXC_EXPR_LOAD)
        return a->load.buffer == b->load.buffer &&
               same_list(a->load.indices, a->load.n, b->load.indices, b->load.n);
    if (a->kind == RLXC_EXPR_CALL)
        return a->call.name == b->call.name &&
               same_list(a->call.args, a->call.n, b->call.args, b->call.n);
    if (a->kind == RLXC_EXPR_LET)
        return a->let.var == b->let.var && a->let.value == b->let.value &&
               a->let.body == b->let.body;
    return a->ramp.base == b->ramp.base && a->ramp.stride == b->ramp.stride &&
           a->ramp.lanes == b->ramp.lanes;
}

static void pool_grow(rlxc_context *ctx, rlxc_expr_pool *pool)
{
    uint32_t capacity = pool->capacity ? pool->capacity * 2 : 1024;
    const rlxc_expr **slots = pool->capacity ? rlxc_try_alloc(ctx, capacity, sizeof *slots)
                                             : rlxc_alloc(ctx, capacity * sizeof *slots);
    if (!slots)
        return;
    for (uint32_t i = 0; i < pool->capacity; i++) {
        if (!pool->slots[i])
            continue;
        uint32_t at = pool->slots[i]->hash & (capacity - 1);
        while (slots[at])
            at = (at + 1) & (capacity - 1);
        slots[at] = pool->slots[i];
    }
    pool->slots = slots;
    pool->capacity = capacity;
}

static const rlxc_expr *const *copy_list(rlxc_context *ctx, const rlxc_expr *const *items,
                                         uint32_t n)
{
    const rlxc_expr **copy = rlxc_alloc(ctx, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++)
        copy[i] = items[i];
    return copy;
}

/* The pool's node equal to |*e|, made if there is none. Lists are copied then. */
static const rlxc_expr *intern(rlxc_context *ctx, rlxc_expr *e)
{
    rlxc_expr_pool *pool = rlxc_pool(ctx);
    if (pool->count >= pool->capacity / 4 * 3)
        pool_grow(ctx, pool);
    e->hash = node_hash(e);
    uint32_t mask = pool->capacity - 1, at = e->hash & mask;
    for (; pool->slots[at]; at = (at + 1) & mask)
        if (same_node(pool->slots[at], e))
            return pool->slots[at];
    rlxc_expr *node = rlxc_alloc(ctx, sizeof *node);
    *node = *e;
    node->id = pool->next_id++;
    if (e->kind == RLXC_EXPR_LOAD)
        node->load.indices = copy_list(ctx, e->load.indices, e->load.n);
    if (e->kind == RLXC_EXPR_CALL)
        node->call.args = copy_list(ctx, e->call.args, e->call.n);
    /* A table that could not grow keeps one free slot, so that probing ends. */
    if (pool->count + 1 < pool->capacity) {
        pool->slots[at] = node;
        pool->count++;
    }
    return node;
}

static const rlxc_expr *zero_of(rlxc_context *ctx, rlx_dtype dtype)
{
    rlxc_expr zero = {.kind = RLXC_EXPR_INT, .depth = 1, .dtype = dtype};
    if (rlxc_dtype_is_float(dtype))
        zero.kind = RLXC_EXPR_FLOAT;
    if (dtype.lanes <= 1)
        return intern(ctx, &zero);
    zero.dtype.lanes = 1;
    return rlxc_broadcast(ctx, intern(ctx, &zero), dtype.lanes);
}

static void deepen(uint32_t *depth, const rlxc_expr *child)
{
    if (child && child->depth >= *depth)
        *depth = child->depth + 1u;
}

/* True if |e|, which is not a leaf, uses the result of a load or call. */
static bool is_from_memory(const rlxc_expr *e)
{
    if (e->kind == RLXC_EXPR_LOAD || e->kind == RLXC_EXPR_CALL)
        return true;
    if (rlxc_is_binary(e))
        return e->bin.a->from_memory || e->bin.b->from_memory;
    if (e->kind == RLXC_EXPR_NOT || e->kind == RLXC_EXPR_CAST)
        return e->bin.a->from_memory;
    if (e->kind == RLXC_EXPR_SELECT)
        return e->select.yes->from_memory || e->select.no->from_memory;
    if (e->kind == RLXC_EXPR_LET)
        return e->let.value->from_memory || e->let.body->from_memory;
    return e->ramp.base->from_memory || (e->ramp.stride && e->ramp.stride->from_memory);
}

/* Interns |*e| at |depth|, or reports (once) that it is nested too deep. */
static const rlxc_expr *intern_at(rlxc_context *ctx, rlxc_expr *e, uint32_t depth)
{
    if (depth > RLXC_MAX_EXPR_DEPTH) {
        rlxc_expr_pool *pool = rlxc_pool(ctx);
        if (!pool->depth_reported)
            rlxc_error(ctx, (rlxc_range){0}, "expression nested more than %d levels deep",
                       RLXC_MAX_EXPR_DEPTH);
        pool->depth_reported = true;
        return zero_of(ctx, e->dtype);
    }
    e->depth = (uint16_t)depth;
    e->from_memory = is_from_memory(e);
    return intern(ctx, e);
}

/* --- leaves ---------------------------------------------------------------------------------- */

static rlxc_expr *new_var(rlxc_context *ctx, const char *name, rlx_dtype dtype, bool nonneg)
{
    rlxc_expr *e = rlxc_alloc(ctx, sizeof *e);
    e->kind = RLXC_EXPR_VAR;
    e->depth = 1;
    e->dtype = dtype;
    e->id = rlxc_pool(ctx)->next_id++;
    e->hash = rlxc_hash_u32(RLXC_HASH_START, e->id);
    e->var.name = rlxc_intern_cstr(ctx, name);
    e->var.nonneg = nonneg;
    return e;
}

const rlxc_expr *rlxc_var(rlxc_context *ctx, const char *name, rlx_dtype dtype)
{
    return new_var(ctx, name, dtype, false);
}

const rlxc_expr *rlxc_var_for(rlxc_context *ctx, const char *name, const rlxc_expr *of)
{
    rlxc_expr *var = new_var(ctx, name, of->dtype, false);
    var->from_memory = of->from_memory;
    return var;
}

const rlxc_expr *rlxc_shape_var(rlxc_context *ctx, const char *name)
{
    rlxc_expr_pool *pool = rlxc_pool(ctx);
    uint64_t key = rlxc_key(rlxc_intern_cstr(ctx, name));
    if (!rlxc_map_get(&pool->shape_names, key))
        rlxc_map_set(ctx, &pool->shape_names, key, (void *)1);
    return new_var(ctx, name, RLX_I64, true);
}

const rlxc_expr *rlxc_fresh_shape_var(rlxc_context *ctx, const char *hint)
{
    rlxc_expr_pool *pool = rlxc_pool(ctx);
    uint64_t key = rlxc_key(rlxc_intern_cstr(ctx, hint));
    const char *name = hint;
    uintptr_t tried = (uintptr_t)rlxc_map_get(&pool->shape_names, key);
    if (tried > 0) {
        do
            name = rlxc_internf(ctx, "%s_%llu", hint, (unsigned long long)tried++);
        while (rlxc_map_get(&pool->shape_names, rlxc_key(name)) && !rlxc_out_of_memory(ctx));
        rlxc_map_set(ctx, &pool->shape_names, key, (void *)tried);
    }
    return rlxc_shape_var(ctx, name);
}

const rlxc_expr *rlxc_var_like(rlxc_context *ctx, const rlxc_expr *var)
{
    rlxc_expr *e = new_var(ctx, var->var.name, var->dtype, var->var.nonneg);
    e->from_memory = var->from_memory;
    return e;
}

const rlxc_expr *rlxc_int(rlxc_context *ctx, rlx_dtype dtype, int64_t value)
{
    if (dtype.lanes > 1)
        return rlxc_broadcast(ctx, rlxc_int(ctx, with_lanes(dtype, 1), value), dtype.lanes);
    if (rlxc_dtype_is_float(dtype))
        return rlxc_float(ctx, dtype, (double)value);
    rlxc_expr e = {.kind = RLXC_EXPR_INT, .depth = 1, .dtype = dtype};
    e.i = rlxc_wrap_int(dtype, value);
    return intern(ctx, &e);
}

const rlxc_expr *rlxc_i64(rlxc_context *ctx, int64_t value)
{
    return rlxc_int(ctx, RLX_I64, value);
}

const rlxc_expr *rlxc_bool(rlxc_context *ctx, bool value)
{
    return rlxc_int(ctx, RLX_B8, value);
}

const rlxc_expr *rlxc_float(rlxc_context *ctx, rlx_dtype dtype, double value)
{
    if (dtype.lanes > 1)
        return rlxc_broadcast(ctx, rlxc_float(ctx, with_lanes(dtype, 1), value), dtype.lanes);
    rlxc_expr e = {.kind = RLXC_EXPR_FLOAT, .depth = 1, .dtype = dtype};
    if (!rlxc_dtype_is_float(dtype)) { /* a float literal for an integer: made float64, then cast */
        e.dtype = RLX_F64;
        e.f = value;
        return rlxc_cast(ctx, dtype, intern(ctx, &e));
    }
    e.f = rlxc_round_float(dtype, value);
    return intern(ctx, &e);
}

const rlxc_expr *rlxc_string(rlxc_context *ctx, const char *text)
{
    rlxc_expr e = {.kind = RLXC_EXPR_STRING, .depth = 1, .dtype = rlxc_dtype_handle()};
    e.s = rlxc_intern_cstr(ctx, text);
    return intern(ctx, &e);
}

/* --- operators ------------------------------------------------------------------------------- */

static bool is_number(rlx_dtype t)
{
    return rlxc_dtype_is_int(t) || rlxc_dtype_is_bool(t) || rlxc_dtype_is_float(t);
}

/* True if constant |c| takes the type |to| of the other operand. Constants typed as plain Python
 * numbers do if they fit; those of an explicit wider type widen the other side. */
static bool constant_adapts(const rlxc_expr *c, rlx_dtype to)
{
    if (c->kind == RLXC_EXPR_FLOAT)
        return rlxc_dtype_is_float(to) && (c->dtype.bits <= 32 || to.bits == 64);
    if (c->kind != RLXC_EXPR_INT || rlxc_dtype_is_bool(c->dtype) || rlxc_dtype_is_bool(to))
        return false;
    if (rlxc_dtype_is_float(to))
        return true;
    to.lanes = 1;
    return (c->dtype.bits <= 32 || to.bits == 64) && rlxc_wrap_int(to, c->i) == c->i &&
           (c->i >= 0 || to.code == RLX_INT);
}

static rlx_dtype unified(rlx_dtype a, rlx_dtype b)
{
    bool a_float = rlxc_dtype_is_float(a), b_float = rlxc_dtype_is_float(b);
    if (a_float != b_float)
        return a_float ? a : b;
    if (rlxc_dtype_is_bool(a))
        return b;
    if (rlxc_dtype_is_bool(b))
        return a;
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    if (a_float)
        return a.code == b.code ? a : with_lanes(RLX_F32, a.lanes); /* float16 and bfloat16 */
    return a.code == RLX_UINT ? a : b;
}

/* Gives both operands one type and lane count; leaves handles and void alone. */
static void unify(rlxc_context *ctx, const rlxc_expr **a, const rlxc_expr **b)
{
    const rlxc_expr *x = *a, *y = *b;
    if (rlx_dtype_eq(x->dtype, y->dtype) || !is_number(x->dtype) || !is_number(y->dtype))
        return;
    rlx_dtype tx = x->dtype, ty = y->dtype;
    tx.lanes = ty.lanes = 1;
    rlx_dtype to;
    if (rlx_dtype_eq(tx, ty))
        to = tx;
    else if (constant_adapts(x, ty))
        to = ty;
    else if (constant_adapts(y, tx))
        to = tx;
    else
        to = unified(tx, ty);
    x = rlxc_cast(ctx, with_lanes(to, x->dtype.lanes), x);
    y = rlxc_cast(ctx, with_lanes(to, y->dtype.lanes), y);
    if (x->dtype.lanes == 1 && y->dtype.lanes > 1)
        x = rlxc_broadcast(ctx, x, y->dtype.lanes);
    else if (y->dtype.lanes == 1 && x->dtype.lanes > 1)
        y = rlxc_broadcast(ctx, y, x->dtype.lanes);
    *a = x;
    *b = y;
}

/* |e| as a condition: numbers are compared with zero. */
static const rlxc_expr *as_bool(rlxc_context *ctx, const rlxc_expr *e)
{
    if (rlxc_dtype_is_bool(e->dtype) || !is_number(e->dtype))
        return e;
    return rlxc_cast(ctx, with_lanes(RLX_B8, e->dtype.lanes), e);
}

const rlxc_expr *rlxc_binary(rlxc_context *ctx, rlxc_expr_kind kind, const rlxc_expr *a,
                             const rlxc_expr *b)
{
    assert(kind >= RLXC_EXPR_ADD && kind <= RLXC_EXPR_OR);
    bool logical = kind == RLXC_EXPR_AND || kind == RLXC_EXPR_OR;
    if (logical) {
        a = as_bool(ctx, a);
        b = as_bool(ctx, b);
    }
    unify(ctx, &a, &b);
    if (a->dtype.lanes == 1 && rlx_dtype_eq(a->dtype, b->dtype)) {
        const rlxc_expr *folded = rlxc_fold_binary(ctx, kind, a, b);
        if (folded)
            return folded;
    }
    rlxc_expr e = {.kind = (uint8_t)kind, .dtype = a->dtype};
    if (logical || rlxc_is_compare(kind))
        e.dtype = with_lanes(RLX_B8, a->dtype.lanes ? a->dtype.lanes : 1);
    e.bin.a = a;
    e.bin.b = b;
    uint32_t depth = 1;
    deepen(&depth, a);
    deepen(&depth, b);
    return intern_at(ctx, &e, depth);
}

const rlxc_expr *rlxc_add(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(ctx, RLXC_EXPR_ADD, a, b);
}

const rlxc_expr *rlxc_sub(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(ctx, RLXC_EXPR_SUB, a, b);
}

const rlxc_expr *rlxc_mul(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(ctx, RLXC_EXPR_MUL, a, b);
}

const rlxc_expr *rlxc_not(rlxc_context *ctx, const rlxc_expr *a)
{
    a = as_bool(ctx, a);
    if (a->kind == RLXC_EXPR_INT)
        return rlxc_bool(ctx, !a->i);
    if (a->kind == RLXC_EXPR_NOT)
        return a->bin.a;
    rlxc_expr e = {.kind = RLXC_EXPR_NOT, .dtype = a->dtype};
    e.bin.a = a;
    return intern_at(ctx, &e, a->depth + 1u);
}

const rlxc_expr *rlxc_cast(rlxc_context *ctx, rlx_dtype dtype, const rlxc_expr *a)
{
    if (a->dtype.lanes > 1 && dtype.lanes == 1)
        dtype.lanes = a->dtype.lanes;
    if (rlx_dtype_eq(a->dtype, dtype))
        return a;
    if (dtype.lanes > 1 && a->dtype.lanes == 1)
        return rlxc_broadcast(ctx, rlxc_cast(ctx, with_lanes(dtype, 1), a), dtype.lanes);
    if (a->kind == RLXC_EXPR_INT || a->kind == RLXC_EXPR_FLOAT) {
        const rlxc_expr *folded = rlxc_fold_cast(ctx, dtype, a);
        if (folded)
            return folded;
    }
    if (a->kind == RLXC_EXPR_BROADCAST && a->ramp.lanes == dtype.lanes)
        return rlxc_broadcast(ctx, rlxc_cast(ctx, with_lanes(dtype, 1), a->ramp.base), dtype.lanes);
    rlxc_expr e = {.kind = RLXC_EXPR_CAST, .dtype = dtype};
    e.bin.a = a;
    return intern_at(ctx, &e, a->depth + 1u);
}

const rlxc_expr *rlxc_select(rlxc_context *ctx, const rlxc_expr *cond, const rlxc_expr *yes,
                             const rlxc_expr *no)
{
    cond = as_bool(ctx, cond);
    unify(ctx, &yes, &no);
    if (cond->kind == RLXC_EXPR_INT)
        return cond->i ? yes : no;
    rlxc_expr e = {.kind = RLXC_EXPR_SELECT, .dtype = yes->dtype};
    e.select.cond = cond;
    e.select.yes = yes;
    e.select.no = no;
    uint32_t depth = 1;
    deepen(&depth, cond);
    deepen(&depth, yes);
    deepen(&depth, no);
    return intern_at(ctx, &e, depth);
}

const rlxc_expr *rlxc_load(rlxc_context *ctx, const rlxc_buffer *buffer,
                           const rlxc_expr *const *indices, uint32_t n)
{
    rlxc_expr e = {.kind = RLXC_EXPR_LOAD, .dtype = buffer->dtype};
    e.load.buffer = buffer;
    e.load.indices = indices;
    e.load.n = n;
    uint32_t depth = 1;
    for (uint32_t i = 0; i < n; i++) {
        deepen(&depth, indices[i]);
        if (indices[i]->dtype.lanes > 1 && buffer->dtype.lanes == 1) /* a vector of elements */
            e.dtype.lanes = indices[i]->dtype.lanes;
    }
    return intern_at(ctx, &e, depth);
}

const rlxc_expr *rlxc_call(rlxc_context *ctx, rlx_dtype dtype, const char *name,
                           const rlxc_expr *const *args, uint32_t n)
{
    rlxc_expr e = {.kind = RLXC_EXPR_CALL, .dtype = dtype};
    e.call.name = rlxc_intern_cstr(ctx, name);
    e.call.args = args;
    e.call.n = n;
    uint32_t depth = 1;
    for (uint32_t i = 0; i < n; i++)
        deepen(&depth, args[i]);
    return intern_at(ctx, &e, depth);
}

const rlxc_expr *rlxc_pow(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    const rlxc_expr *args[2] = {a, b};
    if (b->kind != RLXC_EXPR_FLOAT || (b->f != 2 && b->f != 3))
        return rlxc_call(ctx, a->dtype, "pow", rlxc_copy(ctx, args, sizeof args), 2);
    const rlxc_expr *square = rlxc_mul(ctx, a, a);
    return b->f == 2 ? square : rlxc_mul(ctx, square, a);
}

const rlxc_expr *rlxc_let(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *value,
                          const rlxc_expr *body)
{
    rlxc_expr e = {.kind = RLXC_EXPR_LET, .dtype = body->dtype};
    e.let.var = var;
    e.let.value = value;
    e.let.body = body;
    uint32_t depth = 2;
    deepen(&depth, value);
    deepen(&depth, body);
    return intern_at(ctx, &e, depth);
}

/* Reports a vector with a lane count that no type has. */
static const rlxc_expr *bad_lanes(rlxc_context *ctx, const rlxc_expr *e, uint32_t lanes)
{
    rlxc_error(ctx, (rlxc_range){0}, "invalid vector type: %u lanes of %s", lanes,
               rlxc_dtype_name(ctx, e->dtype));
    return e;
}

const rlxc_expr *rlxc_ramp(rlxc_context *ctx, const rlxc_expr *base, const rlxc_expr *stride,
                           uint32_t lanes)
{
    if (lanes == 1)
        return base;
    if (lanes == 0 || lanes > UINT16_MAX || base->dtype.lanes != 1)
        return bad_lanes(ctx, base, lanes);
    unify(ctx, &base, &stride);
    rlxc_expr e = {.kind = RLXC_EXPR_RAMP, .dtype = with_lanes(base->dtype, lanes)};
    e.ramp.base = base;
    e.ramp.stride = stride;
    e.ramp.lanes = lanes;
    uint32_t depth = 1;
    deepen(&depth, base);
    deepen(&depth, stride);
    return intern_at(ctx, &e, depth);
}

const rlxc_expr *rlxc_broadcast(rlxc_context *ctx, const rlxc_expr *value, uint32_t lanes)
{
    if (lanes == 1)
        return value;
    if (lanes == 0 || lanes > UINT16_MAX || value->dtype.lanes != 1)
        return bad_lanes(ctx, value, lanes);
    rlxc_expr e = {.kind = RLXC_EXPR_BROADCAST, .dtype = with_lanes(value->dtype, lanes)};
    e.ramp.base = value;
    e.ramp.lanes = lanes;
    return intern_at(ctx, &e, value->depth + 1u);
}

rlxc_buffer *rlxc_buffer_new(rlxc_context *ctx, const char *name, rlx_dtype dtype,
                             const rlxc_expr *const *shape, uint32_t ndim)
{
    rlxc_buffer *buffer = rlxc_alloc(ctx, sizeof *buffer);
    buffer->name = rlxc_intern_cstr(ctx, name);
    buffer->dtype = dtype;
    buffer->shape = copy_list(ctx, shape, ndim);
    buffer->ndim = ndim;
    buffer->data = rlxc_var(ctx, name, rlxc_dtype_handle());
    buffer->scope = rlxc_intern_cstr(ctx, "global");
    buffer->id = ctx->next_id++;
    return buffer;
}

bool rlxc_is_int(const rlxc_expr *e, int64_t *out)
{
    if (e->kind != RLXC_EXPR_INT)
        return false;
    if (out)
        *out = e->i;
    return true;
}

bool rlxc_is_const(const rlxc_expr *e, int64_t value)
{
    return e->kind == RLXC_EXPR_INT && e->i == value;
}

bool rlxc_is_index_map(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_CALL && rlxc_dtype_is_void(e->dtype) &&
           strcmp(e->call.name, "index_map") == 0;
}

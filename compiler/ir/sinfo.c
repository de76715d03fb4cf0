/* Struct info: interning and construction, and the walks that rebuild it.
 *
 * One open-addressing table per context (ctx->sinfos) holds every struct info; two entries are
 * equal when kind, scalars and child pointers are, because children are interned before their
 * parents. Hashes come from ids and contents, never from addresses. Dimensions are canonicalised on
 * the way in, so equal types are equal pointers. A callable is closed: the symbols of its
 * parameters are its own, so collecting and erasing do not look at them. Comparing and matching are
 * in sinfo_relation.c. */
#include "compiler/ir/sinfo.h"

#include <string.h>

#include "compiler/base/context_state.h"
#include "compiler/base/hash.h"
#include "compiler/ir/sym.h"

typedef struct sinfo_table {
    const rlxc_sinfo **slots;
    uint32_t capacity, count; /* capacity: a power of two */
} sinfo_table;

enum {
    FIRST_CAPACITY = 256,
    MAX_ITEMS = 1 << 16 /* fields of a tuple, integers of a shape: a limit that no model reaches */
};

/* Dimensions of scalars and empty shapes: never read, but not NULL, which would mean unknown. */
static const rlxc_expr *const no_dims[1] = {NULL};

static uint32_t dtype_bits(rlx_dtype t)
{
    return (uint32_t)t.code << 24 | (uint32_t)t.bits << 16 | t.lanes;
}

static uint32_t hash_of(const rlxc_sinfo *s)
{
    uint32_t h = rlxc_hash_u32(RLXC_HASH_START, (uint32_t)s->kind);
    h = rlxc_hash_u32(h, dtype_bits(s->dtype));
    h = rlxc_hash_u32(h, s->value ? s->value->id + 1 : 0);
    h = rlxc_hash_u32(h, (uint32_t)s->ndim);
    h = rlxc_hash_u32(h, s->dims != NULL);
    if (s->dims)
        for (int32_t i = 0; i < s->ndim; i++)
            h = rlxc_hash_u32(h, s->dims[i]->id);
    if (s->vdevice)
        h = rlxc_hash_bytes(h, s->vdevice, strlen(s->vdevice));
    h = rlxc_hash_u32(h, s->n_fields);
    for (uint32_t i = 0; i < s->n_fields; i++)
        h = rlxc_hash_u32(h, s->fields[i]->id);
    h = rlxc_hash_u32(h, s->ret ? s->ret->id + 1 : 0);
    return rlxc_hash_u32(h, (uint32_t)s->opaque << 1 | (uint32_t)s->pure);
}

static bool same(const rlxc_sinfo *a, const rlxc_sinfo *b)
{
    if (a->hash != b->hash || a->kind != b->kind || !rlx_dtype_eq(a->dtype, b->dtype) ||
        a->value != b->value || a->ndim != b->ndim || (a->dims == NULL) != (b->dims == NULL) ||
        a->vdevice != b->vdevice || a->n_fields != b->n_fields || a->ret != b->ret ||
        a->opaque != b->opaque || a->pure != b->pure)
        return false;
    if (a->dims)
        for (int32_t i = 0; i < a->ndim; i++)
            if (a->dims[i] != b->dims[i])
                return false;
    for (uint32_t i = 0; i < a->n_fields; i++)
        if (a->fields[i] != b->fields[i])
            return false;
    return true;
}

static sinfo_table *table_of(rlxc_context *ctx)
{
    if (!ctx->sinfos) {
        sinfo_table *t = rlxc_alloc(ctx, sizeof *t);
        t->capacity = FIRST_CAPACITY;
        t->slots = rlxc_alloc(ctx, FIRST_CAPACITY * sizeof(const rlxc_sinfo *));
        ctx->sinfos = t;
    }
    return ctx->sinfos;
}

static const rlxc_sinfo **probe(const sinfo_table *t, const rlxc_sinfo *key)
{
    uint32_t mask = t->capacity - 1;
    uint32_t i = key->hash & mask;
    while (t->slots[i] && !same(t->slots[i], key))
        i = (i + 1) & mask;
    return &t->slots[i];
}

static bool grow(rlxc_context *ctx, sinfo_table *t)
{
    if (t->capacity > UINT32_MAX / 2)
        return false;
    sinfo_table bigger = {.capacity = t->capacity * 2, .count = t->count};
    bigger.slots = rlxc_try_alloc(ctx, bigger.capacity, sizeof(const rlxc_sinfo *));
    if (!bigger.slots)
        return false;
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->slots[i])
            *probe(&bigger, t->slots[i]) = t->slots[i];
    *t = bigger;
    return true;
}

/* Interns |key|. Its arrays stay the caller's; they are copied if the entry is new. */
static const rlxc_sinfo *intern(rlxc_context *ctx, rlxc_sinfo *key)
{
    key->hash = hash_of(key);
    sinfo_table *t = table_of(ctx);
    const rlxc_sinfo **place = probe(t, key);
    if (*place)
        return *place;
    rlxc_sinfo *s = rlxc_copy(ctx, key, sizeof *key);
    if (key->dims && key->ndim > 0)
        s->dims =
            rlxc_copy(ctx, (const void *)key->dims, (size_t)key->ndim * sizeof(const rlxc_expr *));
    if (key->n_fields > 0)
        s->fields =
            rlxc_copy(ctx, (const void *)key->fields, key->n_fields * sizeof(const rlxc_sinfo *));
    s->id = t->count + 1;
    /* Out of memory: the context has failed and the entry stays unshared; one slot is always left
     * free so that probing ends. */
    if ((uint64_t)t->count * 4 >= (uint64_t)t->capacity * 3) {
        if (!grow(ctx, t) && t->count + 1 >= t->capacity)
            return s;
        place = probe(t, key);
    }
    *place = s;
    t->count++;
    return s;
}

const rlxc_sinfo *rlxc_sinfo_object(rlxc_context *ctx)
{
    rlxc_sinfo key = {.kind = RLXC_SINFO_OBJECT, .dtype = rlxc_dtype_void()};
    return intern(ctx, &key);
}

const rlxc_sinfo *rlxc_sinfo_prim(rlxc_context *ctx, rlx_dtype dtype, const rlxc_expr *value)
{
    rlxc_sinfo key = {.kind = RLXC_SINFO_PRIM, .dtype = dtype};
    if (value)
        key.value = rlxc_dtype_is_int(value->dtype) ? rlxc_canonical(ctx, value, NULL) : value;
    return intern(ctx, &key);
}

/* Interns a SHAPE or TENSOR key after making its dimensions canonical int64. */
static const rlxc_sinfo *intern_dims(rlxc_context *ctx, rlxc_sinfo *key, int32_t ndim,
                                     const rlxc_expr *const *dims)
{
    if (ndim > MAX_ITEMS) {
        rlxc_error(ctx, (rlxc_range){0}, "a shape has %d dimensions; at most %d are supported",
                   (int)ndim, (int)MAX_ITEMS);
        ndim = RLXC_UNKNOWN_NDIM;
    }
    key->ndim = ndim < 0 ? RLXC_UNKNOWN_NDIM : ndim;
    if (ndim == 0)
        key->dims = no_dims;
    if (ndim <= 0 || !dims)
        return intern(ctx, key);
    const rlxc_expr *few[RLXC_MAX_NDIM];
    const rlxc_expr **canonical = few;
    if (ndim > RLXC_MAX_NDIM) {
        canonical = rlxc_try_alloc(ctx, (size_t)ndim, sizeof(const rlxc_expr *));
        if (!canonical)
            return rlxc_sinfo_object(ctx);
    }
    for (int32_t i = 0; i < ndim; i++) {
        const rlxc_expr *d = dims[i];
        if (!rlxc_dtype_eq(d->dtype, RLX_I64))
            d = rlxc_cast(ctx, RLX_I64, d);
        canonical[i] = rlxc_canonical(ctx, d, NULL);
    }
    key->dims = canonical;
    return intern(ctx, key);
}

const rlxc_sinfo *rlxc_sinfo_shape(rlxc_context *ctx, int32_t ndim, const rlxc_expr *const *dims)
{
    rlxc_sinfo key = {.kind = RLXC_SINFO_SHAPE, .dtype = rlxc_dtype_void()};
    return intern_dims(ctx, &key, ndim, dims);
}

const rlxc_sinfo *rlxc_sinfo_tensor(rlxc_context *ctx, rlx_dtype dtype, int32_t ndim,
                                    const rlxc_expr *const *dims, const char *vdevice)
{
    if (ndim > RLXC_MAX_NDIM) {
        rlxc_error(ctx, (rlxc_range){0}, "a tensor has %d dimensions; at most %d are supported",
                   (int)ndim, (int)RLXC_MAX_NDIM);
        ndim = RLXC_UNKNOWN_NDIM;
    }
    rlxc_sinfo key = {.kind = RLXC_SINFO_TENSOR,
                      .dtype = dtype,
                      .vdevice = vdevice ? rlxc_intern_cstr(ctx, vdevice) : NULL};
    return intern_dims(ctx, &key, ndim, dims);
}

/* Sets the depth of a parent of |fields| and |ret|; false (reported) beyond the limits. */
static bool set_depth(rlxc_context *ctx, rlxc_sinfo *key)
{
    if (key->n_fields > MAX_ITEMS) {
        rlxc_error(ctx, (rlxc_range){0}, "a type has %u fields; at most %d are supported",
                   key->n_fields, (int)MAX_ITEMS);
        return false;
    }
    uint16_t depth = key->ret ? key->ret->depth : 0;
    for (uint32_t i = 0; i < key->n_fields; i++)
        if (key->fields[i]->depth > depth)
            depth = key->fields[i]->depth;
    if (depth >= RLXC_MAX_DEPTH) {
        rlxc_error(ctx, (rlxc_range){0}, "types nested deeper than %d", (int)RLXC_MAX_DEPTH);
        return false;
    }
    key->depth = (uint16_t)(depth + 1);
    return true;
}

const rlxc_sinfo *rlxc_sinfo_tuple(rlxc_context *ctx, const rlxc_sinfo *const *fields, uint32_t n)
{
    rlxc_sinfo key = {
        .kind = RLXC_SINFO_TUPLE, .dtype = rlxc_dtype_void(), .fields = fields, .n_fields = n};
    return set_depth(ctx, &key) ? intern(ctx, &key) : rlxc_sinfo_object(ctx);
}

const rlxc_sinfo *rlxc_sinfo_callable(rlxc_context *ctx, const rlxc_sinfo *const *params,
                                      uint32_t n, const rlxc_sinfo *ret, bool pure)
{
    rlxc_sinfo key = {.kind = RLXC_SINFO_CALLABLE,
                      .dtype = rlxc_dtype_void(),
                      .fields = params,
                      .n_fields = n,
                      .ret = ret ? ret : rlxc_sinfo_object(ctx),
                      .pure = pure};
    return set_depth(ctx, &key) ? intern(ctx, &key) : rlxc_sinfo_object(ctx);
}

const rlxc_sinfo *rlxc_sinfo_callable_opaque(rlxc_context *ctx, const rlxc_sinfo *ret, bool pure)
{
    rlxc_sinfo key = {.kind = RLXC_SINFO_CALLABLE,
                      .dtype = rlxc_dtype_void(),
                      .ret = ret,
                      .opaque = true,
                      .pure = pure};
    return set_depth(ctx, &key) ? intern(ctx, &key) : rlxc_sinfo_object(ctx);
}

/* --- walks ------------------------------------------------------------------------------------ */

/* How rebuild() treats the parts; |expr| returns NULL for parts that become unknown. */
typedef struct rebuilder {
    const rlxc_expr *(*expr)(void *user, const rlxc_expr *e);
    void *user;
    bool into_callables;
} rebuilder;

static const rlxc_sinfo *rebuild(rlxc_context *ctx, const rlxc_sinfo *s, const rebuilder *r);

static const rlxc_sinfo **rebuild_fields(rlxc_context *ctx, const rlxc_sinfo *s, const rebuilder *r)
{
    const rlxc_sinfo **fields = rlxc_alloc(ctx, (s->n_fields + 1) * sizeof(const rlxc_sinfo *));
    for (uint32_t i = 0; i < s->n_fields; i++)
        fields[i] = rebuild(ctx, s->fields[i], r);
    return fields;
}

static const rlxc_sinfo *rebuild_dims(rlxc_context *ctx, const rlxc_sinfo *s, const rebuilder *r)
{
    if (s->ndim <= 0 || !s->dims)
        return s;
    const rlxc_expr **dims = rlxc_alloc(ctx, (size_t)s->ndim * sizeof(const rlxc_expr *));
    bool known = true, changed = false;
    for (int32_t i = 0; i < s->ndim; i++) {
        dims[i] = r->expr(r->user, s->dims[i]);
        known &= dims[i] != NULL;
        changed |= dims[i] != s->dims[i];
    }
    if (!changed)
        return s;
    const rlxc_expr *const *given = known ? dims : NULL;
    return s->kind == RLXC_SINFO_SHAPE
               ? rlxc_sinfo_shape(ctx, s->ndim, given)
               : rlxc_sinfo_tensor(ctx, s->dtype, s->ndim, given, s->vdevice);
}

static const rlxc_sinfo *rebuild(rlxc_context *ctx, const rlxc_sinfo *s, const rebuilder *r)
{
    switch (s->kind) {
    case RLXC_SINFO_OBJECT:
        return s;
    case RLXC_SINFO_PRIM:
        return s->value ? rlxc_sinfo_prim(ctx, s->dtype, r->expr(r->user, s->value)) : s;
    case RLXC_SINFO_SHAPE:
    case RLXC_SINFO_TENSOR:
        return rebuild_dims(ctx, s, r);
    case RLXC_SINFO_TUPLE:
        return rlxc_sinfo_tuple(ctx, rebuild_fields(ctx, s, r), s->n_fields);
    case RLXC_SINFO_CALLABLE: {
        if (!r->into_callables)
            return s;
        const rlxc_sinfo *ret = s->ret ? rebuild(ctx, s->ret, r) : NULL;
        if (s->opaque)
            return rlxc_sinfo_callable_opaque(ctx, ret, s->pure);
        return rlxc_sinfo_callable(ctx, rebuild_fields(ctx, s, r), s->n_fields, ret, s->pure);
    }
    }
    return s;
}

typedef struct substitution {
    rlxc_context *ctx;
    const rlxc_expr *const *vars, *const *values;
    uint32_t n;
} substitution;

static const rlxc_expr *substitute_expr(void *user, const rlxc_expr *e)
{
    const substitution *s = user;
    if (e->kind == RLXC_EXPR_INT)
        return e;
    return rlxc_substitute(s->ctx, e, s->vars, s->values, s->n);
}

const rlxc_sinfo *rlxc_sinfo_substitute(rlxc_context *ctx, const rlxc_sinfo *s,
                                        const rlxc_expr *const *vars,
                                        const rlxc_expr *const *values, uint32_t n)
{
    if (n == 0)
        return s;
    substitution sub = {ctx, vars, values, n};
    rebuilder r = {substitute_expr, &sub, true};
    return rebuild(ctx, s, &r);
}

typedef struct eraser {
    rlxc_context *ctx;
    bool (*keep)(void *user, const rlxc_expr *var);
    void *user;
} eraser;

static bool keeps_node(void *user, const rlxc_expr *e)
{
    const eraser *r = user;
    return e->kind != RLXC_EXPR_VAR || r->keep(r->user, e);
}

static const rlxc_expr *erase_expr(void *user, const rlxc_expr *e)
{
    const eraser *r = user;
    if (e->kind == RLXC_EXPR_INT)
        return e;
    if (e->kind == RLXC_EXPR_VAR)
        return keeps_node(user, e) ? e : NULL;
    return rlxc_expr_visit(r->ctx, e, keeps_node, user) ? e : NULL;
}

const rlxc_sinfo *rlxc_sinfo_erase(rlxc_context *ctx, const rlxc_sinfo *s,
                                   bool (*keep)(void *user, const rlxc_expr *var), void *user)
{
    eraser e = {ctx, keep, user};
    rebuilder r = {erase_expr, &e, false};
    return rebuild(ctx, s, &r);
}

typedef struct collector {
    rlxc_context *ctx;
    rlxc_var_list *list;
} collector;

bool rlxc_has_var(const rlxc_var_list *list, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < list->vars.count; i++)
        if (list->vars.items[i] == var)
            return true;
    return false;
}

static bool collect_node(void *user, const rlxc_expr *e)
{
    const collector *c = user;
    if (e->kind == RLXC_EXPR_VAR && !rlxc_has_var(c->list, e))
        RLXC_PUSH(c->ctx, &c->list->vars, e);
    return true;
}

void rlxc_collect_vars(rlxc_context *ctx, const rlxc_expr *e, rlxc_var_list *io_list)
{
    collector c = {ctx, io_list};
    if (e->kind == RLXC_EXPR_VAR)
        collect_node(&c, e);
    else if (e->kind != RLXC_EXPR_INT)
        rlxc_expr_visit(ctx, e, collect_node, &c);
}

void rlxc_sinfo_collect_vars(rlxc_context *ctx, const rlxc_sinfo *s, rlxc_var_list *io_list)
{
    if (s->value)
        rlxc_collect_vars(ctx, s->value, io_list);
    if (s->dims)
        for (int32_t i = 0; i < s->ndim; i++)
            rlxc_collect_vars(ctx, s->dims[i], io_list);
    if (s->kind == RLXC_SINFO_TUPLE)
        for (uint32_t i = 0; i < s->n_fields; i++)
            rlxc_sinfo_collect_vars(ctx, s->fields[i], io_list);
}

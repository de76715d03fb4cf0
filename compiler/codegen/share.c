/* Finds the loops of a module that are compiled once for several places (share.h).
 *
 * Similar loops form a group. Constants that differ within a group become parameters; constants
 * that are equal to each other at every place share one. There are two rounds. The first takes
 * outermost loops only: a call per kernel costs nothing. The second goes through the bodies of the
 * first round and the loops without enough partners, from the outside in, and takes inner loops
 * that occur more often: tiles that kernels of different outer structure share. Each round first
 * counts loops by the hash of their tokens; groups compare the tokens.
 */
#include "compiler/codegen/share.h"

#include <string.h>

#include "compiler/base/hash.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/device.h"
#include "compiler/ir/sym.h"

enum {
    LEAST_KERNELS = 3, /* with fewer places the lost constants cost more */
    LEAST_INNER = 4,   /* and calls for each tile */
    LEAST_EQUAL = 2,   /* unless no constant differs and there is much to compile: */
    HEAVY_WEIGHT = 24, /* statements, once unrolled */
    LEAST_WEIGHT = 12  /* and those that make an inner loop worth a call */
};

enum { OF_PARAMETER = 1, OF_TEMPORARY = 2 };        /* memory */
enum { REASSOC = 1, NOALIAS = 2, TURNS_APART = 4 }; /* flags of a scope */

typedef struct place {
    const rlxc_stmt *loop;
    const rlxc_expr **vars, **values;
} place;

typedef struct unit { /* what a round visits */
    const rlxc_prim_func *f;
    rlxc_share_scope scope;
    const rlxc_stmt *stmt;
} unit;

typedef struct group {
    const rlxc_prim_func *f;
    rlxc_share_scope scope; /* of the first place */
    const rlxc_stmt *loop;  /* the first */
    uint64_t *tokens;
    const rlxc_stmt **locals;
    uint32_t n_tokens, n_vars, n_values, n_locals;
    bool may_fail;
    RLXC_VEC(place) places;
    struct group *next; /* with the same hash */
} group;

typedef struct sharing {
    rlxc_context *ctx;
    rlxc_map counts; /* hash of tokens -> loops that have it */
    rlxc_map groups; /* hash of tokens -> group */
    rlxc_map sizes;  /* dimensions of functions, sizes of bodies */
    RLXC_VEC(group *) all;
    RLXC_VEC(unit) units; /* of the next round */
    uint32_t round, n_bodies;
    int level; /* of optimization */
    bool counting;
    const rlxc_prim_func *f;
    rlxc_share_scope scope;
    rlxc_map *uses;
} sharing;

/* --- one loop -------------------------------------------------------------------------------- */

static uint64_t hash_of(const rlxc_share_walk *w)
{
    const size_t size = w->tokens.count * sizeof *w->tokens.items;
    return rlxc_hash64_bytes(RLXC_HASH_START, w->tokens.items, size) | 1;
}

static bool is_plain(const rlxc_stmt *loop)
{
    return loop->loop.kind == RLXC_LOOP_SERIAL || loop->loop.kind == RLXC_LOOP_PARALLEL;
}

static group *group_of(sharing *s, const rlxc_share_walk *w, uint64_t hash)
{
    rlxc_context *ctx = s->ctx;
    group *first = rlxc_map_get(&s->groups, hash), *g = first;
    while (g && (g->n_tokens != w->tokens.count || g->n_vars != w->vars.count ||
                 memcmp(g->tokens, w->tokens.items, g->n_tokens * sizeof *g->tokens) != 0))
        g = g->next;
    if (g)
        return g;
    g = rlxc_alloc(ctx, sizeof *g);
    *g = (group){.f = s->f,
                 .scope = s->scope,
                 .loop = w->loop,
                 .tokens = w->tokens.items,
                 .locals = w->locals.items,
                 .n_tokens = w->tokens.count,
                 .n_vars = w->vars.count,
                 .n_values = w->values.count,
                 .n_locals = w->locals.count,
                 .may_fail = w->may_fail,
                 .next = first};
    rlxc_map_set(ctx, &s->groups, hash, g);
    RLXC_PUSH(ctx, &s->all, g);
    return g;
}

/* Of the tokens and the constants. */
static uint64_t exact_hash(const rlxc_share_walk *w, uint64_t hash)
{
    for (uint32_t i = 0; i < w->values.count; i++) {
        const rlxc_expr *e = w->values.items[i];
        const int64_t value = e->kind == RLXC_EXPR_INT ? e->i : 0;
        hash = rlxc_hash64_bytes(hash, &value, sizeof value);
    }
    return hash | 1;
}

static uint64_t count_of(const sharing *s, uint64_t hash)
{
    return (uintptr_t)rlxc_map_get(&s->counts, hash);
}

/* True if the loop is shared, so that this round does not enter it. */
static bool take(sharing *s, const rlxc_stmt *loop)
{
    rlxc_share_walk w = {.ctx = s->ctx, .scope = &s->scope, .loop = loop};
    if (!rlxc_share_walk_loop(&w) || (s->round > 0 && w.weight < LEAST_WEIGHT))
        return false;
    uint64_t hash = hash_of(&w);
    const uint64_t exact = exact_hash(&w, hash);
    const bool is_heavy = w.weight >= HEAVY_WEIGHT;
    if (s->counting) {
        rlxc_map_set(s->ctx, &s->counts, hash, (void *)(uintptr_t)(count_of(s, hash) + 1));
        if (is_heavy)
            rlxc_map_set(s->ctx, &s->counts, exact, (void *)(uintptr_t)(count_of(s, exact) + 1));
        return false;
    }
    const bool any_sizes = is_heavy && s->level < 2;
    if (count_of(s, hash) < (any_sizes      ? LEAST_EQUAL
                             : s->round > 0 ? LEAST_INNER
                                            : LEAST_KERNELS)) {
        if (!is_heavy || count_of(s, exact) < LEAST_EQUAL)
            return false;
        hash = exact;
    }
    group *g = group_of(s, &w, hash);
    RLXC_PUSH(s->ctx, &g->places, (place){loop, w.vars.items, w.values.items});
    return true;
}

/* --- functions ------------------------------------------------------------------------------- */

static bool count_elements(const rlxc_expr *const *extents, uint32_t n, int64_t *out)
{
    *out = 1;
    for (uint32_t i = 0; i < n; i++) {
        int64_t extent;
        if (!rlxc_is_int(extents[i], &extent) || extent < 0 ||
            __builtin_mul_overflow(*out, extent, out))
            return false;
    }
    return true;
}

/* A one-dimensional temporary that fits into registers may become local to each loop that uses it.
 */
static void add_temporary(sharing *s, const rlxc_stmt *decl, const rlxc_stmt *const *rest,
                          uint32_t n)
{
    const bool is_view = decl->kind == RLXC_STMT_DECL_BUFFER;
    const rlxc_expr *var = is_view ? decl->decl->data : decl->allocate.var;
    const rlxc_expr *const *extents = is_view ? decl->decl->shape : decl->allocate.extents;
    const uint32_t ndim = is_view ? decl->decl->ndim : decl->allocate.n;
    int64_t count;
    if (rlxc_map_get(&s->scope.memory, rlxc_key(var)))
        return;
    rlxc_map_set(s->ctx, &s->scope.memory, rlxc_key(var), (void *)(uintptr_t)OF_TEMPORARY);
    if (ndim != 1 || !count_elements(extents, ndim, &count) || count > 1024)
        return;
    rlxc_map_set(s->ctx, &s->scope.locals, rlxc_key(var), (void *)(uintptr_t)decl);
    rlxc_share_close(s->ctx, &s->scope, rest, n, var, (uint32_t)count);
}

static void go(sharing *s, const rlxc_stmt *stmt);

static void go_items(sharing *s, const rlxc_stmt *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n && !rlxc_failed(s->ctx); i++) {
        if (items[i]->kind == RLXC_STMT_ALLOCATE || items[i]->kind == RLXC_STMT_DECL_BUFFER)
            add_temporary(s, items[i], items + i + 1, n - i - 1);
        else
            go(s, items[i]);
    }
}

static void go_into(sharing *s, const rlxc_stmt *loop)
{
    const uint32_t flags = s->scope.flags;
    const rlxc_attr *attr = rlxc_attrs_find(&loop->loop.annotations, "rlx.reassoc");
    int64_t on = 0;
    if (attr && rlxc_attr_as_int(attr, &on))
        s->scope.flags = on ? flags | REASSOC : flags & ~(uint32_t)REASSOC;
    go(s, loop->loop.body);
    s->scope.flags = flags;
}

static void go_loop(sharing *s, const rlxc_stmt *loop)
{
    if (!is_plain(loop) || take(s, loop))
        return;
    if (s->round > 0)
        go_into(s, loop);
    else if (!s->counting)
        RLXC_PUSH(s->ctx, &s->units, (unit){s->f, s->scope, loop});
}

static void go(sharing *s, const rlxc_stmt *stmt)
{
    switch (stmt->kind) {
    case RLXC_STMT_SEQ:
        go_items(s, stmt->seq.items, stmt->seq.n);
        break;
    case RLXC_STMT_FOR:
        go_loop(s, stmt);
        break;
    case RLXC_STMT_IF:
        if (stmt->if_.cond->dtype.lanes > 1) /* a mask for all that is inside */
            break;
        go(s, stmt->if_.then);
        if (stmt->if_.otherwise)
            go(s, stmt->if_.otherwise);
        break;
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_DECL_BUFFER:
        go_items(s, &stmt, 1);
        break;
    case RLXC_STMT_WHILE: /* not where the time goes */
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_LET:
    case RLXC_STMT_STORE:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_ATTR:
        break;
    }
}

static rlxc_share_scope scope_of(sharing *s, const rlxc_prim_func *f)
{
    rlxc_share_scope scope = {.sizes = &s->sizes};
    const rlxc_attr *attr = rlxc_attrs_find(&f->attrs, "tir.noalias");
    int64_t noalias = 0;
    if (attr && rlxc_attr_as_int(attr, &noalias) && noalias)
        scope.flags |= NOALIAS;
    if (f->turns_apart)
        scope.flags |= TURNS_APART;
    const rlxc_expr **dims;
    uint32_t n_dims;
    rlxc_prim_func_dims(s->ctx, f, &dims, &n_dims);
    for (uint32_t i = 0; i < n_dims; i++)
        rlxc_map_set(s->ctx, &s->sizes, rlxc_key(dims[i]), s);
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer)
            rlxc_map_set(s->ctx, &scope.memory, rlxc_key(f->params[i].buffer->data),
                         (void *)(uintptr_t)OF_PARAMETER);
    return scope;
}

/* --- groups ---------------------------------------------------------------------------------- */

/* True if |a| equals |b| at every place; equal expressions are the same pointer. */
static bool same_everywhere(const group *g, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < g->places.count; i++)
        if (g->places.items[i].values[a] != g->places.items[i].values[b])
            return false;
    return true;
}

static bool is_one_constant(const group *g, uint32_t a)
{
    const rlxc_expr *first = g->places.items[0].values[a];
    for (uint32_t i = 1; i < g->places.count; i++)
        if (g->places.items[i].values[a] != first)
            return false;
    return first->kind == RLXC_EXPR_INT;
}

static bool is_never_negative(rlxc_context *ctx, const group *g, uint32_t a)
{
    for (uint32_t i = 0; i < g->places.count; i++)
        if (rlxc_bound_of(ctx, g->places.items[i].values[a], NULL).min < 0)
            return false;
    return true;
}

/* Makes a variable for each constant that differs; out_from[parameter] is the constant it replaces.
 */
static uint32_t choose_sizes(sharing *s, const group *g, const rlxc_expr **slots,
                             const rlxc_expr **params, uint32_t *out_from)
{
    rlxc_context *ctx = s->ctx;
    uint32_t n = 0;
    for (uint32_t a = 0; a < g->n_values; a++) {
        slots[a] = NULL;
        if (is_one_constant(g, a))
            continue;
        for (uint32_t k = 0; k < n && !slots[a]; k++)
            if (same_everywhere(g, a, out_from[k]))
                slots[a] = params[k];
        if (slots[a])
            continue;
        const rlx_dtype type = g->places.items[0].values[a]->dtype;
        slots[a] = rlxc_dtype_eq(type, RLX_I64) && is_never_negative(ctx, g, a)
                       ? rlxc_shape_var(ctx, "size")
                       : rlxc_var(ctx, rlxc_intern_cstr(ctx, "size"), type);
        rlxc_map_set(ctx, &s->sizes, rlxc_key(slots[a]), s);
        out_from[n] = a;
        params[n++] = slots[a];
    }
    return n;
}

static void add_use(sharing *s, const group *g, const place *p, rlxc_shared_body *body,
                    const uint32_t *from)
{
    const rlxc_expr **args = rlxc_alloc(s->ctx, ((size_t)body->n_params + 1) * sizeof *args);
    for (uint32_t i = 0; i < body->n_params; i++)
        args[i] = i < g->n_vars ? p->vars[i] : p->values[from[i - g->n_vars]];
    rlxc_shared_use *use = rlxc_alloc(s->ctx, sizeof *use);
    *use = (rlxc_shared_use){body, args};
    rlxc_map_set(s->ctx, s->uses, rlxc_key(p->loop), use);
}

/* Builds the body of the group, which the next round visits. */
static void finish(sharing *s, group *g)
{
    rlxc_context *ctx = s->ctx;
    const rlxc_expr *slots[RLXC_SHARE_SLOTS];
    uint32_t from[RLXC_SHARE_SLOTS];
    rlxc_shared_body *body = rlxc_alloc(ctx, sizeof *body);
    *body = (rlxc_shared_body){.number = s->n_bodies++, .f = g->f, .may_fail = g->may_fail};
    body->params = rlxc_alloc(ctx, ((size_t)g->n_vars + g->n_values + 1) * sizeof *body->params);
    for (uint32_t i = 0; i < g->n_vars; i++)
        body->params[i] = g->places.items[0].vars[i];
    body->n_params = g->n_vars + choose_sizes(s, g, slots, body->params + g->n_vars, from);
    rlxc_share_walk w = {.ctx = ctx, .scope = &g->scope, .loop = g->loop, .slots = slots};
    const rlxc_stmt *loop = rlxc_share_walk_loop(&w);
    if (!loop || rlxc_failed(ctx))
        return;
    const rlxc_stmt **items = rlxc_alloc(ctx, ((size_t)g->n_locals + 1) * sizeof *items);
    for (uint32_t i = 0; i < g->n_locals; i++)
        items[i] = g->locals[i];
    items[g->n_locals] = loop;
    body->stmt = rlxc_stmt_seq(ctx, items, g->n_locals + 1);
    RLXC_PUSH(ctx, &s->units, (unit){g->f, g->scope, loop});
    for (uint32_t i = 0; i < g->places.count; i++)
        add_use(s, g, &g->places.items[i], body, from);
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* |map| may be outdated: the copy counts its slots itself. */
static rlxc_map copy_map(rlxc_context *ctx, rlxc_map map)
{
    if (map.capacity == 0)
        return map;
    map.count = 0;
    for (uint32_t i = 0; i < map.capacity; i++)
        map.count += map.values[i] != NULL;
    map.keys = rlxc_copy(ctx, map.keys, map.capacity * sizeof *map.keys);
    map.values = rlxc_copy(ctx, map.values, map.capacity * sizeof *map.values);
    return map;
}

/* Additions to the copy are not visible through |scope|. */
static rlxc_share_scope copy_scope(rlxc_context *ctx, const rlxc_share_scope *scope)
{
    rlxc_share_scope copy = *scope;
    copy.memory = copy_map(ctx, scope->memory);
    copy.locals = copy_map(ctx, scope->locals);
    copy.closed.capacity = scope->closed.count;
    copy.closed.items =
        rlxc_copy(ctx, scope->closed.items, scope->closed.count * sizeof *scope->closed.items);
    return copy;
}

static void run_round(sharing *s, const unit *units, uint32_t n)
{
    s->counts = s->groups = (rlxc_map){0};
    s->all.count = 0;
    for (int pass = 0; pass < 2; pass++) {
        s->counting = pass == 0;
        for (uint32_t i = 0; i < n && !rlxc_failed(s->ctx); i++) {
            s->f = units[i].f;
            s->scope = s->round > 0 ? copy_scope(s->ctx, &units[i].scope) : scope_of(s, s->f);
            if (s->round > 0)
                go_into(s, units[i].stmt);
            else
                go(s, units[i].stmt);
        }
    }
    for (uint32_t i = 0; i < s->all.count && !rlxc_failed(s->ctx); i++)
        if (s->all.items[i]->places.count > 1)
            finish(s, s->all.items[i]);
}

void rlxc_share_loops(rlxc_context *ctx, const rlxc_module *module, int level, rlxc_map *out_uses)
{
    sharing s = {.ctx = ctx, .level = level, .uses = out_uses};
    RLXC_VEC(unit) kernels = {0};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f && !rlxc_prim_is_device(f))
            RLXC_PUSH(ctx, &kernels, (unit){.f = f, .stmt = f->body});
    }
    run_round(&s, kernels.items, kernels.count);
    const unit *units = s.units.items;
    const uint32_t n = s.units.count;
    s.units.items = NULL;
    s.units.count = s.units.capacity = 0;
    s.round = 1;
    run_round(&s, units, n);
}

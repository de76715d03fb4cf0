/* Checks parts of a kernel that are bound to other thread axes than the rest.
 *
 *     for t in T.thread_binding(32, thread="threadIdx.x"): s[t] = s[t] + a[t]
 *     for u in T.thread_binding(8, thread="threadIdx.y"): o[u] = s[u]
 *
 * A block of this launch has 32 x 8 threads. All threads along an axis run a statement that does
 * not use the axis. That is harmless unless a stored value depends on a value that the statement
 * overwrites: the sum above would be added 8 times. Thread-local memory is not affected. */
#include <string.h>

#include "compiler/codegen/device_launch.h"

typedef struct flow { /* values of memory or variable |from| reach |to| */
    uint64_t from, to;
} flow;

typedef struct shared_store { /* to memory of several threads */
    const rlxc_stmt *stmt;
    uint32_t first, end; /* its flows */
} shared_store;

typedef struct phases {
    rlxc_context *ctx;
    int axis;                           /* that is asked about */
    const rlxc_stmt *loop;              /* the first one bound to it */
    RLXC_VEC(const rlxc_expr *) vars;   /* the variables of its threads */
    RLXC_VEC(const rlxc_expr *) around; /* conditions and extents around the statement */
    RLXC_VEC(flow) flows;
    RLXC_VEC(shared_store) stores;
} phases;

static bool find_loop(void *user, const rlxc_stmt *s)
{
    phases *p = user;
    if (s->kind != RLXC_STMT_FOR || s->loop.kind != RLXC_LOOP_BOUND ||
        rlxc_thread_axis(s->loop.thread) != p->axis)
        return true;
    p->loop = p->loop ? p->loop : s;
    RLXC_PUSH(p->ctx, &p->vars, s->loop.var);
    return true;
}

static bool uses_axis(const phases *p, const rlxc_expr *e)
{
    for (uint32_t i = 0; i < p->vars.count; i++)
        if (rlxc_expr_uses_var(p->ctx, e, p->vars.items[i]))
            return true;
    return false;
}

/* --- where values go -------------------------------------------------------------------------- */

typedef struct sources {
    phases *p;
    uint64_t to;
} sources;

static bool add_source(void *user, const rlxc_expr *e)
{
    sources *s = user;
    if (e->kind == RLXC_EXPR_LOAD ||
        (e->kind == RLXC_EXPR_VAR && !rlxc_dtype_is_handle(e->dtype))) {
        const flow f = {rlxc_key(e->kind == RLXC_EXPR_LOAD ? e->load.buffer->data : e), s->to};
        RLXC_PUSH(s->p->ctx, &s->p->flows, f);
    }
    return true;
}

static void reaches(phases *p, const rlxc_expr *value, const rlxc_expr *to)
{
    sources s = {p, rlxc_key(to)};
    rlxc_expr_visit(p->ctx, value, add_source, &s);
}

static void all_reach(phases *p, const rlxc_stmt *s, const rlxc_expr *to)
{
    if (s->kind == RLXC_STMT_STORE)
        reaches(p, s->store.value, to);
    else
        reaches(p, s->let.value, to);
    for (uint32_t i = 0; i < p->around.count; i++)
        reaches(p, p->around.items[i], to);
}

static void store(phases *p, const rlxc_stmt *s)
{
    for (uint32_t i = 0; i < s->store.n; i++)
        if (uses_axis(p, s->store.indices[i]))
            return; /* an element for each thread */
    const char *scope = s->store.buffer->scope;
    const uint32_t first = p->flows.count;
    all_reach(p, s, s->store.buffer->data);
    if (p->axis < RLXC_THREAD_IDX ? !scope || strncmp(scope, "global", 6) == 0
                                  : !scope || strncmp(scope, "local", 5) != 0)
        RLXC_PUSH(p->ctx, &p->stores, (shared_store){s, first, p->flows.count});
}

/* Adds what all threads of the axis do. */
static void walk(phases *p, const rlxc_stmt *s)
{
    const uint32_t mark = p->around.count;
    if (rlxc_failed(p->ctx))
        return;
    switch (s->kind) {
    case RLXC_STMT_SEQ:
        for (uint32_t i = 0; i < s->seq.n; i++)
            walk(p, s->seq.items[i]);
        break;
    case RLXC_STMT_FOR:
        if (s->loop.kind == RLXC_LOOP_BOUND && rlxc_thread_axis(s->loop.thread) == p->axis)
            break;
        RLXC_PUSH(p->ctx, &p->around, s->loop.extent);
        walk(p, s->loop.body);
        break;
    case RLXC_STMT_WHILE:
        RLXC_PUSH(p->ctx, &p->around, s->while_.cond);
        walk(p, s->while_.body);
        break;
    case RLXC_STMT_IF:
        if (uses_axis(p, s->if_.cond))
            break; /* some of them */
        RLXC_PUSH(p->ctx, &p->around, s->if_.cond);
        walk(p, s->if_.then);
        if (s->if_.otherwise)
            walk(p, s->if_.otherwise);
        break;
    case RLXC_STMT_LET:
        if (uses_axis(p, s->let.value))
            RLXC_PUSH(p->ctx, &p->vars, s->let.var);
        all_reach(p, s, s->let.var);
        break;
    case RLXC_STMT_STORE:
        store(p, s);
        break;
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_EVALUATE:
    case RLXC_STMT_ASSERT:
    case RLXC_STMT_ALLOCATE:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_DECL_BUFFER:
    case RLXC_STMT_ATTR:
        break;
    }
    p->around.count = p->around.count > mark ? mark : p->around.count;
}

/* Whether what the store writes comes from the same memory. */
static bool comes_back(phases *p, const shared_store *s)
{
    rlxc_map seen = {0};
    RLXC_VEC(uint64_t) todo = {0};
    const uint64_t data = rlxc_key(s->stmt->store.buffer->data);
    rlxc_map_set(p->ctx, &seen, data, p);
    RLXC_PUSH(p->ctx, &todo, data);
    while (todo.count && !rlxc_failed(p->ctx)) {
        const uint64_t at = todo.items[--todo.count];
        for (uint32_t i = 0; i < p->flows.count; i++) {
            const uint64_t to = p->flows.items[i].to;
            if (p->flows.items[i].from != at || rlxc_map_get(&seen, to))
                continue;
            rlxc_map_set(p->ctx, &seen, to, p);
            RLXC_PUSH(p->ctx, &todo, to);
        }
    }
    for (uint32_t i = s->first; i < s->end; i++)
        if (rlxc_map_get(&seen, p->flows.items[i].from))
            return true;
    return false;
}

static bool check_axis(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_stmt *body, int axis)
{
    phases p = {.ctx = ctx, .axis = axis};
    rlxc_stmt_visit(body, find_loop, &p);
    if (!p.loop)
        return true;
    walk(&p, body);
    for (uint32_t i = 0; i < p.stores.count; i++) {
        const rlxc_stmt *s = p.stores.items[i].stmt;
        if (!comes_back(&p, &p.stores.items[i]))
            continue;
        rlxc_error(
            ctx, s->range.line ? s->range : f->range,
            "%s: all threads of %s run this store to %s, whose value depends on what it overwrites",
            f->name, rlxc_thread_name(ctx, axis), s->store.buffer->name);
        rlxc_note(ctx, p.loop->range.line ? p.loop->range : f->range, "this loop is bound to %s",
                  rlxc_thread_name(ctx, axis));
        return false;
    }
    return true;
}

bool rlxc_device_phases(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_launch *launch,
                        const rlxc_stmt *body)
{
    for (int axis = 0; axis < RLXC_THREAD_AXES; axis++) {
        const rlxc_expr *n = axis < 3 ? launch->grid[axis] : launch->block[axis - 3];
        if (!rlxc_is_const(n, 1) && !check_axis(ctx, f, body, axis))
            return false;
    }
    return !rlxc_failed(ctx);
}

/* Binds statements of device functions to threads, after lowering, if neither a rule nor the user
 * has bound them. This always succeeds.
 *
 * A loop of a nest runs on threads if its iterations are independent: each buffer that the nest
 * stores to is indexed in one dimension by that loop's variable alone. The iterations of these
 * loops are numbered and distributed among threads; the other loops of the nest run inside, in
 * order. Remaining statements run in one thread, which neighbours share. */
#include "compiler/lower/lower.h"

enum { MAX_CHAIN = 32, THREADS = 256 };

/* --- loops whose iterations do not meet ------------------------------------------------------- */

typedef struct access {
    const rlxc_buffer *buffer;
    const rlxc_expr *const *indices;
    uint32_t n;
    bool stores;
} access;

typedef struct accesses { /* of a nest */
    rlxc_context *ctx;
    RLXC_VEC(access) items;
    RLXC_VEC(const rlxc_expr *) own; /* storage allocated inside */
    bool opaque;                     /* it uses pointers, or does what is no access */
} accesses;

static bool note_expr(void *user, const rlxc_expr *e)
{
    accesses *a = user;
    if (e->kind == RLXC_EXPR_LOAD)
        RLXC_PUSH(a->ctx, &a->items, (access){e->load.buffer, e->load.indices, e->load.n, false});
    a->opaque = a->opaque || rlxc_dtype_is_handle(e->dtype);
    return !a->opaque;
}

static void note(accesses *a, const rlxc_expr *e)
{
    if (e)
        rlxc_expr_visit(a->ctx, e, note_expr, a);
}

static bool note_stmt(void *user, const rlxc_stmt *s)
{
    accesses *a = user;
    switch (s->kind) {
    case RLXC_STMT_STORE:
        RLXC_PUSH(a->ctx, &a->items, (access){s->store.buffer, s->store.indices, s->store.n, true});
        for (uint32_t i = 0; i < s->store.n; i++)
            note(a, s->store.indices[i]);
        note(a, s->store.value);
        break;
    case RLXC_STMT_FOR:
        note(a, s->loop.min);
        note(a, s->loop.extent);
        break;
    case RLXC_STMT_IF:
        note(a, s->if_.cond);
        break;
    case RLXC_STMT_LET:
        note(a, s->let.value);
        break;
    case RLXC_STMT_ALLOCATE:
        RLXC_PUSH(a->ctx, &a->own, s->allocate.var);
        break;
    case RLXC_STMT_EVALUATE:
        for (uint32_t i = 1; rlxc_stmt_is_check(s) && i < s->evaluate->call.n; i += 2)
            note(a, s->evaluate->call.args[i]);
        a->opaque = a->opaque || !(rlxc_stmt_is_nothing(s) || rlxc_stmt_is_check(s));
        break;
    case RLXC_STMT_ASSERT:
        note(a, s->assert_.cond);
        break;
    case RLXC_STMT_WHILE:
        note(a, s->while_.cond);
        break;
    case RLXC_STMT_SEQ:
    case RLXC_STMT_DECL_BUFFER:
        break;
    case RLXC_STMT_BLOCK:
    case RLXC_STMT_ALLOCATE_CONST:
    case RLXC_STMT_ATTR:
        a->opaque = true;
        break;
    }
    return !a->opaque;
}

static bool is_own(const accesses *a, const rlxc_buffer *buffer)
{
    for (uint32_t i = 0; i < a->own.count; i++)
        if (a->own.items[i] == buffer->data)
            return true;
    return false;
}

/* Whether all accesses to the storage of |store| are at |var| in dimension |d|. */
static bool all_at(const accesses *a, const access *store, uint32_t d, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < a->items.count; i++) {
        const access *other = &a->items.items[i];
        if (other->buffer->data == store->buffer->data &&
            (other->buffer != store->buffer || d >= other->n || other->indices[d] != var))
            return false;
    }
    return true;
}

static bool iterations_apart(const accesses *a, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < a->items.count; i++) {
        const access *store = &a->items.items[i];
        bool found = !store->stores || is_own(a, store->buffer);
        for (uint32_t d = 0; d < store->n && !found; d++)
            found = all_at(a, store, d, var);
        if (!found)
            return false;
    }
    return !a->opaque;
}

/* --- nests ------------------------------------------------------------------------------------ */

typedef struct binding {
    rlxc_context *ctx;
    const rlxc_expr **dims; /* what the host knows, and: */
    uint32_t n_dims;
    RLXC_VEC(const rlxc_expr *) values; /* variables of the root over them */
    uint32_t threads;                   /* of a block */
    RLXC_VEC(const rlxc_stmt *) out, alone;
} binding;

typedef struct foreign {
    const binding *b;
    bool found;
} foreign;

static bool find_foreign(void *user, const rlxc_expr *e)
{
    foreign *f = user;
    bool known = e->kind != RLXC_EXPR_VAR && e->kind != RLXC_EXPR_LOAD && e->kind != RLXC_EXPR_CALL;
    for (uint32_t i = 0; i < f->b->n_dims && !known; i++)
        known = f->b->dims[i] == e;
    for (uint32_t i = 0; i < f->b->values.count && !known; i++)
        known = f->b->values.items[i] == e;
    f->found = f->found || !known;
    return !f->found;
}

/* Whether the host can compute the value. */
static bool is_hosted(const binding *b, const rlxc_expr *e)
{
    foreign f = {b, false};
    rlxc_expr_visit(b->ctx, e, find_foreign, &f);
    return !f.found;
}

static const rlxc_stmt *loop_of(const binding *b, const rlxc_expr *var, const rlxc_expr *extent,
                                int axis, const rlxc_stmt *body)
{
    rlxc_stmt *out = rlxc_copy(
        b->ctx, rlxc_stmt_for(b->ctx, var, rlxc_i64(b->ctx, 0), extent, RLXC_LOOP_BOUND, body),
        sizeof *out);
    out->loop.thread = rlxc_thread_name(b->ctx, axis);
    return out;
}

static const rlxc_expr *wide(const binding *b, const rlxc_expr *e)
{
    return rlxc_cast(b->ctx, RLX_I64, e);
}

typedef struct replacing {
    rlxc_context *ctx;
    const rlxc_expr *vars[MAX_CHAIN], *values[MAX_CHAIN];
    uint32_t n;
} replacing;

static const rlxc_expr *replace(void *user, const rlxc_expr *e)
{
    const replacing *r = user;
    return rlxc_substitute(r->ctx, e, r->vars, r->values, r->n);
}

static bool find_declared(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || s->kind == RLXC_STMT_DECL_BUFFER;
    return !*found;
}

/* |body| with the loops' values. Declared buffers may use them too: then they are variables. */
static const rlxc_stmt *with_values(replacing *r, const rlxc_stmt *body)
{
    bool declared = false;
    const rlxc_stmt *all[MAX_CHAIN + 1];
    rlxc_stmt_visit(body, find_declared, &declared);
    if (!declared)
        return rlxc_stmt_rewrite(r->ctx, body, &(rlxc_stmt_rewriter){.user = r, .expr = replace});
    for (uint32_t i = 0; i < r->n; i++)
        all[i] = rlxc_stmt_let(r->ctx, r->vars[i], r->values[i]);
    all[r->n] = body;
    return rlxc_stmt_seq(r->ctx, all, r->n + 1);
}

/* The nest with the |n| loops |outer| of its |n_chain| loops and conditions on threads. */
static const rlxc_stmt *on_threads(binding *b, const rlxc_stmt *const *chain, const bool *outer,
                                   uint32_t n_chain, const rlxc_stmt *body)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *block = rlxc_var(ctx, rlxc_intern_cstr(ctx, "block"), RLX_I64);
    const rlxc_expr *thread = rlxc_var(ctx, rlxc_intern_cstr(ctx, "thread"), RLX_I64);
    const rlxc_expr *threads = rlxc_i64(ctx, b->threads), *below = rlxc_i64(ctx, 1), *total = below;
    replacing r = {.ctx = ctx};
    int64_t n_threads;
    uint32_t first = n_chain;
    for (uint32_t i = n_chain; i-- > 0;)
        if (outer[i]) {
            first = i;
            total = rlxc_simplify(ctx, rlxc_mul(ctx, total, wide(b, chain[i]->loop.extent)), NULL);
        }
    const bool one = rlxc_is_int(total, &n_threads) && n_threads <= b->threads;
    const rlxc_expr *number = one ? thread : rlxc_add(ctx, rlxc_mul(ctx, block, threads), thread);
    for (uint32_t i = n_chain; i-- > 0;) {
        if (!outer[i])
            continue;
        const rlxc_expr *extent = wide(b, chain[i]->loop.extent);
        const rlxc_expr *value = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, number, below);
        below = rlxc_simplify(ctx, rlxc_mul(ctx, below, extent), NULL);
        if (i > first)
            value = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, value, extent);
        value = rlxc_add(ctx, wide(b, chain[i]->loop.min), value);
        r.vars[r.n] = chain[i]->loop.var;
        r.values[r.n++] =
            rlxc_cast(ctx, chain[i]->loop.var->dtype, rlxc_simplify(ctx, value, NULL));
    }
    for (uint32_t i = n_chain; i-- > 0;) {
        if (outer[i])
            continue;
        rlxc_stmt *copy = rlxc_copy(ctx, chain[i], sizeof *copy);
        if (copy->kind == RLXC_STMT_FOR)
            copy->loop.body = body;
        else
            copy->if_.then = body;
        body = copy;
    }
    body = with_values(&r, body);
    if (one)
        return loop_of(b, thread, total, RLXC_THREAD_IDX, body);
    body = rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, number, total), body, NULL);
    const rlxc_expr *up = rlxc_add(ctx, total, rlxc_i64(ctx, (int64_t)b->threads - 1));
    const rlxc_expr *blocks =
        rlxc_simplify(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, up, threads), NULL);
    return loop_of(b, block, blocks, 0, loop_of(b, thread, threads, RLXC_THREAD_IDX, body));
}

/* The nest on threads; NULL if none of its loops can be. */
static const rlxc_stmt *nest_on_threads(binding *b, const rlxc_stmt *s)
{
    const rlxc_stmt *chain[MAX_CHAIN];
    bool outer[MAX_CHAIN], any = false;
    uint32_t n = 0;
    accesses a = {.ctx = b->ctx};
    rlxc_stmt_visit(s, note_stmt, &a);
    for (; n < MAX_CHAIN; n++) {
        const bool loop = s->kind == RLXC_STMT_FOR && s->loop.kind != RLXC_LOOP_BOUND;
        if (!loop && (s->kind != RLXC_STMT_IF || s->if_.otherwise))
            break;
        chain[n] = s;
        outer[n] = loop && is_hosted(b, s->loop.min) && is_hosted(b, s->loop.extent) &&
                   iterations_apart(&a, s->loop.var);
        any = any || outer[n];
        s = loop ? s->loop.body : s->if_.then;
    }
    return any ? on_threads(b, chain, outer, n, s) : NULL;
}

/* --- statements ------------------------------------------------------------------------------- */

static void push(binding *b, const rlxc_stmt *s)
{
    RLXC_PUSH(b->ctx, &b->out, s);
}

/* One thread runs what has gathered. */
static void flush(binding *b)
{
    if (b->alone.count == 0)
        return;
    const rlxc_stmt *body = rlxc_stmt_seq(b->ctx, b->alone.items, b->alone.count);
    const rlxc_expr *thread = rlxc_var(b->ctx, rlxc_intern_cstr(b->ctx, "thread"), RLX_I64);
    b->alone.count = 0;
    push(b, loop_of(b, thread, rlxc_i64(b->ctx, 1), RLXC_THREAD_IDX, body));
}

static void bind(binding *b, const rlxc_stmt *s)
{
    const rlxc_stmt *nest;
    if (rlxc_stmt_is_nothing(s))
        return;
    if (rlxc_has_threads(s)) {
        flush(b);
        push(b, s);
    } else if ((nest = nest_on_threads(b, s))) {
        flush(b);
        push(b, nest);
    } else {
        RLXC_PUSH(b->ctx, &b->alone, s);
    }
}

/* The statements of a scope. What follows a LET without any threads stays with it, unless the host
 * knows its value. */
static void bind_all(binding *b, const rlxc_stmt *const *items, uint32_t n)
{
    uint32_t last = 0; /* behind the last statement with threads */
    for (uint32_t i = 0; i < n; i++)
        if (rlxc_has_threads(items[i]))
            last = i + 1;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_stmt *s = items[i];
        const bool hosted = s->kind == RLXC_STMT_LET && is_hosted(b, s->let.value);
        if (hosted)
            RLXC_PUSH(b->ctx, &b->values, s->let.var);
        if (s->kind == RLXC_STMT_ALLOCATE || s->kind == RLXC_STMT_ALLOCATE_CONST ||
            s->kind == RLXC_STMT_DECL_BUFFER || s->kind == RLXC_STMT_ATTR ||
            rlxc_stmt_is_check(s) || (s->kind == RLXC_STMT_LET && (hosted || i < last))) {
            flush(b);
            push(b, s);
        } else if (s->kind == RLXC_STMT_LET) {
            for (; i < n; i++)
                RLXC_PUSH(b->ctx, &b->alone, items[i]);
        } else {
            bind(b, s);
        }
    }
    flush(b);
}

const rlxc_stmt *rlxc_bind_threads(rlxc_context *ctx, const rlxc_prim_func *f,
                                   const rlxc_device_limits *limits, const rlxc_stmt *body)
{
    binding b = {.ctx = ctx, .threads = limits->threads < THREADS ? limits->threads : THREADS};
    rlxc_prim_func_dims(ctx, f, &b.dims, &b.n_dims);
    if (body->kind == RLXC_STMT_SEQ)
        bind_all(&b, body->seq.items, body->seq.n);
    else
        bind_all(&b, &body, 1);
    return b.out.count ? rlxc_stmt_seq(ctx, b.out.items, b.out.count) : body;
}

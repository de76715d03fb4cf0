/* Indices of fused loops: where neighbouring indices of an access are the quotients and remainders
 * of one number, the access goes to a view of the buffer in which those dimensions are one:
 *
 *     x[f // (m * k), f // k % m, f % k]   ->   x_1[f],   x_1 = T.decl_buffer((n * m * k,), ...)
 *
 * Divisions per element are slow, and hide from code generation that neighbours are contiguous.
 *
 * Invariant: a view is declared right after its buffer, or first in the function if that is a
 * parameter; so it is in scope wherever its buffer is. */
#include "compiler/lower/lower.h"

typedef struct view {
    const rlxc_buffer *of;
    rlxc_buffer *buffer;
    uint64_t merged; /* bit d: dimension d is merged with the next one */
    bool declared;
} view;

typedef struct merging {
    rlxc_context *ctx;
    RLXC_VEC(view) views;
} merging;

typedef struct access { /* its dimensions, of which some are merged */
    const rlxc_expr *indices[RLXC_MAX_NDIM], *shape[RLXC_MAX_NDIM];
    uint32_t n;
    uint64_t merged;
} access;

static bool divides(const rlxc_expr *e)
{
    return e->kind == RLXC_EXPR_FLOORDIV || e->kind == RLXC_EXPR_FLOORMOD;
}

static bool count_division(void *user, const rlxc_expr *e)
{
    *(uint32_t *)user += divides(e);
    return true;
}

static uint32_t divisions(rlxc_context *ctx, const rlxc_expr *e)
{
    uint32_t n = 0;
    rlxc_expr_visit(ctx, e, count_division, &n);
    return n;
}

/* x of x // a // b, and a * b in |*by|. */
static const rlxc_expr *dividend(rlxc_context *ctx, const rlxc_expr *e, const rlxc_expr **by)
{
    *by = rlxc_i64(ctx, 1);
    for (; e->kind == RLXC_EXPR_FLOORDIV; e = e->bin.a)
        *by = rlxc_mul(ctx, *by, e->bin.b);
    return e;
}

/* The index of both dimensions together: outer * size + inner. */
static const rlxc_expr *joined(rlxc_context *ctx, const rlxc_expr *outer, const rlxc_expr *inner,
                               const rlxc_expr *size)
{
    if (inner->kind == RLXC_EXPR_FLOORMOD && rlxc_prove_eq(ctx, inner->bin.b, size, NULL)) {
        /* x // size % more and x % size, or x // size and x % size */
        const rlxc_expr *by, *x = inner->bin.a;
        const bool cut = outer->kind == RLXC_EXPR_FLOORMOD;
        if (dividend(ctx, cut ? outer->bin.a : outer, &by) == x &&
            rlxc_prove_eq(ctx, by, size, NULL))
            return cut ? rlxc_simplify(ctx,
                                       rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, x,
                                                   rlxc_mul(ctx, size, outer->bin.b)),
                                       NULL)
                       : x;
    }
    return rlxc_simplify(ctx, rlxc_add(ctx, rlxc_mul(ctx, outer, size), inner), NULL);
}

static bool is_index(const rlxc_expr *e)
{
    return rlxc_dtype_eq(e->dtype, RLX_I64);
}

static uint32_t all_divisions(rlxc_context *ctx, const rlxc_expr *const *indices, uint32_t n)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += divisions(ctx, indices[i]);
    return all;
}

/* Merges dimensions |d| and |d| + 1 if that takes fewer divisions, or one of them is 1. */
static void merge_at(rlxc_context *ctx, access *a, uint32_t d)
{
    const rlxc_expr *outer = a->indices[d], *inner = a->indices[d + 1], *both;
    if (!is_index(outer) || !is_index(inner))
        return;
    if (rlxc_is_const(a->shape[d], 1)) {
        both = inner;
    } else if (rlxc_is_const(a->shape[d + 1], 1)) {
        both = outer;
    } else {
        const uint32_t before = divisions(ctx, outer) + divisions(ctx, inner);
        if (before == 0)
            return;
        both = joined(ctx, outer, inner, a->shape[d + 1]);
        if (divisions(ctx, both) >= before)
            return;
    }
    a->indices[d] = both;
    a->shape[d] = rlxc_canonical(ctx, rlxc_mul(ctx, a->shape[d], a->shape[d + 1]), NULL);
    for (uint32_t i = d + 1; i + 1 < a->n; i++) {
        a->indices[i] = a->indices[i + 1];
        a->shape[i] = a->shape[i + 1];
    }
    a->n--;
    a->merged |= UINT64_C(1) << d;
}

static rlxc_buffer *view_of(merging *m, const rlxc_buffer *of, const access *a)
{
    rlxc_context *ctx = m->ctx;
    for (uint32_t i = 0; i < m->views.count; i++)
        if (m->views.items[i].of == of && m->views.items[i].merged == a->merged)
            return m->views.items[i].buffer;
    const rlxc_expr **shape = rlxc_copy(ctx, a->shape, a->n * sizeof *shape);
    rlxc_buffer *buffer = rlxc_buffer_new(ctx, of->name, of->dtype, shape, a->n);
    buffer->data = of->data;
    buffer->scope = of->scope;
    RLXC_PUSH(ctx, &m->views, (view){of, buffer, a->merged, false});
    return buffer;
}

/* Merges the dimensions of an access where that helps; NULL: nowhere. */
static rlxc_buffer *merge(merging *m, const rlxc_buffer *b, const rlxc_expr *const *indices,
                          access *a)
{
    rlxc_context *ctx = m->ctx;
    if (b->strides || b->elem_offset || b->ndim < 2 || b->ndim > RLXC_MAX_NDIM)
        return NULL;
    const uint32_t before = all_divisions(ctx, indices, b->ndim);
    if (before < 2)
        return NULL;
    *a = (access){.n = b->ndim};
    for (uint32_t i = 0; i < b->ndim; i++) {
        a->indices[i] = indices[i];
        a->shape[i] = rlxc_cast(ctx, RLX_I64, b->shape[i]);
    }
    for (uint32_t d = b->ndim - 1; d-- > 0;)
        merge_at(ctx, a, d);
    return all_divisions(ctx, a->indices, a->n) < before ? view_of(m, b, a) : NULL;
}

static const rlxc_expr *merge_load(void *user, const rlxc_expr *e)
{
    merging *m = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    const rlxc_expr **inside = rlxc_try_alloc(m->ctx, (size_t)e->load.n + 1, sizeof *inside);
    bool changed = false;
    for (uint32_t i = 0; i < e->load.n && inside; i++) {
        inside[i] = rlxc_expr_rewrite(m->ctx, e->load.indices[i], merge_load, m);
        changed = changed || inside[i] != e->load.indices[i];
    }
    access a;
    const rlxc_buffer *to = inside ? merge(m, e->load.buffer, inside, &a) : NULL;
    if (to)
        return rlxc_load(m->ctx, to, a.indices, a.n);
    return changed ? rlxc_load(m->ctx, e->load.buffer, inside, e->load.n) : e;
}

static const rlxc_expr *merge_expr(void *user, const rlxc_expr *e)
{
    merging *m = user;
    const rlxc_expr *out = rlxc_expr_rewrite(m->ctx, e, merge_load, m);
    return out == e ? NULL : out;
}

static const rlxc_stmt *declaration(const merging *m, const view *v)
{
    rlxc_stmt *s = rlxc_alloc(m->ctx, sizeof *s);
    *s = (rlxc_stmt){.kind = RLXC_STMT_DECL_BUFFER, .decl = v->buffer};
    return s;
}

typedef struct list {
    RLXC_VEC(const rlxc_stmt *) items;
} list;

/* Appends the declarations of views of |of| (NULL: of all buffers) that have none yet. */
static bool declare(merging *m, const rlxc_buffer *of, list *out)
{
    bool any = false;
    for (uint32_t i = 0; i < m->views.count; i++) {
        view *v = &m->views.items[i];
        if (v->declared || (of && v->of != of))
            continue;
        RLXC_PUSH(m->ctx, &out->items, declaration(m, v));
        any = v->declared = true;
    }
    return any;
}

static const rlxc_stmt *merge_stmt(void *user, const rlxc_stmt *s)
{
    merging *m = user;
    rlxc_context *ctx = m->ctx;
    access a;
    if (s->kind == RLXC_STMT_STORE) {
        const rlxc_buffer *to = merge(m, s->store.buffer, s->store.indices, &a);
        if (!to)
            return NULL;
        rlxc_stmt *store = rlxc_copy(ctx, s, sizeof *store);
        store->store.buffer = to;
        store->store.indices = rlxc_copy(ctx, a.indices, a.n * sizeof *a.indices);
        store->store.n = a.n;
        return store;
    }
    if (s->kind != RLXC_STMT_SEQ || m->views.count == 0)
        return NULL;
    list out = {0};
    bool any = false;
    for (uint32_t i = 0; i < s->seq.n; i++) {
        const rlxc_stmt *item = s->seq.items[i];
        RLXC_PUSH(ctx, &out.items, item);
        if (item->kind == RLXC_STMT_DECL_BUFFER)
            any |= declare(m, item->decl, &out);
    }
    return any ? rlxc_stmt_seq(ctx, out.items.items, out.items.count) : NULL;
}

const rlxc_stmt *rlxc_merge_indices(rlxc_context *ctx, const rlxc_stmt *body)
{
    merging m = {.ctx = ctx};
    const rlxc_stmt_rewriter rewriter = {.user = &m, .expr = merge_expr, .stmt = merge_stmt};
    const rlxc_stmt *out = rlxc_stmt_rewrite(ctx, body, &rewriter);
    list all = {0};
    if (!declare(&m, NULL, &all))
        return out;
    RLXC_PUSH(ctx, &all.items, out);
    return rlxc_stmt_seq(ctx, all.items.items, all.items.count);
}

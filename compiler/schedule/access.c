/* The accesses of blocks, and the regions that they cover under a loop.
 *
 * A region is a span (minimum and maximum index) for each dimension. Spans are never too small;
 * they are exact where indices are linear in variables that occur once. */
#include <string.h>

#include "compiler/ir/mma.h"
#include "compiler/schedule/tree.h"

enum { MAX_NDIM = 64 };

/* --- accesses --------------------------------------------------------------------------------- */

typedef struct collecting {
    rlxc_engine *e;
    rlxc_accesses_in *out;
    bool in_init;
    RLXC_VEC(const rlxc_expr *) matrices; /* loads that only say where a matrix is */
} collecting;

/* A thread's part of a matrix of T.ptx_mma is the whole of the last dimension: an access in a loop
 * over it. */
static void add_matrix(collecting *c, const rlxc_expr *first, bool writes)
{
    rlxc_context *ctx = c->e->ctx;
    const rlxc_buffer *b = first->load.buffer;
    const uint32_t n = first->load.n;
    const rlxc_expr *item = rlxc_var(ctx, rlxc_intern_cstr(ctx, "item"), RLX_I64);
    const rlxc_expr **at = rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *at);
    if (!at || n == 0 || n != b->ndim)
        return;
    for (uint32_t i = 0; i < n; i++)
        at[i] = first->load.indices[i];
    at[n - 1] = item;
    rlxc_access a = {.buffer = b, .indices = at, .n = n, .in_init = c->in_init};
    RLXC_PUSH(ctx, &c->matrices, first);
    RLXC_PUSH(ctx, &c->out->loops,
              rlxc_stmt_for(ctx, item, rlxc_i64(ctx, 0), rlxc_cast(ctx, RLX_I64, b->shape[n - 1]),
                            RLXC_LOOP_SERIAL, NULL));
    RLXC_PUSH(ctx, &c->out->items, a);
    a.writes = true;
    if (writes)
        RLXC_PUSH(ctx, &c->out->items, a);
}

static bool visit_load(void *user, const rlxc_expr *x)
{
    collecting *c = user;
    if (x->kind == RLXC_EXPR_LOAD)
        RLXC_PUSH(c->e->ctx, &c->out->items,
                  (rlxc_access){.buffer = x->load.buffer,
                                .indices = x->load.indices,
                                .n = x->load.n,
                                .in_init = c->in_init});
    for (uint32_t k = 0; k < RLXC_MMA_MATRICES && rlxc_mma_has_matrices(x); k++)
        add_matrix(c, rlxc_mma_matrix(x, k), k == RLXC_MMA_C);
    return true;
}

static const rlxc_expr *visit_expr(void *user, const rlxc_expr *x)
{
    collecting *c = user;
    if (x)
        rlxc_expr_visit(c->e->ctx, x, visit_load, c);
    return NULL;
}

static bool visit_store(void *user, const rlxc_stmt *s)
{
    collecting *c = user;
    if (s->kind == RLXC_STMT_STORE)
        RLXC_PUSH(c->e->ctx, &c->out->items,
                  (rlxc_access){.buffer = s->store.buffer,
                                .indices = s->store.indices,
                                .n = s->store.n,
                                .writes = true,
                                .in_init = c->in_init});
    if (s->kind == RLXC_STMT_FOR)
        RLXC_PUSH(c->e->ctx, &c->out->loops, s);
    return true;
}

/* A buffer whose pointer has other uses than loads and stores: any element may be read and written.
 */
typedef struct pointer_search {
    collecting *c;
    const rlxc_buffer *buffer;
    bool found;
} pointer_search;

static bool is_pointer(void *user, const rlxc_expr *x)
{
    pointer_search *q = user;
    q->found |= x == q->buffer->data;
    return !q->found;
}

static const rlxc_expr *search_pointer(void *user, const rlxc_expr *x)
{
    pointer_search *q = user;
    if (x && !q->found)
        rlxc_expr_visit(q->c->e->ctx, x, is_pointer, q);
    return NULL;
}

static void add_pointer(collecting *c, const rlxc_stmt *s, const rlxc_buffer *buffer)
{
    pointer_search q = {c, buffer, false};
    const rlxc_stmt_rewriter search = {.user = &q, .expr = search_pointer};
    (void)rlxc_stmt_rewrite(c->e->ctx, s, &search);
    for (int writes = 0; q.found && writes < 2; writes++)
        RLXC_PUSH(c->e->ctx, &c->out->items,
                  (rlxc_access){.buffer = buffer, .writes = writes != 0});
}

static void drop_matrices(const collecting *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->out->items.count && c->matrices.count; i++) {
        bool drop = false;
        for (uint32_t k = 0; k < c->matrices.count && !drop; k++)
            drop = c->out->items.items[i].indices == c->matrices.items[k]->load.indices;
        if (!drop)
            c->out->items.items[n++] = c->out->items.items[i];
    }
    if (c->matrices.count)
        c->out->items.count = n;
}

static void collect(rlxc_engine *e, const rlxc_stmt *s, bool in_init, rlxc_accesses_in *out)
{
    collecting c = {.e = e, .out = out, .in_init = in_init};
    const rlxc_stmt_rewriter loads = {.user = &c, .expr = visit_expr};
    if (!s)
        return;
    rlxc_stmt_visit(s, visit_store, &c);
    (void)rlxc_stmt_rewrite(e->ctx, s, &loads);
    drop_matrices(&c);
    for (uint32_t i = 0; i < e->f->n_params; i++)
        if (e->f->params[i].buffer)
            add_pointer(&c, s, e->f->params[i].buffer);
    for (uint32_t i = 0; i < e->root->block->n_allocs; i++)
        add_pointer(&c, s, e->root->block->allocs[i]);
}

/* Buffers that a block matches to regions of others count as accesses to any element of those. */
static void resolve_matches(const rlxc_node *block, rlxc_accesses_in *out)
{
    const rlxc_block *b = block->block;
    for (uint32_t i = 0; i < out->items.count; i++)
        for (uint32_t k = b->n_matches; k-- > 0;)
            if (out->items.items[i].buffer == b->matches[k].buffer) {
                out->items.items[i].buffer = b->matches[k].source.buffer;
                out->items.items[i].indices = NULL;
            }
}

static void nested_accesses(rlxc_engine *e, const rlxc_node *node, rlxc_accesses_in *out)
{
    if (node->kind == RLXC_NODE_BLOCK) {
        rlxc_accesses_in inner = {0};
        rlxc_block_accesses(e, node, &inner);
        const rlxc_expr *vars[MAX_NDIM];
        uint32_t n = node->block->n_axes;
        for (uint32_t i = 0; i < n && i < MAX_NDIM; i++)
            vars[i] = node->block->axes[i].var;
        for (uint32_t i = 0; i < inner.items.count; i++) {
            rlxc_access *a = &inner.items.items[i];
            const rlxc_expr **at = rlxc_try_alloc(e->ctx, (size_t)a->n + 1, sizeof *at);
            for (uint32_t k = 0; k < a->n && at && a->indices && n <= MAX_NDIM; k++)
                at[k] = rlxc_substitute(e->ctx, a->indices[k], vars, node->values, n);
            a->indices = a->indices && n <= MAX_NDIM ? at : NULL;
            RLXC_PUSH(e->ctx, &out->items, *a);
        }
        for (uint32_t i = 0; i < inner.loops.count; i++)
            RLXC_PUSH(e->ctx, &out->loops, inner.loops.items[i]);
        return;
    }
    if (node->kind == RLXC_NODE_LOOP)
        RLXC_PUSH(
            e->ctx, &out->loops,
            rlxc_stmt_for(e->ctx, node->var, node->min, node->extent, RLXC_LOOP_SERIAL, NULL));
    for (uint32_t i = 0; i < node->kids.items.count; i++)
        nested_accesses(e, node->kids.items.items[i], out);
}

void rlxc_block_accesses(rlxc_engine *e, const rlxc_node *block, rlxc_accesses_in *out)
{
    const rlxc_stmt *body = rlxc_leaf_body(block);
    collect(e, block->block->init, true, out);
    if (body)
        collect(e, body, false, out);
    else
        for (uint32_t i = 0; i < block->kids.items.count; i++)
            nested_accesses(e, block->kids.items.items[i], out);
    resolve_matches(block, out);
}

bool rlxc_block_touches(rlxc_engine *e, const rlxc_node *block, const rlxc_buffer *buffer,
                        bool writes)
{
    rlxc_accesses_in all = {0};
    rlxc_block_accesses(e, block, &all);
    for (uint32_t i = 0; i < all.items.count; i++)
        if (all.items.items[i].buffer == buffer && all.items.items[i].writes == writes)
            return true;
    return false;
}

bool rlxc_is_temp(const rlxc_engine *e, const rlxc_buffer *buffer)
{
    const rlxc_block *root = e->root->block;
    for (uint32_t i = 0; i < root->n_allocs; i++)
        if (root->allocs[i] == buffer)
            return true;
    return false;
}

void rlxc_drop_temp(rlxc_engine *e, const rlxc_buffer *buffer)
{
    rlxc_block *root = e->root->block;
    rlxc_buffer **kept = rlxc_try_alloc(e->ctx, (size_t)root->n_allocs + 1, sizeof *kept);
    uint32_t n = 0;
    for (uint32_t i = 0; i < root->n_allocs && kept; i++)
        if (root->allocs[i] != buffer)
            kept[n++] = root->allocs[i];
    root->allocs = kept;
    root->n_allocs = n;
}

void rlxc_add_temp(rlxc_engine *e, rlxc_buffer *buffer)
{
    rlxc_block *root = e->root->block;
    rlxc_buffer **more = rlxc_try_alloc(e->ctx, (size_t)root->n_allocs + 1, sizeof *more);
    for (uint32_t i = 0; i < root->n_allocs && more; i++)
        more[i] = root->allocs[i];
    if (more)
        more[root->n_allocs++] = buffer;
    root->allocs = more;
}

const rlxc_stmt *rlxc_only_store(const rlxc_node *block)
{
    const rlxc_stmt *body = rlxc_leaf_body(block), *init = block->block->init;
    if (!body || body->kind != RLXC_STMT_STORE || body->store.n != body->store.buffer->ndim ||
        block->block->n_matches || block->block->n_allocs || body->store.value->dtype.lanes > 1)
        return NULL;
    if (init && (init->kind != RLXC_STMT_STORE || init->store.buffer != body->store.buffer))
        return NULL;
    return body;
}

/* --- spans ------------------------------------------------------------------------------------ */

void rlxc_span_loop(rlxc_engine *e, rlxc_spans *s, const rlxc_expr *var, const rlxc_expr *min,
                    const rlxc_expr *extent)
{
    rlxc_span low = rlxc_span_of(e, s, min), count = rlxc_span_of(e, s, extent);
    rlxc_span span = {low.min, NULL};
    if (low.max && count.max)
        span.max = rlxc_simple(
            e, rlxc_add(e->ctx, low.max, rlxc_sub(e->ctx, count.max, rlxc_i64(e->ctx, 1))));
    RLXC_PUSH(e->ctx, &s->vars, var);
    RLXC_PUSH(e->ctx, &s->spans, span);
}

static rlxc_span of_product(rlxc_engine *e, rlxc_span a, const rlxc_expr *factor)
{
    rlxc_bound sign = rlxc_bound_of(e->ctx, factor, NULL);
    rlxc_span out = {a.min ? rlxc_mul(e->ctx, a.min, factor) : NULL,
                     a.max ? rlxc_mul(e->ctx, a.max, factor) : NULL};
    if (sign.min >= 0)
        return out;
    return sign.max <= 0 ? (rlxc_span){out.max, out.min} : (rlxc_span){NULL, NULL};
}

static bool is_whole(void *user, const rlxc_expr *x)
{
    *(bool *)user &= x->kind != RLXC_EXPR_FLOORDIV && x->kind != RLXC_EXPR_FLOORMOD;
    return *(bool *)user;
}

/* |x| // |by|, an end of a span; NULL: unknown. The value that the span is of divides by |by|, so
 * that is not 0 where the value is computed. Ends are also used elsewhere, so none divides by a
 * size that may be 0: (n * m - 1) // m is n - 1. */
static const rlxc_expr *quotient(rlxc_engine *e, const rlxc_expr *x, const rlxc_expr *by)
{
    const int64_t least = rlxc_bound_of(e->ctx, by, NULL).min;
    if (!x || least < 0)
        return NULL;
    const rlxc_expr *q = rlxc_simple(e, rlxc_binary(e->ctx, RLXC_EXPR_FLOORDIV, x, by));
    bool whole = true;
    if (least == 0)
        rlxc_expr_visit(e->ctx, q, is_whole, &whole);
    return whole ? q : NULL;
}

static rlxc_span of_modulo(rlxc_engine *e, rlxc_span a, const rlxc_expr *by)
{
    const rlxc_expr *zero = rlxc_i64(e->ctx, 0);
    const rlxc_expr *top = rlxc_sub(e->ctx, by, rlxc_i64(e->ctx, 1));
    if (a.min && a.max && rlxc_prove_le(e->ctx, zero, a.min, NULL) &&
        rlxc_prove_lt(e->ctx, a.max, by, NULL))
        return a;
    return rlxc_bound_of(e->ctx, by, NULL).min >= 1 ? (rlxc_span){zero, top}
                                                    : (rlxc_span){NULL, NULL};
}

static rlxc_span of_binary(rlxc_engine *e, const rlxc_spans *s, const rlxc_expr *x)
{
    rlxc_context *ctx = e->ctx;
    rlxc_expr_kind kind = (rlxc_expr_kind)x->kind;
    rlxc_span a = rlxc_span_of(e, s, x->bin.a), b = rlxc_span_of(e, s, x->bin.b);
    bool fixed_a = a.min && a.min == a.max, fixed_b = b.min && b.min == b.max;
    if (kind == RLXC_EXPR_ADD || kind == RLXC_EXPR_MIN || kind == RLXC_EXPR_MAX)
        return (rlxc_span){a.min && b.min ? rlxc_binary(ctx, kind, a.min, b.min) : NULL,
                           a.max && b.max ? rlxc_binary(ctx, kind, a.max, b.max) : NULL};
    if (kind == RLXC_EXPR_SUB)
        return (rlxc_span){a.min && b.max ? rlxc_sub(ctx, a.min, b.max) : NULL,
                           a.max && b.min ? rlxc_sub(ctx, a.max, b.min) : NULL};
    if (kind == RLXC_EXPR_MUL && fixed_b)
        return of_product(e, a, b.min);
    if (kind == RLXC_EXPR_MUL && fixed_a)
        return of_product(e, b, a.min);
    if (kind == RLXC_EXPR_FLOORDIV && fixed_b)
        return (rlxc_span){quotient(e, a.min, b.min), quotient(e, a.max, b.min)};
    if (kind == RLXC_EXPR_FLOORMOD && fixed_b)
        return of_modulo(e, a, b.min);
    return (rlxc_span){NULL, NULL};
}

typedef struct var_search {
    const rlxc_spans *s;
    bool found;
} var_search;

static bool is_ranging(void *user, const rlxc_expr *x)
{
    var_search *q = user;
    q->found |= x->kind == RLXC_EXPR_LOAD;
    for (uint32_t i = 0; i < q->s->vars.count && x->kind == RLXC_EXPR_VAR; i++)
        q->found |= q->s->vars.items[i] == x;
    return !q->found;
}

rlxc_span rlxc_span_of(rlxc_engine *e, const rlxc_spans *s, const rlxc_expr *value)
{
    rlxc_span out = {NULL, NULL};
    var_search q = {s, false};
    rlxc_expr_visit(e->ctx, value, is_ranging, &q);
    if (!q.found)
        return (rlxc_span){value, value};
    if (value->kind == RLXC_EXPR_VAR) {
        for (uint32_t i = s->vars.count; i-- > 0;)
            if (s->vars.items[i] == value)
                return s->spans.items[i];
    } else if (value->kind == RLXC_EXPR_CAST && rlxc_dtype_is_int(value->dtype) &&
               rlxc_dtype_is_int(value->bin.a->dtype)) {
        out = rlxc_span_of(e, s, value->bin.a);
    } else if (rlxc_is_binary(value) && rlxc_dtype_is_int(value->dtype)) {
        out = of_binary(e, s, value);
    }
    return (rlxc_span){out.min ? rlxc_simple(e, out.min) : NULL,
                       out.max ? rlxc_simple(e, out.max) : NULL};
}

rlxc_bounds rlxc_bounds_at(rlxc_engine *e, const rlxc_node *node)
{
    rlxc_bounds out = {0};
    for (; node; node = node->parent) {
        int64_t extent;
        if (node->kind == RLXC_NODE_LOOP && rlxc_is_const(node->min, 0))
            rlxc_bounds_set(e->ctx, &out, node->var,
                            rlxc_is_int(node->extent, &extent) && extent > 0
                                ? (rlxc_bound){0, extent - 1}
                                : (rlxc_bound){0, INT64_MAX});
    }
    return out;
}

/* --- regions ---------------------------------------------------------------------------------- */

/* Loops and axes between |under| (its own variable is fixed) and |block|. */
static void spans_between(rlxc_engine *e, const rlxc_node *block, const rlxc_node *under,
                          rlxc_spans *out)
{
    if (block == under)
        return;
    spans_between(e, block->parent, under, out);
    if (block->kind == RLXC_NODE_LOOP)
        rlxc_span_loop(e, out, block->var, block->min, block->extent);
}

static void widen(rlxc_engine *e, bool first, rlxc_span *into, rlxc_span by)
{
    rlxc_context *ctx = e->ctx;
    if (first) {
        *into = by;
        return;
    }
    into->min = !into->min || !by.min ? NULL
                : rlxc_prove_le(ctx, into->min, by.min, NULL)
                    ? into->min
                    : rlxc_simple(e, rlxc_binary(ctx, RLXC_EXPR_MIN, into->min, by.min));
    into->max = !into->max || !by.max ? NULL
                : rlxc_prove_le(ctx, by.max, into->max, NULL)
                    ? into->max
                    : rlxc_simple(e, rlxc_binary(ctx, RLXC_EXPR_MAX, into->max, by.max));
}

/* Cuts the span of a dimension to the buffer: nothing is accessed outside of it. */
static void clip(rlxc_engine *e, const rlxc_node *under, const rlxc_buffer *buffer, uint32_t k,
                 rlxc_span *span)
{
    const rlxc_expr *last = rlxc_simple(
        e, rlxc_sub(e->ctx, rlxc_cast(e->ctx, RLX_I64, buffer->shape[k]), rlxc_i64(e->ctx, 1)));
    rlxc_bounds bounds = rlxc_bounds_at(e, under);
    if (!span->min || rlxc_prove_le(e->ctx, span->min, rlxc_i64(e->ctx, 0), &bounds))
        span->min = rlxc_i64(e->ctx, 0);
    if (!span->max || rlxc_prove_le(e->ctx, last, span->max, &bounds))
        span->max = last;
}

bool rlxc_block_region(rlxc_engine *e, const rlxc_node *block, const rlxc_node *under,
                       const rlxc_buffer *buffer, bool writes, rlxc_span *out)
{
    rlxc_accesses_in all = {0};
    rlxc_spans between = {0}, spans = {0};
    bool any = false;
    rlxc_block_accesses(e, block, &all);
    for (uint32_t i = 0; i < all.items.count && !any; i++)
        any = all.items.items[i].buffer == buffer && all.items.items[i].writes == writes;
    if (!any)
        return false;
    any = false;
    spans_between(e, block->parent, under, &between);
    for (uint32_t i = 0; i < block->block->n_axes; i++) { /* an axis stays in its own domain */
        const rlxc_axis *axis = &block->block->axes[i];
        rlxc_span value = rlxc_span_of(e, &between, block->values[i]), domain = {NULL, NULL};
        rlxc_span_loop(e, &spans, axis->var, axis->min, axis->extent);
        domain = spans.spans.items[spans.spans.count - 1];
        rlxc_bounds bounds = rlxc_bounds_at(e, under);
        if (!value.min || (domain.min && rlxc_prove_le(e->ctx, value.min, domain.min, &bounds)))
            value.min = domain.min;
        if (!value.max || (domain.max && rlxc_prove_le(e->ctx, domain.max, value.max, &bounds)))
            value.max = domain.max;
        spans.spans.items[spans.spans.count - 1] = value;
    }
    for (uint32_t i = 0; i < all.loops.count; i++)
        rlxc_span_loop(e, &spans, all.loops.items[i]->loop.var, all.loops.items[i]->loop.min,
                       all.loops.items[i]->loop.extent);
    for (uint32_t i = 0; i < all.items.count; i++) {
        const rlxc_access *a = &all.items.items[i];
        if (a->buffer != buffer || a->writes != writes)
            continue;
        for (uint32_t k = 0; k < buffer->ndim; k++)
            widen(e, !any, &out[k],
                  a->indices && k < a->n ? rlxc_span_of(e, &spans, a->indices[k])
                                         : (rlxc_span){NULL, NULL});
        any = true;
    }
    for (uint32_t k = 0; k < buffer->ndim && any && !writes; k++)
        clip(e, under, buffer, k, &out[k]);
    return any;
}

bool rlxc_region_below(rlxc_engine *e, const rlxc_node *under, const rlxc_buffer *buffer,
                       bool writes, rlxc_span *out)
{
    rlxc_node_list blocks = {0};
    bool any = false;
    if (buffer->ndim > MAX_NDIM)
        return false;
    for (uint32_t i = 0; i < under->kids.items.count; i++)
        rlxc_blocks_in(e, under->kids.items.items[i], false, &blocks);
    for (uint32_t i = 0; i < blocks.items.count; i++) {
        rlxc_span one[MAX_NDIM];
        if (!rlxc_block_region(e, blocks.items.items[i], under, buffer, writes, one))
            continue;
        for (uint32_t k = 0; k < buffer->ndim; k++)
            widen(e, !any, &out[k], one[k]);
        any = true;
    }
    for (uint32_t k = 0; k < buffer->ndim && any; k++)
        clip(e, under, buffer, k, &out[k]);
    return any;
}

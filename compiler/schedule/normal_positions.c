/* Positions in flat buffers taken apart: x_1[i * 256 + j] becomes x[i, j].
 *
 * A position is a sum of multiples of the sizes of rows; what is a multiple of a size belongs to
 * its dimension. That is the element's place if each index is proved to stay inside its dimension,
 * by the loops and the conditions around the access: under 1 <= y and 1 <= x, y * 56 + x - 57 is
 * row y - 1, column x - 1. Where there is no such proof, quotients and remainders are left. */
#include <string.h>

#include "compiler/analysis/reach.h"
#include "compiler/schedule/normal_space.h"

enum { MOST_TERMS = 64, MOST_CHOICES = 4096 };

typedef struct walk {
    rlxc_context *ctx;
    const rlxc_reshaping *items;
    uint32_t n;
    rlxc_reach reach;
    rlxc_bounds bounds; /* of all loops and axes */
    uint32_t choices;   /* visited: an expression may be far larger as a tree than in memory */
    bool carried;       /* an access of a plain shape goes from one row to the next */
} walk;

/* --- terms ------------------------------------------------------------------------------------ */

typedef struct terms { /* a sum of products, and |rest| */
    rlxc_factors items[MOST_TERMS];
    int64_t rest;
    uint32_t n;
} terms;

bool rlxc_add_factors(rlxc_factors *out, const rlxc_expr *e)
{
    int64_t number;
    if (rlxc_is_int(e, &number))
        return !__builtin_mul_overflow(out->by, number, &out->by);
    if (e->kind == RLXC_EXPR_MUL)
        return rlxc_add_factors(out, e->bin.a) && rlxc_add_factors(out, e->bin.b);
    if (out->n == RLXC_MOST_FACTORS)
        return false;
    out->items[out->n++] = e;
    return true;
}

bool rlxc_factors_divide(const rlxc_factors *a, const rlxc_factors *b, rlxc_factors *out)
{
    *out = *a;
    if (b->by == 0 || (b->by == -1 && a->by == INT64_MIN) || a->by % b->by != 0)
        return false;
    out->by = a->by / b->by;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t k = 0;
        while (k < out->n && out->items[k] != b->items[i])
            k++;
        if (k == out->n)
            return false;
        out->items[k] = out->items[--out->n];
    }
    return true;
}

const rlxc_expr *rlxc_factors_expr(rlxc_context *ctx, const rlxc_factors *f)
{
    const rlxc_expr *e = f->n > 0 ? f->items[0] : rlxc_i64(ctx, f->by);
    for (uint32_t i = 1; i < f->n; i++)
        e = rlxc_mul(ctx, e, f->items[i]);
    return f->n > 0 && f->by != 1 ? rlxc_mul(ctx, e, rlxc_i64(ctx, f->by)) : e;
}

/* Adds |e| times |by|; false: there are too many terms, or numbers too large. */
static bool add_terms(terms *t, const rlxc_expr *e, rlxc_factors by)
{
    int64_t number;
    if (e->kind == RLXC_EXPR_ADD)
        return add_terms(t, e->bin.a, by) && add_terms(t, e->bin.b, by);
    if (e->kind == RLXC_EXPR_SUB)
        return add_terms(t, e->bin.a, by) && !__builtin_sub_overflow(0, by.by, &by.by) &&
               add_terms(t, e->bin.b, by);
    if (e->kind == RLXC_EXPR_MUL) {
        const bool sum = e->bin.a->kind == RLXC_EXPR_ADD || e->bin.a->kind == RLXC_EXPR_SUB;
        return rlxc_add_factors(&by, sum ? e->bin.b : e->bin.a) &&
               add_terms(t, sum ? e->bin.a : e->bin.b, by);
    }
    if (rlxc_is_int(e, &number) && by.n == 0)
        return !__builtin_mul_overflow(number, by.by, &number) &&
               !__builtin_add_overflow(t->rest, number, &t->rest);
    if (t->n == MOST_TERMS || !rlxc_add_factors(&by, e))
        return false;
    t->items[t->n++] = by;
    return true;
}
static bool read_terms(terms *t, const rlxc_expr *position)
{
    *t = (terms){.n = 0};
    return add_terms(t, position, (rlxc_factors){.by = 1});
}

uint32_t rlxc_position_steps(rlxc_context *ctx, const rlxc_expr *position, rlxc_factors *steps,
                             uint32_t most)
{
    terms t;
    uint32_t n = 0;
    if (!read_terms(&t, rlxc_wide(ctx, position)))
        return 0;
    for (uint32_t i = 0; i < t.n; i++) {
        const int64_t by = t.items[i].by;
        rlxc_factors step = {.by = by == INT64_MIN ? 0 : by < 0 ? -by : by}, rest;
        for (uint32_t k = 0; k < t.items[i].n; k++)
            if (rlxc_is_size(ctx, t.items[i].items[k]))
                step.items[step.n++] = t.items[i].items[k];
        bool known = step.by <= 0;
        for (uint32_t k = 0; k < n && !known; k++)
            known = rlxc_factors_divide(&steps[k], &step, &rest) && rest.by == 1 && rest.n == 0;
        if (!known && n < most)
            steps[n++] = step;
    }
    return n;
}

/* --- one access ------------------------------------------------------------------------------- */

/* The sizes of what one step in each dimension of |b| skips; false: they are unknown or empty. */
static bool row_sizes(rlxc_context *ctx, const rlxc_buffer *b, rlxc_factors *out)
{
    rlxc_factors size = {.by = 1};
    for (uint32_t i = b->ndim; i-- > 0;) {
        out[i] = size;
        if (i > 0 && (!rlxc_add_factors(&size, rlxc_wide(ctx, b->shape[i])) || size.by <= 0))
            return false;
    }
    return true;
}

/* The indices in |to| for the sum |t|. Its constant belongs to the dimensions from |first| on;
 * |nearest|: it may be negative in a dimension. */
static void indices_of(walk *w, const terms *t, const rlxc_buffer *to, const rlxc_factors *sizes,
                       uint32_t first, bool nearest, const rlxc_expr **out)
{
    rlxc_context *ctx = w->ctx;
    int64_t rest = t->rest;
    for (uint32_t i = 0; i < to->ndim; i++) {
        const int64_t size = sizes[i].by;
        int64_t whole = 0;
        if (i >= first && sizes[i].n == 0) {
            const int64_t left = rest % size;
            whole =
                rest / size + (nearest && left > size / 2) - (left < (nearest ? -(size / 2) : 0));
            rest -= whole * size;
        }
        out[i] = rlxc_i64(ctx, whole);
    }
    for (uint32_t k = 0; k < t->n; k++) {
        rlxc_factors index;
        uint32_t i = 0;
        while (!rlxc_factors_divide(&t->items[k], &sizes[i], &index))
            i++;
        out[i] = rlxc_add(ctx, out[i], rlxc_factors_expr(ctx, &index));
    }
    for (uint32_t i = 0; i < to->ndim; i++)
        out[i] = rlxc_canonical(ctx, out[i], &w->bounds);
}

/* True if all indices but the first are proved to stay inside: the first is what is left. */
static bool are_inside(walk *w, const rlxc_buffer *to, const rlxc_expr *const *at)
{
    for (uint32_t i = 1; i < to->ndim; i++)
        if (!rlxc_reach_inside(&w->reach, at[i], to->shape[i]))
            return false;
    return true;
}

static bool find_quotient(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || e->kind == RLXC_EXPR_FLOORDIV;
    return e->kind != RLXC_EXPR_FLOORMOD;
}

/* True if the index |e| adds a quotient to something: what leaves a row is carried to the next one.
 * A remainder that is added stays in the row if the sum is below |size|. */
static bool carries(const walk *w, const rlxc_expr *e, const rlxc_expr *size)
{
    const rlxc_bound b = rlxc_bound_of(w->ctx, e, &w->bounds);
    int64_t n;
    bool quotient = false;
    while (e->kind == RLXC_EXPR_CAST || e->kind == RLXC_EXPR_FLOORDIV ||
           e->kind == RLXC_EXPR_FLOORMOD)
        e = e->bin.a;
    rlxc_expr_visit(w->ctx, e, find_quotient, &quotient);
    const bool inside = rlxc_is_int(size, &n) && b.min >= 0 && b.max < n;
    return quotient || (!inside && rlxc_divisions_in(w->ctx, e) > 0);
}

static void map(walk *w, const rlxc_reshaping *r, const rlxc_expr *const *at, const rlxc_expr **out)
{
    rlxc_context *ctx = w->ctx;
    terms t;
    rlxc_factors sizes[RLX_MAX_NDIM];
    const rlxc_expr *position = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < r->from->ndim; i++)
        position = rlxc_add(ctx, rlxc_mul(ctx, position, rlxc_wide(ctx, r->from->shape[i])),
                            rlxc_wide(ctx, at[i]));
    if (r->to->ndim <= RLX_MAX_NDIM && row_sizes(ctx, r->to, sizes) && read_terms(&t, position))
        for (uint32_t k = 0; k < 2 * r->to->ndim; k++) {
            if (k >= 2 && t.rest == 0)
                break;
            indices_of(w, &t, r->to, sizes, k / 2, k % 2, out);
            if (are_inside(w, r->to, out))
                return;
        }
    for (uint32_t i = r->to->ndim; i-- > 0;) {
        const rlxc_expr *size = rlxc_wide(ctx, r->to->shape[i]);
        out[i] = rlxc_canonical(
            ctx, i > 0 ? rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, position, size) : position,
            &w->bounds);
        w->carried = w->carried || (r->plain && carries(w, out[i], size));
        position = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, position, size);
    }
}

static const rlxc_reshaping *reshaping_of(const walk *w, const rlxc_buffer *buffer)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->items[i].from == buffer)
            return &w->items[i];
    return NULL;
}

/* --- conditions ------------------------------------------------------------------------------- */

/* |e| as int64 where that is proved to make no difference. */
static const rlxc_expr *widened(walk *w, const rlxc_expr *e)
{
    rlxc_space s = {.ctx = w->ctx};
    return rlxc_dtype_is_int(e->dtype) && rlxc_space_fits(&s, e, NULL, NULL, 0, &w->bounds)
               ? rlxc_wide(w->ctx, e)
               : e;
}

static void assume(walk *w, const rlxc_expr *cond, bool holds)
{
    const rlxc_expr_kind kind = (rlxc_expr_kind)cond->kind;
    if (kind == RLXC_EXPR_CALL && cond->call.n == 1 && strcmp(cond->call.name, "likely") == 0) {
        assume(w, cond->call.args[0], holds);
    } else if (kind == RLXC_EXPR_AND && !holds) {
        const rlxc_expr *limit = rlxc_digit_limit(w->ctx, cond, &w->bounds);
        rlxc_reach_assume(&w->reach, limit ? limit : cond, false);
    } else if ((kind == RLXC_EXPR_AND && holds) || (kind == RLXC_EXPR_OR && !holds)) {
        assume(w, cond->bin.a, holds);
        assume(w, cond->bin.b, holds);
    } else if (kind == RLXC_EXPR_LT || kind == RLXC_EXPR_LE || kind == RLXC_EXPR_GT ||
               kind == RLXC_EXPR_GE) {
        const rlxc_expr *a = widened(w, cond->bin.a), *b = widened(w, cond->bin.b);
        if (rlxc_dtype_eq(a->dtype, b->dtype))
            rlxc_reach_assume(&w->reach, rlxc_binary(w->ctx, kind, a, b), holds);
    } else {
        rlxc_reach_assume(&w->reach, cond, holds);
    }
}

/* --- expressions ------------------------------------------------------------------------------ */

static const rlxc_expr *node(void *user, const rlxc_expr *e);

static const rlxc_expr *expr(walk *w, const rlxc_expr *e)
{
    return e ? rlxc_expr_rewrite_all(w->ctx, e, node, w) : NULL;
}

static const rlxc_expr *const *exprs(walk *w, const rlxc_expr *const *items, uint32_t n)
{
    const rlxc_expr **own = rlxc_alloc(w->ctx, ((size_t)n + 1) * sizeof *own);
    for (uint32_t i = 0; i < n; i++)
        own[i] = expr(w, items[i]);
    return own;
}

/* Indices in the new buffer; |at| are rewritten already. */
static const rlxc_expr *const *mapped(walk *w, const rlxc_reshaping *r, const rlxc_expr *const *at)
{
    const rlxc_expr **out = rlxc_alloc(w->ctx, ((size_t)r->to->ndim + 1) * sizeof *out);
    map(w, r, at, out);
    return out;
}

static const rlxc_expr *node(void *user, const rlxc_expr *e)
{
    walk *w = user;
    if (rlxc_is_choice(e)) {
        if (++w->choices > MOST_CHOICES)
            return e;
        const rlxc_reach_mark outside = rlxc_reach_scope(&w->reach);
        const rlxc_expr *args[] = {expr(w, e->call.args[0]), NULL, NULL};
        for (int i = 1; i < 3; i++) {
            assume(w, e->call.args[0], i == 1);
            args[i] = expr(w, e->call.args[i]);
            rlxc_reach_leave(&w->reach, outside);
        }
        return rlxc_call(w->ctx, e->dtype, e->call.name, args, 3);
    }
    const rlxc_reshaping *r = e->kind == RLXC_EXPR_LOAD ? reshaping_of(w, e->load.buffer) : NULL;
    return r ? rlxc_load(w->ctx, r->to, mapped(w, r, exprs(w, e->load.indices, e->load.n)),
                         r->to->ndim)
             : NULL;
}

/* --- statements ------------------------------------------------------------------------------- */

static const rlxc_stmt *stmt(walk *w, const rlxc_stmt *s);

static const rlxc_stmt *scoped(walk *w, const rlxc_stmt *s)
{
    const rlxc_reach_mark outside = rlxc_reach_scope(&w->reach);
    s = s ? stmt(w, s) : NULL;
    rlxc_reach_leave(&w->reach, outside);
    return s;
}

static const rlxc_stmt *block(walk *w, const rlxc_stmt *s)
{
    rlxc_stmt *own = rlxc_copy(w->ctx, s, sizeof *own);
    rlxc_block *b = rlxc_copy(w->ctx, s->block.block, sizeof *b);
    const rlxc_reach_mark outside = rlxc_reach_scope(&w->reach);
    own->block.values = exprs(w, s->block.values, b->n_axes);
    own->block.predicate = expr(w, s->block.predicate);
    if (s->block.predicate)
        assume(w, s->block.predicate, true);
    for (uint32_t i = 0; i < b->n_axes; i++)
        rlxc_reach_bind(&w->reach, b->axes[i].var,
                        rlxc_reach_resolve(&w->reach, s->block.values[i]));
    rlxc_buffer **allocs = rlxc_alloc(w->ctx, ((size_t)b->n_allocs + 1) * sizeof *allocs);
    for (uint32_t i = 0; i < b->n_allocs; i++) {
        const rlxc_reshaping *r = reshaping_of(w, b->allocs[i]);
        allocs[i] = r ? (rlxc_buffer *)(uintptr_t)r->to : b->allocs[i];
    }
    b->allocs = allocs;
    b->init = scoped(w, b->init);
    b->body = stmt(w, b->body);
    rlxc_reach_leave(&w->reach, outside);
    rlxc_forget_regions(b);
    own->block.block = b;
    return own;
}

static const rlxc_stmt *store(walk *w, const rlxc_stmt *s)
{
    const rlxc_reshaping *r = reshaping_of(w, s->store.buffer);
    rlxc_stmt *own = rlxc_copy(w->ctx, s, sizeof *own);
    own->store.value = expr(w, s->store.value);
    own->store.indices = exprs(w, s->store.indices, s->store.n);
    if (r) {
        own->store.indices = mapped(w, r, own->store.indices);
        own->store.buffer = r->to;
        own->store.n = r->to->ndim;
    }
    return own;
}

static const rlxc_stmt *leaf(walk *w, const rlxc_stmt *s)
{
    rlxc_stmt *own = rlxc_copy(w->ctx, s, sizeof *own);
    const rlxc_reshaping *r = s->kind == RLXC_STMT_DECL_BUFFER ? reshaping_of(w, s->decl) : NULL;
    if (r)
        own->decl = (rlxc_buffer *)(uintptr_t)r->to;
    if (s->kind == RLXC_STMT_LET) {
        own->let.value = expr(w, s->let.value);
        if (rlxc_dtype_is_int(s->let.value->dtype) && !s->let.value->from_memory)
            rlxc_reach_bind(&w->reach, s->let.var, rlxc_reach_resolve(&w->reach, s->let.value));
    }
    return own;
}

static const rlxc_stmt *stmt(walk *w, const rlxc_stmt *s)
{
    rlxc_stmt *own = rlxc_copy(w->ctx, s, sizeof *own);
    const rlxc_reach_mark outside = rlxc_reach_scope(&w->reach);
    if (s->kind == RLXC_STMT_STORE)
        return store(w, s);
    if (s->kind == RLXC_STMT_BLOCK)
        return block(w, s);
    if (s->kind == RLXC_STMT_SEQ) {
        const rlxc_stmt **items = rlxc_alloc(w->ctx, ((size_t)s->seq.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < s->seq.n; i++)
            items[i] = stmt(w, s->seq.items[i]);
        own->seq.items = items;
    } else if (s->kind == RLXC_STMT_FOR) {
        rlxc_reach_enter(&w->reach, s->loop.var, s->loop.min, s->loop.extent);
        own->loop.body = stmt(w, s->loop.body);
    } else if (s->kind == RLXC_STMT_IF) {
        own->if_.cond = expr(w, s->if_.cond);
        assume(w, s->if_.cond, true);
        own->if_.then = stmt(w, s->if_.then);
        rlxc_reach_leave(&w->reach, outside);
        assume(w, s->if_.cond, false);
        own->if_.otherwise = scoped(w, s->if_.otherwise);
    } else {
        return leaf(w, s);
    }
    rlxc_reach_leave(&w->reach, outside);
    return own;
}

/* --- the whole function ----------------------------------------------------------------------- */

static bool note_bounds(void *user, const rlxc_stmt *s)
{
    walk *w = user;
    if (s->kind == RLXC_STMT_FOR)
        rlxc_bound_loop(w->ctx, &w->bounds, s->loop.var, s->loop.min, s->loop.extent);
    for (uint32_t k = 0; s->kind == RLXC_STMT_BLOCK && k < s->block.block->n_axes; k++) {
        const rlxc_axis *axis = &s->block.block->axes[k];
        rlxc_bound_loop(w->ctx, &w->bounds, axis->var, axis->min, axis->extent);
    }
    return true;
}

const rlxc_stmt *rlxc_reshape(rlxc_context *ctx, const rlxc_stmt *body, const rlxc_reshaping *items,
                              uint32_t n)
{
    walk w = {.ctx = ctx, .items = items, .n = n, .reach = {.ctx = ctx}};
    rlxc_stmt_visit(body, note_bounds, &w);
    body = stmt(&w, body);
    return w.choices > MOST_CHOICES || w.carried ? NULL : body;
}

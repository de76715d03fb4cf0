/* Gives buffers their dimensions back: FlattenBuffer leaves views of one dimension, x_1[i * 256 +
 * j], and temporaries of one dimension.
 *
 * An access through a view of a whole buffer becomes one of the buffer itself. A temporary of one
 * dimension gets the shape of a parameter of the same size, or rows of the sizes by which accesses
 * count. The positions are taken apart (normal_positions.c). Where divisions remain, all
 * stays as written. */
#include <string.h>

#include "compiler/schedule/normal_space.h"
#include "compiler/schedule/stages.h"

/* True if both have the same number of elements, of one type. */
static bool same_elements(rlxc_context *ctx, const rlxc_buffer *a, const rlxc_buffer *b)
{
    return a != b && rlxc_is_compact(a) && rlxc_is_compact(b) &&
           rlxc_dtype_eq(a->dtype, b->dtype) &&
           rlxc_prove_eq(ctx, rlxc_product(ctx, a->shape, a->ndim),
                         rlxc_product(ctx, b->shape, b->ndim), NULL);
}

/* --- divisions -------------------------------------------------------------------------------- */

typedef struct divisions {
    rlxc_context *ctx;
    uint32_t n;
    bool all; /* also of variables: those are digits of loops that were fused */
} divisions;

static bool count_division(void *user, const rlxc_expr *e)
{
    divisions *d = user;
    if (e->kind != RLXC_EXPR_FLOORDIV && e->kind != RLXC_EXPR_FLOORMOD)
        return true;
    const rlxc_expr *of = e->bin.a;
    while (of->kind == RLXC_EXPR_CAST || of->kind == RLXC_EXPR_FLOORDIV ||
           of->kind == RLXC_EXPR_FLOORMOD)
        of = of->bin.a;
    d->n += d->all || of->kind != RLXC_EXPR_VAR;
    return true;
}

static bool count_at(void *user, const rlxc_stmt *s)
{
    divisions *d = user;
    rlxc_stmt_nodes(d->ctx, s, count_division, d);
    return true;
}

uint32_t rlxc_count_divisions(rlxc_context *ctx, const rlxc_stmt *body, bool all)
{
    divisions d = {.ctx = ctx, .all = all};
    rlxc_stmt_visit(body, count_at, &d);
    return d.n;
}

/* --- views ------------------------------------------------------------------------------------ */

/* True if |body| accesses |buffer| only where rlxc_reshape changes it. */
static bool only_elements(rlxc_context *ctx, const rlxc_stmt *body, const rlxc_buffer *buffer)
{
    const rlxc_buffer_use u = rlxc_use_of(ctx, body, buffer);
    return !u.elsewhere && !u.vectors && !u.matches;
}

static bool note_while(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || s->kind == RLXC_STMT_WHILE;
    return !*found;
}

static bool has_while(const rlxc_stmt *body)
{
    bool found = false;
    rlxc_stmt_visit(body, note_while, &found);
    return found;
}

/* The buffer of |f| whose memory the view |v| names whole; or NULL. |root|, or the sequence |body|,
 * allocates the temporaries. */
static rlxc_buffer *viewed(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_block *root,
                           const rlxc_stmt *body, const rlxc_buffer *v)
{
    rlxc_buffer *found = NULL;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer && f->params[i].buffer->data == v->data)
            found = f->params[i].buffer;
    for (uint32_t i = 0; root && i < root->n_allocs; i++)
        if (root->allocs[i]->data == v->data)
            found = root->allocs[i];
    for (uint32_t i = 1; i < body->seq.n && !found; i++) {
        const rlxc_stmt *a = body->seq.items[i - 1], *d = body->seq.items[i];
        if (a->kind == RLXC_STMT_ALLOCATE && d->kind == RLXC_STMT_DECL_BUFFER &&
            a->allocate.var == v->data && d->decl->data == v->data)
            found = d->decl;
    }
    return found && same_elements(ctx, found, v) ? found : NULL;
}

/* --- shapes of temporaries -------------------------------------------------------------------- */

enum { MOST_STEPS = 8 };

typedef struct steps { /* by which accesses to |buffer| count, the largest first */
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    rlxc_factors items[MOST_STEPS];
    uint32_t n;
} steps;

/* True if |a| comes before |b|: it has more factors, or the larger number. */
static bool is_larger(const rlxc_factors *a, const rlxc_factors *b)
{
    return a->n != b->n ? a->n > b->n : a->by > b->by;
}

static void take_steps(steps *s, const rlxc_expr *position)
{
    rlxc_factors own[MOST_STEPS], rest;
    const uint32_t n = rlxc_position_steps(s->ctx, position, own, MOST_STEPS);
    for (uint32_t i = 0; i < n && s->n < MOST_STEPS; i++) {
        uint32_t to = 0;
        while (to < s->n && is_larger(&s->items[to], &own[i]))
            to++;
        if (!is_larger(&own[i], &(rlxc_factors){.by = 1}) ||
            (to < s->n && rlxc_factors_divide(&s->items[to], &own[i], &rest) && rest.by == 1 &&
             rest.n == 0))
            continue;
        memmove(&s->items[to + 1], &s->items[to], (s->n - to) * sizeof *s->items);
        s->items[to] = own[i];
        s->n++;
    }
}

static bool take_load(void *user, const rlxc_expr *e)
{
    steps *s = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer == s->buffer)
        take_steps(s, e->load.indices[0]);
    return true;
}

static bool take_all(void *user, const rlxc_stmt *stmt)
{
    steps *s = user;
    rlxc_stmt_nodes(s->ctx, stmt, take_load, s);
    if (stmt->kind == RLXC_STMT_STORE && stmt->store.buffer == s->buffer)
        take_steps(s, stmt->store.indices[0]);
    return true;
}

/* --- the function ----------------------------------------------------------------------------- */

typedef struct shaping {
    rlxc_context *ctx;
    rlxc_prim_func *f;
    bool divide; /* as for rlxc_without_views */
    rlxc_buffers temps;
} shaping;

/* |body| with accesses to the items' buffers as those to others; NULL: divisions would be left, and
 * not |divide|. */
static const rlxc_stmt *reshaped(const shaping *s, const rlxc_stmt *body,
                                 const rlxc_reshaping *items, uint32_t n, bool divide)
{
    const uint32_t before = rlxc_count_divisions(s->ctx, s->f->body, false);
    body = rlxc_reshape(s->ctx, body, items, n);
    return body && !rlxc_failed(s->ctx) &&
                   (divide || rlxc_count_divisions(s->ctx, body, false) <= before)
               ? body
               : NULL;
}

/* True if |temp| has the shape of a parameter of the same size now; |divide|: also where divisions
 * are left. */
static bool shape_as_param(const shaping *s, const rlxc_buffer *temp, bool divide)
{
    rlxc_context *ctx = s->ctx;
    const rlxc_stmt *body = NULL;
    for (uint32_t i = s->f->n_params; i-- > 0 && !body;) {
        const rlxc_buffer *b = s->f->params[i].buffer;
        if (!b || b->ndim < 2 || !rlxc_is_compact(b) ||
            !rlxc_prove_eq(ctx, rlxc_product(ctx, b->shape, b->ndim), temp->shape[0], NULL))
            continue;
        rlxc_buffer *own = rlxc_copy(ctx, temp, sizeof *own);
        own->shape = b->shape;
        own->ndim = b->ndim;
        body = reshaped(s, s->f->body, &(rlxc_reshaping){temp, own, true}, 1, divide);
    }
    s->f->body = body ? body : s->f->body;
    return body;
}

/* The function's body with |temp| in rows of the |n| sizes |rows|; NULL: it has no such rows, or
 * their indices would divide. |divide|: as for shape_by_steps, |divided| loops are now. */
static const rlxc_stmt *in_rows(const shaping *s, const rlxc_buffer *temp,
                                const rlxc_factors *const *rows, uint32_t n, bool divide,
                                uint32_t divided)
{
    rlxc_context *ctx = s->ctx;
    const rlxc_expr *shape[MOST_STEPS + 1];
    rlxc_factors size = {.by = 1}, count;
    if (n >= RLX_MAX_NDIM ||
        !rlxc_add_factors(&size, rlxc_canonical(ctx, rlxc_wide(ctx, temp->shape[0]), NULL)))
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!rlxc_factors_divide(&size, rows[i], &count) ||
            !is_larger(&count, &(rlxc_factors){.by = 1}))
            return NULL;
        size = *rows[i];
        shape[i] = rlxc_factors_expr(ctx, &count);
    }
    shape[n] = rlxc_factors_expr(ctx, &size);
    rlxc_buffer *own = rlxc_copy(ctx, temp, sizeof *own);
    own->ndim = n + 1;
    own->shape = rlxc_copy(ctx, shape, own->ndim * sizeof *shape);
    const rlxc_stmt *body = reshaped(s, s->f->body, &(rlxc_reshaping){temp, own, true}, 1, false);
    return body && (divide || rlxc_divided_loops(ctx, body) <= divided) ? body : NULL;
}

/* Gives |temp| rows of those steps by which its accesses can count; |divide|: also where a loop
 * then has both its variable and digits of it. A step that leads to divisions may do so only
 * without the next one. False: there are none. */
static bool shape_by_steps(const shaping *s, const rlxc_buffer *temp, bool divide)
{
    steps all = {.ctx = s->ctx, .buffer = temp};
    const rlxc_factors *rows[MOST_STEPS + 1], *skipped = NULL;
    const rlxc_stmt *best = NULL;
    const uint32_t divided = rlxc_divided_loops(s->ctx, s->f->body);
    uint32_t n = 0;
    rlxc_stmt_visit(s->f->body, take_all, &all);
    for (uint32_t i = 0; i < all.n; i++) {
        const rlxc_stmt *body = NULL;
        if (skipped) {
            rows[n] = skipped;
            rows[n + 1] = &all.items[i];
            body = in_rows(s, temp, rows, n + 2, divide, divided);
            n += body ? 2 : 0;
        }
        if (!body) {
            rows[n] = &all.items[i];
            body = in_rows(s, temp, rows, n + 1, divide, divided);
            n += body != NULL;
        }
        skipped = body ? NULL : &all.items[i];
        best = body ? body : best;
    }
    s->f->body = best ? best : s->f->body;
    return best;
}

/* Gives |temp|, which nothing else names, more than one dimension. */
static void shape_temp(const shaping *s, const rlxc_buffer *temp)
{
    if (temp->ndim == 1 && rlxc_is_compact(temp) && only_elements(s->ctx, s->f->body, temp) &&
        !rlxc_use_of(s->ctx, s->f->body, temp).views && !shape_as_param(s, temp, false) &&
        !(s->divide && shape_as_param(s, temp, true)) && !shape_by_steps(s, temp, false))
        shape_by_steps(s, temp, true);
}

static bool find_temps(void *user, const rlxc_stmt *stmt)
{
    shaping *s = user;
    for (uint32_t i = 0; stmt->kind == RLXC_STMT_BLOCK && i < stmt->block.block->n_allocs; i++)
        RLXC_PUSH(s->ctx, &s->temps, stmt->block.block->allocs[i]);
    if (stmt->kind == RLXC_STMT_SEQ)
        rlxc_seq_without_allocs(s->ctx, s->f->body, stmt, &s->temps);
    return true;
}

/* Strides and an offset that are those of a buffer without any are dropped. */
static void drop_layout(rlxc_context *ctx, rlxc_buffer *b)
{
    const rlxc_expr *step = rlxc_i64(ctx, 1);
    bool compact = b->strides != NULL;
    if (b->elem_offset && rlxc_is_const(b->elem_offset, 0))
        b->elem_offset = NULL;
    for (uint32_t i = b->ndim; i-- > 0 && compact;) {
        int64_t stride;
        compact = rlxc_is_int(b->strides[i], &stride) && rlxc_is_const(step, stride);
        step = rlxc_canonical(ctx, rlxc_mul(ctx, step, rlxc_wide(ctx, b->shape[i])), NULL);
    }
    if (compact)
        b->strides = NULL;
}

/* --- temporaries that nothing reads ----------------------------------------------------------- */

typedef struct unread {
    rlxc_context *ctx;
    rlxc_buffers temps;
    const rlxc_buffer *temp; /* the one that is looked at */
    bool effects;            /* computing what is stored to it has some */
} unread;

static bool find_effects(void *user, const rlxc_stmt *s)
{
    unread *u = user;
    if (s->kind != RLXC_STMT_STORE || s->store.buffer != u->temp)
        return !u->effects;
    u->effects = u->effects || !rlxc_may_move(u->ctx, s->store.value);
    for (uint32_t i = 0; i < s->store.n; i++)
        u->effects = u->effects || !rlxc_may_move(u->ctx, s->store.indices[i]);
    return !u->effects;
}

static bool is_unread(const unread *u, const rlxc_buffer *b)
{
    for (uint32_t i = 0; i < u->temps.count; i++)
        if (u->temps.items[i] == b)
            return true;
    return false;
}

/* Statements without the stores to such temporaries, and without what is empty then. */
static const rlxc_stmt *without_unread(void *user, const rlxc_stmt *s)
{
    const unread *u = user;
    const rlxc_stmt *nothing = rlxc_stmt_nothing(u->ctx);
    if (s->kind == RLXC_STMT_STORE)
        return is_unread(u, s->store.buffer) ? nothing : NULL;
    if (s->kind == RLXC_STMT_FOR)
        return rlxc_stmt_is_nothing(s->loop.body) ? nothing : NULL;
    if (s->kind == RLXC_STMT_IF)
        return rlxc_stmt_is_nothing(s->if_.then) && !s->if_.otherwise &&
                       rlxc_may_move(u->ctx, s->if_.cond)
                   ? nothing
                   : NULL;
    if (s->kind != RLXC_STMT_BLOCK)
        return NULL;
    if (rlxc_stmt_is_nothing(s->block.block->body) && !s->block.block->init)
        return nothing;
    rlxc_block *own = rlxc_copy(u->ctx, s->block.block, sizeof *own);
    rlxc_buffer **kept = rlxc_alloc(u->ctx, ((size_t)own->n_allocs + 1) * sizeof *kept);
    own->n_allocs = 0;
    for (uint32_t i = 0; i < s->block.block->n_allocs; i++)
        if (!is_unread(u, s->block.block->allocs[i]))
            kept[own->n_allocs++] = s->block.block->allocs[i];
    if (own->n_allocs == s->block.block->n_allocs)
        return NULL;
    own->allocs = kept;
    rlxc_forget_regions(own);
    rlxc_stmt *realize = rlxc_copy(u->ctx, s, sizeof *realize);
    realize->block.block = own;
    return realize;
}

static void drop_unread(const shaping *s)
{
    unread u = {.ctx = s->ctx};
    for (uint32_t i = 0; i < s->temps.count; i++) {
        const rlxc_buffer_use use = rlxc_use_of(s->ctx, s->f->body, s->temps.items[i]);
        u.temp = s->temps.items[i];
        u.effects = use.loads || use.views || use.address || use.matches || use.stores == 0;
        rlxc_stmt_visit(s->f->body, find_effects, &u);
        if (!u.effects)
            RLXC_PUSH(s->ctx, &u.temps, s->temps.items[i]);
    }
    const rlxc_stmt_rewriter rewriter = {.user = &u, .stmt = without_unread};
    if (u.temps.count > 0)
        s->f->body = rlxc_stmt_rewrite(s->ctx, s->f->body, &rewriter);
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* The layout of a temporary that only its own accesses see is free. */
static void drop_strides(const shaping *s, rlxc_buffer *temp)
{
    const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->f->body, temp);
    drop_layout(s->ctx, temp);
    if (!u.views && !u.address && !u.matches) {
        temp->strides = NULL;
        temp->elem_offset = NULL;
    }
}

/* Lets the accesses through views that |body| declares name what they view; |root|: the block with
 * that body, or NULL. */
static void remove_views(const shaping *s, rlxc_block *root, const rlxc_stmt *body)
{
    rlxc_context *ctx = s->ctx;
    RLXC_VEC(rlxc_reshaping) views = {0};
    RLXC_VEC(const rlxc_stmt *) kept = {0};
    for (uint32_t i = 0; body->kind == RLXC_STMT_SEQ && i < body->seq.n; i++) {
        const rlxc_stmt *d = body->seq.items[i];
        rlxc_buffer *to =
            d->kind == RLXC_STMT_DECL_BUFFER ? viewed(ctx, s->f, root, body, d->decl) : NULL;
        if (to && only_elements(ctx, body, d->decl))
            RLXC_PUSH(ctx, &views, ((rlxc_reshaping){d->decl, to, false}));
        else
            RLXC_PUSH(ctx, &kept, d);
    }
    if (views.count == 0 || kept.count == 0 || rlxc_failed(ctx))
        return;
    body = rlxc_stmt_seq(ctx, kept.items, kept.count);
    if (root) {
        root->body = body;
        rlxc_forget_regions(root);
        body = rlxc_stmt_block(ctx, root, s->f->body->block.values, s->f->body->block.predicate);
    }
    body = reshaped(s, body, views.items, views.count, s->divide);
    s->f->body = body ? body : s->f->body;
}

void rlxc_without_views(rlxc_context *ctx, rlxc_prim_func *f, bool divide)
{
    const bool has_root = f->body->kind == RLXC_STMT_BLOCK && f->body->block.block->n_axes == 0;
    rlxc_block *root = has_root ? rlxc_copy(ctx, f->body->block.block, sizeof *root) : NULL;
    const rlxc_stmt *body = root ? root->body : f->body;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer)
            drop_layout(ctx, f->params[i].buffer);
    for (uint32_t i = 0; root && i < root->n_allocs; i++)
        drop_layout(ctx, root->allocs[i]);
    if (has_while(f->body))
        return;
    shaping s = {.ctx = ctx, .f = f, .divide = divide};
    remove_views(&s, root, body);
    rlxc_separate_memory(ctx, f);
    rlxc_stmt_visit(f->body, find_temps, &s);
    drop_unread(&s);
    for (uint32_t i = 0; i < s.temps.count; i++)
        drop_strides(&s, s.temps.items[i]);
    for (uint32_t i = 0; i < s.temps.count && !rlxc_failed(ctx); i++)
        shape_temp(&s, s.temps.items[i]);
}

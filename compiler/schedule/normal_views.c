/* Gives buffers their dimensions back: FlattenBuffer leaves views of one dimension, x_1[i * 256 +
 * j], and temporaries of one dimension.
 *
 * An access through a view of a whole buffer becomes one of the buffer itself, and a temporary of
 * one dimension gets rows of the sizes by which all accesses count, or the shape of a parameter of
 * the same size. The positions are taken apart (normal_positions.c). Where divisions remain, all
 * stays as written. */
#include "compiler/schedule/normal_space.h"

static bool is_compact(const rlxc_buffer *b)
{
    return !b->strides && (!b->elem_offset || rlxc_is_const(b->elem_offset, 0));
}

/* True if both have the same number of elements, of one type. */
static bool same_elements(rlxc_context *ctx, const rlxc_buffer *a, const rlxc_buffer *b)
{
    return a != b && is_compact(a) && is_compact(b) && rlxc_dtype_eq(a->dtype, b->dtype) &&
           a->ndim > 0 && b->ndim > 0 &&
           rlxc_prove_eq(ctx, rlxc_product(ctx, a->shape, a->ndim),
                         rlxc_product(ctx, b->shape, b->ndim), NULL);
}

/* --- divisions -------------------------------------------------------------------------------- */

typedef struct divisions {
    rlxc_context *ctx;
    uint32_t n;
} divisions;

/* Counts those of anything but a variable: the others are digits of loops that were fused. */
static bool count_division(void *user, const rlxc_expr *e)
{
    divisions *d = user;
    if (e->kind != RLXC_EXPR_FLOORDIV && e->kind != RLXC_EXPR_FLOORMOD)
        return true;
    const rlxc_expr *of = e->bin.a;
    while (of->kind == RLXC_EXPR_CAST || of->kind == RLXC_EXPR_FLOORMOD)
        of = of->bin.a;
    d->n += of->kind != RLXC_EXPR_VAR;
    return true;
}

static bool count_at(void *user, const rlxc_stmt *s)
{
    divisions *d = user;
    rlxc_stmt_nodes(d->ctx, s, count_division, d);
    return true;
}

static uint32_t divisions_in(rlxc_context *ctx, const rlxc_stmt *body)
{
    divisions d = {.ctx = ctx};
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

/* The buffer of |f| whose memory the view |v| names whole; or NULL. */
static rlxc_buffer *viewed(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_block *root,
                           const rlxc_buffer *v)
{
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer && f->params[i].buffer->data == v->data)
            return same_elements(ctx, f->params[i].buffer, v) ? f->params[i].buffer : NULL;
    for (uint32_t i = 0; root && i < root->n_allocs; i++)
        if (root->allocs[i]->data == v->data)
            return same_elements(ctx, root->allocs[i], v) ? root->allocs[i] : NULL;
    return NULL;
}

/* A parameter with more than one dimension and as many elements as |temp|. */
static const rlxc_buffer *model_for(rlxc_context *ctx, const rlxc_prim_func *f,
                                    const rlxc_buffer *temp)
{
    for (uint32_t i = f->n_params; i-- > 0;) {
        const rlxc_buffer *b = f->params[i].buffer;
        if (b && b->ndim > 1 && is_compact(b) && is_compact(temp) &&
            rlxc_prove_eq(ctx, rlxc_product(ctx, b->shape, b->ndim), temp->shape[0], NULL))
            return b;
    }
    return NULL;
}

/* --- shapes of temporaries -------------------------------------------------------------------- */

enum { MOST_STEPS = 8 };

typedef struct steps { /* by which all accesses to |buffer| count */
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    int64_t items[MOST_STEPS];
    uint32_t n;
    bool any;
} steps;

static void keep_common(steps *common, const rlxc_expr *position)
{
    int64_t own[MOST_STEPS];
    const uint32_t n = rlxc_position_steps(common->ctx, position, own, MOST_STEPS);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < (common->any ? common->n : n); i++) {
        const int64_t step = common->any ? common->items[i] : own[i];
        bool found = !common->any;
        for (uint32_t k = 0; k < n && !found; k++)
            found = own[k] == step;
        if (found)
            common->items[kept++] = step;
    }
    if (n > 0) {
        common->n = kept;
        common->any = true;
    }
}

static bool keep_load(void *user, const rlxc_expr *e)
{
    steps *common = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer == common->buffer)
        keep_common(common, e->load.indices[0]);
    return true;
}

static bool keep_all(void *user, const rlxc_stmt *s)
{
    steps *common = user;
    rlxc_stmt_nodes(common->ctx, s, keep_load, common);
    if (s->kind == RLXC_STMT_STORE && s->store.buffer == common->buffer)
        keep_common(common, s->store.indices[0]);
    return true;
}

/* The shape whose rows are the steps of all accesses to |temp|; NULL: it would have one dimension.
 */
static const rlxc_expr *const *shape_by_steps(rlxc_context *ctx, const rlxc_stmt *body,
                                              const rlxc_buffer *temp, uint32_t *ndim)
{
    steps common = {.ctx = ctx, .buffer = temp};
    int64_t size, sorted[MOST_STEPS];
    const rlxc_expr **shape = rlxc_alloc(ctx, (MOST_STEPS + 1) * sizeof *shape);
    rlxc_stmt_visit(body, keep_all, &common);
    if (!rlxc_is_int(temp->shape[0], &size))
        return NULL;
    for (uint32_t i = 0; i < common.n; i++) {
        uint32_t to = i;
        for (; to > 0 && sorted[to - 1] < common.items[i]; to--)
            sorted[to] = sorted[to - 1];
        sorted[to] = common.items[i];
    }
    *ndim = 0;
    for (uint32_t i = 0; i < common.n; i++)
        if (sorted[i] > 1 && sorted[i] < size && size % sorted[i] == 0) {
            shape[(*ndim)++] = rlxc_i64(ctx, size / sorted[i]);
            size = sorted[i];
        }
    shape[(*ndim)++] = rlxc_i64(ctx, size);
    return *ndim > 1 ? shape : NULL;
}

typedef struct shaping {
    rlxc_context *ctx;
    const rlxc_prim_func *f;
    const rlxc_stmt *body; /* all of it */
    RLXC_VEC(rlxc_reshaping) items;
} shaping;

/* Gives |temp|, which nothing else names, more than one dimension. */
static void shape_temp(shaping *s, const rlxc_buffer *temp)
{
    rlxc_buffer *own = rlxc_copy(s->ctx, temp, sizeof *own);
    if (temp->ndim != 1 || !is_compact(temp) || !only_elements(s->ctx, s->body, temp) ||
        rlxc_use_of(s->ctx, s->body, temp).views)
        return;
    own->shape = shape_by_steps(s->ctx, s->body, temp, &own->ndim);
    const rlxc_buffer *model = own->shape ? NULL : model_for(s->ctx, s->f, temp);
    if (model) {
        own->shape = model->shape;
        own->ndim = model->ndim;
    }
    if (own->shape)
        RLXC_PUSH(s->ctx, &s->items, ((rlxc_reshaping){temp, own}));
}

static bool shape_temps(void *user, const rlxc_stmt *stmt)
{
    shaping *s = user;
    for (uint32_t i = 0; stmt->kind == RLXC_STMT_BLOCK && i < stmt->block.block->n_allocs; i++)
        shape_temp(s, stmt->block.block->allocs[i]);
    rlxc_buffers taken = {0};
    if (stmt->kind == RLXC_STMT_SEQ)
        rlxc_seq_without_allocs(s->ctx, s->body, stmt, &taken);
    for (uint32_t i = 0; i < taken.count; i++)
        shape_temp(s, taken.items[i]);
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

void rlxc_without_views(rlxc_context *ctx, rlxc_prim_func *f)
{
    const bool has_root = f->body->kind == RLXC_STMT_BLOCK && f->body->block.block->n_axes == 0;
    rlxc_block *root = has_root ? rlxc_copy(ctx, f->body->block.block, sizeof *root) : NULL;
    const rlxc_stmt *body = root ? root->body : f->body;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].buffer)
            drop_layout(ctx, f->params[i].buffer);
    for (uint32_t i = 0; root && i < root->n_allocs; i++)
        drop_layout(ctx, root->allocs[i]);
    if (body->kind != RLXC_STMT_SEQ)
        return;
    const rlxc_stmt **kept = rlxc_alloc(ctx, (size_t)body->seq.n * sizeof *kept);
    RLXC_VEC(const rlxc_buffer *) views = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < body->seq.n; i++) {
        const rlxc_stmt *s = body->seq.items[i];
        if (s->kind == RLXC_STMT_DECL_BUFFER && viewed(ctx, f, root, s->decl) &&
            only_elements(ctx, body, s->decl))
            RLXC_PUSH(ctx, &views, s->decl);
        else
            kept[n++] = s;
    }
    body = n == 0 ? body : rlxc_stmt_seq(ctx, kept, n);
    shaping all = {.ctx = ctx, .f = f, .body = f->body};
    for (uint32_t i = 0; i < views.count; i++)
        RLXC_PUSH(ctx, &all.items,
                  ((rlxc_reshaping){views.items[i], viewed(ctx, f, root, views.items[i])}));
    rlxc_stmt_visit(f->body, shape_temps, &all);
    if (all.items.count == 0 || n == 0 || has_while(f->body) || rlxc_failed(ctx))
        return;
    if (root) {
        root->body = body;
        rlxc_forget_regions(root);
        body = rlxc_stmt_block(ctx, root, f->body->block.values, f->body->block.predicate);
    }
    body = rlxc_reshape(ctx, body, all.items.items, all.items.count);
    if (body && !rlxc_failed(ctx) && divisions_in(ctx, body) <= divisions_in(ctx, f->body))
        f->body = body;
}

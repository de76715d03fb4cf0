/* Gives buffers their dimensions back: FlattenBuffer leaves views of one dimension, x_1[i * 256 +
 * j], and temporaries of one dimension.
 *
 * An access through a view of a whole buffer becomes one of the buffer itself, and a temporary of
 * one dimension gets the shape of a parameter of the same size: the position is taken apart, and
 * the bounds of the loops simplify it, (i * 256 + j) // 256 to i. Where divisions remain, all stays
 * as written. */
#include "compiler/schedule/normal_space.h"

typedef struct reshaping {
    rlxc_context *ctx;
    const rlxc_buffer *from, *to;
} reshaping;

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

/* The indices in r->to of the element at |at| in r->from. */
static void reshape(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const reshaping *r = user;
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *position = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < r->from->ndim; i++)
        position = rlxc_add(ctx, rlxc_mul(ctx, position, rlxc_wide(ctx, r->from->shape[i])),
                            rlxc_wide(ctx, at[i]));
    for (uint32_t i = r->to->ndim; i-- > 0;) {
        const rlxc_expr *size = rlxc_wide(ctx, r->to->shape[i]);
        out[i] = i > 0 ? rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, position, size) : position;
        position = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, position, size);
    }
}

/* --- bounds ----------------------------------------------------------------------------------- */

typedef struct simplification {
    rlxc_context *ctx;
    rlxc_bounds bounds;
} simplification;

static void bound(simplification *s, const rlxc_expr *var, const rlxc_expr *extent)
{
    int64_t n;
    if (rlxc_is_int(extent, &n) && n > 0)
        rlxc_bounds_set(s->ctx, &s->bounds, var, (rlxc_bound){0, n - 1});
}

static bool note_bounds(void *user, const rlxc_stmt *s)
{
    simplification *to = user;
    if (s->kind == RLXC_STMT_FOR && rlxc_is_const(s->loop.min, 0))
        bound(to, s->loop.var, s->loop.extent);
    for (uint32_t k = 0; s->kind == RLXC_STMT_BLOCK && k < s->block.block->n_axes; k++)
        if (rlxc_is_const(s->block.block->axes[k].min, 0))
            bound(to, s->block.block->axes[k].var, s->block.block->axes[k].extent);
    return true;
}

static const rlxc_expr *simplified(void *user, const rlxc_expr *e)
{
    const simplification *s = user;
    return e->kind == RLXC_EXPR_VAR ? NULL : rlxc_simplify(s->ctx, e, &s->bounds);
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

static void count_in(void *user, const rlxc_expr *e)
{
    divisions *d = user;
    rlxc_expr_visit(d->ctx, e, count_division, d);
}

static bool count_at(void *user, const rlxc_stmt *s)
{
    rlxc_stmt_exprs(s, count_in, user);
    return true;
}

static uint32_t divisions_in(rlxc_context *ctx, const rlxc_stmt *body)
{
    divisions d = {.ctx = ctx};
    rlxc_stmt_visit(body, count_at, &d);
    return d.n;
}

/* --- views ------------------------------------------------------------------------------------ */

typedef struct use {
    rlxc_context *ctx;
    const rlxc_buffer *buffer;
    bool other; /* than loads and stores of one element */
} use;

static bool note_load(void *user, const rlxc_expr *e)
{
    use *u = user;
    for (uint32_t i = 0; e->kind == RLXC_EXPR_LOAD && i < e->load.n; i++)
        u->other = u->other || (e->load.buffer == u->buffer && e->load.indices[i]->dtype.lanes > 1);
    return true;
}

static void note_loads(void *user, const rlxc_expr *e)
{
    use *u = user;
    rlxc_expr_visit(u->ctx, e, note_load, u);
}

static bool note_use(void *user, const rlxc_stmt *s)
{
    use *u = user;
    rlxc_stmt_exprs(s, note_loads, u);
    for (uint32_t i = 0; s->kind == RLXC_STMT_STORE && i < s->store.n; i++)
        u->other =
            u->other || (s->store.buffer == u->buffer && s->store.indices[i]->dtype.lanes > 1);
    for (uint32_t i = 0; s->kind == RLXC_STMT_BLOCK && i < s->block.block->n_matches; i++)
        u->other = u->other || s->block.block->matches[i].source.buffer == u->buffer;
    return true;
}

static bool only_elements(rlxc_context *ctx, const rlxc_stmt *body, const rlxc_buffer *buffer)
{
    use u = {.ctx = ctx, .buffer = buffer};
    rlxc_stmt_visit(body, note_use, &u);
    return !u.other;
}

static bool note_view(void *user, const rlxc_stmt *s)
{
    use *u = user;
    u->other = u->other || (s->kind == RLXC_STMT_DECL_BUFFER && s->decl->data == u->buffer->data);
    return true;
}

static bool has_view(const rlxc_stmt *body, const rlxc_buffer *buffer)
{
    use u = {.buffer = buffer};
    rlxc_stmt_visit(body, note_view, &u);
    return u.other;
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

static const rlxc_stmt *reshaped(rlxc_context *ctx, const rlxc_stmt *body, const rlxc_buffer *from,
                                 const rlxc_buffer *to)
{
    reshaping r = {ctx, from, to};
    const rlxc_redirection redirection = {ctx, from, to, reshape, &r, false};
    return rlxc_redirect_stmt(&redirection, body);
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

/* Shapes the temporaries of |root| that have one dimension. */
static void shape_temps(rlxc_context *ctx, const rlxc_prim_func *f, rlxc_block *root)
{
    rlxc_buffer **allocs = rlxc_alloc(ctx, (root->n_allocs + (size_t)1) * sizeof *allocs);
    for (uint32_t i = 0; i < root->n_allocs; i++) {
        const rlxc_buffer *temp = allocs[i] = root->allocs[i];
        const rlxc_buffer *model = temp->ndim == 1 ? model_for(ctx, f, temp) : NULL;
        if (!model || has_view(root->body, temp) || !only_elements(ctx, root->body, temp))
            continue;
        allocs[i] = rlxc_copy(ctx, temp, sizeof **allocs);
        allocs[i]->shape = model->shape;
        allocs[i]->ndim = model->ndim;
        root->body = reshaped(ctx, root->body, temp, allocs[i]);
    }
    root->allocs = allocs;
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
    if (views.count == 0 || n == 0 || rlxc_failed(ctx))
        return;
    body = rlxc_stmt_seq(ctx, kept, n);
    for (uint32_t i = 0; i < views.count; i++)
        body = reshaped(ctx, body, views.items[i], viewed(ctx, f, root, views.items[i]));
    if (root) {
        root->body = body;
        rlxc_forget_regions(root);
        shape_temps(ctx, f, root);
        body = rlxc_stmt_block(ctx, root, f->body->block.values, f->body->block.predicate);
    }
    simplification s = {.ctx = ctx};
    rlxc_stmt_visit(body, note_bounds, &s);
    const rlxc_stmt_rewriter rewriter = {.user = &s, .expr = simplified};
    body = rlxc_stmt_rewrite(ctx, body, &rewriter);
    if (!rlxc_failed(ctx) && divisions_in(ctx, body) <= divisions_in(ctx, f->body))
        f->body = body;
}

/* Blocks that only copy, as the caches of other schedules do, or move elements: to padded layouts,
 * and to an element for each use (reindex). */
#include "compiler/schedule/normal_space.h"

static bool is_unit(const rlxc_buffer *b, uint32_t i)
{
    return rlxc_is_const(b->shape[i], 1);
}

/* The first dimension of |b| from |i| on that may have more than one element. */
static uint32_t next_dim(const rlxc_buffer *b, uint32_t i)
{
    while (i < b->ndim && is_unit(b, i))
        i++;
    return i;
}

const rlxc_buffer *rlxc_copied(rlxc_context *ctx, const rlxc_block *block)
{
    const rlxc_stmt *store = block->body;
    const rlxc_expr *v = store->store.value;
    if (block->init || !rlxc_nest_is_simple(ctx, block) || v->kind != RLXC_EXPR_LOAD)
        return NULL;
    const rlxc_buffer *from = v->load.buffer, *to = store->store.buffer;
    if (from->data == to->data || !rlxc_dtype_eq(from->dtype, to->dtype) ||
        !rlxc_is_compact(from) || !rlxc_is_compact(to))
        return NULL;
    uint32_t i = next_dim(from, 0), k = next_dim(to, 0);
    while (i < from->ndim && k < to->ndim) {
        if (!rlxc_prove_eq(ctx, from->shape[i], to->shape[k], NULL) ||
            v->load.indices[i] != store->store.indices[k])
            return NULL;
        i = next_dim(from, i + 1);
        k = next_dim(to, k + 1);
    }
    return i == from->ndim && k == to->ndim ? from : NULL;
}

/* --- moves ------------------------------------------------------------------------------------ */

const rlxc_expr *rlxc_load_moved(rlxc_context *ctx, const rlxc_expr *value)
{
    while (rlxc_is_choice(value) &&
           rlxc_expr_visit(ctx, value->call.args[0], rlxc_is_no_load, NULL) &&
           (value->call.args[2]->kind == RLXC_EXPR_INT ||
            value->call.args[2]->kind == RLXC_EXPR_FLOAT))
        value = value->call.args[1];
    if (value->kind != RLXC_EXPR_LOAD)
        return NULL;
    for (uint32_t i = 0; i < value->load.n; i++)
        if (!rlxc_expr_visit(ctx, value->load.indices[i], rlxc_is_no_load, NULL))
            return NULL;
    return value;
}

const rlxc_expr *rlxc_moved(rlxc_context *ctx, const rlxc_nest *mover)
{
    const rlxc_block *b = mover->block;
    const rlxc_expr *load = rlxc_load_moved(ctx, b->body->store.value);
    for (uint32_t k = 0; k < b->n_axes; k++)
        if (b->axes[k].kind != RLXC_AXIS_SPATIAL)
            return NULL;
    return load && !b->init && load->load.buffer->data != b->body->store.buffer->data &&
                   rlxc_nest_stores_all(ctx, mover)
               ? load
               : NULL;
}

typedef struct inlining {
    rlxc_context *ctx;
    const rlxc_nest *mover;
    rlxc_bounds bounds; /* of the reader's axes */
    bool failed;
} inlining;

/* The element of the source for a load of the temporary. */
static const rlxc_expr *source_of(void *user, const rlxc_expr *e)
{
    inlining *in = user;
    const rlxc_block *b = in->mover->block;
    const rlxc_stmt *store = b->body;
    const rlxc_expr *vars[RLXC_NEST_AXES], *values[RLXC_NEST_AXES];
    uint32_t n = 0;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer != store->store.buffer)
        return NULL;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        values[n] = rlxc_int(in->ctx, b->axes[k].var->dtype, 0); /* an axis of one step */
        for (uint32_t i = 0; i < store->store.n; i++)
            if (store->store.indices[i] == b->axes[k].var)
                values[n] =
                    rlxc_cast(in->ctx, b->axes[k].var->dtype,
                              rlxc_expr_rewrite(in->ctx, e->load.indices[i], source_of, in));
        vars[n++] = b->axes[k].var;
    }
    const rlxc_expr *source = rlxc_simplify(
        in->ctx, rlxc_substitute(in->ctx, store->store.value, vars, values, n), &in->bounds);
    in->failed = in->failed || source->kind != RLXC_EXPR_LOAD ||
                 rlxc_divisions_in(in->ctx, source) > rlxc_divisions_in(in->ctx, e);
    return source;
}

/* True if |mover| stores elements of |from| several times: it has more axes, or more elements. */
static bool repeats(rlxc_context *ctx, const rlxc_nest *mover, const rlxc_buffer *from)
{
    const rlxc_buffer *temp = mover->block->body->store.buffer;
    uint32_t axes = 0, dims = 0;
    for (uint32_t k = 0; k < mover->block->n_axes; k++)
        axes += !rlxc_is_const(mover->extents[k], 1);
    for (uint32_t i = 0; i < from->ndim; i++)
        dims += !rlxc_is_const(from->shape[i], 1);
    return axes > dims || rlxc_prove_lt(ctx, rlxc_product(ctx, from->shape, from->ndim),
                                        rlxc_product(ctx, temp->shape, temp->ndim), NULL);
}

bool rlxc_inline_move(rlxc_context *ctx, rlxc_nest *reader, const rlxc_nest *mover)
{
    const rlxc_expr *source = rlxc_moved(ctx, mover);
    const rlxc_buffer *from = source->load.buffer;
    inlining in = {.ctx = ctx, .mover = mover};
    if (source == mover->block->body->store.value && !repeats(ctx, mover, from))
        return false;
    for (uint32_t k = 0; k < reader->block->n_axes; k++)
        rlxc_bound_loop(ctx, &in.bounds, reader->block->axes[k].var, reader->block->axes[k].min,
                        reader->extents[k]);
    rlxc_block *own = rlxc_copy(ctx, reader->block, sizeof *own);
    rlxc_stmt *store = rlxc_copy(ctx, own->body, sizeof *store);
    store->store.value = rlxc_expr_rewrite(ctx, store->store.value, source_of, &in);
    if (own->init) {
        rlxc_stmt *init = rlxc_copy(ctx, own->init, sizeof *init);
        init->store.value = rlxc_expr_rewrite(ctx, init->store.value, source_of, &in);
        own->init = init;
    }
    if (in.failed || rlxc_failed(ctx))
        return false;
    own->body = store;
    rlxc_forget_regions(own);
    reader->block = own;
    reader->plain = false;
    return true;
}

typedef struct reading {
    rlxc_context *ctx;
    const rlxc_buffer *from, *to;
} reading;

/* The indices in the other buffer, whose dimensions of one element may be elsewhere. */
static void map(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const reading *r = user;
    uint32_t k = next_dim(r->from, 0);
    for (uint32_t i = 0; i < r->to->ndim; i++) {
        out[i] = is_unit(r->to, i) ? rlxc_i64(r->ctx, 0) : at[k];
        k = is_unit(r->to, i) ? k : next_dim(r->from, k + 1);
    }
}

bool rlxc_same_dims(const rlxc_buffer *a, const rlxc_buffer *b)
{
    bool same = a->ndim == b->ndim;
    for (uint32_t i = 0; i < a->ndim && same; i++)
        same = is_unit(a, i) == is_unit(b, i);
    return same;
}

const rlxc_stmt *rlxc_with_buffer(rlxc_context *ctx, const rlxc_stmt *stmt, const rlxc_buffer *from,
                                  const rlxc_buffer *to, bool stores)
{
    const bool same = rlxc_same_dims(from, to);
    reading r = {ctx, from, to};
    const rlxc_redirection redirection = {ctx, from, to, same ? NULL : map, &r, !stores};
    return stores && same ? rlxc_exchange_buffer(ctx, stmt, from, to)
                          : rlxc_redirect_stmt(&redirection, stmt);
}

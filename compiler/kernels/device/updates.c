/* The rewrite "scatter" (updates.h). */
#include "compiler/kernels/device/updates.h"

#include <string.h>

/* --- which blocks ----------------------------------------------------------------------------- */

typedef struct reading { /* of the buffer that is written */
    const rlxc_stmt *store;
    bool elsewhere;
    bool loads; /* of any buffer, or calls */
} reading;

static bool search_loads(void *user, const rlxc_expr *e)
{
    reading *r = user;
    const rlxc_stmt *s = r->store;
    r->loads = r->loads || e->kind == RLXC_EXPR_LOAD || e->kind == RLXC_EXPR_CALL;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer->data == s->store.buffer->data) {
        r->elsewhere = r->elsewhere || e->load.buffer != s->store.buffer;
        for (uint32_t i = 0; i < s->store.n; i++)
            r->elsewhere = r->elsewhere || e->load.indices[i] != s->store.indices[i];
    }
    return !r->elsewhere;
}

/* What |e| reads: true if it can be computed in any turn that has its variables. */
static bool is_free(rlxc_context *ctx, const rlxc_stmt *store, const rlxc_expr *e, bool *loads)
{
    reading r = {.store = store};
    rlxc_expr_visit(ctx, e, search_loads, &r);
    *loads = r.loads;
    return !r.elsewhere && rlxc_may_move(ctx, e);
}

/* The dimension whose index is the loop's variable, if its turns do not depend on data or other
 * loops, nor others on it; -1: none. */
static int dimension_of(rlxc_context *ctx, const rlxc_updates *u, uint32_t loop)
{
    const rlxc_stmt *at = u->chain[loop], *store = u->store;
    bool loads;
    if (at->kind != RLXC_STMT_FOR || !is_free(ctx, store, at->loop.extent, &loads) || loads)
        return -1;
    for (uint32_t i = 0; i < u->n_chain; i++) {
        const rlxc_stmt *other = u->chain[i];
        if (other->kind == RLXC_STMT_FOR &&
            (rlxc_expr_uses_var(ctx, other->loop.extent, at->loop.var) ||
             rlxc_expr_uses_var(ctx, at->loop.extent, other->loop.var)))
            return -1;
    }
    for (uint32_t d = 0; d < store->store.n; d++)
        if (store->store.indices[d] == at->loop.var)
            return (int)d;
    return -1;
}

bool rlxc_updates_of(const rlxc_stages *s, const rlxc_stmt *stmt, rlxc_updates *out)
{
    rlxc_context *ctx = s->ctx;
    bool loads;
    *out = (rlxc_updates){.n_chain = 0};
    if (stmt->kind != RLXC_STMT_BLOCK || stmt->block.predicate || stmt->block.block->n_axes ||
        stmt->block.block->init || stmt->block.block->n_allocs || stmt->block.block->n_matches)
        return rlxc_decline(s, "not a block without axes");
    out->block = stmt->block.block;
    for (stmt = out->block->body; stmt->kind != RLXC_STMT_STORE; out->n_chain++) {
        const bool loop = stmt->kind == RLXC_STMT_FOR && stmt->loop.kind == RLXC_LOOP_SERIAL &&
                          rlxc_is_const(stmt->loop.min, 0) && stmt->loop.annotations.count == 0;
        if (out->n_chain == RLXC_UPDATE_LOOPS ||
            (!loop && (stmt->kind != RLXC_STMT_IF || stmt->if_.otherwise)))
            return rlxc_decline(s, "not loops and conditions around one store");
        out->chain[out->n_chain] = stmt;
        stmt = loop ? stmt->loop.body : stmt->if_.then;
    }
    out->store = stmt;
    const rlxc_buffer *to = stmt->store.buffer;
    bool apart = !to->strides && !to->elem_offset && stmt->store.n == to->ndim &&
                 to->ndim <= RLXC_MAX_NDIM && is_free(ctx, stmt, stmt->store.value, &loads);
    for (uint32_t d = 0; d < stmt->store.n && apart; d++)
        apart = is_free(ctx, stmt, stmt->store.indices[d], &loads);
    for (uint32_t i = 0; i < out->n_chain && apart; i++)
        apart = is_free(ctx, stmt,
                        out->chain[i]->kind == RLXC_STMT_FOR ? out->chain[i]->loop.extent
                                                             : out->chain[i]->if_.cond,
                        &loads);
    if (!apart)
        return rlxc_decline(s, "%s is a view, or read at other elements", to->name);
    for (uint32_t d = 0; d < to->ndim; d++)
        out->of_dim[d] = -1;
    for (uint32_t i = out->n_chain; i-- > 0;) {
        const int d = dimension_of(ctx, out, i);
        if (d >= 0)
            out->of_dim[d] = (int)i;
    }
    return true;
}

/* --- the axes --------------------------------------------------------------------------------- */

const rlxc_expr *rlxc_updates_axis(rlxc_context *ctx, const rlxc_updates *u, uint32_t d,
                                   int64_t *owners)
{
    const rlxc_expr *extent = rlxc_cast(ctx, RLX_I64, u->store->store.buffer->shape[d]);
    int64_t n;
    if (u->of_dim[d] >= 0)
        return rlxc_cast(ctx, RLX_I64, u->chain[u->of_dim[d]]->loop.extent);
    if (!rlxc_is_int(extent, &n) || n > *owners) /* a power of two: its remainder is cheap */
        for (n = 1; n <= *owners / 2;)
            n *= 2;
    if (n < 2)
        return NULL;
    *owners /= n;
    return rlxc_i64(ctx, n);
}

typedef struct rewriting {
    rlxc_context *ctx;
    const rlxc_updates *u;
    int64_t owners;
    const rlxc_expr *loops[RLXC_MAX_NDIM]; /* of the axes */
    rlxc_axis axes[RLXC_MAX_NDIM];
    uint32_t n_axes;
    const rlxc_expr *old[RLXC_MAX_NDIM], *now[RLXC_MAX_NDIM]; /* loops that are axes */
    uint32_t n_old;
    const rlxc_expr *at[RLXC_MAX_NDIM], *own; /* of the store; NULL: all updates are the turn's */
} rewriting;

/* Dimension |d| of the store for the owner |axis| of |n|. */
static void own_dimension(rewriting *r, uint32_t d, const rlxc_expr *axis, const rlxc_expr *n)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *index = r->u->store->store.indices[d], *at = rlxc_cast(ctx, RLX_I64, index);
    const rlxc_expr *extent = rlxc_cast(ctx, RLX_I64, r->u->store->store.buffer->shape[d]);
    const bool each = rlxc_prove_eq(ctx, extent, n, NULL);
    const rlxc_expr *owner = each ? at : rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, at, n);
    const rlxc_expr *mine = rlxc_binary(ctx, RLXC_EXPR_EQ, owner, axis);
    const rlxc_expr *turn = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, at, n);
    const rlxc_expr *element = each ? axis : rlxc_add(ctx, rlxc_mul(ctx, turn, n), axis);
    r->own = r->own ? rlxc_binary(ctx, RLXC_EXPR_AND, r->own, mine) : mine;
    r->at[d] = rlxc_cast(ctx, index->dtype, element);
}

static void make_axes(rewriting *r)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_expr *const *indices = r->u->store->store.indices;
    const uint32_t ndim = r->u->store->store.n;
    const rlxc_expr *extents[RLXC_MAX_NDIM];
    for (uint32_t d = ndim; d-- > 0;)
        extents[d] = rlxc_updates_axis(ctx, r->u, d, &r->owners);
    for (uint32_t d = 0; d < ndim; d++) {
        r->at[d] = indices[d];
        if (!extents[d])
            continue;
        const rlxc_expr *var = rlxc_var(ctx, rlxc_internf(ctx, "v%u", d), RLX_I64);
        r->loops[r->n_axes] = rlxc_loop_var(ctx, rlxc_internf(ctx, "i%u", d));
        r->axes[r->n_axes++] = (rlxc_axis){RLXC_AXIS_SPATIAL, var, rlxc_i64(ctx, 0), extents[d]};
        if (r->u->of_dim[d] < 0) {
            own_dimension(r, d, var, extents[d]);
            continue;
        }
        r->old[r->n_old] = r->u->chain[r->u->of_dim[d]]->loop.var;
        r->now[r->n_old] = rlxc_cast(ctx, r->old[r->n_old]->dtype, var);
        r->n_old++;
    }
}

static bool is_axis(const rlxc_updates *u, uint32_t loop)
{
    for (uint32_t d = 0; d < u->store->store.n; d++)
        if (u->of_dim[d] == (int)loop)
            return true;
    return false;
}

static const rlxc_expr *in_axes(void *user, const rlxc_expr *e)
{
    const rewriting *r = user;
    return rlxc_substitute(r->ctx, e, r->old, r->now, r->n_old);
}

/* The loops that are no axes, around the store. */
static const rlxc_stmt *body_of(rewriting *r)
{
    rlxc_context *ctx = r->ctx;
    const rlxc_updates *u = r->u;
    const rlxc_buffer *to = u->store->store.buffer;
    const rlxc_expr *now = rlxc_load(ctx, to, r->at, to->ndim);
    const rlxc_stmt *out = rlxc_stmt_store(ctx, to, r->at, to->ndim,
                                           rlxc_replace_loads(ctx, u->store->store.value, to, now));
    if (r->own)
        out = rlxc_stmt_if(ctx, r->own, out, NULL);
    for (uint32_t i = u->n_chain; i-- > 0;) {
        if (is_axis(u, i))
            continue;
        rlxc_stmt *copy = rlxc_copy(ctx, u->chain[i], sizeof *copy);
        if (copy->kind == RLXC_STMT_FOR)
            copy->loop.body = out;
        else
            copy->if_.then = out;
        out = copy;
    }
    return rlxc_stmt_rewrite(ctx, out, &(rlxc_stmt_rewriter){.user = r, .expr = in_axes});
}

static const rlxc_stmt *rewritten(rewriting *r)
{
    rlxc_context *ctx = r->ctx;
    rlxc_block *block = rlxc_copy(ctx, r->u->block, sizeof *block);
    make_axes(r);
    rlxc_forget_regions(block);
    block->axes = rlxc_copy(ctx, r->axes, r->n_axes * sizeof *r->axes);
    block->n_axes = r->n_axes;
    block->body = body_of(r);
    const rlxc_stmt *out = rlxc_stmt_block(ctx, block, r->loops, NULL);
    for (uint32_t i = r->n_axes; i-- > 0;)
        out = rlxc_loop_of(ctx, r->loops[i], r->axes[i].extent, RLXC_LOOP_SERIAL, out);
    return out;
}

/* --- the rewrite ------------------------------------------------------------------------------ */

typedef struct search {
    rlxc_stages s;
    const rlxc_kernel_use *use;
    int64_t owners;
    bool done;
} search;

static const rlxc_stmt *at_block(void *user, const rlxc_stmt *s)
{
    search *f = user;
    rlxc_updates u;
    if (s->kind != RLXC_STMT_BLOCK || !s->block.block->name ||
        strcmp(s->block.block->name, f->use->block) != 0 || !rlxc_updates_of(&f->s, s, &u))
        return NULL;
    rewriting r = {.ctx = f->s.ctx, .u = &u, .owners = f->owners};
    f->done = true;
    return rewritten(&r);
}

static bool rewrite(void *user, const rlxc_kernel_use *use)
{
    rlxc_context *ctx = use->ctx;
    rlxc_options options = *(const rlxc_options *)user;
    const rlxc_attr *owners = rlxc_attrs_find(&use->sizes, rlxc_intern_cstr(ctx, "owners"));
    search f = {.s = {.ctx = ctx, .options = &options}, .use = use};
    options.explain = NULL;
    if (!owners || !rlxc_attr_as_int(owners, &f.owners) || f.owners < 1)
        return false;
    use->f->body =
        rlxc_stmt_rewrite(ctx, use->f->body, &(rlxc_stmt_rewriter){.user = &f, .stmt = at_block});
    return f.done && !rlxc_failed(ctx);
}

void rlxc_step_scatter(rlxc_schedule_steps *l, rlxc_step_ref block, int64_t owners)
{
    rlxc_step_rewrite(l, block, "scatter",
                      rlxc_attrs_with(l->ctx, (rlxc_attrs){0}, rlxc_intern_cstr(l->ctx, "owners"),
                                      rlxc_attr_int(owners)));
}

const rlxc_kernel_row rlxc_scatter_row = {
    "scatter", RLXC_STEP_rewrite,
    "updates at places that data gives, with axes for the elements of the result", rewrite};

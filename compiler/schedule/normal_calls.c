/* Calls that several nests compute become temporaries: T.exp(x[i, j] - m[i]) in a sum and again in
 * the quotient by it, as inlining leaves softmax. */
#include <string.h>

#include "compiler/analysis/reach.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/schedule/normal.h"
#include "compiler/schedule/stages.h"

enum { MOST_CALLS = 16 };

typedef struct calls {
    rlxc_context *ctx;
    const rlxc_expr *items[MOST_CALLS];
    uint32_t n;
} calls;

/* Functions that are computed in many instructions. */
static bool find_call(void *user, const rlxc_expr *e)
{
    calls *c = user;
    if (e->kind != RLXC_EXPR_CALL || c->n == MOST_CALLS)
        return c->n < MOST_CALLS;
    const rlxc_intrinsic *row = rlxc_find_intrinsic(e->call.name, strlen(e->call.name));
    if (row && (row->lowering == RLXC_LOWER_VECTOR || row->lowering == RLXC_LOWER_LIBM) &&
        rlxc_may_move(c->ctx, e) && e->dtype.lanes == 1)
        c->items[c->n++] = e;
    return true;
}

/* The axes of a nest that |e| uses, as they come in it. */
typedef struct used_axes {
    const rlxc_nest *nest;
    const rlxc_expr *vars[RLX_MAX_NDIM], *extents[RLX_MAX_NDIM];
    uint32_t n;
    bool whole; /* a load has all of them for indices */
} used_axes;

static bool find_axis(void *user, const rlxc_expr *e)
{
    used_axes *u = user;
    const uint32_t k = rlxc_block_axis(u->nest->block, e);
    if (e->kind != RLXC_EXPR_VAR || k == u->nest->block->n_axes)
        return true;
    if (u->n == RLX_MAX_NDIM)
        return false;
    u->vars[u->n] = e;
    u->extents[u->n++] = u->nest->extents[k];
    return true;
}

static bool find_whole(void *user, const rlxc_expr *e)
{
    used_axes *u = user;
    uint32_t n = 0;
    for (uint32_t i = 0; e->kind == RLXC_EXPR_LOAD && i < e->load.n; i++)
        for (uint32_t k = 0; k < u->n; k++)
            n += e->load.indices[i] == u->vars[k];
    u->whole = u->whole || (n > 0 && n == u->n);
    return true;
}

/* True if |e| has as many elements as something that it reads, and reads inside of its buffers for
 * all of them: there may be conditions around it. */
static bool read_axes(rlxc_context *ctx, const rlxc_nest *nest, const rlxc_expr *e, used_axes *out)
{
    rlxc_reach reach = {.ctx = ctx};
    *out = (used_axes){.nest = nest};
    if (!rlxc_expr_visit(ctx, e, find_axis, out) || !rlxc_expr_visit(ctx, e, find_whole, out) ||
        !out->whole)
        return false;
    for (uint32_t k = 0; k < out->n; k++)
        rlxc_reach_enter(&reach, out->vars[k], rlxc_int(ctx, out->vars[k]->dtype, 0),
                         out->extents[k]);
    return rlxc_reach_loads_inside(&reach, e);
}

/* The call of |nest| that is |e| of another nest, with |axes|; |at| are its axes; or NULL. */
static const rlxc_expr *same_call(rlxc_context *ctx, const rlxc_expr *e, const used_axes *axes,
                                  const rlxc_nest *nest, used_axes *at)
{
    calls own = {.ctx = ctx};
    rlxc_expr_visit(ctx, nest->block->body->store.value, find_call, &own);
    for (uint32_t i = 0; i < own.n; i++) {
        if (!read_axes(ctx, nest, own.items[i], at) || at->n != axes->n)
            continue;
        bool same = true;
        for (uint32_t k = 0; k < at->n && same; k++)
            same = rlxc_dtype_eq(at->vars[k]->dtype, axes->vars[k]->dtype) &&
                   rlxc_prove_eq(ctx, at->extents[k], axes->extents[k], NULL);
        if (same && rlxc_substitute(ctx, own.items[i], at->vars, axes->vars, at->n) == e)
            return own.items[i];
    }
    return NULL;
}

static const rlxc_expr *read_temp(void *user, const rlxc_expr *e)
{
    const rlxc_expr *const *pair = user;
    return e == pair[0] ? pair[1] : NULL;
}

/* Lets |nest| load element |at| of |temp| for |call|. */
static void read_instead(rlxc_context *ctx, rlxc_nest *nest, const rlxc_expr *call,
                         const rlxc_buffer *temp, const used_axes *at)
{
    const rlxc_expr *pair[] = {call, rlxc_load(ctx, temp, at->vars, at->n)};
    rlxc_nest_set_value(
        ctx, nest, rlxc_expr_rewrite_all(ctx, nest->block->body->store.value, read_temp, pair));
}

bool rlxc_share_call(rlxc_context *ctx, rlxc_nest *const *nests, uint32_t n, rlxc_nest *filling,
                     rlxc_buffer **temp)
{
    calls own = {.ctx = ctx};
    rlxc_expr_visit(ctx, nests[0]->block->body->store.value, find_call, &own);
    for (uint32_t i = own.n; i-- > 0;) { /* the outer ones come last */
        const rlxc_expr *e = own.items[i], *call;
        used_axes axes, at;
        *temp = NULL;
        if (e == nests[0]->block->body->store.value || !read_axes(ctx, nests[0], e, &axes))
            continue;
        for (uint32_t k = 1; k < n; k++) {
            if (rlxc_mentions(ctx, e, nests[k - 1]->block->body->store.buffer))
                break;
            call = same_call(ctx, e, &axes, nests[k], &at);
            if (!call)
                continue;
            if (!*temp)
                *temp = rlxc_nest_fills(ctx, nests[0], nests[0]->block->name, axes.vars,
                                        axes.extents, axes.n, e, filling);
            read_instead(ctx, nests[k], call, *temp, &at);
        }
        if (!*temp)
            continue;
        read_instead(ctx, nests[0], e, *temp, &axes);
        return !rlxc_failed(ctx);
    }
    return false;
}

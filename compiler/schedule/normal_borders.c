/* Borders of images: padding that another tool inlined into the window that reads it.
 *
 *   C[y, x] += T.if_then_else(1 <= y + r ..., A[y + r - 1, x + q - 1], 0) * W[r, q]
 *
 * becomes a temporary with the border, P[y, x] = T.if_then_else(1 <= y ..., A[y - 1, x - 1], 0),
 * and C[y, x] += P[y + r, x + q] * W[r, q]: the form that legalization makes, and that rules take.
 */
#include "compiler/analysis/reach.h"
#include "compiler/schedule/normal_space.h"

enum { MOST_PARTS = 32, MOST_GROWTH = 16, REUSE = 2 };

typedef struct border {
    rlxc_context *ctx;
    const rlxc_nest *nest;
    const rlxc_expr *choice; /* condition, load, number */
    rlxc_reach reach;        /* the axes of the nest */
    const rlxc_expr *index[RLX_MAX_NDIM], *first[RLX_MAX_NDIM], *size[RLX_MAX_NDIM];
    const rlxc_expr *vars[RLX_MAX_NDIM]; /* of the temporary */
    uint32_t n;
    bool lets;   /* the value has names for parts of it */
    bool window; /* an index is a sum of several axes */
} border;

static bool find_choice(void *user, const rlxc_expr *e)
{
    border *b = user;
    const rlxc_buffer *out = b->nest->block->body->store.buffer;
    b->lets = b->lets || e->kind == RLXC_EXPR_LET;
    if (!b->choice && rlxc_is_choice(e) && e->call.args[1]->kind == RLXC_EXPR_LOAD &&
        e->call.args[1]->load.buffer->data != out->data &&
        e->call.args[1]->load.n <= RLX_MAX_NDIM &&
        (e->call.args[2]->kind == RLXC_EXPR_INT || e->call.args[2]->kind == RLXC_EXPR_FLOAT))
        b->choice = e;
    return true;
}

typedef struct factoring {
    rlxc_context *ctx;
    rlxc_reach *reach;
} factoring;

/* T.if_then_else(c, A[...] * w, 0) with the load alone under the condition: the form of a padded
 * image. NULL: another expression. */
static const rlxc_expr *factored(void *user, const rlxc_expr *e)
{
    const factoring *f = user;
    const rlxc_expr *v = rlxc_is_choice(e) ? e->call.args[1] : NULL;
    if (!v || v->kind != RLXC_EXPR_MUL ||
        e->call.args[2] != rlxc_neutral(f->ctx, RLXC_EXPR_ADD, e->dtype))
        return NULL;
    for (uint32_t side = 0; side < 2; side++) {
        const rlxc_expr *load = side ? v->bin.b : v->bin.a, *other = side ? v->bin.a : v->bin.b;
        if (load->kind != RLXC_EXPR_LOAD || !rlxc_reach_loads_inside(f->reach, other))
            continue;
        const rlxc_expr *args[] = {e->call.args[0], load, e->call.args[2]};
        const rlxc_expr *choice = rlxc_call(f->ctx, load->dtype, e->call.name, args, 3);
        return rlxc_binary(f->ctx, RLXC_EXPR_MUL, side ? other : choice, side ? choice : other);
    }
    return NULL;
}

/* --- what is read ----------------------------------------------------------------------------- */

static bool measure(border *b)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *load = b->choice->call.args[1];
    b->n = load->load.n;
    for (uint32_t i = 0; i < b->n; i++) {
        const rlxc_expr *e = rlxc_canonical(ctx, rlxc_wide(ctx, load->load.indices[i]), NULL);
        const rlxc_expr *last = rlxc_reach_end(&b->reach, e, true);
        uint32_t axes = 0;
        b->index[i] = e;
        b->first[i] = rlxc_reach_end(&b->reach, e, false);
        if (rlxc_reach_may_change(ctx, e) || !b->first[i] || !last)
            return false;
        b->size[i] = rlxc_canonical(
            ctx, rlxc_add(ctx, rlxc_sub(ctx, last, b->first[i]), rlxc_i64(ctx, 1)), NULL);
        b->vars[i] = rlxc_var(ctx, rlxc_internf(ctx, "v%u", i), RLX_I64);
        for (uint32_t k = 0; k < b->nest->block->n_axes; k++)
            axes += rlxc_expr_uses_var(ctx, e, b->nest->block->axes[k].var);
        b->window = b->window || axes > 1;
    }
    return true;
}

/* True if the temporary is not far larger than the image, and each element is read several times;
 * sizes that are not known are those of windows over an image. */
static bool pays(const border *b)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_buffer *from = b->choice->call.args[1]->load.buffer;
    int64_t size, image, reads;
    if (!rlxc_is_int(rlxc_product(ctx, b->size, b->n), &size) ||
        !rlxc_is_int(rlxc_product(ctx, from->shape, from->ndim), &image) ||
        !rlxc_is_int(rlxc_product(ctx, b->nest->extents, b->nest->block->n_axes), &reads))
        return b->window;
    return size / MOST_GROWTH <= image && size <= reads / REUSE;
}

/* --- the condition ---------------------------------------------------------------------------- */

/* |cond|, a comparison of an index with numbers or sizes, over the temporary's indices; or NULL. */
static const rlxc_expr *renamed_part(border *b, const rlxc_expr *cond)
{
    rlxc_context *ctx = b->ctx;
    const bool up = cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_LE;
    if (!up && cond->kind != RLXC_EXPR_GT && cond->kind != RLXC_EXPR_GE)
        return NULL;
    rlxc_space s = {.ctx = ctx};
    if (!rlxc_space_fits(&s, cond->bin.a, NULL, NULL, 0, &b->reach.bounds) ||
        !rlxc_space_fits(&s, cond->bin.b, NULL, NULL, 0, &b->reach.bounds))
        return NULL;
    const rlxc_expr *low = rlxc_wide(ctx, up ? cond->bin.a : cond->bin.b);
    const rlxc_expr *high = rlxc_wide(ctx, up ? cond->bin.b : cond->bin.a);
    if (cond->kind == RLXC_EXPR_LT || cond->kind == RLXC_EXPR_GT)
        low = rlxc_add(ctx, low, rlxc_i64(ctx, 1)); /* low <= high */
    for (uint32_t i = 0; i < b->n; i++) {
        const rlxc_expr *at = rlxc_sub(ctx, b->index[i], b->first[i]);
        const rlxc_expr *least =
            rlxc_canonical(ctx, rlxc_add(ctx, rlxc_sub(ctx, low, high), at), NULL);
        const rlxc_expr *most =
            rlxc_canonical(ctx, rlxc_add(ctx, rlxc_sub(ctx, high, low), at), NULL);
        if (rlxc_expr_loads(ctx, least) || rlxc_expr_loads(ctx, most))
            return NULL;
        if (!rlxc_reach_uses_loops(&b->reach, least))
            return rlxc_binary(ctx, RLXC_EXPR_LE, least, b->vars[i]);
        if (!rlxc_reach_uses_loops(&b->reach, most))
            return rlxc_binary(ctx, RLXC_EXPR_LT, b->vars[i],
                               rlxc_canonical(ctx, rlxc_add(ctx, most, rlxc_i64(ctx, 1)), NULL));
    }
    return NULL;
}

static const rlxc_expr *renamed(border *b, const rlxc_expr *cond, uint32_t *parts)
{
    if (++*parts > MOST_PARTS)
        return NULL;
    if (cond->kind != RLXC_EXPR_AND)
        return renamed_part(b, cond);
    const rlxc_expr *x = renamed(b, cond->bin.a, parts);
    const rlxc_expr *y = x ? renamed(b, cond->bin.b, parts) : NULL;
    return y ? rlxc_binary(b->ctx, RLXC_EXPR_AND, x, y) : NULL;
}

/* --- the temporary ---------------------------------------------------------------------------- */

/* The nest that fills |temp|; false: a load may leave the image. */
static bool fill(border *b, rlxc_buffer *temp, rlxc_nest *out)
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *load = b->choice->call.args[1], *at[RLX_MAX_NDIM];
    rlxc_reach reach = {.ctx = ctx};
    rlxc_axis *axes = rlxc_alloc(ctx, b->n * sizeof *axes);
    *out = (rlxc_nest){.realize = b->nest->realize};
    for (uint32_t i = 0; i < b->n; i++) {
        axes[i] = (rlxc_axis){RLXC_AXIS_SPATIAL, b->vars[i], rlxc_i64(ctx, 0), b->size[i]};
        at[i] = rlxc_canonical(ctx, rlxc_add(ctx, b->vars[i], b->first[i]), NULL);
        out->vars[i] = rlxc_var(ctx, rlxc_internf(ctx, "i%u", i), RLX_I64);
        out->extents[i] = b->size[i];
        rlxc_reach_enter(&reach, b->vars[i], axes[i].min, b->size[i]);
    }
    uint32_t parts = 0;
    const rlxc_expr *cond = renamed(b, b->choice->call.args[0], &parts);
    if (!cond)
        return false;
    const rlxc_expr *args[] = {cond, rlxc_load(ctx, load->load.buffer, at, b->n),
                               b->choice->call.args[2]};
    const rlxc_expr *value = rlxc_call(ctx, load->dtype, b->choice->call.name, args, 3);
    rlxc_block *block = rlxc_alloc(ctx, sizeof *block);
    *block = (rlxc_block){.name = temp->name,
                          .axes = axes,
                          .n_axes = b->n,
                          .body = rlxc_stmt_store(ctx, temp, b->vars, b->n, value)};
    out->block = block;
    return rlxc_reach_loads_inside(&reach, value);
}

static const rlxc_expr *read_temp(void *user, const rlxc_expr *e)
{
    const rlxc_expr *const *pair = user;
    return e == pair[0] ? pair[1] : NULL;
}

/* The axes of |nest|. */
static rlxc_reach reach_of(rlxc_context *ctx, const rlxc_nest *nest)
{
    rlxc_reach reach = {.ctx = ctx};
    for (uint32_t k = 0; k < nest->block->n_axes; k++)
        rlxc_reach_enter(&reach, nest->block->axes[k].var, nest->block->axes[k].min,
                         nest->extents[k]);
    return reach;
}

static bool is_reduction(const rlxc_block *b)
{
    bool reduces = false;
    for (uint32_t k = 0; k < b->n_axes; k++)
        reduces = reduces || b->axes[k].kind == RLXC_AXIS_REDUCE;
    return reduces;
}

bool rlxc_take_border(rlxc_context *ctx, rlxc_nest *nest, rlxc_nest *filling, rlxc_buffer **temp)
{
    border b = {.ctx = ctx, .nest = nest, .reach = reach_of(ctx, nest)};
    const rlxc_block *block = nest->block;
    const rlxc_stmt *store = block->body;
    factoring f = {ctx, &b.reach};
    const rlxc_expr *value = rlxc_expr_rewrite_all(ctx, store->store.value, factored, &f);
    rlxc_expr_visit(ctx, value, find_choice, &b);
    if (!is_reduction(block) || !b.choice || b.lets || !measure(&b) || !pays(&b))
        return false;
    const rlxc_buffer *from = b.choice->call.args[1]->load.buffer;
    *temp = rlxc_buffer_new(ctx, rlxc_internf(ctx, "%s_pad", from->name), from->dtype,
                            rlxc_copy(ctx, b.size, b.n * sizeof *b.size), b.n);
    if (!fill(&b, *temp, filling))
        return false;
    const rlxc_expr *at[RLX_MAX_NDIM];
    for (uint32_t i = 0; i < b.n; i++)
        at[i] = rlxc_canonical(ctx, rlxc_sub(ctx, b.index[i], b.first[i]), NULL);
    const rlxc_expr *pair[] = {b.choice, rlxc_load(ctx, *temp, at, b.n)};
    rlxc_stmt *own = rlxc_copy(ctx, store, sizeof *own);
    own->store.value = rlxc_expr_rewrite_all(ctx, value, read_temp, pair);
    rlxc_block *changed = rlxc_copy(ctx, block, sizeof *changed);
    rlxc_forget_regions(changed);
    changed->body = own;
    nest->block = changed;
    nest->plain = false;
    return !rlxc_failed(ctx);
}

static bool find_any_choice(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || rlxc_is_choice(e);
    return !*found;
}

bool rlxc_reads_plainly(rlxc_context *ctx, const rlxc_nest *nest)
{
    rlxc_nest own = *nest, filling;
    rlxc_buffer *temp;
    while (rlxc_take_border(ctx, &own, &filling, &temp)) {
    }
    const rlxc_block *b = own.block;
    rlxc_reach reach = reach_of(ctx, &own);
    bool choice = false;
    rlxc_expr_visit(ctx, b->body->store.value, find_any_choice, &choice);
    return !(choice && is_reduction(b)) && rlxc_reach_loads_inside(&reach, b->body->store.value);
}

/* Axes of stages, fused and split. Adjacent axes that every access of a stage treats as one become
 * one axis, through views of the buffers with one dimension less: long contiguous loops, and all
 * rows of a product in one.
 *
 * Invariant: a view shares its buffer's storage and is declared in c->out, so that later statements
 * may use it. */
#include "compiler/schedule/stages.h"

/* --- accesses -------------------------------------------------------------------------------- */

static bool collect_load(void *user, const rlxc_expr *e)
{
    rlxc_accesses *a = user;
    if (e->kind == RLXC_EXPR_LOAD)
        RLXC_PUSH(a->ctx, &a->loads, e);
    return true;
}

rlxc_accesses rlxc_accesses_of(rlxc_context *ctx, const rlxc_stage *s)
{
    rlxc_accesses a = {.ctx = ctx};
    rlxc_expr_visit(ctx, s->value, collect_load, &a);
    if (s->init)
        rlxc_expr_visit(ctx, s->init, collect_load, &a);
    collect_load(&a, rlxc_load(ctx, s->out, s->indices, s->out->ndim));
    return a;
}

const rlxc_expr *rlxc_hide_load(void *user, const rlxc_expr *e)
{
    rlxc_context *ctx = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    return rlxc_dtype_is_float(e->dtype)  ? rlxc_float(ctx, e->dtype, 2.5)
           : rlxc_dtype_is_bool(e->dtype) ? rlxc_bool(ctx, true)
                                          : rlxc_int(ctx, e->dtype, 3);
}

/* --- merging axes ---------------------------------------------------------------------------- */

static bool used_elsewhere(rlxc_context *ctx, const rlxc_expr *load, const rlxc_expr *var,
                           uint32_t but)
{
    for (uint32_t i = 0; i < load->load.n; i++)
        if (i != but && rlxc_expr_uses_var(ctx, load->load.indices[i], var))
            return true;
    return false;
}

/* The dimension whose index is |var| itself, or UINT32_MAX. */
static uint32_t dimension_of(const rlxc_expr *load, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < load->load.n; i++)
        if (load->load.indices[i] == var)
            return i;
    return UINT32_MAX;
}

static bool load_merges(rlxc_context *ctx, const rlxc_expr *load, const rlxc_expr *outer,
                        const rlxc_expr *inner, const rlxc_expr *inner_extent)
{
    uint32_t d = dimension_of(load, outer), e = dimension_of(load, inner);
    if (used_elsewhere(ctx, load, outer, d) || used_elsewhere(ctx, load, inner, e))
        return false;
    if (d == UINT32_MAX && e == UINT32_MAX)
        return true;
    const rlxc_buffer *b = load->load.buffer;
    return d != UINT32_MAX && e == d + 1 && !b->strides && !b->elem_offset &&
           rlxc_prove_eq(ctx, rlxc_cast(ctx, RLX_I64, b->shape[e]), inner_extent, NULL);
}

bool rlxc_axes_merge(rlxc_context *ctx, const rlxc_stage *s, uint32_t outer)
{
    const rlxc_expr *vo = s->vars[outer], *vi = s->vars[outer + 1];
    if (s->reduces[outer] != s->reduces[outer + 1] || !rlxc_dtype_eq(vo->dtype, vi->dtype))
        return false;
    const rlxc_expr *parts[2] = {s->value, s->init};
    for (int i = 0; i < 2; i++) {
        if (!parts[i])
            continue;
        const rlxc_expr *bare = rlxc_expr_rewrite(ctx, parts[i], rlxc_hide_load, ctx);
        if (rlxc_expr_uses_var(ctx, bare, vo) || rlxc_expr_uses_var(ctx, bare, vi))
            return false;
    }
    rlxc_accesses a = rlxc_accesses_of(ctx, s);
    for (uint32_t i = 0; i < a.loads.count; i++)
        if (!load_merges(ctx, a.loads.items[i], vo, vi, s->extents[outer + 1]))
            return false;
    return true;
}

typedef struct merger {
    rlxc_schedule *c;
    const rlxc_expr *outer, *inner; /* the two variables; |outer| replaces both */
    rlxc_map views;                 /* buffer -> view without the inner dimension */
    const rlxc_buffer *silent;      /* its view is not declared */
} merger;

static rlxc_buffer *merged_view(merger *m, const rlxc_buffer *b, uint32_t d)
{
    rlxc_context *ctx = m->c->s->ctx;
    rlxc_buffer *view = rlxc_map_get(&m->views, rlxc_key(b));
    if (view)
        return view;
    const rlxc_expr **shape = rlxc_alloc(ctx, (b->ndim + 1) * sizeof *shape);
    for (uint32_t i = 0, k = 0; i < b->ndim; i++) {
        if (i == d + 1)
            continue;
        shape[k++] = i == d ? rlxc_canonical(ctx,
                                             rlxc_mul(ctx, rlxc_cast(ctx, RLX_I64, b->shape[d]),
                                                      rlxc_cast(ctx, RLX_I64, b->shape[d + 1])),
                                             NULL)
                            : b->shape[i];
    }
    view = rlxc_buffer_new(ctx, b->name, b->dtype, shape, b->ndim - 1);
    view->data = b->data;
    view->scope = b->scope;
    rlxc_map_set(ctx, &m->views, rlxc_key(b), view);
    if (m->silent && b->data == m->silent->data)
        return view;
    rlxc_declare(m->c, view);
    return view;
}

static const rlxc_expr *merge_load(void *user, const rlxc_expr *e)
{
    merger *m = user;
    rlxc_context *ctx = m->c->s->ctx;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    uint32_t d = dimension_of(e, m->outer);
    if (d == UINT32_MAX)
        return NULL;
    const rlxc_expr **indices = rlxc_alloc(ctx, (e->load.n + 1) * sizeof *indices);
    for (uint32_t i = 0, k = 0; i < e->load.n; i++)
        if (i != d + 1)
            indices[k++] = rlxc_expr_rewrite(ctx, e->load.indices[i], merge_load, m);
    return rlxc_load(ctx, merged_view(m, e->load.buffer, d), indices, e->load.n - 1);
}

/* Replaces axes |outer| and |outer| + 1 of |s| by one, whose variable is m->outer. */
static void merge(merger *m, rlxc_stage *s, uint32_t outer)
{
    rlxc_context *ctx = m->c->s->ctx;
    m->outer = s->vars[outer];
    m->inner = s->vars[outer + 1];
    const rlxc_expr *store = rlxc_load(ctx, s->out, s->indices, s->out->ndim);
    store = rlxc_expr_rewrite(ctx, store, merge_load, m);
    s->value = rlxc_expr_rewrite(ctx, s->value, merge_load, m);
    if (s->init)
        s->init = rlxc_expr_rewrite(ctx, s->init, merge_load, m);
    s->out = store->load.buffer;
    s->indices = store->load.indices;
    s->extents[outer] =
        rlxc_canonical(ctx, rlxc_mul(ctx, s->extents[outer], s->extents[outer + 1]), NULL);
    for (uint32_t i = outer + 1; i + 1 < s->n_axes; i++) {
        s->vars[i] = s->vars[i + 1];
        s->extents[i] = s->extents[i + 1];
        s->reduces[i] = s->reduces[i + 1];
    }
    s->n_axes--;
}

uint32_t rlxc_merge_axes(rlxc_schedule *c, rlxc_stage *stages, uint32_t n, uint32_t first,
                         uint32_t end, const rlxc_buffer *silent)
{
    for (uint32_t a = end; a-- > first + 1;) {
        bool all = true;
        for (uint32_t i = 0; i < n && all; i++)
            all = rlxc_axes_merge(c->s->ctx, &stages[i], a - 1);
        if (!all)
            continue;
        merger m = {.c = c, .silent = silent};
        for (uint32_t i = 0; i < n; i++)
            merge(&m, &stages[i], a - 1);
        end--;
    }
    return end;
}

/* --- splitting axes --------------------------------------------------------------------------- */

void rlxc_split_axis(rlxc_context *ctx, rlxc_stage *s, uint32_t axis, int64_t size)
{
    const rlxc_expr *outer = rlxc_loop_var(ctx, "block"), *inner = rlxc_loop_var(ctx, "i");
    const rlxc_expr *start = rlxc_mul(ctx, outer, rlxc_i64(ctx, size)), *extent = s->extents[axis];
    const rlxc_expr *old = s->vars[axis], *new = rlxc_add(ctx, start, inner);
    int64_t known;
    const bool whole = rlxc_is_int(extent, &known) && known % size == 0;
    const uint32_t last = s->n_axes++;
    s->vars[axis] = outer;
    s->extents[axis] = rlxc_split_count(ctx, extent, size);
    s->vars[last] = inner;
    s->extents[last] = whole ? rlxc_i64(ctx, size) : rlxc_split_size(ctx, extent, start, size);
    s->reduces[last] = s->reduces[axis];
    const rlxc_expr **indices = rlxc_alloc(ctx, (s->out->ndim + 1) * sizeof *indices);
    for (uint32_t i = 0; i < s->out->ndim; i++)
        indices[i] = rlxc_replace(ctx, s->indices[i], &old, &new, 1);
    s->indices = indices;
    s->value = rlxc_replace(ctx, s->value, &old, &new, 1);
}

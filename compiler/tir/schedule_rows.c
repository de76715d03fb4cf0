/* Row-wise schedule: elementwise stages, reductions along contiguous data, and groups of both that
 * share their leading spatial axes (softmax, layer_norm), computed one row after the other so that
 * a row stays in cache.
 *
 * Adjacent axes that every access treats as one are merged (through views of the buffers), so that
 * inner loops are long and contiguous; LLVM vectorises them. A reduction accumulates in a local
 * scalar; sums of float32 and float64 may be reordered (loop annotation rlx.reassoc), which is what
 * lets them vectorise. Transpositions go by blocks, and threads share out the blocks. */
#include "compiler/tir/stages.h"

/* --- accesses -------------------------------------------------------------------------------- */

typedef struct accesses { /* distinct loads of a stage's expressions, then its store */
    rlxc_context *ctx;
    RLXC_VEC(const rlxc_expr *) loads;
} accesses;

static bool collect_load(void *user, const rlxc_expr *e)
{
    accesses *a = user;
    if (e->kind == RLXC_EXPR_LOAD)
        RLXC_PUSH(a->ctx, &a->loads, e);
    return true;
}

static accesses accesses_of(rlxc_context *ctx, const rlxc_stage *s)
{
    accesses a = {.ctx = ctx};
    rlxc_expr_visit(ctx, s->value, collect_load, &a);
    if (s->init)
        rlxc_expr_visit(ctx, s->init, collect_load, &a);
    collect_load(&a, rlxc_load(ctx, s->out, s->indices, s->out->ndim));
    return a;
}

static const rlxc_expr *hide_load(void *user, const rlxc_expr *e)
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

static bool axes_merge(rlxc_context *ctx, const rlxc_stage *s, const accesses *a, uint32_t outer)
{
    const rlxc_expr *vo = s->vars[outer], *vi = s->vars[outer + 1];
    if (s->reduces[outer] != s->reduces[outer + 1] || !rlxc_dtype_eq(vo->dtype, vi->dtype))
        return false;
    const rlxc_expr *parts[2] = {s->value, s->init};
    for (int i = 0; i < 2; i++) {
        if (!parts[i])
            continue;
        const rlxc_expr *bare = rlxc_expr_rewrite(ctx, parts[i], hide_load, ctx);
        if (rlxc_expr_uses_var(ctx, bare, vo) || rlxc_expr_uses_var(ctx, bare, vi))
            return false;
    }
    for (uint32_t i = 0; i < a->loads.count; i++)
        if (!load_merges(ctx, a->loads.items[i], vo, vi, s->extents[outer + 1]))
            return false;
    return true;
}

typedef struct merger {
    rlxc_schedule *c;
    const rlxc_expr *outer, *inner; /* the two variables; |outer| stands for both afterwards */
    rlxc_map views;                 /* buffer -> view without the inner dimension */
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
    rlxc_stmt *declare = rlxc_alloc(ctx, sizeof *declare);
    *declare = (rlxc_stmt){.kind = RLXC_STMT_DECL_BUFFER, .decl = view};
    RLXC_PUSH(ctx, &m->c->out, declare);
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

/* Replaces axes |outer| and |outer| + 1 by one. */
static void merge(rlxc_schedule *c, rlxc_stage *s, uint32_t outer)
{
    rlxc_context *ctx = c->s->ctx;
    merger m = {.c = c, .outer = s->vars[outer], .inner = s->vars[outer + 1]};
    const rlxc_expr *store = rlxc_load(ctx, s->out, s->indices, s->out->ndim);
    store = rlxc_expr_rewrite(ctx, store, merge_load, &m);
    s->value = rlxc_expr_rewrite(ctx, s->value, merge_load, &m);
    if (s->init)
        s->init = rlxc_expr_rewrite(ctx, s->init, merge_load, &m);
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

static void merge_axes(rlxc_schedule *c, rlxc_stage *s, uint32_t first)
{
    for (uint32_t i = s->n_axes; i-- > first + 1;) {
        accesses a = accesses_of(c->s->ctx, s);
        if (axes_merge(c->s->ctx, s, &a, i - 1))
            merge(c, s, i - 1);
    }
}

/* --- loops ----------------------------------------------------------------------------------- */

/* Gives the stage's remaining axes fresh loop variables: emitted twice, they must differ. */
static void rename_axes(rlxc_context *ctx, rlxc_stage *s, const rlxc_expr *const *shared,
                        uint32_t n_shared)
{
    const rlxc_expr *fresh[RLXC_STAGE_AXES];
    for (uint32_t i = 0; i < s->n_axes; i++)
        fresh[i] = i < n_shared ? shared[i] : rlxc_loop_var(ctx, s->reduces[i] ? "k" : "i");
    const rlxc_expr **indices = rlxc_alloc(ctx, (s->out->ndim + 1) * sizeof *indices);
    for (uint32_t i = 0; i < s->out->ndim; i++)
        indices[i] = rlxc_replace(ctx, s->indices[i], s->vars, fresh, s->n_axes);
    s->indices = indices;
    s->value = rlxc_replace(ctx, s->value, s->vars, fresh, s->n_axes);
    if (s->init)
        s->init = rlxc_replace(ctx, s->init, s->vars, fresh, s->n_axes);
    for (uint32_t i = 0; i < s->n_axes; i++)
        s->extents[i] = rlxc_replace(ctx, s->extents[i], s->vars, fresh, s->n_axes);
    for (uint32_t i = 0; i < s->n_axes; i++)
        s->vars[i] = fresh[i];
}

/* --- transposition ---------------------------------------------------------------------------- */

enum { BLOCK = 16, BLOCK_AXES = 4 /* of a transposition of one matrix, in blocks */ };

/* The axis along which some operand is contiguous while it jumps along the last axis. */
static bool crossed_axis(rlxc_context *ctx, const rlxc_stage *s, uint32_t *out)
{
    accesses a = accesses_of(ctx, s);
    uint32_t last = s->n_axes - 1;
    int64_t along, extent;
    for (uint32_t i = 0; i < last; i++) {
        if (rlxc_is_int(s->extents[i], &extent) && extent < BLOCK)
            continue;
        for (uint32_t k = 0; k < a.loads.count; k++) {
            const rlxc_expr *e = a.loads.items[k];
            if (rlxc_access_stride(ctx, e->load.buffer, e->load.indices, s->vars[i], &along) &&
                along == 1 &&
                rlxc_access_stride(ctx, e->load.buffer, e->load.indices, s->vars[last], &along) &&
                along > BLOCK) {
                *out = i;
                return true;
            }
        }
    }
    return false;
}

/* Splits the crossed axis and the last one into blocks, so that both sides of a transposition use
 * whole cache lines. */
static bool block_transposition(rlxc_context *ctx, rlxc_stage *s)
{
    uint32_t crossed, last = s->n_axes - 1;
    int64_t extent;
    if (s->init || s->n_axes < 2 || s->n_axes + 2 > RLXC_STAGE_AXES ||
        (rlxc_is_int(s->extents[last], &extent) && extent < BLOCK) ||
        !crossed_axis(ctx, s, &crossed))
        return false;
    const uint32_t split[2] = {crossed, last};
    const rlxc_expr *olds[2], *news[2], *block = rlxc_i64(ctx, BLOCK);
    const rlxc_expr *within[2], *left[2];
    for (int i = 0; i < 2; i++) {
        uint32_t k = split[i];
        const rlxc_expr *outer = rlxc_loop_var(ctx, "block");
        const rlxc_expr *start = rlxc_mul(ctx, outer, block);
        const rlxc_expr *rounded = rlxc_add(ctx, s->extents[k], rlxc_i64(ctx, BLOCK - 1));
        within[i] = rlxc_loop_var(ctx, "i");
        left[i] = rlxc_binary(ctx, RLXC_EXPR_MIN, block, rlxc_sub(ctx, s->extents[k], start));
        olds[i] = s->vars[k];
        news[i] = rlxc_add(ctx, start, within[i]);
        s->vars[k] = outer;
        s->extents[k] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rounded, block);
    }
    for (int i = 0; i < 2; i++) {
        s->vars[s->n_axes] = within[i];
        s->extents[s->n_axes] = left[i];
        s->reduces[s->n_axes++] = false;
    }
    const rlxc_expr **indices = rlxc_alloc(ctx, (s->out->ndim + 1) * sizeof *indices);
    for (uint32_t i = 0; i < s->out->ndim; i++)
        indices[i] = rlxc_replace(ctx, s->indices[i], olds, news, 2);
    s->indices = indices;
    s->value = rlxc_replace(ctx, s->value, olds, news, 2);
    return true;
}

static const rlxc_stmt *reassociable(rlxc_context *ctx, const rlxc_stmt *loop)
{
    rlxc_stmt *copy = rlxc_copy(ctx, loop, sizeof *copy);
    copy->loop.annotations = rlxc_attrs_with(
        ctx, copy->loop.annotations, rlxc_intern_cstr(ctx, "rlx.reassoc"), rlxc_attr_int(1));
    return copy;
}

/* The product of the reduction's extents where it is a small constant: those loops are unrolled, so
 * that the loop around them vectorises. */
static bool small_reduction(const rlxc_stage *s)
{
    int64_t total = 1, extent;
    for (uint32_t i = 0; i < s->n_axes; i++) {
        if (!s->reduces[i])
            continue;
        if (!rlxc_is_int(s->extents[i], &extent) || extent > 16)
            return false;
        total *= extent;
        if (total > 16)
            return false;
    }
    return true;
}

static const rlxc_stmt *reduction(rlxc_schedule *c, const rlxc_stage *s)
{
    rlxc_context *ctx = c->s->ctx;
    const rlxc_expr *one[1] = {rlxc_i64(ctx, 1)}, *zero[1] = {rlxc_i64(ctx, 0)};
    rlxc_buffer *sum = rlxc_local_buffer(c, "acc", s->out->dtype, one, 1);
    const rlxc_expr *now = rlxc_load(ctx, sum, zero, 1);
    const rlxc_expr *value = rlxc_replace_loads(ctx, s->value, s->out, now);
    const rlxc_stmt *body = rlxc_stmt_store(ctx, sum, zero, 1, value);
    bool unrolled = small_reduction(s);
    for (uint32_t i = s->n_axes; i-- > 0;) {
        if (!s->reduces[i])
            continue;
        body = rlxc_loop_of(ctx, s->vars[i], s->extents[i],
                            unrolled ? RLXC_LOOP_UNROLLED : RLXC_LOOP_SERIAL, body);
        body = reassociable(ctx, body);
    }
    const rlxc_stmt *parts[3] = {rlxc_stmt_store(ctx, sum, zero, 1, s->init), body,
                                 rlxc_stmt_store(ctx, s->out, s->indices, s->out->ndim, now)};
    return rlxc_stmt_seq(ctx, parts, 3);
}

/* One stage inside loops over its first |n_shared| axes. */
static const rlxc_stmt *stage_body(rlxc_schedule *c, rlxc_stage *s, const rlxc_expr *const *shared,
                                   uint32_t n_shared)
{
    rlxc_context *ctx = c->s->ctx;
    rename_axes(ctx, s, shared, n_shared);
    const rlxc_stmt *body = s->init
                                ? reduction(c, s)
                                : rlxc_stmt_store(ctx, s->out, s->indices, s->out->ndim, s->value);
    for (uint32_t i = s->n_axes; i-- > n_shared;)
        if (!s->reduces[i])
            body = rlxc_loop_of(ctx, s->vars[i], s->extents[i], RLXC_LOOP_SERIAL, body);
    return body;
}

/* --- groups ---------------------------------------------------------------------------------- */

typedef struct shrink { /* a temporary of the group becomes a row */
    const rlxc_buffer *from;
    rlxc_buffer *to;
    uint32_t dropped;
    rlxc_context *ctx;
} shrink;

static const rlxc_expr *shrink_load(void *user, const rlxc_expr *e)
{
    shrink *k = user;
    if (e->kind != RLXC_EXPR_LOAD || e->load.buffer != k->from)
        return NULL;
    const rlxc_expr **rest = rlxc_alloc(k->ctx, (e->load.n + 1) * sizeof *rest);
    for (uint32_t i = k->dropped; i < e->load.n; i++)
        rest[i - k->dropped] = rlxc_expr_rewrite(k->ctx, e->load.indices[i], shrink_load, k);
    return rlxc_load(k->ctx, k->to, rest, e->load.n - k->dropped);
}

static bool only_in_group(const rlxc_stages *s, const rlxc_buffer *b,
                          const rlxc_stage *const *stages, uint32_t n)
{
    for (uint32_t i = 0; i < s->n; i++) {
        bool inside = false;
        const rlxc_expr *const *indices;
        bool same;
        for (uint32_t k = 0; k < n; k++)
            inside = inside || stages[k] == &s->items[i];
        bool writes = s->items[i].simple && s->items[i].out == b;
        if (!inside && !s->items[i].removed &&
            (writes || rlxc_stage_loads(s, i, b, &indices, &same) > 0))
            return false;
    }
    return true;
}

static void shrink_temps(rlxc_schedule *c, rlxc_stage *own, const rlxc_stage *const *stages,
                         uint32_t n, uint32_t shared)
{
    rlxc_context *ctx = c->s->ctx;
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_buffer *b = stages[i]->out;
        /* once for all stages that write it: the first of them takes it off the list */
        if (!rlxc_stage_is_temp(c->s, b) || !only_in_group(c->s, b, stages, n) || b->ndim < shared)
            continue;
        shrink k = {b, NULL, shared, ctx};
        const rlxc_expr *one[1] = {rlxc_i64(ctx, 1)}, *const zero[1] = {rlxc_i64(ctx, 0)};
        uint32_t rest = b->ndim - shared;
        k.to = rlxc_local_buffer(c, b->name, b->dtype, rest ? b->shape + shared : one,
                                 rest ? rest : 1);
        /* a scalar is a buffer of one element: index it with 0 */
        const rlxc_expr *now = rest ? NULL : rlxc_load(ctx, k.to, zero, 1);
        for (uint32_t q = 0; q < n; q++) {
            const rlxc_expr **parts[2] = {&own[q].value, &own[q].init};
            for (uint32_t e = 0; e < 2; e++)
                if (*parts[e])
                    *parts[e] = now ? rlxc_replace_loads(ctx, *parts[e], b, now)
                                    : rlxc_expr_rewrite(ctx, *parts[e], shrink_load, &k);
            if (stages[q]->out != b)
                continue;
            own[q].out = k.to;
            own[q].indices = now ? now->load.indices : stages[q]->indices + shared;
        }
        rlxc_stage_drop_temp((rlxc_stages *)(uintptr_t)c->s, b);
    }
}

/* Merges shared axes wherever all stages can. */
static uint32_t merge_shared(rlxc_schedule *c, rlxc_stage *own, uint32_t n, uint32_t shared)
{
    rlxc_context *ctx = c->s->ctx;
    for (uint32_t a = shared; a-- > 1;) {
        bool all = true;
        for (uint32_t i = 0; i < n && all; i++) {
            accesses seen = accesses_of(ctx, &own[i]);
            all = axes_merge(ctx, &own[i], &seen, a - 1);
        }
        for (uint32_t i = 0; i < n && all; i++)
            merge(c, &own[i], a - 1);
        shared -= all;
    }
    return shared;
}

/* Little work for certain: not worth a function for threads. */
static bool is_small(const rlxc_stage *own, uint32_t n)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t points = 1, extent;
        for (uint32_t k = 0; k < own[i].n_axes; k++)
            if (!rlxc_is_int(own[i].extents[k], &extent) ||
                __builtin_mul_overflow(points, extent, &points))
                return false;
        if (__builtin_add_overflow(total, points, &total))
            return false;
    }
    return total < 8192;
}

bool rlxc_schedule_rows(rlxc_schedule *c, const rlxc_stage *const *stages, uint32_t n,
                        uint32_t shared)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_schedule inner = {.s = c->s}; /* what one row needs: temporaries, views, loops */
    rlxc_stage *own = rlxc_alloc(ctx, n * sizeof *own);
    const rlxc_expr *vars[RLXC_STAGE_AXES];
    bool blocked = false;
    for (uint32_t i = 0; i < n; i++)
        own[i] = *stages[i];
    if (n > 1) {
        shrink_temps(&inner, own, stages, n, shared);
        shared = merge_shared(&inner, own, n, shared);
        for (uint32_t i = 0; i < n; i++)
            merge_axes(&inner, &own[i], shared);
    } else {
        merge_axes(&inner, own, 0);
        blocked = block_transposition(ctx, own);
        shared = own->n_axes > 0 && !own->reduces[0];
    }
    rlxc_loop_kind kind = is_small(own, n) ? RLXC_LOOP_SERIAL : RLXC_LOOP_PARALLEL;
    for (uint32_t i = 0; i < shared; i++)
        vars[i] = rlxc_loop_var(ctx, "row");
    const rlxc_expr *outermost = shared ? own->extents[0] : NULL, *row = vars[0];
    /* one matrix is work for several threads: they share out the blocks of all matrices */
    if (blocked && own->n_axes > BLOCK_AXES && !own->reduces[1]) {
        const rlxc_expr *each = own->extents[1];
        outermost = rlxc_simplify(ctx, rlxc_mul(ctx, outermost, each), NULL);
        vars[0] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, row, each);
        vars[1] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, row, each);
        shared = 2;
    }
    RLXC_VEC(const rlxc_stmt *) bodies = {0};
    for (uint32_t i = 0; i < n; i++)
        RLXC_PUSH(ctx, &bodies, stage_body(&inner, &own[i], vars, shared));
    for (uint32_t i = 0; i < bodies.count; i++)
        RLXC_PUSH(ctx, &inner.out, bodies.items[i]);
    if (shared == 0) {
        for (uint32_t i = 0; i < inner.out.count; i++)
            RLXC_PUSH(ctx, &c->out, inner.out.items[i]);
        return true;
    }
    const rlxc_stmt *body = rlxc_stmt_seq(ctx, inner.out.items, inner.out.count);
    for (uint32_t i = shared; !blocked && i-- > 1;)
        body = rlxc_loop_of(ctx, vars[i], own->extents[i], RLXC_LOOP_SERIAL, body);
    RLXC_PUSH(ctx, &c->out, rlxc_loop_of(ctx, row, outermost, kind, body));
    return true;
}

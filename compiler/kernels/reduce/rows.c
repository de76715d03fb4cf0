/* Row-wise schedule: elementwise stages, reductions along contiguous data, and groups of both that
 * share their leading spatial axes (softmax, layer_norm), computed one row after the other so that
 * a row stays in cache.
 *
 * Adjacent axes that every access treats as one are merged (through views of the buffers), so that
 * inner loops are long and contiguous; LLVM vectorises them. A reduction accumulates in a local
 * scalar; sums of float32 and float64 may be reordered (loop annotation rlx.reassoc), which is what
 * lets them vectorise. Conditions along the innermost loop (borders, parts of a concatenation) get
 * the hint by which lowering partitions it. Transpositions work in blocks (transpose.c). */
#include "compiler/kernels/reduce/rows.h"

#include <inttypes.h>
#include <string.h>

enum {
    BLOCK_AXES = 4, /* of a transposition of one matrix, in blocks */
    LONG_ROW = 16,
    BLOCK = 16 /* rows and columns of a block of a transposition */
};

/* --- loops ----------------------------------------------------------------------------------- */

/* Gives the stage's remaining axes fresh loop variables, which must differ if it is emitted twice.
 */
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

/* --- one stage ------------------------------------------------------------------------------- */

/* True if the reduction has at most |most| steps: its loops are unrolled, so that the enclosing
 * loop vectorises. */
static bool small_reduction(const rlxc_stage *s, int64_t most)
{
    int64_t total = 1, extent;
    for (uint32_t i = 0; i < s->n_axes; i++) {
        if (!s->reduces[i])
            continue;
        if (!rlxc_is_int(s->extents[i], &extent) || extent > most)
            return false;
        total *= extent;
        if (total > most)
            return false;
    }
    return true;
}

static const rlxc_stmt *reduction(rlxc_schedule *c, const rlxc_stage *s, int64_t most_unrolled)
{
    rlxc_context *ctx = c->s->ctx;
    const rlxc_expr *one[1] = {rlxc_i64(ctx, 1)}, *zero[1] = {rlxc_i64(ctx, 0)};
    rlxc_buffer *sum = rlxc_local_buffer(c, "acc", s->out->dtype, one, 1);
    const rlxc_expr *now = rlxc_load(ctx, sum, zero, 1);
    const rlxc_expr *value = rlxc_replace_loads(ctx, s->value, s->out, now);
    const rlxc_stmt *body = rlxc_stmt_store(ctx, sum, zero, 1, value);
    bool unrolled = small_reduction(s, most_unrolled);
    for (uint32_t i = s->n_axes; i-- > 0;) {
        if (!s->reduces[i])
            continue;
        body = rlxc_loop_of(ctx, s->vars[i], s->extents[i],
                            unrolled ? RLXC_LOOP_UNROLLED : RLXC_LOOP_SERIAL, body);
        body = rlxc_reassociable(ctx, body);
    }
    const rlxc_stmt *parts[3] = {rlxc_stmt_store(ctx, sum, zero, 1, s->init), body,
                                 rlxc_stmt_store(ctx, s->out, s->indices, s->out->ndim, now)};
    return rlxc_stmt_seq(ctx, parts, 3);
}

static bool find_choice(void *user, const rlxc_expr *e)
{
    bool *found = user;
    *found = *found || e->kind == RLXC_EXPR_SELECT ||
             (e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, "if_then_else") == 0);
    return !*found;
}

/* One stage inside loops over its first |n_shared| axes. */
static const rlxc_stmt *stage_body(rlxc_schedule *c, rlxc_stage *s, const rlxc_expr *const *shared,
                                   uint32_t n_shared, const rlxc_rows_sizes *z)
{
    rlxc_context *ctx = c->s->ctx;
    rename_axes(ctx, s, shared, n_shared);
    bool chooses = false; /* the innermost loop: the border of an image, or joined parts */
    if (!s->init && !z->transpose)
        rlxc_expr_visit(ctx, s->value, find_choice, &chooses);
    const rlxc_stmt *body = s->init
                                ? reduction(c, s, z->unroll)
                                : rlxc_stmt_store(ctx, s->out, s->indices, s->out->ndim, s->value);
    for (uint32_t i = s->n_axes; i-- > n_shared;) {
        if (!s->reduces[i])
            body = rlxc_loop_of(ctx, s->vars[i], s->extents[i], RLXC_LOOP_SERIAL, body);
        if (chooses && i + 1 == s->n_axes)
            body = rlxc_annotated(ctx, body, RLXC_PARTITION_HINT);
        if (z->transpose && i + 2 == s->n_axes)
            body = rlxc_transposed_block(c, s, z->transpose, body);
    }
    return body;
}

/* --- groups ---------------------------------------------------------------------------------- */

typedef struct shrink { /* a temporary of the group becomes a row */
    const rlxc_expr *zero;
    uint32_t dropped, left; /* dimensions */
} shrink;

static void drop_rows(void *user, const rlxc_expr *const *at, const rlxc_expr **out)
{
    const shrink *k = user;
    out[0] = k->zero; /* a scalar is a buffer of one element */
    for (uint32_t i = 0; i < k->left; i++)
        out[i] = at[k->dropped + i];
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
        /* once for all stages that write it: the first removes it from the list */
        if (!rlxc_stage_is_temp(c->s, b) || !only_in_group(c->s, b, stages, n) || b->ndim < shared)
            continue;
        shrink k = {rlxc_i64(ctx, 0), shared, b->ndim - shared};
        const rlxc_expr *one[1] = {rlxc_i64(ctx, 1)};
        rlxc_redirection r = {.ctx = ctx, .from = b, .map = drop_rows, .user = &k};
        r.to = rlxc_local_buffer(c, b->name, b->dtype, k.left ? b->shape + shared : one,
                                 k.left ? k.left : 1);
        for (uint32_t q = 0; q < n; q++) {
            own[q].value = rlxc_redirect_expr(&r, own[q].value);
            own[q].init = rlxc_redirect_expr(&r, own[q].init);
            if (stages[q]->out != b)
                continue;
            const rlxc_expr **at = rlxc_alloc(ctx, ((size_t)k.left + 1) * sizeof *at);
            drop_rows(&k, stages[q]->indices, at);
            own[q].out = r.to;
            own[q].indices = at;
        }
        rlxc_stage_drop_temp(c->s, b);
    }
}

/* Rows of more than two axes that are worth a division to index them. */
static bool has_long_rows(const rlxc_stage *s)
{
    int64_t extent;
    return !s->init && s->n_axes > 2 &&
           (!rlxc_is_int(s->extents[s->n_axes - 1], &extent) || extent >= LONG_ROW);
}

/* True if the work is certainly small: not worth a function for threads. */
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

/* Turns temporaries of the stages into rows and merges adjacent axes; returns the number of axes
 * that they share then. */
static uint32_t arrange(rlxc_schedule *c, rlxc_schedule *inner, rlxc_stage *own,
                        const rlxc_stage *const *stages, uint32_t n, uint32_t shared)
{
    for (uint32_t i = 0; i < n; i++)
        own[i] = *stages[i];
    rlxc_name_positions(c, own, n);
    rlxc_table_indices(c, own, n);
    if (n == 1) {
        rlxc_merge_axes(inner, own, 1, 0, own->n_axes, NULL);
        return 0;
    }
    shrink_temps(inner, own, stages, n, shared);
    shared = rlxc_merge_axes(inner, own, n, 0, shared, NULL);
    for (uint32_t i = 0; i < n; i++)
        rlxc_merge_axes(inner, &own[i], 1, shared, own[i].n_axes, NULL);
    return shared;
}

void rlxc_decide_row_sizes(rlxc_schedule *c, const rlxc_stage *const *stages, uint32_t n,
                           uint32_t shared, rlxc_rows_sizes *out)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_stages s = *c->s;
    s.temps.items = rlxc_copy(ctx, s.temps.items, s.temps.count * sizeof *s.temps.items);
    rlxc_schedule unused = {.s = &s}, inner = {.s = &s};
    rlxc_stage *own = rlxc_alloc(ctx, n * sizeof *own);
    *out = (rlxc_rows_sizes){
        .blocks = n, .shared = n > 1 ? shared : 0, .unroll = RLXC_UNROLLED_REDUCTION};
    arrange(&unused, &inner, own, stages, n, shared);
    if (n == 1 && rlxc_block_transposition(ctx, own, BLOCK))
        out->transpose = BLOCK;
    /* one matrix, or image, is work for several threads: they share out all of its blocks, or rows
     */
    if (n == 1 && own->n_axes > 0 && !own->reduces[0])
        out->fuse = out->transpose ? own->n_axes > BLOCK_AXES : has_long_rows(own);
    out->threads = !is_small(own, n);
}

bool rlxc_schedule_rows(rlxc_schedule *c, const rlxc_stage *const *stages, uint32_t n,
                        const rlxc_rows_sizes *z)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_schedule inner = {.s = c->s}; /* the parts of one row: temporaries, views, loops */
    rlxc_stage *own = rlxc_alloc(ctx, n * sizeof *own);
    const rlxc_expr *vars[RLXC_STAGE_AXES] = {0};
    uint32_t shared = arrange(c, &inner, own, stages, n, (uint32_t)z->shared);
    if (z->transpose && (n > 1 || !rlxc_block_transposition(ctx, own, z->transpose)))
        return rlxc_decline(c->s,
                            "transpose is %" PRId64 ", but this is no transposition of so many "
                            "rows and columns",
                            z->transpose);
    if (n == 1)
        shared = own->n_axes > 0 && !own->reduces[0];
    rlxc_loop_kind kind = z->threads ? RLXC_LOOP_PARALLEL : RLXC_LOOP_SERIAL;
    for (uint32_t i = 0; i < shared; i++)
        vars[i] = rlxc_loop_var(ctx, "row");
    const rlxc_expr *outermost = shared ? own->extents[0] : NULL, *row = vars[0];
    if (z->fuse) {
        if (n > 1 || own->n_axes < 2 || own->reduces[0] || own->reduces[1])
            return rlxc_decline(c->s, "fuse is 1, which needs one block with two axes that are not "
                                      "summed");
        const rlxc_expr *each = own->extents[1];
        outermost = rlxc_simplify(ctx, rlxc_mul(ctx, outermost, each), NULL);
        vars[0] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, row, each);
        vars[1] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, row, each);
        shared = 2;
    }
    RLXC_VEC(const rlxc_stmt *) bodies = {0};
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_stmt *body = stage_body(&inner, &own[i], vars, shared, z);
        RLXC_PUSH(ctx, &bodies, n > 1 ? rlxc_part(ctx, stages[i]->out->name, body) : body);
    }
    for (uint32_t i = 0; i < bodies.count; i++)
        RLXC_PUSH(ctx, &inner.out, bodies.items[i]);
    if (shared == 0) {
        for (uint32_t i = 0; i < inner.out.count; i++)
            RLXC_PUSH(ctx, &c->out, inner.out.items[i]);
        return true;
    }
    const rlxc_stmt *body = rlxc_body_of(&inner);
    for (uint32_t i = shared; n > 1 && i-- > 1;)
        body = rlxc_loop_of(ctx, vars[i], own->extents[i], RLXC_LOOP_SERIAL, body);
    RLXC_PUSH(ctx, &c->out, rlxc_loop_of(ctx, row, outermost, kind, body));
    return true;
}

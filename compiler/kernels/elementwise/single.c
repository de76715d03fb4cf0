/* Rule single: one block by itself, which rule rows leaves: transpositions (in blocks,
 * transpose.c), reductions to one element, and blocks that do not fit its steps.
 *
 * Adjacent axes that every access treats as one are merged (through views of the buffers), so that
 * inner loops are long and contiguous; LLVM vectorises them. A reduction accumulates in a local
 * scalar; sums and products of float32 and float64 may be reordered (loop annotation rlx.reassoc),
 * which is what lets them vectorise. Conditions along the innermost loop (borders, parts of a
 * concatenation) get the hint by which lowering partitions it. */
#include "compiler/kernels/elementwise/single.h"
#include "compiler/kernels/rules.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCK_AXES = 4 }; /* of a transposition of one matrix, in blocks */

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

bool rlxc_is_small_reduction(const rlxc_stage *s, int64_t most)
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
    bool unrolled = rlxc_is_small_reduction(s, most_unrolled);
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
    *found = *found || e->kind == RLXC_EXPR_SELECT || rlxc_is_choice(e);
    return !*found;
}

bool rlxc_chooses(rlxc_context *ctx, const rlxc_stage *s)
{
    bool found = false;
    rlxc_expr_visit(ctx, s->value, find_choice, &found);
    return found;
}

/* One stage inside loops over its first |n_shared| axes. */
static const rlxc_stmt *stage_body(rlxc_schedule *c, rlxc_stage *s, const rlxc_expr *const *shared,
                                   uint32_t n_shared, const rlxc_single_sizes *z)
{
    rlxc_context *ctx = c->s->ctx;
    rename_axes(ctx, s, shared, n_shared);
    const bool chooses = !z->transpose && !s->init && rlxc_chooses(ctx, s);
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

/* --- the rule -------------------------------------------------------------------------------- */

bool rlxc_has_long_rows(const rlxc_stage *s)
{
    enum { LONG_ROW = 16 };
    int64_t extent;
    return !s->init && s->n_axes > 2 &&
           (!rlxc_is_int(s->extents[s->n_axes - 1], &extent) || extent >= LONG_ROW);
}

bool rlxc_is_small_work(const rlxc_stage *stages, uint32_t n)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t points = 1, extent;
        for (uint32_t k = 0; k < stages[i].n_axes; k++)
            if (!rlxc_is_int(stages[i].extents[k], &extent) ||
                __builtin_mul_overflow(points, extent, &points))
                return false;
        if (__builtin_add_overflow(total, points, &total))
            return false;
    }
    return total < 8192;
}

/* The stage with adjacent axes merged; what is needed in front goes to |c|, views to |inner|. */
static rlxc_stage arranged(rlxc_schedule *c, rlxc_schedule *inner, const rlxc_stage *stage)
{
    rlxc_stage own = *stage;
    rlxc_name_positions(c, &own, 1);
    rlxc_table_indices(c, &own, 1);
    rlxc_merge_axes(inner, &own, 1, 0, own.n_axes, NULL);
    return own;
}

bool rlxc_decide_single(rlxc_schedule *c, uint32_t i, void *sizes)
{
    rlxc_schedule unused = {.s = c->s}, inner = {.s = c->s};
    rlxc_stage own = arranged(&unused, &inner, &c->s->items[i]);
    rlxc_single_sizes z = {.unroll = RLXC_UNROLLED_REDUCTION};
    if (!rlxc_chooses(c->s->ctx, &own) &&
        rlxc_block_transposition(c->s->ctx, &own, RLXC_TRANSPOSED_BLOCK))
        z.transpose = RLXC_TRANSPOSED_BLOCK;
    /* one matrix, or image, is work for several threads: they share out all of its blocks, or rows
     */
    if (own.n_axes > 0 && !own.reduces[0])
        z.fuse = z.transpose ? own.n_axes > BLOCK_AXES : rlxc_has_long_rows(&own);
    z.threads = !rlxc_is_small_work(&own, 1);
    *(rlxc_single_sizes *)sizes = z;
    return true;
}

bool rlxc_apply_single(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    return rlxc_schedule_single(c, &c->s->items[i], sizes);
}

bool rlxc_schedule_single(rlxc_schedule *c, const rlxc_stage *stage, const rlxc_single_sizes *z)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_schedule inner = {.s = c->s}; /* the parts of one row: views, loops */
    const rlxc_expr *vars[2] = {0};
    rlxc_stage own = arranged(c, &inner, stage);
    if (z->transpose && !rlxc_block_transposition(ctx, &own, z->transpose))
        return rlxc_decline(c->s,
                            "transpose is %" PRId64 ", but this is no transposition of so many "
                            "rows and columns",
                            z->transpose);
    uint32_t shared = own.n_axes > 0 && !own.reduces[0];
    const rlxc_expr *outermost = shared ? own.extents[0] : NULL, *row = NULL;
    if (shared)
        row = vars[0] = rlxc_loop_var(ctx, "row");
    if (z->fuse) {
        if (own.n_axes < 2 || own.reduces[0] || own.reduces[1])
            return rlxc_decline(c->s, "fuse is 1, which needs one block with two axes that are not "
                                      "summed");
        const rlxc_expr *each = own.extents[1];
        outermost = rlxc_simplify(ctx, rlxc_mul(ctx, outermost, each), NULL);
        vars[0] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, row, each);
        vars[1] = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, row, each);
        shared = 2;
    }
    const rlxc_stmt *body = stage_body(&inner, &own, vars, shared, z);
    RLXC_PUSH(ctx, &inner.out, body);
    if (!shared) {
        for (uint32_t k = 0; k < inner.out.count; k++)
            RLXC_PUSH(ctx, &c->out, inner.out.items[k]);
        return true;
    }
    RLXC_PUSH(ctx, &c->out,
              rlxc_loop_of(ctx, row, outermost, z->threads ? RLXC_LOOP_PARALLEL : RLXC_LOOP_SERIAL,
                           rlxc_body_of(&inner)));
    return true;
}

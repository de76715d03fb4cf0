/* Splits nests of one block so that a vectorized or unrolled loop has a constant number of
 * iterations in each part, when a predicate makes the number known only at run time (partition.h).
 */
#include "compiler/lower/partition.h"

enum {
    MOST_PIECED = 64, /* limit of the iterations of a loop split into pieces: powers of two up to it
                       */
    MOST_PIECES = 7
};

/* True for a nest of one block that reads the stored buffer only at the stored element. */
typedef struct own_reads {
    const rlxc_stmt *store;
    bool others;
} own_reads;

static bool reads_others(void *user, const rlxc_expr *e)
{
    own_reads *r = user;
    const rlxc_stmt *s = r->store;
    bool same = e->kind != RLXC_EXPR_LOAD || e->load.buffer->data != s->store.buffer->data;
    if (!same && e->load.buffer == s->store.buffer) {
        same = true;
        for (uint32_t i = 0; i < s->store.n; i++)
            same = same && e->load.indices[i] == s->store.indices[i];
    }
    r->others = r->others || !same || e == s->store.buffer->data;
    return !r->others;
}

/* The block inside |loop| and a perfect nest of loops that may be reordered as far as they are not
 * reduction loops; else NULL. */
static const rlxc_stmt *block_of(rlxc_partition *p, const rlxc_stmt *loop)
{
    const rlxc_stmt *at = loop;
    while (at->kind == RLXC_STMT_FOR)
        at = at->loop.body;
    if (loop->loop.kind == RLXC_LOOP_PARALLEL || at->kind != RLXC_STMT_BLOCK ||
        at->block.block->body->kind != RLXC_STMT_STORE || at->block.block->n_allocs ||
        at->block.block->n_matches)
        return NULL;
    own_reads reads = {.store = at->block.block->body};
    rlxc_expr_visit(p->ctx, reads.store->store.value, reads_others, &reads);
    return reads.others ? NULL : at;
}

/* The only loop between |loop| and |block| that |cond| depends on, if it is not |loop| itself and
 * may become the outermost; else NULL. */
static const rlxc_stmt *movable_loop(rlxc_partition *p, const rlxc_stmt *loop,
                                     const rlxc_stmt *block, const rlxc_expr *cond)
{
    const rlxc_stmt *found = NULL;
    int64_t extent;
    for (const rlxc_stmt *at = loop; at != block; at = at->loop.body) {
        if (!rlxc_expr_uses_var(p->ctx, cond, at->loop.var))
            continue;
        if (found || at == loop)
            return NULL;
        found = at;
    }
    if (!found ||
        (found->loop.kind != RLXC_LOOP_VECTORIZED && found->loop.kind != RLXC_LOOP_UNROLLED) ||
        !rlxc_is_const(found->loop.min, 0) || !rlxc_is_int(found->loop.extent, &extent) ||
        extent < 2 || extent > MOST_PIECED)
        return NULL;
    const rlxc_block *b = block->block.block;
    for (uint32_t i = 0; i < b->n_axes; i++)
        if (b->axes[i].kind == RLXC_AXIS_REDUCE &&
            rlxc_expr_uses_var(p->ctx, block->block.values[i], found->loop.var))
            return NULL;
    return found;
}

typedef struct piece {
    const rlxc_stmt *loop; /* stands for |of| */
    const rlxc_expr *of;
} piece;

static const rlxc_stmt *put_piece(void *user, const rlxc_stmt *s)
{
    const piece *p = user;
    if (s->kind != RLXC_STMT_FOR || s->loop.var != p->of)
        return NULL;
    rlxc_stmt *out = (rlxc_stmt *)(uintptr_t)p->loop;
    out->loop.body = s->loop.body;
    return out;
}

/* |loop| where |inner|, inside, has |size| iterations from |min| on, for all of which |cond| holds.
 */
static const rlxc_stmt *one_piece(const rlxc_cut_search *s, const rlxc_stmt *loop,
                                  const rlxc_stmt *inner, const rlxc_expr *min, int64_t size)
{
    rlxc_context *ctx = s->p->ctx;
    rlxc_stmt *now = rlxc_copy(ctx, inner, sizeof *now);
    now->loop.min = rlxc_cast(ctx, inner->loop.var->dtype, min);
    now->loop.extent = rlxc_int(ctx, inner->loop.extent->dtype, size);
    piece one = {.loop = now, .of = inner->loop.var};
    const rlxc_stmt_rewriter rewriter = {.user = &one, .stmt = put_piece};
    return rlxc_stmt_clone(
        ctx, rlxc_stmt_rewrite(ctx, rlxc_partition_decided(s, s->conds, true, loop), &rewriter));
}

/* A nest in which a vectorized or unrolled loop runs its first |t| iterations only, and |t| is
 * known at run time: as consecutive nests of, say, 8, 4, 2 and 1 iterations, so that the loop keeps
 * a constant number of iterations and its results stay in registers. NULL if it is not such a nest.
 */
static const rlxc_stmt *in_pieces(rlxc_partition *p, const rlxc_stmt *loop, const rlxc_stmt *block,
                                  const rlxc_expr *cond)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_expr *two = rlxc_i64(ctx, 2), *one = rlxc_i64(ctx, 1);
    if (cond->kind == RLXC_EXPR_AND) {
        const rlxc_stmt *first = in_pieces(p, loop, block, cond->bin.a);
        return first ? first : in_pieces(p, loop, block, cond->bin.b);
    }
    const rlxc_stmt *inner = movable_loop(p, loop, block, cond), *parts[MOST_PIECES];
    int64_t extent, constant;
    uint32_t n = 0;
    if (!inner || !rlxc_is_int(inner->loop.extent, &extent))
        return NULL;
    rlxc_cut_search s = {
        .p = p, .loop = inner, .low = rlxc_i64(ctx, 0), .high = rlxc_i64(ctx, extent)};
    s.conds[s.n++] = (rlxc_cut_condition){.cond = cond, .usable = true};
    if (!rlxc_partition_cuts(&s, cond, s.conds) || s.conds->rises ||
        rlxc_is_int(s.conds->first, &constant))
        return NULL;
    for (int64_t size = MOST_PIECED; size > 0; size /= 2) {
        if (size > extent)
            continue;
        const rlxc_expr *of = rlxc_i64(ctx, size), *pair = rlxc_i64(ctx, 2 * size);
        const rlxc_expr *count = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, s.conds->first, of);
        const rlxc_expr *is_odd =
            rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, count, two), one);
        const rlxc_expr *min =
            rlxc_mul(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, s.conds->first, pair), pair);
        parts[n++] = rlxc_stmt_if(ctx, is_odd, one_piece(&s, loop, inner, min, size), NULL);
    }
    p->copies *= n;
    return rlxc_stmt_seq(ctx, parts, n);
}

const rlxc_stmt *rlxc_partition_pieces(rlxc_partition *p, const rlxc_stmt *loop)
{
    const rlxc_stmt *block = block_of(p, loop);
    return block && block->block.predicate ? in_pieces(p, loop, block, block->block.predicate)
                                           : NULL;
}

/* Rule columns: reductions along columns on a device, such as products of few rows and sums over
 * the rows of a matrix: neighbouring elements of the result read neighbouring elements.
 *
 * A block of threads has some columns. The terms are shared out, too: threads of one column sum
 * parts of its terms in registers, and one of them adds the parts, which lie in shared memory. */
#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

enum {
    FEW_TERMS = 64,     /* with fewer one thread sums alone */
    ENOUGH = 1 << 16,   /* elements that give all threads work */
    COLUMNS = 32,       /* threads of a block along the columns, in step */
    COLUMNS_APART = 64, /* and where no threads are in step */
    LEAST_TERMS = 16    /* of a thread */
};

static const rlxc_expr *n_terms(const rlxc_stages *s, const rlxc_stage *stage)
{
    const rlxc_expr *total = rlxc_i64(s->ctx, 1);
    for (uint32_t a = 0; a < stage->n_axes; a++)
        if (stage->reduces[a])
            total = rlxc_simplify(s->ctx, rlxc_mul(s->ctx, total, stage->extents[a]), NULL);
    return total;
}

static uint32_t n_spatial(const rlxc_stage *s)
{
    uint32_t n = 0;
    while (n < s->n_axes && !s->reduces[n])
        n++;
    return n;
}

/* Whether neighbouring columns are neighbours in memory, in one access at least, and read the same
 * element in the others. */
static bool along_columns(const rlxc_stages *s, const rlxc_stage *stage, const rlxc_expr *column)
{
    const rlxc_accesses all = rlxc_accesses_of(s->ctx, stage);
    uint32_t n = 0;
    for (uint32_t i = 0; i < all.loads.count; i++) {
        const rlxc_expr *e = all.loads.items[i];
        int64_t stride;
        if (!rlxc_access_stride(s->ctx, e->load.buffer, e->load.indices, column, &stride) ||
            (stride != 0 && stride != 1))
            return rlxc_decline(s, "%s is not contiguous along %s", rlxc_told(s, e),
                                column->var.name);
        n += stride == 1 && e->load.buffer != stage->out;
    }
    return n > 0 || rlxc_decline(s, "nothing is read along %s", column->var.name);
}

bool rlxc_decide_columns(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stage *s = &c->s->items[i];
    const uint32_t spatial = n_spatial(s);
    const bool in_step = c->s->target->device.warp > 1;
    int64_t elements, terms = INT64_MAX, columns;
    if (!s->init || spatial == 0)
        return rlxc_decline(c->s, "%s", s->init ? "one element" : "not a reduction");
    if (!along_columns(c->s, s, s->vars[spatial - 1]))
        return false;
    if (rlxc_is_int(n_terms(c->s, s), &terms) && terms < FEW_TERMS)
        return rlxc_decline(c->s, "only %d terms", (int)terms);
    if (rlxc_is_int(rlxc_stage_elements(c->s->ctx, s), &elements) && elements >= ENOUGH)
        return rlxc_decline(c->s, "%lld elements are enough for a thread each",
                            (long long)elements);
    rlxc_columns_sizes *z = sizes;
    *z = (rlxc_columns_sizes){.threads = in_step ? COLUMNS : COLUMNS_APART, .parts = 1};
    while (z->threads > 1 && rlxc_is_int(s->extents[spatial - 1], &columns) &&
           columns <= z->threads / 2)
        z->threads /= 2;
    while (in_step && z->threads * z->parts * 2 <= RLXC_BLOCK_THREADS &&
           z->threads * z->parts * 2 <= c->s->target->device.threads &&
           z->parts * 2 * LEAST_TERMS <= terms)
        z->parts *= 2;
    return true;
}

/* The loops over blocks of columns, of all rows, and over the columns of one. */
static rlxc_step_ref blocks_of(rlxc_schedule_steps *l, rlxc_loops *t, int64_t threads,
                               rlxc_step_ref *column)
{
    rlxc_step_ref parts[2];
    rlxc_fuse_loops(l, t, 0, t->n_spatial - 1);
    rlxc_step_split(l, t->loops[t->n_spatial - 1], (const int64_t[]){0, threads}, 2, parts);
    *column = parts[1];
    if (t->n_spatial == 1)
        return parts[0];
    const rlxc_step_ref both[2] = {t->loops[0], parts[0]};
    return rlxc_step_loops(l, RLXC_STEP_fuse, both, 2);
}

/* The sum runs in a register of the thread whose loop is |thread|. */
static void sum_in(rlxc_schedule_steps *l, rlxc_step_ref block, rlxc_step_ref thread,
                   rlxc_step_ref terms)
{
    rlxc_step_reverse_compute_at(l, rlxc_step_cache_write(l, block), thread);
    (void)rlxc_step_decompose(l, block, terms);
}

bool rlxc_apply_columns(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_columns_sizes *z = sizes;
    rlxc_schedule_steps *l =
        rlxc_steps_new(c->s->ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    rlxc_loops t = rlxc_open_loops(l, &c->s->items[i], "columns");
    const uint32_t spatial = t.n_spatial;
    rlxc_step_ref column, blocks[2], k[2];
    rlxc_fuse_loops(l, &t, spatial, t.n - spatial);
    const rlxc_step_ref terms = t.loops[spatial];
    blocks[0] = blocks_of(l, &t, z->threads, &column);
    rlxc_step_bind(l, column, "threadIdx.x");
    if (z->parts > 1) {
        rlxc_step_split(l, terms, (const int64_t[]){0, z->parts}, 2, k);
        const rlxc_step_ref order[2] = {k[1], k[0]};
        (void)rlxc_step_loops(l, RLXC_STEP_reorder, order, 2);
        const rlxc_step_ref part = rlxc_step_rfactor(l, k[1], 0);
        sum_in(l, part, k[1], k[0]);
        rlxc_step_bind(l, k[1], "threadIdx.y");
        rlxc_loops rest = {.block = t.block, .n = spatial + 1, .n_spatial = spatial};
        rlxc_step_get_loops(l, t.block, rest.loops, rest.n);
        const rlxc_step_ref added = rest.loops[spatial];
        blocks[1] = blocks_of(l, &rest, z->threads, &column);
        const rlxc_step_ref one = rlxc_step_unit_loop(l, added);
        sum_in(l, t.block, one, added);
        rlxc_step_bind(l, one, "threadIdx.y");
        rlxc_step_bind(l, column, "threadIdx.x");
        blocks[0] = rlxc_step_loops(l, RLXC_STEP_merge, blocks, 2);
    } else {
        sum_in(l, t.block, column, terms);
    }
    rlxc_step_bind(l, blocks[0], "blockIdx.x");
    c->steps = l;
    c->n_stages = 1;
    return true;
}

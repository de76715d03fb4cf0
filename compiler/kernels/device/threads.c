/* Rule threads: one block on a device, by itself. Its elements are numbered, and each number goes
 * to a thread: the spatial loops are fused and split into blocks of threads. A reduction runs in
 * the thread, in memory of its own. Every block of a device's function that no other rule takes is
 * scheduled so; pass bind_threads looks after what is no such block. */
#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

enum { LINE = 128, SHORT = 64, SHORTEST = 32 };

/* The threads of a block for a line of the last axis; 0: the elements are numbered. On a CPU a
 * block is a loop over its threads, which becomes one of vectors where they are neighbours; numbers
 * of elements would be divided by the extents of axes for each of them. */
static int64_t line_of(const rlxc_stages *s, const rlxc_stage *stage, int64_t most)
{
    int64_t length, threads = LINE;
    if (s->target->device.vector_bytes == 0 || stage->init || stage->n_axes < 2 || most < LINE)
        return 0;
    if (!rlxc_is_int(stage->extents[stage->n_axes - 1], &length))
        return LINE;
    if (length < LINE) /* where accesses treat lines as one, no number is divided */
        return length >= SHORTEST && !rlxc_axes_merge(s->ctx, stage, stage->n_axes - 2) ? length
                                                                                        : 0;
    while (threads > SHORT && length % threads != 0)
        threads /= 2;
    return length % threads == 0 ? threads : LINE;
}

/* Rows of the other axes as blocks, lines of the last one as threads. */
static void by_lines(rlxc_schedule_steps *l, rlxc_loops *t, int64_t threads)
{
    rlxc_step_ref parts[2];
    rlxc_fuse_loops(l, t, 0, t->n_spatial - 1);
    rlxc_step_split(l, t->loops[1], (const int64_t[]){0, threads}, 2, parts);
    rlxc_step_bind(l, t->loops[0], "blockIdx.x");
    rlxc_step_bind(l, parts[0], "blockIdx.y");
    rlxc_step_bind(l, parts[1], "threadIdx.x");
}

bool rlxc_decide_threads(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stage *s = &c->s->items[i];
    const int64_t most = c->s->target->device.threads;
    int64_t elements, threads = most < RLXC_BLOCK_THREADS ? most : RLXC_BLOCK_THREADS;
    const rlxc_expr *total = rlxc_stage_elements(c->s->ctx, s);
    const bool one = rlxc_is_int(total, &elements) && elements <= threads;
    const int64_t line = one ? 0 : line_of(c->s, s, most);
    if (one)
        threads = elements > 0 ? elements : 1;
    *(rlxc_threads_sizes *)sizes =
        (rlxc_threads_sizes){.threads = line ? line : threads, .blocks = !one, .lines = line > 0};
    return true;
}

bool rlxc_apply_threads(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_threads_sizes *z = sizes;
    rlxc_schedule_steps *l =
        rlxc_steps_new(c->s->ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    const rlxc_stage *s = &c->s->items[i];
    rlxc_loops t = rlxc_open_loops(l, s, "threads");
    rlxc_step_ref thread;
    c->steps = l;
    c->n_stages = 1;
    if (z->lines) {
        by_lines(l, &t, z->threads);
        return true;
    }
    if (t.n_spatial > 0) {
        rlxc_fuse_loops(l, &t, 0, t.n_spatial);
        thread = t.loops[0];
    } else {
        thread = rlxc_step_unit_loop(l, t.n ? t.loops[0] : t.block);
    }
    if (z->blocks) {
        rlxc_step_ref parts[2];
        rlxc_step_split(l, thread, (const int64_t[]){0, z->threads}, 2, parts);
        rlxc_step_bind(l, parts[0], "blockIdx.x");
        thread = parts[1];
    }
    rlxc_step_bind(l, thread, "threadIdx.x");
    if (s->init && t.n > t.n_spatial) {
        rlxc_step_reverse_compute_at(l, rlxc_step_cache_write(l, t.block), thread);
        rlxc_step_decompose(l, t.block, t.loops[t.n_spatial]);
    }
    return true;
}

/* Rule threads: one block on a device, by itself. Its elements are numbered, and each number goes
 * to a thread: the spatial loops are fused and split into blocks of threads. A reduction runs in
 * the thread, in memory of its own. Every block of a device's function that no other rule takes is
 * scheduled so; pass bind_threads looks after what is no such block. */
#include "compiler/kernels/device/device.h"
#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

bool rlxc_decide_threads(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stage *s = &c->s->items[i];
    const int64_t most = c->s->target->device.threads;
    int64_t elements, threads = most < RLXC_BLOCK_THREADS ? most : RLXC_BLOCK_THREADS;
    const rlxc_expr *total = rlxc_stage_elements(c->s->ctx, s);
    const bool one = rlxc_is_int(total, &elements) && elements <= threads;
    if (one)
        threads = elements > 0 ? elements : 1;
    *(rlxc_threads_sizes *)sizes = (rlxc_threads_sizes){.threads = threads, .blocks = !one};
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
    c->steps = l;
    c->n_stages = 1;
    return true;
}

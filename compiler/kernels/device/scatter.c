/* Rule scatter: updates at places that data gives, on a device (scatter_elements, scatter_nd,
 * index_put).
 *
 * A thread owns elements of the result and makes their updates in the order as written, so that the
 * results equal the CPU's, also where positions repeat and sums round. Loops over dimensions
 * without indices are bound to threads. If these are too few, the indexed dimensions are divided
 * among threads as well (rewrite "scatter"): all threads read all indices, the same at the same
 * time, and each makes only its own updates. */
#include "compiler/kernels/device/updates.h"
#include "compiler/kernels/rules.h"

enum {
    OWNERS = 4096,     /* threads that divide the dimensions that no loop covers */
    THREADS_APART = 16 /* of a block where threads are turns of a loop: cores take blocks */
};

/* The number of elements along dimensions without indices; 0: not known. */
static int64_t untouched(rlxc_context *ctx, const rlxc_updates *u)
{
    int64_t total = 1, n, none = 1;
    for (uint32_t d = 0; d < u->store->store.n; d++)
        if (u->of_dim[d] >= 0 && (!rlxc_is_int(rlxc_updates_axis(ctx, u, d, &none), &n) ||
                                  __builtin_mul_overflow(total, n, &total)))
            return 0;
    return total;
}

bool rlxc_decide_scatter(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_device_limits *limits = &c->s->target->device;
    const bool is_cpu = limits->vector_bytes > 0;
    rlxc_context *ctx = c->s->ctx;
    rlxc_updates u;
    if (!rlxc_updates_of(c->s, c->s->items[i].stmt, &u))
        return false;
    const int64_t apart = untouched(ctx, &u);
    int64_t threads = is_cpu ? THREADS_APART : RLXC_BLOCK_THREADS;
    int64_t owners = !is_cpu && apart > 0 && apart < OWNERS ? OWNERS / apart : 1;
    threads = threads < limits->threads ? threads : limits->threads;
    *(rlxc_scatter_sizes *)sizes = (rlxc_scatter_sizes){.threads = threads, .owners = owners};
    for (uint32_t d = u.store->store.n; d-- > 0;)
        if (rlxc_updates_axis(ctx, &u, d, &owners))
            return true;
    const char *to = u.store->store.buffer->name;
    return is_cpu ? rlxc_decline(c->s,
                                 "threads of a CPU run one after the other, and indices touch all "
                                 "dimensions of %s",
                                 to)
                  : rlxc_decline(c->s, "%s is one element", to);
}

bool rlxc_apply_scatter(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_scatter_sizes *z = sizes;
    rlxc_context *ctx = c->s->ctx;
    rlxc_step_ref loops[RLXC_MAX_NDIM], parts[2];
    rlxc_updates u;
    uint32_t n = 0;
    int64_t owners = z->owners;
    if (!rlxc_updates_of(c->s, c->s->items[i].stmt, &u))
        return false;
    for (uint32_t d = u.store->store.n; d-- > 0;)
        n += rlxc_updates_axis(ctx, &u, d, &owners) != NULL;
    if (n == 0)
        return false;
    rlxc_schedule_steps *l =
        rlxc_steps_new(ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    const rlxc_step_ref block = rlxc_step_get_block(l, rlxc_stage_name(&c->s->items[i]));
    rlxc_step_annotate(l, block, RLXC_RULE_MARK, rlxc_attr_string(ctx, "scatter"));
    rlxc_step_scatter(l, block, z->owners);
    rlxc_step_get_loops(l, block, loops, n);
    const rlxc_step_ref all = n > 1 ? rlxc_step_loops(l, RLXC_STEP_fuse, loops, n) : loops[0];
    rlxc_step_split(l, all, (const int64_t[]){0, z->threads}, 2, parts);
    rlxc_step_bind(l, parts[0], "blockIdx.x");
    rlxc_step_bind(l, parts[1], "threadIdx.x");
    c->steps = l;
    c->n_stages = 1;
    return true;
}

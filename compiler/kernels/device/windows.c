/* Rule windows: products that slide along the result's last axis, such as depthwise convolutions,
 * on a device: no factor has rows or columns of its own, so tiles would share nothing.
 *
 * A thread computes some neighbours, which it sums in registers: it reads a weight once for all of
 * them, and what their windows share once for each. Where threads are turns of a loop, as on a CPU,
 * the neighbours are lanes of a vector, and a block of one thread goes through some lines. What
 * maps the result element by element runs on the thread's part. */
#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

enum {
    NEIGHBOURS = 4,
    FEWEST_LANES = 4,
    MOST_LANES = 16,
    LINES = 8,        /* of a block on a CPU, at most */
    ENOUGH = 1 << 16, /* elements: with fewer, each has a thread of its own */
    MOST_TERMS = 1024
};

static const rlxc_expr *count(const rlxc_stages *s, const rlxc_stage *stage, bool reduces,
                              uint32_t end)
{
    const rlxc_expr *total = rlxc_i64(s->ctx, 1);
    for (uint32_t a = 0; a < end; a++)
        if (stage->reduces[a] == reduces)
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

/* Whether neighbours along |axis| read neighbours in |factor|, or all the same element. */
static bool is_along(const rlxc_stages *s, const rlxc_expr *factor, const rlxc_expr *axis)
{
    int64_t stride;
    if (factor->kind != RLXC_EXPR_LOAD || !rlxc_dtype_eq(factor->dtype, RLX_F32))
        return rlxc_decline(s, "%s is not read from float32 memory", rlxc_told(s, factor));
    if (!rlxc_access_stride(s->ctx, factor->load.buffer, factor->load.indices, axis, &stride) ||
        (stride != 0 && stride != 1))
        return rlxc_decline(s, "%s is not contiguous along %s", rlxc_told(s, factor),
                            axis->var.name);
    return true;
}

/* The largest power of two up to |most| that divides |n|. */
static int64_t divisor(int64_t n, int64_t most)
{
    while (most > 1 && n % most != 0)
        most /= 2;
    return most;
}

static const rlxc_stage *epilogue_of(const rlxc_stages *s, uint32_t i)
{
    const rlxc_stage *e = rlxc_epilogue_of(s, i, i);
    return i + 1 < s->n && e == &s->items[i + 1] ? e : NULL;
}

bool rlxc_decide_windows(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stages *s = c->s;
    const rlxc_stage *stage = &s->items[i];
    const rlxc_device_limits *d = &s->target->device;
    const uint32_t spatial = n_spatial(stage);
    int64_t length, terms, elements, lines = 1;
    rlxc_operation op;
    if (!rlxc_stage_product(s, stage, &op))
        return false;
    if (spatial < 2)
        return rlxc_decline(s, "%s has no lines", stage->out->name);
    const rlxc_expr *axis = stage->vars[spatial - 1];
    if (!is_along(s, op.x, axis) || !is_along(s, op.w, axis))
        return false;
    if (!rlxc_is_int(count(s, stage, true, stage->n_axes), &terms) || terms > MOST_TERMS)
        return rlxc_decline(s, "more than %d terms", MOST_TERMS);
    if (!rlxc_is_int(stage->extents[spatial - 1], &length) || length == 0)
        return rlxc_decline(s, "lines of %s elements", rlxc_told(s, stage->extents[spatial - 1]));
    const bool is_cpu = d->vector_bytes > 0;
    int64_t most = is_cpu ? d->vector_bytes / (int64_t)sizeof(float) : NEIGHBOURS;
    if (is_cpu && most > MOST_LANES)
        most = MOST_LANES;
    const int64_t neighbours = divisor(length, most);
    if (neighbours < (is_cpu ? FEWEST_LANES : 2))
        return rlxc_decline(s, "lines of %d elements do not divide", (int)length);
    if (!is_cpu && (!rlxc_is_int(count(s, stage, false, spatial), &elements) || elements < ENOUGH))
        return rlxc_decline(s, "fewer than %d elements: a thread for each", ENOUGH);
    if (is_cpu && rlxc_is_int(count(s, stage, false, spatial - 1), &lines))
        lines = divisor(lines, LINES);
    *(rlxc_windows_sizes *)sizes =
        (rlxc_windows_sizes){.neighbours = neighbours,
                             .threads = is_cpu                            ? 1
                                        : d->threads < RLXC_BLOCK_THREADS ? d->threads
                                                                          : RLXC_BLOCK_THREADS,
                             .lines = lines,
                             .lanes = is_cpu,
                             .epilogue = epilogue_of(s, i) != NULL};
    return true;
}

/* Binds the loops over lines and their parts |part|; returns the loop with one part per
   iteration. */
static rlxc_step_ref bind_parts(rlxc_schedule_steps *l, rlxc_step_ref line, rlxc_step_ref part,
                                const rlxc_windows_sizes *z)
{
    rlxc_step_ref two[2] = {line, part};
    if (!z->lanes) {
        rlxc_step_split(l, rlxc_step_loops(l, RLXC_STEP_fuse, two, 2),
                        (const int64_t[]){0, z->threads}, 2, two);
        rlxc_step_bind(l, two[0], "blockIdx.x");
        rlxc_step_bind(l, two[1], "threadIdx.x");
        return two[1];
    }
    rlxc_step_split(l, line, (const int64_t[]){0, z->lines}, 2, two);
    rlxc_step_bind(l, two[0], "blockIdx.x");
    rlxc_step_bind(l, rlxc_step_unit_loop(l, two[1]), "threadIdx.x");
    return part;
}

bool rlxc_apply_windows(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_windows_sizes *z = sizes;
    const rlxc_stage *e = z->epilogue ? epilogue_of(c->s, i) : NULL;
    const rlxc_step_kind mark = z->lanes ? RLXC_STEP_vectorize : RLXC_STEP_unroll;
    rlxc_schedule_steps *l =
        rlxc_steps_new(c->s->ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    rlxc_step_ref ends[2], order[RLXC_STAGE_AXES + 1], around[5];
    uint32_t n = 0;
    if (z->epilogue && !e)
        return false;
    if (e) /* the list names all of its blocks */
        (void)rlxc_step_get_block(l, rlxc_stage_name(e));
    rlxc_loops t = rlxc_open_loops(l, &c->s->items[i], "windows");
    rlxc_fuse_loops(l, &t, 0, t.n_spatial - 1);
    rlxc_step_split(l, t.loops[1], (const int64_t[]){0, z->neighbours}, 2, ends);
    const rlxc_step_ref part = bind_parts(l, t.loops[0], ends[0], z);
    for (uint32_t k = t.n_spatial; k < t.n; k++)
        order[n++] = t.loops[k];
    order[n++] = ends[1];
    (void)rlxc_step_loops(l, RLXC_STEP_reorder, order, n);
    const rlxc_step_ref out =
        e ? rlxc_step_get_block(l, rlxc_stage_name(e)) : rlxc_step_cache_write(l, t.block);
    rlxc_step_reverse_compute_at(l, out, part);
    rlxc_step_mark(l, mark, ends[1]);
    (void)rlxc_step_decompose(l, t.block, t.loops[t.n_spatial]);
    n = z->lanes ? 5 : 3;
    rlxc_step_get_loops(l, out, around, n);
    rlxc_step_mark(l, mark, around[n - 1]);
    c->steps = l;
    c->n_stages = e ? 2 : 1;
    return true;
}

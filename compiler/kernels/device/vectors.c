/* Rule vectors: products on a device that is a CPU (OpenCL's threads are then turns of a loop).
 *
 * Blocks have one thread, which computes a tile of rows and columns: lines of vectors that stay in
 * registers while it goes through all terms. Both factors are read where they are; nothing is
 * shared, so no thread waits. Neighbouring blocks are tiles of the same columns, whose weights then
 * come from a cache. Rows beyond the last are that row again, and are not stored. The epilogue runs
 * on the tile. */
#include "compiler/kernels/device/gemm.h"
#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

enum { FEWEST_LANES = 4, MOST_LANES = 16, WIDE = 64 /* bytes of a register where there are 32 */ };

/* Whether neighbours along |axis| are neighbours in memory. */
static bool is_contiguous(const rlxc_stages *s, const rlxc_buffer *b,
                          const rlxc_expr *const *indices, const rlxc_expr *axis)
{
    int64_t stride;
    return rlxc_access_stride(s->ctx, b, indices, axis, &stride) && stride == 1;
}

/* The lanes of a vector that |columns| fill evenly: as many as a register has, or fewer; 0: none.
 */
static int64_t lanes_for(const rlxc_device_limits *d, int64_t columns)
{
    int64_t lanes = d->vector_bytes / (int64_t)sizeof(float);
    while (lanes > MOST_LANES || (lanes >= FEWEST_LANES && columns % lanes != 0))
        lanes /= 2;
    return lanes >= FEWEST_LANES ? lanes : 0;
}

static bool is_plain(const rlxc_stages *s, const rlxc_expr *factor, const char *which)
{
    return (factor->kind == RLXC_EXPR_LOAD && rlxc_dtype_eq(factor->dtype, RLX_F32)) ||
           rlxc_decline(s, "the %s factor is not read from float32 memory: %s", which,
                        rlxc_told(s, factor));
}

bool rlxc_decide_vectors(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stages *s = c->s;
    const rlxc_device_limits *d = &s->target->device;
    rlxc_gemm g;
    int64_t columns, rows;
    if (d->vector_bytes == 0)
        return rlxc_decline(s, "the device is not known to be a CPU");
    if (!rlxc_gemm_of(s, i, &g) || !is_plain(s, g.op.x, "first") || !is_plain(s, g.op.w, "second"))
        return false;
    const uint32_t last = g.axes[RLXC_GEMM_COLUMN][g.n[RLXC_GEMM_COLUMN] - 1];
    const rlxc_expr *axis = g.stage->vars[last], *extent = g.stage->extents[last];
    const int64_t lanes = rlxc_is_int(extent, &columns) ? lanes_for(d, columns) : 0;
    if (lanes == 0)
        return rlxc_decline(s, "%s columns do not fill vectors", rlxc_told(s, extent));
    if (!is_contiguous(s, g.op.w->load.buffer, g.op.w->load.indices, axis) ||
        !is_contiguous(s, g.stage->out, g.stage->indices, axis))
        return rlxc_decline(s, "columns are not neighbours in memory in %s", rlxc_told(s, g.op.w));
    const bool wide = d->vector_bytes >= WIDE;
    rlxc_vectors_sizes *z = sizes;
    *z = (rlxc_vectors_sizes){.lanes = lanes,
                              .vectors = wide && columns / lanes % 3 == 0 ? 3
                                         : columns / lanes % 2 == 0       ? 2
                                                                          : 1,
                              .rows = wide ? 8 : 6,
                              .epilogue = g.epilogue != NULL};
    if (rlxc_is_int(g.extents[RLXC_GEMM_ROW], &rows) && rows > 0 && rows < z->rows)
        z->rows = rows;
    return true;
}

/* The columns of a tile: vectors, and the lanes of one. */
static void lay_out(rlxc_schedule_steps *l, rlxc_step_ref column, const rlxc_vectors_sizes *z)
{
    rlxc_step_ref parts[2];
    rlxc_step_split(l, column, (const int64_t[]){z->vectors, z->lanes}, 2, parts);
    rlxc_step_mark(l, RLXC_STEP_unroll, parts[0]);
    rlxc_step_mark(l, RLXC_STEP_vectorize, parts[1]);
}

bool rlxc_apply_vectors(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_vectors_sizes *z = sizes;
    const int64_t width = z->vectors * z->lanes;
    rlxc_context *ctx = c->s->ctx;
    rlxc_step_ref loops[RLXC_GEMM_AXES + 1], m[2], n[2];
    rlxc_gemm g;
    if (!rlxc_gemm_of(c->s, i, &g))
        return false;
    rlxc_schedule_steps *l =
        rlxc_steps_new(ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    const char *name = rlxc_stage_name(g.stage);
    const uint32_t batch = g.n[RLXC_GEMM_BATCH] > 0;
    const rlxc_step_ref block = rlxc_step_get_block(l, name);
    if (z->epilogue) /* the list names all of its blocks */
        (void)rlxc_step_get_block(l, rlxc_stage_name(g.epilogue));
    rlxc_step_annotate(l, block, RLXC_RULE_MARK, rlxc_attr_string(ctx, "vectors"));
    rlxc_step_gemm(
        l, block,
        &(rlxc_gemm_sizes){
            .rows = z->rows, .columns = width, .terms = 1, .epilogue = z->epilogue, .clamp = 1});
    rlxc_step_inline(l, RLXC_STEP_compute_inline,
                     rlxc_step_get_block(l, rlxc_internf(ctx, "%s_x", name)));
    rlxc_step_inline(l, RLXC_STEP_compute_inline,
                     rlxc_step_get_block(l, rlxc_internf(ctx, "%s_w", name)));
    rlxc_step_get_loops(l, block, loops, batch + 3);
    rlxc_step_split(l, loops[batch], (const int64_t[]){0, z->rows}, 2, m);
    rlxc_step_split(l, loops[batch + 1], (const int64_t[]){0, width}, 2, n);
    const rlxc_step_ref order[] = {m[0], n[0], loops[batch + 2], m[1], n[1]};
    rlxc_step_loops(l, RLXC_STEP_reorder, order, sizeof order / sizeof *order);
    if (batch)
        rlxc_step_bind(l, loops[0], "blockIdx.z");
    rlxc_step_bind(l, m[0], "blockIdx.x");
    rlxc_step_bind(l, n[0], "blockIdx.y");
    rlxc_step_mark(l, RLXC_STEP_unroll, m[1]);
    lay_out(l, n[1], z);
    (void)rlxc_step_decompose(l, block, loops[batch + 2]);
    const rlxc_step_ref out = rlxc_step_get_block(l, rlxc_internf(ctx, "%s_out", name));
    const uint32_t inner = z->rows > 1 ? 2 : 1; /* one row has no loop there */
    rlxc_step_reverse_compute_at(l, out, n[0]);
    rlxc_step_get_loops(l, out, loops, batch + 2 + inner);
    if (inner == 2)
        rlxc_step_mark(l, RLXC_STEP_unroll, loops[batch + 2]);
    lay_out(l, loops[batch + 1 + inner], z);
    c->steps = l;
    c->n_stages = z->epilogue ? 2 : 1;
    return true;
}

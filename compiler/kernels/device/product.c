/* Rule product: products and convolutions on a device.
 *
 * A block of threads computes a tile of rows and columns. It goes through the terms in pieces,
 * whose factors all threads copy to shared memory together (rewrite "gemm"); each thread sums a few
 * rows and columns in registers. Its columns are as far apart as the block has threads along them,
 * so that neighbours access neighbours. The epilogue runs on each thread's part. */
#include "compiler/kernels/device/gemm.h"

#include <inttypes.h>

#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

enum { SMALL = 8 };

static bool is_small(const rlxc_expr *extent)
{
    int64_t n;
    return rlxc_is_int(extent, &n) && n < SMALL;
}

bool rlxc_decide_product(rlxc_schedule *c, uint32_t i, void *sizes)
{
    static const char *const what[RLXC_GEMM_AXES] = {"batches", "rows", "columns", "terms"};
    rlxc_gemm g;
    if (!rlxc_gemm_of(c->s, i, &g))
        return false;
    for (int k = RLXC_GEMM_ROW; k < RLXC_GEMM_AXES; k++)
        if (is_small(g.extents[k]))
            return rlxc_decline(c->s, "only %s %s", rlxc_told(c->s, g.extents[k]), what[k]);
    /* Threads in step share what they read; where none are known to be, as on a CPU, fewer rows of
     * longer lines keep more in registers. */
    static const rlxc_product_sizes in_step = {8, 16, 4, 4, 16, 0}, apart = {1, 64, 8, 1, 16, 0};
    rlxc_product_sizes *z = sizes;
    *z = c->s->target->device.warp > 1 ? in_step : apart;
    z->epilogue = g.epilogue != NULL;
    return true;
}

/* The factor's part for a tile, in the |n_outer| loops of the tile: its two loops become one, whose
 * iterations are divided among the threads. */
static void share_out(rlxc_schedule_steps *l, rlxc_step_ref block, uint32_t n_outer,
                      const rlxc_product_sizes *z)
{
    rlxc_step_ref loops[RLXC_GEMM_AXES + 4], parts[3];
    rlxc_step_get_loops(l, block, loops, n_outer + 2);
    const rlxc_step_ref all = rlxc_step_loops(l, RLXC_STEP_fuse, loops + n_outer, 2);
    rlxc_step_split(l, all, (const int64_t[]){0, z->threads_y, z->threads_x}, 3, parts);
    rlxc_step_bind(l, parts[1], "threadIdx.y");
    rlxc_step_bind(l, parts[2], "threadIdx.x");
}

/* The loops of a thread's rows and columns: the threads' own are bound, the others unrolled. */
static void bind_tile(rlxc_schedule_steps *l, const rlxc_step_ref rows[2],
                      const rlxc_step_ref columns[2])
{
    rlxc_step_bind(l, rows[0], "threadIdx.y");
    rlxc_step_bind(l, columns[1], "threadIdx.x");
    rlxc_step_mark(l, RLXC_STEP_unroll, rows[1]);
    rlxc_step_mark(l, RLXC_STEP_unroll, columns[0]);
}

/* The product's loops: tiles, pieces of the terms in them (returned in |piece|), threads. */
static void tile(rlxc_schedule_steps *l, rlxc_step_ref block, uint32_t batch,
                 const rlxc_product_sizes *z, rlxc_step_ref *column_tile, rlxc_step_ref *piece)
{
    rlxc_step_ref loops[RLXC_GEMM_AXES], m[3], n[3], k[2];
    rlxc_step_get_loops(l, block, loops, batch + 3);
    rlxc_step_split(l, loops[batch], (const int64_t[]){0, z->threads_y, z->rows}, 3, m);
    rlxc_step_split(l, loops[batch + 1], (const int64_t[]){0, z->columns, z->threads_x}, 3, n);
    rlxc_step_split(l, loops[batch + 2], (const int64_t[]){0, z->terms}, 2, k);
    const rlxc_step_ref order[] = {m[0], n[0], k[0], m[1], n[2], k[1], m[2], n[1]};
    rlxc_step_loops(l, RLXC_STEP_reorder, order, sizeof order / sizeof *order);
    if (batch)
        rlxc_step_bind(l, loops[0], "blockIdx.z");
    rlxc_step_bind(l, m[0], "blockIdx.y");
    rlxc_step_bind(l, n[0], "blockIdx.x");
    bind_tile(l, m + 1, n + 1);
    rlxc_step_mark(l, RLXC_STEP_unroll, k[1]);
    (void)rlxc_step_decompose(l, block, k[0]);
    *column_tile = n[0];
    *piece = k[0];
}

/* The result's loops in those of the tile. */
static void store_tile(rlxc_schedule_steps *l, rlxc_step_ref block, uint32_t batch,
                       const rlxc_product_sizes *z)
{
    rlxc_step_ref loops[RLXC_GEMM_AXES + 1], m[2], n[2];
    rlxc_step_get_loops(l, block, loops, batch + 4);
    rlxc_step_split(l, loops[batch + 2], (const int64_t[]){z->threads_y, z->rows}, 2, m);
    rlxc_step_split(l, loops[batch + 3], (const int64_t[]){z->columns, z->threads_x}, 2, n);
    const rlxc_step_ref order[] = {m[0], n[1], m[1], n[0]};
    rlxc_step_loops(l, RLXC_STEP_reorder, order, sizeof order / sizeof *order);
    bind_tile(l, m, n);
}

bool rlxc_apply_product(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_product_sizes *z = sizes;
    rlxc_context *ctx = c->s->ctx;
    rlxc_gemm g;
    if (!rlxc_gemm_of(c->s, i, &g))
        return false;
    rlxc_schedule_steps *l =
        rlxc_steps_new(ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    const char *name = rlxc_stage_name(g.stage);
    const uint32_t batch = g.n[RLXC_GEMM_BATCH] > 0;
    const rlxc_step_ref block = rlxc_step_get_block(l, name);
    rlxc_step_ref column_tile, piece;
    if (z->epilogue) /* the list names all of its blocks */
        (void)rlxc_step_get_block(l, rlxc_stage_name(g.epilogue));
    rlxc_step_annotate(l, block, RLXC_RULE_MARK, rlxc_attr_string(ctx, "product"));
    rlxc_step_gemm(l, block,
                   &(rlxc_gemm_sizes){.rows = z->threads_y * z->rows,
                                      .columns = z->threads_x * z->columns,
                                      .terms = z->terms,
                                      .epilogue = z->epilogue});
    tile(l, block, batch, z, &column_tile, &piece);
    const rlxc_step_ref x = rlxc_step_get_block(l, rlxc_internf(ctx, "%s_x", name));
    const rlxc_step_ref w = rlxc_step_get_block(l, rlxc_internf(ctx, "%s_w", name));
    const rlxc_step_ref out = rlxc_step_get_block(l, rlxc_internf(ctx, "%s_out", name));
    rlxc_step_compute_at(l, x, piece);
    rlxc_step_compute_at(l, w, piece);
    share_out(l, x, batch + 3, z);
    share_out(l, w, batch + 3, z);
    rlxc_step_reverse_compute_at(l, out, column_tile);
    store_tile(l, out, batch, z);
    c->steps = l;
    c->n_stages = z->epilogue ? 2 : 1;
    return true;
}

/* Rule tensor: products and convolutions of float16 or bfloat16, with --allow-tf32 of float32, on
 * tensor cores.
 *
 * As in rule product, a block of threads computes a tile of rows and columns, and copies the
 * factors of a piece of the terms to shared memory. Here the tile is one of fragments (rewrite
 * "gemm" with size "fragment"): a warp sums a few tiles of 16 rows and 8 columns, each in the
 * registers of its 32 threads, by T.ptx_mma. Sums are float32, whatever the factors are. */
#include "compiler/kernels/device/gemm.h"
#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

enum { FRAGMENT_ROWS = 16, FRAGMENT_COLUMNS = 8, WARP = 32, MANY = 256 };
enum { AHEAD = 2 /* three pieces of the larger tiles are 48 KiB */ };

static bool is_less(const rlxc_expr *extent, int64_t than)
{
    int64_t n;
    return rlxc_is_int(extent, &n) && n < than;
}

bool rlxc_decide_tensor(rlxc_schedule *c, uint32_t i, void *sizes)
{
    rlxc_gemm g;
    const rlxc_expr *x, *w;
    if (!rlxc_gemm_of(c->s, i, &g))
        return false;
    const rlxc_fragment_kind *kind = rlxc_gemm_fragment(&g, c->s->options->allow_tf32, &x, &w);
    if (!kind)
        return rlxc_decline(c->s, "its factors are not two of float16, or of bfloat16, summed in "
                                  "float32, or of float32 with --allow-tf32");
    if (c->s->target->device.warp != WARP || c->s->target->device.threads < 4 * WARP)
        return rlxc_decline(c->s, "the target has no warps of 32 threads, four in a block");
    const struct {
        rlxc_gemm_axis axis;
        int64_t least;
        const char *what;
    } rows[] = {{RLXC_GEMM_ROW, FRAGMENT_ROWS / 2, "rows"},
                {RLXC_GEMM_COLUMN, FRAGMENT_COLUMNS, "columns"},
                {RLXC_GEMM_TERM, kind->terms / 2, "terms"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (is_less(g.extents[rows[k].axis], rows[k].least))
            return rlxc_decline(c->s, "only %s %s", rlxc_told(c->s, g.extents[rows[k].axis]),
                                rows[k].what);
    /* Four warps. Large tiles read each factor less often, small ones leave fewer threads idle. */
    static const rlxc_tensor_sizes large = {2, 2, 4, 8, 2, 0, 0}, small = {2, 2, 1, 2, 2, 0, 0};
    rlxc_tensor_sizes *z = sizes;
    const bool few =
        is_less(g.extents[RLXC_GEMM_ROW], MANY) || is_less(g.extents[RLXC_GEMM_COLUMN], MANY);
    *z = few ? small : large;
    z->epilogue = g.epilogue != NULL;
    z->ahead = kind->per_register == 1 ? AHEAD : 0; /* halves do not move one by one */
    return true;
}

/* The factor's fragments for a tile, in the |n_outer| loops of the tile: all threads share out
 * their registers. */
static void share_out(rlxc_schedule_steps *l, rlxc_step_ref block, uint32_t n_outer,
                      const rlxc_tensor_sizes *z, int64_t per_register)
{
    rlxc_step_ref loops[RLXC_GEMM_AXES + 8], parts[5];
    rlxc_step_get_loops(l, block, loops, n_outer + 4);
    const rlxc_step_ref all = rlxc_step_loops(l, RLXC_STEP_fuse, loops + n_outer, 4);
    rlxc_step_split(l, all, (const int64_t[]){0, z->warps_y, z->warps_x, WARP, per_register}, 5,
                    parts);
    rlxc_step_bind(l, parts[1], "threadIdx.z");
    rlxc_step_bind(l, parts[2], "threadIdx.y");
    rlxc_step_bind(l, parts[3], "threadIdx.x");
    rlxc_step_mark(l, RLXC_STEP_unroll, parts[4]);
}

/* A warp's tiles of rows and columns, and its lanes. */
static void bind_warps(rlxc_schedule_steps *l, const rlxc_step_ref rows[2],
                       const rlxc_step_ref columns[2], rlxc_step_ref lane)
{
    rlxc_step_bind(l, rows[0], "threadIdx.z");
    rlxc_step_bind(l, columns[0], "threadIdx.y");
    rlxc_step_bind(l, lane, "threadIdx.x");
    rlxc_step_mark(l, RLXC_STEP_unroll, rows[1]);
    rlxc_step_mark(l, RLXC_STEP_unroll, columns[1]);
}

/* The product's loops: tiles, pieces of the terms in them (returned in |piece|), warps, lanes. */
static void tile(rlxc_schedule_steps *l, rlxc_step_ref block, uint32_t batch,
                 const rlxc_tensor_sizes *z, rlxc_step_ref *column_tile, rlxc_step_ref *piece)
{
    rlxc_step_ref loops[RLXC_GEMM_AXES + 1], m[3], n[3], k[2];
    rlxc_step_get_loops(l, block, loops, batch + 4);
    rlxc_step_split(l, loops[batch], (const int64_t[]){0, z->warps_y, z->rows}, 3, m);
    rlxc_step_split(l, loops[batch + 1], (const int64_t[]){0, z->warps_x, z->columns}, 3, n);
    rlxc_step_split(l, loops[batch + 2], (const int64_t[]){0, z->terms}, 2, k);
    const rlxc_step_ref lane = loops[batch + 3];
    const rlxc_step_ref order[] = {m[0], n[0], k[0], m[1], n[1], lane, k[1], m[2], n[2]};
    rlxc_step_loops(l, RLXC_STEP_reorder, order, sizeof order / sizeof *order);
    if (batch)
        rlxc_step_bind(l, loops[0], "blockIdx.z");
    rlxc_step_bind(l, m[0], "blockIdx.y");
    rlxc_step_bind(l, n[0], "blockIdx.x");
    bind_warps(l, m + 1, n + 1, lane);
    rlxc_step_mark(l, RLXC_STEP_unroll, k[1]);
    (void)rlxc_step_decompose(l, block, k[0]);
    *column_tile = n[0];
    *piece = k[0];
}

/* The result's loops in those of the tile. */
static void store_tile(rlxc_schedule_steps *l, rlxc_step_ref block, uint32_t batch,
                       const rlxc_tensor_sizes *z)
{
    rlxc_step_ref loops[RLXC_GEMM_AXES + 4], m[2], n[2];
    rlxc_step_get_loops(l, block, loops, batch + 6);
    rlxc_step_split(l, loops[batch + 2], (const int64_t[]){z->warps_y, z->rows}, 2, m);
    rlxc_step_split(l, loops[batch + 3], (const int64_t[]){z->warps_x, z->columns}, 2, n);
    const rlxc_step_ref lane = loops[batch + 4], item = loops[batch + 5];
    const rlxc_step_ref order[] = {m[0], n[0], lane, m[1], n[1], item};
    rlxc_step_loops(l, RLXC_STEP_reorder, order, sizeof order / sizeof *order);
    bind_warps(l, m, n, lane);
    rlxc_step_mark(l, RLXC_STEP_unroll, item);
}

bool rlxc_apply_tensor(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_tensor_sizes *z = sizes;
    rlxc_context *ctx = c->s->ctx;
    rlxc_gemm g;
    const rlxc_expr *factors[2];
    if (!rlxc_gemm_of(c->s, i, &g))
        return false;
    const rlxc_fragment_kind *kind =
        rlxc_gemm_fragment(&g, c->s->options->allow_tf32, &factors[0], &factors[1]);
    if (!kind)
        return false;
    rlxc_schedule_steps *l =
        rlxc_steps_new(ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    const char *name = rlxc_stage_name(g.stage);
    const uint32_t batch = g.n[RLXC_GEMM_BATCH] > 0;
    const rlxc_step_ref block = rlxc_step_get_block(l, name);
    rlxc_step_ref column_tile, piece;
    if (z->epilogue) /* the list names all of its blocks */
        (void)rlxc_step_get_block(l, rlxc_stage_name(g.epilogue));
    rlxc_step_annotate(l, block, RLXC_RULE_MARK, rlxc_attr_string(ctx, "tensor"));
    rlxc_step_gemm(l, block,
                   &(rlxc_gemm_sizes){.rows = z->warps_y * z->rows * FRAGMENT_ROWS,
                                      .columns = z->warps_x * z->columns * FRAGMENT_COLUMNS,
                                      .terms = z->terms * kind->terms,
                                      .epilogue = z->epilogue,
                                      .fragment = kind->terms});
    tile(l, block, batch, z, &column_tile, &piece);
    const rlxc_step_ref x = rlxc_step_get_block(l, rlxc_internf(ctx, "%s_x", name));
    const rlxc_step_ref w = rlxc_step_get_block(l, rlxc_internf(ctx, "%s_w", name));
    const rlxc_step_ref out = rlxc_step_get_block(l, rlxc_internf(ctx, "%s_out", name));
    rlxc_step_compute_at(l, x, piece);
    rlxc_step_compute_at(l, w, piece);
    share_out(l, x, batch + 3, z, kind->per_register);
    share_out(l, w, batch + 3, z, kind->per_register);
    rlxc_step_reverse_compute_at(l, out, column_tile);
    store_tile(l, out, batch, z);
    if (z->ahead)
        rlxc_step_annotate(l, piece, RLXC_COPIES_AHEAD, rlxc_attr_int(z->ahead));
    c->steps = l;
    c->n_stages = z->epilogue ? 2 : 1;
    return true;
}

/* Planning of register tiles: which reductions use them, along which axes, and their sizes.
 *
 * A candidate vectorises along the last result axis (j) and reuses data along another (i). Sizes
 * come from the table below: rows x vectors of accumulators that leave registers for a row of the
 * operand and a broadcast value. The numbers are those of Goto and van de Geijn (Anatomy of
 * High-Performance Matrix Multiplication, 2008) for the given register files. */
#include "compiler/kernels/matmul/tile_plan.h"

#include "compiler/kernels/conv/sliding.h"

#include <inttypes.h>

enum {
    MIN_LANES = 4,
    LEAST_COLUMNS = 3, /* of panels, which are padded */
    MAX_GATHER = 4,    /* stride, in elements */
    ROW_VECTORS = 8,   /* of a tile of one row, at most */
    K_UNIT = 8,
    CHAINS = 8,            /* vectors summed at a time that hide the latency of a multiply-add */
    LINE = 64,             /* bytes of a cache line */
    UNROLLED_SUMS = 48,    /* vectors summed per iteration of a full tile's loop, at most */
    FETCH = 24,            /* rows by which a tile alone fetches ahead */
    LARGE = 8,             /* second-level caches that an operand fills which comes from memory */
    PACK_ROWS = 64,        /* rows that pay for a copy of a large operand */
    PACK_SUMS = 64,        /* its rows at least */
    PACK_SIZE = 1 << 16,   /* minimum elements: more than the caches keep */
    CHOOSE_SIZE = 1 << 18, /* ... that pay for code of both kinds, where rows are not known */
    ROW_BLOCK = 48,        /* rows of a parallel piece: a multiple of the tiles' rows */
    WINDOW_ROWS = 192      /* ... whose sums take turns with blocks of a window */
};

/* Most registers first: among the rows for the target's register count, the first whose vectors the
 * columns fill. */
static const rlxc_tile_shape shapes[] = {
    {32, 4, 6, {5, 4, 3, 2, 1}, 1u << 1 | 1u << 2},
    {32, 3, 8, {4, 3, 2, 1}, 0},
    {32, 2, 12, {6, 4, 3, 2, 1}, 0},
    {32, 1, 12, {6, 4, 3, 2, 1}, 0},
    {16, 2, 6, {5, 4, 3, 2, 1}, 1u << 1 | 1u << 2 | 1u << 3},
    {16, 1, 8, {4, 3, 2, 1}, 0},
    {12, 2, 4, {3, 2, 1}, 0},
    {12, 1, 6, {4, 3, 2, 1}, 0},
    {8, 1, 4, {3, 2, 1}, 0},
};

/* For panels of other widths, which leave less padding for some numbers of columns. */
static const rlxc_tile_shape wide[] = {{32, 5, 5, {4, 3, 2, 1}, 0},
                                       {32, 3, 8, {4, 3, 2, 1}, 0},
                                       {32, 6, 4, {3, 2, 1}, 0},
                                       {16, 3, 3, {2, 1}, 0},
                                       {16, 5, 2, {1}, 0}};

static const rlxc_tile_shape *shape_for(const rlxc_stages *s, uint32_t vectors)
{
    const rlxc_tile_shape *found = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!found ? shapes[i].registers <= rlxc_tile_registers(s)
                   : shapes[i].registers == found->registers && found->nv > vectors)
            found = &shapes[i];
    return found;
}

/* The shape for panels of |vectors|; NULL: the target has none but the usual ones. */
static const rlxc_tile_shape *wide_shape(const rlxc_stages *s, int64_t vectors)
{
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (wide[i].nv == vectors && wide[i].registers == shape_for(s, UINT32_MAX)->registers)
            return &wide[i];
    return NULL;
}

static int64_t padded(int64_t columns, int64_t width)
{
    return (columns + width - 1) / width * width;
}

typedef struct survey {
    rlxc_context *ctx;
    const rlxc_stage *s;
    RLXC_VEC(const rlxc_expr *) loads;
} survey;

static bool survey_node(void *user, const rlxc_expr *e)
{
    survey *v = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer != v->s->out)
        RLXC_PUSH(v->ctx, &v->loads, e);
    return true;
}

static bool depends(rlxc_context *ctx, const rlxc_expr *load, const rlxc_expr *var)
{
    for (uint32_t i = 0; i < load->load.n; i++)
        if (rlxc_expr_uses_var(ctx, load->load.indices[i], var))
            return true;
    return false;
}

/* Lanes of the target's vectors for results of type |t|. */
static uint32_t full_lanes(const rlxc_stages *s, rlx_dtype t)
{
    uint32_t bytes = t.bits >= 32 ? t.bits / 8u : 4u;
    return s->target->vector_bytes / bytes;
}

static uint32_t lanes_for(const rlxc_stages *s, rlx_dtype t, const rlxc_expr *extent)
{
    uint32_t lanes = full_lanes(s, t);
    int64_t n;
    while (rlxc_is_int(extent, &n) && lanes > 1 && n < (int64_t)lanes)
        lanes /= 2;
    return lanes;
}

/* The innermost other result axis along which some vector operand is reused. */
static uint32_t reuse_axis(const survey *v, uint32_t j)
{
    const rlxc_stage *s = v->s;
    for (uint32_t i = s->n_axes; i-- > 0;) {
        if (i == j || s->reduces[i] || rlxc_is_const(s->extents[i], 1))
            continue;
        for (uint32_t k = 0; k < v->loads.count; k++)
            if (depends(v->ctx, v->loads.items[k], s->vars[j]) &&
                !depends(v->ctx, v->loads.items[k], s->vars[i]))
                return i;
    }
    return RLXC_NO_AXIS;
}

/* The width of the panels that the load reads along |var|: [var / width] ... [var % width], or
 * [group + var / width]; 0: it is no such load. */
static int64_t panel_width(rlxc_context *ctx, const rlxc_expr *load, const rlxc_expr *var)
{
    const rlxc_buffer *b = load->load.buffer;
    int64_t width;
    uint32_t n = load->load.n;
    if (n < 2 || !rlxc_is_int(b->shape[n - 1], &width) || width < 1 || b->strides ||
        !rlxc_is_part(load->load.indices[n - 1], RLXC_EXPR_FLOORMOD, var, width))
        return 0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        const rlxc_expr *at = load->load.indices[i];
        if (rlxc_is_part(at, RLXC_EXPR_FLOORDIV, var, width))
            return width;
        if (at->kind == RLXC_EXPR_ADD && rlxc_is_part(at->bin.b, RLXC_EXPR_FLOORDIV, var, width) &&
            !rlxc_expr_uses_var(ctx, at->bin.a, var)) /* behind the panels of other groups */
            return width;
    }
    return 0;
}

/* The step of a load along j; panels count as contiguous. */
static bool step_along(rlxc_context *ctx, const rlxc_expr *load, const rlxc_expr *j,
                       int64_t *io_panel, int64_t *out)
{
    int64_t width = panel_width(ctx, load, j);
    if (width > 0) {
        *io_panel = width;
        *out = 1;
        return true;
    }
    return !load->load.buffer->strides &&
           rlxc_access_stride(ctx, load->load.buffer, load->load.indices, j, out);
}

/* |k| elements in equal blocks of at most |most|; 0: one is enough, or they would be too short. */
static int64_t even_block(int64_t k, int64_t most)
{
    if (most < K_UNIT || k <= most || k > INT32_MAX)
        return 0;
    const int64_t blocks = (k + most - 1) / most, even = (k + blocks - 1) / blocks;
    return (even + K_UNIT - 1) / K_UNIT * K_UNIT;
}

/* Equal blocks of the reduction whose part of the panel fits half of the second-level cache; the
 * other half is for the rows. */
static int64_t reduction_block(const rlxc_stages *s, const rlxc_stage *stage,
                               const rlxc_tile_plan *p, int64_t panel, uint32_t full)
{
    int64_t k, rows, row_bytes = panel * (stage->out->dtype.bits / 8);
    if (p->i == RLXC_NO_AXIS || p->reduce == RLXC_NO_AXIS ||
        !rlxc_is_int(stage->extents[p->reduce], &k) ||
        (rlxc_is_int(stage->extents[p->i], &rows) && rows <= (int64_t)full))
        return 0;
    return even_block(k, (int64_t)s->target->cache_bytes[1] / 2 / row_bytes);
}

/* True if the sum over a window, such as that of a convolution, may be computed in blocks of its
 * last axis, for one element of the others at a time. */
static bool has_window(const rlxc_stage *stage, const rlxc_tile_plan *p)
{
    int64_t size = 1, extent;
    bool fits = p->panel && p->operand && p->sums && p->i != RLXC_NO_AXIS &&
                p->reduce == RLXC_NO_AXIS && stage->reduces[stage->n_axes - 1] &&
                rlxc_is_int(stage->extents[p->j], &extent);
    for (uint32_t k = 0; k < stage->n_axes && fits; k++)
        fits = !stage->reduces[k] ||
               (rlxc_is_int(stage->extents[k], &extent) && extent > 0 &&
                !__builtin_mul_overflow(size, extent, &size) && size <= INT32_MAX);
    return fits;
}

/* A window whose weights leave the second-level cache is summed in blocks of weights that stay in
 * half of the first-level cache for all rows of a piece, while the tiles fetch the next block. */
static void choose_window(const rlxc_stages *s, const rlxc_stage *stage, rlxc_tile_plan *p)
{
    int64_t k = 0;
    if (!p->far || !has_window(stage, p) || s->options->opt_level <= 1)
        return;
    rlxc_is_int(stage->extents[stage->n_axes - 1], &k);
    const int64_t row_bytes = p->panel * (p->operand->dtype.bits / 8);
    p->k_block = even_block(k, (int64_t)s->target->cache_bytes[0] / 2 / row_bytes);
    p->k_block = p->k_block ? p->k_block : k;
    p->window = true;
    p->fetch = p->k_block;
    p->block = WINDOW_ROWS;
}

void rlxc_tile_without_window(rlxc_tile_plan *p)
{
    if (!p->window)
        return;
    p->window = false;
    p->fetch = p->k_block = 0;
    p->block = ROW_BLOCK;
}

/* Bytes of a buffer; INT64_MAX if not constant. */
static int64_t size_of(const rlxc_buffer *b)
{
    int64_t bytes = b->dtype.bits / 8, extent;
    for (uint32_t i = 0; i < b->ndim; i++)
        if (!rlxc_is_int(b->shape[i], &extent) || __builtin_mul_overflow(bytes, extent, &bytes))
            return INT64_MAX;
    return bytes;
}

/* The number of parts of the operand that the tiles of a row read one at a time: the groups of a
 * convolution. */
static int64_t operand_groups(rlxc_context *ctx, const rlxc_stage *stage, const rlxc_tile_plan *p)
{
    int64_t groups = 1, extent;
    for (uint32_t k = 0; k < stage->n_axes; k++)
        if (!stage->reduces[k] && k != p->i && k != p->j &&
            rlxc_is_int(stage->extents[k], &extent) && extent > 0 &&
            depends(ctx, p->operand, stage->vars[k]) &&
            __builtin_mul_overflow(groups, extent, &groups))
            return INT64_MAX;
    return groups;
}

bool rlxc_tile_is_large(const rlxc_stages *s, const rlxc_tile_plan *p)
{
    const int64_t bytes = size_of(p->operand->load.buffer);
    return bytes < INT64_MAX && bytes / LARGE > (int64_t)s->target->cache_bytes[1];
}

static bool fits_panel(const rlxc_stages *s, const rlxc_tile_plan *p)
{
    const int64_t width = (int64_t)p->nv * p->vl;
    return p->panel == 0 || p->panel == width ||
           rlxc_decline(s, "panels of %" PRId64 " columns, tiles of %" PRId64, p->panel, width);
}

int64_t rlxc_tile_lines(const rlxc_tile_plan *p, rlx_dtype dtype)
{
    return (int64_t)p->nv * p->vl * dtype.bits / (8 * LINE);
}

/* A tile that is alone fetches rows shortly before their use: on a Zen 3, 96 rows instead of 24
 * gave weights in the last level of cache 1.04 to 1.3 times the speed, but those in memory 0.87
 * times. */
static int64_t rows_ahead(const rlxc_stage *stage, const rlxc_tile_plan *p)
{
    int64_t sums = 0;
    if (p->reduce == RLXC_NO_AXIS || !rlxc_is_int(stage->extents[p->reduce], &sums) ||
        sums > INT32_MAX)
        return 0;
    return sums < FETCH ? sums : FETCH;
}

/* Distant rows of a large operand map to few cache sets and to a page each. */
const rlxc_expr *rlxc_tile_packs(rlxc_context *ctx, const rlxc_stage *stage,
                                 const rlxc_tile_plan *p)
{
    const rlxc_expr *sums = stage->extents[p->reduce];
    const rlxc_expr *size = rlxc_mul(ctx, sums, stage->extents[p->j]);
    int64_t value = 1;
    const int64_t least = rlxc_is_int(stage->extents[p->i], &value) ? PACK_SIZE : CHOOSE_SIZE;
    const rlxc_expr *many = rlxc_binary(ctx, RLXC_EXPR_GE, stage->extents[p->i],
                                        rlxc_i64(ctx, p->pack_rows)),
                    *long_sums = rlxc_binary(ctx, RLXC_EXPR_GE, sums, rlxc_i64(ctx, PACK_SUMS)),
                    *large = rlxc_binary(ctx, RLXC_EXPR_GE, size, rlxc_i64(ctx, least));
    if ((rlxc_is_int(large, &value) && value == 0) ||
        (rlxc_is_int(long_sums, &value) && value == 0))
        return rlxc_bool(ctx, false); /* of any number of rows */
    const rlxc_expr *all = rlxc_binary(ctx, RLXC_EXPR_AND, many, long_sums);
    return rlxc_simplify(ctx, rlxc_binary(ctx, RLXC_EXPR_AND, all, large), NULL);
}

/* Decides whether to pack an operand that could be read in place. */
static void choose_packing(const rlxc_stages *s, const rlxc_stage *stage, rlxc_tile_plan *p)
{
    int64_t columns;
    if (!p->contiguous || p->panel || !p->operand || p->i == RLXC_NO_AXIS ||
        p->reduce == RLXC_NO_AXIS || s->options->opt_level <= 1)
        return;
    if (rlxc_is_int(stage->extents[p->j], &columns) && columns <= (int64_t)p->nv * p->vl)
        return; /* its rows are a panel already */
    p->pack_rows = PACK_ROWS;
    const rlxc_expr *packs = rlxc_tile_packs(s->ctx, stage, p);
    p->must_pack = rlxc_is_const(packs, 1);
    if (p->must_pack || rlxc_is_const(packs, 0))
        p->pack_rows = 0;
}

/* Vectors of a tile of one row, which reads each row of the operand once: at most as many as leave
 * half of the registers, so that it reads several cache lines of a row one after the other. A known
 * number of columns is divided into tiles of about the same width. */
static uint32_t columns_at_once(const rlxc_stages *s, const rlxc_expr *columns, uint32_t lanes)
{
    uint32_t most = rlxc_tile_registers(s) / 2;
    int64_t n;
    most = most < ROW_VECTORS ? most : ROW_VECTORS;
    if (most == 0 || !rlxc_is_int(columns, &n) || n <= 0)
        return most > 0 ? most : 1;
    const int64_t vectors = n / lanes + (n % lanes > 0);
    const int64_t tiles = vectors / most + (vectors % most > 0);
    return (uint32_t)(vectors / tiles + (vectors % tiles > 0));
}

/* The shape whose tiles |columns|, a constant, fill without a narrower one beside them; else
 * |shape|. */
static const rlxc_tile_shape *even_shape(const rlxc_stages *s, int64_t columns, uint32_t lanes,
                                         const rlxc_tile_shape *shape)
{
    for (size_t i = 0; columns % (shape->nv * lanes) && i < sizeof wide / sizeof *wide; i++)
        if (wide_shape(s, wide[i].nv) == &wide[i] && columns % (wide[i].nv * lanes) == 0)
            return &wide[i];
    return shape;
}

/* Whether the rows are all pixels of a convolution: so many that those left over hardly count. */
static bool are_pixels(const rlxc_stage *stage, const rlxc_tile_plan *p)
{
    bool all = stage->tagged == RLXC_OPERATION_conv && p->i != RLXC_NO_AXIS;
    for (uint32_t k = 0; k < stage->n_axes; k++)
        all = all &&
              (stage->reduces[k] || k == p->i || k == p->j || rlxc_is_const(stage->extents[k], 1));
    return all;
}

/* Vectors, lanes and rows; false where panels of that width cannot be served. */
static bool choose_sizes(const rlxc_stages *s, const rlxc_stage *stage, rlxc_tile_plan *p)
{
    const int64_t panel = p->panel;
    int64_t n;
    const rlxc_expr *columns = panel ? rlxc_i64(s->ctx, panel) : stage->extents[p->j];
    p->vl = lanes_for(s, stage->out->dtype, columns);
    if (p->vl < MIN_LANES)
        return rlxc_decline(s, "%s columns do not fill a vector of %d lanes", rlxc_told(s, columns),
                            MIN_LANES);
    uint32_t most = shape_for(s, UINT32_MAX)->nv, vectors = most;
    if (rlxc_is_int(columns, &n) && n < (int64_t)most * p->vl)
        vectors = (uint32_t)(n / p->vl);
    const rlxc_tile_shape *shape = panel % p->vl == 0 ? wide_shape(s, panel / p->vl) : NULL;
    shape = shape ? shape : shape_for(s, vectors);
    if (!panel && rlxc_is_int(columns, &n) && n > (int64_t)most * p->vl)
        shape = even_shape(s, n, p->vl, shape);
    p->nv = shape->nv;
    if (p->i == RLXC_NO_AXIS && !panel && p->operand)
        p->nv = columns_at_once(s, columns, p->vl);
    p->mr = p->i == RLXC_NO_AXIS ? 1 : shape->mr;
    if (p->i != RLXC_NO_AXIS && rlxc_is_int(stage->extents[p->i], &n) && n < (int64_t)p->mr &&
        n > 0)
        p->mr = (uint32_t)n;
    /* Level 1 computes remaining rows one by one, to save compile time. At level 2 the smaller
     * tiles of two kinds of rows are powers of two, so that there are fewer: pixels, of which few
     * remain, and rows without a common operand, as in depthwise convolutions, which gain little by
     * tiles. */
    const bool quick = s->options->opt_level <= 1,
               few = s->options->opt_level == 2 && (are_pixels(stage, p) || !p->operand);
    p->borrow = p->mr == shape->mr && !quick && !few ? shape->borrow : 0;
    for (uint32_t k = 0, n_tail = 0; k < RLXC_ROW_CHAIN; k++) {
        const uint32_t rows = shape->chain[k];
        if (rows < p->mr && (rows == 1 || (!quick && (!few || (rows & (rows - 1)) == 0))))
            p->tail[n_tail++] = shape->chain[k];
    }
    p->chains = quick && (p->mr > 1 || rlxc_prefers_short_code(s)) ? 1 : CHAINS;
    /* Two threads that share a core get half of the instructions that it decodes, and a
     * multiply-add unit is idle while a loop counts: on a Zen 3 with a busy neighbour, products
     * took 0.75 to 0.9 times as long with four elements per iteration as with one; alone, the same
     * time. Tiles of 64-byte vectors have more sums, and most CPUs start one in a cycle. */
    const uint32_t unroll = UNROLLED_SUMS / (p->mr * p->nv);
    p->unroll = quick || s->target->vector_bytes >= 64 || unroll < 2 ? 0 : unroll < 4 ? 2 : 4;
    p->block = ROW_BLOCK;
    choose_packing(s, stage, p);
    if (!fits_panel(s, p))
        return false;
    if (panel && p->operand && p->i != RLXC_NO_AXIS) {
        const int64_t bytes = size_of(p->operand->load.buffer), cache = s->target->cache_bytes[1];
        if (bytes > cache && bytes < INT64_MAX)
            p->fetch = rows_ahead(stage, p);
        p->near = bytes <= cache / 2;
        p->far = p->reduce == RLXC_NO_AXIS && bytes < INT64_MAX &&
                 bytes / operand_groups(s->ctx, stage, p) > cache / 2;
    }
    p->k_block = panel ? reduction_block(s, stage, p, panel, shape->mr) : 0;
    choose_window(s, stage, p);
    return true;
}

/* Everything except the sizes. */
static bool find_axes(const rlxc_stages *s, const rlxc_stage *stage, rlxc_tile_plan *p)
{
    rlxc_context *ctx = s->ctx;
    survey v = {.ctx = ctx, .s = stage};
    rlxc_operation op;
    *p = (rlxc_tile_plan){.i = RLXC_NO_AXIS, .j = RLXC_NO_AXIS, .reduce = RLXC_NO_AXIS};
    if (!stage->simple || !stage->init || stage->out->ndim == 0 ||
        rlxc_dtype_is_bool(stage->out->dtype))
        return rlxc_decline(s, "%s has no axis to vectorise along", stage->out->name);
    if (!rlxc_stage_operation(s, stage, &op))
        return false;
    if (rlxc_is_pool_step(s, stage))
        return rlxc_decline(s, "%s is one dimension of a pooling", stage->out->name);
    p->sums = op.combine == RLXC_EXPR_ADD;
    uint32_t n_reduce = 0, n_vector = 0;
    for (uint32_t i = 0; i < stage->n_axes; i++) {
        if (stage->reduces[i]) {
            n_reduce++;
            p->reduce = i;
        } else if (stage->indices[rlxc_last_dim(stage->out)] == stage->vars[i]) {
            p->j = i;
        }
    }
    if (p->j == RLXC_NO_AXIS)
        return rlxc_decline(s, "no axis runs along the columns of %s", stage->out->name);
    if (n_reduce != 1)
        p->reduce = RLXC_NO_AXIS;
    rlxc_expr_visit(ctx, op.term, survey_node, &v);
    const rlxc_expr *j = stage->vars[p->j];
    const rlxc_expr *bare = rlxc_expr_rewrite(ctx, op.term, rlxc_hide_load, ctx);
    if (rlxc_expr_uses_var(ctx, bare, j) || rlxc_expr_uses_var(ctx, stage->init, j))
        return rlxc_decline(s, "%s depends on the column %s outside of indices",
                            rlxc_told(s, stage->value), rlxc_told(s, j));
    bool contiguous = true, near = true;
    for (uint32_t k = 0; k < v.loads.count; k++) {
        const rlxc_expr *load = v.loads.items[k];
        int64_t stride;
        if (!depends(ctx, load, j))
            continue;
        if (!step_along(ctx, load, j, &p->panel, &stride))
            return rlxc_decline(s, "%s has no constant stride along the column %s",
                                rlxc_told(s, load), rlxc_told(s, j));
        contiguous = contiguous && stride == 1;
        near = near && stride >= 1 && stride <= MAX_GATHER;
        p->operand = load;
        n_vector++;
    }
    if (!contiguous && !near && rlxc_last_dim(stage->out) + 1 != stage->out->ndim)
        return rlxc_decline(s,
                            "%s ends in a dimension of one element, and no operand is "
                            "contiguous along the dimension before it",
                            stage->out->name);
    p->i = reuse_axis(&v, p->j);
    if (n_vector != 1)
        p->operand = NULL;
    p->must_pack = !contiguous;
    p->contiguous = contiguous;
    const bool packs = p->operand && p->reduce != RLXC_NO_AXIS;
    /* a gather, paid once for all rows of the tile */
    p->gathers = contiguous || (near && p->i != RLXC_NO_AXIS);
    if (!packs && p->gathers)
        p->must_pack = false;
    if (n_vector == 0)
        return rlxc_decline(s, "no operand depends on the column %s", rlxc_told(s, j));
    if (p->must_pack && !packs)
        return rlxc_decline(
            s, "the operand along the column %s is not contiguous, and there are %s",
            rlxc_told(s, j), n_reduce == 1 ? "more than one operand" : "several reduction axes");
    return true;
}

bool rlxc_tile_plan_of(const rlxc_stages *s, const rlxc_stage *stage, rlxc_tile_plan *out)
{
    int64_t rows;
    if (!find_axes(s, stage, out))
        return false;
    /* packing is paid for by the rows that use it */
    if (out->must_pack &&
        (out->i == RLXC_NO_AXIS || (rlxc_is_int(stage->extents[out->i], &rows) && rows < 4)))
        return rlxc_decline(s,
                            "%s is not contiguous along the columns, and packing it does not pay "
                            "for %s rows",
                            rlxc_told(s, out->operand),
                            out->i == RLXC_NO_AXIS ? "1" : rlxc_told(s, stage->extents[out->i]));
    return choose_sizes(s, stage, out);
}

bool rlxc_tile_plan_with(const rlxc_stages *s, const rlxc_stage *stage,
                         const rlxc_tile_sizes *sizes, rlxc_tile_plan *out)
{
    const int64_t tail[RLXC_ROW_CHAIN] = {sizes->tail1, sizes->tail2, sizes->tail3, sizes->tail4,
                                          sizes->tail5};
    if (!find_axes(s, stage, out))
        return false;
    out->vl = (uint32_t)sizes->lanes;
    out->nv = (uint32_t)sizes->vectors;
    out->mr = (uint32_t)sizes->rows;
    out->borrow = (uint32_t)sizes->borrow;
    out->chains = (uint32_t)sizes->chains;
    out->unroll = (uint32_t)sizes->unroll;
    out->fetch = sizes->fetch;
    out->near = sizes->rows_first;
    out->far = sizes->panel_first;
    out->k_block = sizes->k_block;
    out->block = sizes->block;
    int64_t last = out->mr;
    for (uint32_t k = 0; k < RLXC_ROW_CHAIN && tail[k]; k++) {
        if (tail[k] >= last)
            return rlxc_decline(s, "tail%u is %" PRId64 ", below %" PRId64 " is needed", k + 1,
                                tail[k], last);
        last = tail[k];
        out->tail[k] = (uint8_t)tail[k];
    }
    if (last != 1)
        return rlxc_decline(s, "the last of the tiles has %" PRId64 " rows, 1 is needed", last);
    if (out->i == RLXC_NO_AXIS && out->mr != 1)
        return rlxc_decline(s, "rows is %u, but nothing is reused along rows: 1 is needed",
                            out->mr);
    if (sizes->pack && (!out->operand || out->reduce == RLXC_NO_AXIS || out->i == RLXC_NO_AXIS))
        return rlxc_decline(
            s, "pack is %" PRId64 ", which needs one operand, rows, and one reduction axis",
            sizes->pack);
    if (sizes->pack != 1 && !out->gathers)
        return rlxc_decline(
            s, "pack is %" PRId64 ", but the operand is not contiguous along the columns",
            sizes->pack);
    if (out->k_block && (!out->panel || out->i == RLXC_NO_AXIS || sizes->pack ||
                         (out->reduce == RLXC_NO_AXIS && (!has_window(stage, out) || !out->far))))
        return rlxc_decline(s,
                            "k_block is %" PRId64 ", which needs panels, rows, and one reduction "
                            "axis, or panel_first and a window of known size",
                            out->k_block);
    out->window = out->k_block > 0 && out->reduce == RLXC_NO_AXIS;
    const uint32_t summed = out->window ? stage->n_axes - 1 : out->reduce;
    int64_t sums = 0;
    if (out->fetch && (!out->panel || summed == RLXC_NO_AXIS ||
                       !rlxc_is_int(stage->extents[summed], &sums) || out->fetch > sums))
        return rlxc_decline(s,
                            "fetch is %" PRId64
                            ", which needs panels and one reduction axis of as many elements",
                            out->fetch);
    out->must_pack = sizes->pack == 1;
    out->pack_rows = sizes->pack > 1 ? sizes->pack : 0;
    return fits_panel(s, out);
}

/* The width of panels of |n| columns, for results of type |t|; 0: vectors are too short for them.
 */
static int64_t width_for(const rlxc_stages *s, rlx_dtype t, int64_t n)
{
    int64_t lanes = full_lanes(s, t);
    const int64_t most = shape_for(s, UINT32_MAX)->nv * lanes;
    while (lanes / 2 >= n && lanes / 2 >= MIN_LANES) /* half of a vector is half of the work */
        lanes /= 2;
    int64_t width = n >= most ? most : padded(n, lanes);
    for (size_t i = 0; n > most && i < sizeof wide / sizeof *wide; i++)
        if (wide_shape(s, wide[i].nv) == &wide[i] &&
            padded(n, wide[i].nv * lanes) < padded(n, width))
            width = wide[i].nv * lanes;
    return lanes >= MIN_LANES ? width : 0;
}

/* Takes |column|, a sum of multiples of |n|, the columns of a group, and |j|, into |out|; false: it
 * is no such sum, or the group is wider than a tile and not a whole number of them. */
static bool in_groups(const rlxc_stages *s, const rlxc_stage *stage, const rlxc_expr *column,
                      uint32_t j, rlxc_panel_layout *out)
{
    const rlxc_expr *var = stage->vars[j];
    const int64_t most = (int64_t)shape_for(s, UINT32_MAX)->nv * full_lanes(s, stage->out->dtype);
    int64_t n, each;
    if (column->kind != RLXC_EXPR_ADD || !rlxc_is_int(stage->extents[j], &n))
        return false;
    const rlxc_expr *base = column->bin.b == var ? column->bin.a : column->bin.b;
    if ((column->bin.a != var && column->bin.b != var) || base->kind != RLXC_EXPR_MUL ||
        !rlxc_is_int(base->bin.b, &each) || each != n ||
        rlxc_expr_uses_var(s->ctx, base->bin.a, var))
        return false;
    out->grouped = column;
    out->panel = base->bin.a;
    out->place = var;
    out->width = n <= most ? n : width_for(s, stage->out->dtype, n);
    if (out->width == n)
        return true;
    if (out->width <= 0 || n % out->width != 0)
        return false;
    const rlxc_expr *width = rlxc_i64(s->ctx, out->width);
    out->panel = rlxc_binary(
        s->ctx, RLXC_EXPR_ADD,
        rlxc_binary(s->ctx, RLXC_EXPR_MUL, base->bin.a, rlxc_i64(s->ctx, n / out->width)),
        rlxc_binary(s->ctx, RLXC_EXPR_FLOORDIV, var, width));
    out->place = rlxc_binary(s->ctx, RLXC_EXPR_FLOORMOD, var, width);
    return true;
}

/* True if |load| reads the weights of a convolution that have a panel for each group already. */
static bool is_panels_of_groups(const rlxc_stages *s, const rlxc_stage *stage,
                                const rlxc_expr *load, const rlxc_panel_layout *layout)
{
    const uint32_t n = load->load.n;
    bool groups = false;
    for (uint32_t i = 0; i + 2 < n; i++)
        for (uint32_t k = 0; k < stage->n_axes; k++)
            groups = groups || (!stage->reduces[k] &&
                                rlxc_expr_uses_var(s->ctx, load->load.indices[i], stage->vars[k]));
    return stage->tagged == RLXC_OPERATION_conv && groups && layout->row + 2 == n &&
           layout->column + 1 == n && rlxc_is_const(layout->buffer->shape[n - 1], layout->width);
}

bool rlxc_tile_panel_layout(const rlxc_stages *s, const rlxc_stage *stage, rlxc_panel_layout *out)
{
    rlxc_tile_plan p;
    int64_t n;
    if (!find_axes(s, stage, &p) || p.panel || !p.operand ||
        !rlxc_is_int(stage->extents[p.j], &n) || n < LEAST_COLUMNS)
        return false;
    const rlxc_expr *load = p.operand;
    const uint32_t last = stage->n_axes - 1; /* reductions come last */
    *out = (rlxc_panel_layout){
        .buffer = load->load.buffer, .row = RLXC_NO_AXIS, .column = RLXC_NO_AXIS};
    for (uint32_t i = 0; i < load->load.n; i++) {
        const rlxc_expr *at = load->load.indices[i];
        bool is_row = at == stage->vars[last],
             is_column = at == stage->vars[p.j] || in_groups(s, stage, at, p.j, out);
        if (!is_row && !is_column &&
            (rlxc_expr_uses_var(s->ctx, at, stage->vars[last]) ||
             rlxc_expr_uses_var(s->ctx, at, stage->vars[p.j])))
            return false;
        if ((is_row && out->row != RLXC_NO_AXIS) || (is_column && out->column != RLXC_NO_AXIS))
            return false;
        out->row = is_row ? i : out->row;
        out->column = is_column ? i : out->column;
    }
    if (out->row == RLXC_NO_AXIS || out->column == RLXC_NO_AXIS)
        return false;
    if (!out->grouped)
        out->width = width_for(s, stage->out->dtype, n);
    return out->width > 0 && !is_panels_of_groups(s, stage, load, out);
}

int64_t rlxc_tile_panel_columns(const rlxc_options *options, rlx_dtype t, int64_t n)
{
    const rlxc_stages s = {.options = options, .target = options->target};
    const int64_t width = n < MIN_LANES ? 0 : width_for(&s, t, n);
    return width > 0 && n <= INT64_MAX - width ? padded(n, width) : n;
}

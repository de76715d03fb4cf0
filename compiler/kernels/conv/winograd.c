/* Minimal filtering (compiler/ops/winograd_stages.h) by blocks of tiles: the three stages run one
 * after the other on some tiles, whose transformed elements stay in the second-level cache.
 *
 *     for blocks of tiles, in parallel:
 *         for tiles:     patch = the 6x6 elements, zeros outside     V = B' patch B
 *         for i, j:      M[i, j] = V[i, j] weight[i, j]              by tile.c, for each group
 *         for tiles:     A' M A, then the store, or the epilogue     (bias, activation, residual)
 *
 * The transforms are vectors of channels; remaining channels use shorter vectors. */
#include "compiler/ir/match_expr.h"
#include "compiler/kernels/elementwise/single.h"
#include "compiler/kernels/matmul/tile.h"
#include "compiler/kernels/rules.h"
#include "compiler/ops/winograd_stages.h"

enum {
    IN = RLXC_WINOGRAD_IN,
    OUT = RLXC_WINOGRAD_OUT,
    FEWEST_TILES = 6, /* of a block: the rows of a register tile */
    MOST_TILES = 5 * FEWEST_TILES,
    LINE = 64,      /* bytes of a cache line */
    FEW_GROUPS = 4, /* fewer: M is padded in each group, not by a group more */
    MOST_CHANNELS = 1 << 20
};

/* --- recognition ------------------------------------------------------------------------------ */

typedef struct find_load {
    const rlxc_buffer *but[2];
    const rlxc_expr *found;
} find_load;

static bool visit_load(void *user, const rlxc_expr *e)
{
    find_load *f = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer != f->but[0] && e->load.buffer != f->but[1])
        f->found = e;
    return true;
}

/* A load in the stage from a buffer other than its result and |but|. */
static const rlxc_expr *load_but(rlxc_context *ctx, const rlxc_stage *s, const rlxc_buffer *but)
{
    find_load f = {.but = {s->out, but}};
    rlxc_expr_visit(ctx, s->value, visit_load, &f);
    return f.found;
}

/* A float32 sum from zero over |n_reduce| axes into a tensor of |n| dimensions, and its summand. */
static bool is_sum(const rlxc_stages *all, const rlxc_stage *s, uint32_t n, uint32_t n_reduce,
                   const rlxc_expr **term)
{
    rlxc_context *ctx = all->ctx;
    rlxc_operation op;
    if (!s->simple || s->removed || !s->init || s->out->ndim != n || s->n_axes != n + n_reduce ||
        !rlxc_dtype_eq(s->out->dtype, RLX_F32) || s->init != rlxc_float(ctx, RLX_F32, 0))
        return false;
    for (uint32_t k = 0; k < s->n_axes; k++)
        if (s->reduces[k] != (k >= n) || (k < n && s->indices[k] != s->vars[k]))
            return false;
    for (uint32_t k = 0; k < n; k++)
        if (!rlxc_prove_eq(ctx, s->extents[k], rlxc_cast(ctx, RLX_I64, s->out->shape[k]), NULL))
            return false;
    if (!rlxc_stage_operation(all, s, &op) || op.combine != RLXC_EXPR_ADD)
        return false;
    *term = op.term;
    return true;
}

static bool has_shape(rlxc_context *ctx, const rlxc_buffer *b, const rlxc_expr *const *dims)
{
    for (uint32_t k = 0; k < b->ndim; k++)
        if (!rlxc_prove_eq(ctx, rlxc_cast(ctx, RLX_I64, b->shape[k]), dims[k], NULL))
            return false;
    return true;
}

/* [6, 6, channels of a group, outputs], or panels of them. */
static bool has_weight_shape(const rlxc_winograd *w, int64_t channels, int64_t outputs,
                             int64_t groups)
{
    const rlxc_buffer *b = w->weight;
    int64_t panels, width;
    if (b->strides || !rlxc_is_const(b->shape[0], IN) || !rlxc_is_const(b->shape[1], IN))
        return false;
    if (b->ndim == 4)
        return rlxc_is_const(b->shape[2], channels) && rlxc_is_const(b->shape[3], outputs);
    const uint32_t n = b->ndim;
    if (n == 6 && w->outputs && rlxc_is_const(b->shape[2], groups))
        outputs /= groups;
    else if (n != 5)
        return false;
    return rlxc_is_int(b->shape[n - 3], &panels) && rlxc_is_int(b->shape[n - 1], &width) &&
           width > 0 && rlxc_is_const(b->shape[n - 2], channels) &&
           panels == (outputs + width - 1) / width;
}

static int64_t subtracted(const rlxc_expr *index)
{
    int64_t value;
    return index->kind == RLXC_EXPR_SUB && rlxc_is_int(index->bin.b, &value) ? value : 0;
}

/* True if stages |i| to |i| + 2 are such a convolution. */
static bool find(const rlxc_stages *s, uint32_t i, rlxc_winograd *out)
{
    rlxc_context *ctx = s->ctx;
    const rlxc_stage *input = &s->items[i], *product = input + 1, *output = input + 2;
    const rlxc_expr *terms[3];
    const uint32_t ndim = i + 2 < s->n && product->out && product->out->ndim == 5 ? 5 : 4;
    if (i + 2 >= s->n || !is_sum(s, input, 4, 2, &terms[0]) ||
        !is_sum(s, product, ndim, 1, &terms[1]) || !is_sum(s, output, 4, 2, &terms[2]) ||
        !rlxc_stage_is_temp(s, input->out) || !rlxc_stage_is_temp(s, product->out))
        return rlxc_decline(s,
                            "%s, %s and %s are not the float32 sums of minimal filtering: over 2, "
                            "1 and 2 axes, with 4 dimensions each (5 for a second one with groups)",
                            input->out->name, product->out->name, output->out->name);
    const rlxc_expr *x = load_but(ctx, input, NULL), *u = load_but(ctx, product, input->out);
    if (!x || !u || x->load.n != 4 || u->load.n < 4 || x->load.buffer == output->out)
        return rlxc_decline(s, "the operands are not a weight and an image of 4 dimensions");
    rlxc_winograd w = {.x = x->load.buffer,
                       .weight = u->load.buffer,
                       .v = input->out,
                       .m = product->out,
                       .y = output->out};
    for (uint32_t k = 0; k < 2; k++)
        w.before[k] = subtracted(x->load.indices[1 + k]);
    int64_t channels, outputs, groups = 1;
    const rlxc_expr *in = rlxc_i64(ctx, IN), *tiles = rlxc_winograd_tiles(ctx, w.y);
    if (!rlxc_is_int(w.x->shape[3], &channels) || !rlxc_is_int(w.y->shape[3], &outputs) ||
        channels < 1 || outputs < 1 || channels > MOST_CHANNELS || outputs > MOST_CHANNELS)
        return rlxc_decline(s, "%s and %s channels; 1 to %d are supported",
                            rlxc_told(s, w.x->shape[3]), rlxc_told(s, w.y->shape[3]),
                            MOST_CHANNELS);
    if (ndim == 5) {
        if (!rlxc_is_int(w.m->shape[3], &groups) || groups < 1 || channels % groups != 0 ||
            outputs % groups != 0)
            return rlxc_decline(s, "%s groups do not divide the channels",
                                rlxc_told(s, w.m->shape[3]));
        w.outputs = rlxc_i64(ctx, outputs / groups);
    }
    const rlxc_expr *v_dims[4] = {in, in, tiles, w.x->shape[3]};
    const rlxc_expr *m_dims[5] = {in, in, tiles, rlxc_i64(ctx, ndim == 5 ? groups : outputs),
                                  w.outputs};
    *out = w;
    const bool same =
        has_shape(ctx, w.v, v_dims) && has_shape(ctx, w.m, m_dims) &&
        has_weight_shape(&w, channels / groups, outputs, groups) && !w.x->strides &&
        rlxc_same(terms[0], rlxc_winograd_input(ctx, &w, input->vars)) &&
        rlxc_same(terms[1], rlxc_winograd_product(ctx, &w, product->vars)) &&
        rlxc_same(terms[2], rlxc_winograd_output(ctx, &w, output->vars)) &&
        rlxc_is_const(input->extents[4], IN) && rlxc_is_const(input->extents[5], IN) &&
        rlxc_is_const(product->extents[ndim], channels / groups) &&
        rlxc_is_const(output->extents[4], IN) && rlxc_is_const(output->extents[5], IN);
    return same || rlxc_decline(s, "%s, %s and %s do not compute minimal filtering",
                                input->out->name, product->out->name, output->out->name);
}

/* --- emission --------------------------------------------------------------------------------- */

typedef struct emitter {
    rlxc_schedule inner; /* the body of the loop over blocks */
    rlxc_context *ctx;
    const rlxc_winograd *w;
    const rlxc_stage *epilogue;
    const rlxc_winograd_sizes *z;
    int64_t channels, outputs, groups;
    uint32_t lanes;
    const rlxc_expr *block;        /* its number */
    const rlxc_expr *first, *rows; /* of the block: its first tile and how many it has */
    rlxc_buffer *patch, *v, *m, *half, *result;
} emitter;

static const rlxc_expr *num(const emitter *e, int64_t value)
{
    return rlxc_i64(e->ctx, value);
}

/* One step over vectors of channels: the statement for those from |at| on. */
typedef const rlxc_stmt *(*over_channels_fn)(const emitter *e, const void *user,
                                             const rlxc_expr *at, uint32_t lanes);

static const rlxc_stmt *over_channels(const emitter *e, int64_t channels, over_channels_fn body,
                                      const void *user)
{
    RLXC_VEC(const rlxc_stmt *) parts = {0};
    int64_t start = 0;
    for (uint32_t lanes = e->lanes; lanes > 0; lanes /= 2) {
        int64_t count = (channels - start) / lanes;
        if (count == 0)
            continue;
        const rlxc_expr *var = rlxc_loop_var(e->ctx, "c");
        const rlxc_expr *at = rlxc_add(e->ctx, rlxc_mul(e->ctx, var, num(e, lanes)), num(e, start));
        RLXC_PUSH(
            e->ctx, &parts,
            rlxc_loop_of(e->ctx, var, num(e, count), RLXC_LOOP_SERIAL, body(e, user, at, lanes)));
        start += count * lanes;
    }
    return rlxc_stmt_seq(e->ctx, parts.items, parts.count);
}

/* A buffer with one index, |slot|, for the program to set. */
typedef struct access {
    rlxc_buffer *buffer;
    const rlxc_expr *at[5];
    uint32_t slot;
    const rlxc_expr *first; /* the channel from which channels are counted; NULL: 0 */
} access;

static const rlxc_expr *channel_of(const emitter *e, const access *a, const rlxc_expr *at,
                                   const rlxc_expr *lane)
{
    const rlxc_expr *channel = rlxc_add(e->ctx, at, lane);
    return a->first ? rlxc_add(e->ctx, a->first, channel) : channel;
}

static const rlxc_expr *const *with_slot(const emitter *e, const access *a, uint32_t value)
{
    const rlxc_expr **at = rlxc_copy(e->ctx, a->at, sizeof a->at);
    at[a->slot] = num(e, value);
    return at;
}

/* to[i] = sum of matrix[i][k] * from[k] */
static const rlxc_stmt *multiply(const emitter *e, rlxc_winograd_matrix matrix, const access *from,
                                 const access *to)
{
    rlxc_context *ctx = e->ctx;
    rlxc_winograd_program p = rlxc_winograd_program_of(matrix);
    const rlxc_expr *values[RLXC_WINOGRAD_VALUES];
    RLXC_VEC(const rlxc_stmt *) parts = {0};
    for (uint32_t k = 0; k < IN; k++) {
        values[k] = rlxc_var(ctx, rlxc_intern_cstr(ctx, "d"), RLX_F32);
        const rlxc_expr *load =
            rlxc_load(ctx, from->buffer, with_slot(e, from, k), from->buffer->ndim);
        RLXC_PUSH(ctx, &parts, rlxc_stmt_let(ctx, values[k], load));
    }
    for (uint32_t i = 0; i < p.n_steps; i++) {
        const rlxc_winograd_step *s = &p.steps[i];
        const rlxc_expr *a = values[s->a], *b = values[s->b];
        const rlxc_expr *scaled = rlxc_mul(ctx, rlxc_float(ctx, RLX_F32, s->c), b);
        values[s->to] = rlxc_var(ctx, rlxc_intern_cstr(ctx, "t"), RLX_F32);
        RLXC_PUSH(ctx, &parts, rlxc_stmt_let(ctx, values[s->to], rlxc_add(ctx, a, scaled)));
    }
    for (uint32_t i = 0; i < p.n_results; i++)
        RLXC_PUSH(ctx, &parts,
                  rlxc_stmt_store(ctx, to->buffer, with_slot(e, to, i), to->buffer->ndim,
                                  values[p.results[i]]));
    return rlxc_stmt_seq(ctx, parts.items, parts.count);
}

/* matrix * from * matrix', where |from| and |to| have the two indices first, and the channel last
 * at |from_channel| and |to_channel|. */
static const rlxc_stmt *transform(const emitter *e, rlxc_winograd_matrix matrix, access from,
                                  access to, const rlxc_expr *at, uint32_t lanes)
{
    const rlxc_point column = {.v = rlxc_loop_var(e->ctx, "s"), .l = rlxc_loop_var(e->ctx, "l")};
    const rlxc_point row = {.v = rlxc_loop_var(e->ctx, "i"), .l = rlxc_loop_var(e->ctx, "l")};
    int64_t rows = matrix == RLXC_WINOGRAD_A ? OUT : IN;
    from.slot = 0;
    from.at[1] = column.v;
    from.at[from.buffer->ndim - 1] = channel_of(e, &from, at, column.l);
    access half = {.buffer = e->half, .at = {NULL, column.v, column.l}};
    const rlxc_stmt *first = multiply(e, matrix, &from, &half);
    half = (access){.buffer = e->half, .at = {row.v, NULL, row.l}, .slot = 1};
    to.slot = 1;
    to.at[0] = row.v;
    to.at[to.buffer->ndim - 1] = channel_of(e, &to, at, row.l);
    const rlxc_stmt *second = multiply(e, matrix, &half, &to);
    const rlxc_stmt *parts[2] = {rlxc_over_tile(e->ctx, &column, 0, IN, lanes, false, first),
                                 rlxc_over_tile(e->ctx, &row, 0, rows, lanes, false, second)};
    return rlxc_stmt_seq(e->ctx, parts, 2);
}

/* --- input --- */

typedef struct copied { /* one element of the patch */
    const rlxc_expr *r, *s;
    const rlxc_expr *const *source; /* the first three indices of x; NULL: zeros */
} copied;

static const rlxc_stmt *copy_vector(const emitter *e, const void *user, const rlxc_expr *at,
                                    uint32_t lanes)
{
    const copied *c = user;
    rlxc_context *ctx = e->ctx;
    const rlxc_expr *lane = rlxc_loop_var(ctx, "l"), *channel = rlxc_add(ctx, at, lane);
    const rlxc_expr *to[3] = {c->r, c->s, channel}, *value = rlxc_float(ctx, RLX_F32, 0);
    if (c->source) {
        const rlxc_expr *from[4] = {c->source[0], c->source[1], c->source[2], channel};
        value = rlxc_load(ctx, e->w->x, from, 4);
    }
    return rlxc_loop_of(ctx, lane, num(e, lanes), RLXC_LOOP_VECTORIZED,
                        rlxc_stmt_store(ctx, e->patch, to, 3, value));
}

static const rlxc_stmt *fill_patch(const emitter *e, const rlxc_expr *const place[3])
{
    rlxc_context *ctx = e->ctx;
    const rlxc_expr *at[3] = {place[0]}, *inside = NULL;
    copied c = {rlxc_loop_var(ctx, "r"), rlxc_loop_var(ctx, "s"), NULL};
    for (uint32_t i = 0; i < 2; i++) {
        const rlxc_expr *start = rlxc_mul(ctx, place[1 + i], num(e, OUT));
        const rlxc_expr *index = rlxc_add(ctx, start, i == 0 ? c.r : c.s);
        at[1 + i] = rlxc_sub(ctx, index, num(e, e->w->before[i]));
        const rlxc_expr *low = rlxc_binary(ctx, RLXC_EXPR_LE, num(e, 0), at[1 + i]);
        const rlxc_expr *high = rlxc_binary(ctx, RLXC_EXPR_LT, at[1 + i], e->w->x->shape[1 + i]);
        low = rlxc_binary(ctx, RLXC_EXPR_AND, low, high);
        inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, low) : low;
    }
    const rlxc_stmt *zeros = over_channels(e, e->channels, copy_vector, &c);
    c.source = at;
    const rlxc_stmt *copies = over_channels(e, e->channels, copy_vector, &c);
    const rlxc_stmt *body = rlxc_stmt_if(ctx, inside, copies, zeros);
    body = rlxc_loop_of(ctx, c.s, num(e, IN), RLXC_LOOP_SERIAL, body);
    return rlxc_loop_of(ctx, c.r, num(e, IN), RLXC_LOOP_SERIAL, body);
}

static const rlxc_stmt *transform_input(const emitter *e, const void *user, const rlxc_expr *at,
                                        uint32_t lanes)
{
    const rlxc_expr *const *tile = user;
    access from = {.buffer = e->patch}, to = {.buffer = e->v, .at = {NULL, NULL, *tile}};
    return transform(e, RLXC_WINOGRAD_B, from, to, at, lanes);
}

/* --- output --- */

typedef struct output_tile {
    const rlxc_expr *tile, *group; /* group NULL: there is one */
} output_tile;

static const rlxc_stmt *transform_output(const emitter *e, const void *user, const rlxc_expr *at,
                                         uint32_t lanes)
{
    const output_tile *t = user;
    access from = {.buffer = e->m, .at = {NULL, NULL, t->tile, t->group}};
    access to = {.buffer = e->result,
                 .first = t->group ? rlxc_mul(e->ctx, t->group, e->w->outputs) : NULL};
    return transform(e, RLXC_WINOGRAD_A, from, to, at, lanes);
}

static const rlxc_stmt *transform_groups(const emitter *e, const rlxc_expr *tile)
{
    const rlxc_expr *group = e->w->outputs ? rlxc_loop_var(e->ctx, "group") : NULL;
    const output_tile t = {tile, group};
    const rlxc_stmt *body = over_channels(e, e->outputs / e->groups, transform_output, &t);
    return group ? rlxc_loop_of(e->ctx, group, num(e, e->groups), RLXC_LOOP_SERIAL, body) : body;
}

/* Writes one vector of results; |user|: row and column in the tile, then the result's indices. */
static const rlxc_stmt *write_vector(const emitter *e, const void *user, const rlxc_expr *at,
                                     uint32_t lanes)
{
    rlxc_context *ctx = e->ctx;
    const rlxc_expr *const *where = user;
    const rlxc_expr *lane = rlxc_loop_var(ctx, "l"), *channel = rlxc_add(ctx, at, lane);
    const rlxc_expr *from[3] = {where[0], where[1], channel};
    const rlxc_expr *to[4] = {where[2], where[3], where[4], channel};
    const rlxc_expr *value = rlxc_load(ctx, e->result, from, 3);
    const rlxc_buffer *out = e->w->y;
    if (e->epilogue) {
        value = rlxc_epilogue_value(ctx, e->epilogue, out, to, value);
        out = e->epilogue->out;
    }
    return rlxc_loop_of(ctx, lane, num(e, lanes), RLXC_LOOP_VECTORIZED,
                        rlxc_stmt_store(ctx, out, to, 4, value));
}

static const rlxc_stmt *write_tile(const emitter *e, const rlxc_expr *const place[3])
{
    rlxc_context *ctx = e->ctx;
    const rlxc_expr *where[5] = {rlxc_loop_var(ctx, "i"), rlxc_loop_var(ctx, "j"), place[0]};
    const rlxc_expr *inside = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        where[3 + i] = rlxc_add(ctx, rlxc_mul(ctx, place[1 + i], num(e, OUT)), where[i]);
        const rlxc_expr *test = rlxc_binary(ctx, RLXC_EXPR_LT, where[3 + i], e->w->y->shape[1 + i]);
        inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, test) : test;
    }
    const rlxc_stmt *body = over_channels(e, e->outputs, write_vector, where);
    body = rlxc_stmt_if(ctx, inside, body, NULL);
    body = rlxc_loop_of(ctx, where[1], num(e, OUT), RLXC_LOOP_SERIAL, body);
    return rlxc_loop_of(ctx, where[0], num(e, OUT), RLXC_LOOP_SERIAL, body);
}

/* --- blocks --- */

/* The tiles of the block, each read and transformed, or transformed and written. */
static const rlxc_stmt *over_tiles(const emitter *e, bool input)
{
    rlxc_context *ctx = e->ctx;
    const rlxc_expr *tile = rlxc_loop_var(ctx, "tile"), *place[3];
    rlxc_winograd_place(ctx, e->w->y, rlxc_add(ctx, e->first, tile), place);
    const rlxc_stmt *parts[2];
    if (input) {
        parts[0] = fill_patch(e, place);
        parts[1] = over_channels(e, e->channels, transform_input, &tile);
    } else {
        parts[0] = transform_groups(e, tile);
        parts[1] = write_tile(e, place);
    }
    return rlxc_loop_of(ctx, tile, e->rows, RLXC_LOOP_SERIAL, rlxc_stmt_seq(ctx, parts, 2));
}

/* Axes of the product: i, j, tile, group if there are several, output, channel. */
enum { GROUP = 3, AXES = 6 };

/* M[i, j] = V[i, j] weight[i, j] for a group of channels of the tiles of the block. */
static rlxc_stage product_stage(const emitter *e, const rlxc_expr *const axes[AXES])
{
    rlxc_context *ctx = e->ctx;
    const rlxc_winograd own = {.weight = e->w->weight, .v = e->v, .outputs = e->w->outputs};
    const rlxc_expr *const *last = axes + (own.outputs ? GROUP + 1 : GROUP);
    return (rlxc_stage){
        .simple = true,
        .tagged = RLXC_OPERATION_matmul,
        .n_axes = 3,
        .vars = {axes[2], last[0], last[1]},
        .extents = {e->rows, num(e, e->outputs / e->groups), num(e, e->channels / e->groups)},
        .reduces = {false, false, true},
        .out = e->m,
        .indices = axes,
        .value = rlxc_add(ctx, rlxc_load(ctx, e->m, axes, e->m->ndim),
                          rlxc_winograd_product(ctx, &own, axes)),
        .init = rlxc_float(ctx, RLX_F32, 0)};
}

static void product_axes(const emitter *e, const rlxc_expr *axes[AXES])
{
    static const char *const names[AXES] = {"i", "j", "tile", "group", "f", "c"};
    for (uint32_t k = 0, n = 0; k < AXES; k++)
        if (k != GROUP || e->w->outputs)
            axes[n++] = rlxc_loop_var(e->ctx, names[k]);
}

/* In register tiles, or row by row. */
static bool multiply_block(emitter *e)
{
    rlxc_context *ctx = e->ctx;
    const rlxc_expr *axes[AXES];
    product_axes(e, axes);
    const rlxc_stage s = product_stage(e, axes);
    rlxc_schedule product = {.s = e->inner.s, .serial = true};
    if (e->z->tiled) {
        if (!rlxc_schedule_tile(&product, &s, NULL, &e->z->product))
            return false;
    } else {
        static const rlxc_single_sizes single = {.unroll = RLXC_UNROLLED_REDUCTION, .threads = 1};
        if (!rlxc_schedule_single(&product, &s, &single))
            return false;
    }
    const rlxc_stmt *body = rlxc_body_of(&product);
    if (e->w->outputs)
        body = rlxc_loop_of(ctx, axes[GROUP], num(e, e->groups), RLXC_LOOP_SERIAL, body);
    body = rlxc_loop_of(ctx, axes[1], num(e, IN), RLXC_LOOP_SERIAL, body);
    body = rlxc_loop_of(ctx, axes[0], num(e, IN), RLXC_LOOP_SERIAL, body);
    RLXC_PUSH(ctx, &e->inner.out, rlxc_part(ctx, "product", body));
    return true;
}

/* Pixels of |channels| channels: |b| by |b| of them, or those of |tiles| tiles. The transforms step
 * from pixel to pixel, so a line of padding keeps these from falling into few sets of the cache. */
static rlxc_buffer *pixels(emitter *e, const char *name, int64_t b, int64_t tiles, int64_t channels)
{
    const int64_t lane = sizeof(float), line = LINE / lane;
    const int64_t width = channels % (4 * line) == 0 ? channels + line : channels;
    const rlxc_expr *dims[4] = {num(e, b), num(e, b), num(e, tiles ? tiles : width), num(e, width)};
    return rlxc_local_buffer(&e->inner, name, RLX_F32, dims, tiles ? 4 : 3);
}

/* M of several groups: [6, 6, tiles, groups, outputs]. Padded for the same reason as pixels: by one
 * group more, or, if there are few groups, by a line in each. */
static rlxc_buffer *grouped_pixels(emitter *e, int64_t tiles)
{
    const int64_t line = LINE / (int64_t)sizeof(float), width = e->outputs / e->groups;
    const bool few = e->groups < FEW_GROUPS;
    const rlxc_expr *dims[5] = {num(e, IN), num(e, IN), num(e, tiles),
                                num(e, few ? e->groups : e->groups + 1),
                                num(e, few ? width + line : width)};
    return rlxc_local_buffer(&e->inner, "m", RLX_F32, dims, 5);
}

/* The most tiles whose V and M fit the second-level cache. An odd multiple of FEWEST_TILES: with an
 * even one, pixels of few channels would share sets, too. */
static int64_t block_size(const emitter *e)
{
    const int64_t bytes = (int64_t)sizeof(float) * IN * IN * (e->channels + e->outputs);
    int64_t tiles = MOST_TILES;
    while (tiles > FEWEST_TILES && tiles * bytes > (int64_t)e->inner.s->target->cache_bytes[1])
        tiles -= 2 * FEWEST_TILES;
    return tiles;
}

/* The outer loops over blocks of tiles, with the memory of a block. */
static void begin(emitter *e)
{
    rlxc_context *ctx = e->ctx;
    const int64_t size = e->z->tiles;
    const rlxc_expr *tiles = rlxc_winograd_tiles(ctx, e->w->y);
    e->lanes = (uint32_t)e->z->lanes;
    e->first = rlxc_mul(ctx, e->block, num(e, size));
    e->rows = rlxc_split_size(ctx, tiles, e->first, size);
    e->v = pixels(e, "v", IN, size, e->channels);
    e->m = e->w->outputs ? grouped_pixels(e, size) : pixels(e, "m", IN, size, e->outputs);
}

static bool is_conv(rlxc_schedule *c, uint32_t i, rlxc_winograd *w, emitter *e)
{
    *e = (emitter){
        .inner = {.s = c->s}, .ctx = c->s->ctx, .w = w, .block = rlxc_loop_var(c->s->ctx, "block")};
    int64_t each;
    if (!find(c->s, i, w) || !rlxc_is_int(w->x->shape[3], &e->channels) ||
        !rlxc_is_int(w->y->shape[3], &e->outputs))
        return false;
    e->groups = w->outputs && rlxc_is_int(w->outputs, &each) ? e->outputs / each : 1;
    return true;
}

bool rlxc_decide_winograd(rlxc_schedule *c, uint32_t i, void *sizes)
{
    rlxc_winograd_sizes *z = sizes;
    rlxc_winograd w;
    emitter e;
    const rlxc_expr *axes[AXES];
    if (!is_conv(c, i, &w, &e))
        return false;
    *z = (rlxc_winograd_sizes){.lanes = c->s->target->vector_bytes / (uint32_t)sizeof(float),
                               .tiles = block_size(&e),
                               .epilogue = rlxc_epilogue_of(c->s, i, i + 2) != NULL,
                               .product = RLXC_NO_TILES};
    e.z = z;
    begin(&e);
    product_axes(&e, axes);
    const rlxc_stage s = product_stage(&e, axes);
    rlxc_schedule product = {.s = c->s, .serial = true};
    z->tiled = rlxc_decide_tiles(&product, &s, NULL, &z->product);
    return true;
}

bool rlxc_apply_winograd(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_winograd w;
    emitter e;
    rlxc_stage *epilogue;
    if (!is_conv(c, i, &w, &e))
        return false;
    e.z = sizes;
    if (!rlxc_take_epilogue(c->s, i, i + 2, e.z->epilogue, &epilogue))
        return false;
    e.epilogue = epilogue;
    begin(&e);
    e.half = pixels(&e, "half", IN, 0, e.lanes);
    e.patch = pixels(&e, "patch", IN, 0, e.channels);
    RLXC_PUSH(ctx, &e.inner.out, rlxc_part(ctx, "input", over_tiles(&e, true)));
    if (!multiply_block(&e))
        return false;
    e.result = pixels(&e, "result", OUT, 0, e.outputs);
    RLXC_PUSH(ctx, &e.inner.out, rlxc_part(ctx, "output", over_tiles(&e, false)));
    const rlxc_expr *tiles = rlxc_winograd_tiles(ctx, w.y);
    const rlxc_expr *blocks = rlxc_canonical(ctx, rlxc_split_count(ctx, tiles, e.z->tiles), NULL);
    RLXC_PUSH(ctx, &c->out,
              rlxc_loop_of(ctx, e.block, blocks, RLXC_LOOP_PARALLEL, rlxc_body_of(&e.inner)));
    rlxc_stage_drop_temp(c->s, w.v);
    rlxc_stage_drop_temp(c->s, w.m);
    rlxc_epilogue_done(c->s, i + 2, epilogue);
    return true;
}

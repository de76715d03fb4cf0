/* Register tiles: reductions that vectorise along the last result axis (j), with data reused along
 * another result axis (i). Matmul in all its forms, convolutions along their width, sums over
 * leading axes. schedule_plan.c says which, and how large the tiles are.
 *
 *     for the other result axes, for tiles of j, for blocks of rows:   in parallel
 *         [pack the operand that depends on j]
 *         for tiles of i in the block:
 *             acc[mr][nv][vl] = init               local, held in registers: all indices constant
 *             for the reduction axes: acc += ...   mr x nv vector operations, unrolled
 *             store, or the epilogue on the tile   (bias, activation, residual)
 *
 * One thread computes neighbouring tiles of j, so it reads a contiguous range of the operand; where
 * there are few tiles of j the blocks of rows are what is shared out.
 *
 * Tiles are exact. Rows left over run in tiles of fewer rows (rlxc_tile_shape.chain). Columns left
 * over run in a narrower tile, whose last vector is masked where it is not full: loads give zeros
 * behind the end, nothing is stored there. An operand that is not contiguous along j (B of x B^T)
 * is packed for each tile of j and used for all rows; one with a small stride along j (a strided
 * convolution) is gathered. No tile reads or writes outside its tensors. */
#include "compiler/tir/tile.h"

enum {
    ROW_BLOCK = 48,      /* rows of a parallel piece: a multiple of the tiles' rows */
    CHEAP_EPILOGUE = 16, /* nodes of an expression that is computed on the accumulators, unrolled */
};

typedef struct tiler {
    rlxc_schedule *c;
    rlxc_context *ctx;
    const rlxc_stage *s, *epilogue;
    rlxc_tile_plan p;
    bool small;                  /* no threads */
    rlxc_buffer *acc, *tile;     /* tile: NULL until something needs the values in memory */
    rlxc_buffer *packed;         /* of the operand: [reduction][columns of a tile] */
    const rlxc_expr *row, *rows; /* the block of rows being emitted: its first, their number */
    const rlxc_expr *values[RLXC_STAGE_AXES]; /* of the axes: loop variables of the outer loops */
} tiler;

typedef struct shape { /* of one tile */
    uint32_t mr, nv, vl;
    const rlxc_expr *i0, *j0;
    const rlxc_expr *valid; /* columns that exist; NULL: all */
} shape;

typedef struct point { /* loop variables inside a tile */
    const rlxc_expr *m, *v, *l;
} point;

static const rlxc_expr *num(tiler *t, int64_t value)
{
    return rlxc_i64(t->ctx, value);
}

static const rlxc_expr *plus(tiler *t, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(t->ctx, a, b);
}

static const rlxc_expr *times(tiler *t, const rlxc_expr *a, int64_t b)
{
    return rlxc_mul(t->ctx, a, num(t, b));
}

static point new_point(tiler *t)
{
    return (point){rlxc_loop_var(t->ctx, "m"), rlxc_loop_var(t->ctx, "v"),
                   rlxc_loop_var(t->ctx, "l")};
}

static const rlxc_expr *column(tiler *t, const shape *q, const point *at)
{
    return plus(t, times(t, at->v, q->vl), at->l);
}

static const rlxc_expr *acc_index(tiler *t, const shape *q, const point *at)
{
    return plus(t, times(t, at->m, (int64_t)q->nv * q->vl), column(t, q, at));
}

/* Values of all axes at a point of the tile. */
static void axis_values(tiler *t, const shape *q, const point *at, const rlxc_expr **out)
{
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        out[k] = t->values[k];
    if (t->p.i != RLXC_NO_AXIS)
        out[t->p.i] = plus(t, q->i0, at->m);
    out[t->p.j] = plus(t, q->j0, column(t, q, at));
}

/* Loops over the tile: unrolled with vector lanes inside, or (|small|) serial over rows and
 * vectors, for longer bodies. */
static const rlxc_stmt *over_tile(tiler *t, const shape *q, const point *at, bool small,
                                  const rlxc_stmt *body)
{
    rlxc_loop_kind outer = small ? RLXC_LOOP_SERIAL : RLXC_LOOP_UNROLLED;
    body = rlxc_loop_of(t->ctx, at->l, num(t, q->vl), RLXC_LOOP_VECTORIZED, body);
    body = rlxc_loop_of(t->ctx, at->v, num(t, q->nv), outer, body);
    return rlxc_loop_of(t->ctx, at->m, num(t, q->mr), outer, body);
}

static const rlxc_expr *is_valid(tiler *t, const shape *q, const point *at)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_LT, column(t, q, at), q->valid);
}

/* The stage's value at a point: the operand from where it was packed, and where columns are missing
 * zeros in place of what depends on them. */
typedef struct operands {
    tiler *t;
    const rlxc_expr *packed; /* stands for the packed element until the axes are replaced */
    const rlxc_expr *valid;  /* stands for the condition; NULL: all columns exist */
} operands;

static const rlxc_expr *take_operand(void *user, const rlxc_expr *e)
{
    operands *o = user;
    tiler *t = o->t;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    if (e == t->p.operand && o->packed)
        return o->packed;
    if (!o->valid || e->load.buffer == t->s->out)
        return NULL;
    for (uint32_t i = 0; i < e->load.n; i++) {
        if (!rlxc_expr_uses_var(t->ctx, e->load.indices[i], t->s->vars[t->p.j]))
            continue;
        const rlxc_expr *zero = rlxc_cast(t->ctx, e->dtype, rlxc_int(t->ctx, RLX_I32, 0));
        const rlxc_expr *args[3] = {o->valid, e, zero};
        return rlxc_call(t->ctx, e->dtype, rlxc_intern_cstr(t->ctx, "if_then_else"), args, 3);
    }
    return NULL;
}

static const rlxc_stmt *acc_init(tiler *t, const shape *q)
{
    const rlxc_expr *values[RLXC_STAGE_AXES];
    point at = new_point(t);
    axis_values(t, q, &at, values);
    const rlxc_expr *index = acc_index(t, q, &at);
    const rlxc_expr *init = rlxc_replace(t->ctx, t->s->init, t->s->vars, values, t->s->n_axes);
    return over_tile(t, q, &at, false, rlxc_stmt_store(t->ctx, t->acc, &index, 1, init));
}

static const rlxc_stmt *acc_update(tiler *t, const shape *q)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_stage *s = t->s;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    point at = new_point(t);
    axis_values(t, q, &at, values);
    for (uint32_t k = 0; k < s->n_axes; k++)
        if (s->reduces[k])
            values[k] = rlxc_loop_var(ctx, "k");
    const rlxc_expr *index = acc_index(t, q, &at);
    const rlxc_expr *value = s->value;
    operands o = {.t = t};
    if (t->p.must_pack)
        o.packed = rlxc_var(ctx, rlxc_intern_cstr(ctx, "packed"), t->p.operand->dtype);
    else if (q->valid && !t->p.panels) /* panels are filled up, and so is what was packed */
        o.valid = rlxc_var(ctx, rlxc_intern_cstr(ctx, "valid"), rlxc_bool(ctx, true)->dtype);
    value = rlxc_expr_rewrite(ctx, value, take_operand, &o);
    value = rlxc_replace_loads(ctx, value, s->out, rlxc_load(ctx, t->acc, &index, 1));
    value = rlxc_replace(ctx, value, s->vars, values, s->n_axes);
    if (o.packed) {
        const rlxc_expr *where[2] = {values[t->p.reduce], column(t, q, &at)};
        const rlxc_expr *element = rlxc_load(ctx, t->packed, where, 2);
        value = rlxc_substitute(ctx, value, &o.packed, &element, 1);
    }
    if (o.valid) {
        const rlxc_expr *cond = is_valid(t, q, &at);
        value = rlxc_substitute(ctx, value, &o.valid, &cond, 1);
    }
    const rlxc_stmt *body =
        over_tile(t, q, &at, false, rlxc_stmt_store(ctx, t->acc, &index, 1, value));
    for (uint32_t k = s->n_axes; k-- > 0;)
        if (s->reduces[k])
            body = rlxc_loop_of(ctx, values[k], s->extents[k], RLXC_LOOP_SERIAL, body);
    return body;
}

/* The statement that writes one element from |value|: the result or the epilogue of it. */
static const rlxc_stmt *finish(tiler *t, const rlxc_expr *const *values, const rlxc_expr *value)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_stage *s = t->s, *e = t->epilogue;
    const rlxc_expr *spatial[RLXC_STAGE_AXES], *vars[RLXC_STAGE_AXES];
    const rlxc_stage *writer = e ? e : s;
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->n_axes; k++) {
        if (s->reduces[k])
            continue;
        spatial[n] = values[k];
        vars[n] = s->vars[k];
        n++;
    }
    const rlxc_expr **indices = rlxc_alloc(ctx, (writer->out->ndim + 1) * sizeof *indices);
    for (uint32_t d = 0; d < writer->out->ndim; d++)
        indices[d] = rlxc_replace(ctx, writer->indices[d], e ? e->vars : vars, spatial, n);
    if (e)
        value = rlxc_epilogue_value(ctx, e, s->out, spatial, value);
    return rlxc_stmt_store(ctx, writer->out, indices, writer->out->ndim, value);
}

static bool count_node(void *user, const rlxc_expr *e)
{
    uint32_t *n = user;
    *n += e->kind == RLXC_EXPR_CALL ? CHEAP_EPILOGUE : e->kind != RLXC_EXPR_VAR;
    return true;
}

/* The epilogue runs on the registers where it is short; longer ones go through memory and a loop
 * over the tile, as code unrolled over it would be long. */
static bool is_cheap(const tiler *t)
{
    uint32_t nodes = 0;
    if (t->epilogue)
        rlxc_expr_visit(t->ctx, t->epilogue->value, count_node, &nodes);
    return nodes <= CHEAP_EPILOGUE;
}

static const rlxc_stmt *write_results(tiler *t, const shape *q)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    const rlxc_stmt *parts[2];
    point at = new_point(t);
    axis_values(t, q, &at, values);
    const rlxc_expr *index = acc_index(t, q, &at);
    const rlxc_expr *now = rlxc_load(ctx, t->acc, &index, 1);
    if (t->tile) {
        parts[0] = over_tile(t, q, &at, false, rlxc_stmt_store(ctx, t->tile, &index, 1, now));
        at = new_point(t);
        axis_values(t, q, &at, values);
        index = acc_index(t, q, &at);
        now = rlxc_load(ctx, t->tile, &index, 1);
    }
    const rlxc_stmt *body = finish(t, values, now);
    if (q->valid)
        body = rlxc_stmt_if(ctx, is_valid(t, q, &at), body, NULL);
    body = over_tile(t, q, &at, t->tile != NULL, body);
    if (!t->tile)
        return body;
    parts[1] = body;
    return rlxc_stmt_seq(ctx, parts, 2);
}

static const rlxc_stmt *one_tile(tiler *t, const shape *q)
{
    const rlxc_stmt *parts[3] = {acc_init(t, q), acc_update(t, q), write_results(t, q)};
    return rlxc_stmt_seq(t->ctx, parts, 3);
}

static const rlxc_expr *divide(tiler *t, const rlxc_expr *a, int64_t b, bool remainder)
{
    return rlxc_binary(t->ctx, remainder ? RLXC_EXPR_FLOORMOD : RLXC_EXPR_FLOORDIV, a, num(t, b));
}

/* Appends var = value, so that it is computed and written once; constants and variables are used as
 * they are. */
static const rlxc_expr *named(tiler *t, rlxc_schedule *to, const char *name, const rlxc_expr *value)
{
    value = rlxc_simplify(t->ctx, value, NULL);
    if (value->kind == RLXC_EXPR_INT || value->kind == RLXC_EXPR_VAR)
        return value;
    const rlxc_expr *var = rlxc_loop_var(t->ctx, name);
    RLXC_PUSH(t->ctx, &to->out, rlxc_stmt_let(t->ctx, var, value));
    return var;
}

/* rows / mr, less one where the rows left over borrow a tile (rlxc_tile_shape). */
static const rlxc_expr *full_tiles(tiler *t)
{
    rlxc_context *ctx = t->ctx;
    uint32_t mr = t->p.mr, borrow = t->p.shape->mr == mr ? t->p.shape->borrow : 0;
    const rlxc_expr *count = divide(t, t->rows, mr, false), *left = divide(t, t->rows, mr, true);
    const rlxc_expr *any = NULL;
    for (uint32_t r = 1; r < mr; r++) {
        if (!(borrow & 1u << r))
            continue;
        const rlxc_expr *is = rlxc_binary(ctx, RLXC_EXPR_EQ, left, num(t, r));
        any = any ? rlxc_binary(ctx, RLXC_EXPR_OR, any, is) : is;
    }
    if (!any)
        return count;
    const rlxc_expr *one = rlxc_binary(ctx, RLXC_EXPR_MIN, count, num(t, 1));
    return rlxc_sub(ctx, count, rlxc_select(ctx, any, one, num(t, 0)));
}

/* All rows of the block for one tile of columns: full tiles, then smaller ones. */
static const rlxc_stmt *all_rows(tiler *t, shape q)
{
    rlxc_context *ctx = t->ctx;
    if (t->p.i == RLXC_NO_AXIS) {
        q.mr = 1;
        return one_tile(t, &q);
    }
    rlxc_schedule own = {.s = t->c->s};
    const rlxc_expr *start = t->row, *left = t->rows;
    for (uint32_t i = 0; i <= RLXC_ROW_CHAIN && !rlxc_is_const(left, 0); i++) {
        q.mr = i == 0 ? t->p.mr : t->p.shape->chain[i - 1];
        if (q.mr == 0 || (i > 0 && q.mr >= t->p.mr))
            continue;
        const rlxc_expr *count = i == 0 ? full_tiles(t) : divide(t, left, q.mr, false);
        count = named(t, &own, "tiles", count);
        if (rlxc_is_const(count, 0))
            continue;
        const rlxc_expr *var = rlxc_loop_var(ctx, "i");
        q.i0 = plus(t, start, times(t, var, q.mr));
        RLXC_PUSH(ctx, &own.out, rlxc_loop_of(ctx, var, count, RLXC_LOOP_SERIAL, one_tile(t, &q)));
        if (q.mr == 1)
            break;
        left = named(t, &own, "left", rlxc_sub(ctx, left, times(t, count, q.mr)));
        start = named(t, &own, "row", plus(t, start, times(t, count, q.mr)));
    }
    return rlxc_stmt_seq(ctx, own.out.items, own.out.count);
}

/* Copies the operand's columns j0 .. j0 + width; columns from |valid| on are zero. */
static const rlxc_stmt *pack(tiler *t, const shape *q)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    const rlxc_expr *k = rlxc_loop_var(ctx, "k"), *l = rlxc_loop_var(ctx, "l");
    int64_t width = (int64_t)q->nv * q->vl;
    for (uint32_t i = 0; i < t->s->n_axes; i++)
        values[i] = t->values[i];
    if (t->p.i != RLXC_NO_AXIS)
        values[t->p.i] = num(t, 0);
    values[t->p.j] = plus(t, q->j0, l);
    values[t->p.reduce] = k;
    const rlxc_expr *element = rlxc_replace(ctx, t->p.operand, t->s->vars, values, t->s->n_axes);
    const rlxc_expr *where[2] = {k, l};
    const rlxc_expr *extent = t->s->extents[t->p.reduce];
    const rlxc_stmt *copy = rlxc_stmt_store(ctx, t->packed, where, 2, element);
    if (!q->valid) { /* read along the reduction, which is what is contiguous */
        copy = rlxc_loop_of(ctx, l, num(t, width), RLXC_LOOP_SERIAL, copy);
        return rlxc_loop_of(ctx, k, extent, RLXC_LOOP_SERIAL, copy);
    }
    const rlxc_expr *zero_k = rlxc_loop_var(ctx, "k"), *zero_l = rlxc_loop_var(ctx, "l");
    const rlxc_expr *zero_at[2] = {zero_k, zero_l};
    const rlxc_expr *zero = rlxc_cast(ctx, t->packed->dtype, rlxc_int(ctx, RLX_I32, 0));
    const rlxc_stmt *clear = rlxc_stmt_store(ctx, t->packed, zero_at, 2, zero);
    clear = rlxc_loop_of(ctx, zero_l, num(t, width), RLXC_LOOP_VECTORIZED, clear);
    const rlxc_stmt *parts[2] = {
        rlxc_loop_of(ctx, zero_k, extent, RLXC_LOOP_SERIAL, clear),
        rlxc_loop_of(ctx, k, extent, RLXC_LOOP_SERIAL,
                     rlxc_loop_of(ctx, l, q->valid, RLXC_LOOP_SERIAL, copy))};
    return rlxc_stmt_seq(ctx, parts, 2);
}

static const rlxc_stmt *columns(tiler *t, shape q)
{
    const rlxc_stmt *parts[2];
    uint32_t n = 0;
    if (t->p.must_pack)
        parts[n++] = pack(t, &q);
    parts[n++] = all_rows(t, q);
    return rlxc_stmt_seq(t->ctx, parts, n);
}

/* Fresh temporaries of the tiles, appended to t->c->out: tiles of different threads share none. */
static void make_locals(tiler *t, int64_t width)
{
    const rlxc_expr *size[1] = {num(t, t->p.mr * width)};
    t->acc = rlxc_local_buffer(t->c, "acc", t->s->out->dtype, size, 1);
    t->tile = is_cheap(t) ? NULL : rlxc_local_buffer(t->c, "tile", t->s->out->dtype, size, 1);
    if (t->p.must_pack) {
        const rlxc_expr *panel[2] = {t->s->extents[t->p.reduce], num(t, width)};
        t->packed = rlxc_local_buffer(t->c, "packed", t->p.operand->dtype, panel, 2);
    }
}

/* The number of points of the other result axes. */
static const rlxc_expr *outer_extent(tiler *t)
{
    const rlxc_expr *total = num(t, 1);
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        if (k != t->p.j && k != t->p.i && !t->s->reduces[k])
            total = rlxc_mul(t->ctx, total, t->s->extents[k]);
    return rlxc_canonical(t->ctx, total, NULL);
}

/* Gives the other axes their values at |at| of their product. */
static void set_outer(tiler *t, const rlxc_expr *at)
{
    uint32_t last = RLXC_NO_AXIS;
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        if (k != t->p.j && k != t->p.i && !t->s->reduces[k] && last == RLXC_NO_AXIS)
            last = k; /* the outermost: takes what is left */
    for (uint32_t k = t->s->n_axes; k-- > 0;) {
        if (k == t->p.j || k == t->p.i || t->s->reduces[k])
            continue;
        const rlxc_expr *extent = t->s->extents[k];
        t->values[k] = k == last ? at : rlxc_binary(t->ctx, RLXC_EXPR_FLOORMOD, at, extent);
        at = rlxc_binary(t->ctx, RLXC_EXPR_FLOORDIV, at, extent);
    }
}

static bool is_zero(tiler *t, const rlxc_expr *e)
{
    return rlxc_is_const(rlxc_simplify(t->ctx, e, NULL), 0);
}

/* Collects what was appended since and puts it into a loop over |extent|. */
static void close_loop(tiler *t, rlxc_schedule *to, const rlxc_expr *var, const rlxc_expr *extent)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_stmt *body = rlxc_stmt_seq(ctx, t->c->out.items, t->c->out.count);
    rlxc_stmt *loop =
        rlxc_copy(ctx,
                  rlxc_loop_of(ctx, var, rlxc_simplify(ctx, extent, NULL),
                               t->small ? RLXC_LOOP_SERIAL : RLXC_LOOP_PARALLEL, body),
                  sizeof *loop);
    if (!t->small) /* the last blocks are smaller: no reason to judge the work by them */
        loop->loop.annotations = rlxc_attrs_with(
            ctx, loop->loop.annotations, rlxc_intern_cstr(ctx, "rlx.alike"), rlxc_attr_int(1));
    RLXC_PUSH(ctx, &to->out, loop);
    t->c->out.count = 0;
}

/* Blocks of rows that can be computed apart: one where the operand is packed for all of them. */
static const rlxc_expr *row_blocks(const tiler *t)
{
    if (t->p.i == RLXC_NO_AXIS || t->p.must_pack)
        return rlxc_i64(t->ctx, 1);
    const rlxc_expr *rounded =
        rlxc_add(t->ctx, t->s->extents[t->p.i], rlxc_i64(t->ctx, ROW_BLOCK - 1));
    rounded = rlxc_binary(t->ctx, RLXC_EXPR_FLOORDIV, rounded, rlxc_i64(t->ctx, ROW_BLOCK));
    return rlxc_simplify(t->ctx, rounded, NULL);
}

/* Gives the block number |block| of |blocks| its rows. */
static void set_rows(tiler *t, const rlxc_expr *block, const rlxc_expr *blocks)
{
    t->row = num(t, 0);
    t->rows = t->p.i == RLXC_NO_AXIS ? num(t, 1) : t->s->extents[t->p.i];
    if (rlxc_is_const(blocks, 1))
        return;
    t->row = named(t, t->c, "row", times(t, block, ROW_BLOCK));
    const rlxc_expr *left = rlxc_sub(t->ctx, t->rows, t->row);
    t->rows = named(t, t->c, "rows", rlxc_binary(t->ctx, RLXC_EXPR_MIN, left, num(t, ROW_BLOCK)));
}

/* One loop over the other axes, |full| tiles of full width and, if |left| is a number, a narrower
 * one for the columns left over, and the blocks of rows. */
static void all_columns(tiler *t, rlxc_schedule *to, const rlxc_expr *full, int64_t left)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *p = rlxc_loop_var(ctx, "piece"),
                    *blocks = named(t, to, "blocks", row_blocks(t));
    const rlxc_expr *tiles = named(t, to, "tiles", left > 0 ? plus(t, full, num(t, 1)) : full);
    int64_t width = (int64_t)t->p.shape->nv * t->p.vl;
    make_locals(t, width);
    const rlxc_expr *at = named(t, t->c, "at", rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, p, blocks)),
                    *j = at;
    if (!rlxc_is_const(outer_extent(t), 1)) {
        set_outer(t, named(t, t->c, "outer", rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, at, tiles)));
        j = named(t, t->c, "tile", rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, at, tiles));
    }
    set_rows(t, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, p, blocks), blocks);
    shape wide = {.nv = t->p.shape->nv, .vl = t->p.vl, .j0 = times(t, j, width)}, narrow = wide;
    if (left > 0) {
        narrow.j0 = times(t, full, width);
        narrow.nv = (uint32_t)((left + t->p.vl - 1) / t->p.vl);
        narrow.valid = left % t->p.vl ? num(t, left) : NULL;
    }
    const rlxc_stmt *body = NULL;
    if (left == 0)
        body = columns(t, wide);
    else if (is_zero(t, full))
        body = columns(t, narrow);
    else
        body = rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, j, full), columns(t, wide),
                            columns(t, narrow));
    RLXC_PUSH(ctx, &t->c->out, body);
    close_loop(t, to, p, rlxc_mul(ctx, rlxc_mul(ctx, outer_extent(t), tiles), blocks));
}

/* A number of columns that is not known and fills no tile: whole vectors, then a part of one. */
static void left_columns(tiler *t, rlxc_schedule *to, const rlxc_expr *start, const rlxc_expr *left)
{
    rlxc_context *ctx = t->ctx;
    int64_t vl = t->p.vl;
    const rlxc_expr *p = rlxc_loop_var(ctx, "piece"),
                    *blocks = named(t, to, "blocks", row_blocks(t));
    const rlxc_expr *j = rlxc_loop_var(ctx, "j");
    const rlxc_expr *count = named(t, to, "vectors", divide(t, left, vl, false));
    make_locals(t, vl);
    if (!rlxc_is_const(outer_extent(t), 1))
        set_outer(t, named(t, t->c, "outer", rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, p, blocks)));
    set_rows(t, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, p, blocks), blocks);
    shape whole = {.nv = 1, .vl = t->p.vl}, part = whole;
    whole.j0 = plus(t, start, times(t, j, vl));
    RLXC_PUSH(ctx, &t->c->out, rlxc_loop_of(ctx, j, count, RLXC_LOOP_SERIAL, columns(t, whole)));
    part.j0 = plus(t, start, times(t, count, vl));
    part.valid = named(t, t->c, "valid", divide(t, left, vl, true));
    RLXC_PUSH(ctx, &t->c->out,
              rlxc_stmt_if(ctx, rlxc_binary(ctx, RLXC_EXPR_GT, part.valid, num(t, 0)),
                           columns(t, part), NULL));
    close_loop(t, to, p, rlxc_mul(ctx, outer_extent(t), blocks));
}

/* Little work for certain: not worth a function for threads. */
static bool is_small(const rlxc_stage *s)
{
    int64_t total = 1, extent;
    for (uint32_t k = 0; k < s->n_axes; k++)
        if (!rlxc_is_int(s->extents[k], &extent) || __builtin_mul_overflow(total, extent, &total))
            return false;
    return total < 65536;
}

bool rlxc_schedule_tile(rlxc_schedule *c, const rlxc_stage *stage, const rlxc_stage *epilogue)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_schedule inner = {.s = c->s};
    tiler t = {.c = &inner, .ctx = ctx, .s = stage, .epilogue = epilogue};
    if (!rlxc_tile_plan_of(c->s, stage, &t.p))
        return false;
    t.small = c->serial || is_small(stage);
    for (uint32_t k = 0; k < stage->n_axes; k++)
        t.values[k] = num(&t, 0);
    int64_t width = (int64_t)t.p.shape->nv * t.p.vl, left;
    const rlxc_expr *extent = stage->extents[t.p.j];
    const rlxc_expr *tiles = rlxc_simplify(ctx, divide(&t, extent, width, false), NULL);
    const rlxc_expr *rest = rlxc_simplify(ctx, divide(&t, extent, width, true), NULL);
    bool is_known = rlxc_is_int(rest, &left);
    if (!is_zero(&t, tiles) || (is_known && left > 0))
        all_columns(&t, c, tiles, is_known ? left : 0);
    if (!is_known)
        left_columns(&t, c, times(&t, tiles, width), rest);
    return true;
}

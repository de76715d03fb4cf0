/* Register tiles: reductions that vectorise along the last result axis (j), with data reused along
 * another result axis (i). Matmul in all its forms, convolutions along their width, sums over
 * leading axes.
 *
 *     for the other result axes, for tiles of j:   [pack the operand that depends on j]
 *         for tiles of i:
 *             acc[mr][nv][vl] = init               local, held in registers: all indices constant
 *             for the reduction axes: acc += ...   mr x nv vector operations, unrolled
 *             store, or the epilogue on the tile   (bias, activation, residual)
 *
 * Tiles are exact: rows left over run in tiles of 4, 2 and 1; columns left over in single vectors,
 * then in a partial vector, whose operand is packed with zeros behind its end, or else one by one.
 * An operand that is not contiguous along j (B of x B^T) is packed for each tile of j and used for
 * all rows; one with a small stride along j (a strided convolution) is gathered. No tile reads or
 * writes outside its tensors. */
#include "compiler/tir/stages.h"

enum { NO_AXIS = UINT32_MAX, MIN_LANES = 4, MAX_GATHER = 4 /* stride, in elements */ };

typedef struct plan {
    uint32_t i, j;            /* axes; i may be NO_AXIS */
    uint32_t mr, nv, vl;      /* rows, vectors, lanes of the full tile */
    const rlxc_expr *operand; /* the only load that depends on j, and not on i; or NULL */
    uint32_t reduce;          /* the only reduction axis, or NO_AXIS */
    bool must_pack;           /* operand is not contiguous along j */
} plan;

/* --- planning -------------------------------------------------------------------------------- */

typedef struct survey {
    rlxc_context *ctx;
    const rlxc_stage *s;
    RLXC_VEC(const rlxc_expr *) loads;
    bool bad;
} survey;

static bool survey_node(void *user, const rlxc_expr *e)
{
    survey *v = user;
    if (e->kind == RLXC_EXPR_LET || e->dtype.lanes > 1)
        v->bad = true;
    if (e->kind != RLXC_EXPR_LOAD)
        return true;
    if (e->load.buffer == v->s->out) {
        for (uint32_t i = 0; i < e->load.n; i++)
            v->bad = v->bad || e->load.indices[i] != v->s->indices[i];
        return true;
    }
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

static const rlxc_expr *hide(void *user, const rlxc_expr *e)
{
    rlxc_context *ctx = user;
    if (e->kind != RLXC_EXPR_LOAD)
        return NULL;
    return rlxc_dtype_is_float(e->dtype)  ? rlxc_float(ctx, e->dtype, 2.5)
           : rlxc_dtype_is_bool(e->dtype) ? rlxc_bool(ctx, true)
                                          : rlxc_int(ctx, e->dtype, 3);
}

static uint32_t lanes_for(const rlxc_stages *s, rlx_dtype t, const rlxc_expr *extent)
{
    uint32_t bytes = t.bits >= 32 ? t.bits / 8u : 4u, lanes = s->options->vector_bytes / bytes;
    int64_t n;
    if (lanes < MIN_LANES)
        lanes = s->options->vector_bytes / bytes;
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
    return NO_AXIS;
}

static void choose_sizes(const rlxc_stages *s, const rlxc_stage *stage, plan *p)
{
    bool wide = s->options->vector_bytes >= 64, medium = s->options->vector_bytes >= 32;
    int64_t n;
    p->nv = wide ? 4 : 2;
    p->mr = p->i == NO_AXIS ? 1 : wide || medium ? 6 : 4;
    if (rlxc_is_int(stage->extents[p->j], &n))
        while (p->nv > 1 && n < (int64_t)p->nv * p->vl)
            p->nv--;
    if (p->i != NO_AXIS && p->nv == 1) /* few columns: more rows keep the pipeline full */
        p->mr = wide ? 12 : p->mr + 2;
    if (p->i != NO_AXIS && rlxc_is_int(stage->extents[p->i], &n) && n < (int64_t)p->mr)
        p->mr = (uint32_t)n;
}

static bool make_plan(const rlxc_stages *s, const rlxc_stage *stage, plan *p)
{
    rlxc_context *ctx = s->ctx;
    survey v = {.ctx = ctx, .s = stage};
    *p = (plan){.i = NO_AXIS, .j = NO_AXIS, .reduce = NO_AXIS};
    if (!stage->simple || !stage->init || stage->out->ndim == 0 ||
        rlxc_dtype_is_bool(stage->out->dtype))
        return false;
    uint32_t n_reduce = 0, n_vector = 0;
    for (uint32_t i = 0; i < stage->n_axes; i++) {
        if (stage->reduces[i]) {
            n_reduce++;
            p->reduce = i;
        } else if (stage->indices[stage->out->ndim - 1] == stage->vars[i]) {
            p->j = i;
        }
    }
    if (p->j == NO_AXIS)
        return false;
    rlxc_expr_visit(ctx, stage->value, survey_node, &v);
    const rlxc_expr *j = stage->vars[p->j];
    const rlxc_expr *bare = rlxc_expr_rewrite(ctx, stage->value, hide, ctx);
    if (v.bad || rlxc_expr_uses_var(ctx, bare, j) || rlxc_expr_uses_var(ctx, stage->init, j))
        return false;
    bool contiguous = true, near = true;
    for (uint32_t k = 0; k < v.loads.count; k++) {
        const rlxc_expr *load = v.loads.items[k];
        int64_t stride;
        if (!depends(ctx, load, j))
            continue;
        if (!rlxc_access_stride(ctx, load->load.buffer, load->load.indices, j, &stride) ||
            load->load.buffer->strides)
            return false;
        contiguous = contiguous && stride == 1;
        near = near && stride >= 1 && stride <= MAX_GATHER;
        p->operand = load;
        n_vector++;
    }
    p->i = reuse_axis(&v, p->j);
    p->vl = lanes_for(s, stage->out->dtype, stage->extents[p->j]);
    if (n_reduce != 1)
        p->reduce = NO_AXIS;
    if (n_vector != 1 || p->reduce == NO_AXIS || p->i == NO_AXIS)
        p->operand = NULL;
    p->must_pack = !contiguous;
    if (!p->operand && near && p->i != NO_AXIS) /* a gather, paid once for all rows of the tile */
        p->must_pack = false;
    int64_t rows;
    if (n_vector == 0 || p->vl < MIN_LANES ||
        (p->must_pack && (!p->operand || (rlxc_is_int(stage->extents[p->i], &rows) && rows < 4))))
        return false;
    choose_sizes(s, stage, p);
    return true;
}

bool rlxc_schedule_wants_tile(const rlxc_stages *s, const rlxc_stage *stage)
{
    plan p;
    return make_plan(s, stage, &p);
}

/* --- emission -------------------------------------------------------------------------------- */

typedef struct tiler {
    rlxc_schedule *c;
    rlxc_context *ctx;
    const rlxc_stage *s, *epilogue;
    plan p;
    bool small;              /* no threads */
    rlxc_buffer *acc, *tile; /* tile: NULL until something needs the values in memory */
    rlxc_buffer *packed;     /* of the operand: [reduction][columns of a tile] */
    const rlxc_expr *values[RLXC_STAGE_AXES]; /* of the axes: loop variables of the outer loops */
} tiler;

typedef struct shape { /* of one tile */
    uint32_t mr, nv, vl;
    const rlxc_expr *i0, *j0;
    const rlxc_expr *valid; /* columns that exist; NULL: all */
    bool packed;
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
    if (t->p.i != NO_AXIS)
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

static const rlxc_expr *take_operand(void *user, const rlxc_expr *e)
{
    const rlxc_expr *const *pair = user;
    return e == pair[0] ? pair[1] : NULL;
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
    /* a variable stands for the packed element until the axes have been replaced */
    const rlxc_expr *mark = NULL;
    if (q->packed) {
        mark = rlxc_var(ctx, rlxc_intern_cstr(ctx, "packed"), t->p.operand->dtype);
        const rlxc_expr *pair[2] = {t->p.operand, mark};
        value = rlxc_expr_rewrite(ctx, value, take_operand, pair);
    }
    value = rlxc_replace_loads(ctx, value, s->out, rlxc_load(ctx, t->acc, &index, 1));
    value = rlxc_replace(ctx, value, s->vars, values, s->n_axes);
    if (mark) {
        const rlxc_expr *where[2] = {values[t->p.reduce], column(t, q, &at)};
        const rlxc_expr *element = rlxc_load(ctx, t->packed, where, 2);
        value = rlxc_substitute(ctx, value, &mark, &element, 1);
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
    if (e) {
        const rlxc_expr *mark = rlxc_var(ctx, rlxc_intern_cstr(ctx, "result"), s->out->dtype);
        const rlxc_expr *mapped = rlxc_replace_loads(ctx, e->value, s->out, mark);
        mapped = rlxc_replace(ctx, mapped, e->vars, spatial, n);
        value = rlxc_substitute(ctx, mapped, &mark, &value, 1);
    }
    return rlxc_stmt_store(ctx, writer->out, indices, writer->out->ndim, value);
}

static const rlxc_stmt *write_results(tiler *t, const shape *q)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    point at = new_point(t);
    axis_values(t, q, &at, values);
    const rlxc_expr *index = acc_index(t, q, &at);
    const rlxc_expr *now = rlxc_load(ctx, t->acc, &index, 1);
    if (!t->epilogue && !q->valid)
        return over_tile(t, q, &at, false, finish(t, values, now));
    /* through memory: long bodies are not unrolled, and a partial vector ends anywhere */
    const rlxc_stmt *parts[2];
    parts[0] = over_tile(t, q, &at, false, rlxc_stmt_store(ctx, t->tile, &index, 1, now));
    at = new_point(t);
    axis_values(t, q, &at, values);
    index = acc_index(t, q, &at);
    const rlxc_stmt *body = finish(t, values, rlxc_load(ctx, t->tile, &index, 1));
    if (q->valid) {
        body = rlxc_loop_of(ctx, at.l, q->valid, RLXC_LOOP_SERIAL, body);
        body = rlxc_loop_of(ctx, at.v, num(t, 1), RLXC_LOOP_SERIAL, body);
        parts[1] = rlxc_loop_of(ctx, at.m, num(t, q->mr), RLXC_LOOP_SERIAL, body);
    } else {
        parts[1] = over_tile(t, q, &at, true, body);
    }
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

/* All rows for one tile of columns: full tiles, then 4, 2, 1 rows. */
static const rlxc_stmt *all_rows(tiler *t, shape q)
{
    rlxc_context *ctx = t->ctx;
    if (t->p.i == NO_AXIS) {
        q.mr = 1;
        return one_tile(t, &q);
    }
    const rlxc_stmt *parts[6];
    uint32_t n = 0;
    const rlxc_expr *left = t->s->extents[t->p.i], *start = num(t, 0);
    uint32_t mr = t->p.mr;
    while (mr > 0) {
        const rlxc_expr *count = divide(t, left, mr, false);
        const rlxc_expr *var = rlxc_loop_var(ctx, "i");
        q.mr = mr;
        q.i0 = plus(t, start, times(t, var, mr));
        parts[n++] = rlxc_loop_of(ctx, var, count, RLXC_LOOP_SERIAL, one_tile(t, &q));
        start = plus(t, start, times(t, count, mr));
        left = divide(t, left, mr, true);
        mr = mr > 8 ? 8 : mr > 4 ? 4 : mr > 2 ? 2 : mr > 1 ? 1 : 0;
    }
    return rlxc_stmt_seq(ctx, parts, n);
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
    if (t->p.i != NO_AXIS)
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
    q.packed = t->p.operand && (t->p.must_pack || q.valid);
    if (q.packed)
        parts[n++] = pack(t, &q);
    parts[n++] = all_rows(t, q);
    return rlxc_stmt_seq(t->ctx, parts, n);
}

/* Fresh temporaries of the tiles, appended to t->c->out: tiles of different threads share none. */
static void make_locals(tiler *t, const shape *widest)
{
    const rlxc_expr *size[1] = {num(t, (int64_t)t->p.mr * widest->nv * widest->vl)};
    t->acc = rlxc_local_buffer(t->c, "acc", t->s->out->dtype, size, 1);
    if (t->epilogue || widest->valid)
        t->tile = rlxc_local_buffer(t->c, "tile", t->s->out->dtype, size, 1);
    if (t->p.operand && (t->p.must_pack || widest->valid)) {
        const rlxc_expr *panel[2] = {t->s->extents[t->p.reduce],
                                     num(t, (int64_t)widest->nv * widest->vl)};
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
    uint32_t last = NO_AXIS;
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        if (k != t->p.j && k != t->p.i && !t->s->reduces[k] && last == NO_AXIS)
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
    const rlxc_stmt *body = rlxc_stmt_seq(t->ctx, t->c->out.items, t->c->out.count);
    RLXC_PUSH(t->ctx, &to->out,
              rlxc_loop_of(t->ctx, var, rlxc_simplify(t->ctx, extent, NULL),
                           t->small ? RLXC_LOOP_SERIAL : RLXC_LOOP_PARALLEL, body));
    t->c->out.count = 0;
}

/* Tiles of full width: one parallel loop over them and the other axes. */
static void full_columns(tiler *t, rlxc_schedule *to, const rlxc_expr *tiles)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *p = rlxc_loop_var(ctx, "tile");
    const rlxc_expr *j = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, p, tiles);
    set_outer(t, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, p, tiles));
    if (rlxc_is_const(outer_extent(t), 1))
        j = p;
    int64_t width = (int64_t)t->p.nv * t->p.vl;
    shape q = {.nv = t->p.nv, .vl = t->p.vl, .j0 = times(t, j, width)};
    make_locals(t, &q);
    RLXC_PUSH(ctx, &t->c->out, columns(t, q));
    close_loop(t, to, p, rlxc_mul(ctx, outer_extent(t), tiles));
}

/* Columns that fill no tile: whole vectors, then a part of one. */
static void left_columns(tiler *t, rlxc_schedule *to, const rlxc_expr *start, const rlxc_expr *left)
{
    rlxc_context *ctx = t->ctx;
    int64_t vl = t->p.vl;
    const rlxc_expr *p = rlxc_loop_var(ctx, "outer");
    shape q = {.nv = 1, .vl = t->p.vl};
    set_outer(t, p);
    if (t->p.nv > 1) {
        const rlxc_expr *single = rlxc_loop_var(ctx, "j"), *count = divide(t, left, vl, false);
        q.j0 = plus(t, start, times(t, single, vl));
        if (!is_zero(t, count)) {
            make_locals(t, &q);
            RLXC_PUSH(ctx, &t->c->out,
                      rlxc_loop_of(ctx, single, count, RLXC_LOOP_SERIAL, columns(t, q)));
        }
        start = plus(t, start, times(t, count, vl));
        left = divide(t, left, vl, true);
    }
    if (!is_zero(t, left)) {
        const rlxc_expr *last = rlxc_loop_var(ctx, "j");
        const rlxc_expr *count = left;
        if (t->p.operand) {
            q.valid = left;
            q.j0 = start;
            count = divide(t, plus(t, left, num(t, vl - 1)), vl, false);
        } else {
            q.vl = 1;
            q.j0 = plus(t, start, last);
        }
        make_locals(t, &q);
        RLXC_PUSH(ctx, &t->c->out, rlxc_loop_of(ctx, last, count, RLXC_LOOP_SERIAL, columns(t, q)));
    }
    if (t->c->out.count > 0)
        close_loop(t, to, p, outer_extent(t));
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
    if (!make_plan(c->s, stage, &t.p))
        return false;
    t.small = is_small(stage);
    for (uint32_t k = 0; k < stage->n_axes; k++)
        t.values[k] = num(&t, 0);
    int64_t width = (int64_t)t.p.nv * t.p.vl;
    const rlxc_expr *extent = stage->extents[t.p.j];
    const rlxc_expr *tiles = divide(&t, extent, width, false);
    const rlxc_expr *left = divide(&t, extent, width, true);
    if (!is_zero(&t, tiles))
        full_columns(&t, c, tiles);
    if (!is_zero(&t, left))
        left_columns(&t, c, times(&t, tiles, width), left);
    return true;
}

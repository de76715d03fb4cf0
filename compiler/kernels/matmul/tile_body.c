/* Emits one register tile: sums in local accumulators with constant indices, which LLVM keeps in
 * registers, then the epilogue and the stores; packing of an operand that is not contiguous.
 *
 * Tiles of few accumulators would wait for the multiply-add before: they sum several parts of the
 * reduction side by side (chains) and add those up at the end. If the reduction is done in blocks
 * (rlxc_tile_plan.k_block), a tile starts with the sums that the previous block left in |partial|.
 */
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/kernels/conv/sliding.h"
#include "compiler/kernels/matmul/tile.h"

enum {
    CHEAP_EPILOGUE = 16, /* size limit of an expression that is computed on the accumulators,
                          * unrolled */
    SHORT_SUM = 32,      /* not worth parts */
};

static const rlxc_expr *column(rlxc_tiler *t, const rlxc_tile *q, const rlxc_point *at)
{
    return rlxc_point_column(t->ctx, at, q->vl);
}

static const rlxc_expr *acc_index(rlxc_tiler *t, const rlxc_tile *q, const rlxc_point *at)
{
    return rlxc_tile_plus(t, rlxc_tile_times(t, at->m, (int64_t)q->nv * q->vl), column(t, q, at));
}

/* Values of all axes at a point of the tile. */
static void axis_values(rlxc_tiler *t, const rlxc_tile *q, const rlxc_point *at,
                        const rlxc_expr **out)
{
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        out[k] = t->values[k];
    if (t->p.i != RLXC_NO_AXIS)
        out[t->p.i] = rlxc_tile_plus(t, q->i0, at->m);
    out[t->p.j] = rlxc_tile_plus(t, q->j0, column(t, q, at));
}

/* Loops over the tile: unrolled with vector lanes inside, or (|small|) serial over rows and
 * vectors, for longer bodies. */
static const rlxc_stmt *over_tile(rlxc_tiler *t, const rlxc_tile *q, const rlxc_point *at,
                                  bool small, const rlxc_stmt *body)
{
    return rlxc_over_tile(t->ctx, at, q->mr, q->nv, q->vl, small, body);
}

static const rlxc_expr *is_valid(rlxc_tiler *t, const rlxc_tile *q, const rlxc_point *at)
{
    return rlxc_binary(t->ctx, RLXC_EXPR_LT, column(t, q, at), q->valid);
}

/* The stage's value at a point: the operand from its packed copy, and zeros for operands of missing
 * columns. */
typedef struct operands {
    rlxc_tiler *t;
    const rlxc_expr *packed; /* stands for the packed element until the axes are replaced */
    const rlxc_expr *valid;  /* stands for the condition; NULL: all columns exist */
} operands;

static const rlxc_expr *take_operand(void *user, const rlxc_expr *e)
{
    operands *o = user;
    rlxc_tiler *t = o->t;
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

static bool is_zero_constant(const rlxc_expr *e)
{
    return rlxc_is_const(e, 0) || (e->kind == RLXC_EXPR_FLOAT && e->f == 0);
}

/* The elements of the reduction that chains may share: those of the only axis, or of all axes if
 * the last one has a known number of them. 0: few, or unknown. */
static int64_t shared_sums(const rlxc_tiler *t, const rlxc_tile *q)
{
    int64_t extent = t->p.i == RLXC_NO_AXIS ? SHORT_SUM : 0; /* if unknown */
    int64_t all = 1;
    if (t->p.reduce != RLXC_NO_AXIS) {
        rlxc_is_int(t->s->extents[t->p.reduce], &extent);
        return extent;
    }
    if (q->ranges || q->guard || t->sliding)
        return 0;
    for (uint32_t k = 0; k < t->s->n_axes; k++)
        if (t->s->reduces[k] &&
            (!rlxc_is_int(t->s->extents[k], &extent) || __builtin_mul_overflow(all, extent, &all)))
            return 0;
    return all;
}

/* Parts of the reduction that the tile sums side by side. */
static uint32_t chains_of(const rlxc_tiler *t, const rlxc_tile *q)
{
    uint32_t n = 1, last = t->s->n_axes - 1;
    int64_t inner = 0;
    if (!t->p.sums || t->s->out->dtype.bits < 32 || shared_sums(t, q) < SHORT_SUM ||
        !is_zero_constant(t->s->init))
        return 1;
    if (t->p.reduce == RLXC_NO_AXIS)
        rlxc_is_int(t->s->extents[last], &inner);
    while (2 * n * q->mr * q->nv <= t->p.chains && inner % (2 * n) == 0)
        n *= 2;
    return n;
}

/* The position of the tile's sums from earlier blocks, and of those of part |chain|. */
static const rlxc_expr *partial_sum(rlxc_tiler *t, const rlxc_tile *q, const rlxc_point *at,
                                    const rlxc_expr *out_where[2])
{
    const rlxc_expr *row = rlxc_sub(t->ctx, q->i0, t->row);
    out_where[0] = rlxc_tile_plus(t, t->place ? rlxc_tile_plus(t, t->place, row) : row, at->m);
    out_where[1] = column(t, q, at);
    return rlxc_load(t->ctx, t->partial, out_where, 2);
}

static const rlxc_expr *chain_index(rlxc_tiler *t, const rlxc_tile *q, const rlxc_point *at,
                                    uint32_t chain)
{
    return rlxc_tile_plus(t, acc_index(t, q, at),
                          rlxc_tile_num(t, (int64_t)chain * q->mr * q->nv * q->vl));
}

static const rlxc_stmt *acc_set(rlxc_tiler *t, const rlxc_tile *q, uint32_t chain, bool resume)
{
    const rlxc_expr *values[RLXC_STAGE_AXES], *where[2];
    rlxc_point at = rlxc_new_point(t->ctx);
    axis_values(t, q, &at, values);
    const rlxc_expr *index = chain_index(t, q, &at, chain);
    const rlxc_expr *value =
        resume ? partial_sum(t, q, &at, where)
               : rlxc_replace(t->ctx, t->s->init, t->s->vars, values, t->s->n_axes);
    return over_tile(t, q, &at, false, rlxc_stmt_store(t->ctx, t->acc, &index, 1, value));
}

static const rlxc_stmt *acc_init(rlxc_tiler *t, const rlxc_tile *q)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_stmt *parts[RLXC_MOST_CHAINS];
    uint32_t n = chains_of(t, q);
    for (uint32_t chain = 0; chain < n; chain++)
        parts[chain] = acc_set(t, q, chain, false);
    if (t->p.k_block) {
        const rlxc_expr *begins = rlxc_binary(ctx, RLXC_EXPR_EQ, t->block, rlxc_tile_num(t, 0));
        parts[0] = rlxc_stmt_if(ctx, begins, parts[0], acc_set(t, q, 0, true));
    }
    return rlxc_stmt_seq(ctx, parts, n);
}

/* Adds one element to each sum of part |chain|, for the |values| of the reduction's axes. */
static const rlxc_stmt *acc_step(rlxc_tiler *t, const rlxc_tile *q, uint32_t chain,
                                 const rlxc_expr *const *reduced)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_stage *s = t->s;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    rlxc_point at = rlxc_new_point(t->ctx);
    axis_values(t, q, &at, values);
    for (uint32_t k = 0; k < s->n_axes; k++)
        if (s->reduces[k])
            values[k] = reduced[k];
    const rlxc_expr *index = chain_index(t, q, &at, chain);
    const rlxc_expr *value = s->value;
    operands o = {.t = t};
    if (t->p.must_pack)
        o.packed = rlxc_var(ctx, rlxc_intern_cstr(ctx, "packed"), t->p.operand->dtype);
    else if (q->valid && !t->p.panel) /* panels are filled up, and so is what was packed */
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
    const rlxc_stmt *step = rlxc_stmt_store(ctx, t->acc, &index, 1, value);
    if (q->guard)
        step =
            rlxc_stmt_if(ctx, rlxc_replace(ctx, q->guard, s->vars, values, s->n_axes), step, NULL);
    return over_tile(t, q, &at, false, step);
}

int64_t rlxc_tile_distance(const rlxc_tiler *t)
{
    int64_t sums = 0;
    if (t->p.k_block)
        return t->p.k_block;
    return t->p.reduce != RLXC_NO_AXIS && rlxc_is_int(t->s->extents[t->p.reduce], &sums) ? sums : 0;
}

/* Prefetches a line of a row after |k|, or of the next block of a window. Panels are contiguous:
 * the last row of one is followed by the first of the next. A prefetch beyond the last panel is
 * harmless. */
static const rlxc_stmt *fetch_row(rlxc_tiler *t, const rlxc_tile *q, const rlxc_expr *k,
                                  uint32_t line)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *load = t->p.operand, *values[RLXC_STAGE_AXES];
    const rlxc_expr *j = t->s->vars[t->p.j];
    const rlxc_expr **at = rlxc_alloc(ctx, load->load.n * sizeof *at);
    for (uint32_t i = 0; i < t->s->n_axes; i++)
        values[i] = t->values[i];
    values[t->p.j] = q->j0;
    const rlxc_expr *first = t->p.k_block ? t->first : rlxc_tile_num(t, 0),
                    *column = q->ahead_column;
    values[t->p.reduce] = rlxc_tile_plus(t, first, q->ahead);
    for (uint32_t i = 0; i < t->s->n_axes && t->p.window; i++)
        values[i] = t->s->reduces[i] ? t->next[i] : values[i];
    values[t->p.j] = t->p.window ? t->next_panel : values[t->p.j];
    column = rlxc_tile_plus(t, column, rlxc_mul(ctx, rlxc_sub(ctx, k, first), q->ahead_step));
    if (line > 0)
        column = rlxc_tile_plus(t, column,
                                rlxc_binary(ctx, RLXC_EXPR_FLOORDIV,
                                            rlxc_tile_times(t, q->ahead_step, line),
                                            rlxc_tile_num(t, q->ahead_lines)));
    for (uint32_t i = 0; i < load->load.n; i++) {
        const rlxc_expr *index = load->load.indices[i];
        at[i] = index->kind == RLXC_EXPR_FLOORMOD && index->bin.a == j
                    ? column
                    : rlxc_replace(ctx, index, t->s->vars, values, t->s->n_axes);
    }
    return rlxc_fetch(ctx, rlxc_load(ctx, load->load.buffer, at, load->load.n));
}

/* Elements of the reduction per iteration of the tile's loop. */
static uint32_t unroll_of(const rlxc_tiler *t, const rlxc_tile *q)
{
    const bool full = q->mr == t->p.mr && q->nv == t->p.nv && !q->valid;
    return full && t->p.unroll ? t->p.unroll : 1;
}

/* Adds up the |n| parts of the sums. */
static const rlxc_stmt *join_chains(rlxc_tiler *t, const rlxc_tile *q, uint32_t n)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_stmt *parts[RLXC_MOST_CHAINS];
    for (uint32_t chain = 1; chain < n; chain++) {
        rlxc_point at = rlxc_new_point(ctx);
        const rlxc_expr *to = acc_index(t, q, &at), *from = chain_index(t, q, &at, chain);
        const rlxc_expr *sum =
            rlxc_add(ctx, rlxc_load(ctx, t->acc, &to, 1), rlxc_load(ctx, t->acc, &from, 1));
        parts[chain - 1] = over_tile(t, q, &at, false, rlxc_stmt_store(ctx, t->acc, &to, 1, sum));
    }
    return rlxc_stmt_seq(ctx, parts, n - 1);
}

/* The sums along the only axis, |n| elements at a time, each into its own part; then the elements
 * left over, and the parts are added up. */
static const rlxc_stmt *acc_chains(rlxc_tiler *t, const rlxc_tile *q, uint32_t n)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    const rlxc_expr **k = &values[t->p.reduce], *var = rlxc_loop_var(ctx, "k");
    for (uint32_t i = 0; i < t->s->n_axes; i++)
        values[i] = t->values[i];
    const rlxc_expr *first = t->p.k_block ? t->first : rlxc_tile_num(t, 0);
    const rlxc_expr *count = t->p.k_block ? t->count : t->s->extents[t->p.reduce];
    const uint32_t all = n == 1 ? unroll_of(t, q) : n;
    const rlxc_expr *width = rlxc_tile_num(t, all);
    const rlxc_expr *whole =
        rlxc_simplify(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, count, width), NULL);
    const rlxc_expr *left =
        rlxc_simplify(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, count, width), NULL);
    const rlxc_stmt *parts[RLXC_MOST_CHAINS + 2], *steps[(1 + RLXC_MOST_LINES) * RLXC_MOST_CHAINS];
    uint32_t n_parts = 0, n_steps = 0;
    for (uint32_t i = 0; i < all; i++) {
        *k = rlxc_tile_plus(t, first,
                            rlxc_tile_plus(t, rlxc_tile_times(t, var, all), rlxc_tile_num(t, i)));
        steps[n_steps++] = acc_step(t, q, i % n, values);
        for (uint32_t line = 0; q->ahead && line < q->ahead_lines; line++)
            steps[n_steps++] = fetch_row(t, q, *k, line);
    }
    parts[n_parts++] =
        rlxc_loop_of(ctx, var, whole, RLXC_LOOP_SERIAL, rlxc_stmt_seq(ctx, steps, n_steps));
    if (all > 1 && !rlxc_is_const(left, 0)) {
        var = rlxc_loop_var(ctx, "k");
        *k = rlxc_tile_plus(t, first, rlxc_tile_plus(t, rlxc_tile_times(t, whole, all), var));
        parts[n_parts++] =
            rlxc_loop_of(ctx, var, left, RLXC_LOOP_SERIAL, acc_step(t, q, 0, values));
    }
    if (n > 1)
        parts[n_parts++] = join_chains(t, q, n);
    return rlxc_stmt_seq(ctx, parts, n_parts);
}

/* The sums along axis |inner| - 1, the innermost of several, several elements per iteration, each
 * into its own part of |chains|; NULL: one by one. */
static const rlxc_stmt *acc_unrolled(rlxc_tiler *t, const rlxc_tile *q, uint32_t inner,
                                     const rlxc_tile_ranges *ranges, uint32_t chains,
                                     const rlxc_expr **values)
{
    const int64_t n = chains > 1 ? chains : unroll_of(t, q);
    const rlxc_stmt *steps[RLXC_MOST_CHAINS];
    int64_t extent;
    if (n == 1 || inner == 0 || ranges->first[inner - 1] || ranges->count[inner - 1] ||
        (t->sliding && inner - 1 == t->sliding->along) ||
        !rlxc_is_int(t->s->extents[inner - 1], &extent) || extent % n != 0 ||
        (extent == n && chains == 1))
        return NULL;
    const rlxc_expr *var = rlxc_loop_var(t->ctx, "k"), *kept = values[inner - 1];
    for (int64_t i = 0; i < n; i++) {
        values[inner - 1] = rlxc_tile_plus(t, rlxc_tile_times(t, var, n), rlxc_tile_num(t, i));
        steps[i] = acc_step(t, q, (uint32_t)i % chains, values);
    }
    values[inner - 1] = kept;
    return rlxc_loop_of(t->ctx, var, rlxc_tile_num(t, extent / n), RLXC_LOOP_SERIAL,
                        rlxc_stmt_seq(t->ctx, steps, (uint32_t)n));
}

static const rlxc_stmt *acc_update(rlxc_tiler *t, const rlxc_tile *q)
{
    const rlxc_stage *s = t->s;
    const rlxc_tile_ranges all = {0}, *ranges = q->ranges ? q->ranges : &all;
    const rlxc_expr *vars[RLXC_STAGE_AXES], *values[RLXC_STAGE_AXES] = {0};
    if (t->p.reduce != RLXC_NO_AXIS)
        return acc_chains(t, q, chains_of(t, q));
    for (uint32_t k = 0; k < s->n_axes; k++) {
        vars[k] = rlxc_loop_var(t->ctx, "k");
        if (s->reduces[k])
            values[k] = ranges->first[k] ? rlxc_tile_plus(t, ranges->first[k], vars[k]) : vars[k];
    }
    uint32_t inner = s->n_axes;
    while (inner > 0 && !s->reduces[inner - 1])
        inner--;
    const uint32_t chains = chains_of(t, q);
    const rlxc_stmt *body = acc_unrolled(t, q, inner, ranges, chains, values);
    inner = body ? inner - 1 : s->n_axes;
    body = body ? body : acc_step(t, q, 0, values);
    for (uint32_t k = inner; k-- > 0;) {
        if (!s->reduces[k])
            continue;
        const rlxc_expr *count = ranges->count[k] ? ranges->count[k] : s->extents[k];
        bool unrolls = t->sliding && k == t->sliding->along && !ranges->count[k];
        body = rlxc_loop_of(t->ctx, vars[k], count, unrolls ? RLXC_LOOP_UNROLLED : RLXC_LOOP_SERIAL,
                            body);
        if (ranges->count[k]) /* at most as many turns as the window is wide */
            body = rlxc_rolled(t->ctx, body);
    }
    if (chains == 1)
        return body;
    const rlxc_stmt *parts[2] = {body, join_chains(t, q, chains)};
    return rlxc_stmt_seq(t->ctx, parts, 2);
}

/* The statement that writes one element from |value|: the result or the epilogue of it. */
static const rlxc_stmt *finish(rlxc_tiler *t, const rlxc_expr *const *values,
                               const rlxc_expr *value)
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
    const bool is_choice = rlxc_is_choice(e);
    *n += e->kind == RLXC_EXPR_CALL && !is_choice ? CHEAP_EPILOGUE : e->kind != RLXC_EXPR_VAR;
    return true;
}

/* A short epilogue runs on the registers; a longer one goes through memory and a loop over the
 * tile, to keep the code small. */
static bool is_cheap(const rlxc_tiler *t)
{
    uint32_t nodes = 0;
    if (t->epilogue) /* places in memory do not count: they are computed apart from the elements */
        rlxc_expr_visit(t->ctx,
                        rlxc_expr_rewrite(t->ctx, t->epilogue->value, rlxc_hide_load, t->ctx),
                        count_node, &nodes);
    return nodes <= CHEAP_EPILOGUE;
}

/* Copies the sums into t->tile, from row |first| on. */
static const rlxc_stmt *keep_results(rlxc_tiler *t, const rlxc_tile *q, const rlxc_expr *first)
{
    rlxc_context *ctx = t->ctx;
    rlxc_point at = rlxc_new_point(ctx);
    const rlxc_expr *from = acc_index(t, q, &at);
    const rlxc_expr *to =
        rlxc_tile_plus(t, rlxc_tile_times(t, first, (int64_t)q->nv * q->vl), from);
    return over_tile(t, q, &at, false,
                     rlxc_stmt_store(ctx, t->tile, &to, 1, rlxc_load(ctx, t->acc, &from, 1)));
}

/* The statement that writes the element at |at| of the sums in |from|. */
static const rlxc_stmt *write_element(rlxc_tiler *t, const rlxc_tile *q, const rlxc_point *at,
                                      const rlxc_buffer *from)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    axis_values(t, q, at, values);
    const rlxc_expr *index = acc_index(t, q, at);
    const rlxc_stmt *body = finish(t, values, rlxc_load(ctx, from, &index, 1));
    return q->valid ? rlxc_stmt_if(ctx, is_valid(t, q, at), body, NULL) : body;
}

static const rlxc_stmt *write_results(rlxc_tiler *t, const rlxc_tile *q)
{
    const rlxc_point at = rlxc_new_point(t->ctx);
    if (!t->tile)
        return over_tile(t, q, &at, false, write_element(t, q, &at, t->acc));
    const rlxc_stmt *parts[2] = {keep_results(t, q, rlxc_tile_num(t, 0)),
                                 over_tile(t, q, &at, true, write_element(t, q, &at, t->tile))};
    return rlxc_stmt_seq(t->ctx, parts, 2);
}

bool rlxc_tile_keeps(const rlxc_tiler *t)
{
    return t->tile && !t->p.k_block;
}

const rlxc_stmt *rlxc_tile_finish(rlxc_tiler *t, const rlxc_tile *q, const rlxc_expr *rows)
{
    const rlxc_point at = rlxc_new_point(t->ctx);
    const rlxc_stmt *row =
        rlxc_over_tile(t->ctx, &at, 0, q->nv, q->vl, true, write_element(t, q, &at, t->tile));
    return rlxc_part(t->ctx, "epilogue", rlxc_loop_of(t->ctx, at.m, rows, RLXC_LOOP_SERIAL, row));
}

/* Stores the sums for the next block of the reduction. */
static const rlxc_stmt *keep_sums(rlxc_tiler *t, const rlxc_tile *q)
{
    const rlxc_expr *where[2];
    rlxc_point at = rlxc_new_point(t->ctx);
    const rlxc_expr *index = acc_index(t, q, &at);
    const rlxc_expr *now = rlxc_load(t->ctx, t->acc, &index, 1);
    (void)partial_sum(t, q, &at, where);
    return over_tile(t, q, &at, false, rlxc_stmt_store(t->ctx, t->partial, where, 2, now));
}

const rlxc_stmt *rlxc_tile_body(rlxc_tiler *t, const rlxc_tile *q)
{
    rlxc_context *ctx = t->ctx;
    const char *last_part = t->epilogue ? "epilogue" : "write";
    const rlxc_stmt *parts[3] = {rlxc_part(ctx, "init", acc_init(t, q)),
                                 rlxc_part(ctx, "sum", acc_update(t, q)),
                                 q->kept ? rlxc_part(ctx, "keep", keep_results(t, q, q->kept))
                                         : rlxc_part(ctx, last_part, write_results(t, q))};
    if (t->p.k_block) {
        const rlxc_expr *last = rlxc_sub(ctx, t->blocks, rlxc_tile_num(t, 1));
        const rlxc_expr *ends = rlxc_binary(ctx, RLXC_EXPR_EQ, t->block, last);
        parts[2] = rlxc_stmt_if(ctx, ends, parts[2], rlxc_part(ctx, "keep", keep_sums(t, q)));
    }
    return rlxc_stmt_seq(ctx, parts, 3);
}

void rlxc_tile_locals(rlxc_tiler *t, int64_t width, int64_t rows)
{
    const int64_t least = (int64_t)RLXC_MOST_CHAINS * t->p.vl, tile = t->p.mr * width;
    const rlxc_expr *sums[1] = {rlxc_tile_num(t, tile < least ? least : tile)};
    const rlxc_expr *size[1] = {rlxc_tile_num(t, 2 * tile)}; /* row_tiles keeps fewer rows */
    rlx_dtype dtype = t->s->out->dtype;
    t->acc = rlxc_local_buffer(t->c, "acc", dtype, sums, 1);
    t->tile = is_cheap(t) ? NULL : rlxc_local_buffer(t->c, "tile", dtype, size, 1);
    if (t->p.must_pack || t->packs) {
        const rlxc_expr *panel[2] = {t->s->extents[t->p.reduce], rlxc_tile_num(t, width)};
        t->packed = rlxc_local_buffer(t->c, "packed", t->p.operand->dtype, panel, 2);
    }
    if (t->p.k_block) {
        const rlxc_expr *block[2] = {rlxc_tile_num(t, rows), rlxc_tile_num(t, width)};
        t->partial = rlxc_local_buffer(t->c, "partial", dtype, block, 2);
    }
}

const rlxc_stmt *rlxc_tile_pack(rlxc_tiler *t, const rlxc_tile *q)
{
    rlxc_context *ctx = t->ctx;
    const rlxc_expr *values[RLXC_STAGE_AXES];
    const rlxc_expr *k = rlxc_loop_var(ctx, "k"), *l = rlxc_loop_var(ctx, "l");
    int64_t width = (int64_t)q->nv * q->vl;
    for (uint32_t i = 0; i < t->s->n_axes; i++)
        values[i] = t->values[i];
    if (t->p.i != RLXC_NO_AXIS)
        values[t->p.i] = rlxc_tile_num(t, 0);
    values[t->p.j] = rlxc_tile_plus(t, q->j0, l);
    values[t->p.reduce] = k;
    const rlxc_expr *element = rlxc_replace(ctx, t->p.operand, t->s->vars, values, t->s->n_axes);
    const rlxc_expr *where[2] = {k, l};
    const rlxc_expr *extent = t->s->extents[t->p.reduce];
    const rlxc_stage all = {.simple = true,
                            .n_axes = 2,
                            .vars = {k, l},
                            .extents = {extent, q->valid ? q->valid : rlxc_tile_num(t, width)},
                            .out = t->packed,
                            .indices = where,
                            .value = element};
    const rlxc_stmt *copy;
    if (t->p.contiguous) {
        copy = rlxc_stmt_store(ctx, t->packed, where, 2, element);
        copy = rlxc_loop_of(ctx, l, all.extents[1],
                            q->valid ? RLXC_LOOP_SERIAL : RLXC_LOOP_VECTORIZED, copy);
        copy = rlxc_loop_of(ctx, k, extent, RLXC_LOOP_SERIAL, copy);
    } else {
        copy = rlxc_transposed_copy(t->c, &all);
    }
    if (!q->valid)
        return copy;
    const rlxc_expr *zero_k = rlxc_loop_var(ctx, "k"), *zero_l = rlxc_loop_var(ctx, "l");
    const rlxc_expr *zero_at[2] = {zero_k, zero_l};
    const rlxc_expr *zero = rlxc_cast(ctx, t->packed->dtype, rlxc_int(ctx, RLX_I32, 0));
    const rlxc_stmt *clear = rlxc_stmt_store(ctx, t->packed, zero_at, 2, zero);
    clear = rlxc_loop_of(ctx, zero_l, rlxc_tile_num(t, width), RLXC_LOOP_VECTORIZED, clear);
    const rlxc_stmt *parts[2] = {rlxc_loop_of(ctx, zero_k, extent, RLXC_LOOP_SERIAL, clear), copy};
    return rlxc_stmt_seq(ctx, parts, 2);
}

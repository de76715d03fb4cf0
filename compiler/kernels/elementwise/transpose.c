/* Transpositions by vectors in registers; and those of whole stages in blocks, so that both sides
 * use whole cache lines.
 *
 *     for blocks of the crossed axis, of the last axis, ...:   (rows.c, or a rule's own)
 *         rows of the operand -> vectors -> log2(lanes) rounds of swaps -> rows of the result
 *
 * In round |step| each pair of vectors, |step| apart, swaps the halves of its blocks of 2 * step
 * lanes: the 2 x 2 blocks of the matrix of that size are transposed. The order of the rounds does
 * not matter (J. O. Eklundh, "A Fast Computer Method for Matrix Transposing", 1972).
 *
 * Elements of 8 and 16 bits go in vectors of 16 bytes, and vectors half the block apart are
 * interleaved instead, lane by lane, which is one instruction there: each round turns the bits of
 * (row, lane) by one place (H. S. Stone, "Parallel Processing with the Perfect Shuffle", 1971).
 *
 * Elementwise computations (casts, quantization) are done along the operand's rows, in vectors,
 * before the swaps. Partial blocks are done element by element. */
#include "compiler/ir/intrinsics.h"
#include "compiler/schedule/loops.h"
#include "compiler/schedule/stages.h"

enum { MAX_LANES = 16 };

/* True if |load| is strided along |last|: by |size| or more, or by no fixed step. */
static bool jumps(rlxc_context *ctx, const rlxc_expr *load, const rlxc_expr *last, int64_t size)
{
    int64_t along;
    if (rlxc_access_stride(ctx, load->load.buffer, load->load.indices, last, &along))
        return along >= size;
    for (uint32_t i = 0; i < load->load.n; i++)
        if (rlxc_expr_uses_var(ctx, load->load.indices[i], last))
            return true;
    return false;
}

/* The axis along which some operand is contiguous while it is strided along the last axis. */
static bool crossed_axis(rlxc_context *ctx, const rlxc_stage *s, int64_t size, uint32_t *out)
{
    rlxc_accesses a = rlxc_accesses_of(ctx, s);
    uint32_t last = s->n_axes - 1;
    int64_t along, extent;
    for (uint32_t i = 0; i < last; i++) {
        if (rlxc_is_int(s->extents[i], &extent) && extent < size)
            continue;
        for (uint32_t k = 0; k < a.loads.count; k++) {
            const rlxc_expr *e = a.loads.items[k];
            if (rlxc_access_stride(ctx, e->load.buffer, e->load.indices, s->vars[i], &along) &&
                along == 1 && jumps(ctx, e, s->vars[last], size)) {
                *out = i;
                return true;
            }
        }
    }
    return false;
}

bool rlxc_block_transposition(rlxc_context *ctx, rlxc_stage *s, int64_t size)
{
    uint32_t crossed, last = s->n_axes - 1;
    int64_t extent;
    if (s->init || s->n_axes < 2 || s->n_axes + 2 > RLXC_STAGE_AXES ||
        (rlxc_is_int(s->extents[last], &extent) && extent < size) ||
        !crossed_axis(ctx, s, size, &crossed))
        return false;
    rlxc_split_axis(ctx, s, crossed, size);
    rlxc_split_axis(ctx, s, last, size);
    return true;
}

/* --- a block in vectors ------------------------------------------------------------------------
 */

typedef struct block {
    rlxc_schedule *c;
    rlxc_context *ctx;
    const rlxc_transposition *t;
    uint32_t lanes;
} block;

/* True if |var| occurs only in the load's last index, as |var| plus a term. */
static bool runs_along(rlxc_context *ctx, const rlxc_expr *load, const rlxc_expr *var)
{
    int64_t coefficient;
    const rlxc_expr *rest, *const *indices = load->load.indices;
    const uint32_t n = load->load.n, last = rlxc_last_dim(load->load.buffer);
    for (uint32_t i = 0; i < n; i++)
        if (i != last && rlxc_expr_uses_var(ctx, indices[i], var))
            return false;
    return n > 0 && rlxc_expr_uses_var(ctx, indices[last], var) &&
           rlxc_linear_in(ctx, indices[last], var, &coefficient, &rest) && coefficient == 1 &&
           !rlxc_expr_uses_var(ctx, rest, var);
}

/* A load of single elements, contiguous along |var|. */
static bool in_rows(rlxc_context *ctx, const rlxc_expr *load, const rlxc_expr *var)
{
    return load->dtype.lanes == 1 && !load->load.buffer->strides && runs_along(ctx, load, var);
}

/* The loads of the moved value. */
typedef struct operands {
    rlxc_context *ctx;
    const rlxc_transposition *t;
    uint32_t rows; /* contiguous along the crossed axis */
} operands;

static bool is_row_or_fixed(void *user, const rlxc_expr *e)
{
    operands *o = user;
    bool crosses = false;
    if (e->kind != RLXC_EXPR_LOAD)
        return true;
    for (uint32_t k = 0; k < e->load.n; k++)
        crosses = crosses || rlxc_expr_uses_var(o->ctx, e->load.indices[k], o->t->crossed);
    o->rows += crosses;
    return !crosses || in_rows(o->ctx, e, o->t->crossed);
}

/* True if the moved value comes from rows along the crossed axis and goes to rows along the last.
 */
static bool has_rows(rlxc_context *ctx, const rlxc_transposition *t)
{
    const rlx_dtype out = t->to->dtype;
    operands o = {.ctx = ctx, .t = t};
    if (!rlxc_expr_visit(ctx, t->from, is_row_or_fixed, &o) || o.rows == 0 ||
        !rlxc_dtype_eq(t->from->dtype, out) || !in_rows(ctx, t->to, t->last))
        return false;
    return out.bits == 32 || out.bits == 64 || rlxc_is_short_float(out) ||
           (rlxc_dtype_is_int(out) && (out.bits == 8 || out.bits == 16));
}

/* The indices for these values of the variables, the last one for a vector of elements. */
static const rlxc_expr **vector_at(const block *b, const rlxc_expr *load, const rlxc_expr *crossed,
                                   const rlxc_expr *last)
{
    const rlxc_expr *vars[2] = {b->t->crossed, b->t->last}, *values[2] = {crossed, last};
    const uint32_t n = load->load.n, ramp = rlxc_last_dim(load->load.buffer);
    const rlxc_expr **at = rlxc_alloc(b->ctx, n * sizeof *at);
    for (uint32_t i = 0; i < n; i++)
        at[i] = rlxc_simplify(b->ctx, rlxc_replace(b->ctx, load->load.indices[i], vars, values, 2),
                              NULL);
    at[ramp] = rlxc_ramp(b->ctx, at[ramp], rlxc_i64(b->ctx, 1), b->lanes);
    return at;
}

static const rlxc_expr *bound(const block *b, rlxc_schedule *to, const rlxc_expr *value)
{
    const rlxc_expr *var = rlxc_var(b->ctx, rlxc_intern_cstr(b->ctx, "r"), value->dtype);
    RLXC_PUSH(b->ctx, &to->out, rlxc_stmt_let(b->ctx, var, value));
    return var;
}

/* |x| as a vector of |dtype| with the same bits, if 16-bit floats are transposed: a register would
 * hold them as floats. Other elements stay. */
static const rlxc_expr *reinterpreted(const block *b, const rlxc_expr *x, rlx_dtype dtype)
{
    dtype.lanes = x->dtype.lanes;
    return rlxc_is_short_float(b->t->to->dtype)
               ? rlxc_call(b->ctx, dtype, rlxc_intern_cstr(b->ctx, "reinterpret"), &x, 1)
               : x;
}

static bool is_narrow(rlx_dtype t)
{
    return t.bits < 32;
}

/* The number of elements of type |t| that fill a vector and are swapped. */
static uint32_t lanes_of(const rlxc_schedule *c, rlx_dtype t)
{
    const uint32_t lanes = (is_narrow(t) ? 16 : c->s->target->vector_bytes) * 8 / t.bits;
    return lanes < MAX_LANES ? lanes : MAX_LANES;
}

/* Half of a swap: the lanes of x without |step| and their counterparts of y, or (|high|) the lanes
 * of y with it. */
static const rlxc_expr *swapped(const block *b, const rlxc_expr *x, const rlxc_expr *y,
                                uint32_t step, bool high)
{
    const rlxc_expr *args[3 + MAX_LANES] = {rlxc_int(b->ctx, RLX_I32, 2), x, y};
    for (uint32_t l = 0; l < b->lanes; l++) {
        uint32_t of_y = l & step, from = high ? of_y ? l : l + step : of_y ? l - step : l;
        args[3 + l] = rlxc_int(b->ctx, RLX_I32, (int64_t)(of_y ? b->lanes + from : from));
    }
    return rlxc_call(b->ctx, x->dtype, rlxc_intern_cstr(b->ctx, "Shuffle"), args, 3 + b->lanes);
}

/* The lanes of x and y in turn: their lower halves, or upper (|high|). */
static const rlxc_expr *interleaved(const block *b, const rlxc_expr *x, const rlxc_expr *y,
                                    bool high)
{
    const rlxc_expr *args[3 + MAX_LANES] = {rlxc_int(b->ctx, RLX_I32, 2), x, y};
    for (uint32_t l = 0; l < b->lanes; l++)
        args[3 + l] =
            rlxc_int(b->ctx, RLX_I32, l % 2 * b->lanes + l / 2 + (high ? b->lanes / 2 : 0));
    return rlxc_call(b->ctx, x->dtype, rlxc_intern_cstr(b->ctx, "Shuffle"), args, 3 + b->lanes);
}

static void swap_all(const block *b, rlxc_schedule *to, const rlxc_expr *r[MAX_LANES])
{
    for (uint32_t step = b->lanes / 2; step > 0; step /= 2)
        for (uint32_t i = 0; i < b->lanes; i++) {
            if (i & step)
                continue;
            const rlxc_expr *x = r[i], *y = r[i + step];
            r[i] = bound(b, to, swapped(b, x, y, step, false));
            r[i + step] = bound(b, to, swapped(b, x, y, step, true));
        }
}

static void interleave_all(const block *b, rlxc_schedule *to, const rlxc_expr *r[MAX_LANES])
{
    const rlxc_expr *made[MAX_LANES];
    for (uint32_t step = 1; step < b->lanes; step *= 2) {
        for (uint32_t i = 0; i < b->lanes; i++)
            made[i] = bound(b, to, interleaved(b, r[i / 2], r[i / 2 + b->lanes / 2], i % 2 != 0));
        for (uint32_t i = 0; i < b->lanes; i++)
            r[i] = made[i];
    }
}

/* The values of |lanes| rows of the operand, in registers. */
static void compute_rows(const block *b, rlxc_schedule *to, const rlxc_expr *crossed,
                         const rlxc_expr *last, const rlxc_expr *r[MAX_LANES])
{
    rlxc_context *ctx = b->ctx;
    const rlxc_expr *size = rlxc_i64(ctx, (int64_t)b->lanes * b->lanes);
    rlxc_buffer *rows = rlxc_local_buffer(to, "rows", b->t->to->dtype, &size, 1);
    const rlxc_expr *vars[2] = {b->t->crossed, b->t->last}, *values[2];
    for (uint32_t i = 0; i < b->lanes; i++) {
        const rlxc_expr *l = rlxc_loop_var(ctx, "l"), *first = rlxc_i64(ctx, i * b->lanes);
        values[0] = rlxc_add(ctx, crossed, l);
        values[1] = rlxc_add(ctx, last, rlxc_i64(ctx, i));
        const rlxc_expr *value = rlxc_replace(ctx, b->t->from, vars, values, 2);
        const rlxc_expr *at = rlxc_add(ctx, first, l);
        RLXC_PUSH(ctx, &to->out,
                  rlxc_loop_of(ctx, l, rlxc_i64(ctx, b->lanes), RLXC_LOOP_VECTORIZED,
                               rlxc_stmt_store(ctx, rows, &at, 1, value)));
        at = rlxc_ramp(ctx, first, rlxc_i64(ctx, 1), b->lanes);
        r[i] = bound(b, to, reinterpreted(b, rlxc_load(ctx, rows, &at, 1), RLX_I16));
    }
}

/* |lanes| rows and columns from |crossed|, |last| on. */
static const rlxc_stmt *square(const block *b, const rlxc_expr *crossed, const rlxc_expr *last)
{
    rlxc_context *ctx = b->ctx;
    rlxc_schedule own = {.s = b->c->s};
    const rlxc_expr *r[MAX_LANES], *from = b->t->from, *to = b->t->to;
    const bool moved = from->kind == RLXC_EXPR_LOAD;
    for (uint32_t i = 0; i < b->lanes && moved; i++) {
        const rlxc_expr *row = rlxc_add(ctx, last, rlxc_i64(ctx, i));
        const rlxc_expr **at = vector_at(b, from, crossed, row);
        const rlxc_expr *load = rlxc_load(ctx, from->load.buffer, at, from->load.n);
        r[i] = bound(b, &own, reinterpreted(b, load, RLX_I16));
    }
    if (!moved)
        compute_rows(b, &own, crossed, last, r);
    if (is_narrow(to->dtype))
        interleave_all(b, &own, r);
    else
        swap_all(b, &own, r);
    for (uint32_t i = 0; i < b->lanes; i++) {
        const rlxc_expr *column = rlxc_add(ctx, crossed, rlxc_i64(ctx, i));
        const rlxc_expr **at = vector_at(b, to, column, last);
        const rlxc_expr *value = reinterpreted(b, r[i], to->dtype);
        RLXC_PUSH(ctx, &own.out, rlxc_stmt_store(ctx, to->load.buffer, at, to->load.n, value));
    }
    return rlxc_body_of(&own);
}

const rlxc_stmt *rlxc_transposed(rlxc_schedule *c, const rlxc_transposition *t)
{
    rlxc_context *ctx = c->s->ctx;
    const block b = {c, ctx, t, lanes_of(c, t->to->dtype)};
    if (b.lanes < 2 || t->n_crossed % b.lanes != 0 || t->n_last % b.lanes != 0 || !has_rows(ctx, t))
        return NULL;
    const rlxc_expr *i = rlxc_loop_var(ctx, "i"), *j = rlxc_loop_var(ctx, "j");
    const rlxc_expr *lanes = rlxc_i64(ctx, b.lanes);
    const rlxc_stmt *all = square(&b, rlxc_mul(ctx, i, lanes), rlxc_mul(ctx, j, lanes));
    all = rlxc_loop_of(ctx, j, rlxc_i64(ctx, t->n_last / b.lanes), RLXC_LOOP_SERIAL, all);
    return rlxc_loop_of(ctx, i, rlxc_i64(ctx, t->n_crossed / b.lanes), RLXC_LOOP_SERIAL, all);
}

const rlxc_stmt *rlxc_transposed_block(rlxc_schedule *c, const rlxc_stage *s, int64_t size,
                                       const rlxc_stmt *by_element)
{
    rlxc_context *ctx = c->s->ctx;
    const uint32_t n = s->n_axes;
    const rlxc_transposition t = {.to = rlxc_load(ctx, s->out, s->indices, s->out->ndim),
                                  .from = s->value,
                                  .crossed = s->vars[n - 2],
                                  .last = s->vars[n - 1],
                                  .n_crossed = size,
                                  .n_last = size};
    const rlxc_stmt *all = rlxc_transposed(c, &t);
    if (!all)
        return by_element;
    const rlxc_expr *whole = rlxc_i64(ctx, size);
    const rlxc_expr *is_whole =
        rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_EQ, s->extents[n - 2], whole),
                    rlxc_binary(ctx, RLXC_EXPR_EQ, s->extents[n - 1], whole));
    is_whole = rlxc_simplify(ctx, is_whole, NULL);
    return rlxc_is_const(is_whole, 1) ? all : rlxc_stmt_if(ctx, is_whole, all, by_element);
}

const rlxc_stmt *rlxc_transposed_copy(rlxc_schedule *c, const rlxc_stage *s)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_stage own = *s;
    const uint32_t size = lanes_of(c, s->out->dtype);
    rlxc_split_axis(ctx, &own, 0, size);
    rlxc_split_axis(ctx, &own, 1, size);
    const rlxc_stmt *body = rlxc_stmt_store(ctx, own.out, own.indices, own.out->ndim, own.value);
    body = rlxc_loop_of(ctx, own.vars[2], own.extents[2], RLXC_LOOP_SERIAL, body);
    body = rlxc_loop_of(ctx, own.vars[3], own.extents[3], RLXC_LOOP_SERIAL, body);
    body = rlxc_transposed_block(c, &own, size, body);
    body = rlxc_loop_of(ctx, own.vars[0], own.extents[0], RLXC_LOOP_SERIAL, body);
    return rlxc_loop_of(ctx, own.vars[1], own.extents[1], RLXC_LOOP_SERIAL, body);
}

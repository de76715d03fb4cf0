/* Products of 8-bit weights with integers of 8 or 16 bits, by sums of products of bytes (dot_u8s8).
 *
 * The rows are written out first as signed bytes, one limb for 8 bits, two for 16 (x = hi * 2^8 +
 * lo), with their sums. Then register tiles, for panels of columns in parallel:
 *
 *     acc[limb][mr][nv][vl] = 0
 *     for words: acc += word . limb                four rows of the weight
 *     result = hi * 2^8 + lo - zero * sum of the row
 *
 * Exact but for the wrapping of int32, as the sums that it stands for. */
#include "compiler/tir/schedule_quant.h"

typedef struct integers {
    rlxc_quant_rows_of t;
    int64_t limbs, padded; /* padded: inner dimension in whole words */
    const rlxc_expr *rows; /* of the result */
    rlxc_buffer *bytes, *fours, *sums;
    rlxc_buffer *acc, *word, *value, *memory;
} integers;

/* Rows and vectors of the tiles, most rows first. */
static const struct {
    uint32_t mr, nv;
} tiles[] = {{6, 2}, {2, 4}, {1, 4}};

static const rlxc_expr *add(integers *p, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_add(p->t.ctx, a, b);
}

/* Place of limb |limb| of row |i|, in units of |unit| elements. */
static const rlxc_expr *place(integers *p, int64_t limb, const rlxc_expr *i, int64_t unit)
{
    rlxc_context *ctx = p->t.ctx;
    const rlxc_expr *row = rlxc_mul(ctx, i, rlxc_i64(ctx, p->limbs));
    row = add(p, row, rlxc_i64(ctx, limb));
    return rlxc_mul(ctx, row, rlxc_i64(ctx, p->padded / unit));
}

static void push(integers *p, rlxc_buffer *to, const rlxc_expr *at, const rlxc_expr *value)
{
    RLXC_PUSH(p->t.ctx, &p->t.c->out, rlxc_stmt_store(p->t.ctx, to, &at, 1, value));
}

/* The body of a loop over the rows: one row as bytes, and its sum. */
static const rlxc_stmt *one_row(integers *p, const rlxc_expr *i)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    const rlx_dtype i8 = p->bytes->dtype;
    t->c = &own;
    push(p, p->sums, i, rlxc_int(ctx, RLX_I32, 0));
    const rlxc_expr *k = rlxc_loop_var(ctx, "k"), *sum_k = rlxc_loop_var(ctx, "k");
    const rlxc_stmt *split[2];
    const rlxc_expr *left = rlxc_quant_x(t, i, k);
    for (int64_t limb = p->limbs; limb-- > 0;) {
        const rlxc_expr *at = add(p, place(p, limb, i, 1), k), *low = rlxc_cast(ctx, i8, left);
        split[limb] = rlxc_stmt_store(ctx, p->bytes, &at, 1, low);
        const rlxc_expr *args[2] = {rlxc_sub(ctx, left, rlxc_cast(ctx, RLX_I32, low)),
                                    rlxc_int(ctx, RLX_I32, 8)};
        left = rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "shift_right"), args, 2);
    }
    const rlxc_stmt *body = rlxc_stmt_seq(ctx, split, (uint32_t)p->limbs);
    RLXC_PUSH(ctx, &own.out, rlxc_loop_of(ctx, k, rlxc_i64(ctx, t->rows), RLXC_LOOP_SERIAL, body));
    const rlxc_expr *sum = add(p, rlxc_load(ctx, p->sums, &i, 1), rlxc_quant_x(t, i, sum_k));
    RLXC_PUSH(ctx, &own.out,
              rlxc_loop_of(ctx, sum_k, rlxc_i64(ctx, t->rows), RLXC_LOOP_SERIAL,
                           rlxc_stmt_store(ctx, p->sums, &i, 1, sum)));
    for (int64_t limb = 0; limb < p->limbs; limb++)
        for (int64_t fill = t->rows; fill < p->padded; fill++)
            push(p, p->bytes, add(p, place(p, limb, i, 1), rlxc_i64(ctx, fill)),
                 rlxc_int(ctx, i8, 0));
    t->c = outer;
    return rlxc_stmt_seq(ctx, own.out.items, own.out.count);
}

static const rlxc_expr *index_of(integers *p, uint32_t mr, uint32_t nv, int64_t limb,
                                 const rlxc_quant_point *at)
{
    int64_t width = (int64_t)nv * p->t.vl;
    const rlxc_expr *row = rlxc_quant_times(&p->t, at->m, width);
    row = add(p, row, rlxc_i64(p->t.ctx, limb * mr * width));
    return add(p, row, rlxc_quant_column(&p->t, at));
}

static const rlxc_stmt *one_tile(integers *p, uint32_t mr, uint32_t nv, const rlxc_expr *i0,
                                 const rlxc_expr *first)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, words = {.s = t->c->s};
    rlxc_quant_point at = rlxc_quant_new_point(t), end = rlxc_quant_new_point(t);
    const rlxc_expr *word = rlxc_loop_var(ctx, "word"), *column = rlxc_quant_column(t, &at);
    RLXC_PUSH(ctx, &words.out,
              rlxc_quant_over(t, 0, nv, &at, false,
                              rlxc_stmt_store(ctx, p->word, &column, 1,
                                              rlxc_quant_at_panel(t, t->q.words, word,
                                                                  add(p, first, column)))));
    for (int64_t limb = 0; limb < p->limbs; limb++) {
        rlxc_quant_point zero = rlxc_quant_new_point(t);
        const rlxc_expr *index = index_of(p, mr, nv, limb, &zero);
        RLXC_PUSH(
            ctx, &own.out,
            rlxc_quant_over(t, mr, nv, &zero, false,
                            rlxc_stmt_store(ctx, p->acc, &index, 1, rlxc_int(ctx, RLX_I32, 0))));
        at = rlxc_quant_new_point(t);
        index = index_of(p, mr, nv, limb, &at);
        column = rlxc_quant_column(t, &at);
        const rlxc_expr *x = add(p, place(p, limb, add(p, i0, at.m), 4), word);
        const rlxc_expr *args[3] = {rlxc_load(ctx, p->acc, &index, 1),
                                    rlxc_load(ctx, p->word, &column, 1),
                                    rlxc_load(ctx, p->fours, &x, 1)};
        const rlxc_expr *dot = rlxc_call(ctx, RLX_I32, rlxc_intern_cstr(ctx, "dot_u8s8"), args, 3);
        RLXC_PUSH(
            ctx, &words.out,
            rlxc_quant_over(t, mr, nv, &at, false, rlxc_stmt_store(ctx, p->acc, &index, 1, dot)));
    }
    RLXC_PUSH(ctx, &own.out,
              rlxc_loop_of(ctx, word, rlxc_i64(ctx, p->padded / 4), RLXC_LOOP_SERIAL,
                           rlxc_stmt_seq(ctx, words.out.items, words.out.count)));
    const rlxc_expr *to = index_of(p, mr, nv, 0, &end), *low = index_of(p, mr, nv, 1, &end);
    const rlxc_expr *value = rlxc_load(ctx, p->acc, &to, 1), *row = add(p, i0, end.m);
    if (p->limbs > 1)
        value = add(p, rlxc_mul(ctx, value, rlxc_int(ctx, RLX_I32, 256)),
                    rlxc_load(ctx, p->acc, &low, 1));
    value = rlxc_sub(ctx, value, rlxc_mul(ctx, rlxc_load(ctx, p->sums, &row, 1), t->q.zero));
    RLXC_PUSH(
        ctx, &own.out,
        rlxc_quant_over(t, mr, nv, &end, false, rlxc_stmt_store(ctx, p->value, &to, 1, value)));
    const rlxc_quant_results results = {mr, nv, p->value, p->memory, i0, first};
    RLXC_PUSH(ctx, &own.out, rlxc_quant_finish(t, &results));
    return rlxc_stmt_seq(ctx, own.out.items, own.out.count);
}

/* All rows of one panel. */
static const rlxc_stmt *one_panel(integers *p)
{
    rlxc_quant_rows_of *t = &p->t;
    rlxc_context *ctx = t->ctx;
    rlxc_schedule own = {.s = t->c->s}, *outer = t->c;
    const rlxc_expr *row = rlxc_i64(ctx, 0), *left = p->rows;
    t->c = &own;
    for (size_t n = 0; n < sizeof tiles / sizeof *tiles; n++) {
        uint32_t mr = tiles[n].mr, nv = tiles[n].nv;
        int64_t width = (int64_t)nv * t->vl, size = mr * width;
        const rlxc_expr *i = rlxc_loop_var(ctx, "i"), *part = rlxc_loop_var(ctx, "part");
        const rlxc_expr *by = rlxc_i64(ctx, mr);
        p->acc = rlxc_quant_local(t, "acc", RLX_I32, p->limbs * size);
        p->word = rlxc_quant_local(t, "word", t->q.words->dtype, width);
        p->value = rlxc_quant_local(t, "value", RLX_I32, size);
        p->memory = t->epilogue ? rlxc_quant_local(t, "results", RLX_I32, size) : NULL;
        const rlxc_expr *count = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, left, by);
        const rlxc_stmt *body = one_tile(p, mr, nv, add(p, row, rlxc_mul(ctx, i, by)),
                                         rlxc_mul(ctx, part, rlxc_i64(ctx, width)));
        body = rlxc_loop_of(ctx, part, rlxc_i64(ctx, t->q.width / width), RLXC_LOOP_SERIAL, body);
        RLXC_PUSH(ctx, &own.out, rlxc_loop_of(ctx, i, count, RLXC_LOOP_SERIAL, body));
        row = add(p, row, rlxc_mul(ctx, count, by));
        left = rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, left, by);
    }
    t->c = outer;
    return rlxc_stmt_seq(ctx, own.out.items, own.out.count);
}

bool rlxc_schedule_quant_integers(rlxc_schedule *c, const rlxc_stage *stage,
                                  const rlxc_stage *epilogue)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_quant q;
    const rlx_dtype i8 = {RLX_INT, 8, 1}, u32 = {RLX_UINT, 32, 1};
    if (!rlxc_quant_match_integers(c->s, stage, &q))
        return false;
    integers p = {.t = rlxc_quant_begin(c, stage, epilogue, &q), .rows = stage->extents[0]};
    p.limbs = stage->value->bin.b->bin.a->bin.a->dtype.bits / 8;
    p.padded = (p.t.rows + 3) / 4 * 4;
    const rlxc_expr *size = rlxc_mul(ctx, p.rows, rlxc_i64(ctx, p.limbs * p.padded));
    const rlxc_expr *quarter = rlxc_mul(ctx, p.rows, rlxc_i64(ctx, p.limbs * p.padded / 4));
    p.bytes = rlxc_local_buffer(c, "bytes", i8, &size, 1);
    p.fours = rlxc_buffer_new(ctx, rlxc_intern_cstr(ctx, "fours"), u32, &quarter, 1);
    p.fours->data = p.bytes->data;
    rlxc_stmt *declare = rlxc_alloc(ctx, sizeof *declare);
    *declare = (rlxc_stmt){.kind = RLXC_STMT_DECL_BUFFER, .decl = p.fours};
    RLXC_PUSH(ctx, &c->out, declare);
    p.sums = rlxc_local_buffer(c, "sums", RLX_I32, &p.rows, 1);
    const rlxc_expr *i = rlxc_loop_var(ctx, "i");
    RLXC_PUSH(ctx, &c->out, rlxc_quant_parallel(&p.t, i, p.rows, one_row(&p, i)));
    const rlxc_expr *panel = p.t.panel = rlxc_loop_var(ctx, "panel");
    const rlxc_expr *panels = rlxc_i64(ctx, p.t.panels);
    RLXC_PUSH(ctx, &c->out, rlxc_quant_parallel(&p.t, panel, panels, one_panel(&p)));
    return true;
}

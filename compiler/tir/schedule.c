/* Pass schedule: chooses a loop structure for each stage of a PrimFunc by its pattern.
 *
 *     schedule_attention.c  attention runs as one, without its matrix of scores
 *     inline.c              producers that cost nothing to recompute are inlined
 *     schedule_winograd.c   convolutions by minimal filtering run in blocks of tiles
 *     schedule_quant.c      products with weights of 4 or 8 bits
 *     schedule_tile.c       matmul-like reductions (data reused along two axes): register tiles
 *     schedule_rows.c       the rest runs row by row, neighbours sharing their rows in one loop
 *
 * The result is plain loops, printable and parsable as any TIR. Functions of another form (opaque
 * blocks, explicit loops, lets) stay as they were written. */
#include "compiler/tir/quant.h"

/* The leading spatial axes that two stages have in common. */
static uint32_t common_axes(const rlxc_stage *a, const rlxc_stage *b, uint32_t limit)
{
    uint32_t n = 0;
    while (n < limit && n < a->n_axes && n < b->n_axes && !a->reduces[n] && !b->reduces[n] &&
           a->extents[n] == b->extents[n])
        n++;
    return n;
}

typedef struct row_check {
    const rlxc_stage *reader;
    const rlxc_buffer *buffer;
    uint32_t rows; /* leading indices that are the reader's axes */
} row_check;

static bool check_load(void *user, const rlxc_expr *e)
{
    row_check *r = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer == r->buffer) {
        uint32_t n = 0;
        while (n < r->rows && n < e->load.n && e->load.indices[n] == r->reader->vars[n])
            n++;
        r->rows = n;
    }
    return true;
}

/* How many leading axes of |reader| are also the leading indices of all its loads of |buffer|. */
static uint32_t row_reads(rlxc_context *ctx, const rlxc_stage *reader, const rlxc_buffer *buffer,
                          uint32_t limit)
{
    row_check r = {reader, buffer, limit};
    rlxc_expr_visit(ctx, reader->value, check_load, &r);
    if (reader->init)
        rlxc_expr_visit(ctx, reader->init, check_load, &r);
    return r.rows;
}

static uint32_t row_writes(const rlxc_stage *s, uint32_t limit)
{
    uint32_t n = 0;
    while (n < limit && n < s->out->ndim && s->indices[n] == s->vars[n])
        n++;
    return n;
}

enum { MAX_GROUP = 16 };

/* Rows that |next| can share with a group of |n| stages sharing |shared|; 0: it cannot join. */
static uint32_t joinable(const rlxc_stages *s, const rlxc_stage *const *group, uint32_t n,
                         uint32_t shared, const rlxc_stage *next)
{
    for (uint32_t i = 0; i < n; i++) {
        shared = common_axes(group[i], next, shared);
        shared = row_reads(s->ctx, next, group[i]->out, shared);
        shared = row_reads(s->ctx, group[i], next->out, shared);
        shared = row_writes(group[i], shared);
    }
    return row_writes(next, shared);
}

static bool is_constant_one(const rlxc_stage *s, uint32_t shared)
{
    for (uint32_t i = 0; i < shared; i++)
        if (!rlxc_is_const(s->extents[i], 1))
            return false;
    return true;
}

static bool reduces(const rlxc_stage *s)
{
    return s->init != NULL;
}

/* The stage that only maps the result of stage |i| element by element, so that it can run on each
 * tile of what stages |first| to |i| compute together; NULL if there is none. */
static rlxc_stage *epilogue_of(const rlxc_stages *s, uint32_t first, uint32_t i)
{
    const rlxc_stage *p = &s->items[i];
    rlxc_stage *found = NULL;
    uint32_t at = 0;
    if (!rlxc_stage_is_temp(s, p->out))
        return NULL;
    for (uint32_t k = 0; k < s->n; k++) {
        rlxc_stage *q = &s->items[k];
        const rlxc_expr *const *indices;
        bool same;
        if (k == i || q->removed)
            continue;
        if (q->simple && q->out == p->out)
            return NULL;
        if (rlxc_stage_loads(s, k, p->out, &indices, &same) == 0)
            continue;
        if (found || k < i || !q->simple || reduces(q) || !same || q->n_axes != p->out->ndim ||
            q->out->ndim != q->n_axes)
            return NULL;
        for (uint32_t d = 0; d < q->n_axes; d++)
            if (indices[d] != q->vars[d] || q->indices[d] != q->vars[d] ||
                q->extents[d] != p->out->shape[d])
                return NULL;
        found = q;
        at = k;
    }
    /* it runs earlier, between the tiles: nothing up to it may read or write what it writes, and
     * nothing in between write what it reads */
    for (uint32_t k = first; found && k < at; k++) {
        const rlxc_stage *q = &s->items[k];
        const rlxc_expr *const *indices;
        bool same;
        if (q->removed)
            continue;
        if (!q->simple || q->out == found->out ||
            rlxc_stage_loads(s, k, found->out, &indices, &same) > 0 ||
            (k > i && rlxc_stage_loads(s, at, q->out, &indices, &same) > 0))
            return NULL;
    }
    return found;
}

static bool in_range(const rlxc_stages *s, const rlxc_stage *stage)
{
    return stage >= s->items && stage < s->items + s->n;
}

static bool wants_tile(const rlxc_stages *s, const rlxc_stage *stage)
{
    rlxc_quant quant;
    return rlxc_quant_match(s, stage, &quant) || rlxc_quant_match_dots(s, stage, &quant) ||
           rlxc_schedule_wants_tile(s, stage);
}

/* Stages from |i| on that run in one loop over rows; returns the number of stages passed over. */
static uint32_t emit_rows(rlxc_schedule *c, const rlxc_stages *s, uint32_t i)
{
    const rlxc_stage *group[MAX_GROUP];
    uint32_t n = 1, shared = RLXC_STAGE_AXES, next = i + 1;
    group[0] = &s->items[i];
    for (; next < s->n && n < MAX_GROUP; next++) {
        const rlxc_stage *q = &s->items[next];
        if (q->removed)
            continue;
        if (!q->simple || !in_range(s, q) || wants_tile(s, q))
            break;
        uint32_t rows = joinable(s, group, n, shared, q);
        if (rows == 0 || is_constant_one(q, rows))
            break;
        shared = rows;
        group[n++] = q;
    }
    rlxc_schedule_rows(c, group, n, n > 1 ? shared : 0);
    return next;
}

static void schedule_function(rlxc_context *ctx, const rlxc_options *options, rlxc_prim_func *f)
{
    rlxc_stages s;
    if (!rlxc_stages_of(ctx, options, f, &s))
        return;
    rlxc_schedule c = {.s = &s};
    rlxc_winograd winograd;
    bool whole = rlxc_schedule_attention(&c);
    if (whole)
        s.temps.count = 0;
    else
        rlxc_stages_inline(&s);
    for (uint32_t i = 0; i < s.n && !whole && !rlxc_failed(ctx);) {
        rlxc_stage *stage = &s.items[i];
        if (stage->removed) {
            i++;
        } else if (!stage->simple) {
            RLXC_PUSH(ctx, &c.out, stage->stmt);
            i++;
        } else if (rlxc_winograd_match(&s, i, &winograd)) {
            rlxc_stage *epilogue = epilogue_of(&s, i, i + 2);
            rlxc_schedule_winograd(&c, &winograd, epilogue);
            rlxc_stage_drop_temp(&s, winograd.v);
            rlxc_stage_drop_temp(&s, winograd.m);
            if (epilogue) {
                epilogue->removed = true;
                rlxc_stage_drop_temp(&s, winograd.y);
            }
            i += 3;
        } else if (wants_tile(&s, stage)) {
            rlxc_stage *epilogue = epilogue_of(&s, i, i);
            if (!rlxc_schedule_quant(&c, stage, epilogue) &&
                !rlxc_schedule_quant_dots(&c, stage, epilogue))
                rlxc_schedule_tile(&c, stage, epilogue);
            if (epilogue) {
                epilogue->removed = true;
                rlxc_stage_drop_temp(&s, stage->out);
            }
            i++;
        } else {
            i = emit_rows(&c, &s, i);
        }
    }
    const rlxc_stmt *body = rlxc_stmt_seq(ctx, c.out.items, c.out.count);
    if (s.root) {
        rlxc_block *root = rlxc_copy(ctx, s.root, sizeof *root);
        root->allocs = s.temps.items;
        root->n_allocs = s.temps.count;
        root->has_reads = root->has_writes = false;
        root->n_reads = root->n_writes = 0;
        root->body = body;
        body = rlxc_stmt_block(ctx, root, NULL, NULL);
    }
    if (!rlxc_failed(ctx))
        f->body = body;
}

bool rlxc_pass_schedule(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim)
            schedule_function(ctx, options, module->globals.items[i]->prim);
    return !rlxc_failed(ctx);
}

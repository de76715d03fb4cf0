/* Rule rows: neighbouring stages that share their leading axes run in one loop over them, so that a
 * row stays in cache from one stage to the next (softmax, layer_norm). All stages that other rules
 * leave run in this way, alone or in groups. rows.c emits the loops. */
#include "compiler/kernels/reduce/rows.h"
#include "compiler/kernels/rules.h"

#include <inttypes.h>

enum { MAX_GROUP = 16 };

/* The number of leading spatial axes that two stages share. */
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

/* The number of leading axes of |reader| that are also the leading indices of all its loads of
 * |buffer|. */
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

/* The axes that |next| can share with a group of |n| stages sharing |shared|; 0: it cannot join. */
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

/* The stages from |i| on that run together, |most| at most, in |group|: their number, and the axes
 * that they share. */
static uint32_t gather(const rlxc_stages *s, uint32_t i, uint32_t most, const rlxc_stage **group,
                       uint32_t *out_shared)
{
    uint32_t n = 1, shared = RLXC_STAGE_AXES;
    group[0] = &s->items[i];
    for (uint32_t next = i + 1; next < s->n && n < most; next++) {
        const rlxc_stage *q = &s->items[next];
        if (!q->simple)
            break;
        uint32_t rows = joinable(s, group, n, shared, q);
        if (rows == 0 || is_constant_one(q, rows))
            break;
        shared = rows;
        group[n++] = q;
    }
    *out_shared = n > 1 ? shared : 0;
    return n;
}

bool rlxc_decide_rows(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stage *group[MAX_GROUP];
    uint32_t shared;
    const uint32_t n = gather(c->s, i, MAX_GROUP, group, &shared);
    rlxc_decide_row_sizes(c, group, n, shared, sizes);
    return true;
}

bool rlxc_apply_rows(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_rows_sizes *z = sizes;
    const rlxc_stage *group[MAX_GROUP];
    uint32_t shared;
    const uint32_t n = gather(c->s, i, (uint32_t)z->blocks, group, &shared);
    if (n < z->blocks)
        return rlxc_decline(c->s, "blocks is %" PRId64 ", but only %u share their rows", z->blocks,
                            n);
    if (z->shared > shared || (n > 1 && z->shared < 1))
        return rlxc_decline(c->s, "shared is %" PRId64 ", but %u axes are common to all blocks",
                            z->shared, shared);
    if (!rlxc_schedule_rows(c, group, n, z))
        return false;
    for (uint32_t k = 1; k < n; k++)
        c->s->items[i + k].done = true;
    return true;
}

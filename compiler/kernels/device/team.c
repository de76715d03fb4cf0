/* Rule team: row by row on a device, a block of threads for each row. Neighbours with common rows
 * (softmax, layer_norm) run in one launch, and what they pass on stays in shared memory.
 *
 * The threads share out the elements of a row. A reduction of a row is a tree: each thread reduces
 * its part in registers, then a few threads reduce these parts, then one reduces theirs. */
#include "compiler/kernels/elementwise/single.h"
#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

enum {
    LONG_ROW = 64,
    SHORT_OF_MANY = 256, /* rows that one thread takes each, where there are */
    MANY = 4096,         /* of them */
    MAX_MERGED = 3 * RLXC_ROWS_GROUP
};

/* The number of elements of a row: of the stage's axes but the first |shared|; NULL: not one number
 * that fits. */
static bool row_length(const rlxc_stages *s, const rlxc_stage *stage, uint32_t shared, int64_t *out)
{
    const rlxc_expr *total = rlxc_i64(s->ctx, 1);
    for (uint32_t a = shared; a < stage->n_axes; a++)
        total = rlxc_simplify(s->ctx, rlxc_mul(s->ctx, total, stage->extents[a]), NULL);
    return rlxc_is_int(total, out);
}

static uint32_t n_spatial(const rlxc_stage *s)
{
    uint32_t n = 0;
    for (uint32_t a = 0; a < s->n_axes; a++)
        n += !s->reduces[a];
    return n;
}

/* Whether all axes of the stage beyond the rows are reduced. */
static bool reduces_row(const rlxc_stage *s, uint32_t shared)
{
    return s->init && n_spatial(s) == shared;
}

/* --- what the stages of a launch pass on -------------------------------------------------------
 */

typedef struct same_place {
    const rlxc_stage *reader;
    const rlxc_buffer *buffer;
    bool ok;
} same_place;

static bool check_load(void *user, const rlxc_expr *e)
{
    same_place *p = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer == p->buffer) {
        p->ok = p->ok && e->load.n == p->reader->n_axes;
        for (uint32_t d = 0; d < e->load.n && p->ok; d++)
            p->ok = e->load.indices[d] == p->reader->vars[d];
    }
    return p->ok;
}

/* Whether each thread reads only what it has written itself: both stages number the elements of a
 * row in the same way. */
static bool at_same_place(const rlxc_stages *s, const rlxc_stage *writer, const rlxc_stage *reader)
{
    same_place p = {reader, writer->out, true};
    if (writer->init || writer->n_axes != reader->n_axes || writer->out->ndim != writer->n_axes)
        return false;
    for (uint32_t d = 0; d < writer->n_axes && p.ok; d++)
        p.ok = writer->indices[d] == writer->vars[d] && writer->extents[d] == reader->extents[d];
    if (p.ok)
        rlxc_expr_visit(s->ctx, reader->value, check_load, &p);
    return p.ok;
}

/* The bytes of shared memory that the stage's result takes in a row; 0: it does not fit there. */
static int64_t row_bytes(const rlxc_stages *s, const rlxc_stage *stage, uint32_t shared)
{
    const rlx_dtype t = stage->out->dtype;
    int64_t length, bytes = ((int64_t)t.bits * t.lanes + 7) / 8;
    if (!rlxc_stage_is_temp(s, stage->out) || stage->out->ndim < shared)
        return 0;
    if (n_spatial(stage) == shared)
        return bytes;
    return row_length(s, stage, shared, &length) && !stage->init &&
                   !__builtin_mul_overflow(bytes, length, &bytes)
               ? bytes
               : 0;
}

/* Whether the stages can run in one launch, whose threads wait for each other only where they share
 * memory. */
static bool may_run_together(const rlxc_stages *s, const rlxc_stage *const *group, uint32_t n,
                             uint32_t shared)
{
    enum { FOR_PARTS = 4096 }; /* of reductions */
    int64_t bytes = FOR_PARTS;
    for (uint32_t w = 0; w < n; w++) {
        const int64_t own = row_bytes(s, group[w], shared);
        for (uint32_t r = w + 1; r < n; r++) {
            const rlxc_expr *const *indices;
            bool same;
            const uint32_t at = (uint32_t)(group[r] - s->items);
            if (rlxc_stage_loads(s, at, group[w]->out, &indices, &same) > 0 && own == 0 &&
                !at_same_place(s, group[w], group[r]))
                return false;
        }
        if (__builtin_add_overflow(bytes, own, &bytes))
            return false;
    }
    return bytes <= s->target->device.shared_bytes;
}

static uint32_t gather(const rlxc_stages *s, uint32_t i, uint32_t most, const rlxc_stage **group,
                       uint32_t *out_shared)
{
    uint32_t n = rlxc_rows_group(s, i, most, group, out_shared);
    if (n > 1 && !may_run_together(s, group, n, *out_shared))
        n = 1;
    if (n == 1)
        *out_shared = n_spatial(group[0]);
    return n;
}

/* --- the rule ----------------------------------------------------------------------------------
 */

bool rlxc_decide_team(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stage *group[RLXC_ROWS_GROUP];
    uint32_t shared, n = gather(c->s, i, RLXC_ROWS_GROUP, group, &shared);
    int64_t longest = 0, length, threads = 1;
    bool reduces = false;
    if (c->s->target->device.vector_bytes > 0)
        return rlxc_decline(c->s, "threads of a CPU run one after the other");
    for (uint32_t k = 0; k < n; k++) {
        reduces = reduces || reduces_row(group[k], shared);
        longest = !row_length(c->s, group[k], shared, &length) ? INT64_MAX
                  : length > longest                           ? length
                                                               : longest;
    }
    if (!reduces)
        return rlxc_decline(c->s, "no reduction of rows");
    if (longest < LONG_ROW)
        return rlxc_decline(c->s, "rows of %d elements: one thread takes each", (int)longest);
    if (n == 1 && longest < SHORT_OF_MANY &&
        rlxc_is_int(rlxc_stage_elements(c->s->ctx, group[0]), &length) && length >= MANY)
        return rlxc_decline(c->s, "%lld rows of %lld elements: one thread takes each",
                            (long long)length, (long long)longest);
    const int64_t most = c->s->target->device.threads;
    while (threads * 2 <= RLXC_BLOCK_THREADS && threads * 2 <= most && threads * 2 <= longest)
        threads *= 2;
    *(rlxc_team_sizes *)sizes = (rlxc_team_sizes){
        .blocks = n, .shared = shared, .threads = threads, .second = threads > 16 ? 16 : 0};
    return true;
}

typedef struct team {
    rlxc_schedule_steps *l;
    const rlxc_team_sizes *z;
    rlxc_step_ref rows[MAX_MERGED]; /* the loops over rows, one after the other */
    uint32_t n;
} team;

/* The loop over rows; a unit loop where there is one row. */
static rlxc_step_ref rows_of(team *t, rlxc_loops *loops)
{
    const uint32_t shared = (uint32_t)t->z->shared;
    if (shared == 0)
        return rlxc_step_unit_loop(t->l, loops->n ? loops->loops[0] : loops->block);
    rlxc_fuse_loops(t->l, loops, 0, shared);
    return loops->loops[0];
}

/* Gives |threads| the iterations of |loop|; returns the loop inside, of those of one thread. */
static void share_out(team *t, rlxc_step_ref loop)
{
    rlxc_step_ref parts[2];
    rlxc_step_split(t->l, loop, (const int64_t[]){0, t->z->threads}, 2, parts);
    rlxc_step_bind(t->l, parts[1], "threadIdx.x");
}

/* The rest of a reduction, by its rows and parts: the loop over the parts. */
static rlxc_step_ref open_parts(team *t, rlxc_step_ref block)
{
    const uint32_t shared = (uint32_t)t->z->shared;
    rlxc_loops loops = {.block = block, .n = shared + 1, .n_spatial = shared};
    rlxc_step_get_loops(t->l, block, loops.loops, loops.n);
    t->rows[t->n++] = rows_of(t, &loops);
    return loops.loops[loops.n - 1];
}

/* The reduction of |loop| into |parts| parts, a thread each, which sums on its own. */
static void reduce_parts(team *t, rlxc_step_ref loop, int64_t parts)
{
    rlxc_step_ref k[2];
    rlxc_step_split(t->l, loop, (const int64_t[]){0, parts}, 2, k);
    const rlxc_step_ref order[2] = {k[1], k[0]};
    rlxc_step_loops(t->l, RLXC_STEP_reorder, order, 2);
    const rlxc_step_ref part = rlxc_step_rfactor(t->l, k[1], 0);
    rlxc_step_reverse_compute_at(t->l, rlxc_step_cache_write(t->l, part), k[1]);
    (void)rlxc_step_decompose(t->l, part, k[0]);
    rlxc_step_bind(t->l, k[1], "threadIdx.x");
}

static void tree(team *t, rlxc_loops *loops)
{
    const uint32_t first = t->z->shared > 0; /* the first loop that is not the rows' */
    rlxc_fuse_loops(t->l, loops, first, loops->n - first);
    reduce_parts(t, loops->loops[first], t->z->threads);
    rlxc_step_ref parts = open_parts(t, loops->block);
    if (t->z->second) {
        reduce_parts(t, parts, t->z->second);
        parts = open_parts(t, loops->block);
    }
    const rlxc_step_ref one = rlxc_step_unit_loop(t->l, parts);
    rlxc_step_reverse_compute_at(t->l, rlxc_step_cache_write(t->l, loops->block), one);
    (void)rlxc_step_decompose(t->l, loops->block, parts);
    rlxc_step_bind(t->l, one, "threadIdx.x");
}

static void stage(team *t, const rlxc_stage *s, bool begins)
{
    const uint32_t shared = (uint32_t)t->z->shared;
    rlxc_loops loops = rlxc_open_loops(t->l, s, begins ? "team" : NULL);
    const uint32_t own = loops.n_spatial - shared, first = shared > 0;
    t->rows[t->n++] = rows_of(t, &loops);
    if (reduces_row(s, shared) && loops.n > first) {
        tree(t, &loops);
        return;
    }
    if (own == 0) { /* one element */
        const rlxc_step_ref at = loops.n > first ? loops.loops[first] : loops.block;
        rlxc_step_bind(t->l, rlxc_step_unit_loop(t->l, at), "threadIdx.x");
        return;
    }
    rlxc_fuse_loops(t->l, &loops, first, own);
    share_out(t, loops.loops[first]);
}

bool rlxc_apply_team(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    rlxc_context *ctx = c->s->ctx;
    const rlxc_stage *group[RLXC_ROWS_GROUP];
    uint32_t shared;
    team t = {.z = sizes};
    const uint32_t n = gather(c->s, i, (uint32_t)t.z->blocks, group, &shared);
    t.l = rlxc_steps_new(ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    for (uint32_t k = 0; k < n; k++)
        stage(&t, group[k], k == 0);
    const rlxc_step_ref rows = rlxc_step_loops(t.l, RLXC_STEP_merge, t.rows, t.n);
    rlxc_step_bind(t.l, rows, "blockIdx.x");
    c->steps = t.l;
    c->n_stages = n;
    return true;
}

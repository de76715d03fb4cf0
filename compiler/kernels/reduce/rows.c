/* Rule rows: neighbouring stages that share their leading axes run in one loop over them, so that a
 * row stays in cache from one stage to the next (softmax, layer_norm). A stage alone runs in this
 * way too.
 *
 * The rule decides on a list of loop steps: loops that every access treats as one are fused, so
 * that inner loops are long and contiguous; the loops over rows are merged, and parallel. Sums and
 * products of float32 and float64 may be reordered (annotation rlx.reassoc), which is what lets
 * LLVM vectorise them. Short rows of constant length are vectors, or loops that stay rolled: LLVM
 * would unroll them and gather over neighbouring rows. Conditions along the innermost loop
 * (borders, parts of a concatenation) get the hint by which lowering partitions it. */
#include "compiler/kernels/elementwise/single.h"
#include "compiler/kernels/nests.h"
#include "compiler/kernels/rules.h"

#include <inttypes.h>
#include <string.h>

enum {
    VECTOR_ELEMENTS = 32, /* enough for full vectors, or several of them */
    SHORT_ROW = 64,       /* elements */
    LONG_ROW = 96,        /* elements; LLVM does not fully unroll longer loops */
    FEWEST_LANES = 4,     /* of a vector that pays */
    GATHER_BYTES = 32,    /* LLVM gathers into vectors of so many bytes, and longer ones */
    ROW_MULTIPLE = 8,     /* divides rows that need few instructions besides full vectors */
    LINE_BITS = 512,      /* of a cache line, and of the longest registers */
    LINE_PIECE = 1024     /* elements of a single line that a thread takes at once */
};

/* --- groups ----------------------------------------------------------------------------------- */

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

uint32_t rlxc_rows_group(const rlxc_stages *s, uint32_t i, uint32_t most, const rlxc_stage **group,
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

/* True if the stage's value is an entry of a table of bytes at a number of 8 bits. */
static bool is_lookup(const rlxc_stage *s)
{
    const rlxc_expr *e = s->value;
    if (s->init || e->kind != RLXC_EXPR_LOAD || e->load.n != 1 || !rlxc_dtype_is_byte(e->dtype))
        return false;
    const rlxc_expr *index = e->load.indices[0];
    while (index->kind == RLXC_EXPR_CAST && index->dtype.bits > 8)
        index = index->bin.a;
    return index->dtype.code == RLX_UINT && index->dtype.bits == 8;
}

typedef struct row_search {
    rlxc_context *ctx;
    const rlxc_expr *innermost; /* axis */
    uint32_t entries;           /* limit of a palette; 0: there are none */
    bool palette;               /* takes elements from a palette */
    bool places;                /* reads at places that data gives */
    bool in_rows; /* all else that the vectors read lies in rows, or is the same for all lanes */
} row_search;

static bool look_at_load(void *user, const rlxc_expr *e)
{
    row_search *p = user;
    int64_t entries, step;
    if (rlxc_is_choice(e) && rlxc_expr_uses_var(p->ctx, e->call.args[0], p->innermost))
        p->in_rows = false; /* lanes that read nothing */
    if (e->kind != RLXC_EXPR_LOAD)
        return true;
    const rlxc_buffer *from = e->load.buffer;
    bool places = false;
    for (uint32_t k = 0; k < e->load.n; k++)
        places = places || rlxc_expr_loads(p->ctx, e->load.indices[k]);
    if (e->load.n == 1 && places && rlxc_is_palette_type(from->dtype) &&
        rlxc_is_int(from->shape[0], &entries) && entries <= p->entries) {
        p->palette = true;
        return true;
    }
    p->places = p->places || places;
    p->in_rows = p->in_rows &&
                 rlxc_access_stride(p->ctx, from, e->load.indices, p->innermost, &step) &&
                 (step == 0 || step == 1);
    return true;
}

static row_search look_at_loads(const rlxc_schedule *c, const rlxc_stage *s, uint32_t entries)
{
    row_search p = {.ctx = c->s->ctx, .entries = entries, .in_rows = true};
    if (s->init || s->n_axes == 0)
        return (row_search){0};
    p.innermost = s->vars[s->n_axes - 1];
    rlxc_expr_visit(c->s->ctx, s->value, look_at_load, &p);
    return p;
}

/* True if a row of |row| elements is best one vector, and not several of |lanes|. LLVM takes as
 * many registers as hold it, the last one in part: 12 lanes are one of 16, 40 are three. It stores
 * an odd number of short elements one by one, and odd rows of 64 bits take as long in shorter
 * vectors. Rows of fewer than 7 of 16 lanes waste too many. */
static bool is_one_vector(const rlxc_schedule *c, const rlxc_stage *s, int64_t row, int64_t lanes)
{
    const int64_t bits = s->out->dtype.bits, bytes = c->s->target->vector_bytes;
    const int64_t whole = bytes * 8 / (bits < 32 ? 32 : bits);
    return bytes >= GATHER_BYTES && (row + whole - 1) / whole < row / lanes &&
           16 * row >= 7 * whole && ((bits >= 32 && whole >= 8) || row % 2 == 0);
}

/* The lanes of vectors for short rows that no other axis continues (|apart|), or at places that
 * data gives; or 0. Otherwise LLVM unrolls such a row and vectorizes across neighbouring rows,
 * which takes a gather for each load. */
static int64_t lanes_of_short_rows(const rlxc_schedule *c, const rlxc_stage *s, bool apart)
{
    int64_t row, lanes = 1;
    const row_search p = look_at_loads(c, s, 0);
    const int64_t bits = s->out->dtype.bits;
    if (!p.in_rows || !rlxc_is_int(s->extents[s->n_axes - 1], &row) || row > SHORT_ROW ||
        bits < 8 || s->out->dtype.lanes != 1)
        return 0;
    const int64_t most = (int64_t)c->s->target->vector_bytes * 8 / bits;
    while (lanes < most && row % (2 * lanes) == 0)
        lanes *= 2;
    if (apart && is_one_vector(c, s, row, lanes))
        return row;
    return lanes >= FEWEST_LANES && (p.places || (apart && lanes >= most / 2)) ? lanes : 0;
}

/* --- sizes ------------------------------------------------------------------------------------ */

typedef struct fresh_search {
    const rlxc_stage *writer;
    uint32_t shared;
    bool found;
} fresh_search;

/* Looks for a load of what |writer| stores whose position in the row is computed instead of an
   axis. */
static bool look_for_fresh(void *user, const rlxc_expr *e)
{
    fresh_search *f = user;
    if (e->kind == RLXC_EXPR_LOAD && e->load.buffer == f->writer->out)
        for (uint32_t k = f->shared; k < e->load.n; k++)
            f->found = f->found || e->load.indices[k]->kind != RLXC_EXPR_VAR;
    return !f->found;
}

/* True if |b| from dimension |first| on is known not to fit in |bytes|. */
static bool exceeds(const rlxc_buffer *b, uint32_t first, int64_t bytes)
{
    int64_t all = (int64_t)rlx_dtype_size(b->dtype), extent;
    for (uint32_t k = first; k < b->ndim; k++)
        if (!rlxc_is_int(b->shape[k], &extent))
            return false;
        else if (__builtin_mul_overflow(all, extent, &all))
            return true;
    return all > bytes;
}

/* True if a stage reads windows of a row just after another has stored it. A load that begins
 * within a store waits until that store has left the processor's queue, so each stage runs over all
 * rows of an image, unless these surely leave the second-level cache. */
static bool reads_fresh_windows(const rlxc_schedule *c, const rlxc_stage *const *group, uint32_t n,
                                uint32_t shared)
{
    bool found = false;
    if (shared < 2 || is_constant_one(group[0], shared - 1))
        return false;
    for (uint32_t w = 0; w < n; w++) {
        fresh_search f = {group[w], shared, false};
        for (uint32_t r = w + 1; r < n; r++)
            rlxc_expr_visit(c->s->ctx, group[r]->value, look_for_fresh, &f);
        if (f.found && exceeds(group[w]->out, shared - 1, c->s->target->cache_bytes[1] / 2))
            return false;
        found = found || f.found;
    }
    return found;
}

/* The axes that a group shares if it begins with a stage of one element for each row of the others,
 * such as where samples are: fewer, so that these elements are vectors, too. */
static uint32_t share_vectors(const rlxc_stage *const *group, uint32_t n, uint32_t shared)
{
    int64_t elements = 1, extent;
    const rlxc_stage *first = group[0], *last = group[n - 1];
    if (first->init || first->n_axes != shared || last->n_axes == shared)
        return shared;
    while (shared > 1 && elements < VECTOR_ELEMENTS && !is_constant_one(first, shared - 1)) {
        shared--;
        if (!rlxc_is_int(first->extents[shared], &extent) ||
            __builtin_mul_overflow(elements, extent, &elements))
            break;
    }
    return shared;
}

bool rlxc_decide_rows(rlxc_schedule *c, uint32_t i, void *sizes)
{
    const rlxc_stage *group[RLXC_ROWS_GROUP];
    uint32_t shared;
    const uint32_t n = rlxc_rows_group(c->s, i, RLXC_ROWS_GROUP, group, &shared);
    rlxc_rows_sizes z = {.blocks = n, .shared = shared, .unroll = RLXC_UNROLLED_REDUCTION};
    bool apart = n > 1 && group[n - 1]->n_axes == shared + 1;
    if (n == 1) {
        rlxc_schedule unused = {.s = c->s};
        rlxc_stage own = *group[0];
        rlxc_merge_axes(&unused, &own, 1, 0, own.n_axes, NULL);
        if (own.n_axes == 0 || own.reduces[0])
            return rlxc_decline(c->s, "%s has one element", own.out->name);
        if (!rlxc_chooses(c->s->ctx, &own) &&
            rlxc_block_transposition(c->s->ctx, &own, RLXC_TRANSPOSED_BLOCK))
            return rlxc_decline(c->s, "%s is transposed, in blocks", own.out->name);
        z.fuse = rlxc_has_long_rows(&own);
        apart = own.n_axes > 1 &&
                own.extents[own.n_axes - 1] == group[0]->extents[group[0]->n_axes - 1];
        z.lanes = is_lookup(group[0]) ? rlxc_target_lookup_lanes(c->s->target) : 0;
        const uint32_t most = rlxc_target_palette_entries(c->s->target);
        const row_search p = look_at_loads(c, group[0], most);
        if (!z.lanes && p.palette && p.in_rows)
            z.lanes = rlxc_target_palette_lanes(c->s->target);
    }
    if (!z.lanes)
        z.lanes = lanes_of_short_rows(c, group[n - 1], apart);
    if (n > 1)
        z.shared =
            reads_fresh_windows(c, group, n, shared) ? shared - 1 : share_vectors(group, n, shared);
    z.threads = !rlxc_is_small_work(group[0], n); /* neighbours in the list of stages */
    *(rlxc_rows_sizes *)sizes = z;
    return true;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* True if |s| reduces a contiguous row in vectors, and nothing else in the group of |n| stages,
 * which share |shared| axes, loops over a row. If such a loop is unrolled, LLVM makes vectors of
 * neighbouring rows, with a gather for each element. */
static bool reduces_vectors(const rlxc_schedule *c, const rlxc_stage *const *group, uint32_t n,
                            uint32_t shared, const rlxc_stage *s)
{
    const rlxc_expr *last = s->vars[s->n_axes - 1], *extent = s->extents[s->n_axes - 1];
    const int64_t bytes = c->s->target->vector_bytes, lanes = bytes * 8 / s->out->dtype.bits;
    int64_t row;
    for (uint32_t i = 0; i < n && n > 1; i++)
        if (group[i] == s ? s->n_axes != shared + 1 : group[i]->n_axes != shared)
            return false;
    row_search p = {.ctx = c->s->ctx, .innermost = last, .in_rows = true};
    rlxc_expr_visit(c->s->ctx, s->value, look_at_load, &p);
    if (!p.in_rows || !s->reduces[s->n_axes - 1] || !rlxc_is_int(extent, &row) ||
        bytes < GATHER_BYTES || row > LONG_ROW)
        return false;
    return (row >= lanes && row % ROW_MULTIPLE == 0) || row * s->out->dtype.bits > LINE_BITS ||
           (bytes * 8 == LINE_BITS && 2 * row > lanes);
}

/* A sum gets initial values of its own; a result that stays in memory is summed elsewhere. */
static void open_sum(rlxc_schedule_steps *l, rlxc_loops *t, const rlxc_stage *s, bool is_own,
                     int64_t unroll, bool rolled)
{
    const bool unrolled = !rolled && rlxc_is_small_reduction(s, unroll);
    if (!is_own)
        rlxc_step_reverse_compute_at(l, rlxc_step_cache_write(l, t->block),
                                     t->loops[t->n_spatial - 1]);
    rlxc_step_decompose(l, t->block, t->loops[t->n_spatial]);
    for (uint32_t k = t->n_spatial; k < t->n; k++) {
        if (unrolled)
            rlxc_step_mark(l, RLXC_STEP_unroll, t->loops[k]);
        if (rolled)
            rlxc_step_annotate(l, t->loops[k], "rlx.rolled", rlxc_attr_int(1));
        rlxc_step_annotate(l, t->loops[k], "rlx.reassoc", rlxc_attr_int(1));
    }
}

/* Lowering is to partition the innermost loop of a stage that chooses between values. Short sums of
 * such values, as of windows over a border, are partitioned along all axes of their own. */
static void hint_borders(const rlxc_schedule *c, rlxc_schedule_steps *l, const rlxc_loops *t,
                         const rlxc_stage *s, uint32_t head, int64_t unroll)
{
    if (!rlxc_chooses(c->s->ctx, s) || (s->init && !rlxc_is_small_reduction(s, unroll)))
        return;
    const uint32_t end = t->n_spatial, first = s->init ? head : end - 1;
    for (uint32_t k = first < head ? head : first; k < end; k++)
        rlxc_step_annotate(l, t->loops[k], RLXC_PARTITION_HINT, rlxc_attr_int(1));
}

/* A line whose elements choose between values is cut into pieces: threads share out the pieces, and
 * lowering partitions each one. */
static void cut_line(const rlxc_schedule *c, rlxc_schedule_steps *l, rlxc_loops *t,
                     const rlxc_stage *s)
{
    int64_t size;
    if (t->n != 1 || s->init || !rlxc_chooses(c->s->ctx, s) ||
        (rlxc_is_int(s->extents[s->n_axes - 1], &size) && size <= LINE_PIECE))
        return;
    rlxc_step_split(l, t->loops[0], (const int64_t[]){0, LINE_PIECE}, 2, t->loops);
    t->n = t->n_spatial = 2;
}

/* True if |s| computes rows of the same length as |last|, in vectors. */
static bool is_alike(const rlxc_schedule *c, const rlxc_stage *s, const rlxc_stage *last)
{
    return s->n_axes == last->n_axes &&
           s->extents[s->n_axes - 1] == last->extents[last->n_axes - 1] &&
           look_at_loads(c, s, 0).in_rows;
}

bool rlxc_apply_rows(rlxc_schedule *c, uint32_t i, const void *sizes)
{
    const rlxc_rows_sizes *z = sizes;
    const rlxc_stage *group[RLXC_ROWS_GROUP];
    rlxc_schedule_steps *l =
        rlxc_steps_new(c->s->ctx, c->s->f->name ? c->s->f->name : "", c->s->f->range);
    rlxc_loops nests[RLXC_ROWS_GROUP];
    rlxc_step_ref rows[RLXC_ROWS_GROUP];
    uint32_t shared, head = 0;
    const uint32_t n = rlxc_rows_group(c->s, i, (uint32_t)z->blocks, group, &shared);
    for (uint32_t k = 0; k < n; k++) {
        rlxc_loops *t = &nests[k];
        const rlxc_stage *s = group[k];
        *t = rlxc_open_loops(l, s, k == 0 ? "rows" : NULL);
        head = rlxc_fuse_alike(l, t, group, n, 0, (uint32_t)z->shared, 0);
        rlxc_fuse_alike(l, t, &s, 1, (uint32_t)z->shared, s->n_axes, head);
        if (z->fuse)
            rlxc_fuse_loops(l, t, 0, 2);
        if (s->init)
            open_sum(l, t, s,
                     n > 1 && rlxc_stage_is_temp(c->s, s->out) && s->out->ndim == z->shared,
                     z->unroll, reduces_vectors(c, group, n, (uint32_t)z->shared, s));
    }
    for (uint32_t a = 0; a < head; a++) {
        for (uint32_t k = 0; k < n; k++)
            rows[k] = nests[k].loops[a];
        rows[0] = rlxc_step_loops(l, RLXC_STEP_merge, rows, n);
        if (a == 0)
            nests[0].loops[0] = rows[0];
    }
    if (n == 1 && head == 0 && !z->lanes)
        cut_line(c, l, &nests[0], group[0]);
    for (uint32_t k = 0; k < n && z->lanes; k++) {
        rlxc_step_ref halves[2];
        rlxc_loops *t = &nests[k];
        if (k + 1 < n && !is_alike(c, group[k], group[n - 1]))
            continue;
        rlxc_step_split(l, t->loops[t->n - 1], (const int64_t[]){0, z->lanes}, 2, halves);
        rlxc_step_mark(l, RLXC_STEP_vectorize, halves[1]);
        t->loops[t->n - 1] = halves[0];
    }
    if (z->threads)
        rlxc_step_mark(l, RLXC_STEP_parallel, nests[0].loops[0]);
    for (uint32_t k = 0; k < n; k++)
        hint_borders(c, l, &nests[k], group[k], head ? head : 1, z->unroll);
    c->steps = l;
    c->n_stages = n;
    return true;
}

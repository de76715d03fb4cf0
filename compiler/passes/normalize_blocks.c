/* Pass normalize_blocks: undoes the schedules of other tools in PrimFuncs.
 *
 *   for i, j0, j1 in T.grid(32, 48, 16):          for i, j in T.grid(32, 768):
 *       with T.block("B"):                            with T.block("B"):
 *           vi = T.axis.spatial(32, i)                    vi, vj = T.axis.remap("SS", [i, j])
 *           vj = T.axis.spatial(768, j0 * 16 + j1)        ...
 *
 * Loops that were split, fused and reordered become the axes of their block; loops around several
 * blocks become one nest for each; the initialisation of a reduction becomes part of it; copies
 * into temporaries and out of them are removed; expressions and loops get one spelling. The rules
 * of the schedule then see the plain form. A statement whose rewriting is not proved equal stays as
 * written (compiler/schedule/normal.h). */
#include <string.h>

#include "compiler/ir/operation.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/normal_attention.h"

/* --- copies ----------------------------------------------------------------------------------- */

typedef struct copy {
    rlxc_normal *s;
    const rlxc_stmt *realize; /* of the block that copies */
    const rlxc_buffer *from, *to;
    bool moves;
} copy;

static bool find_copy(void *user, const rlxc_stmt *s)
{
    copy *c = user;
    if (c->realize || s->kind != RLXC_STMT_BLOCK || s->block.block->n_axes == 0 ||
        s->block.block->body->kind != RLXC_STMT_STORE)
        return !c->realize;
    const rlxc_buffer *to = s->block.block->body->store.buffer;
    if (rlxc_temp_writers(&c->s->temps, to) != 1)
        return true;
    const rlxc_buffer *from = rlxc_copied(c->s->ctx, s->block.block);
    if (from && (c->moves || rlxc_temp_writers(&c->s->temps, from) == 0 ||
                 strcmp(from->scope, "global") == 0)) {
        c->realize = s;
        c->from = from;
        c->to = to;
    }
    return !c->realize;
}

/* Removes the copy, and loops that are now empty. */
static const rlxc_stmt *without_copy(void *user, const rlxc_stmt *s)
{
    const copy *c = user;
    if (s->kind == RLXC_STMT_BLOCK && s->block.block->body->kind == RLXC_STMT_STORE &&
        s->block.block->body->store.buffer == c->to)
        return rlxc_stmt_nothing(c->s->ctx);
    return s->kind == RLXC_STMT_FOR && rlxc_stmt_is_nothing(s->loop.body)
               ? rlxc_stmt_nothing(c->s->ctx)
               : NULL;
}

/* True if |c|'s source is complete before its statement, |at|, and does not change later. */
static bool source_stays(const copy *c, uint32_t at)
{
    for (uint32_t i = 0; i < c->s->n; i++) {
        const rlxc_buffer_use from = rlxc_use_of(c->s->ctx, c->s->stmts[i], c->from);
        const rlxc_buffer_use to = rlxc_use_of(c->s->ctx, c->s->stmts[i], c->to);
        if (rlxc_is_opaque(&from) || rlxc_is_opaque(&to) || (from.stores && i >= at) ||
            (to.loads && i < at) || to.stores > 1)
            return false;
    }
    return true;
}

static bool inline_copy(rlxc_normal *s, uint32_t at, bool moves)
{
    copy c = {.s = s, .moves = moves};
    rlxc_stmt_visit(s->stmts[at], find_copy, &c);
    if (!c.realize || !source_stays(&c, at))
        return false;
    const rlxc_stmt_rewriter rewriter = {.user = &c, .stmt = without_copy};
    s->stmts[at] = rlxc_stmt_rewrite(s->ctx, s->stmts[at], &rewriter);
    for (uint32_t i = at; i < s->n; i++)
        s->stmts[i] = rlxc_with_buffer(s->ctx, s->stmts[i], c.to, c.from, false);
    rlxc_normal_drop_temp(s, c.to);
    return true;
}

/* |moves|: also copies of temporaries that nothing else reads; in the first round those may become
 * their destination instead. */
static void inline_copies(rlxc_normal *s, bool moves)
{
    rlxc_normal_count_writers(s);
    for (uint32_t i = 0; i < s->n && !rlxc_failed(s->ctx); i++)
        while (inline_copy(s, i, moves)) {
        }
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* True if a temporary has another layout now. */
static bool plain_layouts(rlxc_normal *s)
{
    bool changed = false;
    rlxc_buffer **own = rlxc_try_alloc(s->ctx, s->temps.n, sizeof *own);
    for (uint32_t t = 0; t < s->temps.n && own; t++) {
        bool fixed = false;
        for (uint32_t i = 0; i < s->n && !fixed; i++) {
            const rlxc_buffer_use u = rlxc_use_of(s->ctx, s->stmts[i], s->temps.items[t]);
            fixed = rlxc_is_opaque(&u) || u.vectors;
        }
        own[t] = fixed ? s->temps.items[t]
                       : rlxc_plain_layout(s->ctx, s->stmts, s->n, s->temps.items[t]);
        changed = changed || own[t] != s->temps.items[t];
    }
    s->changed = s->changed || changed;
    if (own)
        s->temps.items = own;
    for (uint32_t i = 0; i < s->n; i++) /* dimensions may be split over a loop now */
        s->stmts[i] = rlxc_cut_loops(s->ctx, s->stmts[i], false);
    return changed;
}

/* --- attention -------------------------------------------------------------------------------- */

/* Attention in any spelling becomes the blocks that legalization makes. */
static void rewrite_attention(rlxc_normal *s)
{
    rlxc_nests nests = {0};
    rlxc_normal_count_writers(s);
    for (uint32_t i = 0; i < s->n; i++)
        if (!rlxc_distribute(s->ctx, s->stmts[i], &s->temps, &nests) || nests.count != i + 1)
            return;
    rlxc_attention_form form;
    if (!rlxc_read_attention(s->ctx, nests.items, nests.count, &s->temps, &form))
        return;
    rlxc_stmts stmts = {0};
    rlxc_buffers temps = {0};
    rlxc_write_attention(s->ctx, &form, &stmts, &temps);
    if (rlxc_failed(s->ctx))
        return;
    s->stmts = stmts.items;
    s->n = stmts.count;
    s->temps.items = temps.items;
    s->temps.n = temps.count;
    s->changed = true;
}

/* --- functions -------------------------------------------------------------------------------- */

enum { MOST_QUESTIONS = 1 << 14 }; /* statements times temporaries */

static bool begin(rlxc_normal *s)
{
    const rlxc_stmt *body = s->f->body;
    if (body->kind == RLXC_STMT_BLOCK && body->block.block->n_axes == 0) {
        s->root = body->block.block;
        if (s->root->n_matches || s->root->init || body->block.predicate)
            return false;
        body = s->root->body;
        s->temps.items = s->root->allocs;
        s->temps.n = s->root->n_allocs;
    }
    rlxc_buffers temps = {0};
    for (uint32_t i = 0; i < s->temps.n; i++)
        RLXC_PUSH(s->ctx, &temps, s->temps.items[i]);
    if (body->kind == RLXC_STMT_SEQ)
        body = rlxc_seq_without_allocs(s->ctx, body, body, &temps);
    s->temps.items = temps.items;
    s->temps.n = temps.count;
    s->n = body->kind == RLXC_STMT_SEQ ? body->seq.n : 1;
    s->stmts = rlxc_try_alloc(s->ctx, s->n, sizeof *s->stmts);
    s->temps.writers = rlxc_try_alloc(s->ctx, s->temps.n, sizeof *s->temps.writers);
    if (!s->stmts || !s->temps.writers || s->n == 0 ||
        (uint64_t)s->n * (s->n + s->temps.n) > MOST_QUESTIONS)
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        s->stmts[i] = body->kind == RLXC_STMT_SEQ ? body->seq.items[i] : body;
        const rlxc_stmt_kind kind = s->stmts[i]->kind;
        if (kind != RLXC_STMT_FOR && kind != RLXC_STMT_BLOCK && kind != RLXC_STMT_STORE)
            return false; /* lets and allocations: names stay in their scope */
    }
    return true;
}

enum { MOST_ROUNDS = 4 };

typedef struct way {
    bool join;   /* loops that were split are joined first */
    bool cut;    /* loops that were fused are cut then, not only where that is all they need */
    bool divide; /* as for rlxc_without_views */
} way;

/* The statements of the function's body that compute something. */
static uint32_t count_work(const rlxc_stmt *body)
{
    uint32_t n = 0;
    if (body->kind == RLXC_STMT_BLOCK)
        body = body->block.block->body;
    for (uint32_t i = 0; body->kind == RLXC_STMT_SEQ && i < body->seq.n; i++)
        n += body->seq.items[i]->kind != RLXC_STMT_DECL_BUFFER &&
             body->seq.items[i]->kind != RLXC_STMT_ALLOCATE;
    return body->kind == RLXC_STMT_SEQ ? n : 1;
}

/* The stores that |s| makes, as far as its loops have numbers for extents. */
static double count_stores(const rlxc_stmt *s)
{
    int64_t extent;
    double n = s->kind == RLXC_STMT_STORE;
    if (s->kind == RLXC_STMT_FOR)
        n = count_stores(s->loop.body) *
            (rlxc_is_int(s->loop.extent, &extent) && extent > 0 ? (double)extent : 1);
    else if (s->kind == RLXC_STMT_BLOCK)
        n = count_stores(s->block.block->body);
    else if (s->kind == RLXC_STMT_IF)
        n = count_stores(s->if_.then) + (s->if_.otherwise ? count_stores(s->if_.otherwise) : 0);
    for (uint32_t i = 0; s->kind == RLXC_STMT_SEQ && i < s->seq.n; i++)
        n += count_stores(s->seq.items[i]);
    return n;
}

/* What a way leads to. */
typedef struct outcome {
    const rlxc_stmt *body;
    bool more;          /* divisions of sums than were written */
    uint32_t odd;       /* statements in another form */
    uint32_t borders;   /* divisions of sums in what fills borders */
    uint32_t divisions; /* of sums, and of digits of loops */
    double stores;
} outcome;

/* Normalises |f|; the caller looks at what f->body became. */
static outcome normalize(rlxc_context *ctx, rlxc_prim_func *f, way w)
{
    rlxc_normal s = {.ctx = ctx, .f = f};
    const rlxc_stmt *const written = f->body;
    f->body = rlxc_wide_indices(ctx, written, false);
    if (w.join) /* loops over lanes have the indices of vectors, which were left as they were */
        f->body = rlxc_wide_indices(ctx, rlxc_join_loops(ctx, f->body), false);
    for (int round = 0; w.cut && round < MOST_ROUNDS; round++) { /* digits may be split again */
        const rlxc_stmt *cut = rlxc_cut_loops(ctx, f->body, true);
        if (cut == f->body)
            break;
        f->body = rlxc_join_loops(ctx, rlxc_wide_indices(ctx, cut, false));
    }
    s.changed = f->body != written;
    rlxc_without_views(ctx, f, w.divide);
    const rlxc_stmt *plain = rlxc_plain_loops(ctx, f->body);
    f->body = rlxc_cut_loops(ctx, plain, false);
    s.changed = s.changed || f->body != plain;
    f->body = rlxc_wide_indices(ctx, f->body, true);
    if (!begin(&s)) {
        f->body = written;
        rlxc_without_views(ctx, f, w.divide);
        return (outcome){.odd = count_work(f->body)};
    }
    rlxc_normal_count_writers(&s);
    for (uint32_t i = 0; i < s.n && !rlxc_failed(ctx); i++)
        rlxc_normal_place_locals(&s, i);
    plain_layouts(&s);
    inline_copies(&s, false);
    rlxc_normal_remake(&s);
    if (plain_layouts(&s)) {
        inline_copies(&s, false);
        rlxc_normal_remake(&s);
    }
    inline_copies(&s, true);
    rewrite_attention(&s);
    if (!s.changed || rlxc_failed(ctx)) {
        f->body = written;
        rlxc_without_views(ctx, f, w.divide);
        return (outcome){.odd = s.odd};
    }
    static const rlxc_block no_root = {.name = "root"}; /* plain loops have none */
    rlxc_block *root = rlxc_copy(ctx, s.root ? s.root : &no_root, sizeof *root);
    root->name = rlxc_intern_cstr(ctx, root->name);
    root->allocs = s.temps.items;
    root->n_allocs = s.temps.n;
    rlxc_forget_regions(root);
    root->body = rlxc_stmt_seq(ctx, s.stmts, s.n);
    f->body = rlxc_stmt_block(ctx, root, NULL, NULL);
    return (outcome){.odd = s.odd, .borders = s.border_divisions};
}

static bool is_better(const outcome *a, const outcome *b)
{
    return a->more != b->more             ? b->more
           : a->odd != b->odd             ? a->odd < b->odd
           : a->divisions != b->divisions ? a->divisions < b->divisions
                                          : a->stores < b->stores;
}

/* Normalises |f| in the way that leaves the fewest statements in another form, then the fewest
 * divisions, then the fewest stores; more divisions of sums than were written only if there is no
 * other way. */
static void normalize_func(rlxc_context *ctx, rlxc_prim_func *f)
{
    static const way ways[] = {
        {true, false, false}, {false, false, false}, {true, false, true}, {true, true, true}};
    f->body = rlxc_join_parts(ctx, rlxc_plain_exprs(ctx, f->body));
    const rlxc_stmt *const written = f->body;
    const uint32_t most = rlxc_count_divisions(ctx, written, false);
    outcome best = {.body = NULL};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        f->body = written;
        outcome own = normalize(ctx, f, ways[i]);
        own.body = f->body;
        own.more = rlxc_count_divisions(ctx, f->body, false) > most + own.borders;
        own.divisions = rlxc_count_divisions(ctx, f->body, true);
        own.stores = count_stores(f->body);
        if (!best.body || is_better(&own, &best))
            best = own;
        if (!best.more && best.odd + best.divisions == 0)
            break;
    }
    f->body = best.body;
}

bool rlxc_pass_normalize_blocks(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim) {
            rlxc_prim_func *f = module->globals.items[i]->prim;
            if (!rlxc_has_threads(f->body)) /* else the loops are as they are meant */
                normalize_func(ctx, f);
            f->body = rlxc_tag_blocks(ctx, f->body);
        }
    return !rlxc_failed(ctx);
}

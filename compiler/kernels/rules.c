/* Passes schedule.NAME: each rule of rules.def goes over the stages of every PrimFunc and replaces
 * those of its pattern by loops; pass schedule, behind them, makes one sequence of what they left.
 *
 * Between two rules a function is TIR as any: what a rule made is a block of its name (with blocks
 * inside for its parts: pack, sum, epilogue; all of them only name their statements), the stages
 * that no rule has taken are as they were written, or as inlining left them. So each rule reads the
 * function anew, and its text can be printed, and parsed, after each. Functions of another form
 * (opaque blocks, explicit loops, lets) stay as they were written. */
#include "compiler/kernels/rules.h"

typedef struct rule {
    const char *name, *pattern;
    bool (*apply)(rlxc_schedule *c, uint32_t i);
} rule;

static bool fits(const rlxc_stages *s, uint32_t i, const char *pattern)
{
    for (; *pattern; pattern++, i++) {
        if (i >= s->n || !s->items[i].simple || s->items[i].done || s->items[i].removed)
            return false;
        if (*pattern != '.' && (*pattern == 'r') != (s->items[i].init != NULL))
            return false;
    }
    return true;
}

/* The stage's loops and block around the expressions that it has now. */
static const rlxc_stmt *restated(rlxc_context *ctx, const rlxc_stage *s)
{
    const rlxc_stmt *loops[RLXC_STAGE_AXES], *at = s->stmt;
    uint32_t n = 0;
    for (; at->kind == RLXC_STMT_FOR; at = at->loop.body)
        loops[n++] = at;
    rlxc_block *block = rlxc_copy(ctx, at->block.block, sizeof *block);
    block->has_reads = false;
    block->n_reads = 0;
    block->body = rlxc_stmt_store(ctx, s->out, s->indices, s->out->ndim, s->value);
    if (s->init)
        block->init = rlxc_stmt_store(ctx, s->out, s->indices, s->out->ndim, s->init);
    const rlxc_stmt *body = rlxc_stmt_block(ctx, block, at->block.values, at->block.predicate);
    while (n-- > 0) {
        rlxc_stmt *loop = rlxc_copy(ctx, loops[n], sizeof *loop);
        loop->loop.body = body;
        body = loop;
    }
    return body;
}

static void set_body(rlxc_context *ctx, rlxc_prim_func *f, const rlxc_stages *s,
                     const rlxc_stmt *body)
{
    if (s->root) {
        rlxc_block *root = rlxc_copy(ctx, s->root, sizeof *root);
        root->allocs = s->temps.items;
        root->n_allocs = s->temps.count;
        root->has_reads = root->has_writes = false;
        root->n_reads = root->n_writes = 0;
        root->body = body;
        body = rlxc_stmt_block(ctx, root, NULL, NULL);
    }
    if (!rlxc_failed(ctx))
        f->body = body;
}

static void apply(rlxc_context *ctx, const rlxc_options *options, rlxc_prim_func *f, const rule *r)
{
    rlxc_stages s;
    if (!rlxc_stages_of(ctx, options, f, &s))
        return;
    const rlxc_stmt **stmts = rlxc_try_alloc(ctx, s.n, sizeof *stmts);
    bool any = false;
    for (uint32_t i = 0; i < s.n && stmts && !rlxc_failed(ctx); i++) {
        rlxc_schedule c = {.s = &s};
        if (!fits(&s, i, r->pattern) || !r->apply(&c, i))
            continue;
        any = true;
        for (uint32_t k = 0; r->pattern[k]; k++)
            s.items[i + k].done = true;
        stmts[i] = c.out.count ? rlxc_part(ctx, r->name, rlxc_body_of(&c)) : NULL;
    }
    if (!any || rlxc_failed(ctx))
        return;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s.n; i++) {
        const rlxc_stage *stage = &s.items[i];
        const rlxc_stmt *now = stage->removed   ? NULL
                               : stage->done    ? stmts[i]
                               : stage->changed ? restated(ctx, stage)
                                                : stage->stmt;
        if (now)
            stmts[n++] = now;
    }
    set_body(ctx, f, &s, rlxc_stmt_seq(ctx, stmts, n));
}

static bool apply_to_all(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                         const rule *r)
{
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim)
            apply(ctx, options, module->globals.items[i]->prim, r);
    return !rlxc_failed(ctx);
}

#define RLXC_RULE(name, pattern, doc)                                         \
    bool rlxc_pass_schedule_##name(rlxc_context *ctx, rlxc_module *module,    \
                                   const rlxc_options *options)               \
    {                                                                         \
        return apply_to_all(ctx, module, options,                             \
                            &(const rule){#name, pattern, rlxc_rule_##name}); \
    }
#include "compiler/kernels/rules.def"
#undef RLXC_RULE

/* --- afterwards ------------------------------------------------------------------------------- */

/* A block that only names its statements. */
static bool only_names(const rlxc_stmt *s)
{
    if (s->kind != RLXC_STMT_BLOCK || s->block.predicate)
        return false;
    const rlxc_block *b = s->block.block;
    return b->n_axes == 0 && !b->has_reads && !b->has_writes && b->n_allocs == 0 &&
           b->n_matches == 0 && b->annotations.count == 0 && !b->init;
}

static const rlxc_stmt *without_name(void *user, const rlxc_stmt *s)
{
    (void)user;
    return only_names(s) ? s->block.block->body : NULL;
}

static void join_blocks(rlxc_context *ctx, rlxc_prim_func *f)
{
    static const rlxc_stmt_rewriter rewriter = {.stmt = without_name};
    if (f->body->kind != RLXC_STMT_BLOCK)
        return;
    const rlxc_block *old = f->body->block.block;
    const rlxc_stmt *body = rlxc_stmt_rewrite(ctx, old->body, &rewriter);
    if (body == old->body || rlxc_failed(ctx))
        return;
    rlxc_block *root = rlxc_copy(ctx, old, sizeof *root);
    root->body = body;
    f->body = rlxc_stmt_block(ctx, root, f->body->block.values, f->body->block.predicate);
}

bool rlxc_pass_schedule(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim)
            join_blocks(ctx, module->globals.items[i]->prim);
    return !rlxc_failed(ctx);
}

bool rlxc_schedule_module(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
#define RLXC_RULE(name, pattern, doc) rlxc_pass_schedule_##name(ctx, module, options) &&
    return
#include "compiler/kernels/rules.def"
#undef RLXC_RULE
        rlxc_pass_schedule(ctx, module, options);
}

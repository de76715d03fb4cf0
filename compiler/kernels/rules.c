/* Passes schedule.NAME: each rule of rules.def goes over the stages of every PrimFunc and replaces
 * those of its pattern by loops; pass schedule, behind them, makes one sequence of what they left.
 *
 * Between two rules a function is TIR as any: what a rule made is a block of its name (with blocks
 * inside for its parts: pack, sum, epilogue; all of them only name their statements), the stages
 * that no rule has taken are as they were written, or as inlining left them. So each rule reads the
 * function anew, and its text can be printed, and parsed, after each. Functions of another form
 * (opaque blocks, explicit loops, lets) stay as they were written. */
#include "compiler/kernels/rules.h"

#include <string.h>

#define FIRST_RULE "attention"

typedef struct rule {
    const char *name, *pattern;
    bool (*apply)(rlxc_schedule *c, uint32_t i);
} rule;

static bool is_open(const rlxc_stage *s)
{
    return s->simple && !s->done && !s->removed;
}

static bool fits(const rlxc_stages *s, uint32_t i, const char *pattern)
{
    const uint32_t length = (uint32_t)strlen(pattern);
    for (uint32_t k = 0; k < length; k++) {
        if (i + k >= s->n)
            return rlxc_decline(s, "needs %u blocks in a row, here are %u", length, s->n - i);
        const rlxc_stage *at = &s->items[i + k];
        if (!is_open(at))
            return rlxc_decline(s, "needs %u blocks in a row, number %u is not free", length,
                                k + 1);
        if (pattern[k] == '.' || (pattern[k] == 'r') == (at->init != NULL))
            continue;
        if (length == 1)
            return rlxc_decline(s, "%s", at->init ? "is a reduction" : "is no reduction");
        return rlxc_decline(s, "needs %u blocks in a row, number %u (%s) %s", length, k + 1,
                            at->out->name, at->init ? "is a reduction" : "is no reduction");
    }
    return true;
}

/* --- explanations ------------------------------------------------------------------------------
 */

static rlxc_explained *entry_of(const rlxc_stages *s, uint32_t i)
{
    const rlxc_stage *stage = &s->items[i];
    return rlxc_explain_block(s->options->explain, s->f, stage->stmt, stage->out);
}

/* What the rule did with the stages: |before| are their states before it was asked about |i|. */
static void explain(const rlxc_stages *s, uint32_t i, const rule *r, bool taken,
                    const rlxc_stage *before)
{
    rlxc_explain *e = s->options->explain;
    rlxc_context *ctx = s->ctx;
    rlxc_explained *b = entry_of(s, i);
    if (!b)
        return;
    if (!taken) {
        RLXC_PUSH(ctx, &b->reasons, rlxc_internf(ctx, "%s: %s", r->name, e->why ? e->why : "no"));
        return;
    }
    const char *name = b->name;
    b->taken = rlxc_internf(ctx, "taken by rule %s", r->name);
    for (uint32_t k = 0; k < s->n; k++) {
        const rlxc_stage *now = &s->items[k];
        const bool pattern = k > i && k < i + strlen(r->pattern);
        if (k == i ||
            (!pattern && now->done == before[k].done && now->removed == before[k].removed))
            continue;
        if ((b = entry_of(s, k)))
            b->taken = rlxc_internf(ctx, "taken by rule %s, with block %s", r->name, name);
    }
}

/* What no rule is asked about; once, before the first of them. */
static void explain_odd(const rlxc_stages *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        rlxc_explained *b = entry_of(s, i);
        if (b && !s->items[i].simple)
            b->taken = rlxc_internf(s->ctx, "as written: %s", s->items[i].odd);
    }
}

static bool asked(rlxc_schedule *c, uint32_t i, const rule *r)
{
    rlxc_explain *e = c->s->options->explain;
    if (!e || !is_open(&c->s->items[i]))
        return fits(c->s, i, r->pattern) && r->apply(c, i);
    const rlxc_stage *before = rlxc_copy(c->s->ctx, c->s->items, c->s->n * sizeof *before);
    e->asking = true;
    e->why = NULL;
    const bool taken = fits(c->s, i, r->pattern) && r->apply(c, i);
    e->asking = false;
    if (!rlxc_failed(c->s->ctx))
        explain(c->s, i, r, taken, before);
    return taken;
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
    const bool first = options->explain && strcmp(r->name, FIRST_RULE) == 0;
    if (!rlxc_stages_of(ctx, options, f, &s)) {
        if (first)
            rlxc_explain_function(options->explain, f);
        return;
    }
    if (first)
        explain_odd(&s);
    const rlxc_stmt **stmts = rlxc_try_alloc(ctx, s.n, sizeof *stmts);
    bool any = false;
    for (uint32_t i = 0; i < s.n && stmts && !rlxc_failed(ctx); i++) {
        rlxc_schedule c = {.s = &s};
        if (!asked(&c, i, r))
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

/* Passes schedule.NAME: each rule of rules.def goes over the stages of every PrimFunc and replaces
 * those of its pattern by loops; pass schedule, after them, joins the results into one sequence.
 *
 * Between two rules a function is ordinary TIR: the result of a rule is a block with its name
 * (inner blocks name its parts: pack, sum, epilogue; they have no other meaning), and stages that
 * no rule has taken stay as written, or as inlining left them. So each rule reads the function from
 * scratch, and its text can be printed and parsed after each rule. Functions of another form
 * (opaque blocks, explicit loops, lets) stay as written. */
#include "compiler/kernels/rules.h"
#include "compiler/ir/device.h"
#include "compiler/schedule/engine.h"

#include <string.h>

#define FIRST_RULE "attention"

enum { ODD = 'o' /* in a pattern: a stage that is not simple */ };

typedef rlxc_rule rule;

static bool is_open(const rlxc_stage *s, char kind)
{
    return s->simple == (kind != ODD) && !s->done && !s->removed;
}

/* Whether stage |k| of the pattern is of its kind. */
static bool is_kind(const rlxc_stages *s, uint32_t i, const char *pattern, uint32_t k)
{
    const rlxc_stage *at = &s->items[i + k];
    rlxc_operation op;
    if (pattern[k] == ODD)
        return true;
    const char *odd = at->init ? "is a reduction" : "is not a reduction";
    if (pattern[k] == 'm' && at->init)
        return rlxc_stage_product(s, at, &op);
    if (pattern[k] == '.' || (pattern[k] == 's') != (at->init != NULL))
        return true;
    return strlen(pattern) == 1
               ? rlxc_decline(s, "%s", odd)
               : rlxc_decline(s, "needs %u consecutive blocks; block %u (%s) %s",
                              (uint32_t)strlen(pattern), k + 1, at->out->name, odd);
}

bool rlxc_rule_fits(const rlxc_stages *s, uint32_t i, const rule *r)
{
    const uint32_t length = (uint32_t)strlen(r->pattern);
    for (uint32_t k = 0; k < length; k++) {
        if (i + k >= s->n)
            return rlxc_decline(s, "needs %u consecutive blocks, found %u", length, s->n - i);
        if (!is_open(&s->items[i + k], r->pattern[k]))
            return rlxc_decline(s, "needs %u consecutive blocks; block %u is already taken", length,
                                k + 1);
        if (!is_kind(s, i, r->pattern, k))
            return false;
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

/* Records what the rule did with the stages; |before| are their states before it was asked about
 * |i|. */
static void explain(const rlxc_stages *s, uint32_t i, const rule *r, bool taken,
                    const rlxc_stage *before)
{
    rlxc_explain *e = s->options->explain;
    rlxc_context *ctx = s->ctx;
    const rlxc_stage *stage = &s->items[i];
    rlxc_explained *b = stage->simple ? entry_of(s, i) /* else it may be what a rule made */
                                      : rlxc_explained_block(e, s->f, stage->stmt, stage->out);
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

/* Reports stages that no rule handles; once, before the first rule. */
static void explain_odd(const rlxc_stages *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        rlxc_explained *b = entry_of(s, i);
        if (b && !s->items[i].simple)
            b->taken = rlxc_internf(s->ctx, "as written: %s", s->items[i].odd);
    }
}

/* Reports the operator of each block, or why it is not known. */
static void explain_operators(const rlxc_stages *s)
{
    rlxc_explain *e = s->options->explain;
    rlxc_operation op;
    e->asking = true;
    for (uint32_t i = 0; i < s->n; i++) {
        rlxc_explained *b = s->items[i].simple ? entry_of(s, i) : NULL;
        e->why = NULL;
        if (b)
            b->computes = rlxc_stage_operation(s, &s->items[i], &op)
                              ? rlxc_internf(s->ctx, "computes %s, axes %s",
                                             rlxc_operation_name(op.kind), op.roles)
                              : e->why;
    }
    e->asking = false;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* The step list given for the function; NULL: rules decide. */
static const rlxc_schedule_steps *given_to(const rlxc_options *options, const rlxc_prim_func *f)
{
    const rlxc_schedules *given = options->steps ? options->steps->given : NULL;
    for (uint32_t i = 0; given && i < given->items.count; i++)
        if (f->name && strcmp(given->items.items[i]->function, f->name) == 0)
            return given->items.items[i];
    return options->steps ? rlxc_map_get(&options->steps->lists, rlxc_key(f)) : NULL;
}

/* Asks the database, before the first rule. */
static void look_up(rlxc_context *ctx, const rlxc_options *options, rlxc_prim_func *f)
{
    rlxc_rule_steps *steps = options->steps;
    if (steps && steps->stored && !given_to(options, f))
        rlxc_map_set(ctx, &steps->lists, rlxc_key(f), steps->stored(steps->user, ctx, f));
}

/* The list of the function's steps so far: the last one, or a new one. */
static rlxc_schedule_steps *made_for(const rlxc_stages *s)
{
    rlxc_schedules *made = &s->options->steps->made;
    const char *name = s->f->name ? s->f->name : "";
    for (uint32_t i = 0; i < made->items.count; i++)
        if (strcmp(made->items.items[i]->function, name) == 0)
            return made->items.items[i];
    rlxc_schedule_steps *list = rlxc_steps_new(s->ctx, name, s->f->range);
    RLXC_PUSH(s->ctx, &made->items, list);
    return list;
}

static void note_step(const rlxc_stages *s, uint32_t i, const rule *r, const int64_t *sizes)
{
    if (!s->options->steps)
        return;
    rlxc_schedule_steps *list = made_for(s);
    const rlxc_step_ref block = rlxc_step_get_block(list, rlxc_stage_name(&s->items[i]));
    const rlxc_attrs attrs = rlxc_sizes_to_attrs(s->ctx, r, sizes);
    if (r->step == RLXC_STEP_tensorize)
        rlxc_step_tensorize(list, block, r->kernel, attrs);
    else if (r->step == RLXC_STEP_rewrite)
        rlxc_step_rewrite(list, block, r->kernel, attrs);
    else
        rlxc_step_inline(list, r->step, block);
}

/* The list of a rule that makes one goes to the engine. */
static bool run_list(rlxc_schedule *c, uint32_t i)
{
    const rlxc_schedule_steps *list = c->steps;
    if (!rlxc_run_steps(c, i, c->n_stages, list, false))
        return false;
    if (c->s->options->steps)
        rlxc_steps_append(made_for(c->s), list, 0, list->items.count);
    return true;
}

/* The list's step by which the rule handles stage |i|. */
static const rlxc_step *step_for(const rlxc_stages *s, const rlxc_schedule_steps *list, uint32_t i,
                                 const rule *r)
{
    const char *block;
    for (uint32_t k = 0; k < list->items.count; k++) {
        const rlxc_step *step = &list->items.items[k];
        if (rlxc_rule_of_step(list, step, &block) == r &&
            strcmp(block, rlxc_stage_name(&s->items[i])) == 0)
            return step;
    }
    return NULL;
}

static bool names_block(const rlxc_schedule_steps *list, const char *name)
{
    for (uint32_t i = 0; i < list->items.count; i++) {
        const rlxc_attr *given = rlxc_attrs_find(&list->items.items[i].args, "name");
        if (list->items.items[i].kind == RLXC_STEP_get_block && given &&
            given->kind == RLXC_ATTR_STRING && strcmp(given->s, name) == 0)
            return true;
    }
    return false;
}

/* Applies the given steps from |step| on to stage |i| and the later stages that they name. */
static bool follow_list(rlxc_schedule *c, uint32_t i, const rule *r,
                        const rlxc_schedule_steps *list, const rlxc_step *step)
{
    const rlxc_stages *s = c->s;
    rlxc_schedule_steps *part = rlxc_steps_new(s->ctx, list->function, list->source);
    uint32_t first, end, n = 0;
    rlxc_steps_of_rule(list, step, &first, &end);
    rlxc_steps_append(part, list, first, end);
    while (i + n < s->n && is_open(&s->items[i + n], n < strlen(r->pattern) ? r->pattern[n] : 0) &&
           names_block(part, rlxc_stage_name(&s->items[i + n])))
        n++;
    if (!rlxc_run_steps(c, i, n, part, true))
        return false;
    if (s->options->steps)
        rlxc_steps_append(made_for(s), part, 0, part->items.count);
    return true;
}

/* Handles stage |i| as a given step says; an error if that is impossible. */
static bool follow(rlxc_schedule *c, uint32_t i, const rule *r, const rlxc_schedule_steps *list,
                   const rlxc_step *step)
{
    rlxc_context *ctx = c->s->ctx;
    rlxc_explain *e = c->s->options->explain;
    int64_t sizes[RLXC_MAX_SIZES];
    if (c->s->options->steps)
        rlxc_map_set(ctx, &c->s->options->steps->used, rlxc_key(step), (void *)(uintptr_t)step);
    if (r->step == RLXC_STEP_annotate)
        return follow_list(c, i, r, list, step);
    if (!rlxc_sizes_of_step(ctx, r, step, sizes))
        return false;
    e->asking = true;
    e->why = NULL;
    const bool taken = rlxc_rule_fits(c->s, i, r) && r->apply(c, i, sizes);
    e->asking = false;
    if (taken)
        note_step(c->s, i, r, sizes);
    if (!taken && !rlxc_failed(ctx))
        rlxc_error(ctx, step->range, "%s: block %s of %s: %s", rlxc_print_step(ctx, step),
                   rlxc_stage_name(&c->s->items[i]), c->s->f->name,
                   e->why ? e->why : "does not fit");
    return taken;
}

static bool decide(rlxc_schedule *c, uint32_t i, const rule *r)
{
    int64_t sizes[RLXC_MAX_SIZES] = {0};
    const bool makes_list = r->step == RLXC_STEP_annotate;
    if (!rlxc_rule_fits(c->s, i, r) || !r->decide(c, i, sizes))
        return false;
    if (!makes_list)
        note_step(c->s, i, r, sizes);
    if (r->apply(c, i, sizes))
        return !makes_list || run_list(c, i);
    if (!rlxc_failed(c->s->ctx))
        rlxc_internal(c->s->ctx, (rlxc_range){0}, r->name, "does not take the sizes it decided");
    return false;
}

static bool asked(rlxc_schedule *c, uint32_t i, const rule *r)
{
    rlxc_explain *e = c->s->options->explain;
    if (!e || !is_open(&c->s->items[i], r->pattern[0]))
        return decide(c, i, r);
    const rlxc_stage *before = rlxc_copy(c->s->ctx, c->s->items, c->s->n * sizeof *before);
    e->asking = true;
    e->why = NULL;
    const bool taken = decide(c, i, r);
    e->asking = false;
    if (!rlxc_failed(c->s->ctx))
        explain(c->s, i, r, taken, before);
    return taken;
}

static void set_body(rlxc_context *ctx, rlxc_prim_func *f, const rlxc_stages *s,
                     const rlxc_stmt *body)
{
    if (s->root) {
        rlxc_block *root = rlxc_copy(ctx, s->root, sizeof *root);
        root->allocs = s->temps.items;
        root->n_allocs = s->temps.count;
        rlxc_forget_regions(root);
        root->body = body;
        body = rlxc_stmt_block(ctx, root, NULL, NULL);
    }
    if (!rlxc_failed(ctx))
        f->body = body;
}

/* The statements that replace the stages; NULL for those that run as part of others. */
static const rlxc_stmt *result_of(rlxc_stages *s, const rlxc_stmt *const *stmts)
{
    const rlxc_stmt **all = rlxc_try_alloc(s->ctx, (size_t)s->n + 1, sizeof *all);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n && all; i++) {
        const rlxc_stage *stage = &s->items[i];
        const rlxc_stmt *now = stage->removed   ? NULL
                               : stage->done    ? stmts[i]
                               : stage->changed ? rlxc_restated(s->ctx, stage)
                                                : stage->stmt;
        if (now)
            all[n++] = now;
    }
    return all ? rlxc_stmt_seq(s->ctx, all, n) : NULL;
}

void rlxc_put_stages(rlxc_stages *s, const rlxc_stmt *const *stmts)
{
    set_body(s->ctx, s->f, s, result_of(s, stmts));
}

static void apply(rlxc_context *ctx, const rlxc_options *options, rlxc_prim_func *f, const rule *r)
{
    rlxc_stages s = {0};
    const bool is_first = strcmp(r->name, FIRST_RULE) == 0;
    if (is_first)
        look_up(ctx, options, f);
    if (is_first || rlxc_prim_is_device(f)) /* whose rules run at level 0, where no other does */
        rlxc_name_blocks(ctx, f);
    const rlxc_schedule_steps *list = given_to(options, f);
    if (!is_first && !rlxc_rule_is_for(r, rlxc_prim_target(ctx, f, options->target)))
        return;
    if (!list && options->steps && options->steps->off == r)
        return;
    const bool first = options->explain && is_first && !list;
    if (rlxc_attrs_find(&f->attrs, rlxc_intern_cstr(ctx, RLXC_SCHEDULED)) ||
        !rlxc_stages_of(ctx, options, f, &s)) {
        if (first && s.n > 0)
            explain_odd(&s);
        else if (first)
            rlxc_explain_function(options->explain, f);
        return;
    }
    if (first) {
        explain_odd(&s);
        explain_operators(&s);
    }
    rlxc_options own = *options; /* a given step that does not fit always reports why */
    rlxc_explain reasons = {.ctx = ctx};
    if (!rlxc_rule_is_for(r, s.target))
        return;
    if (list) {
        own.explain = &reasons;
        s.options = &own;
    }
    const rlxc_stmt **stmts = rlxc_try_alloc(ctx, s.n, sizeof *stmts);
    bool any = false;
    for (uint32_t i = 0; i < s.n && stmts && !rlxc_failed(ctx); i++) {
        rlxc_schedule c = {.s = &s};
        const rlxc_step *step =
            list && is_open(&s.items[i], r->pattern[0]) ? step_for(&s, list, i, r) : NULL;
        if (list ? !step || !follow(&c, i, r, list, step) : !asked(&c, i, r))
            continue;
        any = true;
        for (uint32_t k = 0; r->pattern[k]; k++)
            s.items[i + k].done = true;
        stmts[i] = c.out.count ? rlxc_part(ctx, r->name, rlxc_body_of(&c)) : NULL;
    }
    if (any && !rlxc_failed(ctx))
        rlxc_put_stages(&s, stmts);
}

/* All given steps of rules must have been applied. */
static void check_given(rlxc_context *ctx, const rlxc_options *options)
{
    const rlxc_rule_steps *steps = options->steps;
    const char *block;
    for (uint32_t i = 0; i < steps->given->items.count; i++) {
        const rlxc_schedule_steps *list = steps->given->items.items[i];
        for (uint32_t k = 0; k < list->items.count; k++) {
            const rlxc_step *step = &list->items.items[k];
            if (rlxc_rule_of_step(list, step, &block) &&
                !rlxc_map_get(&steps->used, rlxc_key(step)))
                rlxc_error(ctx, step->range, "%s: no block %s of %s is left for it",
                           rlxc_print_step(ctx, step), block, list->function);
        }
    }
}

static bool apply_to_all(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                         const rule *r)
{
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim)
            apply(ctx, options, module->globals.items[i]->prim, r);
    return !rlxc_failed(ctx);
}

#define RLXC_RULE(name, targets, level, pattern, step, kernel, doc)        \
    bool rlxc_pass_schedule_##name(rlxc_context *ctx, rlxc_module *module, \
                                   const rlxc_options *options)            \
    {                                                                      \
        return apply_to_all(ctx, module, options, rlxc_rule_named(#name)); \
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
    if (options->steps && options->steps->given)
        check_given(ctx, options);
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->prim)
            join_blocks(ctx, module->globals.items[i]->prim);
    return !rlxc_failed(ctx);
}

bool rlxc_schedule_module(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
#define RLXC_RULE(name, targets, level, pattern, step, kernel, doc) \
    rlxc_pass_schedule_##name(ctx, module, options) &&
    return
#include "compiler/kernels/rules.def"
#undef RLXC_RULE
        rlxc_pass_schedule(ctx, module, options);
}

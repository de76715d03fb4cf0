/* Pass apply_schedules: applies the step lists of --schedule to the PrimFuncs that they name.
 *
 * A trace of TVM's tuner calls its function "main": a name that is not in the module refers to the
 * only PrimFunc that has all blocks of the list. */
#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/kernels/device/gemm.h"
#include "compiler/kernels/device/updates.h"
#include "compiler/kernels/rules.h"
#include "compiler/passes/passes.h"
#include "compiler/schedule/engine.h"
#include "compiler/schedule/explain.h"
#include "compiler/target/target.h"

typedef struct block_search {
    const char *name;
    bool found;
} block_search;

static bool search_block(void *user, const rlxc_stmt *s)
{
    block_search *q = user;
    if (s->kind == RLXC_STMT_BLOCK && s->block.block->name)
        q->found |= strcmp(s->block.block->name, q->name) == 0;
    return !q->found;
}

static bool has_block(const rlxc_prim_func *f, const char *name)
{
    block_search q = {name, strcmp(name, "root") == 0};
    rlxc_stmt_visit(f->body, search_block, &q);
    return q.found;
}

/* Blocks that steps create do not count. */
static bool has_first_block(const rlxc_prim_func *f, const rlxc_schedule_steps *s)
{
    for (uint32_t i = 0; i < s->items.count; i++) {
        const rlxc_step *step = &s->items.items[i];
        if (step->kind != RLXC_STEP_get_block)
            continue;
        const rlxc_attr *name = rlxc_attrs_find(&step->args, "name");
        return name && name->kind == RLXC_ATTR_STRING && has_block(f, name->s);
    }
    return false;
}

static rlxc_prim_func *find_function(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_schedule_steps *s)
{
    rlxc_prim_func *found = NULL;
    rlxc_text names = {.ctx = ctx};
    uint32_t n = 0;
    rlxc_range range = s->items.count ? s->items.items[0].range : (rlxc_range){0};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f && strcmp(f->name, s->function) == 0)
            return f;
        if (!f || !has_first_block(f, s))
            continue;
        found = f;
        if (n++ < 8)
            rlxc_text_printf(&names, "%s'%s'", n > 1 ? ", " : "", f->name);
    }
    if (n == 1)
        return found;
    if (n)
        rlxc_error(ctx, range, "schedule: no PrimFunc '%s'; %u have the block: %s", s->function, n,
                   names.data ? names.data : "");
    else
        rlxc_error(ctx, range, "schedule: no PrimFunc '%s', nor one with the blocks of the list",
                   s->function);
    return NULL;
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* The rule named by the kernel replaces the block, and later blocks that it fuses, by its loops. */
static bool use_kernel(void *user, const rlxc_kernel_use *use)
{
    rlxc_options options = *(const rlxc_options *)user;
    rlxc_explain reasons = {.ctx = use->ctx, .asking = true};
    rlxc_context *ctx = use->ctx;
    rlxc_stages s;
    int64_t sizes[RLXC_MAX_SIZES];
    const rlxc_rule *rule = NULL;
    uint32_t n, at = 0;
    const rlxc_rule *rules = rlxc_rules(&n);
    const char *param = use->step->kind == RLXC_STEP_rewrite ? "rewrite" : "tensor_intrin";
    const rlxc_attr *name = rlxc_attrs_find(&use->step->args, param);
    for (uint32_t i = 0; i < n; i++)
        if (rules[i].step == use->step->kind && strcmp(rules[i].kernel, name->s) == 0)
            rule = &rules[i];
    options.explain = &reasons; /* a kernel that does not fit reports why */
    if (!rule || !rlxc_sizes_of_step(ctx, rule, use->step, sizes))
        return false;
    if (!rlxc_stages_of(ctx, &options, use->f, &s))
        return false;
    while (at < s.n && strcmp(rlxc_stage_name(&s.items[at]), use->block) != 0)
        at++;
    rlxc_schedule c = {.s = &s};
    if (!rlxc_rule_fits(&s, at, rule) || !rule->apply(&c, at, sizes)) {
        if (!rlxc_failed(ctx))
            rlxc_error(ctx, use->step->range, "%s: block %s of %s: %s",
                       rlxc_print_step(ctx, use->step), use->block, use->f->name,
                       reasons.why ? reasons.why : "does not fit");
        return false;
    }
    for (uint32_t k = 0; rule->pattern[k]; k++)
        s.items[at + k].done = true;
    const rlxc_stmt **stmts = rlxc_try_alloc(ctx, (size_t)s.n + 1, sizeof *stmts);
    if (!stmts)
        return false;
    stmts[at] = c.out.count ? rlxc_part(ctx, rule->name, rlxc_body_of(&c)) : NULL;
    rlxc_put_stages(&s, stmts);
    return !rlxc_failed(ctx);
}

/* The kernels of all rules, as the engine calls them. */
static const rlxc_kernel_row *kernel_rows(rlxc_context *ctx, uint32_t *out_n)
{
    uint32_t n;
    const rlxc_rule *rules = rlxc_rules(&n);
    rlxc_kernel_row *rows = rlxc_alloc(ctx, (n + 3) * sizeof *rows);
    *out_n = 0;
    for (uint32_t i = 0; i < n; i++)
        if (rules[i].kernel[0])
            rows[(*out_n)++] = (rlxc_kernel_row){rules[i].kernel, rules[i].step, "", use_kernel};
    rows[(*out_n)++] = rlxc_gemm_row;
    rows[(*out_n)++] = rlxc_scatter_row;
    return rows;
}

/* The list as it went to |f|, for --emit=schedule: its blocks are those of |f| by name. */
static void note_list(const rlxc_options *options, const rlxc_prim_func *f,
                      const rlxc_schedule_steps *given)
{
    rlxc_context *ctx = given->ctx;
    if (!options->steps)
        return;
    rlxc_schedule_steps *list = rlxc_copy(ctx, given, sizeof *list);
    list->function = f->name;
    list->source = f->range;
    list->items.items = rlxc_copy(ctx, given->items.items, given->items.count * sizeof(rlxc_step));
    for (uint32_t i = 0; i < list->items.count; i++) {
        rlxc_step *step = &list->items.items[i];
        if (step->kind == RLXC_STEP_get_block)
            step->args = rlxc_attrs_with(ctx, step->args, rlxc_intern_cstr(ctx, "func_name"),
                                         rlxc_attr_string(ctx, f->name));
    }
    RLXC_PUSH(ctx, &options->steps->made.items, list);
}

bool rlxc_pass_apply_schedules(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    const rlxc_schedules *all = options->schedules;
    for (uint32_t i = 0; all && i < all->items.count && !rlxc_failed(ctx); i++) {
        rlxc_options own = *options;
        rlxc_engine_options engine = {.user = &own};
        engine.kernels = kernel_rows(ctx, &engine.n_kernels);
        rlxc_prim_func *f = find_function(ctx, module, all->items.items[i]);
        if (!f)
            return false;
        const rlxc_target *target = rlxc_prim_target(ctx, f, options->target);
        engine.target = rlxc_target_text(ctx, target);
        engine.device = rlxc_target_is_device(target) ? &target->device : NULL;
        if (!rlxc_apply_steps(ctx, f, all->items.items[i], &engine))
            return false;
        note_list(options, f, all->items.items[i]);
        f->turns_apart = false;
        f->attrs =
            rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, RLXC_SCHEDULED), rlxc_attr_int(1));
    }
    return !rlxc_failed(ctx);
}

/* Pass apply_schedules: the lists of --schedule go to the PrimFuncs that they name.
 *
 * A trace of TVM's tuner knows its function as "main": a name that the module does not have stands
 * for the one PrimFunc that has all of the list's blocks. */
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/schedule/engine.h"
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

/* Blocks that steps make (names of blocks that are not there yet) do not count. */
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

bool rlxc_pass_apply_schedules(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    const rlxc_schedules *all = options->schedules;
    for (uint32_t i = 0; all && i < all->items.count && !rlxc_failed(ctx); i++) {
        const rlxc_engine_options engine = {.target = rlxc_target_text(ctx, options->target)};
        rlxc_prim_func *f = find_function(ctx, module, all->items.items[i]);
        if (!f || !rlxc_apply_steps(ctx, f, all->items.items[i], &engine))
            return false;
        f->turns_apart = false;
        f->attrs =
            rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, RLXC_SCHEDULED), rlxc_attr_int(1));
    }
    return !rlxc_failed(ctx);
}

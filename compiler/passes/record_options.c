/* Passes bind_bounds and declare_pools: what options say of symbols and of memory pools is recorded
 * in the module.
 *
 * `--bound n=lo:hi` applies to every symbol of that name in exported functions and is written into
 * the function's tir_var_upper_bound / tir_var_lower_bound attributes, where memory planning reads
 * it. Bounds already stated in the module win only where they are tighter.
 *
 * Each `--pool` is written into the module's attribute rlx.pools: it replaces the pool of the same
 * name, else it comes after the others. Code generation reads the pools there, in this order. */
#include "compiler/ir/names.h"
#include "compiler/ir/pool.h"
#include "compiler/passes/passes.h"

#include <string.h>

static void set_bound(rlxc_context *ctx, rlxc_function *f, const char *attr_name,
                      const char *symbol, int64_t value, bool upper)
{
    const rlxc_attr *old = rlxc_attrs_find(&f->attrs, rlxc_intern_cstr(ctx, attr_name));
    rlxc_attrs dict = {0};
    if (old && old->kind == RLXC_ATTR_DICT)
        dict = (rlxc_attrs){old->list.keys, old->list.items, old->list.count};
    int64_t known;
    const rlxc_attr *entry = rlxc_attrs_find(&dict, symbol);
    if (entry && rlxc_attr_as_int(entry, &known) && (upper ? known <= value : known >= value))
        return;
    dict = rlxc_attrs_with(ctx, dict, symbol, rlxc_attr_int(value));
    rlxc_attr whole = {.kind = RLXC_ATTR_DICT, .list = {dict.values, dict.keys, dict.count}};
    f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, attr_name), whole);
}

/* The symbol that the user calls |name|, or NULL. */
static const char *find_symbol(rlxc_context *ctx, const rlxc_function *f, const char *name)
{
    rlxc_var_list list = {0};
    for (uint32_t i = 0; i < f->n_params; i++)
        rlxc_sinfo_collect_vars(ctx, f->params[i]->sinfo, &list);
    for (uint32_t i = 0; i < list.vars.count; i++) {
        const char *symbol = list.vars.items[i]->var.name;
        if (strcmp(rlxc_given_name(ctx, f, RLXC_DIM_NAMES, symbol), name) == 0)
            return symbol;
    }
    return NULL;
}

bool rlxc_pass_bind_bounds(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    for (uint32_t i = 0; i < options->n_bounds; i++) {
        const char *name = rlxc_intern_cstr(ctx, options->bounds[i].name);
        bool used = false;
        for (uint32_t k = 0; k < module->globals.count; k++) {
            rlxc_function *f = module->globals.items[k]->relax;
            const char *symbol = f && !f->is_private ? find_symbol(ctx, f, name) : NULL;
            if (!symbol)
                continue;
            set_bound(ctx, f, "tir_var_lower_bound", symbol, options->bounds[i].min, false);
            set_bound(ctx, f, "tir_var_upper_bound", symbol, options->bounds[i].max, true);
            used = true;
        }
        if (!used)
            rlxc_error(ctx, (rlxc_range){0}, "--bound %s: no exported function has a symbol %s",
                       name, name);
    }
    return !rlxc_failed(ctx);
}

bool rlxc_pass_declare_pools(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    rlxc_pools pools;
    if (!rlxc_pools_of(ctx, module, &pools))
        return false;
    for (uint32_t i = 0; i < options->n_pools; i++) {
        rlxc_pool pool;
        if (!rlxc_pool_parse(ctx, (rlxc_range){0}, options->pools[i], &pool) ||
            !rlxc_pools_add(ctx, &pools, &pool))
            return false;
    }
    if (pools.n == 0)
        return true;
    rlxc_attr *texts = rlxc_alloc(ctx, pools.n * sizeof *texts);
    for (uint32_t i = 0; i < pools.n; i++)
        texts[i] = rlxc_attr_string(ctx, rlxc_pool_text(ctx, &pools.items[i]));
    const rlxc_attr list = {.kind = RLXC_ATTR_LIST, .list = {texts, NULL, pools.n}};
    module->attrs = rlxc_attrs_with(ctx, module->attrs, rlxc_intern_cstr(ctx, RLXC_POOLS), list);
    return !rlxc_failed(ctx);
}

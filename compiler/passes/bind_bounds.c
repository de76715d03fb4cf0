/* Pass bind_bounds: upper bounds of symbols.
 *
 * `--bound n=lo:hi` applies to every symbol of that name in exported functions and is written into
 * the function's tir_var_upper_bound / tir_var_lower_bound attributes, where memory planning reads
 * it. Bounds already stated in the module win only where they are tighter. */
#include "compiler/ir/names.h"
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

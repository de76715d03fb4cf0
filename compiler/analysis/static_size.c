/* Sizes at the upper bounds of a function's symbols (static_size.h). */
#include "compiler/analysis/static_size.h"

#include <string.h>

#define MAX_SIZE ((int64_t)1 << 46) /* what the runtime can address */

rlxc_bounds rlxc_stated_bounds(rlxc_context *ctx, const rlxc_function *f)
{
    static const char *const keys[2] = {"tir_var_lower_bound", "tir_var_upper_bound"};
    rlxc_bounds bounds = {0};
    rlxc_var_list signature = {0};
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i]->sinfo)
            rlxc_sinfo_collect_vars(ctx, f->params[i]->sinfo, &signature);
    for (uint32_t v = 0; v < signature.vars.count; v++) {
        const rlxc_expr *var = signature.vars.items[v];
        rlxc_bound range = {0, INT64_MAX};
        bool found = false;
        for (int k = 0; k < 2; k++) {
            const rlxc_attr *dict = rlxc_attrs_find(&f->attrs, keys[k]);
            if (!dict || dict->kind != RLXC_ATTR_DICT)
                continue;
            for (uint32_t i = 0; i < dict->list.count; i++) {
                int64_t value;
                if (strcmp(dict->list.keys[i], var->var.name) != 0 ||
                    !rlxc_attr_as_int(&dict->list.items[i], &value) || value < 0)
                    continue;
                *(k == 0 ? &range.min : &range.max) = value;
                found = true;
            }
        }
        if (found && range.min <= range.max)
            rlxc_bounds_set(ctx, &bounds, var, range);
    }
    return bounds;
}

const rlxc_expr *rlxc_static_size(rlxc_context *ctx, const rlxc_bounds *bounds,
                                  const rlxc_expr *size, rlxc_range range)
{
    const rlxc_bound b = rlxc_bound_of(ctx, size, bounds);
    if (b.max >= 0 && b.max <= MAX_SIZE)
        return rlxc_i64(ctx, b.max);
    rlxc_var_list vars = {0};
    rlxc_collect_vars(ctx, size, &vars);
    for (uint32_t i = 0; i < vars.vars.count; i++) {
        const rlxc_expr *var = vars.vars.items[i];
        if (rlxc_bound_of(ctx, var, bounds).max < INT64_MAX)
            continue;
        rlxc_error(ctx, range,
                   "static_plan: the size of this memory depends on %s, which has no upper bound "
                   "(--bound %s=MIN:MAX, or the function's attribute tir_var_upper_bound)",
                   var->var.name, var->var.name);
        return NULL;
    }
    rlxc_error(ctx, range, "static_plan: the size of this memory has no upper bound below 2^46");
    return NULL;
}

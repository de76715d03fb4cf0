/* Pass declare_pools: memory pools.
 *
 * Each `--pool` is written into the module's attribute rlx.pools: it replaces the pool of the same
 * name, else it comes after the others. Code generation reads the pools there, in this order. */
#include "compiler/ir/pool.h"
#include "compiler/passes/passes.h"

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

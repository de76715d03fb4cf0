/* Pass static_plan, on request: sets the size of each planned storage to its maximum, at the upper
 * bounds of the function's symbols. The file then states the offset of every tensor, and nothing is
 * laid out at run time, whatever the symbols' values; a call needs as much memory for small ones as
 * for the largest. Code generation does the same with the scratch memory of kernels. A size without
 * an upper bound is an error. */
#include "compiler/analysis/alias.h"
#include "compiler/analysis/static_size.h"
#include "compiler/passes/passes.h"

typedef struct fixing {
    rlxc_context *ctx;
    rlxc_bounds bounds;
} fixing;

static bool fix_size(void *user, rlxc_binding *b)
{
    fixing *f = user;
    if (!rlxc_is_planned_storage(b) || b->args[0].kind != RLXC_ATOM_SHAPE || b->args[0].n != 1)
        return true;
    const rlxc_expr *size = rlxc_static_size(f->ctx, &f->bounds, b->args[0].dims[0], b->range);
    if (!size)
        return false;
    rlxc_atom *args = rlxc_copy(f->ctx, b->args, b->n_args * sizeof *args);
    args[0].dims = rlxc_copy(f->ctx, &size, sizeof size);
    b->args = args;
    return true;
}

bool rlxc_pass_static_plan(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (!f)
            continue;
        fixing fix = {ctx, rlxc_stated_bounds(ctx, f)};
        f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, RLXC_STATIC_PLAN),
                                   rlxc_attr_int(1));
        rlxc_each_binding(&f->body, fix_size, &fix);
    }
    return !rlxc_failed(ctx);
}

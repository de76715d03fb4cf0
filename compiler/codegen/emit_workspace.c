/* Bytecode emission: scratch memory of kernels, in the memory plan.
 *
 * The heap allocations of a lowered PrimFunc outside parallel loops become one buffer that is in
 * use only during the call (scratch.h). Its size is the most that they use at once, over the
 * dimensions that the call knows. A kernel that needs more, or whose sizes the call cannot
 * determine, takes scratch memory from the VM, so nothing depends on the size being exact. The
 * scratch buffers of a device's kernel are summed in the same way, as vm/launch.c lays them out. */
#include "compiler/codegen/emit.h"

#include "compiler/analysis/static_size.h"
#include "compiler/codegen/scratch.h"
#include "compiler/ir/device.h"

static const rlxc_expr *scratch_need(rlxc_scratch *w, const rlxc_device_kernel *kernel)
{
    const rlxc_expr *bytes = NULL;
    for (uint32_t i = 0; i < kernel->n_scratch; i++) {
        const rlxc_buffer *b = kernel->scratch[i];
        bytes = rlxc_scratch_sum(w, bytes, rlxc_scratch_bytes(w, b->dtype, b->shape, b->ndim));
    }
    return bytes;
}

static bool find_allocation(void *user, const rlxc_stmt *s)
{
    bool *found = user;
    *found = *found || s->kind == RLXC_STMT_ALLOCATE;
    return !*found;
}

bool rlxc_bc_has_scratch(rlxc_bc_function *fn, const rlxc_binding *b, uint32_t *out_device)
{
    const rlxc_global *g = b->form == RLXC_FORM_CALL && !b->op && b->callee.kind == RLXC_ATOM_GLOBAL
                               ? rlxc_module_find(fn->m->module, b->callee.text)
                               : NULL;
    bool found = false;
    *out_device = 0;
    if (!g || !g->prim)
        return false;
    if (!rlxc_prim_is_device(g->prim)) {
        if (g->prim->body)
            rlxc_stmt_visit(g->prim->body, find_allocation, &found);
        return found;
    }
    uint32_t code;
    const rlxc_device_kernel *kernel = rlxc_bc_device_kernel(fn->m, g->prim, &code);
    const char *where;
    *out_device = rlxc_bc_kernel_device(fn->m, g->prim, b->args, b->n_args, fn->range, &where);
    return kernel && kernel->n_scratch > 0 && *out_device > 0;
}

bool rlxc_bc_workspace(rlxc_bc_function *fn, const rlxc_bc_kernel *kernel, uint32_t device,
                       const rlxc_expr *const *values, uint32_t *out_buffer)
{
    rlxc_scratch w = {
        .ctx = fn->ctx, .dims = kernel->dims, .values = values, .n_dims = kernel->n_dims};
    const rlxc_expr *bytes = NULL;
    uint32_t code;
    if (!rlxc_prim_is_device(kernel->f)) {
        bytes = kernel->f->body ? rlxc_scratch_need(&w, kernel->f->body) : NULL;
    } else if (device != 0) {
        const rlxc_device_kernel *own = rlxc_bc_device_kernel(fn->m, kernel->f, &code);
        bytes = own ? scratch_need(&w, own) : NULL;
    }
    if (bytes && rlxc_attrs_find(&fn->f->attrs, RLXC_STATIC_PLAN)) {
        const rlxc_bounds bounds = rlxc_stated_bounds(fn->ctx, fn->f);
        bytes = rlxc_static_size(fn->ctx, &bounds, bytes, fn->range);
        fn->m->failed = fn->m->failed || !bytes;
    }
    if (!bytes || !rlxc_bc_are_bound(fn, bytes))
        return false;
    const char *what = fn->m->pools.n > 0
                           ? rlxc_internf(fn->ctx, "scratch memory of '%s'", kernel->f->name)
                           : NULL;
    *out_buffer = rlxc_bc_buffer(fn, bytes, device, what);
    return true;
}

/* Part of pass place_kernels: the memory of tensors reaches the buffers of PrimFuncs. A parameter
 * without a scope gets the scope of the tensor that a call passes, in a copy of the PrimFunc for
 * these scopes. */
#include "compiler/passes/place_scopes.h"

#include "compiler/ir/device.h"

typedef RLXC_VEC(const rlxc_sinfo *) type_vec;

static void push_types(rlxc_context *ctx, type_vec *out, const rlxc_sinfo *s)
{
    if (!s || s->kind != RLXC_SINFO_TUPLE) {
        RLXC_PUSH(ctx, out, s);
        return;
    }
    for (uint32_t i = 0; i < s->n_fields; i++)
        RLXC_PUSH(ctx, out, s->fields[i]);
}

/* The types of what |call| gives the parameters of the PrimFunc. */
static void find_types(rlxc_context *ctx, const rlxc_module *module, const rlxc_binding *call,
                       type_vec *out)
{
    if (call->op) {
        if (call->n_args > 1)
            push_types(ctx, out, rlxc_atom_sinfo(ctx, module, call->args[1]));
        push_types(ctx, out, call->var->sinfo);
        return;
    }
    for (uint32_t i = 0; i < call->n_args; i++)
        RLXC_PUSH(ctx, out, rlxc_atom_sinfo(ctx, module, call->args[i]));
}

/* The scope of the tensor |s| if it is one of its own, for a parameter that says nothing; else
 * NULL. */
static const char *scope_for(const rlxc_module *module, const rlxc_buffer *buffer,
                             const rlxc_sinfo *s)
{
    const char *name = s && s->kind == RLXC_SINFO_TENSOR ? s->vdevice : NULL;
    const rlxc_vdevice *device = name ? rlxc_find_vdevice(module, name) : NULL;
    return buffer && rlxc_is_plain_scope(buffer->scope) && device &&
                   !rlxc_is_plain_scope(device->scope)
               ? device->scope
               : NULL;
}

const char *rlxc_prim_with_scopes(rlxc_context *ctx, rlxc_module *module, rlxc_map *made,
                                  const rlxc_binding *call, const char *name)
{
    const rlxc_global *g = rlxc_module_find(module, name);
    const rlxc_prim_func *f = g ? g->prim : NULL;
    type_vec types = {0};
    find_types(ctx, module, call, &types);
    rlxc_text key = {.ctx = ctx};
    bool any = false;
    rlxc_text_puts(&key, name);
    for (uint32_t i = 0; f && i < f->n_params && i < types.count; i++) {
        const char *scope = scope_for(module, f->params[i].buffer, types.items[i]);
        rlxc_text_printf(&key, " %s", scope ? scope : "-");
        any |= scope != NULL;
    }
    if (!any || rlxc_failed(ctx))
        return name;
    const uint64_t known = rlxc_key(rlxc_intern_cstr(ctx, key.data));
    const char *own = rlxc_map_get(made, known);
    if (own)
        return own;
    rlxc_prim_func *copy = rlxc_prim_func_clone(ctx, f);
    copy->is_private = true;
    for (uint32_t i = 0; i < f->n_params && i < types.count; i++) {
        const char *scope = scope_for(module, f->params[i].buffer, types.items[i]);
        if (scope)
            copy->params[i].buffer->scope = scope;
    }
    own = rlxc_module_add_prim(ctx, module, copy, true)->name;
    rlxc_map_set(ctx, made, known, (void *)(uintptr_t)own);
    return own;
}

/* Code for devices: finds the PrimFuncs of each target and asks the generator of its kind. No kind
 * has one yet, so that every operator of a device falls back to the CPU. */
#include "compiler/codegen/device.h"
#include "compiler/ir/device.h"

const char *rlxc_device_refuses(rlxc_context *ctx, const rlxc_prim_func *f,
                                const rlxc_target *target)
{
    (void)f;
    return rlxc_internf(ctx, "there is no code generator for %s", target->kind);
}

bool rlxc_compile_devices(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                          const rlxc_device_code **out, uint32_t *out_n)
{
    *out = NULL;
    *out_n = 0;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (!f || !rlxc_prim_is_device(f))
            continue;
        const rlxc_target *target = rlxc_prim_target(ctx, f, options->target);
        rlxc_error(ctx, f->range, "PrimFunc '%s': %s", f->name,
                   rlxc_device_refuses(ctx, f, target));
        return false;
    }
    return true;
}

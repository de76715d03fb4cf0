/* Device PrimFuncs -> code: one entry for each target, from the generator for its kind. */
#include "compiler/codegen/device.h"

#include <string.h>

#include "compiler/ir/device.h"
#include "compiler/target/target.h"

static const struct generator {
    const char *kind;
    bool (*emit)(rlxc_context *ctx, const rlxc_options *options, rlxc_device_code *out);
} generators[] = {{"opencl", rlxc_emit_opencl}, {"cuda", rlxc_emit_cuda}};

bool rlxc_device_has_code(const rlxc_target *target)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (strcmp(generators[i].kind, target->kind) == 0)
            return true;
    return false;
}

typedef struct group { /* the kernels of a target */
    const char *text;
    const rlxc_target *target;
    RLXC_VEC(rlxc_device_kernel) kernels;
} group;

typedef struct groups {
    RLXC_VEC(group) all;
} groups;

static group *group_of(rlxc_context *ctx, groups *g, const rlxc_target *target)
{
    const char *text = rlxc_target_text(ctx, target); /* interned */
    for (uint32_t i = 0; i < g->all.count; i++)
        if (g->all.items[i].text == text)
            return &g->all.items[i];
    const group fresh = {.text = text, .target = target};
    RLXC_PUSH(ctx, &g->all, fresh);
    return rlxc_failed(ctx) ? NULL : &g->all.items[g->all.count - 1];
}

static bool generate(rlxc_context *ctx, const rlxc_options *options, rlxc_device_code *out)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (strcmp(generators[i].kind, out->target->kind) == 0)
            return generators[i].emit(ctx, options, out);
    rlxc_error(ctx, out->kernels[0].f->range, "there is no code for devices of the kind %s",
               out->target->kind);
    return false;
}

/* False with a diagnostic. */
static bool generate_all(rlxc_context *ctx, const rlxc_options *options, rlxc_device_code *out)
{
    return generate(ctx, options, out) &&
           (!options->device_binaries || rlxc_add_device_binaries(ctx, out));
}

bool rlxc_compile_devices(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                          const rlxc_device_code **out, uint32_t *out_n)
{
    groups g = {0};
    *out = NULL;
    *out_n = 0;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (!f || !rlxc_prim_is_device(f))
            continue;
        rlxc_device_kernel kernel;
        group *own = group_of(ctx, &g, rlxc_prim_target(ctx, f, options->target));
        if (!own || !rlxc_device_split(ctx, f, own->target, &kernel))
            return false;
        RLXC_PUSH(ctx, &own->kernels, kernel);
    }
    rlxc_device_code *codes = rlxc_try_alloc(ctx, (size_t)g.all.count + 1, sizeof *codes);
    if (!codes)
        return false;
    for (uint32_t i = 0; i < g.all.count; i++) {
        codes[i].target = g.all.items[i].target;
        codes[i].kernels = g.all.items[i].kernels.items;
        codes[i].n_kernels = g.all.items[i].kernels.count;
        if (!generate_all(ctx, options, &codes[i]))
            return false;
    }
    *out = codes;
    *out_n = g.all.count;
    return !rlxc_failed(ctx);
}

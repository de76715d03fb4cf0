/* The pass table and its runner.
 *
 * The order of passes.def is the pipeline. Before a pass runs, the properties it needs must have
 * been given by earlier rows and not broken since; a pass below its optimisation level is skipped,
 * so no row may need what only a skippable row gives. With options->check the module is checked
 * after every pass, and a violation names the pass. */
#include "compiler/passes/passes.h"

#include <string.h>
#include <time.h>

static const rlxc_pass passes[] = {
#define RLXC_PASS(name, needs, gives, breaks, min_opt, doc) \
    {#name, needs, gives, breaks, min_opt, doc, rlxc_pass_##name},
#define RLXC_RULE(name, pattern, step, kernel, doc) \
    {"schedule." #name, RLXC_PROP_LEGAL, 0, 0, 1, doc, rlxc_pass_schedule_##name},
#include "compiler/passes/passes.def"
#undef RLXC_RULE
#undef RLXC_PASS
};

const rlxc_pass *rlxc_passes(uint32_t *out_count)
{
    *out_count = sizeof passes / sizeof *passes;
    return passes;
}

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool rlxc_is_requested(const rlxc_options *options, const char *pass)
{
    if (strcmp(pass, "to_mixed_precision") == 0)
        return !rlxc_dtype_is_void(options->mixed) && options->mixed.bits == 16;
    for (uint32_t i = 0; i < options->n_requests; i++)
        if (strcmp(options->requests[i], pass) == 0)
            return true;
    return false;
}

bool rlxc_run_passes(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                     const rlxc_pass_hooks *hooks)
{
    uint32_t count;
    const rlxc_pass *table = rlxc_passes(&count);
    uint32_t have = 0;
    for (uint32_t i = 0; i < count; i++) {
        const rlxc_pass *pass = &table[i];
        if (options->opt_level < pass->min_opt_level && !rlxc_is_requested(options, pass->name))
            continue;
        if ((have & pass->needs) != pass->needs) {
            rlxc_internal(ctx, (rlxc_range){0}, pass->name,
                          "needs properties 0x%x of the module, has 0x%x", pass->needs, have);
            return false;
        }
        double start = now_seconds();
        rlxc_doing(ctx, "running pass", pass->name);
        if (!pass->run(ctx, module, options) || rlxc_failed(ctx)) {
            if (!rlxc_failed(ctx))
                rlxc_internal(ctx, (rlxc_range){0}, pass->name, "failed without a diagnostic");
            return false;
        }
        have = (have & ~pass->breaks) | pass->gives;
        double seconds = now_seconds() - start;
        if (options->check && !rlxc_well_formed(ctx, module, pass->name, true))
            return false;
        if (hooks && hooks->after && !hooks->after(hooks->user, pass, module, seconds))
            return false;
    }
    return true;
}

/* See cpus.h. */
#include "tests/compiler/cpus.h"

#include <stdio.h>
#include <string.h>

#include "rlx/cpu.h"

const char *cpu_lacks(rlxc_context *ctx, const rlxc_target *target)
{
    const char *needs = rlxc_target_required_features(ctx, target->features);
    while (needs && *needs) {
        const size_t n = strcspn(needs, ",");
        if (!rlx_cpu_has((rlx_str){needs, n}))
            return rlxc_intern(ctx, needs, n);
        needs += n + (needs[n] == ',');
    }
    return NULL;
}

bool cpu_runs(const char *cpu)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    /* an unknown name runs, so that the test that uses it fails */
    const rlxc_target *target = ctx ? rlxc_target_new(ctx, NULL, cpu) : NULL;
    const bool runs = ctx && (!target || !cpu_lacks(ctx, target));
    if (ctx)
        rlxc_context_destroy(ctx);
    if (!runs) { /* a single write, so that tests running in parallel do not mix their lines */
        char line[80];
        snprintf(line, sizeof line, "skipped: %s\n", cpu);
        fputs(line, stdout);
        fflush(stdout);
    }
    return runs;
}

bool target_permutes_palettes(const rlxc_target *target)
{
    return rlxc_target_palette_lanes(target) == rlxc_target_lanes(target, RLX_F32);
}

bool cpu_permutes_palettes(void)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    const rlxc_target *target = ctx ? rlxc_target_new(ctx, NULL, NULL) : NULL;
    const bool permutes = target && target_permutes_palettes(target);
    if (ctx)
        rlxc_context_destroy(ctx);
    return permutes;
}

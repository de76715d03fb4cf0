/* The pass table and its runner.
 *
 * The order of passes.def is the pipeline. Before a pass runs, the properties it needs must have
 * been given by earlier rows and not broken since; a pass below its optimisation level is skipped,
 * so no row may need a property that only a skippable row gives. With options->check the module is
 * checked after every pass, and a violation names the pass. */
#include "compiler/passes/passes.h"

#include <string.h>
#include <time.h>

#include "compiler/target/target.h"

static const rlxc_pass passes[] = {
#define RLXC_PASS(name, needs, gives, breaks, min_opt, doc) \
    {#name, needs, gives, breaks, min_opt, doc, rlxc_pass_##name},
#define RLXC_RULE(name, targets, level, pattern, step, kernel, doc) \
    {"schedule." #name, RLXC_PROP_LEGAL, 0, 0, level, doc, rlxc_pass_schedule_##name},
#include "compiler/passes/passes.def"
#undef RLXC_RULE
#undef RLXC_PASS
};
enum { N_PASSES = sizeof passes / sizeof *passes };

const rlxc_pass *rlxc_passes(uint32_t *out_count)
{
    *out_count = N_PASSES;
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
    if (options->target == rlxc_target_c() && strcmp(pass, "inline_functions") == 0)
        return true; /* functions of C have memory of their own */
    for (uint32_t i = 0; i < options->n_requests; i++)
        if (strcmp(options->requests[i], pass) == 0)
            return true;
    return false;
}

typedef struct running {
    rlxc_context *ctx;
    rlxc_module *module;
    const rlxc_options *options;
    const rlxc_pass_hooks *hooks;
    uint32_t have; /* properties of the module */
} running;

/* Runs |pass|, or |extra|, which is not NULL if |pass| describes an extra pass. */
static bool run_pass(running *r, const rlxc_pass *pass, const rlxc_extra_pass *extra)
{
    rlxc_context *ctx = r->ctx;
    if ((r->have & pass->needs) != pass->needs) {
        rlxc_internal(ctx, (rlxc_range){0}, pass->name,
                      "needs properties 0x%x of the module, has 0x%x", pass->needs, r->have);
        return false;
    }
    double start = now_seconds();
    rlxc_doing(ctx, "running pass", pass->name);
    bool ok =
        extra ? extra->run(extra->user, ctx, r->module) : pass->run(ctx, r->module, r->options);
    if (!ok || rlxc_failed(ctx)) {
        if (!rlxc_failed(ctx))
            rlxc_internal(ctx, (rlxc_range){0}, pass->name, "failed without a diagnostic");
        return false;
    }
    r->have = (r->have & ~pass->breaks) | pass->gives;
    double seconds = now_seconds() - start;
    if ((extra || r->options->check) &&
        !rlxc_well_formed(ctx, r->module, pass->name, extra == NULL))
        return false;
    return !r->hooks || !r->hooks->after ||
           r->hooks->after(r->hooks->user, pass, r->module, seconds);
}

static bool run_extra(running *r, const rlxc_extra_pass *extra)
{
    const rlxc_pass row = {.name = extra->name, .doc = extra->doc};
    return run_pass(r, &row, extra);
}

/* Runs the extra passes on one side of |anchor|, each with its own extra passes. An anchor precedes
 * its passes in the list, so the recursion ends. */
static bool run_beside(running *r, const char *anchor, bool after)
{
    for (uint32_t i = 0; i < r->options->n_extra; i++) {
        const rlxc_extra_pass *extra = &r->options->extra[i];
        if (extra->after == after && strcmp(extra->anchor, anchor) == 0 &&
            !(run_beside(r, extra->name, false) && run_extra(r, extra) &&
              run_beside(r, extra->name, true)))
            return false;
    }
    return true;
}

bool rlxc_run_passes(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                     const rlxc_pass_hooks *hooks)
{
    running r = {ctx, module, options, hooks, 0};
    for (uint32_t i = 0; i < N_PASSES; i++) {
        const rlxc_pass *pass = &passes[i];
        const bool skipped =
            options->opt_level < pass->min_opt_level && !rlxc_is_requested(options, pass->name);
        if (!run_beside(&r, pass->name, false) || (!skipped && !run_pass(&r, pass, NULL)) ||
            !run_beside(&r, pass->name, true))
            return false;
    }
    return true;
}

const char *rlxc_pass_needs(const char *name, uint32_t have)
{
    uint32_t needs = 0;
    for (uint32_t i = 0; i < N_PASSES; i++)
        if (strcmp(passes[i].name, name) == 0)
            needs = passes[i].needs & ~have;
    for (uint32_t i = 0; i < N_PASSES; i++)
        if (passes[i].gives & needs)
            return passes[i].name;
    return NULL;
}

bool rlxc_run_pass(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                   const rlxc_pass_hooks *hooks, const char *name, uint32_t *io_have)
{
    running r = {ctx, module, options, hooks, *io_have};
    bool ok = false, found = false;
    for (uint32_t i = 0; i < N_PASSES && !found; i++)
        if ((found = strcmp(passes[i].name, name) == 0))
            ok = run_pass(&r, &passes[i], NULL);
    for (uint32_t i = 0; i < options->n_extra && !found; i++)
        if ((found = strcmp(options->extra[i].name, name) == 0))
            ok = run_extra(&r, &options->extra[i]);
    *io_have = r.have;
    return ok;
}

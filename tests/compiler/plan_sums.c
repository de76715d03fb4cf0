/* See plan_sums.h. */
#include "tests/compiler/plan_sums.h"

#include "compiler/driver/compile.h"

#include <string.h>

rlx_plan_sums plan_sums_of(rlx_test *t, const plan_request *p)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlxc_options options;
    rlx_function_info info;
    rlx_plan_counts counts = {0};
    rlx_plan_sums sums = {0};
    cr_assert(rlxc_options_init(ctx, &options, p->triple, p->cpu, p->level));
    if (p->strategy)
        options.memory_layout = p->strategy;
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
    rlxc_module *module = rlxc_read_module(ctx, "test.py", p->text, strlen(p->text));
    cr_assert(module && rlxc_lower_module(ctx, module, &options, NULL) &&
                  rlxc_emit_bytecode(ctx, module, &options, builder),
              "%s%s", rlxc_render_diagnostics(ctx), p->text);
    RLX_OKAY(rlx_exec_builder_load(builder, NULL, &exe, &t->error));
    RLX_OKAY(rlx_executable_verify_plans(exe, &t->error));
    cr_assert(rlx_executable_function(exe, 0, &info) && rlx_function_plan(exe, 0, &counts) &&
              counts.n_regions <= 1);
    int64_t *slots = rlxc_alloc(ctx, ((size_t)info.n_slots + 1) * sizeof *slots);
    for (uint32_t i = 0; i < info.n_slots; i++)
        slots[i] = p->dim;
    if (counts.n_regions)
        RLX_OKAY(rlx_plan_compute(exe, 0, 0, slots, NULL, NULL, &sums, &t->error));
    rlx_executable_release(exe);
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    return sums;
}

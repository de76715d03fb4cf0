/* Pass state_shapes: emits checks of operators' requirements on dimensions that are not proved.
 *
 * compiler/ops/state.h handles one call; this pass walks the functions. Afterwards every operand of
 * known rank has symbols for its dimensions, and dimensions that a check makes equal have one name,
 * as if the module had stated it. Legalization does the same for the operators that it makes, and
 * finds these checks present. */
#include "compiler/passes/passes.h"

#include "compiler/ops/state.h"

static void block_begin(void *user, rlxc_builder *b)
{
    rlxc_state_block_begin(user, b->ctx);
}

static void block_end(void *user, rlxc_builder *b)
{
    rlxc_state_block_end(user, b->ctx);
}

static rlxc_rewrite_action state_binding(void *user, rlxc_builder *b, rlxc_binding *binding,
                                         rlxc_atom *replacement)
{
    (void)replacement;
    rlxc_state_note(user, b->ctx, binding);
    if (binding->form == RLXC_FORM_CALL && binding->op && binding->op->legalize)
        rlxc_state_call(user, b, binding);
    return RLXC_REWRITE_KEEP;
}

bool rlxc_pass_state_shapes(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        if (!module->globals.items[i]->relax)
            continue;
        rlxc_stated stated = {0};
        const rlxc_rewrite_pass pass = {&stated, state_binding, block_begin, block_end};
        rlxc_rewrite_function(ctx, module, module->globals.items[i]->relax, &pass);
    }
    return !rlxc_failed(ctx);
}

/* Pass match_patterns: replaces operators that exporters spell out as several small ones by the one
 * operator they mean (patterns.def), which has a kernel of its own. */
#include "compiler/passes/match_patterns.h"

#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/passes/passes.h"

typedef struct row {
    const char *name;
    bool shared;
    rlxc_match_build_fn build;
    const char *text;
} row;

static const row rows[] = {
#define RLXC_MATCH(name, shared, build, text, doc) {#name, shared, build, text},
#include "compiler/passes/patterns.def"
#undef RLXC_MATCH
};

enum { N_ROWS = sizeof rows / sizeof *rows };

/* The operators of pattern roots; most bindings have another one. */
static bool may_be_root(const rlxc_binding *binding)
{
    static const char *const names[] = {"add",      "multiply", "divide",
                                        "subtract", "matmul",   "permute_dims"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (binding->form == RLXC_FORM_CALL && binding->op &&
            strcmp(binding->op->name, names[i]) == 0)
            return true;
    return false;
}

bool rlxc_pass_match_patterns(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    rlxc_pattern_rule rules[N_ROWS];
    const rlxc_pattern_rewrite rewrite = {rules, N_ROWS, may_be_root, rlxc_match_cast_of_repeated};
    uint32_t replaced = 0;
    /* dead transpositions of conv_layout would count as uses of the values inside a pattern */
    if (!rlxc_pass_dce(ctx, module, options))
        return false;
    for (uint32_t i = 0; i < N_ROWS; i++)
        rules[i] = (rlxc_pattern_rule){rows[i].name, rows[i].shared, rows[i].build,
                                       rlxc_pattern_parse(ctx, rows[i].text), NULL};
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++) {
        rlxc_function *function = module->globals.items[i]->relax;
        if (function && !rlxc_rewrite_patterns(ctx, module, function, &rewrite, &replaced))
            return false;
    }
    return !rlxc_failed(ctx);
}

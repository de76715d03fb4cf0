/* The graph of a function that stays as it is, for patterns. */
#include "compiler/passes/pattern_graph.h"

static const rlxc_binding *find_definition(void *user, const rlxc_rvar *var)
{
    const rlxc_function_graph *g = user;
    return rlxc_map_get(&g->definitions, rlxc_key(var));
}

static uint32_t find_uses(void *user, const rlxc_rvar *var)
{
    const rlxc_function_graph *g = user;
    return var->id < g->n_vars ? g->uses[var->id] : 0;
}

static void add_block(rlxc_function_graph *g, const rlxc_binding_block *block);

static void add_body(rlxc_function_graph *g, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks; i++)
        add_block(g, body->blocks[i]);
}

static void add_block(rlxc_function_graph *g, const rlxc_binding_block *block)
{
    for (uint32_t k = 0; k < block->n && !rlxc_failed(g->graph.ctx); k++) {
        const rlxc_binding *b = block->bindings[k];
        if (b->form == RLXC_FORM_IF) {
            add_body(g, b->then);
            add_body(g, b->otherwise);
        } else if (b->form == RLXC_FORM_FUNCTION) {
            add_body(g, &b->function->body);
        }
        RLXC_PUSH(g->graph.ctx, &g->all, b);
        rlxc_map_set(g->graph.ctx, &g->definitions, rlxc_key(b->var), (void *)(uintptr_t)b);
    }
}

static bool begin(rlxc_function_graph *g, rlxc_context *ctx, const rlxc_module *module,
                  const rlxc_function *f)
{
    *g = (rlxc_function_graph){.graph = {.ctx = ctx, .module = module}};
    g->n_vars = rlxc_outermost((rlxc_function *)(uintptr_t)f)->n_vars;
    g->uses = rlxc_count_uses(ctx, f);
    g->graph.user = g;
    g->graph.definition = find_definition;
    g->graph.uses = find_uses;
    return g->uses != NULL;
}

static bool finish(rlxc_function_graph *g)
{
    g->graph.all = g->all.items;
    g->graph.n_all = g->all.count;
    return !rlxc_failed(g->graph.ctx);
}

bool rlxc_graph_of_function(rlxc_function_graph *g, rlxc_context *ctx, const rlxc_module *module,
                            const rlxc_function *f)
{
    if (!begin(g, ctx, module, f))
        return false;
    add_body(g, &f->body);
    return finish(g);
}

bool rlxc_graph_of_block(rlxc_function_graph *g, rlxc_context *ctx, const rlxc_module *module,
                         const rlxc_function *f, const rlxc_binding_block *block)
{
    if (!begin(g, ctx, module, f))
        return false;
    for (uint32_t k = 0; k < block->n; k++) {
        const rlxc_binding *b = block->bindings[k];
        RLXC_PUSH(ctx, &g->all, b);
        rlxc_map_set(ctx, &g->definitions, rlxc_key(b->var), (void *)(uintptr_t)b);
    }
    return finish(g);
}

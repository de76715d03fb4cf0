/* Pass fuse_ops_by_pattern: calls that match a pattern given by the user become a function of their
 * own, marked with attribute Composite = the pattern's name, as Relax's FuseOpsByPattern does.
 *
 * Patterns are tried in the order given, each in the whole module; matches end at the last bindings
 * first, so that of matches that overlap the one with the later root is taken. All bindings of a
 * match lie in one block and have no effects. Only the root's value is used outside, or, where the
 * pattern is shared, others as further results, unless such a use is needed inside. Functions that
 * are marked already stay as they are. */
#include "compiler/analysis/effects.h"
#include "compiler/passes/composite.h"
#include "compiler/passes/outline.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/pattern_graph.h"

#include <string.h>

typedef struct fusing {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *host; /* around the block */
    const rlxc_fusion *fusion;
    rlxc_pattern_text text;
} fusing;

/* "fused_relax_nn_conv2d_relax_nn_relu", as Relax names it. */
static const char *name_of(fusing *f, const rlxc_binding_block *block, const uint32_t *group_of,
                           uint32_t group)
{
    rlxc_text text = {.ctx = f->ctx};
    rlxc_text_puts(&text, "fused");
    for (uint32_t i = 0; i < block->n; i++) {
        const rlxc_binding *b = block->bindings[i];
        if (group_of[i] == group && b->op && text.length < 80)
            rlxc_text_printf(&text, "_relax_%s", b->op->name);
    }
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] == '.')
            text.data[i] = '_';
    return rlxc_intern(f->ctx, text.data ? text.data : "fused", text.length);
}

/* Places of the match's bindings, if all are free and without effects. */
static bool may_take(const fusing *f, const rlxc_map *places, const uint32_t *group_of,
                     const rlxc_match *m)
{
    for (uint32_t i = 0; i < m->n_inside; i++) {
        const rlxc_binding *b = m->inside[i];
        uint32_t place = (uint32_t)(uintptr_t)rlxc_map_get(places, rlxc_key(b->var));
        if (place == 0 || group_of[place - 1] != RLXC_NO_GROUP ||
            !rlxc_binding_is_mergeable(f->module, b))
            return false;
    }
    return m->n_inside > 0 && (!f->fusion->check || f->fusion->check(f->fusion->user, f->ctx, m));
}

static void set_group(const rlxc_map *places, uint32_t *group_of, const rlxc_match *m,
                      uint32_t group)
{
    for (uint32_t k = 0; k < m->n_inside; k++)
        group_of[(uintptr_t)rlxc_map_get(places, rlxc_key(m->inside[k]->var)) - 1] = group;
}

/* A match that ends at |b| with all else used inside only, or else any that the pattern allows;
 * then *out_shared is set. */
static bool match_at(const fusing *f, const rlxc_function_graph *g, const rlxc_map *places,
                     const uint32_t *group_of, const rlxc_binding *b, rlxc_match *m,
                     bool *out_shared)
{
    const rlxc_atom root = rlxc_atom_var(b->var);
    *out_shared = f->text.n_roots > 1;
    if (rlxc_pattern_match(&g->graph, &f->text, root, false, m) && may_take(f, places, group_of, m))
        return true;
    if (*out_shared || !f->fusion->shared)
        return false;
    *out_shared = true;
    return rlxc_pattern_match(&g->graph, &f->text, root, true, m) &&
           may_take(f, places, group_of, m);
}

static bool fuse_block(fusing *f, rlxc_binding_block *block)
{
    rlxc_context *ctx = f->ctx;
    rlxc_function_graph g;
    rlxc_map places = {0};
    RLXC_VEC(rlxc_outline_group) groups = {0};
    uint32_t *group_of = rlxc_try_alloc(ctx, (size_t)block->n + 1, sizeof *group_of);
    if (!group_of || !rlxc_graph_of_block(&g, ctx, f->module, rlxc_outermost(f->host), block))
        return false;
    for (uint32_t i = 0; i < block->n; i++) {
        group_of[i] = RLXC_NO_GROUP;
        rlxc_map_set(ctx, &places, rlxc_key(block->bindings[i]->var), (void *)((uintptr_t)i + 1));
    }
    for (uint32_t i = block->n; i-- > 0 && !rlxc_failed(ctx);) {
        const rlxc_binding *b = block->bindings[i];
        rlxc_match m;
        bool shared;
        if (group_of[i] != RLXC_NO_GROUP || b->form == RLXC_FORM_IF ||
            b->form == RLXC_FORM_FUNCTION || !match_at(f, &g, &places, group_of, b, &m, &shared))
            continue;
        set_group(&places, group_of, &m, groups.count);
        if (shared && !rlxc_outline_may_group(ctx, block, &places, group_of, groups.count)) {
            set_group(&places, group_of, &m, RLXC_NO_GROUP);
            continue;
        }
        rlxc_outline_group group = {.marked = b->range,
                                    .lift_constants = f->fusion->lift_constants};
        group.name = name_of(f, block, group_of, groups.count);
        group.attrs = rlxc_attrs_with(ctx, group.attrs, rlxc_intern_cstr(ctx, "Composite"),
                                      rlxc_attr_string(ctx, f->fusion->name));
        RLXC_PUSH(ctx, &groups, group);
    }
    const rlxc_outline o = {.ctx = ctx,
                            .module = f->module,
                            .host = f->host,
                            .block = block,
                            .group_of = group_of,
                            .groups = groups.items,
                            .n_groups = groups.count};
    return !rlxc_failed(ctx) && (groups.count == 0 || rlxc_outline_block(&o));
}

static bool fuse_body(fusing *f, rlxc_body *body)
{
    rlxc_function *outer = f->host;
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        rlxc_binding_block *block = body->blocks[i];
        for (uint32_t k = 0; k < block->n; k++) {
            rlxc_binding *b = block->bindings[k];
            bool ok = true;
            if (b->form == RLXC_FORM_IF) {
                ok = fuse_body(f, b->then) && fuse_body(f, b->otherwise);
            } else if (b->form == RLXC_FORM_FUNCTION && !rlxc_is_marked(f->ctx, b->function)) {
                f->host = b->function;
                ok = fuse_body(f, &b->function->body);
                f->host = outer;
            }
            if (!ok)
                return false;
        }
        if (!fuse_block(f, block))
            return false;
    }
    return true;
}

bool rlxc_pass_fuse_ops_by_pattern(rlxc_context *ctx, rlxc_module *module,
                                   const rlxc_options *options)
{
    if (options->n_fusions == 0)
        return true;
    /* copies and dead calls would count as uses of the values inside a match */
    if (!rlxc_pass_canonicalize(ctx, module, options) || !rlxc_pass_dce(ctx, module, options))
        return false;
    for (uint32_t k = 0; k < options->n_fusions; k++) {
        fusing f = {.ctx = ctx, .module = module, .fusion = &options->fusions[k]};
        f.text = rlxc_pattern_parse(ctx, f.fusion->pattern);
        const uint32_t n = module->globals.count; /* not those added meanwhile */
        for (uint32_t i = 0; f.text.root && i < n; i++) {
            rlxc_function *function = module->globals.items[i]->relax;
            f.host = function;
            if (function && !rlxc_is_marked(ctx, function) && !fuse_body(&f, &function->body))
                return false;
        }
        if (rlxc_failed(ctx))
            return false;
    }
    return true;
}

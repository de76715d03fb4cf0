/* Patterns for users of the library: finds matches and replaces them. */
#include "compiler/api/build.h"
#include "compiler/passes/match_patterns.h"
#include "compiler/passes/pattern_graph.h"

#include <string.h>

struct rlx_ir_match { /* in the arena */
    rlxc_match match;
    rlxc_pattern_text text;
};

rlx_status rlx_ir_function_match(rlx_ir_module *m, const rlx_ir_function *f, const char *pattern,
                                 const rlx_ir_binding *root, bool shared, const rlx_ir_match **out,
                                 rlx_error *err)
{
    rlxc_api_call call;
    if (f == NULL || pattern == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the function, the pattern or out is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlx_ir_match *found = rlxc_alloc(ctx, sizeof *found);
    rlxc_function_graph g;
    bool ok = rlxc_build_infer(m), matches = false;
    found->text = ok ? rlxc_pattern_parse(ctx, rlxc_intern_cstr(ctx, pattern))
                     : (rlxc_pattern_text){.root = NULL};
    ok = found->text.root != NULL && rlxc_graph_of_function(&g, ctx, m->ir, of_function(f));
    for (uint32_t i = 0; ok && !matches && i < g.graph.n_all; i++)
        if (root == NULL || of_binding(root) == g.graph.all[i])
            matches = rlxc_pattern_match(&g.graph, &found->text, rlxc_atom_var(g.graph.all[i]->var),
                                         shared, &found->match);
    RLX_TRY(rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err));
    *out = matches ? found : NULL;
    return RLX_OK;
}

static uint32_t name_of(const rlx_ir_match *m, const char *name)
{
    uint32_t i = 0;
    while (m != NULL && name != NULL && i < m->text.n_names && strcmp(m->text.names[i], name) != 0)
        i++;
    return m != NULL && name != NULL && i < m->text.n_names ? i : UINT32_MAX;
}

const rlx_ir_value *rlx_ir_match_value(const rlx_ir_match *m, const char *name)
{
    uint32_t i = name_of(m, name);
    return i != UINT32_MAX && m->match.atoms[i].kind != RLXC_ATOM_NONE
               ? to_value(&m->match.atoms[i])
               : NULL;
}

const rlx_ir_expr *rlx_ir_match_dim(const rlx_ir_match *m, const char *name)
{
    uint32_t i = name_of(m, name);
    return i != UINT32_MAX ? to_expr(m->match.dims[i]) : NULL;
}

const rlx_ir_binding *rlx_ir_match_binding(const rlx_ir_match *m, uint32_t i)
{
    return m != NULL && i < m->match.n_inside ? to_binding(m->match.inside[i]) : NULL;
}

/* --- replacing ------------------------------------------------------------------------------- */

typedef struct replacing {
    rlx_ir_builder builder;
    const rlx_ir_value *(*build)(void *user, rlx_ir_builder *b, const rlx_ir_match *match);
    void *user;
} replacing;

const rlx_ir_match *rlxc_api_match(rlxc_context *ctx, const rlxc_match *match)
{
    rlx_ir_match *handle = rlxc_alloc(ctx, sizeof *handle);
    *handle = (rlx_ir_match){*match, *match->pattern};
    return handle;
}

static rlxc_atom build_by_call(rlxc_matching *t)
{
    replacing *r = t->user;
    r->builder.b = t->b;
    const rlx_ir_value *value = r->build(r->user, &r->builder, rlxc_api_match(t->g.ctx, &t->m));
    return value != NULL ? *of_value(value) : rlxc_build_no_atom();
}

rlx_status rlx_ir_function_replace(rlx_ir_module *m, rlx_ir_function *f, const char *pattern,
                                   bool shared,
                                   const rlx_ir_value *(*build)(void *user, rlx_ir_builder *b,
                                                                const rlx_ir_match *match),
                                   void *user, uint32_t *out_n, rlx_error *err)
{
    rlxc_api_call call;
    if (f == NULL || pattern == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the function or the pattern is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    uint32_t n = 0;
    replacing r = {.builder = {.m = m, .rewrites = true}, .build = build, .user = user};
    const char *text = rlxc_intern_cstr(ctx, pattern);
    bool ok = rlxc_build_may_change(m) && rlxc_build_infer(m);
    if (ok) {
        rlxc_api_symbols(ctx, of_function(f), &r.builder.symbols);
        ok = build == NULL ? rlxc_replace_pattern(ctx, m->ir, of_function(f), text, shared, &n)
                           : rlxc_replace_pattern_by(ctx, m->ir, of_function(f), text, shared,
                                                     build_by_call, &r, &n);
        ok = ok && (m->compiler->running != NULL ||
                    rlxc_well_formed(ctx, m->ir, "replacing a pattern", false));
        m->broken = m->broken || (!ok && n > 0);
    }
    RLX_TRY(rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err));
    if (out_n != NULL)
        *out_n = n;
    return RLX_OK;
}

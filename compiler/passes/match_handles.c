/* Pass match_handles: handle parameters of PrimFuncs without a T.match_buffer become buffers of the
 * rank and element type that calls pass.
 *
 *     def f(a: T.handle): T.evaluate(0)         called as  f(x)  of x: R.Tensor((n, 4), "float32")
 *     def f(a: T.handle): A = T.match_buffer(a, (d0, d1), "float32"); T.evaluate(0)
 *
 * The dimensions are symbols of their own, so later calls may pass other sizes; a call that passes
 * another rank or type is an error when it is lowered, as for any buffer. A handle that the body
 * uses, or that no call passes a tensor for, stays a handle, which the code generator reports. */
#include "compiler/analysis/alias.h"
#include "compiler/passes/passes.h"

typedef struct matcher {
    rlxc_context *ctx;
    const rlxc_module *module;
} matcher;

typedef struct search {
    const rlxc_expr *var;
    bool found;
} search;

static const rlxc_expr *meet(void *user, const rlxc_expr *e)
{
    search *s = user;
    s->found |= e == s->var;
    return NULL;
}

static bool body_uses(const matcher *m, const rlxc_prim_func *f, const rlxc_expr *var)
{
    search s = {.var = var};
    const rlxc_stmt_rewriter visitor = {.user = &s, .expr = meet};
    if (f->body)
        rlxc_stmt_rewrite(m->ctx, f->body, &visitor);
    return s.found;
}

static void match(const matcher *m, rlxc_prim_func *f, uint32_t i, const rlxc_sinfo *t)
{
    rlxc_context *ctx = m->ctx;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    if (i >= f->n_params || f->params[i].buffer || !rlxc_dtype_is_handle(f->params[i].var->dtype) ||
        !t || t->kind != RLXC_SINFO_TENSOR || t->ndim < 0 || t->ndim > RLXC_MAX_NDIM ||
        rlxc_dtype_is_void(t->dtype) || body_uses(m, f, f->params[i].var))
        return;
    const rlxc_expr *handle = f->params[i].var;
    for (int32_t d = 0; d < t->ndim; d++)
        dims[d] = rlxc_var(ctx, rlxc_internf(ctx, "%s_d%d", handle->var.name, d), RLX_I64);
    f->params[i].buffer = rlxc_buffer_new(ctx, rlxc_internf(ctx, "%s_buffer", handle->var.name),
                                          t->dtype, dims, (uint32_t)t->ndim);
}

/* The arguments of a call, given as atoms or as one tuple of them; the next parameter. */
static uint32_t match_given(const matcher *m, rlxc_prim_func *f, const rlxc_atom *args, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        match(m, f, i, rlxc_atom_sinfo(m->ctx, m->module, args[i]));
    return n;
}

static bool match_call(void *user, rlxc_binding *b)
{
    const matcher *m = user;
    rlxc_atom callee = b->callee;
    const bool tir = rlxc_is_op(b, "call_tir"), dyn = rlxc_is_op(b, "vm.call_tir_dyn");
    if (b->form == RLXC_FORM_FUNCTION)
        return rlxc_each_binding(&b->function->body, match_call, user);
    if (b->form != RLXC_FORM_CALL || (b->op && (b->n_args < 2 || (!tir && !dyn))))
        return true;
    if (b->op)
        callee = b->args[0];
    const rlxc_global *g =
        callee.kind == RLXC_ATOM_GLOBAL ? rlxc_module_find(m->module, callee.text) : NULL;
    if (!g || !g->prim)
        return true;
    if (!b->op) {
        match_given(m, g->prim, b->args, b->n_args);
        return true;
    }
    const rlxc_atom given = b->args[1];
    uint32_t next = given.kind == RLXC_ATOM_TUPLE ? match_given(m, g->prim, given.items, given.n)
                                                  : match_given(m, g->prim, &given, 1);
    for (uint32_t i = 0; tir && i < b->n_sinfo_args; i++) {
        const rlxc_sinfo *out = b->sinfo_args[i];
        if (out->kind != RLXC_SINFO_TUPLE)
            match(m, g->prim, next++, out);
        else
            for (uint32_t k = 0; k < out->n_fields; k++)
                match(m, g->prim, next++, out->fields[k]);
    }
    return true;
}

bool rlxc_pass_match_handles(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    matcher m = {ctx, module};
    for (uint32_t i = 0; i < module->globals.count && !rlxc_failed(ctx); i++)
        if (module->globals.items[i]->relax)
            rlxc_each_binding(&module->globals.items[i]->relax->body, match_call, &m);
    return !rlxc_failed(ctx);
}

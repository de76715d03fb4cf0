/* Copies of bindings for functions that are made of others. The recursion is over If and local
 * functions, tuples and attributes. */
#include <string.h>

#include "compiler/passes/outline.h"

/* The lists differ in length when memory is out. */
static uint32_t count_symbols(const rlxc_copier *c)
{
    return c->from.vars.count < c->to.vars.count ? c->from.vars.count : c->to.vars.count;
}

static const rlxc_expr *copy_expr(rlxc_copier *c, const rlxc_expr *e)
{
    const uint32_t n = count_symbols(c);
    return n == 0 ? e
                  : rlxc_substitute(c->ctx, e, c->from.vars.items,
                                    (const rlxc_expr *const *)c->to.vars.items, n);
}

const rlxc_sinfo *rlxc_copy_sinfo(rlxc_copier *c, const rlxc_sinfo *s)
{
    const uint32_t n = count_symbols(c);
    return s == NULL || n == 0
               ? s
               : rlxc_sinfo_substitute(c->ctx, s, c->from.vars.items,
                                       (const rlxc_expr *const *)c->to.vars.items, n);
}

rlxc_atom rlxc_copy_atom(rlxc_copier *c, rlxc_atom atom)
{
    rlxc_rvar *var;
    switch (atom.kind) {
    case RLXC_ATOM_VAR:
        var = rlxc_map_get(&c->vars, rlxc_key(atom.var));
        return var ? rlxc_atom_var(var) : atom;
    case RLXC_ATOM_SHAPE: {
        const rlxc_expr **dims = rlxc_alloc(c->ctx, ((size_t)atom.n + 1) * sizeof(rlxc_expr *));
        for (uint32_t i = 0; i < atom.n; i++)
            dims[i] = copy_expr(c, atom.dims[i]);
        return rlxc_atom_shape(c->ctx, dims, atom.n);
    }
    case RLXC_ATOM_PRIM:
        return rlxc_atom_prim(copy_expr(c, atom.prim));
    case RLXC_ATOM_TUPLE: {
        rlxc_atom *items = rlxc_alloc(c->ctx, ((size_t)atom.n + 1) * sizeof *items);
        for (uint32_t i = 0; i < atom.n; i++)
            items[i] = rlxc_copy_atom(c, atom.items[i]);
        return rlxc_atom_tuple(c->ctx, items, atom.n);
    }
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_CONSTANT:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
    case RLXC_ATOM_GLOBAL:
    case RLXC_ATOM_EXTERN:
        return atom;
    }
    return atom;
}

static rlxc_attr copy_attr(rlxc_copier *c, rlxc_attr a)
{
    if (a.kind == RLXC_ATTR_EXPR)
        return rlxc_attr_expr(copy_expr(c, a.expr));
    if (a.kind != RLXC_ATTR_LIST || a.list.count == 0)
        return a;
    rlxc_attr *items = rlxc_alloc(c->ctx, a.list.count * sizeof *items);
    for (uint32_t i = 0; i < a.list.count; i++)
        items[i] = copy_attr(c, a.list.items[i]);
    a.list.items = items;
    return a;
}

static rlxc_attrs copy_attrs(rlxc_copier *c, rlxc_attrs attrs)
{
    rlxc_attr *values = rlxc_alloc(c->ctx, ((size_t)attrs.count + 1) * sizeof *values);
    for (uint32_t i = 0; i < attrs.count; i++)
        values[i] = copy_attr(c, attrs.values[i]);
    attrs.values = values;
    return attrs;
}

rlxc_rvar *rlxc_copy_var(rlxc_copier *c, const rlxc_rvar *var)
{
    rlxc_rvar *again = rlxc_rvar_new(c->ctx, c->into, var->name, rlxc_copy_sinfo(c, var->sinfo));
    again->given = var->given;
    again->is_dataflow = var->is_dataflow;
    again->range = var->range;
    rlxc_map_set(c->ctx, &c->vars, rlxc_key(var), again);
    return again;
}

static void copy_body(rlxc_copier *c, const rlxc_body *from, rlxc_body *out)
{
    *out = (rlxc_body){.result_range = from->result_range};
    for (uint32_t i = 0; i < from->n_blocks && !rlxc_failed(c->ctx); i++) {
        rlxc_binding_block *block = rlxc_block_new(c->ctx, from->blocks[i]->is_dataflow);
        for (uint32_t k = 0; k < from->blocks[i]->n && !rlxc_failed(c->ctx); k++)
            rlxc_block_push(c->ctx, block, rlxc_copy_binding(c, from->blocks[i]->bindings[k]));
        rlxc_body_push(c->ctx, out, block);
    }
    out->result = rlxc_copy_atom(c, from->result);
}

/* |f| with |c|'s variables and symbols; c->into becomes its parent. */
static rlxc_function *copy_local(rlxc_copier *c, const rlxc_function *f)
{
    rlxc_function *outer = c->into, *g = rlxc_copy(c->ctx, f, sizeof *f);
    g->parent = outer;
    g->n_vars = 0;
    c->into = g;
    g->params = rlxc_alloc(c->ctx, ((size_t)f->n_params + 1) * sizeof(rlxc_rvar *));
    for (uint32_t i = 0; i < f->n_params; i++)
        g->params[i] = rlxc_copy_var(c, f->params[i]);
    copy_body(c, &f->body, &g->body);
    g->ret = rlxc_copy_sinfo(c, f->ret);
    c->into = outer;
    return g;
}

rlxc_binding *rlxc_copy_binding(rlxc_copier *c, const rlxc_binding *b)
{
    rlxc_binding *again = rlxc_copy(c->ctx, b, sizeof *b);
    rlxc_atom *args = rlxc_alloc(c->ctx, ((size_t)b->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < b->n_args; i++)
        args[i] = rlxc_copy_atom(c, b->args[i]);
    again->args = args;
    again->callee = rlxc_copy_atom(c, b->callee);
    again->attrs = copy_attrs(c, b->attrs);
    const rlxc_sinfo **types =
        rlxc_alloc(c->ctx, ((size_t)b->n_sinfo_args + 1) * sizeof(const rlxc_sinfo *));
    for (uint32_t i = 0; i < b->n_sinfo_args; i++)
        types[i] = rlxc_copy_sinfo(c, b->sinfo_args[i]);
    again->sinfo_args = types;
    if (b->form == RLXC_FORM_FUNCTION) {
        again->var = rlxc_copy_var(c, b->var); /* it may call itself */
        again->function = copy_local(c, b->function);
        return again;
    }
    if (b->form == RLXC_FORM_IF) {
        again->then = rlxc_alloc(c->ctx, sizeof *again->then);
        again->otherwise = rlxc_alloc(c->ctx, sizeof *again->otherwise);
        copy_body(c, b->then, again->then);
        copy_body(c, b->otherwise, again->otherwise);
    }
    again->var = rlxc_copy_var(c, b->var);
    return again;
}

rlxc_function *rlxc_copy_function(rlxc_context *ctx, rlxc_function *into, const rlxc_function *f)
{
    rlxc_copier c = {.ctx = ctx, .into = into};
    for (uint32_t i = 0; i < f->n_params; i++)
        rlxc_sinfo_collect_vars(ctx, f->params[i]->sinfo, &c.from);
    for (uint32_t i = 0; i < c.from.vars.count; i++)
        RLXC_PUSH(ctx, &c.to.vars, rlxc_var_like(ctx, c.from.vars.items[i]));
    rlxc_function *g = copy_local(&c, f);
    g->is_private = false; /* of functions of the module */
    return g;
}

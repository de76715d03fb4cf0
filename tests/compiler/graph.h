/* Builds graphs by hand for the tests of compiler/ir: one function, its current block, and short
 * calls that append bindings. */
#ifndef TESTS_COMPILER_GRAPH_H
#define TESTS_COMPILER_GRAPH_H

#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"

typedef struct graph {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *f;
    rlxc_binding_block *block;
} graph;

static inline const rlxc_sinfo *graph_tensor(rlxc_context *ctx, const rlxc_expr *a,
                                             const rlxc_expr *b)
{
    const rlxc_expr *dims[] = {a, b};
    return rlxc_sinfo_tensor(ctx, RLX_F32, b ? 2 : 1, dims, NULL);
}

/* A function with no parameters and one empty block, not yet in the module. */
static inline graph graph_new(rlxc_context *ctx, rlxc_module *module, const char *name,
                              bool is_dataflow)
{
    graph g = {.ctx = ctx, .module = module, .f = rlxc_alloc(ctx, sizeof(rlxc_function))};
    g.f->name = rlxc_intern_cstr(ctx, name);
    g.f->is_pure = true;
    g.block = rlxc_block_new(ctx, is_dataflow);
    rlxc_body_push(ctx, &g.f->body, g.block);
    return g;
}

static inline rlxc_rvar *graph_param(graph *g, const char *name, const rlxc_sinfo *s)
{
    rlxc_rvar *v = rlxc_rvar_new(g->ctx, g->f, name, s);
    rlxc_rvar **params = rlxc_alloc(g->ctx, (g->f->n_params + 1) * sizeof *params);
    for (uint32_t i = 0; i < g->f->n_params; i++)
        params[i] = g->f->params[i];
    params[g->f->n_params++] = v;
    g->f->params = params;
    return v;
}

/* Appends var = form(args), and infers its type unless the context has failed. The variable is a
 * dataflow variable in dataflow blocks. */
static inline rlxc_binding *graph_bind(graph *g, rlxc_form form, const char *name,
                                       const rlxc_atom *args, uint32_t n)
{
    rlxc_binding *b = rlxc_binding_new(g->ctx, form, rlxc_rvar_new(g->ctx, g->f, name, NULL));
    rlxc_atom tuple = rlxc_atom_tuple(g->ctx, args, n);
    b->var->is_dataflow = g->block->is_dataflow;
    b->args = tuple.items;
    b->n_args = tuple.n;
    rlxc_block_push(g->ctx, g->block, b);
    return b;
}

static inline rlxc_rvar *graph_infer(graph *g, rlxc_binding *b)
{
    rlxc_infer_binding(g->ctx, g->module, b);
    return b->var;
}

static inline rlxc_rvar *graph_add(graph *g, const char *name, rlxc_rvar *x, rlxc_rvar *y)
{
    rlxc_atom args[] = {rlxc_atom_var(x), rlxc_atom_var(y)};
    rlxc_binding *b = graph_bind(g, RLXC_FORM_CALL, name, args, 2);
    b->op = rlxc_find_operator("add", 3);
    return graph_infer(g, b);
}

static inline rlxc_rvar *graph_copy(graph *g, const char *name, rlxc_rvar *x)
{
    rlxc_atom arg = rlxc_atom_var(x);
    return graph_infer(g, graph_bind(g, RLXC_FORM_COPY, name, &arg, 1));
}

static inline rlxc_binding *graph_call(graph *g, const char *name, rlxc_atom callee,
                                       const rlxc_atom *args, uint32_t n)
{
    rlxc_binding *b = graph_bind(g, RLXC_FORM_CALL, name, args, n);
    b->callee = callee;
    return b;
}

static inline rlxc_rvar *graph_match_cast(graph *g, const char *name, rlxc_rvar *x,
                                          const rlxc_sinfo *s)
{
    rlxc_atom arg = rlxc_atom_var(x);
    rlxc_binding *b = graph_bind(g, RLXC_FORM_MATCH_CAST, name, &arg, 1);
    b->sinfo_args = rlxc_copy(g->ctx, (const void *)&s, sizeof s);
    b->n_sinfo_args = 1;
    return graph_infer(g, b);
}

/* Ends the function with |result| and adds it to the module. */
static inline void graph_end(graph *g, rlxc_rvar *result)
{
    g->f->body.result = rlxc_atom_var(result);
    if (result->is_dataflow)
        result->is_dataflow = false;
    if (!g->f->ret)
        g->f->ret = result->sinfo;
    rlxc_module_add_relax(g->ctx, g->module, g->f, false);
}

/* Builds a branch of one binding block with |fill|, then restores the graph's current block. */
static inline rlxc_body *graph_branch(graph *g, rlxc_rvar *(*fill)(graph *g, void *user),
                                      void *user)
{
    rlxc_binding_block *outer = g->block;
    rlxc_body *body = rlxc_alloc(g->ctx, sizeof *body);
    g->block = rlxc_block_new(g->ctx, false);
    rlxc_body_push(g->ctx, body, g->block);
    body->result = rlxc_atom_var(fill(g, user));
    g->block = outer;
    return body;
}

#endif

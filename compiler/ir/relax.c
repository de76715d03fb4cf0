/* Relax modules, functions, bindings and atoms: construction, and the types of atoms.
 *
 * Nothing here checks the IR's invariants (wellformed.c) or infers types (infer.c). Objects live in
 * the context's arena. Names are interned on the way in, so that passes compare pointers. */
#include "compiler/ir/relax.h"

#include "compiler/base/context_state.h"

rlxc_module *rlxc_module_new(rlxc_context *ctx)
{
    rlxc_module *m = rlxc_alloc(ctx, sizeof *m);
    m->name = rlxc_intern_cstr(ctx, "Module");
    return m;
}

rlxc_global *rlxc_module_find(const rlxc_module *module, const char *interned_name)
{
    return rlxc_map_get(&module->by_name, rlxc_key(interned_name));
}

/* |name|, or with |unique| one of name, name1, name2, ... that is free; NULL when taken. */
static const char *free_name(rlxc_context *ctx, const rlxc_module *module, const char *name,
                             bool unique)
{
    const char *candidate = rlxc_intern_cstr(ctx, name);
    if (!unique)
        return rlxc_module_find(module, candidate) ? NULL : candidate;
    /* Doubling, then halving, keeps thousands of equal names from probing quadratically. */
    uint32_t taken = 0, step = 1;
    if (!rlxc_module_find(module, candidate))
        return candidate;
    while (step > 0 && !rlxc_failed(ctx)) {
        if (rlxc_module_find(module, rlxc_internf(ctx, "%s%u", name, taken + step))) {
            taken += step;
            step *= 2;
        } else if (step == 1) {
            break;
        } else {
            step = 1;
        }
    }
    return rlxc_internf(ctx, "%s%u", name, taken + 1);
}

static rlxc_global *add_global(rlxc_context *ctx, rlxc_module *module, const char *name)
{
    rlxc_global *g = rlxc_alloc(ctx, sizeof *g);
    g->name = name;
    RLXC_PUSH(ctx, &module->globals, g);
    rlxc_map_set(ctx, &module->by_name, rlxc_key(name), g);
    return g;
}

rlxc_global *rlxc_module_add_relax(rlxc_context *ctx, rlxc_module *module, rlxc_function *f,
                                   bool unique)
{
    const char *name = free_name(ctx, module, f->name, unique);
    if (!name)
        return NULL;
    rlxc_global *g = add_global(ctx, module, name);
    f->name = name;
    g->relax = f;
    return g;
}

rlxc_global *rlxc_module_add_prim(rlxc_context *ctx, rlxc_module *module, rlxc_prim_func *f,
                                  bool unique)
{
    const char *name = free_name(ctx, module, f->name, unique);
    if (!name)
        return NULL;
    rlxc_global *g = add_global(ctx, module, name);
    f->name = name;
    g->prim = f;
    return g;
}

void rlxc_module_remove(rlxc_context *ctx, rlxc_module *module, const char *interned_name)
{
    const rlxc_global *g = rlxc_module_find(module, interned_name);
    if (!g)
        return;
    rlxc_map_set(ctx, &module->by_name, rlxc_key(interned_name), NULL);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (module->globals.items[i] != g)
            module->globals.items[kept++] = module->globals.items[i];
    module->globals.count = kept;
}

rlxc_function *rlxc_outermost(rlxc_function *f)
{
    while (f->parent)
        f = f->parent;
    return f;
}

rlxc_rvar *rlxc_rvar_new(rlxc_context *ctx, rlxc_function *f, const char *name,
                         const rlxc_sinfo *sinfo)
{
    rlxc_rvar *v = rlxc_alloc(ctx, sizeof *v);
    v->name = rlxc_intern_cstr(ctx, name);
    v->id = rlxc_outermost(f)->n_vars++;
    v->sinfo = sinfo;
    return v;
}

rlxc_constant *rlxc_constant_new(rlxc_context *ctx, rlx_dtype dtype, uint32_t ndim,
                                 const int64_t *shape, const void *data, size_t nbytes)
{
    rlxc_constant *c = rlxc_alloc(ctx, sizeof *c);
    c->dtype = dtype;
    c->ndim = ndim;
    if (ndim > 0)
        c->shape = rlxc_copy(ctx, shape, ndim * sizeof *shape);
    c->data = data;
    c->nbytes = nbytes;
    c->id = ctx->next_id++;
    return c;
}

/* --- atoms ------------------------------------------------------------------------------------ */

rlxc_atom rlxc_atom_var(rlxc_rvar *var)
{
    return (rlxc_atom){.kind = RLXC_ATOM_VAR, .var = var};
}

rlxc_atom rlxc_atom_constant(const rlxc_constant *c)
{
    return (rlxc_atom){.kind = RLXC_ATOM_CONSTANT, .constant = c};
}

rlxc_atom rlxc_atom_shape(rlxc_context *ctx, const rlxc_expr *const *dims, uint32_t n)
{
    /* The struct info's array has the canonical dimensions and lives as long as the context. */
    const rlxc_sinfo *s = rlxc_sinfo_shape(ctx, (int32_t)n, dims);
    return (rlxc_atom){.kind = RLXC_ATOM_SHAPE, .n = s->ndim < 0 ? 0 : n, .dims = s->dims};
}

rlxc_atom rlxc_atom_prim(const rlxc_expr *e)
{
    return (rlxc_atom){.kind = RLXC_ATOM_PRIM, .prim = e};
}

rlxc_atom rlxc_atom_string(rlxc_context *ctx, const char *text)
{
    return (rlxc_atom){.kind = RLXC_ATOM_STRING, .text = rlxc_intern_cstr(ctx, text)};
}

rlxc_atom rlxc_atom_dtype(rlx_dtype dtype)
{
    return (rlxc_atom){.kind = RLXC_ATOM_DTYPE, .dtype = dtype};
}

rlxc_atom rlxc_atom_global(rlxc_context *ctx, const char *name)
{
    return (rlxc_atom){.kind = RLXC_ATOM_GLOBAL, .text = rlxc_intern_cstr(ctx, name)};
}

rlxc_atom rlxc_atom_extern(rlxc_context *ctx, const char *name)
{
    return (rlxc_atom){.kind = RLXC_ATOM_EXTERN, .text = rlxc_intern_cstr(ctx, name)};
}

rlxc_atom rlxc_atom_tuple(rlxc_context *ctx, const rlxc_atom *items, uint32_t n)
{
    rlxc_atom atom = {.kind = RLXC_ATOM_TUPLE};
    /* Operand lists are short, and short allocations never fail, so a call always has its operands.
     */
    size_t size = ((size_t)n + 1) * sizeof(rlxc_atom);
    rlxc_atom *copy = size <= RLXC_MAX_ALLOC ? rlxc_alloc(ctx, size)
                                             : rlxc_try_alloc(ctx, (size_t)n + 1, sizeof *copy);
    if (!copy)
        return atom;
    for (uint32_t i = 0; i < n; i++)
        copy[i] = items[i];
    atom.n = n;
    atom.items = copy;
    return atom;
}

bool rlxc_atom_equal(rlxc_atom a, rlxc_atom b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case RLXC_ATOM_NONE:
        return true;
    case RLXC_ATOM_VAR:
        return a.var == b.var;
    case RLXC_ATOM_CONSTANT:
        return a.constant == b.constant;
    case RLXC_ATOM_SHAPE:
        if (a.n != b.n)
            return false;
        for (uint32_t i = 0; i < a.n; i++)
            if (a.dims[i] != b.dims[i])
                return false;
        return true;
    case RLXC_ATOM_PRIM:
        return a.prim == b.prim;
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_GLOBAL:
    case RLXC_ATOM_EXTERN:
        return a.text == b.text;
    case RLXC_ATOM_DTYPE:
        return rlx_dtype_eq(a.dtype, b.dtype);
    case RLXC_ATOM_TUPLE:
        if (a.n != b.n)
            return false;
        for (uint32_t i = 0; i < a.n; i++)
            if (!rlxc_atom_equal(a.items[i], b.items[i]))
                return false;
        return true;
    }
    return false;
}

static const rlxc_sinfo *constant_sinfo(rlxc_context *ctx, const rlxc_constant *c)
{
    if (c->ndim > RLXC_MAX_NDIM)
        return rlxc_sinfo_tensor(ctx, c->dtype, RLXC_UNKNOWN_NDIM, NULL, NULL);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < c->ndim; i++)
        dims[i] = rlxc_i64(ctx, c->shape[i]);
    return rlxc_sinfo_tensor(ctx, c->dtype, (int32_t)c->ndim, dims, NULL);
}

static const rlxc_sinfo *global_sinfo(rlxc_context *ctx, const rlxc_module *module,
                                      const char *name)
{
    const rlxc_global *g = module ? rlxc_module_find(module, name) : NULL;
    if (!g)
        return rlxc_sinfo_object(ctx);
    return g->relax ? rlxc_function_sinfo(ctx, g->relax)
                    : rlxc_sinfo_callable_opaque(ctx, NULL, true);
}

const rlxc_sinfo *rlxc_atom_sinfo(rlxc_context *ctx, const rlxc_module *module, rlxc_atom atom)
{
    switch (atom.kind) {
    case RLXC_ATOM_VAR:
        if (atom.var->sinfo)
            return atom.var->sinfo;
        return atom.var->annotation ? atom.var->annotation : rlxc_sinfo_object(ctx);
    case RLXC_ATOM_CONSTANT:
        return constant_sinfo(ctx, atom.constant);
    case RLXC_ATOM_SHAPE:
        return rlxc_sinfo_shape(ctx, (int32_t)atom.n, atom.dims);
    case RLXC_ATOM_PRIM:
        return rlxc_sinfo_prim(ctx, atom.prim->dtype, atom.prim);
    case RLXC_ATOM_GLOBAL:
        return global_sinfo(ctx, module, atom.text);
    case RLXC_ATOM_EXTERN:
        return rlxc_sinfo_callable_opaque(ctx, NULL, false);
    case RLXC_ATOM_TUPLE: {
        const rlxc_sinfo **fields =
            rlxc_try_alloc(ctx, (size_t)atom.n + 1, sizeof(const rlxc_sinfo *));
        if (!fields)
            return rlxc_sinfo_object(ctx);
        for (uint32_t i = 0; i < atom.n; i++)
            fields[i] = rlxc_atom_sinfo(ctx, module, atom.items[i]);
        return rlxc_sinfo_tuple(ctx, fields, atom.n);
    }
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
        break;
    }
    return rlxc_sinfo_object(ctx);
}

void rlxc_atom_visit(rlxc_atom atom, void (*visit)(void *user, rlxc_atom atom), void *user)
{
    visit(user, atom);
    if (atom.kind == RLXC_ATOM_TUPLE)
        for (uint32_t i = 0; i < atom.n; i++)
            rlxc_atom_visit(atom.items[i], visit, user);
}

void rlxc_body_visit(const rlxc_body *body, void (*visit)(void *user, rlxc_atom atom), void *user)
{
    rlxc_atom_visit(body->result, visit, user);
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            rlxc_atom_visit(b->callee, visit, user);
            for (uint32_t j = 0; j < b->n_args; j++)
                rlxc_atom_visit(b->args[j], visit, user);
            if (b->form == RLXC_FORM_FUNCTION)
                rlxc_body_visit(&b->function->body, visit, user);
            if (b->form == RLXC_FORM_IF) {
                rlxc_body_visit(b->then, visit, user);
                rlxc_body_visit(b->otherwise, visit, user);
            }
        }
    }
}

/* --- bindings and blocks ---------------------------------------------------------------------- */

rlxc_binding *rlxc_binding_new(rlxc_context *ctx, rlxc_form form, rlxc_rvar *var)
{
    rlxc_binding *b = rlxc_alloc(ctx, sizeof *b);
    b->form = form;
    b->var = var;
    return b;
}

rlxc_binding_block *rlxc_block_new(rlxc_context *ctx, bool is_dataflow)
{
    rlxc_binding_block *block = rlxc_alloc(ctx, sizeof *block);
    block->is_dataflow = is_dataflow;
    return block;
}

void rlxc_block_push(rlxc_context *ctx, rlxc_binding_block *block, rlxc_binding *binding)
{
    if (rlxc_vec_grow(ctx, (void **)&block->bindings, block->n, &block->capacity,
                      sizeof(rlxc_binding *)))
        block->bindings[block->n++] = binding;
}

void rlxc_body_push(rlxc_context *ctx, rlxc_body *body, rlxc_binding_block *block)
{
    if (rlxc_vec_grow(ctx, (void **)&body->blocks, body->n_blocks, &body->capacity,
                      sizeof(rlxc_binding_block *)))
        body->blocks[body->n_blocks++] = block;
}

const rlxc_sinfo *rlxc_function_sinfo(rlxc_context *ctx, const rlxc_function *f)
{
    const rlxc_sinfo **params =
        rlxc_try_alloc(ctx, (size_t)f->n_params + 1, sizeof(const rlxc_sinfo *));
    if (!params)
        return rlxc_sinfo_object(ctx);
    for (uint32_t i = 0; i < f->n_params; i++)
        params[i] = rlxc_atom_sinfo(ctx, NULL, rlxc_atom_var(f->params[i]));
    return rlxc_sinfo_callable(ctx, params, f->n_params, f->ret, f->is_pure);
}

/* Pass lift_transform_params: moves computations that use only weights into a function that runs
   once.
 *
 *   main(x, w):  t = permute_dims(w); y = matmul(x, t)        with attribute num_input = 1
 * becomes
 *   main_transform_params(params: tuple of w) -> tuple of t
 *   main(x, t):  y = matmul(x, t)
 *
 * Weights are the parameters from the num_input-th on. A host calls the new function once and keeps
 * its results, which are main's parameters behind the inputs: weights that are still read directly,
 * then the transformed ones, in the order of main. Bindings of constants that lifted ones read are
 * in both functions. Left in place: bindings with effects or symbols, uses of
 * builtin.stop_lift_params, bindings inside branches; functions with weights of symbolic sizes, and
 * those that the module itself calls. */
#include "compiler/analysis/alias.h"
#include "compiler/analysis/effects.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/passes/passes.h"

#include <string.h>

typedef enum origin { ELSEWHERE, CONSTANTS, WEIGHTS } origin;

typedef struct lifting {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *f, *made;
    uint32_t n_vars;             /* of f, before */
    uint8_t *origins;            /* by variable id */
    uint32_t *outside;           /* uses that stay in main, by variable id */
    rlxc_map names;              /* old rlxc_rvar -> rlxc_rvar of |made| */
    rlxc_map params;             /* lifted rlxc_rvar -> main's parameter instead */
    RLXC_VEC(rlxc_rvar *) kept;  /* main's parameters behind the inputs */
    RLXC_VEC(rlxc_atom) results; /* of |made|, in step */
} lifting;

static bool has_no_symbols(const rlxc_sinfo *s)
{
    int64_t value;
    if (s && s->kind == RLXC_SINFO_TUPLE) {
        for (uint32_t i = 0; i < s->n_fields; i++)
            if (!has_no_symbols(s->fields[i]))
                return false;
        return true;
    }
    bool known = s && s->kind == RLXC_SINFO_TENSOR && s->dims && !rlxc_dtype_is_void(s->dtype);
    for (int32_t i = 0; known && i < s->ndim; i++)
        known = rlxc_is_int(s->dims[i], &value);
    return known;
}

/* Adds the sources of |atom|. */
static void add_origin(const lifting *l, rlxc_atom atom, bool *io_weights, bool *io_fixed)
{
    int64_t value;
    switch (atom.kind) {
    case RLXC_ATOM_VAR:
        *io_fixed &= l->origins[atom.var->id] != ELSEWHERE;
        *io_weights |= l->origins[atom.var->id] == WEIGHTS;
        return;
    case RLXC_ATOM_TUPLE:
        for (uint32_t i = 0; i < atom.n; i++)
            add_origin(l, atom.items[i], io_weights, io_fixed);
        return;
    case RLXC_ATOM_SHAPE:
        for (uint32_t i = 0; i < atom.n; i++)
            *io_fixed &= rlxc_is_int(atom.dims[i], &value);
        return;
    case RLXC_ATOM_PRIM:
        *io_fixed &= rlxc_is_int(atom.prim, &value) || atom.prim->kind == RLXC_EXPR_FLOAT;
        return;
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_CONSTANT:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
    case RLXC_ATOM_GLOBAL:
    case RLXC_ATOM_EXTERN:
        return;
    }
}

static origin origin_of(const lifting *l, const rlxc_binding *b)
{
    bool weights = false, fixed = has_no_symbols(b->var->sinfo);
    bool simple =
        b->form == RLXC_FORM_COPY || b->form == RLXC_FORM_TUPLE || b->form == RLXC_FORM_TUPLE_GET;
    if (b->form == RLXC_FORM_CALL && b->op && rlxc_binding_is_pure(l->module, b) &&
        !rlxc_is_op(b, "builtin.stop_lift_params"))
        simple = rlxc_is_op(b, "call_tir") ||
                 !(b->op->flags & (RLXC_OP_CALLS | RLXC_OP_DESTROYS | RLXC_OP_CHECKS));
    for (uint32_t i = 0; i < b->n_args && simple && fixed; i++)
        add_origin(l, b->args[i], &weights, &fixed);
    return !simple || !fixed ? ELSEWHERE : weights ? WEIGHTS : CONSTANTS;
}

static rlxc_atom renamed(const lifting *l, rlxc_atom atom)
{
    if (atom.kind == RLXC_ATOM_VAR)
        return rlxc_atom_var(rlxc_map_get(&l->names, rlxc_key(atom.var)));
    if (atom.kind != RLXC_ATOM_TUPLE)
        return atom;
    rlxc_atom *items = rlxc_alloc(l->ctx, ((size_t)atom.n + 1) * sizeof *items);
    for (uint32_t i = 0; i < atom.n; i++)
        items[i] = renamed(l, atom.items[i]);
    return rlxc_atom_tuple(l->ctx, items, atom.n);
}

/* Copies |b| into |made|, under a variable of that function. */
static void repeat(lifting *l, rlxc_binding_block *block, const rlxc_binding *b)
{
    rlxc_rvar *var = rlxc_rvar_new(l->ctx, l->made, b->var->name, b->var->sinfo);
    rlxc_binding *again = rlxc_binding_new(l->ctx, b->form, var);
    *again = *b;
    again->var = var;
    rlxc_atom *args = rlxc_alloc(l->ctx, ((size_t)b->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < b->n_args; i++)
        args[i] = renamed(l, b->args[i]);
    again->args = args;
    rlxc_map_set(l->ctx, &l->names, rlxc_key(b->var), var);
    rlxc_block_push(l->ctx, block, again);
}

/* Makes |var|'s value a result of |made|, and |param| a parameter of main. */
static void hand_over(lifting *l, rlxc_rvar *var, rlxc_rvar *param)
{
    RLXC_PUSH(l->ctx, &l->kept, param);
    RLXC_PUSH(l->ctx, &l->results, renamed(l, rlxc_atom_var(var)));
}

static void count_down(void *user, rlxc_atom atom)
{
    lifting *l = user;
    if (atom.kind == RLXC_ATOM_VAR)
        l->outside[atom.var->id]--;
}

/* Finds the sources of each top-level binding; true if one is computed from weights. */
static bool find_origins(lifting *l, uint32_t first)
{
    bool any = false;
    for (uint32_t i = first; i < l->f->n_params; i++)
        l->origins[l->f->params[i]->id] = WEIGHTS;
    for (uint32_t i = 0; i < l->f->body.n_blocks; i++)
        for (uint32_t k = 0; k < l->f->body.blocks[i]->n; k++) {
            const rlxc_binding *b = l->f->body.blocks[i]->bindings[k];
            origin from = origin_of(l, b);
            l->origins[b->var->id] = (uint8_t)from;
            any |= from == WEIGHTS;
            for (uint32_t a = 0; a < b->n_args && from == WEIGHTS; a++)
                rlxc_atom_visit(b->args[a], count_down, l);
        }
    return any;
}

static rlxc_rewrite_action replace_lifted(void *user, rlxc_builder *b, rlxc_binding *binding,
                                          rlxc_atom *replacement)
{
    (void)b;
    lifting *l = user;
    if (binding->var->id >= l->n_vars || l->origins[binding->var->id] != WEIGHTS)
        return RLXC_REWRITE_KEEP;
    rlxc_rvar *param = rlxc_map_get(&l->params, rlxc_key(binding->var));
    if (!param)
        return RLXC_REWRITE_DROP;
    *replacement = rlxc_atom_var(param);
    return RLXC_REWRITE_REPLACE;
}

/* The function of one parameter, the tuple of weights, with the lifted bindings. */
static void make_function(lifting *l, uint32_t first)
{
    rlxc_context *ctx = l->ctx;
    const rlxc_function *f = l->f;
    uint32_t n = f->n_params - first;
    l->made = rlxc_alloc(ctx, sizeof *l->made);
    *l->made = (rlxc_function){.name = rlxc_internf(ctx, "%s_transform_params", f->name),
                               .is_pure = true,
                               .range = f->range};
    const rlxc_sinfo **types = rlxc_alloc(ctx, ((size_t)n + 1) * sizeof(const rlxc_sinfo *));
    for (uint32_t i = 0; i < n; i++)
        types[i] = f->params[first + i]->sinfo;
    rlxc_rvar *all = rlxc_rvar_new(ctx, l->made, "params", rlxc_sinfo_tuple(ctx, types, n));
    l->made->params = rlxc_copy(ctx, &all, sizeof(rlxc_rvar *));
    l->made->n_params = 1;
    rlxc_binding_block *block = rlxc_block_new(ctx, false);
    for (uint32_t i = 0; i < n; i++) {
        rlxc_rvar *old = f->params[first + i];
        rlxc_rvar *var = rlxc_rvar_new(ctx, l->made, old->name, old->sinfo);
        rlxc_binding *get = rlxc_binding_new(ctx, RLXC_FORM_TUPLE_GET, var);
        const rlxc_atom tuple = rlxc_atom_var(all);
        get->args = rlxc_copy(ctx, &tuple, sizeof tuple);
        get->n_args = 1;
        get->index = i;
        get->range = f->range;
        rlxc_block_push(ctx, block, get);
        rlxc_map_set(ctx, &l->names, rlxc_key(old), var);
        if (l->outside[old->id] > 0)
            hand_over(l, old, old);
    }
    for (uint32_t i = 0; i < f->body.n_blocks; i++)
        for (uint32_t k = 0; k < f->body.blocks[i]->n; k++) {
            rlxc_binding *b = f->body.blocks[i]->bindings[k];
            if (l->origins[b->var->id] == ELSEWHERE)
                continue;
            repeat(l, block, b);
            if (l->origins[b->var->id] == WEIGHTS && l->outside[b->var->id] > 0) {
                rlxc_rvar *param = rlxc_rvar_new(ctx, l->f, b->var->name, b->var->sinfo);
                rlxc_map_set(ctx, &l->params, rlxc_key(b->var), param);
                hand_over(l, b->var, param);
            }
        }
    const rlxc_sinfo **results =
        rlxc_alloc(ctx, ((size_t)l->kept.count + 1) * sizeof(const rlxc_sinfo *));
    for (uint32_t i = 0; i < l->kept.count; i++)
        results[i] = l->kept.items[i]->sinfo;
    l->made->ret = rlxc_sinfo_tuple(ctx, results, l->kept.count);
    rlxc_rvar *out = rlxc_rvar_new(ctx, l->made, "transformed", l->made->ret);
    rlxc_binding *tuple = rlxc_binding_new(ctx, RLXC_FORM_TUPLE, out);
    tuple->args = l->results.items;
    tuple->n_args = l->results.count;
    tuple->range = f->range;
    rlxc_block_push(ctx, block, tuple);
    rlxc_body_push(ctx, &l->made->body, block);
    l->made->body.result = rlxc_atom_var(out);
    l->made->body.result_range = f->range;
}

static bool lift(rlxc_context *ctx, rlxc_module *module, rlxc_function *f, uint32_t first)
{
    lifting l = {.ctx = ctx, .module = module, .f = f, .n_vars = f->n_vars};
    for (uint32_t i = first; i < f->n_params; i++)
        if (!has_no_symbols(f->params[i]->sinfo))
            return true;
    l.origins = rlxc_try_alloc(ctx, (size_t)f->n_vars + 1, sizeof *l.origins);
    l.outside = rlxc_count_uses(ctx, f);
    if (!l.origins || !l.outside)
        return false;
    if (!find_origins(&l, first))
        return true;
    make_function(&l, first);
    const rlxc_rewrite_pass pass = {.user = &l, .binding = replace_lifted};
    rlxc_rewrite_function(ctx, module, f, &pass);
    rlxc_rvar **params = rlxc_alloc(ctx, ((size_t)first + l.kept.count + 1) * sizeof(rlxc_rvar *));
    for (uint32_t i = 0; i < first; i++)
        params[i] = f->params[i];
    for (uint32_t i = 0; i < l.kept.count; i++)
        params[first + i] = l.kept.items[i];
    f->params = params;
    f->n_params = first + l.kept.count;
    return rlxc_module_add_relax(ctx, module, l.made, true) != NULL;
}

bool rlxc_pass_lift_transform_params(rlxc_context *ctx, rlxc_module *module,
                                     const rlxc_options *options)
{
    (void)options;
    uint32_t n = module->globals.count; /* not those added meanwhile */
    for (uint32_t i = 0; i < n && !rlxc_failed(ctx); i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        int64_t first;
        const rlxc_attr *inputs =
            f ? rlxc_attrs_find(&f->attrs, rlxc_intern_cstr(ctx, "num_input")) : NULL;
        if (!inputs || !rlxc_attr_as_int(inputs, &first) || first < 0 || first >= f->n_params ||
            f->is_private || rlxc_has_kills(f) || rlxc_is_mentioned(module, f->name))
            continue;
        if (!lift(ctx, module, f, (uint32_t)first))
            return false;
    }
    return !rlxc_failed(ctx);
}

/* The program of the weights. See weights_program.h. */
#include "compiler/driver/weights_program.h"

#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/ir/names.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/sym.h"
#include "compiler/ir/tir.h"

typedef struct program {
    rlxc_context *ctx;
    rlxc_builder builder;
    rlxc_map values; /* constant -> rlxc_rvar */
    rlxc_map prims;  /* PrimFunc -> name in the program */
    RLXC_VEC(rlxc_rvar *) params;
    RLXC_VEC(const char *) identifiers;
    RLXC_VEC(rlxc_attr) names; /* of the weights, by parameter */
} program;

/* True for what is a value in the program: no constant that it has with its bytes. */
static bool is_value(const rlxc_constant *c)
{
    return c->lifted || c->made;
}

static rlxc_atom value_of(const program *p, rlxc_atom atom)
{
    if (atom.kind == RLXC_ATOM_CONSTANT && is_value(atom.constant))
        return rlxc_atom_var(rlxc_map_get(&p->values, rlxc_key(atom.constant)));
    if (atom.kind != RLXC_ATOM_TUPLE)
        return atom;
    rlxc_atom *items = rlxc_alloc(p->ctx, ((size_t)atom.n + 1) * sizeof *items);
    for (uint32_t i = 0; i < atom.n; i++)
        items[i] = value_of(p, atom.items[i]);
    return rlxc_atom_tuple(p->ctx, items, atom.n);
}

static const char *function_of(program *p, const struct rlxc_prim_func *f)
{
    const char *name = rlxc_map_get(&p->prims, rlxc_key(f));
    if (name)
        return name;
    const rlxc_global *g =
        rlxc_module_add_prim(p->ctx, p->builder.module, rlxc_prim_func_clone(p->ctx, f), true);
    if (!g)
        return NULL;
    rlxc_map_set(p->ctx, &p->prims, rlxc_key(f), (void *)(uintptr_t)g->name);
    return g->name;
}

/* True for a weight whose elements the file has as bytes. */
static bool is_packed(const rlxc_constant *c)
{
    return rlx_dtype_is_packed(c->dtype) && c->nbytes > 0 && c->made->op &&
           strcmp(c->made->op->name, "astype") == 0 &&
           c->made->args[0].kind == RLXC_ATOM_CONSTANT && !c->made->args[0].constant->made &&
           c->made->args[0].constant->dtype.bits == 8;
}

static void add_param(program *p, const rlxc_constant *c, const rlxc_sinfo *type)
{
    const char *name = rlxc_internf(p->ctx, "w%u", p->params.count);
    rlxc_rvar *var = rlxc_rvar_new(p->ctx, p->builder.function, name, type);
    RLXC_PUSH(p->ctx, &p->params, var);
    RLXC_PUSH(p->ctx, &p->identifiers, name);
    RLXC_PUSH(p->ctx, &p->names, rlxc_attr_string(p->ctx, c->name));
    rlxc_map_set(p->ctx, &p->values, rlxc_key(c), var);
}

static rlxc_atom scalar(program *p, rlx_dtype type, int64_t value)
{
    int8_t *data = rlxc_alloc(p->ctx, sizeof *data);
    *data = (int8_t)value;
    return rlxc_atom_constant(rlxc_constant_new(p->ctx, type, 0, NULL, data, sizeof *data));
}

/* Checks that the bytes |c| was converted from are elements of its type, which has fewer bits. */
static void check_range(program *p, const rlxc_constant *c)
{
    const rlxc_constant *from = c->made->args[0].constant;
    const rlxc_bound range = rlxc_type_range(c->dtype);
    const rlxc_atom x = value_of(p, rlxc_atom_constant(from));
    const rlxc_atom low[2] = {rlxc_emit_op(&p->builder, "min", &x, 1, (rlxc_attrs){0}, "low"),
                              scalar(p, from->dtype, range.min)};
    const rlxc_atom high[2] = {rlxc_emit_op(&p->builder, "max", &x, 1, (rlxc_attrs){0}, "high"),
                               scalar(p, from->dtype, range.max)};
    const rlxc_atom fits[2] = {
        rlxc_emit_op(&p->builder, "greater_equal", low, 2, (rlxc_attrs){0}, "fits"),
        rlxc_emit_op(&p->builder, "less_equal", high, 2, (rlxc_attrs){0}, "fits")};
    const rlxc_atom both =
        rlxc_emit_op(&p->builder, "logical_and", fits, 2, (rlxc_attrs){0}, "fits");
    const char *said = rlxc_internf(p->ctx, "tensor '%s': a value is not a valid %s", from->name,
                                    rlxc_dtype_name(p->ctx, c->dtype));
    const rlxc_attrs format =
        rlxc_attrs_with(p->ctx, (rlxc_attrs){0}, rlxc_intern_cstr(p->ctx, "format"),
                        rlxc_attr_string(p->ctx, said));
    rlxc_emit_op(&p->builder, "assert_op", &both, 1, format, "checked");
}

/* Adds the computation of |c|, whose operands have values. */
static bool add_value(program *p, const rlxc_constant *c)
{
    rlxc_context *ctx = p->ctx;
    const rlxc_sinfo *type = rlxc_atom_sinfo(ctx, NULL, rlxc_atom_constant(c));
    if (!c->made) {
        add_param(p, c, type);
        return true;
    }
    const rlxc_binding *made = c->made;
    rlxc_atom *args = rlxc_alloc(ctx, ((size_t)made->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < made->n_args; i++)
        args[i] = value_of(p, made->args[i]);
    if (c->made_by) {
        const char *name = function_of(p, c->made_by);
        if (!name)
            return false;
        args[0] = rlxc_atom_global(ctx, name);
    }
    rlxc_atom value;
    if (made->form == RLXC_FORM_CALL && made->n_sinfo_args == 0) {
        value = rlxc_emit_op(&p->builder, made->op->name, args, made->n_args, made->attrs, "v");
    } else {
        rlxc_binding *again = rlxc_copy(ctx, made, sizeof *made);
        again->args = args;
        again->var = rlxc_rvar_new(ctx, p->builder.function, "v", type);
        value = rlxc_emit(&p->builder, again);
    }
    if (value.kind != RLXC_ATOM_VAR)
        return false;
    rlxc_map_set(ctx, &p->values, rlxc_key(c), value.var);
    if (is_packed(c))
        check_range(p, c);
    return true;
}

/* weights(w0, w1, ...) -> the tuple of the file's tensors. */
static bool fill(program *p, rlxc_derivations *derivations, const rlxc_constants *needed,
                 const rlxc_constants *results)
{
    rlxc_context *ctx = p->ctx;
    rlxc_function *f = p->builder.function;
    rlxc_map values = {0}; /* the first of those that are the same -> rlxc_rvar */
    for (uint32_t i = 0; i < needed->count; i++) {
        const rlxc_constant *c = needed->items[i];
        const uint64_t first = rlxc_key(rlxc_first_derived(ctx, derivations, c));
        void *known = is_value(c) ? rlxc_map_get(&values, first) : NULL;
        if (known)
            rlxc_map_set(ctx, &p->values, rlxc_key(c), known);
        else if (is_value(c) && !add_value(p, c))
            return false;
        else if (is_value(c))
            rlxc_map_set(ctx, &values, first, rlxc_map_get(&p->values, rlxc_key(c)));
    }
    rlxc_atom *items = rlxc_alloc(ctx, ((size_t)results->count + 1) * sizeof *items);
    for (uint32_t i = 0; i < results->count; i++)
        items[i] = value_of(p, rlxc_atom_constant(results->items[i]));
    const rlxc_atom all = rlxc_atom_tuple(ctx, items, results->count);
    f->ret = rlxc_sinfo_object(ctx); /* types have a limit of fields, results have not */
    rlxc_binding *make = rlxc_binding_new(
        ctx, RLXC_FORM_TUPLE,
        rlxc_rvar_new(ctx, f, "made", rlxc_atom_sinfo(ctx, p->builder.module, all)));
    make->args = all.items;
    make->n_args = all.n;
    f->body.result = rlxc_emit(&p->builder, make);
    f->params = p->params.items;
    f->n_params = p->params.count;
    const rlxc_attr names = {.kind = RLXC_ATTR_DICT,
                             .list = {p->names.items, p->identifiers.items, p->identifiers.count}};
    f->attrs = rlxc_attrs_with(ctx, f->attrs, rlxc_intern_cstr(ctx, RLXC_PARAM_NAMES), names);
    return !rlxc_failed(ctx);
}

bool rlxc_weights_program(rlxc_context *ctx, const rlxc_options *options,
                          rlxc_derivations *derivations, const rlxc_constants *needed,
                          const rlxc_constants *results, void **out_data, size_t *out_size)
{
    rlxc_function *f = rlxc_alloc(ctx, sizeof *f);
    f->name = rlxc_intern_cstr(ctx, "weights");
    program p = {.ctx = ctx};
    p.builder = (rlxc_builder){.ctx = ctx,
                               .module = rlxc_module_new(ctx),
                               .function = f,
                               .block = rlxc_block_new(ctx, false)};
    rlxc_body_push(ctx, &f->body, p.builder.block);
    if (!rlxc_module_add_relax(ctx, p.builder.module, f, false) ||
        !fill(&p, derivations, needed, results))
        return false;
    rlxc_options own = rlxc_options_for(options->target, 1);
    own.jobs = options->jobs;
    own.check = options->check;
    rlx_exec_builder *builder = NULL;
    rlx_error err = {0};
    bool ok = rlx_exec_builder_create(NULL, &builder, &err) == RLX_OK &&
              rlxc_compile_module(ctx, p.builder.module, &own, NULL, builder) &&
              rlx_exec_builder_finish(builder, out_data, out_size, &err) == RLX_OK;
    rlx_exec_builder_destroy(builder);
    if (!ok && !rlxc_failed(ctx))
        rlxc_error(ctx, (rlxc_range){0}, "the program of the weights: %s", err.message);
    return ok;
}

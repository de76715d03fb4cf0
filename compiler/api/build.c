/* Builds functions call by call, and rewrites existing ones. */
#include "compiler/api/build.h"

#include "compiler/ir/names.h"
#include "compiler/script/script.h"

#include <string.h>

/* --- calls ----------------------------------------------------------------------------------- */

rlx_status rlxc_build_begin(rlx_ir_builder *b, rlxc_api_call *call, rlx_error *err)
{
    RLX_TRY(rlxc_api_begin_module(b != NULL ? b->m : NULL, call, err));
    if (!b->failed && !b->finished)
        return RLX_OK;
    call->compiler->depth--;
    return rlx_fail(err, RLX_E_INVALID_MODULE, "the builder has failed or is finished");
}

static const rlx_ir_value *value_of(const rlx_ir_builder *b, rlxc_atom atom)
{
    return to_value(rlxc_copy(b->m->compiler->ctx, &atom, sizeof atom));
}

/* Ends a call that produced |atom|; its kind is NONE after an error. */
rlx_status rlxc_build_give(rlx_ir_builder *b, const rlxc_api_call *call, rlxc_atom atom,
                           const rlx_ir_value **out, rlx_error *err)
{
    const rlx_ir_value *value = value_of(b, atom);
    rlx_status status = rlxc_api_end(call, atom.kind != RLXC_ATOM_NONE, RLX_E_INVALID_MODULE, err);
    b->failed = b->failed || status != RLX_OK;
    if (status == RLX_OK)
        *out = value;
    return status;
}

rlxc_atom rlxc_build_no_atom(void)
{
    return (rlxc_atom){.kind = RLXC_ATOM_NONE};
}

bool rlxc_build_fail(const rlx_ir_builder *b, const char *message)
{
    rlxc_error(b->m->compiler->ctx, (rlxc_range){0}, "%s", message);
    return false;
}

static bool is_identifier(const char *name)
{
    if (name[0] == '\0' || (name[0] >= '0' && name[0] <= '9') || rlxc_name_is_reserved(name))
        return false;
    for (const char *c = name; *c != '\0'; c++)
        if (!(*c == '_' || (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
              (*c >= 'A' && *c <= 'Z')))
            return false;
    return strlen(name) <= 1024;
}

bool rlxc_build_check_name(rlxc_context *ctx, const char *name)
{
    if (is_identifier(name))
        return true;
    rlxc_error(ctx, (rlxc_range){0}, "'%.100s' is not a valid name of a function or variable",
               name);
    return false;
}

static rlxc_fragment fragment(rlx_ir_builder *b, bool declare)
{
    return (rlxc_fragment){b->m->compiler->ctx, b->m->ir, &b->symbols, declare};
}

/* Converts the |n| operands; NULL means absent, and trailing absent ones are dropped. */
rlxc_atom *rlxc_build_gather(const rlx_ir_builder *b, const rlx_ir_value *const *args,
                             uint32_t *io_n)
{
    rlxc_atom *atoms = rlxc_try_alloc(b->m->compiler->ctx, (size_t)*io_n + 1, sizeof *atoms);
    for (uint32_t i = 0; atoms != NULL && i < *io_n; i++)
        atoms[i] = args[i] != NULL ? *of_value(args[i]) : rlxc_build_no_atom();
    while (atoms != NULL && *io_n > 0 && atoms[*io_n - 1].kind == RLXC_ATOM_NONE)
        --*io_n;
    return atoms;
}

/* Emits |binding| with a new variable. */
rlxc_atom rlxc_build_emit(rlx_ir_builder *b, rlxc_binding *binding, const char *name)
{
    rlxc_context *ctx = b->m->compiler->ctx;
    if (binding == NULL || (name != NULL && !rlxc_build_check_name(ctx, name)))
        return rlxc_build_no_atom();
    b->started = true;
    binding->range = (rlxc_range){0};
    binding->var =
        rlxc_rvar_new(ctx, b->b->function, rlxc_intern_cstr(ctx, name != NULL ? name : "lv"), NULL);
    return rlxc_emit(b->b, binding);
}

/* Type inference of the new function needs the types of the rest of the module. */
bool rlxc_build_infer(rlx_ir_module *m)
{
    rlx_compile_options unused;
    rlxc_options options;
    uint32_t have = 0;
    return (m->have & RLXC_PROP_SINFO) || m->ir->globals.count == 0 ||
           m->compiler->running != NULL ||
           (rlxc_api_options(m, NULL, &unused, &options) &&
            rlxc_run_pass(m->compiler->ctx, m->ir, &options, NULL, "infer", &have));
}

bool rlxc_build_may_change(rlx_ir_module *m)
{
    if (!m->lowered)
        return true;
    rlxc_error(m->compiler->ctx, (rlxc_range){0}, "the module is lowered and cannot be changed");
    return false;
}

/* --- functions ------------------------------------------------------------------------------- */

rlx_status rlx_ir_builder_create(rlx_ir_module *m, const char *name, rlx_ir_builder **out,
                                 rlx_error *err)
{
    rlxc_api_call call;
    if (name == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "name or out is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlx_ir_builder *b = rlxc_alloc(ctx, sizeof *b);
    rlxc_function *f = rlxc_alloc(ctx, sizeof *f);
    bool ok = rlxc_build_may_change(m) && rlxc_build_infer(m) && rlxc_build_check_name(ctx, name);
    f->name = rlxc_intern_cstr(ctx, name);
    f->is_pure = true;
    b->m = m;
    b->own = (rlxc_builder){.ctx = ctx, .module = m->ir, .function = f};
    b->own.block = rlxc_block_new(ctx, false);
    b->b = &b->own;
    RLX_TRY(rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err));
    *out = b;
    return RLX_OK;
}

rlx_status rlx_ir_builder_param(rlx_ir_builder *b, const char *name, const char *type,
                                const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (name == NULL || type == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "name, type or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlxc_function *f = b->b->function;
    const rlxc_fragment text = fragment(b, true);
    bool ok = !b->started && !b->rewrites
                  ? rlxc_build_check_name(ctx, name)
                  : rlxc_build_fail(b, "parameters must come before the first binding");
    const rlxc_sinfo *sinfo = ok ? rlxc_parse_sinfo_text(&text, type) : NULL;
    const char *interned = rlxc_intern_cstr(ctx, name);
    for (uint32_t i = 0; sinfo != NULL && i < f->n_params; i++)
        if (f->params[i]->name == interned) {
            rlxc_build_fail(b, "two parameters have the same name");
            sinfo = NULL;
        }
    rlxc_rvar **params = rlxc_try_alloc(ctx, (size_t)f->n_params + 1, sizeof(rlxc_rvar *));
    if (sinfo == NULL || params == NULL)
        return rlxc_build_give(b, &call, rlxc_build_no_atom(), out, err);
    if (f->n_params > 0)
        memcpy(params, f->params, f->n_params * sizeof(rlxc_rvar *));
    rlxc_rvar *var = rlxc_rvar_new(ctx, f, interned, sinfo);
    var->annotation = sinfo;
    params[f->n_params++] = var;
    f->params = params;
    return rlxc_build_give(b, &call, rlxc_atom_var(var), out, err);
}

rlx_status rlx_ir_builder_dataflow(rlx_ir_builder *b, bool dataflow, rlx_error *err)
{
    rlxc_api_call call;
    RLX_TRY(rlxc_build_begin(b, &call, err));
    bool ok = !b->rewrites || rlxc_build_fail(b, "a rewrite cannot change the blocks");
    if (ok && b->b->block->n > 0)
        rlxc_body_push(call.compiler->ctx, rlxc_build_body(b), b->b->block);
    if (ok)
        b->b->block = rlxc_block_new(call.compiler->ctx, dataflow);
    b->started = true;
    b->failed = !ok;
    return rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err);
}

rlx_status rlx_ir_builder_output(rlx_ir_builder *b, const rlx_ir_value *v, rlx_error *err)
{
    rlxc_api_call call;
    if (v == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the value is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    bool ok =
        of_value(v)->kind == RLXC_ATOM_VAR || rlxc_build_fail(b, "only variables can be outputs");
    if (ok)
        of_value(v)->var->is_dataflow = false;
    b->failed = !ok;
    return rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err);
}

static bool take_name(rlx_ir_module *m, const rlxc_function *f, const char *name)
{
    if (rlxc_module_find(m->ir, name) == NULL)
        return true;
    rlxc_error(m->compiler->ctx, f != NULL ? f->range : (rlxc_range){0},
               "the module already has a function '%s'", name);
    return false;
}

static bool is_pure_binding(void *user, const rlx_ir_binding *handle)
{
    const rlxc_binding *b = of_binding(handle);
    (void)user;
    return b->op == NULL || !(b->op->flags & RLXC_OP_IMPURE);
}

bool rlxc_build_is_impure(const rlxc_function *f)
{
    return !rlx_ir_visit(to_body(&f->body), is_pure_binding, NULL);
}

rlx_status rlx_ir_builder_finish(rlx_ir_builder *b, const rlx_ir_value *result,
                                 rlx_ir_function **out, rlx_error *err)
{
    rlxc_api_call call;
    if (result == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "result or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlxc_function *f = b->b->function;
    rlx_ir_module *m = b->m;
    bool ok = b->rewrites        ? rlxc_build_fail(b, "a rewrite must not end its builder")
              : b->scope != NULL ? rlxc_build_fail(b, "an If or a local function is still open")
                                 : rlxc_build_may_change(m) && take_name(m, NULL, f->name);
    b->finished = true;
    if (ok) {
        if (b->b->block->n > 0)
            rlxc_body_push(ctx, &f->body, b->b->block);
        f->body.result = *of_value(result);
        f->ret = rlxc_atom_sinfo(ctx, m->ir, f->body.result);
        f->is_pure = !rlxc_build_is_impure(f);
        ok = rlxc_module_add_relax(ctx, m->ir, f, false) != NULL &&
             rlxc_well_formed(ctx, m->ir, "builder", false);
        if (!ok)
            rlxc_module_remove(ctx, m->ir, f->name);
    }
    RLX_TRY(rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err));
    *out = to_function(f);
    return RLX_OK;
}

rlx_status rlx_ir_module_add_text(rlx_ir_module *m, const char *path, const char *text,
                                  size_t length, rlx_error *err)
{
    rlxc_api_call call;
    rlx_ir_module *other = NULL;
    if (path == NULL || (text == NULL && length > 0))
        return rlx_fail(err, RLX_E_INVALID_ARG, "path or text is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    bool ok = rlxc_build_may_change(m) &&
              rlx_compiler_parse(call.compiler, path, text, length, &other, NULL) == RLX_OK;
    if (ok && other->ir->vdevices.count > 0) {
        rlxc_error(ctx, (rlxc_range){0}, "%s declares devices, which cannot be added", path);
        ok = false;
    }
    for (uint32_t i = 0; ok && i < other->ir->globals.count; i++)
        ok = take_name(m, other->ir->globals.items[i]->relax, other->ir->globals.items[i]->name);
    for (uint32_t i = 0; ok && i < other->ir->globals.count; i++) {
        const rlxc_global *g = other->ir->globals.items[i];
        ok = g->relax != NULL ? rlxc_module_add_relax(ctx, m->ir, g->relax, false) != NULL
                              : rlxc_module_add_prim(ctx, m->ir, g->prim, false) != NULL;
    }
    if (ok)
        m->have = 0;
    return rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err);
}

/* --- bindings -------------------------------------------------------------------------------- */

rlx_status rlx_ir_builder_op(rlx_ir_builder *b, const char *name, const char *op_name,
                             const rlx_ir_value *const *args, uint32_t n, const char *attrs,
                             const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (op_name == NULL || (args == NULL && n > 0) || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "op, args or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    const rlxc_fragment text = fragment(b, false);
    const rlxc_operator *op = rlxc_find_operator(op_name, strlen(op_name));
    const char *near = op == NULL ? rlxc_suggest_operator(op_name, strlen(op_name)) : NULL;
    if (op == NULL)
        rlxc_error(ctx, (rlxc_range){0}, "there is no operator R.%.100s%s%s%s", op_name,
                   near != NULL ? "; did you mean R." : "", near != NULL ? near : "",
                   near != NULL ? "?" : "");
    const rlxc_atom *atoms = op != NULL ? rlxc_build_gather(b, args, &n) : NULL;
    rlxc_binding *binding =
        atoms != NULL ? rlxc_parse_call_text(&text, op, atoms, n, attrs != NULL ? attrs : "")
                      : NULL;
    return rlxc_build_give(b, &call, rlxc_build_emit(b, binding, name), out, err);
}

/* The function |name| of the module, of the expected kind; NULL after an error. */
static const char *callee(const rlx_ir_builder *b, const char *name, bool prim)
{
    rlxc_context *ctx = b->m->compiler->ctx;
    const char *interned = rlxc_intern_cstr(ctx, name);
    const rlxc_global *g = rlxc_module_find(b->m->ir, interned);
    if (g != NULL && (g->prim != NULL) == prim)
        return interned;
    rlxc_error(ctx, (rlxc_range){0}, "the module has no %s '%.100s'",
               prim ? "PrimFunc" : "Relax function", name);
    return NULL;
}

rlx_status rlx_ir_builder_call(rlx_ir_builder *b, const char *name, const char *function,
                               const rlx_ir_value *const *args, uint32_t n,
                               const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (function == NULL || (args == NULL && n > 0) || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "function, args or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_binding *binding = NULL;
    const char *global = callee(b, function, false);
    const rlxc_atom *atoms = global != NULL ? rlxc_build_gather(b, args, &n) : NULL;
    if (atoms != NULL) {
        binding = rlxc_binding_new(call.compiler->ctx, RLXC_FORM_CALL, NULL);
        binding->callee = rlxc_atom_global(call.compiler->ctx, global);
        binding->args = atoms;
        binding->n_args = n;
    }
    return rlxc_build_give(b, &call, rlxc_build_emit(b, binding, name), out, err);
}

rlx_status rlx_ir_builder_call_tir(rlx_ir_builder *b, const char *name, const char *prim,
                                   const rlx_ir_value *const *args, uint32_t n, const char *type,
                                   const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (prim == NULL || (args == NULL && n > 0) || type == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "prim, args, type or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    const rlxc_fragment text = fragment(b, false);
    const char *global = callee(b, prim, true);
    const rlxc_sinfo *sinfo = global != NULL ? rlxc_parse_sinfo_text(&text, type) : NULL;
    const rlxc_atom *atoms = sinfo != NULL ? rlxc_build_gather(b, args, &n) : NULL;
    rlxc_atom made = rlxc_build_no_atom();
    if (atoms != NULL && (name == NULL || rlxc_build_check_name(ctx, name))) {
        b->started = true;
        made = rlxc_emit_call_tir(b->b, global, atoms, n, sinfo, NULL,
                                  rlxc_intern_cstr(ctx, name != NULL ? name : "lv"));
    }
    return rlxc_build_give(b, &call, made, out, err);
}

rlx_status rlx_ir_builder_get(rlx_ir_builder *b, const char *name, const rlx_ir_value *tuple,
                              uint32_t index, const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (tuple == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "tuple or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_binding *binding = rlxc_binding_new(call.compiler->ctx, RLXC_FORM_TUPLE_GET, NULL);
    binding->args = of_value(tuple);
    binding->n_args = 1;
    binding->index = index;
    return rlxc_build_give(b, &call, rlxc_build_emit(b, binding, name), out, err);
}

rlx_status rlx_ir_builder_match_cast(rlx_ir_builder *b, const char *name, const rlx_ir_value *value,
                                     const char *type, const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (value == NULL || type == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "value, type or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    const rlxc_fragment text = fragment(b, true);
    rlxc_binding *binding = NULL;
    const rlxc_sinfo *sinfo = rlxc_parse_sinfo_text(&text, type);
    if (sinfo != NULL) {
        binding = rlxc_binding_new(call.compiler->ctx, RLXC_FORM_MATCH_CAST, NULL);
        binding->args = of_value(value);
        binding->n_args = 1;
        binding->sinfo_args =
            rlxc_copy(call.compiler->ctx, (const void *)&sinfo, sizeof(const rlxc_sinfo *));
        binding->n_sinfo_args = 1;
    }
    return rlxc_build_give(b, &call, rlxc_build_emit(b, binding, name), out, err);
}

/* --- values ---------------------------------------------------------------------------------- */

rlx_status rlx_ir_builder_tuple(rlx_ir_builder *b, const rlx_ir_value *const *items, uint32_t n,
                                const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if ((items == NULL && n > 0) || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "items or out is NULL");
    for (uint32_t i = 0; i < n; i++)
        if (items[i] == NULL)
            return rlx_fail(err, RLX_E_INVALID_ARG, "item %u is NULL", i);
    RLX_TRY(rlxc_build_begin(b, &call, err));
    const rlxc_atom *atoms = rlxc_build_gather(b, items, &n);
    rlxc_atom tuple =
        atoms != NULL ? rlxc_atom_tuple(call.compiler->ctx, atoms, n) : rlxc_build_no_atom();
    return rlxc_build_give(b, &call, tuple, out, err);
}

rlx_status rlx_ir_builder_shape(rlx_ir_builder *b, const char *dims, const rlx_ir_value **out,
                                rlx_error *err)
{
    rlxc_api_call call;
    if (dims == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "dims or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    const rlxc_fragment text = fragment(b, false);
    const rlxc_expr *const *list = NULL;
    uint32_t n = 0;
    rlxc_atom shape = rlxc_parse_dims_text(&text, dims, &list, &n)
                          ? rlxc_atom_shape(call.compiler->ctx, list, n)
                          : rlxc_build_no_atom();
    return rlxc_build_give(b, &call, shape, out, err);
}

rlx_status rlx_ir_builder_integer(rlx_ir_builder *b, const char *integer, const rlx_ir_value **out,
                                  rlx_error *err)
{
    rlxc_api_call call;
    if (integer == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "text or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    const rlxc_fragment text = fragment(b, false);
    const rlxc_expr *const *list = NULL;
    uint32_t n = 0;
    bool ok = rlxc_parse_dims_text(&text, integer, &list, &n) &&
              (n == 1 || rlxc_build_fail(b, "expected one integer"));
    return rlxc_build_give(b, &call, ok ? rlxc_atom_prim(list[0]) : rlxc_build_no_atom(), out, err);
}

rlx_status rlx_ir_builder_tensor(rlx_ir_builder *b, rlx_tensor *tensor, const rlx_ir_value **out,
                                 rlx_error *err)
{
    rlxc_api_call call;
    if (tensor == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "tensor or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlxc_atom atom = rlxc_build_no_atom();
    if (rlxc_api_keep_tensor(ctx, tensor))
        atom = rlxc_atom_constant(rlxc_constant_new(
            ctx, rlx_tensor_dtype(tensor), rlx_tensor_ndim(tensor), rlx_tensor_dims(tensor),
            rlx_tensor_data(tensor), rlx_tensor_nbytes(tensor)));
    return rlxc_build_give(b, &call, atom, out, err);
}

/* --- rewriting ------------------------------------------------------------------------------- */

typedef struct rewriting {
    rlx_ir_builder builder;
    rlx_ir_action (*each)(void *user, rlx_ir_builder *b, const rlx_ir_binding *binding,
                          const rlx_ir_value **out);
    void *user;
} rewriting;

static rlxc_rewrite_action offer(void *user, rlxc_builder *b, rlxc_binding *binding,
                                 rlxc_atom *replacement)
{
    rewriting *r = user;
    const rlx_ir_value *value = NULL;
    r->builder.b = b;
    switch (r->each(r->user, &r->builder, to_binding(binding), &value)) {
    case RLX_IR_KEEP:
        return RLXC_REWRITE_KEEP;
    case RLX_IR_DROP:
        return RLXC_REWRITE_DROP;
    case RLX_IR_REPLACE:
        if (value != NULL) {
            *replacement = *of_value(value);
            return RLXC_REWRITE_REPLACE;
        }
        break;
    }
    rlxc_build_fail(&r->builder, "a rewrite returned no value to replace a binding");
    return RLXC_REWRITE_KEEP;
}

rlx_status rlx_ir_function_rewrite(rlx_ir_module *m, rlx_ir_function *f,
                                   rlx_ir_action (*each)(void *user, rlx_ir_builder *b,
                                                         const rlx_ir_binding *binding,
                                                         const rlx_ir_value **out),
                                   void *user, rlx_error *err)
{
    rlxc_api_call call;
    if (f == NULL || each == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the function or each is NULL");
    RLX_TRY(rlxc_api_begin_module(m, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rewriting r = {.each = each, .user = user};
    r.builder.m = m;
    r.builder.rewrites = true;
    bool ok = rlxc_build_may_change(m) && rlxc_build_infer(m);
    if (ok) {
        rlxc_api_symbols(ctx, of_function(f), &r.builder.symbols);
        const rlxc_rewrite_pass pass = {.user = &r, .binding = offer};
        rlxc_rewrite_function(ctx, m->ir, of_function(f), &pass);
        ok = !rlxc_failed(ctx) &&
             (m->compiler->running != NULL || rlxc_well_formed(ctx, m->ir, "rewrite", false));
        m->broken = m->broken || !ok;
    }
    return rlxc_api_end(&call, ok, RLX_E_INVALID_MODULE, err);
}

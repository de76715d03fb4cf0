/* Building what nests in functions: If, local functions, and calls of these. */
#include "compiler/api/build.h"

/* Opens a scope with a body of its own; NULL with a diagnostic. */
static rlxc_build_scope *open_scope(rlx_ir_builder *b, bool is_function)
{
    rlxc_context *ctx = b->m->compiler->ctx;
    if (b->rewrites || b->b->block->is_dataflow) {
        rlxc_build_fail(b, b->rewrites
                               ? "a rewrite cannot add an If or a local function"
                               : "If and local functions are not allowed in dataflow blocks");
        return NULL;
    }
    rlxc_build_scope *s = rlxc_alloc(ctx, sizeof *s);
    *s = (rlxc_build_scope){.outer = b->scope,
                            .is_function = is_function,
                            .function = b->b->function,
                            .block = b->b->block,
                            .n_symbols = b->symbols.vars.count};
    s->body = rlxc_alloc(ctx, sizeof *s->body);
    b->b->block = rlxc_block_new(ctx, false);
    b->scope = s;
    b->started = true;
    return s;
}

/* The open body is complete, with |result|. */
static void end_body(rlx_ir_builder *b, rlxc_atom result)
{
    rlxc_body *body = rlxc_build_body(b);
    if (b->b->block->n > 0)
        rlxc_body_push(b->m->compiler->ctx, body, b->b->block);
    body->result = result;
}

static void close_scope(rlx_ir_builder *b)
{
    const rlxc_build_scope *s = b->scope;
    b->b->function = s->function;
    b->b->block = s->block;
    b->symbols.vars.count = s->n_symbols;
    b->started = true;
    b->scope = s->outer;
}

/* Ends a call that gives no value. */
static rlx_status ended(rlx_ir_builder *b, const rlxc_api_call *call, bool ok, rlx_error *err)
{
    const rlx_status status = rlxc_api_end(call, ok, RLX_E_INVALID_MODULE, err);
    b->failed = b->failed || status != RLX_OK;
    return status;
}

rlx_status rlx_ir_builder_if(rlx_ir_builder *b, const rlx_ir_value *condition, rlx_error *err)
{
    rlxc_api_call call;
    if (condition == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the condition is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_build_scope *s = open_scope(b, false);
    if (s != NULL)
        s->condition = *of_value(condition);
    return ended(b, &call, s != NULL, err);
}

rlx_status rlx_ir_builder_else(rlx_ir_builder *b, const rlx_ir_value *result, rlx_error *err)
{
    rlxc_api_call call;
    if (result == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the result is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlxc_build_scope *s = b->scope;
    const bool ok = (s != NULL && !s->is_function && s->then == NULL) ||
                    rlxc_build_fail(b, "no then branch of an If is open");
    if (ok) {
        end_body(b, *of_value(result));
        s->then = s->body;
        s->body = rlxc_alloc(ctx, sizeof *s->body);
        b->b->block = rlxc_block_new(ctx, false);
        b->symbols.vars.count = s->n_symbols;
    }
    return ended(b, &call, ok, err);
}

rlx_status rlx_ir_builder_end_if(rlx_ir_builder *b, const char *name, const rlx_ir_value *result,
                                 const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (result == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "result or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_build_scope *s = b->scope;
    rlxc_binding *binding = NULL;
    if (s == NULL || s->then == NULL) {
        rlxc_build_fail(b, "no else branch of an If is open");
    } else {
        end_body(b, *of_value(result));
        binding = rlxc_binding_new(call.compiler->ctx, RLXC_FORM_IF, NULL);
        binding->args = rlxc_copy(call.compiler->ctx, &s->condition, sizeof s->condition);
        binding->n_args = 1;
        binding->then = s->then;
        binding->otherwise = s->body;
        close_scope(b);
    }
    return rlxc_build_give(b, &call, rlxc_build_emit(b, binding, name), out, err);
}

rlx_status rlx_ir_builder_function(rlx_ir_builder *b, const char *name, rlx_error *err)
{
    rlxc_api_call call;
    if (name == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the name is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlxc_build_scope *s = rlxc_build_check_name(ctx, name) ? open_scope(b, true) : NULL;
    if (s != NULL) {
        rlxc_function *f = rlxc_alloc(ctx, sizeof *f);
        f->name = rlxc_intern_cstr(ctx, name);
        f->parent = b->b->function;
        f->is_pure = true;
        b->b->function = f;
        s->body = &f->body;
        b->started = false;
    }
    return ended(b, &call, s != NULL, err);
}

rlx_status rlx_ir_builder_end_function(rlx_ir_builder *b, const rlx_ir_value *result,
                                       const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (result == NULL || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "result or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_context *ctx = call.compiler->ctx;
    rlxc_function *f = b->b->function;
    rlxc_binding *binding = NULL;
    if (b->scope == NULL || !b->scope->is_function) {
        rlxc_build_fail(b, "no local function is open");
    } else {
        end_body(b, *of_value(result));
        f->ret = rlxc_atom_sinfo(ctx, b->m->ir, f->body.result);
        f->is_pure = !rlxc_build_is_impure(f);
        binding = rlxc_binding_new(ctx, RLXC_FORM_FUNCTION, NULL);
        binding->function = f;
        close_scope(b);
    }
    return rlxc_build_give(b, &call, rlxc_build_emit(b, binding, f->name), out, err);
}

rlx_status rlx_ir_builder_call_value(rlx_ir_builder *b, const char *name,
                                     const rlx_ir_value *function, const rlx_ir_value *const *args,
                                     uint32_t n, const rlx_ir_value **out, rlx_error *err)
{
    rlxc_api_call call;
    if (function == NULL || (args == NULL && n > 0) || out == NULL)
        return rlx_fail(err, RLX_E_INVALID_ARG, "function, args or out is NULL");
    RLX_TRY(rlxc_build_begin(b, &call, err));
    rlxc_binding *binding = NULL;
    const bool ok = of_value(function)->kind == RLXC_ATOM_VAR ||
                    rlxc_build_fail(b, "only variables can be called");
    const rlxc_atom *atoms = ok ? rlxc_build_gather(b, args, &n) : NULL;
    if (atoms != NULL) {
        binding = rlxc_binding_new(call.compiler->ctx, RLXC_FORM_CALL, NULL);
        binding->callee = *of_value(function);
        binding->args = atoms;
        binding->n_args = n;
    }
    return rlxc_build_give(b, &call, rlxc_build_emit(b, binding, name), out, err);
}

/* Pass store_returns: calls of PrimFuncs that return a value become kernels that store it.
 *
 *   n = f(A, k)   becomes   t = call_tir(f_value, (A, k), out_sinfo=R.Tensor((), "int64"))
 *                           n = rlx.item(t)
 *
 * f_value is f with the result as its last parameter. If f writes to its arguments, which call_tir
 * does not allow, the result is allocated here and f_value is called directly. A public f that no
 * Relax function uses is for hosts: a Relax function replaces it. Integers are stored as int64 and
 * floats as float64, both after the cast to f's own type. */
#include <string.h>

#include "compiler/analysis/effects.h"
#include "compiler/ir/device.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ops/builtin_call.h"
#include "compiler/passes/passes.h"

typedef struct storing {
    rlxc_context *ctx;
    rlxc_map made; /* f -> rlxc_global of f_value */
} storing;

typedef struct returns {
    rlxc_context *ctx;
    rlx_dtype type; /* that f declares */
    const rlxc_buffer *result;
    const char *ret;
} returns;

static rlx_dtype stored_type(rlx_dtype t)
{
    return rlxc_dtype_is_float(t) ? RLX_F64 : rlxc_dtype_is_bool(t) ? RLX_B8 : RLX_I64;
}

static bool is_return(const rlxc_stmt *s, const char *ret)
{
    return s->kind == RLXC_STMT_EVALUATE && s->evaluate->kind == RLXC_EXPR_CALL &&
           s->evaluate->call.name == ret && s->evaluate->call.n == 1;
}

/* T.ret(v) -> result[()] = v; T.ret(0), which ends a kernel without an error. */
static const rlxc_stmt *store_return(void *user, const rlxc_stmt *s)
{
    const returns *r = user;
    rlxc_context *ctx = r->ctx;
    if (!is_return(s, r->ret))
        return s;
    const rlxc_expr *value = rlxc_cast(ctx, r->type, s->evaluate->call.args[0]);
    const rlxc_expr *okay = rlxc_int(ctx, RLX_I32, 0);
    const rlxc_stmt *both[2] = {
        rlxc_stmt_store(ctx, r->result, NULL, 0, rlxc_cast(ctx, r->result->dtype, value)),
        rlxc_stmt_evaluate(ctx, rlxc_call(ctx, rlxc_dtype_void(), r->ret, &okay, 1))};
    for (int i = 0; i < 2; i++)
        ((rlxc_stmt *)(uintptr_t)both[i])->range = s->range;
    return rlxc_stmt_seq(ctx, both, 2);
}

/* |s|, the last statement of the function, without its final returns. */
static const rlxc_stmt *without_last_return(const returns *r, const rlxc_stmt *s)
{
    rlxc_context *ctx = r->ctx;
    rlxc_stmt *copy;
    if (is_return(s, r->ret))
        return rlxc_stmt_evaluate(ctx, rlxc_int(ctx, RLX_I32, 0));
    if (s->kind == RLXC_STMT_SEQ && s->seq.n > 1) {
        const rlxc_stmt *last = s->seq.items[s->seq.n - 1];
        if (is_return(last, r->ret))
            return rlxc_stmt_seq(ctx, s->seq.items, s->seq.n - 1);
        const rlxc_stmt **items =
            rlxc_copy(ctx, s->seq.items, s->seq.n * sizeof(const rlxc_stmt *));
        items[s->seq.n - 1] = without_last_return(r, last);
        return rlxc_stmt_seq(ctx, items, s->seq.n);
    }
    if (s->kind == RLXC_STMT_IF) {
        copy = (rlxc_stmt *)(uintptr_t)rlxc_stmt_copy(ctx, s);
        copy->if_.then = without_last_return(r, s->if_.then);
        if (s->if_.otherwise)
            copy->if_.otherwise = without_last_return(r, s->if_.otherwise);
        return copy;
    }
    if (s->kind == RLXC_STMT_BLOCK && s->block.block->n_axes == 0) {
        rlxc_block *block = rlxc_copy(ctx, s->block.block, sizeof *block);
        block->body = without_last_return(r, block->body);
        block->has_writes = false; /* the result is one of them now */
        copy = (rlxc_stmt *)(uintptr_t)rlxc_stmt_copy(ctx, s);
        copy->block.block = block;
        return copy;
    }
    return s;
}

static const rlxc_global *value_function(storing *s, rlxc_module *module, const rlxc_global *g)
{
    rlxc_context *ctx = s->ctx;
    const rlxc_global *known = rlxc_map_get(&s->made, rlxc_key(g));
    if (known)
        return known;
    rlxc_prim_func *f = rlxc_prim_func_clone(ctx, g->prim);
    rlxc_buffer *result = rlxc_buffer_new(ctx, "result", stored_type(f->ret_dtype), NULL, 0);
    returns r = {ctx, f->ret_dtype, result, rlxc_intern_cstr(ctx, "ret")};
    const rlxc_stmt_rewriter rewriter = {.user = &r, .stmt = store_return};
    f->body = without_last_return(&r, rlxc_stmt_rewrite(ctx, f->body, &rewriter));
    rlxc_prim_param *params = rlxc_alloc(ctx, ((size_t)f->n_params + 1) * sizeof *params);
    for (uint32_t i = 0; i < f->n_params; i++)
        params[i] = f->params[i];
    params[f->n_params] = (rlxc_prim_param){
        .var = rlxc_var(ctx, "result_handle", rlxc_dtype_handle()), .buffer = result};
    f->params = params;
    f->n_params++;
    f->ret_dtype = rlxc_dtype_void();
    f->is_private = true;
    f->name = rlxc_internf(ctx, "%s_value", g->name);
    rlxc_global *made = rlxc_module_add_prim(ctx, module, f, true);
    rlxc_map_set(ctx, &s->made, rlxc_key(g), made);
    return made;
}

typedef struct write_search {
    const rlxc_prim_func *f;
    bool found;
} write_search;

static bool find_write(void *user, const rlxc_stmt *s)
{
    write_search *search = user;
    if (s->kind == RLXC_STMT_EVALUATE && s->evaluate->kind == RLXC_EXPR_CALL)
        search->found |= strcmp(s->evaluate->call.name, "ret") != 0;
    for (uint32_t i = 0; s->kind == RLXC_STMT_STORE && i < search->f->n_params; i++) {
        const rlxc_buffer *buffer = search->f->params[i].buffer;
        search->found |= s->store.buffer->data == search->f->params[i].var ||
                         (buffer && buffer->data == s->store.buffer->data);
    }
    return !search->found;
}

static rlxc_atom allocated_call(rlxc_builder *b, const rlxc_binding *call, const rlxc_global *g,
                                const rlxc_sinfo *type)
{
    rlxc_context *ctx = b->ctx;
    const int64_t device = rlxc_vdevice_index(b->module, type->vdevice);
    const rlxc_atom alloc[3] = {rlxc_atom_shape(ctx, NULL, 0), rlxc_atom_dtype(type->dtype),
                                rlxc_atom_prim(rlxc_i64(ctx, device))};
    rlxc_atom result =
        rlxc_emit_op(b, "builtin.alloc_tensor", alloc, 3, (rlxc_attrs){0}, call->var->name);
    rlxc_atom *args = rlxc_alloc(ctx, ((size_t)call->n_args + 1) * sizeof *args);
    for (uint32_t i = 0; i < call->n_args; i++)
        args[i] = call->args[i];
    args[call->n_args] = result;
    rlxc_rvar *nothing =
        rlxc_rvar_new(ctx, rlxc_outermost(b->function), "_", rlxc_sinfo_tuple(ctx, NULL, 0));
    rlxc_binding *run = rlxc_binding_new(ctx, RLXC_FORM_CALL, nothing);
    run->callee = rlxc_atom_global(ctx, g->name);
    run->args = args;
    run->n_args = call->n_args + 1;
    run->range = call->range;
    rlxc_emit(b, run);
    return result;
}

/* Where the function runs, and stores. */
static const char *device_of_operands(rlxc_builder *b, const rlxc_binding *call)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < call->n_args && !found; i++)
        found = rlxc_stated_device(rlxc_atom_sinfo(b->ctx, b->module, call->args[i]));
    return found ? found : rlxc_placed_host(b->ctx, b->module);
}

static rlxc_rewrite_action store_binding(void *user, rlxc_builder *b, rlxc_binding *call,
                                         rlxc_atom *replacement)
{
    storing *s = user;
    rlxc_context *ctx = b->ctx;
    if (call->form != RLXC_FORM_CALL || call->op || call->callee.kind != RLXC_ATOM_GLOBAL)
        return RLXC_REWRITE_KEEP;
    const rlxc_global *g = rlxc_module_find(b->module, call->callee.text);
    if (!g || !g->prim || rlxc_dtype_is_void(g->prim->ret_dtype))
        return RLXC_REWRITE_KEEP;
    if (rlxc_dtype_is_handle(g->prim->ret_dtype)) {
        rlxc_error(ctx, call->range, "PrimFunc '%s' returns an address, which has no Relax type",
                   g->name);
        return RLXC_REWRITE_KEEP;
    }
    write_search search = {.f = g->prim};
    rlxc_stmt_visit(g->prim->body, find_write, &search);
    const rlxc_global *made = value_function(s, b->module, g);
    const rlxc_sinfo *type = rlxc_sinfo_tensor(ctx, stored_type(g->prim->ret_dtype), 0, NULL,
                                               device_of_operands(b, call));
    rlxc_atom stored = search.found ? allocated_call(b, call, made, type)
                                    : rlxc_emit_call_tir(b, made->name, call->args, call->n_args,
                                                         type, NULL, call->var->name);
    const rlxc_sinfo *number = rlxc_sinfo_prim(ctx, g->prim->ret_dtype, NULL);
    *replacement = rlxc_emit_builtin(b, call, "rlx.item", &stored, 1, number, true);
    return RLXC_REWRITE_REPLACE;
}

/* A function with f's name and parameters that calls f. The kernel itself checks symbolic
 * dimensions. */
static rlxc_function *wrapper(rlxc_context *ctx, rlxc_module *module, const rlxc_prim_func *f)
{
    const char *host = rlxc_placed_host(ctx, module);
    rlxc_function *made = rlxc_alloc(ctx, sizeof *made);
    made->name = f->name;
    made->range = f->range;
    made->params = rlxc_alloc(ctx, ((size_t)f->n_params + 1) * sizeof(rlxc_rvar *));
    made->n_params = f->n_params;
    rlxc_atom *args = rlxc_alloc(ctx, ((size_t)f->n_params + 1) * sizeof *args);
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_buffer *buffer = f->params[i].buffer;
        bool known = true;
        for (uint32_t d = 0; buffer && d < buffer->ndim; d++)
            known &= buffer->shape[d]->kind == RLXC_EXPR_INT;
        const rlxc_sinfo *type = buffer
                                     ? rlxc_sinfo_tensor(ctx, buffer->dtype, (int32_t)buffer->ndim,
                                                         known ? buffer->shape : NULL, host)
                                     : rlxc_sinfo_prim(ctx, f->params[i].var->dtype, NULL);
        const char *name = buffer ? buffer->name : f->params[i].var->var.name;
        made->params[i] = rlxc_rvar_new(ctx, made, name, type);
        args[i] = rlxc_atom_var(made->params[i]);
    }
    rlxc_binding_block *block = rlxc_block_new(ctx, false);
    made->ret = rlxc_sinfo_prim(ctx, f->ret_dtype, NULL);
    rlxc_rvar *out = rlxc_rvar_new(ctx, made, "result", made->ret);
    rlxc_binding *call = rlxc_binding_new(ctx, RLXC_FORM_CALL, out);
    call->callee = rlxc_atom_global(ctx, f->name);
    call->args = args;
    call->n_args = f->n_params;
    call->range = f->range;
    rlxc_block_push(ctx, block, call);
    rlxc_body_push(ctx, &made->body, block);
    made->body.result = rlxc_atom_var(out);
    made->body.result_range = f->range;
    return made;
}

static bool is_for_hosts(const rlxc_module *module, const rlxc_prim_func *f)
{
    for (uint32_t i = 0; f && i < f->n_params; i++)
        if (!f->params[i].buffer && rlxc_dtype_is_handle(f->params[i].var->dtype))
            return false;
    return f && !f->is_private && !rlxc_prim_is_device(f) && !rlxc_dtype_is_void(f->ret_dtype) &&
           !rlxc_dtype_is_handle(f->ret_dtype) && !rlxc_is_mentioned(module, f->name);
}

bool rlxc_pass_store_returns(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    storing s = {.ctx = ctx};
    const rlxc_rewrite_pass pass = {.user = &s, .binding = store_binding};
    uint32_t n = module->globals.count; /* without those that are made */
    rlxc_map hosts = {0};
    for (uint32_t i = 0; i < n; i++)
        if (is_for_hosts(module, module->globals.items[i]->prim))
            rlxc_map_set(ctx, &hosts, rlxc_key(module->globals.items[i]), &s);
    rlxc_rewrite_module(ctx, module, &pass);
    for (uint32_t i = 0; i < n && !rlxc_failed(ctx); i++) {
        rlxc_global *g = module->globals.items[i];
        if (!rlxc_map_get(&hosts, rlxc_key(g)))
            continue;
        rlxc_function *f = wrapper(ctx, module, g->prim);
        rlxc_rewrite_function(ctx, module, f, &pass);
        g->prim = NULL;
        g->relax = f;
    }
    return !rlxc_failed(ctx);
}

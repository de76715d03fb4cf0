/* Getters for modules, functions, bindings and values. */
#include "compiler/api/handles.h"

#include "compiler/ir/sym.h"
#include "compiler/script/script.h"

#include <stdio.h>
#include <string.h>

/* --- modules and functions ------------------------------------------------------------------- */

static bool give_global(const rlxc_global *g, rlx_ir_global *out)
{
    *out = (rlx_ir_global){g->name, to_function(g->relax), to_prim(g->prim)};
    return true;
}

uint32_t rlx_ir_module_global_count(const rlx_ir_module *m)
{
    return m != NULL ? m->ir->globals.count : 0;
}

bool rlx_ir_module_global(const rlx_ir_module *m, uint32_t i, rlx_ir_global *out)
{
    return out != NULL && i < rlx_ir_module_global_count(m) &&
           give_global(m->ir->globals.items[i], out);
}

bool rlx_ir_module_find(const rlx_ir_module *m, const char *name, rlx_ir_global *out)
{
    for (uint32_t i = 0; name != NULL && out != NULL && i < rlx_ir_module_global_count(m); i++)
        if (strcmp(m->ir->globals.items[i]->name, name) == 0)
            return give_global(m->ir->globals.items[i], out);
    return false;
}

const char *rlx_ir_function_name(const rlx_ir_function *f)
{
    return f != NULL ? of_function(f)->name : NULL;
}

uint32_t rlx_ir_function_param_count(const rlx_ir_function *f)
{
    return f != NULL ? of_function(f)->n_params : 0;
}

const rlx_ir_var *rlx_ir_function_param(const rlx_ir_function *f, uint32_t i)
{
    return i < rlx_ir_function_param_count(f) ? to_var(of_function(f)->params[i]) : NULL;
}

const rlx_ir_sinfo *rlx_ir_function_result(const rlx_ir_function *f)
{
    return f != NULL ? to_sinfo(of_function(f)->ret) : NULL;
}

bool rlx_ir_function_is_private(const rlx_ir_function *f)
{
    return f != NULL && of_function(f)->is_private;
}

bool rlx_ir_function_is_pure(const rlx_ir_function *f)
{
    return f != NULL && of_function(f)->is_pure;
}

const rlx_ir_body *rlx_ir_function_body(const rlx_ir_function *f)
{
    return f != NULL ? to_body(&of_function(f)->body) : NULL;
}

static const rlx_ir_attr *attr_at(const rlxc_attrs *attrs, uint32_t i, const char **out_key)
{
    if (i >= attrs->count)
        return NULL;
    if (out_key != NULL)
        *out_key = attrs->keys[i];
    return to_attr(&attrs->values[i]);
}

const rlx_ir_attr *rlx_ir_function_attr(const rlx_ir_function *f, uint32_t i, const char **out_key)
{
    return f != NULL ? attr_at(&of_function(f)->attrs, i, out_key) : NULL;
}

uint32_t rlx_ir_body_block_count(const rlx_ir_body *b)
{
    return b != NULL ? of_body(b)->n_blocks : 0;
}

const rlx_ir_block *rlx_ir_body_block(const rlx_ir_body *b, uint32_t i)
{
    return i < rlx_ir_body_block_count(b) ? to_block(of_body(b)->blocks[i]) : NULL;
}

const rlx_ir_value *rlx_ir_body_result(const rlx_ir_body *b)
{
    return b != NULL ? to_value(&of_body(b)->result) : NULL;
}

bool rlx_ir_block_is_dataflow(const rlx_ir_block *b)
{
    return b != NULL && of_block(b)->is_dataflow;
}

uint32_t rlx_ir_block_binding_count(const rlx_ir_block *b)
{
    return b != NULL ? of_block(b)->n : 0;
}

const rlx_ir_binding *rlx_ir_block_binding(const rlx_ir_block *b, uint32_t i)
{
    return i < rlx_ir_block_binding_count(b) ? to_binding(of_block(b)->bindings[i]) : NULL;
}

/* --- bindings -------------------------------------------------------------------------------- */

rlx_ir_form rlx_ir_binding_form(const rlx_ir_binding *b)
{
    if (b == NULL)
        return RLX_IR_COPY;
    switch (of_binding(b)->form) {
    case RLXC_FORM_COPY:
        return RLX_IR_COPY;
    case RLXC_FORM_CALL:
        return RLX_IR_CALL;
    case RLXC_FORM_TUPLE:
        return RLX_IR_TUPLE;
    case RLXC_FORM_TUPLE_GET:
        return RLX_IR_TUPLE_GET;
    case RLXC_FORM_MATCH_CAST:
        return RLX_IR_MATCH_CAST;
    case RLXC_FORM_IF:
        return RLX_IR_IF;
    case RLXC_FORM_FUNCTION:
        return RLX_IR_FUNCTION;
    }
    return RLX_IR_COPY;
}

const rlx_ir_var *rlx_ir_binding_var(const rlx_ir_binding *b)
{
    return b != NULL ? to_var(of_binding(b)->var) : NULL;
}

const char *rlx_ir_binding_op(const rlx_ir_binding *b)
{
    return b != NULL && of_binding(b)->op != NULL ? of_binding(b)->op->name : NULL;
}

const rlx_ir_value *rlx_ir_binding_callee(const rlx_ir_binding *b)
{
    return b != NULL && of_binding(b)->form == RLXC_FORM_CALL && of_binding(b)->op == NULL
               ? to_value(&of_binding(b)->callee)
               : NULL;
}

uint32_t rlx_ir_binding_arg_count(const rlx_ir_binding *b)
{
    return b != NULL ? of_binding(b)->n_args : 0;
}

const rlx_ir_value *rlx_ir_binding_arg(const rlx_ir_binding *b, uint32_t i)
{
    return i < rlx_ir_binding_arg_count(b) ? to_value(&of_binding(b)->args[i]) : NULL;
}

uint32_t rlx_ir_binding_index(const rlx_ir_binding *b)
{
    return b != NULL ? of_binding(b)->index : 0;
}

const rlx_ir_attr *rlx_ir_binding_attr(const rlx_ir_binding *b, uint32_t i, const char **out_key)
{
    return b != NULL ? attr_at(&of_binding(b)->attrs, i, out_key) : NULL;
}

const rlx_ir_sinfo *rlx_ir_binding_sinfo(const rlx_ir_binding *b, uint32_t i)
{
    return b != NULL && i < of_binding(b)->n_sinfo_args ? to_sinfo(of_binding(b)->sinfo_args[i])
                                                        : NULL;
}

const rlx_ir_body *rlx_ir_binding_then(const rlx_ir_binding *b)
{
    return b != NULL ? to_body(of_binding(b)->then) : NULL;
}

const rlx_ir_body *rlx_ir_binding_otherwise(const rlx_ir_binding *b)
{
    return b != NULL ? to_body(of_binding(b)->otherwise) : NULL;
}

const rlx_ir_function *rlx_ir_binding_function(const rlx_ir_binding *b)
{
    return b != NULL ? to_function(of_binding(b)->function) : NULL;
}

bool rlx_ir_binding_location(const rlx_ir_module *m, const rlx_ir_binding *b, rlx_location *out)
{
    if (m == NULL || b == NULL || out == NULL || of_binding(b)->range.line == 0)
        return false;
    const rlxc_range range = of_binding(b)->range;
    snprintf(out->file, sizeof out->file, "%s", rlxc_file_path(m->compiler->ctx, range.file));
    out->line = range.line;
    out->column = range.col;
    return true;
}

bool rlx_ir_visit(const rlx_ir_body *body, bool (*visit)(void *user, const rlx_ir_binding *b),
                  void *user)
{
    if (body == NULL || visit == NULL)
        return false;
    for (uint32_t i = 0; i < of_body(body)->n_blocks; i++) {
        const rlxc_binding_block *block = of_body(body)->blocks[i];
        for (uint32_t k = 0; k < block->n; k++) { /* nesting is limited by RLXC_MAX_DEPTH */
            const rlxc_binding *b = block->bindings[k];
            if ((b->then != NULL && !rlx_ir_visit(to_body(b->then), visit, user)) ||
                (b->otherwise != NULL && !rlx_ir_visit(to_body(b->otherwise), visit, user)) ||
                (b->function != NULL && !rlx_ir_visit(to_body(&b->function->body), visit, user)) ||
                !visit(user, to_binding(b)))
                return false;
        }
    }
    return true;
}

/* --- variables, values ----------------------------------------------------------------------- */

const char *rlx_ir_var_name(const rlx_ir_var *v)
{
    return v != NULL ? of_var(v)->name : NULL;
}

const rlx_ir_sinfo *rlx_ir_var_sinfo(const rlx_ir_var *v)
{
    if (v == NULL)
        return NULL;
    return to_sinfo(of_var(v)->sinfo != NULL ? of_var(v)->sinfo : of_var(v)->annotation);
}

bool rlx_ir_var_is_dataflow(const rlx_ir_var *v)
{
    return v != NULL && of_var(v)->is_dataflow;
}

rlx_ir_value_kind rlx_ir_value_get_kind(const rlx_ir_value *v)
{
    if (v == NULL)
        return RLX_IR_VALUE_NONE;
    switch (of_value(v)->kind) {
    case RLXC_ATOM_NONE:
        return RLX_IR_VALUE_NONE;
    case RLXC_ATOM_VAR:
        return RLX_IR_VALUE_VAR;
    case RLXC_ATOM_CONSTANT:
        return RLX_IR_VALUE_CONSTANT;
    case RLXC_ATOM_SHAPE:
        return RLX_IR_VALUE_SHAPE;
    case RLXC_ATOM_PRIM:
        return RLX_IR_VALUE_PRIM;
    case RLXC_ATOM_STRING:
        return RLX_IR_VALUE_STRING;
    case RLXC_ATOM_DTYPE:
        return RLX_IR_VALUE_DTYPE;
    case RLXC_ATOM_GLOBAL:
        return RLX_IR_VALUE_GLOBAL;
    case RLXC_ATOM_EXTERN:
        return RLX_IR_VALUE_EXTERN;
    case RLXC_ATOM_TUPLE:
        return RLX_IR_VALUE_TUPLE;
    }
    return RLX_IR_VALUE_NONE;
}

static bool is_kind(const rlx_ir_value *v, rlxc_atom_kind kind)
{
    return v != NULL && of_value(v)->kind == kind;
}

const rlx_ir_var *rlx_ir_value_var(const rlx_ir_value *v)
{
    return is_kind(v, RLXC_ATOM_VAR) ? to_var(of_value(v)->var) : NULL;
}

const char *rlx_ir_value_text(const rlx_ir_value *v)
{
    return is_kind(v, RLXC_ATOM_STRING) || is_kind(v, RLXC_ATOM_GLOBAL) ||
                   is_kind(v, RLXC_ATOM_EXTERN)
               ? of_value(v)->text
               : NULL;
}

rlx_dtype rlx_ir_value_dtype(const rlx_ir_value *v)
{
    if (is_kind(v, RLXC_ATOM_CONSTANT))
        return of_value(v)->constant->dtype;
    return is_kind(v, RLXC_ATOM_DTYPE) ? of_value(v)->dtype : (rlx_dtype){0, 0, 0};
}

uint32_t rlx_ir_value_count(const rlx_ir_value *v)
{
    if (is_kind(v, RLXC_ATOM_CONSTANT))
        return of_value(v)->constant->ndim;
    return is_kind(v, RLXC_ATOM_SHAPE) || is_kind(v, RLXC_ATOM_TUPLE) ? of_value(v)->n : 0;
}

const rlx_ir_value *rlx_ir_value_item(const rlx_ir_value *v, uint32_t i)
{
    return is_kind(v, RLXC_ATOM_TUPLE) && i < of_value(v)->n ? to_value(&of_value(v)->items[i])
                                                             : NULL;
}

const rlx_ir_expr *rlx_ir_value_expr(const rlx_ir_value *v, uint32_t i)
{
    if (is_kind(v, RLXC_ATOM_PRIM) && i == 0)
        return to_expr(of_value(v)->prim);
    return is_kind(v, RLXC_ATOM_SHAPE) && i < of_value(v)->n ? to_expr(of_value(v)->dims[i]) : NULL;
}

const void *rlx_ir_value_data(const rlx_ir_value *v, const int64_t **out_dims, size_t *out_size)
{
    if (!is_kind(v, RLXC_ATOM_CONSTANT))
        return NULL;
    if (out_dims != NULL)
        *out_dims = of_value(v)->constant->shape;
    if (out_size != NULL)
        *out_size = of_value(v)->constant->nbytes;
    return of_value(v)->constant->data;
}

/* Prints Relax functions and modules.
 *
 * A first walk finds the symbols to declare, whether `cls` is needed, and which variables are used
 * (a call whose result is not used and has no name is a statement of its own). Bindings are walked
 * in loops; only branches of If and local functions recurse. The result of a branch is the last
 * assignment, to the name of the If's variable. */
#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/script/print.h"

/* --- first walk ------------------------------------------------------------------------------ */

typedef struct survey {
    rlxc_printer *p;
    rlxc_map seen; /* expressions and struct infos already visited */
    RLXC_VEC(const rlxc_expr *) symbols;
    bool needs_cls;
} survey;

static bool first_time(survey *sv, const void *thing)
{
    if (rlxc_map_get(&sv->seen, rlxc_key(thing)) != NULL)
        return false;
    rlxc_map_set(sv->p->ctx, &sv->seen, rlxc_key(thing), sv);
    return true;
}

static bool survey_node(void *user, const rlxc_expr *e)
{
    survey *sv = user;
    if (e->kind == RLXC_EXPR_VAR && first_time(sv, e))
        RLXC_PUSH(sv->p->ctx, &sv->symbols, e);
    return true;
}

static void survey_expr(survey *sv, const rlxc_expr *e)
{
    if (e == NULL || e->kind == RLXC_EXPR_INT)
        return;
    if (e->kind == RLXC_EXPR_VAR)
        survey_node(sv, e);
    else if (first_time(sv, e))
        rlxc_expr_visit(sv->p->ctx, e, survey_node, sv);
}

static void survey_sinfo(survey *sv, const rlxc_sinfo *s)
{
    if (s == NULL || !first_time(sv, s))
        return;
    survey_expr(sv, s->value);
    for (int32_t i = 0; s->dims != NULL && i < s->ndim; i++)
        survey_expr(sv, s->dims[i]);
    for (uint32_t i = 0; i < s->n_fields; i++)
        survey_sinfo(sv, s->fields[i]);
    survey_sinfo(sv, s->ret);
}

static void survey_attr(survey *sv, const rlxc_attr *attr, int depth)
{
    if (attr->kind == RLXC_ATTR_EXPR) {
        if (!rlxc_is_index_map(attr->expr)) /* has variables of its own */
            survey_expr(sv, attr->expr);
    } else if ((attr->kind == RLXC_ATTR_LIST || attr->kind == RLXC_ATTR_DICT) &&
               depth < RLXC_MAX_DEPTH)
        for (uint32_t i = 0; i < attr->list.count; i++)
            survey_attr(sv, &attr->list.items[i], depth + 1);
}

static void survey_attrs(survey *sv, const rlxc_attrs *attrs)
{
    for (uint32_t i = 0; i < attrs->count; i++)
        survey_attr(sv, &attrs->values[i], 0);
}

static void survey_atom(void *user, rlxc_atom atom)
{
    survey *sv = user;
    switch (atom.kind) {
    case RLXC_ATOM_VAR:
        if (atom.var->id < sv->p->n_used)
            sv->p->used[atom.var->id] = 1;
        break;
    case RLXC_ATOM_SHAPE:
        for (uint32_t i = 0; i < atom.n; i++)
            survey_expr(sv, atom.dims[i]);
        break;
    case RLXC_ATOM_PRIM:
        survey_expr(sv, atom.prim);
        break;
    case RLXC_ATOM_GLOBAL:
        sv->needs_cls = true;
        break;
    case RLXC_ATOM_NONE:
    case RLXC_ATOM_CONSTANT:
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_DTYPE:
    case RLXC_ATOM_EXTERN:
    case RLXC_ATOM_TUPLE:
        break;
    }
}

static void survey_function(survey *sv, const rlxc_function *f, int depth);

static void survey_body(survey *sv, const rlxc_body *body, int depth)
{
    if (body == NULL || depth > 2 * RLXC_MAX_DEPTH)
        return;
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        const rlxc_binding_block *block = body->blocks[i];
        for (uint32_t k = 0; k < block->n; k++) {
            const rlxc_binding *b = block->bindings[k];
            survey_sinfo(sv, b->var->sinfo != NULL ? b->var->sinfo : b->var->annotation);
            rlxc_atom_visit(b->callee, survey_atom, sv);
            for (uint32_t a = 0; a < b->n_args; a++)
                rlxc_atom_visit(b->args[a], survey_atom, sv);
            for (uint32_t a = 0; a < b->n_sinfo_args; a++)
                survey_sinfo(sv, b->sinfo_args[a]);
            survey_attrs(sv, &b->attrs);
            survey_body(sv, b->then, depth + 1);
            survey_body(sv, b->otherwise, depth + 1);
            if (b->function != NULL)
                survey_function(sv, b->function, depth + 1);
        }
    }
    rlxc_atom_visit(body->result, survey_atom, sv);
}

static void survey_function(survey *sv, const rlxc_function *f, int depth)
{
    for (uint32_t i = 0; i < f->n_params; i++)
        survey_sinfo(sv,
                     f->params[i]->sinfo != NULL ? f->params[i]->sinfo : f->params[i]->annotation);
    survey_sinfo(sv, f->ret);
    survey_attrs(sv, &f->attrs);
    survey_body(sv, &f->body, depth);
}

/* --- atoms ----------------------------------------------------------------------------------- */

static const char *var_name(rlxc_printer *p, const rlxc_rvar *var)
{
    return rlxc_print_name(p, var, var->name);
}

static void print_atom(rlxc_printer *p, rlxc_atom atom, int depth);

static void print_atoms(rlxc_printer *p, const rlxc_atom *items, uint32_t n, int depth)
{
    for (uint32_t i = 0; i < n; i++) {
        rlxc_text_puts(&p->out, i > 0 ? ", " : "");
        print_atom(p, items[i], depth);
    }
}

static void print_tuple(rlxc_printer *p, const rlxc_atom *items, uint32_t n, int depth)
{
    if (n == 0) {
        rlxc_text_puts(&p->out, "R.tuple()");
        return;
    }
    rlxc_text_puts(&p->out, "(");
    print_atoms(p, items, n, depth + 1);
    rlxc_text_puts(&p->out, n == 1 ? ",)" : ")");
}

static void print_atom(rlxc_printer *p, rlxc_atom atom, int depth)
{
    rlxc_text *out = &p->out;
    if (depth > 2 * RLXC_MAX_DEPTH) {
        p->overflow = true;
        return;
    }
    switch (atom.kind) {
    case RLXC_ATOM_NONE:
        rlxc_text_puts(out, "None");
        return;
    case RLXC_ATOM_VAR:
        rlxc_text_puts(out, var_name(p, atom.var));
        return;
    case RLXC_ATOM_CONSTANT:
        rlxc_print_constant(p, atom.constant);
        return;
    case RLXC_ATOM_SHAPE:
        rlxc_text_puts(out, "R.shape([");
        for (uint32_t i = 0; i < atom.n; i++) {
            rlxc_text_puts(out, i > 0 ? ", " : "");
            rlxc_print_expression(p, atom.dims[i]);
        }
        rlxc_text_puts(out, "])");
        return;
    case RLXC_ATOM_PRIM:
        rlxc_text_puts(out, "R.prim_value(");
        rlxc_print_expression(p, atom.prim);
        rlxc_text_puts(out, ")");
        return;
    case RLXC_ATOM_STRING:
        rlxc_text_puts(out, "R.str(");
        rlxc_print_quoted(p, atom.text);
        rlxc_text_puts(out, ")");
        return;
    case RLXC_ATOM_DTYPE:
        rlxc_text_printf(out, "R.dtype(\"%s\")", rlxc_dtype_name(p->ctx, atom.dtype));
        return;
    case RLXC_ATOM_GLOBAL:
        rlxc_text_printf(out, "cls.%s", atom.text);
        return;
    case RLXC_ATOM_EXTERN:
        rlxc_text_puts(out, "R.ExternFunc(");
        rlxc_print_quoted(p, atom.text);
        rlxc_text_puts(out, ")");
        return;
    case RLXC_ATOM_TUPLE:
        print_tuple(p, atom.items, atom.n, depth);
        return;
    }
}

/* --- calls ----------------------------------------------------------------------------------- */

/* ", " before every item of an argument list but the first. */
typedef struct arguments {
    rlxc_printer *p;
    uint32_t n;
} arguments;

static void next_argument(arguments *a)
{
    rlxc_text_puts(&a->p->out, a->n++ > 0 ? ", " : "");
}

static void print_keyword_attr(arguments *a, const char *key, const rlxc_attr *value)
{
    next_argument(a);
    rlxc_text_printf(&a->p->out, "%s=", key);
    if (value->kind == RLXC_ATTR_DTYPE) /* true by the operator's schema */
        rlxc_print_quoted(a->p, rlxc_dtype_name(a->p->ctx, value->dtype));
    else
        rlxc_print_attr(a->p, value);
}

static void print_sinfo_args(arguments *a, const rlxc_binding *b)
{
    rlxc_printer *p = a->p;
    if (b->n_sinfo_args == 0)
        return;
    next_argument(a);
    rlxc_text_puts(&p->out, "sinfo_args=(");
    for (uint32_t i = 0; i < b->n_sinfo_args; i++) {
        rlxc_text_puts(&p->out, i > 0 ? ", " : "");
        rlxc_print_sinfo(p, b->sinfo_args[i]);
    }
    rlxc_text_puts(&p->out, b->n_sinfo_args == 1 ? ",)" : ")");
}

/* out_sinfo=S, or a list for several outputs. */
static void print_out_sinfo(arguments *a, const rlxc_binding *b)
{
    rlxc_printer *p = a->p;
    if (b->n_sinfo_args == 0)
        return;
    const rlxc_sinfo *s = b->sinfo_args[0];
    next_argument(a);
    rlxc_text_puts(&p->out, "out_sinfo=");
    if (s->kind != RLXC_SINFO_TUPLE || s->n_fields < 2) {
        rlxc_print_sinfo(p, s);
        return;
    }
    rlxc_text_puts(&p->out, "[");
    for (uint32_t i = 0; i < s->n_fields; i++) {
        rlxc_text_puts(&p->out, i > 0 ? ", " : "");
        rlxc_print_sinfo(p, s->fields[i]);
    }
    rlxc_text_puts(&p->out, "]");
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void print_operator_call(rlxc_printer *p, const rlxc_binding *b)
{
    /* The call_tir family names its results out_sinfo and its third argument tir_vars. */
    bool tir = has_prefix(b->op->name, "call_tir");
    bool out_named = tir || strcmp(b->op->name, "call_dps_packed") == 0;
    bool calls = (b->op->flags & RLXC_OP_CALLS) != 0;
    arguments a = {.p = p};
    rlxc_text_printf(&p->out, "R.%s(", b->op->name);
    uint32_t n = b->n_args;
    while (n > 0 && b->args[n - 1].kind == RLXC_ATOM_NONE)
        n--; /* absent optional inputs */
    for (uint32_t i = 0; i < n; i++) {
        next_argument(&a);
        if (i == 0 && calls && b->args[0].kind == RLXC_ATOM_EXTERN) {
            rlxc_print_quoted(p, b->args[0].text);
            continue;
        }
        if (i == 2 && tir)
            rlxc_text_puts(&p->out, "tir_vars=");
        print_atom(p, b->args[i], 0);
    }
    for (uint32_t i = 0; i < b->attrs.count; i++)
        print_keyword_attr(&a, b->attrs.keys[i], &b->attrs.values[i]);
    if (out_named)
        print_out_sinfo(&a, b);
    else
        print_sinfo_args(&a, b);
    rlxc_text_puts(&p->out, ")");
}

static void print_call(rlxc_printer *p, const rlxc_binding *b)
{
    if (b->op != NULL) {
        print_operator_call(p, b);
        return;
    }
    arguments a = {.p = p};
    const rlxc_attr *pure = NULL;
    if (b->callee.kind == RLXC_ATOM_EXTERN) {
        pure = rlxc_attrs_find(&b->attrs, rlxc_intern_cstr(p->ctx, "pure"));
        bool is_pure = pure != NULL && pure->kind == RLXC_ATTR_BOOL && pure->i != 0;
        bool writes =
            rlxc_attrs_find(&b->attrs, rlxc_intern_cstr(p->ctx, "inplace_indices")) != NULL;
        rlxc_text_printf(&p->out, "R.%s(",
                         is_pure && writes ? "call_inplace_packed"
                         : is_pure         ? "call_pure_packed"
                                           : "call_packed");
        next_argument(&a);
        rlxc_print_quoted(p, b->callee.text);
    } else {
        print_atom(p, b->callee, 0);
        rlxc_text_puts(&p->out, "(");
    }
    for (uint32_t i = 0; i < b->n_args; i++) {
        next_argument(&a);
        print_atom(p, b->args[i], 0);
    }
    for (uint32_t i = 0; i < b->attrs.count; i++)
        if (&b->attrs.values[i] != pure)
            print_keyword_attr(&a, b->attrs.keys[i], &b->attrs.values[i]);
    print_sinfo_args(&a, b);
    rlxc_text_puts(&p->out, ")");
}

/* --- bindings -------------------------------------------------------------------------------- */

static void print_body(rlxc_printer *p, const rlxc_body *body, int depth);
static void print_function(rlxc_printer *p, const rlxc_function *f, const survey *sv, int depth);

static bool is_unnamed(const rlxc_printer *p, const rlxc_rvar *var)
{
    return var->name != NULL && strcmp(var->name, "_") == 0 &&
           (var->id >= p->n_used || p->used[var->id] == 0);
}

/* "name: type = " at the start of a line. */
static void print_target(rlxc_printer *p, const rlxc_rvar *var)
{
    const rlxc_sinfo *s = var->sinfo != NULL ? var->sinfo : var->annotation;
    rlxc_print_line(p);
    rlxc_text_puts(&p->out, is_unnamed(p, var) ? "_" : var_name(p, var));
    if (s != NULL) {
        rlxc_text_puts(&p->out, ": ");
        rlxc_print_sinfo(p, s);
    }
    rlxc_text_puts(&p->out, " = ");
}

static void print_if(rlxc_printer *p, const rlxc_binding *b, int depth)
{
    for (int side = 0; side < 2; side++) {
        const rlxc_body *body = side == 0 ? b->then : b->otherwise;
        rlxc_print_line(p);
        if (side == 0) {
            rlxc_text_puts(&p->out, "if ");
            print_atom(p, b->args[0], 0);
            rlxc_text_puts(&p->out, ":\n");
        } else {
            rlxc_text_puts(&p->out, "else:\n");
        }
        p->indent++;
        print_body(p, body, depth + 1);
        print_target(p, b->var);
        print_atom(p, body->result, 0);
        rlxc_text_puts(&p->out, "\n");
        p->indent--;
    }
}

/* A call for its effect, whose result needs neither name nor type. */
static bool is_statement(const rlxc_printer *p, const rlxc_binding *b)
{
    return b->form == RLXC_FORM_CALL && b->var->sinfo == NULL && b->var->annotation == NULL &&
           is_unnamed(p, b->var);
}

static void print_binding(rlxc_printer *p, const rlxc_binding *b, int depth)
{
    if (b->form == RLXC_FORM_IF) {
        print_if(p, b, depth);
        return;
    }
    if (b->form == RLXC_FORM_FUNCTION) {
        rlxc_map_set(p->ctx, &p->names, rlxc_key(b->function),
                     (void *)(uintptr_t)var_name(p, b->var));
        print_function(p, b->function, NULL, depth + 1);
        return;
    }
    if (is_statement(p, b))
        rlxc_print_line(p);
    else
        print_target(p, b->var);
    switch (b->form) {
    case RLXC_FORM_COPY:
        print_atom(p, b->args[0], 0);
        break;
    case RLXC_FORM_CALL:
        print_call(p, b);
        break;
    case RLXC_FORM_TUPLE:
        print_tuple(p, b->args, b->n_args, 0);
        break;
    case RLXC_FORM_TUPLE_GET:
        print_atom(p, b->args[0], 0);
        rlxc_text_printf(&p->out, "[%u]", b->index);
        break;
    case RLXC_FORM_MATCH_CAST:
        rlxc_text_puts(&p->out, "R.match_cast(");
        print_atom(p, b->args[0], 0);
        rlxc_text_puts(&p->out, ", ");
        rlxc_print_sinfo(p, b->sinfo_args[0]);
        rlxc_text_puts(&p->out, ")");
        break;
    case RLXC_FORM_IF:
    case RLXC_FORM_FUNCTION:
        break;
    }
    rlxc_text_puts(&p->out, "\n");
}

static void print_dataflow_outputs(rlxc_printer *p, const rlxc_binding_block *block)
{
    uint32_t n = 0;
    rlxc_print_line(p);
    rlxc_text_puts(&p->out, "R.output(");
    for (uint32_t k = 0; k < block->n; k++) {
        const rlxc_rvar *var = block->bindings[k]->var;
        if (var->is_dataflow || is_unnamed(p, var))
            continue;
        rlxc_text_printf(&p->out, "%s%s", n++ > 0 ? ", " : "", var_name(p, var));
    }
    rlxc_text_puts(&p->out, ")\n");
}

/* Prints the blocks; the caller prints the result. */
static void print_body(rlxc_printer *p, const rlxc_body *body, int depth)
{
    if (depth > 2 * RLXC_MAX_DEPTH) {
        p->overflow = true;
        return;
    }
    for (uint32_t i = 0; i < body->n_blocks; i++) {
        const rlxc_binding_block *block = body->blocks[i];
        if (block->is_dataflow) {
            rlxc_print_line(p);
            rlxc_text_puts(&p->out, "with R.dataflow():\n");
            p->indent++;
        }
        for (uint32_t k = 0; k < block->n && !rlxc_out_of_memory(p->ctx); k++)
            print_binding(p, block->bindings[k], depth);
        if (block->is_dataflow) {
            print_dataflow_outputs(p, block);
            p->indent--;
        }
    }
}

/* --- functions ------------------------------------------------------------------------------- */

static void print_decorator(rlxc_printer *p, const rlxc_function *f)
{
    bool private_shown = f->is_private && f->parent == NULL;
    rlxc_print_line(p);
    rlxc_text_puts(&p->out, "@R.function");
    if (private_shown || !f->is_pure)
        rlxc_text_printf(&p->out, "(%s%s%s)", private_shown ? "private=True" : "",
                         private_shown && !f->is_pure ? ", " : "", f->is_pure ? "" : "pure=False");
    rlxc_text_puts(&p->out, "\n");
}

/* |sv| is given for an outermost function: its symbols are declared, its signature quotes them. */
static void print_function(rlxc_printer *p, const rlxc_function *f, const survey *sv, int depth)
{
    rlxc_text *out = &p->out;
    const char *name = sv == NULL ? rlxc_map_get(&p->names, rlxc_key(f)) : f->name;
    print_decorator(p, f);
    for (uint32_t i = 0; i < f->n_params; i++)
        var_name(p, f->params[i]); /* parameters keep their names before symbols get theirs */
    rlxc_print_line(p);
    rlxc_text_printf(out, "def %s(", name != NULL ? name : "main");
    bool outer_quoting = p->quote_dims;
    p->quote_dims = sv != NULL;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_rvar *param = f->params[i];
        const rlxc_sinfo *s = param->sinfo != NULL ? param->sinfo : param->annotation;
        rlxc_text_printf(out, "%s%s", i > 0 ? ", " : "", var_name(p, param));
        if (s != NULL) {
            rlxc_text_puts(out, ": ");
            rlxc_print_sinfo(p, s);
        }
    }
    rlxc_text_puts(out, ")");
    if (f->ret != NULL) {
        rlxc_text_puts(out, " -> ");
        rlxc_print_sinfo(p, f->ret);
    }
    rlxc_text_puts(out, ":\n");
    p->quote_dims = outer_quoting;

    p->indent++;
    if (sv != NULL)
        for (uint32_t i = 0; i < sv->symbols.count; i++) {
            const rlxc_expr *var = sv->symbols.items[i];
            rlxc_print_line(p);
            rlxc_text_printf(out, "%s = T.%s()\n", rlxc_print_name(p, var, var->var.name),
                             rlxc_dtype_name(p->ctx, var->dtype));
        }
    if (f->attrs.count > 0) {
        rlxc_print_line(p);
        rlxc_text_puts(out, "R.func_attr(");
        rlxc_print_attr_dict(p, &f->attrs);
        rlxc_text_puts(out, ")\n");
    }
    if (sv != NULL && sv->needs_cls) {
        rlxc_print_line(p);
        rlxc_text_printf(out, "cls = %s\n", p->cls_name);
    }
    print_body(p, &f->body, depth);
    rlxc_print_line(p);
    rlxc_text_puts(out, "return ");
    print_atom(p, f->body.result, 0);
    rlxc_text_puts(out, "\n");
    p->indent--;
}

void rlxc_print_relax(rlxc_printer *p, const rlxc_function *f)
{
    p->relax = true;
    p->quote_dims = false;
    rlxc_print_reset_names(p);
    p->n_used = f->n_vars;
    p->used = rlxc_try_alloc(p->ctx, f->n_vars + (size_t)1, 1);
    if (p->used == NULL)
        return;
    survey sv = {.p = p};
    survey_function(&sv, f, 0);
    for (uint32_t i = 0; i < f->n_params; i++)
        var_name(p, f->params[i]);
    for (uint32_t i = 0; i < sv.symbols.count; i++)
        rlxc_print_name(p, sv.symbols.items[i], sv.symbols.items[i]->var.name);
    print_function(p, f, &sv, 0);
}

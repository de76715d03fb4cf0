/* Relax functions: signatures, blocks, bindings, local functions. parse_relax_if.c has branches. */
#include <string.h>

#include "compiler/script/parse_relax.h"

/* --- bindings -------------------------------------------------------------------------------- */

void rlxc_relax_note_binding(rlxc_parser *p, rlxc_relax_progress *io, const char *name,
                             rlxc_binding *b)
{
    io->name = name;
    io->annotation = b->var->annotation;
    bool is_tuple = b->form == RLXC_FORM_TUPLE;
    io->copied = (b->form == RLXC_FORM_COPY || is_tuple) && !p->dataflow;
    if (!io->copied)
        io->value = rlxc_atom_var(b->var);
    else
        io->value = is_tuple ? rlxc_atom_tuple(p->ctx, b->args, b->n_args) : b->args[0];
}

static rlxc_binding *copy_of(rlxc_parser *p, rlxc_atom atom, rlxc_range range)
{
    rlxc_binding *b = rlxc_binding_new(p->ctx, RLXC_FORM_COPY, NULL);
    b->args = rlxc_copy(p->ctx, &atom, sizeof atom);
    b->n_args = 1;
    b->range = range;
    return b;
}

/* target = the value of |b|. */
static void bind_name(rlxc_parser *p, rlxc_relax_progress *io, const rlxc_py *target,
                      rlxc_binding *b)
{
    rlxc_parse_emit(p, b, target->text);
    b->var->range = target->range;
    rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_RVAR)->rvar = b->var;
    rlxc_relax_note_binding(p, io, target->text, b);
}

/* |type|: the annotation as written, or NULL. */
static void bind(rlxc_parser *p, rlxc_relax_progress *io, const rlxc_py *target,
                 const rlxc_py *type, const rlxc_sinfo *annotation, const rlxc_py *value)
{
    rlx_dtype scalar;
    rlxc_binding *b;
    rlxc_atom atom;
    if (!rlxc_parse_rhs(p, value, &b, &atom)) {
        rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_BROKEN);
        return;
    }
    bool size = type && rlxc_parse_scalar_type(p, type, &scalar) && rlxc_dtype_eq(scalar, RLX_I64);
    if (!b && size && atom.kind == RLXC_ATOM_PRIM && rlxc_dtype_eq(atom.prim->dtype, RLX_I64))
        annotation = rlxc_sinfo_prim(p->ctx, RLX_I64, atom.prim);
    if (b && size) { /* n: T.int64 = f(x): a symbol of its own, shapes may use it */
        rlxc_parse_emit(p, b, target->text);
        atom = rlxc_atom_var(b->var);
        annotation = rlxc_sinfo_prim(p->ctx, RLX_I64, rlxc_var(p->ctx, target->text, RLX_I64));
        b = rlxc_parse_new_binding(p, RLXC_FORM_MATCH_CAST, value->range, &atom, 1);
        b->sinfo_args = rlxc_copy(p->ctx, (const void *)&annotation, sizeof annotation);
        b->n_sinfo_args = 1;
        annotation = NULL;
    }
    if (!b)
        b = copy_of(p, atom, value->range);
    b->var = rlxc_rvar_new(p->ctx, p->function, target->text, NULL);
    b->var->annotation = annotation;
    bind_name(p, io, target, b);
}

static void break_names(rlxc_parser *p, const rlxc_py *target)
{
    for (uint32_t i = 0; i < target->n; i++)
        rlxc_names_define(p->ctx, &p->names, target->items[i]->text, RLXC_NAME_BROKEN);
}

/* n = T.int64(): the symbols of Relax are int64, as shapes are. */
static void declare(rlxc_parser *p, const rlxc_py *target, rlx_dtype dtype, rlxc_range range)
{
    if (rlxc_dtype_eq(dtype, RLX_I64)) {
        rlxc_parse_declare_symbol(p, target->text, dtype);
        return;
    }
    rlxc_error(p->ctx, range, "symbolic variable '%s' of a Relax function must be int64, got %s",
               target->text, rlxc_dtype_name(p->ctx, dtype));
    rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_BROKEN);
}

/* a, b = value: one binding for the tuple, one for each field. */
static void bind_fields(rlxc_parser *p, rlxc_relax_progress *io, const rlxc_py *target,
                        const rlxc_py *value)
{
    rlxc_atom tuple;
    rlx_dtype dtype;
    bool lists = value->kind == RLXC_PY_TUPLE && value->n == target->n;
    for (uint32_t i = 0; i < target->n; i++)
        if (target->items[i]->kind != RLXC_PY_NAME) {
            rlxc_error(p->ctx, target->items[i]->range, "only names can be assigned to");
            return;
        }
    if (lists && rlxc_parse_is_declaration(p, value->items[0], &dtype)) {
        for (uint32_t i = 0; i < target->n; i++) {
            if (!rlxc_parse_is_declaration(p, value->items[i], &dtype)) {
                rlxc_error(p->ctx, value->items[i]->range, "expected a declaration, T.int64()");
                return;
            }
            declare(p, target->items[i], dtype, value->items[i]->range);
        }
        return;
    }
    if (lists) { /* a, b = x, y: all values first, then the names */
        rlxc_atom *atoms = rlxc_try_alloc(p->ctx, (size_t)target->n + 1, sizeof *atoms);
        for (uint32_t i = 0; atoms && i < target->n; i++)
            if (!rlxc_parse_atom(p, value->items[i], &atoms[i])) {
                break_names(p, target);
                return;
            }
        for (uint32_t i = 0; atoms && i < target->n; i++)
            bind_name(p, io, target->items[i], copy_of(p, atoms[i], value->items[i]->range));
        return;
    }
    if (!rlxc_parse_atom(p, value, &tuple)) {
        break_names(p, target);
        return;
    }
    for (uint32_t i = 0; i < target->n; i++) {
        rlxc_binding *b = rlxc_binding_new(p->ctx, RLXC_FORM_TUPLE_GET, NULL);
        b->args = rlxc_copy(p->ctx, &tuple, sizeof tuple);
        b->n_args = 1;
        b->index = i;
        b->range = value->range;
        bind_name(p, io, target->items[i], b);
    }
}

static void parse_assignment(rlxc_parser *p, rlxc_relax_progress *io, const rlxc_py_stmt *stmt)
{
    const rlxc_py *target = stmt->target, *value = stmt->value;
    const rlxc_sinfo *annotation = NULL;
    rlx_dtype dtype;
    if (target->kind == RLXC_PY_TUPLE && value) {
        bind_fields(p, io, target, value);
        return;
    }
    if (target->kind != RLXC_PY_NAME) {
        rlxc_error(p->ctx, target->range, "only names can be assigned to in a Relax function");
        return;
    }
    if (value && value->kind == RLXC_PY_NAME && !stmt->annotation) { /* cls = Module */
        const rlxc_name *name = rlxc_names_find(&p->names, value->text);
        if (name && name->kind == RLXC_NAME_MODULE) {
            rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_MODULE);
            return;
        }
    }
    if (value && rlxc_parse_is_vdevice(p, value)) { /* d = I.vdevice("llvm") */
        const char *device = rlxc_parse_vdevice(p, value);
        rlxc_names_define(p->ctx, &p->names, target->text,
                          device ? RLXC_NAME_DEVICE : RLXC_NAME_BROKEN)
            ->device = device;
        return;
    }
    if (value && rlxc_parse_is_declaration(p, value, &dtype)) { /* n = T.int64() */
        declare(p, target, dtype, value->range);
        return;
    }
    if (!value) { /* n: T.int64 */
        if (rlxc_parse_dtype(p, stmt->annotation, &dtype))
            declare(p, target, dtype, stmt->annotation->range);
        return;
    }
    if (stmt->annotation && !(annotation = rlxc_parse_sinfo(p, stmt->annotation))) {
        rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_BROKEN);
        return;
    }
    bind(p, io, target, stmt->annotation, annotation, value);
}

/* --- dataflow blocks ------------------------------------------------------------------------- */

typedef RLXC_VEC(rlxc_name *) name_list;

static void parse_output(rlxc_parser *p, const rlxc_py *call, name_list *out)
{
    if (call->n_keywords > 0 || !out) {
        rlxc_error(p->ctx, call->range,
                   out ? "R.output takes names only" : "R.output outside a dataflow block");
        return;
    }
    for (uint32_t i = 0; i < call->n; i++) {
        const rlxc_py *e = call->items[i];
        rlxc_name *name = e->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->text) : NULL;
        if (rlxc_parse_is_broken(p, e)) {
            RLXC_PUSH(p->ctx, out, name);
            continue;
        }
        if (!name || name->kind != RLXC_NAME_RVAR) {
            rlxc_error(p->ctx, e->range, "R.output: %s is not a variable of this block",
                       rlxc_py_describe(p->ctx, e));
            continue;
        }
        name->rvar->is_dataflow = false;
        RLXC_PUSH(p->ctx, out, name);
    }
}

/* --- statements ------------------------------------------------------------------------------ */

static void set_function_attrs(rlxc_parser *p, const rlxc_py *call)
{
    rlxc_function *f = p->function;
    if (!rlxc_parse_attr_call(p, call, &f->attrs))
        return;
    for (uint32_t i = 0; i < call->items[0]->n; i++) {
        const char *attr = call->items[0]->keys[i]->text;
        if (strcmp(attr, "Codegen") == 0 || strcmp(attr, "Composite") == 0)
            f->marked = call->items[0]->items[i]->range;
    }
    /* redundant with the name, unless it differs */
    const char *key = rlxc_intern_cstr(p->ctx, "global_symbol");
    const rlxc_attr *symbol = rlxc_attrs_find(&f->attrs, key);
    if (symbol && symbol->kind == RLXC_ATTR_STRING && strcmp(symbol->s, f->name) == 0)
        f->attrs = rlxc_attrs_without(p->ctx, f->attrs, key);
}

static void parse_expression(rlxc_parser *p, rlxc_relax_progress *io, const rlxc_py *e,
                             name_list *outputs)
{
    rlxc_binding *b;
    rlxc_atom atom;
    if (e->kind == RLXC_PY_STRING || e->kind == RLXC_PY_NONE)
        return;
    const char *path = e->kind == RLXC_PY_CALL ? rlxc_parse_path(p, e->base) : NULL;
    if (path && strcmp(path, "R.func_attr") == 0) {
        set_function_attrs(p, e);
        return;
    }
    if (path && strcmp(path, "R.output") == 0) {
        parse_output(p, e, outputs);
        return;
    }
    if (!rlxc_parse_rhs(p, e, &b, &atom) || !b)
        return;
    rlxc_parse_emit(p, b, "_");
    rlxc_relax_note_binding(p, io, "_", b);
}

static void parse_return(rlxc_parser *p, rlxc_relax_progress *io, const rlxc_py_stmt *stmt)
{
    rlxc_atom value = rlxc_atom_tuple(p->ctx, NULL, 0);
    io->returned = true;
    if (!io->is_function) {
        rlxc_error(p->ctx, stmt->range, "return is not allowed here");
        return;
    }
    if (stmt->value && !rlxc_parse_atom(p, stmt->value, &value))
        return;
    p->body->result = value;
    p->body->result_range = stmt->value ? stmt->value->range : stmt->range;
    io->value = value;
}

static void parse_simple(rlxc_parser *p, rlxc_relax_progress *io, name_list *outputs)
{
    rlxc_py_stmt stmt;
    rlxc_range range = p->py.token.range;
    bool returned = io->returned;
    if (!rlxc_py_simple(&p->py, &stmt)) {
        if (stmt.target && stmt.target->kind == RLXC_PY_NAME)
            rlxc_names_define(p->ctx, &p->names, stmt.target->text, RLXC_NAME_BROKEN);
        return;
    }
    if (stmt.kind == RLXC_PY_STMT_PASS)
        return;
    if (returned) {
        rlxc_error(p->ctx, range, "statements after return are never reached");
        return;
    }
    io->name = NULL;
    switch (stmt.kind) {
    case RLXC_PY_STMT_EXPR:
        parse_expression(p, io, stmt.value, outputs);
        return;
    case RLXC_PY_STMT_ASSIGN:
        parse_assignment(p, io, &stmt);
        return;
    case RLXC_PY_STMT_RETURN:
        parse_return(p, io, &stmt);
        return;
    case RLXC_PY_STMT_AUGMENTED:
    case RLXC_PY_STMT_ASSERT:
    case RLXC_PY_STMT_BREAK:
    case RLXC_PY_STMT_CONTINUE:
        rlxc_error(p->ctx, stmt.range, "this statement is not supported in a Relax function");
        return;
    case RLXC_PY_STMT_PASS:
    case RLXC_PY_STMT_IMPORT:
        return;
    }
}

static void parse_local_function(rlxc_parser *p, rlxc_relax_progress *io);

static void parse_dataflow(rlxc_parser *p, rlxc_relax_progress *io)
{
    rlxc_py_block block;
    name_list outputs = {0};
    rlxc_range range = p->py.token.range;
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    const rlxc_py *e = rlxc_py_expr(&p->py);
    if (e && (e->kind != RLXC_PY_CALL || !rlxc_parse_path_is(p, e->base, "R.dataflow"))) {
        rlxc_error(p->ctx, e->range, "expected R.dataflow() after 'with', got %s",
                   rlxc_py_describe(p->ctx, e));
        e = NULL;
    }
    if (e && rlxc_py_accept_word(&p->py, "as") && !rlxc_py_expect_name(&p->py, "a name"))
        e = NULL;
    if (!e) {
        rlxc_py_skip(&p->py);
        return;
    }
    if (!rlxc_py_block_begin(&p->py, &block))
        return;
    if (p->dataflow)
        rlxc_error(p->ctx, range, "a dataflow block inside a dataflow block");
    uint32_t mark = rlxc_names_mark(&p->names);
    p->dataflow = true;
    p->block = NULL;
    io->name = NULL;
    bool is_function = io->is_function;
    io->is_function = false;
    rlxc_relax_progress inner = *io;
    while (rlxc_py_block_more(&p->py, &block)) {
        if (rlxc_py_is(&p->py, RLXC_OP1('@'))) {
            parse_local_function(p, &inner);
        } else if (rlxc_py_is_word(&p->py, "if") || rlxc_py_is_word(&p->py, "for") ||
                   rlxc_py_is_word(&p->py, "while") || rlxc_py_is_word(&p->py, "def") ||
                   rlxc_py_is_word(&p->py, "with")) {
            rlxc_error(p->ctx, p->py.token.range,
                       "a dataflow block may hold only bindings and local functions");
            rlxc_py_skip(&p->py);
        } else {
            const char *before = inner.name;
            parse_simple(p, &inner, &outputs);
            if (!inner.name) /* R.output does not unbind */
                inner.name = before;
        }
    }
    p->dataflow = false;
    p->block = NULL;
    io->is_function = is_function;
    /* symbols that the block declared stay visible, its variables do not */
    rlxc_names_restore(p->ctx, &p->names, mark);
    for (uint32_t i = 0; i < outputs.count; i++) {
        if (outputs.items[i]->kind == RLXC_NAME_BROKEN) {
            rlxc_names_define(p->ctx, &p->names, outputs.items[i]->text, RLXC_NAME_BROKEN);
            continue;
        }
        rlxc_names_define(p->ctx, &p->names, outputs.items[i]->text, RLXC_NAME_RVAR)->rvar =
            outputs.items[i]->rvar;
        if (inner.name == outputs.items[i]->text) {
            io->name = inner.name;
            io->value = rlxc_atom_var(outputs.items[i]->rvar);
            io->annotation = outputs.items[i]->rvar->annotation;
            io->copied = false;
        }
    }
}

/* --- functions ------------------------------------------------------------------------------- */

static void parse_local_function(rlxc_parser *p, rlxc_relax_progress *io)
{
    rlxc_range start = p->py.token.range;
    bool is_pure = true, is_private = false;
    while (rlxc_py_accept(&p->py, RLXC_OP1('@'))) {
        rlxc_py_reset(&p->py);
        const rlxc_py *e = rlxc_py_expr(&p->py);
        const rlxc_py *call = e && e->kind == RLXC_PY_CALL ? e : NULL;
        if (e && !rlxc_parse_path_is(p, call ? call->base : e, "R.function")) {
            rlxc_error(p->ctx, e->range, "only Relax functions can be local");
            e = NULL;
        }
        if (!e) {
            rlxc_py_skip(&p->py);
            rlxc_py_skip(&p->py);
            return;
        }
        const rlxc_py *pure = call ? rlxc_py_keyword(call, "pure") : NULL;
        const rlxc_py *private = call ? rlxc_py_keyword(call, "private") : NULL;
        is_pure &= !(pure && pure->kind == RLXC_PY_BOOL && !pure->i);
        is_private |= private && private->kind == RLXC_PY_BOOL && private->i;
        if (p->py.token.kind == RLXC_TOKEN_NEWLINE)
            rlxc_py_next(&p->py);
    }
    if (!rlxc_py_is_word(&p->py, "def")) {
        rlxc_py_unexpected(&p->py, "'def' after the decorator");
        rlxc_py_skip(&p->py);
        return;
    }
    io->name = NULL;
    rlxc_parse_function(p, start, is_private, is_pure);
}

static void parse_statement(rlxc_parser *p, rlxc_relax_progress *io)
{
    static const char *const refused[] = {"for", "while", "class", "try", "def"};
    if (rlxc_py_is_word(&p->py, "if")) {
        io->name = NULL;
        rlxc_relax_if(p, io);
        return;
    }
    if (rlxc_py_is_word(&p->py, "with")) {
        parse_dataflow(p, io);
        return;
    }
    if (rlxc_py_is(&p->py, RLXC_OP1('@'))) {
        parse_local_function(p, io);
        return;
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (rlxc_py_is_word(&p->py, refused[i])) {
            rlxc_error(p->ctx, p->py.token.range, "'%s' is not supported in a Relax function%s",
                       refused[i], refused[i][0] == 'd' ? " without @R.function" : "");
            rlxc_py_skip(&p->py);
            return;
        }
    parse_simple(p, io, NULL);
}

void rlxc_relax_statements(rlxc_parser *p, rlxc_py_block *block, rlxc_relax_progress *io)
{
    while (rlxc_py_block_more(&p->py, block))
        parse_statement(p, io);
}

/* A function called only for its effects may end without return; its result is the empty tuple. */
static void end_without_result(rlxc_parser *p, const rlxc_function *f, rlxc_range range)
{
    bool nothing = f->ret && f->ret->kind == RLXC_SINFO_TUPLE && f->ret->n_fields == 0;
    if (!nothing && (f->is_pure || f->ret)) {
        rlxc_error(p->ctx, range, "function '%s' does not return", f->name);
        return;
    }
    p->body->result = rlxc_atom_tuple(p->ctx, NULL, 0);
    p->body->result_range = range;
}

void rlxc_parse_body(rlxc_parser *p, rlxc_function *f)
{
    rlxc_function *outer = p->function;
    rlxc_body *outer_body = p->body;
    rlxc_binding_block *outer_block = p->block;
    bool outer_dataflow = p->dataflow;
    rlxc_py_block block;
    rlxc_relax_progress state = {.is_function = true};
    rlxc_range range = p->py.token.range;
    p->function = f;
    p->body = &f->body;
    p->block = NULL;
    p->dataflow = false;
    for (uint32_t i = 0; i < f->n_params; i++)
        rlxc_names_define(p->ctx, &p->names, f->params[i]->name, RLXC_NAME_RVAR)->rvar =
            f->params[i];
    uint32_t errors = rlxc_error_count(p->ctx);
    if (rlxc_py_block_begin(&p->py, &block))
        rlxc_relax_statements(p, &block, &state);
    if (!state.returned && rlxc_error_count(p->ctx) == errors)
        end_without_result(p, f, range);
    p->function = outer;
    p->body = outer_body;
    p->block = outer_block;
    p->dataflow = outer_dataflow;
}

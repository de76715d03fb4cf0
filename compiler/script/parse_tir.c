/* PrimFuncs: signatures and statements. LET, ALLOCATE, DECL_BUFFER and ATTR are flat, so their
 * `with` forms continue the same list of statements. */
#include "compiler/script/parse_tir.h"

#include <string.h>

static void parse_statement(rlxc_tir_parser *t, rlxc_stmts *out);

rlxc_stmt *rlxc_tir_new(rlxc_tir_parser *t, rlxc_stmt_kind kind)
{
    rlxc_stmt *stmt = rlxc_alloc(t->p->ctx, sizeof *stmt);
    stmt->kind = kind;
    return stmt;
}

void rlxc_tir_push(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_stmt *stmt, rlxc_range range)
{
    rlxc_stmt *own = (rlxc_stmt *)(uintptr_t)stmt; /* made just now */
    own->range = range;
    RLXC_PUSH(t->p->ctx, &out->list, stmt);
}

const rlxc_stmt *rlxc_tir_seq(rlxc_tir_parser *t, const rlxc_stmts *stmts)
{
    return rlxc_stmt_seq(t->p->ctx, stmts->list.items, stmts->list.count);
}

/* A block's statements as one statement, with a scope of its own. */
const rlxc_stmt *rlxc_tir_body(rlxc_tir_parser *t)
{
    rlxc_py_block block;
    rlxc_stmts stmts = {0};
    uint32_t mark = rlxc_names_mark(&t->p->names);
    const rlxc_reducer *reducer = t->reducer;
    if (rlxc_py_block_begin(&t->p->py, &block))
        rlxc_tir_statements(t, &block, &stmts);
    rlxc_names_restore(t->p->ctx, &t->p->names, mark);
    t->reducer = reducer;
    return rlxc_tir_seq(t, &stmts);
}

const rlxc_expr *rlxc_tir_condition(rlxc_tir_parser *t, const rlxc_py *e)
{
    const rlxc_expr *cond = rlxc_parse_prim(t->p, e);
    return cond ? rlxc_tir_as_condition(t, e, cond) : NULL;
}

const rlxc_expr *rlxc_tir_as_condition(rlxc_tir_parser *t, const rlxc_py *e, const rlxc_expr *cond)
{
    if (rlxc_dtype_is_handle(cond->dtype) || rlxc_dtype_is_void(cond->dtype) ||
        cond->dtype.lanes != 1) {
        rlxc_error(t->p->ctx, e->range, "a condition must be a scalar, got %s",
                   rlxc_dtype_name(t->p->ctx, cond->dtype));
        return NULL;
    }
    return rlxc_dtype_is_bool(cond->dtype) ? cond : rlxc_cast(t->p->ctx, RLX_B8, cond);
}

/* --- with ------------------------------------------------------------------------------------ */

static void parse_block(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call, rlxc_range range)
{
    rlxc_block_parts parts = {0}, *outer = t->block;
    parts.name = rlxc_intern_cstr(t->p->ctx, "");
    if (call->n > 0 && call->items[0]->kind == RLXC_PY_STRING)
        parts.name = rlxc_intern(t->p->ctx, call->items[0]->text, call->items[0]->length);
    uint32_t loops = t->n_loops;
    t->n_blocks++;
    t->n_loops = 0;
    t->block = &parts;
    const rlxc_stmt *body = rlxc_tir_body(t);
    t->block = outer;
    t->n_loops = loops;
    rlxc_tir_push(t, out, rlxc_tir_block(t, &parts, body, range), range);
}

static void parse_init(rlxc_tir_parser *t, rlxc_range range)
{
    bool twice = t->block->init != NULL;
    const rlxc_stmt *init = rlxc_tir_body(t);
    if (twice)
        rlxc_error(t->p->ctx, range, "the block has two T.init");
    t->block->init = init;
}

/* with T.LetStmt(value[, var=v]) as v / with T.let(v, value) / T.Bind(value, var=v) */
void rlxc_tir_bind(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call, const char *path,
                   const char *as)
{
    rlxc_parser *p = t->p;
    bool old = strcmp(path, "T.let") == 0;
    const rlxc_py *var = old && call->n > 1 ? call->items[0] : rlxc_py_keyword(call, "var");
    if (call->n != (old ? 2U : 1U) || (!var && !as) || (var && var->kind != RLXC_PY_NAME)) {
        rlxc_error(p->ctx, call->range, "%s needs a value and a name", path);
        return;
    }
    const rlxc_expr *value = rlxc_parse_prim(p, call->items[old ? 1 : 0]);
    if (!value)
        return;
    const rlxc_name *declared = var ? rlxc_names_find(&p->names, var->text) : NULL;
    if (declared && declared->kind == RLXC_NAME_EXPR &&
        rlxc_dtype_eq(declared->expr->dtype, value->dtype))
        rlxc_tir_push(t, out, rlxc_stmt_let(p->ctx, declared->expr, value), call->range);
    else
        rlxc_tir_let(t, out, as ? as : var->text, value, call->range);
    if (as && declared)
        rlxc_tir_define(t, as, declared->expr);
}

/* One item of a with statement whose scope is the rest of the list. */
static void scope_item(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *e, const char *as)
{
    rlxc_parser *p = t->p;
    const char *path = e->kind == RLXC_PY_CALL ? rlxc_parse_path(p, e->base) : NULL;
    if (path && (strcmp(path, "T.LetStmt") == 0 || strcmp(path, "T.let") == 0)) {
        rlxc_tir_bind(t, out, e, path, as);
    } else if (path && strcmp(path, "T.Assert") == 0 && e->n == 2) {
        rlxc_tir_assertion(t, out, e->items[0], e->items[1], e->range);
    } else if (path && strcmp(path, "T.attr") == 0) {
        rlxc_tir_attribute(t, out, e);
    } else if (path && (strcmp(path, "T.allocate") == 0 || strcmp(path, "T.allocate_const") == 0 ||
                        strcmp(path, "T.decl_buffer") == 0 || strcmp(path, "T.Buffer") == 0)) {
        if (as)
            rlxc_tir_declaration(t, out, as, e);
        else
            rlxc_error(p->ctx, e->range, "%s needs 'as' and a name", path);
    } else if (!path || !rlxc_tir_thread_statement(t, out, e, path, as)) {
        rlxc_error(p->ctx, e->range, "'with %s' is not supported", path ? path : "...");
    }
}

/* The end of what the items of a with statement began. */
static void end_with(rlxc_tir_parser *t, rlxc_stmts *out, uint32_t names, uint32_t from,
                     const rlxc_reducer *reducer)
{
    rlxc_tir_end_launches(t, out, from);
    rlxc_names_restore(t->p->ctx, &t->p->names, names);
    t->reducer = reducer;
}

static void parse_with(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_parser *p = t->p;
    rlxc_py_block block;
    rlxc_range range = p->py.token.range;
    uint32_t mark = rlxc_names_mark(&p->names), from = out->list.count;
    const rlxc_reducer *reducer = t->reducer;
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    for (bool first = true;; first = false) {
        const rlxc_py *e = rlxc_py_expr(&p->py);
        const char *as = NULL;
        if (!e || (rlxc_py_accept_word(&p->py, "as") &&
                   !(as = rlxc_py_expect_name(&p->py, "a name after 'as'")))) {
            rlxc_py_skip(&p->py);
            end_with(t, out, mark, from, reducer);
            return;
        }
        const char *path = e->kind == RLXC_PY_CALL ? rlxc_parse_path(p, e->base) : NULL;
        if (first && path && (strcmp(path, "T.block") == 0 || strcmp(path, "T.sblock") == 0)) {
            parse_block(t, out, e, rlxc_py_range_to_here(&p->py, range));
            return;
        }
        if (first && path && strcmp(path, "T.init") == 0) {
            parse_init(t, range);
            return;
        }
        scope_item(t, out, e, as);
        if (!rlxc_py_accept(&p->py, RLXC_OP1(',')))
            break;
    }
    if (rlxc_py_block_begin(&p->py, &block))
        rlxc_tir_statements(t, &block, out);
    end_with(t, out, mark, from, reducer);
}

static void parse_statement(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_py_parser *py = &t->p->py;
    if (rlxc_py_is_word(py, "for")) {
        rlxc_tir_for(t, out);
    } else if (rlxc_py_is_word(py, "with")) {
        parse_with(t, out);
    } else if (rlxc_py_is_word(py, "if")) {
        rlxc_tir_if(t, out);
    } else if (rlxc_py_is_word(py, "while")) {
        rlxc_tir_while(t, out);
    } else if (rlxc_py_is_word(py, "def") || rlxc_py_is_word(py, "class") ||
               rlxc_py_is(py, RLXC_OP1('@'))) {
        rlxc_error(t->p->ctx, py->token.range, "definitions inside a PrimFunc are not supported");
        bool decorator = rlxc_py_is(py, RLXC_OP1('@'));
        rlxc_py_skip(py);
        if (decorator && rlxc_py_is_word(py, "def"))
            rlxc_py_skip(py);
    } else {
        rlxc_tir_simple(t, out);
    }
}

void rlxc_tir_statements(rlxc_tir_parser *t, rlxc_py_block *block, rlxc_stmts *out)
{
    bool deep = !rlxc_parse_enter(t->p, t->p->py.token.range);
    const uint32_t from = out->list.count;
    while (rlxc_py_block_more(&t->p->py, block)) {
        if (deep)
            rlxc_py_skip(&t->p->py);
        else
            parse_statement(t, out);
    }
    rlxc_tir_end_launches(t, out, from);
    if (!deep)
        rlxc_parse_leave(t->p);
}

/* --- functions ------------------------------------------------------------------------------- */

/* T.Buffer(...) or T.Buffer[...] as a call; NULL for other annotations. */
static const rlxc_py *buffer_annotation(rlxc_parser *p, const rlxc_py *e, rlxc_py *storage)
{
    bool index = e->kind == RLXC_PY_INDEX;
    if ((e->kind != RLXC_PY_CALL && !index) || !rlxc_parse_path_is(p, e->base, "T.Buffer"))
        return NULL;
    *storage = *e;
    if (!index)
        return storage;
    bool tuple = e->a->kind == RLXC_PY_TUPLE && e->a->range.line == e->base->range.end_line &&
                 e->a->range.col == e->base->range.end_col; /* T.Buffer[(4,), "int32"] */
    storage->items = tuple ? e->a->items : &storage->a;
    storage->n = tuple ? e->a->n : 1;
    return storage;
}

static bool scalar_param(rlxc_parser *p, const rlxc_parameter *param, rlx_dtype *out)
{
    const rlxc_py *e = param->annotation;
    if (e && e->kind == RLXC_PY_CALL)
        e = e->base;
    const char *path = e ? rlxc_parse_path(p, e) : NULL;
    if (path && strcmp(path, "T.Ptr") == 0) {
        *out = rlxc_dtype_handle();
        return true;
    }
    if (path && path[0] == 'T' && rlxc_dtype_parse(path + 2, strlen(path + 2), out) &&
        !rlxc_dtype_is_void(*out) && out->lanes == 1)
        return true;
    rlxc_error(p->ctx, e ? e->range : param->range,
               "parameter '%s' needs a type: T.handle, T.Buffer(...) or a scalar such as T.int64",
               param->name);
    return false;
}

static bool parse_signature(rlxc_tir_parser *t, const rlxc_parameters *params, const rlxc_py *ret)
{
    rlxc_parser *p = t->p;
    rlxc_prim_func *f = t->function;
    rlxc_py storage;
    bool ok = true;
    f->params = rlxc_try_alloc(p->ctx, (size_t)params->list.count + 1, sizeof *f->params);
    if (!f->params)
        return false;
    for (uint32_t i = 0; i < params->list.count; i++) { /* scalars first: shapes may use them */
        const rlxc_parameter *param = &params->list.items[i];
        rlx_dtype dtype = rlxc_dtype_handle();
        bool buffer =
            param->annotation && buffer_annotation(p, param->annotation, &storage) != NULL;
        if (!buffer && !scalar_param(p, param, &dtype))
            ok = false;
        f->params[i].var = rlxc_var(p->ctx, param->name, dtype);
        f->n_params++;
        if (!buffer)
            rlxc_tir_define(t, param->name, f->params[i].var);
    }
    for (uint32_t i = 0; i < params->symbols.count; i++)
        rlxc_parse_declare_symbol(p, params->symbols.items[i], RLX_I64);
    bool declare = p->declare;
    p->declare = true;
    for (uint32_t i = 0; i < params->list.count; i++) {
        const rlxc_parameter *param = &params->list.items[i];
        const rlxc_py *call =
            param->annotation ? buffer_annotation(p, param->annotation, &storage) : NULL;
        if (!call)
            continue;
        rlxc_buffer *buffer = rlxc_tir_buffer(t, call, 0, param->name, NULL);
        ok &= buffer != NULL;
        f->params[i].buffer = buffer;
        if (buffer)
            rlxc_names_define(p->ctx, &p->names, param->name, RLXC_NAME_BUFFER)->buffer = buffer;
    }
    p->declare = declare;
    f->ret_dtype = rlxc_dtype_void();
    if (ret && ret->kind != RLXC_PY_NONE)
        ok &= rlxc_parse_dtype(p, ret->kind == RLXC_PY_CALL ? ret->base : ret, &f->ret_dtype);
    return ok;
}

static bool find_return(void *user, const rlxc_stmt *s)
{
    rlx_dtype *type = user;
    const rlxc_expr *e = s->kind == RLXC_STMT_EVALUATE ? s->evaluate : NULL;
    if (e && e->kind == RLXC_EXPR_CALL && strcmp(e->call.name, "ret") == 0 &&
        rlxc_dtype_is_void(*type) && !rlxc_is_const(e->call.args[0], 0))
        *type = e->call.args[0]->dtype;
    return true;
}

/* TVM's rule: blocks or allocations below the top level, or several top-level statements, get a
 * root block around them; a lone block without axes is the root itself. */
static const rlxc_stmt *with_root(rlxc_tir_parser *t, rlxc_block_parts *root,
                                  const rlxc_stmts *stmts)
{
    const rlxc_stmt *body = rlxc_tir_seq(t, stmts);
    bool plain = root->allocs.count == 0 && root->matches.count == 0 && !root->has_reads &&
                 !root->has_writes && root->annotations.count == 0 && !root->init &&
                 !root->predicate;
    bool lone = body->kind == RLXC_STMT_BLOCK && body->block.block->n_axes == 0;
    if (plain && (t->n_blocks == 0 || lone))
        return body;
    root->name = rlxc_intern_cstr(t->p->ctx, "root");
    return rlxc_tir_block(t, root, body, t->function->range);
}

bool rlxc_parse_prim_func(rlxc_parser *p, rlxc_range start, bool is_private)
{
    rlxc_parameters params = {0};
    const rlxc_py *ret;
    rlxc_py_block block;
    rlxc_stmts stmts = {0};
    rlxc_block_parts root = {0};
    uint32_t errors = rlxc_error_count(p->ctx);
    rlxc_prim_func *f = rlxc_alloc(p->ctx, sizeof *f);
    rlxc_tir_parser t = {.p = p, .function = f, .block = &root};
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    p->py.depth = 0;
    p->signs = (rlxc_map){0}; /* the symbols of buffers are sizes */
    rlxc_range name_range = p->py.token.range;
    f->name = rlxc_py_expect_name(&p->py, "the function's name");
    if (f->name)
        rlxc_parse_find_declared(p);
    if (!f->name || !rlxc_parse_header(p, &params, &ret)) {
        rlxc_py_skip(&p->py);
        return false;
    }
    f->range = rlxc_py_range_to_here(&p->py, start);
    f->is_private = is_private;
    p->tir = true;
    bool ok = parse_signature(&t, &params, ret);
    if (rlxc_py_block_begin(&p->py, &block)) {
        if (ok)
            rlxc_tir_statements(&t, &block, &stmts);
        else
            while (rlxc_py_block_more(&p->py, &block))
                rlxc_py_skip(&p->py);
    }
    f->body = with_root(&t, &root, &stmts);
    if (!ret) /* not declared: the type of its returns, except the 0 that only ends it */
        rlxc_stmt_visit(f->body, find_return, &f->ret_dtype);
    p->tir = false;
    if (rlxc_error_count(p->ctx) > errors)
        return false;
    if (rlxc_module_add_prim(p->ctx, p->module, f, false))
        return true;
    rlxc_error(p->ctx, name_range, "function '%s' is defined twice", f->name);
    return false;
}

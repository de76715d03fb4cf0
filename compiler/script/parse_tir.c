/* PrimFuncs: signatures and statements. LET, ALLOCATE, DECL_BUFFER and ATTR are flat, so the `with`
 * forms of them just go on with the same list of statements. GPU constructs are refused by name. */
#include "compiler/script/parse_tir.h"

#include <string.h>

#include "compiler/ir/sym.h"

static void parse_statement(rlxc_tir_parser *t, rlxc_stmts *out);

rlxc_stmt *rlxc_tir_new(rlxc_tir_parser *t, rlxc_stmt_kind kind)
{
    rlxc_stmt *stmt = rlxc_alloc(t->p->ctx, sizeof *stmt);
    stmt->kind = kind;
    return stmt;
}

void rlxc_tir_push(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_stmt *stmt, rlxc_range range)
{
    rlxc_stmt *own = (rlxc_stmt *)(uintptr_t)stmt; /* made for us just now */
    own->range = range;
    RLXC_PUSH(t->p->ctx, &out->list, stmt);
}

const rlxc_stmt *rlxc_tir_seq(rlxc_tir_parser *t, const rlxc_stmts *stmts)
{
    if (stmts->list.count == 0)
        return rlxc_stmt_evaluate(t->p->ctx, rlxc_int(t->p->ctx, RLX_I32, 0));
    return rlxc_stmt_seq(t->p->ctx, stmts->list.items, stmts->list.count);
}

/* A block's statements as one, with names of their own. */
static const rlxc_stmt *parse_body(rlxc_tir_parser *t)
{
    rlxc_py_block block;
    rlxc_stmts stmts = {0};
    uint32_t mark = rlxc_names_mark(&t->p->names);
    if (rlxc_py_block_begin(&t->p->py, &block))
        rlxc_tir_statements(t, &block, &stmts);
    rlxc_names_restore(t->p->ctx, &t->p->names, mark);
    return rlxc_tir_seq(t, &stmts);
}

static const rlxc_expr *parse_condition(rlxc_tir_parser *t, const rlxc_py *e)
{
    const rlxc_expr *cond = rlxc_parse_prim(t->p, e);
    if (cond && (rlxc_dtype_is_handle(cond->dtype) || rlxc_dtype_is_void(cond->dtype) ||
                 cond->dtype.lanes != 1)) {
        rlxc_error(t->p->ctx, e->range, "a condition must be a scalar, got %s",
                   rlxc_dtype_name(t->p->ctx, cond->dtype));
        return NULL;
    }
    return cond && !rlxc_dtype_is_bool(cond->dtype) ? rlxc_cast(t->p->ctx, RLX_B8, cond) : cond;
}

/* --- simple statements ----------------------------------------------------------------------- */

static void define_var(rlxc_tir_parser *t, const char *name, const rlxc_expr *var)
{
    rlxc_names_define(t->p->ctx, &t->p->names, name, RLXC_NAME_EXPR)->expr = var;
}

static void let(rlxc_tir_parser *t, rlxc_stmts *out, const char *name, const rlxc_expr *value,
                rlxc_range range)
{
    if (rlxc_dtype_is_void(value->dtype)) {
        rlxc_error(t->p->ctx, range, "the value of '%s' is void", name);
        return;
    }
    const rlxc_expr *var = rlxc_var(t->p->ctx, name, value->dtype);
    rlxc_tir_push(t, out, rlxc_stmt_let(t->p->ctx, var, value), range);
    define_var(t, name, var);
}

/* |value| in the type that |buffer| takes at these indices; NULL after an error. */
static const rlxc_expr *stored_value(rlxc_tir_parser *t, const rlxc_buffer *buffer,
                                     const rlxc_expr *const *indices, const rlxc_expr *value,
                                     rlxc_range range)
{
    rlx_dtype want = buffer->dtype;
    for (uint32_t i = 0; i < buffer->ndim; i++)
        if (indices[i]->dtype.lanes > 1 && want.lanes == 1)
            want.lanes = indices[i]->dtype.lanes;
    bool fits = !rlxc_dtype_is_handle(value->dtype) && !rlxc_dtype_is_void(value->dtype) &&
                (value->dtype.lanes == 1 || value->dtype.lanes == want.lanes);
    if (!fits) {
        rlxc_error(t->p->ctx, range, "buffer '%s' takes %s here, got %s", buffer->name,
                   rlxc_dtype_name(t->p->ctx, want), rlxc_dtype_name(t->p->ctx, value->dtype));
        return NULL;
    }
    return rlxc_cast(t->p->ctx, want, value);
}

/* A[i] = value, or A[i] op= value. */
static void store(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py_stmt *stmt)
{
    rlxc_parser *p = t->p;
    const rlxc_py *target = stmt->target;
    const rlxc_expr *const *indices;
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, target->base);
    if (rlxc_parse_is_broken(p, target->base))
        return;
    if (!buffer) {
        rlxc_error(p->ctx, target->base->range, "%s is no buffer",
                   rlxc_py_describe(p->ctx, target->base));
        return;
    }
    if (!rlxc_parse_indices(p, buffer, target->a, &indices, NULL))
        return;
    const rlxc_expr *value;
    if (stmt->kind == RLXC_PY_STMT_AUGMENTED) {
        rlxc_py sum = {.kind = RLXC_PY_BINARY, .op = stmt->op, .range = stmt->range};
        sum.a = target;
        sum.b = stmt->value;
        value = rlxc_parse_prim(p, &sum);
    } else {
        value = rlxc_parse_prim(p, stmt->value);
    }
    if (value && (value = stored_value(t, buffer, indices, value, stmt->value->range)))
        rlxc_tir_push(t, out, rlxc_stmt_store(p->ctx, buffer, indices, buffer->ndim, value),
                      stmt->range);
}

static void declare_buffer(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                           const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    rlxc_buffer *buffer = rlxc_tir_buffer(t, call, 0, name, NULL);
    if (!buffer)
        return;
    const rlxc_py *data = call->n > 2 ? call->items[2] : rlxc_py_keyword(call, "data");
    if (!data || data->kind == RLXC_PY_NONE) { /* memory of its own */
        rlxc_stmt *allocate = rlxc_tir_new(t, RLXC_STMT_ALLOCATE);
        allocate->allocate.var = buffer->data;
        allocate->allocate.dtype = buffer->dtype;
        allocate->allocate.extents = buffer->shape;
        allocate->allocate.n = buffer->ndim;
        allocate->allocate.scope = buffer->scope;
        rlxc_tir_push(t, out, allocate, call->range);
    }
    rlxc_stmt *decl = rlxc_tir_new(t, RLXC_STMT_DECL_BUFFER);
    decl->decl = buffer;
    rlxc_tir_push(t, out, decl, call->range);
    rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_BUFFER)->buffer = buffer;
}

/* p = T.allocate([n], "float32", "global") */
static void allocate(rlxc_tir_parser *t, rlxc_stmts *out, const char *name, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    const rlxc_py *dtype = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "dtype");
    const rlxc_py *scope = call->n > 2 ? call->items[2] : rlxc_py_keyword(call, "scope");
    const rlxc_py *cond = call->n > 3 ? call->items[3] : rlxc_py_keyword(call, "condition");
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_ALLOCATE);
    if (call->n < 1 || call->n > 4 || !dtype) {
        rlxc_error(p->ctx, call->range, "T.allocate takes extents, an element type and a scope");
        return;
    }
    if (!rlxc_parse_dims(p, call->items[0], &stmt->allocate.extents, &stmt->allocate.n) ||
        !rlxc_parse_dtype(p, dtype, &stmt->allocate.dtype) ||
        (cond && cond->kind != RLXC_PY_NONE && !(stmt->allocate.cond = parse_condition(t, cond))))
        return;
    stmt->allocate.scope =
        rlxc_intern_cstr(p->ctx, scope && scope->kind == RLXC_PY_STRING ? scope->text : "global");
    stmt->allocate.var = rlxc_var(p->ctx, name, rlxc_dtype_handle());
    rlxc_tir_push(t, out, stmt, call->range);
    define_var(t, name, stmt->allocate.var);
}

/* c = T.allocate_const([1.0, 2.0], "float32", [2]) */
static void allocate_const(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                           const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    int64_t written[RLXC_MAX_NDIM], *extents = rlxc_alloc(p->ctx, sizeof written);
    uint32_t ndim;
    void *data;
    const rlxc_expr *const *dims;
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_ALLOCATE_CONST);
    const rlxc_py *values = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "data");
    const rlxc_py *dtype = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "dtype");
    const rlxc_py *shape = call->n > 2 ? call->items[2] : rlxc_py_keyword(call, "extents");
    if (!values || !dtype || !shape) {
        rlxc_error(p->ctx, call->range,
                   "T.allocate_const takes values, an element type and extents");
        return;
    }
    if (!rlxc_parse_dtype(p, dtype, &stmt->allocate_const.dtype) ||
        !rlxc_parse_elements(p, values, stmt->allocate_const.dtype, written, &ndim, &data,
                             &stmt->allocate_const.nbytes) ||
        !rlxc_parse_dims(p, shape, &dims, &stmt->allocate_const.n))
        return;
    int64_t have = 1, want = 1;
    for (uint32_t i = 0; i < ndim; i++)
        have *= written[i];
    for (uint32_t i = 0; i < stmt->allocate_const.n; i++)
        if (!rlxc_is_int(dims[i], &extents[i]) || extents[i] < 0 ||
            __builtin_mul_overflow(want, extents[i], &want))
            want = -1;
    if (want != have) {
        rlxc_error(p->ctx, shape->range, "the extents do not match the %lld values",
                   (long long)have);
        return;
    }
    stmt->allocate_const.extents = extents;
    stmt->allocate_const.data = data;
    stmt->allocate_const.var = rlxc_var(p->ctx, name, rlxc_dtype_handle());
    rlxc_tir_push(t, out, stmt, call->range);
    define_var(t, name, stmt->allocate_const.var);
}

/* name = T.something(...) that declares; false where it is a plain value. */
static bool declaration(rlxc_tir_parser *t, rlxc_stmts *out, const char *name, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    rlx_dtype dtype;
    const char *path = rlxc_parse_path(p, call->base);
    if (rlxc_parse_is_declaration(p, call, &dtype)) {
        rlxc_parse_declare_symbol(p, name, dtype);
        return true;
    }
    if (!path || path[0] != 'T')
        return false;
    const char *what = path + 2;
    if (strcmp(what, "match_buffer") == 0) {
        rlxc_tir_match_buffer(t, name, call);
    } else if (strcmp(what, "alloc_buffer") == 0 || strcmp(what, "sblock_alloc_buffer") == 0) {
        rlxc_buffer *buffer = rlxc_tir_buffer(t, call, 0, name, NULL);
        if (!buffer)
            return true;
        rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_BUFFER)->buffer = buffer;
        RLXC_PUSH(p->ctx, &t->block->allocs, buffer);
    } else if (strcmp(what, "decl_buffer") == 0 || strcmp(what, "buffer_decl") == 0 ||
               strcmp(what, "Buffer") == 0) {
        declare_buffer(t, out, name, call);
    } else if (strcmp(what, "allocate") == 0) {
        allocate(t, out, name, call);
    } else if (strcmp(what, "allocate_const") == 0) {
        allocate_const(t, out, name, call);
    } else if (strcmp(what, "bind") == 0 && call->n == 1) {
        const rlxc_expr *value = rlxc_parse_prim(p, call->items[0]);
        if (value)
            let(t, out, name, value, call->range);
    } else if (strcmp(what, "meta_var") == 0 && call->n == 1) {
        const rlxc_expr *value = rlxc_parse_prim(p, call->items[0]);
        if (value)
            define_var(t, name, value);
    } else {
        return false;
    }
    return true;
}

static void assign_name(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *target,
                        const rlxc_py *annotation, const rlxc_py *e, rlxc_range range)
{
    rlxc_parser *p = t->p;
    rlx_dtype dtype;
    if (target->kind == RLXC_PY_NAME && e->kind == RLXC_PY_CALL && !annotation &&
        (rlxc_tir_axis(t, target, e) || declaration(t, out, target->text, e)))
        return;
    if (target->kind == RLXC_PY_TUPLE && e->kind == RLXC_PY_CALL && rlxc_tir_axis(t, target, e))
        return;
    if (target->kind != RLXC_PY_NAME) {
        rlxc_error(p->ctx, target->range, "%s cannot be assigned to",
                   rlxc_py_describe(p->ctx, target));
        return;
    }
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, e);
    if (buffer) { /* another name for it */
        const rlxc_name *same = rlxc_names_find(&p->names, e->text);
        rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_BUFFER)->buffer = same->buffer;
        return;
    }
    if (annotation &&
        !rlxc_parse_dtype(p, annotation->kind == RLXC_PY_CALL ? annotation->base : annotation,
                          &dtype))
        return;
    const rlxc_expr *value = rlxc_parse_prim(p, e);
    if (!value)
        return;
    if (annotation && rlxc_dtype_is_handle(dtype) != rlxc_dtype_is_handle(value->dtype)) {
        rlxc_error(p->ctx, e->range, "'%s' is declared %s but its value is %s", target->text,
                   rlxc_dtype_name(p->ctx, dtype), rlxc_dtype_name(p->ctx, value->dtype));
        return;
    }
    if (annotation && !rlxc_dtype_is_handle(dtype))
        value = rlxc_cast(p->ctx, dtype, value);
    let(t, out, target->text, value, range);
}

/* Names that an assignment in error should have defined. */
static void mark_broken(rlxc_tir_parser *t, const rlxc_py *target)
{
    bool many = target->kind == RLXC_PY_TUPLE;
    for (uint32_t i = 0; i < (many ? target->n : 1); i++) {
        const rlxc_py *name = many ? target->items[i] : target;
        if (name->kind == RLXC_PY_NAME)
            rlxc_names_define(t->p->ctx, &t->p->names, name->text, RLXC_NAME_BROKEN);
    }
}

static void assign(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py_stmt *stmt)
{
    rlxc_parser *p = t->p;
    const rlxc_py *target = stmt->target, *value = stmt->value;
    rlx_dtype dtype;
    uint32_t errors = rlxc_error_count(p->ctx);
    if (!value) { /* v: T.int32 */
        if (target->kind != RLXC_PY_NAME)
            rlxc_error(p->ctx, target->range, "only names can be declared");
        else if (rlxc_parse_dtype(p, stmt->annotation, &dtype))
            rlxc_parse_declare_symbol(p, target->text, dtype);
    } else if (target->kind == RLXC_PY_INDEX) {
        store(t, out, stmt);
        return;
    } else if (target->kind == RLXC_PY_TUPLE && value->kind == RLXC_PY_TUPLE &&
               target->n == value->n) {
        for (uint32_t i = 0; i < target->n; i++)
            assign_name(t, out, target->items[i], NULL, value->items[i], stmt->range);
    } else {
        assign_name(t, out, target, stmt->annotation, value, stmt->range);
    }
    if (rlxc_error_count(p->ctx) > errors)
        mark_broken(t, target);
}

static void assertion(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *cond,
                      const rlxc_py *message, rlxc_range range)
{
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_ASSERT);
    if (!(stmt->assert_.cond = parse_condition(t, cond)))
        return;
    if (message && message->kind != RLXC_PY_STRING) {
        rlxc_error(t->p->ctx, message->range, "the message of an assertion is a string");
        return;
    }
    stmt->assert_.message = message ? rlxc_intern(t->p->ctx, message->text, message->length)
                                    : rlxc_intern_cstr(t->p->ctx, "assertion failed");
    rlxc_tir_push(t, out, stmt, range);
}

/* T.attr(node, "key", value) */
static void attribute(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_ATTR);
    if (call->n != 3 || call->items[1]->kind != RLXC_PY_STRING) {
        rlxc_error(p->ctx, call->range, "T.attr takes a node, a key in quotes and a value");
        return;
    }
    const rlxc_py *node = call->items[0];
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, node);
    if (buffer)
        stmt->attr.node = rlxc_attr_expr(buffer->data);
    else if (!rlxc_parse_attr(p, node, &stmt->attr.node))
        return;
    stmt->attr.key = rlxc_intern(p->ctx, call->items[1]->text, call->items[1]->length);
    const rlxc_py *value = call->items[2];
    stmt->attr.value = value->kind == RLXC_PY_STRING ? rlxc_string(p->ctx, value->text)
                                                     : rlxc_parse_prim(p, value);
    if (stmt->attr.value)
        rlxc_tir_push(t, out, stmt, call->range);
}

static void set_function_attrs(rlxc_tir_parser *t, const rlxc_py *call)
{
    rlxc_context *ctx = t->p->ctx;
    rlxc_prim_func *f = t->function;
    if (!rlxc_parse_attr_call(t->p, call, &f->attrs))
        return;
    const char *key = rlxc_intern_cstr(ctx, "global_symbol");
    const rlxc_attr *symbol = rlxc_attrs_find(&f->attrs, key);
    if (symbol && symbol->kind == RLXC_ATTR_STRING && strcmp(symbol->s, f->name) == 0)
        f->attrs = rlxc_attrs_without(ctx, f->attrs, key); /* the name says it already */
}

static void expression(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *e)
{
    rlxc_parser *p = t->p;
    if (e->kind == RLXC_PY_STRING || e->kind == RLXC_PY_NONE)
        return;
    const char *path = e->kind == RLXC_PY_CALL ? rlxc_parse_path(p, e->base) : NULL;
    if (path && strcmp(path, "T.func_attr") == 0) {
        set_function_attrs(t, e);
        return;
    }
    if (path && rlxc_tir_block_statement(t, e, path))
        return;
    if (path && strcmp(path, "T.attr") == 0) {
        attribute(t, out, e);
        return;
    }
    if (path && strcmp(path, "T.Assert") == 0 && e->n == 2) {
        assertion(t, out, e->items[0], e->items[1], e->range);
        return;
    }
    const rlxc_py *value = e;
    if (path && strcmp(path, "T.evaluate") == 0 && e->n == 1)
        value = e->items[0];
    const rlxc_expr *result = rlxc_parse_prim(p, value);
    if (result)
        rlxc_tir_push(t, out, rlxc_stmt_evaluate(p->ctx, result), e->range);
}

static void simple(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_parser *p = t->p;
    rlxc_py_stmt stmt;
    if (!rlxc_py_simple(&p->py, &stmt)) {
        if (stmt.target)
            mark_broken(t, stmt.target);
        return;
    }
    switch (stmt.kind) {
    case RLXC_PY_STMT_EXPR:
        expression(t, out, stmt.value);
        return;
    case RLXC_PY_STMT_ASSIGN:
        assign(t, out, &stmt);
        return;
    case RLXC_PY_STMT_AUGMENTED:
        if (stmt.target->kind == RLXC_PY_INDEX)
            store(t, out, &stmt);
        else
            rlxc_error(p->ctx, stmt.range, "only elements of buffers can be updated in place");
        return;
    case RLXC_PY_STMT_RETURN:
        if (stmt.value && stmt.value->kind != RLXC_PY_NONE) {
            const rlxc_expr *value = rlxc_parse_prim(p, stmt.value);
            if (value)
                rlxc_tir_push(t, out,
                              rlxc_stmt_evaluate(p->ctx, rlxc_call(p->ctx, rlxc_dtype_void(),
                                                                   rlxc_intern_cstr(p->ctx, "ret"),
                                                                   &value, 1)),
                              stmt.range);
        }
        return;
    case RLXC_PY_STMT_ASSERT:
        assertion(t, out, stmt.value, stmt.annotation, stmt.range);
        return;
    case RLXC_PY_STMT_PASS:
    case RLXC_PY_STMT_IMPORT:
        return;
    }
}

/* --- with ------------------------------------------------------------------------------------ */

static void parse_block(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call, rlxc_range range)
{
    rlxc_block_parts parts = {0}, *outer = t->block;
    parts.name = rlxc_intern_cstr(t->p->ctx, "");
    if (call->n > 0 && call->items[0]->kind == RLXC_PY_STRING)
        parts.name = rlxc_intern(t->p->ctx, call->items[0]->text, call->items[0]->length);
    t->n_blocks++;
    t->block = &parts;
    const rlxc_stmt *body = parse_body(t);
    t->block = outer;
    rlxc_tir_push(t, out, rlxc_tir_block(t, &parts, body, range), range);
}

static void parse_init(rlxc_tir_parser *t, rlxc_range range)
{
    bool twice = t->block->init != NULL;
    const rlxc_stmt *init = parse_body(t);
    if (twice)
        rlxc_error(t->p->ctx, range, "the block has two T.init");
    t->block->init = init;
}

/* with T.LetStmt(value[, var=v]) as v / with T.let(v, value) */
static void let_item(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call, const char *path,
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
        let(t, out, as ? as : var->text, value, call->range);
    if (as && declared)
        define_var(t, as, declared->expr);
}

/* One item of a with statement that scopes over what follows. */
static void scope_item(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *e, const char *as)
{
    rlxc_parser *p = t->p;
    const char *path = e->kind == RLXC_PY_CALL ? rlxc_parse_path(p, e->base) : NULL;
    if (path && (strcmp(path, "T.LetStmt") == 0 || strcmp(path, "T.let") == 0)) {
        let_item(t, out, e, path, as);
    } else if (path && strcmp(path, "T.Assert") == 0 && e->n == 2) {
        assertion(t, out, e->items[0], e->items[1], e->range);
    } else if (path && strcmp(path, "T.attr") == 0) {
        attribute(t, out, e);
    } else if (path && (strcmp(path, "T.allocate") == 0 || strcmp(path, "T.allocate_const") == 0 ||
                        strcmp(path, "T.decl_buffer") == 0 || strcmp(path, "T.Buffer") == 0)) {
        if (as)
            declaration(t, out, as, e);
        else
            rlxc_error(p->ctx, e->range, "%s needs 'as' and a name", path);
    } else {
        rlxc_error(p->ctx, e->range, "'with %s' is not supported", path ? path : "...");
    }
}

static void parse_with(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_parser *p = t->p;
    rlxc_py_block block;
    rlxc_range range = p->py.token.range;
    uint32_t mark = rlxc_names_mark(&p->names);
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    for (bool first = true;; first = false) {
        const rlxc_py *e = rlxc_py_expr(&p->py);
        const char *as = NULL;
        if (!e || (rlxc_py_accept_word(&p->py, "as") &&
                   !(as = rlxc_py_expect_name(&p->py, "a name after 'as'")))) {
            rlxc_py_skip(&p->py);
            rlxc_names_restore(p->ctx, &p->names, mark);
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
    rlxc_names_restore(p->ctx, &p->names, mark);
}

/* --- loops and branches ---------------------------------------------------------------------- */

typedef struct loop {
    const char *name;
    const rlxc_expr *min, *extent, *var;
} loop;

typedef struct loops {
    loop at[RLXC_MAX_DEPTH];
    uint32_t n;
    rlxc_loop_kind kind;
    rlxc_attrs annotations;
} loops;

static bool loop_kind(const char *path, rlxc_loop_kind *out)
{
    static const struct {
        const char *path;
        rlxc_loop_kind kind;
    } kinds[] = {{"range", RLXC_LOOP_SERIAL},
                 {"T.range", RLXC_LOOP_SERIAL},
                 {"T.serial", RLXC_LOOP_SERIAL},
                 {"T.parallel", RLXC_LOOP_PARALLEL},
                 {"T.vectorized", RLXC_LOOP_VECTORIZED},
                 {"T.unroll", RLXC_LOOP_UNROLLED},
                 {"T.unrolled", RLXC_LOOP_UNROLLED},
                 {"T.grid", RLXC_LOOP_SERIAL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].path, path) == 0) {
            *out = kinds[i].kind;
            return true;
        }
    return false;
}

static const rlxc_expr *loop_bound(rlxc_tir_parser *t, const rlxc_py *e)
{
    const rlxc_expr *bound = rlxc_parse_prim(t->p, e);
    if (bound && (!rlxc_dtype_is_int(bound->dtype) || bound->dtype.lanes != 1)) {
        rlxc_error(t->p->ctx, e->range, "the bounds of a loop must be integers, got %s",
                   rlxc_dtype_name(t->p->ctx, bound->dtype));
        return NULL;
    }
    return bound;
}

static const rlxc_expr *loop_extent(rlxc_tir_parser *t, const rlxc_expr *min, const rlxc_expr *end)
{
    if (rlxc_is_const(min, 0))
        return end;
    return rlxc_canonical(t->p->ctx, rlxc_sub(t->p->ctx, end, min), NULL);
}

/* range(a, b) and its kin: one loop. */
static bool one_loop(rlxc_tir_parser *t, const rlxc_py *call, const char *path, loops *out)
{
    rlxc_parser *p = t->p;
    const rlxc_py *stop = rlxc_py_keyword(call, "stop"), *start = rlxc_py_keyword(call, "start");
    if (call->n > 0)
        stop = call->n == 1 ? call->items[0] : call->items[1];
    if (call->n > 1)
        start = call->items[0];
    const rlxc_py *step = call->n > 2 ? call->items[2] : rlxc_py_keyword(call, "step");
    if (!stop || call->n > 3) {
        rlxc_error(p->ctx, call->range, "%s takes an end, or a start and an end", path);
        return false;
    }
    if (step && step->kind != RLXC_PY_NONE && (step->kind != RLXC_PY_INT || step->i != 1)) {
        rlxc_error(p->ctx, step->range, "loops with a step are not supported");
        return false;
    }
    const rlxc_expr *min = start ? loop_bound(t, start) : NULL;
    const rlxc_expr *end = start && !min ? NULL : loop_bound(t, stop);
    if (!end)
        return false;
    if (!min)
        min = rlxc_int(p->ctx, end->dtype, 0);
    if (!rlxc_parse_unify(p, &min, &end))
        return false;
    out->n = 1;
    out->at[0].min = min;
    out->at[0].extent = loop_extent(t, min, end);
    const rlxc_py *annotations = rlxc_py_keyword(call, "annotations");
    return !annotations || annotations->kind == RLXC_PY_NONE ||
           rlxc_parse_attr_dict(p, annotations, &out->annotations);
}

static bool grid_loops(rlxc_tir_parser *t, const rlxc_py *call, loops *out)
{
    if (call->n == 0 || call->n > RLXC_MAX_DEPTH || call->n_keywords > 0) {
        rlxc_error(t->p->ctx, call->range, "T.grid takes 1 to %d extents", RLXC_MAX_DEPTH);
        return false;
    }
    for (out->n = 0; out->n < call->n; out->n++) {
        loop *l = &out->at[out->n];
        const rlxc_py *item = call->items[out->n];
        if (item->kind == RLXC_PY_TUPLE && item->n == 2) { /* (begin, end) */
            l->min = loop_bound(t, item->items[0]);
            const rlxc_expr *end = l->min ? loop_bound(t, item->items[1]) : NULL;
            if (!end || !rlxc_parse_unify(t->p, &l->min, &end))
                return false;
            l->extent = loop_extent(t, l->min, end);
            continue;
        }
        if (!(l->extent = loop_bound(t, item)))
            return false;
        l->min = rlxc_int(t->p->ctx, l->extent->dtype, 0);
    }
    return true;
}

static bool parse_loops(rlxc_tir_parser *t, const rlxc_py *target, const rlxc_py *e, loops *out)
{
    rlxc_parser *p = t->p;
    *out = (loops){0};
    const char *path = NULL;
    if (e->kind == RLXC_PY_CALL) {
        path = rlxc_parse_path(p, e->base);
        if (!path && e->base->dotted && strcmp(e->base->dotted, "range") == 0)
            path = "range";
    }
    if (!path || !loop_kind(path, &out->kind)) {
        rlxc_error(p->ctx, e->range, "%s is not supported as a loop",
                   path ? path : rlxc_py_describe(p->ctx, e));
        return false;
    }
    if (!(strcmp(path, "T.grid") == 0 ? grid_loops(t, e, out) : one_loop(t, e, path, out)))
        return false;
    bool many = target->kind == RLXC_PY_TUPLE;
    if ((many ? target->n : 1) != out->n) {
        rlxc_error(p->ctx, target->range, "%u loop variables for %u loops", many ? target->n : 1,
                   out->n);
        return false;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        const rlxc_py *name = many ? target->items[i] : target;
        if (name->kind != RLXC_PY_NAME) {
            rlxc_error(p->ctx, name->range, "a loop variable must be a name");
            return false;
        }
        out->at[i].name = name->text;
    }
    return true;
}

static void parse_for(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_parser *p = t->p;
    loops all;
    rlxc_range range = p->py.token.range;
    rlxc_py_next(&p->py);
    rlxc_py_reset(&p->py);
    const rlxc_py *target = rlxc_py_expr_tuple(&p->py), *e = NULL;
    if (target && !rlxc_py_accept_word(&p->py, "in"))
        rlxc_py_unexpected(&p->py, "'in'");
    else if (target)
        e = rlxc_py_expr(&p->py);
    if (!e || !parse_loops(t, target, e, &all)) {
        rlxc_py_skip(&p->py);
        return;
    }
    if (p->depth + all.n > RLXC_MAX_DEPTH) {
        rlxc_error(p->ctx, range, "loops are nested more than %d deep", RLXC_MAX_DEPTH);
        rlxc_py_skip(&p->py);
        return;
    }
    range = rlxc_py_range_to_here(&p->py, range);
    uint32_t mark = rlxc_names_mark(&p->names);
    for (uint32_t i = 0; i < all.n; i++) {
        loop *l = &all.at[i];
        l->var = rlxc_var(p->ctx, l->name, l->extent->dtype);
        rlxc_name *name = rlxc_names_define(p->ctx, &p->names, l->name, RLXC_NAME_EXPR);
        name->expr = l->var;
        name->loop_min = l->min;
        name->loop_extent = l->extent;
    }
    p->depth += all.n;
    const rlxc_stmt *body = parse_body(t);
    p->depth -= all.n;
    rlxc_names_restore(p->ctx, &p->names, mark);
    for (uint32_t i = all.n; i > 0; i--) {
        const loop *l = &all.at[i - 1];
        rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_FOR);
        stmt->range = range;
        stmt->loop.var = l->var;
        stmt->loop.min = l->min;
        stmt->loop.extent = l->extent;
        stmt->loop.kind = all.kind;
        stmt->loop.annotations = all.annotations;
        stmt->loop.body = body;
        body = stmt;
    }
    rlxc_tir_push(t, out, body, range);
}

/* The condition of if, elif or while, at its word. */
static const rlxc_expr *header_condition(rlxc_tir_parser *t)
{
    rlxc_py_next(&t->p->py);
    rlxc_py_reset(&t->p->py);
    const rlxc_py *e = rlxc_py_expr(&t->p->py);
    const rlxc_expr *cond = e ? parse_condition(t, e) : NULL;
    if (!e)
        rlxc_py_skip(&t->p->py);
    else if (!cond)
        return rlxc_bool(t->p->ctx, true); /* reported; the block is still read */
    return cond;
}

static void parse_if(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_parser *p = t->p;
    rlxc_range range = p->py.token.range;
    const rlxc_expr *cond = header_condition(t);
    if (!cond)
        return;
    const rlxc_stmt *then = parse_body(t), *otherwise = NULL;
    if (rlxc_py_is_word(&p->py, "elif")) {
        rlxc_stmts nested = {0};
        if (rlxc_parse_enter(p, p->py.token.range)) {
            parse_if(t, &nested);
            rlxc_parse_leave(p);
        } else {
            rlxc_py_skip(&p->py);
        }
        otherwise = rlxc_tir_seq(t, &nested);
    } else if (rlxc_py_accept_word(&p->py, "else")) {
        otherwise = parse_body(t);
    }
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_IF);
    stmt->if_.cond = cond;
    stmt->if_.then = then;
    stmt->if_.otherwise = otherwise;
    rlxc_tir_push(t, out, stmt, range);
}

static void parse_while(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_range range = t->p->py.token.range;
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_WHILE);
    if (!(stmt->while_.cond = header_condition(t)))
        return;
    stmt->while_.body = parse_body(t);
    rlxc_tir_push(t, out, stmt, range);
}

static void parse_statement(rlxc_tir_parser *t, rlxc_stmts *out)
{
    rlxc_py_parser *py = &t->p->py;
    if (rlxc_py_is_word(py, "for")) {
        parse_for(t, out);
    } else if (rlxc_py_is_word(py, "with")) {
        parse_with(t, out);
    } else if (rlxc_py_is_word(py, "if")) {
        parse_if(t, out);
    } else if (rlxc_py_is_word(py, "while")) {
        parse_while(t, out);
    } else if (rlxc_py_is_word(py, "def") || rlxc_py_is_word(py, "class") ||
               rlxc_py_is(py, RLXC_OP1('@'))) {
        rlxc_error(t->p->ctx, py->token.range, "definitions inside a PrimFunc are not supported");
        bool decorator = rlxc_py_is(py, RLXC_OP1('@'));
        rlxc_py_skip(py);
        if (decorator && rlxc_py_is_word(py, "def"))
            rlxc_py_skip(py);
    } else {
        simple(t, out);
    }
}

void rlxc_tir_statements(rlxc_tir_parser *t, rlxc_py_block *block, rlxc_stmts *out)
{
    bool deep = !rlxc_parse_enter(t->p, t->p->py.token.range);
    while (rlxc_py_block_more(&t->p->py, block)) {
        if (deep)
            rlxc_py_skip(&t->p->py);
        else
            parse_statement(t, out);
    }
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
            define_var(t, param->name, f->params[i].var);
    }
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

/* TVM's rule: blocks or allocations below the top, or several statements there, get a root block
 * around them; a lone block without axes is the root itself. */
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
    rlxc_range name_range = p->py.token.range;
    if (!(f->name = rlxc_py_expect_name(&p->py, "the function's name")) ||
        !rlxc_parse_header(p, &params, &ret)) {
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
    p->tir = false;
    if (rlxc_error_count(p->ctx) > errors)
        return false;
    if (rlxc_module_add_prim(p->ctx, p->module, f, false))
        return true;
    rlxc_error(p->ctx, name_range, "function '%s' is defined twice", f->name);
    return false;
}

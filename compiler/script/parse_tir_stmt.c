/* Simple statements of TIR: assignments (loads of names, stores, declarations of buffers and
 * memory), assertions, attributes, evaluated calls. */
#include <string.h>
#include <strings.h>

#include "compiler/script/parse_tir.h"

enum { PRINTED = 201 }; /* elements of a constant that TVM's printer shows */

void rlxc_tir_define(rlxc_tir_parser *t, const char *name, const rlxc_expr *var)
{
    rlxc_names_define(t->p->ctx, &t->p->names, name, RLXC_NAME_EXPR)->expr = var;
}

void rlxc_tir_let(rlxc_tir_parser *t, rlxc_stmts *out, const char *name, const rlxc_expr *value,
                  rlxc_range range)
{
    if (rlxc_dtype_is_void(value->dtype)) {
        rlxc_error(t->p->ctx, range, "the value of '%s' is void", name);
        return;
    }
    const rlxc_expr *var = rlxc_var(t->p->ctx, name, value->dtype);
    rlxc_tir_push(t, out, rlxc_stmt_let(t->p->ctx, var, value), range);
    rlxc_tir_define(t, name, var);
}

const rlxc_expr *rlxc_tir_stored(rlxc_tir_parser *t, const rlxc_buffer *buffer,
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
        rlxc_error(p->ctx, target->base->range, "%s is not a buffer",
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
    if (value && (value = rlxc_tir_stored(t, buffer, indices, value, stmt->value->range)))
        rlxc_tir_push(t, out, rlxc_stmt_store(p->ctx, buffer, indices, buffer->ndim, value),
                      stmt->range);
}

/* The extents of the memory of a temporary; its shape with a diagnostic if there are none. */
static const rlxc_expr *const *memory_of(rlxc_tir_parser *t, const rlxc_buffer *buffer,
                                         rlxc_range range, uint32_t *n)
{
    const rlxc_expr *const *extents = rlxc_memory_extents(t->p->ctx, buffer, n);
    if (extents)
        return extents;
    rlxc_error(t->p->ctx, range,
               "the strides of the temporary '%s' must be numbers of at least 0, or each at least "
               "as large as the row that it steps over; its offset a number of at least 0",
               buffer->name);
    *n = buffer->ndim;
    return buffer->shape;
}

void rlxc_tir_declare(rlxc_tir_parser *t, rlxc_stmts *out, rlxc_buffer *buffer, bool owns,
                      rlxc_range range)
{
    if (owns) {
        rlxc_stmt *allocate = rlxc_tir_new(t, RLXC_STMT_ALLOCATE);
        allocate->allocate.var = buffer->data;
        allocate->allocate.dtype = buffer->dtype;
        allocate->allocate.extents = memory_of(t, buffer, range, &allocate->allocate.n);
        allocate->allocate.scope = buffer->scope;
        rlxc_tir_push(t, out, allocate, range);
    }
    rlxc_stmt *decl = rlxc_tir_new(t, RLXC_STMT_DECL_BUFFER);
    decl->decl = buffer;
    rlxc_tir_push(t, out, decl, range);
}

/* |scope|: of the memory, or NULL for what the call says. */
static void declare_buffer(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                           const rlxc_py *call, const char *scope)
{
    rlxc_parser *p = t->p;
    t->pointers = out;
    rlxc_buffer *buffer = rlxc_tir_buffer(t, call, 0, name, NULL);
    t->pointers = NULL;
    if (!buffer)
        return;
    if (scope)
        buffer->scope = rlxc_intern_cstr(p->ctx, scope);
    const rlxc_py *data = call->n > 2 ? call->items[2] : rlxc_py_keyword(call, "data");
    rlxc_tir_declare(t, out, buffer, !data || data->kind == RLXC_PY_NONE, call->range);
    rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_BUFFER)->buffer = buffer;
}

/* T.alloc_scalar("int32") and T.decl_scalar("int32", data=p, scope="global"): buffers of one
 * element. */
static void declare_scalar(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                           const rlxc_py *call)
{
    rlxc_py one = {.kind = RLXC_PY_INT, .i = 1, .range = call->range}, full = *call;
    const rlxc_py *items[3] = {&one, call->n > 0 ? call->items[0] : NULL,
                               call->n > 1 ? call->items[1] : NULL};
    bool decl = strncmp(call->base->text, "decl", 4) == 0;
    if (call->n > (decl ? 2U : 1U)) {
        rlxc_error(t->p->ctx, call->range, "T.%s takes an element type%s; the rest by name",
                   call->base->text, decl ? " and a pointer" : "");
        return;
    }
    full.items = items;
    full.n = call->n + 1;
    declare_buffer(t, out, name, &full, NULL);
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
        !rlxc_parse_check_sizes(p, call->items[0], stmt->allocate.extents, stmt->allocate.n) ||
        !rlxc_parse_dtype(p, dtype, &stmt->allocate.dtype) ||
        (cond && cond->kind != RLXC_PY_NONE &&
         !(stmt->allocate.cond = rlxc_tir_condition(t, cond))))
        return;
    stmt->allocate.scope =
        rlxc_intern_cstr(p->ctx, scope && scope->kind == RLXC_PY_STRING ? scope->text : "global");
    stmt->allocate.var = rlxc_var(p->ctx, name, rlxc_dtype_handle());
    rlxc_tir_push(t, out, stmt, call->range);
    rlxc_tir_define(t, name, stmt->allocate.var);
}

/* The elements of T.allocate_const: numbers, or a tensor of the metadata, which Relax functions may
 * name too. */
static bool const_elements(rlxc_parser *p, const rlxc_py *values, rlxc_stmt *stmt, int64_t *count)
{
    int64_t shape[RLXC_MAX_NDIM];
    uint32_t ndim = 0;
    void *data = NULL;
    *count = 1;
    if (!rlxc_parse_is_metadata(p, values)) {
        if (!rlxc_parse_elements(p, values, stmt->allocate_const.dtype, shape, &ndim, &data,
                                 &stmt->allocate_const.nbytes))
            return false;
        stmt->allocate_const.data = data;
    } else {
        const rlxc_constant *c = rlxc_parse_metadata_item(p, values);
        if (!c)
            return false;
        if (!rlxc_dtype_eq(c->dtype, stmt->allocate_const.dtype)) {
            rlxc_error(p->ctx, values->range, "the tensor has the element type %s, expected %s",
                       rlxc_dtype_name(p->ctx, c->dtype),
                       rlxc_dtype_name(p->ctx, stmt->allocate_const.dtype));
            return false;
        }
        ndim = c->ndim;
        memcpy(shape, c->shape, ndim * sizeof *shape);
        stmt->allocate_const.data = c->data;
        stmt->allocate_const.nbytes = c->nbytes;
    }
    for (uint32_t i = 0; i < ndim; i++)
        *count *= shape[i];
    return true;
}

/* c = T.allocate_const([1.0, 2.0], "float32", [2]) */
static void allocate_const(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                           const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    int64_t *extents, have, want = 1;
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
        !const_elements(p, values, stmt, &have) ||
        !rlxc_parse_dims(p, shape, &dims, &stmt->allocate_const.n) ||
        !rlxc_parse_check_sizes(p, shape, dims, stmt->allocate_const.n))
        return;
    extents = rlxc_alloc(p->ctx, ((size_t)stmt->allocate_const.n + 1) * sizeof *extents);
    bool known = true;
    for (uint32_t i = 0; i < stmt->allocate_const.n && known; i++)
        known = rlxc_is_int(dims[i], &extents[i]) && extents[i] >= 0 &&
                !__builtin_mul_overflow(want, extents[i], &want);
    if (!known || want != have) {
        const bool cut = known && have == PRINTED && want > have;
        rlxc_error(p->ctx, shape->range, "the extents do not match the %lld values%s",
                   (long long)have,
                   cut ? ": TVM prints no more of a constant, and the others are lost" : "");
        return;
    }
    stmt->allocate_const.extents = extents;
    stmt->allocate_const.var = rlxc_var(p->ctx, name, rlxc_dtype_handle());
    rlxc_tir_push(t, out, stmt, call->range);
    rlxc_tir_define(t, name, stmt->allocate_const.var);
}

/* Inside a loop or after a let an allocation is a statement of its own, not one of the block: its
 * shape may use the variables. */
static bool has_let(const rlxc_stmts *stmts)
{
    for (uint32_t i = 0; i < stmts->list.count; i++)
        if (stmts->list.items[i]->kind == RLXC_STMT_LET)
            return true;
    return false;
}

/* name = T.something(...) that declares; false where it is a plain value. */
bool rlxc_tir_declaration(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                          const rlxc_py *call)
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
    if (rlxc_tir_thread_declaration(t, out, name, call, path))
        return true;
    const char *what = path + 2;
    const char *scope = strcmp(what, "alloc_local") == 0    ? "local"
                        : strcmp(what, "alloc_shared") == 0 ? "shared"
                                                            : NULL;
    if (strcmp(what, "match_buffer") == 0) {
        rlxc_tir_match_buffer(t, name, call);
    } else if ((strcmp(what, "alloc_buffer") == 0 || scope) && (t->n_loops > 0 || has_let(out))) {
        declare_buffer(t, out, name, call, scope);
    } else if (strcmp(what, "alloc_buffer") == 0 || strcmp(what, "sblock_alloc_buffer") == 0 ||
               scope) {
        rlxc_buffer *buffer = rlxc_tir_buffer(t, call, 0, name, NULL);
        if (!buffer)
            return true;
        if (scope)
            buffer->scope = rlxc_intern_cstr(p->ctx, scope);
        memory_of(t, buffer, call->range, &(uint32_t){0});
        rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_BUFFER)->buffer = buffer;
        RLXC_PUSH(p->ctx, &t->block->allocs, buffer);
    } else if (strcmp(what, "decl_buffer") == 0 || strcmp(what, "buffer_decl") == 0 ||
               strcmp(what, "Buffer") == 0) {
        declare_buffer(t, out, name, call, NULL);
    } else if (strcmp(what, "decl_scalar") == 0 || strcmp(what, "alloc_scalar") == 0 ||
               strcmp(what, "local_scalar") == 0) {
        declare_scalar(t, out, name, call);
    } else if (strcmp(what, "allocate") == 0) {
        allocate(t, out, name, call);
    } else if (strcmp(what, "allocate_const") == 0) {
        allocate_const(t, out, name, call);
    } else if (strcasecmp(what, "bind") == 0 && call->n == 1 && call->n_keywords == 0) {
        const rlxc_expr *value = rlxc_parse_prim(p, call->items[0]);
        if (value)
            rlxc_tir_let(t, out, name, value, call->range);
    } else if (strcmp(what, "meta_var") == 0 && call->n == 1) {
        const rlxc_expr *value = rlxc_parse_prim(p, call->items[0]);
        if (value)
            rlxc_tir_define(t, name, value);
    } else {
        return false;
    }
    return true;
}

static void push_view(rlxc_tir_parser *t, rlxc_stmts *out, rlxc_buffer *view, rlxc_range range)
{
    rlxc_stmt *decl = rlxc_tir_new(t, RLXC_STMT_DECL_BUFFER);
    decl->decl = view;
    rlxc_tir_push(t, out, decl, range);
    rlxc_names_define(t->p->ctx, &t->p->names, view->name, RLXC_NAME_BUFFER)->buffer = view;
}

/* v = A.view(n * 4) or A.view("int32"): the same memory with another shape or element type. */
static bool view_method(rlxc_tir_parser *t, rlxc_stmts *out, const char *name, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    const rlxc_py *method = call->kind == RLXC_PY_CALL ? call->base : NULL;
    const rlxc_buffer *old =
        method && method->kind == RLXC_PY_ATTR ? rlxc_parse_buffer_name(p, method->base) : NULL;
    if (!old || strcmp(method->text, "view") != 0)
        return false;
    rlxc_buffer *view = rlxc_copy(p->ctx, old, sizeof *old);
    rlx_dtype dtype = old->dtype;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    bool ok = call->n <= RLXC_MAX_NDIM && !old->strides;
    if (!ok)
        rlxc_error(p->ctx, call->range, "'%s' cannot be viewed this way", old->name);
    if (ok && call->n == 1 && call->items[0]->kind == RLXC_PY_STRING) {
        ok = rlxc_parse_dtype(p, call->items[0], &dtype);
        if (ok && (dtype.bits != old->dtype.bits || dtype.lanes != old->dtype.lanes)) {
            rlxc_error(p->ctx, call->range, "a view of '%s' needs elements of %s's size", old->name,
                       rlxc_dtype_name(p->ctx, old->dtype));
            ok = false;
        }
        view = ok ? rlxc_buffer_new(p->ctx, name, dtype, old->shape, old->ndim) : NULL;
    } else {
        for (uint32_t i = 0; ok && i < call->n; i++)
            ok = (dims[i] = rlxc_parse_dim(p, call->items[i])) != NULL &&
                 rlxc_parse_check_sizes(p, call->items[i], &dims[i], 1);
        view = ok ? rlxc_buffer_new(p->ctx, name, dtype, dims, call->n) : NULL;
    }
    if (!view)
        return true;
    view->data = old->data;
    view->elem_offset = old->elem_offset;
    view->scope = old->scope;
    push_view(t, out, view, call->range);
    return true;
}

/* v = A[a:b, c:d]: a view of these elements. */
static bool view_region(rlxc_tir_parser *t, rlxc_stmts *out, const char *name, const rlxc_py *e)
{
    rlxc_parser *p = t->p;
    const rlxc_buffer *old = e->kind == RLXC_PY_INDEX ? rlxc_parse_buffer_name(p, e->base) : NULL;
    const rlxc_expr *const *mins, *const *extents;
    const rlxc_py *const *items = old && e->a->kind == RLXC_PY_TUPLE ? e->a->items : &e->a;
    for (uint32_t i = 0; old && i < (e->a->kind == RLXC_PY_TUPLE ? e->a->n : 1); i++)
        if (items[i]->kind != RLXC_PY_SLICE)
            return false;
    if (!old)
        return false;
    if (!rlxc_parse_indices(p, old, e->a, &mins, &extents) ||
        !rlxc_parse_check_sizes(p, e->a, extents, old->ndim))
        return true;
    rlxc_buffer *view = rlxc_buffer_new(p->ctx, name, old->dtype, extents, old->ndim);
    const rlxc_expr **strides = rlxc_alloc(p->ctx, (old->ndim + 1) * sizeof *strides);
    const rlxc_expr *stride = rlxc_i64(p->ctx, 1);
    const rlxc_expr *offset = old->elem_offset ? old->elem_offset : rlxc_i64(p->ctx, 0);
    for (uint32_t i = old->ndim; i-- > 0;) {
        strides[i] = old->strides ? old->strides[i] : stride;
        offset = rlxc_add(p->ctx, offset, rlxc_mul(p->ctx, mins[i], strides[i]));
        stride = rlxc_mul(p->ctx, stride, old->shape[i]);
    }
    view->data = old->data;
    view->scope = old->scope;
    view->strides = strides;
    view->elem_offset = offset;
    push_view(t, out, view, e->range);
    return true;
}

/* T.let and T.let[T.int64] of the 2026 dialect as the type inside; NULL: not stated. */
static const rlxc_py *plain_annotation(rlxc_parser *p, const rlxc_py *e)
{
    if (e && e->kind == RLXC_PY_INDEX && rlxc_parse_path_is(p, e->base, "T.let"))
        return e->a;
    return e && rlxc_parse_path_is(p, e, "T.let") ? NULL : e;
}

static void assign_name(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *target,
                        const rlxc_py *annotation, const rlxc_py *e, rlxc_range range)
{
    rlxc_parser *p = t->p;
    rlx_dtype dtype;
    annotation = plain_annotation(p, annotation);
    if (target->kind == RLXC_PY_NAME && !annotation &&
        (view_method(t, out, target->text, e) || view_region(t, out, target->text, e)))
        return;
    if (target->kind == RLXC_PY_NAME && e->kind == RLXC_PY_CALL && !annotation &&
        (rlxc_tir_axis(t, target, e) || rlxc_tir_declaration(t, out, target->text, e)))
        return;
    if (target->kind == RLXC_PY_TUPLE && e->kind == RLXC_PY_CALL && rlxc_tir_axis(t, target, e))
        return;
    if (target->kind != RLXC_PY_NAME) {
        rlxc_error(p->ctx, target->range, "%s cannot be assigned to",
                   rlxc_py_describe(p->ctx, target));
        return;
    }
    if (!annotation && rlxc_tir_scalar_store(t, out, target, e, range))
        return;
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, e);
    if (buffer) { /* another name for it */
        const rlxc_name *same = rlxc_names_find(&p->names, e->text);
        rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_BUFFER)->buffer = same->buffer;
        return;
    }
    if (annotation && annotation->kind == RLXC_PY_INDEX &&
        rlxc_parse_path_is(p, annotation->base, "T.Ptr"))
        dtype = rlxc_dtype_handle();
    else if (annotation &&
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
    rlxc_tir_let(t, out, target->text, value, range);
}

/* Defines the names of an assignment in error, to avoid further errors. */
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

enum { MAX_PARTS = 64 }; /* of a message */

/* "message", or ("RuntimeError", ["mess", "age"]); NULL for anything else. */
static const char *assertion_text(rlxc_parser *p, const rlxc_py *e)
{
    const char *text = "";
    e = rlxc_parse_literal(p, e);
    if (e->kind == RLXC_PY_STRING)
        return rlxc_intern(p->ctx, e->text, e->length);
    bool pair = rlxc_py_is_list(e) && e->n == 2 && e->items[0]->kind == RLXC_PY_STRING &&
                rlxc_py_is_list(e->items[1]);
    pair = pair && e->items[1]->n <= MAX_PARTS;
    for (uint32_t i = 0; pair && i < e->items[1]->n; i++) {
        const rlxc_py *part = rlxc_parse_literal(p, e->items[1]->items[i]);
        if (part->kind != RLXC_PY_STRING)
            return NULL;
        text = rlxc_internf(p->ctx, "%s%.*s", text, (int)part->length, part->text);
    }
    return pair ? text : NULL;
}

void rlxc_tir_assertion(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *cond,
                        const rlxc_py *message, rlxc_range range)
{
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_ASSERT);
    if (!(stmt->assert_.cond = rlxc_tir_condition(t, cond)))
        return;
    stmt->assert_.message =
        message ? assertion_text(t->p, message) : rlxc_intern_cstr(t->p->ctx, "assertion failed");
    if (!stmt->assert_.message) {
        rlxc_error(t->p->ctx, message->range, "the message of an assertion is a string");
        return;
    }
    rlxc_tir_push(t, out, stmt, range);
}

static void push_attribute(rlxc_tir_parser *t, rlxc_stmts *out, rlxc_attr node, const char *key,
                           const rlxc_py *value, rlxc_range range)
{
    rlxc_parser *p = t->p;
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_ATTR);
    stmt->attr.node = node;
    stmt->attr.key = key;
    stmt->attr.value = value->kind == RLXC_PY_STRING ? rlxc_string(p->ctx, value->text)
                                                     : rlxc_parse_prim(p, value);
    if (stmt->attr.value)
        rlxc_tir_push(t, out, stmt, range);
}

/* T.attr(node, "key", value), or T.attr({"key": value}) without a node. */
void rlxc_tir_attribute(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    rlxc_attr of;
    if (call->n == 1 && call->items[0]->kind == RLXC_PY_DICT) {
        const rlxc_py *all = call->items[0];
        for (uint32_t i = 0; i < all->n; i++) {
            if (all->keys[i]->kind != RLXC_PY_STRING) {
                rlxc_error(p->ctx, all->keys[i]->range, "the keys of attributes are strings");
                return;
            }
            push_attribute(t, out, rlxc_attr_expr(rlxc_int(p->ctx, RLX_I32, 0)),
                           rlxc_intern(p->ctx, all->keys[i]->text, all->keys[i]->length),
                           all->items[i], call->range);
        }
        return;
    }
    if (call->n != 3 || call->items[1]->kind != RLXC_PY_STRING) {
        rlxc_error(p->ctx, call->range, "T.attr takes a node, a key in quotes and a value");
        return;
    }
    if (rlxc_tir_thread_attribute(t, out, call))
        return;
    const rlxc_py *node = call->items[0];
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, node);
    if (buffer)
        of = rlxc_attr_expr(buffer->data);
    else if (!rlxc_parse_attr(p, node, &of))
        return;
    push_attribute(t, out, of, rlxc_intern(p->ctx, call->items[1]->text, call->items[1]->length),
                   call->items[2], call->range);
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
        rlxc_tir_attribute(t, out, e);
        return;
    }
    if (path && strcmp(path, "T.Assert") == 0 && e->n == 2) {
        rlxc_tir_assertion(t, out, e->items[0], e->items[1], e->range);
        return;
    }
    const rlxc_py *value = e;
    if (path && strcmp(path, "T.evaluate") == 0 && e->n == 1) {
        value = e->items[0];
        path = value->kind == RLXC_PY_CALL ? rlxc_parse_path(p, value->base) : NULL;
    }
    if (path && (strcmp(path, "T.break_loop") == 0 || strcmp(path, "T.continue_loop") == 0)) {
        rlxc_tir_jump(t, out, path[2] == 'b', e->range);
        return;
    }
    if (path && strcmp(path, "T.Bind") == 0 && rlxc_py_keyword(value, "var")) {
        rlxc_tir_bind(t, out, value, path, NULL);
        return;
    }
    if (rlxc_tir_vector_store(t, out, value) ||
        (path && rlxc_tir_thread_statement(t, out, value, path, NULL)))
        return;
    const rlxc_expr *result = rlxc_parse_prim(p, value);
    if (result)
        rlxc_tir_push(t, out, rlxc_stmt_evaluate(p->ctx, result), e->range);
}

void rlxc_tir_simple(rlxc_tir_parser *t, rlxc_stmts *out)
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
        else if (!rlxc_tir_scalar_update(t, out, &stmt))
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
        rlxc_tir_assertion(t, out, stmt.value, stmt.annotation, stmt.range);
        return;
    case RLXC_PY_STMT_BREAK:
    case RLXC_PY_STMT_CONTINUE:
        rlxc_tir_jump(t, out, stmt.kind == RLXC_PY_STMT_BREAK, stmt.range);
        return;
    case RLXC_PY_STMT_PASS:
    case RLXC_PY_STMT_IMPORT:
        return;
    }
}

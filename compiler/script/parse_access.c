/* Accesses of buffers other than A[i]: names of buffers with one element, A.vload and B.vstore with
 * their predicates, and other spellings of intrinsics.
 *
 * The IR has no masked accesses. A masked-out lane is not written, and reads as 0: each lane
 * becomes an access of its own under a condition. A mask that is always true leaves the access
 * whole. */
#include <string.h>

#include "compiler/ir/intrinsics.h"
#include "compiler/script/parse_tir.h"

enum { MAX_LANES = 64 };

/* --- one element ----------------------------------------------------------------------------- */

static bool only_index(rlxc_parser *p, const rlxc_buffer *buffer, const rlxc_expr *out[2])
{
    const rlxc_expr *zero = rlxc_int(p->ctx, RLX_I32, 0), *one = rlxc_int(p->ctx, RLX_I32, 1);
    uint32_t lanes = (uint32_t)(uintptr_t)rlxc_map_get(&p->vectors, rlxc_key(buffer));
    uint32_t ndim = buffer->ndim - (lanes > 0);
    if (ndim > 1 || (ndim == 1 && !rlxc_is_const(buffer->shape[0], 1)))
        return false;
    out[0] = zero;
    if (lanes > 0)
        out[ndim] = rlxc_ramp(p->ctx, zero, one, lanes);
    return true;
}

const rlxc_expr *rlxc_parse_only_element(rlxc_parser *p, const rlxc_buffer *buffer)
{
    const rlxc_expr *at[2];
    return only_index(p, buffer, at) ? rlxc_load(p->ctx, buffer, at, buffer->ndim) : NULL;
}

bool rlxc_tir_scalar_store(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *target,
                           const rlxc_py *value, rlxc_range range)
{
    rlxc_parser *p = t->p;
    const rlxc_expr *at[2];
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, target);
    if (!buffer || !only_index(p, buffer, at))
        return false;
    const rlxc_expr *e = rlxc_parse_prim(p, value);
    if (e && (e = rlxc_tir_stored(t, buffer, at, e, value->range)))
        rlxc_tir_push(t, out, rlxc_stmt_store(p->ctx, buffer, at, buffer->ndim, e), range);
    return true;
}

bool rlxc_tir_scalar_update(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py_stmt *stmt)
{
    rlxc_py sum = {.kind = RLXC_PY_BINARY, .op = stmt->op, .range = stmt->range};
    sum.a = stmt->target;
    sum.b = stmt->value;
    return rlxc_tir_scalar_store(t, out, stmt->target, &sum, stmt->range);
}

/* --- vload, vstore --------------------------------------------------------------------------- */

typedef struct access {
    const rlxc_buffer *buffer;
    const rlxc_expr *const *indices;
    const rlxc_expr *mask; /* or NULL: every lane */
    uint16_t lanes;
} access;

/* Lane |k| of a value. */
static const rlxc_expr *lane(rlxc_context *ctx, const rlxc_expr *e, uint32_t k)
{
    if (e->dtype.lanes == 1)
        return e;
    if (e->kind == RLXC_EXPR_BROADCAST)
        return e->ramp.base;
    if (e->kind == RLXC_EXPR_RAMP)
        return rlxc_add(
            ctx, e->ramp.base,
            rlxc_mul(ctx, e->ramp.stride, rlxc_int(ctx, e->ramp.stride->dtype, (int64_t)k)));
    if (rlxc_is_binary(e))
        return rlxc_binary(ctx, (rlxc_expr_kind)e->kind, lane(ctx, e->bin.a, k),
                           lane(ctx, e->bin.b, k));
    const rlxc_expr *args[3] = {rlxc_int(ctx, RLX_I32, 1), e, rlxc_int(ctx, RLX_I32, k)};
    rlx_dtype t = e->dtype;
    t.lanes = 1;
    return rlxc_call(ctx, t, rlxc_intern_cstr(ctx, "Shuffle"), args, 3);
}

static bool is_method(rlxc_parser *p, const rlxc_py *call, const char *name,
                      const rlxc_buffer **out)
{
    const rlxc_py *method = call->kind == RLXC_PY_CALL ? call->base : NULL;
    *out = method && method->kind == RLXC_PY_ATTR && strcmp(method->text, name) == 0
               ? rlxc_parse_buffer_name(p, method->base)
               : NULL;
    return *out != NULL;
}

/* The indices and the mask of |call|; |lanes|: the number of lanes for an index of one lane. */
static bool read_access(rlxc_parser *p, const rlxc_py *call, uint16_t lanes, access *out)
{
    const rlxc_py *predicate = rlxc_py_keyword(call, "predicate");
    rlxc_py where = {
        .kind = RLXC_PY_TUPLE, .items = &call->items[0], .n = 1, .range = call->items[0]->range};
    if (rlxc_py_is_list(call->items[0])) {
        where.items = call->items[0]->items;
        where.n = call->items[0]->n;
    }
    if (!rlxc_parse_indices(p, out->buffer, &where, &out->indices, NULL))
        return false;
    uint32_t n = out->buffer->ndim;
    out->lanes = 1;
    for (uint32_t i = 0; i < n; i++)
        if (out->indices[i]->dtype.lanes > 1)
            out->lanes = out->indices[i]->dtype.lanes;
    if (lanes > 1 && out->lanes == 1 && n > 0 && out->buffer->dtype.lanes == 1) {
        const rlxc_expr **indices =
            rlxc_copy(p->ctx, (const void *)out->indices, n * sizeof(const rlxc_expr *));
        indices[n - 1] =
            rlxc_ramp(p->ctx, indices[n - 1], rlxc_int(p->ctx, indices[n - 1]->dtype, 1), lanes);
        out->indices = indices;
        out->lanes = lanes;
    }
    if (!predicate || predicate->kind == RLXC_PY_NONE)
        return true;
    if (!(out->mask = rlxc_parse_prim(p, predicate)))
        return false;
    if (!rlxc_dtype_is_bool(out->mask->dtype) || out->mask->dtype.lanes != out->lanes ||
        out->lanes > MAX_LANES) {
        rlxc_error(p->ctx, predicate->range,
                   "a predicate of %u lanes, at most %d, of bool is needed, got %s",
                   (unsigned)out->lanes, MAX_LANES, rlxc_dtype_name(p->ctx, out->mask->dtype));
        return false;
    }
    if (out->mask->kind == RLXC_EXPR_BROADCAST && rlxc_is_const(out->mask->ramp.base, 1))
        out->mask = NULL;
    return true;
}

static void indices_of_lane(rlxc_context *ctx, const access *a, uint32_t k,
                            const rlxc_expr *out[RLXC_MAX_NDIM])
{
    for (uint32_t i = 0; i < a->buffer->ndim; i++)
        out[i] = lane(ctx, a->indices[i], k);
}

bool rlxc_parse_vector_load(rlxc_parser *p, const rlxc_py *call, const rlxc_expr **out)
{
    rlxc_context *ctx = p->ctx;
    access a = {0};
    if (!is_method(p, call, "vload", &a.buffer))
        return false;
    *out = NULL;
    const rlxc_py *type = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "dtype");
    rlx_dtype t = a.buffer->dtype;
    if (call->n < 1 || call->n > 2) {
        rlxc_error(ctx, call->range, "vload takes indices and an element type");
        return true;
    }
    if ((type && type->kind != RLXC_PY_NONE && !rlxc_parse_dtype(p, type, &t)) ||
        !read_access(p, call, t.lanes, &a))
        return true;
    if (!a.mask) {
        *out = rlxc_load(ctx, a.buffer, a.indices, a.buffer->ndim);
        return true;
    }
    const rlxc_expr *args[2 * MAX_LANES + 1], *at[RLXC_MAX_NDIM];
    rlx_dtype element = a.buffer->dtype;
    args[0] = rlxc_int(ctx, RLX_I32, a.lanes);
    for (uint32_t k = 0; k < a.lanes; k++) {
        indices_of_lane(ctx, &a, k, at);
        const rlxc_expr *choice[3] = {lane(ctx, a.mask, k),
                                      rlxc_load(ctx, a.buffer, at, a.buffer->ndim),
                                      rlxc_cast(ctx, element, rlxc_int(ctx, RLX_I32, 0))};
        args[1 + k] = rlxc_call(ctx, element, rlxc_intern_cstr(ctx, "if_then_else"), choice, 3);
        args[1 + a.lanes + k] = rlxc_int(ctx, RLX_I32, k);
    }
    element.lanes = a.lanes;
    *out = rlxc_call(ctx, element, rlxc_intern_cstr(ctx, "Shuffle"), args, 2 * a.lanes + 1U);
    return true;
}

/* |e|, bound to a variable if it comes from memory. */
static const rlxc_expr *bound(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_expr *e,
                              rlxc_range range)
{
    if (!e->from_memory)
        return e;
    const rlxc_expr *var = rlxc_var_for(t->p->ctx, "lanes", e);
    rlxc_tir_push(t, out, rlxc_stmt_let(t->p->ctx, var, e), range);
    return var;
}

bool rlxc_tir_vector_store(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    rlxc_context *ctx = p->ctx;
    access a = {0};
    if (!is_method(p, call, "vstore", &a.buffer))
        return false;
    if (call->n != 2) {
        rlxc_error(ctx, call->range, "vstore takes indices and a value");
        return true;
    }
    const rlxc_expr *value = rlxc_parse_prim(p, call->items[1]);
    if (!value || !read_access(p, call, value->dtype.lanes, &a) ||
        !(value = rlxc_tir_stored(t, a.buffer, a.indices, value, call->range)))
        return true;
    uint32_t n = a.buffer->ndim;
    if (!a.mask) {
        rlxc_tir_push(t, out, rlxc_stmt_store(ctx, a.buffer, a.indices, n, value), call->range);
        return true;
    }
    /* all loads come before the first store */
    const rlxc_expr *var = bound(t, out, value, call->range);
    const rlxc_expr *indices[RLXC_MAX_NDIM];
    for (uint32_t i = 0; i < n; i++)
        indices[i] = bound(t, out, a.indices[i], call->range);
    a.indices = indices;
    a.mask = bound(t, out, a.mask, call->range);
    for (uint32_t k = 0; k < a.lanes; k++) {
        const rlxc_expr *at[RLXC_MAX_NDIM];
        indices_of_lane(ctx, &a, k, at);
        const rlxc_stmt *one = rlxc_stmt_store(ctx, a.buffer, at, n, lane(ctx, var, k));
        ((rlxc_stmt *)(uintptr_t)one)->range = call->range;
        rlxc_tir_push(t, out, rlxc_stmt_if(ctx, lane(ctx, a.mask, k), one, NULL), call->range);
    }
    return true;
}

/* --- spellings ------------------------------------------------------------------------------- */

/* "tirx.exp", or tvm.ir.Op.get("tirx.exp"): the name without its dialect. */
static const char *operator_name(const rlxc_py *e)
{
    if (e->kind == RLXC_PY_CALL && e->n == 1 && e->base->kind == RLXC_PY_ATTR &&
        strcmp(e->base->text, "get") == 0)
        e = e->items[0];
    if (e->kind != RLXC_PY_STRING)
        return NULL;
    const char *dot = strchr(e->text, '.');
    return dot ? dot + 1 : e->text;
}

/* T.Call("int32", "tirx.clz", [x]) and T.call_intrin("int32", "tirx.clz", x) as T.clz(x), with the
 * type where the intrinsic asks for one. */
static const rlxc_expr *parse_named(rlxc_parser *p, const rlxc_py *call, bool node)
{
    const rlxc_py *items[40];
    const rlxc_py *type = rlxc_py_keyword(call, node ? "ty" : "dtype");
    uint32_t first = type ? 0 : 1;
    const char *name = call->n > first ? operator_name(call->items[first]) : NULL;
    bool listed = node && call->n == first + 2 && rlxc_py_is_list(call->items[first + 1]);
    if (!name || (node && !listed)) {
        rlxc_error(p->ctx, call->range, "T.%s takes a type, the name of an intrinsic and %s",
                   node ? "Call" : "call_intrin", node ? "a list of arguments" : "its arguments");
        return NULL;
    }
    if (!type)
        type = call->items[0];
    const rlxc_py *const *args = listed ? call->items[first + 1]->items : call->items + first + 1;
    uint32_t n = listed ? call->items[first + 1]->n : call->n - first - 1, count = 0;
    const rlxc_intrinsic *row = rlxc_find_intrinsic(name, strlen(name));
    if (row && row->result == RLXC_RESULT_GIVEN)
        items[count++] = type;
    if (n > sizeof items / sizeof *items - 1) {
        rlxc_error(p->ctx, call->range, "%u are too many arguments", n);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        items[count++] = args[i];
    rlxc_py plain = *call;
    plain.items = items;
    plain.n = count;
    plain.n_keywords = 0;
    return rlxc_parse_intrinsic(p, &plain, name);
}

/* T.prefetch(address, for writing, locality, of data) */
static const rlxc_expr *parse_prefetch(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_expr *args[5] = {rlxc_string(p->ctx, "llvm.prefetch")};
    if (call->n != 4) {
        rlxc_error(p->ctx, call->range, "T.prefetch takes an address and three numbers");
        return NULL;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (!(args[1 + i] = rlxc_parse_prim(p, call->items[i])))
            return NULL;
    return rlxc_call(p->ctx, RLX_I32, rlxc_intern_cstr(p->ctx, "call_llvm_intrin"), args, 5);
}

/* T.get_active_lane_mask("boolx4", base, limit): base + lane < limit. */
static const rlxc_expr *parse_lane_mask(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_py *type = call->n == 3 ? call->items[0] : rlxc_py_keyword(call, "dtype");
    const char *x = type && type->kind == RLXC_PY_STRING ? strchr(type->text, 'x') : NULL;
    rlx_dtype t;
    if (!x || (call->n != 3 && call->n != 2) || strstr(x, "vscale")) {
        rlxc_error(p->ctx, call->range,
                   "T.get_active_lane_mask takes a type such as \"boolx4\", the first index and "
                   "the limit; it must not have vscale, a length that the compiler cannot know");
        return NULL;
    }
    const char *vector = rlxc_internf(p->ctx, "bool%s", x);
    if (!rlxc_dtype_parse(vector, strlen(vector), &t)) {
        rlxc_error(p->ctx, type->range, "unknown type \"%.40s\"", type->text);
        return NULL;
    }
    const rlxc_expr *base = rlxc_parse_prim(p, call->items[call->n - 2]);
    const rlxc_expr *limit = base ? rlxc_parse_prim(p, call->items[call->n - 1]) : NULL;
    if (!limit || !rlxc_parse_unify(p, &base, &limit))
        return NULL;
    if (!rlxc_dtype_is_int(base->dtype) || base->dtype.lanes != 1) {
        rlxc_error(p->ctx, call->range, "T.get_active_lane_mask compares integers, got %s",
                   rlxc_dtype_name(p->ctx, base->dtype));
        return NULL;
    }
    const rlxc_expr *lanes = rlxc_ramp(p->ctx, base, rlxc_int(p->ctx, base->dtype, 1), t.lanes);
    return rlxc_binary(p->ctx, RLXC_EXPR_LT, lanes, rlxc_broadcast(p->ctx, limit, t.lanes));
}

bool rlxc_parse_spelled(rlxc_parser *p, const rlxc_py *call, const char *name,
                        const rlxc_expr **out)
{
    if (strcmp(name, "Call") == 0 || strcmp(name, "call_intrin") == 0)
        *out = parse_named(p, call, name[0] == 'C');
    else if (strcmp(name, "prefetch") == 0)
        *out = parse_prefetch(p, call);
    else if (strcmp(name, "get_active_lane_mask") == 0)
        *out = parse_lane_mask(p, call);
    else
        return false;
    return true;
}

const rlxc_expr *rlxc_parse_prim_call(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    enum { MOST = 64 };
    const rlxc_expr *args[1 + MOST] = {rlxc_string(p->ctx, name)};
    if (call->n > MOST || call->n_keywords > 0) {
        rlxc_error(p->ctx, call->range, "a PrimFunc takes at most %d arguments, without names",
                   MOST);
        return NULL;
    }
    for (uint32_t i = 0; i < call->n; i++) {
        const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, call->items[i]);
        args[1 + i] =
            buffer ? rlxc_parse_whole_buffer(p, buffer) : rlxc_parse_prim(p, call->items[i]);
        if (!args[1 + i])
            return NULL;
    }
    rlxc_parse_global_atom(p, name, call->range); /* notes the use */
    p->module->prim_calls = true;
    return rlxc_call(p->ctx, rlxc_parse_returned(p, name), rlxc_intern_cstr(p->ctx, "call_prim"),
                     args, call->n + 1);
}

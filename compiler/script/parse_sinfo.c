/* Annotations: R.Tensor, R.Shape, R.Prim, R.Tuple, R.Object, R.Callable of the three dialects, bare
 * or called, with strings or expressions as dimensions. */
#include <string.h>

#include "compiler/script/parse.h"

/* `_` and None mean unknown. */
static bool is_unknown(const rlxc_py *e)
{
    return e->kind == RLXC_PY_NONE || (e->kind == RLXC_PY_NAME && strcmp(e->text, "_") == 0);
}

static bool known_keywords(rlxc_parser *p, const rlxc_py *call, const char *what,
                           const char *const *names, size_t n)
{
    for (uint32_t i = 0; i < call->n_keywords; i++) {
        bool known = false;
        for (size_t j = 0; j < n; j++)
            known |= strcmp(call->keyword_names[i], names[j]) == 0;
        if (!known) {
            rlxc_error(p->ctx, call->keywords[i]->range, "%s has no argument '%s'", what,
                       call->keyword_names[i]);
            return false;
        }
    }
    return true;
}

static bool parse_ndim(rlxc_parser *p, const rlxc_py *e, int32_t *out)
{
    if (e->kind != RLXC_PY_INT || e->i < -1 || e->i > RLXC_MAX_NDIM) {
        rlxc_error(p->ctx, e->range, "ndim must be an integer from -1 to %d", RLXC_MAX_NDIM);
        return false;
    }
    *out = (int32_t)e->i;
    return true;
}

/* A shape given by the name of a variable of known shape. */
static bool named_shape(rlxc_parser *p, const rlxc_py *e, int32_t *out_ndim,
                        const rlxc_expr *const **out_dims)
{
    const rlxc_name *name = e->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->text) : NULL;
    if (!name || name->kind != RLXC_NAME_RVAR)
        return false;
    const rlxc_sinfo *s = name->rvar->annotation ? name->rvar->annotation : name->rvar->sinfo;
    if (s && s->kind == RLXC_SINFO_SHAPE) {
        *out_ndim = s->ndim;
        *out_dims = s->dims;
    }
    return true;
}

static bool parse_shape(rlxc_parser *p, const rlxc_py *e, int32_t *out_ndim,
                        const rlxc_expr *const **out_dims)
{
    uint32_t n;
    if (is_unknown(e) || named_shape(p, e, out_ndim, out_dims))
        return true;
    if (e->kind == RLXC_PY_CALL && e->n == 1 &&
        (rlxc_parse_path_is(p, e->base, "R.shape") || rlxc_parse_path_is(p, e->base, "R.Shape")))
        e = e->items[0];
    if (e->kind != RLXC_PY_TUPLE && e->kind != RLXC_PY_LIST) {
        rlxc_error(p->ctx, e->range, "expected a shape such as (n, 4), got %s",
                   rlxc_py_describe(p->ctx, e));
        return false;
    }
    if (e->n > 0) { /* (_, _): the rank alone */
        bool all = true;
        for (uint32_t i = 0; i < e->n; i++)
            all &= is_unknown(e->items[i]);
        if (all) {
            *out_ndim = e->n <= RLXC_MAX_NDIM ? (int32_t)e->n : RLXC_UNKNOWN_NDIM;
            return true;
        }
    }
    if (!rlxc_parse_dims(p, e, out_dims, &n))
        return false;
    *out_ndim = (int32_t)n;
    return true;
}

static const rlxc_sinfo *parse_tensor(rlxc_parser *p, const rlxc_py *e, const rlxc_py *call)
{
    static const char *const names[] = {"shape", "dtype", "vdevice", "ndim"};
    const rlxc_py *field[4] = {NULL, NULL, NULL, NULL};
    rlx_dtype dtype = rlxc_dtype_void();
    int32_t ndim = RLXC_UNKNOWN_NDIM, given = RLXC_UNKNOWN_NDIM;
    const rlxc_expr *const *dims = NULL;
    const char *vdevice = NULL;
    if (call && call->n > 4) {
        rlxc_error(p->ctx, e->range, "R.Tensor takes at most 4 arguments, got %u", call->n);
        return NULL;
    }
    if (call && !known_keywords(p, call, "R.Tensor", names, 4))
        return NULL;
    for (uint32_t i = 0; call && i < 4; i++)
        field[i] = i < call->n ? call->items[i] : rlxc_py_keyword(call, names[i]);
    if (field[0] && field[0]->kind == RLXC_PY_STRING && !field[1]) { /* R.Tensor("float32") */
        field[1] = field[0];
        field[0] = NULL;
    }
    if (call && call->n == 3 && !field[3] && field[2]->kind == RLXC_PY_INT) {
        field[3] = field[2]; /* older texts have ndim here */
        field[2] = NULL;
    }
    if (field[0] && (!parse_shape(p, field[0], &ndim, &dims) ||
                     (dims && !rlxc_parse_check_sizes(p, field[0], dims, (uint32_t)ndim))))
        return NULL;
    if (field[1] && !is_unknown(field[1]) && !rlxc_parse_dtype(p, field[1], &dtype))
        return NULL;
    if (field[3] && !is_unknown(field[3]) && !parse_ndim(p, field[3], &given))
        return NULL;
    if (given != RLXC_UNKNOWN_NDIM && ndim != RLXC_UNKNOWN_NDIM && given != ndim) {
        rlxc_error(p->ctx, e->range, "R.Tensor has %d dimensions but ndim=%d", ndim, given);
        return NULL;
    }
    if (dtype.lanes > 1 || rlxc_dtype_is_handle(dtype)) {
        rlxc_error(p->ctx, e->range, "tensors of %s are not supported",
                   rlxc_dtype_name(p->ctx, dtype));
        return NULL;
    }
    if (field[2] && !is_unknown(field[2]) && !(vdevice = rlxc_parse_vdevice(p, field[2])))
        return NULL;
    return rlxc_sinfo_tensor(p->ctx, dtype, ndim == RLXC_UNKNOWN_NDIM ? given : ndim, dims,
                             vdevice);
}

static const rlxc_sinfo *parse_shape_type(rlxc_parser *p, const rlxc_py *e, const rlxc_py *call)
{
    static const char *const names[] = {"values", "ndim"};
    int32_t ndim = RLXC_UNKNOWN_NDIM, given = RLXC_UNKNOWN_NDIM;
    const rlxc_expr *const *dims = NULL;
    if (!call)
        return rlxc_sinfo_shape(p->ctx, RLXC_UNKNOWN_NDIM, NULL);
    if (!known_keywords(p, call, "R.Shape", names, 2))
        return NULL;
    const rlxc_py *values = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "values");
    const rlxc_py *rank = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "ndim");
    if (call->n > 2) {
        rlxc_error(p->ctx, e->range, "R.Shape takes at most 2 arguments, got %u", call->n);
        return NULL;
    }
    if ((values && !parse_shape(p, values, &ndim, &dims)) ||
        (rank && !is_unknown(rank) && !parse_ndim(p, rank, &given)))
        return NULL;
    return rlxc_sinfo_shape(p->ctx, ndim == RLXC_UNKNOWN_NDIM ? given : ndim, dims);
}

static const rlxc_sinfo *parse_prim_type(rlxc_parser *p, const rlxc_py *e, const rlxc_py *call)
{
    static const char *const names[] = {"dtype", "value"};
    rlx_dtype dtype = RLX_I64;
    if (!call || !known_keywords(p, call, "R.Prim", names, 2) || call->n > 2 ||
        call->n + call->n_keywords == 0) {
        rlxc_error(p->ctx, e->range, "R.Prim needs a type or a value: R.Prim(\"int64\")");
        return NULL;
    }
    const rlxc_py *type = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "dtype");
    const rlxc_py *value = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "value");
    if (type && !rlxc_parse_dtype(p, type, &dtype))
        return NULL;
    if (rlxc_dtype_is_handle(dtype) || rlxc_dtype_is_void(dtype) || dtype.lanes != 1) {
        rlxc_error(p->ctx, e->range, "R.Prim cannot hold %s", rlxc_dtype_name(p->ctx, dtype));
        return NULL;
    }
    if (!value || is_unknown(value))
        return rlxc_sinfo_prim(p->ctx, dtype, NULL);
    const rlxc_expr *v =
        value->kind == RLXC_PY_STRING ? rlxc_parse_quoted(p, value) : rlxc_parse_prim(p, value);
    if (!v)
        return NULL;
    if (type && !rlxc_dtype_eq(v->dtype, dtype)) {
        rlxc_error(p->ctx, value->range, "R.Prim is %s but its value is %s",
                   rlxc_dtype_name(p->ctx, dtype), rlxc_dtype_name(p->ctx, v->dtype));
        return NULL;
    }
    return rlxc_sinfo_prim(p->ctx, v->dtype, v);
}

static bool parse_list(rlxc_parser *p, const rlxc_py *const *items, uint32_t n,
                       const rlxc_sinfo *const **out)
{
    const rlxc_sinfo **fields = rlxc_try_alloc(p->ctx, n + 1, sizeof *fields);
    if (!fields)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!(fields[i] = rlxc_parse_sinfo(p, items[i])))
            return false;
    *out = fields;
    return true;
}

static const rlxc_sinfo *parse_tuple(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_sinfo *const *fields = NULL;
    if (!call)
        return rlxc_sinfo_tuple(p->ctx, NULL, 0);
    const rlxc_py *const *items = call->items;
    uint32_t n = call->n;
    if (n == 1 && (items[0]->kind == RLXC_PY_LIST || items[0]->kind == RLXC_PY_TUPLE)) {
        n = items[0]->n;
        items = items[0]->items;
    }
    if (!parse_list(p, items, n, &fields))
        return NULL;
    return rlxc_sinfo_tuple(p->ctx, fields, n);
}

static const rlxc_sinfo *parse_callable(rlxc_parser *p, const rlxc_py *e, const rlxc_py *call)
{
    static const char *const names[] = {"params", "ret", "purity"};
    const rlxc_sinfo *ret = NULL;
    const rlxc_sinfo *const *params = NULL;
    if (!call)
        return rlxc_sinfo_callable_opaque(p->ctx, NULL, false);
    if (!known_keywords(p, call, "R.Callable", names, 3))
        return NULL;
    if (call->n > 3) {
        rlxc_error(p->ctx, e->range, "R.Callable takes at most 3 arguments, got %u", call->n);
        return NULL;
    }
    const rlxc_py *field[3];
    for (uint32_t i = 0; i < 3; i++)
        field[i] = i < call->n ? call->items[i] : rlxc_py_keyword(call, names[i]);
    if (field[1] && !is_unknown(field[1]) && !(ret = rlxc_parse_sinfo(p, field[1])))
        return NULL;
    if (field[2] && field[2]->kind != RLXC_PY_BOOL) {
        rlxc_error(p->ctx, field[2]->range, "the purity of R.Callable is True or False");
        return NULL;
    }
    bool opaque = !field[0] || is_unknown(field[0]);
    bool pure = field[2] ? field[2]->i != 0 : !opaque;
    if (opaque)
        return rlxc_sinfo_callable_opaque(p->ctx, ret, pure);
    bool many = field[0]->kind == RLXC_PY_TUPLE || field[0]->kind == RLXC_PY_LIST;
    const rlxc_py *const *items = many ? field[0]->items : &field[0];
    uint32_t n = many ? field[0]->n : 1;
    /* parameters of a function type declare their own symbols */
    uint32_t mark = rlxc_names_mark(&p->symbols), names_mark = rlxc_names_mark(&p->names);
    bool ok = parse_list(p, items, n, &params);
    rlxc_names_restore(p->ctx, &p->symbols, mark);
    rlxc_names_restore(p->ctx, &p->names, names_mark);
    if (!ok)
        return NULL;
    return rlxc_sinfo_callable(p->ctx, params, n, ret ? ret : rlxc_sinfo_object(p->ctx), pure);
}

/* The type name behind R. of an annotation, called, subscripted (2022) or bare. */
static const char *type_name(rlxc_parser *p, const rlxc_py *e)
{
    const char *path = e->kind == RLXC_PY_CALL || e->kind == RLXC_PY_INDEX
                           ? rlxc_parse_path(p, e->base)
                           : rlxc_parse_path(p, e);
    return path && path[0] == 'R' && path[1] == '.' ? path + 2 : NULL;
}

bool rlxc_parse_scalar_type(rlxc_parser *p, const rlxc_py *e, rlx_dtype *out)
{
    const char *path = rlxc_parse_path(p, e->kind == RLXC_PY_CALL && e->n == 0 ? e->base : e);
    return path && path[0] == 'T' && path[1] == '.' &&
           rlxc_dtype_parse(path + 2, strlen(path + 2), out) && out->lanes == 1 &&
           !rlxc_dtype_is_handle(*out) && !rlxc_dtype_is_void(*out);
}

/* x of `x.struct_info` or, since 0.26, `x.ty`; NULL for anything else. */
static const rlxc_rvar *typed_variable(rlxc_parser *p, const rlxc_py *e)
{
    if (e->kind != RLXC_PY_ATTR || e->base->kind != RLXC_PY_NAME ||
        (strcmp(e->text, "struct_info") != 0 && strcmp(e->text, "ty") != 0))
        return NULL;
    const rlxc_name *name = rlxc_names_find(&p->names, e->base->text);
    return name && name->kind == RLXC_NAME_RVAR ? name->rvar : NULL;
}

static const rlxc_sinfo *type_of_variable(rlxc_parser *p, const rlxc_py *e, const rlxc_rvar *var)
{
    const rlxc_sinfo *s = var->annotation ? var->annotation : var->sinfo;
    if (!s)
        rlxc_error(p->ctx, e->range, "%s is not known here: '%s' has no annotation",
                   rlxc_py_describe(p->ctx, e), e->base->text);
    return s;
}

bool rlxc_parse_is_sinfo(rlxc_parser *p, const rlxc_py *e)
{
    static const char *const names[] = {"Tensor", "Shape",    "Prim",    "Tuple",
                                        "Object", "Callable", "DTensor", "Any"};
    const char *name = type_name(p, e);
    rlx_dtype dtype;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return typed_variable(p, e) ||
           (e->kind == RLXC_PY_ATTR && rlxc_parse_scalar_type(p, e, &dtype));
}

static const rlxc_sinfo *parse_type(rlxc_parser *p, const rlxc_py *e)
{
    const char *name = type_name(p, e);
    rlx_dtype dtype;
    rlxc_py subscript; /* R.Tensor[(n, 4), "float32"] reads as a call */
    const rlxc_py *call = e->kind == RLXC_PY_CALL ? e : NULL;
    if (e->kind == RLXC_PY_NONE)
        return rlxc_sinfo_tuple(p->ctx, NULL, 0);
    if (rlxc_parse_scalar_type(p, e, &dtype))
        return rlxc_sinfo_prim(p->ctx, dtype, NULL);
    if (e->kind == RLXC_PY_INDEX && name) {
        subscript = *e;
        bool one = e->a->kind != RLXC_PY_TUPLE || e->a->range.col != e->base->range.end_col;
        subscript.items = one ? &e->a : e->a->items;
        subscript.n = one ? 1 : e->a->n;
        call = &subscript;
    }
    if (name && strcmp(name, "Tensor") == 0)
        return parse_tensor(p, e, call);
    if (name && strcmp(name, "Shape") == 0)
        return parse_shape_type(p, e, call);
    if (name && strcmp(name, "Prim") == 0)
        return parse_prim_type(p, e, call);
    if (name && strcmp(name, "Tuple") == 0)
        return parse_tuple(p, call);
    if (name && (strcmp(name, "Object") == 0 || strcmp(name, "Any") == 0))
        return rlxc_sinfo_object(p->ctx);
    if (name && strcmp(name, "Callable") == 0)
        return parse_callable(p, e, call);
    const rlxc_rvar *var = typed_variable(p, e);
    if (var)
        return type_of_variable(p, e, var);
    rlxc_error(p->ctx, e->range, "expected a type such as R.Tensor((n, 4), \"float32\"), got %s",
               rlxc_py_describe(p->ctx, e));
    return NULL;
}

const rlxc_sinfo *rlxc_parse_sinfo(rlxc_parser *p, const rlxc_py *e)
{
    if (!rlxc_parse_enter(p, e->range))
        return NULL;
    const rlxc_sinfo *s = parse_type(p, e);
    rlxc_parse_leave(p);
    return s;
}

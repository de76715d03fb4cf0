/* Calls in Relax: operators by their table, the call_tir family in the three dialects, packed and
 * global functions, match_cast. Arguments are read by parse_args.c and parse_value.c. */
#include <string.h>

#include "compiler/script/parse.h"

static const rlxc_py *sinfo_keyword(const rlxc_py *call)
{
    static const char *const names[] = {"sinfo_args", "ty_args", "type_args", "out_sinfo",
                                        "out_ty"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const rlxc_py *value = rlxc_py_keyword(call, names[i]);
        if (value)
            return value;
    }
    return NULL;
}

/* The form in which LowerRuntimeBuiltin leaves R.memory.view(x, shape, dtype, offset); NULL if it
 * is not that. */
static const rlxc_operator *lowered_view(rlxc_atom callee, uint32_t n)
{
    bool is_view = callee.kind == RLXC_ATOM_EXTERN && n == 4 &&
                   (strcmp(callee.text, "runtime.TVMTensorCreateView") == 0 ||
                    strcmp(callee.text, "runtime.TVMArrayCreateView") == 0);
    return is_view ? rlxc_find_operator("memory.view", strlen("memory.view")) : NULL;
}

/* callee(args, sinfo_args=...): the first |skip| positional arguments are not passed on. */
static rlxc_binding *call_of(rlxc_parser *p, const rlxc_py *call, rlxc_atom callee, uint32_t skip)
{
    const rlxc_py *sinfo = sinfo_keyword(call);
    bool packed = callee.kind == RLXC_ATOM_EXTERN && rlxc_py_keyword(call, "attrs_type_key");
    p->legacy |= packed || rlxc_py_keyword(call, "type_args") != NULL;
    if (!packed && call->n_keywords > (sinfo ? 1U : 0U)) {
        rlxc_error(p->ctx, call->range, "calls of functions take sinfo_args= and no other keyword");
        return NULL;
    }
    uint32_t n = call->n - skip;
    const rlxc_operator *view = lowered_view(callee, n);
    if (view) {
        rlxc_py plain = *call;
        plain.items = call->items + skip;
        plain.n = n;
        plain.n_keywords = 0;
        return rlxc_parse_operator(p, view, &plain);
    }
    const rlxc_py **items = rlxc_try_alloc(p->ctx, (size_t)n + call->n_keywords + 1, sizeof *items);
    for (uint32_t i = 0; items && i < n; i++)
        items[i] = call->items[skip + i];
    for (uint32_t i = 0; items && packed && i < call->n_keywords; i++)
        if (call->keywords[i] != sinfo && strcmp(call->keyword_names[i], "attrs_type_key") != 0)
            items[n++] = call->keywords[i]; /* 2022: attributes follow the arguments */
    rlxc_atom *args = items ? rlxc_parse_atoms(p, items, n) : NULL;
    if (!args)
        return NULL;
    rlxc_binding *b = rlxc_parse_new_binding(p, RLXC_FORM_CALL, call->range, args, n);
    b->callee = callee;
    return !sinfo || rlxc_parse_sinfo_args(p, sinfo, b) ? b : NULL;
}

/* call_packed, call_pure_packed, call_inplace_packed. The last is pure except for the arguments
 * named by |inplace|, which is then not NULL: they are written and become results. */
static rlxc_binding *call_packed(rlxc_parser *p, const rlxc_py *call, bool pure,
                                 const rlxc_py *inplace)
{
    if (call->n == 0 || call->items[0]->kind != RLXC_PY_STRING) {
        rlxc_error(p->ctx, call->range, "%s needs the function's name in quotes first",
                   rlxc_py_describe(p->ctx, call));
        return NULL;
    }
    const rlxc_py *name = call->items[0];
    rlxc_atom callee = rlxc_atom_extern(p->ctx, rlxc_intern(p->ctx, name->text, name->length));
    rlxc_binding *b = call_of(p, call, callee, 1);
    rlxc_attr indices;
    if (b && inplace && rlxc_parse_attr(p, inplace, &indices))
        b->attrs =
            rlxc_attrs_with(p->ctx, b->attrs, rlxc_intern_cstr(p->ctx, "inplace_indices"), indices);
    if (b && pure)
        b->attrs = rlxc_attrs_with(p->ctx, b->attrs, rlxc_intern_cstr(p->ctx, "pure"),
                                   rlxc_attr_bool(true));
    return b;
}

/* Removes the keyword argument |value| from |call|. */
static bool drop_keyword(rlxc_parser *p, rlxc_py *call, const rlxc_py *value)
{
    const rlxc_py **keywords = rlxc_try_alloc(p->ctx, call->n_keywords + 1, sizeof *keywords);
    const char **names = rlxc_try_alloc(p->ctx, call->n_keywords + 1, sizeof *names);
    uint32_t n = 0;
    if (!keywords || !names)
        return false;
    for (uint32_t i = 0; i < call->n_keywords; i++)
        if (call->keywords[i] != value) {
            keywords[n] = call->keywords[i];
            names[n++] = call->keyword_names[i];
        }
    call->keywords = keywords;
    call->keyword_names = names;
    call->n_keywords = n;
    return true;
}

static rlxc_binding *call_inplace_packed(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_py *inplace = rlxc_py_keyword(call, "inplace_indices");
    rlxc_py plain = *call;
    if (!inplace) {
        rlxc_error(p->ctx, call->range,
                   "R.call_inplace_packed: argument 'inplace_indices' is missing");
        return NULL;
    }
    return drop_keyword(p, &plain, inplace) ? call_packed(p, &plain, true, inplace) : NULL;
}

/* 2022: call_tir(f, args, (n, m), dtype="float32"), or tuples of both for several outputs. */
static const rlxc_sinfo *legacy_output(rlxc_parser *p, const rlxc_py *shape, const rlxc_py *dtype)
{
    const rlxc_sinfo *fields[64];
    bool many = rlxc_py_is_list(shape) && shape->n > 0 && rlxc_py_is_list(shape->items[0]);
    uint32_t n = many ? shape->n : 1;
    if (n > 64 || (dtype && rlxc_py_is_list(dtype) && dtype->n != n)) {
        rlxc_error(p->ctx, shape->range, "output shapes and types differ in number");
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *const *dims;
        uint32_t ndim;
        rlx_dtype t = rlxc_dtype_void();
        const rlxc_py *type = dtype && rlxc_py_is_list(dtype) ? dtype->items[i] : dtype;
        if ((type && !rlxc_parse_dtype(p, type, &t)) ||
            !rlxc_parse_dims(p, many ? shape->items[i] : shape, &dims, &ndim) ||
            !rlxc_parse_check_sizes(p, many ? shape->items[i] : shape, dims, ndim))
            return NULL;
        fields[i] = rlxc_sinfo_tensor(p->ctx, t, (int32_t)ndim, dims, NULL);
    }
    return many ? rlxc_sinfo_tuple(p->ctx, fields, n) : fields[0];
}

/* The family of call_tir: a callee, a tuple of arguments, output types, further arguments. */
static rlxc_binding *call_tir(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    static const char *const allowed[] = {
        "out_sinfo",       "out_ty", "tir_vars",     "dtype",        "shape",
        "inplace_indices", "args",   "output_shape", "te_grad_name", "te_grad_kwargs"};
    bool inplace = strcmp(name, "call_tir_inplace") == 0;
    rlxc_py named = {.kind = RLXC_PY_CALL, .range = call->range, .base = call->base};
    const rlxc_py *out = sinfo_keyword(call), *vars = rlxc_py_keyword(call, "tir_vars");
    const rlxc_py *dtype = rlxc_py_keyword(call, "dtype");
    const rlxc_py *indices = rlxc_py_keyword(call, "inplace_indices");
    const rlxc_py *args = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "args");
    const rlxc_py *shape = rlxc_py_keyword(call, "shape");
    if (!shape)
        shape = rlxc_py_keyword(call, "output_shape");
    for (uint32_t i = 0; i < call->n_keywords; i++) {
        bool known = false;
        for (size_t j = 0; j < sizeof allowed / sizeof *allowed; j++)
            known |= strcmp(allowed[j], call->keyword_names[i]) == 0;
        if (!known) {
            rlxc_error(p->ctx, call->keywords[i]->range, "R.%s has no argument '%s'", name,
                       call->keyword_names[i]);
            return NULL;
        }
    }
    uint32_t at = 2;
    if (inplace && at < call->n && !rlxc_parse_is_sinfo(p, call->items[at]))
        indices = call->items[at++];
    if (!out && !shape && at < call->n) {
        const rlxc_py *e = call->items[at++];
        const rlxc_py *first = rlxc_py_is_list(e) && e->n > 0 ? e->items[0] : e;
        if (rlxc_parse_is_sinfo(p, first))
            out = e;
        else
            shape = e;
    }
    if (at < call->n && !dtype && shape && call->items[at]->kind == RLXC_PY_STRING)
        dtype = call->items[at++];
    if (at < call->n && !vars)
        vars = call->items[at++];
    if (at < call->n || call->n == 0 || !args || (!out && !shape)) {
        rlxc_error(p->ctx, call->range, "R.%s takes a function, a tuple of arguments and %s", name,
                   "out_sinfo= (the type of the output)");
        return NULL;
    }
    if (call->items[0]->kind == RLXC_PY_STRING && !inplace)
        name = "call_dps_packed";
    /* rebuilt with plain names, so that the operator's schema applies */
    const rlxc_py *items[2] = {call->items[0], args}, *keywords[2];
    const char *names[2];
    named.items = items;
    named.n = 2;
    named.keywords = keywords;
    named.keyword_names = names;
    if (vars) {
        names[named.n_keywords] = "tir_vars";
        keywords[named.n_keywords++] = vars;
    }
    if (indices) {
        names[named.n_keywords] = "inplace_indices";
        keywords[named.n_keywords++] = indices;
    }
    const rlxc_operator *op = rlxc_find_operator(name, strlen(name));
    if (!op) {
        rlxc_error(p->ctx, call->range, "operator R.%s is not supported", name);
        return NULL;
    }
    rlxc_binding *b = rlxc_parse_operator(p, op, &named);
    if (!b)
        return NULL;
    if (out)
        return rlxc_parse_sinfo_args(p, out, b) ? b : NULL;
    const rlxc_sinfo *s = legacy_output(p, shape, dtype);
    b->sinfo_args = rlxc_copy(p->ctx, &s, sizeof s);
    b->n_sinfo_args = 1;
    return s ? b : NULL;
}

static rlxc_binding *match_cast(rlxc_parser *p, const rlxc_py *call)
{
    rlxc_atom value;
    const rlxc_py *type = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "struct_info");
    if (!type)
        type = rlxc_py_keyword(call, "ty");
    if (call->n < 1 || call->n > 2 || !type) {
        rlxc_error(p->ctx, call->range, "R.match_cast takes a value and a type");
        return NULL;
    }
    if (!rlxc_parse_atom(p, call->items[0], &value))
        return NULL;
    const rlxc_sinfo *s = rlxc_parse_sinfo(p, type);
    if (!s)
        return NULL;
    rlxc_binding *b = rlxc_parse_new_binding(p, RLXC_FORM_MATCH_CAST, call->range, &value, 1);
    b->sinfo_args = rlxc_copy(p->ctx, &s, sizeof s);
    b->n_sinfo_args = 1;
    return b;
}

/* 2022: match_shape(x, (n, m)) of a tensor or a shape. */
static rlxc_binding *match_shape(rlxc_parser *p, const rlxc_py *call)
{
    rlxc_atom value;
    const rlxc_expr *const *dims;
    uint32_t n;
    p->legacy = true;
    if (call->n != 2 || call->n_keywords > 0) {
        rlxc_error(p->ctx, call->range, "R.match_shape takes a value and a shape");
        return NULL;
    }
    if (!rlxc_parse_atom(p, call->items[0], &value))
        return NULL;
    bool declare = p->declare;
    p->declare = true;
    bool ok = rlxc_parse_dims(p, call->items[1], &dims, &n);
    p->declare = declare;
    if (!ok)
        return NULL;
    rlx_dtype t = rlxc_parse_atom_dtype(p, value);
    if (!rlxc_parse_is_shape(t) && !rlxc_parse_check_sizes(p, call->items[1], dims, n))
        return NULL;
    const rlxc_sinfo *s = rlxc_parse_is_shape(t)
                              ? rlxc_sinfo_shape(p->ctx, (int32_t)n, dims)
                              : rlxc_sinfo_tensor(p->ctx, t, (int32_t)n, dims, NULL);
    rlxc_binding *b = rlxc_parse_new_binding(p, RLXC_FORM_MATCH_CAST, call->range, &value, 1);
    b->sinfo_args = rlxc_copy(p->ctx, &s, sizeof s);
    b->n_sinfo_args = 1;
    return b;
}

/* R.nn.attention(query, key, value, bias, scale, ...): with a bias it is another operator. */
static rlxc_binding *call_attention(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_py *bias = call->n > 3 ? call->items[3] : rlxc_py_keyword(call, "bias");
    const bool none = bias && bias->kind == RLXC_PY_NONE;
    const char *name = bias && !none ? "nn.attention_bias" : "nn.attention";
    const rlxc_py *items[6];
    rlxc_py plain = *call;
    if (none && call->n > 3 && call->n <= 7) {
        memcpy(items, call->items, 3 * sizeof *items);
        memcpy(items + 3, call->items + 4, (call->n - 4) * sizeof *items);
        plain.items = items;
        plain.n--;
    } else if (none && !drop_keyword(p, &plain, bias)) {
        return NULL;
    }
    return rlxc_parse_operator(p, rlxc_find_operator(name, strlen(name)), &plain);
}

static rlxc_binding *call_relax(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    if (strcmp(name, "call_packed") == 0)
        return call_packed(p, call, false, NULL);
    if (strcmp(name, "call_pure_packed") == 0)
        return call_packed(p, call, true, NULL);
    if (strcmp(name, "call_inplace_packed") == 0)
        return call_inplace_packed(p, call);
    if (strcmp(name, "call_tir") == 0 || strcmp(name, "call_tir_inplace") == 0 ||
        strcmp(name, "call_dps_packed") == 0)
        return call_tir(p, call, name);
    if (strcmp(name, "call_tir_with_grad") == 0) /* the gradient is for training */
        return call_tir(p, call, "call_tir");
    if (strcmp(name, "match_cast") == 0)
        return match_cast(p, call);
    if (strcmp(name, "match_shape") == 0)
        return match_shape(p, call);
    if (strcmp(name, "nn.attention") == 0)
        return call_attention(p, call);
    size_t length = strlen(name);
    const rlxc_operator *op = rlxc_find_operator(name, length);
    if (op)
        return rlxc_parse_operator(p, op, call);
    const char *near = rlxc_suggest_operator(name, length);
    if (near)
        rlxc_error(p->ctx, call->base->range, "operator R.%s is not supported; did you mean R.%s?",
                   name, near);
    else
        rlxc_error(p->ctx, call->base->range, "operator R.%s is not supported", name);
    return NULL;
}

bool rlxc_parse_extern(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    if (e->kind != RLXC_PY_CALL || !rlxc_parse_path_is(p, e->base, "R.ExternFunc"))
        return false;
    const rlxc_py *name = e->n > 0 ? e->items[0] : rlxc_py_keyword(e, "global_symbol");
    if (!name || name->kind != RLXC_PY_STRING)
        return false;
    *out = rlxc_atom_extern(p->ctx, rlxc_intern(p->ctx, name->text, name->length));
    return true;
}

static const rlxc_name *relax_name(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_name *name = e->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->text) : NULL;
    return name && name->kind == RLXC_NAME_RVAR ? name : NULL;
}

/* x.astype("float16"): the methods of TVM's expressions. */
static rlxc_binding *call_method(rlxc_parser *p, const rlxc_py *call)
{
    const rlxc_operator *op = rlxc_find_operator("astype", 6);
    const rlxc_py *items[2] = {call->base->base, call->n == 1 ? call->items[0] : NULL};
    if (strcmp(call->base->text, "astype") != 0 || call->n != 1 || !op) {
        rlxc_error(p->ctx, call->range, "values have no method '%s'", call->base->text);
        return NULL;
    }
    rlxc_py plain = *call;
    plain.items = items;
    plain.n = 2;
    return rlxc_parse_operator(p, op, &plain);
}

rlxc_binding *rlxc_parse_call(rlxc_parser *p, const rlxc_py *call)
{
    rlxc_atom callee;
    const char *path = rlxc_parse_path(p, call->base);
    if (path && path[0] == 'R' && path[1] == '.')
        return call_relax(p, call, path + 2);
    const char *global = rlxc_parse_global(p, call->base);
    if (global)
        return call_of(p, call, rlxc_parse_global_atom(p, global, call->base->range), 0);
    const rlxc_name *name = relax_name(p, call->base);
    if (name)
        return call_of(p, call, rlxc_atom_var(name->rvar), 0);
    if (rlxc_parse_extern(p, call->base, &callee))
        return call_of(p, call, callee, 0);
    if (call->base->kind == RLXC_PY_ATTR && relax_name(p, call->base->base))
        return call_method(p, call);
    if (rlxc_parse_is_broken(p, call->base))
        return NULL;
    if (call->base->kind == RLXC_PY_INDEX || call->base->kind == RLXC_PY_CALL) { /* fs[0](x) */
        if (!rlxc_parse_atom(p, call->base, &callee))
            return NULL;
        if (callee.kind == RLXC_ATOM_VAR || callee.kind == RLXC_ATOM_GLOBAL)
            return call_of(p, call, callee, 0);
    }
    if (call->base->kind == RLXC_PY_NAME && !rlxc_names_find(&p->names, call->base->text))
        rlxc_error(p->ctx, call->base->range, "'%s' is not defined", call->base->text);
    else
        rlxc_error(p->ctx, call->base->range, "%s cannot be called",
                   rlxc_py_describe(p->ctx, call->base));
    return NULL;
}

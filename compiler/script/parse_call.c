/* Relax values: atoms, and the right sides of bindings. Nested calls are bound to fresh variables
 * in evaluation order, so the result is in A-normal form. */
#include <string.h>

#include "compiler/script/parse.h"

/* Marks a variable that holds a shape in the table of element types. */
static const rlx_dtype shape_marker = {0xff, 0, 1};

/* --- element types, as far as the parser needs them ------------------------------------------ */

void rlxc_parse_set_dtype(rlxc_parser *p, const rlxc_rvar *var, rlx_dtype dtype)
{
    if (rlxc_dtype_is_void(dtype))
        return;
    while (p->dtypes.count <= var->id) {
        uint32_t before = p->dtypes.count;
        RLXC_PUSH(p->ctx, &p->dtypes, 0);
        if (p->dtypes.count == before)
            return;
    }
    p->dtypes.items[var->id] =
        (uint32_t)dtype.code << 24 | (uint32_t)dtype.bits << 16 | dtype.lanes;
}

static rlx_dtype sinfo_dtype(const rlxc_sinfo *s)
{
    if (s && s->kind == RLXC_SINFO_TENSOR)
        return s->dtype;
    return s && s->kind == RLXC_SINFO_SHAPE ? shape_marker : rlxc_dtype_void();
}

rlx_dtype rlxc_parse_atom_dtype(rlxc_parser *p, rlxc_atom atom)
{
    if (atom.kind == RLXC_ATOM_CONSTANT)
        return atom.constant->dtype;
    if (atom.kind != RLXC_ATOM_VAR)
        return atom.kind == RLXC_ATOM_SHAPE ? shape_marker : rlxc_dtype_void();
    const rlxc_sinfo *s = atom.var->annotation ? atom.var->annotation : atom.var->sinfo;
    rlx_dtype t = sinfo_dtype(s);
    if (rlxc_dtype_is_void(t) && atom.var->id < p->dtypes.count && p->dtypes.items[atom.var->id]) {
        uint32_t packed = p->dtypes.items[atom.var->id];
        t = (rlx_dtype){(uint8_t)(packed >> 24), (uint8_t)(packed >> 16), (uint16_t)packed};
    }
    return t;
}

rlx_dtype rlxc_parse_result_dtype(rlxc_parser *p, const rlxc_binding *b)
{
    static const char *const tests[] = {"equal",       "not_equal",     "less",        "less_equal",
                                        "greater",     "greater_equal", "logical_and", "logical_or",
                                        "logical_xor", "logical_not",   "isnan",       "isinf",
                                        "isfinite"};
    static const char *const indices[] = {"argmax", "argmin", "nonzero"};
    if (b->form == RLXC_FORM_COPY)
        return rlxc_parse_atom_dtype(p, b->args[0]);
    if (b->n_sinfo_args > 0)
        return sinfo_dtype(b->sinfo_args[0]);
    if (!b->op)
        return rlxc_dtype_void();
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(b->op->name, tests[i]) == 0)
            return RLX_B8;
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        if (strcmp(b->op->name, indices[i]) == 0)
            return RLX_I64;
    if (strcmp(b->op->name, "shape_of") == 0 || strcmp(b->op->name, "tensor_to_shape") == 0)
        return shape_marker;
    rlx_dtype t = rlxc_attr_get_dtype(b, "dtype");
    if (rlxc_dtype_is_void(t))
        t = rlxc_attr_get_dtype(b, "out_dtype");
    for (uint32_t i = 0; i < b->n_args && rlxc_dtype_is_void(t); i++) {
        rlxc_atom arg = b->args[i];
        t = rlxc_parse_atom_dtype(p, arg.kind == RLXC_ATOM_TUPLE && arg.n > 0 ? arg.items[0] : arg);
        if (rlx_dtype_eq(t, shape_marker) ||
            (i == 0 && b->n_args > 1 && rlxc_dtype_is_bool(t) && b->op->name[0] == 'w'))
            t = rlxc_dtype_void();
    }
    return t;
}

/* --- bindings -------------------------------------------------------------------------------- */

void rlxc_parse_emit(rlxc_parser *p, rlxc_binding *binding, const char *name)
{
    if (!binding->var) {
        binding->var = rlxc_rvar_new(p->ctx, p->function, name, NULL);
        binding->var->range = binding->range;
    }
    binding->var->is_dataflow = p->dataflow;
    rlxc_parse_set_dtype(p, binding->var, rlxc_parse_result_dtype(p, binding));
    if (binding->form == RLXC_FORM_MATCH_CAST)
        binding->var->sinfo = binding->sinfo_args[0];
    if (!p->block || p->block->is_dataflow != p->dataflow) {
        p->block = rlxc_block_new(p->ctx, p->dataflow);
        rlxc_body_push(p->ctx, p->body, p->block);
    }
    rlxc_block_push(p->ctx, p->block, binding);
}

static rlxc_binding *new_binding(rlxc_parser *p, rlxc_form form, rlxc_range range,
                                 const rlxc_atom *args, uint32_t n)
{
    rlxc_binding *b = rlxc_binding_new(p->ctx, form, NULL);
    b->range = range;
    b->args = rlxc_copy(p->ctx, args, n * sizeof *args);
    b->n_args = n;
    return b;
}

static bool is_list(const rlxc_py *e)
{
    return e->kind == RLXC_PY_TUPLE || e->kind == RLXC_PY_LIST;
}

/* Atoms of all |items|; NULL after an error. */
static rlxc_atom *parse_atoms(rlxc_parser *p, const rlxc_py *const *items, uint32_t n)
{
    rlxc_atom *atoms = rlxc_try_alloc(p->ctx, (size_t)n + 1, sizeof *atoms);
    for (uint32_t i = 0; atoms && i < n; i++)
        if (!rlxc_parse_atom(p, items[i], &atoms[i]))
            return NULL;
    return atoms;
}

bool rlxc_parse_tuple_atom(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    bool list = is_list(e);
    if (!rlxc_parse_enter(p, e->range))
        return false;
    rlxc_atom *items = parse_atoms(p, list ? e->items : &e, list ? e->n : 1);
    rlxc_parse_leave(p);
    if (!items)
        return false;
    if (!list && items[0].kind == RLXC_ATOM_TUPLE)
        *out = items[0];
    else
        *out = rlxc_atom_tuple(p->ctx, items, list ? e->n : 1);
    return true;
}

/* --- calls ----------------------------------------------------------------------------------- */

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

/* callee(args, sinfo_args=...): the first |skip| positional arguments are not passed on. */
static rlxc_binding *call_of(rlxc_parser *p, const rlxc_py *call, rlxc_atom callee, uint32_t skip)
{
    const rlxc_py *sinfo = sinfo_keyword(call);
    p->legacy |= rlxc_py_keyword(call, "type_args") != NULL;
    if (call->n_keywords > (sinfo ? 1U : 0U)) {
        rlxc_error(p->ctx, call->range, "calls of functions take sinfo_args= and no other keyword");
        return NULL;
    }
    rlxc_atom *args = parse_atoms(p, skip ? call->items + skip : call->items, call->n - skip);
    if (!args)
        return NULL;
    rlxc_binding *b = new_binding(p, RLXC_FORM_CALL, call->range, args, call->n - skip);
    b->callee = callee;
    return !sinfo || rlxc_parse_sinfo_args(p, sinfo, b) ? b : NULL;
}

static rlxc_binding *call_packed(rlxc_parser *p, const rlxc_py *call, bool pure)
{
    if (call->n == 0 || call->items[0]->kind != RLXC_PY_STRING) {
        rlxc_error(p->ctx, call->range, "%s needs the function's name in quotes first",
                   rlxc_py_describe(p->ctx, call));
        return NULL;
    }
    const rlxc_py *name = call->items[0];
    rlxc_atom callee = rlxc_atom_extern(p->ctx, rlxc_intern(p->ctx, name->text, name->length));
    rlxc_binding *b = call_of(p, call, callee, 1);
    if (b && pure)
        b->attrs = rlxc_attrs_with(p->ctx, b->attrs, rlxc_intern_cstr(p->ctx, "pure"),
                                   rlxc_attr_bool(true));
    return b;
}

/* 2022: call_tir(f, args, (n, m), dtype="float32"), or tuples of both for several outputs. */
static const rlxc_sinfo *legacy_output(rlxc_parser *p, const rlxc_py *shape, const rlxc_py *dtype)
{
    const rlxc_sinfo *fields[64];
    bool many = is_list(shape) && shape->n > 0 && is_list(shape->items[0]);
    uint32_t n = many ? shape->n : 1;
    if (n > 64 || (dtype && is_list(dtype) && dtype->n != n)) {
        rlxc_error(p->ctx, shape->range, "output shapes and types do not correspond");
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_expr *const *dims;
        uint32_t ndim;
        rlx_dtype t = rlxc_dtype_void();
        const rlxc_py *type = dtype && is_list(dtype) ? dtype->items[i] : dtype;
        if ((type && !rlxc_parse_dtype(p, type, &t)) ||
            !rlxc_parse_dims(p, many ? shape->items[i] : shape, &dims, &ndim))
            return NULL;
        fields[i] = rlxc_sinfo_tensor(p->ctx, t, (int32_t)ndim, dims, NULL);
    }
    return many ? rlxc_sinfo_tuple(p->ctx, fields, n) : fields[0];
}

/* The family of call_tir: a callee, a tuple of arguments, output types, further arguments. */
static rlxc_binding *call_tir(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    static const char *const allowed[] = {"out_sinfo", "out_ty",      "tir_vars",
                                          "dtype",     "shape",       "inplace_indices",
                                          "args",      "output_shape"};
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
        const rlxc_py *first = is_list(e) && e->n > 0 ? e->items[0] : e;
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
    /* rebuilt with plain names so that the operator's schema does the rest */
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
    rlxc_binding *b = new_binding(p, RLXC_FORM_MATCH_CAST, call->range, &value, 1);
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
    const rlxc_sinfo *s = rlx_dtype_eq(t, shape_marker)
                              ? rlxc_sinfo_shape(p->ctx, (int32_t)n, dims)
                              : rlxc_sinfo_tensor(p->ctx, t, (int32_t)n, dims, NULL);
    rlxc_binding *b = new_binding(p, RLXC_FORM_MATCH_CAST, call->range, &value, 1);
    b->sinfo_args = rlxc_copy(p->ctx, &s, sizeof s);
    b->n_sinfo_args = 1;
    return b;
}

static rlxc_binding *call_relax(rlxc_parser *p, const rlxc_py *call, const char *name)
{
    if (strcmp(name, "call_packed") == 0)
        return call_packed(p, call, false);
    if (strcmp(name, "call_pure_packed") == 0)
        return call_packed(p, call, true);
    if (strcmp(name, "call_tir") == 0 || strcmp(name, "call_tir_inplace") == 0 ||
        strcmp(name, "call_dps_packed") == 0)
        return call_tir(p, call, name);
    if (strcmp(name, "match_cast") == 0)
        return match_cast(p, call);
    if (strcmp(name, "match_shape") == 0)
        return match_shape(p, call);
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

static bool extern_name(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
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

/* x.astype("float16"): the methods that TVM gives its expressions. */
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
    if (global) {
        rlxc_parse_use_global(p, global, call->base->range);
        return call_of(p, call, rlxc_atom_global(p->ctx, global), 0);
    }
    const rlxc_name *name = relax_name(p, call->base);
    if (name)
        return call_of(p, call, rlxc_atom_var(name->rvar), 0);
    if (extern_name(p, call->base, &callee))
        return call_of(p, call, callee, 0);
    if (call->base->kind == RLXC_PY_ATTR && relax_name(p, call->base->base))
        return call_method(p, call);
    if (rlxc_parse_is_broken(p, call->base))
        return NULL;
    if (call->base->kind == RLXC_PY_NAME && !rlxc_names_find(&p->names, call->base->text))
        rlxc_error(p->ctx, call->base->range, "'%s' is not defined", call->base->text);
    else
        rlxc_error(p->ctx, call->base->range, "%s cannot be called",
                   rlxc_py_describe(p->ctx, call->base));
    return NULL;
}

/* --- operators of Python --------------------------------------------------------------------- */

static const char *operator_name(uint32_t op)
{
    static const struct {
        uint32_t op;
        const char *name;
    } names[] = {{RLXC_OP1('+'), "add"},
                 {RLXC_OP1('-'), "subtract"},
                 {RLXC_OP1('*'), "multiply"},
                 {RLXC_OP1('/'), "divide"},
                 {RLXC_OP2('/', '/'), "floor_divide"},
                 {RLXC_OP1('%'), "mod"},
                 {RLXC_OP2('*', '*'), "power"},
                 {RLXC_OP1('@'), "matmul"},
                 {RLXC_OP1('<'), "less"},
                 {RLXC_OP2('<', '='), "less_equal"},
                 {RLXC_OP1('>'), "greater"},
                 {RLXC_OP2('>', '='), "greater_equal"},
                 {RLXC_OP2('=', '='), "equal"},
                 {RLXC_OP2('!', '='), "not_equal"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].op == op)
            return names[i].name;
    return NULL;
}

/* One side of x + 1: numbers become constants of the other side's type. */
static bool operand(rlxc_parser *p, const rlxc_py *e, rlx_dtype dtype, rlxc_atom *out)
{
    if (!rlxc_parse_is_number(p, e))
        return rlxc_parse_atom(p, e, out);
    if (rlxc_dtype_is_void(dtype) || dtype.code == shape_marker.code)
        dtype = e->kind == RLXC_PY_FLOAT ? RLX_F32 : RLX_I64;
    const rlxc_constant *c = rlxc_parse_scalar(p, e, dtype);
    if (c)
        *out = rlxc_atom_constant(c);
    return c != NULL;
}

static rlxc_binding *parse_operator(rlxc_parser *p, const rlxc_py *e)
{
    rlxc_atom args[2];
    if (e->kind == RLXC_PY_UNARY) {
        if (e->op != RLXC_OP1('-')) {
            rlxc_error(p->ctx, e->range, "this operator is not supported on tensors");
            return NULL;
        }
        return rlxc_parse_atom(p, e->a, &args[0])
                   ? rlxc_parse_operator_atoms(p, "negative", e->range, args, 1)
                   : NULL;
    }
    const char *name = operator_name(e->op);
    if (!name) {
        rlxc_error(p->ctx, e->range, "this operator is not supported on tensors");
        return NULL;
    }
    bool left_first = !rlxc_parse_is_number(p, e->a);
    uint32_t first = left_first ? 0 : 1;
    const rlxc_py *sides[2] = {e->a, e->b};
    if (!operand(p, sides[first], rlxc_dtype_void(), &args[first]) ||
        !operand(p, sides[1 - first], rlxc_parse_atom_dtype(p, args[first]), &args[1 - first]))
        return NULL;
    return rlxc_parse_operator_atoms(p, name, e->range, args, 2);
}

/* --- values ---------------------------------------------------------------------------------- */

/* metadata["relax.expr.Constant"][3] */
static bool is_metadata(rlxc_parser *p, const rlxc_py *e)
{
    if (e->kind != RLXC_PY_INDEX || e->base->kind != RLXC_PY_INDEX ||
        e->base->base->kind != RLXC_PY_NAME)
        return false;
    const rlxc_name *name = rlxc_names_find(&p->names, e->base->base->text);
    return name && name->kind == RLXC_NAME_METADATA;
}

static bool metadata_item(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    const rlxc_py *kind = e->base->a;
    if (kind->kind != RLXC_PY_STRING || strcmp(kind->text, "relax.expr.Constant") != 0) {
        rlxc_error(p->ctx, kind->range,
                   "metadata of %s is not supported, only \"relax.expr.Constant\"",
                   rlxc_py_describe(p->ctx, kind));
        return false;
    }
    if (e->a->kind != RLXC_PY_INT || e->a->i < 0 || e->a->i >= p->metadata.count) {
        rlxc_error(p->ctx, e->a->range, "metadata holds %u constants, got index %s",
                   p->metadata.count, rlxc_py_describe(p->ctx, e->a));
        return false;
    }
    *out = rlxc_atom_constant(p->metadata.items[e->a->i]);
    return true;
}

static bool tuple_get(rlxc_parser *p, const rlxc_py *e, rlxc_binding **out)
{
    rlxc_atom tuple;
    if (!rlxc_parse_atom(p, e->base, &tuple))
        return false;
    if (e->a->kind != RLXC_PY_INT || e->a->i < 0 || e->a->i > INT32_MAX) {
        rlxc_error(p->ctx, e->a->range, "the index of a tuple must be a constant integer");
        return false;
    }
    *out = new_binding(p, RLXC_FORM_TUPLE_GET, e->range, &tuple, 1);
    (*out)->index = (uint32_t)e->a->i;
    return true;
}

static bool prim_atom(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    const rlxc_expr *value =
        e->kind == RLXC_PY_FLOAT ? rlxc_float(p->ctx, RLX_F64, e->f) : rlxc_parse_prim(p, e);
    if (value)
        *out = rlxc_atom_prim(value);
    return value != NULL;
}

/* R.const, R.shape, ...: calls that are values already. |out_known| false: something else. */
static bool literal_call(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out, bool *out_known)
{
    const char *path = rlxc_parse_path(p, e->base);
    const rlxc_expr *const *dims;
    uint32_t n;
    rlx_dtype dtype;
    *out_known = true;
    if (extern_name(p, e, out))
        return true;
    if (path && path[0] == 'T')
        return prim_atom(p, e, out);
    if (e->base->dotted && strcmp(e->base->dotted, "float") == 0)
        return prim_atom(p, e, out);
    if (path && strcmp(path, "R.const") == 0) {
        const rlxc_constant *c = rlxc_parse_const(p, e);
        if (c)
            *out = rlxc_atom_constant(c);
        return c != NULL;
    }
    bool one = path && e->n == 1 && e->n_keywords == 0;
    if (one && strcmp(path, "R.shape") == 0) {
        if (!rlxc_parse_dims(p, e->items[0], &dims, &n))
            return false;
        *out = rlxc_atom_shape(p->ctx, dims, n);
        return true;
    }
    if (one && strcmp(path, "R.prim_value") == 0)
        return prim_atom(p, e->items[0], out);
    if (one && strcmp(path, "R.str") == 0 && e->items[0]->kind == RLXC_PY_STRING) {
        *out =
            rlxc_atom_string(p->ctx, rlxc_intern(p->ctx, e->items[0]->text, e->items[0]->length));
        return true;
    }
    if (one && strcmp(path, "R.dtype") == 0) {
        if (!rlxc_parse_dtype(p, e->items[0], &dtype))
            return false;
        *out = rlxc_atom_dtype(dtype);
        return true;
    }
    *out_known = false;
    return true;
}

static bool named_atom(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    const rlxc_name *name = e->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->text) : NULL;
    if (name && name->kind == RLXC_NAME_RVAR) {
        *out = rlxc_atom_var(name->rvar);
        return true;
    }
    const char *global = rlxc_parse_global(p, e);
    if (global) {
        rlxc_parse_use_global(p, global, e->range);
        *out = rlxc_atom_global(p->ctx, global);
        return true;
    }
    if (rlxc_parse_is_prim(p, e))
        return prim_atom(p, e, out);
    if (rlxc_parse_is_broken(p, e))
        return false;
    if (e->kind == RLXC_PY_ATTR && e->base->kind == RLXC_PY_NAME &&
        !rlxc_names_find(&p->names, e->base->text))
        e = e->base;
    if (e->kind == RLXC_PY_NAME && !rlxc_names_find(&p->names, e->text))
        rlxc_error(p->ctx, e->range, "'%s' is not defined", e->text);
    else
        rlxc_error(p->ctx, e->range, "%s is not a value", rlxc_py_describe(p->ctx, e));
    return false;
}

static bool tuple_binding(rlxc_parser *p, const rlxc_py *const *items, uint32_t n, rlxc_range range,
                          rlxc_binding **out)
{
    rlxc_atom *atoms = parse_atoms(p, items, n);
    if (atoms)
        *out = new_binding(p, RLXC_FORM_TUPLE, range, atoms, n);
    return atoms != NULL;
}

bool rlxc_parse_rhs(rlxc_parser *p, const rlxc_py *e, rlxc_binding **out_binding,
                    rlxc_atom *out_atom)
{
    bool known;
    *out_binding = NULL;
    switch (e->kind) {
    case RLXC_PY_BOOL:
    case RLXC_PY_INT:
    case RLXC_PY_FLOAT:
        return prim_atom(p, e, out_atom);
    case RLXC_PY_STRING:
        *out_atom = rlxc_atom_string(p->ctx, rlxc_intern(p->ctx, e->text, e->length));
        return true;
    case RLXC_PY_NAME:
    case RLXC_PY_ATTR:
        return named_atom(p, e, out_atom);
    case RLXC_PY_TUPLE:
    case RLXC_PY_LIST:
        return tuple_binding(p, e->items, e->n, e->range, out_binding);
    case RLXC_PY_INDEX:
        return is_metadata(p, e) ? metadata_item(p, e, out_atom) : tuple_get(p, e, out_binding);
    case RLXC_PY_UNARY:
    case RLXC_PY_BINARY:
        if (rlxc_parse_is_prim(p, e))
            return prim_atom(p, e, out_atom);
        return (*out_binding = parse_operator(p, e)) != NULL;
    case RLXC_PY_CALL:
        if (!literal_call(p, e, out_atom, &known))
            return false;
        if (known)
            return true;
        if (rlxc_parse_path_is(p, e->base, "R.tuple") || rlxc_parse_path_is(p, e->base, "R.Tuple"))
            return tuple_binding(p, e->items, e->n, e->range, out_binding);
        return (*out_binding = rlxc_parse_call(p, e)) != NULL;
    case RLXC_PY_NONE:
    case RLXC_PY_SLICE:
    case RLXC_PY_DICT:
    case RLXC_PY_IF:
    case RLXC_PY_LAMBDA:
        break;
    }
    rlxc_error(p->ctx, e->range, "%s is not a Relax value", rlxc_py_describe(p->ctx, e));
    return false;
}

bool rlxc_parse_atom(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    rlxc_binding *binding;
    if (is_list(e))
        return rlxc_parse_tuple_atom(p, e, out);
    if (!rlxc_parse_rhs(p, e, &binding, out))
        return false;
    if (!binding)
        return true;
    if (binding->form == RLXC_FORM_TUPLE) {
        *out = rlxc_atom_tuple(p->ctx, binding->args, binding->n_args);
        return true;
    }
    rlxc_parse_emit(p, binding, p->dataflow ? "lv" : "gv");
    *out = rlxc_atom_var(binding->var);
    return true;
}

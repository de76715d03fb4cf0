/* Arguments of operators, mapped by the operator's schema: positional ones first to inputs, then to
 * attributes; keywords by name; defaults filled in. Plain numbers become constants of the other
 * operands' element type, shape literals shape values, and so on, as the input's kind requires. */
#include <string.h>

#include "compiler/script/parse.h"

typedef struct arguments {
    const rlxc_operator *op;
    rlxc_op_schema schema;
    const rlxc_py *inputs[RLXC_MAX_OP_INPUTS];
    const rlxc_py *attrs[RLXC_MAX_OP_ATTRS];
    const rlxc_py *const *rest; /* of a variadic operator, after the inputs */
    uint32_t n_rest;
    const rlxc_py *sinfo;
} arguments;

static bool is_name(const char *name, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(name, text, length) == 0;
}

static bool is_sinfo_keyword(const char *name)
{
    static const char *const names[] = {"sinfo_args", "out_sinfo", "out_ty",
                                        "ty_args",    "type_args", "out_sinfo_args"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void unknown_keyword(rlxc_parser *p, const arguments *a, const char *name, rlxc_range range)
{
    rlxc_text list = {.ctx = p->ctx};
    for (uint32_t i = 0; i < a->schema.n_inputs; i++)
        rlxc_text_printf(&list, "%s%.*s", list.length ? ", " : "",
                         (int)a->schema.inputs[i].name_length, a->schema.inputs[i].name);
    for (uint32_t i = 0; i < a->schema.n_attrs; i++)
        rlxc_text_printf(&list, "%s%.*s", list.length ? ", " : "",
                         (int)a->schema.attrs[i].name_length, a->schema.attrs[i].name);
    rlxc_error(p->ctx, range, "R.%s has no argument '%s'; it takes (%s)", a->op->name, name,
               list.length ? list.data : "");
}

static bool set(rlxc_parser *p, const arguments *a, const rlxc_py **slot, const char *name,
                size_t length, const rlxc_py *value)
{
    if (*slot) {
        rlxc_error(p->ctx, value->range, "R.%s: argument '%.*s' is given twice", a->op->name,
                   (int)length, name);
        return false;
    }
    *slot = value;
    return true;
}

/* The repeated input of a variadic operator: the rest of the positional arguments. After fixed
 * inputs it may also be one list, as in R.assert_op(c, [x, y]). */
static void set_rest(arguments *a, const rlxc_py *const *items, uint32_t n, uint32_t fixed)
{
    bool list =
        n == 1 && (items[0]->kind == RLXC_PY_LIST || items[0]->kind == RLXC_PY_TUPLE) && fixed > 0;
    a->rest = list ? items[0]->items : items;
    a->n_rest = list ? items[0]->n : n;
}

static bool sort_arguments(rlxc_parser *p, const rlxc_py *call, arguments *a)
{
    uint32_t n_inputs = a->schema.n_inputs, fixed = n_inputs - (a->schema.variadic ? 1 : 0);
    for (uint32_t i = 0; i < call->n; i++) {
        if (i < fixed) {
            a->inputs[i] = call->items[i];
        } else if (a->schema.variadic) {
            set_rest(a, call->items + fixed, call->n - fixed, fixed);
            break;
        } else if (i - n_inputs < a->schema.n_attrs) {
            a->attrs[i - n_inputs] = call->items[i];
        } else {
            rlxc_error(p->ctx, call->items[i]->range, "R.%s takes at most %u arguments, got %u",
                       a->op->name, n_inputs + a->schema.n_attrs, call->n);
            return false;
        }
    }
    for (uint32_t k = 0; k < call->n_keywords; k++) {
        const char *name = call->keyword_names[k];
        p->legacy |= strcmp(name, "type_args") == 0;
        if (strcmp(name, "dim") == 0 && strcmp(a->op->name, "unique") == 0)
            name = "axis"; /* 2022 */
        const rlxc_py *value = call->keywords[k];
        bool found = false;
        for (uint32_t i = 0; i < fixed && !found; i++)
            if ((found =
                     is_name(a->schema.inputs[i].name, a->schema.inputs[i].name_length, name)) &&
                !set(p, a, &a->inputs[i], name, strlen(name), value))
                return false;
        if (a->schema.variadic && fixed > 0 && !a->rest &&
            is_name(a->schema.inputs[fixed].name, a->schema.inputs[fixed].name_length, name)) {
            found = true;
            set_rest(a, &call->keywords[k], 1, fixed);
        }
        for (uint32_t i = 0; i < a->schema.n_attrs && !found; i++)
            if ((found = is_name(a->schema.attrs[i].name, a->schema.attrs[i].name_length, name)) &&
                !set(p, a, &a->attrs[i], name, strlen(name), value))
                return false;
        if (!found && is_sinfo_keyword(name)) {
            found = true;
            if (!set(p, a, &a->sinfo, name, strlen(name), value))
                return false;
        }
        if (!found) {
            unknown_keyword(p, a, name, value->range);
            return false;
        }
    }
    return true;
}

/* --- inputs ---------------------------------------------------------------------------------- */

static bool is_call_of(rlxc_parser *p, const rlxc_py *e, const char *path)
{
    return e->kind == RLXC_PY_CALL && rlxc_parse_path_is(p, e->base, path);
}

static bool shape_input(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    const rlxc_expr *const *dims;
    uint32_t n;
    bool list = e->kind == RLXC_PY_TUPLE || e->kind == RLXC_PY_LIST;
    if (!list && !rlxc_parse_is_prim(p, e)) {
        const bool parsed = rlxc_parse_atom(p, e, out);
        const bool is_tuple = parsed && out->kind == RLXC_ATOM_TUPLE && out->n > 0;
        if (is_tuple) /* R.Tuple([n]), which would print as a shape; R.tuple() is no shape */
            rlxc_error(p->ctx, e->range, "expected a shape, got a tuple");
        return parsed && !is_tuple;
    }
    if (!rlxc_parse_dims(p, e, &dims, &n))
        return false;
    *out = rlxc_atom_shape(p->ctx, dims, n);
    return true;
}

static bool prim_input(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    if (is_call_of(p, e, "R.prim_value") || !rlxc_parse_is_prim(p, e))
        return rlxc_parse_atom(p, e, out);
    const rlxc_expr *value = rlxc_parse_prim(p, e);
    if (!value)
        return false;
    *out = rlxc_atom_prim(value);
    return true;
}

static bool text_input(rlxc_parser *p, const rlxc_py *e, char kind, rlxc_atom *out)
{
    rlx_dtype dtype;
    if (e->kind != RLXC_PY_STRING)
        return rlxc_parse_atom(p, e, out);
    if (kind == 'q') {
        *out = rlxc_atom_string(p->ctx, rlxc_intern(p->ctx, e->text, e->length));
        return true;
    }
    if (!rlxc_parse_dtype(p, e, &dtype))
        return false;
    *out = rlxc_atom_dtype(dtype);
    return true;
}

static bool tensor_input(rlxc_parser *p, const rlxc_py *e, rlx_dtype dtype, rlxc_atom *out)
{
    if (!rlxc_parse_is_number(p, e))
        return rlxc_parse_atom(p, e, out);
    if (rlxc_dtype_is_void(dtype))
        dtype = e->kind == RLXC_PY_BOOL ? RLX_B8 : e->kind == RLXC_PY_INT ? RLX_I64 : RLX_F32;
    const rlxc_constant *c = rlxc_parse_scalar(p, e, dtype);
    if (!c)
        return false;
    *out = rlxc_atom_constant(c);
    return true;
}

static bool convert_input(rlxc_parser *p, const rlxc_py *e, char kind, rlx_dtype dtype,
                          rlxc_atom *out)
{
    switch (kind) {
    case 's':
        return shape_input(p, e, out);
    case 'p':
        return prim_input(p, e, out);
    case 'd':
    case 'q':
        return text_input(p, e, kind, out);
    case 't':
        return tensor_input(p, e, dtype, out);
    default:
        return rlxc_parse_atom(p, e, out);
    }
}

/* A tuple of inputs of one kind; a variable that holds a tuple is used directly. */
static bool tuple_input(rlxc_parser *p, const rlxc_py *e, char kind, rlxc_atom *out)
{
    bool list = e->kind == RLXC_PY_TUPLE || e->kind == RLXC_PY_LIST;
    if (!list && kind == 'p' && rlxc_parse_is_prim(p, e)) { /* axes=1 means axes=[1] */
        rlxc_atom item;
        if (!prim_input(p, e, &item))
            return false;
        *out = rlxc_atom_tuple(p->ctx, &item, 1);
        return true;
    }
    if (!list)
        return rlxc_parse_atom(p, e, out);
    rlxc_atom *items = rlxc_try_alloc(p->ctx, (size_t)e->n + 1, sizeof *items);
    if (!items)
        return false;
    rlx_dtype dtype = rlxc_dtype_void();
    for (int pass = 0; pass < 2; pass++) /* plain numbers last: they take the type of the others */
        for (uint32_t i = 0; i < e->n; i++) {
            bool number = kind == 't' && rlxc_parse_is_number(p, e->items[i]);
            if (number != (pass == 1))
                continue;
            if (!convert_input(p, e->items[i], kind, dtype, &items[i]))
                return false;
            if (rlxc_dtype_is_void(dtype))
                dtype = rlxc_parse_atom_dtype(p, items[i]);
        }
    *out = rlxc_atom_tuple(p->ctx, items, e->n);
    return true;
}

/* The callee of the call_tir family: a name in quotes is an external function. */
static bool callee_input(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    if (e->kind != RLXC_PY_STRING)
        return rlxc_parse_atom(p, e, out);
    *out = rlxc_atom_extern(p->ctx, rlxc_intern(p->ctx, e->text, e->length));
    return true;
}

static bool one_input(rlxc_parser *p, const arguments *a, uint32_t i, rlx_dtype dtype,
                      rlxc_atom *out)
{
    const rlxc_op_input *input = &a->schema.inputs[i];
    const rlxc_py *e = a->inputs[i];
    if (!e || (e->kind == RLXC_PY_NONE && input->optional)) {
        *out = (rlxc_atom){.kind = RLXC_ATOM_NONE};
        return true;
    }
    if (i == 0 && (a->op->flags & RLXC_OP_CALLS))
        return callee_input(p, e, out);
    if (input->is_index) /* a plain number is an index, whatever the element type */
        dtype = rlxc_dtype_void();
    if (!input->is_tuple) {
        /* an input of any kind: "int8" may be a type */
        bool type = input->kind == 'o' && is_name(input->name, input->name_length, "dtype");
        if (!convert_input(p, e, type ? 'd' : input->kind, dtype, out))
            return false;
        if (input->optional && out->kind == RLXC_ATOM_VAR &&
            rlxc_map_get(&p->nulls, rlxc_key(out->var)))
            *out = (rlxc_atom){.kind = RLXC_ATOM_NONE};
        return true;
    }
    bool calls = (a->op->flags & RLXC_OP_CALLS) != 0;
    if (calls && e->kind != RLXC_PY_TUPLE && e->kind != RLXC_PY_LIST)
        return rlxc_parse_tuple_atom(p, e, out);
    return tuple_input(p, e, input->kind, out);
}

static bool convert_inputs(rlxc_parser *p, const rlxc_py *call, const arguments *a,
                           rlxc_binding *binding)
{
    uint32_t fixed = a->schema.n_inputs - (a->schema.variadic ? 1 : 0);
    uint32_t total = fixed + a->n_rest;
    rlxc_atom *args = rlxc_try_alloc(p->ctx, (size_t)total + 1, sizeof *args);
    rlx_dtype dtype = rlxc_dtype_void();
    if (!args)
        return false;
    for (uint32_t i = 0; i < fixed; i++)
        if (!a->inputs[i] && !a->schema.inputs[i].optional) {
            rlxc_error(p->ctx, call->range, "R.%s: argument '%.*s' is missing", a->op->name,
                       (int)a->schema.inputs[i].name_length, a->schema.inputs[i].name);
            return false;
        }
    for (uint32_t i = 0; i < a->schema.n_attrs; i++) /* R.full(shape, 1.0, dtype="float16") */
        if (a->attrs[i] && a->attrs[i]->kind == RLXC_PY_STRING &&
            is_name(a->schema.attrs[i].name, a->schema.attrs[i].name_length, "dtype") &&
            !rlxc_dtype_parse(a->attrs[i]->text, a->attrs[i]->length, &dtype))
            dtype = rlxc_dtype_void();
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < fixed; i++) {
            bool number = a->inputs[i] && a->schema.inputs[i].kind == 't' &&
                          rlxc_parse_is_number(p, a->inputs[i]);
            if (number != (pass == 1))
                continue;
            if (!one_input(p, a, i, dtype, &args[i]))
                return false;
            rlx_dtype t = rlxc_parse_atom_dtype(p, args[i]);
            if (a->schema.inputs[i].kind == 't' && !rlxc_dtype_is_void(t) &&
                (rlxc_dtype_is_void(dtype) || rlxc_dtype_is_bool(dtype)))
                dtype = t;
        }
    for (uint32_t i = 0; i < a->n_rest; i++)
        if (!convert_input(p, a->rest[i], a->schema.inputs[fixed].kind, dtype, &args[fixed + i]))
            return false;
    while (total > 0 && args[total - 1].kind == RLXC_ATOM_NONE)
        total--;
    binding->args = args;
    binding->n_args = total;
    return true;
}

/* --- attributes ------------------------------------------------------------------------------ */

static bool to_int(rlxc_attr *io)
{
    int64_t value;
    if (!rlxc_attr_as_int(io, &value))
        return false;
    *io = rlxc_attr_int(value);
    return true;
}

static bool to_float(rlxc_attr *io)
{
    int64_t value;
    if (io->kind == RLXC_ATTR_FLOAT)
        return true;
    if (io->kind == RLXC_ATTR_EXPR && io->expr->kind == RLXC_EXPR_FLOAT) {
        *io = rlxc_attr_float(io->expr->f);
        return true;
    }
    if (!rlxc_attr_as_int(io, &value))
        return false;
    *io = rlxc_attr_float((double)value);
    return true;
}

static bool to_dtype(rlxc_attr *io)
{
    rlx_dtype dtype;
    if (io->kind == RLXC_ATTR_DTYPE)
        return true;
    if (io->kind == RLXC_ATTR_NONE || (io->kind == RLXC_ATTR_STRING && io->s[0] == '\0')) {
        *io = rlxc_attr_dtype(rlxc_dtype_void());
        return true;
    }
    if (io->kind != RLXC_ATTR_STRING || !rlxc_dtype_parse(io->s, strlen(io->s), &dtype))
        return false;
    *io = rlxc_attr_dtype(dtype);
    return true;
}

/* A list of integers; shorter than the default's length, it is spread as TVM does: strides=2 means
 * [2, 2], padding=(1, 2) means [1, 2, 1, 2]. */
static bool to_ints(rlxc_context *ctx, const rlxc_op_attr *schema, rlxc_attr *io)
{
    int64_t values[RLXC_MAX_NDIM * 2];
    uint32_t n = 1;
    if (io->kind == RLXC_ATTR_LIST) {
        if ((n = io->list.count) > RLXC_MAX_NDIM)
            return false;
        for (uint32_t i = 0; i < n; i++)
            if (!rlxc_attr_as_int(&io->list.items[i], &values[i]))
                return false;
    } else if (!rlxc_attr_as_int(io, &values[0])) {
        return false;
    }
    uint32_t want = schema->has_default && schema->default_value.kind == RLXC_ATTR_LIST
                        ? schema->default_value.list.count
                        : n;
    if (n > 0 && n < want && want <= RLXC_MAX_NDIM && want % n == 0)
        for (uint32_t i = n; i < want; i++)
            values[n++] = values[i % (io->kind == RLXC_ATTR_LIST ? io->list.count : 1)];
    *io = rlxc_attr_ints(ctx, values, n);
    return true;
}

static bool convert_attr(rlxc_context *ctx, const rlxc_op_attr *schema, rlxc_attr *io)
{
    if (io->kind == RLXC_ATTR_NONE &&
        (schema->optional || (schema->has_default && schema->default_value.kind == RLXC_ATTR_NONE)))
        return true;
    switch (schema->kind) {
    case RLXC_OPATTR_INT:
        return to_int(io);
    case RLXC_OPATTR_FLOAT:
        return to_float(io);
    case RLXC_OPATTR_BOOL:
        if (!to_int(io) || (io->i != 0 && io->i != 1))
            return false;
        *io = rlxc_attr_bool(io->i != 0);
        return true;
    case RLXC_OPATTR_STR:
    case RLXC_OPATTR_VDEVICE:
    case RLXC_OPATTR_DEVICE:
        return io->kind == RLXC_ATTR_STRING;
    case RLXC_OPATTR_DTYPE:
        return to_dtype(io);
    case RLXC_OPATTR_INTS:
        return to_ints(ctx, schema, io);
    case RLXC_OPATTR_ANY:
        return true;
    }
    return true;
}

static const char *attr_kind_name(rlxc_op_attr_kind kind)
{
    switch (kind) {
    case RLXC_OPATTR_INT:
        return "an integer";
    case RLXC_OPATTR_FLOAT:
        return "a number";
    case RLXC_OPATTR_BOOL:
        return "True or False";
    case RLXC_OPATTR_STR:
        return "a string";
    case RLXC_OPATTR_DTYPE:
        return "an element type";
    case RLXC_OPATTR_INTS:
        return "a list of integers";
    case RLXC_OPATTR_VDEVICE:
    case RLXC_OPATTR_DEVICE:
        return "a device";
    case RLXC_OPATTR_ANY:
        break;
    }
    return "a value";
}

static bool parse_attr(rlxc_parser *p, const rlxc_op_attr *schema, const rlxc_py *e, rlxc_attr *out)
{
    const char *device;
    if (schema->kind != RLXC_OPATTR_VDEVICE && schema->kind != RLXC_OPATTR_DEVICE)
        return rlxc_parse_attr(p, e, out);
    device =
        schema->kind == RLXC_OPATTR_DEVICE ? rlxc_parse_device(p, e) : rlxc_parse_vdevice(p, e);
    if (device)
        *out = rlxc_attr_string(p->ctx, device);
    return device != NULL;
}

static bool convert_attrs(rlxc_parser *p, const rlxc_py *call, const arguments *a,
                          rlxc_binding *binding)
{
    uint32_t n = a->schema.n_attrs;
    const char **keys = rlxc_alloc(p->ctx, (n + 1) * sizeof *keys);
    rlxc_attr *values = rlxc_alloc(p->ctx, (n + 1) * sizeof *values);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_op_attr *schema = &a->schema.attrs[i];
        keys[i] = rlxc_intern(p->ctx, schema->name, schema->name_length);
        if (a->attrs[i]) {
            if (!parse_attr(p, schema, a->attrs[i], &values[i]))
                return false;
            if (!convert_attr(p->ctx, schema, &values[i])) {
                rlxc_error(p->ctx, a->attrs[i]->range, "argument '%s' of R.%s must be %s, got %s",
                           keys[i], a->op->name, attr_kind_name(schema->kind),
                           rlxc_py_describe(p->ctx, a->attrs[i]));
                return false;
            }
        } else if (schema->has_default) {
            values[i] = schema->default_value;
        } else if (!schema->optional) {
            rlxc_error(p->ctx, call->range, "R.%s: argument '%s' is missing", a->op->name, keys[i]);
            return false;
        }
    }
    binding->attrs = (rlxc_attrs){keys, values, n};
    return true;
}

/* --- the call -------------------------------------------------------------------------------- */

bool rlxc_parse_sinfo_args(rlxc_parser *p, const rlxc_py *e, rlxc_binding *binding)
{
    bool list = e->kind == RLXC_PY_TUPLE || e->kind == RLXC_PY_LIST;
    const rlxc_py *const *items = list ? e->items : &e;
    uint32_t n = list ? e->n : 1;
    const rlxc_sinfo **fields = rlxc_try_alloc(p->ctx, (size_t)n + 1, sizeof *fields);
    if (!fields)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!(fields[i] = rlxc_parse_sinfo(p, items[i])))
            return false;
    if (n != 1)
        fields[0] = rlxc_sinfo_tuple(p->ctx, fields, n);
    binding->sinfo_args = fields;
    binding->n_sinfo_args = 1;
    return true;
}

rlxc_binding *rlxc_parse_operator(rlxc_parser *p, const rlxc_operator *op, const rlxc_py *call)
{
    arguments a = {.op = op};
    rlxc_operator_schema(p->ctx, op, &a.schema);
    rlxc_binding *binding = rlxc_binding_new(p->ctx, RLXC_FORM_CALL, NULL);
    binding->op = op;
    binding->range = call->range;
    if (!sort_arguments(p, call, &a) || !convert_inputs(p, call, &a, binding) ||
        !convert_attrs(p, call, &a, binding))
        return NULL;
    if (!a.sinfo)
        return binding;
    rlxc_binding unused = {0}; /* omitted, since inference finds it */
    bool wanted = (op->flags & RLXC_OP_SINFO_ARGS) != 0;
    return rlxc_parse_sinfo_args(p, a.sinfo, wanted ? binding : &unused) ? binding : NULL;
}

rlxc_binding *rlxc_parse_keywords(rlxc_parser *p, const rlxc_operator *op, const rlxc_py *call,
                                  const rlxc_atom *args, uint32_t n)
{
    arguments a = {.op = op};
    rlxc_operator_schema(p->ctx, op, &a.schema);
    rlxc_binding *binding = rlxc_binding_new(p->ctx, RLXC_FORM_CALL, NULL);
    binding->op = op;
    binding->range = call->range;
    if (!sort_arguments(p, call, &a))
        return NULL;
    bool operands = call->n > 0 || a.rest != NULL;
    for (uint32_t i = 0; i < a.schema.n_inputs; i++)
        operands |= a.inputs[i] != NULL;
    if (operands) {
        rlxc_error(p->ctx, call->range, "R.%s: the attributes may not hold operands", op->name);
        return NULL;
    }
    binding->args = rlxc_copy(p->ctx, args, n * sizeof *args);
    binding->n_args = n;
    return convert_attrs(p, call, &a, binding) &&
                   (!a.sinfo || rlxc_parse_sinfo_args(p, a.sinfo, binding))
               ? binding
               : NULL;
}

rlxc_binding *rlxc_parse_operator_atoms(rlxc_parser *p, const char *name, rlxc_range range,
                                        const rlxc_atom *args, uint32_t n)
{
    const rlxc_py call = {.kind = RLXC_PY_CALL, .range = range};
    const rlxc_operator *op = rlxc_find_operator(name, strlen(name));
    if (!op) {
        rlxc_error(p->ctx, range, "operator R.%s is not supported", name);
        return NULL;
    }
    return rlxc_parse_keywords(p, op, &call, args, n);
}

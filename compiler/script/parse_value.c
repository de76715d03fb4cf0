/* Relax values: atoms, and the right sides of bindings. Nested calls are bound to fresh variables
 * in evaluation order, so the result is in A-normal form. Element types are tracked only to type
 * plain numbers next to tensors; the full inference is a pass. */
#include <string.h>

#include "compiler/script/parse.h"

/* Marks a variable that holds a shape in the table of element types. */
static const rlx_dtype shape_marker = {0xff, 0, 1};

bool rlxc_parse_is_shape(rlx_dtype t)
{
    return rlx_dtype_eq(t, shape_marker);
}

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
        if (rlxc_parse_is_shape(t) ||
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
    if (binding->op && strcmp(binding->op->name, "null_value") == 0)
        rlxc_map_set(p->ctx, &p->nulls, rlxc_key(binding->var), binding);
    if (binding->form == RLXC_FORM_MATCH_CAST)
        binding->var->sinfo = binding->sinfo_args[0];
    if (!p->block || p->block->is_dataflow != p->dataflow) {
        p->block = rlxc_block_new(p->ctx, p->dataflow);
        rlxc_body_push(p->ctx, p->body, p->block);
    }
    rlxc_block_push(p->ctx, p->block, binding);
}

rlxc_binding *rlxc_parse_new_binding(rlxc_parser *p, rlxc_form form, rlxc_range range,
                                     const rlxc_atom *args, uint32_t n)
{
    rlxc_binding *b = rlxc_binding_new(p->ctx, form, NULL);
    b->range = range;
    b->args = rlxc_copy(p->ctx, args, n * sizeof *args);
    b->n_args = n;
    return b;
}

/* Atoms of all |items|; NULL after an error. */
rlxc_atom *rlxc_parse_atoms(rlxc_parser *p, const rlxc_py *const *items, uint32_t n)
{
    rlxc_atom *atoms = rlxc_try_alloc(p->ctx, (size_t)n + 1, sizeof *atoms);
    for (uint32_t i = 0; atoms && i < n; i++)
        if (!rlxc_parse_atom(p, items[i], &atoms[i]))
            return NULL;
    return atoms;
}

bool rlxc_parse_tuple_atom(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    bool list = rlxc_py_is_list(e);
    if (!rlxc_parse_enter(p, e->range))
        return false;
    rlxc_atom *items = rlxc_parse_atoms(p, list ? e->items : &e, list ? e->n : 1);
    rlxc_parse_leave(p);
    if (!items)
        return false;
    if (!list && items[0].kind == RLXC_ATOM_TUPLE)
        *out = items[0];
    else
        *out = rlxc_atom_tuple(p->ctx, items, list ? e->n : 1);
    return true;
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
    if (rlxc_dtype_is_void(dtype) || rlxc_parse_is_shape(dtype))
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

/* x.ndim, x.dtype.bits, ... are operators; so are x.shape[i] and x.strides[i], where |e| is the
 * part before the index. NULL for anything else. */
static const char *field_operator(rlxc_parser *p, const rlxc_py *e, bool indexed,
                                  const rlxc_py **out_tensor)
{
    static const struct {
        const char *outer, *name, *op; /* x.outer.name */
        bool indexed;
    } fields[] = {
        {NULL, "ndim", "inspect.tensor_ndim", false},
        {NULL, "shape", "inspect.tensor_shape_i", true},
        {NULL, "strides", "inspect.tensor_stride_i", true},
        {NULL, "byte_offset", "inspect.tensor_byte_offset", false},
        {NULL, "elem_offset", "inspect.tensor_elem_offset", false},
        {"dtype", "type_code", "inspect.tensor_dtype_code", false},
        {"dtype", "bits", "inspect.tensor_dtype_bits", false},
        {"dtype", "lanes", "inspect.tensor_dtype_lanes", false},
    };
    for (size_t i = 0; e->kind == RLXC_PY_ATTR && i < sizeof fields / sizeof *fields; i++) {
        const rlxc_py *of = e->base;
        if (fields[i].indexed != indexed || strcmp(e->text, fields[i].name) != 0)
            continue;
        if (fields[i].outer) {
            if (of->kind != RLXC_PY_ATTR || strcmp(of->text, fields[i].outer) != 0)
                continue;
            of = of->base;
        }
        const rlxc_name *name =
            of->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, of->text) : NULL;
        if (of->kind != RLXC_PY_CALL && !(name && name->kind == RLXC_NAME_RVAR))
            continue;
        *out_tensor = of;
        return fields[i].op;
    }
    return NULL;
}

static rlxc_binding *parse_field(rlxc_parser *p, const rlxc_py *e, const char *op,
                                 const rlxc_py *tensor, const rlxc_py *index)
{
    rlxc_atom args[2];
    if (!rlxc_parse_atom(p, tensor, &args[0]) || (index && !rlxc_parse_atom(p, index, &args[1])))
        return NULL;
    return rlxc_parse_operator_atoms(p, op, e->range, args, index ? 2 : 1);
}

static bool tuple_get(rlxc_parser *p, rlxc_range range, const rlxc_py *of, const rlxc_py *at,
                      rlxc_binding **out)
{
    rlxc_atom tuple;
    if (!rlxc_parse_atom(p, of, &tuple))
        return false;
    if (at->kind != RLXC_PY_INT || at->i < 0 || at->i > INT32_MAX) {
        rlxc_error(p->ctx, at->range, "the index of a tuple must be a constant integer");
        return false;
    }
    *out = rlxc_parse_new_binding(p, RLXC_FORM_TUPLE_GET, range, &tuple, 1);
    (*out)->index = (uint32_t)at->i;
    return true;
}

/* R.TupleGetItem(t, 1): t[1] */
static bool tuple_get_item(rlxc_parser *p, const rlxc_py *call, rlxc_binding **out)
{
    const rlxc_py *of = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "tuple_value");
    const rlxc_py *at = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "index");
    if (!of || !at || call->n + call->n_keywords != 2) {
        rlxc_error(p->ctx, call->range, "R.TupleGetItem takes a tuple and an index");
        return false;
    }
    return tuple_get(p, call->range, of, at, out);
}

static bool prim_atom(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out)
{
    const rlxc_expr *value =
        e->kind == RLXC_PY_FLOAT ? rlxc_float(p->ctx, RLX_F64, e->f) : rlxc_parse_prim(p, e);
    if (value)
        *out = rlxc_atom_prim(value);
    return value != NULL;
}

/* R.const, R.shape, ...: calls that are values. |out_known| false: something else. */
static bool literal_call(rlxc_parser *p, const rlxc_py *e, rlxc_atom *out, bool *out_known)
{
    const char *path = rlxc_parse_path(p, e->base);
    const rlxc_expr *const *dims;
    uint32_t n;
    rlx_dtype dtype;
    *out_known = true;
    if (rlxc_parse_extern(p, e, out))
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
    if (one && (strcmp(path, "R.shape") == 0 || strcmp(path, "R.ShapeExpr") == 0)) {
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
        *out = rlxc_parse_global_atom(p, global, e->range);
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
    rlxc_atom *atoms = rlxc_parse_atoms(p, items, n);
    if (atoms)
        *out = rlxc_parse_new_binding(p, RLXC_FORM_TUPLE, range, atoms, n);
    return atoms != NULL;
}

bool rlxc_parse_rhs(rlxc_parser *p, const rlxc_py *e, rlxc_binding **out_binding,
                    rlxc_atom *out_atom)
{
    const rlxc_constant *constant;
    const rlxc_py *tensor;
    const char *field = field_operator(p, e, false, &tensor);
    bool known;
    *out_binding = NULL;
    if (field)
        return (*out_binding = parse_field(p, e, field, tensor, NULL)) != NULL;
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
        field = field_operator(p, e->base, true, &tensor);
        if (field)
            return (*out_binding = parse_field(p, e, field, tensor, e->a)) != NULL;
        if (!rlxc_parse_is_metadata(p, e))
            return tuple_get(p, e->range, e->base, e->a, out_binding);
        constant = rlxc_parse_metadata_item(p, e);
        if (constant)
            *out_atom = rlxc_atom_constant(constant);
        return constant != NULL;
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
        if (rlxc_parse_path_is(p, e->base, "R.TupleGetItem"))
            return tuple_get_item(p, e, out_binding);
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
    if (rlxc_py_is_list(e))
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

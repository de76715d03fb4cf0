/* Scalar expressions: TIR values and the symbolic integers of shapes, one reader for both.
 *
 * Plain Python integers are int32 in TIR and int64 in shapes; plain floats are float32; beside a
 * typed operand they take its type (rlxc_binary). Calls of T.* are in parse_intrin.c. */
#include <string.h>

#include "compiler/ir/sym.h"
#include "compiler/script/parse.h"

bool rlxc_parse_dtype(rlxc_parser *p, const rlxc_py *e, rlx_dtype *out)
{
    const char *text = NULL;
    if (e->kind == RLXC_PY_CALL && e->n == 1 && rlxc_parse_path_is(p, e->base, "R.dtype"))
        e = e->items[0];
    if (e->kind == RLXC_PY_ATTR && strcmp(e->text, "ty") == 0 && e->base->kind == RLXC_PY_CALL)
        e = e->base->base; /* T.handle().ty */
    if (e->kind == RLXC_PY_STRING) {
        text = e->text;
        if (text[0] == '\0') {
            *out = rlxc_dtype_void();
            return true;
        }
    } else if (e->kind == RLXC_PY_ATTR) {
        const char *path = rlxc_parse_path(p, e);
        if (path && path[0] == 'T')
            text = path + 2;
        const rlxc_buffer *buffer =
            strcmp(e->text, "dtype") == 0 ? rlxc_parse_buffer_name(p, e->base) : NULL;
        if (buffer) {
            *out = buffer->dtype;
            return true;
        }
    }
    if (text && rlxc_dtype_parse(text, strlen(text), out))
        return true;
    if (text)
        rlxc_error(p->ctx, e->range, "unknown element type \"%.60s\"; there are %s", text,
                   rlxc_dtype_names(p->ctx));
    else
        rlxc_error(p->ctx, e->range, "expected an element type such as \"float32\", got %s",
                   rlxc_py_describe(p->ctx, e));
    return false;
}

const rlxc_buffer *rlxc_parse_buffer_name(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_name *name = e->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->text) : NULL;
    return name && name->kind == RLXC_NAME_BUFFER ? name->buffer : NULL;
}

static const rlxc_expr *literal_int(rlxc_parser *p, const rlxc_py *e)
{
    if (e->huge)
        return rlxc_int(p->ctx, RLX_U64, e->i);
    bool wide = !p->tir || e->i > INT32_MAX || e->i < INT32_MIN;
    return rlxc_int(p->ctx, wide ? RLX_I64 : RLX_I32, e->i);
}

/* The expression known to be the value of a Relax variable, or NULL. */
static const rlxc_expr *value_of(const rlxc_rvar *var)
{
    const rlxc_sinfo *s = var->annotation ? var->annotation : var->sinfo;
    return s && s->kind == RLXC_SINFO_PRIM ? s->value : NULL;
}

static const rlxc_expr *named(rlxc_parser *p, const rlxc_py *e)
{
    rlxc_name *name = rlxc_names_find(&p->names, e->text);
    if (name && name->kind == RLXC_NAME_EXPR)
        return name->expr;
    if (name && name->kind == RLXC_NAME_RVAR) {
        if (value_of(name->rvar))
            return value_of(name->rvar);
        rlxc_error(p->ctx, e->range,
                   "'%s' is a Relax variable; a symbolic expression needs symbolic variables",
                   e->text);
        return NULL;
    }
    if (name && name->kind == RLXC_NAME_BUFFER) {
        const rlxc_expr *element = rlxc_parse_only_element(p, name->buffer);
        if (element)
            return element;
        rlxc_error(p->ctx, e->range, "buffer '%s' is used without indices", e->text);
        return NULL;
    }
    if (name && name->kind == RLXC_NAME_BROKEN)
        return NULL;
    if (!name || name->kind == RLXC_NAME_TOP) {
        const rlxc_name *symbol = rlxc_names_find(&p->symbols, e->text);
        if (symbol)
            return symbol->expr;
        if (p->declare || name) {
            rlxc_parse_declare_symbol(p, e->text, rlxc_parse_declared_dtype(p, e->text));
            return rlxc_names_find(&p->symbols, e->text)->expr;
        }
    }
    if (strcmp(e->text, "inf") == 0 || strcmp(e->text, "nan") == 0)
        return rlxc_float(p->ctx, RLX_F32,
                          e->text[0] == 'i' ? (double)__builtin_inf() : (double)__builtin_nan(""));
    if (name && name->kind == RLXC_NAME_THREAD)
        rlxc_error(p->ctx, e->range, "no T.launch_thread(%s, ...) encloses this use of '%s'",
                   e->text, e->text);
    else
        rlxc_error(p->ctx, e->range, "'%s' is not defined", e->text);
    return NULL;
}

static bool binary_kind(uint32_t op, rlxc_expr_kind *out)
{
    static const struct {
        uint32_t op;
        rlxc_expr_kind kind;
    } kinds[] = {
        {RLXC_OP1('+'), RLXC_EXPR_ADD},
        {RLXC_OP1('-'), RLXC_EXPR_SUB},
        {RLXC_OP1('*'), RLXC_EXPR_MUL},
        {RLXC_OP1('/'), RLXC_EXPR_DIV},
        {RLXC_OP2('/', '/'), RLXC_EXPR_FLOORDIV},
        {RLXC_OP1('%'), RLXC_EXPR_FLOORMOD},
        {RLXC_OP2('=', '='), RLXC_EXPR_EQ},
        {RLXC_OP2('!', '='), RLXC_EXPR_NE},
        {RLXC_OP1('<'), RLXC_EXPR_LT},
        {RLXC_OP2('<', '='), RLXC_EXPR_LE},
        {RLXC_OP1('>'), RLXC_EXPR_GT},
        {RLXC_OP2('>', '='), RLXC_EXPR_GE},
        {RLXC_PY_AND, RLXC_EXPR_AND},
        {RLXC_PY_OR, RLXC_EXPR_OR},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].op == op) {
            *out = kinds[i].kind;
            return true;
        }
    return false;
}

static bool is_value(rlx_dtype t)
{
    return rlxc_dtype_is_int(t) || rlxc_dtype_is_float(t) || rlxc_dtype_is_bool(t);
}

const rlxc_expr *rlxc_parse_binary(rlxc_parser *p, rlxc_expr_kind kind, const rlxc_expr *a,
                                   const rlxc_expr *b, rlxc_range range)
{
    if (!a || !b)
        return NULL;
    if (!is_value(a->dtype) || !is_value(b->dtype)) {
        bool handles = rlxc_dtype_is_handle(a->dtype) && rlxc_dtype_is_handle(b->dtype);
        if (!handles || (kind != RLXC_EXPR_EQ && kind != RLXC_EXPR_NE)) {
            rlxc_error(p->ctx, range, "arithmetic on %s and %s", rlxc_dtype_name(p->ctx, a->dtype),
                       rlxc_dtype_name(p->ctx, b->dtype));
            return NULL;
        }
    }
    if (a->dtype.lanes != b->dtype.lanes && a->dtype.lanes > 1 && b->dtype.lanes > 1) {
        rlxc_error(p->ctx, range, "cannot combine vectors of %u and %u lanes",
                   (unsigned)a->dtype.lanes, (unsigned)b->dtype.lanes);
        return NULL;
    }
    return rlxc_binary(p->ctx, kind, a, b);
}

bool rlxc_parse_unify(rlxc_parser *p, const rlxc_expr **a, const rlxc_expr **b)
{
    /* both sides of a select have one type */
    const rlxc_expr *both = rlxc_select(p->ctx, rlxc_var(p->ctx, "c", RLX_B8), *a, *b);
    if (both->kind != RLXC_EXPR_SELECT)
        return false;
    *a = both->select.yes;
    *b = both->select.no;
    return true;
}

static const rlxc_expr *bits(rlxc_parser *p, const rlxc_py *e, const char *name, const rlxc_expr *a,
                             const rlxc_expr *b)
{
    const rlxc_expr *args[2] = {a, b};
    if (b && !rlxc_parse_unify(p, &args[0], &args[1]))
        return NULL;
    if (!rlxc_dtype_is_int(args[0]->dtype) && !rlxc_dtype_is_bool(args[0]->dtype)) {
        rlxc_error(p->ctx, e->range, "%s needs integers, got %s", name,
                   rlxc_dtype_name(p->ctx, args[0]->dtype));
        return NULL;
    }
    return rlxc_call(p->ctx, args[0]->dtype, rlxc_intern_cstr(p->ctx, name), args, b ? 2 : 1);
}

static const rlxc_expr *parse_operation(rlxc_parser *p, const rlxc_py *e)
{
    static const struct {
        uint32_t op;
        const char *name;
    } bitwise[] = {{RLXC_OP1('&'), "bitwise_and"},
                   {RLXC_OP1('|'), "bitwise_or"},
                   {RLXC_OP1('^'), "bitwise_xor"},
                   {RLXC_OP2('<', '<'), "shift_left"},
                   {RLXC_OP2('>', '>'), "shift_right"}};
    const rlxc_expr *a = rlxc_parse_prim(p, e->a);
    const rlxc_expr *b = a ? rlxc_parse_prim(p, e->b) : NULL;
    rlxc_expr_kind kind;
    if (!b)
        return NULL;
    if (binary_kind(e->op, &kind)) {
        if (kind == RLXC_EXPR_DIV && !rlxc_dtype_is_float(a->dtype) &&
            !rlxc_dtype_is_float(b->dtype)) {
            rlxc_error(p->ctx, e->range,
                       "'/' of integers is ambiguous: use // or T.truncdiv(a, b)");
            return NULL;
        }
        return rlxc_parse_binary(p, kind, a, b, e->range);
    }
    for (size_t i = 0; i < sizeof bitwise / sizeof *bitwise; i++)
        if (bitwise[i].op == e->op)
            return bits(p, e, bitwise[i].name, a, b);
    rlxc_error(p->ctx, e->range, "this operator is not supported on scalars");
    return NULL;
}

static const rlxc_expr *parse_unary(rlxc_parser *p, const rlxc_py *e)
{
    if (e->op == RLXC_OP1('*')) {
        rlxc_error(p->ctx, e->range, "unpacked arguments (*) are not supported here");
        return NULL;
    }
    const rlxc_expr *a = rlxc_parse_prim(p, e->a);
    if (!a)
        return NULL;
    if (!is_value(a->dtype)) {
        rlxc_error(p->ctx, e->range, "arithmetic on a %s", rlxc_dtype_name(p->ctx, a->dtype));
        return NULL;
    }
    if (e->op == RLXC_PY_NOT)
        return rlxc_not(p->ctx, a);
    if (e->op == RLXC_OP1('~'))
        return bits(p, e, "bitwise_not", a, NULL);
    if (a->kind == RLXC_EXPR_FLOAT)
        return rlxc_float(p->ctx, a->dtype, -a->f);
    if (rlxc_dtype_is_float(a->dtype)) /* keeps the sign of a zero */
        return rlxc_mul(p->ctx, a, rlxc_float(p->ctx, a->dtype, -1.0));
    return rlxc_sub(p->ctx, rlxc_int(p->ctx, a->dtype, 0), a);
}

/* Lanes of start:stop:step where they are a constant. */
static const rlxc_expr *slice_vector(rlxc_parser *p, const rlxc_py *e, const rlxc_expr *start,
                                     const rlxc_expr *stop)
{
    int64_t extent, step = 1;
    const rlxc_expr *stride = e->c ? rlxc_parse_prim(p, e->c) : NULL;
    if (e->c && (!stride || !rlxc_is_int(stride, &step) || step <= 0)) {
        rlxc_error(p->ctx, e->c->range, "the step of a slice must be a positive constant");
        return NULL;
    }
    const rlxc_expr *length = rlxc_canonical(p->ctx, rlxc_sub(p->ctx, stop, start), NULL);
    if (!rlxc_is_int(length, &extent) || extent <= 0 || (extent - 1) / step >= UINT16_MAX) {
        rlxc_error(p->ctx, e->range,
                   "a slice used as a value needs a constant length between 1 and 65535");
        return NULL;
    }
    return rlxc_ramp(p->ctx, start, rlxc_int(p->ctx, start->dtype, step),
                     (uint32_t)((extent - 1) / step + 1));
}

static bool is_index(const rlxc_expr *e)
{
    return rlxc_dtype_is_int(e->dtype) || rlxc_dtype_is_bool(e->dtype);
}

bool rlxc_parse_indices(rlxc_parser *p, const rlxc_buffer *buffer, const rlxc_py *e,
                        const rlxc_expr *const **out, const rlxc_expr *const **out_extents)
{
    const rlxc_range range = e->range;
    if (!rlxc_parse_sequence(p, e, &e))
        return false;
    const rlxc_py *const *items = e->kind == RLXC_PY_TUPLE ? e->items : &e;
    uint32_t n = e->kind == RLXC_PY_TUPLE ? e->n : 1;
    const rlxc_expr *mins[RLXC_MAX_NDIM], *extents[RLXC_MAX_NDIM];
    uint32_t lanes = (uint32_t)(uintptr_t)rlxc_map_get(&p->vectors, rlxc_key(buffer));
    uint32_t ndim = buffer->ndim - (lanes > 0); /* the last one is in the text the element's */
    if (n != ndim || n > RLXC_MAX_NDIM) {
        rlxc_error(p->ctx, range, "buffer '%s' has %u dimensions, got %u indices", buffer->name,
                   ndim, n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_py *item = items[i];
        const rlxc_py *first = item->kind == RLXC_PY_SLICE ? item->a : item;
        mins[i] = first ? rlxc_parse_prim(p, first) : rlxc_int(p->ctx, buffer->shape[i]->dtype, 0);
        if (!mins[i])
            return false;
        extents[i] = rlxc_int(p->ctx, mins[i]->dtype, 1);
        if (!is_index(mins[i])) {
            rlxc_error(p->ctx, item->range, "an index must be an integer, got %s",
                       rlxc_dtype_name(p->ctx, mins[i]->dtype));
            return false;
        }
        if (item->kind != RLXC_PY_SLICE)
            continue;
        const rlxc_expr *stop = item->b ? rlxc_parse_prim(p, item->b) : buffer->shape[i];
        if (!stop)
            return false;
        if (!is_index(stop) || stop->dtype.lanes != 1 || mins[i]->dtype.lanes != 1) {
            rlxc_error(p->ctx, item->range, "the bounds of a slice must be integers");
            return false;
        }
        if (!out_extents) {
            if (!(mins[i] = slice_vector(p, item, mins[i], stop)))
                return false;
        } else if (item->c) {
            rlxc_error(p->ctx, item->range, "a region cannot have a step");
            return false;
        } else {
            extents[i] = rlxc_is_const(mins[i], 0)
                             ? stop
                             : rlxc_canonical(p->ctx, rlxc_sub(p->ctx, stop, mins[i]), NULL);
        }
    }
    if (lanes > 0) {
        const rlxc_expr *zero = rlxc_int(p->ctx, RLX_I32, 0), *one = rlxc_int(p->ctx, RLX_I32, 1);
        for (uint32_t i = 0; i < n; i++)
            if (mins[i]->dtype.lanes > 1) {
                rlxc_error(p->ctx, range, "several elements of '%s', which are vectors, at once",
                           buffer->name);
                return false;
            }
        mins[n] = out_extents ? zero : rlxc_ramp(p->ctx, zero, one, lanes);
        extents[n++] = buffer->shape[ndim];
    }
    *out = rlxc_copy(p->ctx, mins, n * sizeof *mins);
    if (out_extents)
        *out_extents = rlxc_copy(p->ctx, extents, n * sizeof *extents);
    return true;
}

/* A.shape[0], A.strides[1] */
static const rlxc_expr *buffer_field_item(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_buffer *buffer =
        e->base->kind == RLXC_PY_ATTR ? rlxc_parse_buffer_name(p, e->base->base) : NULL;
    if (!buffer || e->a->kind != RLXC_PY_INT || e->a->i < 0 || e->a->i >= buffer->ndim)
        return NULL;
    if (strcmp(e->base->text, "shape") == 0)
        return buffer->shape[e->a->i];
    if (strcmp(e->base->text, "strides") == 0 && buffer->strides)
        return buffer->strides[e->a->i];
    return NULL;
}

static const rlxc_expr *parse_load(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_expr *field = buffer_field_item(p, e);
    if (field)
        return field;
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, e->base);
    if (!buffer && rlxc_parse_is_broken(p, e->base))
        return NULL;
    if (!buffer) {
        const rlxc_name *name =
            e->base->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, e->base->text) : NULL;
        rlxc_error(p->ctx, e->base->range, name ? "%s is not a buffer" : "%s is not defined",
                   rlxc_py_describe(p->ctx, e->base));
        return NULL;
    }
    const rlxc_expr *const *indices;
    if (!rlxc_parse_indices(p, buffer, e->a, &indices, NULL))
        return NULL;
    return rlxc_load(p->ctx, buffer, indices, buffer->ndim);
}

static const rlxc_expr *parse_field(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_py *base = e->base; /* A.data; A.buffer.data where A is the element of A */
    if (base->kind == RLXC_PY_ATTR && strcmp(base->text, "buffer") == 0)
        base = base->base;
    const rlxc_buffer *buffer = rlxc_parse_buffer_name(p, base);
    if (buffer && strcmp(e->text, "data") == 0)
        return buffer->data;
    if (buffer && strcmp(e->text, "elem_offset") == 0)
        return buffer->elem_offset ? buffer->elem_offset : rlxc_int(p->ctx, RLX_I32, 0);
    rlxc_error(p->ctx, e->range, "%s is not a scalar value", rlxc_py_describe(p->ctx, e));
    return NULL;
}

static const rlxc_expr *parse_choice(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_expr *cond = rlxc_parse_prim(p, e->a);
    const rlxc_expr *yes = cond ? rlxc_parse_prim(p, e->b) : NULL;
    const rlxc_expr *no = yes ? rlxc_parse_prim(p, e->c) : NULL;
    if (!no)
        return NULL;
    if (!rlxc_parse_unify(p, &yes, &no))
        return NULL;
    const rlxc_expr *args[3] = {cond, yes, no};
    return rlxc_call(p->ctx, yes->dtype, rlxc_intern_cstr(p->ctx, "if_then_else"), args, 3);
}

const rlxc_expr *rlxc_parse_prim(rlxc_parser *p, const rlxc_py *e)
{
    const char *path;
    const char *function;
    const rlxc_expr *loaded;
    switch (e->kind) {
    case RLXC_PY_BOOL:
        return rlxc_bool(p->ctx, e->i != 0);
    case RLXC_PY_INT:
        return literal_int(p, e);
    case RLXC_PY_FLOAT:
        return rlxc_float(p->ctx, RLX_F32, e->f);
    case RLXC_PY_NAME:
        return named(p, e);
    case RLXC_PY_BINARY:
        return parse_operation(p, e);
    case RLXC_PY_UNARY:
        return parse_unary(p, e);
    case RLXC_PY_INDEX:
        return parse_load(p, e);
    case RLXC_PY_ATTR:
        return parse_field(p, e);
    case RLXC_PY_IF:
        return parse_choice(p, e);
    case RLXC_PY_CALL:
        path = rlxc_parse_path(p, e->base);
        if (path && strcmp(path, "R.prim_value") == 0 && e->n == 1)
            return rlxc_parse_prim(p, e->items[0]);
        if (path && path[0] == 'T' && path[1] == '.')
            return rlxc_parse_intrinsic(p, e, path + 2);
        if (rlxc_parse_vector_load(p, e, &loaded))
            return loaded;
        function = p->tir ? rlxc_parse_global(p, e->base) : NULL;
        if (function)
            return rlxc_parse_prim_call(p, e, function);
        if (e->base->dotted &&
            (strcmp(e->base->dotted, "min") == 0 || strcmp(e->base->dotted, "max") == 0 ||
             strcmp(e->base->dotted, "float") == 0))
            return rlxc_parse_intrinsic(p, e, e->base->dotted);
        break;
    case RLXC_PY_NONE:
    case RLXC_PY_STRING:
    case RLXC_PY_SLICE:
    case RLXC_PY_TUPLE:
    case RLXC_PY_LIST:
    case RLXC_PY_DICT:
    case RLXC_PY_LAMBDA:
        break;
    }
    rlxc_error(p->ctx, e->range, "expected a scalar expression, got %s",
               rlxc_py_describe(p->ctx, e));
    return NULL;
}

/* "n * 2" inside a shape: read as an expression with the range of the string. */
const rlxc_expr *rlxc_parse_quoted(rlxc_parser *p, const rlxc_py *e)
{
    rlxc_py_parser nested = {0};
    if (p->quoted > 0) {
        rlxc_error(p->ctx, e->range, "nested string expressions are not supported");
        return NULL;
    }
    rlxc_lexer_init_nested(&nested.lexer, p->ctx, e->range, e->text, e->length, p->py.lexer.locale);
    rlxc_py_start(&nested, p->ctx, &p->pool);
    const rlxc_py *tree = rlxc_py_expr(&nested);
    if (tree && nested.token.kind != RLXC_TOKEN_END) {
        rlxc_py_unexpected(&nested, "the end of the expression in the string");
        tree = NULL;
    }
    bool declare = p->declare;
    p->quoted++;
    p->declare = true;
    const rlxc_expr *result = tree ? rlxc_parse_prim(p, tree) : NULL;
    p->declare = declare;
    p->quoted--;
    return result;
}

const rlxc_expr *rlxc_parse_dim(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_expr *dim =
        e->kind == RLXC_PY_STRING ? rlxc_parse_quoted(p, e) : rlxc_parse_prim(p, e);
    if (!dim)
        return NULL;
    if (!rlxc_dtype_is_int(dim->dtype) || dim->dtype.lanes != 1) {
        rlxc_error(p->ctx, e->range, "a dimension must be an integer, got %s",
                   rlxc_dtype_name(p->ctx, dim->dtype));
        return NULL;
    }
    if (!p->tir && dim->kind != RLXC_EXPR_INT && !rlxc_dtype_eq(dim->dtype, RLX_I64)) {
        rlxc_error(p->ctx, e->range, "a symbolic dimension must be int64, got %s",
                   rlxc_dtype_name(p->ctx, dim->dtype));
        return NULL;
    }
    return p->tir ? dim : rlxc_cast(p->ctx, RLX_I64, dim);
}

bool rlxc_parse_dims(rlxc_parser *p, const rlxc_py *e, const rlxc_expr *const **out,
                     uint32_t *out_n)
{
    if (!rlxc_parse_sequence(p, e, &e))
        return false;
    bool many = e->kind == RLXC_PY_TUPLE || e->kind == RLXC_PY_LIST;
    const rlxc_py *const *items = many ? e->items : &e;
    uint32_t n = many ? e->n : 1;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    if (n > RLXC_MAX_NDIM) {
        rlxc_error(p->ctx, e->range, "%u dimensions, at most %d are supported", n, RLXC_MAX_NDIM);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!(dims[i] = rlxc_parse_dim(p, items[i])))
            return false;
    *out = rlxc_copy(p->ctx, dims, n * sizeof *dims);
    *out_n = n;
    return true;
}

bool rlxc_parse_check_sizes(rlxc_parser *p, const rlxc_py *e, const rlxc_expr *const *sizes,
                            uint32_t n)
{
    int64_t size;
    for (uint32_t i = 0; i < n && !p->derived; i++)
        if (rlxc_is_int(rlxc_canonical(p->ctx, sizes[i], NULL), &size) && size < 0) {
            rlxc_error(p->ctx, rlxc_py_is_list(e) && e->n == n ? e->items[i]->range : e->range,
                       "dimension %u is negative (%lld)", i, (long long)size);
            return false;
        }
    return true;
}

bool rlxc_parse_is_prim(rlxc_parser *p, const rlxc_py *e)
{
    const rlxc_name *name;
    const char *path;
    switch (e->kind) {
    case RLXC_PY_BOOL:
    case RLXC_PY_INT:
    case RLXC_PY_FLOAT:
        return true;
    case RLXC_PY_NAME:
        name = rlxc_names_find(&p->names, e->text);
        if (name && name->kind == RLXC_NAME_RVAR)
            return value_of(name->rvar) != NULL;
        if (name)
            return name->kind == RLXC_NAME_EXPR || name->kind == RLXC_NAME_TOP;
        return rlxc_names_find(&p->symbols, e->text) != NULL;
    case RLXC_PY_UNARY:
        return rlxc_parse_is_prim(p, e->a);
    case RLXC_PY_BINARY:
        return rlxc_parse_is_prim(p, e->a) && rlxc_parse_is_prim(p, e->b);
    case RLXC_PY_CALL:
        path = rlxc_parse_path(p, e->base);
        return path && path[0] == 'T' && path[1] == '.';
    case RLXC_PY_NONE:
    case RLXC_PY_STRING:
    case RLXC_PY_ATTR:
    case RLXC_PY_INDEX:
    case RLXC_PY_SLICE:
    case RLXC_PY_TUPLE:
    case RLXC_PY_LIST:
    case RLXC_PY_DICT:
    case RLXC_PY_IF:
    case RLXC_PY_LAMBDA:
        return false;
    }
    return false;
}

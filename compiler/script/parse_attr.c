/* Attribute values and tensor constants written in the text.
 *
 * Attributes keep the written form: plain numbers, strings, lists and dictionaries, and typed
 * literals (T.bool(True)) as expressions. Constants become little-endian elements at once. */
#include <math.h>
#include <string.h>

#include "compiler/script/parse.h"
#include "rlx/checked.h"
#include "rlx/floats.h"
#include "rlx/packed.h"

/* --- attributes ------------------------------------------------------------------------------ */

static bool parse_list(rlxc_parser *p, const rlxc_py *e, rlxc_attr *out)
{
    rlxc_attr *items = rlxc_try_alloc(p->ctx, (size_t)e->n + 1, sizeof *items);
    const char **keys = NULL;
    if (!items)
        return false;
    if (e->kind == RLXC_PY_DICT && !(keys = rlxc_try_alloc(p->ctx, (size_t)e->n + 1, sizeof *keys)))
        return false;
    for (uint32_t i = 0; i < e->n; i++) {
        if (!rlxc_parse_attr(p, e->items[i], &items[i]))
            return false;
        if (!keys)
            continue;
        if (e->keys[i]->kind != RLXC_PY_STRING) {
            rlxc_error(p->ctx, e->keys[i]->range,
                       "the keys of an attribute dictionary are strings");
            return false;
        }
        keys[i] = rlxc_intern(p->ctx, e->keys[i]->text, e->keys[i]->length);
    }
    *out = (rlxc_attr){.kind = keys ? RLXC_ATTR_DICT : RLXC_ATTR_LIST};
    out->list.items = items;
    out->list.keys = keys;
    out->list.count = e->n;
    return true;
}

static bool parse_expr(rlxc_parser *p, const rlxc_py *e, rlxc_attr *out)
{
    const rlxc_expr *value = rlxc_parse_prim(p, e);
    if (!value)
        return false;
    *out = rlxc_attr_expr(value);
    return true;
}

/* T.index_map(lambda i, j: (i // 4, j, i % 4)), or the lambda alone, as a call "index_map" of the
 * number of parameters, the parameters, and the results; the parameters are variables of its own.
 */
static bool parse_index_map(rlxc_parser *p, const rlxc_py *e, rlxc_attr *out)
{
    const rlxc_py *f = e->kind == RLXC_PY_LAMBDA ? e : e->n == 1 ? e->items[0] : NULL;
    if (f && f->kind != RLXC_PY_LAMBDA)
        f = NULL;
    if (!f || f->n_keywords > RLXC_MAX_NDIM) {
        rlxc_error(p->ctx, e->range, "T.index_map takes a lambda of at most %d indices",
                   RLXC_MAX_NDIM);
        return false;
    }
    const rlxc_py *body = f->a;
    bool many = body->kind == RLXC_PY_TUPLE || body->kind == RLXC_PY_LIST;
    uint32_t n_results = many ? body->n : 1, n = 0;
    const rlxc_expr **args =
        rlxc_try_alloc(p->ctx, (size_t)1 + f->n_keywords + n_results, sizeof *args);
    if (!args)
        return false;
    uint32_t mark = rlxc_names_mark(&p->names);
    args[n++] = rlxc_i64(p->ctx, f->n_keywords);
    for (uint32_t i = 0; i < f->n_keywords; i++) {
        args[n] = rlxc_shape_var(p->ctx, f->keyword_names[i]);
        rlxc_names_define(p->ctx, &p->names, f->keyword_names[i], RLXC_NAME_EXPR)->expr = args[n++];
    }
    bool ok = true;
    for (uint32_t i = 0; i < n_results && ok; i++)
        ok = (args[n++] = rlxc_parse_prim(p, many ? body->items[i] : body)) != NULL;
    rlxc_names_restore(p->ctx, &p->names, mark);
    if (ok)
        *out = rlxc_attr_expr(
            rlxc_call(p->ctx, rlxc_dtype_void(), rlxc_intern_cstr(p->ctx, "index_map"), args, n));
    return ok;
}

static bool parse_tensor(const rlxc_constant *tensor, rlxc_attr *out)
{
    if (tensor)
        *out = rlxc_attr_tensor(tensor);
    return tensor != NULL;
}

static bool parse_value(rlxc_parser *p, const rlxc_py *e, rlxc_attr *out)
{
    const char *path;
    rlx_dtype dtype;
    switch (e->kind) {
    case RLXC_PY_NONE:
        *out = (rlxc_attr){.kind = RLXC_ATTR_NONE};
        return true;
    case RLXC_PY_BOOL:
        *out = rlxc_attr_bool(e->i != 0);
        return true;
    case RLXC_PY_INT:
        if (e->huge)
            return parse_expr(p, e, out);
        *out = rlxc_attr_int(e->i);
        return true;
    case RLXC_PY_FLOAT:
        *out = rlxc_attr_float(e->f);
        return true;
    case RLXC_PY_STRING:
        *out = rlxc_attr_string(p->ctx, rlxc_intern(p->ctx, e->text, e->length));
        return true;
    case RLXC_PY_TUPLE:
    case RLXC_PY_LIST:
    case RLXC_PY_DICT:
        return parse_list(p, e, out);
    case RLXC_PY_CALL:
        path = rlxc_parse_path(p, e->base);
        if (path && e->n == 1 &&
            (strcmp(path, "R.str") == 0 || strcmp(path, "R.prim_value") == 0 ||
             strcmp(path, "T.target") == 0 || strcmp(path, "I.target") == 0))
            return rlxc_parse_attr(p, e->items[0], out);
        if (path && e->n == 1 && strcmp(path, "R.dtype") == 0) {
            if (!rlxc_parse_dtype(p, e->items[0], &dtype))
                return false;
            *out = rlxc_attr_dtype(dtype);
            return true;
        }
        if (path && strcmp(path, "T.index_map") == 0)
            return parse_index_map(p, e, out);
        if (path && strcmp(path, "R.const") == 0)
            return parse_tensor(rlxc_parse_const(p, e), out);
        return parse_expr(p, e, out);
    case RLXC_PY_NAME:
        if (rlxc_parse_buffer_name(p, e)) { /* a hint such as layout_free_placeholders */
            *out = rlxc_attr_string(p->ctx, e->text);
            return true;
        }
        return parse_expr(p, e, out);
    case RLXC_PY_INDEX:
        if (rlxc_parse_is_metadata(p, e))
            return parse_tensor(rlxc_parse_metadata_item(p, e), out);
        return parse_expr(p, e, out);
    case RLXC_PY_ATTR:
    case RLXC_PY_SLICE:
    case RLXC_PY_UNARY:
    case RLXC_PY_BINARY:
    case RLXC_PY_IF:
        return parse_expr(p, e, out);
    case RLXC_PY_LAMBDA:
        return parse_index_map(p, e, out);
    }
    return parse_expr(p, e, out);
}

bool rlxc_parse_attr(rlxc_parser *p, const rlxc_py *e, rlxc_attr *out)
{
    if (!rlxc_parse_enter(p, e->range))
        return false;
    bool ok = parse_value(p, rlxc_parse_literal(p, e), out);
    rlxc_parse_leave(p);
    return ok;
}

bool rlxc_parse_attr_dict(rlxc_parser *p, const rlxc_py *e, rlxc_attrs *io)
{
    if (e->kind != RLXC_PY_DICT) {
        rlxc_error(p->ctx, e->range, "expected a dictionary of attributes, got %s",
                   rlxc_py_describe(p->ctx, e));
        return false;
    }
    for (uint32_t i = 0; i < e->n; i++) {
        rlxc_attr value;
        if (e->keys[i]->kind != RLXC_PY_STRING) {
            rlxc_error(p->ctx, e->keys[i]->range, "the keys of attributes are strings");
            return false;
        }
        if (!rlxc_parse_attr(p, e->items[i], &value))
            return false;
        *io = rlxc_attrs_with(p->ctx, *io,
                              rlxc_intern(p->ctx, e->keys[i]->text, e->keys[i]->length), value);
    }
    return true;
}

bool rlxc_parse_attr_call(rlxc_parser *p, const rlxc_py *call, rlxc_attrs *io)
{
    if (call->n == 1 && call->n_keywords == 0)
        return rlxc_parse_attr_dict(p, call->items[0], io);
    rlxc_error(p->ctx, call->range, "%s takes one dictionary", rlxc_py_describe(p->ctx, call));
    return false;
}

/* --- elements -------------------------------------------------------------------------------- */

/* True if |value| (|huge|: as an unsigned number) is a value of |t|. */
static bool int_fits(rlx_dtype t, int64_t value, bool huge)
{
    if (rlxc_dtype_is_bool(t))
        return !huge && (value == 0 || value == 1);
    if (t.code == RLX_UINT)
        return t.bits == 64 ? huge || value >= 0 : !huge && value >= 0 && value >> t.bits == 0;
    if (huge)
        return false;
    return t.bits == 64 ||
           (value >= -((int64_t)1 << (t.bits - 1)) && value < (int64_t)1 << (t.bits - 1));
}

static void put_number(rlx_dtype t, uint64_t bits, uint8_t *data, size_t index)
{
    const size_t size = rlx_dtype_size(t);
    if (size == 0)
        rlx_packed_set(t, data, index, (int64_t)bits);
    for (size_t i = 0; i < size; i++)
        data[index * size + i] = (uint8_t)(bits >> (8 * i));
}

/* Sets element |index| of |data| to the number |e|. */
static bool put_element(rlxc_parser *p, const rlxc_py *e, rlx_dtype t, uint8_t *data, size_t index)
{
    int64_t i = 0;
    double f = 0;
    bool huge = false, is_float = false;
    if (e->kind == RLXC_PY_INT || e->kind == RLXC_PY_BOOL) {
        i = e->i;
        huge = e->huge;
    } else if (e->kind == RLXC_PY_FLOAT) {
        f = e->f;
        is_float = true;
    } else if (e->kind == RLXC_PY_STRING && rlxc_parse_special_float(e->text, &f)) {
        is_float = true; /* R.const("-inf", "float32") */
    } else {
        const rlxc_expr *value = rlxc_parse_prim(p, e);
        if (!value)
            return false;
        if (value->kind != RLXC_EXPR_INT && value->kind != RLXC_EXPR_FLOAT) {
            rlxc_error(p->ctx, e->range, "an element of a constant must be a number");
            return false;
        }
        is_float = value->kind == RLXC_EXPR_FLOAT;
        if (is_float)
            f = value->f;
        else
            i = value->i;
    }
    if (rlxc_dtype_is_float(t)) {
        f = is_float ? f : huge ? (double)(uint64_t)i : (double)i;
        put_number(t, rlx_float_encode(t, f), data, index);
        return true;
    }
    if (is_float && f >= -0x1p63 && f < 0x1p63 && trunc(f) == f) {
        i = (int64_t)f;
        is_float = false;
    }
    if (is_float || !int_fits(t, i, huge)) {
        rlxc_error(p->ctx, e->range, "%s is not a value of %s", rlxc_py_describe(p->ctx, e),
                   rlxc_dtype_name(p->ctx, t));
        return false;
    }
    put_number(t, (uint64_t)i, data, index);
    return true;
}

typedef struct elements {
    rlx_dtype dtype;
    size_t count, capacity;
    uint8_t *data;
    int64_t *shape;
    uint32_t ndim;
} elements;

static size_t count_leaves(const rlxc_py *e)
{
    size_t n = 0;
    if (!rlxc_py_is_list(e))
        return 1;
    for (uint32_t i = 0; i < e->n; i++)
        n += count_leaves(e->items[i]);
    return n;
}

/* Appends the numbers below |e|, which is at |level|. Trees are limited in depth. */
static bool collect(rlxc_parser *p, const rlxc_py *e, uint32_t level, elements *out)
{
    if (!rlxc_py_is_list(e)) {
        if (level != out->ndim) {
            rlxc_error(p->ctx, e->range, "the lists of a constant have different depths");
            return false;
        }
        if (out->count == out->capacity) {
            rlxc_error(p->ctx, e->range, "the lists of a constant have different lengths");
            return false;
        }
        return put_element(p, e, out->dtype, out->data, out->count++);
    }
    if (level >= out->ndim || (int64_t)e->n != out->shape[level]) {
        rlxc_error(p->ctx, e->range, "the lists of a constant have different lengths");
        return false;
    }
    for (uint32_t i = 0; i < e->n; i++)
        if (!collect(p, e->items[i], level + 1, out))
            return false;
    return true;
}

bool rlxc_parse_elements(rlxc_parser *p, const rlxc_py *e, rlx_dtype dtype, int64_t *out_shape,
                         uint32_t *out_ndim, void **out_data, size_t *out_nbytes)
{
    elements list = {.dtype = dtype, .capacity = 1};
    list.shape = out_shape;
    if (!rlx_dtype_valid(dtype)) {
        rlxc_error(p->ctx, e->range, "constants of %s are not supported",
                   rlxc_dtype_name(p->ctx, dtype));
        return false;
    }
    for (const rlxc_py *at = e; rlxc_py_is_list(at); at = at->items[0]) {
        if (list.ndim == RLXC_MAX_NDIM) {
            rlxc_error(p->ctx, e->range, "a constant has more than %d dimensions", RLXC_MAX_NDIM);
            return false;
        }
        out_shape[list.ndim++] = at->n;
        if (!rlx_mul_size(list.capacity, at->n, &list.capacity)) {
            rlxc_error(p->ctx, e->range, "the constant is too large");
            return false;
        }
        if (at->n == 0)
            break;
    }
    size_t nbytes;
    if (!rlx_nbytes(out_shape, list.ndim, dtype, &nbytes))
        return false;
    /* counted before anything is allocated: the first row does not determine the others */
    if (count_leaves(e) != list.capacity) {
        rlxc_error(p->ctx, e->range, "the lists of a constant have different lengths");
        return false;
    }
    list.data = rlxc_try_alloc(p->ctx, nbytes + 1, 1);
    if (list.data)
        memset(list.data, 0, nbytes);
    if (!list.data || !collect(p, e, 0, &list))
        return false;
    *out_ndim = list.ndim;
    *out_data = list.data;
    *out_nbytes = nbytes;
    return true;
}

const rlxc_constant *rlxc_parse_scalar(rlxc_parser *p, const rlxc_py *e, rlx_dtype dtype)
{
    int64_t shape[RLXC_MAX_NDIM];
    uint32_t ndim;
    void *data;
    size_t nbytes;
    if (!rlxc_parse_elements(p, e, dtype, shape, &ndim, &data, &nbytes))
        return NULL;
    return rlxc_constant_new(p->ctx, dtype, ndim, shape, data, nbytes);
}

/* The type of plain Python numbers: float32, int32 or bool, from the first number. */
static rlx_dtype natural_dtype(rlxc_parser *p, const rlxc_py *e)
{
    while (rlxc_py_is_list(e) && e->n > 0)
        e = e->items[0];
    if (e->kind == RLXC_PY_BOOL)
        return RLX_B8;
    if (e->kind == RLXC_PY_INT)
        return e->huge || e->i > INT32_MAX || e->i < INT32_MIN ? RLX_I64 : RLX_I32;
    if (e->kind == RLXC_PY_CALL && rlxc_parse_path(p, e->base)) {
        const rlxc_expr *value = rlxc_parse_prim(p, e);
        if (value)
            return value->dtype;
    }
    return RLX_F32;
}

static bool is_numpy_array(const rlxc_py *e)
{
    const char *name = e->kind == RLXC_PY_CALL ? e->base->dotted : NULL;
    return name && e->n > 0 && e->n < 3 &&
           (strcmp(name, "np.array") == 0 || strcmp(name, "numpy.array") == 0);
}

const rlxc_constant *rlxc_parse_const(rlxc_parser *p, const rlxc_py *call)
{
    rlx_dtype dtype;
    const rlxc_py *value = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "value");
    const rlxc_py *type = call->n > 1 ? call->items[1] : rlxc_py_keyword(call, "dtype");
    if (!value || call->n > 2) {
        rlxc_error(p->ctx, call->range, "R.const takes a value and an element type");
        return NULL;
    }
    const bool numpy = is_numpy_array(value); /* R.const(np.array([1, 2], dtype="int64")) */
    if (numpy && !type)
        type = value->n > 1 ? value->items[1] : rlxc_py_keyword(value, "dtype");
    if (numpy)
        value = value->items[0];
    if (type && !rlxc_parse_dtype(p, type, &dtype))
        return NULL;
    if (!type)
        dtype = natural_dtype(p, value);
    if (!type && numpy && !rlxc_dtype_is_bool(dtype)) /* NumPy's own are of 64 bits */
        dtype = rlxc_dtype_is_int(dtype) ? RLX_I64 : RLX_F64;
    return rlxc_parse_scalar(p, value, dtype);
}

bool rlxc_parse_is_number(rlxc_parser *p, const rlxc_py *e)
{
    if (e->kind == RLXC_PY_INT || e->kind == RLXC_PY_FLOAT || e->kind == RLXC_PY_BOOL)
        return true;
    return e->kind == RLXC_PY_CALL && e->base->dotted && strcmp(e->base->dotted, "float") == 0 &&
           !rlxc_names_find(&p->names, e->base->text);
}

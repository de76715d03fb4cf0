/* Values, attributes and emission, the vocabulary of handlers (importer.h).
 *
 * Calls have no effect once the node has failed, so that handlers need no error paths; an operator
 * that reported an error fails the node. */
#include "compiler/ir/constant.h"
#include "compiler/onnx/sizes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SHOWN = 512 }; /* of a message */

static const int64_t EXACT = (int64_t)1 << 52; /* smaller numbers are exact as doubles */

/* --- the node --------------------------------------------------------------------------------- */

/* The formatted text, with the node that it is about, if there is one. */
static const char *at_node(rlxc_ox *im, const char *format, va_list args)
{
    char op[104] = "", name[204] = "", text[TEXT_SHOWN];
    vsnprintf(text, sizeof text, format, args);
    if (im->node && im->node->op_type)
        rlx_name_text(rlx_str_from(im->node->op_type), op, sizeof op);
    if (im->node && im->node->name)
        rlx_name_text(rlx_str_from(im->node->name), name, sizeof name);
    return !im->node ? rlxc_internf(im->ctx, "%s", text)
           : *name   ? rlxc_internf(im->ctx, "node '%s', %s: %s", name, op, text)
                     : rlxc_internf(im->ctx, "node without name, %s: %s", op, text);
}

void rlxc_ox_fail(rlxc_ox *im, const char *format, ...)
{
    if (im->failed)
        return;
    va_list args;
    va_start(args, format);
    rlxc_error(im->ctx, im->frame->b.range, "%s", at_node(im, format, args));
    va_end(args);
    im->failed = true;
}

void rlxc_ox_report(rlxc_ox *im, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rlxc_error(im->ctx, im->frame->b.range, "%s", at_node(im, format, args));
    va_end(args);
}

void rlxc_ox_warn(rlxc_ox *im, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rlxc_warning(im->ctx, im->frame->b.range, "%s", at_node(im, format, args));
    va_end(args);
}

/* True while the node has not failed; notices errors that an operator reported. */
bool rlxc_ox_good(rlxc_ox *im)
{
    if (!im->failed && (rlxc_error_count(im->ctx) > im->errors || rlxc_out_of_memory(im->ctx)))
        im->failed = true;
    return !im->failed;
}

uint32_t rlxc_ox_n_inputs(const rlxc_ox *im)
{
    return (uint32_t)im->node->n_input;
}

uint32_t rlxc_ox_n_outputs(const rlxc_ox *im)
{
    return (uint32_t)im->node->n_output;
}

bool rlxc_ox_wants(const rlxc_ox *im, uint32_t output)
{
    return output < im->node->n_output && im->node->output[output] && *im->node->output[output];
}

rlxc_ox_value *rlxc_ox_value_in(rlxc_ox *im, uint32_t input)
{
    rlxc_ox_value *found = NULL;
    if (input < im->node->n_input && im->node->input[input] && *im->node->input[input])
        found = rlxc_ox_lookup(im, im->node->input[input]);
    return found ? found : rlxc_alloc(im->ctx, sizeof *found);
}

bool rlxc_ox_has(const rlxc_ox *im, uint32_t input)
{
    return input < im->node->n_input && im->node->input[input] && *im->node->input[input] &&
           rlxc_ox_value_in((rlxc_ox *)(uintptr_t)im, input)->kind != RLXC_OX_ABSENT;
}

rlxc_atom rlxc_ox_in(rlxc_ox *im, uint32_t input)
{
    rlxc_ox_value *v = rlxc_ox_value_in(im, input);
    if (v->kind == RLXC_OX_ABSENT)
        rlxc_ox_fail(im, "input %u is missing", input);
    else if (v->kind == RLXC_OX_SEQUENCE || v->kind == RLXC_OX_OBJECT)
        rlxc_ox_fail(im, "input %u is %s, expected a tensor", input,
                     v->kind == RLXC_OX_SEQUENCE || v->is_list ? "a sequence" : "an optional");
    return rlxc_ox_atom(im, v);
}

void rlxc_ox_set_value(rlxc_ox *im, uint32_t output, rlxc_ox_value *value)
{
    if (!rlxc_ox_good(im) || !rlxc_ox_wants(im, output))
        return;
    rlxc_ox_define(im, im->node->output[output], value);
}

void rlxc_ox_set(rlxc_ox *im, uint32_t output, rlxc_atom atom)
{
    atom = rlxc_ox_named_dims(im, atom, RLXC_OX_MAX_DIM);
    rlxc_ox_note_sizes(im, atom);
    if (rlxc_ox_good(im))
        rlxc_ox_set_value(im, output, rlxc_ox_tensor(im, atom));
}

const Onnx__AttributeProto *rlxc_ox_attr(const rlxc_ox *im, const char *name)
{
    for (size_t i = 0; i < im->node->n_attribute; i++)
        if (im->node->attribute[i]->name && strcmp(im->node->attribute[i]->name, name) == 0)
            return im->node->attribute[i];
    return NULL;
}

int64_t rlxc_ox_whole(double value)
{
    if (!(value > -9.2e18 && value < 9.2e18)) /* also what is not a number */
        return value > 0 ? INT64_MAX : value < 0 ? INT64_MIN : 0;
    return (int64_t)value;
}

int64_t rlxc_ox_int(const rlxc_ox *im, const char *name, int64_t otherwise)
{
    const Onnx__AttributeProto *a = rlxc_ox_attr(im, name);
    if (a && a->has_type && a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT)
        return a->i; /* writers may leave out a 0 */
    return a && a->has_i ? a->i : a && a->has_f ? rlxc_ox_whole((double)a->f) : otherwise;
}

double rlxc_ox_float(const rlxc_ox *im, const char *name, double otherwise)
{
    const Onnx__AttributeProto *a = rlxc_ox_attr(im, name);
    if (a && a->has_type && a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT)
        return (double)a->f;
    return a && a->has_f ? (double)a->f : a && a->has_i ? (double)a->i : otherwise;
}

const char *rlxc_ox_str(rlxc_ox *im, const char *name, const char *otherwise)
{
    const Onnx__AttributeProto *a = rlxc_ox_attr(im, name);
    return a && a->has_s ? rlxc_intern(im->ctx, (const char *)a->s.data, a->s.len) : otherwise;
}

bool rlxc_ox_is(rlxc_ox *im, const char *name, const char *otherwise, const char *text)
{
    return strcmp(rlxc_ox_str(im, name, otherwise), text) == 0;
}

bool rlxc_ox_ints(rlxc_ox *im, const char *name, int64_t *out, uint32_t capacity, uint32_t *out_n)
{
    const Onnx__AttributeProto *a = rlxc_ox_attr(im, name);
    *out_n = 0;
    if (!a)
        return false;
    if (a->n_ints > capacity) {
        rlxc_ox_fail(im, "attribute %s has %zu numbers, at most %u are expected", name, a->n_ints,
                     capacity);
        return false;
    }
    for (size_t i = 0; i < a->n_ints; i++)
        out[i] = a->ints[i];
    *out_n = (uint32_t)a->n_ints;
    return true;
}

/* --- values ----------------------------------------------------------------------------------- */

rlxc_ox_value *rlxc_ox_tensor(rlxc_ox *im, rlxc_atom atom)
{
    rlxc_ox_value *v = rlxc_alloc(im->ctx, sizeof *v);
    v->kind = RLXC_OX_TENSOR;
    v->atom = atom;
    return v;
}

rlxc_atom rlxc_ox_prims(rlxc_ox *im, const rlxc_expr *const *values, uint32_t n)
{
    rlxc_atom shape = rlxc_atom_shape(im->ctx, values, n);
    return rlxc_ox_op1(im, "shape_to_tensor", shape);
}

rlxc_atom rlxc_ox_scalar(rlxc_ox *im, const rlxc_expr *e, rlx_dtype dtype)
{
    int64_t value;
    e = rlxc_canonical(im->ctx, e, NULL);
    if (rlxc_is_int(e, &value) && value < EXACT && value > -EXACT)
        return rlxc_ox_number(im, dtype, (double)value);
    return rlxc_ox_cast(im, rlxc_ox_reshape(im, rlxc_ox_prims(im, &e, 1), NULL, 0), dtype);
}

static rlxc_atom make_tensor(rlxc_ox *im, const rlxc_ox_value *v)
{
    int64_t shape[1] = {v->n_elems};
    double values[RLXC_OX_MAX_ELEMS];
    bool constant = v->n_elems <= RLXC_OX_MAX_ELEMS;
    for (uint32_t i = 0; i < v->n_elems && constant; i++) {
        int64_t value;
        constant = rlxc_is_int(v->elems[i], &value) && value < EXACT && value > -EXACT;
        values[i] = constant ? (double)value : 0;
    }
    if (constant)
        return rlxc_ox_const_tensor(im, v->dtype, v->is_vector ? 1 : 0, shape, values);
    rlxc_atom t = rlxc_ox_prims(im, v->elems, v->n_elems);
    if (!v->is_vector)
        t = rlxc_ox_reshape(im, t, NULL, 0);
    return rlxc_ox_cast(im, t, v->dtype);
}

/* |e| as an element of type |t|; NULL if the value may differ. Sizes are assumed to fit 32 bits. */
static const rlxc_expr *as_element(rlxc_ox *im, const rlxc_expr *e, rlx_dtype t)
{
    int64_t value;
    if (t.code != RLX_INT && t.code != RLX_UINT)
        return e;
    if (!rlxc_is_int(e, &value))
        return t.bits < 32 ? NULL : e;
    if (t.bits == 64)
        return value < 0 && t.code == RLX_UINT ? NULL : e;
    uint64_t range = UINT64_C(1) << t.bits, low = (uint64_t)value & (range - 1);
    bool negative = t.code == RLX_INT && low >= range / 2;
    return rlxc_ox_i(im, (int64_t)low - (negative ? (int64_t)range : 0));
}

void rlxc_ox_set_grid(rlxc_ox *im, rlxc_atom y, const rlxc_expr *const *elems, uint32_t rows,
                      uint32_t columns)
{
    rlxc_ox_value *v = rlxc_ox_tensor(im, y);
    v->grid = rlxc_copy(im->ctx, elems, (size_t)rows * columns * sizeof *elems);
    v->rows = rows;
    v->columns = columns;
    rlxc_ox_set_value(im, 0, v);
}

void rlxc_ox_set_elems(rlxc_ox *im, uint32_t output, rlx_dtype dtype, bool is_vector,
                       const rlxc_expr *const *elems, uint32_t n)
{
    rlxc_ox_value *v = rlxc_alloc(im->ctx, sizeof *v);
    const rlxc_expr **kept = rlxc_alloc(im->ctx, (n + 1) * sizeof(const rlxc_expr *));
    bool known = true;
    for (uint32_t i = 0; i < n; i++) {
        kept[i] = rlxc_canonical(im->ctx, elems[i], NULL);
        const rlxc_expr *e = as_element(im, kept[i], dtype);
        known = known && e;
        kept[i] = e ? e : kept[i];
    }
    *v = (rlxc_ox_value){.kind = RLXC_OX_TENSOR,
                         .dtype = dtype,
                         .is_vector = is_vector,
                         .elems = kept,
                         .n_elems = n};
    if (!known)
        v = rlxc_ox_tensor(im, make_tensor(im, v));
    rlxc_ox_set_value(im, output, v);
}

rlxc_atom rlxc_ox_atom(rlxc_ox *im, rlxc_ox_value *v)
{
    if (v->kind == RLXC_OX_FAILED)
        im->failed = true;
    if (im->failed || v->kind != RLXC_OX_TENSOR)
        return (rlxc_atom){0};
    /* Not cached: a value made inside a branch is not visible outside. */
    return v->atom.kind != RLXC_ATOM_NONE ? v->atom : make_tensor(im, v);
}

bool rlxc_ox_const_doubles(rlxc_ox *im, rlxc_ox_value *v, double *out, uint32_t capacity,
                           uint32_t *out_n)
{
    const rlxc_expr *const *elems;
    int64_t value;
    if (v->kind == RLXC_OX_TENSOR && v->atom.kind == RLXC_ATOM_CONSTANT) {
        const rlxc_constant *c = v->atom.constant;
        int64_t n = 1;
        for (uint32_t i = 0; i < c->ndim; i++)
            n = n > capacity ? n : n * c->shape[i];
        if (n > capacity)
            return false;
        *out_n = (uint32_t)n;
        for (uint32_t i = 0; i < *out_n; i++)
            out[i] = rlxc_constant_double(c, i);
        rlxc_map_set(im->ctx, &im->weights.in, rlxc_key(c), NULL);
        return true;
    }
    if (!rlxc_ox_known(im, v, &elems, out_n) || *out_n > capacity)
        return false;
    for (uint32_t i = 0; i < *out_n; i++) {
        if (!rlxc_is_int(elems[i], &value))
            return false;
        out[i] = (double)value;
    }
    return true;
}

bool rlxc_ox_known(rlxc_ox *im, rlxc_ox_value *v, const rlxc_expr *const **out, uint32_t *out_n)
{
    if (v->kind != RLXC_OX_TENSOR)
        return false;
    if (!v->elems && v->atom.kind == RLXC_ATOM_CONSTANT &&
        !rlxc_map_get(&im->weights.in, rlxc_key(v->atom.constant))) {
        const rlxc_constant *c = v->atom.constant;
        int64_t n = c->ndim == 0 ? 1 : c->shape[0];
        if (c->ndim > 1 || n > RLXC_OX_MAX_ELEMS)
            return false;
        const rlxc_expr **elems = rlxc_alloc(im->ctx, ((size_t)n + 1) * sizeof(const rlxc_expr *));
        for (uint32_t i = 0; i < n; i++) {
            if (!rlxc_dtype_is_float(c->dtype)) {
                elems[i] = rlxc_ox_i(im, rlxc_constant_int(c, i));
                continue;
            }
            double d = rlxc_constant_double(c, i);
            if (!(fabs(d) < 9e15) || d != floor(d))
                return false;
            elems[i] = rlxc_ox_i(im, (int64_t)d);
        }
        v->elems = elems;
        v->n_elems = (uint32_t)n;
        v->dtype = c->dtype;
        v->is_vector = c->ndim == 1;
    }
    *out = v->elems;
    *out_n = v->n_elems;
    return v->elems != NULL;
}

bool rlxc_ox_known_sizes(rlxc_ox *im, rlxc_ox_value *v, const rlxc_expr *const **out,
                         uint32_t *out_n)
{
    return rlxc_ox_known(im, v, out, out_n) &&
           (v->atom.kind != RLXC_ATOM_CONSTANT || rlxc_dtype_eq(v->dtype, RLX_I64) ||
            rlxc_dtype_eq(v->dtype, RLX_I32));
}

bool rlxc_ox_elems_of(rlxc_ox *im, rlxc_ox_value *v, const rlxc_expr *const **out, uint32_t *out_n)
{
    *out_n = 0;
    *out = NULL;
    if (rlxc_ox_known(im, v, out, out_n))
        return true;
    rlxc_atom t = rlxc_ox_atom(im, v);
    int64_t n = 1;
    if (!rlxc_ox_good(im))
        return false;
    if (rlxc_ox_ndim(im, t) > 1 ||
        (rlxc_ox_ndim(im, t) == 1 && !rlxc_ox_static_dim(im, t, 0, &n)) || n > RLXC_MAX_NDIM * 4 ||
        rlxc_dtype_is_float(rlxc_ox_type(im, t))) {
        rlxc_ox_fail(im,
                     "an input that decides the result's shape is %s; a short integer vector of "
                     "known length is needed",
                     rlxc_sinfo_text(im->ctx, rlxc_atom_sinfo(im->ctx, im->module, t)));
        return false;
    }
    const rlxc_expr **symbols = rlxc_alloc(im->ctx, ((size_t)n + 1) * sizeof(const rlxc_expr *));
    if (n > 0) {
        const rlxc_expr *one = rlxc_ox_i(im, n);
        rlxc_atom vector = rlxc_ox_cast(im, t, RLX_I64);
        if (rlxc_ox_ndim(im, t) == 0)
            vector = rlxc_ox_reshape(im, vector, &one, 1);
        for (uint32_t i = 0; i < n; i++)
            symbols[i] = rlxc_var(im->ctx, rlxc_internf(im->ctx, "v%u", i), RLX_I64);
        rlxc_atom shape = rlxc_ox_op1(im, "tensor_to_shape", vector);
        rlxc_ox_match(im, shape, rlxc_sinfo_shape(im->ctx, (int32_t)n, symbols));
    }
    *out = symbols;
    *out_n = (uint32_t)n;
    return rlxc_ox_good(im);
}

bool rlxc_ox_elems(rlxc_ox *im, uint32_t input, const rlxc_expr *const **out, uint32_t *out_n)
{
    rlxc_ox_value *v = rlxc_ox_value_in(im, input);
    const rlxc_sinfo *s = v->atom.kind == RLXC_ATOM_NONE ? NULL : rlxc_ox_info(im, v->atom);
    if (s && rlxc_dtype_is_float(s->dtype))
        rlxc_ox_fail(im, "input %u is of %s, expected integers", input,
                     rlxc_dtype_name(im->ctx, s->dtype));
    return rlxc_ox_elems_of(im, v, out, out_n);
}

const rlxc_expr *rlxc_ox_one(rlxc_ox *im, uint32_t input)
{
    const rlxc_expr *const *elems;
    uint32_t n;
    if (!rlxc_ox_elems(im, input, &elems, &n))
        return NULL;
    if (n != 1)
        rlxc_ox_fail(im, "input %u has %u elements, expected one", input, n);
    return n == 1 ? elems[0] : NULL;
}

bool rlxc_ox_const_int(rlxc_ox *im, uint32_t input, int64_t *out)
{
    const rlxc_expr *const *elems;
    uint32_t n;
    return rlxc_ox_known(im, rlxc_ox_value_in(im, input), &elems, &n) && n == 1 &&
           rlxc_is_int(elems[0], out);
}

/* --- what is known of an atom ----------------------------------------------------------------- */

const rlxc_sinfo *rlxc_ox_info(rlxc_ox *im, rlxc_atom a)
{
    if (im->failed || a.kind == RLXC_ATOM_NONE)
        return NULL;
    const rlxc_sinfo *s = rlxc_atom_sinfo(im->ctx, im->module, a);
    return s && s->kind == RLXC_SINFO_TENSOR ? s : NULL;
}

rlx_dtype rlxc_ox_type(rlxc_ox *im, rlxc_atom a)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    return s ? s->dtype : RLX_F32;
}

uint32_t rlxc_ox_ndim(rlxc_ox *im, rlxc_atom a)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    if (s && s->ndim == RLXC_UNKNOWN_NDIM)
        rlxc_ox_fail(im, "the rank of a tensor is not known");
    return s && s->ndim > 0 ? (uint32_t)s->ndim : 0;
}

const rlxc_expr *rlxc_ox_dim(rlxc_ox *im, rlxc_atom a, uint32_t i)
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    if (s && s->dims && (int32_t)i < s->ndim)
        return s->dims[i];
    rlxc_ox_fail(im, "a dimension %u is needed", i);
    return rlxc_ox_i(im, 1);
}

bool rlxc_ox_static_dim(rlxc_ox *im, rlxc_atom a, uint32_t i, int64_t *out)
{
    *out = 1;
    return rlxc_is_int(rlxc_ox_dim(im, a, i), out);
}

int64_t rlxc_ox_need_dim(rlxc_ox *im, rlxc_atom a, uint32_t i, const char *what)
{
    int64_t d;
    if (!rlxc_ox_static_dim(im, a, i, &d))
        rlxc_ox_fail(im, "%s must be known at compile time", what);
    return d;
}

void rlxc_ox_dims(rlxc_ox *im, rlxc_atom a, const rlxc_expr *out[RLXC_MAX_NDIM])
{
    const rlxc_sinfo *s = rlxc_ox_info(im, a);
    (void)rlxc_ox_ndim(im, a);
    for (int32_t i = 0; i < RLXC_MAX_NDIM; i++)
        out[i] = s && s->dims && i < s->ndim ? s->dims[i] : rlxc_ox_i(im, 1);
}

uint32_t rlxc_ox_axis(rlxc_ox *im, int64_t axis, uint32_t ndim)
{
    int64_t at = axis < 0 ? axis + ndim : axis;
    if (at >= 0 && at < ndim)
        return (uint32_t)at;
    rlxc_ox_fail(im, "axis %lld is out of range for %u dimensions", (long long)axis, ndim);
    return 0;
}

/* Shared by all inference functions: the view of a call with arity and kinds checked, messages,
 * axes, broadcasting and shape arguments.
 *
 * Only what is provably wrong is an error; requirements that cannot be proved are checked at run
 * time (require.h). */
#include "compiler/ops/require.h"

#include <stdio.h>
#include <string.h>

bool rlxc_arg_absent(const rlxc_binding *call, uint32_t i)
{
    return i >= call->n_args || call->args[i].kind == RLXC_ATOM_NONE ||
           (call->args[i].kind == RLXC_ATOM_TUPLE && call->args[i].n == 0);
}

static const char *argument_name(const rlxc_call_view *v, uint32_t i)
{
    const rlxc_op_input *input = &v->inputs[i < v->n_inputs ? i : v->n_inputs - 1];
    return rlxc_intern(v->ctx, input->name, input->name_length);
}

const rlxc_sinfo *rlxc_infer_fail(const rlxc_call_view *v, uint32_t argument, const char *format,
                                  ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rlxc_error(v->ctx, v->call->range, "%s: argument '%s': %s", v->op, argument_name(v, argument),
               text);
    return NULL;
}

const rlxc_sinfo *rlxc_infer_error(const rlxc_call_view *v, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rlxc_error(v->ctx, v->call->range, "%s: %s", v->op, text);
    return NULL;
}

static const char *kind_text(char kind)
{
    switch (kind) {
    case 't':
        return "a tensor";
    case 's':
        return "a shape";
    case 'p':
        return "a prim value";
    case 'd':
        return "a dtype";
    case 'q':
        return "a string";
    case 'c':
        return "a closure";
    default:
        return "a value";
    }
}

static bool kind_fits(char kind, const rlxc_sinfo *s, rlxc_atom atom)
{
    switch (kind) {
    case 't':
        return s->kind == RLXC_SINFO_TENSOR;
    case 's':
        return s->kind == RLXC_SINFO_SHAPE;
    case 'p':
        return s->kind == RLXC_SINFO_PRIM;
    case 'd':
        return atom.kind == RLXC_ATOM_DTYPE;
    case 'q':
        return atom.kind == RLXC_ATOM_STRING;
    case 'c':
        return atom.kind != RLXC_ATOM_DTYPE && atom.kind != RLXC_ATOM_STRING &&
               (s->kind == RLXC_SINFO_CALLABLE || s->kind == RLXC_SINFO_OBJECT);
    default:
        return true;
    }
}

/* True for a tuple whose fields are all of |kind|; a shape counts as a tuple of prim values. */
static bool tuple_fits(char kind, const rlxc_sinfo *s)
{
    if (kind == 'o' || (kind == 'p' && s->kind == RLXC_SINFO_SHAPE))
        return true;
    if (s->kind != RLXC_SINFO_TUPLE)
        return false;
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (!kind_fits(kind, s->fields[i], (rlxc_atom){0}))
            return false;
    return true;
}

bool rlxc_call_stores(const rlxc_binding *call)
{
    const uint32_t any = RLXC_OP_STORES | RLXC_OP_FOLLOWS | RLXC_OP_ALIASES_0 | RLXC_OP_CALLS |
                         RLXC_OP_MEMORY | RLXC_OP_KILLS;
    return (call->op->flags & any) != 0 &&
           strcmp(rlxc_attr_get_str(call, "reduction", "update"), "update") == 0 &&
           !rlxc_attr_get_bool(call, "accumulate", false);
}

/* False after an error if |s|, argument |i|, has a storage-only type. */
static bool computes_with(const rlxc_call_view *v, uint32_t i, const rlxc_sinfo *s)
{
    for (uint32_t k = 0; s->kind == RLXC_SINFO_TUPLE && k < s->n_fields; k++)
        if (!computes_with(v, i, s->fields[k]))
            return false;
    if (s->kind != RLXC_SINFO_TENSOR || !rlxc_dtype_is_stored(s->dtype))
        return true;
    rlxc_infer_fail(v, i, "%s is a storage-only type: convert with astype first",
                    rlxc_dtype_name(v->ctx, s->dtype));
    return false;
}

static bool check_argument(rlxc_call_view *v, uint32_t i, const rlxc_op_input *input)
{
    rlxc_atom atom = v->call->args[i];
    if (input->optional && rlxc_arg_absent(v->call, i))
        return true;
    if (atom.kind == RLXC_ATOM_NONE) {
        rlxc_infer_fail(v, i, "is missing");
        return false;
    }
    const rlxc_sinfo *s = atom.kind == RLXC_ATOM_DTYPE || atom.kind == RLXC_ATOM_STRING
                              ? rlxc_sinfo_object(v->ctx)
                              : rlxc_atom_sinfo(v->ctx, v->module, atom);
    if (!s)
        return false;
    bool fits = input->is_tuple ? tuple_fits(input->kind, s) : kind_fits(input->kind, s, atom);
    if (!fits) {
        rlxc_infer_fail(v, i, "expected %s%s, got %s",
                        input->is_tuple ? "a tuple, each field " : "", kind_text(input->kind),
                        rlxc_sinfo_text(v->ctx, s));
        return false;
    }
    if (i < RLXC_MAX_OP_INPUTS)
        v->in[i] = s;
    return rlxc_call_stores(v->call) || computes_with(v, i, s);
}

bool rlxc_infer_begin(rlxc_call_view *v, rlxc_context *ctx, const rlxc_module *module,
                      const rlxc_binding *call)
{
    bool variadic;
    *v = (rlxc_call_view){.ctx = ctx, .module = module, .call = call, .op = call->op->name};
    v->n_inputs = rlxc_operator_inputs(call->op, v->inputs, &variadic);
    rlxc_op_attr attr;
    const char *value;
    if (rlxc_operator_wrong_choice(call, &attr, &value)) {
        rlxc_infer_error(v, "%.*s must be %s, got \"%s\"", (int)attr.name_length, attr.name,
                         rlxc_op_attr_choices(ctx, &attr), value);
        return false;
    }
    uint32_t most = v->n_inputs, least = 0;
    for (uint32_t i = 0; i < v->n_inputs; i++)
        if (!v->inputs[i].optional)
            least = i + 1;
    if (variadic)
        least--;
    if (call->n_args < least || (call->n_args > most && !variadic)) {
        rlxc_infer_error(v,
                         least == most ? "expected %u arguments, got %u"
                                       : "expected at least %u arguments, got %u",
                         call->n_args < least ? least : most, call->n_args);
        return false;
    }
    for (uint32_t i = 0; i < call->n_args; i++) {
        const rlxc_op_input *input = &v->inputs[i < v->n_inputs ? i : v->n_inputs - 1];
        if (!check_argument(v, i, input))
            return false;
    }
    return true;
}

bool rlxc_dims_known(const rlxc_sinfo *s)
{
    return s->ndim != RLXC_UNKNOWN_NDIM && s->dims != NULL;
}

/* That of the first operand; the tensors of a tuple are on one. */
static const char *device_of(const rlxc_call_view *v)
{
    for (uint32_t i = 0; i < RLXC_MAX_OP_INPUTS; i++) {
        const rlxc_sinfo *s = v->in[i];
        if (s && s->kind == RLXC_SINFO_TUPLE && s->n_fields > 0)
            s = s->fields[0];
        if (s && s->kind == RLXC_SINFO_TENSOR && s->vdevice)
            return s->vdevice;
    }
    return NULL;
}

const rlxc_sinfo *rlxc_tensor_of(const rlxc_call_view *v, rlx_dtype dtype, const rlxc_dims *dims)
{
    return rlxc_sinfo_tensor(v->ctx, dtype, (int32_t)dims->n, dims->at, device_of(v));
}

const rlxc_sinfo *rlxc_tensor_ndim(const rlxc_call_view *v, rlx_dtype dtype, int32_t ndim)
{
    return rlxc_sinfo_tensor(v->ctx, dtype, ndim, NULL, device_of(v));
}

const rlxc_sinfo *rlxc_tensor_like(const rlxc_call_view *v, const rlxc_sinfo *s, rlx_dtype dtype)
{
    return rlxc_sinfo_tensor(v->ctx, dtype, s->ndim, s->dims, s->vdevice);
}

bool rlxc_axis_in(const rlxc_call_view *v, int64_t axis, int32_t ndim, uint32_t *out)
{
    if (axis < -(int64_t)ndim || axis >= ndim) {
        rlxc_infer_error(v, "axis %lld is out of range for %d dimensions", (long long)axis, ndim);
        return false;
    }
    *out = (uint32_t)(axis < 0 ? axis + ndim : axis);
    return true;
}

bool rlxc_axes_in(const rlxc_call_view *v, const char *name, int32_t ndim, uint32_t *out_set)
{
    int64_t axes[RLXC_MAX_NDIM];
    uint32_t n;
    const rlxc_attr *attr = rlxc_attrs_find(&v->call->attrs, name);
    if (!attr || attr->kind == RLXC_ATTR_NONE) {
        *out_set = ndim == 32 ? UINT32_MAX : (1u << ndim) - 1;
        return true;
    }
    if (!rlxc_attr_get_ints(v->call, name, axes, RLXC_MAX_NDIM, &n)) {
        rlxc_infer_error(v, "attribute '%s' must be integers", name);
        return false;
    }
    *out_set = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis;
        if (!rlxc_axis_in(v, axes[i], ndim, &axis))
            return false;
        if (*out_set >> axis & 1) {
            rlxc_infer_error(v, "axis %lld occurs twice in '%s'", (long long)axes[i], name);
            return false;
        }
        *out_set |= 1u << axis;
    }
    return true;
}

const rlxc_sinfo *rlxc_broadcast_sinfo(const rlxc_call_view *v, const rlxc_sinfo *a,
                                       const rlxc_sinfo *b, rlx_dtype dtype)
{
    if (a->ndim == RLXC_UNKNOWN_NDIM || b->ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(v, dtype, RLXC_UNKNOWN_NDIM);
    int32_t ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    if (a->ndim == 0 && rlxc_dims_known(b))
        return rlxc_tensor_like(v, b, dtype);
    if (b->ndim == 0 && rlxc_dims_known(a))
        return rlxc_tensor_like(v, a, dtype);
    if (!rlxc_dims_known(a) || !rlxc_dims_known(b))
        return rlxc_tensor_ndim(v, dtype, ndim);
    rlxc_dims out = {.n = (uint32_t)ndim};
    for (int32_t i = 0; i < ndim; i++) {
        int32_t ia = i - (ndim - a->ndim), ib = i - (ndim - b->ndim);
        if (ia >= 0 && ib >= 0 &&
            rlxc_relation_disproved(v->ctx, RLXC_BROADCAST, a->dims[ia], b->dims[ib]))
            return rlxc_infer_error(v, "shapes do not broadcast in dimension %d: %s and %s", i,
                                    rlxc_sinfo_text(v->ctx, a), rlxc_sinfo_text(v->ctx, b));
        out.at[i] = ia < 0   ? b->dims[ib]
                    : ib < 0 ? a->dims[ia]
                             : rlxc_require_broadcast(v, rlxc_size_in(v, a, (uint32_t)ia),
                                                      rlxc_size_in(v, b, (uint32_t)ib));
        if (!out.at[i])
            return NULL;
    }
    return rlxc_tensor_of(v, dtype, &out);
}

bool rlxc_common_dtype(const rlxc_call_view *v, uint32_t i, uint32_t j, rlx_dtype *out)
{
    rlx_dtype a = v->in[i]->dtype, b = v->in[j]->dtype;
    *out = rlxc_dtype_is_void(a) ? b : a;
    if (!rlxc_dtype_is_void(a) && !rlxc_dtype_is_void(b) && !rlxc_dtype_eq(a, b)) {
        rlxc_infer_error(v,
                         "arguments '%s' and '%s' must have the same element type, got %s and %s",
                         argument_name(v, i), argument_name(v, j), rlxc_dtype_name(v->ctx, a),
                         rlxc_dtype_name(v->ctx, b));
        return false;
    }
    return true;
}

bool rlxc_shape_arg(const rlxc_call_view *v, uint32_t i, rlxc_dims *out, int32_t *out_ndim)
{
    const rlxc_sinfo *s = v->in[i];
    *out_ndim = s->ndim;
    out->n = 0;
    if (s->ndim == RLXC_UNKNOWN_NDIM || s->ndim > RLXC_MAX_NDIM || !s->dims)
        return false;
    out->n = (uint32_t)s->ndim;
    for (uint32_t k = 0; k < out->n; k++)
        out->at[k] = s->dims[k];
    return true;
}

const rlxc_expr *rlxc_prim_arg(rlxc_context *ctx, const rlxc_module *module,
                               const rlxc_binding *call, uint32_t i)
{
    if (rlxc_arg_absent(call, i))
        return NULL;
    if (call->args[i].kind == RLXC_ATOM_PRIM)
        return call->args[i].prim;
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, module, call->args[i]);
    return s && s->kind == RLXC_SINFO_PRIM ? s->value : NULL;
}

bool rlxc_prim_list(const rlxc_call_view *v, uint32_t i, rlxc_dims *out)
{
    rlxc_atom atom = v->call->args[i];
    const rlxc_sinfo *s = v->in[i];
    out->n = s->kind == RLXC_SINFO_SHAPE ? (uint32_t)s->ndim : s->n_fields;
    if (out->n > RLXC_MAX_NDIM || (s->kind == RLXC_SINFO_SHAPE && !rlxc_dims_known(s)))
        return false;
    for (uint32_t k = 0; k < out->n; k++) {
        out->at[k] = atom.kind == RLXC_ATOM_TUPLE && atom.items[k].kind == RLXC_ATOM_PRIM
                         ? atom.items[k].prim
                     : s->kind == RLXC_SINFO_SHAPE ? s->dims[k]
                                                   : s->fields[k]->value;
        if (!out->at[k])
            return false;
    }
    return true;
}

bool rlxc_prim_int(const rlxc_call_view *v, uint32_t i, int64_t *out)
{
    const rlxc_expr *e = rlxc_prim_arg(v->ctx, v->module, v->call, i);
    return e && rlxc_is_int(e, out);
}

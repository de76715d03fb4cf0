/* Inputs and outputs of the graph: parameters, symbols and results, and their names in the model.
 *
 * Internally names are identifiers, so that the module prints as TVMScript: all distinct, and none
 * that the printer would have to change. The model's names go into attributes of the function
 * (compiler/ir/names.h) and from there into the file. */
#include <ctype.h>
#include <string.h>

#include "compiler/ir/names.h"
#include "compiler/onnx/graph.h"
#include "compiler/onnx/object.h"

enum { NAME_SHOWN = 64, IDENTIFIER = 100 };

static const char *shown(rlxc_ox *im, const char *name)
{
    char text[NAME_SHOWN];
    return rlxc_intern_cstr(im->ctx, rlx_name_text(rlx_str_from(name), text, sizeof text));
}

/* |name| as an identifier. */
static const char *identifier(rlxc_ox *im, const char *name, const char *otherwise)
{
    rlxc_text text = {.ctx = im->ctx};
    if (!name || !*name)
        name = otherwise;
    if (isdigit((unsigned char)*name))
        rlxc_text_puts(&text, "_");
    for (uint32_t i = 0; name[i] && i < IDENTIFIER; i++) {
        const unsigned char at = (unsigned char)name[i];
        char c = at < 128 && isalnum(at) ? name[i] : '_';
        rlxc_text_add(&text, &c, 1);
    }
    return rlxc_intern(im->ctx, text.data, text.length);
}

/* |base|, with a number appended if it is taken. */
static const char *unique(rlxc_ox *im, const char *base)
{
    const char *name = base;
    uintptr_t number = (uintptr_t)rlxc_map_get(&im->numbers, rlxc_key(base));
    while ((rlxc_name_is_reserved(name) || rlxc_map_get(&im->taken, rlxc_key(name))) &&
           !rlxc_out_of_memory(im->ctx))
        name = rlxc_internf(im->ctx, "%s_%llu", base, (unsigned long long)++number);
    rlxc_map_set(im->ctx, &im->numbers, rlxc_key(base), (void *)number);
    rlxc_map_set(im->ctx, &im->taken, rlxc_key(name), im);
    return name;
}

static void add_name(rlxc_ox *im, rlxc_ox_names *names, const char *identifier, const char *name)
{
    if (strcmp(identifier, name) == 0)
        return;
    RLXC_PUSH(im->ctx, &names->keys, identifier);
    RLXC_PUSH(im->ctx, &names->values, rlxc_attr_string(im->ctx, name));
}

static void set_names(rlxc_ox *im, rlxc_function *f, const char *key, const rlxc_ox_names *names)
{
    const rlxc_attr dict = {.kind = RLXC_ATTR_DICT,
                            .list = {names->values.items, names->keys.items, names->keys.count}};
    if (names->keys.count > 0 && names->values.count == names->keys.count)
        f->attrs = rlxc_attrs_with(im->ctx, f->attrs, key, dict);
}

/* True if a dim_param names a dimension: exporters write "?", "-1" or "None" for unknown ones,
 * which need not be equal. */
static bool is_named(const char *dim_param)
{
    bool letters = false;
    for (const char *c = dim_param; c && *c; c++)
        letters |= isalpha((unsigned char)*c) || *c == '_' || (unsigned char)*c >= 128;
    return letters && strcmp(dim_param, "None") != 0;
}

/* Names of equal expressions ("past + 1", "1+past") are one symbol; so are other names that differ
 * only in spaces. */
static const rlxc_expr *dim_symbol(rlxc_ox *im, const char *name)
{
    rlxc_text text = {.ctx = im->ctx};
    for (const char *c = name; *c; c++)
        if (!isspace((unsigned char)*c))
            rlxc_text_add(&text, c, 1);
    const void *key = rlxc_ox_dim_form(im, name);
    if (!key)
        key = rlxc_intern(im->ctx, text.data ? text.data : "", text.length);
    const rlxc_expr *symbol = rlxc_map_get(&im->dim_params, rlxc_key(key));
    if (!symbol) {
        const char *hint = unique(im, identifier(im, name, "n"));
        add_name(im, &im->dim_names, hint, name);
        symbol = rlxc_shape_var(im->ctx, hint);
        rlxc_map_set(im->ctx, &im->dim_params, rlxc_key(key), (void *)(uintptr_t)symbol);
    }
    return symbol;
}

const rlxc_sinfo *rlxc_ox_type_info(rlxc_ox *im, const Onnx__TypeProto *type, const char *name)
{
    if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !type->tensor_type) {
        rlxc_ox_fail(im,
                     "'%s' is not a tensor, sequence or optional of tensors; maps and sparse "
                     "tensors are not supported",
                     shown(im, name));
        return NULL;
    }
    const Onnx__TypeProto__Tensor *t = type->tensor_type;
    rlx_dtype dtype;
    if (!rlxc_ox_dtype_of(t->elem_type, &dtype)) {
        rlxc_ox_fail(im, "'%s': element type %d is not supported", shown(im, name),
                     (int)t->elem_type);
        return NULL;
    }
    if (!t->shape)
        return rlxc_sinfo_tensor(im->ctx, dtype, RLXC_UNKNOWN_NDIM, NULL, NULL);
    if (t->shape->n_dim > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "'%s' has %zu dimensions; at most %d are supported", shown(im, name),
                     t->shape->n_dim, RLXC_MAX_NDIM);
        return NULL;
    }
    const rlxc_expr *dims[RLXC_MAX_NDIM] = {NULL};
    for (size_t i = 0; i < t->shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *d = t->shape->dim[i];
        if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            d->dim_value >= 0)
            dims[i] = rlxc_i64(im->ctx, d->dim_value);
        else if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
                 is_named(d->dim_param))
            dims[i] = dim_symbol(im, d->dim_param);
        else
            dims[i] = rlxc_shape_var(
                im->ctx, unique(im, rlxc_internf(im->ctx, "%s_%zu", identifier(im, name, "x"), i)));
    }
    return rlxc_sinfo_tensor(im->ctx, dtype, (int32_t)t->shape->n_dim, dims, NULL);
}

void rlxc_ox_add_params(rlxc_ox *im, const Onnx__GraphProto *g)
{
    rlxc_function *f = im->frame->b.function;
    rlxc_map given = {0};
    f->params = rlxc_try_alloc(im->ctx, g->n_input + 1, sizeof *f->params);
    for (size_t i = 0; f->params && i < g->n_input; i++) {
        const Onnx__ValueInfoProto *v = g->input[i];
        im->failed = false;
        if (!v->name || !*v->name) {
            rlxc_ox_fail(im, "input %zu of the graph has no name", i);
            continue;
        }
        if (rlxc_map_get(&given, rlxc_key(rlxc_intern_cstr(im->ctx, v->name)))) {
            rlxc_ox_fail(im, "the graph has two inputs named '%s'", shown(im, v->name));
            continue;
        }
        rlxc_map_set(im->ctx, &given, rlxc_key(rlxc_intern_cstr(im->ctx, v->name)), f);
        if (rlxc_ox_lookup(im, v->name))
            continue; /* has an initializer: a default, which stays */
        rlxc_ox_value *object = rlxc_ox_object_of_type(im, v->type);
        const rlxc_sinfo *s =
            object ? rlxc_sinfo_object(im->ctx) : rlxc_ox_type_info(im, v->type, v->name);
        rlxc_ox_value *value = rlxc_alloc(im->ctx, sizeof *value);
        value->kind = RLXC_OX_FAILED;
        if (s) {
            const char *name = unique(im, identifier(im, v->name, "x"));
            add_name(im, &im->param_names, name, v->name);
            rlxc_rvar *param = rlxc_rvar_new(im->ctx, f, name, s);
            param->annotation = s;
            f->params[f->n_params++] = param;
            value = object ? object : rlxc_ox_tensor(im, rlxc_atom_var(param));
            value->atom = rlxc_atom_var(param);
            value->is_declared = true;
            /* A file does not say whether it is an optional tensor or a sequence of one. */
            if (object && !(object->is_list && object->maybe))
                value->atom = rlxc_ox_builtin(im, object->is_list ? "rlx.list" : "rlx.optional",
                                              &value->atom, 1, s);
        }
        im->failed = false;
        rlxc_ox_define(im, v->name, value);
    }
}

void rlxc_ox_add_result(rlxc_ox *im, const Onnx__GraphProto *g)
{
    rlxc_atom *items = rlxc_try_alloc(im->ctx, g->n_output + 1, sizeof *items);
    rlxc_attr *names = rlxc_try_alloc(im->ctx, g->n_output + 1, sizeof *names);
    rlxc_function *f = im->frame->b.function;
    uint32_t n = 0;
    rlxc_ox_begin_block(im, true);
    for (size_t i = 0; items && names && i < g->n_output; i++) {
        const char *name = g->output[i]->name ? g->output[i]->name : "";
        rlxc_ox_value *v = *name ? rlxc_ox_lookup(im, name) : NULL;
        im->failed = false;
        if (!v)
            rlxc_ox_fail(im, "no node produces graph output '%s'", shown(im, name));
        else if (v->kind != RLXC_OX_FAILED) {
            names[n] = rlxc_attr_string(im->ctx, name);
            items[n++] = rlxc_ox_result(im, v);
        }
    }
    if (items)
        im->frame->body->result = n == 1 ? items[0] : rlxc_atom_tuple(im->ctx, items, n);
    const rlxc_attr list = {.kind = RLXC_ATTR_LIST, .list = {names, NULL, n}};
    if (n > 0)
        f->attrs = rlxc_attrs_with(im->ctx, f->attrs, RLXC_RESULT_NAMES, list);
    set_names(im, f, RLXC_PARAM_NAMES, &im->param_names);
    set_names(im, f, RLXC_DIM_NAMES, &im->dim_names);
}

/* --- what the graph declares of its values ---------------------------------------------------- */

static void note_infos(rlxc_ox *im, Onnx__ValueInfoProto *const *infos, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (infos[i]->name && *infos[i]->name && infos[i]->type)
            rlxc_map_set(im->ctx, &im->scope->declared,
                         rlxc_key(rlxc_intern_cstr(im->ctx, infos[i]->name)), infos[i]);
}

void rlxc_ox_note_declared(rlxc_ox *im, const Onnx__GraphProto *g)
{
    note_infos(im, g->value_info, g->n_value_info);
    note_infos(im, g->output, g->n_output);
}

/* A declared shape that the node contradicts is a warning: exporters write such shapes, and nothing
 * reads them. */
static void check_dims(rlxc_ox *im, const char *name, const Onnx__TensorShapeProto *shape,
                       int32_t ndim, const rlxc_expr *const *dims)
{
    if (ndim == RLXC_UNKNOWN_NDIM)
        return;
    if ((size_t)ndim != shape->n_dim) {
        rlxc_ox_warn(im, "'%s' has %d dimensions, not %zu; the declared shape is ignored",
                     shown(im, name), ndim, shape->n_dim);
        return;
    }
    for (int32_t i = 0; i < ndim && dims; i++) {
        const Onnx__TensorShapeProto__Dimension *d = shape->dim[i];
        int64_t is;
        if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            d->dim_value >= 0 && rlxc_is_int(dims[i], &is) && is != d->dim_value) {
            rlxc_ox_warn(im,
                         "dimension %d of '%s' is %lld, not %lld; the declared shape is ignored", i,
                         shown(im, name), (long long)is, (long long)d->dim_value);
            return;
        }
    }
}

/* Dimensions in bodies hold for one iteration, and in branches for one case: only those of the main
 * graph are facts. Those of an If are not: PyTorch's exporter gives it the rank of one branch. */
static void check_tensor(rlxc_ox *im, const char *name, const Onnx__TypeProto__Tensor *t,
                         const rlxc_ox_value *v)
{
    rlx_dtype declared;
    const bool is_fact =
        im->depth == 1 && !im->trying && im->n_splits == 0 && strcmp(im->node->op_type, "If") != 0;
    const rlxc_sinfo *s = v->atom.kind == RLXC_ATOM_NONE ? NULL : rlxc_ox_info(im, v->atom);
    if (im->failed || (v->atom.kind != RLXC_ATOM_NONE && !s))
        return;
    const rlx_dtype is = s ? s->dtype : v->dtype;
    if (rlxc_ox_dtype_of(t->elem_type, &declared) && !rlxc_dtype_eq(declared, is) &&
        !(im->widened && rlxc_dtype_is_float(declared) && rlxc_dtype_is_float(is))) {
        rlxc_ox_fail(im, "'%s' is of %s, the model declares %s", shown(im, name),
                     rlxc_dtype_name(im->ctx, is), rlxc_dtype_name(im->ctx, declared));
        return;
    }
    if (!is_fact || !t->shape)
        return;
    const rlxc_expr *length = rlxc_ox_i(im, v->n_elems);
    if (s)
        check_dims(im, name, t->shape, s->ndim, s->dims);
    else
        check_dims(im, name, t->shape, v->is_vector, &length);
}

void rlxc_ox_check_declared(rlxc_ox *im)
{
    for (uint32_t k = 0; k < im->node->n_output && !im->failed; k++) {
        const char *name = rlxc_ox_wants(im, k) ? im->node->output[k] : NULL;
        const Onnx__ValueInfoProto *info =
            name ? rlxc_map_get(&im->scope->declared, rlxc_key(rlxc_intern_cstr(im->ctx, name)))
                 : NULL;
        const rlxc_ox_value *v = info ? rlxc_ox_lookup(im, name) : NULL;
        if (!v || (v->kind != RLXC_OX_TENSOR && v->kind != RLXC_OX_SEQUENCE))
            continue;
        const bool tensor = info->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
        if (tensor != (v->kind == RLXC_OX_TENSOR) &&
            (tensor || info->type->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE))
            rlxc_ox_fail(im, "'%s' is %s, the model declares %s", shown(im, name),
                         tensor ? "a sequence" : "a tensor", tensor ? "a tensor" : "a sequence");
        else if (tensor && info->type->tensor_type)
            check_tensor(im, name, info->type->tensor_type, v);
    }
}

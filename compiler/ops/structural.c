/* Operators that do not compute: calls, closures, explicit memory, devices, shapes as values,
 * effects.
 *
 * Calls of the call_tir family have the type they state. Effects and conversions between shapes and
 * tensors become calls of the runtime's builtins; bytecode emission handles the operators without
 * legalization. */
#include "compiler/ir/device.h"
#include "compiler/ops/builtin_call.h"

#include <string.h>

const rlxc_sinfo *rlxc_infer_object(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    return rlxc_infer_begin(&v, ctx, module, call) ? rlxc_sinfo_object(ctx) : NULL;
}

const rlxc_sinfo *rlxc_infer_void(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    return rlxc_infer_begin(&v, ctx, module, call) ? rlxc_sinfo_tuple(ctx, NULL, 0) : NULL;
}

const rlxc_sinfo *rlxc_infer_first(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call)
{
    rlxc_call_view v;
    return rlxc_infer_begin(&v, ctx, module, call) ? v.in[0] : NULL;
}

/* The PrimFunc a call_tir names must take the call's arguments, its results and symbols. */
static bool check_prim_func(const rlxc_call_view *v)
{
    rlxc_atom func = v->call->args[0];
    if (func.kind != RLXC_ATOM_GLOBAL) {
        rlxc_infer_fail(v, 0, "expected a PrimFunc of the module");
        return false;
    }
    const rlxc_global *global = v->module ? rlxc_module_find(v->module, func.text) : NULL;
    if (!global || !global->prim) {
        if (v->module)
            rlxc_infer_fail(v, 0, "there is no PrimFunc '%s' in the module", func.text);
        return !v->module;
    }
    const rlxc_sinfo *out = v->call->sinfo_args[0];
    uint32_t results = out->kind == RLXC_SINFO_TUPLE ? out->n_fields : 1;
    uint32_t given = v->call->args[1].kind == RLXC_ATOM_TUPLE ? v->call->args[1].n
                     : v->in[1]->kind == RLXC_SINFO_TUPLE     ? v->in[1]->n_fields
                                                              : 1;
    uint32_t symbols =
        v->call->n_args > 2 && v->call->args[2].kind == RLXC_ATOM_SHAPE ? v->call->args[2].n : 0;
    if (strcmp(v->op, "call_tir_inplace") == 0) {
        /* results that live in an argument have no parameter of their own */
        int64_t indices[RLXC_MAX_NDIM];
        uint32_t n;
        rlxc_attr_get_ints(v->call, "inplace_indices", indices, RLXC_MAX_NDIM, &n);
        for (uint32_t i = 0; i < n; i++) {
            if (indices[i] < -1 || indices[i] >= (int64_t)given) {
                rlxc_infer_error(v, "inplace index %lld is not an argument, there are %u",
                                 (long long)indices[i], given);
                return false;
            }
            results -= indices[i] >= 0 && results > 0;
        }
    }
    if (given + results + symbols != global->prim->n_params) {
        rlxc_infer_error(v,
                         "PrimFunc '%s' has %u parameters, the call gives %u arguments, %u "
                         "results and %u symbols",
                         func.text, global->prim->n_params, given, results, symbols);
        return false;
    }
    return true;
}

/* A function of the module as a closure has no captures: it gets the arguments alone. */
static bool takes_arguments(const rlxc_call_view *v, const rlxc_binding *call)
{
    const rlxc_global *g = call->n_args == 2 && call->args[0].kind == RLXC_ATOM_GLOBAL &&
                                   call->args[1].kind == RLXC_ATOM_TUPLE && v->module
                               ? rlxc_module_find(v->module, call->args[0].text)
                               : NULL;
    if (!g || !g->relax || g->relax->n_params == call->args[1].n)
        return true;
    rlxc_infer_error(v, "'%s' takes %u argument%s, got %u", g->name, g->relax->n_params,
                     g->relax->n_params == 1 ? "" : "s", call->args[1].n);
    return false;
}

const rlxc_sinfo *rlxc_infer_sinfo_arg(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    bool is_tir = strncmp(v.op, "call_tir", 8) == 0;
    if (strncmp(v.op, "invoke_", 7) == 0 && !takes_arguments(&v, call))
        return NULL;
    if (call->n_sinfo_args == 0) {
        if (is_tir || strcmp(v.op, "call_dps_packed") == 0)
            return rlxc_infer_error(&v, "out_sinfo is missing");
        return rlxc_sinfo_object(ctx);
    }
    if (is_tir && !check_prim_func(&v))
        return NULL;
    if (call->n_sinfo_args == 1)
        return call->sinfo_args[0];
    return rlxc_sinfo_tuple(ctx, call->sinfo_args, call->n_sinfo_args);
}

const rlxc_sinfo *rlxc_infer_alloc_tensor(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    uint32_t shape = strcmp(v.op, "builtin.alloc_tensor") == 0 ? 0 : 2;
    const rlxc_sinfo *s = v.in[shape];
    if (rlxc_dtype_is_void(call->args[shape + 1].dtype))
        return rlxc_infer_fail(&v, shape + 1,
                               "a tensor needs an element type, which \"void\" is not");
    const uint32_t at = shape + 2;
    int64_t index = -1;
    const bool stated = call->n_args > at && call->args[at].kind == RLXC_ATOM_PRIM &&
                        rlxc_is_int(call->args[at].prim, &index);
    const rlxc_vdevice *device = stated && module ? rlxc_vdevice_at(module, index) : NULL;
    const char *scope = call->n_args > at + 1 && call->args[at + 1].kind == RLXC_ATOM_STRING
                            ? call->args[at + 1].text
                            : NULL;
    if (device && !rlxc_is_plain_scope(scope) &&
        (!device->scope || strcmp(scope, device->scope) != 0))
        device = NULL; /* pass plan_devices finds the entry for this memory */
    return rlxc_sinfo_tensor(ctx, call->args[shape + 1].dtype, s->ndim, s->dims,
                             device ? rlxc_vdevice_name(ctx, module, device) : NULL);
}

/* The size in bytes of a tensor of |dims|; NULL if unknown. */
static const rlxc_expr *bytes_of(rlxc_context *ctx, rlx_dtype dtype, const rlxc_sinfo *s)
{
    int64_t element = (int64_t)rlx_dtype_size(dtype);
    if (!s->dims || element == 0 || rlx_dtype_is_packed(dtype))
        return NULL;
    return rlxc_mul(ctx, rlxc_product(ctx, s->dims, (uint32_t)s->ndim), rlxc_i64(ctx, element));
}

/* False, after an error, if the view would end beyond |x| for all dimensions. Unknown types count
 * as one byte. */
static bool view_fits(rlxc_call_view *v, const rlxc_sinfo *x, const rlxc_sinfo *shape,
                      rlx_dtype dtype, rlxc_atom offset)
{
    rlxc_context *ctx = v->ctx;
    rlx_dtype from = x->dtype, to = dtype;
    if (rlxc_dtype_is_void(from) && rlxc_dtype_is_void(to))
        from = to = RLX_U8;
    const rlxc_expr *has = bytes_of(ctx, from, x);
    const rlxc_expr *needs = shape ? bytes_of(ctx, to, shape) : NULL;
    if (!shape && rlxc_dtype_eq(from, to))
        needs = has;
    if (!has || !needs)
        return true;
    if (offset.kind == RLXC_ATOM_PRIM)
        needs = rlxc_add(ctx, needs, offset.prim);
    if (!rlxc_prove_lt(ctx, has, needs, NULL))
        return true;
    rlxc_infer_fail(
        v, 0, "a view as %s extends beyond %s",
        rlxc_sinfo_text(ctx,
                        shape ? rlxc_sinfo_tensor(ctx, dtype, shape->ndim, shape->dims, NULL) : x),
        rlxc_sinfo_text(ctx, x));
    return false;
}

const rlxc_sinfo *rlxc_infer_view(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *shape = v.in[1];
    rlx_dtype dtype = x->dtype;
    if (shape && shape->kind != RLXC_SINFO_SHAPE)
        return rlxc_infer_fail(&v, 1, "expected a shape, got %s", rlxc_sinfo_text(ctx, shape));
    if (v.in[2]) {
        bool is_value = call->args[2].kind == RLXC_ATOM_VAR && v.in[2]->kind == RLXC_SINFO_OBJECT;
        if (call->args[2].kind != RLXC_ATOM_DTYPE && !is_value)
            return rlxc_infer_fail(&v, 2, "expected a dtype, got %s",
                                   rlxc_sinfo_text(ctx, v.in[2]));
        dtype = is_value ? rlxc_dtype_void() : call->args[2].dtype;
        if (!is_value && rlxc_dtype_is_void(dtype))
            return rlxc_infer_fail(&v, 2, "a view needs an element type, which \"void\" is not");
    }
    if (v.in[3] && v.in[3]->kind != RLXC_SINFO_PRIM)
        return rlxc_infer_fail(&v, 3, "expected a prim value, got %s",
                               rlxc_sinfo_text(ctx, v.in[3]));
    if (!view_fits(&v, x, shape, dtype, call->n_args > 3 ? call->args[3] : (rlxc_atom){0}))
        return NULL;
    if (shape)
        return rlxc_sinfo_tensor(ctx, dtype, shape->ndim, shape->dims, x->vdevice);
    size_t from = rlx_dtype_size(x->dtype), to = rlx_dtype_size(dtype);
    if (from == to || x->ndim == 0 || !rlxc_dims_known(x) || from == 0 || to == 0)
        return rlxc_tensor_like(&v, x, dtype);
    /* element size differs: the last dimension changes with it */
    rlxc_dims dims = {.n = (uint32_t)x->ndim};
    memcpy(dims.at, x->dims, dims.n * sizeof dims.at[0]);
    const rlxc_expr *bytes = rlxc_mul(ctx, dims.at[dims.n - 1], rlxc_i64(ctx, (int64_t)from));
    dims.at[dims.n - 1] = rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, bytes, rlxc_i64(ctx, (int64_t)to));
    return rlxc_tensor_of(&v, dtype, &dims);
}

const rlxc_sinfo *rlxc_infer_to_vdevice(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    return rlxc_sinfo_tensor(ctx, v.in[0]->dtype, v.in[0]->ndim, v.in[0]->dims,
                             rlxc_attr_get_str(call, "dst_vdevice", NULL));
}

/* The host has no name where the module's table lacks it, and another memory scope may still be
 * missing there: device planning decides then. */
const rlxc_sinfo *rlxc_infer_hint(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const char *name = rlxc_attr_get_str(call, "dst_vdevice", "");
    const rlxc_vdevice *device = module ? rlxc_find_vdevice(module, name) : NULL;
    for (uint32_t i = 0; module && !device && i < module->vdevices.count; i++)
        if (rlxc_is_host_vdevice(&module->vdevices.items[i]))
            device = &module->vdevices.items[i];
    if (device && !rlxc_is_plain_scope(rlxc_attr_get_str(call, "memory_scope", NULL)))
        device = NULL;
    return rlxc_sinfo_tensor(ctx, v.in[0]->dtype, v.in[0]->ndim, v.in[0]->dims,
                             device ? rlxc_vdevice_name(ctx, module, device) : NULL);
}

/* Between two names of the host's memory: a copy with the other name in its type. */
rlxc_atom rlxc_legalize_to_vdevice(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *from = rlxc_atom_sinfo(b->ctx, b->module, call->args[0]);
    const rlxc_sinfo *to = call->op->infer(b->ctx, b->module, call);
    if (to == NULL)
        return (rlxc_atom){0};
    const bool on_host = rlxc_vdevice_is_host(b->module, from->vdevice);
    if (from->vdevice == to->vdevice)
        return call->args[0];
    if (!on_host || !rlxc_vdevice_is_host(b->module, to->vdevice))
        return (rlxc_atom){0}; /* an instruction */
    if (from->vdevice == NULL)
        return call->args[0];
    return rlxc_emit_builtin(b, call, "rlx.copy", call->args, 1, to, true);
}

rlxc_atom rlxc_legalize_identity(rlxc_builder *b, const rlxc_binding *call)
{
    (void)b;
    return call->args[0];
}

/* Converts a storage of elements to one of bytes. */
rlxc_atom rlxc_legalize_vm_storage(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_context *ctx = b->ctx;
    rlxc_atom size = call->args[0];
    int64_t element = call->n_args > 2 && call->args[2].kind == RLXC_ATOM_DTYPE
                          ? (int64_t)rlx_dtype_size(call->args[2].dtype)
                          : 1;
    if (element <= 1 && (size.kind != RLXC_ATOM_SHAPE || size.n == 1))
        return (rlxc_atom){0}; /* already bytes */
    if (size.kind != RLXC_ATOM_SHAPE) {
        rlxc_error(ctx, call->range,
                   "R.vm.alloc_storage: a size in elements of %s must be written as R.shape([...])",
                   rlxc_dtype_name(ctx, call->args[2].dtype));
        return (rlxc_atom){0};
    }
    const rlxc_expr *bytes =
        rlxc_mul(ctx, rlxc_product(ctx, size.dims, size.n), rlxc_i64(ctx, element));
    rlxc_atom args[4] = {rlxc_atom_shape(ctx, &bytes, 1), call->args[1],
                         rlxc_atom_string(ctx, rlxc_intern_cstr(ctx, "global")),
                         rlxc_atom_dtype(RLX_U8)};
    return rlxc_emit_op(b, "memory.alloc_storage", args, 4, (rlxc_attrs){0}, call->var->name);
}

const rlxc_sinfo *rlxc_infer_effect(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    if (strcmp(v.op, "assert_op") == 0) {
        const rlxc_sinfo *s = v.in[0];
        bool is_bool = rlxc_dtype_is_bool(s->dtype) || rlxc_dtype_is_void(s->dtype);
        bool fits = s->kind == RLXC_SINFO_PRIM ? is_bool
                                               : s->kind == RLXC_SINFO_TENSOR && is_bool &&
                                                     (s->ndim == 0 || s->ndim == RLXC_UNKNOWN_NDIM);
        if (!fits)
            return rlxc_infer_fail(&v, 0, "expected a bool scalar, got %s",
                                   rlxc_sinfo_text(ctx, s));
    }
    return rlxc_sinfo_tuple(ctx, NULL, 0);
}

rlxc_atom rlxc_legalize_effect(rlxc_builder *b, const rlxc_binding *call)
{
    bool is_assert = strcmp(call->op->name, "assert_op") == 0;
    rlxc_atom format = rlxc_atom_string(b->ctx, rlxc_attr_get_str(call, "format", ""));
    rlxc_atom *args = rlxc_alloc(b->ctx, (call->n_args + 1) * sizeof *args);
    uint32_t n = 0;
    if (is_assert)
        args[n++] = call->args[0];
    args[n++] = format;
    for (uint32_t i = is_assert ? 1 : 0; i < call->n_args; i++)
        args[n++] = call->args[i];
    return rlxc_emit_builtin(b, call, is_assert ? "rlx.assert" : "rlx.print", args, n,
                             rlxc_sinfo_tuple(b->ctx, NULL, 0), false);
}

const rlxc_sinfo *rlxc_infer_shape_of(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    return rlxc_sinfo_shape(ctx, v.in[0]->ndim, v.in[0]->dims);
}

rlxc_atom rlxc_legalize_shape_of(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *s = rlxc_infer_shape_of(b->ctx, b->module, call);
    if (!s || !rlxc_dims_known(s))
        return (rlxc_atom){0};
    return rlxc_atom_shape(b->ctx, s->dims, (uint32_t)s->ndim);
}

const rlxc_sinfo *rlxc_infer_tensor_to_shape(rlxc_context *ctx, const rlxc_module *module,
                                             const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *s = v.in[0];
    if ((s->ndim != 1 && s->ndim != RLXC_UNKNOWN_NDIM) ||
        !(rlxc_dtype_is_void(s->dtype) || rlxc_dtype_eq(s->dtype, RLX_I64)))
        return rlxc_infer_fail(&v, 0, "expected an int64 vector, got %s", rlxc_sinfo_text(ctx, s));
    int64_t length;
    int32_t ndim = RLXC_UNKNOWN_NDIM;
    if (rlxc_dims_known(s) && rlxc_is_int(s->dims[0], &length)) {
        if (length > RLX_MAX_NDIM)
            return rlxc_infer_fail(&v, 0, "a shape has at most %d dimensions, got %lld",
                                   RLX_MAX_NDIM, (long long)length);
        ndim = (int32_t)length;
    }
    return rlxc_sinfo_shape(ctx, ndim, NULL);
}

rlxc_atom rlxc_legalize_tensor_to_shape(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *s = rlxc_infer_tensor_to_shape(b->ctx, b->module, call);
    if (!s)
        return (rlxc_atom){0};
    return rlxc_emit_builtin(b, call, "rlx.tensor_to_shape", call->args, 1, s, true);
}

const rlxc_sinfo *rlxc_infer_shape_to_tensor(rlxc_context *ctx, const rlxc_module *module,
                                             const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    if (v.in[0]->ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(&v, RLX_I64, 1);
    rlxc_dims dims = {.at = {rlxc_i64(ctx, v.in[0]->ndim)}, .n = 1};
    return rlxc_tensor_of(&v, RLX_I64, &dims);
}

rlxc_atom rlxc_legalize_shape_to_tensor(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *s = rlxc_infer_shape_to_tensor(b->ctx, b->module, call);
    if (!s)
        return (rlxc_atom){0};
    return rlxc_emit_builtin(b, call, "rlx.shape_to_tensor", call->args, 1, s, true);
}

/* --- inspect --- */

typedef struct field {
    const char *op, *name; /* of rlx.inspect */
    rlx_dtype dtype;
} field;

static const field *find_field(const char *op)
{
    static const field fields[] = {
        {"inspect.tensor_ndim", "ndim", {RLX_INT, 32, 1}},
        {"inspect.tensor_shape_i", "shape", {RLX_INT, 64, 1}},
        {"inspect.tensor_stride_i", "stride", {RLX_INT, 64, 1}},
        {"inspect.tensor_byte_offset", "offset", {RLX_UINT, 64, 1}},
        {"inspect.tensor_elem_offset", "offset", {RLX_UINT, 64, 1}},
        {"inspect.tensor_dtype_code", "code", {RLX_UINT, 8, 1}},
        {"inspect.tensor_dtype_bits", "bits", {RLX_UINT, 8, 1}},
        {"inspect.tensor_dtype_lanes", "lanes", {RLX_UINT, 16, 1}},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i].op, op) == 0)
            return &fields[i];
    return NULL;
}

const rlxc_sinfo *rlxc_infer_inspect(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t axis;
    uint32_t at;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    if (v.n_inputs > 1 && v.in[0]->ndim != RLXC_UNKNOWN_NDIM && rlxc_prim_int(&v, 1, &axis) &&
        !rlxc_axis_in(&v, axis, v.in[0]->ndim, &at))
        return NULL;
    return rlxc_sinfo_prim(ctx, find_field(v.op)->dtype, NULL);
}

rlxc_atom rlxc_legalize_inspect(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *s = rlxc_infer_inspect(b->ctx, b->module, call);
    if (!s)
        return (rlxc_atom){0};
    rlxc_atom args[3] = {call->args[0], rlxc_atom_string(b->ctx, find_field(call->op->name)->name)};
    if (call->n_args > 1)
        args[2] = call->args[1];
    return rlxc_emit_builtin(b, call, "rlx.inspect", args, call->n_args + 1, s, true);
}

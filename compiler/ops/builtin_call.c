/* Operators that become calls of the runtime's builtins: unique, nonzero, sort, argsort, topk; and
 * how to emit such calls. The builtins check their arguments themselves; this file only infers
 * types. */
#include "compiler/ops/builtin_call.h"

#include <string.h>

rlxc_atom rlxc_emit_builtin(rlxc_builder *b, const rlxc_binding *call, const char *name,
                            const rlxc_atom *args, uint32_t n, const rlxc_sinfo *result, bool pure)
{
    rlxc_context *ctx = b->ctx;
    rlxc_binding *out = rlxc_binding_new(ctx, RLXC_FORM_CALL,
                                         rlxc_rvar_new(ctx, b->function, call->var->name, result));
    const rlxc_sinfo **types = rlxc_alloc(ctx, sizeof *types);
    types[0] = result;
    out->callee = rlxc_atom_extern(ctx, name);
    out->args = rlxc_copy(ctx, args, n * sizeof *args);
    out->n_args = n;
    out->sinfo_args = types;
    out->n_sinfo_args = 1;
    if (pure)
        out->attrs =
            rlxc_attrs_with(ctx, out->attrs, rlxc_intern_cstr(ctx, "pure"), rlxc_attr_bool(true));
    out->range = call->range;
    return rlxc_emit(b, out);
}

rlxc_atom rlxc_prim_bool(rlxc_context *ctx, bool value)
{
    return rlxc_atom_prim(rlxc_bool(ctx, value));
}

rlxc_atom rlxc_prim_i64(rlxc_context *ctx, int64_t value)
{
    return rlxc_atom_prim(rlxc_i64(ctx, value));
}

enum { UNIQUE_FLAGS = 4 }; /* sorted, return_index, return_inverse, return_counts */

/* The flags of a unique call; false after an error: they must be constants. */
static bool unique_flags(const rlxc_call_view *v, int64_t flags[UNIQUE_FLAGS])
{
    flags[0] = 1;
    for (uint32_t i = 0; i < UNIQUE_FLAGS; i++) {
        if (i > 0)
            flags[i] = 0;
        if (v->in[1 + i] && !rlxc_prim_int(v, 1 + i, &flags[i])) {
            rlxc_infer_fail(v, 1 + i, "must be constant");
            return false;
        }
    }
    return true;
}

const rlxc_sinfo *rlxc_infer_unique(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t flags[UNIQUE_FLAGS], axis = 0;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !unique_flags(&v, flags))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *fields[UNIQUE_FLAGS];
    int32_t ndim = 1;
    if (v.in[5]) {
        uint32_t position;
        if (!rlxc_prim_int(&v, 5, &axis))
            return rlxc_infer_fail(&v, 5, "must be constant");
        if (x->ndim != RLXC_UNKNOWN_NDIM && !rlxc_axis_in(&v, axis, x->ndim, &position))
            return NULL;
        ndim = x->ndim;
    }
    uint32_t n = 0;
    fields[n++] = rlxc_tensor_ndim(&v, x->dtype, ndim);
    for (uint32_t i = 1; i < UNIQUE_FLAGS; i++)
        if (flags[i])
            fields[n++] = rlxc_tensor_ndim(&v, RLX_I64, 1);
    return n == 1 ? fields[0] : rlxc_sinfo_tuple(ctx, fields, n);
}

rlxc_atom rlxc_legalize_unique(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t flags[UNIQUE_FLAGS], axis;
    if (!rlxc_infer_begin(&v, b->ctx, b->module, call) || !unique_flags(&v, flags))
        return (rlxc_atom){0};
    const rlxc_sinfo *s = call->op->infer(b->ctx, b->module, call);
    if (!s)
        return (rlxc_atom){0};
    rlxc_atom args[6] = {call->args[0]};
    for (uint32_t i = 0; i < UNIQUE_FLAGS; i++)
        args[1 + i] = rlxc_prim_bool(b->ctx, flags[i] != 0);
    uint32_t n = 5;
    if (v.in[5] && rlxc_prim_int(&v, 5, &axis))
        args[n++] = rlxc_prim_i64(b->ctx, axis);
    return rlxc_emit_builtin(b, call, "rlx.unique", args, n, s, true);
}

const rlxc_sinfo *rlxc_infer_nonzero(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    rlxc_call_view v;
    return rlxc_infer_begin(&v, ctx, module, call) ? rlxc_tensor_ndim(&v, RLX_I64, 2) : NULL;
}

rlxc_atom rlxc_legalize_nonzero(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *s = call->op->infer(b->ctx, b->module, call);
    if (!s)
        return (rlxc_atom){0};
    return rlxc_emit_builtin(b, call, "rlx.nonzero", call->args, 1, s, true);
}

/* True if indices may have this type, or none is given. */
static bool may_index(const rlxc_call_view *v, rlx_dtype dtype)
{
    if (rlxc_dtype_is_void(dtype) || dtype.code == RLX_INT || dtype.code == RLX_UINT)
        return true;
    rlxc_infer_error(v, "indices need an integer type, not %s", rlxc_dtype_name(v->ctx, dtype));
    return false;
}

const rlxc_sinfo *rlxc_infer_sort(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (x->ndim != RLXC_UNKNOWN_NDIM &&
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", -1), x->ndim, &axis))
        return NULL;
    if (strcmp(v.op, "sort") == 0)
        return x;
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    if (!may_index(&v, dtype))
        return NULL;
    return rlxc_tensor_like(&v, x, rlxc_dtype_is_void(dtype) ? RLX_I32 : dtype);
}

rlxc_atom rlxc_legalize_sort(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *s = call->op->infer(b->ctx, b->module, call);
    if (!s)
        return (rlxc_atom){0};
    bool is_sort = strcmp(call->op->name, "sort") == 0;
    rlxc_atom args[4] = {call->args[0], rlxc_prim_i64(b->ctx, rlxc_attr_get_int(call, "axis", -1)),
                         rlxc_prim_bool(b->ctx, rlxc_attr_get_bool(call, "descending", false)),
                         rlxc_atom_dtype(s->dtype)};
    return rlxc_emit_builtin(b, call, is_sort ? "rlx.sort" : "rlx.argsort", args, is_sort ? 3 : 4,
                             s, true);
}

/* The number of elements wanted, 1 by default; NULL: all of them, as for any constant below 1. */
static const rlxc_expr *topk_count(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_binding *call)
{
    const bool given = call->n_args > 1 && call->args[1].kind != RLXC_ATOM_NONE;
    const rlxc_expr *k = given ? rlxc_prim_arg(ctx, module, call, 1) : rlxc_i64(ctx, 1);
    int64_t value;
    return k && rlxc_is_int(k, &value) && value < 1 ? NULL : k;
}

const rlxc_sinfo *rlxc_infer_topk(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis = 0;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *values = x;
    if (x->ndim != RLXC_UNKNOWN_NDIM &&
        !rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", -1), x->ndim, &axis))
        return NULL;
    const char *type = rlxc_attr_get_str(call, "ret_type", "both");
    const rlxc_expr *count = topk_count(ctx, module, call);
    int64_t k, length;
    if (rlxc_dims_known(x)) {
        rlxc_dims dims = {.n = (uint32_t)x->ndim};
        memcpy(dims.at, x->dims, dims.n * sizeof dims.at[0]);
        if (count && rlxc_is_int(count, &k) && rlxc_is_int(dims.at[axis], &length) && k > length)
            return rlxc_infer_error(&v, "k is %lld, the axis has %lld elements", (long long)k,
                                    (long long)length);
        if (count)
            dims.at[axis] = rlxc_cast(ctx, RLX_I64, count);
        values = rlxc_tensor_of(&v, x->dtype, &dims);
    }
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    if (!may_index(&v, dtype))
        return NULL;
    const rlxc_sinfo *both[2] = {
        values, rlxc_tensor_like(&v, values, rlxc_dtype_is_void(dtype) ? RLX_I32 : dtype)};
    return type[0] == 'v' ? both[0] : type[0] == 'i' ? both[1] : rlxc_sinfo_tuple(ctx, both, 2);
}

rlxc_atom rlxc_legalize_topk(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *s = call->op->infer(b->ctx, b->module, call);
    if (!s)
        return (rlxc_atom){0};
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    const rlxc_expr *k = topk_count(b->ctx, b->module, call);
    rlxc_atom args[6] = {call->args[0],
                         k ? rlxc_atom_prim(k) : rlxc_prim_i64(b->ctx, -1),
                         rlxc_prim_i64(b->ctx, rlxc_attr_get_int(call, "axis", -1)),
                         rlxc_atom_string(b->ctx, rlxc_attr_get_str(call, "ret_type", "both")),
                         rlxc_prim_bool(b->ctx, rlxc_attr_get_bool(call, "largest", true)),
                         rlxc_atom_dtype(rlxc_dtype_is_void(dtype) ? RLX_I32 : dtype)};
    return rlxc_emit_builtin(b, call, "rlx.topk", args, 6, s, true);
}

/* Operators that make tensors from shapes, numbers and indices: full, zeros, ones and their _like
 * forms, eye, arange, tril, triu, one_hot, hamming_window. */
#include "compiler/ops/compose.h"
#include "compiler/ops/te.h"

#include <math.h>
#include <string.h>

static bool is_op(const rlxc_binding *call, const char *name)
{
    return strcmp(call->op->name, name) == 0;
}

/* --- full, zeros, ones --- */

const rlxc_sinfo *rlxc_infer_full(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_dims dims;
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    const rlxc_sinfo *fill = v.in[1];
    if (fill && fill->ndim != 0 && fill->ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 1, "expected a scalar, got %s", rlxc_sinfo_text(ctx, fill));
    if (rlxc_dtype_is_void(dtype))
        dtype = fill ? fill->dtype : RLX_F32;
    if (!rlxc_shape_arg(&v, 0, &dims, &ndim))
        return rlxc_sinfo_tensor(ctx, dtype, ndim, NULL, NULL);
    for (uint32_t i = 0; i < dims.n; i++) {
        int64_t d;
        if (rlxc_is_int(dims.at[i], &d) && d < 0)
            return rlxc_infer_fail(&v, 0, "dimension %u is %lld", i, (long long)d);
    }
    return rlxc_sinfo_tensor(ctx, dtype, ndim, dims.at, NULL);
}

const rlxc_sinfo *rlxc_infer_like(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    if (is_op(call, "full_like") && v.in[1]->ndim != 0 && v.in[1]->ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 1, "expected a scalar, got %s", rlxc_sinfo_text(ctx, v.in[1]));
    if (is_op(call, "eye_like") && v.in[0]->ndim != 2 && v.in[0]->ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 0, "expected a matrix, got %s", rlxc_sinfo_text(ctx, v.in[0]));
    return rlxc_tensor_like(&v, v.in[0], rlxc_dtype_is_void(dtype) ? v.in[0]->dtype : dtype);
}

rlxc_atom rlxc_legalize_full(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    bool from_value = is_op(call, "full") || is_op(call, "full_like");
    bool ones = strncmp(call->op->name, "ones", 4) == 0;
    const char *name = from_value ? "full" : ones ? "ones" : "zeros";
    if (!rlxc_te_begin(&te, b, call, name, RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    rlxc_te_operand fill = {.value = rlxc_te_number(b->ctx, te.out->dtype, ones ? 1 : 0)};
    if (from_value)
        fill = rlxc_te_operand_of(&te, 1, "fill_value");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_full");
    rlxc_te_spatial(&te, "T_full", out);
    const rlxc_expr *value = rlxc_te_get(&te, &fill, NULL);
    rlxc_te_store(&te, out, rlxc_cast(b->ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

/* --- eye --- */

const rlxc_sinfo *rlxc_infer_eye(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    const rlxc_expr *n = rlxc_prim_arg(ctx, module, call, 0);
    const rlxc_expr *m = v.in[1] ? rlxc_prim_arg(ctx, module, call, 1) : n;
    if (!n || !m)
        return rlxc_sinfo_tensor(ctx, dtype, 2, NULL, NULL);
    const rlxc_expr *dims[2] = {rlxc_cast(ctx, RLX_I64, n), rlxc_cast(ctx, RLX_I64, m)};
    return rlxc_sinfo_tensor(ctx, rlxc_dtype_is_void(dtype) ? RLX_F32 : dtype, 2, dims, NULL);
}

rlxc_atom rlxc_legalize_eye(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    if (!rlxc_te_begin(&te, b, call, "eye", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    uint32_t at = is_op(call, "eye_like") ? 1 : 2;
    const rlxc_expr *k =
        rlxc_arg_absent(call, at) ? rlxc_i64(b->ctx, 0) : rlxc_te_prim(&te, at, RLX_I64);
    const rlxc_buffer *out = rlxc_te_output(&te, "T_eye");
    rlxc_te_spatial(&te, "T_eye", out);
    const rlxc_expr *on =
        rlxc_binary(b->ctx, RLXC_EXPR_EQ, te.axes[1], rlxc_add(b->ctx, te.axes[0], k));
    rlxc_te_store(&te, out,
                  rlxc_select(b->ctx, on, rlxc_te_number(b->ctx, out->dtype, 1),
                              rlxc_te_number(b->ctx, out->dtype, 0)));
    return rlxc_te_finish(&te);
}

/* --- arange --- */

typedef struct progression {
    const rlxc_expr *start, *end, *step; /* NULL: not known */
    bool is_float;
} progression;

void rlxc_arange_args(rlxc_context *ctx, const rlxc_module *module, const rlxc_binding *call,
                      const rlxc_expr **out)
{
    const bool one = rlxc_arg_absent(call, 1); /* arange(n) counts from 0 */
    out[0] = one ? rlxc_i64(ctx, 0) : rlxc_prim_arg(ctx, module, call, 0);
    out[1] = rlxc_prim_arg(ctx, module, call, one ? 0 : 1);
    out[2] = rlxc_arg_absent(call, 2) ? rlxc_i64(ctx, 1) : rlxc_prim_arg(ctx, module, call, 2);
}

static progression read_progression(const rlxc_call_view *v)
{
    const rlxc_expr *args[3];
    rlxc_arange_args(v->ctx, v->module, v->call, args);
    progression p = {.start = args[0], .end = args[1], .step = args[2]};
    for (uint32_t i = 0; i < 3; i++)
        p.is_float |= v->in[i] && rlxc_dtype_is_float(v->in[i]->dtype);
    return p;
}

static bool as_double(const rlxc_expr *e, double *out)
{
    int64_t i;
    if (e->kind == RLXC_EXPR_FLOAT) {
        *out = e->f;
        return true;
    }
    if (!rlxc_is_int(e, &i))
        return false;
    *out = (double)i;
    return true;
}

const rlxc_sinfo *rlxc_infer_arange(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    progression p = read_progression(&v);
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    if (rlxc_dtype_is_void(dtype))
        dtype = p.is_float ? RLX_F32 : RLX_I64;
    if (!p.start || !p.end || !p.step)
        return rlxc_sinfo_tensor(ctx, dtype, 1, NULL, NULL);
    const rlxc_expr *length;
    if (p.is_float) {
        double start, end, step;
        if (!as_double(p.start, &start) || !as_double(p.end, &end) || !as_double(p.step, &step))
            return rlxc_sinfo_tensor(ctx, dtype, 1, NULL, NULL);
        double count = ceil((end - start) / step);
        if (!(count < 9e15)) /* a step of 0 and NaN too */
            return rlxc_infer_error(&v, "the range has infinitely many elements");
        length = rlxc_i64(ctx, count > 0 ? (int64_t)count : 0);
    } else {
        int64_t step;
        if (!rlxc_is_int(p.step, &step))
            return rlxc_sinfo_tensor(ctx, dtype, 1, NULL, NULL);
        if (step == 0 || step == INT64_MIN)
            return rlxc_infer_error(&v, "step %lld is invalid", (long long)step);
        const rlxc_expr *start = rlxc_cast(ctx, RLX_I64, p.start),
                        *end = rlxc_cast(ctx, RLX_I64, p.end);
        const rlxc_expr *span = step > 0 ? rlxc_sub(ctx, end, start) : rlxc_sub(ctx, start, end);
        int64_t size = step > 0 ? step : -step;
        span = rlxc_canonical(ctx, rlxc_add(ctx, span, rlxc_i64(ctx, size - 1)), NULL);
        length = rlxc_canonical(
            ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, span, rlxc_i64(ctx, size)), NULL);
        if (!rlxc_prove_le(ctx, rlxc_i64(ctx, 0), length, NULL))
            length = rlxc_binary(ctx, RLXC_EXPR_MAX, length, rlxc_i64(ctx, 0));
    }
    return rlxc_sinfo_tensor(ctx, dtype, 1, &length, NULL);
}

rlxc_atom rlxc_legalize_arange(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "arange", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    progression p = read_progression(&te.view);
    const rlxc_buffer *out = rlxc_te_output(&te, "T_arange");
    rlx_dtype dtype =
        p.is_float ? (rlxc_dtype_eq(out->dtype, RLX_F64) ? RLX_F64 : RLX_F32) : RLX_I64;
    rlxc_te_spatial(&te, "T_arange", out);
    const rlxc_expr *start = rlxc_cast(ctx, dtype, rlxc_te_expr(&te, p.start));
    const rlxc_expr *step = rlxc_cast(ctx, dtype, rlxc_te_expr(&te, p.step));
    const rlxc_expr *value =
        rlxc_add(ctx, start, rlxc_mul(ctx, rlxc_cast(ctx, dtype, te.axes[0]), step));
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

/* --- tril, triu --- */

const rlxc_sinfo *rlxc_infer_tri(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    if (x->ndim != RLXC_UNKNOWN_NDIM && x->ndim < 2)
        return rlxc_infer_fail(&v, 0, "expected at least 2 dimensions, got %d", x->ndim);
    return x;
}

rlxc_atom rlxc_legalize_tri(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    bool lower = is_op(call, "tril");
    if (!rlxc_te_begin(&te, b, call, call->op->name, RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    uint32_t n = (uint32_t)te.out->ndim;
    const rlxc_expr *k =
        rlxc_arg_absent(call, 1) ? rlxc_i64(b->ctx, 0) : rlxc_te_prim(&te, 1, RLX_I64);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "trilu");
    rlxc_te_spatial(&te, "trilu", out);
    const rlxc_expr *kept = rlxc_binary(b->ctx, lower ? RLXC_EXPR_LE : RLXC_EXPR_GE, te.axes[n - 1],
                                        rlxc_add(b->ctx, te.axes[n - 2], k));
    rlxc_te_store(&te, out,
                  rlxc_select(b->ctx, kept, rlxc_te_get(&te, &x, te.axes),
                              rlxc_te_number(b->ctx, out->dtype, 0)));
    return rlxc_te_finish(&te);
}

/* --- one_hot --- */

const rlxc_sinfo *rlxc_infer_one_hot(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    rlxc_call_view v;
    uint32_t axis;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    int64_t depth = rlxc_attr_get_int(call, "depth", -1);
    if (!rlxc_dtype_is_void(x->dtype) && !rlxc_dtype_is_int(x->dtype))
        return rlxc_infer_fail(&v, 0, "expected integers, got %s", rlxc_sinfo_text(ctx, x));
    if (depth < 0)
        return rlxc_infer_error(&v, "depth is %lld", (long long)depth);
    rlx_dtype dtype = v.in[1]->dtype;
    if (!rlxc_dtype_eq(dtype, v.in[2]->dtype))
        return rlxc_infer_error(&v, "on_value is %s, off_value %s", rlxc_dtype_name(ctx, dtype),
                                rlxc_dtype_name(ctx, v.in[2]->dtype));
    if (x->ndim == RLXC_UNKNOWN_NDIM)
        return rlxc_tensor_ndim(&v, dtype, RLXC_UNKNOWN_NDIM);
    if (!rlxc_axis_in(&v, rlxc_attr_get_int(call, "axis", -1), x->ndim + 1, &axis))
        return NULL;
    if (!rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, dtype, x->ndim + 1);
    rlxc_dims dims = {.n = (uint32_t)x->ndim + 1};
    for (uint32_t i = 0, k = 0; i < dims.n; i++)
        dims.at[i] = i == axis ? rlxc_i64(ctx, depth) : x->dims[k++];
    return rlxc_tensor_of(&v, dtype, &dims);
}

rlxc_atom rlxc_legalize_one_hot(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    uint32_t axis;
    if (!rlxc_te_begin(&te, b, call, "one_hot", RLXC_PATTERN_INJECTIVE) ||
        !rlxc_axis_in(&te.view, rlxc_attr_get_int(call, "axis", -1), te.out->ndim, &axis))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "indices");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_one_hot");
    const rlxc_expr *on = rlxc_te_prim(&te, 1, out->dtype), *off = rlxc_te_prim(&te, 2, out->dtype);
    rlxc_te_spatial(&te, "T_one_hot", out);
    const rlxc_expr *at[RLXC_MAX_NDIM];
    for (uint32_t i = 0, k = 0; i < out->ndim; i++)
        if (i != axis)
            at[k++] = te.axes[i];
    const rlxc_expr *index = rlxc_cast(b->ctx, RLX_I64, rlxc_te_get(&te, &x, at));
    rlxc_te_store(
        &te, out,
        rlxc_select(b->ctx, rlxc_binary(b->ctx, RLXC_EXPR_EQ, index, te.axes[axis]), on, off));
    return rlxc_te_finish(&te);
}

/* --- hamming_window --- */

const rlxc_sinfo *rlxc_infer_hamming(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "dtype");
    if (rlxc_dtype_is_void(dtype))
        dtype = RLX_F32;
    if (!rlxc_dtype_is_float(dtype))
        return rlxc_infer_error(&v, "expected a floating-point dtype, got %s",
                                rlxc_dtype_name(ctx, dtype));
    const rlxc_expr *n = rlxc_prim_arg(ctx, module, call, 0);
    int64_t size;
    if (!n)
        return rlxc_sinfo_tensor(ctx, dtype, 1, NULL, NULL);
    if (rlxc_is_int(n, &size) && size < 0)
        return rlxc_infer_fail(&v, 0, "must not be negative, got %lld", (long long)size);
    n = rlxc_cast(ctx, RLX_I64, n);
    return rlxc_sinfo_tensor(ctx, dtype, 1, &n, NULL);
}

/* alpha - beta cos(2 pi i / (n - 1)); with n if the window is periodic. */
rlxc_atom rlxc_legalize_hamming(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    int64_t periodic;
    if (!rlxc_te_begin(&te, b, call, "hamming_window", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    if (!rlxc_prim_int(&te.view, 1, &periodic)) {
        rlxc_infer_fail(&te.view, 1, "must be constant");
        return (rlxc_atom){0};
    }
    const rlxc_expr *alpha = rlxc_te_prim(&te, 2, RLX_F64), *beta = rlxc_te_prim(&te, 3, RLX_F64);
    const rlxc_buffer *out = rlxc_te_output(&te, "T_hamming");
    rlxc_te_spatial(&te, "T_hamming", out);
    /* a window of one element has its middle there */
    const rlxc_expr *one = rlxc_i64(ctx, 1), *n = out->shape[0],
                    *steps =
                        rlxc_binary(ctx, RLXC_EXPR_MAX, periodic ? n : rlxc_sub(ctx, n, one), one);
    const rlxc_expr *turn =
        rlxc_te_div(ctx, rlxc_cast(ctx, RLX_F64, te.axes[0]), rlxc_cast(ctx, RLX_F64, steps));
    const rlxc_expr *wave = rlxc_te_call1(
        ctx, "cos", rlxc_mul(ctx, turn, rlxc_float(ctx, RLX_F64, 6.283185307179586477)));
    const rlxc_expr *value = rlxc_sub(ctx, alpha, rlxc_mul(ctx, beta, wave));
    value =
        rlxc_te_if(ctx, rlxc_binary(ctx, RLXC_EXPR_EQ, n, one), rlxc_float(ctx, RLX_F64, 1), value);
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

/* --- size --- */

const rlxc_sinfo *rlxc_infer_size(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    return rlxc_sinfo_tensor(ctx, RLX_I64, 0, NULL, NULL); /* not on the device of x */
}

rlxc_atom rlxc_legalize_size(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    rlxc_te te;
    if (!rlxc_infer_begin(&v, ctx, b->module, call))
        return (rlxc_atom){0};
    const rlxc_sinfo *x_type = v.in[0], *stated = call->var->sinfo;
    const bool apart = stated && stated->kind == RLXC_SINFO_TENSOR && stated->vdevice &&
                       stated->vdevice != x_type->vdevice; /* no kernel reads x there */
    if (!rlxc_dims_known(x_type) || apart) {               /* counted at run time, from the shape */
        rlxc_atom dims = rlxc_lower1(b, call, "shape_of", call->args[0]);
        dims = rlxc_lower1(b, call, "shape_to_tensor", dims);
        if (x_type->ndim == RLXC_UNKNOWN_NDIM)
            dims =
                rlxc_lower_named_vector(b, call, dims, RLX_I64, rlxc_fresh_shape_var(ctx, "rank"));
        return rlxc_lower1(b, call, "prod", dims);
    }
    if (!rlxc_te_begin(&te, b, call, "size", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "size");
    rlxc_te_spatial(&te, "size", out);
    rlxc_te_store(&te, out, rlxc_product(ctx, x.dims, x.ndim));
    return rlxc_te_finish(&te);
}

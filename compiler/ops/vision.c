/* Operators on images and boxes, and slices whose bounds are data, as calls of the runtime's
 * builtins. Boxes and images are passed as float32 or float64. */
#include "compiler/ops/builtin_call.h"
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"

#include <string.h>

static bool rank_is(const rlxc_call_view *v, uint32_t i, int32_t ndim)
{
    if (v->in[i]->ndim == ndim || v->in[i]->ndim == RLXC_UNKNOWN_NDIM)
        return true;
    rlxc_infer_fail(v, i, "expected %d dimensions, got %s", ndim,
                    rlxc_sinfo_text(v->ctx, v->in[i]));
    return false;
}

static bool floats(const rlxc_call_view *v, uint32_t i)
{
    rlx_dtype t = v->in[i]->dtype;
    if (rlxc_dtype_is_void(t) || rlxc_dtype_is_float(t))
        return true;
    rlxc_infer_fail(v, i, "expected floating-point elements, got %s", rlxc_dtype_name(v->ctx, t));
    return false;
}

/* --- dynamic_strided_slice --- */

const rlxc_sinfo *rlxc_infer_dynamic_slice(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    for (uint32_t i = 1; i < 4; i++) {
        int64_t n;
        if (!rank_is(&v, i, 1))
            return NULL;
        if (!rlxc_dtype_is_void(v.in[i]->dtype) && !rlxc_dtype_is_int(v.in[i]->dtype))
            return rlxc_infer_fail(&v, i, "expected integers, got %s",
                                   rlxc_sinfo_text(ctx, v.in[i]));
        if (x->ndim != RLXC_UNKNOWN_NDIM && rlxc_dims_known(v.in[i]) &&
            rlxc_is_int(v.in[i]->dims[0], &n) && n != x->ndim)
            return rlxc_infer_fail(&v, i, "expected an element for each of %d dimensions, got %s",
                                   x->ndim, rlxc_sinfo_text(ctx, v.in[i]));
    }
    return rlxc_tensor_ndim(&v, x->dtype, x->ndim);
}

rlxc_atom rlxc_legalize_dynamic_slice(rlxc_builder *b, const rlxc_binding *call)
{
    const rlxc_sinfo *s = call->op->infer(b->ctx, b->module, call);
    if (!s)
        return (rlxc_atom){0};
    return rlxc_emit_builtin(b, call, "rlx.strided_slice", call->args, 4, s, true);
}

/* --- vision.all_class_non_max_suppression --- */

static bool is_onnx(const rlxc_binding *call)
{
    return strcmp(rlxc_attr_get_str(call, "output_format", "onnx"), "onnx") == 0;
}

/* onnx: rows (batch, class, box), padded to the maximum, and their count. tensorflow: for each
 * batch rows (class, box), their scores, their count. */
const rlxc_sinfo *rlxc_infer_nms(rlxc_context *ctx, const rlxc_module *module,
                                 const rlxc_binding *call)
{
    rlxc_call_view v;
    bool onnx = is_onnx(call);
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rank_is(&v, 0, 3) || !rank_is(&v, 1, 3) ||
        !floats(&v, 0) || !floats(&v, 1))
        return NULL;
    const rlxc_sinfo *boxes = v.in[0], *scores = v.in[1], *fields[3];
    bool known = rlxc_dims_known(boxes) && rlxc_dims_known(scores);
    if (known && (rlxc_prove_ne(ctx, boxes->dims[2], rlxc_i64(ctx, 4), NULL) ||
                  rlxc_prove_ne(ctx, boxes->dims[0], scores->dims[0], NULL) ||
                  rlxc_prove_ne(ctx, boxes->dims[1], scores->dims[2], NULL)))
        return rlxc_infer_error(&v,
                                "boxes (batch, n, 4) and scores (batch, classes, n) expected, "
                                "got %s and %s",
                                rlxc_sinfo_text(ctx, boxes), rlxc_sinfo_text(ctx, scores));
    if (known && (!rlxc_require_equal(&v, rlxc_size_of(&v, 0, 2), rlxc_size_given(&v, 4)) ||
                  !rlxc_require_equal(&v, rlxc_size_of(&v, 0, 0), rlxc_size_of(&v, 1, 0)) ||
                  !rlxc_require_equal(&v, rlxc_size_of(&v, 0, 1), rlxc_size_of(&v, 1, 2))))
        return NULL;
    const rlxc_expr *each = known ? rlxc_product(ctx, scores->dims + 1, 2) : NULL;
    if (onnx) {
        rlxc_dims rows = {.n = 2}, count = {.at = {rlxc_i64(ctx, 1)}, .n = 1};
        if (known) {
            rows.at[0] = rlxc_product(ctx, scores->dims, 3);
            rows.at[1] = rlxc_i64(ctx, 3);
        }
        fields[0] = known ? rlxc_tensor_of(&v, RLX_I64, &rows) : rlxc_tensor_ndim(&v, RLX_I64, 2);
        fields[1] = rlxc_tensor_of(&v, RLX_I64, &count);
        return rlxc_sinfo_tuple(ctx, fields, 2);
    }
    rlxc_dims dims = {.at = {known ? scores->dims[0] : NULL, each, rlxc_i64(ctx, 2)}};
    static const uint32_t ranks[3] = {3, 2, 1};
    for (uint32_t i = 0; i < 3; i++) {
        rlx_dtype dtype = i == 1 ? scores->dtype : RLX_I64;
        dims.n = ranks[i];
        fields[i] = known ? rlxc_tensor_of(&v, dtype, &dims)
                          : rlxc_tensor_ndim(&v, dtype, (int32_t)ranks[i]);
    }
    return rlxc_sinfo_tuple(ctx, fields, 3);
}

/* |out| with its second field, the scores, in float32. */
static const rlxc_sinfo *with_float32_scores(rlxc_context *ctx, const rlxc_sinfo *out)
{
    const rlxc_sinfo *s = out->fields[1];
    const rlxc_sinfo *fields[3] = {out->fields[0],
                                   rlxc_sinfo_tensor(ctx, RLX_F32, s->ndim, s->dims, s->vdevice),
                                   out->fields[2]};
    return rlxc_sinfo_tuple(ctx, fields, 3);
}

rlxc_atom rlxc_legalize_nms(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    bool onnx = is_onnx(call);
    const rlxc_sinfo *out = call->op->infer(b->ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlxc_atom args[6];
    for (uint32_t i = 0; i < 5; i++) {
        bool number = i != 2; /* the limit of boxes is an integer */
        args[i] = v.in[i]->kind == RLXC_SINFO_PRIM
                      ? call->args[i]
                      : rlxc_lower_astype(b, call, call->args[i], number ? RLX_F32 : RLX_I64);
        if (args[i].kind == RLXC_ATOM_NONE)
            return args[i];
    }
    args[5] = rlxc_prim_bool(b->ctx, onnx);
    const rlxc_sinfo *result = onnx ? out : with_float32_scores(b->ctx, out);
    rlxc_atom all = rlxc_emit_builtin(b, call, "rlx.nms", args, 6, result, true);
    if (result == out || rlxc_failed(b->ctx))
        return all;
    rlxc_atom fields[3] = {
        rlxc_lower_field(b, call, all, 0),
        rlxc_lower_astype(b, call, rlxc_lower_field(b, call, all, 1), out->fields[1]->dtype),
        rlxc_lower_field(b, call, all, 2)};
    return rlxc_lower_tuple(b, call, fields, 3);
}

/* --- vision.roi_align, vision.roi_pool --- */

const rlxc_sinfo *rlxc_infer_roi_align(rlxc_context *ctx, const rlxc_module *module,
                                       const rlxc_binding *call)
{
    rlxc_call_view v;
    int64_t size[2], columns;
    uint32_t n;
    rlx_dtype dtype;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rank_is(&v, 0, 4) || !rank_is(&v, 1, 2) ||
        !floats(&v, 0) || !rlxc_common_dtype(&v, 0, 1, &dtype))
        return NULL;
    if (!rlxc_attr_get_ints(call, "pooled_size", size, 2, &n) || size[0] < 1 || size[n == 2] < 1)
        return rlxc_infer_error(&v, "pooled_size must be one or two positive integers");
    const rlxc_sinfo *x = v.in[0], *rois = v.in[1];
    if (rlxc_dims_known(rois) && rlxc_is_int(rois->dims[1], &columns) && columns != 5)
        return rlxc_infer_fail(&v, 1, "expected rows (batch, x1, y1, x2, y2), got %s",
                               rlxc_sinfo_text(ctx, rois));
    if (!rlxc_dims_known(x) || !rlxc_dims_known(rois))
        return rlxc_tensor_ndim(&v, dtype, 4);
    bool last = strcmp(rlxc_attr_get_str(call, "layout", "NCHW"), "NHWC") == 0;
    const rlxc_expr *h = rlxc_i64(ctx, size[0]), *w = rlxc_i64(ctx, size[n == 2]);
    rlxc_dims dims = {
        .at = {rois->dims[0], last ? h : x->dims[1], last ? w : h, last ? x->dims[3] : w}, .n = 4};
    return rlxc_tensor_of(&v, dtype, &dims);
}

enum { ROI_ARGS = 5 };

/* The first arguments of both builtins: image, regions, height and width of a result, scale. False
 * after an error. */
static bool roi_args(rlxc_builder *b, const rlxc_binding *call, rlx_dtype dtype, rlxc_atom *args)
{
    int64_t size[2];
    uint32_t n;
    rlxc_attr_get_ints(call, "pooled_size", size, 2, &n);
    args[0] = rlxc_lower_astype(b, call, call->args[0], dtype);
    args[1] = rlxc_lower_astype(b, call, call->args[1], dtype);
    args[2] = rlxc_prim_i64(b->ctx, size[0]);
    args[3] = rlxc_prim_i64(b->ctx, size[n == 2]);
    args[4] =
        rlxc_atom_prim(rlxc_float(b->ctx, RLX_F64, rlxc_attr_get_float(call, "spatial_scale", 1)));
    return args[0].kind != RLXC_ATOM_NONE && args[1].kind != RLXC_ATOM_NONE;
}

rlxc_atom rlxc_legalize_roi_align(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlx_dtype dtype = out->dtype.bits == 64 ? RLX_F64 : RLX_F32;
    rlxc_atom args[9] = {[ROI_ARGS] =
                             rlxc_prim_i64(ctx, rlxc_attr_get_int(call, "sample_ratio", -1)),
                         rlxc_prim_bool(ctx, rlxc_attr_get_bool(call, "aligned", false)),
                         rlxc_prim_bool(ctx, rlxc_attr_get_str(call, "mode", "avg")[0] == 'm'),
                         rlxc_prim_bool(ctx, rlxc_attr_get_str(call, "layout", "NCHW")[1] == 'H')};
    if (!roi_args(b, call, dtype, args))
        return (rlxc_atom){0};
    rlxc_atom pooled =
        rlxc_emit_builtin(b, call, "rlx.roi_align", args, 9,
                          rlxc_sinfo_tensor(ctx, dtype, 4, out->dims, out->vdevice), true);
    return rlxc_lower_astype(b, call, pooled, out->dtype);
}

rlxc_atom rlxc_legalize_roi_pool(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlx_dtype dtype = out->dtype.bits == 64 ? RLX_F64 : RLX_F32;
    rlxc_atom args[6] = {[ROI_ARGS] = rlxc_prim_bool(ctx, true)};
    if (!roi_args(b, call, dtype, args))
        return (rlxc_atom){0};
    rlxc_atom pooled =
        rlxc_emit_builtin(b, call, "rlx.roi_pool", args, 6,
                          rlxc_sinfo_tensor(ctx, dtype, 4, out->dims, out->vdevice), true);
    return rlxc_lower_astype(b, call, pooled, out->dtype);
}

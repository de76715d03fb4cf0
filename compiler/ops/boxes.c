/* Operators of detectors: vision.get_valid_counts and vision.non_max_suppression, which call
 * builtins of the runtime, and vision.multibox_transform_loc, composed of other operators. */
#include "compiler/ops/builtin_call.h"
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"

#include <string.h>

static bool is_float_rows(const rlxc_call_view *v, uint32_t i, int32_t ndim)
{
    const rlxc_sinfo *x = v->in[i];
    if (x->ndim != ndim && x->ndim != RLXC_UNKNOWN_NDIM) {
        rlxc_infer_fail(v, i, "expected %d dimensions, got %s", ndim, rlxc_sinfo_text(v->ctx, x));
        return false;
    }
    if (!rlxc_dtype_is_void(x->dtype) && !rlxc_dtype_is_float(x->dtype)) {
        rlxc_infer_fail(v, i, "expected floating-point elements, got %s",
                        rlxc_dtype_name(v->ctx, x->dtype));
        return false;
    }
    return true;
}

/* Attribute |name| is a position in the rows of argument 0; |optional|: it may be negative. */
static bool is_position(const rlxc_call_view *v, const char *name, int64_t length, bool optional)
{
    int64_t at = rlxc_attr_get_int(v->call, name, 0), n;
    bool known = rlxc_dims_known(v->in[0]) && rlxc_is_int(v->in[0]->dims[2], &n);
    if ((at >= 0 || optional) && (!known || at <= n - length))
        return true;
    rlxc_infer_error(v, "%s is %lld, a box is %s", name, (long long)at,
                     rlxc_sinfo_text(v->ctx, v->in[0]));
    return false;
}

/* |boxes| of (images, n, width): a tensor of its first |rank| dimensions. */
static const rlxc_sinfo *part(const rlxc_call_view *v, rlx_dtype t, uint32_t rank)
{
    const rlxc_sinfo *boxes = v->in[0];
    rlxc_dims dims = {.n = rank};
    if (!rlxc_dims_known(boxes))
        return rlxc_tensor_ndim(v, t, (int32_t)rank);
    memcpy(dims.at, boxes->dims, rank * sizeof dims.at[0]);
    return rlxc_tensor_of(v, t, &dims);
}

/* The builtins take float32 or float64. */
static rlx_dtype wide(rlx_dtype t)
{
    return t.bits == 64 ? RLX_F64 : RLX_F32;
}

static rlxc_atom prim_float(rlxc_context *ctx, const rlxc_binding *call, const char *name)
{
    return rlxc_atom_prim(rlxc_float(ctx, RLX_F64, rlxc_attr_get_float(call, name, 0)));
}

static rlxc_atom prim_int(rlxc_context *ctx, const rlxc_binding *call, const char *name)
{
    return rlxc_prim_i64(ctx, rlxc_attr_get_int(call, name, 0));
}

/* --- get_valid_counts --- */

const rlxc_sinfo *rlxc_infer_valid_counts(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !is_float_rows(&v, 0, 3) ||
        !is_position(&v, "score_index", 1, false) || !is_position(&v, "id_index", 1, true))
        return NULL;
    const rlxc_sinfo *fields[3] = {part(&v, RLX_I32, 1), part(&v, v.in[0]->dtype, 3),
                                   part(&v, RLX_I32, 2)};
    return rlxc_sinfo_tuple(ctx, fields, 3);
}

rlxc_atom rlxc_legalize_valid_counts(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    const rlxc_sinfo *out = call->op->infer(b->ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlx_dtype t = v.in[0]->dtype;
    rlxc_atom args[4] = {rlxc_lower_astype(b, call, call->args[0], wide(t)),
                         prim_float(b->ctx, call, "score_threshold"),
                         prim_int(b->ctx, call, "id_index"), prim_int(b->ctx, call, "score_index")};
    const rlxc_sinfo *fields[3] = {out->fields[0], part(&v, wide(t), 3), out->fields[2]};
    rlxc_atom all = rlxc_emit_builtin(b, call, "rlx.valid_counts", args, 4,
                                      rlxc_sinfo_tuple(b->ctx, fields, 3), true);
    rlxc_atom results[3] = {rlxc_lower_field(b, call, all, 0),
                            rlxc_lower_astype(b, call, rlxc_lower_field(b, call, all, 1), t),
                            rlxc_lower_field(b, call, all, 2)};
    return rlxc_lower_tuple(b, call, results, 3);
}

/* --- non_max_suppression --- */

/* How many of (boxes, indices, count) the call returns; fewer than 3: the last ones, or the boxes
 * alone. */
static uint32_t n_results(const rlxc_binding *call)
{
    if (!rlxc_attr_get_bool(call, "return_indices", true))
        return 1;
    return rlxc_attr_get_float(call, "soft_nms_sigma", 0) > 0 ? 3 : 2;
}

static bool is_count(const rlxc_call_view *v, uint32_t i, int32_t ndim)
{
    const rlxc_sinfo *x = v->in[i];
    if ((x->ndim == ndim || x->ndim == RLXC_UNKNOWN_NDIM) &&
        (rlxc_dtype_is_void(x->dtype) || rlxc_dtype_is_int(x->dtype)))
        return true;
    rlxc_infer_fail(v, i, "expected integers of %d dimensions, got %s", ndim,
                    rlxc_sinfo_text(v->ctx, x));
    return false;
}

const rlxc_sinfo *rlxc_infer_box_nms(rlxc_context *ctx, const rlxc_module *module,
                                     const rlxc_binding *call)
{
    rlxc_call_view v;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !is_float_rows(&v, 0, 3) ||
        !is_count(&v, 1, 1) || !is_count(&v, 2, 2) || !is_position(&v, "score_index", 1, false) ||
        !is_position(&v, "id_index", 1, true) || !is_position(&v, "coord_start", 4, false))
        return NULL;
    const rlxc_sinfo *boxes = part(&v, v.in[0]->dtype, 3);
    rlxc_dims counts = {.at = {NULL, rlxc_i64(ctx, 1)}, .n = 2};
    if (rlxc_dims_known(boxes))
        counts.at[0] = boxes->dims[0];
    const rlxc_sinfo *fields[3] = {boxes, part(&v, RLX_I32, 2),
                                   counts.at[0] ? rlxc_tensor_of(&v, RLX_I32, &counts)
                                                : rlxc_tensor_ndim(&v, RLX_I32, 2)};
    uint32_t n = n_results(call);
    return n == 1 ? boxes : rlxc_sinfo_tuple(ctx, fields + 3 - n, n);
}

rlxc_atom rlxc_legalize_box_nms(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlx_dtype t = v.in[0]->dtype;
    uint32_t n = n_results(call);
    bool to_top = n == 1 && rlxc_attr_get_bool(call, "invalid_to_bottom", false);
    rlxc_atom args[13] = {rlxc_lower_astype(b, call, call->args[0], wide(t)),
                          call->args[1],
                          call->args[2],
                          prim_int(ctx, call, "max_output_size"),
                          prim_float(ctx, call, "iou_threshold"),
                          prim_int(ctx, call, "force_suppress"),
                          prim_int(ctx, call, "top_k"),
                          prim_int(ctx, call, "coord_start"),
                          prim_int(ctx, call, "score_index"),
                          prim_int(ctx, call, "id_index"),
                          prim_float(ctx, call, "soft_nms_sigma"),
                          prim_float(ctx, call, "score_threshold"),
                          rlxc_prim_i64(ctx, to_top)};
    rlxc_dims counts = {.at = {v.in[0]->dims[0], rlxc_i64(ctx, 1)}, .n = 2};
    const rlxc_sinfo *fields[3] = {part(&v, wide(t), 3), part(&v, RLX_I32, 2),
                                   rlxc_tensor_of(&v, RLX_I32, &counts)};
    rlxc_atom all =
        rlxc_emit_builtin(b, call, "rlx.box_nms", args, 13, rlxc_sinfo_tuple(ctx, fields, 3), true);
    rlxc_atom results[3] = {
        {0}, rlxc_lower_field(b, call, all, 1), rlxc_lower_field(b, call, all, 2)};
    if (n != 2)
        results[0] = rlxc_lower_astype(b, call, rlxc_lower_field(b, call, all, 0), t);
    return n == 1 ? results[0] : rlxc_lower_tuple(b, call, results + 3 - n, n);
}

/* --- multibox_transform_loc --- */

const rlxc_sinfo *rlxc_infer_multibox(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call)
{
    rlxc_call_view v;
    rlx_dtype t;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !is_float_rows(&v, 0, 3) ||
        !is_float_rows(&v, 1, 2) || !is_float_rows(&v, 2, 3) || !rlxc_common_dtype(&v, 0, 1, &t) ||
        !rlxc_common_dtype(&v, 0, 2, &t))
        return NULL;
    const rlxc_attr *variances = rlxc_attrs_find(&call->attrs, "variances");
    if (variances && variances->kind != RLXC_ATTR_NONE &&
        (variances->kind != RLXC_ATTR_LIST || variances->list.count != 4))
        return rlxc_infer_error(&v, "variances must be 4 numbers");
    const rlxc_sinfo *scores = v.in[0];
    rlxc_dims dims = {.n = 3};
    if (!rlxc_dims_known(scores)) {
        const rlxc_sinfo *unknown[2] = {rlxc_tensor_ndim(&v, t, 3), rlxc_tensor_ndim(&v, t, 3)};
        return rlxc_sinfo_tuple(ctx, unknown, 2);
    }
    dims.at[0] = scores->dims[0];
    dims.at[1] = scores->dims[2];
    dims.at[2] = rlxc_i64(ctx, 4);
    const rlxc_expr *numbers = rlxc_canonical(ctx, rlxc_mul(ctx, dims.at[1], dims.at[2]), NULL);
    const rlxc_size each = {.dim = numbers, .argument = RLXC_NO_PLACE};
    if (rlxc_dims_known(v.in[1]) &&
        (!rlxc_require_equal(&v, rlxc_size_of(&v, 1, 0), rlxc_size_of(&v, 0, 0)) ||
         !rlxc_require_equal(&v, rlxc_size_of(&v, 1, 1), each)))
        return NULL;
    if (rlxc_dims_known(v.in[2]) &&
        (!rlxc_require_equal(&v, rlxc_size_of(&v, 2, 0), rlxc_size_given(&v, 1)) ||
         !rlxc_require_equal(&v, rlxc_size_of(&v, 2, 1), rlxc_size_of(&v, 0, 2)) ||
         !rlxc_require_equal(&v, rlxc_size_of(&v, 2, 2), rlxc_size_given(&v, 4))))
        return NULL;
    const rlxc_sinfo *fields[2] = {rlxc_tensor_of(&v, t, &dims), scores};
    return rlxc_sinfo_tuple(ctx, fields, 2);
}

/* x * |by| */
static rlxc_atom times(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, rlx_dtype t,
                       double by)
{
    return rlxc_lower2(b, call, "multiply", x, rlxc_scalar_atom(b->ctx, t, by));
}

/* Numbers |from| to before |to| of each box; two for both coordinates: x and y, or w and h. */
static rlxc_atom columns(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, int64_t from,
                         int64_t to)
{
    rlxc_context *ctx = b->ctx;
    rlxc_atom axis = rlxc_prim_i64(ctx, 2), low = rlxc_prim_i64(ctx, from),
              high = rlxc_prim_i64(ctx, to);
    rlxc_atom args[4] = {x, rlxc_atom_tuple(ctx, &axis, 1), rlxc_atom_tuple(ctx, &low, 1),
                         rlxc_atom_tuple(ctx, &high, 1)};
    return rlxc_lower_op(b, call, "strided_slice", args, 4, (rlxc_attrs){0});
}

static rlxc_atom joined(rlxc_builder *b, const rlxc_binding *call, rlxc_atom first, rlxc_atom last)
{
    const rlxc_atom both[2] = {first, last};
    rlxc_atom tuple = rlxc_atom_tuple(b->ctx, both, 2);
    return rlxc_lower_op(b, call, "concat", &tuple, 1,
                         rlxc_one_attr(b->ctx, "axis", rlxc_attr_int(2)));
}

/* The factor for the predictions of one pair of columns. */
static rlxc_atom varied(rlxc_builder *b, const rlxc_binding *call, rlxc_atom loc, int64_t from,
                        rlx_dtype t)
{
    const rlxc_attr *list = rlxc_attrs_find(&call->attrs, "variances");
    rlxc_atom sides[2];
    for (int64_t i = 0; i < 2; i++) {
        double by = 1;
        if (list && list->kind == RLXC_ATTR_LIST)
            (void)rlxc_attr_as_number(&list->list.items[from + i], &by);
        sides[i] = times(b, call, columns(b, call, loc, from + i, from + i + 1), t, by);
    }
    return joined(b, call, sides[0], sides[1]);
}

rlxc_atom rlxc_legalize_multibox(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_context *ctx = b->ctx;
    const rlxc_sinfo *out = call->op->infer(ctx, b->module, call);
    if (!out || !rlxc_lower_begin(&v, b, call))
        return (rlxc_atom){0};
    rlx_dtype t = out->fields[0]->dtype, w = t.bits == 16 ? RLX_F32 : t;
    rlxc_atom loc = rlxc_lower_astype(b, call, call->args[1], w),
              anchor = rlxc_lower_astype(b, call, call->args[2], w);
    loc = rlxc_lower_reshape(b, call, loc, out->fields[0]->dims, 3);
    rlxc_atom low = columns(b, call, anchor, 0, 2), high = columns(b, call, anchor, 2, 4);
    rlxc_atom size = rlxc_lower2(b, call, "subtract", high, low);
    rlxc_atom middle = times(b, call, rlxc_lower2(b, call, "add", low, high), w, 0.5);
    rlxc_atom moved = rlxc_lower2(b, call, "multiply", varied(b, call, loc, 0, w), size);
    moved = rlxc_lower2(b, call, "add", moved, middle);
    rlxc_atom half = rlxc_lower1(b, call, "exp", varied(b, call, loc, 2, w));
    half = rlxc_lower2(b, call, "multiply", times(b, call, half, w, 0.5), size);
    rlxc_atom corners[2] = {rlxc_lower2(b, call, "subtract", moved, half),
                            rlxc_lower2(b, call, "add", moved, half)};
    for (int i = 0; i < 2; i++) /* y before x */
        corners[i] =
            joined(b, call, columns(b, call, corners[i], 1, 2), columns(b, call, corners[i], 0, 1));
    rlxc_atom boxes = joined(b, call, corners[0], corners[1]);
    if (rlxc_attr_get_bool(call, "clip", false)) {
        boxes = rlxc_lower2(b, call, "minimum", boxes, rlxc_scalar_atom(ctx, w, 1));
        boxes = rlxc_lower2(b, call, "maximum", boxes, rlxc_scalar_atom(ctx, w, 0));
    }
    rlxc_atom scores = rlxc_lower_astype(b, call, call->args[0], w);
    if (rlxc_attr_get_bool(call, "apply_softmax", true))
        scores = rlxc_lower_op(b, call, "nn.softmax", &scores, 1,
                               rlxc_one_attr(ctx, "axis", rlxc_attr_int(1)));
    double least = rlxc_attr_get_float(call, "threshold", 0);
    rlxc_atom enough =
        rlxc_lower2(b, call, "greater_equal", scores, rlxc_scalar_atom(ctx, w, least));
    if (!rlxc_attr_get_bool(call, "keep_background", true)) {
        const rlxc_expr *dims[3] = {rlxc_i64(ctx, 1), out->fields[1]->dims[1], rlxc_i64(ctx, 1)};
        rlxc_atom range[1] = {rlxc_atom_prim(dims[1])};
        rlxc_atom class = rlxc_lower_op(b, call, "arange", range, 1,
                                        rlxc_one_attr(ctx, "dtype", rlxc_attr_dtype(RLX_I64)));
        class = rlxc_lower_reshape(b, call, class, dims, 3);
        class = rlxc_lower2(b, call, "greater", class, rlxc_scalar_atom(ctx, RLX_I64, 0));
        enough = rlxc_lower2(b, call, "logical_and", enough, class);
    }
    scores = rlxc_lower2(b, call, "multiply", scores, rlxc_lower_astype(b, call, enough, w));
    rlxc_atom results[2] = {rlxc_lower_astype(b, call, boxes, t),
                            rlxc_lower_astype(b, call, scores, t)};
    return rlxc_lower_tuple(b, call, results, 2);
}

/* Other operators: boxes, determinants, un-pooling, n-grams. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"

static rlxc_atom column(rlxc_ox *im, rlxc_atom x, int64_t k)
{
    return rlxc_ox_slice(im, x, rlxc_ox_ndim(im, x) - 1, rlxc_ox_i(im, k), rlxc_ox_i(im, k + 1), 1);
}

void rlxc_ox_import_nms(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_expr *const *count;
    uint32_t n;
    rlxc_atom boxes = rlxc_ox_in(im, 0);
    if (rlxc_ox_int(im, "center_point_box", 0)) { /* (x, y, w, h) of the middle to corners */
        rlxc_atom half = rlxc_ox_number(im, rlxc_ox_type(im, boxes), 0.5), parts[4];
        for (int64_t k = 0; k < 2; k++) {
            rlxc_atom mid = column(im, boxes, 1 - k);
            rlxc_atom size = rlxc_ox_op2(im, "multiply", column(im, boxes, 3 - k), half);
            parts[k] = rlxc_ox_op2(im, "subtract", mid, size);
            parts[k + 2] = rlxc_ox_op2(im, "add", mid, size);
        }
        boxes = rlxc_ox_concat(im, parts, 4, 2);
    }
    const rlxc_atom args[5] = {
        boxes, rlxc_ox_in(im, 1),
        rlxc_ox_has(im, 2) ? rlxc_ox_in(im, 2) : rlxc_ox_number(im, RLX_I64, 0),
        rlxc_ox_has(im, 3) ? rlxc_ox_in(im, 3) : rlxc_ox_number(im, RLX_F32, 0),
        rlxc_ox_has(im, 4) ? rlxc_ox_in(im, 4) : rlxc_ox_number(im, RLX_F32, -(double)INFINITY)};
    rlxc_atom all =
        rlxc_ox_opv(im, "vision.all_class_non_max_suppression", args, 5, (rlxc_attrs){0});
    rlxc_atom rows = rlxc_ox_field(im, all, 0);
    if (!rlxc_ox_elems_of(im, rlxc_ox_tensor(im, rlxc_ox_field(im, all, 1)), &count, &n) || n != 1)
        return;
    rlxc_ox_set(im, 0,
                rlxc_ox_slice(im, rows, 0, rlxc_ox_i(im, 0),
                              rlxc_ox_bin(im, RLXC_EXPR_MAX, count[0], rlxc_ox_i(im, 0)), 1));
}

void rlxc_ox_import_roi_align(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0), rois = rlxc_ox_in(im, 1);
    rlx_dtype t = rlxc_ox_type(im, x), wide = t.bits == 64 ? RLX_F64 : RLX_F32;
    const int64_t one[1] = {1};
    const int64_t size[2] = {rlxc_ox_int(im, "output_height", 1),
                             rlxc_ox_int(im, "output_width", 1)};
    bool aligned = im->opset >= 16 &&
                   rlxc_ox_is(im, "coordinate_transformation_mode", "half_pixel", "half_pixel");
    bool max = rlxc_ox_is(im, "mode", "avg", "max");
    if (rlxc_ox_ndim(im, x) != 4 || rlxc_ox_ndim(im, rois) != 2 || size[0] < 1 || size[1] < 1) {
        rlxc_ox_fail(im, "expected images (n, c, h, w), regions (n, 4) and a positive size");
        return;
    }
    rlxc_ox_check_elements(im, rlxc_ox_in(im, 2), rlxc_ox_i(im, 0), rlxc_ox_dim(im, x, 0),
                           "batch index");
    rlxc_atom batch = rlxc_ox_expand_dims(
        im, rlxc_ox_cast(im, rlxc_ox_in(im, 2), rlxc_ox_type(im, rois)), one, 1);
    const rlxc_atom parts[2] = {batch, rois};
    rois = rlxc_ox_concat(im, parts, 2, 1);
    const int64_t ratio = rlxc_ox_int(im, "sampling_ratio", 0), samples = ratio == 0 ? -1 : ratio;
    const double scale = rlxc_ox_float(im, "spatial_scale", 1);
    if (!max) {
        const rlxc_atom both[2] = {x, rois};
        rlxc_attrs attrs = rlxc_ox_with_ints(im, (rlxc_attrs){0}, "pooled_size", size, 2);
        attrs = rlxc_ox_with(im, attrs, "spatial_scale", rlxc_attr_float(scale));
        attrs = rlxc_ox_with_int(im, attrs, "sample_ratio", samples);
        attrs = rlxc_ox_with(im, attrs, "aligned", rlxc_attr_bool(aligned));
        rlxc_ox_set(im, 0, rlxc_ox_opv(im, "vision.roi_align", both, 2, attrs));
        return;
    }
    /* ONNX takes the maximum of weighted elements, not of samples: Relax has no such operator. */
    const rlxc_expr *dims[4] = {rlxc_ox_dim(im, rois, 0), rlxc_ox_dim(im, x, 1),
                                rlxc_ox_i(im, size[0]), rlxc_ox_i(im, size[1])};
    const rlxc_atom args[8] = {rlxc_ox_cast(im, x, wide),
                               rlxc_ox_cast(im, rois, wide),
                               rlxc_atom_prim(dims[2]),
                               rlxc_atom_prim(dims[3]),
                               rlxc_atom_prim(rlxc_float(im->ctx, RLX_F64, scale)),
                               rlxc_atom_prim(rlxc_ox_i(im, samples)),
                               rlxc_atom_prim(rlxc_bool(im->ctx, aligned)),
                               rlxc_atom_prim(rlxc_ox_i(im, 2))};
    rlxc_atom y = rlxc_ox_builtin(im, "rlx.roi_align", args, 8,
                                  rlxc_sinfo_tensor(im->ctx, wide, 4, dims, NULL));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, y, t));
}

void rlxc_ox_import_max_roi_pool(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    int64_t size[2] = {0, 0};
    uint32_t n;
    rlxc_atom x = rlxc_ox_in(im, 0), rois = rlxc_ox_in(im, 1);
    rlx_dtype t = rlxc_ox_type(im, x), wide = t.bits == 64 ? RLX_F64 : RLX_F32;
    rlxc_ox_ints(im, "pooled_shape", size, 2, &n);
    if (rlxc_ox_ndim(im, x) != 4 || rlxc_ox_ndim(im, rois) != 2 || size[0] < 1 || size[1] < 1) {
        rlxc_ox_fail(im, "expected images (n, c, h, w), regions (n, 5) and a positive size");
        return;
    }
    const rlxc_expr *dims[4] = {rlxc_ox_dim(im, rois, 0), rlxc_ox_dim(im, x, 1),
                                rlxc_ox_i(im, size[0]), rlxc_ox_i(im, size[1])};
    const double scale = rlxc_ox_float(im, "spatial_scale", 1);
    const rlxc_atom args[5] = {rlxc_ox_cast(im, x, wide), rlxc_ox_cast(im, rois, wide),
                               rlxc_atom_prim(dims[2]), rlxc_atom_prim(dims[3]),
                               rlxc_atom_prim(rlxc_float(im->ctx, RLX_F64, scale))};
    rlxc_atom y = rlxc_ox_builtin(im, "rlx.roi_pool", args, 5,
                                  rlxc_sinfo_tensor(im->ctx, wide, 4, dims, NULL));
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, y, t));
}

/* Of each square matrix of the input: builtin |row->arg|, rlx.det or rlx.inverse. */
void rlxc_ox_import_of_matrices(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlxc_atom x = rlxc_ox_in(im, 0);
    rlx_dtype t = rlxc_ox_type(im, x), wide = t.bits == 64 ? RLX_F64 : RLX_F32;
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (ndim < 2 || !rlxc_dtype_is_float(t)) {
        rlxc_ox_fail(im, "expected matrices of floats");
        return;
    }
    rlxc_ox_dims(im, x, dims);
    x = rlxc_ox_cast(im, x, wide);
    const uint32_t of = strcmp(row->arg, "rlx.det") == 0 ? ndim - 2 : ndim;
    const rlxc_sinfo *result = rlxc_sinfo_tensor(im->ctx, wide, (int32_t)of, dims, NULL);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, rlxc_ox_builtin(im, row->arg, &x, 1, result), t));
}

void rlxc_ox_import_max_unpool(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_window w;
    const rlxc_expr *dims[RLXC_MAX_NDIM], *flat, *const *want;
    uint32_t n;
    rlxc_atom x = rlxc_ox_in(im, 0), at = rlxc_ox_in(im, 1);
    uint32_t ndim = rlxc_ox_ndim(im, x);
    if (!rlxc_ox_read_window(im, &w, ndim < 2 ? 0 : ndim - 2))
        return;
    const Onnx__AttributeProto *kernel = rlxc_ox_attr(im, "kernel_shape");
    if (!kernel || kernel->n_ints != w.n) {
        rlxc_ox_fail(im, "kernel_shape does not fit");
        return;
    }
    rlxc_ox_dims(im, x, dims);
    for (uint32_t i = 0; i < w.n; i++) {
        const rlxc_expr *whole = rlxc_mul(im->ctx, rlxc_sub(im->ctx, dims[i + 2], rlxc_ox_i(im, 1)),
                                          rlxc_ox_i(im, w.strides[i]));
        dims[i + 2] =
            rlxc_add(im->ctx, whole, rlxc_ox_i(im, kernel->ints[i] - w.pads[i] - w.pads[i + w.n]));
    }
    flat = rlxc_product(im->ctx, dims, ndim);
    rlxc_ox_check_elements(im, at, rlxc_ox_i(im, 0), flat, "index");
    for (uint32_t i = 0; i < w.n; i++)
        rlxc_ox_check_least(im, dims[i + 2], 0, "a size of the result");
    const rlxc_atom args[3] = {x, at, rlxc_atom_shape(im->ctx, dims, ndim)};
    rlxc_atom y =
        rlxc_ox_builtin(im, "rlx.unpool", args, 3,
                        rlxc_sinfo_tensor(im->ctx, rlxc_ox_type(im, x), (int32_t)ndim, dims, NULL));
    if (rlxc_ox_has(im, 2)) {
        if (!rlxc_ox_elems(im, 2, &want, &n))
            return;
        rlxc_atom zero = rlxc_ox_number(im, rlxc_ox_type(im, x), 0);
        for (uint32_t i = 2; i < ndim && n == ndim; i++)
            y = rlxc_ox_pad_axis(im, y, i, rlxc_ox_i(im, 0),
                                 rlxc_canonical(im->ctx, rlxc_sub(im->ctx, want[i], dims[i]), NULL),
                                 "constant", zero);
    }
    rlxc_ox_set(im, 0, y);
}

/* How often the n-gram |gram| occurs in the rows of |x| (rows, length), as (rows, 1) floats. */
static rlxc_atom occurrences(rlxc_ox *im, rlxc_atom x, const int64_t *gram, int64_t n,
                             int64_t skips)
{
    const int64_t axes[1] = {1};
    rlx_dtype t = rlxc_ox_type(im, x);
    rlxc_atom total = {0};
    const rlxc_expr *length = rlxc_ox_dim(im, x, 1);
    for (int64_t s = 0; s <= (n == 1 ? 0 : skips) && !im->failed; s++) {
        rlxc_atom hits = {0};
        const rlxc_expr *windows = rlxc_ox_bin(
            im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, length, rlxc_ox_i(im, (n - 1) * (s + 1))),
            rlxc_ox_i(im, 0));
        for (int64_t j = 0; j < n; j++) {
            const rlxc_expr *begin = rlxc_ox_i(im, j * (s + 1));
            rlxc_atom part = rlxc_ox_slice(im, x, 1, begin, rlxc_add(im->ctx, begin, windows), 1);
            rlxc_atom same = rlxc_ox_op2(im, "equal", part, rlxc_ox_number(im, t, (double)gram[j]));
            hits = j ? rlxc_ox_op2(im, "logical_and", hits, same) : same;
        }
        rlxc_atom count = rlxc_ox_reduce(im, "sum", rlxc_ox_cast(im, hits, RLX_F32), axes, 1, true);
        total = s ? rlxc_ox_op2(im, "add", total, count) : count;
    }
    return total;
}

void rlxc_ox_import_tfidf(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const Onnx__AttributeProto *counts = rlxc_ox_attr(im, "ngram_counts"),
                               *indexes = rlxc_ox_attr(im, "ngram_indexes"),
                               *pool = rlxc_ox_attr(im, "pool_int64s"),
                               *weights = rlxc_ox_attr(im, "weights");
    int64_t low = rlxc_ox_int(im, "min_gram_length", 1),
            high = rlxc_ox_int(im, "max_gram_length", 1),
            skips = rlxc_ox_int(im, "max_skip_count", 0), columns = 0;
    const char *mode = rlxc_ox_str(im, "mode", "TF");
    rlxc_atom x = rlxc_ox_in(im, 0);
    uint32_t ndim = rlxc_ox_ndim(im, x), entry = 0;
    rlxc_atom out[RLXC_OX_MAX_LIST];
    if (!counts || !indexes || !pool || indexes->n_ints > RLXC_OX_MAX_LIST || ndim < 1 ||
        ndim > 2 || skips < 0 || skips > 64) {
        rlxc_ox_fail(im, "only pools of at most %d integer n-grams are supported",
                     RLXC_OX_MAX_LIST);
        return;
    }
    const rlxc_expr *dims[2] = {rlxc_ox_i(im, 1), rlxc_ox_dim(im, x, 0)};
    if (ndim == 1)
        x = rlxc_ox_reshape(im, x, dims, 2);
    for (size_t i = 0; i < indexes->n_ints; i++) {
        if (indexes->ints[i] < 0 || indexes->ints[i] >= RLXC_OX_MAX_LIST) {
            rlxc_ox_fail(im, "an index of an n-gram is %lld", (long long)indexes->ints[i]);
            return;
        }
        columns = indexes->ints[i] >= columns ? indexes->ints[i] + 1 : columns;
    }
    for (int64_t i = 0; i < columns; i++)
        out[i].kind = RLXC_ATOM_NONE;
    for (size_t g = 0; g < counts->n_ints && !im->failed; g++) {
        int64_t n = (int64_t)g + 1, begin = counts->ints[g];
        int64_t end = g + 1 < counts->n_ints ? counts->ints[g + 1] : (int64_t)pool->n_ints;
        if (begin < 0 || end < begin || end > (int64_t)pool->n_ints) {
            rlxc_ox_fail(im, "ngram_counts do not fit the pool");
            return;
        }
        for (int64_t at = begin; at + n <= end && entry < indexes->n_ints; at += n, entry++) {
            if (n < low || n > high)
                continue;
            rlxc_atom v = occurrences(im, x, pool->ints + at, n, skips);
            double weight =
                weights && entry < weights->n_floats ? (double)weights->floats[entry] : 1;
            if (strcmp(mode, "IDF") == 0)
                v = rlxc_ox_cast(im, rlxc_ox_op2(im, "greater", v, rlxc_ox_number(im, RLX_F32, 0)),
                                 RLX_F32);
            if (strcmp(mode, "TF") != 0)
                v = rlxc_ox_op2(im, "multiply", v, rlxc_ox_number(im, RLX_F32, weight));
            out[indexes->ints[entry]] = v;
        }
    }
    dims[0] = rlxc_ox_dim(im, x, 0);
    dims[1] = rlxc_ox_i(im, 1);
    for (int64_t i = 0; i < columns; i++)
        if (out[i].kind == RLXC_ATOM_NONE)
            out[i] = rlxc_ox_full(im, RLX_F32, 0, dims, 2);
    rlxc_atom y = rlxc_ox_concat(im, out, (uint32_t)columns, 1);
    dims[0] = rlxc_ox_i(im, columns);
    rlxc_ox_set(im, 0, ndim == 1 ? rlxc_ox_reshape(im, y, dims, 1) : y);
}

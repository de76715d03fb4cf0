/* image.resize2d and resize3d: nearest neighbour, linear and cubic interpolation, in float32.
 *
 * The transformation maps each coordinate of the result to one of the input; taps outside the input
 * read its border. With tf_crop_and_resize, results whose coordinate is outside are the
 * extrapolation value. */
#include "compiler/ops/window.h"

#include <string.h>

enum { MAX_TAPS = 4, ROI = 4 };

/* The taps of one coordinate: positions in the input and their weights. */
typedef struct taps {
    uint32_t n;
    const rlxc_expr *at[MAX_TAPS], *weight[MAX_TAPS];
    const rlxc_expr *outside; /* NULL: never */
} taps;

typedef struct method {
    char kind; /* 'n', 'l', 'c' */
    const char *coordinates, *rounding;
    double alpha;
    bool exclude;
    double roi[ROI]; /* begin and end of height and width as fractions of the input */
} method;

static bool crops(const method *m)
{
    return strcmp(m->coordinates, "tf_crop_and_resize") == 0;
}

/* roi as one number for all, or as all numbers; false: neither. */
static bool read_roi(const rlxc_binding *call, double out[ROI])
{
    const rlxc_attr *roi = rlxc_attrs_find(&call->attrs, "roi");
    for (uint32_t i = 0; i < ROI; i++) {
        out[i] = 0;
        if (!roi || roi->kind == RLXC_ATTR_NONE)
            continue;
        if (roi->kind == RLXC_ATTR_LIST && roi->list.count != ROI)
            return false;
        if (!rlxc_attr_as_number(roi->kind == RLXC_ATTR_LIST ? &roi->list.items[i] : roi, &out[i]))
            return false;
    }
    return true;
}

static method read_method(const rlxc_binding *call)
{
    method m = {.kind = rlxc_attr_get_str(call, "method", "linear")[0],
                .coordinates =
                    rlxc_attr_get_str(call, "coordinate_transformation_mode", "half_pixel"),
                .rounding = rlxc_attr_get_str(call, "rounding_method", "round"),
                .alpha = rlxc_attr_get_float(call, "cubic_alpha", -0.75),
                .exclude = rlxc_attr_get_int(call, "cubic_exclude", 0) != 0};
    (void)read_roi(call, m.roi); /* inference has checked this */
    return m;
}

const rlxc_sinfo *rlxc_infer_resize(rlxc_context *ctx, const rlxc_module *module,
                                    const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    rlxc_dims size, dims = {0};
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_window_read(&v, "layout", &w))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "out_dtype");
    if (rlxc_dtype_is_void(dtype))
        dtype = x->dtype;
    const method m = read_method(call);
    double roi[ROI];
    if (crops(&m) && !read_roi(call, roi))
        return rlxc_infer_error(&v, "roi must be a number, or %d of them", (int)ROI);
    bool known = rlxc_shape_arg(&v, 1, &size, &ndim);
    if (known && ndim == 1) /* one size is that of every dimension */
        for (; ndim < (int32_t)w.n; ndim++)
            size.at[ndim] = size.at[0];
    if (ndim != (int32_t)w.n && ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 1, "expected (%sheight, width), got %s",
                               w.n == 3 ? "depth, " : "", rlxc_sinfo_text(ctx, v.in[1]));
    if (!known || !rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, dtype, (int32_t)w.n + 2);
    dims.n = w.n + 2;
    dims.at[w.batch] = x->dims[w.batch];
    dims.at[w.channel] = x->dims[w.channel];
    for (uint32_t i = 0; i < w.n; i++)
        dims.at[w.space[i]] = size.at[i];
    return rlxc_tensor_of(&v, dtype, &dims);
}

static const rlxc_expr *f32(rlxc_context *ctx, double value)
{
    return rlxc_float(ctx, RLX_F32, value);
}

static const rlxc_expr *to_f32(rlxc_context *ctx, const rlxc_expr *e)
{
    return rlxc_cast(ctx, RLX_F32, e);
}

/* As above from fraction |begin| of the input to |end|; a single position is the middle. */
static const rlxc_expr *cropped(rlxc_context *ctx, double begin, double end, const rlxc_expr *place,
                                const rlxc_expr *from, const rlxc_expr *to)
{
    const rlxc_expr *one = rlxc_i64(ctx, 1), *last = to_f32(ctx, rlxc_sub(ctx, from, one));
    const rlxc_expr *steps = rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_sub(ctx, to, one), one);
    const rlxc_expr *span = rlxc_mul(ctx, f32(ctx, end - begin), last);
    const rlxc_expr *c = rlxc_mul(ctx, to_f32(ctx, place), span);
    c = rlxc_add(ctx, rlxc_mul(ctx, f32(ctx, begin), last),
                 rlxc_te_div(ctx, c, to_f32(ctx, steps)));
    return rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, one, to), c,
                       rlxc_mul(ctx, f32(ctx, 0.5 * (begin + end)), last));
}

/* The input's coordinate for |place| of |to| positions over |from|, along spatial dimension |d|. */
static const rlxc_expr *coordinate(rlxc_context *ctx, const method *m, uint32_t d,
                                   const rlxc_expr *place, const rlxc_expr *from,
                                   const rlxc_expr *to)
{
    if (crops(m))
        return cropped(ctx, m->roi[d], m->roi[d + ROI / 2], place, from, to);
    const rlxc_expr *p = to_f32(ctx, place), *half = f32(ctx, 0.5);
    const rlxc_expr *scale = rlxc_te_div(ctx, to_f32(ctx, from), to_f32(ctx, to));
    if (strcmp(m->coordinates, "asymmetric") == 0)
        return rlxc_mul(ctx, p, scale);
    if (strcmp(m->coordinates, "align_corners") == 0) {
        const rlxc_expr *one = rlxc_i64(ctx, 1);
        const rlxc_expr *steps =
            rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_sub(ctx, to, one), one); /* one element: at 0 */
        return rlxc_mul(
            ctx, p, rlxc_te_div(ctx, to_f32(ctx, rlxc_sub(ctx, from, one)), to_f32(ctx, steps)));
    }
    const rlxc_expr *centre = rlxc_mul(ctx, rlxc_add(ctx, p, half), scale);
    if (strcmp(m->coordinates, "tf_half_pixel_for_nn") == 0)
        return centre;
    centre = rlxc_sub(ctx, centre, half);
    if (strcmp(m->coordinates, "pytorch_half_pixel") == 0)
        return rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_LT, rlxc_i64(ctx, 1), to), centre,
                           f32(ctx, 0));
    return centre;
}

static const rlxc_expr *rounded(rlxc_context *ctx, const method *m, const rlxc_expr *c)
{
    /* coordinates that are integers up to rounding errors must not go to the neighbour */
    const rlxc_expr *hair = f32(ctx, 1e-5), *half = f32(ctx, 0.5);
    const char *how = m->rounding;
    if (how[0] == '\0') /* the default of each transformation */
        how = strcmp(m->coordinates, "align_corners") == 0 ? "round" : "floor";
    if (strcmp(how, "floor") == 0)
        return rlxc_te_call1(ctx, "floor", rlxc_add(ctx, c, hair));
    if (strcmp(how, "ceil") == 0)
        return rlxc_te_call1(ctx, "ceil", rlxc_sub(ctx, c, hair));
    if (strcmp(how, "round_prefer_floor") == 0)
        return rlxc_te_call1(ctx, "ceil", rlxc_sub(ctx, c, half));
    if (strcmp(how, "round_prefer_ceil") == 0)
        return rlxc_te_call1(ctx, "floor", rlxc_add(ctx, c, half));
    return rlxc_te_call1(ctx, "nearbyint", c);
}

static const rlxc_expr *clipped(rlxc_context *ctx, const rlxc_expr *i, const rlxc_expr *n)
{
    const rlxc_expr *last = rlxc_sub(ctx, n, rlxc_i64(ctx, 1));
    return rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_binary(ctx, RLXC_EXPR_MIN, i, last),
                       rlxc_i64(ctx, 0));
}

/* a t^3 + b t^2 + c t + d */
static const rlxc_expr *cubic(rlxc_context *ctx, const rlxc_expr *t, double a, double b, double c,
                              double d)
{
    const rlxc_expr *e = rlxc_add(ctx, rlxc_mul(ctx, f32(ctx, a), t), f32(ctx, b));
    e = rlxc_add(ctx, rlxc_mul(ctx, e, t), f32(ctx, c));
    return rlxc_add(ctx, rlxc_mul(ctx, e, t), f32(ctx, d));
}

static taps find_taps(rlxc_context *ctx, const method *m, uint32_t d, const rlxc_expr *place,
                      const rlxc_expr *from, const rlxc_expr *to)
{
    const rlxc_expr *c = coordinate(ctx, m, d, place, from, to);
    taps out = {.n = m->kind == 'n' ? 1 : m->kind == 'l' ? 2 : 4};
    if (crops(m))
        out.outside = rlxc_binary(
            ctx, RLXC_EXPR_OR, rlxc_binary(ctx, RLXC_EXPR_LT, c, f32(ctx, 0)),
            rlxc_binary(ctx, RLXC_EXPR_LT, to_f32(ctx, rlxc_sub(ctx, from, rlxc_i64(ctx, 1))), c));
    if (m->kind == 'n') {
        out.at[0] = clipped(ctx, rlxc_cast(ctx, RLX_I64, rounded(ctx, m, c)), from);
        out.weight[0] = f32(ctx, 1);
        return out;
    }
    const rlxc_expr *floor = rlxc_te_call1(ctx, "floor", c), *t = rlxc_sub(ctx, c, floor);
    const rlxc_expr *base = rlxc_cast(ctx, RLX_I64, floor);
    if (m->kind == 'l') {
        out.weight[0] = rlxc_sub(ctx, f32(ctx, 1), t);
        out.weight[1] = t;
    } else {
        double a = m->alpha;
        out.weight[0] = cubic(ctx, t, a, -2 * a, a, 0);
        out.weight[1] = cubic(ctx, t, a + 2, -(a + 3), 0, 1);
        out.weight[2] = cubic(ctx, t, -(a + 2), 2 * a + 3, -a, 0);
        out.weight[3] = cubic(ctx, t, -a, a, 0, 0);
    }
    const rlxc_expr *sum = NULL;
    for (uint32_t i = 0; i < out.n; i++) {
        const rlxc_expr *p = rlxc_add(ctx, base, rlxc_i64(ctx, (int64_t)i - (out.n == 4)));
        out.at[i] = clipped(ctx, p, from);
        if (m->kind == 'c' && m->exclude) /* a tap outside has no weight; the others are rescaled */
            out.weight[i] = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_EQ, out.at[i], p),
                                        out.weight[i], f32(ctx, 0));
        sum = sum ? rlxc_add(ctx, sum, out.weight[i]) : out.weight[i];
    }
    for (uint32_t i = 0; i < out.n && m->kind == 'c' && m->exclude; i++)
        out.weight[i] = rlxc_te_div(ctx, out.weight[i], sum);
    return out;
}

/* A table over the |count| positions along a dimension, and the block that fills it. */
static const rlxc_buffer *begin_table(rlxc_te *te, const char *name, rlx_dtype dtype,
                                      const rlxc_expr *count)
{
    const rlxc_buffer *table = rlxc_te_temp(te, name, dtype, &count, 1);
    rlxc_te_spatial(te, name, table);
    return table;
}

typedef struct tables {
    uint32_t n;
    const rlxc_buffer *at[MAX_TAPS], *weight[MAX_TAPS];
} tables;

/* The taps along spatial dimension |d| of all positions: vectors of channels need them as numbers.
 */
static tables make_tables(rlxc_te *te, const method *m, uint32_t d, const rlxc_expr *from,
                          const rlxc_expr *to)
{
    tables out = {.n = m->kind == 'l' ? 2 : 4};
    for (uint32_t i = 0; i < out.n; i++) {
        out.at[i] = begin_table(te, "place", RLX_I64, to);
        rlxc_te_store(te, out.at[i], find_taps(te->ctx, m, d, te->axes[0], from, to).at[i]);
        out.weight[i] = begin_table(te, "weight", RLX_F32, to);
        rlxc_te_store(te, out.weight[i], find_taps(te->ctx, m, d, te->axes[0], from, to).weight[i]);
    }
    return out;
}

static taps from_tables(rlxc_te *te, const tables *t, const rlxc_expr *place)
{
    taps out = {.n = t->n};
    for (uint32_t i = 0; i < t->n; i++) {
        out.at[i] = rlxc_te_load(te, t->at[i], &place);
        out.weight[i] = rlxc_te_load(te, t->weight[i], &place);
    }
    return out;
}

/* The weighted sum over the taps of spatial dimensions |d| and later; for the nearest element the
 * element itself, so that it keeps its type. */
static const rlxc_expr *weighted(rlxc_te *te, const method *m, const rlxc_window *w,
                                 const rlxc_te_operand *x, const taps *axis, uint32_t d,
                                 const rlxc_expr **at)
{
    const rlxc_expr *sum = NULL;
    if (d == w->n) {
        const rlxc_expr *element = rlxc_te_get(te, x, at);
        return m->kind == 'n' ? element : to_f32(te->ctx, element);
    }
    for (uint32_t i = 0; i < axis[d].n; i++) {
        at[w->space[d]] = axis[d].at[i];
        const rlxc_expr *part = weighted(te, m, w, x, axis, d + 1, at);
        if (m->kind != 'n')
            part = rlxc_mul(te->ctx, part, axis[d].weight[i]);
        sum = sum ? rlxc_add(te->ctx, sum, part) : part;
    }
    return sum;
}

rlxc_atom rlxc_legalize_resize(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    rlxc_window w;
    const method m = read_method(call);
    const rlxc_pattern pattern =
        m.kind == 'n' ? RLXC_PATTERN_INJECTIVE : rlxc_te_pattern_of_samples(call);
    if (!rlxc_te_begin(&te, b, call, strrchr(call->op->name, '.') + 1, pattern) ||
        !rlxc_window_read(&te.view, "layout", &w))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "data");
    const rlxc_buffer *out = rlxc_te_output(&te, "resize");
    const bool in_tables = m.kind != 'n' && !crops(&m);
    taps axis[RLXC_MAX_SPATIAL];
    tables of[RLXC_MAX_SPATIAL];
    for (uint32_t i = 0; i < w.n && in_tables; i++)
        of[i] = make_tables(&te, &m, i, x.dims[w.space[i]], out->shape[w.space[i]]);
    rlxc_te_spatial(&te, "resize", out);
    for (uint32_t i = 0; i < w.n; i++) {
        const uint32_t k = w.space[i];
        axis[i] = in_tables ? from_tables(&te, &of[i], te.axes[k])
                            : find_taps(ctx, &m, i, te.axes[k], x.dims[k], out->shape[k]);
    }
    const rlxc_expr *at[RLXC_MAX_NDIM];
    memcpy(at, te.axes, (w.n + 2) * sizeof at[0]);
    const rlxc_expr *value = weighted(&te, &m, &w, &x, axis, 0, at);
    for (uint32_t i = 0; i < w.n; i++)
        value = rlxc_te_if_not_empty(ctx, x.dims[w.space[i]], value);
    const double other = rlxc_attr_get_float(call, "extrapolation_value", 0);
    for (uint32_t i = 0; i < w.n && axis[i].outside; i++)
        value = rlxc_select(ctx, axis[i].outside, rlxc_te_number(ctx, value->dtype, other), value);
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

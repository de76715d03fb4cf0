/* image.resize2d: nearest neighbour, linear and cubic interpolation, in float32.
 *
 * Each coordinate of the result becomes a coordinate of the input by the transformation asked for;
 * taps outside the input are taken from its border. */
#include "compiler/ops/window.h"

#include <string.h>

enum { MAX_TAPS = 4 };

/* What one coordinate reads: positions in the input and their weights. */
typedef struct taps {
    uint32_t n;
    const rlxc_expr *at[MAX_TAPS], *weight[MAX_TAPS];
} taps;

typedef struct method {
    char kind; /* 'n', 'l', 'c' */
    const char *coordinates, *rounding;
    double alpha;
    bool exclude;
} method;

static method read_method(const rlxc_binding *call)
{
    return (method){.kind = rlxc_attr_get_str(call, "method", "linear")[0],
                    .coordinates =
                        rlxc_attr_get_str(call, "coordinate_transformation_mode", "half_pixel"),
                    .rounding = rlxc_attr_get_str(call, "rounding_method", "round"),
                    .alpha = rlxc_attr_get_float(call, "cubic_alpha", -0.5),
                    .exclude = rlxc_attr_get_int(call, "cubic_exclude", 0) != 0};
}

const rlxc_sinfo *rlxc_infer_resize2d(rlxc_context *ctx, const rlxc_module *module,
                                      const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    rlxc_dims size, dims = {.n = 4};
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_window_read(&v, "layout", &w))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    rlx_dtype dtype = rlxc_attr_get_dtype(call, "out_dtype");
    if (rlxc_dtype_is_void(dtype))
        dtype = x->dtype;
    bool known = rlxc_shape_arg(&v, 1, &size, &ndim);
    if (ndim != 2 && ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 1, "expected (height, width), got %s",
                               rlxc_sinfo_text(ctx, v.in[1]));
    if (!known || !rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, dtype, 4);
    dims.at[w.batch] = x->dims[w.batch];
    dims.at[w.channel] = x->dims[w.channel];
    dims.at[w.space[0]] = size.at[0];
    dims.at[w.space[1]] = size.at[1];
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

/* The input's coordinate for |place| of |to| positions over |from|. */
static const rlxc_expr *coordinate(rlxc_context *ctx, const method *m, const rlxc_expr *place,
                                   const rlxc_expr *from, const rlxc_expr *to)
{
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
    /* coordinates that are whole but for rounding errors must not fall to the neighbour */
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

static taps find_taps(rlxc_context *ctx, const method *m, const rlxc_expr *place,
                      const rlxc_expr *from, const rlxc_expr *to)
{
    const rlxc_expr *c = coordinate(ctx, m, place, from, to);
    taps out = {.n = m->kind == 'n' ? 1 : m->kind == 'l' ? 2 : 4};
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
        if (m->kind == 'c' && m->exclude) /* a tap outside counts nothing, the others make up */
            out.weight[i] = rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_EQ, out.at[i], p),
                                        out.weight[i], f32(ctx, 0));
        sum = sum ? rlxc_add(ctx, sum, out.weight[i]) : out.weight[i];
    }
    for (uint32_t i = 0; i < out.n && m->kind == 'c' && m->exclude; i++)
        out.weight[i] = rlxc_te_div(ctx, out.weight[i], sum);
    return out;
}

rlxc_atom rlxc_legalize_resize2d(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    rlxc_window w;
    const method m = read_method(call);
    if (!rlxc_te_begin(&te, b, call, "resize2d", RLXC_PATTERN_INJECTIVE) ||
        !rlxc_window_read(&te.view, "layout", &w))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "data");
    const rlxc_buffer *out = rlxc_te_output(&te, "resize");
    rlxc_te_spatial(&te, "resize", out);
    taps axis[2];
    for (uint32_t i = 0; i < 2; i++)
        axis[i] =
            find_taps(ctx, &m, te.axes[w.space[i]], x.dims[w.space[i]], out->shape[w.space[i]]);
    const rlxc_expr *at[RLXC_MAX_NDIM], *value = NULL;
    memcpy(at, te.axes, 4 * sizeof at[0]);
    for (uint32_t i = 0; i < axis[0].n; i++) {
        const rlxc_expr *row = NULL;
        at[w.space[0]] = axis[0].at[i];
        for (uint32_t k = 0; k < axis[1].n; k++) {
            at[w.space[1]] = axis[1].at[k];
            const rlxc_expr *part = rlxc_te_get(&te, &x, at);
            if (m.kind == 'n') {
                row = part;
                continue;
            }
            part = rlxc_mul(ctx, to_f32(ctx, part), axis[1].weight[k]);
            row = row ? rlxc_add(ctx, row, part) : part;
        }
        if (m.kind != 'n')
            row = rlxc_mul(ctx, row, axis[0].weight[i]);
        value = value ? rlxc_add(ctx, value, row) : row;
    }
    for (uint32_t i = 0; i < 2; i++)
        value = rlxc_te_if_not_empty(ctx, x.dims[w.space[i]], value);
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

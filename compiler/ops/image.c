/* image.grid_sample and image.affine_grid, in two and three dimensions.
 *
 * A grid gives each element of the result a place in the image, from -1 to 1 along each dimension,
 * the last dimension first. The arithmetic is in float32, or float64 if the image is. A place that
 * is NaN or far outside still reads inside the buffer. */
#include "compiler/ops/compose.h"
#include "compiler/ops/require.h"
#include "compiler/ops/te.h"

#include <string.h>

enum { MAX_SPACE = 3, MAX_TAPS = 4, MAX_READS = MAX_TAPS * MAX_TAPS };

/* --- grid_sample --- */

typedef struct sampling {
    uint32_t n, channel; /* spatial dimensions; the channel's position */
    uint32_t space[MAX_SPACE];
    char method;  /* 'n'earest, 'l'inear, 'c'ubic */
    char padding; /* 'z'eros, 'b'order, 'r'eflection */
    bool corners;
} sampling;

/* The taps of one coordinate: positions, still as floats, and their weights. */
typedef struct taps {
    uint32_t n;
    const rlxc_expr *at[MAX_TAPS], *weight[MAX_TAPS];
} taps;

/* |flat|: the points of the image are one dimension, and the call gives its size. */
static bool read_sampling(const rlxc_call_view *v, sampling *s, bool flat)
{
    const char *layout = rlxc_attr_get_str(v->call, "layout", "NCHW");
    const char *method = rlxc_attr_get_str(v->call, "method", "bilinear");
    size_t length = strlen(layout);
    *s = (sampling){.n = (uint32_t)length - 2,
                    .channel = layout[1] == 'C' ? 1 : (uint32_t)length - 1,
                    .method = strcmp(method, "bilinear") == 0  ? 'l'
                              : strcmp(method, "bicubic") == 0 ? 'c'
                                                               : 'n',
                    .padding = rlxc_attr_get_str(v->call, "padding_mode", "zeros")[0],
                    .corners = rlxc_attr_get_bool(v->call, "align_corners", false)};
    for (uint32_t i = 0; i < s->n; i++)
        s->space[i] = i + (s->channel == 1 ? 2 : 1);
    for (uint32_t i = 0; i < 2; i++) {
        const int32_t wanted = flat && i == 0 ? 3 : (int32_t)length;
        if (v->in[i]->ndim != RLXC_UNKNOWN_NDIM && v->in[i]->ndim != wanted) {
            rlxc_infer_fail(v, i, "expected %d dimensions for layout \"%s\", got %s", wanted,
                            layout, rlxc_sinfo_text(v->ctx, v->in[i]));
            return false;
        }
    }
    if (s->method == 'c' && s->n == 3) {
        rlxc_infer_error(v, "method \"bicubic\" needs two dimensions");
        return false;
    }
    return true;
}

static bool is_float_tensor(const rlxc_call_view *v, uint32_t i)
{
    rlx_dtype t = v->in[i]->dtype;
    if (rlxc_dtype_is_void(t) || rlxc_dtype_is_float(t))
        return true;
    rlxc_infer_fail(v, i, "expected floating-point elements, got %s", rlxc_dtype_name(v->ctx, t));
    return false;
}

static const rlxc_sinfo *infer_sampling(rlxc_context *ctx, const rlxc_module *module,
                                        const rlxc_binding *call, bool flat)
{
    rlxc_call_view v;
    sampling s;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !read_sampling(&v, &s, flat) ||
        !is_float_tensor(&v, 0) || !is_float_tensor(&v, 1))
        return NULL;
    const rlxc_sinfo *x = v.in[0], *grid = v.in[1];
    if (!rlxc_dims_known(x) || !rlxc_dims_known(grid))
        return rlxc_tensor_ndim(&v, x->dtype, (int32_t)s.n + 2);
    if (!rlxc_require_equal(&v, rlxc_size_of(&v, 1, 1), rlxc_size_given(&v, s.n)) ||
        !rlxc_require_equal(&v, rlxc_size_of(&v, 1, 0), rlxc_size_of(&v, 0, 0)))
        return NULL;
    rlxc_dims dims = {.n = s.n + 2, .at = {x->dims[0]}};
    dims.at[s.channel] = x->dims[flat && s.channel > 1 ? 2 : s.channel];
    for (uint32_t i = 0; i < s.n; i++)
        dims.at[s.space[i]] = grid->dims[2 + i];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

const rlxc_sinfo *rlxc_infer_grid_sample(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *call)
{
    return infer_sampling(ctx, module, call, false);
}

const rlxc_sinfo *rlxc_infer_sample_points(rlxc_context *ctx, const rlxc_module *module,
                                           const rlxc_binding *call)
{
    rlxc_call_view v;
    sampling s;
    rlxc_dims size;
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !read_sampling(&v, &s, true))
        return NULL;
    (void)rlxc_shape_arg(&v, 2, &size, &ndim);
    if (ndim != (int32_t)s.n && ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 2, "expected %u sizes, got %s", s.n,
                               rlxc_sinfo_text(ctx, v.in[2]));
    return infer_sampling(ctx, module, call, true);
}

static const rlxc_expr *limited(rlxc_context *ctx, const rlxc_expr *p, const rlxc_expr *low,
                                const rlxc_expr *high)
{
    return rlxc_binary(ctx, RLXC_EXPR_MAX, rlxc_binary(ctx, RLXC_EXPR_MIN, p, high), low);
}

/* |p| moved into a dimension of |n| (a float) as the padding says; with zeros it stays outside. */
static const rlxc_expr *inside_of(rlxc_context *ctx, const sampling *s, const rlxc_expr *p,
                                  const rlxc_expr *n)
{
    rlx_dtype t = p->dtype;
    const rlxc_expr *zero = rlxc_float(ctx, t, 0), *one = rlxc_float(ctx, t, 1);
    if (s->padding == 'z')
        return p;
    if (s->padding == 'r') { /* back and forth between the borders, |size| apart */
        const rlxc_expr *start = rlxc_float(ctx, t, s->corners ? 0 : -0.5);
        const rlxc_expr *size = s->corners ? rlxc_sub(ctx, n, one) : n;
        size = rlxc_binary(ctx, RLXC_EXPR_MAX, size, rlxc_float(ctx, t, 0.5)); /* a single element:
                                                                                * any position */
        const rlxc_expr *far = rlxc_te_call1(ctx, "fabs", rlxc_sub(ctx, p, start));
        const rlxc_expr *times = rlxc_te_call1(ctx, "floor", rlxc_te_div(ctx, far, size));
        const rlxc_expr *half =
            rlxc_te_call1(ctx, "floor", rlxc_mul(ctx, times, rlxc_float(ctx, t, 0.5)));
        const rlxc_expr *even = rlxc_binary(ctx, RLXC_EXPR_EQ, rlxc_add(ctx, half, half), times);
        const rlxc_expr *rest = rlxc_sub(ctx, far, rlxc_mul(ctx, times, size));
        p = rlxc_add(ctx, start, rlxc_select(ctx, even, rest, rlxc_sub(ctx, size, rest)));
    }
    return limited(ctx, p, zero, rlxc_sub(ctx, n, one));
}

/* a t^3 + b t^2 + c t + d */
static const rlxc_expr *cubic(rlxc_context *ctx, const rlxc_expr *t, const double by[4])
{
    const rlxc_expr *e = rlxc_float(ctx, t->dtype, by[0]);
    for (int i = 1; i < 4; i++)
        e = rlxc_add(ctx, rlxc_mul(ctx, e, t), rlxc_float(ctx, t->dtype, by[i]));
    return e;
}

/* The taps of grid coordinate |c| in a dimension of |n|, a float. */
static taps taps_of(rlxc_context *ctx, const sampling *s, const rlxc_expr *c, const rlxc_expr *n)
{
    static const double weights[4][4] = {/* of taps -1, 0, 1, 2, with -0.75 */
                                         {-0.75, 1.5, -0.75, 0},
                                         {1.25, -2.25, 0, 1},
                                         {-1.25, 1.5, 0.75, 0},
                                         {0.75, -0.75, 0, 0}};
    rlx_dtype t = c->dtype;
    const rlxc_expr *one = rlxc_float(ctx, t, 1), *half = rlxc_float(ctx, t, 0.5);
    taps out = {.n = s->method == 'n' ? 1 : s->method == 'l' ? 2 : 4};
    const rlxc_expr *p = rlxc_mul(ctx, rlxc_add(ctx, c, one), half);
    if (s->corners)
        p = rlxc_mul(ctx, p, rlxc_sub(ctx, n, one));
    else
        p = rlxc_sub(ctx, rlxc_mul(ctx, p, n), half);
    if (s->method != 'c')
        p = inside_of(ctx, s, p, n);
    if (s->method == 'n') {
        out.at[0] = rlxc_te_call1(ctx, "nearbyint", p);
        out.weight[0] = one;
        return out;
    }
    const rlxc_expr *floor = rlxc_te_call1(ctx, "floor", p), *rest = rlxc_sub(ctx, p, floor);
    for (uint32_t i = 0; i < out.n; i++) {
        out.at[i] = rlxc_add(ctx, floor, rlxc_float(ctx, t, out.n == 2 ? i : (double)i - 1));
        if (s->method == 'c') {
            out.at[i] = inside_of(ctx, s, out.at[i], n);
            out.weight[i] = cubic(ctx, rest, weights[i]);
        }
    }
    if (s->method == 'l') {
        out.weight[0] = rlxc_sub(ctx, one, rest);
        out.weight[1] = rest;
    }
    return out;
}

/* The elements that a point reads, one for each choice of a tap in every dimension, are the same in
 * all channels: where they are, and their weights, which are 0 outside. */
typedef struct tables {
    uint32_t n;
    const rlxc_buffer *place[MAX_READS], *weight[MAX_READS]; /* no weights: all are 1 */
} tables;

/* A table over the batch and the points of the grid, and the block that fills it. */
static const rlxc_buffer *begin_table(rlxc_te *te, const char *name, rlx_dtype dtype,
                                      const rlxc_te_operand *grid)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM] = {grid->dims[0]};
    memcpy(dims + 1, grid->dims + 2, (grid->ndim - 2) * sizeof *dims);
    const rlxc_buffer *table = rlxc_te_temp(te, name, dtype, dims, grid->ndim - 1);
    rlxc_te_spatial(te, name, table);
    return table;
}

/* Choice |which| of the taps: the element (up to |all|) and its weight. */
static void read_of(rlxc_te *te, const sampling *s, const rlxc_te_operand *grid,
                    const rlxc_expr *const *size, const rlxc_expr *all, uint32_t which, rlx_dtype t,
                    const rlxc_expr **out_place, const rlxc_expr **out_weight)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *one = rlxc_i64(ctx, 1), *inside = NULL;
    const rlxc_expr *place = zero, *weight = NULL, *from[RLXC_MAX_NDIM] = {te->axes[0]};
    memcpy(from + 2, te->axes + 1, s->n * sizeof *from);
    for (uint32_t d = 0; d < s->n; d++) {
        const rlxc_expr *n = size[d];
        from[1] = rlxc_i64(ctx, (int64_t)s->n - 1 - d);
        const taps each =
            taps_of(ctx, s, rlxc_cast(ctx, t, rlxc_te_get(te, grid, from)), rlxc_cast(ctx, t, n));
        uint32_t tap = which;
        for (uint32_t i = d + 1; i < s->n; i++)
            tap /= each.n;
        tap %= each.n;
        const rlxc_expr *p = each.at[tap], *low = rlxc_float(ctx, t, 0);
        const rlxc_expr *high = rlxc_cast(ctx, t, rlxc_sub(ctx, n, one));
        const rlxc_expr *test =
            rlxc_binary(ctx, RLXC_EXPR_AND, rlxc_binary(ctx, RLXC_EXPR_LE, low, p),
                        rlxc_binary(ctx, RLXC_EXPR_LE, p, high));
        inside = inside ? rlxc_binary(ctx, RLXC_EXPR_AND, inside, test) : test;
        /* vectors of floats become int32 in one instruction, int64 in many */
        p = rlxc_cast(ctx, RLX_I64, rlxc_cast(ctx, RLX_I32, limited(ctx, p, low, high)));
        place = d ? rlxc_add(ctx, rlxc_mul(ctx, place, n), p) : p;
        weight = weight ? rlxc_mul(ctx, weight, each.weight[tap]) : each.weight[tap];
    }
    *out_place = limited(ctx, place, zero, rlxc_sub(ctx, all, one));
    /* the weight of a place that is NaN is NaN, and so is the result */
    const rlxc_expr *none = rlxc_float(ctx, t, 0);
    if (s->method != 'n')
        none = rlxc_mul(ctx, weight, none);
    *out_weight = s->padding == 'z' ? rlxc_select(ctx, inside, weight, none) : weight;
}

static void make_tables(rlxc_te *te, const sampling *s, const rlxc_te_operand *grid,
                        const rlxc_expr *const *size, const rlxc_expr *all, rlx_dtype t,
                        tables *out)
{
    const rlxc_expr *place, *weight;
    const uint32_t each = s->method == 'n' ? 1 : s->method == 'l' ? 2 : MAX_TAPS;
    const bool weighs = s->method != 'n' || s->padding == 'z';
    out->n = 1;
    for (uint32_t d = 0; d < s->n; d++)
        out->n *= each;
    for (uint32_t i = 0; i < out->n; i++) {
        out->place[i] = begin_table(te, "place", RLX_I64, grid);
        read_of(te, s, grid, size, all, i, t, &place, &weight);
        rlxc_te_store(te, out->place[i], place);
        if (!weighs)
            continue;
        out->weight[i] = begin_table(te, "weight", t, grid);
        read_of(te, s, grid, size, all, i, t, &place, &weight);
        rlxc_te_store(te, out->weight[i], weight);
    }
}

/* As image.sample_points of the image with its points in one dimension. */
rlxc_atom rlxc_legalize_grid_sample(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_call_view v;
    sampling s;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_infer_begin(&v, ctx, b->module, call) || !read_sampling(&v, &s, false))
        return (rlxc_atom){0};
    if (!rlxc_dims_known(v.in[0])) {
        rlxc_infer_error(&v, "cannot be compiled: shapes are not known");
        return (rlxc_atom){0};
    }
    const rlxc_expr *const *dims = v.in[0]->dims, *size[MAX_SPACE], *flat[3] = {dims[0]};
    for (uint32_t i = 0; i < s.n; i++)
        size[i] = dims[s.space[i]];
    flat[1] = flat[2] = rlxc_product(ctx, size, s.n);
    flat[s.channel == 1 ? 1 : 2] = dims[s.channel];
    const rlxc_atom args[3] = {rlxc_lower_reshape(b, call, call->args[0], flat, 3), call->args[1],
                               rlxc_atom_shape(ctx, size, s.n)};
    return rlxc_lower_op(b, call, "image.sample_points", args, 3, call->attrs);
}

rlxc_atom rlxc_legalize_sample_points(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    sampling s;
    tables by = {0};
    rlxc_dims given;
    int32_t ndim;
    if (!rlxc_te_begin(&te, b, call, "grid_sample", rlxc_te_pattern_of_samples(call)) ||
        !read_sampling(&te.view, &s, true))
        return (rlxc_atom){0};
    if (!rlxc_shape_arg(&te.view, 2, &given, &ndim)) {
        rlxc_infer_error(&te.view, "cannot be compiled: the size is not known");
        return (rlxc_atom){0};
    }
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "data"),
                    grid = rlxc_te_operand_of(&te, 1, "grid");
    const rlxc_buffer *out = rlxc_te_output(&te, "grid_sample");
    const rlx_dtype t = rlxc_te_compute_dtype(x.dtype);
    const uint32_t points = s.channel == 1 ? 2 : 1;
    const rlxc_expr *size[MAX_SPACE], *from[RLXC_MAX_NDIM], *at[3], *sum = NULL;
    for (uint32_t i = 0; i < s.n; i++)
        size[i] = rlxc_te_expr(&te, given.at[i]);
    make_tables(&te, &s, &grid, size, x.dims[points], t, &by);
    rlxc_te_spatial(&te, "grid_sample", out);
    at[0] = from[0] = te.axes[0];
    at[3 - points] = te.axes[s.channel];
    for (uint32_t i = 0; i < s.n; i++)
        from[1 + i] = te.axes[s.space[i]];
    for (uint32_t i = 0; i < by.n; i++) {
        at[points] = rlxc_te_load(&te, by.place[i], from);
        const rlxc_expr *element = rlxc_cast(ctx, t, rlxc_te_get(&te, &x, at));
        const rlxc_expr *zero = rlxc_float(ctx, t, 0);
        if (by.weight[i]) {
            const rlxc_expr *weight = rlxc_te_load(&te, by.weight[i], from);
            if (s.padding == 'z') /* what is not read may be infinite */
                element =
                    rlxc_select(ctx, rlxc_binary(ctx, RLXC_EXPR_NE, weight, zero), element, zero);
            if (s.method != 'n')
                element = rlxc_mul(ctx, element, weight);
        }
        sum = sum ? rlxc_add(ctx, sum, element) : element;
    }
    sum = rlxc_te_if_not_empty(ctx, x.dims[points], sum);
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, sum));
    return rlxc_te_finish(&te);
}

/* --- affine_grid --- */

const rlxc_sinfo *rlxc_infer_affine_grid(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_dims size, dims = {0};
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !is_float_tensor(&v, 0))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    bool known = rlxc_shape_arg(&v, 1, &size, &ndim);
    if (ndim != RLXC_UNKNOWN_NDIM && ndim != 2 && ndim != 3)
        return rlxc_infer_fail(&v, 1, "expected two or three dimensions, got %s",
                               rlxc_sinfo_text(ctx, v.in[1]));
    if (x->ndim != RLXC_UNKNOWN_NDIM && x->ndim != 3)
        return rlxc_infer_fail(&v, 0, "expected 3 dimensions, got %s", rlxc_sinfo_text(ctx, x));
    if (!known || !rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype,
                                ndim == RLXC_UNKNOWN_NDIM ? RLXC_UNKNOWN_NDIM : ndim + 2);
    if (!rlxc_require_equal(&v, rlxc_size_of(&v, 0, 1), rlxc_size_given(&v, ndim)) ||
        !rlxc_require_equal(&v, rlxc_size_of(&v, 0, 2), rlxc_size_given(&v, ndim + 1)))
        return NULL;
    dims.at[dims.n++] = x->dims[0];
    dims.at[dims.n++] = rlxc_i64(ctx, ndim);
    for (uint32_t i = 0; i < size.n; i++)
        dims.at[dims.n++] = size.at[i];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* From -1 to 1: the centres of |n| pixels, or with |corners| their outermost ones' own. */
static const rlxc_expr *grid_place(rlxc_context *ctx, rlx_dtype t, bool corners, const rlxc_expr *i,
                                   const rlxc_expr *n)
{
    const rlxc_expr *one = rlxc_i64(ctx, 1), *p = rlxc_cast(ctx, t, i);
    const rlxc_expr *steps = corners ? rlxc_sub(ctx, n, one) : n;
    if (!corners)
        p = rlxc_add(ctx, p, rlxc_float(ctx, t, 0.5));
    steps = rlxc_cast(ctx, t, rlxc_binary(ctx, RLXC_EXPR_MAX, steps, one));
    p = rlxc_te_div(ctx, rlxc_add(ctx, p, p), steps);
    p = rlxc_sub(ctx, p, rlxc_float(ctx, t, 1));
    if (!corners)
        return p;
    const rlxc_expr *many = rlxc_binary(ctx, RLXC_EXPR_LT, one, n); /* a single one is in the middle
                                                                     */
    return rlxc_select(ctx, many, p, rlxc_float(ctx, t, 0));
}

rlxc_atom rlxc_legalize_affine_grid(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "affine_grid", RLXC_PATTERN_INJECTIVE))
        return (rlxc_atom){0};
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "data");
    const rlxc_buffer *out = rlxc_te_output(&te, "affine_grid");
    rlx_dtype t = rlxc_te_compute_dtype(x.dtype);
    bool corners = rlxc_attr_get_bool(call, "align_corners", true);
    uint32_t n = out->ndim - 2;
    rlxc_te_spatial(&te, "affine_grid", out);
    const rlxc_expr *at[3] = {te.axes[0], te.axes[1], rlxc_i64(ctx, n)};
    const rlxc_expr *value = rlxc_cast(ctx, t, rlxc_te_get(&te, &x, at));
    for (uint32_t i = 0; i < n; i++) {
        at[2] = rlxc_i64(ctx, (int64_t)n - 1 - i);
        const rlxc_expr *p = grid_place(ctx, t, corners, te.axes[2 + i], out->shape[2 + i]);
        value = rlxc_add(ctx, value, rlxc_mul(ctx, rlxc_cast(ctx, t, rlxc_te_get(&te, &x, at)), p));
    }
    rlxc_te_store(&te, out, rlxc_cast(ctx, out->dtype, value));
    return rlxc_te_finish(&te);
}

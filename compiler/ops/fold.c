/* nn.fold: adds windows, given as columns, into an image; the inverse of cutting an image into
 * windows (ONNX Col2Im).
 *
 * x is (batch, channels * taps, windows), taps and windows row-major over the image's dimensions.
 * Window w has tap t at w * stride + t * dilation - padding; what lies outside of the image is
 * dropped. One block per plane of the result sets it to zero, then adds row by row of the windows,
 * so that a row of every tap is added to image rows that stay in the first-level cache. The bounds
 * of the innermost loop leave out what is outside: it has no test and becomes vectors. */
#include "compiler/ops/require.h"
#include "compiler/ops/window.h"

enum { MOST_AXES = RLXC_MAX_NDIM - 2 };

typedef struct fold {
    uint32_t n; /* dimensions of the image */
    int64_t strides[MOST_AXES], dilation[MOST_AXES], padding[2 * MOST_AXES];
    rlxc_dims size, kernel;
    const rlxc_expr *count[MOST_AXES]; /* of windows */
    bool known;
} fold;

static const rlxc_expr *at_least(rlxc_context *ctx, const rlxc_expr *e, int64_t low)
{
    return rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_MAX, e, rlxc_i64(ctx, low)), NULL);
}

static bool read_fold(const rlxc_call_view *v, fold *f)
{
    enum { LIMIT = 1 << 20 };
    rlxc_context *ctx = v->ctx;
    const rlxc_sinfo *x = v->in[0];
    int32_t n, m;
    *f = (fold){0};
    const bool sizes = rlxc_shape_arg(v, 1, &f->size, &n),
               taps = rlxc_shape_arg(v, 2, &f->kernel, &m);
    f->known = sizes && taps && rlxc_dims_known(x);
    if (x->ndim != 3 && x->ndim != RLXC_UNKNOWN_NDIM) {
        rlxc_infer_fail(v, 0, "expected 3 dimensions, got %s", rlxc_sinfo_text(ctx, x));
        return false;
    }
    if (n < 1 || n > MOST_AXES || m != n) {
        rlxc_infer_fail(v, 2, "expected as many sizes as the image has, 1 to %d", MOST_AXES);
        return false;
    }
    f->n = (uint32_t)n;
    if (!rlxc_window_sizes(v, "strides", f->n, 1, f->strides) ||
        !rlxc_window_sizes(v, "dilation", f->n, 1, f->dilation) ||
        !rlxc_window_sizes(v, "padding", 2 * f->n, -LIMIT, f->padding))
        return false;
    for (uint32_t i = 0; i < 2 * f->n; i++)
        if (f->padding[i] > LIMIT || f->strides[i / 2] > LIMIT || f->dilation[i / 2] > LIMIT) {
            rlxc_infer_error(v, "strides, dilation or padding are too large");
            return false;
        }
    for (uint32_t i = 0; f->known && i < f->n; i++) {
        const rlxc_expr *one = rlxc_i64(ctx, 1), *stride = rlxc_i64(ctx, f->strides[i]);
        const rlxc_expr *reach =
            rlxc_mul(ctx, rlxc_sub(ctx, f->kernel.at[i], one), rlxc_i64(ctx, f->dilation[i]));
        const rlxc_expr *whole =
            rlxc_add(ctx, f->size.at[i], rlxc_i64(ctx, f->padding[i] + f->padding[f->n + i] - 1));
        const rlxc_expr *last =
            rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, rlxc_sub(ctx, whole, reach), stride);
        f->count[i] = at_least(ctx, rlxc_add(ctx, last, one), 0);
    }
    return true;
}

const rlxc_sinfo *rlxc_infer_fold(rlxc_context *ctx, const rlxc_module *module,
                                  const rlxc_binding *call)
{
    rlxc_call_view v;
    fold f;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !read_fold(&v, &f))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    rlxc_dims dims = {.n = f.n + 2};
    if (!f.known)
        return rlxc_tensor_ndim(&v, x->dtype, (int32_t)dims.n);
    const rlxc_expr *taps = at_least(ctx, rlxc_product(ctx, f.kernel.at, f.n), 1);
    const rlxc_size each = {.dim = taps, .argument = RLXC_NO_PLACE},
                    windows = {.dim = rlxc_canonical(ctx, rlxc_product(ctx, f.count, f.n), NULL),
                               .argument = RLXC_NO_PLACE};
    if (!rlxc_require(&v, RLXC_MULTIPLE, rlxc_size_of(&v, 0, 1), each) ||
        !rlxc_require_equal(&v, rlxc_size_of(&v, 0, 2), windows))
        return NULL;
    dims.at[0] = x->dims[0];
    dims.at[1] = rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, x->dims[1], taps), NULL);
    for (uint32_t i = 0; i < f.n; i++)
        dims.at[2 + i] = f.size.at[i];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

static const rlxc_expr *variable(rlxc_context *ctx, const char *name, uint32_t i)
{
    return rlxc_var(ctx, rlxc_internf(ctx, "%s%u", name, i), RLX_I64);
}

/* The windows whose tap |t| is inside along dimension |i|: from *out_first to before the result. */
static const rlxc_expr *windows_inside(rlxc_te *te, const fold *f, uint32_t i, const rlxc_expr *t,
                                       const rlxc_expr *count, const rlxc_expr **out_first)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *stride = rlxc_i64(ctx, f->strides[i]);
    const rlxc_expr *outside = rlxc_sub(ctx, rlxc_i64(ctx, f->padding[i]),
                                        rlxc_mul(ctx, t, rlxc_i64(ctx, f->dilation[i])));
    *out_first = rlxc_i64(ctx, 0);
    if (f->padding[i] > 0) {
        const rlxc_expr *up = rlxc_add(ctx, outside, rlxc_i64(ctx, f->strides[i] - 1));
        *out_first = at_least(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, up, stride), 0);
    }
    if (f->padding[f->n + i] <= 0)
        return count;
    const rlxc_expr *last =
        rlxc_sub(ctx, rlxc_add(ctx, rlxc_te_expr(te, f->size.at[i]), outside), rlxc_i64(ctx, 1));
    const rlxc_expr *end =
        rlxc_add(ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, last, stride), rlxc_i64(ctx, 1));
    return rlxc_canonical(ctx, rlxc_binary(ctx, RLXC_EXPR_MIN, count, end), NULL);
}

/* |body| in a serial loop of |var| from |first| to before |end|. */
static const rlxc_stmt *loop(rlxc_context *ctx, const rlxc_expr *var, const rlxc_expr *first,
                             const rlxc_expr *end, const rlxc_stmt *body)
{
    return rlxc_stmt_for(ctx, var, first, rlxc_canonical(ctx, rlxc_sub(ctx, end, first), NULL),
                         RLXC_LOOP_SERIAL, body);
}

/* Adds all windows into the plane of the block's axes. */
static const rlxc_stmt *add_windows(rlxc_te *te, const fold *f, const rlxc_te_operand *x,
                                    const rlxc_buffer *out)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *taps = rlxc_i64(ctx, 1), *tap = zero, *window = zero;
    const rlxc_expr *at[RLXC_MAX_NDIM] = {te->axes[0], te->axes[1]}, *t[MOST_AXES], *w[MOST_AXES],
                    *kernel[MOST_AXES], *count[MOST_AXES], *inside = NULL, *first;
    const uint32_t last = f->n - 1;
    for (uint32_t i = 0; i < f->n; i++) {
        t[i] = variable(ctx, "t", i);
        w[i] = variable(ctx, "w", i);
        kernel[i] = rlxc_te_expr(te, f->kernel.at[i]);
        count[i] = rlxc_te_expr(te, f->count[i]);
        taps = rlxc_mul(ctx, taps, kernel[i]);
        tap = rlxc_add(ctx, rlxc_mul(ctx, tap, kernel[i]), t[i]);
        window = rlxc_add(ctx, rlxc_mul(ctx, window, count[i]), w[i]);
        const rlxc_expr *from = rlxc_mul(ctx, w[i], rlxc_i64(ctx, f->strides[i])),
                        *shift = rlxc_mul(ctx, t[i], rlxc_i64(ctx, f->dilation[i]));
        at[2 + i] = rlxc_sub(ctx, rlxc_add(ctx, from, shift), rlxc_i64(ctx, f->padding[i]));
        if (i < last && f->padding[i] > 0)
            inside = rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LE, zero, at[2 + i]));
        if (i < last && f->padding[f->n + i] > 0)
            inside = rlxc_window_both(ctx, inside,
                                      rlxc_binary(ctx, RLXC_EXPR_LT, at[2 + i], out->shape[2 + i]));
    }
    const rlxc_expr *column[3] = {te->axes[0], rlxc_add(ctx, rlxc_mul(ctx, te->axes[1], taps), tap),
                                  window};
    const rlxc_expr *sum = rlxc_add(ctx, rlxc_te_load(te, out, at), rlxc_te_get(te, x, column));
    const rlxc_stmt *body = rlxc_stmt_store(ctx, out, at, out->ndim, sum);
    const rlxc_expr *end = windows_inside(te, f, last, t[last], count[last], &first);
    body = loop(ctx, w[last], first, end, body);
    if (inside)
        body = rlxc_stmt_if(ctx, inside, body, NULL);
    for (uint32_t i = f->n; i-- > 0;)
        body = loop(ctx, t[i], zero, kernel[i], body);
    for (uint32_t i = last; i-- > 0;)
        body = loop(ctx, w[i], zero, count[i], body);
    return body;
}

rlxc_atom rlxc_legalize_fold(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    fold f;
    rlxc_context *ctx = b->ctx;
    if (!rlxc_te_begin(&te, b, call, "fold", RLXC_PATTERN_OPAQUE) || !read_fold(&te.view, &f))
        return (rlxc_atom){0};
    const rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, "T_fold");
    const rlxc_expr *at[RLXC_MAX_NDIM], *zero = rlxc_i64(ctx, 0);
    rlxc_te_block(&te, "T_fold");
    for (uint32_t i = 0; i < out->ndim; i++) {
        const char *name = rlxc_internf(ctx, "ax%u", i);
        at[i] = i < 2 ? rlxc_te_axis(&te, RLXC_AXIS_SPATIAL, name, out->shape[i])
                      : rlxc_var(ctx, name, RLX_I64);
    }
    const rlxc_stmt *parts[2] = {
        rlxc_stmt_store(ctx, out, at, out->ndim, rlxc_te_number(ctx, out->dtype, 0)),
        add_windows(&te, &f, &x, out)};
    for (uint32_t i = out->ndim; i-- > 2;)
        parts[0] = loop(ctx, at[i], zero, out->shape[i], parts[0]);
    rlxc_te_body(&te, NULL, rlxc_stmt_seq(ctx, parts, 2));
    return rlxc_te_finish(&te);
}

/* The two operators of a transposed convolution that pass transposed_convs splits by the phase of
 * the stride: one makes the filter of an ordinary convolution, the other rearranges its result.
 *
 * Element o of the whole result, before the padding is cut off, is at place o // stride and has
 * phase o % stride. A convolution of stride 1 computes all phases of a place as channels of their
 * own: group by group, the phases row-major, then the channels of the group. Phases may also be
 * stacked along the batch.
 *
 * add_columns gives the phases as well, from the products of every tap with every element, which a
 * matrix product computes: each place adds up those that reach it. */
#include "compiler/ops/require.h"
#include "compiler/ops/window.h"

/* --- the filter ------------------------------------------------------------------------------- */

typedef struct filter {
    uint32_t n; /* spatial dimensions */
    int64_t groups, strides[RLXC_MAX_SPATIAL], dilation[RLXC_MAX_SPATIAL];
    int64_t first[RLXC_MAX_SPATIAL], phases[RLXC_MAX_SPATIAL], taps[RLXC_MAX_SPATIAL];
} filter;

static bool read_filter(const rlxc_call_view *v, filter *f)
{
    static const struct {
        const char *name;
        size_t at;
        int64_t least;
    } lists[] = {{"strides", offsetof(filter, strides), 1},
                 {"dilation", offsetof(filter, dilation), 1},
                 {"first", offsetof(filter, first), 0},
                 {"phases", offsetof(filter, phases), 1},
                 {"taps", offsetof(filter, taps), 1}};
    const rlxc_sinfo *w = v->in[0];
    *f = (filter){.groups = rlxc_attr_get_int(v->call, "groups", 1)};
    if (w->ndim < 3 || w->ndim > 2 + RLXC_MAX_SPATIAL || f->groups < 1 || f->groups > INT32_MAX) {
        rlxc_infer_fail(v, 0, "expected 3 to %d dimensions, got %s", 2 + RLXC_MAX_SPATIAL,
                        rlxc_sinfo_text(v->ctx, w));
        return false;
    }
    f->n = (uint32_t)w->ndim - 2;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!rlxc_window_sizes(v, lists[i].name, f->n, lists[i].least,
                               (int64_t *)((char *)f + lists[i].at)))
            return false;
    return true;
}

const rlxc_sinfo *rlxc_infer_phase_filter(rlxc_context *ctx, const rlxc_module *module,
                                          const rlxc_binding *call)
{
    rlxc_call_view v;
    filter f;
    rlxc_dims dims = {0};
    if (!rlxc_infer_begin(&v, ctx, module, call) || !read_filter(&v, &f))
        return NULL;
    const rlxc_sinfo *w = v.in[0];
    if (!rlxc_dims_known(w))
        return rlxc_tensor_ndim(&v, w->dtype, w->ndim);
    const rlxc_expr *outputs = rlxc_mul(ctx, w->dims[1], rlxc_i64(ctx, f.groups));
    dims.n = f.n + 2;
    dims.at[1] = rlxc_canonical(
        ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, w->dims[0], rlxc_i64(ctx, f.groups)), NULL);
    for (uint32_t i = 0; i < f.n; i++) {
        outputs = rlxc_mul(ctx, outputs, rlxc_i64(ctx, f.phases[i]));
        dims.at[2 + i] = rlxc_i64(ctx, f.taps[i]);
    }
    dims.at[0] = rlxc_canonical(ctx, outputs, NULL);
    return rlxc_tensor_of(&v, w->dtype, &dims);
}

static const rlxc_expr *quotient(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, a, b);
}

static const rlxc_expr *remainder_of(rlxc_context *ctx, const rlxc_expr *a, const rlxc_expr *b)
{
    return rlxc_binary(ctx, RLXC_EXPR_FLOORMOD, a, b);
}

/* The place of tap |t| of phase |phase| in the filter. With a stride of 1 the convolution does the
 * dilation; otherwise it is spread over the taps, with zeros in between. */
static const rlxc_expr *source_of(rlxc_context *ctx, const filter *f, uint32_t i,
                                  const rlxc_expr *phase, const rlxc_expr *t,
                                  const rlxc_expr *length, const rlxc_expr **inside)
{
    const rlxc_expr *back = rlxc_sub(ctx, rlxc_i64(ctx, f->taps[i] - 1), t);
    const rlxc_expr *at = rlxc_add(ctx, phase, rlxc_mul(ctx, back, rlxc_i64(ctx, f->strides[i])));
    if (f->strides[i] > 1 && f->dilation[i] > 1) {
        const rlxc_expr *apart = rlxc_i64(ctx, f->dilation[i]);
        const rlxc_expr *off = remainder_of(ctx, at, apart);
        *inside =
            rlxc_window_both(ctx, *inside, rlxc_binary(ctx, RLXC_EXPR_EQ, off, rlxc_i64(ctx, 0)));
        at = quotient(ctx, at, apart);
    }
    *inside = rlxc_window_both(ctx, *inside, rlxc_binary(ctx, RLXC_EXPR_LT, at, length));
    return at;
}

rlxc_atom rlxc_legalize_phase_filter(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    filter f;
    if (!rlxc_te_begin(&te, b, call, "phase_filter", RLXC_PATTERN_INJECTIVE) ||
        !read_filter(&te.view, &f))
        return (rlxc_atom){0};
    rlxc_te_operand w = rlxc_te_operand_of(&te, 0, "w");
    const rlxc_buffer *out = rlxc_te_output(&te, te.name);
    rlxc_te_spatial(&te, te.name, out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *inside = NULL, *channel = te.axes[0];
    at[1] = remainder_of(ctx, channel, w.dims[1]);
    channel = quotient(ctx, channel, w.dims[1]);
    for (uint32_t i = f.n; i-- > 0;) {
        const rlxc_expr *phases = rlxc_i64(ctx, f.phases[i]);
        const rlxc_expr *phase =
            rlxc_add(ctx, remainder_of(ctx, channel, phases), rlxc_i64(ctx, f.first[i]));
        channel = quotient(ctx, channel, phases);
        at[2 + i] = source_of(ctx, &f, i, phase, te.axes[2 + i], w.dims[2 + i], &inside);
    }
    at[0] = rlxc_add(ctx, rlxc_mul(ctx, channel, out->shape[1]), te.axes[1]);
    const rlxc_expr *none = rlxc_te_number(ctx, w.dtype, 0);
    rlxc_te_store(&te, out, rlxc_te_if(ctx, inside, rlxc_te_get(&te, &w, at), none));
    return rlxc_te_finish(&te);
}

/* --- the result ------------------------------------------------------------------------------- */

static int64_t phases_of(const rlxc_window *w)
{
    int64_t all = 1;
    for (uint32_t i = 0; i < w->n; i++)
        if (__builtin_mul_overflow(all, w->strides[i], &all))
            return INT64_MAX;
    return all;
}

const rlxc_sinfo *rlxc_infer_join_phases(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *call)
{
    rlxc_call_view v;
    rlxc_window w;
    rlxc_dims size, dims = {0};
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !rlxc_window_read(&v, "layout", &w))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    bool known = rlxc_shape_arg(&v, 1, &size, &ndim);
    if (ndim != (int32_t)w.n && ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 1, "expected %u sizes, got %s", w.n,
                               rlxc_sinfo_text(ctx, v.in[1]));
    if (!known || !rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, (int32_t)w.n + 2);
    const int64_t all = phases_of(&w);
    const bool stacked = rlxc_attr_get_bool(call, "stacked", false);
    const uint32_t holds = stacked ? w.batch : w.channel;
    if (!rlxc_require(&v, RLXC_MULTIPLE, rlxc_size_of(&v, 0, holds), rlxc_size_given(&v, all)))
        return NULL;
    const rlxc_expr *each =
        rlxc_canonical(ctx, quotient(ctx, x->dims[holds], rlxc_i64(ctx, all)), NULL);
    dims.n = w.n + 2;
    dims.at[w.out_batch] = stacked ? each : x->dims[w.batch];
    dims.at[w.out_channel] = stacked ? x->dims[w.channel] : each;
    for (uint32_t i = 0; i < w.n; i++)
        dims.at[w.out_space[i]] = size.at[i];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

rlxc_atom rlxc_legalize_join_phases(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    rlxc_window w;
    if (!rlxc_te_begin(&te, b, call, "join_phases", RLXC_PATTERN_INJECTIVE) ||
        !rlxc_window_read(&te.view, "layout", &w))
        return (rlxc_atom){0};
    const int64_t groups = rlxc_attr_get_int(call, "groups", 1);
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    const rlxc_buffer *out = rlxc_te_output(&te, te.name);
    rlxc_te_spatial(&te, te.name, out);
    const rlxc_expr *at[RLXC_MAX_NDIM], *phase = rlxc_i64(ctx, 0);
    for (uint32_t i = 0; i < w.n; i++) {
        const rlxc_expr *stride = rlxc_i64(ctx, w.strides[i]);
        const rlxc_expr *place = rlxc_add(ctx, te.axes[w.out_space[i]], rlxc_i64(ctx, w.before[i]));
        at[w.space[i]] = quotient(ctx, place, stride);
        phase = rlxc_add(ctx, rlxc_mul(ctx, phase, stride), remainder_of(ctx, place, stride));
    }
    const rlxc_expr *channel = te.axes[w.out_channel], *each = out->shape[w.out_channel];
    if (groups > 1) {
        each = rlxc_canonical(ctx, quotient(ctx, each, rlxc_i64(ctx, groups)), NULL);
        const rlxc_expr *before =
            rlxc_mul(ctx, quotient(ctx, channel, each), rlxc_i64(ctx, phases_of(&w)));
        phase = rlxc_add(ctx, before, phase);
        channel = remainder_of(ctx, channel, each);
    }
    at[w.batch] = te.axes[w.out_batch];
    at[w.channel] = channel;
    if (rlxc_attr_get_bool(call, "stacked", false))
        at[w.batch] = rlxc_add(ctx, rlxc_mul(ctx, phase, out->shape[w.out_batch]), at[w.batch]);
    else
        at[w.channel] = rlxc_add(ctx, rlxc_mul(ctx, phase, each), channel);
    rlxc_te_store(&te, out, rlxc_te_get(&te, &x, at));
    return rlxc_te_finish(&te);
}

/* --- columns ---------------------------------------------------------------------------------- */

typedef struct columns {
    uint32_t n;
    int64_t kernel[RLXC_MAX_SPATIAL], strides[RLXC_MAX_SPATIAL], dilation[RLXC_MAX_SPATIAL];
    int64_t phases, taps; /* of all dimensions */
} columns;

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool read_columns(const rlxc_call_view *v, columns *c)
{
    const rlxc_sinfo *x = v->in[0];
    *c = (columns){.phases = 1, .taps = 1};
    if (x->ndim < 3 || x->ndim > 2 + RLXC_MAX_SPATIAL) {
        rlxc_infer_fail(v, 0, "expected 3 to %d dimensions, got %s", 2 + RLXC_MAX_SPATIAL,
                        rlxc_sinfo_text(v->ctx, x));
        return false;
    }
    c->n = (uint32_t)x->ndim - 2;
    if (!rlxc_window_sizes(v, "kernel", c->n, 1, c->kernel) ||
        !rlxc_window_sizes(v, "strides", c->n, 1, c->strides) ||
        !rlxc_window_sizes(v, "dilation", c->n, 1, c->dilation))
        return false;
    for (uint32_t i = 0; i < c->n; i++)
        if (__builtin_mul_overflow(c->phases, c->strides[i], &c->phases) ||
            __builtin_mul_overflow(c->taps, c->kernel[i], &c->taps)) {
            rlxc_infer_error(v, "kernel and strides are too large");
            return false;
        }
    return true;
}

const rlxc_sinfo *rlxc_infer_add_columns(rlxc_context *ctx, const rlxc_module *module,
                                         const rlxc_binding *call)
{
    rlxc_call_view v;
    columns c;
    rlxc_dims size, dims = {0};
    int32_t ndim;
    if (!rlxc_infer_begin(&v, ctx, module, call) || !read_columns(&v, &c))
        return NULL;
    const rlxc_sinfo *x = v.in[0];
    bool known = rlxc_shape_arg(&v, 1, &size, &ndim);
    if (ndim != (int32_t)c.n && ndim != RLXC_UNKNOWN_NDIM)
        return rlxc_infer_fail(&v, 1, "expected %u sizes, got %s", c.n,
                               rlxc_sinfo_text(ctx, v.in[1]));
    if (!known || !rlxc_dims_known(x))
        return rlxc_tensor_ndim(&v, x->dtype, x->ndim);
    if (!rlxc_require(&v, RLXC_MULTIPLE, rlxc_size_of(&v, 0, 1), rlxc_size_given(&v, c.taps)))
        return NULL;
    dims.n = c.n + 2;
    dims.at[0] = x->dims[0];
    dims.at[1] = rlxc_canonical(
        ctx,
        rlxc_mul(ctx, quotient(ctx, x->dims[1], rlxc_i64(ctx, c.taps)), rlxc_i64(ctx, c.phases)),
        NULL);
    for (uint32_t i = 0; i < c.n; i++)
        dims.at[2 + i] = size.at[i];
    return rlxc_tensor_of(&v, x->dtype, &dims);
}

/* Along dimension |i| the taps of |phase| are every apart-th, *out_apart, from this one on; there
 * are none if stride and dilation have a divisor that the phase does not have. */
static const rlxc_expr *first_tap(rlxc_context *ctx, const columns *c, uint32_t i,
                                  const rlxc_expr *phase, int64_t *out_apart)
{
    const int64_t common = greatest_divisor(c->strides[i], c->dilation[i]);
    const int64_t apart = c->strides[i] / common, step = c->dilation[i] / common % apart;
    int64_t inverse = 0; /* of step, modulo apart */
    while (apart > 1 && inverse * step % apart != 1)
        inverse++;
    *out_apart = apart;
    phase = rlxc_mul(ctx, quotient(ctx, phase, rlxc_i64(ctx, common)), rlxc_i64(ctx, inverse));
    return remainder_of(ctx, phase, rlxc_i64(ctx, apart));
}

/* The phases of channel |channel| of the result along each dimension; gives the test whether any
 * tap reaches them, or NULL: some always do. */
static const rlxc_expr *phases_at(rlxc_context *ctx, const columns *c, const rlxc_expr *channel,
                                  const rlxc_expr *each, const rlxc_expr **out)
{
    const rlxc_expr *phases = quotient(ctx, channel, each), *any = NULL;
    for (uint32_t i = c->n; i-- > 0;) {
        const int64_t common = greatest_divisor(c->strides[i], c->dilation[i]);
        out[i] = remainder_of(ctx, phases, rlxc_i64(ctx, c->strides[i]));
        phases = quotient(ctx, phases, rlxc_i64(ctx, c->strides[i]));
        const rlxc_expr *rest = remainder_of(ctx, out[i], rlxc_i64(ctx, common));
        if (common > 1)
            any =
                rlxc_window_both(ctx, any, rlxc_binary(ctx, RLXC_EXPR_EQ, rest, rlxc_i64(ctx, 0)));
    }
    return any;
}

/* True if the input has one element along dimension |i|, of |dim|, and each tap makes one place. */
static bool is_single(const columns *c, uint32_t i, const rlxc_expr *dim)
{
    return c->strides[i] == 1 && c->dilation[i] == 1 && rlxc_is_const(dim, 1);
}

/* The products added up along dimension |i|: one for each tap that may reach a place. */
static int64_t terms_along(const columns *c, uint32_t i, const rlxc_expr *dim)
{
    const int64_t apart = c->strides[i] / greatest_divisor(c->strides[i], c->dilation[i]);
    return is_single(c, i, dim) ? 1 : (c->kernel[i] + apart - 1) / apart;
}

/* Along dimension |i|, *out_tap and *out_at: tap and element of term |which|; gives |inside| and
 * the test whether there are such. */
static const rlxc_expr *term_along(rlxc_te *te, const columns *c, const rlxc_te_operand *x,
                                   uint32_t i, const rlxc_expr *phase, int64_t which,
                                   const rlxc_expr *inside, const rlxc_expr **out_tap,
                                   const rlxc_expr **out_at)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *zero = rlxc_i64(ctx, 0), *place = te->axes[2 + i];
    const rlxc_expr *stride = rlxc_i64(ctx, c->strides[i]), *kernel = rlxc_i64(ctx, c->kernel[i]);
    if (is_single(c, i, x->dims[2 + i])) {
        *out_at = zero;
        *out_tap = place;
        return rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LT, place, kernel));
    }
    int64_t apart;
    const rlxc_expr *first = first_tap(ctx, c, i, phase, &apart);
    *out_tap = rlxc_add(ctx, first, rlxc_i64(ctx, which * apart));
    const rlxc_expr *back = rlxc_mul(ctx, *out_tap, rlxc_i64(ctx, c->dilation[i]));
    *out_at = rlxc_sub(ctx, place, quotient(ctx, rlxc_sub(ctx, back, phase), stride));
    if (c->kernel[i] % apart)
        inside = rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LT, *out_tap, kernel));
    inside = rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LE, zero, *out_at));
    return rlxc_window_both(ctx, inside, rlxc_binary(ctx, RLXC_EXPR_LT, *out_at, x->dims[2 + i]));
}

/* Term |which| of the sum for a place, counted over all dimensions; 0 where there is none. */
static const rlxc_expr *column_at(rlxc_te *te, const columns *c, const rlxc_te_operand *x,
                                  const rlxc_expr *const *phases, const rlxc_expr *output,
                                  int64_t which)
{
    rlxc_context *ctx = te->ctx;
    const rlxc_expr *inside = NULL, *tap = rlxc_i64(ctx, 0);
    const rlxc_expr *at[RLXC_MAX_NDIM] = {te->axes[0]}, *taps[RLXC_MAX_SPATIAL];
    for (uint32_t i = c->n; i-- > 0;) {
        const int64_t terms = terms_along(c, i, x->dims[2 + i]);
        inside = term_along(te, c, x, i, phases[i], which % terms, inside, &taps[i], &at[2 + i]);
        which /= terms;
    }
    for (uint32_t i = 0; i < c->n; i++)
        tap = rlxc_add(ctx, rlxc_mul(ctx, tap, rlxc_i64(ctx, c->kernel[i])), taps[i]);
    at[1] = rlxc_add(ctx, rlxc_mul(ctx, output, rlxc_i64(ctx, c->taps)), tap);
    return rlxc_te_if(ctx, inside, rlxc_te_get(te, x, at), rlxc_te_number(ctx, x->dtype, 0));
}

rlxc_atom rlxc_legalize_add_columns(rlxc_builder *b, const rlxc_binding *call)
{
    rlxc_te te;
    rlxc_context *ctx = b->ctx;
    columns c;
    if (!rlxc_te_begin(&te, b, call, "add_columns", RLXC_PATTERN_INJECTIVE) ||
        !read_columns(&te.view, &c))
        return (rlxc_atom){0};
    int64_t terms = 1;
    rlxc_te_operand x = rlxc_te_operand_of(&te, 0, "x");
    for (uint32_t i = 0; i < c.n; i++) {
        terms *= terms_along(&c, i, x.dims[2 + i]);
        if (terms > RLXC_MAX_COLUMN_TERMS || c.strides[i] > RLXC_MAX_COLUMN_TERMS) {
            rlxc_infer_error(&te.view, "more than %d columns reach a place",
                             (int)RLXC_MAX_COLUMN_TERMS);
            return (rlxc_atom){0};
        }
    }
    const rlxc_buffer *out = rlxc_te_output(&te, te.name);
    rlxc_te_spatial(&te, te.name, out);
    const rlxc_expr *sum = NULL, *phases[RLXC_MAX_SPATIAL];
    const rlxc_expr *each =
        rlxc_canonical(ctx, quotient(ctx, out->shape[1], rlxc_i64(ctx, c.phases)), NULL);
    const rlxc_expr *any = phases_at(ctx, &c, te.axes[1], each, phases);
    for (int64_t i = 0; i < terms; i++) {
        const rlxc_expr *part =
            column_at(&te, &c, &x, phases, remainder_of(ctx, te.axes[1], each), i);
        sum = sum ? rlxc_add(ctx, sum, part) : part;
    }
    if (any)
        sum = rlxc_te_if(ctx, any, sum, rlxc_te_number(ctx, x.dtype, 0));
    rlxc_te_store(&te, out, sum);
    return rlxc_te_finish(&te);
}

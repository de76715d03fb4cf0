/* Pass transposed_convs: turns transposed convolutions into ordinary ones of stride 1.
 *
 *   y = R.nn.conv2d_transpose(x, w, strides=[2, 2], padding=[1, 1, 1, 1])      w: 4x4
 *
 *   f = R.nn.phase_filter(w)            four filters of 2x2, one for each phase of the stride
 *   lv = R.nn.conv2d(x, f)              the phases as channels
 *   y = R.nn.join_phases2d(lv, (h, w))  each where it belongs, the padding cut off
 *
 * so that they use the fast kernels of ordinary convolutions (compiler/ops/phases.c defines the two
 * operators). fold_constant computes the filter of constant weights.
 *
 * If the stride does not divide the filter's size, some phases have one tap less than others and
 * get convolutions of their own. So do the phases of depthwise convolutions, which would have
 * several outputs per channel, and those of small padded images: computed together, they share a
 * grid of one place more in each dimension than the result has. The results are stacked along the
 * batch, in the order of the result's elements: number r has those at r + any multiple of the
 * stride.
 *
 * Filters of unknown size are not handled. */
#include "compiler/passes/passes.h"

#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ops/window.h"

enum {
    MOST_PARTS = 16,    /* limit of convolutions that one becomes */
    FEW_CHANNELS = 16,  /* with fewer channels zero taps cost less than joining the parts */
    MORE_WORK = 4,      /* saved work, in channels per place, that pays for joining the parts */
    MOSTLY_PADDING = 3, /* by columns if a phase has so many places per input element */
    FEW_OUTPUTS = 8,    /* fewer: by columns, of at least MANY_INPUTS channels */
    MANY_INPUTS = 8,
    MOST_TAPS = 1 << 20
};

/* Along one dimension. */
typedef struct cut {
    int64_t stride, size, dilation, apart; /* dilation of the resulting convolution */
    int64_t taps;                          /* taps of the phases with the most */
    int64_t full;                          /* number of phases with that many taps */
    int64_t first, after; /* places: the first that is computed, padding behind the input */
    int64_t before, rest; /* the padding cut off; the places of a phase, less those of the input */
} cut;

typedef struct transposed {
    const rlxc_binding *call;
    rlxc_builder *b;
    rlxc_window w;
    cut cuts[RLXC_MAX_SPATIAL];
    int64_t groups;
    bool by_channel, stacked; /* stacked: the parts, along the batch */
    rlxc_atom weight;         /* IO, then the dimensions of space */
    rlxc_atom parts[MOST_PARTS];
    uint32_t n_parts;
} transposed;

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Phase of the result's elements |which| + any multiple of the stride, and the place of the first.
 */
static int64_t phase_of(const cut *c, int64_t which, int64_t *out_place)
{
    *out_place = (which + c->before) / c->stride;
    return (which + c->before) % c->stride;
}

static int64_t taps_of(const cut *c, int64_t phase)
{
    return c->taps - (phase >= c->full);
}

/* The padding with which a convolution computes the elements |which| + any multiple of the stride
 * and no others; false: it would be negative, or they have no taps. */
static bool pad_part(const cut *c, int64_t which, int64_t *before, int64_t *after)
{
    int64_t place;
    const int64_t phase = phase_of(c, which, &place), taps = taps_of(c, phase);
    *before = (taps - 1) * c->apart - place;
    *after = c->rest + place;
    return taps > 0 && *before >= 0 && *after >= 0;
}

static bool read_cut(const rlxc_call_view *v, const rlxc_window *w, uint32_t i, int64_t extra,
                     cut *c)
{
    *c = (cut){.stride = w->strides[i], .dilation = w->dilation[i]};
    if (!rlxc_is_int(v->in[1]->dims[w->w_space[i]], &c->size) || c->size < 1 ||
        c->size > MOST_TAPS || c->dilation > MOST_TAPS / c->size || c->stride > MOST_TAPS)
        return false;
    const int64_t reach = (c->size - 1) * c->dilation;
    c->apart = c->stride == 1 ? c->dilation : 1;
    const int64_t spread = c->stride == 1 ? c->size : reach + 1;
    c->taps = (spread + c->stride - 1) / c->stride;
    c->full = spread % c->stride ? spread % c->stride : c->stride;
    c->first = least(w->before[i] / c->stride, (c->taps - 1) * c->apart);
    c->after = floor_div(reach + extra - w->after[i], c->stride);
    if (c->after < 0)
        c->after = 0;
    c->before = w->before[i];
    c->rest = floor_div(reach + extra - w->before[i] - w->after[i], c->stride);
    return true;
}

/* The places of an image of known size. */
typedef struct place_counts {
    int64_t input;    /* elements */
    int64_t phase;    /* of one phase in the result */
    int64_t together; /* that a convolution of all phases computes */
} place_counts;

static bool count_places(const transposed *t, place_counts *out)
{
    const rlxc_sinfo *x = rlxc_atom_sinfo(t->b->ctx, t->b->module, t->call->args[0]);
    int64_t n;
    *out = (place_counts){1, 1, 1};
    for (uint32_t i = 0; i < t->w.n; i++) {
        const cut *c = &t->cuts[i];
        if (!rlxc_is_int(x->dims[t->w.space[i]], &n) || n < 1 || n > MOST_TAPS - c->after ||
            n + c->rest < 1 || n + c->rest > MOST_TAPS)
            return false;
        out->input *= n;
        out->phase *= n + c->rest;
        out->together *= n + c->after - c->first;
    }
    return true;
}

static rlxc_attrs attr(rlxc_builder *b, rlxc_attrs attrs, const char *name, rlxc_attr value)
{
    return rlxc_attrs_with(b->ctx, attrs, rlxc_intern_cstr(b->ctx, name), value);
}

static rlxc_attrs with_ints(rlxc_builder *b, rlxc_attrs attrs, const char *name,
                            const int64_t *values, uint32_t n)
{
    return attr(b, attrs, name, rlxc_attr_ints(b->ctx, values, n));
}

static rlxc_attrs with_text(rlxc_builder *b, rlxc_attrs attrs, const char *name, const char *text)
{
    return attr(b, attrs, name, rlxc_attr_string(b->ctx, text));
}

/* The convolution that computes phases |first| .. |first| + |phases|, which have |taps| taps, of an
 * input with |padding|. */
static void emit_part(transposed *t, const int64_t *first, const int64_t *phases,
                      const int64_t *taps, const int64_t *padding)
{
    static const char *const names[] = {"nn.conv1d", "nn.conv2d", "nn.conv3d"};
    static const char *const layouts[] = {"OIW", "OIHW", "OIDHW"};
    rlxc_builder *b = t->b;
    const uint32_t n = t->w.n;
    int64_t strides[RLXC_MAX_SPATIAL], apart[RLXC_MAX_SPATIAL], dilation[RLXC_MAX_SPATIAL];
    for (uint32_t i = 0; i < n; i++) {
        strides[i] = t->cuts[i].stride;
        dilation[i] = t->cuts[i].dilation;
        apart[i] = t->cuts[i].apart;
    }
    rlxc_attrs attrs = with_ints(b, (rlxc_attrs){0}, "strides", strides, n);
    attrs = with_ints(b, attrs, "dilation", dilation, n);
    attrs = attr(b, attrs, "groups", rlxc_attr_int(t->groups));
    attrs = with_ints(b, attrs, "first", first, n);
    attrs = with_ints(b, attrs, "phases", phases, n);
    attrs = with_ints(b, attrs, "taps", taps, n);
    rlxc_atom args[2] = {t->call->args[0]};
    args[1] = rlxc_emit_op(b, "nn.phase_filter", &t->weight, 1, attrs, "filter");
    attrs = with_ints(b, (rlxc_attrs){0}, "padding", padding, 2 * n);
    attrs = with_ints(b, attrs, "dilation", apart, n);
    attrs = attr(b, attrs, "groups", rlxc_attr_int(t->groups));
    attrs = with_text(b, attrs, "data_layout", rlxc_attr_get_str(t->call, "data_layout", ""));
    attrs = with_text(b, attrs, "kernel_layout", layouts[n - 1]);
    const rlxc_attr *dtype = rlxc_attrs_find(&t->call->attrs, "out_dtype");
    if (dtype)
        attrs = attr(b, attrs, "out_dtype", *dtype);
    t->parts[t->n_parts++] = rlxc_emit_op(b, names[n - 1], args, 2, attrs, "phases");
}

/* A convolution for each phase, row-major in the order of the result's elements. */
static void emit_each(transposed *t, uint32_t parts)
{
    static const int64_t one[RLXC_MAX_SPATIAL] = {1, 1, 1};
    const uint32_t n = t->w.n;
    int64_t first[RLXC_MAX_SPATIAL], taps[RLXC_MAX_SPATIAL], padding[2 * RLXC_MAX_SPATIAL], place;
    for (uint32_t part = 0; part < parts; part++) {
        int64_t left = part;
        for (uint32_t i = n; i-- > 0;) {
            const cut *c = &t->cuts[i];
            const int64_t which = left % c->stride;
            left /= c->stride;
            first[i] = phase_of(c, which, &place);
            taps[i] = taps_of(c, first[i]);
            pad_part(c, which, &padding[i], &padding[n + i]);
        }
        emit_part(t, first, one, taps, padding);
    }
}

/* True if a convolution of all phases computes so many places more than the result has that
 * convolutions of their own pay. */
static bool computes_more(const transposed *t, int64_t channels)
{
    place_counts n;
    return count_places(t, &n) && (n.together - n.phase) / MORE_WORK >= n.together / channels;
}

/* The number of convolutions: one per phase if that pays: for depthwise ones, if phases have fewer
 * taps, and if they have fewer places. */
static uint32_t count_parts(const transposed *t)
{
    int64_t n = 1, inputs, outputs, before, after;
    bool uneven = false, possible = true;
    for (uint32_t i = 0; i < t->w.n; i++) {
        const cut *c = &t->cuts[i];
        uneven = uneven || c->full != c->stride;
        if (n <= MOST_PARTS)
            n *= c->stride;
        for (int64_t which = 0; n <= MOST_PARTS && which < c->stride; which++)
            possible = possible && pad_part(c, which, &before, &after);
    }
    const rlxc_sinfo *x = rlxc_atom_sinfo(t->b->ctx, t->b->module, t->call->args[0]);
    const rlxc_sinfo *w = rlxc_atom_sinfo(t->b->ctx, t->b->module, t->weight);
    const bool many = rlxc_is_int(x->dims[t->w.channel], &inputs) && inputs >= FEW_CHANNELS;
    const bool wide = rlxc_is_int(w->dims[1], &outputs) && outputs >= FEW_CHANNELS;
    const bool wanted =
        t->by_channel || (t->groups == 1 && many && (uneven || (wide && computes_more(t, inputs))));
    return possible && wanted && n <= MOST_PARTS ? (uint32_t)n : 1;
}

static void emit_convolutions(transposed *t)
{
    int64_t first[RLXC_MAX_SPATIAL] = {0}, phases[RLXC_MAX_SPATIAL], taps[RLXC_MAX_SPATIAL],
            padding[2 * RLXC_MAX_SPATIAL];
    const uint32_t n = t->w.n, parts = count_parts(t);
    t->stacked = parts > 1;
    if (!t->stacked) {
        for (uint32_t i = 0; i < n; i++) {
            const cut *c = &t->cuts[i];
            phases[i] = c->stride;
            taps[i] = c->taps;
            padding[i] = (c->taps - 1) * c->apart - c->first;
            padding[n + i] = c->after;
        }
        emit_part(t, first, phases, taps, padding);
        return;
    }
    emit_each(t, parts);
    rlxc_atom all = rlxc_atom_tuple(t->b->ctx, t->parts, parts);
    rlxc_attrs axis = attr(t->b, (rlxc_attrs){0}, "axis", rlxc_attr_int(t->w.batch));
    t->parts[0] = rlxc_emit_op(t->b, "concat", &all, 1, axis, "phases");
}

/* False if the convolution's result is the final result. */
static bool needs_join(const transposed *t)
{
    bool same = t->w.channel == t->w.out_channel && t->w.batch == t->w.out_batch;
    const rlxc_sinfo *y = t->call->var->sinfo;
    const rlxc_sinfo *x = rlxc_atom_sinfo(t->b->ctx, t->b->module, t->parts[0]);
    for (uint32_t i = 0; i < t->w.n; i++)
        same = same && t->cuts[i].stride == 1 && t->cuts[i].first == t->w.before[i] &&
               t->w.space[i] == t->w.out_space[i] && x && x->dims &&
               rlxc_prove_eq(t->b->ctx, x->dims[t->w.space[i]], y->dims[t->w.space[i]], NULL);
    return !same;
}

static rlxc_atom join(transposed *t)
{
    static const char *const names[] = {"nn.join_phases1d", "nn.join_phases2d", "nn.join_phases3d"};
    rlxc_builder *b = t->b;
    const uint32_t n = t->w.n;
    int64_t cut_off[2 * RLXC_MAX_SPATIAL] = {0};
    const rlxc_expr *size[RLXC_MAX_SPATIAL];
    const char *layout = rlxc_attr_get_str(t->call, "data_layout", "");
    for (uint32_t i = 0; i < n; i++) {
        cut_off[i] = t->stacked ? 0 : t->w.before[i] - t->cuts[i].first * t->cuts[i].stride;
        size[i] = t->call->var->sinfo->dims[t->w.out_space[i]];
    }
    rlxc_attrs attrs = with_ints(b, (rlxc_attrs){0}, "strides", t->w.strides, n);
    attrs = with_ints(b, attrs, "padding", cut_off, 2 * n);
    attrs = attr(b, attrs, "groups", rlxc_attr_int(t->stacked ? 1 : t->groups));
    attrs = attr(b, attrs, "stacked", rlxc_attr_bool(t->stacked));
    attrs = with_text(b, attrs, "layout", layout);
    const char *out = rlxc_attr_get_str(t->call, "out_layout", "");
    attrs = with_text(b, attrs, "out_layout", out[0] ? out : layout);
    rlxc_atom args[2] = {t->parts[0], rlxc_atom_shape(b->ctx, size, n)};
    return rlxc_emit_op(b, names[n - 1], args, 2, attrs, t->call->var->name);
}

/* The weight as IO and the dimensions of space. */
static rlxc_atom in_order(transposed *t)
{
    int64_t order[RLXC_MAX_SPATIAL + 2] = {t->w.w_in, t->w.w_out};
    bool same = t->w.w_in == 0 && t->w.w_out == 1;
    for (uint32_t i = 0; i < t->w.n; i++) {
        order[2 + i] = t->w.w_space[i];
        same = same && t->w.w_space[i] == 2 + i;
    }
    if (same)
        return t->call->args[1];
    rlxc_attrs axes = with_ints(t->b, (rlxc_attrs){0}, "axes", order, t->w.n + 2);
    return rlxc_emit_op(t->b, "permute_dims", &t->call->args[1], 1, axes, "filter");
}

/* --- by columns ------------------------------------------------------------------------------- */

static bool wants_columns(const transposed *t)
{
    const rlxc_sinfo *x = rlxc_atom_sinfo(t->b->ctx, t->b->module, t->call->args[0]);
    const rlxc_sinfo *w = rlxc_atom_sinfo(t->b->ctx, t->b->module, t->call->args[1]);
    const rlx_dtype out = rlxc_attr_get_dtype(t->call, "out_dtype");
    int64_t inputs, outputs, terms = 1;
    place_counts places;
    bool apart = false;
    if (t->groups != 1 || t->w.channel != 1 || t->w.out_channel != 1 || t->w.batch != 0 ||
        t->w.out_batch != 0 || !rlxc_dtype_is_float(x->dtype) ||
        !(rlxc_dtype_is_void(out) || rlxc_dtype_eq(out, x->dtype)) ||
        !rlxc_is_int(w->dims[t->w.w_in], &inputs) || !rlxc_is_int(w->dims[t->w.w_out], &outputs) ||
        inputs < MANY_INPUTS)
        return false;
    for (uint32_t i = 0; i < t->w.n; i++) {
        const cut *c = &t->cuts[i];
        const int64_t each =
            (c->size + c->stride - 1) / c->stride * (c->dilation > 1 ? c->stride : 1);
        if (each > RLXC_MAX_COLUMN_TERMS || c->stride > RLXC_MAX_COLUMN_TERMS)
            return false;
        terms *= each;
        apart = apart || (c->stride > 1 && c->dilation > 1);
    }
    return terms <= RLXC_MAX_COLUMN_TERMS &&
           (outputs < FEW_OUTPUTS || apart ||
            (count_places(t, &places) && places.phase >= MOSTLY_PADDING * places.input));
}

/* |x| as a tensor of |dims|. */
static rlxc_atom reshaped(rlxc_builder *b, rlxc_atom x, const rlxc_expr *const *dims, uint32_t n,
                          const char *name)
{
    const rlxc_atom args[2] = {x, rlxc_atom_shape(b->ctx, dims, n)};
    return rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, name);
}

static void emit_columns(transposed *t)
{
    rlxc_builder *b = t->b;
    rlxc_context *ctx = b->ctx;
    const uint32_t n = t->w.n;
    const rlxc_sinfo *x = rlxc_atom_sinfo(ctx, b->module, t->call->args[0]);
    const rlxc_sinfo *w = rlxc_atom_sinfo(ctx, b->module, t->weight), *y = t->call->var->sinfo;
    int64_t kernel[RLXC_MAX_SPATIAL], dilation[RLXC_MAX_SPATIAL], turn[RLXC_MAX_SPATIAL + 2] = {1};
    const rlxc_expr *size[RLXC_MAX_SPATIAL], *dims[RLXC_MAX_SPATIAL + 2], *rows = w->dims[1];
    for (uint32_t i = 0; i < n; i++) {
        cut *c = &t->cuts[i];
        kernel[i] = c->size;
        dilation[i] = c->dilation;
        turn[1 + i] = 2 + i;
        c->first = 0;
        rows = rlxc_mul(ctx, rows, rlxc_i64(ctx, c->size));
        const rlxc_expr *end = rlxc_add(ctx, y->dims[t->w.out_space[i]],
                                        rlxc_i64(ctx, t->w.before[i] + c->stride - 1));
        size[i] = rlxc_canonical(
            ctx, rlxc_binary(ctx, RLXC_EXPR_FLOORDIV, end, rlxc_i64(ctx, c->stride)), NULL);
        dims[2 + i] = x->dims[t->w.space[i]];
    }
    turn[n + 1] = 0;
    rlxc_attrs attrs = with_ints(b, (rlxc_attrs){0}, "axes", turn, n + 2);
    rlxc_atom filter = rlxc_emit_op(b, "permute_dims", &t->weight, 1, attrs, "filter");
    const rlxc_expr *flat[3] = {rlxc_canonical(ctx, rows, NULL), w->dims[0]};
    rlxc_atom args[2] = {reshaped(b, filter, flat, 2, "filter")};
    dims[0] = flat[0] = x->dims[0];
    dims[1] = rlxc_canonical(ctx, rows, NULL);
    flat[1] = x->dims[1];
    flat[2] = rlxc_product(ctx, dims + 2, n);
    args[1] = reshaped(b, t->call->args[0], flat, 3, "elements");
    rlxc_atom columns = rlxc_emit_op(b, "matmul", args, 2, (rlxc_attrs){0}, "columns");
    args[0] = reshaped(b, columns, dims, n + 2, "columns");
    args[1] = rlxc_atom_shape(ctx, size, n);
    attrs = with_ints(b, (rlxc_attrs){0}, "kernel", kernel, n);
    attrs = with_ints(b, attrs, "strides", t->w.strides, n);
    attrs = with_ints(b, attrs, "dilation", dilation, n);
    t->parts[t->n_parts++] = rlxc_emit_op(b, "nn.add_columns", args, 2, attrs, "phases");
}

static rlxc_rewrite_action rewrite(void *user, rlxc_builder *b, rlxc_binding *call,
                                   rlxc_atom *replacement)
{
    (void)user;
    rlxc_call_view v;
    transposed t = {.call = call, .b = b};
    int64_t extra[RLXC_MAX_SPATIAL] = {0}, outputs, inputs;
    if (call->form != RLXC_FORM_CALL || !call->op ||
        call->op->legalize != rlxc_legalize_conv_transpose ||
        !rlxc_infer_begin(&v, b->ctx, b->module, call) || !rlxc_window_read_conv(&v, &t.w) ||
        !rlxc_dims_known(v.in[0]) || !rlxc_dims_known(v.in[1]) || !call->var->sinfo->dims)
        return RLXC_REWRITE_KEEP;
    if (rlxc_attrs_find(&call->attrs, "output_padding") &&
        !rlxc_window_sizes(&v, "output_padding", t.w.n, 0, extra))
        return RLXC_REWRITE_KEEP;
    t.groups = rlxc_attr_get_int(call, "groups", 1);
    for (uint32_t i = 0; i < t.w.n; i++)
        if (!read_cut(&v, &t.w, i, extra[i], &t.cuts[i]))
            return RLXC_REWRITE_KEEP;
    t.by_channel = t.groups > 1 && rlxc_is_int(v.in[1]->dims[t.w.w_in], &inputs) &&
                   rlxc_is_int(v.in[1]->dims[t.w.w_out], &outputs) && inputs == t.groups &&
                   outputs == 1;
    t.weight = in_order(&t);
    if (wants_columns(&t))
        emit_columns(&t);
    else
        emit_convolutions(&t);
    if (rlxc_failed(b->ctx))
        return RLXC_REWRITE_KEEP;
    *replacement = needs_join(&t) ? join(&t) : t.parts[0];
    return replacement->kind == RLXC_ATOM_VAR ? RLXC_REWRITE_REPLACE : RLXC_REWRITE_KEEP;
}

bool rlxc_pass_transposed_convs(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    (void)options;
    const rlxc_rewrite_pass pass = {.binding = rewrite};
    rlxc_rewrite_module(ctx, module, &pass);
    return !rlxc_failed(ctx);
}

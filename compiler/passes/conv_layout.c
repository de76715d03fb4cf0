/* Pass conv_layout: convolutions and poolings over one and two dimensions run with their channels
 * last.
 *
 *   lv = R.nn.conv2d(x, w)  in NCHW     x1 = R.permute_dims(x, [0, 2, 3, 1])
 *   y = R.nn.relu(lv)                   w1 = R.permute_dims(w, [2, 3, 1, 0])
 *                                       t1 = R.nn.conv2d(x1, w1)  in NHWC, HWIO
 *                                       t2 = R.nn.relu(t1)
 *                                       y = R.permute_dims(t2, [0, 3, 1, 2])
 *
 * With the channels last a convolution is a matrix product whose columns are the output channels:
 * contiguous in the weight and in the result, whatever the size of the image. Each value that the
 * pass has moved has a twin, the same tensor with its channels last; operators that work element by
 * element, poolings, reductions over the image, rows and columns taken from it and further
 * convolutions read the twins of their arguments. The value itself is
 * the twin transposed back, which dce drops where nothing reads it, so layout changes between the
 * operators cancel. Only convolutions with a constant weight are moved; their weights are laid out
 * here, and the old ones are not kept.
 *
 * 3x3 convolutions of stride 1 with enough channels become products of minimal filtering
 * (compiler/tir/winograd.h) unless the options say no; their weights take four times the memory.
 *
 * What it leaves out: three dimensions; joining along channels.
 */
#include "compiler/passes/conv_layout.h"

#include "compiler/ir/rewrite.h"
#include "compiler/ops/families.h"
#include "compiler/tir/winograd.h"

#include <string.h>

enum {
    RANK = 4,           /* of an image; 3 of a sequence */
    MANY_CHANNELS = 64, /* a sum along them alone is worth vectors */
    FEW_CHANNELS = 4,   /* read where they are: transposing them would cost more than it gives */
    WINOGRAD_CHANNELS = 16,    /* fewer: the transforms cost more than the products save */
    WINOGRAD_TILES = 8,        /* fewer: reading the larger weight costs what the products save */
    WINOGRAD_BYTES = 128 << 20 /* of all transformed weights of a module */
};

typedef struct conv_layout {
    const rlxc_options *options;
    int64_t filtered_bytes; /* of the weights made for minimal filtering */
    rlxc_map twins;         /* rlxc_rvar in NCHW -> rlxc_rvar of the same tensor in NHWC */
} conv_layout;

/* --- moving single values -------------------------------------------------------------------- */

static bool is_movable(const rlxc_sinfo *s)
{
    return s && s->kind == RLXC_SINFO_TENSOR && s->dims && (s->ndim == RANK - 1 || s->ndim == RANK);
}

/* A tensor of |rank| dimensions; 0: of any number that can be moved. Else NULL. */
static const rlxc_sinfo *tensor_of(const rlxc_builder *b, rlxc_atom a, uint32_t rank)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, a);
    return is_movable(s) && (rank == 0 || (uint32_t)s->ndim == rank) ? s : NULL;
}

/* Names and orders, by the number of dimensions less RANK - 1. */
static const struct layout {
    const char *channels_second, *channels_last, *weight, *weight_last;
    int64_t to_last[RANK], to_second[RANK], weight_to_last[RANK];
} layouts[2] = {
    {"NCW", "NWC", "OIW", "WIO", {0, 2, 1}, {0, 2, 1}, {2, 1, 0}},
    {"NCHW", "NHWC", "OIHW", "HWIO", {0, 2, 3, 1}, {0, 3, 1, 2}, {2, 3, 1, 0}},
};

static const struct layout *layout_of(uint32_t rank)
{
    return &layouts[rank - (RANK - 1)];
}

static rlxc_attrs attr(rlxc_builder *b, rlxc_attrs attrs, const char *name, rlxc_attr value)
{
    return rlxc_attrs_with(b->ctx, attrs, rlxc_intern_cstr(b->ctx, name), value);
}

/* A constant with its dimensions in another order; leading dimensions of one are added to have
 * |rank|. NONE when memory is out. */
static rlxc_atom laid_out(rlxc_context *ctx, const rlxc_constant *c, uint32_t rank,
                          const int64_t *order)
{
    int64_t from[RANK], shape[RANK], strides[RANK], stride = 1;
    for (uint32_t i = 0; i < rank; i++)
        from[i] = i < rank - c->ndim ? 1 : c->shape[i - (rank - c->ndim)];
    for (uint32_t i = rank; i-- > 0; stride *= from[i])
        strides[i] = stride;
    size_t n = (size_t)stride, size = n ? c->nbytes / n : 0;
    char *data = rlxc_try_alloc(ctx, c->nbytes + 1, 1);
    if (!data)
        return (rlxc_atom){0};
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = from[order[i]];
    for (size_t i = 0; i < n; i++) {
        int64_t left = (int64_t)i, at = 0;
        for (uint32_t k = rank; k-- > 0; left /= shape[k])
            at += left % shape[k] * strides[order[k]];
        memcpy(data + i * size, (const char *)c->data + (size_t)at * size, size);
    }
    return rlxc_atom_constant(rlxc_constant_new(ctx, c->dtype, rank, shape, data, c->nbytes));
}

static rlxc_atom permuted(rlxc_builder *b, rlxc_atom x, uint32_t rank, const int64_t *order)
{
    if (x.kind == RLXC_ATOM_CONSTANT)
        return laid_out(b->ctx, x.constant, rank, order);
    const rlxc_sinfo *s = tensor_of(b, x, rank);
    const rlxc_expr *dims[RANK];
    uint32_t last = 0;
    bool sorted = true; /* but for dimensions of one: the elements lie as they should */
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = s->dims[order[i]];
        if (rlxc_is_const(dims[i], 1))
            continue;
        sorted = sorted && order[i] >= (int64_t)last;
        last = (uint32_t)order[i];
    }
    if (sorted) {
        rlxc_atom args[2] = {x, rlxc_atom_shape(b->ctx, dims, rank)};
        return rlxc_emit_op(b, "reshape", args, 2, (rlxc_attrs){0}, "lv");
    }
    rlxc_attrs axes = attr(b, (rlxc_attrs){0}, "axes", rlxc_attr_ints(b->ctx, order, rank));
    return rlxc_emit_op(b, "permute_dims", &x, 1, axes, "lv");
}

static bool has_twin(const conv_layout *c, rlxc_atom a, rlxc_atom *out)
{
    rlxc_rvar *twin = a.kind == RLXC_ATOM_VAR ? rlxc_map_get(&c->twins, rlxc_key(a.var)) : NULL;
    if (twin)
        *out = rlxc_atom_var(twin);
    return twin != NULL;
}

/* |x|, of |rank| dimensions or a constant of fewer, with its channels last. */
static rlxc_atom twin_of(conv_layout *c, rlxc_builder *b, rlxc_atom x, uint32_t rank)
{
    rlxc_atom twin;
    if (has_twin(c, x, &twin))
        return twin;
    twin = permuted(b, x, rank, layout_of(rank)->to_last);
    if (x.kind == RLXC_ATOM_VAR && twin.kind == RLXC_ATOM_VAR)
        rlxc_map_set(b->ctx, &c->twins, rlxc_key(x.var), twin.var);
    return twin;
}

/* |twin| takes the place of the binding's value, under its name. */
static rlxc_rewrite_action replace(conv_layout *c, rlxc_builder *b, const rlxc_binding *old,
                                   rlxc_atom twin, rlxc_atom *replacement)
{
    if (twin.kind != RLXC_ATOM_VAR || rlxc_failed(b->ctx))
        return RLXC_REWRITE_KEEP;
    const uint32_t rank = (uint32_t)old->var->sinfo->ndim;
    *replacement = permuted(b, twin, rank, layout_of(rank)->to_second);
    if (replacement->kind != RLXC_ATOM_VAR)
        return RLXC_REWRITE_KEEP;
    replacement->var->name = old->var->name;
    rlxc_map_set(b->ctx, &c->twins, rlxc_key(replacement->var), twin.var);
    return RLXC_REWRITE_REPLACE;
}

/* --- convolutions ---------------------------------------------------------------------------- */

static bool str_is(const rlxc_binding *call, const char *name, const char *value)
{
    const char *text = rlxc_attr_get_str(call, name, "");
    return strcmp(text, value) == 0 || (text[0] == '\0' && strcmp(name, "out_layout") == 0);
}

static bool all_ints(const rlxc_binding *call, const char *name, int64_t value)
{
    int64_t values[2 * RANK];
    uint32_t n;
    if (!rlxc_attr_get_ints(call, name, values, 2 * RANK, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (values[i] != value)
            return false;
    return true;
}

bool rlxc_wants_winograd(const rlxc_options *options, int64_t filtered, const rlxc_binding *call,
                         const rlxc_sinfo *x, const rlxc_sinfo *w, const rlxc_sinfo *y)
{
    int64_t size, in, out, bytes, tiles = 1;
    if (x->ndim != RANK)
        return false;
    for (uint32_t i = 2; i < RANK; i++) {
        if (!rlxc_is_const(w->dims[i], RLXC_WINOGRAD_FILTER))
            return false;
        if (rlxc_is_int(y->dims[i], &size))
            tiles = size / RLXC_WINOGRAD_OUT > WINOGRAD_TILES
                        ? WINOGRAD_TILES * tiles
                        : (size + RLXC_WINOGRAD_OUT - 1) / RLXC_WINOGRAD_OUT * tiles;
        else
            tiles *= WINOGRAD_TILES;
    }
    return tiles >= WINOGRAD_TILES && !options->no_winograd && rlxc_dtype_eq(x->dtype, RLX_F32) &&
           rlxc_dtype_eq(w->dtype, RLX_F32) && rlxc_dtype_eq(y->dtype, RLX_F32) &&
           all_ints(call, "strides", 1) && all_ints(call, "dilation", 1) &&
           rlxc_attr_get_int(call, "groups", 1) == 1 && rlxc_is_int(w->dims[1], &in) &&
           rlxc_is_int(w->dims[0], &out) && in >= WINOGRAD_CHANNELS && out >= WINOGRAD_CHANNELS &&
           !__builtin_mul_overflow(in * 4 * RLXC_WINOGRAD_IN * RLXC_WINOGRAD_IN, out, &bytes) &&
           bytes <= WINOGRAD_BYTES - filtered;
}

/* The weight (HWIO) as G g G', [6, 6, I, O]: in double, rounded once. */
static rlxc_atom filtered(conv_layout *c, rlxc_context *ctx, const rlxc_constant *w)
{
    enum { IN = RLXC_WINOGRAD_IN, FILTER = RLXC_WINOGRAD_FILTER };
    const int64_t shape[RANK] = {IN, IN, w->shape[2], w->shape[3]};
    const float *g = w->data;
    size_t n = (size_t)w->shape[2] * (size_t)w->shape[3];
    float *u = rlxc_try_alloc(ctx, n * IN * IN, sizeof *u);
    for (size_t i = 0; u && i < n; i++) {
        double half[IN][FILTER] = {{0}};
        for (uint32_t r = 0; r < IN * FILTER * FILTER; r++) {
            uint32_t row = r / (FILTER * FILTER), k = r / FILTER % FILTER, s = r % FILTER;
            half[row][s] +=
                rlxc_winograd_value(RLXC_WINOGRAD_G, row, k) * (double)g[(k * FILTER + s) * n + i];
        }
        for (uint32_t r = 0; r < IN * IN; r++) {
            double sum = 0;
            for (uint32_t k = 0; k < FILTER; k++)
                sum += half[r / IN][k] * rlxc_winograd_value(RLXC_WINOGRAD_G, r % IN, k);
            u[r * n + i] = (float)sum;
        }
    }
    c->filtered_bytes += (int64_t)(n * IN * IN * sizeof *u);
    return u ? rlxc_atom_constant(
                   rlxc_constant_new(ctx, w->dtype, RANK, shape, u, n * IN * IN * sizeof *u))
             : (rlxc_atom){0};
}

/* Results whose vectors are pixels, so that the channels stay where they are: one channel of a few,
 * and two or three, which are no vector. */
static bool makes_few_channels(const rlxc_sinfo *w)
{
    int64_t in, out;
    bool window = false;
    for (int32_t i = 2; i < w->ndim; i++)
        window = window || !rlxc_is_const(w->dims[i], 1);
    return window && rlxc_is_int(w->dims[0], &out) && rlxc_is_int(w->dims[1], &in) &&
           (out == 1 ? in < MANY_CHANNELS : out < FEW_CHANNELS && in > 1);
}

static rlxc_rewrite_action move_conv(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                     rlxc_atom *replacement)
{
    const rlxc_sinfo *x = tensor_of(b, call->args[0], 0), *y = call->var->sinfo;
    const uint32_t rank = x ? (uint32_t)x->ndim : RANK;
    const rlxc_sinfo *w = tensor_of(b, call->args[1], rank);
    const struct layout *layout = layout_of(rank);
    rlxc_atom args[2], twin;
    int64_t channels;
    if (!x || !w || !y->dims || call->args[1].kind != RLXC_ATOM_CONSTANT ||
        !str_is(call, "data_layout", layout->channels_second) ||
        !str_is(call, "kernel_layout", layout->weight) ||
        !str_is(call, "out_layout", layout->channels_second) || makes_few_channels(w))
        return RLXC_REWRITE_KEEP;
    rlxc_atom weight = permuted(b, call->args[1], rank, layout->weight_to_last);
    if (weight.kind != RLXC_ATOM_CONSTANT)
        return RLXC_REWRITE_KEEP;
    if (rlxc_wants_winograd(c->options, c->filtered_bytes, call, x, w, y)) {
        args[0] = twin_of(c, b, call->args[0], rank);
        args[1] = filtered(c, b->ctx, weight.constant);
        if (args[1].kind != RLXC_ATOM_CONSTANT)
            return RLXC_REWRITE_KEEP;
        const rlxc_attr *padding = rlxc_attrs_find(&call->attrs, "padding");
        rlxc_attrs attrs = attr(b, (rlxc_attrs){0}, "padding", *padding);
        twin = rlxc_emit_op(b, "nn.conv2d_winograd", args, 2, attrs, call->var->name);
        return replace(c, b, call, twin, replacement);
    }
    rlxc_attrs attrs =
        attr(b, call->attrs, "kernel_layout", rlxc_attr_string(b->ctx, layout->weight_last));
    attrs = attr(b, attrs, "out_layout", rlxc_attr_string(b->ctx, layout->channels_last));
    args[0] = call->args[0];
    args[1] = weight;
    bool few = rlxc_is_int(x->dims[1], &channels) && channels > 1 && channels <= FEW_CHANNELS;
    if (!few || has_twin(c, call->args[0], &twin)) {
        args[0] = twin_of(c, b, call->args[0], rank);
        attrs = attr(b, attrs, "data_layout", rlxc_attr_string(b->ctx, layout->channels_last));
    }
    twin = rlxc_emit_op(b, call->op->name, args, 2, attrs, call->var->name);
    return replace(c, b, call, twin, replacement);
}

/* Of integers, whose filter is laid out already. Few channels are read where they are. */
static rlxc_rewrite_action move_integer(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                        rlxc_atom *replacement)
{
    const rlxc_sinfo *x = tensor_of(b, call->args[0], RANK);
    rlxc_atom args[4], twin;
    int64_t channels;
    if (!x || !call->var->sinfo->dims || !str_is(call, "data_layout", "NCHW") ||
        !str_is(call, "out_layout", "NCHW"))
        return RLXC_REWRITE_KEEP;
    memcpy(args, call->args, sizeof args);
    rlxc_attrs attrs = attr(b, call->attrs, "out_layout", rlxc_attr_string(b->ctx, "NHWC"));
    bool few = rlxc_is_int(x->dims[1], &channels) && channels <= FEW_CHANNELS;
    if (!few || has_twin(c, args[0], &twin)) {
        args[0] = twin_of(c, b, args[0], RANK);
        attrs = attr(b, attrs, "data_layout", rlxc_attr_string(b->ctx, "NHWC"));
    }
    twin = rlxc_emit_op(b, call->op->name, args, 4, attrs, call->var->name);
    return replace(c, b, call, twin, replacement);
}

/* Transposed: one group, whose weight goes from IOHW to HWIO. */
static rlxc_rewrite_action move_transposed(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                           rlxc_atom *replacement)
{
    static const int64_t height_first[RANK] = {2, 3, 0, 1};
    rlxc_atom args[2];
    if (!tensor_of(b, call->args[0], RANK) || !tensor_of(b, call->args[1], RANK) ||
        !call->var->sinfo->dims || call->args[1].kind != RLXC_ATOM_CONSTANT ||
        !str_is(call, "data_layout", "NCHW") || !str_is(call, "kernel_layout", "IOHW") ||
        !str_is(call, "out_layout", "NCHW") || !all_ints(call, "dilation", 1) ||
        rlxc_attr_get_int(call, "groups", 1) != 1)
        return RLXC_REWRITE_KEEP;
    args[1] = permuted(b, call->args[1], RANK, height_first);
    if (args[1].kind != RLXC_ATOM_CONSTANT)
        return RLXC_REWRITE_KEEP;
    args[0] = twin_of(c, b, call->args[0], RANK);
    rlxc_attrs attrs = attr(b, call->attrs, "data_layout", rlxc_attr_string(b->ctx, "NHWC"));
    attrs = attr(b, attrs, "kernel_layout", rlxc_attr_string(b->ctx, "HWIO"));
    attrs = attr(b, attrs, "out_layout", rlxc_attr_string(b->ctx, "NHWC"));
    rlxc_atom twin = rlxc_emit_op(b, call->op->name, args, 2, attrs, call->var->name);
    return replace(c, b, call, twin, replacement);
}

/* --- operators that keep the layout they are given -------------------------------------------- */

static rlxc_rewrite_action move_pool(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                     rlxc_atom *replacement)
{
    const struct layout *layout = layout_of((uint32_t)call->var->sinfo->ndim);
    rlxc_atom twin;
    if (!str_is(call, "layout", layout->channels_second) ||
        !str_is(call, "out_layout", layout->channels_second) || !has_twin(c, call->args[0], &twin))
        return RLXC_REWRITE_KEEP;
    const rlxc_attr last = rlxc_attr_string(b->ctx, layout->channels_last);
    rlxc_attrs attrs = attr(b, call->attrs, "layout", last);
    attrs = attr(b, attrs, "out_layout", last);
    twin = rlxc_emit_op(b, call->op->name, &twin, 1, attrs, call->var->name);
    return replace(c, b, call, twin, replacement);
}

/* |a| as an operand beside twins: itself where it is a scalar, moved where it is a constant that
 * broadcasts, a tensor of the result's shape, or one number for each channel. */
static bool beside_twins(conv_layout *c, rlxc_builder *b, rlxc_atom a, const rlxc_sinfo *result,
                         rlxc_atom *out)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, a);
    if (!s || s->kind != RLXC_SINFO_TENSOR || !s->dims || s->ndim > result->ndim)
        return false;
    *out = a;
    if (s->ndim == 0 || has_twin(c, a, out))
        return true;
    bool same = s->ndim == result->ndim, by_channel = same;
    for (int32_t i = 0; i < s->ndim; i++) {
        same = same && s->dims[i] == result->dims[i];
        by_channel = by_channel && (i < 2 || rlxc_is_const(s->dims[i], 1));
    }
    if (a.kind != RLXC_ATOM_CONSTANT && !same && !by_channel)
        return false;
    *out = twin_of(c, b, a, (uint32_t)result->ndim);
    return out->kind != RLXC_ATOM_NONE;
}

static rlxc_rewrite_action move_elementwise(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                            uint32_t n, rlxc_atom *replacement)
{
    rlxc_atom args[RLXC_MAX_OP_INPUTS], twin;
    const rlxc_sinfo *result = call->var->sinfo;
    bool any = false;
    if (call->n_args > RLXC_MAX_OP_INPUTS || !is_movable(result))
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < call->n_args; i++) {
        args[i] = call->args[i];
        any = any || (i < n && has_twin(c, args[i], &twin));
    }
    if (!any)
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < n; i++)
        if (!beside_twins(c, b, call->args[i], result, &args[i]))
            return RLXC_REWRITE_KEEP;
    twin = rlxc_emit_op(b, call->op->name, args, call->n_args, call->attrs, call->var->name);
    return replace(c, b, call, twin, replacement);
}

/* Whether scale and zero point of R.quantize or R.dequantize are single. */
static bool has_scalars(const rlxc_builder *b, const rlxc_binding *call)
{
    for (uint32_t i = 1; i < 3; i++) {
        const rlxc_sinfo *s = rlxc_atom_sinfo(b->ctx, b->module, call->args[i]);
        if (!s || s->kind != RLXC_SINFO_TENSOR || s->ndim != 0)
            return false;
    }
    return true;
}

/* Reductions over the image, and slices of it at given rows or columns. */
static rlxc_rewrite_action move_reduction(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                          rlxc_atom *replacement)
{
    static const int64_t image[2] = {1, 2};
    const int64_t rank = tensor_of(b, call->args[0], 0)->ndim;
    rlxc_atom twin;
    int64_t axes[RANK], found = 0;
    uint32_t n;
    if (!rlxc_attr_get_ints(call, "axis", axes, RANK, &n) || n + 2 != (uint32_t)rank ||
        !has_twin(c, call->args[0], &twin))
        return RLXC_REWRITE_KEEP;
    for (uint32_t i = 0; i < n; i++)
        found |= (int64_t)1 << (axes[i] + (axes[i] < 0 ? rank : 0));
    if (found != (rank == RANK ? 1 << 2 | 1 << 3 : 1 << 2))
        return RLXC_REWRITE_KEEP;
    rlxc_attrs attrs = attr(b, call->attrs, "axis", rlxc_attr_ints(b->ctx, image, n));
    twin = rlxc_emit_op(b, call->op->name, &twin, 1, attrs, call->var->name);
    if (rlxc_attr_get_bool(call, "keepdims", false))
        return replace(c, b, call, twin, replacement);
    *replacement = twin; /* (n, c) in both layouts */
    return twin.kind == RLXC_ATOM_VAR ? RLXC_REWRITE_REPLACE : RLXC_REWRITE_KEEP;
}

static rlxc_rewrite_action move_take(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                     rlxc_atom *replacement)
{
    const rlxc_sinfo *indices = rlxc_atom_sinfo(b->ctx, b->module, call->args[1]);
    rlxc_atom args[2] = {{0}, call->args[1]};
    const int64_t rank = tensor_of(b, call->args[0], 0)->ndim;
    int64_t axis = rlxc_attr_get_int(call, "axis", rank);
    axis += axis < 0 ? rank : 0;
    if (axis < 2 || axis >= rank || !indices || indices->kind != RLXC_SINFO_TENSOR ||
        indices->ndim != 1 || !has_twin(c, call->args[0], &args[0]))
        return RLXC_REWRITE_KEEP;
    rlxc_attrs attrs = attr(b, call->attrs, "axis", rlxc_attr_int(axis - 1));
    rlxc_atom twin = rlxc_emit_op(b, call->op->name, args, 2, attrs, call->var->name);
    return replace(c, b, call, twin, replacement);
}

/* --- the walk --------------------------------------------------------------------------------- */

static rlxc_rewrite_action move(void *user, rlxc_builder *b, rlxc_binding *binding,
                                rlxc_atom *replacement)
{
    conv_layout *c = user;
    const rlxc_operator *op = binding->op;
    if (binding->form != RLXC_FORM_CALL || !op || !op->legalize)
        return RLXC_REWRITE_KEEP;
    if (strcmp(op->name, "nn.conv2d") == 0 || strcmp(op->name, "nn.conv1d") == 0)
        return move_conv(c, b, binding, replacement);
    if (strcmp(op->name, "nn.conv2d_integer") == 0)
        return move_integer(c, b, binding, replacement);
    if (strcmp(op->name, "nn.conv2d_transpose") == 0)
        return move_transposed(c, b, binding, replacement);
    if ((op->legalize == rlxc_legalize_pool || op->legalize == rlxc_legalize_adaptive_pool) &&
        tensor_of(b, binding->args[0], 0))
        return move_pool(c, b, binding, replacement);
    if ((op->legalize == rlxc_legalize_reduce || strcmp(op->name, "mean") == 0) &&
        tensor_of(b, binding->args[0], 0))
        return move_reduction(c, b, binding, replacement);
    if (op->legalize == rlxc_legalize_take && tensor_of(b, binding->args[0], 0))
        return move_take(c, b, binding, replacement);
    if (op->legalize == rlxc_legalize_unary || op->legalize == rlxc_legalize_clip ||
        op->legalize == rlxc_legalize_astype ||
        (op->legalize == rlxc_legalize_quantize && has_scalars(b, binding)))
        return move_elementwise(c, b, binding, 1, replacement);
    if (op->legalize == rlxc_legalize_binary)
        return move_elementwise(c, b, binding, 2, replacement);
    return RLXC_REWRITE_KEEP;
}

/* Twins do not outlive the block that binds them. */
static void forget(void *user, rlxc_builder *b)
{
    conv_layout *c = user;
    (void)b;
    c->twins = (rlxc_map){0};
}

bool rlxc_pass_conv_layout(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    conv_layout c = {.options = options};
    const rlxc_rewrite_pass pass = {
        .user = &c, .binding = move, .block_begin = forget, .block_end = forget};
    rlxc_rewrite_module(ctx, module, &pass);
    return !rlxc_failed(ctx);
}

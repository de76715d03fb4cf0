/* Pass conv_layout: moves convolutions, poolings and resizing to channels-last layouts.
 *
 *   lv = R.nn.conv2d(x, w)  in NCHW     x1 = R.permute_dims(x, [0, 2, 3, 1])
 *   y = R.nn.relu(lv)                   w1 = R.permute_dims(w, [2, 3, 1, 0])
 *                                       t1 = R.nn.conv2d(x1, w1)  in NHWC, HWIO
 *                                       t2 = R.nn.relu(t1)
 *                                       y = R.permute_dims(t2, [0, 3, 1, 2])
 *
 * With the channels last a convolution is a matrix product whose columns are the output channels:
 * contiguous in the weight and in the result, whatever the size of the image. Each value that the
 * pass has moved has a twin, the same tensor with its channels last (layout_map.h); further
 * convolutions, poolings and all operators that keep an order of dimensions (propagate_layout.c)
 * read the twins of their arguments. The value itself is the twin transposed back, which dce drops
 * if nothing reads it, so layout changes between the operators cancel. Only convolutions with a
 * constant weight are moved; their weights are laid out here, and the old ones are not kept. Images
 * of several channels that are sampled or interpolated are moved, too.
 *
 * 3x3 convolutions of stride 1 with enough channels become products of minimal filtering
 * (compiler/ops/winograd_stages.h) from level 2 on, unless the options say no. Their weights take
 * four times the memory, eight times if the convolution is of 16-bit floats, so convolutions are
 * taken in order, those with few channels and large images first, until the module has reached its
 * growth limit. A small module may grow more if such weights are most of its constants, as they
 * then decide its speed.
 */
#include "compiler/ir/constant.h"
#include "compiler/ir/device.h"
#include "compiler/ir/lifted.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/kernels/matmul/tile_plan.h"
#include "compiler/ops/op_infer.h"
#include "compiler/ops/winograd_stages.h"
#include "compiler/passes/layout_map.h"
#include "compiler/passes/passes.h"

#include <string.h>

enum {
    RANK = 4,                    /* of an image */
    LEAST_RANK = 3,              /* of a sequence */
    MOST_RANK = 5,               /* of a volume */
    MANY_CHANNELS = 64,          /* enough for a vectorised sum along them */
    FEW_CHANNELS = 4,            /* read in place: transposing them would cost more than it saves */
    DEPTHWISE_CHANNELS = 8,      /* fewer: pixels of a channel fill vectors better */
    SAMPLED_CHANNELS = 8,        /* fewer: gathered points are faster than short vectors */
    WINOGRAD_CHANNELS = 16,      /* fewer: the transforms cost more than the products save */
    WINOGRAD_GROUP = 8,          /* the same for a group: its plain sums are slower */
    WINOGRAD_TILES = 8,          /* fewer: reading the larger weight costs what the products save */
    WINOGRAD_SHARE = 42,         /* percent of the constants by which transformed weights, ... */
    WINOGRAD_CODE = 64 << 10,    /* ... these bytes of code, compressed, ... */
    WINOGRAD_OP_CODE = 66,       /* ... and these per operator may enlarge the file */
    WINOGRAD_SMALL = 1280 << 10, /* bytes that the constants of a small module may grow to whose
                                  * weights are mostly those that are transformed */
    WINOGRAD_MOST = 128 << 20    /* bytes at -O3, which prefers speed to size */
};

typedef struct conv_layout {
    const rlxc_options *options;
    rlxc_map constants; /* seen */
    rlxc_map laid_out;  /* weight -> the same with its channels last */
    rlxc_map filtered;  /* weight -> the same for minimal filtering */
    int64_t bytes;      /* of the constants, ... */
    int64_t filterable; /* ... of the weights among them that minimal filtering could transform */
    int64_t padding;    /* that panels of weights (pack_constants.c) will add to them */
    int64_t ops;
    int64_t room;          /* remaining growth for transformed weights, in bytes */
    rlxc_layout_map twins; /* of values in NCHW: the same tensors in NHWC */
} conv_layout;

/* --- layouts -----------------------------------------------------------------------------------
 */

/* Names and orders, indexed by the number of dimensions minus LEAST_RANK. */
static const struct layout {
    const char *channels_second, *channels_last, *weight, *weight_last;
    int64_t to_last[MOST_RANK], weight_to_last[MOST_RANK];
} layouts[] = {
    {"NCW", "NWC", "OIW", "WIO", {0, 2, 1}, {2, 1, 0}},
    {"NCHW", "NHWC", "OIHW", "HWIO", {0, 2, 3, 1}, {2, 3, 1, 0}},
    {"NCDHW", "NDHWC", "OIDHW", "DHWIO", {0, 2, 3, 4, 1}, {2, 3, 4, 1, 0}},
};

static const struct layout *layout_of(uint32_t rank)
{
    return &layouts[rank - LEAST_RANK];
}

/* The type of |atom| if it is a tensor of |rank| dimensions (0: any rank that has a layout), else
 * NULL. */
static const rlxc_sinfo *tensor_of(const rlxc_builder *b, rlxc_atom a, uint32_t rank)
{
    const rlxc_sinfo *s = rlxc_movable(b, a, rank);
    return s && s->ndim >= LEAST_RANK && s->ndim <= MOST_RANK ? s : NULL;
}

static rlxc_attrs attr(rlxc_builder *b, rlxc_attrs attrs, const char *name, rlxc_attr value)
{
    return rlxc_attrs_with(b->ctx, attrs, rlxc_intern_cstr(b->ctx, name), value);
}

static rlxc_atom channels_last(conv_layout *c, rlxc_builder *b, rlxc_atom x, uint32_t rank)
{
    return rlxc_layout_map_in(&c->twins, b, x, rank, layout_of(rank)->to_last);
}

/* Replaces the binding's value by |last|, the tensor with its channels last. */
static rlxc_rewrite_action replace(conv_layout *c, rlxc_builder *b, const rlxc_binding *old,
                                   rlxc_atom last, rlxc_atom *replacement)
{
    const uint32_t rank = (uint32_t)old->var->sinfo->ndim;
    return rlxc_layout_map_replace(&c->twins, b, old, last, layout_of(rank)->to_last, replacement);
}

/* --- convolutions ---------------------------------------------------------------------------- */

static bool str_is(const rlxc_binding *call, const char *name, const char *value)
{
    const char *text = rlxc_attr_get_str(call, name, "");
    return strcmp(text, value) == 0 || (text[0] == '\0' && strcmp(name, "out_layout") == 0);
}

static bool all_ints(const rlxc_binding *call, const char *name, int64_t value)
{
    int64_t values[2 * MOST_RANK];
    uint32_t n;
    if (!rlxc_attr_get_ints(call, name, values, 2 * MOST_RANK, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (values[i] != value)
            return false;
    return true;
}

static bool is_filterable(rlx_dtype t)
{
    return rlxc_dtype_eq(t, RLX_F32) || rlxc_dtype_eq(t, RLX_F16) || rlxc_dtype_eq(t, RLX_BF16);
}

/* Whether minimal filtering is cheaper than the sum of products |call|, channels second, of |x| and
 * |w| giving |y|: 3x3, stride 1, floats of 16 or 32 bits, enough channels on both sides of each
 * group, and an image of more than a tile. Its weight reduces the remaining growth, c->room, unless
 * it is |made|. */
static bool wants_winograd(conv_layout *c, const rlxc_binding *call, const rlxc_sinfo *x,
                           const rlxc_sinfo *w, const rlxc_sinfo *y, bool made)
{
    enum {
        IN = RLXC_WINOGRAD_IN * RLXC_WINOGRAD_IN,
        FILTER = RLXC_WINOGRAD_FILTER * RLXC_WINOGRAD_FILTER
    };
    int64_t size, in, out, bytes, tiles = 1;
    const int64_t groups = rlxc_attr_get_int(call, "groups", 1);
    const int64_t least = groups > 1 ? WINOGRAD_GROUP : WINOGRAD_CHANNELS;
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
    const bool wants =
        tiles >= WINOGRAD_TILES && !c->options->no_winograd && is_filterable(x->dtype) &&
        rlxc_dtype_eq(w->dtype, x->dtype) && rlxc_dtype_eq(y->dtype, x->dtype) &&
        all_ints(call, "strides", 1) && all_ints(call, "dilation", 1) &&
        rlxc_is_int(w->dims[1], &in) && rlxc_is_int(w->dims[0], &out) && in >= least &&
        out / groups >= least &&
        !__builtin_mul_overflow(in * (IN * 4 - FILTER * (int64_t)rlx_dtype_size(w->dtype)),
                                rlxc_tile_panel_columns(c->options, RLX_F32, out / groups) * groups,
                                &bytes) &&
        (made || bytes <= c->room);
    c->room -= wants && !made ? bytes : 0;
    return wants;
}

/* The lifted weight |w| (HWIO) as G (G g)', of doubles, as operators. */
static const rlxc_constant *filtering(rlxc_context *ctx, const rlxc_constant *w)
{
    enum { IN = RLXC_WINOGRAD_IN, FILTER = RLXC_WINOGRAD_FILTER };
    const int64_t n = w->shape[2] * w->shape[3];
    const int64_t matrix[2] = {IN, FILTER}, rows[2] = {FILTER, FILTER * n}, half[2] = {IN, rows[1]};
    const int64_t split[3] = {IN, FILTER, n}, both[3] = {IN, IN, n};
    double *data = rlxc_alloc(ctx, IN * FILTER * sizeof *data);
    for (uint32_t i = 0; i < IN * FILTER; i++)
        data[i] = rlxc_winograd_value(RLXC_WINOGRAD_G, i / FILTER, i % FILTER);
    const rlxc_atom g = rlxc_atom_constant(
        rlxc_constant_new(ctx, RLX_F64, 2, matrix, data, IN * FILTER * sizeof *data));
    const rlxc_constant *flat =
        rlxc_constant_reshaped(ctx, rlxc_constant_cast(ctx, w, RLX_F64), 2, rows);
    rlxc_atom args[2] = {g, rlxc_atom_constant(flat)};
    flat = rlxc_constant_call(ctx, "matmul", args, 2, (rlxc_attrs){0}, RLX_F64, 2, half);
    args[1] = rlxc_atom_constant(rlxc_constant_reshaped(ctx, flat, 3, split));
    return rlxc_constant_call(ctx, "matmul", args, 2, (rlxc_attrs){0}, RLX_F64, 3, both);
}

/* The weight (HWIO) as G g G', [6, 6, I, O] of float32: in double, rounded once. */
static rlxc_atom filtered(rlxc_context *ctx, const rlxc_constant *w)
{
    enum { IN = RLXC_WINOGRAD_IN, FILTER = RLXC_WINOGRAD_FILTER };
    const int64_t shape[RANK] = {IN, IN, w->shape[2], w->shape[3]};
    size_t n = (size_t)w->shape[2] * (size_t)w->shape[3];
    float *u = rlxc_try_alloc_unset(ctx, n * IN * IN, sizeof *u);
    for (size_t i = 0; u && i < n; i++) {
        double g[FILTER * FILTER], half[IN][FILTER] = {{0}};
        for (size_t k = 0; k < FILTER * FILTER; k++)
            g[k] = rlxc_constant_double(w, k * n + i);
        for (uint32_t r = 0; r < IN * FILTER * FILTER; r++) {
            uint32_t row = r / (FILTER * FILTER), k = r / FILTER % FILTER, s = r % FILTER;
            half[row][s] += rlxc_winograd_value(RLXC_WINOGRAD_G, row, k) * g[k * FILTER + s];
        }
        for (uint32_t r = 0; r < IN * IN; r++) {
            double sum = 0;
            for (uint32_t k = 0; k < FILTER; k++)
                sum += half[r / IN][k] * rlxc_winograd_value(RLXC_WINOGRAD_G, r % IN, k);
            u[r * n + i] = (float)sum;
        }
    }
    if (!u)
        return (rlxc_atom){0};
    rlxc_constant *made = rlxc_constant_new(ctx, RLX_F32, RANK, shape, u, n * IN * IN * sizeof *u);
    if (w->lifted)
        rlxc_constant_state(ctx, made, filtering(ctx, w));
    return rlxc_atom_constant(made);
}

static rlxc_atom cast(rlxc_builder *b, rlxc_atom x, rlx_dtype dtype, const rlxc_binding *call)
{
    const rlxc_attrs to = attr(b, (rlxc_attrs){0}, "dtype", rlxc_attr_dtype(dtype));
    return rlxc_emit_op(b, "astype", &x, 1, to, call->var->name);
}

/* The convolution |call| of |x|, channels last, by minimal filtering with the weight |u|: in
 * float32, as transforms in 16 bits would lose digits. */
static rlxc_atom filter(rlxc_builder *b, const rlxc_binding *call, rlxc_atom x, rlxc_atom u)
{
    const rlx_dtype dtype = call->var->sinfo->dtype;
    const bool casts = !rlxc_dtype_eq(dtype, RLX_F32);
    const rlxc_atom args[2] = {casts ? cast(b, x, RLX_F32, call) : x, u};
    const rlxc_attr *groups = rlxc_attrs_find(&call->attrs, "groups");
    rlxc_attrs attrs =
        attr(b, (rlxc_attrs){0}, "padding", *rlxc_attrs_find(&call->attrs, "padding"));
    if (groups)
        attrs = attr(b, attrs, "groups", *groups);
    const rlxc_atom y = rlxc_emit_op(b, "nn.conv2d_winograd", args, 2, attrs, call->var->name);
    return casts ? cast(b, y, dtype, call) : y;
}

/* True for results vectorised over pixels, so that the channels stay in place: one channel out of a
 * few, or two or three channels, too few for a vector; of each group, if pixels of a row are next
 * to each other in its window. */
static bool makes_few_channels(const rlxc_binding *call, const rlxc_sinfo *w)
{
    int64_t in, out;
    const int64_t groups = rlxc_attr_get_int(call, "groups", 1);
    bool window = false;
    for (int32_t i = 2; i < w->ndim; i++)
        window = window || !rlxc_is_const(w->dims[i], 1);
    if (!rlxc_is_int(w->dims[0], &out) || !rlxc_is_int(w->dims[1], &in))
        return false;
    if (groups > 1)
        return out / groups < FEW_CHANNELS && in > 1 && all_ints(call, "strides", 1);
    return window && (out == 1 ? in < MANY_CHANNELS : out < FEW_CHANNELS && in > 1);
}

static void keep(rlxc_context *ctx, rlxc_map *map, const rlxc_constant *from,
                 const rlxc_constant *to)
{
    rlxc_map_set(ctx, map, rlxc_key(from), (void *)(uintptr_t)to);
}

/* The constant |w| with its channels last, the same one for all convolutions with it; NULL: there
 * is no memory for it. */
static const rlxc_constant *weight_last(conv_layout *c, rlxc_builder *b, rlxc_atom w, uint32_t rank)
{
    const rlxc_constant *known = rlxc_map_get(&c->laid_out, rlxc_key(w.constant));
    if (known && known->ndim == rank)
        return known;
    const rlxc_atom last = rlxc_permuted(b, w, rank, layout_of(rank)->weight_to_last);
    if (last.kind != RLXC_ATOM_CONSTANT)
        return NULL;
    keep(b->ctx, &c->laid_out, w.constant, last.constant);
    return last.constant;
}

static bool is_conv(const rlxc_binding *binding)
{
    return binding->form == RLXC_FORM_CALL && binding->op &&
           binding->op->legalize == rlxc_legalize_conv;
}

/* Whether the convolution |call| is moved; its operands' types. */
static bool is_movable(const rlxc_builder *b, const rlxc_binding *call, const rlxc_sinfo **out_x,
                       const rlxc_sinfo **out_w)
{
    const rlxc_sinfo *x = *out_x = tensor_of(b, call->args[0], 0);
    const uint32_t rank = x ? (uint32_t)x->ndim : RANK;
    const rlxc_sinfo *w = *out_w = tensor_of(b, call->args[1], rank);
    const struct layout *layout = layout_of(rank);
    return x && w && call->var->sinfo->dims && call->args[1].kind == RLXC_ATOM_CONSTANT &&
           str_is(call, "data_layout", layout->channels_second) &&
           str_is(call, "kernel_layout", layout->weight) &&
           str_is(call, "out_layout", layout->channels_second) && !makes_few_channels(call, w);
}

static rlxc_rewrite_action move_conv(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                     rlxc_atom *replacement)
{
    const rlxc_sinfo *x, *w, *y = call->var->sinfo;
    rlxc_atom args[2], twin;
    int64_t channels;
    if (!is_movable(b, call, &x, &w))
        return RLXC_REWRITE_KEEP;
    const bool moved = rlxc_layout_map_find(&c->twins, call->args[0]);
    if (!moved && rlxc_attr_get_int(call, "groups", 1) > 1 && rlxc_is_const(w->dims[1], 1) &&
        rlxc_is_int(w->dims[0], &channels) && channels < DEPTHWISE_CHANNELS)
        return RLXC_REWRITE_KEEP;
    const uint32_t rank = (uint32_t)x->ndim;
    const struct layout *layout = layout_of(rank);
    const rlxc_constant *weight = weight_last(c, b, call->args[1], rank);
    if (!weight)
        return RLXC_REWRITE_KEEP;
    const rlxc_constant *made = rlxc_map_get(&c->filtered, rlxc_key(weight));
    if (wants_winograd(c, call, x, w, y, made != NULL)) {
        args[0] = channels_last(c, b, call->args[0], rank);
        args[1] = made ? rlxc_atom_constant(made) : filtered(b->ctx, weight);
        if (args[1].kind != RLXC_ATOM_CONSTANT)
            return RLXC_REWRITE_KEEP;
        keep(b->ctx, &c->filtered, weight, args[1].constant);
        twin = filter(b, call, args[0], args[1]);
        return replace(c, b, call, twin, replacement);
    }
    rlxc_attrs attrs =
        attr(b, call->attrs, "kernel_layout", rlxc_attr_string(b->ctx, layout->weight_last));
    attrs = attr(b, attrs, "out_layout", rlxc_attr_string(b->ctx, layout->channels_last));
    args[0] = call->args[0];
    args[1] = rlxc_atom_constant(weight);
    bool few = rlxc_is_int(x->dims[1], &channels) && channels > 1 && channels <= FEW_CHANNELS;
    if (!few || moved) {
        args[0] = channels_last(c, b, call->args[0], rank);
        attrs = attr(b, attrs, "data_layout", rlxc_attr_string(b->ctx, layout->channels_last));
    }
    twin = rlxc_emit_op(b, call->op->name, args, 2, attrs, call->var->name);
    return replace(c, b, call, twin, replacement);
}

/* Integer convolutions have their filter laid out already. Few channels are read in place. */
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
    if (!few || rlxc_layout_map_find(&c->twins, args[0])) {
        args[0] = channels_last(c, b, args[0], RANK);
        attrs = attr(b, attrs, "data_layout", rlxc_attr_string(b->ctx, "NHWC"));
    }
    twin = rlxc_emit_op(b, call->op->name, args, 4, attrs, call->var->name);
    return replace(c, b, call, twin, replacement);
}

/* True if a point of the result reads computed places, the same ones in all channels: with the
 * channels last these are vectors. */
static bool samples(const rlxc_binding *call)
{
    const char *method = rlxc_attr_get_str(call, "method", "");
    return strcmp(call->op->name, "image.grid_sample") == 0 ||
           (strncmp(call->op->name, "image.resize", 12) == 0 &&
            strcmp(method, "nearest_neighbor") != 0);
}

/* Operators with a layout attribute: poolings and resizing follow an image that has moved; what
 * samples many channels moves its image. */
static rlxc_rewrite_action move_named(conv_layout *c, rlxc_builder *b, rlxc_binding *call,
                                      rlxc_atom *replacement)
{
    const rlxc_sinfo *x = tensor_of(b, call->args[0], 0);
    const rlxc_layout_entry *twin = rlxc_layout_map_find(&c->twins, call->args[0]);
    int64_t channels;
    if (!x || !call->var->sinfo->dims)
        return RLXC_REWRITE_KEEP;
    const bool many = rlxc_is_int(x->dims[1], &channels) && channels >= SAMPLED_CHANNELS;
    if ((!twin || twin->found) && !(many && samples(call)))
        return RLXC_REWRITE_KEEP;
    const struct layout *layout = layout_of((uint32_t)x->ndim);
    if (!str_is(call, "layout", layout->channels_second) ||
        !str_is(call, "out_layout", layout->channels_second))
        return RLXC_REWRITE_KEEP;
    const rlxc_attr last = rlxc_attr_string(b->ctx, layout->channels_last);
    rlxc_attrs attrs = attr(b, call->attrs, "layout", last);
    if (rlxc_attrs_find(&attrs, "out_layout"))
        attrs = attr(b, attrs, "out_layout", last);
    rlxc_atom args[RLXC_MAX_OP_INPUTS];
    memcpy(args, call->args, call->n_args * sizeof *args);
    args[0] = channels_last(c, b, call->args[0], (uint32_t)x->ndim);
    rlxc_atom moved = rlxc_emit_op(b, call->op->name, args, call->n_args, attrs, call->var->name);
    return replace(c, b, call, moved, replacement);
}

/* --- the walk --------------------------------------------------------------------------------- */

static rlxc_rewrite_action move(void *user, rlxc_builder *b, rlxc_binding *binding,
                                rlxc_atom *replacement)
{
    conv_layout *c = user;
    const rlxc_operator *op = binding->form == RLXC_FORM_CALL ? binding->op : NULL;
    if (rlxc_sinfo_device(b->module, binding->var->sinfo)) /* layouts and filters are the CPU's */
        return RLXC_REWRITE_KEEP;
    if (is_conv(binding))
        return move_conv(c, b, binding, replacement);
    if (op && strcmp(op->name, "nn.conv2d_integer") == 0)
        return move_integer(c, b, binding, replacement);
    if (op && (op->flags & RLXC_OP_LAYOUT))
        return move_named(c, b, binding, replacement);
    return rlxc_propagate_layout(&c->twins, b, binding, replacement);
}

/* Twins do not outlive the block that binds them. */
static void forget(void *user, rlxc_builder *b)
{
    conv_layout *c = user;
    (void)b;
    c->twins = (rlxc_layout_map){0};
}

/* The bytes that panels add to those of the weight |w|. */
static int64_t padding_of(const conv_layout *c, const rlxc_sinfo *w, int64_t bytes)
{
    int64_t out;
    if (!rlxc_is_int(w->dims[0], &out) || out < 1)
        return 0;
    return bytes / out * (rlxc_tile_panel_columns(c->options, w->dtype, out) - out);
}

/* Counts the constants' bytes, and in c->filterable those of weights for minimal filtering. */
static rlxc_rewrite_action count_constants(void *user, rlxc_builder *b, rlxc_binding *binding,
                                           rlxc_atom *replacement)
{
    conv_layout *c = user;
    const rlxc_sinfo *x, *w;
    (void)replacement;
    c->ops++;
    if (is_conv(binding) && is_movable(b, binding, &x, &w) &&
        !rlxc_map_get(&c->constants, rlxc_key(binding->args[1].constant))) {
        const int64_t bytes = (int64_t)binding->args[1].constant->nbytes;
        if (wants_winograd(c, binding, x, w, binding->var->sinfo, true))
            c->filterable += bytes;
        if (rlxc_attr_get_int(binding, "groups", 1) == 1)
            c->padding += padding_of(c, w, bytes);
    }
    for (uint32_t i = 0; i < binding->n_args; i++) {
        const rlxc_atom a = binding->args[i];
        if (a.kind != RLXC_ATOM_CONSTANT || rlxc_map_get(&c->constants, rlxc_key(a.constant)))
            continue;
        rlxc_map_set(b->ctx, &c->constants, rlxc_key(a.constant), (void *)(uintptr_t)a.constant);
        c->bytes += (int64_t)a.constant->nbytes;
    }
    return RLXC_REWRITE_KEEP;
}

/* Bytes that transformed weights may add to the module. */
static int64_t growth_limit(const conv_layout *c)
{
    const int64_t code = WINOGRAD_CODE + WINOGRAD_OP_CODE * c->ops;
    const int64_t share = c->bytes / 100 * WINOGRAD_SHARE - code - c->padding;
    const int64_t small = c->filterable >= c->bytes / 4 * 3 ? WINOGRAD_SMALL - c->bytes : 0;
    if (c->options->opt_level <= 1) /* minimal filtering takes long to compile */
        return 0;
    return c->options->opt_level >= 3 ? WINOGRAD_MOST : share > small ? share : small;
}

bool rlxc_pass_conv_layout(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options)
{
    conv_layout c = {.options = options};
    if (options->target == rlxc_target_c()) /* channels last is for our own vectors */
        return true;
    if (!rlxc_pass_dce(ctx, module, options)) /* weights that were folded do not count */
        return false;
    rlxc_rewrite_module(ctx, module,
                        &(const rlxc_rewrite_pass){.user = &c, .binding = count_constants});
    c.room = growth_limit(&c);
    const rlxc_rewrite_pass pass = {
        .user = &c, .binding = move, .block_begin = forget, .block_end = forget};
    rlxc_rewrite_module(ctx, module, &pass);
    return !rlxc_failed(ctx);
}

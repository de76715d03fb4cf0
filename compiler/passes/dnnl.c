/* Code generator "dnnl": convolutions of float32 images, with a bias, a sum and an activation, by
 * oneDNN.
 *
 *   y = activation(nn.conv2d(x, w) + bias + sum)
 *
 * in the layouts NCHW and OIHW, with any strides, padding, dilation and groups; the batch and the
 * sizes of images may be symbols. include/rlx/loaders.h states the section. */
#include <string.h>

#include "compiler/analysis/alias.h"
#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/libraries.h"
#include "rlx/loaders.h"

/* --- patterns --------------------------------------------------------------------------------- */

#define CONV "(nn.conv2d x w)"
#define ROW(suffix, text)                                                                   \
    {                                                                                       \
        .name = "dnnl.conv" suffix, .pattern = text, .lift_constants = true, .alone = true, \
        .check = is_convolution,                                                            \
    }
#define ROWS(suffix, before, after)                                        \
    ROW("_bias_sum" suffix, before "(add (add " CONV " bias) sum)" after), \
        ROW("_bias" suffix, before "(add " CONV " bias)" after),           \
        ROW("_sum" suffix, before "(add " CONV " sum)" after), ROW("" suffix, before CONV after)

static bool is_convolution(void *user, rlxc_context *ctx, const rlxc_match *match);

/* Larger patterns come first. */
static const rlxc_fusion fusions[] = {
#define RLX_ACTIVATION(number, name, op) ROWS("_" #name, "(" op " ", ")"),
#include "rlx/activations.def"
    ROWS("", "", "")};

/* Attribute |key|, one number for all or |n| of them, as |n| words. */
static bool sizes(const rlxc_binding *b, const char *key, uint32_t n, uint32_t *out)
{
    enum { MOST = 4 };
    int64_t values[MOST];
    uint32_t count = 0;
    if (!rlxc_attr_get_ints(b, key, values, MOST, &count) ||
        (count != 1 && count != n && !(n == 4 && count == 2)))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t value = values[i % count];
        if (value < 0 || value > INT16_MAX)
            return false;
        out[i] = (uint32_t)value;
    }
    return true;
}

/* What the attributes of the convolution |b| say. */
static bool read_attrs(const rlxc_binding *b, rlx_dnnl_row *row)
{
    uint32_t padding[4];
    const int64_t groups = rlxc_attr_get_int(b, "groups", 1);
    const char *out = rlxc_attr_get_str(b, "out_layout", "");
    if (strcmp(rlxc_attr_get_str(b, "data_layout", ""), "NCHW") != 0 ||
        strcmp(rlxc_attr_get_str(b, "kernel_layout", ""), "OIHW") != 0 ||
        (out[0] != 0 && strcmp(out, "NCHW") != 0) || groups < 1 || groups > INT32_MAX ||
        !sizes(b, "strides", 2, row->strides) || !sizes(b, "dilation", 2, row->dilation) ||
        !sizes(b, "padding", 4, padding))
        return false;
    row->groups = (uint32_t)groups;
    for (int i = 0; i < 2; i++) {
        row->before[i] = padding[i];
        row->after[i] = padding[2 + i];
    }
    return true;
}

/* The type of a bias: all dimensions are 1 but that of the channels. */
static bool is_bias(rlxc_context *ctx, rlxc_atom atom, const rlxc_sinfo *y)
{
    const rlxc_sinfo *s = rlxc_library_tensor(ctx, atom, 4);
    int64_t size = 0;
    if (!s)
        return false;
    for (uint32_t i = 0; i < 4; i++)
        if (i == 1 ? !rlxc_prove_eq(ctx, s->dims[i], y->dims[i], NULL)
                   : !rlxc_is_int(s->dims[i], &size) || size != 1)
            return false;
    return true;
}

static bool is_sum(rlxc_context *ctx, rlxc_atom atom, const rlxc_sinfo *y)
{
    const rlxc_sinfo *s = rlxc_library_tensor(ctx, atom, 4);
    for (uint32_t i = 0; s && i < 4; i++)
        if (!rlxc_prove_eq(ctx, s->dims[i], y->dims[i], NULL))
            return false;
    return s != NULL;
}

/* rlxc_fusion.check */
static bool is_convolution(void *user, rlxc_context *ctx, const rlxc_match *match)
{
    const rlxc_binding *conv = rlxc_library_inside(match, "nn.conv2d");
    const rlxc_atom bias = rlxc_match_atom(match, "bias"), sum = rlxc_match_atom(match, "sum");
    rlx_dnnl_row row;
    (void)user;
    if (!conv || conv->n_args < 2 || !rlxc_library_tensor(ctx, conv->args[0], 4) ||
        !rlxc_library_tensor(ctx, rlxc_atom_var(conv->var), 4) || !read_attrs(conv, &row))
        return false;
    const rlxc_sinfo *w = rlxc_library_tensor(ctx, conv->args[1], 4);
    for (uint32_t i = 0; w && i < 4; i++) {
        int64_t size;
        if (!rlxc_is_int(w->dims[i], &size) || size < 1)
            return false;
    }
    return w && (bias.kind == RLXC_ATOM_NONE || is_bias(ctx, bias, conv->var->sinfo)) &&
           (sum.kind == RLXC_ATOM_NONE || is_sum(ctx, sum, conv->var->sinfo));
}

/* --- the section ------------------------------------------------------------------------------ */

/* rlxc_library_rows.prepare */
static void prepare(void *row)
{
    rlx_dnnl_row *c = row;
    c->x = c->w = c->bias = c->sum = RLX_NO_OPERAND;
}

static bool read_conv(rlx_dnnl_row *c, const rlxc_library_reading *r, const rlxc_binding *b)
{
    c->x = rlxc_library_operand(r, b->args[0]);
    c->w = rlxc_library_operand(r, b->args[1]);
    return !r->last && c->x != RLX_NO_OPERAND && c->w != RLX_NO_OPERAND && read_attrs(b, c);
}

static bool read_add(rlx_dnnl_row *c, const rlxc_library_reading *r, const rlxc_binding *b)
{
    const bool second = rlxc_library_is_last(r, b->args[0]);
    const rlxc_atom other = b->args[second];
    const uint32_t operand = rlxc_library_operand(r, other);
    if (!r->last || c->activation || operand == RLX_NO_OPERAND ||
        (!second && !rlxc_library_is_last(r, b->args[1])))
        return false;
    const bool bias = c->bias == RLX_NO_OPERAND && c->sum == RLX_NO_OPERAND &&
                      is_bias(r->ctx, other, r->last->sinfo);
    if (bias)
        c->bias = operand;
    else if (c->sum == RLX_NO_OPERAND && is_sum(r->ctx, other, r->last->sinfo))
        c->sum = operand;
    else
        return false;
    return true;
}

/* rlxc_library_rows.read */
static bool read_binding(void *row, rlxc_library_reading *r, const rlxc_binding *b)
{
    rlx_dnnl_row *c = row;
    const bool ok = rlxc_is_op(b, "nn.conv2d") ? read_conv(c, r, b)
                    : rlxc_is_op(b, "add")     ? read_add(c, r, b)
                                               : rlxc_library_activation(r, b, &c->activation);
    r->last = b->var;
    return ok;
}

/* rlxc_generator.emit */
static bool emit(void *user, rlxc_context *ctx, rlxc_module *module, const rlxc_taken *taken,
                 uint32_t n, rlxc_section *out)
{
    static const rlxc_library_rows rows = {.what =
                                               "convolution with a bias, a sum and an activation",
                                           .bytes = sizeof(rlx_dnnl_row),
                                           .n_words = sizeof(rlx_dnnl_row) / 4,
                                           .prepare = prepare,
                                           .read = read_binding};
    (void)user;
    (void)module;
    return rlxc_library_write(ctx, &rows, taken, n, out);
}

const rlxc_library rlxc_dnnl = {
    .doc = "convolutions of float32 images with a bias, a sum and an activation, by oneDNN",
    .fusions = fusions,
    .n_fusions = sizeof fusions / sizeof *fusions,
    .generator = {.name = "dnnl", .emit = emit}};

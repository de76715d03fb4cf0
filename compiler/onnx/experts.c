/* Mixtures of experts of com.microsoft: MoE, and QMoE, whose weights are integers of few bits.
 *
 * Every expert computes every token, and each token adds up the results of those that its router
 * chose: shapes do not depend on the choice. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/attention.h"
#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/quantize.h"

typedef struct experts {
    rlx_dtype t;               /* to compute in */
    rlxc_atom x;               /* (tokens, inputs) */
    rlxc_atom weight[3];       /* of FC1, FC2, FC3: (experts, outputs, inputs); kind NONE: none */
    rlxc_atom bias[3];         /* (experts, outputs) */
    rlxc_atom chosen, mixture; /* by token and expert: scores for the choice; weights of the
                                * mixture, kind NONE: the scores */
    bool always_normal;        /* weights of the mixture sum to 1, regardless of the attribute */
} experts;

/* (experts, tokens, outputs) of |x|, where |x| may lack the experts. */
static rlxc_atom connected(rlxc_ox *im, const experts *e, rlxc_atom x, uint32_t i)
{
    static const int64_t turn[3] = {0, 2, 1}, middle[1] = {1};
    rlxc_atom y = rlxc_ox_op2(im, "matmul", x, rlxc_ox_transpose(im, e->weight[i], turn, 3));
    if (e->bias[i].kind == RLXC_ATOM_NONE)
        return y;
    return rlxc_ox_op2(im, "add", y, rlxc_ox_expand_dims(im, e->bias[i], middle, 1));
}

/* The gate and its factor: two layers, or the halves of one, or its interleaved elements. */
static rlxc_atom gated(rlxc_ox *im, const experts *e, rlxc_atom h)
{
    const int64_t fusion = rlxc_ox_int(im, "swiglu_fusion", 0);
    const double limit = rlxc_ox_float(im, "swiglu_limit", (double)INFINITY);
    const rlxc_expr *all = rlxc_ox_dim(im, h, 2), *zero = rlxc_ox_i(im, 0), *one = rlxc_ox_i(im, 1);
    const rlxc_expr *half = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, all, rlxc_ox_i(im, 2));
    rlxc_atom g = h, l;
    if (fusion < 0 || fusion > 2 || (fusion == 0) != (e->weight[2].kind != RLXC_ATOM_NONE)) {
        rlxc_ox_fail(im, "swiglu_fusion is %lld, %s fc3_experts_weights", (long long)fusion,
                     fusion == 0 ? "without" : "with");
        return h;
    }
    if (fusion == 0) {
        l = connected(im, e, e->x, 2);
    } else {
        g = rlxc_ox_slice(im, h, 2, zero, fusion == 1 ? all : half, fusion == 1 ? 2 : 1);
        l = rlxc_ox_slice(im, h, 2, fusion == 1 ? one : half, all, fusion == 1 ? 2 : 1);
    }
    if (isfinite(limit)) {
        rlxc_atom top = rlxc_ox_number(im, e->t, limit), low = rlxc_ox_number(im, e->t, -limit);
        g = rlxc_ox_op2(im, "minimum", g, top);
        l = rlxc_ox_op2(im, "maximum", rlxc_ox_op2(im, "minimum", l, top), low);
    }
    l = rlxc_ox_op2(im, "add", l,
                    rlxc_ox_number(im, e->t, rlxc_ox_float(im, "activation_beta", 0)));
    g = rlxc_ox_swish(im, g, rlxc_ox_float(im, "activation_alpha", 1));
    return rlxc_ox_op2(im, "multiply", g, l);
}

static rlxc_atom activated(rlxc_ox *im, const experts *e, rlxc_atom h)
{
    /* gelu by tanh, as in ONNX Runtime */
    static const struct {
        const char *name, *op;
    } rows[] = {{"relu", "nn.relu"}, {"gelu", "nn.gelu_tanh"}, {"silu", "nn.silu"}};
    const char *name = rlxc_ox_str(im, "activation_type", "relu");
    if (strcmp(name, "swiglu") == 0)
        return gated(im, e, h);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            h = rlxc_ox_op1(im, rows[i].op, h);
    if (e->weight[2].kind != RLXC_ATOM_NONE)
        h = rlxc_ox_op2(im, "multiply", h, connected(im, e, e->x, 2));
    return h;
}

/* Each expert's weight for each token, 0 if it is not chosen: (tokens, experts). */
static rlxc_atom shares(rlxc_ox *im, const experts *e)
{
    const int64_t k = rlxc_ox_int(im, "k", 1), last[1] = {1};
    const bool raw = e->mixture.kind != RLXC_ATOM_NONE;
    const bool normal =
        (!raw && e->always_normal) || rlxc_ox_int(im, "normalize_routing_weights", 0) != 0;
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    const rlxc_attrs axis = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 1);
    rlxc_atom p = rlxc_ox_op0(im, "nn.softmax", e->chosen, axis);
    rlxc_ox_dims(im, p, dims);
    rlxc_ox_check_number(im, rlxc_ox_i(im, k), rlxc_ox_i(im, 1), dims[1], "k");
    rlxc_attrs attrs = rlxc_ox_with(im, axis, "ret_type", rlxc_attr_string(im->ctx, "indices"));
    attrs = rlxc_ox_with(im, attrs, "dtype", rlxc_attr_dtype(RLX_I64));
    const rlxc_atom ranked[2] = {p, rlxc_atom_prim(rlxc_ox_i(im, k))};
    const rlxc_atom best = rlxc_ox_opv(im, "topk", ranked, 2, attrs);
    const rlxc_atom from[2] = {raw ? e->mixture : p, best};
    rlxc_atom share = rlxc_ox_opv(im, "gather_elements", from, 2, axis);
    if (normal)
        share = rlxc_ox_op2(im, "divide", share, rlxc_ox_reduce(im, "sum", share, last, 1, true));
    const rlxc_atom to[3] = {rlxc_ox_full(im, e->t, 0, dims, 2), best, share};
    return rlxc_ox_opv(im, "scatter_elements", to, 3, axis);
}

/* The outputs of the experts, mixed by token; they have the shape of input 0. */
static void mix(rlxc_ox *im, experts *e)
{
    static const int64_t turn[2] = {1, 0}, last[1] = {2}, first[1] = {0};
    const rlxc_expr *dims[RLXC_MAX_NDIM], *flat[2];
    const rlxc_atom x = rlxc_ox_in(im, 0);
    const rlx_dtype given = rlxc_ox_type(im, x);
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    if (rlxc_ox_int(im, "use_sparse_mixer", 0) != 0)
        rlxc_ox_fail(im, "use_sparse_mixer is not supported");
    if (ndim != 2 && ndim != 3)
        rlxc_ox_fail(im, "input 0 has %u dimensions, expected 2 or 3", ndim);
    for (uint32_t i = 0; i < 3; i++)
        if (e->weight[i].kind != RLXC_ATOM_NONE && rlxc_ox_ndim(im, e->weight[i]) != 3)
            rlxc_ox_fail(im, "the weights of layer %u have %u dimensions, expected 3", i + 1,
                         rlxc_ox_ndim(im, e->weight[i]));
    if (!rlxc_ox_good(im))
        return;
    rlxc_ox_dims(im, x, dims);
    flat[0] = rlxc_product(im->ctx, dims, ndim - 1);
    flat[1] = dims[ndim - 1];
    e->x = rlxc_ox_reshape(im, rlxc_ox_cast(im, x, e->t), flat, 2);
    flat[1] = rlxc_ox_dim(im, e->weight[0], 0);
    e->chosen = rlxc_ox_state_dims(im, e->chosen, flat, 1u << 0 | 1u << 1);
    rlxc_atom y = connected(im, e, activated(im, e, connected(im, e, e->x, 0)), 1);
    rlxc_atom share =
        rlxc_ox_expand_dims(im, rlxc_ox_transpose(im, shares(im, e), turn, 2), last, 1);
    rlxc_atom none = rlxc_ox_number(im, e->t, 0);
    /* the output of an expert that is not chosen is ignored, even NaN */
    y = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "not_equal", share, none),
                    rlxc_ox_op2(im, "multiply", y, share), none);
    y = rlxc_ox_reduce(im, "sum", y, first, 1, false);
    rlxc_ox_set(im, 0, rlxc_ox_cast(im, rlxc_ox_reshape(im, y, dims, ndim), given));
}

static experts begin(rlxc_ox *im)
{
    const rlx_dtype t = rlxc_ox_type(im, rlxc_ox_in(im, 0));
    experts e = {.t = rlxc_ox_wide(t)};
    e.chosen = rlxc_ox_cast(im, rlxc_ox_in(im, 1), e.t);
    return e;
}

static rlxc_atom optional(rlxc_ox *im, const experts *e, uint32_t i)
{
    return rlxc_ox_has(im, i) ? rlxc_ox_cast(im, rlxc_ox_in(im, i), e->t) : (rlxc_atom){0};
}

void rlxc_ox_import_moe(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    experts e = begin(im);
    for (uint32_t i = 0; i < 3; i++) {
        e.weight[i] = optional(im, &e, 2 + 2 * i);
        e.bias[i] = optional(im, &e, 3 + 2 * i);
    }
    mix(im, &e);
}

/* --- integers --------------------------------------------------------------------------------- */

/* Input |i| holds numbers of |bits| bits; the first |size| of each row, or all. */
static rlxc_atom numbers_of(rlxc_ox *im, uint32_t i, int64_t bits, const rlxc_expr *size)
{
    rlxc_atom x = rlxc_ox_in(im, i);
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    if (!rlxc_dtype_eq(rlxc_ox_type(im, x), RLX_U8) || (ndim != 2 && ndim != 3)) {
        rlxc_ox_fail(im, "input %u is not a stack of uint8 matrices", i);
        return x;
    }
    x = bits < 8 ? rlxc_ox_unpacked(im, x, bits) : x;
    if (size && !rlxc_prove_eq(im->ctx, rlxc_ox_dim(im, x, ndim - 1), size, NULL))
        x = rlxc_ox_slice(im, x, ndim - 1, rlxc_ox_i(im, 0), size, 1);
    return x;
}

/* A scale or a zero point for each row, or each block of a row, of |w|. */
static rlxc_atom of_rows(rlxc_ox *im, rlxc_atom p, rlxc_atom w, int64_t block)
{
    static const int64_t last[1] = {2};
    if (rlxc_ox_ndim(im, p) == 3 && block > 0)
        return rlxc_ox_blocks(im, p, w, 2, block);
    return rlxc_ox_ndim(im, p) == 2 ? rlxc_ox_expand_dims(im, p, last, 1) : p;
}

/* The weights of layer |layer| (0 to 2), whose numbers are input |i|, scales the next one. */
static rlxc_atom weights_of(rlxc_ox *im, const experts *e, uint32_t layer, int64_t block)
{
    static const char *const names[3] = {"fc1_expert_weight_bits", "fc2_expert_weight_bits",
                                         "fc3_expert_weight_bits"};
    const int64_t bits = rlxc_ox_int(im, names[layer], rlxc_ox_int(im, "expert_weight_bits", 4));
    const uint32_t i = 2 + 3 * layer, zeros = 11 + layer;
    if (!rlxc_ox_has(im, i))
        return (rlxc_atom){0};
    if ((bits != 2 && bits != 4 && bits != 8) || !rlxc_ox_has(im, i + 1)) {
        rlxc_ox_fail(im, "weights of %lld bits %s scales", (long long)bits,
                     rlxc_ox_has(im, i + 1) ? "with" : "without");
        return (rlxc_atom){0};
    }
    rlxc_atom w = numbers_of(im, i, bits, NULL), scale = rlxc_ox_in(im, i + 1);
    rlxc_atom zero = rlxc_ox_number(im, RLX_U8, (double)(1 << (bits - 1)));
    const uint32_t ndim = rlxc_ox_ndim(im, scale);
    if (!rlxc_ox_good(im) || rlxc_ox_ndim(im, w) != 3 || (ndim != 2 && ndim != 3)) {
        rlxc_ox_fail(im, "weights or scales of layer %u have the wrong rank", layer + 1);
        return (rlxc_atom){0};
    }
    if (rlxc_ox_has(im, zeros))
        zero = of_rows(im, numbers_of(im, zeros, bits, rlxc_ox_dim(im, scale, ndim - 1)), w, block);
    scale = of_rows(im, rlxc_ox_cast(im, scale, RLX_F32), w, block);
    return rlxc_ox_cast(im, rlxc_ox_dequantized(im, w, scale, zero), e->t);
}

void rlxc_ox_import_qmoe(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    enum { MIXTURE = 14, FURTHER };
    experts e = begin(im);
    e.always_normal = true;
    const int64_t block = rlxc_ox_int(im, "block_size", 0);
    if (!rlxc_ox_is(im, "quant_type", "int", "int"))
        rlxc_ox_fail(im, "quant_type '%s' is not supported", rlxc_ox_str(im, "quant_type", "int"));
    if (rlxc_ox_int(im, "weights_prepacked", 0) > 0)
        rlxc_ox_fail(im, "this weight layout is not supported");
    if (block < 0 || block > 1 << 20)
        rlxc_ox_fail(im, "block_size is %lld", (long long)block);
    for (uint32_t i = FURTHER; i < rlxc_ox_n_inputs(im); i++)
        if (rlxc_ox_has(im, i))
            rlxc_ox_fail(im, "input %u is not supported", i);
    for (uint32_t i = 0; i < 3 && rlxc_ox_good(im); i++) {
        e.weight[i] = weights_of(im, &e, i, block);
        e.bias[i] = optional(im, &e, 4 + 3 * i);
    }
    e.mixture = optional(im, &e, MIXTURE);
    if (rlxc_ox_good(im))
        mix(im, &e);
}

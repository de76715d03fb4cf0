/* Operators of com.microsoft that combine a standard one with its predecessor or successor:
 * products of transposed operands, convolutions and products with an activation, activations of
 * sums. */
#include <string.h>

#include "compiler/onnx/attention.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/standard.h"

/* --- activations ------------------------------------------------------------------------------ */

/* alpha, beta and gamma, as far as they are given. */
typedef struct numbers {
    bool given[3];
    float value[3];
} numbers;

static double number_or(const numbers *v, uint32_t i, double otherwise)
{
    return v->given[i] ? (double)v->value[i] : otherwise;
}

/* The standard operator |op| of |x| with |v| for its attributes. */
static rlxc_atom with_numbers(rlxc_ox *im, const char *op, rlxc_atom x, const numbers *v)
{
    static const char *const names[3] = {"alpha", "beta", "gamma"};
    Onnx__AttributeProto made[3], *attributes[3];
    Onnx__NodeProto like;
    rlxc_atom y;
    onnx__node_proto__init(&like);
    like.attribute = attributes;
    for (uint32_t i = 0; i < 3; i++) {
        if (!v->given[i])
            continue;
        onnx__attribute_proto__init(&made[i]);
        made[i].name = (char *)(uintptr_t)names[i];
        made[i].has_f = true;
        made[i].f = v->value[i];
        attributes[like.n_attribute++] = &made[i];
    }
    rlxc_ox_standard_outputs(im, op, &like, &x, 1, &y, 1);
    return y;
}

static rlxc_atom clipped(rlxc_ox *im, rlxc_atom x, const numbers *v)
{
    const rlx_dtype t = rlxc_ox_type(im, x);
    if (v->given[0])
        x = rlxc_ox_op2(im, "maximum", x, rlxc_ox_number(im, t, (double)v->value[0]));
    if (v->given[1])
        x = rlxc_ox_op2(im, "minimum", x, rlxc_ox_number(im, t, (double)v->value[1]));
    return x;
}

static rlxc_atom activated(rlxc_ox *im, rlxc_atom x, const char *name, const numbers *v)
{
    /* standard operators of one input, whose attributes are v */
    static const char *const plain[] = {
        "Relu",      "Sigmoid", "Tanh",        "Softplus",  "Softsign",
        "LeakyRelu", "Elu",     "HardSigmoid", "HardSwish", "ThresholdedRelu",
        "Celu",      "Selu",    "Gelu",        "Mish"};
    if (strcmp(name, "") == 0)
        return x;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(plain[i], name) == 0)
            return with_numbers(im, name, x, v);
    if (strcmp(name, "Clip") == 0)
        return clipped(im, x, v);
    if (strcmp(name, "QuickGelu") == 0)
        return rlxc_ox_swish(im, x, number_or(v, 0, 1.702));
    if (strcmp(name, "ParametricSoftplus") == 0) {
        const rlx_dtype t = rlxc_ox_type(im, x);
        x = rlxc_ox_op2(im, "multiply", x, rlxc_ox_number(im, t, number_or(v, 1, 1)));
        return rlxc_ox_op2(im, "multiply", rlxc_ox_op1(im, "nn.softplus", x),
                           rlxc_ox_number(im, t, number_or(v, 0, 1)));
    }
    return rlxc_ox_activation(im, name, x, number_or(v, 0, 1),
                              number_or(v, 1, strcmp(name, "Affine") == 0 ? 0 : 1));
}

rlxc_atom rlxc_ox_fused_activation(rlxc_ox *im, rlxc_atom x)
{
    const Onnx__AttributeProto *a = rlxc_ox_attr(im, "activation_params");
    numbers v = {{false}, {0}};
    const size_t n = a ? a->n_floats : 0;
    if (n > 2)
        rlxc_ox_fail(im, "activation_params has %zu numbers, at most 2 are supported", n);
    for (size_t i = 0; i < n && i < 2; i++) {
        v.given[i] = true;
        v.value[i] = a->floats[i];
    }
    return activated(im, x, rlxc_ox_str(im, "activation", ""), &v);
}

/* By the attributes activation, activation_alpha, activation_beta and activation_gamma. */
static rlxc_atom activated_by_names(rlxc_ox *im, rlxc_atom x)
{
    static const char *const names[3] = {"activation_alpha", "activation_beta", "activation_gamma"};
    const char *name = rlxc_ox_str(im, "activation", "");
    numbers v = {{false}, {0}};
    for (uint32_t i = 0; i < 3; i++) {
        v.given[i] = rlxc_ox_attr(im, names[i]) != NULL;
        v.value[i] = (float)rlxc_ox_float(im, names[i], 0);
    }
    if (strcmp(name, "Softmax") != 0)
        return activated(im, x, name, &v);
    rlxc_attrs attrs =
        rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", rlxc_ox_int(im, "activation_axis", -1));
    return rlxc_ox_op0(im, "nn.softmax", x, attrs);
}

/* --- products --------------------------------------------------------------------------------- */

/* Operand |i|: if |batched|, its first dimension moves to the last but one; then, if |turned|, its
 * last two dimensions are swapped. A vector stays as it is. */
static rlxc_atom operand(rlxc_ox *im, uint32_t i, const char *turned, const char *batched)
{
    rlxc_atom x = rlxc_ox_in(im, i);
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    int64_t axes[RLXC_MAX_NDIM];
    if (ndim < 2)
        return x;
    for (uint32_t k = 0; k < ndim; k++)
        axes[k] = k;
    if (rlxc_ox_int(im, batched, 0) != 0) {
        for (uint32_t k = 0; k + 2 < ndim; k++)
            axes[k] = k + 1;
        axes[ndim - 2] = 0;
    }
    if (rlxc_ox_int(im, turned, 0) != 0) {
        const int64_t last = axes[ndim - 1];
        axes[ndim - 1] = axes[ndim - 2];
        axes[ndim - 2] = last;
    }
    return rlxc_ox_transpose(im, x, axes, ndim);
}

/* FusedMatMul, and with |row->arg| an activation after it. */
void rlxc_ox_import_fused_matmul(rlxc_ox *im, const rlxc_ox_row *row)
{
    const rlxc_atom in[2] = {operand(im, 0, "transA", "transBatchA"),
                             operand(im, 1, "transB", "transBatchB")};
    const double alpha = rlxc_ox_float(im, "alpha", 1);
    rlxc_atom y = rlxc_ox_standard(im, "MatMul", in, 2);
    if (alpha != 1)
        y = rlxc_ox_op2(im, "multiply", y, rlxc_ox_number(im, rlxc_ox_type(im, y), alpha));
    rlxc_ox_set(im, 0, row->arg ? activated_by_names(im, y) : y);
}

void rlxc_ox_import_fused_gemm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom in[3] = {rlxc_ox_in(im, 0), rlxc_ox_in(im, 1), rlxc_ox_optional_in(im, 2)};
    rlxc_ox_set(im, 0, activated_by_names(im, rlxc_ox_standard(im, "Gemm", in, 3)));
}

/* x w + bias, then gelu by tanh. */
void rlxc_ox_import_gemm_fast_gelu(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom in[2] = {rlxc_ox_in(im, 0), rlxc_ox_in(im, 1)};
    rlxc_atom y = rlxc_ox_standard(im, "MatMul", in, 2);
    if (rlxc_ox_has(im, 2))
        y = rlxc_ox_sum(im, y, rlxc_ox_in(im, 2));
    rlxc_ox_set(im, 0, rlxc_ox_op1(im, "nn.gelu_tanh", y));
}

/* A convolution, a sum with a tensor of the result's shape, an activation. */
void rlxc_ox_import_fused_conv(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom in[3] = {rlxc_ox_in(im, 0), rlxc_ox_in(im, 1), rlxc_ox_optional_in(im, 2)};
    rlxc_atom y = rlxc_ox_standard(im, "Conv", in, 3);
    if (rlxc_ox_has(im, 3))
        y = rlxc_ox_sum(im, y, rlxc_ox_in(im, 3));
    rlxc_ox_set(im, 0, rlxc_ox_fused_activation(im, y));
}

/* --- sums and activations --------------------------------------------------------------------- */

/* |row->arg|, gelu or gelu by tanh, of input 0, or of its sum with input 1 if that is given. */
void rlxc_ox_import_biased_gelu(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom x = rlxc_ox_in(im, 0);
    if (rlxc_ox_has(im, 1))
        x = rlxc_ox_sum(im, x, rlxc_ox_in(im, 1));
    rlxc_ox_set(im, 0, rlxc_ox_op1(im, row->arg, x));
}

void rlxc_ox_import_quick_gelu(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_ox_set(im, 0, rlxc_ox_swish(im, rlxc_ox_in(im, 0), rlxc_ox_float(im, "alpha", 1.702)));
}

/* The first half of the last dimension of a sum, times gelu of the second. */
void rlxc_ox_import_bias_split_gelu(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_sum(im, rlxc_ox_in(im, 0), rlxc_ox_in(im, 1)), half[2];
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    if (ndim < 1) {
        rlxc_ox_fail(im, "input 0 is a scalar");
        return;
    }
    const rlxc_expr *all = rlxc_ox_dim(im, x, ndim - 1);
    const rlxc_expr *bounds[3] = {rlxc_ox_i(im, 0),
                                  rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, all, rlxc_ox_i(im, 2)), all};
    for (uint32_t i = 0; i < 2; i++)
        half[i] = rlxc_ox_slice(im, x, ndim - 1, bounds[i], bounds[i + 1], 1);
    rlxc_ox_set(im, 0, rlxc_ox_op2(im, "multiply", half[0], rlxc_ox_op1(im, "nn.gelu", half[1])));
}

/* The sum of two inputs, and of a third if given. */
void rlxc_ox_import_bias_add(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom y = rlxc_ox_sum(im, rlxc_ox_in(im, 0), rlxc_ox_in(im, 1));
    if (rlxc_ox_has(im, 2))
        y = rlxc_ox_sum(im, y, rlxc_ox_in(im, 2));
    rlxc_ox_set(im, 0, y);
}

/* Softmax of a sum; all dimensions from |axis| on are one. */
void rlxc_ox_import_bias_softmax(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const int64_t opset = im->opset;
    const rlxc_atom x = rlxc_ox_sum(im, rlxc_ox_in(im, 0), rlxc_ox_in(im, 1));
    im->opset = 11; /* the last of such a Softmax */
    rlxc_ox_set(im, 0, rlxc_ox_standard(im, "Softmax", &x, 1));
    im->opset = opset;
}

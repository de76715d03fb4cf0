/* Operators of com.microsoft for language models whose residual stream has several branches
 * (hyper-connections), and norms and gates of such models: all in float32 if their inputs are
 * narrower.
 *
 * Streams are (..., branches, size), or with attribute num_branches (..., branches * size). */
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/norm.h"

enum { NO_INPUT = UINT32_MAX };

static rlxc_atom wide_in(rlxc_ox *im, uint32_t i)
{
    return rlxc_ox_cast(im, rlxc_ox_in(im, i), RLX_F32);
}

/* Output |i| is |y|, in the type of input 0. */
static void set_as_given(rlxc_ox *im, uint32_t i, rlxc_atom y)
{
    rlxc_ox_set(im, i, rlxc_ox_cast(im, y, rlxc_ox_type(im, rlxc_ox_in(im, 0))));
}

/* |x| with its last dimension split into parts of |size|, or into |n| parts if that is above 0. */
static rlxc_atom parted(rlxc_ox *im, rlxc_atom x, int64_t n, const rlxc_expr *size)
{
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const rlxc_expr *dims[RLXC_MAX_NDIM], *count = rlxc_ox_i(im, n);
    if (ndim < 1 || ndim + 1 > RLXC_MAX_NDIM) {
        rlxc_ox_fail(im, "an input has %u dimensions, expected 1 to %d", ndim, RLXC_MAX_NDIM - 1);
        return x;
    }
    rlxc_ox_dims(im, x, dims);
    if (n > 0)
        size = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, dims[ndim - 1], count);
    else
        count = rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, dims[ndim - 1], size);
    dims[ndim - 1] = count;
    dims[ndim] = size;
    return rlxc_ox_reshape(im, x, dims, ndim + 1);
}

/* Input 0 as (..., branches, size). */
static rlxc_atom streams(rlxc_ox *im)
{
    const int64_t n = rlxc_ox_int(im, "num_branches", 0);
    const rlxc_atom x = wide_in(im, 0);
    if (n < 0 || n > INT32_MAX)
        rlxc_ox_fail(im, "num_branches is %lld", (long long)n);
    if (rlxc_ox_ndim(im, x) < (n > 0 ? 1u : 2u))
        rlxc_ox_fail(im, "input 0 has %u dimensions", rlxc_ox_ndim(im, x));
    return n > 0 && rlxc_ox_good(im) ? parted(im, x, n, NULL) : x;
}

/* |y| in the shape of input 0. */
static rlxc_atom as_input(rlxc_ox *im, rlxc_atom y)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    const rlxc_atom x = rlxc_ox_in(im, 0);
    rlxc_ox_dims(im, x, dims);
    return rlxc_ox_reshape(im, y, dims, rlxc_ox_ndim(im, x));
}

/* Input |i|, gates of |x|: one for each branch, or for each element, flat where |x| was. */
static rlxc_atom gates(rlxc_ox *im, uint32_t i, rlxc_atom x)
{
    const rlxc_atom g = wide_in(im, i);
    const uint32_t ndim = rlxc_ox_ndim(im, x), have = rlxc_ox_ndim(im, g);
    const int64_t last[1] = {have};
    const int64_t n = rlxc_ox_int(im, "num_branches", 0);
    if (have == ndim || !rlxc_ox_good(im))
        return g;
    if (have + 1 != ndim) {
        rlxc_ox_fail(im, "input %u has %u dimensions, expected %u or %u", i, have, ndim - 1, ndim);
        return g;
    }
    /* as many gates as branches: one for each */
    if (n > 0 && !rlxc_prove_eq(im->ctx, rlxc_ox_dim(im, g, have - 1), rlxc_ox_i(im, n), NULL))
        return parted(im, g, n, NULL);
    return rlxc_ox_expand_dims(im, g, last, 1);
}

/* The branches times their gates, added up. */
void rlxc_ox_import_branches_to_one(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom x = streams(im);
    if (!rlxc_ox_good(im))
        return;
    const int64_t branch[1] = {(int64_t)rlxc_ox_ndim(im, x) - 2};
    rlxc_atom y = rlxc_ox_op2(im, "multiply", x, gates(im, 1, x));
    y = rlxc_ox_reduce(im, "sum", y, branch, 1, false);
    const double by = rlxc_ox_float(im, "reduction_scale", 1);
    set_as_given(im, 0, rlxc_ox_op2(im, "multiply", y, rlxc_ox_number(im, RLX_F32, by)));
}

/* The branches mixed by a matrix, and to each the gated output of a block. */
void rlxc_ox_import_one_to_branches(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = streams(im), block = wide_in(im, 1);
    int64_t turn[RLXC_MAX_NDIM];
    if (!rlxc_ox_good(im))
        return;
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    const int64_t branch[1] = {(int64_t)ndim - 2};
    if (rlxc_ox_ndim(im, block) + 1 != ndim) {
        rlxc_ox_fail(im, "block_output has %u dimensions, expected %u", rlxc_ox_ndim(im, block),
                     ndim - 1);
        return;
    }
    rlxc_atom gate = gates(im, 2, x);
    if (rlxc_ox_has(im, 3)) { /* (..., from, to) */
        const rlxc_atom mix = wide_in(im, 3);
        if (rlxc_ox_ndim(im, mix) != ndim) {
            rlxc_ox_fail(im, "stream_mix has %u dimensions, expected %u", rlxc_ox_ndim(im, mix),
                         ndim);
            return;
        }
        for (uint32_t i = 0; i < ndim; i++)
            turn[i] = i + 2 < ndim ? i : i + 2 == ndim ? ndim - 1 : ndim - 2;
        x = rlxc_ox_op2(im, "matmul", rlxc_ox_transpose(im, mix, turn, ndim), x);
    }
    block = rlxc_ox_op2(im, "multiply", gate, rlxc_ox_expand_dims(im, block, branch, 1));
    set_as_given(im, 0, as_input(im, rlxc_ox_op2(im, "add", x, block)));
}

/* --- norms and gates -------------------------------------------------------------------------- */

/* |x| over the root of its mean square along the last dimension, times input |scale|. */
static rlxc_atom normal(rlxc_ox *im, rlxc_atom x, uint32_t scale)
{
    const rlxc_atom by =
        rlxc_ox_has(im, scale) ? wide_in(im, scale) : rlxc_ox_number(im, RLX_F32, 1);
    return rlxc_ox_rms_norm(im, x, by, -1, rlxc_ox_float(im, "epsilon", 1e-5));
}

/* Normalises each branch by itself; there is a scale for all elements, or for those of each branch.
 */
void rlxc_ox_import_branch_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom x = streams(im);
    if (!rlxc_ox_good(im))
        return;
    rlxc_atom y = normal(im, x, NO_INPUT), scale;
    if (rlxc_ox_has(im, 1)) {
        scale = wide_in(im, 1);
        if (rlxc_ox_ndim(im, scale) == 1) /* as one branch, or as all */
            scale = parted(im, scale, 0, rlxc_ox_dim(im, x, rlxc_ox_ndim(im, x) - 1));
        y = rlxc_ox_op2(im, "multiply", y, scale);
    }
    set_as_given(im, 0, as_input(im, y));
}

/* Normalises groups of as many elements as the scale has, then multiplies by an activation of a
 * gate. */
void rlxc_ox_import_gated_norm(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    const rlxc_atom scale = rlxc_ox_in(im, 1);
    if (rlxc_ox_ndim(im, scale) != 1) {
        rlxc_ox_fail(im, "the scale has %u dimensions, expected 1", rlxc_ox_ndim(im, scale));
        return;
    }
    const rlxc_atom x = parted(im, wide_in(im, 0), 0, rlxc_ox_dim(im, scale, 0));
    if (!rlxc_ox_good(im))
        return;
    const bool sigmoid = rlxc_ox_is(im, "activation", "silu", "sigmoid");
    const rlxc_atom gate = rlxc_ox_op1(im, sigmoid ? "sigmoid" : "nn.silu", wide_in(im, 2));
    set_as_given(im, 0, rlxc_ox_op2(im, "multiply", as_input(im, normal(im, x, 1)), gate));
}

/* decay_scale softplus(a + dt_bias), and sigmoid(b). */
void rlxc_ox_import_linear_attention_gate(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom y = rlxc_ox_op2(im, "add", wide_in(im, 0), wide_in(im, 1));
    y = rlxc_ox_op2(im, "multiply", rlxc_ox_op1(im, "nn.softplus", y), wide_in(im, 2));
    set_as_given(im, 0, y);
    if (rlxc_ox_wants(im, 1) && !rlxc_ox_has(im, 3))
        rlxc_ox_fail(im, "output 1 needs input 3");
    else if (rlxc_ox_wants(im, 1))
        set_as_given(im, 1, rlxc_ox_op1(im, "sigmoid", wide_in(im, 3)));
}

/* A value times a gate for each branch: the sigmoid of the signed root of the similarity of its key
 * and its query. */
void rlxc_ox_import_engram_gate(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    enum { KEY, QUERY, VALUE, KEY_SCALE, QUERY_SCALE, RESULT_SCALE };
    const rlxc_atom key = wide_in(im, KEY), value = wide_in(im, VALUE);
    if (rlxc_ox_ndim(im, key) != 4 || rlxc_ox_ndim(im, value) != 3) {
        rlxc_ox_fail(im, "expected keys of 4 dimensions and values of 3");
        return;
    }
    const int64_t last[1] = {3}, branch[1] = {2};
    rlxc_atom dot = rlxc_ox_op2(im, "multiply", normal(im, key, KEY_SCALE),
                                normal(im, wide_in(im, QUERY), QUERY_SCALE));
    dot = rlxc_ox_reduce(im, "sum", dot, last, 1, true);
    const rlxc_atom size = rlxc_ox_scalar(im, rlxc_ox_dim(im, key, 3), RLX_F32);
    dot = rlxc_ox_op2(im, "divide", dot, rlxc_ox_op1(im, "sqrt", size));
    rlxc_atom root =
        rlxc_ox_op2(im, "maximum", rlxc_ox_op1(im, "abs", dot), rlxc_ox_number(im, RLX_F32, 1e-6));
    root = rlxc_ox_op2(im, "multiply", rlxc_ox_op1(im, "sign", dot), rlxc_ox_op1(im, "sqrt", root));
    const rlxc_atom y = rlxc_ox_op2(im, "multiply", rlxc_ox_op1(im, "sigmoid", root),
                                    rlxc_ox_expand_dims(im, value, branch, 1));
    set_as_given(im, 0, y);
    if (rlxc_ox_wants(im, 1) && !rlxc_ox_has(im, RESULT_SCALE))
        rlxc_ox_fail(im, "output 1 needs input 5");
    else if (rlxc_ox_wants(im, 1))
        set_as_given(im, 1, normal(im, y, RESULT_SCALE));
}

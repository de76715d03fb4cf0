/* Transformers: attention with its masks and caches, rotary embeddings, caches written in place,
 * root-mean-square normalisation, gated units.
 *
 * Attention is R.nn.attention_as_stored: caches and shared heads are read where they are. If the
 * scores are a result, or are processed further, it is emitted as the two products and the softmax
 * between them, in float32 if the tensors are narrower; query heads that share a key head get a
 * dimension of their own, so that keys and values are not repeated. A fully masked row of scores
 * gives zeros. */
#include <math.h>
#include <string.h>

#include "compiler/onnx/attention.h"
#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/window.h"
#include "compiler/ops/compose.h"

/* --- attention -------------------------------------------------------------------------------- */

enum { QUERY, KEY, VALUE, MASK, PAST_KEY, PAST_VALUE, LENGTHS };

typedef struct attention {
    rlxc_atom q, k, v;                               /* (batch, heads, length, size) */
    const rlxc_expr *batch, *heads, *shared, *group; /* query heads = key heads * group */
    const rlxc_expr *queries, *keys;
    rlx_dtype t; /* scores */
    bool is_flat;
} attention;

/* (batch, length, heads * size) as (batch, heads, length, size). */
static rlxc_atom in_heads(rlxc_ox *im, rlxc_atom x, int64_t heads)
{
    static const int64_t swap[4] = {0, 2, 1, 3};
    if (heads < 1) {
        rlxc_ox_fail(im, "inputs of three dimensions need q_num_heads and kv_num_heads");
        return x;
    }
    const rlxc_expr *n = rlxc_ox_i(im, heads);
    const rlxc_expr *dims[4] = {rlxc_ox_dim(im, x, 0), rlxc_ox_dim(im, x, 1), n,
                                rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, rlxc_ox_dim(im, x, 2), n)};
    return rlxc_ox_transpose(im, rlxc_ox_reshape(im, x, dims, 4), swap, 4);
}

/* Inputs as heads, caches joined; sets the outputs that show the caches. */
static bool read_attention(rlxc_ox *im, attention *a)
{
    int64_t heads = rlxc_ox_int(im, "q_num_heads", 0), shared = rlxc_ox_int(im, "kv_num_heads", 0);
    rlxc_atom *const to[3] = {&a->q, &a->k, &a->v};
    for (uint32_t i = 0; i < 3; i++) {
        rlxc_atom x = rlxc_ox_in(im, i);
        uint32_t ndim = rlxc_ox_ndim(im, x);
        if (ndim != 3 && ndim != 4)
            rlxc_ox_fail(im, "input %u has %u dimensions, expected 3 or 4", i, ndim);
        a->is_flat = ndim == 3;
        *to[i] = a->is_flat ? in_heads(im, x, i ? shared : heads) : x;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (rlxc_ox_has(im, PAST_KEY + i)) {
            const rlxc_atom parts[2] = {rlxc_ox_in(im, PAST_KEY + i), *to[1 + i]};
            *to[1 + i] = rlxc_ox_concat(im, parts, 2, 2);
        }
        rlxc_ox_set(im, 1 + i, *to[1 + i]);
    }
    a->batch = rlxc_ox_dim(im, a->q, 0);
    a->heads = rlxc_ox_dim(im, a->q, 1);
    a->shared = rlxc_ox_dim(im, a->k, 1);
    a->queries = rlxc_ox_dim(im, a->q, 2);
    a->keys = rlxc_ox_dim(im, a->k, 2);
    a->group = rlxc_ox_i(im, 1);
    a->t = rlxc_ox_wide(rlxc_ox_type(im, a->q));
    if (rlxc_prove_eq(im->ctx, a->heads, a->shared, NULL))
        return rlxc_ox_good(im);
    const rlxc_expr *zero = rlxc_ox_i(im, 0);
    rlxc_ox_check_least(im, a->shared, 1, "number of key heads");
    if (!rlxc_ox_good(im))
        return false;
    rlxc_ox_check_number(im, rlxc_ox_bin(im, RLXC_EXPR_FLOORMOD, a->heads, a->shared), zero, zero,
                         "remainder of query heads by key heads");
    a->group =
        rlxc_canonical(im->ctx, rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, a->heads, a->shared), NULL);
    return rlxc_ox_good(im);
}

/* |x| (batch, heads, ...) as (batch, key heads, group, ...), and back. */
static rlxc_atom grouped(rlxc_ox *im, const attention *a, rlxc_atom x, const rlxc_expr *group)
{
    const rlxc_expr *dims[5] = {a->batch, a->shared, group, rlxc_ox_dim(im, x, 2),
                                rlxc_ox_dim(im, x, 3)};
    return rlxc_is_const(a->group, 1) ? x : rlxc_ox_reshape(im, x, dims, 5);
}

static rlxc_atom ungrouped(rlxc_ox *im, const attention *a, rlxc_atom x)
{
    if (rlxc_is_const(a->group, 1))
        return x;
    const rlxc_expr *dims[4] = {a->batch, a->heads, rlxc_ox_dim(im, x, 3), rlxc_ox_dim(im, x, 4)};
    return rlxc_ox_reshape(im, x, dims, 4);
}

static rlxc_atom product(rlxc_ox *im, const attention *a, rlxc_atom x, rlxc_atom y)
{
    return ungrouped(im, a,
                     rlxc_ox_op2(im, "matmul", grouped(im, a, x, a->group),
                                 grouped(im, a, y, rlxc_ox_i(im, 1))));
}

static rlxc_atom both(rlxc_ox *im, rlxc_atom a, rlxc_atom b)
{
    return a.kind == RLXC_ATOM_NONE ? b : rlxc_ox_op2(im, "logical_and", a, b);
}

/* The keys that queries may see by position, or kind NONE for all; |out_sure|: each query sees at
 * least one. */
static rlxc_atom visible(rlxc_ox *im, const attention *a, bool *out_sure)
{
    const int64_t left = rlxc_ox_int(im, "left_window_size", -1),
                  right = rlxc_ox_int(im, "right_window_size", -1);
    const bool causal = rlxc_ox_int(im, "is_causal", 0) != 0, padded = rlxc_ox_has(im, LENGTHS);
    const rlxc_expr *zero = rlxc_ox_i(im, 0);
    rlxc_atom out = {0}, lengths = {0};
    *out_sure = !padded && left < 0 && right < 0;
    if (!causal && *out_sure)
        return out;
    rlxc_atom key = rlxc_ox_along(im, rlxc_ox_arange(im, zero, a->keys), 3, 4);
    rlxc_atom place = rlxc_ox_along(im, rlxc_ox_arange(im, zero, a->queries), 2, 4);
    if (padded) {
        const rlxc_expr *dims[4] = {a->batch, rlxc_ox_i(im, 1), rlxc_ox_i(im, 1), rlxc_ox_i(im, 1)};
        rlxc_ox_check_elements(im, rlxc_ox_in(im, LENGTHS), zero,
                               rlxc_add(im->ctx, a->keys, rlxc_ox_i(im, 1)),
                               "length of nonpad_kv_seqlen");
        lengths = rlxc_ox_cast(im, rlxc_ox_in(im, LENGTHS), RLX_I64);
        lengths = rlxc_ox_reshape(im, lengths, dims, 4);
        out = rlxc_ox_op2(im, "less", key, lengths);
    }
    /* the position of a query among the keys */
    if (rlxc_ox_has(im, PAST_KEY)) {
        const rlxc_expr *past = rlxc_ox_dim(im, rlxc_ox_in(im, PAST_KEY), 2);
        place = rlxc_ox_op2(im, "add", place, rlxc_ox_scalar(im, past, RLX_I64));
    } else if (padded) {
        rlxc_atom before =
            rlxc_ox_op2(im, "subtract", lengths, rlxc_ox_scalar(im, a->queries, RLX_I64));
        place = rlxc_ox_op2(im, "add", place, before);
    }
    if (causal)
        out = both(im, out, rlxc_ox_op2(im, "less_equal", key, place));
    for (uint32_t i = 0; i < 2; i++) {
        int64_t size = i ? right : left;
        if (size < 0)
            continue;
        rlxc_atom by = rlxc_ox_number(im, RLX_I64, (double)size);
        rlxc_atom edge = rlxc_ox_op2(im, i ? "add" : "subtract", place, by);
        out = both(im, out, rlxc_ox_op2(im, i ? "less_equal" : "greater_equal", key, edge));
    }
    return out;
}

/* The mask input extended to as many columns as there are keys; missing ones are masked. */
static rlxc_atom read_mask(rlxc_ox *im, const attention *a)
{
    rlxc_atom mask = rlxc_ox_in(im, MASK);
    uint32_t ndim = rlxc_ox_ndim(im, mask);
    rlx_dtype t = rlxc_ox_type(im, mask);
    if (t.code != RLX_BOOL)
        mask = rlxc_ox_cast(im, mask, a->t);
    if (ndim < 1 || ndim > 4) {
        rlxc_ox_fail(im, "the mask has %u dimensions", ndim);
        return mask;
    }
    const rlxc_expr *have = rlxc_ox_dim(im, mask, ndim - 1);
    if (rlxc_prove_eq(im->ctx, have, a->keys, NULL))
        return mask;
    const rlxc_expr *more = rlxc_canonical(
        im->ctx, rlxc_ox_bin(im, RLXC_EXPR_MAX, rlxc_sub(im->ctx, a->keys, have), rlxc_ox_i(im, 0)),
        NULL);
    rlxc_atom fill =
        rlxc_ox_number(im, rlxc_ox_type(im, mask), t.code == RLX_BOOL ? 0 : -(double)INFINITY);
    return rlxc_ox_pad_axis(im, mask, ndim - 1, rlxc_ox_i(im, 0), more, "constant", fill);
}

/* --- as one operator -------------------------------------------------------------------------- */

/* The type of the softmax computation. */
static rlx_dtype softmax_type(rlxc_ox *im, const attention *a)
{
    rlx_dtype exact = a->t;
    int32_t precision = (int32_t)rlxc_ox_int(im, "softmax_precision", 0);
    if (precision != 0 && (!rlxc_ox_dtype_of(precision, &exact) || !rlxc_dtype_is_float(exact)))
        rlxc_ox_fail(im, "softmax_precision is %d", (int)precision);
    return rlxc_ox_wide(exact);
}

/* True if the operator has the node's meaning, and dimensions and types allow one kernel. */
static bool is_one_operator(rlxc_ox *im, const attention *a)
{
    const rlx_dtype t = rlxc_ox_type(im, a->q);
    int64_t size;
    if (rlxc_ox_wants(im, 3) || softmax_type(im, a).bits > a->t.bits || !rlxc_dtype_is_float(t) ||
        !rlxc_dtype_eq(t, rlxc_ox_type(im, a->k)) || !rlxc_dtype_eq(t, rlxc_ox_type(im, a->v)) ||
        !rlxc_is_int(rlxc_ox_dim(im, a->q, 3), &size) ||
        !rlxc_is_int(rlxc_ox_dim(im, a->v, 3), &size))
        return false;
    const rlxc_expr *same[][2] = {{a->batch, rlxc_ox_dim(im, a->k, 0)},
                                  {a->batch, rlxc_ox_dim(im, a->v, 0)},
                                  {a->shared, rlxc_ox_dim(im, a->v, 1)},
                                  {a->keys, rlxc_ox_dim(im, a->v, 2)},
                                  {rlxc_ox_dim(im, a->q, 3), rlxc_ox_dim(im, a->k, 3)}};
    for (uint32_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (!rlxc_prove_eq(im->ctx, same[i][0], same[i][1], NULL))
            return false;
    return true;
}

/* The bias of the scores, of dimensions (batch, heads, queries, keys) or 1; kind NONE: none. |see|:
 * the visible keys. */
static rlxc_atom bias_of(rlxc_ox *im, const attention *a, rlxc_atom see)
{
    const rlxc_expr *const scores[4] = {a->batch, a->heads, a->queries, a->keys};
    const rlxc_expr *dims[4];
    rlxc_atom bias = {0};
    if (rlxc_ox_has(im, MASK)) {
        rlxc_atom mask = read_mask(im, a);
        uint32_t ndim = rlxc_ox_ndim(im, mask);
        for (uint32_t i = 0; i < 4 && ndim <= 4; i++) {
            dims[i] = i + ndim < 4 ? rlxc_ox_i(im, 1) : rlxc_ox_dim(im, mask, i + ndim - 4);
            dims[i] = rlxc_is_const(dims[i], 1) ? dims[i] : scores[i];
        }
        if (ndim > 4 || !rlxc_ox_good(im))
            return bias;
        mask = rlxc_ox_broadcast(im, mask, dims + 4 - ndim, ndim);
        mask = rlxc_ox_reshape(im, mask, dims, 4);
        if (rlxc_ox_type(im, mask).code == RLX_BOOL)
            see = both(im, see, mask);
        else
            bias = mask;
    }
    if (see.kind == RLXC_ATOM_NONE)
        return bias;
    return rlxc_ox_op3(im, "where", see,
                       bias.kind == RLXC_ATOM_NONE ? rlxc_ox_number(im, a->t, 0) : bias,
                       rlxc_ox_number(im, a->t, -(double)INFINITY));
}

/* True if the last query's position is the last key's: there are as many new keys as queries. */
static bool ends_with_keys(rlxc_ox *im, const attention *a)
{
    const rlxc_expr *past = rlxc_ox_dim(im, rlxc_ox_in(im, PAST_KEY), 2);
    return rlxc_prove_eq(im->ctx, rlxc_add(im->ctx, past, a->queries), a->keys, NULL);
}

/* The result by head. */
static rlxc_atom one_operator(rlxc_ox *im, const attention *a, double scale)
{
    static const int64_t swap[4] = {0, 2, 1, 3};
    const int64_t left = rlxc_ox_int(im, "left_window_size", -1);
    const bool past = rlxc_ox_has(im, PAST_KEY);
    const bool causal = rlxc_ox_int(im, "is_causal", 0) != 0 && !rlxc_ox_has(im, LENGTHS) &&
                        rlxc_ox_int(im, "right_window_size", -1) < 0 &&
                        (!past || ends_with_keys(im, a));
    const bool by_head = !a->is_flat || past || rlxc_ox_wants(im, 1) || rlxc_ox_wants(im, 2);
    bool sure;
    rlxc_atom see = causal ? (rlxc_atom){0} : visible(im, a, &sure);
    rlxc_atom args[4] = {rlxc_ox_transpose(im, a->q, swap, 4), a->k, a->v, bias_of(im, a, see)};
    for (uint32_t i = 1; i < 3 && !by_head; i++)
        args[i] = rlxc_ox_transpose(im, args[i], swap, 4);
    rlxc_attrs attrs = rlxc_one_attr(im->ctx, "scale", rlxc_attr_float(scale));
    attrs = rlxc_and_attr(im->ctx, attrs, "unseen_zero", rlxc_attr_bool(true));
    attrs =
        rlxc_and_attr(im->ctx, attrs, "softcap", rlxc_attr_float(rlxc_ox_float(im, "softcap", 0)));
    if (by_head)
        attrs = rlxc_and_attr(im->ctx, attrs, "layout", rlxc_attr_string(im->ctx, "BHSD"));
    if (causal)
        attrs = rlxc_and_attr(im->ctx, attrs, "causal_mask",
                              rlxc_attr_string(im->ctx, past ? "BottomRight" : "TopLeft"));
    if (causal && left >= 0)
        attrs = rlxc_ox_with_int(im, attrs, "window_size", left + 1);
    rlxc_atom y = rlxc_ox_opv(im, "nn.attention_as_stored", args,
                              args[3].kind == RLXC_ATOM_NONE ? 3 : 4, attrs);
    return rlxc_ox_transpose(im, y, swap, 4);
}

/* --- as products ------------------------------------------------------------------------------ */

/* One over the square root of the size of a head, which is known at run time only. */
static rlxc_atom inverse_root(rlxc_ox *im, const attention *a)
{
    rlxc_atom size = rlxc_ox_scalar(im, rlxc_ox_dim(im, a->q, 3), a->t);
    return rlxc_ox_op2(im, "divide", rlxc_ox_number(im, a->t, 1), rlxc_ox_op1(im, "sqrt", size));
}

static rlxc_atom as_products(rlxc_ox *im, const attention *ap, rlxc_atom scale)
{
    static const int64_t turn[4] = {0, 1, 3, 2};
    const attention a = *ap;
    const int64_t show = rlxc_ox_int(im, "qk_matmul_output_mode", 0);
    const double cap = rlxc_ox_float(im, "softcap", 0);
    bool sure;
    rlxc_atom scores = rlxc_ox_op2(im, "multiply", rlxc_ox_cast(im, a.q, a.t), scale);
    rlxc_atom keys = rlxc_ox_transpose(im, rlxc_ox_cast(im, a.k, a.t), turn, 4);
    scores = product(im, &a, scores, keys);
    rlxc_atom shown = scores;
    if (cap != 0) {
        rlxc_atom c = rlxc_ox_number(im, a.t, cap);
        scores = rlxc_ox_op1(im, "tanh", rlxc_ox_op2(im, "divide", scores, c));
        scores = rlxc_ox_op2(im, "multiply", scores, c);
    }
    if (show == 1)
        shown = scores;
    rlxc_atom see = visible(im, &a, &sure), mask = {0}, bias = {0};
    rlxc_atom none = rlxc_ox_number(im, a.t, -(double)INFINITY), zero = rlxc_ox_number(im, a.t, 0);
    if (rlxc_ox_has(im, MASK)) {
        sure = false;
        mask = read_mask(im, &a);
        if (rlxc_ox_type(im, mask).code == RLX_BOOL) {
            see = both(im, see, mask);
        } else {
            scores = rlxc_ox_op2(im, "add", scores, mask);
            bias = mask;
        }
    }
    if (see.kind != RLXC_ATOM_NONE) {
        scores = rlxc_ox_op3(im, "where", see, scores, none);
        bias = rlxc_ox_op3(im, "where", see, bias.kind == RLXC_ATOM_NONE ? zero : bias, none);
    }
    if (show == 2)
        shown = scores;
    rlxc_attrs last = rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 3);
    rlxc_atom p =
        rlxc_ox_op0(im, "nn.softmax", rlxc_ox_cast(im, scores, softmax_type(im, ap)), last);
    p = rlxc_ox_cast(im, p, a.t);
    if (!sure && bias.kind != RLXC_ATOM_NONE) {
        const int64_t axes[1] = {rlxc_ox_ndim(im, bias) - 1};
        rlxc_atom most = rlxc_ox_reduce(im, "max", bias, axes, 1, true);
        p = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "equal", most, none), zero, p);
    }
    if (show == 3)
        shown = p;
    rlxc_atom y = product(im, &a, p, rlxc_ox_cast(im, a.v, a.t));
    rlx_dtype t = rlxc_ox_type(im, a.q);
    rlxc_ox_set(im, 3, rlxc_ox_cast(im, shown, t));
    return rlxc_ox_cast(im, y, t);
}

void rlxc_ox_import_attention(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    static const int64_t swap[4] = {0, 2, 1, 3};
    attention a;
    double scale = rlxc_ox_float(im, "scale", 0);
    int64_t size = 0;
    if (!read_attention(im, &a))
        return;
    const bool given = rlxc_ox_attr(im, "scale") != NULL;
    const bool known = rlxc_is_int(rlxc_ox_dim(im, a.q, 3), &size);
    if (known && !given)
        scale = 1 / sqrt((double)size);
    rlxc_atom y;
    if (is_one_operator(im, &a))
        y = one_operator(im, &a, scale);
    else if (known || given)
        y = as_products(im, &a, rlxc_ox_number(im, a.t, scale));
    else
        y = as_products(im, &a, inverse_root(im, &a));
    if (a.is_flat) {
        const rlxc_expr *dims[3] = {a.batch, a.queries,
                                    rlxc_mul(im->ctx, a.heads, rlxc_ox_dim(im, y, 3))};
        y = rlxc_ox_reshape(im, rlxc_ox_transpose(im, y, swap, 4), dims, 3);
    }
    rlxc_ox_set(im, 0, y);
}

/* --- places ----------------------------------------------------------------------------------- */

static rlxc_atom last_axis(rlxc_ox *im, rlxc_atom x, int64_t begin, const rlxc_expr *end,
                           int64_t stride)
{
    return rlxc_ox_slice(im, x, rlxc_ox_ndim(im, x) - 1, rlxc_ox_i(im, begin), end, stride);
}

rlxc_atom rlxc_ox_rotated(rlxc_ox *im, rlxc_atom x, const rlxc_atom turn[2], int64_t size,
                          bool interleaved)
{
    const rlxc_expr *half = rlxc_ox_i(im, size / 2), *end = rlxc_ox_i(im, size);
    const int64_t whole = rlxc_ox_need_dim(im, x, 3, "the size of a head");
    rlxc_atom a = interleaved ? last_axis(im, x, 0, end, 2) : last_axis(im, x, 0, half, 1);
    rlxc_atom b = interleaved ? last_axis(im, x, 1, end, 2) : last_axis(im, x, size / 2, end, 1);
    rlxc_atom parts[3] = {
        rlxc_ox_op2(im, "subtract", rlxc_ox_op2(im, "multiply", a, turn[0]),
                    rlxc_ox_op2(im, "multiply", b, turn[1])),
        rlxc_ox_op2(im, "add", rlxc_ox_op2(im, "multiply", a, turn[1]),
                    rlxc_ox_op2(im, "multiply", b, turn[0])),
    };
    if (interleaved) {
        const int64_t last[1] = {4};
        const rlxc_expr *dims[RLXC_MAX_NDIM];
        rlxc_ox_dims(im, x, dims);
        dims[3] = end;
        for (uint32_t i = 0; i < 2; i++)
            parts[i] = rlxc_ox_expand_dims(im, parts[i], last, 1);
        parts[0] = rlxc_ox_reshape(im, rlxc_ox_concat(im, parts, 2, 4), dims, 4);
    } else {
        parts[0] = rlxc_ox_concat(im, parts, 2, 3);
    }
    if (size < whole) {
        parts[1] = last_axis(im, x, size, rlxc_ox_i(im, whole), 1);
        parts[0] = rlxc_ox_concat(im, parts, 2, 3);
    }
    return parts[0];
}

/* Rotates pairs of elements by the angle of their position. */
void rlxc_ox_import_rotary_embedding(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom x = rlxc_ox_in(im, 0), turn[2] = {rlxc_ox_in(im, 1), rlxc_ox_in(im, 2)};
    uint32_t ndim = rlxc_ox_ndim(im, x);
    int64_t heads = rlxc_ox_int(im, "num_heads", 0), size = 0;
    const rlxc_expr *given[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, x, given);
    if (ndim == 3 && heads > 0) { /* (batch, length, heads, size) */
        const rlxc_expr *n = rlxc_ox_i(im, heads);
        const rlxc_expr *dims[4] = {given[0], given[1], n,
                                    rlxc_ox_bin(im, RLXC_EXPR_FLOORDIV, given[2], n)};
        x = rlxc_ox_reshape(im, x, dims, 4);
    } else if (ndim != 4) {
        rlxc_ox_fail(im, "expected four dimensions, or three and num_heads");
        return;
    }
    int64_t whole = rlxc_ox_need_dim(im, x, 3, "the size of a head");
    size = rlxc_ox_int(im, "rotary_embedding_dim", 0);
    size = size == 0 ? whole : size;
    if (size < 0 || size > whole || size % 2 != 0) {
        rlxc_ox_fail(im, "rotary dimension %lld does not fit heads of %lld", (long long)size,
                     (long long)whole);
        return;
    }
    for (uint32_t i = 0; i < 2; i++) { /* as (batch, length, size / 2), then with heads */
        const int64_t axis[1] = {ndim == 3 ? 2 : 1};
        if (rlxc_ox_has(im, 3))
            turn[i] = rlxc_ox_take(im, turn[i], rlxc_ox_in(im, 3), 0);
        turn[i] = rlxc_ox_expand_dims(im, turn[i], axis, 1);
    }
    x = rlxc_ox_rotated(im, x, turn, size, rlxc_ox_int(im, "interleaved", 0) != 0);
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, x, given, ndim));
}

/* Writes new elements of a sequence to each batch's own position in a cache. */
void rlxc_ox_import_tensor_scatter(rlxc_ox *im, const rlxc_ox_row *row)
{
    (void)row;
    rlxc_atom cache = rlxc_ox_in(im, 0), update = rlxc_ox_in(im, 1);
    uint32_t ndim = rlxc_ox_ndim(im, cache);
    uint32_t axis = rlxc_ox_axis(im, rlxc_ox_int(im, "axis", -2), ndim);
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    if (axis == 0 || rlxc_ox_ndim(im, update) != ndim) {
        rlxc_ox_fail(im,
                     "cache and update must have the same rank; the axis cannot be the batch axis");
        return;
    }
    rlxc_ox_dims(im, update, dims);
    rlxc_atom place =
        rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), dims[axis]), axis, ndim);
    if (rlxc_ox_has(im, 2)) {
        const rlxc_expr *room = rlxc_sub(im->ctx, rlxc_ox_dim(im, cache, axis), dims[axis]);
        const bool linear = rlxc_ox_is(im, "mode", "linear", "linear");
        rlxc_ox_check_elements(im, rlxc_ox_in(im, 2), rlxc_ox_i(im, 0),
                               linear ? rlxc_add(im->ctx, room, rlxc_ox_i(im, 1))
                                      : rlxc_ox_dim(im, cache, axis),
                               "write index");
        rlxc_atom first = rlxc_ox_cast(im, rlxc_ox_in(im, 2), RLX_I64);
        place = rlxc_ox_op2(im, "add", place, rlxc_ox_along(im, first, 0, ndim));
    }
    if (rlxc_ox_is(im, "mode", "linear", "circular"))
        place = rlxc_ox_op2(im, "floor_mod", place,
                            rlxc_ox_scalar(im, rlxc_ox_dim(im, cache, axis), RLX_I64));
    const rlxc_atom args[3] = {cache, rlxc_ox_broadcast(im, place, dims, ndim), update};
    rlxc_ox_set(im, 0,
                rlxc_ox_opv(im, "scatter_elements", args, 3,
                            rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", axis)));
}

/* --- units ------------------------------------------------------------------------------------ */

rlxc_atom rlxc_ox_swish(rlxc_ox *im, rlxc_atom x, double alpha)
{
    rlxc_atom by = rlxc_ox_number(im, rlxc_ox_type(im, x), alpha);
    return rlxc_ox_op2(im, "multiply", x,
                       rlxc_ox_op1(im, "sigmoid", rlxc_ox_op2(im, "multiply", x, by)));
}

/* x sigmoid(alpha x), times a second input if there is one. */
void rlxc_ox_import_swish(rlxc_ox *im, const rlxc_ox_row *row)
{
    rlxc_atom y = rlxc_ox_swish(im, rlxc_ox_in(im, 0), rlxc_ox_float(im, "alpha", 1));
    rlxc_ox_set(im, 0, row->arg ? rlxc_ox_op2(im, "multiply", y, rlxc_ox_in(im, 1)) : y);
}

/* Attention of com.microsoft on given queries, keys and values: MultiHeadAttention,
 * DecoderMaskedMultiHeadAttention, and the parts shared with projecting operators
 * (self_attention.c).
 *
 * A mask hides a key by adding mask_filter_value to its scores, so that a query whose keys are all
 * hidden attends as if there were no mask. Keys hidden by unidirectional are never visible. With
 * past_sequence_length, the past is a cache with room for the new keys, which go after that many
 * positions; without it, new keys are appended to the past. */
#include "compiler/onnx/multihead.h"

#include <math.h>

#include "compiler/onnx/handlers.h"
#include "compiler/ops/compose.h"

static const int64_t SWAP[4] = {0, 2, 1, 3};

static rlx_dtype score_type(rlxc_ox *im, const rlxc_ox_heads *h)
{
    return rlxc_ox_wide(rlxc_ox_type(im, h->q));
}

/* --- reading ---------------------------------------------------------------------------------- */

bool rlxc_ox_head_sizes(rlxc_ox *im, rlxc_ox_heads *h, int64_t width, int64_t value_width)
{
    if (!rlxc_ox_good(im))
        return false;
    if (h->n < 1 || h->n > INT32_MAX || width % h->n != 0 || value_width % h->n != 0 ||
        width < h->n || value_width < h->n) {
        rlxc_ox_fail(im, "num_heads is %lld, for a query of %lld elements and a value of %lld",
                     (long long)h->n, (long long)width, (long long)value_width);
        return false;
    }
    h->size = width / h->n;
    h->value_size = value_width / h->n;
    return true;
}

rlxc_atom rlxc_ox_split_heads(rlxc_ox *im, const rlxc_ox_heads *h, rlxc_atom x, int64_t size)
{
    const rlxc_expr *dims[4] = {h->batch, rlxc_ox_dim(im, x, 1), rlxc_ox_i(im, h->n * size)};
    x = rlxc_ox_state_dims(im, x, dims, 1u << 0 | 1u << 2);
    dims[2] = rlxc_ox_i(im, h->n);
    dims[3] = rlxc_ox_i(im, size);
    return rlxc_ox_reshape(im, x, dims, 4);
}

/* --- the past --------------------------------------------------------------------------------- */

/* Keys (|which| 0) or values of the past: (batch, n, places, size). */
static rlxc_atom past_of(rlxc_ox *im, const rlxc_ox_heads *h, const rlxc_ox_heads_inputs *in,
                         uint32_t which)
{
    const rlxc_expr *dims[4] = {h->batch, rlxc_ox_i(im, h->n), NULL,
                                rlxc_ox_i(im, which ? h->value_size : h->size)};
    rlxc_atom past = rlxc_ox_in(im, which && !in->stacked ? in->past_value : in->past_key);
    const uint32_t ndim = rlxc_ox_ndim(im, past);
    if (ndim != (in->stacked ? 5 : 4)) {
        rlxc_ox_fail(im, "the past has %u dimensions, expected %d", ndim, in->stacked ? 5 : 4);
        return past;
    }
    if (in->stacked)
        past = rlxc_ox_take(im, past, rlxc_ox_number(im, RLX_I64, which), 0);
    return rlxc_ox_state_dims(im, past, dims, 1u << 0 | 1u << 1 | 1u << 3);
}

/* Output 1, or 1 and 2: keys and values by head. */
static void show_keys(rlxc_ox *im, const rlxc_ox_heads_inputs *in, rlxc_atom k, rlxc_atom v)
{
    const int64_t first[1] = {0};
    if (!in->stacked) {
        rlxc_ox_set(im, 1, k);
        rlxc_ox_set(im, 2, v);
    } else if (rlxc_ox_wants(im, 1)) {
        const rlxc_atom parts[2] = {rlxc_ox_expand_dims(im, k, first, 1),
                                    rlxc_ox_expand_dims(im, v, first, 1)};
        rlxc_ox_set(im, 1, rlxc_ox_concat(im, parts, 2, 0));
    }
}

/* |x| (batch, n, new, size) written into |cache| from position |at| on. */
static rlxc_atom written(rlxc_ox *im, rlxc_atom cache, rlxc_atom x, const rlxc_expr *at)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    rlxc_ox_dims(im, x, dims);
    rlxc_atom place = rlxc_ox_arange(im, rlxc_ox_i(im, 0), dims[2]);
    place = rlxc_ox_op2(im, "add", place, rlxc_ox_scalar(im, at, RLX_I64));
    place = rlxc_ox_broadcast(im, rlxc_ox_along(im, place, 2, 4), dims, 4);
    const rlxc_atom args[3] = {cache, place, x};
    return rlxc_ox_opv(im, "scatter_elements", args, 3,
                       rlxc_ox_with_int(im, (rlxc_attrs){0}, "axis", 2));
}

/* Prepends the past to keys and values; sets the outputs that show them. Returns the number of
 * positions before the new ones. */
static const rlxc_expr *append(rlxc_ox *im, rlxc_ox_heads *h, const rlxc_ox_heads_inputs *in)
{
    const bool past = rlxc_ox_has(im, in->past_key);
    const bool shown = rlxc_ox_wants(im, 1) || (!in->stacked && rlxc_ox_wants(im, 2));
    const rlxc_expr *before = rlxc_ox_i(im, 0);
    rlxc_atom *const to[2] = {&h->k, &h->v};
    if (!past && !shown)
        return before;
    if (!in->stacked && past != rlxc_ox_has(im, in->past_value))
        rlxc_ox_fail(im, "one of past_key and past_value is missing");
    if (!h->is_by_head)
        for (uint32_t i = 0; i < 2; i++)
            *to[i] = rlxc_ox_transpose(im, *to[i], SWAP, 4);
    h->is_by_head = true;
    if (past && rlxc_ox_has(im, in->past_length)) {
        rlxc_atom caches[2];
        before = rlxc_ox_one(im, in->past_length);
        if (!before || !rlxc_ox_good(im))
            return rlxc_ox_i(im, 0);
        const rlxc_expr *end = rlxc_add(im->ctx, before, rlxc_ox_dim(im, h->k, 2));
        for (uint32_t i = 0; i < 2; i++) {
            caches[i] = written(im, past_of(im, h, in, i), *to[i], before);
            *to[i] = rlxc_ox_slice(im, caches[i], 2, rlxc_ox_i(im, 0), end, 1);
        }
        show_keys(im, in, caches[0], caches[1]);
        return before;
    }
    for (uint32_t i = 0; i < 2 && past; i++) {
        const rlxc_atom parts[2] = {past_of(im, h, in, i), *to[i]};
        before = rlxc_ox_dim(im, parts[0], 2);
        *to[i] = rlxc_ox_concat(im, parts, 2, 2);
    }
    show_keys(im, in, h->k, h->v);
    return before;
}

/* --- masks ------------------------------------------------------------------------------------ */

/* A one-dimensional mask: the number of keys per batch item, or ends followed by starts, or the
 * number followed by unused data. True for visible keys. */
static rlxc_atom seen_by_lengths(rlxc_ox *im, const rlxc_ox_heads *h, rlxc_atom mask,
                                 const rlxc_expr *keys)
{
    const rlxc_expr *zero = rlxc_ox_i(im, 0), *length = rlxc_ox_dim(im, mask, 0);
    const rlxc_expr *twice = rlxc_mul(im->ctx, h->batch, rlxc_ox_i(im, 2));
    const rlxc_expr *more = rlxc_add(im->ctx, rlxc_add(im->ctx, twice, h->batch), rlxc_ox_i(im, 2));
    rlxc_atom key = rlxc_ox_along(im, rlxc_ox_arange(im, zero, keys), 3, 4);
    rlxc_atom end = rlxc_ox_cast(im, mask, RLX_I64), begin = {0};
    if (rlxc_prove_eq(im->ctx, length, twice, NULL)) {
        begin = rlxc_ox_slice(im, end, 0, h->batch, twice, 1);
        end = rlxc_ox_slice(im, end, 0, zero, h->batch, 1);
    } else if (rlxc_prove_eq(im->ctx, length, more, NULL)) {
        end = rlxc_ox_slice(im, end, 0, zero, h->batch, 1);
    }
    end = rlxc_ox_state_dims(im, end, &h->batch, 1);
    rlxc_atom seen = rlxc_ox_op2(im, "less", key, rlxc_ox_along(im, end, 0, 4));
    if (begin.kind == RLXC_ATOM_NONE)
        return seen;
    begin = rlxc_ox_state_dims(im, begin, &h->batch, 1);
    return rlxc_ox_op2(im, "logical_and", seen,
                       rlxc_ox_op2(im, "greater_equal", key, rlxc_ox_along(im, begin, 0, 4)));
}

/* The mask input as a bias of scores (batch, n, queries, keys). */
static rlxc_atom read_mask(rlxc_ox *im, const rlxc_ox_heads *h, uint32_t input,
                           const rlxc_expr *before, const rlxc_expr *keys)
{
    const rlx_dtype t = score_type(im, h);
    const rlxc_expr *const all[3] = {h->batch, h->queries, keys};
    rlxc_atom mask = rlxc_ox_in(im, input);
    const uint32_t ndim = rlxc_ox_ndim(im, mask);
    rlxc_atom none = rlxc_ox_number(im, rlxc_ox_type(im, mask), 0);
    const int64_t heads[2] = {1, 2};
    if (ndim < 1 || ndim > 4) {
        rlxc_ox_fail(im, "the mask has %u dimensions, expected 1 to 4", ndim);
        return mask;
    }
    if (ndim == 1) {
        mask = seen_by_lengths(im, h, mask, keys);
    } else if (ndim == 4) { /* for the longest sequence there may be */
        const rlxc_expr *end = rlxc_add(im->ctx, before, h->queries);
        mask = rlxc_ox_slice(im, mask, 2, before, end, 1);
        mask = rlxc_ox_slice(im, mask, 3, rlxc_ox_i(im, 0), keys, 1);
        const rlxc_expr *const dims[4] = {NULL, NULL, h->queries, keys};
        mask = rlxc_ox_state_dims(im, mask, dims, 1u << 2 | 1u << 3);
    } else {
        const rlxc_expr *const dims[3] = {h->batch, ndim == 3 ? h->queries : keys, keys};
        mask = rlxc_ox_state_dims(im, mask, ndim == 3 ? all : dims, (1u << ndim) - 1);
        mask = rlxc_ox_expand_dims(im, mask, heads, 4 - ndim);
    }
    if (ndim > 1)
        mask = rlxc_ox_op2(im, "greater", mask, none);
    return rlxc_ox_op3(im, "where", mask, rlxc_ox_number(im, t, 0),
                       rlxc_ox_number(im, t, rlxc_ox_float(im, "mask_filter_value", -10000)));
}

/* The bias of the scores, of dimensions (batch, n, queries, keys) or 1; kind NONE: none. */
static rlxc_atom bias_of(rlxc_ox *im, const rlxc_ox_heads *h, const rlxc_ox_heads_inputs *in,
                         const rlxc_expr *before, const rlxc_expr *keys)
{
    const rlxc_expr *dims[4] = {h->batch, rlxc_ox_i(im, h->n), h->queries, keys};
    rlxc_atom mask = {0};
    if (rlxc_ox_has(im, in->mask))
        mask = read_mask(im, h, in->mask, before, keys);
    if (!rlxc_ox_has(im, in->bias))
        return mask;
    rlxc_atom bias = rlxc_ox_cast(im, rlxc_ox_in(im, in->bias), score_type(im, h));
    if (rlxc_ox_ndim(im, bias) != 4) {
        rlxc_ox_fail(im, "attention_bias has %u dimensions, expected 4", rlxc_ox_ndim(im, bias));
        return bias;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (rlxc_is_const(rlxc_ox_dim(im, bias, i), 1))
            dims[i] = rlxc_ox_i(im, 1);
    bias = rlxc_ox_broadcast(im, bias, dims, 4);
    return mask.kind == RLXC_ATOM_NONE ? bias : rlxc_ox_op2(im, "add", mask, bias);
}

/* --- attention -------------------------------------------------------------------------------- */

/* Output 3: the scores, including their bias. */
static void show_scores(rlxc_ox *im, const rlxc_ox_heads *h, rlxc_atom bias, bool causal,
                        const rlxc_expr *before, const rlxc_expr *keys, double scale)
{
    static const int64_t by_head[4] = {0, 1, 3, 2}, by_place[4] = {0, 2, 3, 1};
    const rlx_dtype t = score_type(im, h);
    rlxc_atom q = rlxc_ox_cast(im, rlxc_ox_transpose(im, h->q, SWAP, 4), t);
    rlxc_atom k = rlxc_ox_transpose(im, h->k, h->is_by_head ? by_head : by_place, 4);
    rlxc_atom scores = rlxc_ox_op2(im, "matmul", q, rlxc_ox_cast(im, k, t));
    scores = rlxc_ox_op2(im, "multiply", scores, rlxc_ox_number(im, t, scale));
    if (bias.kind != RLXC_ATOM_NONE)
        scores = rlxc_ox_op2(im, "add", scores, bias);
    if (causal) {
        const rlxc_expr *end = rlxc_add(im->ctx, before, h->queries);
        rlxc_atom key = rlxc_ox_along(im, rlxc_ox_arange(im, rlxc_ox_i(im, 0), keys), 3, 4);
        rlxc_atom place = rlxc_ox_along(im, rlxc_ox_arange(im, before, end), 2, 4);
        scores = rlxc_ox_op3(im, "where", rlxc_ox_op2(im, "less_equal", key, place), scores,
                             rlxc_ox_number(im, t, -(double)3.4028234663852886e38));
    }
    rlxc_ox_set(im, 3, rlxc_ox_cast(im, scores, rlxc_ox_type(im, h->q)));
}

void rlxc_ox_attend(rlxc_ox *im, rlxc_ox_heads *h, const rlxc_ox_heads_inputs *in)
{
    const bool causal = rlxc_ox_int(im, "unidirectional", 0) != 0;
    if (rlxc_ox_has(im, in->indirection))
        rlxc_ox_fail(im, "cache_indirection is not supported");
    if (rlxc_ox_int(im, "do_rotary", 0) != 0)
        rlxc_ox_fail(im, "do_rotary is not supported");
    const rlxc_expr *before = append(im, h, in);
    const rlxc_expr *keys = rlxc_ox_dim(im, h->k, h->is_by_head ? 2 : 1), *dims[RLXC_MAX_NDIM];
    /* Checks that values and keys have the same length. */
    const uint32_t axis = h->is_by_head ? 2 : 1;
    rlxc_ox_dims(im, h->v, dims);
    dims[axis] = keys;
    h->v = rlxc_ox_state_dims(im, h->v, dims, 1u << axis);
    double scale = rlxc_ox_float(im, "scale", 0);
    scale = scale == 0 ? 1 / sqrt((double)h->size) : scale;
    rlxc_atom args[4] = {h->q, h->k, h->v, bias_of(im, h, in, before, keys)};
    rlxc_attrs attrs = rlxc_one_attr(im->ctx, "scale", rlxc_attr_float(scale));
    if (h->is_by_head)
        attrs = rlxc_and_attr(im->ctx, attrs, "layout", rlxc_attr_string(im->ctx, "BHSD"));
    if (causal)
        attrs = rlxc_and_attr(
            im->ctx, attrs, "causal_mask",
            rlxc_attr_string(im->ctx, rlxc_is_const(before, 0) ? "TopLeft" : "BottomRight"));
    rlxc_atom y = rlxc_ox_opv(im, "nn.attention_as_stored", args,
                              args[3].kind == RLXC_ATOM_NONE ? 3 : 4, attrs);
    const rlxc_expr *flat[3] = {h->batch, h->queries, rlxc_ox_i(im, h->n * h->value_size)};
    rlxc_ox_set(im, 0, rlxc_ox_reshape(im, y, flat, 3));
    if (!in->stacked && rlxc_ox_wants(im, 3))
        show_scores(im, h, args[3], causal, before, keys, scale);
}

/* --- queries, keys and values that are given -------------------------------------------------- */

enum { QUERY, KEY, VALUE };

/* Part |i| of |x| (batch, length, n, parts, size) as (batch, length, n, size). */
static rlxc_atom part_of(rlxc_ox *im, rlxc_atom x, uint32_t i)
{
    return rlxc_ox_take(im, x, rlxc_ox_number(im, RLX_I64, i), 3);
}

/* |x| (batch, length, n, size), or by head if |by_head|, plus |width| elements of input |bias| from
 * |begin| on. */
static rlxc_atom biased(rlxc_ox *im, const rlxc_ox_heads *h, rlxc_atom x, uint32_t bias,
                        int64_t begin, int64_t size)
{
    if (!rlxc_ox_has(im, bias))
        return x;
    const rlxc_expr *dims[2] = {rlxc_ox_i(im, h->n), rlxc_ox_i(im, size)};
    rlxc_atom part = rlxc_ox_slice(im, rlxc_ox_in(im, bias), 0, rlxc_ox_i(im, begin),
                                   rlxc_ox_i(im, begin + h->n * size), 1);
    return rlxc_ox_op2(im, "add", x, rlxc_ox_reshape(im, part, dims, 2));
}

/* Keys and values by head, as a cache has them; |bias| is the query's only. */
static void read_cached(rlxc_ox *im, rlxc_ox_heads *h)
{
    const rlxc_atom k = rlxc_ox_in(im, KEY), v = rlxc_ox_in(im, VALUE);
    const int64_t size = rlxc_ox_need_dim(im, v, 3, "the size of a value's head");
    const int64_t width = rlxc_ox_need_dim(im, rlxc_ox_in(im, QUERY), 2, "the query's width");
    if (rlxc_ox_ndim(im, v) != 4) {
        rlxc_ox_fail(im, "the value has %u dimensions, the key 4", rlxc_ox_ndim(im, v));
        return;
    }
    if (size > INT64_MAX / INT32_MAX || !rlxc_ox_head_sizes(im, h, width, size * h->n))
        return;
    const rlxc_expr *dims[4] = {h->batch, rlxc_ox_i(im, h->n), NULL, rlxc_ox_i(im, h->size)};
    h->k = rlxc_ox_state_dims(im, k, dims, 1u << 0 | 1u << 1 | 1u << 3);
    dims[3] = rlxc_ox_i(im, h->value_size);
    h->v = rlxc_ox_state_dims(im, v, dims, 1u << 0 | 1u << 1);
    h->is_by_head = true;
}

/* Keys and values of one width, or of two. */
static void read_flat(rlxc_ox *im, rlxc_ox_heads *h, uint32_t bias)
{
    const rlxc_atom q = rlxc_ox_in(im, QUERY), k = rlxc_ox_in(im, KEY), v = rlxc_ox_in(im, VALUE);
    if (rlxc_ox_ndim(im, k) != 3 || rlxc_ox_ndim(im, v) != 3) {
        rlxc_ox_fail(im, "a key of %u dimensions and a value of %u, for a query of 3",
                     rlxc_ox_ndim(im, k), rlxc_ox_ndim(im, v));
        return;
    }
    if (!rlxc_ox_head_sizes(im, h, rlxc_ox_need_dim(im, q, 2, "the query's width"),
                            rlxc_ox_need_dim(im, v, 2, "the value's width")))
        return;
    const int64_t width = h->n * h->size;
    h->k = biased(im, h, rlxc_ox_split_heads(im, h, k, h->size), bias, width, h->size);
    h->v =
        biased(im, h, rlxc_ox_split_heads(im, h, v, h->value_size), bias, 2 * width, h->value_size);
}

/* Queries, keys and values that are one tensor (batch, length, n, 3, size), or keys and values that
 * are one of 2 such parts. */
static void read_packed(rlxc_ox *im, rlxc_ox_heads *h, uint32_t bias)
{
    const bool all = !rlxc_ox_has(im, KEY);
    const rlxc_atom x = rlxc_ox_in(im, all ? QUERY : KEY);
    const int64_t size = rlxc_ox_need_dim(im, x, 4, "the size of a head");
    const rlxc_expr *dims[5] = {h->batch, NULL, rlxc_ox_i(im, h->n), rlxc_ox_i(im, all ? 3 : 2)};
    if (h->n < 1 || h->n > INT32_MAX || size > INT64_MAX / INT32_MAX / 4 ||
        !rlxc_ox_head_sizes(im, h, size * h->n, size * h->n))
        return;
    const rlxc_atom parts = rlxc_ox_state_dims(im, x, dims, 1u << 0 | 1u << 2 | 1u << 3);
    const int64_t width = h->n * size;
    if (all)
        h->q = biased(im, h, part_of(im, parts, 0), bias, 0, size);
    h->k = biased(im, h, part_of(im, parts, all ? 1 : 0), bias, width, size);
    h->v = biased(im, h, part_of(im, parts, all ? 2 : 1), bias, 2 * width, size);
}

/* |row->arg|: the decoder's, whose inputs have another order. */
void rlxc_ox_import_multi_head_attention(rlxc_ox *im, const rlxc_ox_row *row)
{
    static const rlxc_ox_heads_inputs orders[2] = {
        {.mask = 4, .bias = 5, .past_key = 6, .past_value = 7, .past_length = 8, .indirection = 9},
        {.mask = 3, .bias = 4, .past_key = 5, .past_value = 6, .past_length = 7, .indirection = 9}};
    const rlxc_ox_heads_inputs *in = &orders[row->arg ? 1 : 0];
    const uint32_t bias = row->arg ? 10 : 3;
    const rlxc_atom q = rlxc_ox_in(im, QUERY);
    const uint32_t ndim = rlxc_ox_ndim(im, q);
    const bool key = rlxc_ox_has(im, KEY);
    const uint32_t key_ndim = key ? rlxc_ox_ndim(im, rlxc_ox_in(im, KEY)) : 0;
    if (!rlxc_ox_good(im))
        return;
    if (!(ndim == 3 && key) && !(ndim == 5 && !key)) {
        rlxc_ox_fail(im, "the query has %u dimensions, %s key", ndim, key ? "with a" : "without a");
        return;
    }
    rlxc_ox_heads h = {.n = rlxc_ox_int(im, "num_heads", 0),
                       .batch = rlxc_ox_dim(im, q, 0),
                       .queries = rlxc_ox_dim(im, q, 1)};
    if (ndim == 5 || key_ndim == 5)
        read_packed(im, &h, bias);
    else if (key_ndim == 4)
        read_cached(im, &h);
    else
        read_flat(im, &h, bias);
    if (!rlxc_ox_good(im))
        return;
    if (ndim == 3)
        h.q = biased(im, &h, rlxc_ox_split_heads(im, &h, q, h.size), bias, 0, h.size);
    rlxc_ox_attend(im, &h, in);
}
